"""Property tests of splits: found wherever they are planted, never where chance ordered things."""

import random

from hypothesis import given
from hypothesis import strategies as st

from synth.world.time.change_points import MIN_SIDE, Flag, find_split


@given(st.integers(12, 60), st.integers(12, 60), st.booleans(), st.randoms(use_true_random=False))
def test_a_planted_turn_is_found_in_any_order(
    before: int, after: int, appears: bool, rng: random.Random
) -> None:
    """Whatever order the flags come in, the turn lies between the last old and the first new one."""
    flags = [
        Flag(at=at, task=f"t{at}", held=(at >= before) is appears) for at in range(before + after)
    ]
    rng.shuffle(flags)
    split = find_split(flags)
    assert split is not None
    assert (split.last_old, split.first_new) == (before - 1, before)
    assert (split.before, split.after, split.appears) == (before, after, appears)


@given(st.integers(0, 2**32), st.integers(0, 120), st.floats(0, 1))
def test_a_trait_that_comes_by_chance_is_no_turn(seed: int, count: int, share: float) -> None:
    """Flags thrown with dice never turn once with enough tasks on either side."""
    rng = random.Random(seed)  # noqa: S311 - dice for tests
    flags = [Flag(at=at, task=f"t{at}", held=rng.random() < share) for at in range(count)]
    assert find_split(flags) is None


@given(st.integers(1, MIN_SIDE - 1), st.integers(0, 200), st.integers(1, 30))
def test_few_tasks_never_make_a_turn(tasks: int, before: int, each: int) -> None:
    """However often few tasks are repeated after the turn, nothing is claimed."""
    old = [Flag(at=at, task=f"o{at}", held=False) for at in range(before)]
    new = [Flag(at=before + at, task=f"n{at % tasks}", held=True) for at in range(tasks * each)]
    assert find_split([*old, *new]) is None
