"""A test bench's own clock: it starts anew with every episode and goes on with each call, whenever that was made."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from environments.runtime.document.codec import decode
from environments.runtime.document.views import FreshPart, ValueForm
from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.values.formats import fits, read_time
from environments.runtime.views.clock_and_ids import Fresh
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.world.observation import History, Observation
from synth.world.volatile.clock_and_ids import learn_fresh
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

PAPERS = [f"PP-{10 + 3 * at}" for at in range(6)]
START = datetime(2026, 5, 4, 8, 0, tzinfo=UTC)


class Archive:
    """Papers that are stamped, or filed without a word about when; a look shows the time of the last."""

    def __init__(self, *, even: bool) -> None:
        self.now, self.even = START, even
        self.papers = {
            p: {"paper": p, "state": "new", "at": "2026-01-09T12:00:00Z"} for p in PAPERS
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Every call takes seven seconds; where the clock is not even, each takes one more than the one before."""
        gone = (self.now - START).seconds
        self.now += timedelta(seconds=7 if self.even else 7 + gone // 5)
        return str(getattr(self, name)(**arguments))

    def look(self, paper: str) -> str:
        """The record."""
        return json.dumps(self.papers[paper])

    def stamp(self, paper: str) -> str:
        """Says when."""
        self._touch(paper, "stamped")
        return json.dumps(self.papers[paper])

    def file(self, paper: str) -> str:
        """Does not."""
        self._touch(paper, "filed")
        return json.dumps({"done": paper})

    def _touch(self, paper: str, state: str) -> None:
        self.papers[paper] |= {"state": state, "at": self.now.strftime("%Y-%m-%dT%H:%M:%SZ")}


def conversations(*, even: bool) -> list[CleanEpisode]:
    """Looks, stamps and filings of a few papers in any order."""
    made = []
    for number in range(90):
        rng, archive = random.Random(number), Archive(even=even)  # noqa: S311 - dice
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        for _ in range(rng.randint(3, 6)):
            name, asked = rng.choice(["look", "look", "stamp", "file"]), rng.choice(PAPERS)
            calls.append((name, {"paper": asked}, archive.call(name, {"paper": asked})))
        made.append(episode(number, calls))
    return made


@pytest.mark.parametrize("even", [True, False])
def test_a_clock_that_goes_on_with_the_calls_is_told_by_its_rule_or_not_at_all(
    *, even: bool
) -> None:
    """Whatever is told is true; with an even clock that holds a stamp's own time, after any number of other calls."""
    learnt = learn_world(conversations(even=even), WorldSettings(risk=0))
    world = World.from_json(learnt.document.to_json())
    stamped = 0
    for number in range(60):
        rng, archive, session = random.Random(f"p{number}"), Archive(even=even), world.session()  # noqa: S311 - dice
        for _ in range(7):
            name, asked = rng.choice(["look", "stamp", "file"]), rng.choice(PAPERS)
            told, truth = session.call(name, {"paper": asked}), archive.call(name, {"paper": asked})
            assert told.source == UNKNOWN or told.content == truth
            stamped += name == "stamp" and told.source != UNKNOWN
    assert bool(stamped > 60) is even


def test_what_was_stored_before_the_clock_began_is_told_as_it_is() -> None:
    """An old time in a record is no time of this clock."""
    learnt = learn_world(conversations(even=True), WorldSettings(risk=0))
    shown = World(learnt.document).session().call("look", {"paper": "PP-13"})
    assert json.loads(shown.content)["at"] == "2026-01-09T12:00:00Z"


def test_the_time_of_a_change_that_said_nothing_is_unknown() -> None:
    """After a filing the record bears a time that no answer told."""
    learnt = learn_world(conversations(even=True), WorldSettings(risk=0))
    session = World(learnt.document).session()
    session.call("file", {"paper": "PP-13"})
    assert session.call("look", {"paper": "PP-13"}).source == UNKNOWN


class Registry(Archive):
    """An archive that seals papers as well."""

    def seal(self, paper: str) -> str:
        """Says when, as a stamp does."""
        self._touch(paper, "sealed")
        return json.dumps(self.papers[paper])


def test_a_rule_that_gives_every_time_is_a_clock_though_each_call_has_its_place() -> None:
    """Attempts at one task make equal calls at equal places; a tool seen at two places has the clock of the other."""
    made = []
    for number in range(24):
        task, registry = number % len(PAPERS), Registry(even=True)
        name = "stamp" if task < 4 else "seal"
        looks = [("look", PAPERS[(task + at) % len(PAPERS)]) for at in range(task % 4)]
        calls: list[tuple[str, dict[str, Any] | str, str]] = [
            (tool, {"paper": paper}, registry.call(tool, {"paper": paper}))
            for tool, paper in (*looks, (name, PAPERS[task]))
        ]
        made.append(replace(episode(number, calls), task_key=f"t{task}"))
    world = World(learn_world(made, WorldSettings()).document)
    for name, paper in (("stamp", PAPERS[0]), ("seal", PAPERS[5])):
        session, registry = world.session(), Registry(even=True)
        for tool, asked in (("look", PAPERS[2]), ("look", PAPERS[3]), (name, paper)):
            told, truth = (
                session.call(tool, {"paper": asked}),
                registry.call(tool, {"paper": asked}),
            )
            assert told.content == truth


@pytest.mark.parametrize("form", ["Kept until {0:%H:%M}.", '["kept", "{0:%Y-%m-%d %H:%M}"]'])
def test_a_clock_of_minutes_is_told_in_sentences_and_lists(form: str) -> None:
    """A time without a day, at the end of a sentence, and a value of a list without names go on with the calls as well."""

    def answer(name: str, paper: str, at: int) -> str:
        until = START + timedelta(minutes=at + 13)
        return (
            json.dumps({"paper": paper, "state": "new"}) if name == "look" else form.format(until)
        )

    def made(asked: list[tuple[str, str]], number: int) -> CleanEpisode:
        calls: list[tuple[str, dict[str, Any] | str, str]] = [
            (name, {"paper": paper}, answer(name, paper, at))
            for at, (name, paper) in enumerate(asked)
        ]
        return replace(episode(number, calls), task_key=asked[-1][1])

    looks = [("look", paper) for paper in PAPERS]
    asked = [[*looks[: n % 4], ("keep", PAPERS[n % len(PAPERS)])] for n in range(24)]
    found = learn_world([made(one, number) for number, one in enumerate(asked)], WorldSettings())
    session = World(found.document).session()
    for at, (name, paper) in enumerate([*looks[:1], ("keep", PAPERS[0])]):
        assert session.call(name, {"paper": paper}).content == answer(name, paper, at)


def test_a_clock_of_one_session_does_not_show_the_evening() -> None:
    """Hours after its start no call is made: a time of day there is something's own."""
    minute = 60 * 10**9
    clock = ValueForm(kind="time", form="written", pattern="%H:%M", each=minute)
    start = read_time("14:00")
    assert start is not None
    clock = replace(clock, origin=start[0])
    assert fits(clock, "14:03")
    assert not fits(clock, "14:00")
    assert not fits(clock, "19:30")


class Notes:
    """Notes that say when they were made, by a clock that every episode sets anew; a list shows them all."""

    def __init__(self, rng: random.Random) -> None:
        self.now = START + timedelta(seconds=rng.randrange(10**7))
        self.notes = [{"note": "old", "at": "2026-01-09T12:00:00Z"}]

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Some seconds later."""
        self.now += timedelta(seconds=11)
        if name != "list_notes":
            self.notes.append({**arguments, "at": self.now.strftime("%Y-%m-%dT%H:%M:%SZ")})
            return json.dumps(self.notes[-1] if name == "add_note" else {"done": True})
        return json.dumps(self.notes)


def test_times_that_nobody_can_tell_are_known_again_wherever_they_are_stored() -> None:
    """In a list of records, told by an earlier call or not, there stands no time of a recording; what is older stays."""
    histories = []
    for number, word in enumerate(["milk", "bread", "tea", "rice"] * 6):
        notes, seen = Notes(random.Random(number)), list[Observation]()  # noqa: S311 - dice
        for name in ("add_note", "drop_note", "list_notes")[number % 3 == 0 :]:
            asked: dict[str, Any] = {} if name == "list_notes" else {"note": word}
            content = notes.call(name, asked)
            one = Observation(
                tool=name,
                arguments=asked,
                content=content,
                episode=number,
                position=len(seen),
                at=number,
                caller="",
            )
            one.settle()
            seen.append(one)
        histories.append(
            History(
                index=number,
                episode_id="",
                caller="",
                task=word,
                started_at=0,
                subject="",
                observations=seen,
            )
        )
    learn_fresh(histories)
    lists = [
        json.loads(one.content)
        for h in histories
        for one in h.observations
        if one.tool == "list_notes"
    ]
    assert {row["at"] for rows in lists for row in rows} == {"2026-01-09T12:00:00Z", "~time.a~"}


def test_what_nobody_could_tell_is_not_told_later() -> None:
    """A record that keeps such a time is unknown: its mark was never given a value, not even that of nothing."""
    part = {
        "marks": {
            "a": {
                "tool": "add_note",
                "place": "at",
                "kind": "time",
                "form": "iso",
                "untold": True,
                "says": "-",
            }
        }
    }
    fresh = Fresh(decode(FreshPart, {**part, "step": 1, "latest": 1}))
    for tool in ("add_note", "list_notes"):
        answer = ToolResult(content='[{"at": "~time.a~"}]', source="recorded")
        assert fresh.fill_marks(tool, answer).source == UNKNOWN


class Desk(Archive):
    """An archive with a clock on the wall, which tells the time of day."""

    def time(self) -> str:
        """In words, without the date that stamps have."""
        return f"It is {self.now:%H:%M:%S} at the desk."


def test_a_tool_that_was_asked_the_time_first_only_goes_on_with_the_clock() -> None:
    """Stamps tell how the clock goes on: the wall's time after other calls is no recorded one."""
    made = []
    for number in range(90):
        rng, desk = random.Random(number), Desk(even=True)  # noqa: S311 - dice
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        if number % 3 == 0:
            calls.append(("time", {}, desk.call("time", {})))
        for _ in range(rng.randint(3, 6)):
            name, asked = rng.choice(["look", "look", "stamp", "file"]), rng.choice(PAPERS)
            calls.append((name, {"paper": asked}, desk.call(name, {"paper": asked})))
        made.append(episode(number, calls))
    session = World(learn_world(made, WorldSettings()).document).session()
    desk = Desk(even=True)
    asked_here: list[tuple[str, dict[str, Any]]] = [
        ("time", {}),
        ("look", {"paper": "PP-13"}),
        ("time", {}),
    ]
    for name, given in asked_here:
        assert session.call(name, given).content == desk.call(name, given)


def test_a_time_told_at_one_call_of_every_episode_is_told_there_only() -> None:
    """Nobody asked earlier or later, and nothing says how the clock goes on."""
    look = ("look", {"paper": "PP-13"}, json.dumps({"paper": "PP-13", "state": "new"}))
    made = [
        episode(number, [look, ("time", {}, "It is 08:14 (Bern)."), look]) for number in range(6)
    ]
    world = World(learn_world(made, WorldSettings()).document)
    session = world.session()
    session.call("look", {"paper": "PP-13"})
    assert session.call("time", {}).content == "It is 08:14 (Bern)."
    assert session.call("time", {}).source == UNKNOWN
    assert world.session().call("time", {}).source == UNKNOWN
