"""A failed attempt joins the later one in which its user got what they had come for.

In: groups of attempts, their facts, and who opened alike. Out: the same groups, some joined: a request that nobody
resolved and that changed nothing, with a later resolved attempt of the same subject, opened alike, about the same things,
where nobody else changed those in between. The later attempt's end is then the right end of both. A doubtful join is not made.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import Call, Json
from environments.verification.readable_values import leaves_of
from synth.attempts.grouping import Group
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import bare_id, ids_in, is_id, shape
from synth.recordings.tool_kinds import MAYBE, WRITE, ToolKinds
from synth.tool_content import held_value

LATER: Final = "later"
"""How such a group was joined."""
COMMON: Final = 0.1
"""Share of all openings that hold a word from which on it says nothing about the request."""
WORD: Final = re.compile(r"[^\W\d_]{2,}")

Alike = Callable[[Facts], Collection[str]]
"""Resolved episodes that were opened like this one."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A recorded change."""

    episode: str
    at: int
    ids: frozenset[str]


def join_later(
    groups: Sequence[Group], facts: Mapping[str, Facts], kinds: ToolKinds, *, alike: Alike
) -> list[Group]:
    """The groups, in order of their first attempt; every episode stays in exactly one."""
    attempts = [[facts[r.episode.episode_id] for r in g.records] for g in groups]
    later = _Comparison(list(facts.values()), kinds, alike)
    into: dict[int, int] = {}
    for index, mine in enumerate(attempts):
        if groups[index].task_key is None and _open(mine):
            found = [i for i, theirs in enumerate(attempts) if later.settles(mine, theirs)]
            if len(found) == 1 and groups[found[0]].task_key is None:
                into[index] = found[0]
    joined = {i: [g] for i, g in enumerate(groups) if i not in into}
    for index, target in into.items():
        joined[target].append(groups[index])
    merged = [_merged(parts, facts) for parts in joined.values()]
    return sorted(merged, key=lambda g: (g.anchor.episode.started_at, g.anchor.episode.episode_id))


class _Comparison:
    """What is compared: openings, ids and changes of an app."""

    def __init__(self, everything: Sequence[Facts], kinds: ToolKinds, alike: Alike) -> None:
        self._alike = alike
        self._changing = {*kinds.tools_of(WRITE), *kinds.tools_of(MAYBE)}
        self._changes = [change for a in everything for change in self._changes_of(a)]
        spread = Counter(word for a in everything for word in _words(a))
        self._common = {w for w, n in spread.items() if n > COMMON * len(everything)}

    def settles(self, mine: Sequence[Facts], theirs: Sequence[Facts]) -> bool:
        """Whether another request's attempts resolved what these failed at."""
        subject = mine[0].recorded.episode.subject
        if subject is None or theirs[0].recorded.episode.subject != subject:
            return False
        good = [a for a in theirs if a.resolved is True and a.writes]
        if not good or _start_of(good[0]) <= max(map(_start_of, mine)):
            return False
        return all(self._is_same_request(a, good[0]) for a in mine) and self._undisturbed(
            mine, good[0]
        )

    def _is_same_request(self, failed: Facts, good: Facts) -> bool:
        """Opened alike, about the same things."""
        if good.episode_id not in self._alike(failed) or _found_otherwise(failed, good):
            return False
        changed = self._ids_changed(good)
        said, told = _said_ids(failed), _said_ids(good)
        named = changed & told
        kinds = {shape(one) for one in changed}
        if {one for one in said if shape(one) in kinds} != {
            one for one in told if shape(one) in kinds
        }:
            return False
        return bool(named) or not (_words(failed) ^ _words(good)) - self._common

    def _undisturbed(self, mine: Sequence[Facts], good: Facts) -> bool:
        """Whether nobody else changed what the later attempt changed, in between."""
        own = {good.episode_id, *(a.episode_id for a in mine)}
        changed = self._ids_changed(good)
        first, last = min(map(_start_of, mine)), _start_of(good)
        return not any(
            first <= change.at <= last and change.ids & changed
            for change in self._changes
            if change.episode not in own
        )

    def _ids_changed(self, attempt: Facts) -> frozenset[str]:
        return frozenset(one for change in self._changes_of(attempt) for one in change.ids)

    def _changes_of(self, attempt: Facts) -> list[_Change]:
        return [
            _Change(attempt.episode_id, _start_of(attempt), _ids_of(call.arguments))
            for call in attempt.recorded.attempt.calls
            if call.name in self._changing and not call.result.is_error
        ]


def _open(attempts: Sequence[Facts]) -> bool:
    """Whether nobody resolved a request, and nobody changed anything."""
    return all(a.resolved is False and not (a.writes or a.maybe or a.dirty) for a in attempts)


def _found_otherwise(failed: Facts, good: Facts) -> bool:
    """Whether a record that both read said something else in words, as a status: the right end may be another one."""
    before = {_key(call): _words_of(call) for call in failed.recorded.attempt.calls}
    return any(
        before.get(_key(call), _words_of(call)) != _words_of(call) for call in _until_changed(good)
    )


def _words_of(call: Call) -> Counter[str]:
    """The texts of an answer: amounts, counts, dates and ids change without the request becoming another one."""
    leaves = (leaf for _, leaf in leaves_of(held_value(call.result.content)))
    return Counter(
        leaf for leaf in leaves if isinstance(leaf, str) and not any(c.isdigit() for c in leaf)
    )


def _until_changed(attempt: Facts) -> list[Call]:
    """The calls before the first change."""
    changing = {tool for tool, _ in attempt.writes}
    calls = attempt.recorded.attempt.calls
    first = next((i for i, c in enumerate(calls) if c.name in changing), len(calls))
    return list(calls[:first])


def _key(call: Call) -> str:
    return call.name + json.dumps(dict(call.arguments), sort_keys=True)


def _merged(parts: Sequence[Group], facts: Mapping[str, Facts]) -> Group:
    """One group; its task begins where the resolved attempt did, whose user knows all that is needed."""
    if len(parts) == 1:
        return parts[0]
    records = sorted(
        (r for part in parts for r in part.records),
        key=lambda r: (r.episode.started_at, r.episode.episode_id),
    )
    start = next(r for r in records if facts[r.episode.episode_id].resolved)
    return Group(records=tuple(records), joined_by=LATER, start=start)


def _start_of(attempt: Facts) -> int:
    return attempt.recorded.episode.started_at


def _turns(attempt: Facts) -> list[str]:
    messages = attempt.recorded.attempt.messages
    return [text_of(m) for m in messages if m.get("role") == "user"]


def _words(attempt: Facts) -> frozenset[str]:
    """The words that a user opened with."""
    return frozenset(w.casefold() for text in _turns(attempt)[:1] for w in WORD.findall(text))


def _said_ids(attempt: Facts) -> frozenset[str]:
    return frozenset(bare_id(one) for text in _turns(attempt) for one in ids_in(text))


def _ids_of(arguments: Mapping[str, Json]) -> frozenset[str]:
    leaves = (leaf for value in arguments.values() for _, leaf in leaves_of(value))
    return frozenset(bare_id(leaf) for leaf in leaves if isinstance(leaf, str) and is_id(leaf))
