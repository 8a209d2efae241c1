"""What all tasks of one app have in common: its tools' kinds and the words that everybody says.

In: the facts of all attempts of an app. Out: traits that derivation takes beside one task's attempts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from environments.runtime.checks.calls import confirmed
from environments.runtime.checks.texts import content_words, stem
from environments.runtime.checks.view import View, text_of
from environments.runtime.values.facts import NUMBER, Fact
from environments.runtime.values.grouping import by_key
from redact.values.talk_language import language_code, language_of_talk
from synth.recordings.attempt_facts import Facts
from synth.recordings.repeats import Repeats, repeats_of
from synth.recordings.tool_kinds import READ, WRITE, ToolKinds
from synth.recordings.vocabularies import Vocabularies, vocabularies_of
from synth.rubric.facts.amounts import AmountSpread, spread_of
from synth.rubric.facts.forms import ENGLISH
from synth.rubric.facts.told_facts import Place, shared_by_others
from synth.rubric.forgiveness import SPOILT, Seen, ended_right, undecided, unforgiven
from synth.rubric.habits import NULL
from synth.rubric.policy_rules import instructions_in, tools_named

EVERYDAY: Final = 0.15
"""Share of an app's attempts from which a word says nothing about one task."""
LEAST_ATTEMPTS: Final = 3
SAMPLE: Final = 40
"""Attempts by which an app's language is known."""
ASKED: Final = 0.8
"""Share of the resolved attempts with a change by one tool that asked first, from which the app asks: below, some agents are polite."""
LOOKED: Final = 30
"""Resolved attempts with a change that all looked at something first, from which who does not is not paid; of 1,205 held-out ones, none did not."""
NAMED: Final = 8
"""Resolved attempts that called one tool after another that the instructions name, from which who does not is not paid; of 450 held-out ones of 14 apps, none did not."""
NAMED_TASKS: Final = 5
"""Tasks of theirs."""
LEAST_ALIKE: Final = 12
"""Resolved attempts beside others that changed the same and told facts, before the app is said to tell them always."""
OTHERWISE: Final = 0.1
"""Share of them that may leave out what all the others told."""
LEAST_TOLD: Final = 6
"""Resolved attempts that told what results show at one place, before the app's users are said to expect it."""
LEAST_TASKS: Final = 3
"""Tasks at which they did."""
UNTOLD: Final = 0.05
"""Share of them that may leave it out."""
WITHOUT_GROUND: Final = 0.1
"""Share of an app's resolved attempts that tell a fact of one kind without a ground, beyond which that kind is not asked for one."""
LEAST_FIGURES: Final = 20
"""Resolved attempts that tell figures, before it is said how."""
COMPUTED: Final = 0.05
"""Share of those that tell figures of which one only follows from others by arithmetic, up to which nobody has to compute any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTraits:
    """One app's habits."""

    kinds: ToolKinds
    everyday: frozenset[str] = frozenset()
    """Words of explanations that stand in too many attempts to prove that this one was explained."""
    unforgiven: Mapping[str, str] = field(default_factory=dict)
    """Faults of process after which hardly any user was satisfied (`fail`), or not all were (`null`)."""
    undecided: frozenset[str] = frozenset()
    """Faults of which too little is known: an attempt that has one is neither passed nor failed for it."""
    spoilt: float = SPOILT
    """How often an attempt that leaves the world as it should be is unresolved all the same."""
    spread: AmountSpread = field(default_factory=AmountSpread)
    """How many new numbers an honest attempt may tell where a fact is to be told."""
    silent: frozenset[str] = frozenset()
    """Writing tools that leave nothing in the world as learnt, or less than their calls give: its effects prove nothing about them."""
    repeats: Repeats = field(default_factory=Repeats)
    """What equal calls do once more."""
    asked_before: tuple[str, ...] = ()
    """Writing tools before whose changes this app's users are asked."""
    looks_first: frozenset[frozenset[str]] = frozenset()
    """Groups of look-ups of which every resolved attempt of many made one before it changed anything, as who asks is asked for."""
    named_first: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By tool that the instructions name, the others that no resolved attempt called before it: who calls is checked before anything is told."""
    groundless_texts: frozenset[str] = frozenset()
    """The same of what they write in messages, notes and documents."""
    written_everywhere: frozenset[str] = frozenset()
    """Beginnings of words that stand in so many of its tasks that they say nothing about one."""
    groundless: frozenset[str] = frozenset()
    """Kinds of facts that resolved attempts of this app tell without a ground."""
    computes: bool = True
    """Whether they tell figures that only arithmetic gives."""
    told_alike: bool = False
    """Whether resolved attempts that changed the same tell the same facts, so that who leaves one out did not resolve the request."""
    told_places: frozenset[Place] = frozenset()
    """Where results show what nearly every resolved attempt tells its user."""
    vocabularies: Vocabularies = ()
    """Names that stand in one argument or field, one in the place of another."""
    language: str = ENGLISH
    """The ISO 639 code of the language that its users are told things in."""

    @property
    def missing(self) -> dict[str, str]:
        """What an attempt gets for a fault that may matter: `fail` or `null`."""
        return {**dict.fromkeys(sorted(self.undecided), NULL), **self.unforgiven}


def traits_of(
    kinds: ToolKinds,
    groups: Sequence[Sequence[Facts]],
    *,
    silent: frozenset[str] = frozenset(),
    risk: float = 0.0,
    also: Sequence[Seen] = (),
) -> AppTraits:
    """Learn an app's habits from the attempts at all its tasks; `risk`: the share of answers that may be wrong."""
    attempts = [attempt for group in groups for attempt in group]
    resolved = [attempt for attempt in attempts if attempt.resolved]
    counts = Counter(
        word for attempt in attempts for word in frozenset[str]().union(*attempt.explanations)
    )
    most = max(LEAST_ATTEMPTS, EVERYDAY * len(attempts))
    everyday = frozenset(word for word, count in counts.items() if count > most)
    known = ended_right(groups, kinds, everyday=everyday, also=also)
    return AppTraits(
        kinds=kinds,
        everyday=everyday,
        unforgiven=unforgiven(known),
        undecided=undecided(known),
        spoilt=known.spoilt,
        spread=spread_of(groups),
        silent=silent,
        repeats=repeats_of([a.recorded for a in attempts], kinds, risk=risk),
        asked_before=_asked_before(attempts),
        looks_first=_looks_first(attempts, kinds),
        named_first=_named_first(attempts),
        groundless=_groundless((a.told_facts.kinds, a.told_facts.groundless) for a in resolved),
        groundless_texts=_groundless((a.text_kinds, a.groundless_texts) for a in resolved),
        computes=_computes(attempts),
        written_everywhere=_written_everywhere(groups),
        told_alike=_told_alike(groups),
        told_places=_told_places(groups),
        vocabularies=vocabularies_of([[a.recorded for a in group] for group in groups]),
        language=language_of(attempts),
    )


def _asked_before(attempts: Sequence[Facts]) -> tuple[str, ...]:
    """The tools before whose changes nearly every resolved attempt asked its user."""
    made, asked = Counter[str](), Counter[str]()
    for attempt in attempts:
        if attempt.resolved and attempt.writes:
            view = View(attempt.recorded.attempt)
            tools = {tool for tool, _ in attempt.writes}
            made.update(tools)
            asked.update(t for t in tools if confirmed({"tools": [t]}, view, "")[0] == 1.0)
    return tuple(sorted(tool for tool, count in made.items() if asked[tool] >= ASKED * count))


def _looks_first(attempts: Sequence[Facts], kinds: ToolKinds) -> frozenset[frozenset[str]]:
    """The look-ups that answered before the first change of every resolved attempt, each by itself, where enough show it; else any of all."""
    changing = [a for a in attempts if a.resolved and a.writes]
    if len(changing) < LOOKED:
        return frozenset()
    looked = [_looks_before_changes(a, kinds) for a in changing]
    if not all(looked):
        return frozenset()
    always = frozenset.intersection(*looked)
    return frozenset(frozenset({look}) for look in always) or frozenset(
        {frozenset().union(*looked)}
    )


def _looks_before_changes(attempt: Facts, kinds: ToolKinds) -> frozenset[str]:
    answered = [c.name for c in attempt.recorded.attempt.calls if not c.result.is_error]
    writers, readers = kinds.tools_of(WRITE), kinds.tools_of(READ)
    before = takewhile(lambda name: name not in writers, answered)
    return frozenset(name for name in before if name in readers)


def _named_first(attempts: Sequence[Facts]) -> dict[str, frozenset[str]]:
    """What the instructions name and every resolved attempt of several called before another tool, by what came first."""
    tasks: dict[str, set[str]] = defaultdict(set)
    before: dict[str, list[frozenset[str]]] = defaultdict(list)
    named = set[str]()
    for one in (a.recorded for a in attempts if a.resolved):
        called: list[str] = []
        for name in (c.name for c in one.attempt.calls if not c.result.is_error):
            if name not in called:
                before[name].append(frozenset(called))
                tasks[name].add(one.episode.task_key or one.episode.episode_id)
                called.append(name)
        text = instructions_in(one.attempt.messages[: one.attempt.opening])
        named.update(tools_named(text, [name for name in called if name not in named]))
    late: dict[str, set[str]] = defaultdict(set)
    for name, pasts in before.items():
        if len(pasts) >= NAMED and len(tasks[name]) >= NAMED_TASKS:
            for first in named & frozenset.intersection(*pasts):
                late[first].add(name)
    return {first: frozenset(late[first]) for first in sorted(late)}


def _told_alike(groups: Sequence[Sequence[Facts]]) -> bool:
    """Whether nearly every resolved attempt tells what all others with the same changes at its task found out and told."""
    cases = misses = 0
    for group in groups:
        ends = by_key(
            (attempt.end_key, attempt.told_facts) for attempt in group if attempt.resolved
        )
        for good in ends.values():
            for one, shared in zip(good, shared_by_others(good), strict=True):
                cases += len(good) > 1 and bool(shared.facts)
                misses += not shared.told_by(one)
    return cases >= LEAST_ALIKE and misses <= OTHERWISE * cases


def _told_places(groups: Sequence[Sequence[Facts]]) -> frozenset[Place]:
    """Where results show what nearly every resolved attempt at several tasks told."""
    told, shown = Counter[Place](), Counter[Place]()
    tasks: dict[Place, set[int]] = defaultdict(set)
    for number, group in enumerate(groups):
        for facts in (a.told_facts for a in group if a.resolved):
            told.update(facts.told_at.keys())
            shown.update([*facts.told_at.keys(), *facts.untold_at])
            for place in facts.told_at:
                tasks[place].add(number)
    return frozenset(
        place
        for place, times in told.items()
        if times >= LEAST_TOLD
        and len(tasks[place]) >= LEAST_TASKS
        and times >= (1 - UNTOLD) * shown[place]
    )


def _groundless(
    attempts: Iterable[tuple[Iterable[str], Iterable[Fact]]],
) -> frozenset[str]:
    """The kinds of which too many attempts tell something that nothing shows; a single one says nothing of an app, whatever the share."""
    told, without = Counter[str](), Counter[str]()
    for kinds, groundless in attempts:
        told.update(kinds)
        without.update({fact.kind for fact in groundless})
    return frozenset(k for k, n in without.items() if n > max(1, WITHOUT_GROUND * told[k]))


def _computes(attempts: Sequence[Facts]) -> bool:
    """Whether more than a few resolved attempts tell a figure that only arithmetic gives, or too few tell any to know."""
    figures = [a.told_facts for a in attempts if a.resolved and NUMBER in a.told_facts.kinds]
    computed = sum(bool(told.computed) for told in figures)
    return len(figures) < LEAST_FIGURES or computed > COMPUTED * len(figures)


def _written_everywhere(groups: Sequence[Sequence[Facts]]) -> frozenset[str]:
    """Beginnings of words that people and agents use in so many tasks that they say nothing about one of them."""
    counts: Counter[str] = Counter()
    for group in groups:
        counts.update(
            {stem(word) for a in group for text in _words_said(a) for word in content_words(text)}
        )
    most = max(LEAST_ATTEMPTS, EVERYDAY * len(groups))
    return frozenset(one for one, count in counts.items() if count > most)


def _words_said(attempt: Facts) -> Iterator[str]:
    for message in attempt.recorded.attempt.messages:
        if message.get("role") in {"user", "assistant"}:
            yield text_of(message)
    for call in attempt.recorded.attempt.calls:
        yield from (value for value in call.arguments.values() if isinstance(value, str))


def language_of(attempts: Sequence[Facts]) -> str:
    """The ISO 639 code of the language that an app's users are told things in."""
    said = (text for a in attempts[:SAMPLE] for text in View(a.recorded.attempt).visible)
    return language_code(language_of_talk(said)) or ENGLISH
