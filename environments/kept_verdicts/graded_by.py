"""What grading reads of a task and its rubric: of tables about the whole app, only what they say of tools that a run has to do with.

In: a candidate. Out: what any grading of it reads, and what grading a run of some actions reads besides. Each new day moves
the tables of an app (a tool is now taken to succeed, or to leave no trace), and every rubric holds them. Not here: the results.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Final

from environments.runtime.checks.ends.prediction import HARDLY, MOSTLY
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import Check
from environments.runtime.task.task import Task
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import as_list
from environments.verification.material import planned_calls

REFUSALS: Final = "refusals"
"""An argument of checks: how often each tool refuses in the whole app, which each new day moves; only whether it is rarely or mostly counts."""
TABLES: Final = (
    *("writes", "maybe", "silent", "takes", "lasting", "dirty", "once", "again"),
    *("ignore", REFUSALS),
)
"""Arguments of a check on the end that say something of each tool of the app: asked of tools that are called, or named in an end."""
COMPARES_ENDS: Final = "end_state"


class GradedBy:
    """The rubric of one candidate as graders read it."""

    def __init__(self, one: Candidate) -> None:
        by_user = {call.name for turn in one.task.user for call in turn.calls}
        checks: list[Json] = []
        self._tables: list[tuple[dict[str, Json], set[str]]] = []
        """Those of each check on the end, with the tools that every run has to do with."""
        for check in one.rubric.checks:
            args = _args_as_read(check)
            if check.fn == COMPARES_ENDS:
                tables: dict[str, Json] = {n: args.pop(n) for n in TABLES if n in args}
                self._tables.append(
                    (tables, by_user.union(one for one in leaves(args) if isinstance(one, str)))
                )
            checks.append(_check_content(check, args))
        self._whole = bool(one.task.dispatched)
        self.always: list[Json] = [task_as_read(one.task), checks]
        """What grading any run reads."""

    def grading_inputs(self, actions: Sequence[Action]) -> list[Json]:
        """What grading a run of some actions reads besides."""
        if self._whole:
            return [tables for tables, _ in self._tables]
        called = {call.name for call in planned_calls(actions)}
        return [_rows_of_tools(tables, called | always) for tables, always in self._tables]


def _rows_of_tools(tables: dict[str, Json], tools: set[str]) -> dict[str, Json]:
    """What some tables say of some tools; a list that names none of them is like none."""
    found: dict[str, Json] = {}
    for name, table in tables.items():
        if isinstance(table, dict):
            found[name] = {tool: table[tool] for tool in sorted(table) if tool in tools}
        elif named := sorted(tools.intersection(map(str, as_list(table)))):
            found[name] = list[Json](named)
    return found


def task_as_read(task: Task) -> Json:
    """A task without where it comes from."""
    found = task.to_json()
    del found["provenance"]
    return found


def check_as_read(check: Check) -> Json:
    """A check without how often outcomes bore it out."""
    found = check.to_json()
    del found["support"], found["counter"]
    return {**found, "args": _args_as_read(check)}


def _check_content(check: Check, args: dict[str, Json]) -> Json:
    """A check with these arguments, without its sentence and where it comes from."""
    found = check.to_json()
    for name in ("support", "counter", "says", "origin"):
        del found[name]
    return {**found, "args": args}


def _args_as_read(check: Check) -> dict[str, Json]:
    shares = check.args.get(REFUSALS)
    if not isinstance(shares, dict):
        return dict(check.args)
    bands: dict[str, Json] = {
        tool: [share <= HARDLY, share > MOSTLY] if isinstance(share, int | float) else share
        for tool, share in shares.items()
    }
    return {**check.args, REFUSALS: bands}


def digest(value: object) -> str:
    """Equal for equal values."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
