"""What alike users do when asked to agree decides what a request stands for whose user was never asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from environments.runtime.task.attempt import DERIVED, Json, ToolResult
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.tool_kinds import ToolKinds, infer_tools
from synth.recordings.traits import AppTraits
from synth.rubric.derive import derive_rubric
from synth.solutions.cases import case_of
from synth.solutions.constructed_ends import Intents
from synth.solutions.constructions import that_say_most
from synth.solutions.fillers.revisions import Revisions
from synth.solutions.intents import Openings
from synth.solutions.plans import Doubts, Plan, Unbound

YES = "Yes, please."
OTHER_WORDS = CleanStep(
    role="user", content="Could we have a bed for vegetables, PLOT-700 perhaps?"
)


def tool(name: str, says: str, *names: str) -> str:
    """A tool definition as canonical text."""
    properties = {n: {"type": "string"} for n in names}
    function = {"name": name, "description": says, "parameters": {"properties": properties}}
    return json.dumps({"type": "function", "function": function}, sort_keys=True)


TOOLS = (
    tool("get_plot", "Shows a garden plot.", "plot"),
    tool("book_plot", "Books a garden plot.", "plot", "month"),
    tool("close_key", "Closes a key.", "key"),
)


class Garden:
    """The backend: every plot is free."""

    def call(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """Answer one call."""
        content = json.dumps({"plot": arguments.get("plot")}) if name == "get_plot" else "ok"
        return ToolResult(content=content, source=DERIVED, is_error=False)


def call(name: str, arguments: Mapping[str, Json], result: str) -> list[CleanStep]:
    """A call with its result."""
    made = CleanToolCall(call_id=f"{name}-1", name=name, arguments=json.dumps(arguments))
    return [
        CleanStep(role="assistant", tool_calls=(made,)),
        CleanStep(role="tool", call_id=made.call_id, content=result),
    ]


def lease(name: str, *answers: str, done: bool, month: str = "2026-04") -> CleanEpisode:
    """A request for a plot; `answers` to the question whether to lease it, which is asked once for each."""
    plot = f"PLOT-{name[1:].zfill(3)}"
    said = [CleanStep(role="user", content=f"Please lease me the garden plot {plot} from 2026-04.")]
    steps = [*said, *call("get_plot", {"plot": plot}, json.dumps({"plot": plot}))]
    for answer in answers:
        asks = f"I will lease {plot}. Do you confirm (yes/no)?"
        steps += [CleanStep(role="assistant", content=asks), CleanStep(role="user", content=answer)]
    if done:
        steps += call("book_plot", {"plot": plot, "month": month}, "leased")
    steps.append(CleanStep(role="assistant", content="Thank you for your message."))
    return CleanEpisode(app="g", episode_id=name, started_at=1, tools=TOOLS, steps=tuple(steps))


def key(number: int) -> CleanEpisode:
    """Another request."""
    name = f"KEY-{400 + number}"
    steps = [CleanStep(role="user", content=f"I lost my little key {name}, block it at once.")]
    steps += call("close_key", {"key": name}, "dropped")
    return CleanEpisode(
        app="g", episode_id=f"k{number}", started_at=1, tools=TOOLS, steps=tuple(steps)
    )


def learnt(*good: CleanEpisode, failed: CleanEpisode) -> tuple[Intents, Facts, ToolKinds]:
    """Six leases that were agreed to at once, the given ones, six other requests; and a failed one."""
    agreed = [lease(f"a{n}", YES, done=True) for n in range(6)]
    resolved = [*agreed, *good, *(key(n) for n in range(6))]
    kinds = infer_tools([record(e) for e in [*resolved, failed]])
    right = [facts_of(record(e), Label(resolved=True, confidence=0.97), kinds) for e in resolved]
    wrong = facts_of(record(failed), Label(resolved=False, confidence=0.97), kinds)
    return Intents([*right, wrong], kinds, lambda _: Garden()), wrong, kinds


def withdrawing(count: int) -> list[CleanEpisode]:
    """Users who did not want it any more when asked."""
    return [lease(f"w{20 + n}", "No, leave it.", done=False) for n in range(count)]


def content(count: int) -> list[CleanEpisode]:
    """Users who were asked nothing, got nothing, and were content."""
    return [lease(f"n{40 + n}", done=False) for n in range(count)]


def test_where_alike_users_withdraw_nothing_is_constructed() -> None:
    """Three of nine did not want it any more when asked; one who was not asked may be of the same mind."""
    intents, failed, _ = learnt(*withdrawing(3), failed=lease("x77", done=False))
    assert intents.construct(failed) == Unbound("alike_users_withdrew")


def test_who_would_have_withdrawn_was_content_with_nothing() -> None:
    """Where such users call it resolved when nothing happens, one who called it unresolved wanted the change."""
    good = [*withdrawing(3), *content(4)]
    intents, failed, _ = learnt(*good, failed=lease("x77", done=False))
    plan = intents.construct(failed)
    assert isinstance(plan, Plan)
    assert [(s.tool, dict(s.arguments)) for s in plan.steps] == [
        ("book_plot", {"plot": "PLOT-077", "month": "2026-04"})
    ]
    assert plan.corrected == {}


def test_content_users_prove_nothing_about_one_for_whom_something_was_changed() -> None:
    """A failed attempt that made the change without asking may have done what its user would have withdrawn."""
    good = [*withdrawing(3), *content(4)]
    intents, failed, _ = learnt(*good, failed=lease("x77", done=True, month="2026-07"))
    assert intents.construct(failed) == Unbound("alike_users_withdrew")


def correcting(count: int) -> list[CleanEpisode]:
    """Users who corrected the month when asked."""
    says = "No, from 2026-05 on."
    return [lease(f"c{60 + n}", says, YES, done=True, month="2026-05") for n in range(count)]


def test_a_value_that_alike_users_correct_is_constructed_as_said_and_marked() -> None:
    """The task's user agrees to what was said; which argument others correct is known."""
    intents, failed, _ = learnt(*correcting(4), failed=lease("x77", done=False))
    plan = intents.construct(failed)
    assert isinstance(plan, Plan)
    assert plan.steps[0].arguments["month"] == "2026-04"
    assert plan.corrected == {"book_plot": frozenset({"month"})}


def test_what_a_user_corrected_in_one_attempt_is_what_they_want_in_all() -> None:
    """Of three failed attempts at one request the one whose user corrected the month is what a solution is made from."""
    tried = [
        lease("x77", done=False),
        lease("y77", YES, done=False),
        lease("z77", "No, from 2026-05 on.", YES, done=False),
    ]
    kinds = infer_tools([record(e) for e in [*tried, key(1)]])
    failed = [facts_of(record(e), Label(resolved=False, confidence=0.97), kinds) for e in tried]
    assert [one.episode_id for one in that_say_most(failed)] == ["z77"]
    assert that_say_most(failed[:2]) == failed[:2]
    intents, *_ = learnt(*correcting(4), failed=tried[0])
    plan = intents.construct(that_say_most(failed)[0])
    assert isinstance(plan, Plan)
    assert plan.steps[0].arguments["month"] == "2026-05"


def test_an_end_with_another_value_of_a_corrected_argument_is_not_predicted() -> None:
    """Agreement does not say what a user who might have corrected it would have said of it; reward pays what was said."""
    good = lease("a1", YES, done=True)
    kinds = infer_tools([record(e) for e in [good, key(1)]])
    facts = facts_of(record(good), Label(resolved=True, confidence=0.97), kinds)
    corrected = {"book_plot": frozenset({"month"})}
    rubric = derive_rubric(
        "t", [facts], AppTraits(kinds=kinds), doubts=Doubts(corrected=corrected)
    ).rubric
    (check,) = [c for c in rubric.checks if c.check_id == "predicted_end"]
    ignore: dict[str, Json] = {"book_plot": ["month"]}
    rows: Json = [["book_plot", '{"plot":"plot-001"}', 1]]
    assert check.args["corrected"] == [{"writes": rows, "ignore": ignore}]
    assert all("corrected" not in c.args for c in rubric.checks if c.role == "reward")


def test_a_choice_that_alike_users_correct_is_not_predicted_even_where_it_is_met() -> None:
    """An id is one of few: another policy writes the first one by accident, too; reward pays it to the task's user."""
    good = lease("a1", YES, done=True)
    kinds = infer_tools([record(e) for e in [good, key(1)]])
    facts = facts_of(record(good), Label(resolved=True, confidence=0.97), kinds)
    corrected = {"book_plot": frozenset({"plot"})}
    rubric = derive_rubric(
        "t", [facts], AppTraits(kinds=kinds), doubts=Doubts(corrected=corrected)
    ).rubric
    marked = {c.check_id: '"unconfirmed": true' in json.dumps(c.args) for c in rubric.checks}
    assert (marked["end_state"], marked["predicted_end"]) == (False, True)


def test_few_alike_users_who_agreed_do_not_outweigh_all_who_correct_this_end() -> None:
    """Three agreed who asked in these words; of all who leased a plot, most corrected the month."""
    episodes = [lease(f"a{n}", YES, done=True) for n in range(3)]
    others = [replace(e, steps=(OTHER_WORDS, *e.steps[1:])) for e in correcting(6)]
    kinds = infer_tools([record(e) for e in [*episodes, *others, key(1)]])
    facts = [
        facts_of(record(e), Label(resolved=True, confidence=0.97), kinds)
        for e in [*episodes, *others, *(key(n) for n in range(6))]
    ]
    cases = [case_of(f, kinds) for f in facts]
    openings = Openings([c.known.opening for c in cases], [c.end.signature for c in cases])
    revisions = Revisions(cases, openings)
    opening = cases[0].known.opening
    assert len(revisions.correcting(opening, ("book_plot",))) == 6
    assert revisions.correcting(opening, ("close_key",)) == []
