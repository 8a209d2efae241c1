"""Chat-log lines out of the lake: canonical episodes with their outcomes, one JSON line each.

Comes in: a home. Goes out: lines, raw (assembled now, whatever `build` has done so far) or clean (what `build` let through the gate).
"""

from collections.abc import Iterable, Iterator

from dagster_project.arrival.assembly import assemble_days, days_of
from dagster_project.arrival.files import land
from dagster_project.arrival.outcome_days import attach_arrived
from dagster_project.home.layout import Home
from dagster_project.lake.rows import from_rows
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES
from ingest.files.chat_log import to_line
from ingest.receiver.wal import Wal
from ingest.records.episode import Episode
from ingest.records.outcome import Outcome


def raw_lines(home: Home, *, app: str | None = None) -> Iterator[str]:
    """Every episode that has arrived, as it came."""
    with Wal(home.wal) as wal:
        land(home, wal)
    lake = Lake(home.private / "lake")
    for name, days in sorted(days_of(lake, app).items()):
        assembly = assemble_days(lake, name, days)
        episodes = [e for day in sorted(assembly.episodes) for e in assembly.episodes[day]]
        yield from _lines(
            episodes,
            attach_arrived(lake, name, assembly.outcomes, episodes, responses=assembly.responses),
        )


def clean_lines(home: Home, *, app: str | None = None) -> Iterator[str]:
    """Every episode that is past the gate, pseudonymised."""
    lake = Lake(home.clean / "lake")
    for name, day in sorted(lake.counts(CLEAN_EPISODES)):
        if app in {None, name}:
            # The chat-log writer takes the raw record's shape; what a clean episode lacks stays out.
            rows = lake.read(CLEAN_EPISODES, app=name, days=[day]).to_pylist()
            said = lake.read(CLEAN_OUTCOMES, app=name, days=[day]).to_pylist()
            yield from _lines(from_rows(Episode, rows), from_rows(Outcome, said))


def _lines(episodes: Iterable[Episode], outcomes: Iterable[Outcome]) -> Iterator[str]:
    by_episode: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.episode_id is not None:
            by_episode.setdefault(outcome.episode_id, []).append(outcome)
    for episode in episodes:
        yield to_line(episode, by_episode.get(episode.episode_id, []))
