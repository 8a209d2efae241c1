"""What rubrics of small homes say of attempts that they have not seen: seasons of the example desk, labels from feedback.

Per season what the asset `agreement` would store. The product never sees the policy and the request behind an error.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, Row, percent
from benchmarks.testbeds.desk.conversations import Talk, hold_season
from dagster_project.tasks.agreement import HeldOut, figures_of, leave_one_out
from dagster_project.worlds.stored_worlds import StoredWorld
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import label_episodes
from synth.labels.policy import load_outcome_policy
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

FRESH: Final = [
    "0:103:120", "1:104:140", "2:105:160", "3:106:120", "4:107:140", "5:108:160", "0:109:160",
    "3:110:140",
]  # fmt: skip
MEANINGS: Final = Path(__file__).parents[2] / "examples" / "support_desk" / "outcomes.toml"


def options(parser: argparse.ArgumentParser) -> None:
    """Which seasons."""
    parser.add_argument("seasons", nargs="*", default=FRESH, help="variant:seed:conversations")
    parser.add_argument("--errors", action="store_true", help="policy and request of each error")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each season, and one for all."""
    every: list[HeldOut] = []
    for text in options.seasons:
        variant, seed, conversations = map(int, text.split(":"))
        shop = hold_season(variant=variant, seed=seed, conversations=conversations, attempts=4)
        found = measure(shop.talks)
        every += found
        yield Row(case=text, figures=_figures(found))
        talks = {talk.episode.episode_id: talk for talk in shop.talks}
        for one in found if options.errors else ():
            if one.says is not None and one.says is not one.resolved:
                talk = talks[one.episode_id]
                print(f"  passed {one.says}: {talk.policy}, {talk.request.kind}")
    yield Row(case="all", figures=_figures(every))


def measure(talks: Sequence[Talk]) -> list[HeldOut]:
    """Attempts whose task has another resolved one, each graded by a rubric made without it."""
    episodes = [talk.episode for talk in talks]
    outcomes = [
        CleanOutcome(
            app=talk.episode.app,
            outcome_id=f"{talk.episode.episode_id}:{number}",
            episode_id=talk.episode.episode_id,
            name=str(said["name"]),
            value=float(said["value"]),
            by=str(said.get("by", "unknown")),
        )
        for talk in talks
        for number, said in enumerate(talk.feedback)
    ]
    labels = label_episodes(outcomes, load_outcome_policy(MEANINGS))
    learnt = learn_world(episodes, WorldSettings())
    candidates = derive_tasks(episodes, labels, learnt)
    world = StoredWorld(app=episodes[0].app, document=learnt.document)
    return [one for one in leave_one_out(episodes, labels, world, candidates) if one.witness]


def _figures(found: Sequence[HeldOut]) -> dict[str, Figure]:
    all_of = figures_of(found)
    return {
        "attempts": all_of.episodes,
        "graded": all_of.graded,
        "agreed": all_of.agreed,
        "false pass": all_of.false_pass,
        "false pass %": percent(all_of.false_pass, all_of.graded),
        "at most %": round(100 * all_of.false_pass_high, 1),
        "false fail": all_of.false_fail,
    }
