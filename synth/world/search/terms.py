"""Terms: every value that a behaviour could be made of, in all examples at once.

Comes from scopes (arguments, row before, list element); goes to `fit` and `guards`. Walks paths, follows references
into tables and into dictionaries by id. Simplest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from environments.runtime.expr.evaluate import build
from environments.runtime.expr.gaps import MISSING, UNKNOWN, Gap
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.normal import key_text
from synth.world.actions.examples import evaluate, has_value
from synth.world.support import SEEN_SEVERAL_TIMES, SEEN_TWICE, USUALLY

MAX_DEPTH: Final = 5
MAX_PATHS: Final = 160
SIGHTS: Final = SEEN_TWICE
MOST_CATEGORIES: Final = 8
"""Different values up to which a term is a category."""
PROBE: Final = 12
"""Values tried before a table is given up as the target of a reference."""
ENOUGH: Final = SEEN_SEVERAL_TIMES
"""Examples with known state that a value is fitted on, where state is not known in others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One tree with its values."""

    tree: Tree
    values: list[Any]
    rank: int
    """Lower is simpler."""

    def is_known(self) -> bool:
        """Whether it has a value everywhere."""
        return all(map(has_value, self.values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What references can point to."""

    single: tuple[str, ...]
    """Tables with one key part."""
    multiple: tuple[tuple[str, tuple[str, ...]], ...]
    """Tables with more, and the names of the parts."""


NO_TABLES: Final = Tables(single=(), multiple=())
"""For what the call alone says."""


@dataclass(slots=True, kw_only=True)
class Terms:
    """All terms of one set of scopes."""

    scopes: list[Scope]
    scalars: list[Term]
    containers: list[Term]
    mostly: float = USUALLY
    """Share of examples in which a path must be there to be a term."""

    @property
    def least_known(self) -> int:
        """Examples with known state that a term needs, where state is not known in others.

        What is a term wherever it is there at all, as in conditions, needs few: what an argument names is seldom looked at.
        """
        return ENOUGH if self.mostly >= USUALLY else SIGHTS

    def sliced(self, rows: Sequence[int]) -> Terms:
        """The same terms over some of the scopes."""
        return Terms(
            scopes=[self.scopes[i] for i in rows],
            scalars=[sliced(t, rows) for t in self.scalars],
            containers=[sliced(t, rows) for t in self.containers],
        )


def is_text(term: Term) -> bool:
    """Whether a term is text wherever it has a value."""
    return all(isinstance(v, str) or not has_value(v) for v in term.values)


def sliced(term: Term, rows: Sequence[int]) -> Term:
    """One term over some of the scopes."""
    return Term(tree=term.tree, values=[term.values[i] for i in rows], rank=term.rank)


def gather(
    scopes: list[Scope],
    roots: Sequence[str],
    tables: Tables,
    *,
    mostly: float = USUALLY,
) -> Terms:
    """Every term under the given roots (`arg`, `old`, `it`, `by`), with one step through references."""
    terms = Terms(scopes=scopes, scalars=[], containers=[], mostly=mostly)
    for rank, root in enumerate(roots):
        _walk(terms, [root], rank=rank * 10)
    first = list(terms.scalars)
    reached: list[Tree] = []
    for tree in _references(terms, first, tables):
        before = len(terms.scalars)
        _walk(terms, tree, rank=40)
        reached.extend(t.tree for t in terms.scalars[before:])
    _index(terms, first)
    told = {tuple(map(repr, t.values)) for t in first}
    ids = [
        t
        for t in terms.scalars
        if t.tree in reached and _names_rows(t) and tuple(map(repr, t.values)) not in told
    ]
    for tree in _references(terms, ids[:12], tables):
        _walk(terms, tree, rank=70)
    terms.scalars.sort(key=lambda t: t.rank)
    return terms


def _names_rows(term: Term) -> bool:
    return any(isinstance(v, str) for v in term.values)


def _walk(terms: Terms, tree: Tree, *, rank: int) -> None:
    """All paths below a tree that most examples have."""
    values = evaluate(tree, terms.scopes)
    queue: list[tuple[Tree, list[Any], int]] = [(tree, values, 0)]
    added = 0
    while queue and added < MAX_PATHS:
        at, here, depth = queue.pop(0)
        present = list(filter(has_value, here))
        lit = sum(v is not UNKNOWN for v in here)
        if len(present) < terms.mostly * lit or len(present) < min(len(here), terms.least_known):
            continue
        if any(isinstance(v, dict) for v in present):
            terms.containers.append(Term(tree=at, values=here, rank=rank + depth))
            if depth < MAX_DEPTH:
                queue.extend(
                    ([*at, name], [_step(v, name) for v in here], depth + 1)
                    for name in _common_names(present, terms.mostly)
                )
        elif any(isinstance(v, list) for v in present):
            terms.containers.append(Term(tree=at, values=here, rank=rank + depth))
            if at[0] == "old" and depth < MAX_DEPTH and _has_records(present):
                queue.append(([*at, 0], [_first_element(v) for v in here], depth + 3))
        elif depth > 0 or tree[0] in {"it", "by", "row", "at", "pick"}:
            terms.scalars.append(Term(tree=at, values=here, rank=rank + depth))
            added += 1


def _has_records(lists: list[Any]) -> bool:
    return all(isinstance(v, list) and v and isinstance(v[0], dict) for v in lists)


def _first_element(value: Any) -> Any:
    if isinstance(value, list):
        return value[0] if value else MISSING
    return value if value is UNKNOWN else MISSING


def _common_names(present: list[Any], mostly: float) -> list[str]:
    counts: dict[str, int] = {}
    records = [v for v in present if isinstance(v, dict)]
    for record in records:
        for name in record:
            counts[name] = counts.get(name, 0) + 1
    return [n for n, c in counts.items() if c >= mostly * len(records)][:60]


def _step(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name, MISSING)
    return value if value is UNKNOWN else MISSING


def _references(terms: Terms, among: Sequence[Term], tables: Tables) -> list[Tree]:
    """Trees for rows that the terms name."""
    found: list[Tree] = []
    for term in among:
        if not all(isinstance(v, str | int) or not has_value(v) for v in term.values):
            continue
        found.extend(
            ["row", table, [term.tree]]
            for table in tables.single
            if _hits(terms, table, [[v] for v in term.values])
        )
    for table, names in tables.multiple:
        parts: list[list[Term]] = [
            [t for t in among if t.tree[-1] == name and len(t.tree) > 1] for name in names
        ]
        if all(parts):
            chosen = [p[0] for p in parts]
            keys = [list(key) for key in zip(*(t.values for t in chosen), strict=True)]
            if _hits(terms, table, keys):
                found.append(["row", table, [t.tree for t in chosen]])
    return found


def _hits(terms: Terms, table: str, keys: Sequence[list[Any]]) -> bool:
    hits = total = 0
    for scope, key in zip(terms.scopes, keys, strict=True):
        if any(part is None or not has_value(part) for part in key):
            continue
        total += 1
        if type(scope.row(table, key_text(key))) is not Gap:
            hits += 1
        elif total >= PROBE and not hits:
            return False
    return hits >= min(total, terms.least_known) and hits > 0


def _index(terms: Terms, among: Iterable[Term]) -> None:
    """Values of dictionaries by id, and of lists of records, picked by another term."""
    for container in list(terms.containers):
        if any(isinstance(v, list) for v in container.values):
            _pick(terms, container, among)
        if not any(isinstance(v, dict) for v in container.values):
            continue
        for term in among:
            if term.tree[:-1] == container.tree or not any(
                isinstance(v, str) and isinstance(c, dict) and v in c
                for v, c in zip(term.values, container.values, strict=True)
            ):
                continue
            tree: Tree = ["at", container.tree, term.tree]
            values = evaluate(tree, terms.scopes)
            hits = sum(map(has_value, values))
            lit = sum(v is not UNKNOWN for v in values)
            if hits >= 0.5 * terms.mostly * lit and hits >= min(len(values), terms.least_known):
                _walk(terms, tree, rank=45)


def _pick(terms: Terms, container: Term, among: Iterable[Term]) -> None:
    """Elements of a list of records whose field equals another term."""
    fields = _id_fields(container.values)
    if not fields:
        return
    for term in among:
        if term.tree[:-1] == container.tree or not any(isinstance(v, str) for v in term.values):
            continue
        for field in fields:
            pairs = list(zip(term.values, container.values, strict=True))
            if not any(_holds(c, field, v) for v, c in pairs[:PROBE]):
                continue
            hits = sum(_holds(c, field, v) for v, c in pairs)
            if hits * 2 >= len(pairs):
                _walk(terms, ["pick", container.tree, field, term.tree], rank=46)


def _holds(items: Any, field: str, value: Any) -> bool:
    return isinstance(items, list) and any(
        isinstance(item, dict) and item.get(field) == value for item in items
    )


def _id_fields(lists: Sequence[Any]) -> list[str]:
    for items in lists:
        if isinstance(items, list) and items and isinstance(items[0], dict):
            return [n for n, v in items[0].items() if isinstance(v, str)][:6]
    return []


def coverage(values: Sequence[Any], target: Sequence[Any]) -> int:
    """In how many examples a term reproduces the target; 0 where any known value differs."""
    return sum(v is not UNKNOWN for v in values) if agree(values, target) else 0


def agree(values: Sequence[Any], target: Sequence[Any]) -> bool:
    """Whether a term reproduces the target wherever its value is known."""
    known = 0
    for value, wanted in zip(values, target, strict=True):
        if value is UNKNOWN:
            continue
        if (
            value is MISSING
            or value != wanted
            or isinstance(value, bool) is not isinstance(wanted, bool)
        ):
            return False
        known += 1
    return known >= min(len(target), ENOUGH)


def check(tree: Tree, scopes: list[Scope], target: Sequence[Any]) -> bool:
    """Whether a tree is in the language and reproduces the target."""
    build(tree)
    return agree(evaluate(tree, scopes), target)
