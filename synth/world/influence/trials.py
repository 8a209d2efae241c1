"""Trials: pairs of equal calls, and what one of their pasts has that the other lacks; the table that the rest of this package reads.

Comes in: all recorded calls with the kinds of their tools, once. Comes out, per answering tool (a *reader*), its trials and what they say of
each suspect: whose calls changed an answer (the fewest suspects that explain all changes, by greedy set cover), and how
often a call could have changed one and did not. Not here: what follows for calls that were never made (`independence`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from typing import Any, Final, Protocol, TypeVar

from environments.runtime.values.mentions import tokens_in
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.model import Workbench, refused
from synth.world.observation import Observation
from synth.world.support import MOSTLY, SEEN_THRICE, Support, accept

MAX_EXAMPLES: Final = 20
"""Examples of one call that are compared pairwise: learning stays linear in the number of episodes."""
MAX_ANSWERS: Final = 8
"""Different answers among them: of a call that is answered in many ways some answers have to be there twice."""
MIN_CHANGED: Final = SEEN_THRICE
"""Unequal answers and no equal ones, before a tool is taken to be a clock."""

Suspect = tuple[str, bool]
"""A tool, and whether its call shares a name with the call that it may have changed."""


class Blamable(Protocol):
    """Something that was found otherwise."""

    @property
    def suspects(self) -> frozenset[Any]:
        """Those of which one may have done it."""
        ...


S = TypeVar("S", str, tuple[str, bool])
E = TypeVar("E", bound=Blamable)


def fewest(
    events: Iterable[E], rank: Callable[[Sequence[E]], Mapping[S, tuple[float, int]]]
) -> Iterator[tuple[S, Sequence[E]]]:
    """Each suspect that explains events which those before it did not, with these events.

    `rank` says what speaks for each suspect, given the events that are left; suspects that it leaves out explain nothing.
    """
    left = list(events)
    while left and (ranks := rank(left)):
        best = max(ranks, key=lambda suspect: (ranks[suspect], suspect))
        yield best, [event for event in left if best in event.suspects]
        left = [event for event in left if best not in event.suspects]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One call with everything that was done before it in its episode."""

    seen: Observation
    past: tuple[Observation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Two recordings of one call, and who was called before one of them and not before the other."""

    pair: tuple[Example, Example]
    suspects: frozenset[Suspect]
    calls: frozenset[tuple[Suspect, str]] = frozenset()
    """The calls of suspects that were called before one of them only."""

    @property
    def key(self) -> str:
        """The call."""
        return self.pair[0].seen.key

    @property
    def is_alike(self) -> bool:
        """Whether the two were answered alike."""
        return self.pair[0].seen.content == self.pair[1].seen.content

    @property
    def episodes(self) -> frozenset[int]:
        """Where the two were recorded."""
        return frozenset(one.seen.episode for one in self.pair)

    def of_writers(self, readers: Collection[str]) -> Trial | None:
        """The same, as tools other than these may explain it; None where both pasts have the same calls of them."""
        left, right = ([o for o in one.past if o.tool not in readers] for one in self.pair)
        if [(o.tool, o.key) for o in left] == [(o.tool, o.key) for o in right]:
            return None
        able = frozenset(suspect for suspect in self.suspects if suspect[0] not in readers)
        # The same calls in another order: any of them may be what matters.
        any_order = frozenset(suspect for suspect, _ in _suspects(left, self.pair[1].seen))
        return replace(self, suspects=able or any_order)


@dataclass(slots=True, kw_only=True)
class Evidence:
    """What the trials of one reader say."""

    stated: Mapping[str, float] = field(default_factory=dict)
    """By tool what its words state (`stated_effects`)."""
    alike: Sequence[Trial] = ()
    """Trials without a change."""
    events: Sequence[Trial] = ()
    """Changes, by all tools that may explain them: tools that seem to look may write."""
    changes: Sequence[Trial] = ()
    """Changes, by the known writers that may explain them."""
    restless: bool = False
    """Whether answers change though nothing else was done differently: of most calls, not of one that somebody else's change met."""
    unchanged: dict[Suspect, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    """By suspect the equal calls, each with the suspect's own call, that were answered alike with and without it."""
    convicted: set[Suspect] = field(default_factory=set)
    """The fewest suspects that explain all `changes`."""
    wide: bool = False
    """Its arguments name nothing: what it shows is of everything."""
    personal: bool = False
    """It is asked for nothing but whoever is signed in: that it shares this name with another call says nothing."""
    always: set[str] = field(default_factory=set)
    """Tools that came before every success."""

    @property
    def is_restless(self) -> bool:
        """Whether answers differ with equal pasts, or were never once alike."""
        return self.restless or (not self.alike and len(self.events) >= MIN_CHANGED)

    def calls_tried(self, suspect: Suspect) -> set[str]:
        """The equal calls that were answered alike with and without a suspect before them."""
        return {key for key, _ in self.unchanged.get(suspect, ())}

    def weigh(self) -> None:
        """Count what each suspect left alone: not where another one is known to change this, and to be undone by it."""
        guilty: set[Suspect] = set()
        for _ in range(2):
            self.unchanged.clear()
            for trial in self.alike:
                others = trial.suspects & guilty
                for suspect, call in trial.calls:
                    if not others - {suspect}:
                        self.unchanged[suspect].add((trial.key, call))
            guilty = {suspect for suspect, _ in self.blamed(self.events)}

    def convict(self) -> None:
        """Convict the fewest suspects that explain the changes; nobody where answers change by themselves."""
        if not self.is_restless:
            self.convicted = {suspect for suspect, _ in self.blamed(self.changes)}

    def rates_of(self, changes: Sequence[Trial]) -> dict[Suspect, float]:
        """Of the different calls that a suspect came before: the share that was then answered otherwise."""
        keys = sets_by_key((suspect, one.key) for one in changes for suspect in one.suspects)
        return {
            s: len(found) / (len(found) + len(self.calls_tried(s))) for s, found in keys.items()
        }

    def blamed(
        self, changes: Iterable[Trial], favour: Callable[[str], float] = lambda _: 1.0
    ) -> Iterator[tuple[Suspect, Sequence[Trial]]]:
        """The fewest suspects that explain changes, those that most often come with one first; each with what it explains.

        `favour`: how much likelier a tool is to have made a change than others, beside what its words state.
        """

        def rank(left: Sequence[Trial]) -> dict[Suspect, tuple[float, int]]:
            counts = Counter(suspect for one in left for suspect in one.suspects)
            return {
                s: (rate * favour(s[0]) * 2.0 ** self.stated.get(s[0], 0.0), counts[s])
                for s, rate in self.rates_of(left).items()
            }

        return fewest(changes, rank)


def trials_of(bench: Workbench) -> dict[str, list[Trial]]:
    """All trials by reader; of a backend that lives on only calls of one episode are compared, where nothing unseen came between."""

    def counts(seen: Observation) -> bool:
        tool = bench.tools[seen.tool]
        return tool.kind != "pure" and not tool.declared and not refused(tool, seen)

    groups: dict[tuple[str, str, int], list[Example]] = defaultdict(list)
    for history, seen, past in bench.with_pasts(counts):
        if bench.tools[seen.tool].kind != "pure":
            example = Example(seen=seen, past=past)
            groups[seen.tool, seen.key, history.index if bench.living else -1].append(example)
    return lists_by_key(
        (name, _trial(*pair))
        for (name, _, _), group in groups.items()
        for pair in combinations(_distinct_first(group), 2)
    )


def evidence_of(
    bench: Workbench, trials: Mapping[str, Sequence[Trial]], readers: Collection[str]
) -> dict[str, Evidence]:
    """What the trials of each reader say, while these tools are held to change nothing."""
    stated = {name: tool.stated for name, tool in bench.tools.items()}
    out: dict[str, Evidence] = {}
    for name in bench.tools:
        mine = trials.get(name, ())
        changed = [(t, t.of_writers(readers)) for t in mine if not t.is_alike]
        # Calls that are answered otherwise after equal pasts show nobody's changes.
        odd = {t.key for t, among in changed if not t.suspects and among is None}
        changed = [(t, among) for t, among in changed if t.key not in odd]
        out[name] = Evidence(
            stated=stated,
            alike=[t for t in mine if t.is_alike],
            events=[t if t.suspects or among is None else among for t, among in changed],
            changes=[among for _, among in changed if among is not None],
            restless=bool(odd) and not _are_exceptions(odd, mine),
        )
        out[name].weigh()
    return out


def _are_exceptions(odd: set[str], mine: Sequence[Trial]) -> bool:
    """Whether most calls that were made again with nothing else in their pasts were answered alike."""
    calm = {trial.key for trial in mine if trial.is_alike and not trial.suspects}
    found = Support(cases=len(calm - odd), against=len(odd))
    return accept(found, least=SEEN_THRICE, share=MOSTLY)


def _trial(left: Example, right: Example) -> Trial:
    times = Counter((o.tool, o.key) for o in left.past)
    times.subtract((o.tool, o.key) for o in right.past)
    trial = Trial(
        pair=(left, right),
        suspects=frozenset(
            suspect
            for past, other in ((left.past, right.seen), (right.past, left.seen))
            for suspect, seen in _suspects(past, other)
            if times[seen.tool, seen.key]
        ),
    )
    if not trial.is_alike:
        return trial
    mine, theirs = (
        {(suspect, seen.key) for suspect, seen in _suspects(one.past, one.seen)}
        for one in trial.pair
    )
    # Two calls of a suspect with other arguments may both have done something, and the same.
    once = trial.suspects & ({one for one, _ in mine} ^ {one for one, _ in theirs})
    return replace(trial, calls=frozenset(c for c in mine | theirs if c[0] in once))


def _distinct_first(group: Sequence[Example]) -> list[Example]:
    """Different answers first, short pasts before long ones, up to a bound."""
    by_answer = lists_by_key(
        (example.seen.content, example) for example in sorted(group, key=lambda e: len(e.past))
    )
    queues = sorted(by_answer.values(), key=lambda q: -len(q))[:MAX_ANSWERS]
    rows = (queue[at] for at in range(MAX_EXAMPLES) for queue in queues if at < len(queue))
    return list(islice(rows, MAX_EXAMPLES))


def _suspects(
    past: Iterable[Observation], answered: Observation
) -> Iterator[tuple[Suspect, Observation]]:
    """Earlier calls as suspects of a later one: they share a name with what it asks for, or with how it was answered without them."""
    names = answered.names | tokens_in(answered.arguments)
    yield from (((o.tool, not names.isdisjoint(o.names | o.tokens)), o) for o in past)
