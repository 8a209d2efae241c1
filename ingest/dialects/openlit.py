"""OpenLIT's content on OpenTelemetry's spans: a prompt in lines that begin with the role, and calls as lists in text beside it."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final

from ingest.dialects.attributes import parsed
from ingest.dialects.messages import Messages, read_messages
from ingest.records.span import Attributes
from ingest.records.text import Json

_SPEAKS: Final = re.compile(r"^(system|developer|user|assistant|tool): ", re.MULTILINE)


def read_prompt(text: Json) -> Messages:
    """The messages of a prompt; of one without roles, the user's."""
    marks = list(_SPEAKS.finditer(text)) if isinstance(text, str) else []
    if not isinstance(text, str) or not marks or marks[0].start():
        return read_messages(text, role="user")
    found = Messages()
    ends = [mark.start() - 1 for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=True):
        said = text[mark.end() : end]
        bare = mark[1] == "assistant" and said == "None"
        found.add(read_messages({"role": mark[1], "content": None if bare else said}, role="user"))
    return found


def read_answer(attributes: Attributes) -> Messages:
    """What the model said, with the calls that it asked for."""
    names = _listed(attributes.get("gen_ai.tool.name"))
    ids = _listed(attributes.get("gen_ai.tool.call.id"))
    given = attributes.get("gen_ai.tool.args")
    listed = parsed(f"[{given}]")
    # Arguments that cannot be told apart are nobody's; the tools' own spans may know them.
    told = listed if isinstance(listed, list) and len(listed) == len(names) else [None] * len(names)
    calls = [
        {"id": one, "name": name, **({} if part is None else {"arguments": part})}
        for name, part, one in zip_longest(names, told, ids[: len(names)])
    ]
    said = attributes.get("gen_ai.content.completion") or None
    return read_messages(
        {"role": "assistant", "content": said, "tool_calls": calls}, role="assistant"
    )


def _listed(value: Json) -> list[str]:
    return value.split(", ") if isinstance(value, str) and value else []
