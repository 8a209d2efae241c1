"""What risk buys: right and wrong answers of a world at several risks, and how far its confidence holds.

Goes in: a world and recorded calls (`environments.fidelity`). Comes out: counts by risk, and per tool how many answers were
right beside how many the confidence promised. Not here: which risk an app has (`synth.worlds.WorldSettings`), trust in the answers of
behaviours, which is learnt from these counts (`trust`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from environments.fidelity import EQUIVALENT, Fidelity, JudgedCall
from environments.runtime.task.attempt import Json
from environments.runtime.world.world import World

RISKS: Final = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05)
"""The points of the frontier."""
BANDS: Final = (0.0, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
"""Where the bands of confidence begin; the last is above .999."""
RIGHT: Final = ("exact", EQUIVALENT)
SURE_OF_A_BEHAVIOUR: Final = (0.002, 2.0)
"""The share of wrong answers where a tool has shown none, over many apps, and the calls that this counts as."""

Replayed = Callable[[World], Fidelity]


def frontier(world: World, asked: Replayed) -> dict[str, Json]:
    """The counts at every point of `RISKS` that this world can take, by the risk as text."""
    points = RISKS if world.recall is not None else RISKS[:1]
    return {f"{risk:g}": _counts(asked(world.at_risk(risk)).judged) for risk in points}


def reliability(judged: Iterable[JudgedCall]) -> dict[str, Json]:
    """Told answers by band of confidence, and by tool: how many, how many right, how many promised to be right."""
    bands: dict[str, list[JudgedCall]] = defaultdict(list)
    tools: dict[str, list[JudgedCall]] = defaultdict(list)
    for one in judged:
        if one.verdict in (*RIGHT, "wrong"):
            bands[f"{max(b for b in BANDS if b <= one.result.confidence):g}"].append(one)
            tools[one.tool].append(one)
    return {
        "by_confidence": {name: _calibration_of(bands[name]) for name in sorted(bands, key=float)},
        "by_tool": {name: _calibration_of(tools[name]) for name in sorted(tools)},
    }


def trust(judged: Iterable[JudgedCall]) -> list[Json]:
    """How sure the answers of behaviours are, by tool and source: `[tool, source, share that is right]`."""
    told: Counter[tuple[str, str]] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    for one in judged:
        if one.verdict in (*RIGHT, "wrong") and one.result.confidence == 1.0:
            told[one.tool, one.result.source] += 1
            wrong[one.tool, one.result.source] += one.verdict == "wrong"
    usual, calls = SURE_OF_A_BEHAVIOUR
    return [
        [*key, round(1 - (wrong[key] + usual * calls) / (told[key] + calls), 6)]
        for key in sorted(told)
    ]


def _counts(judged: Iterable[JudgedCall]) -> dict[str, Json]:
    counts = Counter(one.verdict for one in judged)
    right = sum(counts[name] for name in RIGHT)
    return {"right": right, "wrong": counts["wrong"], "unknown": counts["unknown"]}


def _calibration_of(told: Iterable[JudgedCall]) -> dict[str, Json]:
    told = list(told)
    return {
        "told": len(told),
        "right": sum(one.verdict in RIGHT for one in told),
        "promised": round(sum(one.result.confidence for one in told), 3),
    }


def points(
    counts: Mapping[str, Mapping[str, int]], chosen: float | None
) -> list[tuple[str, int, int, str, int, str]]:
    """Rows of the frontier for people: risk, right, wrong, wrong of what is told, unknown, and which one the app has."""
    rows = []
    for name, found in sorted(counts.items(), key=lambda point: float(point[0])):
        told = found["right"] + found["wrong"]
        share = f"{found['wrong'] / told:.2%}" if told else "-"
        mark = "chosen" if float(name) == chosen else ""
        rows.append(
            (f"{float(name):.1%}", found["right"], found["wrong"], share, found["unknown"], mark)
        )
    return rows
