"""What outcomes mean where no line of outcomes.toml says it: words under any name, and measures by the scale that an app's values show."""

from pathlib import Path

import pytest

from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import label
from synth.labels.meanings import lines_read, unknown_outcomes, with_meanings
from synth.labels.policy import OutcomePolicy, OutcomeRule, load_outcome_policy


def said(
    name: str, value: float | None = None, word: str | None = None, by: str = "unknown"
) -> CleanOutcome:
    """One outcome of episode `e`."""
    return CleanOutcome(
        by=by,
        app="a",
        outcome_id=f"{name}:{value}:{word}",
        episode_id="e",
        name=name,
        value=value,
        label=word,
    )


def resolved(one: CleanOutcome, *others: CleanOutcome) -> bool | None:
    """What one outcome says in an app that has the others as well."""
    return label([one], with_meanings(OutcomePolicy(), [one, *others])).resolved


@pytest.mark.parametrize(
    ("word", "good"),
    [
        ("like", True),
        ("dislike", False),
        ("THUMBS_UP", True),
        ("thumbs down", False),
        ("👍🏽", True),
        ("👎", False),
        ("Not resolved", False),
        ("unresolved", False),
        ("nicht gelöst", False),
        ("olöst", False),
        ("succeeded", True),
        ("unsuccessful", False),
        ("dissatisfied", False),
        ("wrong", False),
        ("user_gave_up", False),
        ("customer hung up", False),
        ("abandoned", False),
        ("wrong_result_reported", False),
        ("goal_reached", True),
        ("goal not reached", False),
        ("objetivo alcanzado", True),
    ],
)
def test_a_word_says_under_any_name_how_it_went(word: str, good: bool) -> None:
    """Thumbs and verdicts in words need no line."""
    assert resolved(said("feedback", word=word)) is good
    assert not unknown_outcomes([said("feedback", word=word)], OutcomePolicy())


@pytest.mark.parametrize(
    "word",
    [
        "neutral",
        "partially resolved",
        "escalated",
        "completed",
        "yes",
        "did not help at all",
        "limit_reached",
        "no failure",
        "failed once, later solved",
        "nothing wrong",
        "",
        "?",
    ],
)
def test_a_word_that_may_mean_anything_is_asked_for(word: str) -> None:
    """That something ended, or a yes to nobody knows what, is no verdict."""
    assert resolved(said("feedback", word=word)) is None


def test_yes_and_no_affirm_a_name_with_one_meaning() -> None:
    """`solved: no` is a verdict, `escalated: no` is none."""
    assert resolved(said("issue_solved", word="yes")) is True
    assert resolved(said("issue_solved", word="No")) is False
    assert resolved(said("call_successful", word="failure")) is False
    assert resolved(said("escalated", word="no")) is None


def test_words_about_something_else_are_no_verdict() -> None:
    """A mood is not what a user got."""
    assert resolved(said("sentiment", word="positive")) is None
    assert resolved(said("server", word="up")) is None
    assert resolved(said("vote", word="up")) is True
    assert resolved(said("status", word="failed_to_start")) is None
    assert resolved(said("status", word="completedIncorrect")) is False


@pytest.mark.parametrize(
    ("values", "good", "bad"),
    [
        ((0.0, 1.0), 1.0, 0.0),
        ((0.2, 0.7, 1.0), 1.0, 0.2),
        ((1.0, 3.0, 5.0), 4.0, 2.0),
        ((2.0, 3.5, 4.5), 4.5, 2.0),
        ((0.0, 7.0, 10.0), 9.0, 4.0),
        ((35.0, 90.0), 90.0, 35.0),
        ((-1.0, 1.0), 1.0, -1.0),
    ],
)
def test_a_measure_is_read_on_the_scale_that_its_values_show(
    values: tuple[float, ...], good: float, bad: float
) -> None:
    """Shares, stars, marks out of ten and of a hundred, thumbs as numbers."""
    others = [said("overall_score", value) for value in values]
    assert resolved(said("overall_score", good), *others) is True
    assert resolved(said("overall_score", bad), *others) is False


def test_the_middle_of_a_scale_says_nothing() -> None:
    """Three of five stars, a share of .7."""
    assert resolved(said("rating", 3.0), said("rating", 5.0)) is None
    assert resolved(said("score", 0.7), said("score", 1.0)) is None


@pytest.mark.parametrize(
    "values", [(1.0,), (1.0, 2.0), (1.0, 3.0), (-3.0, 2.0), (40.0, 7000.0), (0.0, 0.3)]
)
def test_values_that_show_no_scale_are_asked_for(values: tuple[float, ...]) -> None:
    """A lone 1 may be all of one or one of five."""
    app = [said("rating", value) for value in values]
    policy = with_meanings(OutcomePolicy(), app)
    assert {label([one], policy).resolved for one in app} == {None}
    assert list(unknown_outcomes(app, policy)) == ["rating"]


@pytest.mark.parametrize(
    "name",
    [
        "risk_score",
        "toxicity score",
        "leadScore",
        "response_time",
        "effort_rating",
        "escalated",
        "turns",
    ],
)
def test_what_may_be_the_other_way_round_is_asked_for(name: str) -> None:
    """More of it is not better, or nobody knows."""
    assert resolved(said(name, 1.0), said(name, 0.0)) is None


def test_a_line_goes_before_what_is_read() -> None:
    """Whoever says that 1 is bad is believed."""
    app = [said("score", 0.0), said("score", 1.0)]
    ruled = OutcomePolicy(rules={"score": OutcomeRule(bad=">= 0.5")})
    assert label([app[1]], with_meanings(ruled, app)).resolved is False
    assert not lines_read(with_meanings(ruled, app))


def test_a_name_whose_meaning_is_known_goes_before_one_that_is_read() -> None:
    """A share of matching words says little beside a verdict."""
    app = [said("response_match_score", value) for value in (0.3, 1.0)]
    policy = with_meanings(OutcomePolicy(), app)
    assert label([app[0], said("success", 1.0)], policy).resolved is True


def test_what_is_read_is_shown_as_the_lines_that_say_it() -> None:
    """A person can check it, and paste it to change it."""
    app = [said("csat rating", value) for value in (1.0, 5.0)]
    assert lines_read(with_meanings(OutcomePolicy(), app)) == {
        "csat rating": '"csat rating" = { good = ">= 4", bad = "<= 2" }'
    }


@pytest.mark.parametrize(
    ("name", "values", "line"),
    [
        ("toxicity", (0.0, 0.9), 'toxicity = { bad = ">= 0.5", counts = ["model"] }'),
        (
            "hallucination_score",
            (0.0, 1.0),
            'hallucination_score = { bad = ">= 0.5", counts = ["model"] }',
        ),
        ("errors", (0.0, 10.0), 'errors = { good = "<= 4", bad = ">= 8", counts = ["model"] }'),
    ],
)
def test_a_name_for_something_bad_is_not_supposed_to_be_good(
    name: str, values: tuple[float, ...], line: str
) -> None:
    """The line that is proposed calls more of it bad, and says that this was read of the name."""
    app = [said(name, value, by="model") for value in values]
    told = unknown_outcomes(app, OutcomePolicy())[name]
    assert told.startswith(f'{line}  # its name says something bad; or "good", if ')


@pytest.mark.parametrize(
    ("name", "by", "line"),
    [
        ("handled", "unknown", 'handled = "good"'),
        ("handled", "model", 'handled = { good = ">= 0.5", counts = ["model"] }'),
        ("error_free", "model", 'error_free = { good = ">= 0.5", counts = ["model"] }'),
        ("toxicity", "unknown", 'toxicity = "bad"'),
    ],
)
def test_a_line_that_only_supposes_which_way_a_score_goes_says_so(
    name: str, by: str, line: str, tmp_path: Path
) -> None:
    """Behind it stands what else it may mean; it can be pasted with that."""
    told = unknown_outcomes([said(name, 1.0, by=by)], OutcomePolicy())[name]
    path = tmp_path / "outcomes.toml"
    path.write_text(f"[outcomes]\n{told}\n")
    assert (told.partition("  # ")[0], 'or "' in told) == (line, True)
    assert load_outcome_policy(path).rules[name] != OutcomeRule()


@pytest.mark.parametrize("name", ["judge", "grader", "checked by Ann"])
@pytest.mark.parametrize(("good", "bad"), [("success", "failure"), ("pass", "fail")])
def test_both_words_of_a_verdict_are_read_alike(name: str, good: str, bad: str) -> None:
    """Where an app uses no others under a name, it judges; no line is asked for, and what was read is shown."""
    app = [said(name, word=good), said(name, word=bad)]
    policy = with_meanings(OutcomePolicy(), app)
    assert [label([one], policy).resolved for one in app] == [True, False]
    assert not unknown_outcomes(app, policy)
    assert (name in lines_read(policy)) is (name != "judge")


@pytest.mark.parametrize("name", ["job_status", "error_check"])
def test_words_of_what_a_program_did_are_no_verdict(name: str) -> None:
    """That a job failed says nothing of what the user got."""
    app = [said(name, word="success"), said(name, word="failed")]
    assert label([app[0]], with_meanings(OutcomePolicy(), app)).resolved is None


def test_a_line_for_words_of_which_some_are_read_keeps_these(tmp_path: Path) -> None:
    """Pasted as it is, it changes nothing of what was read; it says how many words are still open, and quotes none."""
    app = [said("judge", word=word) for word in ("success", "failure", "on hold")]
    policy = with_meanings(OutcomePolicy(), app)
    told = unknown_outcomes(app, policy)["judge"]
    assert told.startswith('judge = { good = ["success"], bad = ["failure"] }  # 1 more word ')
    assert "hold" not in told
    path = tmp_path / "outcomes.toml"
    path.write_text(f"[outcomes]\n{told}\n")
    pasted = with_meanings(load_outcome_policy(path), app)
    for one in app:
        assert label([one], pasted).resolved is label([one], policy).resolved


def test_a_side_without_words_is_read_as_everywhere(tmp_path: Path) -> None:
    """The line that was pasted while all was well does not hide the first failure."""
    path = tmp_path / "outcomes.toml"
    path.write_text(
        "[outcomes]\n"
        + unknown_outcomes([said("judge", word="success", by="model")], OutcomePolicy())["judge"]
    )
    pasted = load_outcome_policy(path)
    found = [
        label([said("judge", word=word, by="model")], pasted).resolved
        for word in ("success", "failure", "good")
    ]
    assert found == [True, False, None]


def test_a_line_for_a_name_that_says_which_way_it_goes_has_no_remark() -> None:
    """A measure is better with more."""
    assert "#" not in unknown_outcomes([said("rating", 4.0, by="model")], OutcomePolicy())["rating"]


def test_what_only_a_program_says_asks_for_a_line_that_counts_it(tmp_path: Path) -> None:
    """Its scale alone is no user's outcome; the line that is printed makes it one."""
    app = [said("correctness", value, by="code") for value in (0.0, 1.0)]
    policy = with_meanings(OutcomePolicy(), app)
    assert label([app[1]], policy).resolved is None
    lines = unknown_outcomes([*app, said("success", 1.0, by="model")], policy)
    path = tmp_path / "outcomes.toml"
    path.write_text("[outcomes]\n" + "\n".join(lines.values()))
    told = load_outcome_policy(path)
    assert label([app[1]], told).resolved is True
    assert label([said("success", 0.0, by="model")], told).resolved is False


@pytest.mark.parametrize(
    "name",
    [
        "violation_score",
        "profanity_rating",
        "violation_score.value",
        "ComplaintGrade",
        "failure_assessment",
        "toxicity",
        "error_score",
        "Beschwerde-Bewertung",
        "timeout_reached",
    ],
)
def test_more_of_something_bad_is_no_success(name: str) -> None:
    """Neither a figure under such a name nor a word that only says that it was found."""
    scale = [said(name, value) for value in (0.0, 0.5, 1.0)]
    assert [resolved(one, *scale) for one in scale] == [None, None, None]
    assert resolved(said(name, word="positive")) is None


@pytest.mark.parametrize(
    "name", ["complaint_satisfaction", "complaint_handling_score", "complaint_resolved"]
)
def test_how_something_bad_was_met_is_measured(name: str) -> None:
    """The last word that tells says what is counted."""
    scale = [said(name, value) for value in (0.0, 1.0)]
    assert [resolved(one, *scale) for one in scale] == [False, True]
