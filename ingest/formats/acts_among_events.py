"""What an agent did, where a log of events tells it between the messages: an action by its name, and what came of it.

Comes in: the items of a list of messages. Goes out: the same, with each such action as a call and its result. What came of it says the event
that ends it (`action_finished`), or the events directly behind it, which set values. An action of which neither is ever told is the
log's own: it listens, or says what stands in the next message.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final

from ingest.formats.records.speech import strength
from ingest.formats.records.words import NAMES, is_name, snake_case
from ingest.records.call_names import ARGUMENTS, CALL_LISTS, RESULTS
from ingest.records.text import Json, json_text

_KINDS: Final = (*NAMES["happened"], "type", "part_type", "kind")
_ACTION: Final = "action"
_ENDED: Final = frozenset(NAMES["returned"])
_TOOL: Final = ("tool", "tool_name")
_TOLD_ELSEWHERE: Final = (*NAMES["said"], *CALL_LISTS, *_TOOL, "tool_call_id")
"""What a message has, or a call that says what its tool is."""
_ASKED_NEXT: Final = "requested_slot"
"""What an engine sets for itself while it fills a form."""

Item = dict[str, Any]


def with_acts(items: Sequence[Json]) -> list[Json]:
    """The items, what was done among them as messages."""
    # What came of a call that names its tool belongs to that call.
    calls = (one for one in items if isinstance(one, dict))
    tools = {str(one[key]) for one in calls for key in _TOOL if one.get(key)}
    found = ((n, _act_in(item)) for n, item in enumerate(items))
    acts = {n: one for n, one in found if one is not None and one[0]["name"] not in tools}
    made: dict[int, tuple[Item, Json]] = {}
    begun: dict[str, int] = {}
    for number, (act, is_end) in acts.items():
        told = next((act[key] for key in RESULTS if act.get(key) is not None), None)
        if is_end:
            made[begun.pop(act["name"], number)] = act, told
        else:
            begun[act["name"]] = number
            made[number] = act, told if told is not None else _set_behind(items, number)
    known = {act["name"] for act, told in made.values() if told is not None}
    whole: list[Json] = []
    for number, item in enumerate(items):
        if number not in acts:
            whole.append(item)
        elif number in made and made[number][0]["name"] in known:
            whole += _messages(item, *made[number], f"act_{number}")
    return whole


def _act_in(item: Json) -> tuple[Item, bool] | None:
    """The object that names an action, where an item is an event of one and says nothing, and whether the event ends it."""
    told = {k: v for k, v in item.items() if v is not None} if isinstance(item, dict) else {}
    if any(map(told.get, _TOLD_ELSEWHERE)):
        return None
    words = next((snake_case(told[k]).split("_") for k in _KINDS if _tells(told.get(k))), None)
    if words is None or strength(told):
        return None
    below = [one for one in told.values() if isinstance(one, dict)]
    named = (one.get(_ACTION) for one in (told, *below))
    act = next((one for one in named if isinstance(one, dict)), told)
    return (act, words[-1] in _ENDED) if is_name(act.get("name")) else None


def _tells(kind: Json) -> bool:
    return isinstance(kind, str) and _ACTION in snake_case(kind).split("_")


def _set_behind(items: Sequence[Json], number: int) -> Item | None:
    """The values that the events directly behind an item set."""
    rest = (items[n] for n in range(number + 1, len(items)))
    behind = (one if isinstance(one, dict) else {} for one in rest)
    sets = takewhile(
        lambda one: is_name(one.get("name")) and "value" in one and not strength(one), behind
    )
    return {one["name"]: one["value"] for one in sets if one["name"] != _ASKED_NEXT} or None


def _messages(item: Item, act: Item, told: Json, call_id: str) -> list[Json]:
    at = {key: item[key] for key in NAMES["time"] if key in item}
    given: Json = next((act[key] for key in ARGUMENTS if isinstance(act.get(key), dict)), {})
    function = {"name": act["name"], "arguments": json_text(given)}
    call = {"id": call_id, "type": "function", "function": function}
    result = {"role": "tool", "tool_call_id": call_id, "content": json_text(told), **at}
    asked = {"role": "assistant", "content": "", "tool_calls": [call], **at}
    return [asked] if told is None else [asked, result]
