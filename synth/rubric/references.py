"""What people say that the right answer was: the texts in the corrections of outcomes, as a check on the final answer.

In: clean outcomes and the outcome policy. Out: per episode the answers that are right, with who said so; the check on the final
answer, with the normal forms of each; or a judge's question where a reference is an explanation. A correction that names calls is no
answer (`corrections`). Not here: comparing (`environments.runtime.checks.answer`), which tasks come of it (`synth.tasks`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from environments.runtime.checks.answer import NUMBER_WORDS
from environments.runtime.checks.answer_rows import answer_row, says_something
from environments.runtime.checks.final_answer import tokens, words_compared, words_of
from environments.runtime.checks.table import score_of
from environments.runtime.checks.view import View, objects_of, text_of
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.rubric import BOTH, REWARD, Check
from environments.runtime.values.facts import DATE, NUMBER, facts_in
from environments.runtime.values.literals import parse_json
from environments.runtime.values.normal import as_list, is_plain
from redact.readers.corrections import calls_in
from redact.records.clean_episode import WITHHELD
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import statements_of
from synth.labels.policy import RANKS, OutcomePolicy
from synth.recordings.attempt_facts import Facts
from synth.rubric.evidence import origin_of, required_check
from synth.rubric.facts.forms import ENGLISH, forms_of, number_words

REFERENCE: Final = "reference"
"""Who says that an attempt is resolved whose final answer gives the reference, and the solution of a task made of one."""
CHECK_ID: Final = "answered"
MOST_ANSWERS: Final = 32
LONGEST_ANSWER: Final = 4
"""Words of a reference up to which resolved attempts are expected to say it as it stands."""
NEVER: Final = ("model", "implicit")
"""Whose word is no reference: a guess would be paid as if it were right."""

CONTRADICT: Final = "references_contradict"
UNKNOWABLE: Final = "reference_withheld"
MAY_CHANGE: Final = "reference_may_not_be_all"
OTHERWISE: Final = "reference_not_answered"
"""Reasons why a task with a reference cannot be accepted as it stands."""

PROMPT: Final = """Somebody who knows wrote this reference answer to the user's question:

{references}

Does the assistant's final answer say the same? Give 1 where it holds what the reference says and nothing that contradicts it, in whatever \
words and language; give 0 where a part is missing, wrong or hedged among other answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The answers that are right for one request; each of them alone is enough."""

    answers: tuple[str, ...]
    by: str
    """The kind of annotator who says so; of several the most trusted."""
    outcome_ids: tuple[str, ...]
    confidence: float
    replaced: bool = False
    """Whether redaction put something else in place of a part of it."""
    contradicted: bool = False
    """Whether people give different answers to one request."""

    @property
    def is_withheld(self) -> bool:
        """Whether redaction left out a part of it."""
        return any(WITHHELD in text for text in self.answers)


def references_of(outcomes: Iterable[CleanOutcome], policy: OutcomePolicy) -> dict[str, Reference]:
    """Per episode what its outcomes say the right answer was; episodes without one are not in it."""
    return statements_of(outcomes, partial(_reference_said, policy=policy), join_references)


def join_references(one: Reference, other: Reference) -> Reference:
    """What two statements about one request say: the more trusted kind's answer; of equal ones the same answer, or a contradiction."""
    first, second = sorted((one, other), key=lambda r: _rank(r.by))
    same = set(map(words_compared, first.answers)) & set(map(words_compared, second.answers))
    differ = not same and _rank(first.by) == _rank(second.by)
    return replace(
        first,
        answers=tuple(dict.fromkeys((*first.answers, *(second.answers if same else ())))),
        outcome_ids=tuple(dict.fromkeys((*one.outcome_ids, *other.outcome_ids))),
        confidence=max(one.confidence, other.confidence) if same else first.confidence,
        replaced=one.replaced or other.replaced,
        contradicted=one.contradicted or other.contradicted or differ,
    )


def _rank(by: str) -> int:
    return RANKS.get(by, RANKS["unknown"])


def _reference_said(outcome: CleanOutcome, policy: OutcomePolicy) -> Reference | None:
    text = outcome.correction
    if not text or outcome.by in NEVER or calls_in(text) is not None:
        return None
    if policy.ignores(outcome):
        return None
    answers = tuple(dict.fromkeys(one for one in _alternatives(text) if says_something(one)))
    if not answers:
        return None
    return Reference(
        answers=answers[:MOST_ANSWERS],
        by=outcome.by,
        outcome_ids=(outcome.outcome_id,),
        confidence=round(1 - policy.noise_of(outcome), 4),
        replaced=bool(outcome.replaced),
    )


def _alternatives(text: str) -> Iterator[str]:
    """The answers of a correction: a JSON list of texts or numbers names several that are right."""
    parsed = parse_json(text) if text[:1] == "[" else None
    listed = parsed.value if parsed is not None else None
    if isinstance(listed, list) and listed and all(map(is_plain, listed)):
        yield from (one if isinstance(one, str) else json.dumps(one) for one in listed)
    else:
        yield text.strip()


def answer_check(
    reference: Reference, *, language: str = ENGLISH, tools: Sequence[str] = ()
) -> Check:
    """The check that the final answer gives the reference; a judge's question where all of it is prose.

    `tools` end the conversation: their arguments may carry the answer.
    """
    rows = [row for text in reference.answers if (row := _row(text, language)) is not None]
    if not rows:
        listed = "\n\n".join(reference.answers)
        args: dict[str, Json] = {"prompt": PROMPT.format(references=listed), "evidence": "visible"}
        return _check("judge", args, REWARD)
    args = {"answers": list[Json](rows)}
    if any(_has_words(row) for row in rows):
        args[NUMBER_WORDS] = list[Json](number_words(language))
    if tools:
        args["tools"] = list[Json](tools)
    return _check("answered", args, BOTH)


def _has_words(row: Json) -> bool:
    if not isinstance(row, dict):
        return False
    within = map(_has_words, as_list(row.get("items")))
    return (row.get("kind") == NUMBER and bool(row.get("forms"))) or any(within)


def _check(fn: str, args: Mapping[str, Json], role: str) -> Check:
    return Check(check_id=CHECK_ID, fn=fn, args=args, role=role, required=True, support=1)


def gives(check: Check, attempt: Attempt) -> bool | None:
    """Whether an attempt's final answer gives the reference; None where only a judge can say."""
    if check.fn != "answered":
        return None
    return score_of(check, View(attempt))[0] == 1.0


def stands_in_talk(reference: Reference, attempts: Iterable[Attempt]) -> bool:
    """Whether all that an answer says was said by users or shown by tools: a policy can then find it out."""
    shown = [
        set(words_of("\n".join(text_of(m) for m in a.messages if m.get("role") != "assistant")))
        for a in attempts
    ]
    return any(set(words_compared(text)) <= words for text in reference.answers for words in shown)


def _row(text: str, language: str) -> dict[str, Json] | None:
    """One answer as the check compares it, with the forms of its numbers and dates; None for prose."""
    row = answer_row(text)
    return None if row is None else _with_forms(row, language)


def _with_forms(row: dict[str, Json], language: str) -> dict[str, Json]:
    facts = facts_in(str(row["value"])) if row["kind"] in {NUMBER, DATE} else ()
    items = row.get("items")
    if isinstance(items, list):
        rows: list[Json] = [_with_forms(i, language) for i in items if isinstance(i, dict)]
        return {**row, "items": rows}
    return {**row, "forms": list[Json](forms_of(facts[0], language))} if facts else row


class ReferenceAnswers:
    """What the check on the final answer makes of a task's attempts."""

    def __init__(self, wanted: Check | None, attempts: Sequence[Facts]) -> None:
        self._wanted = wanted
        self._attempts = attempts
        self._given = {
            id(a): None if wanted is None else gives(wanted, a.recorded.attempt) for a in attempts
        }
        self._good = [a for a in attempts if a.resolved]

    @property
    def excused(self) -> frozenset[str]:
        """Unresolved attempts that answered otherwise: the end is not why they failed."""
        if self._wanted is None:
            return frozenset()
        bad = (a for a in self._attempts if a.resolved is False)
        return frozenset(a.episode_id for a in bad if not self._given[id(a)])

    @property
    def _agree(self) -> bool:
        told = [self._given[id(a)] for a in self._good]
        return None in told or 2 * sum(map(bool, told)) >= len(told)

    @property
    def is_asked(self) -> bool:
        """Whether the answer is required: outcomes do not speak against it."""
        return self._wanted is not None and self._agree

    @property
    def is_doubtful(self) -> bool:
        """Whether outcomes and the reference disagree about who answered right."""
        if self._wanted is None:
            return False
        bad = [a for a in self._attempts if a.resolved is False and not a.writes]
        otherwise = not self._agree and not self._is_described
        return otherwise or any(self._given[id(a)] for a in bad)

    @property
    def _is_described(self) -> bool:
        """Whether the reference describes what is right (`refused: closed deals are read-only`): nobody says it in these words."""
        answers = objects_of(self._wanted.args, "answers") if self._wanted else []
        return all(len(tokens(str(one.get("value")))) > LONGEST_ANSWER for one in answers)

    @property
    def is_grounded(self) -> bool:
        """Whether tools show what resolved attempts tell: an answer that is known by heart has no ground."""
        return all(a.recorded.attempt.calls and not a.told_facts.groundless for a in self._good)

    @property
    def checks(self) -> list[Check]:
        """The check on the final answer, required or for people to see."""
        if self._wanted is None:
            return []
        good = [a for a in self._good if self._given[id(a)] is not False]
        found = replace(
            self._wanted,
            support=len(good),
            counter=len(self._good) - len(good),
            origin=origin_of(self._good),
        )
        return [found if self.is_asked else replace(found, required=False, weight=0.0)]

    @property
    def looks(self) -> list[Check]:
        """That something is looked up, where every resolved attempt does: right words alone may be remembered from elsewhere."""
        if not self._good or not all(a.recorded.attempt.calls for a in self._good):
            return []
        return [
            required_check(
                "called",
                {"least": 1},
                self._good,
                check_id="looked_up",
                positive=False,
            )
        ]

    def answers_otherwise(self, attempt: Facts) -> bool:
        """Whether an attempt does not give the answer although it is required."""
        return self.is_asked and self._given[id(attempt)] is False
