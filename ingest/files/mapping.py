"""A person's mapping of a file's layout to conversations: JMESPath expressions in TOML.

Comes in: `mapping.toml` and parsed values. Goes out: records in names that `ingest.formats.records` reads, and one sentence for
each path that a record needs and that finds nothing in it. A mapping that is wrong is refused before any file is read. The
only file that knows JMESPath.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from ingest.errors import IngestError
from ingest.records.text import Json

OUR_ROLES: Final = ("system", "user", "assistant", "tool")
_MOST: Final = 1 << 20
"""Characters of a mapping: what is longer is none."""


class MappingUnusable(IngestError):  # noqa: N818 - names what happened
    """A mapping that cannot be used; the message says where and what to write."""


class PathMissed(ValueError):  # noqa: N818 - names what happened
    """A path that a record needs and that finds nothing in it, or does not fit it."""

    def __init__(self, key: str, path: str, *, message: int = 0, why: str = "") -> None:
        super().__init__(key)
        self._key, self._path, self._message, self._why = key, path, message, why

    def sentence(self, mapping: str, place: str) -> str:
        """What is wrong, where and what to do."""
        where = f"message {self._message} of {place}" if self._message else place
        told = f"does not fit ({self._why})" if self._why else "finds nothing"
        return (
            f"The path {self._key} = {self._path!r} of {mapping} {told} in {where}; "
            "see the file's keys with: tracegym ingest FILE --explain."
        )


@lru_cache(maxsize=256)
def _compiled(expression: str) -> Any:  # noqa: ANN401 - jmespath has no types
    return jmespath.compile(expression)


def _check_expression(expression: str) -> str:
    try:
        _compiled(expression)
    except JMESPathError as error:
        column: int = getattr(error, "lex_position", len(expression))
        ends = column >= len(expression)
        where = "it ends too early" if ends else f"see column {column + 1}"
        raise ValueError(f"{expression!r} is no JMESPath expression ({where})") from error
    return expression


def _role(word: str) -> str:
    if word not in OUR_ROLES:
        raise ValueError(f"{word!r} is no role; write one of {', '.join(OUR_ROLES)}")
    return word


Expression = Annotated[str, AfterValidator(_check_expression)]
Role = Annotated[str, AfterValidator(_role)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Records(_Section):
    """Where the records are."""

    path: Expression | None = None


class Conversation(_Section):
    """What one record holds."""

    messages: Expression
    id: Expression | None = None
    task: Expression | None = None
    trial: Expression | None = None
    app: Expression | None = None
    user: Expression | None = None
    agent: Expression | None = None
    model: Expression | None = None
    started_at: Expression | None = None
    ended_at: Expression | None = None
    system: Expression | None = None
    question: Expression | None = None
    response: Expression | None = None
    tools: Expression | None = None
    correction: Expression | None = None


class Message(_Section):
    """What one message holds."""

    role: Expression | None = None
    content: Expression | None = None
    name: Expression | None = None
    time: Expression | None = None
    calls: Expression | None = None
    call_id: Expression | None = None
    is_error: Expression | None = None
    tool: Expression | None = None
    arguments: Expression | None = None
    result: Expression | None = None


class Call(_Section):
    """What one of a message's calls holds."""

    name: Expression
    arguments: Expression | None = None
    id: Expression | None = None
    result: Expression | None = None


class Document(_Section):
    """The whole mapping."""

    conversation: Conversation
    records: Records = Records()
    message: Message | None = None
    call: Call | None = None
    roles: dict[str, Role] = {}
    outcomes: dict[str, Expression] = {}


SECTIONS: Final = {
    "records": tuple(Records.model_fields),
    "conversation": tuple(Conversation.model_fields),
    "message": tuple(Message.model_fields),
    "call": tuple(Call.model_fields),
}
"""The keys of each part of a mapping."""
_BESIDE: Final = {
    "id": "conversation_id",
    "task": "task_id",
    "trial": "trial",
    "app": "app",
    "user": "user_id",
    "agent": "agent",
    "model": "model",
    "started_at": "started_at",
    "ended_at": "ended_at",
    "system": "system_prompt",
    "question": "question",
    "response": "response",
    "tools": "tools",
    "correction": "ground_truth",
}
"""A mapping's words for what stands beside the messages, as the reader of records knows them."""


@dataclass(slots=True)
class Layout:
    """A mapping at work; it counts which of its paths find something."""

    document: Document
    name: str
    """The mapping's file, for people."""
    found: Counter[str] = field(default_factory=Counter)
    keeps_rest: bool = False
    """Whether what no path names is read by its own words."""
    records: int = 0
    """How many records it was put to."""

    def records_of(self, value: Json) -> list[Any]:
        """The records of one value of the file: what the path finds; without one the value, or the elements of a list."""
        path = self.document.records.path
        if path is None:
            return value if isinstance(value, list) and not self._takes_lists else [value]
        found = self._search("records.path", path, value)
        if not found:
            raise PathMissed("records.path", path)
        return found if isinstance(found, list) else [found]

    @property
    def _takes_lists(self) -> bool:
        """Whether a record is itself a list, because the path to its messages begins with one."""
        return self.document.conversation.messages.startswith(("@", "["))

    def fits(self, value: Json) -> bool:
        """Whether a part of a file holds a record."""
        trial = Layout(self.document, self.name)
        try:
            for one in trial.records_of(value):
                trial.record(one)
        except PathMissed:
            return False
        return True

    def record(self, value: Json) -> dict[str, Any]:
        """One record under names that are known; raises `PathMissed` where a path that it needs finds nothing."""
        self.records += 1
        paths = self.document.conversation
        items = self._search("conversation.messages", paths.messages, value)
        if not isinstance(items, list) or not items:
            raise PathMissed("conversation.messages", paths.messages)
        rest = dict(value) if self.keeps_rest and isinstance(value, dict) else {}
        record: dict[str, Any] = rest | {"messages": list(self._messages(items))}
        for ours, known in _BESIDE.items():
            path = getattr(paths, ours)
            told = None if path is None else self._search(f"conversation.{ours}", path, value)
            if told is not None:
                record[known] = told
        scores = {
            name: told
            for name, path in self.document.outcomes.items()
            if (told := self._search(f"outcomes.{name}", path, value)) is not None
        }
        return record | ({"scores": scores} if scores else {})

    def unfound(self) -> list[str]:
        """The paths that found nothing in any record, as a person wrote them."""
        if not self.records:
            return []
        return [f"{key} = {path!r}" for key, path in self._paths() if not self.found[key]]

    def _paths(self) -> Iterator[tuple[str, str]]:
        for section in ("conversation", "message", "call", "outcomes"):
            part = getattr(self.document, section)
            named = part.model_dump() if isinstance(part, BaseModel) else part or {}
            for key, path in named.items():
                if path is not None:
                    yield f"{section}.{key}", path

    def _messages(self, items: list[Any]) -> Iterator[Any]:
        paths = self.document.message
        if paths is None:
            yield from items
            return
        spoken = False
        for number, item in enumerate(items, start=1):
            role = self._maybe("message.role", paths.role, item)
            content = self._maybe("message.content", paths.content, item)
            message = self._message(paths, item, role, content)
            if role is None and paths.role is not None and "tool_calls" not in message:
                raise PathMissed("message.role", paths.role, message=number)
            spoken = spoken or content is not None or "tool_calls" in message
            yield message
        if not spoken and paths.content is not None:
            raise PathMissed("message.content", paths.content)

    def _message(self, paths: Message, item: Json, role: Json, content: Json) -> dict[str, Any]:
        message: dict[str, Any] = {"content": content}
        word = role if isinstance(role, str) else "assistant"
        message["role"] = self.document.roles.get(word, word)
        named = {
            "name": ("message.name", paths.name),
            "timestamp": ("message.time", paths.time),
            "tool_call_id": ("message.call_id", paths.call_id),
            "is_error": ("message.is_error", paths.is_error),
        }
        for known, (key, path) in named.items():
            told = self._maybe(key, path, item)
            if told is not None:
                message[known] = told
        calls = list(self._calls(paths, item))
        return message | ({"tool_calls": calls} if calls else {})

    def _calls(self, paths: Message, item: Json) -> Iterator[dict[str, Any]]:
        tool = self._maybe("message.tool", paths.tool, item)
        if tool is not None:
            call = {
                "name": tool,
                "arguments": self._maybe("message.arguments", paths.arguments, item) or {},
            }
            result = self._maybe("message.result", paths.result, item)
            yield call | ({} if result is None else {"result": result})
        listed = self._maybe("message.calls", paths.calls, item)
        inner = self.document.call
        for one in listed if isinstance(listed, list) else ():
            if inner is None:
                yield one
                continue
            call = {
                "name": self._search("call.name", inner.name, one),
                "arguments": self._maybe("call.arguments", inner.arguments, one) or {},
                "id": self._maybe("call.id", inner.id, one),
                "result": self._maybe("call.result", inner.result, one),
            }
            yield {key: told for key, told in call.items() if told is not None}

    def _maybe(self, key: str, path: str | None, value: Json) -> Json:
        return None if path is None else self._search(key, path, value)

    def _search(self, key: str, path: str, value: Json) -> Json:
        try:
            told = _compiled(path).search(value)
        except JMESPathError as error:
            raise PathMissed(key, path, why=type(error).__name__) from error
        if told is not None:
            self.found[key] += 1
        return told


def load_mapping(path: Path) -> Layout:
    """Read a mapping; raises `MappingUnusable` with one sentence that says where it is wrong."""
    try:
        text = path.read_text(encoding="utf-8")[:_MOST]
    except FileNotFoundError as error:
        raise MappingUnusable(f"{path} does not exist; check the path") from error
    except (OSError, UnicodeDecodeError) as error:
        raise MappingUnusable(f"{path} cannot be read as text; check the file") from error
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MappingUnusable(f"{path.name} is not TOML: {error}") from error
    return layout_of(document, name=path.name)


def layout_of(document: Mapping[str, Any], *, name: str, keeps_rest: bool = False) -> Layout:
    """A mapping that is parsed already."""
    try:
        return Layout(Document.model_validate(document), name, keeps_rest=keeps_rest)
    except ValidationError as error:
        raise MappingUnusable(_sentence(error, name)) from error


def _sentence(error: ValidationError, name: str) -> str:
    errors = error.errors()
    # A key that is written wrong is often the one that is missing.
    first = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    place = [str(part) for part in first["loc"]]
    at = f"[{place[0]}] {'.'.join(place[1:])}".strip() if place else name
    match first["type"]:
        case "extra_forbidden":
            return f"{name}: {at} is no key of a mapping; {_known_fields(place[:-1])}"
        case "missing":
            return f"{name}: {at} is missing; say where it is with a JMESPath expression"
        case "value_error":
            return f"{name}: {at}: {first.get('ctx', {}).get('error')}"
    return f"{name}: {at} must be {'a table' if len(place) == 1 else 'a text'}"


def _known_fields(section: list[str]) -> str:
    fields = SECTIONS[section[0]] if section else Document.model_fields
    return f"known are {', '.join(fields)}"
