"""Names of tools and arguments are the app's words, whatever somebody is called: an agent of an app must find its tools again."""

import json
from dataclasses import replace

from ingest.records.episode import Episode, Step
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode, says

OTHERS = ("Wanjiru", "Odile", "Thandiwe", "Ingrid", "Eszter", "Kwame")


def defined(name: str, told: str, *arguments: str) -> str:
    """A tool's definition."""
    properties = {one: {"type": "string"} for one in arguments}
    function = {
        "name": name,
        "description": told,
        "parameters": {"type": "object", "properties": properties},
    }
    return json.dumps({"type": "function", "function": function})


def clean(episodes: list[Episode]) -> list[Scrubbed]:
    """The episodes past the gate, learnt from themselves."""
    learnt = learn(episodes, (), policy=Policy())
    vault = Vault(None, SECRET)
    return list(scrub(episodes, learnt=learnt, vault=vault, policy=Policy()))


def seated(who: str, tools: tuple[str, ...]) -> Episode:
    """An episode in which somebody is given a seat."""
    asked = {"surname": who, "seat": "4"}
    steps = (says("user", f"My name is Nia {who}."), *calls("seat_guest_at_table", asked, "ok"))
    return replace(
        episode(who, *steps), subject=f"{who.lower()}.guest@mail.example.com", tools=tools
    )


TOOLS = (defined("seat_guest_at_table", "Seat somebody.", "surname", "seat"),)


def test_somebody_called_as_a_tool_and_its_argument_say_renames_neither() -> None:
    """Ms Seat is gone from what is said; `seat_guest_at_table` is called by its name, and `seat` stays its argument."""
    people = [seated(who, TOOLS) for who in (*OTHERS, "Seat")]
    done = clean(people)
    for one, given in zip(done, (*OTHERS, "Seat"), strict=True):
        (call,) = one.clean.steps[1].tool_calls
        assert call.name == one.clean.steps[2].tool_name == "seat_guest_at_table"
        arguments = json.loads(call.arguments)
        assert set(arguments) == {"surname", "seat"}
        assert arguments["surname"] != given
        assert given not in (one.clean.steps[0].content or "")
        assert one.clean.tools == TOOLS


def test_a_tool_made_for_one_person_loses_the_name() -> None:
    """A definition that few people had may be about one of them: its name is scrubbed as before."""
    own = defined("seat_okonjo_at_window", "Seat somebody.", "surname")
    asked = {"surname": "Okonjo"}
    steps = (*calls("seat_okonjo_at_window", asked, "ok"), says("user", "I am Nia Okonjo."))
    people = [seated(who, TOOLS) for who in OTHERS]
    mine = replace(episode("mine", *steps), subject="n.okonjo@mail.example.com", tools=(own,))
    done = clean([*people, mine])[-1].clean
    assert "okonjo" not in str(done).lower()


def _listing(number: int, subject: str, tools: tuple[str, ...]) -> Episode:
    shown = "Mercy Trolleys in Malden: Malden Trolleys\n"
    steps = calls("list_mercy_trolleys_in_town", {"town": "Malden"}, shown)
    return replace(episode(f"l{number}", *steps), subject=subject, tools=tools)


def test_a_thing_of_a_tools_own_name_over_an_answer_is_nobody() -> None:
    """`Mercy` is in a list of names; what the definitions write small beside "trolleys" is a thing: nothing is held back."""
    tools = (
        defined("list_mercy_trolleys_in_town", "List the mercy trolleys of a town.", "town"),
        defined("get_mercy_trolleys_price", "Price of mercy trolleys.", "town"),
    )
    people = [_listing(n, f"{who.lower()}@mail.example.com", tools) for n, who in enumerate(OTHERS)]
    learnt = learn(people, (), policy=Policy())
    assert "mercy trolleys" not in learnt.app("app").values
    for one in clean(people):
        assert "Mercy Trolleys in Malden" in (one.clean.steps[1].content or "")
        assert one.clean.tools == tools
        assert not leaks_in([("tools", text) for text in one.clean.tools], learnt=learnt)


def planned(who: str, agent: str) -> Episode:
    """An episode of two agents with somebody of that name."""
    steps = (
        says("user", f"My name is Nia {who}."),
        Step(role="assistant", content="I look at the menu.", agent=agent),
        Step(role="assistant", content=f"Welcome, Ms {who}.", agent="Host"),
    )
    subject = f"{who.lower()}.guest@mail.example.com"
    return replace(episode(f"{agent} {who}", *steps), subject=subject, agent="Host")


def test_an_agent_of_many_users_is_nobody_whatever_it_is_called() -> None:
    """`Ingrid` is everybody's agent and one guest's name: the guest loses it, the agent keeps it; so does `Odile_Menu_Expert`."""
    for agent in ("Ingrid", "Odile_Menu_Expert"):
        for one, given in zip(clean([planned(w, agent) for w in OTHERS]), OTHERS, strict=True):
            assert [step.agent for step in one.clean.steps] == [None, agent, "Host"]
            assert one.clean.agent == "Host"
            assert given not in (one.clean.steps[0].content or "")


def test_an_agent_that_is_one_persons_loses_the_name() -> None:
    """Few users had it: it may be made for one of them."""
    people = [planned(who, "Menu_Expert") for who in OTHERS]
    done = clean([*people, planned("Okonjo", "okonjo_helper")])[-1].clean
    assert "okonjo" not in str(done).lower()


def test_a_result_that_says_which_tool_gave_it_names_nobody() -> None:
    """`{"name": "list_accounts"}` is no person, and its tool is found again past the gate."""
    told = {"name": "list_accounts", "content": [{"owner": "Nia Wanjiru", "balance": 12}]}
    people = [
        replace(
            episode(who, *calls("list_accounts", {}, json.dumps(told))),
            subject=f"{who}@x.example.com",
        )
        for who in OTHERS
    ]
    for one in clean(people):
        assert (
            one.clean.steps[0].tool_calls[0].name == one.clean.steps[1].tool_name == "list_accounts"
        )
        assert '"name": "list_accounts"' in (one.clean.steps[1].content or "")
        assert "Wanjiru" not in (one.clean.steps[1].content or "")
