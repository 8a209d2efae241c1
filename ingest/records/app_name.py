"""The app's name as tables and paths may carry it.

Telemetry never names a path: whatever a resource calls itself is percent-encoded and capped here.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

UNNAMED: Final = "unknown"
"""The app of data that names none."""

_LONGEST: Final = 64


def safe_app_name(text: str | None) -> str:
    """At most 64 characters of `A-Za-z0-9_.~-` and `%`, never empty, never starting with a dot."""
    # "%" stays, so that a name that was made safe already is its own safe name.
    encoded = quote((text or "").strip(), safe="%", errors="replace")[:_LONGEST]
    if encoded.startswith("."):
        encoded = "%2E" + encoded[1 : _LONGEST - 2]
    return encoded or UNNAMED
