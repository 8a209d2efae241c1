"""Drift: tools that became other tools at one point in time, found before anything is learnt of them.

Comes from observations in normal form and from the tools' definitions; leaves the calls of an old version under a name of
their own (`name@1`), so that each version is learnt from its own calls and everything else from all. Three things may
change: what the definition says, the shape of arguments and results, and what the tool does (`drift_behaviour`). Not
here: which version a session meets (`environments.runtime.world.versions`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from environments.runtime.document.views import ChangePart, VersionPart
from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import (
    functions_by_name,
    parameters_of,
)
from environments.runtime.values.normal import as_object, stable
from redact.records.clean_episode import CleanEpisode
from synth.world.grouping import lists_by_key
from synth.world.observation import History, Observation, by_tool, every_call
from synth.world.schema.outcomes import tool_of
from synth.world.support import CHANCE_AMONG_SOME, SEEN_THRICE
from synth.world.time.change_points import Flag, Split, find_split
from synth.world.time.drift_behaviour import behaviour_changes

MIN_DEFINED: Final = SEEN_THRICE
"""Episodes on either side of a definition that changed: a definition is no sample, it says what it says."""
MIN_DEFINED_ODDS: Final = round(1 / CHANCE_AMONG_SOME)
MAX_DEPTH: Final = 4
"""How deep inside results the shape is looked at."""
MAX_TRAITS: Final = 400
"""Records with more paths than this are maps from ids, not records."""

Row = tuple[int, str, frozenset[str]]
"""When, of which task, and the traits that were there."""
MUST: Final = " must be given"
IS: Final = " is an argument"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that changed about one tool."""

    tool: str
    kind: str
    """`schema`, `shape` or `behaviour`."""
    says: str
    """In words, made of names of fields and arguments; never of values."""
    split: Split
    breaks: bool = True
    """Whether calls from before say nothing of calls after it; a definition may also say more of what was so before."""


@dataclass(slots=True, kw_only=True)
class Version:
    """The calls of a tool before one point in time."""

    tool: str
    name: str
    """Under which these calls are learnt."""
    until: int
    """The first moment at which the next version answered, or at which the episode began that called it then, ns."""
    seen: int
    """The last moment at which this version answered, ns: of the time in between nobody knows whose it is."""
    changes: list[Change] = field(default_factory=list)
    """What made the next version."""
    calls: int = 0

    @property
    def is_apart(self) -> bool:
        """Whether its calls are learnt from apart."""
        return any(change.breaks for change in self.changes)

    @property
    def reshaped(self) -> bool:
        """Whether its arguments or results look otherwise: its records are no rows of a newer version's table."""
        return any(change.kind == "shape" for change in self.changes)

    def part(self) -> VersionPart:
        """As the world file has it."""
        return VersionPart(
            tool=self.name if self.is_apart else self.tool,
            until=self.until,
            seen=self.seen,
            calls=self.calls,
            changes=tuple(
                ChangePart(kind=c.kind, says=c.says, before=c.split.before, after=c.split.after)
                for c in self.changes
            ),
        )


def split_versions(
    histories: Sequence[History], episodes: Sequence[CleanEpisode]
) -> dict[str, list[Version]]:
    """Per tool that drifted: its old versions, oldest first; calls of those that broke get the version's name, in place."""
    groups = by_tool(histories)
    found = [*schema_changes(episodes)]
    for name, group in sorted(groups.items()):
        shape = [*shape_changes(name, group, histories)]
        found += shape
        found += [
            Change(tool=name, kind="behaviour", says=says, split=split)
            for says, split in behaviour_changes(tool_of(name, group), histories)
            if not any(_meet(split, other.split) for other in shape)
        ]
    versions = _versions(found, frozenset(groups))
    for name, known in versions.items():
        for version in known:
            _from_the_start(version, groups[name], histories)
    for seen in every_call(histories):
        seen.tool = _version_name(versions.get(seen.tool, ()), seen)
    return versions


def schema_changes(episodes: Sequence[CleanEpisode]) -> Iterator[Change]:
    """Definitions that say one thing up to a point in time and another from then on, for one and the same agent."""
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for episode in episodes:
        for name, traits in definitions(episode.tools).items():
            row = (episode.started_at, episode.episode_id, traits)
            rows[name, episode.agent or ""].append(row)
    for (name, _), group in sorted(rows.items()):
        for trait, split in _turned(group, min_side=MIN_DEFINED, min_odds=MIN_DEFINED_ODDS):
            word = "now says" if split.appears else "no longer says"
            breaks = trait.endswith(MUST) or (not split.appears and trait.endswith(IS))
            yield Change(
                tool=name,
                kind="schema",
                says=f"the definition {word}: {trait}",
                split=split,
                breaks=breaks,
            )


def definitions(tools: Iterable[str]) -> dict[str, frozenset[str]]:
    """Per tool what its definition says about arguments: names, types, choices and which must be given."""
    return {
        name: frozenset(_schema_traits(parameters_of(function), "", 0))
        for name, function in functions_by_name(tools).items()
    }


def _schema_traits(schema: Mapping[str, Any], path: str, depth: int) -> Iterator[str]:
    required = schema.get("required")
    for argument in required if isinstance(required, list) else ():
        yield f"{path}{argument}{MUST}"
    properties: Mapping[str, Any] = as_object(schema.get("properties"))
    for argument, part in properties.items():
        yield f"{path}{argument}{IS}"
        if not isinstance(part, dict):
            continue
        yield f"{path}{argument} is of type {stable(part.get('type'))}"
        if isinstance(part.get("enum"), list):
            yield f"{path}{argument} has {len(part['enum'])} choices"
        if depth < MAX_DEPTH:
            items = part.get("items")
            inner = items if isinstance(items, dict) else part
            yield from _schema_traits(inner, f"{path}{argument}.", depth + 1)


def shape_changes(
    name: str, seen: Sequence[Observation], histories: Sequence[History]
) -> Iterator[Change]:
    """Arguments and fields of results that were always there up to a point in time and never after, or the reverse."""
    tool = tool_of(name, seen)
    given = [
        (s.at, histories[s.episode].task, frozenset(f"the argument {a}" for a in s.arguments))
        for s in seen
    ]
    shown = [
        (s.at, histories[s.episode].task, frozenset(_paths(s.value, "", 0)))
        for s in tool.good()
        if s.is_json
    ]
    for rows, what in ((given, "calls"), (shown, "results")):
        for trait, split in _turned(rows):
            word = "now have" if split.appears else "no longer have"
            yield Change(tool=name, kind="shape", says=f"{what} {word} {trait}", split=split)


def _turned(rows: Sequence[Row], **bars: int) -> Iterator[tuple[str, Split]]:
    """Traits that turn once, with their split."""
    traits = sorted({trait for _, _, held in rows for trait in held})
    if len(traits) > MAX_TRAITS:
        return
    for trait in traits:
        flags = [Flag(at=at, task=task, held=trait in held) for at, task, held in rows]
        split = find_split(flags, **bars)
        if split is not None:
            yield trait, split


def _paths(value: Json, under: str, depth: int) -> Iterator[str]:
    """Paths of the fields of a result with the kind of value; inside lists all elements count as one."""
    if isinstance(value, dict) and depth < MAX_DEPTH:
        for name, item in value.items():
            path = f"{under}.{name}" if under else name
            yield f"the field {path}"
            if item is not None and not isinstance(item, dict | list):
                yield f"{path} as {_kind(item)}"
            yield from _paths(item, path, depth + 1)
    elif isinstance(value, list) and depth < MAX_DEPTH:
        for item in value[:20]:
            yield from _paths(item, under + "[]", depth + 1)


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "a truth value"
    return "a number" if isinstance(value, int | float) else "a text"


def _versions(found: Iterable[Change], taken: frozenset[str]) -> dict[str, list[Version]]:
    """Changes of one tool at one time make one version; the order of time numbers them."""
    by_name = lists_by_key((change.tool, change) for change in found)
    out: dict[str, list[Version]] = {}
    for name, changes in sorted(by_name.items()):
        if name not in taken:
            continue
        changes.sort(key=lambda c: (c.split.first_new, c.kind, c.says))
        versions: list[Version] = []
        for change in changes:
            if versions and _meet(versions[-1].changes[-1].split, change.split):
                versions[-1].changes.append(change)
                versions[-1].until = min(versions[-1].until, change.split.first_new)
                versions[-1].seen = max(versions[-1].seen, change.split.last_old)
            else:
                split = change.split
                label = f"{name}@{len(versions) + 1}"
                version = Version(tool=name, name=label, until=split.first_new, seen=split.last_old)
                version.changes.append(change)
                versions.append(version)
        out[name] = versions
    return out


def _from_the_start(
    version: Version, group: Sequence[Observation], histories: Sequence[History]
) -> None:
    """An episode meets one version, found by its start: the one that called the new version first began with it, where it can."""
    began = {history.index: history.started_at for history in histories}
    starts = [began[seen.episode] for seen in group if seen.at == version.until]
    if starts:
        version.until = min(version.until, max(version.seen + 1, min(starts)))


def _meet(one: Split, other: Split) -> bool:
    """Whether both may have turned at the same moment."""
    return max(one.last_old, other.last_old) < min(one.first_new, other.first_new)


def _version_name(versions: Sequence[Version], seen: Observation) -> str:
    for version in versions:
        if seen.at < version.until:
            version.calls += 1
            return version.name if version.is_apart else seen.tool
    return seen.tool
