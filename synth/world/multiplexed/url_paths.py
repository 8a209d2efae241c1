"""URL paths: which segments are words of a template and which hold any value.

Comes from the paths of one tool's calls with what came back; goes to `operations`. A segment holds values where they look like names of
records, or where three words beside each other are values of results and lead to the same calls. Not here: query parameters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.views.multiplexed import split_path

MIN_WORDS: Final = 3
"""Words at one place, all of them values of results, before they are values there too."""
WORD: Final = re.compile(r"(?:v\d{1,2}|[^\W\d_]+(?:[._-][^\W\d_]+)*(?:\.[^\W\d_]\w*)?|\w+://\S*)")
"""A word, words with signs between, a version, a host: what templates are made of."""

Call = tuple[str, str, frozenset[str]]
"""A path, the keys of the record that came back, and the call's arguments."""
Row = tuple[tuple[str, ...], str, Call]


@dataclass(slots=True)
class _Node:
    """The calls below one beginning of their paths."""

    rows: list[tuple[tuple[str, ...], Call]] = field(default_factory=list)


def templates_of(calls: Sequence[Call], shown: frozenset[str]) -> dict[str, str]:
    """The template of every path."""
    rows = [(split_path(call[0])[0], call) for call in calls]
    out: dict[str, str] = {}
    for template, path in _templates(rows, (), shown):
        lead = "/" if path.startswith("/") else ""
        out[path] = lead + "/".join(template)
    return out


def _templates(
    rows: Iterable[tuple[tuple[str, ...], Call]], before: tuple[str, ...], shown: frozenset[str]
) -> Iterable[tuple[tuple[str, ...], str]]:
    """Template and path of the calls below one beginning."""
    below: dict[str, list[tuple[tuple[str, ...], Call]]] = defaultdict(list)
    for rest, call in rows:
        if rest:
            below[rest[0]].append((rest[1:], call))
        else:
            yield before, call[0]
    values = _values(below, shown)
    held = [row for value in sorted(values) for row in below[value]]
    if held:
        yield from _templates(held, (*before, _variable(before)), shown)
    for word in sorted(below.keys() - values):
        yield from _templates(below[word], (*before, word), shown)


def _values(
    below: Mapping[str, Sequence[tuple[tuple[str, ...], Call]]], shown: frozenset[str]
) -> set[str]:
    """The segments at one place that are values."""
    found = {segment for segment in below if WORD.fullmatch(segment) is None}
    alike: dict[object, set[str]] = defaultdict(set)
    for segment in below.keys() - found & below.keys():
        if segment in shown and segment not in found:
            rows = below[segment]
            alike[frozenset(len(rest) for rest, _ in rows)].add(segment)
    for words in alike.values():
        shapes = [{call[1] for _, call in below[word] if call[1]} for word in words]
        if len(words) >= MIN_WORDS and len(set.union(*shapes)) <= 2:
            found |= words
    if len(found) >= MIN_WORDS:
        # A word that hardly came, where names of records stand: somebody's slip, or one more record.
        found |= {segment for segment in below if len(below[segment]) < MIN_WORDS}
    return found


def _variable(before: tuple[str, ...]) -> str:
    """A gap, named after the word before it."""
    words = [part for part in before if part[:1] != "{" and "://" not in part]
    name = words[-1] if words else "value"
    gaps = [part[1:-1] for part in before if part[:1] == "{"]
    number = sum(gap.split("_")[0] == name for gap in gaps)
    return "{" + (f"{name}_{number + 1}" if number else name) + "}"
