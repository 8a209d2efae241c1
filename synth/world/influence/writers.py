"""Writers: which tools change records, found from records that changed between two looks.

Comes from tables and keys; sets the kinds `read`, `search` and `write`, and the rows that every episode starts from. Not here: what a
write does (`actions.effects`), which tables a writer leaves alone (`frame_axioms`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import figures_in, long_numbers_in, names_in, tokens_in
from environments.runtime.values.normal import stable
from environments.runtime.world.state import ABSENCE, names_of_key
from synth.world.influence.trials import fewest
from synth.world.model import TableModel, ToolModel, Workbench, refused
from synth.world.observation import History, Observation, agree, same_row
from synth.world.schema.counters import issued_fields
from synth.world.schema.informative import acknowledges, informative
from synth.world.support import HARDLY_EVER, SEEN_THRICE, SELDOM, Support, accept

MIN_CHANGE_RATE: Final = HARDLY_EVER
"""Share of its calls that must come with a change before a tool is blamed for any."""
MIN_SAME: Final = SEEN_THRICE
"""Second looks that must find the same before a living backend's tool counts as a reader."""
MIN_SAME_SHARE: Final = SELDOM


@dataclass(slots=True, kw_only=True)
class Look:
    """One sight of a row."""

    place: tuple[str, str]
    value: Json
    seen: Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A row that was not as it had been seen last."""

    shown_by: str
    shown_before: str
    suspects: frozenset[str]


def place_of(tool: ToolModel, seen: Observation) -> tuple[str, str] | None:
    """Which row an observation shows."""
    if tool.table is None or refused(tool, seen):
        return None
    parts: list[Json] = []
    for tree in tool.key:
        source = seen.arguments if tree[0] == "arg" else seen.value
        if not isinstance(source, dict):
            return None
        parts.append(source.get(str(tree[1])))
    return tool.table, stable(parts)


def looks(bench: Workbench, history: History) -> Iterator[Look]:
    """Every sight of a row in one episode."""
    for seen in history.observations:
        tool = bench.tools[seen.tool]
        place = place_of(tool, seen)
        if place is not None and tool.kind not in {"constant", "pure", "act"}:
            yield Look(place=place, value=seen.value, seen=seen)


First = Mapping[tuple[str, str], tuple[Json, str]]
"""Rows of a fresh episode, each with the tool that shows it."""
Resight = tuple[Look, Json, str, Sequence[Observation]]
"""A row that is seen again: how it was before, the tool that showed it then, and the calls since."""


def resights(bench: Workbench, first: First) -> Iterator[Resight]:
    """Every sight of a row of which is known how it was before."""
    for history in bench.histories:
        last = {place: (-1, *shown) for place, shown in first.items()}
        for look in looks(bench, history):
            at = look.seen.position
            since, before, by = last.get(look.place, (-1, None, ""))
            if before is not None:
                yield look, before, by, history.observations[since + 1 : at]
            last[look.place] = at, look.value, look.seen.tool


def blamed(bench: Workbench) -> frozenset[str]:
    """Tools that changed records between two looks of one episode: evidence that needs no idea of a fresh state."""
    return frozenset(_cover(*_changes(bench, {})))


def learn_writers(bench: Workbench) -> None:
    """Set the kind of every tool that shows rows."""
    changes, calm = _changes(bench, {})
    writers = _shown_changed(bench)
    for tool in bench.tools.values():
        if tool.kind != "unknown":
            continue
        if tool.name in writers:
            tool.kind = "write"
        elif tool.declared:
            tool.take_for_reader()
        elif tool.stated >= 0 and issued_fields(bench, tool):
            tool.kind = "write"
        elif _seems_to_look(tool):
            tool.take_for_reader()
        else:
            tool.kind = "write" if tool.observations else "unknown"
        tool.issues = not tool.declared and bool(issued_fields(bench, tool))
        tool.evidence["changes"] = sum(tool.name in c.suspects for c in changes)
        tool.evidence["calm"] = calm[tool.name]


def _seems_to_look(tool: ToolModel) -> bool:
    """Whether a tool's name or its answers say that it shows something.

    A name that says that it changes something outweighs answers, but for a tool that takes numbers alone: it may work them out.
    """
    names_what = any(
        isinstance(value, str) for seen in tool.observations for value in seen.arguments.values()
    )
    if tool.stated > 0 and names_what:
        return False
    return informative(tool) or (tool.stated < 0 and not acknowledges(tool))


def _shown_changed(bench: Workbench) -> set[str]:
    """Tools that show records of another tool's table otherwise than the other does: writers that return the record.

    What only one tool shows is left to `dependencies`, which compares equal calls.
    """
    out: set[str] = set()
    for again in (False,) if bench.living else (False, True):
        changes, calm = _changes(bench, _first_values(bench, out) if again else {})
        shared = [c for c in changes if c.shown_before not in {"", c.shown_by}]
        out |= _cover([c for c in shared if c.suspects.isdisjoint(out)], calm)
    return out


def _changes(bench: Workbench, first: First) -> tuple[list[Change], Counter[str]]:
    """For each change of a row: the tools that may have made it; and how often each tool left a row alone."""
    changes: list[Change] = []
    calm: Counter[str] = Counter()
    for look, before, by, between in resights(bench, first):
        suspects, tool = _suspects(bench, look, between), look.seen.tool
        if (same_row if by == tool else agree)(before, look.value):
            calm.update(suspects)
        else:
            changes.append(Change(shown_by=tool, shown_before=by, suspects=suspects))
    return changes, calm


def _first_values(bench: Workbench, writers: set[str]) -> First:
    """The most common first sight of each row by a tool that is no writer, and that tool: what a fresh episode holds."""
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    values: dict[str, tuple[Json, str]] = {}
    for history in bench.histories:
        done: set[tuple[str, str]] = set()
        for look in looks(bench, history):
            if look.place not in done and look.seen.tool not in writers:
                text = stable([look.value, look.seen.tool])
                values[text] = (look.value, look.seen.tool)
                votes[look.place][text] += 1
            done.add(look.place)
    return {place: values[counts.most_common(1)[0][0]] for place, counts in votes.items()}


def _suspects(bench: Workbench, look: Look, between: Sequence[Observation]) -> frozenset[str]:
    """Tools of successful calls since the last sight that share a name with the row, the showing one included."""
    names = names_in(look.value) | look.seen.names
    tools = {look.seen.tool}
    for seen in between:
        tool = bench.tools[seen.tool]
        if tool.kind not in {"constant", "pure"} and not refused(tool, seen):
            tools |= set() if names.isdisjoint(seen.names) else {seen.tool}
    return frozenset(name for name in tools if not bench.tools[name].declared)


def _cover(changes: list[Change], calm: Counter[str]) -> set[str]:
    """Fewest tools that explain the changes, those that most often come with a change first.

    A change that only readers surround stays unexplained (a call without a result may have made it): one event
    makes a writer only of the tool that itself showed the changed record.
    """

    def rank(left: Sequence[Change]) -> dict[str, tuple[float, int]]:
        counts = Counter(name for change in left for name in change.suspects)
        shown = Counter(change.shown_by for change in left)
        rates = {name: n / (n + calm[name]) for name, n in counts.items()}
        return {
            name: (rate, counts[name])
            for name, rate in rates.items()
            if rate >= MIN_CHANGE_RATE and (counts[name] >= 2 or shown[name])
        }

    return {name for name, _ in fewest(changes, rank)}


def finds_the_same(tool: ToolModel, least: int = MIN_SAME) -> bool:
    """Whether a second look often enough finds what was there, in a living backend, where records move on.

    A tool that was never seen to give one answer twice may as well make something new at each call.
    """
    last: dict[tuple[str, str], tuple[int, str]] = {}
    same = pairs = 0
    soon: Counter[bool] = Counter()
    for seen in sorted(tool.good(), key=lambda s: (s.at, s.position)):
        place = place_of(tool, seen)
        if place is None:
            continue
        now = stable(seen.value)
        if place in last:
            episode, before = last[place]
            pairs += 1
            same += before == now
            soon[before == now] += episode == seen.episode
        last[place] = seen.episode, now
    says = tool.stated
    if says <= 0 and soon[True] >= least - (says < 0) and not soon[False]:
        return True  # what moves on from day to day, and not while somebody looks
    return accept(Support(cases=same, against=pairs - same), least=least, share=MIN_SAME_SHARE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """An earlier call of the episode that may have changed something."""

    names: frozenset[str]
    asked: frozenset[str] | set[str]
    """Names in its arguments: what it is about, whatever else it leaves alone."""
    tool: ToolModel
    place: tuple[str, str] | None

    def spares(
        self, reader: ToolModel, place: tuple[str, str] | None, names: frozenset[str]
    ) -> bool:
        """Whether a later sight of a row, with all that it was ever seen to name, still shows what was at the start."""
        if place is not None and (place == self.place or self._asks_for(place)):
            return False
        if reader.table in self.tool.far or f"{reader.table}{ABSENCE}" in self.tool.far:
            return False
        if reader.table in self.tool.settled:
            return True
        return not reader.loose and self.names.isdisjoint(names)

    def _asks_for(self, place: tuple[str, str]) -> bool:
        return not names_of_key(place[1]).isdisjoint(self.asked)


def learn_base(bench: Workbench) -> None:
    """The rows that a fresh episode holds: first sights before anything that may have changed them."""
    for table in bench.tables.values():
        table.rows, table.unsure, table.refusals, table.seen = {}, set(), {}, {}
        table.conflicts = table.agreements = 0
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    values: dict[str, Json] = {}
    named = _ever_named(bench)
    always: dict[tuple[str, str], set[str]] = {}
    for history in bench.histories:
        touched: list[Touch] = []
        done: set[tuple[str, str]] = set()
        for seen in history.observations:
            tool = bench.tools[seen.tool]
            place = place_of(tool, seen)
            if tool.innocent and tool.table is not None:
                ever = (
                    seen.names
                    | tokens_in(seen.arguments)
                    | named.get(place, frozenset())
                    | figures_in(seen.value)
                )
                clean = all(touch.spares(tool, place, ever) for touch in touched)
                if place is None:
                    _note_refusal(bench, tool, seen, clean=clean)
                elif clean and place not in done:
                    done.add(place)
                    late = {touch.tool.name for touch in touched} & tool.suspects
                    always[place] = always.get(place, late) & late
                    text = stable(seen.value)
                    values.setdefault(text, seen.value)
                    votes[place][text] += 1
                    bench.tables[place[0]].seen.setdefault(seen.tool, set()).add(place[1])
            elif bench.has_changed(seen):
                asked = names_in(seen.arguments) | tokens_in(seen.arguments)
                names = seen.names | seen.tokens | figures_in(seen.value)
                names |= _linked(bench, history.observations[: seen.position], seen)
                touched.append(Touch(names=names, asked=asked, tool=tool, place=place))
    for (name, key), counts in votes.items():
        table = bench.tables[name]
        table.agreements += sum(counts.values()) - 1
        _keep(table, key, [values[text] for text in counts], late=always[name, key])


def _linked(bench: Workbench, before: Sequence[Observation], seen: Observation) -> frozenset[str]:
    """Numbers that looks at what a call names showed before it: an order's record has the number of its buyer."""
    named = names_in(seen.arguments)
    looks = (o for o in before if bench.tools[o.tool].innocent)
    shown = (long_numbers_in(o.value) for o in looks if not named.isdisjoint(names_in(o.arguments)))
    return frozenset[str]().union(*shown)


def _keep(table: TableModel, key: str, told: Sequence[Json], *, late: set[str]) -> None:
    """A row of the start, without a contradiction; not one that was only seen after a tool never tried before such a sight."""
    if len(told) > 1:
        table.unsure.add(key)
        table.conflicts += 1
    elif not late:
        table.rows[key] = told[0]


def learn_last(bench: Workbench) -> None:
    """Rows as they were seen last: of a living backend, whose records stand in each other as those of any other."""
    for history in bench.histories:
        for look in looks(bench, history):
            if bench.tools[look.seen.tool].innocent:
                bench.tables[look.place[0]].rows[look.place[1]] = look.value


def _ever_named(bench: Workbench) -> dict[tuple[str, str] | None, frozenset[str]]:
    """What each row was seen to name in any episode: what is gone from it names nothing there any more."""
    named: dict[tuple[str, str] | None, frozenset[str]] = defaultdict(frozenset)
    for history in bench.histories:
        for look in looks(bench, history):
            if bench.tools[look.seen.tool].innocent:
                named[look.place] |= look.seen.names
    return named


def _note_refusal(bench: Workbench, tool: ToolModel, seen: Observation, *, clean: bool) -> None:
    names = tool.key_arguments
    if tool.table is None or names is None or not clean:
        return
    told = bench.tables[tool.table].refusals.setdefault(seen.key_of(names), {})
    if told.setdefault(tool.name, seen.content) != seen.content:
        told[tool.name] = ""
