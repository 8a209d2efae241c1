"""What every benchmark gives: rows of figures. They are printed as a table, kept as JSON, and compared with rows that were kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Figure = int | float | str | None
"""A count, a measure, a word; None: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case of a benchmark and its figures, each by its name."""

    case: str
    figures: Mapping[str, Figure]


def percent(part: float, whole: float) -> float | None:
    """How many per cent a part is, to a tenth; None of nothing."""
    return round(100 * part / whole, 2) if whole else None


def printed(rows: Iterable[Row]) -> Iterator[Row]:
    """The same rows, each printed when it comes; a new head stands where the figures have other names."""
    head: list[str] = []
    for one in rows:
        if list(one.figures) != head:
            head = list(one.figures)
            print(f"\n| case | {' | '.join(head)} |\n|---|{'--:|' * len(head)}")
        print(f"| {one.case} | {' | '.join(map(_cell, one.figures.values()))} |", flush=True)
        yield one


def _cell(figure: Figure) -> str:
    if figure is None:
        return "-"
    return f"{figure:,.4g}" if isinstance(figure, float) and abs(figure) < 10_000 else f"{figure}"


def write(path: Path, suite: str, rows: Sequence[Row]) -> None:
    """Keep the rows of a run."""
    kept = {"suite": suite, "rows": [asdict(one) for one in rows]}
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path: Path, suite: str) -> list[Row]:
    """The rows of a run that was kept; raises `ValueError` where the file holds none of this benchmark."""
    try:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = [Row(case=one["case"], figures=one["figures"]) for one in kept["rows"]]
    except (KeyError, TypeError, ValueError) as fault:
        raise ValueError(f"{path}: no rows that a benchmark wrote with --json") from fault
    if kept.get("suite") != suite:
        raise ValueError(f"{path}: rows of `{kept.get('suite')}`, not of `{suite}`")
    return found


def differences(before: Iterable[Row], after: Iterable[Row]) -> Iterator[str]:
    """Every figure that is another now, a line a case; cases that only one of the runs has."""
    old = {one.case: one.figures for one in before}
    new = {one.case: one.figures for one in after}
    for case, figures in new.items():
        was = old.get(case)
        if was is None:
            yield f"{case}: new"
            continue
        changed = [
            _change(name, was[name], now)
            for name, now in figures.items()
            if name in was and was[name] != now
        ]
        if changed:
            yield f"{case}: {', '.join(changed)}"
    yield from (f"{case}: gone" for case in old if case not in new)


def _change(name: str, was: Figure, now: Figure) -> str:
    by = ""
    if isinstance(was, int | float) and isinstance(now, int | float):
        by = f" ({now - was:+.4g})"
    return f"{name} {_cell(was)} -> {_cell(now)}{by}"
