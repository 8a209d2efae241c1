"""Tables as applications export them: whatever the layout, two mixed conversations come out word for word, or the file is refused."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.files.explain import explain
from ingest.files.file_source import FileSource
from ingest.files.mapping import load_mapping
from ingest.files.telemetry_files import sources_in
from ingest.records.episode import Episode
from ingest.tables.cells import text_table
from ingest.tables.folder import joined_files
from tests.unit.exported_lines import decoded_below
from tests.unit.ingest_emitters import APP

Row = dict[str, Any]
ASKED = 'Where is "A1"?\nIt is late; please, look.'
SENT = "Sent on Monday, before 18:00."
FOUND = '{"id": 7, "state": "sent"}'
BOOKED = ""  # a tool that returns nothing
TALKS: dict[str, list[tuple[Any, ...]]] = {
    "c1": [
        ("user", ASKED),
        ("call", "find", {"order": "A1"}, FOUND),
        ("assistant", SENT),
        ("user", '{"x": 1}'),
        ("call", "book", {"id": 7, "at": None}, BOOKED),
        ("assistant", "Booked."),
    ],
    "c2": [("assistant", "Hi!"), ("user", "42"), ("assistant", "That is no question.")],
}
START = datetime.fromisoformat("2026-09-01T08:00:00")


def rows_of() -> list[Row]:
    """What happened, a message or a call each, conversations mixed as they happened."""
    rows: list[Row] = []
    for talk, told in TALKS.items():
        for number, (kind, *said) in enumerate(told):
            at = START + timedelta(seconds=10 * number)
            rows.append(
                {
                    "talk": talk,
                    "number": number + 1,
                    "at": at,
                    "kind": kind,
                    "said": said,
                    "mark": "",
                }
            )
        rows[-1]["mark"] = 5 if talk == "c1" else ""
    return sorted(rows, key=lambda row: row["at"])


def apart(rows: Iterable[Row]) -> list[Row]:
    """The same with a row for each call and a row for its result."""
    found: list[Row] = []
    for row in rows:
        if row["kind"] != "call":
            found.append(row)
            continue
        name, arguments, result = row["said"]
        call = f"k{row['talk']}{row['number']}"
        found.append({**row, "said": [name, arguments], "call": call})
        found.append({**row, "kind": "result", "said": [name, result], "call": call})
    return found


def told(episode: Episode) -> list[tuple[Any, ...]]:
    """An episode in the words of `TALKS`."""
    found: list[tuple[Any, ...]] = []
    place: dict[str | None, int] = {}
    for step in episode.steps:
        if step.role == "tool":
            found[place[step.call_id]] += (step.content,)
        elif step.content and step.role != "system":
            found.append((step.role, step.content))
        for call in step.tool_calls:
            place[call.call_id] = len(found)
            found.append(("call", call.name, json.loads(call.arguments)))
    return found


def table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], **how: Any) -> Path:  # noqa: ANN401 - csv's own
    """A CSV file."""
    with path.open("w", newline="", encoding=how.pop("encoding", "utf-8")) as file:
        writer = csv.writer(file, **how)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def english(folder: Path) -> Path:
    """Excel's UTF-8, calls and results in rows of their own, the rating in the last row, the newest row first."""
    rows = [
        (
            row["at"].isoformat(),
            row["talk"],
            {"user": "customer", "result": "tool"}.get(row["kind"], "bot"),
            row["said"][-1] if row["kind"] in {"user", "assistant", "result"} else "",
            row["said"][0] if row["kind"] in {"call", "result"} else "",
            json.dumps(row["said"][1]) if row["kind"] == "call" else "NULL",
            row.get("call", ""),
            row["mark"],
        )
        for row in apart(rows_of())
    ]
    header = "Created At,Conversation ID,sender_type,Message Text,Tool Name,Tool Arguments,Tool Call ID,Rating"
    return table(folder / "t.csv", header.split(","), reversed(rows), encoding="utf-8-sig")


def german(folder: Path) -> Path:
    """Semicolons, German names and times, a call and its result in one row, speakers nobody else has among them."""
    who = {"user": "Kunde", "assistant": "Assistent", "call": "Werkzeug"}
    rows = [
        (
            row["talk"],
            row["at"].strftime("%d.%m.%Y %H:%M:%S"),
            who[row["kind"]],
            "" if row["kind"] == "call" else row["said"][0],
            *((row["said"][0], json.dumps(row["said"][1]), row["said"][2]) if row["kind"] == "call" else ("", "", "")),
            row["mark"],
        )
        for row in rows_of()
    ]  # fmt: skip
    rows.append(("c2", "01.09.2026 09:00:00", "Protokoll", "ended", "", "", "", ""))
    header = "Gesprächs-ID;Zeitpunkt;Absender;Nachricht;Werkzeug;Argumente;Ergebnis;Bewertung"
    return table(folder / "t.csv", header.split(";"), rows, delimiter=";")


def events(folder: Path) -> Path:
    """Tabs, a type and a load of JSON in each row."""
    rows: list[tuple[object, ...]] = []
    for row in apart(rows_of()):
        words = {"text": row["said"][-1]}
        load = {
            "call": {"id": row.get("call"), "name": row["said"][0], "arguments": row["said"][-1]},
            "result": {"tool_call_id": row.get("call"), "output": row["said"][-1]},
        }.get(row["kind"], words)
        kind = {"call": "tool_call", "result": "tool_result"}.get(
            row["kind"], f"{row['kind']}_message"
        )
        rows.append((row["talk"], len(rows), kind, json.dumps(load)))
        if row["mark"]:
            rows.append((row["talk"], len(rows), "feedback", json.dumps({"rating": row["mark"]})))
    return table(
        folder / "t.tsv", ("session_id", "seq", "event_type", "payload"), rows, delimiter="\t"
    )


def parquet(folder: Path) -> Path:
    """A warehouse: shuffled rows with numbers, lists of calls, a score that each row repeats."""
    rows = [
        {
            "thread_id": row["talk"],
            "turn_index": row["number"] * 2 + (row["kind"] == "result"),
            "author": {"user": "end_user", "result": "function"}.get(row["kind"], "bot"),
            "body": None if row["kind"] == "call" else row["said"][-1],
            "tool_calls": [{"id": row["call"], "name": row["said"][0], "arguments": json.dumps(row["said"][1])}]
            if row["kind"] == "call"
            else None,
            "tool_call_id": row["call"] if row["kind"] == "result" else None,
            "event_ts": row["at"],
            "csat_score": 5 if row["talk"] == "c1" else None,
            "_loaded_at": datetime.fromisoformat("2026-10-01T00:00:00"),
        }
        for row in apart(rows_of())
    ]  # fmt: skip
    random.Random(1).shuffle(rows)  # noqa: S311 - no secret
    pq.write_table(pa.Table.from_pylist(rows), folder / "t.parquet")
    return folder / "t.parquet"


def database(folder: Path) -> Path:
    """Messages, conversations, users with the same numbers, and what users thought of messages."""
    numbers = {"c1": 1, "c2": 2}
    with closing(sqlite3.connect(folder / "t.db")) as base, base:
        base.executescript(
            "create table users(id integer primary key, user_id text);"
            "create table conversations(id integer primary key, public_id text, user_id text, system_prompt text);"
            "create table messages(id integer primary key, conversation_id int, role text, content text, tool_calls text, tool_call_id text);"
            "create table feedbacks(id integer primary key, message_id int, value int, comment text);"
        )
        for number in range(1, 9):
            base.execute("insert into users values(?, 'nobody')", (number,))
        for talk, number in numbers.items():
            base.execute(
                "insert into conversations values(?,?,?,?)", (number, talk, f"u-{talk}", "Be kind.")
            )
        for row in apart(rows_of()):
            role = {"call": "assistant", "result": "tool"}.get(row["kind"], row["kind"])
            function = {"name": row["said"][0], "arguments": json.dumps(row["said"][-1])}
            calls = json.dumps([{"id": row.get("call"), "function": function}])
            is_call = row["kind"] == "call"
            made = base.execute(
                "insert into messages(conversation_id, role, content, tool_calls, tool_call_id) values(?,?,?,?,?)",
                (
                    numbers[row["talk"]],
                    role,
                    None if is_call else row["said"][-1],
                    calls if is_call else None,
                    row.get("call") if role == "tool" else None,
                ),
            )
            if row["mark"]:
                base.execute("insert into feedbacks values(1,?,5,'well done')", (made.lastrowid,))
    return folder / "t.db"  # fmt: skip


def objects(folder: Path) -> Path:
    """A store of messages as JSON, as LangChain keeps them."""
    with closing(sqlite3.connect(folder / "t.sqlite")) as base, base:
        base.execute(
            "create table message_store(id integer primary key, session_id text, message text)"
        )
        for row in apart(rows_of()):
            kind = {"user": "human", "result": "tool"}.get(row["kind"], "ai")
            data: Row = {"content": "" if row["kind"] == "call" else row["said"][-1], "type": kind}
            if row["kind"] == "call":
                name, given = row["said"]
                data["tool_calls"] = [{"name": name, "args": given, "id": row["call"]}]
            data |= {"tool_call_id": row["call"]} if kind == "tool" else {}
            base.execute(
                "insert into message_store(session_id, message) values(?,?)",
                (row["talk"], json.dumps({"type": kind, "data": data})),
            )
    return folder / "t.sqlite"


def states(folder: Path) -> Path:
    """A request to the model a row, with all that was said before it; what came back in two columns."""
    rows: list[tuple[object, ...]] = []
    for talk, said in TALKS.items():
        history: list[Row] = [{"role": "system", "content": "Be kind."}]
        for number, (kind, *what) in enumerate(said):
            if kind == "user":
                history.append({"role": kind, "content": what[0]})
                continue
            calls = (
                [
                    {
                        "id": f"k{number}",
                        "function": {"name": what[0], "arguments": json.dumps(what[1])},
                    }
                ]
                if kind == "call"
                else []
            )
            at = (START + timedelta(seconds=number)).isoformat()
            answer = "" if calls else what[0]
            rows.append(
                (
                    talk,
                    at,
                    json.dumps(history),
                    answer,
                    json.dumps(calls) if calls else "",
                    5 if talk == "c1" else "",
                )
            )
            history.append(
                {
                    "role": "assistant",
                    "content": answer or None,
                    **({"tool_calls": calls} if calls else {}),
                }
            )
            history += [
                {"role": "tool", "tool_call_id": f"k{number}", "content": what[2]} for _ in calls
            ]
    header = ("session_id", "ts", "messages", "response_text", "response_tool_calls", "user_rating")
    return table(folder / "t.csv", header, rows, quoting=csv.QUOTE_ALL)  # fmt: skip


def pino(folder: Path) -> Path:
    """An application's own logger: the event in `msg`, other lines between."""
    return _logged(
        folder,
        "msg",
        ("user_message", "llm_response", "tool_call", "tool_result"),
        lambda load: load,
    )


def winston(folder: Path) -> Path:
    """The same in sentences, with the load below a key."""
    words = (
        "User message received",
        "Assistant response sent",
        "Tool call started",
        "Tool call finished",
    )
    return _logged(folder, "message", words, lambda load: {"meta": load})


def google(folder: Path) -> Path:
    """The whole line of the logger below another's key."""
    path = winston(folder)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("\n".join(json.dumps({"insertId": "x", "jsonPayload": line}) for line in lines))
    return path


def _logged(folder: Path, key: str, words: Sequence[str], within: Callable[[Row], Row]) -> Path:
    told_as = dict(zip(("user", "assistant", "call", "result"), words, strict=True))
    lines: list[Row] = [{"level": 30, key: "server_started"}]
    for row in apart(rows_of()):
        load: Row = {"sessionId": row["talk"]}
        if row["kind"] == "call":
            load |= {"tool": row["said"][0], "args": row["said"][1], "callId": row["call"]}
        elif row["kind"] == "result":
            load |= {"tool": row["said"][0], "result": row["said"][1], "callId": row["call"]}
        else:
            load["text"] = row["said"][0]
        lines.append(
            {"level": 30, "time": 1_788_249_600_000, key: told_as[row["kind"]], **within(load)}
        )
        lines.append(
            {"level": 20, key: "request done", **within({"sessionId": row["talk"], "ms": 3})}
        )
        if row["mark"]:
            lines.append({key: "feedback", **within({"sessionId": row["talk"], "rating": 5})})
    path = folder / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def own_log(folder: Path) -> Path:
    """Lines of an application's own log, each a turn with its calls, between others that open and close the conversation."""
    lines: list[Row] = []
    for talk in TALKS:
        own = {"chat": talk, "app": "web"}
        turns: list[Row] = [{"event": "opened", "briefing": "Be kind."}]
        for row in rows_of():
            if row["talk"] == talk and row["kind"] == "call":
                name, given, result = row["said"]
                calls = [{"aid": "x", "fn": name, "in": given, "out": result, "ms": 3}]
                turns.append({"event": "turn", "who": "bot", "said": "", "actions": calls})
            elif row["talk"] == talk:
                who = "caller" if row["kind"] == "user" else "bot"
                turns.append({"event": "turn", "who": who, "said": row["said"][0]})
        turns.append({"event": "closed", **({"rating": 5} if talk == "c1" else {})})
        lines += [{**own, "n": number, **turn} for number, turn in enumerate(turns)]
    path = folder / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, sorted(lines, key=lambda line: line["n"]))) + "\n")
    return path


LAYOUTS = (
    own_log,
    english,
    german,
    events,
    parquet,
    database,
    objects,
    states,
    pino,
    winston,
    google,
)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.__name__)
def test_a_layout_is_read_word_for_word(tmp_path: Path, layout: Callable[[Path], Path]) -> None:
    """Each conversation alone, in order, calls with their results; what somebody thought of it is its outcome."""
    found = decoded_below(layout(tmp_path), app=APP)
    assert not found.rejected
    expected = list(TALKS.values())
    by_start = sorted(found.chats, key=lambda chat: chat.episode.conversation_id or "")
    assert [told(chat.episode) for chat in by_start] == expected
    if layout is not objects:
        assert [[one.value for one in chat.outcomes] for chat in by_start] == [[5.0], []]


def test_a_database_says_who_the_user_was(tmp_path: Path) -> None:
    """By the row of the conversation, not by a table that counts the same numbers."""
    chats = decoded_below(database(tmp_path), app=APP).chats
    assert {chat.episode.subject for chat in chats} == {"u-c1", "u-c2"}
    assert {chat.episode.steps[0].content for chat in chats} == {"Be kind."}
    (outcome,) = (one for chat in chats for one in chat.outcomes)
    assert outcome.text == "well done"


def test_what_nobody_knows_the_speaker_of_is_named(tmp_path: Path) -> None:
    """The row of a log among messages is left out, and the episode says so."""
    chats = decoded_below(german(tmp_path), app=APP).chats
    flags = {chat.episode.conversation_id: chat.episode.completeness for chat in chats}
    assert "odd_messages" in flags["c2"]
    assert "odd_messages" not in flags["c1"]


TURNS = [("user", "Where is A1?"), ("call", "find", {"order": "A1"}, FOUND), ("call", "find", {"order": "A2"}, ""), ("assistant", SENT), ("user", "Thanks"), ("assistant", "Bye")]  # fmt: skip


@pytest.mark.parametrize("name", ["calls", "steps", "numbered"])
def test_turns_with_their_calls(tmp_path: Path, name: str) -> None:
    """A turn a row with its steps as JSON, or a call a row with the turn's words repeated."""
    ask, *calls, answer, again, bye = TURNS
    if name == "steps":
        steps = [{"name": one[1], "arguments": one[2], "output": one[3]} for one in calls]
        header = ["Sitzungs-ID", "Frage", "tools_used", "Antwort"]
        rows: list[list[object]] = [
            ["s1", ask[1], json.dumps(steps), answer[1]],
            ["s1", again[1], "", bye[1]],
        ]
    elif name == "numbered":
        names = [f"tool_{n}_{what}" for n in (1, 2) for what in ("name", "args", "result")]
        header = ["chat_id", "user_query", *names, "final_response"]
        cells = [cell for one in calls for cell in (one[1], json.dumps(one[2]), one[3])]
        rows = [["s1", ask[1], *cells, answer[1]], ["s1", again[1], *[""] * 6, bye[1]]]
    else:
        header = [
            "session_id",
            "turn",
            "user_message",
            "tool_name",
            "tool_input",
            "tool_output",
            "assistant_message",
        ]
        rows = [["s1", 1, ask[1], one[1], json.dumps(one[2]), one[3], answer[1]] for one in calls]
        rows.append(["s1", 2, again[1], "", "", "", bye[1]])
    (chat,) = decoded_below(table(tmp_path / "t.csv", header, rows), app=APP).chats
    assert told(chat.episode) == TURNS


def test_words_that_are_a_page_become_text(tmp_path: Path) -> None:
    """As in any JSON."""
    rows = [("c1", "user", "<p>Hi<br>you</p>"), ("c1", "bot", "<p>Ho &amp; hum</p>")]
    path = table(tmp_path / "t.csv", ("conversation_id", "author_type", "body"), rows)
    (chat,) = decoded_below(path, app=APP).chats
    assert told(chat.episode) == [("user", "Hi\nyou"), ("assistant", "Ho & hum")]


def test_a_question_with_its_answer_a_row(tmp_path: Path) -> None:
    """Rows without JSON, each a conversation that it names."""
    rows = [("c1", ASKED, SENT, 4), ("c2", "Hi", "Ho", "")]
    path = table(
        tmp_path / "t.csv", ("conversation_id", "user_message", "bot_response", "rating"), rows
    )
    chats = decoded_below(path, app=APP).chats
    assert [told(chat.episode) for chat in chats] == [
        [("user", ASKED), ("assistant", SENT)],
        [("user", "Hi"), ("assistant", "Ho")],
    ]
    assert [one.value for chat in chats for one in chat.outcomes] == [4.0]


REFUSED = {
    "orders.csv": ("order_id,customer,note\n1,a,x\n2,a,y\n", "which conversation a row belongs to"),
    "alone.csv": (
        "role,content\nuser,hi\nassistant,hello\n",
        "which conversation a row belongs to",
    ),
    "people.csv": ("ticket_id,author,body\n1,Ann,hi\n1,Tom,ho\n", "who speaks"),
    "silent.csv": ("chat_id,role,length\n1,user,3\n1,bot,4\n", "what was said"),
    "broken.csv": ("chat_id,role,content\n1,user,hi,\nthere\n1,bot,ho\n", "line 2 has 4"),
    "twice.csv": ("chat_id,role,content,content\n1,user,hi,ho\n", "same name"),
    "empty.csv": ("chat_id,role,content\n", "no rows"),
    "book.xlsx": ("PK\x03\x04", "CSV UTF-8"),
    "torn.db": ("SQLite format 3\x00" + "x" * 200, "SQLite cannot read it"),
    "torn.parquet": ("PAR1" + "x" * 60, "damaged"),
    "lost.csv": ("chat_id,role,content\n" + "1,user,a\n1,bot,b\n" * 2600 + ",user,c\n", "row 5201"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_whole_is_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    """What is missing and where; nothing of such a file is read."""
    text, why = REFUSED[name]
    (tmp_path / name).write_text(text)
    found = decoded_below(tmp_path / name, app=APP)
    assert not found.chats
    (refused,) = found.rejected
    assert why in refused.reason


def test_text_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    """Guessing would change what people said."""
    (tmp_path / "t.csv").write_bytes(
        "chat_id,role,content\n1,user,Grüße\n1,bot,Ja\n".encode("cp1252")
    )
    (refused,) = decoded_below(tmp_path / "t.csv", app=APP).rejected
    assert "CSV UTF-8" in refused.reason


def test_a_database_without_messages_names_its_tables(tmp_path: Path) -> None:
    """So that a person knows what was looked at."""
    with closing(sqlite3.connect(tmp_path / "t.db")) as base, base:
        base.executescript(
            "create table items(id int, name text); insert into items values(1, 'a')"
        )
    (refused,) = decoded_below(tmp_path / "t.db", app=APP).rejected
    assert "its tables: items" in refused.reason


def test_numbers_that_a_column_counts_are_not_said(tmp_path: Path) -> None:
    """`Message #` is a column's name, and no message."""
    rows = [("c1", 1, "user", "Hi"), ("c1", 2, "bot", "Ho"), ("c1", 3, "bot", "")]
    path = table(tmp_path / "t.csv", ("Ticket ID", "Message #", "direction", "Message Text"), rows)
    (chat,) = decoded_below(path, app=APP).chats
    assert told(chat.episode) == [("user", "Hi"), ("assistant", "Ho")]


def test_a_table_may_be_explained_and_mapped(tmp_path: Path) -> None:
    """As the conversations that it is read as."""
    (found,) = explain(english(tmp_path))
    assert (found.counts["conversations"], found.counts["calls"]) == (2, 2)
    assert "messages[].content" in {key.path for key in found.keys}
    (tmp_path / "m.toml").write_text(
        '[conversation]\nmessages = "messages"\nid = "conversation_id"\n'
    )
    (mapped,) = explain(tmp_path / "t.csv", load_mapping(tmp_path / "m.toml"))
    assert mapped.counts["conversations"] == 2


def test_a_row_that_is_a_conversation_says_what_stands_beside_it_in_any_language(
    tmp_path: Path,
) -> None:
    """Its id, its prompt and when it began, though its messages are in a cell of JSON."""
    turns = [
        {"role": "user", "parts": [{"text": "Hoi"}]},
        {"role": "model", "parts": [{"text": "Dag"}]},
    ]
    row = ("g-7", "2026-09-01T08:00:00Z", "Wees kort.", json.dumps({"contents": turns}), 4)
    header = ("gesprek_id", "gestart", "instructie", "verloop", "csat")
    path = table(tmp_path / "t.csv", header, [row, ("g-8", *row[1:])], delimiter=";")
    chat, _ = decoded_below(path, app=APP).chats
    assert chat.episode.conversation_id == "g-7"
    assert chat.episode.steps[0].content == "Wees kort."
    assert "no_time" not in chat.episode.completeness
    assert [one.value for one in chat.outcomes] == [4.0]


TURN_ROWS = [(1, "t-a", "07", "s-a"), (2, "t-b", "08", "s-b"), (3, "t-c", "09", "s-b")]
"""Turns: number, id, minute, and the session; the second session has two."""


def sheet(path: Path, names: str, *rows: str) -> None:
    """A table with these columns, all marked as a store marks its own."""
    marked = ",".join(f"ns__{name}__x" for name in names.split(","))
    path.write_text("\n".join([marked, *rows]) + "\n")


def turns_and_steps(folder: Path, *, named: str = "TurnId") -> Path:
    """What was said, what was done, the turns and the sessions in a file each; rows in no order."""
    folder.mkdir()
    said, done = [], []
    for n, turn, minute, _ in reversed(TURN_ROWS):
        at = f"2026-11-01 10:{minute}"
        said.append(f"m-{n}2,{turn},Output,It is late {n}.,{at}:30.5 UTC")
        said.append(f"m-{n}1,{turn},Input,Where is A{n}?,{at}:00 UTC")
        done.append(
            f'p-{n}1,{turn},ACTION_STEP,find,"{{""order"": ""A{n}""}}",,no such order,{at}:10 UTC'
        )
        done.append(
            f'p-{n}2,{turn},TOPIC_STEP,orders,"{{""text"": ""x""}}","{{""topic"": 1}}",,{at}:05 UTC'
        )
    sheet(folder / "Message.csv", f"Id,{named},MessageType,ContentText,SentTimestamp", *said)
    sheet(
        folder / "Step.csv",
        "Id,TurnId,StepType,Name,InputValueText,OutputValueText,ErrorText,StartTimestamp",
        *done,
    )
    sheet(
        folder / "Turn.csv",
        "Id,SessionId,Minute,Kind",
        *(f"{t},{s},{m},TURN" for _, t, m, s in TURN_ROWS),
    )
    sheet(folder / "Session.csv", "Id,Channel,TicketId,Note", "s-a,web,k-1,x", "s-b,web,k-2,x")
    (folder / "Survey.csv").write_text("Nr,TicketId,CSAT_Score\n1,k-2,4\n")
    return folder  # fmt: skip


def test_tables_of_a_folder_that_belong_together_by_ids(tmp_path: Path) -> None:
    """Messages name turns, turns sessions; steps that do something are calls; a survey names what the session is called elsewhere."""
    found = decoded_below(turns_and_steps(tmp_path / "export"), app=APP)
    assert found.rejected == []
    chats = {chat.episode.conversation_id: chat for chat in found.chats}
    assert sorted(map(str, chats)) == ["s-a", "s-b"]
    steps = chats["s-b"].episode.steps
    assert [(s.role, s.content) for s in steps] == [
        ("user", "Where is A2?"),
        ("assistant", None),
        ("tool", "no such order"),
        ("assistant", "It is late 2."),
        ("user", "Where is A3?"),
        ("assistant", None),
        ("tool", "no such order"),
        ("assistant", "It is late 3."),
    ]
    assert [(c.name, c.arguments) for c in steps[1].tool_calls] == [("find", '{"order": "A2"}')]
    assert [one.value for one in chats["s-b"].outcomes] == [4.0]
    assert chats["s-a"].outcomes == ()


def letters(folder: Path, *, speakers: str) -> Path:
    """A bot's own tables: letters for who speaks, a column of calls with results, a row that is there twice, and tickets, one of them of a call by phone."""
    folder.mkdir()
    user, bot, other = tuple(speakers)
    ran = json.dumps([{"fn": "find", "in": {"ship": "A"}, "out": None, "err": "no such ship"}])
    rows = [
        (n + 10 * c, f"C-{c}", who, text, f"2026-11-01T1{c}:00:0{n}Z", calls)
        for c in (1, 2)
        for n, (who, text, calls) in enumerate(
            [(other, "Begun on the web.", ""), (user, "Where is A?", ""), (bot, "I do not know.", ran), (user, "Thanks", "")]
        )
    ]  # fmt: skip
    header = ("row_id", "conv_ref", "sender", "body", "created_at", "ran_json")
    table(folder / "lines.csv", header, [*rows[::-1], rows[2]])
    ends = [("1", "C-1", "solved_by_bot"), ("2", "C-2", "unresolved"), ("3", "", "solved_by_bot")]
    table(folder / "tickets.csv", ("ticket_no", "conv_ref", "resolution"), ends)
    return folder


def test_a_bots_own_tables_with_letters_for_who_speaks(tmp_path: Path) -> None:
    """One letter for each side; a list of tools with arguments and results is what the bot did."""
    found = decoded_below(letters(tmp_path / "own", speakers="CBS"), app=APP)
    assert found.rejected == []
    assert [[o.label for o in chat.outcomes] for chat in found.chats] == [["unresolved"], ["solved_by_bot"]]  # fmt: skip
    for chat in found.chats:
        steps = [s for s in chat.episode.steps if s.role != "system"]
        assert [(s.role, s.content, s.is_error) for s in steps] == [
            ("user", "Where is A?", None),
            ("assistant", None, None),
            ("tool", "no such ship", True),
            ("assistant", "I do not know.", None),
            ("user", "Thanks", None),
        ]
        assert [c.name for c in steps[1].tool_calls] == ["find"]


@pytest.mark.parametrize(
    ("column", "words"),
    [("is_bot", "ft"), ("fromCustomer", ("true", "false")), ("direction", ("in", "out"))],
)
def test_one_of_two_sides_a_row(tmp_path: Path, column: str, words: Sequence[str]) -> None:
    """A truth that is true of one side, or which way the message went."""
    rows = [(c, words[n], text, f"2026-11-01T1{c}:00:0{n}Z") for c in (1, 2) for n, text in enumerate(("Where is A?", "At sea."))]  # fmt: skip
    path = table(tmp_path / "t.csv", ("conversation_id", column, "text", "created_at"), rows)
    chats = decoded_below(path, app=APP).chats
    assert [[s.role for s in chat.episode.steps] for chat in chats] == [["user", "assistant"]] * 2


def test_messages_in_a_column_of_objects_with_names_for_speakers(tmp_path: Path) -> None:
    """Most name the agent by its own name, and the user by the word."""
    said = [("user", "Where is A?"), ("desk", "I look."), ("desk", "At sea.")]
    rows = [(f"e{n}", "s1", json.dumps({"author": who, "content": {"parts": [{"text": text}]}}), f"2026-11-01T10:00:0{n}Z") for n, (who, text) in enumerate(said)]  # fmt: skip
    path = table(tmp_path / "t.csv", ("id", "session_id", "event_data", "created_at"), rows)
    (chat,) = decoded_below(path, app=APP).chats
    assert [(s.role, s.content) for s in chat.episode.steps] == [("user", said[0][1]), ("assistant", said[1][1]), ("assistant", said[2][1])]  # fmt: skip


def test_letters_for_several_of_one_side_tell_nobody_apart(tmp_path: Path) -> None:
    """People on a panel may be A, B and C."""
    folder = letters(tmp_path / "panel", speakers="CBA")
    assert decoded_below(folder / "lines.csv", app=APP).chats == []


def test_tables_of_a_folder_that_name_nothing_of_each_other(tmp_path: Path) -> None:
    """Words whose turns no table holds are nobody's: all files are refused as each alone is."""
    folder = turns_and_steps(tmp_path / "export", named="Elsewhere")
    text = (folder / "Message.csv").read_text()
    (folder / "Message.csv").write_text(text.replace(",t-", ",u-"))
    found = decoded_below(folder, app=APP)
    assert found.chats == []
    assert len(found.rejected) == 5


def test_calls_in_a_table_beside_the_messages(tmp_path: Path) -> None:
    """Where messages name their conversation, a table of calls that names it joins them; one of other things does not."""
    messages = "id,conversation_id,role,text,created_at\n1,c1,user,Where is A1?,2026-11-01T10:00:00Z\n2,c1,assistant,It was sent.,2026-11-01T10:00:09Z\n"
    calls = 'id,conversation_id,tool_name,arguments,result,created_at\n1,c1,find,"{""order"": ""A1""}",sent,2026-11-01T10:00:05Z\n'
    orders = "id,name,parameters\nA1,boat,none\n"
    for name, text in (("messages", messages), ("tool_calls", calls), ("orders", orders)):
        (tmp_path / f"{name}.csv").write_text(text)
    found = decoded_below(tmp_path, app=APP)
    (chat,) = found.chats
    assert [s.role for s in chat.episode.steps] == ["user", "assistant", "tool", "assistant"]
    assert chat.episode.steps[2].content == "sent"
    assert [one.source for one in found.rejected] == ["orders.csv"]


def test_calls_in_a_table_that_names_the_messages(tmp_path: Path) -> None:
    """Rows without times belong to the message that they name: in the order of their ids, before its words where these end the turn."""
    messages = (
        "id,conversation_id,role,text,created_at\n"
        "12,c1,user,Where is A1?,2026-11-01T10:00:00Z\n"
        "13,c1,assistant,,2026-11-01T10:00:05Z\n"
        "15,c1,assistant,It was sent.,2026-11-01T10:00:09Z\n"
        "16,c1,user,Where to?,2026-11-01T10:01:00Z\n"
        "17,c1,assistant,To Bern.,2026-11-01T10:01:09Z\n"
    )
    calls = (
        "id,message_id,tool,args,result,status\n"
        '3,17,track,"{""order"": ""A1""}","{""to"": ""Bern""}",ok\n'
        '2,13,track,"{""order"": ""A1""}",no scan,error\n'
        '1,13,find,"{""order"": ""A1""}",,ok\n'
    )
    for name, text in (("messages", messages), ("tool_calls", calls)):
        (tmp_path / f"{name}.csv").write_text(text)
    found = decoded_below(tmp_path, app=APP)
    assert found.rejected == []
    steps = found.chats[0].episode.steps
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in steps] == [
        ("user", "Where is A1?", []),
        ("assistant", None, ["find", "track"]),
        ("tool", "no scan", []),
        ("assistant", "It was sent.", []),
        ("user", "Where to?", []),
        ("assistant", None, ["track"]),
        ("tool", '{"to": "Bern"}', []),
        ("assistant", "To Bern.", []),
    ]
    assert [s.is_error for s in steps if s.role == "tool"] == [True, None]


def test_truths_as_a_database_writes_them(tmp_path: Path) -> None:
    """A column of nothing but `t` and `f` holds truths; one with another letter holds letters."""
    (tmp_path / "votes.csv").write_text("chatId,isUpvoted,grade\nc1,t,t\nc2,f,e\n")
    table = text_table(next(iter(sources_in(tmp_path / "votes.csv"))))
    assert [(row["isUpvoted"], row["grade"]) for row in table.rows()] == [(True, "t"), (False, "e")]


def test_calls_with_results_inside_are_told_one_by_one(tmp_path: Path) -> None:
    """A message lists what was done before it was sent: one call failed, was made again, and the next one used its result."""
    done: list[Any] = [
        {"tool": "find", "args": {"ship": "A"}, "ok": False, "error": "503"},
        {"tool": "find", "args": {"ship": "A"}, "ok": True, "result": {"port": 7}},
        {"tool": "track", "args": {"port": 7}, "ok": True, "result": "at sea"},
    ]
    rows = [
        {"conv_id": "c1", "turn_no": 1, "sender": "customer", "message": "Where is A?"},
        {"conv_id": "c1", "turn_no": 2, "sender": "bot", "message": "At sea.", "tool_calls": done},
    ]
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (chat,) = decoded_below(path).chats
    steps = chat.episode.steps
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in steps] == [
        ("user", "Where is A?", []),
        ("assistant", None, ["find"]),
        ("tool", "503", []),
        ("assistant", None, ["find"]),
        ("tool", '{"port": 7}', []),
        ("assistant", None, ["track"]),
        ("tool", "at sea", []),
        ("assistant", "At sea.", []),
    ]
    assert [s.is_error for s in steps if s.role == "tool"] == [True, None, None]


@pytest.mark.parametrize(
    "others",
    [
        {"notes.csv": "id,text\n"},
        {"errors.csv": ""},
        {"spans.csv": "trace_id,span_id\nt1,s1\n", "marks.csv": "span_id,annotation_name,result.score\ns1,tone,1\n"},
    ],
)  # fmt: skip
def test_tables_beside_others_are_joined_all_the_same(
    tmp_path: Path, others: dict[str, str]
) -> None:
    """One without rows joins nothing and stops nothing; nor do spans and the marks on them."""
    messages = (
        "id,conversation_id,role,content,created_at\n"
        "m1,c-a,user,Where is A1?,2026-09-01T08:00:00Z\n"
        "m2,c-a,assistant,It was sent.,2026-09-01T08:00:05Z\n"
    )
    ratings = "id,conversation_id,value\nr1,c-a,0\nr2,c-a,1\n"
    files = {"messages.csv": messages, "ratings.csv": ratings} | others
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    joined = {one.name: one for one in sources_in(tmp_path)}
    assert joined.keys() == files.keys() - {"ratings.csv"}
    assert joined["messages.csv"].lines is not None


def test_files_of_a_folder_are_not_compared_with_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder may hold thousands of them."""
    for number in range(50):
        (tmp_path / f"{number}.jsonl").write_text("{}")
    sources = list(sources_in(tmp_path))
    monkeypatch.setattr(FileSource, "__eq__", lambda *_: pytest.fail("compared"))
    assert [one.name for one in joined_files(sources)] == [one.name for one in sources]
