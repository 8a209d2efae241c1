"""Commutation: a recorded call and its result are the same pair past the gate, in every episode and for every customer.

Comes in: raw episodes beside what the gate made of them, day by day. Goes out: keyed digests of both sides of every answered call (private
table `call_pairs`), and per app how many calls became several (the same call would be answered one way here and another way there) or one
with another (two customers' answers could be taken for each other). A call in which something was withheld has no value to be compared and
is counted apart.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CALL_PAIRS
from ingest.records.episode import Episode
from redact.records.clean_episode import WITHHELD, CleanEpisode
from redact.values.permutations import KeyedDigest

_SIZE: Final = 12
"""Bytes of a digest: two of a billion calls meet by chance in one of a hundred thousand million apps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commutation:
    """How the recorded calls of one app came through the gate."""

    calls: int = 0
    """Distinct calls with their results, before the gate."""
    split: int = 0
    """Of them, those that read unlike in two places past the gate."""
    merged: int = 0
    """Those past the gate that stand for more than one before it."""
    withheld: int = 0
    """Calls of which a part was withheld: answered as unknown, not compared."""


def pairs_of(
    key: tuple[str, str], episodes: Iterable[tuple[Episode, CleanEpisode]], keyed: KeyedDigest
) -> pa.Table:
    """The distinct answered calls of one app and day (the key), as digests before and past the gate."""
    app, day = key
    seen = {pair for raw, clean in episodes for pair in _answered_pairs(raw, clean)}
    rows = [
        {
            "app": app,
            "day": day,
            "raw": keyed.digest("call", *before, size=_SIZE),
            "clean": None
            if any(WITHHELD in text for text in after)
            else keyed.digest("clean call", *after, size=_SIZE),
        }
        for before, after in sorted(seen)
    ]
    return pa.Table.from_pylist(rows, schema=CALL_PAIRS.schema)


def commutation_of(private: Lake, app: str, days: Iterable[str] | None = None) -> Commutation:
    """What the days of an app say together: all of them, or those asked for."""
    return commutation_in(private.read(CALL_PAIRS, app=app, days=days, columns=("raw", "clean")))


def commutation_in(rows: pa.Table) -> Commutation:
    """What the pairs of one app say."""
    if not rows.num_rows:
        return Commutation()
    whole = rows.filter(pc.is_valid(rows["clean"])).group_by(["raw", "clean"]).aggregate([])
    calls = len(pc.unique(rows["raw"]))
    return Commutation(
        calls=calls,
        split=whole.num_rows - len(pc.unique(whole["raw"])),
        merged=whole.num_rows - len(pc.unique(whole["clean"])),
        withheld=len(pc.unique(rows.filter(pc.is_null(rows["clean"]))["raw"])),
    )


_Call = tuple[str, str, str]
"""Tool, arguments, result."""


def _answered_pairs(raw: Episode, clean: CleanEpisode) -> Iterator[tuple[_Call, _Call]]:
    waiting: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {}
    for before, after in zip(raw.steps, clean.steps, strict=True):
        for call, made in zip(before.tool_calls, after.tool_calls, strict=True):
            waiting[call.call_id] = ((call.name, call.arguments), (made.name, made.arguments))
        if before.role == "tool" and before.call_id in waiting:
            asked, told = waiting[before.call_id]
            yield (
                _without_escapes(*asked, before.content or ""),
                _without_escapes(*told, after.content or ""),
            )


_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


def _without_escapes(*call: str) -> _Call:
    """Return a call with its letters as themselves: one client writes escapes, another does not, and both ask the same."""
    name, arguments, result = [_letters(text) if "\\u" in text else text for text in call]
    return name, arguments, result


def _letters(text: str) -> str:
    plain = _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
