"""Drift: a living support desk with a change planted in the middle of the season, and without one.

Planted, one at a time: a field of a result gets another name, a call gets one more required argument, a tool refuses what it did before.
What was found, how far from the planted moment, and false alarms (a tool that did not change, or another moment). What changed is chosen by
position in the season, so nothing here knows the tools' names.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks.figures import Figure, Row
from benchmarks.testbeds.chat_logs import read_episodes
from benchmarks.testbeds.desk.conversations import desk_season
from examples.support_desk import season as desk
from examples.support_desk.backend.desk import Answer, Desk
from examples.support_desk.variant import Json
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.world.observation import paired_calls
from synth.worlds import WorldSettings, learn_world

NANO: Final = 1_000_000_000
LIMIT_SHARE: Final = 0.5
"""The planted limit refuses the upper half of what was done before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """A season with at most one change."""

    plant: str
    tool: str
    at: int
    """The first moment of the change, ns; 0 where nothing was planted."""
    episodes: Sequence[CleanEpisode]


def plain(count: int, variant: int) -> Season:
    """Nothing changes."""
    return Season(
        plant="nothing", tool="", at=0, episodes=desk_season(count, variant, mode="living")
    )


def renamed_field(count: int, variant: int) -> Season:
    """In the middle of the season the tool that is called most shows one of its fields under another name."""
    episodes = desk_season(count, variant, mode="living")
    tool, at = _busiest(episodes, objects=True), _middle(episodes)
    field = _last_field(episodes, tool)

    def change(step: CleanStep, name: str) -> CleanStep:
        record = json.loads(step.content or "null") if name == tool else None
        if not isinstance(record, dict) or field not in record:
            return step
        shown = {(f"{k}_v2" if k == field else k): v for k, v in record.items()}
        return replace(step, content=json.dumps(shown))

    done = [_with_results(e, change) if e.started_at >= at else e for e in episodes]
    return Season(plant="renamed field", tool=tool, at=at, episodes=done)


def added_argument(count: int, variant: int) -> Season:
    """From the middle of the season on every call of one tool carries a new argument, as its definition asks."""
    episodes = desk_season(count, variant, mode="living")
    tool, at = _busiest(episodes, objects=False), _middle(episodes)
    done = [_with_argument(e, tool) if e.started_at >= at else e for e in episodes]
    return Season(plant="added argument", tool=tool, at=at, episodes=done)


def new_refusal(count: int, variant: int) -> Season:
    """From the middle of the season on one write refuses calls about records above a limit."""
    episodes = desk_season(count, variant, mode="living")
    at = _middle(episodes)
    tool, field, limit = _limit(episodes)
    with patch.object(desk, "Desk", _refusing(tool, field, limit, at)):
        return Season(
            plant="new refusal",
            tool=tool,
            at=at,
            episodes=desk_season(count, variant, mode="living"),
        )


PLANTS: Final[tuple[Callable[[int, int], Season], ...]] = (
    plain,
    renamed_field,
    added_argument,
    new_refusal,
)


def measure(season: Season) -> dict[str, Figure]:
    """What was found in one season."""
    document = learn_world(season.episodes, WorldSettings()).document.to_json()
    found = document.get("versions", {})
    mine = [v for v in found.get(season.tool, ()) if season.at]
    near = _nearest(season, [v["until"] for v in mine])
    return {
        "episodes": len(season.episodes),
        "found": len(mine),
        "calls off": near,
        "false alarms": sum(len(v) for name, v in found.items() if name != season.tool)
        + max(0, len(mine) - 1),
    }


def _nearest(season: Season, moments: Sequence[int]) -> int | None:
    """How many calls of the tool lie between the planted moment and the nearest one found."""
    times = sorted(
        at or e.started_at
        for e in season.episodes
        for call, _, _, at, _ in paired_calls(e)
        if call.name == season.tool
    )
    return min(
        (sum(min(m, season.at) <= t < max(m, season.at) for t in times) for m in moments),
        default=None,
    )


def _middle(episodes: Sequence[CleanEpisode]) -> int:
    return episodes[len(episodes) // 2].started_at


def _busiest(episodes: Sequence[CleanEpisode], *, objects: bool) -> str:
    """The tool with the most calls among those whose results are records (or, without `objects`, the next one)."""
    counts: Counter[str] = Counter()
    for episode in episodes:
        for call, content, _, _, _ in paired_calls(episode):
            counts[call.name] += content.startswith("{")
    ranked = [name for name, _ in counts.most_common()]
    return ranked[0] if objects else ranked[1]


def _last_field(episodes: Sequence[CleanEpisode], tool: str) -> str:
    for episode in episodes:
        for call, content, _, _, _ in paired_calls(episode):
            if call.name == tool and content.startswith("{"):
                return str(list(json.loads(content))[-1])
    raise ValueError(f"{tool} shows no record")


def _with_results(
    episode: CleanEpisode, change: Callable[[CleanStep, str], CleanStep]
) -> CleanEpisode:
    names = {c.call_id: c.name for s in episode.steps for c in s.tool_calls}
    steps = [
        change(s, names.get(s.call_id or "", ""))
        if s.role == "tool" and (s.content or "").startswith("{")
        else s
        for s in episode.steps
    ]
    return replace(episode, steps=tuple(steps))


def _with_argument(episode: CleanEpisode, tool: str) -> CleanEpisode:
    steps = [
        replace(
            step,
            tool_calls=tuple(
                replace(c, arguments=json.dumps({**json.loads(c.arguments), "channel": "chat"}))
                if c.name == tool
                else c
                for c in step.tool_calls
            ),
        )
        for step in episode.steps
    ]
    tools = [_defined(text, tool) for text in episode.tools]
    return replace(episode, steps=tuple(steps), tools=tuple(tools))


def _defined(text: str, tool: str) -> str:
    definition = json.loads(text)
    if definition["function"]["name"] == tool:
        parameters = definition["function"]["parameters"]
        parameters["properties"]["channel"] = {"type": "string"}
        parameters["required"] = [*parameters.get("required", []), "channel"]
    return json.dumps(definition, sort_keys=True)


def _limit(episodes: Sequence[CleanEpisode]) -> tuple[str, str, float]:
    """The most used tool that is called about a record seen before, one of the record's numbers, and its median."""
    numbers: dict[tuple[str, str], list[float]] = {}
    for episode in episodes:
        shown: dict[str, dict[str, Any]] = {}
        for call, content, is_error, _, _ in paired_calls(episode):
            given = json.loads(call.arguments)
            if not is_error and len(given) > 1:
                for record in (
                    shown[v] for v in given.values() if isinstance(v, str) and v in shown
                ):
                    for name, value in record.items():
                        if isinstance(value, float):
                            numbers.setdefault((call.name, name), []).append(value)
            record = json.loads(content) if content.startswith("{") else {}
            if len(given) == 1:
                shown.update({v: record for v in record.values() if isinstance(v, str)})
    (tool, field), values = max(numbers.items(), key=lambda item: (len(item[1]), item[0]))
    return tool, field, sorted(values)[int(len(values) * LIMIT_SHARE)]


def _refusing(tool: str, field: str, limit: float, at: int) -> type[Desk]:
    """A desk whose tool refuses above the limit from a moment on."""

    class Refusing(Desk):
        def call(self, name: str, arguments: str | Mapping[str, Json]) -> Answer:
            if name != tool or self.now().timestamp() * NANO < at:
                return super().call(name, arguments)
            given = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
            for value in self._looks(given):
                if float(value.get(field, 0)) > limit:
                    return Answer(content="Error: above the limit", is_error=True)
            return super().call(name, arguments)

        def _looks(self, given: dict[str, Any]) -> Iterator[dict[str, Any]]:
            for shown in self.variant.tools.values():
                for name, value in given.items():
                    answer = super().call(shown, {name: value})
                    if not answer.is_error and answer.content.startswith("{"):
                        yield json.loads(answer.content)

    return Refusing


def options(parser: argparse.ArgumentParser) -> None:
    """Which seasons."""
    parser.add_argument("--conversations", type=int, default=900)
    parser.add_argument("--variants", default="0,1,2,3")
    parser.add_argument("--real", type=Path, help="chat logs in which nothing is planted")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each season and what was planted in it."""
    for path in sorted(options.real.glob("*.jsonl")) if options.real else ():
        season = Season(plant="nothing", tool="", at=0, episodes=read_episodes(path))
        yield Row(case=path.name, figures=measure(season))
    for variant in map(int, options.variants.split(",")):
        for plant in PLANTS:
            season = plant(options.conversations, variant)
            yield Row(case=f"desk {variant}, {season.plant}", figures=measure(season))
