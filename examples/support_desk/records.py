"""What the app writes to files: chat-log lines, outcome rows for the CSV, and the truth, which nobody may feed back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from examples.support_desk.conversation import Conversation, Said
from examples.support_desk.feedback import Feedback
from examples.support_desk.request import Request
from examples.support_desk.truth import Judgement
from examples.support_desk.variant import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One conversation with all that is known about it."""

    app: str
    mode: str
    variant: int
    seed: int
    started: datetime
    policy: str
    talk: Conversation
    request: Request
    judgement: Judgement
    feedback: Sequence[Feedback]


def chat_log_line(held: Held, outcomes: Sequence[Feedback]) -> dict[str, Json]:
    """The conversation as a line of a chat log."""
    session = held.talk.session
    line: dict[str, Json] = {
        "episode_id": session.conversation_id,
        "app": held.app,
        "agent": session.agent,
        "model": session.model,
        "started_at": iso(held.started),
        "user_id": session.user_id,
        "tools": list(held.talk.tools),
        "messages": [_message(said) for said in held.talk.said],
    }
    if session.task_key is not None:
        line["task_key"] = session.task_key
    if outcomes:
        line["outcomes"] = [
            {"name": o.name, "value": o.value, "by": o.by, "at": iso(o.at)} for o in outcomes
        ]
    return line


def _message(said: Said) -> Json:
    extra: dict[str, Json] = {"time": iso(said.at)}
    if said.is_error is not None:
        extra["is_error"] = said.is_error
    message: dict[str, Json] = {**said.message, "tg": extra}
    return message


def csv_row(held: Held, feedback: Feedback) -> list[str]:
    """`conversation_id,name,value,at,by`."""
    conversation_id = held.talk.session.conversation_id
    return [conversation_id, feedback.name, f"{feedback.value:g}", iso(feedback.at), feedback.by]


def truth_line(held: Held) -> dict[str, Json]:
    """What really happened, for whoever measures the product."""
    session, judgement = held.talk.session, held.judgement
    return {
        "conversation_id": session.conversation_id,
        "app": held.app,
        "mode": held.mode,
        "variant": held.variant,
        "seed": held.seed,
        "policy": held.policy,
        "request": held.request.key,
        "kind": held.request.kind,
        "customer_id": held.request.customer_id,
        "resolved": judgement.resolved,
        "end_state": judgement.end_state,
        "told": judgement.told,
        "confirmed": judgement.confirmed,
        "changes_something": any(held.request.truth.accepted),
        "accepted": [
            [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]
            for calls in held.request.truth.accepted
        ],
    }


def dumps(line: dict[str, Json]) -> str:
    """One line of JSON."""
    return json.dumps(line, ensure_ascii=False) + "\n"


def iso(moment: datetime) -> str:
    """A moment with milliseconds in UTC."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
