"""Recorded calls before and past the gate: one stays one, two stay two, a withheld one is not compared."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CALL_PAIRS
from dagster_project.privacy.consistency import Commutation, commutation_of, pairs_of
from ingest.records.episode import Episode
from redact.apply.scrub import scrub
from redact.evidence.app_values import Learnt
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.records.clean_episode import WITHHELD, CleanEpisode
from tests.unit.raw_conversations import SECRET, calls, episode

VAULT = Vault(None, SECRET)


def conversation(number: int, *results: str) -> Episode:
    """One look at each of some shelves."""
    steps = [step for at, text in enumerate(results) for step in calls("look", {"at": at}, text)]
    return episode(f"e{number}", *steps)


def past(raw: Episode, **changed: str) -> CleanEpisode:
    """The episode past a gate that does nothing but write some results in another way."""
    (one,) = scrub([raw], learnt=Learnt(), vault=VAULT, policy=Policy(enabled=False))
    steps = [
        replace(step, content=changed.get(step.content or "", step.content)) for step in one.clean.steps
    ]  # fmt: skip
    return replace(one.clean, steps=tuple(steps))


def found(tmp_path: Path, *days: Iterable[tuple[Episode, CleanEpisode]]) -> Commutation:
    """What the check says of an app with these days."""
    lake = Lake(tmp_path)
    for number, together in enumerate(days):
        key = ("shop", f"2026-01-0{number + 1}")
        lake.replace(CALL_PAIRS, pairs_of(key, together, VAULT.key_of("shop")), [key])
    return commutation_of(lake, "shop")


def test_what_is_the_same_everywhere_commutes(tmp_path: Path) -> None:
    """A surrogate that is the same in both days is no fault; a call that is made twice counts once."""
    one, two = conversation(1, "ada", "shelf"), conversation(2, "ada")
    days = ([(one, past(one, ada="eve"))], [(two, past(two, ada="eve"))])
    assert found(tmp_path, *days) == Commutation(calls=2)


def test_letters_written_as_escapes_are_the_same_call(tmp_path: Path) -> None:
    """Two clients ask the same, one of them in ASCII: past the gate they may read alike, and are no two calls."""
    one, two = (
        conversation(1, '{"a": "m\u00fcr \U0001f600"}'),
        conversation(2, '{"a": "m\\u00fcr \\ud83d\\ude00"}'),
    )
    past_one, past_two = (
        past(one, **{'{"a": "m\u00fcr \U0001f600"}': "x"}),
        past(two, **{'{"a": "m\\u00fcr \\ud83d\\ude00"}': "x"}),
    )
    assert found(tmp_path, [(one, past_one), (two, past_two)]) == Commutation(calls=1)
    assert found(tmp_path, [(one, past(one)), (two, past(two))]) == Commutation(calls=1)


def test_one_that_reads_unlike_in_two_days_is_split(tmp_path: Path) -> None:
    """The first day's surrogate is not the second's."""
    one, two = conversation(1, "ada"), conversation(2, "ada")
    days = ([(one, past(one, ada="eve"))], [(two, past(two))])
    assert found(tmp_path, *days) == Commutation(calls=1, split=1)


def test_two_that_become_one_are_merged(tmp_path: Path) -> None:
    """Two results of one call cannot be told apart any more."""
    one, two = conversation(1, "ada"), conversation(2, "bob")
    assert found(tmp_path, [(one, past(one, ada="eve")), (two, past(two, bob="eve"))]) == Commutation(
        calls=2, merged=1
    )  # fmt: skip


@pytest.mark.parametrize("text", [WITHHELD, f'{{"note": "{WITHHELD}"}}'])
def test_what_was_withheld_is_counted_apart(tmp_path: Path, text: str) -> None:
    """A marker is no value: two of them are neither alike nor unlike."""
    one, two = conversation(1, "ada"), conversation(2, "bob")
    together = [(one, past(one, ada=text)), (two, past(two, bob=text))]
    assert found(tmp_path, together) == Commutation(calls=2, withheld=2)


def test_an_app_without_calls_has_nothing_to_compare(tmp_path: Path) -> None:
    """No table yet, no row yet."""
    assert commutation_of(Lake(tmp_path), "shop") == Commutation()
    assert found(tmp_path, []) == Commutation()
