"""Compared outcomes: classes of results that only other tools' results, or the calls before, tell to be refusals or successes.

Comes from observations and the outcomes of each tool by itself; corrects these. Not here: what one tool's results say by
themselves (`outcomes`).
"""

from __future__ import annotations

from collections import Counter

from environments.runtime.answers.outcome import PARTLY, STATUS_FIELDS, statuses_in
from environments.runtime.values.mentions import names_in
from synth.world.model import Workbench, outcome_class


def learn_http_status(bench: Workbench) -> None:
    """Take classes of records with a number from 400 on for refusals, where others have one from 200 to 299.

    A field counts where the numbers of all tools' results are numbers as HTTP has them, some of them of successes.
    """
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


def learn_partly_done(bench: Workbench) -> None:
    """Take classes of records that mostly name something new beside what failed for successes.

    A refusal may show the record that it is about; what names something that neither the call nor anything before it had named, made it.
    """
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
