"""What could stand in one place of a message, with features that any app has.

In: a place, its schema, the situation, recorded forms. Out: candidates. A candidate's traits say where its value was shown, whether
the user or the last result showed it, what stood beside it, whether it was used or refused before; never what it means.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from environments.runtime.task.attempt import Json
from examples.train_small.forms import Form
from examples.train_small.shown import USER, Known, Scalar
from examples.train_small.situation import Situation

Traits: TypeAlias = NDArray[np.int64]

_NUMBER: Final = re.compile(r"[-+]?\$?\d+(\.\d+)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One thing that could stand there."""

    value: Any
    traits: Traits
    """Checksums of what is said about it."""
    form: Form | None = None
    """A recorded text whose slots are still to be filled."""


@cache
def checksum(text: str) -> int:
    """A number that stands for a trait."""
    return crc32(text.encode())


def _sums(traits: Iterable[str]) -> Traits:
    return np.array([checksum(trait) for trait in traits], np.int64)


_SAME_KEY: Final = checksum("same key")


END: Final = Candidate(value=None, traits=_sums(["end"]))
"""Nothing more comes into the list."""
SKIP: Final = Candidate(value=None, traits=_sums(["skipped"]))
"""The argument is left out."""
FILL: Final = Candidate(value=True, traits=_sums(["filled"]))
"""It is not."""


class Offers:
    """What a situation offers: the traits of its values, worked out once."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._traits: dict[int, tuple[frozenset[str], Traits, Traits]] = {}

    def candidates(
        self,
        place: str,
        schema: Any,  # noqa: ANN401 - JSON schema
        forms: Sequence[Form] = (),
        chosen: Sequence[Json] = (),
    ) -> list[Candidate]:
        """Everything that fits the schema and is not chosen yet."""
        options = _options(schema)
        if options is not None:
            return [
                Candidate(value=option, traits=_sums(_option_traits(option, self._situation)))
                for option in options
                if option not in chosen
            ]
        kinds = _kinds(schema)
        key = _stem(re.split(r"[. ]", place)[-1])
        recorded = [
            Candidate(value=None, traits=_sums(["form", f"form {number}"]), form=form)
            for number, form in enumerate(forms)
        ]
        shown = [
            Candidate(value=value, traits=self._of(one, key))
            for one in self._situation.known.values()
            if (value := _fitting(one.value, kinds)) is not None and value not in chosen
        ]
        return [*recorded, *shown]

    def _of(self, one: Known, key: str) -> Traits:
        found = self._traits.get(id(one))
        if found is None:
            plain = _sums(_traits(one, self._situation))
            keys = frozenset(_stem(seen.place.rsplit(".", 1)[-1]) for seen in one.seen)
            found = self._traits[id(one)] = (keys, plain, np.append(plain, _SAME_KEY))
        keys, plain, same = found
        return same if key in keys else plain


def _stem(key: str) -> str:
    return key.rstrip("s")


def _options(schema: Any) -> list[Json] | None:  # noqa: ANN401 - JSON schema
    for one in (schema, *(schema.get("anyOf") or ())):
        if one.get("enum"):
            return list(one["enum"])
        if one.get("type") == "boolean":
            return [True, False]
    return None


def _kinds(schema: Any) -> frozenset[str]:  # noqa: ANN401 - JSON schema
    found = [one.get("type") for one in (schema, *(schema.get("anyOf") or ()))]
    return frozenset(k for kind in found for k in (kind if isinstance(kind, list) else [kind]) if k)


def _fitting(value: Scalar, kinds: frozenset[str]) -> Scalar | None:
    """The value as the schema wants it; None where it cannot be."""
    if isinstance(value, bool):
        return None
    if not kinds:
        return value
    if "number" in kinds or "integer" in kinds:
        if isinstance(value, str):
            if not _NUMBER.match(value):
                return None
            value = float(value.replace("$", ""))
            value = int(value) if value.is_integer() else value
        return value if "number" in kinds or isinstance(value, int) else None
    return value if isinstance(value, str) else None


def _option_traits(option: Json, situation: Situation) -> Iterator[str]:
    name = str(option)
    words = set(re.findall(r"[^\W_]+", name.casefold()))
    yield f"option {name}"
    for word in situation.requested.split():
        yield f"option {name} {word}"
    for word in situation.said_last.split():
        yield f"option {name} said {word}"
    if any(word in situation.spoken for word in words):
        yield "option said"


def _traits(one: Known, situation: Situation) -> Iterator[str]:
    last = len(situation.messages) - 1
    text = str(one.value)
    small = text.casefold()
    places = {seen.place: seen for seen in one.seen}
    for place, seen in places.items():
        yield f"at {place}"
        if seen.at == last:
            yield f"last {place}"
        if place == USER:
            shape = _shape(text)
            yield f"shape {shape}"
            yield from (f"{around} {shape}" for around in seen.beside)
            continue
        yield f"at {place} turn {min(seen.turn, 2)}"
        yield from _beside(place, seen.beside, situation)
    if USER not in places and len(text) > 2 and small in situation.spoken:
        yield "spoken request" if small in situation.requested else "spoken"
    if USER in places and len(places) > 1:
        yield "user and result"
    if small in situation.said_last:
        yield "said last"
    used = [name for name, arguments in situation.done if f'"{text}"' in arguments]
    if used:
        yield "used"
        yield f"used {used[-1]}"
    if any(f'"{text}"' in arguments for arguments in situation.refused):
        yield "refused"


def _beside(place: str, beside: Sequence[str], situation: Situation) -> Iterator[str]:
    """What the user said of the record that the value stands in."""
    said = {text for text in beside if text in situation.spoken}
    if said:
        yield f"beside {place}"
        yield f"beside {min(3, len(said))} {place}"
        if any(text in situation.requested for text in said):
            yield f"beside request {place}"
        if any(text in situation.said_last for text in said):
            yield f"beside said {place}"


@cache
def _shape(text: str) -> str:
    """A text's letters and digits without what they are."""
    rough = re.sub(
        r"[A-Z]?[^\W\d_A-Z]+", lambda found: "Aa" if found[0][0].isupper() else "a", text
    )
    return re.sub(r"[A-Z]{2,}", "A", re.sub(r"\d+", "9", rough))[:24]
