"""One part of a map inside a worker: loads what is shared once, and returns faults in a form that travels.

Comes in: a function with what it shares, pickled, and items. Goes out: their results.
"""

import gc
import pickle
from collections.abc import Sequence
from typing import Any

from dagster_project.errors import StageError
from environments.fault_places import fault_place, keep_fault_place
from redact.apply.collector import seldom_collecting

_loaded: list[tuple[int, Any]] = []
"""The latest function with what it shares, by a number of the map."""


def packed(function: Any, shared: Any) -> bytes:  # noqa: ANN401 - whatever can be pickled
    """A function and what it shares, as they travel."""
    return pickle.dumps((function, shared), protocol=pickle.HIGHEST_PROTOCOL)


def run_chunk(number: int, blob: bytes, items: Sequence[Any]) -> list[Any]:
    """The results of some items; `number` names the map, so that `blob` is loaded once per process.

    Raises what the function raises, with the place where it arose; `StageError` in the place of what cannot be pickled.
    """
    if not _loaded or _loaded[0][0] != number:
        _loaded[:] = [(number, pickle.loads(blob))]  # noqa: S301 - our own parent wrote it
        gc.freeze()  # what is shared stays: no collection needs to walk through it
    function, shared = _loaded[0][1]
    try:
        with seldom_collecting():
            return [function(shared, item) for item in items]
    except Exception as fault:
        keep_fault_place(fault)
        if not _travels(fault):
            raise StageError(
                f"a worker failed: {type(fault).__name__} at {fault_place(fault)}; report it as a fault of tracegym"
            ) from None
        raise


def _travels(fault: Exception) -> bool:
    """Whether another process can read it: an error with arguments of its own may not."""
    try:
        pickle.loads(pickle.dumps(fault))  # noqa: S301 - read back what was written here
    except Exception:  # noqa: BLE001 - whatever breaks, it does not travel
        return False
    return True
