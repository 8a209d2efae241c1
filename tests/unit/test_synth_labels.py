"""Outcomes become labels by the written policy, and nothing is taken for a failure that nobody called one."""

from __future__ import annotations

from pathlib import Path

import pytest

from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import label, label_episodes
from synth.labels.meanings import unknown_outcomes
from synth.labels.policy import OutcomePolicy, OutcomePolicyError, OutcomeRule, load_outcome_policy


def outcome(name: str = "resolved", value: float | None = 1.0, **more: object) -> CleanOutcome:
    """One outcome of episode `e`."""
    fields = {"app": "a", "outcome_id": f"{name}:{value}:{more}", "episode_id": "e", **more}
    return CleanOutcome(name=name, value=value, **fields)  # type: ignore[arg-type]  # test shorthand


def test_resolved_above_a_half_is_good() -> None:
    """The default policy reads chat logs' own outcome."""
    assert label([outcome(value=0.5)], OutcomePolicy()).resolved is True
    assert label([outcome(value=0.49)], OutcomePolicy()).resolved is False


@pytest.mark.parametrize("name", ["reward", "is_correct", "correct", "success", "passed"])
def test_names_with_one_meaning_are_known(name: str) -> None:
    """A whole reward is good, none is bad, a part of one is neither until somebody says so."""
    told = [label([outcome(name, value)], OutcomePolicy()).resolved for value in (1.0, 0.7, 0.5, 0)]
    assert told == [True, None, False, False]


@pytest.mark.parametrize(
    "name",
    [
        "task_success",
        "answer-correct",
        "order.resolved",
        "csat_ok",
        "caso_resuelto",
        "goal_met",
        "anliegen_geloest",
        "success_flag",
        "goal_reached",
        "taskSuccess",
    ],
)
def test_a_longer_name_that_ends_in_a_known_word_is_read_where_it_says_yes_or_no(name: str) -> None:
    """A count (3 tests passed) is neither."""
    told = [label([outcome(name, value)], OutcomePolicy()).resolved for value in (1.0, 0.0, 0.5, 3)]
    assert told == [True, False, None, None]
    assert not unknown_outcomes([outcome(name)], OutcomePolicy())


@pytest.mark.parametrize("name", ["not_resolved", "un-solved", "success_rate", "hidden_tests"])
def test_a_name_that_may_mean_the_opposite_is_asked_for(name: str) -> None:
    """One line settles it."""
    assert label([outcome(name)], OutcomePolicy()).resolved is None
    assert list(unknown_outcomes([outcome(name)], OutcomePolicy())) == [name]


def test_a_line_replaces_the_known_meaning_of_a_name(tmp_path: Path) -> None:
    """Whoever takes a part of a reward for good says so in one line; the other names keep their meaning."""
    path = tmp_path / "outcomes.toml"
    path.write_text('[outcomes]\nreward = { good = ">= 0.6", bad = "< 0.6" }\n')
    policy = load_outcome_policy(path)
    assert label([outcome("reward", 0.7)], policy).resolved is True
    assert label([outcome("passed", 0.7)], policy).resolved is None


def test_a_right_answer_alone_asks_for_no_line() -> None:
    """An outcome that only says what would have been right has nothing that a rule could read."""
    told = [outcome("ground_truth", None), outcome("score", 0.3)]
    assert list(unknown_outcomes(told, OutcomePolicy())) == ["score"]


def test_unlabelled_is_never_a_failure() -> None:
    """No outcome, an unknown name and a value of the wrong kind are all unknown."""
    assert label([], OutcomePolicy()).resolved is None
    assert label([outcome("stars", 1.0)], OutcomePolicy()).resolved is None
    assert label([outcome(value=None, label="hm")], OutcomePolicy()).resolved is None


@pytest.mark.parametrize("kind", ["model", "code"])
def test_scores_of_models_and_programs_do_not_count(kind: str) -> None:
    """A judge's score is not what the user got, unless the policy says so."""
    score = outcome(by=kind)
    assert label([score], OutcomePolicy()).resolved is None
    policy = OutcomePolicy(rules={"resolved": OutcomeRule(good=">= 0.5", counts=(kind,))})
    assert label([score], policy).resolved is True


def test_the_most_trusted_annotator_decides() -> None:
    """A business record overrules a thumb, and the label says who spoke against it."""
    thumb = outcome("thumb", 1.0, by="end_user", at=5)
    reopened = outcome("ticket_reopened", 1.0, by="business_record", at=9)
    policy = OutcomePolicy(
        rules={"thumb": OutcomeRule(good=">= 0.5"), "ticket_reopened": OutcomeRule(bad=">= 0.5")}
    )
    found = label([thumb, reopened], policy)
    assert found.resolved is False
    assert found.by == "business_record"
    assert found.against == (thumb.outcome_id,)
    assert 0.5 <= found.confidence < label([reopened], policy).confidence


def test_the_latest_word_of_one_kind_counts() -> None:
    """A user who changes their mind is believed the second time."""
    first, second = outcome(value=0.0, by="end_user", at=1), outcome(by="end_user", at=2)
    assert label([second, first], OutcomePolicy()).resolved is True


def test_a_contradiction_at_one_moment_is_unknown() -> None:
    """Two opposite words of the same kind at the same time decide nothing."""
    both = [outcome(value=0.0, by="end_user", at=1), outcome(by="end_user", at=1)]
    found = label(both, OutcomePolicy())
    assert (found.resolved, found.reason) == (None, "contradiction")


def test_the_policy_file_maps_names(tmp_path: Path) -> None:
    """Good, bad, thresholds and labels are read from TOML."""
    path = tmp_path / "outcomes.toml"
    path.write_text(
        '[outcomes]\nticket_reopened = "bad"\ncsat = { good = ">= 4", bad = "<= 2" }\n'
        'feedback = { good = ["up"], bad = ["down"] }\n[noise]\nend_user = 0.1\n'
    )
    policy = load_outcome_policy(path)
    assert label([outcome("ticket_reopened", 1.0)], policy).resolved is False
    assert label([outcome("ticket_reopened", 0.0)], policy).resolved is True
    assert label([outcome("csat", 3.0)], policy).resolved is None
    assert label([outcome("feedback", None, label="Up ")], policy).resolved is True
    assert policy.noise["end_user"] == 0.1


def test_a_missing_file_is_the_default_policy(tmp_path: Path) -> None:
    """Nobody has to write a policy to start."""
    assert load_outcome_policy(tmp_path / "none.toml") == OutcomePolicy()


@pytest.mark.parametrize(
    "text",
    [
        "not toml [",
        "[outcomes]\ncsat = 4",
        '[outcomes]\ncsat = "four"',
        "[noise]\nend_user = 0.7",
        "outcomes = 3",
    ],
)
def test_a_bad_policy_file_says_what_to_write(tmp_path: Path, text: str) -> None:
    """Each fault is one sentence with the file's name."""
    path = tmp_path / "outcomes.toml"
    path.write_text(text)
    with pytest.raises(OutcomePolicyError, match=r"outcomes\.toml"):
        load_outcome_policy(path)


def test_unknown_names_come_with_a_line_that_works(tmp_path: Path) -> None:
    """The suggested lines can be pasted into the file as they are."""
    unknown = unknown_outcomes(
        [outcome("csat", 5.0), outcome("thumb up?", None, label="yes"), outcome("score", 1.0)],
        OutcomePolicy(),
    )
    assert set(unknown) == {"csat", "thumb up?", "score"}
    path = tmp_path / "outcomes.toml"
    path.write_text("[outcomes]\n" + "\n".join(unknown.values()))
    assert set(unknown) <= set(load_outcome_policy(path).rules)


def test_labels_are_grouped_by_episode() -> None:
    """Episodes without outcomes are simply not there."""
    found = label_episodes([outcome(), outcome(value=0.0, episode_id="f")], OutcomePolicy())
    assert {name: one.resolved for name, one in found.items()} == {"e": True, "f": False}
