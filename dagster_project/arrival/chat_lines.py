"""Chat-log lines out of the lake: canonical episodes with their outcomes, one JSON line each.

Comes in: a home. Goes out: lines, raw (assembled now, whatever `build` has done so far) or clean (what `build` let through the gate).
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from dagster_project.arrival.assembly import assemble_days, days_of
from dagster_project.arrival.files import land
from dagster_project.arrival.outcome_days import attach_arrived
from dagster_project.home.layout import Home
from dagster_project.lake.rows import from_rows
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, CLEAN_EPISODES, CLEAN_OUTCOMES, LOG_EVENTS, SPANS
from environments.runtime.values.grouping import by_key
from ingest.files.chat_log import to_line
from ingest.receiver.wal import Wal
from ingest.records.app_name import UNNAMED
from ingest.records.episode import Episode
from ingest.records.outcome import Outcome


def raw_lines(home: Home, *, app: str | None = None) -> Iterator[str]:
    """Every episode that has arrived, as it came."""
    with Wal(home.wal) as wal:
        land(home, wal)
    lake = Lake(home.private / "lake")
    size: Counter[str] = Counter()
    for table in (SPANS, LOG_EVENTS, CHATS):
        for (name, _), count in lake.counts(table).items():
            size[name] += count
    elsewhere: list[Outcome] = []
    # A service that only asks users sends less than what it asks about.
    for name in sorted(size, key=lambda one: (one == app, size[one], one)):
        if app not in {None, name} and size[name] > size[app or ""]:
            continue
        assembly = assemble_days(lake, name, days_of(lake, name)[name])
        episodes = [e for day in sorted(assembly.episodes) for e in assembly.episodes[day]]
        told = [*assembly.outcomes, *elsewhere]
        elsewhere += (said for said in assembly.outcomes if said.app == UNNAMED)
        if app in {None, name}:
            outcomes = attach_arrived(lake, name, told, episodes, responses=assembly.responses)
            yield from _lines(episodes, outcomes)


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
    by_episode = by_key(
        (outcome.episode_id, outcome) for outcome in outcomes if outcome.episode_id is not None
    )
    for episode in episodes:
        yield to_line(episode, by_episode.get(episode.episode_id, []))
