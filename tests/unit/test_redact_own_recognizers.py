"""Recognizers of Presidio that a policy adds, and the registry of the product's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from presidio_analyzer import EntityRecognizer, RecognizerResult

from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.errors import PolicyError
from redact.operators.vault import Vault
from redact.policy import Policy, load_policy
from redact.recognizers.prefilter import EVERYTHING, needs_of
from redact.recognizers.registry import RECOGNIZERS
from tests.unit.raw_conversations import SECRET, calls, episode, says

BADGE = "zebra/otter/lynx"
DESCRIBED = r"""
[[recognizers]]
name = "badges"
supported_entity = "BADGE"
patterns = [{ name = "three animals", regex = "[a-z]+/otter/[a-z]+", score = 0.8 }]
kinds = { BADGE = "document_id" }
"""
CLASS = f"""
[[recognizers]]
class = "{__name__}:Badges"
kinds = {{ BADGE = "document_id" }}
"""


class Badges(EntityRecognizer):
    """Finds badges: what a company would write in Python."""

    def __init__(self) -> None:
        super().__init__(supported_entities=["BADGE"])

    def load(self) -> None:
        """Need nothing."""

    def analyze(
        self,
        text: str,
        entities: Sequence[str],
        nlp_artifacts: Any = None,  # noqa: ANN401, ARG002 - as Presidio declares it
    ) -> list[RecognizerResult]:
        """Return where a badge stands."""
        at = text.find(BADGE)
        found = RecognizerResult("BADGE", at, at + len(BADGE), 0.9)
        return [found] if at >= 0 and "BADGE" in entities else []


def _policy(folder: Path, lines: str) -> Policy:
    path = folder / "redaction.toml"
    path.write_text(lines, encoding="utf-8")
    return load_policy(path)


def _past_the_gate(policy: Policy) -> str:
    raw = episode(
        "e1",
        says("user", f"my badge is {BADGE}"),
        *calls("open_door", {"with": BADGE}, {"door": "north", "opened_with": BADGE}),
    )
    learnt = learn([raw], (), policy=policy)
    (done,) = scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=policy)
    return repr(done.clean)


@pytest.mark.parametrize("lines", [DESCRIBED, CLASS])
def test_what_a_recognizer_of_the_users_finds_goes_everywhere(tmp_path: Path, lines: str) -> None:
    """From the message, the call and its result; without the lines nothing knows it in the message."""
    assert BADGE not in _past_the_gate(_policy(tmp_path, lines))
    assert f"my badge is {BADGE}" in _past_the_gate(Policy())


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('[[recognizers]]\nclass = "x:Y"\n', "needs `kinds`"),
        ('[[recognizers]]\nclass = "x:Y"\nkinds = { A = "badge" }\n', "the kinds are"),
        ('[[recognizers]]\nkinds = { A = "code" }\n', "either `class`"),
        (CLASS + "threshold = 2\n", "from 0 to 1"),
        ("recognizers = 3\n", r"\[\[recognizers\]\]"),
    ],
)
def test_a_recognizer_that_cannot_be_is_one_sentence(tmp_path: Path, lines: str, told: str) -> None:
    """It says what is missing."""
    with pytest.raises(PolicyError, match=told):
        _policy(tmp_path, lines)


@pytest.mark.parametrize("path", ["no.such.module:Badges", f"{__name__}:No", f"{__name__}:Path"])
def test_a_class_that_is_no_recognizer_is_one_sentence(tmp_path: Path, path: str) -> None:
    """Before anything is read."""
    lines = f'[[recognizers]]\nclass = "{path}"\nkinds = {{ BADGE = "document_id" }}\n'
    with pytest.raises(PolicyError, match="recognizer"):
        _past_the_gate(_policy(tmp_path, lines))


@pytest.mark.parametrize(
    "text",
    [
        "write to ann.smith@mail.example", "password: hunter22", "call +44 20 7946 0958", "pay by 4111 1111 1111 1111",
        "12 Elm Street, Springfield", "54 rue des Martyrs", "born 1988-06-08", "git log --author=bpszczo", "anna_meier_42",
        "token ghp_0123456789abcdefghijABCDEFGHIJ012345",
    ],
)  # fmt: skip
def test_a_cue_stands_in_every_text_in_which_its_recognizer_finds_something(text: str) -> None:
    """What the fast look leaves out finds nothing."""
    found = [one for one in RECOGNIZERS if list(one.find(text))]
    assert found
    assert set(found) <= set(needs_of(text).recognizers) <= set(EVERYTHING.recognizers)
