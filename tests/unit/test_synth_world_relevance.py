"""What an answer hangs on, learnt from tiny invented backends: one class of wrong answer each."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.office.sheet import SHEET
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from benchmarks.worlds.unseen import measure
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.views.clock_and_ids import BY_FORMAT
from environments.runtime.world.session import Session
from environments.runtime.world.world import World
from synth.worlds import LearntWorld, WorldSettings, learn_world
from tests.unit.world_backend import episode

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

Calls = list[tuple[str, dict[str, Any] | str, str]]
Server = Callable[[str, dict[str, Any]], str]


def _record(
    make: Callable[[], Server], plans: Sequence[Sequence[tuple[str, dict[str, Any]]]]
) -> LearntWorld:
    made = []
    for number, plan in enumerate(plans):
        server = make()
        calls: Calls = [(name, args, server(name, args)) for name, args in plan]
        made.append(episode(number, calls))
    return learn_world(made, WorldSettings(risk=0))


def _session(learnt: LearntWorld) -> Session:
    return World.from_json(learnt.document.to_json()).session()


def _mixed(
    calls: Sequence[tuple[str, dict[str, Any]]], count: int, length: int
) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """Random sequences of the same few calls, so that each is seen after many pasts."""
    rng = random.Random(5)  # noqa: S311 - dice for tests
    for _ in range(count):
        yield [rng.choice(calls) for _ in range(length)]


def _shell() -> Server:
    where = ["home"]
    names = {"home": "docs  notes of the house", "docs": "letters  bills of last winter"}

    def call(name: str, arguments: dict[str, Any]) -> str:
        if name == "go":
            where[0] = arguments["to"]
            return ""
        return names[where[0]] if name == "list_here" else where[0]

    return call


SHELL = [("go", {"to": "docs"}), ("go", {"to": "home"}), ("list_here", {}), ("where", {})]


def test_a_call_that_shares_no_name_still_changes_what_is_shown() -> None:
    """After going elsewhere the listing is another one; a listing after an unseen place is unknown."""
    session = _session(_record(_shell, list(_mixed(SHELL, 40, 4))))
    assert session.call("list_here", {}).content == "docs  notes of the house"
    session.call("go", {"to": "docs"})
    assert session.call("list_here", {}).content == "letters  bills of last winter"
    session.call("go", {"to": "attic"})
    assert session.call("list_here", {}).source == UNKNOWN


def test_hidden_writes_are_no_evidence_for_a_living_backend() -> None:
    """First sights disagree because of what came before, while equal pasts agree: every episode starts afresh."""
    learnt = _record(_shell, list(_mixed(SHELL, 60, 4)))
    assert learnt.continuity.kind == "reset"


def _desk() -> Server:
    user: list[str] = []
    closed: set[int] = set()

    def call(name: str, arguments: dict[str, Any]) -> str:
        if name == "login":
            user.append(arguments["who"])
            return json.dumps({"welcome": True})
        if name == "close":
            if not user:
                return "Error: log in first"
            closed.add(arguments["number"])
            return json.dumps({"done": f"closed number {arguments['number']}"})
        number = arguments["number"]
        state = "closed" if number in closed else "open and waiting"
        return json.dumps({"number": number, "state": state, "title": f"thing {'abc'[number % 3]}"})

    return call


DESK = [("login", {"who": "ann"})] + [
    (name, {"number": n}) for n in (1, 2, 3) for name in ("close", "show", "show")
]


def test_what_was_only_done_after_a_login_is_not_told_without_one() -> None:
    """A session without the step that came before every success gets no success."""
    plans = [[("login", {"who": "ann"}), *plan] for plan in _mixed(DESK[1:], 40, 4)]
    plans += [[call] for call in DESK[1:]]
    session = _session(_record(_desk, plans))
    assert "closed number" not in session.call("close", {"number": 2}).content
    session = _session(_record(_desk, plans))
    session.call("login", {"who": "ann"})
    assert "closed number" in session.call("close", {"number": 2}).content


def test_whole_numbers_tie_a_write_to_the_record_it_is_about() -> None:
    """Closing 2 changes what 2 shows; 3 is still known."""
    plans = [[("login", {"who": "ann"}), *plan] for plan in _mixed(DESK[1:], 60, 4)]
    session = _session(_record(_desk, plans))
    session.call("login", {"who": "ann"})
    session.call("close", {"number": 2})
    answer = session.call("show", {"number": 2})
    assert answer.source == UNKNOWN or json.loads(answer.content)["state"] == "closed"
    answer = session.call("show", {"number": 3})
    assert answer.source == UNKNOWN or json.loads(answer.content)["state"] != "closed"


def _shop() -> Server:
    orders: list[int] = []
    rng = random.Random()  # noqa: S311 - ids that nobody can foresee

    def call(name: str, arguments: dict[str, Any]) -> str:
        if name == "order":
            orders.append(501 + len(orders))
            return json.dumps({"made": orders[-1], "of": arguments["what"], "state": "new order"})
        if name == "token":
            return json.dumps({"token": f"{rng.getrandbits(60):015x}", "valid": True})
        if arguments["number"] not in orders:
            return f"Error: no order {arguments['number']}"
        return json.dumps({"number": arguments["number"], "text": "an order in good shape"})

    return call


SHOP = [("order", {"what": w}) for w in ("tea", "ink", "rope")] + [
    ("look", {"number": n}) for n in (501, 502, 503)
]


def test_not_found_is_not_told_after_something_may_have_been_made() -> None:
    """An order with an unknown number may be the one that is asked for."""
    session = _session(_record(_shop, list(_mixed(SHOP, 40, 4))))
    assert session.call("look", {"number": 501}).content == "Error: no order 501"
    session.call("order", {"what": "a thing never ordered before"})
    assert session.call("look", {"number": 501}).content != "Error: no order 501"


def test_a_random_id_is_told_by_its_format_and_never_as_recorded() -> None:
    """A token that differs though nothing else did is nobody's to know: what is told says so, and was never recorded."""
    plans = [[("token", {}), *plan] for plan in _mixed(SHOP, 30, 2)]
    learnt = _record(_shop, plans)
    world = World.from_json(learnt.document.to_json())
    told = [world.session(started_at=at).call("token", {}) for at in range(1, 30)]
    assert all(BY_FORMAT in one.evidence for one in told)
    tokens = [json.loads(one.content)["token"] for one in told]
    assert len({*tokens}) == len(tokens)
    assert not any(token in json.dumps(learnt.document.to_json()) for token in tokens)


def _posts() -> Server:
    likes = {1: 4, 2: 0}

    def call(name: str, arguments: dict[str, Any]) -> str:
        post = arguments["post"]
        if post not in likes:
            return "Error: no such post"
        likes[post] += name == "like"
        return (
            "ok" if name == "like" else json.dumps({"likes of it": likes[post], "at": "the wall"})
        )

    return call


def test_an_act_on_a_record_is_not_claimed_for_records_never_seen() -> None:
    """Always "ok" so far says nothing of a post that nobody liked yet."""
    calls = [(name, {"post": p}) for p in (1, 2) for name in ("like", "read")]
    session = _session(_record(_posts, list(_mixed(calls, 40, 3))))
    assert session.call("like", {"post": 77}).source == UNKNOWN


def test_an_envelope_does_not_make_two_tools_show_one_record() -> None:
    """Results that share only their envelope stay apart, though they have the same key."""

    def make() -> Server:
        def call(name: str, arguments: dict[str, Any]) -> str:
            data = [arguments["day"], name, "long words"] if name == "plan" else [8, 9, 12]
            return json.dumps({"ok": True, "data": data})

        return call

    calls = [(name, {"day": d}) for d in ("mon", "tue", "wed") for name in ("plan", "free")]
    session = _session(_record(make, list(_mixed(calls, 30, 3))))
    for day in ("mon", "tue", "wed"):
        assert json.loads(session.call("free", {"day": day}).content)["data"] == [8, 9, 12]


def _room() -> Server:
    now = {"lamp": "dark", "radio": "silence"}

    def call(name: str, arguments: dict[str, Any]) -> str:
        if name == "lamp":
            now["lamp"] = f"light of {arguments['colour']}"
        elif name == "radio":
            now["radio"] = f"songs from {arguments['place']}"
        return {"window": now["lamp"], "ear": now["radio"]}.get(name, "")

    return call


def test_a_writer_of_one_state_is_no_suspect_before_another() -> None:
    """The radio was never tuned before somebody looked at the window: what it changes is heard, not seen."""
    lamps: list[tuple[str, dict[str, Any]]] = [("lamp", {"colour": c}) for c in ("red", "blue")]
    radios: list[tuple[str, dict[str, Any]]] = [("radio", {"place": p}) for p in ("Rome", "Oslo")]
    seen: tuple[str, dict[str, Any]] = ("window", {})
    heard: tuple[str, dict[str, Any]] = ("ear", {})
    plans = []
    for writes, look in ((lamps, seen), (radios, heard)):
        plans += [[look, look], *([*first, do, look] for do in writes for first in ([], [look]))]
        plans += [[("hum", {"tune": f"song {n}"}), look] for n in range(12)]
    session = _session(_record(_room, plans))
    session.call(*radios[0])
    assert session.call("window", {}).content == "dark"
    session.call(*lamps[1])
    assert session.call("window", {}).content == "light of blue"
    assert session.call("ear", {}).content == "songs from Rome"


def test_a_tool_without_evidence_of_innocence_is_a_suspect() -> None:
    """Seen once per key and never before anything: whether it changes something nobody knows."""
    plans = [[("fetch", {"id": f"Q-{n}"})] for n in range(6)]
    learnt = _record(
        lambda: lambda _, a: json.dumps({"id": a["id"], "text": f"{a['id']} is here"}), plans
    )
    (tool,) = learnt.tools
    assert tool.kind == "write"
    assert tool.evidence["suspected"] == "too few calls after it"
    assert _session(learnt).call("fetch", {"id": "Q-3"}).source != UNKNOWN


@pytest.mark.parametrize(("name", "kind"), [("fetch", "read"), ("withdraw", "write")])
def test_a_tool_that_says_that_it_changes_something_has_to_show_more_often_that_it_does_not(
    name: str, kind: str
) -> None:
    """Four different calls answered alike before and after speak for a tool, but not against its own name."""

    def make() -> Server:
        return lambda _, a: json.dumps({"id": a["id"], "text": f"{a['id']} is as it always was"})

    looks = [("look", {"id": f"Q-{n}"}) for n in range(4)]
    calls = [(name, {"id": f"Z-{n}"}) for n in range(4)]
    plans = [[look, call, call, look] for look, call in zip(looks, calls, strict=True)]
    kinds = {tool.name: tool.kind for tool in _record(make, plans).tools}
    assert kinds == {"look": "read", name: kind}


@pytest.mark.parametrize("style", [TICKETS, SHEET, LEDGER], ids=lambda style: style.name)
def test_invented_backends_are_never_wrong(style: Style) -> None:
    """On other attempts and on sequences that no attempt made; without what calls are blamed for dozens of answers are."""
    for measured in measure(style):
        judged = measured.fidelity.judged
        right = sum(j.verdict == "exact" for j in judged)
        assert not [j.call for j in judged if j.verdict == "wrong"], measured.kind
        assert right >= 0.1 * len(judged), measured.kind


def _catalogue() -> list[Calls]:
    """Twelve books looked up again and again; one was answered otherwise in half of the episodes, and nothing was done there."""
    plans: list[Calls] = []
    for number in range(12):
        calls: Calls = []
        for book in range(number % 3, 12, 3):
            title = f"Volume {book}" if book != 3 or number < 6 else "Volume 3, second print"
            record = {"book": f"B{book}", "title": title}
            calls.append(("search_books", {"book": f"B{book}"}, json.dumps(record)))
        # What is asked for first differs from one half to the other, as tasks do.
        plans.append(calls if number < 6 else calls[::-1])
    return plans


def test_one_call_that_nothing_explains_is_one_call_that_nobody_knows() -> None:
    """What somebody outside changed once makes no clock of a look, and no writer: its other answers stay known."""
    learnt = learn_world(
        [episode(number, calls) for number, calls in enumerate(_catalogue())], WorldSettings(risk=0)
    )
    session = _session(learnt)
    assert session.call("search_books", {"book": "B3"}).source == UNKNOWN
    for book in (0, 1, 2, 4, 5, 6, 11):
        content = session.call("search_books", {"book": f"B{book}"}).content
        assert content == json.dumps({"book": f"B{book}", "title": f"Volume {book}"})
