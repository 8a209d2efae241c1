"""The end-state check: did the attempt leave the world where a resolved attempt left it?

In: the check's arguments (`ends.terms`) and the view of one attempt. Out: 1 (equal to an accepted end), 0 (certainly different
from all of them), None (it depends on something nobody knows). An end is equal by its writes (the same calls with
the same meaning lead to the same state) or by its effects (another route to the same state).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...task.attempt import Json
from ..view import View
from .attempt_writes import AttemptWrites
from .compare import EndComparison
from .prediction import predict_end
from .terms import EndTerms, RecordedEnd


def end_state(args: Mapping[str, Json], view: View, check_id: str) -> tuple[float | None, str]:
    """Compare the attempt's end with every accepted end; equality with one is enough."""
    terms = EndTerms.from_args(args)
    made = AttemptWrites.from_view(terms, view)
    found = [_confirmed(end, predict_end(end, terms, view, made)) for end in terms.ends]
    for end, result in zip(terms.ends, found, strict=True):
        if result.score == 1.0:
            view.matched[check_id] = end.end_id
            return 1.0, result.why
    if any(predict_end(end, terms, view, made).score != 0.0 for end in terms.doubtful):
        return None, "labels contradict each other about this end"
    for result in found:
        if result.score is None:
            return None, result.why
    for end in terms.corrected:
        own = replace(terms, ignore=end.ignore)
        if predict_end(end, own, view, AttemptWrites.from_view(own, view)).score != 0.0:
            return None, "it differs only in values that users of such requests correct"
    return (0.0, found[0].why) if found else _known_bad(terms, view, made)


def _known_bad(terms: EndTerms, view: View, made: AttemptWrites) -> tuple[float | None, str]:
    """Without an accepted end: an end that users called unresolved is bad, any other is not known."""
    if any(predict_end(end, terms, view, made).score == 1.0 for end in terms.bad):
        return 0.0, "the same end as an unresolved attempt"
    return None, "nobody knows what has to be changed"


def _confirmed(end: RecordedEnd, found: EndComparison) -> EndComparison:
    """Equality with an end that only one unreliable outcome calls right proves nothing."""
    if found.score == 1.0 and end.is_unconfirmed:
        return EndComparison(
            None, "one outcome alone calls this end right, and such outcomes are often wrong"
        )
    return found
