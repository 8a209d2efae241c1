"""Versions: arguments that always said what a field of the record was before the call, which the call then changes.

Comes from a tool's effects and its examples; goes to `guards` as conditions that only withhold success: whoever sends
what is no longer so is mostly refused, seen or not. Not here: conditions on fields that stay (`conditions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from environments.runtime.document.tools import WritePart
from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.scope import Tree
from synth.world.actions.examples import evaluate
from synth.world.refusals.conditions import Cases
from synth.world.refusals.draft import GuardDraft, withheld_guard
from synth.world.support import SEEN_TWICE

MIN_SENT: Final = SEEN_TWICE
"""Different successes that sent what the field was."""


def locked(cases: Cases, writes: Sequence[WritePart]) -> Iterator[GuardDraft]:
    """Guards: an argument is what the field was before, wherever it was in all successes."""
    names = sorted({n for s in cases.scopes if isinstance(s.arg, dict) for n in s.arg})
    for write in writes:
        for field in sorted(write.set):
            for name in names:
                tree: Tree = ["eq", ["arg", name], ["old", field]]
                values = evaluate(tree, cases.scopes)[: len(cases.good)]
                held = {e.seen.key for e, v in zip(cases.good, values, strict=True) if v is True}
                if len(held) >= MIN_SENT and all(v is True or v is UNKNOWN for v in values):
                    yield withheld_guard(tree, len(held), thin=True)
