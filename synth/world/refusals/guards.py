"""Guards: the version spaces of one tool, as its part of the world file has them: when it refuses, in which words, when success is claimed.

Comes from examples of successes and refusals. The steps: a pool of `literals` that held in every success; of these the reasons of each class
of refusals (`explain`, `named_refusals`); what withholds success (`success`); what all refusals of a class met besides (`specific`). Not here:
values that nobody gave (`unseen_values`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from environments.runtime.document.tools import GuardPart
from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import looks_at
from environments.runtime.values.normal import is_number, key_of_text, stable
from synth.world.actions.effects import distinct_first, rescoped, tables_of
from synth.world.actions.examples import Example, evaluate, has_value, is_broken, value_in
from synth.world.model import ToolModel, Workbench
from synth.world.proposals import Proposer
from synth.world.refusals.cases import RARE, Cases, Source, cases_of
from synth.world.refusals.explain import explain, lists_names
from synth.world.refusals.literals import literals
from synth.world.refusals.named_refusals import named_refusals
from synth.world.refusals.specific import bind_spaces
from synth.world.refusals.success import success_boundary
from synth.world.refusals.version_space import in_order, rules_about_arguments, withheld_guard
from synth.world.search.fit import Fitter
from synth.world.search.fit_parts import amounts_in
from synth.world.search.terms import Tables, Term
from synth.world.support import HARDLY_EVER, SEEN_THRICE

MAX_UNEXPLAINED: Final = HARDLY_EVER
"""Share of refusals without a guard above which success is not claimed."""
MAX_GOOD: Final = 120
MAX_BAD: Final = 120
"""Examples that guards are searched in; the rest verifies them once."""
MAX_AMOUNTS: Final = 8
"""Amounts of an effect that refusals may compare with."""


def learn_guards(
    bench: Workbench, examples: Mapping[str, list[Example]], propose: Proposer | None
) -> None:
    """Fill `guards` and `claims` of every writer whose effect and answer are known."""
    tables = tables_of(bench)
    keys = frozenset(key for table in bench.tables.values() for key in table.rows)
    for name, tool in sorted(bench.tools.items()):
        if not tool.innocent and examples.get(name) and tool.answer is not None:
            _learn(tool, examples[name], tables, propose)
            tool.again = _seen_again(examples[name], keys)


def _learn(
    tool: ToolModel, examples: list[Example], tables: Tables, propose: Proposer | None
) -> None:
    sample = _sample(examples)
    source = _source(tool, sample, tables)
    cases = source.cases
    pool = literals(source)
    explained = explain(source, pool, propose)
    named = named_refusals(cases)
    success = success_boundary(tool, source, pool)
    bind_spaces(source, [*explained.spaces, *named], success)
    ordered = in_order(explained.spaces, cases)
    rules = rules_about_arguments(ordered)
    refusing = [guard for space in named for guard in space.guards(rules)]
    refusing += [guard for space in ordered for guard in space.guards()]
    tool.guards = _verified(tool, [*refusing, *map(withheld_guard, success)], examples)
    thin = [literal.tree for literal in success if literal.thin]
    silent = [
        g.holds
        for g in tool.guards
        if not g.message and not lists_names(g.holds) and g.holds not in thin
    ]
    unexplained = _would_claim(tool, cases, silent, explained.missed)
    # What is found in a sample of the refused calls stands for all of them.
    every, asked = (len(_refused_calls(some)) for some in (examples, sample))
    refused = unexplained * every / max(1, asked)
    share = refused / max(1, len({e.seen.key for e in examples}))
    tool.claims = share <= MAX_UNEXPLAINED and bool(cases.good)
    tool.evidence["refusals"] = {
        "classes": len(cases.bad),
        "unexplained": round(refused),
        "calls": len(examples),
    }


def _seen_again(examples: Sequence[Example], keys: frozenset[str]) -> bool:
    """Whether a tool succeeded again and again in one episode about the same record; `keys`: those of all records."""
    named: dict[int, Counter[str]] = defaultdict(Counter)
    for example in examples:
        if not example.refused:
            values = {v for v in example.seen.arguments.values() if isinstance(v, str)}
            named[example.seen.episode].update(v for v in values if key_of_text(v) in keys)
    return sum(max(told.values(), default=0) > 1 for told in named.values()) >= SEEN_THRICE


def _source(tool: ToolModel, examples: Sequence[Example], tables: Tables) -> Source:
    """The cases of a tool with all terms that a reason may be made of."""
    cases = cases_of(tool, examples)
    roots = ["arg", "old"] if any(s.old is not None for s in cases.scopes) else ["arg"]
    fitter = Fitter(cases.scopes, roots, tables, mostly=RARE)
    fitter.extra = _effect_amounts(tool, cases)
    return Source(cases=cases, fitter=fitter, writes=tool.writes)


def _sample(examples: list[Example]) -> list[Example]:
    """Different successes and refusals up to a bound: learning stays linear in the number of episodes."""
    good = [e for e in examples if not e.refused]
    bad = [e for e in examples if e.refused]
    kept = {id(e) for e in [*distinct_first(good)[:MAX_GOOD], *distinct_first(bad)[:MAX_BAD]]}
    return [e for e in examples if id(e) in kept]


def _refused_calls(examples: Iterable[Example]) -> set[str]:
    """The different calls that were refused."""
    return {example.seen.key for example in examples if example.refused}


def _verified(
    tool: ToolModel, guards: list[GuardPart], examples: Sequence[Example]
) -> list[GuardPart]:
    """The guards without those that a success outside the sample breaks: a guard must hold in all of them."""
    if len(examples) <= MAX_GOOD:
        return guards
    scopes = [rescoped(tool, e) for e in examples if not e.refused]
    return [g for g in guards if not any(map(is_broken, evaluate(g.holds, scopes)))]


def _would_claim(
    tool: ToolModel, cases: Cases, trees: Sequence[Tree], missed: Iterable[int]
) -> int:
    """Refused calls without a guard for which the world would nevertheless say that they succeed."""
    examples = [*cases.good, *(e for group in cases.bad.values() for e in group)]
    effects: list[Tree] = [t for w in tool.writes for t in w.set.values()]
    effects += [w.whole for w in tool.writes if w.whole and "next" not in stable(w.whole)]
    claimed: set[str] = set()
    for at in missed:
        scope = cases.scopes[at]
        refused = any(is_broken(value_in(tree, scope)) for tree in trees)
        if not refused and all(has_value(value_in(tree, scope)) for tree in effects):
            claimed.add(examples[at].seen.key)
    return len(claimed)


def _effect_amounts(tool: ToolModel, cases: Cases) -> list[Term]:
    """Amounts that the effect computes: what a refusal is most likely to compare with."""
    found: dict[str, Tree] = {}
    for write in tool.writes:
        for tree in filter(None, [*write.set.values(), write.whole]):
            for amount in amounts_in(tree):
                if not looks_at(amount, "it") or amount[0] in {"sum", "sub", "mul"}:
                    found.setdefault(stable(amount), amount)
    out: list[Term] = []
    for amount in list(found.values())[:MAX_AMOUNTS]:
        values = evaluate(amount, cases.scopes)
        if any(is_number(v) for v in values):
            out.append(Term(tree=amount, values=values, rank=4))
    return out
