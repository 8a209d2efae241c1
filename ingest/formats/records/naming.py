"""What a record is called: the conversation's id, and the key that all attempts at one request share.

Comes in: the fields of a record, and what is known of its file. Goes out: `Naming`, and the id. An outcomes table names
conversations by the id that the file shows, so that id is kept wherever it is there once; attempts at one task are told
apart by their number, else by their place in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from ingest.files.file_facts import BY_PLACE, BY_TRIAL, FileFacts, stem_of
from ingest.formats.records.fields import CONVERSATION, ROW, TASK, TRIAL, Fields
from ingest.formats.records.words import NAMES, snake_case
from ingest.otlp.record import Arrival
from ingest.records.text import Json, json_bytes

_NUMBERS: Final = re.compile(r"\d+")
_ID: Final = re.compile(r"(?=\D*\d)[^\s@:.{\[\x22]{1,64}")
"""A word with a digit that is no address, no time of day, no figure, no object and nothing in quotes."""
_INSTALLED: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""An instance of a product, whose id its files share; a task's instance has a name of words and numbers."""
MODEL_NAME: Final = re.compile(
    r"(?i)(?=.*\d)(?:[a-z\d.-]+[_/])?(?:gpt|claude|gemini|gemma|(?:meta-)?llama|qwen|mistral|mixtral|deepseek|grok|kimi|glm)"
    r"[-_]?(?:[vrk]?\d|(?:opus|sonnet|haiku|large|medium|small|nemo|coder|chat|instruct|max|plus|pro|flash)[-_\d])[-\w.]*"
    r"|[a-z][-\w.]*-\d{1,3}(?:\.\d)?b(?:-[-\w.]*)?"
)
"""What only a model is called, also as a folder: by a family and a number, or by its size."""
_SEVERAL: Final = 3
_SAMPLE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The ids of one record."""

    conversation: str | None
    """An id that one conversation has for itself."""
    task: str | None
    about: str | None
    named: str | None
    """A task's name, which may also be that of a kind of tasks."""
    row: str | None
    """An id that may be either, or the key under which the record stands in a map."""
    trial: str | None

    @property
    def base(self) -> str | None:
        """What the record is called before attempts are told apart."""
        return self.row or self.task

    def task_key(self, arrival: Arrival) -> str | None:
        """What all attempts at the request share; an id that is there once says nothing about others."""
        several = self.trial is not None or bool(arrival.facts.numbered_by)
        facts = arrival.facts
        tells = facts.names_tasks or (facts.is_alone and self.trial is not None)
        row = self.row if several else None
        named = (self.named if facts.names_tasks else None, row, self.named if tells else None)
        return self.task or self.about or next(filter(None, named), None)

    def conversation_id(self, arrival: Arrival) -> str | None:
        """The conversation's id; None where nothing names it."""
        if self.conversation is not None:
            return self.conversation
        if self.base is None:
            return stem_of(arrival.source) if arrival.facts.is_alone else None
        if arrival.facts.numbered_by == BY_TRIAL and self.trial is not None:
            return f"{self.base}/{self.trial}"
        if arrival.facts.numbered_by == BY_PLACE:
            return f"{self.base}/{'.'.join(_NUMBERS.findall(arrival.position))}"
        return self.base


def model_in_path(source: str) -> str | None:
    """The model that the nearest folder around a file is called by."""
    return next(filter(MODEL_NAME.fullmatch, source.split("/")[-2::-1]), None)


def own_fields(record: Json) -> dict[str, Any]:
    """A record's fields; a bare list of messages has none."""
    return record if isinstance(record, dict) else {}


def naming_of(fields: Fields, key: str | None = None, *, own_id: str = "") -> Naming:
    """The ids of one record; `key` names it in the map that it stands in, `own_id` is the field of its file's own ids."""
    named = fields.text(TASK)
    if named == fields.text(("instance_id",)) and _INSTALLED.fullmatch(named or ""):
        named = None
    task = fields.top_text(("task",)) or ""  # a sentence is what somebody wants, and no name
    return Naming(
        conversation=fields.text(CONVERSATION),
        task=named,
        about=fields.text(NAMES["about"]),
        named=fields.text(NAMES["task_names"]) or (task if len(task.split()) == 1 else None),
        row=fields.top_text((*ROW, snake_case(own_id))) or key,
        trial=fields.top_text(TRIAL),
    )


def facts_of_all(
    facts: FileFacts, records: Callable[[], Iterable[tuple[Json, str | None]]]
) -> FileFacts:
    """What goes for all records of a file, each with its name in a map: which field names them, and what tells those of one name apart."""
    first = [own_fields(one) for one, key in islice(records(), _SAMPLE) if key is None]
    own_id = next(_own_ids(first), "") if len(first) >= _SEVERAL else ""
    named = (
        (naming_of(Fields(own_fields(one)), key, own_id=own_id), one) for one, key in records()
    )
    tasks = [(one.named, one.trial) for one in map(naming_of, map(Fields, first)) if one.named]
    tells = len({*tasks}) == len(first) > 1
    return replace(facts, own_id=own_id, numbered_by=_numbered_by(named), names_tasks=tells)


def _own_ids(records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The fields that name each record by another word with a digit, where no known one does."""
    is_named = any(one.conversation or one.base for one in map(naming_of, map(Fields, records)))
    for key in () if is_named else records[0]:
        told = {str(one.get(key)) for one in records}
        if len(told) == len(records) and all(map(_ID.fullmatch, told)):
            yield key


def _numbered_by(namings: Iterable[tuple[Naming, Json]]) -> str:
    """What tells the records of one file apart, where few were written twice these counted once; bounded by 200 bytes or so a record."""
    seen: set[int] = set()
    trials: set[int] = set()
    whole: set[int] = set()
    repeated, told, twice = False, False, 0
    for naming, record in namings:
        text = hash((naming.base, json_bytes(record)))
        if naming.conversation is not None or naming.base is None or text in whole:
            twice += text in whole
            continue
        whole.add(text)
        base, trial = hash(naming.base), hash((naming.base, naming.trial))
        repeated = repeated or base in seen
        told = told or trial in trials
        seen.add(base)
        trials.add(trial)
    if 10 * twice > len(whole):
        return BY_PLACE  # attempts that said the same
    return "" if not repeated else BY_PLACE if told else BY_TRIAL
