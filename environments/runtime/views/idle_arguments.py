"""Idle arguments: what an agent makes up beside what it asks, keys of requests, reasons, the time of now.

Goes in: a call's arguments. Comes out: those that mean something, or why nobody knows what becomes of the call: a key used
twice, a form that no call had, a time that is not now, an argument missing that every call had. Not here: how such
arguments are found (`synth.world.views.idle_arguments`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..document.views import IdlePart, ValueForm
from ..task.attempt import Json
from ..values.formats import DAY, fits, read_time, short_digest
from ..values.literals import parse_arguments
from ..values.normal import stable
from .view import CallInFlight, View, in_form_of

DEFAULT: Final = "default"
"""The kind of an argument that means the same as its absence at one value."""
NULL: Final = ""
"""Null as text: an argument that may be left out and is declared as something else."""
AGAIN: Final = "a key that an earlier call had"


Known = Mapping[str, Mapping[str, IdlePart]]
"""The arguments by tool."""


def is_idle(form: ValueForm, value: Json) -> bool:
    """Whether a call means the same without an argument of a form; a default does at its own value, and as null or an empty text, which say nothing."""
    return form.kind != DEFAULT or value_text(value) in {value_text(form.value), NULL}


def value_text(value: Json) -> str:
    """A value as defaults are compared: `1` is `"1"`, `Now` is `now`, and null is an empty text."""
    return NULL if value is None else str(value).casefold()


def carried_digests(given: Mapping[str, Json]) -> frozenset[str]:
    """What values that an episode gives to every tool are remembered by: each, and all of one call."""
    return frozenset(map(_digest, given.items())) | {_digest(dict(given))}


def _digest(value: object) -> str:
    return short_digest(stable(value))


def _fault_together(known: Mapping[str, IdlePart], given: Mapping[str, Json]) -> str | None:
    """Whether some of a call's values were recorded, and never all of them in one call: a token of one person, the id of another."""
    taken = frozenset[str]().union(*(part.form.taken or () for part in known.values()))
    carried = {n: given[n] for n, part in known.items() if part.form.kind == "any" and n in given}
    digests = carried_digests(carried) if taken and carried else frozenset[str]()
    if _digest(carried) in taken or digests.isdisjoint(taken):
        return None
    return "arguments that were recorded, and never together"


class Idle(View):
    """What one session's calls had in such arguments."""

    __slots__ = ("_at", "_keys", "_known")

    def __init__(self, known: Known, at: int = 0) -> None:
        self._known = known
        self._at = at
        self._keys: frozenset[str] = frozenset()

    def opened(self, at: int, subject: str | None) -> Idle:  # noqa: ARG002 - whose session it is does not matter
        """Of a session in which no key was used yet."""
        return Idle(self._known, at)

    def copy(self) -> Idle:
        """The same past, independent from now on."""
        other = Idle(self._known, self._at)
        other._keys = self._keys
        return other

    def inward(self, asked: CallInFlight) -> None:
        """Leave the arguments that mean something, and say why nobody knows what becomes of the call."""
        known = self._known.get(asked.tool)
        parsed = parse_arguments(asked.arguments) if known else None
        if not known or parsed is None:
            return
        why = next((w for n, form in known.items() if (w := self._fault_of(n, form, parsed))), None)
        why = why or _fault_together(known, parsed)
        if why is not None:
            # As it is: no recorded call is the same without what is wrong with it.
            asked.give_up(why)
            return
        own = {n: v for n, v in parsed.items() if n not in known or not is_idle(known[n].form, v)}
        asked.arguments = in_form_of(asked.arguments, own)

    def _fault_of(self, name: str, part: IdlePart, given: Mapping[str, Json]) -> str | None:
        if name not in given:
            return "an argument is missing that every call had" if part.always else None
        value, form = given[name], part.form
        if form.kind == DEFAULT:
            return None
        if form.kind == "text":
            return None if isinstance(value, str) and value.strip() else "an argument has no text"
        if not fits(form, value):
            return "an argument has another form than in every call"
        return self._fault_in_session(form, value)

    def _fault_in_session(self, form: ValueForm, value: Json) -> str | None:
        """What the session's time and earlier calls have against a value."""
        if form.kind == "any":
            return None
        if form.kind == "time":
            found = read_time(value)
            near = found is not None and abs(found[0] - self._at) <= DAY
            return None if near or not self._at else "an argument tells another time than now"
        again = str(value) in self._keys
        self._keys |= {str(value)}
        return AGAIN if again else None
