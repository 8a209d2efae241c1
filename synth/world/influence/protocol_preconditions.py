"""Protocol preconditions: what a tool says, whatever it is asked, as long as nobody called what has to come first.

Comes from observations of a backend that starts afresh with every episode. Sets `early` per tool: a text, the tools that came before
every other answer (`without`), those that came before this text and did not matter (`beside`), and those that seem to undo the
first (`undone_by`). Tools that say the same text tell of each other what does not matter. What several of them say before `without` is taken
to hold for every tool that may change something and was never seen to answer earlier. Arguments that other refusals are about have
to be in order (`only`): else another refusal may come first. Not here: conditions over arguments and records (`refusals.guards`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from environments.runtime.answers.protocol_preconditions import pair_of
from environments.runtime.document.tools import EarlyPart
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import simplify, stable
from synth.world.document import holds_withheld
from synth.world.grouping import sets_by_key
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import Observation
from synth.world.support import SEEN_THRICE, SEEN_TWICE

MIN_CALLS: Final = SEEN_THRICE
"""Different calls that were told the text with nothing before them that may matter."""
MIN_TASKS: Final = SEEN_THRICE
"""Tasks in which the tool said something else, and tasks with calls that were told the text; each tool that tells it counts."""
MIN_TOLD: Final = SEEN_TWICE
"""Tasks with such calls, whatever the tools."""
MIN_TELLERS: Final = SEEN_THRICE
"""Tools that tell one text, before others that never did anything without what comes first are taken to tell it too."""
MIN_PAIRS: Final = SEEN_THRICE
"""Values of an argument, each taken with one value of another only, before the two have to go together."""
MAX_VALUES: Final = 400
"""Values of one argument that the world file lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One recorded call."""

    seen: Observation
    past: tuple[str, ...]
    """The tools that had changed something before it, or may have, in order."""
    personal: bool
    """It was refused in words that say what it asked for: they are about that, and not for everybody."""

    def tools_since(self, first: frozenset[str]) -> frozenset[str]:
        """The tools after the last of some."""
        at = max((i for i, name in enumerate(self.past) if name in first), default=-1)
        return frozenset(self.past[at + 1 :])


Answers = dict[str, dict[str, list[Call]]]
"""Per tool and text of its answers: the calls that were answered so."""

Taken = dict[str, dict[str, set[str]]]
"""Per argument and tool: values that the tool took."""


def learn_early(bench: Workbench) -> None:
    """Set the early answers of every tool."""
    if bench.living or bench.own_starts:
        # What holds for everybody at first is not known where each begins otherwise.
        return
    answers = _answers(bench)
    checked, taken = _checked_arguments(bench), _taken_values(bench)
    shared = _shared_refusals(bench, answers)
    for name, said in sorted(answers.items()):
        tool = bench.tools[name]
        if tool.restless or tool.kind in {"pure", "constant"}:
            continue
        refusals = [text for text, calls in said.items() if refused(tool, calls[0].seen)]
        others = () if tool.innocent else sorted(shared.keys() - said.keys())
        for text in (*refusals, *others):
            law = _law(bench, tool, text, answers, shared.get(text))
            if law is None or holds_withheld(text):
                continue
            mine = said.get(text, ())
            only = _known_values(checked | _unnamed(tool, text), mine, taken, tool)
            if only is not None:
                pairs = _known_pairs(bench, only, mine)
                tool.early.append(replace(law, only=only, together=pairs))
    _note_harmless(bench, shared)


def _shared_refusals(bench: Workbench, answers: Answers) -> dict[str, frozenset[str]]:
    """Refusals that several tools give, with the tools that came before all other answers of each of them."""
    pasts: dict[str, dict[str, list[frozenset[str]]]] = defaultdict(dict)
    for name, said in answers.items():
        for text, told in said.items():
            if refused(bench.tools[name], told[0].seen):
                pasts[text][name] = [frozenset(c.past) for c in _other_answers(said, text)]
    firsts: dict[str, frozenset[str]] = {}
    for text, by_tool in pasts.items():
        if len(by_tool) >= MIN_TELLERS and any(by_tool.values()):
            first = frozenset.intersection(*(past for found in by_tool.values() for past in found))
            early = (frozenset(c.past) for said in answers.values() for c in said.get(text, ()))
            # What came before this text each time as well makes no difference.
            firsts[text] = first - frozenset.intersection(*early)
    return {text: first for text, first in firsts.items() if first}


def _note_harmless(bench: Workbench, shared: Iterable[str]) -> None:
    """What needs the same to come first does not take its place, nor does what says that it looks."""
    looks = frozenset(name for name, tool in bench.tools.items() if tool.stated < 0)
    for text in shared:
        saying = {n for n, t in bench.tools.items() if any(e.says == text for e in t.early)}
        for name in saying:
            bench.tools[name].early = [
                replace(e, beside=e.beside | ((looks | saying) - e.without))
                if e.says == text
                else e
                for e in bench.tools[name].early
            ]


def _other_answers(said: Mapping[str, list[Call]], text: str) -> list[Call]:
    """Other answers of a tool; a refusal that names what was asked for may come first: `only` keeps to what is in order."""
    return [c for other, calls in said.items() if other != text for c in calls if not c.personal]


def _law(
    bench: Workbench,
    tool: ToolModel,
    text: str,
    answers: Answers,
    shared: frozenset[str] | None,
) -> EarlyPart | None:
    """What came before all other answers, where this text was told often enough without it.

    `shared`: what came first for several tools that tell the text. It holds for a tool that was never told it, too.
    """
    told = [c for said in answers.values() for c in said.get(text, ())]
    others = _other_answers(answers[tool.name], text)
    if not _is_told_to_all(bench, text, answers) or not others:
        return None
    always = frozenset.intersection(*(frozenset(c.past) for c in others)) - {tool.name}
    is_shared = shared is not None and shared <= always
    if not is_shared and text not in answers[tool.name]:
        return None
    least = 1 if is_shared and text in answers[tool.name] else MIN_TASKS
    if len({_task(bench, c) for c in others}) < least:
        return None
    first = shared if shared is not None and is_shared else always
    beside = _telling_tools(told, others, first)
    early = [c for c in told if beside.issuperset(c.past)]
    without = first or frozenset[str]().union(*(c.past for c in others)) - beside
    asks = any(seen.arguments for seen in tool.observations)
    calls = {(c.seen.tool, c.seen.key) for c in early}
    if (
        not without
        or any(beside.issuperset(c.past) for c in others)
        or (not is_shared and all(c.seen.tool != tool.name for c in early))
        or not _has_witnesses(bench, early)
        or (asks and len(calls) < MIN_CALLS)
    ):
        return None
    return EarlyPart(
        says=text,
        without=without,
        beside=beside,
        undone_by=_undone(first, text, told, answers),
        calls=len(calls),
        tasks=len({_task(bench, c) for c in early}),
    )


def _is_told_to_all(bench: Workbench, text: str, answers: Answers) -> bool:
    """Whether a text is about nothing that a call asks for, and no tool that tells it got by without anything before."""
    saying = [said for said in answers.values() if text in said]
    told = [c for said in saying for c in said[text]]
    return (
        not any(_escapes(bench, said) for said in saying)
        and not any(c.personal for c in told)
        and _has_witnesses(bench, told)
    )


def _has_witnesses(bench: Workbench, told: Sequence[Call]) -> bool:
    """Whether calls of several tasks were told a text; the attempts at one task leave the same call out, whichever tools lack it."""
    by_tool = {(_task(bench, c), c.seen.tool) for c in told}
    return len(by_tool) >= MIN_TASKS and len({task for task, _ in by_tool}) >= MIN_TOLD


def _task(bench: Workbench, call: Call) -> str:
    return bench.histories[call.seen.episode].task


def _escapes(bench: Workbench, said: dict[str, list[Call]]) -> bool:
    """Whether a tool did what it was asked with nothing before it: what it says at other times is about something else."""
    return any(not c.past and not bench.refused(c.seen) for calls in said.values() for c in calls)


def _names_argument(seen: Observation) -> bool:
    words = {w for w in re.split(r"[^\w-]+", seen.content) if w}
    return any(
        v in seen.content if isinstance(v, str) and not v.isalnum() else str(v) in words
        for v in leaves(seen.arguments)
        if isinstance(v, str | int) and str(v)
    )


def _telling_tools(
    told: Iterable[Call], others: Sequence[Call], always: frozenset[str]
) -> frozenset[str]:
    """Tools that came before the text, all of which together came before no other answer."""
    out: frozenset[str] = frozenset()
    for past in sorted({frozenset(c.past) for c in told}, key=lambda p: (len(p), sorted(p))):
        more = out | past
        if always.isdisjoint(past) and not any(more.issuperset(c.past) for c in others):
            out = more
    return out


def _undone(
    first: frozenset[str], text: str, told: Sequence[Call], answers: Answers
) -> frozenset[str]:
    """Tools after which the text came back, and after which nothing else was said by those who say it."""
    if not first:
        return first
    back = [c.tools_since(first) for c in told if not first.isdisjoint(c.past)]
    fine = [
        c.tools_since(first)
        for said in answers.values()
        if text in said
        for other, calls in said.items()
        if other != text
        for c in calls
        if not c.personal and not first.isdisjoint(c.past)
    ]
    return frozenset[str]().union(*back) - frozenset[str]().union(*fine)


def _answers(bench: Workbench) -> Answers:
    out: Answers = defaultdict(lambda: defaultdict(list))
    for _, seen, past in bench.with_pasts(bench.has_changed):
        personal = bench.refused(seen) and _names_argument(seen)
        call = Call(seen=seen, past=tuple(o.tool for o in past), personal=personal)
        out[seen.tool][seen.content].append(call)
    return out


# -- other refusals that may come first ------------------------------------------------------------


def _checked_arguments(bench: Workbench) -> set[str]:
    """Arguments whose values some tool's refusal names: it may come first where such a value is wrong."""
    return {
        name
        for tool in bench.tools.values()
        for seen in tool.observations
        if refused(tool, seen)
        for name, value in seen.arguments.items()
        if str(value) and str(value) in _words(seen.content)
    }


def _unnamed(tool: ToolModel, text: str) -> set[str]:
    """All arguments of a tool with other refusals that name none: any may be what they are about."""
    names = {n for seen in tool.observations for n in seen.arguments}
    for seen in tool.observations:
        if seen.content != text and refused(tool, seen):
            words = _words(seen.content)
            if not any(str(v) in words for v in seen.arguments.values()):
                return names
    return set()


def _words(text: str) -> set[str]:
    return {*text.split(), *(w.strip(".,;:!?()\"'") for w in text.split())}


def _taken_values(bench: Workbench) -> Taken:
    """Values that tools took, unless an earlier call of the episode had made them."""
    out: Taken = defaultdict(lambda: defaultdict(set))
    for history in bench.histories:
        made: set[str] = set()
        for seen in history.observations:
            if bench.refused(seen):
                continue
            for name, value in seen.arguments.items():
                if stable(simplify(value)) not in made:
                    out[name][seen.tool].add(stable(simplify(value)))
            if bench.has_changed(seen):
                given = {stable(simplify(v)) for v in leaves(seen.arguments)}
                made |= {stable(simplify(v)) for v in leaves(seen.value)} - given
    return out


def _known_values(
    names: set[str], told: Iterable[Call], taken: Taken, tool: ToolModel
) -> dict[str, frozenset[str]] | None:
    """The values of checked arguments that are known to be in order; None where they are too many to say."""
    given = [c.seen.arguments for c in told]
    out = {}
    for name in sorted(names & {n for seen in tool.observations for n in seen.arguments}):
        mine = taken[name][tool.name] | {stable(simplify(a[name])) for a in given if name in a}
        # Other tools may mean other things by the name: an `id` of an order, and of a user.
        alike = (values for values in taken[name].values() if not mine.isdisjoint(values))
        out[name] = frozenset(mine.union(*alike))
    return out if all(len(values) <= MAX_VALUES for values in out.values()) else None


def _known_pairs(
    bench: Workbench, only: Mapping[str, frozenset[str]], told: Iterable[Call]
) -> dict[str, frozenset[str]]:
    """By two checked arguments joined by a comma: the pairs of values that some tool took, or that this text answered.

    Where each value of one was taken with one value of the other only, as lines with their customers: both in order, they
    are refused together with somebody else's.
    """
    out: dict[str, frozenset[str]] = {}
    taken = [seen.arguments for tool in bench.tools.values() for seen in tool.good()]
    mine = [call.seen.arguments for call in told]
    for first, second in permutations(sorted(only), 2):
        held = sets_by_key(
            (stable(simplify(given[first])), stable(simplify(given[second])))
            for given in taken
            if first in given and second in given
        )
        owners = {owner for owned in held.values() for owner in owned}
        if len(held) < MIN_PAIRS or len(owners) < 2 or any(len(o) > 1 for o in held.values()):
            continue
        pairs = {pair_of((first, second), given) for given in (*taken, *mine)} - {None}
        if len(pairs) <= MAX_VALUES:
            out[f"{first},{second}"] = frozenset(map(str, pairs))
    return out
