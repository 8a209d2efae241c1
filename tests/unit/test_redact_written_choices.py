"""Choices that a call writes with lines between the words and an answer says in words."""

from __future__ import annotations

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.decisions.judgement import judge
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode

OTHERS = (
    "gift_never_sent", "parcel_came_broken", "seller_was_rude", "wrong_size_sent", "box_not_opened",
    "bill_paid_twice",
)  # fmt: skip


def _claims(*reasons: str) -> list[Episode]:
    return [
        episode(
            f"e{row}",
            *calls(
                "open_claim",
                {"member_id": f"mem_{row}4417", "reason": reason},
                f"Claim opened\nMember: mem_{row}4417\nReason: {reason.replace('_', ' ').title()}\n",
            ),
        )
        for row, reason in enumerate(reasons)
    ]


def _left(raw: list[Episode]) -> tuple[str, int]:
    learnt = learn(raw, (), policy=Policy())
    done = scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    texts = [
        (f"{one.clean.episode_id} {row}", text)
        for one in done
        for row, step in enumerate(one.clean.steps)
        for text in (step.content or "", *(call.arguments for call in step.tool_calls))
    ]
    return "\n".join(text for _, text in texts), len(leaks_in(texts, learnt=learnt))


def test_scrubber_and_leak_check_agree_on_choices_shown_in_words() -> None:
    """What stays as `box_not_opened` in a call is no name where an answer says it in words."""
    text, leaks = _left(_claims(*OTHERS, *OTHERS))
    assert "Reason: Box Not Opened" in text
    assert leaks == 0


def test_names_of_people_go_where_calls_write_them_with_lines() -> None:
    """The words are names, so the answers' stay names."""
    people = (
        "anna_lena_meier", "ilvy_sol_kettunen", "zsofia_ada_okafor", "tamsin_eva_dimitrov",
        "ingrid_mo_haruto",
    )  # fmt: skip
    raw = _claims(*people, *people)
    assert "ilvy sol kettunen" in judge(learn(raw, (), policy=Policy()).app("app"), k=5).values
    text, _ = _left(raw)
    assert not [name for name in people if name.replace("_", " ").title() in text]
