"""Misspelt mentions of the episode's own people go; words that merely resemble a name stay."""

import pytest

from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.names.misspellings import may_misspell
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.unit.raw_conversations import SECRET, profile_episode, says


def message(text: str) -> str:
    """The text of a message of Tamsin Okafor's, past the gate."""
    raw = profile_episode(says("assistant", text))
    learnt = learn([raw], (), policy=Policy())
    done = next(scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    return done.clean.steps[-1].content or ""


@pytest.mark.parametrize("misspelt", ["Tamssin", "Tamsiin", "Okkafor", "Okaffor"])
def test_a_misspelt_name_is_removed(misspelt: str) -> None:
    """A letter too many hides nobody."""
    assert misspelt not in message(f"the parcel goes to {misspelt} then")


@pytest.mark.parametrize("word", ["Tamper", "Ofcourse", "tamssin", "Oka", "Tampa", "Norwegian"])
def test_words_that_are_no_misspelling_stay(word: str) -> None:
    """Other words, small letters and shorter forms are left to the other rules."""
    assert word in message(f"the parcel goes to {word} then")


def test_what_is_alike() -> None:
    """One letter more or less, or two swapped in a long name."""
    assert may_misspell("kowalski", "kowlaski")
    assert may_misspell("yusuf", "yussuf")
    assert not may_misspell("maria", "maris")
    assert not may_misspell("yusuf", "yunus")
    assert not may_misspell("quackenbush", "quackenbushes")
