"""The gate's account of what it did on each day, by kind, place and length; never a text.

Comes in: what scrubbing made of raw episodes, or the clean lake. Goes out: `AccountRow`s, each a row of the table `redactions`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dagster_project.lake.rows import from_rows
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table
from ingest.records.columns import schema_of
from ingest.records.episode import Episode
from redact.apply.scrub import Scrubbed
from redact.audit.remaining_values import staying
from redact.values.talk_language import language_of_talk

REPLACED: Final = "replaced"
WITHHELD: Final = "withheld"
"""A leaf that nobody could judge, replaced by a marker."""
HELD: Final = "held"
"""A whole episode that did not come through."""
LANGUAGE: Final = "language"
"""A language's conversations, and what was replaced and withheld in them."""
STAYS: Final = "stays"
"""Values of a key that nothing changed; `length` is of how many conversations they were counted."""
TALKS: Final = "conversations"
COUNTED_A_DAY: Final = 200
"""Of more conversations a day the first ones are looked at: keys repeat."""
_TALKING: Final = frozenset({"user", "assistant"})
_INDEX: Final = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """What was done with values of one kind at one place on one day of an app."""

    app: str
    day: str
    what: str
    """`REPLACED`, `WITHHELD`, `HELD`, `STAYS`; or `LANGUAGE`, by which the same is counted once more."""
    kind: str
    """Of value; the reason why a leaf or an episode was withheld; a language."""
    place: str
    """A path without positions, the tool and key that a leaf stands under; what was done, by language."""
    count: int
    length: int = 0
    """In characters, all together."""
    episodes: int = 0
    """In how many episodes, where that is counted."""


REDACTIONS: Final = Table(name="redactions", schema=schema_of(AccountRow))


def account_of(app: str, day: str, scrubbed: Sequence[Scrubbed]) -> list[AccountRow]:
    """What was done on a day, by kind, place and length, and to how many episodes; and the same by language of the conversation."""
    counts: Counter[tuple[str, str, str]] = Counter()
    lengths: Counter[tuple[str, str, str]] = Counter()
    episodes: Counter[tuple[str, str, str]] = Counter()
    for one in scrubbed:
        episodes.update({(WITHHELD, held.reason, held.key) for held in one.held})
        for note in one.notes:
            key = (REPLACED, note.kind, _INDEX.sub("[]", note.path))
            counts[key] += 1
            lengths[key] += note.length
        for held in one.held:
            counts[WITHHELD, held.reason, held.key] += 1
        language = language_of_talk(
            step.content for step in one.clean.steps if step.role in _TALKING and step.content
        )
        for what, n in ((TALKS, 1), (REPLACED, len(one.notes)), (WITHHELD, len(one.held))):
            counts[LANGUAGE, language, what] += n
    return [
        AccountRow(
            app=app,
            day=day,
            what=what,
            kind=kind,
            place=place,
            count=count,
            length=lengths[what, kind, place],
            episodes=episodes[what, kind, place],
        )
        for (what, kind, place), count in sorted(counts.items())
    ]


def stays_of(
    app: str, day: str, raw: Sequence[Episode], scrubbed: Sequence[Scrubbed]
) -> list[AccountRow]:
    """What stays of a day's first conversations, by kind and key, and in how many of them."""
    counts: Counter[tuple[str, str]] = Counter()
    episodes: Counter[tuple[str, str]] = Counter()
    pairs = list(zip(raw, scrubbed, strict=True))[:COUNTED_A_DAY]
    for episode, one in pairs:
        found = staying(episode, one.clean)
        counts += found
        episodes.update(found.keys())
    return [
        AccountRow(
            app=app,
            day=day,
            what=STAYS,
            kind=kind,
            place=key,
            count=count,
            length=len(pairs),
            episodes=episodes[kind, key],
        )
        for (kind, key), count in sorted(counts.items())
    ]


def account_in(
    clean: Lake, app: str | None = None, days: Iterable[str] | None = None
) -> list[AccountRow]:
    """What the gate did in an app, or in all, on some days or on all."""
    return from_rows(AccountRow, clean.read(REDACTIONS, app=app, days=days).to_pylist())
