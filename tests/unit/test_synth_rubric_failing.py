"""Failing calls that change something all the same, on an invented ticket desk whose `file_claim` crashes after the row."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from environments.runtime.checks.table import evaluate
from environments.verification.sentences import reason_says
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.contrasted_tools import failing_writers
from synth.recordings.tool_kinds import ToolKinds, infer_tools
from synth.recordings.traits import AppTraits
from synth.rubric.derive import Derived, derive_rubric
from synth.tasks import derive_tasks

Line = tuple[str, str, str]
"""Name, arguments, result."""

TOOLS = tuple(
    json.dumps({"name": name, "description": says, "parameters": {"properties": {"claim": {}}}})
    for name, says in (
        ("get_claim", "Shows a claim."),
        ("file_claim", "Creates a claim."),
        ("close_claim", "Closes a claim."),
    )
)
CLOSE: Line = ("close_claim", '{"claim": "C-100"}', '{"claim": "C-100", "state": "closed"}')
CRASH: Line = ("file_claim", '{"claim": "C-777"}', "Error: the mail server did not answer")
REFUSED: Line = ("close_claim", '{"claim": "C-100"}', "Error: not yours")
FILED: Line = ("file_claim", '{"claim": "C-777"}', '{"claim": "C-777", "state": "open"}')


def episode(name: str, *lines: Line, key: str = "k") -> CleanEpisode:
    """An episode of calls with their results."""
    steps = [CleanStep(role="user", content="Close my claim C-100.")]
    for number, (tool, arguments, result) in enumerate(lines):
        call = CleanToolCall(call_id=f"c{number}", name=tool, arguments=arguments)
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=call.call_id, content=result))
    return CleanEpisode(
        app="desk", episode_id=name, started_at=1, task_key=key, tools=TOOLS, steps=tuple(steps)
    )


def season(crashed: str) -> list[tuple[CleanEpisode, bool]]:
    """Tasks with an attempt that only closes (resolved) and one that crashed before; `+` for a resolved crash."""
    found = []
    for n, sign in enumerate(crashed):
        found.append((episode(f"g{n}", CLOSE, key=f"k{n}"), True))
        found.append((episode(f"x{n}", CRASH, CLOSE, key=f"k{n}"), sign == "+"))
    return found


def groups(crashed: str) -> tuple[list[list[Facts]], ToolKinds]:
    """The season's facts by task, with what failing calls were seen to do."""
    seen = season(crashed)
    kinds = infer_tools([record(e) for e, _ in seen])
    facts = [facts_of(record(e), Label(resolved=r, confidence=0.97), kinds) for e, r in seen]
    pairs = [facts[i : i + 2] for i in range(0, len(facts), 2)]
    failing = failing_writers(pairs)
    return pairs, kinds.map_tools(lambda name, tool: replace(tool, failing=failing.get(name, "")))


def derive(crashed: str) -> Derived:
    """The rubric of the season's first task."""
    pairs, kinds = groups(crashed)
    again = [facts_of(a.recorded, a.label, kinds) for a in pairs[0]]
    return derive_rubric("t", again, AppTraits(kinds=kinds))


def verdict(derived: Derived, *lines: Line) -> tuple[float | None, float | None]:
    """What the rubric pays and predicts for these calls."""
    found = evaluate(derived.rubric, record(episode("x", *lines)).attempt, task_version="v")
    return found.reward, found.predicted


@pytest.mark.parametrize(
    ("crashed", "found"),
    [
        ("---", {"file_claim": "write"}),
        ("----------", {"file_claim": "write"}),
        ("--", {"file_claim": "maybe"}),
        ("-", {"file_claim": "maybe"}),
        ("---+", {"file_claim": "maybe"}),
        ("---------+", {"file_claim": "write"}),
        ("-+", {}),
        ("+++", {}),
        ("", {}),
    ],
)
def test_failing_calls_are_judged_by_contrast(crashed: str, found: dict[str, str]) -> None:
    """Three attempts that ended otherwise and nine in ten prove it; fewer leave it open; none say nothing."""
    assert failing_writers(groups(crashed)[0]) == found


@pytest.mark.parametrize(("crashed", "found"), [("-", {}), ("--", {"file_claim": "maybe"})])
def test_one_contrast_of_unreliable_labels_says_nothing(
    crashed: str, found: dict[str, str]
) -> None:
    """A wrong label explains it as well as a failing call that changed something."""
    noisy = [
        [replace(a, label=replace(a.label, confidence=0.9)) for a in pair]
        for pair in groups(crashed)[0]
    ]
    assert failing_writers(noisy) == found


def test_attempts_that_differ_in_more_prove_nothing() -> None:
    """Another write, an unlabelled attempt or two failures cannot say what the failed call did."""
    kinds = infer_tools([record(episode("a", CLOSE)), record(episode("b", CRASH, FILED))])
    crashed = episode("x", CRASH)
    for other, good, bad in (
        (episode("g", CLOSE), True, False),
        (episode("g"), None, False),
        (episode("g"), False, False),
        (episode("g"), True, None),
        (episode("g", REFUSED), True, False),
    ):
        pair = [
            facts_of(record(e), Label(resolved=r, confidence=0.97), kinds)
            for e, r in ((other, good), (crashed, bad))
        ]
        assert failing_writers([pair] * 5) == {}


@pytest.mark.parametrize(
    ("says", "found"),
    [
        ("Sorry, the claim is not yours.", {}),
        ("Sorry, there is a limit of 402.24.", {}),
        ("All is well.", {"close_claim": "write"}),
    ],
)
def test_who_passes_a_refusal_on_tells_more(says: str, found: dict[str, str]) -> None:
    """A user who was told why it cannot be done got more than one who was told nothing: the failed call need not have done anything."""
    refused: Line = ("close_claim", '{"claim": "C-100"}', "Error: not yours, 402.24 at most")
    tried, idle = episode("g", refused), episode("b")
    word = CleanStep(role="assistant", content=says)
    both = ((replace(tried, steps=(*tried.steps, word)), True), (idle, False))
    kinds = infer_tools([record(e) for e in (tried, idle, episode("c", CLOSE))])
    pair = [facts_of(record(e), Label(resolved=r, confidence=0.97), kinds) for e, r in both]
    assert failing_writers([pair] * 5) == found


def test_who_tried_and_told_another_figure_failed_by_what_they_told() -> None:
    """The resolved attempt told 15.60 left and tried nothing; the other one tried and told 24.10."""
    tried, looked = episode("b", REFUSED), episode("g")
    kinds = infer_tools([record(e) for e in (tried, looked, episode("c", CLOSE))])

    def told(one: CleanEpisode, amount: str) -> CleanEpisode:
        word = CleanStep(role="assistant", content=f"Only {amount} is left on it.")
        return replace(one, steps=(*one.steps, word))

    both = ((told(looked, "15.60"), True), (told(tried, "24.10"), False))
    pair = [facts_of(record(e), Label(resolved=r, confidence=0.97), kinds) for e, r in both]
    assert failing_writers([pair] * 5) == {}


@pytest.mark.parametrize(("pairs", "found"), [(2, {}), (3, {"close_claim": "write"})])
def test_other_words_explain_a_few_failures_as_well(pairs: int, found: dict[str, str]) -> None:
    """Both decline, for another reason each: twice that says nothing of the refused call that one of them made before."""
    tried, looked = episode("b", REFUSED), episode("g")
    kinds = infer_tools([record(e) for e in (tried, looked, episode("c", CLOSE))])

    def told(one: CleanEpisode, reason: str) -> CleanEpisode:
        word = CleanStep(role="assistant", content=f"It cannot be closed: {reason}.")
        return replace(one, steps=(*one.steps, word))

    both = (
        (told(looked, "somebody else owns it"), True),
        (told(tried, "payment is outstanding"), False),
    )
    pair = [facts_of(record(e), Label(resolved=r, confidence=0.97), kinds) for e, r in both]
    assert failing_writers([pair] * pairs) == found


def test_a_proven_failing_writer_makes_another_end() -> None:
    """The row that the crash left is a change that no resolved attempt made."""
    derived = derive("---")
    assert verdict(derived, CLOSE) == (1.0, 1.0)
    assert verdict(derived, CRASH, CLOSE) == (0.0, 0.0)
    assert verdict(derived, REFUSED, CLOSE) == (1.0, 1.0)
    assert derived.reasons == ()


def test_a_possible_failing_writer_is_not_judged_where_it_matters() -> None:
    """Null where the verdict hangs on it; a failure for another reason stays one."""
    derived = derive("--")
    assert verdict(derived, CLOSE) == (1.0, 1.0)
    assert verdict(derived, CRASH, CLOSE) == (None, None)
    assert verdict(derived, CRASH) == (0.0, 0.0)
    assert verdict(derived, FILED, CLOSE) == (0.0, 0.0)


def test_a_failed_call_that_all_resolved_attempts_made_too_is_no_doubt() -> None:
    """Whatever it left, the resolved attempt left it too; that nobody knows it is a reason for review."""
    pairs, kinds = groups("--")
    good = facts_of(pairs[0][1].recorded, Label(resolved=True, confidence=0.97), kinds)
    derived = derive_rubric("t", [good], AppTraits(kinds=kinds))
    assert verdict(derived, CRASH, CLOSE)[0] == 1.0
    assert verdict(derived, CLOSE)[0] is None
    assert derived.reasons == ("dirty_unknown",)
    assert "failed" in reason_says("dirty_unknown")


def test_nothing_changes_where_no_failed_call_contrasts() -> None:
    """The rubric says nothing of failing calls, and pays an attempt whose call was refused."""
    derived = derive("+++")
    args = derived.rubric.checks[0].args
    assert "dirty" not in args
    assert "lasting" not in args
    assert verdict(derived, CRASH, CLOSE) == (1.0, 1.0)


def test_tasks_of_an_app_are_made_with_what_its_failing_calls_do() -> None:
    """The whole derivation learns it from its own attempts."""
    seen = season("---")
    labels = {e.episode_id: Label(resolved=r, confidence=0.97) for e, r in seen}
    made = derive_tasks([e for e, _ in seen], labels, None)
    assert len(made) == 3
    assert all(c.rubric.checks[0].args["lasting"] == ["file_claim"] for c in made)
