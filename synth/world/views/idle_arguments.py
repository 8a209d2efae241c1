"""Idle arguments, found: what agents make up beside what they ask, and no answer hangs on.

Comes from observations and the messages around them; leaves the arguments out of the calls, in place. Four kinds: keys drawn by
dice that nobody ever told or showed, the time of the call, free text that most tools take (a reason, a thought) and no
result shows, and what an episode gives to every tool (its session, a language). Calls that differ in such an argument alone have to
end alike. Not here: what a session does with them
(`environments.runtime.views.idle_arguments`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from environments.runtime.document.views import IdlePart, ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import (
    choices_of,
    parameters_of,
    properties_of,
    types_of,
)
from environments.runtime.values.formats import is_day, read_time
from environments.runtime.values.mentions import is_name, leaves
from environments.runtime.values.normal import stable
from environments.runtime.views.clock_and_ids import fields_of, places_of
from environments.runtime.views.idle_arguments import (
    DEFAULT,
    carried_digests,
    is_idle,
    value_text,
)
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.declared_defaults import declared_defaults
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.model import outcome_class
from synth.world.observation import History, Observation, by_tool, defined_functions, every_call
from synth.world.stated_effects import stated_effects
from synth.world.support import (
    HARDLY_EVER,
    MOSTLY,
    NEARLY_ALWAYS,
    SEEN_SEVERAL_TIMES,
    SEEN_THRICE,
    SEEN_TWICE,
    accept_counts,
)
from synth.world.volatile.clock_and_ids import MAX_TAKEN, MIN_SEEN, clock
from synth.world.volatile.drawn_values import MIN_LENGTH, format_of_drawn, roomy_format
from synth.world.volatile.idle_values import Pasts, shape_of

MIN_TASKS: Final = SEEN_TWICE
"""Tasks with calls that were answered alike with a value and without the argument."""
DECLARED: Final = "the declared default"
NOT_NULL: Final = "null, which the declared type leaves out"
_NULL: Final = ValueForm(kind=DEFAULT, says=NOT_NULL)
"""Null as the default of an argument that may be left out and is declared as something else: agents send it for nothing."""
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
    tools = {seen.tool for seen in every_call(histories)}
    found: dict[str, ValueForm] = {}
    for name, mine in rows.items():
        form = _form(mine, told.get(name, 0), len(tools))
        if form is not None:
            found[name] = form
    found = {name: form for name, form in found.items() if _ends_alike(rows[name], name, found)}
    found = _with_carried(histories, episodes, rows, found, len(tools))
    out: Forms = defaultdict(dict)
    calls = by_tool(histories)
    own = [name for name, form in found.items() if form.kind == "any" and _is_own(rows[name])]
    taken = _recorded_together({name: rows[name] for name in own})
    for name, form in sorted(found.items()):
        known = replace(form, taken=taken) if name in own else form
        for tool, mine in _rows_by_tool(rows[name]).items():
            always = all(name in seen.arguments for seen in calls[tool])
            if form.kind != "any" or not _is_repeated(mine):
                out[tool][name] = IdlePart(form=known, always=always)
    for tool, forms in out.items():
        for seen in calls[tool]:
            seen.put_arguments({n: v for n, v in seen.arguments.items() if n not in forms})
    return dict(out)


def _rows_by_tool(rows: Rows) -> Mapping[str, Rows]:
    out = lists_by_key((seen.tool, (seen, value)) for seen, value in rows)
    return dict(sorted(out.items()))


def _recorded_together(rows: Mapping[str, Rows]) -> frozenset[str] | None:
    """What the values are remembered by that episodes gave to every tool in one call; None where there are none, or too many."""
    together: dict[tuple[int, int], dict[str, Json]] = defaultdict(dict)
    for name, mine in rows.items():
        for seen, value in mine:
            together[seen.episode, seen.position][name] = value
    digests = frozenset[str]().union(*map(carried_digests, together.values()))
    return digests if 0 < len(digests) <= MAX_TAKEN else None


def _is_repeated(rows: Rows) -> bool:
    """Whether a tool's results show a part of the value, always in the same field: who changed a record."""
    shown: Counter[tuple[str, str]] = Counter()
    for seen, value in rows:
        inside = fields_of(value) if isinstance(value, dict) else [("", value)]
        parts = {stable(part): name for name, part in inside}
        for place, told in places_of(seen.content).items():
            if stable(told) in parts:
                shown[place, parts[stable(told)]] += 1
    varied = len({stable(value) for _, value in rows}) > 1
    return varied and any(often >= MOSTLY * len(rows) for often in shown.values())


def learn_defaults(
    histories: Sequence[History], episodes: Sequence[CleanEpisode], known: Forms
) -> Forms:
    """The idle arguments with those whose absence means the same: defaults at their value, texts at any; they are gone from the calls.

    Results are as tools give them, without what differs from call to call.
    """
    defined = defined_functions(episodes)
    out: Forms = defaultdict(dict, {tool: dict(forms) for tool, forms in known.items()})
    tasks = {history.index: history.task for history in histories}
    stated = stated_effects(episodes, by_tool(histories))
    for tool, seen in by_tool(histories).items():
        function = defined.get(tool.partition("[")[0], {})
        never_null = _never_null(function)
        names = {name for one in seen for name in one.arguments}
        names |= declared_defaults(function).keys() | never_null
        for name in sorted(names - out[tool].keys()):
            form = _default(name, seen, tasks, function)
            form = form or (_NULL if name in never_null else None)
            learnt = form is not None and form.says not in {DECLARED, NOT_NULL}
            # An argument of a look narrows what it looks for: that leaving it out finds the same says little.
            if learnt and stated[tool] <= 0:
                continue
            if form is not None and not (learnt and _is_shown(form, name, seen, histories)):
                out[tool][name] = IdlePart(form=form, always=False)
                for one in seen:
                    given = one.arguments.items()
                    one.put_arguments({n: v for n, v in given if n != name or not is_idle(form, v)})
    return {tool: forms for tool, forms in out.items() if forms}


def _default(
    name: str, seen: Sequence[Observation], tasks: Mapping[int, str], function: Mapping[str, Json]
) -> ValueForm | None:
    """What calls without an argument are answered like: those with one value, or with any text."""
    bare = lists_by_key((one.key, one) for one in seen if name not in one.arguments)
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


def _never_null(function: Mapping[str, Json]) -> frozenset[str]:
    """Arguments that a definition does not require, and declares to be no null."""
    root = parameters_of(function)
    kinds = {name: types_of(one, root) for name, one in properties_of(function).items()}
    required = root.get("required")
    needed = required if isinstance(required, list) else []
    return frozenset(n for n, kind in kinds.items() if kind and "null" not in kind) - set(needed)


def _is_shown(
    form: ValueForm, name: str, seen: Sequence[Observation], histories: Sequence[History]
) -> bool:
    """Whether some result shows the default, or one of the texts: then it says something of a record."""
    given = [form.value] if form.kind == DEFAULT else [o.arguments.get(name, "") for o in seen]
    values = set(filter(None, map(value_text, given)))
    return any(
        value in told
        for one in every_call(histories)
        if (told := one.content.casefold())
        for value in values
    )


def _with_carried(
    histories: Sequence[History],
    episodes: Sequence[CleanEpisode],
    rows: Mapping[str, Rows],
    known: Mapping[str, ValueForm],
    tools: int,
) -> dict[str, ValueForm]:
    """Those known, and what an episode gives to most tools without an answer hanging on it: its session, a token, a tenant, a language."""
    fits = {
        name: _carried_form(mine)
        for name, mine in sorted(rows.items())
        if name not in known and (_is_own(mine) or _differ(mine) or _take_it(mine, tools))
    }
    shown = _shown_words(histories, episodes) if fits else {}
    fits = {name: form for name, form in fits.items() if not _is_given(rows[name], shown)}
    usual = {name for name in fits if _take_it(rows[name], tools)}
    carried = {name for name in usual if _is_own(rows[name]) or _differ(rows[name])}
    signs = [name for name in fits.keys() - usual if _are_signs(rows[name])]
    found = dict(known)
    # What an episode gives goes together; of a switch that most tools take in some calls nothing says with what.
    for names in (carried, *({name} for name in sorted([*signs, *usual - carried]))):
        found |= {
            name: fits[name]
            for name in names
            if fits[name].kind == DEFAULT
            or _are_answered_alike(histories, rows[name], name, found.keys() | names)
        }
    return found


def _differ(rows: Rows) -> bool:
    """Whether nearly every call has a value of its own."""
    return len({stable(value) for _, value in rows}) >= NEARLY_ALWAYS * len(rows)


def _take_it(rows: Rows, tools: int) -> bool:
    """Whether most tools take an argument."""
    taking = len({seen.tool for seen, _ in rows})
    return taking >= MIN_TOOLS and taking * 2 >= tools


def _are_signs(rows: Rows) -> bool:
    """Whether they are times, or random signs that no other episode gives again: nothing that a tool could be asked for in other words."""
    texts = [value for _, value in rows if isinstance(value, str)]
    if len(texts) < len(rows) or _comes_again(rows):
        return False
    drawn = min(map(len, texts)) >= MIN_LENGTH and roomy_format(sorted(set(texts))) is not None
    return drawn or all(read_time(text) is not None for text in texts)


def _is_own(rows: Rows) -> bool:
    """Whether an episode gives one value, in nearly every one."""
    own = sets_by_key((seen.episode, stable(value)) for seen, value in rows)
    several = sum(len(values) > 1 for values in own.values())
    return several <= len(own) * (1 - NEARLY_ALWAYS)


def _comes_again(rows: Rows) -> bool:
    """Whether other episodes give values again, more than by accident: a customer comes again, a session does not."""
    episodes = sets_by_key((stable(value), seen.episode) for seen, value in rows)
    again = sum(len(found) > 1 for found in episodes.values())
    return again > HARDLY_EVER * len(episodes)


def _carried_form(rows: Rows) -> ValueForm:
    if len({stable(value) for _, value in rows}) == 1:
        return ValueForm(kind=DEFAULT, value=rows[0][1], says="the same in every call")
    # Only its type is kept: the value may be somebody's token.
    kinds: dict[type, Json] = {dict: {}, list: [], str: "", bool: False}
    empty = kinds.get(type(rows[0][1]), 0)
    return ValueForm(
        kind="any", value=empty, says="what a session gives to every tool", seen=len(rows)
    )


def _shown_words(
    histories: Sequence[History], episodes: Sequence[CleanEpisode]
) -> Mapping[int, str]:
    """By episode, all that users said and tools returned."""
    said = _words_by_episode(histories, episodes, lambda step: step.role == "user")
    return {
        history.index: "\n".join(
            (said[history.index], *(seen.content for seen in history.observations))
        )
        for history in histories
    }


def _words_by_episode(
    histories: Sequence[History],
    episodes: Sequence[CleanEpisode],
    counts: Callable[[CleanStep], bool],
) -> Mapping[int, str]:
    """By episode, the words of all messages that count."""
    texts = {
        episode.episode_id: "\n".join(step.content or "" for step in episode.steps if counts(step))
        for episode in episodes
    }
    return {history.index: texts.get(history.episode_id, "") for history in histories}


def _is_given(rows: Rows, shown: Mapping[int, str]) -> bool:
    """Whether users say, or results show, the names that stand in the values."""
    texts = [
        (seen, text) for seen, value in rows for text in map(str, leaves(value)) if is_name(text)
    ]
    return sum(text in shown[seen.episode] for seen, text in texts) > len(texts) * (
        1 - NEARLY_ALWAYS
    )


def _are_answered_alike(
    histories: Sequence[History], rows: Rows, name: str, idle: Collection[str]
) -> bool:
    """Whether calls that differ in idle arguments alone, after pasts that do, are answered alike: of most tools, and of none seldom.

    Numbers and times may differ, unless the argument may name a customer. Calls of one subject decide where there are enough.
    """
    told = str if _comes_again(rows) else shape_of
    silent = {tool for tool, mine in _rows_by_tool(rows).items() if not _is_repeated(mine)}

    def key(seen: Observation) -> str:
        return stable({n: v for n, v in seen.arguments.items() if n not in idle})

    for anybody in (False, True):
        every = _pairs_alike(histories, name, Pasts(histories, key, anybody=anybody), told)
        alike = {tool: counts for tool, counts in every.items() if tool in silent}
        total = sum(alike.values(), Counter[bool]())
        if total.total() >= MIN_PAIRS:
            odd = (c for c in alike.values() if c[False] >= max(SEEN_THRICE, c[True] + 1))
            return not any(odd) and accept_counts(total, least=MIN_PAIRS, share=MOSTLY)
    return False


def _pairs_alike(
    histories: Sequence[History], name: str, pasts: Pasts, told: Callable[[str], str]
) -> Mapping[str, Counter[bool]]:
    """By tool, how many calls with another value of one argument were answered alike, and how many were not."""
    alike: dict[str, Counter[bool]] = defaultdict(Counter)
    for before, seen, ought in pasts.pairs(every_call(histories)):
        if ought and before.arguments.get(name) != seen.arguments.get(name):
            alike[seen.tool][told(before.content) == told(seen.content)] += 1
    return alike


def _by_name(histories: Sequence[History]) -> Mapping[str, Rows]:
    out = lists_by_key(
        (name, (seen, value))
        for seen in every_call(histories)
        for name, value in seen.arguments.items()
    )
    return {
        name: rows
        for name, rows in out.items()
        if len({seen.episode for seen, _ in rows}) >= MIN_SEEN
    }


def _count_told(
    histories: Sequence[History], episodes: Sequence[CleanEpisode], rows: Mapping[str, Rows]
) -> dict[str, int]:
    """How many values of each argument somebody told the agent, a result shows, or another argument has."""
    names = sets_by_key(
        ((seen.episode, str(value)), name) for name, mine in rows.items() for seen, value in mine
    )
    texts = _words_by_episode(histories, episodes, lambda step: step.role != "assistant")
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
    drawn = format_of_drawn(texts) if told == 0 and texts != sorted(texts) else None
    if drawn is not None:
        return ValueForm(kind="key", slots=drawn.slots, says="a key that the agent draws")
    words = all(is_name(text) and " " not in text for text in texts)
    if told == 0 and words and len(set(texts)) == len(texts):
        return ValueForm(kind="key", says="a key that the agent makes up for one call")
    if not _take_it(rows, tools) or not _varies(texts):
        return None
    return ValueForm(kind="text", says="free text beside what is asked")


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
