"""What the leak check finds and counts in texts that stand alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from redact.audit.leaks import Leak, LeakSearch
from redact.evidence.app_values import Learnt


def leaks_in(
    texts: Iterable[tuple[str, str]],
    *,
    learnt: Learnt,
    episodes: Mapping[str, str] | None = None,
) -> list[Leak]:
    """Every hit that counts in the named texts; `episodes` maps a text's name to its raw episode."""
    search, origins = LeakSearch(learnt), episodes or {}
    return [
        leak
        for where, text in texts
        for leak in search.find(where, text, episodes=[origins[where]] if where in origins else [])
        if not leak.waiver
    ]
