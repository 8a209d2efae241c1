"""Evidence on what a tool's answers depend on: pairs of equal calls, and which suspects explain those answered otherwise.

Comes from `dependencies`, which compares the calls. Comes out: who is convicted, and how often a suspect could have changed
an answer and did not. Names of tools speak too, in generic English: `get` looks and `cancel` changes. Not here: what follows
from the evidence (`independence`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.values.normal import tokens_in
from synth.world.grouping import sets_by_key
from synth.world.influence.blame import fewest
from synth.world.observation import Observation
from synth.world.support import SEEN_TWICE

MIN_ARRIVALS: Final = SEEN_TWICE
"""Episodes in which a tool put something in."""

Suspect = tuple[str, bool]
"""A tool, and whether its call shares a name with the call that it may have changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Two unequal answers to equal calls."""

    suspects: frozenset[Suspect]
    """All tools called before one of them and not before the other, readers included."""
    episodes: frozenset[int]
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two equal answers to equal calls."""

    once: frozenset[Suspect]
    """Who was called before one of them and not before the other."""
    suspects: frozenset[Suspect]
    calls: frozenset[tuple[Suspect, str]]
    """The calls of those who were called before one of them only."""
    key: str
    said: frozenset[tuple[str, str]] = frozenset()
    """What those of them said that were given nothing: tool and sentence."""


@dataclass(slots=True)
class Evidence:
    """What pairs of equal calls say about one tool's answers."""

    stated: Mapping[str, float] = field(default_factory=dict)
    """By tool what its words state (`stated_effects`)."""
    calm: dict[Suspect, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Equal calls that were answered alike with and without the suspect before them."""
    trials: dict[Suspect, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    """The same, each with the suspect's own call: one opportunity to change the answer that changed nothing."""
    said: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """The same, by what the suspect said, where it is given nothing: of `nothing to take back` `taken back` is not cleared."""
    changes: list[Event] = field(default_factory=list)
    """Unequal answers, by the known writers that may explain them."""
    absences: list[Event] = field(default_factory=list)
    """Those of which one was a refusal and the other was not."""
    others: list[Event] = field(default_factory=list)
    """All other ones."""
    events: list[Event] = field(default_factory=list)
    """Unequal answers, by all tools that may explain them."""
    agreements: list[Agreement] = field(default_factory=list)
    alike: int = 0
    """Pairs that agree."""
    restless: int = 0
    """Pairs that differ though nothing else was done differently."""
    wide: bool = False
    """It is called without arguments: what it shows is of everything."""
    personal: bool = False
    """It is asked for nothing but whoever is signed in: that it shares this name with another call says nothing."""
    always: set[str] = field(default_factory=set)
    """Tools that came before every success."""
    convicted: set[Suspect] = field(default_factory=set)
    """The fewest suspects that explain all `changes`."""
    creators: set[Suspect] = field(default_factory=set)
    """The fewest that explain the `absences`: their calls make records, or take them away."""
    hinted: set[str] = field(default_factory=set)
    """Writers of records that hold what calls without names ask for: no trial says what they did to the same record."""
    arrivals: dict[str, set[tuple[int, str]]] = field(default_factory=lambda: defaultdict(set))
    """Per tool the episodes and calls after which the answer named what only that call had named: it puts something in."""
    changers: set[Suspect] = field(default_factory=set)
    """The fewest that explain the `others`."""

    def weigh(self) -> None:
        """Count what speaks for each suspect: not where another one is known to change this, and to be undone by it."""
        guilty: set[Suspect] = set()
        for _ in range(2):
            self.calm.clear()
            self.trials.clear()
            self.said.clear()
            for agreed in self.agreements:
                for suspect in agreed.once:
                    if not (agreed.suspects & guilty) - {suspect}:
                        self.calm[suspect].add(agreed.key)
                for suspect, call in agreed.calls:
                    if not (agreed.suspects & guilty) - {suspect}:
                        self.trials[suspect].add((agreed.key, call))
                for tool, sentence in agreed.said:
                    if not (agreed.suspects & guilty) - {(tool, False)}:
                        self.said[tool, sentence].add(agreed.key)
            guilty = cover(self, self.events)

    def doubt_the_far(self) -> None:
        """Take back what clears a call from afar where one about the very same thing, known to change it, came with it.

        A cell was put and then undone: that it says what it said before does not mean that undoing leaves cells alone.
        """
        near = {suspect for suspect in self.convicted if suspect[1]}
        if not near:
            return
        plain = [agreed for agreed in self.agreements if agreed.suspects.isdisjoint(near)]
        for suspect in [s for s in self.trials if not s[1]]:
            self.calm[suspect] &= {a.key for a in plain if suspect in a.once}
            self.trials[suspect] &= {(a.key, c) for a in plain for s, c in a.calls if s == suspect}
        for said in self.said:
            self.said[said] &= {a.key for a in plain if said in a.said}

    def calls_tried(self, name: str, sentences: Iterable[str] = ()) -> int:
        """Different calls that were answered alike with and without a tool before that shares no name with them.

        Of one that is given nothing: whichever of its sentences it said.
        """
        tried = len({key for key, _ in self.trials.get((name, False), ())})
        return min([tried, *(len(self.said.get((name, one), ())) for one in sentences)])

    def puts_in(self, name: str) -> bool:
        """Whether calls of a tool put what they name into answers that did not name it, oftener than they leave them alone.

        An answer without it shares no name with such a call, so that nothing but this says that they belong together.
        """
        put = self.arrivals.get(name, set())
        episodes = {episode for episode, _ in put}
        return len(episodes) >= MIN_ARRIVALS and len(put) > len(self.trials.get((name, False), ()))

    def favour(self, tool: str) -> float:
        """How much likelier a tool is to have made a change than one whose words state nothing."""
        return float(2.0 ** self.stated.get(tool, 0.0))

    def seems_to_create(self, name: str) -> bool:
        """Whether all that a tool was seen to do from afar is that records come or go."""
        key = (name, False)
        return key in self.creators and key not in self.changers


def rates_of(events: Sequence[Event], evidence: Evidence) -> dict[Suspect, float]:
    """Of the different calls that a suspect came before: the share that was then answered otherwise."""
    keys = sets_by_key((suspect, event.key) for event in events for suspect in event.suspects)
    return {
        suspect: len(changed) / (len(changed) + len(evidence.calm.get(suspect, ())))
        for suspect, changed in keys.items()
    }


def newly_arrived(
    differing: Sequence[Observation],
    *,
    after: Observation,
    past: Sequence[Observation],
    without: Observation,
) -> tuple[str, str] | None:
    """The one different call, where only the answer after it names what it named."""
    done = {(o.tool, o.key): o for o in differing}
    if len(done) != 1:
        return None
    ((tool, key), call) = done.popitem()
    named = call.names | call.tokens
    before = without.names | tokens_in(without.arguments)
    came = call in past and not named.isdisjoint(after.names - before)
    return (tool, key) if came and named.isdisjoint(before) else None


def cover(evidence: Evidence, changes: Sequence[Event]) -> set[Suspect]:
    """Fewest suspects that explain the changes, those that most often come with one first."""

    def rank(left: Sequence[Event]) -> dict[Suspect, tuple[float, int]]:
        counts = Counter(suspect for change in left for suspect in change.suspects)
        rates = rates_of(left, evidence)
        return {
            suspect: (rate * evidence.favour(suspect[0]), counts[suspect])
            for suspect, rate in rates.items()
        }

    return {suspect for suspect, _ in fewest(changes, rank)}
