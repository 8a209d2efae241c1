"""Tools that answer for whoever is signed in: found, kept apart by subject, and never told to another."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.testbeds.invented.backend import Step
from benchmarks.testbeds.invented.habits import Shop
from benchmarks.worlds.habits import act, afresh, counts, living
from environments.fidelity import Fidelity
from environments.runtime.task.attempt import DERIVED, RECORDED, UNKNOWN
from environments.runtime.views.implicit_subject import SUBJECT, subject_name
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

SECOND = 10**9


def episode(
    number: int, user: str | None, *calls: tuple[str, dict[str, object], str]
) -> CleanEpisode:
    """A conversation that makes these calls and gets these answers."""
    steps = [CleanStep(role="user", content="hello")]
    for at, (name, arguments, content) in enumerate(calls):
        call = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content))
    return CleanEpisode(
        app="shop",
        episode_id=f"e{number:03}",
        subject=user,
        started_at=number * SECOND,
        steps=tuple(steps),
    )


def learnt(answer: Callable[[int, int], str], *, visits: int = 40) -> dict[str, object]:
    """The world of visits by ten users who look twice; `answer` is given the user and the visit."""
    episodes = [
        episode(n, f"user-{n % 10}", *[("look", {}, answer(n % 10, n))] * 2) for n in range(visits)
    ]
    return learn_world(episodes, WorldSettings(risk=0)).document.to_json()


def test_answers_that_differ_by_subject_are_the_subjects_own() -> None:
    """Each is told its own, another's to nobody, and without a subject nobody knows."""
    document = learnt(lambda user, _: json.dumps({"plan": f"plan {user}", "points": user * 7}))
    assert document["bound"] == ["look"]
    world = World.from_json(document)
    for user in range(10):
        result = world.session({"subject": f"user-{user}"}).call("look", "{}")
        assert json.loads(result.content)["points"] == user * 7
    assert world.session({"subject": "user-99"}).call("look", "{}").source == UNKNOWN
    assert world.session().call("look", "{}").source == UNKNOWN


@pytest.mark.parametrize("shape", [json.dumps, dict])
def test_a_policy_cannot_say_whose_session_it_is(shape: Callable[[object], object]) -> None:
    """The argument is the session's alone, whatever form a call has."""
    document = learnt(lambda user, _: json.dumps({"plan": f"plan {user}", "points": user * 7}))
    asked = shape({SUBJECT: subject_name("user-3")})
    assert isinstance(asked, str | dict)
    world = World.from_json(document)
    told = world.session({"subject": "user-4"}).call("look", asked)
    assert json.loads(told.content)["points"] == 28
    assert world.session().call("look", asked).source == UNKNOWN


def test_what_changes_for_all_is_nobodys_own() -> None:
    """One list with new stock every time, a clock, and ids in order: the same to everybody at one moment."""
    stock = {f"item {n}": n for n in range(30)}
    shared = learnt(lambda _, visit: json.dumps({**stock, "item 3": visit}))
    assert "bound" not in shared
    clock = learnt(lambda _, visit: json.dumps({"ticks": visit * 37, "salt": visit * 101 % 97}))
    assert "bound" not in clock
    tickets = learnt(lambda _, visit: json.dumps({"ticket": f"T-{5000 + visit}", "queue": "all"}))
    assert "bound" not in tickets


def test_attempts_at_one_task_share_a_subject_that_nobody_named() -> None:
    """Where the source knows no user, a task's attempts were with the same one."""
    found = afresh(Shop, 0, named=False, own=True)
    assert "list_my_orders" in found["bound"]
    _none_wrong(found)


def test_a_shop_that_starts_afresh_is_learnt_for_every_customer() -> None:
    """Held-out conversations and random calls, other customers' orders among them, beside the real shop."""
    found = afresh(Shop, 0, own=True)
    assert found["continuity"] == "reset"
    assert {"get_my_profile", "list_my_orders"} <= set(found["bound"])
    _none_wrong(found)
    right = [int(counts(found[n])["all"].split("/")[0]) for n in "hp"]
    assert right[0] > 180
    assert right[1] > 600


def test_a_shop_that_lives_on_is_told_as_far_as_it_was_seen() -> None:
    """Every customer's records are rolled forward apart from the others'."""
    found = living(0, named=True)
    assert found["continuity"] == "living"
    _none_wrong(found)


def _none_wrong(found: dict[str, object]) -> None:
    for name in "hp":
        part = found[name]
        assert isinstance(part, Fidelity)
        assert not [one.call for one in part.judged if one.verdict == "wrong"]


def test_what_a_call_puts_in_is_missed_in_answers_from_before_it() -> None:
    """An empty cart names nothing, so no name says that the call belongs to it: only what came of such calls does."""
    episodes = []
    for n in range(60):
        product = f"P{n % 12:03}"
        look: list[Step] = [("get_product", {"product_id": product}), ("view_cart", {})]
        put: Step = ("add_to_cart", {"product_id": product, "count": 1 + n % 2})
        made = act(Shop(0, "user-1"), [*look, put, *look] if n % 3 else [*look, *look, *look])
        episodes.append(episode(n, "user-1", *[(m.name, m.arguments, m.content) for m in made]))
    world = World(learn_world(episodes, WorldSettings(risk=0)).document)
    session = world.session({"subject": "user-1"})
    assert session.call("view_cart", {}).source == RECORDED
    session.call("add_to_cart", {"product_id": "P007", "count": 3})
    told = session.call("view_cart", {})
    assert told.source == DERIVED
    assert json.loads(told.content) == {"items": {"P007": 3}, "total": 114}


def company(number: int, said: str, *calls: tuple[str, dict[str, object], str]) -> CleanEpisode:
    """A conversation of nobody in particular, under these instructions."""
    plain = episode(number, None, *calls)
    return replace(plain, steps=(CleanStep(role="system", content=said), *plain.steps))


def of_companies(said: Callable[[int], str], answer: Callable[[int], str]) -> World:
    """The world of forty conversations that look at the same two orders."""
    episodes = [
        company(n, said(n), ("order", {"id": "O-7"}, answer(n)), ("order", {"id": "O-8"}, "none"))
        for n in range(40)
    ]
    return World.from_json(learn_world(episodes, WorldSettings(risk=0)).document.to_json())


def test_the_company_that_only_the_instructions_name_keeps_its_rows() -> None:
    """One order number at three companies is three orders, and without a company nobody knows which."""
    names = ("Northmoor", "Lindqvist Frakt AB", "Rioja")
    world = of_companies(
        lambda n: (
            f"You are {('Ada', 'Ben')[n % 2]}, who works for {names[n % 3]} today. Be brief. Ticket {n}."
        ),
        lambda n: json.dumps({"id": "O-7", "to": f"town {n % 3}"}),
    )
    for at, name in enumerate(names):
        told = world.session({"subject": name}).call("order", {"id": "O-7"})
        assert json.loads(told.content)["to"] == f"town {at}"
    assert world.session().call("order", {"id": "O-7"}).source == UNKNOWN


def test_instructions_that_decide_nothing_split_nothing() -> None:
    """Two agents' instructions, or a version of them, whose tools answer alike."""
    world = of_companies(
        lambda n: f"You are {('Ada', 'Ben')[n % 2]}. Policy {n // 20}.",
        lambda _: json.dumps({"id": "O-7", "to": "town"}),
    )
    assert world.prompt_subject is None
    assert world.session().call("order", {"id": "O-7"}).source in {RECORDED, DERIVED}


def test_what_changed_between_two_versions_of_the_instructions_is_no_company() -> None:
    """All conversations under the new instructions came later: time explains what differs."""
    world = of_companies(
        lambda n: f"You work for Northmoor. Policy {n // 20}.",
        lambda n: json.dumps({"id": "O-7", "to": f"town {n // 20}"}),
    )
    assert world.prompt_subject is None
