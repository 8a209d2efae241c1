"""What a model is asked about a failed conversation, and what it may answer: all at once, then step by step.

Comes in: a clean episode, and examples that people labelled. Goes out: the requests' texts as JSON, in which no conversation can close its
quotes, and replies strictly parsed: a cause, a step or an agent that is not among those asked about is no reply. Not here: sending (`judge`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from environments.judges.batch import unfenced
from environments.runtime.task.attempt import Json
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.failures.causes import CHANGED, NO_CHANGE, PARTIES, SAYS
from synth.failures.judging.opinion import MODEL, Opinion
from synth.failures.turns import agent_named, is_machine

MOST_OF_A_STEP: Final = 4_000
"""Characters of one step that are shown, half from its start and half from its end."""
MOST_CHARACTERS: Final = 120_000
"""A longer conversation is not asked about: half of one would be judged as if it were all."""
MOST_OF_AN_EXAMPLE: Final = 200
"""The same of a step of an example."""
MOST_STEPS: Final = 12
"""Steps that are asked about one by one."""
CAUSES: Final[Mapping[str, str]] = {
    name: SAYS[name] for name in PARTIES if name not in {CHANGED, NO_CHANGE}
}


class _AtOnce(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    cause: str
    step: int
    agent: str | None = None


class _OneStep(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    mistake: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledExample:
    """A failed conversation that a person labelled, as an example."""

    episode: CleanEpisode
    opinion: Opinion


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseQuestion:
    """One failed conversation to ask about."""

    episode: CleanEpisode
    examples: Sequence[LabelledExample] = ()
    shown: tuple[dict[str, Json], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shown", _conversation(self.episode, MOST_OF_A_STEP))

    @property
    def too_long(self) -> bool:
        """Whether it is longer than what may be asked about."""
        return len(_text(list[Json](self.shown))) > MOST_CHARACTERS

    @property
    def turns(self) -> tuple[int, ...]:
        """The steps that somebody can have made a mistake at: those of agents and users."""
        steps = self.episode.steps
        return tuple(
            i for i, s in enumerate(steps) if s.role in {"assistant", "user"} and not is_machine(s)
        )

    def at_once(self) -> str:
        """The request about the whole conversation."""
        return self._request(self.shown, {"causes": dict(CAUSES)})

    def one_step(self, step: int, cause: str) -> str:
        """The request about one step."""
        shown = [one for one in self.shown if isinstance(at := one["step"], int) and at <= step]
        return self._request(shown, {"cause": CAUSES[cause]})

    def opinion(self, text: str) -> Opinion | None:
        """What a reply about the whole conversation says; None where it is not what was asked for."""
        try:
            said = _AtOnce.model_validate_json(unfenced(text))
        except ValidationError:
            return None
        if said.cause not in CAUSES or said.step not in self.turns:
            return None
        agents = {self.agent_at(step) for step in self.turns}
        if said.agent is not None and agent_named(said.agent) not in agents:
            return None
        return self._opinion(said.cause, said.step)

    def candidates(self, first: Opinion) -> tuple[int, ...]:
        """The steps of the accused that are asked about one by one: the nearest to the one that was named, in order."""
        named = first.step or 0
        role = self.episode.steps[named].role
        own = [
            step
            for step in self.turns
            if self.episode.steps[step].role == role and self.agent_at(step) == self.agent_at(named)
        ]
        near = sorted(own, key=lambda step: (abs(step - named), step))[:MOST_STEPS]
        return tuple(sorted(near))

    def at_step(self, first: Opinion, step: int) -> Opinion:
        """The same opinion at another step of the same speaker."""
        return self._opinion(first.cause, step)

    def agent_at(self, step: int) -> str | None:
        """Who speaks at a step; None where it is the user."""
        one = self.episode.steps[step]
        return None if one.role == "user" else agent_named(one.agent or self.episode.agent)

    def _opinion(self, cause: str, step: int) -> Opinion:
        return Opinion(
            by=MODEL,
            cause=cause,
            step=step,
            agent=self.agent_at(step),
            examples=len(self.examples),
        )

    def _request(self, shown: Sequence[dict[str, Json]], more: Mapping[str, Json]) -> str:
        examples = [_example(one) for one in self.examples]
        parts: dict[str, Json] = {"examples": examples} if examples else {}
        return _text({**parts, **more, "conversation": list[Json](shown)})


@cache
def instructions(name: str) -> str:
    """What a model is told first: `all_at_once` or `step_by_step`."""
    return files("synth.failures.judging").joinpath(f"{name}.txt").read_text("utf-8")


def is_mistake(text: str) -> bool | None:
    """What a reply about one step says; None where it is not what was asked for."""
    try:
        return _OneStep.model_validate_json(unfenced(text)).mistake
    except ValidationError:
        return None


def _example(one: LabelledExample) -> Json:
    said = one.opinion
    return {
        "conversation": list[Json](_conversation(one.episode, MOST_OF_AN_EXAMPLE)),
        "cause": said.cause,
        "step": said.step,
        "agent": said.agent,
    }


def _conversation(episode: CleanEpisode, most: int) -> tuple[dict[str, Json], ...]:
    return tuple(_step(episode, i, step, most) for i, step in enumerate(episode.steps))


def _step(episode: CleanEpisode, index: int, step: CleanStep, most: int) -> dict[str, Json]:
    speaker = {"user": "user", "system": "instructions"}.get(step.role)
    if speaker is None:
        named = step.tool_name if step.role == "tool" else step.agent or episode.agent
        speaker = f"{step.role}: {named}" if step.role == "tool" and named else named or step.role
    shown: dict[str, Json] = {"step": index, "speaker": speaker}
    if step.content:
        shown["says"] = _cut(step.content, most)
    if step.tool_calls:
        shown["calls"] = [
            {"tool": call.name, "arguments": _cut(call.arguments, most)} for call in step.tool_calls
        ]
    return shown


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[: most // 2]} … {len(text) - most} characters left out … {text[-most // 2 :]}"


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=True)
