"""`do_not_train` from an attribute of one span to the last export: nothing of the conversation is in any file that leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.cli.main import app as command_line
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES
from tests.lending_desk import TOOLS, line

SECRET = "a secret of the tests, long enough"
READERS = 6


def parts(message: dict[str, Any]) -> dict[str, Any]:
    """A message as OpenTelemetry has it."""
    if message["role"] == "tool":
        part = {
            "type": "tool_call_response",
            "id": message["tool_call_id"],
            "response": message["content"],
        }
        return {"role": "tool", "parts": [part]}
    found: list[dict[str, Any]] = []
    if message.get("content"):
        found.append({"type": "text", "content": message["content"]})
    for call in message.get("tool_calls", ()):
        function = call["function"]
        arguments = json.loads(function["arguments"])
        found.append(
            {
                "type": "tool_call",
                "id": call["id"],
                "name": function["name"],
                "arguments": arguments,
            }
        )
    return {"role": message["role"], "parts": found}


def otlp(chat: dict[str, Any], **more: str) -> str:
    """A conversation as the span of its last model call, with what its user said of it."""
    *before, last = map(parts, chat["messages"])
    trace = f"{abs(hash(chat['episode_id'])) % 16**16:032x}"
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": chat["episode_id"],
        "user.id": chat["user_id"],
        "tracegym.task_key": chat["task_key"],
        "gen_ai.tool.definitions": json.dumps(TOOLS),
        "gen_ai.input.messages": json.dumps(before),
        "gen_ai.output.messages": json.dumps([last]),
        **more,
    }
    outcome = {
        "name": "gen_ai.evaluation.result",
        "timeUnixNano": "1772500003000000000",
        "attributes": [
            {"key": "gen_ai.evaluation.name", "value": {"stringValue": "resolved"}},
            {
                "key": "gen_ai.evaluation.score.value",
                "value": {"doubleValue": chat["outcome"]["value"]},
            },
            {"key": "tracegym.outcome.by", "value": {"stringValue": "end_user"}},
        ],
    }
    span = {
        "traceId": trace,
        "spanId": trace[16:],
        "name": "chat m",
        "startTimeUnixNano": "1772500000000000000",
        "endTimeUnixNano": "1772500002000000000",
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()],
        "events": [outcome],
    }
    service = [{"key": "service.name", "value": {"stringValue": "lending"}}]
    held = [{"resource": {"attributes": service}, "scopeSpans": [{"spans": [span]}]}]
    return json.dumps({"resourceSpans": held})


def exported(folder: Path, *, marked: bool) -> tuple[Home, dict[str, bytes]]:
    """A built home, and all files of three exports; both attempts of reader 3 may carry the attribute."""
    home = open_home(folder / "home", create=True)
    for number in range(READERS):
        for attempt, good in enumerate((True, False)):
            chat = line(number, good=good, attempt=attempt)
            withheld = {"tracegym.do_not_train": "true"} if marked and number == 3 else {}
            (folder / f"{number}-{attempt}.json").write_text(otlp(chat, **withheld))
    take_in(home, sorted(folder.glob("*-*.json")))
    build(home, secret=SECRET)
    files: dict[str, bytes] = {}
    for name in ("taskset", "sft", "dpo"):
        done = CliRunner().invoke(
            command_line,
            ["export", name, str(folder / name), "--home", str(home.path)],
            env={"TRACEGYM_SECRET": SECRET},
        )
        assert done.exit_code == 0, done.output
        for path in (folder / name).rglob("*"):
            if path.is_file():
                files[str(path.relative_to(folder))] = path.read_bytes()
    return home, files


def loans(home: Home) -> dict[bool, set[bytes]]:
    """The loans of the conversations as they are called past the gate, by whether these may be trained on."""
    found: dict[bool, set[bytes]] = {False: set(), True: set()}
    for row in Lake(home.clean / "lake").read(CLEAN_EPISODES).to_pylist():
        asked = next(step["content"] for step in row["steps"] if step["role"] == "user")
        found[not row["do_not_train"]].add(asked.split("renew ")[1].rstrip(".").encode())
    return found


@pytest.mark.slow
def test_a_withheld_conversation_reaches_no_export(tmp_path: Path) -> None:
    """Neither task, world, recording nor training row; without the attribute it is in all of them."""
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    home, files = exported(tmp_path / "with", marked=True)
    ours = loans(home)
    (withheld,) = ours[False]
    assert len(ours[True]) == READERS - 1
    assert [name for name, data in files.items() if withheld in data] == []
    assert all(any(loan in data for data in files.values()) for loan in ours[True])
    home, others = exported(tmp_path / "without", marked=False)
    assert loans(home)[False] == set()
    for loan in loans(home)[True]:
        assert "taskset" in {name.split("/")[0] for name, data in others.items() if loan in data}
