"""Where in a value the messages are, and where the records that hold them: found by structure, not by key alone.

Comes in: a parsed value of any layout. Goes out: the list of messages with the objects around it, or the records of a list,
a map or a key further down. A key in common use decides only between several lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial, wraps
from itertools import chain, takewhile
from typing import Any, Final, TypeVar

from ingest.dialects.attributes import python_objects
from ingest.dialects.parts import first_of, kinds_of
from ingest.files.partial_json import parse_json
from ingest.formats.acts_among_events import acted_dialogue, acts_in_pairs, with_acts
from ingest.formats.message_trees import branch_in_map, kept_branch
from ingest.formats.records.fields import CONVERSATION, QUESTION, Fields
from ingest.formats.records.naming import MODEL_NAME
from ingest.formats.records.speech import (
    ROLE_NAMED,
    SPEAKER_NAMED,
    is_event,
    is_step,
    prompt_in,
    question_in,
    speeches,
    spoken_pairs,
    strength,
    time_of,
)
from ingest.formats.records.steps import AgentStep, is_idle, step_in
from ingest.formats.records.transcripts import items_of, turns_of
from ingest.formats.records.words import NAMES, role_of, snake_case
from ingest.formats.records.written_calls import (
    acts_by_name,
    acts_in_columns,
    acts_in_rounds,
    acts_in_steps,
    acts_in_world,
    acts_of,
    step_of_pair,
)
from ingest.records.call_names import CALL_IDS, CALL_LISTS
from ingest.records.text import NOT_JSON, Json, json_text, load_json, objects_in

MESSAGE_KEYS: Final = NAMES["messages"]
"""Names of lists of messages, the likeliest first."""
_LISTS_OF_MESSAGES: Final = frozenset(MESSAGE_KEYS) - {"input", "prompt"}
_ANSWERS: Final = frozenset(
    {"response", "response_body", "completion", "output", "outputs", "answer"}
)
_WRITTEN: Final = _ANSWERS - {"answer"} | {"generation"}
_OF_ONE: Final = frozenset(
    {*MESSAGE_KEYS, *_ANSWERS, "inputs", "request", "chosen", "state", "values"}
)
"""Keys of a record's own parts: where they stand, an object is one record and no map of several."""
_ASKED: Final = frozenset(NAMES["asked_of_record"])
_ANSWERED: Final = frozenset(NAMES["answered_by_record"])
_MADE_BY_MODEL: Final = frozenset(NAMES["made_by_model"])
_OF_RUNS: Final = frozenset(
    name
    for key in ("conversation", "model", "agent", "app", "started", "ended", "verdicts", "references", "trial")
    for name in NAMES[key]
)  # fmt: skip
"""What only a run has beside its question."""
_ASIDE: Final = frozenset(NAMES["aside"])
"""Keys below which messages are no part of what happened."""
_JUDGES: Final = frozenset({"judge", "evaluator", "grader"})
_LOGS: Final = frozenset({"events", "activities"})
_STEP_IDS: Final = ("stepId", "step_id", *CALL_IDS)
_DEEPEST: Final = 4
_IN_TURN: Final = 5
_LOOKED_AT: Final = 50
"""Items of a list that are looked at to tell what it is a list of."""
_MOST_LIKE: Final = 0.5


T = TypeVar("T")
_Answers = dict[tuple[str, int], tuple[Json, Any]]
_known: ContextVar[_Answers | None] = ContextVar(
    "what was found of the objects of a value", default=None
)


def _once_an_object(function: Callable[[Json], T]) -> Callable[[Json], T]:
    """The function, asked once of each object while its outermost question lasts.

    What an object is depends on what its parts are, from several sides: without this the work grows with a power of the depth.
    """

    @wraps(function)
    def ask_once(value: Json) -> T:
        known = _known.get()
        if known is None:
            token = _known.set({})
            try:
                return ask_once(value)
            finally:
                _known.reset(token)
        key = function.__name__, id(value)
        if key not in known:
            # With the object, whose id could be another's once it is gone.
            known[key] = value, function(value)
        answer: T = known[key][1]
        return answer

    return ask_once


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A list of messages within a record."""

    path: tuple[str, ...]
    """The keys that lead to it; empty for a bare list."""
    items: list[Any]
    holders: tuple[dict[str, Any], ...]
    """The objects that enclose it, the outermost first."""
    events: Sequence[Json] = ()
    """The list itself, where it also holds events that are none of these messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The records of a value."""

    path: tuple[str, ...]
    items: tuple[Any, ...]
    keys: tuple[str | None, ...]
    """The name under which each record stood, where they stood in a map."""
    around: tuple[dict[str, Any], ...]
    """The objects that enclose them: what they say of the whole file goes for every record."""


def are_messages(items: Json, *, key: str = "") -> bool:
    """Whether a list is one of messages."""
    if not isinstance(items, list) or not items:
        return False
    if kinds_of(items) and not any("role" in item for item in objects_in(items)):
        return False  # the parts of one message
    seen = [strength(item) for item in items[:_LOOKED_AT]]
    if _are_pairs(items):
        return snake_case(key) in MESSAGE_KEYS or bool(spoken_pairs(items))
    like = sum(one >= SPEAKER_NAMED for one in seen)
    if like < _MOST_LIKE * len(seen):
        return False
    # Beside steps, what the user asked may stand alone.
    whole = like == len(seen) or any(map(question_in, items[:_LOOKED_AT]))
    return ROLE_NAMED in seen or (snake_case(key) in MESSAGE_KEYS and whole)


def _are_pairs(items: Sequence[Json]) -> bool:
    return all(
        isinstance(one, list) and len(one) == 2 and all(isinstance(t, str | None) for t in one)
        for one in items[:_LOOKED_AT]
    )


@_once_an_object
def messages_of(value: Json) -> Place | None:
    """The list of messages of one record; None where it holds none of its own."""
    if isinstance(value, list):
        is_told = _is_run(value) or are_messages(value)
        kept = kept_branch(value, {}) if is_told else acts_in_steps(value) or _acts_at_views(value)
        return Place(path=(), items=kept, holders=()) if is_told or kept else None
    if not isinstance(value, dict) or _is_message(value) or _is_map(value):
        return None
    lists = [*map(_fullest, _lists(value))]
    found = [replace(place, items=acts) for place in lists if (acts := acts_of(place.items))]
    found = found or [place for place in lists if are_messages(place.items, key=place.path[-1])]
    if not any(_speaks(place.items) and not _asks_alone(place.items) for place in found):
        others = (list(read(value)) for read in _readers())
        found += next(filter(None, others), [])
    place = min(found, key=_rank, default=None)
    place = None if place and _is_judges(value, place) else place
    if place is None:
        return None
    items = acts_in_pairs(place.items, (one.items for one in lists))
    return replace(place, items=kept_branch(items, place.holders[-1]))


def _readers() -> tuple[Callable[[dict[str, Any]], Iterable[Place]], ...]:
    """The readers of records without a plain list of messages.

    A record is one reader's matter: in the opposite order they read the same of 24 sets of files. A new one may stand anywhere.
    """
    return (
        _groups_of_turns,
        _trees,
        _runs,
        _steps,
        _columns,
        _templates,
        _transcripts,
        partial(_kept_as_text, is_named=True),
        _events,
        _turns,
        _written_steps,
        _rounds,
        _acted_dialogues,
        _kept_as_text,
    )


def _is_run(items: list[Any]) -> bool:
    """Whether a list is what an agent was asked, behind its prompt if that is there, and then its steps, of which some may call nothing."""
    rest = items[1:] if items and prompt_in(items[0]) is not None else items
    steps = rest[1:] if rest and question_in(rest[0]) is not None else []
    return any(map(is_step, steps)) and all(is_step(one) or is_idle(one) for one in steps)


def _acts_at_views(items: list[Any]) -> list[Any]:
    """What an agent was asked and did, of which each item holds what it saw before, with all that was said so far; none where an item tells less."""
    views = [v for one in objects_in(items[:1]) for v in one.values() if isinstance(v, dict)]
    told = (one for view in views for one in view.values())
    said: list[Any] = next(filter(are_messages, told), [])
    acts = acts_of(items) if said else []
    return [*said, *acts] if acts else []


def _is_judges(value: dict[str, Any], place: Place) -> bool:
    """Whether all that a record tells is what the judge said that it names, or was asked where no verdict stands beside that."""
    own = {snake_case(key): one for key, one in value.items()}
    judges = {k: v for k, v in own.items() if isinstance(v, str) and k.split("_")[0] in _JUDGES}
    is_judged = any(key in NAMES["verdicts"] for key in own.keys() - judges.keys())
    roles = {one.role for one in speeches(place.items)} if judges else set()
    asks = any("model" in key for key in judges) and "assistant" not in roles
    asks = asks or any(map(MODEL_NAME.fullmatch, judges.values()))
    return bool(judges) and ((not is_judged and asks) or roles == {"assistant"})


def _fullest(place: Place) -> Place:
    """A list of one conversation's states, each of which begins as the one before it, as the fullest of them; a question alone is none."""
    states = [one for one in place.items if isinstance(one, list)]
    last = max(states, key=len, default=[])
    if not last or len(states) < len(place.items) or not isinstance(last[0], dict):
        return place
    if _asks_alone(last):
        return place
    return replace(place, items=last) if all(last[: len(one)] == one for one in states) else place


def _speaks(items: list[Any]) -> bool:
    """Whether somebody speaks in a list of messages: one of steps, or of what tools tell, is not all that was said."""
    return not _are_steps(items) and {one.role for one in speeches(items[:_LOOKED_AT])} != {"tool"}


def _are_steps(items: list[Any]) -> bool:
    return all(map(is_step, items[:_LOOKED_AT]))


def _asks_alone(items: list[Any]) -> bool:
    """Whether a list only holds what a user asks."""
    return all(isinstance(one, dict) and one.get("role") == "user" for one in items)


def _steps(value: dict[str, Any]) -> list[Place]:
    """Lists of an agent's calls with their results, beside what was asked of it."""
    if Fields(value).words(QUESTION) is None:
        return []
    lists = (replace(one, items=[*map(step_of_pair, one.items)]) for one in _lists(value))
    # An agent may answer at once.
    ends = any(isinstance(value.get(key), str) for key in _WRITTEN) and "_steps"
    told = (one for one in lists if _are_steps(one.items) or _is_run(one.items))
    return [one for one in told if one.items or (ends and one.path[-1].endswith(ends))]


def _written_steps(value: dict[str, Any]) -> list[Place]:
    """The one list of steps whose actions are texts; where there are more, nothing says which of them is what was done."""
    lists = (one for one in _lists(value) if snake_case(one.path[-1]) not in _ASIDE)
    read = ((one, _acts_in(one.items)) for one in lists)
    found = [replace(one, items=acts) for one, acts in read if acts]
    return found if len(found) == 1 else []


def _acts_in(items: list[Any]) -> list[Any]:
    return acts_in_steps(items) or acts_by_name(items) or acts_in_world(items)


def _rounds(value: dict[str, Any]) -> Iterator[Place]:
    """Rounds with a model, also those of several parts of a run that is judged as a whole."""
    for place in _lists(value):
        parts = [[*_lists(one)] for one in objects_in(place.items)]
        is_judged = any(snake_case(key) in NAMES["verdicts"] for key in place.holders[-1])
        told = [acts_in_rounds(part[0].items) for part in parts if is_judged and len(part) == 1]
        whole = [*chain.from_iterable(told)] if len(told) == len(place.items) and all(told) else []
        if acts := acts_in_rounds(place.items) or whole:
            yield replace(place, items=acts)


def _acted_dialogues(value: dict[str, Any]) -> Iterator[Place]:
    """Two who talk, of whom one acts."""
    for place in _lists(value):
        if acts := acted_dialogue(place.items):
            yield replace(place, items=acts)


def _transcripts(value: dict[str, Any]) -> Iterator[Place]:
    """Conversations that are one text, under any name where an agent thinks and acts in it."""
    for key, text in value.items():
        is_named = snake_case(key) in _LISTS_OF_MESSAGES
        items = items_of(text) if isinstance(text, str) and snake_case(key) not in _ASIDE else []
        if items and (is_named or {one["role"] for one in items} == {"assistant", "tool"}):
            yield Place(path=(key,), items=items, holders=(value,))


def _templates(value: dict[str, Any]) -> Iterator[Place]:
    """Texts in a model's template: a prompt with what the model wrote behind it, or both in one."""
    texts = {key: one for key, one in value.items() if isinstance(one, str)}
    wrote = [key for key in texts if snake_case(key).rpartition("_")[2] in _WRITTEN]
    for key, text in texts.items():
        for answer in (*wrote, None):
            if answer != key and (items := turns_of(text, texts.get(answer or ""))):
                rest = {k: one for k, one in value.items() if k not in {key, answer}}
                yield Place(path=(key,), items=items, holders=(rest,))
                return


def _groups_of_turns(value: dict[str, Any]) -> Iterator[Place]:
    """Messages that a list holds in groups, one a turn and these one a step, of which none tells both sides: that were a conversation."""
    for place in _lists(value):
        groups = [*_groups(place.items, 0)] if not are_messages(place.items) else []
        items = [item for group in groups for item in group]
        both = [
            {"user", "assistant"} <= {one.role for one in speeches(g)} for g in (items, *groups)
        ]
        if both[:1] == [True] and not any(both[1:]) and are_messages(items):
            yield replace(place, items=items)


def _groups(items: list[Any], deep: int) -> Iterator[list[Any]]:
    """The innermost lists of a list, in order, also those that an object holds under any key."""
    below = [
        [*one.values()] if isinstance(one, dict) and not strength(one) else [one] for one in items
    ]
    lists = [one for part in below for one in part if isinstance(one, list)]
    for one in lists if deep < _IN_TURN else ():
        yield from _groups(one, deep + 1)
    if not lists:
        yield items


def _trees(value: dict[str, Any]) -> Iterator[Place]:
    """The kept branches of maps of messages, each under its id."""
    for path, holders in _objects(value):
        items = branch_in_map(holders[-1], holders[-2]) if path else []
        if are_messages(items, key=path[-1] if path else ""):
            yield Place(path=path, items=items, holders=holders[:-1])


def _columns(value: dict[str, Any]) -> Iterator[Place]:
    """What an agent did and saw, in lists side by side."""
    for path, holders in _objects(value):
        if acts := acts_in_columns(holders[-1]):
            yield Place(path=path or ("",), items=acts, holders=holders)


def _events(value: dict[str, Any]) -> Iterator[Place]:
    """What a user and an agent say among other events of a log, with the calls that several events of one id tell."""
    for place in _lists(value):
        if snake_case(place.path[-1]) not in _LOGS:
            continue
        steps: dict[str, dict[str, Any]] = {}
        items: list[Any] = []
        for event in with_acts(place.items):
            load = event.get("value") if isinstance(event, dict) else None
            key = first_of(load, *_STEP_IDS)
            if isinstance(load, dict) and isinstance(key, str):
                items += [] if key in steps else [steps.setdefault(key, {"call_id": key})]
                steps[key] |= load
            elif isinstance(first_of(event, "text", "content"), str) and strength(event):
                items.append(event)
        items = [one for one in items if strength(one)]
        if {"user", "assistant"} <= {one.role for one in speeches(items)}:
            yield Place(path=place.path, items=items, holders=place.holders, events=place.items)


def _turns(value: dict[str, Any]) -> Iterator[Place]:
    """What was said and done in turns that each list it below, every item under the word for what it is: `{"userUtterance": {"text": …}}`."""
    for place in _lists(value):
        items: list[Any] = []
        for turn in objects_in(place.items):
            below = (_told_under(inner.items, turn) for inner in _lists(turn, deepest=_IN_TURN))
            items += next(filter(None, below), [])
        if {"user", "assistant"} <= {one["role"] for one in items}:
            yield Place(path=place.path, items=items, holders=place.holders)


def _told_under(items: list[Any], turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The items that stand under a word of two for somebody's part in a dialogue, as messages with the time and the mark of their turn."""
    words = {snake_case(key): one for key, one in turn.items()}
    beside = {key: one for key, one in words.items() if key in NAMES["time"]}
    beside["feedback"] = next(
        (one for key, one in words.items() if key.endswith("_feedback")), None
    )
    pairs = [pair for one in objects_in(items) for pair in one.items() if isinstance(pair[1], dict)]
    told = [(role_of(key), one) for key, one in pairs if "_" in snake_case(key)]
    return [{**beside, **one, "role": role} for role, one in told if role is not None]


def _runs(value: dict[str, Any]) -> Iterator[Place]:
    """The messages of a session whose runs, which all name it, stand in a list; what a later run repeats counts once."""
    name = Fields(value).top_text(CONVERSATION)
    for place in _lists(value) if name is not None else ():
        runs = [one for one in place.items if isinstance(one, dict)]
        if not all(Fields(one).top_text(CONVERSATION) == name for one in runs):
            continue
        once: dict[object, Any] = {}
        for inner in map(messages_of, runs):
            for item in inner.items if inner else ():
                once.setdefault(_identity(item, len(once)), item)
        if once:
            yield Place(path=place.path, items=list(once.values()), holders=place.holders)


def _identity(item: Json, number: int) -> object:
    """What is the same where a run repeats a message: its id, and the words of the prompt that opens each run."""
    if not isinstance(item, dict):
        return number
    role = item.get("role")
    told = item.get("content" if role == "system" else "id")
    return number if told is None else (str(role), json_text(told))


def _kept_as_text(value: dict[str, Any], *, is_named: bool = False) -> Iterator[Place]:
    """The messages that a store keeps as JSON text: a record's or a run's in any field, or any under a name for these (`is_named`), also in an object that has one."""
    for name, one in value.items():
        if snake_case(name) not in MESSAGE_KEYS if is_named else snake_case(name) in _ASIDE:
            continue
        for key, text in (one if isinstance(one, dict) and is_named else {"": one}).items():
            told = text.lstrip() if isinstance(text, str) else ""
            inner = messages_of(_shown_in(told)) if told[:1] in {"{", "["} else None
            if inner is not None and (inner.path or is_named or _is_run(inner.items)):
                path, holders = ((name, key), (value, one)) if key else ((name,), (value,))
                yield replace(inner, path=(*path, *inner.path), holders=(*holders, *inner.holders))


def _shown_in(text: str) -> Json:
    """The value of a text in JSON, or in Python's notation, or of a list that is cut off."""
    kept = load_json(text.encode("utf-8", "replace"))
    shown = python_objects(text) if kept is NOT_JSON else kept
    cut = parse_json(text) if shown is None and text.startswith("[{") else None
    return cut.value if cut else shown


def _is_message(value: dict[str, Any]) -> bool:
    """Whether an object is one message itself: the list in it is then its parts."""
    if strength(value) != ROLE_NAMED:
        return False
    return not any(
        isinstance(one, list) and snake_case(key) in _LISTS_OF_MESSAGES
        for key, one in value.items()
    )


def _rank(place: Place) -> tuple[bool, bool, bool, bool, int, bool, int, int]:
    words = [snake_case(key) for key in place.path]
    last = words[-1]
    rank = MESSAGE_KEYS.index(last) if last in MESSAGE_KEYS else len(MESSAGE_KEYS)
    aside = any(word in _ASIDE for word in words)
    told = bool(_ANSWERS & set(words))
    # What happened is told again by events around the messages.
    events = any(map(is_event, place.items[:_LOOKED_AT]))
    # What would have been right holds no question, and a prompt ends in one.
    roles = [one.get("role") for one in objects_in(place.items)]
    whole = {"user", "assistant"} <= {*map(str, roles)} and roles[-1] != "user"
    speaks = _speaks(place.items)
    return aside, told, not speaks, events, len(words), not whole, rank, -len(place.items)


def other_messages(value: dict[str, Any], taken: Place) -> int:
    """How many lists of messages a record holds besides the one that is read, answers and examples not counted."""
    lists = [p for p in _lists(value) if are_messages(p.items, key=p.path[-1])]
    return sum(1 for p in lists if p.items != taken.items and not any(_rank(p)[:2]))


def calls_beside(value: Json, taken: Place) -> Iterator[tuple[int | None, AgentStep]]:
    """The calls with their results that a record lists beside its messages, each with its time in nanoseconds where it says one."""
    for place in _lists(value) if isinstance(value, dict) else ():
        words = {snake_case(key) for key in place.path}
        if place.items is taken.items or words & _ASIDE or are_messages(place.items):
            continue
        is_named = not words.isdisjoint(CALL_LISTS)
        for item in place.items:
            yield from _timed_calls(item, is_named=is_named)


def settings_named(around: Iterable[dict[str, Any]], record: Json) -> Iterator[dict[str, Any]]:
    """The objects of lists around a record whose id an object in the record has."""
    own = objects_in([*record.values()] if isinstance(record, dict) else [])
    told = {str(one["id"]) for one in own if "id" in one}
    lists = (one for place in around for one in _lists(place) if told)
    items = (item for place in lists for item in objects_in(place.items))
    return (one for one in items if one is not record and one.get("id") in told)


def _timed_calls(item: Json, *, is_named: bool) -> Iterator[tuple[int | None, AgentStep]]:
    """The calls that an item of such a list is, or lists in an object of its own; a bare `name` may be that of anything."""
    if not isinstance(item, dict):
        return
    at = time_of(item)
    below = [one.get(key) for one in item.values() if isinstance(one, dict) for key in CALL_LISTS]
    calls = next((one for one in below if isinstance(one, list)), None)
    own = item if is_named else {key: one for key, one in item.items() if key != "name"}
    for one in calls if calls is not None else [own]:
        inner = one.get("function") if isinstance(one, dict) else None
        step = step_in({**one, **inner} if isinstance(inner, dict) else one)
        if step is not None and not step.is_below and step.results:
            yield at, step


def _lists(value: dict[str, Any], *, deepest: int = _DEEPEST) -> Iterator[Place]:
    """All lists that only objects enclose."""
    waiting: list[tuple[tuple[str, ...], tuple[dict[str, Any], ...]]] = [((), (value,))]
    while waiting:
        path, holders = waiting.pop(0)
        for key, inner in holders[-1].items():
            if isinstance(inner, list):
                yield Place(path=(*path, key), items=inner, holders=holders)
            elif isinstance(inner, dict) and len(path) + 1 < deepest and not _is_map(inner):
                waiting.append(((*path, key), (*holders, inner)))


def is_record(value: Json) -> bool:
    """Whether a value is one conversation: an object that holds messages, a bare list of them, or one exchange."""
    return messages_of(value) is not None or _is_exchange(value)


def _is_exchange(value: Json) -> bool:
    """Whether a value holds what a user asked and a model answered, and no list of messages."""
    if not isinstance(value, dict):
        return False
    said = {snake_case(key) for key, one in value.items() if isinstance(one, str) and one.strip()}
    if any(isinstance(value[key], dict) and key.lower().startswith("annotator") for key in value):
        return False  # a question of a data set with its right answer
    if said & _ANSWERED == {"final_answer"} and _OF_RUNS.isdisjoint(map(snake_case, value)):
        return False  # so it is where nothing tells who answered, when, or how that went
    asked = _ASKED | ({"input"} if said & _MADE_BY_MODEL else set())
    return bool(said & asked) and bool(said & _ANSWERED)


@_once_an_object
def records_of(value: Json) -> Records | None:
    """The records of a value that is no record itself: a list or a map of them, at the top or below a key."""
    if isinstance(value, list):
        return _records(value, (), ())
    if not isinstance(value, dict):
        return None
    found = [
        records
        for place in _lists(value)
        if (records := _records(place.items, place.path, place.holders)) is not None
    ]
    found += list(_maps(value)) or list(_side_by_side(value))
    parts = [one for one in found if len(one.path) == 1]
    if len(parts) == len(found) == len(value) > 1 and not any(one.keys[0] for one in parts):
        # A document that holds nothing but its parts: `{"train": […], "test": […]}`.
        items = tuple(item for one in parts for item in one.items)
        return Records(path=(), items=items, keys=(None,) * len(items), around=())
    return min(found, key=lambda one: (len(one.path), -len(one.items)), default=None)


def _records(
    items: list[Any], path: tuple[str, ...], around: tuple[dict[str, Any], ...]
) -> Records | None:
    if any(snake_case(key) in _ASIDE for key in path) or not _mostly_records(items):
        return None
    said = [{role_of(str(one.get("role"))) for one in objects_in(item)} for item in items]
    if all(roles == {"user"} for roles in said):
        return None  # the turns of one user, and nothing of the agent's
    return Records(path=path, items=tuple(items), keys=(None,) * len(items), around=around)


def _mostly_records(items: Sequence[Json]) -> bool:
    seen = [item for item in items[:_LOOKED_AT] if isinstance(item, dict | list)]
    return bool(seen) and any(map(is_record, seen))


def _maps(value: dict[str, Any]) -> Iterator[Records]:
    """Objects whose keys are the names of records."""
    for path, around in _objects(value):
        inner = around[-1]
        if _is_map(inner):
            items = tuple(inner.values())
            yield Records(path=path, items=items, keys=tuple(inner), around=around[:-1])


def _side_by_side(value: dict[str, Any]) -> Iterator[Records]:
    """The runs of an object whose keys begin with whose they are (`a_log`, `a_plan`, `b_log`, `b_plan`), each with the rest of its keys."""
    logs = [key for key, one in value.items() if isinstance(one, list) and acts_in_steps(one)]
    if len(logs) < 2:
        return
    ends = zip(*(key[::-1] for key in logs), strict=False)
    same = sum(1 for _ in takewhile(lambda signs: len({*signs}) == 1, ends))
    whose = [key[: len(key) - same] for key in logs]
    parts = [
        {k.removeprefix(who): one for k, one in value.items() if k.startswith(who)} for who in whose
    ]
    if all(whose) and sum(map(len, parts)) == len(value):
        names = tuple(who.strip("_-. ") for who in whose)
        yield Records(path=(), items=tuple(parts), keys=names, around=())


def _objects(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], tuple[dict[str, Any], ...]]]:
    """Every object down to a depth, the nearest first: the keys that lead to it, and the objects, the outermost first."""
    waiting: list[tuple[tuple[str, ...], tuple[dict[str, Any], ...]]] = [((), (value,))]
    for path, holders in waiting:
        yield path, holders
        below = holders[-1].items() if len(path) + 1 < _DEEPEST else ()
        waiting += [((*path, k), (*holders, one)) for k, one in below if isinstance(one, dict)]


@_once_an_object
def _is_map(value: Json) -> bool:
    """Whether an object's keys are the names of several records."""
    values = list(value.values())[:_LOOKED_AT] if isinstance(value, dict) else []
    if len(values) < 2 or not all(isinstance(one, dict | list) for one in values):
        return False
    if any(snake_case(key) in _OF_ONE | _ASIDE for key in value):
        return False
    return sum(map(is_record, values)) > 1


def conversations_of(items: Sequence[Json]) -> dict[str | None, list[Any]]:
    """Messages by the conversation that each of them names, in order; those of one file that names none are one.

    None where only users speak in conversations that have names: what they were told stands elsewhere, under the same names.
    """
    by_name: dict[str | None, list[Any]] = {}
    for item in items:
        name = Fields(item).top_text(CONVERSATION) if isinstance(item, dict) else None
        by_name.setdefault(name, []).append(item)
    named = set(by_name) - {None}
    if len(named) == 1 and None in by_name:
        return {named.pop(): list(items)}  # a header or a footer that does not repeat the id
    if named and {one.role for one in speeches(items)} == {"user"}:
        return {}
    return by_name
