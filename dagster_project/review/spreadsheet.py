"""Reviews through a spreadsheet: one row per recorded attempt out, labels back in.

Comes in and goes out: CSV. A cell that a spreadsheet would run as a formula is written with an apostrophe before it, which is taken off
when it comes back.
"""

import csv
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Final

from dagster_project.errors import InputError
from dagster_project.review.entry import Entry
from dagster_project.review.queue import QueueItem
from dagster_project.review.review import LABEL, LABELS, Review
from dagster_project.review.store import Reviews
from dagster_project.tasks.shares import says_resolved
from environments.diff import title_of

COLUMNS: Final = (
    *("app", "task_id", "task_version", "episode_id", "request", "status", "why_look"),
    *("outcome", "rubric_says", "reward", "reviewers_say", "label", "note"),
)
"""`label` and `note` are for people to fill in; the rest tells them what they look at."""
NEEDED: Final = ("app", "task_id", "episode_id", "label")
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
MAX_CELL: Final = 30_000
"""Spreadsheets cut cells near 32,767 characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A row that could not be used."""

    line: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a spreadsheet holds."""

    reviews: tuple[Review, ...]
    unchanged: int
    """Labels that this person gave before, or rows without one."""
    refused: tuple[Refused, ...]


def write_csv(items: Iterable[QueueItem], dest: Path) -> int:
    """Write one row per attempt, the most urgent tasks first; says how many."""
    rows = [row for item in items for row in _rows(item)]
    with dest.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([safe(cell) for cell in row] for row in rows)
    return len(rows)


def _rows(item: QueueItem) -> Iterator[tuple[str, ...]]:
    entry = item.entry
    for graded in entry.attempts:
        verdict = graded.verdict
        yield (
            entry.app,
            entry.task_id,
            entry.version,
            graded.episode_id,
            title_of(entry.candidate.task),
            entry.status,
            "; ".join(item.reasons),
            _word(graded.outcome.resolved),
            _word(says_resolved(verdict.predicted)) if verdict is not None else "",
            "" if verdict is None or verdict.reward is None else f"{verdict.reward:g}",
            graded.said or "",
            "",
            "",
        )


def read_csv(
    path: Path, entries: Iterable[Entry], reviews: dict[str, Reviews], *, author: str
) -> Imported:
    """The labels that a person filled in; rows of unknown episodes are refused one by one."""
    known = {
        (one.app, one.task_id, graded.episode_id): one for one in entries for graded in one.attempts
    }
    found: list[Review] = []
    refused: list[Refused] = []
    unchanged = 0
    for line, row in _read(path):
        label = row["label"].strip().lower()
        entry = known.get((row["app"], row["task_id"], row["episode_id"]))
        if not label:
            unchanged += 1
        elif label not in LABELS:
            refused.append(Refused(line=line, why=f"label must be one of {', '.join(LABELS)}"))
        elif entry is None:
            refused.append(Refused(line=line, why="this home has no such episode in such a task"))
        elif _is_known_label(reviews[entry.app], row["episode_id"], author, label, row["note"]):
            unchanged += 1
        else:
            found.append(_review(entry, row, label, author))
    return Imported(reviews=tuple(found), unchanged=unchanged, refused=tuple(refused))


def _is_known_label(reviews: Reviews, episode_id: str, author: str, label: str, note: str) -> bool:
    before = reviews.labels.get(episode_id, {}).get(author)
    return before is not None and (before.value, before.note) == (label, note)


def _review(entry: Entry, row: dict[str, str], label: str, author: str) -> Review:
    return Review(
        app=entry.app,
        kind=LABEL,
        task_id=entry.task_id,
        task_version=row.get("task_version") or entry.version,
        episode_id=row["episode_id"],
        value=label,
        by=author,
        at=time.time_ns(),
        note=row["note"],
    )


def _read(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(
                    f"{path} has no column {missing[0]!r}; start from: tracegym review --export {quote(path.name)}"
                )
            for row in reader:
                cells = {k: original_cell(v) for k, v in row.items() if isinstance(v, str) and k}
                yield reader.line_num, {name: cells.get(name, "") for name in COLUMNS}
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror}") from fault
    except (UnicodeDecodeError, csv.Error) as fault:
        raise InputError(
            f"{path} is not a CSV file in UTF-8; save it as one and try again"
        ) from fault


def safe(cell: str) -> str:
    """A cell that no spreadsheet runs as a formula."""
    text = cell.replace("\x00", "")[:MAX_CELL]
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) or text.startswith("'") else text


def original_cell(cell: str) -> str:
    """A cell as it was before `safe`."""
    return cell.removeprefix("'")


def _word(resolved: float | None) -> str:
    return "unknown" if resolved is None else "resolved" if resolved else "unresolved"
