"""Outcomes that live elsewhere: a table of business records or survey answers, joined to episodes when it arrives.

Comes in: CSV, JSONL or Parquet rows, or a JSON list of rows. Goes out: `OutcomeRow`s, then `Outcome`s: one for each episode that a row is
about. A row that joins nothing is kept with `episode_id` None, to be joined when its episode arrives.
"""

from __future__ import annotations

import csv
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from ingest.errors import SourceUnreadable
from ingest.files.chat_outcome import annotator_of, number_of, outcome_id_of
from ingest.records.app_name import UNNAMED
from ingest.records.episode import Episode
from ingest.records.moments import from_any
from ingest.records.outcome import TARGETS, Outcome, keep_latest
from ingest.records.quarantine import MAX_KEPT_BODY, ROW, Rejected
from ingest.records.right_answer import right_answer, right_answer_among
from ingest.records.text import NOT_UTF8, is_utf8, json_bytes, load_json, why_no_json
from ingest.tables.cells import separator_in

_TRUTHS: Final = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_SOURCE: Final = "table"
_REFERENCE: Final = "reference"
"""The name of a row that says what would have been right and nothing of how it went."""
_ATTRIBUTE: Final = "attribute"
KEY: Final = "key"
"""The column of keys where nobody names one."""
_SHORTEST_NAME: Final = 6
_MOST_COLUMNS: Final = 40
"""So many are listed."""
_MANY: Final = frozenset({"user", "task_key", _ATTRIBUTE})
"""Targets that several episodes may share."""
_OF_ONE: Final = ("conversation", "episode", "file", "trace", "response")
"""Names that one episode has; where a row's own kind knows none, the others are looked through in this order."""
_UUID: Final = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeMapping:
    """Which column says what."""

    key: str | None = None
    """The column that names what a row is about; None: the one called `key`."""
    target: str = "conversation"
    """What the key is: one of `ingest.records.outcome.TARGETS`; `attribute:NAME` is any attribute of an episode's spans."""
    name: str = "name"
    value: str = "value"
    at: str = "at"
    by: str = "by"
    comment: str = "comment"
    correction: str = "correction"
    """What would have been right: calls in JSON, or their objects as a query returns them; else a text, or a list of several answers.

    Where the rows have no such column, `reference` and `answer` are looked for.
    """
    author: str = "author"
    fixed_name: str | None = None
    """The outcome's name where no column holds it (`ticket_reopened`)."""
    fixed_by: str | None = None
    """Who judged where no column says so; a table is a business record unless told otherwise."""
    window_seconds: int | None = None
    """For `user`, `task_key` and attributes: how long before the row the episode may have ended; None sets no bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """One row of a table, read."""

    app: str | None
    """None: the row may be about an episode of any app."""
    target_kind: str
    target_id: str
    name: str
    value: float | None
    label: str | None
    comment: str | None
    by: str
    author: str | None
    at: int | None
    correction: str | None = None
    window_seconds: int | None = None


def read_outcomes(
    path: Path, mapping: OutcomeMapping | None = None, *, app: str | None = None
) -> Iterator[OutcomeRow | Rejected]:
    """Read a table; the file's ending says whether it is CSV, JSON (one row a line, or a list of them) or Parquet."""
    columns = mapping or OutcomeMapping()
    yield from read_rows(rows_of_table(path), columns, app=app, source=path.name)


def rows_of_table(path: Path) -> Iterator[Mapping[str, Any] | bytes]:
    """The rows of a table as they stand there; bytes are one that is no row at all."""
    try:
        yield from _rows(path)
    except FileNotFoundError as error:
        raise SourceUnreadable(f"{path} does not exist; check the path.") from error
    except UnicodeDecodeError as error:
        raise SourceUnreadable(f"{path} is {NOT_UTF8}.") from error
    except (OSError, csv.Error, ValueError) as error:
        raise SourceUnreadable(
            f"{path} cannot be read as CSV, JSON or Parquet ({type(error).__name__}); check the file and its ending."
        ) from error


def require_target(target: str) -> None:
    """Raise `SourceUnreadable` where no outcome can be about this kind of thing."""
    kind, _, attribute = target.partition(":")
    if kind not in TARGETS or (kind == _ATTRIBUTE) != bool(attribute):
        allowed = sorted(TARGETS - {_ATTRIBUTE})
        raise SourceUnreadable(
            f"{target} is no target of an outcome; use {', '.join(allowed)} or attribute:NAME."
        )


def read_rows(
    rows: Iterable[Mapping[str, Any] | bytes],
    columns: OutcomeMapping,
    *,
    app: str | None = None,
    source: str = "query",
) -> Iterator[OutcomeRow | Rejected]:
    """Read rows wherever they come from; bytes are one that is no row at all."""
    require_target(columns.target)
    for number, row in enumerate(rows, start=1):
        yield _read(row, columns, app=app, source=source, position=f"{ROW} {number}")


def _rows(path: Path) -> Iterator[Mapping[str, Any] | bytes]:
    ending = path.suffix.lower()
    if ending == ".parquet":
        with pq.ParquetFile(path) as table:
            for batch in table.iter_batches():
                yield from batch.to_pylist()
    elif ending in {".jsonl", ".ndjson", ".json"}:
        with path.open("rb") as lines:
            if lines.peek(1)[:1] == b"[":
                text = lines.read()
                listed = load_json(text)
                rows = listed if isinstance(listed, list) else [text]
                yield from (
                    row if isinstance(row, dict | bytes) else json_bytes(row) for row in rows
                )
            for line in lines:
                if line.strip():
                    value = load_json(line)
                    yield value if isinstance(value, dict) else line
    else:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            separator = separator_in(lines.readline())
            lines.seek(0)
            yield from csv.DictReader(lines, delimiter=separator)


def _read(
    row: Mapping[str, Any] | bytes,
    columns: OutcomeMapping,
    *,
    app: str | None,
    source: str,
    position: str,
) -> OutcomeRow | Rejected:
    def refuse(code: str, reason: str) -> Rejected:
        return Rejected(
            source=source,
            position=position,
            code=code,
            reason=reason,
            body=(row if isinstance(row, bytes) else repr(row).encode())[:MAX_KEPT_BODY],
            app=app,
            at=time.time_ns(),
        )

    if isinstance(row, bytes):
        why = "The line is not a JSON object; write one row a line."
        return refuse("not_json", why if is_utf8(row) else why_no_json(row))
    key_column = columns.key or KEY
    key, name = _text(row.get(key_column)), columns.fixed_name or _text(row.get(columns.name))
    correction = _right(row, columns)
    if name is None and correction is not None:
        name = _REFERENCE
    lacks: dict[str, tuple[str, str, str]] = {}
    if key is None:
        lacks["no_key"] = (key_column, "--key", f"names the {columns.target}")
    value, label = _value(row.get(columns.value))
    comment = _text(row.get(columns.comment))
    says = comment if columns.value in row else None  # without the column an option is wrong
    if value is None and label is None and says is None and correction is None:
        lacks["no_value"] = (columns.value, "--value", "holds the outcome's value")
    if name is None:
        lacks["no_name"] = (columns.name, "--name", "names the outcome")
    if key is None or name is None or lacks:
        return refuse(next(iter(lacks)), _nothing_in(row, list(lacks.values())))
    at = row.get(columns.at)
    moment = from_any(at)
    if moment is None and _text(at) is not None:
        return refuse(
            "bad_time",
            f"Column {columns.at} holds no time; write ISO 8601, such as 2026-09-01T08:00:00Z.",
        )
    given = _text(row.get(columns.by)) or columns.fixed_by
    kind, _, attribute = columns.target.partition(":")
    return OutcomeRow(
        app=app,
        target_kind=kind,
        target_id=f"{attribute}={key}" if attribute else key,
        name=name,
        value=value,
        label=label,
        comment=comment,
        correction=correction,
        by=annotator_of(given, default="business_record"),
        author=_text(row.get(columns.author)),
        at=moment,
        window_seconds=columns.window_seconds,
    )


def _nothing_in(row: Mapping[str, Any], lacks: Sequence[tuple[str, str, str]]) -> str:
    """What to do about columns that a row lacks, or has empty: each with its option and what it holds."""
    there = ", ".join(str(name) for name in list(row)[:_MOST_COLUMNS])
    empty = " and ".join(f"column {column}" for column, _, _ in lacks)
    ways = " and ".join(f"with {option} which column {what}" for _, option, what in lacks)
    return f"The row has nothing in {empty}; say {ways}, of: {there}."


def _text(value: object) -> str | None:
    text = "" if value is None else str(value).strip()
    return text or None


def _right(row: Mapping[str, Any], columns: OutcomeMapping) -> str | None:
    """What a row says would have been right: a text, or objects (as JSON lines and queries give them) as JSON."""
    named = row.get(columns.correction)
    found = named if columns.correction in row else right_answer_among(row)
    return _text(right_answer(float(found) if isinstance(found, Decimal) else found))


def _value(raw: object) -> tuple[float | None, str | None]:
    """A number, or the label that stands where one was expected."""
    if isinstance(raw, str):
        text = raw.strip()
        if text.lower() in _TRUTHS:
            return _TRUTHS[text.lower()], None
        try:
            return number_of(float(text)), None
        except ValueError:
            return None, text or None
    number = number_of(float(raw) if isinstance(raw, Decimal) else raw)
    # A number that is none is how a data frame writes an empty cell.
    is_empty = raw is None or isinstance(raw, float | Decimal)
    return number, None if number is not None or is_empty else str(raw)


def join(
    rows: Iterable[OutcomeRow],
    episodes: Iterable[Episode],
    *,
    responses: Mapping[str, str] | None = None,
    attributes: Mapping[str, Sequence[str]] | None = None,
) -> list[Outcome]:
    """One outcome for each row, the same row once; a row whose episode has not arrived keeps `episode_id` None."""
    return attach(map(_outcome, rows), episodes, responses=responses, attributes=attributes)


def attach(
    outcomes: Iterable[Outcome],
    episodes: Iterable[Episode],
    *,
    responses: Mapping[str, str] | None = None,
    attributes: Mapping[str, Sequence[str]] | None = None,
) -> list[Outcome]:
    """Join outcomes that have no episode yet to episodes that have arrived since; the others pass unchanged."""
    index = _Index(episodes, responses or {}, attributes or {})
    joined: dict[str, Outcome] = {}
    for outcome in outcomes:
        keep_latest(joined, _by_app(outcome if outcome.episode_id else index.join(outcome)))
    return list(joined.values())


def _by_app(outcome: Outcome) -> Outcome:
    """A row's outcome under the id of its app, which its episode tells: whether the table named the app changes nothing."""
    if outcome.source != _SOURCE:
        return outcome
    app = None if outcome.app == UNNAMED else outcome.app
    return replace(outcome, outcome_id=_id_of(outcome, app))


def _id_of(row: OutcomeRow | Outcome, app: str | None) -> str:
    return outcome_id_of(app, row.target_kind, row.target_id, row.name, row.by, row.author, _SOURCE)


def _outcome(row: OutcomeRow) -> Outcome:
    return Outcome(
        app=row.app or UNNAMED,
        outcome_id=_id_of(row, row.app),
        target_kind=row.target_kind,
        target_id=row.target_id,
        episode_id=None,
        name=row.name,
        value=row.value,
        label=row.label,
        text=row.comment,
        correction=row.correction,
        by=row.by,
        author=row.author,
        at=row.at,
        source=_SOURCE,
        window_seconds=row.window_seconds,
    )


class _Index:
    """Episodes by everything that a row may call them; blanks around an id, and how a UUID is written, mean nothing."""

    def __init__(
        self,
        episodes: Iterable[Episode],
        responses: Mapping[str, str],
        attributes: Mapping[str, Sequence[str]],
    ) -> None:
        self._by_name: dict[tuple[str, str], list[Episode]] = defaultdict(list)
        by_id: dict[str, Episode] = {}
        for episode in episodes:
            by_id[episode.episode_id] = episode
            self._by_name["episode", _id_as_compared(episode.episode_id)].append(episode)
            for kind, name in (
                ("conversation", episode.conversation_id),
                ("user", episode.subject),
                ("task_key", episode.task_key),
                *(("trace", trace_id) for trace_id in episode.trace_ids),
                ("file", _file_in(episode.conversation_id)),
            ):
                if name and (bare := _id_as_compared(name)):
                    self._by_name[kind, bare].append(episode)
        for response, episode_id in responses.items():
            if episode_id in by_id:
                self._by_name["response", _id_as_compared(response)].append(by_id[episode_id])
        for named, traces in attributes.items():
            known = (self._by_name.get(("trace", _id_as_compared(trace)), ()) for trace in traces)
            found = {episode.episode_id: episode for some in known for episode in some}
            self._by_name[_ATTRIBUTE, named.strip()] += found.values()

    def join(self, outcome: Outcome) -> Outcome:
        """The outcome with its episode, if exactly one can be meant."""
        kind, target = outcome.target_kind, _id_as_compared(outcome.target_id)
        found = self._by_name.get((kind, target), [])
        if kind in _OF_ONE and not found:
            # People say "conversation" for a trace, "episode" for the id they gave it, and ours for theirs.
            others = (self._by_name.get((other, target)) for other in _OF_ONE)
            found = next(filter(None, others), [])
        if kind in {"span", "tool_call"} and ":" in target:
            found = self._by_name.get(("trace", _id_as_compared(target.split(":", 1)[0])), [])
        if outcome.app != UNNAMED:
            found = [episode for episode in found if episode.app == outcome.app]
        if kind in _MANY:
            found = _last_before(found, outcome.at, outcome.window_seconds)
        ids = {episode.episode_id for episode in found}
        if len(ids) != 1:
            return outcome
        return replace(outcome, episode_id=found[0].episode_id, app=found[0].app)


def _id_as_compared(name: str) -> str:
    """An id as it is compared: a UUID without its dashes, in small letters, as telemetry has a trace's."""
    name = name.strip()
    return name.replace("-", "").lower() if _UUID.fullmatch(name) else name


def _file_in(conversation: str | None) -> str | None:
    """The file's name in an id that is its path, as tables have it; a place or an attempt's number is none."""
    _, _, name = (conversation or "").rpartition("/")
    return name if name != conversation and len(name) >= _SHORTEST_NAME else None


def _last_before(
    episodes: Sequence[Episode], at: int | None, window_seconds: int | None
) -> list[Episode]:
    """Of several episodes of one user the last one before the row: which of them earned it, nobody says more closely."""
    if at is None:
        return list(episodes)
    started = [episode for episode in episodes if episode.started_at <= at]
    if window_seconds is not None:
        earliest = at - window_seconds * 1_000_000_000
        started = [e for e in started if (e.ended_at or e.started_at) >= earliest]
    return [max(started, key=lambda e: (e.started_at, e.episode_id))] if started else []
