"""The NeMo Gym export in the hands of NeMo Gym's own classes: rows validated, 200 conversations seeded, called and verified.

NeMo Gym wants Python 3.13; the modules that a resources server needs run on 3.11 and are installed without what else it pulls.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consumer_replay import assert_pays_the_same, write_replays
from tests.consumer_venv import make_venv

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
PACKAGES = (
    *("openai==2.44.0", "orjson", "requests", "uvicorn", "aiohttp", "fastapi", "itsdangerous"),
    *("omegaconf", "hydra-core", "httpx", "ray", "pydantic", "tqdm", "rich", "wandb", "yappi"),
    *("pydot", "pandas", "scipy", "devtools", "GitPython", "mlflow-skinny", "mcp<2", "uvloop"),
    *("psutil", "python-multipart", "PyJWT", "datasets", "pyarrow", "httptools"),
)
DRIVER = """
import json, sys
from types import SimpleNamespace
from unittest.mock import MagicMock
sys.path.insert(0, sys.argv[1])
from fastapi.testclient import TestClient
from nemo_gym.base_resources_server import BaseResourcesServerConfig, BaseRunRequest
from nemo_gym.server_utils import ServerClient
from resources_servers.desk_tasks.app import ReplayResourcesServer, task_set
from resources_servers.desk_tasks.task_data import TaskData
from resources_servers.desk_tasks.task_set.runtime.play import Play, outward

rows = [json.loads(line) for line in open(sys.argv[1] + "/resources_servers/desk_tasks/data/train.jsonl")]
for row in rows:
    BaseRunRequest.model_validate(row)
    TaskData.model_validate(row)
rows = {row["verifier_metadata"]["task_id"]: row for row in rows}
config = BaseResourcesServerConfig(host="127.0.0.1", port=8080, entrypoint="", name="desk")
server = ReplayResourcesServer(config=config, server_client=MagicMock(spec=ServerClient))
client = TestClient(server.setup_webserver())
response = {"id": "r", "created_at": 0, "model": "m", "object": "response", "parallel_tool_calls": False,
            "tool_choice": "auto", "tools": []}
rewards = []
for case in json.load(open(sys.argv[2])):
    row = rows[case["task_id"]]
    names = Play(task_set(), case["task_id"]).names
    client.cookies.clear()
    assert client.post("/seed_session", json=row).status_code == 200
    items = []
    for number, action in enumerate(case["actions"]):
        calls = outward(action, names).get("tool_calls") or [{"id": f"t{number}", "function": {
            "name": "talk_to_user", "arguments": json.dumps({"message": action["content"]})}}]
        for call in calls:
            function = call["function"]
            items.append({"type": "function_call", "call_id": call["id"], **function})
            answer = client.post("/" + function["name"], content=function["arguments"])
            assert answer.status_code == 200
            items.append({"type": "function_call_output", "call_id": call["id"], "output": answer.text})
    body = {**row, "response": {**response, "output": items}}
    answer = client.post("/verify", json=body)
    assert answer.status_code == 200, answer.text[:2000]
    found = answer.json()
    rewards.append(None if found["mask_sample"] else found["reward"])
print("\\n" + json.dumps(rewards))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with NeMo Gym's files: its `bin`."""
    bare = ("--ignore-requires-python", "nemo-gym>=0.7,<0.8")
    return make_venv("nemo-gym", PACKAGES, tmp_path_factory.mktemp("c"), *bare)


def test_nemo_gym_pays_what_the_task_set_pays(consumer: Path, tmp_path: Path) -> None:
    """Every row is a valid request, and every conversation earns the task set's own reward; not graded is masked."""
    write_replays("nemo-gym", tmp_path)
    assert_pays_the_same(consumer, tmp_path, DRIVER, tmp_path / "out", tmp_path / "cases.json")
