"""What people's agents really leave behind: every message and call of each file, once and in order, with its outcomes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ingest.files.chat_log import Chat
from ingest.records.episode import Step
from tests.unit.exported_lines import decoded_below

Said = tuple[str, str]
"""A role and a text."""
Asked = tuple[str, Any]
"""A tool's name and its arguments."""


@dataclass(slots=True)
class Source:
    """One conversation as its file has it, in plain words."""

    said: list[Said]
    calls: list[Asked] = field(default_factory=list)
    agents: list[str] | None = None
    outcomes: dict[str, float | None] = field(default_factory=dict)
    corrections: set[str] = field(default_factory=set)
    task: str | None = None


def plain(text: str | None) -> str:
    """A text without what stands around it."""
    return (text or "").strip()


def openai(messages: list[dict[str, Any]], **more: Any) -> Source:  # noqa: ANN401 - fields
    """A list of OpenAI messages."""
    calls = [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for message in messages
        for call in message.get("tool_calls") or []
    ]
    return Source([(m["role"], plain(m.get("content"))) for m in messages], calls, **more)


def tau(folder: Path) -> Iterator[Source]:
    """Result lists of a benchmark's runner."""
    for run in json.loads((folder / "tau-bench-results.json").read_text()):
        yield openai(run["traj"], outcomes={"reward": run["reward"]}, task=str(run["task_id"]))


def tooltalk(folder: Path) -> Iterator[Source]:
    """Chat logs."""
    for line in (folder / "tooltalk.chat.jsonl").read_text().splitlines():
        run = json.loads(line)
        outcomes = {run["outcome"]["name"]: float(run["outcome"]["value"])}
        yield openai(run["messages"], outcomes=outcomes)


def mcp(folder: Path) -> Iterator[Source]:
    """Runs over many servers, with a judge's words."""
    for run in json.loads((folder / "livemcpbench" / "results.json").read_text()):
        outcomes: dict[str, float | None] = {"reward": float(run["reward"]), "judge": None}
        yield openai(run["messages"], outcomes=outcomes, task=run["task_id"])


def several_agents(folder: Path) -> Iterator[Source]:
    """Failed runs of several agents: what the user asked stands beside them."""
    for path in sorted((folder / "who-and-when").glob("*.json")):
        run = json.loads(path.read_text())
        prompts = [("system", plain(text)) for text in run["system_prompt"].values()]
        talk = [("assistant", plain(one["content"])) for one in run["history"]]
        yield Source(
            [*prompts, ("user", plain(run["question"])), *talk],
            agents=[one["name"] for one in run["history"]],
            outcomes={"is_correct": float(run["is_correct"])},
            corrections={run["ground_truth"]},
            task=run["question_ID"],
        )


def inspect(folder: Path) -> Iterator[Source]:
    """A log of an evaluation framework."""
    log = json.loads((folder / "inspect-log.json").read_text())
    for one in log["samples"]:
        value = {"C": 1.0, "I": 0.0}[one["scores"]["match"]["value"]]
        yield openai(
            one["messages"],
            outcomes={"match": value},
            corrections={one["target"]},
            task=f"popularity/{one['id']}",
        )


def mini(folder: Path) -> Iterator[Source]:
    """Bare runs: every answer holds one command."""
    for path in sorted((folder / "mini-swe-agent").glob("*.json")):
        source = Source([])
        for message in json.loads(path.read_text()):
            text, role = message["content"], message["role"]
            if role == "assistant":
                text, _, rest = text.partition("```mswea_bash_command\n")
                source.calls.append(("bash", {"command": rest.rpartition("\n```")[0]}))
            elif source.calls:
                role = "tool"
            source.said.append((role, plain(text)))
        yield source


def swe(folder: Path) -> Iterator[Source]:
    """Trajectories: what was carried out is the trajectory, where there is one."""
    for path in sorted((folder / "swe-agent").glob("*.traj")):
        run = json.loads(path.read_text())
        opening = []
        for one in run["history"]:
            if one["role"] == "assistant":
                break
            role = "system" if one.get("is_demo") else one["role"]
            opening.append((role, plain(one["content"])))
        steps = run.get("trajectory") or [
            {**asked, "observation": seen["content"]}
            for asked, seen in zip(run["history"][2::2], run["history"][3::2], strict=True)
        ]
        talk = [
            (role, plain(text))
            for step in steps
            for role, text in (("assistant", step["action"]), ("tool", step["observation"]))
        ]
        yield Source([*opening, *talk])


def openhands(folder: Path) -> Iterator[Source]:
    """Events of two generations."""
    for path in sorted((folder / "openhands").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            run = json.loads(line)
            source = Source([], task=run.get("instance_id"))
            for one in run["history"]:
                content = one.get("content") or one.get("args", {}).get("content")
                if one.get("action") in {"message", "system"}:
                    source.said.append(
                        ("system" if one["action"] == "system" else "user", plain(content))
                    )
                elif one.get("action") not in {None, "recall"}:
                    source.said.append(("assistant", ""))
                    source.calls.append(asked(one))
                elif one.get("observation") not in {None, "recall"}:
                    source.said.append(("tool", plain(content)))
            if "success" in run:
                source.outcomes = {"success": float(run["success"])}
            yield source


def asked(event: dict[str, Any]) -> Asked:
    """The call of one event."""
    metadata = event.get("tool_call_metadata")
    if metadata is None:
        beside = {
            "action",
            "thought",
            "keep_prompt",
            "is_confirmed",
            "action_risk",
            "kernel_init_code",
        }
        return event["action"], {k: v for k, v in event.items() if k not in beside}
    (call,) = metadata["model_response"]["choices"][0]["message"]["tool_calls"]
    return call["function"]["name"], json.loads(call["function"]["arguments"])


COLLECTIONS: dict[str, tuple[str, Callable[[Path], Iterator[Source]]]] = {
    "tau": ("tau-bench-results.json", tau),
    "tooltalk": ("tooltalk.chat.jsonl", tooltalk),
    "mcp": ("livemcpbench/results.json", mcp),
    "several agents": ("who-and-when", several_agents),
    "inspect": ("inspect-log.json", inspect),
    "mini-swe-agent": ("mini-swe-agent", mini),
    "swe-agent": ("swe-agent", swe),
    "openhands": ("openhands", openhands),
}
TOLD_ELSEWHERE = {"swe-agent", "openhands"}
"""Collections whose answers stand in two places: their texts are compared by `agrees`."""


def agrees(name: str, step: Step, said: Said) -> bool:
    """Whether a step is what the source says there."""
    role, text = said
    if step.role != role:
        return False
    if name == "swe-agent" and role == "assistant":
        (call,) = step.tool_calls
        given = json.loads(call.arguments)
        return bool(given.get("command", text) == text)
    if name == "swe-agent" and role == "tool":
        # The history shows the observation with the shell's prompt behind it.
        told = " ".join((step.content or "").split())
        return told.startswith(" ".join(text.split())) or "did not produce any output" in told
    if name == "openhands" and role == "assistant":
        return len(step.tool_calls) == 1
    return plain(step.content) == text


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_message_and_call_is_there_once_and_in_order(real_data: Path, name: str) -> None:
    """The episodes of a collection are its conversations: nothing is lost, doubled, moved or made up."""
    where, sources = COLLECTIONS[name]
    folder = real_data / "collections"
    if not folder.is_dir():
        pytest.skip("the folder of real traces holds no collections")
    found = decoded_below(folder / where)
    assert found.rejected == []
    assert found.spans == []
    expected = list(sources(folder))
    assert len(found.chats) == len(expected) > 0
    for chat, source in zip(found.chats, expected, strict=True):
        steps = chat.episode.steps
        assert len(steps) == len(source.said)
        wrong = [
            n
            for n, (s, t) in enumerate(zip(steps, source.said, strict=True))
            if not agrees(name, s, t)
        ]
        assert wrong == []
        calls = [(c.name, json.loads(c.arguments)) for s in steps for c in s.tool_calls]
        assert calls == source.calls or name == "swe-agent"
        if source.agents is not None:
            assert [s.agent for s in steps if s.role == "assistant"] == source.agents
        _beside(chat, source)


def _beside(chat: Chat, source: Source) -> None:
    assert {o.name: o.value for o in chat.outcomes} == source.outcomes
    assert {o.correction for o in chat.outcomes} - {None} == source.corrections
    assert chat.episode.task_key == source.task or source.task is None
    results = [step.call_id for step in chat.episode.steps if step.role == "tool"]
    calls = {call.call_id for step in chat.episode.steps for call in step.tool_calls}
    assert set(results) - {None} <= calls


def test_an_outcomes_table_finds_the_conversations_of_its_tasks(real_data: Path) -> None:
    """Ids that are there once in a file are the conversations' own: the table beside the runs joins all of them."""
    folder = real_data / "collections" / "livemcpbench"
    if not folder.is_dir():
        pytest.skip("the folder of real traces holds no collections")
    rows = (folder / "outcomes.csv").read_text().splitlines()[1:]
    named = {row.split(",")[0] for row in rows}
    chats = decoded_below(folder / "results.json").chats
    assert {chat.episode.conversation_id for chat in chats} == named
    assert {chat.episode.app for chat in chats} == {"results"}
