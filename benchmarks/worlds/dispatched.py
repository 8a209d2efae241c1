"""What generic tools cost a world: invented backends, each behind few tools whose arguments say what is meant.

The same attempts and sequences as
`benchmarks.worlds.unseen`, every call made in one form. Aimed at: the counts of the plain form in each. Not here: how worlds are learnt.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote, urlencode

from benchmarks.testbeds.invented.attempts import Attempt, Made, attempts, episode
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.result_forms import FORMS as ENVELOPES
from benchmarks.testbeds.result_forms import NOISE
from benchmarks.worlds.unseen import asked_in_form

Form = Callable[[Made], Made]


def _action(made: Made) -> Made:
    """An argument that is called so itself is called otherwise: it would be lost."""
    own = {"step" if k == "action" else k: v for k, v in made.arguments.items()}
    return replace(made, name="backend", arguments={"action": made.name, **own})


def _object(made: Made) -> Made:
    operation, _, what = made.name.partition("_")
    said = {"object": what or "session", "operation": operation}
    return replace(made, name="crm", arguments={**said, "data": made.arguments})


def _proxy(made: Made) -> Made:
    said = {"name": made.name, "arguments": made.arguments}
    return replace(made, name="call_tool", arguments=said)


def _text(made: Made) -> Made:
    said = {"endpoint": made.name.replace("_", "/"), "params": json.dumps(made.arguments)}
    return replace(made, name="call_api", arguments=said)


def changing(style: Style, seed: int) -> frozenset[str]:
    """The tools whose calls leave a backend another than it was: behind HTTP they are no GET."""
    found: set[str] = set()
    for attempt in attempts(style, seed):
        backend = style.make()
        for made in attempt.calls:
            before = repr(vars(backend))
            backend.call(made.name, json.loads(json.dumps(made.arguments)))
            found |= {made.name} if repr(vars(backend)) != before else set()
    return frozenset(found)


def _method(made: Made, changes: frozenset[str]) -> str:
    return "POST" if made.name in changes else "GET"


def _http(made: Made, changes: frozenset[str]) -> Made:
    """An id that comes first in the path; what else a look-up takes in the query, what a change takes in the body."""
    path, rest = "/" + made.name.replace("_", "-"), dict(made.arguments)
    first = next(iter(rest), None)
    if first is not None and first.endswith("id"):
        what = first.removesuffix("id").strip("_") or "record"
        path = f"/{what}s/{quote(str(rest.pop(first)), safe='')}{path}"
    looks = made.name not in changes
    said: dict[str, Any] = {"method": _method(made, changes)}
    if looks and all(isinstance(v, str | int | float) and v != "" for v in rest.values()):
        query = {k: v if isinstance(v, str) else json.dumps(v) for k, v in rest.items()}
        said["path"] = path + ("?" + urlencode(query) if query else "")
    else:
        said |= {"path": path, "body": rest}
    return replace(made, name="http_request", arguments=said)


def _proxied_content(made: Made) -> Made:
    return replace(_proxy(made), content=ENVELOPES["content and isError"](made))


def _language(made: Made) -> Made:
    return replace(made, arguments={"locale": "en-GB", **made.arguments})


def _switch(made: Made) -> Made:
    if NOISE.random() >= SWITCHED:
        return made
    return replace(made, arguments={**made.arguments, "verbose": NOISE.random() < 0.5})


def _in_session(key: str) -> Form:
    """Every call of an attempt with one sign of its own."""
    sign = hashlib.sha256(key.encode()).hexdigest()[:24]
    return lambda made: replace(made, arguments={**made.arguments, "session": sign})


SWITCHED: Final = 0.15
SESSION: Final = "a session beside"
PLAIN: Final[dict[str, Form | None]] = {
    "as it is": None,
    "action": _action,
    "object and operation": _object,
    "proxy": _proxy,
    "JSON in a string": _text,
    "proxy, content and isError": _proxied_content,
    "a language beside": _language,
    "a switch at times": _switch,
    SESSION: _in_session(""),
}


def forms_of(style: Style, seed: int) -> dict[str, Form | None]:
    """Every form of one backend's calls."""
    NOISE.seed(f"{style.name}/{seed}")
    changes = changing(style, seed)
    named = lambda made: replace(made, name=_method(made, changes).lower() + "_" + made.name)  # noqa: E731 - a form
    return {**PLAIN, "as it is, named by method": named, "http": lambda made: _http(made, changes)}


def formed(attempt: Attempt, form: Form | None) -> Attempt:
    """The same attempt, every call in one form."""
    if form is None:
        return attempt
    if form is PLAIN[SESSION]:
        form = _in_session(f"{attempt.task} {attempt.number} {len(attempt.calls)}")
    return replace(attempt, calls=tuple(map(form, attempt.calls)))


def measure(style: Style, form: Form | None, seed: int) -> tuple[list[Counter[str]], int]:
    """Verdicts of held-out attempts and of recombined sequences, and how many tools the world has."""
    world, both = asked_in_form(style, seed, lambda a: formed(a, form), lambda a: episode(style, a))
    return [Counter(j.verdict for j in told.judged) for told in both], len(world.tools)
