"""What an agent did, where a log of events tells it between the messages: an action by its name, and what came of it.

Comes in: the items of a list of messages. Goes out: the same, with each such action as a call and its result. What came of it says the event
that ends it (`action_finished`), or the events directly behind it, which set values. An action of which neither is ever told is the
log's own: it listens, or says what stands in the next message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile
from typing import Any, Final

from ingest.formats.records.speech import spoken_pairs, strength
from ingest.formats.records.words import NAMES, is_name, snake_case
from ingest.formats.records.written_calls import ARGUMENT
from ingest.records.call_names import ARGUMENTS, CALL_LISTS, RESULTS, TOOLS
from ingest.records.text import Json, json_text

_KINDS: Final = (*NAMES["happened"], "type", "part_type", "kind")
_ACTION: Final = "action"
_INTENT: Final = "intent"
"""What an action is called that somebody did with a hand and a mouse."""
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


def acts_in_pairs(items: list[Any], beside: Iterable[Sequence[Json]]) -> list[Any]:
    """Pairs of who speaks and what is said, of which some are what a screen showed when an agent acted (`["action", "Order found."]`), these as calls with results.

    What was called, with which values, stands in the same place of a list beside them, if anywhere: a name, and a list behind it.
    """
    said = spoken_pairs(items)
    acts = [n for n, one in enumerate(said) if one["speaker"].lower() == _ACTION]
    lists = (one for one in beside if one is not items and len(one) == len(items)) if acts else ()
    named = ({n: _named_in(one[n]) for n in acts} for one in lists)
    calls = next((one for one in named if all(one.values())), {})
    told: list[Any] = []
    for number, one in enumerate(said if acts else items):
        if number not in acts:
            told.append(one)
            continue
        act = calls.get(number) or {"name": _ACTION, "arguments": {}}
        told += _messages({}, act, one["text"], f"act_{number}")
    return told


def _named_in(item: Json) -> Item | None:
    """The name with a list of values behind it that a list of an item holds."""
    lists = (
        [one for one in item.values() if isinstance(one, list)] if isinstance(item, dict) else []
    )
    pairs = (pair for one in lists for pair in pairwise(one))
    found = ((name, v) for name, v in pairs if is_name(name) and isinstance(v, list))
    return next(
        ({"name": name, "arguments": {ARGUMENT: v} if v else {}} for name, v in found), None
    )


def acted_dialogue(items: Sequence[Json]) -> list[Item]:
    """Messages of a list in which two people talk and one of them acts, each act an object that names it with its arguments; none where an item is neither.

    Who acts does so when the other has spoken, and speaks when it is done; where both do so alike, nothing says who it is.
    """
    told = [item if isinstance(item, dict) else {} for item in items]
    acts = [_named_act(one) for one in told]
    said = [_said_by(one) for one in told]
    if not any(acts) or not all(one or two for one, two in zip(acts, said, strict=True)):
        return []
    # Who speaks, and "" for each act; of acts in a row the first and the last have speakers beside them.
    who = ["" if one is None else one[0] for one in said]
    asks = Counter(one for one, after in pairwise(who) if one and not after)
    asks.subtract(one for before, one in pairwise(who) if one and not before)
    speakers = sorted(asks.keys() | {*who} - {""}, key=lambda one: asks[one])
    if len(speakers) != 2 or not asks[speakers[0]] < 0 < asks[speakers[1]]:
        return []
    roles = dict(zip(speakers, ("assistant", "user"), strict=True))
    made: list[Item] = []
    for number, (item, act, words) in enumerate(zip(told, acts, said, strict=True)):
        at = {key: item[key] for key in NAMES["time"] if key in item}
        if words is not None:
            made.append({"role": roles[words[0]], "content": words[1], **at})
        elif act is not None:
            call = {"id": f"act_{number}", "type": "function", "function": act}
            made.append({"role": "assistant", "content": None, "tool_calls": [call], **at})
    return made


def _named_act(item: Item) -> Item | None:
    """The tool and the arguments of the object that an item holds as its action."""
    act = item.get(_ACTION)
    own = act if isinstance(act, dict) else {}
    name = next((own[key] for key in (*TOOLS, _INTENT) if is_name(own.get(key))), None)
    given = next((own[key] for key in ARGUMENTS if isinstance(own.get(key), dict)), None)
    return None if name is None or given is None else {"name": name, "arguments": json_text(given)}


def _said_by(item: Item) -> tuple[str, str] | None:
    """Who speaks in an item, and what; None where nobody does."""
    who = next((item[key] for key in NAMES["speaker"] if is_name(item.get(key))), None)
    words = next((item[key] for key in NAMES["said"] if isinstance(item.get(key), str)), None)
    return (who, words) if isinstance(who, str) and words is not None else None


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
