"""What was chosen in a session: tools that answer for what was last named to another tool take it as one more argument.

In: the calls of a session and what came of them. Out: the arguments with the choice, as the world file's tables and
recorded answers have them. A policy cannot give that argument. Not here: which tools these are (`synth.world.chosen`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from .attempt import Json
from .normal import parse_arguments, stable

Choice = tuple[str, str]
"""The choosing tool and its argument."""
CHOSEN: Final = "__chosen__"
NOTHING: Final = "c0:nothing"
"""The value before anything was chosen."""


def chosen_name(value: Json) -> str:
    """The argument's value: a name that no record has."""
    return NOTHING if value is None else f"c1:{value if isinstance(value, str) else stable(value)}"


class Chosen:
    """The choices of one session."""

    __slots__ = ("_last", "_of")

    def __init__(self, of: Mapping[str, Choice], last: Mapping[Choice, Json] | None = None) -> None:
        self._of = of
        self._last: dict[Choice, Json] = dict(last or {})

    def copy(self) -> Chosen:
        """The same choices, independent from now on."""
        return Chosen(self._of, self._last)

    def given(
        self, tool: str, arguments: Mapping[str, Json] | str
    ) -> Mapping[str, Json] | str | None:
        """The arguments with what was chosen; None where nobody knows what that is."""
        choice = self._of.get(tool)
        parsed = parse_arguments(arguments)
        if choice is None or parsed is None:
            return arguments
        value = self._last.get(choice)
        if value is UNKNOWN_CHOICE:
            return None
        own = {**parsed, CHOSEN: chosen_name(value)}
        return json.dumps(own) if isinstance(arguments, str) else own

    def seen(self, tool: str, arguments: Mapping[str, Json] | str) -> Mapping[str, Json] | str:
        """A recorded call's arguments; while learning they have what was chosen already."""
        parsed = parse_arguments(arguments)
        if parsed is not None and CHOSEN in parsed:
            return arguments
        return self.given(tool, arguments) or arguments

    def follow(self, tool: str, arguments: Mapping[str, Json], *, refused: bool | None) -> None:
        """What a call named is chosen from now on, unless it was refused; None where nobody knows that."""
        for choice in set(self._of.values()) if refused is not True else ():
            if choice[0] == tool:
                value = arguments.get(choice[1])
                lost = refused is None or not isinstance(value, str | int)
                self._last[choice] = UNKNOWN_CHOICE if lost else value


UNKNOWN_CHOICE: Final[Any] = object()
"""A call that nobody can answer may have chosen anything."""
