"""The card of a task set: a README that says what is inside, from where, how verified, and what it is not.

In: the manifest and the tasks. Out: Markdown text. Nothing of a task's own words: only names, counts and figures.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from environments.export.card_figures import difficulty_section, null_section, split_section
from environments.export.card_graders import (
    answer_section,
    attack_section,
    grader_section,
    markdown_text,
    way_section,
)
from environments.runtime.task.attempt import Json
from environments.runtime.task.manifest import TaskSetManifest
from environments.runtime.task.share import PAYS_ALL, PAYS_SHARE, UNSOLVED
from environments.runtime.task.task import Task
from environments.runtime.task.tool_definition import function_of, name_of
from environments.runtime.values.normal import as_names

REDACTED = (
    "Personal data was replaced before anything here was derived. The result is **pseudonymised, not anonymous**: "
    "somebody with other knowledge may still recognise a person. Treat it as personal data."
)
NOT_REDACTED = (
    "Redaction was **off**: the data was declared free of personal data by whoever made this set."
)
UNKNOWN_REDACTION = (
    "Whether personal data was replaced is **not known**. Treat it as personal data."
)
USE = """```bash
python DIR validate            # every file as exported, every solution scores 1, doing nothing does not
python DIR run [TASK]          # play a task in the terminal
python DIR run TASK --actions FILE
```

```python
from runtime import TaskSet    # with DIR on the path; Python 3.11 or later, nothing to install

task_set = TaskSet.load(DIR)
environment = task_set.environment(task_set.tasks[0].task_id)
seen = environment.reset()     # .messages, .tools, .done, .stop_reason
seen = environment.step({"role": "assistant", "content": "..."})
environment.grade().reward     # in [0, 1], or None: not graded, never 0
```"""
REWARDS = {
    PAYS_ALL: "All or nothing: 1 where every required check passes, 0 where one fails, None where the rubric cannot judge.",
    PAYS_SHARE: (
        "The weighted share of the checks that pass. A broken gate makes it 0; an attempt that fails any required check "
        f"earns at most {UNSOLVED:g}. None where the rubric cannot judge."
    ),
}
ANSWERS = (
    "`rubrics/` holds the solutions and `worlds/` the tools' backend. Observations never contain them. "
    "Do not mount this folder where a policy can read files."
)


def card(
    manifest: TaskSetManifest, tasks: Sequence[Task], difficulty: Mapping[str, Json] | None = None
) -> str:
    """The README of a task set; `difficulty` is what `difficulty.json` says."""
    inside = [task.task_id for task in tasks]
    in_no_table = {k: v for k, v in manifest.provenance.items() if k not in _TABLES}
    period = str(manifest.provenance.get("period") or "")
    made = f" Recorded {markdown_text(period)}." if period else ""
    sections = [
        f"# {markdown_text(manifest.name)}",
        f"{len(tasks)} tasks derived from production traces, with replayable tools and graders.{made}",
        _contents_table(tasks) + _sampling(manifest.provenance.get("sampling")),
        "## Reward\n\n" + REWARDS[manifest.reward],
        "## Verification\n\n"
        + _verification(manifest)
        + attack_section(manifest.provenance.get("attacks"))
        + way_section(manifest.provenance.get("ways")),
        "## Answers of the tools\n\n" + answer_section(manifest.provenance.get("answers")),
        "## Agreement with real outcomes\n\n"
        + _agreement(manifest.provenance.get("agreement"))
        + grader_section(manifest.provenance.get("graders")),
        "## Splits\n\n" + split_section(manifest.splits, inside),
        "## Pass rates\n\n" + difficulty_section(difficulty or {}, inside),
        "## Rollouts without a reward\n\n" + null_section(difficulty or {}),
        "## Redaction\n\n"
        + {"on": REDACTED, "off": NOT_REDACTED}.get(manifest.redaction, UNKNOWN_REDACTION)
        + _signed(manifest.provenance.get("signed")),
        "## Licence\n\n" + markdown_text(manifest.provenance.get("license", "Not stated.")),
        "## Use\n\n" + USE,
        "## Where the answers are\n\n" + ANSWERS,
        "## Provenance\n\n```json\n" + _json(in_no_table) + "\n```",
    ]
    return "\n\n".join(sections) + "\n"


_TABLES = frozenset({"answers", "attacks", "graders", "ways", "sampling"})
"""Parts of the provenance that the card shows as tables."""


def _contents_table(tasks: Sequence[Task]) -> str:
    apps = Counter(task.app for task in tasks)
    rows = [
        f"| {markdown_text(app)} | {count} | {_tools(tasks, app)} | {_turns(tasks, app)} |"
        for app, count in sorted(apps.items())
    ]
    head = "| app | tasks | tools | user turns after the opening, mean |\n|---|---|---|---|"
    if inferred := {
        name for task in tasks for name in as_names(task.provenance.get("tools_from_calls"))
    }:
        names = ", ".join(f"`{markdown_text(name)}`" for name in sorted(inferred))
        rows.append(
            f"\nNobody sent definitions of {len(inferred)} tools: they are inferred from recorded calls ({names})."
        )
    return "## Inside\n\n" + "\n".join([head, *rows])


def _sampling(samples: Any) -> str:  # noqa: ANN401 - a part of the provenance as handed in
    """Which requests are missing, and what each that is here stands for; empty where none are missing."""
    if not isinstance(samples, Mapping) or not samples:
        return ""
    rows = [
        f"| {markdown_text(app)} | {markdown_text(row['stratum'])} | {row['requests']} | {row['kept']} | {row['weight']:.2f} |"
        for app, sample in sorted(samples.items())
        for row in sample["strata"]
    ]
    told = (
        "\n\n### A sample\n\nNot every recorded request went on to become a task. Each task carries a `weight` (`provenance.weight`): "
        "how many requests of its kind it stands for. A share over tasks that is weighted with it is the share over all requests.\n\n"
        "| app | requests | recorded | in the sample | weight |\n|---|---|---:|---:|---:|\n"
    )
    return told + "\n".join(rows)


def _tools(tasks: Sequence[Task], app: str) -> int:
    tools = (tool for task in tasks if task.app == app for tool in task.tools)
    return len({name_of(function_of(tool)) for tool in tools})


def _turns(tasks: Sequence[Task], app: str) -> str:
    counts = [sum(not t.other_recording for t in one.user) for one in tasks if one.app == app]
    return f"{sum(counts) / len(counts):.1f}"


def _verification(manifest: TaskSetManifest) -> str:
    inside = Counter(entry.status for entry in manifest.tasks)
    lines = [f"- inside: {count} {status}" for status, count in sorted(inside.items())]
    lines += [f"- left out: {count} {why}" for why, count in sorted(manifest.left_out.items())]
    return "\n".join(lines or ["No task."])


def _agreement(figures: Json) -> str:
    if not isinstance(figures, dict) or not figures:
        return "Not measured."
    rows = [
        f"| {markdown_text(name)} | {markdown_text(_json(value))} |"
        for name, value in figures.items()
    ]
    return "\n".join(["| figure | value |", "|---|---|", *rows])


def _signed(signatures: Json) -> str:
    """Who answers for the data, a line an app; that nobody does is said as well."""
    if not isinstance(signatures, list) or not signatures:
        return " Nobody has signed for it."
    lines = []
    for one in signatures:
        if isinstance(one, dict):
            note = f" {markdown_text(one['note'])}" if one.get("note") else ""
            lines.append(
                f"- {markdown_text(one.get('app'))}: signed by {markdown_text(one.get('who'))} on {markdown_text(str(one.get('at'))[:10])}, "
                f"policy {markdown_text(str(one.get('policy'))[:12])}, data {markdown_text(str(one.get('data'))[:12])}.{note}"
            )
    return "\n\n" + "\n".join(lines)


def _json(value: object) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
