"""The end-state check: did the attempt leave the world where a resolved attempt left it?

In: accepted ends (a union) and the view of one attempt. Out: 1 (equal to an accepted end), 0 (certainly different
from all of them), None (it depends on something nobody knows). An end is equal by its writes (the same calls with
the same meaning lead to the same state) or by its effects (another route to the same state).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ..task.attempt import Call, EndState, Json
from ..values.mentions import leaves
from ..values.normal import as_list, as_names, as_object, is_plain, stable
from .arguments import AT_ANY, canonical_arguments, normal, ordered, ordered_arguments
from .likely_results import was_refused
from .view import View, objects_of

HARDLY: Final = 0.2
"""Share of refused calls up to which a call that nobody can answer is taken to have succeeded in a prediction."""
MOSTLY: Final = 0.5
"""Share beyond which it is taken to have been refused; a tool that nobody called has just this one."""

WORDED: Final = "\u2026"
"""Stands in a record for a text that a policy worded itself."""
LEAST_TEXT: Final = 8
"""Characters from which such a text is known where it stands beside others."""

Write = tuple[str, str]
"""Tool and canonical arguments."""


@dataclass(frozen=True, slots=True)
class EndComparison:
    """What the comparison with one end found."""

    score: float | None
    why: str


def end_state(args: Mapping[str, Json], view: View, check_id: str) -> tuple[float | None, str]:
    """Compare the attempt's end with every accepted end; equality with one is enough."""
    found = [(end, _trusted(end, compare_end(end, args, view))) for end in objects_of(args, "ends")]
    for end, result in found:
        if result.score == 1.0:
            view.matched[check_id] = str(end.get("id", ""))
            return 1.0, result.why
    for end in objects_of(args, "doubtful"):
        if compare_end(end, args, view).score != 0.0:
            return None, "labels contradict each other about this end"
    for _, result in found:
        if result.score is None:
            return None, result.why
    for end in objects_of(args, "corrected"):
        if compare_end(end, {**args, "ignore": end.get("ignore")}, view).score != 0.0:
            return None, "it differs only in values that users of such requests correct"
    if found:
        return 0.0, found[0][1].why
    return _known_bad(args, view)


def _trusted(end: Mapping[str, Json], found: EndComparison) -> EndComparison:
    """Equality with an end that only one unreliable outcome calls right proves nothing."""
    if found.score == 1.0 and end.get("unconfirmed") is True:
        return EndComparison(
            None, "one outcome alone calls this end right, and such outcomes are often wrong"
        )
    return found


def _known_bad(args: Mapping[str, Json], view: View) -> tuple[float | None, str]:
    """Without an accepted end: an end that users called unresolved is bad, any other is not known."""
    if any(compare_end(end, args, view).score == 1.0 for end in objects_of(args, "bad")):
        return 0.0, "the same end as an unresolved attempt"
    return None, "nobody knows what has to be changed"


def compare_end(end: Mapping[str, Json], args: Mapping[str, Json], view: View) -> EndComparison:
    """Compare with one end: by writes first, by effects where the writes differ."""
    made = _AttemptWrites.from_view(args, view).clear_shared_doubts(end)
    wanted = Counter(_writes(end.get("writes")))
    by_writes = _by_writes(made, wanted, args)
    if by_writes.score == 1.0:
        return _in_order(by_writes, end, args, view)
    by_effects = _by_effects(end, args, view, made)
    if by_effects is not None:
        return _in_order(by_effects, end, args, view)
    by_writes = _unless_undone(by_writes, end, args, view, made)
    refusals = args.get("refusals")
    if by_writes.score is None and not made.dirty and isinstance(refusals, dict):
        found = [
            _predict_comparison(made, wanted, done)
            for done in _believed_writes(args, view, refusals)
        ]
        if found[0] is not None and found[1] is not None and found[0].score == found[1].score:
            return found[0]
    return by_writes


@dataclass(frozen=True, slots=True)
class _AttemptWrites:
    """The attempt's writes by how certain they are."""

    certain: Counter[Write]
    doubtful: Counter[Write]
    """Answered `unknown`."""
    maybe: Counter[Write]
    """Calls of tools that may or may not write."""
    dirty: Counter[Write]
    """Failed in a way that may leave a trace."""

    @classmethod
    def from_view(cls, args: Mapping[str, Json], view: View) -> _AttemptWrites:
        writes, maybe = as_names(args.get("writes")), as_names(args.get("maybe"))
        dirty, lasting = as_names(args.get("dirty")), as_names(args.get("lasting"))
        # What an equal call did once more is known of these, whatever it would have answered.
        repeated = as_names(args.get("again")) | as_names(args.get("once"))
        certain: Counter[Write] = Counter()
        doubtful: Counter[Write] = Counter()
        possible: Counter[Write] = Counter()
        traces: Counter[Write] = Counter()
        ignore = args.get("ignore")
        for call in view.normal_calls(as_object(ignore)):
            if call.tool not in writes and call.tool not in maybe:
                continue
            key = (call.tool, call.arguments)
            if call.failed:
                certain[key] += call.tool in lasting
                traces[key] += call.tool in dirty
            elif call.tool in maybe:
                possible[key] += 1
            elif call.unknown and not (certain[key] and call.tool in repeated):
                doubtful[key] += 1
            else:
                certain[key] += 1
        return cls(+certain, doubtful, possible, +traces)

    def clear_shared_doubts(self, end: Mapping[str, Json]) -> _AttemptWrites:
        """The same writes, with only those possible ones in doubt that no resolved attempt made alike."""
        maybe = _unlike(self.maybe, as_list(end.get("maybe")))
        dirty = _unlike(self.dirty, as_list(end.get("dirty")))
        return _AttemptWrites(self.certain, self.doubtful + maybe, self.maybe, dirty)


def _unlike(made: Counter[Write], alternatives: Iterable[Json]) -> Counter[Write]:
    """How it differs from what resolved attempts made; nothing where one of them made the same."""
    seen = [Counter(_writes(rows)) for rows in alternatives] or [Counter[Write]()]
    return Counter() if made in seen else (made - seen[0]) + (seen[0] - made)


def _by_writes(
    made: _AttemptWrites, wanted: Counter[Write], args: Mapping[str, Json]
) -> EndComparison:
    """The verdict on writes.

    A tool in `takes` refuses so seldom that a call without an answer counts as taken; equal calls of one in `once` change no more than
    the first, those of one in `again` each change something.
    """
    takes, once, again = (as_names(args.get(name)) for name in ("takes", "once", "again"))
    taken = Counter({key: n for key, n in made.doubtful.items() if key[0] in takes})
    doubtful = made.doubtful - taken
    extra = made.certain + taken - wanted
    missing = wanted - made.certain - taken
    for key in [k for k in made.certain if k[0] in once and k in wanted]:
        del extra[key], missing[key]
    foreign = [k for k in extra if k not in wanted and (k in made.certain or not missing)]
    repeated = [k for k in extra if k[0] in again]
    if foreign or repeated:
        what = "changed what no good attempt changes" if foreign else "changed it once too often"
        return EndComparison(0.0, f"{_first_write(foreign or repeated)[0]} {what}")
    if not extra and not missing:
        if doubtful:
            return EndComparison(
                None, f"{_first_write(doubtful)[0]} may have changed something more"
            )
        if made.dirty:
            return EndComparison(
                None, f"a failed {_first_write(made.dirty)[0]} may have changed something"
            )
        return EndComparison(1.0, "the same changes as in a good attempt")
    if missing:
        return _missing(missing, made)
    return EndComparison(
        None, f"nobody knows whether repeating {_first_write(extra)[0]} changes more"
    )


def _unless_undone(
    by_writes: EndComparison,
    end: Mapping[str, Json],
    args: Mapping[str, Json],
    view: View,
    made: _AttemptWrites,
) -> EndComparison:
    """The verdict on writes, where one that no resolved attempt made fails only by what the world shows of it.

    It may have changed nothing, or just what a resolved attempt changed; what it changed may be undone by another write,
    or by one that nobody can answer.
    """
    wanted = Counter(_writes(end.get("writes")))
    foreign = Counter({key: n for key, n in made.certain.items() if key not in wanted})
    if by_writes.score != 0.0 or not foreign or not _comparable(end, args, made):
        return by_writes
    reached = view.attempt.end
    sure = replace(reached, effects=tuple(effect for effect in reached.effects if effect.sure))
    said = own_texts(view.attempt.calls, args.get("ignore"))
    rows = {tuple(row) for row in effect_rows(sure, as_names(args.get("volatile")), said)}
    done = _events(args, view) - Counter(_writes(end.get("events")))
    if rows - _effects_of(end) or any(not _replaced(key, made.doubtful) for key in done):
        return by_writes
    missing = wanted - made.certain
    if missing:
        return _missing(missing, made, foreign)
    return EndComparison(
        None, f"nobody knows whether what {_first_write(foreign)[0]} changed is undone"
    )


def _missing(
    missing: Counter[Write], made: _AttemptWrites, instead: Counter[Write] | None = None
) -> EndComparison:
    """The verdict on writes that were not made, by those that may have changed the same; `instead`: certain ones."""
    name = _first_write(missing)[0]
    maybe = made.doubtful + (instead or Counter())
    if all(_could_supply(key, maybe) for key in missing - made.doubtful - made.dirty):
        return EndComparison(None, f"nobody knows whether {name} or its like changed anything")
    return EndComparison(0.0, f"{name} is missing or differs")


def _predict_comparison(
    made: _AttemptWrites, wanted: Counter[Write], believed: Counter[Write]
) -> EndComparison | None:
    """What most probably happened, for predicting an outcome and never for paying.

    A call that was never made with the wanted arguments did not do what the wanted one does; a call that nobody can
    answer did what the policy believed.
    """
    never_tried = wanted - made.certain - made.doubtful
    if never_tried:
        return EndComparison(0.0, f"{_first_write(never_tried)[0]} was never called like that")
    reached = made.certain + believed
    if reached == wanted:
        return EndComparison(
            1.0, "the same changes as in a good attempt, by all that the policy believed"
        )
    surplus = [key for key in reached - wanted if key not in wanted]
    if surplus:
        return EndComparison(0.0, f"{_first_write(surplus)[0]} very likely changed something more")
    return None


def _believed_writes(
    args: Mapping[str, Json], view: View, refusals: Mapping[str, Json]
) -> tuple[Counter[Write], Counter[Write]]:
    """The calls without an answer that very likely succeeded: without and with those of which nothing tells it."""
    writes = as_names(args.get("writes"))
    ignore = args.get("ignore")
    calls = view.normal_calls(as_object(ignore))
    fewest: Counter[Write] = Counter()
    most: Counter[Write] = Counter()
    for call in calls:
        if not call.unknown or call.failed or call.tool not in writes:
            continue
        refused = was_refused(view, call.index, writes)
        if refused is None:
            refused = _refuses(call.tool, refusals)
        fewest[call.tool, call.arguments] += refused is False
        most[call.tool, call.arguments] += refused is not True
    return +fewest, +most


def _refuses(tool: str, refusals: Mapping[str, Json]) -> bool | None:
    """Whether the tool refuses as a rule, or hardly ever; None in between, and where it was never called."""
    share = refusals.get(tool)
    if not isinstance(share, int | float):
        return True
    if share <= HARDLY:
        return False
    return True if share > MOSTLY else None


def _replaced(done: Write, doubtful: Iterable[Write]) -> bool:
    """Whether a call of the same tool that nobody can answer may have set the same thing anew."""
    return any(tool == done[0] and _ids(text) & _ids(done[1]) for tool, text in doubtful)


def _could_supply(wanted: Write, doubtful: Iterable[Write]) -> bool:
    """Whether another tool's write that nobody can judge may have done it: it names the same record, or says the same.

    A call about something else changed something else, and the same tool with other arguments did another thing or nothing,
    whatever they answered: nobody is spared a failure for them.
    """
    tool, arguments = wanted
    others = [text for other, text in doubtful if other != tool]
    ids, values = _ids(arguments), _values(arguments)
    if ids:
        return any(ids & _ids(text) for text in others)
    return any(values & _values(text) for text in others)


def _ids(arguments: str) -> set[str]:
    """The values that look like ids: texts with a digit."""
    return {text for text in _values(arguments) if len(text) > 2 and any(map(str.isdigit, text))}


def _read(arguments: str) -> Json:
    try:
        value: Json = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return value


def _values(arguments: str) -> set[str]:
    """The texts and numbers in arguments; none in what is no JSON."""
    return {str(value) for value in leaves(_read(arguments)) if is_plain(value)}


def _by_effects(
    end: Mapping[str, Json], args: Mapping[str, Json], view: View, made: _AttemptWrites
) -> EndComparison | None:
    """The verdict of the world's effects; None where either side is not known."""
    unknown = view.attempt.end.unknown or made.doubtful or made.dirty
    if unknown or not _comparable(end, args, made):
        return None
    volatile = as_names(args.get("volatile"))
    accepted = _effects_of(end)
    said = own_texts(view.attempt.calls, args.get("ignore"))
    reached = effect_rows(view.attempt.end, volatile, said)
    events = Counter(_writes(end.get("events")))
    if {tuple(row) for row in reached} == accepted and _events(args, view) == events:
        return EndComparison(1.0, "another route to the same state")
    return EndComparison(0.0, "the world ended in another state than any resolved attempt left")


def _in_order(
    found: EndComparison, end: Mapping[str, Json], args: Mapping[str, Json], view: View
) -> EndComparison:
    """The verdict, but for an equal end with a list given in another order that shows in a record, or may."""
    known = end.get("ordered")
    if found.score != 1.0 or not isinstance(known, dict):
        return found
    ignore, calls = args.get("ignore"), view.attempt.calls
    names = as_object(ignore)
    writes, asked = as_names(args.get("writes")), _pairs(known.get("writes"))
    if all(
        (c.tool, ordered_arguments(calls[c.index].arguments, as_names(names.get(c.tool)))) in asked
        for c in view.normal_calls(names)
        if c.tool in writes and not c.failed
    ):
        return found
    reached = {(e.entity, e.key, e.field, ordered(e.after)) for e in view.attempt.end.effects}
    rows = known.get("effects")
    if isinstance(rows, list) and {tuple(r) for r in rows if isinstance(r, list)} <= reached:
        return found
    return EndComparison(None, "a list is in another order, and nobody knows whether that matters")


def _comparable(end: Mapping[str, Json], args: Mapping[str, Json], made: _AttemptWrites) -> bool:
    """Whether effects tell this end from others: known of it, and tools that leave none were called alike."""
    silent = as_names(args.get("silent"))
    mine = Counter({write: n for write, n in made.certain.items() if write[0] in silent})
    wanted = Counter(write for write in _writes(end.get("writes")) if write[0] in silent)
    return isinstance(end.get("effects"), list) and mine == wanted


def _effects_of(end: Mapping[str, Json]) -> set[tuple[Json, ...]]:
    return {tuple(row) for row in as_list(end.get("effects")) if isinstance(row, list)}


def effect_rows(
    end: EndState, volatile: Iterable[str] = (), texts: Collection[str] = ()
) -> list[list[str]]:
    """Effects as comparable rows: entity, key, field, canonical value after; `texts` in records stand there in no wording."""
    left_out = set(volatile)
    return [
        [e.entity, e.key, e.field, stable(normal(_unworded(e.after, texts)))]
        for e in end.effects
        if e.field not in left_out and f"{e.entity}.{e.field}" not in left_out
    ]


def own_texts(calls: Iterable[Call], ignore: Json) -> frozenset[str]:
    """The texts that a policy worded itself: what its calls had in the arguments to `ignore`, by tool."""
    named = as_object(ignore)
    names = {t: [n.removesuffix(AT_ANY) for n in as_names(some)] for t, some in named.items()}
    given = (call.arguments.get(n) for call in calls for n in names.get(call.name, ()))
    return frozenset(text for text in given if isinstance(text, str) and text.strip())


def _unworded(value: Json, texts: Collection[str]) -> Json:
    """A value without these texts; what else a field holds beside one of them stays."""
    if not texts:
        return value
    if isinstance(value, str):
        for text in sorted(texts, key=len, reverse=True):
            if value == text or (len(text) >= LEAST_TEXT and text in value):
                value = value.replace(text, WORDED)
        return value
    if isinstance(value, list):
        return [_unworded(item, texts) for item in value]
    if isinstance(value, dict):
        return {name: _unworded(item, texts) for name, item in value.items()}
    return value


def event_rows(end: EndState, ignore: Mapping[str, Json]) -> Counter[Write]:
    """The writes of the end that left no record, as a multiset."""
    rows: Counter[Write] = Counter()
    for event in end.events:
        if event.kind != "write":
            continue
        names = ignore.get(event.tool)
        arguments = json.loads(event.arguments)
        rows[event.tool, canonical_arguments(arguments, as_names(names))] += 1
    return rows


def _events(args: Mapping[str, Json], view: View) -> Counter[Write]:
    """What the attempt left beside records, without calls of tools that only look: a world that saw one once may not know."""
    ignore = args.get("ignore")
    rows = event_rows(view.attempt.end, as_object(ignore))
    looks = {call.name for call in view.attempt.calls} - as_names(args.get("writes"))
    looks -= as_names(args.get("maybe"))
    return Counter({row: count for row, count in rows.items() if row[0] not in looks})


def _writes(value: Json) -> list[Write]:
    """`[[tool, arguments, count], ...]` as repeated pairs."""
    rows: list[Write] = []
    for row in as_list(value):
        if isinstance(row, list) and len(row) == 3 and isinstance(row[2], int):
            rows.extend([(str(row[0]), str(row[1]))] * row[2])
    return rows


def _pairs(value: Json) -> set[Write]:
    return {(str(row[0]), str(row[1])) for row in as_list(value) if isinstance(row, list)}


def _first_write(writes: Iterable[Write]) -> Write:
    return min(writes)
