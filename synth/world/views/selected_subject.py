"""Selected subject: tools that answer for what was last named to another tool (an account, a folder, a branch).

Comes in: observations. Comes out: per such tool the choosing tool and its argument. Their calls get what was chosen as an argument, in
place. A choice replaces the one before it, and what an earlier choice named does not matter any more: that tells a choice from a
call that changes a record. Not here: the session's own choices (`environments.runtime.views.selected_subject`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import stable
from environments.runtime.views.implicit_subject import SUBJECT
from environments.runtime.views.selected_subject import CHOSEN, Choice, chosen_name
from synth.world.grouping import lists_by_key
from synth.world.model import refused
from synth.world.observation import History, Observation, by_tool
from synth.world.schema.outcomes import tool_of
from synth.world.support import (
    HALF_OF_CASES,
    SEEN_SEVERAL_TIMES,
    SEEN_THRICE,
    USUALLY,
    Support,
    accept,
    accept_counts,
)
from synth.world.views.implicit_subject import changing, share_in_common

MIN_PAIRS: Final = SEEN_SEVERAL_TIMES
"""Equal calls after different choices, answered otherwise; and as many after equal choices, answered alike."""
MIN_SHARE: Final = HALF_OF_CASES
MIN_ALIKE: Final = USUALLY
"""Share of these: what was chosen may be changed as well."""
MIN_AGAIN: Final = SEEN_THRICE
"""Of those alike: where one of the two had another choice before its last."""
MOST_SHARED: Final = HALF_OF_CASES
"""Mean share of values, the chosen ones apart, that answers after different choices have in common."""
MAX_EXAMPLES: Final = 40
"""Of one call, after one choice and after several: learning stays linear in the number of episodes."""


@dataclass(slots=True)
class _Pairs:
    """Equal calls, compared by what was chosen before them."""

    otherwise: int = 0
    same: int = 0
    """After different choices."""
    shared: float = 0.0
    alike: Counter[bool] = field(default_factory=Counter)
    """After equal choices, whether the answers were equal."""
    again: Counter[bool] = field(default_factory=Counter)
    """Of these, where one had another choice before."""

    @property
    def decides(self) -> bool:
        """Whether the choice decides, and the last one alone."""
        otherwise = Support(cases=self.otherwise, against=self.same)
        return (
            accept(otherwise, least=MIN_PAIRS, share=MIN_SHARE)
            and accept_counts(self.alike, least=MIN_PAIRS, share=MIN_ALIKE)
            and accept_counts(self.again, least=MIN_AGAIN, share=MIN_ALIKE)
            and self.shared <= MOST_SHARED * self.otherwise
        )


@dataclass(frozen=True, slots=True)
class _CallWithChoices:
    """A call, with the last value of each choice before it and the choices that had had another one."""

    seen: Observation
    last: Mapping[Choice, Json]
    turned: frozenset[Choice]


def choose(histories: Sequence[History]) -> dict[str, Choice]:
    """Give what was chosen to the calls of tools that answer for it; says which choice each tool has."""
    groups = lists_by_key(
        ((met.seen.tool, met.seen.key), met) for met in _calls_with_choices(histories)
    )
    pairs: dict[tuple[str, Choice], _Pairs] = defaultdict(_Pairs)
    for (tool, _), group in groups.items():
        if len({met.seen.content for met in group}) > 1:
            for left, right in combinations(_bounded_examples(group), 2):
                for choice in left.last.keys() & right.last.keys():
                    if choice[0] != tool:
                        _compare(pairs[tool, choice], left, right, choice)
    found: dict[str, Choice] = {}
    for (tool, choice), counted in sorted(pairs.items(), key=lambda p: -p[1].otherwise):
        if counted.decides:
            found.setdefault(tool, choice)
    choosing = {choice[0] for choice in found.values()}
    found = {tool: choice for tool, choice in found.items() if tool not in choosing}
    _give(histories, found)
    for choice in sorted(set(found.values())):
        readers = {tool for tool, own in found.items() if own == choice}
        more = changing(histories, readers) - choosing - found.keys()
        _give(histories, dict.fromkeys(more, choice))
        found |= dict.fromkeys(more, choice)
    return found


def _calls_with_choices(histories: Sequence[History]) -> Iterator[_CallWithChoices]:
    """Every call with the choices before it."""
    models = {name: tool_of(name, seen) for name, seen in by_tool(histories).items()}
    alone = {n: _only_argument(model.observations) for n, model in models.items()}
    for history in histories:
        last: dict[Choice, Json] = {}
        turned: frozenset[Choice] = frozenset()
        for seen in history.observations:
            yield _CallWithChoices(seen, dict(last), turned)
            if refused(models[seen.tool], seen):
                continue
            name = alone[seen.tool]
            value = None if name is None else seen.arguments.get(name)
            if name is not None and isinstance(value, str | int):
                choice = (seen.tool, name)
                turned |= {choice} if last.get(choice, value) != value else frozenset()
                last[choice] = value


def _only_argument(observations: Sequence[Observation]) -> str | None:
    """The one argument of a tool that takes no other: what takes more says what is to be done, not what is meant."""
    names = {name for seen in observations for name in seen.arguments} - {SUBJECT, CHOSEN}
    values = [value for seen in observations for value in seen.arguments.values()]
    return names.pop() if len(names) == 1 and not any(isinstance(v, bool) for v in values) else None


def _bounded_examples(group: Sequence[_CallWithChoices]) -> list[_CallWithChoices]:
    """Examples after a choice and after several, of both up to a bound."""
    once = [met for met in group if met.last and not met.turned]
    again = [met for met in group if met.turned]
    return [*once[:MAX_EXAMPLES], *again[:MAX_EXAMPLES]]


def _compare(into: _Pairs, left: _CallWithChoices, right: _CallWithChoices, choice: Choice) -> None:
    same = left.seen.content == right.seen.content
    one, other = left.last[choice], right.last[choice]
    if one == other:
        into.alike[same] += 1
        if (choice in left.turned) is not (choice in right.turned):
            into.again[same] += 1
    elif same:
        into.same += 1
    else:
        into.otherwise += 1
        chosen = {str(one), str(other)}
        mine, theirs = _values(left.seen, chosen), _values(right.seen, chosen)
        into.shared += share_in_common(mine, theirs, nothing=1.0)


def _values(seen: Observation, chosen: set[str]) -> Counter[str]:
    """The words that an answer says beside the chosen values: a mark at what is chosen is no other answer."""
    words = (word for leaf in leaves(seen.value) for word in stable(leaf).strip('"').split())
    return Counter(word for word in words if word not in chosen)


def _give(histories: Sequence[History], choices: Mapping[str, Choice]) -> None:
    if not choices:
        return
    for met in list(_calls_with_choices(histories)):
        choice = choices.get(met.seen.tool)
        if choice is not None:
            seen = met.seen
            seen.put_arguments({**seen.arguments, CHOSEN: chosen_name(met.last.get(choice))})
