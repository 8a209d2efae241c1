"""Call signatures: of a tool that may be several, which arguments its calls have and which keys came back.

Comes from observations; goes to `operations`, which compares them. Not here: what tells parts apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.literals import object_in
from environments.runtime.values.normal import stable
from synth.tool_content import innermost_value
from synth.world.observation import Observation
from synth.world.support import NEARLY_ALWAYS

MAX_PAIRS: Final = 400
DEPTH: Final = 3
"""Records in records that are looked into."""
Kind = tuple[frozenset[str], frozenset[str], frozenset[str]]
"""Of some calls: the arguments that nearly all have, those that more than a slip have, and what came back."""


@dataclass(frozen=True)
class Call:
    """One call, and what tells kinds of calls apart."""

    seen: Observation
    task: str = ""
    """At which it was made: attempts at one task make the same calls, and say one thing together."""
    beside: frozenset[str] = frozenset()
    """Arguments in its path."""

    @property
    def arguments(self) -> dict[str, Json]:
        """As recorded."""
        return self.seen.arguments

    @cached_property
    def object_arguments(self) -> dict[str, dict[str, Json]]:
        """Objects of arguments in arguments."""
        found = {name: object_in(value) for name, value in self.arguments.items()}
        return {name: inner for name, inner in found.items() if inner is not None}

    @cached_property
    def keys(self) -> frozenset[str]:
        """All arguments, those in objects of arguments too."""
        inner = {f"{name}.{key}" for name, held in self.object_arguments.items() for key in held}
        return frozenset(inner.union(self.arguments, self.beside))

    @cached_property
    def answer(self) -> Json:
        """What came back, under all layers."""
        return innermost_value(self.seen.content)

    @cached_property
    def shape(self) -> str:
        """The keys of the record that came back; empty for texts."""
        told = self.answer
        return ",".join(sorted(_places(told, "", DEPTH))) if isinstance(told, dict | list) else ""


def _places(value: Json, under: str, depth: int) -> Iterable[str]:
    if isinstance(value, dict) and depth:
        for name, item in value.items():
            yield under + name
            yield from _places(item, under + name + "/", depth - 1)
    elif isinstance(value, list):
        yield under + "[]"
        yield from _places(value[0], under + "[]", depth - 1) if value else ()


@dataclass(slots=True)
class Group:
    """Calls with one value."""

    calls: list[Call] = field(default_factory=list)

    @property
    def support(self) -> int:
        """Tasks at which they were made."""
        return len({call.task for call in self.calls})

    def usual_arguments(self) -> frozenset[str]:
        """Arguments that nearly all of them have."""
        counts = Counter(key for call in self.calls for key in call.keys)
        return frozenset(k for k, n in counts.items() if n >= NEARLY_ALWAYS * len(self.calls))

    def seen_arguments(self) -> frozenset[str]:
        """Arguments that more than a slip of them have."""
        counts = Counter(key for call in self.calls for key in call.keys)
        return frozenset(k for k, n in counts.items() if n > (1 - NEARLY_ALWAYS) * len(self.calls))

    def kind(self, *, under: str = "", shapes: bool = True) -> Kind:
        """What tells these calls from others: all of it, or what an object of arguments holds."""
        always = frozenset(k for k in self.usual_arguments() if k.startswith(under))
        ever = frozenset(k for k in self.seen_arguments() if k.startswith(under))
        return always, ever, self.shapes() if shapes else frozenset()

    def shapes(self) -> frozenset[str]:
        """What came back from calls that differ in other arguments; empty where only one was made."""
        rests = {stable(call.arguments) for call in self.calls}
        return frozenset(c.shape for c in self.calls if c.shape) if len(rests) > 1 else frozenset()


def differing(kinds: Sequence[Kind]) -> tuple[int, int]:
    """Of the pairs of kinds, how many differ in arguments or in what came back, and how many there are."""
    apart = total = 0
    for (one_always, one_ever, one_shapes), (always, ever, shapes) in islice(
        combinations(kinds, 2), MAX_PAIRS
    ):
        total += 1
        differ = bool(one_always - ever or always - one_ever)
        apart += differ or bool(one_shapes and shapes and not one_shapes & shapes)
    return apart, total
