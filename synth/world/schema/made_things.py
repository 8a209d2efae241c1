"""Things that a call makes: found from recordings in which some call always made them before another was about them.

Comes in: recorded calls in order. Comes out: the names of such things with the tools that made them, and what tools say of them before.
A label that a successful change shows first names what it made, once a later call gives it; where the same label names something
else too, it does so together with what the change was about (`number` 6 of one `repo`). A name that recordings give or show
without such a change before, more often than now and then, is none. Names that callers choose for what a change makes are found by
the argument that gives them: no other call ever found one of its names before, and several were refused. Not here: what a session does with them
(`environments.runtime.answers.made_things`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Final

from environments.runtime.answers.differing_pasts import DoneCall, names_shown, names_told
from environments.runtime.answers.made_things import AND, MadeThings, name_of_two, names_by
from environments.runtime.document.recordings import UnmadePart
from environments.runtime.values.literals import parse_json
from environments.runtime.values.mentions import labels_in, names_in
from synth.world.grouping import sets_by_key
from synth.world.support import (
    MOSTLY,
    NEARLY_ALWAYS,
    SEEN_THRICE,
    SEEN_TWICE,
    accept_counts,
)

BEFOREHAND: Final = 4.0
"""Calls about what nobody made that stand for what is known of other apps: nearly all are refused in the tool's own words."""
_PUNCTUATION: Final = ".,;:!?()'\""


Choice = tuple[str, str]
"""A tool and one of its arguments."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One recorded call with its answer."""

    call: DoneCall
    content: str
    same_as: str
    """Equal for equal answers."""
    failed: bool
    episode: str
    task: str
    past: tuple[DoneCall, ...] = ()
    """The calls before it that may have changed something."""


def learn_made(calls: Sequence[RecordedCall], looks: Container[str]) -> dict[str, frozenset[str]]:
    """By the name of each made thing the tools that made it; `looks`: tools that change nothing."""
    uses = _Uses(calls, looks)
    labels = {name for name in uses.makers if AND not in name and uses.is_made(name)}
    # What a label names alone it need not name together with another.
    pairs = {
        name
        for name in uses.makers
        if AND in name and labels.isdisjoint(name.split(AND)) and uses.is_made(name)
    }
    return {name: frozenset(uses.makers[name]) for name in sorted(labels | pairs)}


def learn_issued(
    calls: Sequence[RecordedCall], looks: Container[str], made: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """By tool the names that its first success in an episode gives, whatever it is asked, and no later one; and of what it makes."""
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    again: set[tuple[str, str]] = set()
    for _, episode in groupby(calls, key=lambda one: one.episode):
        before: set[str] = set()
        called: set[str] = set()
        for one in (one for one in episode if not one.failed):
            tool, shown = one.call.tool, names_told((one.content,))
            if tool not in looks:
                for name in shown - one.call.names:
                    if tool in called or name in before:
                        again.add((tool, name))
                    else:
                        asked[tool, name].add(one.call.text)
                called.add(tool)
            before |= shown | one.call.names
    issued = sets_by_key(
        (tool, name)
        for (tool, name), texts in asked.items()
        if len(texts) >= SEEN_THRICE and (tool, name) not in again
    )
    for name, tools in made.items():
        for tool in tools:
            issued[tool] |= {name} - {n for t, n in again if t == tool}
    return {tool: frozenset(names) for tool, names in sorted(issued.items()) if names}


class _Uses:
    """How often each name was given after a call that made its thing, and without one."""

    def __init__(self, calls: Sequence[RecordedCall], looks: Container[str]) -> None:
        self.makers: dict[str, set[str]] = defaultdict(set)
        self._there: dict[str, Counter[bool]] = defaultdict(Counter)
        """Per name, whether a call had made its thing where it was there."""
        for _, episode in groupby(calls, key=lambda one: one.episode):
            self._follow([one for one in episode if not one.failed], looks)
        self._look_at_starts(_looks_at_first(calls, looks))

    def is_made(self, name: str) -> bool:
        """Whether a thing hardly ever was there without a call that made it."""
        return accept_counts(self._there[name], least=1, share=MOSTLY)

    def _follow(self, episode: Iterable[RecordedCall], looks: Container[str]) -> None:
        here: dict[str, str] = {}
        for one in episode:
            for name in names_by(one.call.labels):
                if name in here:
                    self._there[name][True] += 1
                    self.makers[name].add(here[name])
                else:
                    self._there[name][False] += 1
            if one.call.tool not in looks:
                for name in _names_made(one):
                    here.setdefault(name, one.call.tool)

    def _look_at_starts(self, first: Iterable[RecordedCall]) -> None:
        """Count what looks show before anything was changed, of the names in question."""
        others: dict[str, set[str]] = defaultdict(set)
        for one, _, other in (name.partition(AND) for name in self.makers):
            others[one].add(other)
            others[other].add(one)
        for look in first:
            shown = names_shown(look.content)
            for label in others.keys() & shown:
                both = others[label] & {"", *look.call.labels}
                for known in both:
                    name = name_of_two(label, known) if known else label
                    self._there[name][False] += 1


def learn_chosen(calls: Sequence[RecordedCall], looks: Container[str]) -> dict[str, frozenset[str]]:
    """Names that callers choose for what a call makes, each with the tools that make it."""
    given: dict[str, set[Choice]] = defaultdict(set)
    for one in calls:
        for choice, name in _choices(one, looks):
            given[name].add(choice)
    found: dict[Choice, set[str]] = defaultdict(set)
    refused: dict[Choice, set[str]] = defaultdict(set)
    for _, episode in groupby(calls, key=lambda one: one.episode):
        done: set[tuple[Choice, str]] = set()
        for one in episode:
            shown = frozenset[str]() if one.failed else names_shown(one.content)
            for name in given.keys() & (one.call.labels | shown):
                side = refused if one.failed else found
                for choice in given[name]:
                    if choice[0] != one.call.tool and (choice, name) not in done:
                        side[choice].add(name)
            done.update(_choices(one, looks))
    chosen = {c for c, names in refused.items() if len(names) >= SEEN_TWICE and c not in found}
    makers = {name: frozenset(tool for tool, _ in by & chosen) for name, by in given.items()}
    return {name: tools for name, tools in sorted(makers.items()) if tools}


def _choices(one: RecordedCall, looks: Container[str]) -> Iterator[tuple[Choice, str]]:
    """The names that a successful change was given, each with its tool and argument."""
    if one.failed or one.call.tool in looks:
        return
    for argument, value in one.call.given.items():
        for name in one.call.names & names_in([value]):
            yield (one.call.tool, argument), name


def _looks_at_first(calls: Sequence[RecordedCall], looks: Container[str]) -> Iterator[RecordedCall]:
    """The successful looks of each episode before its first change."""
    for _, episode in groupby(calls, key=lambda one: one.episode):
        good = (one for one in episode if not one.failed)
        yield from takewhile(lambda one: one.call.tool in looks, good)


def _names_made(one: RecordedCall) -> Iterator[str]:
    """The names that a change may give to what it made: alone, or of its own record with what the change was about."""
    shown = names_shown(one.content) - one.call.labels
    yield from shown
    for label in shown & _own_fields(one.content):
        yield from (name_of_two(label, given) for given in one.call.labels)


def _own_fields(content: str) -> frozenset[str]:
    """The plain values of a record, but for those of records inside it."""
    parsed = parse_json(content)
    if parsed is None or not isinstance(parsed.value, dict):
        return frozenset()
    return frozenset(labels_in([v for v in parsed.value.values() if isinstance(v, str | int)]))


def words_before(
    calls: Sequence[RecordedCall],
    made: Mapping[str, frozenset[str]],
    chosen: Mapping[str, frozenset[str]],
    repeaters: frozenset[str],
) -> dict[str, UnmadePart]:
    """What each tool says of a thing that nothing has made, where all its recordings say the same.

    No words for `repeaters`: tools that never refused and answer by their arguments alone.
    """
    things = MadeThings(made, chosen, {})
    lacking, others = list[RecordedCall](), list[RecordedCall]()
    for one in calls:
        (lacking if things.is_lacking(one.call, one.past) else others).append(one)
    said: dict[str, dict[tuple[str, ...], set[tuple[str, str]]]] = defaultdict(
        lambda: defaultdict(set)
    )
    for one in lacking:
        said[one.call.tool][_with_holes(one) if one.failed else ()].add((one.task, one.call.text))
    elsewhere = {one.content for one in others if one.failed}
    given = {v for one in calls for v in one.call.given.values() if not v.isalpha()}
    told = {
        tool: words
        for tool, by_words in said.items()
        for words in by_words
        if len(by_words) == 1 and _is_about_it(words, elsewhere, given)
    }
    cases = [(words, len(c)) for by_words in said.values() for words, c in by_words.items()]
    refused = sum(count for words, count in cases if words)
    every = sum(count for _, count in cases)
    sure = (refused + BEFOREHAND * (1 + NEARLY_ALWAYS) / 2) / (every + BEFOREHAND)
    checked = _checked_arguments(others, frozenset(told.values()))
    parts = {
        tool: UnmadePart(words=words, sure=round(sure, 4), checked=checked)
        for tool, words in told.items()
    }
    heedless = {tool: UnmadePart(words=(), sure=0.0) for tool in said.keys() & repeaters}
    return dict(sorted((parts | heedless).items()))


def _is_about_it(words: tuple[str, ...], elsewhere: set[str], given: set[str]) -> bool:
    """Whether a refusal says that the thing is not there: not what is said of other things too, nor what names another thing."""
    if not words or (len(words) == 1 and words[0] in elsewhere):
        return False
    return given.isdisjoint(w.strip(_PUNCTUATION) for part in words[::2] for w in part.split())


def _checked_arguments(
    others: Iterable[RecordedCall], told: Container[tuple[str, ...]]
) -> frozenset[str]:
    """The arguments that refusals about anything else name."""
    words = {_with_holes(one) for one in others if one.failed}
    return frozenset(name for one in words if one not in told for name in one[1::2])


def _with_holes(one: RecordedCall) -> tuple[str, ...]:
    """The words of a refusal, with the names of the arguments that it repeats."""
    given = {value: name for name, value in sorted(one.call.given.items())}
    if not given:
        return (one.content,)
    values = "|".join(re.escape(value) for value in sorted(given, key=len, reverse=True))
    parts = re.split(f"(?<![A-Za-z0-9])({values})(?![A-Za-z0-9])", one.content)
    return tuple(given[part] if at % 2 else part for at, part in enumerate(parts))
