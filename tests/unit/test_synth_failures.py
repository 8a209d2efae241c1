"""Failures: an outcome confirms, signals suspect, and each signal shows its steps and says no user's words."""

from dataclasses import asdict

import hypothesis
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.failures.calls import canonical, read_calls
from synth.failures.detection import (
    CONFIRMED,
    FAILURE_SCHEMA,
    SUSPECTED,
    Failure,
    calibrate_on,
    day_of,
    detect,
    fingerprint_of,
    is_suspicious,
)
from synth.failures.reading import read
from synth.failures.signals import signals_of
from synth.failures.words import name_words, stem
from synth.labels.label import Label
from tests.unit.clean_conversations import call, episode, real_episodes, result, says, user

GOOD = Label(resolved=True, by="end_user")
BAD = Label(resolved=False, by="end_user")
OPEN = Label(resolved=None)

CALM = (
    user("Renew loan L-77 please."),
    call("1", "renew_loan", loan_id="L-77"),
    result("1", '{"ok": true}'),
    says("Renewed until May."),
)
"""Nothing is wrong here."""


def names(*steps: CleanStep) -> set[str]:
    """The signals that a conversation shows."""
    return {signal.name for signal in signals_of(read(episode(*steps)))}


def failed(*steps: CleanStep) -> Failure:
    """The failure record of a conversation that its user found unresolved."""
    found = detect(episode(*steps), BAD)
    assert found is not None
    return found


def test_a_resolved_episode_is_no_failure_whatever_it_looks_like() -> None:
    """Loops and errors do not outvote the user."""
    again = [
        step
        for i in range(4)
        for step in (call(str(i), "find_loan", loan_id="x"), result(str(i), "Error: not found"))
    ]
    assert detect(episode(*again), GOOD) is None


def test_an_unresolved_episode_is_a_failure_even_without_signals() -> None:
    """The outcome is the truth, with the annotator named; it has no step of its own."""
    found = failed(*CALM)
    assert found.status == CONFIRMED
    assert [s.name for s in found.signals] == ["outcome"]
    assert "end_user" in found.signals[0].says
    assert found.cause == "changed"
    assert found.focus == ("renew_loan",)


def test_nothing_is_suspected_without_evidence() -> None:
    """A calm episode without an outcome is unknown, not a failure; so is one without any label."""
    assert detect(episode(*CALM), OPEN) is None
    assert detect(episode(*CALM), None) is None


def test_one_weak_signal_is_not_enough() -> None:
    """A user who corrects, alone, does not make a suspicion; with an error that stays open it does."""
    corrects = user("No, I meant the other book. That's not what I asked.")
    assert detect(episode(*CALM, corrects, says("Done.")), OPEN) is None
    error = (call("2", "cancel_hold", hold_id="H-1"), result("2", "Error: hold H-1 is locked"))
    found = detect(episode(*CALM, corrects, *error, says("I see.")), OPEN)
    assert found is not None
    assert found.status == SUSPECTED
    assert {s.family for s in found.signals} >= {"user", "tools"}


def test_hand_over_and_apology_never_accuse() -> None:
    """Signals that change sign between domains describe an episode and add nothing to a suspicion."""
    steps = (
        user("A fine of 300?"),
        says("I'm sorry, I cannot waive it."),
        call("1", "escalate_to_desk"),
        result("1", "ok"),
    )
    assert {"handed_over", "agent_declines"} <= names(*steps)
    assert detect(episode(*steps), OPEN) is None
    assert not is_suspicious(signals_of(read(episode(*steps))))


def test_a_loop_alone_is_suspicious_and_shows_its_steps() -> None:
    """The same call with the same answer three times; paging through different answers is no loop."""
    loop = [
        s
        for i in range(3)
        for s in (call(str(i), "find_loan", loan_id="L-1"), result(str(i), "null"))
    ]
    found = detect(episode(user("Where is it?"), *loop, says("No idea.")), OPEN)
    assert found is not None
    assert found.cause == "loop"
    assert next(s for s in found.signals if s.name == "loop").steps == (2, 4, 6)
    pages = [s for i in range(3) for s in (call(str(i), "find_loan"), result(str(i), f"page {i}"))]
    assert "loop" not in names(user("List them"), *pages, says("Here."))


def test_an_error_is_open_until_the_tool_succeeds() -> None:
    """A mended error weighs less than one that stays."""
    broken = (
        call("1", "renew_loan", loan_id="L-1"),
        result("1", '{"error": {"message": "Loan L-1 has a hold"}}'),
    )
    mended = (call("2", "renew_loan", loan_id="L-2"), result("2", '{"ok": true}'))
    assert "tool_error" in names(user("x"), *broken, says("no"))
    assert "tool_error_mended" in names(user("x"), *broken, *mended, says("ok"))
    assert "tool_error" not in names(user("x"), *broken, *mended, says("ok"))


def test_a_claim_without_a_call_is_seen_and_a_backed_one_is_not() -> None:
    """A claim like "cancelled" counts only where a tool for cancelling exists and none of its calls succeeded."""
    claim = says("Your hold has been cancelled.")
    assert "unbacked_claim" in names(user("Cancel my hold"), claim)
    done = (call("1", "cancel_hold", hold_id="H"), result("1", "ok"))
    assert "unbacked_claim" not in names(user("Cancel my hold"), *done, claim)
    refused = (call("1", "cancel_hold", hold_id="H"), result("1", "Error: locked"))
    assert "unbacked_claim" in names(user("Cancel my hold"), *refused, claim)
    assert "unbacked_claim" not in names(user("Where is it?"), says("It has been shipped."))


def test_a_figure_that_nothing_showed_is_seen_and_accuses_nobody() -> None:
    """A tool, the user or a sum gives it a ground; the signal names the step and only describes."""
    fee = (*CALM[:2], result("1", '{"fee": 41.5, "tax": 2.25}'))
    for grounded in ("The fee is $41.50.", "That is 43.75 in all.", "L-77 is renewed."):
        assert "told_without_ground" not in names(*fee, says(grounded))
    steps = (*fee, says("Renewed."), says("The fee is $48.10."))
    found = [s for s in signals_of(read(episode(*steps))) if s.name == "told_without_ground"]
    assert [(s.steps, s.lift) for s in found] == [((4,), 0.0)]
    assert detect(episode(*steps), OPEN) is None
    assert "48" not in found[0].says


def test_endings_tell_who_fell_silent() -> None:
    """The user who does not answer, the agent who does not, and a run that stops after a tool."""
    assert "abandoned" in names(user("Hi"), says("Which loan?"))
    assert "left_unanswered" in names(user("Hi"), says("Hello."), user("Can you renew it?"))
    assert "cut_off" in names(user("Hi"), says("Wait."), call("1", "find_loan"), result("1", "{}"))
    assert not names(*CALM)


def test_rephrasing_needs_words_and_likeness() -> None:
    """The same wish twice counts, "yes" and "yes" does not."""
    wish = "please renew the blue atlas for two weeks"
    assert "user_rephrases" in names(user(wish), says("Sure?"), user(wish + " now"), says("ok"))
    assert "user_rephrases" not in names(user("yes"), says("ok"), user("yes"), says("ok"))


def test_calls_without_results_and_results_without_calls_are_no_crash() -> None:
    """Blocked calls, orphan results, arguments that are not JSON, results for the same id twice."""
    broken = CleanStep(role="assistant", tool_calls=(call("9", "x").tool_calls[0],))
    steps = (
        user("x"),
        result("7", "orphan"),
        broken,
        call("1", "find_loan"),
        result("1", "a"),
        result("1", "b"),
        says("ok"),
    )
    calls = read_calls(episode(*steps))
    assert [(c.name, c.result) for c in calls] == [("x", None), ("find_loan", "a")]
    assert "unanswered_call" in names(*steps)
    assert canonical("{not json") == "{not json"
    assert canonical('{"b": 1, "a": 2}') == '{"a":2,"b":1}'


def test_an_episode_without_anything_is_no_crash() -> None:
    """No steps, no content, no tools."""
    empty = CleanEpisode(app="a", episode_id="e", started_at=0)
    assert detect(empty, None) is None
    found = detect(empty, BAD)
    assert found is not None
    assert found.cause == "no_change"
    assert found.facet == ""


def test_no_value_of_a_customer_reaches_the_record() -> None:
    """Names, ids, mails and what stands in arguments are out of facet and error; the wish is in."""
    steps = (
        user("Hello! Please cancel the hold of Marisol Quint, card 99-1234, mail mq@posteo.example. Marisol is my mother."),
        call("1", "cancel_hold", hold_id="H-5512", reader="marisol quint"),
        result("1", 'Error: hold H-5512 of "Marisol Quint" for marisol quint is locked since 2026-01-05'),
        says("Sorry."),
    )  # fmt: skip
    found = failed(*steps)
    texts = f"{found.facet} {found.error}".lower()
    for value in ("marisol", "quint", "99-1234", "posteo", "5512", "2026"):
        assert value not in texts
    assert "cancel" in found.facet
    assert found.error == "error hold … of … for … is locked since …"


def test_equal_errors_about_different_things_share_a_fingerprint() -> None:
    """The same refusal of another loan is the same failure; another refusal is not."""

    def refused(loan: str, text: str) -> Failure:
        return failed(
            user("Renew"), call("1", "renew_loan", loan_id=loan), result("1", text), says("no")
        )

    one, two = (
        refused("L-1", "Error: loan L-1 is overdue by 3 days"),
        refused("L-22", "Error: loan L-22 is overdue by 14 days"),
    )
    other = refused("L-3", "Error: reader is blocked")
    assert fingerprint_of(one, detail="error") == fingerprint_of(two, detail="error")
    assert fingerprint_of(one, detail="error") != fingerprint_of(other, detail="error")
    assert fingerprint_of(one, detail="focus") == fingerprint_of(other, detail="focus")


def test_records_fit_their_table() -> None:
    """Every field has a column; the day is added by the lake."""
    row = {**asdict(failed(*CALM)), "day": "2026-11-20"}
    table = pa.Table.from_pylist([row], schema=FAILURE_SCHEMA)
    assert set(row) == set(FAILURE_SCHEMA.names)
    assert table.to_pylist()[0]["signals"][0]["name"] == "outcome"
    assert day_of(1_794_000_000_000_000_000) == "2026-11-06"


WORDS = st.sampled_from(
    [
        "",
        "Error: no",
        "{}",
        '{"error": {"a": 1}}',
        "[" * 3000,
        "\ud800",
        "…",
        "I meant no",
        "done?",
        "9" * 5000,
    ]
)
STEPS = st.builds(
    CleanStep,
    role=st.sampled_from(["system", "user", "assistant", "tool", "other"]),
    content=st.none() | WORDS | st.text(max_size=30),
    call_id=st.none() | st.sampled_from(["1", "2"]),
    is_error=st.none() | st.booleans(),
    tool_calls=st.lists(
        st.builds(
            CleanToolCall,
            call_id=st.sampled_from(["1", "2"]),
            name=st.text(max_size=12),
            arguments=WORDS,
        ),
        max_size=2,
    ).map(tuple),
)


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(st.lists(STEPS, max_size=8), st.lists(WORDS, max_size=2))
def test_no_conversation_is_too_odd(steps: list[CleanStep], tools: list[str]) -> None:
    """Any steps in any order with any text give a record that points at steps of the episode."""
    one = CleanEpisode(
        app="a", episode_id="e", started_at=0, steps=tuple(steps), tools=tuple(tools)
    )
    found = detect(one, BAD)
    assert found is not None
    assert all(0 <= step < len(steps) for signal in found.signals for step in signal.steps)
    assert 0 <= found.suspicion <= 1
    assert detect(one, BAD) == found


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ["." * 1_000_000, "a." * 500_000, "I can't " * 100_000, "'" * 1_000_000, "A " * 500_000]
)
def test_megabytes_of_anything_are_read_in_no_time(text: str) -> None:
    """No pattern takes more than linear time, whoever speaks."""
    steps = (
        user(text),
        call("1", "find_loan", note=text),
        result("1", text),
        says(text),
        user(text),
    )
    assert detect(episode(*steps), BAD) is not None


def test_words_of_names_and_stems() -> None:
    """Casing styles give the same words, and verbs meet their participles."""
    assert (
        name_words("cancelOrderItem")
        == name_words("cancel_order-item")
        == ("cancel", "order", "item")
    )
    assert stem("cancelled") == stem("cancel") == stem("cancels")
    assert stem("modified") == stem("modify")
    assert stem("exchanged") == stem("exchange")


def test_calibration_needs_labels_of_both_kinds_and_more_than_chance() -> None:
    """Too few labels, or signals that tell nothing, give no calibration; telling ones give a ranking."""
    loop = [s for i in range(3) for s in (call(str(i), "find_loan"), result(str(i), "null"))]
    bad = [(episode(user("x"), *loop, says("no"), episode_id=f"b{i}"), BAD) for i in range(40)]
    good = [(episode(*CALM, episode_id=f"g{i}"), GOOD) for i in range(40)]
    assert calibrate_on(bad) is None
    assert calibrate_on(bad[:20] + good[:20]) is None
    fitted = calibrate_on(bad + good)
    assert fitted is not None
    assert fitted.auc > 0.95
    looped, calm = (
        detect(bad[0][0], OPEN, calibration=fitted),
        detect(good[0][0], BAD, calibration=fitted),
    )
    assert looped is not None
    assert calm is not None
    assert looped.suspicion > calm.suspicion
    mixed = [(e, BAD if i % 2 else GOOD) for i, (e, _) in enumerate(bad + good)]
    assert calibrate_on(mixed) is None


@pytest.mark.parametrize(
    ("name", "floor"), [("airline.train.jsonl", 0.6), ("retail.train.jsonl", 0.6)]
)
def test_suspicions_on_real_episodes_are_mostly_right(name: str, floor: float) -> None:
    """Of the episodes suspected without their outcome, most failed; every confirmed one is found."""
    rows = real_episodes(name)
    suspected = [label for one, label in rows if detect(one, OPEN) is not None]
    right = sum(label.resolved is False for label in suspected) / len(suspected)
    assert right >= floor
    assert sum(detect(*row) is not None for row in rows) == sum(
        label.resolved is False for _, label in rows
    )
    calibration = calibrate_on(rows)
    assert calibration is not None
    assert calibration.auc > 0.6


@pytest.mark.parametrize(
    "content", ['{"type": {"a": 1}, "text": "no"}', '{"type": ["text"], "value": 5}', "[" * 3000]
)
def test_results_of_any_shape_are_read(content: str) -> None:
    """A result that looks like a typed value and is none is a result like any other."""
    shown = [call("c1", "find_loan", loan_id="L-1"), result("c1", content, is_error=True)]
    failed = detect(episode(user("Where is my loan?"), *shown), Label(resolved=False))
    assert failed is not None
