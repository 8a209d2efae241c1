"""Path containment: which tools' calls below or above a path matter to what is asked of it.

Comes from observations. Sets per tool `beneath`: the tools whose calls about `a/b/c`, or about `a`, count in the history of a call that
asks for `a/b`, until enough of them were seen to leave such answers alone. Two paths share no name, so that `dependencies` would
take such calls for calls from afar and clear them. Not here: which calls those are (`environments.runtime.answers.path_containment`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from environments.runtime.answers.path_containment import (
    enclosing_places,
    places_of,
    places_overlap,
)
from synth.world.model import ToolModel, Workbench
from synth.world.support import SEEN_THRICE

CLEARED: Final = SEEN_THRICE
"""Different calls inside what was asked for that left answers alike, to as many different calls, none ever otherwise."""

_Below = frozenset[tuple[str, str]]
_Named = dict[str, bool]
"""Places, and whether each was ever one of several asked for at once."""


def learn_beneath(bench: Workbench) -> None:
    """Set what calls about places inside other places may change."""
    if bench.living:
        return
    # Of whom too little is known to call it a reader, its name says whether it looks.
    changers = {
        name
        for name, tool in bench.tools.items()
        if not tool.innocent and not (tool.doubted and tool.stated < 0)
    }
    named = {name: _places_named(tool) for name, tool in bench.tools.items()}
    for name, tool in bench.tools.items():
        if tool.kind == "pure" or not any("/" in place for place in named[name]):
            continue
        met: set[str] = set()
        calm: dict[str, set[str]] = defaultdict(set)
        left: dict[str, set[str]] = defaultdict(set)
        blamed: set[str] = set()
        for asked, group in _outcomes_by_call(bench, name, changers).items():
            for changer in {v for below, _ in group for v, _ in below}:
                met.add(changer)
                without = {c for below, c in group if changer not in {v for v, _ in below}}
                for below, content in group:
                    calls = {call for v, call in below if v == changer}
                    if content in without:
                        calm[changer] |= calls
                        left[changer] |= {asked} if calls else set()
                    elif calls and without:
                        blamed.add(changer)
        cleared = {v for v in changers if min(len(calm[v]), len(left[v])) >= CLEARED} - blamed
        tool.beneath = {
            changer
            for changer in changers - cleared
            if changer in met or _ever_within(named[name], named[changer])
        }


def _outcomes_by_call(
    bench: Workbench, name: str, changers: set[str]
) -> dict[str, list[tuple[_Below, str]]]:
    """Per call of a tool: what came of it, and which changers' calls inside or around it came before."""
    groups: dict[str, list[tuple[_Below, str]]] = defaultdict(list)
    for _, seen, past in bench.with_pasts(lambda o: o.tool in changers and not bench.refused(o)):
        if seen.tool == name:
            below = frozenset(
                (o.tool, o.key) for o in past if places_overlap(seen.arguments, o.arguments)
            )
            groups[seen.key].append((below, seen.content))
    return groups


def _ever_within(asked: _Named, changed: _Named) -> bool:
    """Whether any of some places lies inside or around one of others; looks at each place once."""
    return (
        any(place in changed and (several or changed[place]) for place, several in asked.items())
        or any(outer in changed for place in asked for outer in enclosing_places(place))
        or any(outer in asked for place in changed for outer in enclosing_places(place))
    )


def _places_named(tool: ToolModel) -> _Named:
    """The places that a tool's calls name."""
    out: _Named = {}
    for seen in tool.observations:
        for place, several in places_of(seen.arguments):
            out[place] = several or out.get(place, False)
    return out
