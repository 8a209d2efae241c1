"""The verl export against verl's own schema classes and tool contract: 200 conversations through its agent loop's steps.

verl itself needs torch and ray, which are not installed here: its schema file is loaded from its wheel, and what its loop does with
a tool (create, execute, release per call; messages; reward manager) is done again, line by line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consumer_replay import assert_pays_the_same, install, write_replays
from tests.consumer_venv import make_venv

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
PACKAGES = ("datasets>=5", "pyarrow", "pydantic", "hatchling", "pyyaml")
DRIVER = """
import asyncio, importlib, importlib.util, json, sys, types
from importlib.metadata import distribution
from types import SimpleNamespace
import yaml
from datasets import load_dataset

def load(name):
    path = distribution("verl").locate_file(name.replace(".", "/") + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

for name in ("verl", "verl.tools", "verl.utils"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = []
trace = types.ModuleType("verl.utils.rollout_trace")  # imports ray and torch; it records calls
trace.rollout_trace_op = lambda function: function
sys.modules["verl.utils.rollout_trace"] = trace
schemas, _ = load("verl.tools.schemas"), load("verl.tools.base_tool")

folder, cases = sys.argv[1], json.load(open(sys.argv[2]))
rows = load_dataset("parquet", data_files=f"{folder}/train.parquet", split="train", cache_dir="cache")
rows = {row["extra_info"]["task_id"]: row for row in rows}
tools = {}
for entry in yaml.safe_load(open(f"{folder}/tools.yaml"))["tools"]:
    module, cls = entry["class_name"].rsplit(".", 1)
    schema = schemas.OpenAIFunctionToolSchema.model_validate(entry["tool_schema"])
    tool = getattr(importlib.import_module(module), cls)(entry["config"], schema)
    tools[tool.name] = tool
spec = importlib.util.spec_from_file_location("custom_reward", f"{folder}/desk_tasks/reward.py")
reward = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reward)
from desk_tasks.task_set.runtime.play import Play, outward
from desk_tasks.task_set_of import task_set

async def play(case):
    row = rows[case["task_id"]]
    info = row["extra_info"]
    active = {name: tools[name] for name in info["tool_selection"]}
    data = SimpleNamespace(messages=list(row["prompt"]), extra_fields={})
    names = Play(task_set(), case["task_id"]).names
    words = []
    for action in case["actions"]:
        message = dict(outward(action, names))
        if "tool_calls" not in message:
            arguments = json.dumps({"message": message["content"]})
            message = {"role": "assistant", "content": "", "tool_calls": [
                {"id": "t", "type": "function", "function": {"name": "talk_to_user", "arguments": arguments}}]}
        data.messages.append(message)
        for call in message["tool_calls"]:
            name, text = call["function"]["name"], call["function"]["arguments"]
            if name not in active:
                result = f"Unknown function '{name}'."
            else:
                try:
                    arguments = json.loads(text)
                except json.JSONDecodeError as fault:
                    result = f"Invalid JSON in arguments for '{name}': {fault}"
                else:
                    kwargs = info["tools_kwargs"].get(name, {})
                    made, _ = await active[name].create(create_kwargs=kwargs.get("create_kwargs", {}))
                    response, paid, _ = await active[name].execute(made, arguments, agent_data=data)
                    await active[name].release(made)
                    assert paid == 0.0
                    result = response.text
            data.messages.extend([{"role": "tool", "content": result}])
    extra = {**info, **data.extra_fields}
    try:
        return reward.compute_score(data_source=row["data_source"], solution_str="".join(words),
                                    ground_truth=row["reward_model"]["ground_truth"], extra_info=extra)["score"]
    except reward.NotGraded:
        return None

print("\\n" + json.dumps([asyncio.run(play(case)) for case in cases]))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with verl, which pulls torch and ray, installed bare: its `bin`."""
    return make_venv("verl", PACKAGES, tmp_path_factory.mktemp("c"), "verl>=0.9,<0.10")


def test_verl_pays_what_the_task_set_pays(consumer: Path, tmp_path: Path) -> None:
    """Every tool fits verl's schema, and every conversation earns the task set's own reward; not graded is an error."""
    write_replays("verl", tmp_path)
    install(consumer, tmp_path)
    assert_pays_the_same(consumer, tmp_path, DRIVER, tmp_path / "out", tmp_path / "cases.json")
