"""Dependencies: which earlier calls a tool's answers depend on, read from the table of trials.

Comes from observations. Sets, where every episode starts afresh, per tool: the tools whose every call matters to it (`heeds`), those
whose calls never do (`ignores`), those of which too little is known (`untried`), and per writer the tables that it changes without
naming their rows (`far`). A tool is suspected until pairs of equal calls, one with it in the past and one without, were answered alike.
Of a backend that lives on only the calls of one episode are compared, and `time.indirect_effects` sets `far`. Not here: what a
write does to records (`actions.effects`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from environments.runtime.views.implicit_subject import SUBJECT
from environments.runtime.world.state import ABSENCE
from environments.runtime.world.tool import INNOCENT
from synth.world.influence.independence import left_alone, matters_far, never_matters, states_of
from synth.world.influence.purity_prior import MIN_NAMED, enough
from synth.world.influence.sequences import (
    after_alone,
    changed_by_asking,
    pasts_of,
    share_numbers,
    share_series,
)
from synth.world.influence.trials import Evidence, Trial, evidence_of, trials_of
from synth.world.influence.writers import finds_the_same
from synth.world.model import TOO_FEW, ToolModel, Workbench
from synth.world.search.repeated_arguments import repeated_answer
from synth.world.support import FAVOUR, HALF_OF_CASES, SEEN_ALL_THE_TIME, SEEN_THRICE
from synth.world.volatile.tokens import admits

MIN_LOCAL: Final = SEEN_ALL_THE_TIME
"""Equal calls answered alike, none ever otherwise from afar, before calls that share no name are taken as unrelated."""
SURE: Final = SEEN_THRICE
"""Different calls answered alike with and without a tool before its absence is taken not to matter either."""
MAX_ROUNDS: Final = 8
MIN_MYSTERIES: Final = SEEN_THRICE
MIN_RATE: Final = HALF_OF_CASES
"""Calls whose changes only a reader can explain, or their share, before it counts as a writer."""
READERS: Final = INNOCENT - {"pure"}
"""Kinds of tools that show something: what only computes has nothing that a change could show in."""


def learn_relevance(bench: Workbench) -> None:
    """Set what every tool's answers hang on; a tool taken for a reader and convicted of a change becomes a writer."""
    found = _final_evidence(bench)
    states = states_of(found)
    changers = {n for n, t in bench.tools.items() if not t.innocent}
    local, living = _is_local(found), bench.living
    after, series = ({}, {}) if living else (after_alone(bench), share_series(bench))
    sharing = {} if living else share_numbers(bench)
    for name, tool in bench.tools.items():
        evidence = found[name]
        heeds = series.get(name, set())
        if living or not local:
            heeds |= {v for v in changers if matters_far(found, v, name, states=states)}
            heeds |= after.get(name, set())
        heeds |= {v for v in sharing.get(name, ()) if len(evidence.calls_tried((v, False))) < SURE}
        if living and evidence.is_restless:
            # Nothing tells which earlier calls matter, and some do.
            heeds |= changers
        if evidence.wide:
            # What such a call shows names this and that: that an answer does not name it says nothing.
            heeds |= {v for v, near in evidence.convicted if near}
        tool.heeds = heeds & changers
        left = changers - heeds
        certain = bench.is_certain
        tool.ignores = {
            v for v in left if never_matters(found, v, name, states=states, certain=certain)
        }
        if not living:
            _note_untried(tool, left, found)
        if tool.table is not None and tool.innocent:
            note_far(bench, tool, evidence)


def note_far(bench: Workbench, tool: ToolModel, evidence: Evidence) -> None:
    """Note who changes the table of a reader without naming its rows; what is a clock shows no table."""
    writers = tool.heeds
    if bench.living and not (evidence.wide or evidence.personal):
        writers = {v for v, near in evidence.convicted if not near}
    for writer in writers:
        bench.tools[writer].far.add(str(tool.table))
    if not (bench.living or evidence.is_restless):
        # What was refused and then was not, or the other way round: records come and go.
        came = [t for t in evidence.changes if len({bench.refused(e.seen) for e in t.pair}) > 1]
        for (writer, _), _ in evidence.blamed(came):
            bench.tools[writer].far.add(f"{tool.table}{ABSENCE}")
    if tool.restless:
        tool.table = None
        tool.says = "never answers alike: a clock or dice"


def _note_untried(tool: ToolModel, left: set[str], found: Mapping[str, Evidence]) -> None:
    """Of what is not known to matter to a tool: what was hardly tried, and may have made what an empty answer lacks."""
    evidence = found[tool.name]
    tool.restless = evidence.is_restless
    tool.untried = {v for v in left if len(evidence.calls_tried((v, False))) < SURE}
    # A look that is asked for nothing shows all.
    tool.makers = tool.untried & {
        v for e in found.values() for v, near in e.convicted if evidence.wide or not near
    }
    tool.suspects = tool.untried if any(not near for _, near in evidence.convicted) else set()
    if evidence.convicted:
        tool.evidence["hangs_on"] = sorted({s[0] for s in evidence.convicted})


def _final_evidence(bench: Workbench) -> dict[str, Evidence]:
    """Evidence on every tool, once readers that must have changed something count as writers."""
    trials = trials_of(bench)
    found = evidence_of(bench, trials, _readers(bench))
    # A clock answers otherwise too, and so it does with equal pasts in another episode.
    asked = {n for n in changed_by_asking(bench) & _readers(bench) if not found[n].restless}
    for name in asked:
        _demote(bench.tools[name], "answers otherwise when asked again at once")
    found = evidence_of(bench, trials, _readers(bench))
    for _ in range(MAX_ROUNDS):
        guilty = _impostors(found, _readers(bench))
        if not guilty:
            break
        # Once the others count as writers, they may explain what a tool that says it looks was blamed for.
        for name in {name for name in guilty if bench.tools[name].stated >= 0} or guilty:
            _demote(bench.tools[name], "changes what others show")
        found = evidence_of(bench, trials, _readers(bench))
    always = {n: frozenset.intersection(*pasts) - {n} for n, pasts in pasts_of(bench).items()}
    for tool in _doubtful(bench, found, always):
        _demote(tool, TOO_FEW)
        tool.doubted = True
    found = evidence_of(bench, trials, _readers(bench))
    for name, tool in bench.tools.items():
        # How to show something says nothing of what is asked for.
        names = {
            argument
            for seen in tool.observations
            for argument, value in seen.arguments.items()
            if not isinstance(value, bool | None)
        }
        evidence = found[name]
        evidence.wide, evidence.personal = not names, names == {SUBJECT}
        evidence.always = set(always.get(name, ()))
        evidence.convict()
    return found


def _doubtful(
    bench: Workbench, found: Mapping[str, Evidence], always: Mapping[str, frozenset[str]]
) -> list[ToolModel]:
    """Tools that seem to look, of which too few calls say so."""
    calm = left_alone(found)
    alone = {name for e in found.values() for name in _sole_suspects(e.events)}
    # Hardly a call comes before the one that lets a session in: no pairs could clear it.
    admit = admits(bench.views.tokens, {name: tool.stated for name, tool in bench.tools.items()})
    # Of what never succeeded before a call that may change something nobody knows how it answers without, unless it refuses names.
    after_changes = {
        name
        for name, first in always.items()
        if any(bench.tools[v].stated >= 0 for v in first) and not _refuses_names(bench.tools[name])
    }
    living = bench.living or bench.own_starts is not None
    return [
        tool
        for name, tool in bench.tools.items()
        if tool.kind in {"read", "search"}
        and not tool.declared
        and name not in admit
        and (
            calm[name]
            < enough(
                tool,
                alone,
                living=living,
                by_name=not bench.is_certain and name not in after_changes,
            )
            or (tool.stated >= 0 and repeated_answer(tool))
        )
        and not (bench.living and _finds_the_same(tool))
    ]


def _refuses_names(tool: ToolModel) -> bool:
    """Whether a tool is given nothing but names, and refused some."""
    given = (value for seen in tool.observations for value in seen.arguments.values())
    refused_some = len(tool.good()) < len(tool.observations)
    return refused_some and all(isinstance(value, str | None) for value in given)


def _finds_the_same(tool: ToolModel) -> bool:
    """Whether looks of different episodes agree so often that few looks of one episode do not speak against a reader."""
    if tool.stated < 0:
        return finds_the_same(tool)
    needed = enough(tool, set(), living=True)
    return needed < MIN_NAMED and finds_the_same(tool, MIN_NAMED)


def _sole_suspects(changes: Sequence[Trial]) -> set[str]:
    """Tools that nobody shares the suspicion with, for some change."""
    suspects = ({name for name, _ in one.suspects} for one in changes)
    return {tools.pop() for tools in suspects if len(tools) == 1}


def _readers(bench: Workbench) -> frozenset[str]:
    return frozenset(n for n, t in bench.tools.items() if t.kind in READERS)


def _demote(tool: ToolModel, why: str) -> None:
    # What always says the same still does; what it says is no evidence of what it does.
    tool.kind = "act" if tool.kind == "constant" else "write"
    tool.loose = False
    tool.evidence["suspected"] = why


def _impostors(found: Mapping[str, Evidence], readers: frozenset[str]) -> set[str]:
    """Readers that explain changes which no known writer explains as well."""

    def favour(tool: str) -> float:
        return 1.0 if tool in readers else FAVOUR

    out: set[str] = set()
    for name, evidence in found.items():
        events = () if evidence.is_restless else evidence.events
        for suspect, explained in evidence.blamed(events, favour):
            # One odd episode convicts nobody, and one call of its own nobody who says that it looks.
            odd = frozenset.intersection(*(one.episodes for one in explained))
            if suspect[0] not in readers or odd:
                continue
            calls = {one.key for one in explained}
            looks = suspect[0] == name and evidence.stated.get(name, 0.0) < 0
            several = len(calls if looks else explained) > 1
            often = evidence.rates_of(explained)[suspect] >= MIN_RATE
            if len(calls) >= MIN_MYSTERIES or (several and often):
                out.add(suspect[0])
    return out


def _is_local(found: Mapping[str, Evidence]) -> bool:
    """Whether in many equal calls nothing was ever changed by a call that shares no name with it: ids say it all."""
    if any(not near for e in found.values() for _, near in e.convicted):
        return False
    return sum(len(e.alike) for e in found.values()) >= MIN_LOCAL
