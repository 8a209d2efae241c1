"""What the TRL export's own code does with arguments that Python or TRL's schema changes on their way."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from environments.export.registry import FORMATS
from environments.export.taskset import write_task_set
from environments.runtime.task.attempt import Json
from tests.consumer_venv import sh
from tests.environments_shop import entry, world

ORDER = "order-id"
"""What this shop calls the order: nothing that Python takes as an argument."""
DRIVER = """
import json, sys
from odd import ENVIRONMENTS, reward

environment = next(iter(ENVIRONMENTS.values()))()
environment.reset(task_id="task1")
completion = []
for name, arguments in json.loads(sys.argv[1]):
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    completion.append({"role": "assistant", "content": "", "tool_calls": [call]})
    completion.append({"role": "tool", "name": name, "content": getattr(environment, name)(**arguments)})
seen = [message["content"] for message in completion if message["role"] == "tool"]
print(json.dumps({"seen": seen, "paid": reward([completion], ["task1"])}))
"""


def odd(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """A value of the shop with its odd argument's name."""
    return json.loads(json.dumps(value).replace("order_id", ORDER))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop with the odd argument, and one that may be left out, exported for TRL."""
    folder = tmp_path_factory.mktemp("odd")
    plain = entry(1)
    tools: list[dict[str, Json]] = odd(plain.task.tools)
    for tool in tools:
        parameters: Any = tool["function"]["parameters"]  # type: ignore[call-overload,index]  # a definition
        parameters["properties"]["note"] = {"type": "string"}
    checks = tuple(replace(check, args=odd(dict(check.args))) for check in plain.rubric.checks)
    changed = replace(
        plain,
        task=replace(plain.task, tools=tuple(tools)),
        rubric=replace(plain.rubric, checks=checks),
        solution=tuple(odd(dict(action)) for action in plain.solution),
    )
    write_task_set(folder / "set", [changed], {"shop": odd(world())}, provenance={"name": "odd"})
    FORMATS["trl"].write(folder / "set", folder / "out", name="odd")
    return folder / "out"


def played(package: Path, extra: dict[str, Json]) -> dict[str, Any]:
    """What a policy sees and earns that cancels the order as TRL lets it."""
    given = {"argument_2": "o1", **extra}  # the second in the order of the alphabet
    calls = [
        ("talk_to_user", {"message": "Which order is it?"}),
        ("get_order", given),
        ("cancel_order", given),
        ("talk_to_user", {"message": "It is cancelled. Anything else?"}),
    ]
    path = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
    output = sh(sys.executable, "-c", DRIVER, json.dumps(calls), cwd=package, PYTHONPATH=path)
    found: dict[str, Any] = json.loads(output)
    return found


@pytest.mark.parametrize("extra", [{}, {"note": None}], ids=["left out", "null"])
def test_what_was_answered_is_what_is_paid(package: Path, extra: dict[str, Json]) -> None:
    """Names that Python does not take, and nulls that stand for nothing, are the same for the tools and for the reward."""
    found = played(package, extra)
    assert json.loads(found["seen"][1])[ORDER] == "o1"
    assert found["paid"] == [1.0]
