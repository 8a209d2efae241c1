"""Met conditions: what successful calls tell of records that nobody read, guard by guard.

Comes from the guards of a tool and its successful examples; goes into the guards of the world file. Not here: the
guards themselves (`guards`), how the findings are used (`environments.runtime.answers.observed_bounds`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from environments.runtime.answers.guards import names_part
from environments.runtime.answers.observed_bounds import Condition, ObservedBounds, note
from environments.runtime.values.normal import stable
from synth.world.actions.effects import rescoped, spread
from synth.world.actions.examples import Example
from synth.world.model import Workbench


def learn_met(bench: Workbench, examples: Mapping[str, Sequence[Example]]) -> None:
    """Fill `met` of every guard that looks at records and was seen broken, or says that an argument names a part of one.

    A backend that lives on may have changed since.
    """
    if bench.living:
        return
    for name, tool in sorted(bench.tools.items()):
        done = spread([e for e in examples.get(name, ()) if not e.refused])
        scopes = [rescoped(tool, e) for e in done]
        keys = [part for write in tool.writes for part in write["key"]]
        for guard in tool.guards:
            looks = stable(guard["holds"]).count('"row"')
            part = looks == 1 and not guard["support"] and names_part(guard["holds"])
            # A record's own key is a part of whatever lists it: that nobody read the list says nothing.
            part = part and guard["holds"][1] not in keys
            if not looks or not (guard["support"] or part):
                continue
            condition, met = Condition(guard["holds"]), ObservedBounds()
            for scope in scopes:
                note(condition, met, scope)
            found = met.to_json()
            if part or any(found.values()):
                guard["met"] = found
