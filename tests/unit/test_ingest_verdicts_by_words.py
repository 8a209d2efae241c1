"""Verdicts at any depth beside a conversation: what judges by its words, and what looks alike and does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_ingest_records import ANSWER, ASKED, only, read

Found = list[tuple[str, float | None, str | None]]
MESSAGES = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWER}]


def told(tmp_path: Path, beside: dict[str, Any]) -> Found:
    """The outcomes of one conversation that has these fields."""
    chat = only(read(tmp_path, {"messages": MESSAGES, **beside}))
    return [(one.name, one.value, one.label) for one in chat.outcomes]


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ({"ticket": {"closed": {"resolved_by_bot": False}}}, [("resolved_by_bot", 0.0, None)]),
        ({"wrap": {"disposition": "Unresolved - hung up"}}, [("disposition", None, "Unresolved - hung up")]),
        ({"customer_satisfaction": "95 %", "confidence": "14 %"}, [("customer_satisfaction", 95.0, None)]),
        ({"review": {"rating": "★★★☆☆"}}, [("rating", 3.0, None)]),
        ({"How satisfied were you?": "Very dissatisfied"}, [("How satisfied were you?", None, "Very dissatisfied")]),
        ({"eval.correctness.label": "incorrect", "eval.toxicity.score": 1}, [("eval.correctness.label", None, "incorrect")]),
        ({"evaluation": {"GoalSuccessRate": 1, "success_rate": 0.4}}, [("goal_success_rate", 1.0, None)]),
        ({"job": "nightly", "failed": True}, [("failed", 1.0, None)]),
        ({"survey": {"goal_reached": False, "limit_reached": True}}, [("goal_reached", 0.0, None)]),
        ({"csat": 4, "conversation": {"resolution": "solved", "channel": "web"}}, [("csat", 4.0, None), ("resolution", None, "solved")]),
        ({"csat": 4, "ticket": {"resolution": "resolved_by_bot"}}, [("csat", 4.0, None), ("resolution", None, "resolved_by_bot")]),
        ({"csat": 4, "ticket": {"resolution": "resolved_by_staff"}}, [("csat", 4.0, None)]),
        ({"reward": 1, "ticket": {"resolution": "solved"}}, [("reward", 1.0, None)]),
        ({"scores": {"latency_s": 3.2, "total_tokens": 90, "helped": 1}}, [("helped", 1.0, None)]),
        ({"score": {"score": 8, "out_of": 10}}, [("score", 0.8, None)]),
        ({"score": {"score": 8, "out_of": 10, "comment": "ok", "final": True}}, [("score", 0.8, None)]),
        ({"qa": {"overall": {"result": "Pass", "points": 95}}}, [("overall.result", None, "Pass")]),
        ({"success": {"passed": True, "total": 4}}, [("success", 1.0, None), ("passed", 1.0, None)]),
        ({"judge": {"verdict": "PASS", "model": "j"}}, [("judge", None, "PASS")]),
        ({"played": {"rewards": [0.1, 0.7, 0.3]}, "end": {"max_reward": 0.7, "max_reward_idx": 1}}, [("rewards", 0.7, None)]),
        ({"played": {"rewards": [0.1, 0.7, 0.3]}, "end": {"max_reward": 1}}, [("rewards", 0.3, None)]),
        (
            {"feedback": [{"key": "latency_score", "score": 0.4}, {"key": "user_score", "score": 1}]},
            [("latency_score", 0.4, None), ("user_score", 1.0, None)],
        ),
        (
            {"marks": [{"name": "User feedback", "value": 1.0}, {"name": "hallucination", "value": 0.0}]},
            [("User feedback.value", 1.0, None)],
        ),
    ],
)  # fmt: skip
def test_what_judges_by_its_words_is_an_outcome(
    tmp_path: Path, beside: dict[str, Any], expected: Found
) -> None:
    """A name or a value says it, wherever it stands and whatever encloses it."""
    assert told(tmp_path, beside) == expected


@pytest.mark.parametrize(
    "beside",
    [
        {"status": "completed", "run_status": "success", "side": "right"},
        {"risk_score": 4, "sentiment": "negative", "lead": {"lead_score": 72}},
        {"ces": {"question": "How much effort?", "score": 5}},
        {"review": {"done": False, "minutes": 7}},
        {"llm": {"log_completions": True}, "settings": {"passed": True}},
        {"survey": {"sent": True, "scale": 5}, "prompt_quality": "bad"},
        {"turns": [{"side": "right"}], "sla_met": False},
        {"task_key": "gates/zip-pass", "run": {"model_name": "desk-good"}},
    ],
)
def test_what_only_looks_alike_is_none(tmp_path: Path, beside: dict[str, Any]) -> None:
    """How a program ended, a mood, an effort, a setting: none says what the user got."""
    assert told(tmp_path, beside) == []


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([{"rating": 1}, {"rating": 0}], [("rating", 0.0, None)]),
        ([{"feedback": "up"}, {"feedback": 0}], [("feedback", 0.0, None)]),
        ([{"feedback": "up"}, {"feedback": None}], [("feedback", None, "up")]),
        ([{"feedback": "up"}, {}], [("feedback", None, "up")]),
        ([{"feedback": False}], [("feedback", 0.0, None)]),
        ([{"rating": 0}, {"rating": -1}, {"rating": 0}], [("rating", -1.0, None)]),
    ],
)
def test_the_last_mark_on_an_answer_counts(
    tmp_path: Path, marks: list[dict[str, Any]], expected: Found
) -> None:
    """A mark of 0 is one, unless marks go below it; a missing one says nothing."""
    talk = [m for one in marks for m in (MESSAGES[0], MESSAGES[1] | one)]
    chat = only(read(tmp_path, {"messages": talk}))
    assert [(one.name, one.value, one.label) for one in chat.outcomes] == expected
