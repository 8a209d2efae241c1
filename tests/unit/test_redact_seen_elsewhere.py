"""What real exports of agents showed: what an app says to everybody stays, and what one person says goes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode, says

PEOPLE = [
    ("Anneliese", "Meyerhoff"), ("Gottfried", "Baumgartner"), ("Waltraud", "Steinbach"), ("Dietmar", "Kaltenbrunn"),
    ("Roswitha", "Wiesenthal"), ("Reinhold", "Zimmermann"), ("Hildegard", "Lindqvist"), ("Ulrike", "Osterhagen"),
]  # fmt: skip


def past_the_gate(raw: list[Episode]) -> list[Scrubbed]:
    """The conversations past the gate; nothing that was learnt is left in them."""
    learnt = learn(raw, (), policy=Policy())
    done = list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    texts = [(one.clean.episode_id, text) for one in done for text in (told(one), *one.clean.tools)]
    assert not list(leaks_in(texts, learnt=learnt))
    return done


def told(one: Scrubbed) -> str:
    """Everything that is said, called and answered in a clean episode."""
    parts = [
        part
        for step in one.clean.steps
        for part in (step.content or "", *(call.arguments for call in step.tool_calls))
    ]
    return "\n".join(parts)


def as_it_was(raw: Episode) -> str:
    """The same of a raw one."""
    parts = [
        part
        for step in raw.steps
        for part in (step.content or "", *(call.arguments for call in step.tool_calls))
    ]
    return "\n".join(parts)


def profile(row: int) -> dict[str, str]:
    """One invented customer's record."""
    first, last = PEOPLE[row]
    return {"full_name": f"{first} {last}", "email": f"{first.lower()}@mail.example"}


def test_a_tool_named_in_an_argument_teaches_nobody() -> None:
    """An agent that calls tools through one tool says their names under a key `APIName`; none of them is a person."""
    names = ["ferry_book", "ferry_cancel", "rose_wilder", "grant_will", "mark_dawn"]
    tools = tuple(
        json.dumps({"name": name, "description": "Does it.", "parameters": {"type": "object"}})
        for name in names
    )
    raw = [
        replace(
            episode(
                f"e{row}",
                says("user", "please do what you did last time, " + PEOPLE[row][0]),
                *calls(
                    "dispatch",
                    {"APIName": names[row % 5], "person": profile(row)["full_name"]},
                    {"ran": names[row % 5], "ok": True},
                ),
                *calls(names[row % 5], {"berth": 3}, {"api_name": names[row % 5], "ok": True}),
                says("assistant", f"{names[row % 5]} went well."),
            ),
            tools=tools if row % 2 else (),
        )
        for row in range(8)
    ]
    done = past_the_gate(raw)

    for row, one in enumerate(done):
        assert told(one).count(names[row % 5]) == 4
        assert PEOPLE[row][1] not in told(one)
        assert not one.held
        assert one.clean.tools == raw[row].tools


@pytest.mark.parametrize(
    "key",
    ["restaurant_name", "hotelName", "museum_name", "course name", "venue_name", "ProductName"],
)
@pytest.mark.parametrize("one", [1, 8])
def test_the_name_of_a_place_or_a_thing_is_no_last_name(key: str, one: int) -> None:
    """Where people go is named in results, calls and answers alike, for one customer and for eight."""
    houses = ["The Copper Kettle", "Lindenhof", "Wilder Kitchen", "Harbour Lights"]
    raw = [
        episode(
            f"e{row}",
            *calls("find", {"town": "near"}, [{key: house, "seats": 4} for house in houses]),
            *calls("reserve", {key: houses[row % 4]}, {key: houses[row % 4], "ok": True}),
            says("assistant", f"A table at {houses[row % 4]} is yours."),
        )
        for row in range(one)
    ]

    for before, after in zip(raw, past_the_gate(raw), strict=True):
        assert told(after) == as_it_was(before)
        assert not after.held


@pytest.mark.parametrize("key", ["id", "reminder_id", "ref", "user_id", "identifier"])
def test_a_digit_and_a_plain_word_under_a_key_for_ids_are_no_ids_of_people(key: str) -> None:
    """`3`, `worlds` and `made` stay in sentences, though a customer's record has them under such a key."""
    ids = ["3", "worlds", "made", "7", "left", "1", "open", "12"]
    said = "We made 3 of 12 worlds open, 7 left, 1 to go."
    raw = [
        episode(
            f"e{row}",
            says("user", said),
            *calls("recall", {key: ids[row]}, {key: ids[row], **profile(row)}),
            says("assistant", said),
        )
        for row in range(8)
    ]

    for row, after in enumerate(past_the_gate(raw)):
        assert after.clean.steps[0].content == said
        assert after.clean.steps[-1].content == said
        assert PEOPLE[row][1] not in told(after)
        assert not after.held


def test_a_share_price_reads_alike_in_a_result_and_in_the_answer() -> None:
    """A number written with four places in a result and with two in an answer is no number of anybody's."""
    raw = [
        episode(
            f"e{row}",
            says("user", f"What is {'AXQZ'[row % 4 :]}L worth?"),
            *calls(
                "quote",
                {"symbol": f"{'AXQZ'[row % 4 :]}L"},
                {
                    "price": f"{171 + row}.3800",
                    "shares": 48210399 + row * 7919,
                    "volume": f"{58210399 + row}",
                    "change": "-0.4120",
                },
            ),
            says("assistant", f"It stands at ${171 + row}.38, down 0.41."),
        )
        for row in range(8)
    ]

    for before, after in zip(raw, past_the_gate(raw), strict=True):
        assert told(after) == as_it_was(before)


def test_weekdays_and_months_stay() -> None:
    """April and May are people too, and days under a key that no rule knows differ from customer to customer."""
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Mon"]
    months = ["January", "April", "May", "June", "August", "September", "October", "December"]
    raw = [
        episode(
            f"e{row}",
            says("user", f"See you on {days[row]}, or in {months[row]}."),
            *calls(
                "slot",
                {"when": days[row], "month": months[row]},
                {"slot": days[row], "in": months[row], **profile(row)},
            ),
            says("assistant", f"{days[row]} it is, {months[row]} otherwise."),
        )
        for row in range(8)
    ]

    for row, after in enumerate(past_the_gate(raw)):
        assert told(after).count(days[row]) >= 4
        assert told(after).count(months[row]) >= 4
        assert PEOPLE[row][1] not in told(after)
        assert not after.held


@pytest.mark.parametrize("key", ["from", "departure_airport", "origin_code", "location"])
def test_the_code_of_an_airport_is_the_same_where_it_is_said_and_where_it_is_called(
    key: str,
) -> None:
    """Customers say where they leave from; the call has the same three letters."""
    codes = ["LAX", "OSL", "MIA", "EVA", "JFK", "KIM", "SFO", "ANA"]
    raw = [
        episode(
            f"e{row}",
            says("user", f"I leave from {codes[row]} on the 4th."),
            *calls("profile", {"row": row}, profile(row)),
            *calls("flights", {key: codes[row]}, {"legs": [{key: codes[row], "gate": 4}]}),
            says("assistant", f"One leaves from {codes[row]} at 9."),
        )
        for row in range(8)
    ]

    for row, after in enumerate(past_the_gate(raw)):
        assert told(after).count(codes[row]) == 4
        assert not after.held


def test_chinese_texts_are_not_withheld() -> None:
    """Remarks in Chinese that differ from customer to customer lose the name and keep the rest."""
    names = ["王建国", "李秀英", "张伟强", "刘桂芳", "陈志明", "杨丽娟", "赵文博", "黄晓燕"]
    done = [
        "更换了主板和电源", "清洗了空调的滤网", "修理了厨房的水管", "检查了客厅的电路",
        "安装了新的热水器", "调整了阳台的门窗", "补好了卫生间的墙面", "疏通了楼下的管道",
    ]  # fmt: skip
    raw = [
        episode(
            f"e{row}",
            says("user", f"师傅{done[row]}以后还是有问题。"),
            *calls(
                "工单查询",
                {"工单": row},
                {"姓名": names[row], "备注": f"{names[row]}家里{done[row]}。下周再来。"},
            ),
            says("assistant", f"好的。记录显示{done[row]}。"),
        )
        for row in range(8)
    ]

    for row, after in enumerate(past_the_gate(raw)):
        assert not after.held
        assert told(after).count(done[row]) >= 2
        assert names[row] not in told(after)


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("my pin was 3941 or 1596", ["3941", "1596"]),
        ("My PIN was 3941, or maybe 1596.", ["3941", "1596"]),
        ("the code is 7261 and the old one 9035", ["7261", "9035"]),
    ],
)
def test_all_codes_of_a_sentence_go(said: str, gone: list[str]) -> None:
    """Who does not remember a code says both, and both go, from a message, a call and a result."""
    raw = [
        episode(
            "e",
            says("user", said),
            *calls("verify", {"note": said}, {"note": said, "ok": False}),
        )
    ]
    after = past_the_gate(raw)[0]

    assert [one for one in gone if one in told(after)] == []


def test_what_definitions_and_the_prompt_say_to_everybody_stays_where_it_is_said() -> None:
    """Choices of a definition, and names of plans and shops that the prompt tells all, are no people, whoever says them."""
    tiers = ["Sterling", "Rosemary", "Jasper", "Basic Plus"]
    tool = json.dumps(
        {
            "name": "set_tier",
            "description": "Moves a member of the Wilder Grove club to another tier.",
            "parameters": {
                "type": "object",
                "properties": {"tier": {"type": "string", "enum": tiers}},
            },
        }
    )
    prompt = "You work for Harper Lane Outfitters. Say that the Madison desk opens at nine."
    raw = [
        replace(
            episode(
                f"e{row}",
                says("system", prompt),
                says("user", f"I am {' '.join(PEOPLE[row])}, make me {tiers[row % 4]}, please."),
                *calls("member", {"row": row}, {**profile(row), "tier": tiers[row % 4]}),
                *calls("set_tier", {"tier": tiers[row % 4]}, {"tier": tiers[row % 4]}),
                says(
                    "assistant",
                    f"Harper Lane Outfitters made you {tiers[row % 4]}. The Madison desk of Wilder Grove is open.",
                ),
            ),
            tools=(tool,),
        )
        for row in range(8)
    ]

    for row, after in enumerate(past_the_gate(raw)):
        assert after.clean.steps[0].content == prompt
        assert after.clean.tools == (tool,)
        assert told(after).count(tiers[row % 4]) == 5
        assert after.clean.steps[-1].content == raw[row].steps[-1].content
        assert not any(word in told(after) for word in PEOPLE[row])
        assert not after.held


def located(said: str, record: dict[str, object], row: int = 0) -> Episode:
    """A conversation in which somebody says where a place on the map is, and a record has it."""
    return episode(
        f"e{row}",
        says("user", said),
        *calls("mark", {"lat": 52.516, "lng": -13.3777}, record),
        says("assistant", "Marked 52.516, -13.3777."),
    )


@pytest.mark.parametrize("said", ["go to 52.5160,-13.3777", "lat 52.51600 lng -13.3777, please"])
@pytest.mark.parametrize(
    "record",
    [
        {"ok": True},
        {"full_name": "Anneliese Meyerhoff", "lat": 52.516, "lng": -13.3777},
        {"street": "12 Larkspur Lane", "city": "Norwich", "lat": 52.516, "lng": -13.3777},
    ],
)
def test_where_somebody_is_moves_alike_in_messages_calls_and_results(
    said: str, record: dict[str, object]
) -> None:
    """Both numbers go, with zeros at the end or without, and equal numbers stay equal."""
    text = told(past_the_gate([located(said, record)])[0])
    asked = json.loads(text.splitlines()[2])

    assert "52.516" not in text
    assert "13.3777" not in text
    assert text.count(str(asked["lat"])) == 4 - ("lat" not in record)
    assert text.count(str(asked["lng"])) == 4 - ("lat" not in record)


def test_where_a_town_is_stays() -> None:
    """A result names the town beside its place on the map, which is nobody's then, wherever it is said."""
    record = {"town": "Norwich", "latitude": 52.516, "longitude": -13.3777}
    raw = located("Norwich is at 52.5160,-13.3777", record)

    assert told(past_the_gate([raw])[0]) == as_it_was(raw)


@pytest.mark.parametrize(
    "text",
    [
        "We compare TORQ-Ana2 with TORQ-Ana3, as GRX-4 and DeltaForge did before.",
        "Such models as DeltaForge, GRX-4 and HORB-Eva12 were trained for a week.",
    ],
)
def test_models_and_methods_are_no_people(text: str) -> None:
    """Acronyms with a number, with a word and a number, and words joined by capitals stay in every conversation."""
    raw = [
        episode(
            f"e{row}",
            *calls("profile", {"row": row}, profile(row)),
            *calls("paper", {"row": row}, {"summary": f"{text} See part {row + 2}."}),
        )
        for row in range(8)
    ]

    for after in past_the_gate(raw):
        assert text in told(after)
        assert not after.held


@pytest.mark.parametrize("name", ["ana-meier42", "ANA-MEIER42", "Ana_Meier_42", "ana.MEIER.42"])
def test_user_names_of_two_words_still_go(name: str) -> None:
    """Only an acronym before a word in other letters makes none."""
    raw = [episode("e", says("user", f"my login {name} does not work"))]

    assert name not in told(past_the_gate(raw)[0])


def test_a_month_is_no_id_without_its_prefix() -> None:
    """A file is called after a person's id and a month; the same month in a day stays a day."""
    raw = [
        episode(
            f"e{row}",
            says(
                "user",
                f"Close QX{row}04_Closing_2031-0{row + 1} on '2031-0{row + 1}-28' for me.",
            ),
            *calls(
                "close",
                {"file": f"QX{row}04_Closing_2031-0{row + 1}"},
                {"closed": f"2031-0{row + 1}-28", **profile(row)},
            ),
        )
        for row in range(8)
    ]

    for row, after in enumerate(past_the_gate(raw)):
        assert told(after).count(f"2031-0{row + 1}-28") == 2


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ("user dragon is locked", False),
        ("My id is dragon.", False),
        ("log in as dragon, please", False),
        ("a dragon stands in my game", True),
    ],
)
def test_an_id_that_is_a_word_goes_where_it_is_told_as_one(said: str, *, stays: bool) -> None:
    """What stands before it says whether a word is somebody's."""
    raw = [episode("e", says("user", said), *calls("find", {"user_id": "dragon"}, profile(0)))]
    after = past_the_gate(raw)[0]

    assert ("dragon" in (after.clean.steps[0].content or "")) is stays
    assert "dragon" not in after.clean.steps[1].tool_calls[0].arguments


def test_a_login_goes_from_the_texts_of_other_conversations() -> None:
    """Its record stands in one conversation, a refusal in another names it; a login that is a word stays in sentences."""
    owned = calls("directory_get", {"login": "vdornik"}, {"login": "vdornik", **profile(0)})
    worded = calls("directory_get", {"login": "made"}, {"login": "made", **profile(1)})
    refused = calls("join", {"group": "ledger"}, "ERR 403: ledger is restricted (owner vdornik)")
    raw = [
        episode("e0", says("user", "Who is it?"), *owned),
        episode("e1", says("user", "And this?"), *worded),
        episode("e2", says("user", "I made it."), *refused, says("assistant", "Ask vdornik.")),
    ]

    after = past_the_gate(raw)[2]
    assert "vdornik" not in told(after)
    assert after.clean.steps[0].content == "I made it."


def test_a_word_with_a_mark_behind_it_is_no_login() -> None:
    """A program's text says `userId: string;`: the type is nobody, and it stands everywhere."""
    listing = calls("files_read", {"path": "api.ts"}, "userId: string;\nemail: string;")
    raw = [
        episode("e0", says("user", "Show the types."), *listing),
        episode(
            "e1", says("user", "Which type has it?"), says("assistant", "It is a string; see.")
        ),
    ]

    after = past_the_gate(raw)[1]

    assert after.clean.steps[1].content == "It is a string; see."
