"""Values that a user was never asked for and never said: the task's user is given an alike user's choice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from environments.runtime.task.attempt import DERIVED, Json, ToolResult
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import facts_of
from synth.recordings.tool_kinds import infer_tools
from synth.recordings.traits import AppTraits
from synth.rubric.derive import derive_rubric
from synth.solutions.constructed_ends import Intents
from synth.solutions.plans import Doubts, Plan, Step, Unbound

WHY = {"moved": "I am moving away soon.", "price": "It costs too much now."}
CODES = tuple(WHY)


def tool(name: str, says: str, *names: str) -> str:
    """A tool definition as canonical text."""
    properties = {n: {"type": "string"} for n in names}
    function = {"name": name, "description": says, "parameters": {"properties": properties}}
    return json.dumps({"type": "function", "function": function}, sort_keys=True)


TOOLS = (
    tool("get_pass", "Shows a swimming pass.", "pass_id"),
    tool("cancel_pass", "Cancels a swimming pass.", "pass_id", "motive"),
)


class Pool:
    """The backend: it ends every pass."""

    def call(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """Answer one call."""
        shown = {"pass_id": arguments.get("pass_id"), "state": "valid"}
        content = json.dumps(shown) if name == "get_pass" else "ended"
        return ToolResult(content=content, source=DERIVED, is_error=False)


def call(name: str, arguments: Mapping[str, Json], result: str) -> list[CleanStep]:
    """A call with its result."""
    made = CleanToolCall(call_id=name, name=name, arguments=json.dumps(arguments))
    return [
        CleanStep(role="assistant", tool_calls=(made,)),
        CleanStep(role="tool", call_id=name, content=result),
    ]


def says(role: str, text: str) -> CleanStep:
    """A turn."""
    return CleanStep(role=role, content=text)


def ending(number: int, *, why: str = "", done: bool = True, who: str = "") -> CleanEpisode:
    """A request to end a pass; `why`: the motive told when asked for it, with the user's `who` in it."""
    name = f"SP-{number}"
    shown = json.dumps({"pass_id": name, "state": "valid"})
    steps = [says("user", f"Please end my swimming pass {name}.")]
    steps += call("get_pass", {"pass_id": name}, shown)
    if why:
        steps += [
            says("assistant", f"For what motive is {name} ended?"),
            says("user", WHY[why] + who),
        ]
    if done:
        asks = f"I will end {name}. Do you confirm (yes/no)?"
        steps += [says("assistant", asks), says("user", "Yes, please.")]
        steps += call("cancel_pass", {"pass_id": name, "motive": why}, "ended")
    steps += [says("assistant", "Thank you for your message.")]
    return CleanEpisode(
        app="p", episode_id=f"e{number}", started_at=1, tools=TOOLS, steps=tuple(steps)
    )


def planned(failed: CleanEpisode, *, who: str = "") -> Plan | Unbound:
    """What twelve resolved requests, each with a motive, teach of a failed one."""
    resolved = [ending(100 + n, why=CODES[n % 2], who=who) for n in range(12)]
    records = [record(e) for e in (*resolved, failed)]
    kinds = infer_tools(records)
    label = {r.episode.episode_id: r.episode is not failed for r in records}
    facts = [
        facts_of(
            r, Label(resolved=label[r.episode.episode_id], confidence=0.98, by="reviewer"), kinds
        )
        for r in records
    ]
    return Intents(facts, kinds, lambda _: Pool()).construct(facts[-1])


def test_a_user_who_was_never_asked_chooses_as_an_alike_one_did() -> None:
    """The turn is given to the task's user, the change rests on it, and the plan says which argument does."""
    plan = planned(ending(900, done=False))
    assert isinstance(plan, Plan)
    (step,), (turn,) = plan.steps, plan.answers
    assert WHY[str(step.arguments["motive"])] == turn.text
    assert plan.supposed == {"cancel_pass": frozenset({"motive"})}


def test_users_of_different_tasks_choose_differently() -> None:
    """Else a policy that always names the same motive would earn at all of them."""
    plans = [planned(ending(900 + n, done=False)) for n in range(8)]
    assert {str(p.steps[0].arguments["motive"]) for p in plans if isinstance(p, Plan)} == {*CODES}


def test_what_was_said_is_not_chosen_anew() -> None:
    """A user who told the motive is taken at their word."""
    for number in range(4):
        plan = planned(ending(900 + number, why="price", done=False))
        assert isinstance(plan, Plan)
        assert plan.steps[0].arguments["motive"] == "price"
        assert not plan.supposed
        assert not plan.answers


def test_turns_that_hold_a_number_are_nobody_elses() -> None:
    """Ids and amounts are the other user's own: without a turn free of them, nothing is constructed."""
    plan = planned(ending(900, done=False), who=" My number is 4711.")
    assert plan == Unbound("value_not_bound")


def test_an_end_that_rests_on_a_choice_is_paid_and_not_predicted() -> None:
    """The real user may have chosen otherwise: agreement says nothing, met or not; the task's user is paid for."""
    good = record(ending(1, why="price"))
    kinds = infer_tools([good])
    facts = facts_of(good, Label(resolved=True, confidence=0.97), kinds)
    doubts = Doubts(supposed={"cancel_pass": frozenset({"motive"})})
    rubric = derive_rubric("t", [facts], AppTraits(kinds=kinds), doubts=doubts).rubric
    told = {c.check_id: json.dumps(c.args) for c in rubric.checks}
    assert '"unconfirmed": true' in told["predicted_end"]
    assert '"motive"' in json.dumps(json.loads(told["predicted_end"])["corrected"])
    assert "unconfirmed" not in told["end_state"]


def test_a_choice_among_records_is_told_from_one_among_words() -> None:
    """Whether the backend grants a record nobody asked for is not for alike users' success to say."""
    plan = planned(ending(900, done=False))
    assert isinstance(plan, Plan)
    assert not plan.chose_a_record
    values: tuple[Json, ...] = ("VR-0012", ["VR-0012"])
    for value in values:
        step = Step(tool="cancel_pass", arguments={"pass_id": "SP-900", "motive": value})
        assert replace(plan, steps=(step,)).chose_a_record


def prolonged(name: str, *, asks: str, state: str) -> CleanEpisode:
    """A request to prolong a pass: done where it is valid, declined where it has run out."""
    shown = json.dumps({"pass_id": name, "state": state})
    steps = [says("user", f"{asks} {name}.")]
    steps += call("get_pass", {"pass_id": name}, shown)
    if state == "valid":
        steps += call("cancel_pass", {"pass_id": name, "motive": "x"}, "done")
    closing = "Done." if state == "valid" else "It has run out, so that is not possible."
    steps += [says("assistant", closing), says("user", "All right, bye.")]
    return CleanEpisode(app="p", episode_id=name, started_at=1, tools=TOOLS, steps=tuple(steps))


def test_what_all_of_an_end_share_excuses_a_few_who_lack_it() -> None:
    """Three alike users got it and two did not; only all eight, however they asked, show that it takes a valid one."""
    short, other = "Please prolong my lido pass", "Kindly give longer entry with"
    good = [prolonged(f"SP-{n}", asks=short, state="valid") for n in range(100, 103)]
    good += [prolonged(f"SP-{n}", asks=short, state="over") for n in range(200, 202)]
    good += [prolonged(f"SP-{n}", asks=other, state="valid") for n in range(300, 305)]
    failed = prolonged("SP-900", asks=short, state="valid")
    failed = replace(failed, steps=(*failed.steps[:3], says("assistant", "Thank you.")))
    records = [record(e) for e in (*good, failed)]
    kinds = infer_tools(records)
    facts = [
        facts_of(r, Label(resolved=r.episode is not failed, confidence=0.98, by="reviewer"), kinds)
        for r in records
    ]
    plan = Intents(facts, kinds, lambda _: Pool()).construct(facts[-1])
    assert isinstance(plan, Plan)
    assert plan.steps[0].arguments["pass_id"] == "SP-900"
