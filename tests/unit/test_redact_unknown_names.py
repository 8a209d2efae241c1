"""Names that no list, key or introduction tells of, and what an app shares with k people that are names."""

from __future__ import annotations

import pytest

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.decisions.judgement import judge
from redact.evidence.app_values import Learnt, merge
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.unit.raw_conversations import SECRET, calls, episode, says

REPLY = "thanks for waiting, your order details and the battery life are in the mail, we ship soon"


def past(raw: list[Episode], *, policy: Policy | None = None) -> list[Scrubbed]:
    """The episodes past the gate."""
    rules = policy or Policy()
    learnt = learn(raw, (), policy=rules)
    vault = Vault(None, SECRET)
    return list(scrub(raw, learnt=learnt, vault=vault, policy=rules))


def said(done: Scrubbed) -> str:
    """All that is said in an episode."""
    return "\n".join(step.content or "" for step in done.clean.steps)


def talks(*told: str, answer: dict[str, object] | None = None) -> list[Episode]:
    """Nine conversations in which the assistant says all of it."""
    return [
        episode(
            f"e{number}",
            says("user", f"hello, it is about number {number}"),
            *calls("look_up", {"page": number}, answer or {"state": "open"}),
            says("assistant", REPLY),
            *(says("assistant", text) for text in told),
        )
        for number in range(9)
    ]


def test_two_words_that_the_app_never_writes_small_are_somebodys_name() -> None:
    """A tester of whom only the assistant speaks, to everybody, goes with the single words of the name."""
    text = "The inspector Turgutcan Zurnac comes. Ask for Zurnac."
    for done in past(talks(text)):
        assert "Zurnac" not in said(done)
        assert "Turgutcan" not in said(done)
        assert "comes. Ask for" in said(done)


@pytest.mark.parametrize("title", ["Order Details", "Battery Life", "Thanks for waiting", "IDs"])
def test_words_that_the_app_writes_small_stay_as_titles(title: str) -> None:
    """A title is made of words that stand elsewhere without capitals."""
    for done in past(talks(f"**{title}**: see below")):
        assert title in said(done)


def test_what_stays_in_answers_stays_in_what_is_said_of_them() -> None:
    """A catalogue's words are the app's, whatever list lacks them."""
    raw = talks("It works with Zubrin Hublet only.", answer={"works_with": "Zubrin Hublet"})
    for done in past(raw):
        assert said(done).count("Zubrin Hublet") == 2


def test_a_listed_name_alone_is_somebodys() -> None:
    """A friend whom only the user names, at the beginning of a sentence too, is removed; a month and a town are not."""
    raw = talks()
    raw.append(episode("x", says("user", "Margaux brings it in April to Boston. Margaux knows.")))
    text = said(past(raw)[-1])
    assert "Margaux" not in text
    assert "April to Boston" in text


def test_nouns_with_capitals_stay_in_a_language_that_has_them() -> None:
    """Where each message is full of capitalised words inside sentences, one shows nothing."""
    words = ["Gerüst", "Wolle", "Kabel", "Zaun", "Rinne", "Matte", "Kelle", "Leiste", "Nagelbrett"]
    raw = [
        episode(
            f"e{number}",
            says(
                "user", "ich suche " + " und dann ".join(f"{word}{'n' * number}" for word in words)
            ),
        )
        for number in range(9)
    ]
    done = past(raw)
    assert all("Nagelbrett" in said(one) and "Zaun" in said(one) for one in done)


@pytest.mark.parametrize("policy", [Policy(prose_names="off"), Policy(prose_names="flag")])
def test_a_policy_that_does_not_remove_names_in_prose_leaves_them(policy: Policy) -> None:
    """Only a policy that removes names in prose has the rule."""
    assert "Zurnac" in said(past(talks("Ask Turgutcan Zurnac."), policy=policy)[0])


def test_names_that_k_people_share_are_no_list_of_choices() -> None:
    """Three mediators stand before every subject; two of their words are in no list."""
    people = ["Tiberiu Lazăr", "Nerea Etxeberria", "Joulina Drakos"]
    breeds = ["Border Collie", "Maine Coon", "Jack Russell"]
    raw = [
        episode(
            f"e{number}",
            *calls(
                "look_up", {"n": number}, {"panel": people[number % 3], "breed": breeds[number % 3]}
            ),
        )
        for number in range(24)
    ]
    texts = "\n".join(map(said, past(raw)))
    assert not any(person in texts for person in people)
    assert all(breed in texts for breed in breeds)


def test_a_persons_lines_are_not_everybodys_because_she_came_twice() -> None:
    """What two of thirty subjects share belongs to one person with two requests; k make it everybody's."""
    lines = [f"Koivukuja {number} C {number + 2}" for number in range(3, 13)]
    raw = [
        episode(
            f"e{number}",
            *calls(
                "permit",
                {"n": number},
                {"osoite": lines[number % 10], "holder_email": f"a{number}@mail.example"},
            ),
        )
        for number in range(30)
    ]
    texts = "\n".join(map(said, past(raw)))
    assert not any(line in texts for line in lines)


def test_an_author_that_every_call_names_is_not_whose_request_it_is() -> None:
    """`"author": "bot"` made one subject of all conversations, so that nothing differed from person to person."""
    raw = [
        episode(f"e{number}", *calls("note", {"author": "bot", "n": number}, {"ok": "yes"}))
        for number in range(6)
    ]
    app = learn(raw, (), policy=Policy()).app("app")
    seen = [
        subject
        for values in app.evidence.values()
        for listed in values.values()
        for subject in listed
    ]
    assert len(set(seen)) == 6


@pytest.mark.parametrize(
    "answer",
    [{"via": "103.138.59.31"}, {"via": "2804:14c:9a:1f0::7"}, {"y_no": "1007861-8"}],
)
def test_addresses_of_the_net_and_joined_numbers_are_identifiers(answer: dict[str, object]) -> None:
    """A value of its own under a key that nobody knows was kept as a number."""
    raw = [
        episode("e", *calls("get", {}, answer), says("user", f"see {next(iter(answer.values()))}"))
    ]
    assert str(next(iter(answer.values()))) not in said(past(raw)[0])


def test_the_only_pair_between_two_marks_has_a_value_with_blanks() -> None:
    """`reg=CA 145-401` was read as `CA`, and the plate stayed."""
    raw = [
        episode(
            f"e{number}",
            *calls(
                "get",
                {"n": number},
                f"ref={number};state=open;reg=CA {145 + number}-40{number};own=Sipho Nkosi{chr(97 + number)}",
            ),
        )
        for number in range(8)
    ]
    done = past(raw)
    assert all(f"CA {145 + number}-40{number}" not in said(one) for number, one in enumerate(done))


def test_the_language_merges_in_any_order_and_is_kept() -> None:
    """Days learnt apart know the same words as days learnt together, and bytes keep them."""
    raw = talks("Ask Turgutcan Zurnac.")
    whole = learn(raw, (), policy=Policy())
    parts = [learn(raw[:4], (), policy=Policy()), learn(raw[4:], (), policy=Policy())]
    assert (
        merge(*parts).app("app").small
        == merge(*parts[::-1]).app("app").small
        == whole.app("app").small
    )
    assert merge(*parts).app("app").told == whole.app("app").told
    read = Learnt.from_bytes(whole.to_bytes()).app("app")
    assert (read.small, read.told) == (whole.app("app").small, whole.app("app").told)
    assert judge(read, k=5) == judge(whole.app("app"), k=5)


def test_who_did_something_is_a_person_though_no_list_has_the_name() -> None:
    """Two reviewers stand before every subject, in a log's label, in a list and as user names."""
    people = ["Nwosuko Chidiebe", "Kalogerop Dimitri"]
    raw = [
        episode(
            f"e{number}",
            *calls("log", {"n": number}, f"commit {number}\nReviewed-by: {people[number % 2]}\n"),
            *calls(
                "open",
                {"ask": people[number % 2].lower().replace(" ", ".")},
                {
                    "asked": [people[number % 2]],
                    "kind": ["Hotfix Branch", "Feature Branch"][number % 2],
                },
                call_id="c2",
            ),
            says("assistant", f"{people[number % 2]} looks at the branch"),
        )
        for number in range(24)
    ]
    texts = "\n".join(map(said, past(raw)))
    assert not any(word in texts for person in people for word in person.split())
    assert "Hotfix Branch" in texts


def test_words_that_k_people_say_are_names_where_nothing_explains_them() -> None:
    """Two children's nicknames, which half of the families share each, in messages and in the prose of calls."""
    nicknames = ["Zubbo", "Qirli"]
    raw = [
        episode(
            f"e{number}",
            says("user", f"it is about number {number}, and little {nicknames[number % 2]} is ill"),
            *calls(
                "note",
                {"text": f"the mother of {nicknames[number % 2]} rang about the order"},
                {"state": "open"},
            ),
            says("assistant", REPLY),
        )
        for number in range(24)
    ]
    done = past(raw)
    texts = "\n".join(
        [
            *map(said, done),
            *(c.arguments for d in done for s in d.clean.steps for c in s.tool_calls),
        ]
    )
    assert not any(name in texts for name in nicknames)
    assert "about the order" in texts


def test_an_acronym_with_an_ending_is_no_name() -> None:
    """`IDs` stands inside a sentence and is in no list."""
    assert all("the IDs" in said(done) for done in past(talks("these are the IDs of it")))


def test_a_name_that_is_an_ordinary_word_goes_where_somebody_is_called() -> None:
    """A message begins or ends with the name, between marks of layout too."""
    raw = [
        episode(
            "e",
            *calls("look_up", {"n": 1}, {"first_name": "Bill", "last_name": "Zurnac"}),
            says("assistant", "*Bill*, your bill is open."),
            says("assistant", "Done Bill! The bill is paid."),
        )
    ]
    texts = said(past(raw)[0])
    assert "Bill" not in texts
    assert "your bill is open" in texts


def test_a_listed_name_that_is_also_a_place_is_somebodys_first_name() -> None:
    """Three managers whom everybody sees under a key that says nothing of people."""
    people = ["Devon Mukasabe", "Tomasz Wierzbax", "Rosalind Achterbex"]
    raw = [
        episode(f"e{number}", *calls("look_up", {"n": number}, {"actor": people[number % 3]}))
        for number in range(24)
    ]
    texts = "\n".join(map(said, past(raw)))
    assert not any(word in texts for person in people for word in person.split())


def test_an_unlisted_pair_among_names_of_people_is_a_name() -> None:
    """A card's fields are values of everybody's, and two of them are people whom lists know."""
    people = ["Leopold Strand", "Ferdinand Kroll", "Ximenix Cuarobe"]
    states = ["sick leave", "annual leave", "PENDING", "APPROVED"]
    raw = [
        episode(
            f"e{number}",
            *calls(
                "card",
                {"n": number},
                {"fields": [people[number % 3], states[number % 2], states[2 + number % 2]]},
            ),
            says("assistant", f"your leave is covered by {people[number % 3]}, the sick one too"),
        )
        for number in range(24)
    ]
    texts = "\n".join(map(said, past(raw)))
    assert not any(person in texts for person in people)
    assert "sick leave" in texts


@pytest.mark.parametrize("greeting", ["Thanks", "Welcome", "Danke", "Merci"])
def test_who_is_greeted_goes_and_the_greeting_stays(greeting: str) -> None:
    """The run "Thanks Ondine" is no full name, though both words are in no list."""
    told = f"{greeting} Ondine. Ms Kestrelby, your line is active."
    (done,) = past([episode("a", says("user", "Ondine Kestrelby here"), says("assistant", told))])
    assert "Ondine" not in said(done)
    assert "Kestrelby" not in said(done)
    assert f"{greeting} " in said(done)
    (alone,) = past([episode("a", says("assistant", f"{greeting} Ondine. Your line is active."))])
    assert said(alone).startswith(f"{greeting} ")
    assert "Ondine" not in said(alone)
