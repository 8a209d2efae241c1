"""What relates an app's answers to each other survives the gate: worlds and graders are learnt behind it."""

from __future__ import annotations

from ingest.records.episode import Episode
from tests.unit.raw_conversations import calls, episode, says, texts_past_the_gate

FIRST = ["Anneliese", "Brunhilde", "Gottfried", "Heinrich", "Siegfried", "Waltraud", "Dietmar", "Roswitha"]  # fmt: skip


def test_an_id_that_is_made_of_one_that_stays_stays_as_well() -> None:
    """`BC-110` is the change of ad set 110: to replace it hides nobody, and nobody could tell its number from the ad set's."""
    raw: list[Episode] = []
    for number in range(110, 122):
        told = f"Success: budget change BC-{number} was added."
        raw.append(
            episode(
                f"e{number}",
                says("user", "Raise the budget, please."),
                *calls("find_adsets", {"plan": "spring"}, {"adset_ids": [str(number)]}),
                *calls("log_change", {"adset_id": str(number)}, told),
            )
        )
    for number, text in enumerate(texts_past_the_gate(raw), 110):
        assert f"BC-{number}" in text


def test_an_id_that_is_made_of_a_persons_own_goes_with_it() -> None:
    """`G-U4310-1` is a goal of member U4310: one is as telling as the other."""
    raw = [
        episode(
            f"e{number}",
            says("user", "What are my goals?"),
            *calls(
                "get_member",
                {"member_id": f"U{number}"},
                {"member_id": f"U{number}", "full_name": f"{FIRST[number % 8]} Meyerhoff", "email": f"u{number}@mail.example"},
            ),
            *calls("list_goals", {"member_id": f"U{number}"}, {"goals": [{"goal_id": f"G-U{number}-1"}]}),
        )
        for number in range(4310, 4322)
    ]  # fmt: skip
    for number, text in enumerate(texts_past_the_gate(raw), 4310):
        assert str(number) not in text
