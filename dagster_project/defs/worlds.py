"""`worlds`: the tools' backend of each app, rebuilt from its recorded calls."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import dagster as dg

from dagster_project.build.budgets import Meter, meter_of
from dagster_project.build.figures import FigureBasis, forget, keep, stands
from dagster_project.build.left_out import SkippedUnit, Skips, collect_skips, next_part, skipped_of
from dagster_project.build.left_out_rows import BUDGET
from dagster_project.build.progress import tell
from dagster_project.clean_records import clean_episodes_of
from dagster_project.defs.asset import every_part_of, lake_asset
from dagster_project.defs.partitions import APPS
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult, Checked, asset_result
from dagster_project.defs.show import bars, rows_of
from dagster_project.engine.interface import Load
from dagster_project.lake.clean_files import publish
from dagster_project.lake.documents import Document, to_rows
from dagster_project.lake.freshness import (
    Key,
    Work,
    clear,
    digests,
    file_digest,
    leave,
    made_of,
    store,
    was_tried,
    work,
)
from dagster_project.lake.learnt_tables import WORLDS
from dagster_project.lake.store import Lake
from dagster_project.report.worlds import version_rows
from dagster_project.storage.whole_files import write_whole
from dagster_project.worlds.fallback_worlds import learn_with_fallback
from dagster_project.worlds.held_out import measure
from dagster_project.worlds.stored_worlds import (
    StoredWorld,
    measured_document,
    stored_document,
    world_document,
    world_of,
)
from environments.fidelity import VERDICTS
from environments.unsettled_calls import unsettled_calls
from redact.records.clean_episode import CleanEpisode
from synth.world_settings import load_world_settings
from synth.worlds import WorldSettings

ASSET = "worlds"
"""The asset's name in stamps and notes."""
WRONG_LIMIT: Final = 0.01
"""A wrong answer given as true is the worst fault; the check fails above this share of held-out calls."""

MEASURING: Final = "held-out calls"
"""The unit of work that says how truly a world answers."""
MOST_UNSETTLED: Final = 30
"""Kinds of unknown calls listed for each app."""


@lake_asset(
    APPS,
    group="synth",
    deps=[every_part_of("clean_episodes")],
    says="What each tool does, learnt from recorded calls and measured on calls that were left out.",
    checks={
        "wrong_answers": "The world rarely gives a wrong answer to a call that was left out.",
    },
)
def worlds(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Learn the worlds of the apps whose clean episodes changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(clean, context.partition_keys))
    meter = meter_of(ASSET, clean.limits)
    for app in todo.apps():
        skips = Skips(ASSET, app)
        if meter.is_late:
            skips.leave("app", "", BUDGET)
            leave(lake, todo, [(app, "")])
            skips.keep(lake)
            continue
        known = _learnt_before(lake, app) if was_tried(lake, todo, (app, "")) else None
        with skips.unit("app") as learning:
            settings = load_world_settings(clean.world_settings, app, risk=clean.risk)
            measured = _measured_before(clean, app)
            document = _learn(
                clean, app, settings, skips, meter=meter, known=known, measured=measured
            )
            content: Any = document.content
            store(lake, WORLDS, to_rows([document]), todo, keys=[(app, "")], again=bool(skips))
            if skips:
                forget(lake, app, MEASURING)
            elif measured is None:
                keep(lake, app, MEASURING, of=_made_from(clean, app), said=_said_digest(clean))
            _for_people(clean, app, content["document"])
        if learning.failed:
            clear(lake, WORLDS, todo, [(app, "")])
            (clean.folder / "worlds" / f"{app}.json").unlink(missing_ok=True)
            publish(clean.folder, f"worlds/{app}.json")
        skips.keep(lake)
        tell(ASSET, 2, 2, app)
    return _result(lake, todo)


def _learnt_before(lake: Lake, app: str) -> StoredWorld | None:
    """The world that was learnt of the same, where a budget left only the measuring of it."""
    notes = skipped_of(lake, [app], stages=[ASSET])
    measuring = [one.error == BUDGET and one.kind == MEASURING for one in notes]
    return world_of(lake, app) if measuring and all(measuring) else None


def _measured_before(clean: CleanSide, app: str) -> Mapping[str, Any] | None:
    """What held-out calls said of an earlier world of the app, where that stands."""
    world = world_of(clean.lake, app) if _measured_basis(clean, app) is not None else None
    return None if world is None else world.fidelity


def _learn(  # noqa: PLR0913 - what a world is learnt from, and what may be taken
    clean: CleanSide,
    app: str,
    settings: WorldSettings,
    skips: Skips,
    *,
    meter: Meter,
    known: StoredWorld | None,
    measured: Mapping[str, Any] | None,
) -> Document:
    """The world of an app as a row of the lake; the one that is measured is learnt beside it, unless what was `measured` stands."""
    episodes = teachers(clean_episodes_of(clean.lake, app))
    shared = _Learning(app, episodes, settings)
    load = Load(stage=ASSET, conversations=len(episodes))
    parts = [*([_KEPT] if known is None else []), *([_MEASURED] if measured is None else [])]
    made = clean.maps.map_items(_learn_part, parts, shared=shared, load=load)  # in their order
    tell(ASSET, 0, 2, f"{app}: learning from {len(episodes)} episodes")
    document = next_part(made, skips) if known is None else stored_document(known)
    if measured is not None:
        return measured_document(document, measured)
    tell(ASSET, 1, 2, f"{app}: measuring on held-out calls")
    if meter.is_late:
        skips.leave(MEASURING, "", BUDGET)
        return document
    return measured_document(document, next_part(made, skips))


_MEASURED: Final = "measured"
_KEPT: Final = "kept"


@dataclass(frozen=True, slots=True)
class _Learning:
    """What both worlds of an app are learnt from."""

    app: str
    episodes: list[CleanEpisode]
    settings: WorldSettings


def _learn_part(shared: _Learning, which: str) -> tuple[Any, list[SkippedUnit]]:
    """What held-out calls say of a world learnt without them; or the world that is kept, as a row without that."""
    with collect_skips(ASSET, shared.app) as skips:
        learn = partial(learn_with_fallback, skips=skips)
        made: Any = {}
        if which == _MEASURED:
            with skips.unit(MEASURING):
                made = measure(shared.episodes, shared.settings, learn=learn)
        else:
            learnt = learn(shared.episodes, shared.settings)
            begun = partial(skips.unit, "start of an episode")
            made = world_document(shared.app, learnt, shared.episodes, {}, unit=begun)
    return made, skips.found


def teachers(episodes: Sequence[CleanEpisode]) -> list[CleanEpisode]:
    """Episodes whose users agreed that they are learnt from."""
    return [episode for episode in episodes if not episode.do_not_train]


def ingredients(clean: CleanSide, apps: Sequence[str]) -> dict[Key, str]:
    """What each world is made of now, and what held-out calls were asked of."""
    found: dict[Key, str] = {}
    for app in apps:
        whole = _made_from(clean, app)
        taken = _measured_basis(clean, app)
        found[app, ""] = made_of(whole, whole if taken is None else taken.of)
    return found


def _made_from(clean: CleanSide, app: str) -> str:
    return made_of(digests(clean.lake, "clean_episodes", app), _said_digest(clean))


def _measured_basis(clean: CleanSide, app: str) -> FigureBasis | None:
    """What the held-out calls of an earlier world were, where what they said stands."""
    return None if clean.fresh else stands(clean.lake, app, MEASURING, said=_said_digest(clean))


def _said_digest(clean: CleanSide) -> str:
    """What people say of worlds."""
    return made_of(file_digest(clean.world_settings), str(clean.risk))


def _for_people(clean: CleanSide, app: str, document: Mapping[str, Any]) -> None:
    """A copy of the world file that a person can open."""
    folder = clean.folder / "worlds"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{app}.json", json.dumps(document, indent=1, ensure_ascii=False))
    publish(clean.folder, f"worlds/{app}.json")


def _result(lake: Lake, todo: Work) -> AssetResult:
    apps = sorted(app for app, _ in todo.wanted)
    known = [world for app in apps if (world := world_of(lake, app)) is not None]
    calls = sum(_count(world, "calls") for world in known)
    return asset_result(
        lake,
        todo,
        lambda: {
            "worlds": len(known),
            "held_out_calls": calls,
            "fidelity": rows_of(
                ("app", "continuity", "of", "calls", *VERDICTS, "tape exact", "tape wrong"),
                [row for world in known for row in _parts(world)],
            ),
            "tools": rows_of(
                ("app", "tool", "kind", "recorded", "held out", *VERDICTS, "tape exact", "says"),
                [row for world in known for row in _tools(world)],
            ),
            "changed_tools": rows_of(
                ("app", "tool", "version", "since", "calls before", "what changed"),
                [
                    (world.app, row.tool, row.version, row.since, row.calls_before, change)
                    for world in known
                    for row in version_rows(world.document)
                    for change in row.changes
                ],
            ),
            "unknown_calls": rows_of(
                ("app", "tool", "call", "why", "count", "what would settle it"),
                [
                    (world.app, *row)
                    for world in known
                    for row in unsettled_calls(world.fidelity.get("by_tool", {}))[:MOST_UNSETTLED]
                ],
            ),
            "picture": bars(
                "held-out calls", {v: sum(_count(world, v) for world in known) for v in VERDICTS}
            ),
        },
        {"wrong_answers": lambda: wrong_answers(known)},
    )


def wrong_answers(known: Sequence[StoredWorld]) -> Checked:
    """The check on wrong answers: a small app's must not hide behind a large one's calls."""
    over = [w for w in known if _count(w, "wrong") > _limit(w) * _count(w, "calls")]
    return Checked(
        failing={world.app: _says_wrong(world) for world in over},
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "held_out_calls": sum(_count(world, "calls") for world in known),
            "wrong": sum(_count(world, "wrong") for world in known),
            "limit": WRONG_LIMIT,
            "apps_over_the_limit": [world.app for world in over],
        },
    )


def _says_wrong(world: StoredWorld) -> str:
    wrong, calls = _count(world, "wrong"), _count(world, "calls")
    return (
        f"{wrong} of {calls} held-out calls answered wrongly, {100 * wrong / calls:.1f} %, limit {100 * _limit(world):g} %; "
        'tracegym backtest says which tools; build with a lower --risk, or name them in worlds.toml (policy = "strict")'
    )


def _limit(world: StoredWorld) -> float:
    """The share of wrong answers that is too much: twice the risk that somebody chose, where that is more."""
    return max(WRONG_LIMIT, 2 * world.risk)


def _parts(world: StoredWorld) -> list[tuple[str | int, ...]]:
    """Held-out calls: all, reads and writes apart, and those of tasks never seen."""
    parts = {"all": world.fidelity, "tasks never seen": world.fidelity.get("unseen_tasks", {})}
    parts |= {name: world.fidelity.get(name, {}) for name in ("reads", "writes")}
    return [
        (
            world.app,
            str(world.continuity.get("kind", "unknown")),
            name,
            *(int(part.get(counted, 0)) for counted in ("calls", *VERDICTS)),
            *(part.get("tape", {}).get(kind, "") for kind in ("exact", "wrong")),
        )
        for name, part in parts.items()
    ]


def _tools(world: StoredWorld) -> list[tuple[str | int, ...]]:
    by_tool = world.fidelity.get("by_tool", {})
    return [
        (
            world.app,
            tool.name,
            tool.kind,
            tool.support,
            *(int(found.get(name, 0)) for name in ("calls", *VERDICTS)),
            int(found.get("tape", {}).get("exact", 0)),
            tool.says,
        )
        for tool in world.tools
        for found in (by_tool.get(tool.name, {}),)
    ]


def _count(world: StoredWorld, verdict: str) -> int:
    return int(world.fidelity.get(verdict, 0))
