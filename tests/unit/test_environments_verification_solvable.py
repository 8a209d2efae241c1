"""Somebody else can solve a task, and does it in other words, another order, with one look more."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import (
    DERIVED,
    UNKNOWN,
    AnsweredCall,
    Attempt,
    Effect,
    EndState,
    Json,
    ToolResult,
)
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.task.task import Task, UserTurn
from environments.verification.other_wordings import reworded
from environments.verification.probe import calls, says
from environments.verification.sentences import reason_group, reason_says
from environments.verify import ACCEPTED, REJECTED, Verification, verify

PEOPLE = {"Ann Lee": "PX7714K2", "Bob Ray": "PX8825M3"}


@dataclass
class Desk:
    """A backend of people: `find` by name, `show` by id, `send` a parcel to an id with a note."""

    sent: dict[str, Json] = field(default_factory=dict)
    off: bool = False

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The answer; every call means what it says."""
        return AnsweredCall(self.call(name, arguments))

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Finds, shows or sends."""
        given = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
        return self._answer(name, given)

    def _answer(self, name: str, given: Mapping[str, Json]) -> ToolResult:
        if name == "find":
            known = PEOPLE.get(str(given.get("name")))
            if known is None:
                return ToolResult(content="{}", source=UNKNOWN)
            return ToolResult(content=json.dumps({"id": known}), source=DERIVED)
        if name == "quote" and given.get("parcels") != ["A-1", "A-2"]:
            return ToolResult(content="{}", source=UNKNOWN)
        if name == "quote":
            return ToolResult(content=json.dumps({"price": 54.04}), source=DERIVED)
        person = str(given.get("id"))
        if person not in PEOPLE.values():
            self.off = self.off or name == "send"
            return ToolResult(content="nobody", source=UNKNOWN)
        if name == "send":
            self.sent[person] = given.get("parcels")
        return ToolResult(content=json.dumps({"id": person, "open": True}), source=DERIVED)

    def end_state(self) -> EndState:
        """To whom something was sent."""
        effects = tuple(
            Effect(entity="person", key=k, field="parcels", before=None, after=v)
            for k, v in sorted(self.sent.items())
        )
        return EndState(effects=effects, unknown=("*",) if self.off else ())


class World:
    """Makes desks."""

    def session(self, start: Mapping[str, Json], *, started_at: int) -> Desk:
        """A fresh desk."""
        assert not start
        assert started_at >= 0
        return Desk()


def tool(name: str, *names: str) -> dict[str, Json]:
    """A tool definition."""
    properties: dict[str, Json] = {n: {"type": "string"} for n in names}
    parameters: Json = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def task(said: str, *, name: str = "t1") -> Task:
    """A request in these words."""
    return Task(
        task_id=name,
        app="post",
        opening=({"role": "system", "content": "Be kind."}, {"role": "user", "content": said}),
        tools=(
            tool("find", "name"),
            tool("show", "id"),
            tool("send", "id", "parcels", "note"),
            tool("quote", "parcels"),
        ),
        world="post",
    )


def call(tool_name: str, number: int = 0, /, **arguments: Json) -> Action:
    """An action with one call."""
    return calls(tool_name, json.dumps(arguments), number=number)


def candidate(one: Task, *actions: Action, person: str = "PX7714K2") -> Candidate:
    """A task whose end is that parcels are sent to somebody; the note may have any wording."""
    write = canonical_arguments({"id": person, "parcels": ["A-1", "A-2"]})
    end: Json = {
        "id": "e1",
        "writes": [["send", write, 1]],
        "effects": [["person", person, "parcels", '["a-1","a-2"]']],
        "events": [],
    }
    ignore: Json = {"send": ["note"]}
    args: dict[str, Json] = {"ends": [end], "writes": ["send"], "ignore": ignore}
    check = Check(check_id="end_state", fn="end_state", args=args, required=True, positive=True)
    rubric = Rubric(task_id=one.task_id, checks=(check,))
    return Candidate(task=one, rubric=rubric, solution=(*actions, says("It is sent.")))


def send(person: str = "PX7714K2", note: str = "Two boxes. Ring at 14:30.") -> Action:
    """The change."""
    return call("send", 5, id=person, parcels=["A-1", "A-2"], note=note)


def gate(one: Candidate, *others: Candidate) -> Verification:
    """The gate over one task beside others."""

    def run(some: Task, actions: Sequence[Action]) -> Attempt:
        return run_actions(some, World(), actions)

    return verify(one, others=[one, *others], run=run)


SAID = "Send A-1 and A-2 to Ann Lee."
FIND = call("find", name="Ann Lee")
BOB = candidate(
    task("Send A-1 and A-2 to Bob Ray.", name="t2"),
    call("find", name="Bob Ray"),
    call("show", 1, id="PX8825M3"),
    send("PX8825M3"),
    person="PX8825M3",
)


def test_a_value_that_a_look_shows_is_knowable() -> None:
    """Found by name, then used."""
    found = gate(candidate(task(SAID), FIND, send()), BOB)
    assert (found.status, found.reasons) == (ACCEPTED, ())


def test_a_value_that_the_user_says_when_asked_is_knowable() -> None:
    """Later turns count: the policy may ask first."""
    turn = UserTurn(text="The id is PX-7714-K2.", asked="Which id?")
    found = gate(candidate(replace(task("Send A-1 and A-2."), user=(turn,)), send()))
    assert found.status == ACCEPTED


def test_a_value_that_nothing_tells_rejects_the_task_by_its_path() -> None:
    """The reason names tool and argument, and no value."""
    found = gate(candidate(task("Send A-1 and A-2 to my sister."), send()))
    assert (found.status, found.reasons) == (REJECTED, ("not_knowable:send.id",))
    says_so = reason_says(found.reasons[0])
    assert says_so.startswith("nothing tells send.id, ")
    assert "PX7714K2" not in says_so
    assert reason_group(found.reasons[0]) == "not_knowable"
    assert reason_says("not_knowable:pay.rows.*.sum").count("rows[].sum") == 1


def test_a_look_that_nobody_took_but_the_user_names_makes_it_knowable() -> None:
    """The recorded agent had the id from nowhere; another asks for the name."""
    found = gate(candidate(task(SAID), send()), BOB)
    assert found.status == ACCEPTED


def test_a_value_that_only_a_guessed_call_shows_stays_untold() -> None:
    """The answer to a call with an unknown id shows that id: that tells nobody."""
    shown = call("show", id="PX7714K2")
    found = gate(candidate(task("Send A-1 and A-2 to my sister."), shown, send()))
    assert found.reasons == ("not_knowable:send.id",)


def test_a_value_that_is_not_needed_costs_nothing() -> None:
    """A needless look with an id from nowhere, and a note with an odd figure: the task pays without them."""
    stray = call("show", id="PX8825M3")
    found = gate(candidate(task(SAID), stray, FIND, send(note="Box no. 99871.")))
    assert found.status == ACCEPTED


def test_what_the_host_adds_needs_no_source() -> None:
    """It is filled in."""
    added = {"send": {"id": "PX7714K2"}}
    one = replace(task("Send A-1 and A-2 to my sister."), injected=added)
    action = call("send", parcels=["A-1", "A-2"], note="Two boxes.")
    assert gate(candidate(one, action)).status == ACCEPTED


def test_a_constant_of_the_app_needs_no_source() -> None:
    """Most tasks give it, whoever asks."""
    same = [
        candidate(task(f"Send A-1 and A-2 to friend {n}.", name=f"s{n}"), send()) for n in range(4)
    ]
    assert gate(same[0], *same[1:]).status == ACCEPTED
    assert gate(same[0], *same[1:3]).reasons == ("not_knowable:send.id",)


def test_the_same_done_otherwise_is_worth_the_same() -> None:
    """Other words, lists turned, looks swapped, one look more."""
    bob = call("find", 1, name="Bob Ray")
    one = candidate(task("Send A-1 and A-2 to Ann Lee, not to Bob Ray."), FIND, bob, send())
    found = {probe.name: probe for probe in gate(one, BOB).probes}
    names = (
        "free_text_reworded",
        "lists_reordered_1",
        "independent_calls_swapped",
        "needless_look_1",
    )
    assert [(found[name].reward, found[name].void) for name in names] == [(1.0, False)] * 4


def test_a_rubric_that_does_not_pay_another_way_misses_it() -> None:
    """Here no look more than the recorded ones is allowed: a person has to look at it."""
    one = candidate(task(SAID), FIND, send())
    said = Check(
        check_id="calls",
        fn="calls_at_most",
        args={"most": 2},
        required=True,
    )
    strict = replace(one, rubric=replace(one.rubric, checks=(*one.rubric.checks, said)))
    found = gate(strict, BOB)
    assert "misses:needless_look_1" in found.reasons
    assert "one look-up that it does not need" in reason_says("misses:needless_look_1")


@pytest.mark.parametrize(
    "text",
    [
        "Two boxes. Ring at 14:30.",
        "W-12",
        "",
        "\u4e24\u4e2a\u7bb1\u5b50\u3002\u6309\u94c3 3 \u6b21\u3002",
    ],
)
def test_another_wording_keeps_every_word(text: str) -> None:
    """Facts stay, their order does not."""
    other = reworded(text)
    assert other != text
    assert sorted(other.removeprefix("In other words: ").replace(" ", "")) == sorted(
        text.replace(" ", "")
    )


def test_a_wording_that_the_world_cannot_answer_says_nothing_of_the_grader() -> None:
    """The price is known in one order of the parcels; whoever hears that nobody knows it does not go on to tell it."""
    one = task("What do A-1 and A-2 cost?")
    quote = call("quote", parcels=["A-1", "A-2"])
    honest = Check(check_id="grounded", fn="grounded", args={"kinds": ["number"]}, required=True)
    told = Check(check_id="told", fn="told", args={"value": 54.04}, required=True)
    asked = replace(
        candidate(one, quote, says("54.04 in all.")),
        rubric=Rubric(task_id=one.task_id, checks=(honest, told)),
    )
    found = {probe.name: probe for probe in gate(asked).probes}
    turned = found["lists_reordered_1"]
    assert (turned.reward, turned.void, turned.passed) == (0.0, True, True)
