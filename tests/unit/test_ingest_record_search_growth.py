"""How the search for messages grows with what a file holds."""

from typing import Any

import pytest

from ingest.formats.records import find
from ingest.formats.records.speech import strength


def settings(leaves: int, depth: int = 0) -> dict[str, Any]:
    """Nested settings, as a folder of runs may hold beside them: two groups in each group."""
    if leaves == 1:
        return {"limit": 3, "name": "small"}
    half = leaves // 2
    return {f"a{depth}": settings(half, depth + 1), f"b{depth}": settings(half, depth + 1)}


def test_nested_objects_are_looked_at_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twice the settings are twice the work: each level of nesting made it six times as much."""
    asked = 0

    def counted(item: Any) -> int:  # noqa: ANN401 - any JSON
        nonlocal asked
        asked += 1
        return strength(item)

    monkeypatch.setattr(find, "strength", counted)
    counts = []
    for leaves in (64, 128):
        asked = 0
        assert find.records_of(settings(leaves)) is None
        assert not find.is_record(settings(leaves))
        counts.append(asked)
    assert counts[1] < 3 * counts[0]
