"""Checks on texts that agents word themselves: which facts a message, note or document must hold, in whatever words.

In: the accepted ends of one task and what its app has in common. Out: per text one check per fact that every resolved attempt's
text holds, enough words of what it is about, nothing specific without a ground; and whether nothing but wording tells a good text
from another. Not here: how texts are compared (`environments.runtime.checks.texts`), which arguments are texts (`tool_kinds`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.checks.ends.terms import Write
from environments.runtime.checks.ground import counts_in
from environments.runtime.checks.table import score_of
from environments.runtime.checks.texts import content_words, every_word, stem, words_held
from environments.runtime.checks.told_values import fact_in
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check
from environments.runtime.values.facts import DATE, EMAIL, ID, NUMBER, TIME, Fact, facts_in, folded
from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import WRITE, texts_before
from synth.recordings.traits import AppTraits
from synth.rubric.evidence import at_end, required_check
from synth.rubric.facts.told_facts import fact_args, known_facts

HANDFUL: Final = 6
"""Facts of one text that get a check each; more are one check together."""
AMONG: Final = 8
"""Specific facts of a text up to which it is no list of facts, whatever resolved attempts wrote."""
KEPT: Final = 0.7
"""Power of the number of words, shared with the conversation, that another wording keeps: one of two, half of eight."""
WORDS_BESIDE: Final = 4
"""Words, or half as many as were dictated, that may stand beside a dictated text without making it another one."""
LONG: Final = 60
"""Words from which a text is a piece of work of its own."""
HARDLY_ANY: Final = 1
"""Facts up to which nothing but its wording tells such a text."""
JUDGE: Final = (
    "An assistant was asked to write a text: the {argument} of {tool}. The evidence has the user's words and the text as the "
    "assistant wrote it. Another assistant's text, which the user accepted, is the reference below. The wording may differ. "
    "10: the text does what the user asks as well as the reference. 5: it lacks something that the user would miss. "
    "0: it is about something else, says what the user's words and the reference contradict, or only repeats the request.\n\n"
    "Reference:\n{text}"
)
NOTHING_BUT_WORDING: Final = "wording_is_the_work"
"""Reason: the task is to write a text, and nothing but its wording tells a good one."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """One text that a change takes, as every resolved attempt at an end wrote it."""

    tool: str
    arguments: str
    """Canonical, without what agents word themselves."""
    argument: str
    texts: tuple[tuple[str, ...], ...]
    """Per attempt; several where one attempt makes the same change more than once."""
    before: str
    """What users and tools had said before to the attempt that shows how it is done, folded."""
    counts: frozenset[float]
    """How long the lists were that it had been shown."""

    @property
    def longest(self) -> str:
        """The longest text of the attempt that shows how it is done."""
        return max(self.texts[0], key=len)


def text_checks(accepted: Sequence[Sequence[Facts]], traits: AppTraits, after: str) -> list[Check]:
    """What each text must hold, by the resolved attempts of each accepted end."""
    checks: list[Check] = []
    for number, good in enumerate(accepted, 1):
        for place, one in enumerate(written_texts(good, traits), 1):
            where = at_end(after, number)
            checks += _checks_of(one, traits, good, where, f"{number}_{place}")
    return checks


def writes_another_text(bad: Facts, good: Sequence[Facts], traits: AppTraits) -> bool:
    """Whether an attempt that changed the same as resolved ones did it with a text that lacks what all of theirs hold."""
    view = View(bad.recorded.attempt)
    checks = text_checks([good], traits, "") if good else []
    return any(score_of(check, view)[0] == 0.0 for check in checks)


def grounded_texts(
    accepted: Sequence[Sequence[Facts]], traits: AppTraits, definitions: str
) -> list[Check]:
    """That nothing specific is written without a ground, of the kinds of which this app's resolved attempts write nothing so."""
    good = [a for attempts in accepted for a in attempts]
    kinds = [k for k in (NUMBER, DATE, TIME, ID, EMAIL) if k not in traits.groundless_texts]
    named = {
        n: list[Json](t.authored)
        for n, t in traits.kinds.tools.items()
        if _is_text(t.kind, t.authored)
    }
    if not kinds or not any(c.name in named for a in good for c in a.recorded.attempt.calls):
        return []
    own = " ".join(sorted({f.text for a in good for f in a.groundless_texts}))
    args: dict[str, Json] = {
        "texts": dict(sorted(named.items())),
        "kinds": list[Json](kinds),
        "known": f"{known_facts(definitions)} {own}".strip(),
    }
    return [required_check("text_grounded", args, good, positive=False)]


def nothing_but_wording(accepted: Sequence[Sequence[Facts]], traits: AppTraits) -> bool:
    """Whether all that a task changes is long texts of which no fact and hardly a word is known to be needed."""
    good = [a for attempts in accepted for a in attempts]
    if not good or not all(a.writes for a in good):
        return False
    for attempts in accepted:
        texts = written_texts(attempts, traits)
        changes = {(tool, arguments) for a in attempts for tool, arguments in a.writes}
        if changes != {(one.tool, one.arguments) for one in texts}:
            return False
        if not all(len(content_words(one.longest)) >= LONG for one in texts):
            return False
        if any(len(_facts_of(one)) > HARDLY_ANY for one in texts):
            return False
    return True


def wording_checks(accepted: Sequence[Sequence[Facts]], traits: AppTraits) -> list[Check]:
    """A judge's question per text of which nothing but its wording is known to matter, with the recorded text as reference."""
    good = accepted[0]
    return [
        required_check(
            "judge",
            {
                "prompt": JUDGE.format(argument=one.argument, tool=one.tool, text=one.longest),
                "scale": [0, 10],
                "evidence": "written",
                "tool": one.tool,
                "argument": one.argument,
            },
            good,
            check_id=f"judge_text_{number}",
        )
        for number, one in enumerate(written_texts(good, traits), 1)
    ]


def written_texts(good: Sequence[Facts], traits: AppTraits) -> list[WrittenText]:
    """The texts that every resolved attempt at an end wrote with the same change."""
    texts: dict[tuple[Write, str], list[list[str]]] = {}
    first: dict[tuple[Write, str], int] = {}
    for number, attempt in enumerate(good):
        for write, name, text, message in _own_texts(attempt, traits):
            texts.setdefault((write, name), [[] for _ in good])[number].append(text)
            if number == 0:
                first[write, name] = message
    shared = sorted(place for place, mine in texts.items() if all(mine))
    before = texts_before(good[0].recorded) if shared else {}
    return [
        WrittenText(
            tool=place[0][0],
            arguments=place[0][1],
            argument=place[1],
            texts=alike,
            before=before[first[place]],
            counts=_counts(good[0], first[place]),
        )
        for place in shared
        for alike in _matched_texts(texts[place])
    ]


def _matched_texts(texts: Sequence[Sequence[str]]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """The texts per attempt; where the first makes the change with several texts, each of them with the others' most like it."""
    first, *others = texts
    several = list(dict.fromkeys(first))
    if len(several) == 1:
        yield tuple(map(tuple, texts))
        return
    for text in several:
        words = content_words(text)
        yield (text,), *((max(mine, key=lambda t: words_held(t, words)),) for mine in others)


def _counts(attempt: Facts, until: int) -> frozenset[float]:
    shown = (c.result.content for c in attempt.recorded.attempt.calls if c.message < until)
    return frozenset[float]().union(*map(counts_in, shown))


def _own_texts(attempt: Facts, traits: AppTraits) -> Iterator[tuple[Write, str, str, int]]:
    for call in attempt.recorded.attempt.calls:
        tool = traits.kinds.tools[call.name]
        if not _is_text(tool.kind, tool.authored) or call.result.is_error:
            continue
        write = call.name, canonical_arguments(call.arguments, tool.authored)
        for name in tool.authored:
            text = call.arguments.get(name)
            if isinstance(text, str) and text.strip():
                yield write, name, text, call.message


def _is_text(kind: str, authored: Sequence[str]) -> bool:
    return kind == WRITE and bool(authored)


def _facts_of(one: WrittenText) -> list[Fact]:
    """Facts of the first attempt's texts that all others hold too, and that somebody had said or shown."""
    found: dict[tuple[str, str | float], Fact] = {}
    for text in one.texts[0]:
        for fact in facts_in(text):
            known = _has_ground(fact, one.before) or not one.counts.isdisjoint(fact.readings)
            if fact.readings and known and _all_hold(fact, one):
                found.setdefault((fact.kind, fact.readings[0]), fact)
    if len(one.texts) > 1:
        for fact in (f for text in one.texts[0] for f in facts_in(text) if f.specific):
            if fact.readings and _all_hold(fact, one):
                found.setdefault((fact.kind, fact.readings[0]), fact)
    return list(found.values())


def _all_hold(fact: Fact, one: WrittenText) -> bool:
    (args,) = fact_args([fact], "en")
    return all(
        any(fact_in(args, facts_in(text), folded(text)) for text in mine) for mine in one.texts
    )


def _has_ground(fact: Fact, before: str) -> bool:
    (args,) = fact_args([fact], "en")
    return fact_in(args, facts_in(before), folded(before))


def _words_of(one: WrittenText, everyday: frozenset[str]) -> list[str]:
    """Words that every attempt's text shares with what was said or shown before, but for those that stand everywhere."""
    every = [word for text in one.texts[0] for word in content_words(text)]
    left = [w for w in dict.fromkeys(every) if stem(w) not in everyday] or every
    return [
        word
        for word in left
        if words_held(one.before, [word])
        and all(any(words_held(text, [word]) for text in mine) for mine in one.texts)
    ]


def _checks_of(
    one: WrittenText, traits: AppTraits, good: Sequence[Facts], place: Mapping[str, Json], name: str
) -> Iterator[Check]:
    facts = fact_args(_facts_of(one), traits.language)
    dictated = one.argument in traits.kinds.tools[one.tool].dictated
    words = list(every_word(one.longest)) if dictated else _words_of(one, traits.written_everywhere)
    least = len(words) if dictated else max(1, int(len(words) ** KEPT))
    most = max(len({f.readings for f in facts_in(t) if f.specific}) for ts in one.texts for t in ts)
    where: dict[str, Json] = {
        "tool": one.tool,
        "arguments": one.arguments,
        "argument": one.argument,
        "ignore": traits.kinds.ignore(),
        **place,
    }
    among: dict[str, Json] = {"among": max(AMONG, 2 * most)}
    groups = [[fact] for fact in facts] if len(facts) <= HANDFUL else [facts]
    for number, group in enumerate(groups, 1):
        held: dict[str, Json] = {**where, **among, "facts": list[Json](group)}
        yield required_check("text_holds", held, good, check_id=f"text_holds_{name}_{number}")
    if not words:
        return
    said: dict[str, Json] = {**where, "words": list[Json](words), "least": least}
    if dictated:
        said["others"] = max(WORDS_BESIDE, len(words) // 2)
    yield required_check("text_holds", said, good, check_id=f"text_about_{name}")
