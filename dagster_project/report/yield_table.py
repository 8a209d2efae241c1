"""The yield: of the conversations that came in, how many became tasks to train on, and what each of the others would have needed.

Comes in: both sides of a home. Goes out: one row per stage, as the report, the build's summary, `doctor` and Dagster show it.
Every conversation is lost in at most one row, with a reason and the one action that frees most; what is left and what
was lost add up to what came in. Every number is counted from the lake, and one split is not: of the conversations that redaction held back
nothing tells which had tools, so that the most frequent reasons are given first to those with tools.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.arrival.files import quarantined
from dagster_project.arrival.repetitions import counts_once
from dagster_project.build.left_out import skipped_of
from dagster_project.build.left_out_rows import BUDGET, counts_of
from dagster_project.defs.resources import CleanSide
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, EPISODES, LOG_EVENTS, SPANS
from dagster_project.privacy.account import HELD, account_in
from dagster_project.privacy.leaks import is_among, leaks_of, to_settle
from dagster_project.privacy.undecided_keys import waiting_keys
from dagster_project.report.data.counts import Count, FunnelStage
from dagster_project.tasks.app_state import Standing, right_ends
from dagster_project.tasks.sampling import sample_of
from dagster_project.tasks.verification import NOT_TRUSTED
from dagster_project.worlds.stored_worlds import world_of
from environments.runtime.task.task import Task
from environments.verification.sentences import reason_group, reason_says
from environments.verify import ACCEPTED
from synth.rubric.references import UNKNOWABLE
from synth.world.model import TOO_FEW

HEADINGS: Final = ("stage", "conversations", "lost, and why", "what frees most")
FAULT: Final = "fault"
NOT_SAMPLED: Final = "not_sampled"
NO_TOOLS: Final = "no_tools"
REFUSED: Final = "refused: in quarantine, by reason above"
_IN: Final = "conversations in"
_READABLE: Final = "readable"
_TOOLS: Final = "with tools"
OUTCOME: Final = "with an outcome"
TASK: Final = "in a task"
TAKEN: Final = "accepted"
EXPORTED: Final = "exported"
LATER: Final = (OUTCOME, TASK, TAKEN, EXPORTED)
"""What a conversation past redaction goes through."""
_EXPLAIN: Final = "see what the file holds: tracegym ingest FILE --explain"
WHY: Final[Mapping[str, str]] = {
    NO_TOOLS: "no tool was called or offered",
    "no_outcome": "nobody said how it went",
    "no_known_outcome": "outcomes.toml does not know the outcome's name",
    "contradiction": "outcomes of equal standing contradict each other",
    "do_not_train": "the user or the app withheld consent",
    "leak": "the leak check found an identifier that cannot be taken out",
    "leaks": "the leak check found an identifier in its task",
    "not_searched": "the leak check has not run since something changed",
    FAULT: "tracegym itself failed at it",
    BUDGET: "the budget was spent before its task was attacked",
    NOT_SAMPLED: "others like it stand for it (--most-requests); the task set's weights restore the shares",
    "no_task": "it belongs to no task",
}
_REVIEW: Final = "look at the grader, and correct it: tracegym review"
_ATTEMPT: Final = (
    "take in an attempt at one of {n} that went well, or say what was done instead or what the right answer was: "
    "tracegym outcomes FILE --correction COLUMN"
)
_ALL_FAILED: Final = "all {n} outcomes mean failure: where that is wrong, say in outcomes.toml what means that it went well; else "
_NEEDS_ATTEMPT: Final = frozenset({"no_resolved_attempt", "no_request_like_it"})
ACTIONS: Final[Mapping[str, str]] = {
    NO_TOOLS: "record the agent's tool calls with their results, and send the tool definitions; of an agent without tools "
    "say what the right answers were: tracegym outcomes FILE --correction COLUMN",
    "no_outcome": "say how {n} conversations ended: tracegym outcomes FILE",
    "no_known_outcome": "add to outcomes.toml the line that names the outcome: tracegym doctor prints it",
    "contradiction": "say in outcomes.toml whose word counts",
    "do_not_train": "nothing: consent is theirs to give",
    "no_content": "turn on the capture of message content in the app",
    "truncated": "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT in the app",
    "no_request": "record the user's messages too",
    "user_acts_first": "record the conversation from its beginning",
    "no_resolved_attempt": _ATTEMPT,
    "no_request_like_it": _ATTEMPT,
    "counts_calls_only": "send the tests' result with a reference answer: tracegym outcomes FILE --correction COLUMN",
    "references_contradict": "settle which answer is right: tracegym review",
    "reference_may_not_be_all": "take in an attempt at one of {n} that went well, or settle it: tracegym review",
    UNKNOWABLE: "if these texts are published, take them into a home of their own: tracegym build --redaction off",
    "reference_not_answered": "settle which answer is right: tracegym review",
    "doubtful_end": "take in more attempts at the same requests, or settle which end is right: tracegym review",
    "not_searched": "search again: tracegym build",
    NOT_TRUSTED: "look at what its graders judged wrongly, and correct them: tracegym review",
    FAULT: "send the line above to the maintainers",
    NOT_SAMPLED: "make tasks of more: tracegym build --most-requests N",
    BUDGET: "go on: tracegym build; a larger budget leaves less (--budget)",
    "no_task": "build again: tracegym build",
}
"""What frees a conversation that was lost for a reason; `{n}`: so many."""


def yield_of(
    private: Lake, clean: CleanSide, standings: Sequence[Standing]
) -> tuple[FunnelStage, ...]:
    """The stages from what arrived to what is exported, in conversations."""
    refused = [record for record in quarantined(private) if not record.is_outcome]
    reasons = {record.code: record.reason for record in refused}
    early = Counter(record.code for record in refused)
    skipped = skipped_of(clean.lake)
    early[FAULT] += counts_of(skipped, ["episodes"], "episode")
    readable = sum(private.counts(EPISODES).values())
    apps = [standing.app for standing in standings]
    passed = [one for standing in standings for one in standing.passed]
    able = frozenset[str]().union(*map(_can_be_tasks, standings))
    worth = [one for one in passed if one.episode_id in able]
    bare = sum(not one.has_tools for one in worth)
    silent = sum(one.only_speaks for one in passed)
    with_tools = sum(_with_tools(private, app) for app in apps) - silent + bare
    gone = _apportioned(with_tools - len(worth), _count_held(clean.lake))
    lost = [_lost_of(clean, standing) for standing in standings]
    tell = _Actions(clean, standings)
    left = len(worth)
    stages = [
        _stage(_IN, readable + early.total(), Counter(), tell, says=_arrival_text(private)),
        _stage(_READABLE, readable, early, tell, why=reasons),
        _stage(_TOOLS, with_tools, Counter({NO_TOOLS: readable - with_tools}), tell),
        _stage("past redaction", left, gone, tell),
    ]
    for name in LATER:
        counts = sum((one[name] for one in lost), Counter[str]())
        left -= counts.total()
        stages.append(_stage(name, left, counts, tell, says=_says(name, standings)))
    return tuple(stages)


def _can_be_tasks(standing: Standing) -> frozenset[str]:
    """Conversations with tools, and those without of which people said what the right answer was."""
    tools = {one.episode_id for one in standing.passed if one.has_tools}
    answered = {
        attempt.episode_id
        for candidate in standing.candidates
        if UNKNOWABLE in candidate.reasons
        for attempt in candidate.attempts
    }
    return standing.accepted_episodes.union(tools, answered)


def first_stages(*, refused: int, readable: int, with_tools: int) -> tuple[FunnelStage, ...]:
    """The stages that are known before a build."""
    bare = readable - with_tools
    return (
        FunnelStage(name=_IN, count=readable + refused),
        FunnelStage(
            name=_READABLE, count=readable, lost=_counts({"refused": refused}, _EXPLAIN, REFUSED)
        ),
        FunnelStage(
            name=_TOOLS, count=with_tools, lost=_counts({NO_TOOLS: bare}, ACTIONS[NO_TOOLS])
        ),
    )


def _counts(lost: Mapping[str, int], action: str, says: str = "") -> tuple[Count, ...]:
    return tuple(
        Count(name=name, count=n, says=says or WHY[name], action=action)
        for name, n in lost.items()
        if n
    )


def as_documents(stages: Iterable[FunnelStage]) -> list[dict[str, object]]:
    """The table as plain JSON values."""
    return [
        {
            "stage": stage.name,
            "count": stage.count,
            "lost": {lost.name: lost.count for lost in stage.lost},
            "actions": {lost.name: lost.action for lost in stage.lost if lost.action},
        }
        for stage in stages
    ]


def table_rows(stages: Iterable[FunnelStage]) -> list[tuple[str, str, str, str]]:
    """The table's rows under `HEADINGS`: a stage's first reason stands beside it, each other one in a row of its own."""
    rows: list[tuple[str, str, str, str]] = []
    for stage in stages:
        lost = [
            (f"{one.count} {one.says or one.name}".rstrip("."), one.action) for one in stage.lost
        ]
        first, *others = lost or [("", "")]
        rows.append((stage.name, str(stage.count), *first))
        rows += [("", "", *other) for other in others]
    return rows


def _with_tools(private: Lake, app: str) -> int:
    """How many conversations of an app called a tool or were offered one."""
    found = 0
    for day in sorted(day for of, day in private.stamps("episodes") if of == app):
        rows = private.read(EPISODES, app=app, days=[day], columns=("tools", "steps"))
        for batch in rows.to_batches():
            found += int(np.count_nonzero(_calls_in(batch)))
    return found


def _calls_in(batch: pa.RecordBatch) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """For each episode whether it has tools or calls."""
    offered = (
        pc.list_value_length(batch.column("tools")).fill_null(0).to_numpy(zero_copy_only=False)
    )
    steps = batch.column("steps")
    parents = pc.list_parent_indices(steps).to_numpy(zero_copy_only=False)
    calls = pc.struct_field(pc.list_flatten(steps), "tool_calls")
    made = pc.list_value_length(calls).fill_null(0).to_numpy(zero_copy_only=False)
    called = np.bincount(parents, weights=made, minlength=batch.num_rows)
    return np.asarray((offered > 0) | (called > 0))


def _count_held(clean: Lake) -> Counter[str]:
    """Conversations that the gate held back, by reason."""
    held = Counter[str]()
    for row in account_in(clean):
        if row.what == HELD:
            held[row.kind] += row.count
    return held


def _apportioned(lost: int, reasons: Counter[str]) -> Counter[str]:
    """So many losses over counts of reasons that may hold more, the most frequent first; what no reason explains is a fault."""
    found = Counter[str]()
    for reason, count in reasons.most_common():
        found[reason] = min(count, lost - found.total())
    found[FAULT] += lost - found.total()
    return +found


def _lost_of(clean: CleanSide, standing: Standing) -> dict[str, Counter[str]]:
    """By stage, why conversations past redaction stay behind."""
    stages = {name: Counter[str]() for name in LATER}
    leaking = _leaking(clean, standing.app)
    sample = sample_of(clean.lake, standing.app)
    tasks = {a.episode_id: c for c in standing.candidates for a in c.attempts}
    able = _can_be_tasks(standing)
    for one in standing.passed:
        candidate = tasks.get(one.episode_id)
        accepted = one.episode_id in standing.accepted_episodes
        if one.episode_id not in able:
            continue
        verdict = standing.verdicts.get(candidate.task.task_id) if candidate else None
        if one.withheld_consent:
            stages[OUTCOME]["do_not_train"] += 1
        elif one.unlabelled and not accepted:
            stages[OUTCOME][one.unlabelled] += 1
        elif candidate is None:
            drawn = sample is None or one.episode_id in sample.stratum_of
            stages[TASK]["no_task" if drawn else NOT_SAMPLED] += 1
        elif not candidate.solution:
            reasons = candidate.reasons or ("no_solution",)
            stages[TASK][UNKNOWABLE if UNKNOWABLE in reasons else reason_group(reasons[0])] += 1
        elif verdict is None or verdict.status != ACCEPTED:
            reasons = (verdict.reasons or (verdict.status,)) if verdict else (FAULT,)
            stages[TAKEN][reason_group(reasons[0])] += 1
        elif why := leaking(candidate.task):
            stages[EXPORTED][why] += 1
    return stages


def _leaking(clean: CleanSide, app: str) -> Callable[[Task], str]:
    """Why a task is not exported although it was accepted; empty where it is."""
    if clean.redaction == "off":
        return lambda _: ""
    found = leaks_of(clean.folder, app)
    if found is None:
        return lambda _: "not_searched"
    pieces = frozenset(found.pieces)
    return lambda task: "leaks" if found.shared or is_among(pieces, task) else ""


class _Actions:
    """The one action that frees most, by reason."""

    def __init__(self, clean: CleanSide, standings: Sequence[Standing]) -> None:
        self._clean = clean
        self._apps = [standing.app for standing in standings]
        self._labelled = sum(standing.labelled for standing in standings)
        self._resolved = sum(standing.resolved for standing in standings)

    def action_for(self, reason: str, count: int, stage: str) -> str:
        """What to do about so many conversations."""
        if stage == _READABLE:
            return _EXPLAIN
        if reason in {"leak", "withheld_leaf"}:
            return self._key() or "decide about what was withheld: tracegym redact review"
        if reason == "leaks":
            return next(
                (
                    to_settle(one)
                    for app in self._apps
                    if (one := leaks_of(self._clean.folder, app)) and one.leaks
                ),
                "",
            )
        if reason == "good_attempt_not_graded" and (tools := self._suspected()):
            return f"if they change nothing, name them in worlds.toml: reads = {json.dumps(tools, ensure_ascii=False)}"
        if action := ACTIONS.get(reason.partition(":")[0]):
            failed = reason in _NEEDS_ATTEMPT and self._labelled and not self._resolved
            return (_ALL_FAILED.format(n=self._labelled) if failed else "") + action.format(n=count)
        return _REVIEW if stage in {TASK, TAKEN} else ""

    def _suspected(self) -> list[str]:
        """The tools with most calls of which too few calls show that they only look."""
        worlds = (world_of(self._clean.lake, app) for app in self._apps)
        tools = [
            tool
            for world in worlds
            if world is not None
            for tool in world.tools
            if tool.evidence.get("suspected") == TOO_FEW
        ]
        return [tool.name for tool in sorted(tools, key=lambda t: (-t.support, t.name))[:3]]

    def _key(self) -> str:
        """The key whose values keep most conversations waiting."""
        waiting = waiting_keys(
            row for app in self._apps for row in account_in(self._clean.lake, app)
        )
        if not waiting:
            return ""
        said = json.dumps(waiting[0].key.lower(), ensure_ascii=False)
        return f"declare what {said} holds ({waiting[0].conversations} conversations): tracegym redact review"


def _stage(  # noqa: PLR0913 - one row of the table
    name: str,
    count: int,
    lost: Counter[str],
    tell: _Actions,
    *,
    says: str = "",
    why: Mapping[str, str] | None = None,
) -> FunnelStage:
    ranked = sorted(lost.items(), key=lambda item: (-item[1], item[0]))
    return FunnelStage(
        name=name,
        count=count,
        says=says,
        lost=tuple(
            Count(
                name=reason,
                count=n,
                says=(why or {}).get(reason) or WHY.get(reason) or reason_says(reason),
                action=tell.action_for(reason, n, name),
            )
            for reason, n in ranked
            if n
        ),
    )


def _says(name: str, standings: Sequence[Standing]) -> str:
    """What stands beside a stage's number."""
    tasks = sum(len(s.candidates) for s in standings)
    accepted = sum(s.accepted for s in standings)
    if name == TASK:
        return f"attempts at {tasks} requests"
    if name == TAKEN:
        return (
            f"attempts at {accepted} tasks that survived every attack{right_ends(list(standings))}"
        )
    return ""


def _arrival_text(private: Lake) -> str:
    """What the conversations came in as."""
    tables = {"spans": SPANS, "log records": LOG_EVENTS, "conversations of files": CHATS}
    counts = {name: sum(counts_once(private, table).values()) for name, table in tables.items()}
    told = [f"{n} {name}" for name, n in counts.items() if n]
    return (
        f"put together from {', '.join(told)}; what was refused counts as one each" if told else ""
    )
