"""The right end of a request that nobody resolved, bound from how alike requests of an invented library were resolved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from environments.runtime.task.attempt import DERIVED, UNKNOWN, Json, ToolResult
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.attempts.constructed_attempts import asked_after
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.known_values import Example, KnownValues, Record, ids_in, shape
from synth.recordings.tool_kinds import infer_tools
from synth.solutions.bindings import bind, sources_of
from synth.solutions.constructed_ends import Intents
from synth.solutions.plans import Plan, Unbound
from tests.unit.lending_library import TOOLS


class Library:
    """The backend: every loan has a desk of its own; one with a nine is refused, of one with an eight nobody knows."""

    def call(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """Answer one call."""
        loan = str(arguments.get("loan", ""))
        if name == "get_loan" and loan:
            return ToolResult(content=json.dumps(loan_of(loan)), source=DERIVED, is_error=False)
        if name == "renew_loan" and "9" in loan:
            return ToolResult(content="Error: reserved", source=DERIVED, is_error=True)
        nobody_knows = not loan or (name == "renew_loan" and "8" in loan)
        source = UNKNOWN if nobody_knows else DERIVED
        return ToolResult(content="ok", source=source, is_error=False)


def loan_of(loan: str) -> dict[str, Json]:
    """The record of a loan."""
    return {"loan": loan, "desk": f"D-{loan[-3:]}", "title": "Moby Dick"}


def call(name: str, arguments: Mapping[str, Json], result: str, number: int) -> list[CleanStep]:
    """A call with its result."""
    made = CleanToolCall(call_id=f"c{number}", name=name, arguments=json.dumps(arguments))
    return [
        CleanStep(role="assistant", tool_calls=(made,)),
        CleanStep(role="tool", call_id=made.call_id, content=result),
    ]


def renewal(
    name: str, loan: str, *, done: bool, asks: str = "Please renew my loan"
) -> CleanEpisode:
    """A request to renew a loan, done or only looked up."""
    steps = [CleanStep(role="user", content=f"{asks} {loan}.")]
    steps += call("get_loan", {"loan": loan}, json.dumps(loan_of(loan)), 1)
    if done:
        steps += call("renew_loan", {"loan": loan, "desk": f"D-{loan[-3:]}"}, "renewed", 2)
    steps.append(CleanStep(role="assistant", content="Thank you."))
    return CleanEpisode(app="lib", episode_id=name, started_at=1, tools=TOOLS, steps=tuple(steps))


def closing(number: int) -> CleanEpisode:
    """Another request."""
    card = f"CARD-{700 + number}"
    steps = [CleanStep(role="user", content=f"I want to close card {card} for good.")]
    steps += call("close_card", {"card": card}, "closed", 1)
    return CleanEpisode(
        app="lib", episode_id=f"c{number}", started_at=1, tools=TOOLS, steps=tuple(steps)
    )


def learnt(failed: CleanEpisode, *, odd: int = 0) -> tuple[Intents, Facts]:
    """Six renewals and six closings that were resolved; `odd` renewals were resolved without any change."""
    good = [renewal(f"g{n}", f"LOAN-{100 + n}", done=n >= odd) for n in range(6)]
    good += [closing(n) for n in range(6)]
    kinds = infer_tools([record(e) for e in [*good, failed]])
    attempts = [facts_of(record(e), Label(resolved=True, confidence=0.97), kinds) for e in good]
    bad = facts_of(record(failed), Label(resolved=False, confidence=0.97), kinds)
    return Intents([*attempts, bad], kinds, lambda _: Library()), bad


def test_the_end_of_alike_requests_is_bound_to_the_episodes_own_values() -> None:
    """The id comes from the user's words, the desk from the record; the rule was right on every resolved episode."""
    intents, failed = learnt(renewal("x", "LOAN-555", done=False))
    plan = intents.construct(failed)
    assert isinstance(plan, Plan)
    assert [(s.tool, dict(s.arguments)) for s in plan.steps] == [
        ("renew_loan", {"loan": "LOAN-555", "desk": "D-555"})
    ]
    assert plan.confidence > 0.9
    assert plan.origin == tuple(f"g{n}" for n in range(6))


def test_nothing_is_constructed_where_alike_requests_ended_differently() -> None:
    """Half of them were resolved without a change and nothing seen says why."""
    intents, failed = learnt(renewal("x", "LOAN-555", done=False), odd=3)
    assert isinstance(intents.construct(failed), Unbound)


def test_nothing_is_constructed_that_the_backend_refuses() -> None:
    """An end that cannot be had is not the right one."""
    intents, failed = learnt(renewal("x", "LOAN-595", done=False))
    assert intents.construct(failed) == Unbound("refused_by_the_backend")


def test_nothing_is_constructed_for_a_request_unlike_all_others() -> None:
    """Without neighbours there is no end to bind."""
    asks = "Where are the toilets near"
    intents, failed = learnt(renewal("x", "LOAN-555", done=False, asks=asks))
    assert isinstance(intents.construct(failed), Unbound)


def test_what_is_known_to_succeed_is_not_doubted_because_of_what_nobody_knows() -> None:
    """Users who asked for what nobody knows to be granted were content with another loan, or another desk."""
    good = [renewal(f"g{n}", f"LOAN-1{n // 4}{n % 4}", done=True) for n in range(16)]
    for n in range(4):
        asked = renewal(f"o{n}", f"LOAN-80{n}", done=False)
        given = {
            "loan": f"LOAN-{'80' if n > 1 else '20'}{n}",
            "desk": f"D-{'70' if n > 1 else '80'}{n}",
        }
        steps = (*asked.steps[:-1], *call("renew_loan", given, "renewed", 2), asked.steps[-1])
        good.append(replace(asked, steps=steps))
    good += [closing(n) for n in range(6)]
    failed = [renewal("x", "LOAN-555", done=False), renewal("y", "LOAN-855", done=False)]
    kinds = infer_tools([record(e) for e in [*good, *failed]])
    attempts = [facts_of(record(e), Label(resolved=True, confidence=0.97), kinds) for e in good]
    bad = [facts_of(record(e), Label(resolved=False, confidence=0.97), kinds) for e in failed]
    intents = Intents([*attempts, *bad], kinds, lambda _: Library())
    assert isinstance(intents.construct(bad[0]), Plan)
    assert intents.construct(bad[1]) == Unbound("rule_not_proven")


def known(said: str, *records: Record) -> KnownValues:
    """What an episode knows."""
    return KnownValues((said,), "u", 0, records)


def test_an_id_that_is_not_unique_is_not_bound() -> None:
    """Two ids of one shape: nobody knows which is meant."""
    examples = [Example(known(f"Take LOAN-10{n}."), f"LOAN-10{n}", ()) for n in range(4)]
    sources = sources_of(examples)
    assert bind(sources, known("Take LOAN-222, please."), ()) == "LOAN-222"
    assert bind(sources, known("Take LOAN-222 or LOAN-333."), ()) is None
    assert ids_in("LOAN-222, of 12.50 and x") == ["LOAN-222"]
    assert shape("LOAN-222") == shape("BOOK-9")


def test_a_choice_among_few_is_bound_by_words_that_users_say_only_with_it() -> None:
    """Words seen with two values, or never seen, bind nothing."""
    said = ["it is broken now"] * 3 + ["it was a gift"] * 3
    values = ["damage"] * 3 + ["other"] * 3
    sources = sources_of([Example(known(s), v, ()) for s, v in zip(said, values, strict=True)])
    assert bind(sources, known("Sadly it is broken now."), ()) == "damage"
    assert bind(sources, known("I do not like it."), ()) is None


def test_the_element_that_the_user_names_is_chosen() -> None:
    """A list's element is found by its texts in what the user said; the longer name wins."""
    items: Json = [{"id": "I-100", "name": "lamp"}, {"id": "I-200", "name": "desk lamp"}]
    read = Record("get_order", {"order": "O-1111"}, {"items": items})
    examples = [Example(known("the desk lamp please", read), "I-200", ("O-1111",))] * 2
    examples += [Example(known("my lamp", read), "I-100", ("O-1111",))]
    sources = sources_of(examples)
    assert bind(sources, known("send the desk lamp", read), ("O-1111",)) == "I-200"
    assert bind(sources, known("send it", read), ("O-1111",)) is None


def test_the_question_is_due_before_a_change_made_unasked_or_before_the_last_words() -> None:
    """A user agrees where they were not asked, not after they said goodbye."""
    done = renewal("x", "LOAN-555", done=True)
    bye = (*done.steps, CleanStep(role="user", content="Bye."))
    looked = renewal("y", "LOAN-556", done=False)
    left = (
        *looked.steps,
        CleanStep(role="user", content="For two weeks."),
        CleanStep(role="assistant", content="Noted."),
        CleanStep(role="user", content="Bye."),
    )
    episodes = [replace(done, steps=bye), replace(looked, steps=left)]
    kinds = infer_tools([record(e) for e in episodes])
    places = [
        asked_after(facts_of(record(e), Label(resolved=False, confidence=0.97), kinds), kinds)
        for e in episodes
    ]
    assert places == [(0,), (1,)]
