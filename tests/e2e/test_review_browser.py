"""The review page in a real browser: by keyboard, without script, with hostile content, in the light and in the dark.

Skips without a browser; with REQUIRE_BROWSER=1 a missing browser is a failure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from dagster_project.home.layout import Home
from dagster_project.lake.store import Lake
from dagster_project.review.desk import Desk
from dagster_project.review.page.guard import Keys
from dagster_project.review.page.web import ReviewPage
from dagster_project.review.review import DECISION, LABEL, RUBRIC
from dagster_project.review.store import reviews_of
from ingest.receiver.server import Server, ServerSettings
from tests.chromium import chromium, press
from tests.e2e.test_report_browser import CONTRAST
from tests.review_home import APP, review_home


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium, or a skip that says why."""
    with chromium() as opened:
        yield opened


@dataclass
class Site:
    """A review page that runs, and the browser's way in."""

    home: Home
    address: str
    token: str
    said: list[str]

    def enter(self, context: BrowserContext) -> Page:
        """Open the printed link."""
        page = context.new_page()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.goto(f"{self.address}/?token={self.token}")
        page.wait_for_url(f"{self.address}/")
        return page

    def task(self, number: int) -> str:
        """The address of a task."""
        return f"{self.address}/task/{APP}/task{number}"

    @property
    def lake(self) -> Lake:
        """The clean lake."""
        return Lake(self.home.clean / "lake")


def served(folder: Path, *, hostile: bool = False, huge: bool = False) -> Iterator[Site]:
    """A page over a small home."""
    home = review_home(folder, hostile=hostile, huge=huge)
    keys = Keys()
    desk = Desk(home.clean, home.outcome_policy, [APP])
    server = Server(ReviewPage(desk, "ada", keys).app, ServerSettings(port=0))
    yield Site(home=home, address=f"http://127.0.0.1:{server.start()}", token=keys.token, said=[])
    server.stop()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A page over a small home."""
    yield from served(tmp_path / "h")


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh browser profile."""
    made = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    yield made
    made.close()


def overflow(page: Page) -> int:
    """By how much the page is wider than the window."""
    wide: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return wide


def open_everything(page: Page) -> None:
    """Every fold."""
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")


def test_a_review_by_keyboard(site: Site, context: BrowserContext) -> None:
    """Down the queue, into a task, and each label goes on to what comes next: no mouse, no message in the console."""
    page = site.enter(context)
    press(page, "j")
    press(page, "k")
    press(page, "Enter")
    page.wait_for_url(re.compile(r"/task/shop/task3"))
    press(page, "2")
    page.wait_for_url(re.compile(r"/task/shop/task1\?said=next"))
    press(page, "1")
    page.wait_for_url(re.compile(r"episode=ep1-bad&said=label"))
    assert page.locator(".tabs a[aria-current]").inner_text().startswith("Attempt 2")
    press(page, "p")
    page.wait_for_url(re.compile(r"episode=ep1-good$"))
    assert page.locator("button[data-key='1']").get_attribute("aria-pressed") == "true"
    press(page, "n")
    page.wait_for_url(re.compile(r"episode=ep1-bad$"))
    press(page, "3")
    page.wait_for_url(f"{site.address}/?said=end*")
    page.locator(".said a").click()
    page.wait_for_url(re.compile(r"/task/shop/task1\?episode=ep1-bad"))
    press(page, "k")
    page.wait_for_url(re.compile(r"/task/shop/task3"))
    press(page, "x")
    page.wait_for_url(re.compile("said=reject"))
    press(page, "q")
    page.wait_for_url(f"{site.address}/")
    said = [(r.kind, r.episode_id, r.value) for r in reviews_of(site.lake, APP).everything]
    assert said == [
        (LABEL, "ep3-bad", "unresolved"),
        (LABEL, "ep1-good", "resolved"),
        (LABEL, "ep1-bad", "unknown"),
        (DECISION, "", "reject"),
    ]
    assert site.said == []


def test_every_key_of_a_page_is_listed_on_it(site: Site, context: BrowserContext) -> None:
    """The line of keys names each key that does something, and none that does nothing."""
    page = site.enter(context)
    for address in (site.task(1), f"{site.task(1)}?episode=ep1-bad", site.task(3)):
        page.goto(address)
        listed = set(page.locator(".keys kbd").all_inner_texts()) - {"q"}
        works = page.evaluate(
            "[...document.querySelectorAll('[data-key]')].map((e) => e.dataset.key)"
        )
        assert set(works) <= listed
        assert listed - set(works) <= {"j", "k", "n", "p"}, address


def test_the_tour_leads_through_the_page_once(site: Site, browser: Browser) -> None:
    """Six steps beside what they are about, in less than two minutes of reading, without script; then it stays away."""
    plain = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = site.enter(plain)
    texts: list[str] = []
    for number in range(1, 7):
        assert f"{number} of 6" in page.locator("#tour .eyebrow").inner_text()
        texts.append(page.locator("#tour").inner_text())
        assert overflow(page) <= 0
        if number < 6:
            page.locator("#tour a.main").click()
            page.wait_for_url(re.compile(f"tour={number + 1}"))
    assert len(" ".join(texts).split()) < 2 * 220
    page.locator("#tour button").click()
    page.wait_for_url(f"{site.address}/")
    assert page.locator("#tour").count() == 0
    page.goto(site.task(1))
    assert page.locator("#tour").count() == 0
    page.locator(".who a").click()
    assert page.locator("#tour").count() == 1
    plain.close()


def test_typing_is_not_a_key(site: Site, context: BrowserContext) -> None:
    """Digits and letters in a field stay there, and Enter in a note labels nothing."""
    page = site.enter(context)
    page.goto(site.task(1))
    note = page.locator(".label-form input[name=note]")
    note.fill("")
    note.press_sequentially("1 2 3 j k")
    note.press("Enter")
    assert note.input_value() == "1 2 3 j k"
    assert page.url == site.task(1)
    assert reviews_of(site.lake, APP).everything == ()


def test_an_edit_shows_what_changes_and_is_saved(site: Site, context: BrowserContext) -> None:
    """A check is added, agreement before and after stand side by side, then it is kept."""
    page = site.enter(context)
    page.goto(site.task(1))
    page.locator("details.add > summary").click()
    page.locator("button[value=calls_at_most]").click()
    page.locator("input[name=new-arg-most]").fill("one")
    with page.expect_navigation():
        page.locator("input[name=new-arg-most]").press("Enter")
    assert "must be a whole number" in page.locator(".notice").inner_text()
    page.locator("input[name=new-arg-most]").fill("0")
    page.locator("input[name=new-required]").check()
    page.locator("button.main[data-key=e]").click()
    assert page.locator("#agreement tbody tr").nth(1).locator("td").all_inner_texts() == [
        "Agreed",
        "2",
        "1",
    ]
    assert "rejected" in page.locator("#gate").inner_text()
    assert overflow(page) <= 0
    press(page, "s")
    page.wait_for_url(re.compile("said=rubric"))
    (review,) = reviews_of(site.lake, APP).everything
    assert (review.kind, review.by) == (RUBRIC, "ada")
    assert "Edited by a person" in page.locator("#rubric").inner_text()


def test_it_works_without_script(site: Site, browser: Browser) -> None:
    """Links and plain forms do everything that keys do."""
    plain = browser.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto(f"{site.address}/?token={site.token}")
    page.wait_for_url(f"{site.address}/")
    page.locator(".queue .row").first.click()
    page.locator("button[value=unresolved]").click()
    assert "label is kept" in page.locator(".said").inner_text()
    page.goto(site.task(1))
    page.locator(".check details > summary").first.click()
    if page.locator(".alike").count():
        page.locator(".alike .check details > summary").first.click()
    page.locator("input[name=weight-1]").fill("2")
    page.locator("button.main[data-key=e]").click()
    page.locator("button[name=draft]").click()
    assert "rubric is kept" in page.locator(".said").inner_text()
    plain.close()


def test_another_browser_stays_outside(site: Site, context: BrowserContext) -> None:
    """The link is used up, and another site cannot post into the page."""
    page = site.enter(context)
    other = context.browser.new_context() if context.browser else context
    stranger = other.new_page()
    answer = stranger.goto(f"{site.address}/?token={site.token}")
    assert answer is not None
    assert answer.status == 403
    other.close()
    foreign = context.new_page()
    foreign.set_content(
        f"<form method=post action='{site.task(1)}/label'><input name=value value=resolved></form>"
    )
    with foreign.expect_navigation() as told:
        foreign.evaluate("document.forms[0].submit()")
    assert told.value.status == 403
    assert reviews_of(site.lake, APP).everything == ()
    assert page.locator("h1").is_visible()


def test_hostile_content_is_shown_and_does_nothing(tmp_path: Path, browser: Browser) -> None:
    """Markup and a megabyte without a space, in messages and tool results: text, nothing runs, nothing sticks out."""
    for site in served(tmp_path / "h", hostile=True, huge=True):
        context = browser.new_context(viewport={"width": 390, "height": 800})
        page = site.enter(context)
        page.goto(f"{site.task(1)}?episode=ep1-bad")
        open_everything(page)
        assert "owned" not in page.title()
        assert page.locator("main img, main a[href^=javascript]").count() == 0
        assert page.locator("script").count() == 1
        assert "<script>" in page.locator(".talk").inner_text()
        assert overflow(page) <= 0
        assert len(page.content()) < 600_000
        assert site.said == []
        context.close()


def test_the_policy_is_in_force(site: Site, context: BrowserContext) -> None:
    """A script without the nonce, an inline handler and a request elsewhere are refused by the browser."""
    page = site.enter(context)
    refused = page.evaluate("""
        async () => {
          const seen = [];
          document.addEventListener('securitypolicyviolation', (e) => seen.push(e.effectiveDirective));
          const script = document.createElement('div');
          script.innerHTML = '<img src="http://127.0.0.1:9/x.png" onerror="window.ran = true">';
          const inline = document.createElement('script'); inline.textContent = 'window.ran = true';
          document.body.append(script, inline);
          await fetch('/').catch(() => seen.push('fetch'));
          await new Promise((done) => setTimeout(done, 300));
          return { seen, ran: Boolean(window.ran), cookie: document.cookie };
        }
    """)
    assert refused["ran"] is False
    assert refused["cookie"] == ""
    assert {"script-src-elem", "img-src", "fetch"} <= set(refused["seen"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(site: Site, browser: Browser, scheme: str) -> None:
    """Queue, task and preview keep a contrast of 4.5 in both schemes and fit a phone, a tablet and a desk."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = site.enter(context)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for address in (f"{site.address}/", site.task(1), site.task(3)):
        page.goto(address)
        open_everything(page)
        assert page.evaluate(CONTRAST) == [], address
        for width in (390, 768, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert overflow(page) <= 0, (address, width)
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_editing_can_be_read_and_fits_a_phone(site: Site, browser: Browser, scheme: str) -> None:
    """The fields of each kind of check and the preview keep their contrast and no text sticks out at 390 pixels."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = site.enter(context)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(site.task(1))
    for kind in ("end_state", "judge", "said", "told"):
        open_everything(page)
        with page.expect_navigation():
            page.locator(f"button[name=new-fn][value={kind}]").click()
        open_everything(page)
        assert page.evaluate(CONTRAST) == [], kind
        assert overflow(page) <= 0, kind
        assert page.locator(f"input[type=hidden][name=new-fn][value={kind}]").count() == 1
    page.locator("[name=new-arg-value]").fill("990099")
    page.locator("input[name=new-says]").fill("The moon is full.")
    with page.expect_navigation():
        page.locator("button.main[data-key=e]").click()
    assert page.locator("#gate").is_visible()
    assert page.evaluate(CONTRAST) == []
    assert overflow(page) <= 0
    with page.expect_navigation():
        page.locator("button[name=draft]").click()
    assert "The agent tells the user 990099." in page.locator("#rubric").inner_text()
    assert "The moon is full." in page.locator(".written").inner_text()
    assert page.evaluate(CONTRAST) == []
    context.close()
