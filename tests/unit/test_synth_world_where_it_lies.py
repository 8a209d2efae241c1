"""A record that is found in one place and refused in another is asked for by its id and its place."""

import json
from collections.abc import Mapping, Sequence

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.session import Session
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

SHELVES = {f"P-{n:03}": ("north", "south")[n % 2] for n in range(20)}


def _asked(parcel: str, shelf: str) -> dict[str, str]:
    return {"parcel": parcel} if shelf == "north" else {"parcel": parcel, "shelf": shelf}


def _parcel(parcel: str, shelf: str, lies: str) -> str:
    if shelf != lies:
        return f"no parcel {parcel} there"
    return json.dumps({"parcel": parcel, "weight": 3 + int(parcel[-2:]), "sender": "Ovo Ltd"})


def _days() -> list[CleanEpisode]:
    """Every parcel is looked for where it lies; some also where it does not, and some are moved."""
    out = []
    for number in range(120):
        parcel = f"P-{number % 20:03}"
        lies = SHELVES[parcel]
        other = "south" if lies == "north" else "north"
        look = _asked(parcel, lies)
        calls: list[tuple[str, dict[str, str], str]] = [
            ("get_parcel", look, _parcel(parcel, lies, lies)),
        ]
        if number % 4 == 0:
            calls.insert(0, ("get_parcel", _asked(parcel, other), _parcel(parcel, other, lies)))
        if number % 3 == 0:
            calls.append(("carry", {"parcel": parcel, "to": other}, "carried"))
            calls.append(("get_parcel", _asked(parcel, other), _parcel(parcel, other, other)))
        if number % 6 == 0:
            calls.append(("get_parcel", look, _parcel(parcel, lies, other)))
        zone = number // 4 % 5
        rate = (
            "get_rate",
            {"zone": f"Z-{zone}"},
            json.dumps({"zone": f"Z-{zone}", "fee": 2 + zone}),
        )
        calls.insert(0 if number % 2 else len(calls), rate)
        out.append(_episode(number, calls))
    return out


def _episode(number: int, calls: Sequence[tuple[str, Mapping[str, str], str]]) -> CleanEpisode:
    """An episode of calls with their results."""
    steps: list[CleanStep] = []
    for at, (name, arguments, content) in enumerate(calls):
        call = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,), at=number * 100 + at))
        steps.append(
            CleanStep(role="tool", call_id=f"c{at}", content=content, at=number * 100 + at)
        )
    return CleanEpisode(
        app="depot", episode_id=f"e{number:03}", started_at=number * 100, steps=tuple(steps)
    )


def _open() -> Session:
    learnt = learn_world(_days(), WorldSettings(risk=0, continuity="reset"))
    return World.from_json(learnt.document.to_json()).session()


def test_a_record_is_not_told_where_it_was_never_seen() -> None:
    """P-007 lies in the south and was never looked for in the north: nobody says that it is there."""
    session = _open()
    right = _parcel("P-007", "south", "south")
    assert session.call("get_parcel", _asked("P-007", "south")).content == right
    told = session.call("get_parcel", _asked("P-007", "north"))
    assert told.source == UNKNOWN or told.content == _parcel("P-007", "north", "south")


def test_a_record_that_was_carried_away_is_not_told_where_it_lay() -> None:
    """After a parcel was carried off, the shelf on which it lay does not show it."""
    session = _open()
    session.call("carry", {"parcel": "P-007", "to": "north"})
    told = session.call("get_parcel", _asked("P-007", "south"))
    assert told.source == UNKNOWN or told.content == "no parcel P-007 there"


def _owned_days() -> list[CleanEpisode]:
    """Customers look at their own parcels; now and then one asks for a neighbour's, and is refused."""
    out = []
    for number in range(120):
        customer, parcel = f"C-{number % 10:03}", f"P-{number % 20:03}"
        calls = [
            ("profile", {"customer": customer}, json.dumps({"customer": customer, "points": 7}))
        ]
        if number % 7 == 0:
            wrong = {"parcel": f"P-{(number + 1) % 20:03}", "customer": customer}
            calls.append(("get_parcel", wrong, "no such parcel"))
        mine = {"parcel": parcel, "customer": customer}
        told = {"parcel": parcel, "weight": 3 + number % 20, "sender": "Ovo Ltd"}
        calls.append(("get_parcel", mine, json.dumps(told)))
        out.append(_episode(number, calls))
    return out


def test_who_asks_is_no_place() -> None:
    """A parcel that is refused to a neighbour in another episode is one record: its key is its id alone."""
    learnt = learn_world(_owned_days(), WorldSettings(risk=0, continuity="living"))
    tool = next(one for one in learnt.tools if one.name == "get_parcel")
    assert "asked_by" not in tool.evidence
