"""Files of JSON lines with one message a line: one conversation, or several where the lines name theirs.

Comes in: the values of all lines of a file. Goes out: a chat for each conversation. Lines that are no messages are named in
`completeness`. Lines may also be events of several runs at once (calls to a model, calls of tools, verdicts), each with what happened in an object:
a call to the model sends again what was said before, so that the last one tells it all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from ingest.files.file_facts import stem_of
from ingest.formats.format import Decoded, Format
from ingest.formats.item_forms import WRAPPED, event_in, unfolded
from ingest.formats.records.conversation import answer_in
from ingest.formats.records.fields import CONVERSATION, TASK, TRIAL, Fields
from ingest.formats.records.find import conversations_of, is_record, messages_of
from ingest.formats.records.reader import Standing, read_record
from ingest.formats.records.speech import ROLE_NAMED, strength
from ingest.formats.records.steps import AgentStep, step_in
from ingest.formats.records.verdicts import verdicts_among
from ingest.formats.records.words import NAMES, snake_case
from ingest.formats.records.written_calls import acts_in_steps
from ingest.otlp.record import Arrival
from ingest.records.text import Json, objects_in, type_of

NAME: Final = "message_lines"
_LOOKED_AT: Final = 20
"""Lines among which an event may say how the conversation is called."""
_MADE: Final = frozenset(NAMES["made_by_model"])
_SEVERAL: Final = 2

Event = dict[str, Any]
Happened = tuple[str, Event, list[Event]]
"""An event's word, what it holds, and what a model was sent there."""


def claims(value: Json) -> bool:
    """Whether a value is one message, or one step whose action is a text."""
    if not isinstance(value, dict) or is_record(value):
        return False
    return strength(value) == ROLE_NAMED or bool(acts_in_steps([value]))


def read(values: Json, arrival: Arrival) -> Decoded:
    """Read all lines of a file."""
    objects = [one for one in values if isinstance(one, dict)]
    found = Decoded()
    for run, events in sampled_runs(objects).items():
        record = {**_sampled_record(events), "sample_id": run}
        if record["messages"]:
            found.add(read_record(record, replace(arrival, text=None), Standing(source=NAME)))
    if found.chats:
        return found
    is_logged = any(WRAPPED in one or event_in(one) is not None for one in objects)
    if is_logged:
        values = [unfolded(one) for one in objects]
    are_steps = bool(objects) and not strength(objects[0]) and bool(acts_in_steps(objects[:1]))
    by_name = _runs_of(objects) if are_steps else conversations_of(values)
    file = stem_of(arrival.source) if arrival.facts.is_alone and len(by_name) == 1 else None
    for name, items in by_name.items():
        named = name or _named_by_event(items) or file
        # A logger says in one field what happened, also where nobody said anything.
        told = [one for one in items if strength(one)] if is_logged else items
        record = {"messages": told} | ({} if named is None else {"conversation_id": named})
        # A reward that stands on every step is the step's; so is the name of its task.
        record = _names_on(items[0]) | record if are_steps else record | verdicts_among(items)
        if is_record(record):
            found.add(read_record(record, arrival, Standing(source=NAME)))
    return found


def sampled_runs(rows: Iterable[Event]) -> dict[str, list[Happened]]:
    """What happened in each run that events of an evaluation name; nothing where few of them are calls to a model, or more hold nothing."""
    runs: dict[str, list[Happened]] = {}
    empty = 0
    for row in rows:
        name = Fields(own=row).top_text((*TASK, *CONVERSATION))
        loads = [row[key] for key in NAMES["envelopes"] if isinstance(row.get(key), dict)]
        is_event = len(loads) == 1 and isinstance(type_of(row), str)
        empty += name is not None and not is_event
        if name is not None and is_event:
            runs.setdefault(name, []).append((row["type"], loads[0], _sent_in(loads[0])))
    calls = sum(bool(sent) for events in runs.values() for *_, sent in events)
    return runs if calls >= max(_SEVERAL, empty) else {}


def _sent_in(load: Event) -> list[Event]:
    """What a model was sent, where an event holds that with its answer."""
    place = messages_of(load) if _MADE & load.keys() else None
    return objects_in(place.items) if place else []


def _sampled_record(events: Iterable[Happened]) -> Event:
    """What the events of a run tell: all messages, with the calls of tools where they were made, and the rest by what it is.

    What tells the model from the user's side what came of a call is the tool's.
    """
    told, acts, beside = list[Event](), list[tuple[int, AgentStep]](), Event()
    for kind, load, sent in events:
        step = step_in(load)
        if sent:
            made = next(load[key] for key in load if key in _MADE)
            told = [*sent, *answer_in(made[0] if isinstance(made, list) and made else made)[:1]]
        elif step is not None and step.results:
            acts.append((len(told), step))
        else:
            beside[kind] = load
    for place, step in reversed(acts):
        said = [one for one in told[:place][-1:] if one.get("role") == "assistant"]
        after = [one for one in told[place : place + 1] if one.get("role") == "user"]
        text = str(after[0].get("content")) if after else ""
        retold = bool(after) and all(str(one["content"]) in text for one in step.results)
        asked = {"role": "assistant", "content": None, **(said[0] if said else {})}
        results = [{"role": "tool", **one} for one in step.results]
        told[place - len(said) : place + retold] = [{**asked, "tool_calls": step.calls}, *results]
    return {**beside, "messages": told}


def _runs_of(steps: Sequence[dict[str, Any]]) -> dict[str | None, list[Any]]:
    """Steps by all that names their conversation, task and attempt."""
    runs: dict[str | None, list[Any]] = {}
    for step in steps:
        named = "/".join(str(one) for one in _names_on(step).values() if one is not None)
        last = named or next(reversed(runs), None)  # a footer names nothing
        runs.setdefault(last if "action" not in step else named or None, []).append(step)
    return runs


def _names_on(step: Json) -> dict[str, Any]:
    """What a step says that it belongs to."""
    own = step if isinstance(step, dict) else {}
    names = (*CONVERSATION, *TASK, *TRIAL, "run_id")
    return {key: one for key, one in own.items() if snake_case(key) in names}


def _named_by_event(items: Sequence[Json]) -> str | None:
    """The id that an event of the log itself gives the conversation when it begins."""
    for item in items[:_LOOKED_AT]:
        if not isinstance(item, dict) or type_of(item) is None or strength(item):
            continue
        loads = [item[key] for key in NAMES["envelopes"] if isinstance(item.get(key), dict)]
        if loads and snake_case(item["type"]) in NAMES["session_events"]:
            return Fields(loads[0]).top_text((*CONVERSATION, "id"))
    return None


FORMAT: Final = Format(
    name=NAME,
    title="messages, one a line,",
    keys=("role", "content"),
    claims=claims,
    read=read,
    is_whole_file=True,
    is_sure=False,
    takes_mapping=True,
)
