"""Of a backend that lives on: which writers change a table's records that their calls do not name.

Comes from what recorded episodes saw after their own calls, beside what the timeline would have told there. Where that is too
often otherwise, the writer is taken to reach the table from afar. Not here: calls that name a record (`timeline` voids those).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.values.normal import names_in
from environments.runtime.views.implicit_subject import SUBJECT
from synth.world.influence.blame import fewest
from synth.world.influence.contrast_pairs import Evidence, Suspect
from synth.world.influence.independence import ignored, matters_far, states_of
from synth.world.model import ToolModel, Workbench
from synth.world.support import HARDLY_EVER

MAX_CHANCE: Final = HARDLY_EVER
"""Chance of another record than expected after a writer's calls, that still counts as other people's doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One look at a record after calls of the same episode that do not name it."""

    table: str
    gap: int | None
    """Since the sight before; None where that was of the same episode."""
    suspects: frozenset[str]
    same: bool


def note_afar(bench: Workbench, convicted: Mapping[str, Iterable[Suspect]]) -> None:
    """Note whom equal calls of one episode, answered otherwise, convict of changing what they do not name."""
    for name, tool in bench.tools.items():
        for suspect, near in convicted[name]:
            if tool.table is not None and tool.innocent and not near:
                bench.tools[suspect].far.add(tool.table)


def note_pasts(bench: Workbench, found: Mapping[str, Evidence]) -> None:
    """Note whose calls have to be the same before a recorded answer of an episode is told in it again."""
    changers = sorted(n for n, t in bench.tools.items() if not t.innocent)
    states = states_of(found)
    for name, tool in bench.tools.items():
        evidence = found[name]
        heeds = {v for v in changers if matters_far(found, v, name, states=states)}
        if evidence.wide:
            heeds |= {v for v, near in evidence.convicted if near}
        if _hangs_on_all(tool):
            heeds.update(changers)
        tool.heeds = heeds.intersection(changers)
        left = [v for v in changers if v not in tool.heeds]
        tool.ignores = ignored(bench, found, name, left, states=states)
        if tool.innocent and tool.table is not None and tool.heeds and _asks_for_nothing(tool):
            for v in tool.heeds - {name}:
                bench.tools[v].far.add(tool.table)


def _asks_for_nothing(tool: ToolModel) -> bool:
    """Whether all that a tool is ever given is whose session it is, and how to show what it shows."""
    return not any(
        name != SUBJECT and not isinstance(value, bool | None)
        for seen in tool.observations
        for name, value in seen.arguments.items()
    )


def _hangs_on_all(tool: ToolModel) -> bool:
    """Whether nothing tells which earlier calls a tool hangs on, and something does: equal calls were answered otherwise.

    Most of its calls name nothing that another call could name as well, or what it does itself is not known.
    """
    told = {(seen.key, seen.content) for seen in tool.observations}
    if len(told) == len({seen.key for seen in tool.observations}):
        return False
    naming = sum(
        any(name != SUBJECT and names_in([value]) for name, value in seen.arguments.items())
        for seen in tool.observations
    )
    return tool.doubted or naming * 2 <= len(tool.observations)


def reaching(trials: Iterable[Trial]) -> dict[str, set[str]]:
    """Per table the writers that change its records from afar: the likeliest first, which then explain what they were in."""
    by: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial.suspects:
            by.setdefault(trial.table, []).append(trial)
    return {table: _blamed(mine) for table, mine in by.items()}


def _blamed(trials: Sequence[Trial]) -> set[str]:
    calm = Counter(tool for trial in trials if trial.same for tool in trial.suspects)

    def rank(left: Sequence[Trial]) -> dict[str, tuple[float, int]]:
        moved = Counter(tool for trial in left for tool in trial.suspects)
        chance = {tool: (n - 0.5) / (n + calm[tool]) for tool, n in moved.items()}
        return {tool: (one, moved[tool]) for tool, one in chance.items() if one > MAX_CHANCE}

    return {tool for tool, _ in fewest((t for t in trials if not t.same), rank)}
