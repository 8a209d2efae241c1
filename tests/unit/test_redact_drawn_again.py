"""Short ids: a surrogate is nobody's real id, whoever came first, and a day is made again when that changes."""

import json
from pathlib import Path

import pytest

from dagster_project.home.layout import open_home
from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.unit.raw_conversations import SECRET, calls, episode
from tests.unit.test_redact_reopening import Days, changed

KINDS = ("person_id", "payment_id", "document_id")


def chain(vault: Vault, start: str, length: int, kind: str = "person_id") -> list[str]:
    """Ids of which each has the next as its surrogate as long as nobody else is known."""
    ids = [start]
    while len(ids) < length:
        ids.append(vault.drawn_unlike("app", kind, ids[-1], ()))
    return ids


def customer(number: str) -> Episode:
    """Somebody who is looked up by a short number."""
    return episode(f"of {number}", *calls("get", {"customer_id": number}, {"customer_id": number}))


def past(raw: list[Episode], vault: Vault) -> dict[str, str]:
    """The number past the gate of each number."""
    learnt = learn(raw, (), policy=Policy())
    done = scrub(raw, learnt=learnt, vault=vault, policy=Policy())
    return {
        json.loads(before.steps[1].content or "")["customer_id"]: json.loads(
            after.clean.steps[1].content or ""
        )["customer_id"]
        for before, after in zip(raw, done, strict=True)
    }


@pytest.mark.parametrize("form", ["48213", "KD-48213", "user_48213"])
def test_a_surrogate_is_nobodys_real_id_and_nobody_elses_surrogate(form: str) -> None:
    """Eight customers whose numbers are each other's first surrogates, in either order."""
    vault = Vault(None, SECRET)
    ids = chain(vault, form, 8)
    given = past([customer(one) for one in ids], vault)
    assert given.keys() == set(ids)
    assert not set(given.values()) & set(ids)
    assert len(set(given.values())) == len(ids)
    turned = past([customer(one) for one in reversed(ids)], Vault(None, SECRET))
    assert turned == given


def test_what_was_drawn_again_is_the_vaults_own_and_what_was_not_given_is_not(
    tmp_path: Path,
) -> None:
    """Who reverses a surrogate gets the id behind it; the known id in between stands for nobody."""
    vault = Vault(tmp_path / "vault", SECRET)
    first, second = chain(vault, "48213", 2)
    given = past([customer(first), customer(second)], vault)
    vault.save()
    for opened in (vault, Vault(tmp_path / "vault", SECRET)):
        assert opened.original("app", "person_id", given[first]) == first
        assert opened.original("app", "person_id", given[second]) == second
        assert opened.original("app", "person_id", second) is None


@pytest.mark.parametrize("kind", KINDS)
def test_where_nearly_all_ids_are_known_the_surrogates_are_still_different(kind: str) -> None:
    """Nine of ten numbers of four digits and a letter are known: nothing hangs, and no two are alike."""
    vault = Vault(None, SECRET)
    known = {f"a{number}" for number in range(1000, 10_000) if number % 10}
    asked = sorted(known)[:400]
    assert len({vault.drawn_unlike("app", kind, one, known) for one in asked}) == len(asked)


def test_an_id_learnt_later_reopens_the_day_whose_surrogate_it_is(tmp_path: Path) -> None:
    """And no other day; the same days in one build are made of the same."""
    days = Days(open_home(tmp_path / "home", create=True))
    first, second = chain(days.vault, "48213", 2)
    days.bring("2026-01-01", customer(first))
    days.bring("2026-01-02", customer("71964"))
    before = days.made_of()
    days.bring("2026-01-03", customer(second))
    after = days.made_of()
    assert changed(before, after) == {"2026-01-01"}
    again = Days(open_home(tmp_path / "again", create=True))
    for day, number in (("2026-01-03", second), ("2026-01-02", "71964"), ("2026-01-01", first)):
        again.bring(day, customer(number))
    assert again.made_of() == after
