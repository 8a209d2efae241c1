"""Wrappings, found: what stands around every tool's results and says nothing of what was asked.

Comes from observations before anything else is learnt of them; leaves the results' own part, so that tools which differ
in a request's number, its moment or its duration alone answer alike. A place counts where several tools have it and holds
a clock's times, ids drawn by dice, or a number or time that differs between equal calls with an equal result. Only what is put
together again exactly, for every result of a tool, is taken apart. Not here: times and ids of single tools (`volatile.clock_and_ids`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.document.views import MarkPart, ValueForm, WrappingPart
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import type_of
from environments.runtime.values.literals import parse_json
from environments.runtime.values.normal import same_json, stable
from environments.runtime.views.clock_and_ids import ANY, STYLES, Marks
from environments.runtime.views.result_wrappers import (
    AT_TIMES,
    IN_WORDS,
    OPEN,
    strip,
    without_places,
    wrap,
)
from synth.world.grouping import lists_by_key
from synth.world.model import outcome_class, refused
from synth.world.observation import History, Observation, by_tool, every_call
from synth.world.schema.outcomes import tool_of
from synth.world.volatile.bench_clock import usual_clock
from synth.world.volatile.clock_and_ids import MIN_SEEN, mark_name, moving_form
from synth.world.volatile.idle_values import (
    SOME,
    Pasts,
    idle_places,
    stands_still,
    usual_number,
    usual_value,
    values_around,
)
from synth.world.volatile.text_frames import MIN_TOOLS, MOST, learn_frames, text_of

MAX_BODIES: Final = 40
"""Classes of results that are listed for a wrapping."""

Rows = list[tuple[Observation, Json]]
Groups = Mapping[tuple[str, str], list[Observation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """The wrappings of all tools, and the marks that stand in them."""

    tools: dict[str, dict[str, WrappingPart]]
    marks: dict[str, MarkPart]


def learn_wrapping(histories: Sequence[History], around: Marks | None = None) -> Wrapped:
    """Find what stands around results and leave it out of them, in place; `around`: marks that are given out already."""
    groups = dict(_groups(histories))
    taken = len(around or ())
    marks: dict[str, MarkPart] = {}
    found = _records(groups, histories, marks, taken)
    left = {name: group for name, group in groups.items() if name not in found}
    found |= learn_frames(left, histories, marks, taken)
    for (tool, _), group in left.items():
        groups.setdefault((tool, IN_WORDS), []).extend(o for o in group if text_of(o))
    out: dict[str, dict[str, WrappingPart]] = defaultdict(dict)
    framed: set[tuple[int, int]] = set()
    for (tool, kind), wrapping in sorted(found.items()):
        mine = groups.get((tool, kind), [])
        if wrapping.record is not None:
            mine = _possible_records(kind, mine)
        bodies = [strip(wrapping, seen.content, marks) for seen in mine]
        restored = [
            body is not None and _restores_result(wrapping, body, seen.content, marks)
            for body, seen in zip(bodies, mine, strict=True)
        ]
        # Of a record nobody could say whether it came in words or in a record.
        is_sure = kind != IN_WORDS or not any(isinstance(_parsed(body), dict) for body in bodies)
        if all(restored) and is_sure:
            out[tool][kind] = wrapping
        elif kind == IN_WORDS and sum(restored) >= MIN_SEEN:
            out[tool][AT_TIMES] = wrapping
        else:
            continue
        for body, seen, fits in zip(bodies, mine, restored, strict=True):
            if fits:
                framed.add((seen.episode, seen.position))
                seen.put_content(str(body))
    told = {tool: _with_bodies(tool, kinds, groups, framed) for tool, kinds in out.items()}
    return Wrapped(tools=told, marks=marks if out else {})


def _parsed(body: str | None) -> Json:
    parsed = parse_json(body or "")
    return None if parsed is None else parsed.value


def _with_bodies(
    tool: str,
    kinds: Mapping[str, WrappingPart],
    groups: Groups,
    framed: Collection[tuple[int, int]],
) -> dict[str, WrappingPart]:
    """Which classes of results came in which wrapping: taken out, a result may be a refusal that came as a success.

    `framed`: the episode and place of those that had theirs.
    """
    if AT_TIMES in kinds:
        had = lists_by_key(
            (outcome_class(seen), (seen.episode, seen.position) in framed)
            for kind in ("good", "refused")
            for seen in groups.get((tool, kind), ())
        )
        usual = frozenset(name for name, found in had.items() if sum(found) * 2 >= len(found))
        return {AT_TIMES: replace(kinds[AT_TIMES], bodies=usual)}
    classes = {
        kind: {
            outcome_class(seen)
            for seen in groups.get((tool, kind), ())
            if kind not in kinds or (seen.episode, seen.position) in framed
        }
        for kind in ("good", "refused")
    }
    own = {
        k: classes[k] - classes["refused" if k == "good" else "good"] for k in classes if k in kinds
    }
    few = {
        kind: frozenset(found) if len(found) <= MAX_BODIES else frozenset[str]()
        for kind, found in own.items()
    }
    return {kind: replace(part, bodies=few.get(kind, frozenset())) for kind, part in kinds.items()}


def _restores_result(wrapping: WrappingPart, body: str, content: str, marks: Marks) -> bool:
    """Whether a result comes back when its own part is put into the wrapping."""
    whole = wrap(wrapping, body)
    if wrapping.record is None:
        return strip(wrapping, whole, marks) == body
    parsed, was = parse_json(whole), parse_json(content)
    told = strip(wrapping, whole, marks)
    return (
        parsed is not None
        and was is not None
        and told == body
        and stable(_shape(parsed.value)) == stable(_shape(was.value))
    )


def _shape(value: Json) -> Json:
    return {k: _shape(v) for k, v in value.items()} if isinstance(value, dict) else ""


def _groups(histories: Sequence[History]) -> Iterator[tuple[tuple[str, str], list[Observation]]]:
    """Results of each tool, successes and refusals apart."""
    for name, seen in sorted(by_tool(histories).items()):
        tool = tool_of(name, seen)
        for kind in ("good", "refused"):
            group = [one for one in seen if refused(tool, one) is (kind == "refused")]
            if group:
                yield (name, kind), group


# -- records around results ------------------------------------------------------------------------


def _records(
    groups: Groups, histories: Sequence[History], marks: dict[str, MarkPart], taken: int
) -> dict[tuple[str, str], WrappingPart]:
    groups = {name: _possible_records(name[1], group) for name, group in groups.items()}
    groups = {name: group for name, group in groups.items() if _are_records(group)}
    records = [seen for group in groups.values() for seen in group if isinstance(seen.value, dict)]
    common = _common(records)
    forms = {p: f for p, rows in common.items() if (f := moving_form(rows, histories))}
    loose = {p: f for p, rows in common.items() if p not in forms and (f := _told_anyhow(rows))}
    seen = list(every_call(histories))
    still = [p for p, form in loose.items() if form.kind == "any" and stands_still(common[p])]
    moved = idle_places(
        seen, {*forms, *loose}, Pasts(histories), share=SOME, still=still, around=True
    )
    forms |= {place: form for place, form in loose.items() if place in moved}
    if not forms:
        return {}
    told: dict[str, Json] = {}
    for number, (place, form) in enumerate(sorted(forms.items()), taken):
        code = mark_name(number)
        marks[code] = MarkPart(tool=ANY, place=place, form=form)
        told[place] = f"~{form.kind}.{code}~"
    out: dict[tuple[str, str], WrappingPart] = {}
    for kind in ("good", "refused"):
        mine = {name: group for name, group in groups.items() if name[1] == kind}
        same = _constants([seen for group in mine.values() for seen in group], told)
        for name, group in mine.items():
            wrapping = _wrapping_of(group, told, same, hoist=kind == "good")
            if wrapping is not None:
                out[name] = wrapping
    return out


def _possible_records(kind: str, group: list[Observation]) -> list[Observation]:
    """Results that may stand in a record: what refuses before the tool is reached (a check of arguments, a timeout) says so in words."""
    return [o for o in group if isinstance(o.value, dict)] if kind == "refused" else group


def _are_records(group: Sequence[Observation]) -> bool:
    """Whether most results of a group are records: other tools of the app may answer in words."""
    found = sum(isinstance(seen.value, dict) for seen in group)
    return bool(found) and found >= MOST * len(group)


def _common(records: Sequence[Observation]) -> dict[str, Rows]:
    """Places that most records have, of more than one tool."""
    rows = lists_by_key(
        (place, (seen, value))
        for seen in records
        for place, value in values_around(_record(seen)).items()
    )
    return {
        place: found
        for place, found in rows.items()
        if len(found) >= MOST * len(records) and len({o.tool for o, _ in found}) >= MIN_TOOLS
    }


def _record(seen: Observation) -> dict[str, Json]:
    return seen.value if isinstance(seen.value, dict) else {}


def _told_anyhow(rows: Rows) -> ValueForm | None:
    """The format of a value that says nothing of the answer, should it differ between equal calls."""
    if all(type_of(value) == "number" for _, value in rows):
        return usual_number(rows)
    return usual_clock(rows) or usual_value(rows)


def _constants(seen: Sequence[Observation], told: Mapping[str, Json]) -> dict[str, Json]:
    """Fields beside volatile ones, or of the whole record, that are the same in all results of most tools."""
    beside = {place.rpartition("/")[0] for place in told} | {""}
    return {
        place: rows[0][1]
        for place, rows in _common([one for one in seen if isinstance(one.value, dict)]).items()
        if place not in told
        and place.rpartition("/")[0] in beside
        and all(same_json(value, rows[0][1]) for _, value in rows)
    }


def _wrapping_of(
    group: Sequence[Observation],
    told: Mapping[str, Json],
    same: Mapping[str, Json],
    *,
    hoist: bool,
) -> WrappingPart | None:
    """The wrapping of one tool's results: the record with marks, and a gap where one field holds all the rest."""
    if not all(isinstance(seen.value, dict) for seen in group):
        return None
    first = _record(group[0])
    style = next((s for s in STYLES if all(s.dumps(o.value) == o.content for o in group)), None)
    shown = [values_around(_record(seen)) for seen in group]
    fixed = {p: v for p, v in {**told, **same}.items() if all(p in one for one in shown)}
    if style is None or not told.keys() & fixed.keys():
        return None
    left = {frozenset(without_places(_record(seen), sorted(fixed))) for seen in group}
    alike = all(_record(seen).keys() == first.keys() for seen in group)
    template = _template(first, fixed, "")
    if hoist and alike and len(left) == 1 and len(held := next(iter(left))) == 1:
        name = next(iter(held))
        inside = any(place.startswith(name + "/") for place in fixed)
        texts_of_json = any(_parsed(_text_at(seen, name)) is not None for seen in group)
        if not inside and not texts_of_json:
            template = {key: OPEN if key == name else template[key] for key in first}
    if not hoist and alike and len(left) == 1:
        texts = _one_text([without_places(_record(seen), sorted(fixed)) for seen in group])
        if texts:
            return WrappingPart(
                record=_opened(first, template, texts), style=style, mark="[error v] "
            )
    return WrappingPart(record=template, style=style)


def _text_at(seen: Observation, name: str) -> str | None:
    value = _record(seen).get(name)
    return value if isinstance(value, str) else None


def _one_text(rests: Sequence[Json]) -> tuple[str, ...]:
    """The path to the one text that is left of every refusal; empty where more or something else is left."""
    path: tuple[str, ...] = ()
    while all(isinstance(rest, dict) and len(rest) == 1 for rest in rests):
        names = {next(iter(rest)) for rest in rests if isinstance(rest, dict)}
        if len(names) > 1:
            return ()
        path = (*path, names.pop())
        rests = [rest[path[-1]] for rest in rests if isinstance(rest, dict)]
    return path if all(isinstance(rest, str) for rest in rests) else ()


def _opened(
    first: Mapping[str, Json], template: Mapping[str, Json], path: tuple[str, ...]
) -> dict[str, Json]:
    """A wrapping with a gap at a path, its keys in the order of the recorded record."""
    out: dict[str, Json] = {}
    for name, value in first.items():
        if name != path[0]:
            out[name] = template[name]
        elif len(path) == 1:
            out[name] = OPEN
        else:
            inner, below = template.get(name), value if isinstance(value, dict) else {}
            out[name] = _opened(below, inner if isinstance(inner, dict) else {}, path[1:])
    return out


def _template(record: Mapping[str, Json], fixed: Mapping[str, Json], under: str) -> dict[str, Json]:
    out: dict[str, Json] = {}
    for name, value in record.items():
        place = under + name
        if place in fixed:
            out[name] = fixed[place]
        elif isinstance(value, dict):
            inner = _template(value, fixed, place + "/")
            if inner:
                out[name] = inner
    return out
