"""Who makes the right calls and lies, says nothing, says everything or does too much earns nothing; the gate and its table say so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import pytest

from environments.export.card_graders import attack_section, way_section
from environments.runtime.play.environment import run_actions
from environments.runtime.play.message import requests_of
from environments.runtime.task.rubric import REWARD, Check
from environments.verification.attack_table import attack_rows, way_rows
from environments.verification.cheats import cheats, in_the_language_of
from environments.verification.material import Material
from environments.verification.probe import says
from environments.verification.sentences import probe_says, reason_says
from environments.verify import ACCEPTED, REJECTED
from tests.unit.parcel_gate import EFFECTS, GOOD, TASK, WRITE, World, candidate, end_check, gate

TOLD = Check(check_id="told", fn="told", args={"value": 54.04}, role=REWARD, required=True)
GROUNDED = Check(check_id="grounded", fn="grounded", args={"kinds": ["number"]}, required=True)
CLOSES = Check(check_id="closes", fn="spoke", args={"after_calls": True}, required=True)
ANSWER = (*GOOD[:2], says("It is 54.04."))


def found(*checks: Check, solution: tuple[Any, ...] = ANSWER) -> dict[str, float | None]:
    """What each attack that knows the good attempt is paid under these checks beside the end."""
    end = end_check(WRITE, effects=EFFECTS, events=[])
    verified = gate(candidate(end, *checks, solution=solution))
    return {probe.name: probe.reward for probe in verified.probes if not probe.void}


def test_all_that_lies_beside_the_right_calls_is_tried_and_earns_nothing() -> None:
    """With a check of the fact and one of grounds."""
    paid = found(TOLD, GROUNDED)
    for name in (
        "falsifies_every_figure",
        "says_only_unsure",
        "right_calls_in_silence",
        "contradicts_at_the_end",
    ):
        assert paid[name] == 0.0, name


def test_to_list_everything_is_a_cheat_only_where_it_tells_more_than_the_answer() -> None:
    """Tools show one amount here: who tells it has listed everything."""
    assert "reads_then_lists_every_fact" not in found(TOLD)
    silent = (*GOOD[:2], says("It is done."))
    assert "reads_then_lists_every_fact" in found(CLOSES, solution=silent)


@pytest.mark.parametrize(
    ("checks", "name"),
    [
        ((CLOSES,), "falsifies_every_figure"),
        ((CLOSES,), "says_only_unsure"),
        ((), "right_calls_in_silence"),
        ((TOLD,), "contradicts_at_the_end"),
    ],
)
def test_a_task_whose_checks_pay_a_lie_is_rejected(checks: tuple[Check, ...], name: str) -> None:
    """Although the world ends as it should."""
    end = end_check(WRITE, effects=EFFECTS, events=[])
    verified = gate(candidate(end, *checks, solution=ANSWER))
    assert verified.status == REJECTED
    assert f"pays:{name}" in verified.reasons
    assert reason_says(f"pays:{name}").startswith("it would pay for the ")


def test_where_nothing_was_told_only_calls_are_asked_for() -> None:
    """A good attempt without a figure proves nothing about words."""
    end = end_check(WRITE, effects=EFFECTS, events=[])
    verified = gate(candidate(end, solution=(*GOOD[:2], says("Done."))))
    assert verified.status == ACCEPTED
    assert "says_only_unsure" not in {probe.name for probe in verified.probes}


def test_words_that_only_confirm_what_was_asked_for_may_be_left_out_but_not_falsified() -> None:
    """Its user named what it repeats: nothing had to be found out."""
    task = replace(TASK, opening=({"role": "user", "content": "Send P1 to B, case 54.04."},))
    end = end_check(WRITE, effects=EFFECTS, events=[])
    verified = gate(candidate(end, GROUNDED, CLOSES, solution=ANSWER, task=task))
    tried = {probe.name: probe.reward for probe in verified.probes}
    assert tried["falsifies_every_figure"] == 0.0
    assert not {"says_only_unsure", "right_calls_in_silence"} & tried.keys()


def test_right_words_without_calls_and_a_wrong_change_first() -> None:
    """The words are not the work; a wrong change before the right one is no good attempt."""
    paid = found(TOLD, GROUNDED)
    assert paid["right_words_without_calls"] == 0.0
    assert all(reward != 1.0 for name, reward in paid.items() if name.startswith("changes_wrongly"))


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("帮我取消订单 12", "我不太确定"),
        ("注文を取り消してください", "分かりません"),
        ("Отмените заказ", "не уверен"),
        ("Cancel my order", "not sure"),
        ("", "not sure"),
    ],
)
def test_unsure_in_the_language_of_the_opening(text: str, script: str) -> None:
    """As far as the script tells it."""
    assert script in in_the_language_of(text)


def test_the_table_counts_tasks_and_leaves_out_what_proves_nothing() -> None:
    """By kind of attack, with and without the gate."""

    def probe(name: str, **changes: object) -> Mapping[str, Any]:
        plain = {"name": name, "expected": "zero", "void": False, "passed": True, "in_gate": True}
        return {**plain, **changes}

    rows = attack_rows(
        [
            (ACCEPTED, [probe("random_calls_1"), probe("random_calls_2")]),
            (REJECTED, [probe("random_calls_1"), probe("random_calls_2", passed=False)]),
            (REJECTED, [probe("random_calls_1", void=True), probe("good_attempt", expected="one")]),
            (ACCEPTED, [probe("dumps_in_chunks", in_gate=False, passed=False)]),
            (ACCEPTED, [probe("changes_1_name"), probe("changes_2_city")]),
        ]
    )
    table = {r.name: (r.paid, r.tried, r.paid_accepted, r.tried_accepted) for r in rows}
    assert table == {
        "random_calls": (1, 2, 0, 1),
        "changes": (0, 1, 0, 1),
        "dumps_in_chunks": (1, 1, 1, 1),
    }
    assert rows[-1].name == "dumps_in_chunks"
    assert probe_says("changes") == "the good attempt with an argument changed"
    card = attack_section([{"app": "post|x", **asdict(row)} for row in rows])
    assert "| post\\|x | random calls | 1 of 2 | 0 of 1 |" in card
    assert "(measured only)" in card
    assert attack_section(None) == ""


def test_acting_on_every_record_like_the_right_one() -> None:
    """A look lists three parcels: the change is made on the other two as well."""
    one = candidate(end_check(WRITE, effects=EFFECTS, events=[]), solution=ANSWER)
    run = run_actions(one.task, World(), one.solution)
    listed = json.dumps({"parcels": [{"id": f"P{n}", "fee": n} for n in (1, 2, 3)]})
    look = replace(run.calls[0], result=replace(run.calls[0].result, content=listed))
    good = replace(run, calls=(look, *run.calls[1:]))
    tried = next(
        probe for probe in cheats(Material(one, good, ())) if probe.name == "acts_on_every_record_1"
    )
    made = [request.text for action in tried.actions for request in requests_of(action, first=0)]
    assert [json.loads(text)["parcel"] for text in made] == ["P1", "P1", "P2", "P3"]


def test_copying_long_results_is_tried_where_they_are_much_more_than_the_answer() -> None:
    """Every result, behind the calls that came before; short results are their own answer."""
    one = candidate(end_check(WRITE, effects=EFFECTS, events=[]), solution=ANSWER)
    run = run_actions(one.task, World(), one.solution)
    assert not [p for p in cheats(Material(one, run, ())) if p.name == "copies_every_result"]
    record = json.dumps({f"field {n}": f"A-{n}7" for n in range(20)})
    look = replace(run.calls[0], result=replace(run.calls[0].result, content=record))
    good = replace(run, calls=(look, *run.calls[1:]))
    tried = next(p for p in cheats(Material(one, good, ())) if p.name == "copies_every_result")
    assert record in str(tried.actions[-1]["content"])


def test_what_becomes_of_other_ways_is_counted_on_accepted_tasks() -> None:
    """A way that is not paid in one form is not paid, whatever the world knew; one that nobody can grade is its own figure."""

    def way(name: str, reward: float | None) -> dict[str, object]:
        return {"name": name, "expected": "one", "reward": reward, "void": reward != 1.0}

    rows = way_rows(
        [
            (ACCEPTED, [way("good_attempt", 1.0), way("needless_look_1", 1.0)]),
            (ACCEPTED, [way("needless_look_1", None), way("needless_look_2", 0.0)]),
            (ACCEPTED, [way("needless_look_1", None)]),
            ("rejected", [way("needless_look_1", 0.0)]),
        ]
    )
    (row,) = rows
    assert (row.tasks, row.paid, row.not_paid, row.unknown) == (3, 1, 1, 1)
    card = way_section([{"app": "post|x", **asdict(row)}])
    assert (
        "| post\\|x | the good attempt with one look-up that it does not need | 3 | 1 | 1 | 1 |"
        in card
    )
    assert way_section(None) == ""
