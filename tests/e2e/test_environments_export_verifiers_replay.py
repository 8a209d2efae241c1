"""The verifiers export over the same 200 conversations as every other export, as recorded traces that its task scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consumer_replay import assert_pays_the_same, install, write_replays
from tests.consumer_venv import make_venv

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
PACKAGES = ("verifiers>=0.4,<0.5", "hatchling")
DRIVER = """
import asyncio, json, sys
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import parse_message
from verifiers.v1.trace import WireAgentConfig
from desk_tasks.taskset import ToolNames, task_set
from desk_tasks.task_set.runtime.play import outward

config = vf.resolve_env_config({"taskset": {"id": "desk_tasks"}}).taskset
tasks = {task.key: task for task in vf.load_taskset(config).load()}

def trace_of(task, messages):
    nodes = [vf.MessageNode(message=parse_message(m), parent=i - 1 if i else None,
                            sampled=m["role"] == "assistant") for i, m in enumerate(messages)]
    named = vf.TraceTask(type="ReplayTask", data=task.data, key=task.key, hash="")
    return vf.Trace(task=named, agent=vf.AgentInfo(config=WireAgentConfig()), nodes=nodes)

async def score(case):
    task = tasks[case["task_id"]]
    names = ToolNames(task_set().task(task.key).tools)
    environment = task_set().environment(task.key)
    said = [{"role": "user", "content": "The opening."}]
    for action in case["actions"]:
        if environment.stop_reason is not None:
            break
        said.append({"content": None, **outward(action, names)})
        said += [outward(m, names) for m in environment.step(action).messages]
    trace = trace_of(task, said)
    try:
        await task.score(trace)
    except Exception as fault:
        assert "NotGraded" in repr(fault) or "NotGraded" in str(trace.errors), repr(fault)
        return None
    found = trace.rewards.get("reward")
    return found.score if found is not None else None

print(json.dumps([asyncio.run(score(case)) for case in json.load(open(sys.argv[1]))]))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with verifiers: its `bin`."""
    return make_venv("verifiers", PACKAGES, tmp_path_factory.mktemp("c"))


def test_verifiers_pays_what_the_task_set_pays(consumer: Path, tmp_path: Path) -> None:
    """Every conversation, as a trace, earns the task set's own reward; not graded is an error."""
    write_replays("verifiers", tmp_path)
    install(consumer, tmp_path)
    (tmp_path / "work").mkdir()
    cases = tmp_path / "cases.json"
    assert_pays_the_same(consumer, tmp_path, DRIVER, cases, cwd=tmp_path / "work")
