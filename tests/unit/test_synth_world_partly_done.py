"""Calls that are done in part: results that say what failed and name what they made are no refusals."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.trade.depot_tasks import DEPOT
from environments.runtime.answers.outcome import PARTLY, outcome_of
from environments.runtime.task.attempt import RECORDED, UNKNOWN
from environments.runtime.world.world import World
from synth.world.model import ToolModel, Workbench
from synth.world.observation import histories
from synth.world.schema.compared_outcomes import learn_partly_done
from synth.world.schema.outcomes import learn_outcomes
from synth.world.views.envelope_places import shows
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode as recorded_episode

SHORT = "SHORT: 4 of KET-10 available"


def _learnt(calls: list[tuple[str, dict[str, Any], str]]) -> ToolModel:
    """One tool's outcomes, from two episodes of the same calls."""
    past = histories([recorded_episode(number, list(calls)) for number in range(2)])
    seen = [one for history in past for one in history.observations]
    for one in seen:
        one.settle()
    tool = ToolModel(name=calls[0][0], observations=seen)
    learn_outcomes(tool)
    learn_partly_done(Workbench(app="invented", histories=past, tools={tool.name: tool}))
    return tool


def test_what_a_call_made_in_part_was_not_there_before() -> None:
    """A hold of which some lines failed is no record of the start: nobody is shown it who made none."""
    kept = [episode(DEPOT, one) for one in attempts(DEPOT, 92) if one.number < 2]
    world = World(learn_world(kept, WorldSettings(risk=0)).document)
    assert world.session({}).call("get_hold", {"hold_id": "H883"}).source == UNKNOWN
    assert world.session({}).call("get_hold", {"hold_id": "H881"}).source == RECORDED


def test_a_record_beside_a_refusal_is_no_envelope() -> None:
    """What a partial answer shows is a result of its own; empty fields and codes are not."""
    assert shows(('{"ok": false, "data": {"hold": "H883"}, "errors": [', "]}"))
    assert not shows(('{"ok": false, "data": {"hold": null}, "errors": [', "]}"))
    assert not shows(('{"ok": false, "error": {"code": "E404", "text": ', "}}"))


def test_a_class_that_names_something_new_did_something() -> None:
    """The first shows beside the failure what it made, the second nothing."""
    made = {"ok": False, "data": {"hold": "H883"}, "errors": [SHORT]}
    none = {"ok": False, "data": None, "errors": [SHORT]}
    good = {"ok": True, "data": {"hold": "H884"}, "errors": []}
    texts = [json.dumps(one) for one in (made, none, good, good, good)]
    tool = _learnt([("reserve", {"n": at}, text) for at, text in enumerate(texts)])
    found = [tool.outcomes[outcome_of(text, {})] for text in texts[:3]]
    assert found == ["success", "refusal", "success"]


def test_a_class_says_what_is_shown_beside_a_fault() -> None:
    """Only beside what says that something failed, and only what names something."""
    shown = {"ok": False, "data": {"number": "OR-71"}, "errors": ["Not enough"]}
    assert outcome_of(json.dumps(shown), {}).endswith(f"{PARTLY}data")
    for plain in (
        {**shown, "data": None},
        {**shown, "data": {"number": None}},
        {**shown, "ok": True, "errors": []},
    ):
        assert PARTLY not in outcome_of(json.dumps(plain), {})


def test_a_refusal_that_shows_what_it_is_about_stays_one() -> None:
    """A record that was asked for is nothing that the call made."""
    refused = json.dumps({"success": False, "error": "sold", "bike": {"bike": "BK-4000"}})
    painted = json.dumps({"success": True, "error": None, "bike": {"bike": "BK-4007"}})
    tool = _learnt(
        [("paint", {"bike": f"BK-400{n}"}, painted if n else refused) for n in (0, 7, 7, 7)]
    )
    assert tool.outcomes[outcome_of(refused, {})] == "refusal"
