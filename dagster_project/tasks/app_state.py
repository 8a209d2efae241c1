"""Where the episodes and tasks of an app stand: what passed the gate, what is known of how it went, and its tasks' verdicts.

Comes in: the clean side of a home. Goes out: a `Standing` per app, which the report and the yield's table are made of.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from dagster_project.clean_records import clean_episodes_of, labels_of
from dagster_project.defs.resources import CleanSide
from dagster_project.lake.documents import records
from dagster_project.lake.learnt_tables import TASKS, VERIFIED
from dagster_project.tasks.verification import VerifiedTask
from environments.runtime.task.candidate import Candidate
from environments.verify import ACCEPTED
from ingest.records.episode import Episode
from redact.records.clean_episode import CleanEpisode
from synth.attempts.answering_tools import IN_WORDS

ENDS = {
    "": "from an attempt that was resolved",
    "later": "from a later attempt at a failed request",
    "constructed": "from how alike requests were resolved",
    "reference": "from reference answers that came with outcomes",
    "business_record": "from what business records say was done afterwards",
    "reviewer": "from what reviewers say should have been done",
    "code": "from what programs say should have been done",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """One episode past the gate."""

    episode_id: str
    has_tools: bool
    """It called a tool, or was offered one."""
    only_speaks: bool = False
    """Its only calls are of a tool by which its agent answers: they are read as what it says."""
    withheld_consent: bool = False
    unlabelled: str = ""
    """Why nobody knows how it went; empty where somebody does."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where the episodes and tasks of one app stand."""

    app: str
    episodes: int
    labelled: int
    resolved: int
    candidates: list[Candidate]
    verdicts: dict[str, VerifiedTask]
    passed: tuple[Passed, ...] = ()

    @cached_property
    def accepted_episodes(self) -> frozenset[str]:
        """The attempts at tasks that may be exported."""
        return frozenset(
            attempt.episode_id
            for candidate in self.candidates
            if (verdict := self.verdicts.get(candidate.task.task_id)) and verdict.status == ACCEPTED
            for attempt in candidate.attempts
        )

    @property
    def accepted(self) -> int:
        """Tasks that may be exported."""
        return sum(one.status == ACCEPTED for one in self.verdicts.values())


def has_tools(episode: Episode | CleanEpisode) -> bool:
    """Whether it called a tool, or was offered one."""
    return bool(episode.tools) or any(step.tool_calls for step in episode.steps)


def standing_of(clean: CleanSide, app: str) -> Standing:
    """Count one app's clean side."""
    episodes = clean_episodes_of(clean.lake, app)
    labels = labels_of(clean.lake, app, clean.outcome_policy)
    passed: list[Passed] = []
    labelled = resolved = 0
    for episode in episodes:
        label = labels.get(episode.episode_id)
        why = ""
        if label is None or label.resolved is None:
            why = "no_outcome" if label is None else label.reason
        else:
            labelled += 1
            resolved += label.resolved
        passed.append(
            Passed(
                episode_id=episode.episode_id,
                has_tools=has_tools(episode),
                only_speaks=IN_WORDS in episode.completeness and not has_tools(episode),
                withheld_consent=episode.do_not_train,
                unlabelled=why,
            )
        )
    return Standing(
        app=app,
        episodes=len(episodes),
        labelled=labelled,
        resolved=resolved,
        candidates=list(records(clean.lake, TASKS, app, Candidate).values()),
        verdicts=records(clean.lake, VERIFIED, app, VerifiedTask),
        passed=tuple(passed),
    )


def right_ends(standings: list[Standing]) -> str:
    """Where the right ends of accepted tasks come from, as the end of a sentence; `""` where there is none."""
    sources = Counter(
        str(provenance.get("solution", "later" if provenance["joined_by"] == "later" else ""))
        for s in standings
        for candidate in s.candidates
        if (verdict := s.verdicts.get(candidate.task.task_id)) and verdict.status == ACCEPTED
        for provenance in (candidate.task.provenance,)
    )
    parts = [f"{n} {ENDS[source]}" for source, n in sorted(sources.items()) if source in ENDS]
    return f"; right ends: {', '.join(parts)}" if parts else ""
