"""Mutants of the good attempt: nearly right, so they must score below it; and other routes to its end, worth the same.

In: the material of one candidate. Out: probes. Whether a mutant's end is an accepted one is computed in the world
before it is held against a rubric. Not here: policies that never tried (`attacks`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action, RecordedAttempt
from environments.runtime.values.normal import as_list, as_object
from environments.verification.material import Material, PlannedCall
from environments.verification.probe import BELOW, ONE, Probe, calls, says

FIGURE: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|[\w.#:,/+-]*\d[\w.#:,/+-]*"
)
"""A word with a digit, or an e-mail address."""
MOST: Final = 4
"""Writes of one solution that are mutated; more show nothing new."""


def mutants(material: Material) -> Iterator[Probe]:
    """All mutants of one candidate's good attempt."""
    solution = material.candidate.solution
    for number, write in enumerate(material.writes[:MOST], 1):
        yield Probe(
            name=f"drops_write_{number}", actions=without_call(solution, write), expected=BELOW
        )
        yield Probe(
            name=f"repeats_write_{number}", actions=_repeated(solution, write), expected=BELOW
        )
        for name, text in one_argument_changed(material, write):
            actions = replaced(solution, write, text)
            yield Probe(name=f"changes_{number}_{name}", actions=actions, expected=BELOW)
    if material.writes:
        last = material.writes[-1]
        stopped = (
            *solution[: last.action],
            says("Is there anything else I can help you with?"),
        )
        yield Probe(name="stops_before_last_write", actions=stopped, expected=BELOW)
    extra = next((c for c in material.foreign if c.name in material.changing), None)
    if extra is not None:
        actions = inserted(material, calls(extra.name, extra.arguments, number=900))
        yield Probe(name="extra_write", actions=actions, expected=BELOW)


def routes(material: Material) -> Iterator[Probe]:
    """The good attempt's effects by another route: they are worth the same, where the world ends the same."""
    solution = material.candidate.solution
    spelt = solution
    for call in material.writes:
        text = json.dumps(dict(reversed(call.parsed.items())), indent=1)
        spelt = replaced(spelt, call, text)
    if material.writes:
        yield Probe(name="same_arguments_spelt_otherwise", actions=spelt, expected=ONE)
    # A text that the agent words rests on what was shown before it: a mail that is sent before another is read makes things up.
    worded = as_object(material.end_args.get("ignore"))
    stretches: dict[int, list[PlannedCall]] = defaultdict(list)
    for c in material.writes:
        if len(_calls_of(solution[c.action])) == 1 and not as_list(worded.get(c.name)):
            # What the user agreed to in between comes after that: only changes without a word between them change places.
            said = sum(not _calls_of(action) for action in solution[: c.action])
            stretches[said].append(c)
    alone = max(stretches.values(), key=len, default=[])
    if len(alone) > 1:
        turned = list(solution)
        for one, other in zip(alone, reversed(alone), strict=True):
            turned[one.action] = solution[other.action]
        yield Probe(name="writes_in_another_order", actions=tuple(turned), expected=ONE)


def recorded_bad(attempts: Sequence[RecordedAttempt]) -> Iterator[Probe]:
    """What users called unresolved must not be paid like what they called resolved."""
    bad = [attempt for attempt in attempts if attempt.resolved is False]
    for number, attempt in enumerate(bad, 1):
        name = f"recorded_bad_{number}"
        yield Probe(name=name, actions=attempt.actions, expected=BELOW, voidable=False)


def without_call(solution: Sequence[Action], call: PlannedCall) -> tuple[Action, ...]:
    """The solution without one call."""
    kept = _calls_of(solution[call.action])
    del kept[call.position]
    changed = _with_calls(solution[call.action], kept)
    rest = () if changed is None else (changed,)
    return (*solution[: call.action], *rest, *solution[call.action + 1 :])


def _repeated(solution: Sequence[Action], call: PlannedCall) -> tuple[Action, ...]:
    again = calls(call.name, call.arguments, number=901)
    return (*solution[: call.action + 1], again, *solution[call.action + 1 :])


def replaced(solution: Sequence[Action], call: PlannedCall, text: str) -> tuple[Action, ...]:
    """The solution with another text of arguments in one call."""
    kept = _calls_of(solution[call.action])
    function = kept[call.position].get("function")
    named = dict(function) if isinstance(function, Mapping) else {}
    kept[call.position] = {**kept[call.position], "function": {**named, "arguments": text}}
    changed = _with_calls(solution[call.action], kept)
    rest = () if changed is None else (changed,)
    return (*solution[: call.action], *rest, *solution[call.action + 1 :])


def inserted(material: Material, *more: Action) -> tuple[Action, ...]:
    """The solution with more actions before a call that ends the conversation, else at the end."""
    solution = material.candidate.solution
    ending = [c for c in material.planned if c.name in material.candidate.task.last_tools]
    at = ending[0].action if ending else len(solution)
    return (*solution[:at], *more, *solution[at:])


def one_argument_changed(material: Material, call: PlannedCall) -> Iterator[tuple[str, str]]:
    """Each argument changed once, to a value that another task's call of this tool has, where there is one.

    Of several texts that the agent words itself the longest: a mail has to say what it is for, whatever stands in the line above.
    """
    parsed = call.parsed
    worded = as_list(as_object(material.end_args.get("ignore")).get(call.name))
    ignored = list(map(str, worded))
    texts = [name for name in sorted(parsed) if name in worded and isinstance(parsed[name], str)]
    longest = max(texts, key=lambda name: len(str(parsed[name])), default="")
    for name in sorted(parsed):
        other = next(
            (
                c.parsed[name]
                for c in material.foreign
                if c.name == call.name and name in c.parsed and c.parsed[name] != parsed[name]
            ),
            None,
        )
        if name in texts:
            # Another wording is no fault; another text is, and so is the same with other figures.
            false = falsified(str(parsed[name]))
            if false != parsed[name]:
                yield f"{name}_falsified", json.dumps({**parsed, name: false})
            value = other if other is not None and name == longest else parsed[name]
        else:
            value = other if other is not None else _nudged(parsed[name])
        changed = {**parsed, name: value}
        differs = canonical_arguments(changed, ignored) != canonical_arguments(parsed, ignored)
        if differs if name not in texts else value != parsed[name]:
            yield name, json.dumps(changed)


def falsified(text: str) -> str:
    """The text with every figure, date, id and e-mail address in it another one."""
    return FIGURE.sub(_other_figure, text)


def _other_figure(match: re.Match[str]) -> str:
    figure = match[0]
    if not any(map(str.isdigit, figure)):
        return f"zq.{figure}"
    # Never the same digit, and never a zero in front.
    return "".join(str(unicodedata.digit(c) % 8 + 2) if c.isdigit() else c for c in figure)


def _nudged(value: Json) -> Json:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value}X"
    return value[:-1] if isinstance(value, list) else value


def _calls_of(action: Action) -> list[dict[str, Json]]:
    return [dict(c) for c in as_list(action.get("tool_calls")) if isinstance(c, dict)]


def _with_calls(action: Action, kept: Sequence[dict[str, Json]]) -> Action | None:
    """The action with these calls; None where nothing is left of it."""
    changed = {name: value for name, value in action.items() if name != "tool_calls"}
    if kept:
        changed["tool_calls"] = list[Json](kept)
    return changed if kept or changed.get("content") else None
