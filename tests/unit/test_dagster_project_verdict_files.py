"""Verdicts in files beside the runs: what a file says of a folder, a file, a run or a task is the outcome of the one conversation that is meant."""

import errno
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dagster_project.arrival import files as arrival
from dagster_project.arrival import verdict_files
from dagster_project.arrival.chat_lines import raw_lines
from dagster_project.arrival.files import ArrivalCounts, take_in
from dagster_project.build.left_out_rows import rows_of
from dagster_project.home.layout import open_home
from dagster_project.report.doctor import diagnose
from ingest.files.explain import explain
from ingest.files.file_source import FileSource
from ingest.formats.run_questions import Questions
from ingest.formats.run_verdicts import Parts, Verdicts
from ingest.otlp.decode_batch import decode_batch

Files = dict[str, Any]


def run(about: str, **beside: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A run's own file: somebody asks for a boat."""
    said = [
        {"role": "user", "content": f"Is boat {about} free?"},
        {"role": "assistant", "content": f"Boat {about} is free."},
    ]
    return {"messages": said, **beside}


def outcomes(folder: Path, files: Files) -> tuple[dict[str, dict[str, Any]], ArrivalCounts]:
    """What became of some files: the outcomes of each boat's conversation, and what was counted."""
    for name, value in files.items():
        path = folder / "exp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
    home = open_home(folder / "home", create=True)
    arrived = take_in(home, [folder / "exp"])
    found: dict[str, dict[str, Any]] = {}
    for line in map(json.loads, raw_lines(home)):
        told = line.get("outcomes") or [line[k] for k in ("outcome",) if k in line]
        boat = line["messages"][0]["content"].split()[2]
        found[boat] = {one["name"]: one["value"] for one in told}
    return found, arrived


TWO: Files = {"runs/b-1/chat.json": run("1"), "runs/b-2/chat.json": run("2")}


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"results.json": {"results": [{"run_name": "b-1", "is_resolved": True}, {"run_name": "b-2", "is_resolved": False}]}}, "is_resolved"),
        ({"summary.json": {"rows": [{"name": "b-1", "similarity": 1.0, "old_similarity": 0.2}, {"name": "b-2", "similarity": 0.0}]}}, "similarity"),
        ({"evaluation/all.json": {"share": 50.0, "each": {"b-1": {"success": True}, "b-2": {"success": False}}}}, "success"),
        ({"all.json": {"b-1": True, "b-2": False}, "b.json": {"rewards": {"b-1": 1, "b-2": 0}}}, "reward"),
        ({"report.json": {"resolved_ids": ["b-1"], "unresolved_ids": ["b-2"], "error_ids": ["b-2"], "total": 2}}, "resolved"),
        ({"report.json": {"resolved_ids": ["b-1"], "empty_patch_ids": ["b-2"], "submitted_ids": ["b-1", "b-2"]}}, "resolved"),
        ({"notes/b-1.json": {"errors": [], "scores": [{"overall": 1.0}]}, "notes/b-2.json": {"errors": ["late"], "scores": [{"overall": 0.0}]}}, "scores.overall"),
        ({"results/eval_b-1.json": {"final_score": {"total": 2, "result": 2}}, "results/eval_b-2.json": {"final_score": {"total": 2, "result": 0}}}, "final_score.result"),
        ({"scores.csv": "run,score,steps\nb-1,1.0,7\nb-2,0.0,9\n"}, "score"),
        ({"scores.jsonl": '{"path": "/old/runs/b-1/chat.json", "score": 1}\n{"path": "runs/b-2", "score": 0}\n'}, "score"),
        ({"runs/b-1/result.json": {"passed": True, "took": 3.5}, "runs/b-2/check/reward.txt": "0\n", "runs/b-2/note.txt": "1"}, None),
        ({f"runs/b-{n}/{f}.json": one for n, good in ((1, True), (2, False)) for f, one in (("eval", {"pass": good, "details": "All checks passed"} if good else {"pass": False}), ("status", {"ran": "done", "evaluation": good}))}, "pass"),
        ({"runs/b-1/log.txt": "line\nALL TESTS PASSED !#!#\n", "runs/b-2/log.txt": "line\ntests failed\nend\n"}, "passed"),
    ],
)  # fmt: skip
def test_what_a_file_says_of_runs(tmp_path: Path, files: Files, name: str | None) -> None:
    """In a row, as a key, in a list, in a table, beside the run or as text: each run has its own verdict, and the file is not refused."""
    found, arrived = outcomes(tmp_path, TWO | files)
    assert [list(found[boat].values()) for boat in ("1", "2")] == [[1.0], [0.0]] or name == "reward"
    assert name is None or [found[boat][name] for boat in ("1", "2")] == [1.0, 0.0]
    assert "unclear_verdict" not in arrived.rejected


def test_a_row_names_its_conversation_as_a_session(tmp_path: Path) -> None:
    """The conversation's own id stands under a name without `id`, beside whose it is."""
    talks = {f"talks/{n}.json": run(n, session_id=f"s-{n}") for n in ("1", "2")}
    rows = [{"session": f"s-{n}", "user_id": "u", "goal_reached": n == "1", "stars": 4} for n in ("1", "2")]  # fmt: skip
    found, _ = outcomes(tmp_path, {**talks, "ratings.json": {"ratings": rows}})
    assert [one["goal_reached"] for one in (found["1"], found["2"])] == [1.0, 0.0]


def test_a_row_names_what_calls_to_a_model_belong_to(tmp_path: Path) -> None:
    """Two attempts at one task, each call to the model with the attempt's own id, and only the verdict's row tells which is which."""
    calls = [
        {"ts": f"2026-11-01T10:00:0{n}Z", "run_id": f"r-{n}", "task_id": "t", "request": {"model": "m", "messages": run(n)["messages"][:1]},
         "response": {"id": f"a{n}", "choices": [{"message": run(n)["messages"][1]}]}}
        for n in ("1", "2")
    ]  # fmt: skip
    rows = [{"run_id": f"r-{n}", "task_id": "t", "verdict": n == "1"} for n in ("1", "2")]
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    found, arrived = outcomes(tmp_path, {"calls.jsonl": lines, "verdicts.json": rows})
    assert found == {"1": {"verdict": 1.0}, "2": {"verdict": 0.0}}
    assert "unclear_verdict" not in arrived.rejected


def test_attempts_that_go_on_in_another_file(tmp_path: Path) -> None:
    """Calls of one attempt lie in two days' files, and a table says how each attempt went and, by its number, at which ticket."""
    boats = ("1", "2", "3", "4")
    days: tuple[list[Any], list[Any]] = ([], [])
    for n in boats:
        said = [*run(n)["messages"], {"role": "user", "content": "Book it."}, {"role": "assistant", "content": "Booked."}]  # fmt: skip
        for day, lines in enumerate(days):
            made = said[2 * day + 1]
            lines.append(
                {"ts": f"2026-11-0{day + 1}T{23 - 23 * day:02}:0{n}:00Z", "run_id": f"r-{n}", "request": {"model": "m", "messages": said[: 2 * day + 1]},
                 "response": {"id": f"a{n}{day}", "choices": [{"message": made}]}}
            )  # fmt: skip
    rows = "run_id,ticket_id,attempt,resolved\nr-1,T-1,1,true\nr-2,T-1,2,false\nr-3,T-2,1,true\nr-4,T-2,2,true\n"
    files = {f"day{day}.jsonl": "".join(json.dumps(one) + "\n" for one in lines) for day, lines in enumerate(days)}  # fmt: skip
    found, arrived = outcomes(tmp_path, {**files, "runs.csv": rows})
    assert found == {n: {"resolved": float(n != "2")} for n in boats}
    assert not arrived.rejected
    told = list(map(json.loads, raw_lines(open_home(tmp_path / "home"))))
    assert [len(one["messages"]) for one in told] == [4] * 4
    tasks = {one["messages"][0]["content"].split()[2]: one["task_key"] for one in told}
    assert tasks == {"1": "T-1", "2": "T-1", "3": "T-2", "4": "T-2"}


def test_a_row_names_a_span_and_its_verdict(tmp_path: Path) -> None:
    """A table of what was marked on spans says neither which trace nor under which name of its own: the span and a column's word do."""
    spans = [
        {"name": "llm", "span_kind": "LLM", "context": {"trace_id": f"t{n}", "span_id": f"5{n}"}, "start_time": f"2026-11-01T10:00:0{n}Z",
         "attributes": {"llm.input_messages": [{"message": run(n)["messages"][0]}], "llm.output_messages": [{"message": run(n)["messages"][1]}]}}
        for n in ("1", "2")
    ]  # fmt: skip
    marks = "span_id,name,label,score,annotator_kind\n51,done,yes,1.0,LLM\n51,tone,kind,0.5,LLM\n52,done,no,0.0,LLM\n"
    objects = "".join(
        json.dumps({"id": f"m{n}", "span_id": f"5{n}", "name": "polite", "annotator_kind": "HUMAN", "result": {"label": None, "score": n}, "metadata": {"by": "x"}, "user_id": None})
        + "\n"
        for n in (1, 2)
    )  # fmt: skip
    lines = "".join(json.dumps(span) + "\n" for span in spans)
    files = {"spans/all.jsonl": lines, "marks.csv": marks, "more/marks.jsonl": objects}
    found, arrived = outcomes(tmp_path, files)
    assert found == {"1": {"done": 1.0, "tone": 0.5, "polite": 1.0}, "2": {"done": 0.0, "polite": 2.0}}  # fmt: skip
    assert not arrived.rejected


def test_a_verdict_that_was_taken_back_is_none(tmp_path: Path) -> None:
    """The one that stands counts."""
    rows = "run,score,deleted_at\nb-1,1.0,2026-11-01T10:00:00Z\nb-1,0.0,\nb-2,1.0,\n"
    found, arrived = outcomes(tmp_path, {**TWO, "scores.csv": rows})
    assert found == {"1": {"score": 0.0}, "2": {"score": 1.0}}
    assert not arrived.rejected


def test_several_attempts_at_one_task(tmp_path: Path) -> None:
    """A verdict is about the attempt that it numbers, or the one of its own folder; one that may mean several is counted."""
    files = {f"{of}/t-7/attempt_{n}/chat.json": run(f"{of}{n}") for of in "ab" for n in (0, 1)}
    rows = [{"task_id": "t-7", "attempt": n, "is_correct": n == 1} for n in (0, 1)]
    found, arrived = outcomes(tmp_path, {**files, "a/all.json": rows, "b/all.json": rows[:1]})
    assert found == {
        "a0": {"is_correct": 0.0},
        "a1": {"is_correct": 1.0},
        "b0": {"is_correct": 0.0},
        "b1": {},
    }
    assert not arrived.rejected
    more = {"b/all.json": [{"task_id": "t-7", "is_correct": True}]}
    found, arrived = outcomes(tmp_path / "2", {**files, "a/all.json": rows, **more})
    assert found["b0"] == found["b1"] == {}
    assert arrived.rejected == {"unclear_verdict": 1}
    assert "b/all.json says how t-7 went" in arrived.reasons["unclear_verdict"]


def test_trees_of_one_shape_belong_together(tmp_path: Path) -> None:
    """Scores of a model are about that model's runs; a run that is not there is not another model's."""
    files: Files = {f"out/{m}/t-{n}.json": run(f"{m}{n}") for m, n in (("x", 1), ("x", 2), ("y", 2))}  # fmt: skip
    files |= {f"score/{m}/all.json": {"t-1": {"success": m == "y"}, "t-2": {"success": m == "x"}} for m in "xy"}  # fmt: skip
    found, _ = outcomes(tmp_path, files)
    assert found == {"x1": {"success": 0.0}, "x2": {"success": 1.0}, "y2": {"success": 0.0}}


@pytest.mark.parametrize(
    "files",
    [
        {"runs/config.json": {"success": True, "seed": 1}},
        {"runs/b-1/counts.json": {"passed": 5, "failed": 2}},
        {"runs/b-1/settings.json": {"temperature": 0.5, "retry": True, "name": "b-1"}},
        {"all.json": {"b-3": {"success": True}, "runs": {"success": True}}},
        {
            "infra/gpu_2.json": {"success": True},
            "meta/step_2.json": {"score": 0.3},
            "traces/run_2.json": run("2"),
        },
        {"skip.json": {"skip": {"b-1": True}, "submitted_ids": ["b-1", "b-2"]}},
        {"list.json": [{"id": "b-1", "status_count": {"success": 0, "partial_success": 0}}]},
    ],
)
def test_what_is_no_verdict_on_a_run(tmp_path: Path, files: Files) -> None:
    """Settings, counts, what names all runs or none: nothing is joined."""
    found, _ = outcomes(tmp_path, TWO | files)
    assert found == {"1": {}, "2": {}}


def test_of_two_verdicts_the_surer_and_the_runs_own_first(tmp_path: Path) -> None:
    """A verdict in the run's own file wins; else a file that names it, before one that lies beside; two that differ are none."""
    files: Files = {
        "r/b-1/chat.json": run("1", reward=0.5),
        "r/b-2/chat.json": run("2"),
        "r/b-3/chat.json": run("3"),
        "all.json": {"b-1": {"success": True}, "b-2": {"success": True}},
        "r/b-2/result.json": {"success": False},
        "x.json": {"b-3": {"success": True}},
        "y.json": {"b-3": {"success": False}},
    }
    found, arrived = outcomes(tmp_path, files)
    assert found == {"1": {"reward": 0.5}, "2": {"success": 1.0}, "3": {}}
    assert arrived.rejected["unclear_verdict"] == 2


def lines(*rows: dict[str, Any]) -> str:
    """JSON lines."""
    return "\n".join(map(json.dumps, rows)) + "\n"


def test_files_of_runs_with_the_same_ids_and_verdicts_named_after_them(tmp_path: Path) -> None:
    """A row means the run of the file whose name begins its own; what measures may be of any size."""
    files: Files = {}
    for model, boats in (("a", (1, 2)), ("a_2", (3, 4))):
        rows = [run(str(boat), id=n) for n, boat in enumerate(boats)]
        files[f"{model}.jsonl"] = lines(*rows)
        scored = [{"case_id": n, "Helpfulness": float(boat)} for n, boat in enumerate(boats)]
        files[f"{model}_scores.jsonl"] = lines(*scored)
    found, _ = outcomes(tmp_path, files)
    assert found == {str(n): {"helpfulness": float(n)} for n in (1, 2, 3, 4)}


def test_files_of_verdicts_are_named_by_a_word_that_those_of_runs_have(tmp_path: Path) -> None:
    """The word ends the one name and begins the other."""
    files: Files = {}
    for model, boats in (("m-1", (1, 2)), ("m-2", (3, 4))):
        rows = [run(str(boat), task_id=n) for n, boat in enumerate(boats)]
        files[f"done/{model}_runs.jsonl"] = lines(*rows)
        scored = [{"task_id": n, "score": boat / 4} for n, boat in enumerate(boats)]
        files[f"judged/scored_{model}.jsonl"] = lines(*scored)
    found, _ = outcomes(tmp_path, files)
    assert found == {str(n): {"score": n / 4} for n in (1, 2, 3, 4)}


def test_a_run_goes_by_the_number_with_which_its_files_name_begins(tmp_path: Path) -> None:
    """And judges with numbers are told apart by the name above."""
    files: Files = {
        f"{model}/384{n}_CoT@1.json": run(f"{model}{n}") for model in ("x", "y") for n in (1, 2)
    }
    told = {"x1": "Solved", "x2": "Unsolved", "y1": "Unsolved", "y2": "Solved"}
    for model in ("x", "y"):
        rows = {f"384{n}": {"is_solved": {"0": f"Status.{told[f'{model}{n}']}"}} for n in (1, 2)}
        files[f"rates/{model}/all.json"] = rows
    found, _ = outcomes(tmp_path, files)
    assert found == {run: {"is_solved": word} for run, word in told.items()}


def test_a_run_that_two_files_of_its_folder_tell(tmp_path: Path) -> None:
    """It is one conversation, so that a verdict has one to be about; a larger file that tells another one is kept, and so is one in the same form: an attempt."""
    files: Files = {"all.json": [{"name": f"b-{n}", "similarity": n / 2} for n in (1, 2)]}
    for n in ("1", "2"):
        files[f"runs/b-{n}/talk.json"] = run(n)["messages"]
        files[f"runs/b-{n}/state.json"] = run(n, settings={"pages": 3, "lines": 80})
    found, arrived = outcomes(tmp_path, files)
    assert (found, arrived.chats) == ({"1": {"similarity": 0.5}, "2": {"similarity": 1.0}}, 2)
    other = {f"runs/b-{n}/state.json": run(f"{n}0", settings=3 * ["page"]) for n in ("1", "2")}
    assert outcomes(tmp_path / "more", files | other)[1].chats == 4
    tries = {f"runs/{b}/{model}.json": run("1", id=f"{b}{model}") for b in "ab" for model in "xy"}
    assert outcomes(tmp_path / "tries", tries)[1].chats == 4


@pytest.mark.parametrize("judges", [3, 1])
def test_what_most_judges_say_and_a_template_around_the_question(
    tmp_path: Path, judges: int
) -> None:
    """Rows beside the runs hold a prompt that says nothing, and are no conversations; names of files begin with their tasks; a judge's word may be told twice."""
    files: Files = {}
    for model in ("x", "y"):
        for n in ("1", "2", "3"):
            made = run(n, query=f"Is boat {n} free?")
            made["messages"][0]["content"] = f"\nIs boat {n} free?\nBegin!\n"
            files[f"runs/{model}/{n}00_{model}@1.json"] = made
        words = ("Status.Solved", "Status.Unsolved", "Status.Solved")[:judges]
        votes = {str(n): word for n, word in enumerate(words)}
        files[f"rates/{model}/all.json"] = {
            f"{n}00": {"query": f"Is boat {n} free?", "answer": {"details": [{"role": "system", "message": "", "next": []}]}, "is_solved": votes, "answer_status": votes}
            for n in ("1", "2", "3")
        }  # fmt: skip
    outcomes(tmp_path, files)
    told = list(map(json.loads, raw_lines(open_home(tmp_path / "home"))))
    assert sorted(one["task_key"] for one in told) == ["100", "100", "200", "200", "300", "300"]
    assert {one["outcome"]["value"] for one in told} == {"Solved"}
    assert {one["messages"][0]["content"] for one in told} == {f"Is boat {n} free?" for n in (1, 2, 3)}  # fmt: skip


@pytest.mark.parametrize(("total", "rest"), [(3, {"success": 1.0}), (4, {})])
def test_a_file_that_names_the_failed_and_counts_all(
    tmp_path: Path, total: int, rest: dict[str, float]
) -> None:
    """The others went well where the counts leave nothing else."""
    files: Files = {f"runs/b-{n}_log.json": run(str(n)) for n in (1, 2, 3)}
    head = {"accuracy": 0.67, "correct_count": total - 1, "total_count": total}
    files["scores.json"] = lines(head, {"id": "b-2", "valid": False, "error": ["wrong"]})
    found, _ = outcomes(tmp_path, files)
    assert found == {"1": rest, "2": {"success": 0.0}, "3": rest}


def test_failed_ones_are_counted_within_their_file(tmp_path: Path) -> None:
    """What other files of the folder hold is counted elsewhere."""
    files: Files = {f"runs/{name}.jsonl": lines(*(run(f"{name}{n}", id=f"{name}-{n}") for n in (1, 2))) for name in "ab"}  # fmt: skip
    head = {"correct_count": 1, "total_count": 2}
    files["scores/a.jsonl"] = lines(head, {"id": "a-2", "valid": False})
    found, _ = outcomes(tmp_path, files)
    assert found == {"a1": {"success": 1.0}, "a2": {"success": 0.0}, "b1": {}, "b2": {}}


def test_copies_of_runs_beside_their_verdicts(tmp_path: Path) -> None:
    """A file of another name that tells runs again, each with its verdict, judges those; two models that said the same are two runs."""
    models = ("llama_Llama-7B", "gpt-4o")
    rows = [run(str(n), task_id=f"b-{n}") for n in (1, 2)]
    files: Files = {f"runs/{one}/boats_run.jsonl": lines(*({**row, "took": len(one)} for row in rows)) for one in models}  # fmt: skip
    head = {"correct_count": 1, "total_count": 2}
    for n, model in enumerate(models):
        copy = {**rows[n], "valid": False, "model_name": model.replace("_", "/")}
        files[f"scores/{model}/boats_score.jsonl"] = lines(head, copy)
    outcomes(tmp_path, files)
    kept = map(json.loads, raw_lines(open_home(tmp_path / "home", create=False)))
    found = {(one["model"], one["task_key"]): one["outcome"]["value"] for one in kept}
    assert [(task, value) for (_, task), value in sorted(found.items())] == [("b-1", 1.0), ("b-2", 0.0), ("b-1", 0.0), ("b-2", 1.0)]  # fmt: skip


def test_a_task_that_a_document_beside_a_run_names(tmp_path: Path) -> None:
    """In a folder that holds the run; one of several runs says nothing about one."""
    files: Files = {f"job/t{n}__x{n}/agent/log.json": run(str(n)) for n in (1, 2)}
    files |= {f"job/t{n}__x{n}/result.json": {"task_name": f"t{n}", "took": 3.5} for n in (1, 2)}
    files["job/config.json"] = {"task_name": "all"}
    outcomes(tmp_path, files)
    kept = map(json.loads, raw_lines(open_home(tmp_path / "home", create=False)))
    assert sorted(line["task_key"] for line in kept) == ["t1", "t2"]


def test_a_verdict_that_comes_later(tmp_path: Path) -> None:
    """The folder may be taken in again once it has been judged; a second time nothing changes."""
    assert outcomes(tmp_path, TWO)[0] == {"1": {}, "2": {}}
    for _ in (1, 2):
        found, _ = outcomes(tmp_path, {"all.json": {"b-1": {"success": True}}})
        assert found == {"1": {"success": 1.0}, "2": {}}


def test_a_run_kept_as_states(tmp_path: Path) -> None:
    """Files of one run that repeat the conversation are one conversation; attempts are not."""
    said = run("1")["messages"]
    more = [*said, {"role": "user", "content": "And on Friday?"}]
    files: Files = {"r/b-1/step-0/debug.json": {"messages": said[:1]}}
    files |= {"r/b-1/step-1/debug.json": {"messages": more}}
    files |= {"r/b-1/result.json": {"success": True}}
    found, arrived = outcomes(tmp_path, files)
    assert (found, arrived.chats) == ({"1": {"success": 1.0}}, 1)
    (line,) = map(json.loads, raw_lines(open_home(tmp_path / "home", create=False)))
    assert [one["content"] for one in line["messages"]] == [
        "Is boat 1 free?", "Boat 1 is free.", "And on Friday?",
    ]  # fmt: skip
    tries = {f"r/trial_{n}.json": {"messages": said[: n + 1]} for n in (0, 1)}
    assert outcomes(tmp_path / "2", tries)[1].chats == 2


def test_a_verdict_beside_a_run_that_nobody_can_read_is_not_anothers(tmp_path: Path) -> None:
    """The run that was killed has no verdict; the one whose file is broken has one, and no conversation."""
    files: Files = {
        "t-1/0/chat.json": run("1"),
        "t-1/1/chat.json": "{broken",
        "t-1/1/result.json": {"passed": True},
    }
    found, _ = outcomes(tmp_path, files)
    assert found == {"1": {}}


def right_answers(folder: Path, files: Files) -> set[str | None]:
    """What files say that the right answers to the questions about boats are."""
    for name, value in files.items():
        path = folder / "exp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
    home = open_home(folder / "home", create=True)
    take_in(home, [folder / "exp"])
    lines = map(json.loads, raw_lines(home))
    return {line["outcome"].get("correction") for line in lines if "outcome" in line}


def test_what_a_file_says_of_a_task_that_several_runs_tried_is_the_right_answer(
    tmp_path: Path,
) -> None:
    """A question's row beside all runs holds nobody's own answer; a row in one run's folder, or of one run alone, may be that run's."""
    runs = {f"{model}/traces/t-{n}.json": run(str(n)) for model in ("m1", "m2") for n in (1, 2)}
    rows = '{"task_id": "t-1", "Level": 1, "Final answer": "yes"}\n{"task_id": "t-2", "Level": 2, "Final answer": "no"}\n'
    assert right_answers(tmp_path / "a", {**runs, "questions.jsonl": rows}) == {"yes", "no"}
    assert right_answers(tmp_path / "b", {**runs, "m1/answers.jsonl": rows}) == set()
    assert (
        right_answers(tmp_path / "c", {**TWO, "answers.jsonl": rows.replace("t-", "b-")}) == set()
    )


ASKED = {"q1": "Is boat 1 free on Friday?", "q2": "Is boat 2 free on Friday?"}
SILENT: Files = {
    f"runs/{model}/run_{name}.json": {
        "query_id": name,
        "messages": [
            {"tool_name": "find_boat", "arguments": {"boat": name}, "output": f"{model}: free"},
            {"type": "output_text", "tool_name": None, "arguments": None, "output": "It is free."},
        ],
    }
    for model in ("m", "n")
    for name in ASKED
}


@pytest.mark.parametrize(
    ("name", "value", "is_told"),
    [
        ("queries.tsv", "".join(f"{key}\t{text}\n" for key, text in ASKED.items()), True),
        ("tasks.json", {"tasks": [{"id": key, "question": text} for key, text in ASKED.items()]}, True),
        ("tasks.json", {key: {"instruction": text, "level": 1} for key, text in ASKED.items()}, True),
        ("tasks.csv", "query_id,query\n" + "".join(f"{key},{text}\n" for key, text in ASKED.items()), True),
        ("tasks.json", [{"id": key, "confirmed_task": text, "level": "easy"} for key, text in ASKED.items()], True),
        ("judged.json", [{"id": key, "prompt": text, "correct": True} for key, text in ASKED.items()], False),
        ("tasks.json", [{"id": key, "question": text + more} for key, text in ASKED.items() for more in ("", " Or not?")], False),
        ("tasks.json", [{"id": key, "task": "boats"} for key in ASKED], False),
    ],
)  # fmt: skip
def test_what_a_file_says_that_runs_were_asked(
    tmp_path: Path, name: str, value: object, *, is_told: bool
) -> None:
    """Where no user speaks; a judge's prompt, two questions, or a kind of task are none. It stays so when the folder comes again."""
    for path, one in (SILENT | {name: value}).items():
        (tmp_path / "exp" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "exp" / path).write_text(one if isinstance(one, str) else json.dumps(one))
    home = open_home(tmp_path / "home", create=True)
    for _ in range(2):
        arrived = take_in(home, [tmp_path / "exp"])
        lines = [json.loads(line) for line in raw_lines(home)]
        assert len(lines) == 4
        said = [[one["content"] for one in line["messages"] if one["role"] == "user"] for line in lines]  # fmt: skip
        assert said == [[ASKED[line["task_key"]]] if is_told else [] for line in lines]
        assert (arrived.rejected["unknown_json"] == 0) or not is_told
        # Files that grow are read anew.
        grown = tmp_path / "exp" / "runs" / "m" / "run_q1.json"
        grown.write_text(grown.read_text().replace('"query_id"', '"took": 2, "query_id"'))


def task_keys(folder: Path, files: Files) -> list[str | None]:
    """The tasks of the conversations of some files."""
    outcomes(folder, files)
    lines = map(json.loads, raw_lines(open_home(folder / "home")))
    return sorted((line.get("task_key") for line in lines), key=str)


def test_files_that_are_called_by_their_task(tmp_path: Path) -> None:
    """Two models at the same three tasks, a file each; a folder may be called so as well, above a folder of logs or of an attempt."""
    forms = ("{m}/{t}.json", "{m}/{t}/chat.json", "{m}/tasks/{t}/logs/chat.json", "day/{t}/attempt_{m}/chat.json")  # fmt: skip
    for number, form in enumerate(forms):
        files = {form.format(m=m, t=t): run(t, model=m) for m in "12" for t in ("t1", "t2", "t3")}
        assert task_keys(tmp_path / str(number), files) == ["t1", "t1", "t2", "t2", "t3", "t3"]


@pytest.mark.parametrize(
    "files",
    [
        {f"{m}/{t}.json": run(f"{t}{m}") for m in "ab" for t in ("plan", "code", "test")},
        {f"{m}/{t}.json": run(t) for m in "a" for t in ("t1", "t2", "t3")},
        {f"{m}/{t}.json": run(t) for m in "ab" for t in ("t1", "t2")},
    ],
)
def test_names_of_files_that_say_nothing_of_tasks(tmp_path: Path, files: Files) -> None:
    """Under one name something else is asked in each folder, or there is one attempt each, or they are few."""
    assert set(task_keys(tmp_path, files)) == {None}


def test_rows_that_name_a_run_and_its_task(tmp_path: Path) -> None:
    """A table of verdicts says which case each session was about; a row that fits two runs says nothing."""
    files: Files = {f"sessions/session_c{n}-a/chat.json": run(str(n)) for n in (1, 2, 3)}
    table = "session_id,case_id,passed\nc1-a,case-1,true\nc2-a,case-1,false\nc9-a,case-9,true\n"
    assert task_keys(tmp_path / "0", {**files, "scores.csv": table}) == [None, "case-1", "case-1"]
    rows = [{"session": f"c{n}-a", "case_id": "case-1", "passed": n == 1} for n in (1, 2)]
    assert task_keys(tmp_path / "1", {**files, "all.json": rows}) == [None, "case-1", "case-1"]


def test_rows_of_a_document_name_runs_by_paths(tmp_path: Path) -> None:
    """The part of a path that fewest runs lie under is meant, not the last; the row says which case was tried, and so does a document far above the run."""
    files: Files = {f"old/c{n}/log/chat.json": run(str(n)) for n in (3, 4)}
    files |= {f"new/case-1/try.{n}-of-2/own/last/chat.json": run(str(n)) for n in (1, 2)}
    rows = [{"case_id": "case-1", "passed": n == 1, "path": f"/was/case-1/try.{n}-of-2/log.cast"} for n in (1, 2)]  # fmt: skip
    files |= {"new/all.json": {"results": rows}, "old/c3/result.json": {"task_name": "case-1"}}
    assert task_keys(tmp_path / "0", files) == [None, "case-1", "case-1", "case-1"]
    found, _ = outcomes(tmp_path / "1", files)
    assert (found["1"], found["2"]) == ({"passed": 1.0}, {"passed": 0.0})


def test_questions_of_the_folder_above_that_of_an_attempt(tmp_path: Path) -> None:
    """Each attempt's folder lies in its task's."""
    acted = [{"thought": "I look.", "action": "find[7]", "observation": "free"}]
    files: Files = {f"{n}/attempt_{k}/run.json": {"steps": acted, "try": f"{n}{k}"} for n in ("q-1", "q-2") for k in (0, 1)}  # fmt: skip
    files["tasks.json"] = [{"id": n, "task": f"Is boat {n} free?"} for n in ("q-1", "q-2")]
    assert task_keys(tmp_path, files) == ["q-1", "q-1", "q-2", "q-2"]


def test_a_judges_prompt_is_no_conversation(tmp_path: Path) -> None:
    """Its verdict is about the run that lies in a folder which says what the row's id names."""
    asked = [{"role": "system", "content": "You judge."}, {"role": "user", "content": "Was it well done?"}]  # fmt: skip
    files: Files = {f"runs/taskBoats--{n}/talk.json": run(n)["messages"] for n in ("1", "2")}
    rows = [{"id": f"Boats--{n}", "passed": n == "1", "messages": asked} for n in ("1", "2")]
    found, arrived = outcomes(tmp_path, {**files, "runs/judged.jsonl": lines(*rows)})
    assert (found, arrived.chats) == ({"1": {"passed": 1.0}, "2": {"passed": 0.0}}, 2)


def test_what_a_run_says_once_more_in_its_folder_is_no_run(tmp_path: Path) -> None:
    """A file that tells how another one begins, and what a model made of one thing that the agent said; rows that name tasks alone are about all runs that go by these."""
    files: Files = {}
    for n in ("1", "2"):
        said = run(n)["messages"]
        more = [*said, {"role": "user", "content": "Book it."}, {"role": "assistant", "content": "I book the boat."}]  # fmt: skip
        asked = {"role": "user", "content": more[-1]["content"]}
        made = [{"role": "system", "content": "Make it JSON."}, asked, {"role": "assistant", "content": "{}"}]  # fmt: skip
        files[f"runs/b-{n}/last.json"] = [{"role": "system", "content": "You rent boats."}, *more]
        files |= {f"runs/b-{n}/begun.json": said, f"runs/b-{n}/made.json": made}
    files["made.jsonl"] = lines(*({"task_id": f"b-{n}", "patch": "x"} for n in (1, 2)))
    assert task_keys(tmp_path, files) == ["b-1", "b-2"]


def test_a_judges_log_is_neither_a_conversation_nor_a_verdict(tmp_path: Path) -> None:
    """It names the model that judged, and says nothing of how it went; the runs say that themselves."""
    files: Files = {"runs.json": [run(n, task_id=n, judge="gpt-4o", reward=n == "1") for n in ("1", "2")]}  # fmt: skip
    asked = [{"role": "user", "content": "Which boat?"}, {"role": "assistant", "content": "7"}]
    files["log.jsonl"] = lines(*({"task_id": n, "judge": "gpt-4o", "messages": asked} for n in ("1", "2")))  # fmt: skip
    found, arrived = outcomes(tmp_path, files)
    assert (found, arrived.chats) == ({"1": {"reward": 1.0}, "2": {"reward": 0.0}}, 2)


@pytest.mark.parametrize(("word", "found"), [("task", {"1", "2", "3"}), ("group", set())])
def test_names_of_tasks_without_a_second_attempt(
    tmp_path: Path, word: str, found: set[str]
) -> None:
    """A folder that begins with that word, or lies in one of tasks, says what it is called by, and a list of tasks names what its rows are about."""
    folders: Files = {f"runs/{word}_boat{n}/talk.json": run(n)["messages"] for n in ("1", "2", "3")}
    outcomes(tmp_path / "folders", folders)
    rows = [{"name": f"b-{n}", "similarity": 1.0} for n in ("1", "2")]
    outcomes(tmp_path / "rows", {**TWO, "all.json": {f"per_{word}_results": rows}})
    below: Files = {
        f"runs/{word}s/b-{n}/log/talk.json": run(n)["messages"] for n in ("1", "2", "3")
    }
    assert {*task_keys(tmp_path / "below", below)} - {None} == {f"b-{n}" for n in found}
    days: Files = {f"runs/{word}s/day-{n}/{n}{k}.json": run(n + k)["messages"] for n in "123" for k in "45"}  # fmt: skip
    assert {*task_keys(tmp_path / "days", days)} == {None}
    told = list(map(json.loads, raw_lines(open_home(tmp_path / "folders" / "home"))))
    assert {one.get("task_key") for one in told} - {None} == {f"{word}_boat{n}" for n in found}
    told = list(map(json.loads, raw_lines(open_home(tmp_path / "rows" / "home"))))
    assert {one.get("task_key") for one in told} - {None} == {f"b-{n}" for n in found - {"3"}}


def test_a_row_has_a_column_for_each_attempt(tmp_path: Path) -> None:
    """The attempt's number stands in the column's name, and is the folder's."""
    runs = {f"runs/{task}/{n}/chat.json": run(f"{task}{n}") for task in "ab" for n in (0, 1)}
    table = "Task Id,Trial 0 Success,Trial 0 Time,Trial 1 Success,Trial 1 Time\na,True,58,False,61\nb,False,9,,\n"
    found, arrived = outcomes(tmp_path, {**runs, "table.csv": table})
    assert found == {"a0": {"success": 1.0}, "a1": {"success": 0.0}, "b0": {"success": 0.0}, "b1": {}}  # fmt: skip
    assert not arrived.rejected


def test_a_list_of_tasks_tells_which_tools_were_offered(tmp_path: Path) -> None:
    """To each run of a task that calls none but these, whose own file defines none."""
    call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    rows = [{"task_id": f"t{n}", **run(n)} for n in ("1", "2")]
    rows[0]["messages"][1:1] = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": "free"}]  # fmt: skip
    schema = {"type": "object", "properties": {"boat": {"type": "integer"}}}
    tools = [{"name": name, "description": name, "input_schema": schema} for name in ("find", "book")]  # fmt: skip
    tasks = [{"id": "t1", "goal": "?", "tools": tools}, {"id": "t2", "goal": "?", "tools": tools[1:]}]  # fmt: skip
    outcomes(tmp_path, {"results.jsonl": "".join(json.dumps(one) + "\n" for one in rows), "tasks.json": tasks})  # fmt: skip
    told = {one["task_key"]: one for one in map(json.loads, raw_lines(open_home(tmp_path / "home")))}  # fmt: skip
    names = {key: [tool["function"]["name"] for tool in one["tools"]] for key, one in told.items()}
    assert names == {"t1": ["find", "book"], "t2": ["book"]}
    # What the agent calls shows that the list is of other tools.
    tasks[0]["tools"] = tools[1:]
    (tmp_path / "other").mkdir()
    outcomes(tmp_path / "other", {"results.jsonl": json.dumps(rows[0]), "tasks.json": tasks})
    (line,) = map(json.loads, raw_lines(open_home(tmp_path / "other" / "home")))
    assert "tools" not in line


@pytest.mark.leaves_out
def test_a_file_of_verdicts_at_which_we_fail_is_told_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other verdicts count; the note stays in the home until the files are taken in again."""
    files = {**TWO, "a.json": {"b-1": {"success": True}}, "b.json": {"b-2": {"success": False}}}
    read = verdict_files._read

    def failing(
        source: FileSource, path: Parts, verdicts: Verdicts, questions: Questions
    ) -> list[Any]:
        if source.path.name == "a.json":
            raise OddError(source.path.name)
        return read(source, path, verdicts, questions)

    monkeypatch.setattr(verdict_files, "_read", failing)
    found, arrived = outcomes(tmp_path, files)
    home = open_home(tmp_path / "home")
    assert found == {"1": {}, "2": {"success": 0.0}}
    (noted,) = arrived.left_out
    assert (noted.stage, noted.kind, noted.error) == ("arrival", "file", "OddError")
    assert diagnose(home).left_out == rows_of([noted])
    assert arrived.faults[0].startswith("left out: 1 file of ")
    monkeypatch.undo()
    assert take_in(home, [tmp_path / "exp"]).left_out == []
    assert diagnose(home).left_out == ()


class OddError(RuntimeError):
    """A fault that nobody thought of."""


def test_what_failed_together_and_not_in_parts_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is lost; the log tells the fault's type and place, and nothing of its message."""
    monkeypatch.setattr(
        arrival, "decode_batch", lambda some: decode_batch(some[: 1 // (2 - len(some))])
    )
    found, arrived = outcomes(tmp_path, TWO)
    assert len(found) == arrived.chats == 2
    (said,) = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert "ZeroDivisionError at dagster_project/arrival/files.py" in said
    assert "division" not in said


def shut(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    """Let the system refuse these, as it refuses who has no permission; tests may run as root, whom it never does."""

    def refusing(call: Callable[..., Any]) -> Callable[..., Any]:
        def made(path: object = ".", *rest: object, **options: object) -> object:
            if isinstance(path, str | Path) and Path(path) in paths and "w" not in rest:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return call(path, *rest, **options)

        return made

    monkeypatch.setattr(os, "scandir", refusing(os.scandir))
    monkeypatch.setattr(io, "open", refusing(io.open))


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "zip"])
def test_what_nobody_may_read_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """A folder and a file without permission are named with what to do; tables are joined, and verdicts found, all the same."""
    said = [
        f"m-{n}{who[0]},t-{n}a,{who}_message,{text},2026-11-01T10:00:0{n}Z"
        for n in (1, 5)
        for who, text in (("user", f"Is boat {n} free?"), ("assistant", "Yes."))
    ]
    rows = {
        "steps.csv": "\n".join(["id,threadId,type,output,createdAt", *said]),
        "feedbacks.csv": "id,threadId,value\nf-1,t-1a,1\nf-2,t-5a,0\n",
    }
    folder = tmp_path / "exp"
    rest = {
        "all.json": {"rows": [{"run_name": "b-2", "is_resolved": True}]},
        "runs/b-2/chat.json": run("2"),
        "shut/b-3.json": run("3"),
    }
    shut(monkeypatch, folder / "shut", folder / f"other.{ending}")
    found, arrived = outcomes(tmp_path, {**rows, **rest, f"other.{ending}": run("4")})
    assert {boat: [*one.values()] for boat, one in found.items()} == {
        "1": [1.0],
        "2": [1.0],
        "5": [0.0],
    }
    assert arrived.rejected == {"unreadable_file": 2}
    assert arrived.places["unreadable_file"] == f"other.{ending}, file"
    assert f"exp/other.{ending} cannot be read" in arrived.reasons["unreadable_file"]


def test_a_table_of_outcomes_beside_runs_that_judge_themselves(tmp_path: Path) -> None:
    """What a table of nothing but names and verdicts says is a record of the business; a report, or the run's own name for it, is not."""
    runs = [run(str(n), task_id=f"t-{n}", reward=1) for n in (1, 2, 3)]
    table = "task_id,resolved,reward\nt-1,1,0\nt-2,0,1\n"
    report = [{"task_id": f"t-{n}", "solved": False, "steps": 7} for n in (1, 2, 3)]
    files = {"runs.json": runs, "outcomes.csv": table, "report.json": report}
    found, arrived = outcomes(tmp_path, files)
    assert found == {
        "1": {"reward": 1.0, "resolved": 1.0},
        "2": {"reward": 1.0, "resolved": 0.0},
        "3": {"reward": 1.0},
    }
    assert not arrived.rejected
    (told,) = [one for one in explain(tmp_path / "exp") if one.file == "outcomes.csv"]
    assert "joined to the conversations" in (told.format or "")
    assert not told.quarantined
    assert "tracegym outcomes FILE --key" in told.reasons[0]
