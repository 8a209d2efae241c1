"""What this machine, or this container, has: cores and memory.

Goes out: numbers that respect quotas of a container (cgroups) as well as the machine's own. Reads nothing but the system's own files.
"""

import os
from pathlib import Path
from typing import Final

_MEMINFO: Final = Path("/proc/meminfo")
_LIMITS: Final = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


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
