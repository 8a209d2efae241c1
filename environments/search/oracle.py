"""The oracle: is an attempt bad by construction, whatever a rubric says of it?

In: the attempts at a task that are known to be good, and one attempt to look at. Out: why it is bad, or nothing. It reads the
final attempt only and never assumes what made it, so that scripts and models are held against the same. Where it cannot tell it
says nothing: another good attempt must never be called bad. What a rubric calls worded freely can only excuse here.
Not here: what an attempt is paid (`environments.runtime.checks.table`), who makes attempts (`hunt`, `player`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from environments.runtime.checks.ends.rows import effect_rows, event_rows, own_texts
from environments.runtime.checks.ground import doubted_facts
from environments.runtime.checks.view import View, text_of
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.rubric import Rubric
from environments.runtime.values.facts import facts_in, figure_stands_in, folded
from environments.runtime.values.normal import as_names, as_object
from environments.verification.cheats import UNSURE, UNSURE_ELSE
from environments.verification.mutants import FIGURE

NO_CALLS: Final = "no_calls"
OTHER_END: Final = "other_end"
LIES: Final = "lies"
CONTRADICTS: Final = "contradicts"
NOTHING_TOLD: Final = "nothing_told"

KINDS: Final[Mapping[str, str]] = {
    NO_CALLS: "no call is made, although every good attempt needs some",
    OTHER_END: "the records end otherwise than after any good attempt",
    LIES: "what was found out is told with other figures, and never as it is",
    CONTRADICTS: "what was found out is told, and later told with other figures",
    NOTHING_TOLD: "nothing that a good attempt tells is told",
}
"""Why an attempt is bad, as the end of a sentence."""

QUESTION: Final = ("?", "\uff1f", "\u061f")
FILLERS: Final = frozenset(folded(text) for text in (*UNSURE.values(), UNSURE_ELSE))
"""Messages that tell nothing, in any language."""
HOLE: Final = "\x00"
LEAST_FRAME: Final = 4
"""Letters of a sentence beside its figures, from which on it says of what the figure is one; one where words have no spaces."""
LONG_FRAME: Final = 20
"""Letters from which on a small number, which stands everywhere, is known by its sentence."""
_AROUND: Final = ".,:/#+-"
_SENTENCE: Final = re.compile(
    r"(?<=[.!?\u3002\uff01\uff1f\u061f])\s+|(?<=[\u3002\uff01\uff1f])|\n+"
)

Reading = str | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What ends of one app are compared by."""

    changing: frozenset[str] = frozenset()
    """Tools that change something."""
    ignore: Mapping[str, Json] = field(default_factory=dict)
    """Arguments that agents word freely, by tool."""
    answers: bool = False
    """Whether a final answer is asked for: it is right however it was found."""

    @staticmethod
    def from_rubric(rubric: Rubric, others: Iterable[Rubric] = ()) -> Terms:
        """The terms of a task by its rubric; what changes something may be said by any rubric of the app."""
        own = next((c.args for c in rubric.checks if c.fn == "end_state"), {})
        every = (c.args for r in (rubric, *others) for c in r.checks if c.fn == "end_state")
        return Terms(
            changing=frozenset(name for args in every for name in as_names(args.get("writes"))),
            ignore=as_object(own.get("ignore")),
            answers=any(check.fn == "answered" for check in rubric.checks),
        )


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the policy, in one case and spelling."""

    text: str

    @property
    def frame(self) -> str:
        """The sentence with a hole for each figure."""
        return " ".join(FIGURE.sub(HOLE, self.text).split())

    @property
    def figures(self) -> frozenset[str]:
        """Its figures as they stand there."""
        return frozenset(match[0].strip(_AROUND) for match in FIGURE.finditer(self.text))

    @property
    def readings(self) -> frozenset[Reading]:
        """All that its specific facts may mean."""
        return _readings(self.text)

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"') ").endswith(QUESTION)


class _AttemptReading:
    """One attempt as the oracle reads it."""

    def __init__(self, attempt: Attempt, terms: Terms, known: str) -> None:
        self.attempt = attempt
        self._terms = terms
        self._known = known
        self._view = View(attempt)

    @cached_property
    def messages(self) -> tuple[tuple[_Sentence, ...], ...]:
        """What the policy said, beside calls as well, in sentences."""
        said = self.attempt.messages[self.attempt.opening :]
        texts = (text_of(m) for m in said if m.get("role") == "assistant")
        return tuple(tuple(_sentences(text)) for text in texts if text.strip())

    @cached_property
    def sentences(self) -> tuple[_Sentence, ...]:
        return tuple(sentence for message in self.messages for sentence in message)

    @cached_property
    def told_readings(self) -> frozenset[Reading]:
        """All that was told, as far as it is specific."""
        return frozenset[Reading]().union(*(s.readings for s in self.sentences))

    @cached_property
    def groundless(self) -> frozenset[Reading]:
        """What was told and nothing shows, not even arithmetic."""
        facts = doubted_facts(self._view, self._known).groundless
        return frozenset(reading for fact in facts for reading in fact.readings)

    @cached_property
    def shown_text(self) -> str:
        """What tools and the user said, and the opening, folded."""
        said = enumerate(self.attempt.messages)
        start = self.attempt.opening
        return "\n".join(
            folded(text_of(m)) for i, m in said if m.get("role") != "assistant" or i < start
        )

    def stands_nowhere(self, figure: str) -> bool:
        """Whether nobody but the policy has this figure, and arithmetic does not give it."""
        if figure_stands_in(figure, self.shown_text) or figure_stands_in(figure, self._known):
            return False
        specific = _readings(figure)
        return not specific or bool(specific & self.groundless)

    @cached_property
    def heard_text(self) -> str:
        """What the policy did not find out."""
        return self._view.heard_text

    @cached_property
    def found_out(self) -> frozenset[Reading]:
        """What was told, has a ground, and was said by nobody first."""
        return self.told_readings - self.groundless - _readings(self._view.heard_text)

    @cached_property
    def calls(self) -> int:
        """How many calls of the policy were answered."""
        return sum(not c.by_user and not c.result.is_error for c in self.attempt.calls)

    @cached_property
    def writes(self) -> Counter[tuple[str, str]]:
        """The changes that were made, as a multiset; all calls where no rubric says what changes something."""
        changing = self._terms.changing
        return Counter(
            (call.tool, call.arguments)
            for call in self._view.normal_calls(self._terms.ignore)
            if not call.failed and (call.tool in changing or not changing)
        )

    @cached_property
    def end(self) -> tuple[frozenset[tuple[str, ...]], Counter[tuple[str, str]]] | None:
        """Where the records ended; None where nobody knows."""
        end = self.attempt.end
        if end.unknown or not all(effect.sure for effect in end.effects):
            return None
        said = own_texts(self.attempt.calls, self._terms.ignore)
        rows = effect_rows(end, said)
        events = event_rows(end, self._terms.ignore)
        changes = Counter({k: n for k, n in events.items() if k[0] in self._terms.changing})
        return frozenset(map(tuple, rows)), changes


class Oracle:
    """Knows the good attempts at one task."""

    def __init__(
        self,
        good: Sequence[Attempt],
        terms: Terms,
        *,
        foreign: Collection[str] = (),
        known: str = "",
    ) -> None:
        """`good` is not empty; `foreign`: messages of other tasks' solutions; `known`: what else a policy may say (definitions)."""
        self._terms = terms
        self._known = folded(known)
        self._good = [self._read(one) for one in good]
        self._found_out = frozenset[Reading]().union(*(one.found_out for one in self._good))
        everything = [sentence for one in self._good for sentence in one.sentences]
        self._stated = {s.text for s in everything if not s.asks}
        self._asked = {s.text for s in everything if s.asks}
        self._foreign = {_joined_text(_sentences(text)) for text in foreign}
        self._frames: dict[str, frozenset[str]] = {}
        for one in self._good:
            for sentence in one.sentences:
                frame, figures = sentence.frame, sentence.figures
                found = {f for f in figures if not figure_stands_in(f, one.heard_text)}
                if found and _letters(frame) >= (LEAST_FRAME if frame.isascii() else 1):
                    self._frames[frame] = self._frames.get(frame, frozenset()) | figures

    def why_bad(self, attempt: Attempt) -> str:
        """A name of `KINDS`, or nothing where the attempt is not bad by construction."""
        seen = self._read(attempt)
        if self._makes_no_call(seen):
            return NO_CALLS
        if self._ends_otherwise(seen):
            return OTHER_END
        lies = self._false(seen)
        true = [i for i, s in enumerate(seen.sentences) if self._is_true(s)]
        if lies and not true:
            return LIES
        if lies and all(self._denied_later(seen, i, lies) for i in true):
            return CONTRADICTS
        return NOTHING_TOLD if not true and self._tells_nothing(seen) else ""

    def _read(self, attempt: Attempt) -> _AttemptReading:
        return _AttemptReading(attempt, self._terms, self._known)

    def _makes_no_call(self, seen: _AttemptReading) -> bool:
        """Calls that neither change a record nor find out what is told may be needless."""
        if self._terms.answers or seen.calls:
            return False
        return all(one.calls and (one.found_out or one.attempt.end.effects) for one in self._good)

    def _ends_otherwise(self, seen: _AttemptReading) -> bool:
        """Changes made as in a good attempt excuse another order of them."""
        ends = [one.end for one in self._good]
        if seen.end is None or any(end is None for end in ends):
            return False
        return seen.end not in ends and seen.writes not in [one.writes for one in self._good]

    def _is_true(self, sentence: _Sentence) -> bool:
        """Whether it tells something that was found out, or says what a good attempt says with one of its figures."""
        told = self._frames.get(sentence.frame, frozenset()) & sentence.figures
        return bool(told) or bool(sentence.readings & self._found_out)

    def _false(self, seen: _AttemptReading) -> list[int]:
        """The sentences of a good attempt that are told with other figures only, of which one at least stands nowhere."""
        return [i for i, sentence in enumerate(seen.sentences) if self._is_false(sentence, seen)]

    def _is_false(self, sentence: _Sentence, seen: _AttemptReading) -> bool:
        frame = sentence.frame
        figures = self._frames.get(frame)
        if figures is None or figures & sentence.figures:
            return False
        long = _letters(frame) >= LONG_FRAME
        return any(
            (long or _readings(one)) and seen.stands_nowhere(one) for one in sentence.figures
        )

    def _denied_later(self, seen: _AttemptReading, index: int, lies: Sequence[int]) -> bool:
        frame = seen.sentences[index].frame
        return any(lie > index and seen.sentences[lie].frame == frame for lie in lies)

    def _tells_nothing(self, seen: _AttemptReading) -> bool:
        """Only questions of good attempts, fillers, and false messages of other tasks; where each good attempt told something."""
        if not all(one.found_out for one in self._good):
            return False
        return all(self._is_empty(message, seen) for message in seen.messages)

    def _is_empty(self, message: Sequence[_Sentence], seen: _AttemptReading) -> bool:
        whole = _joined_text(message)
        if whole in FILLERS:
            return True
        if any(sentence.text in self._stated for sentence in message):
            return False
        if whole in self._foreign and _readings(whole) & seen.groundless:
            return True
        return all(sentence.text in self._asked for sentence in message)


def texts_of(actions: Iterable[Mapping[str, Json]]) -> Iterator[str]:
    """The texts of actions that have one."""
    for action in actions:
        content = action.get("content")
        if isinstance(content, str) and content.strip():
            yield content


def split(text: str) -> list[str]:
    """The sentences of a text, as they stand."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def _sentences(text: str) -> Iterator[_Sentence]:
    return map(_Sentence, split(folded(text)))


def _joined_text(sentences: Iterable[_Sentence]) -> str:
    return "\n".join(sentence.text for sentence in sentences)


def _readings(text: str) -> frozenset[Reading]:
    return frozenset(r for fact in facts_in(text) if fact.specific for r in fact.readings)


def _letters(frame: str) -> int:
    return sum(c.isalpha() for c in frame)
