"""Tools that look by their names and change something all the same, on an invented workshop whose `job_review` approves orders."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.candidate import Candidate
from environments.runtime.values.normal import as_names
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.contrasted_tools import harmless_tools, hidden_writers
from synth.recordings.tool_kinds import infer_tools
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

Line = tuple[str, str, str]
"""Name, arguments, result."""

TOOLS = tuple(
    json.dumps({"name": name, "description": says, "parameters": {"properties": {"order": {}}}})
    for name, says in (
        ("get_order", "Shows an order."),
        ("job_review", "Review a job."),
        ("close_order", "Closes an order."),
    )
)


def look(n: int) -> Line:
    """A look at an order."""
    return ("get_order", f'{{"order": "W-{n}"}}', f'{{"order": "W-{n}", "parts": {n % 7}}}')


def review(n: int) -> Line:
    """The tool in question."""
    return ("job_review", f'{{"order": "W-{n}"}}', '{"reviewed": true}')


def close(n: int) -> Line:
    """A change that nobody doubts."""
    return ("close_order", f'{{"order": "W-{n}"}}', '{"state": "closed"}')


def episode(name: str, *lines: Line, key: str, says: str = "Done.") -> CleanEpisode:
    """An episode of calls with their results, and a last word."""
    steps = [CleanStep(role="user", content=f"Please settle order W-{key[1:]}.")]
    for number, (tool, arguments, result) in enumerate(lines):
        call = CleanToolCall(call_id=f"c{number}", name=tool, arguments=arguments)
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=call.call_id, content=result))
    steps.append(CleanStep(role="assistant", content=says))
    return CleanEpisode(
        app="shop", episode_id=name, started_at=1, task_key=key, tools=TOOLS, steps=tuple(steps)
    )


def pair(
    n: int, extra: Line, *, resolved: bool, says: str = "Done."
) -> list[tuple[CleanEpisode, bool]]:
    """A resolved attempt that closes order 100 + n, and one that also made another call."""
    key, order = f"k{100 + n}", 100 + n
    return [
        (episode(f"g{n}", look(order), close(order), key=key), True),
        (
            episode(f"x{n}", look(order), extra, close(order), key=key, says=says),
            resolved,
        ),
    ]


def facts(seen: list[tuple[CleanEpisode, bool]], *, confidence: float = 0.97) -> list[list[Facts]]:
    """The facts of pairs."""
    kinds = infer_tools([record(e) for e, _ in seen])
    found = [facts_of(record(e), Label(resolved=r, confidence=confidence), kinds) for e, r in seen]
    return [found[i : i + 2] for i in range(0, len(found), 2)]


@pytest.mark.parametrize(
    ("marks", "found"),
    [
        ("---", {"job_review": "write"}),
        ("-", {"job_review": "maybe"}),
        ("--+", {"job_review": "maybe"}),
        ("-+", {}),
        ("+++", {}),
    ],
)
def test_a_call_that_alone_tells_bad_from_good_changes_something(
    marks: str, found: dict[str, str]
) -> None:
    """Three such attempts prove it, fewer leave it open, resolved ones with the call speak against it."""
    seen = [e for n, m in enumerate(marks) for e in pair(n, review(200 + n), resolved=m == "+")]
    assert hidden_writers(facts(seen)) == found
    assert hidden_writers(facts(seen), settled=["job_review"]) == {}


@pytest.mark.parametrize(("marks", "found"), [("---", {"escalate_to_human": "write"}), ("+++", {})])
def test_handing_over_beside_the_job_counts_where_outcomes_say_so(
    marks: str, found: dict[str, str]
) -> None:
    """Who settles the order and hands the customer over as well did what nobody asked for, or what nobody minds."""
    over = ("escalate_to_human", '{"summary": "Please look."}', "handed over")
    seen = [e for n, m in enumerate(marks) for e in pair(n, over, resolved=m == "+")]
    assert hidden_writers(facts(seen)) == found


@pytest.mark.parametrize(
    ("tool", "marks", "found"),
    [
        ("job_sheet", "+", {"job_sheet": "read"}),
        ("job_sheet", "-", {}),
        ("create_estimate", "+", {"create_estimate": "maybe"}),
        ("create_estimate", "++", {"create_estimate": "read"}),
        ("create_estimate", "+-", {}),
    ],
)
def test_a_tool_without_which_attempts_are_resolved_changes_nothing(
    tool: str, marks: str, found: dict[str, str]
) -> None:
    """Whatever its name says: one pair of resolved attempts leaves a verb that writes in doubt, two outweigh it."""
    extra = (tool, '{"order": "W-9"}', '{"sheet": 9}')
    seen = [e for n, m in enumerate(marks) for e in pair(n, extra, resolved=m == "+")]
    kinds = infer_tools([record(e) for e, _ in seen])
    assert harmless_tools(facts(seen), kinds) == found


def test_a_failed_attempt_that_left_a_figure_out_says_nothing_of_what_it_did_not_note() -> None:
    """Two pairs of resolved attempts clear a note; failed ones speak against it only if they told all that was to be told."""
    note = ("add_note", '{"order": "W-9", "text": "done"}', '{"note": 9}')
    seen = [e for n in range(2) for e in pair(n, note, resolved=True)]
    for said, found in (("Done.", {"add_note": "read"}), ("It has 2 parts.", {})):
        silent = [
            e
            for n in range(2, 4)
            for e in (
                (
                    episode(f"g{n}", look(n), note, close(n), key=f"s{n}", says="It has 2 parts."),
                    True,
                ),
                (episode(f"x{n}", look(n), close(n), key=f"s{n}", says=said), False),
            )
        ]
        kinds = infer_tools([record(e) for e, _ in seen + silent])
        assert harmless_tools(facts(seen + silent), kinds) == found


def test_nothing_is_said_where_words_or_one_doubtful_label_may_be_why() -> None:
    """A failed attempt that left out a figure failed by what it told; one label that is often wrong proves nothing."""
    silent = [
        (episode("g", look(100), close(100), key="k100", says="It has 2 parts."), True),
        (episode("x", look(100), review(7), close(100), key="k100"), False),
    ]
    assert hidden_writers(facts(silent * 3)) == {}
    assert hidden_writers(facts(pair(0, review(7), resolved=False), confidence=0.9)) == {}
    other = [
        (episode("g", look(100), close(100), key="k100"), True),
        (episode("x", look(100), review(7), close(101), key="k100"), False),
    ]
    assert hidden_writers(facts(other * 3)) == {}


def derived(seen: list[tuple[CleanEpisode, bool]]) -> tuple[Candidate, World]:
    """The first task of such attempts, and their world."""
    labels = {e.episode_id: Label(resolved=r, confidence=0.97) for e, r in seen}
    episodes = [e for e, _ in seen]
    learnt = learn_world(episodes, WorldSettings())
    return derive_tasks(episodes, labels, learnt)[0], World(learnt.document)


def suspected(seen: list[tuple[CleanEpisode, bool]]) -> set[str]:
    """Tools that its end counts as changes, or as possible ones."""
    end = next(c for c in derived(seen)[0].rubric.checks if c.fn == "end_state")
    return {*as_names(end.args["writes"]), *as_names(end.args.get("maybe"))}


def test_a_good_end_with_such_a_call_beside_it_is_not_paid() -> None:
    """Reviewing somebody else's job beside the right change was paid while `job_review` counted as a look."""
    seen = [e for n in range(4) for e in pair(n, review(200 + n), resolved=False)]
    first, world = derived(seen)

    def reward(name: str) -> float | None:
        actions = record(next(e for e, _ in seen if e.episode_id == name)).actions
        ran = run_actions(first.task, world, actions)
        return evaluate(first.rubric, ran, task_version="v").reward

    assert reward("g0") == 1.0
    assert reward("x0") == 0.0


def test_a_look_that_the_world_answers_is_not_suspected() -> None:
    """Such an attempt failed by something that nobody recorded: the learnt world answers `get_order` from its records."""
    seen = [e for n in range(4) for e in pair(n, look(200 + n), resolved=False)]
    assert suspected(seen) == {"close_order"}


def test_a_look_that_the_world_answers_takes_twice_the_proof() -> None:
    """A place on a waiting list is answered from what was shown, and whoever asks takes one: six failures prove it."""
    seen = [e for n in range(6) for e in pair(n, look(200 + n), resolved=False)]
    assert suspected(seen) == {"close_order", "get_order"}
    seen = [e for n in range(6) for e in pair(n, look(200 + n), resolved=n == 0)]
    assert suspected(seen) == {"close_order"}


def test_only_attempts_at_one_key_are_compared() -> None:
    """Attempts that are joined by what was done may have been asked for different things."""
    seen = [e for n in range(4) for e in pair(n, review(200 + n), resolved=False)]
    assert "job_review" in suspected(seen)
    assert "job_review" not in suspected([(replace(e, task_key=None), r) for e, r in seen])
