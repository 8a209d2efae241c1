"""`clean_outcomes`: outcomes past the gate, each with its clean episode."""

from collections import Counter
from collections.abc import Sequence

import dagster as dg
import pyarrow as pa

from dagster_project.build.left_out import Skips, without_those_that_fail
from dagster_project.build.progress import report_each
from dagster_project.defs.asset import lake_asset
from dagster_project.defs.partitions import APP_DAYS, app_days
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.defs.result import AssetResult, asset_result
from dagster_project.defs.show import table_of
from dagster_project.home.locks import lock
from dagster_project.lake.freshness import Key, Work, clear, digest, made_of, store, work
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_OUTCOMES
from dagster_project.privacy.gate import policy_of, raw_outcomes, unread_of, vault_of
from dagster_project.privacy.gate_leaks import without_leaks
from dagster_project.privacy.leak_search import KnownPeople, known_of
from ingest.records.outcome import Outcome
from redact.apply.scrub import scrub_outcomes
from redact.operators.vault import Vault

ASSET = "clean_outcomes"


@lake_asset(
    APP_DAYS,
    group="redact",
    deps=["outcomes", "clean_episodes"],
    says="What users got, redacted and joined to redacted episodes.",
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
            skips = Skips(ASSET, app, days[0])
            keys = [(app, day) for day in days]
            with skips.unit("app") as scrubbing:
                known = known_of(home, vault, app)
                by_day = raw_outcomes(private.lake, app, days)
                unread = unread_of(private.lake, app, days)
                for day in report_each(ASSET, days, app):
                    said = [one for one in by_day[day] if one.outcome_id not in unread]
                    names.update(_scrub_day(said, known, vault, private, (lake, todo, skips, day)))
            if scrubbing.failed:
                # Nothing passes that nobody scrubbed, not even what passed before.
                clear(lake, CLEAN_OUTCOMES, todo, keys)
            skips.keep(lake, days)
        vault.save()
    return asset_result(
        lake,
        todo,
        lambda: {
            "clean_outcomes": sum(
                s.rows for k, s in lake.stamps(ASSET).items() if k in todo.wanted
            ),
            "names": table_of("outcome", names),
        },
    )


def _scrub_day(
    said: Sequence[Outcome],
    known: KnownPeople,
    vault: Vault,
    private: PrivateSide,
    into: tuple[Lake, Work, Skips, str],
) -> list[str]:
    """Scrub and store the outcomes of a day; says their names."""
    lake, todo, skips, day = into
    policy = policy_of(private.opened())

    def make(some: Sequence[Outcome]) -> tuple[list[str], pa.Table]:
        joined = [one for one in some if one.episode_id is not None]
        scrubbed = scrub_outcomes(joined, learnt=known.learnt, vault=vault, policy=policy)
        cleaned = [
            without_leaks(clean, raw.episode_id or "", known.search)
            for raw, clean in zip(joined, scrubbed, strict=True)
        ]
        names = [f"{outcome.name} by {outcome.by}" for outcome in cleaned]
        return names, to_table(cleaned, CLEAN_OUTCOMES.schema, day=constant_column(day))

    before = len(skips.found)
    names, rows = without_those_that_fail(
        said, make, lambda _, fault: skips.note(fault, "outcome", day=day)
    )
    again = len(skips.found) > before
    store(lake, CLEAN_OUTCOMES, rows, todo, keys=[(skips.app, day)], again=again)
    return names


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
