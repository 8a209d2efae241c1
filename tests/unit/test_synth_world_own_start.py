"""What a task of a backend that lives on may take from its own episode, and which of its recorded answers it may tell again."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks.backends.attempts import attempts, episode
from benchmarks.backends.device import DEVICE
from benchmarks.backends.feed import FEED
from benchmarks.backends.handset_tasks import HANDSET
from benchmarks.backends.ledger import LEDGER
from benchmarks.backends.stays import STAYS
from benchmarks.backends.tickets import TICKETS
from benchmarks.unseen_living import measure as measure_season
from benchmarks.unseen_living_tasks import measure
from environments.runtime.world_dated import DatedTable
from environments.runtime.world_tape import ALWAYS
from synth.worlds import WorldSettings, learn_world


def verdicts(name: str) -> dict[str, Counter[str]]:
    """Verdicts on a backend's tasks, by kind of test."""
    style = {"handset": HANDSET, "tickets": TICKETS, "stays": STAYS}[name]
    return {m.kind: Counter(j.verdict for j in m.fidelity.judged) for m in measure(style, 40)}


def test_what_an_episode_saw_after_its_own_calls_is_no_start() -> None:
    """Of a handset 36 answers to its own calls were wrong so: the bill was looked at after it was paid."""
    found = verdicts("handset")
    assert not found["t"]["wrong"]
    assert not found["n"]["wrong"]
    assert (
        found["t"]["exact"] == found["t"].total()
    )  # 219 were unknown: other episodes were told otherwise


def test_its_first_looks_are_its_start() -> None:
    """Before it changed anything an episode shows how the backend was."""
    made = attempts(HANDSET, 40, living=True)
    learnt = learn_world([episode(HANDSET, a) for a in made], WorldSettings())
    readers = {n for n, t in learnt.document["tools"].items() if t["kind"] in {"read", "search"}}
    looked = [a for a in made if len(a.calls) > 1 and {c.name for c in a.calls[:2]} <= readers]
    assert any(learnt.start_of(episode(HANDSET, a))["rows"] for a in looked)


def test_a_recorded_answer_hangs_on_calls_that_change_it_from_afar() -> None:
    """`logout()` names nobody, and yet who is signed in is another one after it: 112 wrong before."""
    found = verdicts("tickets")
    assert found["t"]["wrong"] <= 1
    assert found["o"]["wrong"] * 100 < 3 * found["o"].total()


def test_a_clock_of_a_backend_that_lives_on_is_not_told_again() -> None:
    """What time it was in the recording says nothing, after the same calls or others."""
    found = measure(FEED, 40)
    times = [j for m in found for j in m.fidelity.judged if j.call.name == "server_time"]
    assert times
    assert all(j.verdict == "unknown" for j in times)


def test_what_names_nothing_hangs_on_all_that_was_done() -> None:
    """`start_engine(START)` shares no name with `lock_doors`, which it hangs on: 1.1 % were wrong in another order."""
    found = {m.kind: Counter(j.verdict for j in m.fidelity.judged) for m in measure(DEVICE, 40)}
    assert found["o"]["wrong"] * 200 < found["o"].total()
    assert found["t"]["exact"] * 100 > 99 * found["t"].total()


def test_a_call_about_the_very_same_thing_is_never_ignored() -> None:
    """What was added to other bookings mattered to none; what is added to this one shows in it."""
    found = verdicts("stays")
    assert not found["t"]["wrong"]
    assert found["o"]["wrong"] * 100 < 2 * found["o"].total()


def test_where_nothing_is_trusted_a_sight_of_the_same_time_is_not_either() -> None:
    """All calls of an episode may have one time: what it saw after its own calls stood for its start."""
    part = {"horizon": 0, "back": 0, "versions": {'["k"]': [[10, {"v": 1}]]}}
    assert '["k"]' not in DatedTable(part, 10)
    assert DatedTable({**part, "horizon": None, "back": None}, 10)['["k"]'] == {"v": 1}


def test_what_a_writer_always_says_is_told_to_others_too() -> None:
    """`use_account` says the same to everybody, `close_ticket` that a ticket is closed already: that is of the moment."""
    for style in (LEDGER, TICKETS):
        learnt, (held, _) = measure_season(style, 40)
        told = [j for j in held.fidelity.judged if j.result.evidence == ALWAYS]
        assert len(told) > 50
        assert all(j.verdict == "exact" and not j.result.is_error for j in told)
        steady = [
            entry for entries in learnt.document["tape"].values() for entry in _steady(entries)
        ]
        assert steady
        assert not any(entry["before"] for entry in steady)


def _steady(calls: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [entry for told in calls.values() for entry in told if entry["from"] == ALWAYS]
