"""Rules of the prompt: which sentences state one, which a function can answer, and what needs a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.judges.question import questions_of, that_decide
from environments.runtime.checks.judge import evidence_of
from environments.runtime.checks.table import evaluate
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import DERIVED, Attempt, Call, Json, ToolResult
from environments.runtime.task.rubric import SHARE, Check, Rubric
from environments.runtime.task.task import Task
from synth.rubric.policy_rules import asked_of_a_judge, rule_checks, rules_of
from tests.environments_shop import call, entry, say, tool
from tests.unit.graded_attempts import attempt, made

TOOLS = ("get_order", "cancel_order", "wipe_all", "book")


def task(instructions: str) -> Task:
    """A task with these instructions."""
    opening = (
        {"role": "system", "content": instructions},
        {"role": "user", "content": "You must cancel my order. Never call me back."},
    )
    return replace(entry(1).task, opening=opening, tools=tuple(map(tool, TOOLS)))


def asked(
    *names: str,
) -> Attempt:
    """An attempt that makes these calls."""
    return attempt(*(made(name) for name in names))


def checks(
    instructions: str, resolved: Sequence[Attempt] = (), *, judged: bool = False
) -> list[Check]:
    """The checks on some instructions."""
    return rule_checks(task(instructions), resolved, judged=judged)


def texts(instructions: str) -> list[str]:
    """The rules that some instructions state."""
    return [rule.text for rule in rules_of(instructions)]


@pytest.mark.parametrize(
    "rule",
    [
        "You must ask for the order's number.",
        "Never promise a date.",
        "You should not guess, e.g. a price.",
        "Do not talk about other customers.",
        "Orders that were shipped cannot be cancelled.",
        "Make sure that the user agrees.",
        "Always greet the user first!",
    ],
)
def test_a_sentence_that_demands_or_forbids_is_a_rule(rule: str) -> None:
    """Whatever stands around it."""
    assert texts(f"# Shop\n\nThis is a shop. {rule} It sells books.") == [rule]
    assert texts(f"- It sells books.\n- {rule}\n") == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You help people.",
        "Must you?",
        "# You must read this",
        "```\nyou must call x\n```",
        'Return {"must": "be JSON"} here.',
        "Never!",
    ],
)
def test_what_states_no_rule_is_none(text: str) -> None:
    """Descriptions, questions, headings, code."""
    assert texts(text) == []


def test_items_below_a_rule_are_rules_with_it() -> None:
    """A list that `You must never:` leads in; a wrapped item is one."""
    text = "You must never:\n- share a card's\n  number\n- promise a date\n\nBe kind."
    assert texts(text) == [
        "You must never: share a card's number",
        "You must never: promise a date",
    ]


def test_a_rule_keeps_its_passage() -> None:
    """What `this` means stands before it, under the section's heading."""
    (rule,) = rules_of("## Refunds\n\nA refund takes a week. This must be said.")
    assert rule.text == "This must be said."
    assert rule.passage == "Refunds A refund takes a week. This must be said."
    (check,) = checks("## Refunds\n\nA refund takes a week. This must be said.", judged=True)
    assert "Refunds A refund takes a week." in str(check.args["prompt"])


def test_without_a_judge_no_check_asks_one() -> None:
    """What only a judge can answer is not in the rubric; with one, each rule is quoted once."""
    text = "You must be polite. You must be polite. Never promise a date."
    assert checks(text) == []
    found = checks(text, judged=True)
    assert [check.fn for check in found] == ["judge", "judge"]
    assert all(asked_of_a_judge(check) for check in found)
    assert {(c.role, c.required, c.positive) for c in found} == {(SHARE, False, False)}


ORDERED = asked("get_order", "cancel_order")


@pytest.mark.parametrize(
    "rule",
    [
        "Before calling cancel_order, you must call get_order.",
        "Always call `get_order` before `cancel_order`.",
        "Never call cancel_order before get_order.",
        "You should never call cancel_order before get_order.",
        "The tool cancel_order must not be called before get_order.",
        "Do not forget to call get_order before cancel_order.",
        "Make sure that you never skip get_order before cancel_order.",
    ],
)
def test_an_order_of_tools_is_a_function(rule: str) -> None:
    """The tools on either side of the word, however it is put."""
    (check,) = checks(rule, [ORDERED])
    assert (check.fn, check.args) == ("before", {"first": ["get_order"], "then": ["cancel_order"]})


@pytest.mark.parametrize(
    "rule",
    [
        "Never call wipe_all.",
        "You should never call wipe_all.",
        "You must not use the `wipe_all` tool.",
        "Do not call wipe_all or book().",
    ],
)
def test_a_forbidden_tool_is_a_function(rule: str) -> None:
    """Where the sentence says nothing else."""
    (check,) = checks(rule, [ORDERED])
    assert check.fn == "never_called"
    assert "wipe_all" in list(check.args["tools"])  # type: ignore[arg-type]  # a list of names


@pytest.mark.parametrize(
    "rule",
    [
        "Never call cancel_order unless the user agrees.",
        "Never call cancel_order for orders that were shipped.",
        "You should never call cancel_order twice.",
        "If the order is new, call get_order before cancel_order, always.",
        "You must call get_order before you answer.",
        "Never book before noon.",
        "Never book it.",
        "You do not have to call cancel_order before get_order, but you must be polite.",
        "You must call get_order.",
    ],
)
def test_a_rule_that_says_more_is_left_to_a_judge(rule: str) -> None:
    """Conditions, what is no tool, ordinary words that are a tool's name."""
    assert checks(rule, [asked("get_order")]) == []
    (check,) = checks(rule, [asked("get_order")], judged=True)
    assert check.fn == "judge"


def test_a_rule_that_a_resolved_attempt_breaks_is_no_function() -> None:
    """Users were content without it, or it was read wrongly: only a judge can tell."""
    rule = "Always call get_order before cancel_order."
    assert checks(rule, [ORDERED, asked("cancel_order")]) == []
    assert [c.fn for c in checks(rule, [asked("cancel_order")], judged=True)] == ["judge"]
    assert checks(rule, [asked("get_order")]) == []


def test_rules_of_users_are_no_rules() -> None:
    """The user of this task says `must` and `never`; only the instructions count."""
    assert checks("You help.", judged=True) == []


def test_a_kept_rule_pays_as_far_as_the_work_is_done() -> None:
    """A broken order costs its part of the share and nothing of all or nothing."""
    told = Check(check_id="told", fn="told", args={"value": 5}, role="reward", required=True)
    rules = checks("Always call get_order before cancel_order.", [ORDERED])
    rubric = Rubric(task_id="t", checks=(told, *rules))

    def paid(of: Attempt) -> tuple[float | None, float | None]:
        verdict = evaluate(rubric, of, task_version="v")
        return verdict.reward, verdict.share

    kept = replace(attempt(said=["5"]), calls=ORDERED.calls)
    assert paid(kept) == (1.0, 1.0)
    assert paid(replace(kept, calls=ORDERED.calls[::-1])) == (1.0, 0.5)
    assert paid(replace(ORDERED)) == (0.0, 0.0)


def test_a_judge_is_asked_about_rules_where_they_are_paid() -> None:
    """A set that pays all or nothing has no use for the answers: rollouts of it ask nothing of the share."""
    rules = checks("You must be polite.", judged=True)
    required = Check(check_id="kind", fn="judge", args={"prompt": "Kind?"}, required=True)
    rubric = Rubric(task_id="t", checks=(required, *rules))
    of = attempt(said=["5"])
    assert len(questions_of(that_decide(rubric, "all"), of)) == 1
    assert len(questions_of(that_decide(rubric, "share"), of)) == 2


def test_a_judge_sees_the_same_conversation_however_calls_are_put_into_messages() -> None:
    """Two calls of one message, or one after the other; not the instructions, not words beside a call."""

    def seen(*messages: dict[str, Json], at: tuple[int, int]) -> list[str]:
        results = (ToolResult(content=text, source=DERIVED) for text in ("one", "two"))
        calls = tuple(
            Call(name="get", arguments={"n": n}, result=result, message=message)
            for n, (result, message) in enumerate(zip(results, at, strict=True))
        )
        opening: list[dict[str, Json]] = [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hi"},
        ]
        whole = Attempt(messages=(*opening, *messages), opening=2, calls=calls)
        return list(evidence_of({"evidence": "conversation"}, View(whole)))

    two, one = dict(call("get", {})), {**call("get", {}), "content": "A moment."}
    answer: dict[str, Json] = {"role": "tool", "content": "one"}
    bye = dict(say("Bye."))
    together = seen(two, answer, answer, bye, at=(2, 2))
    apart = seen(one, answer, two, answer, bye, at=(2, 4))
    assert together == apart
    assert together == [
        "user: Hi",
        'assistant calls get {"n":0}: one',
        'assistant calls get {"n":1}: two',
        "assistant: Bye.",
    ]


@given(st.text(alphabet="abc must never.-*#:\n`!?({é中", max_size=300))
def test_any_instructions_are_read(text: str) -> None:
    """No text stops it, and every rule is said by the text."""
    for rule in rules_of(text):
        assert all(word in text for word in rule.text.split())


def test_long_instructions_take_no_time_beyond_their_length() -> None:
    """A prompt of a megabyte without a full stop is read once."""
    assert rules_of("you must not " * 80_000) == ()
    assert len(rules_of("You must not do it number " * 3 + ". Never stop here, friend. " * 9)) == 2
