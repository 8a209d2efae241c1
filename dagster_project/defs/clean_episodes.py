"""`clean_episodes`: episodes past the gate, pseudonymised; what was removed is counted, never shown."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import dagster as dg
import pyarrow as pa

from dagster_project.build.failed_checks import Failing
from dagster_project.build.left_out import Skips, skipped_of, without_those_that_fail
from dagster_project.build.progress import report_each
from dagster_project.clean_records import stored_episodes_of
from dagster_project.defs.asset import lake_asset
from dagster_project.defs.partitions import APP_DAYS, app_days
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.defs.result import AssetResult, Checked, asset_result
from dagster_project.defs.show import bars, rows_of
from dagster_project.home.locks import lock
from dagster_project.lake.freshness import Key, Work, clear, nobody_knows, store, work
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CALL_PAIRS, CLEAN_EPISODES, EPISODES
from dagster_project.privacy.account import (
    HELD,
    REDACTIONS,
    REPLACED,
    STAYS,
    account_in,
    account_of,
    stays_of,
)
from dagster_project.privacy.consistency import Commutation, commutation_of, pairs_of
from dagster_project.privacy.gate import (
    gate_ingredients,
    learn_days,
    policy_of,
    raw_episodes,
    told_ingredients,
    unread_of,
    vault_of,
)
from dagster_project.privacy.gate_leaks import leak_checked, leak_rows, still_leaking
from dagster_project.privacy.leak_search import KnownPeople, known_of
from environments.runtime.values.grouping import by_key
from ingest.records.episode import Episode
from redact.apply.collector import without_collection
from redact.apply.scrub import Scrubbed, scrub
from redact.operators.vault import Vault

ASSET = "clean_episodes"
_PLACES: Final = 60


@lake_asset(
    APP_DAYS,
    group="redact",
    deps=["episodes", "outcomes"],
    says="Episodes after redaction: each personal value is replaced by a surrogate, the same one wherever the value stands.",
    checks={
        "nothing_lost": "Every episode is redacted or counted as held back.",
        "no_leaks": "A search that knows nothing of the redaction finds no personal value in redacted episodes.",
        "no_raw_ids": "No redacted episode holds the id of a raw episode, conversation or trace.",
        "calls_commute": "Equal calls and results are equal after redaction, and different ones stay different.",
    },
    blocking=("no_leaks", "no_raw_ids"),
)
def clean_episodes(
    context: dg.AssetExecutionContext, private: PrivateSide, clean: CleanSide
) -> AssetResult:
    """Learn from the days that changed, then scrub every asked day whose episodes or known values changed."""
    home, asked = private.opened(), app_days(context.partition_keys)
    with lock(home, "vault"):
        vault = vault_of(home, private.vault_secret())
        learn_days(home, private.lake, vault, asked)
        wanted = {
            key: made
            for app, days in asked.items()
            for key, made in gate_ingredients(home, private.lake, vault, app).items()
            if key[1] in days
        }
        todo = work(clean.lake, ASSET, wanted)
        known: dict[str, KnownPeople] = {}
        try:
            for app, days in todo.days().items():
                _scrub_app(private, clean.lake, vault, todo, (app, days, known))
        finally:
            # An interrupted build has stored days already: their surrogates must be in the vault.
            vault.save()
        return _result(private, clean.lake, todo, (vault, known))


def _scrub_app(
    private: PrivateSide,
    clean: Lake,
    vault: Vault,
    todo: Work,
    asked: tuple[str, list[str], dict[str, KnownPeople]],
) -> None:
    """The days of one app; a day of which nobody can tell what is personal in it has no clean rows, not even those of before."""
    app, days, known = asked
    skips = Skips(ASSET, app, days[0])
    with skips.unit("app") as learning:
        if any(nobody_knows(todo.wanted[app, day]) for day in days):
            told_ingredients(private.opened(), private.lake, vault, app)  # raises once more
        known[app] = known_of(private.opened(), vault, app)
    if learning.failed:
        for day in days:
            _clear_day(private, clean, todo, (app, day))
        skips.keep(clean, days)
        return
    for day in report_each(ASSET, days, f"scrubbing {app}"):
        mine = Skips(ASSET, app, day)
        with mine.unit("day") as scrubbing:
            _scrub_day(private, clean, (vault, known[app]), todo, mine)
        if scrubbing.failed:
            _clear_day(private, clean, todo, (app, day))
        mine.keep(clean, [day])


def _clear_day(private: PrivateSide, clean: Lake, todo: Work, key: Key) -> None:
    """All episodes of a day wait."""
    clean.replace(REDACTIONS, REDACTIONS.schema.empty_table(), [key])
    private.lake.replace(CALL_PAIRS, CALL_PAIRS.schema.empty_table(), [key])
    clear(clean, CLEAN_EPISODES, todo, [key])


@dataclass(frozen=True, slots=True)
class _Day:
    """What a day's episodes are past the gate."""

    rows: pa.Table
    account: pa.Table
    pairs: pa.Table


def _scrub_day(
    private: PrivateSide,
    clean: Lake,
    secrets: tuple[Vault, KnownPeople],
    todo: Work,
    skips: Skips,
) -> None:
    app, day = key = skips.app, skips.day
    vault, known = secrets
    policy = policy_of(private.opened())
    unread = unread_of(private.lake, app, [day])
    raw = [e for e in raw_episodes(private.lake, app, [day])[day] if e.episode_id not in unread]

    def make(some: Sequence[Episode]) -> _Day:
        with without_collection():
            scrubbed: list[Scrubbed] = list(
                scrub(some, learnt=known.learnt, vault=vault, policy=policy)
            )
        checked = leak_checked(some, scrubbed, known.search)
        together = zip(some, (one.clean for one in scrubbed), strict=True)
        return _Day(
            rows=to_table(
                (one.clean for one in checked.passed),
                CLEAN_EPISODES.schema,
                day=constant_column(day),
            ),
            account=to_table(
                (
                    *account_of(app, day, checked.passed),
                    *leak_rows(app, day, checked.held),
                    *(stays_of(app, day, some, scrubbed) if policy.enabled else ()),
                ),
                REDACTIONS.schema,
            ),
            pairs=pairs_of(key, together, vault.key_of(app)),
        )

    def note_failure(episode: Episode, fault: Exception) -> None:
        skips.note(fault, "episode", vault.episode_id(app, episode.episode_id))

    found = without_those_that_fail(raw, make, note_failure)
    clean.replace(REDACTIONS, found.account, [key])
    if policy.enabled:
        private.lake.replace(CALL_PAIRS, found.pairs, [key])
    store(clean, CLEAN_EPISODES, found.rows, todo, keys=[key], again=bool(skips or unread))


def _result(
    sides: PrivateSide, clean: Lake, todo: Work, secrets: tuple[Vault, dict[str, KnownPeople]]
) -> AssetResult:
    private = sides.lake
    raw = {key: private.stamps("episodes")[key].rows for key in todo.wanted}
    kinds: Counter[str] = Counter()
    places: Counter[tuple[str, str, str]] = Counter()
    lengths: Counter[tuple[str, str, str]] = Counter()
    asked = by_key((app, day) for app, day in sorted(todo.wanted))
    for app, days in asked.items():
        for row in account_in(clean, app, days):
            if row.what != STAYS:
                kinds[f"{row.what}: {row.kind}"] += row.count
                places[row.what, row.kind, row.place] += row.count
                lengths[row.what, row.kind, row.place] += row.length
    held = kinds[f"{HELD}: leak"]
    leaks = _leaks_in(sides, clean, todo, secrets)
    kept = {key: stamp.rows for key, stamp in clean.stamps(ASSET).items() if key in todo.wanted}
    waiting = sum(raw.values()) - sum(kept.values()) - held
    noted = skipped_of(clean, asked, stages=(ASSET, "learnt"))
    return asset_result(
        clean,
        todo,
        lambda: {
            "clean_episodes": sum(kept.values()),
            # What was held back stands first: it is the part that somebody has to decide about.
            "what_the_gate_did": rows_of(
                ("what", "kind", "where", "count", "characters"),
                (
                    (*place, n, lengths[place])
                    for place, n in sorted(
                        places.items(), key=lambda item: (item[0][0] == REPLACED, -item[1], item[0])
                    )
                ),
                most=_PLACES,
            ),
            "picture": bars("values replaced or held, by kind", kinds),
        },
        {
            "nothing_lost": lambda: Checked(
                failing=_failing(
                    asked,
                    f"{waiting} episodes came to the gate and are neither past it nor held back nor left out; "
                    "please report it as a fault of tracegym",
                    holds=waiting == 0 or (waiting > 0 and bool(noted)),
                ),
                metadata={
                    "episodes": sum(raw.values()),
                    "clean": sum(kept.values()),
                    "held_back": held,
                    "waiting": waiting,
                },
            ),
            "no_leaks": lambda: Checked(
                failing=_failing(
                    asked,
                    f"{leaks} episodes past the gate still hold an identifier; their days wait: tracegym redact review",
                    holds=leaks == 0,
                ),
                metadata={"leaks": leaks, "episodes_held_back": held},
            ),
            "no_raw_ids": lambda: _no_raw_ids(private, clean, todo),
            "calls_commute": lambda: _calls_commute(
                {app: commutation_of(private, app, days) for app, days in asked.items()}
            ),
        },
    )


def _failing(apps: Iterable[str], says: str, *, holds: bool) -> Failing:
    return {} if holds else dict.fromkeys(apps, says)


def _no_raw_ids(private: Lake, clean: Lake, todo: Work) -> Checked:
    strangers = _raw_ids_in(private, clean, todo)
    says = (
        f"{strangers} episodes bear an id of the raw data; please report it as a fault of tracegym"
    )
    return Checked(
        failing=_failing({app for app, _ in todo.wanted}, says, holds=strangers == 0),
        metadata={"raw_ids": strangers},
    )


def _calls_commute(found: Mapping[str, Commutation]) -> Checked:
    counts = {f"{app}: {name}": n for app, one in found.items() for name, n in asdict(one).items()}
    return Checked(
        failing={
            app: f"{one.split + one.merged} recorded calls read differently in two episodes after redaction; tracegym redact review names the keys"
            for app, one in found.items()
            if one.split or one.merged
        },
        metadata=dict(counts),
    )


def _leaks_in(
    sides: PrivateSide, clean: Lake, todo: Work, secrets: tuple[Vault, dict[str, KnownPeople]]
) -> int:
    """How many stored episodes still hold an identifier of their raw episode, by the independent search.

    A day that cannot be searched has no clean rows: nothing passes that nobody looked at.
    """
    vault, known = secrets
    found = 0
    for app, day in sorted(key for key in todo.stale if key[0] in known):
        skips = Skips(ASSET, app, day)
        with skips.unit("day") as searching:
            rows = sides.lake.read(EPISODES, app=app, days=[day], columns=("episode_id",))
            ids = [row["episode_id"] for row in rows.to_pylist()]
            raw = {vault.episode_id(app, one): one for one in ids}
            stored = stored_episodes_of(clean, app, [day])
            pairs = ((raw[one.episode_id], one) for one in stored)
            found += still_leaking(pairs, known[app].search)
        if searching.failed:
            _clear_day(sides, clean, todo, (app, day))
            skips.keep(clean, [day])
    return found


def _raw_ids_in(private: Lake, clean: Lake, todo: Work) -> int:
    """How many clean rows carry an id that joins back to raw data."""
    found = 0
    for app, day in sorted(todo.stale):
        ids = private.read(EPISODES, app=app, days=[day], columns=("episode_id", "conversation_id"))
        raw = {*ids["episode_id"].to_pylist(), *ids["conversation_id"].drop_null().to_pylist()}
        kept = clean.read(CLEAN_EPISODES, app=app, days=[day], columns=("episode_id",))
        found += len(raw & set(kept["episode_id"].to_pylist()))
    return found
