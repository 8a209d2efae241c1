"""Unit tests: times and ids drawn by dice are told by their format, never invented as if they had been recorded."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from dagster_project.worlds.recorded_calls import recorded_calls
from environments.fidelity import replay
from environments.runtime.document.views import ValueForm
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.attempt import DERIVED, UNKNOWN, ToolResult
from environments.runtime.values.formats import draw_id, fits, read_time
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

SECOND = 1_000_000_000
STARTS = 1_760_000_000
BIKES = [f"BK-{100 + i}" for i in range(6)]
Call = tuple[str, dict[str, Any]]


class Kiosk:
    """A backend with a clock, records that keep when they changed, and ids drawn by dice."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.at = 0
        self.rows: dict[str, dict[str, Any]] = {
            bike: {"bike": bike, "state": "ok", "price": 10.5 + i} for i, bike in enumerate(BIKES)
        }

    def call(self, name: str, arguments: dict[str, Any], at: int) -> str:
        """The tool's answer at a moment, in seconds."""
        self.at = at
        return str(getattr(self, name)(**arguments))

    def now(self) -> str:
        """The time as text."""
        return datetime.fromtimestamp(self.at, UTC).isoformat().replace("+00:00", "Z")

    def clock(self) -> str:
        """The time as a number, a second ahead."""
        return json.dumps({"epoch": self.at + 1})

    def show(self, bike: str) -> str:
        """The record, with the number of the request and its time."""
        number = f"req_{self.dice.getrandbits(48):012x}"
        return json.dumps({**self.rows[bike], "request_id": number, "as_of": self.now()})

    def plain(self, bike: str) -> str:
        """The record."""
        return json.dumps(self.rows[bike])

    def paint(self, bike: str, colour: str) -> str:
        """Changes the record and when it was changed."""
        self.rows[bike] = {**self.rows[bike], "state": colour, "updated_at": self.now()}
        return json.dumps(self.rows[bike])

    def book(self, bike: str, day: str) -> str:
        """Gives out a number that nobody asks for again."""
        ticket = f"TK-{self.dice.getrandbits(40):010X}"
        return json.dumps({"ticket": ticket, "bike": bike, "day": day})

    def rent(self, bike: str) -> str:
        """Gives out a number that `give_back` asks for."""
        return json.dumps({"rent": f"RN-{self.dice.getrandbits(40):010X}", "bike": bike})

    def give_back(self, rent: str) -> str:
        """Takes the number."""
        return json.dumps({"rent": rent, "given": "back"})


def calls_of(rng: random.Random) -> Iterator[Call]:
    """The calls of one episode."""
    for _ in range(9):
        bike = rng.choice(BIKES)
        name = rng.choice(("now", "clock", "show", "show", "paint", "plain", "book"))
        if name == "paint":
            yield name, {"bike": bike, "colour": rng.choice(("red", "blue", "green"))}
            yield "plain", {"bike": bike}
        elif name == "book":
            yield name, {"bike": bike, "day": rng.choice(("mon", "tue"))}
        else:
            yield name, {} if name in {"now", "clock"} else {"bike": bike}


def recorded(number: int, calls: list[Call], *, step: int = 5) -> CleanEpisode:
    """One episode on a fresh kiosk."""
    kiosk = Kiosk(random.Random(f"kiosk {number}"))  # noqa: S311 - dice for tests
    start = STARTS + number * 7200
    steps: list[CleanStep] = []
    for at, (name, arguments) in enumerate(calls):
        moment = start + step * (at + 1)
        made = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(arguments))
        content = kiosk.call(name, arguments, moment)
        steps.append(CleanStep(role="assistant", tool_calls=(made,)))
        steps.append(CleanStep(role="tool", content=content, call_id=f"c{at}", at=moment * SECOND))
    return CleanEpisode(
        app="kiosk",
        episode_id=f"e{number}",
        started_at=start * SECOND,
        agent="a",
        steps=tuple(steps),
        redaction="off",
    )


def season(count: int, first: int = 0) -> list[CleanEpisode]:
    """Recorded episodes."""
    return [
        recorded(n, list(calls_of(random.Random(f"calls {n}"))))  # noqa: S311 - dice for tests
        for n in range(first, first + count)
    ]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The world file of a season."""
    learnt = learn_world(season(80), WorldSettings(risk=0))
    written: dict[str, Any] = learnt.document.to_json()
    return written


def test_places_of_fresh_values_are_found_with_their_kind(document: dict[str, Any]) -> None:
    """Clocks and dice, in texts, numbers and records; where a time is only stored, there is none."""
    marks = document["fresh"]["marks"].values()
    assert {(m["tool"], m["place"], m["kind"]) for m in marks} == {
        ("now", ".", "time"),
        ("clock", "epoch", "time"),
        ("show", "request_id", "id"),
        ("show", "as_of", "time"),
        ("paint", "updated_at", "time"),
        ("book", "ticket", "id"),
    }
    assert all(m["says"] for m in marks)


def test_answers_by_format_count_apart_and_none_is_wrong(document: dict[str, Any]) -> None:
    """Held-out calls are right but for the fresh values, and never count as exact because of their format."""
    world = World.from_json(document)
    found = replay(world, map(recorded_calls, season(30, first=500)))
    counts = found.to_json()
    assert counts["wrong"] == 0
    assert int(str(counts["equivalent"])) > len(found.judged) * 0.5
    for one in found.judged:
        if one.verdict == "equivalent":
            assert "by format" in one.result.evidence
            assert one.result.source == DERIVED


def test_the_time_is_the_sessions_own(document: dict[str, Any]) -> None:
    """It starts at the task's start and moves on by the recorded time between two calls."""
    start = 1_800_000_000 * SECOND
    session = World.from_json(document).session(started_at=start)
    told = [session.call("now", "{}").content for _ in range(3)]
    moments = [read_time(text) for text in told]
    assert [(m[0] - start) // SECOND for m in moments if m] == [5, 10, 15]
    number = json.loads(session.call("clock", "{}").content)["epoch"]
    assert number == 1_800_000_000 + 20 + 1


def test_the_same_calls_tell_the_same_values(document: dict[str, Any]) -> None:
    """Two sessions of one task, a fork, and a session of another task."""
    world = World.from_json(document)
    calls = [("show", '{"bike": "BK-100"}'), ("book", '{"bike": "BK-101", "day": "mon"}')]
    one, other, elsewhere = (world.session(started_at=at * SECOND) for at in (5, 5, 6))
    told = [[s.call(*c).content for c in calls] for s in (one, other, elsewhere)]
    assert told[0] == told[1] != told[2]
    fork = one.fork()
    assert one.call(*calls[1]).content == fork.call(*calls[1]).content
    assert one.call(*calls[1]).content != told[0][1]


def test_ids_keep_the_format_and_are_never_recorded_ones(document: dict[str, Any]) -> None:
    """Alphabet, length and prefix as recorded; no value of the recordings comes back."""
    fresh = WorldDocument.from_json(document).views.fresh
    assert fresh is not None
    mark = next(m for m in fresh.marks.values() if m.tool == "book")
    known = {
        json.loads(s.content or "")["ticket"]
        for e in season(80)
        for s in e.steps
        if s.role == "tool" and '"ticket"' in (s.content or "")
    }
    session = World.from_json(document).session(started_at=7 * SECOND)
    made = set()
    for _ in range(50):
        result = session.call("book", {"bike": "BK-103", "day": "tue"})
        made.add(json.loads(result.content)["ticket"])
    assert len(made) == 50
    assert made.isdisjoint(known)
    assert all(fits(mark.form, one) and one.startswith("TK-") for one in made)


def test_a_record_keeps_the_time_it_was_told(document: dict[str, Any]) -> None:
    """A later read shows the time of the change, not of the read; of two changes nobody knows which is which."""
    session = World.from_json(document).session(started_at=9 * SECOND)
    changed = json.loads(session.call("paint", {"bike": "BK-100", "colour": "red"}).content)
    session.call("now", {})
    shown = json.loads(session.call("plain", {"bike": "BK-100"}).content)
    assert shown["updated_at"] == changed["updated_at"]
    session.call("paint", {"bike": "BK-101", "colour": "red"})
    assert session.call("plain", {"bike": "BK-100"}).source == UNKNOWN


def test_ends_are_equal_whatever_the_values(document: dict[str, Any]) -> None:
    """The same change at another time, or of another task, leaves the same end: graders compare it without its values."""
    world = World.from_json(document)
    early, late = (world.session(started_at=at * SECOND) for at in (5, 5_000))
    late.call("now", {})
    for session in (early, late):
        session.call("paint", {"bike": "BK-100", "colour": "red"})
    assert early.end_state() == late.end_state()
    assert early.end_state().effects


def test_an_id_that_a_later_call_asks_for_stays_unknown() -> None:
    """Nobody can bind the recorded id of a recorded call to a new one, so none is made up."""
    episodes = []
    for number in range(40):
        one = recorded(number, [("rent", {"bike": BIKES[number % 2]})])
        rent = json.loads(one.steps[1].content or "")["rent"]
        calls: list[Call] = [("rent", {"bike": BIKES[number % 2]}), ("give_back", {"rent": rent})]
        episodes.append(recorded(number, calls))
    learnt = learn_world(episodes, WorldSettings(risk=0))
    assert learnt.document.views.fresh is None
    session = World(learnt.document).session()
    assert session.call("rent", {"bike": BIKES[0]}).source == UNKNOWN


def test_stored_times_and_counters_are_not_taken_for_clocks() -> None:
    """Dates of delivery days ahead and numbers that only rise are no format's business."""
    episodes = []
    for number in range(40):
        steps = []
        for at in range(2):
            due = datetime.fromtimestamp(STARTS + number * 7200 + 86_400 * (number % 7), UTC)
            content = json.dumps(
                {"due": due.isoformat(), "number": f"NR-{10**6 + number * 2 + at}"}
            )
            call = CleanToolCall(call_id=f"c{at}", name="order", arguments='{"what": "bell"}')
            steps += [
                CleanStep(role="assistant", tool_calls=(call,)),
                CleanStep(role="tool", content=content, call_id=f"c{at}"),
            ]
        episodes.append(
            CleanEpisode(
                app="kiosk",
                episode_id=f"e{number}",
                started_at=(STARTS + number * 7200) * SECOND,
                steps=tuple(steps),
            )
        )
    assert learn_world(episodes, WorldSettings(risk=0)).document.views.fresh is None


def test_a_user_who_must_be_told_a_fresh_value_waits_for_a_person() -> None:
    """Every run tells another number: a rubric that asks for the recorded one would never be satisfied."""
    episodes = season(80)
    for number in range(100, 110):
        one = recorded(number, [("show", {"bike": BIKES[number % 6]})])
        shown = json.loads(one.steps[1].content or "")["request_id"]
        steps = (
            CleanStep(role="user", content="What is the number of my request?"),
            *one.steps,
            CleanStep(role="assistant", content=f"Your number is {shown}."),
        )
        episodes.append(replace(one, steps=steps))
    learnt = learn_world(episodes, WorldSettings(risk=0))
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes[80:]}
    found = derive_tasks(episodes, labels, learnt)
    fresh = [c for c in found if any("req_" in str(k.args.get("value")) for k in c.rubric.checks)]
    assert fresh
    assert all("told_by_format" in c.reasons for c in fresh)


def test_a_server_that_answers_keeps_no_task_back() -> None:
    """Its name is told anew in every run, but no user asks for it, whatever text would do in its place."""
    episodes = []
    for number in range(60):
        rng = random.Random(f"served {number}")  # noqa: S311 - dice for tests
        bike = BIKES[number % 6]
        one = recorded(number, [("show", {"bike": bike}), ("show", {"bike": bike})])
        steps = [
            replace(step, content=json.dumps({**json.loads(step.content or ""), "by": name}))
            if step.role == "tool" and (name := rng.choice(["web-a", "web-b", "web-c"]))
            else step
            for step in one.steps
        ]
        steps = [
            CleanStep(role="user", content=f"Which bike is {bike}?"),
            *steps,
            CleanStep(role="assistant", content=f"It is {bike}."),
        ]
        episodes.append(replace(one, steps=tuple(steps), subject="keeper", task_key=bike))
    learnt = learn_world(episodes, WorldSettings(risk=0))
    assert any(m.form.kind == "any" for m in learnt.document.views.fresh.marks.values())  # type: ignore[union-attr]
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    found = derive_tasks(episodes, labels, learnt)
    assert found
    assert not any("told_by_format" in c.reasons for c in found)


def test_a_day_beside_every_result_keeps_no_other_day_back() -> None:
    """Results bear the day of their call, written as all days are: a user may still be told when a bike is due."""
    episodes = []
    for number in range(60):
        bike = BIKES[number % 6]
        one = recorded(number, [("show", {"bike": bike})])
        day = datetime.fromtimestamp(one.started_at // SECOND, UTC)
        due = f"1{number % 6}/02/2027"
        told = {**json.loads(one.steps[1].content or ""), "due": due, "on": f"{day:%d/%m/%Y}"}
        steps = (
            CleanStep(role="user", content=f"When is {bike} due?"),
            one.steps[0],
            replace(one.steps[1], content=json.dumps(told)),
            CleanStep(role="assistant", content=f"It is due on {due}."),
        )
        episodes.append(replace(one, steps=steps, subject="keeper", task_key=bike))
    learnt = learn_world(episodes, WorldSettings(risk=0))
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    found = derive_tasks(episodes, labels, learnt)
    asked = [c for c in found if any("2027" in str(k.args.get("value")) for k in c.rubric.checks)]
    assert asked
    assert not any("told_by_format" in c.reasons for c in asked)


def test_long_ids_differ_to_their_end() -> None:
    """A token of 200 signs is drawn whole."""
    form = ValueForm(kind="id", slots=("0123456789abcdef",) * 200)
    drawn = [draw_id(form, f"seed {number}") for number in range(20)]
    assert len({one[-20:] for one in drawn}) == 20


def test_times_and_ids_of_an_old_version_are_right_too() -> None:
    """Where a tool's fields got other names, the old ones are answered by their own formats and judged by them."""
    episodes = [_older(one) for one in season(60)] + season(60, first=60)
    world = World(learn_world(episodes, WorldSettings(risk=0)).document)
    held = [_older(recorded(n, [("show", {"bike": BIKES[n % 6]})])) for n in range(5, 45, 4)]
    found = replay(world, map(recorded_calls, held))
    assert "show" in world.versions
    assert {one.verdict for one in found.judged} == {"equivalent"}


def _older(one: CleanEpisode) -> CleanEpisode:
    """The same, as the tool wrote it before."""
    steps = [
        replace(s, content=s.content.replace('"request_id"', '"req"').replace('"as_of"', '"seen"'))
        if s.content and s.role == "tool"
        else s
        for s in one.steps
    ]
    return replace(one, steps=tuple(steps))


def test_a_number_at_the_end_of_some_of_a_tools_sentences_is_no_part_of_the_answer() -> None:
    """A check is logged under a number of its own; who is not known is not logged."""
    dice = random.Random(5)  # noqa: S311 - dice
    episodes = []
    for number in range(60):
        guest = f"G{100 + number % 12}"
        content = f"Check passed for {guest}. Logged {dice.randrange(10**5, 10**6)}."
        if number % 6 == 5:
            guest, content = f"G{500 + number % 3}", f"Guest {guest} is not known to the desk."
            content = content.replace(f"G{100 + number % 12}", guest)
        call = CleanToolCall(call_id="c", name="check", arguments=json.dumps({"guest": guest}))
        steps = (
            CleanStep(role="assistant", tool_calls=(call,)),
            CleanStep(role="tool", content=content, call_id="c"),
        )
        at = (STARTS + number * 7200) * SECOND
        episodes.append(
            CleanEpisode(app="hotel", episode_id=f"e{number}", started_at=at, steps=steps)
        )
    world = World(learn_world(episodes, WorldSettings()).document)
    told = world.session().call("check", {"guest": "G103"})
    assert isinstance(told, ToolResult)
    assert told.content.startswith("Check passed for G103. Logged ")
