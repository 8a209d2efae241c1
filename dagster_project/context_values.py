"""A value that holds inside a block: for everything that the block calls, and for nothing that runs beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def set_inside(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Give a variable a value inside the block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
