"""The example's agents against its real database: the good one resolves, each faulty one fails for its own reason."""

from collections import Counter
from collections.abc import Callable

import pytest

from examples.support_desk.agents import understand
from examples.support_desk.agents.faulty import POLICIES
from examples.support_desk.records import Held
from examples.support_desk.request_kinds_other import KINDS
from examples.support_desk.season import Plan, reset_season
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import make_variant


def _run(policy: str, conversations: int = 150) -> list[Held]:
    plan = Plan(
        app="shop",
        variant=make_variant(0),
        seed=11,
        conversations=conversations,
        policies=(policy,),
    )
    return list(reset_season(plan, Telemetry()))


@pytest.fixture(scope="module")
def good() -> list[Held]:
    """What the good agent makes of the requests."""
    return _run("good", 300)


def test_the_good_agent_resolves_what_comes(good: list[Held]) -> None:
    """At least 95 % resolved by the real database, and nothing ever changed without a yes."""
    assert sum(one.judgement.resolved for one in good) >= 0.95 * len(good)
    assert all(one.judgement.confirmed for one in good)


def test_every_kind_of_request_occurs_and_is_solvable(good: list[Held]) -> None:
    """All kinds turn up among the requests, and each is resolved at least once."""
    resolved = Counter(one.request.kind for one in good if one.judgement.resolved)
    assert len(KINDS) >= 20
    assert set(resolved) == {kind.__name__ for kind in KINDS}


def test_tools_refuse_and_repeat_contacts_are_realistic(good: list[Held]) -> None:
    """Good conversations contain refusals too: misspelt names, mistyped numbers, small gift cards, empty shelves."""
    refusals = {
        made.answer.content.split()[1]
        for one in good
        for made in one.talk.calls
        if made.answer.is_error
    }
    assert {"customer", "order", "insufficient", "variant"} <= refusals


def _writes(held: Held) -> bool:
    return any(held.request.truth.accepted)


Symptom = Callable[[Held], bool]
SYMPTOMS: dict[str, Symptom] = {
    "wrong_argument": lambda one: not one.judgement.end_state and one.judgement.confirmed,
    "wrong_entity": lambda one: not one.judgement.end_state and one.judgement.confirmed,
    "skipped_confirmation": lambda one: not one.judgement.confirmed,
    "early_stop": lambda one: not (one.judgement.end_state and one.judgement.told),
    "loop": lambda one: not (one.judgement.end_state and one.judgement.told),
    "claims_success": lambda one: not (one.judgement.end_state and one.judgement.told),
    "lies_at_the_end": lambda one: (
        one.judgement.end_state and one.judgement.confirmed and not one.judgement.told
    ),
}


def test_every_fault_has_its_symptom() -> None:
    """The table above covers every faulty policy."""
    assert set(SYMPTOMS) == set(POLICIES) - {"good"}


@pytest.mark.parametrize("policy", sorted(SYMPTOMS))
def test_each_fault_fails_for_its_own_reason(policy: str) -> None:
    """Every failure of a faulty policy shows its fault, and most requests that need a change fail."""
    held = _run(policy)
    failed = [one for one in held if not one.judgement.resolved]
    own = [one for one in failed if SYMPTOMS[policy](one)]
    assert len(own) >= 0.85 * len(failed)
    changing = [one for one in held if _writes(one)]
    assert sum(not one.judgement.resolved for one in changing) >= 0.4 * len(changing)


def test_the_loop_repeats_one_call() -> None:
    """Failed conversations of the looping agent hold the same call five times or more."""
    for one in _run("loop", 60):
        calls = Counter((made.call.name, made.call.arguments) for made in one.talk.calls)
        if not one.judgement.resolved:
            assert max(calls.values()) >= 5


def test_claiming_success_calls_nothing() -> None:
    """The agent that claims success never touches a tool."""
    for one in _run("claims_success", 40):
        assert not one.talk.calls


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Please cancel order ORD-123456.", "cancel"),
        ("I would like to return the kettle.", "return"),
        ("My kettle is broken. I'd keep it for a partial refund.", "compensation"),
        ("How much is left on my gift card, please?", "balance"),
        ("How much is teh kettle wiht color red?", "price"),
        ("Get me a human, please.", "human"),
        (
            "I have moved house. Please update my account to: 1 A Street, B, OR 97201, US.",
            "account_address",
        ),
        ("Good morning!", None),
    ],
)
def test_intents_are_understood(text: str, intent: str | None) -> None:
    """One sentence of each sort is read as what it asks for."""
    assert understand.intent(text) == intent


def test_names_addresses_and_options_are_understood() -> None:
    """Values come out as typed, and a customer called Green does not ask for a green one."""
    text = "My name is Rose van den Green, postcode LS1 2AB."
    assert understand.full_name(text) == ("Rose", "van den Green", "LS1 2AB")
    assert "Green" not in understand.without_identity(text)
    address = understand.address("No. It is: 12 Mill Road, San Diego, CA 92101, US.")
    assert address == {
        "street": "12 Mill Road",
        "city": "San Diego",
        "region": "CA",
        "postcode": "92101",
        "country": "US",
    }
    offered = {"fuel": {"gas", "alcohol"}, "burners": {"one", "two"}}
    current = {"fuel": "alcohol", "burners": "two"}
    wanted = understand.wanted_options("The one with fuel gas.", current, offered)
    assert wanted == {"fuel": "gas", "burners": "two"}
