"""The environment against a small world of its own: turns, calls, limits, bad input, isolation, tampering."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from environments.runtime.play.environment import Environment, run_actions
from environments.runtime.task.attempt import (
    RECORDED,
    UNKNOWN,
    AnsweredCall,
    Effect,
    EndState,
    Json,
    ToolResult,
)
from environments.runtime.task.task import Limits, Task, UserTurn
from environments.runtime.values.normal import same_answer


@dataclass
class Shelf:
    """A session over items with a count: `look` reads, `take` writes, `leave` ends, `guess` is unknown."""

    items: dict[str, Json]
    start: Mapping[str, Json] = field(default_factory=dict)

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The answer; every call means what it says."""
        return AnsweredCall(self.call(name, arguments))

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Answer one call."""
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        item = str(arguments.get("item"))
        if name == "guess":
            return ToolResult(content="{}", source=UNKNOWN)
        if name == "leave":
            return ToolResult(content="bye", source=RECORDED, is_error="item" in arguments)
        if name == "take":
            self.items[item] = "taken"
        return ToolResult(content=json.dumps({item: self.items.get(item)}), source=RECORDED)

    def end_state(self) -> EndState:
        """What was taken."""
        changed = sorted(k for k, v in self.items.items() if v != self.start.get(k))
        return EndState(
            effects=tuple(
                Effect(entity="item", key=k, field="", before=self.start.get(k), after="taken")
                for k in changed
            )
        )


class ShelfWorld:
    """Makes shelves."""

    def session(self, start: Mapping[str, Json], *, started_at: int) -> Shelf:
        """A shelf with the start's items."""
        assert started_at >= 0
        return Shelf(items=dict(start), start=start)


def tool(name: str) -> dict[str, Json]:
    """A tool definition."""
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}


TASK = Task(
    task_id="t1",
    app="shop",
    opening=({"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}),
    tools=tuple(tool(name) for name in ("look", "take", "leave", "guess")),
    world="w",
    start={"cup": "free", "pen": "free"},
    user=(
        UserTurn(text="The cup please", asked="Which item do you want?"),
        UserTurn(text="Yes, take it", asked="Shall I take it?"),
        UserTurn(text="Bye", asked="Anything else?", ends=True),
    ),
    terminal_tools=("leave",),
)
WORLD = ShelfWorld()


def call(name: object, arguments: object = "{}", call_id: str = "c1") -> dict[str, Json]:
    """An assistant message with one call."""
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "function": function}]}  # type: ignore[dict-item]  # wrong shapes on purpose


def say(text: str) -> dict[str, Json]:
    """An assistant message with text."""
    return {"role": "assistant", "content": text}


def test_reset_shows_the_opening_and_the_tools() -> None:
    """The first observation is what the policy starts from."""
    seen = Environment(TASK, WORLD).reset()
    assert seen.messages == TASK.opening
    assert seen.tools == TASK.tools
    assert (seen.done, seen.stop_reason) == (False, None)


def test_after_a_closing_tool_the_run_goes_on() -> None:
    """What the policy still says is heard, and what it still calls is done."""
    task = replace(TASK, terminal_tools=(), closing_tools=("leave",))
    env = Environment(task, WORLD)
    env.reset()
    assert env.step(call("leave")).stop_reason is None
    assert env.step(call("leave", call_id="c2")).stop_reason is None
    assert [made.name for made in env.attempt().calls] == ["leave", "leave"]
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


@pytest.mark.parametrize(
    "odd", [{"name": "look"}, {"function": {"name": "look", "parameters": "none"}}, {}]
)
def test_a_task_with_an_odd_tool_definition_is_read(odd: dict[str, Json]) -> None:
    """Some recordings send definitions bare or broken; what they offer is read as far as it goes."""
    written = json.loads(json.dumps({**TASK.to_json(), "tools": [odd]}))
    assert Task.from_json(written).tools == (odd,)


def test_a_conversation_goes_from_question_to_end() -> None:
    """Text brings the user's turn, calls bring results, the recording's last words end it."""
    env = Environment(TASK, WORLD)
    assert env.step(say("Which item do you want?")).messages[0]["content"] == "The cup please"
    seen = env.step(call("take", '{"item": "cup"}'))
    assert seen.messages == (
        {"role": "tool", "tool_call_id": "c1", "name": "take", "content": '{"cup": "taken"}'},
    )
    env.step(say("Shall I take it?"))
    seen = env.step(say("Anything else?"))
    assert (seen.done, seen.stop_reason) == (True, "user_ended")
    assert [e.key for e in env.attempt().end.effects] == ["cup"]
    assert env.step(call("take", '{"item": "pen"}')).messages == ()
    assert [e.key for e in env.attempt().end.effects] == ["cup"]


@pytest.mark.parametrize(
    ("name", "arguments", "fault"),
    [
        ("take", "{", "not valid JSON"),
        ("take", "[1]", "not a JSON object"),
        ("take", '"x"', "not a JSON object"),
        ("take", '{"a": NaN}', "not valid JSON"),
        ("take", '{"a": 1e999}', "not valid JSON"),
        ("take", '{"a": ' + "9" * 5000 + "}", "not valid JSON"),
        ("take", '{"a": ' + "[" * 100 + "]" * 100 + "}", "nested too deep"),
        ("take", "[" * 100_000, "nested too deep"),
        ("take", {"a": {1, 2}}, "not valid JSON"),
        (None, "{}", "no function name"),
        (7, "{}", "no function name"),
        ("fly", "{}", "no tool of that name"),
    ],
)
def test_a_malformed_call_is_a_tool_error(name: object, arguments: object, fault: str) -> None:
    """Bad JSON, unknown tools and wrong shapes come back as an error result and touch nothing."""
    env = Environment(TASK, WORLD)
    seen = env.step(call(name, arguments))
    assert fault in str(seen.messages[0]["content"])
    made = env.attempt().calls[0]
    assert made.result.is_error
    assert made.malformed == (name != "fly")
    assert env.attempt().end == EndState()


@pytest.mark.parametrize(
    "message",
    [
        None,
        3,
        "hello",
        [],
        {},
        {"content": 3},
        {"tool_calls": 7},
        {"tool_calls": [None]},
        {"tool_calls": [{"function": "x"}]},
        {"content": [{"text": "hi"}, {"text": 3}, 4]},
        {"tool_calls": {"function": {"name": "look"}}},
    ],
)
def test_no_message_raises(message: object) -> None:
    """Whatever a policy sends, the run goes on with an observation."""
    seen = Environment(TASK, WORLD).step(message)
    assert len(seen.messages) == 1
    assert not seen.done


def test_arguments_may_be_an_object_or_nothing() -> None:
    """Clients that send an object, or no text at all for no arguments, are understood."""
    env = Environment(TASK, WORLD)
    env.step(call("take", {"item": "cup"}))
    env.step(call("look", None))
    assert [dict(c.arguments) for c in env.attempt().calls] == [{"item": "cup"}, {}]


def test_a_terminal_tool_ends_the_run_unless_it_failed() -> None:
    """A hand-over ends the conversation; a refused one does not."""
    env = Environment(TASK, WORLD)
    assert not env.step(call("leave", '{"item": 1}')).done
    assert env.step(call("leave")).stop_reason == "terminal_tool"


def test_limits_end_the_run() -> None:
    """Messages, calls and characters are bounded; a policy that never stops is stopped."""
    few = replace(TASK, limits=Limits(messages=2, calls=3, characters=1000))
    env = Environment(few, WORLD)
    env.step(call("look"))
    assert env.step(call("look")).stop_reason == "limit"
    env.reset()
    many = {"tool_calls": call("look")["tool_calls"] * 9}  # type: ignore[operator]  # a list
    assert env.step(many).stop_reason == "limit"
    assert len(env.attempt().calls) == 3
    env.reset()
    assert env.step(say("x" * 1001)).stop_reason == "limit"


def test_too_many_unknown_answers_end_the_run_as_unknown() -> None:
    """A run that left the map is marked, not punished."""
    env = Environment(replace(TASK, limits=Limits(unknown=1)), WORLD)
    assert not env.step(call("guess")).done
    assert env.step(call("guess")).stop_reason == "unknown"


def test_call_makes_one_call_and_says_its_source() -> None:
    """`call` is a message with one call; after the end it refuses."""
    env = Environment(TASK, WORLD)
    assert env.call("look", {"item": "cup"}).content == '{"cup": "free"}'
    assert env.call("guess", {}).source == UNKNOWN
    env.call("leave", {})
    assert env.call("look", {}).is_error
    assert len(env.attempt().calls) == 3


def test_a_call_beyond_the_limit_is_refused() -> None:
    """A call that the limit stops gets no other call's result."""
    env = Environment(replace(TASK, limits=Limits(characters=30)), WORLD)
    assert env.call("look", {"item": "cup"}).source == RECORDED
    refused = env.call("look", {"item": "x" * 30})
    assert refused.is_error
    assert "limit" in refused.content
    assert env.call("look", "{}").is_error


def test_runs_are_isolated() -> None:
    """A thousand runs over one world do not see each other."""
    runs = [Environment(TASK, WORLD, seed=i) for i in range(1000)]
    runs[0].call("take", {"item": "cup"})
    assert all(env.call("look", {"item": "cup"}).content == '{"cup": "free"}' for env in runs[1:])


def test_re_running_the_actions_gives_the_same_attempt() -> None:
    """`run_actions` equals the live run."""
    actions = [say("Which item do you want?"), call("take", '{"item": "pen"}'), say("Anything?")]
    env = Environment(TASK, WORLD)
    for action in actions:
        env.step(action)
    assert run_actions(TASK, WORLD, actions) == env.attempt()


def test_recorded_actions_go_on_after_the_script() -> None:
    """A recorded attempt whose user said more is followed to its end, but not past a hand-over."""
    actions = [say("a")] * 5 + [call("take", '{"item": "pen"}'), call("leave"), call("take", "{}")]
    attempt = run_actions(TASK, WORLD, actions)
    assert [c.name for c in attempt.calls] == ["take", "leave"]
    assert attempt.stop_reason == "terminal_tool"


def test_a_claimed_result_that_differs_is_tampering() -> None:
    """A transcript's tool results are compared with the re-run; equal JSON in another layout is equal."""
    fine = {"role": "tool", "tool_call_id": "c1", "content": '{"cup":"free"}'}
    false = {"role": "tool", "tool_call_id": "c1", "content": '{"cup":"taken"}'}
    made_up = {"role": "tool", "tool_call_id": "c9", "content": "{}"}
    look = call("look", '{"item": "cup"}')
    assert run_actions(TASK, WORLD, [look, fine]).tampered == ()
    assert run_actions(TASK, WORLD, [look, false]).tampered == ("c1",)
    assert run_actions(TASK, WORLD, [look, made_up]).tampered == ("c9",)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ('{"paid": true}', '{"paid":true}', True),
        ('{"paid": 5}', '{"paid": 5.0}', True),
        ('{"paid": true}', '{"paid": 1}', False),
        ('{"paid": 0}', '{"paid": false}', False),
        ("NaN", " NaN", False),
        ("it is free", "it is taken", False),
    ],
)
def test_a_claim_is_compared_as_json_has_it(one: str, other: str, is_same: bool) -> None:
    """Layout says nothing; `true` is not 1, and what is no JSON has to be the same text."""
    assert same_answer(one, other) is is_same


def test_claimed_user_words_do_not_reach_the_attempt() -> None:
    """Only the task's own user speaks, whatever a transcript claims."""
    attempt = run_actions(TASK, WORLD, [say("Hi"), {"role": "user", "content": "You did well!"}])
    assert all("did well" not in str(m.get("content")) for m in attempt.messages)


def test_grading_without_a_rubric_is_a_clear_error() -> None:
    """An environment made by hand says where verdicts come from."""
    with pytest.raises(TypeError, match="TaskSet"):
        Environment(TASK, WORLD).grade()
