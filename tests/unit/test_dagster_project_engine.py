"""Engines: the same results in the same order wherever they are made, and what happens when workers die."""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dagster_project.engine import choice, processes
from dagster_project.engine.choice import EngineChoice, says
from dagster_project.engine.interface import ENOUGH, Engine, Load
from dagster_project.engine.processes import BASE, GROWTH, Processes
from dagster_project.engine.serial import Serial
from dagster_project.errors import InputError, StageError
from dagster_project.fatal import is_fatal, is_full
from tests import engine_maps

ROOT = Path(__file__).parents[2]
MANY = Load(stage="verified_tasks", conversations=ENOUGH)
FEW = Load(stage="verified_tasks", conversations=ENOUGH - 1)
TWO = Processes(workers=2, memory=4096)


def spread(
    function: Callable[[Any, int], Any],
    count: int,
    shared: Any = None,  # noqa: ANN401 - what any map shares
    *,
    engine: Engine = TWO,
    load: Load = MANY,
) -> list[Any]:
    """All results."""
    return list(engine.map_items(function, range(count), shared=shared, load=load))


@pytest.mark.parametrize("engine", [Serial(), TWO, Processes(workers=3, memory=4096)])
def test_results_come_in_the_order_of_the_items(engine: Engine) -> None:
    """Whoever ends first."""
    assert spread(engine_maps.slow_first, 40, 0.3, engine=engine) == list(range(40))


def test_what_is_worth_it_runs_in_other_processes_and_the_rest_here() -> None:
    """Few conversations, one item, or one worker need none."""
    here = {os.getpid()}
    assert not here & {pid for _, pid in spread(engine_maps.squared, 40, 1)}
    assert {pid for _, pid in spread(engine_maps.squared, 40, 1, load=FEW)} == here
    assert {pid for _, pid in spread(engine_maps.squared, 1, 1)} == here
    one = Processes(workers=2, memory=1)
    assert {pid for _, pid in spread(engine_maps.squared, 40, 1, engine=one)} == here


def test_what_is_shared_is_loaded_once_per_process() -> None:
    """However many items a worker gets, and anew for the next map."""
    shared = engine_maps.Counted()
    for _ in range(2):
        assert {loaded for _, loaded in spread(engine_maps.loads, 64, shared)} == {1}


def test_more_memory_is_needed_the_more_is_shared() -> None:
    """Workers are as many as memory holds, and one at least."""
    engine = Processes(workers=8, memory=4 * BASE)
    assert engine.affordable(0) == 4
    assert engine.affordable(2**20 * BASE // GROWTH) == 2
    assert engine.affordable(2**30) == 1
    assert Processes(workers=3, memory=10**6).affordable(0) == 3


def test_the_items_of_a_worker_that_was_killed_run_again(tmp_path: Path) -> None:
    """Once, in fresh workers; nothing is missing or twice."""
    assert spread(engine_maps.killed_once, 40, tmp_path / "mark") == list(range(40))
    assert (tmp_path / "mark").exists()


def test_workers_that_die_twice_are_told_in_one_sentence() -> None:
    """What was made before stays made."""
    engine = TWO.map_items(engine_maps.killed_always, range(40), shared=None, load=MANY)
    with pytest.raises(StageError, match=r"^workers died twice at verified_tasks .*--workers"):
        list(engine)


def test_an_error_arrives_with_its_place_and_never_with_what_it_quotes() -> None:
    """An error that cannot travel is named by type and place."""
    with pytest.raises(KeyError):
        spread(engine_maps.plain, 4)
    with pytest.raises(StageError, match="a worker failed: OddError") as told:
        spread(engine_maps.odd, 4)
    assert "Quackenbush" not in str(told.value)


def test_no_worker_outlives_a_parent_that_was_killed(tmp_path: Path) -> None:
    """Nor one whose results nobody waits for."""
    code = (
        "from pathlib import Path\nfrom tests import engine_maps\n"
        "from dagster_project.engine.processes import Processes\n"
        "from dagster_project.engine.interface import Load\n"
        "load = Load(stage='x', conversations=1000)\n"
        f"shared = Path({str(tmp_path)!r})\n"
        "list(Processes(workers=2, memory=4096).map_items(engine_maps.waits, range(4), shared=shared, load=load))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    try:
        workers = _until(lambda: [int(one.name) for one in tmp_path.iterdir()], 2)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert _until(lambda: [pid for pid in workers if not _runs(pid)], 2) == workers


def _until(found: Callable[[], list[int]], count: int) -> list[int]:
    """What is found once there are enough."""
    ends = time.monotonic() + 30
    while time.monotonic() < ends and len(found()) < count:
        time.sleep(0.05)
    return found()


def _runs(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it ended, the second while it was read
        return False


def test_every_core_is_the_default_and_one_worker_is_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a person sets wins over what the machine has."""
    monkeypatch.setattr(choice, "cores", lambda: 6)
    monkeypatch.setattr(choice, "free_memory", lambda: 2000)
    assert EngineChoice().open() == Processes(workers=6, memory=1600)
    assert EngineChoice(workers=2, memory=64).open() == Processes(workers=2, memory=64)
    assert isinstance(EngineChoice(workers=1).open(), Serial)
    assert says(EngineChoice().open()).startswith("up to 6 workers in 1600 MiB")
    assert not says(Serial())
    with pytest.raises(InputError, match="counted from 1"):
        EngineChoice(workers=-1).open()


def test_a_containers_limit_bounds_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine may have more than the container."""
    limit, used = tmp_path / "max", tmp_path / "current"
    monkeypatch.setattr(choice, "_LIMITS", ((limit, used),))
    free = choice.free_memory()
    limit.write_text("max\n")
    used.write_text("1048576\n")
    assert choice.free_memory() == pytest.approx(free, rel=0.2)
    limit.write_text("11534336\n")
    assert choice.free_memory() == 10
    assert choice.cores() >= 1


def test_ray_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence with the extra's name."""
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "dagster_project.engine.on_ray", raising=False)
    with pytest.raises(InputError, match=r"tracegym\[ray\]"):
        EngineChoice(engine="ray").open()


def test_functions_of_maps_travel() -> None:
    """A function of a module is its name: nothing of the main module is needed in a worker."""
    assert b"tests.engine_maps" in pickle.dumps(engine_maps.plain)
    assert processes._METHOD in {"forkserver", "spawn"}


@pytest.mark.parametrize("engine", [Serial(), TWO])
def test_a_full_disk_where_a_worker_is_stops_the_build(engine: Engine) -> None:
    """It arrives as what it is, so that the build ends with the sentence about full disks and leaves no unit out."""
    with pytest.raises(OSError, match="No space left") as caught:
        spread(engine_maps.full_disk, 40, engine=engine)
    assert is_full(caught.value)
    assert is_fatal(caught.value)
