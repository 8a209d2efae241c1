"""The user to come: what the recorded user said, given again when it is asked for.

In: the recorded turns with the words each of them answered. Out: the next turn for what the policy said. A question
nearest to a recorded one gets that answer, and the answer to a second one that was asked beside it (one that asks for
consent, an answer to such a one); a question that only another recording of the request knows gets the answer given there;
anything else gets the next turn in order, without the sentences that name something new which nobody asked for: they are said
later. A question for what the opening told gets that sentence once more. Who spoke only after calls waits for them. A question that nothing in the recordings resembles gets one fixed sentence whose source is `unknown`. Who said their last words
leaves when nothing more is asked; they agree when asked to, and let the policy go on that announces what it will do. Deterministic, no model, no randomness.
Not here: similarity (`user_recording`); users played by a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from ..task.attempt import DERIVED, RECORDED, SIMULATED, UNKNOWN
from ..task.task import UserCall, UserTurn
from ..values.consent import QUESTION, agrees, asks_consent, gives_consent, offers
from .user_recording import Sentence, is_specific, recording_of, sentences_of, words_of

NEUTRAL: Final = "I don't understand that. What do you need from me?"
"""What the user says to words that the recording does not answer: it costs a turn, and the run goes on."""
GO_ON: Final = "OK."
"""What the user says to an announcement, or to a question for consent that the recorded user was never asked."""
PATIENCE: Final = 2
"""How often in one run."""
NEAR: Final = 0.35
"""Similarity from which a recorded question counts as the one that was asked."""
AGAIN: Final = 0.8
"""Similarity from which a question is the recorded one itself: its whole turn answers it, once more if need be."""
SCARCELY: Final = 0.1
"""How little nearer the consent after a correction may be for the correction to come first."""
CLEARLY: Final = 0.2
"""How much nearer another question must be than one for consent, where consent is asked for."""
STRANGE: Final = 0.02
"""Similarity to every recorded question below which nothing in the recording answers this one."""
TOLD: Final = 0.1
"""Similarity of a question to a sentence of the opening from which it asks for what that sentence told."""
_MORE: Final = frozenset({"anything", "else"})
GREETING: Final = 2
"""Words up to which a sentence of the opening tells nothing."""
BESIDES: Final = 0.2
"""Share of a second recorded question, in words of its own, from which both were asked at once."""
ASKED: Final = 0.3
"""Share of a sentence's words in the policy's, from which the sentence was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the user does after the policy spoke."""

    text: str = ""
    source: str = RECORDED
    """`RECORDED`, `SIMULATED` where a model plays the user, `DERIVED` for an OK, or `UNKNOWN` for the neutral sentence."""
    ended: bool = False
    """The user leaves: after these words, or without any when `text` is empty."""
    turn: int | None = None
    """Which recorded turn it is; the nearer one where two questions were answered."""
    calls: tuple[UserCall, ...] = ()
    """What the user does before these words; they hold only where it is answered as it was recorded."""


class User(Protocol):
    """Whoever answers what the policy says in one run."""

    def reply(self, said: str, *, acted: bool = True) -> Reply:
        """The user's answer; `acted`: the policy called tools since the user last spoke."""
        ...


class RecordedUser:
    """Says again what a user said in a stored run, turn by turn, whatever is asked: only for making that run again."""

    def __init__(self, turns: Iterable[str]) -> None:
        self._turns = list(turns)

    def reply(self, said: str, *, acted: bool = True) -> Reply:  # noqa: ARG002 - the same words, whatever was said
        """The next turn; leaves with the last."""
        if not self._turns:
            return Reply(ended=True)
        text = self._turns.pop(0)
        source = UNKNOWN if text == NEUTRAL else SIMULATED
        return Reply(text=text, source=source, ended=not self._turns)


class ScriptedUser:
    """Plays one recorded user for one run."""

    def __init__(self, turns: Sequence[UserTurn], *, opening: str = "") -> None:
        self._turns = tuple(turn for turn in turns if not turn.other_recording)
        self._recording = recording_of(self._turns)
        self._others = tuple(turn for turn in turns if turn.other_recording)
        # Looked up once per run: every look compares all the texts.
        self._all = recording_of((*self._turns, *self._others)) if self._others else None
        self._left = list(range(len(self._turns)))
        self._kept: dict[int, tuple[Sentence, ...]] = {}
        """Sentences of begun turns that nobody asked for yet."""
        self._patience = PATIENCE
        self._given: list[int] = []
        """Turns that may be said once more."""
        self._told = [s for s in sentences_of(opening) if len(s.words) > GREETING]
        """Sentences of the opening that may be said once more."""
        self._heard = set(words_of(opening))
        """Every word of the conversation so far: what either side said is nothing new."""
        self._acted = False
        """Whether the policy called a tool in this run."""

    def reply(self, said: str, *, acted: bool = True) -> Reply:
        """The user's answer to what the policy said; `acted`: it called tools since the user last spoke."""
        words = words_of(said)
        self._heard |= words
        self._acted |= acted
        scores = self._recording.similarities(words)
        asks = "?" in said
        other = self._said_elsewhere(said, words) if asks else None
        if other is not None:
            return Reply(text=other.text)
        if self._patience and self._waits_for_more(said, scores, acted=acted):
            self._patience -= 1
            return Reply(text=GO_ON, source=DERIVED)
        if not self._left:
            told = self._after_the_last(words, scores, asks=asks)
            if told.ended and self._patience and self._is_waited_for(said, words, asks=asks):
                self._patience -= 1
                return Reply(text=GO_ON, source=DERIVED)
            return told
        return self._from_recording(said, words, scores, asks=asks)

    def _waits_for_more(self, said: str, scores: Sequence[float], *, acted: bool) -> bool:
        """Whether the recorded user spoke only after calls that are still to come, or was never asked whether to make them."""
        near = max((scores[i] for i in self._left), default=1.0) >= NEAR
        if near or self._has_left() or not self._turns[self._left[0]].after_calls:
            return False
        if "?" in said:
            return asks_consent(said) and not any(map(_consents, self._turns))
        return not acted

    def _is_waited_for(self, said: str, words: frozenset[str], *, asks: bool) -> bool:
        """Whether who has nothing more to say is asked to agree, or hears words without a figure before anything was done."""
        if asks:
            return asks_consent(said) and not words >= _MORE
        return not (self._acted or any(map(str.isdigit, said)))

    def _from_recording(
        self, said: str, words: frozenset[str], scores: Sequence[float], *, asks: bool
    ) -> Reply:
        """One of the turns that were not said yet, or one once more."""
        chosen = max(self._left, key=lambda i: (scores[i], -i))
        near = scores[chosen] >= NEAR and not self._is_farewell(chosen)
        known = not near and max(scores) >= STRANGE
        consents = asks_consent(said) or (known and offers(said))
        consenting = self._consenting() if asks and consents else []
        if consenting:
            consent = self._consent(consenting, scores)
            clearer = near and scores[chosen] >= scores[consent] + CLEARLY
            if not clearer or "?" not in self._turns[chosen].asked:
                whole = scores[consent] >= AGAIN
                return self._give(consent) if whole else self._begin(consent, words, consents=True)
        if near:
            return self._answer(chosen, scores, words)
        told = self._told_before(words, scores[chosen]) if asks and not consents else None
        return told or self._out_of_order(said, words, scores, asks=asks)

    def _out_of_order(
        self, said: str, words: frozenset[str], scores: Sequence[float], *, asks: bool
    ) -> Reply:
        """What the user says to words that are near no turn that is left."""
        if asks and max(scores) < STRANGE:
            return Reply(text=NEUTRAL, source=UNKNOWN)
        again = max(self._given, key=lambda i: (scores[i], -i), default=None)
        if asks and again is not None and scores[again] >= AGAIN:
            return self._repeat(again)
        if self._said_goodbye() and not QUESTION.search(said):
            return Reply(ended=True)
        return self._in_order(scores, words, asks=asks)

    def _said_elsewhere(self, said: str, words: frozenset[str]) -> UserTurn | None:
        """What another recording answers to a question that this one does not know.

        A question for consent goes to this recording while it has an answer to one, and else to the nearest such question of another.
        """
        consents = asks_consent(said)
        if self._all is None or (consents and self._consenting()):
            return None
        scores = self._all.similarities(words)
        known, near = scores[: len(self._turns)], scores[len(self._turns) :]
        fitting = [i for i, t in enumerate(self._others) if asks_consent(t.asked) == consents]
        best = max(fitting, key=lambda i: (near[i], -i), default=None)
        if best is None:
            return None
        most = max(known, default=0.0)
        clearly = near[best] >= max(NEAR, most + CLEARLY)
        return self._others[best] if clearly or (consents and most < NEAR) else None

    def _consent(self, consenting: Sequence[int], scores: Sequence[float]) -> int:
        """The one whose question is nearest; a correction that is hardly less near comes before the consent after it."""
        best, first = max(consenting, key=lambda i: (scores[i], -i)), consenting[0]
        corrects = best == first + 1 and not agrees(self._turns[first].text)
        return first if corrects and scores[best] < scores[first] + SCARCELY else best

    def _in_order(self, scores: Sequence[float], words: frozenset[str], *, asks: bool) -> Reply:
        """What comes next where nothing is near: the better of two turns, since agents skip questions.

        An answer to a question for consent waits for such a question: given to another one, it is missed where it is due.
        What the user did with tools of their own waits until it is asked for: nobody does it because of other words.
        """
        waiting = [i for i in self._consenting() if agrees(self._turns[i].text)] if asks else []
        waiting += [i for i in self._left if self._turns[i].calls]
        coming = [i for i in self._left if not self._is_farewell(i) and i not in waiting][:2]
        if waiting and not coming:
            return Reply(text=NEUTRAL, source=UNKNOWN)
        return self._begin(max(coming or self._left[:1], key=lambda i: (scores[i], -i)), words)

    def _consenting(self) -> list[int]:
        """Turns left that answered a question for consent: another such question gets one of them, whatever its words."""
        left = [i for i in self._left if i not in self._kept]
        return [i for i in left if _consents(self._turns[i])]

    def _answer(self, chosen: int, scores: Sequence[float], words: frozenset[str]) -> Reply:
        """The turn that answers the question, and one more where another recorded question was asked beside it."""
        reply = self._give(chosen)
        second = self._second(chosen, scores, words) if scores[chosen] < AGAIN else None
        if second is None:
            return reply
        more = self._begin(second, words)
        return replace(reply, text=f"{reply.text} {more.text}", ended=more.ended)

    def _second(self, chosen: int, scores: Sequence[float], words: frozenset[str]) -> int | None:
        near = [
            i
            for i in self._left
            if scores[i] >= NEAR
            and i not in self._kept
            and not self._turns[i].ends
            and not self._turns[i].calls
            and "?" in self._turns[i].asked
            and not asks_consent(self._turns[i].asked)
            and self._recording.asked_besides(chosen, i, words) >= BESIDES
        ]
        return max(near, key=lambda i: (scores[i], -i), default=None)

    def _after_the_last(
        self, words: frozenset[str], scores: Sequence[float], *, asks: bool
    ) -> Reply:
        """Everything was said: answer a known question once more, own up to a new one, else leave."""
        again = max(self._given, key=lambda i: (scores[i], -i), default=None)
        if not asks:
            return Reply(ended=True)
        if again is not None and scores[again] >= NEAR:
            return self._repeat(again)
        told = self._told_before(words, 0.0 if again is None else scores[again])
        if told is not None or again is None:
            return told or Reply(ended=True)
        return Reply(text=NEUTRAL, source=UNKNOWN)

    def _told_before(self, words: frozenset[str], least: float) -> Reply | None:
        """A sentence of the opening once more, where a question is nearer to it than to any turn that is left."""
        if words >= _MORE:
            return None  # "Can I help you with anything else?" asks for nothing that was told.
        nearness = [self._recording.nearness(s.words, words) for s in self._told]
        best = max(range(len(nearness)), key=lambda i: (nearness[i], -i), default=None)
        if best is None or nearness[best] < max(TOLD, least):
            return None
        return Reply(text=self._told.pop(best).text)

    def _repeat(self, index: int) -> Reply:
        self._given.remove(index)
        return Reply(text=self._turns[index].text, turn=index)

    def _give(self, index: int) -> Reply:
        """All of a turn that was not said yet."""
        self._left.remove(index)
        self._given.append(index)
        turn = self._turns[index]
        kept = self._kept.pop(index, None)
        text = turn.text if kept is None else _text(kept)
        self._heard |= words_of(text)
        ended = turn.ends and not self._left
        return Reply(text=text, turn=index, ended=ended, calls=turn.calls)

    def _begin(self, index: int, words: frozenset[str], *, consents: bool = False) -> Reply:
        """A turn without what is new and was not asked for; at least one sentence of it, and its consent if it is for that."""
        sentences = self._kept.get(index) or self._recording.sentences(index)
        kept = [s for s in sentences if self._waits(s, words)]
        needed = [s for s in sentences if consents and agrees(s.text)][:1]
        if not needed and len(kept) == len(sentences):
            needed = kept[:1]
        kept = [s for s in kept if s not in needed]
        if not kept or self._turns[index].ends or self._turns[index].calls:
            return self._give(index)
        text = _text([s for s in sentences if s not in kept])
        self._kept[index] = tuple(kept)
        self._heard |= words_of(text)
        return Reply(text=text, turn=index)

    def _waits(self, sentence: Sentence, words: frozenset[str]) -> bool:
        """Whether a sentence names something new and was not asked for."""
        new = {word for word in sentence.words - self._heard if is_specific(word)}
        if not new:
            return False
        return self._recording.share_asked(sentence.words - new, words) < ASKED

    def _said_goodbye(self) -> bool:
        """Whether the recording's last turn was said: whatever else is left, nobody goes on by themselves after it."""
        return len(self._turns) - 1 not in self._left

    def _has_left(self) -> bool:
        """Whether the recording's last turn was said, and agreed to nothing that would still have to be done."""
        return self._said_goodbye() and not _consents(self._turns[-1])

    def _is_farewell(self, index: int) -> bool:
        """The turn that ended the recording waits until everything else was said."""
        return self._turns[index].ends and len(self._left) > 1


def _consents(turn: UserTurn) -> bool:
    return gives_consent(turn.asked, turn.text)


def _text(sentences: Sequence[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)
