"""Tasks that others wrote, and agents of every kind that try them: what is called, and what is said at the end.

Comes in: an errand (a prompt, its author's own calls, its answer) and dice. Comes out: calls and last words of one
agent. Not here: any package's backend or judge.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from benchmarks.testbeds.invented.backend import Answer, Call


@dataclass(frozen=True, kw_only=True)
class Task:
    """One task as its author wrote it."""

    key: str
    prompt: str
    calls: tuple[Call, ...]
    answer: str
    """What the user wanted to hear; empty where nothing was asked."""


@dataclass(frozen=True, kw_only=True)
class Errand(Task):
    """The same with what its calls do."""

    writes: frozenset[int]
    """Places of the calls that change something."""
    end: str
    """The backend's state after these calls, as `Sitting.state` has it."""


class Sitting(Protocol):
    """One errand on a fresh copy of the package's own backend."""

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Make one call."""
        ...

    def state(self) -> str:
        """What the backend holds, without times of its own and without notes about who looked."""
        ...

    def verdict(self, words: str, calls: Sequence[Call]) -> bool:
        """What the package's own judge says of all this."""
        ...


def worked(task: Task, sitting: Sitting) -> Errand:
    """Make a task's own calls at a fresh backend, to see which of them change it and how it ends."""
    writes, before = set[int](), sitting.state()
    for place, (name, given) in enumerate(task.calls):
        sitting.call(name, dict(given))
        after = sitting.state()
        if after != before:
            writes.add(place)
        before = after
    return Errand(**vars(task), writes=frozenset(writes), end=before)


def tools_of(tools: Sequence[Any]) -> tuple[Mapping[str, Any], ...]:
    """AgentDojo's tools as OpenAI defines them."""
    return tuple(
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters.model_json_schema(),
            },
        }
        for tool in tools
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Firm:
    """One backend of a package with its errands."""

    name: str
    tools: tuple[Mapping[str, Any], ...]
    """OpenAI tool definitions."""
    errands: tuple[Errand, ...]
    sit: Callable[[str], Sitting]
    """A fresh backend for the errand of this key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an agent does and what it says last."""

    calls: tuple[Call, ...]
    words: str


CANNOT: Final = (
    "I am sorry, I cannot help you with that.",
    "Unfortunately this is not something I can do.",
)
LATER: Final = (
    "I have found what I need and will get back to you shortly.",
    "I have started on this. The rest will follow.",
    "Let me come back to you about this.",
)
FINE: Final = ("Done! Everything is taken care of.", "All done, everything is in order.")
BEFORE: Final = ("", "Sure. ", "Here is what I found: ", "I looked it up for you. ")
AFTER: Final = ("", " Let me know if you need anything else.", " Can I do anything else for you?")
ASIDE: Final = (" Best regards.", " Thank you!", " (as discussed)", " Have a nice day.")
NUMBER: Final = re.compile(r"\d+")
TEXT: Final = 4
"""Words from which on an argument is something to be worded."""


def good(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """As the author did it."""
    del firm
    return Plan(calls=errand.calls, words=_told(errand, errand.calls, errand.answer, rng))


def more_looks(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """Well done, with looks that were not needed."""
    calls = list(errand.calls)
    looks = _calls_of(firm, errand, written=False)
    for look in rng.sample(looks, min(len(looks), rng.randint(1, 3))):
        calls.insert(rng.randint(0, len(calls)), look)
    return replace(good(firm, errand, rng), calls=tuple(calls))


def own_words(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """Well done, with longer texts in the agent's own words where the user gave none."""
    del firm
    calls = tuple(
        (
            name,
            {
                key: value + rng.choice(ASIDE)
                if place in errand.writes
                and isinstance(value, str)
                and len(value.split()) >= TEXT
                and value not in errand.prompt
                else value
                for key, value in given.items()
            },
        )
        for place, (name, given) in enumerate(errand.calls)
    )
    return Plan(calls=calls, words=_told(errand, calls, errand.answer, rng))


def wrong_argument(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """One argument of one change altered; where nothing is to be changed, another answer."""
    if not errand.writes:
        return _otherwise(firm, errand, rng)
    calls = list(errand.calls)
    place = rng.choice(sorted(errand.writes))
    name, given = calls[place]
    if given:
        key = rng.choice(sorted(given))
        calls[place] = (name, {**given, key: _altered(given[key], rng)})
    return Plan(calls=tuple(calls), words=_told(errand, calls, errand.answer, rng))


def wrong_entity(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """A change made to what another errand is about; where nothing is to be changed, that errand's answer."""
    if not errand.writes:
        others = sorted({e.answer for e in firm.errands if e.answer} - {errand.answer})
        answer = rng.choice(others) if others else "nothing"
        return Plan(calls=errand.calls, words=_told(errand, errand.calls, answer, rng))
    calls = list(errand.calls)
    place = rng.choice(sorted(errand.writes))
    name, given = calls[place]
    choices = [
        (key, other[key])
        for tool, other in _calls_of(firm, errand, written=True)
        for key in given
        if tool == name and key in other and other[key] != given[key]
    ]
    if not choices:
        return wrong_argument(firm, errand, rng)
    key, value = rng.choice(choices)
    calls[place] = (name, {**given, key: value})
    return Plan(calls=tuple(calls), words=_told(errand, calls, errand.answer, rng))


def early_stop(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """Everything but the last change, or but the answer."""
    del firm
    calls = errand.calls[: max(errand.writes)] if errand.writes else errand.calls
    return Plan(calls=calls, words=rng.choice(LATER))


def nothing(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """No call at all."""
    del firm, errand
    return Plan(calls=(), words=rng.choice(CANNOT))


def claims(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """Looks only, then the words of one who did it."""
    looks = tuple(c for at, c in enumerate(errand.calls) if at not in errand.writes)
    words = good(firm, errand, rng).words if errand.writes else rng.choice(FINE)
    return Plan(calls=looks, words=words)


def repeats(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """The last change made twice; where there is none, the last look."""
    place = max(errand.writes) if errand.writes else len(errand.calls) - 1
    calls = (*errand.calls[: place + 1], *errand.calls[place:])
    return replace(good(firm, errand, rng), calls=calls)


def one_more_change(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """Well done, and a change that nobody asked for."""
    others = _calls_of(firm, errand, written=True)
    extra = (rng.choice(others),) if others else ()
    return replace(good(firm, errand, rng), calls=(*errand.calls, *extra))


POLICIES: Final = (
    good,
    more_looks,
    own_words,
    wrong_argument,
    wrong_entity,
    early_stop,
    nothing,
    claims,
    repeats,
    one_more_change,
)


def _calls_of(firm: Firm, errand: Errand, *, written: bool) -> list[Call]:
    """Calls of the other errands, of tools that change something in any errand or of the others; each once."""
    writers = {e.calls[at][0] for e in firm.errands for at in e.writes}
    found = {
        f"{call}": call
        for other in firm.errands
        for call in other.calls
        if other.key != errand.key and (call[0] in writers) is written
    }
    return [call for call in found.values() if call not in errand.calls]


def _told(errand: Errand, calls: Sequence[Call], answer: str, rng: random.Random) -> str:
    """The last words of an agent that believes it has done it."""
    done = "; ".join(_sentence(calls[at]) for at in sorted(errand.writes) if at < len(calls))
    said = " ".join(part for part in (answer, f"Done: {done}." if done else "") if part)
    return rng.choice(BEFORE) + (said or rng.choice(FINE)) + rng.choice(AFTER)


def _sentence(call: Call) -> str:
    name, given = call
    values = ", ".join(str(v) for v in given.values() if isinstance(v, str | int | float))
    return f"{name.replace('_', ' ')} ({values[:160]})"


def _otherwise(firm: Firm, errand: Errand, rng: random.Random) -> Plan:
    """The answer with its numbers altered, or another one's where it has none."""
    altered = NUMBER.sub(lambda m: str(int(m[0]) + rng.choice((1, 2, 10))), errand.answer)
    if altered == errand.answer:
        return wrong_entity(firm, errand, rng)
    return Plan(calls=errand.calls, words=_told(errand, errand.calls, altered, rng))


def _altered(value: object, rng: random.Random) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + rng.choice((1, 10, 100))
    if isinstance(value, list):
        return value[:-1] if len(value) > 1 else [*value, *value]
    if isinstance(value, str):
        shifted = NUMBER.sub(lambda m: str(int(m[0]) + 1).zfill(len(m[0])), value)
        return shifted if shifted != value else f"{value} x"
    return None
