"""Agents that greet first: what every conversation begins with is no part of a task, what is said to one user is."""

from __future__ import annotations

import json

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.attempts.greetings import LEFT_OUT, without_greetings
from synth.attempts.user_turns import user_turns
from synth.recordings.attempt import opening_length, record

SYSTEM = CleanStep(role="system", content="Be brief.")
ASKED = CleanStep(role="user", content="Where is A1?")
ANSWER = CleanStep(role="assistant", content="It was sent.")
LOOK = CleanStep(
    role="assistant",
    tool_calls=(CleanToolCall(call_id="k1", name="find", arguments=json.dumps({"order": "A1"})),),
)
RESULT = CleanStep(role="tool", content="sent", call_id="k1")


def episode(number: int, *steps: CleanStep) -> CleanEpisode:
    """One conversation."""
    return CleanEpisode(
        app="shop", episode_id=str(number), started_at=number, steps=(SYSTEM, *steps)
    )


def greeted(number: int, words: str) -> CleanEpisode:
    """One that the agent begins."""
    return episode(number, CleanStep(role="assistant", content=words), ASKED, LOOK, RESULT, ANSWER)


def test_what_every_conversation_begins_with_is_left_out() -> None:
    """Prompts then begin with the user, as chat templates want them, and the episode says what is gone."""
    given = [greeted(n, "Hello! How can I help you?") for n in range(5)]

    found = without_greetings(given)

    assert [one.steps for one in found] == [(SYSTEM, ASKED, LOOK, RESULT, ANSWER)] * 5
    assert all(LEFT_OUT in one.completeness for one in found)


def test_what_is_said_to_one_user_stays_and_stands_before_the_request() -> None:
    """The opening ends where the agent first answers or acts; nothing that the user says there is a later turn."""
    given = [greeted(n, f"Hello, your appointment is at {n}. Do you confirm it?") for n in range(5)]

    found = without_greetings(given)

    assert found == given
    assert [opening_length(one) for one in found] == [3] * 5
    assert [user_turns(one) for one in found] == [()] * 5
    recorded = record(found[0])
    assert recorded.attempt.opening == 3
    assert [action.get("content") for action in recorded.actions] == [None, "It was sent."]


def test_an_agent_that_acts_first_has_no_greeting() -> None:
    """A call before the request is an act, and few alike beginnings are an accident."""
    acting = [episode(n, LOOK, RESULT, ASKED, ANSWER) for n in range(5)]
    few = [greeted(n, "Hello!") for n in range(2)]
    alone = [episode(n, ANSWER) for n in range(5)]

    for given in (acting, few, alone):
        assert without_greetings(given) == given
    assert [opening_length(one) for one in (*acting, *alone)] == [1] * 10
