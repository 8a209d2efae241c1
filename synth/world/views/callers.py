"""Callers: how each agent sends arguments and what wraps its results.

Comes from observations as recorded; leaves them in normal form. Not here: what the tools do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.literals import parse_json
from environments.runtime.values.normal import coerce, simplify, unwrap
from synth.world.observation import History, every_call
from synth.world.support import SEEN_TWICE

MIN_ENVELOPES: Final = SEEN_TWICE
"""Results in the same envelope before it counts as one."""
MAX_AFFIX: Final = 40


def learn_envelopes(histories: Iterable[History]) -> dict[str, dict[str, Json]]:
    """Per caller: the fixed text, running number and quoting that its results come wrapped in."""
    votes: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for seen in every_call(histories):
        affix = _affix(seen.content)
        if affix is not None:
            votes[seen.caller][affix] += 1
    out: dict[str, dict[str, Json]] = {}
    for caller, counts in votes.items():
        (before, middle), n = counts.most_common(1)[0]
        if n >= MIN_ENVELOPES:
            out[caller] = {"before": before, "middle": middle, "after": "", "support": n}
    return out


def _affix(content: str) -> tuple[str, str] | None:
    """`before`, number, `middle` of a text that ends in one quoted JSON string."""
    quote = content.find('"')
    if quote <= 0 or quote > MAX_AFFIX or not content.endswith('"'):
        return None
    head = content[:quote]
    before = head.rstrip("0123456789 =:>-")
    rest = head[len(before) :]
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    inner = parse_json(content[quote:])
    if not digits or not before or inner is None or not isinstance(inner.value, str):
        return None
    return before, rest[len(digits) :]


def normalise(
    histories: Iterable[History],
    *,
    forms: Mapping[str, Mapping[str, str]],
    envelopes: Mapping[str, Mapping[str, Any]],
) -> None:
    """Put every observation into normal form, in place."""
    for seen in every_call(histories):
        known = forms.get(seen.tool, {})
        sent = {n: coerce(v, known.get(n, "")) for n, v in seen.arguments.items()}
        seen.arguments = {name: simplify(value) for name, value in sent.items()}
        seen.sent = _whole_floats(sent)
        seen.content = unwrap(seen.content, envelopes.get(seen.caller))
        seen.settle()


def _whole_floats(sent: Mapping[str, Json]) -> dict[str, Json] | None:
    """Arguments that hold `5.0`, where the call has `5` from here on: what is computed of them differs."""
    found = {name: value for name, value in sent.items() if _has_whole(value)}
    return found or None


def _has_whole(value: Json) -> bool:
    if isinstance(value, list):
        return any(map(_has_whole, value))
    return isinstance(value, float) and value.is_integer()


def seen_forms(histories: Iterable[History]) -> dict[str, dict[str, str]]:
    """Arguments that come as a list or object from one caller and as its text from another."""
    kinds: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for seen in every_call(histories):
        for name, value in seen.arguments.items():
            kinds[seen.tool, name][_kind(value)] += 1
    out: dict[str, dict[str, str]] = {}
    for (tool, name), counts in kinds.items():
        for form in ("array", "object"):
            if counts[form] and counts[f"{form} text"]:
                out.setdefault(tool, {})[name] = form
    return out


def _kind(value: Json) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, dict):
        return "object"
    if isinstance(value, str) and value[:1] in "[{":
        for form in ("array", "object"):
            if not isinstance(coerce(value, form), str):
                return f"{form} text"
    return "scalar"
