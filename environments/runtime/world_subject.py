"""Whose session it is: tools that answer for whoever is signed in take the subject as one more argument.

In: a call's arguments and the session's subject. Out: the arguments with it, as the world file's tables and recorded
answers have them. A policy cannot give that argument: what it says there is replaced. Not here: which tools these are
(`synth.world.bound`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .attempt import Json
from .normal import names_in, parse_arguments

SUBJECT: Final = "__subject__"
"""The argument's name; an identifier, because other keys of a dictionary are data."""


@dataclass(frozen=True, slots=True)
class Owners:
    """Who was shown each name, for tools that are asked for what is somebody's own."""

    tools: frozenset[str] = frozenset()
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> Owners:
        """As the world file has them."""
        if not value:
            return cls()
        return cls(tools=frozenset(value["tools"]), values=value["values"])

    def others(self, tool: str, arguments: Mapping[str, Json] | str, subject: str | None) -> bool:
        """Whether a call asks for what was only ever seen with another subject."""
        parsed = parse_arguments(arguments) if tool in self.tools else None
        mine = "" if subject is None else subject_name(subject)
        names = names_in(parsed) if parsed else ()
        return any(name in self.values and mine not in self.values[name] for name in names)


def subject_name(subject: str) -> str:
    """The argument's value: with a letter and a digit it is a name like those of records, whatever the subject is called."""
    return f"s1:{subject}"


def subject_in(start: Mapping[str, Any] | None) -> str | None:
    """The subject that a task's start carries."""
    found = start.get("subject") if start else None
    return found if isinstance(found, str) else None


def with_subject(
    arguments: Mapping[str, Json] | str, subject: str | None
) -> Mapping[str, Json] | str:
    """The arguments as the session's subject makes them; without a subject, without that argument."""
    parsed = parse_arguments(arguments)
    if parsed is None:
        return arguments
    own = {name: value for name, value in parsed.items() if name != SUBJECT}
    if subject is not None:
        own[SUBJECT] = subject_name(subject)
    return json.dumps(own) if isinstance(arguments, str) else own
