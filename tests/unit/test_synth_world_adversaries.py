"""Backends made to fool what a world believes: records that go away and come back, doubles, ids of two kinds under one name."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from environments.runtime.document.codec import decode
from environments.runtime.document.records import TimelinePart
from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.world.dated_rows import DatedTable
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

DAY = 86_400 * 10**9
LIVING = WorldSettings(risk=0, continuity="living")
Made = tuple[str, dict[str, Json], str]


def told_on(number: int, calls: list[Made], *, after: int = 0) -> CleanEpisode:
    """One conversation on a day; its calls come `after` so many hours, a second apart."""
    start = (number + 1) * DAY
    steps: list[CleanStep] = []
    for at, (name, args, content) in enumerate(calls):
        moment = start + after * 3_600 * 10**9 + at * 10**9
        call = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(args))
        steps.append(CleanStep(role="assistant", tool_calls=(call,), at=moment))
        steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content, at=moment))
    return CleanEpisode(
        app="hall", episode_id=f"e{number:04}", started_at=start, steps=tuple(steps)
    )


def show(member: dict[str, Any]) -> Made:
    """A look at a member."""
    return "show_member", {"member": member["member"]}, json.dumps(member)


def find(member: dict[str, Any]) -> Made:
    """A member found by mail."""
    return "find_member", {"mail": member["mail"]}, json.dumps({"member": member["member"]})


def people(count: int) -> list[dict[str, Any]]:
    """Members of a hall."""
    return [
        {"member": f"MB-{n:04}", "mail": f"who{n}@hall.org", "town": f"Town {n % 4}"}
        for n in range(count)
    ]


def hall(days: int = 90) -> list[CleanEpisode]:
    """Members who never change, found by mail and looked at; two of three are found first."""
    members = people(14)
    out = []
    for day in range(days):
        one = members[day * 5 % 12]
        out.append(told_on(day, [show(one)] if day % 3 == 0 else [find(one), show(one)]))
    return out


def asked(
    episodes: list[CleanEpisode], day: int, name: str, args: dict[str, Json]
) -> tuple[str, str]:
    """What a world learnt from these says on a day: its source and its text."""
    document = learn_world(episodes, LIVING).document.to_json()
    said = World.from_json(document).session(started_at=(day + 1) * DAY).call(name, args)
    return said.source, said.content


def test_a_record_that_was_gone_in_between_is_not_told_from_both_sides() -> None:
    """Seen, then refused, then seen again as before: after the refusal nobody knows when it came back."""
    members = people(14)
    episodes = hall()
    gone: Made = ("show_member", {"member": "MB-0013"}, "Error: no such member")
    episodes += [told_on(92, [show(members[13])]), told_on(95, [gone])]
    episodes += [told_on(99, [show(members[13])])]
    source, content = asked(episodes, 97, "show_member", {"member": "MB-0013"})

    assert source == UNKNOWN, content
    assert asked(episodes, 50, "show_member", {"member": "MB-0003"})[0] != UNKNOWN


def test_a_refused_look_speaks_against_later_sights_standing_for_earlier_ones() -> None:
    """Where what is seen later was refused before, over and over, a later sight says nothing of the time before it."""
    episodes = hall()
    for number, one in enumerate(people(60)[14:]):
        gone: Made = ("show_member", {"member": one["member"]}, "Error: no such member")
        episodes += [told_on(100 + 2 * number, [gone]), told_on(101 + 2 * number, [show(one)])]
    last = {**people(1)[0], "member": "MB-0998"}
    episodes.append(told_on(230, [show(last)]))
    source, content = asked(episodes, 229, "show_member", {"member": "MB-0998"})

    assert source == UNKNOWN, content


def test_a_double_that_was_seen_stays_a_double_when_the_first_is_seen_again() -> None:
    """Two members of one mail: whichever was looked at last, nobody knows which of them is found."""
    double = {"member": "MB-0999", "mail": "who3@hall.org", "town": "Town 1"}
    first = people(14)[3]
    episodes = [*hall(), told_on(95, [show(double)]), told_on(96, [show(first)])]

    assert asked(episodes, 97, "find_member", {"mail": "who3@hall.org"})[0] == UNKNOWN


def test_sights_count_in_order_of_time_where_conversations_overlap() -> None:
    """A conversation that began first sees the new mail last: the old one finds nobody any more."""
    before = people(14)[13]
    now = {**before, "mail": "moved@hall.org"}
    late = told_on(95, [show(now)], after=50)
    episodes = [*hall(), late, told_on(96, [show(before)])]

    assert asked(episodes, 99, "find_member", {"mail": before["mail"]})[0] == UNKNOWN
    assert asked(episodes, 99, "find_member", {"mail": "moved@hall.org"})[0] != UNKNOWN


def test_nothing_given_is_not_an_argument_left_out() -> None:
    """A list with `limit` null was never made: what is listed without it says nothing about that."""
    episodes = hall()
    for day in range(90):
        most = 1 + day % 3 if day % 2 else None
        args: dict[str, Json] = {"town": f"Town {day % 4}"}
        args |= {"limit": most} if most else {}
        rows = [{"member": m["member"], "in": m["town"]} for m in people(14)[day % 4 :: 4]][:most]
        steps = told_on(day, [("list_town", args, json.dumps(rows))]).steps
        episodes[day] = replace(episodes[day], steps=(*episodes[day].steps, *steps))
    document = learn_world(episodes, LIVING).document.to_json()
    session = World.from_json(document).session(started_at=95 * DAY)

    assert session.call("list_town", {"town": "Town 2"}).source != UNKNOWN
    assert session.call("list_town", {"town": "Town 2", "limit": None}).source == UNKNOWN


def test_a_value_that_another_tool_takes_under_the_same_name_may_still_be_refused_first() -> None:
    """Orders and users are both asked for by `id`: an order's check that comes before the login is not about users."""
    locked = "Error: please log in"
    made: list[list[tuple[str, dict[str, Any] | str, str]]] = []
    for n in range(16):
        order, user = f"ord_{10 + n}", f"usr_{30 + n}"
        pin = {"pin": f"p{n}"}
        login = ("login", pin, json.dumps({"session": f"s-{n * 37}"}))
        seen = ("get_order", {"id": order}, json.dumps({"id": order, "total": 10 * n + 3}))
        told = ("get_user", {"id": user}, json.dumps({"id": user, "name": f"N{n}"}))
        none = f"Error: there is no order ord_9{n}"
        made += [
            [("get_order", {"id": order}, locked), login, seen, seen],
            [told, login, seen, told, seen],
            [told, ("get_order", {"id": f"ord_9{n}"}, none), told],
        ]
    episodes = [episode(n, calls) for n, calls in enumerate(made)]
    document = learn_world(episodes, WorldSettings(risk=0, continuity="reset")).document.to_json()
    world = World.from_json(json.loads(json.dumps(document)))

    assert world.session().call("get_order", {"id": "ord_17"}).content == locked
    assert world.session().call("get_order", {"id": "usr_31"}).source == UNKNOWN


def test_a_refusal_that_one_of_its_tools_escapes_is_about_something_else_for_all() -> None:
    """Two callers, one of whom the backend knows without a login: what only the other was ever asked for tells nothing."""
    locked = "Error: please log in"
    made: list[list[tuple[str, dict[str, Any] | str, str]]] = []
    for n in range(16):
        box, pin = {"box": f"box_{10 + n}"}, {"pin": f"p{n}"}
        login = ("login", pin, json.dumps({"session": f"s-{n * 37}"}))
        inside = ("get_box", box, json.dumps({"box": box["box"], "holds": 7 * n + 3}))
        weight = ("get_weight", box, json.dumps({"of": box["box"], "grams": 31 * n + 8}))
        made += [
            [("get_weight", box, locked), ("get_box", box, locked), login, weight, inside],
            [login, inside, weight, inside, weight],
            [inside, inside] if n % 2 else [login, weight, inside],
        ]
    last = ("get_weight", {"box": "box_99"}, json.dumps({"of": "box_99", "grams": 7}))
    made += [[("login", {"pin": "p1"}, json.dumps({"session": "s-37"})), last, last]]
    episodes = [episode(n, calls) for n, calls in enumerate(made)]
    document = learn_world(episodes, WorldSettings(risk=0, continuity="reset")).document.to_json()
    world = World.from_json(json.loads(json.dumps(document)))

    assert world.session().call("get_weight", {"box": "box_99"}).content != locked


def test_a_gone_version_bridges_nothing() -> None:
    """A refused look between two equal sights is a change; a call of unknown effect need not be one."""
    part = {
        "versions": {"k": [[10, {"v": 1}], [30, None, "gone"], [90, {"v": 1}]]},
        "horizon": 5,
        "back": 100,
        "stays": True,
    }

    assert DatedTable(decode(TimelinePart, part), 20).get("k") is None
    assert DatedTable(decode(TimelinePart, part), 50).get("k") is None
    assert DatedTable(decode(TimelinePart, part), 92).get("k") == {"v": 1}
