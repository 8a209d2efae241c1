"""`episodes`: one canonical episode per conversation or run, whichever dialect it came in."""

import logging
from collections.abc import Iterator
from functools import partial

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.arrival.assembly import Findings, collect_days
from dagster_project.arrival.files import ArrivalCounts, append_outcomes, keep_rejected
from dagster_project.arrival.staging import StagedEpisodes
from dagster_project.build.failed_checks import Failing
from dagster_project.build.left_out import Skips
from dagster_project.build.progress import tell
from dagster_project.defs.asset import lake_asset
from dagster_project.defs.partitions import APP_DAYS, app_days
from dagster_project.defs.resources import PrivateSide
from dagster_project.defs.result import AssetResult, Checked, asset_result
from dagster_project.fatal import is_fatal
from dagster_project.lake.digests import digest_of
from dagster_project.lake.freshness import (
    Key,
    Work,
    digest,
    leave,
    made_of,
    store_parts,
    work,
)
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, EPISODES, RESPONSES, Stamp
from environments.fault_places import log_fault
from ingest.records.episode import Episode

ASSET = "episodes"
_log = logging.getLogger(__name__)


@lake_asset(
    APP_DAYS,
    group="ingest",
    deps=["spans"],
    says="Canonical episodes: messages, tool calls, results, tools, subject, consent.",
    checks={
        "nothing_lost": "Every trace with a model call and every line of a chat log is part of an episode; what is not is counted.",
    },
)
def episodes(context: dg.AssetExecutionContext, private: PrivateSide) -> AssetResult:
    """Assemble the days that changed."""
    lake = private.lake
    todo = work(lake, ASSET, ingredients(lake, app_days(context.partition_keys)))
    spans = idle = refused = 0
    for app, days in todo.days().items():
        tell(ASSET, 0, len(days), app)
        for found in _assembled(lake, app, days, todo, private.clean_lake):
            spans += found.spans
            idle += found.spans_without_episode
            refused += len(found.rejected)
    rows = lake.stamps(ASSET)
    return asset_result(
        private.clean_lake,
        todo,
        lambda: {
            "episodes": sum(rows[key].rows for key in todo.wanted if key in rows),
            "spans": spans,
            "spans_without_episode": idle,
            "quarantined": refused,
        },
        {
            "nothing_lost": lambda: Checked(
                failing=_vanished(lake, todo),
                metadata={"spans": spans, "without_episode": idle, "quarantined": refused},
            )
        },
    )


def _assembled(
    lake: Lake, app: str, days: list[str], todo: Work, notes: Lake
) -> Iterator[Findings]:
    """All days at once, or one by one where that fails; a day that fails alone stays as it was."""
    skips = Skips(ASSET, app, days[0])
    try:
        yield assemble_into(lake, app, days, todo, skips)
    except Exception as fault:
        if is_fatal(fault):
            raise
        log_fault(_log, "days together failed, each is put together by itself", fault)
        skips = Skips(ASSET, app, days[0])
        for day in days:
            one = Skips(ASSET, app, day)
            with one.unit("day") as tried_day:
                yield assemble_into(lake, app, [day], todo, one)
            if tried_day.failed:
                leave(lake, todo, [(app, day)])
            skips.take(one)
    skips.keep(notes, days)


def ingredients(lake: Lake, asked: dict[str, list[str]]) -> dict[Key, str]:
    """What each partition is made of now."""
    arrived = lake.stamps("spans")
    return {
        (app, day): made_of(digest(arrived, (app, day)))
        for app, days in asked.items()
        for day in days
    }


def assemble_into(lake: Lake, app: str, days: list[str], todo: Work, skips: Skips) -> Findings:
    """Assemble days and store their episodes, and the outcomes and refusals found on the way."""

    def note_failure(_: Episode, fault: Exception) -> None:
        skips.note(fault, "episode")

    with StagedEpisodes(lake.folder.parent, note_failure) as staged:
        keeper = _Keeper(staged, skips)
        found = collect_days(lake, app, days, keeper, unit=partial(skips.unit, "episode"))
        staged.finish()
        keys = [(app, day) for day in days]
        store_parts(
            lake, EPISODES, lambda key: staged.rows(key[1]), todo, keys=keys, again=bool(skips)
        )
        for day in sorted(staged.days() - set(days)):
            _merge(lake, app, day, pa.concat_tables(staged.rows(day)))
        append_outcomes(lake, found.outcomes, staged.home)
        _keep_responses(lake, app, found.responses, staged.home)
    keep_rejected(lake, found.rejected, ArrivalCounts())
    return found


class _Keeper:
    """Staged episodes; what was left out is forgotten with them where everything is put together once more."""

    def __init__(self, staged: StagedEpisodes, skips: Skips) -> None:
        self.add = staged.add
        self._staged = staged
        self._skips = skips

    def clear(self) -> None:
        """Forget everything."""
        self._skips.found.clear()
        self._staged.clear()


def _keep_responses(lake: Lake, app: str, responses: dict[str, str], home: dict[str, str]) -> None:
    if not responses:
        return
    names = [name for name in responses if responses[name] in home]
    names.sort(key=lambda response: (home[responses[response]], response))
    days = [home[responses[name]] for name in names]
    columns = [[app] * len(names), days, names, [responses[name] for name in names]]
    table = pa.Table.from_arrays(
        [pa.array(c, pa.string()) for c in columns], schema=RESPONSES.schema
    )
    lake.replace(RESPONSES, table, {(app, day) for day in days})


def _vanished(lake: Lake, todo: Work) -> Failing:
    """The apps of which a day with lines of a chat log has no episode."""
    stamps = lake.stamps(ASSET)
    chats = lake.counts(CHATS)
    return {
        app: f"the chat logs of {day} gave no episode; please report it as a fault of tracegym"
        for app, day in sorted(todo.stale)
        if chats.get((app, day)) and (app, day) in stamps and stamps[app, day].rows < 1
    }


def _merge(lake: Lake, app: str, day: str, fresh: pa.Table) -> None:
    """Put episodes of an earlier day that went on into the days at hand back where they live."""
    after = fresh

    def edit(before: pa.Table) -> pa.Table:
        nonlocal after
        kept = before.filter(
            pc.invert(pc.is_in(before["episode_id"], fresh["episode_id"].combine_chunks()))
        )
        together = pa.concat_tables([kept, fresh])
        after = together.sort_by([("started_at", "ascending"), ("episode_id", "ascending")])
        return after

    lake.change(EPISODES, (app, day), edit)
    stamp = lake.stamps(ASSET).get((app, day))
    lake.stamp(
        ASSET,
        [
            Stamp(
                asset=ASSET,
                app=app,
                day=day,
                digest=digest_of(after),
                made_of=stamp.made_of if stamp else "",
                rows=after.num_rows,
            )
        ],
    )
