"""Relevance: which earlier calls a tool's answers hang on, found from equal calls with unequal pasts.

Comes from observations of a backend that starts afresh with every episode; sets, per tool, the tools whose every call
matters to it (`heeds`), those whose calls never do (`ignores`), those that must have come before (`needs`), and per
writer the tables that it changes without naming their rows (`far`). A tool is suspected until pairs of equal calls,
one with it in the past and one without, were answered alike. Not here: what a write does (`effects`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from environments.runtime.normal import names_in, tokens_in
from environments.runtime.world_state import ABSENCE
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import Observation

MAX_EXAMPLES: Final = 12
"""Examples of one call that are compared pairwise: learning stays linear in the number of episodes."""
MIN_OWN: Final = 2
"""Different calls of one tool, answered alike with and without another before, that clear the other."""
MIN_NEAR: Final = 3
MIN_SELF: Final = 4
"""The same for a tool's own earlier calls: what changes anything mostly changes its own next answer."""
MIN_ALL: Final = 6
"""Different calls of all tools that clear a tool never convicted."""
MIN_CALM: Final = 15
MIN_CALM_WRITERS: Final = 3
"""Different calls, and the number of tools before them, that show a tool to heed nobody it shares no name with."""
MIN_LOCAL: Final = 50
"""Equal calls answered alike, none ever otherwise from afar, before calls that share no name are taken as unrelated."""
MIN_READER: Final = 3
"""Different calls answered alike before a tool with a telling result counts as one that changes nothing."""

MAX_ROUNDS: Final = 8
MIN_MYSTERIES: Final = 3
MIN_RATE: Final = 0.5
"""Changes that only a reader can explain, or their share, before it counts as a writer."""
FAVOUR: Final = 1.5
"""How much likelier a known writer is to have made a change than a tool that seems to read."""
READERS: Final = frozenset({"read", "search", "constant"})

Suspect = tuple[str, bool]
"""A tool, and whether its call shares a name with the call that it may have changed."""


@dataclass(slots=True, kw_only=True)
class _Example:
    """One call with everything that was done before it in its episode."""

    seen: Observation
    refused: bool
    past: tuple[Observation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Two unequal answers to equal calls."""

    suspects: frozenset[Suspect]
    """Everything done before one of them and not before the other, readers included."""
    episodes: frozenset[int]
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two equal answers to equal calls."""

    once: frozenset[Suspect]
    """Who was called before one of them and not before the other."""
    suspects: frozenset[Suspect]
    key: str


@dataclass(slots=True)
class Evidence:
    """What pairs of equal calls say about one tool's answers."""

    calm: dict[Suspect, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Calls answered alike with and without the suspect."""
    changes: list[Event] = field(default_factory=list)
    absences: list[Event] = field(default_factory=list)
    """Suspects where one answer was a refusal and the other was not."""
    others: list[Event] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    """Unequal answers, with all that may explain them."""
    agreements: list[Agreement] = field(default_factory=list)
    alike: int = 0
    restless: int = 0
    """Pairs that differ though nothing else was done differently."""
    convicted: set[Suspect] = field(default_factory=set)
    creators: set[Suspect] = field(default_factory=set)
    changers: set[Suspect] = field(default_factory=set)
    """Convicted by other changes than a record coming or going."""

    def weigh(self) -> None:
        """Count what speaks for each suspect: not where another one is known to change this, and to be undone by it."""
        guilty: set[Suspect] = set()
        for _ in range(2):
            self.calm.clear()
            for agreed in self.agreements:
                for suspect in agreed.once:
                    if not (agreed.suspects & guilty) - {suspect}:
                        self.calm[suspect].add(agreed.key)
            guilty = _cover(self, self.events)

    def seems_to_create(self, name: str) -> bool:
        """Whether all that a tool was seen to do from afar is that records come or go."""
        key = (name, False)
        return key in self.creators and key not in self.changers


def learn_relevance(bench: Workbench) -> None:
    """Set what every tool's answers hang on; a tool taken for a reader and convicted of a change becomes a writer."""
    if bench.living:
        return
    found = _convict(bench)
    changers = sorted(n for n, t in bench.tools.items() if not t.innocent)
    local = _is_local(found)
    for name, tool in bench.tools.items():
        evidence = found[name]
        heeds = set() if local else {v for v in changers if _matters_far(found, v, name)}
        tool.restless = _is_restless(evidence)
        tool.heeds = heeds
        tool.ignores = {v for v in changers if v not in heeds and _never_matters(found, v, name)}
        if evidence.convicted:
            tool.evidence["hangs_on"] = sorted({s[0] for s in evidence.convicted})
        if tool.table is not None and tool.innocent:
            for v in heeds:
                only = evidence.seems_to_create(v)
                bench.tools[v].far.add(tool.table + ABSENCE if only else tool.table)
            for creator, _ in evidence.creators:
                bench.tools[creator].far.add(tool.table + ABSENCE)
            if tool.restless:
                tool.table = None
                tool.says = "never answers alike: a clock or dice"
    _learn_needs(bench)
    _learn_news(bench)


def _learn_news(bench: Workbench) -> None:
    """Tools whose results mostly name something that neither the call nor anything before it had named."""
    news: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for history in bench.histories:
        known: set[str] = set()
        for seen in history.observations:
            tool = bench.tools[seen.tool]
            if not tool.innocent and not refused(tool, seen):
                told = (seen.names | seen.tokens) - known - names_in(seen.arguments)
                calls[seen.tool] += 1
                news[seen.tool] += bool(told - tokens_in(seen.arguments))
            known |= seen.names | seen.tokens
    for name, tool in bench.tools.items():
        tool.news = news[name] * 2 > calls[name]


def _convict(bench: Workbench) -> dict[str, Evidence]:
    """Evidence on every tool, once readers that must have changed something count as writers."""
    found = _evidence(bench)
    for _ in range(MAX_ROUNDS):
        readers = _readers(bench)
        guilty = {name for e in found.values() for name in _impostors(e, readers)}
        if not guilty:
            break
        for name in guilty:
            _demote(bench.tools[name], "changes what others show")
        found = _evidence(bench)
    calm: Counter[str] = Counter()
    for evidence in found.values():
        for (name, _), keys in evidence.calm.items():
            calm[name] += len(keys)
    shows = [t for t in bench.tools.values() if t.kind in {"read", "search"}]
    doubted = [t for t in shows if calm[t.name] < MIN_READER]
    for tool in doubted:
        _demote(tool, "too few calls after it")
        tool.doubted = True
    if doubted:
        found = _evidence(bench)
    for evidence in found.values():
        if not _is_restless(evidence):
            evidence.convicted = _cover(evidence, evidence.changes)
            evidence.creators = _cover(evidence, evidence.absences)
            evidence.changers = _cover(evidence, evidence.others)
    return found


def _readers(bench: Workbench) -> frozenset[str]:
    return frozenset(n for n, t in bench.tools.items() if t.kind in READERS)


def _demote(tool: ToolModel, why: str) -> None:
    # What always says the same still does; what it says is no evidence of what it does.
    tool.kind = "act" if tool.kind == "constant" else "write"
    tool.loose = False
    tool.evidence["suspected"] = why


def _impostors(evidence: Evidence, readers: frozenset[str]) -> Iterator[str]:
    """Readers that explain changes which no known writer explains as well."""
    left = [] if _is_restless(evidence) else list(evidence.events)
    while left:
        counts = Counter(s for event in left for s in event.suspects)
        rates = {
            s: rate if s[0] in readers else rate * FAVOUR
            for s, rate in _rates(left, evidence).items()
        }
        if not rates:
            return
        best = max(rates, key=lambda s: (rates[s], counts[s], s))
        blamed = [event for event in left if best in event.suspects]
        # One odd episode convicts nobody.
        odd = frozenset[int].intersection(*(event.episodes for event in blamed))
        if (
            best[0] in readers
            and not odd
            and (len(blamed) >= MIN_MYSTERIES or (len(blamed) > 1 and rates[best] >= MIN_RATE))
        ):
            yield best[0]
        left = [event for event in left if best not in event.suspects]


def _evidence(bench: Workbench) -> dict[str, Evidence]:
    out = {name: Evidence() for name in bench.tools}
    readers = _readers(bench)
    for (name, _), group in _groups(bench).items():
        for left, right in combinations(_spread(group), 2):
            _compare(left, right, readers, out[name])
    for evidence in out.values():
        evidence.weigh()
    return out


def _groups(bench: Workbench) -> dict[tuple[str, str], list[_Example]]:
    groups: dict[tuple[str, str], list[_Example]] = defaultdict(list)
    for history in bench.histories:
        past: list[Observation] = []
        for seen in history.observations:
            tool = bench.tools[seen.tool]
            if tool.kind == "pure":
                continue
            no = refused(tool, seen)
            groups[seen.tool, seen.key].append(_Example(seen=seen, refused=no, past=tuple(past)))
            if not no:
                past.append(seen)
    return groups


def _spread(group: Sequence[_Example]) -> list[_Example]:
    """Different answers first, short pasts before long ones, up to a bound."""
    by_answer: dict[str, list[_Example]] = defaultdict(list)
    for example in sorted(group, key=lambda e: len(e.past)):
        by_answer[example.seen.content].append(example)
    out: list[_Example] = []
    queues = sorted(by_answer.values(), key=lambda q: -len(q))
    for at in range(MAX_EXAMPLES):
        for queue in queues:
            if at < len(queue) and len(out) < MAX_EXAMPLES:
                out.append(queue[at])
    return out


def _compare(left: _Example, right: _Example, readers: frozenset[str], into: Evidence) -> None:
    differing = _difference(left.past, right.past)
    suspects = frozenset(_suspects(left.seen, right.seen, differing))
    if left.seen.content == right.seen.content:
        into.alike += 1
        # Two calls of a suspect with other arguments may both have done something, and the same.
        once = frozenset(_done(left) ^ _done(right)) & suspects
        into.agreements.append(Agreement(once=once, suspects=suspects, key=left.seen.key))
        return
    mine, theirs = _writes(left, readers), _writes(right, readers)
    if [(o.tool, o.key) for o in mine] == [(o.tool, o.key) for o in theirs]:
        if suspects:
            into.events.append(_event(suspects, left, right))
        else:
            into.restless += 1
        return
    differing = _difference(mine, theirs) or mine
    guilty = frozenset(_suspects(left.seen, right.seen, differing))
    change = _event(guilty, left, right)
    into.changes.append(change)
    into.events.append(_event(suspects or guilty, left, right))
    if left.refused is not right.refused:
        into.absences.append(change)
    else:
        into.others.append(change)


def _event(suspects: frozenset[Suspect], left: _Example, right: _Example) -> Event:
    episodes = frozenset({left.seen.episode, right.seen.episode})
    return Event(suspects=suspects, episodes=episodes, key=left.seen.key)


def _writes(example: _Example, readers: frozenset[str]) -> list[Observation]:
    return [o for o in example.past if o.tool not in readers]


def _done(example: _Example) -> frozenset[Suspect]:
    return frozenset(_suspects(example.seen, example.seen, example.past))


def _difference(left: Sequence[Observation], right: Sequence[Observation]) -> list[Observation]:
    """Calls that one past has more often than the other."""
    counts = Counter((o.tool, o.key) for o in left)
    counts.subtract((o.tool, o.key) for o in right)
    return [o for o in (*left, *right) if counts[o.tool, o.key]]


def _suspects(
    left: Observation, right: Observation, past: Iterable[Observation]
) -> Iterator[Suspect]:
    names = left.names | right.names | tokens_in(left.arguments)
    for seen in past:
        yield seen.tool, not names.isdisjoint(seen.names | seen.tokens)


def _rates(events: Sequence[Event], evidence: Evidence) -> dict[Suspect, float]:
    """Of the different calls that a suspect came before: the share that was then answered otherwise."""
    keys: dict[Suspect, set[str]] = defaultdict(set)
    for event in events:
        for suspect in event.suspects:
            keys[suspect].add(event.key)
    return {
        suspect: len(changed) / (len(changed) + len(evidence.calm.get(suspect, ())))
        for suspect, changed in keys.items()
    }


def _cover(evidence: Evidence, changes: list[Event]) -> set[Suspect]:
    """Fewest suspects that explain the changes, those that most often come with one first."""
    left = list(changes)
    out: set[Suspect] = set()
    while left:
        rates = _rates(left, evidence)
        counts = Counter(suspect for change in left for suspect in change.suspects)
        if not rates:
            break
        best = max(rates, key=lambda s: (rates[s], counts[s], s))
        out.add(best)
        left = [change for change in left if best not in change.suspects]
    return out


def _is_restless(evidence: Evidence) -> bool:
    """Whether answers differ with equal pasts, or were never once alike."""
    return evidence.restless > 0 or (not evidence.alike and len(evidence.events) >= MIN_NEAR)


def _is_local(found: dict[str, Evidence]) -> bool:
    """Whether in many equal calls nothing was ever changed by a call that shares no name with it: ids say it all."""
    if any(not near for e in found.values() for _, near in e.convicted):
        return False
    return sum(e.alike for e in found.values()) >= MIN_LOCAL


def _matters_far(found: dict[str, Evidence], suspect: str, name: str) -> bool:
    """Whether a tool's calls may matter to another's answers though they share no name."""
    evidence, key = found[name], (suspect, False)
    if key in evidence.convicted:
        return True
    if len(evidence.calm.get(key, ())) >= (MIN_SELF if suspect == name else MIN_OWN):
        return False
    if suspect == name:
        return True
    others = [e for e in found.values() if key in e.calm or key in e.convicted]
    guilty = any(key in e.convicted for e in others)
    if not guilty and sum(len(e.calm.get(key, ())) for e in others) >= MIN_ALL:
        return False
    if any(not near for _, near in evidence.convicted):
        return True
    around = {v: len(keys) for (v, near), keys in evidence.calm.items() if not near}
    return not (sum(around.values()) >= MIN_CALM and len(around) >= MIN_CALM_WRITERS)


def _never_matters(found: dict[str, Evidence], suspect: str, name: str) -> bool:
    evidence, key = found[name], (suspect, True)
    return key not in evidence.convicted and len(evidence.calm.get(key, ())) >= MIN_NEAR


def _learn_needs(bench: Workbench) -> None:
    """Tools without which a call was never seen to succeed, and those after which it never was."""
    before: dict[str, list[frozenset[str]]] = defaultdict(list)
    for history in bench.histories:
        past: set[str] = set()
        for seen in history.observations:
            tool = bench.tools[seen.tool]
            if not refused(tool, seen):
                before[seen.tool].append(frozenset(past))
                past.add(seen.tool)
    for name, tool in bench.tools.items():
        pasts = before[name]
        for v in tool.heeds - {name}:
            share = sum(v in past for past in pasts)
            if pasts and share == len(pasts):
                tool.needs.add(v)
            elif not share:
                tool.bars.add(v)
