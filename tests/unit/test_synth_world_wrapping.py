"""Unit tests: what stands around every tool's results is told by format, and the results are learnt without it."""

import json
import random
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from benchmarks.worlds.habits import counts, parcels
from environments.fidelity import Fidelity
from environments.runtime.document.views import MarkPart, ValueForm, WrappingPart
from environments.runtime.task.attempt import DERIVED, UNKNOWN
from environments.runtime.views.result_wrappers import strip, wrap
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.worlds import WorldSettings, learn_world
from tests.unit.clean_seasons import (
    BETWEEN,
    SECOND,
    START,
    call_and_result,
    conversation,
    world_from,
)

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

ROWS = {f"L-{100 + n}": {"lamp": f"L-{100 + n}", "watts": 5 * n + 3} for n in range(8)}
Around = Callable[[random.Random, str, int], str]


def called(name: str, lamp: str) -> str:
    """What two tools say of themselves."""
    if lamp not in ROWS:
        return "Error: no such lamp"
    return json.dumps(ROWS[lamp] if name == "lamp" else {"hours": 3 * int(lamp[2:]), "kind": "led"})


def season(around: Around, count: int = 60) -> list[CleanEpisode]:
    """Conversations about lamps, with something around every result."""
    out = []
    for number in range(count):
        rng = random.Random(f"lamps {number}")  # noqa: S311 - dice for tests
        steps: list[CleanStep] = []
        for at in range(4):
            name, lamp = rng.choice(["lamp", "light"]), rng.choice([*ROWS, "L-1"])
            moment = START + number * BETWEEN + at
            body = called(name, lamp)
            asked, told = call_and_result(at, name, {"lamp": lamp}, around(rng, body, moment))
            failed = body.startswith("Error")
            steps += [asked, replace(told, is_error=failed, at=moment * SECOND)]
        out.append(conversation("lamps", number, steps))
    return out


def enveloped(rng: random.Random, body: str, at: int) -> str:
    """A record around the result: a number of the request, a duration, a time, and a version that never changes."""
    own = {"error": body} if body.startswith("Error") else {"data": json.loads(body)}
    about = {
        "id": f"{rng.getrandbits(64):016x}",
        "took": rng.randint(5, 900),
        "at": at,
        "api": "v2",
    }
    return json.dumps({**own, "about": about})


def timed(rng: random.Random, body: str, at: int) -> str:
    """A duration behind the result."""
    del at
    return f"{body}\n[took {rng.randint(1, 99) / 10} ms]"


def beside_a_clock(body: str, moment: str) -> str:
    """A record with the server's own time behind the result."""
    failed = body.startswith("Error")
    own = {"message": body} if failed else {"data": json.loads(body)}
    return json.dumps({"ok": not failed, **own, "serverTime": moment})


def ticking(rng: random.Random, body: str, at: int) -> str:
    """A bench's clock goes on by a minute with every call, whenever that was made; it shows no seconds."""
    del rng
    return beside_a_clock(body, f"2026-05-12T09:{31 + (at - START) % BETWEEN:02d}")


def numbered(rng: random.Random, body: str, at: int) -> str:
    """A log's number of the call behind the result."""
    del rng
    return f"{body}\n[op. {4021 + (at - START) % BETWEEN:06d}]"


def wandering(rng: random.Random, body: str, at: int) -> str:
    """Another clock starts anew as well, and nobody knows how long its calls take."""
    seconds = 10 * ((at - START) % BETWEEN) + rng.randint(0, 9)
    return beside_a_clock(body, f"2026-05-12T09:00:{seconds:02d}.{rng.randint(0, 999):03d}Z")


def degraded(rng: random.Random, body: str, at: int) -> str:
    """A flag that a server raises now and then, whatever it is asked."""
    del at
    return json.dumps({"ok": not body.startswith("Error"), "slow": rng.random() < 0.1, "is": body})


@cache
def world_of(around: Around) -> World:
    """Learnt, and read again as a file."""
    return world_from(season(around))


def test_an_envelope_is_told_by_format_around_what_was_learnt() -> None:
    """The record is told; number and time are new, the duration is one that was recorded, what never varied stays."""
    session = world_of(enveloped).session(started_at=1_800_000_000 * SECOND)
    result = session.call("lamp", {"lamp": "L-103"})
    told = json.loads(result.content)
    assert told["data"] == ROWS["L-103"]
    assert result.source == DERIVED
    assert "by format" in result.evidence
    assert told["about"]["api"] == "v2"
    assert len(told["about"]["id"]) == 16
    assert abs(told["about"]["at"] - 1_800_000_000) < 300
    shown = [json.loads(s.content or "") for e in season(enveloped) for s in e.steps if s.content]
    assert told["about"]["took"] in {one["about"]["took"] for one in shown}
    assert told["about"]["id"] not in {one["about"]["id"] for one in shown}


def test_a_clock_beside_every_result_goes_on_with_the_calls() -> None:
    """What it says follows from the number of calls before, in answers and in refusals."""
    session = world_of(ticking).session()
    told = [json.loads(session.call("lamp", {"lamp": f"L-{n}"}).content) for n in (103, 1, 104)]
    assert [one["serverTime"][-5:] for one in told] == ["09:31", "09:32", "09:33"]
    assert [one.get("data") for one in told] == [ROWS["L-103"], None, ROWS["L-104"]]


def test_a_number_of_the_call_goes_on_with_the_calls() -> None:
    """Whatever was asked before, answers and refusals bear the next one."""
    session = world_of(numbered).session()
    told = [session.call("lamp", {"lamp": f"L-{n}"}).content for n in (103, 1, 104, 103, 101, 102)]
    assert [one[-12:] for one in told] == [f"[op. 00{number}]" for number in range(4021, 4027)]
    assert json.loads(told[4].splitlines()[0]) == ROWS["L-101"]


def test_a_time_of_which_no_record_tells_hides_no_answer() -> None:
    """It says nothing of the answer, so one in its format stands in its place."""
    session = world_of(wandering).session()
    told = json.loads(session.call("lamp", {"lamp": "L-103"}).content)
    assert told["data"] == ROWS["L-103"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told["serverTime"])


def test_a_flag_that_is_seldom_raised_hides_no_answer() -> None:
    """It differs between as many calls that ought to be answered alike as between any two."""
    told = json.loads(world_of(degraded).session().call("lamp", {"lamp": "L-103"}).content)
    assert json.loads(told["is"]) == ROWS["L-103"]


HOST = ["racks", "plugs", "lamps"]


def hosted(number: int) -> CleanEpisode:
    """An old host: lists are rows below the number of a run, records and refusals are elements with a number of the call."""
    rng = random.Random(f"host {number}")  # noqa: S311 - dice for tests
    steps: list[CleanStep] = []
    for at in range(6):
        tool, row = rng.choice([*HOST, "rack"]), rng.choice([*ROWS, "L-1"])
        sign = f"{rng.getrandbits(32):08X}"
        if row not in ROWS:
            said = f'<R RC="21" TX="{sign}"/>'
        elif tool == "rack":
            said = f'<R RC="0" TX="{sign}"><ID>{row}</ID><W>{ROWS[row]["watts"]}</W></R>'
        else:
            said = f"RUN {rng.randrange(10**6):06d}\nNO     OF\n{row}  {tool}\n-- 1 ROW --"
        steps += call_and_result(at, tool, {"row": row}, said)
    return conversation("host", number, steps)


def test_tables_below_a_number_and_elements_with_one_are_told_apart() -> None:
    """Each tool's tables come below a number of their own kind, and its refusals as elements with a sign."""
    world = world_from(hosted(number) for number in range(60))
    session = world.session()
    for tool in HOST:
        table = session.call(tool, {"row": "L-103"}).content
        assert re.fullmatch(rf"RUN \d+\nNO     OF\nL-103  {tool}\n-- 1 ROW --", table)
        refusal = session.call(tool, {"row": "L-1"}).content
        assert re.fullmatch(r'<R RC="21" TX="[0-9A-F]{8}"/>', refusal)
    record = session.call("rack", {"row": "L-103"}).content
    assert re.fullmatch(r'<R RC="0" TX="[0-9A-F]{8}"><ID>L-103</ID><W>18</W></R>', record)


def listed(rng: random.Random, body: str, at: int) -> str:
    """A list of what served the call: a sign and a number."""
    del at
    served = [f"{rng.getrandbits(32):08x}", rng.randint(1, 90)]
    return json.dumps({"ok": not body.startswith("Error"), "served": served, "is": body})


def test_a_list_that_differs_hides_no_answer() -> None:
    """It says as little as one value would."""
    told = json.loads(world_of(listed).session().call("lamp", {"lamp": "L-103"}).content)
    assert json.loads(told["is"]) == ROWS["L-103"]
    assert [type(one) for one in told["served"]] == [str, int]


def traced(rng: random.Random, body: str, at: int) -> str:
    """A line behind three records in four, and behind no refusal."""
    del at
    if body.startswith("Error") or rng.random() < 0.25:
        return body
    return f"{body}\n-- trace {rng.getrandbits(32):08x} {rng.randint(3, 300)}ms"


def test_a_line_behind_some_results_hides_no_record() -> None:
    """It is told where most results of the kind had it, and a recorded result is followed with it and without."""
    session = world_of(traced).session()
    told, line = session.call("lamp", {"lamp": "L-103"}).content.split("\n")
    assert json.loads(told) == ROWS["L-103"]
    assert re.fullmatch(r"-- trace [0-9a-f]{8} \d+ms", line)
    assert session.call("lamp", {"lamp": "L-1"}).content == "Error: no such lamp"


def test_an_envelope_stands_around_refusals_too() -> None:
    """The same fields beside the error's text."""
    session = world_of(enveloped).session()
    told = json.loads(session.call("light", {"lamp": "L-1"}).content)
    assert told.keys() == {"error", "about"}
    assert told["error"] == "Error: no such lamp"


def test_text_behind_every_result_is_told_again() -> None:
    """A duration behind a record and behind an error, as one that was recorded."""
    session = world_of(timed).session()
    for lamp in ("L-104", "L-1"):
        body, _, tail = session.call("lamp", {"lamp": lamp}).content.rpartition("\n")
        assert body == called("lamp", lamp)
        assert tail.startswith("[took ")
        assert tail.endswith(" ms]")
        assert 0.1 <= float(tail.split()[1]) <= 9.9


MONTHS = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
BESIDE: dict[str, Callable[[random.Random, datetime], Any]] = {
    "a day as people write it": lambda _, at: f"{at:%d.%m.%Y %H:%M:%S}",
    "half a day": lambda _, at: f"{at:%m/%d/%Y %I:%M %p}",
    "a time in words": lambda _, at: f"{at.day}. {MONTHS[at.month - 1]} {at:%Y, %H:%M} Uhr",
    "a time of day": lambda _, at: f"{at:%H:%M}",
    "a time without a year": lambda _, at: f"{at:%b %d %H:%M:%S}",
    "an id that rises with time": lambda rng, at: f"{at:%H%M%S}{rng.getrandbits(64):016X}",
    "Base64": lambda rng, _: b64encode(rng.randbytes(16)).decode(),
    "a duration with its unit": lambda rng, _: f"{rng.randint(3, 900) / 100} s",
    "one of few servers": lambda rng, _: rng.choice(["web-a", "web-b", "web-c"]),
}
"""What gateways, servers and loggers write beside results."""
AROUND: dict[str, Callable[[str, str], str]] = {
    "a field": lambda body, beside: json.dumps(
        {"ok": True, "ref": beside, "data": body if body.startswith("Error") else json.loads(body)}
    ),
    "a line above": lambda body, beside: f"[{beside}] call done\n{body}",
    "words before": lambda body, beside: f"({beside}) {body}",
    "words behind": lambda body, beside: f"{body} -- {beside}",
    "headers": lambda body, beside: f"HTTP/1.1 200 OK\nX-Served: {beside}\n\n{body}",
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("beside", BESIDE)
def test_what_differs_around_every_result_hides_no_answer(around: str, beside: str) -> None:
    """Whatever its format: records and refusals come with something of the kind around them."""

    def decorated(rng: random.Random, body: str, at: int) -> str:
        moment = datetime.fromtimestamp(at + rng.randint(0, 4_000), tz=UTC)
        return AROUND[around](body, str(BESIDE[beside](rng, moment)))

    # One user asks again and again, so that equal calls come after equal calls.
    episodes = [replace(one, subject="keeper") for one in season(decorated)]
    session = world_from(episodes).session(started_at=1_800_000_000 * SECOND)
    for lamp in ("L-103", "L-1", "L-104"):
        told = session.call("lamp", {"lamp": lamp}).content
        own = called("lamp", lamp)
        if around == "a field":
            assert json.loads(told)["data"] == (own if lamp == "L-1" else json.loads(own))
        else:
            assert own in told
            assert told != own


def test_a_field_of_one_tool_that_differs_after_equal_pasts_hides_no_answer() -> None:
    """A load that is measured anew at every look; what follows from the call stays as it is."""

    def measured(rng: random.Random, body: str, at: int) -> str:
        del at
        if "watts" not in body:
            return body
        return json.dumps({**json.loads(body), "load": rng.choice(["low", "high", "even"])})

    episodes = [replace(one, subject="keeper") for one in season(measured, 90)]
    session = world_from(episodes).session()
    told = json.loads(session.call("lamp", {"lamp": "L-103"}).content)
    assert {**told, "load": ""} == {**ROWS["L-103"], "load": ""}
    assert json.loads(session.call("light", {"lamp": "L-103"}).content)["hours"] == 309


def test_a_value_that_only_few_calls_share_is_an_answer() -> None:
    """What follows from the call is no decoration, though it stands where one could."""

    def priced(rng: random.Random, body: str, at: int) -> str:
        del rng, at
        return json.dumps({"ok": True, "total": len(body), "data": body})

    told = json.loads(world_from(season(priced)).session().call("light", {"lamp": "L-103"}).content)
    assert told["total"] == len(called("light", "L-103"))


def test_what_is_not_known_stays_unknown_without_any_wrapping() -> None:
    """The notice is a notice, not an answer of the tool."""
    result = world_of(enveloped).session().call("lamp", {"lamp": "L-999"})
    assert result.source == UNKNOWN
    assert "about" not in json.loads(result.content)


def test_a_number_that_only_changes_move_is_no_part_of_a_wrapping() -> None:
    """A count of what was done stands still between equal calls in a row: it belongs to the answer."""
    done = {"count": 0}

    def counted(rng: random.Random, body: str, at: int) -> str:
        del rng
        done["count"] = at // BETWEEN
        return json.dumps({"said": body, "count": done["count"]})

    episodes = season(counted)
    doubled = [
        replace(
            e, steps=tuple(s for i in range(0, len(e.steps), 2) for s in [*e.steps[i : i + 2]] * 2)
        )
        for e in episodes
    ]
    assert not learn_world(doubled, WorldSettings(risk=0)).document.views.wrapped


def test_records_without_volatile_fields_are_left_as_they_are() -> None:
    """A constant envelope alone is no reason to take results apart."""
    document = learn_world(
        season(lambda _rng, body, _at: json.dumps({"ok": True, "said": body})),
        WorldSettings(risk=0),
    ).document
    assert not document.views.wrapped


def test_fields_of_a_result_that_are_no_wrapping_stay_with_it() -> None:
    """Where more than one field is left, the result keeps its names and loses the wrapping's only."""
    known = WrappingPart(record={"about": {"took": "~number.a~"}})
    marks = {"a": MarkPart(tool="*", place="took", form=ValueForm(kind="number", value=7))}
    own = strip(known, '{"rows": [1], "total": 1, "about": {"took": 3, "page": 2}}', marks)
    assert json.loads(own or "") == {"rows": [1], "total": 1, "about": {"page": 2}}
    whole = json.loads(wrap(known, own or ""))
    assert whole["about"] == {"page": 2, "took": "~number.a~"}
    assert strip(known, '{"rows": [1], "total": 1}', marks) is None


@cache
def depot(habit: str) -> dict[str, Fidelity | str]:
    """The benchmark's figures: every habit is held beside the same plain depot."""
    return parcels(0, habit, living=False)


@pytest.mark.parametrize("habit", ["envelope", "took", "faults"])
def test_a_habit_costs_nothing(habit: str) -> None:
    """The depot of the benchmark with it is known as well as the plain one, and no answer with such values is exact."""
    plain, with_it = depot("plain"), depot(habit)
    for part in ("h", "p"):
        before, after = counts(plain[part])["all"], counts(with_it[part])["all"]  # type: ignore[arg-type]  # both are figures
        assert before.split(" ")[0] == after.split(" ")[0]
        assert habit == "faults" or after.endswith("(0)")


def test_observed_results_are_followed_without_their_wrapping() -> None:
    """What a recording showed is known from there on, whatever stood around it."""
    world = world_of(enveloped)
    session = world.session()
    rng: Any = random.Random("other")  # noqa: S311 - dice for tests
    session.observe(
        "lamp", {"lamp": "L-103"}, enveloped(rng, called("lamp", "L-103"), 1_800_000_000)
    )
    told = json.loads(session.call("lamp", {"lamp": "L-103"}).content)
    assert told["data"] == ROWS["L-103"]


def test_what_a_layer_before_the_server_refuses_has_no_envelope() -> None:
    """It checks arguments and refuses in words; the server's own refusals keep their envelope, with a number of their own."""
    episodes = season(enveloped)
    for at in range(0, len(episodes), 6):
        asked, told = call_and_result(9, "lamp", {"lamp": ""}, "Error: 1 validation error for lamp")
        steps = (*episodes[at].steps, asked, replace(told, is_error=True))
        episodes[at] = replace(episodes[at], steps=steps)
    session = world_from(episodes).session()
    refusals = [session.call("lamp", {"lamp": "L-1"}).content for _ in range(2)]
    assert [json.loads(one)["error"] for one in refusals] == ["Error: no such lamp"] * 2
    assert refusals[0] != refusals[1]
    assert session.call("lamp", {"lamp": ""}).content == "Error: 1 validation error for lamp"
