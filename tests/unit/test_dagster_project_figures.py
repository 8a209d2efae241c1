"""Figures over a whole app stand while it grows little, and are taken anew as people say something else of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dagster_project.build.figures import GROWTH, SMALL, forget, keep, stands
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Stamp

APP, FIGURE = "desk", "agreement"
DAYS = 10
MANY = 2 * SMALL // DAYS
"""Conversations of each day of a large app."""


def stamped(lake: Lake, asset: str, rows: dict[str, tuple[int, str]]) -> None:
    """Days of an asset, each with its number of rows and what it holds."""
    lake.stamp(
        asset,
        [
            Stamp(asset=asset, app=APP, day=day, digest=digest, made_of="", rows=count)
            for day, (count, digest) in rows.items()
        ],
    )


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A large app of which a figure was taken."""
    found = Lake(tmp_path / "lake")
    stamped(found, "clean_episodes", {f"d{n}": (MANY, f"e{n}") for n in range(DAYS)})
    stamped(found, "clean_outcomes", {f"d{n}": (MANY, f"o{n}") for n in range(DAYS)})
    keep(found, APP, FIGURE, of="everything", said="policy")
    return found


def of(lake: Lake, said: str = "policy") -> str | None:
    """What the figure that stands was taken of."""
    taken = stands(lake, APP, FIGURE, said=said)
    return None if taken is None else taken.of


def test_few_more_conversations_hardly_move_a_figure(lake: Lake) -> None:
    """Up to a quarter more it stands, however many builds that takes."""
    room = int(GROWTH * DAYS * MANY)
    stamped(lake, "clean_episodes", {"d10": (room, "new")})
    assert of(lake) == "everything"
    stamped(lake, "clean_episodes", {"d11": (1, "one too many")})
    assert of(lake) is None
    keep(lake, APP, FIGURE, of="more", said="policy")
    assert of(lake) == "more"


def test_a_day_that_is_scrubbed_again_holds_the_same_conversations(lake: Lake) -> None:
    """Its texts are others, its attempts and how they ended are not."""
    stamped(lake, "clean_episodes", {f"d{n}": (MANY, "scrubbed again") for n in range(DAYS)})
    assert of(lake) == "everything"


def test_other_outcomes_count_as_other_conversations(lake: Lake) -> None:
    """Two days of ten may end otherwise than they did, a third may not."""
    stamped(lake, "clean_outcomes", {f"d{n}": (MANY, "late") for n in range(2)})
    assert of(lake) == "everything"
    stamped(lake, "clean_outcomes", {"d2": (MANY, "late")})
    assert of(lake) is None


def test_what_people_say_is_heard_at_once(lake: Lake) -> None:
    """Another policy, other settings, another review."""
    assert of(lake, said="another policy") is None


def test_a_figure_that_could_not_be_taken_whole_does_not_stand(lake: Lake) -> None:
    """It is taken by the next build; other figures of the app are nobody's business here."""
    keep(lake, APP, "held-out calls", of="calls", said="policy")
    forget(lake, APP, FIGURE)
    assert of(lake) is None
    assert stands(lake, APP, "held-out calls", said="policy") is not None


def test_figures_of_small_apps_are_always_taken(tmp_path: Path) -> None:
    """They cost little, and each conversation moves them."""
    lake = Lake(tmp_path / "lake")
    stamped(lake, "clean_episodes", {"d0": (SMALL, "e")})
    keep(lake, APP, FIGURE, of="everything", said="policy")
    assert of(lake) is None
