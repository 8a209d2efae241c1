"""Fidelity: verdicts on replayed calls, counts per tool and source, and the floor beside them."""

from __future__ import annotations

import json
from typing import Any

from environments.fidelity import RecordedCall, RecordedEpisode, equal, record_tape, replay
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import calls_in, workshop_episodes


def _recorded(seed: int) -> RecordedEpisode:
    return RecordedEpisode(
        episode_id=f"r{seed}",
        calls=[
            RecordedCall(name=n, arguments=json.dumps(a), content=c)
            for n, a, c in calls_in(seed, 9)
        ],
    )


def _counts(part: dict[str, Any]) -> dict[str, int]:
    return {name: part[name] for name in ("exact", "wrong", "unknown")}


def test_held_out_episodes_beat_the_tape_and_are_hardly_wrong() -> None:
    """Counts add up, writes and reads are apart, and the world knows more than the tape."""
    world = World(learn_world(workshop_episodes(60), WorldSettings(risk=0)).document)
    held = [_recorded(seed) for seed in range(500, 520)]
    tape = record_tape(_recorded(seed) for seed in range(60))
    found: Any = replay(world, held, tape=tape).to_json()
    assert found["calls"] == sum(len(e.calls) for e in held)
    assert sum(_counts(found).values()) == found["calls"]
    assert found["reads"]["calls"] + found["writes"]["calls"] == found["calls"]
    assert found["exact"] > found["tape"]["exact"]
    assert found["wrong"] <= 0.01 * found["calls"]
    assert sum(part["calls"] for part in found["by_tool"].values()) == found["calls"]
    assert "unknown" in found["by_source"]


def test_each_tool_says_who_answered_and_what_is_open() -> None:
    """Per tool: sources add up, the floor stands beside them, unknown calls are counted by shape and reason."""
    world = World(learn_world(workshop_episodes(20), WorldSettings(risk=0)).document)
    held = [_recorded(seed) for seed in range(500, 510)]
    fidelity = replay(world, held, tape=record_tape(_recorded(seed) for seed in range(20)))
    found: Any = fidelity.to_json()
    taped = 0
    for part in found["by_tool"].values():
        assert sum(part["sources"].values()) == part["calls"]
        assert sum(n for why in part["unknowns"].values() for n in why.values()) == part["unknown"]
        taped += part["tape"]["exact"]
    assert taped == found["tape"]["exact"]
    assert found["unknown"]
    half = fidelity.restricted_to({e.episode_id for e in held[:5]})
    assert 0 < len(half.judged) < len(fidelity.judged)


def test_results_are_compared_as_values() -> None:
    """Layout and the order of keys do not matter; types do."""
    assert equal('{"a": 1, "b": 2}', '{"b":2,"a":1.0}')
    assert not equal('{"a": true}', '{"a": 1}')
    assert not equal("done", "Done")


def test_a_value_is_the_same_in_an_envelope_of_text() -> None:
    """`10800.0` is `10800` inside a JSON text as it is outside; another number, or a text in place of an object, is not."""
    inside = [f'{{"value": {number}}}' for number in ("10800", "10800.0", "9")]
    wrapped = [json.dumps({"text": text, "isError": False}) for text in inside]
    assert equal(wrapped[0], wrapped[1])
    assert not equal(wrapped[0], wrapped[2])
    assert not equal(wrapped[0], '{"text": {"value": 10800}, "isError": false}')
    assert not equal('{"text": "[half"}', '{"text": "[other"}')
