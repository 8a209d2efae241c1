"""What the page of one task shows beside its rubric: a conversation with its verdict, the gate's probes, the decision in force.

In: the desk and one of its entries. Out: values for `task.html`. Not here: HTTP (`web`), HTML (`pages`).
"""

from dagster_project.review.desk import AppDesk, Entry
from dagster_project.review.review import Review
from dagster_project.review.transcript import turns
from environments.regrade import conversation
from environments.runtime.world_dispatched import Dispatched


def conversation_shown(
    desk: AppDesk, entry: Entry, *, rollout_id: str | None, episode_id: str | None
) -> dict[str, object]:
    """The conversation to show: an attempt by default, or a stored rollout."""
    parts = Dispatched(entry.stored.task.dispatched)
    rollout = next((r for r in desk.rollouts(entry.task_id) if r.rollout_id == rollout_id), None)
    graded = next((g for g in entry.attempts if g.episode_id == episode_id), None)
    graded = graded or (entry.attempts[0] if entry.attempts else None)
    if rollout is not None:
        attempt = desk.rollout_run(entry.candidate, rollout)
        verdict = desk.verdict(entry, attempt)
        shown = turns(conversation(rollout.trajectory) or [], attempt, parts)
        return {"graded": None, "rollout": rollout, "verdict": verdict, "turns": shown}
    run = desk.runs(entry.candidate).get(graded.episode_id) if graded else None
    messages = desk.episode_messages(graded.episode_id) if graded else []
    verdict = graded.verdict if graded else None
    shown = turns(messages, run, parts)
    return {"graded": graded, "rollout": None, "verdict": verdict, "turns": shown}


def probes_shown(desk: AppDesk, entry: Entry) -> list[dict[str, object]]:
    """What the gate tried; those that were paid with the conversation that shows it."""
    probes = entry.verified.probes if entry.verified is not None else ()
    parts = Dispatched(entry.stored.task.dispatched)
    found: list[dict[str, object]] = []
    for probe in probes:
        actions = probe.get("actions") or ()
        run = desk.act(entry.stored, actions) if actions else None
        shown = turns(run.messages, run, parts)[len(entry.stored.task.opening) :] if run else []
        found.append({**probe, "turns": shown})
    return sorted(found, key=lambda p: (bool(p["passed"]), str(p["name"])))


def decision_now(desk: AppDesk, entry: Entry) -> Review | None:
    """The decision about this version of the task."""
    found = desk.reviews.decisions.get(entry.task_id)
    current = found is not None and found.task_version == entry.version and bool(found.value)
    return found if current else None
