"""Tools that compute from their arguments: sums, means, conversions, in a sentence or in a record.

Comes from observations and from what relevance says of who changes anything; sets what a tool computes. All formulas that fit are
kept, a call on which they differ is unknown. Not here: the formulas (`formulas`), calculations written as text (`kinds`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from environments.runtime.answers.computed import (
    LIST,
    NUMBER,
    compute,
    shape_of,
)
from environments.runtime.document.codec import encode
from environments.runtime.document.tools import CasePart, ComputedPart
from environments.runtime.expr.formulas import REASONS, NoResultError, result_of
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.model import ToolModel, Workbench
from synth.world.observation import Observation
from synth.world.schema.answer_parts import Parts, commonest, is_number_text, parts_of
from synth.world.search.formulas import GivenCall, is_echo, is_factor, ways_of
from synth.world.support import SEEN_SEVERAL_TIMES, SEEN_THRICE, SEEN_TWICE

MIN_CALLS: Final = SEEN_SEVERAL_TIMES
"""Different calls that a formula gives: fewer fit too many."""
MIN_OF_WORDS: Final = SEEN_THRICE
"""Of calls that have the same words: what is multiplied by one number, to the letter."""
MIN_RESULTS: Final = SEEN_THRICE
MIN_ELSEWHERE: Final = SEEN_TWICE
"""Different calls outside any one episode."""
MIN_REFUSED: Final = SEEN_TWICE
MIN_AFTER: Final = SEEN_THRICE
"""Calls after a tool that changes something, before a rate is taken to outlast it."""
MAX_FITTED: Final = 300
"""Different calls that formulas are searched in; the rest verifies them once."""
MAX_WORDS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    arguments: dict[str, Json]
    content: str
    episode: int
    parts: Parts | None


Kind = tuple[tuple[str, str], ...]


def learn_computed(bench: Workbench) -> None:
    """Set what each tool computes that takes numbers and changes nothing."""
    tools = [tool for _, tool in sorted(bench.tools.items())]
    parts = {t.name: part for t in tools if _takes_numbers(t) and (part := _computes(t))}
    changed = any(t.evidence.get("changes") or t.evidence.get("hangs_on") for t in tools)
    # A calculator: what most of its tools do says more than a name such as "add" or "divide".
    stateless = not changed and len(parts) * 2 > len(tools)
    kept = {
        name
        for name, part in parts.items()
        if any(is_factor(way) for case in part.cases for ways in case.slots for way in ways)
    }
    taken = {
        tool.name
        for tool in tools
        if tool.name in parts
        and (stateless or not (bench.living and tool.name in kept))
        and (tool.innocent or stateless)
    }
    found = {name for name in taken if not bench.tools[name].innocent}
    for name in found:
        bench.tools[name].take_for_reader()
        bench.tools[name].evidence.pop("suspected", None)
    for name in taken:
        tool, part = bench.tools[name], parts[name]
        untried = frozenset(_untried(bench, tool)) if name in kept else None
        tool.computes = replace(part, untried=untried)
        tool.says = f"computes {stable(encode(part.cases[0])['slots'])} of its arguments"
    for tool in tools:
        for names in (tool.heeds, tool.untried, tool.makers, tool.suspects):
            names.difference_update(found)


def _takes_numbers(tool: ToolModel) -> bool:
    return tool.kind in {"read", "search", "write"} and any(
        shape_of(value) for seen in tool.observations for value in seen.arguments.values()
    )


def _untried(bench: Workbench, tool: ToolModel) -> list[str]:
    """Tools that change something, after whose calls this one was hardly asked about the same words."""
    known = {word for seen in tool.observations for word in _words(seen)}
    after: Counter[str] = Counter()
    for history in bench.histories:
        past: dict[str, list[set[str]]] = defaultdict(list)
        for seen in history.observations:
            if seen.tool == tool.name:
                mine = _words(seen)
                after.update(
                    name
                    for name, calls in past.items()
                    if any(not about or about & mine for about in calls)
                )
            elif not bench.refused(seen):
                past[seen.tool].append(_words(seen) & known)
    return sorted(n for n, t in bench.tools.items() if not t.innocent and after[n] < MIN_AFTER)


def _words(seen: Observation) -> set[str]:
    return {value for value in seen.arguments.values() if isinstance(value, str)}


def _computes(tool: ToolModel) -> ComputedPart | None:
    good = _calls(tool.good())
    answers = sets_by_key((stable(call.arguments), call.content) for call in good)
    if len(answers) < MIN_CALLS or any(len(contents) > 1 for contents in answers.values()):
        return None
    groups: dict[Kind, list[_Call]] = defaultdict(list)
    for call in good:
        kind = _kind(call.arguments)
        if kind is not None:
            groups[kind].append(call)
    cases = [case for kind, calls in sorted(groups.items()) for case in _cases(kind, calls)]
    if not cases:
        return None
    return _explain_no_result(tool, cases, good)


def _explain_no_result(
    tool: ToolModel, cases: Sequence[CasePart], good: Sequence[_Call]
) -> ComputedPart | None:
    """The cases with what they say where there is no result; None where a recorded answer is another than computed."""
    computed = ComputedPart(cases=tuple(cases))
    known = {id(seen) for seen in tool.good()}
    odd = _calls(seen for seen in tool.observations if id(seen) not in known)
    reproduced = 0
    without: dict[tuple[int, str], list[_Call]] = defaultdict(list)
    for call in (*good, *odd):
        told = compute(computed, call.arguments)
        if told is not None and told[0] != call.content:
            return None
        reproduced += told is not None
        if told is None:
            for at, reason in _reasons(computed, call):
                without[at, reason].append(call)
    refusals: list[dict[str, str]] = [{} for _ in cases]
    for (at, reason), calls in without.items():
        different = {stable(call.arguments) for call in calls}
        if len({call.content for call in calls}) == 1 and len(different) >= MIN_REFUSED:
            refusals[at][reason] = calls[0].content
    tool.evidence["computes"] = {"reproduced": reproduced, "calls": len(tool.observations)}
    return ComputedPart(
        cases=tuple(replace(c, refusals=r) for c, r in zip(cases, refusals, strict=True))
    )


def _reasons(computed: ComputedPart, call: _Call) -> Iterable[tuple[int, str]]:
    """Where a case has no result for a call: the case, and why."""
    for at, case in enumerate(computed.cases):
        names = {*case.takes, *case.words, *case.given}
        if call.arguments.keys() != names:
            continue
        if any(stable(call.arguments[n]) != text for n, text in case.given.items()):
            continue
        if any(shape_of(call.arguments[n]) != shape for n, shape in case.takes.items()):
            continue
        for formula, _ in (way for ways in case.slots for way in ways):
            try:
                result_of(formula, call.arguments)
            except NoResultError as fault:
                if str(fault) in REASONS:
                    yield at, str(fault)
            break


def _calls(seen: Iterable[Observation]) -> list[_Call]:
    return [
        _Call(
            arguments=one.sent_arguments(),
            content=one.content,
            episode=one.episode,
            parts=parts_of(one.content),
        )
        for one in seen
    ]


def _kind(arguments: dict[str, Json]) -> Kind | None:
    """The arguments with what they are; None where one is neither a number, a list of them nor a word."""
    out: list[tuple[str, str]] = []
    for name, value in sorted(arguments.items()):
        shape = shape_of(value) or ("word" if isinstance(value, str) else None)
        if shape is None:
            return None
        out.append((name, shape))
    return tuple(out)


def _cases(kind: Kind, calls: Sequence[_Call]) -> list[CasePart]:
    words = [name for name, shape in kind if shape == "word"]
    whole = _case(kind, calls, least=MIN_CALLS, factors=not words)
    if whole is not None:
        return [whole]
    if not words:
        return []
    by_words = lists_by_key(
        (stable([call.arguments[name] for name in words]), call) for call in calls
    )
    if len(by_words) > MAX_WORDS:
        return []
    found = (
        _case(kind, group, least=MIN_OF_WORDS, factors=True)
        for _, group in sorted(by_words.items())
    )
    return [case for case in found if case is not None]


def _case(kind: Kind, calls: Sequence[_Call], *, least: int, factors: bool) -> CasePart | None:
    """One kind of call, where formulas give every number in its answers."""
    between = commonest([call.parts for call in calls])
    if between is None:
        return None
    seen: dict[str, _Call] = {}
    episodes: dict[str, set[int]] = defaultdict(set)
    for call in calls:
        if call.parts is not None and call.parts.between == between:
            key = stable(call.arguments)
            seen.setdefault(key, call)
            episodes[key].add(call.episode)
    if len(seen) < least or len({call.content for call in seen.values()}) < MIN_RESULTS:
        return None
    alone = Counter(next(iter(e)) for e in episodes.values() if len(e) == 1)
    if len(seen) - max(alone.values(), default=0) < MIN_ELSEWHERE:
        return None
    some = list(seen.values())[:MAX_FITTED]
    given = {
        name: stable(some[0].arguments[name])
        for name, _ in kind
        if len({stable(call.arguments[name]) for call in some}) == 1
    }
    text, slots = _text(kind, some, between, given=given, factors=factors)
    if not slots or not any(not any(map(is_echo, ways)) for ways in slots):
        return None
    return CasePart(
        takes={n: shape for n, shape in kind if shape != "word" and n not in given},
        words=tuple(n for n, shape in kind if shape == "word" and n not in given),
        given=given,
        text=tuple(text),
        slots=tuple(slots),
    )


def _text(
    kind: Kind,
    calls: Sequence[_Call],
    between: tuple[str, ...],
    *,
    given: dict[str, str],
    factors: bool,
) -> tuple[list[Any], list[Any]]:
    """The answer in parts and the formulas of its numbers; nothing where a part has no explanation."""
    numbers = [n for n, shape in kind if shape == NUMBER]
    lists = [n for n, shape in kind if shape == LIST]
    words = [n for n, shape in kind if shape == "word" and n not in given]
    text: list[Any] = [between[0]]
    slots: list[Any] = []
    rows = [call.parts.tokens for call in calls if call.parts is not None]
    for at, after in enumerate(between[1:]):
        tokens = [row[at] for row in rows]
        if len(set(tokens)) == 1:
            text[-1] += tokens[0] + after
            continue
        if all(map(is_number_text, tokens)):
            pairs = [
                GivenCall(arguments=c.arguments, text=t) for c, t in zip(calls, tokens, strict=True)
            ]
            ways = ways_of(pairs, numbers, lists, factors=factors)
            if not ways:
                return [], []
            text += [len(slots), after]
            slots.append(ways)
            continue
        says = [
            n for n in words if all(c.arguments[n] == t for c, t in zip(calls, tokens, strict=True))
        ]
        if not says:
            return [], []
        text += [says, after]
    return text, slots
