"""The specific boundary of success: literals that held in every success and that nothing recorded broke; beyond them nobody knows.

Comes from the pool of literals of one tool, and from what only withholds; goes into its guards. A new way to withhold success is one
generator of trees and its line in `GENERATORS`. Not here: what refusals break (`explain`), values that nobody gave (`unseen_values`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.answers.guards import as_last_known
from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import looks_at
from environments.runtime.values.mentions import is_name
from environments.runtime.values.normal import stable
from synth.world.actions.effects import only_record
from synth.world.actions.examples import evaluate, has_value, is_broken
from synth.world.model import ToolModel
from synth.world.refusals.cases import Cases, Literal, Source
from synth.world.refusals.kept_elements import elements_stay
from synth.world.refusals.literals import bounds
from synth.world.refusals.message_numbers import amounts_taken
from synth.world.refusals.relations import body_of, is_about_arguments, relates, telling
from synth.world.support import SEEN_FOUR_TIMES, SEEN_SEVERAL_TIMES, SEEN_TWICE

NOVEL: Final = SEEN_SEVERAL_TIMES
"""Successes per value of a category before a new value withholds success."""
NOVEL_WORD: Final = SEEN_FOUR_TIMES
"""The same of an argument itself: what is sent says what is asked for."""
MAX_WITHHOLD: Final = 80
MIN_RELATED: Final = SEEN_TWICE
"""Different successes after which an argument is taken to name a part of a record."""
MIN_SENT: Final = SEEN_TWICE
"""Different successes that sent what the field was."""
WITHHELD_FORMS: Final = frozenset({"among", "member", "exists", "eq", "not", "distinct", "le"})
_POINTS: Final = ('"row"', '"at"', '"pick"')
"""Operations that look at what something points to."""


def success_boundary(tool: ToolModel, source: Source, pool: Sequence[Literal]) -> list[Literal]:
    """Every literal that withholds success where it is broken."""
    cases = source.cases
    found = [one for one in withholding(cases, pool) if _held_as_last_known(cases, one)]
    if not cases.bad and only_record(tool):
        # What was never refused may hang on an amount in its one record, hardly on whatever else that holds.
        found = [one for one in found if one.tree[0] == "le" or not looks_at(one.tree, "old")]
    for generate in GENERATORS:
        for tree in generate(source):
            held = cases.count_met(evaluate(tree, cases.scopes[: len(cases.good)]))
            found.append(Literal(tree=tree, held=held, values=[], thin=True))
    return found


def _held_as_last_known(cases: Cases, literal: Literal) -> bool:
    """Whether no success broke a literal by what was known of its records before an earlier call may have touched them.

    Such a call hardly made it true, so what is known of the records speaks against it as well.
    """
    if not looks_at(literal.tree, "row"):
        return True
    good = zip(cases.scopes[: len(cases.good)], literal.values, strict=False)
    dark = [as_last_known(scope) for scope, value in good if value is UNKNOWN]
    return not any(map(is_broken, evaluate(literal.tree, dark)))


def sent_versions(source: Source) -> Iterator[Tree]:
    """That an argument is what a field was before the call changed it: who sends another one is mostly refused, seen or not."""
    cases = source.cases
    names = sorted({n for s in cases.scopes if isinstance(s.arg, dict) for n in s.arg})
    for write in source.writes:
        for field in sorted(write.set):
            for name in names:
                tree: Tree = ["eq", ["arg", name], ["old", field]]
                met = cases.count_met(evaluate(tree, cases.scopes[: len(cases.good)]))
                if met >= MIN_SENT and cases.is_kept(tree):
                    yield tree


GENERATORS: Final[tuple[Callable[[Source], Iterator[Tree]], ...]] = (
    elements_stay,
    sent_versions,
    amounts_taken,
)
"""Conditions that only withhold, and do not make up for refusals that nothing explains."""


def withholding(cases: Cases, pool: Sequence[Literal]) -> list[Literal]:
    """Literals of the pool that are hardly true by accident: where one is broken, success was never seen."""
    enough = max(4, min(8, len({e.seen.key for e in cases.good}) // 2))
    out: list[Literal] = []
    for literal in sorted(pool, key=_by_reach):
        if _may_withhold(cases, literal, enough):
            # What few successes say withholds; it does not make up for refusals that nothing explains.
            thin = literal.held < enough or len(out) >= MAX_WITHHOLD
            out.append(replace(literal, thin=thin))
    first = [one for one in out if is_about_arguments(one.tree) or relates(one.tree)]
    rest = [one for one in out if one not in first]
    return [*first, *rest[:MAX_WITHHOLD]]


def _may_withhold(cases: Cases, literal: Literal, enough: int) -> bool:
    """Whether enough successes say that a literal is no accident, by its form."""
    tree = literal.tree
    op, inner = tree[0], body_of(tree)[0]
    if literal.limit:
        return True
    if inner not in WITHHELD_FORMS or literal.held < (MIN_RELATED if telling(tree) else enough):
        return False
    if op == "le":
        return bounds(tree)
    if op == "exists":
        return tree[1][0] not in {"arg", "old"}
    if op == "not":
        return _parts_names(tree, cases)
    return inner != "among" or _is_category(tree[2] if op == "every" else tree, literal.held)


def _is_category(body: Tree, held: int) -> bool:
    """Whether a list of values was seen so often that another one would be new."""
    if body[1][0] in {"shape", "prefix"} and not looks_at(body[1], "arg"):
        return False
    novel = NOVEL_WORD if body[1][0] == "arg" else NOVEL
    return len(body[2]) * novel <= max(held, NOVEL)


def _parts_names(tree: Tree, cases: Cases) -> bool:
    """Whether a condition is that two names of records differ, not two words of few."""
    values = [v for part in tree[1][1:] for v in evaluate(part, cases.scopes)]
    return all(map(is_name, filter(has_value, values)))


def _by_reach(literal: Literal) -> tuple[int, int]:
    """What the elements and arguments point to comes first: that is what refusals are about; shapes come last."""
    every = literal.tree[0] == "every"
    body = literal.tree[2] if every else literal.tree
    text = stable(body)
    points = any(op in text for op in _POINTS) and (every or '"arg"' in text)
    says_little = body[0] == "exists" or any(op in text for op in ('"shape"', '"prefix"'))
    late = 2 * (not (points or every)) + says_little + (not points and every)
    return (-1 if literal.limit else late, literal.rank)
