"""What a living backend's lookups, searches and restless readers are believed to say."""

from __future__ import annotations

import json

from environments.runtime.document.codec import decode
from environments.runtime.document.records import TimelinePart
from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.world.dated_rows import MADE, DatedTable
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import LearntWorld, WorldSettings, learn_world

DAY = 86_400 * 10**9
MEMBERS = 30
FIRST = ("Ada", "Bo", "Cy", "Di", "Ed")


class Club:
    """Members with points that move by themselves, who are found by nickname and town."""

    def __init__(self) -> None:
        self.members: dict[str, dict[str, Json]] = {
            f"MB-{n:04}": {
                "member": f"MB-{n:04}",
                "who": {"nick": FIRST[n % 5], "town": f"Town {n // 5:02}"},
                "points": n * 10,
            }
            for n in range(MEMBERS)
        }

    def call(self, name: str, arguments: dict[str, Json]) -> str:
        """Find a member, look at one, or list a town."""
        if name == "show_member":
            return json.dumps(self.members[str(arguments["member"])])
        if name == "list_town":
            town, found = arguments["town"], list[Json]()
            for one in self.members.values():
                fits = isinstance(one["who"], dict) and one["who"]["town"] == town
                if fits and one["member"] > str(arguments.get("after", "")):  # type: ignore[operator]
                    found.append(
                        {"member": one["member"], "kind": f"kind {str(one['member'])[-1]}"}
                    )
            return json.dumps(found)
        for one in self.members.values():
            if one["who"] == arguments:
                return json.dumps({"member": one["member"]})
        return "Error: nobody has this name"


def club_season(length: int = 150) -> list[CleanEpisode]:
    """One conversation after the other: a member is found and looked at, now and then twice."""
    club = Club()
    out: list[CleanEpisode] = []
    for number in range(length):
        one = club.members[f"MB-{(number * 7 + number // 9) % (MEMBERS - 5):04}"]
        who = one["who"]
        assert isinstance(who, dict)
        wanted: list[tuple[str, dict[str, Json]]] = [("show_member", {"member": one["member"]})] * (
            1 + (number % 6 == 0)
        )
        if number % 3:
            wanted = [("find_member", dict(who)), *wanted]
        wanted.append(("list_town", {"town": who["town"]}))
        wanted.append(("list_town", {"town": who["town"], "after": "MB-0005"}))
        out.append(conversation(club, number, wanted))
        for other in club.members.values():
            other["points"] = int(str(other["points"])) + 1 + number % 5
    return out


def conversation(
    club: Club | Stall, number: int, wanted: list[tuple[str, dict[str, Json]]]
) -> CleanEpisode:
    """These calls with the club's answers."""
    at = (number + 1) * DAY
    steps: list[CleanStep] = [CleanStep(role="user", content="who is this?")]
    for index, (name, arguments) in enumerate(wanted):
        call = CleanToolCall(call_id=f"c{index}", name=name, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,), at=at + index))
        content = club.call(name, arguments)
        steps.append(
            CleanStep(
                role="tool", call_id=f"c{index}", tool_name=name, content=content, at=at + index
            )
        )
    return CleanEpisode(
        episode_id=f"e{number:04}", app="club", agent="a", started_at=at, steps=tuple(steps)
    )


def learnt(length: int = 150) -> LearntWorld:
    """The club's world as a backend that lives on."""
    return learn_world(club_season(length), WorldSettings(risk=0, continuity="living"))


def test_a_lookup_that_nobody_made_is_told_from_a_sight_of_the_record() -> None:
    """A member who was only looked at is found by what the record says; one who was never seen is not."""
    club, length = Club(), 150
    episodes = club_season(length)
    kept = [e for e in episodes if not _finds(e, "MB-0007")]
    assert len(kept) < len(episodes)
    world = World(learn_world(kept, WorldSettings(risk=0, continuity="living")).document)
    session = world.session(started_at=(length + 2) * DAY)
    known = session.call("find_member", dict(club.members["MB-0007"]["who"]))  # type: ignore[arg-type]
    never = session.call("find_member", dict(club.members["MB-0029"]["who"]))  # type: ignore[arg-type]

    assert json.loads(known.content) == {"member": "MB-0007"}
    assert never.source == UNKNOWN


def _finds(episode: CleanEpisode, member: str) -> bool:
    return any(
        s.tool_name == "find_member" and s.content == json.dumps({"member": member})
        for s in episode.steps
    )


def test_a_lookup_that_two_records_fit_is_not_told() -> None:
    """Where another record says the same of itself, nobody knows which of them is found."""
    club = Club()
    episodes = club_season()
    double = {**club.members["MB-0003"], "member": "MB-0999"}
    club.members["MB-0999"] = double
    # Seen after everything else, in an episode that looked nobody up.
    extra = conversation(club, 151, [("show_member", {"member": "MB-0999"})])
    world = World(
        learn_world([*episodes, extra], WorldSettings(risk=0, continuity="living")).document
    )
    asked = world.session(started_at=160 * DAY).call(
        "find_member", {"nick": "Di", "town": "Town 00"}
    )

    assert asked.source == UNKNOWN


def test_a_reader_whose_record_moves_from_day_to_day_is_a_reader() -> None:
    """It shows the same twice within an episode, hardly ever on another day: nothing it names is in doubt after it."""
    found = {tool.name: tool.kind for tool in learnt().tools}

    assert found["show_member"] == "read"


def test_a_search_called_without_an_argument_is_a_search_of_its_own() -> None:
    """What was shown without the argument is told without it, and not with it."""
    session = World(learnt().document).session(started_at=160 * DAY)
    club = Club()
    for arguments in ({"town": "Town 01"}, {"town": "Town 01", "after": "MB-0005"}):
        told = session.call("list_town", dict(arguments))

        assert told.content == club.call("list_town", dict(arguments))
    assert session.call("list_town", {"town": "Town 01", "after": "MB-0007"}).source == UNKNOWN


class Stall:
    """Orders of single things, and products that list their versions, whose stock moves by itself."""

    def __init__(self) -> None:
        self.stock = 100
        self.orders: dict[str, dict[str, Json]] = {
            f"OR-{n:04}": {"order": f"OR-{n:04}", "version": f"VR-{n % 4}0{n % 3}", "paid": 5}
            for n in range(80)
        }

    def call(self, name: str, arguments: dict[str, Json]) -> str:
        """Look at an order or a product, or swap what an order is for."""
        if name == "show_product":
            number = int(str(arguments["product"])[3:])
            return json.dumps({"product": arguments["product"], "versions": self.versions(number)})
        order = self.orders[str(arguments["order"])]
        if name == "swap":
            version = str(arguments["version"])
            listed = {str(v["version"]): v for v in self.versions(int(version[3]))}
            order.update(version=version, paid=listed[version]["price"])
        return json.dumps(order)

    def versions(self, product: int) -> list[dict[str, Json]]:
        """What there is of one product."""
        return [
            {
                "version": f"VR-{product}0{n}",
                "price": 17 * product + 5 * n * n + 2,
                "stock": self.stock,
            }
            for n in range(3)
        ]


def test_a_change_takes_its_values_from_a_record_inside_another_that_was_looked_at() -> None:
    """In a backend that lives on as in any other: the price of a swap stands in the product that the episode saw."""
    stall, episodes = Stall(), list[CleanEpisode]()
    for number in range(60):
        order, product = f"OR-{number:04}", number * 7 % 4
        wanted: list[tuple[str, dict[str, Json]]] = [
            ("show_order", {"order": f"OR-{max(0, number - 1):04}"}),
            ("show_order", {"order": order}),
            ("show_product", {"product": f"PR-{product:04}"}),
            ("show_product", {"product": f"PR-{product:04}"}),
            ("swap", {"order": order, "version": f"VR-{product}0{number % 3}"}),
            ("show_order", {"order": order}),
        ]
        episodes.append(conversation(stall, number, wanted))
        stall.stock -= 1
    world = World(learn_world(episodes, WorldSettings(risk=0, continuity="living")).document)
    session = world.session(started_at=90 * DAY)
    looks: list[tuple[str, dict[str, Json]]] = [
        ("show_order", {"order": "OR-0077"}),
        ("show_product", {"product": "PR-0002"}),
    ]
    for name, arguments in looks:
        session.observe(name, dict(arguments), stall.call(name, arguments))
    swap: dict[str, Json] = {"order": "OR-0077", "version": "VR-202"}
    told = session.call("swap", dict(swap))

    assert json.loads(told.content) == json.loads(stall.call("swap", swap))


def test_a_record_is_what_it_was_before_and_after_where_records_never_turn_back() -> None:
    """Equal sights on both sides speak for the time between, across calls of unknown effect, not across a change."""
    part = {"versions": {"k": [[10, {"v": 1}], [50], [90, {"v": 1}]]}, "horizon": 5, "stays": True}
    moved = {**part, "versions": {"k": [[10, {"v": 1}], [90, {"v": 2}]]}}
    made = {**part, "versions": {"k": [[10, {"v": 1}], [90, {"v": 1}, MADE]]}}

    assert DatedTable(decode(TimelinePart, part), 30).get("k") == {"v": 1}
    assert DatedTable(decode(TimelinePart, part), 60).get("k") == {"v": 1}
    assert DatedTable(decode(TimelinePart, {**part, "stays": False}), 30).get("k") is None
    assert DatedTable(decode(TimelinePart, moved), 30).get("k") is None
    assert DatedTable(decode(TimelinePart, made), 30).get("k") is None


def test_a_later_sight_stands_in_for_an_earlier_one_within_its_own_horizon() -> None:
    """How far back it speaks is measured apart; a row that a call left there says nothing of the time before."""
    part = {"versions": {"k": [[90, {"v": 1}]]}, "horizon": 50, "back": 20}

    assert DatedTable(decode(TimelinePart, part), 80).get("k") == {"v": 1}
    assert DatedTable(decode(TimelinePart, part), 60).get("k") is None
    assert (
        DatedTable(
            decode(TimelinePart, {**part, "versions": {"k": [[90, {"v": 1}, MADE]]}}), 80
        ).get("k")
        is None
    )
