"""The check on the end: which states an attempt may leave, and what they are compared by.

In: the ends of one task with their standing, the kinds of the app's tools. Out: the check `end_state` that pays, and the one that predicts;
their arguments are those that `environments.runtime.checks.ends.terms` reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.checks.ends.rows import effect_rows, event_rows, own_texts
from environments.runtime.checks.ends.terms import Write, end_id
from environments.runtime.task.attempt import EndState, Json
from environments.runtime.task.rubric import AGREEMENT, REWARD, Check
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import is_id
from synth.recordings.list_order import ordered_args
from synth.recordings.tool_kinds import MAYBE, WRITE, ToolKinds
from synth.recordings.traits import AppTraits
from synth.rubric.ends import WITNESSES, End
from synth.rubric.evidence import origin_of
from synth.rubric.habits import PREDICTED
from synth.solutions.plans import Doubts

END: Final = "end_state"


def end_check(
    ends: Sequence[End], traits: AppTraits, end_of: Callable[[Facts], EndState] | None
) -> Check:
    """The check that pays: the end of the attempt equals an accepted one."""
    kinds = traits.kinds
    accepted = [(end_id(n), one) for n, one in enumerate((e for e in ends if e.accepted), 1)]
    doubtful = [end for end in ends if end.good and not end.accepted]
    changes = any(end.good[0].writes for _, end in accepted)
    args: dict[str, Json] = {
        "ends": [_end_args(name, end, kinds, end_of) for name, end in accepted],
        "doubtful": [_end_args("", end, kinds) for end in doubtful],
        "writes": list[Json](kinds.tools_of(WRITE)),
        "maybe": list[Json](kinds.tools_of(MAYBE)),
        "ignore": kinds.ignore(),
        "silent": list[Json](sorted(traits.silent | set(kinds.failing(WRITE)))),
        "takes": list[Json](kinds.taking()),
        **_tool_lists(lasting=kinds.failing(WRITE), dirty=kinds.failing(MAYBE)),
        **_tool_lists(once=traits.repeats.once, again=traits.repeats.again),
    }
    if not accepted:
        args["bad"] = [_end_args("", end, kinds) for end in ends if _surely_bad(end)]
    return Check(
        check_id=END,
        fn="end_state",
        args=args,
        role=REWARD,
        required=True,
        positive=changes,
        support=sum(len(end.good) for _, end in accepted),
        counter=sum(len(end.bad) for _, end in accepted),
        origin=origin_of(a for _, end in accepted for a in end.good),
    )


def _tool_lists(**tools: Sequence[str]) -> dict[str, Json]:
    """Lists of tools under their names, without those that are empty."""
    return {name: list[Json](names) for name, names in tools.items() if names}


def _surely_bad(end: End) -> bool:
    """Two users said so, nobody said the opposite, and none of them was asked for a fact that may be missing."""
    return len(end.bad) >= WITNESSES and not end.good and not any(a.asked for a in end.bad)


def end_prediction(
    paid: Check,
    kinds: ToolKinds,
    accepted: Sequence[End],
    doubts: Doubts,
) -> Check:
    """The same question for agreement: where the world does not know, what most probably happened.

    Where the user never told a value, real users may want another one: that end is not predicted even where it is met.
    An end that one unreliable label calls right still fails what ends elsewhere, but passes nothing. One that differs in
    nothing but values that alike users corrected may be what another user would have wanted; so may one that is met, where
    the value is a choice among few.
    """
    args = {**paid.args, "refusals": kinds.refusals()}
    corrected, supposed = doubts.corrected, doubts.supposed
    named = {t: {*corrected.get(t, ()), *supposed.get(t, ())} for t in {*corrected, *supposed}}
    if named:
        args["corrected"] = [_but_for(end.good[0], named, kinds) for end in accepted]
    rows = paid.args["ends"]
    doubted = [
        bool(supposed) or end.unconfirmed or _chosen_anew(end.good[0], corrected)
        for end in accepted
    ]
    if isinstance(rows, list) and any(doubted):
        args["ends"] = [
            {**row, "unconfirmed": True} if isinstance(row, dict) and doubt else row
            for row, doubt in zip(rows, doubted, strict=True)
        ]
    return replace(paid, check_id=PREDICTED, args=args, role=AGREEMENT)


def _end_args(
    name: str,
    end: End,
    kinds: ToolKinds,
    end_of: Callable[[Facts], EndState] | None = None,
) -> Json:
    shown = (end.good or end.attempts)[0]
    maybes = {_key(a.maybe): a.maybe for a in end.good or end.attempts}
    args: dict[str, Json] = {
        "id": name,
        "writes": _rows(shown.writes),
        "maybe": [_rows(maybe) for _, maybe in sorted(maybes.items())],
        "support": len(end.good),
    }
    dirty = {_key(a.dirty): a.dirty for a in end.good or end.attempts}
    if any(dirty.values()):
        args["dirty"] = [_rows(failed) for _, failed in sorted(dirty.items())]
    reached = end_of(shown) if end_of is not None else None
    if reached is not None and not reached.unknown:
        said = own_texts(shown.recorded.attempt.calls, kinds.ignore())
        args["effects"] = [list[Json](row) for row in effect_rows(reached, texts=said)]
        events = event_rows(reached, kinds.ignore())
        looks = {n for n, tool in kinds.tools.items() if tool.kind not in {WRITE, MAYBE}}
        args["events"] = _rows(Counter({e: n for e, n in events.items() if e[0] not in looks}))
    in_order = ordered_args(end.good, kinds, reached)
    return {**args, "ordered": in_order} if in_order else args


def _chosen_anew(shown: Facts, corrected: Mapping[str, Collection[str]]) -> bool:
    """Whether users correct a choice among what records hold: another policy hits the first one by accident, too."""
    return any(
        isinstance(value, str) and is_id(value)
        for call in shown.recorded.attempt.calls
        for name, value in call.arguments.items()
        if name in corrected.get(call.name, ())
    )


def _but_for(shown: Facts, corrected: Mapping[str, Collection[str]], kinds: ToolKinds) -> Json:
    """An end without the values that users may correct."""
    names = {n: t.authored for n, t in kinds.tools.items()}
    ignore = {n: sorted({*names.get(n, ()), *corrected.get(n, ())}) for n in {*names, *corrected}}
    writes = Counter(
        (call.name, canonical_arguments(call.arguments, ignore.get(call.name, ())))
        for call in shown.recorded.attempt.calls
        if kinds.tools[call.name].kind == WRITE and not call.result.is_error
    )
    rows: dict[str, Json] = {n: list[Json](names) for n, names in sorted(ignore.items()) if names}
    return {"writes": _rows(writes), "ignore": rows}


def _rows(writes: Counter[Write]) -> list[Json]:
    return [[tool, arguments, count] for (tool, arguments), count in sorted(writes.items())]


def _key(writes: Counter[Write]) -> str:
    return repr(sorted(writes.items()))
