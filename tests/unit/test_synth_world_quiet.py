"""Who looks and who writes in a backend that lives on, and how long it is quiet."""

from __future__ import annotations

import pytest

from benchmarks.testbeds.invented.office.agenda_tasks import AGENDA
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.worlds.unseen_living import measure
from environments.runtime.document.world_file import LIVING, ContinuityPart
from synth.world.influence.dependencies import note_far
from synth.world.influence.purity_prior import MIN_NAMED, MIN_READER, enough
from synth.world.influence.trials import Evidence
from synth.world.model import ToolModel, Workbench
from synth.world.observation import Observation
from synth.world.time.indirect_effects import Trial
from synth.world.time.table_stability import WriterCall, doubt_versions, quiet_tables
from synth.world.time.validity import Version

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

MINUTE = 60 * 10**9
CALM = [Trial(table="note", gap=None, suspects=frozenset({"send"}), same=True)] * 2


def sights(rows: int, row: object, later: object, gap: int = MINUTE) -> dict[int, list[Version]]:
    """Records of which each was seen twice, in two episodes."""
    return {
        at: [Version(0, 2 * at, row), Version(gap, 2 * at + 1, later, position=1)]  # type: ignore[arg-type]  # JSON
        for at in range(rows)
    }


def places(table: str, known: dict[int, list[Version]]) -> dict[tuple[str, str], list[Version]]:
    """The same, each in its place."""
    return {(table, f"[{at}]"): versions for at, versions in known.items()}


def test_a_table_seldom_looked_at_is_trusted_as_long_as_the_whole_backend_is_quiet() -> None:
    """Three pairs of its own say little alone; forty of all tables say that nobody else changes anything so soon."""
    known = places("order", sights(40, 1, 1)) | places("note", sights(3, 1, 1))
    found = quiet_tables(known, [], [])
    assert found["note"].horizon == MINUTE
    assert not quiet_tables(places("note", sights(3, 1, 1)), [], [])


def test_a_table_that_moves_by_itself_is_not_trusted_however_quiet_the_others_are() -> None:
    """A clock moves while everything else stands still; of two pairs nobody knows."""
    others = places("order", sights(99, 1, 1))
    assert "note" not in quiet_tables(others | places("note", sights(3, 1, 2)), [], [])
    assert "note" not in quiet_tables(others | places("note", sights(2, 1, 1)), [], [])


def test_nothing_is_trusted_where_others_change_things_too_soon() -> None:
    """A third of all pairs, the soonest, found something else: somebody unseen is at work."""
    known = places("order", sights(40, 1, 1)) | places("rate", sights(20, 1, 2, MINUTE // 2))
    assert not quiet_tables(known | places("note", sights(3, 1, 1)), [], [])


def test_a_record_is_unknown_after_a_call_that_was_never_seen_to_leave_it_alone() -> None:
    """Two looks that found it as it was after such calls clear the tool."""
    known = places("order", sights(40, 1, 1)) | places("note", sights(3, 1, 1))
    send = WriterCall(order=(MINUTE, 99, 2), tool="send")
    versions = quiet_tables(known, [], [send])["note"].versions["note", "[0]"]
    assert [version.void for version in versions] == [False, False, True]
    cleared = quiet_tables(known, CALM, [send])["note"].versions["note", "[0]"]
    assert [version.void for version in cleared] == [False, False]


def test_a_call_before_the_look_of_the_same_time_says_nothing_against_it() -> None:
    """Traces often have one time for a whole episode; the order of its calls is known all the same."""
    known = places("note", sights(1, 1, 1))
    early = WriterCall(order=(MINUTE, 1, 0), tool="send")
    (versions,) = doubt_versions(known, [early], {"note": {"send"}}).values()
    assert [version.void for version in versions] == [False, True, False]
    assert doubt_versions(known, [early], {"note": set()}) == known


def test_what_is_told_two_things_and_never_answers_otherwise_may_put_them_together() -> None:
    """`seat` gives an event a room and says what it always says of that room; with one thing it may be a look."""
    made = [("ev1", "Cedar"), ("ev2", "Cedar")]
    calls = [
        Observation(
            tool="seat", arguments={"event": e, "room": r}, content=r, episode=0, position=0, at=0,
            caller="",
        )
        for e, r in made
    ]  # fmt: skip
    for call in calls:
        call.settle()
    tool = ToolModel(name="seat", observations=calls)
    assert enough(tool, set(), living=True) == MIN_NAMED
    assert enough(tool, set()) == MIN_READER
    for call in calls:
        call.arguments = {"room": "Cedar"}
    assert enough(tool, set(), living=True) == MIN_READER


def test_only_writers_convicted_from_afar_reach_a_readers_table() -> None:
    """Whoever shares a name with what changed voids that record alone."""
    tools = {n: ToolModel(name=n, observations=[], kind="write") for n in ("pay", "send", "look")}
    tools["look"].kind, tools["look"].table = "read", "bill"
    living = ContinuityPart(kind=LIVING)
    bench = Workbench(app="x", histories=[], tools=tools, continuity=living)
    note_far(bench, tools["look"], Evidence(convicted={("pay", False), ("send", True)}))
    assert tools["pay"].far == {"bill"}
    assert not tools["send"].far


def test_a_reader_that_finds_what_its_own_session_changed_stays_a_reader() -> None:
    """Tickets closed between two looks made `get_ticket` a writer, and all that it shows was unknown."""
    learnt, found = measure(TICKETS, 40)
    kinds = {name: tool["kind"] for name, tool in learnt.document.to_json()["tools"].items()}
    assert kinds["get_ticket"] == "read"
    assert kinds["get_user_tickets"] == "search"
    assert kinds["edit_ticket"] == "write"
    judged = [j.verdict for one in found for j in one.fidelity.judged]
    assert judged.count("exact") > 40
    assert "wrong" not in judged


def test_a_tool_that_gives_an_event_a_room_is_no_reader() -> None:
    """It says of a room what it always says, and five answers were wrong after it."""
    learnt, found = measure(AGENDA, 44)
    assert learnt.document.to_json()["tools"]["seat"]["kind"] == "write"
    assert not [j for j in found[0].fidelity.judged if j.verdict == "wrong"]
