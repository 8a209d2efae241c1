"""The yield: every conversation that came in stands in exactly one row, with a reason and what to do about it."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.command import as_json, tracegym
from tests.lending_desk import line, write


def without(chat: dict[str, Any], *roles: str) -> dict[str, Any]:
    """The chat without messages of these roles, and without calls where tools are gone."""
    kept = [message for message in chat["messages"] if message["role"] not in roles]
    for message in kept:
        if "tool" in roles:
            message.pop("tool_calls", None)
    return {**chat, "messages": [m for m in kept if m.get("content")]}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with good conversations, some without tools, some without outcome, one nobody may train on, and a broken line."""
    folder = tmp_path_factory.mktemp("yield")
    chats: list[dict[str, Any]] = [line(number, good=True) for number in range(8)]
    for number in range(8, 10):
        bare = without(line(number, good=True), "tool")
        bare.pop("tools", None)
        chats.append(bare)
    silent = [line(number, good=True) for number in range(10, 13)]
    chats += [{key: part for key, part in chat.items() if key != "outcome"} for chat in silent]
    chats.append({**line(13, good=True), "do_not_train": True})
    write(folder / "chats.jsonl", chats)
    with (folder / "chats.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"messages": 5}\n')
    tracegym("ingest", folder / "chats.jsonl", "--home", folder / "h")
    return folder / "h"


def test_before_a_build_doctor_says_what_is_readable_and_has_tools(mixed: Path) -> None:
    """What a build would find is not known yet."""
    stages = as_json("doctor", "--home", mixed)["yield"]
    assert [(one["stage"], one["count"]) for one in stages] == [
        ("conversations in", 15),
        ("readable", 14),
        ("with tools", 12),
    ]
    assert "--explain" in stages[1]["actions"]["refused"]


def test_every_conversation_is_lost_in_one_row_and_the_numbers_add_up(mixed: Path) -> None:
    """`build` and `doctor` show the same table, each loss with its reason and an action."""
    built = as_json("build", "--home", mixed)["yield"]
    assert as_json("doctor", "--home", mixed)["yield"] == built
    for before, after in pairwise(built):
        assert after["count"] + sum(after["lost"].values()) == before["count"]
    lost = {stage["stage"]: stage["lost"] for stage in built}
    assert list(lost) == [
        "conversations in",
        "readable",
        "with tools",
        "past redaction",
        "with an outcome",
        "in a task",
        "accepted",
        "exported",
    ]
    assert sum(lost["readable"].values()) == 1
    assert lost["with tools"] == {"no_tools": 2}
    assert lost["with an outcome"] == {"no_outcome": 3, "do_not_train": 1}
    assert (
        built[4]["actions"]["no_outcome"] == "say how 3 conversations ended: tracegym outcomes FILE"
    )
    assert built[-1]["count"] > 0
    shown = tracegym("build", "--home", mixed)
    assert "what frees most" in shown


def test_doing_what_the_table_says_frees_conversations(mixed: Path, tmp_path: Path) -> None:
    """Outcomes for those without one: they go on to the next stage."""
    before = {one["stage"]: one["count"] for one in as_json("build", "--home", mixed)["yield"]}
    table = "chat,went\n" + "".join(f"lending-{number}-0,1\n" for number in range(10, 13))
    (tmp_path / "outcomes.csv").write_text(table, encoding="utf-8")
    tracegym(
        *("outcomes", tmp_path / "outcomes.csv", "--key", "chat", "--value", "went"),
        *("--outcome", "resolved", "--home", mixed),
    )
    after = {one["stage"]: one["count"] for one in as_json("build", "--home", mixed)["yield"]}
    assert after["with an outcome"] == before["with an outcome"] + 3


@pytest.mark.slow
def test_conversations_that_only_answer_by_a_tool_called_none(tmp_path: Path) -> None:
    """Where agents say by a tool what they say, a conversation without another call lacks tools; nothing failed at it."""
    chats = []
    for number in range(6):
        chat = line(number, good=True)
        said = str(chat["messages"].pop()["content"])
        function = {"name": "final_answer", "arguments": json.dumps({"answer": said})}
        call = {"id": "last", "type": "function", "function": function}
        chat["messages"].append({"role": "assistant", "content": None, "tool_calls": [call]})
        if number == 0:
            chat["messages"] = [chat["messages"][0], chat["messages"][-1]]
        chat.pop("tools", None)
        chats.append(chat)
    write(tmp_path / "chats.jsonl", chats)
    tracegym("ingest", tmp_path / "chats.jsonl", "--home", tmp_path / "h")
    lost = {
        one["stage"]: one["lost"] for one in as_json("build", "--home", tmp_path / "h")["yield"]
    }
    assert lost["with tools"] == {"no_tools": 1}
    assert "fault" not in lost["past redaction"]
