"""Traces of Amazon Bedrock's agents: what the events of `InvokeAgent` say of one invocation, beside the text that it was given.

Comes in: all values of a file, each an invocation with its events in a list under any name. Goes out: the turns of each session. What an agent that works
for another one did stands in the other's calls already and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    return isinstance(value, dict) and bool(_trace_parts(value))


def _trace_parts(invocation: Item) -> list[Item]:
    """What each event of a trace tells, but those of an agent that another one called."""
    lists = [objects_in(one) for one in invocation.values() if isinstance(one, list)]
    parts = [_value_at(event, "trace") or event for events in lists for event in events]
    own = [part for part in parts if len(objects_in(_value_at(part, "callerChain"))) < 2]
    told = [_value_at(_value_at(part, "trace") or part, "orchestrationTrace") for part in own]
    return objects_in(told)


def read(values: Sequence[Json], arrival: Arrival) -> Decoded:
    """Read all invocations of a file as turns."""
    turns = [turn for one in objects_in(list(values)) if (turn := _turn(one)) is not None]
    if turns:
        return turn_records.read(turns, arrival)
    return Decoded(rejected=[refuse(list(values), arrival)])


def _turn(invocation: Item) -> Item | None:
    """One invocation as a turn with its steps; None where nobody asked anything."""
    own = {snake_case(k): v for k, v in invocation.items() if not isinstance(v, dict | list)}
    asked = next((own.pop(key) for key in _ASKED if isinstance(own.get(key), str)), None)
    told = _trace_parts(invocation)
    if asked is None or not told:
        return None
    answers = (_value_at(one, "observation", "finalResponse", "text") for one in told)
    inputs = [inner for one in told if (inner := _value_at(one, "modelInvocationInput"))]
    sent = (load_json(str(_value_at(one, "text")).encode("utf-8", "replace")) for one in inputs)
    return {
        **own,
        "query": asked,
        "answer": next((one for one in answers if isinstance(one, str)), ""),
        "model": next((_value_at(one, "foundationModel") for one in inputs), None),
        "system_prompt": next((text for one in sent if (text := _value_at(one, "system"))), None),
        "steps": _steps(told),
    }


def _value_at(value: Json, *keys: str) -> Any:  # noqa: ANN401 - any JSON
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _objects(value: Json) -> list[Item]:
    return objects_in([*value.values()]) if isinstance(value, dict) else []


def _steps(told: Sequence[Item]) -> list[Item]:
    """Each call with the first that came back behind it, and why it was made."""
    steps: list[Item] = []
    why = None
    for part in told:
        why = _value_at(part, "rationale", "text") or why
        given, seen = _objects(part.get("invocationInput")), _objects(part.get("observation"))
        is_final = _value_at(part, "observation", "finalResponse") is not None
        if given:
            steps.append({**_call(given[0]), "observation": None, "thought": why})
        elif seen and steps and steps[-1]["observation"] is None and not is_final:
            steps[-1]["observation"] = _text(seen[0])
    return steps


def _call(given: Item) -> Item:
    """A call of a function, an operation of an API, or of what the service itself offers."""
    body = _value_at(given, "requestBody", "content")
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
    return told if isinstance(told, str) else json_text(_value_at(told, "text") or seen)


FORMAT: Final = Format(
    name="bedrock_agent_traces",
    title="traces of Bedrock's agents",
    keys=("inputText", "trace", "orchestrationTrace"),
    claims=claims,
    read=read,
    is_whole_file=True,
)
