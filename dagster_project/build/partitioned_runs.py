"""Runs of a build whose steps run in other processes: one run for each app, several at a time.

Comes in: partitions that are stale, and an executor. Goes out: what each run came to. Steps read their resources from the run's
configuration, which Dagster stores: it holds the home and the judge's name, never a secret (those are in the environment).
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import dagster as dg

from dagster_project import errors
from dagster_project.build.progress import tell
from dagster_project.definitions import definitions
from dagster_project.defs.partitions import app_days
from dagster_project.defs.progress_log import LOGGER
from dagster_project.errors import ProjectError, StageError

_OURS: Final = frozenset(
    {"IngestError", "RedactError", "StorageError", "LlmError", "OutcomePolicyError"}
    | {"WorldSettingsError", "RolloutError"}
    | {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, ProjectError)
    }
)
"""Errors that carry a sentence for the user, by name: what comes from another process is text."""


def redact_days() -> dg.JobDefinition:
    """The job of that name, for a process that is told where to find it."""
    return definitions().resolve_job_def("redact_days")


def make_tasks() -> dg.JobDefinition:
    """The job of that name."""
    return definitions().resolve_job_def("make_tasks")


_JOBS: Final[Mapping[str, Callable[[], dg.JobDefinition]]] = {
    "redact_days": redact_days,
    "make_tasks": make_tasks,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AppRun:
    """What one run came to."""

    keys: tuple[str, ...]
    """Its partitions."""
    run_id: str
    fault: Exception | None = None
    """Why a step failed: a `StageError` where a person has to settle it first."""

    def require(self) -> None:
        """Raise why a step failed, if one did."""
        if self.fault is not None:
            raise self.fault


def by_app(keys: Sequence[str]) -> list[list[str]]:
    """Partitions that one run makes: those of one app."""
    return [
        list(of) for _, of in groupby(sorted(keys), key=lambda key: next(iter(app_days([key]))))
    ]


def run_apart(
    job: str,
    wanted: Sequence[tuple[Sequence[str], Mapping[str, str]]],
    *,
    instance: dg.DagsterInstance,
    resources: Mapping[str, Any],
    at_once: int,
) -> list[AppRun]:
    """Run a job for each list of partitions, with the tags that go with it; the runs are in the order asked for."""
    target = dg.reconstructable(_JOBS[job])

    def run_one(keys: Sequence[str], tags: Mapping[str, str]) -> AppRun:
        with dg.execute_job(
            target,
            instance=instance,
            run_config={"resources": resources, "loggers": {LOGGER: {}}},
            tags=dict(tags),
            raise_on_error=False,
        ) as result:
            failures = [
                event.step_failure_data for event in result.all_events if event.is_step_failure
            ]
            return AppRun(
                keys=tuple(keys),
                run_id=result.run_id,
                fault=None if result.success else _fault_of(job, result.run_id, failures),
            )

    done: list[AppRun] = []
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        begun = [pool.submit(copy_context().run, run_one, keys, tags) for keys, tags in wanted]
        for number, future in enumerate(begun):
            tell(job, number, len(begun), f"{len(begun)} runs, {at_once} at a time")
            done.append(future.result())
    tell(job, len(begun), len(begun))
    return done


def _fault_of(job: str, run_id: str, failures: Sequence[Any]) -> Exception:
    """The first failure that a person has to settle, else the first; only our own errors' words are passed on."""
    found: list[tuple[str, str]] = []
    for failure in failures:
        error = failure.error
        while error is not None and error.cause is not None:
            error = error.cause
        if error is not None:
            found.append((error.cls_name or "Exception", error.message))
    for name, message in found:
        if name in _OURS:
            return StageError(message.partition(": ")[2].strip() or name)
    if not found:
        return StageError(
            f"a run of {job} ended without a result: its process was killed or the machine lacks memory; "
            f"run the build again (Dagster run {run_id})"
        )
    # The kind of the error is what is reported of it; its words may quote the data.
    kind: type[Exception] = type(found[0][0], (RuntimeError,), {})
    return kind(f"a step of {job} failed (Dagster run {run_id})")
