"""The situation in which a policy acts, as features: what was said last, what was done, what the results say.

In: messages in OpenAI's shape and the tools. Out: names of features, the same for any app; which of them matter is learnt.
A feature may look back over all turns: what was asked for first, what the user gave that no call has used, which values of
results are still to be looked at.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from examples.train_small.shown import USER, Known, Message, Scalar, called, is_a_kind, known_values

_WORDS: Final = re.compile(r"[^\W\d_]+(?:'\w+)?")
_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\d")
_LONG: Final = 5
"""Words from which on a user's message counts as a request of its own."""
_SHORT: Final = 3
_AGES: Final = (0, 7, 30, 60)
"""Days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a policy sees before it acts."""

    messages: Sequence[Message]
    known: dict[tuple[str, Scalar], Known]
    features: tuple[str, ...]
    said_last: str
    """What the user said last, in lower case."""
    requested: str
    """The user's last message that is long enough to be a request, in lower case."""
    spoken: str
    """Everything the user said, in lower case."""
    words: tuple[str, ...]
    """The user's words in any turn, each once."""
    lately: tuple[str, ...]
    """Those of the last two turns."""
    used: str
    """The text of all arguments so far."""
    used_as: Mapping[tuple[str, str], int]
    """By argument and value, the number of the call that used it last."""
    last_use: Mapping[str, int]
    """By argument, the number of the last call that had it."""
    done: tuple[tuple[str, str], ...]
    """Tools called, with the text of the arguments."""
    calls_in_turn: int
    """Calls since the user spoke."""
    refused: frozenset[str]
    """Texts of arguments of calls that a tool refused."""


def situation_of(messages: Sequence[Message], heads: Sequence[str]) -> Situation:
    """Look at a conversation; `heads` is what the policy itself did so far."""
    known = known_values(messages)
    users = [str(m.get("content") or "").casefold() for m in messages if m.get("role") == "user"]
    long = [text for text in users if len(text.split()) >= _LONG]
    names = called(messages)
    calls = [call for m in messages for call in m.get("tool_calls") or ()]
    texts = {str(call["id"]): str(call["function"]["arguments"]) for call in calls}
    refused = {
        texts.get(str(m.get("tool_call_id")), "")
        for m in messages
        if m.get("role") == "tool" and _is_refusal(str(m.get("content") or ""))
    }
    said, requested = (users or [""])[-1], (long or users or [""])[-1]
    event = _event(messages, names)
    stage = f"{event} after {_spoken(heads)}" if event == USER else event
    words = tuple(dict.fromkeys(_WORDS.findall(" ".join(users))))
    used = " ".join(texts.values())
    features = [
        *_steps(messages, heads, event),
        *_words(said, requested, heads, (event, stage)),
        *(f"ever {word} {moment}" for word in words for moment in dict.fromkeys((event, stage))),
        *_facts(known, messages, (event, stage)),
        *_meetings(requested, known, messages, event),
        *_open_values(known, used, event),
        *_repeats(names.values(), event),
    ]
    return Situation(
        messages=messages,
        known=known,
        features=tuple(dict.fromkeys(features)),
        said_last=said,
        requested=requested,
        spoken=" ".join(users),
        words=words,
        lately=tuple(dict.fromkeys(_WORDS.findall(" ".join(users[-2:])))),
        used=used,
        used_as=(uses := _uses(texts.values())),
        last_use={key: at for (key, _), at in sorted(uses.items(), key=lambda one: one[1])},
        done=tuple((str(c["function"]["name"]), str(c["function"]["arguments"])) for c in calls),
        calls_in_turn=_calls_in_turn(messages),
        refused=frozenset(refused),
    )


@lru_cache(maxsize=4096)
def _arguments(text: str) -> tuple[tuple[str, str], ...]:
    """Names and values of a call's plain arguments."""
    try:
        found = json.loads(text)
    except ValueError:
        return ()
    values = found.items() if isinstance(found, dict) else ()
    return tuple(
        (stem_of(key), str(one))
        for key, value in values
        for one in (value if isinstance(value, list) else [value])
        if isinstance(one, str | int | float)
    )


def _uses(texts: Iterable[str]) -> dict[tuple[str, str], int]:
    return {use: at for at, text in enumerate(texts, start=1) for use in _arguments(text)}


def stem_of(key: str) -> str:
    """A key without its plural."""
    return key.rstrip("s")


def _is_refusal(content: str) -> bool:
    """Whether an answer reads as a refusal; a guess that may be wrong, for a feature only."""
    return content[:200].casefold().lstrip('{"').startswith("error") or '"error"' in content[:200]


def _event(messages: Sequence[Message], names: dict[str, str]) -> str:
    last = messages[-1]
    if last.get("role") != "tool":
        return USER
    word = "refused" if _is_refusal(str(last.get("content") or "")) else "answered"
    return f"{names.get(str(last.get('tool_call_id')), '')} {word}"


def _spoken(heads: Sequence[str]) -> str:
    return next((head for head in reversed(heads) if head.startswith("say ")), "-")


def _calls_in_turn(messages: Sequence[Message]) -> int:
    count = 0
    for message in reversed(messages):
        if message.get("role") == "user":
            break
        count += message.get("role") == "tool"
    return count


def _repeats(names: Iterable[str], event: str) -> Iterator[str]:
    for name, count in Counter(names).items():
        yield f"done {name} {event}"
        yield f"done {name} {min(count, 4)}"


def _steps(messages: Sequence[Message], heads: Sequence[str], event: str) -> Iterator[str]:
    before = heads[-1] if heads else "-"
    yield "always"
    yield f"now {event}"
    yield f"after {before} {event}"
    yield f"two {' '.join(heads[-2:])} {event}"
    yield f"spoke {_spoken(heads)} {event}"
    yield f"turn {min(8, sum(m.get('role') == 'user' for m in messages))} {event}"
    yield f"calls {min(8, _calls_in_turn(messages))} {event}"
    if event.endswith("refused"):
        for word in _WORDS.findall(str(messages[-1].get("content") or "").casefold()):
            yield f"refusal {word}"


def _words(
    said: str, requested: str, heads: Sequence[str], moments: Sequence[str]
) -> Iterator[str]:
    before = heads[-1] if heads else "-"
    if moments[0] == USER:
        for word in set(_WORDS.findall(said)):
            yield f"reply {before} {word}"
    words = list(dict.fromkeys(_WORDS.findall(requested)))
    for moment in moments:
        yield from (f"wants {word} {moment}" for word in words)
    for pair in pairwise(words):
        yield f"wants {' '.join(pair)} {moments[0]}"


def _facts(
    known: dict[tuple[str, Scalar], Known], messages: Sequence[Message], moments: Sequence[str]
) -> Iterator[str]:
    """States and kinds that results show, and how old their dates are."""
    now = _day(str(messages[0].get("content") or "")) if messages else None
    latest: dict[str, int] = {}
    for one in known.values():
        for seen in one.seen:
            if seen.place != USER:
                latest[seen.place] = max(latest.get(seen.place, 0), seen.at)
    for one in known.values():
        value, seen = one.value, one.seen[-1]
        if seen.place == USER or seen.at < latest[seen.place]:
            continue
        if is_a_kind(value):
            yield from (f"shown {seen.place} {value} {moment}" for moment in moments)
        elif now and isinstance(value, str) and (day := _day(value)):
            age = sum((now - day).days > limit for limit in _AGES)
            yield f"age {seen.place} {age} {moments[0]}"
        places = {seen.place for seen in one.seen}
        if len(places) > 1:
            yield f"same {' '.join(sorted(places))} {moments[0]}"


def _meetings(
    requested: str,
    known: dict[tuple[str, Scalar], Known],
    messages: Sequence[Message],
    event: str,
) -> Iterator[str]:
    """Words of the request beside what the last result shows, and values of results that the user named."""
    last = len(messages) - 1
    words = [word for word in dict.fromkeys(_WORDS.findall(requested)) if len(word) > _SHORT]
    spoken = " ".join(
        str(m.get("content") or "").casefold() for m in messages if m.get("role") == "user"
    )
    for one in known.values():
        seen = one.seen[-1]
        if seen.place == USER:
            continue
        if is_a_kind(one.value):
            if seen.at == last:
                yield from (f"meets {word} {seen.place} {one.value}" for word in words)
        elif (
            isinstance(one.value, str)
            and len(one.value) > _SHORT
            and one.value.casefold() in spoken
        ):
            yield f"named {seen.place} {'now' if seen.at == last else 'before'} {event}"


def _open_values(known: dict[tuple[str, Scalar], Known], used: str, event: str) -> Iterator[str]:
    """What no call has used yet: things that the user gave, by their shape, and ids that results show."""
    left: Counter[str] = Counter()
    for one in known.values():
        text = str(one.value)
        place = one.seen[0].place
        if place == USER:
            if any(letter.isdigit() or letter == "@" for letter in text) or " " in text:
                state = "used" if f'"{text}"' in used else "open"
                yield f"gave {shape_of(text)} {state} {event}"
                yield f"gave {sort_of(text)} {state} {event}"
        elif isinstance(one.value, str) and any(letter.isdigit() for letter in text):
            left[place] += f'"{text}"' not in used
    for place, count in left.items():
        yield f"left {place} {min(count, 3)} {event}"


@cache
def shape_of(text: str) -> str:
    """A text's letters and digits without what they are."""
    rough = re.sub(
        r"[A-Z]?[^\W\d_A-Z]+", lambda found: "Aa" if found[0][0].isupper() else "a", text
    )
    return re.sub(r"[A-Z]{2,}", "A", re.sub(r"\d+", "9", rough))[:24]


@cache
def sort_of(text: str) -> str:
    """A text's shape, coarser: which sorts of letters it has."""
    if "@" in text:
        return "@"
    signs = "".join(sign for sign in "-_. " if sign in text)
    sorts = (str.isdigit, str.isupper, str.islower)
    return signs + "".join(
        mark for mark, is_so in zip("9Aa", sorts, strict=True) if any(map(is_so, text))
    )


def _day(text: str) -> datetime | None:
    found = _STAMP.findall(text)
    try:
        return datetime.fromisoformat(found[-1]) if found else None
    except ValueError:
        return None
