"""Layouts of one's own: a mapping reads them, says which path failed where, and `--explain` prints one to start from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.files.explain import FileExplanation, explain, told_by_layout
from ingest.files.mapping import Layout, MappingUnusable, load_mapping
from ingest.files.telemetry_files import read_file
from ingest.formats.format import Decoded
from ingest.otlp.decode import decode
from ingest.otlp.limits import DEFAULT_LIMITS, Limits
from ingest.records.quarantine import Rejected
from tests.unit.test_ingest_files import logs
from tests.unit.test_ingest_records import ANSWER, ARGUMENTS, ASKED, EXPECTED, RESULT, bound, told

MAPPING = """
[records]
path = "export.sessions"

[conversation]
messages = "entries"
id = "ref"
task = "case.no"
user = "client"
started_at = "begun"
correction = "should"

[message]
role = "actor"
content = "line"
time = "at"
calls = "does"

[call]
name = "fn"
arguments = "with"
result = "gave"

[roles]
visitor = "user"
desk = "assistant"

[outcomes]
solved = "verdict.ok"
"""


def session(ref: str, **more: object) -> dict[str, Any]:
    """One conversation in a layout that nobody knows."""
    did = {"fn": "find_order", "with": ARGUMENTS, "gave": RESULT}
    return {
        "ref": ref,
        "case": {"no": 7},
        "client": "u-1",
        "begun": "2026-09-01T08:00:00Z",
        "entries": [
            {"actor": "visitor", "line": ASKED, "at": "2026-09-01T08:00:01Z"},
            {"actor": "desk", "line": None, "does": [did]},
            {"actor": "desk", "line": ANSWER},
        ],
        "verdict": {"ok": True},
        "should": "sent",
        **more,
    }


def layout(folder: Path, text: str = MAPPING) -> Layout:
    """A mapping read from its file."""
    (folder / "mapping.toml").write_text(text)
    return load_mapping(folder / "mapping.toml")


def read(path: Path, mapping: Layout | None = None, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Everything that is read in a file, by a mapping where there is one."""
    whole = Decoded()
    for number, record in enumerate(read_file(path, layout=mapping, limits=limits)):
        if isinstance(record, Rejected):
            whole.rejected.append(record)
            continue
        assert record.kind == "chat_log"
        whole.add(decode(record.stored(number)))
    return whole


def written(folder: Path, value: Any, *, lines: bool = False) -> Path:  # noqa: ANN401 - a file's JSON
    """A file that holds a value, or one a line."""
    path = folder / "odd.json"
    path.write_text("\n".join(map(json.dumps, value)) if lines else json.dumps(value, indent=1))
    return path


def test_a_mapping_reads_a_layout_that_nobody_knows(tmp_path: Path) -> None:
    """Messages, roles, calls with their results, ids, user, times, outcome and right answer, from wherever they are."""
    path = written(tmp_path, {"export": {"sessions": [session("s1"), session("s2")]}})
    mapping = layout(tmp_path)
    found = read(path, mapping)
    assert found.rejected == []
    assert [chat.episode.conversation_id for chat in found.chats] == ["s1", "s2"]
    chat = found.chats[0]
    assert told(chat.episode.steps) == EXPECTED
    bound(chat)
    assert (chat.episode.task_key, chat.episode.subject, chat.episode.app) == ("7", "u-1", "odd")
    assert chat.episode.source == "mapped"
    assert [s.at is not None for s in chat.episode.steps] == [True, False, False, False]
    assert [(o.name, o.value, o.by, o.correction) for o in chat.outcomes] == [
        ("solved", 1.0, "unknown", "sent")
    ]
    assert mapping.unfound() == []


def test_messages_that_are_calls_themselves(tmp_path: Path) -> None:
    """A log of steps: some are said by somebody, some are a tool with its arguments and its result."""
    steps = [
        {"who": "customer", "text": ASKED},
        {"tool": "find_order", "in": ARGUMENTS, "out": RESULT},
        {"who": "bot", "text": ANSWER},
    ]
    mapping = layout(
        tmp_path,
        '[conversation]\nmessages = "@"\n[message]\nrole = "who"\ncontent = "text"\n'
        'tool = "tool"\narguments = "in"\nresult = "out"\n',
    )
    (chat,) = read(written(tmp_path, steps), mapping).chats
    assert told(chat.episode.steps) == EXPECTED
    assert chat.episode.conversation_id == "odd"


def test_one_path_is_enough_where_the_messages_speak_for_themselves(tmp_path: Path) -> None:
    """Without [message] the items are read as in any other file."""
    items = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWER}]
    mapping = layout(tmp_path, "[conversation]\nmessages = 'log.parts[].spoken[]'\n")
    value = {"log": {"parts": [{"spoken": items[:1]}, {"spoken": items[1:]}]}}
    (chat,) = read(written(tmp_path, [value], lines=True), mapping).chats
    assert told(chat.episode.steps) == [EXPECTED[0], EXPECTED[3]]


def test_attempts_are_told_apart_as_in_any_file(tmp_path: Path) -> None:
    """Trials of one task have ids of their own; a large file is read record by record."""
    text = MAPPING.replace('id = "ref"\n', 'trial = "try"\n')
    runs = [session("x", **{"try": number}) for number in range(3)]
    path = written(tmp_path, {"export": {"sessions": runs}})
    found = read(path, layout(tmp_path, text))
    assert [c.episode.conversation_id for c in found.chats] == ["7/0", "7/1", "7/2"]
    assert all(c.shares_id for c in found.chats)
    large = read(path, layout(tmp_path, text), Limits(body_bytes=1_500))
    assert [c.episode.conversation_id for c in large.chats] == ["7/0", "7/1", "7/2"]


@pytest.mark.parametrize(
    ("change", "where", "path"),
    [
        ({"entries": None}, "record 2", "conversation.messages = 'entries'"),
        ({"entries": []}, "record 2", "conversation.messages = 'entries'"),
        ({"entries": "text"}, "record 2", "conversation.messages = 'entries'"),
        (
            {"entries": [{"actor": "desk", "line": "x"}, {"line": "y"}]},
            "message 2 of record 2",
            "message.role = 'actor'",
        ),
        ({"entries": [{"actor": "desk", "text": "x"}]}, "record 2", "message.content = 'line'"),
    ],
)
def test_a_path_that_finds_nothing_is_named_with_its_place(
    tmp_path: Path, change: dict[str, Any], where: str, path: str
) -> None:
    """One record is refused with one sentence; those around it are read."""
    runs = [session("s1"), session("s2", **change), session("s3")]
    found = read(written(tmp_path, {"export": {"sessions": runs}}), layout(tmp_path))
    assert [c.episode.conversation_id for c in found.chats] == ["s1", "s3"]
    (refused,) = found.rejected
    assert (refused.code, refused.position) == ("path_missed", "record 2")
    assert refused.reason.startswith(f"The path {path} of mapping.toml finds nothing in {where}; ")
    assert ASKED not in refused.reason


def test_the_line_is_named_where_a_file_has_lines(tmp_path: Path) -> None:
    """A path to records that one line does not have, a path that does not fit, and a line that is no JSON."""
    path = tmp_path / "odd.json"
    good = json.dumps({"export": {"sessions": [session("s1")]}})
    path.write_text(f'{good}\n{{"export": 5}}\n{{"a\n{good}\n')
    found = read(path, layout(tmp_path))
    assert len(found.chats) == 2
    assert [(r.position, r.code) for r in found.rejected] == [
        ("line 2", "path_missed"),
        ("line 3", "not_json"),
    ]
    assert "records.path = 'export.sessions' of mapping.toml finds nothing in line 2" in (
        found.rejected[0].reason
    )
    odd = layout(tmp_path, "[conversation]\nmessages = 'abs(entries)'\n")
    (refused,) = read(written(tmp_path, [session("s1")], lines=True), odd).rejected
    assert "does not fit" in refused.reason


def test_optional_paths_that_find_nothing_anywhere_are_told(tmp_path: Path) -> None:
    """They cost no record; whoever wrote them is told."""
    text = MAPPING.replace('user = "client"', 'user = "klient"').replace("verdict.ok", "ok")
    mapping = layout(tmp_path, text)
    found = read(written(tmp_path, {"export": {"sessions": [session("s1")]}}), mapping)
    assert len(found.chats) == 1
    assert mapping.unfound() == ["conversation.user = 'klient'", "outcomes.solved = 'ok'"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("conversation", "is not TOML: Expected '='"),
        ("[conversation]\nmessages = 'a..b'", "[conversation] messages: 'a..b' is no JMESPath expression (see column 3)"),
        ("[conversation]\nmessages = 'a['", "it ends too early"),
        ("[conversation]\nmesages = 'a'", "[conversation] mesages is no key of a mapping; known are messages, id,"),
        ("[conversation]\nmessages = 5", "[conversation] messages must be a text"),
        ("conversation = 5", "[conversation] must be a table"),
        ("[records]\npath = 'a'", "[conversation] is missing"),
        ("[conversation]\nmessages = 'a'\n[roles]\nx = 'bot'", "[roles] x: 'bot' is no role; write one of system,"),
        ("[conversation]\nmessages = 'a'\n[mesage]\nrole = 'x'", "[mesage] is no key of a mapping; known are conversation,"),
        ("[conversation]\nmessages = 'a'\n[call]\narguments = 'x'", "[call] name is missing"),
    ],
)  # fmt: skip
def test_a_wrong_mapping_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    """Before any file is read: the place and what to write."""
    with pytest.raises(MappingUnusable) as error:
        layout(tmp_path, text)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_mapping_that_is_not_there(tmp_path: Path) -> None:
    """The path is named."""
    with pytest.raises(MappingUnusable, match="does not exist"):
        load_mapping(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MappingUnusable, match="cannot be read as text"):
        load_mapping(tmp_path / "binary.toml")


def look(path: Path, mapping: Layout | None = None) -> FileExplanation:
    """What is told of a file."""
    (one,) = explain(path, mapping)
    return one


def _undecided(ref: str) -> dict[str, Any]:
    """A conversation without calls: nothing says which of the two is the agent."""
    entries = [{"actor": "visitor", "line": ASKED}, {"actor": "desk", "line": ANSWER}]
    return session(ref, entries=entries)


INVENTED: dict[str, Callable[[], Any]] = {
    "records below keys": lambda: {"export": {"sessions": [_undecided("s1"), _undecided("s2")]}},
    "one record a line": lambda: [_undecided("s1"), _undecided("s2")],
    "a list at the top": lambda: [
        {"party": "A", "utter": "hello there"},
        {"party": "B", "utter": "good morning"},
        {"party": "A", "utter": "bye"},
    ],
    "keys with spaces": lambda: {
        "Call Log": [
            {"Spoken by": who, "What was said": f"sentence {n}"}
            for n, who in enumerate(["Caller", "Desk"] * 3)
        ]
    },
    "lists in lists": lambda: {
        "days": [
            {
                "calls": [
                    {"lines": [{"side": who, "t": f"words {n}"} for n, who in enumerate("abab")]}
                ]
            }
        ]
        * 2
    },
}


@pytest.mark.parametrize("name", INVENTED)
def test_the_printed_mapping_reads_the_messages_as_it_stands(tmp_path: Path, name: str) -> None:
    """For a layout that nobody knows: the draft, kept without a change, finds every text that was said."""
    value = INVENTED[name]()
    path = written(tmp_path, value, lines=name == "one record a line")
    before = look(path)
    assert before.format is None
    assert before.counts["conversations"] == 0
    assert before.mapping is not None
    after = look(path, layout(tmp_path, before.mapping))
    assert after.quarantined == {}
    texts = [one for one in strings(value) if " " in one or name == "a list at the top"]
    said = read(path, layout(tmp_path, before.mapping)).chats
    spoken = [step.content for chat in said for step in chat.episode.steps]
    assert [one for one in spoken if one] == [one for one in texts if one in spoken]
    assert len(spoken) >= 3
    assert after.counts["messages"] == len(spoken)


def strings(value: Any) -> list[str]:  # noqa: ANN401 - any JSON
    """Every text of a value, in order."""
    if isinstance(value, dict):
        return [text for one in value.values() for text in strings(one)]
    if isinstance(value, list):
        return [text for one in value for text in strings(one)]
    return [value] if isinstance(value, str) else []


def test_explain_says_what_a_file_is_and_what_is_missing(tmp_path: Path) -> None:
    """A known layout: its name, what it gives, what tasks would need, its keys with types and counts."""
    items = [{"role": "user", "content": "secret"}, {"role": "assistant", "content": "secret"}]
    one = look(written(tmp_path, [{"task_id": 3, "traj": items, "my dear diary": 1}] * 2))
    assert one.format == "conversations with messages of any shape"
    assert (one.counts["conversations"], one.counts["messages"], one.counts["calls"]) == (2, 4, 0)
    assert [(key.path, key.types, key.count) for key in one.keys] == [
        ("[]", ("object",), 2),
        ("[].task_id", ("number",), 2),
        ("[].traj", ("list",), 2),
        ("[].traj[]", ("object",), 4),
        ("[].traj[].role", ("text",), 4),
        ("[].traj[].content", ("text",), 4),
        ("[].…", ("number",), 2),
    ]
    told = " ".join(one.missing)
    for word in ("no tool calls", "no results", "no outcomes", "no time"):
        assert word in told
    assert "secret" not in repr(one)
    assert one.mapping is not None
    assert 'messages = "traj"' in one.mapping


def test_explain_names_the_nearest_format(tmp_path: Path) -> None:
    """A file that has some keys of a format: which it has and which it lacks."""
    one = look(written(tmp_path, {"trace": {"id": 1}, "scores": []}))
    assert one.format is None
    assert one.nearest is not None
    assert one.nearest.title == "a Langfuse export"
    assert (one.nearest.has, one.nearest.lacks) == (("trace",), ("observations",))
    assert one.quarantined == {"unknown_json": 1}


def test_explain_of_other_files(tmp_path: Path) -> None:
    """Files that are no JSON, cut off, or empty are explained as well, each in a sentence; so is a folder."""
    (tmp_path / "a.txt").write_text("hello")
    (tmp_path / "b.json").write_text(
        '[{"traj": [{"role": "user", "content": "x"}]}, {"traj": [{"ro'
    )
    (tmp_path / "c.json").write_text("")
    (tmp_path / "d.pb").write_bytes(logs())
    found = {one.file: one for one in explain(tmp_path)}
    assert found["a.txt"].quarantined == {"unknown_format": 1}
    assert found["b.json"].counts["conversations"] == 1
    assert found["b.json"].quarantined == {"cut_off": 1}
    assert found["c.json"].quarantined == {"empty_file": 1}
    assert (found["d.pb"].format, found["d.pb"].counts["log events"]) == ("OTLP", 1)


def test_a_mapping_is_offered_only_where_it_may_help(tmp_path: Path) -> None:
    """A format with keys of its own reads its file better than any mapping; outcomes are counted by name."""
    log = {"messages": [{"role": "user", "content": "hi"}], "outcome": {"name": "ok", "value": 1}}
    known = look(written(tmp_path, [log, log], lines=True))
    assert known.format == "a chat log"
    assert (known.mapping, known.outcomes) == (None, {"ok": 2})
    own = look(written(tmp_path, [{**log, "day": 3}] * 2, lines=True))
    assert own.mapping is not None
    assert "# resolved" in own.mapping
    assert not any("map" in sentence for sentence in known.missing)
    assert any("(map `calls`, or `tool`)" in sentence for sentence in own.missing)


def test_no_mapping_is_drafted_where_it_would_read_less(tmp_path: Path) -> None:
    """Calls, users and outcomes are read without one."""
    call = {"role": "assistant", "tool_calls": [{"id": "c", "name": "find", "arguments": {}}]}
    result = {"role": "tool", "tool_call_id": "c", "content": "none"}
    items = [{"role": "user", "content": "hi"}, call, result]
    one = look(
        written(tmp_path, [{"id": n, "traj": items, "reward": 1, "stored": True} for n in range(3)])
    )
    assert (one.counts["calls"], one.outcomes, one.mapping) == (3, {"reward": 3}, None)


def test_the_draft_guesses_by_whole_names(tmp_path: Path) -> None:
    """What a user costs is no user, and an agent's id is no conversation's."""
    items = [{"role": "user", "content": "hi"}]
    record = {"agent_id": 1, "user_cost": 2, "call_id": 3, "start_timestamp": 4, "traj": items}
    draft = look(written(tmp_path, [record] * 2)).mapping
    assert draft is not None
    for line in ('# id = "call_id"', '# user = ""', '# started_at = "start_timestamp"'):
        assert line in draft.splitlines()
    assert draft.count("call_id") == 2


def test_files_of_one_layout_are_told_together(tmp_path: Path) -> None:
    """Counts and keys are added up; a file that is read otherwise is told by itself."""
    items = [{"role": "user", "content": "hi"}]
    for number in range(5):
        more = {"rated": {"by": "me"}} if number == 3 else {"rated": None}
        (tmp_path / f"{number}.json").write_text(json.dumps({"id": number, "traj": items} | more))
    (tmp_path / "z.txt").write_text("hello")
    same, other = told_by_layout(explain(tmp_path))
    assert (same.file, same.files, same.counts["conversations"]) == ("0.json", 5, 5)
    seen = {key.path: (key.types, key.count) for key in same.keys}
    assert (seen["id"], seen["rated"]) == ((("number",), 5), (("null", "object"), 5))
    assert seen["rated.by"] == (("text",), 1)
    assert any("no time" in told and "5 of 5" in told for told in same.missing)
    assert (other.file, other.files) == ("z.txt", 1)


def test_messages_that_do_not_speak_for_themselves_are_said_to(tmp_path: Path) -> None:
    """A path that leads to a list of anything else is named, with the section that would help."""
    path = written(tmp_path, [{"here": [{"who": "a", "t": "x"}]}], lines=True)
    (refused,) = read(path, layout(tmp_path, "[conversation]\nmessages = 'here'\n")).rejected
    assert refused.code == "path_missed"
    assert refused.reason.startswith(
        "The path conversation.messages = 'here' of mapping.toml does not fit (no item of it says who speaks"
    )
    assert "in line 1;" in refused.reason


def test_the_draft_names_fields_that_may_say_how_it_went(tmp_path: Path) -> None:
    """An app's own word for success is its owner's to uncomment: nothing is taken for an outcome unasked."""
    record = {
        "messages": [
            {"role": "user", "content": "Where is A1?"},
            {"role": "assistant", "content": "It was sent."},
        ],
        "mileage": True,
        "attacked": False,
    }
    path = written(tmp_path, [record], lines=True)
    draft = look(path).mapping
    assert draft is not None
    assert '# resolved = "attacked"' in draft
    assert look(path).counts["outcomes"] == 0
    chosen = draft.replace('# resolved = "mileage"', 'resolved = "mileage"')
    (chat,) = read(path, layout(tmp_path, chosen)).chats
    assert [(one.name, one.value) for one in chat.outcomes] == [("resolved", 1.0)]


READ_ALONE: dict[str, Callable[[], Any]] = {
    "calls with their results": lambda: [session(f"s{n}") for n in range(3)],
    "results as rows that name their call": lambda: [
        {
            "talk": [
                {"rol_x": "briefing", "zin": "Be kind to everybody."},
                {"rol_x": "bezoeker", "zin": ASKED},
                {
                    "rol_x": "balie",
                    "daden": [{"nr": f"d-{n}", "wat": "find_order", "met": ARGUMENTS}],
                },
                {"rol_x": "machine", "nr": f"d-{n}", "kwam": RESULT},
                {"rol_x": "balie", "zin": ANSWER},
            ]
        }
        for n in range(3)
    ],
    "typed parts under own names": lambda: [
        {
            "scambi": [
                {"da": "famiglia", "parti": [{"type": "text", "text": ASKED}]},
                {
                    "da": "ufficio",
                    "parti": [
                        {
                            "type": "tool_use",
                            "id": "t1",
                            "name": "find_order",
                            "input": ARGUMENTS,
                        }
                    ],
                },
                {
                    "da": "azioni",
                    "parti": [{"type": "tool_result", "tool_use_id": "t1", "content": RESULT}],
                },
                {"da": "ufficio", "parti": [{"type": "text", "text": ANSWER}]},
            ]
        }
    ],
}


@pytest.mark.parametrize("name", READ_ALONE)
def test_fields_that_leave_one_reading_need_no_mapping(tmp_path: Path, name: str) -> None:
    """Who calls is the agent, what names a call is its result, one text for all is the prompt, and the user is who is left."""
    found = read(written(tmp_path, READ_ALONE[name](), lines=True))
    assert found.rejected == []
    for chat in found.chats:
        steps = tuple(step for step in chat.episode.steps if step.role != "system")
        assert told(steps) == EXPECTED
        bound(chat)


def test_fields_with_two_readings_are_refused(tmp_path: Path) -> None:
    """Two speakers without calls, two who call, calls of which two fields may be the result, goods, words under two names, results apart."""
    two = [
        {"actor": who, "does": [{"fn": "find", "with": {"id": 1}, "gave": "x"}], "line": "a b"}
        for who in ("one", "other")
    ]
    twice = {"fn": "find", "with": {"id": 1}, "gave": "x", "also": "y"}
    unsure = [
        {"actor": "one", "line": "some words"},
        {"actor": "other", "line": "more words", "does": [twice, twice]},
    ]
    call = {"nr": "d-1", "fn": "find", "with": {"id": 1}}
    apart = [
        {"actor": "one", "line": "some words"},
        {
            "actor": "other",
            "line": "x",
            "does": [call, {**call, "nr": "d-2"}],
            "got": [{"nr": "d-1", "v": 1}],
        },
    ]
    words = [
        {"actor": "one", "asks": "some words"},
        {"actor": "other", "line": "more words", "does": [call, {**call, "nr": "d-2"}]},
        {"actor": "other", "line": "other words"},
    ]
    goods = [{"size": size, "about": f"a good {size} shirt"} for size in ("large", "small")]
    for items in (two * 2, unsure, apart, words, goods, _undecided("s1")["entries"]):
        path = written(tmp_path, [{"ref": f"s{n}", "things": items} for n in range(3)], lines=True)
        found = read(path)
        assert found.chats == []
        assert len(found.rejected) == 3


def test_parts_of_a_message_are_no_conversation(tmp_path: Path) -> None:
    """A message whose speaker nobody knows is not read as many conversations of one part each."""
    parts = [{"type": "text", "text": ASKED}]
    call = {"type": "tool_use", "id": "t1", "name": "find_order", "input": ARGUMENTS}
    turns = [{"n": 1, "parti": parts}, {"n": 2, "parti": [call]}, {"n": 3, "parti": [7, *parts]}]
    found = read(written(tmp_path, {"scambi": turns}))
    assert found.chats == []
