"""Worlds: an app's tools rebuilt from the recorded calls of its clean episodes.

Goes in: clean episodes of one app. Comes out: `LearntWorld` with the world file (readable data, no code), the state at
each episode's start, and what is believed of each tool with its evidence. Every hypothesis must reproduce all examples
it applies to. Not here: answering calls (`environments.runtime.world.world`), measuring (`environments.fidelity`).
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from environments.fault_places import log_fault
from environments.runtime.answers.recall import RISK
from environments.runtime.document.tools import ToolPart
from environments.runtime.document.world_file import ContinuityPart, WorldDocument
from environments.runtime.world.tool import DERIVE
from environments.runtime.world.versions import origins
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.llm import LlmSettings
from synth.world.document import write_document
from synth.world.influence.dependencies import learn_relevance
from synth.world.influence.recall import recall_part
from synth.world.influence.writers import learn_writers
from synth.world.learn import learn_results, learn_theory
from synth.world.model import ToolModel, Workbench
from synth.world.observation import by_tool, histories, paired_results
from synth.world.recorded_only import SAYS as RECORDED_ONLY
from synth.world.recorded_only import in_words, recorded_part, without_tools
from synth.world.schema.field_names import forget_fields
from synth.world.stated_effects import stated_effects
from synth.world.subjects import subject_of
from synth.world.time.continuity import LIVING, RESET, infer_continuity
from synth.world.time.timeline import rows_at_start
from synth.world.unusable_answers import calls_left_out, without_unusable
from synth.world.views.discover import learn_around
from synth.world.views.prose import learn_prose

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSettings:
    """How a world is learnt, and what its tools may answer."""

    continuity: str | None = None
    """`reset` or `living` where a person knows; None infers it."""
    default: str = DERIVE
    """The policy of tools that are not named: `strict`, `derive` or `simulate`."""
    tools: Mapping[str, str] = field(default_factory=dict)
    """Policies of single tools."""
    risk: float = RISK
    """The share of returned answers that may be wrong; 0 tells only what no recording contradicts."""
    reads: frozenset[str] = frozenset()
    """Tools of which a person says that they change nothing."""
    proposals: LlmSettings | None = None
    """A model that may propose behaviours where the search finds none; they enter only by the same test. None: nobody is asked."""

    def policy_of(self, tool: str) -> str:
        """What a tool may answer."""
        return self.tools.get(tool, self.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSummary:
    """What is believed of one tool."""

    name: str
    kind: str
    """`constant`, `pure`, `read`, `search`, `write`, `act` or `unknown`."""
    support: int
    """Recorded calls with a result."""
    says: str
    evidence: Mapping[str, Any]


class StartOf(Protocol):
    """The state at an episode's start, as `World.session` takes it."""

    def __call__(self, episode: CleanEpisode) -> dict[str, Any]:
        """The state at this episode's start."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntWorld:
    """A world, learnt."""

    document: WorldDocument
    """The world file, as `World` takes it."""
    tools: tuple[ToolSummary, ...]
    start_of: StartOf

    @property
    def continuity(self) -> ContinuityPart:
        """Whether the backend starts afresh or lives on, and the evidence for it."""
        return self.document.continuity or ContinuityPart(kind=RESET)


def learn_world(
    episodes: Sequence[CleanEpisode], settings: WorldSettings, *, doubtful: bool = False
) -> LearntWorld:
    """The world of one app's episodes; `doubtful`: unless a person says otherwise, its backend is taken to live on."""
    whole, episodes = episodes, without_unusable(episodes)
    said = settings.continuity is not None
    bench = learn_results(_observe(episodes, settings, shared=said))
    bench.continuity = infer_continuity(bench, override=settings.continuity)
    if doubtful and not said:
        bench.continuity = replace(bench.continuity, kind=LIVING)
    if bench.living and bench.views.fresh is not None:
        # What is stored comes back in later episodes as it was told: only readers keep their marks.
        continuity = bench.continuity
        bench = learn_results(_observe(episodes, settings, living=True, shared=said))
        bench.continuity = continuity
    learn_theory(bench)
    plain = write_document(bench)
    # What observations have lost comes last: all steps before follow calls and results without it.
    document = replace(
        plain,
        views=bench.views,
        prose=learn_prose(bench, episodes),
        tools=_with_policies(plain.tools, settings, origins(bench.views.versions)),
    )
    if settings.risk:
        recall = recall_part(episodes, document, settings.risk)
        document = replace(document, recall=recall)
    lost = calls_left_out(whole, episodes)
    return LearntWorld(
        document=document,
        tools=tuple(_summary(tool, lost[tool.name]) for _, tool in sorted(bench.tools.items())),
        start_of=_starts(document),
    )


def _with_policies(
    tools: Mapping[str, ToolPart], settings: WorldSettings, called: Mapping[str, str]
) -> dict[str, ToolPart]:
    out: dict[str, ToolPart] = {}
    for name, part in tools.items():
        own = called.get(name) or name
        policy = settings.policy_of(own if own in settings.tools else own.partition("[")[0])
        out[name] = part if policy == DERIVE else replace(part, policy=policy)
    return out


def learn_with_recordings(
    episodes: Sequence[CleanEpisode], settings: WorldSettings, why: Mapping[str, str]
) -> LearntWorld:
    """A world with recordings only of the tools at which learning failed; `why` says by tool what the fault was.

    All others are learnt from the episodes up to the first call of such a tool, unless its name and its calls say that it only looks.
    """
    seen = _in_words(episodes, settings, why)
    looks = _that_look(seen, why) | (settings.reads & why.keys())
    shared = seen is not None and not (seen.living or seen.views.bound or seen.own_starts)
    known = {e.episode_id: e for e in without_tools(episodes, why, looks)}
    learnt = learn_world(list(known.values()), settings, doubtful=seen is None or seen.living)
    part = recorded_part(episodes, learnt.document, why, looks)
    document = replace(learnt.document, recorded=replace(part, shared=shared))

    def start_of(episode: CleanEpisode) -> dict[str, Any]:
        start = learnt.start_of(known.get(episode.episode_id, episode))
        return {**start, "tape": [episode.episode_id]}

    beside = [
        ToolSummary(
            name=name,
            kind="unknown",
            support=sum(call.name == name for e in episodes for call, _ in paired_results(e)),
            says=RECORDED_ONLY,
            evidence={"fault": fault, "looks": name in looks},
        )
        for name, fault in why.items()
    ]
    return LearntWorld(
        document=document,
        tools=tuple(sorted((*learnt.tools, *beside), key=lambda tool: tool.name)),
        start_of=start_of,
    )


def _in_words(
    episodes: Sequence[CleanEpisode], settings: WorldSettings, tools: Collection[str]
) -> Workbench | None:
    """What the calls of some tools say of the backend where their results are words; None where that fails as well."""
    words = in_words(episodes, tools)
    try:
        bench = learn_results(_observe(words, settings, shared=settings.continuity is not None))
        bench.continuity = infer_continuity(bench, override=settings.continuity)
        learn_writers(bench)
        learn_relevance(bench)
    except Exception as fault:  # noqa: BLE001 - whatever breaks here broke before: nothing is known then, and nobody is trusted
        log_fault(_log, "results in words tell nothing of the backend", fault)
        return None
    return bench


def _that_look(bench: Workbench | None, tools: Collection[str]) -> frozenset[str]:
    """Of some tools those that say by their name, and by all their calls, that they change nothing."""
    known = {} if bench is None else bench.tools
    return frozenset(n for n in tools if n in known and known[n].innocent and known[n].stated < 0)


def _starts(document: WorldDocument) -> StartOf:
    """In a reset app every episode starts from the base; in a living one from what it saw itself, over the timeline."""
    if not document.living:
        if document.views.bound:
            place = document.views.prompt_subject
            return lambda episode: {"subject": subject_of(episode, place)}
        return lambda episode: {}  # noqa: ARG005 - the same for every episode
    world = World(document)
    return lambda episode: rows_at_start(world, episode)


def _observe(
    episodes: Sequence[CleanEpisode],
    settings: WorldSettings,
    *,
    living: bool = False,
    shared: bool = False,
) -> Workbench:
    seen = histories(episodes)
    around = learn_around(seen, episodes, living=living, shared=shared)
    fields = forget_fields(seen)
    old = {v.name: v for known in around.versions.values() for v in known}
    observed = by_tool(seen)
    stated = stated_effects(episodes, observed)
    tools = {
        name: ToolModel(
            name=name,
            observations=group,
            forms=around.forms.get(old[name].tool if name in old else name, {}),
            reshaped=name in old and old[name].reshaped,
            declared=_declared(old[name].tool if name in old else name, settings.reads),
            stated=stated[name],
        )
        for name, group in observed.items()
    }
    return Workbench(
        app=episodes[0].app if episodes else "",
        histories=seen,
        tools=tools,
        envelopes=around.callers,
        views=around.views,
        fields=fields,
        own_starts=around.own_starts,
        model=settings.proposals,
        is_certain=not settings.risk,
    )


def _declared(name: str, reads: frozenset[str]) -> bool:
    """Whether a person says that a tool changes nothing: the part itself, or all of a tool that is several."""
    return name in reads or name.partition("[")[0] in reads


def _summary(tool: ToolModel, lost: int) -> ToolSummary:
    """`lost`: its calls that are left out."""
    left_out = [
        f"{lost} more calls are left out: they failed by chance, or their answers were cut"
    ] * bool(lost)
    return ToolSummary(
        name=tool.name,
        kind=tool.kind,
        support=len(tool.observations),
        says="; ".join(filter(None, [tool.says, *left_out])),
        evidence=tool.evidence,
    )
