"""Derivation on a small invented shop: what tools are, which ends are right, which checks follow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from environments.runtime.task.attempt import Json
from redact.records.clean_episode import CleanEpisode
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, asks_a_name, facts_of
from synth.recordings.traits import AppTraits, traits_of
from synth.rubric.derive import Derived, derive_rubric
from synth.rubric.ends import ends_of
from tests.unit.parcel_rubrics import (
    FETCH,
    HAND,
    OTHER,
    STOP,
    Line,
    derive,
    episode,
    facts,
    kinds_of,
    label,
    predict,
    reward,
)


def test_the_end_of_resolved_attempts_is_what_counts() -> None:
    """The same writes pass, missing and foreign ones fail, whatever was said."""
    derived = derive(
        (episode("g", FETCH, STOP, ("say", "Done.")), True), (episode("b", FETCH), False)
    )
    assert derived.reasons == ()
    assert predict(derived, episode("x", STOP)) == 1.0
    assert predict(derived, episode("x", FETCH, ("say", "Done!"))) == 0.0
    assert predict(derived, episode("x", STOP, OTHER)) == 0.0


def test_without_a_resolved_attempt_nothing_is_promised() -> None:
    """One unresolved attempt proves nothing; two at one end make it bad; other ends stay open."""
    one = derive((episode("b", FETCH), False))
    assert one.solution is None
    assert one.reasons == ("no_resolved_attempt",)
    assert predict(one, episode("x", FETCH)) is None
    two = derive((episode("b", FETCH), False), (episode("c"), False))
    assert predict(two, episode("x")) == 0.0
    assert predict(two, episode("x", STOP)) is None


def test_unlabelled_attempts_are_never_failures() -> None:
    """They neither make an end nor break one."""
    derived = derive((episode("g", STOP), True), (episode("u", OTHER), None))
    assert predict(derived, episode("x", STOP)) == 1.0
    assert derive((episode("u", STOP), None)).reasons == ("no_resolved_attempt",)


def test_noise_asks_for_a_second_witness() -> None:
    """A label that is often wrong does not make an end right on its own against others."""
    kinds = kinds_of(episode("g", STOP))
    traits = AppTraits(kinds=kinds)
    noisy = [replace(facts(episode("g", STOP), True, kinds), label=label(True, 0.6))]
    assert not ends_of(noisy, traits)[0].accepted
    sure = [facts(episode("g", STOP), True, kinds)]
    assert ends_of(sure, traits)[0].accepted
    against = [*sure, *(facts(episode(f"b{i}", STOP), False, kinds) for i in range(3))]
    assert not ends_of(against, traits)[0].accepted


def test_an_app_whose_attempts_fail_by_what_they_tell_is_believed_about_its_ends() -> None:
    """Two of three attempts at one end are unresolved: where that is so at many tasks, the end is not why."""
    kinds = kinds_of(episode("g", STOP))

    def task(number: int) -> list[Facts]:
        seen = [(f"g{number}", True), (f"b{number}", False), (f"c{number}", False)]
        return [facts(episode(name, STOP), resolved, kinds) for name, resolved in seen]

    few, many = ([task(n) for n in range(count)] for count in (1, 20))
    assert not ends_of(few[0], traits_of(kinds, few))[0].accepted
    assert ends_of(few[0], traits_of(kinds, many))[0].accepted


def test_contradicting_labels_of_one_end_are_not_graded() -> None:
    """Nobody can say what an attempt at that end is worth."""
    attempts = [(episode("g", STOP), True), *((episode(f"b{i}", STOP), False) for i in range(3))]
    derived = derive(*attempts)
    assert derived.reasons == ("doubtful_end",)
    assert predict(derived, episode("x", STOP)) is None


ASK: Line = ("user", "How much does it cost in total?")


def test_a_fact_that_the_user_asked_for_must_be_told() -> None:
    """Two witnesses make a missing fact a failure, one makes it unknown."""
    good = [
        (episode(f"g{i}", FETCH, ASK, ("say", f"That is $54.04 in total{end}")), True)
        for i, end in enumerate((".", ", as shown."))
    ]
    told = episode("x", FETCH, ASK, ("say", "54.04"))
    wrong = episode("x", FETCH, ASK, ("say", "It costs 45.04"))
    assert predict(derive(*good), told) == 1.0
    assert predict(derive(*good), wrong) == 0.0
    assert predict(derive(good[0]), told) == 1.0
    assert predict(derive(good[0]), wrong) is None


def test_a_constructed_attempt_is_not_excused_with_the_failed_one_it_is_made_for() -> None:
    """Both go by one id: what explains the failure must not silence the solution."""
    ask: Line = ("user", "How much is the fee for parcel P-100?")
    told = facts(episode("a", ask, FETCH, ("say", "The fee is 17.5.")), True)
    failed = facts(episode("a", ask, FETCH, ("say", "One moment.")), False)
    ends = ends_of([failed, told], traits_of(kinds_of(told.recorded.episode), [[failed, told]]))
    assert [end.accepted for end in ends] == [True]


def test_a_number_the_user_said_first_is_no_fact() -> None:
    """Echoing the user earns nothing: what it repeats is no evidence of work, and no check asks for it by itself."""
    one = episode("g", FETCH, ("user", "How much? I paid 54.04"), ("say", "You paid 54.04"))
    derived = derive((one, True))
    checks = derived.rubric.checks
    assert not [c for c in checks if c.fn == "told" and c.required]
    assert not [c for c in checks if c.fn == "told_some" and c.positive]
    echo = episode("x", ("user", "How much? I paid 54.04"), ("say", "You paid 54.04"))
    assert reward(derived, echo) == 0.0


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Can you give me the tracking number?", True),
        ("What is the code for the door?", True),
        ("I don't have the order number with me.", False),
        ("My number is 4711.", False),
        ("Please stop the parcel.", False),
    ],
)
def test_asking_for_a_name_is_not_mentioning_one(text: str, asks: bool) -> None:
    """Numbers, codes and ids count as facts only where the user wants to be told."""
    assert asks_a_name(text) is asks


def test_nothing_to_change_needs_evidence_for_reward_but_not_for_agreement() -> None:
    """The record must be read and the hand-over made; the prediction does not ask for it."""
    derived = derive((episode("g", FETCH, HAND), True), (episode("h", FETCH, HAND), True))
    idle = episode("x", ("say", "Nothing to do."))
    assert reward(derived, episode("x", FETCH, HAND)) == 1.0
    assert (reward(derived, idle), predict(derived, idle)) == (0.0, 1.0)
    assert all(c.positive for c in derived.rubric.checks if c.fn in {"acted", "read"})


def test_without_any_evidence_a_no_change_task_says_so() -> None:
    """A task that pays for silence is not accepted as it stands."""
    assert derive((episode("g", ("say", "Bye.")), True)).reasons == ("no_positive_evidence",)


WHERE: Line = ("user", "Where is parcel P-100?")
SHOWN: Line = (
    "call",
    "get_parcel",
    '{"parcel": "P-100"}',
    '{"parcel": "P-100", "place": "Shelf 3", "next": "Shelf 5", "since": "2024-05-01"}',
)


def answered(name: str, words: str) -> CleanEpisode:
    """An attempt that looks, and says so."""
    return episode(name, SHOWN, ("say", words), opening=WHERE[1])


def test_what_only_resolved_attempts_answer_is_the_answer() -> None:
    """Two told one place, an unresolved one another: whoever tells another, or both, is not paid, and the user is not content."""
    good = [
        (answered(f"g{i}", f"{word} Shelf 3."), True) for i, word in enumerate(("It is on", "See"))
    ]
    derived = derive(*good, (answered("b", "It is on Shelf 5."), False))
    right = answered("x", "You find it on shelf 3")
    assert (reward(derived, right), predict(derived, right)) == (1.0, 1.0)
    for words in (
        "It is on Shelf 5.",
        "It was found on 2024-05-01.",
        "All done.",
        "Shelf 3. Shelf 5.",
    ):
        wrong = answered("x", words)
        assert (reward(derived, wrong), predict(derived, wrong)) == (0.0, 0.0)


def test_without_an_unresolved_attempt_nobody_knows_whether_another_answer_is_wrong() -> None:
    """Then the reward asks for what they told, since any other text of a record answers nothing, and the prediction abstains."""
    derived = derive(*[(answered(f"g{i}", "It is on Shelf 3."), True) for i in range(2)])
    other = answered("x", "It is on Shelf 5.")
    assert (reward(derived, other), predict(derived, other)) == (0.0, None)


WITHDRAWS: tuple[Line, ...] = (
    ("user", "Stop parcel P-100, please."),
    FETCH,
    ("say", "I will stop parcel P-100. Do you confirm?"),
    ("user", "No, wait. I have changed my mind."),
    ("say", "Then I leave it as it is."),
    ("user", "That is all. Bye."),
)


def test_a_user_who_withdraws_makes_a_task_of_the_attempts_that_asked() -> None:
    """Whoever never asks cannot know it: to change nothing is right by luck, and is not paid."""
    lucky = episode("a", WITHDRAWS[0], ("say", "One moment."), ("user", "That is all. Bye."))
    derived = derive((lucky, True), (episode("g", *WITHDRAWS), True))
    assert derived.reasons == ()
    assert derived.solution is not None
    assert derived.solution.episode_id == "g"
    assert reward(derived, episode("x", *WITHDRAWS)) == 1.0
    assert (reward(derived, lucky), predict(derived, lucky)) == (0.0, 1.0)
    looked = episode("x", WITHDRAWS[0], FETCH, ("say", "Done! All changes were made for P-100."))
    assert reward(derived, looked) == 0.0
    assert reward(derived, episode("x", *WITHDRAWS[:-1], STOP)) == 0.0


def test_a_goodbye_is_not_a_withdrawal() -> None:
    """A no to "anything else?" proves nothing."""
    talk: tuple[Line, ...] = (
        ("user", "Is P-100 there?"),
        ("say", "P-100 is here. Can I help you with anything else?"),
        ("user", "No, thank you."),
    )
    assert derive((episode("g", *talk), True)).reasons == ("no_positive_evidence",)


def test_telling_everything_is_not_telling() -> None:
    """A fact among many others in one message is listed."""
    good = [(episode(f"g{i}", FETCH, ASK, ("say", "It is $54.04.")), True) for i in range(2)]
    listed = episode("x", FETCH, ASK, ("say", ", ".join(f"{n}.01" for n in range(60)) + ", 54.04"))
    assert reward(derive(*good), episode("x", FETCH, ASK, ("say", "54.04"))) == 1.0
    assert reward(derive(*good), listed) == 0.0


def test_checks_carry_where_they_come_from() -> None:
    """A reviewer sees support and the episodes behind each check."""
    derived = derive((episode("g", FETCH, STOP), True), (episode("b", FETCH), False))
    end = derived.rubric.checks[0]
    assert (end.support, end.origin) == (1, ("g",))
    ends: Json = derived.rubric.evidence["ends"]
    assert isinstance(ends, list)
    assert len(ends) == 2


def noisy(*attempts: tuple[str, bool, Line], confidence: float = 0.9) -> Derived:
    """The rubric of attempts by name, label and what they did, whose labels are wrong that often."""
    kinds = kinds_of(episode("a", STOP), episode("b", OTHER))
    found = [
        facts_of(record(episode(name, line)), label(resolved, confidence), kinds)
        for name, resolved, line in attempts
    ]
    return derive_rubric("t", found, AppTraits(kinds=kinds))


def test_one_unreliable_label_passes_nobody_but_fails_those_who_ended_elsewhere() -> None:
    """It may have been flipped; two that agree are enough, and so is one that is seldom wrong."""
    one = noisy(("g", True, STOP), ("b", False, OTHER))
    assert predict(one, episode("x", STOP)) is None
    assert predict(one, episode("x", OTHER)) == 0.0
    assert reward(one, episode("x", STOP)) == 1.0
    two = noisy(("g", True, STOP), ("h", True, STOP))
    assert predict(two, episode("x", STOP)) == 1.0
    seldom = noisy(("g", True, STOP), ("b", False, OTHER), confidence=0.95)
    assert predict(seldom, episode("x", STOP)) == 1.0


def test_a_constructed_attempt_needs_no_second_witness() -> None:
    """It was made from many resolved requests: its confidence already says how many of them agree."""
    kinds = kinds_of(episode("g", STOP))
    made = Label(resolved=True, confidence=0.9, by="constructed")
    found = facts_of(record(episode("g", STOP)), made, kinds)
    assert not ends_of([found], AppTraits(kinds=kinds))[0].unconfirmed


def test_an_explanation_is_asked_of_one_message() -> None:
    """Words that resolved attempts say here and there are not asked together: the attempts themselves would fail."""
    opening = "Please find my account, or they shall take over. Parcels wait there."
    attempts = [
        episode(
            "a", ("say", "Cannot find that account."), ("say", "They take over."), opening=opening
        ),
        episode("b", ("say", "Find no account."), ("say", "So they go over it."), opening=opening),
    ]

    derived = derive(*((one, True) for one in attempts))

    assert [reward(derived, one) for one in attempts] == [1.0, 1.0]
