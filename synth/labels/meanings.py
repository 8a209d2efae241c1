"""What the names of outcomes mean by an app's own values, and the lines of `outcomes.toml` that say it.

In: all outcomes of an app and its policy. Out: the policy with a rule for each measure whose scale its values show (`overall_score` from 0 to
1, `rating` from 1 to 5, thumbs of 1 and -1), and the lines to add for names that still mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from synth.labels.policy import WHOLE, NamedOutcome, OutcomePolicy, OutcomeRule
from synth.labels.words import good_or_bad, is_measure

_TOPS: Final = (5.0, 10.0, 100.0)
"""Highest marks of scales in use beyond 1."""
_GOOD: Final = 0.8
"""Share of the highest mark from which people call a rating satisfied: 4 of 5."""
_BAD: Final = 0.5
_THUMBS: Final = OutcomeRule(good="== 1", bad="== -1")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidValue:
    """A number that some outcome of an app has."""

    name: str
    value: float | None
    label: str | None = None


def with_meanings(policy: OutcomePolicy, outcomes: Iterable[NamedOutcome]) -> OutcomePolicy:
    """The policy, with a meaning for each measure that nothing else gives one; one whose scale is unclear has none."""
    values: dict[str, set[float]] = {}
    for one in outcomes:
        if one.value is not None and policy.rule_of(one.name) is None and is_measure(one.name):
            values.setdefault(one.name, set()).add(one.value)
    read = {name: rule for name, seen in values.items() if (rule := _rule_of_scale(seen))}
    return replace(policy, read=read)


def _rule_of_scale(values: AbstractSet[float]) -> OutcomeRule | None:
    """What values mean on the scale that they fill; None where one value alone, or none near a top, shows no scale."""
    lowest, highest = min(values), max(values)
    if len(values) < 2 or lowest < 0:
        return _THUMBS if lowest == -1 and values <= {-1.0, 0.0, 1.0} and highest == 1 else None
    if highest <= 1:
        return WHOLE if highest >= _GOOD else None
    top = next((top for top in _TOPS if highest <= top), None)
    if top is None or highest < _GOOD * top:
        return None
    return OutcomeRule(good=f">= {_GOOD * top:g}", bad=f"<= {_BAD * top:g}")


def lines_read(policy: OutcomePolicy) -> dict[str, str]:
    """What was read of an app's values, as the lines of `outcomes.toml` that say the same."""
    return {
        name: f'{_key(name)} = {{ good = "{rule.good}", bad = "{rule.bad}" }}'
        for name, rule in sorted(policy.read.items())
    }


def unknown_outcomes(outcomes: Iterable[NamedOutcome], policy: OutcomePolicy) -> dict[str, str]:
    """Outcome names the policy does not know, each with the line to add to `outcomes.toml`."""
    unknown: dict[str, list[NamedOutcome]] = {}
    for outcome in outcomes:
        # A right answer without a verdict says nothing about how it went.
        says_how = outcome.value is not None or outcome.label is not None
        if says_how and policy.rule_of(outcome.name) is None and policy.says(outcome) is None:
            unknown.setdefault(outcome.name, []).append(outcome)
    return {name: _line_to_add(name, mine) for name, mine in sorted(unknown.items())}


def _line_to_add(name: str, outcomes: Sequence[NamedOutcome]) -> str:
    """A line to paste; quoted where the name is not a bare TOML key. Never shows a recorded label."""
    labels = {o.label.strip().casefold() for o in outcomes if o.label is not None}
    if labels and not any(o.value is not None for o in outcomes):
        good = sorted(said for said in labels if good_or_bad(said, "") is True)
        bad = sorted(said for said in labels if good_or_bad(said, "") is False)
        return f"{_key(name)} = {{ good = {_toml(good)}, bad = {_toml(bad)} }}"
    highest = max((o.value for o in outcomes if o.value is not None), default=1.0)
    if highest > 1:
        return f'{_key(name)} = {{ good = ">= {highest * 0.75:g}", bad = "<= {highest * 0.5:g}" }}'
    return f'{_key(name)} = "good"  # or "bad", if 1 means that something went wrong'


def _key(name: str) -> str:
    """A name as a key of TOML: quoted where it is not a bare one."""
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isalnum() and bare.isascii() else '"' + name.replace('"', "") + '"'


def _toml(words: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"
