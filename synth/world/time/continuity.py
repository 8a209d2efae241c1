"""Continuity: whether an app's backend starts afresh with every episode or lives on through all of them.

Comes from observations whose tables and keys are known; says `reset` or `living` with the evidence. Decided by what a
later episode sees first: a record changed in one episode is as it was before (`reset`) or as it was left (`living`), and
what an episode is told after the very same calls as another: where every one starts afresh, always the same. Where neither
was recorded, by whether first sights of one record agree over time; that is no certainty, and the result says so. Not here:
what a record was at a given time (`timeline`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.document.world_file import ContinuityPart
from environments.runtime.values.normal import stable
from environments.runtime.world.entries import Place
from synth.world.influence.writers import Look, blamed, looks
from synth.world.model import Workbench, refused
from synth.world.observation import History, Observation
from synth.world.support import (
    CHANCE,
    SEEN_ALL_THE_TIME,
    SEEN_SEVERAL_TIMES,
    SEEN_THRICE,
    SEEN_TWICE,
    Support,
    accept,
)
from synth.world.time.equal_pasts import equal_pasts
from synth.world.time.own_starts import OwnStarts
from synth.world.volatile.drawn_values import Homes, drawn_anew

RESET: Final = "reset"
LIVING: Final = "living"
MIN_CASES: Final = SEEN_THRICE
"""Records first seen again after a recorded change, before they alone decide."""
MIN_DIFFERENT: Final = SEEN_SEVERAL_TIMES
"""First sights that disagree, of as many as `MIN_CASES` records, before they decide for `living`."""
FEW: Final = {"as_left": 2.3, "different": 2.4, "same": -0.43}
"""Before there are that many: how much more likely a case is where the backend lives on (natural logarithms).

A record is met otherwise than it was left in one of three cases where others may change it in between, in one of thirty where
only writes that nobody recorded do; one that was changed itself is met as it was left ten times as often.
"""
MIN_OPENINGS: Final = SEEN_SEVERAL_TIMES
"""Calls that were answered otherwise elsewhere, and alike after equal pasts, before every episode is taken to start alike."""
MIN_OTHERWISE: Final = SEEN_TWICE
"""Calls after equal pasts with unequal answers, before they alone decide for `living`."""
MIN_SHARE: Final = CHANCE
"""Share of first sights, and of answers after equal pasts, that must disagree: a few do by dice and faults."""


SAYS: Final = {
    (
        LIVING,
        "openings",
    ): "Episodes are answered otherwise than others that had made the very same calls.",
    (RESET, "openings"): "Episodes are answered as others that had made the very same calls.",
    (LIVING, "after_change"): "Changed records are met by later episodes as they were left.",
    (RESET, "after_change"): "Changed records are met by later episodes as they were before.",
}
OWN_STARTS: Final = "Every task begins in a state of its own: the very same calls are answered alike in one task, and otherwise in another."
OWN_UNSURE: Final = (
    "Unknown: no two tasks were comparable. Each is taken to begin in a state of its own."
)
UNSURE: Final = {
    LIVING: "Unknown: too little was recorded to tell. Taken to live on, which says less.",
    RESET: "Unknown: too little was recorded to tell. Taken to start afresh.",
}


@dataclass(slots=True)
class _Openings:
    """Answers to calls after the very same calls as in another episode, where the answer may vary at all."""

    same: Counter[str] = field(default_factory=Counter)
    """Per tool: alike, to calls that were answered otherwise at some other time."""
    different: Counter[str] = field(default_factory=Counter)
    """Per tool: unequal successes. Of a tool that never agrees across episodes (a clock, dice) none count."""
    refused: int = 0
    """Unequal, and one of them a refusal: a fault may be behind it."""

    def live_on(self) -> bool:
        """Whether they differ too often, and in too many tools, for a backend that starts afresh."""
        different, same = self.different.total(), self.same.total()
        differs = Support(cases=different, against=same)
        if not accept(differs, least=MIN_OTHERWISE, share=MIN_SHARE):
            return False
        # One tool alone may draw lots.
        beside = sum(n for tool, n in self.same.items() if not self.different[tool])
        return len(self.different) > 1 or (beside < MIN_OPENINGS <= different)

    def start_alike(self) -> bool:
        """Whether answers that vary agree wherever the past does."""
        return self.same.total() >= MIN_OPENINGS and not self.different.total() and not self.refused


@dataclass(slots=True)
class _Sight:
    """How one episode met and left a record."""

    first: str
    last: str
    clean: bool
    """Nothing that may have changed it came before the first sight."""
    first_call: str
    last_call: str
    """The calls that showed it so."""


def infer_continuity(bench: Workbench, *, override: str | None) -> ContinuityPart:
    """The continuity's kind with its evidence; a person's word overrides the kind and keeps the evidence."""
    if bench.own_starts is not None:
        return _own_start_part(bench.own_starts)
    writers = blamed(bench)
    met: dict[Place, _Sight] = {}
    after, pairs = Counter[str](), Counter[str]()
    moved: set[Place] = set()
    for history in bench.histories:
        sights = _sights(bench, history, writers)
        for place, sight in sights.items():
            before = met.get(place)
            if before is None or not sight.clean:
                continue
            same = sight.first == before.last
            if not same and sight.first_call != before.last_call:
                # Another call may show another thing: who books two lessons is shown two under one new number.
                continue
            pairs["same" if same else "different"] += 1
            if not same:
                moved.add(place)
            if before.first != before.last:
                after["as_left"] += same
                after["as_before"] += sight.first == before.first
        met.update(sights)
    return _decide(_Evidence(after, pairs, len(moved), _openings(bench)), override=override)


def _openings(bench: Workbench) -> _Openings:
    """Compares each call with the last one of another episode that had made the very same calls before it.

    Answers that differ in times of their calls and ids of dice only say nothing.
    """
    told, agreeing = _answers_by_call(bench)
    homes = Homes(bench.histories)
    out = _Openings()
    for pair in equal_pasts(bench.histories):
        seen, before = pair.seen, pair.last
        if before is None or len(told[seen.tool, seen.key]) == 1:
            continue
        if before.content == seen.content:
            out.same[seen.tool] += 1
        elif seen.tool in agreeing and not drawn_anew(seen, before, homes):
            if bench.refused(seen) or bench.refused(before):
                out.refused += 1
            else:
                out.different[seen.tool] += 1
    return out


def _answers_by_call(bench: Workbench) -> tuple[dict[tuple[str, str], set[str]], set[str]]:
    """All answers to each call, and the tools that ever told two episodes in a row the same: others are clocks, or dice.

    Equal refusals do not count: dice that refuse alike are dice all the same.
    """
    told: dict[tuple[str, str], set[str]] = defaultdict(set)
    agreeing: set[str] = set()
    for name, tool in bench.tools.items():
        last: dict[str, Observation] = {}
        for seen in tool.observations:
            told[name, seen.key].add(seen.content)
            before = last.get(seen.key)
            last[seen.key] = seen
            if before is not None and before.episode != seen.episode and not refused(tool, seen):
                agreeing.update({name} if before.content == seen.content else ())
    return told, agreeing


@dataclass(frozen=True, slots=True)
class _Evidence:
    """All that speaks for one kind or the other."""

    after: Counter[str]
    pairs: Counter[str]
    moved: int
    openings: _Openings

    @property
    def as_left(self) -> int:
        """Changed records met later as they were left."""
        return self.after["as_left"]

    @property
    def as_before(self) -> int:
        """Changed records met later as they were before."""
        return self.after["as_before"]


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is inferred, and by what."""

    name: str
    by: str
    sure: bool = True


def _certain(seen: _Evidence) -> _Kind | None:
    """What answers after equal pasts, or changed records, say clearly."""
    different = seen.openings.different.total()
    if seen.openings.live_on():
        return _Kind(LIVING, "openings")
    if max(seen.as_left, seen.as_before) >= MIN_CASES:
        return _Kind(LIVING if seen.as_left > seen.as_before else RESET, "after_change")
    if different and seen.as_before <= seen.as_left + different and not _seen_alike(seen):
        return _Kind(LIVING, "openings")
    if seen.openings.start_alike():
        return _Kind(RESET, "openings")
    return None


def _seen_alike(seen: _Evidence) -> bool:
    """Whether many records were met again, and nearly all as they were: a few answers that differ are then a clock's."""
    different, total = seen.pairs["different"], seen.pairs.total()
    return total >= SEEN_ALL_THE_TIME and different < MIN_SHARE * total


def _guess(seen: _Evidence) -> _Kind:
    """First sights that disagree may be writes that nobody knows, too."""
    different, total = seen.pairs["different"], seen.pairs.total()
    differs = Support(cases=different, against=total - different)
    often = accept(differs, least=MIN_DIFFERENT, share=MIN_SHARE) and seen.moved >= MIN_CASES
    likely = not seen.as_before and _likelier(seen.after, seen.pairs) > 0
    if often or (likely and (seen.moved > 1 or seen.as_left)):
        return _Kind(LIVING, "first_sights" if often else "few_sights", sure=False)
    by = "first_sights" if total else "nothing seen twice"
    return _Kind(RESET, by, sure=seen.as_before > 0)


def _decide(seen: _Evidence, *, override: str | None) -> ContinuityPart:
    found = _certain(seen) or _guess(seen)
    says = SAYS.get((found.name, found.by), "") if found.sure else UNSURE[found.name]
    openings = seen.openings
    return ContinuityPart(
        kind=override or found.name,
        says="" if override else says,
        evidence={
            "decided_by": "a person" if override else found.by,
            "inferred": found.name,
            "sure": found.sure,
            "after_change": {"as_left": seen.as_left, "as_before": seen.as_before},
            "first_sights": {name: seen.pairs[name] for name in ("same", "different")},
            "openings": {
                "same": openings.same.total(),
                "different": openings.different.total(),
                "otherwise_refused": openings.refused,
            },
        },
    )


def _own_start_part(seen: OwnStarts) -> ContinuityPart:
    """Every subject has a start of its own: attempts at one task begin alike, and nothing says how another begins."""
    return ContinuityPart(
        kind=RESET,
        says=OWN_STARTS if seen.different else OWN_UNSURE,
        evidence={
            "decided_by": "own_starts",
            "inferred": RESET,
            "sure": seen.different > 0,
            "own_starts": {
                "alike_for_one": seen.within,
                "alike_for_two": seen.alike,
                "different_for_two": seen.different,
            },
        },
    )


def _likelier(after: Counter[str], pairs: Counter[str]) -> float:
    """How much likelier the cases are where the backend lives on; below zero where every episode starts afresh."""
    return sum(weight * (after[case] + pairs[case]) for case, weight in FEW.items())


def _sights(bench: Workbench, history: History, writers: frozenset[str]) -> dict[Place, _Sight]:
    """First and last sight of every record in one episode, by tools that are no writers themselves."""
    out: dict[Place, _Sight] = {}
    for look in looks(bench, history):
        text, call = stable(look.value), f"{look.seen.tool} {look.seen.key}"
        known = out.get(look.place)
        if known is None:
            clean = look.seen.tool not in writers and not _disturbed(bench, history, look, writers)
            out[look.place] = _Sight(text, text, clean, call, call)
        else:
            known.last, known.last_call = text, call
    return out


def _disturbed(bench: Workbench, history: History, look: Look, writers: frozenset[str]) -> bool:
    return any(
        seen.tool in writers
        and not bench.refused(seen)
        and not look.seen.names.isdisjoint(seen.names)
        for seen in history.observations[: look.seen.position]
    )
