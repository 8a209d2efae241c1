"""What a record is called: the conversation's id, and the key that all attempts at one request share.

Comes in: the fields of a record, and what is known of its file. Goes out: `Naming`, and the id. An outcomes table names
conversations by the id that the file shows, so that id is kept wherever it is there once; attempts at one task are told
apart by their number, else by their place in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from ingest.files.file_facts import BY_PLACE, BY_TRIAL, stem_of
from ingest.formats.records.fields import CONVERSATION, ROW, TASK, TRIAL, Fields
from ingest.otlp.record import Arrival
from ingest.records.text import Json

_NUMBERS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The ids of one record."""

    conversation: str | None
    """An id that one conversation has for itself."""
    task: str | None
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
        return self.task or (self.row if several else None)

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


def own_fields(record: Json) -> dict[str, Any]:
    """A record's fields; a bare list of messages has none."""
    return record if isinstance(record, dict) else {}


def naming_of(fields: Fields, key: str | None = None) -> Naming:
    """The ids of one record; `key` names it in the map that it stands in."""
    return Naming(
        conversation=fields.text(CONVERSATION),
        task=fields.text(TASK),
        row=fields.top_text(ROW) or key,
        trial=fields.top_text(TRIAL),
    )


def numbered_by(namings: Iterable[Naming]) -> str:
    """What tells the records of one file apart; bounded by 100 bytes or so a record."""
    seen: set[int] = set()
    trials: set[int] = set()
    repeated = told = False
    for naming in namings:
        if naming.conversation is not None or naming.base is None:
            continue
        base, trial = hash(naming.base), hash((naming.base, naming.trial))
        repeated = repeated or base in seen
        told = told or trial in trials
        seen.add(base)
        trials.add(trial)
    if not repeated:
        return ""
    return BY_PLACE if told else BY_TRIAL
