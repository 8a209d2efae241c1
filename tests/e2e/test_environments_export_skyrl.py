"""The SkyRL export in the hands of `skyrl_gym`: rows loaded, environment made, 200 conversations replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consumer_replay import assert_pays_the_same, install, write_replays
from tests.consumer_venv import make_venv

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
PACKAGES = ("skyrl-gym>=0.4", "datasets>=5", "pyarrow", "hatchling")
DRIVER = """
import json, sys
from datasets import load_dataset
import skyrl_gym
import desk_tasks
from desk_tasks.env import NotGraded
from desk_tasks.task_set.runtime.play import outward
from desk_tasks.task_set.runtime.play.tool_text import write_message

rows = load_dataset("parquet", data_files=sys.argv[1], split="train", cache_dir="cache")
rows = {row["extra_info"]["task_id"]: row for row in rows}
rewards = []
for case in json.load(open(sys.argv[2])):
    row = dict(rows[case["task_id"]])
    env = skyrl_gym.make(row["env_class"], env_config={}, extras={**row, "max_turns": 1000})
    prompt, _ = env.init(row["prompt"])
    assert prompt[0]["role"] == "system" and "<tools>" in prompt[0]["content"]
    env.max_turns = max(1, len(case["actions"]))
    try:
        reward = env.reward() if not case["actions"] else None
        for action in case["actions"]:
            out = env.step(write_message(outward(action, env.play.names)))
            reward = out["reward"]
            if out["done"]:
                break
    except NotGraded:
        reward = None
    rewards.append(reward)
    env.close()
print(json.dumps(rewards))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with skyrl-gym: its `bin`."""
    return make_venv("skyrl", PACKAGES, tmp_path_factory.mktemp("c"))


def test_skyrl_gym_pays_what_the_task_set_pays(consumer: Path, tmp_path: Path) -> None:
    """The rows load, the environment is made by its id, and every conversation earns the task set's own reward."""
    write_replays("skyrl", tmp_path)
    install(consumer, tmp_path)
    rows = tmp_path / "out" / "train.parquet"
    assert_pays_the_same(consumer, tmp_path, DRIVER, rows, tmp_path / "cases.json")
