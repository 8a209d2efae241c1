"""The engine of one machine: worker processes that are forked off a small server, which has imported what they need.

Comes in: how many workers, and how much memory all of them may take. Goes out: results in order. A server forks a worker
in 0.02 s, where one that is started by itself imports for 3 s; forking this process itself is no choice, because the lake and Dagster
have threads. Workers end with their map, so that no memory stays with them, and with this process, however it ends.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import (
    connection,
    forkserver,
    get_all_start_methods,
    get_context,
    parent_process,
)
from types import ModuleType
from typing import Any, Final

from dagster_project.engine.chunk import packed, run_chunk
from dagster_project.engine.interface import Item, Load, Made, Shared, in_chunks
from dagster_project.engine.serial import Serial
from dagster_project.errors import StageError

BASE: Final = 220
"""MiB that a worker takes beside what is shared; measured: 205 at most, with 500 conversations (`python -m benchmarks cores`)."""
GROWTH: Final = 8
"""MiB that it takes for each MiB of what is shared, as that travels: read, and with the caches that are made of it."""
_PRELOAD: Final = (
    "dagster_project.tasks.agreement",
    "dagster_project.tasks.verification",
    "dagster_project.worlds.held_out",
    "redact.apply.scrub",
    "synth.failures.detection",
)
_METHOD: Final = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Processes:
    """Runs maps in worker processes."""

    workers: int
    memory: int
    """MiB that all workers together may take."""

    def map_items(
        self,
        function: Callable[[Shared, Item], Made],
        items: Sequence[Item],
        *,
        shared: Shared,
        load: Load,
    ) -> Iterator[Made]:
        """`function(shared, item)` of each item, in order; what a dead worker had not finished is run once more."""
        blob = packed(function, shared) if load.pays and len(items) > 1 else b""
        workers = min(self.affordable(len(blob)), len(items))
        if not blob or workers < 2:
            yield from Serial().map_items(function, items, shared=shared, load=load)
            return
        chunks = in_chunks(items, workers)
        done = 0
        for tried in (workers, max(1, workers // 2)):  # fewer: most die for want of memory
            try:
                for made in _run_chunks(blob, chunks[done:], tried):
                    done += 1
                    yield from made
            except BrokenProcessPool:
                continue
            return
        raise StageError(
            f"workers died twice at {load.stage} (killed, most likely for want of memory): build again with fewer --workers, "
            "or on a machine with more memory; everything finished so far is stored"
        )

    def affordable(self, shared: int) -> int:
        """How many workers may run at once, each with so many bytes of what is shared; at least one."""
        need = BASE + GROWTH * shared / 2**20
        return max(1, min(self.workers, int(self.memory / need)))


def warm() -> None:
    """Start the server beside whatever this process does next."""
    if _METHOD == "forkserver":
        context = get_context("forkserver")
        context.set_forkserver_preload(list(_PRELOAD))
        forkserver.ensure_running()


_numbers = iter(range(sys.maxsize))


def _run_chunks(blob: bytes, chunks: Sequence[Sequence[Any]], workers: int) -> Iterator[list[Any]]:
    number = next(_numbers)
    with _pool(workers, blob) as pool:
        with _without_main():  # workers start as work is handed in
            try:
                futures = [pool.submit(_run, number, chunk) for chunk in chunks]
            except BrokenPipeError as fault:  # a worker was killed while it was started
                raise BrokenProcessPool from fault
        for future in futures:
            yield future.result()


@contextmanager
def _pool(workers: int, blob: bytes) -> Iterator[ProcessPoolExecutor]:
    warm()
    ends, held = connection.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context(_METHOD), initializer=_begin, initargs=(ends, blob)
    )
    try:
        yield pool
    except BaseException:
        held.close()  # nobody waits for what was being made: workers end at once
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        held.close()
        ends.close()


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module from workers, who would import it, and with it Dagster, each for 3 s; no function of a map is in it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


_blob: list[bytes] = []


def _begin(ends: Any, blob: bytes) -> None:  # noqa: ANN401 - a connection, of a type of each system
    """A worker's start: it leaves Ctrl-C to its parent, and ends when that gives up or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _blob[:] = [blob]
    threading.Thread(target=_watch, args=(ends,), daemon=True).start()


def _watch(ends: Any) -> None:  # noqa: ANN401 - as above
    parent = parent_process()
    connection.wait([ends, *([parent.sentinel] if parent is not None else [])])
    os._exit(0)


def _run(number: int, items: Sequence[Any]) -> list[Any]:
    return run_chunk(number, _blob[0], items)
