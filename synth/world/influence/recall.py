"""Recalled answers: which earlier calls change an answer, and how far a recorded one can be trusted after others.

In: clean episodes, the world file. Out: its `recall` part. Two recordings of one call with equal or other answers are a trial of every
call that only one of their pasts has, by writer, reader and what they have in common (`noisy_or`). How far these probabilities
hold is measured by leaving out tasks and episodes. Not here: how answers are told (`environments.runtime.answers.recall`).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.answers.differing_pasts import (
    OTHER,
    OWN,
    Cell,
    DoneCall,
    baseline_cell,
    differing,
    done_call,
    linked_to,
    links_shown,
    names_shown,
    names_told,
)
from environments.runtime.answers.recall import Recall
from environments.runtime.document.recordings import (
    InfluenceCell,
    RecalledAnswer,
    RecalledCall,
    RecallPart,
)
from environments.runtime.document.tools import ToolPart
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.sessions.recorded_session import only_looks
from environments.runtime.values.canonical import canonical
from environments.runtime.values.literals import parse_json
from environments.runtime.values.normal import unwrap
from environments.runtime.views.view import CallInFlight
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.tool_errors import looks_failed
from synth.world.document import holds_withheld
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.influence.gating_calls import admitting_answers, gating_calls
from synth.world.influence.noisy_or import CALLED, Trial, fit
from synth.world.observation import paired_calls
from synth.world.schema.made_things import (
    RecordedCall,
    learn_chosen,
    learn_issued,
    learn_made,
    words_before,
)
from synth.world.search.repeated_arguments import repeats_arguments
from synth.world.stated_effects import stated_effects
from synth.world.subjects import subject_of
from synth.world.volatile.number_series import MadeNames, numbered_together

REFUSAL: Final = "refusal"
MOST_PAIRS: Final = 40
"""Pairs of recordings that are compared for one call."""
MOST_LEFT_OUT: Final = 3000
"""Recordings that are left out to see how far the probabilities hold."""


def recall_part(
    episodes: Sequence[CleanEpisode], document: WorldDocument, risk: float
) -> RecallPart:
    """The `recall` part of a world file; `risk`: the share of returned answers that may be wrong, above 0."""
    world = World(document)
    calls = _with_told([call for episode in episodes for call in _calls(episode, world)])
    stated = stated_effects(episodes, {one.call.tool for one in calls} | set(world.tools))
    say_so = frozenset(name for name, says in stated.items() if says < 0)
    looks = _looks(world, calls, say_so)
    made = list(_with_pasts(_with_links(calls, looks), looks))
    by_text = lists_by_key((one.call.text, one) for one in made)
    fitted = fit(list(_trials(by_text)), {one.call.tool for one in made} - looks, say_so)
    cells = {**fitted.cells, **_series_cells(made, looks)}
    things = _made_things(world, made, say_so)
    chosen = {} if world.living else learn_chosen(made, looks)
    written = _write_recordings(by_text)
    gates = {} if world.living else gating_calls(made, looks, say_so)
    part = RecallPart(
        calls=written.calls,
        texts=written.texts,
        answers=written.answers,
        risk=risk,
        looks=frozenset(looks),
        cells=tuple(InfluenceCell(*cell, round(q, 6)) for cell, q in sorted(cells.items())),
        pooled={relation: round(q, 6) for relation, q in sorted(fitted.pooled.items())},
        scale={OWN: 1.0, OTHER: 1.0},
        refused=always_refused(made),
        made=things,
        issued={} if world.living else learn_issued(made, looks, things),
        gates=gates,
        admits=admitting_answers(made, gates),
        chosen=chosen,
        unmade=words_before(made, things, chosen, _repeaters(world, made)),
        echoes={} if world.living else echoes(document.tools, made, looks),
    )
    return replace(part, scale=_scale(Recall(part), made))


def echoes(
    tools: Mapping[str, ToolPart], made: Sequence[RecordedCall], looks: Container[str]
) -> dict[str, tuple[float, tuple[str, ...]]]:
    """Tools that answer by what they are given alone and never refused: how surely the next call is answered so too.

    With each the arguments by which other tools look up records: what they do not find it may not find either.
    """
    by_tool = lists_by_key((one.call.tool, one) for one in made)
    bound = {one.call.tool for one in made if one.failed} | _given_what_was_made(made, looks)
    refusing = [tool for tool in tools.values() if REFUSAL in tool.outcomes.values()]
    looked_up = {
        str(key[1])
        for tool in refusing
        for ref in filter(None, (tool.reads, tool.shows, *tool.names))
        for key in ref.key
        if key[0] == "arg"
    }
    return {
        name: (_as_always(by_tool[name]), tuple(sorted(looked_up & (tool.takes or set()))))
        for name, tool in tools.items()
        if tool.kind in {"read", "write"} and name not in bound and repeats_arguments(tool.answer)
    }


def always_refused(made: Sequence[RecordedCall]) -> dict[str, tuple[str, float]]:
    """Tools that refused every recorded call in the same words, with these words: how surely the next one is refused so too."""
    by_tool = lists_by_key((one.call.tool, one) for one in made)
    return {
        tool: (calls[0].content, _as_always(calls))
        for tool, calls in sorted(by_tool.items())
        if all(one.failed and one.content == calls[0].content for one in calls)
    }


def _as_always(calls: Sequence[RecordedCall]) -> float:
    """How surely the next call is answered as all were: calls of one task, or equal ones, say it once."""
    tasks = sets_by_key((one.call.text, one.task) for one in calls)
    return round(1.0 - 1.0 / (len({min(t) for t in tasks.values()}) + 2), 4)


def _given_what_was_made(made: Sequence[RecordedCall], looks: Container[str]) -> set[str]:
    """Tools that are given names which the answer of a change brought up: without that change there is no such thing."""
    given: set[str] = set()
    episode, known, issued = "", set[str](), set[str]()
    for one in made:
        if one.episode != episode:
            episode, known, issued = one.episode, set(), set()
        if not issued.isdisjoint(one.call.names):
            given.add(one.call.tool)
        known |= one.call.names
        shown = names_shown(one.content)
        if one.call.tool not in looks:
            issued |= shown - known
        known |= shown
    return given


def _made_things(
    world: World, made: Sequence[RecordedCall], say_so: Container[str]
) -> dict[str, frozenset[str]]:
    """The things that calls make; where the backend lives on they are there in later episodes."""
    if world.living:
        return {}
    tools = {one.call.tool for one in made}
    return learn_made(made, {n for n in tools if only_looks(world, n) or n in say_so})


def _series_cells(made: Sequence[RecordedCall], looks: Container[str]) -> dict[Cell, float]:
    """What is known for certain: a call moves on the numbers that another tool of its series gives out."""
    runs: dict[str, list[MadeNames]] = defaultdict(list)
    for one in made:
        if not one.failed and one.call.tool not in looks:
            names = names_shown(one.content) | one.call.names
            runs[one.episode].append(MadeNames(one.call.tool, names, one.call.names))
    return {
        (writer, reader, related): 1.0
        for reader, writers in numbered_together(runs.values()).items()
        for writer in writers
        for related in CALLED
    }


def _repeaters(world: World, made: Sequence[RecordedCall]) -> frozenset[str]:
    """Tools that never refused a call and answer by its arguments alone."""
    refusing = {one.call.tool for one in made if one.failed}
    return frozenset(
        name
        for name, tool in world.tools.items()
        if name not in refusing and repeats_arguments(tool.part.answer)
    )


def _looks(world: World, made: Sequence[RecordedCall], say_so: Container[str]) -> set[str]:
    """Tools that change nothing: of those that do not state it (`say_so`) some episode asked twice, or they compute."""
    names = {one.call.tool for one in made} | set(world.tools)
    again = _tools_asked_again(made)
    return {
        name
        for name in names
        if only_looks(world, name) and (name in say_so or name in again or _computes(world, name))
    }


def _computes(world: World, name: str) -> bool:
    """Whether a tool's answers hang on nothing but its arguments."""
    part = world.tools[name].part
    return part.kind in {"constant", "pure"} or part.computes is not None


def _tools_asked_again(made: Sequence[RecordedCall]) -> set[str]:
    """Tools that gave the same answer when the same call was made again in one episode."""
    said: dict[tuple[str, str], str] = {}
    again: set[str] = set()
    for one in made:
        asked = one.episode, one.call.text
        if said.get(asked) == one.same_as:
            again.add(one.call.tool)
        said[asked] = one.same_as
    return again


def _with_pasts(made: Sequence[RecordedCall], looks: Container[str]) -> Iterator[RecordedCall]:
    """The calls, each with those before it that may have changed something."""
    episode, past = "", tuple[DoneCall, ...]()
    for one in made:
        if one.episode != episode:
            episode, past = one.episode, ()
        yield replace(one, past=past)
        if not one.failed and one.call.tool not in looks:
            past = (*past, one.call)


def _calls(episode: CleanEpisode, world: World) -> Iterator[RecordedCall]:
    """An episode's calls with their results, as tools take and give them."""
    envelope = world.envelopes.get(episode.agent or "")
    subject = subject_of(episode, world.prompt_subject)
    whose = subject if world.bound else ""
    views = [v.opened(episode.started_at, subject) for v in world.views]
    for made, content, is_error, _, _ in paired_calls(episode):
        asked, text = CallInFlight(made.name, made.arguments), unwrap(content, envelope)
        failed = bool(is_error) or looks_failed(text)
        for view in views:
            text = view.observed(asked, text)
        call = done_call(asked.version, asked.arguments, whose)
        if not holds_withheld(text):
            yield RecordedCall(
                call=call,
                content=text,
                same_as=_comparable(text),
                failed=failed,
                episode=episode.episode_id,
                task=episode.task_key or episode.episode_id,
            )


def _with_told(made: Sequence[RecordedCall]) -> list[RecordedCall]:
    """The calls with what answers to them name."""
    answers = sets_by_key((one.call.text, one.content) for one in made if not one.failed)
    told = {text: names_told(contents) for text, contents in answers.items()}
    return [
        replace(one, call=replace(one.call, told=told.get(one.call.text, frozenset())))
        for one in made
    ]


def _with_links(made: Sequence[RecordedCall], looks: Container[str]) -> list[RecordedCall]:
    """The calls with what looks at the things that they name show."""
    links = links_shown((o.call, o.content) for o in made if o.call.tool in looks and not o.failed)
    return [replace(o, call=replace(o.call, linked=linked_to(o.call, links))) for o in made]


def _comparable(content: str) -> str:
    parsed = parse_json(content)
    return canonical(parsed.value) if parsed is not None else content


def _trials(by_text: Mapping[str, Sequence[RecordedCall]]) -> Iterator[Trial]:
    for text in sorted(by_text):
        made = by_text[text]
        for one, other in _pairs(made):
            shown = names_shown(one.content) | names_shown(other.content)
            cells = differing(one.call, shown, one.past, other.past)
            base = baseline_cell(one.call, other.call.whose, is_own=one.task == other.task)
            yield Trial((base, *cells), one.same_as != other.same_as)


def _pairs(made: Sequence[RecordedCall]) -> Iterator[tuple[RecordedCall, RecordedCall]]:
    count = len(made)
    if count * (count - 1) // 2 <= MOST_PAIRS:
        yield from ((made[i], made[j]) for j in range(count) for i in range(j))
        return
    drawn = random.Random(0)  # noqa: S311 - the same pairs every time
    for _ in range(MOST_PAIRS):
        i, j = drawn.sample(range(count), 2)
        yield made[i], made[j]


@dataclass(frozen=True, slots=True)
class _WrittenRecordings:
    """Recordings with each past and each answer once."""

    calls: tuple[RecalledCall, ...]
    texts: tuple[str, ...]
    answers: Mapping[str, tuple[RecalledAnswer, ...]]


def _write_recordings(by_text: Mapping[str, Sequence[RecordedCall]]) -> _WrittenRecordings:
    """The recordings: each answer and each past once."""
    calls: dict[DoneCall, int] = {}
    texts: dict[str, int] = {}
    answers: dict[str, tuple[RecalledAnswer, ...]] = {}
    first: dict[str, str] = {}
    for text in sorted(by_text):
        told: dict[tuple[int, bool, tuple[int, ...], str], list[str]] = defaultdict(list)
        for one in by_text[text]:
            content = first.setdefault(one.same_as, one.content)
            past = tuple(calls.setdefault(before, len(calls)) for before in one.past)
            text_id = texts.setdefault(content, len(texts))
            told[text_id, one.failed, past, one.call.whose].append(one.episode)
        answers[text] = tuple(
            RecalledAnswer(content, failed, tuple(sorted(set(episodes))), past, whose)
            for (content, failed, past, whose), episodes in told.items()
        )
    return _WrittenRecordings(
        tuple(RecalledCall(call.text, call.tool) for call in calls), tuple(texts), answers
    )


def _scale(recall: Recall, made: Sequence[RecordedCall]) -> dict[str, float]:
    """How many times more often answers are wrong than they promise, seen on left-out episodes (`OWN`) and tasks (`OTHER`)."""
    every = made if len(made) <= MOST_LEFT_OUT else made[:: len(made) // MOST_LEFT_OUT + 1]
    tasks = sets_by_key((one.task, one.episode) for one in made)
    found: dict[str, float] = {}
    for origin in (OWN, OTHER):
        wrong = promised = 1.0
        for one in every:
            mine = frozenset(tasks[one.task])
            alone = frozenset({one.episode})
            own, without = (mine - alone, alone) if origin == OWN else (frozenset[str](), mine)
            best = recall.most_probable(one.call, one.past, own, without=without)
            if best is not None and best.confidence >= 0.5 and best.is_own == (origin == OWN):
                wrong += _comparable(best.answer.content) != one.same_as
                promised += 1.0 - best.confidence
        found[origin] = round(max(1.0, wrong / promised), 4)
    return found
