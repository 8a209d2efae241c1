"""An episode as turns of its agents: who acted, and what stands in each turn that nothing before it showed.

Comes in: a `Reading`. Goes out: `Turn`s, one for each message of an agent. What a terminal or an interpreter says under a name
of its own is a result, whatever role its framework gives it. Not here: what a turn is guilty of (`evidence`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from environments.runtime.values.facts import facts_in
from environments.runtime.values.grouping import by_key
from redact.records.clean_episode import CleanStep
from synth.failures.calls import SeenCall
from synth.failures.reading import Reading
from synth.failures.words import MACHINES, name_words

READ: Final = 20_000
"""Characters of one message that are looked at."""
_NOTE: Final = re.compile(r"\s*\([^()]*\)\s*$")
"""What some frameworks put behind an agent's name (`Planner (thought)`)."""
_NAME: Final = re.compile(
    r"(?<![.!?:\n] )(?<!\n)(?<!^)\b[A-Z][\w'-]{1,40}(?: [A-Z][\w'-]{1,40}){0,4}"
)
"""Words with a capital inside a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of an agent."""

    step: int
    order: int
    """Its place among the turns, from 0."""
    agent: str | None
    text: str
    calls: tuple[SeenCall, ...]
    introduced: frozenset[str]
    """Figures, dates, ids and names that nothing before it showed."""
    after_result: bool
    """Whether the message before it is a tool's or a terminal's."""


def turns_of(reading: Reading) -> tuple[Turn, ...]:
    """The turns of an episode's agents, in order."""
    return tuple(_turns(reading))


def agent_named(name: str | None) -> str | None:
    """An agent's name without a note behind it."""
    return name and (_NOTE.sub("", name) or name)


def is_machine(step: CleanStep) -> bool:
    """Whether a message is a result: a tool's, or that of a terminal or an interpreter with a name of its own."""
    return step.role == "tool" or bool(
        step.role == "assistant" and step.agent and MACHINES & set(name_words(step.agent))
    )


def things_in(text: str) -> set[str]:
    """Figures, dates, ids and names in a text."""
    read = text[:READ]
    found = {fact.text for fact in facts_in(read) if fact.specific}
    return found | {name.lower() for name in _NAME.findall(read)}


def _turns(reading: Reading) -> Iterator[Turn]:
    steps = reading.episode.steps
    made = by_key((call.step, call) for call in reading.calls)
    seen: set[str] = set()
    order = 0
    for index, step in enumerate(steps):
        text = step.content or ""
        things = things_in(text)
        if step.role == "assistant" and not is_machine(step):
            yield Turn(
                step=index,
                order=order,
                agent=agent_named(step.agent or reading.episode.agent),
                text=text,
                calls=tuple(made.get(index, ())),
                introduced=frozenset(things - seen),
                after_result=index > 0 and is_machine(steps[index - 1]),
            )
            order += 1
        seen |= things
        for call in made.get(index, ()):
            seen |= things_in(call.arguments)
