"""Effects: what a successful write does to records, as trees over the record before and the arguments.

Comes from examples; sets `writes` and `answer` of each writer. An effect is kept only if it reproduces every example
whose inputs are known. Not here: when a write succeeds (`guards`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from environments.runtime.document.codec import encode
from environments.runtime.document.tools import RowRefPart, WritePart
from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.normal import stable
from environments.runtime.views.implicit_subject import SUBJECT
from environments.runtime.views.selected_subject import CHOSEN
from synth.world.actions.examples import Example, evaluate, has_value, value_in
from synth.world.model import TableModel, ToolModel, Workbench
from synth.world.proposals import Proposer, proposal_of
from synth.world.schema.counters import fit_counter, fixed_names, issued_fields
from synth.world.search.constant_arguments import for_seen, for_told, or_turned
from synth.world.search.fields import fit_fields, same_value
from synth.world.search.fit import Fitter
from synth.world.search.repeated_arguments import repeated_answer
from synth.world.search.support_counts import support_of
from synth.world.search.terms import NO_TABLES, Tables, Term, gather
from synth.world.support import SEEN_TWICE

MAX_EXAMPLES: Final = 120
MIN_ARGUMENTS: Final = SEEN_TWICE
"""Different calls that an effect must reproduce."""


def tables_of(bench: Workbench) -> Tables:
    """What references can point to."""
    single = [t.name for t in bench.tables.values() if len(t.key_names) == 1 and t.rows]
    multiple: list[tuple[str, tuple[str, ...]]] = []
    for name, recipe in bench.nested.items():
        keys = recipe.key
        if len(keys) == 1:
            single.append(name)
        else:
            multiple.append((name, keys))
    return Tables(single=tuple(single), multiple=tuple(multiple))


def learn_effects(
    bench: Workbench, examples: dict[str, list[Example]], propose: Proposer | None
) -> None:
    """Fill `writes` and `answer` of every writer that the language can express, and what readers say that repeat their arguments."""
    tables = tables_of(bench)
    for name, tool in sorted(bench.tools.items()):
        done = [e for e in examples.get(name, ()) if not e.refused]
        if tool.kind == "act" and done:
            _find_effects(bench, tool, distinct_first(done), tables, only=True)
            _settle_effects(tool)
        if (
            tool.kind == "read" and tool.table is not None
        ):  # else it would be all that is known of it
            tool.answer = repeated_answer(tool)
        if tool.kind != "write" or len({e.seen.key for e in done}) < MIN_ARGUMENTS:
            continue
        if tool.evidence.get("shows") and any(k[0] == "it" for k in tool.key):
            _learn_creation(
                bench, tool, distinct_first(done), Search(tables=tables, propose=propose)
            )
        elif tool.evidence.get("shows"):
            _learn_update(tool, distinct_first(done), Search(tables=tables, propose=propose))
            _verify(tool, done)
        if not tool.writes and tool.answer is None:
            _learn_aside(bench, tool, distinct_first(done), tables)


def _verify(tool: ToolModel, done: Sequence[Example]) -> None:
    """Ask the examples outside the sample once: one that is not reproduced ends the effect."""
    if not tool.writes or len(done) <= MAX_EXAMPLES:
        return
    for name, tree in tool.writes[0].set.items():
        for example in done:
            value = value_in(tree, example.scope()) if isinstance(example.old, dict) else UNKNOWN
            shown = example.seen.value.get(name) if isinstance(example.seen.value, dict) else None
            there = isinstance(example.seen.value, dict) and name in example.seen.value
            if value is not UNKNOWN and there and value != shown:
                tool.writes, tool.answer = [], None
                tool.evidence["not_understood"] = [name]
                return


def distinct_first(examples: Sequence[Example]) -> list[Example]:
    """Different calls first, then repetitions, up to a bound that keeps learning linear."""
    first: dict[str, Example] = {}
    rest = [e for e in examples if first.setdefault(e.seen.key, e) is not e]
    return [*first.values(), *rest][:MAX_EXAMPLES]


def _distinct(examples: Sequence[Example]) -> int:
    return len({e.seen.key for e in examples})


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Where trees come from."""

    tables: Tables
    propose: Proposer | None
    """Asked for what the search does not find."""


def _proposed(
    tool: ToolModel, search: Search, name: str, examples: Sequence[Example], target: Sequence[Any]
) -> Tree | None:
    """A tree for one field from the configured model, where there is one and the tree passes the test."""
    if search.propose is None or any(value is MISSING for value in target):
        return None
    what = f"What does the field {stable(name)} of the record hold after a call of this tool?"
    found = search.propose(what, examples, [e.scope() for e in examples], target)
    if found is None:
        return None
    told = {"effect": name, **encode(proposal_of(found))}
    tool.evidence.setdefault("proposed", []).append(told)
    return found.tree


def _learn_update(tool: ToolModel, examples: list[Example], search: Search) -> None:
    known = [e for e in examples if isinstance(e.old, dict) and isinstance(e.seen.value, dict)]
    if _distinct(known) < MIN_ARGUMENTS:
        return
    after = [e.seen.value for e in known]
    sets, missing = fit_fields(known, after, search.tables)
    for name in list(missing):
        target = [row.get(name, MISSING) if isinstance(row, dict) else MISSING for row in after]
        tree = _proposed(tool, search, name, known, target)
        if tree is not None:
            sets[name] = tree
            missing.remove(name)
    if missing:
        tool.evidence["not_understood"] = missing
        return
    tool.writes = [WritePart(table=tool.table or "", key=tuple(tool.key), set=sets)]
    tool.answer = ["it"]
    tool.text = False
    tool.evidence["effect"] = {"arguments": _distinct(known), "reproduced": len(known)}
    tool.evidence["fields"] = support_of(sets, known, after)
    tool.says = f"changes {', '.join(sets) or 'nothing'} of {tool.table}"


def _learn_creation(
    bench: Workbench, tool: ToolModel, examples: list[Example], search: Search
) -> None:
    """A tool whose result is a record that was not there before."""
    own = str(tool.key[0][1])
    rows = [e.seen.value for e in examples if isinstance(e.seen.value, dict)]
    if len(rows) < len(examples) or any(own not in row for row in rows):
        return
    scopes = [e.scope() for e in examples]
    fitter = Fitter(scopes, ["arg"], search.tables)
    identity = fit_counter(bench, tool, own) or fitter.fit([r[own] for r in rows])
    if identity is None or identity[0] == "const":
        return
    fields: list[Any] = []
    missing: list[str] = []
    for name in rows[0]:
        if any(name not in r for r in rows):
            return
        values = [r[name] for r in rows]
        tree = identity if name == own else fitter.fit(values, name=name)
        if tree is None:
            tree = _proposed(tool, search, name, examples, values)
        if tree is None:
            missing.append(name)
        fields.append([name, tree])
    if missing:
        tool.evidence["not_understood"] = missing
        return
    tool.writes = [
        WritePart(
            table=tool.table or "",
            key=(["it", own],),
            creates=True,
            whole=["object", *fields],
        )
    ]
    tool.answer = ["it"]
    tool.text = False
    tool.evidence["effect"] = {"arguments": _distinct(examples), "reproduced": len(examples)}
    tool.says = f"creates a {tool.table}"


def _settle_effects(tool: ToolModel) -> None:
    """What is said of a tool once it has effects."""
    if not tool.writes:
        return
    tool.evidence["about"] = tool.writes[0].table
    tool.refs = [RowRefPart(table=w.table, key=w.key) for w in tool.writes]
    tool.says = "changes " + ", ".join(
        f"{', '.join(w.set) or 'the whole'} of {w.table}" for w in tool.writes
    )


def _learn_aside(
    bench: Workbench, tool: ToolModel, examples: list[Example], tables: Tables
) -> None:
    """A write that answers something else than the record: its effect is what reads show afterwards."""
    _find_effects(bench, tool, examples, tables)
    if tool.writes:
        first = tool.writes[0]
        for example in examples:
            example.old = _row_at(example, first.table, list(first.key))
    _settle_effects(tool)
    scopes = [e.scope() for e in examples]
    if tool.writes:
        for scope in scopes:
            scope.it = _row_after(tool.writes[0], scope)
    roots = ["arg", "old", "it"] if tool.writes else ["arg"]
    tool.answer = _answer(bench, tool, Fitter(scopes, roots, tables), examples)
    if tool.answer is not None and fixed_names(tool.answer):
        tool.limit = _most_in_one_episode(examples)
    tool.text = not any(e.seen.is_json for e in examples)


def _find_effects(
    bench: Workbench,
    tool: ToolModel,
    examples: list[Example],
    tables: Tables,
    *,
    only: bool = False,
) -> None:
    """One effect per table that the arguments name a row of, or that has one record, and that reads show changed."""
    names = gather([e.scope() for e in examples], ["arg"], NO_TABLES).scalars
    for table in bench.tables.values():
        if len(table.key_names) > 1 or (not table.rows and table.key_names):
            continue
        keys: list[list[Tree]] = [[]]
        if table.key_names:
            keys = [] if only else [[tree] for tree in _row_trees(examples, table.name, names)]
        found = (_effect_on(examples, table.name, key, tables) for key in keys)
        tool.writes.extend(islice((effect for effect in found if effect is not None), 1))
    if not tool.writes and not only:
        made = (_record_made(examples, table, names, tables) for table in bench.tables.values())
        tool.writes.extend(islice((effect for effect in made if effect is not None), 1))


def _answer(
    bench: Workbench, tool: ToolModel, fitter: Fitter, examples: Sequence[Example]
) -> Tree | None:
    """What a write says: numbered ids by their order, everything else from what was there."""
    values = [e.seen.value for e in examples]
    records = [v for v in values if isinstance(v, dict)]
    numbered: dict[str, Tree] = {}
    for field in issued_fields(bench, tool):
        tree = fit_counter(bench, tool, field)
        if tree is not None:
            numbered[field] = tree
    same = len(records) == len(values) and all(list(r) == list(records[0]) for r in records)
    if not numbered or not same:
        return fitter.fit(values)
    fields: list[Any] = []
    for name in records[0]:
        tree = numbered.get(name) or fitter.fit([r[name] for r in records], name=name)
        if tree is None:
            tool.evidence.setdefault("not_understood", []).append(name)
        fields.append([name, tree])
    return None if any(f[1] is None for f in fields) else ["object", *fields]


def _most_in_one_episode(examples: Sequence[Example]) -> int:
    counts = Counter(e.seen.episode for e in examples)
    return max(counts.values(), default=0)


def _row_trees(examples: Sequence[Example], table: str, names: Iterable[Term]) -> list[Tree]:
    """Those of the arguments' terms that name rows of a table."""
    scopes = [e.scope() for e in examples]
    out: list[Tree] = []
    for term in names:
        rows = evaluate(["row", table, [term.tree]], scopes)
        if sum(isinstance(r, dict) for r in rows) * 2 >= len(rows):
            out.append(list(term.tree))
    return out


def only_record(tool: ToolModel) -> bool:
    """Whether what a tool changes is there for every call, whatever its arguments say."""
    return bool(tool.writes) and all(
        key in (["arg", SUBJECT], ["arg", CHOSEN]) for write in tool.writes for key in write.key
    )


def _row_at(example: Example, table: str, key: list[Tree]) -> Any:
    value = value_in(["row", table, key], example.scope())
    return value if isinstance(value, dict | list) else None


def _effect_on(
    examples: Sequence[Example], table: str, key: list[Tree], tables: Tables
) -> WritePart | None:
    pairs: list[tuple[Example, Any]] = []
    for example in examples:
        before = _row_at(example, table, key)
        parts = [value_in(tree, example.scope()) for tree in key]
        # An argument that this call leaves out names no row, so nobody saw one after it.
        named = all(map(has_value, parts))
        after = example.later.get((table, stable(parts))) if named else None
        if isinstance(before, dict | list) and isinstance(after, dict | list):
            pairs.append((_with_old_row(example, before), after))
    changed = [p for p in pairs if not same_value(p[0].old, p[1])]
    if len({p[0].seen.key for p in changed}) < MIN_ARGUMENTS:
        return None
    olds, rows = [p[0] for p in pairs], [p[1] for p in pairs]
    if all(isinstance(v, list) for p in pairs for v in (p[0].old, p[1])):
        whole = Fitter([e.scope() for e in olds], ["arg", "old"], tables).fit(rows)
        if whole is None or (not key and fixed_names(whole)):
            return None
        return WritePart(table=table, key=tuple(key), whole=whole)
    if any(isinstance(v, list) for p in pairs for v in (p[0].old, p[1])):
        return None
    fitted, missing = fit_fields(olds, rows, tables)
    # A name that is always the same may be that of what was there at every start.
    if missing or (not key and any(map(fixed_names, fitted.values()))):
        return None
    told, calls = [e.scope() for e in olds], [e.scope() for e in examples]
    sets = {
        name: for_told(for_seen(or_turned(value, name, told), told, calls), told, calls)
        for name, value in fitted.items()
    }
    return WritePart(table=table, key=tuple(key), set=sets)


def _record_made(
    examples: Sequence[Example], table: TableModel, names: Iterable[Term], tables: Tables
) -> WritePart | None:
    """The creation of a record that one of the arguments' terms names: looks after the call show it, and nobody saw it before."""
    if len(table.key_names) != 1:
        return None
    scopes = [e.scope() for e in examples]
    for term in names:
        shown = [
            (example, row)
            for example, name in zip(examples, term.values, strict=True)
            if has_value(name)
            and (row := example.later.get((table.name, stable([name])))) is not None
        ]
        if len({example.seen.key for example, _ in shown}) < MIN_ARGUMENTS:
            continue
        key: list[Tree] = [term.tree]
        if any(has_value(row) for row in evaluate(["row", table.name, key], scopes)):
            continue
        whole = Fitter([e.scope() for e, _ in shown], ["arg"], tables).fit(
            [row for _, row in shown]
        )
        if whole is not None:
            return WritePart(table=table.name, key=tuple(key), creates=True, whole=whole)
    return None


def _row_after(write: WritePart, scope: Scope) -> Any:
    """The row after an effect, as the runtime will compute it."""
    if write.whole:
        value = value_in(write.whole, scope)
        return value if has_value(value) else None
    if not isinstance(scope.old, dict):
        return None
    after = dict(scope.old)
    for name, tree in write.set.items():
        value = value_in(tree, scope)
        if has_value(value):
            after[name] = value
    return after


def _with_old_row(example: Example, old: Any) -> Example:
    return Example(
        seen=example.seen,
        refused=example.refused,
        before=example.before,
        old=old,
        later=example.later,
        task=example.task,
    )


def rescoped(tool: ToolModel, example: Example) -> Scope:
    """The scope in which a tool's guards are asked: with the row that its first effect is about."""
    if tool.writes and not tool.writes[0].creates and example.old is None:
        example.old = _row_at(example, tool.writes[0].table, list(tool.writes[0].key))
    return example.scope()
