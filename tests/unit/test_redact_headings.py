"""Headings that begin with a word for people: `Client Meeting Minutes` is a document, `Client Ybarrith Quenlo` somebody."""

from __future__ import annotations

from redact.apply.learn import learn
from redact.policy import Policy
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import calls, episode, texts_past_the_gate

FILE = "- content: 'Client Review Minutes - May 5, 2031\n\n    {} spoke first, then all others did.'\n  size: 12\n"


def test_heading_names_nobody() -> None:
    """What goes on a capitalised word for people and ends as documents do stays, and the leak check agrees."""
    spoke = "Client Ybarrith Quenlo"
    raw = [episode(f"e{row}", *calls("read_file", {"n": row}, FILE.format(spoke))) for row in "ab"]
    texts = texts_past_the_gate(raw)
    assert all("Client Review Minutes" in text for text in texts)
    assert not any("Ybarrith" in text or "Quenlo" in text for text in texts)
    hits = leaks_in(list(zip("ab", texts, strict=True)), learnt=learn(raw, (), policy=Policy()))
    assert not [hit for hit in hits if hit.length == len("review minutes")]


def test_a_small_word_before_a_run_still_names_somebody() -> None:
    """A sentence's `client Veldorn Minutes` is a name like any other."""
    for told in ("the client Veldorn Minutes", "Client Veldorn Quenlo"):
        text = FILE.format(told)
        assert "Veldorn" not in "".join(
            texts_past_the_gate([episode("e", *calls("read_file", {"n": "b"}, text))])
        )
