"""Who and what a span is about: conversation, user, agent, model, consent. The same look-up for every dialect.

The names in `identity.toml` are the dialects' own; where two are on one span, the earlier one wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from ingest.dialects.attributes import (
    arguments_of,
    first_integer,
    first_text,
    first_value,
    is_elided,
    parsed,
    parsed_call,
    text_of,
)
from ingest.records.span import STATUS_ERROR, STATUS_OK, Attributes, Span
from ingest.records.word_lists import word_lists

_KEYS: Final = word_lists(Path(__file__).with_name("identity.toml"))
CONVERSATION_KEYS: Final = _KEYS["conversation"]
USER_KEYS: Final = _KEYS["user"]
AGENT_KEYS: Final = _KEYS["agent"]
MODEL_KEYS: Final = _KEYS["model"]
VERSION_KEYS: Final = _KEYS["version"]
"""On the span before the resource: a service may run several agents."""
SERVICE_VERSION: Final = _KEYS["service_version"]
TASK_KEYS: Final = _KEYS["task"]
CONSENT_KEYS: Final = _KEYS["consent"]
INPUT_TOKEN_KEYS: Final = _KEYS["input_token"]
OUTPUT_TOKEN_KEYS: Final = _KEYS["output_token"]
METADATA_KEYS: Final = _KEYS["metadata"]
"""Where an app's own words about a request stand, as JSON or as Python shows them."""
VERDICTS: Final = frozenset(_KEYS["verdict"])
"""Last parts of an app's own attributes that say how a conversation went: `app.outcome.success`."""
PREVIOUS_RESPONSE_KEYS: Final = _KEYS["previous_response"]
RESPONSE_KEYS: Final = _KEYS["response"]

ARGUMENT_KEYS: Final = _KEYS["argument"]
"""Where a function's arguments stand."""
_IN_OBJECTS: Final = ("session_id", "thread_id", "conversation_id")
"""What a conversation's id is called in metadata and among arguments."""
_LONGEST_ARGUMENTS: Final = 65_536

_PAUSED: Final = re.compile(r"(?:[\w.]+\.)?(?:Graph|Node)Interrupt\b")
_OWN_NAME: Final = re.compile(
    r"(?i)(?:.*[._])?"
    r"(?:((?:conversation|convo?|dialog(?:ue)?|chat)[._]?id)|(session[._]?id)|(?:task[._]key|scenario[._](?:id|key)|(?:(?:test|eval)[._]?case|(?:experiment|dataset)[._](?:item|example))[._]id))"
)
_OF_MACHINES: Final = frozenset(_KEYS["of_machine"])
"""Words before a session that is a connection's, a program's, or another one."""


@lru_cache(maxsize=16_384)
def _own_name(key: str) -> str:
    """What an app's own name is of: `acme.conversation.id`, `acme.session_id`, `acme.task.key`."""
    found = _OWN_NAME.fullmatch(key)
    if found is None or not _OF_MACHINES.isdisjoint(re.split(r"[._]", key.lower())):
        return ""
    return "conversation" if found[1] else "session" if found[2] else "task"


def identity(span: Span) -> dict[str, Any]:
    """The fields of a `Reading` that every dialect fills alike."""
    said = identity_in(span.attributes, span.resource)
    if span.parent_id is None and said["conversation"] is None:
        named = _named_in_arguments(span.attributes)
        said |= {"conversation": named, "conversation_is_argument": named is not None}
    return said


def _named_in_arguments(attributes: Attributes) -> str | None:
    """The conversation that the function which began a trace was called with: `{"session_id": …, "message": …}`."""
    named = (name_of(given, _IN_OBJECTS) for given in called_with(attributes, holding="_id"))
    return next(filter(None, named), None)


def called_with(attributes: Attributes, *, holding: str = "") -> Iterator[dict[str, Any]]:
    """What a function was called with, by name."""
    for key in ARGUMENT_KEYS:
        value = attributes.get(key)
        if isinstance(value, str) and holding in value and len(value) <= _LONGEST_ARGUMENTS:
            given = parsed(arguments_of(value))
            if isinstance(given, dict):
                yield given


def identity_in(attributes: Attributes, resource: Attributes) -> dict[str, Any]:
    """The same, out of what spans or log events say."""
    metadata = (parsed_call(attributes.get(key)) for key in METADATA_KEYS)
    thread = text_of(attributes.get("threadId"))
    own: dict[str, tuple[str, ...]] = {}
    for key in attributes:
        if what := _own_name(key):
            own[what] = (*own.get(what, ()), key)
    extra: Attributes = next((told for told in metadata if isinstance(told, dict)), {})
    return {
        "conversation": name_of(attributes, CONVERSATION_KEYS)
        or name_of(extra, _IN_OBJECTS)
        or name_of(attributes, own.get("conversation", ()))
        or name_of(attributes, own.get("session", ()))
        or (thread if thread and not thread.isdigit() else None),  # a number is the machine's
        "subject": name_of(attributes, USER_KEYS)
        or name_of(resource, ("tracegym.user_id", "enduser.id"))
        or name_of(extra, ("user_id",)),
        "agent": first_text(attributes, AGENT_KEYS) or name_of(extra, ("lc_agent_name",)),
        "model": first_text(attributes, MODEL_KEYS),
        "version": first_text(attributes, VERSION_KEYS) or first_text(resource, SERVICE_VERSION),
        "task_key": first_text(attributes, (*TASK_KEYS, *own.get("task", ())))
        or name_of(extra, ("task_key",)),
        "response_id": first_text(attributes, RESPONSE_KEYS),
        "previous_response_id": first_text(attributes, PREVIOUS_RESPONSE_KEYS),
        "do_not_train": is_withheld(attributes) or is_withheld(extra) or is_withheld(resource),
        "input_tokens": first_integer(attributes, INPUT_TOKEN_KEYS),
        "output_tokens": first_integer(attributes, OUTPUT_TOKEN_KEYS),
    }


def is_withheld(attributes: Attributes) -> bool:
    """Whether one of the consent attributes says that this must not be trained on."""
    value = first_value(attributes, CONSENT_KEYS)
    return text_of(value) in {"true", "1", "yes"} if value is not None else False


def name_of(attributes: Attributes, keys: tuple[str, ...]) -> str | None:
    """The first key that names somebody: one placeholder would make one of all that are hidden behind it."""
    found = first_text(attributes, keys)
    if not is_elided(found):
        return found
    named = (text_of(attributes.get(key)) for key in keys)
    return next((name for name in named if name and not is_elided(name)), None)


def is_paused(span: Span) -> bool:
    """Whether a run stopped to ask somebody, as LangGraph's do: it is told once more when it goes on."""
    raised = (event.attributes.get("exception.type") for event in span.events)
    return any(_PAUSED.match(str(told)) for told in (span.status_message, *raised) if told)


def has_failed(span: Span) -> bool | None:
    """Whether the span says that its work failed; None where it does not say."""
    if span.status == STATUS_ERROR or span.attributes.get("error.type"):
        return True
    return False if span.status == STATUS_OK else None
