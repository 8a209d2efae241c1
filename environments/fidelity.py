"""Fidelity: how truly a world answers held-out calls. Replays recorded calls and compares.

Goes in: a world and recorded calls per episode. Comes out: counts of exact, equivalent, wrong, unknown and simulated
answers, per tool, per source, reads and writes apart, with the tape's beside them for comparison, and what ends in `unknown`. The session follows its own
state, never the recording. Not here: learning, grading, reading files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from environments.runtime.sessions.recorded_session import PATH
from environments.runtime.sessions.simulated_session import SimulatedWorld
from environments.runtime.task.attempt import SIMULATED, UNKNOWN, Json, ToolResult
from environments.runtime.values.grouping import by_key
from environments.runtime.values.literals import parse_arguments, parse_json
from environments.runtime.values.normal import same_json, stable, unwrap
from environments.runtime.views.clock_and_ids import ANY, BY_FORMAT, places_of
from environments.runtime.views.record_literals import from_literal
from environments.runtime.views.view import CallInFlight
from environments.runtime.world.versions import version_at
from environments.runtime.world.world import World
from environments.told_again import Neighbours
from environments.unsettled_calls import reason_of, shape_of

EQUIVALENT: Final = "equivalent"
"""Right but for times, random ids and what says nothing of an answer, which are told by format; never where the recordings tell such a value again."""
VERDICTS: Final = ("exact", EQUIVALENT, "wrong", "unknown", "simulated")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call with what really came back."""

    name: str
    arguments: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEpisode:
    """The recorded calls of one episode, in order."""

    episode_id: str
    calls: Sequence[RecordedCall]
    caller: str | None = None
    start: Mapping[str, Any] = field(default_factory=dict)
    """The state at its start, as `World.session` takes it."""
    started_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCall:
    """One replayed call with its verdict."""

    episode_id: str
    position: int
    call: RecordedCall
    result: ToolResult
    verdict: str
    """One of `VERDICTS`."""
    tool: str
    """What was called: the part, of a tool that is several."""
    asked: str
    """Its arguments as text: the part's own."""
    simulated: str | None = None
    """How a simulated answer compares with the truth: `exact`, `wrong`; None where nothing was simulated."""
    taped: str | None = None
    """`exact` or `wrong` for the tape's answer; None where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """All replayed calls and their counts."""

    judged: tuple[JudgedCall, ...]
    writers: frozenset[str]

    def restricted_to(self, episodes: Container[str]) -> Fidelity:
        """The calls of some episodes only."""
        chosen = tuple(j for j in self.judged if j.episode_id in episodes)
        return Fidelity(judged=chosen, writers=self.writers)

    def to_json(self) -> dict[str, Json]:
        """The counts in the shape of `tracegym backtest`."""
        out: dict[str, Json] = {"calls": len(self.judged), **_counts(self.judged)}
        out["by_tool"] = {name: _tool(group) for name, group in _groups(self.judged, _name)}
        out["by_source"] = {
            name: {"calls": len(g), **_counts(g)}
            for name, g in _groups(self.judged, (lambda j: j.result.source))
        }
        writes = [j for j in self.judged if j.tool in self.writers]
        reads = [j for j in self.judged if j.tool not in self.writers]
        out["writes"] = {"calls": len(writes), **_counts(writes)}
        out["reads"] = {"calls": len(reads), **_counts(reads)}
        out["tape"] = _taped(self.judged)
        return out

    def simulation(self) -> dict[str, Json]:
        """What a simulating model's answers are worth, apart from everything that is known."""
        asked = [j for j in self.judged if j.simulated is not None]
        return {
            **_count_simulated(asked),
            "by_tool": {name: _count_simulated(group) for name, group in _groups(asked, _name)},
        }


def replay(
    world: World | SimulatedWorld,
    episodes: Iterable[RecordedEpisode],
    *,
    tape: Mapping[tuple[str, str], str] | None = None,
    envelopes: Mapping[str, Mapping[str, Json]] | None = None,
) -> Fidelity:
    """Replay recorded calls, each episode in a session of its own, and judge every answer."""
    judged: list[JudgedCall] = []
    recorded: list[list[_AnsweredCall]] = []
    known = world.world if isinstance(world, SimulatedWorld) else world
    for episode in episodes:
        session = world.session(episode.start, started_at=episode.started_at, caller=episode.caller)
        caller = episode.caller or ""
        envelope = (envelopes or {}).get(caller) or known.envelopes.get(caller)
        to_new: dict[str, str] = {}
        recorded.append([])
        for position, call in enumerate(episode.calls):
            truth = unwrap(call.content, envelope)
            result = session.call(call.name, _renamed(call.arguments, to_new))
            tool, own = _meant_call(known, call)
            asked = CallInFlight(tool, "", version_at(known.versions, tool, episode.started_at))
            by_format = _by_format(known, asked, result, truth, to_new)
            answer = (tape or {}).get((call.name, tape_key(call.arguments)))
            same = answer is not None and equal(unwrap(answer, envelope), truth)
            given = parse_arguments(own) or {}
            recorded[-1].append(_AnsweredCall(tool, given, truth, len(recorded), position))
            judged.append(
                JudgedCall(
                    episode_id=episode.episode_id,
                    position=position,
                    call=call,
                    result=result,
                    tool=tool,
                    asked=own,
                    verdict=EQUIVALENT if by_format else judge(result, truth),
                    simulated=_worth(result, truth),
                    taped=None if answer is None else "exact" if same else "wrong",
                )
            )
    judged = _without_kept(known, judged, recorded)
    writers = frozenset(n for n, t in known.tools.items() if t.part.kind in {"write", "unknown"})
    return Fidelity(judged=tuple(judged), writers=writers)


@dataclass(frozen=True, slots=True)
class _AnsweredCall:
    """A recorded call as its tool takes and gives it."""

    tool: str
    arguments: Mapping[str, Json]
    content: str
    episode: int
    position: int


def _without_kept(
    world: World, judged: Sequence[JudgedCall], recorded: Sequence[Sequence[_AnsweredCall]]
) -> list[JudgedCall]:
    """The verdicts, but that an answer is wrong which tells another value where the recordings hold state after all."""
    neighbours = Neighbours(recorded)
    calls = [told for episode in recorded for told in episode]
    wrong: set[int] = set()
    for tool, place in _without_format(world):
        mine = [
            (at, there[place])
            for at, (one, told) in enumerate(zip(judged, calls, strict=True))
            if one.verdict == EQUIVALENT and tool in {told.tool, ANY}
            if place in (there := places_of(told.content))
        ]
        if neighbours.hold_state([(calls[at], value) for at, value in mine]):
            wrong.update(
                at
                for at, value in mine
                if not same_json(places_of(judged[at].result.content).get(place), value)
            )
    return [replace(j, verdict="wrong") if at in wrong else j for at, j in enumerate(judged)]


def _without_format(world: World) -> list[tuple[str, str]]:
    """The places that are told though no format says what may stand there, with their tools."""
    fresh = world.document.views.fresh
    marks = fresh.marks.values() if fresh is not None else ()
    return [(m.tool, m.place) for m in marks if m.form.kind in {"number", "any"}]


def _renamed(arguments: str, to_new: Mapping[str, str]) -> str:
    """Arguments with the ids that the recording made replaced by those that the world made."""
    for old, new in to_new.items():
        arguments = arguments.replace(old, new)
    return arguments


def _by_format(
    world: World, asked: CallInFlight, result: ToolResult, truth: str, to_new: dict[str, str]
) -> bool:
    """Whether an answer is right but for times and ids told by format; notes which new value stands for which recorded."""
    if BY_FORMAT not in result.evidence and result.evidence != PATH:
        return False
    (said, new), (was, old) = (_strip_result(world, asked, c) for c in (result.content, truth))
    for mark in new.keys() & old.keys():
        to_new[str(old[mark])] = str(new[mark])
    return equal(said, _renamed(was, to_new))


def _strip_result(world: World, asked: CallInFlight, content: str) -> tuple[str, dict[str, Json]]:
    """A result without what says nothing, and the values that every session draws anew."""
    drawn: dict[str, Json] = {}
    for view in world.views:
        content = view.strip_result(asked, content, drawn)
    return content, drawn


def judge(result: ToolResult, truth: str) -> str:
    """The verdict on one answer."""
    if result.source == UNKNOWN:
        return "unknown"
    if equal(result.content, truth):
        return "exact" if result.source != SIMULATED else "simulated"
    return "simulated" if result.source == SIMULATED else "wrong"


def _worth(result: ToolResult, truth: str) -> str | None:
    if result.source != SIMULATED:
        return None
    return "exact" if equal(result.content, truth) else "wrong"


def equal(left: str, right: str) -> bool:
    """Equal as values where both are JSON or as Python writes its values, such texts inside of them too, else as text."""
    if left == right:
        return True
    one, other = parse_json(from_literal(left)), parse_json(from_literal(right))
    return one is not None and other is not None and _means_same(one.value, other.value)


def _means_same(left: Json, right: Json) -> bool:
    """`same_json`, for the texts of an envelope (`{"text": "{…}"}`) too: whatever stands around a value, it is the same value."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(
            _means_same(v, right[k]) for k, v in left.items()
        )
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_means_same, left, right))
    if isinstance(left, str) and isinstance(right, str) and {left[:1], right[:1]} <= {"{", "["}:
        return equal(left, right)
    return same_json(left, right)


def tape_key(arguments: str) -> str:
    """The arguments as the tape compares them: equal JSON is equal."""
    parsed = parse_arguments(arguments)
    return arguments if parsed is None else stable(parsed)


def record_tape(episodes: Iterable[RecordedEpisode]) -> dict[tuple[str, str], str]:
    """What fidelity is compared with: the first recorded answer to each tool and arguments."""
    tape: dict[tuple[str, str], str] = {}
    for episode in episodes:
        for call in episode.calls:
            tape.setdefault((call.name, tape_key(call.arguments)), call.content)
    return tape


def _counts(judged: Iterable[JudgedCall]) -> dict[str, Json]:
    counts = Counter(j.verdict for j in judged)
    return {name: counts[name] for name in VERDICTS}


def _groups(
    judged: Iterable[JudgedCall], key: Callable[[JudgedCall], str]
) -> list[tuple[str, list[JudgedCall]]]:
    groups = by_key((key(item), item) for item in judged)
    return sorted(groups.items())


def _meant_call(world: World, call: RecordedCall) -> tuple[str, str]:
    """The tool that a call means, and the arguments that this one takes."""
    parsed = parse_arguments(call.arguments) if world.dispatched else None
    if parsed is None:
        return call.name, call.arguments
    found = world.dispatched.meaning_of(call.name, parsed)
    return found.tool, json.dumps(dict(found.arguments), ensure_ascii=False)


def _tool(judged: Sequence[JudgedCall]) -> dict[str, Json]:
    """One tool: its counts, who answered, what a tape answers, and the calls that nobody could answer by shape and reason."""
    unknown = [j for j in judged if j.verdict == "unknown"]
    shapes = _groups(unknown, lambda j: shape_of(j.asked))
    return {
        "calls": len(judged),
        **_counts(judged),
        "sources": dict(sorted(Counter(j.result.source for j in judged).items())),
        "tape": _taped(judged),
        "unknowns": {
            shape: dict(sorted(Counter(reason_of(j.result.content) for j in group).items()))
            for shape, group in shapes
        },
    }


def _count_simulated(judged: Iterable[JudgedCall]) -> dict[str, Json]:
    counts = Counter(j.simulated for j in judged)
    return {"calls": counts.total(), "exact": counts["exact"], "wrong": counts["wrong"]}


def _taped(judged: Iterable[JudgedCall]) -> dict[str, Json]:
    counts = Counter(j.taped for j in judged)
    return {"exact": counts["exact"], "wrong": counts["wrong"]}


def _name(judged: JudgedCall) -> str:
    return judged.tool
