"""Tasks from episodes: who joins whom, what the task shows, and what must not become a task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.candidate import Candidate
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.task_parts import task_id_of
from synth.tasks import derive_tasks

DEFINITIONS = tuple(
    json.dumps({"type": "function", "function": {"name": n, "description": d, "parameters": {}}})
    for n, d in (("get_parcel", "Shows a parcel."), ("stop_parcel", "Stops a parcel."))
)


def episode(
    name: str,
    *calls: tuple[str, str],
    subject: str | None = "u1",
    at: int = 1,
    **more: Any,  # noqa: ANN401 - any field of the record
) -> CleanEpisode:
    """An episode that makes these calls and takes leave."""
    steps = [CleanStep(role="system", content="Be kind."), CleanStep(role="user", content="Help!")]
    for number, (tool, parcel) in enumerate(calls):
        arguments = json.dumps({"parcel": parcel})
        call = CleanToolCall(call_id=f"c{number}", name=tool, arguments=arguments)
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        result = json.dumps({"parcel": parcel, "by": tool})
        steps.append(CleanStep(role="tool", call_id=f"c{number}", content=result))
    steps.append(CleanStep(role="assistant", content="Anything else?"))
    steps.append(CleanStep(role="user", content="No, thanks."))
    return CleanEpisode(
        app="post",
        episode_id=name,
        started_at=at,
        subject=subject,
        tools=DEFINITIONS,
        steps=tuple(steps),
        **more,
    )


def derive(*episodes: CleanEpisode, good: Sequence[str] = ()) -> list[Candidate]:
    """Candidates without a world; `good` are resolved, the others not."""
    labels = {e.episode_id: Label(resolved=e.episode_id in good, confidence=0.97) for e in episodes}
    return derive_tasks(episodes, labels, None)


LOOK = ("get_parcel", "P-100")
STOP = ("stop_parcel", "P-100")


def test_one_task_key_is_one_task() -> None:
    """Whatever the subjects and the effects, the source knows best."""
    found = derive(
        episode("a", LOOK, STOP, task_key="k"),
        episode("b", LOOK, subject="u2", task_key="k"),
        good=["a"],
    )
    assert len(found) == 1
    assert [a.episode_id for a in found[0].attempts] == ["a", "b"]
    assert [a.resolved for a in found[0].attempts] == [True, False]
    assert found[0].task.task_id == task_id_of("post", task_key="k", anchor="whatever")


def test_without_a_key_only_the_same_goal_of_the_same_subject_joins() -> None:
    """Another subject, another entity, another effect or no effect is another task."""
    found = derive(
        episode("a", LOOK, STOP, at=1),
        episode("b", STOP, at=2),
        episode("other subject", STOP, subject="u2", at=3),
        episode("no subject", STOP, subject=None, at=4),
        episode("other entity", ("stop_parcel", "P-200"), at=5),
        episode("looks only", LOOK, at=6),
        episode("looks again", LOOK, at=7),
        good=["a"],
    )
    assert [len(c.attempts) for c in found] == [2, 1, 1, 1, 1, 1]
    assert found[0].task.provenance["joined_by"] == "goal"


def test_a_later_attempt_never_renames_a_task() -> None:
    """The earliest episode is the anchor for ever."""
    first = derive(episode("a", STOP, at=1), good=["a"])
    again = derive(episode("b", STOP, at=9), episode("a", STOP, at=1), good=["a", "b"])
    assert first[0].task.task_id == again[0].task.task_id


def test_the_task_is_what_the_policy_will_see() -> None:
    """Opening before the first assistant message, the user's later turns with what they answered, tools, limits."""
    task = derive(episode("a", LOOK, STOP), good=["a"])[0].task
    assert [m["role"] for m in task.opening] == ["system", "user"]
    assert [(t.text, t.asked, t.ends) for t in task.user] == [
        ("No, thanks.", "Anything else?", True)
    ]
    assert len(task.tools) == 2
    assert task.limits.calls >= 6
    assert "a" in str(task.provenance["episodes"])


def test_the_solution_is_the_shortest_resolved_attempt() -> None:
    """Unresolved attempts are never a solution."""
    found = derive(
        episode("long", LOOK, LOOK, STOP, task_key="k"),
        episode("short", LOOK, STOP, task_key="k"),
        episode("bad", task_key="k"),
        good=["long", "short"],
    )[0]
    assert found.task.provenance["shown"] == "short"
    assert len(found.solution) == 3


def test_do_not_train_is_honoured() -> None:
    """No task, no attempt and no tool knowledge come from an episode whose user withheld consent."""
    private = episode("p", LOOK, STOP, task_key="k", do_not_train=True)
    open_one = episode("a", LOOK, STOP, task_key="k")
    found = derive(private, open_one, good=["p", "a"])
    assert [a.episode_id for a in found[0].attempts] == ["a"]
    assert derive(private, good=["p"]) == []


def test_what_is_missing_is_a_reason() -> None:
    """Content that was never recorded keeps a task from being accepted."""
    blind = derive(episode("a", STOP, completeness=("no_content",)), good=["a"])[0]
    assert "no_content" in blind.reasons
    assert "no_world" in blind.reasons
    silent = episode("a", STOP)
    unasked = replace(silent, steps=tuple(s for s in silent.steps if s.role != "user"))
    assert "no_request" in derive(unasked, good=["a"])[0].reasons


def held(one: CleanEpisode, place: int, content: str) -> list[str]:
    """What makes the task wait for a value where this step's content came out of redaction like this."""
    steps = [*one.steps]
    steps[place] = replace(steps[place], content=content)
    seen = replace(one, steps=tuple(steps), withheld=(f"steps[{place}].content",))
    reasons = derive(seen, good=["a"])[0].reasons
    return [reason for reason in reasons if reason.startswith("withheld_leaf")]


def test_a_withheld_leaf_costs_a_task_that_needs_it_and_no_other() -> None:
    """A remark nobody reads costs nothing; the request itself does, and a code that was read from what is withheld."""
    looks, stops = episode("a", LOOK), episode("a", LOOK, STOP)
    remark = '{"parcel": "P-100", "remark": "[withheld]"}'
    assert not held(looks, 3, remark)
    assert not held(stops, 3, remark)
    assert held(stops, 1, "[withheld]") == ["withheld_leaf:request"]
    other = episode("a", ("get_parcel", "P-100"), ("stop_parcel", "K-7714"))
    assert held(other, 3, remark) == ["withheld_leaf:stop_parcel"]


@dataclass
class FixedWorld:
    """A learnt world of one parcel that can be stopped."""

    document: WorldDocument = field(default_factory=WorldDocument)
    starts: list[str] = field(default_factory=list)

    def start_of(self, episode: CleanEpisode) -> dict[str, Any]:
        """Nothing changed before the episode; remembers who asked."""
        self.starts.append(episode.episode_id)
        return {}


def test_the_start_is_the_anchors() -> None:
    """All attempts at a task are judged from one start; of a world that knows no tool the end is the calls on the recorded path."""
    world = FixedWorld()
    one, two = episode("a", STOP, task_key="k", at=1), episode("b", STOP, task_key="k", at=2)
    labels = {"a": Label(resolved=True, confidence=1), "b": Label(resolved=True, confidence=1)}
    found = derive_tasks([two, one], labels, world)[0]
    assert "a" in world.starts
    assert found.task.started_at == 1
    end = found.rubric.checks[0].args["ends"]
    assert isinstance(end, list)
    assert isinstance(end[0], dict)
    assert end[0]["effects"] == []
    assert "stop_parcel" in str(end[0]["events"])
    assert "path" in found.task.start
    assert "no_world" not in found.reasons


def test_definitions_that_define_nothing_are_left_out() -> None:
    """A task offers the tools that somebody can call, whatever else was sent as a definition."""
    odd = ['{"function": null}', "{}", '{"name": ["x"]}', "[1]", "[" * 5000, '{"name": "bare"}']
    made = replace(episode("e1", LOOK), tools=(*DEFINITIONS, *odd))
    (found,) = derive(made, good=["e1"])
    assert [t.get("name") or t["function"]["name"] for t in found.task.tools] == [  # type: ignore[index, call-overload]
        "bare",
        "get_parcel",
        "stop_parcel",
    ]
