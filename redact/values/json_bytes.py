"""JSON to bytes and back, for whatever stands in telemetry: half characters and whole numbers of any length too.

The fast writer refuses both, and the fast reader what the slow writer makes of them, so each has a slow way behind it.
"""

from __future__ import annotations

import json
from typing import Any

import orjson


def write_json(value: Any) -> bytes:  # noqa: ANN401 - any JSON
    """Return the value as JSON with sorted keys."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def read_json(data: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Return the value that `write_json` wrote; `ValueError` for anything else."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)
