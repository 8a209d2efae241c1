"""What an envelope around every result costs a world: invented backends, each in the forms that tool servers wrap results in.

The same attempts and sequences as `benchmarks.worlds.unseen`, with every
answer put into one form; only the envelope then says which calls failed. The last forms also hold what differs from call to call, a request's
number and duration (log 0131): their answers are right by format. Not here: how worlds are learnt.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import Attempt, Made, chat
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.office.files import FILES
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.text_forms import TEXTS
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from benchmarks.worlds.unseen import asked_in_form

Form = Callable[[Made], str]
STYLES: Final = (TICKETS, FILES, LEDGER)


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

ALL: Final[dict[str, Form]] = FORMS | MIXED | REFUSED | LITERAL | WRITTEN


def wrapped(attempt: Attempt, form: Form | None) -> Attempt:
    """The same attempt, every answer in one form."""
    if form is None:
        return attempt
    return replace(attempt, calls=tuple(replace(m, content=form(m)) for m in attempt.calls))


def line_of(style: Style, attempt: Attempt, *, flags: bool) -> dict[str, Any]:
    """An attempt as a line of a chat log, with or without what the source says of errors."""
    line = chat(style, attempt)
    if not flags:
        for message in line["messages"]:
            message.pop("tg", None)
    return line


def measure(style: Style, form: Form | None, seed: int, *, flags: bool) -> list[Counter[str]]:
    """Verdicts of held-out attempts and of recombined sequences."""
    NOISE.seed(f"noise/{seed}")
    found = []
    _, both = asked_in_form(
        style,
        seed,
        lambda a: wrapped(a, form),
        lambda a: to_episode(line_of(style, a, flags=flags)),
    )
    for told in both:
        counts = Counter(j.verdict for j in told.judged)
        counts["bytes"] = sum(
            j.verdict == "exact" and j.result.content != j.call.content for j in told.judged
        )
        found.append(counts)
    return found
