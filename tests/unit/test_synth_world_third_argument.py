"""A tool whose results repeat one argument and hang on a second: a third is no matter of course."""

import json

from environments.runtime.attempt import UNKNOWN
from environments.runtime.world import World
from redact.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

RATES = {"ects": 1, "us": 2, "uk": 4}
ASKED = [
    ("us", "ects", 3),
    ("us", "ects", 6),
    ("ects", "uk", 6),
    ("ects", "uk", 30),
    ("uk", "us", 6),
]


def _converted(source: str, target: str, amount: int) -> str:
    return json.dumps({"amount": amount * RATES[target] / RATES[source], "unit": target})


def _season() -> list[CleanEpisode]:
    out = []
    for number in range(40):
        source, target, amount = ASKED[number % len(ASKED)]
        arguments = json.dumps({"amount": amount, "source": source, "target": target})
        call = CleanToolCall(call_id="c", name="convert", arguments=arguments)
        steps = (
            CleanStep(role="assistant", tool_calls=(call,), at=number),
            CleanStep(
                role="tool", call_id="c", content=_converted(source, target, amount), at=number
            ),
        )
        out.append(
            CleanEpisode(app="school", episode_id=f"e{number:03}", started_at=number, steps=steps)
        )
    return out


def test_another_source_is_not_answered_with_this_one() -> None:
    """Every recorded amount in a unit came from one source; what it is from another nobody saw."""
    learnt = learn_world(_season(), WorldSettings())
    session = World.from_json(json.loads(json.dumps(learnt.document))).session(started_at=100)
    known = session.call("convert", {"amount": 6, "source": "ects", "target": "uk"})
    assert known.content == _converted("ects", "uk", 6)
    other = session.call("convert", {"amount": 6, "source": "us", "target": "uk"})
    assert other.source == UNKNOWN or json.loads(other.content)["amount"] == 12.0
