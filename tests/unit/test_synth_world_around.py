"""What stands around calls, together: several views in one chain give what each alone and none would give."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import pytest

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import attempts
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.result_forms import MIXED, NOISE
from benchmarks.worlds.enveloped import line_of, measure, wrapped
from environments.runtime.views.envelopes import Enveloped
from environments.runtime.views.result_wrappers import Wrapped
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""


@cache
def _learnt(form: str) -> str:
    NOISE.seed("around")
    made = [wrapped(a, MIXED[form]) for a in attempts(TICKETS, 3)]
    lines = [line_of(TICKETS, a, flags=False) for a in made]
    return json.dumps(
        learn_world(list(map(to_episode, lines)), WorldSettings(risk=0)).document.to_json()
    )


def _world(form: str) -> World:
    return World.from_json(json.loads(_learnt(form)))


@cache
def _plain() -> list[Counter[str]]:
    return measure(TICKETS, None, 3, flags=False)


def _counts(found: Counter[str]) -> tuple[int, int, int]:
    return found["exact"] + found["equivalent"], found["wrong"], found["unknown"]


@pytest.mark.parametrize("form", sorted(MIXED))
def test_volatile_and_constant_envelopes_together_cost_nothing(form: str) -> None:
    """Whichever stands inside the other, a world answers as without both."""
    found = measure(TICKETS, MIXED[form], 3, flags=False)
    assert list(map(_counts, found)) == list(map(_counts, _plain()))


def test_an_envelope_inside_a_wrapping_is_a_view_of_its_own() -> None:
    """The world file holds both, and a session's answer has both around it, with the record inside."""
    world = _world("meta around content")
    kinds = [type(view) for view in world.views]
    assert kinds.index(Wrapped) < kinds.index(Enveloped)
    told = json.loads(world.session().call("get_ticket", {"ticket_id": 3}).content)
    assert told.keys() == {"request_id", "took_ms", "result", "isError"}
    assert json.loads(told["result"][0]["text"])["ticket"]["id"] == 3


def test_what_came_as_a_success_is_told_as_one() -> None:
    """A record that counts as a refusal once its envelope is off stands in the envelope of successes all the same."""
    world = _world("ok, data and meta")
    told = json.loads(world.session().call("logout", {}).content)
    assert told["ok"] is True
    assert told["data"] == {"success": False}
    assert told["meta"].keys() == {"request_id", "took_ms"}


def test_sessions_go_on_from_a_fork_apart() -> None:
    """What a view remembers of one session is not the other's."""
    session = _world("meta around ok and data").session(started_at=5)
    session.call("get_ticket", {"ticket_id": 3})
    other = session.fork()
    first = other.call("get_ticket", {"ticket_id": 4}).content
    assert session.call("get_ticket", {"ticket_id": 4}).content == first
    assert session.call("get_ticket", {"ticket_id": 4}).content != first
