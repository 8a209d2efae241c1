"""Things that a call makes: what names one, whether a session has made it, and what a tool says of it before.

Goes in: the `made` and `unmade` parts of recalled answers, a call, the calls before it that may have changed something. Comes out:
the tools that make what the call is about, and the refusal of its own tool. One label names a thing, or two of them
together: a number that is given anew in every repository names it beside the repository. Not here: how these
names are learnt (`synth.world.schema.made_things`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from typing import Final

from ..document.recordings import UnmadePart

AND: Final = " & "
"""Between the two labels of one name."""


def name_of_two(one: str, other: str) -> str:
    """The name that two labels make together."""
    return AND.join(sorted((one, other)))


def names_by(labels: Iterable[str]) -> Iterator[str]:
    """What some labels may name: each for itself, and each two of them."""
    ordered = sorted(labels)
    yield from ordered
    yield from (AND.join(pair) for pair in combinations(ordered, 2))


def is_any_lacking(makers: Iterable[frozenset[str]], done: Iterable[str]) -> bool:
    """Whether none of the tools called before makes one of several things; `makers`: for each the tools that do."""
    called = frozenset(done)
    return any(tools.isdisjoint(called) for tools in makers)


class MadeThings:
    """The things of a world that are not there at its start."""

    __slots__ = ("_labels", "_made", "_unmade")

    def __init__(
        self, made: Mapping[str, frozenset[str]], unmade: Mapping[str, UnmadePart]
    ) -> None:
        self._made = made
        self._unmade = unmade
        self._labels = frozenset(label for name in made for label in name.split(AND))

    def makers_of(self, tool: str, labels: frozenset[str]) -> tuple[frozenset[str], ...]:
        """For each made thing that a call with these labels is about, the tools that make it; none where its tool does not mind."""
        about = labels & self._labels
        part = self._unmade.get(tool)
        if not about or (part is not None and not part.words):
            return ()
        return tuple(self._made[name] for name in names_by(about) if name in self._made)

    def is_lacking(self, tool: str, labels: frozenset[str], done: Iterable[str]) -> bool:
        """Whether a call is about a thing that none of the tools called before has made."""
        return is_any_lacking(self.makers_of(tool, labels), done)

    def refusal(
        self,
        tool: str,
        given: Mapping[str, str],
        pairs: Collection[tuple[tuple[str, str], tuple[str, str]]],
    ) -> tuple[str, float]:
        """What a tool says of a thing that nothing has made, and how sure that is; nothing, for sure not, where nobody knows.

        `pairs`: arguments with their values that were taken together. Another refusal may come first where a checked
        argument was never taken with the others.
        """
        part = self._unmade.get(tool)
        if part is None or not part.words or any(name not in given for name in part.words[1::2]):
            return "", 0.0
        rest = [
            (name, value)
            for name, value in given.items()
            if value not in self._made and f"={value}" not in self._made
        ]
        for one in rest:
            if one[0] in part.checked and any((one, o) not in pairs for o in rest if o != one):
                return "", 0.0
        words = (given[word] if at % 2 else word for at, word in enumerate(part.words))
        return "".join(words), part.sure
