"""Which earlier calls a recorded answer hangs on: one about the very record always counts."""

from __future__ import annotations

from environments.runtime.document.world_file import WORLD_FORMAT
from environments.runtime.task.attempt import DERIVED, RECORDED, UNKNOWN
from environments.runtime.world.world import World

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


POSTS = {
    "format": WORLD_FORMAT,
    "app": "wall",
    "tools": {
        "post": {"kind": "write", "outcomes": {"record:post|": "success"}},
        "reply": {"kind": "act", "outcomes": {}, "ignores": ["post"]},
    },
    "tables": {},
    "tape": {
        "reply": {
            f'{{"to":{n}}}': [{"before": [], "content": "done", "from": "e1"}] for n in (1, 2)
        }
    },
}


def test_what_an_earlier_result_named_first_is_never_there_without_it() -> None:
    """A reply to post 2 was recorded without a post before it: after a post that got this number nobody knows."""
    session = World.from_json(POSTS).session()
    session.observe("post", '{"text": "sun"}', '{"post": 2}')
    assert session.call("reply", '{"to": 1}').source == RECORDED
    assert session.call("reply", '{"to": 2}').source == UNKNOWN


CALENDAR = {
    "format": WORLD_FORMAT,
    "app": "hours",
    "tools": {
        "cancel": {
            "kind": "write",
            "outcomes": {},
            "shows": {"table": "event", "key": [["arg", "event"]]},
        },
        "free": {
            "kind": "read",
            "outcomes": {},
            "reads": {"table": "free", "key": [["arg", "day"]]},
        },
    },
    "tables": {
        "event": {
            "key": ["event"],
            "rows": {'["EV-1"]': {"event": "EV-1", "when": {"day": "wed", "hour": 9}}},
        },
        "free": {"key": ["day"], "rows": {'["wed"]': [8, 10], '["9"]': [9], '["tue"]': [8]}},
    },
}


def test_what_is_asked_for_by_a_word_hangs_on_calls_about_records_that_hold_it() -> None:
    """What is free on a day names no event; the event that may be gone names its day. Numbers tie nothing."""
    session = World.from_json(CALENDAR).session()
    assert session.call("free", '{"day": "wed"}').source != UNKNOWN
    assert session.call("cancel", '{"event": "EV-1"}').source == UNKNOWN
    assert session.call("free", '{"day": "wed"}').source == UNKNOWN
    assert session.call("free", '{"day": "tue"}').source != UNKNOWN
    assert session.call("free", '{"day": "9"}').source != UNKNOWN


def test_a_call_about_what_a_day_lists_hides_what_else_is_asked_by_that_day() -> None:
    """Cancelling an event that the agenda lists on Thursday may free hours on Thursday, and none on Friday."""
    agenda = {f'["{d}"]': [{"event": f"evt_{n}1"}] for n, d in enumerate(("thu", "fri"))}
    free = {f'["{d}"]': [9, 10] for d in ("thu", "fri")}
    by_day = [["arg", "day"]]
    session = World.from_json(
        {
            "format": WORLD_FORMAT,
            "tools": {
                "agenda": {"kind": "read", "reads": {"table": "agenda", "key": by_day}},
                "free": {"kind": "read", "reads": {"table": "free", "key": by_day}},
                "cancel": {"kind": "write"},
            },
            "tables": {
                "agenda": {"key": ["day"], "rows": agenda},
                "free": {"key": ["day"], "rows": free},
            },
        }
    ).session()
    session.call("cancel", '{"event": "evt_01"}')
    assert session.call("free", '{"day": "thu"}').source == UNKNOWN
    assert session.call("free", '{"day": "fri"}').content == "[9, 10]"


MEMBERS = {
    "format": WORLD_FORMAT,
    "app": "studio",
    "tools": {
        "member": {
            "kind": "read",
            "outcomes": {},
            "reads": {"table": "member", "key": [["arg", "member"]]},
            "untried": ["drop"],
        },
        "course": {
            "kind": "read",
            "outcomes": {},
            "reads": {"table": "course", "key": [["arg", "course"]]},
        },
        "pay": {
            "kind": "write",
            "outcomes": {},
            "names": [{"table": "member", "key": [["arg", "member"]]}],
            "untried": ["drop"],
        },
        "drop": {"kind": "write", "outcomes": {}},
    },
    "tables": {
        "member": {
            "key": ["member"],
            "rows": {
                '["m_1"]': {"name": "Ana", "booked": ["yoga"]},
                '["m_2"]': {"name": "Bo", "booked": ["spin"]},
            },
        },
        "course": {"key": ["course"], "rows": {'["yoga"]': {"free": 2}, '["spin"]': {"free": 1}}},
    },
    "tape": {
        "pay": {
            f'{{"member":"m_{n}"}}': [{"before": [], "content": "4", "from": "e1"}] for n in (1, 2)
        }
    },
}


def test_a_record_that_holds_the_key_of_another_hangs_on_what_is_done_to_that() -> None:
    """Dropping the yoga course gives back what its members paid, and does nothing to those of another course."""
    session = World.from_json(MEMBERS).session()
    assert session.call("member", '{"member": "m_1"}').source == DERIVED
    session.call("drop", '{"course": "yoga"}')
    assert session.call("member", '{"member": "m_1"}').source == UNKNOWN
    assert session.call("pay", '{"member": "m_1"}').source == UNKNOWN
    other = World.from_json(MEMBERS).session()
    other.call("drop", '{"course": "yoga"}')
    assert other.call("member", '{"member": "m_2"}').source == DERIVED
    assert other.call("pay", '{"member": "m_2"}').source == RECORDED


QUEUE = {
    "format": WORLD_FORMAT,
    "app": "claims",
    "tools": {
        "lodge": {"kind": "write", "outcomes": {}},
        "queue": {"kind": "act", "outcomes": {}},
    },
    "tables": {},
    "tape": {
        "queue": {
            f'{{"status":"{word}"}}': [{"before": [], "content": "none", "from": "e1"}]
            for word in ("filed", "Planning", "paid")
        }
    },
}


def test_what_is_asked_for_by_a_word_hangs_on_calls_whose_text_has_it() -> None:
    """A claim that was `filed` shows in the queue of that word, and what was called `Planning part two` in a search for it."""
    session = World.from_json(QUEUE).session()
    session.observe("lodge", '{"kind": "Planning part two"}', "Claim lodged and filed for 320.00")
    assert session.call("queue", '{"status": "filed"}').source == UNKNOWN
    assert session.call("queue", '{"status": "Planning"}').source == UNKNOWN
    assert session.call("queue", '{"status": "paid"}').source == RECORDED
