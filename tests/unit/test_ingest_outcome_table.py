"""Outcome tables joined to episodes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import SourceUnreadable
from ingest.files.outcome_table import OutcomeMapping, OutcomeRow, attach, join, read_outcomes
from ingest.records.episode import Episode
from ingest.records.outcome import Outcome
from ingest.records.quarantine import Rejected

DAY = 86_400 * 1_000_000_000
T0 = 20_000 * DAY


def episode(name: str, day: int = 0, **fields: str) -> Episode:
    """An episode that starts on a day."""
    return Episode(
        app=fields.pop("app", "shop"),
        episode_id=f"id-{name}",
        conversation_id=name,
        source="s",
        started_at=T0 + day * DAY,
        ended_at=T0 + day * DAY + 1,
        trace_ids=(f"trace-{name}",),
        subject=fields.get("subject"),
        task_key=fields.get("task_key"),
    )


def rows(path: Path, mapping: OutcomeMapping | None = None) -> list[OutcomeRow]:
    """The rows of a table without refusals."""
    found = list(read_outcomes(path, mapping, app="shop"))
    assert not [row for row in found if isinstance(row, Rejected)]
    return [row for row in found if isinstance(row, OutcomeRow)]


def test_csv_jsonl_and_parquet_give_the_same_rows(tmp_path: Path) -> None:
    """The three forms of one table differ in nothing."""
    columns = {
        "key": ["a", "b"],
        "name": ["csat", "reopened"],
        "value": ["4", "yes"],
        "at": ["2026-09-01T00:00:00Z", ""],
        "by": ["user", ""],
    }
    (tmp_path / "t.csv").write_text(
        "key,name,value,at,by\na,csat,4,2026-09-01T00:00:00Z,user\nb,reopened,yes,,\n"
    )
    (tmp_path / "t.jsonl").write_text(
        '{"key":"a","name":"csat","value":4,"at":"2026-09-01T00:00:00Z","by":"user"}\n'
        '{"key":"b","name":"reopened","value":true}\n'
    )
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    by_csv = rows(tmp_path / "t.csv")
    assert by_csv == rows(tmp_path / "t.jsonl") == rows(tmp_path / "t.parquet")
    assert [(r.value, r.by) for r in by_csv] == [(4.0, "end_user"), (1.0, "business_record")]


@pytest.mark.parametrize(
    ("target", "key"),
    [
        ("conversation", "a"),
        ("episode", "id-a"),
        ("episode", "a"),
        ("trace", "trace-a"),
        ("span", "trace-a:0001"),
        ("user", "u"),
        ("task_key", "t"),
        ("response", "r1"),
        ("conversation", "trace-a"),
        ("conversation", "id-a"),
        ("trace", "a"),
        ("response", "trace-a"),
    ],
)
def test_rows_are_joined_by_every_kind_of_key(tmp_path: Path, target: str, key: str) -> None:
    """Whatever a table calls the episode, the row finds it."""
    path = tmp_path / "t.csv"
    path.write_text(f"key,name,value\n{key},csat,4\n")
    episodes = [episode("a", subject="u", task_key="t"), episode("b", subject="v", task_key="w")]
    (outcome,) = join(rows(path, OutcomeMapping(target=target)), episodes, responses={"r1": "id-a"})
    assert (outcome.episode_id, outcome.app, outcome.source) == ("id-a", "shop", "table")


def test_a_traces_id_may_be_written_as_a_uuid(tmp_path: Path) -> None:
    """Telemetry has 32 digits in small letters; platforms' tables have dashes and capitals."""
    trace = "0af7651916cd43dd8448eb211c80319c"
    (tmp_path / "t.csv").write_text("key,name,value\n0AF76519-16CD-43DD-8448-EB211C80319C,csat,4\n")
    one = replace(episode("a"), trace_ids=(trace,))
    for target in ("trace", "conversation"):
        mapping = OutcomeMapping(target=target)
        (outcome,) = join(rows(tmp_path / "t.csv", mapping), [one, episode("b")])
        assert outcome.episode_id == "id-a"


def test_a_row_names_a_conversation_by_its_files_name(tmp_path: Path) -> None:
    """A conversation that only its file names has the file's path; tables have the name. A number in an id is none."""
    (tmp_path / "t.csv").write_text("key,name,value\n18b378764069,csat,4\n3,csat,1\n")
    episodes = [episode("sessions/18b378764069"), episode("task/3")]
    joined = join(rows(tmp_path / "t.csv"), episodes)
    assert [outcome.episode_id for outcome in joined] == ["id-sessions/18b378764069", None]


def test_a_row_that_joins_nothing_is_kept_and_joined_later(tmp_path: Path) -> None:
    """An outcome may come before its episode; its id does not change when the episode arrives."""
    path = tmp_path / "t.csv"
    path.write_text("key,name,value\nlate,csat,4\n")
    (early,) = join(rows(path), [episode("a")])
    assert early.episode_id is None
    (later,) = attach([early], [episode("late")])
    assert (later.episode_id, later.outcome_id) == ("id-late", early.outcome_id)


def test_a_users_row_is_about_the_last_episode_before_it(tmp_path: Path) -> None:
    """A business record about a user joins the one episode that it can be about, within the window."""
    path = tmp_path / "t.csv"
    at = "2024-10-08T00:00:00Z"  # day 20,004
    path.write_text(f"user,churned,when\nu,1,{at}\n")
    mapping = OutcomeMapping(
        key="user",
        target="user",
        value="churned",
        at="when",
        fixed_name="churned",
        window_seconds=2 * 86_400,
    )
    episodes = [
        episode("a", 0, subject="u"),
        episode("b", 3, subject="u"),
        episode("c", 9, subject="u"),
    ]
    assert [o.episode_id for o in join(rows(path, mapping), episodes)] == ["id-b"]
    assert [o.episode_id for o in join(rows(path, mapping), episodes[:1])] == [None]


def test_a_row_that_could_be_about_two_episodes_joins_neither(tmp_path: Path) -> None:
    """Without a time, two episodes of one user are a doubt."""
    path = tmp_path / "t.csv"
    path.write_text("key,name,value\nu,csat,4\n")
    both = [episode("a", subject="u"), episode("b", subject="u")]
    assert [o.episode_id for o in join(rows(path, OutcomeMapping(target="user")), both)] == [None]


def test_other_apps_episodes_are_not_labelled(tmp_path: Path) -> None:
    """A table of one app never labels another's episodes."""
    path = tmp_path / "t.csv"
    path.write_text("key,name,value\na,csat,4\n")
    assert [o.episode_id for o in join(rows(path), [episode("a", app="desk")])] == [None]


def test_the_same_table_twice_gives_the_same_outcomes_once(tmp_path: Path) -> None:
    """Rows are idempotent; a later statement of the same kind replaces the earlier one."""
    path = tmp_path / "t.csv"
    path.write_text(
        "key,name,value,at\na,csat,1,2026-09-01T00:00:00Z\na,csat,5,2026-09-02T00:00:00Z\n"
    )
    once = join(rows(path), [episode("a")])
    assert [o.value for o in once] == [5.0]
    assert join(rows(path) + rows(path), [episode("a")]) == once


def test_a_table_with_and_without_its_app_gives_the_same_outcomes(tmp_path: Path) -> None:
    """An app that the episode tells is as good as one that was named, whichever came first, also while rows waited."""
    path = tmp_path / "t.csv"
    path.write_text("key,name,value\na,csat,4\n")
    named, bare = rows(path), [r for r in read_outcomes(path) if isinstance(r, OutcomeRow)]
    at_once = join(named, [episode("a")])
    assert join(bare, [episode("a")]) == at_once
    waited = attach([*join(named, []), *join(bare, [])], [episode("a")])
    assert waited == at_once
    assert attach([*at_once, *join(bare, [])], [episode("a")]) == at_once


def test_equal_ids_of_two_apps_stay_two_outcomes(tmp_path: Path) -> None:
    """What was said of one app's conversation is not said of another's; without an app it joins neither."""
    path = tmp_path / "t.csv"
    path.write_text("key,name,value\na,csat,4\n")
    of_desk = Episode(
        app="desk", episode_id="id-desk", conversation_id="a", source="s", started_at=T0
    )
    both = [episode("a"), of_desk]
    tables = [read_outcomes(path, app=app) for app in ("shop", "desk", None)]
    found = join([r for t in tables for r in t if isinstance(r, OutcomeRow)], both)
    assert [(o.app, o.episode_id) for o in found] == [
        ("shop", "id-a"),
        ("desk", "id-desk"),
        ("unknown", None),
    ]
    assert len({o.outcome_id for o in found}) == 3


def test_blanks_around_an_id_keep_no_row_from_joining(tmp_path: Path) -> None:
    """Neither those in the table nor those that the app itself put into its id."""
    path = tmp_path / "t.csv"
    path.write_text("key,name,value\n a ,csat,4\nb,csat,4\n")
    joined = join(rows(path), [episode("a"), episode("b ")])
    assert [o.episode_id for o in joined] == ["id-a", "id-b "]
    by_ticket = OutcomeMapping(target="attribute:ticket")
    (one, _) = join(rows(path, by_ticket), [episode("z")], attributes={"ticket=a ": ["trace-z"]})
    assert one.episode_id == "id-z"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (",csat,4,", "no_key"),
        ("a,,4,", "no_name"),
        ("a,csat,4,soon", "bad_time"),
        ("a,csat,,", "no_value"),
        ("a,csat, ,", "no_value"),
        ("a,csat,NaN,", "no_value"),
    ],
)
def test_rows_that_cannot_be_used_are_refused(tmp_path: Path, line: str, code: str) -> None:
    """A row without key, name or value, or with a time that is none, is refused with its number."""
    path = tmp_path / "t.csv"
    path.write_text(f"key,name,value,at\n{line}\n")
    (found,) = read_outcomes(path)
    assert isinstance(found, Rejected)
    assert (found.code, found.position) == (code, "row 1")
    assert found.is_outcome, "no conversation is lost by it"


def test_an_empty_value_beside_a_comment_or_a_correction_is_kept(tmp_path: Path) -> None:
    """What somebody wrote is not lost with the mark that they left out; a data frame's NaN is an empty cell."""
    path = tmp_path / "t.csv"
    path.write_text("key,name,value,comment,correction\na,csat,,too slow,\nb,csat,,,Boston\n")
    assert [(r.value, r.comment, r.correction) for r in rows(path)] == [
        (None, "too slow", None),
        (None, None, "Boston"),
    ]
    frame = {"key": ["a", "b"], "name": ["csat"] * 2, "value": [4.0, float("nan")]}
    pq.write_table(pa.table(frame), tmp_path / "t.parquet")
    found = list(read_outcomes(tmp_path / "t.parquet"))
    assert [getattr(one, "code", None) for one in found] == [None, "no_value"]


def test_labels_are_kept_where_no_number_stands(tmp_path: Path) -> None:
    """A word in the value's column is a label, not an error."""
    path = tmp_path / "t.csv"
    path.write_text("key,name,value,comment\na,verdict,refunded,too slow\n")
    (outcome,) = join(rows(path), [episode("a")])
    assert (outcome.value, outcome.label, outcome.text) == (None, "refunded", "too slow")


def test_unreadable_tables_are_one_clear_error(tmp_path: Path) -> None:
    """Missing files, binary files and unknown targets are said in one sentence."""
    (tmp_path / "t.parquet").write_bytes(b"no parquet")
    (tmp_path / "t.csv").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "none.csv", tmp_path / "t.parquet", tmp_path / "t.csv"):
        with pytest.raises(SourceUnreadable):
            list(read_outcomes(path))
    with pytest.raises(SourceUnreadable, match="target"):
        list(read_outcomes(tmp_path / "t.csv", OutcomeMapping(target="planet")))


def test_tables_that_are_not_utf8_say_so(tmp_path: Path) -> None:
    """A CSV as a whole, a line of JSON alone; its text is kept in quarantine."""
    (tmp_path / "t.csv").write_bytes("key,name,value\na,csat,caf\xe9\n".encode("cp1252"))
    with pytest.raises(SourceUnreadable, match="not UTF-8; save the file as UTF-8"):
        list(read_outcomes(tmp_path / "t.csv"))
    line = '{"key": "a", "name": "csat", "value": "caf\xe9"}'.encode("cp1252")
    (tmp_path / "t.jsonl").write_bytes(b'{"key": "a", "name": "csat", "value": 1}\n' + line)
    _, refused = read_outcomes(tmp_path / "t.jsonl")
    assert isinstance(refused, Rejected)
    assert (refused.code, refused.position, refused.body) == ("not_json", "row 2", line)
    assert "not UTF-8" in refused.reason


def test_outcomes_with_an_episode_pass_unchanged() -> None:
    """What is joined stays joined."""
    done = Outcome(
        app="shop",
        outcome_id="1",
        target_kind="trace",
        target_id="x",
        episode_id="id-z",
        name="n",
        source="s",
    )
    assert attach([done], [episode("a")]) == [done]


def test_a_column_says_what_was_done_instead(tmp_path: Path) -> None:
    """Calls as JSON text in CSV, or as objects in JSON lines, reach the outcome as JSON; an empty cell says nothing."""
    call = [{"name": "renew", "arguments": {"loan": "L1"}}]
    (tmp_path / "t.csv").write_text(
        'key,name,value,done\na,closed,0,"[{""name"": ""renew"", ""arguments"": {""loan"": ""L1""}}]"\nb,closed,1,\n'
    )
    (tmp_path / "t.jsonl").write_text(
        json.dumps({"key": "a", "name": "closed", "value": 0, "done": call})
        + '\n{"key": "b", "name": "closed", "value": 1}\n'
    )
    mapping = OutcomeMapping(correction="done")
    for name in ("t.csv", "t.jsonl"):
        found = join(rows(tmp_path / name, mapping), [episode("a"), episode("b")])
        assert [o.correction and json.loads(o.correction) for o in found] == [call, None]
        assert [o.episode_id for o in found] == ["id-a", "id-b"]
