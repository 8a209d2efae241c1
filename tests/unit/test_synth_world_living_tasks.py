"""Tasks of a backend that lives on: what their own episode saw after its own calls is not how they start."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from typing import Any

from environments.runtime.answers.outcome import outcome_of
from environments.runtime.task.attempt import RECORDED, UNKNOWN
from environments.runtime.world.entries import Entry
from environments.runtime.world.session import Session
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

MINUTE = 60 * 10**9
Call = tuple[str, dict[str, Any]]


def _starts(
    call: Callable[[str, dict[str, Any]], str], made: list[list[Call]]
) -> list[Callable[[], Session]]:
    """Conversations with one backend, a minute apart: each as a task starts from it."""
    episodes = []
    for number, calls in enumerate(made):
        start = number * MINUTE
        steps = [CleanStep(role="user", content="hello", at=start)]
        for at, (name, arguments) in enumerate(calls, start=1):
            asked = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(arguments))
            steps.append(CleanStep(role="assistant", tool_calls=(asked,), at=start))
            content = call(name, arguments)
            steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content, at=start))
        episodes.append(
            CleanEpisode(
                app="own", episode_id=f"e{number:03}", started_at=start, steps=tuple(steps)
            )
        )
    learnt = learn_world(episodes, WorldSettings(risk=0, continuity="living"))
    world = World.from_json(learnt.document.to_json())
    return [
        partial(world.session, learnt.start_of(one), started_at=one.started_at) for one in episodes
    ]


def test_how_others_calls_ended_does_not_say_how_an_unknown_one_here_did() -> None:
    """Somebody else found the text without moving it; here nobody knows whether it was moved."""
    said = {outcome_of("found", {}): "success", outcome_of("no such text", {}): "refusal"}
    wrote = {"kind": "write", "outcomes": said}
    found = {"content": "found", "n": 1}
    tape = {
        "find": {
            '{"in":"a7.txt"}': [
                {**found, "before": ['move {"to":"a7.txt"}'], "from": "mine"},
                {**found, "before": [], "from": "theirs"},
            ]
        }
    }
    world = World.from_json(
        {
            "format": "1",
            "continuity": {"kind": "living"},
            "tools": {"move": wrote, "find": wrote},
            "tape": tape,
        }
    )
    session = world.session({"tape": ["mine"]})
    assert session.call("move", {"to": "a7.txt"}).source == UNKNOWN
    assert session.call("find", {"in": "a7.txt"}).source == UNKNOWN


def test_a_number_drawn_anew_is_told_only_after_as_many_calls_as_were_recorded() -> None:
    """The second note has the second number, also where the first was to somebody else."""
    dice = random.Random(3)  # noqa: S311 - dice for tests

    def call(name: str, arguments: dict[str, Any]) -> str:
        del name
        number = dice.randrange(10_000, 99_999)
        return json.dumps({"sent": True, "number": {"new": number}, "to": arguments["to"]})

    people = ["ANN-1", "BEN-2", "CLE-3", "DOT-4"]
    rng = random.Random(5)  # noqa: S311 - dice for tests
    made: list[list[Call]] = [
        [
            ("note", {"to": to, "text": rng.choice(["hello", "bye"])})
            for to in rng.choices(people, k=3)
        ]
        for _ in range(60)
    ]
    made[40] = [("note", {"to": to, "text": "hello"}) for to in people[:2]]
    started = _starts(call, made)[40]
    (_, first), (_, second) = made[40]
    session = started()
    assert session.call("note", first).source == RECORDED
    assert session.call("note", second).source == RECORDED
    session = started()
    assert session.call("note", {"to": "DOT-4", "text": "never sent"}).source == UNKNOWN
    assert session.call("note", second).source == UNKNOWN


def test_a_day_is_not_told_with_what_its_own_episode_put_there() -> None:
    """Who adds an hour and looks at its day has not seen how the day was before."""
    days: dict[str, list[str]] = {}

    def call(name: str, arguments: dict[str, Any]) -> str:
        if name == "add":
            days.setdefault(arguments["start"][:10], []).append(arguments["title"])
            return f"added {arguments['title']}"
        return json.dumps([{"title": t} for t in days.get(arguments["day"], [])])

    made: list[list[Call]] = []
    for number in range(160):
        day = f"2026-05-{10 + number // 8:02}"
        title = f"visit {'abcdefgh'[number % 8]}{'klmn'[number % 4]}"
        calls: list[Call] = [("agenda", {"day": "2026-07-01"})] * 2
        calls += [
            ("add", {"title": title, "start": f"{day} 10:00"}),
            ("agenda", {"day": day}),
            ("agenda", {"day": day}),
        ]
        made.append(calls)
    starts = _starts(call, made)
    days.clear()
    for started, calls in zip(starts, made, strict=True):
        shown = call(*calls[3])
        told = started().call(*calls[3])
        assert told.source == UNKNOWN or told.content == shown
        for one in calls:
            call(*one)


def test_a_list_of_everything_is_not_told_after_something_was_put_there() -> None:
    """Its call says how to show it and no more: what is put there shares no word with what it showed before."""
    held: list[str] = []

    def call(name: str, arguments: dict[str, Any]) -> str:
        if name == "list":
            return json.dumps({"all": list(held)})
        held.append(arguments["name"])
        held[:] = held[-5:]
        return "put"

    made: list[list[Call]] = [
        [("list", {"all": True}), ("put", {"name": f"text-{n}.md"}), ("list", {"all": True})]
        for n in range(60)
    ]
    session = _starts(call, made)[40]()
    assert session.call("list", {"all": True}).content != ""
    assert session.call("put", {"name": "text-40.md"}).source == RECORDED
    told = session.call("list", {"all": True})
    assert told.source == UNKNOWN or "text-40.md" in told.content


def test_what_the_task_itself_was_told_goes_before_what_others_saw() -> None:
    """Others saw the text; this conversation took it away and did not find it."""
    reads = {"table": "text", "key": [["arg", "of"]]}
    said = {outcome_of("gone", {}): "refusal", outcome_of('{"of": "a7"}', {}): "success"}
    show = {"kind": "read", "reads": reads, "outcomes": said}
    entry = {"before": [], "content": "gone", "from": "mine", "n": 1}
    row = {"of": "a7", "words": "hello"}
    document = {
        "format": "1",
        "continuity": {"kind": "living"},
        "tools": {"show": show},
        "tables": {"text": {"key": ["of"], "rows": {}}},
        "timeline": {"text": {"versions": {'["a7"]': [[1, row]]}, "horizon": None}},
        "tape": {"show": {'{"of":"a7"}': [entry]}},
    }
    world = World.from_json(document)
    others = world.session({"tape": ["theirs"]}, started_at=5)
    assert json.loads(others.call("show", {"of": "a7"}).content) == row
    mine = world.session({"tape": ["mine"]}, started_at=5)
    assert mine.call("show", {"of": "a7"}).content == "gone"


def test_an_entry_names_the_days_of_its_moments() -> None:
    """A day by itself is no moment, and names itself already."""
    given = {"start": "2026-05-03 10:00", "end": "2026-05-04T11:30:00Z", "due": "2026-05-09"}
    assert Entry(tool="add", args=dict(given), known=True).days() == {"=2026-05-03", "=2026-05-04"}
