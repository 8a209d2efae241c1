"""Labels: what an episode's outcomes say about it, by a written policy.

In: clean outcomes (several per episode, from users, business records, reviewers, code, models) and a policy. Out: one
label per episode: resolved, unresolved or unknown, with who said so and how far to trust it. An episode without
outcomes is unknown, never a failure; a model's or a program's score counts only where the policy says so.
Not here: joining outcomes to episodes (`ingest`), what failed (`failures`).
"""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

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
UNNAMED_NOISE: Final = 0.1
"""Share of wrong outcomes of an annotator whose noise nobody states."""

GOOD_WORDS: Final = frozenset(
    {"good", "yes", "true", "up", "thumbs_up", "positive", "pass", "passed", "resolved", "solved", "gelöst", "opgelost", "löst", "løst", "résolu", "resuelto", "risolto", "resolvido", "rozwiązane", "çözüldü"}
)  # fmt: skip
BAD_WORDS: Final = frozenset(
    {"bad", "no", "false", "down", "thumbs_down", "negative", "fail", "failed", "unresolved", "unsolved", "not resolved", "ungelöst", "nicht gelöst", "niet opgelost", "olöst", "uløst", "non résolu", "no resuelto", "non risolto", "não resolvido", "nierozwiązane", "çözülmedi"}
)  # fmt: skip


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

_ENDINGS: Final = frozenset(
    [
        "success",
        "successful",
        "succeeded",
        "correct",
        "passed",
        "solved",
        "resolved",
        "resolution",
        "ok",
        "okay",
        "done",
        "settled",
        "complete",
        "completed",
        "completion",
        "fulfilled",
        "achieved",
        "accomplished",
        "attained",
        "reached",
        "satisfied",
        "helpful",
        "accurate",
        "met",
        "happy",
        "positive",
        "fixed",
        "good",
        "right",
        "pass",
        "worked",
        "answered",
        "fcr",
        "resuelto",
        "logrado",
        "alcanzado",
        "cumplido",
        "atendido",
        "cumprido",
        "erfüllt",
        "erreicht",
        "gelungen",
        "bestanden",
        "geklärt",
        "atteint",
        "raggiunto",
        "opgelost",
        "éxito",
        "correcto",
        "resolvido",
        "sucesso",
        "gelöst",
        "erledigt",
        "erfolgreich",
        "résolu",
        "réussi",
        "risolto",
        "riuscito",
        "satisfait",
        "satisfecho",
        "satisfeito",
        "soddisfatto",
        "zufrieden",
    ]
)
"""Words whose 1 can only mean good at the end of a name, in the languages of most logs."""
_TRANSCRIPTION: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN: Final = re.compile(r"[\W_]+")
_INFLECTION: Final = re.compile(r"[eao]?s?\Z")


def _stem(word: str) -> str:
    """A word as people write it in names (`gelöst` is `geloest`, `éxito` is `exito`), without gender and number (`résolues`)."""
    spelt = unicodedata.normalize("NFKD", word.translate(_TRANSCRIPTION))
    return _INFLECTION.sub("", "".join(s for s in spelt if not unicodedata.combining(s)))


_GOOD_ENDINGS: Final = frozenset(map(_stem, _ENDINGS))
_BARE_ENDINGS: Final = frozenset(map(_stem, ["flag", "bool", "label", "score", "result", "yn"]))
"""Words behind these that say nothing."""
_NEGATIONS: Final = frozenset(map(_stem, ["not", "no", "never", "non", "un", "nicht", "pas"]))
_YES_OR_NO: Final = OutcomeRule(good="== 1", bad="== 0")
"""What a longer name that ends so means (`task_success`): a count of what passed says nothing but by accident."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomePolicy:
    """How outcomes become labels."""

    rules: Mapping[str, OutcomeRule] = field(default_factory=lambda: KNOWN)
    noise: Mapping[str, float] = field(default_factory=lambda: NOISE)
    """Share of wrong outcomes per annotator kind, or per `annotator:name`."""
    source: str = "default"

    def rule_of(self, name: str) -> OutcomeRule | None:
        """What a name means: by its line, else by the known word that it ends with (`answer_correct`)."""
        if name in self.rules:
            return self.rules[name]
        words = [_stem(word) for word in _BETWEEN.split(_CAMEL.sub("_", name).casefold()) if word]
        while words and words[-1] in _BARE_ENDINGS:
            words.pop()
        good = bool(words) and words[-1] in _GOOD_ENDINGS and _NEGATIONS.isdisjoint(words)
        return _YES_OR_NO if good else None

    def ignores(self, outcome: CleanOutcome) -> bool:
        """Whether a model or a program says it, and no rule counts them for this name."""
        rule = self.rule_of(outcome.name)
        return outcome.by in NEVER_ALONE and (rule is None or outcome.by not in rule.counts)

    def noise_of(self, outcome: CleanOutcome) -> float:
        """How often such an outcome is wrong."""
        by_kind = self.noise.get(outcome.by, UNNAMED_NOISE)
        return self.noise.get(f"{outcome.by}:{outcome.name}", by_kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What an episode's outcomes say, together."""

    resolved: bool | None
    """None is unknown: no outcome, only unknown names, or an undecided contradiction."""
    confidence: float = 0.0
    """Probability that `resolved` is what the user got; 0 where it is None."""
    by: str | None = None
    """The kind of annotator that decided."""
    provenance: tuple[str, ...] = ()
    """Outcome ids that speak for the label."""
    against: tuple[str, ...] = ()
    """Outcome ids that say the opposite."""
    reason: str = ""


UNLABELLED: Final = Label(resolved=None, reason="no_outcome")


def load_outcome_policy(path: Path | None) -> OutcomePolicy:
    """Read `outcomes.toml`; what it does not name keeps the meaning of `KNOWN`, and any other name means nothing."""
    if path is None or not path.exists():
        return OutcomePolicy()
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise OutcomePolicyError(f"{path.name} is not TOML: {fault}") from fault
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


def label(outcomes: Sequence[CleanOutcome], policy: OutcomePolicy) -> Label:
    """The label of one episode: the most trusted kind of annotator decides, within it the latest."""
    votes = [vote for outcome in outcomes if (vote := _vote(outcome, policy)) is not None]
    if not votes:
        return Label(resolved=None, reason="no_known_outcome") if outcomes else UNLABELLED
    first = min(vote.rank for vote in votes)
    best = sorted((v for v in votes if v.rank == first), key=lambda v: v.at)
    latest = [vote for vote in best if vote.at == best[-1].at]
    if len({vote.good for vote in latest}) > 1:
        ids = tuple(vote.outcome_id for vote in latest)
        return Label(resolved=None, against=ids, reason="contradiction")
    good = latest[-1].good
    return Label(
        resolved=good,
        confidence=_confidence(votes, good=good),
        by=latest[-1].by,
        provenance=tuple(v.outcome_id for v in votes if v.good == good),
        against=tuple(v.outcome_id for v in votes if v.good != good),
        reason="agreed" if all(v.good == good for v in votes) else "overruled",
    )


def label_episodes(outcomes: Iterable[CleanOutcome], policy: OutcomePolicy) -> dict[str, Label]:
    """Labels by episode id; episodes without outcomes are not in it."""
    grouped: dict[str, list[CleanOutcome]] = {}
    for outcome in outcomes:
        grouped.setdefault(outcome.episode_id, []).append(outcome)
    return {episode_id: label(mine, policy) for episode_id, mine in sorted(grouped.items())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """What episodes cost, in one unit."""

    unit: str
    value: float


def amounts_of(
    outcomes: Iterable[CleanOutcome], policy: OutcomePolicy
) -> dict[str, tuple[Amount, ...]]:
    """What each episode cost by its outcomes, by unit; of one outcome the same value twice counts once."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for one in outcomes:
        rule = policy.rules.get(one.name)
        if rule is not None and rule.amount is not None and one.value is not None:
            by_unit = found.setdefault(one.episode_id, {}).setdefault(rule.amount, {})
            by_unit[one.outcome_id] = one.value
    return {key: added_up(units) for key, units in found.items()}


def added_up(units: Mapping[str, Mapping[str, float]]) -> tuple[Amount, ...]:
    """The sum in each unit."""
    return tuple(
        Amount(unit=unit, value=math.fsum(values.values()))
        for unit, values in sorted(units.items())
    )


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


def unknown_outcomes(outcomes: Iterable[NamedOutcome], policy: OutcomePolicy) -> dict[str, str]:
    """Outcome names the policy does not know, each with the line to add to `outcomes.toml`."""
    unknown: dict[str, list[NamedOutcome]] = {}
    for outcome in outcomes:
        # A right answer without a verdict says nothing about how it went.
        says_how = outcome.value is not None or outcome.label is not None
        if policy.rule_of(outcome.name) is None and says_how:
            unknown.setdefault(outcome.name, []).append(outcome)
    return {name: _line_to_add(name, mine) for name, mine in sorted(unknown.items())}


@dataclass(frozen=True, slots=True)
class _Vote:
    good: bool
    rank: int
    at: int
    by: str
    noise: float
    outcome_id: str


def _vote(outcome: CleanOutcome, policy: OutcomePolicy) -> _Vote | None:
    rule = policy.rule_of(outcome.name)
    if rule is None or policy.ignores(outcome):
        return None
    good = _says_resolved(rule, outcome)
    if good is None:
        return None
    rank = RANKS.get(outcome.by, RANKS["unknown"])
    at = outcome.at if outcome.at is not None else -1
    return _Vote(good, rank, at, outcome.by, policy.noise_of(outcome), outcome.outcome_id)


def _says_resolved(rule: OutcomeRule, outcome: CleanOutcome) -> bool | None:
    says_good, says_bad = _matches(rule.good, outcome), _matches(rule.bad, outcome)
    if says_good is True and says_bad is not True:
        return True
    if says_bad is True and says_good is not True:
        return False
    if rule.bad is None and says_good is False:
        return False
    if rule.good is None and says_bad is False:
        return True
    return None


def _matches(test: str | tuple[str, ...] | None, outcome: CleanOutcome) -> bool | None:
    """Whether the outcome meets one side of a rule; None where the rule or the value says nothing."""
    if test is None:
        return None
    if isinstance(test, tuple):
        said = outcome.label if outcome.label is not None else _number_text(outcome.value)
        return None if said is None else said.strip().casefold() in test
    value = outcome.value
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


def _confidence(votes: Sequence[_Vote], *, good: bool) -> float:
    """Odds of independent votes multiplied; the deciding kind keeps it at 0.5 or above."""
    odds = 1.0
    for vote in votes:
        noise = min(max(vote.noise, 1e-4), 0.4999)
        factor = (1 - noise) / noise
        odds *= factor if vote.good == good else 1 / factor
    return max(0.5, odds / (1 + odds))


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


def _line_to_add(name: str, outcomes: Sequence[NamedOutcome]) -> str:
    """A line to paste; quoted where the name is not a bare TOML key. Never shows a recorded label."""
    bare = name.replace("_", "").replace("-", "")
    key = name if bare.isalnum() and bare.isascii() else '"' + name.replace('"', "") + '"'
    labels = {o.label.strip().casefold() for o in outcomes if o.label is not None}
    if labels and not any(o.value is not None for o in outcomes):
        good, bad = sorted(labels & GOOD_WORDS), sorted(labels & BAD_WORDS)
        return f"{key} = {{ good = {_toml(good)}, bad = {_toml(bad)} }}"
    highest = max((o.value for o in outcomes if o.value is not None), default=1.0)
    if highest > 1:
        return f'{key} = {{ good = ">= {highest * 0.75:g}", bad = "<= {highest * 0.5:g}" }}'
    return f'{key} = "good"  # or "bad", if 1 means that something went wrong'


def _toml(words: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"
