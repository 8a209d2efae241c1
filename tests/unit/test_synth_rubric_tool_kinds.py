"""What tools are, by their names, their words and what was read after them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from synth.recordings.attempt import record
from synth.recordings.tool_kinds import infer_tools
from synth.verbs import hands_over, write_log_odds
from tests.unit.parcel_rubrics import FETCH, HAND, STOP, Line, episode, kinds_of


@pytest.mark.parametrize(
    ("name", "description", "writes"),
    [
        ("cancelBooking", "", True),
        ("update-profile", "Changes the profile.", True),
        ("list_rooms", "", False),
        ("room_search", "Finds free rooms.", False),
        ("userIdFromEmail", "", False),
        ("return_details", "Everything about a return.", False),
        ("order-status", "", False),
        ("update_status", "", True),
        ("openReturn", "", True),
        ("compute_and_store_mean", "", True),
        ("mean_levels", "Computes and records the mean of all levels.", True),
        ("search_and_filter", "Searches and filters the list.", False),
        ("store_search", "Stores what a search found.", True),
        ("freezeAccountOnAlert", "", True),
        ("list_costs_by_month_and_kind", "Return the costs of a month.", False),
        ("return_parcel", "Return a parcel.", True),
        ("mcp__order-server__get_order", "", False),
        ("mcp__reports__cancel_order", "", True),
        ("shop.orders.update", "", True),
        ("Search:book_room", "", True),
        ("drug_info", "", False),
        ("visit_page", "", False),
        ("stock_level", "", False),
        ("checkOut", "", True),
        ("otc_sell", "", True),
        ("rx_enter", "", True),
        ("issue_get", "Show an issue.", False),
        ("issue_create", "Open an issue.", True),
        ("order_list", "Orders, newest first.", False),
        ("refundQuote", "What a cancellation would give back.", False),
        ("StoreMetrics", "Stores metrics for a model.", True),
        ("TransferFundsWithLimitCheck", "Transfer funds between accounts.", True),
        ("note", "Appends a thought. It does not change the database.", False),
    ],
)
def test_names_in_generic_english_are_a_prior(name: str, description: str, writes: bool) -> None:
    """Verbs say what a tool is for, in any case and order."""
    assert (write_log_odds(name, description) > 0) is writes


def test_a_tool_that_is_called_after_what_it_does_does_that() -> None:
    """`calculator` calculates; a user uses nothing."""
    assert write_log_odds("calculator", "") < 0
    assert write_log_odds("pdf_reader", "") < 0
    assert write_log_odds("user", "") == 0


def test_a_thing_at_the_end_of_a_name_is_no_order() -> None:
    """What is on hand is not handed to anybody."""
    assert write_log_odds("stock_on_hand", "Lots of a drug with expiry.") == 0
    assert write_log_odds("hand_out_keys", "Hand out keys.") > 0


def test_what_the_learnt_world_saw_decides_where_a_name_says_nothing() -> None:
    """A name of nouns alone leaves doubt; an app whose records answer such a tool has none."""
    shown: Line = ("call", "driver_card", '{"driver": "D-1"}', '{"driver": "D-1", "valid": true}')
    recorded = [record(episode("a", shown))]
    kinds = [infer_tools(recorded, learnt=learnt) for learnt in (None, {"driver_card": -1.0})]
    assert [one.tools["driver_card"].kind for one in kinds] == ["maybe", "read"]


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("patient_record", "Record, by sections"),
        ("account_report", "Report of the last month"),
        ("customer_order", "Order"),
        ("customer_orders", "Orders of a customer."),
        ("loans", "Open loans of a card."),
        ("parcel_log", "Log history of a parcel"),
    ],
)
def test_a_thing_that_may_also_be_a_verb_says_nothing(name: str, description: str) -> None:
    """Taken for a change, a read that some resolved attempt made would be asked of everybody."""
    assert write_log_odds(name, description) <= 0
    assert write_log_odds("file", "Records the patient's answers") > 0


def test_handing_over_is_recognised_in_words() -> None:
    """A person who takes over is an act, whatever the tool is called."""
    assert hands_over("pass_on", "Transfers the chat to a human agent.")
    assert not hands_over("get_agent_name", "The name of the sales agent.")


def test_tools_are_read_write_and_act() -> None:
    """Names and traces together; the hand-over's wording is the agent's own."""
    kinds = kinds_of(
        episode("a", FETCH, STOP, ("say", "Done.")), episode("b", FETCH, HAND), episode("c", HAND)
    )
    assert kinds.tools_of("write") == ("stop_parcel",)
    assert kinds.tools_of("read") == ("get_parcel",)
    assert kinds.tools_of("act") == kinds.terminal() == ("escalate",)
    assert kinds.ignore() == {"escalate": ["why"]}


def test_a_tool_that_is_asked_in_words_and_opens_conversations_looks_up() -> None:
    """Nothing is known yet that could be changed. Either sign alone is not enough: shells open conversations as well."""

    def asked(argument: str, *, first: bool) -> str:
        calls: list[list[Line]] = []
        for n in range(6):
            asks: list[Line] = [
                ("call", "route", json.dumps({argument: f"tools for {n} {m}"}), f"tool {n} {m}")
                for m in range(2)
            ]
            rest: list[Line] = [FETCH, STOP]
            calls.append([*asks, *rest] if first else [*rest, *asks])
        found = kinds_of(*(episode(str(n), *lines) for n, lines in enumerate(calls)))
        return found.tools["route"].kind

    assert asked("query", first=True) == "read"
    assert asked("command", first=True) == asked("query", first=False) == "maybe"


def test_a_hand_over_ends_the_run_only_where_the_app_stops_there() -> None:
    """Where agents still say a word after it, the run goes on, and a second hand-over counts."""
    word = ("say", "A colleague takes over.")
    silent = kinds_of(episode("a", FETCH, HAND), episode("b", HAND))
    spoken = kinds_of(episode("a", FETCH, HAND, word), episode("b", HAND, word))
    assert (silent.stopping(), silent.closing()) == (("escalate",), ())
    assert (spoken.stopping(), spoken.closing()) == ((), ("escalate",))


def test_a_read_that_differs_afterwards_convicts_the_tool_in_between() -> None:
    """Without a telling name, what happened to later reads decides."""
    before = ("call", "get_parcel", '{"parcel": "P-100"}', "open")
    after = ("call", "get_parcel", '{"parcel": "P-100"}', "stopped")
    odd = ("call", "zap", '{"parcel": "P-100"}', "ok")
    nothing = ("call", "zip", '{"parcel": "P-100"}', "ok")
    kinds = kinds_of(
        *(episode(f"w{i}", before, odd, after) for i in range(3)),
        *(episode(f"r{i}", before, nothing, before) for i in range(6)),
    )
    assert kinds.tools["zap"].kind == "write"
    assert kinds.tools["zip"].kind == "read"


def test_a_call_without_a_result_is_left_out_and_counted() -> None:
    """A guard stopped it, or its answer was lost: nobody can say that it happened."""
    one = episode("a", FETCH, STOP)
    steps = tuple(s for s in one.steps if s.call_id != "c1")
    found = record(replace(one, steps=steps))
    assert found.unanswered == 1
    assert [c.name for c in found.attempt.calls] == ["get_parcel"]
    assert len(found.actions) == 1


def test_a_call_id_used_twice_gets_the_nearest_result() -> None:
    """Some clients number calls anew in every message."""
    one = episode("a", FETCH, STOP)
    steps = [replace(s, call_id="x") if s.role == "tool" else s for s in one.steps]
    steps = [
        replace(s, tool_calls=tuple(replace(c, call_id="x") for c in s.tool_calls)) for s in steps
    ]
    results = [c.result.content for c in record(replace(one, steps=tuple(steps))).attempt.calls]
    assert results == [FETCH[3], STOP[3]]


@pytest.mark.parametrize("name", ["", "查询", "_"])
def test_a_name_without_latin_letters_says_nothing(name: str) -> None:
    """Other scripts and empty names are read without a fault, and speak for neither side."""
    assert write_log_odds(name, "") == 0.0


def test_a_look_is_not_blamed_for_what_a_writer_between_two_reads_changed() -> None:
    """A record reads otherwise after a look and a change: the one whose name changes something did it."""
    first: Line = ("call", "get_account", '{"account": "A-1"}', '{"balance": 10}')
    look: Line = ("call", "get_trip", '{"trip": "T-7"}', '{"price": 4}')
    write: Line = ("call", "add_refund", '{"trip": "T-7"}', '{"ok": true}')
    after: Line = ("call", "get_account", '{"account": "A-1"}', '{"balance": 14}')
    recorded = [record(episode(f"e{n}", first, look, write, after)) for n in range(4)]
    kinds = infer_tools(recorded)
    told = {name: kinds.tools[name].kind for name in ("add_refund", "get_account", "get_trip")}
    assert told == {"add_refund": "write", "get_account": "read", "get_trip": "read"}
