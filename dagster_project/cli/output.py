"""Output: results to stdout, everything for people on the way (progress, notices) to stderr."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from dagster_project.errors import InputError

_MOST_LINES = 5
_LONGEST_ID = 40
_NARROWEST_TEXT = 20
"""Of a column of sentences."""


def notices() -> Console:
    """The console for progress and notices; stdout stays clean for pipes."""
    return Console(stderr=True, highlight=False)


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def write_document(document: object, out: Path | None) -> bool:
    """The document as `--json OUT` asks for it, `-` is stdout; says whether stdout is taken."""
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if str(out) == "-":
        sys.stdout.write(text)
        return True
    if out is not None:
        if not _is_such_a_document(document, out):
            raise InputError(f"{out} holds something else already; name another file")
        out.write_text(text, encoding="utf-8")
        notices().print(f"written: {out}")
    return False


def _is_such_a_document(document: object, out: Path) -> bool:
    """Whether nothing is lost by writing there: nothing is there, or an older document of this kind."""
    if not out.exists():
        return True
    try:
        there = json.loads(out.read_text(encoding="utf-8") or "null")
    except (OSError, ValueError):
        return False
    return there is None or (
        isinstance(there, dict) and isinstance(document, dict) and set(there) == set(document)
    )


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A small table; cells are plain text, never markup, numbers stand right."""
    cells = [list(row) for row in rows]
    console = Console(highlight=False)
    # A title of its own line: one that is wider than its table would be broken, and a path in it with it.
    console.print(Text(title, style="bold"), soft_wrap=True)
    if len(headings) > 2 and _narrowest(headings, cells) > console.width:
        _print_upright(console, headings, cells)
        return
    table = RichTable(box=None, pad_edge=False)
    for index, heading in enumerate(headings):
        column = [row[index] for row in cells]
        numeric = bool(column) and all(isinstance(cell, int | float) for cell in column)
        table.add_column(
            heading,
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=_is_one_word(column),
        )
    for row in cells:
        table.add_row(*(Text(_cell_text(cell)) for cell in row))
    console.print(table)


def _narrowest(headings: Sequence[str], cells: Sequence[Sequence[object]]) -> int:
    """The width of a table whose words and numbers are still whole; sentences may be broken over lines."""
    widths = [len(heading) for heading in headings]
    for index, width in enumerate(widths):
        column = [row[index] for row in cells]
        longest = max((len(_cell_text(cell)) for cell in column), default=0)
        widths[index] = max(
            width, longest if _is_one_word(column) else min(longest, _NARROWEST_TEXT)
        )
    return sum(widths) + 2 * (len(widths) - 1)


def _print_upright(
    console: Console, headings: Sequence[str], cells: Sequence[Sequence[object]]
) -> None:
    """Row by row, a line for each column."""
    for row in cells:
        lines = RichTable(box=None, pad_edge=False, show_header=False)
        lines.add_column(no_wrap=True)
        lines.add_column(overflow="fold")
        for heading, cell in zip(headings, row, strict=True):
            lines.add_row(Text(heading), Text(_cell_text(cell)))
        console.print(lines)
        console.print()


def _is_one_word(cells: Sequence[object]) -> bool:
    """Whether a column holds ids, numbers and the like: broken over two lines nobody can copy them."""
    shown = [_cell_text(cell) for cell in cells]
    return all(" " not in text and len(text) <= _LONGEST_ID for text in shown)


def print_text(text: str, *, bold: bool = False) -> None:
    """Plain text on stdout, never broken into lines: it may be copied into a file."""
    console = Console(highlight=False)
    console.print(Text(text, style="bold" if bold else ""), soft_wrap=True)


def print_pairs(title: str, pairs: Mapping[str, object]) -> None:
    """Names and values, one a line."""
    print_table(title, ("", ""), [(name, _cell_text(value)) for name, value in pairs.items()])


def how_many(n: int, what: str) -> str:
    """A count with its noun: `1 app`, `2 apps`."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def lines_to_settle(unknown: Iterable[str]) -> list[str]:
    """What to tell of outcomes that the policy does not know: the lines to paste, the first few of them; empty without any."""
    return _lines_of_policy(
        "outcomes, or words of them, that say nothing yet; say what they mean in the home's outcomes.toml:",
        unknown,
    )


def lines_read_of(read: Iterable[str]) -> list[str]:
    """What to tell of outcomes without a line that are read by their values: the lines that say the same; empty without any."""
    return _lines_of_policy(
        "outcomes read by their values; where that is wrong, say what they mean in the home's outcomes.toml:",
        read,
    )


def _lines_of_policy(told: str, wanted: Iterable[str]) -> list[str]:
    lines = list(dict.fromkeys(wanted))
    if not lines:
        return []
    more = [f"# and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    return [told, "[outcomes]", *lines[:_MOST_LINES], *more]


def _cell_text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
