"""Which earlier calls a recorded answer hangs on: one about the very record always counts."""

from __future__ import annotations

from environments.runtime.attempt import RECORDED, UNKNOWN
from environments.runtime.world import WORLD_FORMAT, World

TABLE = {"table": "valve", "key": [["arg", "valve"]]}
ROWS = {f'["VL-{n}"]': {"valve": f"VL-{n}", "open": False, "line": "LN-7"} for n in (1, 2)}
DOCUMENT = {
    "format": WORLD_FORMAT,
    "app": "plant",
    "tools": {
        "get_valve": {
            "kind": "read",
            "outcomes": {},
            "reads": TABLE,
            "ignores": ["turn"],
        },
        "turn": {"kind": "write", "outcomes": {}, "shows": TABLE, "settled": ["valve"]},
    },
    "tables": {"valve": {"key": ["valve"], "rows": ROWS, "seen": {"get_valve": list(ROWS)}}},
    "tape": {
        "get_valve": {
            f'{{"valve":"VL-{n}"}}': [{"before": [], "content": f"VL-{n} shut", "from": "e1"}]
            for n in (1, 2)
        }
    },
}


def test_a_call_about_the_record_counts_though_the_reader_ignores_its_tool() -> None:
    """Turning one valve leaves the others alone, which says nothing about the one that was turned."""
    session = World.from_json(DOCUMENT).session()
    assert session.call("get_valve", '{"valve": "VL-1"}').source == RECORDED
    assert session.call("turn", '{"valve": "VL-1"}').source == UNKNOWN
    assert session.call("get_valve", '{"valve": "VL-1"}').source == UNKNOWN
    assert session.call("get_valve", '{"valve": "VL-2"}').source == RECORDED
