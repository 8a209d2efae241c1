"""Rounds with a model as a harness keeps them: what it was sent, what it wrote, and what came of that, one object a round.

Comes in: the items of a list. Goes out: messages, the first of what was sent and then only what is new; none where a round lacks one of the three,
or does not begin as the first one: then each was asked something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.formats.records.text_calls import SHELL
from ingest.formats.records.words import NAMES, snake_case
from ingest.records.call_names import RESULTS
from ingest.records.text import Json, json_text

_SENT: Final = frozenset({"input", "prompt"})
_WROTE: Final = frozenset({"response", "completion", "reply", "generation"})
_LABEL: Final = re.compile(r"(?:\A|\n)[ \t*#]*\w+[ \t*]*:[ \t]*(?:```\w*\n)?\Z")
_STOPPED: Final = re.compile(r"\s*<[A-Z]{2,12}>\s*\Z")
"""The mark that stopped the model."""


def messages_of_rounds(items: Sequence[Json]) -> list[dict[str, Any]]:
    """The messages of rounds with a model."""
    told: list[dict[str, Any]] = []
    first = ""
    for number, item in enumerate(items):
        own = {snake_case(key): one for key, one in item.items()} if isinstance(item, dict) else {}
        ends = {key: key.rpartition("_")[2] for key in own}
        sent = next((_text(own[key]) for key in own if ends[key] in _SENT), "")
        wrote = next((_text(own[key]) for key in own if ends[key] in _WROTE), "")
        came = next((key for key in own if ends[key] in RESULTS and ends[key] not in _WROTE), None)
        first = first or sent.strip()
        if not wrote or not first or came is None or not sent.strip().startswith(first):
            return []
        told += [] if told else [{"role": "user", "content": sent}]
        told += _acted(_STOPPED.sub("", wrote), own[came], number)
    return told


def _acted(wrote: str, came: Json, number: int) -> list[dict[str, Any]]:
    """What a model wrote and what came of it: of a command that the result names and the text holds, else of whatever the text calls."""
    command = first_of(came, "command", "cmd")
    shown = (
        [came[key] for key in ("stdout", "stderr") if came.get(key)]
        if isinstance(came, dict)
        else []
    )
    seen = "\n".join(map(json_text, shown)) if shown or command else _text(came)
    if isinstance(command, str) and command in wrote:
        function = {"name": SHELL, "arguments": json_text({"command": command})}
        call = {"id": f"round_{number}", "type": "function", "function": function}
        said = _LABEL.sub("", wrote.partition(command)[0]).strip() or None
        result = {"role": "tool", "tool_call_id": call["id"], "content": seen}
        return [{"role": "assistant", "content": said, "tool_calls": [call]}, result]
    answer = [{"role": "user", "content": f"Observation: {seen}"}] if seen else []
    return [{"role": "assistant", "content": wrote}, *answer]


def _text(value: Json) -> str:
    """A text, also where it stands in an object that says more of it."""
    told = first_of(value, "value", *NAMES["said"]) if isinstance(value, dict) else value
    return "" if told is None else json_text(told)
