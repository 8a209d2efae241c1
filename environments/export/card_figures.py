"""The card's figures: splits with their proof, and pass rates.

In: parts of the manifest and `difficulty.json`. Out: Markdown sections. Counts, rates and table names only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from environments.export.splits import SPLITS
from environments.rollout.causes import CAUSES, NULLS

NULL: Final = (
    "Null is no reward: mask such rollouts, never count them as 0. "
    "Shares are of all rollouts that ended, of those that fail, of those that succeed."
)
WHOLE: Final = 40
"""Characters of the longest bar."""
_EARLIEST: Final = 631_152_000 * 10**9
"""1990: what stands before it has no time, also where redaction moved it."""
MADE: Final = {
    "entity": "users and records: tasks that share one stay together",
    "cluster": "kinds of task: whole kinds are held out, and users and records stay together",
    "time": "time: train ends before validation, which ends before the held-out tasks begin",
}


def split_section(splits: Mapping[str, Any], inside: Sequence[str]) -> str:
    """How many tasks each split has, how they were made, and what the proof counted."""
    proof = splits.get("proof")
    if not isinstance(proof, Mapping):
        return "Not divided."
    here, whole = (
        Counter(splits["tasks"].get(t, "") for t in inside),
        Counter(splits["tasks"].values()),
    )
    rows = [
        f"| {name} | {here[name]} | {whole[name]} | {_period(proof['periods'].get(name))} |"
        for name in SPLITS
    ]
    lines = [
        f"Made by {MADE.get(str(splits['by']), 'hand')}.",
        f"{splits['groups']} groups of tasks, the largest of {splits['largest_group']}.",
        "",
        "| split | tasks here | tasks in all | tasks start |",
        "|---|---|---|---|",
        *rows,
        "",
        "**Proof**: no user, episode, record, chain of actions or text stands in more than one split."
        if proof["leak_free"]
        else "**The splits leak**: do not report held-out figures.",
        "",
        "| in more than one split | count |",
        "|---|---|",
        *(f"| {name} | {count} |" for name, count in sorted(proof["in_several_splits"].items())),
        f"| same text (four-word runs, Jaccard 0.7) | {proof['same_text']} |",
        "",
        f"Nearest text across splits: {proof['nearest_text']:.2f}.",
        f"Tasks whose user is not known: {proof['without_subject']}.",
    ]
    if splits["by"] != "cluster":
        lines.append("Kinds of task may stand in several splits: this split is not made by kind.")
    shared = proof["reference_records_in_several_splits"]
    if splits["shared_by_all"]:
        counted = ", ".join(f"{_code(t)} ({shared.get(t, 0)})" for t in splits["shared_by_all"])
        lines.append(f"Records that everybody uses, in several splits by design: {counted}.")
    if splits["moved"]:
        lines.append(
            f"{len(splits['moved'])} tasks were in another split in the version before and had to follow tasks "
            "they share something with."
        )
    lines += [f"Note: {note}." for note in splits["notes"]]
    return "\n".join(lines)


def difficulty_section(difficulty: Mapping[str, Any], inside: Sequence[str]) -> str:
    """Histograms of pass rates: estimated from production, and of each policy that tried the tasks."""
    tasks = [difficulty.get("tasks", {}).get(task_id) for task_id in inside]
    known = [task for task in tasks if isinstance(task, Mapping)]
    if not known:
        return "Not measured."
    parts = []
    rates = [task["estimate"]["rate"] for task in known if task.get("estimate")]
    if rates:
        parts.append("Estimated from production, before any rollout:\n\n" + _bars(rates))
        parts.append(_calibration(difficulty.get("calibration")))
    for policy in sorted({name for task in known for name in task["policies"]}):
        found = [task["policies"][policy] for task in known if policy in task["policies"]]
        graded = [rate for rate in found if rate["rate"] is not None]
        flat = sum(rate["spread"] is not None and rate["spread"] < 1e-6 for rate in graded)
        parts.append(
            f"Policy {_code(policy)}: {sum(r['tried'] for r in graded)} graded rollouts of {len(graded)} tasks, "
            f"{flat} groups without spread (nothing to learn from).\n\n"
            + _bars([rate["rate"] for rate in graded])
        )
    if difficulty.get("band"):
        low, high = difficulty["band"]
        parts.append(f"Chosen: tasks with a pass rate between {low:.0%} and {high:.0%}.")
    return "\n\n".join(part for part in parts if part)


def null_section(difficulty: Mapping[str, Any]) -> str:
    """Null by policy and by cause, and the policies that have it more often where they fail."""
    known = [one for one in difficulty.get("rollouts") or () if isinstance(one, Mapping)]
    if not known:
        return "No policy was tried."
    causes = [code for code in NULLS if any(one["reasons"].get(code) for one in known)]
    names = "".join(f" {CAUSES[code].short} |" for code in causes)
    rows = [
        f"| {_code(str(one['policy']))} | {one['rollouts']} | {_number(one['mean_reward'])} | "
        f"{one['null_share']:.1%} | {_share(one['null_when_failing'])} | {_share(one['null_when_succeeding'])} |"
        + "".join(f" {one['reasons'].get(code, 0)} |" for code in causes)
        for one in known
    ]
    hiding = [_code(str(one["policy"])) for one in known if one["hides"]]
    return "\n".join(
        [
            NULL,
            "",
            f"| policy | rollouts | mean reward | null | null of failing | null of successful |{names}",
            "|---|---|---|---|---|---|" + "---|" * len(causes),
            *rows,
            "",
            f"**More often null where they fail**: {', '.join(hiding)}. A trainer that masks null teaches them to hide failures."
            if hiding
            else "No policy has null clearly more often where it fails.",
            "",
            *(f"- {CAUSES[code].short}: {CAUSES[code].remedy}." for code in causes),
        ]
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _bars(rates: Sequence[float]) -> str:
    counts = Counter(min(int(rate * 10), 9) for rate in rates)
    most = max(counts.values(), default=1)
    rows = [
        f"{10 * band:3d}-{10 * band + 10:3d} %  {'#' * round(WHOLE * counts[band] / most):{WHOLE}} {counts[band]}"
        for band in range(10)
    ]
    return "```text\n" + "\n".join(rows) + "\n```"


def _calibration(found: object) -> str:
    if not isinstance(found, Mapping) or not found.get("attempts"):
        return "The estimate's calibration is not measured: too few attempts with an outcome."
    useless = found["brier"] >= found["brier_of_mean"]
    return (
        f"Calibration on {found['attempts']} attempts that the estimate had not seen: Brier score {found['brier']:.3f} "
        f"(always saying the mean: {found['brier_of_mean']:.3f}), expected calibration error {found['error']:.3f}."
        + (
            " **The estimate says no more than the mean**: choose no tasks by it."
            if useless
            else ""
        )
    )


def _period(period: object) -> str:
    if not isinstance(period, list | tuple):
        return ""
    days = [
        datetime.fromtimestamp(t / 1e9, UTC).date().isoformat() for t in period if t >= _EARLIEST
    ]
    if len(days) < 2:
        return f"unknown to {days[0]}" if days else "unknown"
    first, last = days
    return first if first == last else f"{first} to {last}"


def _code(name: str) -> str:
    return "`" + " ".join(name.split()).replace("`", "'").replace("|", "/") + "`"
