"""Short raw conversations for tests of redaction: invented people, invented apps."""

import json
from dataclasses import replace

from ingest.records.episode import Episode, Step, ToolCall, episode_id_of
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy

SECRET = b"a secret for tests only, 32 bytes"


def says(role: str, text: str) -> Step:
    """A message."""
    return Step(role=role, content=text)


def calls(
    name: str, arguments: object, result: object, *, call_id: str = "c1"
) -> tuple[Step, Step]:
    """A tool call and its result."""
    call = ToolCall(call_id=call_id, name=name, arguments=_text(arguments))
    return (
        Step(role="assistant", tool_calls=(call,)),
        Step(role="tool", call_id=call_id, tool_name=name, content=_text(result)),
    )


def texts_past_the_gate(raw: list[Episode]) -> list[str]:
    """All texts of each episode past the gate, as one."""
    learnt = learn(raw, (), policy=Policy())
    done = scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    return [
        "\n".join(
            part
            for step in item.clean.steps
            for part in (step.content or "", *(call.arguments for call in step.tool_calls))
        )
        for item in done
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def episode(conversation: str, *steps: Step, app: str = "app") -> Episode:
    """An episode of the steps."""
    return Episode(
        app=app,
        episode_id=episode_id_of(app, conversation),
        conversation_id=conversation,
        source="test",
        started_at=0,
        steps=steps,
    )


PROFILE = {
    "user_id": "tamsin_okafor_4417",
    "name": {"first_name": "Tamsin", "last_name": "Okafor"},
    "email": "tamsin.okafor88@mail.example.com",
    "phone": "+44 7700 900123",
    "dob": "1984-03-09",
    "address": {"address1": "12 Larkspur Lane", "city": "Norwich", "zip": "48210"},
    "payment_methods": {"credit_card_7719203": {"id": "credit_card_7719203", "last_four": "8812"}},
    "tier": "gold",
    "orders": ["#Z1009"],
}
"""One invented customer as a tool returns her."""


def profile_episode(
    *more: Step,
    conversation: str = "one",
    subject: str | None = None,
    task_key: str | None = None,
    do_not_train: bool = False,
) -> Episode:
    """An episode in which a tool returns the customer's profile."""
    asked = {"user_id": PROFILE["user_id"]}
    plain = episode(conversation, *calls("get_user", asked, PROFILE), *more)
    return replace(plain, subject=subject, task_key=task_key, do_not_train=do_not_train)
