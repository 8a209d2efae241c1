"""Notes and budgets of an invented studio: names that callers choose, a clock, sentences with floats, two arguments that stand together."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

BUDGETS = {f"SET-{100 + at}": 50.0 * (at + 3) for at in range(8)}
Call = tuple[str, dict[str, Any]]
Made = tuple[str, dict[str, Any] | str, str]


class Studio:
    """The real thing: afresh in every episode."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}
        self._budgets = dict(BUDGETS)

    def get_today(self) -> str:
        """Always the same day, on several lines."""
        return '{\n  "today": "2031-05-04"\n}'

    def get_budget(self, set_id: str) -> str:
        """What may be spent."""
        return json.dumps({"budget": self._budgets[set_id]})

    def update_budget(self, set_id: str, budget: float) -> str:
        """A sentence with two floats."""
        before, self._budgets[set_id] = self._budgets[set_id], budget
        return f"Budget changed from {before} to {budget}"

    def check_rate(self, set_id: str, rate: float) -> str:
        """A look that says what it is given."""
        return f"Set {set_id} may be let at {rate}"

    def write_note(self, author: str, note_id: str, text: str) -> str:
        """The caller names the note."""
        self._notes[note_id] = text
        return json.dumps({"note": note_id, "author": author})

    def get_note(self, note_id: str) -> str:
        """The text, or a refusal."""
        return self._notes.get(note_id) or f"Error: no note '{note_id}'"

    def quote_lease(self, set_id: str, plan: str) -> str:
        """What a plan would cost: each set was asked for with one plan."""
        rate = {"short": 2, "long": 1}[plan]
        return json.dumps({"set_id": set_id, "plan": plan, "rent": rate * int(set_id[-1])})


def _attempts() -> list[list[list[Call]]]:
    tasks: list[list[list[Call]]] = []
    today: Call = ("get_today", {})
    for at, (name, budget) in enumerate(BUDGETS.items()):
        look: Call = ("get_budget", {"set_id": name})
        tasks.append(
            [
                [today, look, ("update_budget", {"set_id": name, "budget": budget * factor})]
                for factor in (1.2, 0.9, 2.0)
            ]
        )
        note = f"note_{name.lower()}_{at}"
        wrote: Call = ("write_note", {"author": "au_7", "note_id": note, "text": f"About {name}."})
        other: Call = ("write_note", {"author": "au_7", "note_id": f"{note}_b", "text": "Other."})
        read: Call = ("get_note", {"note_id": note})
        tasks.append([[today, wrote, read], [wrote, read], [other, read]])
        tasks.append([[("check_rate", {"set_id": name, "rate": budget * 3})]])
        lease: Call = ("quote_lease", {"set_id": name, "plan": ("short", "long")[at % 2]})
        tasks.append([[lease], [look, lease]])
    return tasks


def _learnt(risk: float) -> World:
    """The world of a few attempts at each task."""
    episodes: list[CleanEpisode] = []
    for task, attempts in enumerate(_attempts()):
        for calls in attempts:
            real = Studio()
            made: list[Made] = [(n, args, getattr(real, n)(**args)) for n, args in calls]
            episodes.append(replace(episode(len(episodes), made), task_key=f"task {task}"))
    document = learn_world(episodes, WorldSettings(risk=risk)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


@pytest.fixture(scope="module")
def studio() -> World:
    """The studio's world at the default risk."""
    return _learnt(0.005)


def _said(world: World, *calls: Call) -> ToolResult:
    session = world.session()
    return [session.call(name, args) for name, args in calls][-1]


def test_a_day_on_several_lines_is_no_list_that_reading_may_empty(studio: World) -> None:
    """It is told at any point, and what comes after it is told as well."""
    today: Call = ("get_today", {})
    note: Call = ("write_note", {"author": "au_7", "note_id": "note_set-100_0", "text": "Hm."})
    assert _said(studio, note, today, today).content == Studio().get_today()
    assert (
        _said(studio, today, ("get_budget", {"set_id": "SET-103"})).content == '{"budget": 300.0}'
    )


def test_a_sentence_shows_numbers_as_they_were_sent(studio: World) -> None:
    """A budget that this set never got, in a sentence with both amounts as floats."""
    asked: Call = ("update_budget", {"set_id": "SET-102", "budget": 400.0})
    assert _said(studio, asked).content == "Budget changed from 250.0 to 400.0"


def test_a_look_that_repeats_what_it_is_given_shows_numbers_as_they_were_sent() -> None:
    """A rate that nobody asked about, where a tenth of the answers may be wrong."""
    said = _said(_learnt(0.1), ("check_rate", {"set_id": "SET-102", "rate": 77.0}))
    assert said.content == "Set SET-102 may be let at 77.0"


def test_a_tool_that_says_it_changes_what_it_names_is_no_look(studio: World) -> None:
    """Nobody looked at a budget after its change: what it is then is not known, and not what it was."""
    asked: Call = ("update_budget", {"set_id": "SET-102", "budget": 400.0})
    after = _said(studio, asked, ("get_budget", {"set_id": "SET-102"}))
    assert after.source == UNKNOWN


def test_what_a_caller_names_is_refused_before_it_is_made(studio: World) -> None:
    """A note is not there at the start, nor after another one was written."""
    read: Call = ("get_note", {"note_id": "note_set-104_4"})
    other: Call = (
        "write_note",
        {"author": "au_7", "note_id": "note_set-104_4_b", "text": "Other."},
    )
    wrote: Call = (
        "write_note",
        {"author": "au_7", "note_id": "note_set-104_4", "text": "About SET-104."},
    )
    assert _said(studio, read).content == "Error: no note 'note_set-104_4'"
    assert _said(studio, other, read).content == "Error: no note 'note_set-104_4'"
    assert _said(studio, wrote, read).content == "About SET-104."


def test_an_argument_that_answers_repeat_is_asked_for(studio: World) -> None:
    """With another plan than the one it was asked with, nobody knows what a set costs."""
    known: Call = ("quote_lease", {"set_id": "SET-101", "plan": "long"})
    assert json.loads(_said(studio, known).content)["rent"] == 1
    asked: Call = ("quote_lease", {"set_id": "SET-101", "plan": "short"})
    assert _said(studio, asked).source == UNKNOWN or json.loads(_said(studio, asked).content) == {
        "set_id": "SET-101",
        "plan": "short",
        "rent": 2,
    }
