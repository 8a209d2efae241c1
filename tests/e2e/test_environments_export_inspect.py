"""The Inspect AI export in the hands of Inspect: evaluated, logged, scored again, 200 conversations replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from environments.export.registry import FORMATS
from tests.consumer_replay import assert_pays_the_same, install, write_replays
from tests.consumer_venv import make_venv, sh
from tests.environments_shop import write_shop
from tests.openai_server import serving, shop_clerk

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
PACKAGES = ("inspect-ai>=0.3.285", "openai>=2", "hatchling")
READ = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log
log = read_eval_log(list_eval_logs("logs")[0])
scores = {s.id: {n: x.value for n, x in s.scores.items()} for s in log.samples}
print(json.dumps([log.status, scores]))
"""
DRIVER = """
import json, math, sys
from inspect_ai import eval, score
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import ChatCompletionChoice, ModelOutput, ModelUsage, get_model
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.tool import ToolCall
from desk_tasks.replay import replay, task_set, verdict
from desk_tasks.task_set.runtime.play import Play, outward

cases = json.load(open(sys.argv[1]))
task = replay()
by_id = {sample.id: sample for sample in task.dataset}
LEFT = "The model has nothing more to say. Anything else?"

def call_of(call):
    name, text = call["function"]["name"], call["function"]["arguments"]
    try:
        return ToolCall(id=call["id"], function=name, arguments=json.loads(text))
    except ValueError:
        return ToolCall(id=call["id"], function=name, arguments={}, parse_error="bad")

def model_for(case):
    names = Play(task_set(), case["task_id"]).names
    left = [outward(action, names) for action in case["actions"]]
    def says(input, tools, tool_choice, config):
        assert tools and all(p.description for t in tools for p in t.parameters.properties.values())
        if not left:
            raise EOFError
        action = left.pop(0)
        calls = [call_of(c) for c in action.get("tool_calls", ())] or None
        message = ChatMessageAssistant(content=action.get("content") or "", tool_calls=calls)
        usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return ModelOutput(model="m", choices=[ChatCompletionChoice(message=message)], usage=usage)
    return get_model("mockllm/model", custom_outputs=says, memoize=False)

# One evaluation per conversation would take minutes: score what each conversation leaves behind.
import asyncio
from inspect_ai.model import ModelName
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from desk_tasks import replay as module

async def rewards():
    out = []
    solver, scorer = module.play(), verdict()
    for case in cases:
        sample = by_id[case["task_id"]]
        state = TaskState(model=ModelName("mockllm/model"), sample_id=sample.id, epoch=1,
                          input=list(sample.input), messages=list(sample.input))
        model = model_for(case)
        module.get_model = lambda: model
        try:
            state = await solver(state, None)
        except EOFError:
            pass
        found = await scorer(state, Target(""))
        value = found.value
        out.append(None if isinstance(value, float) and math.isnan(value) else value["reward"])
    return out

print(json.dumps(asyncio.run(rewards())))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with Inspect AI: its `bin`."""
    return make_venv("inspect", PACKAGES, tmp_path_factory.mktemp("c"))


def test_inspect_eval_plays_and_scores(consumer: Path, tmp_path: Path) -> None:
    """`inspect eval PACKAGE/replay` against a model endpoint: the log says success, the tasks earn 1, twice the same."""
    write_shop(tmp_path / "set")
    FORMATS["inspect"].write(tmp_path / "set", tmp_path / "out", name="shop_eval")
    install(consumer, tmp_path)
    with serving(shop_clerk) as server:
        sh(
            *(consumer / "inspect", "eval", "shop_eval/replay", "--model", "openai-api/fake/fake"),
            *("--display", "none", "--log-dir", "logs"),
            cwd=tmp_path,
            FAKE_API_KEY="none",
            FAKE_BASE_URL=server.url,
        )
    nobody = {"FAKE_API_KEY": "none", "FAKE_BASE_URL": "http://127.0.0.1:9/v1"}
    status, scores = json.loads(sh(consumer / "python", "-c", READ, cwd=tmp_path))
    assert status == "success"
    whole = {"reward": 1.0, "checks_passed": 2, "checks_graded": 2, "checks_total": 2}
    assert scores == {"task1": {"verdict": whole}, "task3": {"verdict": whole}}
    log = next((tmp_path / "logs").glob("*.eval"))
    sh(
        *(consumer / "inspect", "score", log, "--scorer", "shop_eval/verdict"),
        *("--action", "overwrite", "--overwrite", "--display", "none"),
        cwd=tmp_path,
        **nobody,
    )
    assert json.loads(sh(consumer / "python", "-c", READ, cwd=tmp_path)) == [status, scores]


def test_inspect_pays_what_the_task_set_pays(consumer: Path, tmp_path: Path) -> None:
    """Every conversation, through solver and scorer, earns the task set's own reward; not graded is unscored."""
    write_replays("inspect", tmp_path)
    install(consumer, tmp_path)
    assert_pays_the_same(consumer, tmp_path, DRIVER, tmp_path / "cases.json")
