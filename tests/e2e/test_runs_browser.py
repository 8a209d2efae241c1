"""The page of rollouts in a real browser: by keyboard, without script, with hostile content, on a phone.

Skips without a browser; with REQUIRE_BROWSER=1 a missing browser is a failure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from dagster_project.review.page.guard import Keys
from dagster_project.runs.shelf import LakeShelf
from dagster_project.runs.web import RunsPage
from ingest.receiver.server import Server, ServerSettings
from tests.chromium import chromium, press
from tests.e2e.test_report_browser import CONTRAST
from tests.e2e.test_review_browser import Site, open_everything, overflow
from tests.runs_home import APP, Shop, runs_home


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium, or a skip that says why."""
    with chromium() as opened:
        yield opened


@dataclass
class RunsSite(Site):
    """A page of rollouts that runs, and the browser's way in."""

    shop: Shop

    def run(self, policy: str) -> str:
        """The address of a policy's rollout."""
        return f"{self.address}/run/{self.shop.rollouts[policy].rollout_id}"


def served(folder: Path, *, hostile: bool = False) -> Iterator[RunsSite]:
    """A page over a small home."""
    shop = runs_home(folder, hostile=hostile)
    keys = Keys(command="runs")
    shelf = LakeShelf(shop.home.clean, [APP])
    server = Server(RunsPage(shelf, keys).app, ServerSettings(port=0))
    address = f"http://127.0.0.1:{server.start()}"
    yield RunsSite(home=shop.home, address=address, token=keys.token, said=[], shop=shop)
    server.stop()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[RunsSite]:
    """A page over a small home."""
    yield from served(tmp_path)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh browser profile."""
    made = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    yield made
    made.close()


def test_rollouts_by_keyboard(site: RunsSite, context: BrowserContext) -> None:
    """Filter, open the first, go on to the next, back to the filtered list: no mouse, no message in the console."""
    page = site.enter(context)
    page.goto(f"{site.address}/?got=null")
    press(page, "j")
    press(page, "k")
    press(page, "Enter")
    page.wait_for_url(re.compile(r"/run/.*got=null"))
    first = page.url
    press(page, "j")
    page.wait_for_url(lambda url: url != first)
    press(page, "k")
    page.wait_for_url(first)
    press(page, "q")
    page.wait_for_url(f"{site.address}/?got=null")
    assert site.said == []


def test_it_works_without_script(site: RunsSite, browser: Browser) -> None:
    """The form filters, links open runs, and marks lead to the places where nobody knew."""
    plain = browser.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto(f"{site.address}/?token={site.token}")
    page.wait_for_url(f"{site.address}/")
    page.locator("select[name=policy]").select_option("stranger")
    page.locator("form.filters button").click()
    page.locator(".queue .row").first.click()
    assert "null: unknown tool answer" in page.locator("#verdict").inner_text()
    mark = page.locator(".marks a").first
    assert "did not understand" in mark.inner_text()
    mark.click()
    place = page.url.partition("#")[2]
    assert "nothing in the recording answers this" in page.locator(f"#{place}").inner_text()
    plain.close()


def test_hostile_content_is_shown_and_does_nothing(tmp_path: Path, browser: Browser) -> None:
    """Markup in messages, arguments and results is text on a phone, too."""
    for site in served(tmp_path, hostile=True):
        context = browser.new_context(viewport={"width": 390, "height": 800})
        page = site.enter(context)
        page.goto(site.run("stranger"))
        open_everything(page)
        assert "owned" not in page.title()
        assert page.locator("main img, main a[href^=javascript]").count() == 0
        assert page.locator("script").count() == 1
        assert "<script>" in page.locator(".talk").inner_text()
        assert overflow(page) <= 0
        assert site.said == []
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(site: RunsSite, browser: Browser, scheme: str) -> None:
    """List and runs keep a contrast of 4.5 in both schemes and fit a phone, a tablet and a desk."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = site.enter(context)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for address in (f"{site.address}/", *map(site.run, ("solver", "idler", "stranger", "broken"))):
        page.goto(address)
        open_everything(page)
        assert page.evaluate(CONTRAST) == [], address
        for width in (390, 768, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert overflow(page) <= 0, (address, width)
    context.close()


def test_on_a_phone_the_verdict_comes_before_the_transcript(
    site: RunsSite, browser: Browser
) -> None:
    """Who opens a run on a small screen reads first why it earned nothing."""
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = site.enter(context)
    page.goto(site.run("stranger"))
    tops = [page.locator(s).first.bounding_box() for s in ("#verdict", "#checks", ".talk")]
    assert [box["y"] for box in tops if box] == sorted(box["y"] for box in tops if box)
    context.close()
