"""What rubrics of small homes say of attempts that they have not seen: seasons of the example desk, labels from feedback.

In: `variant:seed:conversations` (`python -m benchmarks small_homes 0:103:120 1:104:140`). Out: per season what the asset
`agreement` would store, and every error with the policy and request behind it. The product never sees any of those.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.testbeds.desk.conversations import Talk, hold_season
from dagster_project.tasks.agreement import HeldOut, figures_of, leave_one_out
from dagster_project.worlds.stored_worlds import StoredWorld
from redact.records.clean_outcome import CleanOutcome
from synth.labels import label_episodes, load_outcome_policy
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

FRESH: Final = [
    "0:103:120",
    "1:104:140",
    "2:105:160",
    "3:106:120",
    "4:107:140",
    "5:108:160",
    "0:109:160",
    "3:110:140",
]
MEANINGS: Final = Path(__file__).parents[2] / "examples" / "support_desk" / "outcomes.toml"


def main() -> int:
    """Measure every season named on the command line."""
    every: list[HeldOut] = []
    for text in sys.argv[1:] or FRESH:
        variant, seed, conversations = map(int, text.split(":"))
        shop = hold_season(variant=variant, seed=seed, conversations=conversations, attempts=4)
        found = measure(shop.talks)
        every += found
        print(f"{text}: {_row(found)}", flush=True)
        talks = {talk.episode.episode_id: talk for talk in shop.talks}
        for one in found:
            if one.says is not None and one.says is not one.resolved:
                talk = talks[one.episode_id]
                print(f"  passed {one.says}: {talk.policy}, {talk.request.kind}")
    print(f"all: {_row(every)}")
    return 0


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


def _row(found: Sequence[HeldOut]) -> str:
    all_of = figures_of(found)
    share = 100 * all_of.false_pass / all_of.graded if all_of.graded else 0.0
    counts = Counter(one.says for one in found)
    return (
        f"{all_of.episodes} attempts, {all_of.graded} graded, {all_of.agreed} agree,"
        f" {all_of.false_pass} false passes ({share:.1f} %, at most {100 * all_of.false_pass_high:.1f} %),"
        f" {all_of.false_fail} false fails; {counts[None]} not graded"
    )


if __name__ == "__main__":
    sys.exit(main())
