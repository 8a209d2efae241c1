"""Chat JSONL and preference pairs: which attempts come in, what a line holds, the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from environments.export.errors import ExportError
from environments.export.package import module_name
from environments.export.registry import FORMATS
from environments.export.taskset import Choice, write_task_set
from environments.runtime import TaskSet
from environments.runtime.task.candidate import RecordedAttempt
from environments.runtime.task.task import UserTurn
from tests.consumer_desk import OUTER, desk_entry, renamed, write_desk
from tests.environments_shop import call, world, write_shop


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """The desk as a task set."""
    write_desk(tmp_path / "set")
    return tmp_path / "set"


def rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_conversation_is_whole_and_earns_everything(desk: Path, tmp_path: Path) -> None:
    """Each good attempt is one line with the policy document, the user's turns, calls, results and tools."""
    FORMATS["sft"].write(desk, tmp_path / "sft")
    found = rows(tmp_path / "sft" / "train.jsonl")
    assert [(row["task_id"], row["episode_id"], row["reward"]) for row in found] == [
        ("task1", "good1", 1.0),
        ("task3", "good3", 1.0),
    ]
    roles = [message["role"] for message in found[0]["messages"]]
    assert roles == [
        "system",
        *["user", "assistant"] * 2,
        "tool",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    called = [c["function"]["name"] for m in found[0]["messages"] for c in m.get("tool_calls", ())]
    assert set(called) <= {tool["function"]["name"] for tool in found[0]["tools"]}
    assert all(isinstance(m["content"], str) for m in found[0]["messages"])


def test_a_conversation_grades_as_it_says(desk: Path, tmp_path: Path) -> None:
    """The lines, run again by the task set, earn the reward that stands beside them."""
    FORMATS["sft"].write(desk, tmp_path / "sft")
    task_set = TaskSet.load(desk)
    for row in rows(tmp_path / "sft" / "train.jsonl"):
        text = json.dumps(row["messages"]).replace("shop_orders_get", "shop.orders/get")
        assert task_set.grade(row["task_id"], json.loads(text)).reward == row["reward"]


def test_a_pair_parts_where_the_attempts_part(desk: Path, tmp_path: Path) -> None:
    """The prompt ends before the first message that differs; attempts without a known outcome or reward are in no pair."""
    FORMATS["dpo"].write(desk, tmp_path / "dpo")
    found = rows(tmp_path / "dpo" / "train.jsonl")
    assert [(r["chosen_episode_id"], r["rejected_episode_id"]) for r in found] == [
        ("good1", "bad1"),
        ("good3", "bad3"),
    ]
    first = found[0]
    assert (first["chosen_reward"], first["rejected_reward"]) == (1.0, 0.0)
    assert first["prompt"][-1]["role"] == "tool"
    assert first["chosen"][0]["tool_calls"][0]["function"]["name"] == "reset"
    assert first["rejected"][0]["content"] == "I am afraid I cannot do that."


def test_tasks_without_attempts_give_their_solution_and_no_pair(tmp_path: Path) -> None:
    """A task set that holds solutions only is still good for fine-tuning."""
    write_shop(tmp_path / "set", choice=Choice(splits=None))
    FORMATS["sft"].write(tmp_path / "set", tmp_path / "sft")
    FORMATS["dpo"].write(tmp_path / "set", tmp_path / "dpo")
    assert [row["episode_id"] for row in rows(tmp_path / "sft" / "train.jsonl")] == ["", ""]
    assert rows(tmp_path / "dpo" / "train.jsonl") == []


def test_a_call_with_an_id_that_this_user_never_gave_is_nothing_to_learn(tmp_path: Path) -> None:
    """Attempts share one user: what another user had said, a learner of the replay would make up. Where it was given, it stays."""
    one = desk_entry(1)
    look = call(OUTER["get_order"], {"order_id": "ORD-88817"})
    beside = RecordedAttempt(episode_id="other", actions=(look, *one.solution), resolved=True)
    given = UserTurn(text="Look at ORD-88817, too.", asked=str(one.solution[0]["content"]))
    told = replace(one.task, task_id="told", user=(given, *one.task.user[1:]))
    asked = replace(beside, actions=(one.solution[0], look, *one.solution[1:]))
    document = renamed(world())
    document["tables"]["order"]["rows"][json.dumps(["ORD-88817"])] = {
        "order_id": "ORD-88817", "status": "pending", "total": 42.0,
    }  # fmt: skip
    write_task_set(
        tmp_path / "set",
        [
            replace(one, attempts=(*one.attempts, beside)),
            replace(one, task=told, attempts=(*one.attempts, asked)),
        ],
        {"shop": document},
        provenance={"name": "desk tasks", "redaction": "on"},
        choice=Choice(splits=None),
    )
    FORMATS["sft"].write(tmp_path / "set", tmp_path / "sft")
    found = rows(tmp_path / "sft" / "train.jsonl")
    assert {(row["task_id"], row["episode_id"]) for row in found} == {
        ("task1", "good1"),
        ("told", "good1"),
        ("told", "other"),
    }


def test_the_same_task_set_gives_the_same_bytes(desk: Path, tmp_path: Path) -> None:
    """Two exports are equal, and the second replaces the first."""
    FORMATS["dpo"].write(desk, tmp_path / "dpo")
    before = contents(tmp_path / "dpo")
    FORMATS["dpo"].write(desk, tmp_path / "dpo")
    assert contents(tmp_path / "dpo") == before


def test_a_foreign_folder_is_left_alone(desk: Path, tmp_path: Path) -> None:
    """Only an export of the same format is replaced."""
    FORMATS["sft"].write(desk, tmp_path / "sft")
    (tmp_path / "file").write_text("work")
    with pytest.raises(ExportError, match="not a dpo export"):
        FORMATS["dpo"].write(desk, tmp_path / "sft")
    with pytest.raises(ExportError, match="is a file"):
        FORMATS["dpo"].write(desk, tmp_path / "file")
    with pytest.raises(ExportError, match="not a dpo export"):
        FORMATS["dpo"].write(desk, desk)


def test_names_that_would_shadow_are_refused() -> None:
    """A package cannot be called like what it imports."""
    assert module_name("Desk tasks") == "desk_tasks"
    for name, consumer in (("runtime", ""), ("Skyrl Gym", "skyrl_gym")):
        with pytest.raises(ExportError):
            module_name(name, consumer)
