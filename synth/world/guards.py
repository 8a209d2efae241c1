"""Guards: when a write succeeds, and what it says when it does not.

Comes from examples of successes and refusals. A guard is a condition that held in every success and in no refusal of
its class. Conditions that held in every success but were never seen broken only withhold: success is claimed inside
what was seen, a refusal only where refusals were seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from environments.runtime.expression import Scope, Tree
from environments.runtime.normal import HOLE, mask, stable
from synth.world.effects import rescoped, tables_of
from synth.world.examples import DARK, GONE, Example, evaluate
from synth.world.fit import Fitter, amounts_in
from synth.world.model import ToolModel, Workbench
from synth.world.numbers import element_scopes, fit_number, is_number, mentions, numeric_terms
from synth.world.terms import Tables, Term, Terms

MAX_UNEXPLAINED: Final = 0.06
"""Share of refusals without a guard above which success is not claimed."""
MIN_TO_REFUSE: Final = 2
"""Different refused calls before a refusal is claimed; one is enough to withhold success."""
RIVALS: Final = 6
"""How much worse another explanation of a refusal may be and still have a say."""
MAX_RIVALS: Final = 4
RARE: Final = 0.25
"""Share of examples in which a path must be there to be part of a condition."""
NOVEL: Final = 5
"""Successes per value of a category before a new value withholds success."""
MAX_WITHHOLD: Final = 80
FEW: Final = 8
"""Different values up to which a term is a category."""


@dataclass(slots=True, kw_only=True)
class Condition:
    """Something that held in every success."""

    tree: Tree
    held: int
    """Different successes in which it was seen to hold."""
    rank: int
    values: list[Any]
    """Per example, successes first."""


@dataclass(slots=True, kw_only=True)
class Cases:
    """A tool's examples, successes first."""

    good: list[Example]
    bad: dict[str, list[Example]]
    scopes: list[Scope]
    index: dict[str, range]


def learn_guards(bench: Workbench, examples: dict[str, list[Example]]) -> None:
    """Fill `guards` and `claims` of every writer whose effect and answer are known."""
    tables = tables_of(bench)
    for name, tool in sorted(bench.tools.items()):
        if tool.innocent or not examples.get(name):
            continue
        if tool.answer is None:
            continue
        _learn(tool, examples[name], tables)


def _learn(tool: ToolModel, examples: list[Example], tables: Tables) -> None:
    cases = _cases(tool, examples)
    roots = ["arg", "old"] if any(s.old is not None for s in cases.scopes) else ["arg"]
    fitter = Fitter(cases.scopes, roots, tables, mostly=RARE)
    fitter.extra = _effect_amounts(tool, cases)
    conditions = sorted(_conditions(cases, fitter, tables), key=lambda c: c.rank)
    explained, missed = _explain(cases, conditions, fitter, tables, roots)
    withheld = _withhold(cases, conditions)
    tool.guards = [*_in_order(explained, cases), *withheld]
    for guard in tool.guards:
        guard.pop("class", None)
    unexplained = _would_claim(tool, cases, withheld, missed)
    share = unexplained / max(1, len({e.seen.key for e in examples}))
    tool.alone = tool.kind == "write" and not tool.writes and not tool.evidence.get("shows")
    tool.claims = share <= MAX_UNEXPLAINED and bool(cases.good)
    tool.evidence["refusals"] = {
        "classes": len(cases.bad),
        "unexplained": unexplained,
        "calls": len(examples),
    }


def _would_claim(
    tool: ToolModel, cases: Cases, withheld: list[dict[str, Any]], missed: list[int]
) -> int:
    """Refused calls without a guard for which the world would nevertheless say that they succeed."""
    examples = [*cases.good, *(e for group in cases.bad.values() for e in group)]
    trees: list[Tree] = [g["holds"] for g in withheld]
    effects: list[Tree] = [t for w in tool.writes for t in w.get("set", {}).values()]
    effects += [w["whole"] for w in tool.writes if w.get("whole") and "next" not in stable(w["whole"])]
    claimed: set[str] = set()
    for at in missed:
        scope = [cases.scopes[at]]
        if any(evaluate(t, scope)[0] in (False, GONE) for t in trees):
            continue
        if any(evaluate(t, scope)[0] in (GONE, DARK) for t in effects):
            continue
        claimed.add(examples[at].seen.key)
    return len(claimed)


def _effect_amounts(tool: ToolModel, cases: Cases) -> list[Term]:
    """Amounts that the effect computes: what a refusal is most likely to compare with."""
    found: dict[str, Tree] = {}
    for write in tool.writes:
        for tree in [*write.get("set", {}).values(), write.get("whole")]:
            for amount in amounts_in(tree):
                if not mentions(amount, "it") or amount[0] in {"sum", "sub", "mul"}:
                    found.setdefault(stable(amount), amount)
    out: list[Term] = []
    for amount in list(found.values())[:8]:
        values = evaluate(amount, cases.scopes)
        if any(is_number(v) for v in values):
            out.append(Term(tree=amount, values=values, rank=4))
    return out


def _cases(tool: ToolModel, examples: list[Example]) -> Cases:
    good = [e for e in examples if not e.refused]
    bad: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        if example.refused:
            bad[mask(example.seen.content, example.seen.arguments)].append(example)
    scopes = [rescoped(tool, e) for e in good]
    index: dict[str, range] = {}
    for name, group in bad.items():
        index[name] = range(len(scopes), len(scopes) + len(group))
        scopes.extend(rescoped(tool, e) for e in group)
    return Cases(good=good, bad=dict(bad), scopes=scopes, index=index)


# -- conditions that held in every success ---------------------------------------------------------


def _conditions(cases: Cases, fitter: Fitter, tables: Tables) -> Iterator[Condition]:
    yield from _holding(cases, _simple(cases, fitter.terms), 0)
    yield from _holding(cases, _comparisons(cases, fitter, tables), 20)
    yield from _holding(cases, _memberships(cases, fitter.terms), 10)
    yield from _holding(cases, _elements(cases, fitter, tables), 30)


def _holding(
    cases: Cases, trees: Iterator[tuple[Tree, int]], rank: int
) -> Iterator[Condition]:
    n = len(cases.good)
    for tree, cost in trees:
        values = evaluate(tree, cases.scopes)
        held = {cases.good[i].seen.key for i in range(n) if values[i] is True}
        if any(v is False or v is GONE for v in values[:n]) or not held:
            continue
        unbroken = all(v is True or v is DARK for v in values[n:])
        if unbroken and (tree[0] == "or" or (tree[0] == "le" and not _bounds(tree))):
            continue  # a comparison that no refusal breaks says little
        yield Condition(tree=tree, held=len(held), rank=rank + cost, values=values)


def _bounds(tree: Tree) -> bool:
    """Whether a comparison holds an argument under an amount of the state: such limits exist, seen broken or not."""
    left, right = tree[1], tree[2]
    return left[0] == "arg" and not mentions(right, "const") and right[0] in {"row", "old", "sum", "at", "pick"}


def _simple(cases: Cases, terms: Terms) -> Iterator[tuple[Tree, int]]:
    n = len(cases.good)
    for term in terms.scalars:
        good = [v for v in term.values[:n] if v is not GONE and v is not DARK]
        if not good:
            continue
        if all(isinstance(v, str | bool) or v is None for v in good):
            values = {stable(v): v for v in good}
            if len(values) <= FEW and len(values) * 2 <= max(len(good), 2):
                yield ["among", term.tree, list(values.values())], term.rank
        if all(isinstance(v, str) for v in good):
            yield from _textual(term, good)
        if len(good) == n:
            yield ["exists", term.tree], term.rank + 5


def _textual(term: Term, good: Sequence[str]) -> Iterator[tuple[Tree, int]]:
    from environments.runtime.expression import prefix, shape

    shapes = {shape(v) for v in good}
    if len(shapes) <= 3 and any(c.isdigit() for c in good[0]):
        yield ["among", ["shape", term.tree], sorted(shapes)], term.rank + 3
        prefixes = {prefix(v) for v in good}
        if len(prefixes) <= 6:
            yield ["among", ["prefix", term.tree], sorted(prefixes)], term.rank + 2


def _comparisons(cases: Cases, fitter: Fitter, tables: Tables) -> Iterator[tuple[Tree, int]]:
    numeric = [*fitter.extra, *numeric_terms(fitter.terms, tables, totals=True)[:45]]
    n = len(cases.good)
    for left in numeric:
        for right in numeric:
            if left is not right:
                tree: Tree = ["le", left.tree, right.tree]
                yield tree, left.rank + right.rank + (0 if left in fitter.extra else 20)
        low = min((v for v in left.values[:n] if is_number(v)), default=None)
        if low is not None:
            yield ["le", ["const", min(0, low)], left.tree], left.rank + 8
    for right in _sometimes(fitter.terms):
        for left in [*fitter.extra, *(t for t in numeric if t.tree[0] == "arg")]:
            test: Tree = ["or", ["not", ["exists", right.tree]], ["le", left.tree, right.tree]]
            yield test, left.rank + right.rank - 10
    scalars = [t for t in fitter.terms.scalars if _texts(t)][:40]
    for at, left in enumerate(scalars):
        for right in scalars[at + 1 :]:
            if left.tree[0] != right.tree[0] or left.tree[0] == "row":
                yield ["eq", left.tree, right.tree], left.rank + right.rank
    lists = [t for t in fitter.terms.containers if any(isinstance(v, list) for v in t.values)]
    for at, left in enumerate(lists):
        yield ["distinct", left.tree], left.rank + 6
        for right in lists[at + 1 :]:
            yield ["eq", ["len", left.tree], ["len", right.tree]], left.rank + right.rank


def _sometimes(terms: Terms) -> list[Term]:
    """Numbers that are there for some examples only: the balance of a gift card, not of a credit card."""
    return [
        t
        for t in terms.scalars
        if any(v is GONE for v in t.values)
        and all(is_number(v) or v is GONE or v is DARK for v in t.values)
    ][:12]


def _texts(term: Term) -> bool:
    return all(isinstance(v, str) or v is GONE or v is DARK for v in term.values)


def _memberships(cases: Cases, terms: Terms) -> Iterator[tuple[Tree, int]]:
    del cases
    for container in terms.containers:
        for term in terms.scalars:
            if term.tree[: len(container.tree)] == container.tree or not _texts(term):
                continue
            yield ["member", term.tree, container.tree], term.rank + container.rank


def _elements(cases: Cases, fitter: Fitter, tables: Tables) -> Iterator[tuple[Tree, int]]:
    """Conditions on every element of an argument's list."""
    for container in fitter.terms.containers:
        if container.tree[0] != "arg" or not any(isinstance(v, list) for v in container.values):
            continue
        inner, counts = element_scopes(cases.scopes, container.values)
        if not inner or len(inner) > 800:
            continue
        good = sum(counts[: len(cases.good)])
        sub = Fitter(inner, ["it", "arg", "old"], tables, depth=1, mostly=RARE)
        for tree, rank in _element_trees(sub, good):
            yield ["every", container.tree, tree], rank + container.rank


def _element_trees(sub: Fitter, good: int) -> Iterator[tuple[Tree, int]]:
    about = [t for t in sub.terms.scalars if mentions(t.tree, "it")]
    for term in about:
        values = [v for v in term.values[:good] if v is not GONE and v is not DARK]
        distinct = {stable(v): v for v in values}
        if values and all(isinstance(v, str | bool) for v in values) and len(distinct) <= FEW:
            if len(distinct) * 2 <= max(len(values), 2):
                yield ["among", term.tree, list(distinct.values())], term.rank
        if len(values) == good:
            yield ["exists", term.tree], term.rank + 5
    for container in sub.terms.containers:
        for term in about:
            if _texts(term) and term.tree[: len(container.tree)] != container.tree:
                yield ["member", term.tree, container.tree], term.rank + container.rank
    numeric = [t for t in sub.terms.scalars if any(is_number(v) for v in t.values)][:30]
    for left in [*numeric, *_lengths(sub)]:
        for right in numeric:
            if left is not right and (mentions(left.tree, "it") or mentions(right.tree, "it")):
                penalty = 0 if left.tree[0] == "len" else 10
                partial = any(v is GONE for v in right.values)
                tree: Tree = ["le", left.tree, right.tree]
                if partial:
                    tree = ["or", ["not", ["exists", right.tree]], tree]
                yield tree, left.rank + right.rank + penalty


def _lengths(sub: Fitter) -> list[Term]:
    """How many elements the call's own lists have, to compare with a number of each element."""
    out: list[Term] = []
    for container in sub.terms.containers:
        if container.tree[0] == "arg" and any(isinstance(v, list) for v in container.values):
            tree: Tree = ["len", container.tree]
            out.append(Term(tree=tree, values=evaluate(tree, sub.scopes), rank=container.rank + 3))
    return out[:4]


# -- explaining refusals ---------------------------------------------------------------------------


def _explain(
    cases: Cases,
    conditions: list[Condition],
    fitter: Fitter,
    tables: Tables,
    roots: Sequence[str],
) -> tuple[list[dict[str, Any]], list[int]]:
    """A guard per class of refusal where one condition tells it apart; the rest is counted."""
    explained: list[dict[str, Any]] = []
    unexplained: list[int] = []
    for name, group in sorted(cases.bad.items(), key=lambda item: -len(item[1])):
        rows = cases.index[name]
        scopes = [cases.scopes[i] for i in rows]
        holes = _hole_terms(cases, name, group, scopes, tables, roots)
        pool = [*_from_holes(cases, holes), *conditions]
        broken = [c for c in pool if _breaks(c, cases, rows)]
        calls = len({e.seen.key for e in group})
        if not broken:
            broken = list(_either(cases, fitter, rows))
        best = _ranked(broken, group[0].seen.content)
        if not best:
            unexplained.extend(rows)
            continue
        message = _message(name, group, scopes, tables, roots, _culprits(best))
        explained.append(
            {
                "conditions": best,
                "message": message if _claimable(best, calls, group[0]) else None,
                "says": group[0].seen.content[:200] if HOLE not in name else name.replace(HOLE, "…"),
                "support": calls,
                "against": best[0].held,
                "class": name,
            }
        )
    return explained, unexplained


def _breaks(condition: Condition, cases: Cases, rows: range) -> bool:
    """Whether a condition is broken in every refusal of a class whose state is known, and that is most of them."""
    known = [condition.values[i] for i in rows if condition.values[i] is not DARK]
    if any(v is True for v in known):
        return False
    del cases
    return len(known) * 2 >= len(rows) and len(known) >= 1


def _claimable(best: list[Condition], calls: int, example: Example) -> bool:
    """Two different refused calls, or one whose message speaks of the condition that many successes met."""
    if calls >= MIN_TO_REFUSE:
        return True
    words = _words_of(example.seen.content)
    return best[0].held >= 2 * FEW and bool(words & _words_of(best[0].tree))


def _ranked(broken: list[Condition], message: str) -> list[Condition]:
    """The condition that explains a refusal best, then others that explain it nearly as well."""
    words = {w.strip(".,:;!?'\"").lower() for w in message.replace("-", " ").replace("_", " ").split()}
    words |= {w[:-1] for w in words if len(w) > 3 and w.endswith("s")}
    scored = sorted(
        ((c.rank - 12 * len(words & _words_of(c.tree)), i, c) for i, c in enumerate(broken)),
        key=lambda s: s[:2],
    )
    if not scored:
        return []
    limit = scored[0][0] + RIVALS
    out: list[Condition] = []
    for score, _, condition in scored:
        if score <= limit and len(out) < MAX_RIVALS:
            out.append(condition)
    return out


def _either(cases: Cases, fitter: Fitter, rows: range) -> Iterator[Condition]:
    """Two ways to be allowed: one condition for some successes, a category for the rest."""
    n = len(cases.good)
    if n < 6:
        return
    texts = [t for t in fitter.terms.scalars if _texts(t)][:40]
    categories = list(_categories(fitter, texts))
    for at, left in enumerate(texts):
        for right in texts[at + 1 :]:
            if left.tree[0] == right.tree[0] and left.tree[0] != "row":
                continue
            equal = [a == b for a, b in zip(left.values, right.values, strict=True)]
            if sum(equal[:n]) * 4 < n or all(equal[:n]) or any(equal[i] for i in rows):
                continue
            for subject, values, rank in categories:
                rest = {stable(values[i]): values[i] for i in range(n) if not equal[i]}
                if len(rest) > 3 or any(stable(values[i]) in rest for i in rows):
                    continue
                tree: Tree = [
                    "or",
                    ["eq", list(left.tree), list(right.tree)],
                    ["among", subject, list(rest.values())],
                ]
                rank += left.rank + right.rank
                held = len({e.seen.key for e in cases.good})
                yield Condition(tree=tree, held=held, rank=rank, values=evaluate(tree, cases.scopes))


def _categories(fitter: Fitter, texts: Sequence[Term]) -> Iterator[tuple[Tree, list[Any], int]]:
    for term in texts:
        if any(v is GONE or v is DARK for v in term.values):
            continue
        if len(set(term.values)) <= FEW:
            yield list(term.tree), term.values, term.rank
        elif all(any(c.isdigit() for c in v) for v in term.values):
            tree: Tree = ["prefix", list(term.tree)]
            values = evaluate(tree, fitter.scopes)
            if len({stable(v) for v in values}) <= FEW:
                yield tree, values, term.rank + 1


def _words_of(tree: Any) -> set[str]:
    """Words of the paths and values in a tree; table names are left out, being ours."""
    if isinstance(tree, str):
        pieces = tree.lower().replace("_", " ").replace("-", " ").replace(".", " ").split()
        return set(pieces) | {p[:-1] for p in pieces if len(p) > 3 and p.endswith("s")}
    if isinstance(tree, list) and tree:
        skip = 2 if tree[0] == "row" else 1 if isinstance(tree[0], str) else 0
        return set().union(*(_words_of(part) for part in tree[skip:]))
    return set()


def _hole_terms(
    cases: Cases,
    name: str,
    group: Sequence[Example],
    scopes: list[Scope],
    tables: Tables,
    roots: Sequence[str],
) -> list[tuple[Tree, list[Any]]]:
    """Numbers in the message as trees, with their values in every example of the tool."""
    if HOLE not in name:
        return []
    out: list[tuple[Tree, list[Any]]] = []
    fitter = Fitter(scopes, roots, tables)
    for numbers in _holes(name, group):
        tree = fitter.fit(numbers, cases=False)
        if tree is None:
            terms = numeric_terms(fitter.terms, tables, totals=True)
            tree = fit_number(scopes, numbers, terms)
        if tree is not None:
            out.append((tree, evaluate(tree, cases.scopes)))
    return out


def _holes(name: str, group: Sequence[Example]) -> list[list[Any]]:
    """The numbers that fill each hole of a class of message, one list per hole."""
    words = [i for i, word in enumerate(name.split(" ")) if HOLE in word]
    out: list[list[Any]] = []
    for at in words:
        values: list[Any] = []
        for example in group:
            pieces = example.seen.content.split(" ")
            text = pieces[at].strip(".,;:!?()\"'") if at < len(pieces) else ""
            values.append(_as_number(text))
        if all(v is not None for v in values):
            out.append(values)
    return out


def _as_number(text: str) -> int | float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and "." not in text else number


def _from_holes(cases: Cases, holes: list[tuple[Tree, list[Any]]]) -> Iterator[Condition]:
    n = len(cases.good)
    for at, (left, _) in enumerate(holes):
        for right, _ in holes[at + 1 :]:
            for tree in (["eq", left, right], ["le", left, right], ["le", right, left]):
                values = evaluate(tree, cases.scopes)
                held = {cases.good[i].seen.key for i in range(n) if values[i] is True}
                if held and not any(v is False or v is GONE for v in values[:n]):
                    yield Condition(tree=tree, held=len(held), rank=-10, values=values)


def _message(
    name: str,
    group: Sequence[Example],
    scopes: list[Scope],
    tables: Tables,
    roots: Sequence[str],
    culprits: Sequence[Tree] = (),
) -> Tree | None:
    contents = [e.seen.value if e.seen.is_json else e.seen.content for e in group]
    if len({stable(c) for c in contents}) == 1 and HOLE not in name:
        return ["const", contents[0]]
    for tree in culprits:
        lit = [i for i, v in enumerate(evaluate(tree, scopes)) if v is not DARK and v is not GONE]
        if lit:
            scopes, contents = [scopes[i] for i in lit], [contents[i] for i in lit]
    fitter = Fitter(scopes, roots, tables)
    for tree in culprits:
        values = evaluate(tree, scopes)
        if any(isinstance(v, str) for v in values):
            fitter.terms.scalars.append(Term(tree=tree, values=values, rank=0))
        for field in sorted({n for v in values if isinstance(v, dict) for n in v}):
            inner = evaluate([*tree, field], scopes)
            fitter.terms.scalars.append(Term(tree=[*tree, field], values=inner, rank=0))
    tree = fitter.fit(contents, cases=False)
    if tree is not None and tree[0] == "const" and HOLE in name:
        # One recorded value of a message that changes: only a term that gives it may fill the hole.
        return fitter.fit_text(contents)
    return tree


def _culprits(best: Sequence[Condition]) -> list[Tree]:
    """The first element that breaks a condition on every element: what a message is likely to name."""
    return [
        ["at", ["filter", c.tree[1], ["not", c.tree[2]]], ["const", 0]]
        for c in best
        if c.tree[0] == "every"
    ]


def _in_order(explained: list[dict[str, Any]], cases: Cases) -> list[dict[str, Any]]:
    """Guards such that none speaks for a refusal of another class that comes later.

    A refusal is claimed where every condition that could explain it is broken, success only where none is.
    """
    left = list(explained)
    out: list[dict[str, Any]] = []
    while left:
        best = min(left, key=lambda g: (_intrudes(g, left, cases), -g["support"]))
        left.remove(best)
        if _intrudes(best, left, cases):
            best["message"] = None
        trees = [c.tree for c in best.pop("conditions")]
        if len(trees) > 1:
            out.append({**best, "holds": ["or", *trees]})
            out.append({**best, "holds": ["and", *trees], "message": None})
        else:
            out.append({**best, "holds": trees[0]})
    return out


def _intrudes(guard: dict[str, Any], others: list[dict[str, Any]], cases: Cases) -> int:
    first = guard["conditions"][0].values
    return sum(
        first[i] is False or first[i] is GONE
        for other in others
        if other is not guard
        for i in cases.index[other["class"]]
    )


# -- staying inside what was seen ------------------------------------------------------------------


def _by_reach(condition: Condition) -> tuple[bool, int]:
    """Conditions on what the arguments point to come first: they are what refusals are about."""
    text = stable(condition.tree)
    points = any(op in text for op in ('"row"', '"at"', '"pick"')) and '"arg"' in text
    return (not (points or condition.tree[0] == "every"), condition.rank)


def _withhold(cases: Cases, conditions: Sequence[Condition]) -> list[dict[str, Any]]:
    """Conditions never seen broken: where one is, success was never seen."""
    enough = max(4, min(8, len({e.seen.key for e in cases.good}) // 2))
    out: list[dict[str, Any]] = []
    for condition in sorted(conditions, key=_by_reach):
        op = condition.tree[0]
        inner = condition.tree[2][0] if op == "every" else op
        if condition.held < enough or inner not in {"among", "member", "exists", "eq", "distinct", "le"}:
            continue
        if op == "le" and not _bounds(condition.tree):
            continue
        if op == "exists" and condition.tree[1][0] in {"arg", "old"}:
            continue
        body = condition.tree[2] if op == "every" else condition.tree
        if inner == "among" and body[1][0] in {"shape", "prefix"} and not mentions(body[1], "arg"):
            continue
        if inner == "among" and len(body[2]) * NOVEL > max(condition.held, NOVEL):
            continue
        out.append(
            {
                "holds": condition.tree,
                "message": None,
                "says": "never seen otherwise in a success",
                "support": 0,
                "against": condition.held,
            }
        )
    return out[:MAX_WITHHOLD]
