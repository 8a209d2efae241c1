"""Whether a tool's result says that the call failed, and in which words.

Goes in: a result's text and what its source says of it. Comes out: the message, or None. An error is what the source marks as
one, what stands in a field for errors, or a text that begins like one; what a source does not mark may be one all the same:
a span ends well, and MCP's flag stays down, when a tool returns its refusal as an answer. Not here: which answers of one tool
are refusals in its app's own words (`synth.world.schema.outcomes` learns that from many).
"""

from __future__ import annotations

import re
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from environments.runtime.answers.outcome import GOOD_FLAGS
from environments.runtime.task.attempt import Json
from synth.tool_content import CALLER, layers, says_error

_PHRASES: Final = "|".join(
    re.escape(f"{status.value} {status.phrase}")
    for status in HTTPStatus
    if status >= HTTPStatus.BAD_REQUEST
)
ERROR_START: Final = re.compile(
    r"\W*(?:(?:[a-z_.]*(?:error|exception)|err|traceback|failed|failure|fatal|invalid|(?:access |permission )?denied|declined|rejected"
    r"|refused|can['\u2019]?t|couldn['\u2019]?t|unauthori[sz]ed|forbidden|time(?:d )?out|cannot|could not|unable to|sorry|no such"
    r"|not (?:found|allowed|permitted|authori[sz]ed|possible)|http(?:/[\d.]+)?\s*[45]\d\d"
    rf"|{_PHRASES}|fehler|erreur|errore|erro|fout|błąd|ошибка|hata)\b|错误|錯誤|エラー|오류|خطأ)",
    re.IGNORECASE,
)
"""How the text of a failed call begins: words for failure in a dozen languages, and HTTP's own phrases (RFC 9110)."""
ERROR_LINE: Final = re.compile(
    r"[^\S\n]*[\w ]{1,30}\b(?:error|failed|failure)\s*:[^\S\n]*\n", re.IGNORECASE
)
"""A line of its own before a text, that says so (`Tool error:`)."""
TIMED_OUT: Final = re.compile(
    r"\b(timed? ?out|timeout|deadline exceeded|gateway time-?out|504)\b", re.IGNORECASE
)
BROKEN: Final = re.compile(
    r"\b(5\d\d|internal (server )?error|(temporarily |service )?unavailable|connection (refused|reset|error|aborted)"
    r"|too many requests|rate limit\w*|try again later|overloaded|maintenance)\b",
    re.IGNORECASE,
)
"""The tool's own trouble: the same call may work at another time."""
HEAD: Final = 200
"""How much of a text tells that it is an error; bounded, because a result may be megabytes of anything."""
ERROR_FIELDS: Final = ("error", "errors", "err", "exception", "errormessage", "fault")
"""Names of fields are compared in small letters and without `_`."""
TEXT_FIELDS: Final = (
    "message",
    "detail",
    "details",
    "description",
    "reason",
    "error",
    "msg",
    "title",
)
SENTENCES: Final = frozenset({"message", "detail", "reason", "msg"})
CODES: Final = frozenset({"code", "status", "statuscode", "type", "title", "instance"})
"""What stands beside a sentence where frameworks answer in one; RFC 9457 has most of them."""
FALSE_FIELDS: Final = GOOD_FLAGS | {"issuccess", "status"}
STATUS_FIELDS: Final = frozenset({"status", "result", "outcome"})
STATUS_WORDS: Final = frozenset({"error", "failed", "failure", "fail"})
NUMBER_FIELDS: Final = frozenset({"statuscode", "httpstatus"})
UNKNOWN: Final = "error"
"""The message of an error that says nothing."""


def error_of(content: str | None, *, is_error: bool | None = None) -> str | None:
    """The error message in a tool result, or None when nothing says that the call failed."""
    text = content or ""
    marked, message, inner = _told_failure(text)
    if message is None and (marked or is_error):
        return inner or text or UNKNOWN
    return message


def looks_failed(text: str) -> bool:
    """Whether a result's text has the shape of a refusal or an error."""
    return error_of(text) is not None


def is_own_trouble(text: str) -> bool:
    """Whether a result says that the call failed for a reason of the tool's own: the same call may work at another time."""
    message = error_of(text)
    return message is not None and bool(TIMED_OUT.search(message) or BROKEN.search(message))


@lru_cache(maxsize=65536)
def _told_failure(text: str) -> tuple[bool, str | None, str]:
    """Whether a layer's protocol says that the call failed, the message that is told, and the text under all layers."""
    marked = False
    value: Json = text
    for value in layers(text):
        if isinstance(value, dict):
            marked = marked or says_error(value)
            message = _message(value)
            if message is not None:
                # What went wrong may be told as another layer's failure in turn.
                return marked, (message != text and error_of(message)) or message, ""
    if isinstance(value, dict):
        value = _only_sentence(_folded(value))
    if not isinstance(value, str):
        return marked, None, ""
    head = CALLER.sub("", value[:HEAD], count=1) if CALLER.match(value[:HEAD]) else value[:HEAD]
    begins = ERROR_START.match(head) or ERROR_LINE.match(head)
    return marked, value if begins else None, value


def _message(value: dict[str, Json]) -> str | None:
    """What a record says went wrong; None where it says nothing of the kind."""
    fields = _folded(value)
    for name in ERROR_FIELDS:
        if fields.get(name):
            return _text_of(fields[name])
    if any(_fails(*field) for field in fields.items()):
        return _text_of(value)
    said = _only_sentence(fields)
    numbers = (item for name, item in fields.items() if name in CODES and type(item) is int)
    return said if any(map(_is_fault, numbers)) else None


def _only_sentence(fields: dict[str, Json]) -> str | None:
    """The text of a record that holds nothing else but codes: an answer in words, which may begin as failed calls do."""
    said = [item for name, item in fields.items() if name in SENTENCES and isinstance(item, str)]
    return said[0] if len(said) == 1 and fields.keys() <= SENTENCES | CODES else None


def _folded(value: dict[str, Json]) -> dict[str, Json]:
    return {name.casefold().replace("_", ""): item for name, item in value.items()}


def _fails(name: str, item: Json) -> bool:
    if item is False:
        return name in FALSE_FIELDS
    if isinstance(item, str):
        return name in STATUS_FIELDS and item.casefold() in STATUS_WORDS
    return name in NUMBER_FIELDS and isinstance(item, int) and _is_fault(item)


def _is_fault(number: int) -> bool:
    return 400 <= number < 600


def _text_of(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for name in TEXT_FIELDS:
            told = value.get(name)
            if isinstance(told, str) and told:
                return told
    if isinstance(value, list) and value:
        return _text_of(value[0])
    return UNKNOWN
