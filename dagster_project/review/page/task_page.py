"""What the page of one task shows beside its rubric: a conversation with its verdict, the gate's probes, the decision in force.

In: the desk and one of its entries. Out: values for `task.html`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dagster_project.causes.label_form import CauseForm, form_of
from dagster_project.review.desk import AppDesk
from dagster_project.review.editing.check_lines import lines_of, parts_of
from dagster_project.review.editing.edits import written_in
from dagster_project.review.editing.forms import ShownArgument, example_of, fields_of
from dagster_project.review.entry import Entry, GradedAttempt
from dagster_project.review.page.transcript import turns
from dagster_project.review.review import CHECK, Review
from dagster_project.tasks.app_state import ENDS
from environments.describe_check import describe
from environments.regrade import conversation
from environments.runtime.checks.kinds import KINDS
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.verdict import Verdict
from environments.runtime.views.multiplexed import Dispatched
from environments.verification.probe import ONE
from environments.verification.sentences import probe_says


def conversation_shown(
    desk: AppDesk, entry: Entry, *, rollout_id: str | None, episode_id: str | None
) -> dict[str, object]:
    """The conversation to show: an attempt by default, or a stored rollout."""
    parts = Dispatched.from_json(entry.stored.task.dispatched)
    rollout = next((r for r in desk.rollouts(entry.task_id) if r.rollout_id == rollout_id), None)
    graded = next((g for g in entry.attempts if g.episode_id == episode_id), None)
    graded = graded or (entry.attempts[0] if entry.attempts else None)
    if rollout is not None:
        attempt = desk.rollout_run(entry.candidate, rollout)
        verdict = desk.verdict(entry, attempt)
        shown = turns(conversation(rollout.trajectory) or [], attempt, parts)
        return {"graded": None, "rollout": rollout, "verdict": verdict, "turns": shown}
    run = desk.runs(entry.task_id).get(graded.episode_id) if graded else None
    messages = desk.episode_messages(graded.episode_id) if graded else []
    verdict = graded.verdict if graded else None
    shown = turns(messages, run, parts)
    return {"graded": graded, "rollout": None, "verdict": verdict, "turns": shown}


def cause_shown(desk: AppDesk, graded: object, *, reviewer: str) -> CauseForm | None:
    """The form for what went wrong, where the attempt that is shown is not known to be resolved."""
    if not isinstance(graded, GradedAttempt) or graded.resolved:
        return None
    episode = desk.episode(graded.episode_id)
    if episode is None:
        return None
    failure, said = desk.failure(episode.episode_id), desk.reviews.causes.get(episode.episode_id)
    return form_of(episode, failure, said or {}, reviewer=reviewer)


def rubric_shown(
    entry: Entry, verdict: Verdict | None, form: Mapping[str, str]
) -> dict[str, object]:
    """The rubric's checks, those alike on one line, and the fields of the kind of check that is being added."""
    results = verdict.checks if verdict is not None else ()
    rubric = entry.candidate.rubric
    chosen = form.get("new-fn", "")
    source = str(entry.candidate.task.provenance.get("solution", ""))
    lines = lines_of(rubric, results, written=written_in(rubric), form=form)
    fields: list[ShownArgument] = fields_of(chosen, {}) if chosen in KINDS else []
    return {
        "parts": parts_of(lines),
        "derived": (source and ENDS.get(source)) or "from what resolved attempts share",
        "counts_attempts": not source,
        "kinds": KINDS,
        "chosen": chosen if chosen in KINDS else "",
        "examples": {fn: example_of(fn) for fn in KINDS},
        "new_fields": fields,
        "tools": _tools(entry),
    }


def _tools(entry: Entry) -> list[str]:
    """The tools of the task, to choose from."""
    task = entry.candidate.task
    listed = [tool.get("function", tool) for tool in task.tools]
    return sorted({str(one["name"]) for one in listed if isinstance(one, dict) and "name" in one})


def neighbours(entry: Entry, episode_id: str | None) -> tuple[str | None, str | None]:
    """The attempts before and after the one that is shown."""
    ids: list[str | None] = [graded.episode_id for graded in entry.attempts]
    if episode_id not in ids:
        return None, ids[0] if ids else None
    at = ids.index(episode_id)
    return ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None


def history_shown(history: Iterable[Review], *, blind_for: str | None) -> list[Review]:
    """What people said of a task; to a reviewer who has not spoken yet only their own words and what is no judgement."""
    return [
        review
        for review in history
        if blind_for is None or review.by == blind_for or review.kind == CHECK
    ][:50]


def probes_shown(desk: AppDesk, entry: Entry) -> list[dict[str, object]]:
    """What the gate tried; those that were paid with the conversation that shows it."""
    probes = entry.verified.probes if entry.verified is not None else ()
    parts = Dispatched.from_json(entry.stored.task.dispatched)
    found: list[dict[str, object]] = []
    for probe in probes:
        actions = probe.get("actions") or ()
        run = desk.act(entry.stored, actions) if actions else None
        shown = turns(run.messages, run, parts)[len(entry.stored.task.opening) :] if run else []
        found.append({**probe, "turns": shown})
    return sorted(found, key=lambda p: (bool(p["passed"]), str(p["name"])))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """Attacks that one check keeps from being paid."""

    says: str
    attacks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedAttacks:
    """What the gate tried on a task, for a reader."""

    held: int
    """Attacks that are not paid."""
    empty: int
    """Attacks that prove nothing: they end like the good attempt, or nobody knows how they end."""
    stopped: tuple[Stopped, ...]
    """The attacks that are not paid, by what stops them: what stops most comes first."""
    proving_nothing: tuple[str, ...]
    ways: tuple[tuple[str, str], ...]
    """Other ways of making the good attempt, each with what becomes of it."""


def tried_attacks(probes: Iterable[Mapping[str, Any]], rubric: Rubric) -> TriedAttacks:
    """The gate's probes as a reader needs them; attacks that were paid are not among them."""
    says = {check.check_id: describe(check) for check in rubric.checks}
    stopped: dict[str, list[str]] = {}
    empty: list[str] = []
    ways: list[tuple[str, str]] = []
    for probe in probes:
        name = probe_says(str(probe["name"]))
        if probe["expected"] == ONE:
            if probe["name"] != "good_attempt":
                ways.append((name, _came_of(probe)))
        elif probe["void"]:
            empty.append(name)
        elif probe["passed"]:
            kind, _, about = str(probe["why"]).partition(": ")
            open_end = "Nobody can grade it: " if probe["reward"] is None else ""
            stopped.setdefault(open_end + says.get(about, about or kind), []).append(name)
    groups = [Stopped(says=by, attacks=_counted_names(names)) for by, names in stopped.items()]
    return TriedAttacks(
        held=sum(map(len, stopped.values())),
        empty=len(empty),
        stopped=tuple(sorted(groups, key=lambda group: -len(group.attacks))),
        proving_nothing=_counted_names(empty),
        ways=tuple((name, came) for (name, came) in dict.fromkeys(ways)),
    )


def _came_of(probe: Mapping[str, Any]) -> str:
    """What became of another way of making the good attempt."""
    if probe["reward"] is None:
        return "not graded: nobody knows how it ends"
    if probe["reward"] == 1:
        return "paid"
    return "not paid: the tools answer it otherwise" if probe["void"] else "not paid"


def _counted_names(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, with how often it was there."""
    return tuple(f"{name} ({n} times)" if n > 1 else name for name, n in Counter(names).items())


def decision_now(desk: AppDesk, entry: Entry) -> Review | None:
    """The decision about this version of the task."""
    found = desk.reviews.decisions.get(entry.task_id)
    current = found is not None and found.task_version == entry.version and bool(found.value)
    return found if current else None
