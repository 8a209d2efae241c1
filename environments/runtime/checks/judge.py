"""Judge checks, answered only from recordings: grading never calls a model.

In: the check, the view, and recordings that map a question's key to a judge's reply. Out: the reply's score, or None
where no reply was recorded. The key covers prompt, scale and the evidence shown, so that a reply is never used for
another transcript. Not here: asking a judge (`environments.judges` does that, outside the runtime).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..task.attempt import Json
from ..values.canonical import canonical, digest
from ..values.normal import is_number
from .view import View, text_of


def judge(args: Mapping[str, Json], view: View, check_id: str) -> tuple[float | None, str]:
    """The recorded judge's answer to this check on exactly this evidence."""
    reply = view.recordings.get(question_key(check_id, args, view))
    if not isinstance(reply, dict):
        return None, "no judge's reply is recorded for this attempt"
    score = reply.get("score")
    if not is_number(score):
        return None, "the judge abstained"
    low, high = scale_of(args.get("scale"))
    if not low <= score <= high:
        return None, "the judge's reply is outside its scale"
    return (float(score) - low) / (high - low), "a judge's recorded reply"


def question_key(check_id: str, args: Mapping[str, Json], view: View) -> str:
    """The name of one question to a judge: a hash over the check and the evidence it looks at."""
    shown: list[Json] = list(evidence_of(args, view))
    body: dict[str, Json] = {"check": check_id, "args": dict(args), "evidence": shown}
    return digest(body)[:32]


EVIDENCE: Final[Mapping[str, str]] = {
    "visible": "what the agent says to the user",
    "calls": "the agent's calls",
    "messages": "all messages and the instructions",
    "conversation": "what is said and every call with its answer",
    "written": "what the user says and the texts that the agent writes",
}
"""What a judge may be shown, in words; the first is the default."""


def evidence_of(args: Mapping[str, Json], view: View) -> Sequence[str]:
    """What a judge is shown.

    `visible`: the policy's words to the user. `calls`: its calls. `messages`: all texts, the instructions included.
    `conversation`: what was said after the instructions, and every call with its answer, in order.
    `written`: what the user said and the texts that `argument` of the calls of `tool` held, as they were written.
    """
    look_at = args.get("evidence")
    if look_at == "written":
        said = [f"user: {text_of(m)}" for m in view.attempt.messages if m.get("role") == "user"]
        texts = [
            call.arguments.get(str(args.get("argument")))
            for call in view.attempt.calls
            if call.name == args.get("tool") and not call.result.is_error
        ]
        return [*said, *(f"text: {text}" for text in texts if isinstance(text, str))]
    if look_at == "calls":
        calls = view.normal_calls({})
        return [f"{c.tool} {c.arguments}{' (refused)' if c.failed else ''}" for c in calls]
    if look_at == "messages":
        return [f"{m.get('role')}: {text_of(m)}" for m in view.attempt.messages]
    if look_at == "conversation":
        return _conversation(view)
    return view.visible


def _conversation(view: View) -> list[str]:
    """Words and calls in order; several calls of one message read as the same calls one by one do."""
    made: dict[int, list[str]] = {}
    for call in view.attempt.calls:
        side = "user" if call.by_user else "assistant"
        line = f"{side} calls {call.name} {canonical(dict(call.arguments))}: {call.result.content}"
        made.setdefault(call.message, []).append(line)
    found: list[str] = []
    for index, message in enumerate(view.attempt.messages):
        role, calls = message.get("role"), message.get("tool_calls")
        # Not every protocol carries the words beside a call, and the user never sees them.
        if role in {"user", "assistant"} and not calls and text_of(message).strip():
            found.append(f"{role}: {text_of(message)}")
        found += made.get(index, [])
    return found


def scale_of(value: Json) -> tuple[float, float]:
    """The lowest and the highest score of a judge check; 0 and 1 where it names none."""
    if isinstance(value, list) and len(value) == 2:
        low, high = value
        if isinstance(low, int | float) and isinstance(high, int | float) and low < high:
            return float(low), float(high)
    return 0.0, 1.0
