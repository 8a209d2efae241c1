"""A small lending library's support agent, as chat logs: what the pipeline's own tests feed it.

Goes out: chat-log lines with the library's true backend behind every result, readers with personal data, a good agent
and one that gives up. Nothing outside the tests knows these tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIRST = (
    "Marisol",
    "Thaddeus",
    "Ingeborg",
    "Casimir",
    "Philippa",
    "Leocadia",
    "Zebedee",
    "Ottoline",
)
LAST = ("Quackenbush", "Vandersloot", "Featherby", "Okonkwo", "Brzezicki", "Hallorand", "Mwangale")

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": says,
            "parameters": {
                "type": "object",
                "properties": {key: {"type": "string"} for key in keys},
                "required": list(keys),
            },
        },
    }
    for name, says, keys in (
        ("find_reader", "Look up a reader.", ("reader_id",)),
        ("find_loan", "Look up a loan.", ("loan_id",)),
        ("renew_loan", "Renew a loan by a week.", ("loan_id",)),
    )
]


def line(
    number: int, *, good: bool, attempt: int = 0, app: str = "lending", day: int = 1
) -> dict[str, Any]:
    """One conversation about one loan, answered as the library's backend would."""
    first, last = FIRST[number % len(FIRST)], LAST[number % len(LAST)]
    reader_id, loan_id = f"{first.lower()}_{last.lower()}_{1000 + number}", f"L{5000 + number}"
    reader = {
        "reader_id": reader_id,
        "name": {"first_name": first, "last_name": last},
        "email": f"{first.lower()}.{last.lower()}{number}@example.com",
        "loans": [loan_id],
    }
    loan = {"loan_id": loan_id, "reader_id": reader_id, "status": "on loan", "weeks": 2}
    renewed = loan | {"status": "renewed", "weeks": 3}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You help readers of a lending library. Renew at most once."},
        {
            "role": "user",
            "content": f"Hi, I am {first} {last}, id {reader_id}. Please renew {loan_id}.",
        },
        *_call("find_reader", {"reader_id": reader_id}, reader, "a"),
        *_call("find_loan", {"loan_id": loan_id}, loan, "b"),
    ]
    if good:
        messages += _call("renew_loan", {"loan_id": loan_id}, renewed, "c")
        messages.append({"role": "assistant", "content": f"Loan {loan_id} is renewed for 3 weeks."})
    else:
        messages.append({"role": "assistant", "content": "I am sorry, I cannot do that."})
    return {
        "episode_id": f"{app}-{number}-{attempt}",
        "app": app,
        "agent": "desk",
        "model": "m",
        "task_key": f"renew-{number}",
        "started_at": f"2026-03-{day:02d}T{8 + number % 10:02d}:00:00Z",
        "user_id": reader_id,
        "tools": TOOLS,
        "messages": messages,
        "outcome": {"name": "resolved", "value": 1.0 if good else 0.0},
    }


def _call(
    name: str, arguments: dict[str, str], result: object, call_id: str
) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": call_id, "content": json.dumps(result)},
    ]


def lines(readers: int = 8, *, app: str = "lending", day: int = 1) -> Iterator[dict[str, Any]]:
    """A good and a bad attempt at each reader's request."""
    for number in range(readers):
        yield line(number, good=True, app=app, day=day)
        yield line(number, good=False, attempt=1, app=app, day=day)


def write(path: Path, found: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> Path:
    """Write lines to a file."""
    path.write_text("".join(json.dumps(one) + "\n" for one in found), encoding="utf-8")
    return path
