"""What the fields of somebody's own messages mean, told by what stands in them and not by what they are called.

Comes in: the items of several conversations, in order. Goes out: the keys of the speaker, the words, the calls and the results, in the words of
a mapping, and whose word each speaker's is. Who calls tools is the agent, what names a call's id is a result, the one text that
opens the conversations is the system's, and of the speakers one is left: the user. None where any of this may be read in two ways.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ingest.dialects.parts import CALL_TYPES, RESULT_TYPES, kinds_of
from ingest.formats.records.speech import moment
from ingest.records.text import Json, json_text, objects_in

_TOOL: Final = re.compile(r"[A-Za-z_][\w.-]{1,63}")
_LONGEST_WORD: Final = 40
_MOST_SPEAKERS: Final = 4
_NEARLY: Final = 0.9

Item = dict[str, Any]
Words = dict[str, dict[str, str]]
"""The keys under which `message` and `call` hold what, and the `roles` of the speakers."""


def words_of(lists: Sequence[Sequence[Item]]) -> Words | None:
    """What the messages say where; None where no one reading is sure."""
    told = (_words(lists, *keys) for keys in speakers_in(lists))
    return next((one for one in told if one is not None), None)


def speakers_in(lists: Sequence[Sequence[Item]]) -> Iterator[tuple[str, str]]:
    """The keys that may say who speaks, each with the one that most often says something.

    Every item has a word there, the words are few, and nearly every conversation has two of them.
    """
    items = [item for one in lists for item in one]
    keys = list(dict.fromkeys(key for item in items for key in item))
    for speaker in keys:
        words = {one[speaker] if isinstance(one.get(speaker), str) else "" for one in items}
        plain = all(0 < len(word) <= _LONGEST_WORD and "\n" not in word for word in words)
        several = sum(len({str(one.get(speaker)) for one in told}) > 1 for told in lists)
        said = {key: sum(_is_said(one.get(key)) for one in items) for key in keys if key != speaker}
        few = plain and len(words) <= min(_MOST_SPEAKERS, len(items))
        if few and several >= _NEARLY * len(lists) and any(said.values()):
            yield speaker, max(said, key=lambda key: said[key])


def _words(lists: Sequence[Sequence[Item]], speaker: str, said: str) -> Words | None:
    items = [item for one in lists for item in one]
    rest = list(dict.fromkeys(key for item in items for key in item if key != speaker))
    own: dict[str, list[Item]] = {}
    for item in items:
        own.setdefault(item[speaker], []).append(item)
    kinds = {who: {k for one in told for k in kinds_of(one.get(said))} for who, told in own.items()}
    called = {key: _call_in([_objects_at(one, key) for one in lists]) for key in rest}
    calls, call = next(((key, call) for key, call in called.items() if call), ("", {}))
    callers = {who for who in own if kinds[who] & CALL_TYPES or _objects_at(own[who], calls)}
    ids = {str(one[call["id"]]) for one in _objects_at(items, calls) if "id" in call}
    quoting = {
        who: key
        for key in rest
        for who in own.keys() - callers
        if ids and all(str(one.get(key)) in ids for one in own[who])
    }
    telling = quoting.keys() | {who for who in own if kinds[who] and kinds[who] <= RESULT_TYPES}
    others = [who for who in own if who not in callers | telling]
    users = [who for who in others if not _opens(own[who], lists)]
    if not callers and all(kinds[who] == {"text"} for who in others):
        users, callers = others[:1], {*others[1:]}  # typed texts: who begins wants something
    users = users or others
    if not len(users) == len(callers) == 1 or len(others) > 2:
        return None
    spoken = (one.get(said) or one.get(calls) for who in (*users, *callers) for one in own[who])
    beside = (one for key in rest if key != calls for one in _objects_at(items, key))
    results = len(quoting) + ("result" in call)
    # Who says nothing there says it elsewhere, and results may stand in a list of their own.
    if not all(spoken) or any(ids & {*map(str, one.values())} for one in beside) or results > 1:
        return None
    times = (key for key in rest if all(moment(one.get(key)) is not None for one in items))
    message = {"role": speaker, "content": said, "time": next(times, ""), "calls": calls}
    for who, key in quoting.items():
        elsewhere = {k for other in own.keys() - {who} for one in own[other] for k in one}
        left = {k for one in own[who] for k in one} - {*elsewhere, key, *call.values()} or {said}
        message |= {"call_id": key, "result": min(left)}
        if len(left) > 1 or not all(left & one.keys() for one in own[who]):
            return None
    roles = dict.fromkeys(others, "system") | dict.fromkeys(telling, "user")
    roles |= dict.fromkeys(quoting, "tool") | dict.fromkeys(callers, "assistant")
    return {"message": message, "call": call, "roles": roles | dict.fromkeys(users, "user")}


def _is_said(value: Json) -> bool:
    return len(value.split()) > 1 if isinstance(value, str) else bool(kinds_of(value))


def _objects_at(items: Sequence[Item], key: str) -> list[Item]:
    return [one for item in items for one in objects_in(item.get(key))]


def _call_in(lists: Sequence[Sequence[Item]]) -> dict[str, str]:
    """The keys of the calls of several conversations: a tool's word, its arguments in an object, an id that each has alone, at most one more thing."""
    calls = [call for one in lists for call in one]
    keys = list(dict.fromkeys(key for one in calls for key in one))
    told = {key: [str(one.get(key, "")) for one in calls] for key in keys}
    words = [key for key in keys if all(map(_TOOL.fullmatch, told[key]))]
    given = next((key for key in keys if all(isinstance(c.get(key), dict) for c in calls)), "")
    # A tool comes again, and has the arguments that it has.
    kinds = {key: len(set(told[key])) for key in words}
    forms = {key: len({(one[key], *one[given]) for one in calls}) for key in words if given}
    tools = [key for key in forms if kinds[key] < len(calls) and forms[key] <= 2 * kinds[key]]
    tools = [key for key in tools if not any(map(str.isdigit, "".join(told[key])))] or tools
    if len(tools) != 1:
        return {}
    each = (k for k in words if all(len({c[k] for c in one}) == len(one) for one in lists))
    own_id = max((key for key in each if key != tools[0]), key=kinds.__getitem__, default="")
    rest = [key for key in keys if key not in {tools[0], given, own_id}]
    call = {"name": tools[0], "arguments": given, "id": own_id, "result": "".join(rest)}
    return {key: one for key, one in call.items() if one} if len(rest) < 2 else {}


def _opens(told: Sequence[Item], lists: Sequence[Sequence[Item]]) -> bool:
    """Whether items are only ever the first of their conversation, and nearly all say the same."""
    first = {id(items[0]) for items in lists}
    alike = Counter(json_text([one for one in item.values() if _is_said(one)]) for item in told)
    return all(id(one) in first for one in told) and max(alike.values()) >= _NEARLY * len(told)
