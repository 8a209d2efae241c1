"""The engine of several machines: tasks on a Ray cluster, whose nodes need this package and nothing of the home.

Comes in: a cluster's address, and how many tasks may run at once. Goes out: results in order. What is shared travels to each node once.
A node that dies costs its unfinished items, which run again elsewhere. Memory is the cluster's to bound: each task reserves a processor.
What runs when a map is given up runs to its end, a chunk per worker at most: to cancel what ends at that moment aborts the process (Ray 2.60).
The only file here that imports ray, which is the extra `ray`.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import ray  # pyright: ignore[reportMissingImports]  # the extra `ray`
from ray.exceptions import (  # pyright: ignore[reportMissingImports]
    RayError,
    RayTaskError,
)

from dagster_project.engine.chunk import packed, run_chunk
from dagster_project.engine.interface import Item, Load, Made, Shared, in_chunks
from dagster_project.engine.serial import Serial
from dagster_project.errors import StageError

RETRIES: Final = 3
"""How often Ray runs again what a dead worker or node had not finished: it may choose the same node until it knows."""

_numbers = count(os.getpid() << 32)
"""Workers outlive the process that called them: numbers of maps differ between processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnRay:
    """Runs maps on a Ray cluster."""

    address: str = ""
    """As `ray.init` takes it (`auto`, `ray://host:10001`); empty starts a cluster on this machine."""
    workers: int = 0
    """Tasks at once; 0: one per processor of the cluster."""

    def map_items(
        self,
        function: Callable[[Shared, Item], Made],
        items: Sequence[Item],
        *,
        shared: Shared,
        load: Load,
    ) -> Iterator[Made]:
        """`function(shared, item)` of each item, in order."""
        if not load.pays or len(items) < 2:
            yield from Serial().map_items(function, items, shared=shared, load=load)
            return
        self._join()
        workers = self.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        blob = ray.put(packed(function, shared))
        run = ray.remote(num_cpus=1, max_retries=RETRIES)(run_chunk)
        number, chunks = next(_numbers), in_chunks(items, workers)
        running = [run.remote(number, blob, chunk) for chunk in chunks[:workers]]
        for place in range(len(chunks)):
            made = _results_of(running[place], load.stage)
            if len(running) < len(chunks):
                running.append(run.remote(number, blob, chunks[len(running)]))
            yield from made

    def _join(self) -> None:
        if ray.is_initialized():
            return
        # Ray reports its use over the network unless it is told not to, and it reads no setting but this.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # noqa: TID251 - read by ray only
        here: dict[str, Any] = {"num_cpus": self.workers or None} if not self.address else {}
        try:
            ray.init(
                address=self.address or "local",
                include_dashboard=False if not self.address else None,
                log_to_driver=False,
                **here,
            )
        except (ConnectionError, RuntimeError, ValueError) as fault:
            raise StageError(
                f"no Ray cluster answers at {self.address or 'this machine'}: "
                "start one with `ray start --head`, or leave --engine out"
            ) from fault


def _results_of(reference: Any, stage: str) -> list[Any]:  # noqa: ANN401 - a reference of Ray's
    try:
        made: list[Any] = ray.get(reference)
    except RayTaskError as fault:
        cause = fault.cause
        raise (cause if isinstance(cause, Exception) else fault) from None
    except RayError as fault:
        raise StageError(
            f"workers died {RETRIES + 1} times at {stage} ({type(fault).__name__}): see their nodes' memory and logs, "
            "then build again; everything finished so far is stored"
        ) from fault
    return made
