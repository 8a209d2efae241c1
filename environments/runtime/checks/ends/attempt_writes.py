"""The writes of one attempt, by how certain they are.

In: the view of an attempt and the terms of its task. Out: `AttemptWrites`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..view import View
from .terms import EndTerms, RecordedEnd, Write


@dataclass(frozen=True, slots=True)
class AttemptWrites:
    """What an attempt changed, and what it may have changed."""

    certain: Counter[Write]
    doubtful: Counter[Write]
    """Answered `unknown`."""
    maybe: Counter[Write]
    """Calls of tools that may or may not write."""
    dirty: Counter[Write]
    """Failed in a way that may leave a trace."""

    @classmethod
    def from_view(cls, terms: EndTerms, view: View) -> AttemptWrites:
        """Read them off the attempt's calls."""
        # What an equal call did once more is known of these, whatever it would have answered.
        repeated = terms.again | terms.once
        certain: Counter[Write] = Counter()
        doubtful: Counter[Write] = Counter()
        possible: Counter[Write] = Counter()
        traces: Counter[Write] = Counter()
        for call in view.normal_calls(terms.ignore):
            if call.tool not in terms.writes and call.tool not in terms.maybe:
                continue
            key = (call.tool, call.arguments)
            if call.failed:
                certain[key] += call.tool in terms.lasting
                traces[key] += call.tool in terms.dirty
            elif call.tool in terms.maybe:
                possible[key] += 1
            elif call.unknown and not (certain[key] and call.tool in repeated):
                doubtful[key] += 1
            else:
                certain[key] += 1
        return cls(+certain, doubtful, possible, +traces)

    def clear_shared_doubts(self, end: RecordedEnd) -> AttemptWrites:
        """The same writes, with only those possible ones in doubt that no resolved attempt made alike."""
        maybe = _unlike(self.maybe, end.maybe)
        dirty = _unlike(self.dirty, end.dirty)
        return AttemptWrites(self.certain, self.doubtful + maybe, self.maybe, dirty)


def _unlike(made: Counter[Write], alternatives: Iterable[Counter[Write]]) -> Counter[Write]:
    """How it differs from what resolved attempts made; nothing where one of them made the same."""
    seen = list(alternatives) or [Counter[Write]()]
    return Counter() if made in seen else (made - seen[0]) + (seen[0] - made)
