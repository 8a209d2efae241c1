"""A failing step beside a resolved attempt at the same request, as the command line and the report show it.

Comes in: the failures of a cluster and the clean lake. Goes out: two steps, each with what stood before it, what was done and what came back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES
from redact.records.clean_episode import CleanEpisode, CleanStep
from redact.records.clean_rows import clean_episode_from_row
from synth.failures.detection import Failure

LONGEST: Final = 400
"""Characters of what was done that are shown."""
AROUND: Final = 160
"""The same of what stood before it and of what came back."""
TRIED: Final = 5
"""Failures that are looked at for one whose step differs from the resolved one's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShown:
    """One step, for people."""

    episode_id: str
    step: int
    before: str
    """The last message that the agent had before it."""
    done: str
    back: str
    """What came back: a result, or what the user said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """A failing step and a resolved one."""

    failed: StepShown
    resolved: StepShown


def side_by_side(lake: Lake, members: Sequence[Failure]) -> SideBySide | None:
    """The first failure that has a resolved attempt beside it in which something else was done."""
    compared = [f for f in members if f.beside is not None and f.step is not None]
    for failure in compared[:TRIED]:
        failed = _episode(lake, failure.app, failure.episode_id)
        resolved = _episode(lake, failure.app, failure.beside or "")
        if failed is None or resolved is None or failure.step is None:
            continue
        other = step_beside(failed.steps, failure.step, resolved.steps)
        if other is not None:
            return SideBySide(
                failed=_step_shown(failed, failure.step), resolved=_step_shown(resolved, other)
            )
    return None


def _episode(lake: Lake, app: str, episode_id: str) -> CleanEpisode | None:
    rows = lake.read(CLEAN_EPISODES, app=app, equals={"episode_id": episode_id}).to_pylist()
    return next(map(clean_episode_from_row, rows), None)


def _step_shown(episode: CleanEpisode, step: int) -> StepShown:
    steps = episode.steps
    later = next((s for s in steps[step + 1 :] if s.role in {"user", "tool"}), None)
    before = next((s for s in reversed(steps[:step]) if s.role in {"user", "tool"}), None)
    return StepShown(
        episode_id=episode.episode_id,
        step=step,
        before="" if before is None else _step_line(before, AROUND),
        done=_step_line(steps[step], LONGEST),
        back="" if later is None else _step_line(later, AROUND),
    )


def _step_line(step: CleanStep, most: int) -> str:
    """A step in one line, with who speaks, cut where it is long."""
    calls = [f"calls {call.name} {call.arguments}" for call in step.tool_calls]
    who = {"user": "User: ", "tool": f"{step.tool_name or 'Tool'} answers: "}.get(step.role, "")
    text = who + " ".join(" ".join([step.content or "", *calls]).split())
    return text if len(text) <= most else f"{text[:most]}…"


Shape = tuple[str, tuple[tuple[str, str], ...], str]


def step_beside(
    failed: Sequence[CleanStep], step: int, resolved: Sequence[CleanStep]
) -> int | None:
    """The agent's step that a resolved attempt made where the failed one made its critical step.

    The same tool's call that the failed attempt did not make, else the agent's first step after the last call that both made and that the
    failed attempt did not make, a call before words.
    """
    wanted = {call.name for call in failed[step].tool_calls}
    made = {_shape(one) for one in failed[: step + 1] if one.role == "assistant"}
    own = [i for i, one in enumerate(resolved) if one.role == "assistant"]
    shared = max(
        (i for i in own if resolved[i].tool_calls and _shape(resolved[i]) in made), default=-1
    )
    other = [i for i in own if _shape(resolved[i]) not in made]
    same = [i for i in other if wanted & {call.name for call in resolved[i].tool_calls}]
    after = [i for i in other if i > shared]
    calling = [i for i in after if resolved[i].tool_calls]
    return next(iter((*same, *calling, *after, *other, *own[-1:])), None)


def _shape(step: CleanStep) -> Shape:
    calls = tuple((call.name, call.arguments) for call in step.tool_calls)
    return step.role, calls, "" if calls else step.content or ""
