"""Tools that are several: learnt from calls alone, answered as if each part were a tool of its own, written back as agents call them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.office.leave_tasks import LEAVE
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.worlds.dispatched import Form, formed, forms_of, measure
from benchmarks.worlds.unseen import STYLES, recorded
from dagster_project.review.page.transcript import turns
from environments.fidelity import RecordedCall, RecordedEpisode, replay
from environments.runtime.document.views import RulePart
from environments.runtime.task.attempt import UNKNOWN, Attempt, Call, ToolResult
from environments.runtime.views.multiplexed import Dispatched
from environments.runtime.world.world import World
from synth.verbs import write_log_odds
from synth.world.multiplexed.operations import learn_dispatched
from synth.world.observation import histories
from synth.world.stated_effects import SILENT
from synth.worlds import WorldSettings, learn_world

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

FORMS = ("action", "object and operation", "proxy", "JSON in a string", "http")


@cache
def _forms() -> dict[str, Form | None]:
    return forms_of(TICKETS, 3)


@cache
def _document(form: str) -> str:
    made = [formed(a, _forms()[form]) for a in attempts(TICKETS, 3)]
    return json.dumps(
        learn_world([episode(TICKETS, a) for a in made], WorldSettings(risk=0)).document.to_json()
    )


def _world(form: str) -> World:
    return World.from_json(json.loads(_document(form)))


def _learnt(calls: list[tuple[str, dict[str, Any], str]]) -> dict[str, RulePart]:
    """What is learnt from calls with their results, each call in an episode of ten."""
    lines = []
    for at in range(0, len(calls), 10):
        messages: list[dict[str, Any]] = [{"role": "user", "content": "please"}]
        for number, (name, arguments, content) in enumerate(calls[at : at + 10]):
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"id": f"c{number}", "type": "function", "function": function}
            messages += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{number}", "content": content},
            ]
        lines.append({"app": "shop", "episode_id": f"e{at}", "messages": messages})
    return learn_dispatched(histories([to_episode(line) for line in lines]))


@cache
def _counts(form: str) -> list[tuple[int, int, int]]:
    found, _ = measure(TICKETS, _forms()[form], 3)
    return [(c["exact"] + c["equivalent"], c["wrong"], c["unknown"]) for c in found]


@pytest.mark.parametrize("form", FORMS)
def test_a_dispatching_tool_answers_as_its_parts_would(form: str) -> None:
    """The counts of right, wrong and unknown answers are those of plain tools whose names say as much."""
    plain = "as it is, named by method" if form == "http" else "as it is"
    assert _counts(form) == _counts(plain)


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_plain_tools_stay_one(style: Style) -> None:
    """No argument of a tool that is one is taken for what tells parts apart: filters, ids, names of things."""
    seen = histories([episode(style, a) for a in attempts(style, 4)])
    # Of the leave desk's tool that approves or rejects, only rejecting takes a reason: two tools by the rule.
    assert learn_dispatched(seen).keys() <= ({"decide"} if style is LEAVE else set())


def test_a_value_that_was_never_seen_is_unknown_under_the_tools_own_name() -> None:
    """Nobody knows what another action does, nor what it changes."""
    session = _world("action").session()
    found = session.call("backend", {"action": "merge_tickets", "ticket_id": 3})
    assert found.source == UNKNOWN
    assert json.loads(found.content)["tool"] == "backend"
    assert session.end_state().unknown
    known = _world("action").session().call("backend", {"action": "get_ticket", "ticket_id": 3})
    assert json.loads(known.content)["ticket"]["id"] == 3


def test_tables_show_parts_under_readable_names() -> None:
    """Fidelity counts each part apart, and knows which of them write."""
    world = _world("action")
    held = [formed(a, _forms()["action"]) for a in attempts(TICKETS, 3)[:6]]
    found = replay(world, [recorded(a.calls) for a in held])
    by_tool = found.to_json()["by_tool"]
    assert isinstance(by_tool, dict)
    assert "backend[action=get_ticket]" in by_tool
    assert "backend[action=edit_ticket]" in found.writers
    assert "backend[action=get_ticket]" not in found.writers
    lost = RecordedCall(
        name="backend", arguments='{"action": "get_ticket", "ticket_id": 999}', content="{}"
    )
    told = replay(world, [RecordedEpisode(episode_id="e", calls=[lost])]).to_json()["by_tool"]
    assert isinstance(told, dict)
    part = told["backend[action=get_ticket]"]
    assert isinstance(part, dict)
    assert part["unknowns"] == {"with ticket_id": {"never seen": 1}}


def test_paths_are_templates_with_arguments() -> None:
    """Ids in paths, numbers in queries and fields of bodies are arguments; words of a path are not."""
    calls: list[tuple[str, dict[str, Any], str]] = []
    for n in range(1, 11):
        order = json.dumps({"id": n, "user": f"u{n}", "total": n * 3})
        calls += [
            ("http", {"method": "GET", "path": f"/orders/{n}"}, order),
            (
                "http",
                {"method": "GET", "path": f"/users/u{n}/orders?limit={n}&open=true"},
                f"[{order}]",
            ),
            (
                "http",
                {"method": "PATCH", "path": f"/orders/{n}", "body": {"total": n}},
                order,
            ),
            ("http", {"method": "POST", "path": "/orders", "body": {"user": f"u{n}"}}, order),
        ]
    found = _learnt(calls)
    parts = found["http"].parts
    assert sorted(parts) == [
        "http[method=GET, path=/orders/{orders}]",
        "http[method=GET, path=/users/{users}/orders]",
        "http[method=PATCH, path=/orders/{orders}]",
        "http[method=POST, path=/orders]",
    ]
    known = Dispatched(found)
    meant = known.meaning_of(
        "http", {"method": "GET", "path": "/users/u7/orders?limit=5&open=true"}
    )
    assert meant.tool == "http[method=GET, path=/users/{users}/orders]"
    assert meant.arguments == {"users": "u7", "limit": 5, "open": True}
    meant = known.meaning_of("http", {"method": "PATCH", "path": "/orders/9", "body": {"total": 4}})
    assert meant.arguments == {"orders": 9, "total": 4}
    assert known.call_as_asked(meant.tool, meant.arguments) == (
        "http",
        {"method": "PATCH", "path": "/orders/9", "body": {"total": 4}},
    )
    assert known.meaning_of("http", {"method": "GET", "path": "/carts/9"}).tool == "http"


@pytest.mark.parametrize("form", FORMS)
def test_every_recorded_call_comes_back(form: str) -> None:
    """A part's call, written as agents make it, means the same call again."""
    known = Dispatched.from_json(json.loads(_document(form))["dispatched"])
    for attempt in attempts(TICKETS, 3):
        for made in formed(attempt, _forms()[form]).calls:
            meant = known.meaning_of(made.name, made.arguments)
            assert meant.tool != made.name
            tool, arguments = known.call_as_asked(meant.tool, meant.arguments)
            assert tool == made.name
            assert known.meaning_of(tool, arguments) == meant


def test_messages_go_there_and_back() -> None:
    """Attacks name parts; what is run are calls of the tool that agents have."""
    known = Dispatched.from_json(json.loads(_document("proxy"))["dispatched"])
    function = {
        "name": "call_tool",
        "arguments": '{"name": "get_ticket", "arguments": {"ticket_id": 3}}',
    }
    said: dict[str, Any] = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": function}],
    }
    meant = known.as_meant(said)
    calls = meant["tool_calls"]
    assert isinstance(calls, list)
    assert isinstance(calls[0], dict)
    assert calls[0]["function"] == {
        "name": "call_tool[name=get_ticket]",
        "arguments": '{"ticket_id": 3}',
    }
    assert known.as_asked(meant) == said


def test_a_record_around_the_arguments_is_put_on_once() -> None:
    """A mutation takes one `input`: its own name is its only part's, and an agent's call stays as it is."""
    names = {"writer": ["open", "input", "writer"]}
    part: dict[str, Any] = {"when": {}, "names": names, "schema": {}, "always": ["input"]}
    known = Dispatched.from_json({"pay": {"by": [], "open": ["input"], "parts": {"pay": part}}})
    asked: dict[str, Any] = {"input": {"writer": "W-1"}}
    assert known.call_as_asked("pay", {"writer": "W-1"}) == ("pay", asked)
    assert known.call_as_asked("pay", asked) == ("pay", asked)


def test_names_of_parts_are_read_by_their_values() -> None:
    """The verb of a part is a value, whichever argument has it; the words of the tool's own name say nothing."""
    assert write_log_odds("call_tool[name=get_ticket]", "") == write_log_odds("get_ticket", "")
    assert write_log_odds("crm[object=order, operation=get]", "") < 0
    assert write_log_odds("http[method=DELETE, path=/orders/{orders}]", "") > 0
    assert write_log_odds("http[method=GET, path=/orders]", "") < 0


def _numbered(n: int) -> list[tuple[str, dict[str, Any], str]]:
    """Three tools of a catalogue, each with a number behind its name, called through one tool with its arguments as text."""
    calls = (
        ("show_locker_4410", {"locker": f"L{n}"}, f"Locker L{n} is free."),
        ("rent_locker_8821", {"locker": f"L{n}", "weeks": n}, f"Locker L{n} is rented."),
        ("find_member_1207", {"member": f"m{n}"}, f"Member m{n}: found."),
    )
    return [
        ("use_tool", {"tool": tool, "with": json.dumps(held)}, said) for tool, held, said in calls
    ]


def test_tools_of_a_catalogue_have_numbers_behind_their_names() -> None:
    """They are parts all the same, because each takes arguments of its own; an agent's slip among them changes nothing."""
    slip = ("use_tool", {"tool": "show_locker_4410x", "with": "{}"}, "Error: no such tool")
    found = _learnt([slip, *(call for n in range(8) for call in _numbered(n))])
    assert "use_tool[tool=rent_locker_8821]" in found["use_tool"].parts
    assert found["use_tool"].open == frozenset({"with"})


def test_numbered_names_of_records_are_no_tools() -> None:
    """Users called with the same arguments stay users, whatever their records look like."""
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("profile", {"user": f"{name}_{at}"}, json.dumps({"name": name, name: at}))
        for name, at in (("mia_kovacs", 4410), ("emma_silva", 8821), ("omar_patel", 1207))
        for _ in range(6)
    ]
    assert _learnt(calls) == {}


def test_days_with_slashes_are_no_paths() -> None:
    """A birth date has parts between slashes, but no words: the tool stays one."""
    days = [f"{n % 12 + 1}/{n + 1}/19{60 + n}" for n in range(36)] + [f"{n}-1990" for n in range(4)]
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("register", {"born": born, "name": f"N{n}"}, f"Member {n} is registered.")
        for n, born in enumerate(days)
    ]
    assert _learnt(calls) == {}


def test_a_tool_of_few_calls_stays_one() -> None:
    """Three calls prove nothing."""
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("desk", {"action": "open", "id": 1}, "{}"),
        ("desk", {"action": "close"}, "[]"),
        ("desk", {"action": "list"}, "[]"),
    ]
    assert _learnt(calls) == {}


def test_attempts_at_one_task_say_one_thing_together() -> None:
    """Three attempts give an argument or leave it out alike: of a host with one visitor that is no way to call a tool."""
    lines = []
    for task in range(5):
        call = {"host": f"p-{'abcde'[task] * 3}", "company": "Acme", "until": "noon"}
        given = {k: v for k, v in call.items() if k != ("company", "until")[task % 2]}
        for attempt in range(4):
            function = {"name": "register", "arguments": json.dumps(given)}
            messages: list[dict[str, Any]] = [
                {"role": "user", "content": "please"},
                {"role": "assistant", "content": None,
                 "tool_calls": [{"id": "c", "type": "function", "function": function}]},
                {"role": "tool", "tool_call_id": "c", "content": '{"badge": "given"}'},
            ]  # fmt: skip
            lines.append(
                {"app": "gate", "episode_id": f"e{task}{attempt}", "task_key": f"t{task}"}
                | {"messages": messages}
            )
    assert learn_dispatched(histories([to_episode(line) for line in lines])) == {}


def _stays(n: int) -> list[tuple[str, dict[str, Any], str]]:
    """Three actions on a booking; one of them takes a record beside other arguments."""
    guest = {"name": f"Guest {n}", "mail": f"g{n}@example.com"}
    booked = json.dumps({"id": n, "guest": guest, "nights": 2})
    return [
        ("desk", {"action": "book", "nights": 2, "guest": guest}, booked),
        ("desk", {"action": "show", "id": n}, booked),
        ("desk", {"action": "price", "id": n, "nights": 2}, json.dumps({"total": n * 80})),
    ]


def test_a_record_among_a_parts_arguments_is_one_argument() -> None:
    """What one part takes beside other arguments is no object of arguments: only what stands alone or differs by part is."""
    found = _learnt([call for n in range(8) for call in _stays(n)])
    assert found["desk"].open == frozenset()
    assert "guest" in found["desk"].parts["desk[action=book]"].names
    moved = [
        (name, {"action": a.pop("action"), "data": a}, content)
        for n in range(8)
        for name, a, content in _stays(n)
    ]
    assert _learnt(moved)["desk"].open == frozenset({"data"})


def test_the_review_page_shows_calls_by_part_with_their_sources() -> None:
    """A re-run's record names parts: the page's conversation has their names, and says where answers came from."""
    rules = json.loads(_document("proxy"))["dispatched"]
    asked = {"name": "get_ticket", "arguments": {"ticket_id": 3}}
    function = {"name": "call_tool", "arguments": json.dumps(asked)}
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": function}]},
        {"role": "tool", "tool_call_id": "a", "content": "{}"},
    ]
    made = Call(
        name="call_tool[name=get_ticket]",
        arguments={"ticket_id": 3},
        result=ToolResult(content="{}", source="derived"),
        message=0,
    )
    run = Attempt(messages=tuple(messages), opening=0, calls=(made,))
    (turn,) = turns(messages, run, Dispatched.from_json(rules))
    (shown,) = turn.calls
    assert shown.name == "call_tool[name=get_ticket]"
    assert json.loads(shown.arguments) == {"ticket_id": 3}
    assert shown.source == "derived"


@pytest.mark.parametrize(("stated", "is_two"), [(0.0, True), (SILENT, True), (-1.0, False)])
def test_a_quote_that_a_switch_makes_an_order_is_another_tool(
    stated: float, *, is_two: bool
) -> None:
    """Also where the description names no change; of a tool that says that it looks a switch makes no other."""
    lines = []
    for task in range(8):
        quote = {"sku": f"CL-{task}", "boxes": 2}
        answers = (
            (quote, {"ok": True, "data": {"quote": True, "total_cents": 90 * task}}),
            ({**quote, "confirm": True}, {"ok": True, "data": {"order_no": f"26-{task}"}}),
        )
        messages: list[dict[str, Any]] = [{"role": "user", "content": "please"}]
        for at, (given, answer) in enumerate(answers):
            function = {"name": "lens_order", "arguments": json.dumps(given)}
            call = {"id": f"c{at}", "type": "function", "function": function}
            messages += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{at}", "content": json.dumps(answer)},
            ]
        lines.append(
            {"app": "optik", "episode_id": f"e{task}", "task_key": f"t{task}", "messages": messages}
        )
    found = learn_dispatched(
        histories([to_episode(line) for line in lines]), {"lens_order": stated}
    )
    parts = set(found["lens_order"].parts) if found else set()
    assert parts == ({"lens_order", "lens_order[confirm=True]"} if is_two else set())
