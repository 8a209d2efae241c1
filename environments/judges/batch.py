"""A batch: at most 20 questions to a judge in one request, and its reply, strictly parsed.

In: questions. Out: the request's text; of a reply's text, a recording per question, or None where the reply is not what
was asked for. Evidence goes in as JSON strings, so that no transcript can close its quotes. Each evidence comes with one
*control*, a question whose answer is known to be the lowest score: a judge that gives more was talked over by what it
read, and nothing it says of that evidence counts. Not here: sending (`ask`), models (`environments.llm`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from environments.judges.question import Question
from environments.runtime.task.attempt import Json
from environments.runtime.values.canonical import digest
from environments.runtime.values.grouping import by_key

MOST: Final = 20
"""Questions in one request, controls included."""
MOST_CHARACTERS: Final = 120_000
"""Evidence in one request; one evidence alone is at most half of it."""


class _Answer(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    id: str
    score: float | None = Field(allow_inf_nan=False)
    quote: str = ""


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    answers: list[_Answer]


@dataclass(frozen=True, slots=True)
class BatchQuestion:
    """One question as it stands in a request."""

    question: Question
    control: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """The questions of one request, by the id they have in it."""

    asked: Mapping[str, BatchQuestion]

    def request(self) -> str:
        """The request's text: evidence and questions as JSON."""
        names: dict[tuple[str, ...], str] = {}
        for one in self.asked.values():
            names.setdefault(one.question.evidence, f"e{len(names) + 1}")
        questions: list[Json] = [
            {
                "id": name,
                "evidence": names[one.question.evidence],
                "question": one.question.prompt,
                "lowest": one.question.low,
                "highest": one.question.high,
            }
            for name, one in self.asked.items()
        ]
        evidence: dict[str, Json] = {name: list(texts) for texts, name in names.items()}
        return json.dumps({"evidence": evidence, "questions": questions}, ensure_ascii=True)

    def read(self, text: str) -> dict[str, Json] | None:
        """Recordings by question key; None where the reply is malformed, for the whole batch."""
        try:
            reply = _Reply.model_validate_json(unfenced(text))
        except ValidationError:
            return None
        answers = {answer.id: answer for answer in reply.answers}
        if len(answers) != len(reply.answers) or set(answers) != set(self.asked):
            return None
        if not all(_in_scale(answers[name].score, one) for name, one in self.asked.items()):
            return None
        misled = {
            one.question.evidence
            for name, one in self.asked.items()
            if one.control and answers[name].score != one.question.low
        }
        return {
            one.question.key: _recording(answers[name], one.question, misled)
            for name, one in self.asked.items()
            if not one.control
        }


def batches(questions: Iterable[Question]) -> Iterator[Batch]:
    """All questions in as few requests as they fit into, those about one evidence together."""
    groups = by_key((question.evidence, question) for question in questions)
    waiting: list[BatchQuestion] = []
    size = 0
    for evidence, mine in groups.items():
        characters = sum(map(len, evidence))
        for part in _parts(mine, MOST - 1):
            if waiting and (
                len(waiting) + len(part) + 1 > MOST or size + characters > MOST_CHARACTERS
            ):
                yield _number_questions(waiting)
                waiting, size = [], 0
            waiting += [
                BatchQuestion(_control(part), True),
                *(BatchQuestion(one, False) for one in part),
            ]
            size += characters
    if waiting:
        yield _number_questions(waiting)


def _parts(questions: Sequence[Question], most: int) -> Iterator[Sequence[Question]]:
    for at in range(0, len(questions), most):
        yield questions[at : at + most]


def _control(part: Sequence[Question]) -> Question:
    """Asks for words that no text holds: they are a hash over the evidence itself."""
    evidence = part[0].evidence
    words: list[Json] = [*evidence, "control"]
    code = digest(words)[:12].upper()
    prompt = f"Did the assistant give the reference {code}? Lowest if this very code does not stand in the evidence."
    return Question(key=code, prompt=prompt, low=0.0, high=1.0, evidence=evidence)


def _number_questions(waiting: Sequence[BatchQuestion]) -> Batch:
    """In an order that does not show which question is the control."""
    mixed = sorted(waiting, key=lambda one: digest(one.question.key))
    return Batch({f"q{number}": one for number, one in enumerate(mixed, 1)})


def _recording(answer: _Answer, question: Question, misled: set[tuple[str, ...]]) -> Json:
    if question.evidence in misled:
        return {"score": None, "why": "the judge said of this evidence what is not so"}
    quote = _folded_text(answer.quote)
    if quote and not any(quote in _folded_text(text) for text in question.evidence):
        return {"score": None, "why": "the judge quoted what is not in the evidence"}
    return {"score": answer.score, "quote": answer.quote}


def _in_scale(score: float | None, one: BatchQuestion) -> bool:
    return score is None or one.question.low <= score <= one.question.high


def _folded_text(text: str) -> str:
    return " ".join(text.split()).casefold()


def unfenced(text: str) -> str:
    """Without the code fence that many models put around JSON."""
    body = text.strip()
    if body.startswith("```") and body.endswith("```") and len(body) > 6:
        return body[3:-3].strip().removeprefix("json")
    return body
