"""The TRL export against TRL's own rules: rows loaded, tools probed as its trainer does, 200 conversations replayed.

The trainer itself needs torch and is in `test_environments_export_trl_step`: what it does with an environment is done again here,
line by line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consumer_replay import assert_pays_the_same, install, write_replays
from tests.consumer_venv import make_venv

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
PACKAGES = ("transformers>=5.2", "datasets>=5", "jinja2", "pyarrow", "hatchling")
DRIVER = """
import inspect, json, sys
from datasets import load_dataset
from transformers.utils import get_json_schema
from trl.data_utils import is_conversational
from desk_tasks import ENVIRONMENTS, reward
from desk_tasks.task_set.runtime.play import Play, outward
from desk_tasks.envs import task_set

rows = load_dataset("parquet", data_files=sys.argv[1], split="train", cache_dir="cache")
assert all(is_conversational(row) for row in rows)
rows = {row["task_id"]: row for row in rows}

def tools_of(environment):
    # GRPOTrainer's own discovery
    return {n: getattr(environment, n)
            for n, _ in inspect.getmembers(type(environment), predicate=inspect.isfunction)
            if n not in ("reset", "get_reward") and not n.startswith("_")}

for factory in ENVIRONMENTS.values():
    for name, tool in tools_of(factory()).items():
        function = get_json_schema(tool)["function"]
        assert function["name"] == name == tool.__name__ and function["description"]
        for part in function["parameters"]["properties"].values():
            assert part["description"] and part["type"]

done, ids = [], []
for case in json.load(open(sys.argv[2])):
    row = rows[case["task_id"]]
    environment = ENVIRONMENTS[row["environment"]]()
    assert environment.reset(**{k: v for k, v in row.items() if k != "environment"}) is None
    tools, names, completion = tools_of(environment), Play(task_set(), row["task_id"]).names, []
    for action in case["actions"]:
        message = dict(outward(action, names))
        if "tool_calls" not in message:
            words = json.dumps({"message": message["content"]})
            call = {"id": "t", "function": {"name": "talk_to_user", "arguments": words}}
            message = {"role": "assistant", "tool_calls": [call]}
        completion.append(message)
        for call in message["tool_calls"]:
            function = call["function"]
            try:
                result = tools[function["name"]](**json.loads(function["arguments"]))
            except Exception as fault:
                result = str({"error": str(fault)})
            completion.append({"role": "tool", "name": function["name"], "content": result})
    done.append(completion)
    ids.append(row["task_id"])
print(json.dumps(reward(completions=done, task_id=ids)))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with TRL, bare, without torch: its `bin`."""
    return make_venv("trl", PACKAGES, tmp_path_factory.mktemp("c"), "trl>=1.16,<2", "accelerate")


def test_trl_pays_what_the_task_set_pays(consumer: Path, tmp_path: Path) -> None:
    """Every class passes the trainer's probe, and every conversation earns the task set's own reward, None included."""
    write_replays("trl", tmp_path)
    install(consumer, tmp_path)
    rows = tmp_path / "out" / "train.parquet"
    assert_pays_the_same(consumer, tmp_path, DRIVER, rows, tmp_path / "cases.json")
