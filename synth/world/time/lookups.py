"""Lookups: tools that find a record by what it says, told from sights of the record itself.

Comes from calls whose answer names a record that the same episode then looked at: every argument stands in a field of that record,
every part of the answer too. From there each sight of such a record, in whatever episode, is also an answer to the lookup
that would find it. How far such an answer is trusted is measured on recorded lookups (`timeline`), like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import FieldPath, fields_in
from environments.runtime.values.normal import is_plain, key_text, simplify, stable
from synth.world.influence.writers import place_of
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import History, Observation
from synth.world.support import SEEN_OFTEN

MIN_CALLS: Final = SEEN_OFTEN
"""Different calls, each with its record seen in the same episode, that a lookup must be understood from."""

Example = tuple[Observation, dict[str, Json]]
"""A lookup, and the record that it found as the same episode saw it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """How one tool finds records of a table."""

    table: str
    """The table of the tool's own answers."""
    asked: tuple[tuple[FieldPath, ...], ...]
    """Per argument the fields of the record that it always was equal to."""
    told: tuple[tuple[str, tuple[FieldPath, ...]], ...]
    """Per part of the answer the fields of the record that it always was equal to."""

    def lookup_of(self, row: Json) -> tuple[str, Json] | None:
        """The lookup that would find a record, as key text, and its answer; None where the record does not say."""
        if not isinstance(row, dict):
            return None
        leaves = _leaves(row)
        asked = [_common_value(leaves, paths) for paths in self.asked]
        told = {name: _common_value(leaves, paths) for name, paths in self.told}
        if None in asked or None in told.values():
            return None
        return key_text([simplify(value) for value in asked]), told


def learn_lookups(bench: Workbench) -> dict[str, list[Lookup]]:
    """Lookups by the table of the records that they find; their tools are asked by all their arguments from here on."""
    out: dict[str, list[Lookup]] = {}
    for _, tool in sorted(bench.tools.items()):
        names = _arguments(tool)
        if not names or tool.table is None or "own_key" in tool.evidence:
            continue
        for source in sorted(_sources(bench, tool)):
            examples = [e for h in bench.histories for e in _examples(bench, tool, h, source)]
            lookup = _learnt(tool.table, names, examples)
            if lookup is not None:
                tool.key = [["arg", one] for one in names]
                tool.evidence["finds"] = source
                bench.tables[tool.table].key_names = tuple(names)
                out.setdefault(source, []).append(lookup)
                break
    return out


def _arguments(tool: ToolModel) -> list[str]:
    """The arguments of a reader that always takes the same ones and answers with plain fields; else none."""
    good = tool.good()
    if tool.kind not in {"read", "search"} or not good:
        return []
    names = set(good[0].arguments)
    plain = all(
        set(seen.arguments) == names
        and all(is_plain(value) for value in seen.arguments.values())
        and isinstance(seen.value, dict)
        and all(is_plain(value) for value in seen.value.values())
        for seen in good
    )
    return sorted(names) if plain else []


def _sources(bench: Workbench, tool: ToolModel) -> set[str]:
    """Tables of records that are read by their own key."""
    return {
        t.table
        for t in bench.tools.values()
        if t.table is not None and t.table != tool.table and t.innocent and "own_key" in t.evidence
    }


def _examples(
    bench: Workbench, tool: ToolModel, history: History, source: str
) -> Iterator[Example]:
    """Lookups of one episode with the record they name, seen before anything may have changed it."""
    waiting: list[Observation] = []
    for seen in history.observations:
        model = bench.tools[seen.tool]
        if refused(model, seen):
            continue
        if not model.innocent:
            waiting = []
        elif model is tool:
            waiting.append(seen)
        elif model.table == source and isinstance(seen.value, dict):
            place = place_of(model, seen)
            for one in waiting:
                if place is not None and place[1] in _keys_told(one):
                    yield one, seen.value


def _keys_told(seen: Observation) -> set[str]:
    return (
        {stable([value]) for value in seen.value.values()}
        if isinstance(seen.value, dict)
        else set()
    )


def _learnt(table: str, names: Sequence[str], examples: Sequence[Example]) -> Lookup | None:
    """The lookup that all examples show, where they are enough."""
    if len({seen.key for seen, _ in examples}) < MIN_CALLS:
        return None
    found = [_leaves(row) for _, row in examples]
    asked = tuple(_equal([seen.arguments[name] for seen, _ in examples], found) for name in names)
    told = tuple(
        (field, _equal([_part(seen, field) for seen, _ in examples], found))
        for field in sorted(_fields(examples[0][0]))
    )
    alike = all(_fields(seen) == _fields(examples[0][0]) for seen, _ in examples)
    if not alike or not all(asked) or not all(paths for _, paths in told):
        return None
    return Lookup(table=table, asked=asked, told=told)


def _fields(seen: Observation) -> set[str]:
    return set(seen.value) if isinstance(seen.value, dict) else set()


def _part(seen: Observation, field: str) -> Json:
    return seen.value[field] if isinstance(seen.value, dict) else None


def _equal(
    values: Sequence[Json], found: Sequence[Mapping[FieldPath, Json]]
) -> tuple[FieldPath, ...]:
    """The fields that hold these values, one by one, in all records."""
    paths = set(found[0])
    for value, leaves in zip(values, found, strict=True):
        text = _folded(value)
        paths = {path for path in paths if path in leaves and _folded(leaves[path]) == text}
    return tuple(sorted(paths))


def _common_value(leaves: Mapping[FieldPath, Json], paths: Sequence[FieldPath]) -> Json:
    """What all these fields of a record hold; None where they differ or are not there."""
    values = [leaves.get(path) for path in paths]
    return values[0] if all(_folded(value) == _folded(values[0]) for value in values) else None


def _folded(value: Json) -> str:
    return " ".join(stable(simplify(value)).split()).casefold()


def _leaves(value: Json) -> dict[FieldPath, Json]:
    """Every plain field of a record, fields of fields included, lists not."""
    return {p: one for p, one in fields_in(value) if is_plain(one) and None not in p}
