"""A failing step beside what a resolved attempt at the same request did there, for people.

Comes in: a failed episode, its critical step, and a resolved episode. Goes out: the index of the resolved step that answers to it. Not
here: which resolved attempt (`Failure.beside`), how the steps are shown (the command line, the report).
"""

from __future__ import annotations

from collections.abc import Sequence

from redact.records.clean_episode import CleanStep

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
