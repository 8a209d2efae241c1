"""JSON files as they really lie about: any encoding, cut off, several values, too large to be read whole."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ingest.files.telemetry_files import read_file
from ingest.formats.format import Decoded
from ingest.otlp.limits import Limits
from ingest.receiver.wal import WalRecord
from ingest.records.quarantine import Rejected
from tests.unit.exported_lines import decoded_below

SAID = [{"role": "user", "content": "hí"}, {"role": "assistant", "content": "yo"}]


def record(number: int, **more: object) -> dict[str, Any]:
    """One record of a benchmark."""
    return {"task_id": number, "reward": 1, "traj": SAID, **more}


RECORDS = [record(number) for number in range(5)]


def decoded(folder: Path, content: bytes | str, name: str = "runs.json") -> Decoded:
    """Everything in a file with this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return decoded_below(path)


def ids(found: Decoded) -> list[str | None]:
    """The conversations' ids in order."""
    return [chat.episode.conversation_id for chat in found.chats]


ALL = ["0", "1", "2", "3", "4"]
LINES = "\n".join(json.dumps(one) for one in RECORDS)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(RECORDS),
        json.dumps(RECORDS, indent=2),
        "[" + ",\n".join(json.dumps(one) for one in RECORDS) + "]",
        "[\n" + ",\n".join(json.dumps(one) for one in RECORDS) + "\n]\n",
        LINES,
        "\n\n" + LINES.replace("\n", "\n\n") + "\n",
        LINES.replace("\n", "\r\n"),
        "\n".join(json.dumps(one, indent=4) for one in RECORDS),
        json.dumps({"info": {"a": 1}, "results": RECORDS}, indent=1),
        '{"info": {"a": NaN}, "results": [\n' + LINES.replace("\n", ",\n") + "\n]}\n",
        '{"results": [\n' + ",\n".join(json.dumps(one, indent=4) for one in RECORDS) + "]}",
        LINES.encode("utf-8-sig"),
        json.dumps(RECORDS, ensure_ascii=False).encode("utf-16"),
        json.dumps(RECORDS, ensure_ascii=False, indent=1).encode("utf-32"),
        ("\ufeff" + LINES).encode("utf-16-be"),
        json.dumps([*RECORDS[:4], record(4, cost=float("nan"), bound=float("-inf"))]),
        json.dumps([*RECORDS[:4], record(4, seed=10**40)]),
        gzip.compress(LINES.encode()),
    ],
)
def test_the_same_records_in_any_file(tmp_path: Path, content: bytes | str) -> None:
    """One document or lines, indented or not, with or without marks of its encoding, several values one after the other."""
    found = decoded(tmp_path, content)
    assert found.rejected == []
    assert ids(found) == ALL
    assert all(
        [step.role for step in c.episode.steps] == ["user", "assistant"] for c in found.chats
    )
    assert all(chat.episode.steps[0].content == "hí" for chat in found.chats)


@pytest.mark.parametrize(
    ("whole", "cut"),
    [
        (json.dumps(RECORDS), 0.7),
        (json.dumps(RECORDS, indent=2), 0.7),
        (json.dumps({"info": {"a": 1}, "tasks": [{"x": 1}], "results": RECORDS}), 0.8),
        ("\n".join(json.dumps(one, indent=4) for one in RECORDS), 0.7),
    ],
)
def test_a_document_that_breaks_off_keeps_what_stands_before(
    tmp_path: Path, whole: str, cut: float
) -> None:
    """The whole records are read; one sentence says after which of them the file ends."""
    found = decoded(tmp_path, whole[: int(len(whole) * cut)])
    assert ids(found) == ALL[: len(found.chats)]
    assert 2 <= len(found.chats) < 5
    (refused,) = found.rejected
    assert refused.code == "cut_off"
    assert refused.position == f"after record {len(found.chats)}"
    assert refused.reason.startswith(f"runs.json is cut off after record {len(found.chats)}; ")


def test_a_document_with_something_else_in_it_keeps_what_stands_before(tmp_path: Path) -> None:
    """A part that is no JSON ends the reading, and is said to."""
    text = json.dumps(RECORDS).replace('"task_id": 3', '"task_id": oops')
    found = decoded(tmp_path, text)
    assert ids(found) == ALL[:3]
    assert [r.code for r in found.rejected] == ["damaged_json"]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(SAID)[:-20],
        json.dumps(record(1), indent=1)[:-20],
        '{"trace": {',
        "[",
        "{",
        "[1, 2",
    ],
)
def test_what_breaks_off_within_its_only_record_is_one_sentence(
    tmp_path: Path, content: str
) -> None:
    """Half of a conversation is not taken for a conversation."""
    found = decoded(tmp_path, content)
    assert found.chats == []
    assert [r.code for r in found.rejected] == ["unknown_json"]
    assert "--explain" in found.rejected[0].reason


def test_a_document_larger_than_the_limit_is_read_record_by_record(tmp_path: Path) -> None:
    """The limit is on what one record may be, not on the file; numbers, attempts and what encloses the records stay right."""
    small = Limits(body_bytes=2_000)
    path = tmp_path / "runs.json"
    runs = [record(task, trial=trial) for trial in (0, 1) for task in range(20)]
    path.write_text(json.dumps({"info": {"model": "m-1"}, "results": runs}))
    bodies = [r for r in read_file(path, limits=small) if isinstance(r, WalRecord)]
    assert [b.encoding for b in bodies] == ["records"] * len(bodies)
    found = decoded_below(path, limits=small)
    assert found.rejected == []
    assert ids(found) == [f"{task}/{trial}" for trial in (0, 1) for task in range(20)]
    assert {chat.episode.model for chat in found.chats} == {"m-1"}
    assert [chat.episode.task_key for chat in found.chats[:2]] == ["0", "1"]


def test_a_record_larger_than_the_limit_is_refused_alone(tmp_path: Path) -> None:
    """The records around it are kept, and places are counted as in the file."""
    small = Limits(body_bytes=2_000)
    path = tmp_path / "runs.json"
    big = record(1, traj=[{"role": "user", "content": "x" * 3_000}])
    path.write_text(json.dumps([record(0), big, {"odd": 1}, record(2)]))
    found = decoded_below(path, limits=small)
    assert ids(found) == ["0", "2"]
    assert [(r.code, r.position) for r in found.rejected] == [
        ("record_too_large", "record 2"),
        ("not_an_episode", "record 3"),
    ]


def test_one_conversation_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    """A list of messages is one conversation however long it is: it is not cut into several."""
    small = Limits(body_bytes=2_000)
    path = tmp_path / "runs.json"
    for text in (json.dumps(SAID * 100), "\n".join(json.dumps(m) for m in SAID * 100)):
        path.write_text(text)
        found = decoded_below(path, limits=small)
        assert found.chats == []
        assert [r.code for r in found.rejected] in (["document_too_large"], ["file_too_large"])


def test_values_that_cannot_be_read_cost_only_themselves(tmp_path: Path) -> None:
    """Junk between good records and good lines is refused with its place."""
    found = decoded(tmp_path, json.dumps([record(0), 5, None, {"a": 1}, [], record(1)]))
    assert ids(found) == ["0", "1"]
    assert [r.position for r in found.rejected] == [f"record {n}" for n in (2, 3, 4, 5)]
    lines = f'{json.dumps(record(0))}\n{{"cut": \nnull\n{json.dumps(record(1))}'
    found = decoded(tmp_path, lines)
    assert ids(found) == ["0", "1"]
    assert [(r.position, r.code) for r in found.rejected] == [
        ("line 2", "not_json"),
        ("line 3", "not_an_episode"),
    ]


@pytest.mark.parametrize(
    ("first", "length"), [('{"cut": ', 9), ('{"cut": [1, ', 9), ('{"a": "x', 99_000)]
)
def test_a_broken_first_line_costs_only_itself(tmp_path: Path, first: str, length: int) -> None:
    """It is told from the first line of a document by what stands behind it, also where that line is long."""
    rest = [json.dumps(record(n, note="x" * length)) for n in range(2)]
    found = decoded(tmp_path, "\n".join([first, *rest]))
    assert ids(found) == ["0", "1"]
    assert [(r.position, r.code) for r in found.rejected] == [("line 1", "not_json")]


def test_text_in_another_encoding_is_told(tmp_path: Path) -> None:
    """In a line, in a document and in a list of records: it is not UTF-8, and what to do."""
    said = [{"role": "user", "content": "caf\xe9"}, {"role": "assistant", "content": "yo"}]
    odd = json.dumps(record(1, traj=said), ensure_ascii=False).encode("cp1252")
    plain = json.dumps(record(0)).encode()
    for content, place in (
        (b"\n".join([plain, odd, plain]), "line 2"),
        (odd, "file"),
        (b"[" + plain + b",\n" + odd + b"]", "after record 1"),
    ):
        (refused,) = decoded(tmp_path, content).rejected
        assert "not UTF-8" in refused.reason
        assert "save the file as UTF-8" in refused.reason
        assert refused.position == place
    cut = decoded(tmp_path, plain + b"\n" + '{"a": "é'.encode()[:-1])
    assert ["cut off" in one.reason for one in cut.rejected] == [True]


def test_a_refusal_names_keys_and_the_command_but_no_value(tmp_path: Path) -> None:
    """Keys that look like a program's words are shown, a handful of them; what somebody wrote is not."""
    value = {
        "rows": [{"secret": "secret"}],
        "my secret diary": 1,
        "x" * 60: 1,
        **{f"k{n}": "secret" for n in range(9)},
    }
    for content in (json.dumps(value), json.dumps(value, indent=1), json.dumps([value])):
        (refused,) = decoded(tmp_path, content).rejected
        assert refused.code == "unknown_json"
        assert "(its keys are rows, k0, k1, k2, k3, k4, …)" in refused.reason
        assert "tracegym ingest FILE --explain" in refused.reason
        assert "secret" not in refused.reason


def test_mixed_files_in_one_folder(tmp_path: Path) -> None:
    """Each file is read as what it is; what is none is counted; the folder is the app."""
    (tmp_path / "runs").mkdir()
    folder = tmp_path / "my runs"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps(RECORDS[:2]))
    (folder / "deep" / "b.traj.json").write_text(json.dumps(SAID))
    (folder / "c.jsonl").write_text(json.dumps({"app": "own", "messages": SAID}))
    (folder / "notes.txt").write_text("hello")
    (folder / "outcomes.csv").write_text("task_id,resolved\n1,1\n")
    (folder / ".hidden").write_text("{")
    found = decoded_below(folder)
    assert [(c.episode.app, c.episode.conversation_id) for c in found.chats] == [
        ("my%20runs", "0"),
        ("my%20runs", "1"),
        ("own", None),
        ("my%20runs", "deep/b"),
    ]
    assert [(r.source, r.code) for r in found.rejected] == [
        ("notes.txt", "unknown_format"),
        ("outcomes.csv", "unknown_format"),
    ]
    assert "tracegym outcomes" in found.rejected[1].reason


def test_the_app_is_named_after_the_file_only_where_nobody_says(tmp_path: Path) -> None:
    """`--app`, else what the record says, else the name of what was given, without its suffixes."""
    path = tmp_path / "support.v1.2.chat.jsonl"
    path.write_text(f"{json.dumps(RECORDS[0])}\n{json.dumps(record(1, app_name='own'))}")
    assert [c.episode.app for c in decoded_below(path).chats] == ["support.v1.2", "own"]
    assert [c.episode.app for c in decoded_below(path, app="said").chats] == ["said", "said"]


def test_large_files_of_lines_know_which_ids_repeat(tmp_path: Path) -> None:
    """An id that comes again megabytes later is told apart from the first in every part of the file."""
    path = tmp_path / "runs.jsonl"
    text = [{"role": "user", "content": "x" * 30_000}]
    runs = [record(n % 60, trial=n // 60, traj=text) for n in range(120)]
    path.write_text("\n".join(json.dumps(one) for one in runs))
    parts = [r for r in read_file(path) if isinstance(r, WalRecord)]
    assert len(parts) > 1
    assert not [r for r in read_file(path) if isinstance(r, Rejected)]
    assert ids(decoded_below(path)) == [f"{n % 60}/{n // 60}" for n in range(120)]
