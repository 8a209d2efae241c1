"""Where rollouts are read from: the clean lake of a home, or a file that `tracegym rollout --out` wrote.

In: the lake, or a path. Out: lines of the list, and one rollout with everything that explains it.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from dagster_project.errors import InputError
from dagster_project.lake.documents import contents
from dagster_project.lake.learnt_tables import ROLLOUTS, TASKS
from dagster_project.lake.store import Lake
from dagster_project.review.tables import VERDICTS
from dagster_project.rollouts.store import explained_rollouts
from dagster_project.runs.run import (
    LISTED,
    OPENED,
    LaterVerdict,
    Line,
    OpenRun,
    RunRow,
    line_of,
)
from environments.diff import title_in
from environments.regrade import conversation
from environments.rollout.explanation import (
    answers_of,
    checks_of,
    unanswered_of,
)


class Shelf(Protocol):
    """Rollouts to look at."""

    def lines(self) -> Sequence[Line]:
        """All of them, each once."""
        ...

    def open(self, rollout_id: str) -> OpenRun | None:
        """One of them; None if there is no such rollout."""
        ...


class LakeShelf:
    """The rollouts of a home's apps; what is added meanwhile is seen at the next look."""

    def __init__(self, clean: Path, apps: Sequence[str]) -> None:
        self._lake = Lake(clean / "lake")
        self._apps = tuple(sorted(apps))
        self._seen: tuple[int | None, int | None] | None = None
        self._lines: dict[str, Line] = {}

    def lines(self) -> Sequence[Line]:
        """All rollouts; one that a fault broke only where it was not made again."""
        now = (self._lake.version(ROLLOUTS), self._lake.version(TASKS))
        if now != self._seen:
            self._lines = {
                line.row.rollout_id: line for a in self._apps for line in self._lines_of(a)
            }
            self._seen = now
        return list(self._lines.values())

    def _lines_of(self, app: str) -> list[Line]:
        tasks = contents(self._lake, TASKS, app)
        titles = {key: title_in(found["task"]["opening"]) for key, found in tasks.items()}
        rows = (RunRow.model_validate(row) for row in explained_rollouts(self._lake, app, LISTED))
        return [line_of(row, titles.get(row.task_id, "")) for row in rows]

    def open(self, rollout_id: str) -> OpenRun | None:
        """One rollout with its conversation, read from its day."""
        self.lines()
        line = self._lines.get(rollout_id)
        if line is None:
            return None
        rows = self._lake.read(
            ROLLOUTS,
            app=line.row.app,
            days=[line.row.day],
            columns=OPENED,
            equals={"rollout_id": rollout_id},
        ).to_pylist()
        # The one that ended, where a fault broke an earlier try.
        whole = max(rows, key=lambda row: row["error"] is None)
        row = RunRow.model_validate(whole)
        return opened(row, line.title, later=self._later_verdicts(row))

    def _later_verdicts(self, row: RunRow) -> tuple[LaterVerdict, ...]:
        only = {"rollout_id": row.rollout_id}
        mine = self._lake.read(VERDICTS, app=row.app, equals=only).to_pylist()
        said = [
            LaterVerdict(**{name: one[name] for name in LaterVerdict.__slots__}) for one in mine
        ]
        return tuple(sorted(said, key=lambda one: -one.at))


class FileShelf:
    """The rollouts of one file: JSON lines as `--out-format rows` writes them."""

    def __init__(self, path: Path) -> None:
        self._rows: dict[str, RunRow] = {}
        refused: list[tuple[int, str]] = []
        for number, text in enumerate(_lines_of(path), 1):
            if text.strip():
                row = _row_of(text)
                if isinstance(row, str):
                    refused.append((number, row))
                elif not (row.error and row.rollout_id in self._rows):
                    self._rows[row.rollout_id] = row
        self.refused = tuple(refused)
        """Numbers of lines that are no rollouts, with what is wrong."""
        if not self._rows:
            why = f"; line {refused[0][0]}: {refused[0][1]}" if refused else ""
            raise InputError(
                f"{path} holds no rollouts{why}: write them with "
                "tracegym rollout TASKSET --policy P --out FILE (format rows)"
            )

    def lines(self) -> Sequence[Line]:
        """All rollouts of the file."""
        return [
            line_of(row, title_in(conversation(row.trajectory or "") or []))
            for row in self._rows.values()
        ]

    def open(self, rollout_id: str) -> OpenRun | None:
        """One rollout of the file."""
        row = self._rows.get(rollout_id)
        if row is None:
            return None
        return opened(row, "")


def _lines_of(path: Path) -> list[str]:
    try:
        # JSON lines end with a line feed: other separators may stand inside texts.
        return path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror}") from fault


def _row_of(text: str) -> RunRow | str:
    """A line's rollout, or what is wrong with it without any of its text."""
    try:
        return RunRow.model_validate(json.loads(text))
    except ValidationError as fault:
        first = fault.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}"
    except (ValueError, RecursionError):
        return "it is no JSON"


def opened(row: RunRow, title: str, *, later: Sequence[LaterVerdict] = ()) -> OpenRun:
    """A row with everything that explains it; without a title it names itself."""
    messages: Sequence[Mapping[str, Any]] = conversation(row.trajectory or "") or []
    return OpenRun(
        line=line_of(row, title or title_in(messages)),
        messages=messages,
        checks=checks_of(row.checks),
        answers=answers_of(row.answers),
        unanswered=unanswered_of(row.unanswered),
        later=tuple(later),
    )
