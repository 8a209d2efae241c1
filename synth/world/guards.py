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

from environments.runtime.expression_scope import Scope, Tree
from environments.runtime.normal import HOLE, mask, stable
from synth.world.conditions import FEW, RARE, Cases, Condition, bounds, conditions, texts
from synth.world.effects import rescoped, spread, tables_of
from synth.world.examples import DARK, GONE, Example, evaluate
from synth.world.fit import Fitter, amounts_in
from synth.world.messages import Refusal, culprits_of, hole_terms, message_of
from synth.world.model import ToolModel, Workbench
from synth.world.numbers import is_number, mentions
from synth.world.proposals import Proposer, evidence_of
from synth.world.recurring import told_again
from synth.world.terms import Tables, Term

MAX_UNEXPLAINED: Final = 0.06
"""Share of refusals without a guard above which success is not claimed."""
MIN_TO_REFUSE: Final = 2
"""Different refused calls before a refusal is claimed; one is enough to withhold success."""
RIVALS: Final = 6
"""How much worse another explanation of a refusal may be and still have a say."""
MAX_RIVALS: Final = 4
NOVEL: Final = 5
"""Successes per value of a category before a new value withholds success."""
MAX_WITHHOLD: Final = 80
WITHHELD_FORMS: Final = frozenset({"among", "member", "exists", "eq", "distinct", "le"})
_POINTS: Final = ('"row"', '"at"', '"pick"')
"""Operations that look at what something points to."""
MAX_GOOD: Final = 120
MAX_BAD: Final = 120
"""Examples that guards are searched in; the rest verifies them once."""


def learn_guards(
    bench: Workbench, examples: dict[str, list[Example]], propose: Proposer | None = None
) -> None:
    """Fill `guards` and `claims` of every writer whose effect and answer are known."""
    tables = tables_of(bench)
    for name, tool in sorted(bench.tools.items()):
        if tool.innocent or not examples.get(name):
            continue
        if tool.answer is None:
            continue
        _learn(tool, examples[name], tables, propose)


def _learn(
    tool: ToolModel, examples: list[Example], tables: Tables, propose: Proposer | None
) -> None:
    cases = _cases(tool, _sample(examples))
    roots = ["arg", "old"] if any(s.old is not None for s in cases.scopes) else ["arg"]
    fitter = Fitter(cases.scopes, roots, tables, mostly=RARE)
    fitter.extra = _effect_amounts(tool, cases)
    found = sorted(conditions(cases, fitter, tables), key=lambda c: c.rank)
    explained, missed = _explain(cases, found, fitter, propose)
    withheld = _withhold(cases, found)
    ordered = _in_order(explained, cases)
    again = [g for name in sorted(cases.bad) for g in told_again(cases, name)]
    tool.guards = [*_beside(again, ordered), *ordered, *withheld]
    for guard in tool.guards:
        guard.pop("class", None)
    _verify(tool, examples)
    unexplained = _would_claim(tool, cases, [g for g in tool.guards if not g["message"]], missed)
    share = unexplained / max(1, len({e.seen.key for e in examples}))
    tool.alone = tool.kind == "write" and not tool.writes and not tool.evidence.get("shows")
    tool.claims = share <= MAX_UNEXPLAINED and bool(cases.good)
    tool.evidence["refusals"] = {
        "classes": len(cases.bad),
        "unexplained": unexplained,
        "calls": len(examples),
    }


def _beside(
    again: Sequence[dict[str, Any]], ordered: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Refusals that recur; where the arguments break another rule as well, nobody knows which is told first."""
    rules = [
        g["holds"]
        for g in ordered
        if g["message"] and not mentions(g["holds"], "row") and not mentions(g["holds"], "old")
    ]
    for guard in again:
        if rules:
            both: Tree = ["or", guard["holds"], ["and", *rules]]
            yield {**guard, "holds": both, "message": None}
        yield guard


def _sample(examples: list[Example]) -> list[Example]:
    """Different successes and refusals up to a bound: learning stays linear in the number of episodes."""
    good = [e for e in examples if not e.refused]
    bad = [e for e in examples if e.refused]
    kept = {id(e) for e in [*spread(good)[:MAX_GOOD], *spread(bad)[:MAX_BAD]]}
    return [e for e in examples if id(e) in kept]


def _verify(tool: ToolModel, examples: list[Example]) -> None:
    """Drop what a success outside the sample breaks: a guard must hold in all of them."""
    if len(examples) <= MAX_GOOD:
        return
    scopes = [rescoped(tool, e) for e in examples if not e.refused]
    tool.guards = [
        g
        for g in tool.guards
        if not any(v is False or v is GONE for v in evaluate(g["holds"], scopes))
    ]


def _would_claim(
    tool: ToolModel, cases: Cases, withheld: list[dict[str, Any]], missed: list[int]
) -> int:
    """Refused calls without a guard for which the world would nevertheless say that they succeed."""
    examples = [*cases.good, *(e for group in cases.bad.values() for e in group)]
    trees: list[Tree] = [g["holds"] for g in withheld]
    effects: list[Tree] = [t for w in tool.writes for t in w.get("set", {}).values()]
    effects += [
        w["whole"] for w in tool.writes if w.get("whole") and "next" not in stable(w["whole"])
    ]
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


# -- explaining refusals ---------------------------------------------------------------------------


def _explain(
    cases: Cases, found: list[Condition], fitter: Fitter, propose: Proposer | None
) -> tuple[list[dict[str, Any]], list[int]]:
    """A guard per class of refusal where one condition tells it apart; the rest is counted."""
    explained: list[dict[str, Any]] = []
    unexplained: list[int] = []
    for name, group in sorted(cases.bad.items(), key=lambda item: -len(item[1])):
        rows = cases.index[name]
        refusal = Refusal(
            name=name,
            group=group,
            scopes=[cases.scopes[i] for i in rows],
            tables=fitter.tables,
            roots=fitter.roots,
        )
        holes = hole_terms(refusal, _allowed(cases))
        pool = [*_from_holes(cases, holes), *found]
        broken = [c for c in pool if _breaks(c, cases, rows)]
        calls = len({e.seen.key for e in group})
        if not broken:
            broken = list(_either(cases, fitter, rows))
        best = _ranked(broken, group[0].seen.content)
        asked = None if best or propose is None else _proposed(cases, name, propose)
        if asked is not None:
            best = [asked.condition]
        if not best:
            unexplained.extend(rows)
            explained.extend(_kinds_refused(cases, fitter, name))
            continue
        message = message_of(refusal, culprits_of(best), holes)
        explained.append(
            {
                "conditions": best,
                "message": message if _claimable(best, calls, refusal) else None,
                "says": group[0].seen.content[:200]
                if HOLE not in name
                else name.replace(HOLE, "…"),
                "support": calls,
                "against": best[0].held,
                "class": name,
                **({} if asked is None else asked.evidence),
            }
        )
    return explained, unexplained


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A condition that a model proposed and that passed the test."""

    condition: Condition
    evidence: dict[str, Any]


def _proposed(cases: Cases, name: str, propose: Proposer) -> Asked | None:
    """A condition for one class of refusal that nothing else explains."""
    rows = [*range(len(cases.good)), *cases.index[name]]
    everyone = [*cases.good, *cases.bad[name]]
    what = "Under which condition does a call of this tool succeed, of the kinds below?"
    target = [at < len(cases.good) for at in range(len(rows))]
    found = propose(what, everyone, [cases.scopes[i] for i in rows], target, condition=True)
    if found is None:
        return None
    values = evaluate(found.tree, cases.scopes)
    if not any(v is True for v in values[: len(cases.good)]):
        return None
    condition = Condition(tree=found.tree, held=found.calls, rank=0, values=values)
    return Asked(condition=condition, evidence=evidence_of(found))


def _kinds_refused(cases: Cases, fitter: Fitter, name: str) -> Iterator[dict[str, Any]]:
    """Where nothing explains a refusal, success is withheld from the kind of call that its message names."""
    rows = cases.index[name]
    said = _words_of(cases.bad[name][0].seen.content)
    words = [t for t in fitter.terms.scalars if texts(t)][:40]
    for subject, values, _ in _categories(fitter, words):
        kinds = {stable(values[i]): values[i] for i in rows}
        if not all(
            isinstance(v, str) and len(v) > 2 and _words_of(v) & said for v in kinds.values()
        ):
            continue
        tree: Tree = ["not", ["among", subject, list(kinds.values())]]
        yield {
            "conditions": [
                Condition(tree=tree, held=0, rank=0, values=evaluate(tree, cases.scopes))
            ],
            "message": None,
            "says": name.replace(HOLE, "…"),
            "support": len({e.seen.key for e in cases.bad[name]}),
            "against": 0,
            "class": name,
        }
        return


def _allowed(cases: Cases) -> list[Scope]:
    """The scopes of different calls that succeeded."""
    first: dict[str, int] = {}
    for at, example in enumerate(cases.good):
        first.setdefault(example.seen.key, at)
    return [cases.scopes[at] for at in first.values()]


def _breaks(condition: Condition, cases: Cases, rows: range) -> bool:
    """Whether a condition is broken in every refusal of a class whose state is known, and that is most of them."""
    known = [condition.values[i] for i in rows if condition.values[i] is not DARK]
    if any(v is True for v in known):
        return False
    del cases
    return len(known) * 2 >= len(rows) and len(known) >= 1


def _claimable(best: list[Condition], calls: int, refusal: Refusal) -> bool:
    """Two different refused calls, or one whose message speaks of what many successes met, or of the kind it refused."""
    if calls >= MIN_TO_REFUSE:
        return True
    words = _words_of(refusal.group[0].seen.content)
    said = set().union(_words_of(best[0].tree), *(_kind_of(c, refusal.scopes[0]) for c in best))
    return best[0].held >= 2 * FEW and bool(words & said)


def _kind_of(condition: Condition, scope: Scope) -> set[str]:
    """The words of the category that a refused call fell into, where a condition lists the allowed ones."""
    if condition.tree[0] != "among":
        return set()
    value = evaluate(condition.tree[1], [scope])[0]
    return _words_of(value) if isinstance(value, str) else set()


def _ranked(broken: list[Condition], message: str) -> list[Condition]:
    """The condition that explains a refusal best, then others that explain it nearly as well."""
    words = {
        w.strip(".,:;!?'\"").lower() for w in message.replace("-", " ").replace("_", " ").split()
    }
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
    words = [t for t in fitter.terms.scalars if texts(t)][:40]
    categories = list(_categories(fitter, words))
    for at, left in enumerate(words):
        for right in words[at + 1 :]:
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
                held = len({e.seen.key for e in cases.good})
                yield Condition(
                    tree=tree,
                    held=held,
                    rank=rank + left.rank + right.rank,
                    values=evaluate(tree, cases.scopes),
                )


def _categories(fitter: Fitter, words: Sequence[Term]) -> Iterator[tuple[Tree, list[Any], int]]:
    for term in words:
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


def _from_holes(cases: Cases, holes: Sequence[Tree]) -> Iterator[Condition]:
    n = len(cases.good)
    for at, left in enumerate(holes):
        for right in holes[at + 1 :]:
            for tree in (["eq", left, right], ["le", left, right], ["le", right, left]):
                values = evaluate(tree, cases.scopes)
                held = {cases.good[i].seen.key for i in range(n) if values[i] is True}
                if held and not any(v is False or v is GONE for v in values[:n]):
                    yield Condition(tree=tree, held=len(held), rank=-10, values=values)


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


def _by_reach(condition: Condition) -> tuple[int, int]:
    """What the elements and arguments point to comes first: that is what refusals are about; shapes come last."""
    every = condition.tree[0] == "every"
    body = condition.tree[2] if every else condition.tree
    text = stable(body)
    points = any(op in text for op in _POINTS) and (every or '"arg"' in text)
    says_little = body[0] == "exists" or any(op in text for op in ('"shape"', '"prefix"'))
    late = 2 * (not (points or every)) + says_little + (not points and every)
    return (-1 if condition.limit else late, condition.rank)


def _withhold(cases: Cases, conditions: Sequence[Condition]) -> list[dict[str, Any]]:
    """Conditions never seen broken: where one is, success was never seen."""
    enough = max(4, min(8, len({e.seen.key for e in cases.good}) // 2))
    out: list[dict[str, Any]] = []
    for condition in sorted(conditions, key=_by_reach):
        op = condition.tree[0]
        inner = condition.tree[2][0] if op == "every" else op
        if not condition.limit and (condition.held < enough or inner not in WITHHELD_FORMS):
            continue
        if op == "le" and not condition.limit and not bounds(condition.tree):
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
