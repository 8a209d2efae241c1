"""Unit tests: a tool that becomes another tool is found, and each of its versions is learnt from its own calls."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from dagster_project.report.worlds import version_rows
from environments.runtime.document.views import VersionPart
from environments.runtime.document.world_file import WORLD_FORMAT
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.versions import outdated, version_at
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode, workshop_episodes

SECOND = 1_000_000_000
CHANGED = 20
"""The number of the first episode of the new version."""
Change = Callable[[str, dict[str, Any], str], tuple[dict[str, Any], str]]


def season(change: Change, *, count: int = 40, at: int = CHANGED) -> list[CleanEpisode]:
    """Workshop episodes of which those from `at` on have their calls and results changed."""
    out = []
    for number, one in enumerate(workshop_episodes(count)):
        calls = [
            (c.name, json.loads(c.arguments), after.content or "")
            for step, after in zip(one.steps[::2], one.steps[1::2], strict=True)
            for c in step.tool_calls
        ]
        if number >= at:
            calls = [(name, *change(name, args, content)) for name, args, content in calls]
        out.append(episode(number + 1, list(calls)))
    return out


def versions_of(episodes: Iterable[CleanEpisode]) -> dict[str, Any]:
    """The versions in the world file."""
    document = learn_world(list(episodes), WorldSettings(risk=0)).document.to_json()
    return dict(document.get("versions", {}))


def renamed(name: str, args: dict[str, Any], content: str) -> tuple[dict[str, Any], str]:
    """The bike's colour is called paint."""
    if name in {"show_bike", "paint"} and content.startswith("{"):
        record = json.loads(content)
        return args, json.dumps({("tone" if k == "colour" else k): v for k, v in record.items()})
    return args, content


def retyped(name: str, args: dict[str, Any], content: str) -> tuple[dict[str, Any], str]:
    """Prices are texts."""
    if name == "show_bike" and content.startswith("{"):
        record = json.loads(content)
        return args, json.dumps({**record, "price": str(record["price"])})
    return args, content


def with_argument(name: str, args: dict[str, Any], content: str) -> tuple[dict[str, Any], str]:
    """Looking at a bike needs a reason."""
    return ({**args, "why": "asked"} if name == "show_bike" else args), content


def reworded(name: str, args: dict[str, Any], content: str) -> tuple[dict[str, Any], str]:
    """A refusal in other words."""
    return args, content.replace("a sold bike cannot be painted", "bikes stay as sold")


@pytest.mark.parametrize(
    ("change", "tools", "kind"),
    [
        (renamed, {"show_bike", "paint"}, "shape"),
        (retyped, {"show_bike"}, "shape"),
        (with_argument, {"show_bike"}, "shape"),
        (reworded, {"paint"}, "behaviour"),
    ],
)
def test_a_change_is_found_at_its_time_and_nowhere_else(
    change: Change, tools: set[str], kind: str
) -> None:
    """Only the changed tools get a version, and its end lies between the last old and the first new call."""
    count = 240 if change is reworded else 60
    found = versions_of(season(change, count=count, at=count // 2))
    assert set(found) == tools
    for versions in found.values():
        assert len(versions) == 1
        assert versions[0]["changes"][0]["kind"] == kind
        away = abs(versions[0]["until"] - (count // 2 + 1) * SECOND)
        assert away <= (20 if kind == "behaviour" else 4) * SECOND


def test_nothing_is_found_where_nothing_changed() -> None:
    """A season of one version has no versions."""
    assert versions_of(season(lambda _n, args, content: (args, content))) == {}


def test_a_field_that_comes_and_goes_is_no_drift() -> None:
    """What turns back is optional, not another version."""
    episodes = season(renamed, count=40, at=15)
    back = workshop_episodes(60)[45:]
    assert versions_of([*episodes, *back]) == {}


def test_too_few_tasks_on_one_side_are_no_drift() -> None:
    """Four odd episodes at the end may be four odd episodes."""
    assert versions_of(season(renamed, count=40, at=36)) == {}


def test_attempts_at_one_task_are_one_example() -> None:
    """Twenty attempts at two tasks say less than twenty tasks."""
    episodes = season(renamed)
    few = [
        replace(e, task_key=f"t{i % 2}" if i >= CHANGED else f"u{i}")
        for i, e in enumerate(episodes)
    ]
    assert versions_of(few) == {}


def test_each_version_answers_in_its_own_time() -> None:
    """A task of old episodes meets the old tool, one of new ones the new tool, and without a time it is the newest."""
    learnt = learn_world(season(renamed, count=80, at=40), WorldSettings(risk=0))
    world = World.from_json(learnt.document.to_json())
    asked = ("show_bike", json.dumps({"bike": "BK-4000"}))
    old = world.session(started_at=5 * SECOND).call(*asked)
    new = world.session(started_at=75 * SECOND).call(*asked)
    newest = world.session().call(*asked)
    assert UNKNOWN not in {old.source, new.source}
    assert "colour" in json.loads(old.content)
    assert "tone" in json.loads(new.content)
    assert newest.content == new.content


def test_between_two_versions_nobody_knows() -> None:
    """Who begins after the last old answer and before the first new one may meet either; whoever called the new one first met it."""
    learnt = learn_world(season(renamed, count=80, at=40), WorldSettings(risk=0))
    world = World.from_json(learnt.document.to_json())
    (version,) = learnt.document.to_json()["versions"]["show_bike"]
    asked = ("show_bike", json.dumps({"bike": "BK-4000"}))
    assert version["until"] - version["seen"] > 1
    assert version["until"] % SECOND == 0  # an episode's start
    for at, knows in ((version["seen"], True), (version["seen"] + 1, False)):
        answer = world.session(started_at=at).call(*asked)
        assert (answer.source != UNKNOWN) is knows
    new = world.session(started_at=version["until"]).call(*asked)
    assert "tone" in json.loads(new.content)


def test_a_tools_policy_holds_for_all_its_versions() -> None:
    """Whoever allows recorded answers only means the tool as it was, too."""
    settings = WorldSettings(risk=0, tools={"paint": "strict"})
    tools = learn_world(season(renamed, count=80, at=40), settings).document.to_json()["tools"]
    assert {name for name, part in tools.items() if "policy" in part} == {"paint", "paint@1"}


def test_a_definition_that_only_says_more_splits_nothing() -> None:
    """A new choice in a definition is reported; what was learnt of the tool stays whole."""

    def defined(choices: list[str]) -> tuple[str, ...]:
        properties = {"colour": {"type": "string", "enum": choices}}
        parameters = {"type": "object", "properties": properties}
        return (json.dumps({"function": {"name": "paint", "parameters": parameters}}),)

    episodes = [
        replace(e, tools=defined(["red"] if i < CHANGED else ["red", "blue"]))
        for i, e in enumerate(workshop_episodes(40))
    ]
    learnt = learn_world(episodes, WorldSettings(risk=0))
    (version,) = learnt.document.to_json()["versions"]["paint"]
    assert {c["kind"] for c in version["changes"]} == {"schema"}
    assert version["tool"] == "paint"
    assert "paint@1" not in learnt.document.to_json()["tools"]


def test_versions_are_looked_up_by_time() -> None:
    """The first version that still answered; what is outdated since a moment."""
    versions = {"t": [VersionPart(tool="t@1", until=10), VersionPart(tool="t@2", until=20)]}
    assert [version_at(versions, "t", at) for at in (0, 5, 10, 20)] == ["t", "t@1", "t@2", "t"]
    assert version_at(versions, "other", 5) == "other"
    assert outdated(versions, ["t", "other"], 15) == ["t"]
    assert outdated(versions, ["t"], 25) == []
    assert outdated(versions, ["t"], 0) == []


def test_tasks_of_an_old_version_wait_for_a_person() -> None:
    """Attempts that call a tool which has become another since give a reason; those that do not call it give none."""
    episodes = season(renamed, count=80, at=40)
    learnt = learn_world(episodes, WorldSettings(risk=0))
    asked = CleanStep(role="user", content="Look.")
    chats = [replace(e, steps=(asked, *e.steps)) for e in episodes]
    found = derive_tasks(chats, {}, learnt)
    flagged = {c.attempts[0].episode_id for c in found if "tool_changed" in c.reasons}
    calls = {e.episode_id: {c.name for s in e.steps for c in s.tool_calls} for e in episodes}
    changed = {"show_bike", "paint"}
    old = {e.episode_id for e in episodes[:40] if calls[e.episode_id] & changed}
    assert flagged
    assert flagged == old


def test_the_report_and_dagster_name_what_changed() -> None:
    """A row per version with its time and what changed about it, without any value."""
    learnt = learn_world(season(renamed, count=80, at=40), WorldSettings(risk=0))
    rows = version_rows(learnt.document)
    assert {row.tool for row in rows} == {"show_bike", "paint"}
    assert {row.version for row in rows} == {2}
    assert all(row.since.startswith("1970-01-01") for row in rows)
    assert "results now have the field tone" in rows[0].changes


def test_outside_its_world_a_version_bears_the_tools_name() -> None:
    """Graders compare ends by the names of tools, and a policy is told of the tool that it called."""
    noted = {"kind": "act", "answer": ["const", "noted"], "claims": True}
    tools = {"note": noted, "note@1": noted, "lend": {"kind": "write"}, "lend@1": {"kind": "write"}}
    until = {name: [{"tool": f"{name}@1", "until": 10}] for name in ("note", "lend")}
    world = World.from_json({"format": WORLD_FORMAT, "tools": tools, "versions": until})
    old, new = world.session(started_at=5), world.session(started_at=15)
    for session in (old, new):
        assert session.call("note", {"text": "seen"}).content == "noted"
    assert old.end_state() == new.end_state()
    assert old.end_state().events
    assert old.call("lend", {}).source == UNKNOWN
    assert old.call("lend", {}) == new.call("lend", {})
