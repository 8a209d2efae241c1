"""Canonical JSON (RFC 8785) and the hashes over it: one text for equal values, whatever the order of their keys.

Goes in: JSON values. Comes out: text, SHA-256 digests, the version of a task. One extension: whole numbers beyond
2**53, which RFC 8785 leaves out, keep all their digits, so that two long ids never become one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from json import encoder
from math import isfinite
from typing import Final

from ..task.attempt import Json
from ..task.rubric import Rubric
from ..task.share import PAYS_ALL
from ..task.task import Task

_quote: Final[Callable[[str], str]] = encoder.encode_basestring
"""JSON text of a string with only the escapes that RFC 8785 asks for."""
_WORDS: Final = {None: "null", True: "true", False: "false"}


class NotCanonicalError(ValueError):
    """A value that is not JSON (NaN, an infinity, a set) or is nested too deep."""


def canonical(value: object) -> str:
    """The one canonical JSON text of a value."""
    try:
        return _text(value)
    except RecursionError as fault:
        raise NotCanonicalError("the value is nested too deep for JSON") from fault


def digest(value: object) -> str:
    """SHA-256 over the canonical JSON, in hex."""
    return digest_bytes(canonical(value).encode("utf-8", "surrogatepass"))


def digest_bytes(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def task_version(
    task: Task, rubric: Rubric, *, world_digest: str = "", pays: str = PAYS_ALL
) -> str:
    """The hash over what decides a run and its verdict: task, rubric, world and what pays, without notes for people.

    A task that pays its share is another version: its rewards never stand beside those of all-or-nothing.
    """
    content = task.to_json()
    del content["provenance"]
    decides = {"task": content, "rubric": rubric_hash(rubric), "world": world_digest}
    return digest(decides if pays == PAYS_ALL else {**decides, "pays": pays})


def rubric_hash(rubric: Rubric) -> str:
    """The hash over what decides a verdict: not the evidence, the support or where a check came from."""
    deciding = ("check_id", "fn", "args", "role", "required", "positive", "weight")
    checks: list[Json] = [
        {name: value for name, value in check.to_json().items() if name in deciding}
        for check in rubric.checks
    ]
    return digest({"format": rubric.format, "checks": checks})


def _text(value: object) -> str:
    if isinstance(value, str):
        return _quote(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _number(value)
    return _container(value)


def _container(value: object) -> str:
    if isinstance(value, Mapping):
        names = sorted(value, key=_utf16)
        return "{" + ",".join([f"{_quote(name)}:{_text(value[name])}" for name in names]) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join([_text(item) for item in value]) + "]"
    raise NotCanonicalError(f"a value of type {type(value).__name__} is not JSON")


def _utf16(name: object) -> bytes:
    """RFC 8785 sorts names by UTF-16 code units, which differs from code points above U+FFFF."""
    if not isinstance(name, str):
        raise NotCanonicalError(f"a key of type {type(name).__name__} is not JSON")
    return name.encode("utf-16-be", "surrogatepass")


def _number(value: float) -> str:
    """As ECMAScript prints it; Python finds the same shortest digits but lays them out otherwise."""
    if not isfinite(value):
        raise NotCanonicalError("NaN and infinities are not JSON")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or "0") - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return sign + _layout(digits, point)


def _layout(digits: str, point: int) -> str:
    """Digits with the decimal point after the first `point` of them, by the rules of ECMAScript's Number::toString."""
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    shown = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{shown}e{'+' if power > 0 else '-'}{abs(power)}"
