"""The gate: raw episodes in, clean episodes out.

In: episodes and outcomes, what was learnt of their app, the vault, the policy. Out: `Scrubbed` (the clean episode, a
note per removal, what is held back) and clean outcomes. This is the only place where a `CleanEpisode` or `CleanOutcome`
is made from raw data. Texts are edited in place, never parsed and written again: JSON keeps its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingest.records.episode import Episode, Step, ToolCall
from ingest.records.outcome import Outcome
from redact.apply.app_gate import AppGate
from redact.apply.episode_memory import CleanTools, Note
from redact.apply.learn import Reads, finder_for, found_in, local_values, read_calls, read_texts
from redact.apply.redactor import Desk, search
from redact.apply.withheld_leaves import WithheldLeaf, flagged, judged_leaves
from redact.bounds import CHARACTERS, EPISODES_REMEMBERED, LONGEST_VALUE
from redact.evidence.app_values import Learnt
from redact.evidence.definitions import people_in
from redact.fold import fold_value
from redact.names.misspellings import misspelt_in
from redact.names.prose_names import likely_names
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.corrections import CorrectedCall, calls_in, calls_text
from redact.readers.documents import refined
from redact.recognizers.analyzer import Finder
from redact.recognizers.spelt_ids import respelt_in
from redact.records.clean_episode import REQUEST_REPLACED, CleanEpisode, CleanStep, CleanToolCall
from redact.records.clean_outcome import CleanOutcome
from redact.values.shapes import can_be

_TALKING: Final = frozenset({"user", "assistant"})
_TOGETHER: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrubbed:
    """A clean episode with the account of what was done."""

    clean: CleanEpisode
    given_id: str
    """The conversation's own id, else the episode's, for whoever gave it: another where it holds what is personal."""
    notes: tuple[Note, ...] = ()
    held: tuple[WithheldLeaf, ...] = ()


def scrub(
    episodes: Iterable[Episode],
    *,
    learnt: Learnt,
    vault: Vault,
    policy: Policy,
    judged_by: Learnt | None = None,
) -> Iterator[Scrubbed]:
    """Yield the episodes past the gate, in order; `judged_by` is whose evidence decides about unknown keys and public words.

    Held-out episodes are judged by their home's evidence: under verdicts of their own the same value would be another.
    """
    finder = finder_for(policy)
    gates: dict[str, AppGate] = {}
    waiting: list[_JudgedEpisode] = []
    size = 0
    for episode in episodes:
        if not policy.enabled:
            yield _unchanged(episode, vault)
            continue
        if episode.app not in gates:
            gates[episode.app] = AppGate(episode.app, learnt, vault, policy, judged_by)
        judged = _judge_episode(episode, gates[episode.app], finder)
        waiting.append(judged)
        size += sum(map(len, judged.texts))
        if len(waiting) >= _TOGETHER or size >= CHARACTERS:
            yield from _scrub_together(waiting)
            waiting, size = [], 0
    yield from _scrub_together(waiting)


def scrub_outcomes(
    outcomes: Iterable[Outcome], *, learnt: Learnt, vault: Vault, policy: Policy
) -> Iterator[CleanOutcome]:
    """Yield the outcomes that belong to an episode, past the gate; those without one have nothing to say yet."""
    gates: dict[str, AppGate] = {}
    for outcome in outcomes:
        if outcome.episode_id is None:
            continue
        if outcome.app not in gates:
            gates[outcome.app] = AppGate(outcome.app, learnt, vault, policy)
        yield _scrub_outcome(outcome, gates[outcome.app], policy)


@dataclass(frozen=True, slots=True)
class _JudgedEpisode:
    """An episode of which is known what is personal in it, before its texts are searched."""

    episode: Episode
    gate: AppGate
    finder: Finder
    desk: Desk
    texts: tuple[str, ...]
    """All that are to be searched, each once."""
    held: tuple[WithheldLeaf, ...]


def _judge_episode(episode: Episode, gate: AppGate, finder: Finder) -> _JudgedEpisode:
    reads = read_texts(episode, finder)
    found = found_in(episode, reads.distinct(), finder)
    judged, held = judged_leaves(reads, gate, episode.episode_id, found)
    gate.documents.update(_documents(episode, reads, gate))
    values = gate.own_words(episode.episode_id, local_values([*found, *judged]))
    said = [step.content for step in episode.steps if step.role != "tool" and step.content]
    # Nobody spells an id out in a prompt, which is most of what is said.
    told = [step.content for step in episode.steps if step.role in _TALKING and step.content]
    told += [call.arguments for step in episode.steps for call in step.tool_calls]
    for mention, kind in respelt_in(told, (*found, *judged), gate.tokens_in(reads.findings)):
        values.setdefault(fold_value(mention), kind)
    for word, kind in misspelt_in(said, values, gate.vocabulary.holds):
        values.setdefault(fold_value(word), kind)
    held += flagged(reads, values)
    for item in held:
        values = {**item.spellings, **values}
    personal_keys = frozenset(item.key for item in (*found, *judged) if item.key)
    desk = Desk(gate, values, personal_keys, near=episode.started_at)
    texts = tuple(filter(None, _texts_of(episode)))
    return _JudgedEpisode(episode, gate, finder, desk, texts, tuple([item.held for item in held]))


def _documents(episode: Episode, reads: Reads, gate: AppGate) -> Iterator[str]:
    """Yield the results that many subjects were shown as they are."""
    for (step, call), text, findings in zip(reads.places, reads.texts, reads.findings, strict=True):
        shown = call is None and episode.steps[step].role == "tool" and findings.sightings
        if shown and len(text) > LONGEST_VALUE and gate.is_everybodys(findings):
            yield text


def _scrub_together(several: Sequence[_JudgedEpisode]) -> Iterator[Scrubbed]:
    """Yield episodes whose texts are searched together, an app's in one walk; each is what it would be alone."""
    for gate in {id(one.gate): one.gate for one in several}.values():
        search(gate, [(one.desk, one.texts) for one in several if one.gate is gate])
    for one in several:
        yield _scrub_episode(one)


def _scrub_episode(judged: _JudgedEpisode) -> Scrubbed:
    episode, gate, desk, held = judged.episode, judged.gate, judged.desk, judged.held
    steps = tuple(
        [_scrub_step(step, desk, f"steps[{place}]") for place, step in enumerate(episode.steps)]
    )
    clean = CleanEpisode(
        app=episode.app,
        episode_id=gate.vault.episode_id(episode.app, episode.episode_id),
        started_at=gate.shift.moment(episode.started_at),
        ended_at=desk.moment(episode.ended_at),
        agent=episode.agent and desk.name(episode.agent, "agent"),
        model=desk.optional(episode.model, "model"),
        agent_version=desk.optional(episode.agent_version, "agent_version"),
        task_key=_task_key(episode, gate, desk),
        subject=_subject(episode, gate),
        do_not_train=episode.do_not_train,
        tools=_scrub_tools(episode, desk, gate, judged.finder),
        steps=steps,
        completeness=_completeness(episode, steps),
        withheld=tuple(dict.fromkeys(item.path for item in held)),
    )
    return Scrubbed(
        clean=clean,
        given_id=desk.joint(_given_id(episode), "episode_id", prefix="episode_") or "",
        notes=tuple(desk.notes),
        held=tuple(dict.fromkeys(held)),
    )


def _completeness(episode: Episode, clean: Sequence[CleanStep]) -> tuple[str, ...]:
    """What the episode lacks, and whether the request asks something else than the user did."""
    until = next((i for i, step in enumerate(clean) if step.role == "assistant"), len(clean))
    asked = zip(episode.steps[:until], clean, strict=False)
    if all(raw.content == now.content for raw, now in asked if raw.role == "user"):
        return episode.completeness
    return tuple(sorted({*episode.completeness, REQUEST_REPLACED}))


def _scrub_tools(episode: Episode, desk: Desk, gate: AppGate, finder: Finder) -> tuple[str, ...]:
    """Return the definitions scrubbed; what everybody has alike reads alike for everybody, whatever a user is called."""
    asked = (episode.tools, episode.started_at if gate.shift.days else 0)
    done = gate.tools.get(asked)
    if done is not None:
        desk.notes += done.notes
        return done.tools
    shared = [tool for tool in episode.tools if gate.shares(tool)]
    named = local_values(one for tool in shared for one in people_in(tool, finder))
    common = Desk(gate, named, frozenset(), near=episode.started_at) if named else None
    clean = tuple(
        [
            desk.text(tool, "tools")
            if tool not in shared
            else common.text(tool, "tools")
            if common
            else desk.public_text(tool, "tools")
            for tool in episode.tools
        ]
    )
    notes = tuple(common.notes) if common else ()
    desk.notes += notes
    hangs_on_nobody = common is not None or not any(
        gate.known_text(tool).matches for tool in shared
    )
    if (
        len(shared) == len(episode.tools)
        and hangs_on_nobody
        and len(gate.tools) < EPISODES_REMEMBERED
    ):
        gate.tools[asked] = CleanTools(clean, notes)
    return clean


def _texts_of(episode: Episode) -> dict[str | None, None]:
    """Return every text of the episode that is written, but for definitions, which most episodes share."""
    steps = episode.steps
    calls = [call for step in steps if step.tool_calls for call in step.tool_calls]
    beside = episode.agent, episode.model, episode.agent_version, episode.task_key
    texts = dict.fromkeys((*beside, _given_id(episode)))
    texts.update(dict.fromkeys([step.content for step in steps]))
    texts.update(dict.fromkeys([step.call_id for step in steps]))
    texts.update(dict.fromkeys([step.tool_name for step in steps]))
    texts.update(dict.fromkeys([step.agent for step in steps]))
    texts.update(dict.fromkeys([step.parent for step in steps]))
    texts.update(dict.fromkeys([call.call_id for call in calls]))
    texts.update(dict.fromkeys([call.name for call in calls]))
    texts.update(dict.fromkeys([call.arguments for call in calls]))
    return texts


def _scrub_step(step: Step, desk: Desk, path: str) -> CleanStep:
    return CleanStep(
        role=step.role,
        content=_scrub_content(step, desk, path),
        tool_calls=tuple(
            _scrub_call(call, desk, f"{path}.tool_calls[{place}]")
            for place, call in enumerate(step.tool_calls)
        ),
        call_id=desk.joint(step.call_id, path, ".call_id"),
        tool_name=step.tool_name and desk.name(step.tool_name, path, ".tool_name"),
        at=desk.moment(step.at),
        is_error=step.is_error,
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        agent=step.agent and desk.name(step.agent, path, ".agent"),
        parent=desk.joint(step.parent, path, ".parent"),
    )


def _scrub_content(step: Step, desk: Desk, path: str) -> str | None:
    content = step.content
    if content is not None and step.role == "tool" and content in desk.documents:
        return desk.public_text(content, path + ".content")
    return desk.optional(content, path, ".content")


def _scrub_call(call: ToolCall, desk: Desk, path: str) -> CleanToolCall:
    return CleanToolCall(
        call_id=desk.joint(call.call_id, path, ".call_id") or "",
        name=desk.name(call.name, path, ".name"),
        arguments=desk.text(call.arguments, path, ".arguments"),
    )


def _task_key(episode: Episode, gate: AppGate, desk: Desk) -> str | None:
    if episode.task_key is None or not gate.hides_task_keys:
        return desk.optional(episode.task_key, "task_key")
    return gate.vault.key_of(episode.app).digest("task_key", episode.task_key, size=16).hex()


def _subject(episode: Episode, gate: AppGate) -> str | None:
    if episode.subject is None:
        return None
    if not can_be("person_id", episode.subject):
        return gate.vault.key_of(episode.app).digest("subject", episode.subject, size=8).hex()
    return gate.surrogate(refined("person_id", episode.subject), episode.subject)


def _scrub_outcome(outcome: Outcome, gate: AppGate, policy: Policy) -> CleanOutcome:
    episode_id = outcome.episode_id or ""
    calls = calls_in(outcome.correction)
    told = [text for text in (None if calls else outcome.correction, outcome.label) if text]
    # Nothing is replayed from what people say of an episode but calls, so that a doubtful name may go.
    names = [name for text in told for name in likely_names(text)]
    names += likely_names(outcome.text or "", gate.vocabulary.holds)
    likely = {fold_value(name): "full_name" for name in names}
    for text in filter(None, (*told, outcome.text)):
        likely.update((word, "full_name") for word in gate.named_in(text))
    values = {**likely, **gate.own_words(episode_id)}
    desk = Desk(gate, values if policy.enabled else {}, frozenset(), near=outcome.at or 0)
    correction = desk.optional(outcome.correction, "correction")
    if calls:
        finder = finder_for(policy) if policy.enabled else None
        correction = _scrub_calls(calls, outcome, gate, finder)
    return CleanOutcome(
        app=outcome.app,
        outcome_id=gate.vault.outcome_id(outcome.app, outcome.outcome_id),
        episode_id=gate.vault.episode_id(outcome.app, episode_id),
        name=desk.text(outcome.name, "name"),
        value=outcome.value,
        label=desk.optional(outcome.label, "label"),
        text=desk.optional(outcome.text, "text"),
        correction=correction,
        by=outcome.by,
        at=desk.moment(outcome.at),
        source=outcome.source,
        replaced=correction != outcome.correction and not calls,
    )


def _scrub_calls(
    calls: Sequence[CorrectedCall], outcome: Outcome, gate: AppGate, finder: Finder | None
) -> str:
    """Return corrected calls as calls of their episode would be: they are made again in its world."""
    if finder is None:
        return calls_text(calls)
    episode_id = outcome.episode_id or ""
    reads = read_calls(calls, finder)
    found = tuple({item: None for findings in reads.findings for item in findings.values})
    judged, held = judged_leaves(reads, gate, episode_id, found)
    values = gate.own_words(episode_id, local_values([*found, *judged]))
    for item in held:
        values = {**item.spellings, **values}
    keys = frozenset(item.key for item in (*found, *judged) if item.key)
    desk = Desk(gate, values, keys, near=outcome.at or 0)
    return calls_text(
        CorrectedCall(desk.name(call.name, "name"), desk.text(call.arguments, "arguments"))
        for call in calls
    )


def _unchanged(episode: Episode, vault: Vault) -> Scrubbed:
    """Return the episode as it is, marked: the data was declared free of personal data."""
    clean = CleanEpisode(
        **{name: getattr(episode, name) for name in _AS_IT_IS},
        episode_id=vault.episode_id(episode.app, episode.episode_id),
        steps=tuple(map(_unchanged_step, episode.steps)),
        redaction="off",
    )
    return Scrubbed(clean=clean, given_id=_given_id(episode))


_AS_IT_IS: Final = (
    *("app", "started_at", "ended_at", "agent", "model", "agent_version", "task_key"),
    *("subject", "do_not_train", "tools", "completeness"),
)
_STEP_AS_IT_IS: Final = (
    *("role", "content", "call_id", "tool_name", "at", "is_error"),
    *("input_tokens", "output_tokens", "agent", "parent"),
)


def _unchanged_step(step: Step) -> CleanStep:
    calls = tuple(
        CleanToolCall(call_id=call.call_id, name=call.name, arguments=call.arguments)
        for call in step.tool_calls
    )
    return CleanStep(
        **{name: getattr(step, name) for name in _STEP_AS_IT_IS},
        tool_calls=calls,
    )


def _given_id(episode: Episode) -> str:
    return episode.conversation_id or episode.episode_id
