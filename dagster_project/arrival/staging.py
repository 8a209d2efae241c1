"""Episodes on their way into the lake: rows in a scratch file instead of objects in memory.

Comes in: episodes one by one, in any order, each with its home day. Goes out: the rows of a day, sorted and in portions. What stays in
memory is a portion and some bytes an episode.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

import pyarrow as pa

from dagster_project.build.left_out import without_those_that_fail
from dagster_project.home import scratch
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.tables import EPISODES
from ingest.records.episode import Episode

_PORTION: Final = 1024
"""Rows that are in memory at one time. The lake keeps the order of a day's rows where they come as one batch."""

_Place = tuple[int, str, int, int]
"""When the episode began, its id, and where its row is: the batch and the row within."""


class StagedEpisodes:
    """A scratch folder with episodes as rows; it holds raw data and is removed at the end."""

    def __init__(
        self, folder: Path, failed: Callable[[Episode, Exception], None] | None = None
    ) -> None:
        """`failed` is told of episodes that cannot be rows; without it they raise."""
        self._failed = failed
        self._held = ExitStack()
        self._folder = self._held.enter_context(scratch.scratch_folder(folder, scratch.EPISODES))
        self._begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()
        self._held.close()

    def clear(self) -> None:
        """Forget everything that was added."""
        self._writer.close()
        self._begin()

    def add(self, day: str, episode: Episode) -> None:
        """Take in an episode whose home is a day."""
        self.home[episode.episode_id] = day
        self._waiting.append((day, episode))
        if len(self._waiting) == _PORTION:
            self._write()

    def finish(self) -> None:
        """Everything has been added: from now on rows can be read."""
        self._write()
        self._writer.close()

    def days(self) -> set[str]:
        """The days that have any rows."""
        return set(self._places)

    def rows(self, day: str) -> Iterator[pa.Table]:
        """The rows of a day in the order in which the episodes began, portion by portion."""
        places = sorted(self._places.get(day, ()))
        for start in range(0, len(places), _PORTION):
            yield self._portion(places[start : start + _PORTION])

    def _begin(self) -> None:
        self.home: dict[str, str] = {}
        self._file = self._folder / "episodes.arrow"
        self._writer = pa.ipc.new_file(str(self._file), EPISODES.schema)
        self._waiting: list[tuple[str, Episode]] = []
        self._places: dict[str, list[_Place]] = {}
        self._batches = 0

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        for day in sorted({day for day, _ in waiting}):
            episodes, rows = self._rows(day, [e for of_day, e in waiting if of_day == day])
            if not episodes:
                continue
            self._writer.write_batch(rows.combine_chunks().to_batches()[0])
            self._places.setdefault(day, []).extend(
                (episode.started_at, episode.episode_id, self._batches, row)
                for row, episode in enumerate(episodes)
            )
            self._batches += 1

    def _rows(self, day: str, episodes: Sequence[Episode]) -> tuple[Sequence[Episode], pa.Table]:
        def make(some: Sequence[Episode]) -> tuple[Sequence[Episode], pa.Table]:
            return some, to_table(some, EPISODES.schema, day=constant_column(day)).combine_chunks()

        if self._failed is None:
            return make(episodes)
        return without_those_that_fail(episodes, make, self._failed)

    def _portion(self, places: list[_Place]) -> pa.Table:
        rows_of: dict[int, list[int]] = {}
        positions_of: dict[int, list[int]] = {}
        for position, (_, _, batch, row) in enumerate(places):
            rows_of.setdefault(batch, []).append(row)
            positions_of.setdefault(batch, []).append(position)
        # Mapped anew for each portion: what an open map has touched counts as memory of the process.
        with pa.memory_map(str(self._file)) as source, pa.ipc.open_file(source) as reader:
            taken = [
                reader.get_batch(batch).take(pa.array(rows, pa.int64()))
                for batch, rows in rows_of.items()
            ]
        positions = [position for batch in rows_of for position in positions_of[batch]]
        order = sorted(range(len(positions)), key=positions.__getitem__)
        rows = pa.Table.from_batches(taken).take(pa.array(order, pa.int64()))
        return rows.combine_chunks()
