"""The class of a result: what tells that a call did something from what tells that nothing was done.

Goes in: the text of a result and the call's arguments. Comes out: a class by name. Not here: which classes are refusals
(`world.tool` reads it from the world file).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..task.attempt import Json
from ..values.literals import parse_json
from ..values.mentions import names_in
from ..values.normal import mask

ERROR_WORDS: Final = frozenset({"error", "errors", "exception", "fault", "failed", "failure"})
GOOD_FLAGS: Final = frozenset({"ok", "success", "succeeded", "successful"})
"""Protocol words (JSON-RPC, HTTP and MCP results use them), not the words of any data set."""
STATUS_FIELDS: Final = frozenset({"status", "status_code", "statuscode", "code", "http_status"})
"""Where a number as HTTP has them says how a call ended."""
STATUS_FAILS: Final = "status=fails"
"""In the class of a record whose status is the word for a failed call, beside a message (JSend)."""
_FAILED_CALL: Final = frozenset({"error", "fail"})
_MESSAGES: Final = frozenset({"message", "detail", "reason", "msg"})
_WORDS: Final = "text:"
PARTLY: Final = "\x00+"
"""Before a field that a class of results shows beside what failed."""


def outcome_of(content: str, arguments: Mapping[str, Json]) -> str:
    """The class of a result: the fields of a record, `list`, or a text with holes."""
    parsed = parse_json(content)
    if parsed is None:
        return _WORDS + mask(content[:2000], arguments)
    if isinstance(parsed.value, dict):
        flags = [f"{k}={v}" for k, v in parsed.value.items() if isinstance(v, bool)]
        flags += [f"{k}={v // 100}xx" for k, v in statuses_in(parsed.value) if v >= 400]
        flags += [STATUS_FAILS] if _fails_by_status(parsed.value) else []
        more = "".join(f"{PARTLY}{field}" for field in _shown_beside_fault(parsed.value))
        return "record:" + ",".join(sorted(parsed.value)) + "|" + ",".join(sorted(flags)) + more
    if isinstance(parsed.value, list):
        return "list"
    return f"value:{'false' if parsed.value is False else type(parsed.value).__name__}"


def is_of_words(outcome: str) -> bool:
    """Whether a class is that of texts."""
    return outcome.startswith(_WORDS)


def statuses_in(record: Mapping[str, Json]) -> list[tuple[str, int]]:
    """Fields that may hold a number as HTTP has them, with these numbers."""
    named = [(k, v) for k, v in record.items() if k.lower() in STATUS_FIELDS]
    return [(k, v) for k, v in named if type(v) is int and 100 <= v < 600]


def _fails_by_status(record: Mapping[str, Json]) -> bool:
    """Whether a record says by its status that the call failed, and says why."""
    status = next((v for k, v in record.items() if k.lower() == "status"), None)
    inside = [record, *(v for v in record.values() if isinstance(v, dict))]
    has_message = any(name.lower() in _MESSAGES for one in inside for name in one)
    return isinstance(status, str) and status.lower() in _FAILED_CALL and has_message


def _shown_beside_fault(record: Mapping[str, Json]) -> list[str]:
    """Fields of a record that says what failed, in which something is named all the same: it may have been done in part."""
    faults = [k for k in record if k.lower() in ERROR_WORDS]
    failed = any(record[k] for k in faults) or any(record.get(k) is False for k in GOOD_FLAGS)
    shown = (k for k, v in record.items() if isinstance(v, dict | list) and k not in faults)
    return sorted(k for k in shown if names_in(record[k])) if failed else []
