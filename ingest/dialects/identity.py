"""Who and what a span is about: conversation, user, agent, model, consent. The same look-up for every dialect.

The names below are the dialects' own; where two are on one span, the earlier line wins.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import (
    first_integer,
    first_text,
    first_value,
    is_elided,
    parsed,
    text_of,
)
from ingest.records.span import STATUS_ERROR, STATUS_OK, Attributes, Span

CONVERSATION_KEYS: Final = (
    "tracegym.conversation_id",
    "langfuse.session.id",
    "session.id",
    "gen_ai.conversation.id",
    "langfuse.observation.metadata.langfuse_session_id",
    "langfuse.trace.metadata.langfuse_session_id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
    "langsmith.metadata.session_id",
    "langsmith.metadata.thread_id",
    "langsmith.metadata.conversation_id",
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.threadId",
    "ai.telemetry.metadata.conversationId",
    "ai.settings.context.sessionId",
    "mlflow.trace.session",
    "gcp.vertex.agent.session_id",
    "honeyhive.session_id",
    "conversation.id",
)

USER_KEYS: Final = (
    "tracegym.user_id",
    "langfuse.user.id",
    "user.id",
    "enduser.id",
    "enduser.pseudo.id",
    "langfuse.observation.metadata.langfuse_user_id",
    "langfuse.trace.metadata.langfuse_user_id",
    "traceloop.association.properties.user_id",
    "traceloop.association.properties.customer_id",
    "langsmith.metadata.user_id",
    "ai.telemetry.metadata.userId",
    "ai.settings.context.userId",
    "mlflow.trace.user",
    "gen_ai.user",
    "llm.user",
)

AGENT_KEYS: Final = (
    "gen_ai.agent.name",
    "langsmith.metadata.lc_agent_name",
    "traceloop.association.properties.lc_agent_name",
    "agent.name",
    "agent_name",
    "graph.node.name",
)

MODEL_KEYS: Final = (
    "gen_ai.request.model",
    "llm.request.model_name",
    "langfuse.observation.model.name",
    "llm.model_name",
    "ai.model.id",
    "mlflow.llm.model",
    "gen_ai.response.model",
    "llm.response.model_name",
    "ai.response.model",
)

VERSION_KEYS: Final = (
    "gen_ai.agent.version",
    "agent.version",
    "langfuse.release",
    "langfuse.version",
)
"""On the span before the resource: a service may run several agents."""
SERVICE_VERSION: Final = ("gen_ai.agent.version", "service.version")

TASK_KEYS: Final = ("tracegym.task_key", "langfuse.trace.metadata.task_key", "task_key")

CONSENT_KEYS: Final = (
    "tracegym.do_not_train",
    "gen_ai.do_not_train",
    "langfuse.trace.metadata.do_not_train",
    "langfuse.observation.metadata.do_not_train",
    "traceloop.association.properties.do_not_train",
    "langsmith.metadata.do_not_train",
    "ai.telemetry.metadata.do_not_train",
    "do_not_train",
)

INPUT_TOKEN_KEYS: Final = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
    "input_tokens",
)

OUTPUT_TOKEN_KEYS: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
    "output_tokens",
)

PREVIOUS_RESPONSE_KEYS: Final = ("gen_ai.request.previous_response.id", "previous_response_id")

RESPONSE_KEYS: Final = ("gen_ai.response.id", "ai.response.id", "response_id")


def identity(span: Span) -> dict[str, Any]:
    """The fields of a `Reading` that every dialect fills alike."""
    attributes = span.attributes
    metadata = parsed(attributes.get("metadata"))
    extra: Attributes = metadata if isinstance(metadata, dict) else {}
    return {
        "conversation": name_of(attributes, CONVERSATION_KEYS)
        or _from_metadata(extra, ("session_id", "thread_id", "conversation_id")),
        "subject": name_of(attributes, USER_KEYS)
        or name_of(span.resource, ("tracegym.user_id", "enduser.id"))
        or _from_metadata(extra, ("user_id",)),
        "agent": first_text(attributes, AGENT_KEYS) or _from_metadata(extra, ("lc_agent_name",)),
        "model": first_text(attributes, MODEL_KEYS),
        "version": first_text(attributes, VERSION_KEYS)
        or first_text(span.resource, SERVICE_VERSION),
        "task_key": first_text(attributes, TASK_KEYS) or _from_metadata(extra, ("task_key",)),
        "response_id": first_text(attributes, RESPONSE_KEYS),
        "previous_response_id": first_text(attributes, PREVIOUS_RESPONSE_KEYS),
        "do_not_train": is_withheld(attributes) or is_withheld(extra) or is_withheld(span.resource),
        "input_tokens": first_integer(attributes, INPUT_TOKEN_KEYS),
        "output_tokens": first_integer(attributes, OUTPUT_TOKEN_KEYS),
    }


def is_withheld(attributes: Attributes) -> bool:
    """Whether one of the consent attributes says that this must not be trained on."""
    value = first_value(attributes, CONSENT_KEYS)
    return text_of(value) in {"true", "1", "yes"} if value is not None else False


def _from_metadata(metadata: Attributes, keys: tuple[str, ...]) -> str | None:
    return name_of(metadata, keys)


def name_of(attributes: Attributes, keys: tuple[str, ...]) -> str | None:
    """The first key that names somebody: one placeholder would make one of all that are hidden behind it."""
    found = first_text(attributes, keys)
    if not is_elided(found):
        return found
    named = (text_of(attributes.get(key)) for key in keys)
    return next((name for name in named if name and not is_elided(name)), None)


def has_failed(span: Span) -> bool | None:
    """Whether the span says that its work failed; None where it does not say."""
    if span.status == STATUS_ERROR or span.attributes.get("error.type"):
        return True
    return False if span.status == STATUS_OK else None
