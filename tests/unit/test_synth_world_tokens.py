"""Unit tests: a token means what the call that gave it out means, whatever its signs, and a made-up one gets no answer."""

import json
import random
from typing import Any

import pytest

from benchmarks.testbeds.invented.habits import Depot
from benchmarks.worlds.habits import parcels, verdict
from dagster_project.worlds.recorded_calls import recorded_calls
from environments.fidelity import Fidelity, JudgedCall, replay
from environments.runtime.task.attempt import DERIVED, UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.worlds import WorldSettings, learn_world
from tests.unit.clean_seasons import SECOND, call_and_result, conversation, world_from

PEOPLE = {f"{500 + n}": {"name": f"Person {n}", "points": 7 * n} for n in range(9)}


class Desk:
    """A desk that lets in whoever knows a number; other calls carry what it gave out."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.given: dict[str, str] = {}

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The desk's answer."""
        if name == "check":
            token = f"s.{self.dice.getrandbits(64):016x}"
            self.given[token] = arguments["number"]
            return json.dumps({"session": token})
        person = PEOPLE[self.given[arguments["session"]]]
        return json.dumps({"points": person["points"]} if name == "points" else person)


def season(count: int = 60, first: int = 0) -> list[CleanEpisode]:
    """Conversations of somebody who is let in and asks."""
    out = []
    for number in range(first, first + count):
        rng = random.Random(f"desk {number}")  # noqa: S311 - dice for tests
        desk, steps, session = Desk(rng), list[CleanStep](), ""
        for at, name in enumerate(["check", *rng.choices(["points", "person"], k=3)]):
            given = {"number": rng.choice([*PEOPLE])} if name == "check" else {"session": session}
            content = desk.call(name, given)
            session = json.loads(content).get("session", session)
            steps += call_and_result(at, name, given, content)
        out.append(conversation("desk", number, steps))
    return out


@pytest.fixture(scope="module")
def world() -> World:
    """Learnt, and read again as a file."""
    return world_from(season())


def test_a_token_of_this_session_means_what_recorded_ones_meant(world: World) -> None:
    """A new token in the recorded format, which later calls are answered by."""
    session = world.session(started_at=1_800_000_000 * SECOND)
    result = session.call("check", {"number": "503"})
    token = json.loads(result.content)["session"]
    assert result.source == DERIVED
    assert "by format" in result.evidence
    assert len(token) == 18
    assert token.startswith("s.")
    assert all(token not in (s.content or "") for e in season() for s in e.steps)
    for given in ({"session": token}, json.dumps({"session": token})):
        told = session.call("person", given)
        assert json.loads(told.content) == PEOPLE["503"]


def test_a_made_up_token_gets_no_answer(world: World) -> None:
    """Neither one in the format, nor a recorded one, nor its stand-in, nor another session's, nor none."""
    session = world.session(started_at=1_800_000_000 * SECOND)
    other = json.loads(world.session(started_at=5).call("check", {"number": "503"}).content)
    was = json.loads(season(1)[0].steps[1].content or "")["session"]
    stands = next(iter(world.document.to_json()["tokens"]["recorded"].values()))
    for token in ("s.00112233aabbccdd", was, stands, other["session"], ""):
        assert session.call("person", {"session": token}).source == UNKNOWN
    assert session.call("person", {}).source == UNKNOWN


def test_a_recorded_token_counts_once_its_call_was_made(world: World) -> None:
    """A recording that is made again asks with its own token, after the same call."""
    steps = season(1)[0].steps
    number = json.loads(steps[0].tool_calls[0].arguments)
    was = json.loads(steps[1].content or "")["session"]
    session = world.session()
    session.call("check", number)
    told = session.call("person", {"session": was})
    assert json.loads(told.content) == PEOPLE[number["number"]]


def test_a_second_token_for_one_call_is_unknown(world: World) -> None:
    """Nobody knows whether the first still counts; a fork has its own."""
    session = world.session()
    session.call("check", {"number": "503"})
    fork = session.fork()
    for one in (session, fork):
        assert one.call("check", {"number": "503"}).source == UNKNOWN
        assert one.call("check", {"number": "504"}).source == DERIVED


def test_a_followed_recording_keeps_its_own_token(world: World) -> None:
    """What a recording was given is this session's from there on."""
    session = world.session()
    session.observe("check", {"number": "505"}, '{"session": "s.0123456789abcdef"}')
    told = session.call("person", {"session": "s.0123456789abcdef"})
    assert json.loads(told.content) == PEOPLE["505"]


def test_held_out_conversations_are_followed_token_by_token(world: World) -> None:
    """Their tokens were never recorded: the new one stands for each, and counts as equivalent."""
    found = replay(world, map(recorded_calls, season(20, first=500)))
    by = {(one.call.name == "check", one.verdict) for one in found.judged}
    assert by == {(True, "equivalent"), (False, "exact")}


def test_ids_that_one_tool_alone_takes_are_no_tokens() -> None:
    """What a call creates is asked for by whoever looks it up: it does not stand for whoever asked."""
    episodes = [
        e for e in season(120) if not any(c.name == "points" for s in e.steps for c in s.tool_calls)
    ]
    assert len(episodes) >= 8
    assert learn_world(episodes, WorldSettings(risk=0)).document.views.tokens is None


def test_a_depot_behind_a_token_is_known_like_a_plain_one() -> None:
    """Its answers are wrong no more often than the plain depot's, and made-up tokens never get an answer."""
    judged, plain = _judged("token"), _judged("plain")
    assert _share("right", judged) > 0.7
    assert _share("wrong", judged) <= _share("wrong", plain) <= 0.01
    forged = [j for j in judged if "verify first" in j.call.content]
    assert len(forged) > 30
    assert all(j.result.source == UNKNOWN for j in forged)


def _judged(form: str) -> list[JudgedCall]:
    """Held-out and random calls of a depot in one form."""
    found = parcels(0, form, living=False)
    parts = [found["h"], found["p"]]
    return [one for part in parts if isinstance(part, Fidelity) for one in part.judged]


def _share(word: str, judged: list[JudgedCall]) -> float:
    return sum(verdict(one) == word for one in judged) / len(judged)


def test_the_depot_refuses_tokens_that_it_did_not_give_out() -> None:
    """What the benchmark's truth says of made-up tokens."""
    depot = Depot(0, "token", "test")
    answer = depot.call("profile", {"session_token": "tok_0"})
    assert answer.is_error
