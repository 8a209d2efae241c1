"""Guards: when a write succeeds, and what it says when it does not.

Comes from examples of successes and refusals. A guard is a condition that held in every success and in no refusal of
its class. Conditions that held in every success but were never seen broken only withhold: success is claimed inside
what was seen, a refusal only where refusals were seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.scope import Tree
from environments.runtime.values.normal import mask, stable
from environments.runtime.views.implicit_subject import SUBJECT
from synth.world.actions.disequalities import between_names
from synth.world.actions.effects import distinct_first, only_record, rescoped, tables_of
from synth.world.actions.examples import Example, evaluate, is_broken
from synth.world.actions.list_frames import never_there, none_stays, staying_guards
from synth.world.actions.version_arguments import locked
from synth.world.model import ToolModel, Workbench
from synth.world.proposals import Proposer
from synth.world.refusals.conditions import RARE, Cases, Condition, bounds, conditions
from synth.world.refusals.draft import GuardDraft, withheld_guard
from synth.world.refusals.message_literals import bind_words, unseen_amounts
from synth.world.refusals.named_refusals import told_again
from synth.world.refusals.precondition_search import explain, lists_names
from synth.world.refusals.refusal_order import bind, bind_new
from synth.world.refusals.relations import body_of, is_about_arguments, relates, telling
from synth.world.search.fit import Fitter
from synth.world.search.fit_parts import amounts_in
from synth.world.search.numbers import is_number, mentions
from synth.world.search.terms import Tables, Term
from synth.world.support import HARDLY_EVER, SEEN_FOUR_TIMES, SEEN_SEVERAL_TIMES, SEEN_TWICE

MAX_UNEXPLAINED: Final = HARDLY_EVER
"""Share of refusals without a guard above which success is not claimed."""
NOVEL: Final = SEEN_SEVERAL_TIMES
"""Successes per value of a category before a new value withholds success."""
NOVEL_WORD: Final = SEEN_FOUR_TIMES
"""The same of an argument itself: what is sent says what is asked for."""
MAX_WITHHOLD: Final = 80
MIN_RELATED: Final = SEEN_TWICE
"""Different successes after which an argument is taken to name a part of a record."""
WITHHELD_FORMS: Final = frozenset({"among", "member", "exists", "eq", "not", "distinct", "le"})
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
    found = [c for c in conditions(cases, fitter, tables) if not _of_subject(c.tree)]
    found.sort(key=lambda c: c.rank)
    explained, missed = explain(cases, found, fitter, propose)
    withheld = _withhold(cases, found)
    if not cases.bad and only_record(tool):
        # What was never refused may hang on an amount in its one record, hardly on whatever else that holds.
        withheld = [g for g in withheld if g.holds[0] == "le" or not mentions(g.holds, "old")]
    withheld.extend(staying_guards(cases, tool.writes))
    versions = list(locked(cases, tool.writes))
    withheld.extend(versions)
    withheld.extend(unseen_amounts(cases))
    again = [g for name in sorted(cases.bad) for g in told_again(cases, name)]
    for guard in again:
        guard.also = _of_record(tool, cases, guard.refusal)
    bind(explained, again, withheld, cases, [g.holds for g in versions])
    bind_words([*explained, *again], fitter.terms.scalars, cases)
    bind_new([*explained, *again], none_stays(cases, tool.writes), cases)
    for guard in again:
        guard.bind(never_there(cases, guard.refusal, guard.element, guard.fields), seen=True)
    ordered = _in_order(explained, cases)
    drafts = _verified(tool, [*_recurring_refusals(again, ordered), *ordered, *withheld], examples)
    tool.guards = [draft.part() for draft in drafts]
    thin = [g.holds for g in drafts if g.thin]
    silent = [
        g.holds
        for g in drafts
        if not g.message and not lists_names(g.holds) and g.holds not in thin
    ]
    unexplained = _would_claim(tool, cases, silent, missed)
    share = unexplained / max(1, len({e.seen.key for e in examples}))
    tool.alone = tool.kind == "write" and not tool.writes and not tool.evidence.get("shows")
    tool.claims = share <= MAX_UNEXPLAINED and bool(cases.good)
    tool.evidence["refusals"] = {
        "classes": len(cases.bad),
        "unexplained": unexplained,
        "calls": len(examples),
    }


def _of_subject(tree: Tree) -> bool:
    """Whether a condition is about who is signed in, not about a record of theirs: who it was explains anything."""
    if not isinstance(tree, list) or tree[:1] == ["row"]:
        return False
    return tree == ["arg", SUBJECT] or any(map(_of_subject, tree))


def _of_record(tool: ToolModel, cases: Cases, name: str) -> list[Tree] | None:
    """That the record was there in each refused call: of one that is not, other words may come first."""
    keys = [(w.table, list(w.key)) for w in tool.writes if '"next"' not in stable(list(w.key))]
    trees: list[Tree] = [["exists", ["row", table, key]] for table, key in keys]
    refused = [cases.scopes[i] for i in cases.index[name]]
    there = [t for t in trees if all(v is True for v in evaluate(t, refused))]
    return there or None


def _recurring_refusals(
    again: Sequence[GuardDraft], ordered: Sequence[GuardDraft]
) -> Iterator[GuardDraft]:
    """Refusals that recur; where the arguments break another rule as well, nobody knows which is told first."""
    rules = [
        g.holds
        for g in ordered
        if g.message and not mentions(g.holds, "row") and not mentions(g.holds, "old")
    ]
    for guard in again:
        if rules:
            both: Tree = ["or", guard.holds, ["and", *rules]]
            yield replace(guard, holds=both, message=None)
        yield guard


def _sample(examples: list[Example]) -> list[Example]:
    """Different successes and refusals up to a bound: learning stays linear in the number of episodes."""
    good = [e for e in examples if not e.refused]
    bad = [e for e in examples if e.refused]
    kept = {id(e) for e in [*distinct_first(good)[:MAX_GOOD], *distinct_first(bad)[:MAX_BAD]]}
    return [e for e in examples if id(e) in kept]


def _verified(
    tool: ToolModel, drafts: list[GuardDraft], examples: list[Example]
) -> list[GuardDraft]:
    """The guards without those that a success outside the sample breaks: a guard must hold in all of them."""
    if len(examples) <= MAX_GOOD:
        return drafts
    scopes = [rescoped(tool, e) for e in examples if not e.refused]
    return [
        g for g in drafts if not any(v is False or v is MISSING for v in evaluate(g.holds, scopes))
    ]


def _would_claim(tool: ToolModel, cases: Cases, trees: list[Tree], missed: list[int]) -> int:
    """Refused calls without a guard for which the world would nevertheless say that they succeed."""
    examples = [*cases.good, *(e for group in cases.bad.values() for e in group)]
    effects: list[Tree] = [t for w in tool.writes for t in w.set.values()]
    effects += [w.whole for w in tool.writes if w.whole and "next" not in stable(w.whole)]
    claimed: set[str] = set()
    for at in missed:
        scope = [cases.scopes[at]]
        if any(evaluate(t, scope)[0] in (False, MISSING) for t in trees):
            continue
        if any(evaluate(t, scope)[0] in (MISSING, UNKNOWN) for t in effects):
            continue
        claimed.add(examples[at].seen.key)
    return len(claimed)


def _effect_amounts(tool: ToolModel, cases: Cases) -> list[Term]:
    """Amounts that the effect computes: what a refusal is most likely to compare with."""
    found: dict[str, Tree] = {}
    for write in tool.writes:
        for tree in [*write.set.values(), write.whole]:
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


def _in_order(explained: list[GuardDraft], cases: Cases) -> list[GuardDraft]:
    """Guards such that none speaks for a refusal of another class that comes later.

    A refusal is claimed where every condition that could explain it is broken, success only where none is.
    """
    left = list(explained)
    untold = cases.bad.keys() - {g.refusal for g in explained}
    out: list[GuardDraft] = []
    while left:
        best = min(left, key=lambda g: (_intrudes(g, left, cases), -g.support))
        left.remove(best)
        if _intrudes(best, left, cases) or _speaks_for(best, untold, cases):
            best.message = None
        looked = best.conditions
        best.gone = any(c.values[i] is MISSING for c in looked for i in cases.index[best.refusal])
        trees = [c.tree for c in looked]
        if len(trees) > 1:
            out.append(replace(best, holds=["or", *trees]))
            out.append(replace(best, holds=["and", *trees], message=None))
        else:
            out.append(replace(best, holds=trees[0]))
    return out


def _intrudes(guard: GuardDraft, others: list[GuardDraft], cases: Cases) -> int:
    first = guard.conditions[0].values
    return sum(
        first[i] is False or first[i] is MISSING
        for other in others
        if other is not guard
        for i in cases.index[other.refusal]
    )


def _speaks_for(guard: GuardDraft, classes: Iterable[str], cases: Cases) -> bool:
    """Whether a refusal would be told to calls that were refused in other words, and nothing explains those."""
    rows = [i for name in classes for i in cases.index[name]]
    return any(all(is_broken(c.values[i]) for c in guard.conditions) for i in rows)


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


def _withhold(cases: Cases, conditions: Sequence[Condition]) -> list[GuardDraft]:
    """Conditions never seen broken: where one is, success was never seen."""
    enough = max(4, min(8, len({e.seen.key for e in cases.good}) // 2))
    out: list[GuardDraft] = []
    for condition in sorted(conditions, key=_by_reach):
        op = condition.tree[0]
        inner = body_of(condition.tree)[0]
        bar = MIN_RELATED if telling(condition.tree) else enough
        if not condition.limit and (condition.held < bar or inner not in WITHHELD_FORMS):
            continue
        if op == "le" and not condition.limit and not bounds(condition.tree):
            continue
        if op == "exists" and condition.tree[1][0] in {"arg", "old"}:
            continue
        if op == "not" and not between_names(condition.tree, cases.scopes):
            continue
        body = condition.tree[2] if op == "every" else condition.tree
        if inner == "among" and body[1][0] in {"shape", "prefix"} and not mentions(body[1], "arg"):
            continue
        novel = NOVEL_WORD if body[1][0] == "arg" else NOVEL
        if inner == "among" and len(body[2]) * novel > max(condition.held, NOVEL):
            continue
        # What few successes say withholds; it does not make up for refusals that nothing explains.
        thin = condition.held < enough or len(out) >= MAX_WITHHOLD
        out.append(withheld_guard(condition.tree, condition.held, thin=thin))
    first = [g for g in out if is_about_arguments(g.holds) or relates(g.holds)]
    rest = [g for g in out if g not in first]
    return [*first, *rest[:MAX_WITHHOLD]]
