"""What a receiver has done, as Prometheus reads it.

Comes in: counts by a fixed name and labels from fixed lists; never a text of a sender. Goes out: the text exposition
format 0.0.4, which takes a line a number and no library.
"""

from __future__ import annotations

import threading
from typing import Final

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_HELP: Final = {
    "requests": "Requests by protocol, signal and answer.",
    "bodies_stored": "Bodies on the disk, by signal.",
    "bodies_repeated": "Bodies that the log already had, by signal.",
    "body_bytes_stored": "Bytes of bodies as sent that are on the disk, by signal.",
    "waiting_bytes": "Bytes of bodies in memory now.",
    "waiting_bytes_limit": "Bytes of bodies that memory may hold.",
}
_GAUGES: Final = frozenset({"waiting_bytes", "waiting_bytes_limit"})


class Counters:
    """Numbers that only this process knows; they start at nothing with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, dict[str, int]] = {name: {} for name in _HELP}

    def add(self, name: str, count: int = 1, **labels: str) -> None:
        """Count further."""
        key = ",".join(f'{label}="{value}"' for label, value in labels.items())
        with self._lock:
            known = self._values[name]
            known[key] = known.get(key, 0) + count

    def put(self, name: str, value: int) -> None:
        """Set a number that goes up and down."""
        with self._lock:
            self._values[name][""] = value

    def text(self) -> str:
        """All numbers, a line each."""
        lines: list[str] = []
        with self._lock:
            for name, values in self._values.items():
                gauge = name in _GAUGES
                full = f"tracegym_receiver_{name}" + ("" if gauge else "_total")
                lines.append(f"# HELP {full} {_HELP[name]}")
                lines.append(f"# TYPE {full} {'gauge' if gauge else 'counter'}")
                for labels, value in sorted(values.items()):
                    lines.append(f"{full}{{{labels}}} {value}" if labels else f"{full} {value}")
        return "\n".join(lines) + "\n"
