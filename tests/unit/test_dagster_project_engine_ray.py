"""Maps on a real Ray cluster of two nodes: the same results, also where a node is killed in the middle. Needs ray (the extra `ray`)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from environments.runtime.document.world_file import WorldDocument

ray = pytest.importorskip("ray", reason="ray is not installed: the extra `ray`")

from ray.cluster_utils import Cluster  # noqa: E402 - ray first, or nothing

from dagster_project.engine.interface import ENOUGH, Load  # noqa: E402
from dagster_project.engine.on_ray import OnRay  # noqa: E402
from dagster_project.engine.serial import Serial  # noqa: E402
from dagster_project.errors import StageError  # noqa: E402
from dagster_project.tasks.verification import verify_all  # noqa: E402
from dagster_project.worlds.stored_worlds import StoredWorld  # noqa: E402
from environments.runtime.task.candidate import Candidate  # noqa: E402
from tests import engine_maps  # noqa: E402
from tests.environments_shop import entry, world  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # ray's own, at its import and its end
]
MANY = Load(stage="verified_tasks", conversations=ENOUGH)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A head that runs nothing, and two nodes of one processor each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["PYTHONPATH"] = str(ROOT)
    two = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(2):
        two.add_node(num_cpus=1)
    ray.init(address=two.address, log_to_driver=False)
    yield two
    ray.shutdown()
    two.shutdown()


def test_one_of_two_nodes_is_killed_in_the_middle_and_the_results_are_the_same(
    cluster: Cluster, tmp_path: Path
) -> None:
    """What it had not finished runs on the other node; nothing is missing or twice."""
    whole = list(Serial().map_items(engine_maps.brief, range(200), shared=tmp_path, load=MANY))
    made: list[str] = []
    killed = threading.Thread(
        target=cluster.remove_node, args=(min(cluster.worker_nodes, key=str), False)
    )
    for one in OnRay().map_items(engine_maps.brief, range(200), shared=tmp_path, load=MANY):
        made.append(one)
        if len(made) == 40:
            killed.start()
    killed.join()
    assert made == whole
    alive = [one for one in ray.nodes() if one["Alive"]]
    assert len(alive) == 2  # the head, and the node that went on


def test_verdicts_are_the_same_on_two_nodes(cluster: Cluster) -> None:
    """The gate over a hundred copies of two tasks."""
    candidates = [
        Candidate(
            task=replace(one.task, task_id=f"{one.task.task_id}-{number}"),
            rubric=one.rubric,
            solution=tuple(one.solution),
        )
        for number in range(ENOUGH // 2)
        for one in (entry(1), entry(3))
    ]
    stored = StoredWorld(app="shop", document=WorldDocument.from_json(world()))
    here = verify_all(candidates, stored, known={})
    assert verify_all(candidates, stored, known={}, engine=OnRay()) == here


def test_an_error_arrives_as_it_was_raised(cluster: Cluster) -> None:
    """Not as one of Ray's; and workers that always die are told in a sentence."""
    with pytest.raises(KeyError):
        list(OnRay().map_items(engine_maps.plain, range(4), shared=None, load=MANY))
    began = time.monotonic()
    with pytest.raises(StageError, match=r"^workers died 4 times at verified_tasks"):
        list(OnRay().map_items(engine_maps.killed_always, range(40), shared=None, load=MANY))
    assert time.monotonic() - began < 60
