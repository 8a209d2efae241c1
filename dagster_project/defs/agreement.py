"""`agreement`: how far rubrics agree with outcomes that they have not seen."""

from collections.abc import Sequence
from functools import partial

import dagster as dg
import pyarrow as pa

from dagster_project.build.budgets import Meter, meter_of
from dagster_project.build.figures import forget, keep, stands
from dagster_project.build.left_out import Skips
from dagster_project.build.left_out_rows import BUDGET
from dagster_project.build.progress import tell
from dagster_project.clean_records import (
    clean_episodes_of,
    labels_of,
    references_said_of,
    said_corrections_of,
)
from dagster_project.defs.asset import lake_asset, make_each
from dagster_project.defs.partitions import APPS
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult, Checked, asset_result
from dagster_project.defs.show import rows_of
from dagster_project.defs.tasks import candidates_of
from dagster_project.lake.documents import Document, to_rows
from dagster_project.lake.freshness import (
    Key,
    Work,
    digests,
    file_digest,
    made_of,
    was_tried,
    work,
)
from dagster_project.lake.learnt_tables import AGREEMENT
from dagster_project.review.store import ASSET as REVIEWS
from dagster_project.tasks.agreement import HeldOut, figures_of, held_out_of, leave_one_out
from dagster_project.tasks.sampling import sample_of, sampled_episodes
from dagster_project.worlds.stored_worlds import world_of

ASSET = "agreement"
MOST_FALSE_PASSES = 0.03
"""Share of the graded attempts that rubrics may pass although their users were not helped."""
LEAST_GRADED = 20
"""Below this the check says nothing."""
RULES = "left out once, with what is paid and who says how it went; the newest of many"
"""Changes when rows written before lack something."""


@lake_asset(
    APPS,
    group="environments",
    deps=["tasks", "worlds"],
    says="How well rubrics agree with users: each recorded attempt is graded by a rubric that was made without it.",
    checks={
        "rubrics_agree": "Rubrics rarely pass an attempt that its user called unresolved; measured on attempts that were left out when the rubric was made.",
    },
)
def agreement(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Leave one attempt out at a time in the apps whose tasks changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(clean, context.partition_keys))
    make_each(lake, AGREEMENT, todo, partial(_measured, clean, todo, meter_of(ASSET, clean.limits)))
    known = {app: held_out_of(lake, app) for app in context.partition_keys}
    measured = {app: figures_of([o for o in group if o.witness]) for app, group in known.items()}
    whole = figures_of([one for group in known.values() for one in group if one.witness])
    return asset_result(
        lake,
        todo,
        lambda: {
            "attempts": sum(map(len, known.values())),
            "with_a_resolved_other": whole.episodes,
            "graded": whole.graded,
            "by_app": rows_of(_HEADINGS, [_row(app, group) for app, group in known.items()]),
        },
        {
            "rubrics_agree": lambda: Checked(
                failing={
                    app: f"{one.false_pass} of {one.graded} graded attempts passed although their users were not helped, "
                    f"limit {100 * MOST_FALSE_PASSES:g} %; the report says at which tasks"
                    for app, one in measured.items()
                    if one.graded >= LEAST_GRADED
                    and one.false_pass > MOST_FALSE_PASSES * one.graded
                },
                severity=dg.AssetCheckSeverity.WARN,
                metadata={name: getattr(whole, name) for name in _CHECKED},
            )
        },
    )


def _measured(clean: CleanSide, todo: Work, meter: Meter, app: str, skips: Skips) -> pa.Table:
    """The attempts of an app that were left out once, as rows; a figure that is not taken whole stands for nothing."""
    lake = clean.lake
    forget(lake, app, ASSET)
    world = world_of(lake, app)
    found: list[HeldOut] = []
    if world is not None:
        found = leave_one_out(
            sampled_episodes(clean_episodes_of(lake, app), sample_of(lake, app)),
            labels_of(lake, app, clean.outcome_policy),
            world,
            candidates_of(lake, app),
            corrections=said_corrections_of(lake, app, clean.outcome_policy),
            references=references_said_of(lake, app, clean.outcome_policy),
            step=partial(tell, ASSET, says=app),
            skips=skips,
            engine=clean.maps,
            # What a budget left in the middle goes on: the folds that were made of the same stand.
            known=held_out_of(lake, app) if was_tried(lake, todo, (app, "")) else (),
            left=partial(_leaves_fold, meter, skips),
        )
    if not skips:
        keep(lake, app, ASSET, of=digests(lake, "tasks", app), said=_said_digest(clean, app))
    return to_rows(
        Document(app=app, id=one.episode_id, version=one.task_id, content=one) for one in found
    )


def _leaves_fold(meter: Meter, skips: Skips, fold: int) -> bool:
    """Whether the budget leaves a fold for the next build; says so."""
    if meter.is_late:
        skips.leave("fold", str(fold + 1), BUDGET)
    return meter.is_late


_CHECKED = ("graded", "agreed", "false_pass", "false_fail", "abstained")
_HEADINGS = (
    *("app", "attempts", "graded", "agreed", "low", "high"),
    *("false pass", "false fail", "not graded", "kappa"),
)


def _row(app: str, group: Sequence[HeldOut]) -> tuple[object, ...]:
    all_of = figures_of(one for one in group if one.witness)
    counts = (all_of.episodes, all_of.graded, all_of.agreed, round(all_of.low, 3))
    wrong = (all_of.false_pass, all_of.false_fail, all_of.abstained)
    shown = "unknown" if all_of.kappa is None else round(all_of.kappa, 3)
    return (app, *counts, round(all_of.high, 3), *wrong, shown)


def ingredients(clean: CleanSide, apps: Sequence[str]) -> dict[Key, str]:
    """What each app's agreement is made of now; of a large app that has hardly grown since, what it was made of then."""
    return {(app, ""): made_of(_made_from(clean, app), RULES) for app in apps}


def _made_from(clean: CleanSide, app: str) -> str:
    taken = None if clean.fresh else stands(clean.lake, app, ASSET, said=_said_digest(clean, app))
    return digests(clean.lake, "tasks", app) if taken is None else taken.of


def _said_digest(clean: CleanSide, app: str) -> str:
    """What people say of how attempts went."""
    return made_of(file_digest(clean.outcome_policy), digests(clean.lake, REVIEWS, app))
