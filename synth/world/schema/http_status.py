"""Numbers as HTTP has them: a field that says how each call ended tells refusals from successes.

Comes from observations and the outcomes of each tool by itself; marks classes of records as refusals. A field counts where the
numbers of all tools' results are such numbers, some of them of successes. Not here: what one tool's results say by themselves
(`outcomes`).
"""

from __future__ import annotations

from collections import Counter

from environments.runtime.answers.outcome import STATUS_FIELDS, statuses_in
from synth.world.model import Workbench, outcome_class


def learn_http_status(bench: Workbench) -> None:
    """Take classes of records with a number from 400 on for refusals, where others have one from 200 to 299."""
    good: Counter[str] = Counter()
    bad: dict[str, set[tuple[str, str]]] = {}
    other: set[str] = set()
    for tool in bench.tools.values():
        for seen in tool.observations:
            record = seen.value if isinstance(seen.value, dict) else {}
            told = dict(statuses_in(record))
            other.update(k for k in record if k.lower() in STATUS_FIELDS and k not in told)
            for field, number in told.items():
                good[field] += 200 <= number < 300
                if number >= 400:
                    bad.setdefault(field, set()).add((tool.name, outcome_class(seen)))
    for field in bad.keys() - other:
        if good[field]:
            for tool_name, name in bad[field]:
                bench.tools[tool_name].outcomes[name] = "refusal"
