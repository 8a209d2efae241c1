"""Whether somebody else could solve a task: each value that its solution needs is one that a policy can know.

In: a candidate (its calls by what they mean), its good run, how the app's tasks give each argument, and a grader of actions. Out: the
reasons against it, one per tool and path. A value that nothing in the good run tells may still be told by another look; one that
the task pays without is not needed. Not here: what counts as told (`knowable`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action
from environments.verification.constant import said_texts
from environments.verification.knowable import (
    Granted,
    Habits,
    OtherRuns,
    Path,
    Untold,
    untold_values,
)
from environments.verification.material import Material, planned_calls
from environments.verification.mutants import replaced, without_call
from environments.verification.probe import calls

NOT_KNOWABLE: Final = "not_knowable"
"""Reason: nothing tells a value that the solution needs."""
MOST_TRIES: Final = 12
"""Values of one task of which it is tried whether they are needed."""
MOST_ATTEMPTS: Final = 6
"""Other attempts at the task whose looks count."""
MOST_LOOKS: Final = 400
"""Looks that are tried for what the user names, and as many of other tasks."""
LONGEST_NAME: Final = 4
"""Words of a name."""
AROUND: Final = re.compile(
    r"^[\"'`\u2018-\u201f\u00ab\u00bb\u3008-\u3011(\[{]+|[\"'`\u2018-\u201f\u00ab\u00bb\u3008-\u3011)\]},.;:!?]+$"
)
"""Quotes, brackets and stops around a word."""
OWNER: Final = re.compile(r"['\u2019]s$")

Looker = Callable[[Sequence[Action]], Attempt]
"""Makes calls in the task's world without the task's limits."""
Grader = Callable[[Sequence[Action]], tuple[Attempt, float | None]]
"""Makes an attempt of actions; the attempt and its reward come back."""


def not_knowable(material: Material, habits: Habits, grade: Grader, look: Looker) -> list[str]:
    """The reasons against a candidate, sorted; empty where a policy can know all that the solution needs."""
    task = material.candidate.task
    granted: set[Granted] = set()
    free = material.free_text
    if not untold_values(task, material.good, habits, own_words=free):
        return []
    tried = [a.actions for a in material.candidate.attempts if a.actions][:MOST_ATTEMPTS]
    beside = OtherRuns(tuple(grade(one)[0] for one in tried), (look(_looks(material)),))
    actions, run = material.candidate.solution, material.good
    found: set[str] = set()
    for _ in range(MOST_TRIES):
        left = untold_values(task, run, habits, beside=beside, granted=granted, own_words=free)
        if not left:
            break
        one = left[0]
        shorter = _without_call_of(actions, run, one)
        attempt, reward = grade(shorter)
        if reward == 1.0:
            actions, run = shorter, attempt
            continue
        if grade(_with_other_value(actions, run, one))[1] == 1.0:
            granted.add(one.grant_at_place)
        else:
            found.add(f"{NOT_KNOWABLE}:{one.tool_and_path}")
            granted.add(one.grant_anywhere)
    return sorted(found)


def _looks(material: Material) -> tuple[Action, ...]:
    """Looks that a policy may take besides: those of the app's other tasks, and each tool asked for what the user names."""
    left_out = material.changing | set(material.candidate.task.last_tools)
    known = [*material.planned, *material.foreign]
    others = [c for c in material.foreign if c.name not in left_out]
    tools = {c.name: c for c in known if c.name not in left_out}
    asked = [(c.name, c.arguments) for c in others[:MOST_LOOKS]]
    runs = list(_naming_runs(material))
    for name, call in sorted(tools.items()):
        words = [key for key, value in sorted(call.parsed.items()) if isinstance(value, str)]
        fitting = (run for run in runs if len(words) == 1 or len(run) == len(words))
        for run in list(fitting)[: MOST_LOOKS // len(tools)] if words else ():
            given = [" ".join(run)] if len(words) == 1 else run
            filled: dict[str, Json] = {**call.parsed, **dict(zip(words, given, strict=True))}
            asked.append((name, json.dumps(filled, ensure_ascii=False)))
    return tuple(calls(name, text, number=n) for n, (name, text) in enumerate(asked))


def _naming_runs(material: Material) -> Iterator[tuple[str, ...]]:
    """Runs of the user's words that may name something: those with capitals, digits or in quotes first."""
    found: dict[tuple[str, ...], None] = {}
    for text in said_texts(material):
        words = [OWNER.sub("", AROUND.sub("", word)) for word in text.split()]
        for length in range(1, LONGEST_NAME + 1):
            for start in range(len(words) - length + 1):
                run = tuple(words[start : start + length])
                if run[0] and run[-1]:
                    found.setdefault(run)
    yield from sorted(found, key=_is_plain)


def _is_plain(run: tuple[str, ...]) -> bool:
    """Whether words begin and end without a capital or a digit."""
    return not any(word[:1].isupper() or word[:1].isdigit() for word in (run[0], run[-1]))


def _without_call_of(actions: Sequence[Action], run: Attempt, one: Untold) -> tuple[Action, ...]:
    """The actions without the call that has the value."""
    planned = planned_calls(actions)
    at = _position(run, one)
    return without_call(actions, planned[at]) if at < len(planned) else tuple(actions)


def _with_other_value(actions: Sequence[Action], run: Attempt, one: Untold) -> tuple[Action, ...]:
    """The actions with another value in its place."""
    planned = planned_calls(actions)
    at = _position(run, one)
    if at >= len(planned):
        return tuple(actions)
    call = planned[at]
    return replaced(actions, call, json.dumps(_put(dict(call.parsed), one.path, one.value)))


def _position(run: Attempt, one: Untold) -> int:
    """Which of the policy's calls it is: the user may have made some between."""
    return sum(not call.by_user for call in run.calls[: one.call])


def _put(value: Json, path: Path, old: Json) -> Json:
    """The value with another leaf wherever the old one stands at the path."""
    if not path:
        return _other_value(value) if value == old else value
    name, rest = path[0], path[1:]
    if name == "*" and isinstance(value, list):
        return [_put(item, rest, old) for item in value]
    if isinstance(value, dict) and name in value:
        return {**value, name: _put(value[name], rest, old)}
    return value


def _other_value(value: Json) -> Json:
    """Another value of the same shape: other digits, else another order."""
    if isinstance(value, str):
        turned = "".join(
            str((int(c) + 3) % 10) if c.isascii() and c.isdigit() else c for c in value
        )
        return turned if turned != value else f"{value[::-1]}x"
    return value + 7 if isinstance(value, int | float) else value
