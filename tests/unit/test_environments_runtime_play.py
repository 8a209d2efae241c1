"""Driving a run by single calls, by whole messages and by text: the same conversation, the same reward."""

from __future__ import annotations

from typing import Any

import pytest

from environments.runtime import TaskSet
from environments.runtime.play.play import ENDED, LEFT, NO_WORDS, TALK, Play, actions_of, outward
from environments.runtime.play.tool_names import tool_name
from environments.runtime.play.tool_schemas import complete_tool, inlined
from environments.runtime.play.tool_text import (
    message_of,
    text_messages,
    text_opening,
    write_message,
)
from environments.runtime.task.attempt import Json
from tests.consumer_desk import replays, write_desk
from tests.environments_shop import call, say


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> TaskSet:
    """The desk, opened."""
    folder = tmp_path_factory.mktemp("desk") / "set"
    write_desk(folder)
    return TaskSet.load(folder)


def test_messages_calls_and_text_earn_the_same(desk: TaskSet) -> None:
    """However a consumer hands the actions in, the reward is the task set's own."""
    for case in replays(desk, 60):
        whole, single, text = (Play(desk, case["task_id"]) for _ in range(3))
        for action in case["actions"]:
            shown: Any = outward(action, whole.names)
            whole.step(shown)
            text.step(message_of(write_message(shown)))
            for made in shown.get("tool_calls", ()):
                single.call(made["function"]["name"], made["function"]["arguments"])
            if "tool_calls" not in shown:
                single.call(TALK, {"message": str(shown["content"])})
        assert [p.verdict().reward for p in (whole, single, text)] == [case["reward"]] * 3


def test_tools_are_named_and_described_for_routes_and_methods(desk: TaskSet) -> None:
    """Names are identifiers and nobody's own words; schemas have no reference and a description everywhere."""
    play = Play(desk, "task1")
    assert [tool_name(tool) for tool in play.tools] == [
        "shop_orders_get",
        "reset_1c7a1973",
        "hand_over",
    ]
    function = play.tools[0]["function"]
    assert function == {
        "name": "shop_orders_get",
        "description": "shop orders/get",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string", "description": "order id"}},
            "required": ["order_id"],
        },
    }


def test_a_transcript_with_the_talk_tool_gives_the_actions_back(desk: TaskSet) -> None:
    """Words said by tool are words again, between the calls where they stood."""
    play = Play(desk, "task1")
    calls: list[Json] = [
        {"id": "1", "function": {"name": "shop_orders_get", "arguments": '{"order_id": "o1"}'}},
        {"id": "2", "function": {"name": TALK, "arguments": '{"message": "Found."}'}},
        {"id": "3", "function": {"name": "reset_1c7a1973", "arguments": '{"order_id": "o1"}'}},
    ]
    found: list[Any] = list(
        actions_of(
            [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": calls}],
            play.names,
        )
    )
    assert [m.get("content") for m in found] == [None, "Found.", None]
    assert found[0]["tool_calls"][0]["function"]["name"] == "shop.orders/get"
    assert found[2]["tool_calls"][0]["function"]["name"] == "reset"


def test_an_ended_run_takes_nothing_more(desk: TaskSet) -> None:
    """After the user has left neither words nor calls count."""
    play = Play(desk, "task1")
    assert play.talk("Which order is it?") == "It is o1."
    assert play.call(TALK, {"words": "x"}) == NO_WORDS
    assert play.talk("It is cancelled. Anything else?") == f"Thanks, bye.\n{LEFT}"
    assert (play.talk("More?"), play.call("hand_over", {})) == (LEFT, ENDED)
    assert len(play.actions) == 2


def test_schemas_that_hold_themselves_are_cut() -> None:
    """A recursive reference ends; one that names nothing is dropped; property names are never keywords."""
    tree: dict[str, Json] = {
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
        "properties": {"root": {"$ref": "#/$defs/Node"}, "$defs": {"$ref": "#/nowhere"}},
    }
    assert inlined(tree) == {
        "type": "object",
        "properties": {
            "root": {"type": "object", "properties": {"next": {}}},
            "$defs": {},
        },
    }
    whole: Any = complete_tool({"name": "a.b", "parameters": tree})
    assert whole["function"]["description"] == "a b"


def test_text_keeps_what_was_said_and_what_was_broken() -> None:
    """Thoughts and end tokens are not said; a block that is no JSON stays a call with its name."""
    assert message_of("<think>hm</think>Hello<|im_end|>\n")["content"] == "Hello"
    broken: Any = message_of('Wait.<tool_call>{"name": "f", "arguments": {"a": }</tool_call>')
    assert broken["content"] == "Wait."
    assert broken["tool_calls"][0]["function"]["name"] == "f"
    assert message_of(write_message(call("f", {"a": 1}))) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
    }


def test_text_openings_hold_the_tools_and_roles_of_any_template() -> None:
    """Definitions stand in the system message; results come from the user's side."""
    tool: dict[str, Json] = {"type": "function", "function": {"name": "f"}}
    opening = text_opening([{"role": "user", "content": "Hi"}], [tool])
    assert [message["role"] for message in opening] == ["system", "user"]
    assert '"name": "f"' in opening[0]["content"]
    assert text_opening([{"role": "developer", "content": "Hi"}], []) == [
        {"role": "system", "content": "Hi"}
    ]
    shown = list(text_messages([call("f", {}), {"role": "tool", "content": "ok"}, say("Done.")]))
    assert [message["role"] for message in shown] == ["assistant", "user", "assistant"]
    assert shown[1]["content"] == "<tool_response>\nok\n</tool_response>"
