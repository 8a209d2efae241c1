"""Interrupts that Dagster forgets: one that comes between two steps of a run is noted there and dropped when the run ends.

Comes in: work that runs jobs in this process. Goes out: `KeyboardInterrupt` at its end, where a signal came and nothing stopped.
"""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

_STOPS: Final = frozenset({signal.SIGINT, signal.SIGTERM})


@contextmanager
def no_interrupt_lost() -> Iterator[None]:
    """Raise `KeyboardInterrupt` after the work where Ctrl-C or a container's stop came meanwhile; outside the main thread, do nothing.

    Python writes the number of each signal into the wake-up socket, whoever has replaced the handler.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        writer.setblocking(False)
        before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
        if _STOPS & set(_received(reader)):
            raise KeyboardInterrupt


def _received(reader: socket.socket) -> bytes:
    """Numbers of the signals, one byte each."""
    with suppress(BlockingIOError):
        return reader.recv(4096)
    return b""
