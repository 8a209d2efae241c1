"""What alike users answer and this one was never asked: the turn is borrowed, so that the task's user can be asked.

In: a bound argument that names an element of a list, the sources by which users mean such an element, and alike resolved
episodes. Out: the turn in which an alike user named an element of the same kind, with the question that it answered.
Nothing is borrowed that holds a number or id: those are the other user's own. Not here: which value is right (`binder`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.task import UserTurn
from environments.runtime.values.consent import asks_consent
from synth.recordings.known_values import KnownValues, plain_text
from synth.solutions.cases import Case
from synth.solutions.fillers.element_words import MeantElement, kinds_of
from synth.solutions.fillers.guarded_sources import Source


def untold(known: KnownValues, sources: Iterable[Source], alike: Sequence[Case]) -> bool:
    """Whether most alike users named such an element in words of their own, and this one named none."""
    meant = [s for s in sources if isinstance(s, MeantElement)]

    def is_told(turns: Iterable[str]) -> bool:
        return any(s.words.meaning(turn) for s in meant for turn in turns)

    others = [is_told(plain_text(turn.text) for turn in answers_of(case)) for case in alike]
    return not is_told(known.plain_turns) and 2 * sum(others) > len(alike)


def borrow_turn(
    known: KnownValues, value: Json, sources: Iterable[Source], alike: Sequence[Case]
) -> UserTurn | None:
    """The turn of the first alike user who named an element of the kind that this value has."""
    for source in (s for s in sources if isinstance(s, MeantElement)):
        kinds = kinds_of(known, source, value)
        for case in alike if len(kinds) == 1 else ():
            for turn in answers_of(case):
                if source.words.meaning(plain_text(turn.text)) == kinds:
                    return turn
    return None


def without_numbers(asked: str) -> str:
    """A question as an agent of this app asks it, without the other request's ids and amounts."""
    return " ".join(word for word in asked.split() if not any(c.isdigit() for c in word))


def answers_of(case: Case) -> Iterator[UserTurn]:
    """The user's turns without a number in them that answer a question other than for consent."""
    attempt = case.facts.recorded.attempt
    for index in range(max(1, attempt.opening), len(attempt.messages)):
        before, message = attempt.messages[index - 1], attempt.messages[index]
        asked, said = text_of(before), text_of(message)
        if (before.get("role"), message.get("role")) != ("assistant", "user"):
            continue
        if "?" in asked and not asks_consent(asked) and not any(c.isdigit() for c in said):
            yield UserTurn(text=said, asked=without_numbers(asked))
