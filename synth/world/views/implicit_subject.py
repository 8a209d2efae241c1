"""Implicit subject: tools that answer for whoever is signed in, so that equal calls after equal pasts differ by subject.

Comes in: observations. Comes out: the names of such tools. Their calls get the subject as an argument, in place, so that everything
learnt after this keeps one subject's records from another's. Not here: the argument itself (`environments.runtime.views.implicit_subject`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from environments.runtime.document.views import OwnersPart
from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import leaves, names_in
from environments.runtime.values.normal import stable
from environments.runtime.views.implicit_subject import SUBJECT, subject_name
from environments.runtime.world.entries import call_text
from synth.world.grouping import lists_by_key
from synth.world.observation import History, Observation, every_call
from synth.world.support import (
    HALF_OF_CASES,
    HARDLY_EVER,
    MOSTLY,
    SEEN_OFTEN,
    SEEN_SEVERAL_TIMES,
    SEEN_THRICE,
    SELDOM,
    USUALLY,
    Support,
    accept,
)
from synth.world.time.equal_pasts import equal_pasts

MIN_DIFFERENT: Final = SEEN_SEVERAL_TIMES
"""Equal calls of different subjects with different answers."""
MIN_SHARE: Final = HALF_OF_CASES
"""Share of such pairs that differ: records of the subject's own are seldom equal."""
MOST_SHARED: Final = HALF_OF_CASES
"""Mean share of values that two differing answers have in common: more is one list that changes for all."""
NEARER: Final = SELDOM
"""How much more an answer shares with the same subject's earlier one; else what differs is time, not the subject."""
MIN_WITHIN: Final = SEEN_THRICE
MIN_BESIDE: Final = SEEN_OFTEN
MOST_ALIKE: Final = HARDLY_EVER
"""Where a subject's calls came one after another, with nobody else's between, time may explain as well that they agree: so
many have to agree, all of them, and no more than this share of those of different subjects."""
MOST_GROWN: Final = MOSTLY
"""Share of differing pairs whose later answer only counted further: ids given out in order are nobody's own."""
DIGITS: Final = re.compile(r"[0-9]{1,4000}")
"""A longer run is several numbers: Python reads none of more digits."""
MIN_SUBJECTS: Final = SEEN_THRICE
MIN_KNOWN: Final = USUALLY
"""Share of a tool's calls for what its subject was shown, before what others were shown counts as theirs alone."""


@dataclass(slots=True)
class _Pairs:
    """Equal calls after equal pasts, compared."""

    same: int = 0
    different: int = 0
    shared: float = 0.0
    """Sum over the differing pairs of the share of values they have in common."""
    grown: int = 0
    """Differing pairs of which the later answer differs in one number only, and it is greater."""
    within: list[float] = field(default_factory=list)
    """The same of pairs of one subject, another's between them; 1 where they are equal."""
    beside: list[float] = field(default_factory=list)
    """Of pairs of one subject with nobody else's between."""

    @property
    def bound(self) -> bool:
        """Whether the subject decides."""
        total = self.same + self.different
        differs = Support(cases=self.different, against=self.same)
        if not accept(differs, least=MIN_DIFFERENT, share=MIN_SHARE):
            return False
        if self.grown >= MOST_GROWN * self.different:
            return False
        shared = self.shared / self.different
        if len(self.within) >= MIN_WITHIN:
            return sum(self.within) / len(self.within) >= shared + NEARER
        if len(self.beside) >= MIN_WITHIN:
            enough = len(self.beside) >= MIN_BESIDE and self.same <= MOST_ALIKE * total
            return enough and min(self.beside) == 1
        return shared <= MOST_SHARED


def bind(histories: Sequence[History], *, own: bool) -> tuple[str, ...]:
    """Give the subject to the calls of tools that answer for it; says which, sorted. `own`: all do."""
    if own:
        bound = {seen.tool for seen in every_call(histories)}
    else:
        readers = {tool for tool, pairs in _compared(histories).items() if pairs.bound}
        bound = readers | changing(histories, readers) if readers else set()
    return bind_tools(histories, bound)


def bind_tools(histories: Sequence[History], bound: Collection[str]) -> tuple[str, ...]:
    """Give the subject to the calls of these tools; their names, sorted."""
    for history in histories:
        for seen in history.observations:
            if seen.tool in bound:
                seen.put_arguments({**seen.arguments, SUBJECT: subject_name(history.subject)})
    return tuple(sorted(bound))


def owners_of(histories: Sequence[History], bound: Sequence[str]) -> OwnersPart | None:
    """Tools that are asked for what is somebody's own, and whose each name is; None where there are none.

    Whether a backend shows one subject what is another's was never recorded, so nobody knows.
    """
    subjects: dict[str, set[str]] = defaultdict(set)
    shown: dict[str, set[str]] = defaultdict(set)
    asked: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for history in histories if bound else ():
        for seen in history.observations:
            names = seen.names - {subject_name(history.subject)}
            for name in names:
                subjects[name].add(history.subject)
            if seen.tool in bound:
                shown[history.subject] |= names
            else:
                for name in names_in(seen.arguments):
                    asked[seen.tool][name].add(history.subject)
    tools = sorted(tool for tool, names in asked.items() if _is_owned(names, shown))
    mine = {name for tool in tools for name in asked[tool]}.union(*shown.values())
    values = {name: frozenset(map(subject_name, subjects[name])) for name in sorted(mine)}
    return OwnersPart(tools=frozenset(tools), values=values) if tools else None


def _is_owned(asked: Mapping[str, set[str]], shown: Mapping[str, set[str]]) -> bool:
    """Whether a tool was mostly asked for what bound tools had shown to the same subject."""
    by = [(name, subject) for name, subjects in asked.items() for subject in subjects]
    known = sum(name in shown.get(subject, ()) for name, subject in by)
    return len({subject for _, subject in by}) >= MIN_SUBJECTS and known >= MIN_KNOWN * len(by)


def _compared(histories: Sequence[History]) -> Mapping[str, _Pairs]:
    """Each call beside the last equal one of another subject, and beside the last one of its own."""
    out: dict[str, _Pairs] = defaultdict(_Pairs)
    for pair in equal_pasts(histories):
        found = out[pair.seen.tool]
        if pair.own is not None:
            near = found.beside if pair.at_once else found.within
            near.append(_share(pair.own, pair.seen))
        if pair.other is not None:
            _compare(found, pair.other, pair.seen)
    return out


def _compare(pairs: _Pairs, one: Observation, other: Observation) -> None:
    if one.content == other.content:
        pairs.same += 1
    else:
        pairs.different += 1
        pairs.shared += _share(one, other)
        pairs.grown += _has_grown(one.content, other.content)


def _has_grown(before: str, after: str) -> bool:
    """Whether two answers are the same but for one number, which is greater in the later one."""
    # What stands around the numbers, piece by piece: without them `1a` and `a1` would be one text.
    if DIGITS.split(before) != DIGITS.split(after):
        return False
    pairs = zip(map(int, DIGITS.findall(before)), map(int, DIGITS.findall(after)), strict=True)
    differing = [(one, other) for one, other in pairs if one != other]
    return len(differing) == 1 and differing[0][0] < differing[0][1]


def _share(one: Observation, other: Observation) -> float:
    """The share of values that two answers have in common."""
    if one.content == other.content:
        return 1.0
    return share_in_common(_values(one.value), _values(other.value), nothing=0.0)


def share_in_common(left: Counter[str], right: Counter[str], *, nothing: float) -> float:
    """How much of two bags is in both; `nothing` where both are empty."""
    either = (left | right).total()
    return (left & right).total() / either if either else nothing


def _values(value: Json) -> Counter[str]:
    return Counter(map(stable, leaves(value)))


def changing(histories: Sequence[History], readers: set[str]) -> set[str]:
    """Tools that alone stood between two looks of one episode at a subject's records, more often changed than not."""
    changed, calm = Counter[str](), Counter[str]()
    for history in histories:
        for between, same in _looks(history, readers):
            tools = {seen.tool for seen in between} - readers
            if same:
                calm.update(tools)
            elif len(tools) == 1:
                changed.update(tools)
    return {tool for tool, count in changed.items() if count > calm[tool]}


def _looks(history: History, readers: set[str]) -> Iterator[tuple[Sequence[Observation], bool]]:
    """What was called between equal calls of a reader, and whether it answered the same."""
    places = lists_by_key(
        (call_text(seen.tool, seen.arguments), position)
        for position, seen in enumerate(history.observations)
        if seen.tool in readers
    )
    for found in places.values():
        for first, again in pairwise(found):
            observations = history.observations
            same = observations[first].content == observations[again].content
            yield observations[first + 1 : again], same
