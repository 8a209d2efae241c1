"""The view: what checks look at in one attempt, computed once and shared by all checks of a rubric.

In: an attempt. Out: its visible words, numbers and calls in normal form. Not here: any judgement.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import isfinite
from typing import Final

from ..task.attempt import UNKNOWN, Attempt, Call, Json
from ..values.consent import QUESTION
from ..values.denials import denies
from ..values.facts import MOST_TEXTS, Fact, facts_in, folded
from ..values.facts import NUMBER as AMOUNT
from ..values.hidden import seen_of
from ..values.normal import as_list
from ..values.spelt_numbers import in_figures
from .arguments import canonical_arguments

NUMBER: Final = re.compile(
    r"(?<![\w#/.:-])[-+]?[$€£]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w/:]|[-,.]\d)"
)
"""Numbers that a reader sees as amounts or counts; not digits inside ids, dates or times."""
ENUMERATOR: Final = re.compile(r"(?m)^\s*[0-3]?\d[.)]\s")
WORD: Final = re.compile(r"[^\W\d_]{4,}")
DECLINES: Final = re.compile(
    r"\b(?:cannot|can not|can.?t|could not|couldn.?t|unable|impossible|ineligible|forbidden|prohibited|declined?|"
    r"refused|rejected|too late|no longer|(?:stays?|remains?|stayed|remained) (?:unchanged|as (?:it|they) (?:is|was|are|were))|"
    r"won.?t be able|nothing can|(?:have to|must) (?:refuse|say no)|not (?:able|possible|allowed|eligible|permitted|available|something))\b",
    re.IGNORECASE,
)
"""How a policy says in generic English that something is not done."""
TELLING_PART: Final = re.compile(r"[^\W\d_]{4,}|\d{2,}")
TOKEN: Final = re.compile(r"[\w@#][\w@#.+-]*[\w]|\w")


Key = tuple[str, str]
"""A call as it is compared: tool and canonical arguments."""


@dataclass(frozen=True, slots=True)
class NormalCall:
    """One call of the attempt, comparable."""

    tool: str
    arguments: str
    index: int
    unknown: bool
    failed: bool
    by_user: bool


def numbers_in(text: str) -> list[float]:
    """The numbers a text tells, in order."""
    return list(_numbers_of(text))


@lru_cache(maxsize=MOST_TEXTS)
def _numbers_of(text: str) -> tuple[float, ...]:
    # The same opening and the same results come back in every attempt at a task.
    plain = ENUMERATOR.sub(" ", text.replace("**", " ").replace("`", " "))
    plain = in_figures(plain.casefold())
    for fact in facts_in(plain):
        if fact.kind == AMOUNT and " " in fact.text:
            # `52 pounds 12` is one amount.
            plain = plain.replace(fact.text, str(fact.readings[0]))
    told = (float(match[1].replace(",", "")) for match in NUMBER.finditer(plain))
    # More digits than a float has room for are no amount.
    return tuple(number for number in told if isfinite(number))


def words_in(text: str) -> list[str]:
    """The words, names and codes of a text, folded."""
    return [word.casefold() for word in TOKEN.findall(text)]


def telling_parts(text: str) -> frozenset[str]:
    """The words of a text, and the longer words and numbers within its codes (`1003` of `L1003-A`)."""
    return frozenset({*words_in(text), *TELLING_PART.findall(text.casefold())})


def plain_words(text: str) -> set[str]:
    """The longer words of a text made of letters only, folded."""
    return {word.casefold() for word in WORD.findall(text)}


def whole_of(args: Mapping[str, Json], name: str) -> int | None:
    """A check's argument where it is a whole number."""
    value = args.get(name)
    return value if isinstance(value, int) else None


def texts_of(args: Mapping[str, Json], name: str) -> list[str]:
    """The texts of a list among a check's arguments."""
    return [item for item in as_list(args.get(name)) if isinstance(item, str)]


def objects_of(args: Mapping[str, Json], name: str) -> list[dict[str, Json]]:
    """The objects of a list among a check's arguments."""
    return [item for item in as_list(args.get(name)) if isinstance(item, dict)]


def text_of(message: Mapping[str, Json]) -> str:
    """A message's text, whatever shape its content has; of a policy's what its user sees."""
    content = message.get("content")
    text = ""
    if isinstance(content, str):
        text = content
    elif isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        text = "\n".join(part for part in parts if isinstance(part, str))
    return seen_of(text) if message.get("role") == "assistant" else text


@dataclass
class View:
    """One attempt as checks see it; `matched` carries which end a check found, for the checks after it."""

    attempt: Attempt
    recordings: Mapping[str, Json] = field(default_factory=dict)
    matched: dict[str, str | None] = field(default_factory=dict)
    scores: dict[str, float | None] = field(default_factory=dict)
    _normal: dict[str, list[NormalCall]] = field(default_factory=dict)
    _by_key: dict[str, Mapping[Key, list[NormalCall]]] = field(default_factory=dict)

    @cached_property
    def visible(self) -> tuple[str, ...]:
        """What the user saw of the policy: assistant texts that carry no tool call."""
        said = self.attempt.messages[self.attempt.opening :]
        texts = (
            text_of(m) for m in said if m.get("role") == "assistant" and not m.get("tool_calls")
        )
        return tuple(text for text in texts if text.strip())

    @cached_property
    def said_after_calls(self) -> int:
        """How many messages the user saw after the policy's last call."""
        calls = (c.message for c in self.own_calls)
        first = max(max(calls, default=-1) + 1, self.attempt.opening)
        said = self.attempt.messages[first:]
        return sum(m.get("role") == "assistant" and bool(text_of(m).strip()) for m in said)

    @cached_property
    def closing_from(self) -> int:
        """The place of the first visible message after the policy's last call."""
        return len(self.visible) - self.said_after_calls

    @cached_property
    def answers_on_the_way(self) -> tuple[int, ...]:
        """Which visible messages before the last call ask nothing: an answer to the first of two questions."""
        earlier = range(self.closing_from)
        return tuple(at for at in earlier if not QUESTION.search(self.visible[at]))

    @cached_property
    def stated(self) -> str:
        """What the user saw after the policy's last call, and before it in messages that ask nothing, as one text."""
        earlier = (self.visible[at] for at in self.answers_on_the_way)
        return "\n".join((*earlier, *self.visible[self.closing_from :]))

    @cached_property
    def said_folded(self) -> tuple[str, ...]:
        """The visible messages in one case and spelling, as facts and forms are looked for."""
        return tuple(map(folded, self.visible))

    @cached_property
    def facts(self) -> tuple[tuple[Fact, ...], ...]:
        """The facts per visible message."""
        return tuple(map(facts_in, self.visible))

    @cached_property
    def instructions(self) -> tuple[str, ...]:
        """What the opening tells the policy and no user says."""
        opening = self.attempt.messages[: self.attempt.opening]
        return tuple(text_of(m) for m in opening if m.get("role") in {"system", "developer"})

    @cached_property
    def heard_texts(self) -> tuple[str, ...]:
        """What the policy did not find out: the texts of the opening and of the user."""
        said = enumerate(self.attempt.messages)
        return tuple(
            text_of(m) for i, m in said if m.get("role") == "user" or i < self.attempt.opening
        )

    @cached_property
    def heard_text(self) -> str:
        """The same as one text, folded."""
        return "\n".join(map(folded, self.heard_texts))

    @cached_property
    def heard_readings(self) -> frozenset[str | float]:
        """All that the facts in the opening and in the user's words may mean."""
        return readings_in(self.heard_texts)

    @cached_property
    def user_readings(self) -> frozenset[str | float]:
        """All that the facts in the user's own words may mean."""
        users = (m for m in self.attempt.messages if m.get("role") == "user")
        return readings_in(map(text_of, users))

    @cached_property
    def shown_readings(self) -> frozenset[str | float]:
        """All that the facts in the tools' answers may mean."""
        return readings_in(call.result.content for call in self.attempt.calls)

    @cached_property
    def said_by_user(self) -> str:
        """The user's words, folded."""
        said = (text_of(m) for m in self.attempt.messages if m.get("role") == "user")
        return "\n".join(map(folded, said))

    @cached_property
    def new_facts(self) -> tuple[int, ...]:
        """Per visible message, how many different specific facts it tells that nobody said first."""
        heard = self.heard_readings
        return tuple(
            len({f.readings[0] for f in facts if f.specific and heard.isdisjoint(f.readings)})
            for facts in self.facts
        )

    @cached_property
    def told_numbers(self) -> tuple[tuple[float, ...], ...]:
        """Numbers per visible message."""
        return tuple(tuple(numbers_in(text)) for text in self.visible)

    @cached_property
    def all_told_numbers(self) -> frozenset[float]:
        """Every number the user was told."""
        return frozenset(number for message in self.told_numbers for number in message)

    @cached_property
    def given_numbers(self) -> frozenset[float]:
        """Numbers the user or the opening said first: repeating them tells nothing."""
        return frozenset(number for text in self.heard_texts for number in numbers_in(text))

    @cached_property
    def new_numbers(self) -> tuple[frozenset[float], ...]:
        """Numbers per visible message that the user had not said first."""
        given = self.given_numbers
        return tuple(frozenset(n for n in told if n not in given) for told in self.told_numbers)

    @cached_property
    def told_beside(self) -> tuple[tuple[float, int], ...]:
        """Every number told, ascending, each with how many new numbers its message told."""
        beside = zip(self.told_numbers, self.new_numbers, strict=True)
        return tuple(sorted({(number, len(new)) for told, new in beside for number in told}))

    @cached_property
    def new_count(self) -> tuple[int, int]:
        """The most new numbers in one message, and the different ones in all."""
        messages = self.new_numbers
        return max(map(len, messages), default=0), len(frozenset[float]().union(*messages))

    @cached_property
    def characters(self) -> tuple[int, int]:
        """The longest message's characters, and those of all."""
        lengths = [len(text) for text in self.visible]
        return max(lengths, default=0), sum(lengths)

    @cached_property
    def most_repeated(self) -> int:
        """How often the policy made its most repeated call."""
        calls = (c for c in self.normal_calls({}) if not c.by_user)
        return max(Counter((c.tool, c.arguments) for c in calls).values(), default=0)

    @cached_property
    def told_words(self) -> frozenset[str]:
        """Every word the user was told, folded."""
        return frozenset(word for text in self.visible for word in words_in(text))

    @cached_property
    def words_by_message(self) -> tuple[frozenset[str], ...]:
        """The longer plain words per visible message."""
        return tuple(frozenset(plain_words(text)) for text in self.visible)

    @cached_property
    def declines(self) -> bool:
        """Whether the user was told that something cannot be done."""
        return any(DECLINES.search(text) or denies(text) for text in self.visible)

    @cached_property
    def given_words(self) -> frozenset[str]:
        """Every word of the user and the opening, folded."""
        return frozenset(word for text in self.heard_texts for word in words_in(text))

    @cached_property
    def parts_read(self) -> tuple[frozenset[str], ...]:
        """Per message what it tells the policy in words and numbers; nothing where the policy itself speaks."""
        return tuple(
            frozenset() if m.get("role") == "assistant" else telling_parts(text_of(m))
            for m in self.attempt.messages
        )

    @cached_property
    def own_calls(self) -> tuple[Call, ...]:
        """The policy's calls: a user may have tools of their own."""
        return tuple(c for c in self.attempt.calls if not c.by_user)

    @cached_property
    def answered(self) -> tuple[str, ...]:
        """Names of the policy's tools that answered without refusing, call by call."""
        return tuple(c.name for c in self.own_calls if not c.result.is_error)

    @cached_property
    def tools_called(self) -> frozenset[str]:
        """Names of the policy's tools that answered without refusing."""
        return frozenset(self.answered)

    def calls_by_key(self, ignore: Mapping[str, Json]) -> Mapping[Key, list[NormalCall]]:
        """All well-formed calls by tool and canonical arguments, in order."""
        name = _ignored_name(ignore)
        if name not in self._by_key:
            grouped: dict[Key, list[NormalCall]] = {}
            for call in self.normal_calls(ignore):
                grouped.setdefault((call.tool, call.arguments), []).append(call)
            self._by_key[name] = grouped
        return self._by_key[name]

    def normal_calls(self, ignore: Mapping[str, Json]) -> list[NormalCall]:
        """All well-formed calls in normal form, in order."""
        key = _ignored_name(ignore)
        if key not in self._normal:
            calls = enumerate(self.attempt.calls)
            self._normal[key] = [_normal_call(i, c, ignore) for i, c in calls if not c.malformed]
        return self._normal[key]


def readings_in(texts: Iterable[str]) -> frozenset[str | float]:
    """All that the facts of some texts may mean."""
    return frozenset(r for text in texts for fact in facts_in(text) for r in fact.readings)


def _ignored_name(ignore: Mapping[str, Json]) -> str:
    return repr(sorted(ignore.items())) if ignore else ""


def _normal_call(index: int, call: Call, ignore: Mapping[str, Json]) -> NormalCall:
    return NormalCall(
        tool=call.name,
        arguments=canonical_arguments(call.arguments, texts_of(ignore, call.name)),
        index=index,
        unknown=call.result.source == UNKNOWN,
        failed=call.result.is_error,
        by_user=call.by_user,
    )
