"""Checks on what the user is told: each value that was asked for, enough of what resolved attempts told, nothing without a ground.

In: the accepted ends of one task. Out: required checks for reward, and one line per fact for people, the
score and a reward by share. Not here: what an attempt told (`facts.told_facts`), the last messages
(`closing_checks`), caps on how much (`caps`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.checks.ends.terms import end_id
from environments.runtime.checks.ground import counted_things, measures_of, shown_by_tool
from environments.runtime.checks.table import score_of
from environments.runtime.checks.told_values import counts_otherwise
from environments.runtime.checks.view import View, text_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import AGREEMENT, REWARD, SHARE, Check
from environments.runtime.values.facts import (
    COUNT,
    DATE,
    EMAIL,
    ID,
    LEAST_SPECIFIC,
    NUMBER,
    TIME,
    Fact,
)
from synth.recordings.attempt_facts import Facts
from synth.recordings.traits import AppTraits
from synth.rubric.contrast import facts_asked, reckoned_of
from synth.rubric.ends import WITNESSES, End
from synth.rubric.evidence import at_end, origin_of, required_check
from synth.rubric.facts.forms import forms_of
from synth.rubric.facts.told_facts import (
    TEXT,
    SharedFacts,
    enough_of,
    fact_args,
    known_facts,
    text_args,
    told_by_all_but,
)
from synth.rubric.habits import PREDICTED

AMONG: Final = 3
"""New facts in one message among which a fact still counts as told and not as listed."""
AMONG_VALUES: Final = 2
"""The same for a value that was asked for, which few words answer."""
GROUNDLESS: Final = 0.4
"""Share of what is told that may lack a ground, where resolved attempts tell such things too; who makes everything up tells more."""
ENOUGH: Final = 0.1
"""Share of what a resolved attempt told that another one tells at least."""
MOST_LINES: Final = 60
"""Facts that get a line of their own."""


def told_some_checks(accepted: Sequence[End], traits: AppTraits, after: str) -> list[Check]:
    """Per accepted end: that enough of what its resolved attempts told is told, and a line per fact."""
    checks: list[Check] = []
    for number, end in enumerate(accepted, 1):
        reckoned = reckoned_of(end.good)
        facts, told, found_out = _facts(end.good, reckoned, traits.language)
        where = at_end(after, number)
        if all(fact["kind"] == TEXT for fact in facts):
            checks += _small_checks(end, where, number)
        if not facts:
            continue
        beside = max(AMONG, 2 * max(a.told_facts.beside for a in end.good))
        args: dict[str, Json] = {
            **where,
            "facts": list[Json](facts),
            "least": enough_of(told, ENOUGH),
            "among": beside,
        }
        alike = facts_asked(end.good, traits)
        answers = text_args(_answering_texts(end)) if facts[0]["kind"] == TEXT else []
        answer: dict[str, Json] = {
            **args,
            "facts": list[Json](answers),
            "least": 1,
            "only": True,
        }
        if alike.facts:
            asked = fact_args(alike.facts, traits.language)
            args = answer = {**answer, "facts": list[Json](asked), "least": alike.least}
        elif answers and end.bad:
            args = answer
        paid = required_check(
            "told_some", args, end.good, check_id=f"told_some_{number}", positive=found_out
        )
        checks.append(paid)
        if answers or alike.facts:
            # Where an unresolved attempt told something else, outcomes show that users mind; else nobody knows.
            alone = len(end.good) == 1 and reckoned.facts
            unless = "fail" if end.bad or (alike.facts and not alone) else "null"
            expected = {**answer, "after": PREDICTED, "on_missing": unless}
            foretold = replace(paid, check_id=f"expected_some_{number}", args=expected)
            checks.append(replace(foretold, role=AGREEMENT, counter=len(end.bad)))
        for place, fact in enumerate(facts[:MOST_LINES], 1):
            line = {**where, **fact, "among": beside}
            checks.append(
                Check(
                    check_id=f"tells_{number}_{place}",
                    fn="told",
                    args=line,
                    role=SHARE,
                    # Together they weigh what one check does: another right answer tells other facts.
                    weight=round(1 / min(len(facts), MOST_LINES), 4),
                    support=sum(_tells(a, fact) for a in end.good),
                    origin=origin_of(end.good),
                )
            )
    return checks


def unlike_checks(
    accepted: Sequence[End], checks: Sequence[Check], after: str, language: str
) -> list[Check]:
    """Per unresolved attempt at an accepted end that no other check fails: that something is told which it alone left out."""
    paid = [c for c in checks if c.required and c.role == REWARD and c.fn != "end_state"]
    made: list[Check] = []
    for number, end in enumerate(accepted, 1):
        for bad in end.bad if len(end.good) >= WITNESSES else ():
            # A fact that belongs to another end is not asked for here.
            view = View(bad.recorded.attempt, matched={after: end_id(number)})
            if all(score_of(c, view)[0] != 0.0 for c in (*paid, *made)):
                where = at_end(after, number)
                made += _told_by_others(
                    end, bad, where, language, f"unlike_{number}_{len(made) + 1}"
                )
    return made


def _told_by_others(
    end: End, bad: Facts, where: Mapping[str, Json], language: str, name: str
) -> list[Check]:
    """That something is told, or each small number, that all resolved attempts at an end tell and one unresolved attempt does not."""
    told = [a.told_facts for a in end.good]
    facts = fact_args(told_by_all_but(told, bad.told_facts), language)
    texts = frozenset.intersection(*(one.texts for one in told)) - bad.told_facts.texts
    small = frozenset.intersection(*(one.small for one in told)) - bad.told_facts.small
    args: dict[str, Json] = dict(where)
    if facts or texts:
        found = [*facts, *text_args(texts)]
        beside = max(AMONG, 2 * max(one.beside for one in told))
        args |= {"facts": list[Json](found), "least": 1, "among": beside, "only": True}
        return [required_check("told_some", args, end.good, check_id=name, counter=1)]
    if small:
        args |= {"values": list[Json](sorted(small)), "most": max(len(one.small) for one in told)}
        return [
            required_check(
                "small_numbers_told", args, end.good, check_id=name, positive=False, counter=1
            )
        ]
    return []


def _small_checks(end: End, where: Mapping[str, Json], number: int) -> list[Check]:
    """That the counts which all resolved attempts told are told, and no more of them, where nothing else that is told has a figure."""
    told = [a.told_facts for a in end.good]
    values = frozenset.intersection(*(one.small_shown for one in told))
    if not values:
        return []
    args: dict[str, Json] = {
        **where,
        "values": list[Json](sorted(values)),
        "most": max(len(one.small) for one in told),
    }
    made = required_check(
        "small_numbers_told", args, end.good, check_id=f"counts_told_{number}", positive=False
    )
    return [made]


def grounded_checks(accepted: Sequence[End], traits: AppTraits, definitions: str) -> list[Check]:
    """That nothing specific is told without a ground, of the kinds of which this app's resolved attempts tell nothing so."""
    good = [a for end in accepted for a in end.good]
    kinds = [k for k in (NUMBER, DATE, TIME, ID, EMAIL, COUNT) if k not in traits.groundless]
    # What a resolved attempt said without a ground was right all the same, as far as anybody knows.
    lacking = {f.text for a in good for f in (*a.told_facts.groundless, *a.told_facts.computed)}
    own = " ".join(sorted(lacking))
    views = [View(a.recorded.attempt) for a in good]
    args: dict[str, Json] = {
        "kinds": list[Json](kinds),
        "known": f"{known_facts(definitions)} {own}".strip(),
        "writes": list[Json](traits.kinds.tools_of("write")),
        "ignore": traits.kinds.ignore(),
        "measures": measures_of(fact for view in views for facts in view.facts for fact in facts),
    }
    counted: dict[str, set[int]] = defaultdict(set)
    shown: dict[str, set[str]] = defaultdict(set)
    for view in views:
        for thing, numbers in counted_things(view).items():
            counted[thing] |= numbers
        for tool, facts in shown_by_tool(view).items():
            shown[tool] |= facts
    if any(shown.values()):
        args["shown"] = {tool: list[Json](sorted(fs)) for tool, fs in sorted(shown.items()) if fs}
    if counted:
        args["counted"] = {thing: list[Json](sorted(ns)) for thing, ns in sorted(counted.items())}
    if traits.groundless:
        args["loose"] = GROUNDLESS
    if not traits.computes:
        args["computed"] = False
    return [required_check("grounded", args, good, positive=False)]


def _answering_texts(end: End) -> frozenset[str]:
    """What answers the user's question: texts of records that all of several resolved attempts told, and of the others none."""
    if len(end.good) < WITNESSES or not all(map(_asks, end.good)):
        return frozenset()
    shared = frozenset.intersection(*(a.told_facts.texts for a in end.good))
    return shared.difference(*(a.told_facts.texts for a in end.bad))


def _facts(
    good: Sequence[Facts], reckoned: SharedFacts, language: str
) -> tuple[list[dict[str, Json]], list[int], bool]:
    """The facts that somebody else is expected to tell, how many of them each attempt told, and whether it found them out.

    What the attempt found out counts before what it repeated: telling people what they said tells them nothing.
    """
    if reckoned.facts:
        return fact_args(reckoned.facts, language), [reckoned.least], True
    for name in ("new", "texts", "counts", "repeated"):
        told = [getattr(a.told_facts, name) for a in good]
        if all(told):
            args = [text_args(t) if name == "texts" else fact_args(t, language) for t in told]
            found = {str(one["value"]): one for each in args for one in each}
            facts = [found[key] for key in sorted(found)]
            return facts, [len(each) for each in args], name != "repeated"
    return [], [], False


def _tells(attempt: Facts, fact: Mapping[str, Json]) -> bool:
    told: list[Fact] = [*attempt.told_facts.new, *attempt.told_facts.repeated]
    return fact["value"] in {*attempt.told_facts.texts, *(f.text for f in told)}


def asked_value_checks(
    accepted: Sequence[End], after: str, role: str, language: str
) -> list[Check]:
    """Values that every resolved attempt at an end tells after being asked, and no user said first."""
    checks = []
    for number, end in enumerate(accepted, 1):
        facts = frozenset.intersection(*(a.answers for a in end.good))
        for value in sorted(facts, key=str):
            silent = [a for a in end.bad if value not in a.told]
            args: dict[str, Json] = {
                "value": _plain_number(value),
                **at_end(after, number),
                "on_missing": "fail" if len(end.good) + len(silent) > 1 else "null",
            }
            # A small count in words stands in any sentence.
            if isinstance(value, float) and value >= LEAST_SPECIFIC:
                fact = Fact(NUMBER, str(_plain_number(value)), (value,), specific=True)
                args["forms"] = list[Json](forms_of(fact, language))
            elif isinstance(value, float):
                seen = (View(a.recorded.attempt) for a in end.good)
                args["stands"] = not any(counts_otherwise(value, view) for view in seen)
            if role == REWARD:
                args["among"] = max(
                    AMONG_VALUES, 2 * min(a.fewest_told_beside(value) for a in end.good)
                )
            checks.append(
                required_check(
                    "told",
                    args,
                    end.good,
                    check_id=f"{'told' if role == REWARD else 'expected'}_{number}_{_short(value)}",
                    role=role,
                    counter=sum(value in a.told for a in end.bad),
                )
            )
    return checks


def _plain_number(value: float | str) -> Json:
    return int(value) if isinstance(value, float) and value == int(value) else value


def _short(value: float | str) -> str:
    return str(_plain_number(value)).replace(" ", "_")


def _asks(attempt: Facts) -> bool:
    """Whether the user asks something."""
    return any("?" in text_of(m) for m in attempt.recorded.attempt.messages if m["role"] == "user")
