"""Partial success: results that say what failed and show something all the same.

Comes from observations and the outcomes of each tool by itself; marks classes of records as successes. A refusal may show the
record that it is about. A result that names what neither the call nor anything before it had named made something, where the
tool's successes do so too. Not here: what one tool's results say by themselves (`outcomes`).
"""

from __future__ import annotations

from collections import Counter

from environments.runtime.answers.outcome import PARTLY
from environments.runtime.values.normal import names_in
from synth.world.model import Workbench, outcome_class


def learn_partly_done(bench: Workbench) -> None:
    """Take classes of records that mostly name something new beside what failed for successes."""
    news: Counter[tuple[str, str]] = Counter()
    calls: Counter[tuple[str, str]] = Counter()
    for history in bench.histories:
        known: set[str] = set()
        for seen in history.observations:
            name = outcome_class(seen)
            if name.startswith("record:") and PARTLY in name:
                calls[seen.tool, name] += 1
                news[seen.tool, name] += bool(seen.names - known - names_in(seen.arguments))
            known |= seen.names
    for (tool, name), new in news.items():
        if new * 2 > calls[tool, name]:
            bench.tools[tool].outcomes[name] = "success"
