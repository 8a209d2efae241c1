"""One date shift per app: every date moves by the same whole weeks, is written as it was, and calls still commute."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.records.outcome import Outcome
from redact.apply.learn import learn
from redact.apply.scrub import scrub, scrub_outcomes
from redact.errors import PolicyError
from redact.operators.date_shift import DateShift, names_time
from redact.operators.vault import Vault
from redact.policy import Policy, load_policy
from tests.unit.raw_conversations import PROFILE, SECRET, calls, episode, says

NEAR = int(datetime(2024, 5, 20, tzinfo=UTC).timestamp()) * 10**9
THREE_WEEKS = DateShift(days=21)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2024-05-15", "2024-06-05"),
        ("2024-05-15T15:00:00Z", "2024-06-05T15:00:00Z"),
        ("2024-05-15 15:00:00-05:00", "2024-06-05 15:00:00-05:00"),
        ("20240515T150000Z", "20240605T150000Z"),
        ("2024/05/15", "2024/06/05"),
        ("report_2024-12-31.pdf", "report_2025-01-21.pdf"),
        ("2024-W20", "2024-W23"),
        ("05/15/2024", "06/05/2024"),
        ("5/15/2024", "6/5/2024"),
        ("05/15/24", "06/05/24"),
        ("15.05.2024", "05.06.2024"),
        ("05/15/2024-05/16/2024", "06/05/2024-06/06/2024"),
        ("05/15/24-05/16/24", "06/05/24-06/06/24"),
        ("15.05.2024-16.05.2024", "05.06.2024-06.06.2024"),
        ("31/05/2024", "21/06/2024"),
        ("May 15, 2024", "June 5, 2024"),
        ("May 15th", "June 5th"),
        ("may 15", "june 5"),
        ("MAY 15", "JUNE 5"),
        ("May 1-5", "May 22-26"),
        ("15 May 2024", "5 June 2024"),
        ("Wed, 15 May 2024 10:00:00 GMT", "Wed, 5 June 2024 10:00:00 GMT"),
        ("Sep 3", "Sep 24"),
        ("Wed Dec 25 10:00:00 2024", "Wed Jan 15 10:00:00 2025"),
        ("15. Mai 2024", "5. juni 2024"),
        ("15 de mayo de 2024", "5 de junio de 2024"),
        ("15 мая 2024", "5 июня 2024"),
        ("2024年5月15日", "2024年6月5日"),
        ('{"created_at": 1715783400}', '{"created_at": 1717597800}'),
        ('{"createdAt":"1715783400123"}', '{"createdAt":"1717597800123"}'),
        ('"{\\"ts\\": 1715783400.25}"', '"{\\"ts\\": 1717597800.25}"'),
        ('{"timestamps": [1715783400, 1715783401]}', '{"timestamps": [1717597800, 1717597801]}'),
        ('{"date": 20240515}', '{"date": 20240605}'),
        ("expires=1715783400", "expires=1717597800"),
    ],
)
def test_every_way_to_write_a_day_moves_by_the_same_weeks(before: str, after: str) -> None:
    """The day moves, and separators, width, time of day and zone stay; the case of a month's name is that of the word."""
    moved = THREE_WEEKS.text(before, NEAR)
    assert moved.casefold() == after.casefold()
    assert DateShift(days=-21).text(moved, NEAR + 21 * 86_400 * 10**9).casefold() == (
        before.casefold()
    )


@pytest.mark.parametrize(
    "text",
    [
        "order 1715783400",
        '{"product_id": 1715783400, "zip": "20240515"}',
        '{"price": 20240515, "phone": "2024051599"}',
        "version 2024.13.45",
        "9999-12-31",
        "0001-01-01",
        "192.168.10.2024",
        "May 2024",
        "2024",
        "you may 1234 times",
        "at 10:30",
        "3/4",
        "February 30",
    ],
)
def test_what_is_no_day_stays(text: str) -> None:
    """Ids, prices, versions, months alone and days for "never" are not dates."""
    assert THREE_WEEKS.text(text, NEAR) == text


def test_a_range_of_days_may_end_in_another_month() -> None:
    """The second day of `May 8-12` moves as well."""
    assert THREE_WEEKS.text("May 8-12", NEAR) == "May 29-June 2"


def test_numeric_days_are_read_in_the_apps_order() -> None:
    """`03/04/2024` is the third of April where the day comes first."""
    assert DateShift(days=7, day_first=True).text("03/04/2024", NEAR) == "10/04/2024"
    assert DateShift(days=7).text("03/04/2024", NEAR) == "03/11/2024"


def test_no_shift_changes_no_byte() -> None:
    """The default moves nothing."""
    assert DateShift().text("2024-05-15, May 15", NEAR) == "2024-05-15, May 15"


@pytest.mark.parametrize("key", ["created_at", "expiresAt", "timestamp", "departure_time", "iat"])
def test_keys_that_name_times(key: str) -> None:
    """A word of the key says so, however it is joined."""
    assert names_time(key)
    assert not names_time(f"order{key[:1]}x_id")


def test_prompt_arguments_results_clocks_and_outcomes_move_together() -> None:
    """A call about a day gives the result about the moved day; birth dates keep their own surrogates."""
    spoken = episode(
        "one",
        says("system", "Today is 2024-05-15. Refunds until May 20."),
        *calls("find_flights", {"date": "2024-05-20"}, {"day": "2024-05-20", "seats": 3}),
        *calls("get_user", {"id": "tamsin_okafor_4417"}, {**PROFILE, "dob": "1984-05-20"}),
        says("user", "Born 1984-05-20, I fly on 2024-05-20."),
    )
    raw = replace(spoken, started_at=NEAR)
    policy, still = Policy(date_shift_days={"*": 21}), Policy()
    learnt = learn([raw], (), policy=policy)
    vault = Vault(None, SECRET)
    moved = next(scrub([raw], learnt=learnt, vault=vault, policy=policy)).clean
    plain = next(scrub([raw], learnt=learnt, vault=vault, policy=still)).clean
    said = [step.content or "" for step in moved.steps]
    assert said[0] == "Today is 2024-06-05. Refunds until June 10."
    assert json.loads(moved.steps[1].tool_calls[0].arguments) == {"date": "2024-06-10"}
    assert json.loads(said[2])["day"] == "2024-06-10"
    assert "fly on 2024-06-10" in said[-1]
    assert moved.started_at - plain.started_at == 21 * 86_400 * 10**9
    born = json.loads(plain.steps[4].content or "")["dob"]
    assert json.loads(said[4])["dob"] == born
    assert f"Born {born}" in said[-1]
    outcome = Outcome(
        app=raw.app,
        outcome_id="o1",
        target_kind="episode",
        target_id=raw.episode_id,
        name="resolved",
        by="user",
        at=raw.started_at,
        episode_id=raw.episode_id,
        text="done on 2024-05-16",
        source="test",
    )
    judged = next(scrub_outcomes([outcome], learnt=learnt, vault=vault, policy=policy))
    assert (judged.at, judged.text) == (moved.started_at, "done on 2024-06-06")


def test_the_policy_states_whole_weeks_for_all_apps_or_for_one(tmp_path: Path) -> None:
    """Part of a week would move weekdays, so it is refused in a sentence."""
    path = tmp_path / "redaction.toml"
    path.write_text('date_shift_days = 91\ndate_order = "day"\n')
    assert load_policy(path).shift_of("shop") == DateShift(days=91, day_first=True)
    path.write_text("[date_shift_days]\nshop = -364\n")
    assert load_policy(path).shift_of("shop").days == -364
    assert load_policy(path).shift_of("other").days == 0
    for wrong in ("10", '"91"', "true", "{ shop = 3 }"):
        path.write_text(f"date_shift_days = {wrong}\n")
        with pytest.raises(PolicyError, match="whole weeks"):
            load_policy(path)
