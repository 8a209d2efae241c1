"""Signals that an episode went badly, each with its steps and with where it comes from. None of them is the truth.

Reads one clean episode; gives signals. Only the outcome says that a user was not helped; everything here is evidence
for a suspicion. `lift` is how much a signal moves the log-odds of failure where it was measured on two domains with
known outcomes (docs/failures.md); signals that change sign between domains (hand-over, apology) count for nothing.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from environments.runtime.values.facts import facts_in
from environments.runtime.values.grouping import by_key
from ingest.records.columns import Int32
from redact.records.clean_episode import CleanEpisode
from synth.failures.calls import SeenCall
from synth.failures.compared import steps_unlike_resolved
from synth.failures.reading import Reading
from synth.failures.words import ASKS_FOR_HUMAN, CORRECTION, DONE, INABILITY, WITHDRAWS, stem
from synth.rubric.facts.told_facts import groundless_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One piece of evidence that an episode went badly."""

    name: str
    family: str
    """Signals of one family are not independent: `outcome`, or one of those in `_KINDS`."""
    provenance: str
    """Who says so: `outcome_policy`, `tool_result`, `call_sequence`, `user_words`, `agent_words`, `shape`."""
    steps: tuple[Int32, ...]
    """Indexes of the episode's steps that show it."""
    lift: float
    """What it adds to the log-odds of failure; 0 describes only."""
    says: str
    """One sentence, without any text of the conversation."""


class _Kind(NamedTuple):
    """What every signal of one name has."""

    family: str
    provenance: str
    lift: float
    says: str


_KINDS: Final[Mapping[str, _Kind]] = {
    "tool_error": _Kind(
        "tools", "tool_result", 0.6, "{calls} failed and that tool never succeeded afterwards."
    ),
    "tool_error_mended": _Kind(
        "tools", "tool_result", 0.2, "{calls} failed, but the same tool succeeded later."
    ),
    "unanswered_call": _Kind("tools", "shape", 0.2, "{calls} never got a result."),
    "loop": _Kind(
        "calls",
        "call_sequence",
        2.2,
        "The same call was made {times} times and got the same answer each time.",
    ),
    "repeated_call": _Kind(
        "calls", "call_sequence", 1.6, "The same call was made twice and got the same answer."
    ),
    "repeated_reply": _Kind(
        "calls", "agent_words", 0.8, "The agent said the same thing word for word more than once."
    ),
    "user_corrects": _Kind("user", "user_words", 0.3, "The user said that the agent got it wrong."),
    "user_rephrases": _Kind(
        "user", "user_words", 0.4, "The user said nearly the same thing again."
    ),
    "user_withdraws": _Kind("user", "user_words", 0.0, "The user no longer wanted it."),
    "unlike_resolved": _Kind(
        "compared",
        "call_sequence",
        3.0,
        "It changed something else than every resolved attempt at the same request, or left out what all of them changed.",
    ),
    "asked_for_human": _Kind("hand_over", "user_words", 0.3, "The user asked for a human."),
    "handed_over": _Kind(
        "hand_over",
        "call_sequence",
        0.0,
        "The agent handed the conversation over; that is often right.",
    ),
    "abandoned": _Kind(
        "ending", "shape", 0.4, "The agent asked something and the user never answered."
    ),
    "left_unanswered": _Kind(
        "ending", "shape", 0.4, "The user asked something and nobody answered."
    ),
    "cut_off": _Kind("ending", "shape", 0.4, "The run stops after a tool result, without a word."),
    "truncated": _Kind("ending", "shape", 0.4, "The recording says that it was cut."),
    "agent_declines": _Kind(
        "claims",
        "agent_words",
        0.0,
        "The agent said that it could not or may not; that is often right.",
    ),
    "unbacked_claim": _Kind(
        "claims",
        "agent_words",
        1.0,
        "The agent said that something was done, but no call of a tool for it had succeeded.",
    ),
    "told_without_ground": _Kind(
        "claims",
        "agent_words",
        0.0,
        "The agent told a figure, date, id or address that nothing had shown.",
    ),
}


def _signal(name: str, steps: Iterable[int], **counts: object) -> Iterator[Signal]:
    """The signal of this name, where steps show it."""
    found, kind = tuple(steps), _KINDS[name]
    if found:
        yield Signal(
            name=name,
            family=kind.family,
            provenance=kind.provenance,
            steps=found,
            lift=kind.lift,
            says=kind.says.format(**counts),
        )


def signals_of(reading: Reading) -> tuple[Signal, ...]:
    """Every signal that the episode shows, in a fixed order."""
    return tuple(signal for find in _FINDERS for signal in find(reading))


def _tool_errors(reading: Reading) -> Iterator[Signal]:
    last: dict[str, SeenCall] = {call.name: call for call in reading.calls if call.result_step}
    failed = [call for call in reading.calls if call.error is not None]
    open_errors = [call for call in failed if last[call.name].error is not None]
    mended = [call for call in failed if last[call.name].error is None]
    yield from _signal("tool_error", _steps(open_errors), calls=_times(len(open_errors), "call"))
    yield from _signal("tool_error_mended", _steps(mended), calls=_times(len(mended), "call"))


def _unanswered_calls(reading: Reading) -> Iterator[Signal]:
    final = len(reading.episode.steps) - 1
    lost = [call for call in reading.calls if call.result_step is None and call.step != final]
    if lost and len(lost) < len(reading.calls):
        yield from _signal("unanswered_call", _steps(lost), calls=_times(len(lost), "call"))


def repeats(reading: Reading) -> list[list[SeenCall]]:
    """Equal calls with equal answers, two or more, between which nothing else was changed: after a change one may look again."""
    groups: defaultdict[tuple[int, str, str, str | None], list[SeenCall]] = defaultdict(list)
    changes: list[tuple[str, str]] = []
    for call in reading.calls:
        made = (call.name, call.arguments)
        others = sum(one != made for one in changes)
        groups[others, *made, call.says].append(call)
        answered = call.result_step is not None and call.error is None
        if answered and reading.tools[call.name].changes:
            changes.append(made)
    return [group for group in groups.values() if len(group) > 1]


def _repeats(reading: Reading) -> Iterator[Signal]:
    groups = repeats(reading)
    repeated = [call for group in groups for call in group]
    most = max(map(len, groups), default=0)
    if most >= 3:
        yield from _signal("loop", _steps(repeated), times=most)
    elif repeated:
        yield from _signal("repeated_call", _steps(repeated))


def _repeated_replies(reading: Reading) -> Iterator[Signal]:
    places = by_key(
        (" ".join(step.content.split()), index)
        for index, step in enumerate(reading.episode.steps)
        if step.role == "assistant" and step.content and len(step.content) >= 60
    )
    steps = sorted(i for found in places.values() if len(found) > 1 for i in found)
    yield from _signal("repeated_reply", steps)


def _corrections(reading: Reading) -> Iterator[Signal]:
    steps = _steps_that_say(reading.episode, "user", CORRECTION.search)
    yield from _signal("user_corrects", steps)


def _rephrasings(reading: Reading) -> Iterator[Signal]:
    turns = [
        (index, frozenset(step.content.lower().split()))
        for index, step in enumerate(reading.episode.steps)
        if step.role == "user" and step.content
    ]
    steps = tuple(
        after[0]
        for before, after in itertools.pairwise(turns)
        if _has_same_words(before[1], after[1])
    )
    yield from _signal("user_rephrases", steps)


def _withdrawals(reading: Reading) -> Iterator[Signal]:
    """The last that the user says is that they no longer want it."""
    said = _steps_that_say(reading.episode, "user", bool)
    steps = _steps_that_say(reading.episode, "user", WITHDRAWS.search)
    last = tuple(step for step in steps if step in said[1:][-2:])
    yield from _signal("user_withdraws", last)


def _unlike_resolved(reading: Reading) -> Iterator[Signal]:
    """What resolved attempts at the same request did is missing, or something else was changed."""
    yield from _signal("unlike_resolved", steps_unlike_resolved(reading))


def _has_same_words(before: frozenset[str], after: frozenset[str]) -> bool:
    if min(len(before), len(after)) < 5:
        return False
    return len(before & after) / len(before | after) >= 0.6


def _hand_over(reading: Reading) -> Iterator[Signal]:
    asked = _steps_that_say(reading.episode, "user", ASKS_FOR_HUMAN.search)
    yield from _signal("asked_for_human", asked)
    handed = [c for c in reading.calls if reading.tools[c.name].hands_over and c.error is None]
    yield from _signal("handed_over", _steps(handed))


def _endings(reading: Reading) -> Iterator[Signal]:
    steps = reading.episode.steps
    spoken = [i for i, s in enumerate(steps) if s.role in {"user", "assistant"} and s.content]
    if not spoken:
        return
    last = steps[spoken[-1]]
    asks = (last.content or "").rstrip().endswith("?")
    handed = any(reading.tools[call.name].hands_over for call in reading.calls)
    if last.role == "assistant" and asks and not handed:
        yield from _signal("abandoned", spoken[-1:])
    elif last.role == "user" and asks and not handed:
        yield from _signal("left_unanswered", spoken[-1:])
    elif steps[-1].role == "tool" and steps[-1].content and not handed:
        yield from _signal("cut_off", [len(steps) - 1])
    if "truncated" in reading.episode.completeness:
        yield from _signal("truncated", [len(steps) - 1])


def _refusals(reading: Reading) -> Iterator[Signal]:
    steps = _steps_that_say(reading.episode, "assistant", INABILITY.search)
    yield from _signal("agent_declines", steps)


def _unbacked_claims(reading: Reading) -> Iterator[Signal]:
    """A claim counts only when a tool for that very verb exists and none of its calls succeeded before."""
    verbs: defaultdict[str, set[str]] = defaultdict(set)
    for tool in reading.tools.values():
        if tool.changes and tool.words:
            verbs[stem(tool.words[0])].add(tool.name)
            verbs[stem(tool.words[-1])].add(tool.name)
    steps = tuple(
        index
        for index, step in enumerate(reading.episode.steps)
        if step.role == "assistant"
        and not step.tool_calls
        and step.content
        and _claims_without(step.content, index, verbs, reading.calls)
    )
    yield from _signal("unbacked_claim", steps)


def _claims_without(
    text: str, index: int, verbs: Mapping[str, set[str]], calls: tuple[SeenCall, ...]
) -> bool:
    claimed = {stem(found.group(1) or found.group(2)) for found in DONE.finditer(text[:4000])}
    able = [verbs[verb] for verb in claimed if verb in verbs]
    if not able or len(able) < len(claimed):
        return False
    done = {
        c.name for c in calls if c.step < index and c.result_step is not None and c.error is None
    }
    return all(not tools & done for tools in able)


def _told_without_ground(reading: Reading) -> Iterator[Signal]:
    """A figure, date, id or address that no tool, user, prompt or definition showed, and no arithmetic gives."""
    changing = frozenset(tool.name for tool in reading.tools.values() if tool.changes)
    found = groundless_of(reading.episode, changing)
    steps = tuple(
        index
        for index, step in enumerate(reading.episode.steps)
        if step.role == "assistant" and found.intersection(facts_in(step.content or ""))
    )
    yield from _signal("told_without_ground", steps)


def _steps_that_say(
    episode: CleanEpisode, role: str, matches: Callable[[str], object]
) -> tuple[int, ...]:
    return tuple(
        index
        for index, step in enumerate(episode.steps)
        if step.role == role and step.content and matches(step.content[:4000])
    )


def _steps(calls: list[SeenCall]) -> tuple[int, ...]:
    return tuple(
        sorted({call.result_step if call.result_step is not None else call.step for call in calls})
    )


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


_FINDERS: Final[tuple[Callable[[Reading], Iterator[Signal]], ...]] = (
    _tool_errors,
    _unanswered_calls,
    _repeats,
    _repeated_replies,
    _corrections,
    _rephrasings,
    _withdrawals,
    _hand_over,
    _endings,
    _refusals,
    _unbacked_claims,
    _told_without_ground,
    _unlike_resolved,
)
