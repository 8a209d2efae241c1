"""Continuity: whether an app's backend starts afresh with every episode or lives on through all of them.

Comes from observations whose tables and keys are known; says `reset` or `living` with the evidence. Decided by what a
later episode sees first: a record changed in one episode is as it was before (`reset`) or as it was left (`living`);
where no such case was recorded, by whether first sights of one record agree over time. Not here: what a record was at
a given time (`timeline`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from environments.runtime.normal import stable
from environments.runtime.world_entry import Place, call_text
from synth.world.model import Workbench, refused
from synth.world.observation import History, Observation
from synth.world.writers import Look, blamed, looks

RESET: Final = "reset"
LIVING: Final = "living"
MIN_CASES: Final = 3
"""Records first seen again after a recorded change, before they alone decide."""
MIN_DIFFERENT: Final = 5
"""First sights that disagree, of as many as `MIN_CASES` records, before they decide for `living`."""
FEW: Final = {"as_left": 2.3, "different": 2.4, "same": -0.43}
"""Before there are that many: how much more likely a case is where the backend lives on (natural logarithms).

A record is met otherwise than it was left in one of three cases where others may change it in between, in one of thirty where
only writes that nobody recorded do; one that was changed itself is met as it was left ten times as often.
"""
MIN_OPENINGS: Final = 10
"""Calls after equal pasts with equal answers, before every episode is taken to start alike."""
MAX_PAST: Final = 6
MIN_SHARE: Final = 0.05
"""Share of first sights that must disagree: a few do by writes that nobody recorded."""


@dataclass(slots=True)
class _Sight:
    """How one episode met and left a record."""

    first: str
    last: str
    clean: bool
    """Nothing that may have changed it came before the first sight."""


def infer_continuity(bench: Workbench, *, override: str | None) -> dict[str, Any]:
    """The continuity's kind with its evidence; a person's word overrides the kind and keeps the evidence."""
    writers = blamed(bench)
    met: dict[Place, _Sight] = {}
    openings = _openings(bench)
    after, pairs = Counter[str](), Counter[str]()
    moved: set[Place] = set()
    for history in bench.histories:
        sights = _sights(bench, history, writers)
        for place, sight in sights.items():
            before = met.get(place)
            if before is None or not sight.clean:
                continue
            same = sight.first == before.last
            pairs["same" if same else "different"] += 1
            if not same:
                moved.add(place)
            if before.first != before.last:
                after["as_left"] += same
                after["as_before"] += sight.first == before.first
        met.update(sights)
    if _start_alike(openings.values()):
        # What differs later in episodes never differs after the same calls: hidden writes, not another start.
        pairs["explained"], pairs["different"] = pairs["different"], 0
    return _decide(after, pairs, moved=len(moved), override=override)


def _openings(bench: Workbench) -> dict[str, Counter[str]]:
    """Per tool: how often a call was answered as in another episode that had made the very same calls before it.

    Equal refusals count apart: dice that refuse alike are dice all the same.
    """
    out: dict[str, Counter[str]] = defaultdict(Counter)
    last: dict[tuple[str, ...], Observation] = {}
    for history in bench.histories:
        past: tuple[str, ...] = ()
        for seen in history.observations:
            past = (*past, call_text(seen.tool, seen.arguments))[-MAX_PAST:]
            if seen.position < MAX_PAST:
                if past in last:
                    same = last[past].content == seen.content
                    part = "!" * (same and refused(bench.tools[seen.tool], seen))
                    out[seen.tool + part]["same" if same else "different"] += 1
                last[past] = seen
    return out


def _start_alike(openings: Iterable[Counter[str]]) -> bool:
    """Whether answers agree wherever the past does; a tool that never agrees is a clock and says nothing."""
    total = sum((counts for counts in openings if counts["same"]), Counter[str]())
    return total["same"] >= MIN_OPENINGS and not total["different"]


def _decide(
    after: Counter[str], pairs: Counter[str], *, moved: int, override: str | None
) -> dict[str, Any]:
    cases = after["as_left"] + after["as_before"]
    total = pairs["same"] + pairs["different"] + pairs["explained"]
    if cases >= MIN_CASES:
        kind, by = (LIVING if after["as_left"] > after["as_before"] else RESET), "after_change"
    elif pairs["different"] >= max(MIN_DIFFERENT, MIN_SHARE * total) and moved >= MIN_CASES:
        kind, by = LIVING, "first_sights"
    elif not after["as_before"] and _likelier(after, pairs) > 0 and (moved > 1 or after["as_left"]):
        kind, by = LIVING, "few_sights"
    else:
        kind, by = RESET, "first_sights" if total else "nothing seen twice"
    return {
        "kind": override or kind,
        "evidence": {
            "decided_by": "a person" if override else by,
            "inferred": kind,
            "after_change": {"as_left": after["as_left"], "as_before": after["as_before"]},
            "first_sights": {"same": pairs["same"], "different": pairs["different"]},
        },
    }


def _likelier(after: Counter[str], pairs: Counter[str]) -> float:
    """How much likelier the cases are where the backend lives on; below zero where every episode starts afresh."""
    return sum(weight * (after[case] + pairs[case]) for case, weight in FEW.items())


def _sights(bench: Workbench, history: History, writers: frozenset[str]) -> dict[Place, _Sight]:
    """First and last sight of every record in one episode, by tools that are no writers themselves."""
    out: dict[Place, _Sight] = {}
    for look in looks(bench, history):
        text = stable(look.value)
        known = out.get(look.place)
        if known is None:
            clean = look.seen.tool not in writers and not _disturbed(bench, history, look, writers)
            out[look.place] = _Sight(text, text, clean)
        else:
            known.last = text
    return out


def _disturbed(bench: Workbench, history: History, look: Look, writers: frozenset[str]) -> bool:
    return any(
        seen.tool in writers
        and not refused(bench.tools[seen.tool], seen)
        and not look.seen.names.isdisjoint(seen.names)
        for seen in history.observations[: look.seen.position]
    )
