"""Recalled answers: what was recorded of a call, told where nothing that the answer depends on was done differently.

Goes in: the `recall` part of a world file, a call, and the calls before it that may have changed something. Comes out: the recorded
answer that is most probably right, with that probability, or nothing. Not here: how probably a call that only one of two pasts has
changes an answer (`differing_pasts`), how that is learnt (`synth.world.influence.recall`), answers that follow from learnt
behaviour (`world.session`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from ..document.recordings import RecallPart
from ..document.world_file import BadWorldError
from ..task.attempt import DERIVED, RECORDED, Json, ToolResult
from ..values.normal import mask
from ..world.entries import read_call_text
from .differing_pasts import (
    ALWAYS,
    OTHER,
    OWN,
    DoneCall,
    Influence,
    baseline_cell,
    differing,
    done_call,
    linked_to,
    links_shown,
    names_shown,
    names_told,
)
from .made_things import MadeThings, Thing, is_any_lacking

RISK: Final = 0.005
"""The share of returned answers that may be wrong, where nobody says another."""
MOST_RISK: Final = 0.2
"""Above this a world would be a tape: a slip of the pen (2 is not 2 %)."""
MOST_KEPT: Final = 100_000
"""Calls as text that are kept as others are compared with them."""
MOST_OF_OTHERS: Final = 24
"""Recordings of other episodes that are compared for one call."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One recorded answer to a call."""

    content: str
    failed: bool
    episodes: frozenset[str]
    past: tuple[DoneCall, ...]
    names: frozenset[str]
    """What the answer names."""
    whose: str = ""
    """Whose session it was."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The recorded answer that is most probably right."""

    answer: RecordedAnswer
    confidence: float
    is_own: bool
    """Whether an episode that the session goes on from recorded it."""

    def result(self) -> ToolResult:
        """The answer as the tool gives it."""
        return ToolResult(
            content=self.answer.content,
            source=RECORDED,
            is_error=self.answer.failed,
            evidence=min(self.answer.episodes),
            confidence=self.confidence,
        )


def is_risk(value: float) -> bool:
    """Whether a number can be a world's risk."""
    return 0 <= value <= MOST_RISK


def least_confidence(risk: float) -> float:
    """How sure a recalled answer must be to be told, where this share of returned answers may be wrong.

    Few answers are at the threshold and most are surer, so a single one may be less sure than the whole: .9 for half a per cent, .7
    for two. Measured on 22 backends, eight of them seen for the first time.
    """
    return 1.0 - min(1.0, 8.0 * math.pow(risk, 5 / 6))


class Recall:
    """What a world file has of recorded answers."""

    __slots__ = (
        "_about",
        "_admits",
        "_always",
        "_answers",
        "_asked",
        "_echoes",
        "_gates",
        "_influence",
        "_issued",
        "_least",
        "_links",
        "_pairs",
        "_refused",
        "_scale",
        "_things",
        "_told",
        "_trust",
        "looks",
        "risk",
    )

    def __init__(self, part: RecallPart) -> None:
        self.looks = part.looks
        """Tools that change nothing."""
        self.risk = part.risk
        """The share of returned answers that may be wrong."""
        if not is_risk(self.risk):
            raise BadWorldError("the world file is damaged: recall.risk is no share of answers")
        self._least = least_confidence(self.risk)
        """How sure an answer must be to be told."""
        self._asked: dict[tuple[str, str, str], DoneCall] = {}
        self._trust = {(tool, source): q for tool, source, q in part.trust or ()}
        self._echoes = part.echoes
        self._issued = part.issued
        self._gates = part.gates
        self._admits = part.admits
        self._things = MadeThings(part.made, part.chosen, part.unmade)
        self._about: dict[str, tuple[Thing, ...]] = {}
        self._refused = part.refused
        self._scale = {whose: part.scale[whose] for whose in (OWN, OTHER)}
        """How many times more often answers were wrong than they promised, of `OWN` and `OTHER` episodes."""
        cells = {(w, r, relation): q for w, r, relation, q in part.cells}
        self._influence = Influence(cells, part.pooled)
        self._told = {
            text: names_told(part.texts[one.content] for one in listed if not one.failed)
            for text, listed in part.answers.items()
            if read_call_text(text)[0] not in self.looks
        }
        """By call that may have changed something, what its answers name."""
        self._links = links_shown(
            (_read_call(text), part.texts[one.content])
            for text, listed in part.answers.items()
            if read_call_text(text)[0] in self.looks
            for one in listed
            if not one.failed
        )
        """By name what looks at it show."""
        calls = [self._with_names(_read_call(text)) for text, _ in part.calls]
        shown = [names_shown(text) for text in part.texts]
        self._answers: dict[str, list[RecordedAnswer]] = {
            text: [
                RecordedAnswer(
                    content=part.texts[content],
                    failed=failed,
                    episodes=frozenset(episodes),
                    past=tuple(calls[i] for i in past),
                    names=shown[content],
                    whose=whose,
                )
                for content, failed, episodes, past, whose in listed
            ]
            for text, listed in part.answers.items()
        }
        self._pairs: set[tuple[tuple[str, str], tuple[str, str]]] | None = None
        self._always: dict[str, frozenset[str]] = {}
        """By tool, the tools that every success of it has before it."""
        for text, listed in self._answers.items():
            tool = read_call_text(text)[0]
            for one in (one for one in listed if not one.failed):
                before = frozenset(earlier.tool for earlier in one.past)
                self._always[tool] = self._always.get(tool, before) & before

    def done_call(
        self, tool: str, arguments: Mapping[str, Json] | str, whose: str = ""
    ) -> DoneCall:
        """A call to compare; what was asked as text once is kept."""
        if not isinstance(arguments, str):
            return self._with_names(done_call(tool, arguments, whose))
        found = self._asked.get((tool, arguments, whose))
        if found is None:
            found = self._with_names(done_call(tool, arguments, whose))
            if len(self._asked) < MOST_KEPT:
                self._asked[tool, arguments, whose] = found
        return found

    def _with_names(self, call: DoneCall) -> DoneCall:
        """A call with what its recorded answers name, and what looks at its things show."""
        told = self._told.get(call.text, frozenset())
        return replace(call, told=told, linked=linked_to(call, self._links))

    def at_risk(self, risk: float) -> Recall:
        """The same recordings, where another share of returned answers may be wrong."""
        other = copy(self)
        other.risk, other._least = risk, least_confidence(risk)  # noqa: SLF001 - one of its own kind
        return other

    def trusted(self, tool: str, result: ToolResult) -> ToolResult | None:
        """A behaviour's answer with how often such answers of the tool were right on held-out calls; None where too seldom."""
        sure = self._trust.get((tool, result.source))
        if sure is None:
            return result
        return replace(result, confidence=sure) if sure >= self._least else None

    def echoes(self, tool: str) -> tuple[float, tuple[str, ...]] | None:
        """How surely a tool answers by what it is given alone, and the arguments that have to name records; None where not surely enough."""
        echo = self._echoes.get(tool)
        return echo if echo is not None and echo[0] >= self._least else None

    def gives_once(self, tool: str, content: str) -> bool:
        """Whether an answer holds a name that the tool gives to the first call of an episode only."""
        return any(name in content for name in self._issued.get(tool, ()))

    def refused(self, tool: str) -> ToolResult | None:
        """What a tool says that refused every recorded call in the same words; None where that is not sure enough."""
        text, sure = self._refused.get(tool, ("", 0.0))
        return self._sure_refusal(text, sure, f"{tool}: refused whatever was asked")

    def _sure_refusal(self, text: str, sure: float, evidence: str) -> ToolResult | None:
        """A refusal in these words; None where it is not sure enough."""
        if not sure or sure < self._least:
            return None
        return ToolResult(
            content=text, source=DERIVED, is_error=True, evidence=evidence, confidence=sure
        )

    def is_lacking(self, call: DoneCall, past: Sequence[DoneCall]) -> bool:
        """Whether a call is about a thing that none of those before it made."""
        about = self._about.get(call.text)
        if about is None:
            about = self._things.things_of(call.tool, call.labels)
            if len(self._about) < MOST_KEPT:
                self._about[call.text] = about
        return bool(about) and is_any_lacking(about, past)

    def is_gate(self, tool: str) -> bool:
        """Whether others may refuse without a call of this tool; hardly any tool is one."""
        return tool in self._admits

    def needs_gate(self, tool: str) -> bool:
        """Whether a tool refuses without a call of another one."""
        return tool in self._gates

    def lets_in(self, call: DoneCall, answer: str) -> bool:
        """Whether others may succeed after a call with this answer that would refuse without."""
        said = self._admits.get(call.tool)
        return said is not None and mask(answer, call.given) in said

    def is_barred(self, call: DoneCall, let_in: Sequence[DoneCall]) -> bool:
        """Whether a call lacks what has to come first; `let_in`: the calls before it that let others in."""
        return any(
            not any(one.tool == gate and _may_let_in(one, call) for one in let_in)
            for gate in self._gates.get(call.tool, ())
        )

    def refused_unmade(self, call: DoneCall, past: Sequence[DoneCall]) -> ToolResult | None:
        """What a tool says of a thing that no call has made; None where that is not sure enough."""
        if not self.is_lacking(call, past):
            return None
        text, sure = self._things.refusal(call.tool, call.given, self._pairs_taken())
        return self._sure_refusal(text, sure, f"{call.tool}: no call made what it names")

    def _pairs_taken(self) -> set[tuple[tuple[str, str], tuple[str, str]]]:
        """Each two arguments with the values that a successful call gave."""
        if self._pairs is None:
            taken = (t for t, listed in self._answers.items() if not all(a.failed for a in listed))
            calls = (_read_call(text).given.items() for text in taken)
            self._pairs = {pair for given in calls for pair in permutations(given, 2)}
        return self._pairs

    def recalled_answer(
        self, call: DoneCall, past: Sequence[DoneCall], own: frozenset[str]
    ) -> Recalled | None:
        """The answer to tell after these calls; None where none is sure enough."""
        best = self.most_probable(call, past, own)
        return best if best is not None and best.confidence >= self._least else None

    def most_probable(
        self,
        call: DoneCall,
        past: Sequence[DoneCall],
        own: frozenset[str],
        *,
        without: frozenset[str] = frozenset(),
    ) -> Recalled | None:
        """The most probable answer, however sure; recordings of the episodes `without` do not count."""
        never = self._always.get(call.tool, frozenset()).difference(
            earlier.tool for earlier in past
        )
        lacking = [(tool, call.tool, ALWAYS) for tool in never]
        only_refusals = self.is_lacking(call, past)
        issued = self._issued.get(call.tool, frozenset()) - call.labels
        probable: dict[str, tuple[float, bool, RecordedAnswer]] = {}
        others = 0
        for one in self._answers.get(call.text, ()):
            if one.episodes <= without or (only_refusals and not one.failed):
                continue
            made = issued & one.names if issued else issued
            if made and self._times_made(made, past) > self._times_made(made, one.past):
                # This session has made that already, and a thing is made once, whoever makes it.
                continue
            is_own = not one.episodes.isdisjoint(own)
            others += not is_own
            if others > MOST_OF_OTHERS and not is_own:
                continue
            cells = differing(call, one.names, past, one.past)
            unmade = () if one.failed else lacking
            kept = self._influence.unchanged(
                (*cells, *unmade, baseline_cell(call, one.whose, is_own=is_own))
            )
            if kept > probable.get(one.content, (0.0,))[0]:
                probable[one.content] = kept, is_own, one
        if not probable:
            return None
        (kept, is_own, one), *rivals = sorted(probable.values(), key=lambda p: -p[0])
        sure = kept * (1.0 - rivals[0][0]) if rivals else kept
        wrong = min(1.0, self._scale[OWN if is_own else OTHER] * (1.0 - sure))
        return Recalled(one, 1.0 - wrong, is_own)

    def _times_made(self, names: frozenset[str], past: Iterable[DoneCall]) -> int:
        """How many calls may have made one of these things."""
        return sum(not names.isdisjoint(self._issued.get(one.tool, ())) for one in past)


def _may_let_in(gate: DoneCall, call: DoneCall) -> bool:
    """Whether two calls are about one subject, as far as looks show; what nobody looked at may be anybody's."""
    return (
        not gate.linked
        or not call.labels.isdisjoint(gate.labels | gate.linked)
        or not call.linked.isdisjoint(gate.labels)
    )


def _read_call(text: str) -> DoneCall:
    return done_call(*read_call_text(text))
