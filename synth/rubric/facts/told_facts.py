"""What resolved attempts told their user, and the checks that somebody else tells it too.

In: the recorded attempt as a view, and the accepted ends of a task. Out: per attempt what it told (new facts, texts of records,
what it repeated, what it said without a ground), and the checks on facts. Which words it used makes no difference: a check
holds the forms of each fact. Not here: how facts are found and compared (`environments.runtime.values.facts`, `checks.told_values`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.checks.caps import characters_copied, choices_told, fields_copied
from environments.runtime.checks.ground import counted_facts, counts_in, doubted_facts
from environments.runtime.checks.told_values import (
    small_facts,
    texts_told,
)
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.values.facts import NUMBER, Fact, facts_in, folded
from environments.runtime.values.grouping import by_key
from environments.runtime.values.literals import parse_json
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import is_number
from redact.records.clean_episode import CleanEpisode
from synth.recordings.attempt import record
from synth.rubric.facts.forms import ENGLISH, forms_of

TEXT: Final = "text"
WORDS_BEFORE: Final = 2
"""Words before a fact in a text that name it, as a field does in a record."""
LETTERS: Final = re.compile(r"[^\W\d_]+")


Place = tuple[str, ...]
"""Where a result shows a fact: the tool, the fields on the way, and the words before the fact where it stands in a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldFacts:
    """What one attempt told its user."""

    new: tuple[Fact, ...] = ()
    """Specific facts that neither user nor opening said, with a ground."""
    texts: frozenset[str] = frozenset()
    """Texts of records that it said and the user had not, folded."""
    counts: tuple[Fact, ...] = ()
    """Small numbers of things that a tool counts so."""
    small: frozenset[str] = frozenset()
    """Small numbers and shares that it told and the user had not."""
    small_shown: frozenset[str] = frozenset()
    """Those of them that a result shows as values of its own."""
    repeated: tuple[Fact, ...] = ()
    """Specific facts that the user or the opening said first."""
    groundless: tuple[Fact, ...] = ()
    computed: tuple[Fact, ...] = ()
    """Numbers that no tool and nobody said, and that follow from such by arithmetic."""
    beside: int = 0
    """The most new facts in one message."""
    quoted: int = 0
    """Characters of its messages that are copied from tool results."""
    fields: int = 0
    """Names of fields that are."""
    choices: int = 0
    """Pairs of facts of which it left open at the end which of them it is."""
    told_at: Mapping[Place, Fact] = field(default_factory=dict)
    """What results show at one place each and the user had not said, of it what was told."""
    untold_at: frozenset[Place] = frozenset()
    """Where they show something like this that was not told."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of specific facts that it told, with and without a ground."""
        return frozenset(f.kind for f in (*self.new, *self.repeated, *self.groundless))


Meaning = tuple[str, tuple[str | float, ...]]
"""What a fact means, whatever its spelling: its kind and all that it may mean."""


@dataclass(frozen=True, slots=True)
class SharedFacts:
    """What others at the same end are expected to tell."""

    facts: tuple[Fact, ...] = ()
    """What all resolved attempts there found out and told."""
    least: int = 0
    """How many of them: all that several tell, and of what one alone tells any, since some of it is said beside."""

    def told_by(self, told: ToldFacts) -> bool:
        """Whether an attempt told enough of them."""
        own = {
            meaning(fact) for fact in (*told.new, *told.repeated, *told.groundless, *told.computed)
        }
        return sum(meaning(fact) in own for fact in self.facts) >= self.least


def shared_facts(told: Sequence[ToldFacts]) -> SharedFacts:
    """What all of these attempts found out and told; nothing of nobody."""
    facts = _in_all([one.new for one in told])
    return SharedFacts(facts, len(facts) if len(told) > 1 else min(1, len(facts)))


def facts_at(told: Sequence[ToldFacts], places: Collection[Place]) -> SharedFacts | None:
    """What results showed at these places, of it what all of these attempts told; None where they told nothing of it."""
    facts = _in_all([[f for at, f in one.told_at.items() if at in places] for one in told])
    return SharedFacts(facts, len(facts)) if facts else None


def reckoned_facts(told: Sequence[ToldFacts]) -> SharedFacts:
    """The numbers that all of these attempts told and no result shows, where none told anything that one shows: sums, lengths of time."""
    if any(one.new or one.texts or one.counts for one in told):
        return SharedFacts()
    facts = _in_all(
        [[f for f in (*one.computed, *one.groundless) if f.kind == NUMBER] for one in told]
    )
    return SharedFacts(facts, len(facts))


def told_by_all_but(told: Sequence[ToldFacts], other: ToldFacts) -> tuple[Fact, ...]:
    """What the user had not said and all of these attempts told, and another one did not."""
    facts = _in_all([(*one.new, *one.computed, *one.groundless) for one in told])
    own = {meaning(f) for f in (*other.new, *other.computed, *other.groundless)}
    return tuple(fact for fact in facts if meaning(fact) not in own)


def _in_all(told: Sequence[Iterable[Fact]]) -> tuple[Fact, ...]:
    """The facts that stand in each of these, as the first tells them."""
    found = [{meaning(fact): fact for fact in facts} for facts in told]
    shared = frozenset[Meaning].intersection(*map(frozenset, found)) if found else frozenset()
    return tuple(found[0][one] for one in sorted(shared, key=repr))


def shared_by_others(told: Sequence[ToldFacts]) -> Iterator[SharedFacts]:
    """For each attempt what all the others found out and told; counted once, since many attempts may be at one end."""
    found = [{meaning(fact): fact for fact in one.new} for one in told]
    counts = Counter(one for facts in found for one in facts)
    others = len(told) - 1
    common = {m: fact for facts in found for m, fact in facts.items() if counts[m] >= others}
    for own in found:
        facts = tuple(fact for m, fact in common.items() if counts[m] - (m in own) == others)
        yield SharedFacts(facts, len(facts) if others > 1 else min(others, len(facts)))


def meaning(fact: Fact) -> Meaning:
    """What a fact means."""
    return fact.kind, fact.readings


def told_facts(
    view: View,
    definitions: str = "",
    writers: frozenset[str] = frozenset(),
    *,
    ignore: Mapping[str, Json] | None = None,
) -> ToldFacts:
    """Collect what one attempt told; `definitions` is the folded text of its tools' definitions, `writers` change something.

    `ignore`: arguments of theirs that agents word themselves, which prove nothing.
    """
    told = tuple(dict.fromkeys(f for facts in view.facts for f in facts if f.specific))
    doubted = doubted_facts(view, known_facts(definitions), writers, ignore=ignore)
    groundless = doubted.groundless
    heard = {reading for fact in facts_in(view.heard_text) for reading in fact.readings}
    said_before = [f for f in told if not heard.isdisjoint(f.readings) or f.text in view.heard_text]
    new = [f for f in told if f not in said_before and f not in groundless]
    said = {reading for fact in told for reading in fact.readings}
    places = {
        place: fact
        for place, fact in _facts_by_place(view, writers).items()
        if heard.isdisjoint(fact.readings)
    }
    told_at = {place: fact for place, fact in places.items() if not said.isdisjoint(fact.readings)}
    small = frozenset(fact.text for fact in small_facts(view))
    shown = [_numbers_shown(call.result.content) for call in view.attempt.calls] if small else []
    return ToldFacts(
        small=small,
        small_shown=frozenset(text for text in small if _is_shown(text, shown)),
        new=tuple(new),
        texts=texts_told(view),
        counts=counted_facts(view),
        repeated=tuple(said_before),
        groundless=groundless,
        computed=doubted.computed,
        beside=max(view.new_facts, default=0),
        quoted=characters_copied(view),
        fields=fields_copied(view),
        choices=choices_told(view),
        told_at=told_at,
        untold_at=frozenset(places.keys() - told_at.keys()),
    )


def _facts_by_place(view: View, writers: frozenset[str]) -> dict[Place, Fact]:
    """What the last result of each tool shows at one place alone: of changes, or of looks where nothing was changed."""
    calls = [
        call
        for call in view.attempt.calls
        if not call.result.is_error and call.result.source != UNKNOWN
    ]
    changes = [call for call in calls if call.name in writers]
    found: dict[Place, Fact] = {}
    for call in changes or calls:
        parsed = parse_json(call.result.content)
        value = call.result.content if parsed is None else parsed.value
        shown = by_key((place, fact) for place, fact in _facts_in_value(value, (call.name,)))
        found.update({place: facts[0] for place, facts in shown.items() if len(facts) == 1})
    return found


def _facts_in_value(value: Json, place: Place) -> Iterator[tuple[Place, Fact]]:
    """The specific facts of a result with their places; rows of a list have no place of their own, but for a single one."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _facts_in_value(item, (*place, name))
    elif isinstance(value, list):
        if len(value) == 1:
            yield from _facts_in_value(value[0], place)
    elif is_number(value) or isinstance(value, str):
        for line in folded(str(value)).splitlines():
            after = 0
            for fact in facts_in(line):
                start = line.find(fact.text, after)
                words = LETTERS.findall(line[after : max(start, after)])
                after = max(start, after) + len(fact.text)
                if fact.specific:
                    yield (*place, *words[-WORDS_BEFORE:]), fact


def _is_shown(text: str, shown: Iterable[set[float]]) -> bool:
    """Whether one result shows each number of a small fact as a value of its own."""
    numbers = {float(part) for part in text.split("/") if part.isdigit()}
    return bool(numbers) and any(numbers <= values for values in shown)


def _numbers_shown(content: str) -> set[float]:
    """The numbers of a result, and how long its lists are."""
    parsed = parse_json(content)
    if parsed is None or not isinstance(parsed.value, dict | list):
        return {n for fact in facts_in(folded(content)) for n in fact.numbers}
    return {float(value) for value in leaves(parsed.value) if is_number(value)} | counts_in(content)


def groundless_of(episode: CleanEpisode, writers: frozenset[str]) -> frozenset[Fact]:
    """What the agent of one recorded episode told without a ground; `writers` are the tools that change something."""
    definitions = folded("\n".join(episode.tools))
    view = View(record(episode).attempt)
    return frozenset(doubted_facts(view, known_facts(definitions), writers).groundless)


def known_facts(text: str) -> str:
    """The facts of a folded text as one line: what a policy may say because a definition does."""
    return " ".join(dict.fromkeys(f.text for f in facts_in(text)))


def fact_args(facts: Iterable[Fact], language: str) -> list[dict[str, Json]]:
    """Facts as the arguments of a check, one per meaning."""
    found: dict[tuple[str, str | float], Fact] = {}
    for fact in facts:
        found.setdefault((fact.kind, fact.readings[0]), fact)
    return [
        {
            "kind": fact.kind,
            "value": fact.text,
            "readings": list[Json](fact.readings),
            "forms": list[Json](forms_of(fact, language)),
        }
        for _, fact in sorted(found.items(), key=lambda item: (item[0][0], str(item[0][1])))
    ]


def fact_of_text(text: str, language: str = ENGLISH) -> dict[str, Json]:
    """What a person names as one fact, as the arguments of a check: an amount, a date, an id, else the text itself."""
    found = fact_args(facts_in(text), language)
    if len(found) == 1 and not any(
        c.isalpha() for c in folded(text).replace(str(found[0]["value"]), "")
    ):
        return {**found[0], "value": text}
    return {**text_args([folded(text)])[0], "value": text}


def text_args(texts: Iterable[str]) -> list[dict[str, Json]]:
    """Texts of records as the arguments of a check."""
    return [{"kind": TEXT, "value": t, "readings": [], "forms": [t]} for t in sorted(texts)]


def enough_of(told: Sequence[int], share: float) -> int:
    """How many facts somebody else must tell, where resolved attempts told so many each."""
    return max(1, int(share * min(told)))
