"""Which engine a build runs on, from its settings and from what this machine, or this container, has.

Comes in: workers, memory and engine as a person sets them, each with a default. Goes out: the engine, and a sentence that says what it may
take. Quotas of a container (cgroups) count as well as the machine's own cores and memory.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dagster_project.engine.interface import Engine
from dagster_project.engine.processes import BASE, Processes
from dagster_project.engine.serial import Serial
from dagster_project.errors import InputError

LOCAL: Final = "local"
RAY: Final = "ray"
SHARE: Final = 0.8
"""Of the memory that is free, what workers may take unless a person says otherwise."""
_MEMINFO: Final = Path("/proc/meminfo")
_LIMITS: Final = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChoice:
    """Where the heavy maps run, as a person sets it."""

    workers: int = 0
    """0: one per core that this process may use, or per processor of the Ray cluster."""
    memory: int = 0
    """MiB that all workers on this machine together may take; 0: four fifths of what is free."""
    engine: str = LOCAL
    """`local`, `ray` (a cluster on this machine), or a cluster's address."""

    def open(self) -> Engine:
        """The engine."""
        if self.workers < 0 or self.memory < 0:
            raise InputError("workers and memory are counted from 1; 0 leaves them to tracegym")
        if self.engine != LOCAL:
            return self._on_ray()
        workers = self.workers or cores()
        if workers == 1:
            return Serial()
        return Processes(workers=workers, memory=self.memory or int(SHARE * free_memory()))

    def _on_ray(self) -> Engine:
        try:
            # ray: an extra, 1 s
            from dagster_project.engine.on_ray import OnRay  # noqa: PLC0415
        except ModuleNotFoundError as missing:
            raise InputError(
                "the engine ray needs the extra: install tracegym[ray], or leave --engine out"
            ) from missing
        engine: Engine = OnRay(
            address="" if self.engine == RAY else self.engine, workers=self.workers
        )
        return engine


ONE: Final = EngineChoice(workers=1)
"""Everything in this process."""


def says(engine: Engine) -> str:
    """What the engine may take, as a sentence; empty for what needs none."""
    if isinstance(engine, Processes):
        at_least = max(1, min(engine.workers, engine.memory // BASE))
        return f"up to {at_least} workers in {engine.memory} MiB ({BASE} MiB each, and 8 times what a map shares)"
    return ""


def cores() -> int:
    """Cores that this process may use, a container's quota included."""
    from joblib import cpu_count  # noqa: PLC0415 - joblib: 0.2 s

    return max(1, int(cpu_count()))


def free_memory() -> int:
    """MiB that may still be taken, a container's limit included."""
    found = [*_available(), *_within_limits()]
    return min(found) if found else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20


def _available() -> list[int]:
    if not _MEMINFO.exists():
        return []
    lines = _MEMINFO.read_text(encoding="utf-8").splitlines()
    return [int(line.split()[1]) >> 10 for line in lines if line.startswith("MemAvailable:")]


def _within_limits() -> list[int]:
    """What is left below each limit of the container; `max` is none."""
    read = [(limit.read_text("utf-8").strip(), used) for limit, used in _LIMITS if limit.exists()]
    return [
        max(0, int(limit) - int(used.read_text("utf-8"))) >> 20
        for limit, used in read
        if limit.isdigit() and used.exists()
    ]
