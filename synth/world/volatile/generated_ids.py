"""Generated ids: tools whose results name what nothing before had named.

While the answer of such a call is unknown, any name may be its own. Comes from observations, once it is known who writes; sets
`news` per tool. Not here: which earlier calls matter (`influence.dependencies`).
"""

from __future__ import annotations

from collections import Counter

from environments.runtime.values.normal import names_in, tokens_in
from synth.world.model import Workbench


def learn_news(bench: Workbench) -> None:
    """Tools whose results mostly name something that neither the call nor anything before it had named."""
    news: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for history in bench.histories:
        known: set[str] = set()
        for seen in history.observations:
            if bench.has_changed(seen):
                told = (seen.names | seen.tokens) - known - names_in(seen.arguments)
                calls[seen.tool] += 1
                news[seen.tool] += bool(told - tokens_in(seen.arguments))
            known |= seen.names | seen.tokens
    for name, tool in bench.tools.items():
        tool.news = news[name] * 2 > calls[name]
