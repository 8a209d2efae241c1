"""What is nobody's stays and keeps no conversation waiting: catalogues, templates with what an episode tells, measures, codes."""

from __future__ import annotations

import pytest

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.names.prose_names import names_in
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.unit.raw_conversations import SECRET, calls, episode, says

FIRST = [
    "Anneliese", "Brunhilde", "Gottfried", "Heinrich", "Siegfried", "Waltraud",
    "Kunigunde", "Dietmar", "Hildegard", "Roswitha", "Ulrike", "Reinhold",
]  # fmt: skip
LAST = ["Meyerhoff", "Baumgartner", "Zimmermann", "Steinbach", "Kaltenbrunn", "Wiesenthal"]
PEOPLE = [(first, LAST[row % len(LAST)]) for row, first in enumerate(FIRST)]
TITLES = [
    "Raven of the Harbour", "Pilgrim 1460 Boot", "Vesper Grande", "Ostrava Lux", "Kestrel and Thorn", "Marlowe Trio",
]  # fmt: skip


def past_the_gate(raw: list[Episode], policy: Policy | None = None) -> list[Scrubbed]:
    """The conversations past the gate."""
    policy = policy or Policy()
    learnt = learn(raw, (), policy=policy)
    return list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=policy))


def noted(
    note: str,
    said: str = "the car is a Lucid Air, 117 minutes",
    *,
    policy: Policy | None = None,
) -> Scrubbed:
    """The last of twelve conversations: each has a remark of its own beside a person's record, and its charger's state."""
    raw = [
        episode(
            f"e{row}",
            says("user", said if row == 11 else f"hi, session S{4000 + row}"),
            *calls("driver", {"id": row}, {"full_name": " ".join(who), "car": "Lucid Air"}),
            *calls(
                "session",
                {"id": row},
                {
                    "email": f"d{row}@mail.example",
                    "remark": note
                    if row == 11
                    else f"stopped after {row + 11} min, {row}.5 kWh for {who[0]}",
                },
            ),
        )
        for row, who in enumerate(PEOPLE)
    ]
    return past_the_gate(raw, policy)[-1]


@pytest.mark.parametrize(
    "note",
    [
        "stopped after 54 min, 65.2 kWh for Reinhold",
        "stopped after 117 minutes, Lucid Air for Reinhold",
        "stopped after 9:31 min for Reinhold, 11 %",
    ],
)
def test_a_remark_of_measures_and_of_what_the_episode_says_elsewhere_is_not_withheld(
    note: str,
) -> None:
    """Small numbers, and words that stand in the conversation anyhow, leave nothing to judge."""
    done = noted(note)

    assert not done.held
    assert "stopped after" in (done.clean.steps[-1].content or "")
    assert "Reinhold" not in (done.clean.steps[-1].content or "")


@pytest.mark.parametrize(
    "note",
    [
        "stopped after 4821 for Reinhold",
        "stopped after 06 12 34 for Reinhold",
        "stopped after 20-11-12 for Reinhold",
        "stopped after 481 for Reinhold",
        "stopped for Xanthippe",
        "stopped for zwerenz",
        "stopped for Hope",
    ],
)
def test_a_policy_may_withhold_a_remark_with_a_code_or_a_name_that_nothing_explains(
    note: str,
) -> None:
    """A code of a door, groups of one number and unexplained words hold the whole remark back."""
    assert noted(note, "I hope it works, minutes", policy=Policy(unknown="withhold")).held


@pytest.mark.parametrize(
    ("note", "gone"),
    [
        ("stopped after 4821 for Reinhold", ["4821", "Reinhold"]),
        ("stopped after 06 12 34 for Reinhold", ["06 12 34", "Reinhold"]),
        ("stopped after 20-11-12 for Reinhold", ["20-11-12", "Reinhold"]),
        ("stopped for Xanthippe", ["Xanthippe"]),
        ("stopped for zwerenz", ["zwerenz"]),
        ("stopped for Grace Price", ["Grace", "Price"]),
        ("my pin was 3941 or 1596, stopped", ["3941", "1596"]),
        ("stopped by J. Okafor-Mbeki at gate G481B", ["Okafor", "Mbeki", "G481B"]),
    ],
)
def test_a_remark_loses_what_is_somebodys_and_keeps_the_rest(note: str, gone: list[str]) -> None:
    """Names and codes that nothing explains are replaced; the words of the language around them stay, and nothing waits."""
    done = noted(note, "I hope it works, minutes")
    text = done.clean.steps[-1].content or ""

    assert not done.held
    assert "stopped" in text
    assert [one for one in gone if one in text] == []


@pytest.mark.parametrize(
    "note",
    [
        "stopped on Friday at 12:30, back in May",
        "share price 171.3800, 3 of 40 left, below 3500 in 2024",
        "delayed reimbursement, see the customer portal",
    ],
)
def test_days_amounts_and_words_of_a_dictionary_stay(note: str) -> None:
    """Weekdays, months, prices, counts, years and plain words are nobody's."""
    assert note in (noted(note).clean.steps[-1].content or "")


def test_a_name_at_the_beginning_of_a_sentence_explains_no_name_in_a_remark() -> None:
    """`Will you` and `told Will` are two words: which of them is meant nobody knows, so that the remark is withheld."""
    assert noted("stopped for Will", "Will you look at it").held
    assert noted("stopped for Hope", "I hope it works").held


def test_codes_of_capitals_and_digits_are_replaced_and_keep_nobody_waiting() -> None:
    """A plate in two groups, an id with stars and a booking's key of letters get surrogates of their form."""
    raw = [
        episode(
            f"e{row}",
            *calls(
                "vehicle",
                {"id": row},
                {
                    "email": f"d{row}@mail.example",
                    "plate": f"T{chr(65 + row)}{row + 21} W{chr(75 + row)}L",
                    "evse": f"VT*{row + 10}*E{row + 120}",
                    "locator": f"QKX{chr(65 + row)}VTR",
                },
            ),
        )
        for row in range(12)
    ]
    done = past_the_gate(raw)

    assert not any(one.held for one in done)
    texts = [one.clean.steps[-1].content or "" for one in done]
    assert not any(f"W{chr(75 + row)}L" in text for row, text in enumerate(texts))
    assert not any(f"QKX{chr(65 + row)}VTR" in text for row, text in enumerate(texts))
    assert not any(f"VT*{row + 10}*E{row + 120}" in text for row, text in enumerate(texts))


def catalogue(titles: list[str], favourite: str = "favourite") -> list[Scrubbed]:
    """Twelve customers who see three things of one list each, and have one of them on their record."""
    raw = []
    for row, (first, last) in enumerate(PEOPLE):
        shown = [titles[(row + step) % len(titles)] for step in range(3)]
        raw.append(
            episode(
                f"e{row}",
                *calls("search", {"q": shown[0]}, {"hits": [{"title": one} for one in shown]}),
                *calls(
                    "profile", {"id": row}, {"full_name": f"{first} {last}", favourite: shown[1]}
                ),
            )
        )
    return past_the_gate(raw)


def test_a_list_that_shows_everybody_several_of_the_same_things_is_a_catalogue() -> None:
    """Its titles stay in results, in what is asked for and on a customer's record, though some begin as names do."""
    done = catalogue(TITLES)

    assert not any(one.held for one in done)
    for row, one in enumerate(done):
        text = "\n".join(step.content or "" for step in one.clean.steps)
        told = "\n".join(call.arguments for step in one.clean.steps for call in step.tool_calls)
        assert TITLES[row % 6] in text
        assert TITLES[row % 6] in told
        assert f'"favourite": "{TITLES[(row + 1) % 6]}"' in text
        assert not any(word in text for word in PEOPLE[row])


def test_a_directory_of_people_is_no_catalogue() -> None:
    """Officers are shown to everybody too, several to each: nothing among them but names."""
    staff = [
        "Ottoline Pryce",
        "Babajide Sowande",
        "Kerttu Sillanmikko",
        "Jouni Ålander",
        "Marie Dubois",
        "Olga Petrova",
    ]
    for one in catalogue(staff):
        text = "\n".join(step.content or "" for step in one.clean.steps)
        assert not any(
            word in text for name in ("Marie Dubois", "Olga Petrova") for word in name.split()
        )
        assert "Sillanmikko" not in text


def test_a_document_that_everybody_is_shown_is_the_same_for_all() -> None:
    """A customer is called as a plug in an article is: the name goes from the record and from no article."""
    article = {
        "title": "Chargers",
        "body": "Cables with a Baumgartner plug end at three metres. Call the desk in Leeds before a visit, and bring the old plug with you.",
    }
    raw = [
        episode(
            f"e{row}",
            *calls("guide", {"topic": "cables"}, article),
            *calls("profile", {"id": row}, {"first_name": first, "last_name": last}),
        )
        for row, (first, last) in enumerate(PEOPLE)
    ]
    done = past_the_gate(raw)
    articles = {one.clean.steps[1].content for one in done}

    assert len(articles) == 1
    assert not any(
        last in (one.clean.steps[3].content or "")
        for one, (_, last) in zip(done, PEOPLE, strict=True)
    )


@pytest.mark.parametrize(
    ("code", "stays"),
    [("not_found", True), ("no_such_customer", True), ("john_smith", False), ("anna-berg", False)],
)
def test_a_code_in_words_is_no_customers_id(code: str, *, stays: bool) -> None:
    """What a tool answers under `code` where there is no record is written elsewhere too; a name in that form is somebody's."""
    raw = [
        episode(
            f"e{row}",
            says("user", f"hi, session S{4000 + row}"),
            *calls(
                "getCustomer", {"id": row}, {"full_name": " ".join(who), "code": f"K-2{row:04}"}
            ),
            *calls("getCustomer", {"id": 90 + row}, {"error": "no", "code": code}),
        )
        for row, who in enumerate(PEOPLE)
    ]
    shown = past_the_gate(raw)[-1].clean.steps[-1].content or ""
    assert (code in shown) is stays


def test_a_letter_before_a_number_is_no_initial() -> None:
    """`Kunde` is a surname that people bear, and here the word for a customer before the customer's number."""
    raw = [
        episode(
            f"e{row}",
            says("user", f"hi, session S{4000 + row}"),
            *calls(
                "kunde",
                {"nr": f"K-2{row:04}"},
                f"Kunde K-2{row:04}: {' '.join(who)}\nSaldo: {row},50 EUR",
            ),
        )
        for row, who in enumerate(PEOPLE)
    ]
    for done, who in zip(past_the_gate(raw), PEOPLE, strict=True):
        shown = done.clean.steps[-1].content or ""
        assert shown.startswith("Kunde ")
        assert who[1] not in shown


@pytest.mark.parametrize(
    "said", ["No, thanks. Bye.", "Thanks. Goodbye", "thanks, Cheers", "Thanks. Perfect!"]
)
def test_a_goodbye_behind_thanks_is_nobodys_signature(said: str) -> None:
    """One unknown word behind a closing is a name, an ordinary one is none."""
    assert not list(names_in(said))
    assert list(names_in("thx Raj")) == [("first_name", "Raj")]
