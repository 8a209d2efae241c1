"""OpenTelemetry's GenAI semantic conventions, content on spans (1.37 and later, and the older attribute forms).

Also the base for dialects that follow them with small deviations (Microsoft's Agent Framework, Google's ADK 2,
pydantic-ai, OpenLLMetry from 0.60). Content in log events and span events: `otel_genai_events`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import cycle, takewhile, zip_longest
from typing import Any, Final

from ingest.dialects.attributes import arguments_of, first_text, first_value, is_elided, parsed
from ingest.dialects.evaluation import read_evaluation
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, exchanged, read_messages, settle_output, with_calls
from ingest.dialects.parts import without_object
from ingest.dialects.reading import (
    AGENT,
    DUPLICATE,
    EVALUATOR,
    MODEL,
    OTHER,
    TOOL,
    Dialect,
    Reading,
    Statement,
)
from ingest.dialects.tool_output import read_output
from ingest.dialects.tool_schemas import read_tools
from ingest.records.episode import Step
from ingest.records.span import Attributes, Span
from ingest.records.text import Json

NAME: Final = "otel_genai"

KIND_OF_OPERATION: Final = {
    **dict.fromkeys(("chat", "generate_content", "text_completion", "completion"), MODEL),
    **dict.fromkeys(("generate", "response", "llm_call"), MODEL),
    **dict.fromkeys(("execute_tool", "tool_call", "tool.execute"), TOOL),
    **dict.fromkeys(("invoke_agent", "invoke_workflow", "agent_call", "chat_client"), AGENT),
    "evaluate": EVALUATOR,
    # Azure's agents, whose thread is told as it grows, and listed whole; Mastra before it followed the convention.
    **dict.fromkeys(("create_message", "process_thread_run", "list_messages"), MODEL),
    **dict.fromkeys(("model.step", "model_step", "model_generation"), MODEL),
    **dict.fromkeys(("create_agent", "agent.run", "agent_run"), AGENT),
}
_STEPS: Final = ("model.step", "model_step")
_ARGUMENTS, _RESULT = (
    [f"{of}{name}" for of in ("gen_ai.tool.", "spring.ai.tool.") for name in names]
    for names in (("call.arguments", "arguments", "input"), ("call.result", "result", "output"))
)
"""What tells what a run was given and what it gave; the convention's own name first."""
_OF_DEFINITION: Final = ("name", "description", "schema")
_OF_GEMINI: Final = frozenset({"gcp.gemini", "gcp.gen_ai", "gcp.vertex_ai", "gemini", "vertex_ai"})
_LISTS: Final = "list_messages"
_NEW_ALONE: Final = ("create_message", "process_thread_run", _LISTS)
"""Operations that tell what was said in them, and nothing of what was said before."""

_OUT_OF_BAND: Final = [
    f"gen_ai.{side}.messages{end}" for side in ("input", "output") for end in ("_ref", ".ref")
]


def claims(span: Span) -> bool:
    """Whether the span follows the convention."""
    attributes = span.attributes
    return (
        "gen_ai.operation.name" in attributes
        or "gen_ai.tool.name" in attributes
        or ("gen_ai.input.messages" in attributes or "gen_ai.output.messages" in attributes)
        or _operation(attributes) in _STEPS
    )


def read(span: Span) -> Reading:
    """Read one span."""
    return read_as(span, NAME)


def read_as(span: Span, dialect: str) -> Reading:
    """Read one span on behalf of a dialect that follows the convention."""
    attributes = span.attributes
    kind = kind_of(attributes)
    messages = read_content(attributes)
    fields: dict[str, Any] = identity(span)
    if kind == TOOL:
        fields.update(read_tool(attributes))
        fields["is_error"] = fields["is_error"] or has_failed(span)
    elif kind == AGENT and fields["agent"] is None:
        # The convention's name for the span is `invoke_agent {agent}`.
        prefix, _, name = span.name.partition(" ")
        fields["agent"] = name or None if prefix == "invoke_agent" else None
    return Reading(
        kind=kind,
        dialect=dialect,
        input=tuple(messages.given.steps),
        output=tuple(messages.made.steps),
        tools=tuple(messages.tools),
        flags=frozenset(messages.given.flags | messages.made.flags | _absent(attributes)),
        said=tuple(statements(span)),
        is_turn=attributes.get("gen_ai.operation.name") in _NEW_ALONE,
        **fields,
    )


def reading_of(
    span: Span,
    given: Messages,
    made: Messages,
    said: Iterable[Statement] = (),
    **fields: Any,  # noqa: ANN401 - the other fields of a reading
) -> Reading:
    """What a span of a dialect with messages of its own says, with the convention's statements on it."""
    told = exchanged(given, made)
    return Reading(**told, tools=tuple(given.tools), said=(*said, *statements(span)), **fields)


def newest_listed(span: Span, reading: Reading) -> Reading:
    """A reading; of a span that lists a thread, from either end, what the agent said last."""
    if span.attributes.get("gen_ai.operation.name") != _LISTS:
        return reading
    listed = [step for step in reading.input if step.content]
    newest_first = listed if listed and listed[0].role == "assistant" else listed[::-1]
    said = tuple(takewhile(lambda step: step.role == "assistant", newest_first))[::-1]
    return replace(reading, kind=MODEL if said else DUPLICATE, input=(), output=said)


def makes_agent(span: Span) -> bool:
    """Whether a span tells how an agent was made, once for all its conversations."""
    return span.attributes.get("gen_ai.operation.name") == "create_agent"


def kind_of(attributes: Attributes) -> str:
    """What the span is, by its operation, else by what it carries."""
    operation = _operation(attributes)
    if operation in KIND_OF_OPERATION:
        return KIND_OF_OPERATION[operation]
    if operation is not None:
        return OTHER
    if "gen_ai.tool.name" in attributes:
        return TOOL
    return MODEL if "gen_ai.output.messages" in attributes else OTHER


def _operation(attributes: Attributes) -> str | None:
    return first_text(attributes, ("spring.ai.kind", "gen_ai.operation.name", "mastra.span.type"))


_GIVEN: Final = ("gen_ai.input.messages", "gen_ai.prompt")
_MADE: Final = ("gen_ai.output.messages", "gen_ai.completion", "gen_ai.content.completion")
_SPEAKS: Final = re.compile(r"^(system|developer|user|assistant|tool): ", re.MULTILINE)
_PLACE: Final = re.compile(r"(.+)_[0-9]+")


def without_places(steps: list[Step]) -> list[Step]:
    """Steps without ids that are a tool's name and a place in its message: the same call has another one elsewhere."""
    names = {c.name for s in steps for c in s.tool_calls if _named_in(c.call_id) == c.name}
    return [_without_place(step, names) for step in steps]


def _named_in(call_id: str | None) -> str | None:
    found = _PLACE.fullmatch(call_id or "")
    return found[1] if found else None


def _without_place(step: Step, names: set[str]) -> Step:
    if step.role == "tool":
        name = _named_in(step.call_id)
        named = replace(step, call_id=None, tool_name=step.tool_name or name)
        return named if name in names else step
    if not any(_named_in(c.call_id) == c.name for c in step.tool_calls):
        return step
    calls = (
        replace(c, call_id="") if _named_in(c.call_id) == c.name else c for c in step.tool_calls
    )
    return replace(step, tool_calls=tuple(calls))


@dataclass(frozen=True, slots=True)
class Content:
    """The messages that went into a model call and the ones that came out."""

    given: Messages
    made: Messages
    tools: list[str]


def read_prompt(value: Json) -> Messages:
    """What a model was given; OpenLIT writes its messages into one text, each after its role, Spring AI lists their texts alone."""
    if isinstance(value, list) and len(value) > 1 and all(isinstance(one, str) for one in value):
        return _by_place(value)
    if not isinstance(value, str) or not _SPEAKS.match(value):
        return read_messages(value, role="user")
    marks = list(_SPEAKS.finditer(value))
    found = Messages()
    ends = [mark.start() - 1 for mark in marks[1:]] + [len(value)]
    for mark, end in zip(marks, ends, strict=True):
        said = value[mark.end() : end]
        bare = mark[1] == "assistant" and said == "None"
        found.add(read_messages({"role": mark[1], "content": None if bare else said}, role="user"))
    return found


def _by_place(texts: list[str]) -> Messages:
    """Bare texts of a request: it ends with the user's or with results, which are empty here, so that an even number begins with the prompt."""
    said = texts[1:] if len(texts) % 2 == 0 else texts
    turns = zip(said, cycle(("user", "assistant")), strict=False)
    steps = [Step(role=role, content=text) for text, role in turns if text]
    system = [Step(role="system", content=texts[0])] if said is not texts else []
    return Messages(steps=[*system, *steps])


def _listed_calls(attributes: Attributes) -> list[dict[str, Json]]:
    """The calls that OpenLIT lists beside an answer; arguments that cannot be told apart are nobody's."""
    held = (attributes.get(f"gen_ai.tool.{key}", "") for key in ("name", "call.id"))
    names, ids = (one if isinstance(one, list) else str(one).split(", ") for one in held)
    if not all(isinstance(one, str) and one.strip() for one in names):
        return []
    told = parsed(f"[{attributes.get('gen_ai.tool.args')}]")
    given = told if isinstance(told, list) and len(told) == len(names) else []
    rows = zip_longest(names, ids[: len(names)], given)
    return [dict(zip(("name", "id", "arguments"), row, strict=True)) for row in rows]


def read_content(attributes: Attributes) -> Content:
    """The content attributes of a span or a log event, as JSON text or as values."""
    given = Messages()
    instructions = first_value(attributes, ("gen_ai.system_instructions", "system_prompt"))
    if instructions:
        quoted = parsed(instructions)  # Strands writes the prompt as JSON
        given.add(read_messages(quoted if isinstance(quoted, str) else instructions, role="system"))
        for index, step in enumerate(given.steps):
            if step.role != "system":
                given.steps[index] = type(step)(role="system", content=step.content)
    told = read_messages(first_value(attributes, _GIVEN), role="user")
    if not told.steps:
        told.add(read_prompt(attributes.get("gen_ai.content.prompt")))
    if told.steps[: len(given.steps)] == given.steps:
        given.steps = []  # some clients send the instructions in both places
    given.add(told)
    is_step = _operation(attributes) in _STEPS
    keys = ("output", "mastra.model_step.output") if is_step else _MADE
    made = read_messages(first_value(attributes, keys), role="assistant")
    if "gen_ai.tool.args" in attributes:
        listed = {"role": "assistant", "tool_calls": _listed_calls(attributes)}
        made.steps = with_calls(made.steps, read_messages(listed, role="assistant").steps)
    made.steps = settle_output(made.steps)
    given.steps, made.steps = map(without_places, (given.steps, made.steps))
    if first_text(attributes, ("gen_ai.provider.name", "gen_ai.system")) in _OF_GEMINI:
        given.steps = [*map(without_object, given.steps)]
    tools = read_tools(first_value(attributes, ("gen_ai.tool.definitions", "gen_ai.request.tools")))
    return Content(given, made, tools or given.tools or _defined(attributes))


def _defined(attributes: Attributes) -> list[str]:
    """The definition of the tool that ran, as Spring AI tells it there."""
    told = {key: attributes.get(f"spring.ai.tool.definition.{key}") for key in _OF_DEFINITION}
    return read_tools([told]) if told["schema"] else []


def read_tool(attributes: Attributes) -> dict[str, Any]:
    """The fields of a `Reading` that an `execute_tool` span fills."""
    arguments, result = (
        next((attributes[key] for key in keys if attributes.get(key) is not None), None)
        for keys in (_ARGUMENTS, _RESULT)
    )
    told = read_output(result)
    return {
        "call_id": first_text(attributes, ("gen_ai.tool.call.id",)) or told.call_id,
        "tool_name": first_text(attributes, ("gen_ai.tool.name", "spring.ai.tool.definition.name")),
        "arguments": None if arguments is None or is_elided(arguments) else arguments_of(arguments),
        "result": told.text,
        "is_error": told.is_error,
    }


def statements(span: Span) -> list[Statement]:
    """The evaluation events on a span."""
    said = (read_evaluation(one.name, one.attributes, at=one.at) for one in span.events)
    return [one for one in said if one is not None]


def _absent(attributes: Attributes) -> set[str]:
    absent = set()
    if any(key in attributes for key in _OUT_OF_BAND):
        absent.add("content_elsewhere")
    if attributes.get("gen_ai.conversation.compacted") is True:
        absent.add("compacted")
    return absent


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)
MICROSOFT: Final = Dialect(
    name="microsoft_agent",
    claims=lambda span: (
        span.scope == "agent_framework" and "gen_ai.operation.name" in span.attributes
    ),
    read=lambda span: read_as(span, "microsoft_agent"),
)
"""Microsoft's Agent Framework: the conventions under a scope of its own; tools are on the agent's span only."""
