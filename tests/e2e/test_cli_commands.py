"""The commands of the design, one after the other on one home, as a user would type them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT, as_json, tracegym
from tests.lending_desk import line, lines, write


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that `ingest` and `build` made."""
    folder = tmp_path_factory.mktemp("commands")
    write(folder / "chats.jsonl", lines(8))
    tracegym("ingest", folder / "chats.jsonl", "--home", folder / "h")
    built = as_json("build", "--home", folder / "h")
    assert built["failed_checks"] == []
    assert Path(built["report"]).is_file()
    return folder / "h"


def test_a_build_says_which_outcomes_mean_nothing_yet(tmp_path: Path) -> None:
    """Feedback under a name of one's own counts once a line says what it means; the build prints the line."""
    named = [json.loads(json.dumps(one).replace('"resolved"', '"handled"')) for one in lines(4)]
    write(tmp_path / "chats.jsonl", named)
    tracegym("ingest", tmp_path / "chats.jsonl", "--home", tmp_path / "h")
    (settle,) = as_json("build", "--home", tmp_path / "h")["outcomes_to_settle"]
    assert settle.startswith('handled = "good"')
    (tmp_path / "h" / "outcomes.toml").write_text(f"[outcomes]\n{settle}\n")
    built = as_json("build", "--home", tmp_path / "h")
    labelled = next(stage for stage in built["yield"] if stage["stage"] == "with an outcome")
    assert built["outcomes_to_settle"] == []
    first = built["yield"][0]
    assert (first["stage"], first["count"]) == ("conversations in", len(named))
    assert labelled["count"] == len(named)


def test_a_build_says_what_it_read_of_values(tmp_path: Path) -> None:
    """A measure with both ends of a scale needs no line; the one that says the same is printed."""
    named = [json.loads(json.dumps(one).replace('"resolved"', '"score"')) for one in lines(4)]
    write(tmp_path / "chats.jsonl", named)
    tracegym("ingest", tmp_path / "chats.jsonl", "--home", tmp_path / "h")
    built = as_json("build", "--home", tmp_path / "h")
    assert built["outcomes_to_settle"] == []
    assert built["outcomes_read"] == ['score = { good = ">= 0.99", bad = "<= 0.4" }']


def test_version_is_the_package_s() -> None:
    """What a bug report needs first."""
    assert tracegym("--version").strip() == f"tracegym {version('tracegym')}"


def test_help_is_quick_and_names_every_command() -> None:
    """The first thing a user types does not import the pipeline."""
    script = (
        "import sys; sys.argv = ['tracegym', '--help']\n"
        "from dagster_project.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "heavy = {'dagster', 'pyarrow', 'deltalake', 'sklearn', 'litellm', 'presidio_analyzer'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip().endswith("[]")
    for name in [
        "serve",
        "ingest",
        "outcomes",
        "episodes",
        "build",
        "failures",
        "backtest",
        "export",
        "rollout",
        "runs",
        "doctor",
    ]:
        assert f" {name} " in done.stdout
        assert "Example: tracegym" in tracegym(name, "--help")


def test_clean_episodes_come_back_as_chat_logs(home: Path) -> None:
    """What is past the gate can be taken in again, and names nobody."""
    found = [json.loads(one) for one in tracegym("episodes", "--home", home).splitlines()]

    assert len(found) == 16
    assert all(one["outcome"]["name"] == "resolved" for one in found)
    assert "marisol" not in json.dumps(found).lower()


def test_failures_and_the_episodes_behind_them(home: Path) -> None:
    """Clusters, and one cluster's episodes by the start of its id."""
    clusters = as_json("failures", "--home", home)

    one = as_json("failures", "--home", home, "--cluster", clusters[0]["cluster_id"][:12])

    assert sum(cluster["failures"] for cluster in clusters) == 8
    assert len(one["failures"]) == clusters[0]["failures"]


def test_a_task_set_runs_on_a_bare_python(home: Path, tmp_path: Path) -> None:
    """Exported, validated without our packages, twice the same bytes, and played by scripts."""
    first = as_json("export", "taskset", tmp_path / "a", "--home", home)
    second = as_json("export", "taskset", tmp_path / "b", "--home", home)
    bare = subprocess.run(
        [sys.executable, "-I", "-S", str(tmp_path / "a"), "validate"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert bare.returncode == 0, bare.stdout + bare.stderr
    assert first["version"] == second["version"]
    assert first["tasks"] >= 1
    solved = as_json("rollout", tmp_path / "a", "--policy", "solution", "--home", home)
    idle = as_json("rollout", tmp_path / "a", "--policy", "noop", "--home", home)
    again = as_json("rollout", tmp_path / "a", "--policy", "noop", "--home", home)
    assert solved["mean_reward"] == 1.0
    assert idle["mean_reward"] in {0.0, None}
    assert (again["rollouts"], again["already_there"]) == (0, idle["rollouts"])
    assert solved["reasons"] == {"rewarded": solved["rollouts"]}
    assert {one["policy"] for one in again["policies"]} == {"solution", "noop"}
    listed = as_json("runs", "--home", home, "--list", "--policy", "solution")
    assert {one["cause"] for one in listed["rollouts"]} == {"rewarded"}
    chosen = listed["rollouts"][0]["rollout_id"]
    shown = as_json("runs", "--home", home, "--show", chosen[:12])
    assert shown["messages"]
    assert {check["score"] for check in shown["checks"] if check["required"]} == {1.0}
    assert "Check by check" in tracegym("runs", "--home", home, "--show", chosen[:12])


def test_a_key_that_signs_nothing_is_refused_before_anything_is_written(
    home: Path, tmp_path: Path
) -> None:
    """Neither the folder nor the home's record of exports changes."""
    (tmp_path / "bad.pem").write_text("no key", encoding="utf-8")
    before = sorted(path.name for path in home.rglob("*") if path.is_file())

    given = ("export", "taskset", tmp_path / "set", "--home", home, "--sign", tmp_path / "bad.pem")
    told = tracegym(*given, code=1)

    assert "bad.pem is no private key in PEM" in told
    assert not (tmp_path / "set").exists()
    assert sorted(path.name for path in home.rglob("*") if path.is_file()) == before


def test_a_table_that_no_world_has_cannot_be_shared(home: Path, tmp_path: Path) -> None:
    """The sentence names the tables, and each of them can be."""
    given = ("export", "taskset", tmp_path / "set", "--home", home, "--shared")
    told = tracegym(*given, "nosuchtable", code=1)
    assert "no world has a table 'nosuchtable'; --shared takes one of: " in told
    assert not (tmp_path / "set").exists()

    table = told.strip().rpartition("one of: ")[2].split(", ")[0]
    tracegym(*given, table)


def test_a_set_that_pays_the_share(home: Path, tmp_path: Path) -> None:
    """Its solutions earn everything and pass every check; its rollouts are no repetitions of those of all-or-nothing."""
    whole = as_json("export", "taskset", tmp_path / "all", "--home", home)
    parts = as_json("export", "taskset", tmp_path / "parts", "--home", home, "--reward", "share")
    assert (whole["reward"], parts["reward"]) == ("all", "share")
    as_json("rollout", tmp_path / "all", "--policy", "solution", "--home", home)
    solved = as_json("rollout", tmp_path / "parts", "--policy", "solution", "--home", home)
    passed, _, total = solved["checks_passed"].partition(" of ")
    assert (solved["mean_reward"], passed) == (1.0, total)
    assert (solved["rollouts"], solved["already_there"]) == (parts["tasks"], 0)
    graded = as_json("regrade", tmp_path / "parts", "--home", home)
    assert graded["changes"].get("same", 0) >= parts["tasks"]


@pytest.mark.parametrize("format_name", ["sft", "dpo"])
def test_recorded_attempts_are_counted(home: Path, tmp_path: Path, format_name: str) -> None:
    """An export of attempts says how many rows it wrote, in which split, or that there were none."""
    found = as_json("export", format_name, tmp_path / "rows", "--home", home)
    train = (tmp_path / "rows" / "train.jsonl").read_bytes().count(b"\n")
    other = as_json("export", format_name, tmp_path / "no", "--home", home, "--split", "validation")
    few = (tmp_path / "no" / "validation.jsonl").is_file()

    assert train
    assert found["rows"].startswith(f"{train} train")
    assert other["rows"].endswith(" validation") if few else other["rows"].startswith("none: ")


def test_the_verifiers_package_holds_the_task_set(home: Path, tmp_path: Path) -> None:
    """The other format of the first version."""
    tracegym("export", "verifiers", tmp_path / "v", "--home", home, "--name", "lending desk")

    assert (tmp_path / "v" / "pyproject.toml").is_file()
    assert (tmp_path / "v" / "lending_desk" / "task_set" / "manifest.json").is_file()


def test_backtest_writes_every_key(home: Path, tmp_path: Path) -> None:
    """Held-out attempts at known tasks are replayed and graded; their own ids come back."""
    held = [line(n, good=n % 2 == 0, attempt=9, day=2) for n in range(6)]
    held.append(line(77, good=True, attempt=9, day=2, app="stranger"))
    write(tmp_path / "held.jsonl", held)

    tracegym("backtest", tmp_path / "held.jsonl", "--home", home, "--json", tmp_path / "out.json")

    found = json.loads((tmp_path / "out.json").read_text())
    keys = {"calls", "exact", "equivalent", "wrong", "unknown", "simulated"}
    assert keys | {"by_tool", "by_source", "writes", "tape", "episodes", "graders"} <= set(found)
    assert found["calls"] == 3 * 3 + 3 * 2
    assert found["calls"] == sum(found[key] for key in keys - {"calls"})
    assert found["wrong"] == 0
    assert found["calls"] == sum(tool["calls"] for tool in found["by_tool"].values())
    assert [one["episode_id"] for one in found["episodes"]] == [one["episode_id"] for one in held]
    assert set(found["episodes"][0]) == {
        "episode_id",
        "task_id",
        "task_version",
        "status",
        "outcome",
        "predicted",
        "reward",
        "reason",
    }
    assert found["episodes"][-1]["status"] == "no_app"
    every = found["graders"]["all"]
    assert every["episodes"] == 6
    assert every["agreement"] == 1.0
    assert (every["false_pass"], every["false_fail"]) == (0, 0)
    assert set(every) == set(found["graders"]["accepted"])


def test_a_backtest_fits_a_screen_unless_all_of_it_is_asked_for(home: Path, tmp_path: Path) -> None:
    """The tables that one looks at first; a tape is told as a comparison, not as a bound."""
    held = [line(n, good=n % 2 == 0, attempt=9, day=2) for n in range(6)]
    write(tmp_path / "held.jsonl", held)

    short = tracegym("backtest", tmp_path / "held.jsonl", "--home", home)
    whole = tracegym("backtest", tmp_path / "held.jsonl", "--home", home, "--all")

    assert len(short.splitlines()) <= 40
    for told in ("held-out calls", "What risk buys", "by confidence", "Graders", "a tape: exact"):
        assert told in short
    assert "floor" not in whole
    assert "The same by tool" in whole


def test_an_outcome_table_is_joined(home: Path, tmp_path: Path) -> None:
    """Rows join by the conversation's own id; unknown ones wait; bad ones are quarantined."""
    (tmp_path / "t.csv").write_text(
        "ticket,at,reopened\nlending-0-0,2026-03-09T00:00:00Z,1\nnobody,2026-03-09,1\n,2026-03-09,1\n"
    )

    found = as_json(
        "outcomes", tmp_path / "t.csv", "--key", "ticket", "--value", "reopened",
        "--outcome", "ticket_reopened", "--app", "lending", "--home", home,
    )  # fmt: skip

    assert (found["rows"], found["joined"], found["waiting"], found["quarantined"]) == (2, 1, 1, 1)


def test_serve_takes_otlp_and_stops_cleanly(tmp_path: Path) -> None:
    """A stock OTLP/JSON body is answered with 200, decoded, and seen by doctor; Ctrl-C ends it."""
    span = {
        "traceId": "0af7651916cd43dd8448eb211c80319c",
        "spanId": "b7ad6b7169203331",
        "name": "chat m",
        "startTimeUnixNano": "1772438400000000000",
        "endTimeUnixNano": "1772438401000000000",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.conversation.id", "value": {"stringValue": "c1"}},
        ],
    }
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "desk"}}]}
    body = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "dagster_project.cli.main",
            "serve",
            "--home",
            str(tmp_path / "h"),
            "--port",
            "0",
            "--every",
            "0.2",
        ],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    first = server.stderr.readline()
    address = re.search(r"http://\S+", first)
    assert address is not None, first
    request = urllib.request.Request(
        f"{address[0]}/v1/traces",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.status == 200
    said = server.stderr.readline()
    time.sleep(0.1)
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=30)

    assert server.returncode == 0
    assert "1 spans" in said
    report = as_json("doctor", "--home", tmp_path / "h")
    assert [(app["app"], app["spans"], app["content"]) for app in report["apps"]] == [
        ("desk", 1, "off")
    ]
    assert any("content" in advice for advice in report["apps"][0]["advice"])


def test_the_doctor_names_spans_of_an_apps_own_tracing(tmp_path: Path) -> None:
    """What follows no convention is counted, named and explained; their text is not shown."""

    def own(number: int, name: str, **told: str) -> dict[str, Any]:
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]
        ids = {"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": f"{number:016x}"}
        times = {
            "startTimeUnixNano": "1772438400000000000",
            "endTimeUnixNano": "1772438401000000000",
        }
        return {**ids, **times, "name": name, "attributes": attributes}

    spans = [
        own(1, "llm.call", input="Where is A1?", output="Sent."),
        own(2, "tool.run", input="A1"),
    ]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "desk"}}]}
    body = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
    (tmp_path / "spans.json").write_text(json.dumps(body))
    tracegym("ingest", tmp_path / "spans.json", "--home", tmp_path / "h")
    (app,) = as_json("doctor", "--home", tmp_path / "h")["apps"]
    assert app["unread"] == {"llm.call": 1, "tool.run": 1}
    assert any("Spans of your own" in advice for advice in app["advice"])
    assert "Where is A1" not in json.dumps(app)


def test_a_failure_cluster_says_what_fails_and_makes_its_tasks(home: Path, tmp_path: Path) -> None:
    """Cause, step and agent of each failure in words; `--select` exports the tasks with an attempt in the cluster, and no others."""
    clusters = as_json("failures", "--home", home)
    shown = tracegym("failures", "--home", home)
    assert "whose" in shown
    assert "%" in shown
    every = as_json("export", "taskset", tmp_path / "all", "--home", home)
    selected = 0
    for one in clusters:
        start = one["cluster_id"][:12]
        listed = as_json("failures", "--home", home, "--cluster", start)["failures"]
        assert all(failure["cause"] == one["cause"] for failure in listed)
        told = tracegym("failures", "--home", home, "--cluster", start)
        assert f"--select cluster={start}" in told
        asked = ("export", "taskset", tmp_path / start, "--home", home, "--select")
        made = as_json(*asked, f"cluster={start}")
        assert 0 < made["tasks"] <= every["tasks"]
        selected += made["tasks"]
    assert selected


def test_selecting_what_is_no_cluster_is_refused_in_a_sentence(home: Path, tmp_path: Path) -> None:
    """A wrong word, a missing id and an id that nothing has."""
    for asked, said, code in (
        ("users=3", "write cluster=ID", 2),
        ("cluster=", "write cluster=ID", 2),
        ("cluster=zz", "0 failure clusters have an id that starts with 'zz'", 1),
    ):
        given = ("export", "taskset", tmp_path / "x", "--home", home, "--select", asked)
        told = tracegym(*given, code=code)
        assert said in " ".join(told.replace("│", " ").split())
