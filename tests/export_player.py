"""Plays conversations through one export's own code; prints rewards and all that the policy saw. A program, not a test module.

In: a format, the exported folder, a file of cases. What a consumer's library provides is stood in for by the few names that
the export's code uses; the `consumer` tests run the same conversations in the real libraries. Imports nothing of this project.
"""

# ruff: noqa: ANN401 - what consumers and exports hand over has no types here

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pyarrow.parquet as pq
import yaml
from pydantic import BaseModel, ConfigDict

Case = dict[str, Any]
Rewards = list[float | None]
SEEN: list[str] = []
"""Everything that came back to the policy."""


def saw(thing: Any) -> Any:
    """Note what the policy is handed."""
    SEEN.append(str(thing))
    return thing


class Anything:
    """A base class of a consumer that takes any arguments and type parameters."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.given = given
        vars(self).update(named)

    def __class_getitem__(cls, item: Any) -> type:
        return cls


class Record(BaseModel):
    """A record of a consumer: whatever fields it is given."""

    model_config = ConfigDict(extra="allow", arbitrary_types_allowed=True)


def made_record(**values: Any) -> Record:
    """A record with some fields."""
    return Record.model_validate(values)


def same(thing: Any = None, **_: Any) -> Any:
    """A decorator that changes nothing, with and without arguments."""
    return thing if callable(thing) else lambda function: function


def provide(name: str, **values: Any) -> None:
    """A module of a consumer's library."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        module = sys.modules.setdefault(".".join(parts[:end]), ModuleType(".".join(parts[:end])))
        module.__path__ = []
    vars(sys.modules[name]).update(values)
    if len(parts) > 1:
        setattr(sys.modules[".".join(parts[:-1])], parts[-1], sys.modules[name])


def run_of(package: str, task_id: str) -> Any:
    """A fresh run of a task by the runtime inside the export."""
    play = importlib.import_module(f"{package}task_set.runtime.play")
    return play.Play(opened(package), task_id)


def opened(package: str) -> Any:
    """The task set inside the export."""
    runtime = importlib.import_module(f"{package}task_set.runtime")
    return runtime.TaskSet.load(Path(str(runtime.__file__)).parent.parent)


def shown(action: Any, run: Any) -> dict[str, Any]:
    """An action under the names that the policy was shown."""
    found: dict[str, Any] = importlib.import_module(type(run).__module__).outward(action, run.names)
    return found


def calls_of(action: Any, run: Any) -> list[dict[str, Any]]:
    """The calls of a policy that speaks to the user by a tool."""
    message = shown(action, run)
    arguments = json.dumps({"message": message.get("content")})
    talk = {"id": "t", "type": "function"}
    said = [{**talk, "function": {"name": "talk_to_user", "arguments": arguments}}]
    return message.get("tool_calls") or said


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows of the training split by task."""
    rows = pq.read_table(folder / "train.parquet").to_pylist()
    return {row.get("task_id") or row["extra_info"]["task_id"]: row for row in rows}


def taskset(folder: Path, cases: list[Case]) -> Rewards:
    """The runtime in the task set's folder."""
    runtime = importlib.import_module("runtime")
    task_set = runtime.TaskSet.load(folder)

    def play(case: Case) -> Any:
        environment = task_set.environment(case["task_id"])
        for action in case["actions"]:
            saw(environment.step(action).messages)
        return environment.grade().reward

    return [play(case) for case in cases]


def trl(folder: Path, cases: list[Case]) -> Rewards:
    """The environment classes' methods, then the reward function over the completions."""
    package = importlib.import_module("desk_tasks")
    rows, done = rows_of(folder), []
    for case in cases:
        environment = package.ENVIRONMENTS[rows[case["task_id"]]["environment"]]()
        environment.reset(task_id=case["task_id"])
        completion = []
        for action in case["actions"]:
            calls = calls_of(action, run_of("desk_tasks.", case["task_id"]))
            completion.append({"role": "assistant", "tool_calls": calls})
            for call in calls:
                function = call["function"]
                try:
                    arguments = json.loads(function["arguments"])
                    result = getattr(environment, function["name"])(**arguments)
                except (AttributeError, TypeError, ValueError) as fault:  # the trainer's own answer
                    result = str({"error": str(fault)})
                completion.append(
                    {"role": "tool", "name": function["name"], "content": saw(result)}
                )
        done.append(completion)
    found: Rewards = package.reward(done, [case["task_id"] for case in cases])
    return found


def skyrl(folder: Path, cases: list[Case]) -> Rewards:
    """The text environment."""
    base = type("BaseTextEnv", (), {"turns": 0})
    provide("skyrl_gym.envs.base_text_env", BaseTextEnv=base, BaseTextEnvStepOutput=dict)
    provide("skyrl_gym.envs.registration", register=lambda **_: None, registry={})
    module = importlib.import_module("desk_tasks.env")
    text = importlib.import_module("desk_tasks.task_set.runtime.play.tool_text")
    rows = rows_of(folder)

    def play(case: Case) -> Any:
        environment = module.ReplayEnv(extras={**rows[case["task_id"]], "max_turns": 1000})
        environment.max_turns = len(case["actions"])
        out = {"reward": None}
        try:
            if not case["actions"]:
                return environment.reward()
            for action in case["actions"]:
                out = environment.step(text.write_message(shown(action, environment.play)))
                saw(out)
                if out["done"]:
                    break
        except module.NotGraded:
            return None
        return out["reward"]

    return [play(case) for case in cases]


def verl(folder: Path, cases: list[Case]) -> Rewards:
    """The tool class by `tools.yaml`, then the reward function as its file is loaded."""

    class Base:
        def __init__(self, config: Any, _: Any) -> None:
            self.config = config

    provide("verl.tools.base_tool", BaseTool=Base)
    provide("verl.tools.schemas", ToolResponse=Record)
    tools = {}
    for entry in yaml.safe_load((folder / "tools.yaml").read_text())["tools"]:
        module, name = entry["class_name"].rsplit(".", 1)
        made = getattr(importlib.import_module(module), name)(entry["config"], None)
        tools[entry["tool_schema"]["function"]["name"]] = made
    reward = from_file(folder / "desk_tasks" / "reward.py")
    rows = rows_of(folder)

    async def play(case: Case) -> Any:
        row = rows[case["task_id"]]
        info = row["extra_info"]
        data = SimpleNamespace(messages=list(row["prompt"]), extra_fields={})
        run = run_of("desk_tasks.", case["task_id"])
        for action in case["actions"]:
            calls = calls_of(action, run)
            data.messages.append({"role": "assistant", "content": "", "tool_calls": calls})
            for call in calls:
                name, text = call["function"]["name"], call["function"]["arguments"]
                result = "refused"
                if name in info["tool_selection"] and is_json(text):
                    kwargs = info["tools_kwargs"][name]["create_kwargs"]
                    made, _ = await tools[name].create(create_kwargs=kwargs)
                    told = json.loads(text)
                    result = (await tools[name].execute(made, told, agent_data=data))[0].text
                data.messages.append({"role": "tool", "content": saw(result)})
        extra = {**info, **data.extra_fields}
        try:
            return reward.compute_score("", "", row["reward_model"]["ground_truth"], extra)["score"]
        except reward.NotGraded:
            return None

    return [asyncio.run(play(case)) for case in cases]


def openenv(folder: Path, cases: list[Case]) -> Rewards:
    """The environment, call by call."""

    class Observation(Record):
        done: bool = False
        reward: float | None = None

    action: dict[str, Any] = {"CallToolAction": type("CallToolAction", (Record,), {})}
    listing = {"ListToolsAction": type("ListToolsAction", (Record,), {})}
    shapes = {name: type(name, (Record,), {}) for name in ("Tool", "ToolError")}
    provide("openenv.core.env_server.interfaces", Environment=Anything)
    provide("openenv.core.env_server.mcp_types", **action, **listing, **shapes)
    provide("openenv.core.env_server.types", Observation=Observation, State=Record)
    provide("server")
    sys.modules["server"].__path__ = [str(folder / "server")]
    made = next(path.stem for path in (folder / "server").glob("*environment.py"))
    environment = importlib.import_module(f"server.{made}").ReplayEnvironment()

    def play(case: Case) -> Any:
        environment.reset(task_id=case["task_id"])
        run = run_of("", case["task_id"])
        calls = [call["function"] for one in case["actions"] for call in calls_of(one, run)]
        last = {"name": "end_conversation", "arguments": "{}"}
        seen: Any = None
        for call in [*(c for c in calls if is_json(c["arguments"])), last]:
            arguments = json.loads(call["arguments"])
            values = {"tool_name": call["name"], "arguments": arguments}
            seen = saw(environment.step(action["CallToolAction"].model_validate(values)))
            if seen.done:
                break
        assert seen.mask_sample is (seen.reward is None)
        return seen.reward

    return [play(case) for case in cases]


def nemo_gym(folder: Path, cases: list[Case]) -> Rewards:
    """The resources server's routes."""

    class Server(Record):
        ray_enabled: ClassVar[bool] = True

    names = ("ResourcesServerConfig", "SeedSessionRequest", "SeedSessionResponse")
    shapes = {f"Base{n}": Record for n in (*names, "VerifyRequest", "VerifyResponse")}
    provide("fastapi", FastAPI=Anything, Request=Anything)
    provide("fastapi.responses", PlainTextResponse=Anything)
    provide("nemo_gym.base_resources_server", SimpleResourcesServer=Server, **shapes)
    provide("nemo_gym.server_utils", SESSION_ID_KEY="id")
    app = importlib.import_module("resources_servers.desk_tasks.app")
    server = app.ReplayResourcesServer(config=Record())

    async def play(case: Case) -> Any:
        about = {"verifier_metadata": {"task_id": case["task_id"]}}
        request: Any = Anything(session={"id": "s"})
        await server.seed_session(request, app.ReplaySeedRequest(**about))
        run = run_of("resources_servers.desk_tasks.", case["task_id"])
        items = []
        for action in case["actions"]:
            for call in calls_of(action, run):
                name, text = call["function"]["name"], call["function"]["arguments"]
                asked = {"call_id": call["id"], "name": name, "arguments": text}
                items.append(SimpleNamespace(type="function_call", **asked))
                request.body = lambda text=text: asyncio.sleep(0, text.encode())
                answer = await server.call_tool(name, request)
                told = {"call_id": call["id"], "output": saw(answer.given[0])}
                items.append(SimpleNamespace(type="function_call_output", **told))
        response = SimpleNamespace(output=items)
        found = await server.verify(request, app.ReplayVerifyRequest(**about, response=response))
        return None if found.mask_sample else found.reward

    return [asyncio.run(play(case)) for case in cases]


def verifiers(folder: Path, cases: list[Case]) -> Rewards:
    """The harness against a model that acts as recorded, then the task's reward over the trace."""
    names = ("HarnessConfig", "Harness", "Task", "Taskset", "TaskConfig", "TasksetConfig", "State")
    provide("verifiers.v1", TaskData=Record, reward=same, metric=same)
    vars(sys.modules["verifiers.v1"]).update(dict.fromkeys(names, Anything))
    provide("verifiers.v1.dialects.chat", message_to_wire=dict, parse_message=dict)
    provide("verifiers.v1.runtimes", ProgramResult=lambda code, *_: code)
    harness: Any = importlib.import_module("desk_tasks.harness")
    tasks = importlib.import_module("desk_tasks.taskset")
    run_module = importlib.import_module("desk_tasks.task_set.runtime.play")

    async def play(case: Case) -> Any:
        data = made_record(id=case["task_id"])
        names, outward = harness.names_of(case["task_id"]), run_module.outward
        left = [{"content": None, **outward(action, names)} for action in case["actions"]]
        said: list[dict[str, Any]] = []

        async def ask(_: Any, __: str, body: bytes, ___: Any) -> tuple[int, Any]:
            said[:] = saw(json.loads(body)["messages"])
            if not left:
                return 400, None
            said.append({"role": "assistant", **left.pop(0)})
            return 200, {"choices": [{"message": said[-1]}]}

        harness.ask = ask
        player = harness.ReplayHarness(resolve_prompt=lambda _: (None, "The opening."))
        context, trace = SimpleNamespace(model="m"), SimpleNamespace(id="t")
        await player.launch(context, trace, None, "http://nowhere", "secret", {}, data)
        nodes = [SimpleNamespace(message=m, sampled=m["role"] == "assistant") for m in said]
        trace.branches = [SimpleNamespace(nodes=nodes)]
        try:
            return await tasks.ReplayTask(data=data).reward(trace)
        except tasks.NotGraded:
            return None

    return [asyncio.run(play(case)) for case in cases]


def harbor(folder: Path, cases: list[Case]) -> Rewards:
    """The replay server's desk of each task's folder, then the grader over its record."""
    rewards: Rewards = [None] * len(cases)
    with tempfile.TemporaryDirectory() as name:
        record, reward = Path(name) / "actions.jsonl", Path(name) / "reward.json"
        os.environ["RECORD"] = str(record)
        for task_id in sorted({case["task_id"] for case in cases}):
            serve = from_file(folder / task_id / "environment" / "replay" / "serve.py")
            grade = from_file(folder / task_id / "tests" / "grade.py")
            for number, case in enumerate(cases):
                if case["task_id"] != task_id:
                    continue
                desk = serve.Desk()
                for action in case["actions"]:
                    for call in calls_of(action, desk.play):
                        saw(desk.call(call["function"]["name"], call["function"]["arguments"]))
                reward.unlink(missing_ok=True)
                if grade.main(record, reward) == 0:
                    rewards[number] = json.loads(reward.read_text())["reward"]
            for module in [m for m in sys.modules if m.split(".")[0] == "runtime"]:
                del sys.modules[module]  # the next folder has its own
    return rewards


def inspect(_: Path, cases: list[Case]) -> Rewards:
    """Solver and scorer, in a file of their own."""
    player = importlib.import_module("export_player_inspect")
    found: Rewards = player.play_inspect(cases, provide=provide, shown=shown, saw=saw)
    return found


def from_file(path: Path) -> Any:
    """A module by its file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_json(text: str) -> bool:
    """What is no JSON cannot be sent over some protocols: the consumer answers for itself."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


PLAYERS: dict[str, Callable[[Path, list[Case]], Rewards]] = {
    "taskset": taskset,
    "trl": trl,
    "skyrl": skyrl,
    "verl": verl,
    "openenv": openenv,
    "nemo-gym": nemo_gym,
    "verifiers": verifiers,
    "harbor": harbor,
    "inspect": inspect,
}


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[2])
    cases_given = json.loads(Path(sys.argv[3]).read_text())
    earned = PLAYERS[sys.argv[1]](Path(sys.argv[2]), cases_given)
    sys.stdout.write(json.dumps({"rewards": earned, "seen": SEEN}))
