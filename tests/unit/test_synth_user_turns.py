"""Users with tools of their own: their calls are learnt, made again when asked for, and their words hold only then."""

from __future__ import annotations

import json
from dataclasses import replace

from environments.runtime.play.environment import Environment
from environments.runtime.play.user import NEUTRAL, ScriptedUser
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.task.task import Task, UserTurn
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.attempts.user_turns import acts_first, turns_of_other_recordings, user_turns
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

ASKS = "Please look at the status bar of your phone."
LINES = 8
DEFINITIONS = tuple(
    json.dumps({"type": "function", "function": {"name": n, "description": n, "parameters": {}}})
    for n in ("get_line", "enable_roaming")
)


def _calls(role: str, name: str, line: str, number: int, result: str) -> list[CleanStep]:
    call = CleanToolCall(call_id=f"c{number}", name=name, arguments=json.dumps({"line": line}))
    return [
        CleanStep(role=role, tool_calls=(call,)),
        CleanStep(role="tool", call_id=f"c{number}", content=result),
    ]


def episode(number: int, *, roams: bool = True) -> CleanEpisode:
    """The agent turns roaming on (or not), the user looks at the phone and says what it shows."""
    line = f"LN-{number % LINES:04}"
    shown = json.dumps({"line": line, "roaming": roams, "bars": number % LINES})
    steps = [CleanStep(role="user", content=f"No data on {line} abroad.")]
    before = json.dumps({"line": line, "roaming": False, "bars": number % LINES})
    steps += _calls("assistant", "get_line", line, 1, before)
    if roams:
        steps += _calls("assistant", "enable_roaming", line, 2, shown)
    steps.append(CleanStep(role="assistant", content=ASKS))
    steps += _calls("user", "show_bar", line, 3, shown)
    steps.append(CleanStep(role="user", content="Roaming is on." if roams else "It is off."))
    steps.append(CleanStep(role="assistant", content="Goodbye."))
    return CleanEpisode(
        app="telecom",
        episode_id=f"e{number:02}",
        started_at=number,
        task_key=f"t{number % LINES}",
        tools=DEFINITIONS,
        steps=tuple(steps),
    )


EPISODES = [episode(n, roams=n % 4 != 3) for n in range(4 * LINES)]


def solved() -> tuple[Task, World]:
    """The first task with a known solution, and the world."""
    world = learn_world(EPISODES, WorldSettings(risk=0))
    labels = {
        e.episode_id: Label(resolved=n % 4 != 3, confidence=0.97) for n, e in enumerate(EPISODES)
    }
    found = [c for c in derive_tasks(EPISODES, labels, world) if c.solution]
    return found[0].task, World(world.document)


def _act(environment: Environment, name: str) -> None:
    line = environment.task.opening[0]["content"]
    assert isinstance(line, str)
    environment.call(name, {"line": line.split()[3]})


def test_what_the_user_did_belongs_to_the_words_after_it() -> None:
    """One turn with the call and the words; the policy's messages hold neither call nor answer."""
    (turn,) = user_turns(EPISODES[0])
    assert (turn.asked, turn.text) == (ASKS, "Roaming is on.")
    assert [call.name for call in turn.calls] == ["show_bar"]
    assert UserTurn.from_json(json.loads(json.dumps(turn.to_json()))) == turn

    attempt = record(EPISODES[0]).attempt
    assert [c.by_user for c in attempt.calls] == [False, False, True]
    texts = [str(message.get("content")) for message in attempt.messages]
    assert len([m for m in attempt.messages if m["role"] == "tool"]) == 2
    assert attempt.messages[attempt.calls[2].message]["content"] == "Roaming is on."
    assert texts[attempt.opening - 1] == "No data on LN-0000 abroad."


def test_a_user_knows_what_other_attempts_asked_them() -> None:
    """Answers to other questions, without what ends a conversation and without what names another request's things."""
    size = UserTurn(text="Size 9, please.", asked="Which size?")
    turns = (size, UserTurn(text="Bye.", asked="Anything else?", ends=True))
    other = (
        UserTurn(text="Size 9!", asked="Which size?"),
        UserTurn(text="Yes.", asked="Order W-1, size 9. Do you confirm?"),
        UserTurn(text="It is W-2.", asked="Which order?"),
        UserTurn(text="Hurry up.", asked="One moment."),
        UserTurn(text="Good night.", asked="Is that all?", ends=True),
    )
    found = turns_of_other_recordings(turns, [other, other], "I want W-1")
    assert [(turn.text, turn.other_recording) for turn in found] == [("Yes.", True)]
    (turn,) = found
    assert UserTurn.from_json(json.loads(json.dumps(turn.to_json()))) == turn
    assert "other_recording" not in size.to_json()


def test_the_user_acts_when_asked_and_says_what_was_seen() -> None:
    """The call is answered by the world, after what the policy did."""
    task, world = solved()
    run = Environment(task, world)
    _act(run, "get_line")
    _act(run, "enable_roaming")
    run.step({"role": "assistant", "content": ASKS})
    assert run.messages[-1] == {"role": "user", "content": "Roaming is on."}
    attempt = run.attempt()
    assert [(c.name, c.by_user) for c in attempt.calls][-1] == ("show_bar", True)
    assert attempt.user_unknown == 0


def test_words_that_no_longer_hold_are_not_said() -> None:
    """Without the policy's change the phone shows something else: nobody knows what the user would say."""
    task, world = solved()
    run = Environment(task, world)
    _act(run, "get_line")
    run.step({"role": "assistant", "content": ASKS})
    assert run.messages[-1]["content"] == NEUTRAL
    assert run.attempt().user_unknown == 1


def test_nobody_acts_because_of_other_words() -> None:
    """A turn with calls is never given just because it comes next."""
    task, _ = solved()
    user = ScriptedUser(task.user)
    reply = user.reply("Your contract runs until March.")
    assert (reply.source, reply.calls) == (UNKNOWN, ())
    assert [call.name for call in user.reply(ASKS).calls] == ["show_bar"]


def test_calls_of_the_user_can_be_graded_again() -> None:
    """The known solution runs without unknown answers, and who acts before the policy spoke is named."""
    assert not acts_first(EPISODES[0])
    steps = EPISODES[0].steps
    moved = (steps[0], *steps[6:8], *steps[1:6], *steps[8:])
    assert acts_first(replace(EPISODES[0], steps=moved))

    task, world = solved()
    run = Environment(task, world)
    for name in ("get_line", "enable_roaming"):
        _act(run, name)
    run.step({"role": "assistant", "content": ASKS})
    assert UNKNOWN not in [call.result.source for call in run.attempt().calls]


def test_a_turn_knows_whether_the_agent_acted_before_it() -> None:
    """Calls between the user's words before and these."""
    steps = (
        CleanStep(role="user", content="Please cancel order 7."),
        CleanStep(role="assistant", content="Which reason?"),
        CleanStep(role="user", content="Too late."),
        *_calls("assistant", "get_line", "LN-1", 1, "{}"),
        CleanStep(role="assistant", content="Done."),
        CleanStep(role="user", content="Thanks."),
    )
    turns = user_turns(replace(episode(1), steps=steps))
    assert [turn.after_calls for turn in turns] == [False, True]
    assert [UserTurn.from_json(turn.to_json()) for turn in turns] == list(turns)
