"""Two versions of a task set compared: which tasks came, went and changed, and why.

In: two opened task sets. Out: a `Difference`, for people and as JSON. A task changes because of itself (opening,
tools, user, limits), its rubric, its slice of the world (the state at its start) or the world's behaviour. Equal
versions are equal tasks. Not here: opening the folders (`runtime.task.task_set`), printing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from environments.describe_check import describe
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.task.task import Task
from environments.runtime.task.task_set import PackedTask, TaskSet
from environments.runtime.task.typed import record_json
from environments.runtime.values.canonical import canonical, rubric_hash

TASK_PARTS: Final = (
    "opening",
    "tools",
    "user",
    "limits",
    "terminal_tools",
    "closing_tools",
    "started_at",
    "injected",
)
"""Parts of a task that decide a run, as `Task.to_json` names them; its start and its world are slices of the world."""
DECIDING: Final = ("fn", "args", "role", "required", "positive", "weight")


TITLE: Final = 90
"""Characters of a task's title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason why a task is another version."""

    part: str
    """`task`, `rubric`, `world slice`, `world`, `task set`."""
    what: str
    """What in it."""
    says: str
    """A sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChange:
    """One task that is in both sets in two versions."""

    task_id: str
    app: str
    title: str
    before: str
    """Its version in the first set."""
    after: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskName:
    """One task that is in one set only."""

    task_id: str
    task_version: str
    app: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What lies between two task sets."""

    before: str
    """Version of the first set."""
    after: str
    came: tuple[TaskName, ...]
    went: tuple[TaskName, ...]
    changed: tuple[TaskChange, ...]
    same: int
    """Tasks in one version in both."""
    left_out: Mapping[str, tuple[int, int]]
    """Candidates that did not come in, by reason: in the first and in the second set."""
    runtime: tuple[str, ...]
    """Files of the runtime that differ: the same task may then behave otherwise."""
    beside: tuple[str, ...]
    """Files beside the tasks that differ (card, difficulty): the version of the set is over them too."""

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values."""
        left_out: dict[str, Json] = {
            k: {"before": a, "after": b} for k, (a, b) in self.left_out.items()
        }
        return record_json(self) | {"left_out": left_out}


def diff(before: TaskSet, after: TaskSet) -> Difference:
    """Which tasks came, went and changed from one set to another, and why."""
    old = {task.task_id: task for task in before.tasks}
    new = {task.task_id: task for task in after.tasks}
    both = sorted(set(old) & set(new))
    other = [key for key in both if old[key].task_version != new[key].task_version]
    worlds = _Worlds(before, after)
    return Difference(
        before=before.manifest.task_set_version,
        after=after.manifest.task_set_version,
        came=tuple(_task_name(new[key]) for key in sorted(set(new) - set(old))),
        went=tuple(_task_name(old[key]) for key in sorted(set(old) - set(new))),
        changed=tuple(_changed_task(old[key], new[key], worlds) for key in other),
        same=len(both) - len(other),
        left_out=_left_out(before, after),
        runtime=tuple(name for name in _files(before, after) if name.startswith("runtime/")),
        beside=tuple(
            name for name in _files(before, after) if "/" not in name and name != "tasks.jsonl"
        ),
    )


def title_of(task: Task) -> str:
    """The user's first words, short."""
    return title_in(task.opening)


def title_in(messages: Iterable[Mapping[str, Any]]) -> str:
    """The user's first words of a conversation, on one line and short."""
    said = (m.get("content") for m in messages if m.get("role") == "user")
    words = " ".join(next((text for text in said if isinstance(text, str)), "").split())
    return words if len(words) <= TITLE else f"{words[: TITLE - 1]}…"


def rubric_reasons(before: Rubric, after: Rubric) -> list[Reason]:
    """What differs between two rubrics in what decides a verdict."""
    if rubric_hash(before) == rubric_hash(after):
        return []
    old = {check.check_id: check for check in before.checks}
    new = {check.check_id: check for check in after.checks}
    reasons = [_check(key, "removed", old[key]) for key in old if key not in new]
    reasons += [_check(key, "added", new[key]) for key in new if key not in old]
    for key, was in old.items():
        if key in new:
            parts = [p for p in DECIDING if getattr(was, p) != getattr(new[key], p)]
            reasons += [_check(key, f"another {part}", new[key]) for part in parts]
    return reasons or [_rubric("order", "the same checks in another order")]


def _check(key: str, what: str, check: Check) -> Reason:
    return _rubric(f"check {key} {what}", f"check {key}: {what} ({describe(check)})")


def _rubric(what: str, says: str) -> Reason:
    return Reason(part="rubric", what=what, says=says)


class _Worlds:
    """The world files of both sets, compared once."""

    def __init__(self, before: TaskSet, after: TaskSet) -> None:
        self._before = before
        self._after = after
        self._known: dict[tuple[str, str], list[Reason]] = {}

    def rubric_pair(self, task_id: str) -> tuple[Rubric, Rubric]:
        return self._before.rubric(task_id), self._after.rubric(task_id)

    def pay(self) -> list[Reason]:
        """A reason where the sets pay otherwise: one all or nothing, the other a share."""
        was, now = self._before.manifest.reward, self._after.manifest.reward
        says = f"the set pays {now!r} instead of {was!r}"
        return [] if was == now else [Reason(part="task set", what="reward", says=says)]

    def reasons(self, task_id: str) -> list[Reason]:
        one, two = self._before.entry(task_id).world, self._after.entry(task_id).world
        if self._before.manifest.files[one] == self._after.manifest.files[two]:
            return []
        if (one, two) not in self._known:
            self._known[one, two] = _world_reasons(
                _document(self._before, one), _document(self._after, two)
            )
        return self._known[one, two]


def _changed_task(old: PackedTask, new: PackedTask, worlds: _Worlds) -> TaskChange:
    before, after = old.to_json(), new.to_json()
    reasons = [
        Reason(part="task", what=part, says=f"its {part.replace('_', ' ')} changed")
        for part in TASK_PARTS
        if canonical(before.get(part)) != canonical(after.get(part))
    ]
    reasons += rubric_reasons(*worlds.rubric_pair(old.task_id))
    if canonical(before["start"]) != canonical(after["start"]):
        reasons.append(
            Reason(part="world slice", what="start", says="the state it starts from changed")
        )
    if old.world != new.world:
        reasons.append(Reason(part="world", what="name", says="another world answers its calls"))
    reasons += worlds.reasons(old.task_id)
    reasons += worlds.pay()
    return TaskChange(
        task_id=old.task_id,
        app=new.app,
        title=title_of(new),
        before=old.task_version,
        after=new.task_version,
        reasons=tuple(reasons) or (Reason(part="task", what="format", says="its format changed"),),
    )


def _world_reasons(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Reason]:
    """What differs in a world file, down to the tool or the table where the file names them."""
    reasons: list[Reason] = []
    for part in sorted(set(before) | set(after)):
        old, new = before.get(part), after.get(part)
        if canonical(old) == canonical(new):
            continue
        names = _differing(old, new)
        label = part.replace("_", " ")
        what = f"{part}: {', '.join(names)}" if names else part
        says = f"the world's {label} changed" + (f" ({_first_names(names)})" if names else "")
        reasons.append(Reason(part="world", what=what, says=says))
    return reasons


def _differing(old: object, new: object) -> list[str]:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return []
    return [
        str(k)
        for k in sorted(set(old) | set(new), key=str)
        if canonical(old.get(k)) != canonical(new.get(k))
    ]


def _first_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"


def _document(task_set: TaskSet, name: str) -> dict[str, Any]:
    found = json.loads((task_set.path / name).read_bytes())
    return found if isinstance(found, dict) else {}


def _left_out(before: TaskSet, after: TaskSet) -> dict[str, tuple[int, int]]:
    one, two = before.manifest.left_out, after.manifest.left_out
    return {k: (one.get(k, 0), two.get(k, 0)) for k in sorted(set(one) | set(two))}


def _files(before: TaskSet, after: TaskSet) -> list[str]:
    """The files that only one set has, or that differ."""
    one, two = before.manifest.files, after.manifest.files
    return sorted(name for name in {*one, *two} if one.get(name) != two.get(name))


def _task_name(task: PackedTask) -> TaskName:
    return TaskName(
        task_id=task.task_id,
        task_version=task.task_version,
        app=task.app,
        title=title_of(task),
    )
