"""The comparison of an attempt's end with one recorded end.

In: a recorded end, the terms of the task, the view of an attempt. Out: `EndComparison`: 1 (equal), 0 (certainly different), None
(it depends on something nobody knows), and why. Not here: which of several ends counts (`end_state`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...values.normal import as_names
from ..arguments import ordered, ordered_arguments
from ..view import View
from .attempt_writes import AttemptWrites
from .rows import effect_rows, event_rows, own_texts
from .same_thing import could_supply, sets_anew
from .terms import EndTerms, RecordedEnd, Row, Write


@dataclass(frozen=True, slots=True)
class EndComparison:
    """What the comparison with one end found."""

    score: float | None
    why: str


def compare_end(
    end: RecordedEnd, terms: EndTerms, view: View, made: AttemptWrites
) -> EndComparison:
    """Compare with one end what was `made`, cleared of the doubts that it shares; the first of these that applies is the verdict.

    1. The same writes, all of them certain: equal, unless a list in another order may matter.
    2. The records of both ends are known, and tools that leave none were called alike: whether they are equal, whatever the writes say.
    3. A write that no resolved attempt made, of which the world shows nothing, or what another write undoes: not known, or what is missing.
    4. What the writes alone say: different where one is missing or foreign, not known where it depends on a call without an answer.
    """
    by_writes = _by_writes(made, end.writes, terms)
    if by_writes.score == 1.0:
        return _in_order(by_writes, end, terms, view)
    by_effects = _by_effects(end, terms, view, made)
    if by_effects is not None:
        return _in_order(by_effects, end, terms, view)
    return _unless_undone(by_writes, end, terms, view, made)


def _by_writes(made: AttemptWrites, wanted: Counter[Write], terms: EndTerms) -> EndComparison:
    """The verdict on writes.

    A tool in `takes` refuses so seldom that a call without an answer counts as taken. Where several changes were made, calls without
    an answer that together are just what is missing count so too: resolved attempts made the same ones, if in another order.
    Equal calls of one in `once` change no more than the first, those of one in `again` each change something.
    """
    all_taken = wanted.total() > 1 and made.doubtful == wanted - made.certain
    taken = Counter({k: n for k, n in made.doubtful.items() if all_taken or k[0] in terms.takes})
    doubtful = made.doubtful - taken
    extra = made.certain + taken - wanted
    missing = wanted - made.certain - taken
    for key in [k for k in made.certain if k[0] in terms.once and k in wanted]:
        del extra[key], missing[key]
    foreign = [k for k in extra if k not in wanted and (k in made.certain or not missing)]
    repeated = [k for k in extra if k[0] in terms.again]
    if foreign or repeated:
        what = "changed what no good attempt changes" if foreign else "changed it once too often"
        return EndComparison(0.0, f"{first_write(foreign or repeated)[0]} {what}")
    if not extra and not missing:
        if doubtful:
            return EndComparison(
                None, f"{first_write(doubtful)[0]} may have changed something more"
            )
        if made.dirty:
            return EndComparison(
                None, f"a failed {first_write(made.dirty)[0]} may have changed something"
            )
        return EndComparison(1.0, "the same changes as in a good attempt")
    if missing:
        return _missing(missing, made)
    return EndComparison(
        None, f"nobody knows whether repeating {first_write(extra)[0]} changes more"
    )


def _unless_undone(
    by_writes: EndComparison,
    end: RecordedEnd,
    terms: EndTerms,
    view: View,
    made: AttemptWrites,
) -> EndComparison:
    """The verdict on writes, where one that no resolved attempt made fails only by what the world shows of it.

    It may have changed nothing, or just what a resolved attempt changed; what it changed may be undone by another write,
    or by one that nobody can answer.
    """
    foreign = Counter({key: n for key, n in made.certain.items() if key not in end.writes})
    if by_writes.score != 0.0 or not foreign or not _comparable(end, terms, made):
        return by_writes
    reached = view.attempt.end
    sure = replace(reached, effects=tuple(effect for effect in reached.effects if effect.sure))
    said = own_texts(view.attempt.calls, terms.ignore)
    rows = {tuple(row) for row in effect_rows(sure, said)}
    done = _events(terms, view) - end.events
    if rows - (end.effects or frozenset()) or any(
        not sets_anew(key, made.doubtful) for key in done
    ):
        return by_writes
    missing = end.writes - made.certain
    if missing:
        return _missing(missing, made, foreign)
    return EndComparison(
        None, f"nobody knows whether what {first_write(foreign)[0]} changed is undone"
    )


def _missing(
    missing: Counter[Write], made: AttemptWrites, instead: Counter[Write] | None = None
) -> EndComparison:
    """The verdict on writes that were not made, by those that may have changed the same; `instead`: certain ones."""
    name = first_write(missing)[0]
    maybe = made.doubtful + (instead or Counter())
    if all(could_supply(key, maybe) for key in missing - made.doubtful - made.dirty):
        return EndComparison(None, f"nobody knows whether {name} or its like changed anything")
    return EndComparison(0.0, f"{name} is missing or differs")


def _by_effects(
    end: RecordedEnd, terms: EndTerms, view: View, made: AttemptWrites
) -> EndComparison | None:
    """The verdict of the world's effects; None where either side is not known."""
    unknown = view.attempt.end.unknown or made.doubtful or made.dirty
    if unknown or not _comparable(end, terms, made):
        return None
    said = own_texts(view.attempt.calls, terms.ignore)
    reached: set[Row] = {tuple(row) for row in effect_rows(view.attempt.end, said)}
    if end.effects == frozenset(reached) and _events(terms, view) == end.events:
        return EndComparison(1.0, "another route to the same state")
    return EndComparison(0.0, "the world ended in another state than any resolved attempt left")


def _in_order(found: EndComparison, end: RecordedEnd, terms: EndTerms, view: View) -> EndComparison:
    """The verdict, but for an equal end with a list given in another order that shows in a record, or may."""
    if found.score != 1.0 or end.order is None:
        return found
    calls, names = view.attempt.calls, terms.ignore
    if all(
        (c.tool, ordered_arguments(calls[c.index].arguments, as_names(names.get(c.tool))))
        in end.order.writes
        for c in view.normal_calls(names)
        if c.tool in terms.writes and not c.failed
    ):
        return found
    reached = {(e.entity, e.key, e.field, ordered(e.after)) for e in view.attempt.end.effects}
    if end.order.effects is not None and end.order.effects <= reached:
        return found
    return EndComparison(None, "a list is in another order, and nobody knows whether that matters")


def _comparable(end: RecordedEnd, terms: EndTerms, made: AttemptWrites) -> bool:
    """Whether effects tell this end from others: known of it, and tools that leave none were called alike."""
    mine = Counter({write: n for write, n in made.certain.items() if write[0] in terms.silent})
    wanted = Counter({write: n for write, n in end.writes.items() if write[0] in terms.silent})
    return end.effects is not None and mine == wanted


def _events(terms: EndTerms, view: View) -> Counter[Write]:
    """What the attempt left beside records, without calls of tools that only look: a world that saw one once may not know."""
    rows = event_rows(view.attempt.end, terms.ignore)
    looks = {call.name for call in view.attempt.calls} - terms.writes - terms.maybe
    return Counter({row: count for row, count in rows.items() if row[0] not in looks})


def first_write(writes: Iterable[Write]) -> Write:
    """The write that a sentence names."""
    return min(writes)
