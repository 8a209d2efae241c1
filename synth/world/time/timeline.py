"""The timeline of a living backend: what each record was when, and how long a sight of it can be trusted.

Comes from replaying every episode in the world learnt so far; goes into the world file, where a session picks the
state at its start. A record seen to change without a recorded write is trusted for its table's horizon only: the
longest gap over which sights were seen to hold. Not here: whether the backend lives on (`continuity`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from environments.runtime.document.records import PairsPart, RowVersion, TimelinePart
from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import names_in
from environments.runtime.values.normal import same_json, stable
from environments.runtime.world.dated_rows import GONE, MADE, reaches
from environments.runtime.world.entries import Entry, Place
from environments.runtime.world.session import Session
from environments.runtime.world.state import names_of_key
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.world.document import holds_withheld, write_document
from synth.world.influence.writers import place_of
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import History, Observation, paired_calls
from synth.world.subjects import subject_of
from synth.world.support import SEEN_OFTEN, SEEN_THRICE
from synth.world.time.indirect_effects import Trial, reaching
from synth.world.time.lookups import Lookup, learn_lookups
from synth.world.time.table_stability import WriterCall, doubt_versions, quiet_tables
from synth.world.time.validity import (
    MIN_PAIRS,
    Version,
    moves,
    pairs_back,
    pairs_of,
    stays,
    still_tables,
    trusted,
)

MIN_ASKED: Final = SEEN_THRICE
"""Pairs of sights of one search itself, none changed, before what it found is kept."""

NO_TABLE: Final = TimelinePart()
"""Of a table without rows over time."""
MIN_OWN: Final = SEEN_OFTEN
"""Rows that were the same before and after a tool's calls, where no tool was ever seen to touch their table."""


@dataclass(slots=True)
class _Timeline:
    versions: dict[Place, list[Version]] = field(default_factory=lambda: defaultdict(list))
    named: dict[str, set[Place]] = field(default_factory=lambda: defaultdict(set))
    found: frozenset[str] = frozenset()
    """Tables of what lookups answer."""
    taken: dict[str, set[str]] = field(default_factory=dict)
    """Per tool the calls that were answered."""
    trials: list[Trial] = field(default_factory=list)
    """Looks after calls of the same episode that do not name what is looked at."""
    written: list[WriterCall] = field(default_factory=list)
    """All calls that may have changed something."""

    def add(self, place: Place, version: Version) -> None:
        self.versions[place].append(version)
        # Of a text its words are left out here: how long a sight of it holds across episodes, its horizon says.
        for name in names_of_key(place[1]) | names_in([version.row]):
            self.named[name].add(place)


def learn_timeline(bench: Workbench) -> dict[str, TimelinePart]:
    """Per table: versions by key, oldest first (`[at, row]`, or `[at]` where unknown from then on), and the horizon."""
    lookups = learn_lookups(bench)
    timeline = _followed(bench, lookups)
    if _clear(bench, timeline):
        timeline = _followed(bench, lookups)
    out: dict[str, TimelinePart] = {}
    for place, versions in timeline.versions.items():
        timeline.versions[place] = [v for v in versions if not v.passing]
    _add_found(timeline, lookups)
    searched = {t.table for t in bench.tools.values() if t.innocent and t.loose}
    unclear = {t.table for t in bench.tools.values() if _is_unclear(t)} | timeline.found
    still = still_tables(timeline.versions) - unclear
    for place in [p for p in timeline.versions if p[0] in still]:
        timeline.versions[place] = [v for v in timeline.versions[place] if not v.void]
    rows: dict[str, dict[str, tuple[RowVersion, ...]]] = defaultdict(dict)
    for place, versions in sorted(timeline.versions.items()):
        if place[0] not in searched or _asked_again(versions):
            rows[place[0]][place[1]] = _thinned(versions)
    for name, known in rows.items():
        mine = [v for place, v in timeline.versions.items() if place[0] == name]
        # What a search shows hangs on many records, any of which may move.
        least = MIN_PAIRS * (2 if name in searched else 1)
        back = None if name in still else trusted(map(pairs_back, mine), least)
        out[name] = TimelinePart(
            versions=known,
            horizon=None if name in still else trusted(map(pairs_of, mine), least),
            back=back,
            moving=frozenset(k for k in known if moves(timeline.versions[name, k], back)),
            stays=stays(mine),
            pairs=_count_pairs(pair for one in mine for pair in pairs_of(one)),
        )
    _note_far(bench, timeline, out)
    _add_quiet(timeline, out, leave=unclear)
    return out


def _add_quiet(
    timeline: _Timeline, tables: dict[str, TimelinePart], *, leave: set[str | None]
) -> None:
    """Tables that their own sights say too little of, where the whole backend is quiet long enough."""
    known = {name for name, part in tables.items() if part.horizon != 0}
    found = quiet_tables(timeline.versions, timeline.trials, timeline.written)
    for name, quiet in found.items():
        if name in known or name in leave:
            continue
        tables[name] = TimelinePart(
            versions={p[1]: _thinned(v) for p, v in sorted(quiet.versions.items())},
            horizon=quiet.horizon,
            pairs=_count_pairs(pair for one in quiet.versions.values() for pair in pairs_of(one)),
        )


def _count_pairs(pairs: Iterable[tuple[int, bool]]) -> PairsPart:
    changed = [moved for _, moved in pairs]
    return PairsPart(seen=len(changed), changed=sum(changed))


def _is_unclear(tool: ToolModel) -> bool:
    """Whether the same answer again says too little: of a writer that seems to look, or where an argument is beside the key.

    Both may be refused another time.
    """
    named = {str(tree[1]) for tree in tool.key if tree[0] == "arg"}
    beside = any(seen.arguments.keys() - named for seen in tool.good())
    return tool.stated > 0 or beside


def _followed(bench: Workbench, lookups: dict[str, list[Lookup]]) -> _Timeline:
    world = World(write_document(bench))
    timeline = _Timeline(found=frozenset(one.table for known in lookups.values() for one in known))
    timeline.taken = {name: {s.key for s in tool.good()} for name, tool in bench.tools.items()}
    for history in bench.histories:
        _follow(bench, world, history, timeline)
    for versions in timeline.versions.values():
        versions.sort(key=lambda v: v.at)
    far = {table: {n for n, t in bench.tools.items() if table in t.far} for table in bench.tables}
    timeline.versions = defaultdict(list, doubt_versions(timeline.versions, timeline.written, far))
    return timeline


def _add_found(timeline: _Timeline, lookups: dict[str, list[Lookup]]) -> None:
    """Each sight of a record answers the lookup that would find it; one that would find it no more, or two, is unknown."""
    sights = [
        (place, version)
        for place, versions in timeline.versions.items()
        if place[0] in lookups
        for version in versions
        if not version.void
    ]
    last: dict[tuple[Place, str], Place] = {}
    fits: dict[Place, set[Place]] = defaultdict(set)
    # Conversations overlap: which record fits a lookup is followed over all sights in order of time.
    for place, version in sorted(sights, key=lambda sight: sight[1].at):
        void = replace(version, row=None, void=True, read=False, gone=False)
        for lookup in lookups[place[0]]:
            found = None if version.gone else lookup.lookup_of(version.row)
            before = last.pop((place, lookup.table), None)
            here = None if found is None else (lookup.table, found[0])
            if before is not None and before != here:
                fits[before].discard(place)
                timeline.versions[before].append(void)
            if found is not None and here is not None:
                last[place, lookup.table] = here
                fits[here].add(place)
                told = replace(version, row=found[1], read=False)
                timeline.versions[here].append(told if fits[here] == {place} else void)
    for table in timeline.found:
        for place in [p for p in timeline.versions if p[0] == table]:
            timeline.versions[place].sort(key=lambda v: v.at)


def _clear(bench: Workbench, timeline: _Timeline) -> bool:
    """Clear writers of tables whose rows were the same before and after their calls; whether any was cleared."""
    calm: dict[tuple[str, str], set[str]] = defaultdict(set)
    moved: set[tuple[str, str]] = set()
    for (table, key), versions in timeline.versions.items():
        before: Version | None = None
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
    return bool(cleared)


def rows_at_start(world: World, episode: CleanEpisode) -> dict[str, Any]:
    """What the episode itself saw before it changed anything, and leave to replay its own recorded answers."""
    whose = {"subject": subject_of(episode, world.prompt_subject)} if world.bound else {}
    session = world.session(whose, started_at=episode.started_at, caller=episode.agent)
    rows: dict[str, dict[str, Json]] = {}
    met: set[Place] = set()
    for call, content, _, _, _ in paired_calls(episode):
        session.observe(call.name, call.arguments, content)
        state = session.state
        for place in state.start.keys() - met:
            met.add(place)
            row = state.start[place]
            # After its own calls nobody knows how it was before: hardly any was seen to leave such a record alone.
            if row is not None and place in state.rows and not state.log:
                rows.setdefault(place[0], {})[place[1]] = row
    return {"rows": rows, "tape": [episode.episode_id], **whose}


def _follow(bench: Workbench, world: World, history: History, timeline: _Timeline) -> None:
    session = world.session(caller=history.caller)
    made: list[str] = []
    wrote: list[tuple[Observation, Entry]] = []
    for seen in history.observations:
        tool = bench.tools[seen.tool]
        session.observe(seen.tool, seen.arguments, seen.content)
        if tool.innocent:
            place = place_of(tool, seen)
            if place is not None:
                version = Version(
                    seen.at, history.index, seen.value, done=len(made), position=seen.position
                )
                _try(timeline, place, version, made)
                _note_earlier(history, wrote, place, seen.value, timeline)
                timeline.add(place, version)
            elif (asked := _asked_row(tool, seen, timeline.taken[seen.tool])) is not None:
                timeline.add(
                    asked, Version(seen.at, history.index, None, gone=True, position=seen.position)
                )
        elif not refused(tool, seen):
            made.append(seen.tool)
            when = (seen.at, history.index, seen.position)
            timeline.written.append(WriterCall(order=when, tool=seen.tool))
            if session.state.log:
                wrote.append((seen, session.state.log[-1]))
                _note_write(session, history, wrote[-1], timeline)


def _note_earlier(
    history: History,
    wrote: Sequence[tuple[Observation, Entry]],
    place: Place,
    row: Json,
    timeline: _Timeline,
) -> None:
    """Calls of this episode that may have changed a record which nobody had seen then: this sight says nothing of before."""
    names = names_of_key(place[1]) | names_in([row])
    noted = {v.position for v in timeline.versions[place] if v.episode == history.index}
    for seen, entry in wrote:
        if seen.position not in noted and not names.isdisjoint(entry.names | entry.days()):
            _void(history, seen, entry, place, timeline)


def _try(timeline: _Timeline, place: Place, now: Version, made: list[str]) -> None:
    """Note whether a look found what the one before it, or a write, had left."""
    before = timeline.versions[place][-1] if timeline.versions[place] else None
    if before is None or before.void or before.gone:
        return
    own = before.episode == now.episode
    timeline.trials.append(
        Trial(
            table=place[0],
            gap=None if own else now.at - before.at,
            suspects=frozenset(made[before.done if own else 0 :]),
            same=same_json(before.row, now.row),
        )
    )


def _note_far(bench: Workbench, timeline: _Timeline, tables: Mapping[str, TimelinePart]) -> None:
    """Writers that change what they do not name: after their calls such records are in doubt."""
    told = [
        trial
        for trial in timeline.trials
        if trial.gap is None or reaches(tables.get(trial.table, NO_TABLE).horizon, trial.gap)
    ]
    for table, tools in reaching(told).items():
        for name in tools:
            bench.tools[name].far.add(table)


def _asked_row(tool: ToolModel, seen: Observation, taken: set[str]) -> Place | None:
    """The row that a refused look asked for, where arguments alone name it.

    An argument beside the key may be why it was refused, unless the very call was answered at another time: somebody
    else's order is still there.
    """
    named = [str(tree[1]) for tree in tool.key if tree[0] == "arg"]
    parts = [seen.arguments.get(name) for name in named]
    if tool.table is None or len(parts) < max(1, len(tool.key)):
        return None
    beside = seen.arguments.keys() - named
    if beside and seen.key not in taken:
        return None
    return tool.table, stable(parts)


def _note_write(
    session: Session, history: History, wrote: tuple[Observation, Entry], timeline: _Timeline
) -> None:
    seen, entry = wrote
    for place in entry.targets:
        row = session.state.rows[place]
        timeline.add(
            place,
            Version(seen.at, history.index, row, read=False, made=True, position=seen.position),
        )
    for place in {p for n in entry.names | entry.days() for p in timeline.named.get(n, ())}:
        _void(history, seen, entry, place, timeline)


def _void(
    history: History, seen: Observation, entry: Entry, place: Place, timeline: _Timeline
) -> None:
    """From a call on nobody knows a record, where the call may have changed it."""
    if place in entry.targets or entry.leaves_alone(place):
        return
    void = Version(
        seen.at,
        history.index,
        None,
        void=True,
        read=False,
        by=seen.tool,
        position=seen.position,
    )
    # What a lookup finds is asked of sights of the record, however many calls lie between.
    void.passing = place[0] in timeline.found
    timeline.versions[place].append(void)


def _thinned(versions: list[Version]) -> tuple[RowVersion, ...]:
    """Versions as the world file holds them; of equal sights in a row, the first and the last."""
    out: list[RowVersion] = []
    for version in versions:
        entry = RowVersion(version.at)
        if version.gone:
            entry = RowVersion(version.at, None, GONE)
        elif not version.void and not holds_withheld(version.row):
            entry = RowVersion(version.at, version.row, MADE if version.made else "")
        if len(out) >= 2 and _is_same_version(out[-1], entry) and _is_same_version(out[-2], entry):
            out[-1] = entry
        else:
            out.append(entry)
    return tuple(out)


def _is_same_version(left: RowVersion, right: RowVersion) -> bool:
    if left.mark == MADE or left.mark != right.mark or left.is_known != right.is_known:
        return False
    return not left.is_known or same_json(left.row, right.row)


def _asked_again(versions: list[Version]) -> bool:
    """Whether one search was itself made often enough, and always found the same: others say little about it."""
    pairs = pairs_of(versions)
    return len(pairs) >= MIN_ASKED and not any(changed for _, changed in pairs)
