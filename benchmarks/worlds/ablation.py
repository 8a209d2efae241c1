"""Functions of the product switched off or replaced while a benchmark runs, to see what each is worth.

In: a function by its module and name (`synth.world.influence.reach:learn_reach`). A function that is switched off returns nothing of
what it would return: None, False, an empty collection, or its first argument unchanged where it returns one of the same type.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import synth.world

EMPTY: Final[dict[str, Callable[[], Any]]] = {
    "None": lambda: None, "bool": lambda: False, "dict": dict, "Mapping": dict, "list": list, "Sequence": tuple,
    "tuple": tuple, "set": set, "frozenset": frozenset, "Iterator": tuple, "Iterable": tuple,
    "Collection": frozenset, "Set": frozenset, "Counter": dict,
}  # fmt: skip
"""What a function returns that is switched off, by the type it is declared to return."""


def named(text: str) -> Callable[..., Any]:
    """The function that `module:name` names; raises `ValueError` where none does."""
    module, _, name = text.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as fault:
        raise ValueError(
            f"{text}: no such function (write it as package.module:function)"
        ) from fault
    return found  # type: ignore[no-any-return]


def neutral(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """What stands in for a function that is switched off; None where nothing can."""
    returned = str(inspect.signature(function).return_annotation)
    given = [str(p.annotation) for p in inspect.signature(function).parameters.values()]
    if given and given[0] == returned and returned not in {"str", "int", "float", "bool"}:
        return lambda first, *_, **__: first
    kinds = [part.strip() for part in returned.split("|")]
    kind = "None" if "None" in kinds else kinds[0].partition("[")[0]
    empty = EMPTY.get(kind)
    return None if empty is None else lambda *_, **__: empty()


@contextmanager
def replaced(function: Callable[..., Any], other: Callable[..., Any]) -> Iterator[None]:
    """`other` in place of a function in every module that has imported it or lists it as a step, until the end of the block."""
    places = [
        (module, name, value)
        for module in list(sys.modules.values())
        for name, value in list(getattr(module, "__dict__", {}).items())
        if value is function or (type(value) is tuple and any(one is function for one in value))
    ]
    for module, name, value in places:
        steps = value if isinstance(value, tuple) else ()
        put = tuple(other if one is function else one for one in steps)
        setattr(module, name, put or other)
    try:
        yield
    finally:
        for module, name, value in places:
            setattr(module, name, value)


@contextmanager
def without(text: str) -> Iterator[None]:
    """A function switched off until the end of the block; raises `ValueError` where it cannot be."""
    function = named(text)
    other = neutral(function)
    if other is None:
        raise ValueError(f"{text}: nothing can stand in for what it returns")
    with replaced(function, other):
        yield


def rules() -> list[str]:
    """Every function of `synth.world` that can be switched off, public ones that other modules call and private ones alike."""
    found = []
    for info in sorted(
        pkgutil.walk_packages(synth.world.__path__, "synth.world."), key=lambda i: i.name
    ):
        module = importlib.import_module(info.name)
        found += [
            f"{info.name}:{name}"
            for name, value in vars(module).items()
            if inspect.isfunction(value)
            and value.__module__ == info.name
            and neutral(value) is not None
        ]
    return found
