"""Words and look-ups of recorded attempts are asked for only where a cheat would be paid without them."""

from __future__ import annotations

from dataclasses import replace

from environments.needless_checks import without_needless_checks
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action, Candidate, RecordedAttempt
from environments.runtime.task.rubric import REWARD, Check
from environments.verification.material import OtherTasks
from environments.verification.probe import calls, says
from tests.unit.parcel_gate import GET, candidate, end_check, other, run

SAID = Check(
    check_id="said",
    fn="said",
    args={"words": ["cannot", "returned"], "least": 2},
    role=REWARD,
    required=True,
)
ACTED = Check(check_id="a", fn="acted", args={"tools": ["hand_over"]}, role=REWARD, required=True)
READ = Check(
    check_id="r",
    fn="read",
    args={"any_of": [["get", '{"parcel":"p1"}']]},
    role=REWARD,
    required=True,
)
WORDS = says("It cannot be returned.")


SHOWN = Check(
    check_id="s",
    fn="told",
    args={"value": 54.04, "kind": "number", "readings": [54.04]},
    role=REWARD,
    required=True,
)
CLOSES = Check(
    check_id="c",
    fn="closing_facts",
    args={"facts": [{"kind": "number", "readings": [54.04], "forms": [], "value": "54.04"}]},
    role=REWARD,
    required=True,
)
RECORDED = RecordedAttempt(
    episode_id="e",
    actions=(GET, says("The fee is 54.04, so it cannot be returned.")),
    resolved=True,
)


def freed_task(
    *checks: Check, solution: tuple[Action, ...], attempts: tuple[RecordedAttempt, ...] = ()
) -> Candidate:
    """The task with the words that it still asks for."""
    one = replace(candidate(end_check(), *checks, solution=solution), attempts=attempts)
    return without_needless_checks(one, others=OtherTasks([one, other()]), run=run)


def freed(*checks: Check, solution: tuple[Action, ...]) -> list[str]:
    """The checks that stay."""
    return [c.fn for c in freed_task(*checks, solution=solution).rubric.checks]


def test_words_beside_evidence_enough_are_not_asked_for() -> None:
    """A hand-over after a look is evidence; the words around it may be any."""
    kept = freed(ACTED, READ, SAID, solution=(GET, WORDS, calls("hand_over", "{}")))
    assert kept == ["end_state", "acted", "read"]


def test_words_without_which_a_cheat_is_paid_are_asked_for() -> None:
    """Whoever only looks and says anything would be paid."""
    assert freed(READ, SAID, solution=(GET, WORDS)) == ["end_state", "read", "said"]


def test_a_task_without_a_solution_stays_as_it_is() -> None:
    """There is nothing that the gate could accept."""
    assert freed(ACTED, READ, SAID, solution=()) == ["end_state", "acted", "read", "said"]


def test_where_nothing_is_done_but_to_decline_any_denial_is_asked_for() -> None:
    """The fact alone may be told by somebody who then asks on and leaves: the user would never hear the answer."""
    solution = (GET, says("The fee is 54.04, so it cannot be returned."))
    kept = freed_task(READ, SHOWN, CLOSES, SAID, solution=solution, attempts=(RECORDED,))
    assert [dict(c.args) for c in kept.rubric.checks if c.fn == "said"] == [
        {"words": [], "declines": True}
    ]


def test_a_hand_over_stands_for_itself() -> None:
    """Who hands over need not say that it cannot be done, even where everybody did."""
    kept = freed_task(
        ACTED,
        READ,
        SAID,
        solution=(GET, WORDS, calls("hand_over", "{}")),
        attempts=(RECORDED,),
    )
    assert [c.fn for c in kept.rubric.checks] == ["end_state", "acted", "read"]


def test_an_answer_after_a_page_that_could_not_be_found_declines_nothing() -> None:
    """What could not be done on the way is no denial: the words go, and no denial is asked for."""
    found = RecordedAttempt(
        episode_id="e",
        actions=(says("I cannot see it yet."), GET, says("The fee is 54.04.")),
        resolved=True,
    )
    solution = (GET, says("The fee is 54.04."))
    kept = freed_task(READ, SHOWN, CLOSES, SAID, solution=solution, attempts=(found,))
    assert all(c.args.get("declines") is None for c in kept.rubric.checks)


def test_a_look_up_is_not_asked_for_where_a_figure_proves_it() -> None:
    """Whoever tells the fee has found it, if by another search; the words of a record could be guessed."""
    solution = (GET, says("The fee is 54.04."), calls("hand_over", "{}"))
    grounded = replace(SHOWN, check_id="g", fn="grounded", args={"kinds": ["number"], "known": ""})
    told = (SHOWN, grounded, ACTED)
    assert freed(READ, *told, solution=solution) == ["end_state", *(c.fn for c in told)]
    assert freed(READ, SHOWN, solution=solution[:2]) == ["end_state", "read", "told"]
    text: dict[str, Json] = {
        "facts": [{"kind": "text", "value": "returned", "readings": [], "forms": []}]
    }
    worded = replace(SHOWN, fn="told_some", args={**text, "least": 1})
    kept = freed_task(READ, worded, solution=(GET, says("It is returned.")))
    assert "read" in [c.fn for c in kept.rubric.checks]


def test_a_state_in_words_is_not_asked_for_beside_a_count() -> None:
    """Who tells how many docks stay free need not say `planned` as the recorded attempt did."""
    text: dict[str, Json] = {
        "facts": [{"kind": "text", "value": "planned", "readings": [], "forms": ["planned"]}]
    }
    worded = replace(SHOWN, check_id="w", fn="told_some", args={**text, "least": 1})
    count = replace(SHOWN, check_id="n", fn="small_numbers_told", args={"values": ["4"], "most": 1})
    solution = (GET, says("It is planned, and 4 stay free."), calls("hand_over", "{}"))
    assert "told_some" not in freed(ACTED, READ, worded, count, solution=solution)
    assert "told_some" in freed(READ, worded, solution=(GET, says("It is planned.")))
