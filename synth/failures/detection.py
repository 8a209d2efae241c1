"""Failures: clean episodes in, a failure record with its evidence out for each that went badly or may have.

What an outcome says is *confirmed*. Where no outcome says anything, signals of two independent families, or one that
was measured to be right on every domain tried, make a *suspected* failure: something to look at, never a label. An
episode that its user found resolved is no failure whatever it looks like. Not here: what becomes of failures
(`clusters`), rewards (no signal is ever one).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from environments.runtime.views.multiplexed import words_of_part
from ingest.records.columns import Int32, schema_of
from redact.records.clean_episode import CleanEpisode
from synth.failures.calibration import (
    Calibration,
    Example,
    calibrate,
    changes_in,
    features_of,
)
from synth.failures.causes import (
    CHANGED,
    NO_CHANGE,
    PARTIES,
    TURNS_ON,
    Cause,
    Evidence,
    settle,
)
from synth.failures.compared import changed_anything
from synth.failures.evidence import evidence_of
from synth.failures.judging.opinion import (
    EVIDENCE,
    LABELS,
    NOTHING,
    Opinion,
    SaidOpinions,
)
from synth.failures.reading import PLAIN, AppReading, Reading, read
from synth.failures.reference import Called, succeeded
from synth.failures.signals import Signal, signals_of
from synth.failures.texts import facet, template, values_of, vocabulary
from synth.failures.turns import turns_of
from synth.failures.words import name_words
from synth.labels.label import Amount, Label
from synth.tool_errors import BROKEN

CONFIRMED: Final = "confirmed"
SUSPECTED: Final = "suspected"

BASE_LOGIT: Final = -1.4
"""Log-odds of failure before any signal: one in five, below both measured domains, so that suspicion is earned."""
STRONG_LIFT: Final = 1.5
"""One family alone suffices from here on: repeated calls (right on both domains) and loops (0.94 of 1,408)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One episode that went badly, with what shows it."""

    app: str
    episode_id: str
    started_at: int
    subject: str | None
    task_key: str | None
    do_not_train: bool
    status: str
    """`CONFIRMED` by an outcome, or `SUSPECTED` from signals."""
    suspicion: float
    """In [0, 1], from signals alone: a rough prior, or the app's own calibration where there is one."""
    signals: tuple[Signal, ...]
    cause: str
    """What went wrong: one of `causes.PARTIES`."""
    focus: tuple[str, ...]
    """What it turns on: the tool, then its arguments or the rule; where no evidence names a cause, the tools that changed something."""
    error: str
    """The failing tool's error with values taken out; empty unless the cause is an error."""
    facet: str
    """What the user wanted, in their own words without values."""
    vocabulary: tuple[str, ...] = ()
    """Words of the tool definitions that the texts above use: those that may stand in a name."""
    step: Int32 | None = None
    """The critical step: the first after which nothing recovered."""
    agent: str | None = None
    """The agent that made the critical step, where it has a name."""
    evidence: tuple[Evidence, ...] = ()
    """What speaks for a cause at a step, the heaviest first."""
    beside: str | None = None
    """A resolved attempt at the same request."""
    named_by: str = EVIDENCE
    """Who named the cause, the step and the agent above: one of those in `opinions`."""
    opinions: tuple[Opinion, ...] = ()
    """What the evidence, a model and people say went wrong."""
    agent_version: str | None = None
    amounts: tuple[Amount, ...] = ()
    """What it cost, where outcomes say so."""

    @property
    def party(self) -> str:
        """Whose the cause is: `agent`, `tool`, `user`, `system` or `environment`."""
        return PARTIES.get(self.cause, "agent")


FAILURE_SCHEMA: Final = schema_of(Failure, "app", "day")
"""The lake table `failures`, partitioned by app and day."""


def detect(
    episode: CleanEpisode,
    label: Label | None,
    *,
    calibration: Calibration | None = None,
    app: AppReading = PLAIN,
    said: SaidOpinions = NOTHING,
) -> Failure | None:
    """The failure record of an episode, or None when nothing or too little says that it failed; `said`: what a model and people say of its cause."""
    resolved = None if label is None else label.resolved
    if resolved is True:
        return None
    reading = read(episode, app)
    signals = signals_of(reading)
    likely, likely_enough = suspicion_of(signals), False
    if calibration is not None:
        likely = calibration.probability(features_of(reading, signals), changes_in(reading))
        likely_enough = calibration.suspects is not None and likely >= calibration.suspects
    if resolved is None and not likely_enough and not is_suspicious(signals):
        return None
    if label is not None and resolved is False:
        signals = (_outcome_signal(label), *signals)
    status = CONFIRMED if resolved is False else SUSPECTED
    return replace(_record(reading, signals, status=status, said=said), suspicion=likely)


def calibrate_on(
    labelled: Iterable[tuple[CleanEpisode, Label]], app: AppReading = PLAIN
) -> Calibration | None:
    """What one app's own outcomes teach about its signals; None when they are too few to say."""
    examples: list[Example] = []
    for episode, label in labelled:
        if label.resolved is not None:
            reading = read(episode, app)
            examples.append(
                Example(
                    features=features_of(reading, signals_of(reading)),
                    changes=changes_in(reading),
                    failed=not label.resolved,
                    group=episode.task_key or episode.subject or episode.episode_id,
                )
            )
    return calibrate(examples)


def called_in(episode: CleanEpisode, app: AppReading = PLAIN) -> Called:
    """What an episode did, as a reference learns from it."""
    reading = read(episode, app)
    return episode, reading.calls, reading.tools


def is_suspicious(signals: Iterable[Signal]) -> bool:
    """Whether signals suffice without an outcome: two families that count, or one that is strong."""
    strongest = _by_family(signals)
    return len(strongest) >= 2 or max(strongest.values(), default=0.0) >= STRONG_LIFT


def suspicion_of(signals: Iterable[Signal]) -> float:
    """How likely a failure is by signals alone: the strongest of each family, added as log-odds."""
    logit = BASE_LOGIT + sum(_by_family(signals).values())
    return round(1 / (1 + math.exp(-logit)), 4)


def _by_family(signals: Iterable[Signal]) -> dict[str, float]:
    strongest: dict[str, float] = {}
    for signal in signals:
        if signal.lift > 0 and signal.family != "outcome":
            strongest[signal.family] = max(strongest.get(signal.family, 0.0), signal.lift)
    return strongest


def _outcome_signal(label: Label) -> Signal:
    return Signal(
        name="outcome",
        family="outcome",
        provenance="outcome_policy",
        steps=(),
        lift=0.0,
        says=f"An outcome ({label.by or 'unknown'}) says that the user did not get what they came for.",
    )


def _record(
    reading: Reading, signals: tuple[Signal, ...], *, status: str, said: SaidOpinions
) -> Failure:
    episode = reading.episode
    known = vocabulary(episode.tools)
    hidden = values_of(reading.calls)
    turns = turns_of(reading)
    shown = settle(evidence_of(reading, turns, signals), turns, changed=changed_anything(reading))
    other = said.in_force(evidence_names_one=shown.cause not in {CHANGED, NO_CHANGE})
    word = said.renamed.get(shown.cause)
    if other is not None:
        cause = _as_said(reading, shown, other)
    else:
        cause = shown if word is None else replace(shown, cause=word)
    own = Opinion(by=EVIDENCE, cause=shown.cause, step=shown.step, agent=shown.agent)
    focus = cause.about or (_changing_tools(reading) if cause.cause in {CHANGED, NO_CHANGE} else ())
    # A part is named where enough users' calls meant it, so its words may stand in a name as a definition's may.
    known |= {word for tool in focus if words_of_part(tool) != [tool] for word in name_words(tool)}
    text = facet(episode, hidden, known)
    call = next((c for c in reading.calls if c.step == cause.step and c.error is not None), None)
    error = template(call.error, call, known) if call is not None and call.error else ""
    return Failure(
        app=episode.app,
        episode_id=episode.episode_id,
        started_at=episode.started_at,
        subject=episode.subject,
        task_key=episode.task_key,
        do_not_train=episode.do_not_train,
        status=status,
        suspicion=suspicion_of(signals),
        signals=signals,
        cause=cause.cause,
        focus=focus,
        error=error,
        facet=text,
        vocabulary=tuple(sorted(known & _words_in(text, error, focus))),
        step=cause.step,
        agent=cause.agent,
        evidence=cause.evidence,
        beside=next((one.episode_id for one in reading.resolved), None),
        named_by=other.by if other is not None else EVIDENCE if word is None else LABELS,
        opinions=(own, *said.opinions),
        agent_version=episode.agent_version,
    )


def _as_said(reading: Reading, shown: Cause, said: Opinion) -> Cause:
    """The cause that somebody else names, with what it turns on: what the evidence says of that step, else the tool called there."""
    pieces = (e for e in shown.evidence if (e.step, e.cause) == (said.step, said.cause))
    called = tuple(dict.fromkeys(c.name for c in reading.calls if c.step == said.step))
    about = next((piece.about for piece in pieces), called[:1])
    return replace(shown, cause=said.cause, step=said.step, agent=said.agent, about=about)


def _words_in(text: str, error: str, focus: tuple[str, ...]) -> set[str]:
    words = {word for tool in focus for word in name_words(tool)}
    return words | set(text.split()) | set(error.split())


def _changing_tools(reading: Reading) -> tuple[str, ...]:
    done = succeeded(reading.calls)
    return tuple(sorted({call.name for call in done if reading.tools[call.name].changes}))


def day_of(started_at: int) -> str:
    """The UTC day of a time in nanoseconds, as partitions name it."""
    return datetime.fromtimestamp(started_at / 1e9, tz=UTC).date().isoformat()


def fingerprint_of(failure: Failure, *, detail: str) -> str:
    """The failure's mechanical identity at a level of detail: `error`, `focus` or `cause`."""
    parts = [failure.app, failure.cause]
    if detail in {"focus", "error"}:
        parts.append("\x1e".join(turns_on(failure)))
    if detail == "error":
        parts.append(failure.error)
    return hashlib.sha256("\x1f".join((detail, *parts)).encode()).hexdigest()[:16]


def turns_on(failure: Failure) -> tuple[str, ...]:
    """What of its focus tells a failure from others of its cause; a backend that is down is down for all its tools."""
    broken = failure.cause == "tool_error" and bool(BROKEN.search(failure.error))
    return failure.focus if failure.cause in TURNS_ON and not broken else ()
