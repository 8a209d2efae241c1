"""Judge checks, answered only from recordings: grading never calls a model.

In: the check, the view, and recordings that map a question's key to a judge's reply. Out: the reply's score, or None
where no reply was recorded. The key covers prompt, scale and the evidence shown, so that a reply is never used for
another transcript. Not here: asking a judge (`environments.judges` does that, outside the runtime).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .attempt import Json
from .canonical import digest
from .check_view import View, text_of


def judge(args: Mapping[str, Json], view: View, check_id: str) -> tuple[float | None, str]:
    """The recorded judge's answer to this check on exactly this evidence."""
    reply = view.recordings.get(question_key(check_id, args, view))
    if not isinstance(reply, dict):
        return None, "no judge's reply is recorded for this attempt"
    score = reply.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float):
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


def evidence_of(args: Mapping[str, Json], view: View) -> Sequence[str]:
    """What a judge is shown: `visible` (the policy's words to the user, the default), `calls`, or `messages`."""
    look_at = args.get("evidence")
    if look_at == "calls":
        calls = view.normal_calls({})
        return [f"{c.tool} {c.arguments}{' (refused)' if c.failed else ''}" for c in calls]
    if look_at == "messages":
        return [f"{m.get('role')}: {text_of(m)}" for m in view.attempt.messages]
    return view.visible


def scale_of(value: Json) -> tuple[float, float]:
    """The lowest and the highest score of a judge check; 0 and 1 where it names none."""
    if isinstance(value, list) and len(value) == 2:
        low, high = value
        if isinstance(low, int | float) and isinstance(high, int | float) and low < high:
            return float(low), float(high)
    return 0.0, 1.0
