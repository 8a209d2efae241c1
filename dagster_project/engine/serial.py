"""The engine without workers: every call in this process, one after the other."""

from collections.abc import Callable, Iterator, Sequence

from dagster_project.engine.interface import Item, Load, Made, Shared


class Serial:
    """Runs maps here."""

    def map_items(
        self,
        function: Callable[[Shared, Item], Made],
        items: Sequence[Item],
        *,
        shared: Shared,
        load: Load,  # noqa: ARG002 - as every engine takes it
    ) -> Iterator[Made]:
        """`function(shared, item)` of each item, in order."""
        for item in items:
            yield function(shared, item)
