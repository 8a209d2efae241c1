"""One record of a conversation, in whatever layout, as a chat log has it.

Comes in: an object with a list of messages somewhere in it and anything beside it, or a bare list of messages. Goes out: a
chat, or a refusal. A valid line of a chat log means what it always meant; what stands beside its documented fields only
adds to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError

from ingest.dialects.content_blocks import blocks_text
from ingest.dialects.messages import response_in
from ingest.dialects.tool_schemas import read_tools
from ingest.files.chat_log import ROLE_OF, Chat, RawChat, RawExtras, parse_value
from ingest.files.chat_outcome import RawOutcome
from ingest.formats.acts_among_events import with_acts
from ingest.formats.format import Decoded
from ingest.formats.item_forms import holds_parts
from ingest.formats.records.calls import holds_call
from ingest.formats.records.conversation import Conversation, Message, read_conversation
from ingest.formats.records.fields import (
    AGENT,
    ANSWER,
    APP,
    BODIES,
    ENDED,
    MODEL,
    QUESTION,
    RESPONSE,
    STARTED,
    SYSTEM,
    Fields,
    told_in,
)
from ingest.formats.records.find import (
    Place,
    calls_beside,
    messages_of,
    other_messages,
    settings_named,
)
from ingest.formats.records.naming import model_in_path, naming_of, own_fields
from ingest.formats.records.speech import ROLE_NAMED, strength
from ingest.formats.records.text_calls import listed_tools
from ingest.formats.records.verdicts import marks_on, outcomes_of, verdicts_among
from ingest.formats.records.words import NAMES
from ingest.formats.records.written_results import PROGRAMS, programs_in
from ingest.formats.run_questions import template_around
from ingest.formats.run_verdicts import said_of_all
from ingest.otlp.record import Arrival
from ingest.records.call_names import CALL_LISTS
from ingest.records.quarantine import MAX_KEPT_BODY, Rejected
from ingest.records.text import Json, json_bytes, load_json, objects_in, type_of

NAME: Final = "conversation_record"

_DOCUMENTED: Final = frozenset(RawChat.model_fields)
_PLAIN: Final = frozenset(
    {"role", "content", "tool_calls", "function_call", "tool_call_id", "name", "tg", "refusal"}
    | {"annotations", "audio"}
)
"""Keys of a message that the chat log's own reading loses nothing of."""
_TEXT_PARTS: Final = frozenset({None, "", "text", "input_text", "output_text", "refusal"})
_NAMED_BY_TOOL: Final = ("tool", "function")
_OWN: Final = ("outcome", "outcomes", "tg")
_LABEL: Final = re.compile(r"\A\s*(?:SYSTEM|System):\s+")
"""What some logs put in front of a prompt."""
_STARTS: Final = re.compile(r"\s+[A-Z]\w+!\s*")
"""What a template has behind the user's question: `Begin!`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a record stands in its file."""

    around: tuple[dict[str, Any], ...] = ()
    """The objects that enclose it."""
    key: str | None = None
    """Its name in the map that it stands in."""
    source: str = NAME
    """The format that it was read as, for the episode."""


ALONE: Final = Standing()


def read_record(value: Json, arrival: Arrival, standing: Standing = ALONE) -> Decoded:
    """Read one record."""
    text = json_bytes(value) if arrival.text is None else arrival.text
    if standing == ALONE and _is_plain_log(value):
        read = _parse(value, text, arrival)
        if isinstance(read, Chat):
            return Decoded(chats=[read])
    line = chat_line(value, arrival, standing)
    if _names_no_tool(line["messages"]) and not _is_valid_log(value):
        return Decoded(rejected=[_nameless(text, arrival)])
    read = _parse(line, text, arrival)
    if isinstance(read, Rejected):
        # The chat log's own words for what is wrong with it say more than that nothing was found.
        told = _parse(value, text, arrival) if "messages" in own_fields(value) else read
        refused = told if isinstance(told, Rejected) else read
        return Decoded(rejected=[replace(refused, at=arrival.received_at)])
    return Decoded(chats=[read])


def chat_line(value: Json, arrival: Arrival, standing: Standing = ALONE) -> dict[str, Any]:
    """One record as a line of a chat log, to be stored; whoever reads it back finds what the record said."""
    record = _Record(value, arrival, standing)
    line = record.chat()
    if record.shares_id:
        line["tg"] = {**line.get("tg", {}), "shares_id": True}
    return line


def _parse(chat: dict[str, Any], text: bytes, arrival: Arrival) -> Chat | Rejected:
    return parse_value(
        chat,
        text,
        source=arrival.source,
        position=arrival.position,
        app=arrival.app or arrival.facts.named_after,
    )


def _names_no_tool(messages: list[Message]) -> bool:
    """Whether there are calls and none names its tool: the layout keeps names and arguments where nobody looked."""
    listed = [one.get("tool_calls") for one in messages]
    calls = [call for one in listed if isinstance(one, list) for call in one]
    inner = [call.get("function") for call in calls if isinstance(call, dict)]
    names = [one.get("name") for one in inner if isinstance(one, dict)]
    return bool(names) and not any(names)


def _nameless(text: bytes, arrival: Arrival) -> Rejected:
    return Rejected(
        source=arrival.source,
        position=arrival.position,
        code="nameless_calls",
        reason="no call names its tool: look at the file (`tracegym ingest FILE --explain`) and say where names stand (`--map`).",
        body=text[:MAX_KEPT_BODY],
        app=arrival.app or arrival.facts.named_after,
        at=arrival.received_at,
    )


def _is_plain_log(value: Json) -> bool:
    return isinstance(value, dict) and set(value) <= _DOCUMENTED and _has_plain_messages(value)


def _is_valid_log(value: Json) -> bool:
    """Whether a value is a line of a chat log of which the chat log's own reading loses nothing."""
    if not isinstance(value, dict) or not _has_plain_messages(value):
        return False
    try:
        chat = RawChat.model_validate(value)
    except ValidationError:
        return False
    return bool(chat.messages) and all(message.role in ROLE_OF for message in chat.messages)


def _has_plain_messages(value: dict[str, Any]) -> bool:
    listed = value.get("messages")
    if not isinstance(listed, list) or not all(isinstance(m, dict) for m in listed):
        return False
    plain = all(set(m) <= _PLAIN and _is_plain(m) for m in listed)
    return plain and not programs_in([(m.get("role"), m) for m in listed])


def _is_plain(message: dict[str, Any]) -> bool:
    if message.get("name") is not None and message.get("role") not in _NAMED_BY_TOOL:
        return False  # a log that names its speakers may be one of several agents
    content = message.get("content")
    if message.get("role") == "assistant" and not message.get("tool_calls") and holds_call(content):
        return False
    if message.get("role") in ("user", "assistant") and holds_parts(content):
        return False
    parts = content if isinstance(content, list) else [content]
    return all(not isinstance(part, dict) or _is_text(part) or _is_media(part) for part in parts)


def _is_text(part: dict[str, Any]) -> bool:
    return type_of(part) in _TEXT_PARTS and ("type" in part or "text" in part)


def _is_media(part: dict[str, Any]) -> bool:
    kind = type_of(part)
    return isinstance(kind, str) and any(
        word in kind for word in ("image", "audio", "file", "video", "document")
    )


class _Record:
    """One record on its way into the chat log's words."""

    def __init__(self, value: Json, arrival: Arrival, standing: Standing) -> None:
        self._own = own_fields(value)
        self._arrival = arrival
        self._standing = standing
        self._is_log = _is_valid_log(value)
        place = messages_of(value)
        if self._is_log:
            place = Place(path=("messages",), items=value["messages"], holders=(value,))
        if place and self._own and isinstance(self._own.get(place.path[0]), str):
            # Its messages were stored as text, and so are its other parts.
            own = self._own.items()
            self._own = {key: told_in(one) for key, one in own if key in place.holders[0]}
            place = replace(place, holders=(self._own, *place.holders[1:]))
        self._fields = Fields(
            own={name: one for name, one in self._own.items() if name not in _OWN},
            holders=place.holders if place else (),
            around=standing.around,
        )
        self._items = [*self._opening(), *with_acts(place.items)] if place else []
        self._said = Conversation()
        if self._is_log:
            self._said = Conversation(messages=list(value["messages"]))
        elif place is not None:
            self._said = read_conversation(self._items)
            self._said.take_calls(calls_beside(self._own, place))
        if place is not None and other_messages(self._own, place):
            self._said.flags.add("other_messages_left_out")
        self._events = place.events if place else ()
        self._log = self._events or (place.items if place else ())
        self._said.flags |= {"odd_messages"} if place and place.events else set()
        self._naming = naming_of(self._fields, standing.key, own_id=arrival.facts.own_id)

    @property
    def shares_id(self) -> bool:
        """Whether the conversation's id is a task's, or the file's name: another file may have it, too."""
        named = self._naming.conversation_id(self._arrival)
        return named is not None and self._naming.conversation is None

    def chat(self) -> dict[str, Any]:
        """The record as a line of a chat log; without messages where nobody answers, and its own are a prompt that says nothing, or a judge's whose verdict stands beside them."""
        said = [(one.get("role"), one.get("content")) for one in self._said.messages]
        self._open()
        answer = self._close()
        outcomes = self._outcomes(answer)
        is_judged = any("value" in one or "label" in one for one in outcomes)
        roles = {m.get("role") for m in self._said.messages}
        if roles == {"system", "user"} and (said == [("system", "")] or is_judged):
            return {"messages": []}
        told = self._chat_fields()
        own = {k: v for k, v in self._own.items() if k in _DOCUMENTED and self._is_log}
        if "tools" in told:
            own.pop("tools", None)  # the same ones, in OpenAI's form
        chat = {**told, **own, "messages": self._said.messages}
        for name in _OWN:
            chat.pop(name, None)
        extras = self._extras()
        return (
            chat | ({"outcomes": outcomes} if outcomes else {}) | ({"tg": extras} if extras else {})
        )

    def _opening(self) -> Iterator[Json]:
        """The message that opened the conversation, where a service keeps it beside those that followed."""
        beside = (self._own.get(name) for name in NAMES["opening"])
        return (one for one in beside if isinstance(one, dict) and strength(one) == ROLE_NAMED)

    def _open(self) -> None:
        """Put what stands beside the messages and was said before them in front: prompts, and the user's question."""
        opening: list[Message] = []
        has_prompt = self._said.has("system")
        if not has_prompt:
            opening = _prompts(self._fields)
        question = self._fields.words(QUESTION)
        for number, one in enumerate(self._said.messages if question else ()):
            text = str(one.get("content"))
            before, asked, behind = text.partition(question or "")
            if one.get("role") != "user" or not asked:
                continue
            # Beside a system's prompt, the rest is what the user says.
            around = None if has_prompt else template_around(text, asked)
            if around or _STARTS.fullmatch(f"{before}{behind}"):
                self._said.messages[number] = {**one, "content": question}
            if around:
                opening.append({"role": "system", "content": around})
                break
        if question is not None and not self._said.has("user"):
            opening.append({"role": "user", "content": question})
        self._said.messages[:0] = opening

    def _close(self) -> str | None:
        """Append the answer that no message holds; the name of the field that the agent's own answer stands in."""
        for name in RESPONSE:
            for value in self._answers(name):
                if name == ANSWER and self._said.ends_in_words:
                    continue  # the agent has answered: this is what would have been right
                if value is not None and self._said.take_answer(value):
                    return name
        for name in BODIES:
            for value, _ in self._fields.values(name, deep=2):
                if value is not None and self._said.take_answer(value):
                    return name
        bodies = (one for one, _ in self._fields.values("outputs", deep=1))
        told = (one for one in bodies if isinstance(one, dict) and response_in(one))
        return next(("outputs" for one in told if self._said.take_answer(one)), None)

    def _answers(self, name: str) -> list[Json]:
        """What stands under a name, with the calls of the same answer, where a log keeps these in a field of their own."""
        holders = self._fields.holders
        told = [value for value, _ in self._fields.values(name, deep=1)]
        told += [one[name] for one in holders[1:][-1:] if name in one]
        told = [one for one in told if not any(one is holder for holder in holders)]
        asked = [
            one for key in CALL_LISTS for one, _ in self._fields.values(f"{name}_{key}", deep=1)
        ]
        if not asked or not all(one is None or isinstance(one, str) for one in told):
            return told
        text = told[0] if told else None
        return [{"role": "assistant", "content": text, "tool_calls": asked[0]}]

    def _chat_fields(self) -> dict[str, Any]:
        """The chat log's fields, out of what stands beside the messages."""
        fields = self._fields
        tools = fields.tools() or [load_json(tool.encode()) for tool in self._said.tools]
        # An event of a log may say what the agent may use.
        events = (Fields(own=one) for one in objects_in(list(self._events)))
        tools = tools or next((found for one in events if (found := one.tools())), [])
        settings = (Fields(own=one) for one in settings_named(self._standing.around, self._own))
        tools = tools or next((found for one in settings if (found := one.tools())), [])
        tools = tools or self._tools_of_prompt() or self._named_tools()
        given = {
            "episode_id": self._naming.conversation_id(self._arrival),
            "app": None if self._arrival.app else fields.top_text(APP),
            "agent": fields.text(AGENT) or fields.text_around(AGENT) or self._said.agent,
            "model": fields.text(MODEL, deep=4)
            or fields.text_around(MODEL)
            or model_in_path(self._arrival.source),
            "task_key": self._naming.task_key(self._arrival),
            "started_at": fields.time(STARTED),
            "user_id": fields.user(),
            "do_not_train": fields.flag("do_not_train") or None,
            "tools": tools or None,
        }
        return {name: one for name, one in given.items() if one is not None}

    def _tools_called(self) -> set[str]:
        """The tools that the agent calls."""
        asked = [call for one in self._said.messages for call in one.get("tool_calls") or ()]
        return {str(function.get("name")) for one in asked if (function := one.get("function"))}

    def _tools_of_prompt(self) -> list[Any]:
        """The tools that the prompt defines, where all that the agent calls are among them."""
        prompts = [str(one["content"]) for one in self._said.messages if one["role"] == "system"]
        listed = listed_tools("\n".join(prompts))
        is_whole = self._tools_called() - {PROGRAMS} <= {one["name"] for one in listed}
        return [load_json(tool.encode()) for tool in read_tools(listed)] if is_whole else []

    def _named_tools(self) -> list[Any]:
        """The tools that a list names, beside the messages or in an event: words among which all are that the agent calls, and others."""
        called = self._tools_called()
        below = objects_in(list(self._own.values()))
        places = (self._own, *below, *objects_in(list(self._log)))
        lists = (one for place in places for one in place.values() if isinstance(one, list))
        told = ([w for w in one if isinstance(w, str)] for one in lists if called)
        named = next((words for words in told if called < {*words}), [])
        return [{"type": "function", "function": {"name": word}} for word in named]

    def _outcomes(self, answer: str | None) -> list[Any]:
        """The record's outcomes, those in the chat log's own words first."""
        listed = self._own.get("outcomes")
        given = [self._own.get("outcome"), *(listed if isinstance(listed, list) else ())]
        own = [one for one in given if isinstance(one, dict) and _is_valid(RawOutcome, one)]
        rest = {} if own else {k: v for k, v in self._own.items() if k in {"outcome", "outcomes"}}
        fields = replace(self._fields, own={**self._fields.own, **rest})
        found = outcomes_of(fields, answered=answer != ANSWER and self._said.has("assistant"))
        found = found or marks_on(self._items)
        for told in (verdicts_among(self._log), *self._said_elsewhere()):
            found = found or outcomes_of(Fields(own=told), answered=False)
        found = found or list(_truth_beside(self._fields.holders))
        known = {one.get("name") for one in own}
        return [*own, *(one for one in found if one["name"] not in known)]

    def _said_elsewhere(self) -> Iterator[dict[str, Any]]:
        """What the objects around the record say of it, by its name: `{"results": {"case-7": {"score": 1}}}`."""
        names = {
            self._naming.conversation,
            self._naming.task_key(self._arrival),
            self._naming.row,
        } - {None}
        maps = [(k, one) for place in self._standing.around for k, one in place.items()]
        for key, named in maps:
            for told in (named.get(name) for name in names if isinstance(named, dict)):
                yield told if isinstance(told, dict) else {key: told}
        # A list of all runs that went well, or of those that did not.
        lists = [
            pair
            for _, one in [*maps, *enumerate(self._standing.around)]
            if isinstance(one, dict)
            for pair in one.items()
        ]
        for word, listed in lists:
            said = said_of_all(word) if isinstance(listed, list) else None
            if said and any(name in listed for name in names):
                yield {said["name"]: said["value"]}

    def _extras(self) -> dict[str, Any]:
        """The chat log's own additions to a line."""
        given = self._own.get("tg")
        extras = dict(given) if isinstance(given, dict) and _is_valid(RawExtras, given) else {}
        ended = self._fields.time(ENDED)
        if ended is not None:
            extras.setdefault("ended_at", ended)
        named = extras.get("completeness") or []
        flags = {*self._said.flags, *([named] if isinstance(named, str) else named)}
        if self._fields.passed_over:
            flags.add("odd_fields")
        if flags:
            extras["completeness"] = sorted(flags)
        if self._standing.source != NAME or not (self._is_log and set(self._own) <= _DOCUMENTED):
            extras.setdefault("source", self._standing.source)
        for message in self._said.messages:
            if "tg" in message and not _is_valid(RawExtras, message["tg"]):
                message["tg"] = {"completeness": ["odd_fields"]}
        return extras


def _prompts(fields: Fields) -> list[Message]:
    """The system's prompt beside the messages; several agents may have one each."""
    # The settings of a chat may stand beside its messages, and these below the record's top.
    places = (fields, *map(Fields, fields.holders))
    for name in SYSTEM:
        for value, _ in (told for place in places for told in place.values(name, deep=2)):
            text = blocks_text(value.get("parts")) if isinstance(value, dict) else value
            if isinstance(text, str) and text.strip():
                return [{"role": "system", "content": _LABEL.sub("", text)}]
            if (
                isinstance(value, dict)
                and value
                and all(isinstance(v, str) for v in value.values())
            ):
                return [
                    {"role": "system", "content": text, "tg": {"agent": agent}}
                    for agent, text in value.items()
                ]
    return []


def _truth_beside(holders: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A bare truth under `result` beside the messages, which says of the whole that it went well."""
    for told in (one.get("result") for one in holders):
        is_good = told.get("result") if isinstance(told, dict) else told
        if isinstance(is_good, bool):
            yield {"name": "success", "by": "unknown", "value": float(is_good)}
            return


def _is_valid(model: type[RawOutcome | RawExtras], value: Json) -> bool:
    try:
        model.model_validate(value)
    except ValidationError:
        return False
    return True
