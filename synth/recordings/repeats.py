"""What an equal call does when it is made once more in an attempt: the same again, or nothing more.

In: the recorded attempts of an app, and what its tools are. Out: per tool that changes something, how probably a second equal call changes
something more. Recordings of such calls say it of their tool: a refusal changes nothing, a new id is a new thing. Few agents make a change
twice, so a tool without any leans on the others of its app, and on what tools of invented backends do
(`python -m benchmarks repeats`): what is noted down, said or sent a second time nearly always stands there twice. Not here: how a
verdict uses it (`end_state`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.answers.recall import least_confidence
from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.values.canonical import canonical
from environments.runtime.values.facts import facts_in
from environments.runtime.views.multiplexed import words_of_part
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.tool_kinds import WRITE, ToolKinds
from synth.verbs import tool_words

NOTED: Final = frozenset(
    [
        "annotate",
        "annotation",
        "append",
        "comment",
        "email",
        "entry",
        "feedback",
        "journal",
        "log",
        "mail",
        "message",
        "note",
        "notify",
        "notification",
        "post",
        "remark",
        "reply",
        "sms",
        "tweet",
    ]
)
"""What is said or written down, as a verb or as a thing."""
PUT_DOWN: Final = frozenset({"add", "create", "insert", "leave", "make", "send", "submit", "write"})
"""Verbs after which a thing of `NOTED` is a new one: who updates a note writes no other."""
RECORDS: Final = frozenset({"record"})
"""The same as a verb only: a record is any thing."""
OF_NOTES: Final = 0.94
"""How probably a second equal call of a tool that notes something down changes something more, by the 8 of twenty invented backends (log 0197)."""
OF_OTHERS: Final = 0.35
"""The same of the 150 others: some count every call."""
TOOLS: Final = 6.0
"""Tools of an app that a prior counts as."""
TRIALS: Final = 0.5
"""Trials of one tool that the app's mean counts as: hardly any tool does now this, now that."""
OWN_KEYS: Final = 0.8
"""Share of its calls with an id of their own, from which on a tool is given the id of what it makes: it may refuse a second one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """What equal calls of an app's writers do once more, where it is sure enough."""

    once: tuple[str, ...] = ()
    """Tools of which a second one changes nothing more."""
    again: tuple[str, ...] = ()
    """Tools of which each one changes something."""

    def with_once(self, names: Iterable[str]) -> Repeats:
        """The same with more tools of which a second call changes nothing more, unless recordings say otherwise."""
        return replace(self, once=tuple(sorted({*self.once, *names} - {*self.again})))


def repeats_of(records: Sequence[EpisodeAttempt], kinds: ToolKinds, *, risk: float) -> Repeats:
    """The writers of which it is sure enough at this risk."""
    found, least = changes_again(records, kinds), least_confidence(risk)
    return Repeats(
        once=tuple(sorted(name for name, p in found.items() if p < 0.5 and 1.0 - p >= least)),
        again=tuple(sorted(name for name, p in found.items() if p >= max(0.5, least))),
    )


def changes_again(records: Sequence[EpisodeAttempt], kinds: ToolKinds) -> dict[str, float]:
    """Per writer, how probably a second equal call changes something more; of those left out nobody knows."""
    names = kinds.tools_of(WRITE)
    trials: dict[str, list[bool]] = defaultdict(list)
    for tool, changed in _trials(records, frozenset(names), kinds):
        trials[tool].append(changed)
    keyed = _naming_tools(records)
    means = _means(trials)
    return {
        name: (TRIALS * means[notes_down(name)] + sum(trials[name])) / (TRIALS + len(trials[name]))
        for name in names
        if trials[name] or (notes_down(name) and name not in keyed)
    }


def notes_down(name: str) -> bool:
    """Whether a tool's name says that it says something or writes something down."""
    words = next((w for value in words_of_part(name) if (w := tool_words(value))), [])
    first, later = set(words[:1]), set(words[1:])
    return bool(first & (NOTED | RECORDS)) or bool(first & PUT_DOWN and later & NOTED)


def _means(trials: Mapping[str, Sequence[bool]]) -> dict[bool, float]:
    """By whether tools note something down: the app's mean, leaning on that of invented backends."""
    out = {}
    for notes, prior in ((True, OF_NOTES), (False, OF_OTHERS)):
        shares = [sum(t) / len(t) for name, t in trials.items() if t and notes_down(name) is notes]
        out[notes] = (TOOLS * prior + sum(shares)) / (TOOLS + len(shares))
    return out


def _trials(
    records: Sequence[EpisodeAttempt], names: frozenset[str], kinds: ToolKinds
) -> Iterator[tuple[str, bool]]:
    """Tools called again with equal arguments after a success, and whether that changed something more, where it shows."""
    ignore = {name: tool.authored for name, tool in kinds.tools.items()}
    for recorded in records:
        made: set[tuple[str, str]] = set()
        shown: set[str | float] = set()
        for call in recorded.attempt.calls:
            said = _ids(call.result.content)
            if call.name in names and not call.malformed:
                key = (call.name, canonical_arguments(call.arguments, ignore[call.name]))
                if key in made and (call.result.is_error or said - shown):
                    yield call.name, not call.result.is_error
                made |= set() if call.result.is_error else {key}
            shown |= said | _ids(canonical(dict(call.arguments)))


def _naming_tools(records: Sequence[EpisodeAttempt]) -> frozenset[str]:
    """Tools whose calls give ids that no attempt had from anywhere else before: they name what they make."""
    first: dict[str | float, set[str]] = defaultdict(set)
    calls: list[tuple[str, set[str | float]]] = []
    for recorded in records:
        known: set[str | float] = set()
        for call in recorded.attempt.calls:
            given, shown = _ids(canonical(dict(call.arguments))), _ids(call.result.content)
            for name in given - known:
                first[name].add(call.name)
            for name in shown - given - known:
                first[name].add("")
            known |= given | shown
            if not call.result.is_error:
                calls.append((call.name, given))
    made = Counter(tool for tool, _ in calls)
    own = Counter(tool for tool, given in calls if any(first[i] == {tool} for i in given))
    return frozenset(tool for tool, count in made.items() if own[tool] >= OWN_KEYS * count)


def _ids(text: str) -> set[str | float]:
    return {reading for fact in facts_in(text) if fact.kind == "id" for reading in fact.readings}
