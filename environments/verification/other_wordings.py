"""The solution as somebody else might have made it: other words, other order, one look more. All are worth the same.

In: the material of one candidate. Out: probes that must score 1. One is void where the world does not know the answers, or ends
otherwise: then order mattered. Not here: other routes of the same calls (`mutants.routes`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, TypeGuard

from environments.runtime.checks.arguments import has_order
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action
from environments.runtime.values.grouping import by_key
from environments.runtime.values.normal import as_names
from environments.verification.knowable import values_of
from environments.verification.material import Material, PlannedCall
from environments.verification.mutants import MOST, replaced
from environments.verification.probe import ONE, Probe, calls
from environments.verification.readable_values import letters_and_digits

REWORDED_MUST_PAY: Final = False
"""Whether another wording that cannot be graded counts against the task; not as long as worlds know recorded wordings only."""
LOOKS: Final = 3
"""Looks that are added, each by itself."""
LEAST_JOINED: Final = 3
"""Characters of a value that may have been read from an earlier answer."""
SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
LEAD: Final = "In other words: "


def other_ways(material: Material) -> Iterator[Probe]:
    """All ways to the same end that somebody else might have taken."""
    yield from _reworded(material)
    yield from _lists_reordered(material)
    yield from _looks_swapped(material)
    yield from _needless_looks(material)


def is_prose(value: Json) -> TypeGuard[str]:
    """Whether a value says something in words: a formula or a code in other words is another one."""
    if not isinstance(value, str) or (value.isascii() and " " not in value.strip()):
        return False
    signs = [c for c in value if not c.isspace()]
    return 2 * sum(map(str.isalpha, signs)) > len(signs)


def reworded(text: str) -> str:
    """Another wording with the same facts: the sentences in another order, behind a lead."""
    parts = [part.strip() for part in SENTENCE.split(text) if part.strip()]
    return LEAD + " ".join(reversed(parts))


def _reworded(material: Material) -> Iterator[Probe]:
    """Every text that the policy writes itself, in other words."""
    actions = material.candidate.solution
    for call in material.planned:
        free = material.free_text.get(call.name, ())
        other: dict[str, Json] = {
            name: reworded(value) if name in free and is_prose(value) else value
            for name, value in call.parsed.items()
        }
        if other != call.parsed:
            actions = replaced(actions, call, json.dumps(other, ensure_ascii=False))
    if actions != material.candidate.solution:
        yield Probe(
            name="free_text_reworded",
            actions=actions,
            expected=ONE,
            voidable=not REWORDED_MUST_PAY,
        )


def _lists_reordered(material: Material) -> Iterator[Probe]:
    """One call with all its lists turned round together: what stands side by side stays so."""
    listed = [c for c in material.planned if has_order(c.parsed)]
    for number, call in enumerate(listed[:MOST], 1):
        text = json.dumps(_turned(call.parsed), ensure_ascii=False)
        actions = replaced(material.candidate.solution, call, text)
        yield Probe(name=f"lists_reordered_{number}", actions=actions, expected=ONE)


def _turned(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _turned(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_turned(item) for item in reversed(value)]
    return value


def _looks_swapped(material: Material) -> Iterator[Probe]:
    """Looks that do not need each other, in another order."""
    actions = list(material.candidate.solution)
    made = [c for c in material.good.calls if not c.by_user]
    if len(made) != len(material.planned):
        return
    alone = by_key(
        (call.action, (call, done.result.content))
        for call, done in zip(material.planned, made, strict=True)
    )
    index = 0
    while index + 1 < len(actions):
        one, other = alone.get(index, []), alone.get(index + 1, [])
        if len(one) == len(other) == 1 and _independent(material, one[0], other[0]):
            actions[index], actions[index + 1] = actions[index + 1], actions[index]
            index += 1
        index += 1
    if tuple(actions) != tuple(material.candidate.solution):
        yield Probe(name="independent_calls_swapped", actions=tuple(actions), expected=ONE)


def _independent(
    material: Material, one: tuple[PlannedCall, str], other: tuple[PlannedCall, str]
) -> bool:
    """Whether two calls are looks, none has to come first, and the later one asks for nothing that the earlier one answered."""
    reads = {c.key for c in material.reads}
    if one[0].key not in reads or other[0].key not in reads or one[0].key == other[0].key:
        return False
    if any(one[0].name in first and other[0].name in then for first, then in _orders(material)):
        return False
    answered = letters_and_digits(one[1])
    asked = (letters_and_digits(str(value)) for _, value in values_of(other[0].parsed))
    return not any(len(text) >= LEAST_JOINED and text in answered for text in asked)


def _orders(material: Material) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Tools of which one has to be called before any of the others."""
    for check in material.candidate.rubric.checks:
        if check.fn == "before":
            yield as_names(check.args.get("first")), as_names(check.args.get("then"))


def _needless_looks(material: Material) -> Iterator[Probe]:
    """A look that another task of the app takes, behind all calls: what has to come first has."""
    left_out = material.changing | set(material.candidate.task.last_tools)
    looks: dict[str, PlannedCall] = {}
    ranked = sorted(material.foreign, key=lambda c: (len(c.arguments), c.key))
    for call in ranked:
        if call.name not in left_out and call.name in material.definitions:
            looks.setdefault(call.name, call)
    solution = material.candidate.solution
    ending = material.candidate.task.last_tools
    behind = max((c.action + 1 for c in material.planned if c.name not in ending), default=0)
    for number, call in enumerate(list(looks.values())[:LOOKS], 1):
        look: Action = calls(call.name, call.arguments, number=950)
        actions = (*solution[:behind], look, *solution[behind:])
        yield Probe(name=f"needless_look_{number}", actions=actions, expected=ONE)
