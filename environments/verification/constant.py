"""Constant policies: one behaviour for every task of an app, whatever the task. Kept out of the gate, measured per set.

In: the material of one candidate. Out: probes whose names are the same for every task, so that their mean reward over a
task set can be taken. They know the tools and what the user says, never the solution. `surplus` says which tasks of a set pay too
much of it. Not here: attacks that decide (`attacks`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action
from environments.runtime.task.tool_definition import choices_of, form_of
from environments.verification.material import Material, PlannedCall, answers_in
from environments.verification.probe import ZERO, Probe, calls, says

PREFIX: Final = "constant_"
"""How the names of these probes begin."""
ASKS: Final = "How can I help you? Please give me the details that I need to look this up."
SORRY: Final = "I understand. I am transferring you to a colleague who can help you further."
REFUSES: Final = "I am sorry, but that is not possible under our policy."
WORD: Final = re.compile(r"[#\w][\w@.#+-]*\w")
MOST_MEAN: Final = 0.02
"""Mean reward of a constant policy over the accepted tasks of an app that is put up with, however little others earn there."""
MOST_SHARE: Final = 0.2
"""The same as a share of what recorded attempts earned at these tasks: so much less than an agent that tries draws none to it."""
MOST_CHOICES: Final = 6
"""Values of one schema that are tried."""
MOST_USUAL: Final = 3
"""Hand-overs of other solutions that are repeated word for word."""
MOST_LOOKS: Final = 12
"""Look-ups of one run: more than any resolved attempt needs is not a policy but a scan."""


def constant_policies(material: Material) -> Iterator[Probe]:
    """What an agent earns that does the same at every task."""
    turns = max(1, len(material.candidate.task.user) + 1)
    looks = tuple(_looks(material))
    yield _probe("asks_only", (says(ASKS),) * turns)
    yield _probe("refuses_politely", (says(ASKS), *(says(REFUSES),) * turns))
    yield _probe("looks_up_then_refuses", (*looks, says(REFUSES)))
    for number, answer in enumerate(_usual_answers(material), 1):
        yield _probe(f"answers_as_usual_{number}", (says(answer),) * turns)
    for how, over in _hand_overs(material):
        yield _probe(f"hands_over{how}", (says(SORRY), *over))
        yield _probe(f"looks_up_then_hands_over{how}", (*looks, *over))
        yield _probe(f"looks_up_refuses_hands_over{how}", (*looks, says(REFUSES), *over))


def surplus(
    paid: Mapping[str, Collection[str]], graded: Mapping[str, int], *, earned: float = 0.0
) -> frozenset[str]:
    """The tasks to hold back, so that no constant policy earns more than `MOST_SHARE` of what recorded attempts did.

    In: for each constant policy the tasks that pay it, and on how many tasks it was graded; `earned` is the share of recorded
    attempts at the set's tasks that resolved them. `MOST_MEAN` is put up with in any case. Tasks stay in order of their id, so
    that the same set loses the same tasks.
    """
    most = max(MOST_MEAN, MOST_SHARE * earned)
    held: set[str] = set()
    for name in sorted(paid):
        mine = sorted(set(paid[name]) - held)
        # Every task held back leaves the denominator as well.
        others = graded.get(name, 0) - len(paid[name])
        allowed = int(most * others / (1 - most))
        held |= set(mine[allowed:])
    return frozenset(held)


def _probe(name: str, actions: tuple[Action, ...]) -> Probe:
    return Probe(
        name=f"{PREFIX}{name}", actions=actions, expected=ZERO, in_gate=False, voidable=False
    )


def _looks(material: Material) -> Iterator[Action]:
    """Every tool that takes one text and changes nothing, asked for every name or code that the user says."""
    left_out = material.changing | set(material.candidate.task.last_tools)
    tools = [
        (name, properties[0])
        for name in material.tool_names
        if name not in left_out and len(properties := material.parameters(name)) == 1
    ]
    pairs = [(tool, word) for word in said_codes(material) for tool in tools]
    for number, ((name, parameter), word) in enumerate(pairs[:MOST_LOOKS]):
        yield calls(name, json.dumps({parameter: word}), number=number)


def said_texts(material: Material) -> list[str]:
    """What the user says, in order."""
    task = material.candidate.task
    texts = [text_of(message) for message in task.opening if message.get("role") == "user"]
    return [text for text in (*texts, *(turn.text for turn in task.user)) if text]


def said_codes(material: Material) -> list[str]:
    """The words of the user that look like names of records: with a digit, an at sign or an underscore."""
    words = dict.fromkeys(w for text in said_texts(material) for w in WORD.findall(text))
    return [w for w in words if any(c.isdigit() or c in "@_" for c in w)]


def _hand_overs(material: Material) -> Iterator[tuple[str, tuple[Action, ...]]]:
    """Ways to hand over that need no understanding: words that know nothing, the user's own, and each choice of a schema."""
    task = material.candidate.task
    said = "\n".join(said_texts(material))
    codes = said_codes(material)
    if not task.last_tools:
        return
    schemas = [schema for name in task.last_tools for schema in material.properties(name).values()]
    yield "", handed_over(material, SORRY)
    for number, call in enumerate(_usual(material), 1):
        yield f"_as_usual_{number}", (calls(call.name, call.arguments, number=800),)
    if not schemas:
        return
    yield "_as_said", handed_over(material, said, choice=0)
    if codes:
        yield "_with_a_code", handed_over(material, codes[0], choice=0)
    for choice in range(1, min(MOST_CHOICES, max(map(len, map(_choices, schemas)), default=0))):
        yield f"_choice_{choice + 1}", handed_over(material, said, choice=choice)


def _usual_answers(material: Material) -> list[str]:
    """The reference answers that are right at several tasks of the app, most frequent first; the same for every task of it."""
    if not material.answers:
        return []
    rubrics = [material.candidate.rubric, *(other.rubric for other in material.others)]
    found = Counter(answer for rubric in rubrics for answer in set(answers_in(rubric)))
    shared = [answer for answer, count in found.items() if count > 1]
    return sorted(shared, key=lambda a: (-found[a], a))[:MOST_USUAL]


def _usual(material: Material) -> list[PlannedCall]:
    """The hand-overs that the app's solutions make most often, the same for every task of it."""
    ends = material.candidate.task.last_tools
    solutions = [material.planned, *(other.planned for other in material.others)]
    made = [c for solution in solutions for c in solution if c.name in ends]
    found = Counter(call.key for call in made)
    shared = {call.key: call for call in made if found[call.key] > 1}
    return sorted(shared.values(), key=lambda c: (-found[c.key], c.key))[:MOST_USUAL]


def handed_over(material: Material, text: str, *, choice: int | None = None) -> tuple[Action, ...]:
    """Every tool that ends the conversation, its arguments the text, or that choice where a schema lists values."""
    return tuple(
        calls(
            name,
            json.dumps(
                {
                    p: _filled(one, text, choice)
                    for p, one in sorted(material.properties(name).items())
                }
            ),
            number=800 + number,
        )
        for number, name in enumerate(material.candidate.task.last_tools)
    )


def _filled(schema: Json, text: str, choice: int | None) -> Json:
    choices = _choices(schema) if choice is not None else []
    return choices[(choice or 0) % len(choices)] if choices else text


def _choices(schema: Json) -> list[Json]:
    return [True, False] if form_of(schema) == "boolean" else choices_of(schema)
