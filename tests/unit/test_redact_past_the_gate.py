"""Personal data in places that are neither arguments nor results: definitions, ids of calls, words about outcomes."""

import json
from dataclasses import replace

import pytest

from ingest.records.episode import Episode
from ingest.records.outcome import Outcome
from redact.apply.learn import learn
from redact.apply.scrub import scrub, scrub_outcomes
from redact.decisions.field_forms import is_letters_between, is_plate
from redact.evidence.app_values import Learnt, merge
from redact.names.abbreviations import numbered_words, user_names_among
from redact.names.mail_names import names_beside
from redact.names.prose_names import likely_names, names_in, names_shown
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.records.clean_episode import CleanEpisode
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode, says

POLICY = Policy()
PEOPLE = [
    ("Xiomara", "Quispe"),
    ("Torvald", "Halvorsen"),
    ("Ngaire", "Tuhiwai"),
    ("Saoirse", "Macnamara"),
    ("Leocadia", "Wachowiak"),
    ("Tendai", "Mutasa"),
]


def defined(name: str, description: str, **properties: object) -> str:
    """A tool definition as canonical JSON."""
    function = {
        "name": name,
        "description": description,
        "parameters": {"type": "object", "properties": properties},
    }
    return json.dumps({"type": "function", "function": function}, sort_keys=True)


def visit(number: int, *tools: str, call_id: str = "c1") -> Episode:
    """One customer's conversation, with definitions."""
    first, last = PEOPLE[number]
    record = {"contact": f"p{number}@mail.example", "first_name": first, "last_name": last}
    done = calls("find_guest", {"code": f"QX{number}"}, record, call_id=call_id)
    hello = says("user", f"hello, {first} {last} here, please help")
    return replace(
        episode(f"e{number}", hello, *done), subject=f"p{number}@mail.example", tools=tools
    )


def cleaned(episodes: list[Episode]) -> list[CleanEpisode]:
    """The episodes past the gate."""
    learnt = learn(episodes, (), policy=POLICY)
    done = scrub(episodes, learnt=learnt, vault=Vault(None, SECRET), policy=POLICY)
    return [one.clean for one in done]


def test_definitions_made_for_one_user_are_that_users_texts() -> None:
    """Her name in a description, a default and a choice is removed, and is no word of the app's vocabulary."""
    episodes = [
        visit(
            number,
            defined(
                "move",
                f"Move a booking of {first} {last}.",
                guest={"type": "string", "enum": [f"{first} {last}", first]},
                surname={"type": "string", "default": last},
            ),
        )
        for number, (first, last) in enumerate(PEOPLE)
    ]
    for (first, last), clean in zip(PEOPLE, cleaned(episodes), strict=True):
        assert first not in repr(clean)
        assert last not in repr(clean)


def test_a_conversations_own_id_is_told_without_what_is_personal() -> None:
    """A backtest tells whose line it speaks of; an id made of the user's name is another, a plain one is itself."""
    named = replace(visit(1), conversation_id="conv-thalvorsen20-8")
    mailed = replace(visit(2), conversation_id="p2@mail.example/1")
    episodes = [visit(0), named, mailed]
    learnt = learn(episodes, (), policy=POLICY)
    done = list(scrub(episodes, learnt=learnt, vault=Vault(None, SECRET), policy=POLICY))
    assert done[0].given_id == "e0"
    assert "halvorsen" not in done[1].given_id
    assert "p2@" not in done[2].given_id
    assert len({one.given_id for one in done}) == 3


def test_choices_that_everybody_has_stay() -> None:
    """An enumeration of plans is the app's vocabulary, in an app of one user too."""
    tool = defined("plan", "Change the plan.", plan={"enum": ["Grace Plan", "Family Plan"]})
    for episodes in ([visit(0, tool)], [visit(number, tool) for number in range(6)]):
        assert all(clean.tools == (tool,) for clean in cleaned(episodes))


def test_people_in_everybodys_definitions_are_removed() -> None:
    """A colleague among the choices, an example's address and a telephone number are personal in every episode."""
    tool = defined(
        "assign",
        "Assign to Anna, e.g. anna.meier77@desk.example or Anna Meier (no. DM-5940201), phone +44 7700 900123.",
        owner={"enum": ["Clementine Brown", "Katherina Schulz"]},
    )
    call = calls("assign", {"owner": "Clementine Brown"}, {"ok": True})
    episodes = [visit(number, tool) for number in range(6)]
    episodes = [replace(one, steps=(*one.steps, *call)) for one in episodes]
    for clean in cleaned(episodes):
        for gone in (
            "anna.meier77",
            "Anna Meier",
            "900123",
            "Clementine Brown",
            "Katherina Schulz",
        ):
            assert gone not in repr(clean)
        owners = json.loads(clean.tools[0])["function"]["parameters"]["properties"]["owner"]["enum"]
        assert json.loads(clean.steps[-2].tool_calls[0].arguments)["owner"] == owners[0]


def test_what_definitions_say_merges_in_any_order_and_goes_to_bytes_and_back() -> None:
    """Subjects of choices are counted over parts."""
    one, two = (
        learn([visit(n, defined("a", "A.", b={"enum": ["x", str(n)]}))], (), policy=POLICY)
        for n in (0, 1)
    )
    assert merge(one, two).to_bytes() == merge(two, one).to_bytes()
    assert Learnt.from_bytes(merge(one, two).to_bytes()) == merge(one, two)
    assert len(merge(one, two).app("app").choices["x"]) == 2


def test_an_id_of_a_call_that_holds_a_name_in_a_longer_word_is_another() -> None:
    """`call_thalvorsen46_1` names its user; call and result still belong together."""
    clean = cleaned([visit(1, call_id="call_thalvorsen46_1")])[0]
    assert "halvorsen" not in repr(clean).casefold()
    assert clean.steps[1].tool_calls[0].call_id == clean.steps[2].call_id
    plain = cleaned([visit(1, call_id="call_Ab12xY")])[0]
    assert plain.steps[2].call_id == "call_Ab12xY"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "escalate to Qwenta Featherstone, qwenta.featherstone81@desk.example",
            "Qwenta Featherstone",
        ),
        (
            '{"host": "Dashiell Fothergill", "hostMail": "dfothergill@x.example"}',
            "Dashiell Fothergill",
        ),
        ("<fothergill.dashiell@x.example> Fothergill, Dashiell", "Fothergill Dashiell"),
    ],
)
def test_a_name_beside_an_address_made_of_it(text: str, name: str) -> None:
    """Neither word is in a list; the address says that they are somebody's."""
    address = next(word.strip('<>",}') for word in text.split() if "@" in word)
    assert name in set(names_beside(text, address))


@pytest.mark.parametrize(
    "text",
    [
        "Customer Care <customer.care@shop.example>",
        "Blue Harbour or a note to anna@shop.example",
        "Front Desk (frontdesk@shop.example)",
    ],
)
def test_desks_and_other_words_beside_an_address_are_nobody(text: str) -> None:
    """A desk's own words are not a person's name."""
    address = next(word.strip("<>()") for word in text.split() if "@" in word)
    assert not list(names_beside(text, address))


def test_names_after_relations_and_before_numbers() -> None:
    """A listed first name brings its unlisted surname where a relation stands before it or a number behind."""
    assert ("full_name", "Horatio Dankworth") in list(
        names_in("My partner Horatio Dankworth pays.")
    )
    assert ("full_name", "Horatio Dankworth") in list(
        names_in("Ask Horatio Dankworth (+44 7157 864454).")
    )
    assert ("full_name", "Qwenta Loughborough") in list(names_in("my wife Qwenta Loughborough can"))
    for text in (
        "Ask Horatio Dankworth (4 of 5).",
        "the guest Gull Cottage",
        "for your guest House",
    ):
        assert not list(names_in(text))


@pytest.mark.parametrize("name", ["Millicent Cholmondeley", "Qwenta Ravenscroft"])
def test_names_in_what_people_say_of_an_outcome_are_removed(name: str) -> None:
    """Nothing is replayed from a comment: a run of capitals with one listed name goes."""
    raw = visit(0)
    outcome = Outcome(
        app="app",
        outcome_id="o",
        target_kind="episode",
        target_id=raw.episode_id,
        episode_id=raw.episode_id,
        name="csat",
        value=1.0,
        text=f"complaint taken by {name}",
        source="table",
    )
    learnt = learn([raw], [outcome], policy=POLICY)
    vault = Vault(None, SECRET)
    clean = next(iter(scrub_outcomes([outcome], learnt=learnt, vault=vault, policy=POLICY)))
    assert clean.text is not None
    assert clean.text.startswith("complaint taken by ")
    assert not any(word in clean.text for word in name.split())


def test_a_name_typed_on_another_keyboard_is_removed_and_searched_for() -> None:
    """`firat-kilicarslaner` names F\u0131rat K\u0131l\u0131\u00e7arslaner, at the gate as in the check behind it."""
    record = {"full_name": "F\u0131rat K\u0131l\u0131\u00e7arslaner", "mail": "fk81@mail.example"}
    raw = replace(
        episode("one", *calls("me", {}, record), says("user", "my page is /u/firat-kilicarslaner")),
        task_key="refund/firat-kilicarslaner",
    )
    assert "kilicarslaner" not in repr(cleaned([raw])[0]).casefold()
    learnt = learn([raw], (), policy=POLICY)
    assert leaks_in([("x", "refund/firat-kilicarslaner")], learnt=learnt)


def test_user_names_made_of_an_initial_and_a_cut_name_are_removed() -> None:
    """`thalvorse29` in a tool's name, a text and an id of a call is Torvald Halvorsen; other words with numbers stay."""
    said = says("user", "it is in the box of thalvorse29, product halogen29, and torvaldh7 has it")
    box = calls("inbox_thalvorse29", {"q": "x"}, "nothing", call_id="call_thalvorse29_7")
    other = calls("inbox", {"q": "x"}, "nothing", call_id="call_halogen29_8")
    raw = visit(1)
    clean = cleaned([replace(raw, steps=(*raw.steps, said, *box, *other))])[0]
    assert "halvorse" not in repr(clean).casefold()
    assert "torvald" not in repr(clean).casefold()
    assert "halogen29" in repr(clean)
    box_call, result = clean.steps[4], clean.steps[5]
    assert box_call.tool_calls[0].call_id == result.call_id


def test_a_definition_named_after_its_user_needs_no_call() -> None:
    """A tool `inbox_thalvorse29` that nobody calls names Torvald Halvorsen all the same."""
    episodes = [visit(0), visit(1, defined("inbox_thalvorse29", "The box."))]
    assert "halvorse" not in repr(cleaned(episodes)).casefold()


def test_a_listed_name_begins_no_word_that_is_somebodys_without_the_other_name() -> None:
    """The beginning of one name and a number is a word: of two names an initial has to stand before it."""
    words = numbered_words("tquispe4 quispe4 xquispe4 quis4")
    assert list(user_names_among(words, {"torvald", "quispe"})) == ["tquispe4"]
    assert not list(user_names_among(words, {"quispe"}))


def test_names_of_no_list_in_comments_are_removed() -> None:
    """Two capitalised words that nobody knows are a name; a sentence, a public name and capitals throughout are none."""
    held = {"Gull", "Cottage"}.__contains__
    text = "Turgutcan Zurnac\u0131o\u011flu phoned, Gull Cottage. Very slow. THE END"
    assert list(likely_names(text, held)) == ["Turgutcan Zurnac\u0131o\u011flu"]
    assert not list(likely_names(text))


def test_plates_in_records_of_people_are_identifiers() -> None:
    """A number plate under a key that no rule knows is another plate, and no task waits for it."""
    letters = ["KMN", "NDE", "NCG", "HCH", "LBA", "GEB"]
    episodes = [
        episode(
            f"e{number}",
            *calls(
                "me",
                {},
                {"mail": f"p{number}@mail.example", "plaka": f"0{number} {word} 94{number}"},
            ),
        )
        for number, word in enumerate(letters)
    ]
    for number, clean in enumerate(cleaned(episodes)):
        plate = json.loads(clean.steps[1].content or "")["plaka"]
        assert plate not in {"[withheld]", f"0{number} {letters[number]} 94{number}"}
        assert not clean.withheld


@pytest.mark.parametrize(("first", "last"), [("Hope", "Price"), ("May", "Order")])
def test_two_ordinary_words_are_a_person_where_they_are_one_word(first: str, last: str) -> None:
    """`hope-price`, `hopeprice` and `hprice42` are hers, "we hope price drops" is anybody's, for the check as well."""
    record = {"full_name": f"{first} {last}", "mail": f"{first}.{last}42@mail.example".lower()}
    low, high = first.lower(), last.lower()
    said = f"see /u/{low}-{high}, {low}.{high}, {low}{high} or {low[0]}{high}42"
    raw = replace(
        episode("one", *calls("me", {}, record), says("user", said), says("user", f"we {low} {high}s; {low} {high}")),
        task_key=f"garage/{low}-{high}",
    )  # fmt: skip
    clean = cleaned([raw])[0]
    told = f"{clean.task_key} {clean.steps[2].content}"
    assert low not in told.replace("hopes", "")
    assert high not in told
    assert clean.steps[3].content == f"we {low} {high}s; {low} {high}"
    learnt = learn([raw], (), policy=POLICY)
    texts = [("told", told), ("prose", clean.steps[3].content or "")]
    assert not leaks_in(texts, learnt=learnt)
    for leak in (f"{first} {last}", f"{low}-{high}", f'{{"a": "{low} {high.upper()}"}}'):
        assert leaks_in([("x", leak)], learnt=learnt)


def test_a_subject_that_is_a_telephone_number_gets_one_that_rings_nobody() -> None:
    """Whoever is named by a number is another number of the reserved range, in records as in the subject."""
    done = calls("me", {}, {"member": "+905371234567", "full_name": "Torvald Halvorsen"})
    clean = cleaned([replace(episode("one", *done), subject="+905371234567")])[0]
    assert clean.subject is not None
    assert clean.subject.startswith("+999")
    assert json.loads(clean.steps[1].content or "")["member"] == clean.subject


def test_a_name_in_an_answer_in_prose_is_somebodys() -> None:
    """A listed first name brings its unlisted surname where a tool answers in sentences; towns and sentences stay."""
    text = "The garage says: Nurettin Ek\u015fio\u011fullu looked at it. Chelsea Boots came to Maine Coon."
    assert list(names_shown(text)) == [("full_name", "Nurettin Ek\u015fio\u011fullu")]
    raw = episode("one", *calls("ask", {}, text), says("user", "Nurettin Ek\u015fio\u011fullu?"))
    assert "Ek\u015fio\u011fullu" not in repr(cleaned([raw]))


def test_sizes_with_their_units_are_no_plates() -> None:
    """What a customer chose of a few sizes stays, though `512GB SSD` is shaped like a plate of another country."""
    assert is_plate("512GB SSD")
    assert not is_letters_between("512GB SSD")
    assert is_letters_between("34 ABC 942")
