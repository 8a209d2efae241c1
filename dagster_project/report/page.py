"""The report page: `ReportData` in, one self-contained HTML file out.

No script, no external resource, nothing inline but one stylesheet whose hash the content-security policy names. Everything from data is
escaped by the template engine, cleaned of characters that reorder or hide text, and cut where it is longer than a person reads.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup

from dagster_project import page_texts as texts
from dagster_project.build.left_out_rows import SEND
from dagster_project.report import pictures
from dagster_project.report.data.arrivals import (
    Missing,
    OutcomeCount,
    RedactionCount,
    RedactionState,
)
from dagster_project.report.data.counts import Count, ranked
from dagster_project.report.data.page import ReportData
from dagster_project.report.tasks import turns_of
from dagster_project.storage.whole_files import write_whole
from environments.describe_check import describe
from environments.rollout.causes import nulls_in_words
from environments.runtime.values.grouping import by_key
from environments.verification.sentences import probe_says
from synth.clusters.trend import DayCount

TASKS_SHOWN: Final = 25
"""Tasks of one app and status that are written out; the rest are counted."""
CLUSTERS_SHOWN: Final = 8
"""Clusters of one app with a card of their own; further ones stand in a table."""
APPS_OPEN: Final = 3
"""Of more apps each one's part of a section folds away behind a line."""
ROWS_OPEN: Final = 8
"""Rows of a long table that stand in the open."""
ROWS_SHOWN: Final = 100
"""Rows of any other table."""
TASKS_OPEN: Final = 8
"""Tasks that stand in the open list; the other ones that are written out fold away behind one line."""

SECTIONS: Final = (
    *("funnel", "skipped", "outcomes", "failures", "worlds", "tasks", "privacy", "quarantine"),
)

_TEMPLATES: Final = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRow:
    """What was replaced of one kind in one app, day by day."""

    app: str
    kind: str
    count: int
    """Over all days."""
    characters: int
    places: tuple[Count, ...]
    """Where they stood, the commonest place first."""
    trend: tuple[DayCount, ...]


Unit = Callable[[str, str], AbstractContextManager[object]]
"""What one section is made inside of: a caller that takes in what one raises gets all others."""


def _no_unit(_kind: str, _unit: str) -> AbstractContextManager[object]:
    return nullcontext()


def write_report(data: ReportData, dest: Path, *, unit: Unit = _no_unit) -> None:
    """Write the page to `dest`, replacing an earlier one in one step."""
    dest.parent.mkdir(parents=True, exist_ok=True)
    write_whole(dest, render(data, unit=unit), errors="replace")


def render(data: ReportData, *, unit: Unit = _no_unit) -> str:
    """The page as text; the same data give the same page."""
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    environment = _environment()
    sections = {name: _section(environment, name, data, unit) for name in SECTIONS}
    return environment.get_template("index.html").render(
        data=data,
        sections=sections,
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=_hash_of(style),
    )


def _section(environment: jinja2.Environment, name: str, data: ReportData, unit: Unit) -> Markup:
    """One section, or one sentence where it cannot be made."""
    if name == "skipped" and not data.skipped:
        return Markup("")
    made = ""
    with unit("section", name):
        if name not in data.broken:
            made = environment.get_template(f"{name}.html").render(_context(name, data))
    if not made:
        made = environment.get_template("broken.html").render(name=name)
    return Markup(made)  # noqa: S704 - escaped by the template


def _context(name: str, data: ReportData) -> dict[str, object]:
    """What the template of a section is given."""
    days = [point.day for row in data.clusters for point in row.cluster.trend]
    return {
        "data": data,
        "send": SEND,
        "tasks": by_key(((task.app, task.status), task) for task in data.tasks),
        "clusters": by_key((row.cluster.app, row) for row in data.clusters),
        "kinds": redacted_by_kind(data.redacted) if name == "privacy" else (),
        "silent": [row for row in data.missing if row.labelled < row.episodes],
        "heard": [row for row in data.missing if row.labelled >= row.episodes],
        "clusters_shown": CLUSTERS_SHOWN,
        "apps_open": APPS_OPEN,
        "rows_open": ROWS_OPEN,
        "rows_shown": ROWS_SHOWN,
        "tasks_shown": TASKS_SHOWN,
        "tasks_open": TASKS_OPEN,
        "first_day": min(days, default=""),
        "last_day": max(days, default=""),
    }


def redacted_by_kind(counts: Sequence[RedactionCount]) -> tuple[KindRow, ...]:
    """Redaction counts by app and kind, each with its days in order."""
    groups = by_key(
        ((count.app, count.kind), count)
        for count in sorted(counts, key=lambda c: (c.app, c.kind, c.day))
    )
    return tuple(
        KindRow(
            app=app,
            kind=kind,
            count=sum(one.count for one in group),
            characters=sum(one.characters for one in group),
            places=_places(group),
            trend=_by_day(group),
        )
        for (app, kind), group in groups.items()
    )


def _places(group: Sequence[RedactionCount]) -> tuple[Count, ...]:
    together: Counter[str] = Counter()
    for one in group:
        together[one.place] += one.count
    del together[""]
    return ranked(together)


def _by_day(group: Sequence[RedactionCount]) -> tuple[DayCount, ...]:
    """The group is in the order of its days."""
    days: Counter[str] = Counter()
    for one in group:
        days[one.day] += one.count
    return tuple(DayCount(day=day, count=n) for day, n in days.items())


def _hash_of(style: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


def _environment() -> jinja2.Environment:
    environment = texts.templates(_TEMPLATES)
    environment.filters.update(
        gate_sentence=_gate_sentence,
        waived=lambda reason: _WAIVED.get(reason, reason),
        stood=lambda place: _PLACES.get(place, place),
        in_order=_in_order,
        measured=lambda tools: [tool for tool in tools if tool.fidelity and tool.fidelity.calls],
        unmeasured=lambda tools: [t for t in tools if not (t.fidelity and t.fidelity.calls)],
        graded_kinds=lambda rows: [row for row in rows if row.graded or row.graded_tasks],
        ungraded_kinds=lambda rows: [r for r in rows if not (r.graded or r.graded_tasks)],
        outcome_parts=_outcome_parts,
        missing_parts=_missing_parts,
        attack=probe_says,
        nulls=nulls_in_words,
        describe=describe,
        turns=turns_of,
    )
    environment.globals.update(
        funnel_widths=pictures.funnel_widths,
        funnel_segment=pictures.funnel_segment,
        sparkline=pictures.sparkline,
        fidelity_bar=pictures.fidelity_bar,
        share_bar=pictures.share_bar,
        mosaic=pictures.mosaic,
        each_square=pictures.each_square,
    )
    return environment


def _gate_sentence(state: RedactionState) -> str:
    if state.mode == "off":
        return "Redaction is off: this data was declared free of personal data."
    if state.leaks is None:
        return "The independent leak check has not run."
    if state.leaks:
        return "The independent leak check found values that should be gone; exports are blocked."
    met = sum(one.count for one in state.waivers)
    if met:
        return (
            f"The independent leak check found nothing that counts; {texts.number(met)} hits do not count, for the "
            "reasons below."
        )
    return "The independent leak check found nothing."


_WAIVED: Final = {
    "surrogate": "the vault gave out this very text as somebody's surrogate",
    "ordinary": "an ordinary word, apart from every other word of the person",
    "public": "a word of the app's own vocabulary, apart from every other word of the person",
    "apart": "a single word in a task, whose world holds other people's records too",
}


_PLACES: Final = {
    "steps[].content": "messages and results",
    "steps[].tool_calls[].arguments": "arguments",
    "tools": "tool definitions",
}


def _in_order(counts: Sequence[Count]) -> list[Count]:
    """What became of episodes, in the order in which every bar of the page shows it."""
    order = ("accepted", "needs_review", "rejected")
    return sorted(counts, key=lambda c: order.index(c.name) if c.name in order else len(order))


def _outcome_parts(row: OutcomeCount) -> tuple[Count, ...]:
    return (
        Count(name="good", count=row.good),
        Count(name="bad", count=row.bad),
        Count(name="unknown", count=row.unknown),
    )


def _missing_parts(row: Missing) -> tuple[Count, ...]:
    return (
        Count(name="labelled", count=row.labelled),
        Count(name="unlabelled", count=row.episodes - row.labelled),
    )
