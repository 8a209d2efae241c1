"""Rewards by reason as tables for a terminal: of one run, and of every policy."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dagster_project.cli.output import notices, print_table

if TYPE_CHECKING:
    from dagster_project.rollouts.reasons import PolicyReasons


def print_reasons(causes: Mapping[str, int]) -> None:
    """How many rollouts have each cause, and what to do about it; nothing where there is no rollout."""
    from environments.rollout.causes import CAUSES  # noqa: PLC0415 - the runtime: 0.1 s

    total = sum(causes.values())
    rows = [
        (cause.title, causes[code], f"{causes[code] / total:.0%}", cause.remedy)
        for code, cause in CAUSES.items()
        if causes.get(code)
    ]
    if rows:
        print_table("Rewards by reason", ("reason", "rollouts", "share", "what to do"), rows)


def print_policies(policies: Sequence["PolicyReasons"]) -> None:
    """A line for each policy: its reward, its share of null, and by which cause; then those that hide their failures."""
    from environments.rollout.causes import nulls_in_words  # noqa: PLC0415 - see above

    rows = [
        (
            one.policy,
            one.rollouts,
            one.mean_reward,
            *(("-" if part is None else f"{part:.0%}") for part in one.null_shares),
            nulls_in_words(one.reasons),
        )
        for one in policies
    ]
    if not rows:
        return
    headings = ("policy", "rollouts", "reward", "null", "failing", "successful", "null by cause")
    says = "share of null among all, failing and successful rollouts"
    print_table(f"All policies at these tasks; {says}", headings, rows)
    for one in policies:
        if one.hides:
            notices().print(
                f"warning: {one.policy}: {one.says()}. A trainer that masks null teaches it to hide failures."
            )
