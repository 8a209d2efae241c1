"""Calls in the prose of the ReAct form: `Thought: …`, `Action: find`, `Action Input: {…}`, `Observation: …`, `Final Answer: …`.

CrewAI and the ReAct agents of LlamaIndex and LangChain let any model call tools so. Comes in: a reading. Goes out: the same with calls,
results and answers as what they are; a thought is reasoning. Also here: what a user said inside a prompt that is a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from ingest.dialects.attributes import arguments_of, parsed_call
from ingest.dialects.reading import Reading
from ingest.dialects.tool_schemas import read_tools
from ingest.formats.records.words import role_of
from ingest.records.episode import Step, ToolCall
from ingest.records.text import Json

_ACTION: Final = re.compile(
    r"\s*(?:Thought:.*?\n[ \t]*)?Action:[ \t]*(?P<name>\S[^\n]{0,127}?)[ \t]*\n\s*Action Input:\s*(?P<given>.*?)"
    r"(?:\n[ \t]*Observation:[ \t]*(?P<gave>.*))?",
    re.DOTALL,
)
_ANSWER: Final = re.compile(r"\s*Thought:.*?\n[ \t]*(?:Final )?Answer:\s*(?P<said>.*)", re.DOTALL)
_OBSERVED: Final = re.compile(r"\s*Observation:[ \t]*(?P<gave>.*)", re.DOTALL)
_DEFINED: Final = re.compile(r"^[> ]*Tool Name:[ \t]*(\S+)[ \t]*$", re.MULTILINE)
_GIVEN: Final = re.compile(r"^Tool Arg(?:ument)?s:[ \t]*(\{.*\})[ \t]*$", re.MULTILINE)
_DESCRIBED: Final = re.compile(r"^Tool Description:[ \t]*(.*)", re.MULTILINE)
"""How such a prompt offers a tool; its arguments are a schema, or the properties of one."""
_OF_USERS: Final = frozenset({"message", "question", "query"})
"""What a user's words are called where nothing says whose they are."""


def with_calls_in_prose(reading: Reading) -> Reading:
    """A model call whose messages are calls and results where their words are in that form."""
    if not any("Thought:" in (step.content or "") for step in (*reading.input, *reading.output)):
        return reading
    given, made = (
        tuple(chain(*map(_steps_in_prose, side))) for side in (reading.input, reading.output)
    )
    is_plain = (given, made) == (reading.input, reading.output)
    flags = reading.flags | (set() if is_plain else {"reasoning_left_out"})
    prompts = (step.content or "" for step in given if step.role in {"system", "user"})
    tools = reading.tools or tuple(chain(*map(_tools_in_prose, prompts)))
    return replace(reading, input=given, output=made, flags=flags, tools=tools)


def _tools_in_prose(prompt: str) -> list[str]:
    marks = list(_DEFINED.finditer(prompt))
    ends = [mark.start() for mark in marks[1:]] + [len(prompt)]
    told = []
    for mark, end in zip(marks, ends, strict=False):
        given, described = (form.search(prompt, mark.end(), end) for form in (_GIVEN, _DESCRIBED))
        schema = parsed_call(given[1]) if given else None
        if isinstance(schema, dict) and "properties" not in schema:
            schema = {"type": "object", "properties": schema}
        about = described[1].strip() if described else None
        told.append({"name": mark[1], "description": about, "parameters": schema})
    return read_tools(told)


def _steps_in_prose(step: Step) -> Iterator[Step]:
    text = step.content or ""
    action, answer, gave = (form.fullmatch(text) for form in (_ACTION, _ANSWER, _OBSERVED))
    given = action["given"].strip(" \n`") if action else ""
    if step.role == "user" and gave:
        yield replace(step, role="tool", content=gave["gave"])
    elif step.role != "assistant" or step.tool_calls:
        yield step
    elif action and isinstance(parsed_call(given), dict):
        call = ToolCall(call_id="", name=action["name"], arguments=arguments_of(given))
        yield replace(step, content=None, tool_calls=(call,))
        if action["gave"] is not None:
            yield replace(step, role="tool", content=action["gave"].strip())
    else:
        yield replace(step, content=answer["said"]) if answer and not action else step


def words_in_template(prompt: str, given: dict[str, Json]) -> str | None:
    """What the user said, where of what its function was called with a prompt holds only that and what was said before: a template, filled in."""
    texts = {name: text.strip() for name, text in given.items() if isinstance(text, str)}
    held = {name: text for name, text in texts.items() if text and text in prompt}
    # Before the first turn nothing was said.
    past = [name for name, text in texts.items() if "history" in name and text in prompt]
    words = [text for name, text in held.items() if name in _OF_USERS or role_of(name) == "user"]
    return words[0] if past and len(words) == len(held.keys() - {*past}) == 1 else None
