"""The card's tables by app: how sure the tools' answers are, how far each kind of check is trusted, what each attack earns.

In: the rows in the manifest's provenance (`answers`, `graders`, `attacks`, `ways`), as plain JSON. Out: Markdown. Names of kinds and figures only. Not here:
how a kind is judged and what attacks are; whoever writes the task set says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from environments.frontier import points
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import as_list
from environments.verification.kinds import KINDS

EXPLAINED = (
    "Graders that ask the same kind of thing err alike; counted are tasks that withstood their own attacks. *Attempt*: each recorded attempt was "
    "left out once and graded by a rubric made from the others at its task. *Task*: how many tasks hold an error, and the lowest kappa that "
    "remains without one of them. A *false pass* is a bad attempt that training would pay, a *false fail* a good one that is foreseen to fail. "
    "Intervals are exact, 95 %. Tasks of a kind that is not trusted are in here only if somebody asked for them."
)
HEAD = (
    "| app | what decides | tasks | left out | graded | kappa | false pass | false fail | standing |\n"
    "|---|---|---|---|---|---|---|---|---|"
)
ATTACKS = (
    "Attacks: policies that cheat, and the good attempt with a fault. Counted are tasks that would pay the attack, of those on which it "
    "proves something. A task that pays an attack is not accepted, but for attacks that are measured only: they show whether tasks also "
    "hold against what the gate does not know."
)
ATTACK_HEAD = "| app | attack | paid without the gate | paid by accepted tasks |\n|---|---|---|---|"

ANSWERS = (
    "Worlds answer calls that no recording made. The risk is the share of their returned answers that may be wrong; what is not sure enough "
    "is `unknown`. A change whose effect is unknown has no reward; after a look-up that is unknown an attempt is paid by what it still "
    "does and tells. Below: calls of held-out episodes, answered at several risks."
)
ANSWER_HEAD = "| app | risk | right | wrong | wrong of told | unknown |\n|---|---|---|---|---|---|"

WAYS = (
    "Other ways of making the good attempt, on accepted tasks. They ought to be paid, unless the order of changes or of a list matters. "
    "Not graded: the world does not know an answer on that way, so that a policy that takes it earns no reward, neither 1 nor 0."
)
WAY_HEAD = "| app | way | tasks | paid | not paid | not graded |\n|---|---|---|---|---|---|"


def answer_section(rows: Any) -> str:  # noqa: ANN401 - as JSON has it
    """The risk of each app's world, and what its held-out calls were answered at several risks."""
    found: list[Mapping[str, Any]] = [row for row in as_list(rows) if isinstance(row, Mapping)]
    lines = [
        f"| {markdown_text(row['app'])} | {risk}{', chosen' if chosen else ''} | {right} | {wrong} | {of_told} | {unknown} |"
        for row in found
        for risk, right, wrong, of_told, unknown, chosen in points(row["held_out"], row["risk"])
    ]
    said = [f"- {markdown_text(row['app'])}: risk {row['risk']:.1%}" for row in found]
    table = ["", ANSWER_HEAD, *lines] if lines else []
    return "\n".join([ANSWERS, "", *said, *table]) if found else "Not said."


def way_section(rows: Json) -> str:
    """What becomes of other ways of doing the same; empty where nobody tried any."""
    found = [row for row in as_list(rows) if isinstance(row, Mapping)]
    lines = [
        f"| {markdown_text(row['app'])} | {row['says']} | {row['tasks']} | {row['paid']} | {row['not_paid']} | {row['unknown']} |"
        for row in found
    ]
    return f"\n\n{WAYS}\n\n" + "\n".join([WAY_HEAD, *lines]) if lines else ""


def grader_section(rows: Json) -> str:
    """A table with two lines per kind; empty where nobody measured any."""
    lines = [line for row in as_list(rows) if isinstance(row, Mapping) for line in _lines(row)]
    return f"\n\n{EXPLAINED}\n\n" + "\n".join([HEAD, *lines]) if lines else ""


def attack_section(rows: Json) -> str:
    """What attacks earn on all tasks and on accepted ones; empty where nobody tried any."""
    found = [row for row in as_list(rows) if isinstance(row, Mapping)]
    lines = [
        f"| {markdown_text(row['app'])} | {row['says']}{'' if row['in_gate'] else ' (measured only)'} | {row['paid']} of {row['tried']} "
        f"| {row['paid_accepted']} of {row['tried_accepted']} |"
        for row in found
    ]
    return f"\n\n{ATTACKS}\n\n" + "\n".join([ATTACK_HEAD, *lines]) if lines else ""


def markdown_text(text: object) -> str:
    """One line that Markdown takes as text: names come from telemetry."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(str(text).split()))


def _lines(row: Mapping[str, Any]) -> tuple[str, str]:
    kind = KINDS.get(
        str(row["kind"]), "all graders, those of tasks that were not accepted included"
    )
    begins = f"| {markdown_text(row['app'])} | {kind} | {row['tasks']}"
    attempts, tasks = row["left_out"]["attempts"], row["left_out"]["tasks"]
    return (
        f"{begins} | attempt | {_figures(attempts)} | {row['standing']} |",
        f"{begins} | task | {_figures(tasks)} | |",
    )


def _figures(found: Mapping[str, Any]) -> str:
    kappa = "unknown" if found["kappa"] is None else f"{found['kappa']:.2f}"
    wrong = " | ".join(_share(found[name]) for name in ("false_pass", "false_fail"))
    return f"{found['graded']} of {found['of']} | {kappa} | {wrong}"


def _share(found: Mapping[str, Any]) -> str:
    if not found["of"]:
        return "not measured"
    return f"{found['count']} ({100 * found['low']:.1f} to {100 * found['high']:.1f} %)"
