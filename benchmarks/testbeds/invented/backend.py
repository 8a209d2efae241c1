"""What an invented backend offers, and how its tools are called: as an agent's tool server would call them.

A backend is a class whose public methods are its tools. Comes in: a tool's name and arguments. Comes out: the text an
agent would see. Not here: recording attempts (`attempts`), measuring (`benchmarks.worlds.unseen`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Call = tuple[str, dict[str, Any]]
Step = Call | Callable[[Sequence[str]], Call]
"""A call, or how to make it from the answers so far."""


class ToolError(Exception):
    """What a tool raises; the caller sees its text, marked as an error."""


def refuse(when: object, says: str | ToolError) -> None:
    """What a tool refuses: raise this, where it holds."""
    if when:
        raise says if isinstance(says, ToolError) else ToolError(says)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back."""

    content: str
    is_error: bool


class Backend:
    """State in attributes; every public method of a subclass is a tool."""

    def begin(self, moment: datetime) -> None:
        """An attempt begins: a backend whose answers tell the time sets its clock."""

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Run one tool; what it raises is an answer too."""
        tool = getattr(self, name)
        try:
            return Answer(content=self._render(tool(**arguments)), is_error=False)
        except ToolError as fault:
            return Answer(content=self._fault(str(fault)), is_error=True)
        except (TypeError, KeyError, ValueError, AttributeError) as fault:
            # A stranger's server crashes on arguments it does not expect, and says so.
            return Answer(content=f"{type(fault).__name__}: {fault}", is_error=True)

    @staticmethod
    def _render(value: object) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    @staticmethod
    def _fault(text: str) -> str:
        return f"Error: {text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One backend with the sensible things that people ask of it."""

    name: str
    make: Callable[[], Backend]
    script: Callable[[random.Random], list[Step]]
    """The calls that a good agent would make for one task."""
    starting: Callable[[random.Random], Backend] | None = None
    """The backend as a task finds it, of the dice that its script is made of; None: every task finds what `make` makes."""
