"""The world, its sessions and their state."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .world import World

__all__ = ["World"]


def __getattr__(name: str) -> object:
    """`World` when it is asked for: the modules of this folder are imported by those that it is made of."""
    if name == "World":
        from .world import World  # noqa: PLC0415 - see above

        return World
    raise AttributeError(name)
