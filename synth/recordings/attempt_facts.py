"""What one labelled attempt contributes to a rubric: its end, what it told, what it read, what the user asked.

In: a recorded attempt, its label and the app's tool kinds. Out: comparable facts. Not here: which of them matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.checks.ends.terms import Write
from environments.runtime.checks.texts import groundless_texts
from environments.runtime.checks.view import View, numbers_in, plain_words, text_of, words_in
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.values.facts import DATE, TIME, Fact, facts_in, folded
from environments.runtime.values.mentions import is_name
from synth.labels.label import UNLABELLED, Label
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.tool_kinds import ACT, MAYBE, READ, WRITE, ToolKinds
from synth.rubric.facts.told_facts import ToldFacts, known_facts, told_facts

ASKS_A_VALUE: Final = re.compile(
    r"\bhow (?:much|many|long|far|old|big)\b|\bnumber of\b|"
    r"\b(?:total|sum|amount|balance|price|cost|fee|difference|count|percentage|quantity|rate)s?\b",
    re.IGNORECASE,
)
"""A user turn that wants a number, in generic English."""
SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]?")
NAMES_SOMETHING: Final = re.compile(
    r"\b(?:number|code|id|reference|identifier|serial|pin|link)s?\b", re.IGNORECASE
)
REQUESTS: Final = re.compile(
    r"\b(?:can|could|would|will|may|what|which|tell|give|provide|share|send|need|know|find|check|look|please)\b",
    re.IGNORECASE,
)
NOT_A_REQUEST: Final = re.compile(
    r"\b(?:don.?t|do not|didn.?t|not|no|forgot|without|my [\w ]{1,30} is|it.?s|here is|here.?s)\b",
    re.IGNORECASE,
)
CARD: Final = re.compile(
    r"\b(?:ending|ends|last (?:four|4)(?: digits)?)\b\W+(?:in|with|is|are)?\W*\d+", re.IGNORECASE
)
"""Digits that identify a card, not amounts."""
MOST_AMOUNTS: Final = 5
NAME_LENGTH: Final = 5
LONG: Final = 10**7
"""Whole numbers from here on are ids, not amounts."""
REPLIES: Final = 2
"""How many visible replies after the question may hold the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One attempt, comparable with the others at the same task."""

    recorded: EpisodeAttempt
    label: Label
    writes: Counter[Write]
    """Successful calls of writing tools, and failed ones where those are known to change something too."""
    maybe: Counter[Write]
    """Successful calls of tools that may write."""
    failed: Counter[Write]
    """Refused calls of writing tools."""
    dirty: Counter[Write]
    """Those of them that may have changed something."""
    acts: frozenset[Write]
    """Acts with the arguments that matter; the agent's own wording does not."""
    reads: frozenset[Write]
    answers: frozenset[float | str]
    """What the replies after a question told: amounts where a value was asked for, names with digits where a number,
    code or id was; nothing that a user turn holds."""
    asked: bool
    """Whether the user asked for a value."""
    told: frozenset[float | str]
    explanations: tuple[frozenset[str], ...]
    """By message to the user, its words that the policy, the user or a tool result holds too: what an explanation is made of."""
    declines: bool
    """Whether the user was told that something cannot be done."""
    longest: int
    """Characters of the longest message to the user."""
    spoken: int
    """Characters said to the user in all."""
    per_message: int
    """Most new numbers told in one message."""
    total_told: int
    told_facts: ToldFacts
    """What it told its user, as checks on facts are made of it."""
    text_kinds: frozenset[str] = frozenset()
    """Kinds of specific facts in the texts that it worded itself for changes."""
    groundless_texts: tuple[Fact, ...] = ()
    """Those facts that nothing before showed."""

    @property
    def episode_id(self) -> str:
        """The clean episode's id."""
        return self.recorded.episode.episode_id

    @property
    def resolved(self) -> bool | None:
        """What the label says."""
        return self.label.resolved

    def fewest_told_beside(self, value: float | str) -> int:
        """The fewest new numbers (or names) in one message that told this value."""
        view = View(self.recorded.attempt)
        if isinstance(value, str):
            named = [_names(text) - view.given_words for text in view.visible]
            return min((len(names) for names in named if value in names), default=0)
        return min((beside for told, beside in view.told_beside if told == value), default=0)

    @property
    def end_key(self) -> tuple[tuple[Write, int], ...]:
        """The end by its writes."""
        return tuple(sorted(self.writes.items()))


def facts_of(recorded: EpisodeAttempt, label: Label | None, kinds: ToolKinds) -> Facts:
    """Collect one attempt's facts."""
    view = View(_heard_attempt(recorded.attempt, kinds))
    calls = view.normal_calls(kinds.ignore())
    of = {name: tool.kind for name, tool in kinds.tools.items()}
    failed = Counter((c.tool, c.arguments) for c in calls if of[c.tool] == WRITE and c.failed)
    writes = Counter((c.tool, c.arguments) for c in calls if of[c.tool] == WRITE and not c.failed)
    answers, asked = _answers(view)
    definitions = folded("\n".join(recorded.episode.tools))
    texts = {n: list[Json](t.authored) for n, t in kinds.tools.items() if t.kind == WRITE}
    return Facts(
        recorded=recorded,
        label=label or UNLABELLED,
        writes=writes + _calls_of_tools(failed, kinds.failing(WRITE)),
        maybe=Counter((c.tool, c.arguments) for c in calls if of[c.tool] == MAYBE and not c.failed),
        failed=failed,
        dirty=_calls_of_tools(failed, kinds.failing(MAYBE)),
        acts=frozenset((c.tool, c.arguments) for c in calls if of[c.tool] == ACT and not c.failed),
        reads=frozenset(
            (c.tool, c.arguments) for c in calls if of[c.tool] == READ and not c.failed
        ),
        answers=answers,
        asked=asked,
        told=view.all_told_numbers | view.told_words,
        explanations=_explanations(recorded, view),
        declines=view.declines,
        longest=max((len(text) for text in view.visible), default=0),
        spoken=sum(len(text) for text in view.visible),
        per_message=view.new_count[0],
        total_told=view.new_count[1],
        told_facts=told_facts(
            view, definitions, frozenset(kinds.tools_of(WRITE)), ignore=kinds.ignore()
        ),
        text_kinds=_text_kinds(view, texts),
        groundless_texts=tuple(groundless_texts(view, texts, known_facts(definitions))),
    )


def _text_kinds(view: View, texts: Mapping[str, list[Json]]) -> frozenset[str]:
    """The kinds of specific facts in the texts that changes were made with."""
    return frozenset(
        fact.kind
        for call in view.attempt.calls
        if not call.result.is_error and not call.by_user
        for name in texts.get(call.name, ())
        if isinstance(text := call.arguments.get(str(name)), str)
        for fact in facts_in(text)
        if fact.specific
    )


def _calls_of_tools(calls: Counter[Write], tools: Sequence[str]) -> Counter[Write]:
    return Counter({call: count for call, count in calls.items() if call[0] in tools})


def _heard_attempt(attempt: Attempt, kinds: ToolKinds) -> Attempt:
    """The attempt as a run would hold it: nothing is heard after a call that ends the run."""
    ends = (
        c.message for c in attempt.calls if c.name in kinds.stopping() and not c.result.is_error
    )
    last = min(ends, default=None)
    if last is None:
        return attempt
    return replace(attempt, messages=attempt.messages[: last + 1])


def _answers(view: View) -> tuple[frozenset[float | str], bool]:
    """What the visible replies after each question hold that no user turn and no opening does."""
    found: set[float | str] = set()
    values = names = 0
    asked = False
    for message in view.attempt.messages:
        text = text_of(message)
        if message.get("role") == "user":
            values = REPLIES if ASKS_A_VALUE.search(text) else values
            names = 1 if asks_a_name(text) else names
            asked = asked or values > 0 or names > 0
        elif _visible(message) and text.strip():
            found.update(_amounts(text) - view.given_numbers if values else ())
            found.update(_names(text) - view.given_words if names else ())
            values, names = max(0, values - 1), max(0, names - 1)
    return frozenset(found), asked


def _explanations(recorded: EpisodeAttempt, view: View) -> tuple[frozenset[str], ...]:
    texts = [text_of(m) for m in recorded.attempt.messages if m.get("role") != "assistant"]
    grounds = frozenset(word for text in texts for word in plain_words(text))
    return tuple(words & grounds for words in view.words_by_message)


def asks_a_name(text: str) -> bool:
    """Whether a user turn asks to be told a number, code or id (and does not merely mention one)."""
    return any(
        NAMES_SOMETHING.search(sentence)
        and REQUESTS.search(sentence)
        and not NOT_A_REQUEST.search(sentence)
        for sentence in SENTENCE.findall(text)
    )


def _amounts(text: str) -> set[float]:
    """The amounts of a text that tells a few; more than that is a list to choose from, not an answer. Days and times are none."""
    plain = CARD.sub(" ", text.casefold())
    for fact in facts_in(plain):
        if fact.kind in {DATE, TIME}:
            plain = plain.replace(fact.text, " ")
    found = {n for n in numbers_in(plain) if not (n >= LONG and n == int(n))}
    return found if len(found) <= MOST_AMOUNTS else set()


def _names(text: str) -> set[str]:
    return {w for w in words_in(text) if len(w) >= NAME_LENGTH and is_name(w)}


def _visible(message: Mapping[str, object]) -> bool:
    return message.get("role") == "assistant" and not message.get("tool_calls")
