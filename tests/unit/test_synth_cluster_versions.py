"""Clusters over time: what changed with a version of the agent, what it cost, and where clusters come from and go."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from dagster_project.causes.cluster_rows import cost_of, lineage_of
from redact.records.clean_outcome import CleanOutcome
from synth.clusters.clustering import Clusters, cluster
from synth.clusters.descriptions import description_of
from synth.clusters.versions import Change, Version, VersionCount, change_of, versions_of
from synth.failures.detection import Failure
from synth.failures.judging.opinion import EVIDENCE, PERSON
from synth.labels.label import Amount, amounts_of, label
from synth.labels.policy import OutcomePolicyError, load_outcome_policy
from tests.unit.failed_readers import idle, refused


def counted(*failures: int, episodes: int = 200) -> tuple[VersionCount, ...]:
    """A cluster's failures in versions of so many episodes each."""
    return tuple(
        VersionCount(version=f"v{n}", failures=one, episodes=episodes)
        for n, one in enumerate(failures)
    )


@pytest.mark.parametrize(
    ("failures", "change"),
    [
        ((0, 0, 12, 10), Change(movement="new", since="v2")),
        ((9, 11, 0, 0), Change(movement="fixed", since="v2")),
        ((4, 5, 30, 28), Change(movement="growing", since="v2")),
        ((30, 28, 4, 5), Change(movement="fading", since="v2")),
        ((10, 11, 9, 10), None),
        ((2, 2, 0, 0), None),
        ((5,), None),
        ((), None),
        ((0, 0), None),
    ],
)
def test_a_change_is_told_where_it_is_sure(
    failures: tuple[int, ...], change: Change | None
) -> None:
    """A cluster may be absent by chance: two of 200 and then none is no fix."""
    assert change_of(counted(*failures)) == change


def test_shares_count_and_not_numbers() -> None:
    """A version with ten times the traffic and ten times the failures changed nothing."""
    few = VersionCount(version="a", failures=5, episodes=100)
    many = VersionCount(version="b", failures=50, episodes=1000)
    assert change_of((few, many)) is None


def test_clusters_that_do_not_change_seldom_seem_to() -> None:
    """Five versions at one share: less than one in fifty of 400 draws."""
    chance = random.Random(3)  # noqa: S311 - a repeatable draw, not a secret

    def draw() -> tuple[VersionCount, ...]:
        return counted(*(sum(chance.random() < 0.05 for _ in range(200)) for _ in range(5)))

    assert sum(change_of(draw()) is not None for _ in range(400)) < 8


def test_versions_come_in_the_order_in_which_they_came_up() -> None:
    """By their first episode and not by name; episodes without one count nowhere."""
    seen = [("2.10", 5), ("2.9", 1), (None, 0), ("2.9", 9), ("2.10", 3)]
    assert versions_of(seen) == (
        Version(name="2.9", first=1, episodes=2),
        Version(name="2.10", first=3, episodes=2),
    )


def test_a_cluster_tells_its_versions_and_its_cost() -> None:
    """Twelve refusals, all in the second version of 200 episodes each."""
    failures = [
        replace(refused(n), agent_version="2", amounts=(Amount(unit="EUR", value=2.5),))
        for n in range(12)
    ]
    traffic = (Version(name="1", first=0, episodes=200), Version(name="2", first=9, episodes=200))
    (one,) = cluster(failures, versions={failures[0].app: traffic}).clusters
    assert [(v.version, v.failures) for v in one.versions] == [("1", 0), ("2", 12)]
    assert one.moves == "new since 2"
    assert cost_of(one) == "30.00 EUR"


def of_cause(failure: Failure, cause: str) -> Failure:
    """The failure with another cause."""
    return replace(failure, cause=cause, focus=(), error="")


def test_a_cluster_that_falls_apart_is_split_and_one_that_empties_is_merged() -> None:
    """Ids of before stay; the lineage stays told in later builds."""
    failures = [of_cause(refused(n), "wrong_plan") for n in range(8)]
    first = cluster(failures)
    (whole,) = [c for c in first.clusters if c.members]
    apart = [of_cause(f, "loop") if n < 3 else f for n, f in enumerate(failures)]
    second = cluster(apart, first)
    (new,) = [c for c in second.clusters if c.members and c.cluster_id != whole.cluster_id]
    assert new.split_from == whole.cluster_id
    assert lineage_of(new, second.clusters) == f"split from {whole.name}"
    third = cluster([of_cause(f, "loop") for f in failures], second)
    gone = {c.cluster_id: c for c in third.clusters}[whole.cluster_id]
    assert gone.merged_into == new.cluster_id
    assert lineage_of(gone, third.clusters).startswith("merged into Goes in circles")
    fourth = cluster([of_cause(f, "loop") for f in failures], third)
    assert {c.cluster_id: (c.split_from, c.merged_into) for c in fourth.clusters} == {
        new.cluster_id: (whole.cluster_id, ""),
        whole.cluster_id: ("", new.cluster_id),
    }
    back = cluster(failures, fourth)
    again = {c.cluster_id: c for c in back.clusters}[whole.cluster_id]
    assert (again.failures, again.merged_into) == (8, "")


def test_a_cluster_that_only_gets_another_cause_is_told_once() -> None:
    """All its failures are in a new one: it was merged into that, and nothing was split."""
    failures = [of_cause(refused(n), "wrong_plan") for n in range(6)]
    second = cluster([of_cause(f, "loop") for f in failures], cluster(failures))
    told = {c.cluster_id: (bool(c.split_from), bool(c.merged_into)) for c in second.clusters}
    assert sorted(told.values()) == [(False, False), (False, True)]


def test_a_cluster_whose_failures_are_resolved_now_is_retired() -> None:
    """Nothing took its members over."""
    first = cluster([refused(n) for n in range(4)])
    second = cluster([idle(n, "Where is my atlas?") for n in range(4)], first)
    (gone,) = [c for c in second.clusters if not c.members]
    assert gone.retired
    assert lineage_of(gone, second.clusters).startswith("retired")
    assert cluster([], Clusters()).clusters == ()


def test_amounts_are_added_by_unit(tmp_path: Path) -> None:
    """Only outcomes that the policy says are amounts; they say nothing of how it went."""
    policy = tmp_path / "outcomes.toml"
    policy.write_text('[outcomes]\nrefund = { amount = "EUR" }\nminutes = { amount = "min" }\n')
    known = load_outcome_policy(policy)
    told = [
        CleanOutcome(app="a", outcome_id=f"{n}", episode_id="e", name=name, value=value)
        for n, (name, value) in enumerate(
            [("refund", 10.0), ("refund", 2.5), ("minutes", 7.0), ("stars", 5.0), ("refund", None)]
        )
    ]
    assert amounts_of(told, known) == {
        "e": (Amount(unit="EUR", value=12.5), Amount(unit="min", value=7.0))
    }
    assert label(told, known).resolved is None
    policy.write_text("[outcomes]\nrefund = { amount = 5 }\n")
    with pytest.raises(OutcomePolicyError, match="needs a unit"):
        load_outcome_policy(policy)


def test_a_description_says_what_holds_for_how_many() -> None:
    """Numbers that differ from failure to failure are left out, what few show is left out, and who else named it is told."""
    piece = refused(0).evidence[0]
    said = [
        replace(
            refused(n),
            evidence=(replace(piece, name="loop", says=f"Made {n + 2} times.", step=1),)
            + ((replace(piece, name="rare", says="Seldom.", step=1),) if n == 0 else ()),
            step=1,
            named_by=PERSON if n < 2 else EVIDENCE,
        )
        for n in range(8)
    ]
    assert description_of(said) == "8 of 8: Made several times. 2 of 8: People say so."
    assert description_of([]) == ""
    (one,) = cluster(said).clusters
    assert one.description == description_of(said)
