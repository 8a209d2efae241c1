"""The situation in which a policy acts, as features: what was said last, what was done, what the results say.

In: messages in OpenAI's shape and the tools. Out: names of features, the same for any app; which of them matter is learnt.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from examples.train_small.shown import USER, Known, Message, Scalar, called, known_values

_WORDS: Final = re.compile(r"[^\W\d_]+(?:'\w+)?")
_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\d")
_LONG: Final = 5
"""Words from which on a user's message counts as a request of its own."""
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
    features = [
        *_steps(messages, heads, event),
        *_words(said, requested, heads, (event, stage)),
        *_facts(known, messages, (event, stage)),
        *_repeats(names.values(), event),
    ]
    return Situation(
        messages=messages,
        known=known,
        features=tuple(dict.fromkeys(features)),
        said_last=said,
        requested=requested,
        spoken=" ".join(users),
        done=tuple((str(c["function"]["name"]), str(c["function"]["arguments"])) for c in calls),
        calls_in_turn=_calls_in_turn(messages),
        refused=frozenset(refused),
    )


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
        for word in said.split():
            if any(letter.isdigit() or letter == "@" for letter in word):
                yield f"holds {re.sub('[^@-]', 'x', word)[:3]} {before}"
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
        if isinstance(value, bool) or (
            isinstance(value, str) and len(value) < 24 and value.islower() and value.isascii()
            and not any(letter.isdigit() for letter in value)
        ):  # fmt: skip
            yield from (f"shown {seen.place} {value} {moment}" for moment in moments)
        elif now and isinstance(value, str) and (day := _day(value)):
            age = sum((now - day).days > limit for limit in _AGES)
            yield f"age {seen.place} {age} {moments[0]}"
        places = {seen.place for seen in one.seen}
        if len(places) > 1:
            yield f"same {' '.join(sorted(places))} {moments[0]}"


def _day(text: str) -> datetime | None:
    found = _STAMP.findall(text)
    try:
        return datetime.fromisoformat(found[-1]) if found else None
    except ValueError:
        return None
