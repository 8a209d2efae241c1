"""The outcome policy: what the names of outcomes mean, and whom to believe.

In: `outcomes.toml`, if there is one. Out: an `OutcomePolicy`: a rule for each name that has one, and how often each kind of annotator errs.
Not here: what names without a rule mean by an app's values (`meanings`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from ingest.records.outcome_words import (
    good_or_bad,
    means_back,
    means_failed,
    means_good,
    yes_or_no,
)
from redact.records.clean_outcome import CleanOutcome

RANKS: Final[Mapping[str, int]] = {
    "reviewer": 0,
    "business_record": 1,
    "end_user": 2,
    "unknown": 3,
    "code": 4,
    "implicit": 5,
    "model": 6,
}
"""Whom to believe first when outcomes disagree."""

NOISE: Final[Mapping[str, float]] = {
    "reviewer": 0.02,
    "business_record": 0.02,
    "end_user": 0.05,
    "unknown": 0.03,
    "code": 0.05,
    "implicit": 0.15,
    "model": 0.2,
}
"""How often an outcome of each kind is wrong, unless `outcomes.toml` says otherwise."""

NEVER_ALONE: Final = frozenset({"model", "code"})
"""Scores that are not a user's outcome unless the policy says so."""
_TABLES: Final = frozenset({"outcomes", "noise"})
_SETTINGS: Final = frozenset({"good", "bad", "counts", "amount"})
"""Of one outcome's name."""
UNNAMED_NOISE: Final = 0.1
"""Share of wrong outcomes of an annotator whose noise nobody states."""


class OutcomePolicyError(ValueError):
    """`outcomes.toml` cannot be used; the message says which line to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRule:
    """What the values of one outcome name mean."""

    good: str | tuple[str, ...] | None = None
    """A comparison (`>= 0.5`) or the labels that mean good."""
    bad: str | tuple[str, ...] | None = None
    counts: tuple[str, ...] = ()
    """Annotators that count for this name although they are models or programs."""
    amount: str | None = None
    """The unit where its values are what an episode cost (`EUR`); such an outcome says nothing of how it went."""

    def says(self, value: float | None, label: str | None) -> bool | None:
        """Whether a value means good; None where the rule says nothing of it."""
        is_good, is_bad = _matches(self.good, value, label), _matches(self.bad, value, label)
        if is_good is not is_bad and True in (is_good, is_bad):
            return is_good is True
        if self.bad is None and is_good is False:
            return False
        if self.good is None and is_bad is False:
            return True
        return None

    def says_of_unlisted(self, label: str) -> bool | None:
        """What a word says that no side lists: on a side without any word, what it says wherever one judges."""
        said = good_or_bad(label, VERDICT)
        side = self.good if said else self.bad
        return said if side == () else None

    @property
    def names_labels(self) -> bool:
        """Whether it lists the labels that mean good or bad."""
        return isinstance(self.good, tuple) or isinstance(self.bad, tuple)


VERDICT: Final = "verdict"
"""A name under which every word that can be a verdict is one."""
_WHOLE: Final = OutcomeRule(good=">= 0.99", bad="<= 0.5")
KNOWN: Final[Mapping[str, OutcomeRule]] = {
    "resolved": OutcomeRule(good=">= 0.5"),
    **dict.fromkeys(
        (
            "reward",
            "correct",
            "is_correct",
            "success",
            "successful",
            "is_success",
            "passed",
            "is_passed",
            "solved",
            "is_resolved",
        ),
        _WHOLE,
    ),
}
"""Names whose 1 can only mean good. A part of a reward (0.7) is neither good nor bad until somebody says so."""
SILENT: Final = OutcomeRule()
"""Of a name whose values say nothing."""
_YES_OR_NO: Final = OutcomeRule(good="== 1", bad="== 0")
"""What a longer name that means good says (`task_success`): a count of what passed says nothing but by accident."""


class NamedOutcome(Protocol):
    """What of an outcome tells how its name may be meant, on either side of the gate."""

    @property
    def name(self) -> str:
        """What was measured."""
        ...

    @property
    def value(self) -> float | None:
        """A number, or 1 and 0."""
        ...

    @property
    def label(self) -> str | None:
        """A word in place of a number."""
        ...

    @property
    def by(self) -> str:
        """Who judged: one of `RANKS`."""
        ...


@lru_cache(maxsize=1024)
def rule_of_words(name: str) -> OutcomeRule | None:
    """What 1 and 0 mean under a name whose words can only mean one thing; None under any other."""
    if means_good(name):
        return _YES_OR_NO
    if means_failed(name):
        return OutcomeRule(good="== 0", bad="== 1")
    return OutcomeRule(good=(), bad="== 1") if means_back(name) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomePolicy:
    """How outcomes become labels."""

    rules: Mapping[str, OutcomeRule] = field(default_factory=lambda: KNOWN)
    noise: Mapping[str, float] = field(default_factory=lambda: NOISE)
    """Share of wrong outcomes per annotator kind, or per `annotator:name`."""
    source: str = "default"
    read: Mapping[str, OutcomeRule] = field(default_factory=dict)
    """Meanings without a line, read from the values of an app (`meanings.with_meanings`)."""

    def rule_of(self, name: str) -> OutcomeRule | None:
        """What the numbers of a name mean: by its line, by the known word that it ends with (`answer_correct`), or by the app's values."""
        return self.rules.get(name) or self.read.get(name) or rule_of_words(name)

    def is_read(self, name: str) -> bool:
        """Whether what a name means is read from an app's values, because nothing else says it."""
        return name in self.read and name not in self.rules

    def says(self, outcome: NamedOutcome) -> bool | None:
        """Whether an outcome says that it went well; None where its name and its value do not tell."""
        rule = self.rule_of(outcome.name) or SILENT
        said = rule.says(outcome.value, outcome.label)
        if said is not None or outcome.value is not None or outcome.label is None:
            return said
        if rule.names_labels and (outcome.name in self.rules or outcome.name in self.read):
            return rule.says_of_unlisted(outcome.label)
        affirmed = yes_or_no(outcome.label)
        said = None if affirmed is None else rule.says(float(affirmed), None)
        return good_or_bad(outcome.label, outcome.name) if said is None else said

    def ignores(self, outcome: NamedOutcome) -> bool:
        """Whether a model or a program says it, and no rule counts them for this name."""
        rule = self.rule_of(outcome.name)
        return outcome.by in NEVER_ALONE and (rule is None or outcome.by not in rule.counts)

    def noise_of(self, outcome: CleanOutcome) -> float:
        """How often such an outcome is wrong."""
        by_kind = self.noise.get(outcome.by, UNNAMED_NOISE)
        return self.noise.get(f"{outcome.by}:{outcome.name}", by_kind)


def load_outcome_policy(path: Path | None) -> OutcomePolicy:
    """Read `outcomes.toml`; what it does not name keeps the meaning of `KNOWN`, or what its words say."""
    if path is None or not path.exists():
        return OutcomePolicy()
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise OutcomePolicyError(f"{path} is not TOML: {fault}") from fault
    for name in sorted(document.keys() - _TABLES):
        raise OutcomePolicyError(
            f"{path.name} has no table [{name}]; it knows [outcomes] and [noise]"
        )
    rules = dict(OutcomePolicy().rules)
    for name, entry in _table(document, "outcomes", path).items():
        rules[name] = _rule(name, entry, path)
    noise = dict(NOISE)
    for name, share in _table(document, "noise", path).items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < 0.5:
            raise OutcomePolicyError(
                f"{path.name}: noise of '{name}' must be a share from 0 to below 0.5"
            )
        noise[name] = float(share)
    return OutcomePolicy(rules=rules, noise=noise, source=path.name)


def _table(document: Mapping[str, object], name: str, path: Path) -> Mapping[str, object]:
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise OutcomePolicyError(f"{path.name}: [{name}] must be a table")
    return table


def _rule(name: str, entry: object, path: Path) -> OutcomeRule:
    if entry == "good":
        return OutcomeRule(good=">= 0.5")
    if entry == "bad":
        return OutcomeRule(bad=">= 0.5")
    if isinstance(entry, str):
        return OutcomeRule(good=_test(name, entry, path))
    if isinstance(entry, dict):
        for setting in sorted(entry.keys() - _SETTINGS):
            raise OutcomePolicyError(
                f"{path.name}: '{name}' has no setting {setting!r}; it knows: {', '.join(sorted(_SETTINGS))}"
            )
        return OutcomeRule(
            good=_test(name, entry.get("good"), path),
            bad=_test(name, entry.get("bad"), path),
            counts=tuple(str(kind) for kind in entry.get("counts", ())),
            amount=_unit(name, entry.get("amount"), path),
        )
    raise OutcomePolicyError(
        f"{path.name}: write '{name} = \"good\"', '{name} = \"bad\"' or "
        f"'{name} = {{ good = \">= 0.5\" }}'"
    )


def _unit(name: str, unit: object, path: Path) -> str | None:
    if unit is not None and not (isinstance(unit, str) and unit.strip()):
        raise OutcomePolicyError(f"{path.name}: '{name}' needs a unit such as amount = \"EUR\"")
    return unit


def _test(name: str, test: object, path: Path) -> str | tuple[str, ...] | None:
    if test is None:
        return None
    if isinstance(test, list):
        return tuple(str(item).strip().casefold() for item in test)
    operator, _, number = str(test).partition(" ")
    try:
        float(number)
    except ValueError:
        operator = ""
    if operator not in {">=", ">", "<=", "<", "=="}:
        raise OutcomePolicyError(
            f"{path.name}: '{name}' needs a comparison such as \">= 0.5\" or a list of labels"
        )
    return str(test)


def _matches(
    test: str | tuple[str, ...] | None, value: float | None, label: str | None
) -> bool | None:
    """Whether an outcome meets one side of a rule; None where the rule or the value says nothing."""
    if test is None:
        return None
    if isinstance(test, tuple):
        said = label if label is not None else _number_text(value)
        return None if said is None else said.strip().casefold() in test
    if value is None:
        return None
    operator, _, number = test.partition(" ")
    bound = float(number)
    return {
        ">=": value >= bound,
        ">": value > bound,
        "<=": value <= bound,
        "<": value < bound,
        "==": value == bound,
    }[operator]


def _number_text(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"
