"""Calls that an attempt makes twice: call logs in, verdicts out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

Line = tuple[str, dict[str, object], str]
TASKS = 8


def episode(name: str, key: str, lines: Sequence[Line]) -> CleanEpisode:
    """An episode of calls with their results."""
    steps = [CleanStep(role="user", content=f"Please see to it, {key}.")]
    for number, (tool, arguments, result) in enumerate(lines):
        call = CleanToolCall(
            call_id=f"c{number}", name=tool, arguments=json.dumps(arguments, sort_keys=True)
        )
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=call.call_id, content=result))
    steps.append(CleanStep(role="assistant", content="It is done."))
    return CleanEpisode(app="desk", episode_id=name, started_at=1, task_key=key, steps=tuple(steps))


def note(n: int) -> Line:
    """A line in a log."""
    given = {"machine": f"M-{100 + n}", "was": n, "becomes": n + 7}
    return "log_change", given, '{"status": "noted"}'


def look(n: int) -> Line:
    """The record of a machine."""
    machine = f"M-{100 + n}"
    return "get_machine", {"machine": machine}, json.dumps({"machine": machine, "speed": 10 * n})


def lock(n: int, said: str = '{"locked": true}') -> Line:
    """A door that can be locked once."""
    return "lock_door", {"door": f"D-{200 + n}"}, said


def raised(value: float, percent: float) -> Line:
    """A calculation under the name of a change."""
    told = round(value * (1 + percent / 100), 2)
    return "increase_by_percent", {"value": value, "percent": percent}, json.dumps({"is": told})


def opened(n: int) -> Line:
    """A ticket whose id the caller gives."""
    return "post_ticket", {"ticket": f"T-9{n}1", "machine": f"M-{100 + n}"}, '{"status": "open"}'


@cache
def verdicts(kind: str, risk: float = 0.005) -> tuple[float | None, float | None]:
    """What the first task pays who makes its change once, and who makes it twice."""
    made = {"note": note, "lock": lock, "ticket": opened}.get(kind, note)
    lines = [[look(n), made(n)] for n in range(TASKS)]
    if kind == "lock":
        refused = '{"error": "already locked"}'
        lines = [[*one, lock(n, refused)] if n > 4 else one for n, one in enumerate(lines)]
    if kind == "calculate":
        # Enough looks after it to see that a tool under such a name changes nothing.
        lines = [[look(n), raised(100.0 + n, 5.0 + n), look(n), note(n)] for n in range(5 * TASKS)]
    # An attempt that does nothing shows that the change is needed.
    episodes = [episode(f"g{n}", f"k{n}", one) for n, one in enumerate(lines)]
    episodes += [episode(f"b{n}", f"k{n}", []) for n in range(TASKS)]
    labels = {
        e.episode_id: Label(resolved=e.episode_id[0] == "g", confidence=0.98) for e in episodes
    }
    learnt = learn_world(episodes, WorldSettings(risk=risk))
    candidates = derive_tasks(episodes, labels, learnt)
    task = next(c for c in candidates if any(a.episode_id == "g0" for a in c.attempts))
    world = World(learnt.document)
    found = []
    for again in ([], [lines[0][1]]):
        actions = record(episode("x", "k0", [*lines[0], *again])).actions
        verdict = evaluate(task.rubric, run_actions(task.task, world, actions), task_version="v")
        found.append(verdict.reward)
    return found[0], found[1]


def test_who_notes_a_thing_twice_is_not_paid() -> None:
    """No recording repeats a note, and a second one stands there twice all the same."""
    assert verdicts("note") == (1.0, 0.0)


def test_at_no_risk_a_note_made_twice_is_not_graded() -> None:
    """That a second note counts is likely, not certain."""
    assert verdicts("note", 0.0) == (1.0, None)


def test_what_was_refused_a_second_time_changes_nothing_more() -> None:
    """Other doors were locked twice, and the second call was refused."""
    assert verdicts("lock") == (1.0, 1.0)


def test_a_second_thing_of_one_id_is_not_graded() -> None:
    """Who gives the id of what is made may be refused a second one, or not."""
    assert verdicts("ticket") == (1.0, None)


def test_a_calculation_may_be_made_twice_whatever_it_is_called() -> None:
    """A tool that takes numbers alone and works its answer out of them raises nothing."""
    assert verdicts("calculate") == (1.0, 1.0)
