"""A hand-made counter world with three parcels, and the gate over tasks in it: what several test modules talk about. Not a test module."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import (
    DERIVED,
    UNKNOWN,
    AnsweredCall,
    Attempt,
    Effect,
    EndState,
    Event,
    Json,
    ToolResult,
)
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.task.task import Task
from environments.verification.probe import calls, says
from environments.verify import Verification, verify

KNOWN = ("P1", "P2", "P3")


@dataclass
class Shelf:
    """A backend of three parcels with a state each; other parcels are unknown to everybody."""

    state: dict[str, Json] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    unknown: bool = False

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The answer; every call means what it says."""
        return AnsweredCall(self.call(name, arguments))

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Reads, sets or hands over."""
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        parcel = str(arguments.get("parcel"))
        if name == "hand_over":
            self.events.append(Event(tool=name, arguments="{}", kind="act"))
            return ToolResult(content="ok", source=DERIVED)
        if parcel not in KNOWN:
            self.unknown = self.unknown or name == "put"
            return ToolResult(content="nobody knows", source=UNKNOWN)
        if name == "put":
            self.state[parcel] = arguments.get("to")
        return ToolResult(content=json.dumps({"parcel": parcel, "fee": 54.04}), source=DERIVED)

    def end_state(self) -> EndState:
        """The parcels that were set."""
        return EndState(
            effects=tuple(
                Effect(entity="parcel", key=k, field="to", before=None, after=v)
                for k, v in sorted(self.state.items())
            ),
            events=tuple(self.events),
            unknown=("*",) if self.unknown else (),
        )


class World:
    """Makes shelves."""

    def session(self, start: Mapping[str, Json], *, started_at: int) -> Shelf:
        """A fresh shelf, whenever it is."""
        assert started_at >= 0
        assert not start
        return Shelf()


def tool(name: str, *names: str) -> dict[str, Json]:
    """A tool definition."""
    properties: dict[str, Json] = {n: {"type": "string"} for n in names}
    parameters: Json = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TASK = Task(
    task_id="t1",
    app="post",
    opening=(
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Send it to B."},
    ),
    tools=(tool("get", "parcel"), tool("put", "parcel", "to"), tool("hand_over")),
    world="post",
    terminal_tools=("hand_over",),
)
WRITE = ("put", canonical_arguments({"parcel": "P1", "to": "B"}))


def put(parcel: str = "P1", to: str = "B", *, number: int = 1) -> Action:
    """An action that sets a parcel's destination."""
    return calls("put", json.dumps({"parcel": parcel, "to": to}), number=number)


GET = calls("get", '{"parcel": "P1"}')
GOOD = (GET, put(), says("It goes to B."))


def end_check(*writes: tuple[str, str], **more: Json) -> Check:
    """Accept the end that these writes lead to."""
    rows: list[Json] = [[name, arguments, 1] for name, arguments in writes]
    end: dict[str, Json] = {"id": "e1", "writes": rows, **more}
    args: dict[str, Json] = {"ends": [end], "writes": ["put"]}
    return Check(
        check_id="end_state", fn="end_state", args=args, required=True, positive=bool(writes)
    )


def candidate(
    *checks: Check, solution: Sequence[Action] = GOOD, task: Task = TASK, **more: object
) -> Candidate:
    """A candidate with these checks."""
    rubric = Rubric(task_id=task.task_id, checks=checks)
    return Candidate(task=task, rubric=rubric, solution=tuple(solution), **more)  # type: ignore[arg-type]  # test shorthand


def other() -> Candidate:
    """Another task of the same app, with a solution of its own."""
    arguments = canonical_arguments({"parcel": "P2", "to": "C"})
    solution = (calls("get", '{"parcel": "P2"}'), put("P2", "C"), says("Done."))
    return candidate(
        end_check(("put", arguments)), solution=solution, task=replace(TASK, task_id="t2")
    )


def run(task: Task, actions: Sequence[Action]) -> Attempt:
    """Run actions on a fresh shelf."""
    return run_actions(task, World(), actions)


def gate(one: Candidate) -> Verification:
    """Verify one candidate beside another."""
    return verify(one, others=[one, other()], run=run)


def paid(found: Verification) -> set[str]:
    """Names of the probes that earned what they must not."""
    return {probe.name for probe in found.probes if not probe.passed}


EFFECTS: Json = [["parcel", "P1", "to", '"b"']]
