"""The form on the review page in which a person says what went wrong in a failed episode, and what others say of it.

Comes in: a clean episode, its failure record if there is one, and reviews. Goes out: choices to show, and a label out of what was sent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dagster_project.causes.labels import opinion_of
from dagster_project.review.review import Review
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.failures.causes import PARTIES, SAYS
from synth.failures.detection import Failure
from synth.failures.judging.opinion import EVIDENCE, MODEL, Opinion
from synth.failures.judging.question import CAUSES
from synth.failures.turns import agent_named, is_machine

MOST_WORDS: Final = 90
"""Characters of a step by which a person knows it again."""
_WHOSE: Final = {
    "agent": "The agent",
    "tool": "A tool",
    "user": "The user",
    "system": "The system",
    "environment": "The environment",
}
_WHO: Final = {EVIDENCE: "The evidence", MODEL: "The model"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepChoice:
    """A step that can be named."""

    step: int
    agent: str | None
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseForm:
    """All that the form shows."""

    episode_id: str
    causes: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """Causes with their sentences, by whose they are."""
    steps: tuple[StepChoice, ...]
    mine: str
    """The cause that this reviewer named; empty while they did not."""
    my_step: int | None
    others: tuple[str, ...]
    """What the evidence, a model and other people say, shown after one's own word."""


def form_of(
    episode: CleanEpisode,
    failure: Failure | None,
    said: Mapping[str, Review],
    *,
    reviewer: str,
) -> CauseForm:
    """The form for one reviewer; `said` are the labels of the episode by reviewer."""
    mine = said.get(reviewer)
    cause = mine.value if mine is not None else ""
    others = [
        f"{one.by}: {_opinion_text(opinion_of(one))}" for one in said.values() if one.by != reviewer
    ]
    found = () if failure is None else failure.opinions
    return CauseForm(
        episode_id=episode.episode_id,
        causes=tuple(
            (title, tuple((c, SAYS[c]) for c in CAUSES if PARTIES[c] == party))
            for party, title in _WHOSE.items()
        ),
        steps=tuple(_choices(episode)),
        mine=cause,
        my_step=opinion_of(mine).step if mine is not None else None,
        others=(
            *(f"{_judge_name(one)}: {_opinion_text(one)}" for one in found if one.by in _WHO),
            *others,
        )
        if cause
        else (),
    )


def label_of(
    episode: CleanEpisode, form: Mapping[str, str]
) -> tuple[str, dict[str, object]] | None:
    """The cause and the document of a label that was sent; an empty cause takes it back, None is no label."""
    cause, step = form.get("cause", ""), form.get("step", "")
    if not cause:
        return "", {}
    chosen = next((one for one in _choices(episode) if str(one.step) == step), None)
    if cause not in CAUSES or (step and chosen is None):
        return None
    return cause, {"step": chosen.step, "agent": chosen.agent} if chosen else {}


def _choices(episode: CleanEpisode) -> Iterator[StepChoice]:
    """Steps of agents and users, as a person knows them again."""
    for index, step in enumerate(episode.steps):
        if step.role == "user":
            yield StepChoice(step=index, agent=None, says=f"User: {_words([step.content or ''])}")
        elif step.role == "assistant" and not is_machine(step):
            agent = agent_named(step.agent or episode.agent)
            yield StepChoice(
                step=index, agent=agent, says=f"{agent or 'Agent'}: {_step_text(step)}"
            )


def _step_text(step: CleanStep) -> str:
    calls = [f"calls {call.name} {call.arguments}" for call in step.tool_calls]
    return _words([step.content or "", *calls])


def _words(parts: Sequence[str]) -> str:
    text = " ".join(" ".join(parts).split())
    return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]}…"


def _judge_name(opinion: Opinion) -> str:
    shown = f" after {opinion.examples} labels" if opinion.examples else ""
    return f"{_WHO[opinion.by]}{shown}"


def _opinion_text(opinion: Opinion) -> str:
    says = SAYS.get(opinion.cause, "nothing any more")
    return says if opinion.step is None else f"{says}, at step {opinion.step}"
