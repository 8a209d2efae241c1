"""Assembly of more spans than memory holds: group by group, by way of a scratch folder.

Comes in: rows of `SPAN_SCHEMA` in any order, readable twice. Goes out: one `Assembled` a share of the groups, together what
`ingest.assembly.assemble` makes of everything at once. Memory follows the largest group and the share (`at_once`), not the number
of spans; time is linear in them. Not here: where the rows are kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from ingest.assembly.assemble import Assembled, Unit, assemble
from ingest.assembly.forest import fuller, group_key
from ingest.assembly.ties import Ties
from ingest.dialects.otel_genai import makes_agent
from ingest.records.outcome import Outcome
from ingest.records.span import SPAN_SCHEMA, LogEvent, Span, span_of_row

AT_ONCE: Final = 32 << 20
"""Bytes of rows assembled together; their records, steps and readings take about ten times as much."""
_MOST_SHARES: Final = 256
"""Files open at one time."""
_ROWS: Final = 2048
"""Rows that are Python objects at one time while groups are looked for."""

Rows = Callable[[], Iterable[pa.Table]]
"""Reads all rows from the beginning each time it is called."""


def assemble_stream(  # noqa: PLR0913 - `assemble`'s parameters and two for the parts
    rows: Rows,
    events: Iterable[LogEvent] = (),
    *,
    app: str,
    scratch: Path,
    known: Mapping[str, str] | None = None,
    at_once: int = AT_ONCE,
    unit: Unit = nullcontext,
) -> Iterator[Assembled]:
    """What `assemble` makes of one app's spans, in parts; outcomes about other parts' episodes come with the last."""
    held = [event for event in events if event.app == app]
    group, size, makers = _groups(rows, held, app)
    shares = max(1, min(_MOST_SHARES, -(-size // at_once)))
    directory = _Directory()
    with tempfile.TemporaryDirectory(dir=scratch, prefix="assemble-") as folder:
        files = [Path(folder) / f"{share}.arrow" for share in range(shares)]
        _spill(rows, app, files, group)
        for share, file in enumerate(files):
            own = [e for e in held if group[group_key(e)] % shares == share]
            others = [span for span in makers if group[span.trace_id] % shares != share]
            part = assemble(chain(_read(file), others), own, app=app, known=known, unit=unit)
            part.spans_without_episode -= len(others)
            yield directory.settle(part)
    yield Assembled(outcomes=directory.late_outcomes())


def _groups(
    rows: Rows, events: list[LogEvent], app: str
) -> tuple[dict[str, int], int, Iterable[Span]]:
    """The group of every trace, how many bytes all rows take, and the spans that tell how agents were made."""
    ties = Ties()
    makers: dict[tuple[str, str], Span] = {}
    size = 0
    for table in rows():
        size += table.nbytes
        for span in _spans(table, app):
            ties.add(span)
            if makes_agent(span):
                makers[span.key] = fuller(makers.get(span.key, span), span)
    for event in events:
        ties.add_event(event)
    unnamed = ties.unnamed()
    ties.add_event_content(event for event in events if group_key(event) in unnamed)
    if unnamed:
        wanted = pa.array(sorted(unnamed), pa.string())
        for table in rows():
            inside = pc.is_in(table.column("trace_id"), value_set=wanted)
            ties.add_content(_spans(table.filter(inside), app))
    return ties.group(), size, makers.values()


def _spans(table: pa.Table, app: str) -> Iterator[Span]:
    for start in range(0, table.num_rows, _ROWS):
        for row in table.slice(start, _ROWS).to_pylist():
            if row["app"] == app:
                yield span_of_row(row)


def _spill(rows: Rows, app: str, files: list[Path], group: Mapping[str, int]) -> None:
    """Every row into the file of its group's share."""
    count = len(files)
    with ExitStack() as stack:
        writers = [stack.enter_context(pa.ipc.new_stream(str(f), SPAN_SCHEMA)) for f in files]
        for table in rows():
            mine = table.filter(pc.equal(table.column("app"), pa.scalar(app)))
            traces = mine.column("trace_id").to_pylist()
            places: dict[int, list[int]] = {}
            for index, trace in enumerate(traces):
                places.setdefault(group[str(trace)] % count, []).append(index)
            for share, chosen in places.items():
                writers[share].write_table(mine.take(pa.array(chosen, pa.int64())))


def _read(file: Path) -> Iterator[Span]:
    with pa.OSFile(str(file), "r") as opened, pa.ipc.open_stream(opened) as stream:
        for batch in stream:
            row: dict[str, Any]
            for row in batch.to_pylist():
                yield span_of_row(row)


class _Directory:
    """Which episode a trace, a response or a conversation of any part belongs to, where it is only one."""

    def __init__(self) -> None:
        self._episode: dict[tuple[str, str], str | None] = {}
        self._open: list[Outcome] = []

    def settle(self, part: Assembled) -> Assembled:
        """Note a part's episodes; outcomes about something else wait for the other parts."""
        for episode in part.episodes:
            for trace_id in episode.trace_ids:
                self._note("trace", trace_id, episode.episode_id)
            self._note("episode", episode.episode_id, episode.episode_id)
            if episode.conversation_id:
                self._note("conversation", episode.conversation_id, episode.episode_id)
        for response, episode_id in part.responses.items():
            self._note("response", response, episode_id)
        self._open += [outcome for outcome in part.outcomes if outcome.episode_id is None]
        part.outcomes = [outcome for outcome in part.outcomes if outcome.episode_id is not None]
        return part

    def late_outcomes(self) -> list[Outcome]:
        """The outcomes that waited, joined where exactly one episode is meant."""
        latest: dict[str, Outcome] = {}
        for outcome in sorted(self._open, key=lambda one: (one.at or 0, one.outcome_id)):
            kind, target = outcome.target_kind, outcome.target_id
            if kind == "span" and ":" in target:
                kind, target = "trace", target.split(":", 1)[0]
            found = self._episode.get((kind, target))
            latest[outcome.outcome_id] = replace(outcome, episode_id=found)
        return list(latest.values())

    def _note(self, kind: str, name: str, episode_id: str) -> None:
        known = self._episode.setdefault((kind, name), episode_id)
        if known != episode_id:
            self._episode[kind, name] = None
