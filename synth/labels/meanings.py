"""What the names of outcomes mean by an app's own values, and the lines of `outcomes.toml` that say it.

In: all outcomes of an app and its policy. Out: the policy with a rule for each measure whose scale its values show (`overall_score` from 0 to
1, `rating` from 1 to 5, thumbs of 1 and -1), and the lines to add for names that still mean nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.values.grouping import by_key
from ingest.records.outcome_words import (
    good_or_bad,
    is_about_else,
    is_measure,
    means_good,
    names_bad,
    names_state,
)
from synth.labels.policy import (
    NEVER_ALONE,
    SILENT,
    VERDICT,
    NamedOutcome,
    OutcomePolicy,
    OutcomeRule,
    rule_of_words,
)

_TOPS: Final = (5.0, 10.0, 100.0)
"""Highest marks of scales in use beyond 1."""
_GOOD: Final = 0.8
"""Share of the highest mark from which people call a rating satisfied: 4 of 5."""
_BAD: Final = 0.4
_LETTERS: Final = (
    (frozenset({"c"}), frozenset({"i"}), frozenset({"p", "n"})),
    (
        frozenset({"a", "a+", "a-"}),
        frozenset({"d", "d+", "d-", "e", "f"}),
        frozenset({"b", "b+", "b-", "c", "c+", "c-", "i", "w", "n/a"}),
    ),
)
"""Letters that are good, bad and neither: correct and incorrect, and those of schools."""
_SHARE: Final = OutcomeRule(good=">= 0.99", bad=f"<= {_BAD:g}")
_HALF: Final = ">= 0.5"
_THUMBS: Final = OutcomeRule(good="== 1", bad="== -1")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidValue:
    """A number that some outcome of an app has."""

    name: str
    value: float | None
    by: str
    label: str | None = None


def with_meanings(policy: OutcomePolicy, outcomes: Iterable[NamedOutcome]) -> OutcomePolicy:
    """The policy, with a meaning for each name whose values show one and that no line explains; one whose scale is unclear has none."""
    values: dict[str, set[float]] = defaultdict(set)
    letters: dict[str, set[str]] = defaultdict(set)
    for one in outcomes:
        if one.by in NEVER_ALONE or one.name in policy.rules:
            continue
        if one.value is not None:
            values[one.name].add(one.value)
        elif one.label is not None:
            letters[one.name].add(one.label.strip().casefold())
    read = {name: rule for name, seen in letters.items() if (rule := _rule_of_words(name, seen))}
    read |= {name: rule for name, seen in values.items() if (rule := _rule_of_values(name, seen))}
    return replace(policy, read=read)


def _rule_of_values(name: str, seen: AbstractSet[float]) -> OutcomeRule | None:
    """What the numbers of a name mean in an app; None where its words say it, or nothing does."""
    if rule_of_words(name) is None:
        return _rule_of_scale(seen) if is_measure(name) else None
    if seen <= {0.0, 1.0}:
        return None
    # A share is a measure; a count of what passed says nothing.
    return _SHARE if means_good(name) and min(seen) >= 0 and max(seen) <= 1 else SILENT


def _rule_of_words(name: str, seen: AbstractSet[str]) -> OutcomeRule | None:
    """What words mean where an app uses no others under a name: letters, or verdicts of which only some are read under this name."""
    if rule := _rule_of_letters(seen):
        return rule
    verdicts = {word: good_or_bad(word, VERDICT) for word in seen}
    is_read = all(good_or_bad(word, name) is not None for word in seen)
    if is_read or set(verdicts.values()) != {True, False}:
        return None
    # A program's `failed` is no user's; nor is what less of is better.
    return None if is_about_else(name) or names_state(name) else _rule_of_verdicts(verdicts)


def _rule_of_verdicts(verdicts: Mapping[str, bool | None]) -> OutcomeRule:
    return OutcomeRule(
        good=tuple(said for said in sorted(verdicts) if verdicts[said] is True),
        bad=tuple(said for said in sorted(verdicts) if verdicts[said] is False),
    )


def _rule_of_letters(seen: AbstractSet[str]) -> OutcomeRule | None:
    """What letters mean where an app uses no others under a name, and the best and a bad one of them."""
    for good, bad, between in _LETTERS:
        if seen <= good | bad | between and seen & good and seen & bad:
            return OutcomeRule(good=tuple(sorted(good)), bad=tuple(sorted(bad)))
    return None


def _rule_of_scale(values: AbstractSet[float]) -> OutcomeRule | None:
    """What values mean on the scale that they fill; None where one value alone, or none near a top, shows no scale."""
    lowest, highest = min(values), max(values)
    if len(values) < 2 or lowest < 0:
        return _THUMBS if lowest == -1 and values <= {-1.0, 0.0, 1.0} and highest == 1 else None
    if highest <= 1:
        return _SHARE if highest >= _GOOD else None
    top = next((top for top in _TOPS if highest <= top), None)
    if top is None or highest < _GOOD * top:
        return None
    return OutcomeRule(good=f">= {_GOOD * top:g}", bad=f"<= {_BAD * top:g}")


def lines_read(policy: OutcomePolicy) -> dict[str, str]:
    """What was read of an app's values, as the lines of `outcomes.toml` that say the same."""
    told = {name: rule for name, rule in policy.read.items() if rule != SILENT}
    return {name: _line_of(name, rule) for name, rule in sorted(told.items())}


def unknown_outcomes(outcomes: Iterable[NamedOutcome], policy: OutcomePolicy) -> dict[str, str]:
    """Names of outcomes that say nothing so far, each with the line of `outcomes.toml` by which they do.

    The policy does not know the name, or only programs and models say it, whom no line counts.
    """
    # A right answer without a verdict says nothing about how it went.
    named = by_key(
        (one.name, one) for one in outcomes if one.value is not None or one.label is not None
    )
    found: dict[str, str] = {}
    for name, mine in sorted(named.items()):
        ignored = all(map(policy.ignores, mine))
        unread = [o for o in mine if policy.rule_of(name) is None and policy.says(o) is None]
        if ignored or unread:
            rule = policy.rule_of(name)
            asked = _asked_about(mine, unread)
            line = _line_of(
                name,
                rule or _rule_of(name, asked),
                sorted({o.by for o in mine}) if ignored else (),
            )
            found[name] = line if rule else line + _remark(name, asked)
    return found


def _asked_about(
    outcomes: Sequence[NamedOutcome], unread: Sequence[NamedOutcome]
) -> Sequence[NamedOutcome]:
    """What a line must cover: of words also those that are read, since the line replaces how."""
    if any(one.value is not None for one in unread):
        return unread
    return [one for one in outcomes if one.value is None] if unread else outcomes


def _remark(name: str, outcomes: Sequence[NamedOutcome]) -> str:
    """What a person has to think of before the line is pasted: which way numbers go, and how many words no side lists."""
    if any(one.value is not None for one in outcomes):
        # Pasted without a thought, a line that was only supposed would call the worst answers the best.
        return "" if is_measure(name) else _or_else(name, outcomes)
    verdicts = _verdicts(outcomes)
    others = sum(good is None for good in verdicts.values())
    if not others or others == len(verdicts):
        return ""
    is_one = others == 1
    return f"  # {others} more word{'' if is_one else 's'} under this name {'says' if is_one else 'say'} nothing until a side lists {'it' if is_one else 'them'}"


def _verdicts(outcomes: Sequence[NamedOutcome]) -> dict[str, bool | None]:
    """What each word of some outcomes says where it judges."""
    words = sorted({o.label.strip().casefold() for o in outcomes if o.label is not None})
    return {said: good_or_bad(said, VERDICT) for said in words}


def _or_else(name: str, outcomes: Sequence[NamedOutcome]) -> str:
    """The remark behind a line that supposes which way the numbers of a name go; empty where its labels say it."""
    values = {o.value for o in outcomes if o.value is not None}
    more = "1" if max(values) <= 1 else "more of it"
    if names_bad(name):
        return f'  # its name says something bad; or "good", if {more} means that it went well'
    return f'  # or "bad", if {more} means that something went wrong'


def _rule_of(name: str, outcomes: Sequence[NamedOutcome]) -> OutcomeRule:
    """What a person may mean by these outcomes; more is supposed to be good, unless the name says something bad."""
    values = {o.value for o in outcomes if o.value is not None}
    if not values and (verdicts := _verdicts(outcomes)):
        return _rule_of_verdicts(verdicts)
    highest = max(values, default=1.0)
    if highest <= 1:
        return OutcomeRule(bad=_HALF) if names_bad(name) else OutcomeRule(good=_HALF)
    if names_bad(name):
        return OutcomeRule(good=f"<= {_BAD * highest:g}", bad=f">= {_GOOD * highest:g}")
    return OutcomeRule(good=f">= {_GOOD * highest:g}", bad=f"<= {_BAD * highest:g}")


def _line_of(name: str, rule: OutcomeRule, counts: Sequence[str] = ()) -> str:
    """The line of `outcomes.toml` that says the same; a name that is no bare key of TOML in quotes. Never shows a label that is no verdict."""
    if not counts and rule in {OutcomeRule(good=_HALF), OutcomeRule(bad=_HALF)}:
        return f'{_key(name)} = "{"good" if rule.good else "bad"}"'
    sides = {"good": rule.good, "bad": rule.bad, "counts": tuple(counts) or None}
    told = ", ".join(f"{side} = {_toml(test)}" for side, test in sides.items() if test is not None)
    return f"{_key(name)} = {{ {told} }}"


def _key(name: str) -> str:
    """A name as a key of TOML: quoted where it is not a bare one."""
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isalnum() and bare.isascii() else '"' + name.replace('"', "") + '"'


def _toml(test: str | Sequence[str]) -> str:
    """A comparison, or a list of words, as TOML writes it."""
    if isinstance(test, str):
        return f'"{test}"'
    return "[" + ", ".join(f'"{word}"' for word in test) + "]"
