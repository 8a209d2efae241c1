"""Arithmetic in text: read safely, and written as the tool writes it."""

from __future__ import annotations

import ast
import json
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.expr.arithmetic import answer, calculate
from environments.runtime.task.attempt import DERIVED, UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("192.99 * 0.1", "stripped_2", "19.3"),
        ("26.99 - 17.99", "stripped_2", "9"),
        ("81.4 - 86.4", "stripped_2", "-5"),
        ("0.001 - 0.002", "stripped_2", "0"),
        ("38.49 * 0.5", "decimal_even_2_stripped", "19.24"),
        ("67.99 * 0.5", "decimal_even_2_stripped", "34"),
        ("67.985 * 1", "decimal_up_2", "67.99"),
        ("-0.001", "decimal_even_2", "0.00"),
        ("10 / 4", "float_round_2", "2.5"),
        ("7 // 2", "plain", "3"),
        ("1 / 3", "fixed_3", "0.333"),
    ],
)
def test_results_are_written_in_the_form_that_was_learnt(
    text: str, form: str, expected: str
) -> None:
    """Binary and decimal rounding differ; whole numbers and signs of zero have their own habits."""
    assert expected == answer(text, form)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "2 ** 999999",
        "__import__('os')",
        "1e9",
        "(" * 100 + "1" + ")" * 100,
        "1 / 0",
        7,
        None,
    ],
)
def test_what_is_no_plain_arithmetic_has_no_value(text: object) -> None:
    """Nothing is evaluated as code, and nothing grows without bound."""
    assert calculate(text) is None
    assert answer(text, "decimal_even_2") is None


@given(
    st.lists(st.integers(min_value=-999, max_value=999), min_size=2, max_size=5),
    st.lists(st.sampled_from("+-*"), min_size=4, max_size=4),
)
def test_it_agrees_with_the_language_itself(numbers: list[int], signs: list[str]) -> None:
    """On whole numbers floats, exact values and Python's own parser say the same."""
    text = str(numbers[0]) + "".join(f" {s} {n}" for s, n in zip(signs, numbers[1:], strict=False))
    expected = _evaluate(ast.parse(text, mode="eval").body)

    assert expected == calculate(text)
    assert expected == calculate(text, exact=True)


def _evaluate(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp):
        ways = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
        return int(ways[type(node.op)](_evaluate(node.left), _evaluate(node.right)))
    if isinstance(node, ast.UnaryOp):
        return -_evaluate(node.operand)
    assert isinstance(node, ast.Constant)
    return int(str(node.value))


def test_forms_that_part_ways_are_unknown() -> None:
    """Two ways of rounding fit every example: where they differ, no example says which is right."""
    world = World.from_json(
        {
            "format": "1",
            "tools": {
                "sum": {
                    "kind": "pure",
                    "answer": ["calc", ["arg", "text"], ["stripped_2", "decimal_even_2_stripped"]],
                }
            },
        }
    )

    assert world.session().call("sum", {"text": "2.50 * 2"}).content == "5"
    assert world.session().call("sum", {"text": "38.49 * 0.5"}).source == UNKNOWN


@pytest.mark.parametrize(
    ("learnt", "text", "source"),
    [
        (["stripped_2"], "10 % 3", UNKNOWN),
        (["stripped_2"], "10 // 3", UNKNOWN),
        (["stripped_2"], "2 ** 3", UNKNOWN),
        (["stripped_2"], "10 * 3 / 4", DERIVED),
        (["stripped_2", "%"], "10 % 3", DERIVED),
        (["stripped_2", "%"], "10 // 3", UNKNOWN),
    ],
)
def test_a_rare_sign_is_answered_only_where_one_was_seen(
    learnt: list[str], text: str, source: str
) -> None:
    """Many calculators refuse remainders and powers, or mean a percentage."""
    answer = ["calc", ["arg", "text"], *learnt]
    world = World.from_json({"format": "1", "tools": {"sum": {"kind": "pure", "answer": answer}}})
    assert world.session().call("sum", {"text": text}).source == source


def test_signs_are_learnt_from_calculations_that_succeeded() -> None:
    """A tool that was seen to give remainders gives them; one that was not does not."""

    def world(results: dict[str, str]) -> World:
        steps: list[CleanStep] = [CleanStep(role="user", content="?")]
        for number, (text, result) in enumerate(results.items()):
            call = CleanToolCall(
                call_id=f"c{number}", name="sum", arguments=json.dumps({"text": text})
            )
            steps.append(CleanStep(role="assistant", tool_calls=(call,)))
            steps.append(CleanStep(role="tool", call_id=f"c{number}", content=result))
        one = CleanEpisode(app="a", episode_id="e", started_at=1, steps=tuple(steps))
        return World(learn_world([one], WorldSettings(risk=0)).document)

    few = {"1 + 2": "3", "3 * 4": "12", "9 - 4": "5"}
    plain, shown = world({**few, "12 + 7": "19"}), world({**few, "12 % 7": "5"})
    assert plain.session().call("sum", {"text": "20 + 3"}).content == "23"
    assert plain.session().call("sum", {"text": "20 % 3"}).source == UNKNOWN
    assert shown.session().call("sum", {"text": "20 % 3"}).content == "2"
