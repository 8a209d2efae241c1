"""Words of recorded explanations are asked for only where a cheat would be paid without them."""

from __future__ import annotations

from environments.needless_words import without_needless_words
from environments.runtime.task.candidate import Action
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


def freed(*checks: Check, solution: tuple[Action, ...]) -> list[str]:
    """The checks that stay."""
    one = candidate(end_check(), *checks, solution=solution)
    others = OtherTasks([one, other()])
    return [c.fn for c in without_needless_words(one, others=others, run=run).rubric.checks]


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
