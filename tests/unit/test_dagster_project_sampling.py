"""The sample of a large app: small strata whole, large ones capped, shares restored by weights."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.tasks.sampling import (
    RESOLVED,
    UNLABELLED,
    UNRESOLVED,
    Sample,
    capped,
    draw_sample,
    sampled_episodes,
)
from environments.export.card import _sampling
from redact.records.clean_episode import CleanEpisode
from synth.labels.label import Label

EPISODE = CleanEpisode(episode_id="e", app="a", started_at=0, ended_at=0)


def app(
    resolved: int, common: int, rare: int
) -> tuple[list[CleanEpisode], dict[str, Label], dict[str, str]]:
    """Episodes of one app: resolved ones, a large failure cluster and a small one."""
    names = [
        *(f"r{n}" for n in range(resolved)),
        *(f"c{n}" for n in range(common)),
        *(f"x{n}" for n in range(rare)),
    ]
    episodes = [replace(EPISODE, episode_id=name, started_at=at) for at, name in enumerate(names)]
    labels = {name: Label(resolved=name[0] == "r", confidence=1.0) for name in names}
    clusters = {name: {"c": "common", "x": "rare"}[name[0]] for name in names if name[0] != "r"}
    return episodes, labels, clusters


def test_rare_failures_stay_and_common_ones_are_capped() -> None:
    """Of 1,000 requests 100 go on, half of them failures."""
    found = draw_sample(*app(resolved=800, common=195, rare=5), most=100)
    assert found is not None
    kept = {one.name: (one.requests, one.kept) for one in found.strata}
    assert kept == {"common": (195, 45), "rare": (5, 5), RESOLVED: (800, 50)}
    assert sum(one.kept * one.weight for one in found.strata) == pytest.approx(1000)


def test_requests_without_an_outcome_take_what_room_is_left() -> None:
    """They make no tasks; one goes on, so that its kind is told."""
    episodes, labels, clusters = app(resolved=800, common=100, rare=0)
    silent = [replace(EPISODE, episode_id=f"s{n}") for n in range(300)]
    found = draw_sample([*episodes, *silent], labels, clusters, most=100)
    assert found is not None
    kept = {one.name: one.kept for one in found.strata}
    assert kept == {"common": 50, RESOLVED: 49, UNLABELLED: 1}
    roomy = draw_sample([*episodes, *silent], labels, clusters, most=1000)
    assert roomy is not None
    assert {one.name: one.kept for one in roomy.strata}[UNLABELLED] == 100


def test_of_a_failure_cluster_solved_requests_go_on_first() -> None:
    """A request that nobody solved hardly makes a task."""
    episodes, labels, clusters = app(resolved=100, common=40, rare=0)
    both = {f"{kind}{n}" for kind in "rc" for n in range(10)}
    keyed = [
        replace(one, task_key=one.episode_id[1:] if one.episode_id in both else one.episode_id)
        for one in episodes
    ]
    found = draw_sample(keyed, labels, clusters, most=20)
    assert found is not None
    kept = [name for name, stratum in found.stratum_of.items() if stratum == "common"]
    assert {name for name in kept if name[0] == "r"} == {f"r{n}" for n in range(10)}


def test_few_requests_are_not_sampled() -> None:
    """Nothing is left out, and nothing weighs."""
    assert draw_sample(*app(resolved=5, common=3, rare=2), most=10) is None


def test_a_new_day_changes_few_of_those_that_were_drawn() -> None:
    """Who goes on depends on names: what was made of them stands."""
    before = draw_sample(*app(resolved=400, common=100, rare=5), most=100)
    after = draw_sample(*app(resolved=410, common=103, rare=5), most=100)
    assert before is not None
    assert after is not None
    assert len(before.stratum_of.keys() & after.stratum_of.keys()) >= 93


def test_attempts_at_one_request_go_on_together() -> None:
    """One task key is one request."""
    episodes, labels, clusters = app(resolved=60, common=0, rare=0)
    keyed = [replace(one, task_key=str(n // 3)) for n, one in enumerate(episodes)]
    found = draw_sample(keyed, labels, clusters, most=10)
    assert found is not None
    assert len(sampled_episodes(keyed, found)) == 30
    assert {
        len([1 for one in sampled_episodes(keyed, found) if one.task_key == key])
        for key in {o.task_key for o in sampled_episodes(keyed, found)}
    } == {3}


def test_the_card_says_what_each_task_stands_for() -> None:
    """A row per kind of request, with how many there were."""
    sample = Sample(most=1, strata=(), stratum_of={})
    found = draw_sample(*app(resolved=90, common=10, rare=0), most=20)
    assert found is not None
    told = _sampling({"a": found.to_json()})
    assert f"| a | {RESOLVED} | 90 | 10 | 9.00 |" in told
    assert "`weight`" in told
    assert _sampling({}) == ""
    assert UNRESOLVED not in told
    assert sample.to_json()["strata"] == []


@given(
    sizes=st.dictionaries(st.text(max_size=3), st.integers(1, 50), max_size=8),
    most=st.integers(0, 200),
)
def test_caps_keep_one_of_each_and_no_more_than_there_are(sizes: dict[str, int], most: int) -> None:
    """And no more than allowed, unless there are more kinds than that."""
    found = capped(sizes, most)
    assert all(1 <= found[name] <= size for name, size in sizes.items())
    assert sum(found.values()) <= max(most, len(sizes))
    if sum(sizes.values()) <= most:
        assert found == sizes
