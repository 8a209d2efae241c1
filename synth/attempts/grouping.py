"""Which episodes are attempts at one task.

In: an app's recorded episodes and its tool kinds. Out: groups. The same `task_key` says so outright. Without one, two
episodes are joined only if they are about the same subject, tried the same writes on the same entities, and nothing
else: the effects asked for, not the wording. Where nobody says whom an episode is about, two are joined that begin with
the same request of several words, as harnesses ask it several times. A doubtful join is not made; an episode that joins
nobody is a group of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from environments.runtime.checks.view import View, numbers_in, text_of
from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import names_in
from environments.runtime.values.normal import stable
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.tool_kinds import MAYBE, WRITE, ToolKinds

MIN_WORDS: Final = 8
"""Words of a request that two users hardly say alike by chance."""
Goal = tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]
"""Subject, then each tool that was tried with the entities it named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Attempts at one task, in order of time."""

    records: tuple[EpisodeAttempt, ...]
    joined_by: str
    """`task_key`, `goal`, `request`, `later` or `alone`."""
    start: EpisodeAttempt | None = None
    """The attempt that shows the world as the task begins; None: the anchor."""

    @property
    def anchor(self) -> EpisodeAttempt:
        """The episode that names the task: the earliest, so that later attempts never rename it."""
        return self.records[0]

    @property
    def begins(self) -> EpisodeAttempt:
        """The attempt at whose start the task begins."""
        return self.start or self.anchor

    @property
    def task_key(self) -> str | None:
        """What the source calls the request."""
        return self.anchor.episode.task_key


def join_attempts(records: Sequence[EpisodeAttempt], kinds: ToolKinds) -> list[Group]:
    """Group an app's episodes; every episode is in exactly one group."""
    keyed: dict[tuple[str, str], list[EpisodeAttempt]] = {}
    goals: dict[Goal, list[EpisodeAttempt]] = {}
    requests: dict[str, list[EpisodeAttempt]] = {}
    alone: list[Group] = []
    for recorded in sorted(records, key=_start_key):
        episode = recorded.episode
        goal = goal_of(recorded, kinds)
        if episode.task_key is not None:
            keyed.setdefault((episode.app, episode.task_key), []).append(recorded)
        elif goal is not None:
            goals.setdefault(goal, []).append(recorded)
        elif (request := request_of(recorded)) is not None:
            requests.setdefault(request, []).append(recorded)
        else:
            alone.append(Group(records=(recorded,), joined_by="alone"))
    groups = [Group(records=tuple(g), joined_by="task_key") for g in keyed.values()]
    groups += [
        Group(records=tuple(g), joined_by="goal" if len(g) > 1 else "alone")
        for bucket in goals.values()
        for g in _by_wish(bucket, kinds)
    ]
    groups += [
        Group(records=tuple(g), joined_by="request" if len(g) > 1 else "alone")
        for g in requests.values()
    ]
    return sorted(groups + alone, key=lambda group: _start_key(group.anchor))


def request_of(recorded: EpisodeAttempt) -> str | None:
    """What an episode begins with, the instructions and the request; None where it is about somebody or says little."""
    said = takewhile(lambda one: one.get("role") in {"system", "user"}, recorded.attempt.messages)
    opening = [(str(one.get("role")), text_of(one).strip()) for one in said]
    words = sum(len(text.split()) for role, text in opening if role == "user")
    if recorded.episode.subject is not None or words < MIN_WORDS:
        return None
    return stable([[role, text] for role, text in opening])


def _by_wish(bucket: Sequence[EpisodeAttempt], kinds: ToolKinds) -> list[list[EpisodeAttempt]]:
    """Attempts with one goal, apart where their users asked for different values (two dates for one booking)."""
    asked: dict[tuple[str, str], set[str | float]] = {}
    for recorded in bucket if len(bucket) > 1 else ():
        said = _user_text(recorded)
        for call in recorded.attempt.calls:
            if call.name in {*kinds.tools_of(WRITE), *kinds.tools_of(MAYBE)}:
                for name, value in call.arguments.items():
                    wish = value.casefold() if isinstance(value, str) else value
                    if isinstance(wish, str | int | float) and _names(said, wish):
                        asked.setdefault((call.name, name), set()).add(wish)
    rivals = {value for values in asked.values() if len(values) > 1 for value in values}
    parts: dict[frozenset[str | float], list[EpisodeAttempt]] = {}
    for recorded in bucket:
        said = _user_text(recorded) if rivals else ""
        parts.setdefault(frozenset(v for v in rivals if _names(said, v)), []).append(recorded)
    return list(parts.values())


def _names(said: str, wish: str | float) -> bool:
    return wish in said if isinstance(wish, str) else wish in numbers_in(said)


def _user_text(recorded: EpisodeAttempt) -> str:
    """All that the users of an episode said, folded."""
    messages = recorded.attempt.messages
    return "\n".join(text_of(m) for m in messages if m.get("role") == "user").casefold()


def goal_of(recorded: EpisodeAttempt, kinds: ToolKinds) -> Goal | None:
    """What an episode set out to change, for whom; None where nobody can say."""
    subject = recorded.episode.subject
    if subject is None:
        return None
    changing = set(kinds.tools_of(WRITE)) | set(kinds.tools_of(MAYBE))
    tried: set[tuple[str, tuple[str, ...]]] = set()
    calls = View(recorded.attempt).normal_calls(kinds.ignore())
    for call in calls:
        if call.tool in changing:
            arguments = recorded.attempt.calls[call.index].arguments
            named: Json = dict(arguments)
            tried.add((call.tool, tuple(sorted(n.casefold() for n in names_in(named)))))
    if not tried or not all(names for _, names in tried):
        return None
    return subject, tuple(sorted(tried))


def _start_key(recorded: EpisodeAttempt) -> tuple[int, str]:
    return recorded.episode.started_at, recorded.episode.episode_id
