"""Worlds in the lake: what `synth.worlds` learnt of an app, kept so that later assets need not learn it again.

Comes in: a learnt world and the episodes it was learnt from. Goes out: `StoredWorld`, which answers as the learnt one.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Final

from dagster_project.lake.documents import Document, contents
from dagster_project.lake.learnt_tables import WORLDS
from dagster_project.lake.rows import plain_json
from dagster_project.lake.store import Lake
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.values.canonical import canonical, digest_bytes
from redact.records.clean_episode import CleanEpisode
from synth.worlds import LearntWorld, ToolSummary

NO_WORLD: Final = WorldDocument()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWorld:
    """A world as the lake has it."""

    app: str
    document: WorldDocument
    """The world file."""
    tools: tuple[ToolSummary, ...] = ()
    continuity: Mapping[str, Any] = field(default_factory=dict)
    starts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """State at the start by episode id, where it is not the world's own."""
    fidelity: Mapping[str, Any] = field(default_factory=dict)
    """What held-out calls said of it, in `backtest`'s shape."""
    episodes: int = 0

    def start_of(self, episode: CleanEpisode) -> Mapping[str, Any]:
        """The state at an episode's start."""
        return self.starts.get(episode.episode_id, {})

    @property
    def risk(self) -> float:
        """The share of returned answers that may be wrong."""
        return self.document.recall.risk if self.document.recall is not None else 0.0

    @property
    def digest(self) -> str:
        """The world file's hash, as task versions contain it; computed anew each time (0.1 s where the file has megabytes)."""
        return digest_bytes(canonical(self.document.to_json()).encode())


def world_document(
    app: str,
    learnt: LearntWorld,
    episodes: list[CleanEpisode],
    fidelity: Mapping[str, Any],
    *,
    unit: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> Document:
    """The learnt world as a row of the lake; each episode's start is found inside a `unit` with its id."""
    starts: dict[str, dict[str, Any]] = {}
    for episode in episodes:
        with unit(episode.episode_id):
            start = learnt.start_of(episode)
            if start:
                starts[episode.episode_id] = start
    document = learnt.document.to_json()
    content = {
        "app": app,
        "document": document,
        "tools": [plain_json(tool) for tool in learnt.tools],
        "continuity": plain_json(learnt.continuity),
        "starts": starts,
        "fidelity": fidelity,
        "episodes": len(episodes),
    }
    return Document(
        app=app,
        id=app,
        version=digest_bytes(canonical(document).encode()),
        content=content,
    )


def stored_document(known: StoredWorld) -> Document:
    """A world that was learnt before, as a row of the lake."""
    content = {
        **plain_json(replace(known, document=NO_WORLD)),
        "document": known.document.to_json(),
    }
    return Document(app=known.app, id=known.app, version=known.digest, content=content)


def measured_document(row: Document, fidelity: Mapping[str, Any]) -> Document:
    """The same row with what held-out calls say of the world: how right it is, and how far its behaviours are trusted."""
    known: Any = row.content
    world = known["document"]
    if "recall" in world:
        recall = {**world["recall"], "trust": fidelity.get("trust", [])}
        world = {**world, "recall": recall}
    content = {**known, "document": world, "fidelity": fidelity}
    return replace(row, version=digest_bytes(canonical(world).encode()), content=content)


def world_of(lake: Lake, app: str) -> StoredWorld | None:
    """The world of an app, None while there is none."""
    found = contents(lake, WORLDS, app).get(app)
    if found is None:
        return None
    tools = tuple(ToolSummary(**tool) for tool in found.pop("tools"))
    document = WorldDocument.from_json(found.pop("document"))
    return StoredWorld(**found, document=document, tools=tools)
