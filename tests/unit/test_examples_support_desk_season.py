"""The example's seasons: both modes, determinism, feedback that follows the truth, and the files it writes."""

import csv
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest

from examples.support_desk.agents.faulty import POLICIES
from examples.support_desk.app import main
from examples.support_desk.backend.database import copy_of
from examples.support_desk.backend.generator import START
from examples.support_desk.living import living_season
from examples.support_desk.records import Held, chat_log_line, truth_line
from examples.support_desk.season import Plan, reset_season
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.truth import refuses
from examples.support_desk.variant import make_variant

FAULTS = sorted(set(POLICIES) - {"good", "loop"})


PLAN = Plan(app="shop", variant=make_variant(0), seed=6, conversations=80)


@pytest.fixture(scope="module")
def living() -> list[Held]:
    """A month of one shop."""
    return list(living_season(replace(PLAN, mode="living", conversations=160), Telemetry()))


def test_the_same_seed_is_the_same_season() -> None:
    """Two runs give equal chat logs and truths; another seed gives others."""
    plan = replace(PLAN, conversations=25)
    runs = [list(reset_season(plan, Telemetry())) for _ in range(2)]
    lines = [[(chat_log_line(h, h.feedback), truth_line(h)) for h in run] for run in runs]
    assert lines[0] == lines[1]
    other = list(reset_season(replace(PLAN, conversations=25, seed=7), Telemetry()))
    assert lines[0] != [(chat_log_line(h, h.feedback), truth_line(h)) for h in other]


def _results(held: list[Held], tool: str) -> dict[str, list[dict[str, Any]]]:
    """What a tool answered over the season, by its arguments."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in held:
        for made in one.talk.calls:
            if made.call.name == tool and not made.answer.is_error:
                found.setdefault(made.call.arguments, []).append(json.loads(made.answer.content))
    return found


def test_reset_conversations_all_start_from_one_shop() -> None:
    """Before anything is changed in it, every conversation sees the same orders."""
    held = list(
        reset_season(replace(PLAN, policies=("early_stop",), conversations=120), Telemetry())
    )
    several = [seen for seen in _results(held, "get_order").values() if len(seen) > 1]
    assert several
    assert all(order == seen[0] for seen in several for order in seen)


def test_a_living_shop_remembers_and_moves_on(living: list[Held]) -> None:
    """Orders are seen in more than one status, some changes made by no agent; new orders appear."""
    orders = _results(living, "get_order")
    statuses = [[order["status"] for order in seen] for seen in orders.values()]
    assert any(len(set(seen)) > 1 for seen in statuses)
    delivered = [s for s in statuses if s[0] in {"pending", "shipped"} and s[-1] == "delivered"]
    assert delivered
    placed = {order["placed_at"] for seen in orders.values() for order in seen}
    assert any(at > "2026-10-05" for at in placed)


def test_living_time_passes_in_order_over_a_month(living: list[Held]) -> None:
    """Conversations come one after the other, spread over thirty days, with the date in the prompt."""
    starts = [one.started for one in living]
    assert starts == sorted(starts)
    assert starts[-1] - START > timedelta(days=25)
    assert starts[-1] - START < timedelta(days=31)
    prompts = {str(one.talk.messages[0]["content"])[-22:-11] for one in living}
    assert len(prompts) > 20


def test_unresolved_customers_come_back(living: list[Held]) -> None:
    """Some request is attempted again later, after it was not resolved."""
    seen: dict[str, list[bool]] = {}
    for one in living:
        seen.setdefault(one.request.key, []).append(one.judgement.resolved)
    repeated = [attempts for attempts in seen.values() if len(attempts) > 1]
    assert repeated
    assert all(not resolved for attempts in repeated for resolved in attempts[:-1])


def test_who_comes_back_still_cannot_have_what_they_asked_for_first() -> None:
    """A version that is in stock again is another request: the second choice is no longer its right end."""
    plan = replace(PLAN, mode="living", conversations=160, seed=4, policies=("early_stop",))
    shops: list[Connection] = []
    asked = 0
    for one in living_season(plan, Telemetry(), watch=lambda shop: shops.append(copy_of(shop))):
        refused = one.request.truth.refused
        asked += len(refused)
        assert refuses(shops.pop(), plan.variant, one.started, refused)
    assert asked > 5


def test_the_good_agent_serves_a_living_shop() -> None:
    """At least 95 % resolved while the world moves."""
    plan = replace(PLAN, mode="living", conversations=150, policies=("good",))
    held = list(living_season(plan, Telemetry()))
    assert sum(one.judgement.resolved for one in held) >= 0.95 * len(held)


def test_feedback_follows_the_truth_and_not_everybody_gives_it() -> None:
    """Without noise every statement agrees with the database; with noise some do not."""
    held = list(reset_season(replace(PLAN, conversations=150), Telemetry()))
    for one in held:
        for given in one.feedback:
            good = given.value >= 0.5 and given.name != "ticket_reopened"
            assert good == one.judgement.resolved
    thumbs = sum(any(f.name == "user_feedback" for f in one.feedback) for one in held)
    assert 0.45 * len(held) < thumbs < 0.75 * len(held)
    noisy = list(reset_season(replace(PLAN, conversations=150, noise=0.3), Telemetry()))
    wrong = sum(
        (f.value >= 0.5) != one.judgement.resolved
        for one in noisy
        for f in one.feedback
        if f.name == "user_feedback"
    )
    assert wrong > 10


def test_attempts_share_a_request_and_its_key() -> None:
    """With task keys the same request is attempted by several policies, and the key is in the chat log."""
    held = list(reset_season(replace(PLAN, conversations=40, attempts=4), Telemetry()))
    groups: dict[str, set[str]] = {}
    for one in held:
        assert chat_log_line(one, ())["task_key"] == one.request.key
        groups.setdefault(one.request.key, set()).add(one.policy)
    assert len(groups) == 10
    assert all(len(policies) >= 3 for policies in groups.values())


def test_files_keep_the_truth_apart(tmp_path: Path) -> None:
    """The chat log has outcomes but no truth; late business records are only in the CSV; the truth is in its own file."""
    chat, rows, truth = tmp_path / "chat.jsonl", tmp_path / "late.csv", tmp_path / "truth.jsonl"
    options = ["--chat-log", str(chat), "--outcomes-csv", str(rows), "--truth", str(truth)]
    assert main(["--conversations", "40", "--quiet", *options]) == 0
    lines = [json.loads(line) for line in chat.read_text(encoding="utf-8").splitlines()]
    truths = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines()]
    assert [t["conversation_id"] for t in truths] == [line["episode_id"] for line in lines]
    assert not any(policy in chat.read_text(encoding="utf-8") for policy in FAULTS)
    names = {o["name"] for line in lines for o in line.get("outcomes", ())}
    assert names == {"user_feedback", "resolved"}
    assert not {"resolved", "kind", "accepted", "policy"} & {key for line in lines for key in line}
    with rows.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == ["conversation_id", "name", "value", "at", "by"]
    unresolved = {t["conversation_id"] for t in truths if not t["resolved"]}
    assert {row["conversation_id"] for row in table} <= unresolved
    assert {row["name"] for row in table} == {"ticket_reopened"}


def test_unknown_policies_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A policy that does not exist is named, with those that do, and nothing runs."""
    with pytest.raises(SystemExit) as stopped:
        main(["--policies", "good,perfect"])
    assert stopped.value.code == 2
    assert "perfect" in capsys.readouterr().err
