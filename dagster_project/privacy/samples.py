"""Clean conversations drawn at random, for a person to read.

Comes in: a home and how many. Goes out: the conversations, and each as text. Clean data only.
"""

import random
from collections.abc import Sequence

from dagster_project.home.layout import Home
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES
from dagster_project.page_texts import clip
from redact.records.clean_episode import CleanEpisode
from redact.records.clean_rows import clean_episode_from_row

_LONG = 4_000


def draw(
    home: Home, apps: Sequence[str], count: int, *, seed: int | None = None
) -> list[CleanEpisode]:
    """So many conversations of some apps, each as likely as any other."""
    lake = Lake(home.clean / "lake")
    names = [
        (app, str(row["day"]), str(row["episode_id"]))
        for app in sorted(apps)
        for row in lake.read(CLEAN_EPISODES, app=app, columns=("day", "episode_id")).to_pylist()
    ]
    chance = random.Random(seed) if seed is not None else random.SystemRandom()  # noqa: S311 - repeatable where asked
    drawn = chance.sample(sorted(names), min(count, len(names)))
    found = []
    for app, day, name in drawn:
        rows = lake.read(CLEAN_EPISODES, app=app, days=[day], equals={"episode_id": name})
        found += [clean_episode_from_row(row) for row in rows.to_pylist()[:1]]
    return found


def conversation_text(episode: CleanEpisode) -> str:
    """A conversation as text."""
    lines = [f"── {clip(episode.app, 80)} {episode.episode_id}"]
    for step in episode.steps:
        if step.content:
            lines.append(f"[{step.role}] {clip(step.content, _LONG)}")
        lines += [
            f"[call] {clip(call.name, 80)} {clip(call.arguments, _LONG)}"
            for call in step.tool_calls
        ]
    return "\n".join(lines) + "\n"
