"""What the gate knows of one app for the length of one call: its values, its verdicts, and the texts it has seen.

In: what was learnt, the vault, the policy. Out: `AppGate`, asked per distinct text and per distinct findings. Replaces
nothing: that is `redact.apply.redactor`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Final, NamedTuple

from redact.apply.context import Vocabulary, vocabulary_of
from redact.apply.coverage import TextsElsewhere, is_accounted_for
from redact.apply.episode_memory import CleanTools, Memories
from redact.apply.matcher import Match, Matcher, searched
from redact.bounds import LONGEST_VALUE, REMEMBERED
from redact.decisions.free_text import own_parts
from redact.decisions.judgement import judge
from redact.decisions.verdicts import KEEP, NAME, NAMELIKE, OWN_WORDS, TEXTS, WITHHOLD, Verdict
from redact.evidence.app_values import Learnt, evidence_value, keep_kind
from redact.evidence.definitions import definition_key, is_shared, names_of_all
from redact.evidence.language import words_of_subjects
from redact.evidence.own_words import personal_parts
from redact.evidence.people_places import without_choices
from redact.evidence.subjects import least_of, subjects_of
from redact.fold import Folded, fold, fold_value
from redact.kinds import KINDS
from redact.lists.gazetteer import ORDINARY
from redact.names.unknown_names import unexplained_in
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.base64_runs import has_hidden_text
from redact.readers.documents import FoundValue, Unexplained
from redact.readers.place import UNKNOWN_NAMES, WORDS, Place
from redact.recognizers.analyzer import Findings
from redact.recognizers.composites import atoms_in
from redact.values.free_ids import FREE
from redact.values.segments import is_read
from redact.values.shapes import can_be

_NOBODY: Final[Mapping[str, list[int]]] = MappingProxyType({})
_OF_PROSE: Final = (f"|{FREE}", f"|{UNKNOWN_NAMES}")
"""Where tokens of free text and runs of capitalised words are counted, each of which is judged by itself."""


class KnownText(NamedTuple):
    """What the whole app knows of one text."""

    folded: Folded
    matches: list[Match]
    hides_text: bool
    """It holds base64 that can be read."""


class AppGate:
    """One app's matchers and memory, for the length of one call."""

    def __init__(
        self,
        app: str,
        learnt: Learnt,
        vault: Vault,
        policy: Policy,
        judged_by: Learnt | None = None,
    ) -> None:
        known = learnt.app(app)
        seen = known if judged_by is None else judged_by.app(app)
        self.app = app
        self.vault = vault
        self._local = known.local
        self.judgement = judge(seen, k=policy.k)
        self.vocabulary: Vocabulary = vocabulary_of(
            seen, k=policy.k, words=policy.public_values, judgement=self.judgement
        )
        self._seen = seen
        self.documents: Final[set[str]] = set()
        """Results that are everybody's: one person's words in them are not the person's."""
        self._k = policy.k
        self.names: Final = names_of_all(seen, k=policy.k)
        """The tools and arguments of everybody's definitions."""
        self._unknown_texts: Final = policy.unknown
        """What is done with text that nobody could judge by its key: `replace`, `withhold` or `keep`."""
        self.hides_task_keys = policy.task_keys == "opaque"
        self.shift = policy.shift_of(app)
        values = dict(known.values)
        for value, kind in self.judgement.values.items():
            keep_kind(values, value, kind)
        self.everywhere: Final = searched(values)
        """The values that are looked for in all of the app's texts, with their kinds."""
        self._matcher: Matcher | None = None
        self._called: Matcher | None = None
        self.memories = Memories()
        self._memory: dict[str, KnownText] = {}
        self._settled: dict[str, Verdict] = {}
        """Verdicts over places by their key, where they hang on no value."""
        self.tools: Final[dict[tuple[tuple[str, ...], int], CleanTools]] = {}
        """What is made of definitions that everybody has, by them and by the moment that dates hang on."""
        self._kept: set[str] = set()
        """Places of which every value is kept: most of them."""

    def own_words(
        self, episode_id: str, found: Mapping[str, str] = MappingProxyType({})
    ) -> dict[str, str]:
        """Return the words that are personal within an episode: what was learnt, and what its texts reveal now."""
        return without_choices({**self._local.get(episode_id, {}), **found}, self.judgement.choices)

    @cached_property
    def surrogate(self) -> Callable[[str, str], str]:
        """What replaces a mention of a kind: no id that is known to be somebody's."""
        unlike = partial(self.vault.unlike, self.app, known=self.everywhere)
        return lru_cache(maxsize=REMEMBERED)(unlike)

    def named_in(self, text: str) -> Iterator[str]:
        """Yield the folded words of a comment that stand anywhere under a key that holds names by verdict: whose they are is not known there."""
        if self._called is None:
            words: dict[str, str] = {}
            for key, verdict in self.judgement.verdicts.items():
                kind = KINDS.get(verdict.action)
                if verdict is NAMELIKE or (kind and kind.family == "name"):
                    for value in map(fold_value, self._seen.evidence.get(key, ())):
                        words.update([(value, NAME), *atoms_in(NAME, value)])
            self._called = Matcher(everywhere=searched(words))
        for match in self._called.matches(fold(text), text):
            yield match.value

    def shares(self, definition: str) -> bool:
        """Say whether a tool definition is everybody's and not made for one user."""
        return is_shared(self._seen, definition_key(definition), k=self._k)

    def accounts_for(
        self, leaf: Unexplained, verdict: Verdict, own: Mapping[str, str], told: TextsElsewhere
    ) -> bool:
        """Say whether every word of a leaf is replaced wherever it stands, or many people's: there is nothing left to withhold."""
        matches, holds = self.known_text(leaf.value).matches, self.vocabulary.holds
        if verdict != TEXTS:
            return is_accounted_for(leaf.value, matches, own, holds)
        told = replace(told, many=self._said_by_many(leaf.path))
        return is_accounted_for(leaf.value, matches, own, holds, told)

    def personal_parts(self, leaf: Unexplained, verdict: Verdict) -> tuple[FoundValue, ...] | None:
        """Return what of a leaf that a verdict does not keep is personal; None where the whole leaf is to be withheld."""
        if verdict.action in KINDS and not can_be(verdict.action, leaf.value):
            verdict = replace(verdict, action=WITHHOLD)  # a sentence among telephone numbers
        if verdict.action != WITHHOLD and verdict is not OWN_WORDS:
            return (FoundValue(verdict.action, leaf.value, leaf.path.rpartition(".")[2]),)
        if verdict.action == WITHHOLD and self._unknown_texts != "replace":
            return None if self._unknown_texts == "withhold" else ()
        parts = self._words_of(leaf, verdict)
        if parts is None and verdict is OWN_WORDS:
            return (FoundValue(verdict.action, leaf.value, leaf.path.rpartition(".")[2]),)
        return parts

    def _words_of(self, leaf: Unexplained, verdict: Verdict) -> tuple[FoundValue, ...] | None:
        """Return the names and numbers of a text that nothing explains: the app's language, else what stays and k subjects saw there.

        None where they cannot be told: in a script whose words nobody reads, and of a word that a sentence may mean as well.
        """
        if not is_read(leaf.value):
            return None
        parts = self._parts_of_text(leaf, verdict)
        doubtful = any(p.kind == "last_name" and fold_value(p.value) in ORDINARY for p in parts)
        return None if doubtful else parts

    @cached_property
    def _parts_of_text(self) -> Callable[[Unexplained, Verdict], tuple[FoundValue, ...]]:
        return lru_cache(maxsize=REMEMBERED)(self._read_parts)

    def _read_parts(self, leaf: Unexplained, verdict: Verdict) -> tuple[FoundValue, ...]:
        words = [self.judgement.language]
        if verdict.action == WITHHOLD:
            words = [self.judgement.words, self._said_by_many(leaf.path)]
        return tuple(personal_parts(leaf.value, *words, of_people=verdict is OWN_WORDS))

    @cached_property
    def is_everybodys(self) -> Callable[[Findings], bool]:
        """Whether a text is a document that many subjects were shown as it is, and that keeps nobody's record."""
        return lru_cache(maxsize=REMEMBERED)(self._is_shown_to_many)

    def _is_shown_to_many(self, findings: Findings) -> bool:
        leaves = [(place, leaf) for place, leaf in findings.sightings if not leaf.free]
        if not any(len(leaf.value) > LONGEST_VALUE for _, leaf in leaves):
            return False
        if any(found.key for found in findings.values):
            return False
        evidence = self._seen.evidence
        return all(
            len(evidence.get(place, _NOBODY).get(evidence_value(leaf.value), ())) >= self._least
            for place, leaf in leaves
        ) and not any(verdict.action == WITHHOLD for _, verdict in self.doubts(findings))

    @cached_property
    def _least(self) -> int:
        return least_of(self._k, subjects_of(self._seen.evidence.values()))

    def tokens_in(self, several: Iterable[Findings]) -> Iterator[str]:
        """Yield the tokens of texts of unknown form that are replaced wherever they stand."""
        personal = self.judgement.tokens.personal
        for findings in several:
            for _, leaf in findings.sightings:
                if leaf.path == FREE and leaf.value in personal:
                    yield leaf.value

    @cached_property
    def _said_by_many(self) -> Callable[[str], frozenset[str]]:
        return lru_cache(maxsize=REMEMBERED)(self._count_words)

    def _count_words(self, path: str) -> frozenset[str]:
        """Return the words of free text that k subjects saw at a path."""
        paths = {path, WORDS + path}
        evidence = self._seen.evidence
        at = [seen for key, seen in evidence.items() if Place.from_key(key).path in paths]
        return words_of_subjects(at, self.judgement.words, k=self._k)

    def known_text(self, text: str) -> KnownText:
        """Return what the whole app knows of a text, once per distinct text."""
        found = self._memory.get(text)
        return found if found is not None else self.known_of([text])[0]

    def known_of(self, texts: Iterable[str]) -> list[KnownText]:
        """Return what the whole app knows of several texts; those it has not seen are searched in one walk."""
        listed = list(texts)
        new = self.unknown(listed)
        if new:
            if self._matcher is None:
                self._matcher = Matcher(everywhere=self.everywhere)
            self.searched_with(self._matcher, new, new)
        return [self._memory[text] for text in listed]

    def unknown(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the texts that were not searched for the app's values; all of them where the memory is full."""
        memory = self._memory
        new = [text for text in texts if text not in memory]
        if new and len(memory) + len(new) > REMEMBERED:
            memory.clear()
            return texts
        return new

    def searched_with(
        self, matcher: Matcher, texts: Sequence[str], new: Collection[str]
    ) -> list[list[Match]]:
        """Return what a matcher of the app's values and others finds in texts, and keep what of it is the app's in new ones."""
        memory = self._memory
        listed = frozenset(new)
        folded = [fold(text) if text in listed else memory[text].folded for text in texts]
        found = matcher.matches_of(folded, texts)
        for text, read, matches in zip(texts, folded, found, strict=True):
            if text in listed:
                of_app = [match for match in matches if not match.local] if matches else matches
                memory[text] = KnownText(read, of_app, has_hidden_text(text))
        return found

    @cached_property
    def doubts(self) -> Callable[[Findings], tuple[tuple[Unexplained, Verdict], ...]]:
        """The leaves of a text that no rule explains and that the app's verdicts do not keep."""
        return lru_cache(maxsize=REMEMBERED)(lambda findings: tuple(self._doubts_in(findings)))

    def _doubts_in(self, findings: Findings) -> Iterator[tuple[Unexplained, Verdict]]:
        kept = self._kept
        for place, leaf in findings.sightings:
            if place in kept:
                continue
            if leaf.path == UNKNOWN_NAMES:
                yield from self._unknown_in(place, leaf)
                continue
            verdict = self._settled.get(place) or self._settle(place, leaf.value)
            if verdict.action == KEEP or "://" in leaf.value:
                continue
            if verdict.action == WITHHOLD and self.vocabulary.holds(leaf.value):
                continue
            if self.judgement.spares(verdict, leaf.value):
                continue
            for part in self._parts_of(place, leaf):
                yield part, verdict

    def _parts_of(self, place: str, leaf: Unexplained) -> Iterator[Unexplained]:
        """Yield what of a leaf its place's verdict is about."""
        template = self.judgement.templates.get(place, frozenset())
        yield from (leaf._replace(value=part) for part in own_parts(leaf.value, template))

    @cached_property
    def _unknown_in(
        self,
    ) -> Callable[[str, Unexplained], tuple[tuple[Unexplained, Verdict], ...]]:
        return lru_cache(maxsize=REMEMBERED)(self._read_run)

    def _read_run(self, place: str, leaf: Unexplained) -> tuple[tuple[Unexplained, Verdict], ...]:
        """Return what of a run of prose the app's language does not explain."""
        run = leaf.value
        verdict = self.judgement.verdict_of(place, run)
        if self.judgement.spares(verdict, run):
            return ()
        own = unexplained_in(run, self.judgement.large)
        return tuple([(leaf._replace(value=part), verdict) for part in own])

    def _settle(self, place: str, value: str) -> Verdict:
        """Return the verdict over a value, remembered where it hangs on the place alone."""
        verdict = self.judgement.verdict_of(place, value)
        if place in self.judgement.places and not place.endswith(_OF_PROSE):
            self._settled[place] = verdict
            if verdict.action == KEEP:
                self._kept.add(place)
        return verdict
