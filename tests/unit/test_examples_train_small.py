"""The small policy: what it can choose from, that it repeats what it was shown, and that rewards move it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from examples.train_small.candidates import Offers, Place
from examples.train_small.forms import read_text
from examples.train_small.grpo import Schedule, reinforce
from examples.train_small.imitation import imitate, lessons_of, vocabulary_of
from examples.train_small.learner import LinearPolicy
from examples.train_small.linear import Weights
from examples.train_small.outcome import outcome_of
from examples.train_small.practice import Act, Real, serve
from examples.train_small.rounds import Beginner, Rounds, practise
from examples.train_small.shown import known_values
from examples.train_small.situation import situation_of
from examples.train_small.writing import Vocabulary

TOOL = {
    "type": "function",
    "function": {
        "name": "cancel",
        "parameters": {
            "type": "object",
            "properties": {
                "order": {"type": "string"},
                "reason": {"type": "string", "enum": ["late", "broken"]},
            },
            "required": ["order", "reason"],
        },
    },
}
DONE = "Order {order} is cancelled."


def asked(order: str, reason: str) -> dict[str, Any]:
    """What a customer says."""
    return {"role": "user", "content": f"Please cancel order {order}, it is {reason}."}


def called(order: str, reason: str) -> dict[str, Any]:
    """What a good agent does."""
    arguments = json.dumps({"order": order, "reason": reason})
    call = {"id": "c", "type": "function", "function": {"name": "cancel", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def good_attempt(order: str, reason: str) -> dict[str, Any]:
    """A whole conversation."""
    result = {"role": "tool", "tool_call_id": "c", "content": json.dumps({"order": order})}
    said = {"role": "assistant", "content": DONE.format(order=order)}
    messages = [asked(order, reason), called(order, reason), result, said]
    return {"messages": messages, "tools": [TOOL]}


class Order:
    """One customer at a backend that cancels what it is told."""

    def __init__(self, key: str, reason: str) -> None:
        self.key, self._reason = key, reason

    task_key = None

    def play(self, act: Act) -> bool:
        """Whether the right order was cancelled for the right reason and the customer was told."""
        messages: list[Any] = [asked(self.key, self._reason)]
        made = act(messages, [TOOL])
        if not made.get("tool_calls"):
            return False
        arguments = json.loads(made["tool_calls"][0]["function"]["arguments"])
        result = {"role": "tool", "tool_call_id": made["tool_calls"][0]["id"]}
        messages += [made, {**result, "content": json.dumps({"order": arguments["order"]})}]
        told = act(messages, [TOOL]).get("content")
        right = arguments == {"order": self.key, "reason": self._reason}
        return right and told == DONE.format(order=self.key)


def attempts(count: int) -> list[dict[str, Any]]:
    """Good attempts at different orders."""
    return [good_attempt(f"O-{100 + at}", ("late", "broken")[at % 2]) for at in range(count)]


def orders(first: int, count: int) -> list[Order]:
    """Orders that nobody has seen."""
    return [Order(f"O-{first + at}", ("late", "broken")[at % 2]) for at in range(count)]


def test_a_sentence_has_slots_where_shown_values_stood() -> None:
    """The form and the values give the sentence again, with other values another one."""
    said = [{"role": "tool", "tool_call_id": "c", "content": '{"order": "O-1", "sum": 12.5}'}]
    read = read_text("O-1 costs 12.50.", known_values(said).values())
    assert read.form.text(read.fillings) == "O-1 costs 12.50."
    assert read.form.text([["O-2"], [3.0]]) == "O-2 costs 3.00."


def test_values_of_one_place_fill_one_slot() -> None:
    """Names in a row are one list, however many there are."""
    said = [{"role": "tool", "tool_call_id": "c", "content": '{"items": ["Lamp A", "Rug B"]}'}]
    read = read_text("You have Lamp A, Rug B.", known_values(said).values())
    assert read.form.text([["X", "Y", "Z"]]) == "You have X, Y, Z."


def test_good_attempts_are_imitated_at_orders_never_seen() -> None:
    """Which order and which reason come from the conversation, not from memory; the same seed gives the same weights."""
    lessons = lessons_of(attempts(12), vocabulary_of(attempts(12)))
    assert lessons.left_out == 0
    weights, losses = imitate(lessons, epochs=6, rate=0.1, seed=1)
    again, _ = imitate(lessons, epochs=6, rate=0.1, seed=1)
    assert losses[-1] < losses[0]
    assert (weights.heads == again.heads).all()
    policy = LinearPolicy("p", lessons.vocabulary, weights)
    assert all(serve(policy, order) for order in orders(500, 8))


def test_rewards_move_the_policy() -> None:
    """From little imitation, practice makes it resolve more of what it never practised on."""
    lessons = lessons_of(attempts(2), vocabulary_of(attempts(2)))
    weights, _ = imitate(lessons, epochs=1, rate=0.02, seed=0)
    start = LinearPolicy("p", lessons.vocabulary, weights)
    schedule = Schedule(steps=12, tasks=4, samples=8, look_every=12, rate=0.1)
    learnt, steps = reinforce(start, Real(orders(200, 12)), schedule, seed=0)
    assert [step.masked for step in steps] == [0] * 12
    assert share(lessons.vocabulary, learnt) > share(lessons.vocabulary, weights) + 0.1


def test_rounds_of_practice_imitate_what_earned_everything() -> None:
    """From little imitation, its own resolved rollouts teach the policy requests that it never practised on; seeds repeat."""
    lessons = lessons_of(attempts(2), vocabulary_of(attempts(2)))
    weights, _ = imitate(lessons, epochs=1, rate=0.02, seed=0)
    start, rounds = Beginner(lessons, weights), Rounds(count=2, tasks=12, samples=6)
    learnt, steps = practise(start, Real(orders(200, 12)), rounds, seed=0)
    again, _ = practise(start, Real(orders(200, 12)), rounds, seed=0)
    assert steps[1].reward > steps[0].reward
    assert share(lessons.vocabulary, learnt) > share(lessons.vocabulary, weights) + 0.1
    assert (learnt.values == again.values).all()


def test_only_values_of_a_sort_that_was_recorded_there_are_offered() -> None:
    """An order's number goes where numbers went; words of the request do not."""
    lessons = lessons_of(attempts(4), vocabulary_of(attempts(4)))
    assert lessons.vocabulary.sorts["order"] == {"-9A"}
    situation = situation_of([asked("O-7", "late")], [])
    offered = Offers(situation, lessons.vocabulary.sorts).candidates(
        Place("cancel.order", "order"), {"type": "string"}
    )
    assert [one.value for one in offered] == ["O-7"]


def test_one_value_and_several_are_one_form() -> None:
    """A sentence that lists names has one form, however many were listed where it was recorded."""
    shown = {"role": "tool", "tool_call_id": "c", "content": '{"items": ["Lamp A", "Rug B"]}'}
    said = [
        {"messages": [shown, {"role": "assistant", "content": text}], "tools": []}
        for text in ("You have Lamp A, Rug B.", "You have Rug B.")
    ]
    forms = vocabulary_of(said).forms
    assert [form.text([["X", "Y"]]) for form in forms] == ["You have X, Y."]


def test_forms_stand_in_the_order_in_which_they_were_met() -> None:
    """The vocabulary is the same in every process, whatever order texts are hashed in: so is a run with the same seed."""
    texts = [f"This is sentence {word}." for word in ("a", "b", "c", "d", "e", "f", "g", "h")]
    said = [{"role": "assistant", "content": text} for text in texts]
    vocabulary = vocabulary_of([{"messages": said, "tools": []}] * 2)
    assert [form.text([]) for form in vocabulary.forms] == texts


def share(vocabulary: Vocabulary, weights: Weights) -> float:
    """Score by dice at orders that were neither shown nor practised."""
    policy = LinearPolicy("p", vocabulary, weights, salt="exam")
    solved = [serve(policy, order, seed) for order in orders(800, 10) for seed in range(8)]
    return sum(solved) / len(solved)


def documents(
    exam: Sequence[bool], earned: float, same: float | None = None
) -> list[dict[str, Any]]:
    """One seed's file of an arm, whose reward and score at the same requests end so high."""
    first = {"exported": 0.1, "real": 0.1, "real_at_tasks": 0.1}
    look = {"exported": earned, "real": 0.1, "real_at_tasks": same}
    step = {"step": 0, "masked": 1, "rollouts": 4, "spread": 1, "groups": 2}
    return [{"exam": list(exam), "looks": {"0": first, "12": look}, "steps": [step]}]


def test_the_outcome_says_which_share_of_the_gain_is_reached() -> None:
    """Gains are paired by request; what is paid beyond the real score is told."""
    dice = Random(0)  # noqa: S311 - dice
    before = [dice.random() < 0.2 for _ in range(40)]
    real = [was or at % 2 == 0 for at, was in enumerate(before)]
    exported = [was or at % 4 == 0 for at, was in enumerate(before)]
    found = {
        "untrained": documents(before, 0),
        "exported": documents(exported, 0.75, 0.5),
        "real": documents(real, 0),
    }
    outcome = outcome_of(found)
    assert outcome.exported.better == "B"
    assert outcome.share is not None
    assert 0.3 < outcome.share < 0.7
    assert outcome.ahead is not None
    assert round(outcome.ahead, 6) == 0.25
    assert outcome_of({**found, "exported": documents(exported, 0.75)}).ahead is None
    assert sum(outcome.null) == 0.25
    assert "resolved after imitation of exported attempts alone" in outcome.says
    assert "luck" not in outcome.says


def test_an_outcome_that_shows_nothing_says_what_to_run_instead() -> None:
    """Where no arm resolves anything there was too little to imitate; where the arms hardly differ, too little was tried."""
    none, some, more = [False] * 24, [at < 4 for at in range(24)], [at < 6 for at in range(24)]
    arms = ("untrained", "exported", "real")
    nothing = outcome_of({arm: documents(none, 0) for arm in arms})
    assert "too few good attempts" in nothing.says
    assert "--conversations" in nothing.says
    little = outcome_of(dict(zip(arms, (documents(e, 0) for e in (some, more, more)), strict=True)))
    assert "16.7 %" in little.says
    assert "without --quick" in little.says
    assert little.document()["says"] == little.says
