"""Whether this process still holds the homes that it builds: a build whose lease another machine took writes nothing more.

Comes in: a home's URL from `home.owner`, a table's URL from `lake`. Goes out: nothing, or a `LakeError`. A process that builds
nothing (`ingest`, `serve`, a step that a build started) is not asked.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dagster_project.errors import LakeError

_guard: Final = threading.Lock()
_lost: Final[dict[str, bool]] = {}


@contextmanager
def owning(url: str) -> Iterator[None]:
    """Remember that this process builds the home at a URL."""
    with _guard:
        _lost[url] = False
    try:
        yield
        require_owner(url)
    finally:
        with _guard:
            _lost.pop(url, None)


def mark_lost(url: str) -> None:
    """Remember that it does so no more."""
    with _guard:
        if url in _lost:
            _lost[url] = True


def require_owner(url: str) -> None:
    """Refuse what would be written at a URL when the home above it was lost."""
    with _guard:
        gone = [
            home for home, is_lost in _lost.items() if is_lost and f"{url}/".startswith(f"{home}/")
        ]
    if gone:
        raise LakeError(
            f"this build lost its claim on {gone[0]}: the storage did not answer for too long, or another machine took "
            "over; what was stored stays, run the build again"
        )
