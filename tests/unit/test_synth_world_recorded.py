"""Tools at which learning failed: what is recorded of them is told after the very same calls, and nothing else is believed with less care."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection

import pytest

from benchmarks.testbeds.invented.attempts import Attempt, Made, attempts, episode, recombined
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from benchmarks.worlds.unseen import HELD_OUT, recorded
from environments.fidelity import replay
from environments.runtime.task.attempt import RECORDED, UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import LearntWorld, WorldSettings, learn_with_recordings, learn_world
from tests.unit.world_backend import Workshop, calls_in, workshop_episodes
from tests.unit.world_backend import episode as workshop_episode

FAULT = "TypeError at synth/world/actions/effects.py:1"


def without(*tools: str, episodes: list[CleanEpisode] | None = None) -> tuple[LearntWorld, World]:
    """The workshop's world with recordings only of some tools, and as a task set's runtime reads it."""
    learnt = learn_with_recordings(
        workshop_episodes(40) if episodes is None else episodes,
        WorldSettings(risk=0),
        dict.fromkeys(tools, FAULT),
    )
    return learnt, World.from_json(learnt.document.to_json())


def test_a_recorded_answer_is_told_after_the_very_same_calls() -> None:
    """Every episode that was recorded is told again, call by call."""
    learnt, world = without("paint")
    for n in range(10):
        session = world.session(learnt.start_of(workshop_episodes(40)[n]))
        for name, arguments, content in calls_in(n, 9):
            found = session.call(name, json.dumps(arguments))
            assert found.source == UNKNOWN or found.content == content
            assert name != "paint" or found.source == RECORDED


def test_after_an_answer_that_nobody_recorded_nothing_is_known() -> None:
    """What the tool may have changed is everything: neither a record nor a constant is told, and the end is open."""
    _, world = without("paint")
    session = world.session()
    assert session.call("show_bike", {"bike": "BK-4000"}).source != UNKNOWN
    assert session.call("paint", {"bike": "BK-4000", "colour": "black"}).source == UNKNOWN
    assert session.call("show_bike", {"bike": "BK-4007"}).source == UNKNOWN
    assert session.call("settings_of", {}).source == UNKNOWN
    assert session.end_state().unknown == ("*",)


def test_a_recorded_change_is_an_event_of_the_end() -> None:
    """Two runs with the same calls end alike; one that leaves the change out does not."""
    learnt, world = without("paint")
    n = next(n for n in range(40) if any(name == "paint" for name, _, _ in calls_in(n, 9)))
    start = learnt.start_of(workshop_episodes(40)[n])
    one, other, less = (world.session(start) for _ in range(3))
    for name, arguments, _ in calls_in(n, 9):
        for session in (one, other) if name == "paint" else (one, other, less):
            session.call(name, arguments)
    assert one.end_state() == other.end_state()
    assert one.end_state() != less.end_state()


def test_a_fork_goes_on_by_itself() -> None:
    """What a fork calls is not in the past of the session that it came from."""
    _, world = without("paint")
    session = world.session()
    fork = session.fork()
    fork.call("paint", {"bike": "BK-4000", "colour": "black"})
    assert fork.call("settings_of", {}).source == UNKNOWN
    assert session.call("settings_of", {}).source != UNKNOWN


def test_a_tool_that_only_looks_costs_only_its_own_answers() -> None:
    """The world answers all other calls as if the look had never been made."""
    whole = World(learn_world(workshop_episodes(40), WorldSettings(risk=0)).document)
    learnt, world = without("show_bike")
    assert next(t for t in learnt.tools if t.name == "show_bike").evidence["looks"]
    one, other = whole.session(), world.session()
    for session in (one, other):
        session.call("show_bike", {"bike": "BK-4000"})
    asked = ("add_up", {"sum_of": "2 + 2.5"})
    assert one.call(*asked).content == other.call(*asked).content
    assert other.end_state().events == ()


def test_a_clock_is_told_to_nobody_else() -> None:
    """Answers that differ after the very same calls are told to a task of their own episode only."""
    episodes = [
        workshop_episode(
            n, [("get_time", {}, f"10:{n:02}"), ("show_bike", {"bike": "BK-4000"}, "{}")]
        )
        for n in range(12)
    ]
    learnt, world = without("get_time", episodes=episodes)
    assert world.session().call("get_time", {}).source == UNKNOWN
    own = world.session(learnt.start_of(episodes[3]))
    assert own.call("get_time", {}).content == "10:03"


def test_a_call_without_a_result_ends_what_is_recorded() -> None:
    """Nobody knows what it did, so nothing after it is a recording of anything."""
    call = CleanToolCall(call_id="lost", name="paint", arguments='{"bike": "BK-4000"}')
    episodes = []
    for n in range(8):
        made = workshop_episode(n, list(calls_in(n, 4)))
        values = {name: getattr(made, name) for name in CleanEpisode.__slots__}
        steps = (CleanStep(role="assistant", tool_calls=(call,)), *made.steps)
        episodes.append(CleanEpisode(**{**values, "steps": steps}))
    learnt, _ = without("paint", episodes=episodes)
    assert learnt.document.to_json()["recorded"]["told"] == {}


def test_with_all_tools_set_apart_the_world_is_recordings() -> None:
    """Everything recorded is told to its own task, nothing else is."""
    names = {name for name in dir(Workshop) if not name.startswith("_")} - {"call"}
    learnt, world = without(*sorted(names))
    assert learnt.document.to_json()["tools"] == {}
    session = world.session(learnt.start_of(workshop_episodes(40)[5]))
    assert [session.call(name, args).content for name, args, _ in calls_in(5, 9)] == [
        content for _, _, content in calls_in(5, 9)
    ]
    assert world.session().call("show_bike", {"bike": "BK-9999"}).source == UNKNOWN


def _counts(learnt: LearntWorld, asked: Collection[tuple[Made, ...]]) -> Counter[str]:
    world = World.from_json(learnt.document.to_json())
    found = replay(world, [recorded(calls) for calls in asked])
    return Counter(one.verdict for one in found.judged)


@pytest.mark.parametrize(
    ("style", "tools"),
    [(LEDGER, ("use_account", "balance", "convert")), (TICKETS, ("get_ticket", "create_ticket"))],
    ids=["ledger", "tickets"],
)  # fmt: skip
def test_no_wrong_answer_comes_of_it(style: Style, tools: tuple[str, ...]) -> None:
    """On calls that no episode made, each tool set apart in turn: as without a fault none is answered wrongly, and most others still are."""
    made = attempts(style)
    train = [a for a in made if a.number != HELD_OUT]
    asked = [a.calls for a in made if a.number == HELD_OUT] + recombined(style, train, 60)
    read: Callable[[Attempt], CleanEpisode] = lambda a: episode(style, a)  # noqa: E731
    episodes = [read(a) for a in train]
    whole = _counts(learn_world(episodes, WorldSettings(risk=0)), asked)
    assert whole["wrong"] == 0
    for tool in tools:
        found = _counts(
            learn_with_recordings(episodes, WorldSettings(risk=0), {tool: FAULT}), asked
        )
        assert found["wrong"] == 0
        assert found["exact"] > 0.5 * whole["exact"]
