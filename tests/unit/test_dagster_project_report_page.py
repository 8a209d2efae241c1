"""The report page: complete, escaped, bounded, the same for the same data, and allowed to do nothing."""

import base64
import hashlib
import re
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_project.page_texts import breakable, clip, counted_label, number, share
from dagster_project.report.data.arrivals import (
    LanguageCount,
    Missing,
    QuarantineRow,
    RedactionCount,
    RedactionState,
)
from dagster_project.report.data.counts import Count, Fidelity
from dagster_project.report.data.page import ReportData
from dagster_project.report.data.tasks import TaskCount
from dagster_project.report.page import TASKS_SHOWN, render, write_report
from environments.verification.sentences import reason_says
from tests.unit.report_sample import SHOP, sample_report

EMPTY = ReportData(made_at="2026-11-20T18:04:11Z", version="0.1.0")

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "</style><style>body{display:none}",
    "\u202egnp.exe\u2066",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\x00\x08\x1b[31m",
    "\ud800",
    "javascript:alert(1)",
)

TAGS = frozenset({
    "html", "head", "meta", "title", "link", "style", "body", "a", "header", "main", "nav", "footer", "section",
    "article", "div", "span", "p", "h1", "h2", "h3", "h4", "b", "small", "br", "bdi", "code", "time", "blockquote",
    "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
    "svg", "rect", "polygon", "wbr",
})  # fmt: skip


class Page(HTMLParser):
    """Collects what a browser would see of a page's structure."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag and its attributes."""
        self.tags.add(tag)
        self.attributes.update((name, value or "") for name, value in attrs)
        if tag not in {"meta", "link", "br", "wbr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Every tag closes the one that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note the text."""
        self.text.append(data)


def hostile(record: object, texts: list[str]) -> object:
    """The same record with every text replaced by hostile ones, in turn; codes that the page groups by stay."""
    if isinstance(record, str):
        texts.append(texts.pop(0))
        return texts[-1]
    if isinstance(record, tuple):
        make = getattr(record, "_make", tuple)
        return make(hostile(item, texts) for item in record)
    if isinstance(record, dict):
        return {key: hostile(item, texts) for key, item in record.items()}
    if is_dataclass(record) and not isinstance(record, type):
        kept = {"status", "standing", "app", "day", "made_at"}
        changed = {
            f.name: hostile(getattr(record, f.name), texts)
            for f in fields(record)
            if f.name not in kept
        }
        return replace(record, **changed)
    return record


def visible(html: str) -> str:
    """The page's text in one line."""
    return " ".join("".join(Page(html).text).split())


def test_every_part_of_the_sample_is_on_the_page() -> None:
    """Headings, numbers, names, rubrics, probes and reasons of the data can be read."""
    text = visible(render(sample_report()))
    for part in (
        "From conversations to tasks", "61,930", "nobody said how it went", "say how 1851 conversations ended",
        "Start return fails: item was already refunded", "81 users", "search_parts", "88.3 %",
        "One recorded search with both arguments on the same day.", "Every fifth episode was held out",
        "The return of item 2 is started once", "call every tool: held", "recorded solution: broken",
        "kappa 0.91", "Doing nothing would be paid.", "41,208 values replaced", "The line is not JSON",
        "openai/small-chat", "0.37", "nps_bucket = {",
    ):  # fmt: skip
        assert part in text


def test_the_page_uses_only_quiet_tags_and_attributes() -> None:
    """No script, no handler, no inline style, no address outside the file."""
    page = Page(render(sample_report()))
    assert page.tags <= TAGS
    assert not page.open
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"style", "src", "srcset", "action", "xlink:href"}
        assert name != "href" or value.startswith("#") or value == "data:,"


def test_the_policy_allows_exactly_the_one_stylesheet() -> None:
    """The hash in the policy is the hash of the style that stands in the page; nothing else is allowed."""
    html = render(sample_report())
    style = re.search(r"<style>(.*)</style>", html, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style.group(1).encode()).digest()).decode()
    policy = "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'"
    assert policy.format(digest) in html


def test_hostile_texts_stay_texts() -> None:
    """Markup, template syntax, direction overrides and control characters in any field change nothing but text."""
    data = hostile(sample_report(), list(HOSTILE))
    assert isinstance(data, ReportData)
    html = render(data)
    page = Page(html)
    assert page.tags <= TAGS
    assert not any(name.startswith("on") or name == "src" for name, _ in page.attributes)
    assert "<script" not in html
    assert "{{ 7 * 7 }}" in visible(render(replace(EMPTY, notices=("{{ 7 * 7 }}",))))
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b\ud800]", html)
    assert "\u05e9\u05dc\u05d5\u05dd" in html


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_any_text_can_be_written_anywhere(text: str) -> None:
    """Whatever a name or a reason holds, the page has the same tags and can be stored as UTF-8."""
    data = replace(
        EMPTY,
        notices=(text,),
        quarantine=(QuarantineRow(app=text, code=text, count=1, reason=text, source=text),),
        task_counts=(TaskCount(app=text, accepted=0, needs_review=0, rejected=1,
                               reasons=(Count(name=text, count=1),)),),
    )  # fmt: skip
    html = render(data)
    html.encode("utf-8")
    assert Page(html).tags <= TAGS


def test_a_megabyte_name_is_cut_and_said_to_be() -> None:
    """A text of a million characters takes its limit, and the reader sees how long it was."""
    data = hostile(sample_report(), ["x" * 1_000_000])
    assert isinstance(data, ReportData)
    html = render(data)
    assert len(html) < 2_000_000
    assert "(1,000,000 characters)" in html


def test_an_empty_home_gets_a_page_that_says_what_to_do() -> None:
    """Without any data every section says what would fill it, and no number is invented."""
    text = visible(render(EMPTY))
    assert "Nothing has arrived yet." in text
    assert "No world yet" in text
    assert "No tasks yet" in text
    assert "Nothing has passed the gate yet." in text


def test_no_failures_is_not_the_same_as_not_looked() -> None:
    """Zero failures and a detection that has not run read differently."""
    assert "No failures were found." in visible(render(replace(EMPTY, failures=0)))
    assert "No failures were found." not in visible(render(EMPTY))


def test_many_tasks_are_counted_and_not_written_out() -> None:
    """Past the limit, tasks are counted from the data's own total."""
    data = sample_report()
    html = render(data)
    assert html.count('<details class="task">') == TASKS_SHOWN + 1
    assert f"{231 - TASKS_SHOWN} more accepted, not written out here." in visible(html)


def test_ten_thousand_rows_stay_a_page() -> None:
    """A home with thousands of clusters, tools and tasks gives a page of bounded size."""
    data = sample_report()
    world = replace(data.worlds[0], tools=data.worlds[0].tools * 2000)
    big = replace(data, clusters=data.clusters * 2500, tasks=data.tasks * 300, worlds=(world,),
                  quarantine=data.quarantine * 5000, outcomes=data.outcomes * 3000)  # fmt: skip
    html = render(big)
    assert len(html) < 3_000_000
    assert "further tools are not shown" in visible(html)


def test_counts_and_reasons_read_well_in_small_homes() -> None:
    """One and many, all accepted, none accepted."""
    assert [counted_label("needs_review", n) for n in (1, 5)] == ["needs review", "need review"]
    data = sample_report()
    counts = replace(data.task_counts[0], accepted=4, needs_review=0, rejected=0, reasons=())
    why = (Count(name="no_task", count=3, says="it belongs to no task"),)
    failed = replace(data.clusters[0], tasks=(Count(name="no task", count=3),), why=why)
    text = visible(render(replace(data, task_counts=(counts,), clusters=(failed,))))
    assert "Every task is accepted." in text
    assert "Why none gave an accepted task:" in text
    assert "Why the others gave" not in text


def test_unmeasured_is_said_and_never_a_zero() -> None:
    """A tool without held-out calls, one that was not measured, and one that was read differently."""
    data = sample_report()
    text = visible(render(data))
    assert "no held-out calls" in text
    assert "not measured" in text
    no_reads = replace(data, worlds=(replace(data.worlds[0], reads=Fidelity()),))
    assert "No such calls in the held-out episodes: reads." in visible(render(no_reads))


def test_many_apps_fold_away_and_what_was_not_measured_is_one_line() -> None:
    """With more than three apps each has a line to open; tables and their explanations stand once."""
    data = sample_report()
    bare = replace(data.worlds[0], reads=Fidelity(), writes=Fidelity(), tape=Fidelity(),
                   tools=tuple(replace(tool, fidelity=None) for tool in data.worlds[0].tools))  # fmt: skip
    worlds = tuple(replace(bare, app=f"app-{n}") for n in range(8))
    counts = tuple(replace(data.task_counts[0], app=f"app-{n}") for n in range(8))
    html = render(replace(data, worlds=worlds, task_counts=counts, tasks=()))
    text = visible(html)
    assert html.count('<details class="app">') >= 16
    assert text.count("not measured: no held-out calls") == 8
    assert text.count("Graders that ask the same kind of thing err alike") == 1
    assert "Not measured." not in text


def test_a_key_breaks_between_its_words() -> None:
    """Never inside of one: `primary_station_id` may go on after each line below it."""
    assert (
        breakable("setPrimaryStation.primary_id")
        == "set<wbr>Primary<wbr>Station.<wbr>primary_<wbr>id"
    )
    assert breakable("<b>_x") == "&lt;b&gt;_<wbr>x"


def test_redaction_off_and_leaks_are_said() -> None:
    """The gate's state is a sentence, also when it is bad."""
    data = sample_report()
    off = replace(data.redaction[0], mode="off")
    leaking = replace(data.redaction[0], leaks=2)
    assert "Redaction is off" in visible(render(replace(data, redaction=(off,))))
    assert "exports are blocked" in visible(render(replace(data, redaction=(leaking,))))


def test_the_same_data_give_the_same_bytes(tmp_path: Path) -> None:
    """Two writes agree byte for byte, replace each other, and leave nothing else behind."""
    dest = tmp_path / "reports" / "index.html"
    write_report(sample_report(), dest)
    first = dest.read_bytes()
    write_report(sample_report(), dest)
    assert dest.read_bytes() == first
    assert [path.name for path in dest.parent.iterdir()] == ["index.html"]


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 0, "none"),
        (0, 10, "0.0 %"),
        (10, 10, "100.0 %"),
        (1, 100_000, "0.1 %"),
        (99_999, 100_000, "99.9 %"),
        (1, 3, "33.3 %"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_nothing(part: int, whole: int, shown: str) -> None:
    """One wrong answer of many is never shown as none."""
    assert share(part, whole) == shown


def test_numbers_and_texts_read_well() -> None:
    """Thousands are marked, needless zeros are gone, None is unknown, and short texts stay as they are."""
    assert number(1234567) == "1,234,567"
    assert number(3.0) == "3"
    assert number(0.37) == "0.37"
    assert number(None) == "unknown"
    assert clip("short") == "short"
    assert clip("abcdef", 3) == "abc… (6 characters)"


def tasks_by_app(html: str) -> list[str]:
    """What the section on tasks says of the first app, and of the second."""
    section = html.partition('<section id="tasks"')[2].partition("</section>")[0]
    return section.split('<h3 class="app-name"><bdi>travel-desk</bdi></h3>')


def test_agreement_is_shown_with_the_app_it_belongs_to() -> None:
    """Grader figures of one app do not stand under another."""
    data = sample_report()
    html = render(data)
    shop, travel = tasks_by_app(html)
    assert SHOP in shop
    assert "Agreement with outcomes not seen" in shop
    assert "Agreement with outcomes not seen" not in travel


def test_trust_stands_by_kind_with_both_ways_of_leaving_out() -> None:
    """Counts with their intervals; what was never measured says so, and what is held back says why."""
    html = render(sample_report())
    shop, travel = tasks_by_app(html)
    assert "Trust by kind of check" in shop
    assert "Trust by kind of check" not in travel
    assert "7 <small>0.7 to 3.7 %</small>" in shop
    assert "6 <small>1.3 to 7.5 %</small>" in shop
    assert "330 more graded attempts without an error would prove it" in shop
    assert "not trusted: its tasks are held back" in shop
    assert "too few attempts show that this kind does better" in shop
    assert "Not measured, for nothing is graded yet" in shop


def test_groups_that_always_answer_are_folded_away() -> None:
    """Who is missing stands in the open; where nobody is, the page says so instead of listing full bars."""
    silent = Missing(app="shop", group="agent mute", episodes=9, labelled=2)
    heard = Missing(app="shop", group="agent loud", episodes=5, labelled=5)

    both = render(replace(sample_report(), missing=(silent, heard)))
    full = render(replace(sample_report(), missing=(heard,)))

    assert (
        both.index("agent mute") < both.index("1 group that always says") < both.index("agent loud")
    )
    assert "Nobody: every group says how it went." in full
    assert "Nobody: every group" not in both


def test_a_cluster_says_in_sentences_why_its_episodes_gave_no_task() -> None:
    """Counts with a sentence each, the most frequent first, and no code."""
    reasons = (Count(name="no_resolved_attempt", count=4, says=reason_says("no_resolved_attempt")),)
    cluster = replace(sample_report().clusters[0], why=reasons)

    page = render(replace(sample_report(), clusters=(cluster,)))

    assert f"4: <bdi>{reason_says('no_resolved_attempt')}</bdi>" in page
    assert "no_resolved_attempt" not in page


def test_a_cluster_says_whose_it_is_which_agents_made_it_and_how_to_make_its_tasks() -> None:
    """Below k users no agent is named."""
    agents = (Count(name="Researcher", count=5), Count(name="Planner", count=1))
    cluster = replace(sample_report().clusters[0], whose="agent", agents=agents)
    few = replace(cluster, cluster=replace(cluster.cluster, named=False))

    page = render(replace(sample_report(), clusters=(cluster,)))

    assert "Researcher" in page
    assert f"--select cluster=<bdi>{cluster.cluster.cluster_id[:12]}</bdi>" in page
    assert "Researcher" not in render(replace(sample_report(), clusters=(few,)))


def test_what_was_removed_stands_with_its_place_and_length() -> None:
    """Who signs for redaction sees kind, place, count and length of what was replaced, over all days."""
    removed = tuple(
        RedactionCount(app=SHOP, day=day, kind="email", count=n, place=place, characters=20 * n)
        for day, place, n in (
            ("2026-11-01", "steps[].content", 5),
            ("2026-11-01", "steps[].tool_calls[].arguments", 1),
            ("2026-11-02", "steps[].content", 2),
        )
    )
    state = RedactionState(app=SHOP, mode="on", episodes=3, replaced=8)
    text = " ".join(
        " ".join(Page(render(replace(EMPTY, redaction=(state,), redacted=removed))).text).split()
    )
    assert "messages and results 7, arguments 1" in text
    assert "8 160" in text


def test_what_was_removed_is_counted_by_language_of_the_conversation() -> None:
    """Who signs for redaction sees in which language values went and were withheld."""
    languages = (
        LanguageCount(language="German", conversations=31, replaced=204, withheld=7),
        LanguageCount(language="Chinese", conversations=2, replaced=19, withheld=0),
    )
    state = RedactionState(app=SHOP, mode="on", episodes=33, replaced=223, languages=languages)
    text = " ".join(" ".join(Page(render(replace(EMPTY, redaction=(state,)))).text).split())

    assert "Language Conversations Replaced Withheld German 31 204 7 Chinese 2 19 0" in text
