"""Birth dates that only words tell: they go, and other dates stay."""

import pytest

from ingest.records.episode import Episode, Step
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.recognizers.births import births_in
from redact.recognizers.prefilter import needs_of


@pytest.mark.parametrize(
    ("text", "birth"),
    [
        ("K-77 | Rahimi, Umut | born 1988-06-08", "1988-06-08"),
        ("DOB: 08/06/1988", "08/06/1988"),
        ("My date of birth is 8 June 1988.", "8 June 1988"),
        ("Meier, Anna, geb. 08.06.1988", "08.06.1988"),
        ("N\u00e9e le 08/06/1988 \u00e0 Lyon", "08/06/1988"),
        ("**Born:** June 8, 1988", "June 8, 1988"),
    ],
)
def test_the_words_before_a_date_say_that_it_is_a_birth(text: str, birth: str) -> None:
    """In several languages and ways to write a day; the fast look at a text sees that it is needed."""
    assert list(births_in(text)) == [birth]
    assert ("birth_date", birth) in [
        found for one in needs_of(text).recognizers for found in one.find(text)
    ]


@pytest.mark.parametrize(
    "text", ["a stubborn fault since 2020-01-01", "version 2020-01-01", "born to run", "dob"]
)
def test_other_dates_are_nobodys(text: str) -> None:
    """A date is personal by what is said of it only."""
    assert list(births_in(text)) == []


def test_a_birth_date_in_an_answer_goes_wherever_its_episode_says_it() -> None:
    """The customer gives it before the tool does; the day of the appointment stays."""
    episode = Episode(
        app="clinic",
        episode_id="e1",
        conversation_id="c1",
        source="chat_log",
        started_at=0,
        steps=(
            Step(role="user", content="1988-06-08. When is my visit?"),
            Step(role="tool", content="K-77 | born 1988-06-08\nvisit on 2026-10-14"),
            Step(role="assistant", content="On 2026-10-14."),
        ),
    )
    policy = Policy()
    learnt = learn([episode], [], policy=policy)
    vault = Vault(None, b"a secret that is long enough, all of it")
    (scrubbed,) = scrub([episode], learnt=learnt, vault=vault, policy=policy)
    said = " ".join(step.content or "" for step in scrubbed.clean.steps)
    assert "1988-06-08" not in said
    assert said.count("2026-10-14") == 2
