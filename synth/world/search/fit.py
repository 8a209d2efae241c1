"""Fitting: the simplest tree that turns what was there into what was recorded, over all examples at once.

Comes from scopes and targets; goes into effects, answers and messages. A tree is returned only if it reproduces every
example whose inputs are known. Explicit forms only: constants, paths, references, arithmetic, text with holes,
objects, lists mapped, joined, edited or filtered, and a case by category.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.expr.trees import looks_at
from environments.runtime.values.normal import is_number, same_json, stable
from synth.world.actions.examples import evaluate
from synth.world.grouping import lists_by_key
from synth.world.search.constant_arguments import bound
from synth.world.search.fit_lists import fit_list
from synth.world.search.fit_parts import MAX_CASES, amounts_in
from synth.world.search.fit_text import holed_text
from synth.world.search.numbers import (
    element_scopes,
    fit_number,
    numeric_terms,
)
from synth.world.search.terms import Tables, Term, Terms, agree, coverage, gather, sliced
from synth.world.support import SEEN_OFTEN, SEEN_THRICE

MAX_DEPTH: Final = 4
MIN_PER_CASE: Final = SEEN_THRICE
"""Different calls."""
MIN_EMPTY: Final = SEEN_OFTEN
"""Different calls that left a list or object empty, which is there to hold something, before the next is taken to."""


def _one_entry(before: Any, after: dict[str, Any]) -> tuple[str] | None:
    """The one entry of a dictionary that is new or another than before."""
    if not isinstance(before, dict) or not before.keys() <= after.keys():
        return None
    other = [n for n in after if n not in before or stable(before[n]) != stable(after[n])]
    return (other[0],) if len(other) == 1 else None


class Fitter:
    """Fits one set of scopes; keeps its terms between targets."""

    def __init__(
        self,
        scopes: list[Scope],
        roots: Sequence[str],
        tables: Tables,
        *,
        depth: int = 0,
        mostly: float = 0.7,
    ) -> None:
        self.scopes = scopes
        self.roots = roots
        self.tables = tables
        self.depth = depth
        self.mostly = mostly
        self._terms: Terms | None = None
        self.extra: list[Term] = []
        """Amounts from elsewhere that conditions may use."""
        self._numeric: list[Term] | None = None
        self._inside: dict[str, Fitter] = {}

    @property
    def terms(self) -> Terms:
        """Every term of the scopes, gathered once."""
        if self._terms is None:
            self._terms = gather(self.scopes, self.roots, self.tables, mostly=self.mostly)
        return self._terms

    def tell(self, told: Sequence[Term]) -> None:
        """Numbers known from elsewhere: what the record says after the call, where its trees are fitted already."""
        self._numeric = [*told, *self.numeric]

    @property
    def has_numeric(self) -> bool:
        """Whether the numeric terms were gathered already."""
        return self._numeric is not None

    @property
    def numeric(self) -> list[Term]:
        """Numeric terms, totals over lists included near the root."""
        if self._numeric is None:
            self._numeric = numeric_terms(self.terms, self.tables, totals=self.depth < 2)
        return self._numeric

    def fit(self, target: Sequence[Any], *, cases: bool = True, name: str = "") -> Tree | None:
        """The simplest tree for the target (a field of that name); None where the language has none."""
        if not target:
            return None
        tree = self._namesake(target, name) if name else None
        if tree is not None:
            return tree
        if len({stable(t) for t in target}) == 1 and not self._better_than_constant(target):
            return self._constant(target)
        tree = self._term(target)
        if tree is None and all(is_number(t) for t in target):
            tree = fit_number(self.scopes, target, self.numeric)
        if tree is None and all(isinstance(t, str) for t in target):
            tree = self.fit_text(target)
        if tree is None and self.depth < MAX_DEPTH:
            if all(isinstance(t, dict) for t in target):
                tree = self._object(target)
            elif all(isinstance(t, list) for t in target):
                tree = fit_list(self, target)
        tree = tree or self._optional_argument(target, name)
        scalar = not any(isinstance(t, dict | list) for t in target)
        if tree is None and cases and scalar and self.depth < 3:
            tree = self._case(target)
        return tree

    def _namesake(self, target: Sequence[Any], name: str) -> Tree | None:
        """An argument, or a field before the call, of the field's own name goes before a constant that fits as well."""
        for term in [*self.terms.scalars, *self.terms.containers]:
            mine = term.tree[-1] == name and term.tree[0] in {"arg", "it", "by", "old"}
            if mine and agree(term.values, target):
                return self._order_kept(term, target)
        return self._given_argument(target, name, name)

    def _given_argument(self, target: Sequence[Any], argument: str, name: str) -> Tree | None:
        """What an argument says where it is given, and one value, or what the field was before, where it is left out."""
        own: Tree = ["arg", argument]
        told = evaluate(own, self.scopes) if "arg" in self.roots else []
        pairs = list(zip(told, target, strict=True)) if told else []
        said = [(given, value) for given, value in pairs if given is not MISSING]
        without = [at for at, (given, _) in enumerate(pairs) if given is MISSING]
        if not said or not without or any(not same_json(g, v) for g, v in said):
            return None
        left = [target[at] for at in without]
        before: Tree = ["old", name]
        kept = "old" in self.roots and agree(
            evaluate(before, [self.scopes[at] for at in without]), left
        )
        one = [["const", left[0]]] if len(set(map(stable, left))) == 1 else []
        ways = [*([before] if kept else []), *one]
        if not ways:
            return None
        return ["if", ["exists", own], own, ["either", *ways] if len(ways) > 1 else ways[0]]

    def _optional_argument(self, target: Sequence[Any], name: str) -> Tree | None:
        """The same of an argument of another name, which says something else than what is there without it."""
        asked = [scope.arg if isinstance(scope.arg, dict) else {} for scope in self.scopes]
        for argument in sorted({one for arguments in asked for one in arguments} if name else ()):
            given = {
                at for at, arguments in enumerate(asked) if arguments.get(argument) is not None
            }
            others = {stable(value) for at, value in enumerate(target) if at not in given}
            if any(stable(target[at]) not in others for at in given):
                tree = self._given_argument(target, argument, name)
                if tree is not None:
                    return tree
        return None

    def _constant(self, target: Sequence[Any]) -> Tree | None:
        """One value in every example; none for what was empty each time, unless many calls left it so."""
        different = self._different(range(len(target)))
        if target[0] in ([], {}) and len(different) < MIN_EMPTY:
            return None
        return bound(["const", target[0]], self.scopes)

    def _better_than_constant(self, target: Sequence[Any]) -> bool:
        """Few examples of one value: a term that equals it is as likely, so neither is taken blindly."""
        value = target[0]
        if not isinstance(value, str) or not any(c.isdigit() for c in value):
            return False
        return self._term(target) is not None

    def _term(self, target: Sequence[Any]) -> Tree | None:
        pool = self.terms.containers if isinstance(target[0], dict | list) else self.terms.scalars
        best: Term | None = None
        most = 0
        for term in sorted(pool, key=lambda t: t.rank):
            # What is known more often is the better witness: a rare path agrees by accident.
            known = coverage(term.values, target)
            if known > most * 1.15:
                best, most = term, known
        is_record = all(isinstance(t, dict) for t in target)
        if best is not None and most < len(target) and is_record:
            # A record found whole somewhere may be known less often than each of its fields elsewhere.
            parts = self._object(target) if self.depth < MAX_DEPTH else None
            if parts and coverage(evaluate(parts, self.scopes), target) > most * 1.15:
                return parts
        return self._order_kept(best, target) if best is not None else None

    def _order_kept(self, term: Term, target: Sequence[Any]) -> Tree:
        """A list as it was given, or sorted: where no example tells, both are kept side by side."""
        tree = list(term.tree)
        if not isinstance(target[0], list) or looks_at(tree, "old"):
            return tree
        ordered: Tree = ["sort", tree]
        if agree(evaluate(ordered, self.scopes), target):
            return ["either", tree, ordered]
        return tree

    def fit_text(self, target: Sequence[Any]) -> Tree | None:
        """Text with at least one hole that a term fills."""
        tree = holed_text(self.terms, target) if all(isinstance(t, str) for t in target) else None
        return None if tree is None else bound(tree, self.scopes)

    def _object(self, target: Sequence[dict[str, Any]]) -> Tree | None:
        names = list(target[0])
        if any(set(t) != set(names) for t in target):
            return self._fit_entry(target)
        sub = self.sub()
        fields: dict[str, Tree] = {}
        # Amounts first: their sign decides words such as "payment" and "refund".
        for name in sorted(names, key=lambda n: not all(is_number(t[n]) for t in target)):
            values = [t[name] for t in target]
            tree = sub.fit(values, name=name) or sub.by_sign(values, list(fields.values()))
            if tree is None:
                return None
            fields[name] = tree
            self._numeric = self._numeric or (sub.numeric if sub.has_numeric else None)
        return ["object", *([name, fields[name]] for name in names)]

    def by_sign(self, target: Sequence[Any], siblings: Sequence[Tree]) -> Tree | None:
        """A word per sign of an amount that a sibling field is made of."""
        if len({stable(t) for t in target}) > 3:
            return None
        for sibling in siblings:
            for amount in amounts_in(sibling):
                tree: Tree = ["sign", amount]
                signs = evaluate(tree, self.scopes)
                words: dict[Any, Any] = {}
                if any(s is MISSING for s in signs):
                    continue
                for sign, word in zip(signs, target, strict=True):
                    if sign is not UNKNOWN:
                        words.setdefault(sign, word)
                cases = [[sign, ["const", word]] for sign, word in sorted(words.items())]
                case: Tree = ["case", tree, cases]
                if cases and agree(evaluate(case, self.scopes), target):
                    return case
        return None

    def sub(self) -> Fitter:
        """A fitter of the same scopes, one step deeper, with the same terms."""
        sub = Fitter(self.scopes, self.roots, self.tables, depth=self.depth + 1)
        sub._terms = self.terms
        sub._numeric = self._numeric
        sub._inside = self._inside
        return sub

    def rows(self, rows: Sequence[int]) -> Fitter:
        """The same terms over some of the examples."""
        sub = Fitter([self.scopes[i] for i in rows], self.roots, self.tables, depth=self.depth)
        sub._terms = self.terms.sliced(rows)
        sub._numeric = [sliced(t, rows) for t in self.numeric]
        return sub

    def _fit_entry(self, target: Sequence[dict[str, Any]]) -> Tree | None:
        """A dictionary by id with one entry more than before, or another value in one entry."""
        for term in self.terms.containers:
            extra = list(map(_one_entry, term.values, target))
            names = [e[0] for e in extra if e is not None]
            if len(names) < len(target):
                continue
            name = self.sub().fit(names)
            if name is None:
                continue
            new = [i for i, n in enumerate(names) if n not in term.values[i]]
            values = [after[n] for n, after in zip(names, target, strict=True)]
            value = self._entry(["at", list(term.tree), name], values, new)
            if value is not None:
                return ["with", list(term.tree), name, value]
        return None

    def _entry(self, entry: Tree, values: Sequence[Any], new: Sequence[int]) -> Tree | None:
        """The value of an entry that was there before in some examples and not in the others."""
        held = [i for i in range(len(values)) if i not in set(new)]
        first = self.rows(new).sub().fit([values[i] for i in new])
        if first is None:
            return None
        then = None
        if len(self._different(held)) >= MIN_PER_CASE:
            changed = self.rows(held).sub()
            before = evaluate(entry, changed.scopes)
            if all(is_number(v) for v in before):
                changed.tell([Term(tree=entry, values=before, rank=8)])
            then = changed.fit([values[i] for i in held])
        if then is None or then[0] == "const":
            # What becomes of an entry that was there before too few examples say.
            return ["case", ["exists", entry], [[False, first]]]
        return ["if", ["exists", entry], then, first]

    def element_fitter(self, left: Term, right: Term | None = None) -> Fitter:
        """The fitter over a list's elements, made once per list."""
        name = stable([left.tree, right.tree if right else None])
        if name not in self._inside:
            partners = right.values if right else None
            scopes, _ = element_scopes(self.scopes, left.values, partners)
            self._inside[name] = self.inner(scopes, paired=right is not None)
        return self._inside[name]

    def inner(self, scopes: list[Scope], *, paired: bool = False) -> Fitter:
        """A fitter over elements of lists, `by` being the partner in another list where they are paired."""
        roots = ["it", "by", "arg", "old"] if paired else ["it", "arg", "old"]
        return Fitter(scopes, roots, self.tables, depth=self.depth + 1)

    # -- cases -----------------------------------------------------------------------------------

    def _case(self, target: Sequence[Any]) -> Tree | None:
        """A different tree per category of one term; categories that cannot be fitted stay unknown."""
        for subject in self.categories():
            groups = lists_by_key((stable(value), at) for at, value in enumerate(subject[1]))
            if not 2 <= len(groups) <= MAX_CASES or len(groups) * 2 > len(target):
                continue
            cases = []
            for rows in groups.values():
                if len(self._different(rows)) < MIN_PER_CASE:
                    continue
                tree = self.rows(rows).fit([target[i] for i in rows], cases=False)
                if tree is not None:
                    cases.append([subject[1][rows[0]], tree])
            covered = sum(len(groups[stable(value)]) for value, _ in cases)
            if len(cases) >= 2 and covered >= 0.8 * len(target):
                return ["case", subject[0], cases]
        return None

    def _different(self, rows: Sequence[int]) -> set[str]:
        """The calls among some examples that differ, or their elements: repeating a call adds nothing."""
        return {stable([self.scopes[i].arg, self.scopes[i].it]) for i in rows}

    def categories(self) -> list[tuple[Tree, list[Any]]]:
        """Trees whose values may tell cases apart, with their values."""
        out: list[tuple[Tree, list[Any]]] = []
        for term in self.terms.scalars:
            if not term.is_known():
                continue
            if term.tree[0] not in {"arg", "old", "it", "by"}:
                continue
            if all(isinstance(v, str | bool) for v in term.values):
                out.append((list(term.tree), term.values))
            if all(isinstance(v, str) and any(c.isdigit() for c in v) for v in term.values):
                tree: Tree = ["prefix", list(term.tree)]
                out.append((tree, evaluate(tree, self.scopes)))
        return out[:16]
