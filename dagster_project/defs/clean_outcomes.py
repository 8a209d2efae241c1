"""`clean_outcomes`: outcomes past the gate, each with its clean episode."""

from collections import Counter

import dagster as dg

from dagster_project.defs.partitions import APP_DAYS, ONE_RUN, app_days
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.defs.result import AssetResult
from dagster_project.defs.show import table_of
from dagster_project.freshness import Key, digest, made_of, store, work
from dagster_project.gate import knowledge_of, policy_of, raw_outcomes, vault_of
from dagster_project.home import lock
from dagster_project.lake import Lake
from dagster_project.progress import counted
from dagster_project.rows import always, to_table
from dagster_project.tables import CLEAN_OUTCOMES
from redact.scrub import scrub_outcomes

ASSET = "clean_outcomes"


@dg.asset(
    partitions_def=APP_DAYS,
    backfill_policy=ONE_RUN,
    deps=["outcomes", "clean_episodes"],
    group_name="redact",
    kinds={"delta"},
    description="What users got, past the gate, joined to clean episodes.",
)
def clean_outcomes(
    context: dg.AssetExecutionContext, private: PrivateSide, clean: CleanSide
) -> AssetResult:
    """Scrub the outcomes of the days that changed."""
    home, lake = private.opened(), clean.lake
    asked = app_days(context.partition_keys)
    todo = work(lake, ASSET, ingredients(private.lake, lake, asked))
    names: Counter[str] = Counter()
    with lock(home, "vault"):
        vault = vault_of(home, private.vault_secret())
        for app, days in todo.days().items():
            known = knowledge_of(private.lake, vault, app)
            by_day = raw_outcomes(private.lake, app, days)
            for day in counted(ASSET, days, app):
                cleaned = list(
                    scrub_outcomes(
                        by_day[day], learnt=known.learnt, vault=vault, policy=policy_of(home)
                    )
                )
                names.update(f"{outcome.name} by {outcome.by}" for outcome in cleaned)
                rows = to_table(cleaned, CLEAN_OUTCOMES.schema, day=always(day))
                store(lake, CLEAN_OUTCOMES, rows, todo, keys=[(app, day)])
        vault.save()
    return dg.MaterializeResult(
        metadata={
            "clean_outcomes": sum(
                s.rows for k, s in lake.stamps(ASSET).items() if k in todo.wanted
            ),
            "recomputed_partitions": len(todo.stale),
            "names": table_of("outcome", names),
        }
    )


def ingredients(private: Lake, clean: Lake, asked: dict[str, list[str]]) -> dict[Key, str]:
    """What each partition is made of now."""
    raw, gate = private.stamps("outcomes"), clean.stamps("clean_episodes")
    return {
        (app, day): made_of(
            digest(raw, (app, day)),
            # A day whose gate rules changed scrubs its outcomes again as well.
            gate[app, day].made_of if (app, day) in gate else "",
        )
        for app, days in asked.items()
        for day in days
    }
