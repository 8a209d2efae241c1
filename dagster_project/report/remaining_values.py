"""What stays past the gate, as the report shows it: by key and kind, each with one value in its place.

Comes in: the clean lake. Goes out: rows, those first that may tell one person from others. Clean texts only.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from dagster_project.clean_records import stored_episodes_of
from dagster_project.lake.store import Lake
from dagster_project.privacy.account import STAYS, account_in
from dagster_project.report.data.arrivals import StaysRow
from redact.audit.remaining_values import AMOUNT, DAY, NUMBER, PAGE, TEXT, WORDS
from redact.readers.documents import plain_key
from redact.readers.leaves import documents_in
from redact.records.clean_episode import CleanEpisode

_ORDER: Final = (NUMBER, TEXT, PAGE, DAY, WORDS, AMOUNT)
MOST: Final = 60
_LOOKED_AT: Final = 200
_LONG: Final = 160


def stays_rows(clean: Lake, app: str) -> tuple[tuple[StaysRow, ...], int]:
    """The keys whose values stay, and in how many conversations that was counted."""
    counts: Counter[tuple[str, str]] = Counter()
    episodes: Counter[tuple[str, str]] = Counter()
    looked: dict[str, int] = {}
    for row in account_in(clean, app):
        if row.what == STAYS:
            counts[row.kind, row.place] += row.count
            episodes[row.kind, row.place] += row.episodes
            looked[row.day] = row.length
    ranked = sorted(counts, key=lambda one: (_ORDER.index(one[0]), -counts[one], one[1]))[:MOST]
    shown = _examples(stored_episodes_of(clean, app)[:_LOOKED_AT], {key for _, key in ranked})
    rows = [
        StaysRow(
            kind=kind,
            key=key,
            count=counts[kind, key],
            episodes=episodes[kind, key],
            example=shown.get(key, ""),
        )
        for kind, key in ranked
    ]
    return tuple(rows), sum(looked.values())


def _examples(episodes: Sequence[CleanEpisode], keys: Iterable[str]) -> dict[str, str]:
    wanted = set(keys)
    found: dict[str, str] = {}
    for episode in episodes:
        for tool, text in _texts(episode):
            for document in documents_in(text):
                for key, place in _objects(document, tool):
                    if key in wanted:
                        wanted.discard(key)
                        found[key] = place
        if not wanted:
            break
    return found


def _texts(episode: CleanEpisode) -> Iterator[tuple[str, str]]:
    for step in episode.steps:
        if step.role == "tool" and step.content:
            yield step.tool_name or "", step.content
        yield from ((call.name, call.arguments) for call in step.tool_calls)


def _objects(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Keys with the object that they stand in, cut around the value."""
    if isinstance(value, dict):
        for name, part in value.items():
            key = f"{path}.{plain_key(str(name))}"
            if isinstance(part, dict | list):
                yield from _objects(part, key)
                if isinstance(part, list) and part and not isinstance(part[0], dict | list):
                    yield key, _cut({name: part})
            else:
                others = {n: v for n, v in value.items() if not isinstance(v, dict | list)}
                yield key, _cut({name: part, **others})
    elif isinstance(value, list):
        for part in value:
            yield from _objects(part, path)


def _cut(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"
