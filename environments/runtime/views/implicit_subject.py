"""Whose session it is: tools that answer for whoever is signed in take the subject as one more argument.

In: a call's arguments and the session's subject. Out: the arguments with it, as the world file's tables and recorded
answers have them. A policy cannot give that argument: what it says there is replaced. Not here: which tools these are
(`synth.world.views.implicit_subject`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..document.views import OwnersPart
from ..task.attempt import Json
from ..values.literals import parse_arguments
from ..values.mentions import names_in
from .view import CallInFlight, View, in_form_of

SUBJECT: Final = "__subject__"
"""The argument's name; an identifier, because other keys of a dictionary are data."""


class Subject(View):
    """Whose session it is."""

    __slots__ = ("_bound", "_owners", "_subject")

    def __init__(
        self, bound: frozenset[str], owners: OwnersPart | None, subject: str | None = None
    ) -> None:
        self._bound = bound
        self._owners = owners
        self._subject = subject

    def opened(self, at: int, subject: str | None) -> Subject:  # noqa: ARG002 - begins at any time
        """Of this subject's session."""
        return Subject(self._bound, self._owners, subject)

    def inward(self, asked: CallInFlight) -> None:
        """Give the subject to tools that answer for it; what is another subject's, nobody knows."""
        if asked.version in self._bound:
            asked.arguments = with_subject(asked.arguments, self._subject)
        elif self._is_others(asked.version, asked.arguments):
            asked.give_up("what it asks for was only ever seen with another subject")

    def observed(self, asked: CallInFlight, content: str) -> str:
        """The same; whatever was recorded could be asked for."""
        if asked.version in self._bound and self._subject is not None:
            asked.arguments = with_subject(asked.arguments, self._subject)
        return content

    def _is_others(self, tool: str, arguments: Mapping[str, Json] | str) -> bool:
        """Whether a call asks for what was only ever seen with another subject."""
        owners = self._owners
        if owners is None or tool not in owners.tools:
            return False
        mine = "" if self._subject is None else subject_name(self._subject)
        names = names_in(parse_arguments(arguments) or {})
        return any(name in owners.values and mine not in owners.values[name] for name in names)


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
    return in_form_of(arguments, own)
