"""One item of a list of messages: who speaks, and the message in a form that `ingest.dialects.messages` reads.

Comes in: a parsed item under any of the names in common use (`role`/`content`, `from`/`value`, `speaker`/`text`, `source`, a
pair of question and answer, a call with its result inside). Goes out: `Speech`es, one or more an item. Which participant
is the human, `participants` says; what a message's parts mean, `ingest.dialects.messages` says.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from ingest.dialects.attributes import integer_of
from ingest.dialects.messages import CALL_ITEMS, RESULT_ITEMS
from ingest.formats.item_forms import first_plain, plain_items
from ingest.formats.records.calls import call_by_message, message_calls, pieces, results
from ingest.formats.records.steps import AgentStep, said_by, step_in
from ingest.formats.records.text_calls import calls_in, results_in
from ingest.formats.records.words import CALL, NAMES, is_name, role_in_name, role_of, snake_case
from ingest.records.call_names import CALL_IDS, CALL_LISTS, CALLS, RESULT_LISTS
from ingest.records.moments import from_any
from ingest.records.outcome_words import yes_or_no
from ingest.records.text import Json, json_text, objects_in, type_of

ROLE_NAMED: Final = 2
"""How much an item looks like a message: it says its role in a word that has one meaning."""
SPEAKER_NAMED: Final = 1
"""It names a speaker and something said; a record of anything else may do that, too."""

_SPEAKER: Final = NAMES["speaker"]
_ALSO_SPEAKER: Final = (
    *("type", *NAMES["happened"], "kind", "source", "name", "agent", "agent_name"),
    "message_type",
)
"""Keys that name a speaker in some logs and something else in others."""
_SAID: Final = NAMES["said"]
_SAID_PLAINLY: Final = NAMES["said_plainly"]
_CALL: Final = ("function_call", "functionCall")
_BESIDE: Final = ("additional_kwargs",)
_SAID_ONCE: Final = frozenset({*CALL_LISTS, *RESULT_LISTS, *_CALL, *_BESIDE, "usage"})
"""What counts for a message as a whole, into however many it is cut."""
_ASKED: Final = NAMES["asked_in_item"]
_ACTS: Final = (*CALLS, "tool_name")
_LAST: Final = ("final", *NAMES["answered_by_record"], "output")
_QUESTIONS: Final = frozenset(_ASKED) - {"input"}
"""What is never an argument of a call."""
_ANSWERED: Final = NAMES["answered_in_item"]
_PROMPTS: Final = frozenset(NAMES["system"]) - {"system"}
"""What is never a speaker."""
_TIME: Final = NAMES["time"]
_REASONING: Final = NAMES["reasoning"]
_EARLIEST: Final = 631_152_000 * 10**9
"""1990: what is earlier is no time of a conversation."""
_PART_KEYS: Final = frozenset(NAMES["keys_of_parts"])
_ENVELOPES: Final = NAMES["envelopes"]
"""What an object is called that holds the message, where the item only says when and where it was said."""
_RUNS: Final = ("tool", "function")
"""Types of an item that is a tool's run, and not only what came of it."""
_NUMBERED: Final = {0: "bot", 1: "user"}
"""Microsoft's numbers for who sends an activity to a bot's channel."""
_OWN_WORDS: Final = frozenset(NAMES["of_log"])
_OF_LOG: Final = ("event", "trace")
"""Types of what happened beside the words, whoever caused it."""
_ITEMS: Final = CALL_ITEMS | RESULT_ITEMS | {"reasoning"}
"""Items of OpenAI's Responses API that have no role."""
_PREDICTED: Final = ("predictions", "predicted")
_WITHDRAWN: Final = frozenset(NAMES["withdrawn"])
_MOST_SPEAKERS: Final = 4
_PAGE: Final = re.compile(r"\s*<(?:p|div)\b.*</(?:p|div)>\s*", re.DOTALL)
"""What a service for letters and chats keeps as a message's `body`."""
_LINE_END: Final = re.compile(r"<br ?/?>|</(?:p|div|li)>")
_TAG: Final = re.compile(r"<[^>]*>")


@dataclass(slots=True, kw_only=True)
class Speech:
    """One message, with what stood beside it."""

    role: str | None
    """Ours; None while only the participant's name is known."""
    name: str | None = None
    """The participant, where the log names them."""
    message: dict[str, Any] = field(default_factory=dict)
    at: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    flags: set[str] = field(default_factory=set)
    is_item: bool = False
    """Whether `message` is to be read as it stands: it says its own role in its own way."""
    is_speaker: bool = False
    """Whether the log names speakers and no roles: `system` may then be the agent."""
    is_event: bool = False
    """Whether it was the load of an event: some logs tell the same message by several events."""
    holds_results: bool = False
    """Whether the results of its calls stood inside these, in the order in which they were made."""
    is_written: bool = False
    """Whether its call is a line of its text: who answers it has no role for that."""
    is_list: bool = False
    """Whether its calls are a list in its text."""
    tg: Json = None
    """The chat log's own additions."""


def strength(item: Json) -> int:
    """How much an item looks like a message: `ROLE_NAMED`, `SPEAKER_NAMED`, or 0."""
    if not isinstance(item, dict):
        return 0
    item = first_plain(item)
    load = _envelope_load(item)
    if load is not None:
        # Asked once a level: a hostile file nests envelopes as deep as it may.
        told = strength(load)
        if told or isinstance(item.get("message"), dict):
            return told
    if _is_item(item):
        return ROLE_NAMED
    if _is_pair(item) and not _speaker(item):
        # Questions with their answers are more often records of their own than turns of one conversation.
        by_role = {"user", "assistant"} <= {role_of(key) for key in item}
        return ROLE_NAMED if by_role else SPEAKER_NAMED
    return _strength_of_message(item)


def _strength_of_message(item: dict[str, Any]) -> int:
    if not any(key in item for key in (*_SAID, *CALL_LISTS, *_CALL)):
        if _words_of_step(item) is not None:
            return ROLE_NAMED
        is_last = is_step(item) or last_words(item) is not None
        return ROLE_NAMED if _is_called(item) else SPEAKER_NAMED if is_last else 0
    # Lists of settings have names and values, too.
    in_words = any(key in item for key in (*_SAID_PLAINLY, *CALL_LISTS, *_CALL))
    if not in_words and type_of(item) in _OF_LOG:
        return 0
    words = [_word(item.get(key)) for key in _SPEAKER]
    words += [_word(item.get(key)) for key in _ALSO_SPEAKER if in_words]
    if any(word is not None and role_of(word) is not None for word in words):
        return ROLE_NAMED
    if _speaker(item) or (in_words and _also_speaker(item)):
        return SPEAKER_NAMED
    return SPEAKER_NAMED if is_step(item) else 0


def _is_called(item: dict[str, Any]) -> bool:
    """Whether an item is an event of a call: its word says so, and it holds the call or what came of it."""
    role, _ = _speaker_of(item)
    if role == CALL:
        return step_in(item, needs_result=False) is not None
    return role == "tool" and results(item, None)[0]["content"] is not None


def is_step(item: Json) -> bool:
    """Whether an item is a call with its result, and no question with its answer."""
    if not isinstance(item, dict) or any(snake_case(key) in _QUESTIONS for key in item):
        return False
    step = step_in(item)
    return step is not None and not step.is_below


def question_in(item: Json) -> str | None:
    """What a user asks by an item that says nothing else; None where an item is anything more."""
    told = {k: v for k, v in item.items() if v not in (None, [])} if isinstance(item, dict) else {}
    asked = [told.get(key) for key in (*_QUESTIONS, "task") if len(told) == 1]
    return next((text for text in asked if isinstance(text, str)), None)


def prompt_in(item: Json) -> str | None:
    """The system's prompt, where an item says nothing else."""
    told = [*item.items()] if isinstance(item, dict) and len(item) == 1 else []
    named = (text for key, text in told if snake_case(key) in _PROMPTS)
    return next((text for text in named if isinstance(text, str)), None)


def is_event(item: Json) -> bool:
    """Whether an item is an event whose load is a message."""
    return isinstance(item, dict) and "message" not in item and _load_of(item) is not None


def speeches(items: Sequence[Json]) -> Iterator[Speech]:
    """The speeches of a list of messages, in order; what is no message at all gives none."""
    items = spoken_pairs(items) or items
    tools = _tools_addressed(items)
    whole = objects_in(list(items))
    told = [one for one in whole if not is_withdrawn(one)]
    flags = {"other_messages_left_out"} if len(told) < len(whole) else set[str]()
    aside = _types_aside(told)
    flags |= {"side_events_left_out"} if aside else set()
    to_agent = any(role_of(str(one.get("recipient"))) == "assistant" for one in told)
    for index, item in enumerate(items):
        if isinstance(item, dict):
            plains = [] if is_withdrawn(item) else _predicted(item) or plain_items(item)
            for number, plain in enumerate(plains):
                one = call_by_message(plain, tools)
                # Ids made of places stay apart where an item stands for several messages.
                if to_agent and _is_between_others(plain):
                    continue
                if type_of(plain) in aside or str(plain.get("role")) in aside:
                    continue
                for speech in _of_item(one, index if number == 0 else f"{index}_{number}"):
                    speech.flags |= flags
                    yield speech
        elif (
            isinstance(item, list) and len(item) == 2
        ):  # a pair, as chat widgets keep their history
            for role, text in zip(("user", "assistant"), item, strict=True):
                if isinstance(text, str):
                    yield Speech(role=role, message={"role": role, "content": text})


def _predicted(item: dict[str, Any]) -> list[Any]:
    """What an evaluation says that the agent did, where the message itself tells what would have been right."""
    told = [item[key] for key in _PREDICTED if isinstance(item.get(key), list)][:1]
    is_agents = role_of(str(item.get("role"))) == "assistant"
    return told[0] if told and is_agents and all(map(strength, told[0])) else []


def is_withdrawn(item: Json) -> bool:
    """Whether whoever keeps an item has marked it as deleted."""
    own = item.items() if isinstance(item, dict) else ()
    told = [one for key, one in own if one and snake_case(key) in _WITHDRAWN]
    return any(moment(one) is not None or yes_or_no(str(one)) is True for one in told)


def spoken_pairs(items: Sequence[Json]) -> list[Json]:
    """Pairs of who speaks and what is said, as messages; none where the first of each pair are not a few words of which two mean a user and an agent."""
    pairs = [(str(one[0]), one[1]) for one in items if isinstance(one, list) and len(one) == 2]
    speakers = {who for who, _ in pairs}
    roles = {role_of(who) for who in speakers if is_name(who)}
    if (
        len(pairs) < len(items)
        or len(speakers) > _MOST_SPEAKERS
        or not {"user", "assistant"} <= roles
    ):
        return []
    return [{"speaker": who, "text": text} for who, text in pairs]


def _types_aside(items: Sequence[dict[str, Any]]) -> set[str]:
    """Roles of what a log says for itself; types of what a framework says on the agent's side, where each message's type says whether it is a question, an answer, a call or a result."""
    words = {word for one in items if isinstance(word := one.get("role", type_of(one)), str)}
    ends = {word: snake_case(word).rpartition("_") for word in words if role_of(word) is None}
    talks = {"user", "assistant"} <= {role_of(word) for word in words}
    # A tool's error is a result.
    own = {w for w, (of, _, end) in ends.items() if talks and end in _OWN_WORDS and not role_of(of)}
    types = {kind for one in items if isinstance(kind := type_of(one), str)}
    if not {"question", "answer"} <= types or not all(
        isinstance(type_of(one), str) for one in items
    ):
        return own
    return own | {kind for kind in types - {"question", "answer"} if role_of(kind) is None}


def _tools_addressed(items: Sequence[Json]) -> set[str]:
    """The names under which tools answer, where messages say to whom they are sent."""
    told = objects_in(list(items))
    sent = told if any("recipient" in one for one in told) else []
    speakers = [(*_speaker_of(one), one.get("sender")) for one in sent]
    return {str(name or sender) for role, name, sender in speakers if role == "tool"}


def _is_between_others(item: dict[str, Any]) -> bool:
    """Whether a message says that it passes between two of whom none is the agent: a simulator's instructions, its own calls."""
    between = {role_of(str(item.get("recipient"))), _speaker_of(item)[0]}
    return between <= {"user", "system", "tool"}


def _of_item(item: dict[str, Any], index: int | str) -> Iterator[Speech]:
    inner = _load_of(item)
    asked, prompt = question_in(item), prompt_in(item)
    if asked is not None or prompt is not None:
        told_by = "system" if asked is None else "user"
        yield Speech(role=told_by, message={"role": told_by, "content": asked or prompt})
    elif inner is not None:
        for speech in chain.from_iterable(_of_item(one, index) for one in plain_items(inner)):
            speech.at = speech.at or time_of(item)
            speech.is_event = "message" not in item
            yield speech
    elif _is_item(item):
        yield Speech(role=None, message=item, at=time_of(item), is_item=True)
    elif _is_pair(item) and not _speaker(item):
        said = [(role, text) for key, text in item.items() if (role := _pair_role(key))]
        calls = message_calls(item, None, index=index, is_model=False)
        # What was done about a question stands before its first answer, wherever the item has it.
        made = calls.calls
        for role, text in sorted(said, key=lambda one: bool(calls.calls) and one[0] == "assistant"):
            if role == "assistant" and made:
                yield Speech(role=role, message={"content": None, "tool_calls": made})
                yield from _answers(calls.results, None)
                made = []
            if isinstance(text, str):
                yield Speech(role=role, message={"role": role, "content": text}, at=time_of(item))
    else:
        for speech in _message(item, index):
            speech.is_speaker = "role" not in item
            yield speech


def _load_of(item: dict[str, Any]) -> dict[str, Any] | None:
    """The message in an envelope; None where the item is the message itself."""
    load = _envelope_load(item)
    is_message = isinstance(item.get("message"), dict)
    return load if load is not None and (is_message or strength(load)) else None


def _envelope_load(item: dict[str, Any]) -> dict[str, Any] | None:
    """What an envelope would hold, with what it says of that; None where an item can be none."""
    if "role" in item or any(isinstance(item.get(key), str | list) for key in ("content", "text")):
        return None
    for key in _ENVELOPES:
        inner = item.get(key)
        if isinstance(inner, dict):
            around = {k: v for k, v in item.items() if isinstance(v, str) and k not in _TIME}
            named = {"name": item.get("name")} if key == "message" else around
            return {**named, **inner}
    return None


def _is_item(item: dict[str, Any]) -> bool:
    if item.get("lc") and isinstance(item.get("kwargs"), dict):
        return True
    kind = type_of(item)
    return "role" not in item and isinstance(kind, str) and kind in _ITEMS


def _pair_role(key: str) -> str | None:
    word = snake_case(key)
    if word in _ASKED:
        return "user"
    if word in _ANSWERED:
        return "assistant"
    role = role_of(key)
    return role if role in {"user", "assistant", "system"} else None


def _is_pair(item: dict[str, Any]) -> bool:
    """Whether an item holds a question and its answer under the names of who said them, and nothing larger."""
    plain = {key: one for key, one in item.items() if key not in CALL_LISTS}
    if any(isinstance(said, dict | list) for said in plain.values()):
        return False
    if isinstance(type_of(item), str) and "name" in item:
        return False  # a step of a run, whose input and output are whatever it is
    told = {_pair_role(key) for key, said in item.items() if isinstance(said, str)}
    return {"user", "assistant"} <= told


def _word(value: Json) -> str | None:
    if isinstance(value, dict):
        # A serialiser of constants says first that the object is a role, then which one.
        keys = (
            ("role", "value") if value.get("type") == "role" else ("role", "type", "name", "label")
        )
        value = next((value[key] for key in keys if value.get(key) not in (None, "")), None)
        value = _NUMBERED.get(value, value) if type(value) is int else value
    return value if isinstance(value, str) and is_name(value) else None


def _speaker(item: dict[str, Any]) -> str | None:
    return next((word for key in _SPEAKER if (word := _word(item.get(key)))), None)


def _also_speaker(item: dict[str, Any]) -> str | None:
    for key in _ALSO_SPEAKER:
        word = _word(item.get(key))
        if word is not None and (key in {"source", "name", "agent"} or role_of(word)):
            return word
    return None


def _message(item: dict[str, Any], index: int | str) -> Iterator[Speech]:
    role, name = _speaker_of(item)
    role = role or ("assistant" if last_words(item) is not None else None)
    content = _content_of(item)
    at = time_of(item)
    answered = results_in(content) if role == "user" and isinstance(content, str) else None
    if answered:
        # Templates that know no other role send results from the user's side.
        yield from _answers([{"content": text} for text in answered], at)
        return
    step = _step(item, role)
    if step is not None:
        # Where a call is said, the name is its tool's.
        agent = None if role in {CALL, "tool"} else name
        yield from _of_step(step, item, Speech(role=role or "assistant", name=agent, at=at))
        return
    if role == "tool" and (content is not None or not any(map(item.get, CALL_LISTS))):
        yield from _answers(results(item, content), at, tg=item.get("tg"))
        return
    if len(cut := pieces(content)) > 1:
        key = next(key for key in _SAID if item.get(key) is content)
        rest = {k: v for k, v in item.items() if k not in _SAID_ONCE}
        for number, piece in enumerate(cut):
            yield from _message({**(rest if number else item), key: piece}, index)
        return
    if role in {CALL, "tool"}:
        role = "assistant"  # also an event about tools, which lists what was asked of them
        content = (
            _block(content) if isinstance(content, str) and calls_in(_block(content)) else content
        )
    if _says_nothing(item, content):
        return
    told = message_calls(item, content, index=index, is_model=role == "assistant")
    speech = Speech(
        role=role,
        name=name,
        at=at,
        tg=item.get("tg"),
        is_written=told.is_written,
        is_list=told.is_list,
        holds_results=told.holds_results,
    )
    _take_beside(item, speech)
    speech.message = {
        "content": _parts(told.content),
        **({"tool_calls": told.calls} if told.calls else {}),
        **{key: item[key] for key in (*_CALL, *_BESIDE) if isinstance(item.get(key), dict)},
    }
    if told.calls or not told.results or told.content is not None:
        yield speech
    yield from _answers(told.results, at)


def _says_nothing(item: dict[str, Any], content: Json) -> bool:
    """Whether an item without words is an event of the log itself, or a letter without calls."""
    if isinstance(content, str | list | dict) and type_of(item) not in _OF_LOG:
        return False
    calls = any(map(item.get, (*CALL_LISTS, *_CALL)))
    return strength(item) == 0 or ("body" in item and not calls)


def _step(item: dict[str, Any], role: str | None) -> AgentStep | None:
    """The call with its result that an item is, unless somebody else than the agent says it."""
    if role == "tool":
        # A run of a tool, in one event.
        is_run = type_of(item) in _RUNS and not any(key in item for key in (*_SPEAKER, *CALL_IDS))
        run = step_in(item) if is_run and _content_of(item) is None else None
        return run if run is not None and run.results and not run.is_below else None
    if role == "user":
        return None
    # Where the agent speaks, a name is the agent's; where a call is said, it is the tool's.
    named = role != CALL and _speaker(item) is not None
    own = {k: v for k, v in item.items() if k != "name"} if named else item
    return step_in(own, needs_result=role != CALL)


def _of_step(step: AgentStep, item: dict[str, Any], speech: Speech) -> Iterator[Speech]:
    """The call, its result, and what the agent said before or after it."""
    words = _content_of(item)
    words = words if isinstance(words, str) and words.strip() else None
    _take_beside(item, speech)
    # A call that is an event of its own has its result in another one.
    spoken = None if words or _speaker_of(item)[0] == CALL else said_by(step)
    if spoken is not None:
        yield replace(speech, role="assistant", message={"content": spoken})
        return
    message = {"content": None if step.is_below else words, "tool_calls": step.calls}
    yield replace(speech, role="assistant", message=message)
    yield from _answers(step.results, speech.at)
    if step.is_below and words is not None:
        yield replace(speech, message={"content": words})


def _block(text: str) -> str:
    return f"<tool_call>{text}</tool_call>"


def _answers(told: list[dict[str, Any]], at: int | None, *, tg: Json = None) -> Iterator[Speech]:
    for result in told:
        yield Speech(role="tool", message={"role": "tool", **result}, at=at, tg=tg)


def _speaker_of(item: dict[str, Any]) -> tuple[str | None, str | None]:
    """The role that an item says, and the participant's name."""
    name = next((item[k] for k in ("name", "agent", "agent_name") if is_name(item.get(k))), None)
    for key in _SPEAKER:
        value = item.get(key)
        if isinstance(value, dict) and is_name(value.get("name")):
            name = name or value["name"]
        word = _word(value)
        if word is not None:
            role = role_of(word)
            if role is None:
                return role_in_name(word), name or word
            return role, name
    word = _also_speaker(item)
    if word is None:
        return None, name
    role = role_of(word)
    return (role, name if name != word else None) if role else (role_in_name(word), word)


def _content_of(item: dict[str, Any]) -> Json:
    said: Json = next((item[key] for key in _SAID if item.get(key) is not None), None)
    page = str(said) if isinstance(said, str) and said is item.get("body") else ""
    if _PAGE.fullmatch(page):
        return html.unescape(_TAG.sub("", _LINE_END.sub("\n", page))).strip()
    if not said and _speaker_of(item)[0] == "system":
        return next((v for k, v in item.items() if snake_case(k) in _PROMPTS and v), said)
    return said if said is not None else _words_of_step(item) or last_words(item)


def _words_of_step(item: dict[str, Any]) -> str | None:
    """What somebody says by a step of a run, whose type names them (`user_message`) and whose output is the text."""
    kind = type_of(item)
    role = role_of(kind) if isinstance(kind, str) and kind.endswith("message") else None
    said = item.get("output") or item.get("input") if role in {"user", "assistant"} else None
    return said if isinstance(said, str) else None


def last_words(item: dict[str, Any]) -> str | None:
    """What the agent says by a step in whose place for an action stands none."""
    if all(value is not None for value in item.values()):
        return None  # asked of every message
    own = {snake_case(key): value for key, value in item.items()}
    if not any(own.get(key, "") is None for key in _ACTS) or any(key in own for key in _SAID):
        return None
    said = next((own[key] for key in _LAST if own.get(key)), None)
    return said if isinstance(said, str) else None


def time_of(item: dict[str, Any]) -> int | None:
    """When an item says that it was said, in nanoseconds; None where it does not."""
    named = {snake_case(key): value for key, value in item.items() if snake_case(key) in _TIME}
    told = (named.get(key) for key in _TIME)
    return next((time for one in told if (time := moment(one)) is not None), None)


def moment(value: Json) -> int | None:
    """A time in nanoseconds, of several the one when something was made; None also for a small number, which counts or measures something."""
    time = from_any(value.get("created") if isinstance(value, dict) else value)
    return time if time is not None and time >= _EARLIEST else None


def _take_beside(item: dict[str, Any], speech: Speech) -> None:
    """Take what an item says beside its words: the tokens, and that there was reasoning, which is left out."""
    if any(isinstance(item.get(key), str) and item[key].strip() for key in _REASONING):
        speech.flags.add("reasoning_left_out")
    usage = item.get("usage", item.get("metrics"))
    if isinstance(usage, dict):
        given = usage.get("input_tokens", usage.get("prompt_tokens"))
        made = usage.get("output_tokens", usage.get("completion_tokens"))
        speech.input_tokens, speech.output_tokens = integer_of(given), integer_of(made)


def _parts(content: Json) -> Json:
    """The content as parts that are known, or as JSON text where an app put a value of its own there."""
    items = content if isinstance(content, list) else [content]
    if any(isinstance(one, dict) and not _PART_KEYS & set(one) for one in items):
        return json_text(content)
    return content
