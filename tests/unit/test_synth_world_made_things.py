"""What calls make, on an invented tracker: tickets are numbered anew in every project."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.answers.differing_pasts import DoneCall
from environments.runtime.answers.made_things import MadeThings, name_of_two
from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

PROJECTS = {"north": 5, "south": 7, "west": 4, "east": 9}
"""Tickets in each project; a number of one is also a number of another."""
Call = tuple[str, dict[str, Any]]
Made = tuple[str, dict[str, Any] | str, str]


class Tracker:
    """The real thing: afresh in every episode."""

    def __init__(self) -> None:
        self._count = dict(PROJECTS)
        self._labels: dict[tuple[str, int], list[str]] = {}
        self._rated: dict[str, int] = {}

    def open_ticket(self, project: str, title: str) -> str:
        """A new one, with the next number of its project."""
        self._count[project] += 1
        return json.dumps({"number": self._count[project], "title": title})

    def label_ticket(self, project: str, number: int, label: str) -> str:
        """A label more."""
        if number > self._count[project]:
            return f"Error: {project} has no ticket {number}"
        labels = self._labels.setdefault((project, number), [])
        labels.append(label)
        return json.dumps(labels)

    def get_ticket(self, project: str, number: int) -> str:
        """What stands in it."""
        if number > self._count[project]:
            return f"Error: {project} has no ticket {number}"
        labels = self._labels.get((project, number), [])
        return json.dumps({"project": project, "number": number, "labels": labels})

    def stars(self, project: str) -> str:
        """One star more: nothing in its name says that it gives one."""
        self._rated[project] = self._rated.get(project, 0) + 1
        return json.dumps({"project": project, "stars": self._rated[project]})


def _recorded(calls: Sequence[Call]) -> list[Made]:
    tracker = Tracker()
    return [(name, args, getattr(tracker, name)(**args)) for name, args in calls]


def _tasks() -> list[list[list[Call]]]:
    """Attempts at tasks: some open a ticket and label it, some forget to open it, some look at older ones."""
    tasks: list[list[list[Call]]] = []
    for project, count in PROJECTS.items():
        number = count + 1
        opened: Call = ("open_ticket", {"project": project, "title": "Broken"})
        label: Call = ("label_ticket", {"project": project, "number": number, "label": "bug"})
        look: Call = ("get_ticket", {"project": project, "number": number})
        tasks.append([[opened, label, look], [opened, look], [label], [look]])
        old: Call = ("label_ticket", {"project": project, "number": 4, "label": "bug"})
        seen: Call = ("get_ticket", {"project": project, "number": 4})
        tasks.append([[seen], [seen, old], [old, seen]])
        tasks.append([[("stars", {"project": project}), seen], [("stars", {"project": project})]])
    return tasks


@pytest.fixture(scope="module")
def tracker() -> World:
    """The world of a few attempts at each task."""
    episodes: list[CleanEpisode] = []
    for task, attempts in enumerate(_tasks()):
        for calls in (*attempts, *attempts):
            made = episode(len(episodes), _recorded(calls))
            episodes.append(replace(made, task_key=f"task {task}"))
    document = learn_world(episodes, WorldSettings(risk=0.02)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def _said(world: World, calls: Sequence[Call]) -> ToolResult:
    session = world.session()
    return [session.call(name, args) for name, args in calls][-1]


@pytest.mark.parametrize("project", PROJECTS)
def test_what_no_call_has_made_is_refused_in_the_words_of_its_tool(
    tracker: World, project: str
) -> None:
    """The next number of a project is none before a ticket is opened there, with a label that nobody recorded too."""
    number = PROJECTS[project] + 1
    asked: Call = ("label_ticket", {"project": project, "number": number, "label": "urgent"})
    assert _said(tracker, [asked]).content == f"Error: {project} has no ticket {number}"


def test_a_ticket_is_there_once_its_project_opened_one(tracker: World) -> None:
    """What was recorded after a call that makes it is returned after that call, and never before it."""
    opened: Call = ("open_ticket", {"project": "north", "title": "Broken"})
    label: Call = ("label_ticket", {"project": "north", "number": 6, "label": "bug"})
    assert _said(tracker, [opened, label]).content == '["bug"]'
    assert _said(tracker, [label]).content == "Error: north has no ticket 6"


def test_another_projects_new_ticket_makes_nothing_here(tracker: World) -> None:
    """`number` 6 of north is not `number` 6 of south, which was always there."""
    looked: Call = ("get_ticket", {"project": "south", "number": 4})
    opened: Call = ("open_ticket", {"project": "north", "title": "Broken"})
    true = '{"project": "south", "number": 4, "labels": []}'
    assert _said(tracker, [opened, looked]).content == true


def test_what_does_not_say_that_it_looks_is_not_known_twice(tracker: World) -> None:
    """A tool that always showed the same, once an episode, may count: its second answer is not known."""
    star: Call = ("stars", {"project": "east"})
    assert _said(tracker, [star]).content == '{"project": "east", "stars": 1}'
    assert _said(tracker, [star, star]).source == UNKNOWN


LABELS = st.sets(st.sampled_from(["=1", "=2", "=north", "=south", "A-7"]), min_size=1)


@given(labels=LABELS, done=st.lists(st.sampled_from(["open_ticket", "label_ticket", "stars"])))
def test_nothing_is_lacking_once_its_maker_was_called(labels: set[str], done: list[str]) -> None:
    """Whatever else a call names and whatever was called besides."""
    made = {
        "A-7": frozenset({"open_ticket"}),
        name_of_two("=1", "=north"): frozenset({"open_ticket"}),
    }
    things = MadeThings(made, {}, {})
    names_one = "A-7" in labels or {"=1", "=north"} <= labels
    asked = DoneCall("", "get_ticket", frozenset(), labels=frozenset(labels))
    past = [DoneCall("", tool, frozenset()) for tool in done]
    lacking = things.is_lacking(asked, past)
    assert lacking is (names_one and "open_ticket" not in done)


def test_the_first_number_is_not_told_after_a_call_whose_answer_nobody_knows() -> None:
    """Each session's first case has one number: a strange case may have taken it."""
    made = []
    for number in range(12):
        calls: list[Made] = [
            _handed_over(["bill", "other"][number % 2], f"K-{10 + number % 3}", 41)
        ]
        if number == 11:
            calls.append(_handed_over("fire", "K-15", 42))
        made.append(episode(number, calls))
    world = World(learn_world(made, WorldSettings()).document)
    name, known, told = _handed_over("bill", "K-10", 41)
    assert world.session().call(name, known).content == told
    session = world.session()
    assert session.call(name, _handed_over("flood", "K-10", 41)[1]).source == UNKNOWN
    assert session.call(name, known).source == UNKNOWN


def _handed_over(topic: str, card: str, number: int) -> Made:
    return (
        "hand_over",
        {"topic": topic, "note": "please look", "card": card},
        f"Case C-{number} ({topic}) passed on.",
    )
