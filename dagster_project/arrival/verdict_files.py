"""Verdicts and questions in files beside the runs: what a call's other files say of the conversations that it took in.

Comes in: the paths of the call, once their conversations are in the lake. Goes out: what to append to the lake, the files that told it, and a
refusal for each file whose names are unclear. Files are read once more, because a name means only what the call holds.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from dagster_project.arrival.attempt_ids import assign_ids, digest_of
from dagster_project.build.left_out import Skips
from dagster_project.lake.store import Lake
from environments.runtime.values.grouping import by_key
from ingest.assembly.assemble import assemble
from ingest.errors import IngestError
from ingest.files.chat_log import Chat
from ingest.files.file_source import FileSource
from ingest.files.run_states import whole_runs
from ingest.files.telemetry_files import files_below, read_source, sources_in
from ingest.formats.format import Decoded
from ingest.formats.records.fields import Fields
from ingest.formats.records.naming import naming_of
from ingest.formats.records.speech import is_withdrawn
from ingest.formats.records.verdicts import outcome_about
from ingest.formats.run_questions import Questions, tasks_beside, tasks_in_paths, template_around
from ingest.formats.run_verdicts import Parts, Run, Verdicts
from ingest.formats.spans.model_calls import RUN
from ingest.otlp.decode import decode
from ingest.records.episode import Episode, Step
from ingest.records.outcome import Outcome
from ingest.records.quarantine import Rejected
from ingest.records.span import SPAN_SCHEMA, Span, span_row
from ingest.records.text import NOT_JSON, load_json
from ingest.tables.cells import text_table

_LARGEST: Final = 64 << 20
"""Bytes of a file that is looked at: a run's own file, or one of verdicts."""
_MOST_SILENT: Final = 10_000
"""Conversations without a user, or without a task, that are held until all files are read; of spans about so many."""
_AT_ONCE: Final = 256
"""Conversations whose ids are looked up together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidBeside:
    """What the files of a call that hold no conversation say of those that others hold."""

    outcomes: list[Outcome]
    episodes: list[Episode]
    """Conversations once more, with the question, the task or the tools that they lacked."""
    spans: pa.Table
    """Spans once more, with the task that they were called for."""
    files: set[str]
    """The names of the files that told any of it."""
    refused: list[Rejected]
    """What may mean several conversations."""


def verdicts_on_runs(
    lake: Lake, paths: Sequence[Path], app: str | None, skips: Skips
) -> SaidBeside:
    """Read the call's files once more for what they say of runs; the lake is only asked which ids its conversations have."""
    whole = [path.resolve() for path in paths]
    top = Path(os.path.commonpath([path.parent for path in whole]))
    others: dict[str, FileSource] = {}
    sources = chain.from_iterable(whole_runs(sources_in(path, app=app)) for path in whole)
    silent: list[tuple[Run, Episode]] = []
    partial: list[tuple[Parts, Episode]] = []
    traced: dict[str, list[Span]] = {}
    runs = list(_runs(lake, _decoded(sources, top, others, skips), silent, partial, traced))
    places = {name: source.path.relative_to(top).parts for name, source in others.items()}
    verdicts = Verdicts(runs, {*places.values()})
    speaks = ((run, one, _first_words(one) is not None) for run, one in silent)
    lacking = [(one, Questions.names_of(run, is_said=said), said) for run, one, said in speaks]
    questions = Questions({name for _, names, _ in lacking for name in names})
    said: list[tuple[Parts, str]] = []
    in_rows: dict[str, str] = {}
    offered: dict[str, tuple[str, ...]] = {}
    for source in others.values() if runs else ():
        with skips.unit("file"):
            place = places[source.name]
            values = _read(source, place, verdicts, questions)
            said += [(place, n) for n in _tasks_of_one(values)]
            in_rows |= verdicts.tasks_in(values)
            offered |= verdicts.tools_in(values)
    found, unclear, used = verdicts.outcomes()
    told = [
        outcome_about(
            ("episode", run.episode_id), said, app=run.app, source="verdict_file", at=None
        )
        for run, said in found
    ]
    found_of = [
        (episode, one)
        for episode, names, is_said in lacking
        if (one := questions.question_of(names, is_said=is_said))
    ]
    # What a list asks under a name, all runs that go by it were asked.
    told_of = [(_with_question(e, text, name), file) for e, (text, file, name) in found_of]
    asked = [one for one, _ in told_of if one is not None]
    used |= {file for one, file in told_of if one is not None}
    known = {one.episode_id: one for one in asked}
    partial = [(at, known.get(one.episode_id, one)) for at, one in partial]
    unnamed = [(at, one) for at, one in partial if one.task_key is None]
    tasks = tasks_in_paths([(path, _first_words(one) or "") for path, one in unnamed])
    tasks |= tasks_beside([path for path, _ in unnamed], said)
    ids = ((number, one.episode_id) for number, (_, one) in enumerate(unnamed))
    tasks |= {number: in_rows[one] for number, one in ids if one in in_rows}
    asked += [replace(unnamed[n][1], task_key=name) for n, name in tasks.items()]
    known = {one.episode_id: one for one in asked}
    bare = (known.get(one.episode_id, one) for _, one in partial if not one.tools)
    asked += [
        replace(one, tools=tools)
        for one in bare
        if (tools := offered.get(one.episode_id)) and _are_those_of(one, tools)
    ]
    tried = [
        replace(span, attributes={**span.attributes, "tracegym.task_key": task})
        for one, task in in_rows.items()
        for span in traced.get(one, ())
    ]
    return SaidBeside(
        outcomes=told,
        episodes=asked,
        # Of a span that is there twice the fuller one counts; calls of two tasks are no conversation.
        spans=pa.Table.from_pylist(list(map(span_row, tried)), SPAN_SCHEMA),
        files=used | set(unclear),
        refused=[_refused(others[one], unclear[one]) for one in unclear],
    )


def may_name_tasks(paths: Sequence[Path]) -> bool:
    """Whether files or folders of one name stand in several folders, as they do where they are called by tasks."""
    below = (one for path in paths if path.is_dir() for one in files_below(path))
    return bool(tasks_in_paths([(one.parts, "") for one in below]))


def _refused(source: FileSource, names: Sequence[str]) -> Rejected:
    reason = f"{source.name} says how {names[0]} went, which fits several conversations or is said in two ways; name each run by its own folder, file or id."
    return source.refused("unclear_verdict", f"{reason} {len(names)} such verdicts were left out.")


def _decoded(
    sources: Iterable[FileSource], top: Path, others: dict[str, FileSource], skips: Skips
) -> Iterator[tuple[Parts, Decoded]]:
    """What each file holds; those that hold nothing but perhaps verdicts, also on copies of what earlier files of other names tell, are put among the others."""
    seen: dict[tuple[str | None, str], str] = {}
    for source in sources:
        found = Decoded()
        with skips.unit("file"):
            parts = read_source(source, None, among_others=True)
            for part in parts if source.size <= _LARGEST else ():
                found.add(Decoded() if isinstance(part, Rejected) else decode(part.stored(1)))
        said = {(one.episode.conversation_id, digest_of(one.episode.steps)) for one in found.chats}
        name = source.path.name
        told = {seen.setdefault(one, name) for one in said}
        judges = _verdicts(outcome for one in found.chats for outcome in one.outcomes)
        if name not in told and not (found.spans or found.outcomes or judges):
            others[source.name], found = source, Decoded()
        yield source.path.relative_to(top).parts, found


def _runs(
    lake: Lake,
    files: Iterable[tuple[Parts, Decoded]],
    silent: list[tuple[Run, Episode]],
    partial: list[tuple[Parts, Episode]],
    traced: dict[str, list[Span]],
) -> Iterator[Run]:
    """The runs of some files; those in which no user speaks are kept with what they say, and those of a file each that name no task or no tools; of spans one that may."""
    held: list[tuple[Parts, Chat]] = []
    sent: list[tuple[Parts, Decoded]] = []
    for path, found in chain(files, [((), Decoded())]):
        held += [(path, chat) for chat in found.chats]
        sent += [(path, found)] if found.spans else []
        if len(held) >= _AT_ONCE or not path:
            known = assign_ids(lake, [one for _, one in held])
            in_file = Counter(at for at, _ in held)
            for (at, own), chat in zip(held, known, strict=True):
                # Several files may have one id, of which only the first keeps it.
                run = _run(chat.episode, at, chat.outcomes, own.episode.conversation_id)
                words = _first_words(chat.episode)
                speaks = words is not None
                if ":" in (words or ":") and len(silent) < _MOST_SILENT:
                    silent.append((run, chat.episode))
                is_whole = chat.episode.task_key is not None and chat.episode.tools
                if speaks and not is_whole and len(partial) < _MOST_SILENT:
                    # One of several in a file stands there under its own id.
                    under = (own.episode.conversation_id or "",) if in_file[at] > 1 else ()
                    partial.append(((*at, *under), chat.episode))
                yield run
            held = []
        if sum(len(one.spans) for _, one in sent) >= _MOST_SILENT or not path:
            yield from _runs_of_spans(sent, traced)
            sent = []


def _runs_of_spans(
    sent: Sequence[tuple[Parts, Decoded]], traced: dict[str, list[Span]]
) -> Iterator[Run]:
    """The runs that the spans of several files make, each at the place of its first; one may go on in the next file."""
    events = [event for _, found in sent for event in found.events]
    in_trace = by_key((span.trace_id, (path, span)) for path, found in sent for span in found.spans)
    spans = [span for those in in_trace.values() for _, span in those]
    is_room = sum(map(len, traced.values())) < _MOST_SILENT
    for app in {span.app for span in spans}:
        made = assemble(spans, events, app=app)
        for episode in made.episodes:
            own = [one for trace in episode.trace_ids for one in in_trace.get(trace, ())]
            if is_room and episode.task_key is None:
                traced[episode.episode_id] = [span for _, span in own]
            names = {str(n) for _, s in own for n in (s.span_id, s.attributes.get(RUN, ""))}
            yield _run(episode, own[0][0] if own else (), made.outcomes, *names)


def _are_those_of(episode: Episode, tools: Sequence[str]) -> bool:
    """Whether all that an agent calls is among the tools of a list."""
    called = {call.name for step in episode.steps for call in step.tool_calls}
    return called <= {json.loads(one)["function"]["name"] for one in tools}


def _first_words(episode: Episode) -> str | None:
    return next((step.content or "" for step in episode.steps if step.role == "user"), None)


def _with_question(episode: Episode, question: str, name: str) -> Episode | None:
    """The conversation with what it was asked under a name: where no user speaks, or in the place of a template around that; None where the user says something else."""
    place = next((n for n, one in enumerate(episode.steps) if one.role == "user"), None)
    said = Step(role="user", content=question)
    if place is None:
        return replace(episode, steps=(said, *episode.steps), task_key=episode.task_key or name)
    own = episode.steps[place]
    around = template_around(own.content or "", question)
    if around is None:
        return None
    prompt = Step(role="system", content=around)
    before, after = episode.steps[:place], episode.steps[place + 1 :]
    return replace(episode, steps=(prompt, *before, replace(own, content=question), *after))


def _run(episode: Episode, path: Parts, told: Iterable[Outcome], *shared: str | None) -> Run:
    return Run(
        app=episode.app,
        episode_id=episode.episode_id,
        path=path,
        names=tuple(filter(None, (episode.conversation_id, *shared, episode.task_key))),
        verdicts=_verdicts(one for one in told if one.episode_id == episode.episode_id),
    )


def _verdicts(told: Iterable[Outcome]) -> frozenset[str]:
    """The names under which outcomes say how it went."""
    return frozenset(one.name for one in told if one.value is not None or one.label)


def _read(source: FileSource, path: Parts, verdicts: Verdicts, questions: Questions) -> list[Any]:
    """Take in what one file says, as a table, as JSON or as text; returns its values."""
    values: list[Any] = []
    is_lines = source.path.suffix.lower() == ".tsv"
    try:
        with source.opened() as stream:
            body = stream.read(_LARGEST)
    except (IngestError, OSError):
        return []  # said where the file was taken in
    if source.path.suffix.lower() in {".csv", ".tsv"}:
        values = list(text_table(source).rows())
    elif body.lstrip()[:1] in {b"{", b"["}:
        whole = load_json(body)
        values = [whole] if whole is not NOT_JSON else list(map(load_json, body.splitlines()))
    is_text = (is_lines or not values) and b"\0" not in body
    text = body.decode("utf-8", "replace") if is_text else ""
    questions.add(source.name, values, text if is_lines else "")
    if values:
        kept = [one for one in values if one is not NOT_JSON and not is_withdrawn(one)]
        verdicts.add(source.name, path, kept)
    elif text:
        verdicts.add_text(source.name, path, text)
    return values


def _tasks_of_one(values: Sequence[Any]) -> Iterable[str]:
    """The task that a file names, if it is one document."""
    named = [naming_of(Fields(one)) for one in values if isinstance(one, dict) and not values[1:]]
    return filter(None, [one.task or one.named for one in named])
