"""Things that a call makes: what names one, whether a session has made it, and what a tool says of it before.

Goes in: the `made` and `unmade` parts of recalled answers, a call, the calls before it that may have changed something. Comes out:
the tools that make what the call is about, and the refusal of its own tool. One label names a thing, or two of them
together: a number that is given anew in every repository names it beside the repository. Not here: how these
names are learnt (`synth.world.schema.made_things`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from ..document.recordings import UnmadePart
from .differing_pasts import DoneCall

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


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing that is not there at the start."""

    makers: frozenset[str]
    """The tools of which a call makes it."""
    chosen: str = ""
    """Its name, where the call that makes it is given that; else any call of these tools makes it."""

    def is_made(self, past: Iterable[DoneCall]) -> bool:
        """Whether one of these calls makes it."""
        return any(
            one.tool in self.makers and (not self.chosen or self.chosen in one.labels)
            for one in past
        )


def is_any_lacking(things: Iterable[Thing], past: Sequence[DoneCall]) -> bool:
    """Whether none of the calls before makes one of several things."""
    return any(not thing.is_made(past) for thing in things)


class MadeThings:
    """The things of a world that are not there at its start."""

    __slots__ = ("_labels", "_things", "_unmade")

    def __init__(
        self,
        made: Mapping[str, frozenset[str]],
        chosen: Mapping[str, frozenset[str]],
        unmade: Mapping[str, UnmadePart],
    ) -> None:
        self._things = {name: Thing(makers) for name, makers in made.items()} | {
            name: Thing(makers, name) for name, makers in chosen.items()
        }
        self._unmade = unmade
        self._labels = frozenset(label for name in self._things for label in name.split(AND))

    def things_of(self, tool: str, labels: frozenset[str]) -> tuple[Thing, ...]:
        """Each made thing that a call with these labels is about; none where its tool does not mind."""
        about = labels & self._labels
        part = self._unmade.get(tool)
        if not about or (part is not None and not part.words):
            return ()
        things = (self._things[name] for name in names_by(about) if name in self._things)
        return tuple(one for one in things if not (one.chosen and tool in one.makers))

    def is_lacking(self, call: DoneCall, past: Sequence[DoneCall]) -> bool:
        """Whether a call is about a thing that none of those before it made."""
        return is_any_lacking(self.things_of(call.tool, call.labels), past)

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
            if value not in self._things and f"={value}" not in self._things
        ]
        for one in rest:
            if one[0] in part.checked and any((one, o) not in pairs for o in rest if o != one):
                return "", 0.0
        words = (given[word] if at % 2 else word for at, word in enumerate(part.words))
        return "".join(words), part.sure
