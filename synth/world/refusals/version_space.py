"""Version spaces: what the recordings leave open of when a tool refuses, one space for each class of refusals.

A space has two boundaries. Its general boundary are the literals that held in every success and that each refusal of the class breaks:
any of them may be the reason. Its specific boundary is what all refusals of the class met besides. A call that breaks every literal of the
general boundary and meets the specific one is refused in these words; one that breaks none is not; of any other nobody knows. Success
has a specific boundary alone (`success`). The vote itself is `environments.runtime.answers.guards`. Not here: finding literals
(`literals`), choosing the reasons (`explain`), the specific boundary (`specific`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from environments.runtime.document.tools import GuardPart, ProposalPart
from environments.runtime.expr.gaps import MISSING
from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import looks_at
from environments.runtime.world.notice import NOT_ELSE
from synth.world.actions.examples import is_broken
from synth.world.refusals.cases import Cases, Literal


@dataclass(slots=True, kw_only=True)
class RefusalSpace:
    """The version space of one class of refusals."""

    name: str
    general: list[Literal] = field(default_factory=list)
    """What may be the reason, the best first."""
    specific: list[Tree] = field(default_factory=list)
    """What every refusal met besides."""
    beside: list[Tree] = field(default_factory=list)
    """The same of records that some refused calls were told without a sight of, and what other refusals are about."""
    named: Tree | None = None
    """Of a class that names what it refuses, in place of reasons: that the call asks for none of these things."""
    element: Tree | None = None
    """The element of an argument that it then is about."""
    fields: tuple[str, ...] = ()
    """Fields of that element that the words name."""
    facts: int | None = None
    """How many different things were refused by name."""
    message: Tree | None = None
    """None where success is withheld only."""
    says: str
    support: int
    """Different refused calls."""
    against: int
    """Different successes in which the reason held."""
    gone: bool = False
    """Some refused call lacked a part of the reason."""
    proposal: ProposalPart = field(default_factory=ProposalPart)

    def bind(self, trees: Iterable[Tree], *, seen: bool) -> None:
        """Add to the specific boundary; `seen`: each refused call was told with a sight of what they speak of."""
        known = self.specific if seen else self.beside
        known.extend(tree for tree in trees if tree not in known)

    def intrudes(self, others: Iterable[RefusalSpace], cases: Cases) -> int:
        """In how many refusals of other classes its best reason is broken too."""
        first = self.general[0].values
        return sum(
            is_broken(first[at])
            for other in others
            if other is not self
            for at in cases.index[other.name]
        )

    def speaks_for(self, classes: Iterable[str], cases: Cases) -> bool:
        """Whether its words would be told to calls that were refused in others, and nothing explains those."""
        rows = [at for name in classes for at in cases.index[name]]
        return any(all(is_broken(c.values[at]) for c in self.general) for at in rows)

    def guards(self, rules: Sequence[Tree] = ()) -> Iterator[GuardPart]:
        """As the world file has it: all reasons broken, then some of them; of named things first the `rules` about arguments."""
        if self.named is not None:
            if rules:
                # Where the arguments break another rule as well, nobody knows which is told first.
                yield self._guard(["or", self.named, ["and", *rules]], None)
            yield self._guard(self.named, self.message)
            return
        trees = [literal.tree for literal in self.general]
        if len(trees) == 1:
            yield self._guard(trees[0], self.message)
        else:
            yield self._guard(["or", *trees], self.message)
            yield self._guard(["and", *trees], None)

    def _guard(self, holds: Tree, message: Tree | None) -> GuardPart:
        return GuardPart(
            holds=holds,
            message=message,
            says=self.says,
            support=self.support,
            against=self.against,
            gone=self.gone,
            facts=self.facts,
            also=tuple(self.specific) or None,
            beside=tuple(self.beside) or None,
            proposal=self.proposal,
        )


def in_order(spaces: Sequence[RefusalSpace], cases: Cases) -> list[RefusalSpace]:
    """Spaces such that none speaks for a refusal of another class that comes later; words that would are not told."""
    left = list(spaces)
    unexplained = cases.bad.keys() - {space.name for space in spaces}
    out: list[RefusalSpace] = []
    while left:
        best = min(left, key=lambda space: (space.intrudes(left, cases), -space.support))
        left.remove(best)
        if best.intrudes(left, cases) or best.speaks_for(unexplained, cases):
            best.message = None
        rows = cases.index[best.name]
        best.gone = any(c.values[at] is MISSING for c in best.general for at in rows)
        out.append(best)
    return out


def rules_about_arguments(spaces: Iterable[RefusalSpace]) -> list[Tree]:
    """The conditions of refusals that speak of no record."""
    return [
        guard.holds
        for space in spaces
        for guard in space.guards()
        if guard.message and not looks_at(guard.holds, "row") and not looks_at(guard.holds, "old")
    ]


def withheld_guard(literal: Literal) -> GuardPart:
    """A guard without words: where a literal of success does not hold nobody knows."""
    return GuardPart(holds=literal.tree, says=NOT_ELSE, against=literal.held)
