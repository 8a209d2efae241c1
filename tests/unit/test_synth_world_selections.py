"""Look-ups that pick records out of a list: what is told of calls that nobody made, and what is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from environments.runtime.answers.selections import Selection
from environments.runtime.document.selections import ConditionPart, SelectionPart
from environments.runtime.task.attempt import DERIVED, UNKNOWN, Json, ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.test_synth_world_recall import Made, episode

PORTS = ["Oran", "Bari", "Cork", "Kiel"]
NAMES = ["Aurora", "Borea", "Calypso", "Delphin", "Elektra", "Fortuna"]
NAMES += ["Galathea", "Hermia", "Iris", "Juno", "Kestrel", "Lyra"]
FERRIES = [
    {"id": f"FE-{n:02d}", "name": f"{name} {'Star' if n % 3 else 'Queen'}", "port": PORTS[n % 4], "seats": 90 + 37 * n % 200, "state": "laid up" if n % 5 == 0 else "sailing"}
    for n, name in enumerate(NAMES, 11)
]  # fmt: skip
Shown = Callable[[Mapping[str, Any]], Any]
SIZE = 5


def picked(args: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ferries that a call asks for, the largest first."""
    found = [
        one
        for one in FERRIES
        if args.get("port", one["port"]) == one["port"]
        and args.get("state", one["state"]) == one["state"]
        and one["seats"] >= args.get("min_seats", 0)
        and str(args.get("query", "")).casefold() in str(one["name"]).casefold()
    ]
    return sorted(found, key=lambda one: -int(one["seats"]))


def plain(args: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """All of them, as a list."""
    return picked(args)


def counted(args: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """A page of them, with what is counted beside."""
    found, page, size = picked(args), args.get("page", 1), args.get("size", SIZE)
    shown = found[(page - 1) * size : page * size]
    return {
        "total": len(found),
        "page": page,
        "pages": max(1, -(-len(found) // size)),
        "seats": sum(one["seats"] for one in shown),
        "ferries": shown,
    }


def app(asked: Sequence[Mapping[str, Any]], shown: Shown = plain) -> list[CleanEpisode]:
    """Two attempts at a task for each call; every third repaints a ferry at the end."""
    made = []
    for task, args in enumerate(asked):
        look: Made = ("find_ferries", dict(args), json.dumps(shown(args)))
        name = FERRIES[task % len(FERRIES)]["id"]
        paint: Made = (
            "repaint_ferry",
            {"id": name, "state": "laid up"},
            json.dumps({"painted": name}),
        )
        made.append(episode(2 * task, task, [look]))
        made.append(episode(2 * task + 1, task, [look, paint] if task % 3 == 0 else [look]))
    return made


def answer(
    episodes: Sequence[CleanEpisode], args: Mapping[str, Any], before: Sequence[Made] = ()
) -> ToolResult:
    """What the learnt world says to a call."""
    world = World.from_json(learn_world(episodes, WorldSettings()).document.to_json())
    session = world.session()
    for name, given, content in before:
        session.observe(name, given, content)
    return session.call("find_ferries", json.dumps(args))


EMPTY_PORT = next(p for p in PORTS if not picked({"port": p, "state": "laid up"}))
PORTS_ONLY = [{"port": port} for port in PORTS]
STATES = [{"port": "Oran", "state": "sailing"}, {"port": "Cork", "state": "laid up"}, {"port": "Kiel", "state": "sailing"}]  # fmt: skip
QUERIES = [{"query": name} for name in (*NAMES[:9], "queen", "star", "s", "queen")]


def test_what_a_call_adds_to_a_recorded_one_takes_records_away() -> None:
    """Nobody asked for the ferries of Bari that sail; everybody in Bari was shown."""
    told = answer(app([*PORTS_ONLY, *STATES]), {"port": "Bari", "state": "sailing"})
    assert (told.source, told.content) == (DERIVED, json.dumps(picked({"port": "Bari", "state": "sailing"})))  # fmt: skip


def test_nothing_is_there_where_a_whole_list_has_nothing_of_the_kind() -> None:
    """No ferry there is laid up, and both values are known."""
    asked = {"port": EMPTY_PORT, "state": "laid up"}
    assert picked(asked) == []
    told = answer(app([*PORTS_ONLY, *STATES]), asked)
    assert (told.source, told.content) == (DERIVED, "[]")


def test_a_value_that_no_record_has_may_be_refused() -> None:
    """Whether a tool says nothing or objects to such a state, no recording tells."""
    told = answer(app([*PORTS_ONLY, *STATES]), {"port": "Bari", "state": "sunk"})
    assert told.source == UNKNOWN


@pytest.mark.parametrize("query", ["Kestr", "calypso s"])
def test_a_search_finds_a_record_by_other_words(query: str) -> None:
    """A list of all names holds the ferry that nobody searched for."""
    told = answer(app([*QUERIES, *PORTS_ONLY]), {"query": query})
    assert (told.source, json.loads(told.content)) == (DERIVED, picked({"query": query}))


def test_a_search_that_finds_nothing_known_is_unknown() -> None:
    """A ferry that no recording showed may be called so."""
    told = answer(app(QUERIES[:9]), {"query": "Lyra"})
    assert told.source == UNKNOWN


def test_a_number_is_compared_as_the_recordings_show() -> None:
    """At least so many seats, and not the same number."""
    seats: list[Mapping[str, Any]] = [{"port": port, "min_seats": n} for port, n in zip(PORTS, (120, 180, 150, 250), strict=True)]  # fmt: skip
    told = answer(app([*PORTS_ONLY, *seats]), {"port": "Oran", "min_seats": 200})
    assert (told.source, json.loads(told.content)) == (DERIVED, picked({"port": "Oran", "min_seats": 200}))  # fmt: skip


PAGES: list[Mapping[str, Any]] = [{"state": "sailing", "size": 20}, {"state": "sailing"}, {"state": "sailing", "page": 2}, *PORTS_ONLY, *STATES]  # fmt: skip


@pytest.mark.parametrize("asked", [{"state": "sailing", "size": 4}, {"state": "sailing", "size": 4, "page": 2}, {"port": "Bari", "state": "sailing"}])  # fmt: skip
def test_pages_and_what_is_counted_follow_from_the_whole_list(asked: dict[str, Any]) -> None:
    """Once a page held them all, every page of any size is known, with its counts."""
    told = answer(app(PAGES, counted), asked)
    assert (told.source, json.loads(told.content)) == (DERIVED, counted(asked))


def test_after_a_change_nobody_knows() -> None:
    """A ferry that was repainted may be in another state."""
    painted: Made = ("repaint_ferry", {"id": "FE-12", "state": "laid up"}, json.dumps({"painted": "FE-12"}))  # fmt: skip
    asked = {"port": "Bari", "state": "sailing"}
    assert answer(app([*PORTS_ONLY, *STATES]), asked, [painted]).source == UNKNOWN


def test_lists_that_differ_from_time_to_time_tell_nothing() -> None:
    """Equal calls with unequal lists: something moves that no call explains."""
    drawn = iter(range(10_000))

    def shuffled(args: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
        found = picked(args)
        return found[next(drawn) % 3 :]

    asked = [*PORTS_ONLY, *STATES, *PORTS_ONLY]
    assert answer(app(asked, shuffled), {"port": "Bari", "state": "sailing"}).source == UNKNOWN


def test_two_conditions_that_fit_and_differ_tell_nothing() -> None:
    """Every recorded word stands in both fields; here only one has it."""
    rows = [{"id": f"r{n}", "title": word, "place": word} for n, word in enumerate(["ash", "birch", "cedar", "elm"])]  # fmt: skip
    rows += [{"id": "r8", "title": "yew", "place": "oak"}, {"id": "r9", "title": "fir", "place": "yew"}]  # fmt: skip
    calls = [({"word": one["title"]}, [one]) for one in rows[:4]]
    made = [episode(n, n, [("find_trees", args, json.dumps(shown))]) for n, (args, shown) in enumerate(calls)]  # fmt: skip
    made += [episode(10 + n, 10 + n, [("list_trees", {}, json.dumps(rows))]) for n in range(3)]
    world = World.from_json(learn_world(made, WorldSettings()).document.to_json())
    assert world.session().call("find_trees", '{"word": "yew"}').source == UNKNOWN


def test_a_field_that_says_nothing_is_no_word() -> None:
    """Trees without a note, or with an empty one, are not those whose note is the word that stands for nothing."""
    words = ("ash", "birch", None, "elm")
    rows: list[Json] = [{"id": f"r{n}", "note": word} for n, word in enumerate(words)]
    rows.append({"id": "r4", "note": "none"})
    part = SelectionPart(
        records=(*rows, {"id": "r5"}), conditions={"note": (ConditionPart(op="is", fields=("note",)),)}
    )  # fmt: skip
    assert Selection(part).records_of({"note": "none"}) == [4]


@pytest.mark.parametrize(("asked", "found"), [("20", [0, 2]), (20, [0, 2]), ("150", [])])
def test_numbers_in_texts_compare_as_numbers(asked: Any, found: list[int]) -> None:  # noqa: ANN401 - JSON
    """A hundred is more than twenty, also where the app writes both as texts."""
    rows: list[Json] = [
        {"id": f"r{n}", "price": price} for n, price in enumerate(["100", "9", "20.5"])
    ]
    condition = ConditionPart(op="least", fields=("price",))
    part = SelectionPart(records=tuple(rows), conditions={"from": (condition,)})
    assert Selection(part).records_of({"from": asked}) == found


def test_a_condition_that_does_not_say_leaves_the_call_open() -> None:
    """One of two conditions knows nothing of so short a word."""
    rows: tuple[Json, ...] = ({"id": "r0", "name": "Oak"}, {"id": "r1", "name": "Yew"})
    ways = tuple(ConditionPart(op=op, fields=("name",), least=n) for op, n in (("is", 0), ("holds", 4)))  # fmt: skip
    part = SelectionPart(records=rows, conditions={"name": ways})
    assert Selection(part).records_of({"name": "Oak"}) is None


PEOPLE = [
    {"id": f"P-{30 + at}", "name": f"{first} {last}", "code": f"K{11 + 7 * at}"}
    for at, (first, last) in enumerate(
        (first, last)
        for last in ("Moreau", "Varga", "Oduya", "Lindh", "Costa", "Weiss", "Rossi", "Haddad")
        for first in ("Ada", "Cem")
    )
]


def test_a_part_of_a_name_may_find_others_whom_nobody_asked_for() -> None:
    """Whole names, and surnames with a code, find one person each; a surname alone was never asked for."""
    known = PEOPLE[::2]

    def found(args: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
        rows = [
            p
            for p in PEOPLE
            if args["name"] in p["name"] and args.get("code", p["code"]) == p["code"]
        ]
        return {"total": len(rows), "people": rows}

    def asked(person: Mapping[str, str]) -> dict[str, Any]:
        return {"name": person["name"].split()[1], "code": person["code"]}

    def look(at: int) -> Made:
        person = known[at % len(known)]
        return ("get_person", {"id": person["id"]}, json.dumps(person))

    calls = [{"name": p["name"]} for p in known] + [asked(p) for p in known]
    made = [
        episode(
            at,
            at % len(calls),
            [("find_people", args, json.dumps(found(args))), look(at), look(at + 4)],
        )
        for at, args in enumerate(calls * 2)
    ]
    session = World(learn_world(made, WorldSettings()).document).session()
    assert session.call("find_people", asked(known[2])).source != UNKNOWN
    assert session.call("find_people", {"name": "Varga"}).source == UNKNOWN
