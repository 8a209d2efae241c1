"""A constructed attempt: the actions that would have resolved a request which nobody resolved.

In: a plan (`synth.solutions.constructed_ends`) and the failed attempt it is for. Out: actions in OpenAI shape, and the turn in
which the task's user agrees. They are run in the world like recorded ones, so the gate attacks them alike. Not here:
whether the plan is right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import Call, Json
from environments.runtime.task.candidate import Action
from environments.runtime.task.task import UserTurn
from environments.runtime.values.consent import agrees
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import asks
from synth.recordings.tool_kinds import ACT, READ, WRITE, ToolKinds
from synth.solutions.fillers.borrowed_turns import without_numbers
from synth.solutions.plans import Plan, Step

BY: Final = "constructed"
"""Who says that a constructed attempt is resolved: a rule, with the share of resolved episodes it was right about."""
MOST_READS: Final = 12
CONSENT: Final = "Yes, please go ahead."


def actions_of(plan: Plan, failed: Facts, kinds: ToolKinds) -> tuple[Action, ...]:
    """Look up, ask, change, tell."""
    steps = [step for step in _looked_up(failed, kinds) if step.tool in plan.looks]
    known = set(map(_key, steps))
    steps += [read for read in plan.reads if read.tool in plan.looks and _key(read) not in known]
    actions = [_call(step, number) for number, step in enumerate(steps[:MOST_READS])]
    changes = [step for step in plan.steps if kinds.tools[step.tool].kind != ACT]
    if changes:
        actions.append({"role": "assistant", "content": question(plan, kinds)})
    actions += [_call(step, MOST_READS + n) for n, step in enumerate(plan.steps)]
    return (*actions, *({"role": "assistant", "content": said} for said in _closing(plan)))


def _closing(plan: Plan) -> list[str]:
    """What is said last; after a change, the user may bring up their question only then."""
    answer = [f"The answer is {', '.join(map(_value_text, plan.told))}."] if plan.told else []
    return (
        ["That is done now. Is there anything else?", *answer]
        if plan.steps and answer
        else (answer or ["That is done now."])
    )


def question(plan: Plan, kinds: ToolKinds) -> str:
    """The changes, read back, with the question whether to make them."""
    changes = [step for step in plan.steps if kinds.tools[step.tool].kind != ACT]
    lines = "; ".join(
        f"{step.tool.replace('_', ' ')}: {', '.join(map(_value_text, step.arguments.values()))}"
        for step in changes
    )
    return f"This will be changed: {lines}. Shall I go ahead (yes/no)?"


def consent_to(plan: Plan, failed: Facts, kinds: ToolKinds) -> UserTurn | None:
    """The turn in which the task's user agrees, where the recorded one was never asked: as an alike user did."""
    if not any(kinds.tools[step.tool].kind != ACT for step in plan.steps):
        return None
    if _agreement(failed) is not None:
        return None
    asked, said = _agreement(plan.like) or (question(plan, kinds), CONSENT)
    return UserTurn(text=said, asked=without_numbers(asked))


def asked_after(failed: Facts, kinds: ToolKinds, *, changes: int = 1) -> tuple[int, ...]:
    """How many turns after the opening a user who was never asked had taken, each time that the question was due.

    Before every change that was tried unasked, refused ones too: the user agrees again to what takes its place. Without
    one, before the last turn if nothing was called after it, once for each of the `changes` to be made.
    """
    attempt = failed.recorded.attempt
    users = [i for i, m in enumerate(attempt.messages) if m.get("role") == "user"]
    turns = [i for i in users if i >= attempt.opening]
    writes = [c.message for c in attempt.calls if _changes(c, kinds)]
    if writes:
        return tuple(sum(i < write for i in turns) for write in writes)
    called = max((c.message for c in attempt.calls), default=-1)
    return (len(turns) - 1 if turns and turns[-1] > called else len(turns),) * changes


def _changes(call: Call, kinds: ToolKinds) -> bool:
    tool = kinds.tools.get(call.name)
    return tool is not None and tool.kind == WRITE


def _agreement(attempt: Facts) -> tuple[str, str] | None:
    """The question that the user agreed to, and what they said."""
    messages = attempt.recorded.attempt.messages
    for index, answer in enumerate(messages[1:]):
        said = text_of(answer)
        if asks(messages[index]) and answer.get("role") == "user" and agrees(said):
            return text_of(messages[index]), said
    return None


def _looked_up(failed: Facts, kinds: ToolKinds) -> Iterable[Step]:
    seen: set[str] = set()
    for call in failed.recorded.attempt.calls:
        tool = kinds.tools.get(call.name)
        step = Step(tool=call.name, arguments=call.arguments)
        if tool is not None and tool.kind == READ and not call.result.is_error:
            if _key(step) not in seen:
                yield step
            seen.add(_key(step))


def _call(step: Step, number: int) -> Action:
    arguments: Json = json.dumps(dict(step.arguments), ensure_ascii=False)
    function: dict[str, Json] = {"name": step.tool, "arguments": arguments}
    call: Json = {"id": f"made_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _key(step: Step) -> str:
    return step.tool + json.dumps(dict(step.arguments), sort_keys=True)


def _value_text(value: Json) -> str:
    if isinstance(value, float):
        return f"{value:.2f}" if value != int(value) else str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
