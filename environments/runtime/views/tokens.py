"""Tokens: what one tool gives out and later calls have to carry, another value in every session.

Goes in: a call's arguments, an answer with stand-ins. Comes out: arguments with the stand-in of each token that this session was
given, and the answer with tokens drawn in the recorded format. A stand-in hangs on the call that gives the token out, so a
token of this session means what the recorded ones meant. One that nobody gave out gets no answer. Not here: which tools these are
(`synth.world.volatile.tokens`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ..document.views import TokensPart
from ..task.attempt import DERIVED, UNKNOWN, Json, ToolResult
from ..values.formats import draw_id, fits, short_digest
from ..values.literals import parse_arguments, parse_json
from ..values.normal import stable
from .clock_and_ids import BY_FORMAT, fields_of
from .view import CallInFlight, View, in_form_of

STAND_IN: Final = re.compile(r"tk1:[0-9a-f]{16}")
HANDLE: Final = "token"
"""The mark of a token that a result gives out."""
SAYS: Final = "a token in the recorded alphabet and length, drawn anew"
MADE_UP: Final = "a token that was not given out in this session"
AGAIN: Final = "it gave out a token before, and nobody knows which one counts"


def stand_in(tool: str, arguments: Mapping[str, Json]) -> str:
    """What stands for every token that a call gives out."""
    return "tk1:" + hashlib.sha256(stable([tool, dict(arguments)]).encode()).hexdigest()[:16]


class Tokens(View):
    """The tokens of one session."""

    __slots__ = ("_at", "_given", "_part")

    def __init__(self, part: TokensPart, at: int = 0) -> None:
        self._part = part
        self._at = at
        self._given: dict[str, str] = {}
        """Stand-ins by token."""

    def opened(self, at: int, subject: str | None) -> Tokens:  # noqa: ARG002 - whose session it is does not matter
        """Of a session that was given none yet."""
        return Tokens(self._part, at)

    def copy(self) -> Tokens:
        """The same past, independent from now on."""
        other = Tokens(self._part, self._at)
        other._given = dict(self._given)
        return other

    def inward(self, asked: CallInFlight) -> None:
        """Put stand-ins into the arguments, and say why nobody knows what becomes of the call."""
        parsed = parse_arguments(asked.arguments)
        if parsed is None:
            return
        tool = asked.tool
        own = {name: self._recorded_token(value) for name, value in parsed.items()}
        if tool in self._part.gives and stand_in(tool, own) in self._given.values():
            asked.give_up(AGAIN)
        if not all(_is_stand_in(own.get(name)) for name in self._part.takes.get(tool, ())):
            asked.give_up(MADE_UP)
        if own != parsed:
            asked.arguments = in_form_of(asked.arguments, own)

    def _recorded_token(self, value: Json) -> Json:
        if not isinstance(value, str):
            return value
        if value in self._given:
            return self._given[value]
        # A recorded call, made again: its token stands for the same once this session was given one.
        known = self._part.recorded.get(short_digest(value))
        if known is not None and known in self._given.values():
            return known
        # Nobody gets in by naming the stand-in.
        return "~" + value if _is_stand_in(value) else value

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """An answer with a token for each stand-in."""
        found = set(STAND_IN.findall(result.content)) if result.source != UNKNOWN else set()
        if not found:
            return result
        content = result.content
        gives = self._part.gives.get(asked.tool)
        for one in sorted(found):
            token = next((t for t, known in self._given.items() if known == one), None)
            if token is None and gives is not None:
                token = draw_id(gives.form, f"{self._at}|{one}|{len(self._given)}")
                self._given[token] = one
            content = content.replace(one, token or "")
        said = result.evidence + BY_FORMAT + SAYS
        return replace(result, content=content, source=DERIVED, evidence=said)

    def observed(self, asked: CallInFlight, content: str) -> str:
        """A recorded answer with stand-ins; the token that it gives out is this session's from here on."""
        self.inward(asked)
        token = given_out(self._part, asked.tool, content)
        parsed = parse_arguments(asked.arguments)
        if token is not None and parsed is not None:
            self._given[token] = stand_in(asked.tool, parsed)
        for one, known in self._given.items():
            content = content.replace(one, known)
        return content

    def strip_result(self, asked: CallInFlight, content: str, drawn: dict[str, Json]) -> str:
        """Note the token that a result gives out."""
        token = given_out(self._part, asked.tool, content)
        if token is not None:
            drawn[HANDLE] = token
        return content


def given_out(part: TokensPart, tool: str, content: str) -> str | None:
    """The token in a result."""
    known = part.gives.get(tool)
    parsed = parse_json(content) if known else None
    if known is None or parsed is None or not isinstance(parsed.value, dict):
        return None
    value = dict(fields_of(parsed.value)).get(known.place)
    return value if isinstance(value, str) and fits(known.form, value) else None


def _is_stand_in(value: Json) -> bool:
    return isinstance(value, str) and STAND_IN.fullmatch(value) is not None
