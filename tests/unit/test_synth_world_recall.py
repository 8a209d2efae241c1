"""Recalled answers: recordings that are told where no behaviour says an answer, as far as the risk allows it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.fidelity import RecordedCall, RecordedEpisode, replay
from environments.frontier import frontier, points, reliability, trust
from environments.runtime.task.attempt import RECORDED, UNKNOWN, ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.world_settings import WorldSettingsError, load_world_settings
from synth.worlds import WorldSettings, learn_world

Made = tuple[str, dict[str, Any], str]
TASKS = 12


def episode(number: int, task: int, calls: Sequence[Made]) -> CleanEpisode:
    """One attempt at a task: calls with what the tools answered."""
    steps = [CleanStep(role="user", content="please")]
    for at, (name, arguments, content) in enumerate(calls):
        call_id = f"{number}-{at}"
        call = CleanToolCall(call_id=call_id, name=name, arguments=json.dumps(arguments))
        steps += [
            CleanStep(role="assistant", content=None, tool_calls=(call,)),
            CleanStep(role="tool", content=content, call_id=call_id, tool_name=name),
        ]
    return CleanEpisode(
        app="office",
        episode_id=f"e{number:03}",
        started_at=number * 10**12,
        agent="agent",
        model="model",
        task_key=f"task {task}",
        subject=None,
        tools=(),
        steps=tuple(steps),
        redaction="off",
    )


def assess(task: int) -> Made:
    """A tool of which nothing shows whether it changes something."""
    return "AssessRisk", {"client": f"c{task}"}, json.dumps({"score": 40 + task})


def post(task: int) -> Made:
    """A tool that some attempts call before they review."""
    return "PostEntry", {"client": f"c{task}", "amount": 10 + task}, json.dumps({"posted": task})


def review(task: int, state: str = "") -> Made:
    """Another; what it shows of a file is the state."""
    said = state or ("open" if task % 2 else "shut")
    return "ReviewFile", {"file": f"f{task}"}, json.dumps({"file": f"f{task}", "state": said})


def seal(task: int) -> Made:
    """A tool that changes the state of a file."""
    return "SealFile", {"file": f"f{task}"}, json.dumps({"sealed": f"f{task}"})


def office() -> list[CleanEpisode]:
    """Three attempts at every task, which all review a file after something else was called."""
    made = []
    for number in range(3 * TASKS):
        task, attempt = divmod(number, 3)
        calls = [assess(task), review(task)]
        if attempt != 1:
            calls.insert(1, post(task))
        made.append(episode(number, task, calls))
    return made


def sealed_calls() -> list[list[Made]]:
    """Attempts that seal the file they review, another one, or none."""
    made = []
    for task in range(TASKS):
        other = (task + 1) % TASKS
        made += [
            [review(task)],
            [seal(task), review(task, "sealed")],
            [seal(other), review(task)],
        ]
    return made


def sealed_office() -> list[CleanEpisode]:
    """The same as episodes."""
    return [episode(number, number // 3, calls) for number, calls in enumerate(sealed_calls())]


def world(episodes: Sequence[CleanEpisode], risk: float) -> World:
    """The world of some episodes, read as a task set reads it."""
    document = learn_world(episodes, WorldSettings(risk=risk)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def told(session: Any, call: Made) -> ToolResult:  # noqa: ANN401 - any kind of session
    """What a session answers to a call."""
    result: ToolResult = session.call(call[0], call[1])
    return result


def test_an_answer_that_no_behaviour_says_is_recalled_with_its_confidence() -> None:
    """At no risk nobody knows what a second tool answers first; at some risk the recordings say it, and how sure that is."""
    episodes = office()
    calls = [review(3), assess(3)]
    at_none = world(episodes, 0).session()
    assert [told(at_none, call).source for call in calls] == [UNKNOWN, RECORDED]
    at_some = world(episodes, 0.05).session()
    first = told(at_some, calls[0])
    assert (first.source, first.content) == (RECORDED, calls[0][2])
    assert 0.6 < first.confidence < 1
    assert first.evidence in {"e009", "e010", "e011"}


def test_calls_that_were_never_made_stay_unknown_at_any_risk() -> None:
    """Only recordings are recalled."""
    found = world(office(), 0.2).session().call("ReviewFile", {"file": "f99"})
    assert found.source == UNKNOWN


@pytest.mark.parametrize("risk", [0.002, 0.005, 0.02, 0.05])
def test_a_call_that_was_seen_to_change_an_answer_spoils_it(risk: float) -> None:
    """Sealing a file changes what a review shows of it, and of no other file."""
    known = world(sealed_office(), risk)
    session = known.session()
    told(session, seal(5))
    after = told(session, review(5))
    assert after.source == UNKNOWN or json.loads(after.content)["state"] == "sealed"
    other = told(session, review(8))
    assert other.source == UNKNOWN or json.loads(other.content)["state"] == "shut"


def test_a_refusal_is_recalled_as_one() -> None:
    """What the tool refused stays an error, and nothing follows from it."""
    refused = ("ReviewFile", {"file": "f77"}, "Error: no file f77")
    episodes = [*office(), *(episode(100 + n, 50 + n, [assess(n), refused]) for n in range(3))]
    session = world(episodes, 0.1).session()
    found = told(session, refused)
    assert found.source == UNKNOWN or (found.content == refused[2] and found.is_error)


def test_what_redaction_withheld_is_never_recalled() -> None:
    """A recording whose answer lacks a part is no recording of the answer."""
    hidden = ("ReviewFile", {"file": "f77"}, '{"file": "f77", "state": "[withheld]"}')
    episodes = [*office(), *(episode(100 + n, 50 + n, [assess(n), hidden]) for n in range(3))]
    assert told(world(episodes, 0.2).session(), hidden).source == UNKNOWN


ORDERS = st.lists(
    st.tuples(st.sampled_from([assess, review, seal]), st.integers(0, TASKS - 1)), max_size=6
)
AT_FIVE = world(sealed_office(), 0.05)
RECORDED_TEXTS = {
    (name, json.dumps(arguments), content)
    for one in sealed_office()
    for name, arguments, content in [
        (call.name, json.loads(call.arguments), result.content or "")
        for step, result in zip(one.steps, one.steps[1:], strict=False)
        for call in step.tool_calls
    ]
}


@given(ORDERS)
def test_what_is_told_was_recorded_of_the_same_call(order: list[tuple[Any, int]]) -> None:
    """Nothing is made up; and a copy of a session goes on as the session does."""
    session = AT_FIVE.session()
    for made, task in order:
        name, arguments, _ = made(task)
        copy = session.fork()
        found = session.call(name, arguments)
        assert copy.call(name, arguments) == found
        if found.confidence < 1:
            assert (name, json.dumps(arguments), found.content) in RECORDED_TEXTS


@given(ORDERS)
def test_less_risk_never_tells_a_first_call_that_more_risk_does_not(
    order: list[tuple[Any, int]],
) -> None:
    """From the start of a session the dial only adds answers."""
    for made, task in order:
        name, arguments, _ = made(task)
        known = [
            AT_FIVE.at_risk(risk).session().call(name, arguments).source != UNKNOWN
            for risk in (0.0, 0.005, 0.02, 0.05)
        ]
        assert known == sorted(known)


def sign_in() -> Made:
    """What every attempt begins with."""
    return "SignIn", {"user": "ann"}, json.dumps({"signed_in": True})


def generic(call: Made) -> Made:
    """The same call where one tool is all tools."""
    name, arguments, content = call
    return "desk", {"action": name, "data": arguments}, content


PLAIN, GENERIC = (
    world(
        [
            episode(n, n // 3, [form(call) for call in (sign_in(), *made)])
            for n, made in enumerate(sealed_calls())
        ],
        0.02,
    )
    for form in (lambda call: call, generic)
)


@given(ORDERS, st.booleans())
def test_a_generic_tool_recalls_what_its_parts_would(
    order: list[tuple[Any, int]], signed_in: bool
) -> None:
    """Which calls change an answer, and which every recording has before it, is learnt of parts as of tools."""
    calls = [sign_in()] * signed_in + [made(task) for made, task in order]
    one, other = PLAIN.session(), GENERIC.session()
    for call in calls:
        found, same = told(one, call), told(other, generic(call))
        assert (found.source, found.confidence) == (same.source, same.confidence)
        assert found.source == UNKNOWN or found.content == same.content


def test_what_a_generic_tool_says_after_a_sign_in_is_not_recalled_without_one() -> None:
    """No recording shows what the tool then says."""
    episodes = [
        episode(n, n // 3, [generic(call) for call in (sign_in(), review(n // 3))])
        for n in range(3 * TASKS)
    ]
    known = world(episodes, 0.005)
    assert told(known.session(), generic(review(3))).source == UNKNOWN
    session = known.session()
    told(session, generic(sign_in()))
    assert told(session, generic(review(3))).content == review(3)[2]


def test_a_copy_knows_who_was_let_in_and_going_back_forgets_it() -> None:
    """What a tool says after a sign-in is said in a copy of the session, too, and not where the sign-in was taken back."""
    made: list[list[Made]] = []
    for n in range(TASKS):
        check = ("Verify", {"client": f"c{n}"}, json.dumps({"client": f"c{n}", "ok": True}))
        name, given, _ = barred = (post(n), seal(n))[n % 2]
        made += [[check, post(n), seal(n)], [check, seal(n), post(n)]]
        made += [[(name, given, json.dumps({"error": "nobody is verified"}))], [check, barred]]
    known = world([episode(n, n // 4, calls) for n, calls in enumerate(made)], 0.05)
    session = known.session()
    before = session.fork()
    assert told(session.fork(), seal(1)).source == UNKNOWN
    told(session, made[4][0])
    assert told(session.fork(), seal(1)).content == seal(1)[2]
    session._go_back(before)
    assert told(session, seal(1)).source == UNKNOWN


def asked() -> list[RecordedEpisode]:
    """Held-out calls: a review first, and one of a file that was never seen."""
    return [
        RecordedEpisode(
            episode_id=f"h{task}",
            calls=[
                RecordedCall(name=name, arguments=json.dumps(arguments), content=content)
                for name, arguments, content in (review(task), ("ReviewFile", {"file": "f99"}, ""))
            ],
        )
        for task in range(TASKS)
    ]


def test_the_frontier_counts_what_each_risk_buys() -> None:
    """More risk, more answers; the app's own is marked."""
    known = world(office(), 0.05)
    counts = frontier(known, lambda at: replay(at, asked()))
    rows = points(counts, known.risk)  # type: ignore[arg-type]
    assert [row[5] for row in rows] == ["", "", "", "", "", "chosen"]
    assert [row[1] for row in rows] == sorted(row[1] for row in rows)
    assert rows[0][1] == 0
    assert rows[5][1] == TASKS
    assert all(row[1] + row[2] + row[4] == 2 * TASKS for row in rows)


def test_reliability_sets_what_was_right_beside_what_was_promised() -> None:
    """By confidence and by tool; unknown answers promise nothing."""
    found = replay(world(office(), 0.05), asked())
    held: Any = reliability(found.judged)
    assert held["by_tool"]["ReviewFile"]["told"] == held["by_tool"]["ReviewFile"]["right"] == TASKS
    assert 0.6 * TASKS < held["by_tool"]["ReviewFile"]["promised"] < TASKS
    assert sum(band["told"] for band in held["by_confidence"].values()) == TASKS


def test_answers_of_a_tool_that_were_too_often_wrong_are_unknown() -> None:
    """A behaviour is trusted as far as held-out calls agreed with it."""
    episodes = [
        episode(n, n, [("find", {"code": f"k{n % 9}"}, json.dumps({"code": f"k{n % 9}", "at": n % 9}))])
        for n in range(45)
    ]  # fmt: skip
    document = learn_world(episodes, WorldSettings(reads=frozenset({"find"}))).document.to_json()
    call = "find", {"code": "k3"}
    assert World.from_json(document).session().call(*call).confidence == 1
    source = World.from_json(document).session().call(*call).source
    part = document["recall"]
    half = World.from_json(
        document | {"recall": part | {"trust": [["find", source, 0.5]], "answers": {}}}
    )
    assert half.session().call(*call).source == UNKNOWN
    most = World.from_json(document | {"recall": part | {"trust": [["find", source, 0.98]]}})
    assert most.session().call(*call).confidence == 0.98
    assert most.at_risk(0.0).session().call(*call).confidence == 1


def test_trust_is_measured_by_tool_and_source() -> None:
    """Answers of behaviours only: recalled ones have a confidence of their own."""
    found = replay(world(office(), 0.05), asked())
    assert trust(found.judged) == []
    calls = [RecordedCall(name="AssessRisk", arguments='{"client": "c1"}', content="other")]
    wrong = replay(world(office(), 0.02), [RecordedEpisode(episode_id="h", calls=calls)] * 8)
    ((tool, source, share),) = trust(wrong.judged)  # type: ignore[misc, str-unpack]
    assert (tool, source) == ("AssessRisk", RECORDED)
    assert share < 0.25  # type: ignore[operator]


def test_worlds_toml_sets_the_risk_of_an_app_over_the_homes(tmp_path: Path) -> None:
    """Apps that the file does not name keep the home's."""
    path = tmp_path / "worlds.toml"
    path.write_text("[shop]\nrisk = 0.02\n")
    assert load_world_settings(path, "shop", risk=0.01).risk == 0.02
    assert load_world_settings(path, "other", risk=0.01).risk == 0.01
    assert load_world_settings(path, "other").risk == 0.005


@pytest.mark.parametrize("text", ["2", "-0.1", '"low"', "true"])
def test_a_risk_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    """The message says what a risk is."""
    path = tmp_path / "worlds.toml"
    path.write_text(f"[shop]\nrisk = {text}\n")
    with pytest.raises(WorldSettingsError, match=r"shop.risk must be a share from 0 to 0.2"):
        load_world_settings(path, "shop")


def test_a_world_file_of_before_still_recalls() -> None:
    """It compares calls by names alone, and knows nothing of what calls make."""
    document = learn_world(office(), WorldSettings(risk=0.05)).document.to_json()
    recall = document["recall"]
    for part in ("made", "unmade"):
        recall.pop(part, None)
    for relation in ("record", "group", "told"):
        del recall["pooled"][relation]
    recall["cells"] = [
        c for c in recall["cells"] if c[1] and c[2] not in {"record", "group", "told"}
    ]
    session = World.from_json(json.loads(json.dumps(document))).session()
    assert told(session, review(3)).content == review(3)[2]


def card(task: int) -> Made:
    """A look whose name has no verb."""
    return "client_card", {"client": f"c{task}"}, json.dumps({"client": f"c{task}", "since": 1990})


def test_a_look_that_no_episode_asked_twice_says_the_same_twice() -> None:
    """Somebody vouches that the tool changes nothing, and its name says neither."""
    episodes = [episode(n, n // 3, [card(n // 3), review(n // 3)]) for n in range(3 * TASKS)]
    settings = WorldSettings(reads=frozenset({"client_card"}))
    session = World.from_json(learn_world(episodes, settings).document.to_json()).session()
    assert [told(session, card(3)).content for _ in range(2)] == [card(3)[2]] * 2


def cancel(floor: int, room: int) -> Made:
    """A change that names a booking; its answer says in which room."""
    booking, where = f"B{floor}{room}", f"R{floor}-{room}"
    return "CancelBooking", {"booking": booking}, json.dumps({"booking": booking, "room": where})


def plan(floor: int, freed: int = -1) -> Made:
    """A list of all rooms of a floor."""
    rooms = [{"room": f"R{floor}-{room}", "free": 2 + (room == freed)} for room in range(4)]
    return "ListRooms", {"floor": "abcdefgh"[floor]}, json.dumps(rooms)


def hotel() -> list[CleanEpisode]:
    """Attempts that cancel a booking of the floor that they look at, of another one, or none."""
    made: list[list[Made]] = []
    for floor in range(8):
        made += [
            [plan(floor)],
            [cancel(floor, 1), plan(floor, 1)],
            [cancel((floor + 1) % 8, 2), plan(floor)],
            [cancel((floor + 3) % 8, 1), plan(floor)],
            [cancel(floor, 3)],
        ]
    return [episode(n, n // 5, calls) for n, calls in enumerate(made)]


def test_a_change_is_about_what_its_answer_names() -> None:
    """Bookings share nothing with floors, and what was answered to a cancellation tells which list it changes."""
    known = world(hotel(), 0.02)
    for floor in range(8):
        session = known.session()
        told(session, cancel(floor, 3))
        assert told(session, plan(floor)).source == UNKNOWN
        session = known.session()
        told(session, cancel((floor + 5) % 8, 3))
        assert told(session, plan(floor)).content == plan(floor)[2]


def complain(task: int) -> Made:
    """A change that numbers what it makes; nobody asks for the number again."""
    said = {"case": "RC26-701", "about": f"f{task}"}
    return "OpenComplaint", {"file": f"f{task}", "note": f"note {task}"}, json.dumps(said)


def test_a_name_that_a_tool_issues_once_is_told_once() -> None:
    """Every first complaint of an episode has one number; a second one would have another, whatever it is about."""
    episodes = [
        episode(n, n // 2, [review(n // 2), complain(n // 2)][n % 2 :]) for n in range(2 * TASKS)
    ]
    session = world(episodes, 0.02).session()
    assert told(session, complain(3)).content == complain(3)[2]
    assert told(session, complain(5)).source == UNKNOWN


def refer(task: int) -> Made:
    """A change by another tool, which numbers what it makes in the same series."""
    said = {"case": "RC26-701", "desk": ["north", "south", "east", "west"][task * task % 7 % 4]}
    return "ReferCase", {"file": f"f{task}", "to": f"d{task}"}, json.dumps(said)


def test_a_name_that_two_tools_issue_is_told_once_by_either() -> None:
    """The first case of an episode has one number, whoever opens it; the next one another."""
    episodes = [
        episode(n, n // 2, [complain(n // 2), refer(n // 2)][n % 2 :][:1]) for n in range(2 * TASKS)
    ]
    session = world(episodes, 0.02).session()
    assert told(session, complain(3)).content == complain(3)[2]
    assert told(session, refer(5)).source == UNKNOWN


def pay(task: int) -> Made:
    """A change about an invoice, whose answer tells what its client owes then."""
    return "RecordPayment", {"bill": f"B{task}"}, json.dumps({"left": 258.37 + task})


def owes(task: int, *, paid: bool = True) -> Made:
    """What a client owes."""
    left = 258.37 + task + (0 if paid else 90)
    return "client_status", {"client": f"c{task}"}, json.dumps({"client": f"c{task}", "owes": left})


def test_a_sight_that_shows_the_figure_of_a_change_is_none_of_the_start() -> None:
    """Nobody looked before the payment: what the client owed then is not known, though bills and clients share no name."""
    episodes = [episode(n, n // 2, [pay(n // 2), owes(n // 2)]) for n in range(2 * TASKS)]
    settings = WorldSettings(reads=frozenset({"client_status"}), risk=0)
    document = learn_world(episodes, settings).document.to_json()
    session = World.from_json(document).session()
    assert told(session, owes(3)).source == UNKNOWN
    told(session, pay(3))
    assert told(session, owes(3)).content == owes(3)[2]


def ticket(number: int, booking: str = "none") -> Made:
    """A look at a ticket, which shows its camping booking."""
    shown = {"ticket": f"K{number}", "camping": booking or f"B{90 - number}"}
    return "ShowTicket", {"ticket": f"K{number}"}, json.dumps(shown)


def leave_camp(number: int) -> Made:
    """A change that names the booking alone, and so does its answer."""
    return "CancelCamping", {"booking": f"B{90 - number}"}, json.dumps({"paid_back": 40 + number})


def refund(number: int) -> Made:
    """What every recording of a ticket with a booking has after the booking is cancelled."""
    return "RefundTicket", {"ticket": f"K{number}"}, json.dumps({"refunded": 10 * number})


def test_a_look_tells_which_change_a_call_hangs_on() -> None:
    """A booking shares nothing with its ticket but the look that shows both."""
    made: list[list[Made]] = []
    for number in range(10, 26):
        camps = number % 2 == 0
        look = ticket(number, "" if camps else "none")
        first = [leave_camp(number)] if camps else [leave_camp(number + 1)] if number % 3 else []
        made += [[look, *first, refund(number)], [look], [*first, refund(number)]]
    known = world([episode(n, n // 3, calls) for n, calls in enumerate(made)], 0.005)
    assert told(known.session(), refund(12)).source == UNKNOWN
    session = known.session()
    told(session, leave_camp(12))
    assert told(session, refund(12)).content == refund(12)[2]
    session = known.session()
    told(session, leave_camp(16))
    assert told(session, refund(13)).content == refund(13)[2]
