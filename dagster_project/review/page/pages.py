"""The HTML of the review page and of the page of rollouts: records in, text out. The look is the report's.

Everything from data is escaped by the template engine, cleaned of characters that hide or reorder text, and cut.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import jinja2

from dagster_project import page_texts as texts
from dagster_project.review.guide.tour import TourPlace
from environments.describe_check import describe
from environments.diff import title_of
from environments.rollout.causes import CAUSES, nulls_in_words
from environments.runtime.task.rubric import AGREEMENT, BOTH, REWARD, SHARE, Rubric
from environments.verification.sentences import probe_says, reason_says

_HERE: Final = Path(__file__).parent / "templates"
_REPORT: Final = Path(__file__).parents[2] / "report" / "templates"
_RUNS: Final = Path(__file__).parents[2] / "runs" / "templates"
ROLES: Final = {
    BOTH: "pays and predicts",
    REWARD: "pays",
    AGREEMENT: "predicts",
    SHARE: "counts in the share",
}
"""What a check of each role does."""
ORIGINS: Final = {
    "anchor": "First conversation",
    "shown": "Like the good attempt",
    "episodes": "Conversations",
    "joined_by": "Attempts put together by",
    "subject": "About user",
    "tools_from_calls": "Tools known from calls",
    "redaction": "Redaction",
    "solution": "Right end from",
    "ends": "Ends seen",
}
"""How the page calls what a task's provenance and a rubric's evidence name; others are shown by their names."""
JOINED: Final = {
    "alone": "nothing: it is the only one",
    "task_key": "the key that the app gave them",
    "goal": "the same goal",
    "request": "the same request",
    "later": "a later attempt that went well",
}
"""What put attempts together, in words."""
STATIC: Final = {
    "review.css": "text/css; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "runs.css": "text/css; charset=utf-8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What every page carries."""

    author: str
    """Who reviews; empty on a page where nobody says anything."""
    form: str
    """The secret that forms of this page carry."""
    nonce: str
    said: str = ""
    """What was just done, as a sentence."""
    back: str = ""
    """Where it was done, to look at it once more; empty where that is here."""
    tour: TourPlace | None = None
    """The step of the tour that this page shows."""
    tour_before: str = ""
    tour_after: str = ""


def static_text(name: str) -> str:
    """A file of the page; the style is the report's and ours."""
    parts = {"review.css": (_REPORT / "style.css", _HERE / name), "runs.css": (_RUNS / name,)}
    return "".join(p.read_text(encoding="utf-8") for p in parts.get(name, (_HERE / name,)))


def page(name: str, frame: Frame, **values: object) -> str:
    """One page as text."""
    return _environment().get_template(name).render(frame=frame, **values)


@cache
def _environment() -> jinja2.Environment:
    environment = texts.templates(_HERE, _REPORT, _RUNS)
    environment.filters.update(
        why=reason_says,
        attack=probe_says,
        spelt=_reason_text,
        day=_day,
        title_of=lambda task: texts.clip(title_of(task) or "(no words of a user)", 90),
        plainly=plain_text,
        mark=_mark,
        verdict=_verdict,
        nulls=nulls_in_words,
        reward=lambda value: "not graded" if value is None else texts.number(value),
    )
    environment.globals.update(causes=CAUSES, roles=ROLES, origins=ORIGINS, joined=JOINED)
    return environment


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1e9, UTC).strftime("%Y-%m-%d %H:%M")


def plain_text(value: object) -> str:
    """A value of provenance as a person reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, list) and value and all(_is_end(item) for item in value):
        return "; ".join(f"end {number}: {_end(end)}" for number, end in enumerate(value, 1))
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_end(value: object) -> bool:
    """What derivation notes about one end that a task's attempts reached (a reviewer's rubric may hold anything)."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("posterior"), int | float)
        and all(isinstance(value.get(name), list) for name in ("resolved", "unresolved"))
    )


def _end(end: Mapping[str, Any]) -> str:
    held = "held to be right" if end.get("accepted") else "not held to be right"
    resolved, unresolved = len(end["resolved"]), len(end["unresolved"])
    probable = texts.share(round(10**4 * end["posterior"]), 10**4)
    return f"{held} ({probable} probable), {resolved} resolved and {unresolved} unresolved attempts"


def _mark(score: float | None) -> str:
    """How a check's score is shown: `yes`, `no` or `open`."""
    if score is None:
        return "open"
    return "yes" if score >= 0.5 else "no"


def _verdict(predicted: float | None) -> str:
    if predicted is None:
        return "unknown"
    return "resolved" if predicted >= 0.5 else "unresolved"


def _reason_text(reason: str, rubric: Rubric) -> str:
    """A verdict's reason with the check's sentence in place of its id."""
    kind, _, about = reason.partition(": ")
    says = {check.check_id: describe(check) for check in rubric.checks}
    return f"{kind}: {says[about]}" if about in says else reason
