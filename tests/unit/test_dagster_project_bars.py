"""Progress where no terminal is: lines as things begin, so that a long build does not look dead."""

import io

from rich.console import Console

from dagster_project.build.progress import Step
from dagster_project.cli.bars import Bars


def said(*steps: Step) -> list[str]:
    """The lines that a log would get, without the seconds."""
    log = io.StringIO()
    with Bars(Console(file=log, force_terminal=False)) as bars:
        for step in steps:
            bars.hear(step)
    return [line.split(" s  ")[-1] for line in log.getvalue().splitlines()]


def step(says: str, done: int = 0, total: int = 4) -> Step:
    """What an asset's body reports."""
    return Step(asset="worlds", done=done, total=total, says=says)


def test_a_log_gets_one_line_for_each_thing_that_begins() -> None:
    """Not one for each percent, and nothing again at the end."""
    lines = said(
        step("started"),
        step("shop: measuring"),
        step("shop: measuring", 1),
        step("desk: measuring", 2),
        step("done", 4),
    )
    assert lines == ["worlds", "worlds: shop: measuring", "worlds: desk: measuring"]
