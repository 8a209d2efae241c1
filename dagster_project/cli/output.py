"""Output: results to stdout, everything for people on the way (progress, notices) to stderr."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

_MOST_LINES = 5


def notices() -> Console:
    """The console for progress and notices; stdout stays clean for pipes."""
    return Console(stderr=True, highlight=False)


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def print_table(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[object]], *, stderr: bool = False
) -> None:
    """A small table; cells are plain text, never markup, numbers stand right."""
    cells = [list(row) for row in rows]
    table = RichTable(
        title=title, title_justify="left", title_style="bold", box=None, pad_edge=False
    )
    for index, heading in enumerate(headings):
        numeric = bool(cells) and all(isinstance(row[index], int | float) for row in cells)
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(_shown(cell)) for cell in row))
    Console(stderr=stderr, highlight=False).print(table)


def print_pairs(title: str, pairs: Mapping[str, object]) -> None:
    """Names and values, one a line."""
    print_table(title, ("", ""), [(name, _shown(value)) for name, value in pairs.items()])


def lines_to_settle(unknown: Iterable[str]) -> list[str]:
    """What to tell of outcomes that the policy does not know: the lines to paste, the first few of them; empty without any."""
    lines = list(dict.fromkeys(unknown))
    if not lines:
        return []
    told = "outcomes that mean nothing yet; say what they do in the home's outcomes.toml:"
    more = [f"# and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    return [told, "[outcomes]", *lines[:_MOST_LINES], *more]


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
