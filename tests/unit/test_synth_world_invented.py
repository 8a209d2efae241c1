"""Worlds learnt from an invented backend: what is understood, what is answered, and what is left unknown."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache

import pytest

from environments.fidelity import judge
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from synth.worlds import LearntWorld, WorldSettings, learn_world
from tests.unit.world_backend import Workshop, arguments_for, workshop_episodes


@cache
def _learnt() -> LearntWorld:
    return learn_world(workshop_episodes(60), WorldSettings(risk=0))


@cache
def _world() -> World:
    return World.from_json(_learnt().document.to_json())


def _kinds() -> dict[str, str]:
    return {tool.name: tool.kind for tool in _learnt().tools}


def test_kinds_are_found_without_looking_at_names() -> None:
    """Readers, the calculator, writers and the log are told apart by what they do."""
    kinds = _kinds()
    assert kinds["show_bike"] == "read"
    assert kinds["settings_of"] == "read"
    assert kinds["add_up"] == "pure"
    assert kinds["paint"] == "write"
    assert kinds["open_job"] == "write"
    assert kinds["write_log"] == "act"


def test_a_write_is_seen_by_the_reader() -> None:
    """Painting changes colour and price, and the bike is shown so afterwards."""
    shop, session = Workshop(), _world().session()
    name, arguments = "paint", {"bike": "BK-4000", "colour": "black"}
    assert judge(session.call(name, arguments), shop.call(name, arguments)) == "exact"
    shown = session.call("show_bike", {"bike": "BK-4000"})
    assert judge(shown, shop.call("show_bike", {"bike": "BK-4000"})) == "exact"


def test_a_refusal_is_claimed_with_its_message() -> None:
    """A sold bike is refused as the shop refuses it, and nothing changes."""
    session = _world().session()
    sold = next(b for b, row in Workshop().bikes.items() if row["state"] == "sold")
    answer = session.call("paint", {"bike": sold, "colour": "red"})
    assert answer.content == "Error: a sold bike cannot be painted"
    assert answer.is_error
    assert session.end_state().effects == ()


def test_effects_name_the_changed_fields() -> None:
    """The end state holds one effect per field, and none where the same value was written."""
    session = _world().session()
    session.call("paint", {"bike": "BK-4000", "colour": "black"})
    fields = {e.field: (e.before, e.after) for e in session.end_state().effects}
    assert fields["colour"] == ("red", "black")
    assert fields["price"] == (100.0, 120.0)
    assert {e.entity for e in session.end_state().effects} == {"bike"}


def test_numbered_ids_follow_the_order_of_calls() -> None:
    """Jobs are numbered as they come, whatever bike they are for."""
    shop, session = Workshop(), _world().session()
    for bike in ("BK-4000", "BK-4007", "BK-4014"):
        arguments = {"bike": bike, "work": "wheel"}
        answer = session.call("open_job", arguments)
        assert judge(answer, shop.call("open_job", arguments)) in {"exact", "unknown"}
    assert session.call("open_job", {"bike": "BK-4000", "work": "brake"}).source in {
        UNKNOWN,
        "derived",
    }


def test_an_unseen_record_is_unknown_and_taints_only_itself() -> None:
    """Nobody knows a bike that no episode showed; other bikes are still known after painting it."""
    session = _world().session()
    answer = session.call("paint", {"bike": "BK-1", "colour": "red"})
    assert answer.source == UNKNOWN
    assert json.loads(answer.content)["error"] == "unknown"
    assert session.call("show_bike", {"bike": "BK-1"}).source == UNKNOWN
    assert session.call("show_bike", {"bike": "BK-4000"}).source != UNKNOWN
    assert session.end_state().unknown


def test_an_unknown_tool_is_unknown() -> None:
    """A tool that nobody recorded gets the notice, not an exception."""
    assert _world().session().call("melt", {"bike": "BK-4000"}).source == UNKNOWN


def test_arguments_that_are_no_json_are_unknown() -> None:
    """Broken argument text is answered with a notice."""
    assert _world().session().call("show_bike", "{broken").source == UNKNOWN


def test_acts_are_events_and_reads_are_not() -> None:
    """The log leaves an event; looking leaves nothing."""
    session = _world().session()
    session.call("show_bike", {"bike": "BK-4000"})
    session.call("write_log", {"text": "done"})
    assert [(e.tool, e.kind) for e in session.end_state().events] == [("write_log", "act")]


def test_forks_are_independent() -> None:
    """What happens in a fork stays there."""
    session = _world().session()
    fork = session.fork()
    fork.call("paint", {"bike": "BK-4000", "colour": "black"})
    assert session.end_state().effects == ()
    assert fork.end_state().effects


@pytest.mark.parametrize("seeds", [range(1000, 1040)])
def test_random_calls_are_hardly_ever_wrong(seeds: range) -> None:
    """On sequences that no episode made, at most one answer in a hundred is wrong and most are exact."""
    verdicts: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(seed)  # noqa: S311 - dice for tests
        shop, session = Workshop(), _world().session()
        for _ in range(12):
            name, arguments = arguments_for(rng, shop)
            verdicts[
                judge(session.call(name, json.dumps(arguments)), shop.call(name, arguments))
            ] += 1
    total = sum(verdicts.values())
    assert verdicts["wrong"] <= 0.01 * total, verdicts
    assert verdicts["exact"] >= 0.6 * total, verdicts


def test_the_same_episodes_give_the_same_file() -> None:
    """Learning is deterministic: byte-identical world files whatever the order of the episodes."""
    episodes = workshop_episodes(20)
    first = learn_world(episodes, WorldSettings(risk=0)).document.to_json()
    second = learn_world(list(reversed(episodes)), WorldSettings(risk=0)).document.to_json()
    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
