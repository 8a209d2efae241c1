"""Kinds: which tools always say the same, which compute, and which show records under which key.

Comes from observations in normal form; sets kind, key and table of each tool. Not here: who writes (`influence.writers`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from environments.runtime.expr.arithmetic import DECIMAL_FORMS, FORMS, RARE, answer, calculate
from environments.runtime.values.mentions import is_name
from environments.runtime.values.normal import stable
from environments.runtime.views.implicit_subject import SUBJECT
from synth.world.grouping import lists_by_key
from synth.world.model import TableModel, ToolModel, Workbench
from synth.world.observation import Observation
from synth.world.schema.functional_dependency import decides, never_varied, places, repeats
from synth.world.schema.same_rows import agree
from synth.world.support import MORE_THAN_HALF, SEEN_THRICE

MIN_SUPPORT: Final = SEEN_THRICE
SAME_RECORD: Final = MORE_THAN_HALF
"""Share of fields that two results have in common when they show one kind of record."""


def learn_kinds(bench: Workbench) -> None:
    """Set the kind of every tool that needs no state, then group the rest into tables."""
    for tool in bench.tools.values():
        if not (_learn_arithmetic(tool) or _learn_constant(tool)):
            _learn_key(
                tool,
                own_starts=bench.own_starts is not None,
                apart=bench.views.prompt_subject is not None,
            )
    _learn_tables(bench)


def _learn_arithmetic(tool: ToolModel) -> bool:
    names = {name for seen in tool.observations for name in seen.arguments}
    for name in sorted(names):
        pairs = [
            (seen.arguments.get(name), seen.content)
            for seen in tool.good()
            if calculate(seen.arguments.get(name)) is not None
        ]
        if len({p[1] for p in pairs}) < MIN_SUPPORT or len(pairs) < 0.8 * len(tool.good()):
            continue
        forms = [
            form
            for form in (*FORMS, *DECIMAL_FORMS)
            if all(answer(text, form) == content for text, content in pairs)
        ]
        if forms:
            tool.kind, tool.text = "pure", True
            signs = [sign for sign in RARE if any(sign in str(text) for text, _ in pairs)]
            tool.answer = ["calc", ["arg", name], forms, *signs]
            tool.evidence = {"arguments": len({p[1] for p in pairs}), "reproduced": len(pairs)}
            tool.says = f"computes the arithmetic in `{name}`"
            return True
    return False


def _learn_constant(tool: ToolModel) -> bool:
    good = tool.good()
    contents = {seen.content for seen in good}
    if len(contents) != 1 or len(good) < 2:
        return False
    content = contents.pop()
    varied = len({seen.key for seen in good}) >= 2
    names_nothing = not any(c.isdigit() for c in content)
    refusals = len(tool.observations) - len(good)
    if len(content) > 120 or (
        good[0].is_json and isinstance(good[0].value, dict | list) and not varied
    ):
        return False
    if not names_nothing or (not varied and any(seen.arguments for seen in good)):
        return False
    if content.strip('" ') and not all(
        _is_open(good, n) for n in {n for s in good for n in s.arguments}
    ):
        return False
    tool.kind = "constant" if not content.strip('" ') and not _takes_names(good) else "act"
    tool.text = True
    tool.answer = ["const", content]
    tool.claims = not refusals
    tool.evidence = {"arguments": len({s.key for s in good}), "reproduced": len(good)}
    tool.says = "always gives the same answer"
    return True


def _takes_names(good: Sequence[Observation]) -> bool:
    """Whether something is given that is no free text: a thought changes nothing, a text for a file does."""
    given = lists_by_key((name, value) for seen in good for name, value in seen.arguments.items())
    return any(
        sum(isinstance(v, str) and " " in v for v in values) * 2 < len(values)
        for values in given.values()
    )


def _is_open(good: Sequence[Observation], name: str) -> bool:
    """Whether an argument is free text, or a word of a few that were seen often: no key of a record."""
    values = [seen.arguments[name] for seen in good if name in seen.arguments]
    if not all(isinstance(value, str) for value in values):
        return False
    counts = Counter(str(value) for value in values)
    if sum(" " in value for value in counts) * 2 > len(counts):
        return True
    return min(counts.values()) >= MIN_SUPPORT and not any(is_name(value) for value in counts)


def _learn_key(tool: ToolModel, *, own_starts: bool, apart: bool) -> None:
    """The fewest arguments that decide the result; a record's own key decides nothing where each task has its own records."""
    good = tool.good()
    if not good:
        return
    names = sorted({name for seen in good for name in seen.arguments})
    if apart and SUBJECT in names:
        others = [name for name in names if name != SUBJECT]
        tool.key = [["arg", name] for name in (SUBJECT, *_deciding(good, others, (SUBJECT,)))]
        return
    own = None if own_starts else _own_key(good)
    if own is None:
        tool.key = [["arg", name] for name in _deciding(good, names)]
        return
    argument, field = own
    tool.key = [["arg", argument]]
    tool.evidence["own_key"] = field


def _own_key(good: Sequence[Observation]) -> tuple[str, str] | None:
    """An argument that every result repeats in a field of its own."""
    if not all(isinstance(seen.value, dict) for seen in good):
        return None
    found: list[tuple[str, str]] = []
    for name, value in good[0].arguments.items():
        if isinstance(value, dict | list | bool) or value is None:
            continue
        for field, shown in good[0].value.items():  # type: ignore[union-attr]  # dicts, see above
            if shown == value and repeats(good, name, field):
                found.append((name, field))
    varied = [f for f in found if len({stable(s.arguments[f[0]]) for s in good}) > 1] or found
    varied.sort(key=lambda f: (f[0] != f[1], -len({stable(s.arguments[f[0]]) for s in good})))
    return varied[0] if varied else None


def _deciding(
    good: Sequence[Observation], names: Sequence[str], beside: Sequence[str] = ()
) -> tuple[str, ...]:
    """The smallest set of arguments that decides the result (`beside` others), with evidence that the rest does not matter."""
    for size in range(len(names)):
        for chosen in combinations(names, size):
            groups = lists_by_key((seen.key_of((*beside, *chosen)), seen) for seen in good)
            if any(len({o.content for o in group}) > 1 for group in groups.values()):
                continue
            if all(_varies(groups.values(), name) for name in names if name not in chosen):
                return chosen
    return tuple(names)


def _key_by_parts(bench: Workbench, fields: dict[str, frozenset[str]]) -> None:
    """Tools that show of a record what other arguments ask for (its parts, a unit): those belong to the key."""
    for name, mine in fields.items():
        tool = bench.tools[name]
        if tool.evidence.get("own_key") is None or len(tool.key) != 1 or tool.stated > 0:
            continue
        # Other arguments of what may write are what it does, not where it looks.
        at = places(bench, tool, str(tool.key[0][1])) if tool.stated < 0 else []
        if at:
            _ask_by(bench, tool, at)
            continue
        # What another tool shows as well is a whole record, and what differs in it is what was written.
        if any(_has_same_fields(shown, mine) for other, shown in fields.items() if other != name):
            continue
        own = str(tool.key[0][1])
        groups = lists_by_key((stable(seen.arguments.get(own)), seen) for seen in tool.good())
        others = sorted({n for seen in tool.good() for n in seen.arguments} - {own})
        beside = [n for n in others if decides(groups.values(), n, reads=tool.stated < 0)]
        if beside or any(never_varied(groups.values(), n) for n in others):
            # What is worked out from several arguments may hang on each of them.
            _ask_by(bench, tool, others)


def _ask_by(bench: Workbench, tool: ToolModel, beside: list[str]) -> None:
    tool.key += [["arg", n] for n in beside]
    tool.evidence["asked_by"] = beside
    del tool.evidence["own_key"]
    tool.table = _new_table(bench, tool, None)


def _varies(groups: Iterable[list[Observation]], name: str) -> bool:
    """Whether an argument was seen to take truly different values (not only other spellings) without effect."""
    shared = 0
    for group in groups:
        spelled = {stable(o.arguments.get(name)).casefold().replace(" ", "") for o in group}
        shared += len(spelled) > 1
    return shared >= MIN_SUPPORT


def _learn_tables(bench: Workbench) -> None:
    """One table per kind of record; tools whose records share most fields share a table."""
    fields = {name: _fields(tool) for name, tool in bench.tools.items() if tool.kind == "unknown"}
    _key_by_parts(bench, fields)
    _agree_on_keys(bench, fields)
    named = [n for n in fields if "own_key" in bench.tools[n].evidence]
    for name in sorted(named, key=lambda n: -len(bench.tools[n].observations)):
        tool = bench.tools[name]
        field = tool.evidence["own_key"]
        tool.table = _matching(bench, fields, name, field) or _new_table(bench, tool, field)
    for name in fields:
        tool = bench.tools[name]
        if tool.table is None:
            _join_or_own(bench, fields, tool)


def _agree_on_keys(bench: Workbench, fields: dict[str, frozenset[str]]) -> None:
    """Of tools that show one kind of record, those called with the fewest arguments say which field is its key."""
    named = [n for n in fields if "own_key" in bench.tools[n].evidence]
    for name in named:
        alike = [n for n in named if _has_same_fields(fields[n], fields[name])]
        best = min(
            alike, key=lambda n: (_arguments(bench.tools[n]), -len(bench.tools[n].good()), n)
        )
        field = bench.tools[best].evidence["own_key"]
        tool = bench.tools[name]
        if field != tool.evidence["own_key"] and field in fields[name]:
            tool.evidence["own_key"] = field
            # A call may repeat several fields of its record: the one that is the key names it, wherever it is given.
            given = sorted(n for n in tool.good()[0].arguments if repeats(tool.good(), n, field))
            tool.key = [["arg", given[0]] if given else ["it", field]]


def _arguments(tool: ToolModel) -> int:
    return max(len(seen.arguments) for seen in tool.observations)


def _fields(tool: ToolModel) -> frozenset[str]:
    """Fields that most results of a tool have."""
    counts: dict[str, int] = defaultdict(int)
    records = [seen.value for seen in tool.good() if isinstance(seen.value, dict)]
    for record in records:
        for name in record:
            counts[name] += 1
    # Records of a version that looked otherwise are alike among themselves only.
    mark = "@" if tool.reshaped else ""
    often = {mark + n for n, c in counts.items() if c * 2 > len(records)}
    return frozenset(often) if len(often) <= 60 else frozenset()


def _matching(
    bench: Workbench, fields: dict[str, frozenset[str]], name: str, field: str
) -> str | None:
    for other, tool in bench.tools.items():
        if tool.table is None or other == name:
            continue
        table = bench.tables[tool.table]
        if table.own_key == field and _has_same_fields(
            fields.get(other, frozenset()), fields[name]
        ):
            return tool.table
    return None


def _has_same_fields(left: frozenset[str], right: frozenset[str]) -> bool:
    return bool(left | right) and len(left & right) >= SAME_RECORD * len(left | right)


def _new_table(bench: Workbench, tool: ToolModel, own_key: str | None) -> str:
    names = tuple(str(k[1]) for k in tool.key)
    if own_key is not None:
        names = (own_key,)
    label = own_key or (names[0] if len(names) == 1 else tool.name)
    label = label.removesuffix("_id").removesuffix("Id").removesuffix("_number") or label
    if label in bench.tables or (own_key is None and len(names) != 1):
        label = tool.name
    bench.tables[label] = TableModel(name=label, key_names=names, own_key=own_key)
    return label


def _join_or_own(bench: Workbench, fields: dict[str, frozenset[str]], tool: ToolModel) -> None:
    """A tool without a key of its own: it shows another tool's records, or results of its own."""
    mine = fields[tool.name]
    for other, known in bench.tools.items():
        if (
            known.table is None
            or other == tool.name
            or not _has_same_fields(fields.get(other, frozenset()), mine)
        ):
            continue
        table = bench.tables[known.table]
        if table.own_key is not None and table.own_key in mine:
            tool.table, tool.key = known.table, [["it", table.own_key]]
            return
        given = [seen.arguments for seen in tool.good()]
        shared = [k for k in known.key if k[0] == "arg" and all(str(k[1]) in one for one in given)]
        keyed = table.own_key is None and len(shared) == len(known.key) and shared
        if keyed and agree(known, tool):
            tool.table, tool.key = known.table, list(known.key)
            return
    tool.table = _new_table(bench, tool, None)
