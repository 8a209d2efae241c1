"""Difficulty: estimates that borrow from like tasks, calibration that is honest, bands, flat groups, saturation, picture."""

import random
from dataclasses import replace

from dagster_project.difficulty.by_task import AppDifficulty, difficulties
from dagster_project.difficulty.estimate import Estimator, TriedAttempt, calibrate
from dagster_project.difficulty.pass_rates import TaskDifficulty, rate_of
from dagster_project.difficulty.picture import picture
from dagster_project.difficulty.report import document, flat_groups, in_band, pass_rate, saturation
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate, RecordedAttempt
from tests.environments_shop import entry


def tried(
    task: str, *, resolved: bool = False, kind: str = "k", steps: float = 5.0, writes: float = 1.0
) -> TriedAttempt:
    """One attempt."""
    return TriedAttempt(task_id=task, kind=kind, resolved=resolved, steps=steps, writes=writes)


def season(chance: dict[str, float], tasks: int, attempts: int) -> list[TriedAttempt]:
    """Attempts at many tasks of kinds that go well with a known chance."""
    luck = random.Random(7)  # noqa: S311 - no secrets
    return [
        tried(f"{kind}{n}", kind=kind, resolved=luck.random() < good)
        for kind, good in chance.items()
        for n in range(tasks)
        for _ in range(attempts)
    ]


def test_an_unseen_task_is_expected_to_go_like_its_kind() -> None:
    """No attempt of its own: the kind's rate; a kind nobody saw: the app's; no outcome at all: nothing."""
    estimator = Estimator(season({"easy": 0.9, "hard": 0.2}, 40, 2))
    found = {kind: estimator.estimate(tried("new", kind=kind)) for kind in ("easy", "hard", "odd")}
    easy, hard, odd = (found[kind] for kind in ("easy", "hard", "odd"))
    assert easy is not None
    assert hard is not None
    assert odd is not None
    assert abs(easy.rate - 0.9) < 0.1
    assert abs(hard.rate - 0.2) < 0.15
    assert hard.rate < odd.rate < easy.rate
    assert (easy.attempts, easy.low < easy.rate < easy.high) == (0, True)
    assert Estimator([]).estimate(tried("new")) is None


def test_own_attempts_move_the_estimate_and_narrow_it() -> None:
    """Ten failures at a task of an easy kind."""
    history = season({"easy": 0.9}, 40, 2)
    fresh = Estimator(history).estimate(tried("new", kind="easy"))
    failed = [tried("new", kind="easy") for _ in range(10)]
    after = Estimator([*history, *failed]).estimate(tried("new", kind="easy"))
    assert fresh is not None
    assert after is not None
    assert after.rate < fresh.rate - 0.2
    assert after.high - after.low < fresh.high - fresh.low + 0.3
    assert after.attempts == 10


def test_length_counts_where_it_was_seen_to_matter() -> None:
    """Long tasks that fail make a long new task look harder."""
    luck = random.Random(3)  # noqa: S311 - no secrets
    history = [
        tried(f"t{n}", steps=steps, resolved=luck.random() < (0.9 if steps < 10 else 0.2))
        for n in range(200)
        for steps in ([4.0, 30.0][n % 2],)
    ]
    estimator = Estimator(history)
    short, long = (estimator.estimate(tried("new", steps=steps)) for steps in (4.0, 30.0))
    assert short is not None
    assert long is not None
    assert short.rate > long.rate + 0.4


def test_calibration_is_measured_on_what_was_not_seen() -> None:
    """Real differences beat the mean; pure chance does not, and is not made to look as if; few attempts say nothing."""
    real = calibrate(season({"easy": 0.9, "hard": 0.1}, 30, 3))
    noise = calibrate(season({"a": 0.5, "b": 0.5}, 30, 3))
    assert real is not None
    assert noise is not None
    assert real.brier < real.brier_of_mean - 0.08
    assert real.error < 0.1
    assert noise.brier > noise.brier_of_mean - 0.02
    assert sum(part.attempts for part in real.bins) == real.attempts == 180
    assert calibrate(season({"a": 0.5}, 3, 1)) is None


def candidate(number: int, outcomes: tuple[bool | None, ...]) -> Candidate:
    """The shop's task with recorded attempts."""
    made = entry(number)
    actions = made.solution
    return Candidate(
        task=made.task,
        rubric=made.rubric,
        solution=actions,
        attempts=tuple(
            RecordedAttempt(episode_id=f"e{number}-{i}", actions=actions, resolved=outcome)
            for i, outcome in enumerate(outcomes)
        ),
    )


def test_a_task_is_counted_with_its_kind_and_its_writes() -> None:
    """Attempts without an outcome do not count; a candidate without a version is not reported."""
    found = difficulties(
        [candidate(1, (True, False, None)), candidate(3, ())],
        {"task1": "v1"},
        {"task1": [{"task_version": "v1", "reward": 0.5, "policy": "p"}]},
        writers={"cancel_order"},
    )
    (one,) = found.tasks
    assert (one.production.tried, one.production.rate) == (2, 0.5)
    assert (one.kind, one.writes, one.steps) == ("cancel_order", 1, 4)
    assert one.policies["p"].rate == 0.5
    assert one.estimate is not None
    assert found.calibration is None


def task(
    name: str, rewards: tuple[float, ...] = (), estimate: float | None = None
) -> TaskDifficulty:
    """A task with rollouts of one policy and an estimate."""
    made = TaskDifficulty(
        task_id=name,
        task_version="v",
        production=rate_of([]),
        policies={"p": rate_of(rewards)} if rewards else {},
        steps=3,
    )
    if estimate is None:
        return made
    expected = Estimator(season({"k": estimate}, 200, 1)).estimate(tried(name))
    return replace(made, estimate=expected)


def test_bands_go_by_rollouts_then_by_the_estimate() -> None:
    """A policy's own rate stands above the estimate; of what nothing is known nothing is chosen."""
    never, some, always = task("a", (0.0, 0.0)), task("b", (0.0, 1.0)), task("c", (1.0, 1.0))
    untried, unknown = task("d", (), 0.5), task("e")
    everything = [never, some, always, untried, unknown]
    assert in_band(everything, (0.02, 0.8), "p") == {"b", "d"}
    assert in_band(everything, (0.02, 0.8)) == {"d"}
    assert pass_rate(unknown, "p") is None
    assert flat_groups(everything) == {"p": (3, 2)}
    assert flat_groups([task("one", (1.0,))]) == {}


def test_saturation_is_told_by_version() -> None:
    """The share that a policy has learnt, version after version; not graded rollouts say nothing."""
    rows: list[dict[str, Json]] = [
        {"policy": "p", "task_set_version": v, "task_id": t, "reward": r, "day": d}
        for v, d, t, r in (
            ("v1", "2026-01-01", "a", 0.0),
            ("v1", "2026-01-01", "a", 1.0),
            ("v1", "2026-01-02", "b", None),
            ("v2", "2026-01-03", "a", 1.0),
            ("v2", "2026-01-03", "a", 1.0),
        )
    ]
    first, second = saturation(rows)
    assert (first.first_day, first.tasks, first.saturated, first.aimed, first.flat) == (
        *("2026-01-01", 1),
        *(0, 1, 0),
    )
    assert (second.task_set_version, second.saturated, second.flat) == ("v2", 1, 1)


def test_the_same_figures_draw_the_same_bytes() -> None:
    """A PNG without a clock, also of a set of which nothing is known."""
    hard = [AppDifficulty(tasks=(task("a", (0.0, 1.0), 0.4), task("b")), calibration=None)]
    said = document(hard, band=(0.02, 0.8), policy="p")
    assert said["tasks"]["a"]["policies"]["p"]["spread"] == 1.0
    assert picture(said) == picture(document(hard, band=(0.02, 0.8), policy="p"))
    assert picture(said).startswith(b"\x89PNG")
    assert picture(document([])) != picture(said)
