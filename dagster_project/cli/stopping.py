"""Commands that run until somebody stops them: one event for Ctrl-C and for a container's stop."""

import signal
import threading


def stop_event() -> threading.Event:
    """An event that SIGINT and SIGTERM set from now on, instead of what they did before."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _signal, _frame: stop.set())
    return stop
