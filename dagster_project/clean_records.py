"""Clean records out of the lake: what stages past the gate are handed.

Comes in: the clean lake and an app. Goes out: `CleanEpisode`s, `CleanOutcome`s, labels, failures. No raw table is known here.
"""

from collections.abc import Iterable
from pathlib import Path

from dagster_project.lake.learnt_tables import CLUSTERS, FAILURES
from dagster_project.lake.rows import from_rows, texts
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES
from dagster_project.review.feedback import reviewer_outcomes, with_reviewers
from redact.records.clean_episode import CleanEpisode
from redact.records.clean_outcome import CleanOutcome
from redact.records.clean_rows import clean_episode_from_row, clean_outcome_from_row
from synth.attempts.answering_tools import in_words
from synth.attempts.greetings import without_greetings
from synth.clusters.clustering import Cluster
from synth.clusters.versions import Version, versions_of
from synth.failures.detection import Failure
from synth.labels.label import Label, label_episodes
from synth.labels.meanings import SaidValue, with_meanings
from synth.labels.policy import OutcomePolicy, load_outcome_policy
from synth.rubric.references import Reference, references_of
from synth.solutions.corrections import Said, corrections_of


def clean_episodes_of(
    lake: Lake, app: str, days: Iterable[str] | None = None
) -> list[CleanEpisode]:
    """Episodes past the gate, in order of their start, without what frameworks put around them: greetings, answers by tool."""
    return without_greetings(in_words(stored_episodes_of(lake, app, days)))


def stored_episodes_of(
    lake: Lake, app: str, days: Iterable[str] | None = None
) -> list[CleanEpisode]:
    """The same as they were recorded."""
    rows = lake.read(CLEAN_EPISODES, app=app, days=days).to_pylist()
    found = [clean_episode_from_row(row) for row in rows]
    return sorted(found, key=lambda e: (e.started_at, e.episode_id))


def home_days(lake: Lake, app: str, days: Iterable[str] | None = None) -> dict[str, str]:
    """The day each episode lives in."""
    rows = lake.read(CLEAN_EPISODES, app=app, days=days, columns=("episode_id", "day"))
    return dict(zip(texts(rows, "episode_id"), texts(rows, "day"), strict=True))


def clean_outcomes_of(
    lake: Lake, app: str, days: Iterable[str] | None = None
) -> list[CleanOutcome]:
    """Outcomes past the gate."""
    rows = lake.read(CLEAN_OUTCOMES, app=app, days=days).to_pylist()
    return sorted(map(clean_outcome_from_row, rows), key=lambda o: o.outcome_id)


def outcome_policy_of(lake: Lake, app: str, path: Path) -> OutcomePolicy:
    """What an app's outcomes mean: by `outcomes.toml`, and by the app's own values where no line says it."""
    columns = ("name", "value", "label", "by")
    said = lake.read(CLEAN_OUTCOMES, app=app, columns=columns).group_by(list(columns)).aggregate([])
    values = [SaidValue(**row) for row in said.to_pylist()]
    return with_meanings(load_outcome_policy(path), values)


def labels_of(
    lake: Lake, app: str, policy: Path, days: Iterable[str] | None = None
) -> dict[str, Label]:
    """What the outcomes of each episode say together, by the written policy; reviewers are heard first."""
    outcomes = [*clean_outcomes_of(lake, app, days), *reviewer_outcomes(lake, app)]
    return label_episodes(outcomes, with_reviewers(outcome_policy_of(lake, app, policy)))


def said_corrections_of(lake: Lake, app: str, policy: Path) -> dict[str, Said]:
    """Per episode the calls that people say they made in place of the agent."""
    return corrections_of(clean_outcomes_of(lake, app), outcome_policy_of(lake, app, policy))


def references_said_of(lake: Lake, app: str, policy: Path) -> dict[str, Reference]:
    """Per episode the answer that people say was right."""
    return references_of(clean_outcomes_of(lake, app), outcome_policy_of(lake, app, policy))


def failures_of(lake: Lake, app: str) -> list[Failure]:
    """Failure records of an app, in order of time."""
    found = from_rows(Failure, lake.read(FAILURES, app=app).to_pylist())
    return sorted(found, key=lambda f: (f.started_at, f.episode_id))


def versions_seen(lake: Lake, app: str) -> tuple[Version, ...]:
    """The agent's versions that an app's episodes name, in the order in which they came up."""
    columns = ("agent_version", "started_at")
    rows = lake.read(CLEAN_EPISODES, app=app, columns=columns).to_pylist()
    return versions_of((row["agent_version"], row["started_at"]) for row in rows)


def clusters_of(lake: Lake, app: str) -> list[Cluster]:
    """The failure clusters of an app as they are known, those without failures included."""
    found = from_rows(Cluster, lake.read(CLUSTERS, app=app).to_pylist())
    return sorted(found, key=lambda c: c.cluster_id)
