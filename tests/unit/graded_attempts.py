"""Hand-made attempts at setting an item, and the checks that they are graded by: what several test modules talk about. Not a test module."""

from __future__ import annotations

from collections.abc import Sequence

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.checks.table import evaluate
from environments.runtime.task.attempt import (
    DERIVED,
    Attempt,
    Call,
    EndState,
    Json,
    ToolResult,
)
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.task.verdict import Verdict

SET = canonical_arguments({"item": "A1", "to": 3})


def made(
    name: str = "put",
    *,
    source: str = DERIVED,
    is_error: bool = False,
    message: int = 1,
    **arguments: Json,
) -> Call:
    """One call with its answer."""
    result = ToolResult(content="ok", source=source, is_error=is_error)
    return Call(name=name, arguments=arguments, result=result, message=message)


def attempt(
    *calls: Call,
    said: Sequence[str] = (),
    end: EndState | None = None,
    user: str = "Please set it.",
    stop_reason: str | None = None,
    user_unknown: int = 0,
    tampered: tuple[str, ...] = (),
) -> Attempt:
    """An attempt with these calls and words."""
    talk: list[dict[str, Json]] = [{"role": "user", "content": user}]
    talk += [{"role": "assistant", "content": text} for text in said]
    return Attempt(
        messages=tuple(talk),
        opening=1,
        calls=calls,
        end=end or EndState(),
        stop_reason=stop_reason,
        user_unknown=user_unknown,
        tampered=tampered,
    )


def end_check(**more: Json) -> Check:
    """Accept one end: `put` A1 to 3."""
    args: dict[str, Json] = {
        "ends": [{"id": "e1", "writes": [["put", SET, 1]]}],
        "writes": ["put", "drop"],
        "maybe": ["touch"],
        **more,
    }
    return Check(check_id="end_state", fn="end_state", args=args, required=True)


def grade(*checks: Check, of: Attempt, **more: object) -> Verdict:
    """Grade with these checks."""
    rubric = Rubric(task_id="t", checks=checks)
    return evaluate(rubric, of, task_version="v", **more)  # type: ignore[arg-type]  # test shorthand


def score(check: Check, of: Attempt) -> float | None:
    """The score of one check."""
    return grade(check, of=of).checks[0].score
