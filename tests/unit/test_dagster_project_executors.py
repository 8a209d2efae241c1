"""Where steps run: what `TRACEGYM_EXECUTOR` may say, and what it is told where it may not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pytest

from dagster_project.build.executors import executor_of
from dagster_project.build.partitioned_runs import _fault_of, by_app
from dagster_project.errors import InputError, StageError


def test_nothing_said_is_this_process() -> None:
    """The default starts no process."""
    assert executor_of("").definition is dg.in_process_executor
    assert executor_of("in_process").is_in_process


def test_processes_of_this_machine() -> None:
    """As many as are asked for."""
    chosen = executor_of("multiprocess:3")

    assert (chosen.runs_at_once, chosen.is_here, chosen.is_in_process) == (3, True, False)


def test_a_file_names_any_executor(tmp_path: Path) -> None:
    """The module, the name, and its settings, checked by Dagster."""
    path = tmp_path / "executor.yaml"
    path.write_text(
        "module: dagster\nname: multiprocess_executor\nconfig: {max_concurrent: 2}\nruns_at_once: 5\n"
    )

    chosen = executor_of(str(path))

    assert chosen.definition.name == "multiprocess"
    assert (chosen.runs_at_once, chosen.is_here) == (5, False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("module: dagster\nname: multiprocess_executor\nconfig: {most: 2}\n", "refuses its config"),
        ("module: no_such_library\nname: x\n", "install the library that has it"),
        ("module: dagster\nname: asset\n", "is no executor of Dagster's"),
        ("module: dagster\n", "must say module and name"),
        ("- a\n- list\n", "must say module and name"),
        ("{broken", "is not YAML"),
        ("module: dagster\nname: multiprocess_executor\nruns_at_once: 0\n", "at least 1"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str, told: str) -> None:
    """Named by its path, with what to do."""
    path = tmp_path / "executor.yaml"
    path.write_text(text)

    with pytest.raises(InputError, match=told) as said:
        executor_of(str(path))

    assert str(path) in str(said.value)


@pytest.mark.parametrize("choice", ["cloud", "multiprocess:0", "multiprocess:x", "in_process:2"])
def test_a_wrong_choice_is_one_sentence(choice: str) -> None:
    """What may stand there is listed."""
    with pytest.raises(InputError, match="set it to in_process, multiprocess, multiprocess:PROC"):
        executor_of(choice)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Said with the variable that names it."""
    with pytest.raises(InputError, match="TRACEGYM_EXECUTOR"):
        executor_of(str(tmp_path / "none.yaml"))


def test_a_run_makes_one_app() -> None:
    """Partitions are split by app, whatever their order."""
    keys = ["b|2026-01-02", "a|2026-01-01", "b|2026-01-01"]

    assert by_app(keys) == [["a|2026-01-01"], ["b|2026-01-01", "b|2026-01-02"]]


def failure(kind: str, message: str) -> SimpleNamespace:
    """A step's failure as another process tells of it."""
    inner = SimpleNamespace(cls_name=kind, message=message, cause=None)
    outer = SimpleNamespace(cls_name="DagsterExecutionStepExecutionError", message="x", cause=inner)
    return SimpleNamespace(error=outer)


def test_a_sentence_of_ours_comes_through() -> None:
    """What a person has to settle is told in the words of the process that met it."""
    told = _fault_of(
        "days",
        "r",
        [failure("LakeError", "dagster_project.errors.LakeError: cannot write x: full\n")],
    )

    assert isinstance(told, StageError)
    assert str(told) == "cannot write x: full"


def test_words_of_others_do_not() -> None:
    """A foreign message may quote the data: its kind is passed on alone."""
    told = _fault_of("apps", "r", [failure("KeyError", "KeyError: 'Ada Lovelace'")])

    assert type(told).__name__ == "KeyError"
    assert "Ada" not in str(told)


def test_a_process_that_was_killed_is_said() -> None:
    """A run without any result says what may have happened."""
    assert "killed" in str(_fault_of("apps", "r", []))
