"""Examples: for each call of a tool, what was there before it and what came of it.

Comes from replaying every episode in the world learnt so far, following the recording; goes to `effects` and `guards`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from environments.runtime.expr.evaluate import build
from environments.runtime.expr.gaps import MISSING, UNKNOWN, Gap, is_unknown
from environments.runtime.expr.scope import FUEL, Expr, Scope, Tree
from environments.runtime.task.attempt import Json
from environments.runtime.world.session import Session
from environments.runtime.world.state import ONLY
from environments.runtime.world.world import World
from synth.world.influence.writers import place_of
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import Observation


@dataclass(slots=True, kw_only=True)
class Example:
    """One call with the state it met."""

    seen: Observation
    refused: bool
    before: Session
    """A copy of the session just before the call."""
    old: Json = None
    """The row that the call is about, before it; None where it is not known or not there."""
    later: dict[tuple[str, str], Json] = field(default_factory=dict)
    """Rows as next seen after the call, before any other call that may have changed them."""
    since: list[ToolModel] = field(default_factory=list)
    """Tools of later calls that may have changed something."""
    task: str = ""

    def scope(self, old: Json = None) -> Scope:
        """What a tree sees in this example."""
        state = self.before.state
        arg: Json = dict(self.seen.arguments)
        scope = Scope(arg, self.old if old is None else old, row=state.lookup, last=state.last_row)
        scope.sent = self.seen.sent
        return scope


def evaluate(tree: Tree, scopes: list[Scope]) -> list[Any]:
    """A tree's value in every scope, `MISSING` or `UNKNOWN` where it has none."""
    find = build(tree)
    return [_value(find, scope) for scope in scopes]


def _value(find: Expr, scope: Scope) -> Any:
    scope.fuel = FUEL  # one scope is asked thousands of times here, once at run time
    value = find(scope)
    return UNKNOWN if is_unknown(value) else value


def value_in(tree: Tree, scope: Scope) -> Any:
    """The same in one scope."""
    return evaluate(tree, [scope])[0]


def has_value(value: Any) -> bool:
    """Whether a tree gave a value, not `MISSING` or `UNKNOWN`."""
    return value is not MISSING and value is not UNKNOWN


def held_if_known(values: Iterable[Any]) -> bool:
    """Whether a condition was true wherever its value is known."""
    return all(v is True or v is UNKNOWN for v in values)


def is_broken(value: Any) -> bool:
    """Whether a condition's value says that it does not hold."""
    return value is False or value is MISSING


def holding_values(tree: Tree, scopes: list[Scope], successes: int) -> list[Any] | None:
    """`evaluate` of a condition; None as soon as one of the first scopes, which are successes, breaks it."""
    find = build(tree)
    out: list[Any] = []
    for at, scope in enumerate(scopes):
        value = _value(find, scope)
        if at < successes and is_broken(value):
            return None
        out.append(value)
    return out


def collect(bench: Workbench, world: World) -> dict[str, list[Example]]:
    """Examples of every tool that may change something."""
    out: dict[str, list[Example]] = {}
    for history in bench.histories:
        session = world.session(caller=history.caller)
        open_examples: list[Example] = []
        for seen in history.observations:
            tool = bench.tools[seen.tool]
            place = place_of(tool, seen)
            if place is not None and tool.innocent:
                _note_later(open_examples, place, seen.value)
            if not tool.innocent:
                example = Example(
                    seen=seen,
                    refused=refused(tool, seen),
                    before=session.fork(),
                    task=history.task,
                )
                example.old = _row_before(bench, example)
                out.setdefault(seen.tool, []).append(example)
                if not example.refused:
                    _close(open_examples, seen, tool)
                    open_examples.append(example)
            session.observe(seen.tool, seen.arguments, seen.content)
    return out


def _note_later(open_examples: list[Example], place: tuple[str, str], value: Json) -> None:
    for example in open_examples:
        # Of the one record of a table no name says that a later call was about it as well.
        if place[1] != ONLY or all(place[0] in tool.settled for tool in example.since):
            example.later.setdefault(place, value)


def _close(open_examples: list[Example], seen: Observation, tool: ToolModel) -> None:
    """A later call that shares a name makes what is seen after it no evidence for the earlier one."""
    open_examples[:] = [e for e in open_examples if e.seen.names.isdisjoint(seen.names)]
    for example in open_examples:
        example.since.append(tool)


def _row_before(bench: Workbench, example: Example) -> Json:
    tool = bench.tools[example.seen.tool]
    names = tool.key_arguments
    if tool.table is None or names is None or not tool.evidence.get("shows"):
        return None
    row = example.before.state.row((tool.table, example.seen.key_of(names)), ())
    known: Json = None if type(row) is Gap else row
    return known
