"""The report in a real browser: headless Chromium of this system opens the file and sees a page that does nothing.

Skips without a browser; with REQUIRE_BROWSER=1 a missing browser is a failure.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from dagster_project.report.data.page import ReportData
from dagster_project.report.page import write_report
from tests.chromium import chromium, press
from tests.unit.report_sample import sample_report

CONTRAST = """
() => {
  const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const behind = (node) => { for (let n = node; n; n = n.parentElement) { const c = parse(getComputedStyle(n).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
  const worst = [];
  for (const node of document.querySelectorAll('h1, h2, h3, h4, p, td, th, li, a, dt, dd, span, b, small, code, summary, blockquote')) {
    if (!node.innerText || !node.getClientRects().length) continue;
    if (![...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const a = light(parse(getComputedStyle(node).color).slice(0, 3)), b = light(behind(node));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) worst.push([node.tagName, node.className, ratio.toFixed(2)]);
  }
  return worst;
}
"""
"""Every text whose contrast with what lies behind it is below 4.5 (WCAG AA)."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium, or a skip that says why."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sample's page as a file."""
    return _written(tmp_path_factory.mktemp("report") / "index.html", sample_report())


def _written(dest: Path, data: ReportData) -> str:
    write_report(data, dest)
    return dest.as_uri()


def _opened(browser: Browser, address: str, *, width: int, scheme: str = "light") -> Page:
    context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(address)
    return page


def _overflow(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return wide


def _open_everything(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")


def test_the_page_opens_in_silence(browser: Browser, report: str) -> None:
    """No console message, no error, no policy violation, no request but the file itself."""
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report)
    page.wait_for_load_state("networkidle")
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [report]
    context.close()


def test_the_policy_is_in_force(browser: Browser, report: str) -> None:
    """What somebody smuggles in does not run: an added script, an inline style and a remote picture are refused."""
    page = _opened(browser, report, width=1200)
    refused = page.evaluate("""
        async () => {
          const seen = [];
          document.addEventListener('securitypolicyviolation', (e) => seen.push(e.effectiveDirective));
          const script = document.createElement('script'); script.textContent = 'window.ran = true';
          const picture = document.createElement('img'); picture.src = 'http://127.0.0.1:9/x.png';
          const box = document.createElement('div'); box.innerHTML = '<p style="color: red">x</p>';
          document.body.append(script, picture, box);
          await new Promise((done) => setTimeout(done, 300));
          return { seen, ran: Boolean(window.ran) };
        }
    """)
    assert refused["ran"] is False
    assert {"script-src-elem", "img-src", "style-src-attr"} <= set(refused["seen"])


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_nothing_sticks_out(browser: Browser, report: str, width: int) -> None:
    """At the width of a phone, a tablet and a desk no text or picture is wider than the window, all folds open."""
    page = _opened(browser, report, width=width)
    assert _overflow(page) <= 0
    _open_everything(page)
    assert _overflow(page) <= 0


def test_everything_is_there(browser: Browser, report: str) -> None:
    """The headings in order, the pictures with a size, the tables with heads, and folds that a keyboard opens."""
    page = _opened(browser, report, width=1440)
    assert page.locator("h1").count() == 1
    assert page.locator("section > h2").all_inner_texts() == [
        "From conversations to tasks",
        "What users said",
        "How it goes wrong",
        "The rebuilt worlds",
        "Tasks",
        "What was removed, and what stays",
        "Quarantine",
    ]
    assert page.locator(".funnel > li").count() == 8
    box = page.locator(".funnel svg").first.bounding_box()
    assert box is not None
    assert box["width"] > 200
    assert all(table.locator("th[scope=col]").count() for table in page.locator("table").all())
    task = page.locator("details.task").first
    task.locator("> summary").focus()
    press(page, "Enter")
    assert task.locator(".rubric li").first.is_visible()


def test_styles_apply(browser: Browser, report: str) -> None:
    """The stylesheet passes its own policy: the head of the page is dark, the pictures have colours."""
    page = _opened(browser, report, width=1440)
    hero = page.eval_on_selector(".hero", "node => getComputedStyle(node).backgroundColor")
    part = page.eval_on_selector(".part-exact", "node => getComputedStyle(node).fill")
    assert hero == "rgb(18, 51, 45)"
    assert part == "rgb(23, 128, 108)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(browser: Browser, report: str, scheme: str) -> None:
    """In the light and in the dark, every text has a contrast of at least 4.5 to what is behind it."""
    page = _opened(browser, report, width=1440, scheme=scheme)
    _open_everything(page)
    assert page.evaluate(CONTRAST) == []


def test_the_two_schemes_differ(browser: Browser, report: str) -> None:
    """The dark page is dark and the light one light."""
    shades = [
        page.evaluate("getComputedStyle(document.body).backgroundColor")
        for page in (
            _opened(browser, report, width=900, scheme=scheme) for scheme in ("light", "dark")
        )
    ]
    assert shades == ["rgb(246, 244, 238)", "rgb(18, 21, 19)"]


def test_hostile_names_change_nothing(browser: Browser, tmp_path: Path) -> None:
    """Markup in names is shown as text, runs nothing, and a name without a space does not widen a phone's page."""
    sample = sample_report()
    nasty = "<img src=x onerror=\"document.title='owned'\">\u202e" + "W" * 5000
    data = replace(
        sample,
        title=nasty,
        clusters=tuple(
            replace(row, cluster=replace(row.cluster, name=nasty, app=nasty))
            for row in sample.clusters
        ),
        tasks=tuple(replace(row, title=nasty, opening=nasty) for row in sample.tasks),
        worlds=tuple(
            replace(w, tools=tuple(replace(t, name=nasty, kind=nasty) for t in w.tools))
            for w in sample.worlds
        ),
        quarantine=tuple(
            replace(row, code=nasty, source=nasty, app=nasty) for row in sample.quarantine
        ),
        outcomes=tuple(replace(row, name=nasty, by=nasty) for row in sample.outcomes),
    )
    page = _opened(browser, _written(tmp_path / "nasty.html", data), width=390)
    _open_everything(page)
    assert page.locator("img").count() == 0
    assert page.title().startswith("<img src=x")
    assert _overflow(page) <= 0


def test_an_empty_report_is_a_page_too(browser: Browser, tmp_path: Path) -> None:
    """A home without data gives a readable page at every width."""
    empty = ReportData(made_at="2026-11-20T18:04:11Z", version="0.1.0")
    page = _opened(browser, _written(tmp_path / "empty.html", empty), width=390)
    assert _overflow(page) <= 0
    assert "Nothing has arrived yet" in page.inner_text("main")


def test_print_shows_what_is_folded(browser: Browser, report: str) -> None:
    """On paper the rubric of a folded task is visible, and the bar of links is gone."""
    page = _opened(browser, report, width=1000)
    page.emulate_media(media="print")
    assert page.locator(".rubric li").first.is_visible()
    assert not page.locator(".toc").is_visible()
