"""Arguments that the host adds: found by what recordings show, asked of no policy, filled in by the environment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import Environment, run_actions
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.task import Task
from environments.runtime.task.tool_definition import function_of, parameters_of, properties_of
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.attempts.host_arguments import injected_arguments
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

WORDS = ("milk", "bread", "soap", "rice", "tea", "salt", "oil", "nuts")
TOOLS = tuple(
    json.dumps(
        {
            "type": "function",
            "function": {
                "name": name,
                "description": said,
                "parameters": {
                    "type": "object",
                    "properties": {n: {"type": "string"} for n in ("pass_key", "item")},
                    "required": ["pass_key", "item"],
                },
            },
        }
    )
    for name, said in (("find_item", "Finds an item."), ("add_item", "Adds an item to the list."))
)


def key_of(number: int) -> str:
    """A key that no text names, another one in every episode."""
    return f"k{number}f{number * 7919:05d}-9c{number}b-{number * 104729:08d}"


def episode(
    number: int, keys: Sequence[str] | None = None, *, said: str = "", shown: str = ""
) -> CleanEpisode:
    """One shopper: a look and a change, each with a key of the host; `shown` is what the look's answer tells of keys."""
    item = WORDS[number % len(WORDS)]
    first, second = keys or (key_of(number), key_of(number))
    steps = [
        CleanStep(role="system", content="Be kind."),
        CleanStep(role="user", content=f"Put {item} 40{number} on my list. {said}"),
    ]
    for turn, (tool, key) in enumerate((("find_item", first), ("add_item", second))):
        text = json.dumps({"pass_key": key, "item": f"{item} 40{number}"})
        call = CleanToolCall(call_id=f"c{turn}", name=tool, arguments=text)
        answer = json.dumps({"item": f"{item} 40{number}", "done": tool == "add_item"})
        if shown and not turn:
            answer = json.dumps({"item": f"{item} 40{number}", "key": shown})
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=f"c{turn}", content=answer))
    steps.append(CleanStep(role="assistant", content="It is on your list."))
    steps.append(CleanStep(role="user", content="Thanks."))
    return CleanEpisode(
        app="list",
        episode_id=f"e{number}",
        started_at=number,
        subject=f"u{number}",
        tools=TOOLS,
        steps=tuple(steps),
    )


def found_in(episodes: Sequence[CleanEpisode]) -> dict[str, tuple[str, ...]]:
    """Per tool the arguments that are held to be the host's."""
    return dict(injected_arguments([record(one) for one in episodes]).tools)


def derived(episodes: Sequence[CleanEpisode]) -> tuple[list[Candidate], World]:
    """The tasks of resolved episodes, and their world."""
    labels = {e.episode_id: Label(resolved=True, confidence=0.99) for e in episodes}
    learnt = learn_world(episodes, settings=WorldSettings(risk=0))
    return derive_tasks(episodes, labels, learnt), World(learnt.document)


def names_of(task: Task) -> set[str]:
    """All arguments that the task's tools take."""
    return {name for tool in task.tools for name in properties_of(function_of(tool))}


def test_a_value_that_nothing_shows_and_that_stays_is_the_hosts() -> None:
    """Unique per episode or the same everywhere: no policy could think of it."""
    both = {"add_item": ("pass_key",), "find_item": ("pass_key",)}
    assert found_in([episode(n) for n in range(5)]) == both
    same = key_of(1)
    assert found_in([episode(n, (same, same)) for n in range(5)]) == both


@pytest.mark.parametrize(
    "episodes",
    [
        pytest.param([episode(n, said=f"My key is {key_of(n)}.") for n in range(5)], id="said"),
        pytest.param([episode(n, (f"a{n}", key_of(n))) for n in range(5)], id="not opaque"),
        pytest.param([episode(n, ("open", "open")) for n in range(5)], id="a word"),
        pytest.param([episode(n, (key_of(n), key_of(n + 50))) for n in range(5)], id="changes"),
        pytest.param([episode(n) for n in range(2)], id="two episodes show nothing"),
    ],
)
def test_what_somebody_says_thinks_of_or_changes_is_not_the_hosts(
    episodes: list[CleanEpisode],
) -> None:
    """The user says it, it is a word, or each call has another one."""
    assert found_in(episodes) == {}


def test_a_key_that_a_tool_shows_later_counts_as_shown() -> None:
    """A login hands out another one: that is no change of the host's own."""
    logged_in = [episode(n, (key_of(n), key_of(n + 50)), shown=key_of(n + 50)) for n in range(5)]
    assert found_in(logged_in)["add_item"] == ("pass_key",)
    candidates, world = derived(logged_in)
    task = candidates[0].task
    assert task.injected["find_item"]
    schemas = {t["name"]: t for tool in task.tools if (t := dict(function_of(tool)))}
    assert "pass_key" in properties_of(schemas["add_item"])
    assert "pass_key" not in str(parameters_of(schemas["add_item"]).get("required"))
    verdict = evaluate(
        candidates[0].rubric,
        run_actions(task, world, candidates[0].solution),
        task_version="x",
    )
    assert verdict.reward == 1.0


def test_a_policy_that_never_heard_of_the_key_solves_the_task() -> None:
    """Neither its tools nor the solution name it; the task has another version with another key."""
    candidates, world = derived([episode(n) for n in range(6)])
    for one in candidates:
        assert one.task.injected
        assert names_of(one.task) == {"item"}
        assert "pass_key" not in json.dumps([dict(a) for a in one.solution])
        attempt = run_actions(one.task, world, one.solution)
        assert attempt.calls[-1].arguments["pass_key"]
        assert "pass_key" not in json.dumps([dict(m) for m in attempt.messages])
        assert evaluate(one.rubric, attempt, task_version="x").reward == 1.0
    again = Task.from_json(json.loads(json.dumps(candidates[0].task.to_json())))
    assert again == candidates[0].task


def test_an_app_without_such_arguments_keeps_its_tasks() -> None:
    """Nothing is written that was not written before."""
    candidates, _ = derived([episode(n, said=f"My key is {key_of(n)}.") for n in range(4)])
    assert all("injected" not in c.task.to_json() for c in candidates)
    assert names_of(candidates[0].task) == {"item", "pass_key"}


@pytest.mark.parametrize("given", [None, "", "absent"])
def test_the_environment_fills_in_what_a_call_lacks(given: Json) -> None:
    """Null and an empty text are as good as nothing."""
    candidates, world = derived([episode(n) for n in range(6)])
    arguments: dict[str, Json] = {"item": "milk 400"}
    if given != "absent":
        arguments["pass_key"] = given
    environment = Environment(candidates[0].task, world)
    result = environment.call("find_item", arguments)
    assert result.content == json.dumps({"item": "milk 400", "done": False})


def test_a_wrong_key_is_answered_as_the_world_answers() -> None:
    """What a policy gives itself is never replaced; arguments that are no object are refused as ever."""
    candidates, world = derived([episode(n) for n in range(6)])
    task = candidates[0].task
    environment = Environment(task, world)
    environment.call("find_item", {"pass_key": "wrong", "item": "milk 400"})
    environment.call("find_item", "[]")
    made = environment.attempt().calls
    assert made[0].arguments["pass_key"] == "wrong"
    assert made[1].malformed
    bare = replace(task, injected={})
    assert "pass_key" not in run_actions(bare, world, candidates[0].solution).calls[0].arguments
