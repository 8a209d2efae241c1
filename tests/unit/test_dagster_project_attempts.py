"""Attempts at one task from several files: every one is kept, and a file that is read again changes nothing."""

import json
from pathlib import Path

from dagster_project.arrival.chat_lines import raw_lines
from dagster_project.arrival.files import take_in
from dagster_project.home.layout import Home, open_home


def results(path: Path, answer: str, *, reward: float = 1.0) -> Path:
    """A benchmark's result file: two tasks, each answered alike."""
    said = [{"role": "user", "content": "Do it."}, {"role": "assistant", "content": answer}]
    path.write_text(json.dumps([{"task_id": n, "reward": reward, "traj": said} for n in (0, 1)]))
    return path


def told(home: Home) -> dict[str, tuple[str, str, float]]:
    """Task, answer and reward of every conversation in the home, by its id."""
    lines = [json.loads(line) for line in raw_lines(home)]
    return {
        line["episode_id"]: (
            line["task_key"],
            line["messages"][-1]["content"],
            line["outcome"]["value"],
        )
        for line in lines
    }


def test_two_models_at_the_same_tasks_are_both_kept(tmp_path: Path) -> None:
    """The second file's conversations have ids of their own, with their own outcomes; the first file's keep theirs."""
    home = open_home(tmp_path / "h", create=True)
    take_in(home, [results(tmp_path / "a.json", "A", reward=0.0)], app="bench")
    take_in(home, [results(tmp_path / "b.json", "B")], app="bench")
    found = told(home)
    assert sorted(found.values()) == [
        ("0", "A", 0.0), ("0", "B", 1.0), ("1", "A", 0.0), ("1", "B", 1.0),
    ]  # fmt: skip
    assert {"0", "1"} < set(found)
    assert [found["0"], found["1"]] == [("0", "A", 0.0), ("1", "A", 0.0)]


def test_files_of_one_folder_are_told_apart_as_well(tmp_path: Path) -> None:
    """Both come in one go and are decoded together."""
    (tmp_path / "runs").mkdir()
    for name in "abc":
        results(tmp_path / "runs" / f"{name}.json", name)
    home = open_home(tmp_path / "h", create=True)
    take_in(home, [tmp_path / "runs"])
    assert len(told(home)) == 6


def test_the_same_results_judged_anew_replace_the_old_ones(tmp_path: Path) -> None:
    """What was said is what tells attempts apart, not how it was judged."""
    home = open_home(tmp_path / "h", create=True)
    for reward in (0.0, 1.0):
        take_in(home, [results(tmp_path / "a.json", "A", reward=reward)], app="bench")
        take_in(home, [results(tmp_path / "b.json", "B", reward=reward)], app="bench")
    found = told(home)
    assert sorted(found.values()) == [
        ("0", "A", 1.0), ("0", "B", 1.0), ("1", "A", 1.0), ("1", "B", 1.0),
    ]  # fmt: skip


def test_runs_that_differ_only_in_what_the_system_said_first_are_both_kept(tmp_path: Path) -> None:
    """Nor does a user's first message stand for another file's question where the user speaks again."""
    home = open_home(tmp_path / "h", create=True)
    asked = {"role": "user", "content": "Do it."}
    answer = {"role": "assistant", "content": "Done."}
    opened = {"role": "assistant", "content": "Hi."}
    runs = [
        [{"role": "system", "content": "Be kind."}, asked, answer],
        [asked, answer],
        [{"role": "user", "content": "Hello."}, opened, asked, answer],
        [opened, asked, answer],
    ]
    for number, said in enumerate(runs):
        path = tmp_path / f"{number}.json"
        path.write_text(
            json.dumps(
                [
                    {"task_id": 0, "reward": 1.0, "traj": said},
                    {"task_id": 1, "reward": 1.0, "traj": said},
                ]
            )
        )
        take_in(home, [path], app="bench")
    lines = [json.loads(line) for line in raw_lines(home)]
    told = [
        [one["content"] for one in line["messages"]] for line in lines if line["task_key"] == "0"
    ]
    assert sorted(told) == sorted([one["content"] for one in said] for said in runs)


def test_two_models_that_say_the_same_are_both_kept(tmp_path: Path) -> None:
    """A refusal in a sentence is the same whoever makes it; read again, both are found under the ids they have."""
    said = [{"role": "user", "content": "Do it."}, {"role": "assistant", "content": "No."}]
    home = open_home(tmp_path / "h", create=True)
    for _ in range(2):
        for number, model in enumerate(("m-1", "m-2", "m-3")):
            path = tmp_path / f"{model}.json"
            path.write_text(json.dumps([{"task_id": 0, "model": model, "reward": number % 2, "traj": said}]))  # fmt: skip
            take_in(home, [path], app="bench")
    found = [json.loads(line) for line in raw_lines(home)]
    assert sorted((one["model"], one["outcome"]["value"]) for one in found) == [
        ("m-1", 0.0), ("m-2", 1.0), ("m-3", 0.0),
    ]  # fmt: skip
