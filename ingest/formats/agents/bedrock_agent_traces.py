"""Traces of Amazon Bedrock's agents: what the events of `InvokeAgent` say of one invocation, beside the text that it was given.

Comes in: all values of a file, each an invocation with its events in a list under any name. Goes out: the turns of each session. What an agent that works
for another one did stands in the other's calls already and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ingest.formats import turn_records
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import QUESTION
from ingest.formats.records.words import snake_case
from ingest.formats.unknown import refuse
from ingest.otlp.record import Arrival
from ingest.records.text import Json, json_text, load_json, objects_in

NAME: Final = "bedrock_agent_traces"
_ASKED: Final = ("input_text", *QUESTION)
_KINDS: Final = ("orchestrationTrace", "failureTrace")
_PATTERN: Final = re.compile(r"[^a-zA-Z0-9_-]+")

Item = dict[str, Any]


def claims(value: Json) -> bool:
    """Whether a value is an invocation with the events of its trace."""
    return isinstance(value, dict) and any(map(_told, _events(value)))


def _events(value: Item) -> list[Item]:
    lists = (objects_in(one) for one in value.values() if isinstance(one, list))
    return next((one for one in lists if any(map(_told, one))), [])


def _told(event: Item) -> Item:
    """What an event of a trace tells, under the name for its kind; nothing of an agent that another one called."""
    part = event.get("trace", event)
    inner = _below(part, "trace") or part
    is_own = len(objects_in(_below(part, "callerChain"))) < 2
    told = {key: _below(inner, key) for key in _KINDS if is_own}
    return {key: one for key, one in told.items() if isinstance(one, dict)}


def read(values: Sequence[Json], arrival: Arrival) -> Decoded:
    """Read all invocations of a file as turns."""
    turns = [turn for one in objects_in(list(values)) if (turn := _turn(one)) is not None]
    if not turns:
        return Decoded(rejected=[refuse(list(values), arrival)])
    return turn_records.read(turns, arrival)


def _turn(invocation: Item) -> Item | None:
    """One invocation as a turn with its steps; None where nobody asked anything."""
    own = {snake_case(k): v for k, v in invocation.items() if not isinstance(v, dict | list)}
    asked = next((own[key] for key in _ASKED if isinstance(own.get(key), str)), None)
    events = _events(invocation)
    told = [part for event in events for part in _told(event).values()]
    if asked is None or not told:
        return None
    answers = [_below(one, "observation", "finalResponse", "text") for one in told]
    answers += [_below(one, "chunk", "bytes") for one in events]
    inputs = [inner for one in told if (inner := _below(one, "modelInvocationInput"))]
    prompts = (load_json(str(_below(one, "text")).encode("utf-8", "replace")) for one in inputs)
    return {
        **{key: one for key, one in own.items() if key not in _ASKED},
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
    step: Item = {}
    why: Json = None
    for part in told:
        why = _below(part, "rationale", "text") or why
        given, seen = _objects(part.get("invocationInput")), _objects(part.get("observation"))
        if given:
            yield from [step] if step else []
            step, why = {**_call(given[0]), "observation": None, "thought": why}, None
        elif seen and step and "finalResponse" not in part["observation"]:
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
    if name is None:
        name = "knowledge_base" if "knowledgeBaseId" in given else "code_interpreter"
    rest = {key: given[key] for key in ("text", "input", "code") if key in given}
    return {"tool": _PATTERN.sub("_", str(name)), "arguments": named or rest}


def _text(seen: Item) -> str:
    """What came back, as text."""
    text = next((seen[key] for key in ("text", "executionOutput") if key in seen), None)
    return text if isinstance(text, str) else json_text(_below(seen, "output", "text") or seen)


FORMAT: Final = Format(
    name=NAME,
    title="traces of Bedrock's agents",
    keys=("inputText", "trace", "orchestrationTrace"),
    claims=claims,
    read=read,
    is_whole_file=True,
)
