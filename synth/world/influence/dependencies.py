"""Dependencies: which earlier calls a tool's answers depend on, found from equal calls with unequal pasts.

Comes from observations. Sets, where every episode starts afresh, per tool: the tools whose every call matters to it (`heeds`), those
whose calls never do (`ignores`), those of which too little is known (`untried`), and per writer the tables that it changes without
naming their rows (`far`). A tool is suspected until pairs of equal calls, one with it in the past and one without, were answered alike.
Of a backend that lives on only the calls of one episode are compared, and `time.indirect_effects` sets `far`. Not here: what a
write does to records (`actions.effects`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import tokens_in
from environments.runtime.views.implicit_subject import SUBJECT
from environments.runtime.world.state import ABSENCE
from synth.world.grouping import lists_by_key
from synth.world.influence.blame import fewest
from synth.world.influence.contrast_pairs import (
    Agreement,
    Event,
    Evidence,
    Suspect,
    cover,
    newly_arrived,
    rates_of,
)
from synth.world.influence.independence import MODE, ignored, left_alone, matters_far, states_of
from synth.world.influence.purity_prior import MIN_NAMED, enough
from synth.world.influence.repeatability import (
    aimless_again,
    changed_by_asking,
    share_numbers,
    share_series,
)
from synth.world.influence.sequences import after_alone, before_nothing, pasts_of
from synth.world.influence.writers import finds_the_same
from synth.world.model import TOO_FEW, ToolModel, Workbench, outcome_class, refused
from synth.world.observation import Observation
from synth.world.support import FAVOUR, HALF_OF_CASES, SEEN_ALL_THE_TIME, SEEN_THRICE
from synth.world.time.indirect_effects import note_afar, note_pasts
from synth.world.volatile.tokens import admits

MAX_EXAMPLES: Final = 20
"""Examples of one call that are compared pairwise: learning stays linear in the number of episodes."""
MAX_ANSWERS: Final = 8
"""Different answers among them: of a call that is answered in many ways some answers have to be there twice."""
MIN_NEAR: Final = SEEN_THRICE
"""Unequal answers and no equal ones, before a tool is taken to be a clock."""
MIN_LOCAL: Final = SEEN_ALL_THE_TIME
"""Equal calls answered alike, none ever otherwise from afar, before calls that share no name are taken as unrelated."""
SURE: Final = SEEN_THRICE
"""Different calls answered alike with and without a tool before its absence is taken not to matter either."""
MAX_ROUNDS: Final = 8
MIN_MYSTERIES: Final = SEEN_THRICE
MIN_RATE: Final = HALF_OF_CASES
"""Changes that only a reader can explain, or their share, before it counts as a writer."""
READERS: Final = frozenset({"read", "search", "constant"})


@dataclass(slots=True, kw_only=True)
class _Example:
    """One call with everything that was done before it in its episode."""

    seen: Observation
    refused: bool
    past: tuple[Observation, ...]


def learn_relevance(bench: Workbench) -> None:
    """Set what every tool's answers hang on; a tool taken for a reader and convicted of a change becomes a writer."""
    found = _final_evidence(bench)
    if bench.living:
        note_afar(bench, {name: evidence.convicted for name, evidence in found.items()})
        note_pasts(bench, found)
        return
    find_hints(bench, found)
    changers = sorted(n for n, t in bench.tools.items() if not t.innocent)
    local, states = _is_local(found), states_of(found)
    after, spared = after_alone(bench), before_nothing(bench)
    otherwise = aimless_again(bench)
    sharing = share_numbers(bench)
    series = share_series(bench)
    said = {v: _sentences(bench.tools[v]) for v in changers}
    moved = Counter(v for e in found.values() for v, near in e.convicted if not near)
    changed = {v for e in found.values() for v, _ in e.convicted}  # such a look shows all
    for name, tool in bench.tools.items():
        evidence = found[name]
        tool.restless = _is_restless(evidence)
        heeds = evidence.hinted | {v for v in changers if evidence.puts_in(v)}
        if evidence.wide:
            # What such a call shows names this and that: that an answer does not name it says nothing.
            heeds |= {v for v, near in evidence.convicted if near}
        if not local:
            heeds |= {v for v in changers if matters_far(found, v, name, states=states)}
            heeds |= after[name].intersection(changers)
        heeds |= otherwise.intersection({name})
        heeds |= {v for v in sharing.get(name, ()) if evidence.calls_tried(v) < SURE}
        heeds |= series.get(name, set())
        tool.heeds = heeds.intersection(changers)
        left = [v for v in changers if v not in heeds]
        tool.untried = {v for v in left if evidence.calls_tried(v, said[v]) < SURE}
        tool.makers = tool.untried.intersection(changed if evidence.wide else moved) - spared[name]
        from_afar = any(not near for _, near in evidence.convicted)
        tool.suspects = tool.untried if from_afar else set()
        tool.modes = {v for v in tool.untried if moved[v] >= MODE}
        tool.ignores = ignored(bench, found, name, left, states=states)
        if evidence.convicted:
            tool.evidence["hangs_on"] = sorted({s[0] for s in evidence.convicted})
        if tool.table is not None and tool.innocent:
            for v in tool.heeds:
                only = evidence.seems_to_create(v)
                bench.tools[v].far.add(tool.table + ABSENCE if only else tool.table)
            for creator, _ in evidence.creators:
                bench.tools[creator].far.add(tool.table + ABSENCE)
            if tool.restless:
                tool.table = None
                tool.says = "never answers alike: a clock or dice"


def _sentences(tool: ToolModel) -> frozenset[str]:
    """What a tool that is given nothing says, where that is one of several things."""
    good = tool.good()
    said = frozenset(map(outcome_class, good))
    aimless = not any(seen.arguments for seen in good)
    return said if aimless and 1 < len(said) <= MAX_ANSWERS else frozenset()


def find_hints(bench: Workbench, found: dict[str, Evidence]) -> None:
    """Writers of records that hold the words by which a tool asks whose calls and answers name nothing."""
    words = {name: _words(tool) for name, tool in bench.tools.items()}
    for name, tool in bench.tools.items():
        if not tool.innocent or found[name].convicted or any(s.names for s in tool.observations):
            continue
        asked = [tokens_in(seen.arguments) for seen in tool.observations if seen.arguments]
        for other, shown in words.items():
            if asked and sum(not a.isdisjoint(shown) for a in asked) * 2 > len(asked):
                found[name].hinted |= {
                    v for v, near in found[other].convicted if near and v != other
                }


def _words(tool: ToolModel) -> frozenset[str]:
    """The short texts inside the records that a tool shows."""
    records: list[Json] = [seen.value for seen in tool.good() if isinstance(seen.value, dict)]
    return frozenset(t for t in tokens_in(records) if not t[1:].isdigit())


def _final_evidence(bench: Workbench) -> dict[str, Evidence]:
    """Evidence on every tool, once readers that must have changed something count as writers."""
    found = _asked_again(bench, _evidence(bench))
    for _ in range(MAX_ROUNDS):
        readers = _readers(bench)
        guilty = {name for e in found.values() for name in _impostors(e, readers)}
        if not guilty:
            break
        # Once the others count as writers, they may explain what a tool that says it looks was blamed for.
        for name in {name for name in guilty if bench.tools[name].stated >= 0} or guilty:
            _demote(bench.tools[name], "changes what others show")
        found = _evidence(bench)
    calm = left_alone(bench, found)
    shows = [t for t in bench.tools.values() if t.kind in {"read", "search"} and not t.declared]
    alone = {name for e in found.values() for name in _sole_suspects(e)}
    # Hardly a call comes before the one that lets a session in: no pairs could clear it.
    admit = admits(bench.views.tokens, {name: tool.stated for name, tool in bench.tools.items()})
    after_changes = _always_after_a_change(bench)
    doubted = [
        t
        for t in shows
        if t.name not in admit
        and calm[t.name]
        < enough(
            t,
            alone,
            living=bench.living or bench.own_starts is not None,
            by_name=not bench.is_certain and t.name not in after_changes,
        )
        and not (bench.living and _finds_the_same(t))
    ]
    for tool in doubted:
        _demote(tool, TOO_FEW)
        tool.doubted = True
    if doubted:
        found = _evidence(bench)
    for name, tool in bench.tools.items():
        names = {argument for seen in tool.observations for argument in seen.arguments}
        found[name].wide, found[name].personal = not names, names == {SUBJECT}
    for name, pasts in pasts_of(bench).items():
        found[name].always = set(frozenset.intersection(*pasts)) - {name}
    _convict(found)
    return found


def _always_after_a_change(bench: Workbench) -> set[str]:
    """Tools that never succeeded before a call of some tool that does not say that it looks: nobody knows how they answer without."""
    return {
        name
        for name, pasts in pasts_of(bench).items()
        if any(bench.tools[other].stated >= 0 for other in frozenset.intersection(*pasts) - {name})
    }


def _asked_again(bench: Workbench, found: dict[str, Evidence]) -> dict[str, Evidence]:
    """The evidence once readers whose second answer differs from the first count as writers."""
    # A clock answers otherwise too, and so it does with equal pasts in another episode.
    asked = {n for n in changed_by_asking(bench) & _readers(bench) if not found[n].restless}
    for name in asked:
        _demote(bench.tools[name], "answers otherwise when asked again at once")
    return _evidence(bench) if asked else found


def _finds_the_same(tool: ToolModel) -> bool:
    """Whether looks of different episodes agree so often that few looks of one episode do not speak against a reader."""
    if tool.stated < 0:
        return finds_the_same(tool)
    needed = enough(tool, set(), living=True)
    return needed < MIN_NAMED and finds_the_same(tool, MIN_NAMED)


def _sole_suspects(evidence: Evidence) -> Iterator[str]:
    """Tools that nobody shares the suspicion with, for some unequal answers."""
    for event in evidence.events:
        tools = {name for name, _ in event.suspects}
        if len(tools) == 1:
            yield from tools


def _convict(found: dict[str, Evidence]) -> None:
    """Convict, per tool, the fewest suspects that explain its unequal answers."""
    for evidence in found.values():
        if not _is_restless(evidence):
            evidence.convicted = cover(evidence, evidence.changes)
            evidence.creators = cover(evidence, evidence.absences)
            evidence.changers = cover(evidence, evidence.others)
            evidence.doubt_the_far()


def _readers(bench: Workbench) -> frozenset[str]:
    return frozenset(n for n, t in bench.tools.items() if t.kind in READERS)


def _demote(tool: ToolModel, why: str) -> None:
    # What always says the same still does; what it says is no evidence of what it does.
    tool.kind = "act" if tool.kind == "constant" else "write"
    tool.loose = False
    tool.evidence["suspected"] = why


def _impostors(evidence: Evidence, readers: frozenset[str]) -> Iterator[str]:
    """Readers that explain changes which no known writer explains as well."""

    def rank(left: Sequence[Event]) -> dict[Suspect, tuple[float, int]]:
        counts = Counter(s for event in left for s in event.suspects)
        return {
            s: ((rate if s[0] in readers else rate * FAVOUR) * evidence.favour(s[0]), counts[s])
            for s, rate in rates_of(left, evidence).items()
        }

    for suspect, explained in fewest(() if _is_restless(evidence) else evidence.events, rank):
        tool = suspect[0]
        # One odd episode convicts nobody.
        odd = frozenset[int].intersection(*(event.episodes for event in explained))
        if tool not in readers or odd:
            continue
        few = len(explained) < MIN_MYSTERIES
        if not few or (len(explained) > 1 and rates_of(explained, evidence)[suspect] >= MIN_RATE):
            yield tool


def _evidence(bench: Workbench) -> dict[str, Evidence]:
    stated = {name: tool.stated for name, tool in bench.tools.items()}
    out = {name: Evidence(stated=stated) for name in bench.tools}
    readers = _readers(bench)
    for (name, _, _), group in _groups(bench).items():
        for left, right in combinations(_distinct_first(group), 2):
            _compare(left, right, readers, out[name])
    for evidence in out.values():
        evidence.weigh()
    return out


def _groups(bench: Workbench) -> dict[tuple[str, str, int], list[_Example]]:
    """Calls that are compared: of a backend that lives on those of one episode, where nothing unseen came between."""
    groups: dict[tuple[str, str, int], list[_Example]] = defaultdict(list)

    def counts(seen: Observation) -> bool:
        tool = bench.tools[seen.tool]
        return tool.kind != "pure" and not tool.declared and not refused(tool, seen)

    for history, seen, past in bench.with_pasts(counts):
        if bench.tools[seen.tool].kind != "pure":
            whose = history.index if bench.living else -1
            example = _Example(seen=seen, refused=bench.refused(seen), past=past)
            groups[seen.tool, seen.key, whose].append(example)
    return groups


def _distinct_first(group: Sequence[_Example]) -> list[_Example]:
    """Different answers first, short pasts before long ones, up to a bound."""
    by_answer = lists_by_key(
        (example.seen.content, example) for example in sorted(group, key=lambda e: len(e.past))
    )
    queues = sorted(by_answer.values(), key=lambda q: -len(q))[:MAX_ANSWERS]
    out: list[_Example] = []
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
        once = frozenset(_suspects_of(left) ^ _suspects_of(right)) & suspects
        calls = frozenset(_calls(left, once)) | frozenset(_calls(right, once))
        among = {tool for tool, near in once if not near}
        said = {
            (o.tool, outcome_class(o)) for o in differing if not o.arguments and o.tool in among
        }
        into.agreements.append(
            Agreement(
                once=once, suspects=suspects, calls=calls, key=left.seen.key, said=frozenset(said)
            )
        )
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
    for holder, lacker in ((left, right), (right, left)):
        put = newly_arrived(differing, after=holder.seen, past=holder.past, without=lacker.seen)
        if put is not None:
            into.arrivals[put[0]].add((holder.seen.episode, put[1]))
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


def _calls(example: _Example, suspects: frozenset[Suspect]) -> Iterator[tuple[Suspect, str]]:
    """The calls of some suspects before one call."""
    among = {tool for tool, _ in suspects}
    past = [o for o in example.past if o.tool in among]
    for suspect, seen in zip(_suspects(example.seen, example.seen, past), past, strict=True):
        if suspect in suspects:
            yield suspect, seen.key


def _suspects_of(example: _Example) -> frozenset[Suspect]:
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
    yield from ((o.tool, not names.isdisjoint(o.names | o.tokens)) for o in past)


def _is_restless(evidence: Evidence) -> bool:
    """Whether answers differ with equal pasts, or were never once alike."""
    return evidence.restless > 0 or (not evidence.alike and len(evidence.events) >= MIN_NEAR)


def _is_local(found: dict[str, Evidence]) -> bool:
    """Whether in many equal calls nothing was ever changed by a call that shares no name with it: ids say it all."""
    if any(not near for e in found.values() for _, near in e.convicted):
        return False
    return sum(e.alike for e in found.values()) >= MIN_LOCAL
