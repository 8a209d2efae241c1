"""What was chosen in a session: tools that answer for what was last named to another tool take it as one more argument.

In: the calls of a session and what came of them. Out: the arguments with the choice, as the world file's tables and
recorded answers have them. A policy cannot give that argument. Not here: which tools these are (`synth.world.views.selected_subject`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..task.attempt import UNKNOWN, Json, ToolResult
from ..values.literals import parse_arguments
from ..values.normal import stable
from .view import CallInFlight, View, in_form_of

if TYPE_CHECKING:
    from ..world.tool import Tool

Choice = tuple[str, str]
"""The choosing tool and its argument."""
CHOSEN: Final = "__chosen__"
NOTHING: Final = "c0:nothing"
"""The value before anything was chosen."""


def chosen_name(value: Json) -> str:
    """The argument's value: a name that no record has."""
    return NOTHING if value is None else f"c1:{value if isinstance(value, str) else stable(value)}"


class SessionChoices(View):
    """The choices of one session."""

    __slots__ = ("_last", "_of", "_tools")

    def __init__(
        self,
        of: Mapping[str, Choice],
        tools: Mapping[str, Tool],
        last: Mapping[Choice, Json] | None = None,
    ) -> None:
        self._of = of
        self._tools = tools
        self._last: dict[Choice, Json] = dict(last or {})

    def opened(self, at: int, subject: str | None) -> SessionChoices:  # noqa: ARG002 - nothing is chosen at any beginning
        """Of a session in which nothing was chosen yet."""
        return SessionChoices(self._of, self._tools)

    def copy(self) -> SessionChoices:
        """The same choices, independent from now on."""
        return SessionChoices(self._of, self._tools, self._last)

    def inward(self, asked: CallInFlight) -> None:
        """Give what was chosen to tools that answer for it."""
        given = self._fill_choice(asked.version, asked.arguments)
        if given is None:
            asked.give_up("nobody knows what an earlier call chose")
        else:
            asked.arguments = given

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """What the call chose holds from now on."""
        refused = None if result.source == UNKNOWN else result.is_error
        self._follow(asked.version, parse_arguments(asked.arguments) or {}, refused=refused)
        return result

    def observed(self, asked: CallInFlight, content: str) -> str:
        """The same of a recorded call; while learning its arguments have what was chosen already."""
        parsed = parse_arguments(asked.arguments)
        if parsed is None or CHOSEN not in parsed:
            asked.arguments = self._fill_choice(asked.version, asked.arguments) or asked.arguments
        tool = self._tools.get(asked.version)
        parsed = parse_arguments(asked.arguments) or {}
        refused = None if tool is None or asked.is_effect_unknown else tool.refused(content, parsed)
        self._follow(asked.version, parsed, refused=refused)
        return content

    def _fill_choice(
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
        return in_form_of(arguments, own)

    def _follow(self, tool: str, arguments: Mapping[str, Json], *, refused: bool | None) -> None:
        """What a call named is chosen from now on, unless it was refused; None where nobody knows that."""
        for choice in set(self._of.values()) if refused is not True else ():
            if choice[0] == tool:
                value = arguments.get(choice[1])
                lost = refused is None or not isinstance(value, str | int)
                self._last[choice] = UNKNOWN_CHOICE if lost else value


UNKNOWN_CHOICE: Final[Any] = object()
"""A call that nobody can answer may have chosen anything."""
