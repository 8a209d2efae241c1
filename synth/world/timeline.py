"""The timeline of a living backend: what each record was when, and how long a sight of it can be trusted.

Comes from replaying every episode in the world learnt so far; goes into the world file, where a session picks the
state at its start. A record seen to change without a recorded write is trusted for its table's horizon only: the
longest gap over which sights were seen to hold. Not here: whether the backend lives on (`continuity`).
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from environments.runtime.attempt import Json
from environments.runtime.normal import names_in, same_json, stable
from environments.runtime.world import World
from environments.runtime.world_entry import Place
from environments.runtime.world_session import Session
from environments.runtime.world_state import names_of_key
from redact.clean_episode import CleanEpisode
from synth.world.document import holds_withheld
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import History, Observation, paired_calls
from synth.world.writers import place_of

WINDOW: Final = 60
"""Pairs of sights that the chance of a silent change is estimated from, at each gap."""
MIN_PAIRS: Final = 20
"""Below this many pairs of sights from different episodes nothing is trusted past its episode."""
MAX_CHANCE: Final = 0.03
"""Chance of a silent change, within the window, that still counts as stable."""

MIN_OWN: Final = 8
"""Rows that were the same before and after a tool's calls, where no tool was ever seen to touch their table."""


@dataclass(slots=True)
class _Version:
    at: int
    episode: int
    row: Json
    void: bool = False
    """A call whose effect nobody knows may have changed the record."""
    read: bool = True
    by: str = ""
    """The tool of such a call."""
    gone: bool = False
    """A look that was refused: whatever was there before is not there now."""


@dataclass(slots=True)
class _Timeline:
    versions: dict[Place, list[_Version]] = field(default_factory=lambda: defaultdict(list))
    named: dict[str, set[Place]] = field(default_factory=lambda: defaultdict(set))

    def add(self, place: Place, version: _Version) -> None:
        self.versions[place].append(version)
        for name in names_of_key(place[1]) | names_in(version.row):
            self.named[name].add(place)


def learn_timeline(bench: Workbench, document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Per table: versions by key, oldest first (`[at, row]`, or `[at]` where unknown from then on), and the horizon."""
    timeline = _followed(bench, document)
    if _clear(bench, document, timeline):
        timeline = _followed(bench, document)
    out: dict[str, dict[str, Any]] = {}
    for place, versions in sorted(timeline.versions.items()):
        part = out.setdefault(place[0], {"versions": {}})
        part["versions"][place[1]] = _thinned(versions)
    for name, part in out.items():
        pairs = _pairs(v for place, v in timeline.versions.items() if place[0] == name)
        part["horizon"] = horizon_of(pairs)
        part["pairs"] = {"seen": len(pairs), "changed": sum(changed for _, changed in pairs)}
    return out


def _followed(bench: Workbench, document: dict[str, Any]) -> _Timeline:
    world = World.from_json(document)
    timeline = _Timeline()
    for history in bench.histories:
        _follow(bench, world, history, timeline)
    for versions in timeline.versions.values():
        versions.sort(key=lambda v: v.at)
    return timeline


def _clear(bench: Workbench, document: dict[str, Any], timeline: _Timeline) -> bool:
    """Clear writers of tables whose rows were the same before and after their calls; whether any was cleared."""
    calm: dict[tuple[str, str], set[str]] = defaultdict(set)
    moved: set[tuple[str, str]] = set()
    for (table, key), versions in timeline.versions.items():
        before: _Version | None = None
        since: set[str] = set()
        for version in versions:
            if version.void:
                since.add(version.by)
            elif version.read and before is not None and since:
                same = not version.gone and same_json(before.row, version.row)
                for tool in since:
                    calm[table, tool].update({key} if same else ())
                    moved.update(() if same else {(table, tool)})
            if version.read and not version.void:
                before, since = (None if version.gone else version), set()
    disturbed = {table for table, _ in moved}
    pooled = Counter(table for (table, _), keys in calm.items() for _ in keys)
    cleared = [
        (table, tool)
        for (table, tool), keys in sorted(calm.items())
        if (table, tool) not in moved
        and (
            len(keys) >= MIN_PAIRS
            or (table not in disturbed and pooled[table] >= MIN_PAIRS and len(keys) >= MIN_OWN)
        )
    ]
    for table, name in cleared:
        model = bench.tools[name]
        model.settled.add(table)
        model.evidence.setdefault("settled", {})[table] = len(calm[table, name])
        document["tools"][name]["settled"] = sorted(model.settled)
        document["tools"][name]["reach"] = sorted(model.reach - model.settled)
    return bool(cleared)


def horizon_of(pairs: list[tuple[int, bool]]) -> int | None:
    """The longest gap (ns) over which sights held; 0 where too little was seen, None where nothing ever changed."""
    ordered = sorted(pairs)
    if len(ordered) >= 2 * MIN_PAIRS and not any(changed for _, changed in ordered):
        return None
    window: deque[bool] = deque(maxlen=WINDOW)
    horizon = 0
    for count, (gap, changed) in enumerate(ordered, start=1):
        window.append(changed)
        if count < MIN_PAIRS:
            continue
        if (sum(window) + 0.5) / (len(window) + 1) > MAX_CHANCE:
            break
        horizon = gap
    return horizon


def rows_at_start(world: World, episode: CleanEpisode) -> dict[str, Any]:
    """What the episode itself saw before it changed anything, and leave to replay its own recorded answers."""
    session = world.session(started_at=episode.started_at, caller=episode.agent)
    for call, content, _, _, _ in paired_calls(episode):
        session.observe(call.name, call.arguments, content)
    rows: dict[str, dict[str, Json]] = {}
    for (table, key), row in session.state.start.items():
        if row is not None and (table, key) in session.state.rows:
            rows.setdefault(table, {})[key] = row
    return {"rows": rows, "tape": [episode.episode_id]}


def _follow(bench: Workbench, world: World, history: History, timeline: _Timeline) -> None:
    session = world.session(caller=history.caller)
    for seen in history.observations:
        tool = bench.tools[seen.tool]
        session.observe(seen.tool, seen.arguments, seen.content)
        if tool.innocent:
            place = place_of(tool, seen)
            if place is not None:
                timeline.add(place, _Version(seen.at, history.index, seen.value))
            elif (asked := _asked(tool, seen)) is not None:
                timeline.add(asked, _Version(seen.at, history.index, None, gone=True))
        elif not refused(tool, seen):
            _note_write(session, history, seen, timeline)


def _asked(tool: ToolModel, seen: Observation) -> Place | None:
    """The row that a refused look asked for, where arguments alone name it."""
    parts = [seen.arguments.get(str(tree[1])) for tree in tool.key if tree[0] == "arg"]
    if tool.table is None or not tool.key or len(parts) < len(tool.key):
        return None
    return tool.table, stable(parts)


def _note_write(session: Session, history: History, seen: Observation, timeline: _Timeline) -> None:
    if not session.state.log:
        return
    entry = session.state.log[-1]
    for place in entry.targets:
        timeline.add(place, _Version(seen.at, history.index, session.state.rows[place], read=False))
    for place in {p for name in entry.names for p in timeline.named.get(name, ())}:
        about = not entry.known and place in entry.about
        if place not in entry.targets and (about or place[0] not in entry.settled):
            timeline.versions[place].append(
                _Version(seen.at, history.index, None, void=True, read=False, by=seen.tool)
            )


def _thinned(versions: list[_Version]) -> list[list[Any]]:
    """Versions as the world file holds them; of equal sights in a row, the first and the last."""
    out: list[list[Any]] = []
    for version in versions:
        void = version.void or version.gone or holds_withheld(version.row)
        entry = [version.at] if void else [version.at, version.row]
        if len(out) >= 2 and _alike(out[-1], entry) and _alike(out[-2], entry):
            out[-1] = entry
        else:
            out.append(entry)
    return out


def _alike(left: list[Any], right: list[Any]) -> bool:
    return len(left) == len(right) and (len(left) == 1 or same_json(left[1], right[1]))


def _pairs(timelines: Iterable[list[_Version]]) -> list[tuple[int, bool]]:
    """Gap and whether the record had changed, for each sight and the one before it from another episode."""
    out: list[tuple[int, bool]] = []
    for versions in timelines:
        for before, now in pairwise(versions):
            known = now.read and not before.void and not before.gone
            if known and before.episode != now.episode:
                changed = now.gone or not same_json(before.row, now.row)
                out.append((now.at - before.at, changed))
    return out
