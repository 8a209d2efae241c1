"""Idle arguments, found: what agents make up beside what they ask, and no answer hangs on.

Comes from observations and the messages around them; leaves the arguments out of the calls, in place. Three kinds: keys drawn by
dice that nobody ever told or showed, the time of the call, and free text that most tools take (a reason, a thought) and no
result shows. Calls that differ in such an argument alone have to end alike. Not here: what a session does with them
(`environments.runtime.views.idle_arguments`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from environments.runtime.document.views import IdlePart, ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import (
    choices_of,
    name_of,
    parameters_of,
    properties_of,
    read_definition,
)
from environments.runtime.values.formats import freedom, id_format, is_day
from environments.runtime.values.normal import is_name, stable
from environments.runtime.views.idle_arguments import DEFAULT, is_idle, value_text
from redact.records.clean_episode import CleanEpisode
from synth.declared_defaults import declared_defaults
from synth.world.model import outcome_class
from synth.world.observation import History, Observation, by_tool
from synth.world.stated_effects import stated_effects
from synth.world.support import MOSTLY, NEARLY_ALWAYS, SEEN_SEVERAL_TIMES, SEEN_THRICE, SEEN_TWICE
from synth.world.volatile.clock_and_ids import MIN_IDS, MIN_LENGTH, MIN_SEEN, clock

MIN_TASKS: Final = SEEN_TWICE
"""Tasks with calls that were answered alike with a value and without the argument."""
DECLARED: Final = "the declared default"
MIN_WORDED: Final = SEEN_THRICE
"""The same of any text."""
MIN_TOOLS: Final = SEEN_THRICE
"""Tools that take one free text, and half of all."""
MIN_PAIRS: Final = SEEN_SEVERAL_TIMES
"""Calls that differ in idle arguments alone."""
ALIKE: Final = MOSTLY
"""Share of them that end alike: what was changed in between accounts for the others."""

Rows = list[tuple[Observation, Json]]
Forms = dict[str, dict[str, IdlePart]]


def learn_idle(histories: Sequence[History], episodes: Sequence[CleanEpisode]) -> Forms:
    """Idle arguments by tool and name, with their form; they are gone from the calls."""
    rows = _by_name(histories)
    told = _count_told(histories, episodes, rows)
    tools = {seen.tool for history in histories for seen in history.observations}
    found: dict[str, ValueForm] = {}
    for name, mine in rows.items():
        form = _form(mine, told.get(name, 0), len(tools))
        if form is not None:
            found[name] = form
    found = {name: form for name, form in found.items() if _ends_alike(rows[name], name, found)}
    out: Forms = defaultdict(dict)
    calls: dict[str, list[Observation]] = defaultdict(list)
    for history in histories:
        for seen in history.observations:
            calls[seen.tool].append(seen)
    for name, form in sorted(found.items()):
        for tool in sorted({seen.tool for seen, _ in rows[name]}):
            always = all(name in seen.arguments for seen in calls[tool])
            out[tool][name] = IdlePart(form=form, always=always)
    for tool, forms in out.items():
        for seen in calls[tool]:
            seen.arguments = {n: v for n, v in seen.arguments.items() if n not in forms}
            seen.settle()
    return dict(out)


def learn_defaults(
    histories: Sequence[History], episodes: Sequence[CleanEpisode], known: Forms
) -> Forms:
    """The idle arguments with those whose absence means the same: defaults at their value, texts at any; they are gone from the calls.

    Results are as tools give them, without what differs from call to call.
    """
    functions = map(read_definition, {text for one in episodes for text in one.tools})
    defined = {name_of(one): one for one in functions}
    out: Forms = defaultdict(dict, {tool: dict(forms) for tool, forms in known.items()})
    tasks = {history.index: history.task for history in histories}
    stated = stated_effects(episodes, by_tool(histories))
    for tool, seen in by_tool(histories).items():
        function = defined.get(tool.partition("[")[0], {})
        names = {name for one in seen for name in one.arguments} | declared_defaults(
            function
        ).keys()
        names -= out[tool].keys()
        for name in sorted(names):
            form = _default(name, seen, tasks, function)
            learnt = form is not None and form.says != DECLARED
            # An argument of a look narrows what it looks for: that leaving it out finds the same says little.
            if learnt and stated[tool] <= 0:
                continue
            if form is not None and not (learnt and _is_shown(form, name, seen, histories)):
                out[tool][name] = IdlePart(form=form, always=False)
                for one in seen:
                    one.arguments = {
                        n: v for n, v in one.arguments.items() if n != name or not is_idle(form, v)
                    }
                    one.settle()
    return {tool: forms for tool, forms in out.items() if forms}


def _default(
    name: str, seen: Sequence[Observation], tasks: Mapping[int, str], function: Mapping[str, Json]
) -> ValueForm | None:
    """What calls without an argument are answered like: those with one value, or with any text."""
    bare: dict[str, list[Observation]] = defaultdict(list)
    for one in seen:
        if name not in one.arguments:
            bare[one.key].append(one)
    alike: Mapping[str, set[str]] = defaultdict(set)
    values: dict[str, Json] = {}
    otherwise = Counter[str]()
    for one in seen:
        if name not in one.arguments:
            continue
        value = value_text(one.arguments[name])
        values[value] = one.arguments[name]
        rest = stable({n: v for n, v in one.arguments.items() if n != name})
        beside = [other for other in bare.get(rest, ()) if other.episode != one.episode]
        if any(other.content == one.content for other in beside):
            alike[value].add(tasks[one.episode])
        elif beside:
            otherwise[value] += 1
    declared = declared_defaults(function)
    said = value_text(declared[name]) if name in declared else None
    if said is not None and not otherwise[said]:
        return ValueForm(kind=DEFAULT, value=declared[name], says=DECLARED)
    every = set[str]().union(*alike.values())
    worded = all(isinstance(v, str) and not any(map(str.isdigit, v)) for v in values.values())
    worded &= not choices_of(properties_of(function).get(name), parameters_of(function))
    if worded and len(alike) > 1 and len(every) >= MIN_WORDED and not otherwise.total():
        return ValueForm(kind="text", says="a text that changes nothing, or none")
    # What names a thing is no default, however alike the answers are.
    alike = {value: tasks for value, tasks in alike.items() if not is_name(values[value])}
    best = max(alike, key=lambda value: len(alike[value]), default=None)
    if best is None or len(alike[best]) < MIN_TASKS or otherwise[best]:
        return None
    return ValueForm(kind=DEFAULT, value=values[best], says="what leaving it out means")


def _is_shown(
    form: ValueForm, name: str, seen: Sequence[Observation], histories: Sequence[History]
) -> bool:
    """Whether some result shows the default, or one of the texts: then it says something of a record."""
    given = [form.value] if form.kind == DEFAULT else [o.arguments.get(name, "") for o in seen]
    values = set(filter(None, map(value_text, given)))
    return any(
        value in told
        for history in histories
        for one in history.observations
        if (told := one.content.casefold())
        for value in values
    )


def _by_name(histories: Sequence[History]) -> Mapping[str, Rows]:
    out: dict[str, Rows] = defaultdict(list)
    for history in histories:
        for seen in history.observations:
            for name, value in seen.arguments.items():
                out[name].append((seen, value))
    return {
        name: rows
        for name, rows in out.items()
        if len({seen.episode for seen, _ in rows}) >= MIN_SEEN
    }


def _count_told(
    histories: Sequence[History], episodes: Sequence[CleanEpisode], rows: Mapping[str, Rows]
) -> dict[str, int]:
    """How many values of each argument somebody told the agent, a result shows, or another argument has."""
    names: dict[tuple[int, str], set[str]] = defaultdict(set)
    for name, mine in rows.items():
        for seen, value in mine:
            names[seen.episode, str(value)].add(name)
    said = {
        episode.episode_id: "\n".join(
            step.content or "" for step in episode.steps if step.role != "assistant"
        )
        for episode in episodes
    }
    texts = {history.index: said.get(history.episode_id, "") for history in histories}
    return {
        name: sum(
            str(value) in texts[seen.episode] or len(names[seen.episode, str(value)]) > 1
            for seen, value in mine
        )
        for name, mine in rows.items()
        if all(isinstance(value, str | int | float) for _, value in mine)
    }


def _form(rows: Rows, told: int, tools: int) -> ValueForm | None:
    values = [value for _, value in rows]
    form = clock(rows)
    if form is not None and not is_day(form) and form.origin is None:
        return replace(form, says="the time of the call")
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values) or told > len(values) * (1 - NEARLY_ALWAYS):
        return None
    if told == 0 and _are_drawn(texts):
        slots = known.slots if (known := id_format(texts)) is not None else None
        return ValueForm(kind="key", slots=slots, says="a key that the agent draws")
    taking = len({seen.tool for seen, _ in rows})
    if taking < MIN_TOOLS or taking * 2 < tools or not _varies(texts):
        return None
    return ValueForm(kind="text", says="free text beside what is asked")


def _are_drawn(texts: Sequence[str]) -> bool:
    """Whether values are drawn by dice, none of them twice."""
    if len(set(texts)) < len(texts) or min(map(len, texts)) < MIN_LENGTH:
        return False
    form = id_format(list(texts))
    return form is not None and freedom(form) >= MIN_IDS and texts != sorted(texts)


def _varies(texts: Sequence[str]) -> bool:
    spaced = sum(" " in text for text in texts)
    return spaced >= NEARLY_ALWAYS * len(texts) and len(set(texts)) >= MIN_PAIRS


def _ends_alike(rows: Rows, name: str, idle: Mapping[str, object]) -> bool:
    """Whether calls that differ in idle arguments alone, this one among them, ended alike."""
    groups: dict[str, list[Observation]] = defaultdict(list)
    for seen, _ in rows:
        rest = {n: v for n, v in seen.arguments.items() if n not in idle}
        groups[stable([seen.tool, rest])].append(seen)
    alike = total = 0
    for group in groups.values():
        for one, other in pairwise(group):
            if one.arguments[name] != other.arguments[name]:
                total += 1
                alike += outcome_class(one) == outcome_class(other)
    return total >= MIN_PAIRS and alike >= ALIKE * total
