"""The common dialogue as an app holds it: what it says, its one tool, and the loop around a plain OpenAI client.

Runs in a client library's own virtual environment, beside a script that turns that library on. `MODEL_URL` is the
stand-in for the model; the stock `OTEL_EXPORTER_OTLP_ENDPOINT` is the receiver.
"""

import json
import os
from collections.abc import Callable
from typing import Any

MODEL_URL = os.environ["MODEL_URL"]
CONVERSATION, USER, MODEL, SYSTEM = "c1", "u1", "m", "Be kind."
SAID = ("Where are my orders A1 and B2?", "Thanks, bye.")

TOOL = {
    "type": "function",
    "function": {
        "name": "find_order",
        "description": "Look an order up.",
        "parameters": {
            "type": "object",
            "properties": {"order": {"type": "string"}},
            "required": ["order"],
            "additionalProperties": False,
        },
    },
}


def find_order(order: str) -> str:
    """Look an order up."""
    if order == "B2" and os.environ.get("TOOL_FAILS"):
        raise LookupError("no such order")
    return json.dumps({"order": order, "state": {"A1": "sent"}.get(order, "unknown")})


def as_it_is(_what: str, work: Callable[[], None]) -> None:
    """A turn without anything around it."""
    work()


def talk(
    client: Any,  # noqa: ANN401 - an OpenAI client, or a library's wrapper of one
    run_tool: Callable[..., str] = find_order,
    around: Callable[[str, Callable[[], None]], None] = as_it_is,
    *,
    stream: bool = False,
) -> None:
    """Two turns of the user; tool calls are run until the model answers."""
    messages: list[Any] = [{"role": "system", "content": SYSTEM}]
    for said in SAID:

        def turn(said: str = said) -> None:
            messages.append({"role": "user", "content": said})
            while calls := _ask(client, messages, stream=stream):
                for call in calls:
                    try:
                        result = run_tool(**json.loads(call["function"]["arguments"]))
                    except LookupError as error:
                        result = str(error)
                    told = {"role": "tool", "tool_call_id": call["id"], "content": result}
                    messages.append(told)

        around(said, turn)


def _ask(client: Any, messages: list[Any], *, stream: bool) -> list[dict[str, Any]]:  # noqa: ANN401 - as above
    asked = {"model": MODEL, "messages": list(messages), "tools": [TOOL]}
    if stream:
        answer = _gathered(client.chat.completions.create(**asked, stream=True))
    else:
        made = client.chat.completions.create(**asked).choices[0].message
        answer = {
            "content": made.content,
            "tool_calls": [c.model_dump() for c in made.tool_calls or ()],
        }
    messages.append({"role": "assistant", **{key: value for key, value in answer.items() if value}})
    return answer["tool_calls"]


def _gathered(chunks: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """A streamed answer put together."""
    text, calls = "", {}
    for chunk in chunks:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for piece in choice.delta.tool_calls or ():
                call = calls.setdefault(
                    piece.index,
                    {"id": "", "type": "function", "function": {"name": "", "arguments": ""}},
                )
                call["id"] += piece.id or ""
                call["function"]["name"] += piece.function.name or ""
                call["function"]["arguments"] += piece.function.arguments or ""
    return {"content": text, "tool_calls": list(calls.values())}
