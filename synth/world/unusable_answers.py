"""Answers that say nothing of a tool, and episodes without them: transient failures, and answers that were cut.

In: clean episodes. Out: the same episodes without such calls. What stands before the tools (a gateway, a timeout, a rate limit) fails now
and then: its text does not hang on what was called. Who records cuts long answers: JSON ends in the middle, and several
texts at one length. What is learnt, what a task's own path answers and who is believed to have changed what do not hang on either. Not here: refusals, which the same call meets again.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, zip_longest
from typing import Final

from environments.runtime.values.literals import parse_arguments, parse_json
from environments.runtime.values.mentions import names_in, names_in_text
from environments.runtime.values.normal import HOLE
from redact.records.clean_episode import CleanEpisode, CleanToolCall
from synth.tool_errors import is_own_trouble, looks_failed
from synth.world.observation import paired_results, without_calls
from synth.world.support import (
    HALF_OF_CASES,
    MOSTLY,
    NEARLY_ALWAYS,
    SEEN_THRICE,
    SEEN_TWICE,
    SELDOM,
    accept_counts,
)
from synth.world.volatile.idle_values import shape_of

LONG: Final = 400
"""Characters: what fails before a tool is reached says little."""
TROUBLE: Final = "503 Service Unavailable"
"""What stands for a timeout, a rate limit, or a server that is down."""
MARK: Final = 40
"""Characters that say at the end that the rest was cut."""
ELLIPSIS: Final = re.compile(r"(?:\.\.\.|…)[^\n]*\Z")
LEAST_LIMIT: Final = 200
"""Characters: who records keeps more of an answer than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """One answered call."""

    call: CleanToolCall
    turn: tuple[str, str, int]
    """The call as it was sent, and how often a user had spoken by then: who speaks in between may have helped."""
    text: str
    """Without numbers and without the tool's name."""
    is_cut: bool
    is_about_it: bool
    """It names a thing that it was asked for, and is no trouble of a gateway: it comes from behind it."""
    content: str

    @property
    def cut_at(self) -> int:
        """Characters of the answer, but for an ellipsis at its end and what is said behind it."""
        return len(self.content) - len(self.mark)

    @property
    def mark(self) -> str:
        """An ellipsis at its end with what is said behind it."""
        found = ELLIPSIS.search(self.content[-MARK:])
        return found[0] if found else ""


@dataclass(slots=True, kw_only=True)
class _TextAnswers:
    """One text as an answer."""

    tools: Counter[str] = field(default_factory=Counter)
    again: Counter[bool] = field(default_factory=Counter)
    """Whether it was gone when the same call was made again; what fails only then says nothing."""
    elsewhere: Counter[bool] = field(default_factory=Counter)
    """Whether half of all or more were answered otherwise who had made the same calls until then."""


def without_unusable(episodes: Sequence[CleanEpisode]) -> list[CleanEpisode]:
    """Episodes without the calls whose answer was a transient failure or was cut, and without these answers."""
    answered = [_answers(episode) for episode in episodes]
    texts = _transient_texts(answered)
    whole, limits = _tools_with_records(answered), _limits(answered)

    def episode_without(episode: CleanEpisode, answers: Sequence[_Answer]) -> CleanEpisode:
        # Ids come again in one episode: a call is told by where it stands.
        gone = {
            id(a.call)
            for a in answers
            if (a.text in texts and not a.is_about_it)
            or a.cut_at in limits
            or (a.is_cut and a.call.name in whole)
        }
        return without_calls(episode, lambda call: id(call) in gone) if gone else episode

    return list(map(episode_without, episodes, answered))


def calls_left_out(whole: Iterable[CleanEpisode], kept: Iterable[CleanEpisode]) -> Counter[str]:
    """How many calls of each tool only the whole episodes have."""
    return _calls(whole) - _calls(kept)


def _calls(episodes: Iterable[CleanEpisode]) -> Counter[str]:
    return Counter(c.name for e in episodes for step in e.steps for c in step.tool_calls)


def _answers(episode: CleanEpisode) -> list[_Answer]:
    spoken = [*accumulate(step.role == "user" for step in episode.steps)]
    found = []
    for call, at in paired_results(episode):
        content = episode.steps[at].content or ""
        found.append(
            _Answer(
                call=call,
                turn=(call.name, call.arguments, spoken[at]),
                text=_text_of(call.name, content[:LONG]),
                content=content,
                is_cut=_is_cut(content),
                is_about_it=_is_about(call, content),
            )
        )
    return found


def _text_of(tool: str, content: str) -> str:
    """An answer without numbers and its tool's name; a gateway's troubles, which are told in many words, are one."""
    return TROUBLE if is_own_trouble(content) else shape_of(content).replace(tool, HOLE)


def _is_about(call: CleanToolCall, content: str) -> bool:
    if len(content) > LONG or is_own_trouble(content):
        return False
    asked = names_in(parse_arguments(call.arguments) or {})
    return not asked.isdisjoint(names_in_text(content))


def _is_cut(content: str) -> bool:
    """Whether a text is JSON until it ends, or until some words that say that it was cut."""
    if not content.startswith(("{", "[")) or parse_json(content) is not None:
        return False
    try:
        json.loads(content)
    except json.JSONDecodeError as fault:
        whole = len(content) - fault.pos <= min(MARK, len(content) // 2)
        return fault.msg.startswith("Unterminated") or (whole and fault.msg != "Extra data")
    except (RecursionError, ValueError):
        return False
    return False


def _tools_with_records(answered: Iterable[Sequence[_Answer]]) -> set[str]:
    """Tools whose answers are mostly JSON where they begin so: of these, others were cut by who recorded them."""
    whole: dict[str, Counter[bool]] = defaultdict(Counter)
    for answers in answered:
        for one in answers:
            if one.text.startswith(("{", "[")):
                whole[one.call.name][not one.is_cut] += 1
    return {name for name, is_whole in whole.items() if is_whole[True] > is_whole[False]}


def _transient_texts(answered: Sequence[Sequence[_Answer]]) -> set[str]:
    """Texts that tools tell now and then, and that do not hang on what was called."""
    calls: Counter[str] = Counter()
    told: dict[str, _TextAnswers] = defaultdict(_TextAnswers)
    for answers in answered:
        for one in answers:
            calls[one.call.name] += 1
            told[one.text].tools[one.call.name] += 1
        for first, gone in _made_again(answers):
            told[first].again[gone] += 1
    for texts in _after_equal_calls(answered):
        for text, times in texts.items():
            told[text].elsewhere[2 * times <= texts.total()] += times * (texts.total() > 1)
    return {text for text, one in told.items() if _is_transient(one, calls)}


def _limits(answered: Iterable[Sequence[_Answer]]) -> set[int]:
    """Lengths at which who recorded them cut answers: several different ones end there, in the middle."""
    by_length: dict[int, dict[str, _Answer]] = defaultdict(dict)
    for answers in answered:
        for one in answers:
            by_length[one.cut_at][one.content] = one
    longest = max(by_length, default=0)
    return {
        length
        for length, texts in by_length.items()
        if sum(one.is_cut for one in texts.values()) >= SEEN_THRICE
        or (length == longest >= LEAST_LIMIT and _end_anywhere(list(texts.values())))
    }


def _end_anywhere(answers: Sequence[_Answer]) -> bool:
    """Whether texts of one length say that they were cut, or end in signs of all kinds: whole ones end alike."""
    marks = {shape_of(one.mark) for one in answers}
    ends = {shape_of(one.content[-MARK:])[-1:] for one in answers}
    return len(answers) >= SEEN_THRICE and (
        (len(marks) == 1 and marks != {""}) or len(ends) >= SEEN_THRICE
    )


def _made_again(answers: Sequence[_Answer]) -> Iterator[tuple[str, bool]]:
    """What calls were told that were then made again at once, and whether that was gone in the end."""
    runs = [(key, len([*run])) for key, run in groupby(answers, lambda a: (a.turn, a.text))]
    for ((turn, first), times), after in zip_longest(runs, runs[1:]):
        if after is not None and after[0][0] == turn:
            if looks_failed(first) or not looks_failed(after[0][1]):
                yield first, True
        elif times > 1:
            yield first, False


def _after_equal_calls(answered: Iterable[Sequence[_Answer]]) -> Iterable[Counter[str]]:
    """How often each text was told, of each call after the same calls."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for answers in answered:
        past, last = 0, ("", "")
        for one in answers:
            call = (one.call.name, one.call.arguments)
            if call != last:
                past, last = hash((past, call)), call
            found[past][one.text] += 1
    return found.values()


def _is_transient(told: _TextAnswers, calls: Counter[str]) -> bool:
    """Told by two tools and gone when they are asked again, or by most tools and no others after the same calls."""
    if told.tools.total() > SELDOM * sum(calls[name] for name in told.tools):
        return False
    again = accept_counts(told.again, least=SEEN_THRICE, share=NEARLY_ALWAYS)
    if again and len(told.tools) >= SEEN_TWICE:
        return True
    share = told.tools.total() / calls.total()
    could = [name for name, number in calls.items() if number * share >= SEEN_TWICE]
    many = len(told.tools) >= max(SEEN_THRICE, HALF_OF_CASES * len(could))
    return many and accept_counts(told.again + told.elsewhere, least=SEEN_THRICE, share=MOSTLY)
