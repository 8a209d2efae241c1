"""Met conditions: what successful calls tell of records that nobody read, guard by guard.

Comes from the guards of a tool and its successful examples; goes into the guards of the world file. Not here: the
guards themselves (`guards`), how the findings are used (`environments.runtime.world_met`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from environments.runtime.world_met import Condition, Met, note
from synth.world.effects import rescoped, spread
from synth.world.examples import Example
from synth.world.model import Workbench
from synth.world.numbers import mentions


def learn_met(bench: Workbench, examples: Mapping[str, Sequence[Example]]) -> None:
    """Fill `met` of every guard that was seen broken and looks at records; a backend that lives on may have changed since."""
    if bench.living:
        return
    for name, tool in sorted(bench.tools.items()):
        done = spread([e for e in examples.get(name, ()) if not e.refused])
        scopes = [rescoped(tool, e) for e in done]
        for guard in tool.guards:
            if not guard["support"] or not mentions(guard["holds"], "row"):
                continue
            condition, met = Condition(guard["holds"]), Met()
            for scope in scopes:
                note(condition, met, scope)
            found = met.to_json()
            if any(found.values()):
                guard["met"] = found
