"""Small numbers that are all a task tells: a load, how many are left, how long a list is."""

from __future__ import annotations

import json

from environments.runtime.checks.table import evaluate
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.tasks import derive_tasks

TOOLS = tuple(
    json.dumps({"type": "function", "function": {"name": n, "description": d, "parameters": {}}})
    for n, d in (
        ("list_people", "Lists who works today."),
        ("assign_visit", "Assign a visit to somebody."),
    )
)
PEOPLE = ("Ann Lee", "Bob Ray", "Cem Oz", "Dua Kim", "Eve Orr", "Fay Ito", "Gus Abel", "Hal Dunn")


def assigned(name: str, number: int, closing: str) -> CleanEpisode:
    """A visit is given to somebody, whose load is told."""
    steps = [CleanStep(role="user", content=f"Give visit V-{number} to {PEOPLE[number]}, please.")]
    shown = json.dumps([{"name": p, "load": at % 5, "room": 5 + at} for at, p in enumerate(PEOPLE)])
    given = {"visit": f"V-{number}", "to": PEOPLE[number]}
    answer = json.dumps({**given, "load": 1 + number % 5, "limit": 6, "with": ["a", "b", "c"]})
    for at, (tool, arguments, content) in enumerate(
        (("list_people", {}, shown), ("assign_visit", given, answer))
    ):
        call = CleanToolCall(call_id=f"c{at}", name=tool, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content))
    return CleanEpisode(
        app="care",
        episode_id=name,
        started_at=1,
        task_key=f"visit-{number}",
        tools=TOOLS,
        steps=(*steps, CleanStep(role="assistant", content=closing)),
    )


def closing(number: int, load: int | None = None, limit: int = 6) -> str:
    """What is said in the end."""
    return f"{PEOPLE[number]} has it now ({1 + number % 5 if load is None else load}/{limit})."


def test_a_load_that_is_told_has_to_be_the_right_one() -> None:
    """The list shows every load, so a false one has a ground; all resolved attempts tell the one that the change answered."""
    episodes = [assigned(f"{w}{n}", n, closing(n)) for n in range(8) for w in "ab"]
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    found = {c.attempts[0].episode_id: c for c in derive_tasks(episodes, labels, None)}

    def reward(text: str) -> float | None:
        attempt = record(assigned("x", 3, text)).attempt
        return evaluate(found["a3"].rubric, attempt, task_version="v").reward

    assert reward(closing(3)) == 1.0
    assert reward("All done, Dua Kim has it now, load 4/6.") == 1.0
    assert reward(closing(3, 2)) == 0.0
    assert reward(f"{closing(3)} No, it is {closing(3, 2, 5)}") == 0.0
