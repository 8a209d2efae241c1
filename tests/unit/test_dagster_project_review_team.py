"""Several reviewers: who looks at what, what they do not see from one another, and how far they agree."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.errors import InputError
from dagster_project.review.desk import Desk
from dagster_project.review.queue import queue
from dagster_project.review.review import LABEL, Review
from dagster_project.review.store import Reviews
from dagster_project.review.team.plan import Team, load_team, save_team, team_of
from dagster_project.review.team.reviewer_agreement import (
    all_reviewers,
    between_reviewers,
)
from dagster_project.review.team.turn import turns_of, unlabelled_by
from dagster_project.tasks.shares import kappa
from tests.command import as_json, tracegym
from tests.review_home import APP, review_home

TASKS = [f"{number:032x}" for number in range(2000)]
NAMES = st.lists(st.text("abcdefgh", min_size=1, max_size=4), min_size=1, max_size=6, unique=True)


def label(episode: str, by: str, value: str, task: str = "task1") -> Review:
    """What a reviewer says of an episode."""
    return Review(
        app=APP,
        kind=LABEL,
        task_id=task,
        task_version="v",
        episode_id=episode,
        value=value,
        by=by,
        at=1,
    )


def test_every_task_is_somebodys_and_the_share_goes_to_two() -> None:
    """Work is spread evenly, and as many tasks as were asked for go to two reviewers."""
    team = Team(names=("ada", "bob", "eve", "joe"), overlap=0.2)
    given_to = [team.reviewers_of(task) for task in TASKS]
    shared = [names for names in given_to if len(names) == 2]
    assert all(names for names in given_to)
    assert 0.17 < len(shared) / len(TASKS) < 0.23
    loads = Counter(name for names in given_to for name in names)
    assert max(loads.values()) < 1.15 * min(loads.values())
    assert len({frozenset(names) for names in shared}) == 6


@given(NAMES, st.floats(0, 1), st.sampled_from(TASKS))
def test_a_new_reviewer_takes_tasks_and_mixes_nothing(
    names: list[str], overlap: float, task: str
) -> None:
    """Who looked at a task before still does, or the new one does in their place; the order of names is no matter."""
    before = Team(names=tuple(names), overlap=overlap)
    after = replace(before, names=(*names, "zoe"))
    assert set(after.reviewers_of(task)) <= {*before.reviewers_of(task), "zoe"}
    mixed = replace(before, names=tuple(reversed(names)))
    assert mixed.reviewers_of(task) == before.reviewers_of(task)


def test_nobody_shares_where_nobody_can() -> None:
    """One reviewer has everything once; none has everything as well."""
    assert Team(names=("ada",), overlap=1.0).reviewers_of("t") == ("ada",)
    assert Team().reviewers_of("t") == ()
    assert all(len(Team(names=("a", "b"), overlap=1.0).reviewers_of(t)) == 2 for t in TASKS[:50])
    assert not any(Team(names=("a", "b"), overlap=0.0).is_shared(t) for t in TASKS[:50])


def test_the_plan_is_kept_in_the_home(tmp_path: Path) -> None:
    """Names are tidied and written once; what is no plan is one sentence that says what to do."""
    assert load_team(tmp_path) == Team()
    team = team_of(" ada ,  Bob  Smith,, eve ", 0.5)
    assert team.names == ("ada", "Bob Smith", "eve")
    save_team(tmp_path, team)
    assert load_team(tmp_path) == team
    save_team(tmp_path, team_of("", 0.5))
    assert load_team(tmp_path).names == ()
    with pytest.raises(InputError, match="two reviewers are called ada"):
        team_of("ada, ada", 0.5)
    (tmp_path / "reviews" / "team.json").write_text('{"names": [""], "overlap": 7}')
    with pytest.raises(InputError, match="tracegym review --reviewers"):
        load_team(tmp_path)


def test_the_command_shares_the_tasks_and_says_how_many_each_gets(tmp_path: Path) -> None:
    """The plan is written once and ends with an empty list; two people of one name are refused in one sentence."""
    home = review_home(tmp_path / "h")
    found = as_json("review", "--home", home.path, "--reviewers", "ada, bob", "--overlap", "1")
    assert found == {
        "reviewers": ["ada", "bob"],
        "overlap": 1.0,
        "tasks": 2,
        "shared": 2,
        "shares": {"ada": 2, "bob": 2},
    }
    assert load_team(home.clean) == Team(names=("ada", "bob"), overlap=1.0)
    said = tracegym("review", "--home", home.path, "--reviewers", "ada,ada", code=1)
    assert said.strip() == "tracegym: two reviewers are called ada: give them names that differ"
    assert "everybody" in tracegym("review", "--home", home.path, "--reviewers", "")
    assert load_team(home.clean).names == ()


def test_two_judge_a_shared_task_without_seeing_each_other(tmp_path: Path) -> None:
    """It waits for the second after the first has spoken, blind until then; for the first it is done."""
    home = review_home(tmp_path / "h")
    desk = Desk(home.clean, home.outcome_policy, [APP])
    found = desk.app(APP)
    assert found is not None
    team = Team(names=("ada", "bob"), overlap=1.0)
    found.save(label("ep3-bad", "ada", "unresolved", "task3"))
    reviews = {APP: found.reviews}
    items = queue(desk.entries(), reviews)
    of = {
        name: {t.item.entry.task_id: t for t in turns_of(items, team, name, reviews)}
        for name in ("ada", "bob", "guest")
    }
    ada, bob = of["ada"]["task3"], of["bob"]["task3"]
    assert (ada.done, ada.open, ada.blind) == (True, False, False)
    assert (bob.done, bob.open, bob.blind) == (False, True, True)
    assert not of["guest"]["task3"].mine
    found.save(label("ep1-good", "bob", "resolved"))
    (half,) = [
        t
        for t in turns_of(items, team, "bob", {APP: found.reviews})
        if t.item.entry.task_id == "task1"
    ]
    assert (half.done, half.blind) == (False, True)
    assert not of["guest"]["task3"].blind


def test_the_next_attempt_is_one_without_a_label_of_mine() -> None:
    """From the one that was labelled on, and round; none when all have one; others' labels do not count."""
    home_reviews = Reviews(
        labels={
            "b": {"ada": label("b", "ada", "resolved")},
            "c": {"bob": label("c", "bob", "resolved")},
        }
    )
    entry = _Entry(tuple(map(_Graded, "abc")))
    assert unlabelled_by(entry, "ada", home_reviews, "a") == "c"  # type: ignore[arg-type]
    assert unlabelled_by(entry, "ada", home_reviews, "c") == "a"  # type: ignore[arg-type]
    everything = {e: {"ada": label(e, "ada", "resolved")} for e in "abc"}
    assert unlabelled_by(entry, "ada", Reviews(labels=everything), "a") is None  # type: ignore[arg-type]


class _Graded:
    """An attempt by its id."""

    def __init__(self, episode_id: str) -> None:
        self.episode_id = episode_id


class _Entry:
    """A task by its attempts."""

    def __init__(self, attempts: tuple[_Graded, ...]) -> None:
        self.attempts = attempts


def test_kappa_is_what_the_textbook_says() -> None:
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: kappa 0.4; chance alone is 0; one answer only says nothing."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([(a, b) for a in "yn" for b in "yn"]) == pytest.approx(0)
    assert kappa([("y", "y")] * 9) is None
    assert kappa([]) is None


def test_each_two_reviewers_are_compared_on_what_both_labelled() -> None:
    """Three reviewers make up to three rows and one for all; a single pair needs no sum."""
    labels = {
        **{f"e{n}": {"ada": "resolved", "bob": "resolved"} for n in range(6)},
        **{f"f{n}": {"ada": "unresolved", "bob": "unresolved"} for n in range(4)},
        "g": {"ada": "resolved", "bob": "unresolved", "eve": "unknown"},
        "h": {"eve": "resolved"},
    }
    said = [
        {by: label(episode, by, value) for by, value in people.items()}
        for episode, people in labels.items()
    ]
    rows = between_reviewers(said)
    assert [(row.who, row.both, row.same) for row in rows] == [
        ("ada and bob", 11, 10),
        ("ada and eve", 1, 0),
        ("bob and eve", 1, 0),
    ]
    assert rows[0].kappa == pytest.approx(0.8136, abs=1e-4)
    whole = all_reviewers(rows)
    assert whole is not None
    assert (whole.both, whole.same) == (13, 10)
    assert all_reviewers(rows[:1]) is None
