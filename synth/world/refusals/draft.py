"""A guard while it is learnt: what its part of the world file has, and what the search still needs to know of it.

Comes from explanations of refusals, refusals that repeat, and conditions that only withhold success; `part` goes into the world file. Not here:
how conditions are found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from environments.runtime.document.tools import GuardPart, ProposalPart
from environments.runtime.expr.scope import Tree
from environments.runtime.world.notice import NOT_ELSE
from synth.world.refusals.conditions import Condition


@dataclass(slots=True, kw_only=True)
class GuardDraft:
    """One guard."""

    refusal: str = ""
    """The class of refusal that it explains or repeats; empty where it only withholds success."""
    holds: Tree = None
    """None until its conditions are put together."""
    conditions: list[Condition] = field(default_factory=list)
    """What could explain the refusal, the best first."""
    message: Tree | None = None
    says: str
    support: int = 0
    against: int
    gone: bool = False
    facts: int | None = None
    also: list[Tree] | None = None
    beside: list[Tree] | None = None
    element: Tree | None = None
    """Of a refusal that names what it refuses: the element of an argument that it is about."""
    fields: tuple[str, ...] = ()
    """Fields of that element that the refusal names."""
    thin: bool = False
    """Seen in few successes: it does not make up for refusals that nothing explains."""
    proposal: ProposalPart = field(default_factory=ProposalPart)

    def bind(self, trees: Iterable[Tree], *, seen: bool) -> None:
        """Tell the refusal only where these hold; `seen`: each refused call was told with a sight of what they speak of."""
        if seen:
            self.also = [*(self.also or ()), *trees]
        else:
            self.beside = [*(self.beside or ()), *trees]

    def part(self) -> GuardPart:
        """The guard as the world file has it."""
        return GuardPart(
            holds=self.holds,
            message=self.message,
            says=self.says,
            support=self.support,
            against=self.against,
            gone=self.gone,
            facts=self.facts,
            also=None if self.also is None else tuple(self.also),
            beside=None if self.beside is None else tuple(self.beside),
            proposal=self.proposal,
        )


def withheld_guard(tree: Tree, held: int, *, thin: bool) -> GuardDraft:
    """A guard without a refusal's words: where it does not hold nobody knows; it held in so many different successes."""
    return GuardDraft(holds=tree, says=NOT_ELSE, against=held, thin=thin)
