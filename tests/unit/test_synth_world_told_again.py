"""Unit tests: what a change moves and the next look tells again is state, in apps whose tools all answer with one record; what differs anyway is not."""

import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from environments.fidelity import Fidelity, RecordedCall, RecordedEpisode, equal, replay
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.worlds import WorldSettings, learn_world
from tests.unit.clean_seasons import call_and_result, conversation

Row = dict[str, Any]
Say = Callable[[str, Row, random.Random], str]


def as_record(_tool: str, row: Row, _dice: random.Random) -> str:
    """The record alone."""
    return json.dumps(row)


def with_duration(_tool: str, row: Row, dice: random.Random) -> str:
    """The record and how long it took."""
    return json.dumps({**row, "took_ms": dice.randint(3, 400)})


def with_machine(_tool: str, row: Row, dice: random.Random) -> str:
    """The record and who answered."""
    return json.dumps({**row, "machine": dice.choice(["eu-a", "eu-a", "eu-a", "eu-b"])})


def as_noise(_tool: str, row: Row, dice: random.Random) -> str:
    """The record, if its balance said nothing."""
    return json.dumps({**row, "balance": dice.randint(100, 999)})


def as_words(tool: str, row: Row, _dice: random.Random) -> str:
    """A sentence of each tool."""
    told = f"{row['account']} has {row['balance']}."
    return told if tool == "get_balance" else f"Done: {told}"


def bank(number: int, say: Say, *, accounts: int) -> CleanEpisode:
    """Look, change, look again, in a bank that every episode meets as it was; of as many accounts, 0 for one of each episode's own."""
    dice = random.Random(f"bank {number}")  # noqa: S311 - dice for tests
    which = dice.randrange(accounts) if accounts else number
    row: Row = {"account": f"AC-{10_000 + which}", "owner": f"U-{which % 40 + 100}"}
    row["balance"] = 100 + 37 * (which % 17)
    asked = {"account": row["account"]}
    steps = [CleanStep(role="user", content=f"It is about {row['account']}.")]
    steps += call_and_result(0, "get_balance", asked, say("get_balance", row, dice))
    tool, amount = dice.choice(["deposit", "withdraw"]), 10 * dice.randint(1, 9)
    row["balance"] += amount if tool == "deposit" else -amount
    steps += call_and_result(1, tool, {**asked, "amount": amount}, say(tool, row, dice))
    if dice.random() < 0.8:
        steps += call_and_result(2, "get_balance", asked, say("get_balance", row, dice))
    return conversation("bank", number, steps)


def desk(number: int, say: Say) -> CleanEpisode:
    """A ticket of the episode's own: closed or given to somebody, and looked at."""
    dice = random.Random(f"desk {number}")  # noqa: S311 - dice for tests
    row: Row = {"ticket": f"TK-{10_000 + number}", "about": dice.choice(["printer", "vpn"])}
    row |= {"status": dice.choice(["new", "open"]), "by": dice.choice(["ann", "bob", "cy", None])}
    asked = {"ticket": row["ticket"]}
    steps = [CleanStep(role="user", content=f"It is about {row['ticket']}.")]
    steps += call_and_result(0, "get_ticket", asked, say("get_ticket", row, dice))
    if dice.random() < 0.6:
        row["status"] = "closed"
        steps += call_and_result(1, "close_ticket", asked, say("close_ticket", row, dice))
    else:
        row["by"] = dice.choice(["ann", "bob", "cy"])
        given = {**asked, "to": row["by"]}
        steps += call_and_result(1, "assign_ticket", given, say("assign_ticket", row, dice))
    if dice.random() < 0.7:
        steps += call_and_result(2, "get_ticket", asked, say("get_ticket", row, dice))
    return conversation("desk", number, steps)


def calls_of(episode: CleanEpisode) -> Iterator[RecordedCall]:
    """Each call with its result."""
    told = {step.call_id: step.content for step in episode.steps if step.role == "tool"}
    for step in episode.steps:
        for call in step.tool_calls:
            yield RecordedCall(
                name=call.name, arguments=call.arguments, content=told[call.call_id] or ""
            )


def replayed(world: World, episodes: list[CleanEpisode]) -> Fidelity:
    """Every call made again."""
    recorded = [
        RecordedEpisode(episode_id=e.episode_id, calls=list(calls_of(e)), started_at=e.started_at)
        for e in episodes
    ]
    return replay(world, recorded)


def judged(world: World, episodes: list[CleanEpisode]) -> list[bool]:
    """Per answer that is told, whether it says what was recorded."""
    return [
        equal(one.result.content, one.call.content)
        for one in replayed(world, episodes).judged
        if one.result.source != UNKNOWN
    ]


def learnt(episodes: list[CleanEpisode]) -> WorldDocument:
    """The world file."""
    return learn_world(episodes, WorldSettings()).document


def places_around(document: WorldDocument) -> set[str]:
    """What is told by format."""
    fresh = document.views.fresh
    return {mark.place for mark in fresh.marks.values()} if fresh is not None else set()


MAKERS = [partial(bank, accounts=0), partial(bank, accounts=12), desk]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("count", [60, 150])
def test_what_a_change_moves_and_a_look_repeats_is_state(
    make: Callable[..., CleanEpisode], count: int
) -> None:
    """All tools show the one record: what changes move in it stands around every result, and is told all the same."""
    episodes = [make(number, as_record) for number in range(count)]
    document = learnt(episodes)
    assert not places_around(document)
    answers = judged(World(document), episodes[:12])
    assert len(answers) > 24
    assert all(answers)


@pytest.mark.parametrize("make", MAKERS)
def test_what_differs_beside_state_is_still_told_by_format(
    make: Callable[..., CleanEpisode],
) -> None:
    """No look repeats how long the call before it took."""
    document = learnt([make(number, with_duration) for number in range(60)])
    assert places_around(document) == {"took_ms"}
    assert document.tools[next(t for t in document.tools if t.startswith("get"))].kind == "read"


def test_what_differs_seldom_enough_to_be_repeated_by_chance_is_no_state() -> None:
    """One of two machines answers, the first three times out of four: the next result names it again by chance."""
    document = learnt([bank(number, with_machine, accounts=12) for number in range(60)])
    assert places_around(document) == {"machine"}


@pytest.mark.parametrize("accounts", [0, 12])
def test_a_number_in_a_sentence_that_the_next_sentence_repeats_is_state(accounts: int) -> None:
    """Each tool says it in words of its own."""
    episodes = [bank(number, as_words, accounts=accounts) for number in range(150)]
    document = learnt(episodes)
    assert not places_around(document)
    assert all(judged(World(document), episodes[:12]))


def test_new_records_are_answered_by_what_was_shown_of_them() -> None:
    """A bank of few accounts: amounts that nobody gave are added and taken away."""
    episodes = [bank(number, as_record, accounts=12) for number in range(170)]
    answers = judged(World(learnt(episodes[:150])), episodes[150:])
    assert len(answers) > 40
    assert all(answers)


def test_a_world_that_takes_state_for_noise_is_measured_wrong() -> None:
    """It tells the usual balance of everybody: no format says what may stand there, and the next look tells the recorded one again."""
    world = World(learnt([bank(n, as_noise, accounts=12) for n in range(60)]))
    assert places_around(world.document) == {"balance"}
    noise = replayed(world, [bank(n, as_noise, accounts=12) for n in range(60, 90)]).to_json()
    assert (noise["wrong"], noise["unknown"]) == (0, 0)
    found = replayed(world, [bank(n, as_record, accounts=12) for n in range(60, 90)]).to_json()
    assert found["wrong"] == found["calls"]
