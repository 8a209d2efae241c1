"""Views: what stands between calls as agents make them and the calls that a world was learnt from.

A view maps a call inwards and its answer outwards, and does the same to a recorded call and its recorded result. Views stand in
one chain (`views.chain` lists them, the outermost first): a call passes them in order, its answer in the opposite order. A world in which
nothing stands around calls has none. Not here: how each is found (`synth.world.views.discover`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from ..task.attempt import Json, MeantCall, ToolResult
from ..values.literals import parse_arguments

_Key = TypeVar("_Key")
_Form = TypeVar("_Form")

MOST_KEPT: Final = 50_000
"""Texts whose other form a view keeps: the same answer is given again and again."""


def keep(kept: dict[_Key, _Form], key: _Key, form: _Form) -> _Form:
    """Note another form of a text, while there is room; the form."""
    if len(kept) < MOST_KEPT:
        kept[key] = form
    return form


def in_form_of(
    arguments: Mapping[str, Json] | str, own: Mapping[str, Json]
) -> Mapping[str, Json] | str:
    """Other arguments in the form in which a call has its own: as JSON text, or as an object."""
    return json.dumps(own) if isinstance(arguments, str) else own


@dataclass(slots=True)
class CallInFlight:
    """One call on its way inwards: every view leaves it as the next one takes it."""

    tool: str
    """The tool's name, as everything around its calls is learnt under."""
    arguments: Mapping[str, Json] | str
    version: str = ""
    """The name under which what it does was learnt."""
    why: str | None = None
    """Why nobody knows what becomes of it: the first reason that a view has."""
    called: str = ""
    """The name that agents called, where it is another one."""
    meant: MeantCall | None = None
    """The part of it that was called, of a tool that is several."""
    sent: Mapping[str, Json] | None = None
    """The arguments as they were sent, where the tool's records spell them otherwise."""
    renamed: Mapping[str, Json] | None = None
    """Arguments that name a record otherwise than calls have it, as they have it."""
    is_effect_unknown: bool = False
    """Of a recorded call: its result is none that the tool is known to give."""

    def __post_init__(self) -> None:
        self.version = self.version or self.tool

    def meaning_of(self, name: str, arguments: Mapping[str, Json] | str) -> MeantCall | None:
        """What the call meant that was made so; None where it means what it says, or nobody knows what."""
        if not self.renamed:
            return self.meant
        meant = self.meant or MeantCall(name, parse_arguments(arguments) or {})
        return MeantCall(meant.tool, {**meant.arguments, **self.renamed})

    def give_up(self, why: str) -> None:
        """Nobody knows what becomes of it."""
        self.why = self.why or why


class View:
    """One thing that stands around calls; this one leaves everything as it is."""

    __slots__ = ()

    def opened(self, at: int, subject: str | None) -> View:  # noqa: ARG002 - for those that remember
        """The view of a new session, which began at `at` with `subject`; what remembers nothing is shared by all."""
        return self

    def copy(self) -> View:
        """The same past, independent from now on."""
        return self

    def passes(self, name: str, arguments: Mapping[str, Json] | str) -> bool:  # noqa: ARG002 - as above
        """Whether it is known to leave this call and whatever is answered as they are: asked first, so it has to be quick."""
        return False

    def inward(self, asked: CallInFlight) -> None:
        """Take off a call what only stands around it."""

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:  # noqa: ARG002 - as above
        """The answer as the next view outwards has it; called for every call, unknown answers too."""
        return result

    def observed(self, asked: CallInFlight, content: str) -> str:
        """Follow a recorded call; its result as the next view inwards has it."""
        self.inward(asked)
        return content

    def strip_result(self, asked: CallInFlight, content: str, drawn: dict[str, Json]) -> str:  # noqa: ARG002 - as above
        """A result without what says nothing, outside any session; notes values that every session draws anew, by mark."""
        return content
