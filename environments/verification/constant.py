"""Constant policies: one behaviour for every task of an app, whatever the task. Kept out of the gate, measured per set.

In: the material of one candidate. Out: probes whose names are the same for every task, so that their mean reward over a
task set can be taken. They know the tools and what the user says, never the solution. `surplus` says which tasks of a set pay too
much of it. Not here: attacks that decide (`attacks`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from environments.runtime.candidate import Action
from environments.runtime.check_view import text_of
from environments.verification.material import Material
from environments.verification.probe import ZERO, Probe, calls, says

PREFIX: Final = "constant_"
"""How the names of these probes begin."""
ASKS: Final = "How can I help you? Please give me the details that I need to look this up."
SORRY: Final = "I understand. I am transferring you to a colleague who can help you further."
REFUSES: Final = "I am sorry, but that is not possible under our policy."
WORD: Final = re.compile(r"[#\w][\w@.#+-]*\w")
MOST_MEAN: Final = 0.02
"""Mean reward of a constant policy over the accepted tasks of an app that is put up with."""
MOST_LOOKS: Final = 12
"""Look-ups of one run: more than any resolved attempt needs is not a policy but a scan."""


def constant_policies(material: Material) -> Iterator[Probe]:
    """What an agent earns that does the same at every task."""
    turns = max(1, len(material.candidate.task.user) + 1)
    looks = tuple(_looks(material))
    over = tuple(_hand_over(material))
    yield _probe("asks_only", (says(ASKS),) * turns)
    yield _probe("refuses_politely", (says(ASKS), *(says(REFUSES),) * turns))
    yield _probe("looks_up_then_refuses", (*looks, says(REFUSES)))
    if over:
        yield _probe("hands_over", (says(SORRY), *over))
        yield _probe("looks_up_then_hands_over", (*looks, *over))
        yield _probe("looks_up_refuses_hands_over", (*looks, says(REFUSES), *over))


def surplus(paid: Mapping[str, Collection[str]], graded: Mapping[str, int]) -> frozenset[str]:
    """The tasks to hold back, so that no constant policy earns more than `MOST_MEAN` of what it is graded on.

    In: for each constant policy the tasks that pay it, and on how many tasks it was graded. Tasks stay in order of their
    id, so that the same set loses the same tasks.
    """
    held: set[str] = set()
    for name in sorted(paid):
        mine = sorted(set(paid[name]) - held)
        # Every task held back leaves the denominator as well.
        others = graded.get(name, 0) - len(paid[name])
        allowed = int(MOST_MEAN * others / (1 - MOST_MEAN))
        held |= set(mine[allowed:])
    return frozenset(held)


def _probe(name: str, actions: tuple[Action, ...]) -> Probe:
    return Probe(
        name=f"{PREFIX}{name}", actions=actions, expected=ZERO, in_gate=False, voidable=False
    )


def _looks(material: Material) -> Iterator[Action]:
    """Every tool that takes one text and changes nothing, asked for every name or code that the user says."""
    left_out = material.changing | set(material.candidate.task.terminal_tools)
    tools = [
        (name, properties[0])
        for name in material.tool_names
        if name not in left_out and len(properties := material.parameters(name)) == 1
    ]
    pairs = [(tool, word) for word in said_codes(material) for tool in tools]
    for number, ((name, parameter), word) in enumerate(pairs[:MOST_LOOKS]):
        yield calls(name, json.dumps({parameter: word}), number=number)


def said_codes(material: Material) -> list[str]:
    """The words of the user that look like names of records: with a digit, an at sign or an underscore."""
    task = material.candidate.task
    texts = [text_of(message) for message in task.opening if message.get("role") == "user"]
    texts += [turn.text for turn in task.user]
    words = dict.fromkeys(word for text in texts for word in WORD.findall(text))
    return [w for w in words if any(c.isdigit() or c in "@_" for c in w)]


def _hand_over(material: Material) -> Iterator[Action]:
    for number, name in enumerate(material.candidate.task.terminal_tools):
        filled = json.dumps(dict.fromkeys(material.parameters(name), SORRY))
        yield calls(name, filled, number=800 + number)
