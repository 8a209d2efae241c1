"""Choices that a call writes with lines between the words and an answer says in words."""

from __future__ import annotations

import pytest

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.audit.leaks import find_leaks
from redact.decisions.judgement import judge
from redact.decisions.verdicts import OWN_WORDS
from redact.decisions.written_choices import choices_in_words
from redact.operators.vault import open_vault
from redact.policy import Policy
from tests.unit.raw_conversations import SECRET, calls, episode

WRITTEN = "argument|?|n|close.reason"
SHOWN = "result|?|f|close.Reason"
OTHERS = (
    "gift_never_sent", "parcel_came_broken", "seller_was_rude", "wrong_size_sent", "box_not_opened",
    "bill_paid_twice",
)  # fmt: skip


def _found(written: dict[str, list[int]], *shown: str) -> frozenset[str]:
    evidence = {WRITTEN: written, SHOWN: {value: [1] for value in shown}}
    return choices_in_words(evidence, {SHOWN: OWN_WORDS}, k=5)


@pytest.mark.parametrize("written", ["late_entry", "LATE_ENTRY"])
@pytest.mark.parametrize("shown", ["Late Entry", "late entry", "LATE ENTRY", "Late entry"])
def test_a_choice_of_k_subjects_is_one_in_words(written: str, shown: str) -> None:
    """Whichever way the program writes it, and however the answer spells it."""
    assert _found({written: [1, 2, 3, 4, 5]}, shown, "Somebody Else") == {shown}


def test_what_one_subject_has_is_no_choice() -> None:
    """Neither two words nor three; two words of four subjects may be one person who came back."""
    written = {"late_entry": [1, 2, 3, 4], "box_not_opened": [6], "gift_never_sent": [7, 8, 9, 10]}
    assert _found(written, "Late Entry", "Box Not Opened") == frozenset()


def test_three_words_that_two_had_are_chosen_from_a_list() -> None:
    """Where k subjects chose, and nothing else stands there."""
    written = {"box_not_opened": [1, 2], "gift_never_sent": [3, 4], "late_entry": [5]}
    assert _found(written, "Box Not Opened") == {"Box Not Opened"}
    assert _found({**written, "none of these": [6]}, "Box Not Opened") == frozenset()
    assert _found({"box_not_opened": [1, 2]}, "Box Not Opened") == frozenset()


def test_user_names_make_no_person_a_choice() -> None:
    """One listed name at a place makes all that is written so somebody's, whoever came back how often."""
    often = [1, 2, 3, 4, 5, 6]
    assert _found({"anna_meier": often}, "Anna Meier") == frozenset()
    assert _found({"anna_meier": [7], "ilvy_kettunor": often}, "Ilvy Kettunor") == frozenset()


@pytest.mark.parametrize("written", ["lateEntry", "late-entry", "Late_Entry", "late_entry_2"])
def test_other_spellings_are_no_choices(written: str) -> None:
    """Only words of one case with a line between them."""
    assert _found({written: [1, 2, 3, 4, 5]}, "Late Entry", "Late Entry 2") == frozenset()


def test_a_judged_key_or_one_of_people_shows_no_choices() -> None:
    """User names under a key that says so, and what each person asks for, never count."""
    often = {"late_entry": [1, 2, 3, 4, 5]}
    own = {SHOWN: OWN_WORDS, WRITTEN: OWN_WORDS}
    assert not choices_in_words({WRITTEN: often, SHOWN: {"Late Entry": [1]}}, own, k=5)
    known = {"argument|username|n|close.username": often, SHOWN: {"Late Entry": [1]}}
    assert not choices_in_words(known, {SHOWN: OWN_WORDS}, k=5)


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
    done = scrub(raw, learnt=learnt, vault=open_vault(None, SECRET), policy=Policy())
    texts = [
        (f"{one.clean.episode_id} {row}", text)
        for one in done
        for row, step in enumerate(one.clean.steps)
        for text in (step.content or "", *(call.arguments for call in step.tool_calls))
    ]
    return "\n".join(text for _, text in texts), len(find_leaks(texts, learnt=learnt))


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
