"""OpenHands' evaluation output: a history of actions and of what was observed, in each of its generations.

Comes in: one record of an `output.jsonl`, its `history` a list of events or of pairs of them, or the bare list that the program or its SDK saves. Goes out: one conversation: each
action of the agent is one call with what was observed as its result. Where the event keeps the model's own call
(`tool_call_metadata`), its name, id and arguments are taken; else the action's name and fields are. What the framework does for
itself (`recall`, changes of state) is no call of the agent's and is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ingest.dialects.content_blocks import blocks_text
from ingest.dialects.messages import response_in
from ingest.files.partial_json import parse_json
from ingest.formats.format import Decoded, Format
from ingest.formats.records.reader import Standing, read_record
from ingest.otlp.record import Arrival
from ingest.records.text import Json, objects_in

NAME: Final = "openhands"
_LOOKED_AT: Final = 50
_SAID: Final = frozenset({"message", "system"})
_NOTHING: Final = "null"
"""What stands where an action had nothing to show."""
_SILENT: Final = frozenset({"recall", _NOTHING, "change_agent_state", "agent_state_changed"})
"""Events by which the framework steers itself."""
_BESIDE: Final = frozenset(
    {
        *("action", "args", "thought", "source", "message", "id", "timestamp", "cause"),
        *("keep_prompt", "is_confirmed", "action_risk", "confirmation_state"),
        *("security_risk", "hidden", "blocking", "is_static", "cwd", "wait_for_response"),
        *("browsergym_send_msg_to_user", "images_urls", "image_urls", "file_urls"),
        *("kernel_init_code", "include_extra", "impl_source", "tool_call_metadata"),
        *("llm_metrics", "timeout"),
    }
)
"""Fields of an action that are no argument of it."""

Event = dict[str, Any]


def claims(value: Json) -> bool:
    """Whether a value is a record with such a history."""
    if isinstance(value, list):
        events = objects_in(value[:_LOOKED_AT])
        acts = [one for one in events if "source" in one and _is_event(one)]
        is_saved = len(acts) == len(events) and any("observation" in one for one in acts)
        return is_saved or _are_of_sdk(events)
    history = value.get("history") if isinstance(value, dict) else None
    return isinstance(history, list) and any(
        _is_event(one) for one in list(_events(history))[:_LOOKED_AT]
    )


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one record."""
    whole = value if isinstance(value, dict) else {"history": value}
    record = {key: one for key, one in whole.items() if key != "history"}
    telling = _MessageBuilder()
    for event in _events(whole["history"]):
        telling.take(event)
    record["messages"] = telling.messages
    if telling.tools:
        record["tools"] = telling.tools
    return read_record(record, arrival, Standing(source=NAME))


def _is_event(one: Event) -> bool:
    if isinstance(one.get("action"), str):
        return "role" not in one and ("args" in one or "thought" in one or one["action"] in _SAID)
    return isinstance(one.get("observation"), str) and "content" in one


def _are_of_sdk(events: list[Event]) -> bool:
    """Whether events are those of the software development kit, which name their kind and whose source they are, and hold the model's own messages."""
    kinds = [one.get("kind") for one in events if "source" in one]
    return len(kinds) == len(events) and any("llm_message" in one for one in events)


def _events(history: list[Any]) -> Iterator[Event]:
    """The events in order; earlier versions kept each action in a pair with its observation."""
    for one in history:
        for event in one if isinstance(one, list) else [one]:
            if isinstance(event, dict):
                yield event


class _MessageBuilder:
    """Events on their way into messages."""

    def __init__(self) -> None:
        self.messages: list[Event] = []
        self.tools: list[Any] = []
        self._answers: dict[str, Event] = {}
        """The assistant's message by the id of the model's response: several calls of one response are one message."""
        self._calls: dict[str, str] = {}
        """Call ids by what an observation may name them by."""
        self._last: str | None = None
        self._number = 0

    def take(self, event: Event) -> None:
        """Read one event."""
        self._number += 1
        kind = event.get("action")
        if "kind" in event:
            self._take_from_sdk(event)
        elif isinstance(kind, str):
            if kind in _SAID:
                self._say(event, kind)
            elif kind in _SILENT or event.get("source") not in (None, "agent"):
                self._leave_out()
            else:
                self._act(event, kind)
        elif isinstance(event.get("observation"), str):
            self._observe(event)

    def _leave_out(self) -> None:
        if self.messages:
            tg = self.messages[-1].setdefault("tg", {})
            tg["completeness"] = ["side_events_left_out"]

    def _say(self, event: Event, kind: str) -> None:
        args = _args(event)
        content = args.get("content", event.get("message"))
        tools = args.get("tools")
        if kind == "system":
            self.tools = tools if isinstance(tools, list) else []
        role = "system" if kind == "system" else "user"
        if event.get("source") == "agent" and kind == "message":
            role = "assistant"
        self._add(event, {"role": role, "content": content})

    def _act(self, event: Event, kind: str) -> None:
        made = _response_call(event)
        args = _args(event)
        if made is not None:
            response, words, call = made
        else:
            response, words = None, args.get("thought", event.get("thought"))
            given = {key: one for key, one in args.items() if key not in _BESIDE}
            call = {"function": {"name": kind, "arguments": given}}
        self._call(event, response, words, call)

    def _call(self, event: Event, response: str | None, words: Json, call: Event) -> None:
        identity = str(call.get("id") or f"action_{self._number}")
        call = {**call, "id": identity, "type": "function"}
        if event.get("id") is not None:
            self._calls[f"event {event['id']}"] = identity
        self._calls[f"call {identity}"] = self._last = identity
        known = self._answers.get(response) if response is not None else None
        if known is not None:
            known["tool_calls"].append(call)
            return
        said = blocks_text(words or "")
        message = {"role": "assistant", "content": said or None, "tool_calls": [call]}
        self._add(event, message)
        if response is not None:
            self._answers[response] = message

    def _take_from_sdk(self, event: Event) -> None:
        """An event that holds the model's own words, its call, or what came of that."""
        told, call, tools = (event.get(key) for key in ("llm_message", "tool_call", "tools"))
        if isinstance(told, dict):
            self._add(event, {key: told.get(key) for key in ("role", "content")})
        elif "system_prompt" in event:
            self.tools = tools if isinstance(tools, list) else []
            self._add(event, {"role": "system", "content": blocks_text([event["system_prompt"]])})
        elif isinstance(call, dict):
            # What the event itself says, too, the program asked of the model for itself: how risky the call is, in a few words.
            given = parse_json(str(call.get("arguments")))
            own = given.value if given and isinstance(given.value, dict) else {}
            own = {key: one for key, one in own.items() if event.get(key) != one}
            made = {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": own}}
            self._call(event, _id({"id": event.get("llm_response_id")}), event.get("thought"), made)
        elif "tool_call_id" in event:
            seen = event.get("observation")
            seen = seen if isinstance(seen, dict) else {}
            failure = event.get("error", event.get("rejection_reason"))
            content = blocks_text(seen.get("content", failure)) or ""
            answer = {"role": "tool", "tool_call_id": event["tool_call_id"], "content": content}
            self._add(event, {**answer, "is_error": bool(failure or seen.get("is_error"))})

    def _observe(self, event: Event) -> None:
        kind = event["observation"]
        if kind == _NOTHING:
            return
        metadata = event.get("tool_call_metadata")
        named = metadata.get("tool_call_id") if isinstance(metadata, dict) else None
        identity = self._calls.get(f"call {named}") or self._calls.get(
            f"event {event.get('cause')}"
        )
        if identity is None and event.get("cause") is None and named is None and "id" not in event:
            identity = self._last  # the first generation has no ids at all
        if identity is None and kind in _SILENT:
            self._leave_out()
            return
        if identity is not None and identity == self._last:
            self._last = None
        message = {"role": "tool", "tool_call_id": identity, "content": event.get("content")}
        if kind == "error" or isinstance(event.get("success"), bool):
            message["is_error"] = kind == "error" or not event["success"]
        self._add(event, message)

    def _add(self, event: Event, message: Event) -> None:
        if isinstance(event.get("timestamp"), str):
            message["timestamp"] = event["timestamp"]
        if event.get("reasoning_content"):
            message["tg"] = {"completeness": ["reasoning_left_out"]}
        self.messages.append(message)


def _args(event: Event) -> Event:
    """An action's fields, which the first generation had beside its name."""
    args = event.get("args")
    return args if isinstance(args, dict) else {k: v for k, v in event.items() if k != "action"}


def _response_call(event: Event) -> tuple[str | None, Json, Event] | None:
    """The id and the words of the model's response, and the call in it that this action carried out."""
    metadata = event.get("tool_call_metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("function_name"), str):
        return None
    response = metadata.get("model_response")
    response = response if isinstance(response, dict) else {}
    message: Event = next(iter(objects_in(response_in(response))), {})
    identity = metadata.get("tool_call_id")
    listed = message.get("tool_calls")
    for call in listed if isinstance(listed, list) else ():
        if isinstance(call, dict) and call.get("id") == identity:
            own = {key: one for key, one in call.items() if key in {"id", "function"}}
            return _id(response), message.get("content"), own
    given = {key: one for key, one in _args(event).items() if key not in _BESIDE}
    call = {"id": identity, "function": {"name": metadata["function_name"], "arguments": given}}
    return _id(response), message.get("content", _args(event).get("thought")), call


def _id(response: Event) -> str | None:
    identity = response.get("id")
    return identity if isinstance(identity, str) and identity else None


FORMAT: Final = Format(
    name=NAME,
    title="evaluation output of OpenHands",
    keys=("history", "instance_id", "instruction", "test_result"),
    claims=claims,
    read=read,
)
