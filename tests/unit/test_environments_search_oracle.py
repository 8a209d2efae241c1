"""What is bad by construction is called bad whoever made it, and another good attempt never is."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from environments.runtime.task.attempt import Attempt
from environments.runtime.task.candidate import Action
from environments.search.operators import BACK, OPERATORS, other_figures
from environments.search.oracle import (
    CONTRADICTS,
    KINDS,
    LIES,
    NO_CALLS,
    NOTHING_TOLD,
    OTHER_END,
    Oracle,
    Terms,
)
from environments.search.stock import Stock, known_in
from environments.verification.material import planned_calls
from environments.verification.mutants import FIGURE
from environments.verification.probe import calls, says
from tests.unit.parcel_gate import GET, TASK, put, run

TELLS = "The fee of this parcel is 54.04."
GOOD = (says("Which parcel is it?"), GET, put(), says(TELLS))
TERMS = Terms(changing=frozenset({"put"}))
FOREIGN = ("Your refund of 917.30 is on its way.", "You are welcome!")


def attempt(*actions: Action) -> Attempt:
    """An attempt in the parcels' world."""
    return run(TASK, actions)


def why(*actions: Action, good: Sequence[Sequence[Action]] = (GOOD,), terms: Terms = TERMS) -> str:
    """What the oracle says of an attempt."""
    oracle = Oracle(
        [attempt(*one) for one in good], terms, foreign=FOREIGN, known=known_in(TASK.tools)
    )
    return oracle.why_bad(attempt(*actions))


@pytest.mark.parametrize(
    ("actions", "kind"),
    [
        ((says("Which parcel is it?"), says(TELLS)), NO_CALLS),
        ((GET, says(TELLS)), OTHER_END),
        ((GET, put(to="C"), says(TELLS)), OTHER_END),
        ((GET, put(), put("P2", number=2), says(TELLS)), OTHER_END),
        ((GET, put(), says("The fee of this parcel is 76.26.")), LIES),
        ((GET, put(), says("The fee of this parcel is 7.")), LIES),
        ((GET, put(), says(TELLS), says("The fee of this parcel is 76.26.")), CONTRADICTS),
        ((GET, put(), says(f"{TELLS} The fee of this parcel is 3.")), CONTRADICTS),
        ((GET, put()), NOTHING_TOLD),
        ((GET, put(), says("I am not sure about that.")), NOTHING_TOLD),
        ((says("Which parcel is it?"), GET, put()), NOTHING_TOLD),
        ((GET, put(), says(FOREIGN[0])), NOTHING_TOLD),
    ],
)
def test_what_destroys_the_job_is_named(actions: tuple[Action, ...], kind: str) -> None:
    """By what the final attempt did and said."""
    assert why(*actions) == kind


@pytest.mark.parametrize(
    "actions",
    [
        GOOD,
        (GET, put(), says("You pay $54.04 for it.")),
        (GET, GET, put(), says(TELLS)),
        (put(), GET, says(TELLS)),
        (GET, put(to="C"), put(), says(TELLS)),
        (GET, put(), says("It is fifty-four dollars and four cents.")),
        (GET, put(), says("The fee of this parcel is 76.26. I misread: it is 54.04.")),
        (GET, put(), says(TELLS), says(FOREIGN[1])),
        (GET, put(), says("It is sent.")),
        (put("P9"), GET, put(), says(TELLS)),
    ],
)
def test_what_may_be_another_good_attempt_is_never_called_bad(actions: tuple[Action, ...]) -> None:
    """Other words, more looks, a change undone, an end that nobody knows."""
    assert why(*actions) == ""


def test_another_resolved_attempt_excuses_its_end_and_its_silence() -> None:
    """What users called good is good."""
    silent = (GET, put(to="C"), says("Done."))
    assert why(GET, put(to="C"), says(TELLS), good=(GOOD, silent)) == ""
    assert why(GET, put(), good=(GOOD, (GET, put(), says("Done.")))) == ""


def test_a_final_answer_is_right_however_it_was_found() -> None:
    """Calls are no part of what was asked for."""
    looks = ((GET, says(TELLS)),)
    assert why(says(TELLS), good=looks) == NO_CALLS
    assert why(says(TELLS), good=looks, terms=Terms(answers=True)) == ""
    assert why(says(TELLS), good=((GET, says("Done.")),)) == ""


@pytest.mark.parametrize("shift", range(1, 9))
@given(text=st.text(alphabet="0123456789.,:-/ abAB@", max_size=40))
def test_every_figure_becomes_another(shift: int, text: str) -> None:
    """No digit stays, none becomes a zero in front, and the frame of the sentence stays."""
    before, after = FIGURE.findall(text), FIGURE.findall(other_figures(text, shift))
    for one, other in zip(before, after, strict=False):
        assert one != other
        assert "0" not in other or not any(map(str.isdigit, one))
    assert FIGURE.sub("", text) == FIGURE.sub("", other_figures(text, shift))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(st.sampled_from([*OPERATORS, *BACK]), min_size=1, max_size=5), st.integers(0, 10**6)
)
def test_a_mutation_that_is_called_a_cheat_has_lost_what_makes_the_attempt_good(
    names: list[str], seed: int
) -> None:
    """However mutations are composed: the end is another, or the fee is not the last thing told of it."""
    other = (calls("get", '{"parcel": "P2"}'), put("P2", "C"), says(FOREIGN[0]))
    by_tool = {c.name: (c,) for c in planned_calls(other)}
    stock = Stock(
        honest=GOOD,
        results=('{"fee": 54.04}',),
        unsure="I am not sure about that.",
        words=((FOREIGN[0],),),
        calls=by_tool,
        ending=frozenset({"hand_over"}),
    )
    actions: tuple[Action, ...] = GOOD
    chance = random.Random(seed)  # noqa: S311 - repeatable
    for name in names:
        changed = {**OPERATORS, **BACK}[name].change(actions, stock, chance)
        actions = actions if changed is None else tuple(changed)
    kind = why(*actions)
    made, good = attempt(*actions), attempt(*GOOD)
    told = [str(m.get("content")) for m in made.messages[2:] if m["role"] == "assistant"]
    assert kind == "" or kind in KINDS
    if kind == OTHER_END:
        assert made.end.effects != good.end.effects
    elif kind in {LIES, NOTHING_TOLD}:
        assert not any("54.04" in text for text in told)
    elif kind == CONTRADICTS:
        said = "\n".join(told)
        assert said.rfind("fee of this parcel is") > said.rfind(TELLS) >= 0
    elif kind == NO_CALLS:
        assert not made.calls


def test_hostile_words_are_no_fault() -> None:
    """Nothing, a megabyte, other scripts, and text that is no JSON."""
    for text in (
        "",
        " \n",
        "9" * 1_000_000,
        "\u0665\u0664\u066b\u0660\u0664",
        "费用是五十四元。" * 1000,
        "\x00\u202e54",
    ):
        assert why(GET, put(), says(text)) in {"", *KINDS}
    odd = calls("put", json.dumps([1, 2]))
    assert why(GET, odd, says(TELLS)) in {"", *KINDS}
