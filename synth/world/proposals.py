"""Proposals: a configured model may suggest trees where the search found none; they enter only by the test of `admission`.

Comes in: questions of `effects` and `guards`. Goes out: an admitted tree with its evidence, marked as proposed by a model. Off
unless settings name a model. Only clean episodes reach this; texts are sent as JSON data. Not here: the test.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from pydantic import BaseModel, Field

from environments.runtime.document.tools import ProposalPart
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable
from synth.llm import Complete, LlmError, LlmSettings, ask
from synth.world.actions.examples import Example
from synth.world.admission import Admitted, Question, admit, askable, question
from synth.world.model import Workbench

MAX_QUESTIONS: Final = 24
"""Questions that one learning of one world may ask."""
MAX_FAILURES: Final = 3
"""After so many the model is not asked again: it is away, or cannot do this."""
MAX_SHOWN: Final = 12
MAX_EXAMPLE: Final = 3_000
"""Characters of one example; a longer one is not shown at all, never cut."""
MAX_EXAMPLES: Final = 20_000
MAX_ROW: Final = 600
BY_MODEL: Final = "model"

_log = logging.getLogger(__name__)


class Proposals(BaseModel):
    """What the model must answer."""

    trees: list[list[Any]] = Field(max_length=3)


@cache
def _instructions() -> str:
    return files("synth").joinpath("world_proposal.txt").read_text(encoding="utf-8")


@dataclass(slots=True, kw_only=True)
class Proposer:
    """Asks the configured model; one per learning of a world."""

    settings: LlmSettings
    bench: Workbench
    complete: Complete | None = None
    asked: int = 0
    failures: int = 0
    """Replies that did not come or could not be read."""

    def __call__(
        self,
        what: str,
        examples: Sequence[Example],
        scopes: list[Scope],
        target: Sequence[Any],
        *,
        condition: bool = False,
    ) -> Admitted | None:
        """A tree for the target that passed the whole test; None where none did."""
        posed = question(examples, scopes, target, condition=condition)
        if self.failures >= MAX_FAILURES or self.asked >= MAX_QUESTIONS or not askable(posed):
            return None
        self.asked += 1
        try:
            reply = ask(
                self._prompt(what, posed), Proposals, settings=self.settings, complete=self.complete
            )
        except LlmError as fault:
            self.failures += 1
            _log.warning("no behaviour was proposed: %s", fault)
            return None
        passed = [found for tree in reply.trees if (found := admit(tree, posed)) is not None]
        return _unanimous(passed)

    def _prompt(self, what: str, posed: Question) -> str:
        lines = [_instructions(), what, "Tables: " + stable(self._tables())]
        size = 0
        seen: set[str] = set()
        for at in sorted(posed.shown):
            line = stable(
                {
                    "arg": posed.scopes[at].arg,
                    "old": posed.scopes[at].old,
                    "holds" if posed.condition else "gives": posed.target[at],
                }
            )
            size += len(line)
            if len(line) <= MAX_EXAMPLE and size <= MAX_EXAMPLES and line not in seen:
                lines.append(line)
                seen.add(line)
            if len(seen) >= MAX_SHOWN:
                break
        return "\n".join(lines)

    def _tables(self) -> dict[str, Json]:
        out: dict[str, Json] = {}
        for name, table in sorted(self.bench.tables.items()):
            row = next((r for _, r in sorted(table.rows.items())), None)
            out[name] = {
                "key": list[Json](table.key_names),
                "a row": row if len(json.dumps(row)) <= MAX_ROW else None,
            }
        return out


def _unanimous(passed: Sequence[Admitted]) -> Admitted | None:
    """One tree, or several side by side: where they differ about a new call, nobody knows."""
    if not passed:
        return None
    trees: list[Tree] = list({stable(p.tree): p.tree for p in passed}.values())
    tree: Tree = trees[0] if len(trees) == 1 else ["either", *trees]
    return Admitted(
        tree=tree, calls=min(p.calls for p in passed), unshown=min(p.unshown for p in passed)
    )


def proposal_of(found: Admitted) -> ProposalPart:
    """What the world file says of a proposed tree."""
    return ProposalPart(
        proposed_by=BY_MODEL,
        examples=found.calls,
        examples_not_shown=found.unshown,
        counter_examples=0,
    )
