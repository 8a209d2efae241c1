"""Writers that answer with the record but for a field that only reading shows."""

from __future__ import annotations

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.office.crm import CRM
from benchmarks.worlds.unseen import recorded
from environments.fidelity import replay
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world


def test_what_a_change_answers_is_not_the_whole_record_where_reading_shows_more() -> None:
    """A contact read after its change was told without the deals that reading it shows: sixteen calls of this season."""
    made = attempts(CRM, 55)
    kept = [episode(CRM, one) for one in made if one.number < 2]
    world = World(learn_world(kept, WorldSettings(risk=0)).document)
    held = [recorded(one.calls) for one in made if one.number == 2]
    found = [one for one in replay(world, held).judged if one.call.name == "contact"]
    assert sum(one.verdict == "exact" for one in found) > 20
    assert not [one.call for one in found if one.verdict == "wrong"]
