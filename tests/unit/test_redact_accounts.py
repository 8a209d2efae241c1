"""User names in paths, directory entries and commands: a person's go, a system's stay."""

import pytest

from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.recognizers.accounts import accounts_in
from redact.recognizers.prefilter import needs_of
from tests.unit.raw_conversations import SECRET, calls, episode, says


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('File "/home/bpszczo/src/app.py", line 88', "bpszczo"),
        ("/Users/anna.meier/Documents", "anna.meier"),
        (r"C:\\Users\\okafor\\x.txt", "okafor"),
        ("dn: uid=ayszen42,ou=Sales,dc=firm", "ayszen42"),
        ("(uid=ayszen42)", "ayszen42"),
        ("git log --author=bpszczo -n 3", "bpszczo"),
        ("git log --author='bpszczo'", "bpszczo"),
    ],
)
def test_an_account_shows_by_what_stands_before_it(text: str, name: str) -> None:
    """The fast look at a text sees that it is needed."""
    assert list(accounts_in(text)) == [name]
    assert ("handle", name) in [
        found for one in needs_of(text).recognizers for found in one.find(text)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "/home/ubuntu/app and /home/runner/work",
        "/home/orders/7",
        "https://shop.example/home/zubrowka/7",
        "uid=1000 gid=1000",
        "--user=postgres --owner=root",
        "at home/office",
        "guid=abc and fluid=blue",
        "/home/",
    ],
)
def test_systems_and_words_are_nobodys(text: str) -> None:
    """Renaming them would cost meaning and hide nobody."""
    assert list(accounts_in(text)) == []


def test_an_account_goes_wherever_its_episode_says_it() -> None:
    """Arguments, answers and what the user says; the file keeps its name."""
    raw = episode(
        "e1",
        says("user", "who is bpszczo?"),
        *calls("sh", {"cmd": "git log --author=bpszczo"}, "/home/bpszczo/src/app.py by bpszczo"),
    )
    learnt = learn([raw], (), policy=Policy())
    (done,) = scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    said = " ".join(
        [step.content or "" for step in done.clean.steps]
        + [call.arguments for step in done.clean.steps for call in step.tool_calls]
    )
    assert "bpszczo" not in said
    assert said.count("/src/app.py") == 1
