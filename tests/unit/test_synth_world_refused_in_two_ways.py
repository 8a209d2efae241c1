"""Refusals in several words: one is told only where no recorded call that it would be told to was refused in others."""

from __future__ import annotations

import json

import pytest

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

TAKEN = "done"
CRASHED = "KeyError: '{}'"
MISSING = "ValueError: nobody is called {}"
CREW = {"Ada": TAKEN, "Bea": TAKEN, "Cleo": CRASHED, "Dina": CRASHED}


def recordings(strangers: tuple[str, ...]) -> list[CleanEpisode]:
    """Everybody is sent ashore in some episode; who is not aboard, or not any more, is refused in words of its own."""
    said = {**CREW, **dict.fromkeys(strangers, MISSING)}
    out = []
    for at in range(40):
        name = list(said)[at % len(said)]
        gone = bool(strangers) and said[name] == TAKEN
        steps = [CleanStep(role="user", content="hello")]
        for n, told in enumerate((said[name], MISSING)[: 1 + gone]):
            asked = json.dumps({"person": name})
            call = CleanToolCall(call_id=f"c{n}", name="send_ashore", arguments=asked)
            result = told.format(name)
            steps.append(CleanStep(role="assistant", tool_calls=(call,)))
            steps.append(
                CleanStep(role="tool", call_id=f"c{n}", content=result, is_error=told != TAKEN)
            )
        episode = CleanEpisode(app="ship", episode_id=f"e{at}", started_at=at, steps=tuple(steps))
        out.append(episode)
    return out


@pytest.mark.parametrize("strangers", [("Enno",), ()])
def test_words_are_not_told_to_calls_like_one_refused_in_others(strangers: tuple[str, ...]) -> None:
    """A stranger is refused once, otherwise than who crashes: nobody knows what another unknown name is told."""
    learnt = learn_world(recordings(strangers), WorldSettings(risk=0, continuity="reset"))
    world = World.from_json(learnt.document.to_json())

    def told(name: str) -> str | None:
        result = world.session().call("send_ashore", {"person": name})
        return None if result.source == UNKNOWN else result.content

    assert told("Ada") == TAKEN
    assert told("Cleo") == CRASHED.format("Cleo")
    assert told("Fenn") == (None if strangers else CRASHED.format("Fenn"))


def test_sentences_for_every_field_are_a_refusal() -> None:
    """A framework's form validation lists what is wrong with each field and marks nothing as an error."""
    objection = {"until": ["Cannot be later than 2028-02-28."]}
    out = []
    for at in range(30):
        late = at % 3 == 0
        told = objection if late else {"berth": at % 5, "until": "2028-02-01", "paid": True}
        asked = json.dumps({"berth": at % 5, "until": "2029-01-01" if late else "2028-02-01"})
        call = CleanToolCall(call_id="c0", name="extend_stay", arguments=asked)
        steps = (
            CleanStep(role="user", content="hello"),
            CleanStep(role="assistant", tool_calls=(call,)),
            CleanStep(role="tool", call_id="c0", content=json.dumps(told)),
        )
        out.append(CleanEpisode(app="ship", episode_id=f"e{at}", started_at=at, steps=steps))
    learnt = learn_world(out, WorldSettings(continuity="reset"))
    session = World.from_json(learnt.document.to_json()).session()
    refused = session.call("extend_stay", {"berth": 0, "until": "2029-01-01"})
    assert (json.loads(refused.content), refused.is_error) == (objection, True)
    assert not session.call("extend_stay", {"berth": 1, "until": "2028-02-01"}).is_error
