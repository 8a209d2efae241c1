"""Paired values: what else the calls of a reader gave with the key of a record, where each record had one value only.

Comes from tools with their tables and keys; sets `paired`. A line was always asked for with its own customer: that says nothing of
what comes back with another customer, and most backends refuse it. An argument is left out of the question where one record was ever
shown with two values, or where it is free text; not where it names the record (results show its words, and no other record has them). One record
is enough where every record repeats the argument, in a field of its name or as a word, where some tool's refusal names the values of both
arguments (`line 3 not found for customer 1`), and where one was refused to who asked with a value other than those it was told with.
Writers that take both arguments are told of the pairs of readers, save in that last case. Not here: relations between
records (`refusals.guards`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from environments.runtime.expr.language import shape
from environments.runtime.values.facts import folded
from environments.runtime.values.mentions import fields_in
from environments.runtime.values.normal import stable
from environments.runtime.views.implicit_subject import SUBJECT
from synth.world.grouping import sets_by_key
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import Observation
from synth.world.schema.functional_dependency import decides_beside
from synth.world.support import SEEN_THRICE, SELDOM

MIN_PAIRED: Final = SEEN_THRICE
"""Records that were shown in two tasks or more with one value each, before another value is a question nobody asked."""
MIN_REPEATED: Final = SEEN_THRICE
"""Different words that answers repeat, before it is no accident."""
Pair = tuple[str, str]
"""Two arguments, by name."""


def learn_paired(bench: Workbench) -> None:
    """Set, per reader and argument beside its key, the values that each record was shown with."""
    named = {
        pair
        for tool in bench.tools.values()
        for seen in tool.observations
        if refused(tool, seen)
        for pair in pairs_named(seen)
    }
    task_of = {history.index: history.task for history in bench.histories}
    for tool in bench.tools.values():
        keys = (tool.key_arguments if tool.innocent else None) or []
        names = {n for seen in tool.good() for n in seen.arguments}.difference(keys, tool.ignore)
        for name in sorted(names) if keys else ():
            if not bench.living and decides_beside(tool.good(), keys, name):
                tool.paired[name] = {}
                continue
            told = _told_to_some(bench, tool, keys, name)
            if told:
                tool.paired[name] = told
                continue
            asked = len(keys) == 1 and (min(keys[0], name), max(keys[0], name)) in named
            repeated = _is_repeated(tool, name)
            found = _pairs(bench, tool, keys, name, optional=repeated)
            # Whether a backend shows one subject what is another's was hardly ever recorded.
            enough = asked or name == SUBJECT or repeated
            if found and (enough or _count_shared_records(tool, keys, task_of) >= MIN_PAIRED):
                tool.paired[name] = found
                _tell_writers(bench, keys, name, found)


def _told_to_some(
    bench: Workbench, tool: ToolModel, keys: list[str], name: str
) -> dict[str, frozenset[str]]:
    """The values that records were told with, where one of them was refused with another value."""
    if bench.living or len(keys) != 1:
        return {}
    told: dict[str, set[str]] = defaultdict(set)
    lacking: dict[str, set[str]] = defaultdict(set)
    for seen in _looks_at_first(bench, tool):
        no = refused(tool, seen)
        if no and _names(seen, keys[0]) is not _names(seen, name):
            continue  # there is no such record, or no such value
        side = lacking if no else told
        side[seen.key_of(keys)].add(stable(seen.arguments.get(name)))
    both = told.keys() & lacking.keys()
    # With one value both ways something else decides.
    if not both or any(told[key] & lacking[key] for key in both):
        return {}
    for seen in tool.good():
        told[seen.key_of(keys)].add(stable(seen.arguments.get(name)))
    # Of what nobody was told there is nothing but the refusal.
    return {key: frozenset(values) for key, values in sorted((lacking | told).items())}


def _looks_at_first(bench: Workbench, tool: ToolModel) -> Iterator[Observation]:
    """Calls of a reader before anything was changed."""
    for _, seen, past in bench.with_pasts(bench.has_changed):
        if seen.tool == tool.name and not past:
            yield seen


def _names(seen: Observation, name: str) -> bool:
    """Whether a result repeats an argument."""
    value = seen.arguments.get(name)
    return isinstance(value, str | int) and str(value) in seen.content


def _is_repeated(tool: ToolModel, name: str) -> bool:
    """Whether every answer repeats the argument, in a field of its name or as one of several words: what was shown with one value is no answer to another."""
    given = [seen for seen in tool.good() if seen.arguments.get(name) is not None]
    words = {value for seen in given if isinstance(value := seen.arguments[name], str)}
    if len(words) >= MIN_REPEATED and all(_names(seen, name) for seen in given):
        return True
    return bool(given) and all(
        any(
            path[-1:] == (name,) and value == seen.arguments[name]
            for path, value in fields_in(seen.value)
        )
        for seen in given
    )


def _tell_writers(
    bench: Workbench, keys: list[str], name: str, found: dict[str, frozenset[str]]
) -> None:
    """What a reader shows to its own only, writers that take both arguments change for its own only."""
    for tool in bench.tools.values():
        good = [] if tool.innocent else tool.good()
        if good and all(n in seen.arguments for seen in good for n in (*keys, name)):
            tool.paired[name], tool.paired_by = found, keys


def _words_of(seen: Observation) -> set[str]:
    """The words of an answer, without the marks around them."""
    return {word.strip(".,;:!?()\"'{}[]") for word in seen.content.split()}


def pairs_named(seen: Observation) -> Iterator[Pair]:
    """Pairs of arguments whose values the words of a result name."""
    words = _words_of(seen)
    given = seen.arguments
    names = sorted(n for n, value in given.items() if isinstance(value, str) and value in words)
    yield from combinations(names, 2)


def _count_shared_records(tool: ToolModel, keys: list[str], task_of: dict[int, str]) -> int:
    """How many records were shown in several tasks."""
    tasks = sets_by_key((seen.key_of(keys), task_of[seen.episode]) for seen in tool.good())
    return sum(len(found) > 1 for found in tasks.values())


def _are_names_of_records(tool: ToolModel, keys: list[str], name: str) -> bool:
    """Whether each record is shown under names of its own, however they are written: results show their words, and no other record has them."""
    records: dict[str, set[str]] = defaultdict(set)
    for seen in tool.good():
        value = seen.arguments.get(name)
        words = set(folded(value).split()) if isinstance(value, str) else set[str]()
        if not any(word in folded(seen.content) for word in words):
            return False
        for word in words:
            records[word].add(seen.key_of(keys))
    return sum(len(own) > 1 for own in records.values()) <= SELDOM * len(records)


def _pairs(
    bench: Workbench, tool: ToolModel, keys: list[str], name: str, *, optional: bool
) -> dict[str, frozenset[str]] | None:
    """The values that each record was shown with; `optional`: a call without any says nothing of which belongs to it."""
    given: dict[str, set[str]] = defaultdict(set)
    without = [s for s in tool.good() if s.arguments.get(name) is None] if optional else []
    apart = name == SUBJECT or _are_names_of_records(tool, keys, name)
    shapes = {shape(v) for seen in tool.good() if isinstance(v := seen.arguments.get(name), str)}
    for seen in tool.good():
        value = seen.arguments.get(name)
        if optional and value is None:
            continue
        if isinstance(value, dict) or (isinstance(value, str) and " " in value and not apart):
            return None
        given[seen.key_of(keys)].add(stable(value))
    if not apart and any(len(values) > 1 for values in given.values()):
        return None
    for other in bench.tools.values():
        # What other tools took with both says that they belong together, too.
        for seen in other.good():
            if all(k in seen.arguments for k in (*keys, name)):
                given[seen.key_of(keys)].add(stable(seen.arguments[name]))
    for seen in without:
        # Words that look like the values which calls give: the record's own is among them.
        alike = (word for word in _words_of(seen) if shape(word) in shapes)
        given[seen.key_of(keys)].update(map(stable, alike))
    left_out = {stable(None)} if without else set[str]()
    return {key: frozenset(values | left_out) for key, values in sorted(given.items())}
