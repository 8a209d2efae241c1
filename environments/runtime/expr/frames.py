"""Frames: what the trees of one call share, so that a part that several of them have is found once.

Goes in: trees, by way of builders (`expression_once`), then the scope of a call. Comes out: parts, which give values, or
`MISSING` and `UNKNOWN` where `expression` raises `Missing` and `NotKnown`: an exception costs more than most parts. Equal
parts are told by their JSON text (hash-consing). An operation without a builder is left to `expression`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from ..values.normal import stable
from .gaps import MISSING, UNKNOWN
from .language import build
from .scope import FUEL, Missing, NotKnown, Scope, Tree, sees_element


class Frame:
    """What a part sees: a call, or an element of a list inside it, and the values found so far."""

    __slots__ = ("arg", "given", "it", "memo", "old", "outer", "scope", "steps")

    def __init__(self, scope: Scope, given: Sequence[Any] = ()) -> None:
        self.scope = scope
        self.given = given
        """Values known beforehand, in the order that the space was told."""
        self.arg: Any = scope.arg
        self.old: Any = scope.old
        self.outer: Frame | None = None
        self.it: Any = None
        self.memo: dict[int, Any] = {}
        self.steps: list[int] = [0]
        """List steps so far, one count for all frames of a call."""

    def of_element(self, value: Any) -> Frame:
        """The frame of an element of a list."""
        inner = object.__new__(Frame)
        inner.scope, inner.arg, inner.old, inner.steps = self.scope, self.arg, self.old, self.steps
        inner.outer, inner.it, inner.memo, inner.given = self, value, {}, ()
        return inner


Part = Callable[[Frame], Any]


class UnsupportedError(Exception):
    """An operation without a builder looks at the element of a list."""


class Space:
    """Parts that see the same things: those of a call, or those of the elements of one list."""

    __slots__ = ("_builders", "_elements", "_given", "_outer", "_parts", "_slots")

    def __init__(
        self,
        builders: Mapping[str, Builder],
        *,
        outer: Space | None = None,
        given: Sequence[Tree] = (),
        slots: Iterator[int] | None = None,
    ) -> None:
        self._builders = builders
        self._outer = outer
        self._given = {stable(tree): at for at, tree in enumerate(given)}
        self._parts: dict[str, Part] = {}
        self._elements: dict[str, tuple[Part, Space]] = {}
        self._slots = count() if slots is None else slots
        """Spaces whose parts are asked in the same frames share them: no two parts keep their values in one place."""

    @property
    def of_elements(self) -> bool:
        """Whether `it` means something here."""
        return self._outer is not None

    def part(self, tree: Tree) -> Part:
        """The part that finds a tree's value; the same one for equal trees."""
        if self._outer is not None and not sees_element(tree):
            above = self._outer.part(tree)
            return lambda frame: above(frame.outer)  # type: ignore[arg-type]  # an element's frame has one
        text = stable(tree)
        known = self._parts.get(text)
        if known is None:
            known = self._parts[text] = self._made(tree, self._given.get(text))
        return known

    def _made(self, tree: Tree, given: int | None) -> Part:
        if given is not None:
            return lambda frame: frame.given[given]
        builder = self._builders.get(tree[0], _unsupported)
        try:
            return builder(tree[1:], self)
        except UnsupportedError:
            if self._outer is not None:
                raise
        return self.kept(_general(tree))

    def kept(self, find: Part) -> Part:
        """A part asked once in a frame."""
        slot = next(self._slots)

        def run(frame: Frame) -> Any:
            memo = frame.memo
            if slot in memo:
                return memo[slot]
            value = memo[slot] = find(frame)
            return value

        return run

    def elements(self, tree: Tree) -> tuple[Part, Space]:
        """A part that gives a frame for each element of a list, and the space of those frames."""
        text = stable(tree)
        known = self._elements.get(text)
        if known is None:
            items, inner = self.part(tree), Space(self._builders, outer=self)

            def frames(frame: Frame) -> Any:
                values = as_list(items(frame), frame)
                if values is MISSING or values is UNKNOWN:
                    return values
                return [frame.of_element(value) for value in values]

            known = self._elements[text] = self.kept(frames), inner
        return known


Builder = Callable[[list[Tree], Space], Part]


def _unsupported(_operands: list[Tree], _space: Space) -> Part:
    raise UnsupportedError


def _general(tree: Tree) -> Part:
    thunk = build(tree)

    def run(frame: Frame) -> Any:
        scope = frame.scope
        scope.fuel = FUEL
        try:
            return thunk(scope)
        except Missing:
            return MISSING
        except NotKnown:
            return UNKNOWN
        finally:
            frame.steps[0] += FUEL - scope.fuel

    return run


def as_list(value: Any, frame: Frame) -> Any:
    """A list (or the values of a dictionary), counted in steps, else `MISSING` or `UNKNOWN`; `UNKNOWN` beyond `FUEL` steps."""
    if type(value) is not list:
        if isinstance(value, dict):
            value = list(value.values())
        elif not isinstance(value, list):
            return value if value is UNKNOWN else MISSING
    frame.steps[0] += len(value) + 1
    return UNKNOWN if frame.steps[0] > FUEL else value
