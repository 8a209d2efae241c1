"""The names of calls to tools that are several, for people: the part that is meant, where enough users' calls meant it.

Comes in: clean episodes of an app. Goes out: rules that give calls of `orders(action="cancel")` the name `orders[action=cancel]`. The value in such a
name is an argument's, so below k distinct users a call keeps its tool's own name. Not here: how such tools are found (`synth.world.multiplexed.operations`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from environments.runtime.values.literals import parse_arguments
from environments.runtime.views.multiplexed import Dispatched
from redact.records.clean_episode import CleanEpisode
from synth.failures.calls import SeenCall
from synth.world.multiplexed.operations import learn_dispatched
from synth.world.observation import by_tool, histories
from synth.world.stated_effects import stated_effects


def learn_named_parts(episodes: Sequence[CleanEpisode], *, k: int) -> Dispatched:
    """The parts that calls of at least k users meant."""
    seen = histories(episodes)
    rules = learn_dispatched(seen, stated_effects(episodes, by_tool(seen)))
    users: dict[str, set[str]] = defaultdict(set)
    for history in seen:
        for call in history.observations:
            users[call.tool].add(history.subject)
    return Dispatched(
        {
            tool: replace(rule, parts={n: p for n, p in rule.parts.items() if len(users[n]) >= k})
            for tool, rule in rules.items()
        }
    )


def named_by_part(calls: Sequence[SeenCall], parts: Dispatched) -> tuple[SeenCall, ...]:
    """Calls under the names of the parts that they mean; what they were called with stays."""
    return tuple(_name_part(call, parts) for call in calls) if parts else tuple(calls)


def _name_part(call: SeenCall, parts: Dispatched) -> SeenCall:
    arguments = parse_arguments(call.arguments)
    meant = parts.meaning_of(call.name, arguments) if arguments is not None else None
    return call if meant is None else replace(call, name=meant.tool)
