"""One tool of a world as the runtime uses it: its learnt behaviour with every tree built into a closure.

Goes in: the tool's part of a world file. Comes out: `Tool`, read-only and shared by all sessions. Not here: state
(`world.state`), the order in which behaviours are asked (`world`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..answers.computed import check_computed
from ..answers.guards import Guards
from ..answers.outcome import outcome_of
from ..answers.selections import Selection
from ..document.recordings import Recording
from ..document.tools import InfluencePart, LayoutPart, RowRefPart, ToolPart, WritePart
from ..expr.evaluate import build
from ..expr.scope import Expr, Tree
from ..expr.trees import looks_at
from ..task.attempt import Json
from ..values.json_text import Writer, writer
from ..values.normal import coerce, simplify, stable

INNOCENT: Final = frozenset({"constant", "pure", "read", "search"})
"""Kinds of tools that change nothing."""
STRICT: Final = "strict"
DERIVE: Final = "derive"
SIMULATE: Final = "simulate"
POLICIES: Final = (STRICT, DERIVE, SIMULATE)
"""What a tool may answer: what was recorded; what follows from it too; where nobody knows, what a model says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRef:
    """Where a call finds a row: the table, and a tree for each part of its key."""

    table: str
    keys: tuple[Expr, ...]
    argument: str | None = None
    """The one argument that is the whole key, as in most tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What a successful call does to one row."""

    target: RowRef
    fields: tuple[tuple[str, Expr], ...]
    """Field and new value."""
    creates: bool
    whole: Expr | None
    """The whole new row, where it is created or is no object."""


def written_fields(writes: Iterable[Write]) -> dict[str, frozenset[str]]:
    """Per table, the fields that these change; none of a table whose rows they write whole."""
    found: dict[str, frozenset[str]] = {}
    whole = {write.target.table for write in writes if write.whole is not None}
    for write in writes:
        if write.target.table not in whole:
            names = (name for name, _ in write.fields)
            found[write.target.table] = found.get(write.target.table, frozenset()).union(names)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool, ready to answer."""

    name: str
    part: ToolPart
    """What the world file says of it."""
    ignore: frozenset[str]
    refusals: frozenset[str]
    """Outcome classes that mean "nothing was done"."""
    successes: frozenset[str]
    reads: RowRef | None
    shows: RowRef | None
    """The row that a successful result of a write is."""
    answer: Expr | None
    sight: Expr | None
    """The answer, where it shows something of a record."""
    guards: Guards
    writes: tuple[Write, ...]
    names: tuple[RowRef, ...]
    """Rows that a call names by its arguments."""
    influence: InfluencePart
    policy: str = DERIVE
    """One of `POLICIES`."""
    selection: Selection | None = None
    tape: Mapping[str, tuple[Recording, ...]] = field(default_factory=dict)
    write: Writer = stable
    """Writes values as this tool does."""
    shaped: frozenset[str] = frozenset()
    """Arguments that are left out, or have a form that a text may not be in."""

    @property
    def innocent(self) -> bool:
        """Whether calling it changes nothing."""
        return self.part.kind in INNOCENT

    def normal(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """The arguments in normal form: declared types, irrelevant ones left out."""
        out: dict[str, Json] = {}
        for name, value in arguments.items():
            if type(value) is str and name not in self.shaped:
                # Most arguments are texts that are to be texts.
                out[name] = value
                continue
            if name in self.ignore:
                continue
            out[name] = simplify(coerce(value, self.part.forms.get(name, "")))
        return out

    def strange(self, arguments: Mapping[str, Json]) -> str | None:
        """Why nobody knows what becomes of a call with an argument that no successful call had, or had as null."""
        if self.part.takes is None:
            return None
        # Most calls have no null: `None in` looks at identity first, and no other value equals it.
        null = None in arguments.values() and any(
            v is None and name not in self.part.nulls for name, v in arguments.items()
        )
        if not null and arguments.keys() <= self.part.takes:
            return None
        return "success was never seen with one of these arguments"

    def is_unpaired(self, arguments: Mapping[str, Json], key: str) -> bool:
        """Whether a record is asked for with a value that no call gave together with its key."""
        return any(
            stable(arguments.get(name)) not in pairs.get(key, ())
            for name, pairs in self.part.paired.items()
        )

    def parted(self, arguments: Mapping[str, Json]) -> frozenset[str]:
        """Arguments of a writer that readers only ever took with other values for this record."""
        key = stable([arguments.get(name) for name in self.part.paired_by])
        return frozenset(
            name
            for name, pairs in self.part.paired.items()
            if key in pairs and stable(arguments.get(name)) not in pairs[key]
        )

    def refused(self, content: str, arguments: Mapping[str, Json]) -> bool | None:
        """Whether a result says that nothing was done; None for a class of result that was never seen."""
        outcome = outcome_of(content, arguments)
        if outcome in self.refusals:
            return True
        return False if outcome in self.successes else None

    def render(self, value: Json) -> str:
        """A value as this tool writes it."""
        if isinstance(value, str) and (self.part.text or self.part.bare):
            return value
        return self.write(value)


def load_tool(
    name: str,
    part: ToolPart,
    tape: Mapping[str, tuple[Recording, ...]],
    nested: Container[str],
) -> Tool:
    """A tool from its part of the world file; raises `BadTreeError` where an expression is not in the language."""
    if part.computes is not None:
        check_computed(part.computes)
    answer = build(part.answer, keeps=True) if part.answer else None
    formed = {name for name, form in part.forms.items() if form not in {"", "string"}}
    return Tool(
        name=name,
        part=part,
        shaped=frozenset(formed.union(part.ignore)),
        ignore=frozenset(part.ignore),
        write=_writer(part.style),
        refusals=frozenset(k for k, v in part.outcomes.items() if v == "refusal"),
        successes=frozenset(k for k, v in part.outcomes.items() if v == "success"),
        reads=_ref(part.reads),
        shows=_ref(part.shows),
        answer=answer,
        sight=answer if part.answer and looks_at(part.answer, "row") else None,
        selection=Selection(part.selects) if part.selects else None,
        guards=Guards(part.guards, _record_tree(part, nested)),
        writes=tuple(map(_write, part.writes)),
        names=tuple(map(_ref_of, part.names)),
        influence=part.influence,
        policy=part.policy or DERIVE,
        tape=tape,
    )


def _record_tree(part: ToolPart, nested: Container[str]) -> Tree | None:
    """The tree that finds the record which a call is about; None where a look-up by it finds another."""
    ref = part.shows or next(iter(part.writes), None)
    if ref is None or ref.table in nested or any(key[0] != "arg" for key in ref.key):
        return None
    return ["row", ref.table, list(ref.key)]


def _writer(style: LayoutPart) -> Writer:
    return writer(
        ascii_only=style.ascii,
        indent=style.indent,
        separators=style.separators or (", ", ": "),
        sort_keys=style.sorted,
    )


def _ref(part: RowRefPart | None) -> RowRef | None:
    return None if part is None else _ref_of(part)


def _ref_of(part: RowRefPart | WritePart) -> RowRef:
    trees = part.key
    plain = len(trees) == 1 and trees[0][0] == "arg" and len(trees[0]) == 2
    return RowRef(
        table=part.table,
        keys=tuple(build(k) for k in trees),
        argument=trees[0][1] if plain else None,
    )


def _write(part: WritePart) -> Write:
    return Write(
        target=_ref_of(part),
        fields=tuple((n, build(tree, keeps=True)) for n, tree in part.set.items()),
        creates=part.creates,
        whole=build(part.whole, keeps=True) if part.whole else None,
    )
