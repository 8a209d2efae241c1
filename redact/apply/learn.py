"""Learns an app's personal values from the structure of its own traces.

In: raw episodes and outcomes. Out: `Learnt`. Removes nothing. Direct identifiers and multi-word names are learnt for
the whole app, single words and short numbers for their own episode: "Brown" must not recolour another customer's shirt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ingest.records.episode import Episode
from ingest.records.outcome import Outcome
from redact.apply.collector import without_collection
from redact.bounds import LONG, REMEMBERED
from redact.evidence.app_values import AppLearnt, Learnt, keep_kind, subject_hash
from redact.evidence.counts import AppCounts
from redact.evidence.definitions import people_in
from redact.fold import fold_value
from redact.lists.lexicon import load_lexicon
from redact.lists.word_lists import ID_WORDS
from redact.names.abbreviations import numbered_words, user_names_among
from redact.names.other_keyboards import typed_otherwise
from redact.policy import Policy
from redact.readers.corrections import CorrectedCall, calls_in
from redact.readers.documents import FoundValue, refined
from redact.readers.place import ARGUMENT, MESSAGE, RESULT
from redact.recognizers.analyzer import Finder, Findings
from redact.recognizers.composites import atoms_in, is_composite
from redact.recognizers.presidio_engine import (
    NamesEngine,
    OwnRecognizer,
    own_recognizers,
    people_finder,
)
from redact.recognizers.short_codes import short_codes
from redact.values.scripts import is_word
from redact.values.shapes import can_be, parts_of

_CHECKED: Final = frozenset({"card_number", "ssn"})
"""Kinds that a pattern finds among bare digits; nothing but an address of the net has the form of one."""
_NAMES: Final = frozenset({"first_name", "last_name", "full_name"})
_NOT_THEIRS: Final = frozenset({"assistant", "tool"})
_NAMEABLE: Final = frozenset({"person_id", "handle"})
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@lru_cache(maxsize=4)
def _finder(
    rules: tuple[tuple[str, str], ...],
    prose_names: str,
    engine: NamesEngine | None,
    own: tuple[OwnRecognizer, ...],
) -> Finder:
    people = people_finder(engine) if engine and prose_names != "off" else None
    others = own_recognizers(own) if own else None
    lexicon = load_lexicon(dict(rules))
    return Finder(lexicon, prose_names=prose_names, people=people, others=others)


def finder_for(policy: Policy) -> Finder:
    """Return the policy's reader; one per process, so that scrubbing need not read again what learning read."""
    return _finder(tuple(policy.keys.items()), policy.prose_names, policy.names, policy.recognizers)


def learn(episodes: Iterable[Episode], outcomes: Iterable[Outcome], *, policy: Policy) -> Learnt:
    """Return what the episodes and outcomes reveal about their app's people."""
    apps: dict[str, AppLearnt] = {}
    if not policy.enabled:
        return Learnt(apps)
    finder = finder_for(policy)
    counts: dict[str, AppCounts] = {}
    with without_collection():
        for episode in episodes:
            counted = counts.get(episode.app)
            if counted is None:
                app = apps[episode.app] = AppLearnt()
                counted = counts[episode.app] = AppCounts(app)
            _learn_episode(counted, episode, finder)
        for counted in counts.values():
            counted.write_counts()
    for outcome in outcomes:
        if outcome.episode_id is not None:
            _learn_outcome(apps.setdefault(outcome.app, AppLearnt()), outcome, finder)
    return Learnt(apps)


def tool_names(episode: Episode) -> dict[str, str]:
    """Return which tool each call id of the episode called."""
    return {call.call_id: call.name for step in episode.steps for call in step.tool_calls}


class Reads(NamedTuple):
    """An episode's texts with what they reveal, column by column: few of them are told of."""

    places: list[tuple[int, int | None]]
    """The step, and which call's arguments it is; None for the step's own text."""
    texts: list[str]
    findings: list[Findings]

    def distinct(self) -> tuple[Findings, ...]:
        """Return the findings, each once: what is said again reveals no more."""
        return tuple(dict.fromkeys(self.findings))

    def path(self, row: int) -> str:
        """Return where a text stands: `steps[4].tool_calls[0].arguments`."""
        step, call = self.places[row]
        return f"steps[{step}]." + ("content" if call is None else f"tool_calls[{call}].arguments")


def read_texts(episode: Episode, finder: Finder) -> Reads:
    """Return each text of the episode with what it reveals."""
    names: dict[str, str] | None = None
    read, known = finder.in_text, finder.messages().get
    places, texts, findings = reads = Reads([], [], [])
    for number, step in enumerate(episode.steps):
        if step.tool_calls:
            for place, call in enumerate(step.tool_calls):
                places.append((number, place))
                texts.append(call.arguments)
                findings.append(read(call.arguments, call.name, ARGUMENT))
        content = step.content
        if not content:
            continue
        places.append((number, None))
        texts.append(content)
        if step.role != "tool":
            findings.append(known(content) or read(content, "", MESSAGE))
            continue
        tool = step.tool_name
        if not tool:
            names = tool_names(episode) if names is None else names
            tool = names.get(step.call_id or "", "")
        findings.append(read(content, tool, RESULT))
    return reads


def read_calls(calls: Iterable[CorrectedCall], finder: Finder) -> Reads:
    """Return what the arguments of corrected calls reveal, read as those of an episode's own calls are."""
    reads = Reads([], [], [])
    for place, call in enumerate(calls):
        reads.places.append((0, place))
        reads.texts.append(call.arguments)
        reads.findings.append(finder.in_text(call.arguments, call.name, ARGUMENT))
    return reads


def found_in(
    episode: Episode, texts: tuple[Findings, ...], finder: Finder
) -> tuple[FoundValue, ...]:
    """Return the personal values that the episode's own texts reveal; scrubbing asks again what learning asked."""
    numbered = tuple(dict.fromkeys(_numbered_words(episode, texts)))
    told = bool(sum([len(one.codes) for one in texts]))  # in few episodes is any
    asked = (texts, episode.subject, numbered, tuple(short_codes(episode.steps)) if told else ())
    found = finder.found.get(asked)
    if found is None:
        if len(finder.found) >= REMEMBERED:
            finder.found.clear()
        found = finder.found[asked] = tuple(_found_in(*asked))
    if any(item.kind in _NAMES for item in found):
        # A result may say which tool gave it: `{"name": "list_accounts"}` names nobody.
        called = {call.name for step in episode.steps for call in step.tool_calls}
        return tuple([one for one in found if one.kind not in _NAMES or one.value not in called])
    return found


def _found_in(
    texts: Collection[Findings],
    subject: str | None,
    numbered: Collection[str],
    codes: Collection[str],
) -> list[FoundValue]:
    found: dict[FoundValue, None] = {}
    if subject and can_be("person_id", subject):
        found[FoundValue(refined("person_id", subject), subject, "")] = None
    for findings in texts:
        if findings.values:
            found.update(findings.values)
    names = {word for item in found if item.kind in _NAMES for word in _name_words(item.value)}
    for value in user_names_among(numbered, names) if names else ():
        found.setdefault(FoundValue("handle", value, ""))
    for value in codes:
        found.setdefault(FoundValue("code", value, ""))
    if any(item.kind in _NAMEABLE for item in found):
        found = dict.fromkeys(named_by_owners(found))
    if not any(item.kind in _CHECKED and not item.key for item in found):
        return list(found)
    # A pattern never rewrites what is a value of its own elsewhere: one 16-digit product id in ten passes Luhn's test.
    # Nor is it a product's id where somebody writes it in groups, as cards are.
    grouped = {re.sub(r"[ -]", "", item.value) for item in found if not item.value.isdecimal()}
    explained = {
        leaf.value for findings in texts for _, leaf in findings.sightings if not leaf.free
    } - grouped
    return [
        item
        for item in found
        if item.key or item.kind not in _CHECKED or item.value not in explained
    ]


def named_by_owners(found: Collection[FoundValue]) -> Iterator[FoundValue]:
    """Yield what was found; an id whose only words are also its owner's names (`person_order_4421`) is one made of names."""
    ids = {word for item in found if item.kind in _NAMES for word in _id_words(item.value)}
    for item in found:
        words = _WORD.findall(fold_value(item.value)) if ids and item.kind in _NAMEABLE else ()
        named = words and ids.issuperset(words)
        yield item._replace(kind="named_id") if named else item


def _numbered_words(episode: Episode, texts: Iterable[Findings]) -> Iterator[str]:
    """Yield the words with a number behind them in the episode's texts, names of tools and definitions."""
    for findings in texts:
        if findings.numbered:
            yield from findings.numbered
    yield from _numbered_in(episode.tools)  # one made for its user is often not called
    for name in dict.fromkeys([call.name for step in episode.steps for call in step.tool_calls]):
        yield from _numbered_name(name)
    for text in filter(None, (episode.task_key, episode.agent, episode.model)):
        yield from _numbered_name(text)


_numbered_name = lru_cache(maxsize=20_000)(numbered_words)
"""Names of tools are the same in every episode."""


@lru_cache(maxsize=2_000)
def _numbered_in(definitions: tuple[str, ...]) -> tuple[str, ...]:
    """Return such words of definitions, which most of an app's episodes share."""
    return tuple([word for text in definitions for word in numbered_words(text)])


@lru_cache(maxsize=65_536)
def _name_words(name: str) -> tuple[str, ...]:
    """Return the folded words of a name."""
    return tuple(_WORD.findall(fold_value(name)))


@lru_cache(maxsize=65_536)
def _id_words(name: str) -> tuple[str, ...]:
    """Return the words of a name that also say what an identifier identifies."""
    return tuple([word for word in _WORD.findall(fold_value(name)) if word in ID_WORDS])


def local_values(found: Iterable[FoundValue]) -> dict[str, str]:
    """Return the folded words and numbers that are personal within the episode."""
    values: dict[str, str] = {}
    atoms: dict[str, str] = {}
    for kind, value, _ in found:
        folded, others, parts = _pieces(kind, value)
        if folded in values:
            keep_kind(values, folded, kind)
        elif is_word(folded):
            values[folded] = kind
        for other, other_kind in others:
            values.setdefault(other, other_kind)
        for atom, atom_kind in parts:
            atoms.setdefault(atom, atom_kind)
    for atom, kind in atoms.items():
        values.setdefault(atom, kind)
    return values


class _Pieces(NamedTuple):
    """What is looked for of one value; one person's values come up in many episodes."""

    folded: str
    others: tuple[tuple[str, str], ...]
    """Other ways to say it, each with its kind."""
    atoms: tuple[tuple[str, str], ...]
    """Its words and numbers, each with its kind."""


@lru_cache(maxsize=65_536)
def _pieces(kind: str, value: str) -> _Pieces:
    folded = fold_value(value)
    others: list[tuple[str, str]] = []
    atoms = [*atoms_in(kind, folded)]
    if kind == "street" and "," in value:
        others += [(fold_value(part), part_kind) for part, part_kind in parts_of(value)]
    for typed in typed_otherwise(value) if kind in _NAMES else ():
        other = fold_value(typed)
        others.append((other, kind))
        atoms += atoms_in(kind, other)
    if kind == "full_name":
        atoms += [(joined, "last_name") for joined in _user_names(folded)]
    return _Pieces(folded, tuple(others), tuple(atoms))


def _user_names(folded: str) -> tuple[str, ...]:
    """Return the words that user names make of a full name: `annameier`, `meieranna`, `ameier`."""
    words = _WORD.findall(folded)
    if len(words) < 2:
        return ()
    first, last = words[0], words[-1]
    made = (first + last, last + first, first[0] + last)
    return tuple([word for word in made if word.isascii() and len(word) >= LONG])


def _learn_episode(counted: AppCounts, episode: Episode, finder: Finder) -> None:
    app = counted.app
    texts = read_texts(episode, finder).distinct()
    found = found_in(episode, texts, finder)
    app.latest = max(app.latest, episode.started_at)
    defined = [one for definition in episode.tools for one in people_in(definition, finder)]
    _keep(app, episode.episode_id, [*found, *defined])
    subject = subject_hash(principal(episode, found))
    counted.add(subject, texts, episode.tools)
    counted.hear(subject, episode.steps)
    counted.meet(subject, (episode.agent, *(step.agent for step in episode.steps)))


def _keep(app: AppLearnt, episode_id: str, found: Iterable[FoundValue]) -> None:
    local = app.local.setdefault(episode_id, {})
    for value, kind in local_values(found).items():
        values = app.values if is_composite(kind, value) else local
        if value in values:
            keep_kind(values, value, kind)
        else:
            values[value] = kind


def _learn_outcome(app: AppLearnt, outcome: Outcome, finder: Finder) -> None:
    calls = calls_in(outcome.correction)
    # The key `name` of a call names no person.
    told = (outcome.text, None if calls else outcome.correction, outcome.label)
    read = [*map(finder.in_prose, filter(None, told)), *read_calls(calls or (), finder).findings]
    found = [
        item
        for findings in read
        for item in (*findings.values, *findings.flagged)  # an outcome has no task that could wait
    ]
    if outcome.author and can_be("person_id", outcome.author):
        found.append(
            FoundValue("email" if "@" in outcome.author else "person_id", outcome.author, "")
        )
    if found and outcome.episode_id is not None:
        _keep(app, outcome.episode_id, found)


def principal(episode: Episode, found: Iterable[FoundValue]) -> str:
    """Return whom the episode counts for: its subject, else the first person its tools named, else itself."""
    if episode.subject:
        return episode.subject
    for kinds in ({"person_id", "email"}, {"phone", "document_id"}):
        for item in found:
            if item.kind in kinds and item.key:
                folded = fold_value(item.value)
                if is_composite(item.kind, folded) or _is_told(item.value, episode):
                    return folded
    return episode.episode_id


def _is_told(value: str, episode: Episode) -> bool:
    """Say whether the user or the prompt names a word: `"author": "bot"` of every call made all episodes one person's."""
    return any(
        step.content is not None and value in step.content
        for step in episode.steps
        if step.role not in _NOT_THEIRS
    )
