"""Changes that the rebuilt tools do not show: a message to somebody else is part of the end all the same."""

from __future__ import annotations

import json
from collections.abc import Mapping

from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

TOOLS = tuple(
    json.dumps({"type": "function", "function": {"name": n, "description": d, "parameters": {}}})
    for n, d in (
        ("get_member", "Shows a member."),
        ("send_note", "Sends a note to somebody."),
    )
)


def call(name: str, arguments: Mapping[str, Json], result: str) -> list[CleanStep]:
    """A call with its result."""
    made = CleanToolCall(call_id=f"c-{name}", name=name, arguments=json.dumps(arguments))
    return [
        CleanStep(role="assistant", tool_calls=(made,)),
        CleanStep(role="tool", call_id=made.call_id, content=result),
    ]


def moved(name: str, number: int, *told: str) -> CleanEpisode:
    """A member's locker is looked up and these people get a note; it is answered alike for everybody."""
    member, locker = f"M-{number}", f"L-{200 + number}"
    shown = {"member": member, "locker": locker}
    steps = [
        CleanStep(role="user", content=f"Send the number of the locker of {member} round."),
        *call("get_member", {"member": member}, json.dumps(shown)),
    ]
    for one in told:
        steps += call("send_note", {"to": one, "text": f"{member} now has {locker}."}, "None")
    return CleanEpisode(
        app="gym",
        episode_id=name,
        started_at=1,
        task_key=f"move-{number}",
        tools=TOOLS,
        steps=(*steps, CleanStep(role="assistant", content="That is done.")),
    )


def paid(number: int, candidates: list[Candidate], world: World, *told: str) -> float | None:
    """What the task pays an attempt that tells no others than these."""
    one = next(c for c in candidates if c.attempts[0].episode_id == f"a{number}")
    run = run_actions(one.task, world, record(moved("x", number, *told)).actions)
    return evaluate(one.rubric, run, task_version="v").reward


def test_who_leaves_out_a_message_took_no_other_route() -> None:
    """The world holds a message to be an act, which shows in no record: one that was never sent is missing all the same."""
    episodes = [moved(f"{w}{n}", n, "coach", "cashier") for n in range(8) for w in "ab"]
    learnt = learn_world(episodes, WorldSettings(risk=0))
    assert learnt.document.to_json()["tools"]["send_note"]["kind"] == "act"
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    found = derive_tasks(episodes, labels, learnt)
    world = World(learnt.document)
    assert paid(3, found, world, "coach", "cashier") == 1.0
    assert paid(3, found, world, "coach") == 0.0
    assert paid(3, found, world) == 0.0


def noted(name: str, opening: str, text: str, *, key: str) -> CleanEpisode:
    """The coach gets a note with this text."""
    return CleanEpisode(
        app="gym",
        episode_id=name,
        started_at=1,
        task_key=key,
        tools=TOOLS,
        steps=(
            CleanStep(role="user", content=opening),
            *call("send_note", {"to": "coach", "text": text}, "None"),
            CleanStep(role="assistant", content="That is done."),
        ),
    )


DICTATED = "The pool is closed on Monday."
ASKED = f"Send the coach this note, please: '{DICTATED}'"
FREE = "Thank the coach for the lesson, will you?"


def test_a_text_that_the_user_dictated_is_no_wording_of_the_agents() -> None:
    """Elsewhere agents word their notes; here each resolved one sent what was asked for, so another text is another note."""
    free = [
        noted(f"f{n}", FREE, f"Many thanks for lesson number {n}, it was fun.", key=f"free-{n}")
        for n in range(9)
    ]
    asked = [noted(f"d{n}", ASKED, DICTATED, key="asked") for n in range(2)]
    episodes = [*free, *asked]
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    found = {c.attempts[0].episode_id: c for c in derive_tasks(episodes, labels, None)}

    def reward(task: str, opening: str, text: str) -> float | None:
        attempt = record(noted("x", opening, text, key="x")).attempt
        return evaluate(found[task].rubric, attempt, task_version="v").reward

    assert reward("d0", ASKED, DICTATED) == 1.0
    assert reward("d0", ASKED, "The pool is open on Monday and all week.") == 0.0
    assert reward("f0", FREE, "Thank you so much, dear coach.") == 1.0


def test_a_text_that_one_resolved_attempt_worded_itself_may_be_worded() -> None:
    """Not all of those whose users were content sent the note word for word."""
    free = [
        noted(f"f{n}", FREE, f"Many thanks for lesson number {n}, it was fun.", key=f"free-{n}")
        for n in range(9)
    ]
    asked = [noted("d0", ASKED, DICTATED, key="asked")]
    asked.append(noted("d1", ASKED, "On Monday you cannot swim here, sorry.", key="asked"))
    episodes = [*free, *asked]
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    found = {c.attempts[0].episode_id: c for c in derive_tasks(episodes, labels, None)}
    attempt = record(noted("x", ASKED, "No swimming on Monday at all.", key="x")).attempt
    assert evaluate(found["d0"].rubric, attempt, task_version="v").reward == 1.0


LOGGED = tuple(
    json.dumps({"type": "function", "function": {"name": n, "description": d, "parameters": {}}})
    for n, d in (
        ("get_member", "Shows a member."),
        ("update_locker", "Gives a member another locker."),
        ("log_change", "Logs a change."),
    )
)


def logged(name: str, number: int, *, log: int | None = None, change: bool = True) -> CleanEpisode:
    """A member gets another locker and the change is logged with its number; a log tool repeats what it is given."""
    member, old, new = f"M-{number}", f"L-{200 + number}", f"L-{500 + number}"
    steps = [
        CleanStep(role="user", content=f"Give {member} the locker {new} and log it."),
        *call("get_member", {"member": member}, json.dumps({"member": member, "locker": old})),
    ]
    if change:
        steps += call("update_locker", {"member": member, "locker": new}, "updated")
        steps += call(
            "get_member", {"member": member}, json.dumps({"member": member, "locker": new})
        )
    if log is not None:
        entry: dict[str, Json] = {"kind": "locker", "number": log}
        steps += call("log_change", entry, f"New change was added: {json.dumps(entry)}")
        steps += call(
            "get_member", {"member": member}, json.dumps({"member": member, "locker": new})
        )
    return CleanEpisode(
        app="gym",
        episode_id=name,
        started_at=1,
        task_key=f"give-{number}",
        tools=LOGGED,
        steps=(*steps, CleanStep(role="assistant", content="That is done.")),
    )


def test_who_leaves_out_an_entry_in_a_log_took_no_other_route() -> None:
    """Where the world takes a log for a look, as nothing reads it: an entry left out, or another one, is no pass."""
    episodes = [logged(f"{w}{n}", n, log=n % 4) for n in range(12) for w in "ab"]
    learnt = learn_world(episodes, WorldSettings(risk=0))
    learnt.document.to_json()["tools"]["log_change"]["kind"] = "read"
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    found = derive_tasks(episodes, labels, learnt)
    world = World(learnt.document)
    one = next(c for c in found if c.attempts[0].episode_id == "a3")

    def reward(attempt: CleanEpisode) -> float | None:
        run = run_actions(one.task, world, record(attempt).actions)
        return evaluate(one.rubric, run, task_version="v").reward

    assert reward(logged("x", 3, log=3)) == 1.0
    assert reward(logged("x", 3, log=2)) == 0.0
    assert reward(logged("x", 3)) == 0.0
    assert reward(logged("x", 3, log=3, change=False)) == 0.0
