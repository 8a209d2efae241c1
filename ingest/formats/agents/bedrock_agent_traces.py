"""Traces of Amazon Bedrock's agents: what the events of `InvokeAgent` say of one invocation, beside the text that it was given.

Comes in: all values of a file, each an invocation with its events in a list under any name. Goes out: the turns of each session. What an agent that works
for another one did stands in the other's calls already and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.formats import turn_records
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import QUESTION
from ingest.formats.records.words import snake_case
from ingest.formats.unknown import refuse
from ingest.otlp.record import Arrival
from ingest.records.text import Json, json_text, load_json, objects_in

_ASKED: Final = ("input_text", *QUESTION)
_NO_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]+")

Item = dict[str, Any]


def claims(value: Json) -> bool:
    """Whether a value is an invocation with the events of its trace."""
    return isinstance(value, dict) and bool(_told(value))


def _told(invocation: Item) -> list[Item]:
    """What each event of a trace tells, but those of an agent that another one called."""
    lists = [objects_in(one) for one in invocation.values() if isinstance(one, list)]
    parts = [_below(event, "trace") or event for events in lists for event in events]
    own = [part for part in parts if len(objects_in(_below(part, "callerChain"))) < 2]
    told = [_below(_below(part, "trace") or part, "orchestrationTrace") for part in own]
    return objects_in(told)


def read(values: Sequence[Json], arrival: Arrival) -> Decoded:
    """Read all invocations of a file as turns."""
    turns = [turn for one in objects_in(list(values)) if (turn := _turn(one)) is not None]
    if not turns:
        return Decoded(rejected=[refuse(list(values), arrival)])
    return turn_records.read(turns, arrival)


def _turn(invocation: Item) -> Item | None:
    """One invocation as a turn with its steps; None where nobody asked anything."""
    own = {snake_case(k): v for k, v in invocation.items() if not isinstance(v, dict | list)}
    asked = next((own.pop(key) for key in _ASKED if isinstance(own.get(key), str)), None)
    told = _told(invocation)
    if asked is None or not told:
        return None
    answers = (_below(one, "observation", "finalResponse", "text") for one in told)
    inputs = [inner for one in told if (inner := _below(one, "modelInvocationInput"))]
    prompts = (load_json(str(_below(one, "text")).encode("utf-8", "replace")) for one in inputs)
    return {
        **own,
        "query": asked,
        "answer": next((one for one in answers if isinstance(one, str)), ""),
        "model": next((_below(one, "foundationModel") for one in inputs), None),
        "system_prompt": next((text for one in prompts if (text := _below(one, "system"))), None),
        "steps": list(_steps(told)),
    }


def _below(value: Json, *keys: str) -> Any:  # noqa: ANN401 - any JSON
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _objects(value: Json) -> list[Item]:
    return objects_in([*value.values()]) if isinstance(value, dict) else []


def _steps(told: Sequence[Item]) -> Iterator[Item]:
    """Each call with what came back before the next one, and why it was made."""
    step, why = Item(), None
    for part in told:
        why = _below(part, "rationale", "text") or why
        given, seen = _objects(part.get("invocationInput")), _objects(part.get("observation"))
        if given:
            yield from [step] if step else []
            step, why = {**_call(given[0]), "observation": None, "thought": why}, None
        elif seen and step and _below(part, "observation", "finalResponse") is None:
            yield {**step, "observation": _text(seen[0])}
            step = {}
    yield from [step] if step else []


def _call(given: Item) -> Item:
    """A call of a function, an operation of an API, or of what the service itself offers."""
    body = _below(given, "requestBody", "content")
    listed = [given.get("parameters"), *(body.values() if isinstance(body, dict) else ())]
    named = {str(one.get("name")): one.get("value") for each in listed for one in objects_in(each)}
    path = given.get("apiPath") and f"{given.get('verb', '')}{given['apiPath']}"
    name = given.get("function") or path or given.get("agentCollaboratorName")
    service = "knowledge_base" if "knowledgeBaseId" in given else "code_interpreter"
    rest = {key: given[key] for key in ("text", "input", "code") if key in given}
    return {"tool": _NO_NAME.sub("_", str(name or service)), "arguments": named or rest}


def _text(seen: Item) -> str:
    """What came back, as text."""
    told = first_of(seen, "text", "executionOutput", "output")
    return told if isinstance(told, str) else json_text(_below(told, "text") or seen)


FORMAT: Final = Format(
    name="bedrock_agent_traces",
    title="traces of Bedrock's agents",
    keys=("inputText", "trace", "orchestrationTrace"),
    claims=claims,
    read=read,
    is_whole_file=True,
)
