"""Forms that a tool's results come in: envelopes around all of them, refusals in a form of their own, records written as text.

A form makes the text of one recorded call; only the form then says which calls failed. `MIXED` also holds what differs from call to call, a
request's number and duration (log 0131). Not here: attempts in these forms (`benchmarks.worlds.enveloped`), the desk in them (`testbeds.desk.forms`).
"""

from __future__ import annotations

import json
import random
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from xml.sax.saxutils import escape

from benchmarks.testbeds.invented.attempts import Made
from benchmarks.testbeds.invented.text_forms import TEXTS, xml

Form = Callable[[Made], str]


def _value(made: Made) -> Any:  # noqa: ANN401 - a result as JSON
    try:
        return json.loads(made.content)
    except ValueError:
        return made.content


def _text(content: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": content}]


def _ok(made: Made) -> str:
    if made.is_error:
        return json.dumps({"ok": False, "error": {"message": made.content}})
    return json.dumps({"ok": True, "data": _value(made)})


def _status(made: Made) -> str:
    if made.is_error:
        return json.dumps({"status": "error", "code": 422, "message": made.content}, indent=2)
    return json.dumps({"status": "success", "message": None, "result": _value(made)}, indent=2)


def _resource(made: Made) -> str:
    if made.is_error:
        return json.dumps({"errors": [{"status": "422", "detail": made.content}]})
    return json.dumps({"data": {"type": made.name + "s", "attributes": _value(made)}})


def _graph(made: Made) -> str:
    field = "run" + made.name.title().replace("_", "")
    if made.is_error:
        fault = {"message": made.content, "path": [field]}
        return json.dumps({"data": {field: None}, "errors": [fault]}, separators=(",", ":"))
    return json.dumps({"data": {field: _value(made)}}, separators=(",", ":"))


def _vercel(made: Made) -> str:
    value = _value(made)
    kind = "error-text" if made.is_error else "text" if isinstance(value, str) else "json"
    return json.dumps({"type": kind, "value": made.content if made.is_error else value})


def _fenced(made: Made) -> str:
    return made.content if made.is_error else f"```json\n{made.content}\n```"


def _meta() -> dict[str, Any]:
    return {"request_id": f"req_{NOISE.getrandbits(48):012x}", "took_ms": NOISE.randint(8, 240)}


def _with_meta(made: Made) -> str:
    return json.dumps({**json.loads(_ok(made)), "meta": _meta()})


def _literal(made: Made) -> str:
    value = _value(made)
    return repr(value) if isinstance(value, dict | list) else made.content


NOISE: Final = random.Random("noise")  # noqa: S311 - dice

FORMS: Final[dict[str, Form]] = {
    "ok and data": _ok,
    "status and result": _status,
    "data and attributes": _resource,
    "field of a query": _graph,
    "list of content": lambda made: json.dumps(_text(made.content)),
    "content and isError": lambda made: json.dumps(
        {"content": _text(made.content), "isError": made.is_error}
    ),
    "content, then ok and data": lambda made: json.dumps(_text(_ok(made))),
    "JSON in a string": lambda made: json.dumps(made.content),
    "type and value": _vercel,
    "fence": _fenced,
    "line before": lambda made: f"Tool {'error' if made.is_error else 'result'}:\n{made.content}",
}
MIXED: Final[dict[str, Form]] = {
    "ok, data and meta": _with_meta,
    "content, then ok, data and meta": lambda made: json.dumps(_text(_with_meta(made))),
    "meta around content": lambda made: json.dumps(
        {**_meta(), "result": _text(made.content), "isError": made.is_error}
    ),
    "meta around ok and data": lambda made: json.dumps(
        {**_meta(), "result": json.loads(_ok(made))}
    ),
    "content, then time taken": lambda made: (
        f"{json.dumps(_text(made.content))} [took {NOISE.randint(3, 90) / 100:.2f}s]"
    ),
}


def _refused(form: Callable[[str], Any]) -> Form:
    """Answers as they are, refusals in a form of their own: what most servers do."""
    return lambda made: json.dumps(form(made.content)) if made.is_error else made.content


REFUSED: Final[dict[str, Form]] = {
    "refused: detail": _refused(lambda says: {"detail": says}),
    "refused: message": _refused(lambda says: {"message": says}),
    "refused: code, message": _refused(lambda says: {"code": "INVALID_REQUEST", "message": says}),
    "refused: status, message": _refused(lambda says: {"status": "error", "message": says}),
    "refused: success, message": _refused(lambda says: {"success": False, "message": says}),
    "refused: isSuccess": _refused(lambda says: {"isSuccess": False, "reason": says}),
    "refused: resultCode": _refused(lambda says: {"resultCode": "FAILURE", "resultText": says}),
    "refused: problem": _refused(
        lambda says: {"type": "about:blank", "title": "Rejected", "status": 422, "detail": says}
    ),
    "refused: null": _refused(lambda _: None),
    "refused: empty": _refused(lambda _: {}),
    "refused: false": _refused(lambda _: False),
    "refused: sentence": lambda made: made.content,
}

LITERAL: Final[dict[str, Form]] = {
    "as Python writes it": _literal,
    "as Python writes it, in content": lambda made: json.dumps(_text(_literal(made))),
}


def _as_text(write: Callable[[Any], str]) -> Form:
    """Records and lists as text, all else as it is."""

    def form(made: Made) -> str:
        value = _value(made)
        return write(value) if isinstance(value, dict | list) else made.content

    return form


WRITTEN: Final[dict[str, Form]] = {
    f"as text: {name}": _as_text(write) for name, write in TEXTS.items()
}


def _moment() -> datetime:
    return datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=NOISE.randrange(10**7))


RARE: Final = 0.06


def _server() -> str:
    return NOISE.choice(["web-a", "web-b", "web-c"])


def _host(made: Made) -> str:
    """As old hosts write: records and refusals are elements with a number of the call, lists are rows below another."""
    value = _value(made)
    number = f"{NOISE.getrandbits(32):08X}"
    if made.is_error or isinstance(value, str):
        return f'<R RC="9" TX="{number}"><TEXT>{escape(made.content)}</TEXT></R>'
    if not isinstance(value, dict):
        return f"RUN {NOISE.randrange(10**6):06d}  2026-03-01\n{made.content}"
    inside = xml(value).removeprefix("<result>").removesuffix("</result>")
    return f'<R RC="0" TX="{number}">{inside}</R>'


BESIDE: Final[dict[str, Form]] = {
    "a day beside": lambda made: json.dumps(
        {"ok": not made.is_error, "at": f"{_moment():%d.%m.%Y %H:%M}", "data": _value(made)}
    ),
    "a server beside": lambda made: json.dumps(
        {"ok": not made.is_error, "from": _server(), "data": _value(made)}
    ),
    "a time before": lambda made: f"[{_moment():%b %d %H:%M:%S}] {made.content}",
    "an id behind": lambda made: f"{made.content}\n-- {b64encode(NOISE.randbytes(12)).decode()}",
    "a rare flag beside": lambda made: json.dumps(
        {"ok": not made.is_error, "degraded": NOISE.random() < RARE, "data": _value(made)}
    ),
    "records of an old host": _host,
    "headers": lambda made: f"HTTP/1.1 200 OK\nX-Served-By: {_server()}\n\n{made.content}",
}
"""What gateways and loggers put beside results, in no format of its own (log 0278)."""

ALL: Final[dict[str, Form]] = FORMS | MIXED | REFUSED | LITERAL | WRITTEN | BESIDE
