"""Every benchmark by its name, with the module that measures it and what it costs on two cores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One benchmark."""

    module: str
    costs: str
    """With the options that are given where nothing else is said."""


SUITES: Final[dict[str, Listed]] = {
    name: Listed(module=f"benchmarks.{module}", costs=costs)
    for name, module, costs in (
        ("worlds", "worlds.fidelity", "2 minutes; `--suite full` an hour"),
        ("worlds_living", "worlds.seasons", "a minute"),
        ("worlds_speed", "worlds.speed", "2 minutes"),
        ("drift", "worlds.drift", "10 minutes"),
        ("redaction", "redaction.quality", "2 minutes"),
        ("redaction_replay", "redaction.replay", "10 minutes"),
        ("names_in_prose", "redaction.names_in_prose", "seconds"),
        ("ingest", "ingest.speed", "2 minutes"),
        ("endurance", "ingest.endurance", "what `--minutes` says"),
        ("backtest", "rubrics.backtest", "10 minutes"),
        ("rubrics", "rubrics.agreement", "20 minutes"),
        ("gate", "rubrics.gate", "10 minutes"),
        ("attacks", "rubrics.attacks", "2 minutes a file"),
        ("judged", "rubrics.judged", "20 minutes, and a package"),
        ("difficulty", "rubrics.difficulty", "2 minutes"),
        ("small_homes", "rubrics.small_homes", "10 minutes"),
        ("repeats", "rubrics.repeats", "seconds"),
        ("rubric_speed", "rubrics.speed", "seconds"),
        ("causes", "causes.all", "2 minutes"),
        ("yield", "yields.collections", "a minute a collection"),
        ("strangers", "yields.strangers", "a minute a habit"),
        ("growth", "scale.growth", "10 minutes; 16,000 conversations 15"),
        ("quarter", "scale.quarter", "`--days 12` 5 minutes"),
        ("cores", "scale.cores", "10 minutes"),
        ("environments", "rollouts.environments", "2 minutes"),
        ("scripted_user", "rollouts.scripted_user", "seconds"),
        ("verifiers_export", "rollouts.verifiers_export", "10 minutes, and verifiers"),
        ("trained", "rollouts.trained", "an hour, and a package"),
    )
}
