"""What every engine offers: a function over items, somewhere, with the results in the order of the items.

Comes in: a function of a module, what all calls share, and items. Goes out: an iterator of results. The results are the same on every
engine and for any number of workers, so the function depends on its arguments only, and what `shared` keeps between calls is a cache.
Functions note faults of single units themselves (`dagster_project.build.left_out`) and return the notes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Made = TypeVar("Made")

ENOUGH: Final = 100
"""Conversations below which starting workers costs more than they save."""
CHUNKS: Final = 16
"""Parts a worker takes on average: few enough to be cheap, many enough that all workers end together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a map is part of."""

    stage: str
    """The asset, for the sentence that says where a worker died."""
    conversations: int
    """Behind all items together."""

    @property
    def pays(self) -> bool:
        """Whether other processes are worth their start."""
        return self.conversations >= ENOUGH


class Engine(Protocol):
    """Runs maps."""

    def map_items(
        self,
        function: Callable[[Shared, Item], Made],
        items: Sequence[Item],
        *,
        shared: Shared,
        load: Load,
    ) -> Iterator[Made]:
        """`function(shared, item)` of each item, in order; `shared` is loaded once per process.

        Raises what the function raises, and `StageError` where workers died twice.
        """
        ...


def in_chunks(items: Sequence[Item], workers: int) -> list[Sequence[Item]]:
    """The items in parts of equal length, `CHUNKS` per worker at most."""
    length = max(1, -(-len(items) // (workers * CHUNKS)))
    return [items[at : at + length] for at in range(0, len(items), length)]
