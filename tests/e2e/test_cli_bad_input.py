"""Bad input at the command line: one clear sentence, the right exit code, no traceback, nothing stored is lost."""

from __future__ import annotations

import gzip
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dagster_project.arrival.outcome_days import attach_arrived
from dagster_project.build.plan import plan_days
from dagster_project.cli.main import run
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.lake.store import Lake
from ingest.records.episode import Episode
from tests.lending_desk import line, lines, write

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The last line for people."""
        return self.err.strip().splitlines()[-1] if self.err.strip() else ""


Command = Callable[..., Ended]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `tracegym` in this process."""

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["tracegym", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        shown = capsys.readouterr()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else int(bool(code)), shown.out, shown.err)

    return call


def started(*arguments: object, **options: object) -> subprocess.Popen[str]:
    """`tracegym` as a process of its own."""
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]  # options of the caller
        [sys.executable, "-m", "dagster_project.cli.main", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def in_a_box(text: str) -> str:
    """What stands in the box of a usage error, on one line."""
    return " ".join(text.replace("│", " ").split())


def test_a_missing_file(command: Command, tmp_path: Path) -> None:
    """It is named, and no home is made for it."""
    ended = command("ingest", tmp_path / "gone.jsonl", "--home", tmp_path / "h")

    assert (ended.code, "gone.jsonl does not exist; check the path" in ended.sentence) == (1, True)
    assert not (tmp_path / "h").exists()


def test_wrong_usage(command: Command, tmp_path: Path) -> None:
    """Unknown commands, options and choices are usage errors."""
    assert command("nonsense").code == 2
    assert command("ingest", "--nonsense").code == 2
    assert command("build", "--redaction", "maybe", "--home", tmp_path).code == 2
    assert command("export", "parquet", tmp_path / "d", "--home", tmp_path).code == 2
    assert command("export", "taskset", tmp_path / "d", "--reward", "half").code == 2
    assert command("rollout", tmp_path, "--policy", "nop").code == 2


def test_wrong_usage_is_said_before_anything_is_done(command: Command, tmp_path: Path) -> None:
    """A budget of no stage plans no workers, and a target that nothing has makes no home."""
    table = tmp_path / "t.csv"
    table.write_text("conversation_id,value\nc1,1\n", encoding="utf-8")
    command("ingest", write(tmp_path / "a.jsonl", lines(1)), "--home", tmp_path / "h")

    built = command("build", "--budget", "foo=1m", "--home", tmp_path / "h")
    joined = command("outcomes", table, "--target", "typo", "--home", tmp_path / "new")

    assert (built.code, "stages are failures" in in_a_box(built.err)) == (2, True)
    assert "worker" not in built.err
    assert (joined.code, "use conversation" in in_a_box(joined.err)) == (2, True)
    assert not (tmp_path / "new").exists()


def test_a_file_that_stands_there_is_written_over_only_by_a_whole_one(
    command: Command, tmp_path: Path
) -> None:
    """Where no episode is clean yet the file stays what it was; else it is replaced, and nothing lies beside it."""
    out = tmp_path / "out" / "clean.jsonl"
    out.parent.mkdir()
    out.write_text("mine\n", encoding="utf-8")
    command("ingest", write(tmp_path / "a.jsonl", lines(1)), "--home", tmp_path / "h")

    refused = command("episodes", "--out", out, "--home", tmp_path / "h")
    kept = out.read_text(encoding="utf-8")
    written = command("episodes", "--raw", "--as", "Ada", "--out", out, "--home", tmp_path / "h")

    assert (refused.code, kept) == (1, "mine\n")
    assert (written.code, len(out.read_text(encoding="utf-8").splitlines())) == (0, 2)
    assert [path.name for path in out.parent.iterdir()] == ["clean.jsonl"]


@pytest.mark.parametrize(
    "name",
    [
        ("episodes",),
        ("episodes", "--raw", "--as", "Ada"),
        ("failures",),
        ("export", "taskset", "d"),
        ("redact", "review"),
    ],
)
def test_an_app_that_the_home_does_not_know(
    command: Command, tmp_path: Path, name: tuple[str, ...]
) -> None:
    """The sentence says which it knows."""
    command("ingest", write(tmp_path / "a.jsonl", lines(1)), "--home", tmp_path / "h")

    ended = command(*name, "--app", "lendign", "--home", tmp_path / "h")

    assert ended.code == 1
    assert "knows no app 'lendign'; it knows: lending" in ended.sentence


@pytest.mark.parametrize("name", ["build", "episodes", "failures"])
def test_a_command_that_is_printed_can_be_pasted(
    command: Command, tmp_path: Path, name: str
) -> None:
    """A home whose path holds a blank is one word."""
    home = tmp_path / "my home"
    if name != "build":
        command("ingest", write(tmp_path / "a.jsonl", lines(1)), "--home", home)

    printed = command(name, "--home", home).sentence.partition(": tracegym ")[2]

    assert shlex.split(printed)[-1] == str(home)


def test_an_app_is_found_by_the_name_that_its_team_gave_it(
    command: Command, tmp_path: Path
) -> None:
    """Tables carry a name without other letters than those of paths; who asks need not know that."""
    chats = [json.loads(json.dumps(one).replace('"lending"', '"kündi"')) for one in lines(1)]
    command("ingest", write(tmp_path / "a.jsonl", chats), "--home", tmp_path / "h")

    for name in ("kündi", "k%C3%BCndi"):
        asked = ("episodes", "--raw", "--as", "Ada", "--app", name, "--home", tmp_path / "h")
        assert command(*asked).code == 0


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.jsonl", b"", "empty"),
        ("binary.jsonl", bytes(range(256)) * 64, "no known format"),
        ("prose.txt", b"Dear reader, this is a letter.\n", "no known format"),
        ("cut.jsonl", b'{"messages": [{"role": "user", "content": "hel', "cut off"),
        ("cut.jsonl.gz", gzip.compress(b'{"messages": []}\n' * 999, mtime=0)[:40], "damaged"),
        ("other.jsonl", b'{"pets": ["cat"]}\n', "knows"),
        ("list.jsonl", b"[1, 2, 3]\n", ""),
        ("role.jsonl", b'{"messages": [{"role": 5, "content": "x"}]}\n', "role"),
        ("none.jsonl", b'{"messages": []}\n', "message"),
    ],
)
def test_a_file_that_holds_nothing_usable(
    command: Command, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    """The sentence says what is wrong, the record is in quarantine, and doctor counts it."""
    path = tmp_path / name
    path.write_bytes(content)

    ended = command("ingest", path, "--home", tmp_path / "h")

    assert ended.code == 1
    assert says in ended.sentence
    assert "Traceback" not in ended.err
    report = json.loads(command("doctor", "--home", tmp_path / "h", "--json").out)
    assert sum(report["quarantined"].values()) >= 1


def test_an_unreadable_file(command: Command, tmp_path: Path) -> None:
    """A folder that is a symlink to nowhere, or a file without permission, is one sentence."""
    path = tmp_path / "f.jsonl"
    path.symlink_to(tmp_path / "nowhere")

    ended = command("ingest", path, "--home", tmp_path / "h")

    assert ended.code == 1
    assert "f.jsonl" in ended.sentence


def test_good_lines_survive_bad_ones(command: Command, tmp_path: Path) -> None:
    """A bad line in the middle costs itself only."""
    good = [json.dumps(one) for one in lines(2)]
    path = tmp_path / "mixed.jsonl"
    path.write_text("\n".join([*good[:2], "{ broken", *good[2:], '{"messages": 3}']) + "\n")

    ended = command("ingest", path, "--home", tmp_path / "h", "--json")

    found = json.loads(ended.out)
    assert (ended.code, found["episodes"], sum(found["quarantined"].values())) == (0, 4, 2)


def test_orphan_calls_and_results_are_kept_and_named(command: Command, tmp_path: Path) -> None:
    """A call without a result and a result without a call come back out as they were."""
    orphan = line(0, good=True)
    orphan["messages"] = [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "assistant", "content": "done"},
        {"role": "tool", "tool_call_id": "y", "content": "[]"},
    ]
    write(tmp_path / "o.jsonl", [orphan])
    command("ingest", tmp_path / "o.jsonl", "--home", tmp_path / "h")

    ended = command("episodes", "--raw", "--as", "Ada", "--home", tmp_path / "h")

    back = json.loads(ended.out)
    assert [message["role"] for message in back["messages"]] == [
        "user",
        "assistant",
        "assistant",
        "tool",
    ]
    assert {"missing_results", "orphan_results"} <= set(back["tg"]["completeness"])


def test_one_file_twice_is_one_file(command: Command, tmp_path: Path) -> None:
    """The second time everything is there already, and that is no fault."""
    path = write(tmp_path / "a.jsonl", lines(2))
    command("ingest", path, "--home", tmp_path / "h")

    again = command("ingest", path, "--home", tmp_path / "h", "--json")

    assert again.code == 0
    assert ((found := json.loads(again.out))["bodies"], found["episodes"]) == (0, 0)
    assert (
        len(command("episodes", "--raw", "--as", "Ada", "--home", tmp_path / "h").out.splitlines())
        == 4
    )


def test_looking_at_raw_data_leaves_a_line(command: Command, tmp_path: Path) -> None:
    """Who looked, when and at how many episodes stands with the raw data."""
    command("ingest", write(tmp_path / "a.jsonl", lines(2)), "--home", tmp_path / "h")

    command("episodes", "--raw", "--as", "Ada", "--home", tmp_path / "h")

    audit = [
        json.loads(one) for one in (tmp_path / "h/private/audit.jsonl").read_text().splitlines()
    ]
    assert [(one["command"], one["episodes"]) for one in audit] == [("episodes --raw", 4)]


@pytest.mark.parametrize("name", ["build", "episodes", "doctor", "failures"])
def test_no_home(command: Command, tmp_path: Path, name: str) -> None:
    """Commands that read say how a home is made, and make none."""
    ended = command(name, "--home", tmp_path / "h")

    assert (ended.code, "there is no tracegym home" in ended.sentence) == (1, True)
    assert not (tmp_path / "h").exists()


def test_an_empty_home(command: Command, tmp_path: Path) -> None:
    """A home in which nothing has arrived is told what to do next."""
    (tmp_path / "e.jsonl").write_bytes(b"")
    command("ingest", tmp_path / "e.jsonl", "--home", tmp_path / "h")

    for name in (("build",), ("episodes",), ("episodes", "--raw", "--as", "Ada"), ("failures",)):
        ended = command(*name, "--home", tmp_path / "h")
        assert ended.code == 1
        assert "tracegym" in ended.sentence
    assert (
        "nothing to export"
        in command("export", "taskset", tmp_path / "d", "--home", tmp_path / "h").err
    )
    assert (
        "learnt nothing"
        in command("backtest", write(tmp_path / "b.jsonl", lines(1)), "--home", tmp_path / "h").err
    )


def test_a_home_from_another_version(command: Command, tmp_path: Path) -> None:
    """No command touches it."""
    command("ingest", write(tmp_path / "a.jsonl", lines(1)), "--home", tmp_path / "h")
    (tmp_path / "h" / "home.json").write_text('{"format": 99}')
    before = sorted(path.stat().st_mtime_ns for path in (tmp_path / "h").rglob("*"))

    for name in (("build",), ("episodes",), ("doctor",), ("ingest", tmp_path / "a.jsonl")):
        ended = command(*name, "--home", tmp_path / "h")
        assert (ended.code, "format 99" in ended.sentence) == (1, True)

    assert before == sorted(path.stat().st_mtime_ns for path in (tmp_path / "h").rglob("*"))


def test_bad_policies_name_their_line(command: Command, tmp_path: Path) -> None:
    """A policy file that cannot be used stops the build before anything is made of it."""
    command("ingest", write(tmp_path / "a.jsonl", lines(1)), "--home", tmp_path / "h")
    (tmp_path / "h" / "redaction.toml").write_text("nonsense = 1\n")

    ended = command("build", "--home", tmp_path / "h")

    assert ended.code == 1
    assert "nonsense" in ended.sentence


def test_debug_shows_the_traceback(command: Command, tmp_path: Path) -> None:
    """Developers get what users are spared."""
    ended = command("doctor", "--home", tmp_path / "h", "--debug")

    assert ended.code == 1
    assert "Traceback" in ended.err


def test_a_full_disk_stops_with_a_sentence_and_loses_nothing(tmp_path: Path) -> None:
    """No file may grow beyond a limit: what was stored before is still there."""
    home = tmp_path / "h"
    small, large = write(tmp_path / "a.jsonl", lines(1)), tmp_path / "b.jsonl"
    assert started("ingest", small, "--home", home).wait() == 0
    write(
        large,
        [*lines(8, app="big"), *(line(n, good=True, attempt=n, app="big") for n in range(600))],
    )

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    full = started("ingest", large, "--home", home, preexec_fn=limit)
    _, err = full.communicate()

    assert full.returncode == 1
    assert "Traceback" not in err
    assert "disk" in err
    kept = subprocess.run(
        [
            sys.executable,
            "-m",
            "dagster_project.cli.main",
            "episodes",
            "--raw",
            "--as",
            "Ada",
            "--home",
            str(home),
            "--app",
            "lending",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(kept.stdout.splitlines()) == 2
    assert started("ingest", large, "--home", home).wait() == 0


def test_two_commands_at_once_lose_nothing(tmp_path: Path) -> None:
    """Three ingests on a home that does not exist yet: every episode is there once."""
    files = [write(tmp_path / f"{n}.jsonl", lines(4, app=f"app{n}")) for n in range(3)]

    running = [started("ingest", file, "--home", tmp_path / "h") for file in files]

    assert [process.wait() for process in running] == [0, 0, 0]
    raw = started("episodes", "--raw", "--as", "Ada", "--home", tmp_path / "h")
    out, _ = raw.communicate()
    assert len(out.splitlines()) == 24


def test_ctrl_c_in_a_build_says_how_to_go_on(tmp_path: Path) -> None:
    """The home is usable, and the next build ends what was begun; a second build waits for the first."""
    home = tmp_path / "h"
    write(tmp_path / "a.jsonl", lines(8))
    assert started("ingest", tmp_path / "a.jsonl", "--home", home).wait() == 0
    first = started("build", "--home", home, env={**os.environ, "COLUMNS": "100"})
    deadline = time.monotonic() + 120
    while not (home / "private/lake/episodes/_delta_log").exists():
        assert first.poll() is None, first.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    first.send_signal(signal.SIGINT)
    _, err = first.communicate()

    assert first.returncode == 130
    assert "Traceback" not in err
    assert f"Go on with: tracegym build --home {home}" in err

    two = [started("build", "--home", home, "--json") for _ in range(2)]
    ended = [process.communicate() for process in two]
    assert [process.returncode for process in two] == [0, 0], ended
    done = [json.loads(out) for out, _ in ended]
    assert sorted(one["apps"] for one in done) == [0, 1]
    assert {stage["stage"]: stage["count"] for stage in done[0]["yield"]}["past redaction"] == 16


ODD = {
    "export": [
        {"entries": [{"actor": "desk", "line": "hello"}, {"actor": "caller", "line": "good day"}]}
    ]
}


def test_a_layout_of_ones_own(command: Command, tmp_path: Path) -> None:
    """Explain, keep the mapping, read with it: three commands, and the first two store nothing and need no home."""
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(ODD))

    refused = command("ingest", path, "--home", tmp_path / "h")
    told = command("ingest", path, "--explain")
    listed = json.loads(command("ingest", path, "--explain", "--json").out)
    (tmp_path / "m.toml").write_text(listed[0]["mapping"])
    mapped = command("ingest", path, "--map", tmp_path / "m.toml", "--explain", "--json")
    taken = command(
        "ingest", path, "--map", tmp_path / "m.toml", "--home", tmp_path / "h", "--json"
    )
    back = json.loads(command("episodes", "--raw", "--as", "Ada", "--home", tmp_path / "h").out)

    assert (refused.code, "its keys are export" in refused.sentence) == (1, True)
    assert refused.sentence.endswith("tracegym ingest FILE --explain.")
    assert told.code == 0
    assert all(word in told.out for word in ("in no format", 'messages = "entries"', "[]"))
    assert "good day" not in told.out
    assert json.loads(mapped.out)[0]["counts"]["messages"] == 2
    assert (taken.code, json.loads(taken.out)["episodes"]) == (0, 1)
    assert [message["content"] for message in back["messages"]] == ["hello", "good day"]
    assert back["app"] == "odd"


def test_a_mapping_that_is_wrong_or_finds_nothing(command: Command, tmp_path: Path) -> None:
    """A wrong one is refused before a home is made; paths that find nothing are named, the records are in quarantine."""
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(ODD))
    mapping = tmp_path / "m.toml"
    mapping.write_text('[conversation]\nmessages = "entries["\n')
    wrong = command("ingest", path, "--map", mapping, "--home", tmp_path / "h")
    assert (wrong.code, "[conversation] messages" in wrong.sentence) == (1, True)
    assert not (tmp_path / "h").exists()

    mapping.write_text(
        '[records]\npath = "export"\n[conversation]\nmessages = "lines"\nid = "no"\n'
    )
    missed = command("ingest", path, "--map", mapping, "--home", tmp_path / "h")
    assert missed.code == 1
    assert "conversation.messages = 'lines' of m.toml finds nothing in record 1" in missed.sentence
    assert "the mapping's conversation.id = 'no' found nothing in any record" in missed.err


def test_files_that_become_apps_of_their_own_are_told(command: Command, tmp_path: Path) -> None:
    """Several files without an app's name: the apps are named, and how to make them one is said."""
    said = [{"role": "user", "content": "hi"}]
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps([{"task_id": name, "traj": said}]))
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    told = command("ingest", *files, "--home", tmp_path / "h", "--json")
    assert json.loads(told.out)["apps"] == ["a", "b"]
    assert "2 apps are named after their files" in " ".join(told.err.split())
    named = command("ingest", *files, "--home", tmp_path / "g", "--app", "desk", "--json")
    assert (json.loads(named.out)["apps"], named.err.count("named after")) == (["desk"], 0)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--key", "conversation_id"), "--value which column holds the outcome's value"),
        (
            (),
            "nothing in column value; say with --value which column holds the outcome's value",
        ),
        (
            ("--app", "another"),
            "nothing in column key and column value; say with --key which column names the conversation and with --value",
        ),
        (("--key", "ticket", "--value", "score"), "nothing in column ticket; say with --key"),
    ],
)
def test_a_table_without_a_column_that_is_needed(
    command: Command, tmp_path: Path, more: tuple[str, ...], says: str
) -> None:
    """The options that name it and the columns that there are; nothing is kept of the table, which will come again."""
    home = tmp_path / "h"
    command("ingest", write(tmp_path / "c.jsonl", lines(1)), "--home", home)
    table = tmp_path / "t.csv"
    table.write_text("conversation_id,score\nlending-0-0,4\n")
    ended = command("outcomes", table, "--outcome", "csat", *more, "--home", home)
    assert ended.code == 1
    assert says in ended.err
    assert ended.sentence.endswith("of: conversation_id, score.")
    doctor = json.loads(command("doctor", "--home", home, "--json").out)
    assert doctor["quarantined"] == {}


def test_rows_of_a_table_that_cannot_be_used_are_no_lost_conversations(
    command: Command, tmp_path: Path
) -> None:
    """Before the first build the doctor counts conversations, not rows of outcomes."""
    home = tmp_path / "h"
    command("ingest", write(tmp_path / "c.jsonl", lines(1)), "--home", home)
    table = tmp_path / "t.csv"
    table.write_text("key,value\nlending-0-0,4\n,5\n")
    command("outcomes", table, "--outcome", "csat", "--home", home)
    doctor = json.loads(command("doctor", "--home", home, "--json").out)
    assert sum(doctor["quarantined"].values()) == 1
    assert doctor["yield"][0]["count"] == 2


def test_outcomes_of_an_app_that_nobody_knows(command: Command, tmp_path: Path) -> None:
    """A typo waits for ever; it is told, and so are the apps that there are."""
    home = tmp_path / "h"
    command("ingest", write(tmp_path / "c.jsonl", lines(1)), "--home", home)
    table = tmp_path / "t.csv"
    table.write_text("key,value\nlending-0-0,4\n")
    ended = command("outcomes", table, "--outcome", "csat", "--app", "lendign", "--home", home)
    assert ended.code == 0
    assert "knows no app 'lendign', so these rows wait for it; it knows: lending" in ended.err
    assert "row waits" not in ended.err


def test_the_quarantine_names_file_and_line(command: Command, tmp_path: Path) -> None:
    """Of the first record of each reason."""
    path = write(tmp_path / "c.jsonl", lines(1))
    path.write_text(f"{path.read_text().strip()}\nno json\n")
    number = len(path.read_text().splitlines())
    found = json.loads(command("ingest", path, "--home", tmp_path / "h", "--json").out)
    assert found["places"] == {"not_json": f"c.jsonl, line {number}"}


def test_a_table_sent_with_and_without_its_app_counts_once(
    command: Command, tmp_path: Path
) -> None:
    """The same statement is the same outcome, and the later table's value is the one that counts."""
    home = tmp_path / "h"
    chats = [{k: v for k, v in one.items() if not k.startswith("outcome")} for one in lines(1)]
    command("ingest", write(tmp_path / "c.jsonl", chats), "--home", home)
    episode = Episode(
        app="lending", episode_id="e", conversation_id="lending-0-0", source="s", started_at=0
    )
    for value, app in ((1, ()), (2, ("--app", "lending")), (3, ()), (4, ("--app", "lending"))):
        table = tmp_path / "t.csv"
        table.write_text(f"key,value\nlending-0-0,{value}\n")
        command("outcomes", table, "--outcome", "csat", *app, "--home", home)
        (one,) = json.loads(command("doctor", "--home", home, "--json").out)["apps"]
        assert one["outcomes"] == {"csat by business_record": 1}
        lake = Lake(home / "private" / "lake")
        joined = attach_arrived(lake, "lending", [], [episode], responses={})
        assert [(o.episode_id, o.value) for o in joined] == [("e", value)]


def test_the_doctor_sees_outcomes_that_name_no_app(command: Command, tmp_path: Path) -> None:
    """As a build joins them: of the app that they are about, and no app of their own."""
    home = tmp_path / "h"
    chats = [{k: v for k, v in one.items() if not k.startswith("outcome")} for one in lines(1)]
    command("ingest", write(tmp_path / "c.jsonl", chats), "--home", home)
    table = tmp_path / "t.csv"
    table.write_text("key,value\nlending-0-0,1\n")
    told = command("outcomes", table, "--outcome", "resolved", "--home", home)
    assert "wait" not in told.err
    (app,) = json.loads(command("doctor", "--home", home, "--json").out)["apps"]
    assert (app["app"], app["outcomes"]) == ("lending", {"resolved by business_record": 1})
    assert app["waiting_outcomes"] == 0
    private = PrivateSide(home=str(home), secret="s" * 32)
    assert plan_days(private, CleanSide(home=str(home))).known_apps == ("lending",)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [("", "", "there is no file in it"), ("cut.json", '{"messages": [{"ro', "cut off or no JSON")],
)
def test_nothing_that_can_be_explained(
    command: Command, tmp_path: Path, name: str, content: str, says: str
) -> None:
    """An empty folder and a file without a whole record: one sentence, which does not advise what was just done."""
    folder = tmp_path / "f"
    folder.mkdir()
    if name:
        (folder / name).write_text(content)
    ended = command("ingest", folder / name, "--explain")
    assert (ended.code, ended.sentence.startswith("tracegym: nothing of ")) == (1, True)
    assert says in ended.sentence
    assert "--explain" not in ended.err + ended.out
    assert command("ingest", folder / name, "--explain", "--json").code == 1


def test_keys_that_are_not_shown_are_counted(command: Command, tmp_path: Path) -> None:
    """A long list ends with how much is left."""
    wide = {f"field_{chr(97 + n // 26)}{chr(97 + n % 26)}": 1 for n in range(70)}
    path = tmp_path / "wide.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "hi"}]} | wide))
    told = command("ingest", path, "--explain")
    assert (told.code, "… and 14 more keys" in told.out) == (0, True)


def test_the_doctor_shows_no_day_where_no_time_is_known(command: Command, tmp_path: Path) -> None:
    """1970 is where data without a time lies, and nobody's day."""
    home, path = tmp_path / "h", tmp_path / "c.json"
    path.write_text(json.dumps([{"id": 7, "traj": [{"role": "user", "content": "hi"}]}]))
    command("ingest", path, "--home", home)
    told = command("doctor", "--home", home).out
    assert "1 (no time is known)" in told
    assert "1970" not in told


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        (
            "home.json",
            '{"format": 1, "raw_dayss": 3}',
            "home.json has no setting 'raw_dayss'; it knows: ",
        ),
        (
            "home.json",
            '{"format": 1, "raw_days": -3}',
            "raw_days must be a whole number of at least 1",
        ),
        ("outcomes.toml", "[outcomess]", "outcomes.toml has no table [outcomess]"),
        (
            "outcomes.toml",
            "[outcomes]\nresolved = { goood = [1] }",
            "'resolved' has no setting 'goood'",
        ),
        ("outcomes.toml", "[outcomes", "outcomes.toml is not TOML"),
        ("worlds.toml", "[desk", "worlds.toml is not TOML"),
    ],
)
def test_a_setting_with_a_typo_is_refused_before_anything_is_built(
    command: Command, tmp_path: Path, file: str, text: str, says: str
) -> None:
    """A setting that nobody reads would pass for one that holds."""
    home = tmp_path / "h"
    command("ingest", write(tmp_path / "c.jsonl", lines(1)), "--home", home)
    (home / file).write_text(text)
    ended = command("build", "--home", home)
    assert (ended.code, says in " ".join(ended.err.split())) == (1, True)
    assert "days" not in ended.out


def test_settings_of_worlds_for_an_app_that_nobody_knows_are_told(
    command: Command, tmp_path: Path
) -> None:
    """The app may arrive later, so the build goes on."""
    home = tmp_path / "h"
    command("ingest", write(tmp_path / "c.jsonl", lines(1)), "--home", home)
    (home / "worlds.toml").write_text("[lendign]\nrisk = 0.01\n")
    ended = command("build", "--home", home)
    assert ended.code == 0
    told = " ".join(ended.err.split())
    assert (
        "worlds.toml has a table [lendign], but no such app has arrived; the apps are: lending"
        in told
    )
