"""Who never says how it went: episodes with and without an outcome, by agent, by intent, and by user.

Comes in: an app's clean episodes, labels and the tools that change something. Goes out: `Missing` rows of the report. Users are counted,
never named; a group of fewer than `LEAST_USERS` users is counted together with the other small ones.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from dagster_project.report.data.arrivals import Missing
from environments.runtime.values.grouping import by_key
from environments.runtime.views.multiplexed import EMPTY, Dispatched
from redact.records.clean_episode import CleanEpisode
from synth.failures.calls import read_calls
from synth.failures.named_parts import named_by_part
from synth.labels.label import Label

LEAST_USERS: Final = 5
"""Distinct users behind a group before it is shown by itself."""
MOST_TOOLS: Final = 3
"""Tools named in an intent; the others are counted."""
SMALL: Final = "smaller groups together"


def feedback_gaps(
    app: str,
    episodes: Sequence[CleanEpisode],
    labels: Mapping[str, Label],
    changing: Collection[str],
    parts: Dispatched = EMPTY,
) -> tuple[Missing, ...]:
    """All episodes of an app, its users, its agents, and what its users wanted; the largest groups without a word first."""
    spoken = {key for key, label in labels.items() if label.resolved is not None}
    return (
        _row(app, "all", episodes, spoken),
        *_users(app, episodes, spoken),
        *_groups(app, episodes, spoken, lambda one: f"agent {one.agent}" if one.agent else ""),
        *_groups(app, episodes, spoken, lambda one: _intent(one, changing, parts)),
    )


def _row(
    app: str, group: str, episodes: Sequence[CleanEpisode], spoken: Collection[str]
) -> Missing:
    labelled = sum(one.episode_id in spoken for one in episodes)
    return Missing(app=app, group=group, episodes=len(episodes), labelled=labelled)


def _users(
    app: str, episodes: Sequence[CleanEpisode], spoken: Collection[str]
) -> Iterator[Missing]:
    """How many users ever gave an outcome."""
    users = {one.subject for one in episodes if one.subject}
    heard = {one.subject for one in episodes if one.subject and one.episode_id in spoken}
    if len(users) >= LEAST_USERS:
        yield Missing(
            app=app, group="users", episodes=len(users), labelled=len(heard), unit="users"
        )


def _groups(
    app: str,
    episodes: Sequence[CleanEpisode],
    spoken: Collection[str],
    name_of: Callable[[CleanEpisode], str],
) -> Iterator[Missing]:
    groups = by_key((name, one) for one in episodes if (name := name_of(one)))
    if len(groups) < 2:
        return
    small = [n for n, group in groups.items() if _people(group) < LEAST_USERS]
    rest = [one for name in small for one in groups.pop(name)]
    rows = [_row(app, name, group, spoken) for name, group in sorted(groups.items())]
    yield from sorted(rows, key=lambda row: (row.labelled - row.episodes, row.group))
    if rest and groups:
        yield _row(app, SMALL, rest, spoken)


def _people(group: Sequence[CleanEpisode]) -> int:
    """Distinct users; episodes that do not say whose they are count as one user each."""
    return len({one.subject or one.episode_id for one in group})


def _intent(one: CleanEpisode, changing: Collection[str], parts: Dispatched) -> str:
    """What the episode set out to change, as far as its calls show it."""
    called = {call.name for call in named_by_part(read_calls(one), parts)}
    tools = sorted(called & set(changing))
    if not tools:
        return "no change made"
    more = len(tools) - MOST_TOOLS
    named = ", ".join(tools[:MOST_TOOLS])
    return f"{named} and {more} more" if more > 0 else named
