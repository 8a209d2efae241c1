"""Conversations in logs, Markdown, cells and databases that an app writes for itself: each fault once, in a small invented conversation."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ingest.formats.format import Decoded
from tests.unit.exported_lines import decoded_below
from tests.unit.ingest_emitters import APP
from tests.unit.test_ingest_harnesses import ANSWER, ASKED, WHOLE, answered, only, told

FOUND = '{"free": true}'
LOG = f"""\
2026-03-02 08:09:49,002 INFO     [main] quay.boot - starting {{"pid": 44}}
2026-03-02 08:10:29,583 INFO     [w-1] quay.session - session=3f opened {{"user": "lou"}}
2026-03-02 08:10:29,584 INFO     [w-1] quay.talk - session=3f <- user {{"text": "{ASKED}"}}
2026-03-02 08:10:30,000 INFO     [http] access - "GET /healthz HTTP/1.1" 200
2026-03-02 08:10:31,310 DEBUG    [w-2] quay.talk - session=4a <- user {{"text": "Hello?"}}
2026-03-02 08:10:33,310 DEBUG    [w-1] quay.tools - session=3f tool call {{"id": "t1", "tool": "find_boat", "args": {{"boat": 7}}}}
Traceback (most recent call last):
  File "quay.py", line 4, in flush
2026-03-02 08:10:33,541 DEBUG    [w-1] quay.tools - session=3f tool returned {{"id": "t1", "ms": 2, "result": {json.dumps(FOUND)}}}
2026-03-02 08:10:42,288 INFO     [w-1] quay.talk - session=3f -> bot {{"text": "{ANSWER}"}}
2026-03-02 08:10:43,807 INFO     [w-1] quay.session - session=3f closed {{"verdict": "resolved"}}
"""
MARKDOWN = f"""\
---
id: talk-7
outcome: resolved
tools:
- find_boat
- close_boat
---

## Customer

{ASKED}

## Assistant

Let me see.

**Call** `find_boat`

```json
{{"boat": 7}}
```

### Result: find_boat

```json
{FOUND}
```

## Assistant

{ANSWER} It is in `boats.json`:

```json
{{"7": "free"}}
```
"""


def read_text(folder: Path, text: str, name: str) -> Decoded:
    """What a file of text holds."""
    path = folder / "data" / name
    path.parent.mkdir()
    path.write_text(text, newline="")
    return decoded_below(path, app=APP)


def test_a_programs_log_in_text(tmp_path: Path) -> None:
    """Who speaks is said behind the pair that names the conversation; other loggers' lines and tracebacks are nobody's words."""
    found = read_text(tmp_path, LOG, "quay.log")
    talks = {chat.episode.conversation_id: chat for chat in found.chats}
    assert told(talks["3f"].episode.steps) == WHOLE
    assert [one.label for one in talks["3f"].outcomes] == ["resolved"]
    assert told(talks["4a"].episode.steps) == [("user", "Hello?", [])]


def test_a_log_whose_words_are_pairs_too(tmp_path: Path) -> None:
    """Pairs may be quoted, as programs write them that know no objects."""
    began = "2026-03-02T08:10:29Z INFO"
    lines = [
        f'{began} user_message session=3f text="Is \\"Gull\\" free?"',
        f'{began} bot_reply session=3f text="Yes."',
    ]
    (chat,) = read_text(tmp_path, "\n".join(lines), "quay.log").chats
    assert told(chat.episode.steps) == [("user", 'Is "Gull" free?', []), ("assistant", "Yes.", [])]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('2026-03-02 08:10:29 INFO web - session=3f user logged in {"text": "x"}\n', "web.log"),
        ("Notes\nof nobody\n", "notes.txt"),
        (f"# Manual\n\n## User\n\n{ASKED}\n\n## Prices\n\n3 EUR\n\n## Assistant\n\n{ANSWER}\n", "m.md"),
        ("## User\n\nOnly this.\n", "half.md"),
    ],
)  # fmt: skip
def test_texts_in_which_nobody_talks(tmp_path: Path, text: str, name: str) -> None:
    """Sessions of a web server, notes, a manual with further headings."""
    found = read_text(tmp_path, text, name)
    assert found.chats == []
    assert [one.code for one in found.rejected] == ["unknown_format"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_conversation_in_markdown(tmp_path: Path, end: str) -> None:
    """Headings say who speaks, a block below a tool's name is a call where such calls are answered; what stands in front is known of it."""
    (chat,) = read_text(tmp_path, MARKDOWN.replace("\n", end), "talk.md").chats
    found, again = told(chat.episode.steps), told(chat.episode.steps)[-1]
    assert found[:3] == [
        ("user", ASKED, []),
        ("assistant", "Let me see.", [("find_boat", {"boat": 7})]),
        ("tool", FOUND, []),
    ]
    assert str(again[1]).startswith(ANSWER)
    assert '{"7": "free"}' in str(again[1])
    assert again[2] == []
    assert (chat.episode.conversation_id, chat.outcomes[0].label) == ("talk-7", "resolved")


def test_transcripts_in_cells_of_a_table(tmp_path: Path) -> None:
    """A line of a tool is its call with what it returned; what the desk notes among the words is left out; a call may be without a result."""
    lines = [f"Customer: {ASKED}\n\nRegards\nAbby", "[tool] find_boat(boat=7) -> " + FOUND, f"Agent: {ANSWER}", "[system] closed by bot"]  # fmt: skip
    open_one = ["Customer: Close it.", "[tool] close_boat(boat=7, now=true) ->", "Agent: Hm."]
    path = tmp_path / "tickets.csv"
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["Ticket ID", "Subject", "Satisfaction", "Transcript"])
        table.writerow(["T100", "Boat", "Good", "\n".join(lines)])
        table.writerow(["T101", "Boat", "", "\n".join(open_one)])
    first, last = decoded_below(path, app=APP).chats
    assert told(first.episode.steps)[1:] == WHOLE[1:]
    assert told(first.episode.steps)[0] == ("user", f"{ASKED}\n\nRegards\nAbby", [])
    assert [one.label for one in first.outcomes] == ["Good"]
    assert told(last.episode.steps)[1] == ("assistant", None, [("close_boat", {"input": "boat=7, now=true"})])  # fmt: skip


def test_a_databases_calls_and_grades_stand_with_its_messages(tmp_path: Path) -> None:
    """Calls name the message that made them, which may be without words; ids are counted; verdicts have a table of their own."""
    path = tmp_path / "desk.db"
    rows: Sequence[tuple[Any, ...]] = [
        (number + of, 10 + of // 10, who, words, f"2026-03-02 08:{of:02}:0{number}")
        for of in (0, 10)
        for number, (who, words) in enumerate((("customer", ASKED), ("agent", None), ("agent", ANSWER)), 1)
    ]  # fmt: skip
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "create table chat(id integer primary key, channel text);"
            "create table message(id integer primary key, chat_id integer, sender text, content text, sent_at text);"
            "create table tool_run(id integer primary key, message_id integer, tool text, input text, output text);"
            "create table survey(chat_id integer primary key, solved integer);"
        )
        database.executemany("insert into chat values (?, 'web')", [(10,), (11,)])
        database.executemany("insert into message values (?, ?, ?, ?, ?)", rows)
        runs = [(1, 2, "find_boat", '{"boat": 7}', FOUND), (2, 12, "find_boat", '{"boat": 7}', FOUND)]  # fmt: skip
        database.executemany("insert into tool_run values (?, ?, ?, ?, ?)", runs)
        database.execute("insert into survey values (10, 1)")
        database.commit()
    first, last = decoded_below(path, app=APP).chats
    assert told(first.episode.steps) == told(last.episode.steps) == WHOLE
    assert [one.value for one in first.outcomes] == [1.0]
    assert last.outcomes == ()


@pytest.mark.parametrize(
    ("named", "tools"),
    [(["find_boat", "close_boat"], 2), (["find_boat"], 0), (["close_boat", "note"], 0)],
)
def test_tools_that_a_list_only_names(tmp_path: Path, named: list[str], tools: int) -> None:
    """A list of words is what the agent may use where it holds all that it calls, and more; what it used is another list."""
    value = {"talk": "c-1", "capabilities": named, "messages": answered()[1:]}
    assert len(only(tmp_path, value).episode.tools) == tools


def test_a_schema_beside_a_tools_name(tmp_path: Path) -> None:
    """A schema as text under its own name is the tool's parameters."""
    schema = {"type": "object", "properties": {"boat": {"type": "integer"}}}
    tool = {"name": "find_boat", "description": "Finds.", "json_schema": json.dumps(schema)}
    (found,) = only(tmp_path, {"tools": [tool], "turns": answered()}).episode.tools
    assert json.loads(found)["function"]["parameters"] == schema


@pytest.mark.parametrize(("task", "key"), [("rent-boat", "rent-boat"), ("Rent the boat", None)])
def test_one_word_may_name_a_task(tmp_path: Path, task: str, key: str | None) -> None:
    """A sentence is what somebody wants."""
    value = {"task": task, "run": 0, "messages": answered()}
    assert only(tmp_path, value).episode.task_key == key
