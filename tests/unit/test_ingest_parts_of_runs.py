"""Runs whose parts lie apart: one event a file, a list in a folder, an archive, groups of messages, calls that repeat the history."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ingest.files.chat_log import Chat
from ingest.files.run_states import whole_runs
from ingest.files.telemetry_files import read_source, sources_in
from ingest.formats.format import Decoded
from ingest.formats.records.words import snake_case
from ingest.otlp.decode import decode
from ingest.records.quarantine import Rejected
from ingest.tables import archives
from tests.unit.ingest_emitters import APP
from tests.unit.test_ingest_harnesses import (
    ANSWER,
    ASKED,
    FIND,
    PROMPT,
    WHOLE,
    Record,
    answered,
    call,
    decoded,
    only,
    said,
    told,
)

RUN: list[tuple[str, str | None, list[Any]]] = [("system", PROMPT, []), *WHOLE]


def written(folder: Path, files: Mapping[str, object]) -> Path:
    """A folder of files, each a document."""
    for name, value in files.items():
        path = folder / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return folder / "runs"


def taken_in(path: Path) -> Decoded:
    """What a folder holds once the parts of each run are put together."""
    found = Decoded()
    for source in whole_runs(sources_in(path, app=APP)):
        for part in read_source(source, None, among_others=True):
            if isinstance(part, Rejected):
                found.rejected.append(part)
            else:
                found.add(decode(part.stored(1)))
    return found


def events(name: str, messages: list[Record]) -> dict[str, object]:
    """A file for each message."""
    return {f"{name}/events/event-{n:05}-{9 * n:04x}.json": one for n, one in enumerate(messages)}


def test_events_of_one_file_each_are_a_conversation(tmp_path: Path) -> None:
    """It has the name of its folder; what lies beside the events is no part of it."""
    files = events("a7", answered()) | events("b8", answered()) | {"a7/state.json": {"idle": True}}
    found = taken_in(written(tmp_path, files))
    assert [told(chat.episode.steps) for chat in found.chats] == [RUN, RUN]
    assert [chat.episode.conversation_id for chat in found.chats] == ["a7", "b8"]


@pytest.mark.parametrize(
    "files",
    [
        {f"chats/{n}.json": {"messages": answered(n)} for n in (1, 2, 3)},
        {f"run/events/{n}.json": one for n, one in zip((1, 2, 3, 5, 6), answered(), strict=True)},
        {f"asked/{n}.json": said("user", f"{ASKED} {n}") for n in (1, 2, 3)},
    ],
)
def test_numbered_files_that_are_no_events(tmp_path: Path, files: dict[str, object]) -> None:
    """Conversations of their own, numbers with a gap, and one side alone stay files of their own."""
    folder = written(tmp_path, files)
    assert len(whole_runs(sources_in(folder, app=APP))) == len(files)


def test_ids_far_apart_are_no_numbers_that_are_counted_through(tmp_path: Path) -> None:
    """A folder of ids costs no memory for those that are not there."""
    folder = written(
        tmp_path, {f"part_{n}ab.json": {"id": n} for n in (3, 170_000_000, 999_999_999)}
    )
    tracemalloc.start()
    kept = whole_runs(sources_in(folder, app=APP))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == 3
    assert peak < 50_000_000


def sdk_events() -> list[Record]:
    """A run as OpenHands' SDK saves it: the model's own messages and calls, and what came of these."""
    text = {"cache_prompt": False, "type": "text"}
    given = {"boat": 7, "security_risk": "LOW"}
    act = {"tool_name": "find_boat", "tool_call_id": "k1"}
    asked = {**call(7)["function"], "id": "k1", "arguments": json.dumps(given)}
    tools = [{"type": "function", "function": {"name": "find_boat", "parameters": {}}}]
    seen = {"content": [text | {"text": '{"free": true}'}], "is_error": False}
    return [
        {"kind": "SystemPromptEvent", "source": "agent", "system_prompt": text | {"text": PROMPT}, "tools": tools},
        {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [text | {"text": ASKED}]}},
        {"kind": "StateEvent", "source": "environment", "key": "status", "value": "running"},
        {"kind": "ActionEvent", "source": "agent", "thought": [], "reasoning_content": "hm", "action": {"boat": 7}, "tool_call": asked, "llm_response_id": "r1", "security_risk": "LOW", **act},
        {"kind": "ObservationEvent", "source": "environment", "observation": seen, **act},
        {"kind": "MessageEvent", "source": "agent", "llm_message": {"role": "assistant", "content": [text | {"text": ANSWER}]}},
    ]  # fmt: skip


def test_events_of_an_sdk_that_hold_the_models_messages(tmp_path: Path) -> None:
    """An argument that the event itself says is the program's, and no argument of the tool."""
    (chat,) = taken_in(written(tmp_path, events("a7", sdk_events()))).chats
    assert told(chat.episode.steps) == RUN
    assert [json.loads(one)["function"]["name"] for one in chat.episode.tools] == ["find_boat"]
    assert "reasoning_left_out" in chat.episode.completeness


def test_a_call_that_a_user_or_the_program_refused(tmp_path: Path) -> None:
    """What stands in the place of its result is the result, and the call failed."""
    for key in ("error", "rejection_reason"):
        refused = {"kind": "Refused", "source": "environment", "tool_call_id": "k1", key: "No."}
        (chat,) = decoded(tmp_path, [*sdk_events()[:4], refused]).chats
        last = chat.episode.steps[-1]
        assert (last.role, last.content, last.is_error) == ("tool", "No.", True)


def evaluation() -> dict[str, object]:
    """A log of Inspect AI as its archives keep it: the head, and a folder with the samples."""
    sample = {
        "epoch": 1,
        "messages": answered(),
        "scores": {"match": {"value": "C"}},
        "target": "x",
    }
    files: dict[str, object] = {f"samples/{n}_epoch_1.json": {"id": n, **sample} for n in (1, 2)}
    return files | {"header.json": {"eval": {"task": "boats", "model": "m-1"}, "status": "success"}}


def packed(folder: Path, files: Mapping[str, object], name: str = "log.eval") -> Path:
    """An archive of documents."""
    path = folder / "runs" / name
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, value in files.items():
            archive.writestr(member, json.dumps(value))
    return path


@pytest.mark.parametrize("kept", [written, packed])
def test_a_list_whose_elements_a_folder_holds(
    tmp_path: Path, kept: Callable[[Path, Mapping[str, object]], Path]
) -> None:
    """The document above the folder says what goes for all of them; in an archive as on the disk."""
    found = taken_in(kept(tmp_path, evaluation()))
    assert [(c.episode.task_key, c.episode.model) for c in found.chats] == [
        ("boats/1", "m-1"),
        ("boats/2", "m-1"),
    ]
    assert [one.value for chat in found.chats for one in chat.outcomes] == [1.0, 1.0]


def test_an_archive_is_read_as_the_folder_that_it_holds(tmp_path: Path) -> None:
    """Its members have its name before their own; a name that leads out of the folder is only a name, and nothing is unpacked."""
    files = {"a/1.json": {"messages": answered()}, "../../out.json": {"messages": answered()}}
    path = packed(tmp_path, files, "runs.zip")
    for place in (path, path.parent):
        names = [one.name for one in whole_runs(sources_in(place, app=APP))]
        assert names == ["runs.zip/../../out.json", "runs.zip/a/1.json"]
    found = taken_in(path)
    assert [told(chat.episode.steps) for chat in found.chats] == [RUN, RUN]
    assert sorted(one.name for one in tmp_path.rglob("*") if one.is_file()) == ["runs.zip"]


@pytest.mark.parametrize("bound", ["_MOST_BYTES", "_MOST_MEMBERS"])
def test_an_archive_larger_than_anybody_writes_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    """It is refused with what to do, as is any other packed file."""
    monkeypatch.setattr(archives, bound, 1)
    files = {f"{n}.json": {"messages": answered()} for n in (1, 2)}
    (refused,) = taken_in(packed(tmp_path, files)).rejected
    assert "unpack it" in refused.reason


def test_a_damaged_member_is_refused_alone(tmp_path: Path) -> None:
    """What can be read of the archive is."""
    path = packed(tmp_path, {f"{n}.json": {"messages": answered(n)} for n in (1, 2)})
    data = bytearray(path.read_bytes())
    data[45:60] = bytes(15)
    path.write_bytes(data)
    found = taken_in(path)
    assert [one.code for one in found.rejected] == ["unreadable_file"]
    assert len(found.chats) == 1


def test_messages_in_groups_of_which_none_is_a_conversation(tmp_path: Path) -> None:
    """A turn a group, and in it a step a group; what the log says for itself is left out."""
    opened, asked, acts, seen, answer = answered()
    acts = said("assistant", [{"find_boat": json.dumps({"boat": 7})}])  # type: ignore[arg-type]  # a list of calls
    log = said("handler_log", "Decoded.")
    seen = {key: one for key, one in seen.items() if key != "tool_call_id"}
    turns = [[said("state_info", "{}")], {"query": [opened, asked], "step_0": [acts, log, seen], "step_1": [answer, log]}]  # fmt: skip
    chat = only(tmp_path, {"id": "b-1", "log": turns, "cost": [[1, 2]]})
    assert told(chat.episode.steps) == RUN
    assert "side_events_left_out" in chat.episode.completeness


def test_groups_that_are_conversations_stay_apart(tmp_path: Path) -> None:
    """A list of lists in which both sides speak is several conversations."""
    found = decoded(tmp_path, {"runs": [answered(1), answered(2)]})
    assert len(found.chats) == 2


STOP = "<end_code>"


def programs(n: int) -> list[Record]:
    """An agent that answers by programs, as its history shows it: with the mark at which the model was stopped."""
    told_: list[Record] = [said("system", PROMPT), said("user", ASKED)]
    for number in range(n):
        told_ += [
            said("assistant", f"Thought: I look.\nCode:\n```py\nfind_boat({number})\n```{STOP}"),
            said("user", f"Observation: taken {number}"),
        ]
    return told_


def test_calls_to_a_model_that_others_go_on_from(tmp_path: Path) -> None:
    """The answer comes without the mark that the history shows; the last one is a program as well, and a list says how the run went."""
    calls = [
        {
            "id": f"c{n}",
            "task_id": "t1",
            "started_at": f"2026-03-02T08:00:0{n}Z",
            "inputs": {"model": "m", "messages": programs(n)},
            "output": {"id": f"r{n}", "choices": [{"message": said("assistant", f"I look.\n```py\nfind_boat({n})\n```" if n == 3 else f"Thought: I look.\nCode:\n```py\nfind_boat({n})\n```")}]},
        }
        for n in range(4)
    ]  # fmt: skip
    results = {"results": {"successful_tasks": ["t0"], "failed_tasks": ["t1"]}}
    (chat,) = decoded(tmp_path, {**results, "calls": calls}).chats
    assert [json.loads(c.arguments)["command"] for s in chat.episode.steps for c in s.tool_calls] == [
        f"find_boat({n})" for n in range(4)
    ]  # fmt: skip
    assert {c.name for s in chat.episode.steps for c in s.tool_calls} == {"python"}
    assert {s.content for s in chat.episode.steps if s.tool_calls} == {
        "Thought: I look.",
        "I look.",
    }
    assert [(one.name, one.value) for one in chat.outcomes] == [("resolved", 0.0)]


def test_an_agent_that_first_says_that_it_understood(tmp_path: Path) -> None:
    """From its first program on it does nothing else but for its last message."""
    acted = programs(2)[2:]
    messages = [said("user", PROMPT), said("assistant", "OK"), said("user", ASKED), *acted, said("assistant", ANSWER)]  # fmt: skip
    steps = only(tmp_path, {"messages": messages}).episode.steps
    assert [s.role for s in steps if s.tool_calls or s.role == "tool"] == ["assistant", "tool"] * 2


def test_what_users_asked_in_a_list_of_its_own_is_no_conversation(tmp_path: Path) -> None:
    """The program's history of inputs names the sessions whose files hold the rest."""
    rows = [{"sessionId": f"s{n}", "type": "user", "message": ASKED} for n in (1, 2)]
    found = decoded(tmp_path, rows)
    assert found.chats == []


def test_an_answer_that_a_call_gave_is_not_said_again(tmp_path: Path) -> None:
    """What stands beside the messages as the answer was the argument of the last call."""
    final = {"id": "c9", "type": "function", "function": {"name": "final_answer", "arguments": '{"answer": "free"}'}}  # fmt: skip
    messages = [*answered()[:4], said("assistant", None, tool_calls=[final]), said("tool", "free", tool_call_id="c9")]  # fmt: skip
    chat: Chat = only(tmp_path, {"id": "7", "messages": messages, "prediction": "free"})
    assert [(s.role, s.content) for s in chat.episode.steps][-2:] == [("assistant", None), ("tool", "free")]  # fmt: skip
    assert chat.episode.steps[2].tool_calls[0].name == FIND[0][0]


def kept_apart() -> dict[str, list[Record]]:
    """A session, its messages and their parts as rows that name one another; all answers to a question name it."""
    at = 1_793_527_200_000
    state = {"status": "completed", "input": {"boat": 7}, "output": '{"free": true}'}
    messages = [("m-1", "user"), ("m-2", "assistant"), ("m-3", "assistant")]
    parts: list[tuple[str, Record]] = [
        ("m-1", {"type": "text", "text": ASKED}),
        ("m-2", {"type": "step-start", "snapshot": "f0"}),
        ("m-2", {"type": "tool", "callID": "c1", "tool": "find_boat", "state": state}),
        ("m-2", {"type": "step-finish", "reason": "tool-calls"}),
        ("m-3", {"type": "text", "text": ANSWER}),
    ]
    return {
        "session": [{"id": "s-1", "projectID": "p-1", "title": "A boat", "time": {"created": at}}],
        "message": [
            {"id": key, "sessionID": "s-1", "role": role, "time": {"created": at + 1000 * n}}
            | ({"parentID": "m-1"} if n else {})
            for n, (key, role) in enumerate(messages)
        ],
        "part": [
            {"id": f"r-{n}", "sessionID": "s-1", "messageID": key, **one}
            for n, (key, one) in enumerate(parts)
        ],
    }


ABOVE = {"session": "projectID", "message": "sessionID", "part": "messageID"}


def test_documents_that_name_one_another_are_one_conversation(tmp_path: Path) -> None:
    """Each is called by its id, in a folder with the id of the one that it names; other documents beside them stay what they are."""
    rows = kept_apart()
    files: dict[str, object] = {
        f"store/{kind}/{row[ABOVE[kind]]}/{row['id']}.json": row for kind in rows for row in rows[kind]
    }  # fmt: skip
    files |= {"store/project/p-1.json": {"id": "p-1", "vcs": "git"}, "store/todo/s-1.json": []}
    found = taken_in(written(tmp_path, files))
    assert [told(one.episode.steps) for one in found.chats] == [WHOLE]
    assert [one.episode.conversation_id for one in found.chats] == ["s-1"]


def test_rows_of_a_database_that_name_one_another_are_one_conversation(tmp_path: Path) -> None:
    """The same in tables, what each row says as JSON in a column."""
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as database:
        for kind, rows in kept_apart().items():
            above = snake_case(ABOVE[kind])
            database.execute(f"create table {kind} (id text, {above} text, time_created int, data text)")  # fmt: skip
            for row in rows:
                data = {key: one for key, one in row.items() if key not in {"id", ABOVE[kind]}}
                cells = (row["id"], row[ABOVE[kind]], 1_793_527_200_000, json.dumps(data))
                database.execute(f"insert into {kind} values (?, ?, ?, ?)", cells)  # noqa: S608 - a test's own names
        database.commit()
    found = taken_in(path)
    assert [told(one.episode.steps) for one in found.chats] == [WHOLE]


def test_calls_to_a_model_that_lie_in_numbered_folders(tmp_path: Path) -> None:
    """Each file holds one call, which repeats those before it; the last one's answer ends the run."""
    history = programs(3)
    files: dict[str, object] = {
        f"boat/episode-{n}/call.json": {
            "model": "m",
            "messages": history[: 2 + 2 * n],
            "response": {"id": f"r{n}", "choices": [{"message": history[2 + 2 * n]}]},
        }
        for n in range(3)
    }
    (chat,) = taken_in(written(tmp_path, files)).chats
    assert len([one for one in chat.episode.steps if one.tool_calls]) == 3
    files["boat/episode-1/call.json"] = {**files["boat/episode-0/call.json"]}  # type: ignore[dict-item]
    found = taken_in(written(tmp_path / "apart", files))
    assert (len(found.chats), len(found.spans)) == (0, 3)
