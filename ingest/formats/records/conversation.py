"""A list of messages in any shape to messages as a chat log has them.

Comes in: the items of a list of messages. Goes out: `Conversation`: messages in the chat log's words, the tools that stood
among them, and what is missing. Who speaks is settled first (`participants`), then each message is read in order.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from ingest.dialects.messages import Messages, read_messages, read_more
from ingest.files.partial_json import parse_json
from ingest.formats.records.calls import message_calls
from ingest.formats.records.participants import settle
from ingest.formats.records.speech import Speech, moment, speeches
from ingest.formats.records.steps import AgentStep, call_of
from ingest.formats.records.transcripts import OPENED, turns_of
from ingest.formats.records.written_results import (
    as_program,
    bind_feedback,
    bind_programs,
    bind_tagged,
    bind_written,
    with_listed_calls,
    with_programs_once,
    with_quoted_calls,
)
from ingest.records.call_names import CALL_IDS, RESULTS
from ingest.records.episode import Step
from ingest.records.moments import to_text
from ingest.records.text import Json, json_text, objects_in, type_of

Message = dict[str, Any]
_RETURNED: Final = frozenset({"content", *RESULTS})
_IN_EARNEST: Final = re.compile(r"(?i)\bnow\b[^.:\n]{0,60}\b(?:actual|real)\b[^.:\n]{0,20}\btask\b")
_EXAMPLE: Final = re.compile(r"(?i)\b(?:example|demonstration)s?\b")
_SEVERAL: Final = 2
_LONGEST_START: Final = 240
_LONGEST: Final = 8_000
_QUOTED: Final = ('""', "''", "()", "=)")


@dataclass(slots=True, kw_only=True)
class Conversation:
    """Messages, and what is known of them."""

    messages: list[Message] = field(default_factory=list)
    agent: str | None = None
    tools: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)

    def says(self, text: str, *, role: str | None = None) -> bool:
        """Whether a message holds a text, spaces aside."""
        wanted = "".join(text.split())
        return any(
            wanted in "".join(str(message["content"] or "").split())
            for message in self.messages
            if role in {None, message["role"]}
        )

    @property
    def ends_in_words(self) -> bool:
        """Whether the last that was said is an answer, and no call."""
        last = self.messages[-1] if self.messages else None
        return last is not None and last["role"] == "assistant" and not last.get("tool_calls")

    def _gave(self, text: str) -> bool:
        """Whether the last call was made with an answer (`final_answer(answer="x")`), and gave it back if it gave anything."""
        last = self.messages[-1]
        back = str(last["content"]).strip() if last["role"] == "tool" else text
        calls = [call for one in self.messages[-2:] for call in one.get("tool_calls") or ()]
        told = [parse_json(call["function"]["arguments"]) for call in calls]
        values = [
            v for one in told if one and isinstance(one.value, dict) for v in one.value.values()
        ]
        # A program makes the call: `final_answer("x")`.
        given = [
            str(v) == text or any(f"{a}{text}{z}" in str(v) for a, z in _QUOTED) for v in values
        ]
        return any(given) and back.endswith(text)

    def _retells(self, text: str) -> bool:
        """Whether a text tells all that was said, several messages, once more."""
        said = [one["content"] for one in self.messages if one["role"] in {"user", "assistant"}]
        return len(said) > _SEVERAL and all(isinstance(one, str) and one in text for one in said)

    def take_answer(self, value: Json) -> bool:
        """Append what a model answered, unless a message holds it; whether the value is an answer at all."""
        made = answer_in(value) if self.messages else []
        made = [as_program(one, self.messages) for one in made]
        texts = [text for message in made if (text := message["content"])]
        asked = [message["tool_calls"] for message in made if "tool_calls" in message]
        known = [message.get("tool_calls") for message in self.messages]
        held = all(
            self.says(text, role="assistant") or self._gave(text) or self._retells(text)
            for text in texts
        )
        if not made or (held and all(calls in known for calls in asked)):
            return bool(made)
        if self.ends_in_words:
            self.flags.add("answer_left_out")
        else:
            self.messages += made
        return True

    def take_calls(self, beside: Iterable[tuple[int | None, AgentStep]]) -> None:
        """Put in calls that the record lists beside its messages, each at its time in nanoseconds, unless messages hold calls.

        Where a time is missing, or puts a call before its turn or behind it (rows that are written when a turn is over), none is put in: `calls_left_out`.
        """
        if any(one["role"] == "tool" or "tool_calls" in one for one in self.messages):
            return
        said = self._moments()
        made: list[tuple[int, int, Message]] = []
        for number, (at, step) in enumerate(beside):
            place = None if at is None or said is None else self._place_of(at, said)
            if at is None or place is None:
                self.flags.add("calls_left_out")
                return
            tg = {"tg": {"time": to_text(at)}}
            names = {call["id"]: f"{call['id']}_{number}" for call in step.calls}
            calls = [{**call, "id": names[call["id"]]} for call in step.calls]
            asked = {"role": "assistant", "content": None, "tool_calls": calls, **tg}
            made.append((place, at, asked))
            for result in step.results:
                call_id = names.get(result["tool_call_id"])
                made.append((place, at, {"role": "tool", **result, "tool_call_id": call_id, **tg}))
        whole = [(place, 0, one) for place, one in enumerate(self.messages)]
        # Before a message of the same place stand its calls.
        rows = sorted([*made, *whole], key=lambda row: (row[0], row[1] == 0, row[1]))
        self.messages = [one for _, _, one in rows]

    def _moments(self) -> list[tuple[int, bool]] | None:
        """When each message was said and whether the agent says it; None where times are missing or out of order."""
        found: list[tuple[int, bool]] = []
        for one in self.messages:
            at = moment(one.get("tg", {}).get("time"))
            if at is None and one["role"] != "system":
                return None
            # Of one moment, the user's message is first, then a call, then the answer.
            found.append(
                (found[-1][0] if at is None and found else at or 0, one["role"] == "assistant")
            )
        return found if found == sorted(found) else None

    def _place_of(self, at: int, said: Sequence[tuple[int, bool]]) -> int | None:
        """The number of the message before which a call of that time stands; None where that is not the agent's turn."""
        place = bisect_left(said, (at, True))
        if place == len(said):
            asks = bool(self.messages) and self.messages[-1]["role"] == "user"
            return place if asks else None
        return place if self.messages[place]["role"] == "assistant" else None

    def has(self, role: str) -> bool:
        """Whether somebody of a role says anything."""
        return any(message["role"] == role for message in self.messages)


def read_conversation(items: Sequence[Json]) -> Conversation:
    """Read a list of messages."""
    said = _in_order(_once_each(speeches(items)))
    if _runs_backwards(said):
        said.reverse()
    found = Conversation(agent=settle(said))
    said = _without_demonstration(found, _without_pieces(said))
    bind_tagged(said)
    said = with_programs_once(with_listed_calls(said))
    said = with_quoted_calls(said)
    bind_programs(said)
    bind_written(said)
    said = list(_with_results_apart(said))
    if not all(isinstance(item, dict | list) for item in items):
        found.flags.add("odd_messages")
    read = Messages()
    calls: set[str] = set()
    wraps = any({"output"} == told.keys() for one in said for told in _given_to_gemini(one))
    for one in said:
        before = len(read.steps)
        last = read.steps[-1] if read.steps else None
        read_more(_readable(one, calls), read, role=one.role or "user")
        if last is not None and len(read.steps) == before and read.steps[-1] is not last:
            # A call that stands alone in the list joined the turn before it.
            found.messages[-1] = {**found.messages[-1], **_message(read.steps[-1], one)}
        steps = (_unwrapped(step) if wraps else step for step in read.steps[before:])
        found.messages += [_message(_as_said(step, one), one) for step in steps]
        found.flags |= one.flags
        for step in read.steps[max(before - 1, 0) :]:
            calls.update(call.call_id for call in step.tool_calls)
    bind_feedback(found.messages)
    found.flags |= read.flags
    found.tools = read.tools
    return found


def _once_each(said: Iterable[Speech]) -> list[Speech]:
    """Each message once, where a log tells it by several events one after the other.

    Where each of the user's messages is told twice, what is told once before the first of them is the client's own: a context that it
    writes from the user's side.
    """
    found: list[Speech] = []
    repeated: list[int] = []
    last: Speech | None = None
    for one in said:
        if last is None or not (one.is_event and last.is_event and _are_same(one, last)):
            found.append(one)
        elif one.role == "user":
            repeated.append(len(found) - 1)
        last = one
    _set_to_system(one for one in found[: repeated[0] if repeated else 0] if one.is_event)
    return found


def _set_to_system(said: Iterable[Speech]) -> None:
    """Make a client's own of what it tells its model as the user's."""
    for one in said:
        if one.role == "user":
            one.role = "system"
            one.message = {key: value for key, value in one.message.items() if key != "role"}


def _without_pieces(said: Sequence[Speech]) -> list[Speech]:
    """The messages without pieces of an answer that were kept as they came, several of them, where the whole one stands behind them."""
    found: list[Speech] = []
    for one in said:
        begin = len(found)
        follows = {piece.role for piece in (*found[-2:], one)} == {"assistant"}
        rest = _text_of(one) if follows else ""
        while rest and begin and found[begin - 1].role == "assistant":
            text = _text_of(found[begin - 1])
            if not text or not rest.endswith(text):
                break
            rest, begin = rest.removesuffix(text), begin - 1
        if not rest and len(found) - begin > 1:
            del found[begin:]
        found.append(one)
    return found


def _without_demonstration(found: Conversation, said: list[Speech]) -> list[Speech]:
    """The messages without those of an example that a prompt plays through before the user says what is asked in earnest; what begins it is the client's."""
    spoke = next((n for n, one in enumerate(said) if one.role == "assistant"), len(said))
    asks = (n for n, one in enumerate(said) if one.role == "user" and n > spoke)
    opening = (_text_of(one)[:_LONGEST] for one in said[:spoke] if one.role == "user")
    is_shown = any(map(_EXAMPLE.search, opening))
    starts = next((n for n in asks if _is_earnest(_text_of(said[n]), is_shown=is_shown)), spoke)
    found.flags |= {"other_messages_left_out"} if starts > spoke else set()
    _set_to_system(said[: spoke if starts > spoke else 0])
    return [*said[:spoke], *said[starts:]]


def _is_earnest(text: str, *, is_shown: bool) -> bool:
    """Whether a text begins with what is asked in earnest, or comes to it behind what it, or the prompt before it (`is_shown`), says of an example."""
    found = _IN_EARNEST.search(text[:_LONGEST])
    begins = found is not None and found.start() < _LONGEST_START
    told = found is not None and (is_shown or bool(_EXAMPLE.search(text[: found.start()])))
    return begins or told


def _text_of(one: Speech) -> str:
    """What a message says; nothing where it calls something."""
    steps = read_messages(one.message.get("content"), role="assistant").steps
    calls = one.message.get("tool_calls") or any(step.tool_calls for step in steps)
    return "" if calls else "".join(step.content or "" for step in steps)


def _with_results_apart(said: Sequence[Speech]) -> Iterator[Speech]:
    """The results of several calls, or of one in a list, apart, where a template wrote them as one list into the only message behind these."""
    made: list[Message] = []
    for before, one, after in zip((None, *said), said, (*said[1:], None), strict=False):
        asked = before.message.get("tool_calls") if before is not None else None
        alone = one.role == "tool" and (after is None or after.role != "tool")
        listed = _list_of(one.message.get("content")) if alone else None
        named = one.message.get("tool_call_id") is not None
        several = before is not None and (before.is_list or len(asked or ()) > 1)
        if one.role != "tool":
            made = objects_in(one.message.get("tool_calls", [one.message.get("function_call")]))
        if not asked or not several or named or listed is None or len(listed) != len(asked):
            yield _without_name(one, made)
            continue
        for call, result in zip(asked, listed, strict=True):
            told = json_text(_returned_by(call, result))
            yield replace(one, message={**one.message, "content": told})


def _without_name(one: Speech, asked: Sequence[Message]) -> Speech:
    """A result that names its tool, without the name."""
    content = one.message.get("content") if one.role == "tool" else None
    if not isinstance(content, str) or content[:1] != "{" or '"name"' not in content[:200]:
        return one
    read = parse_json(content)
    value = read.value if read else None
    told = next((back for call in asked if (back := _returned_by(call, value)) is not value), value)
    return (
        one if told is value else replace(one, message={**one.message, "content": json_text(told)})
    )


def _returned_by(call: Message, result: Json) -> Json:
    """What a call returned, where the result names its tool beside it."""
    names = {str(one.get("name")) for one in (call, call.get("function")) if isinstance(one, dict)}
    match result:
        case {"name": str(name), **more} if name in names:
            rest = {key: told for key, told in more.items() if key not in CALL_IDS}
            if len(rest) == 1 and rest.keys() <= _RETURNED:
                return rest.popitem()[1]
    return result


def _list_of(content: Json) -> list[Any] | None:
    read = parse_json(content) if isinstance(content, str) and content.startswith("[") else None
    value = content if read is None else read.value
    return value if isinstance(value, list) else None


def _in_order(said: Sequence[Speech]) -> list[Speech]:
    """Calls with their results inside one by one, as a later one may have been made by an earlier result; behind them the text, where it is the agent's last of a turn."""
    found: list[Speech] = []
    start = 0
    while start < len(said):
        one, end = said[start], start + 1
        while end < len(said) and said[end].role == "tool":
            end += 1
        text = one.message.get("content")
        is_last = end == len(said) or said[end].role != "assistant"
        if one.holds_results:
            is_behind = is_last and isinstance(text, str) and bool(text.strip())
            found += _one_by_one(one, said[start + 1 : end], None if is_behind else text)
            found += [replace(one, message={"content": text})] if is_behind else []
        else:
            found += said[start:end]
        start = end
    return found


def _one_by_one(asked: Speech, results: Sequence[Speech], text: Json) -> Iterator[Speech]:
    """Each call of a message with its result behind it; a text before the first."""
    calls = asked.message["tool_calls"]
    whose = [one.message.get("tool_call_id") for one in results]
    if whose != [call.get("id") for call in calls]:
        yield replace(asked, message={**asked.message, "content": text})
        yield from results
        return
    for number, (call, result) in enumerate(zip(calls, results, strict=True)):
        message = {**asked.message, "content": None if number else text, "tool_calls": [call]}
        yield replace(asked, message=message)
        yield result


def _are_same(one: Speech, other: Speech) -> bool:
    return one.role == other.role and bool(_text_of(one)) and _text_of(one) == _text_of(other)


def answer_in(value: Json) -> list[Message]:
    """What a model answered: a text, a message, several, a model API's whole response, or turns in a template that follow the first."""
    if not isinstance(value, str | dict | list):
        return []
    if isinstance(value, str) and (turns := turns_of(f"{OPENED}{value}")):
        return read_conversation(turns).messages
    if isinstance(value, str) and message_calls({}, value, index=0, is_model=True).calls:
        return read_conversation([{"role": "assistant", "content": value}]).messages
    listed = objects_in(value.get("output") if isinstance(value, dict) else None)
    if listed and all(map(call_of, listed)):
        value = {"role": "assistant", "content": None, "tool_calls": listed}
    made = read_messages(value, role="assistant")
    return [_message(step, Speech(role=step.role)) for step in made.steps]


def _runs_backwards(said: Sequence[Speech]) -> bool:
    """Whether a list shows the newest message first, as some services list them: by times, or as items' results stand before their calls."""
    times = [one.at for one in said if one.at is not None]
    if len(times) == len(said) > 1:
        falls = all(earlier >= later for earlier, later in pairwise(times))
        return falls and times[0] > times[-1]
    # Messages are what was sent to a model, in that order; items are also what a service lists.
    items = [one.message if one.is_item else {} for one in said]
    asked = {str(m["call_id"]): n for n, m in enumerate(items) if _is(m, "function_call")}
    answered = {str(m["call_id"]): n for n, m in enumerate(items) if _is(m, "function_call_output")}
    both = asked.keys() & answered.keys()
    return bool(both) and all(answered[one] < asked[one] for one in both)


def _is(message: Message, kind: str) -> bool:
    return type_of(message) == kind and "call_id" in message


def _readable(one: Speech, calls: set[str]) -> Message:
    if one.is_item:
        return one.message
    message = {"role": one.role, **one.message, **({"role": one.role} if one.role else {})}
    if message.get("tool_call_id") is None and str(message.get("id")) not in calls:
        message.pop("id", None)  # the message's own, not its call's
    return message


def _given_to_gemini(one: Speech) -> Iterator[Message]:
    """The objects that results are in a message to Gemini, whose API takes nothing else."""
    for part in objects_in(one.message.get("content")):
        told = part.get("functionResponse")
        response = told.get("response") if isinstance(told, dict) else None
        yield from [response] if isinstance(response, dict) else []


def _unwrapped(step: Step) -> Step:
    """A failure's own words, where a client wraps every text for Gemini, as `output` or as `error`; elsewhere the tool told it so."""
    told = parse_json(step.content or "") if step.role == "tool" and step.is_error else None
    match told.value if told else None:
        case {"error": str(words), **rest} if not rest:
            return replace(step, content=words)
    return step


def _as_said(step: Step, one: Speech) -> Step:
    """The step under the role that was said: calls in a message of the user are the user's."""
    if one.role == "user" and step.role == "assistant" and "tool_calls" in one.message:
        return replace(step, role="user")
    return step


def _message(step: Step, one: Speech) -> Message:
    message: Message = {"role": step.role, "content": step.content}
    if step.tool_calls:
        message["tool_calls"] = [
            {
                **({"id": call.call_id} if call.call_id else {}),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in step.tool_calls
        ]
    if step.role == "tool":
        # Without the key nothing is said about the call; with null, that there is none.
        if step.call_id is not None or one.message.get("tool_call_id", 0) is None:
            message["tool_call_id"] = step.call_id
        if step.tool_name:
            message["name"] = step.tool_name
    tg: Message = dict(one.tg) if isinstance(one.tg, dict) else {}
    if one.at is not None:
        tg.setdefault("time", to_text(one.at))
    if step.is_error is not None:
        tg.setdefault("is_error", step.is_error)
    if step.role == "assistant":
        if one.name is not None:
            tg.setdefault("agent", one.name)
        usage = {"input_tokens": one.input_tokens, "output_tokens": one.output_tokens}
        if any(count is not None for count in usage.values()):
            tg.setdefault("usage", {k: v for k, v in usage.items() if v is not None})
    return {**message, "tg": tg} if tg else message
