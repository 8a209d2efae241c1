"""What most probably happened where nobody knows what a call did: for predicting an outcome, never for paying.

In: a recorded end, terms with the shares of refused calls, the view of an attempt. Out: a comparison, or nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from ..view import View
from .attempt_writes import AttemptWrites
from .compare import EndComparison, compare_end, first_write
from .likely_results import was_refused
from .terms import EndTerms, RecordedEnd, Write

HARDLY: Final = 0.2
"""Share of refused calls up to which a call that nobody can answer is taken to have succeeded."""
MOSTLY: Final = 0.5
"""Share beyond which it is taken to have been refused; a tool that nobody called has just this one."""


def predict_end(
    end: RecordedEnd, terms: EndTerms, view: View, writes: AttemptWrites
) -> EndComparison:
    """`compare_end` with the attempt's writes, and where that is not known, what most probably happened."""
    made = writes.clear_shared_doubts(end)
    found = compare_end(end, terms, view, made)
    if found.score is not None or made.dirty or terms.refusals is None:
        return found
    fewest, most = (
        _compare(made, end.writes, done) for done in _believed_writes(terms, view, terms.refusals)
    )
    is_settled = fewest is not None and most is not None and fewest.score == most.score
    return fewest if is_settled and fewest is not None else found


def _compare(
    made: AttemptWrites, wanted: Counter[Write], believed: Counter[Write]
) -> EndComparison | None:
    """What most probably happened, for predicting an outcome and never for paying.

    A call that was never made with the wanted arguments did not do what the wanted one does; a call that nobody can
    answer did what the policy believed.
    """
    never_tried = wanted - made.certain - made.doubtful
    if never_tried:
        return EndComparison(0.0, f"{first_write(never_tried)[0]} was never called like that")
    reached = made.certain + believed
    if reached == wanted:
        return EndComparison(
            1.0, "the same changes as in a good attempt, by all that the policy believed"
        )
    surplus = [key for key in reached - wanted if key not in wanted]
    if surplus:
        return EndComparison(0.0, f"{first_write(surplus)[0]} very likely changed something more")
    return None


def _believed_writes(
    terms: EndTerms, view: View, refusals: Mapping[str, float]
) -> tuple[Counter[Write], Counter[Write]]:
    """The calls without an answer that very likely succeeded: without and with those of which nothing tells it."""
    fewest: Counter[Write] = Counter()
    most: Counter[Write] = Counter()
    for call in view.normal_calls(terms.ignore):
        if not call.unknown or call.failed or call.tool not in terms.writes:
            continue
        refused = was_refused(view, call.index, terms.writes)
        if refused is None:
            refused = _refuses(call.tool, refusals)
        fewest[call.tool, call.arguments] += refused is False
        most[call.tool, call.arguments] += refused is not True
    return +fewest, +most


def _refuses(tool: str, refusals: Mapping[str, float]) -> bool | None:
    """Whether the tool refuses as a rule, or hardly ever; None in between, and where it was never called."""
    share = refusals.get(tool)
    if share is None:
        return True
    if share <= HARDLY:
        return False
    return True if share > MOSTLY else None
