"""Splits: what stays together, how large they are, what an earlier version fixes, and a proof that finds leaks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from environments.export.card_figures import _period
from environments.export.errors import ExportError
from environments.export.split_proof import prove
from environments.export.splits import SplitSettings, split_tasks
from environments.export.taskset import Choice, Entry
from environments.export.traits import Traits, keys_of, traits_of
from environments.runtime import TaskSet
from environments.runtime.play.main import main
from tests.environments_shop import entry, world, write_shop

DAY = 86_400 * 10**9


def task(number: int, **changes: object) -> Traits:
    """A task that shares nothing with any other."""
    words = [f"w{number}x{i}" for i in range(12)]
    plain = Traits(
        task_id=f"t{number:03d}",
        subject=f"u{number}",
        episodes=frozenset((f"e{number}",)),
        started_at=number * DAY,
        kind=f"kind{number % 5}",
        records=frozenset((("orders", f"o{number}"),)),
        pieces=frozenset(" ".join(words[i : i + 4]) for i in range(9)),
        actions=f"a{number}",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # fields of Traits


def proof(tasks: list[Traits], assigned: dict[str, str], by: str = "entity") -> dict[str, object]:
    """The proof over splits made by hand."""
    return dict(prove(tasks, assigned, isolating=("orders",), by=by))


def test_shares_are_kept_and_nothing_leaks() -> None:
    """A hundred tasks that share nothing: 80, 10 and 10, whatever order they come in."""
    tasks = [task(n) for n in range(100)]
    found = split_tasks(tasks, SplitSettings())
    counts = [
        list(found.tasks.values()).count(name) for name in ("train", "validation", "held_out")
    ]
    assert counts == [80, 10, 10]
    assert found == split_tasks(tasks[::-1], SplitSettings())
    assert proof(tasks, dict(found.tasks))["leak_free"] is True
    assert split_tasks(tasks, SplitSettings(seed=1)).tasks != found.tasks


def test_tasks_that_share_no_records_are_trained_on_as_well() -> None:
    """Most tasks are one group of shared records, which is trained on whole; what needs other tools is dealt out by itself."""
    joined = [task(n, tools=("find", "change"), subject="same") for n in range(75)]
    apart = [task(n, tools=("find", "hand_over")) for n in range(75, 90)]
    others = [task(n, tools=("find", "change")) for n in range(90, 100)]
    found = split_tasks([*joined, *apart, *others], SplitSettings()).tasks
    where = [found[one.task_id] for one in apart]
    assert where.count("train") >= 9
    assert min(where.count("validation"), where.count("held_out")) >= 1
    assert [found[one.task_id] for one in others].count("train") == 0


@pytest.mark.parametrize(
    "shared",
    [
        {"subject": "same"},
        {"records": frozenset((("orders", "same"),))},
        {"episodes": frozenset(("same",))},
        {"actions": "same"},
        {"pieces": frozenset(f"the same words {i}" for i in range(9))},
    ],
    ids=lambda shared: next(iter(shared)),
)
def test_what_two_tasks_share_keeps_them_together(shared: dict[str, object]) -> None:
    """A user, a record, an episode, actions, words: each alone is enough, and the proof sees each alone."""
    tasks = [task(n, **(shared if n in {3, 57} else {})) for n in range(60)]
    for seed in range(5):
        found = split_tasks(tasks, SplitSettings(seed=seed)).tasks
        assert found["t003"] == found["t057"]
        torn = {**found, "t003": "train", "t057": "held_out"}
        assert proof(tasks, torn)["leak_free"] is False


def test_tables_nobody_changes_are_given_up_before_everything_is_one_group() -> None:
    """A catalogue in every task keeps nothing together; it is named, and a table that tools change never is given up."""
    catalogue = {("catalogue", "c1")}
    tasks = [task(n, records=frozenset({("orders", f"o{n}"), *catalogue})) for n in range(30)]
    found = split_tasks(tasks, SplitSettings(), written=frozenset(("orders",)))
    assert (found.isolating, found.shared) == (("orders",), ("catalogue",))
    assert set(found.tasks.values()) == {"train", "validation", "held_out"}
    said = prove(tasks, found.tasks, isolating=found.isolating, by="entity")
    assert said["reference_records_in_several_splits"] == {"catalogue": 1}
    changed = split_tasks(tasks, SplitSettings(), written=frozenset(("orders", "catalogue")))
    assert set(changed.tasks.values()) == {"train"}
    assert "nothing is in validation or held_out" in changed.notes[0]
    declared = SplitSettings(shared=frozenset(("catalogue",)))
    assert (
        len(set(split_tasks(tasks, declared, written=frozenset(("catalogue",))).tasks.values()))
        == 3
    )


def test_whole_kinds_are_held_out_by_cluster() -> None:
    """By cluster no kind of task stands in two splits; by entity the proof does not ask for that."""
    tasks = [task(n, kind=f"kind{n % 12}") for n in range(60)]
    by_kind = split_tasks(tasks, SplitSettings(by="cluster"))
    assert len({(t.kind, by_kind.tasks[t.task_id]) for t in tasks}) == 12
    assert proof(tasks, dict(by_kind.tasks), "cluster")["leak_free"] is True
    plain = dict(split_tasks(tasks, SplitSettings()).tasks)
    assert proof(tasks, plain)["leak_free"] is True
    assert proof(tasks, plain, "cluster")["leak_free"] is False


def test_by_time_the_latest_are_held_out() -> None:
    """Train ends before validation begins; a user on both sides of a cut is in no split."""
    tasks = [task(n, subject="regular" if n in {5, 99} else f"u{n}") for n in range(100)]
    found = split_tasks(tasks, SplitSettings(by="time"))
    assert [found.tasks[f"t{n:03d}"] for n in (0, 79, 80, 89, 90, 98)] == [
        *("train", "train", "validation", "validation", "held_out", "held_out")
    ]
    assert {"t005", "t099"}.isdisjoint(found.tasks)
    assert found.notes == ("2 tasks span a cut in time together with others: in no split",)
    assert proof(tasks, dict(found.tasks), "time")["leak_free"] is True
    swapped = {**found.tasks, "t000": "held_out"}
    assert proof(tasks, swapped, "time")["leak_free"] is False


def test_an_earlier_version_fixes_its_splits() -> None:
    """New tasks never move old ones; a held-out task that meets a trained one is trained on, and named."""
    old = [task(n) for n in range(50)]
    before = dict(split_tasks(old, SplitSettings()).tasks)
    grown = split_tasks([*old, *(task(n) for n in range(50, 90))], SplitSettings(), before=before)
    assert {t: grown.tasks[t] for t in before} == before
    assert grown.moved == {}
    trained = next(t for t, name in before.items() if name == "train")
    held = next(t for t, name in before.items() if name == "held_out")
    joined = [replace(t, subject="met") if t.task_id in {trained, held} else t for t in old]
    met = split_tasks(joined, SplitSettings(), before=before)
    assert met.tasks[held] == "train"
    assert met.moved == {held: "held_out"}


def test_short_common_openings_join_nobody() -> None:
    """The same few words from two users are no leak."""
    short = frozenset(("i need help with", "need help with my", "help with my order"))
    tasks = [task(n, pieces=short) for n in range(20)]
    assert split_tasks(tasks, SplitSettings()).groups == 20


def test_records_are_found_by_the_keys_of_the_world(tmp_path: Path) -> None:
    """Arguments name records through the world's own keys, one-part and composite, without any name known here."""
    document = world()
    document["tables"]["seat"] = {"rows": {'["f1",12]': {}, '["f1",13]': {}}}
    keys = keys_of("shop", document)
    assert keys.written == {"shop: order"}
    assert keys.single["o1"] == {("shop: order", '["o1"]')}
    found = traits_of([entry(1)], {"shop": document})[0]
    assert found.records == {("shop: order", '["o1"]')}
    assert found.kind == "shop: cancel_order + get_order"


def several(count: int) -> list[Entry]:
    """Tasks of different users that all cancel the same two orders in turn."""
    return [
        replace(
            one := entry(1 + 2 * (n % 2)),
            task=replace(one.task, task_id=f"t{n}", provenance={"subject": f"u{n}"}),
            rubric=replace(one.rubric, task_id=f"t{n}"),
        )
        for n in range(count)
    ]


def test_a_split_is_exported_alone_with_the_splits_of_the_whole(tmp_path: Path) -> None:
    """The manifest holds splits and proof, the card shows them, one split can be written, and nothing of others is in it."""
    halves = SplitSettings(shares={"train": 0.5, "held_out": 0.5})
    whole = write_shop(tmp_path / "all", entries=several(4), choice=Choice(splits=halves))
    assert set(whole.splits["tasks"].values()) == {"train", "held_out"}  # type: ignore[union-attr]
    assert whole.splits["proof"]["leak_free"] is True  # type: ignore[index,call-overload]
    card = (tmp_path / "all" / "README.md").read_text()
    assert (
        "**Proof**: no user, episode, record, chain of actions or text stands in more than one split."
        in card
    )
    only = Choice(splits=halves, only="held_out")
    write_shop(tmp_path / "held", entries=several(4), choice=only)
    held = TaskSet.load(tmp_path / "held")
    assert [t.task_id for t in held.tasks] == [
        t.task_id for t in TaskSet.load(tmp_path / "all").split("held_out")
    ]
    assert held.manifest.splits == whole.splits
    assert held.manifest.left_out == {"in split train": 2}
    names = {json.loads(line)["task_id"] for line in (tmp_path / "held" / "tasks.jsonl").open()}
    assert names == {t.task_id for t in held.tasks}


def test_bad_settings_say_what_to_do() -> None:
    """An unknown way, shares that do not add up, and an earlier version for a split by time."""
    for settings, before in (
        (SplitSettings(by="mood"), None),
        (SplitSettings(shares={"train": 0.5}), None),
        (SplitSettings(by="time"), {"t000": "train"}),
    ):
        with pytest.raises(ExportError):
            split_tasks([task(0)], settings, before=before)


def test_no_tasks_and_one_task() -> None:
    """Nothing to divide is no fault; a single task is for training."""
    assert split_tasks([], SplitSettings()).tasks == {}
    assert split_tasks([task(0)], SplitSettings()).tasks == {"t000": "train"}
    assert split_tasks([task(0)], SplitSettings(by="time")).tasks == {"t000": "train"}


def test_whoever_holds_the_folder_can_count_torn_users(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`validate` counts users in two splits itself, and fails on a task set that was divided badly."""
    write_shop(tmp_path / "set", entries=several(4))
    assert main(["validate"], tmp_path / "set") == 0
    tasks = [replace(e, task=replace(e.task, provenance={"subject": "u"})) for e in several(2)]
    write_shop(tmp_path / "torn", entries=tasks)
    path = tmp_path / "torn" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["splits"]["tasks"] = {"t0": "train", "t1": "held_out"}
    path.write_text(json.dumps(manifest))
    assert main(["validate", "--json"], tmp_path / "torn") == 1
    assert '"torn_users": 1' in capsys.readouterr().out


def test_the_card_shows_no_day_where_no_time_is_known() -> None:
    """Conversations without a time stand on the first day of 1970, or where redaction moved it."""
    day = 20_000 * 86_400 * 10**9
    assert _period((0, 0)) == _period((-86_400 * 10**9, 0)) == "unknown"
    assert _period((0, day)) == "unknown to 2024-10-04"
    assert _period((day, day)) == "2024-10-04"
