"""Cases: the examples of one tool, its successes first, and each class of refusal behind them; and literals over them.

Comes from the examples of one tool; goes to everything that learns when it refuses. Not here: which literals there are (`literals`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from environments.runtime.document.tools import WritePart
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.normal import mask
from synth.world.actions.effects import rescoped
from synth.world.actions.examples import Example, evaluate, held_if_known
from synth.world.grouping import lists_by_key
from synth.world.model import ToolModel
from synth.world.search.fit import Fitter
from synth.world.support import SELDOM

RARE: Final = SELDOM
"""Share of examples in which a path must be there to be part of a literal."""


@dataclass(slots=True, kw_only=True)
class Cases:
    """A tool's examples; values of a tree over them stand in the same order."""

    good: list[Example]
    bad: dict[str, list[Example]]
    """Refusals by class: the message with its changing words replaced by holes."""
    scopes: list[Scope]
    index: dict[str, range]
    """Where the refusals of each class stand."""

    def scopes_of(self, name: str) -> list[Scope]:
        """What a tree sees in the refusals of one class."""
        return [self.scopes[at] for at in self.index[name]]

    def calls_of(self, name: str) -> set[str]:
        """The different refused calls of one class: a caller who insists adds nothing."""
        return {example.seen.key for example in self.bad[name]}

    def count_met(self, values: Sequence[Any]) -> int:
        """Different successes in which a condition was true."""
        return len({e.seen.key for e, v in zip(self.good, values, strict=False) if v is True})

    def is_kept(self, tree: Tree) -> bool:
        """Whether some success met a condition and none broke it."""
        values = evaluate(tree, self.scopes[: len(self.good)])
        return True in values and held_if_known(values)


@dataclass(slots=True, kw_only=True)
class Literal:
    """Something that held in every success."""

    tree: Tree
    held: int
    """Different successes in which it was seen to hold."""
    rank: int = 0
    """Lower is simpler."""
    values: list[Any]
    """Per case."""
    limit: bool = False
    """It holds what the call charges under a number of the state, and nothing recorded broke it."""
    thin: bool = False
    """Seen in few successes: it does not make up for refusals that nothing explains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a generator of literals looks at."""

    cases: Cases
    fitter: Fitter
    """The terms of the cases."""
    writes: Sequence[WritePart] = ()
    """What the tool does to records."""


def cases_of(tool: ToolModel, examples: Sequence[Example]) -> Cases:
    """The cases of a tool."""
    good = [e for e in examples if not e.refused]
    bad = lists_by_key(
        (mask(example.seen.content, example.seen.arguments), example)
        for example in examples
        if example.refused
    )
    scopes = [rescoped(tool, e) for e in good]
    index: dict[str, range] = {}
    for name, group in bad.items():
        index[name] = range(len(scopes), len(scopes) + len(group))
        scopes.extend(rescoped(tool, e) for e in group)
    return Cases(good=good, bad=dict(bad), scopes=scopes, index=index)
