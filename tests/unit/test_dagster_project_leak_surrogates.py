"""Postcodes past the gate: where each is searched for, and when a hit is the vault's own surrogate."""

import pytest

from dagster_project.privacy.leak_search import is_surrogate
from redact.audit.leaks import Leak
from redact.evidence.app_values import AppLearnt, Learnt
from redact.operators.vault import Vault
from redact.recognizers.composites import is_composite
from tests.leak_hits import leaks_in


@pytest.mark.parametrize(
    ("folded", "everywhere"),
    [("ls9 1dx", True), ("3599 rn", True), ("90210", False), ("12345-6789", False), ("a1", False)],
)
def test_a_postcode_of_letters_and_digits_is_searched_in_the_whole_app(
    folded: str, everywhere: bool
) -> None:
    """A customer may write it where no tool returned it; digits alone stay with their episode."""
    assert is_composite("postcode", folded) is everywhere


def _hit(text: str, word: str) -> Leak:
    at = text.index(word)
    return Leak(
        kind="postcode", where="t", offset=at, length=len(word), encoding="plain", direct=False
    )


def test_half_of_a_surrogate_is_a_surrogate() -> None:
    """A surrogate may by chance share a word with some original; the vault knows that it gave the whole."""
    vault = Vault(None, b"a secret that is long enough, all of it")
    given = vault.surrogate("shop", "postcode", "3599 RN")
    first, last = given.split()
    text = f"UT {given}, NL"
    assert is_surrogate(vault, "shop", _hit(text, first), text)
    assert is_surrogate(vault, "shop", _hit(text, last), text)
    assert not is_surrogate(vault, "shop", _hit("UT 3599 RN, NL", "3599 RN"), "UT 3599 RN, NL")
    assert not is_surrogate(vault, "shop", _hit(f"UT {first}, NL", first), f"UT {first}, NL")


def test_a_surrogate_is_known_in_a_text_of_other_letters() -> None:
    """One accent anywhere in a world file must not make leaks of the vault's own ids."""
    vault = Vault(None, b"a secret that is long enough, all of it")
    given = vault.surrogate("shop", "person_id", "K005362")
    text = f'{{"who": "Ren\u00e9 \u0130\ufb03", "member": "{given}"}}'
    known = Learnt({"shop": AppLearnt(values={given.casefold(): "person_id"})})
    (leak,) = leaks_in([("t", text)], learnt=known)
    assert is_surrogate(vault, "shop", leak, text)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("<b>{&quot;card&quot;:&quot;IT&quot;}</b>", "html"), ("/cards?q=%22IT%22&n=%2C", "url")],
)
def test_a_surrogate_is_known_in_a_page_and_in_an_address(text: str, encoding: str) -> None:
    """Numbered ids are so dense that a surrogate is often another one's original: a report that shows it is not removed."""
    vault = Vault(None, b"a secret that is long enough, all of it")
    given = vault.surrogate("shop", "payment_id", "card_000123")
    page = text.replace("IT", given)
    known = Learnt({"shop": AppLearnt(values={given: "payment_id"})})
    leaks = leaks_in([("t", page)], learnt=known)
    assert {leak.encoding for leak in leaks} >= {encoding}
    assert all(is_surrogate(vault, "shop", leak, page) for leak in leaks)
    other = text.replace("IT", "card_000123")
    known = Learnt({"shop": AppLearnt(values={"card_000123": "payment_id"})})
    leaks = leaks_in([("t", other)], learnt=known)
    assert leaks
    assert not any(is_surrogate(vault, "shop", leak, other) for leak in leaks)
