"""Reasons and attacks read as sentences: every code the product has, and codes it does not know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from environments.verification.sentences import (
    PROBES,
    REASONS,
    probe_says,
    reason_group,
    reason_says,
)

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"^[a-z]+(?:_[a-z]+)+$")


def test_every_probe_of_the_gate_has_a_sentence() -> None:
    """Names are read from the code that makes probes, so that a new one cannot be forgotten."""
    folder = ROOT / "environments" / "verification"
    text = "".join(
        (folder / f"{n}.py").read_text("utf-8") for n in ("attacks", "mutants", "other_wordings")
    )
    names = set(re.findall(r'name=f?"([a-z_]+)', text)) | set(
        re.findall(r'name = f"([a-z_]+)', text)
    )
    constant = re.findall(r'_probe\("([a-z_]+)"', (folder / "constant.py").read_text("utf-8"))
    names |= {f"constant_{name}" for name in constant}
    assert len(names) > 30
    missing = {n.rstrip("_") for n in names if n != "changes_"} - set(PROBES)
    assert not missing


@pytest.mark.parametrize("code", sorted(REASONS))
def test_a_known_reason_is_a_sentence(code: str) -> None:
    """No code shows through."""
    assert not CODE.match(reason_says(code))
    assert "_" not in reason_says(code)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("pays:claims_success", "it would pay for claiming that everything is done"),
        ("pays:random_calls_3", "it would pay for random calls"),
        ("pays:changes_1_order_id", "it would pay for the good attempt with another order id"),
        ("misses:writes_in_another_order", "it would not pay for the good attempt"),
        ("answer_in_text:told_1", "the task's own text already holds"),
        ("something_new", "something new"),
        ("pays:a_new_attack", "it would pay for a new attack"),
    ],
)
def test_codes_read_as_sentences(code: str, says: str) -> None:
    """Numbers of probes and names of checks are left out; what is not known is shown as words."""
    assert reason_says(code).startswith(says)


def test_alike_reasons_count_together() -> None:
    """The number of a probe and the name of a check say nothing to a reader."""
    assert reason_group("pays:random_calls_3") == "pays:random_calls"
    assert reason_group("pays:changes_2_order_id") == reason_group("pays:changes_1_id")
    assert reason_group("answer_in_text:told_1_2") == "answer_in_text"
    assert reason_group("no_request") == "no_request"
    assert probe_says("changes_2") == "the good attempt with an argument changed"
