"""What living backends' own sessions change unseen, and refusals that time may explain as well."""

from __future__ import annotations

import pytest

from benchmarks.testbeds.invented.devices.mobile import MOBILE
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from benchmarks.worlds.unseen_living import measure
from synth.world.time.indirect_effects import Trial, reaching
from synth.world.time.validity import MIN_STILL, Version, still_tables

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""


def trial(*tools: str, same: bool) -> Trial:
    """A look at a bill after some calls."""
    return Trial(table="bill", gap=None, suspects=frozenset(tools), same=same)


def test_the_likeliest_writer_explains_changes_and_who_stood_beside_it_is_not_blamed() -> None:
    """A note was written beside every refuel that changed the bill, and as often where nothing changed."""
    seen = [trial("refuel", "note", same=False)] * 3
    seen += [trial("note", same=True)] * 4
    assert reaching(seen) == {"bill": {"refuel"}}


def test_one_change_of_many_is_other_peoples_doing() -> None:
    """Records of a living backend move on by themselves, seldom."""
    seen = [trial("refuel", same=True)] * 20 + [trial("refuel", same=False)]
    assert reaching(seen) == {"bill": set()}
    assert reaching([trial(same=False)]) == {}


def test_a_bill_is_in_doubt_after_a_refuel_that_does_not_name_it() -> None:
    """Fifteen answers were wrong so on two seeds: the bill of the month counts what the session itself bought."""
    learnt, found = measure(MOBILE, 40)
    assert "id" in learnt.document.to_json()["tools"]["refuel_data"]["far"]
    assert not [j for one in found for j in one.fidelity.judged if j.verdict == "wrong"]


def sights(*rows: str, void: int = 0) -> list[Version]:
    """One record, seen by one episode after another; a call of unknown effect after so many of them."""
    seen = [Version(at, at, {"name": row}) for at, row in enumerate(rows)]
    if void:
        seen.insert(void, Version(void, void, None, void=True, read=False, by="rename"))
    return seen


def test_a_table_stands_still_where_no_record_was_ever_seen_to_change_whatever_was_called() -> None:
    """Twelve pairs of equal sights, calls of unknown effect between them included; one change speaks against all of it."""
    still = {("tyre", "[]"): sights(*["flat"] * (MIN_STILL + 1), void=4)}
    assert still_tables(still) == {"tyre"}
    assert still_tables({("tyre", "[]"): sights(*["flat"] * MIN_STILL)}) == set()
    moved = {**still, ("tyre", "1"): sights("flat", "round")}
    assert still_tables(moved) == set()
    gone = Version(99, 99, None, gone=True)
    assert still_tables({("tyre", "[]"): [*still["tyre", "[]"], gone]}) == set()


def test_what_never_changed_is_told_in_a_living_world_and_a_writer_that_seems_to_look_is_not() -> (
    None
):
    """Whose accounts they are never changes and is told; an account that is chosen alike each time is a choice, not a look."""
    learnt, found = measure(LEDGER, 40)
    told = {j.verdict for j in found[0].fidelity.judged if j.call.name == "accounts_of"}
    assert "exact" in told
    assert "wrong" not in told
    tools = learnt.document.to_json()["tools"]
    timeline = learnt.document.to_json()["timeline"]
    assert timeline[tools["accounts_of"]["reads"]["table"]]["horizon"] is None
    assert tools["use_account"]["kind"] == "write"
    assert "reads" not in tools["use_account"]
