"""Progress bars: one line per asset or step, on stderr; where that is no terminal, a plain line as each thing begins.

Fed from Dagster's events and from what asset bodies report.
"""

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from dagster_project.build.progress import Step


class Bars:
    """One progress line per asset, fed from Dagster's events and the bodies' own reports."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started = time.monotonic()
        self._said: dict[str, str] = {}
        self._progress = Progress(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.fields[asset]:<17}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            TextColumn("{task.fields[says]}", style="dim"),
            console=console,
            # Where bars cannot move (a log of CI, a container, nohup) they would show nothing until the end.
            disable=not console.is_terminal,
        )
        self._lines: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def hear(self, step: Step) -> None:
        """Move the asset's line, or say what it does now."""
        if not self._console.is_terminal:
            self._say(step)
            return
        if step.asset not in self._lines:
            self._lines[step.asset] = self._progress.add_task(
                "", asset=step.asset, says="", total=1
            )
        says = "" if step.says in {"started", "done"} else step.says
        self._progress.update(
            self._lines[step.asset], completed=step.done, total=max(step.total, 1), says=says
        )

    def _say(self, step: Step) -> None:
        says = "" if step.says == "started" else step.says
        if says == "done" or self._said.get(step.asset) == says:
            return
        self._said[step.asset] = says
        says = says and f": {says}"
        self._console.print(
            f"{time.monotonic() - self._started:5.0f} s  {step.asset}{says}", soft_wrap=True
        )
