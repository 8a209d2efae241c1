"""What platforms keep in tables and lists of their own beside the messages: thumbs, runs, steps, marks on spans."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from ingest.assembly.assemble import assemble
from ingest.files.mapping import layout_of
from ingest.files.telemetry_files import sources_in
from ingest.formats.records.words import snake_case
from tests.unit.exported_lines import (
    ARGUMENTS,
    EXPECTED,
    decoded_below,
    only_episode,
    read,
    told,
)
from tests.unit.ingest_emitters import APP, MODEL_CALLS, TOOL

Record = dict[str, Any]
TIMES = [f"2026-11-01T10:00:0{number}Z" for number in range(6)]


def sheet(path: Path, rows: list[Record]) -> None:
    """A table; a value that is no text is written as Python shows it, as data frames are."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def lines(path: Path, rows: list[Record]) -> None:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def talks(folder: Path, **ids: list[str]) -> Path:
    """Two talks whose own table says all that was said, and what two other tables know of them."""
    names = ids.get("talks", ["t-1a", "t-2b"])
    said = [
        {"id": f"m-{n}{role[0]}", "threadId": talk, "type": f"{role}_message", "output": f"Hi {n} from {role}.", "createdAt": at}
        for n, talk in enumerate(names)
        for role, at in (("user", TIMES[0]), ("assistant", TIMES[2]))
    ]  # fmt: skip
    sheet(folder / "steps.csv", said)
    marks = [(names[1], "0"), (names[1], "1")]
    sheet(folder / "feedbacks.csv", [{"id": f"f-{n}", "threadId": t, "value": v} for n, (t, v) in enumerate(marks)])  # fmt: skip
    return folder


def test_thumbs_in_a_table_of_their_own(tmp_path: Path) -> None:
    """Messages that name their conversation and all that is said still have their verdicts in another table; the last one counts."""
    found = decoded_below(talks(tmp_path), app=APP)
    assert found.rejected == []
    marks = {c.episode.conversation_id: [o.value for o in c.outcomes] for c in found.chats}
    assert marks == {"t-1a": [], "t-2b": [1.0]}


def test_counted_ids_of_other_tables_are_nobodys(tmp_path: Path) -> None:
    """A table of users counts from one, as conversations do: its rows are beside none."""
    folder = talks(tmp_path, talks=["1", "2"])
    sheet(folder / "users.csv", [{"id": n, "user_id": f"u{n}", "rating": n} for n in (1, 2)])
    found = decoded_below(folder, app=APP)
    assert [c.episode.subject for c in found.chats] == [None, None]
    marks = {c.episode.conversation_id: [(o.name, o.value) for o in c.outcomes] for c in found.chats}  # fmt: skip
    assert marks == {"1": [], "2": [("feedback", 1.0)]}


def dumped(folder: Path) -> Path:
    """Objects of a service as its lists show them, the newest first: messages, the steps of runs with their calls, the runs, the threads."""
    whole = {"thread_id": "th-1", "run_id": "run-1"}
    call = {"id": "c1", "type": "function", "function": {"name": "find_order", "arguments": json.dumps(ARGUMENTS), "output": '{"state": "sent"}'}}  # fmt: skip
    at = 1_793_527_200
    steps: list[Record] = [
        {"id": "st-2", "type": "message_creation", "created_at": at + 4, "step_details": {"message_id": "m-2"}},
        {"id": "st-1", "type": "tool_calls", "created_at": at + 2, "step_details": {"tool_calls": [call]}},
    ]  # fmt: skip
    said = [("assistant", "It was sent.", at + 4), ("user", "Where is my order A1?", at)]
    messages = [
        {"id": f"m-{n}", "created_at": when, "role": role, "content": [{"type": "text", "text": {"value": words}}], **whole}
        for n, (role, words, when) in enumerate(said)
    ]  # fmt: skip
    run = {"id": "run-1", "thread_id": "th-1", "created_at": at, "instructions": "Be kind.", "tools": [TOOL]}  # fmt: skip
    lines(folder / "messages.jsonl", messages)
    lines(folder / "run_steps.jsonl", [{**step, **whole} for step in steps])
    lines(folder / "runs.jsonl", [run, {**run, "id": "run-0"}])
    lines(folder / "threads.jsonl", [{"id": "th-1", "metadata": {"feedback": "up"}}])
    return folder


def test_lists_of_a_service_are_tables_too(tmp_path: Path) -> None:
    """Calls stand in steps, the prompt and the tools in all runs of the thread, the verdict on the thread."""
    found = decoded_below(dumped(tmp_path), app=APP)
    episode = only_episode(found)
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (episode.conversation_id, len(episode.tools)) == ("th-1", 1)
    assert [one.label for one in found.chats[0].outcomes] == ["up"]


def test_runs_of_several_agents_give_no_prompt(tmp_path: Path) -> None:
    """Where the runs of a thread have different instructions, none is told as that of all."""
    folder = dumped(tmp_path)
    runs = [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]
    lines(folder / "runs.jsonl", [{**runs[0], "instructions": "Be quick."}, runs[1]])
    found = decoded_below(folder, app=APP)
    assert [s.role for s in found.chats[0].episode.steps] == ["user", "assistant", "tool", "assistant"]  # fmt: skip


def test_a_mapping_is_about_the_lines_as_they_stand(tmp_path: Path) -> None:
    """Who maps the files of a folder knows their own lines: none of them is put together with others."""
    folder = dumped(tmp_path)
    layout = layout_of({"conversation": {"messages": "messages"}}, name="m.toml")
    assert len(list(sources_in(folder))) < len(list(sources_in(folder, layout=layout))) == 4


def test_files_of_messages_without_tables_stay_apart(tmp_path: Path) -> None:
    """Two files of lines that name nothing of each other are read each for itself."""
    for name in "ab":
        said = [{"session_id": name, "role": role, "content": f"{role} {name}", "created_at": at} for role, at in (("user", TIMES[0]), ("assistant", TIMES[1]))]  # fmt: skip
        lines(tmp_path / f"{name}.jsonl", said)
    found = decoded_below(tmp_path, app=APP)
    assert sorted(str(c.episode.conversation_id) for c in found.chats) == ["a", "b"]


def flat(messages: list[Record]) -> list[Record]:
    """Messages as a client flattens them."""
    found = []
    for one in messages:
        calls = [
            {"tool_call.id": call["id"], "tool_call.function.name": call["function"]["name"], "tool_call.function.arguments": call["function"]["arguments"]}
            for call in one.get("tool_calls") or ()
        ]  # fmt: skip
        names = ("role", "content", "tool_call_id")
        told_there = {f"message.{name}": one[name] for name in names if one.get(name)}
        found.append(told_there | ({"message.tool_calls": calls} if calls else {}))
    return found


def frames(folder: Path) -> Path:
    """A data frame of spans and one of what was marked on them, as CSV: lists in Python's notation."""
    spans: list[Record] = [
        {"context.span_id": f"s{n}", "name": "model", "span_kind": "LLM", "parent_id": "s9", "start_time": TIMES[n], "context.trace_id": "t1", "events": "[]",
         "attributes.llm.input_messages": flat(given), "attributes.llm.output_messages": flat([made])}
        for n, (given, made) in enumerate(MODEL_CALLS)
    ]  # fmt: skip
    sheet(folder / "spans.csv", spans)
    marks = [("correctness", 1.0), ("tone", 0.0)]
    rows = [
        {"span_id": "s1", "annotation_name": name, "annotator_kind": "HUMAN", "metadata": "{}", "created_at": TIMES[5], "result.score": score, "result.explanation": "as it should be"}
        for name, score in marks
    ]  # fmt: skip
    sheet(folder / "marks.csv", rows)
    return folder


def test_data_frames_of_spans_and_of_marks_on_them(tmp_path: Path) -> None:
    """The rows of the second table name spans of the first."""
    found = decoded_below(frames(tmp_path), app=APP)
    assert [told(step) for step in only_episode(found).steps] == EXPECTED
    mark, tone = found.outcomes
    assert (mark.name, mark.value, mark.by, mark.text) == ("correctness", 1.0, "reviewer", "as it should be")  # fmt: skip
    assert {(one.target_kind, one.target_id) for one in (mark, tone)} == {
        ("attribute", "span_id=s1")
    }
    assert assemble(found.spans, app=APP).episodes


def test_a_frame_of_what_an_evaluator_found_is_called_after_its_file(tmp_path: Path) -> None:
    """Only the file says what was judged; a figure alone on a span says nothing."""
    rows: list[Record] = [{"context.span_id": "s1", "label": "wrong", "score": 0.0, "explanation": "It does not say where the order is."}]  # fmt: skip
    sheet(tmp_path / "correctness.csv", rows)
    sheet(tmp_path / "took.csv", [{"context.span_id": "s1", "score": 3.0}])
    found = decoded_below(tmp_path, app=APP)
    (mark,) = found.outcomes
    assert (mark.name, mark.value, mark.label) == ("correctness", 0.0, "wrong")


def test_a_page_of_verdicts_on_sessions(tmp_path: Path) -> None:
    """As a service answers who asks for them; beside conversations a list of verdicts stays what it was."""
    rows: list[Record] = [{"session_id": "c1", "name": "helped", "annotator_kind": "HUMAN", "result": {"score": 1, "label": None}}]  # fmt: skip
    path = tmp_path / "page.json"
    path.write_text(json.dumps({"data": rows, "next_cursor": None}))
    (mark,) = decoded_below(path, app=APP).outcomes
    assert (mark.target_kind, mark.target_id, mark.value, mark.by) == ("conversation", "c1", 1.0, "reviewer")  # fmt: skip
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    path.write_text(json.dumps({"chats": [{"id": "c1", "messages": messages}], "marks": rows}))
    assert len(decoded_below(path, app=APP).chats) == 1


def parts(folder: Path, *, snake: bool) -> Path:
    """What Langfuse knows of one trace, as files of its own: its row, its observations the newest first, and its scores as a table."""
    trace = {"id": "t1", "timestamp": TIMES[0], "name": "turn", "sessionId": "c1", "userId": "u1", "tags": [], "public": False,
             "input": {"message": "Where is my order A1?"}, "output": {"reply": "It was sent."}}  # fmt: skip
    seen = [
        {"id": f"o{n}", "traceId": "t1", "type": "GENERATION", "parentObservationId": None, "name": "chat", "level": "DEFAULT", "startTime": TIMES[n], "endTime": TIMES[n + 1],
         "input": {"messages": given, "tools": [TOOL]}, "output": made, "metadata": {"resourceAttributes": {"service.name": "other"}}}
        for n, (given, made) in enumerate(MODEL_CALLS)
    ]  # fmt: skip
    scores = [{"id": "s1", "timestamp": TIMES[5], "traceId": "t1", "observationId": "", "name": "helped", "value": 1, "stringValue": "", "source": "ANNOTATION", "dataType": "NUMERIC"}]  # fmt: skip
    spelt = snake_case if snake else str
    for name, rows in (("traces", [trace]), ("observations", seen[::-1])):
        told_of = [{spelt(key): one for key, one in row.items()} for row in rows]
        (folder / f"{name}.json").write_text(json.dumps(told_of))
    sheet(folder / "scores.csv", [{spelt(key): one for key, one in row.items()} for row in scores])
    return folder


def test_the_tables_of_a_platform_are_files_of_their_own(tmp_path: Path) -> None:
    """Observations, the traces that say whose they are, and scores are one conversation with its outcome, in either spelling; the trace repeats no step."""
    for snake in (False, True):
        found = decoded_below(parts(tmp_path, snake=snake), app=APP)
        episode = only_episode(found)
        assert [told(step) for step in episode.steps] == EXPECTED
        assert (episode.conversation_id, episode.subject, len(episode.tools)) == ("c1", "u1", 1)
        (score,) = found.outcomes
        assert (score.name, score.value, score.by, score.target_kind, score.target_id) == ("helped", 1.0, "reviewer", "trace", "t1")  # fmt: skip


def test_traces_alone_say_what_was_asked_and_answered(tmp_path: Path) -> None:
    """Without observations the trace's own input and output are the turn."""
    parts(tmp_path, snake=False)
    row = json.loads((tmp_path / "traces.json").read_text())[0]
    episode = only_episode(read(tmp_path, [{**row, "output": "It was sent.", "observations": ["o1"]}]))  # fmt: skip
    assert [told(step)[:2] for step in episode.steps] == [("user", "Where is my order A1?"), ("assistant", "It was sent.")]  # fmt: skip


def test_a_table_of_what_was_marked_on_spans_alone(tmp_path: Path) -> None:
    """A plain `name` is the verdict's where a column says who judged; the spans may be in a file of any other kind."""
    rows = [{"span_id": "s1", "trace_id": "t1", "name": name, "label": "", "score": score, "explanation": "as it should be", "annotator_kind": "LLM"} for name, score in (("done", 1.0), ("done", 0.0))]  # fmt: skip
    sheet(tmp_path / "marks.csv", rows)
    found = decoded_below(tmp_path, app=APP)
    assert found.rejected == []
    assert [(one.name, one.value, one.by, one.target_id) for one in found.outcomes] == [("done", 1.0, "model", "t1:s1"), ("done", 0.0, "model", "t1:s1")]  # fmt: skip


def test_rows_of_a_database_in_one_list_stand_in_any_order(tmp_path: Path) -> None:
    """Where each names its conversation and its time, the times say in which order they were written."""
    said = [("c1", "assistant", 2), ("c2", "assistant", 3), ("c1", "user", 0), ("c2", "user", 1)]
    rows = [{"id": f"m{n}", "chatId": talk, "role": role, "parts": [{"type": "text", "text": f"{talk} {role}"}], "createdAt": TIMES[n]} for talk, role, n in said]  # fmt: skip
    (tmp_path / "Message_v2.json").write_text(json.dumps(rows))
    found = decoded_below(tmp_path, app=APP)
    assert {c.episode.conversation_id: [s.content for s in c.episode.steps] for c in found.chats} == {
        talk: [f"{talk} user", f"{talk} assistant"] for talk in ("c1", "c2")
    }  # fmt: skip


def test_a_figure_of_a_trace_without_a_name_is_no_verdict(tmp_path: Path) -> None:
    """What a row counts of a span is nobody's judgement, nor is what a program measures of itself."""
    rows: list[Record] = [
        {"trace_id": "t1", "span_id": "s1", "score": 3},
        {"trace_id": "t1", "span_id": "s1", "metric": "cpu_seconds", "value": 12},
        {"session_id": "c1", "metric": "latency", "value": 2.3},
    ]
    for row in rows:
        found = read(tmp_path, [row])
        assert found.outcomes == []
        assert len(found.rejected) == 1
    for name, figure in (("solved", "value"), ("faithfulness", "score")):
        found = read(tmp_path, [{"session_id": "c1", "metric": name, figure: 1}])
        assert [(one.name, one.value) for one in found.outcomes] == [(name, 1.0)]


def test_what_stands_beside_the_messages_of_a_record(tmp_path: Path) -> None:
    """A prompt among a chat's settings, tools by name in an object, a call whose result is JSON as text."""
    calls = [{"tool_name": "find_order", "args_json": json.dumps(ARGUMENTS), "result_json": '{"state": "sent"}'}]  # fmt: skip
    turns = [
        {"role": "user", "text": "Where is my order A1?"},
        {"role": "agent", "tool_calls": calls},
        {"role": "agent", "text": "It was sent."},
    ]
    chat = {"settings": {"system": "Be kind."}, "turns": turns}
    offered = {"tools": ["find_order", "cancel_order"]}
    episode = only_episode(read(tmp_path, [{"session_id": "c1", "agent": offered, "chat": chat}]))
    assert [told(step) for step in episode.steps] == EXPECTED
    assert len(episode.tools) == 2


def test_a_log_that_calls_its_agent_the_system(tmp_path: Path) -> None:
    """It greets before the user speaks; the id of what is installed there names no task."""
    said = [("SYSTEM", "Welcome."), ("CUSTOMER", "Where is A1?"), ("SYSTEM", "It was sent.")]
    items = [{"ParticipantRole": who, "Content": words, "AbsoluteTime": at} for (who, words), at in zip(said, TIMES, strict=False)]  # fmt: skip
    whole = {"InstanceId": "4d0b7d3e-5a11-4a77-9d37-8b7e5c2f1a90", "Transcript": items}
    episode = only_episode(read(tmp_path, [whole]))
    assert [step.role for step in episode.steps] == ["assistant", "user", "assistant"]
    assert episode.task_key is None
