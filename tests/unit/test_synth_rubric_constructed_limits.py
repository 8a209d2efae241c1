"""Ends told apart by amounts beyond a limit, proven part by part, and answers borrowed from alike users."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from environments.runtime.task.attempt import DERIVED, Json, ToolResult
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.known_values import known_of
from synth.recordings.tool_kinds import infer_tools
from synth.solutions.constructed_ends import Intents
from synth.solutions.plans import Plan, Unbound

YES = "Yes, please."
PURSES = ("jar", "tin")
CALLED = {"jar": "glass pot", "tin": "metal box"}
"""What people call them."""


def tool(name: str, says: str, *names: str) -> str:
    """A tool definition as canonical text."""
    properties = {n: {"type": "string"} for n in names}
    function = {"name": name, "description": says, "parameters": {"properties": properties}}
    return json.dumps({"type": "function", "function": function}, sort_keys=True)


TOOLS = (
    tool("get_stall", "Shows a market stall.", "stall"),
    tool("calculate_sum", "Adds up amounts.", "terms"),
    tool("refund_deposit", "Pays money back into a purse.", "stall", "purse", "coins"),
    tool("cancel_stall", "Gives a stall free.", "stall"),
    tool("transfer_to_human", "Hands the conversation over to a person.", "note"),
)


def stall_of(stall: str, coins: float) -> dict[str, Json]:
    """The record of a stall; the deposit of one with an even number went out of its first purse."""
    purses: list[Json] = [{"purse": f"P-{stall[-3:]}{n}", "sort": s} for n, s in enumerate(PURSES)]
    return {
        "stall": stall,
        "deposit": coins,
        "purses": purses,
        "paid_with": f"P-{stall[-3:]}{int(stall[-1]) % 2}",
    }


class Market:
    """The backend: it grants everything; the deposits are those that the episodes read."""

    def __init__(self) -> None:
        self.deposits: dict[str, float] = {}

    def call(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """Answer one call."""
        stall = str(arguments.get("stall"))
        shown = json.dumps(stall_of(stall, self.deposits[stall])) if stall in self.deposits else ""
        content = shown if name == "get_stall" else "done"
        return ToolResult(content=content, source=DERIVED, is_error=False)


def call(name: str, arguments: Mapping[str, Json], result: str) -> list[CleanStep]:
    """A call with its result."""
    made = CleanToolCall(
        call_id=f"{name}-{len(result)}", name=name, arguments=json.dumps(arguments)
    )
    return [
        CleanStep(role="assistant", tool_calls=(made,)),
        CleanStep(role="tool", call_id=made.call_id, content=result),
    ]


def user(text: str) -> CleanStep:
    """A turn of the user."""
    return CleanStep(role="user", content=text)


def agent(text: str) -> CleanStep:
    """A turn of the agent."""
    return CleanStep(role="assistant", content=text)


def episode(name: str, steps: Sequence[CleanStep]) -> CleanEpisode:
    """A conversation that the agent closes."""
    closed = (*steps, agent("Thank you for your message."))
    return CleanEpisode(app="m", episode_id=name, started_at=1, tools=TOOLS, steps=closed)


def payback(
    number: int, coins: float, *, done: str, told: str = "", corrected: str = ""
) -> CleanEpisode:
    """A request for a deposit. `done`: `paid`, `handed` over or nothing; `told`: the purse's sort, when asked for it."""
    stall = f"ST-{number}"
    shown = stall_of(stall, coins)
    steps = [user(f"My deposit for stall {stall} has not come back, send it.")]
    steps += call("get_stall", {"stall": stall}, json.dumps(shown))
    if told:
        steps += [
            agent("Into which of your purses shall it go?"),
            user(f"Into my old {CALLED[told]}."),
        ]
    if done == "paid":
        asks = f"I will pay {coins} back for {stall}. Do you confirm (yes/no)?"
        sort = corrected or told or PURSES[number % 2]
        if corrected:
            steps += [agent(asks), user(f"No wait, rather the {CALLED[corrected]}.")]
        steps += [agent(asks), user(YES)]
        purse = f"P-{stall[-3:]}{PURSES.index(sort)}"
        steps += call("refund_deposit", {"stall": stall, "purse": purse, "coins": coins}, "paid")
    if done == "handed":
        steps += call("transfer_to_human", {"note": f"Deposit of stall {stall} wanted."}, "handed")
        steps += [agent("A colleague will take over."), user("All right, bye.")]
    return episode(f"p{number}", steps)


def freed(*stalls: str, done: bool = True) -> CleanEpisode:
    """A request to give stalls free."""
    steps = [user(f"I am leaving the market, kindly take {' and '.join(stalls)} away from me.")]
    for stall in stalls:
        steps += call("get_stall", {"stall": stall}, json.dumps(stall_of(stall, 3.5)))
    if done:
        steps += [agent("I will give them free. Do you confirm (yes/no)?"), user(YES)]
        for stall in stalls:
            steps += call("cancel_stall", {"stall": stall}, "free")
    return episode(f"f{'-'.join(stalls)}", steps)


def learnt(good: Sequence[CleanEpisode], failed: CleanEpisode) -> tuple[Intents, Facts]:
    """What resolved episodes teach, and one failed one."""
    kinds = infer_tools([record(e) for e in [*good, failed]])
    right = [facts_of(record(e), Label(resolved=True, confidence=0.97), kinds) for e in good]
    wrong = facts_of(record(failed), Label(resolved=False, confidence=0.97), kinds)
    market = Market()
    for one in [*good, failed]:
        for step in one.steps:
            if step.role == "tool" and "deposit" in (step.content or ""):
                shown = json.loads(step.content or "")
                market.deposits[shown["stall"]] = shown["deposit"]
    return Intents([*right, wrong], kinds, lambda _: market), wrong


SMALL = [payback(100 + n, 10.5 + n, done="paid") for n in range(9)]
LARGE = [payback(200 + n, 70.5 + n, done="handed") for n in range(4)]
OTHERS = [freed(f"ST-{300 + n}") for n in range(6)]


def test_an_amount_beyond_a_limit_is_no_reason_against_a_smaller_one() -> None:
    """Four of thirteen were handed over, all with more than anybody got: that says nothing of a small amount."""
    failed = payback(400, 12.5, done="")
    intents, wrong = learnt([*SMALL, *LARGE, *OTHERS], failed)
    plan = intents.construct(wrong)
    assert isinstance(plan, Plan)
    assert [(s.tool, s.arguments["coins"]) for s in plan.steps] == [("refund_deposit", 12.5)]


def test_hand_overs_of_small_amounts_are_a_reason_against_them() -> None:
    """Where amounts that others got were handed over too, nobody knows what tells the two ends apart."""
    handed = [payback(200 + n, 11.5 + n, done="handed") for n in range(4)]
    intents, wrong = learnt([*SMALL, *handed, *OTHERS], payback(400, 12.5, done=""))
    assert intents.construct(wrong) == Unbound("alike_requests_end_differently")


def test_few_amounts_show_no_limit() -> None:
    """Larger than each of four may be an accident."""
    intents, wrong = learnt([*SMALL[:4], *LARGE, *OTHERS], payback(400, 11.5, done=""))
    assert isinstance(intents.construct(wrong), Unbound)


def test_several_changes_are_proven_by_each_of_them() -> None:
    """Three users had two stalls freed, too few to try the rule; one stall at a time it was right six times."""
    pairs = [freed(f"ST-{500 + n}", f"ST-{600 + n}") for n in range(3)]
    intents, wrong = learnt([*SMALL, *OTHERS, *pairs], freed("ST-777", "ST-888", done=False))
    plan = intents.construct(wrong)
    assert isinstance(plan, Plan)
    assert [dict(s.arguments) for s in plan.steps] == [{"stall": "ST-777"}, {"stall": "ST-888"}]


def told(number: int, *, corrected: str = "", done: str = "paid") -> CleanEpisode:
    """A request whose user named the purse that they had paid with."""
    return payback(number, 10.5, done=done, told=PURSES[number % 2], corrected=corrected)


def test_what_was_said_before_a_correction_means_what_it_says() -> None:
    """Many who named the one purse took the other when asked to agree; one never asked is taken at their word."""
    good = [told(100 + n) for n in range(8)]
    good += [told(110 + 2 * n, corrected=PURSES[1]) for n in range(4)]
    intents, wrong = learnt([*good, *OTHERS], told(400, done=""))
    plan = intents.construct(wrong)
    assert isinstance(plan, Plan)
    assert plan.steps[0].arguments["purse"] == "P-4000"
    assert plan.corrected == {"refund_deposit": frozenset({"purse"})}
    assert plan.answers == ()


def test_an_answer_that_was_never_asked_for_is_borrowed() -> None:
    """All got the purse that they had paid with, and named it: the task's user is made to name theirs, too."""
    intents, wrong = learnt(
        [*(told(100 + n) for n in range(8)), *OTHERS], payback(400, 10.5, done="")
    )
    plan = intents.construct(wrong)
    assert isinstance(plan, Plan)
    assert plan.steps[0].arguments["purse"] == "P-4000"
    assert [(turn.asked, turn.text) for turn in plan.answers] == [
        ("Into which of your purses shall it go?", "Into my old glass pot.")
    ]


def test_a_sum_of_another_record_is_no_evidence() -> None:
    """The agent added up amounts of a stall that the user had not named; its answer is not taken for theirs."""
    both = ["ST-401", "ST-402"]
    steps = [user("My deposit for stall ST-401 has not come back, send it.")]
    for stall, coins in zip(both, (12.5, 44.5), strict=True):
        steps += call("get_stall", {"stall": stall}, json.dumps(stall_of(stall, coins)))
    right = [*steps, *call("calculate_sum", {"terms": "12.5 * 0.1"}, "1.25")]
    wrong = [*steps, *call("calculate_sum", {"terms": "44.5 * 0.1"}, "4.45")]
    kinds = infer_tools([record(e) for e in [*SMALL, *OTHERS, episode("r", right)]])
    kept = [known_of(record(episode("r", s)), kinds).records for s in (right, wrong)]
    assert [[r.tool for r in records] for records in kept] == [
        ["get_stall", "get_stall", "calculate_sum"],
        ["get_stall", "get_stall"],
    ]
