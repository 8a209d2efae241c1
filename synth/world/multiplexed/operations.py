"""Tools that are several, found: a value, a path or an object of arguments in their calls says what is meant.

Comes from observations as recorded; leaves calls of parts with arguments of their own, in place. Names prove nothing: an argument tells
parts apart where calls with its values take other arguments, or are answered by other records. Not here: a session's own calls
(`environments.runtime.views.multiplexed`), the templates of paths (`url_paths`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import parse_qsl

from environments.runtime.document.views import OperationPart, RulePart
from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import type_name
from environments.runtime.values.literals import object_in, parse_json
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import stable
from environments.runtime.views.multiplexed import (
    Rule,
    label_value,
    plain_number,
    split_path,
)
from synth.world.multiplexed.call_signatures import Call, Group, differing
from synth.world.multiplexed.operation_labels import (
    ENOUGH_OPERATIONS,
    is_data,
    labels_of,
    mode_of,
    numbered_of,
    paths_of,
)
from synth.world.multiplexed.url_paths import templates_of
from synth.world.observation import History, Observation, by_tool, every_call
from synth.world.stated_effects import SILENT, gives_an_order, says_write
from synth.world.support import (
    HALF_OF_CASES,
    MOSTLY,
    NEARLY_ALWAYS,
    SEEN_MANY_TIMES,
    SEEN_THRICE,
    SELDOM,
)

MIN_CALLS: Final = SEEN_MANY_TIMES
"""Calls of a tool that may be several."""
MIN_SEEN: Final = SEEN_THRICE
"""Tasks with calls of one value, before these are compared with those of others."""
SUPPORTED: Final = MOSTLY
"""Share of calls whose value came so often."""
APART: Final = HALF_OF_CASES
"""Share of pairs of values whose calls differ in kind."""
WITHIN: Final = SELDOM
"""The same of a further argument, within the parts told apart already."""
Key = tuple[str, ...]
Place = tuple[str, ...]
"""Where an argument stands: `top`, `path`, `query` or `open` (in which object), and its name there."""


def learn_dispatched(
    histories: Sequence[History], stated: Mapping[str, float] | None = None
) -> dict[str, RulePart]:
    """The tools that are several, as the world file has them; their calls are calls of parts from here on.

    `stated`: what the tools' words state (`stated_effects`), their names alone where it is left out; an optional argument makes no other
    tool of one that looks.
    """
    groups = by_tool(histories)
    tasks = {history.index: history.task for history in histories}
    shown = _words_shown(histories)
    alone = _sole_objects(groups)
    out: dict[str, RulePart] = {}
    for tool, seen in sorted(groups.items()):
        calls = [Call(one, tasks[one.episode]) for one in seen]
        says = says_write(tool) if stated is None else stated[tool]
        part = _tool(tool, calls, shown, alone)
        if part is None and says >= SILENT and len(calls) >= MIN_CALLS:
            part = _by_mode(tool, calls, switches_only=says <= 0 or gives_an_order(tool))
        if part is not None:
            out[tool] = part
            rule = Rule(tool, part)
            for one in seen:
                meant = rule.meaning_of(one.arguments)
                if meant is not None:
                    one.tool, one.arguments = meant.tool, dict(meant.arguments)
    return out


def forms_of_parts(
    dispatched: Mapping[str, RulePart], forms: Mapping[str, dict[str, str]]
) -> dict[str, dict[str, str]]:
    """The declared types of arguments, parts' too where the argument is the tool's own."""
    out = dict(forms)
    for tool, rule in dispatched.items():
        own = forms.get(tool, {})
        for name, part in rule.parts.items():
            mine = {n: own[p[1]] for n, p in part.names.items() if p[0] == "top" and p[1] in own}
            if mine:
                out[name] = mine
    return out


def _words_shown(histories: Sequence[History]) -> frozenset[str]:
    """Texts that stand as values in results: such a segment of a path is data."""
    found: set[str] = set()
    for seen in every_call(histories):
        parsed = parse_json(seen.content)
        values = leaves(parsed.value) if parsed is not None else ()
        found.update(value for value in values if isinstance(value, str))
    return frozenset(found)


def _sole_objects(groups: Mapping[str, Sequence[Observation]]) -> frozenset[str]:
    """Names of arguments that are all that two tools take, always an object."""
    tools: dict[str, set[str]] = defaultdict(set)
    for tool, seen in groups.items():
        names = {name for one in seen for name in one.arguments}
        if len(names) == 1 and all(
            object_in(v) is not None for o in seen for v in o.arguments.values()
        ):
            tools[names.pop()].add(tool)
    return frozenset(name for name, found in tools.items() if len(found) > 1)


def _tool(
    tool: str, calls: Sequence[Call], shown: frozenset[str], alone: frozenset[str]
) -> RulePart | None:
    """How one tool is several; None where it is one."""
    told = _told_apart(calls, shown) if len(calls) >= MIN_CALLS else None
    return _just_opened(tool, calls, alone) if told is None else _parts(tool, calls, told)


def _by_mode(tool: str, calls: Sequence[Call], *, switches_only: bool) -> RulePart | None:
    """A tool that an optional argument makes another."""
    mode = mode_of(calls, switches_only=switches_only)
    return None if mode is None else _parts(tool, calls, _Discriminator(by=(mode,)))


def _parts(tool: str, calls: Sequence[Call], told: _Discriminator) -> RulePart:
    path, by = told.path, told.by
    names = [*by, *([path] if path is not None else [])]
    groups = _group_calls([c for c in calls if path is None or told.template(c)], told)
    containers = _containers(groups, names)
    # What is the same in all parts says nothing of any.
    differ = {n for at, n in enumerate(names) if len({found[at] for found in groups}) > 1}
    parts: dict[str, OperationPart] = {}
    for found, group in sorted(groups.items()):
        when: dict[str, Json] = {
            name: parsed.value
            for name, text in zip(by, found, strict=False)
            if (parsed := parse_json(text)) is not None and parsed.value is not None
        }
        if path is not None:
            when[path] = found[-1]
        label = ", ".join(f"{n}={v}" for n, v in when.items() if n in differ)
        parts[f"{tool}[{label}]" if label else tool] = _part(
            group.calls, when, names, path, containers
        )
    return RulePart(by=tuple(by), open=containers, parts=parts, path=path)


@dataclass(frozen=True, slots=True)
class _Discriminator:
    """What tells the parts of a tool apart."""

    by: tuple[str, ...] = ()
    path: str | None = None
    templates: Mapping[str, str] = field(default_factory=dict)
    """Of every path."""

    def key(self, call: Call) -> Key:
        """What a call says of which part it is of."""
        own = tuple(stable(label_value(call.arguments, name)) for name in self.by)
        return own if self.path is None else (*own, self.template(call))

    def template(self, call: Call) -> str:
        """The template of a call's path; empty where it has none."""
        return self.templates.get(str(call.arguments.get(self.path or "")), "")

    def with_path_arguments(self, call: Call) -> Call:
        """The call with the arguments in its path."""
        template = self.template(call)
        places = _in_path(template, str(call.arguments.get(self.path or ""))) if template else []
        return Call(call.seen, call.task, frozenset(".".join(place) for place, _ in places))


def _told_apart(calls: Sequence[Call], shown: frozenset[str]) -> _Discriminator | None:
    """The arguments and the path whose values tell parts apart; a path that does comes first, for it says most."""
    labels = labels_of(calls)
    told = next(filter(None, (_by_path(calls, name, shown) for name in paths_of(calls))), None)
    if told is None:
        words = {name: not is_data(calls, name, shown) for name in labels}
        # Tools may be numbered (`close_account_7392`), as records are: only what they take tells such values apart.
        numbered = dict.fromkeys(set(numbered_of(calls)).difference(labels), False)
        shares = {
            name: _share_apart(calls, _Discriminator(by=(name,)), shapes=shapes)
            for name, shapes in sorted((words | numbered).items())
        }
        best = max(sorted(shares), key=lambda name: shares[name], default=None)
        if best is None or shares[best] < APART:
            return None
        told = _Discriminator(by=(best,))
    for name in labels:
        if name not in told.by and name != told.path and _tells_more(calls, told, name):
            told = replace(told, by=(*told.by, name))
    return told


def _by_path(calls: Sequence[Call], name: str, shown: frozenset[str]) -> _Discriminator | None:
    rows = [(str(c.arguments[name]), c.shape, c.keys) for c in calls if name in c.arguments]
    told = _Discriminator(path=name, templates=templates_of(rows, shown))
    few = len(set(told.templates.values())) * ENOUGH_OPERATIONS <= len(calls)
    return told if few and _share_apart(calls, told) >= APART else None


def _tells_more(calls: Sequence[Call], told: _Discriminator, name: str) -> bool:
    """Whether an argument tells parts further apart, or every part has one value of it."""
    groups = [g for g in _group_calls(calls, told).values() if g.support >= MIN_SEEN]
    values = [Counter(stable(c.arguments.get(name)) for c in g.calls) for g in groups]
    fixed = sum(max(v.values()) >= NEARLY_ALWAYS * v.total() for v in values)
    if fixed >= SUPPORTED * len(groups):
        return True
    pairs = [_pairs(_group_calls(g.calls, _Discriminator(by=(name,)))) for g in groups]
    total, apart = sum(p[1] for p in pairs), sum(p[0] for p in pairs)
    return total > 0 and apart >= WITHIN * total


def _group_calls(calls: Iterable[Call], told: _Discriminator) -> dict[Key, Group]:
    groups: dict[Key, Group] = defaultdict(Group)
    for call in calls:
        groups[told.key(call)].calls.append(
            told.with_path_arguments(call) if told.path is not None else call
        )
    return groups


def _share_apart(calls: Sequence[Call], told: _Discriminator, *, shapes: bool = True) -> float:
    """The share of pairs of values whose calls differ in kind; 0 where too few calls say so."""
    good = [call for call in calls if call.seen.is_error is not True]
    groups = _group_calls(good, told)
    known = sum(len(g.calls) for g in groups.values() if g.support >= MIN_SEEN)
    apart, total = _pairs(groups, shapes=shapes)
    return apart / total if total and known >= SUPPORTED * len(good) else 0.0


def _pairs(groups: Mapping[Key, Group], *, shapes: bool = True) -> tuple[int, int]:
    """Of the pairs of values, how many differ in kind, and how many there are."""
    known = [g for _, g in sorted(groups.items()) if g.support >= MIN_SEEN]
    return differing([g.kind(shapes=shapes) for g in known])


def _containers(groups: Mapping[Key, Group], names: Sequence[str]) -> frozenset[str]:
    """Objects of arguments: always an object, with arguments that each part's calls nearly all have."""
    held: dict[str, list[Group]] = defaultdict(list)
    for group in groups.values():
        for name in {n for call in group.calls for n in call.arguments} - set(names):
            values = [c.arguments[name] for c in group.calls if c.arguments.get(name) is not None]
            if values:
                held[name].append(Group([c for c in group.calls if name in c.arguments]))
    return frozenset(name for name, found in held.items() if _is_container(name, found, names))


def _is_container(name: str, groups: Sequence[Group], told: Sequence[str]) -> bool:
    calls = [call for group in groups for call in group.calls]
    if not all(
        name in call.object_arguments for call in calls if call.arguments[name] not in (None, "")
    ):
        return False
    known = [g for g in groups if g.support >= MIN_SEEN]
    filled = [g for g in known if any(call.object_arguments.get(name) for call in g.calls)]
    steady = [g for g in filled if any(k.startswith(name + ".") for k in g.usual_arguments())]
    if not filled or len(steady) < SUPPORTED * len(filled):
        return False
    # What an object holds (a guest's name and mail) is one argument where others stand beside it, unless each part fills it otherwise.
    alone = [
        g for g in filled if not {k for k in g.usual_arguments() if "." not in k} - {name, *told}
    ]
    apart, total = differing([g.kind(under=name + ".", shapes=False) for g in filled])
    return len(alone) >= SUPPORTED * len(filled) or (total > 0 and apart >= APART * total)


def _just_opened(tool: str, calls: Sequence[Call], alone: frozenset[str]) -> RulePart | None:
    """A tool that is one, whose arguments stand in an object."""
    names = {name for call in calls for name in call.arguments}
    name = names.pop() if len(names) == 1 else None
    if name is None or not all(name in call.object_arguments for call in calls):
        return None
    if name not in alone and not all(isinstance(c.arguments[name], str) for c in calls):
        return None
    containers = frozenset({name})
    return RulePart(open=containers, parts={tool: _part(calls, {}, [], None, containers)})


def _part(
    calls: Sequence[Call],
    when: Mapping[str, Json],
    names: Sequence[str],
    path: str | None,
    containers: frozenset[str],
) -> OperationPart:
    """One part: where its arguments stand in calls, and what they are."""
    values = _by_place(calls, names, containers)
    for call in calls if path is not None else ():
        for place, text in _in_path(str(when[path or ""]), str(call.arguments[path or ""])):
            values[place].append(text)
    numbers = [
        place[1]
        for place, found in sorted(values.items())
        if place[0] in {"path", "query"} and _are_numbers(found)
    ]
    told = _names(values)
    always = _constant_containers(calls, containers)
    held = sorted({place[1] for place in values if place[0] == "open"} | always)
    texts = [c for c in held if any(isinstance(call.arguments.get(c), str) for call in calls)]
    schema: dict[str, Json] = {
        name: _schema(values[place], numbers=place[1] in numbers) for name, place in told.items()
    }
    return OperationPart(
        when=dict(when),
        names=told,
        schema=schema,
        numbers=tuple(numbers),
        text=tuple(texts),
        always=tuple(sorted(always)),
    )


def _names(places: Iterable[Place]) -> dict[str, Place]:
    """A name for the argument at each place: its own, a longer one where two would have the same."""
    told: dict[str, Place] = {}
    for place in sorted(places, key=lambda p: (p[0] != "top", p)):
        short = place[-1] if place[-1] not in told else ".".join(place[1:])
        told[short if short not in told else ".".join(place)] = place
    return told


def _by_place(
    calls: Sequence[Call], names: Sequence[str], containers: frozenset[str]
) -> dict[Place, list[Json]]:
    """The values of arguments by where they stand."""
    values: dict[Place, list[Json]] = defaultdict(list)
    for call in calls:
        for name, value in call.arguments.items():
            if name in containers and name in call.object_arguments:
                for key, item in call.object_arguments[name].items():
                    values["open", name, key].append(item)
            elif name not in names:
                values["top", name].append(value)
    return values


def _constant_containers(calls: Sequence[Call], containers: frozenset[str]) -> set[str]:
    return {c for c in containers if all(c in call.object_arguments for call in calls)}


def _in_path(template: str, path: str) -> list[tuple[Place, Json]]:
    segments, query = split_path(path)
    pairs = zip(split_path(template)[0], segments, strict=True)
    inside: list[tuple[Place, Json]] = [(("path", t[1:-1]), s) for t, s in pairs if t[:1] == "{"]
    return inside + [(("query", k), v) for k, v in parse_qsl(query, keep_blank_values=True)]


def _are_numbers(values: Sequence[Json]) -> bool:
    """Whether texts are numbers: a slip of an agent aside, and none that JSON would not spell so (a zip code)."""
    plain = [v for v in values if isinstance(v, str) and not isinstance(plain_number(v), str)]
    digits = [v for v in values if isinstance(v, str) and v.isdigit()]
    return len(plain) >= NEARLY_ALWAYS * len(values) and all(v in plain for v in digits)


def _schema(values: Sequence[Json], *, numbers: bool) -> dict[str, Json]:
    """The type of an argument, where all its values have one."""
    read = [plain_number(v) if numbers and isinstance(v, str) else v for v in values]
    kinds = {type_name(value) for value in read if value is not None}
    return {"type": kinds.pop()} if len(kinds) == 1 else {}
