"""Functions that the tests of engines spread: workers import them from here."""

import errno
import os
import signal
import time
from pathlib import Path
from typing import Any


def squared(shared: int, item: int) -> tuple[int, int]:
    """What an item gives, and the process that made it."""
    return shared + item * item, os.getpid()


def slow_first(shared: float, item: int) -> int:
    """The first item ends last."""
    if item == 0:
        time.sleep(shared)
    return item


def killed_once(shared: Path, item: int) -> int:
    """The worker of one item is killed, the first time."""
    if item == 7 and not shared.exists():
        shared.write_text("killed")
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def killed_always(shared: None, item: int) -> int:
    """The worker of one item is killed whenever it comes."""
    if item == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


class OddError(Exception):
    """An error that cannot be read back from what is written of it."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def odd(shared: None, item: int) -> int:
    """Fails at one item."""
    if item == 3:
        raise OddError("Marisol", "Quackenbush")
    return item


def plain(shared: None, item: int) -> int:
    """Fails at one item as any code does."""
    return {0: 0, 1: 1}[item]


def full_disk(shared: None, item: int) -> int:
    """The disk of the machine that has one item is full."""
    if item == 3:
        raise OSError(errno.ENOSPC, "No space left on device")
    return item


def waits(shared: Path, item: int) -> int:
    """Says which process has it, and waits."""
    (shared / str(os.getpid())).touch()
    time.sleep(60)
    return item


class Counted:
    """What is shared and counts how often it was loaded in this process."""

    loaded = 0

    def __getstate__(self) -> dict[str, Any]:
        return {"travelled": True}

    def __setstate__(self, state: dict[str, Any]) -> None:
        type(self).loaded += 1


def loads(shared: Counted, item: int) -> tuple[int, int]:
    """The process and how often it has loaded what is shared."""
    return os.getpid(), type(shared).loaded


def brief(shared: Path, item: int) -> str:
    """Takes a while, and depends on the item only."""
    time.sleep(0.02)
    return f"{shared.name}:{item * item}"
