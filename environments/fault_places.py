"""Where an error arose: what may be told of a fault, whose message may quote the data.

Comes in: an exception. Goes out: the innermost line of ours that it came through, for a note or a line of the log.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

PACKAGES: Final = frozenset({"ingest", "redact", "synth", "environments", "dagster_project"})
_KEPT: Final = "tracegym_place"
_ROOT: Final = Path(__file__).parents[1]


def keep_fault_place(fault: BaseException) -> None:
    """Write down where an error arose: its trace does not travel to another process."""
    fault.__dict__[_KEPT] = fault_place(fault)


def fault_place(fault: BaseException) -> str:
    """The innermost line of ours that an error came through; empty where there is none."""
    if kept := fault.__dict__.get(_KEPT):
        return str(kept)
    found = ""
    trace = fault.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(_ROOT):
            parts = file.relative_to(_ROOT).parts
            if parts[0] in PACKAGES:
                found = f"{'/'.join(parts)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def log_fault(log: logging.Logger, what: str, fault: BaseException) -> None:
    """Log a fault that costs nothing that could not be had otherwise; `what` says what failed and what is done instead."""
    log.warning("%s: %s at %s", what, type(fault).__name__, fault_place(fault))
