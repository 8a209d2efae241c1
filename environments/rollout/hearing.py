"""What several tasks of one event loop find, heard in one place as it comes.

In: a queue, and tasks that put their finds into it, each a None at its end or the fault that ended it. Out: an iterator of
finds. Whoever stops listening stops the tasks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import TypeVar

Find = TypeVar("Find")


async def hear(
    queue: asyncio.Queue[Find | BaseException | None], tasks: Sequence[asyncio.Task[None]]
) -> AsyncGenerator[Find]:
    """Every find until all tasks have ended; raises the first fault."""
    left = len(tasks)
    try:
        while left:
            item = await queue.get()
            if isinstance(item, BaseException):
                raise item
            if item is None:
                left -= 1
            else:
                yield item
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
