"""Failure clusters: ids for ever, names without anybody's words, trends and examples."""

import random
import re
from dataclasses import asdict, replace

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.clusters.clustering import (
    CLUSTER_SCHEMA,
    EXACT,
    REST,
    TEXT,
    ClusterSettings,
    cluster,
)
from synth.clusters.names import rest_name, terms_of, who
from synth.clusters.texts import embed, group, nearest_text
from synth.clusters.trend import DayCount, movement_of, trend_of
from synth.failures.calls import read_calls
from synth.failures.causes import PARTIES
from synth.failures.detection import Failure, detect
from synth.failures.texts import values_of, vocabulary
from tests.unit.clean_conversations import (
    DAY,
    START,
    real_episodes,
)
from tests.unit.failed_readers import idle, only, refused

WISHES = {
    "lost": "I lost a borrowed atlas on the train and want to pay the replacement fee",
    "noise": "the reading room was loud yesterday so please move my study desk reservation",
}


def test_equal_fingerprints_are_one_cluster_with_a_readable_name() -> None:
    """Six readers whose renewal was refused for one reason."""
    one = only(cluster([refused(i) for i in range(6)]), EXACT)
    assert one.name.startswith("Renew loan fails: loan … has a hold by reader")
    assert (one.failures, one.confirmed, one.subjects, one.named) == (6, 6, 6, True)
    assert len(one.examples) == 5
    assert one.focus == ("renew_loan",)


def test_text_groups_what_no_fingerprint_does() -> None:
    """Two wishes, nothing done in either: two text clusters, remembered by facets, each with its words."""
    failures = [
        idle(i, WISHES["lost" if i % 2 else "noise"] + f" {'please ' * (i % 3)}") for i in range(24)
    ]
    found = [c for c in cluster(failures).clusters if c.kind == TEXT]
    assert sorted(c.failures for c in found) == [12, 12]
    assert all(c.exemplars for c in found)
    assert {any(word in c.name for word in ("atlas", "fee", "borrowed")) for c in found} == {
        True,
        False,
    }


def test_a_new_failure_joins_the_text_cluster_it_is_like() -> None:
    """The next day's lost atlas joins; something else does not."""
    failures = [idle(i, WISHES["lost" if i % 2 else "noise"]) for i in range(24)]
    first = cluster(failures)
    lost = first.of_episode()["idle-1"]
    later = cluster(
        [
            *failures,
            idle(90, "borrowed atlas lost, how do I pay the fee?"),
            idle(91, "zebra crossing opening hours"),
        ],
        first,
    )
    assert later.of_episode()["idle-90"] == lost
    assert later.of_episode()["idle-91"] != lost


def test_what_is_alone_is_held_by_its_cause() -> None:
    """Every failure has a cluster; those with nothing in common share one that says so."""
    found = cluster([idle(1, "an odd wish"), idle(2, "quite another matter")])
    assert only(found, REST).failures == 2
    assert only(found, REST).name == rest_name("premature_end")


def test_ids_stay_when_data_is_added_and_when_failures_vanish() -> None:
    """A tenth more data moves nobody; a cluster without members keeps its id and says that it is quiet."""
    failures = [refused(i) for i in range(40)] + [idle(i, WISHES["lost"]) for i in range(20)]
    first = cluster(failures)
    second = cluster([*failures, *[refused(i) for i in range(40, 46)]], first)
    before, after = first.of_episode(), second.of_episode()
    assert all(after[key] == value for key, value in before.items())
    third = cluster([f for f in failures if f.cause != "tool_error"], second)
    gone = next(c for c in third.clusters if c.cause == "tool_error")
    assert (gone.failures, gone.movement) == (0, "quiet")
    back = cluster(failures, third)
    assert back.of_episode() == before


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(min_value=20, max_value=55))
def test_ids_do_not_depend_on_the_order_of_arrival(shuffler: random.Random, cut: int) -> None:
    """Any split of the data into yesterday and today keeps every id of yesterday, and fingerprints meet."""
    failures = [refused(i, day=i % 5) for i in range(30)] + [
        idle(i, WISHES["lost"]) for i in range(30)
    ]
    shuffler.shuffle(failures)
    first = cluster(failures[:cut])
    second = cluster(failures, first)
    exact = {c.cluster_id for c in first.clusters if c.kind != REST}
    moved = [e for e, c in first.of_episode().items() if c in exact and second.of_episode()[e] != c]
    assert moved == []
    whole = cluster(reversed(failures))
    assert cluster(failures).clusters == whole.clusters


def test_apps_never_mix() -> None:
    """The same failure in two apps is two clusters, and one app's data leaves the other's alone."""
    ours = [refused(i) for i in range(6)]
    theirs = [replace(f, app="other", episode_id=f"o-{f.episode_id}") for f in ours]
    both = cluster([*ours, *theirs])
    assert len({c.cluster_id for c in both.clusters}) == 2
    assert {c.app for c in both.clusters} == {"library", "other"}


def test_a_failure_that_fails_otherwise_now_moves() -> None:
    """When late data change how an episode failed, it goes where it belongs."""
    failures = [refused(i) for i in range(6)]
    first = cluster(failures)
    changed = replace(failures[0], cause="loop", focus=("find_loan",), error="")
    second = cluster([changed, *failures[1:]], first)
    assert second.of_episode()["refused-0"] != first.of_episode()["refused-0"]


def test_nothing_gives_nothing() -> None:
    """No failures, no clusters; facets without words still have a place."""
    assert cluster([]).clusters == ()
    assert (
        sum(
            c.failures
            for c in cluster([replace(idle(i, "x"), facet="") for i in range(9)]).clusters
        )
        == 9
    )


def test_records_fit_their_table() -> None:
    """Every field has a column, and a row survives the way through Arrow."""
    rows = [asdict(c) for c in cluster([refused(i) for i in range(6)]).clusters]
    table = pa.Table.from_pylist(rows, schema=CLUSTER_SCHEMA)
    assert set(rows[0]) == set(CLUSTER_SCHEMA.names)
    assert table.to_pylist()[0]["members"][0]["episode_id"] == "refused-0"


def test_examples_show_different_users_first() -> None:
    """One loud reader does not fill the examples."""
    failures = [refused(i, subject="loud" if i < 20 else f"reader {i}") for i in range(24)]
    one = only(cluster(failures), EXACT)
    by_id = {f.episode_id: who(f) for f in failures}
    assert sum(by_id[e] == "loud" for e in one.examples) <= 1


def test_movement_compares_two_weeks() -> None:
    """New, growing, steady, fading and quiet, and nothing while there is too little history."""

    def days(*counts: int) -> tuple[DayCount, ...]:
        return tuple(
            DayCount(day=f"2026-11-{d:02d}", count=n) for d, n in enumerate(counts, 1) if n
        )

    window = {"first": "2026-11-01", "last": "2026-11-14"}
    assert movement_of(days(*[0] * 10, 1, 2, 0, 1), **window) == "new"
    assert movement_of(days(*[1] * 7, *[4] * 7), **window) == "growing"
    assert movement_of(days(*[4] * 7, *[1] * 7), **window) == "fading"
    assert movement_of(days(*[2] * 14), **window) == "steady"
    assert movement_of(days(*[2] * 7), **window) == "quiet"
    assert movement_of(days(1, 1), first="2026-11-01", last="2026-11-05") == ""
    assert trend_of(["2026-11-02", "2026-11-01", "2026-11-02"]) == days(1, 2)


def test_trend_counts_days_of_failures() -> None:
    """The trend has the day of each failure."""
    one = only(cluster([refused(i, day=i // 3) for i in range(6)]), EXACT)
    assert [point.count for point in one.trend] == [3, 3]
    assert START + DAY > START


def test_texts_without_words_are_far_from_everything() -> None:
    """Empty facets make no groups and have no neighbour."""
    assert group(embed(["", ""]), distance=0.8) == []
    vectors = embed(["renew atlas", "", "pay fine today", "renew atlas soon"])
    assert nearest_text(vectors[1], vectors[[0, 2]]) is None
    found = nearest_text(vectors[0], vectors[[2, 3]])
    assert found is not None
    assert found.index == 1
    assert terms_of("please help me renew … my blue atlas") == [
        "renew",
        "blue",
        "atlas",
        "blue atlas",
    ]


def test_many_failures_stay_fast() -> None:
    """Five thousand failures of one mode are grouped without a full distance matrix."""
    wishes = [
        f"{verb} the {thing} of my {place}"
        for verb in ("renew", "cancel", "move")
        for thing in ("atlas", "desk", "locker", "film")
        for place in ("branch", "school")
    ]
    template = idle(0, "x")
    failures = [
        replace(
            template,
            episode_id=f"e{i}",
            subject=f"s{i}",
            facet=wishes[i % len(wishes)] + f" number{'x' * (i % 5)}",
        )
        for i in range(5000)
    ]
    found = cluster(failures)
    assert sum(c.failures for c in found.clusters) == 5000
    assert len(found.clusters) > 3


NAMING = ClusterSettings()


def test_a_cause_has_its_cluster_from_the_first_failure_and_keeps_it() -> None:
    """Whoever comes later joins; three equal errors among new failures make a cluster of their own, and nobody moves."""
    found, homes = None, set()
    for count in (1, 2, 3, 12):
        found = cluster([refused(i) for i in range(count)], found)
        (one,) = (c for c in found.clusters if c.failures)
        assert (one.kind, one.failures) == (EXACT, count)
        homes.add(one.cluster_id)
    assert len(homes) == 1
    other = cluster([refused(i) for i in range(NAMING.smallest)])
    assert only(other, EXACT).error == refused(1).error


def test_real_clusters_keep_their_ids_and_name_nobody() -> None:
    """A tenth more real failures moves at most one in a hundred, and no name has a word that only values have."""
    rows = real_episodes("airline.train.jsonl") + real_episodes("retail.train.jsonl")
    failures = [found for row in rows if (found := detect(*row)) is not None]
    random.Random(3).shuffle(failures)  # noqa: S311 - any fixed order
    first = cluster(failures[: int(len(failures) / 1.1)])
    second = cluster(failures, first)
    before, after = first.of_episode(), second.of_episode()
    assert sum(after[key] == value for key, value in before.items()) >= 0.99 * len(before)
    assert len(second.clusters) < len(failures) / 5
    public = frozenset.union(*(vocabulary(one.tools) for one, _ in rows))
    values = frozenset.union(*(values_of(read_calls(one)) for one, _ in rows))
    template = set(re.findall(r"[a-z]+", " ".join(map(rest_name, PARTIES)).lower()))
    for one in second.clusters:
        words = set(re.findall(r"[a-z]{3,}", one.name.lower())) - public - template
        said = {word for word in words & values if _people_who_said(failures, word) < NAMING.k}
        assert said == set()


def _people_who_said(failures: list[Failure], word: str) -> int:
    return len({who(failure) for failure in failures if word in failure.facet.split()})
