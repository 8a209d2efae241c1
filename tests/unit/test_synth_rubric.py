"""Derivation on a small invented shop: what tools are, which ends are right, which checks follow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from environments.runtime.attempt import Json
from environments.runtime.checks import evaluate
from redact.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels import Label
from synth.rubric.derive import Derived, derive_rubric
from synth.rubric.ends import ends_of
from synth.rubric.facts import Facts, asks_a_name, facts_of
from synth.rubric.forgiveness import ended_right, undecided, unforgiven
from synth.rubric.habits import FAIL
from synth.rubric.recorded import looks_failed, record
from synth.rubric.tool_kinds import ToolKinds, infer_tools
from synth.rubric.traits import AppTraits, traits_of
from synth.rubric.verbs import hands_over, write_log_odds

Line = tuple[str, ...]
"""`("user", text)`, `("say", text)` or `("call", name, arguments, result)`."""

FETCH: Line = ("call", "get_parcel", '{"parcel": "P-100"}', '{"parcel": "P-100", "state": "open"}')
STOP: Line = (
    "call",
    "stop_parcel",
    '{"parcel": "P-100"}',
    '{"parcel": "P-100", "state": "stopped"}',
)
OTHER: Line = (
    "call",
    "stop_parcel",
    '{"parcel": "P-200"}',
    '{"parcel": "P-200", "state": "stopped"}',
)
HAND: Line = ("call", "escalate", '{"why": "customer wants a person on the phone"}', "ok")


def tool(name: str, description: str, *names: str) -> str:
    """A tool definition as canonical text."""
    properties = {n: {"type": "string"} for n in names}
    function = {
        "name": name,
        "description": description,
        "parameters": {"type": "object", "properties": properties},
    }
    return json.dumps({"type": "function", "function": function}, sort_keys=True)


TOOLS = (
    tool("get_parcel", "Shows a parcel.", "parcel"),
    tool("stop_parcel", "Stops a parcel on its way.", "parcel"),
    tool("escalate", "Hands over to a human agent.", "why"),
)


def episode(
    name: str, *lines: Line, key: str | None = "k", opening: str = "Stop P-100."
) -> CleanEpisode:
    """An episode from short lines."""
    steps = [CleanStep(role="user", content=opening)]
    for number, line in enumerate(lines):
        if line[0] != "call":
            steps.append(
                CleanStep(role="user" if line[0] == "user" else "assistant", content=line[1])
            )
            continue
        call = CleanToolCall(call_id=f"c{number}", name=line[1], arguments=line[2])
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=call.call_id, content=line[3]))
    return CleanEpisode(
        app="post", episode_id=name, started_at=1, task_key=key, tools=TOOLS, steps=tuple(steps)
    )


def label(resolved: bool | None, confidence: float = 0.97) -> Label:
    """A label without provenance."""
    return Label(resolved=resolved, confidence=confidence if resolved is not None else 0.0)


def kinds_of(*episodes: CleanEpisode) -> ToolKinds:
    """What the tools are, by these episodes."""
    return infer_tools([record(e) for e in episodes])


def facts(one: CleanEpisode, resolved: bool | None, kinds: ToolKinds | None = None) -> Facts:
    """The facts of one labelled episode."""
    return facts_of(record(one), label(resolved), kinds or kinds_of(one))


def derive(*attempts: tuple[CleanEpisode, bool | None], traits: AppTraits | None = None) -> Derived:
    """Derive one task's rubric."""
    kinds = kinds_of(*(e for e, _ in attempts))
    found = [facts(e, resolved, kinds) for e, resolved in attempts]
    return derive_rubric("t", found, traits or AppTraits(kinds=kinds))


def predict(derived: Derived, one: CleanEpisode) -> float | None:
    """What the rubric predicts for a recorded attempt."""
    return evaluate(derived.rubric, record(one).attempt, task_version="v").predicted


def reward(derived: Derived, one: CleanEpisode) -> float | None:
    """What the rubric pays a recorded attempt."""
    return evaluate(derived.rubric, record(one).attempt, task_version="v").reward


@pytest.mark.parametrize(
    ("name", "description", "writes"),
    [
        ("cancelBooking", "", True),
        ("update-profile", "Changes the profile.", True),
        ("list_rooms", "", False),
        ("room_search", "Finds free rooms.", False),
        ("userIdFromEmail", "", False),
        ("return_details", "Everything about a return.", False),
        ("order-status", "", False),
        ("update_status", "", True),
        ("openReturn", "", True),
        ("note", "Appends a thought. It does not change the database.", False),
    ],
)
def test_names_in_generic_english_are_a_prior(name: str, description: str, writes: bool) -> None:
    """Verbs say what a tool is for, in any case and order."""
    assert (write_log_odds(name, description) > 0) is writes


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("patient_record", "Record, by sections"),
        ("account_report", "Report of the last month"),
        ("customer_order", "Order"),
        ("parcel_log", "Log history of a parcel"),
    ],
)
def test_a_thing_that_may_also_be_a_verb_says_nothing(name: str, description: str) -> None:
    """Taken for a change, a read that some resolved attempt made would be asked of everybody."""
    assert write_log_odds(name, description) <= 0
    assert write_log_odds("file", "Records the patient's answers") > 0


def test_handing_over_is_recognised_in_words() -> None:
    """A person who takes over is an act, whatever the tool is called."""
    assert hands_over("pass_on", "Transfers the chat to a human agent.")
    assert not hands_over("get_agent_name", "The name of the sales agent.")


def test_tools_are_read_write_and_act() -> None:
    """Names and traces together; the hand-over's wording is the agent's own."""
    kinds = kinds_of(
        episode("a", FETCH, STOP, ("say", "Done.")), episode("b", FETCH, HAND), episode("c", HAND)
    )
    assert kinds.of("write") == ("stop_parcel",)
    assert kinds.of("read") == ("get_parcel",)
    assert kinds.of("act") == kinds.terminal() == ("escalate",)
    assert kinds.ignore() == {"escalate": ["why"]}


def test_a_read_that_differs_afterwards_convicts_the_tool_in_between() -> None:
    """Without a telling name, what happened to later reads decides."""
    before = ("call", "get_parcel", '{"parcel": "P-100"}', "open")
    after = ("call", "get_parcel", '{"parcel": "P-100"}', "stopped")
    odd = ("call", "zap", '{"parcel": "P-100"}', "ok")
    nothing = ("call", "zip", '{"parcel": "P-100"}', "ok")
    kinds = kinds_of(
        *(episode(f"w{i}", before, odd, after) for i in range(3)),
        *(episode(f"r{i}", before, nothing, before) for i in range(6)),
    )
    assert kinds.tools["zap"].kind == "write"
    assert kinds.tools["zip"].kind == "read"


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Error: no such parcel", True),
        ('# var_3 = "Error: no such parcel"', True),
        ('{"error": "gone"}', True),
        ('{"error": null, "id": 1}', False),
        ('{"status": "failed"}', True),
        ("Invalid address", True),
        ('{"parcel": "P-100"}', False),
        ("The error was fixed", False),
        ('[{"type": "text", "text": "Error: no such parcel"}]', True),
        ('[{"type": "text", "text": "{\\"ok\\": false}"}]', True),
        ('{"content": [{"type": "text", "text": "no such parcel"}], "isError": true}', True),
        ('{"content": [{"type": "text", "text": "P-100"}], "isError": false}', False),
        ('{"type": "error-text", "value": "no such parcel"}', True),
        ('{"type": "json", "value": {"ok": false}}', True),
        ('{"type": "refund", "value": {"ok": false}}', False),
        ('"{\\"error\\": \\"gone\\"}"', True),
        ('```json\n{"error": "gone"}\n```', True),
        ('Tool result: {"ok": false}', True),
        ("Tool error:\nno such parcel", True),
        ('[{"status": "failed", "id": 1}]', False),
    ],
)
def test_refusals_are_recognised(text: str, failed: bool) -> None:
    """By their shape, in plain text and JSON, inside a caller's envelope too."""
    assert looks_failed(text) is failed


def test_a_call_without_a_result_is_left_out_and_counted() -> None:
    """A guard stopped it, or its answer was lost: nobody can say that it happened."""
    one = episode("a", FETCH, STOP)
    steps = tuple(s for s in one.steps if s.call_id != "c1")
    found = record(replace(one, steps=steps))
    assert found.unanswered == 1
    assert [c.name for c in found.attempt.calls] == ["get_parcel"]
    assert len(found.actions) == 1


def test_a_call_id_used_twice_gets_the_nearest_result() -> None:
    """Some clients number calls anew in every message."""
    one = episode("a", FETCH, STOP)
    steps = [replace(s, call_id="x") if s.role == "tool" else s for s in one.steps]
    steps = [
        replace(s, tool_calls=tuple(replace(c, call_id="x") for c in s.tool_calls)) for s in steps
    ]
    results = [c.result.content for c in record(replace(one, steps=tuple(steps))).attempt.calls]
    assert results == [FETCH[3], STOP[3]]


def test_the_end_of_resolved_attempts_is_what_counts() -> None:
    """The same writes pass, missing and foreign ones fail, whatever was said."""
    derived = derive(
        (episode("g", FETCH, STOP, ("say", "Done.")), True), (episode("b", FETCH), False)
    )
    assert derived.reasons == ()
    assert predict(derived, episode("x", STOP)) == 1.0
    assert predict(derived, episode("x", FETCH, ("say", "Done!"))) == 0.0
    assert predict(derived, episode("x", STOP, OTHER)) == 0.0


def test_without_a_resolved_attempt_nothing_is_promised() -> None:
    """One unresolved attempt proves nothing; two at one end make it bad; other ends stay open."""
    one = derive((episode("b", FETCH), False))
    assert one.solution is None
    assert one.reasons == ("no_resolved_attempt",)
    assert predict(one, episode("x", FETCH)) is None
    two = derive((episode("b", FETCH), False), (episode("c"), False))
    assert predict(two, episode("x")) == 0.0
    assert predict(two, episode("x", STOP)) is None


def test_unlabelled_attempts_are_never_failures() -> None:
    """They neither make an end nor break one."""
    derived = derive((episode("g", STOP), True), (episode("u", OTHER), None))
    assert predict(derived, episode("x", STOP)) == 1.0
    assert derive((episode("u", STOP), None)).reasons == ("no_resolved_attempt",)


def test_noise_asks_for_a_second_witness() -> None:
    """A label that is often wrong does not make an end right on its own against others."""
    kinds = kinds_of(episode("g", STOP))
    traits = AppTraits(kinds=kinds)
    noisy = [replace(facts(episode("g", STOP), True, kinds), label=label(True, 0.6))]
    assert not ends_of(noisy, traits)[0].accepted
    sure = [facts(episode("g", STOP), True, kinds)]
    assert ends_of(sure, traits)[0].accepted
    against = [*sure, *(facts(episode(f"b{i}", STOP), False, kinds) for i in range(3))]
    assert not ends_of(against, traits)[0].accepted


def test_contradicting_labels_of_one_end_are_not_graded() -> None:
    """Nobody can say what an attempt at that end is worth."""
    attempts = [(episode("g", STOP), True), *((episode(f"b{i}", STOP), False) for i in range(3))]
    derived = derive(*attempts)
    assert derived.reasons == ("doubtful_end",)
    assert predict(derived, episode("x", STOP)) is None


ASK: Line = ("user", "How much does it cost in total?")


def test_a_fact_that_the_user_asked_for_must_be_told() -> None:
    """Two witnesses make a missing fact a failure, one makes it unknown."""
    good = [
        (episode(f"g{i}", FETCH, ASK, ("say", f"That is $54.04 in total{end}")), True)
        for i, end in enumerate((".", ", as shown."))
    ]
    told = episode("x", FETCH, ASK, ("say", "54.04"))
    wrong = episode("x", FETCH, ASK, ("say", "It costs 45.04"))
    assert predict(derive(*good), told) == 1.0
    assert predict(derive(*good), wrong) == 0.0
    assert predict(derive(good[0]), told) == 1.0
    assert predict(derive(good[0]), wrong) is None


def test_a_constructed_attempt_is_not_excused_with_the_failed_one_it_is_made_for() -> None:
    """Both go by one id: what explains the failure must not silence the solution."""
    ask: Line = ("user", "How much is the fee for parcel P-100?")
    told = facts(episode("a", ask, FETCH, ("say", "The fee is 17.5.")), True)
    failed = facts(episode("a", ask, FETCH, ("say", "One moment.")), False)
    ends = ends_of([failed, told], traits_of(kinds_of(told.recorded.episode), [[failed, told]]))
    assert [end.accepted for end in ends] == [True]


def test_a_number_the_user_said_first_is_no_fact() -> None:
    """Echoing the user earns nothing."""
    one = episode("g", FETCH, ("user", "How much? I paid 54.04"), ("say", "You paid 54.04"))
    assert not [c for c in derive((one, True)).rubric.checks if c.fn == "told"]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Can you give me the tracking number?", True),
        ("What is the code for the door?", True),
        ("I don't have the order number with me.", False),
        ("My number is 4711.", False),
        ("Please stop the parcel.", False),
    ],
)
def test_asking_for_a_name_is_not_mentioning_one(text: str, asks: bool) -> None:
    """Numbers, codes and ids count as facts only where the user wants to be told."""
    assert asks_a_name(text) is asks


def test_nothing_to_change_needs_evidence_for_reward_but_not_for_agreement() -> None:
    """The record must be read and the hand-over made; the prediction does not ask for it."""
    derived = derive((episode("g", FETCH, HAND), True), (episode("h", FETCH, HAND), True))
    idle = episode("x", ("say", "Nothing to do."))
    assert reward(derived, episode("x", FETCH, HAND)) == 1.0
    assert (reward(derived, idle), predict(derived, idle)) == (0.0, 1.0)
    assert all(c.positive for c in derived.rubric.checks if c.fn in {"acted", "read"})


def test_without_any_evidence_a_no_change_task_says_so() -> None:
    """A task that pays for silence is not accepted as it stands."""
    assert derive((episode("g", ("say", "Bye.")), True)).reasons == ("no_positive_evidence",)


def test_telling_everything_is_not_telling() -> None:
    """A fact among many others in one message is listed."""
    good = [(episode(f"g{i}", FETCH, ASK, ("say", "It is $54.04.")), True) for i in range(2)]
    listed = episode("x", FETCH, ASK, ("say", ", ".join(f"{n}.01" for n in range(60)) + ", 54.04"))
    assert reward(derive(*good), episode("x", FETCH, ASK, ("say", "54.04"))) == 1.0
    assert reward(derive(*good), listed) == 0.0


def unconfirmed(name: str) -> CleanEpisode:
    """Stops the parcel without asking."""
    return episode(name, FETCH, STOP, ("say", "Stopped."))


def confirmed(name: str) -> CleanEpisode:
    """Asks before it stops the parcel."""
    return episode(name, FETCH, ("say", "Shall I stop it?"), ("user", "Yes."), STOP)


def groups(shape: Sequence[tuple[int, int]], kinds: ToolKinds) -> list[list[Facts]]:
    """Tasks with resolved confirmed attempts and unconfirmed ones of either label."""
    return [
        [
            facts(confirmed(f"g{n}"), True, kinds),
            facts(confirmed(f"h{n}"), True, kinds),
            *(facts(unconfirmed(f"b{n}-{i}"), False, kinds) for i in range(bad)),
            *(facts(unconfirmed(f"c{n}-{i}"), True, kinds) for i in range(good)),
        ]
        for n, (bad, good) in enumerate(shape)
    ]


def test_unforgiven_faults_are_learnt_from_attempts_that_ended_alike() -> None:
    """Where users never forgive a change they had not agreed to, the right end is not enough."""
    kinds = kinds_of(unconfirmed("a"), confirmed("b"))
    seen = groups([(1, 0)] * 8, kinds)
    assert unforgiven(ended_right(seen, kinds)) == {"confirmed": FAIL}
    derived = derive_rubric("t", seen[0], traits_of(kinds, seen))
    assert predict(derived, confirmed("x")) == 1.0
    assert predict(derived, unconfirmed("x")) == 0.0


def test_faults_that_users_forgive_are_not_learnt() -> None:
    """Where confirmation makes no difference to outcomes, nobody is failed for it."""
    kinds = kinds_of(unconfirmed("a"), confirmed("b"))
    assert unforgiven(ended_right(groups([(0, 1)] * 8, kinds), kinds)) == {}
    assert unforgiven(ended_right(groups([(1, 0)], kinds), kinds)) == {}


def test_a_fault_that_too_few_attempts_have_is_not_graded() -> None:
    """Nobody has seen whether users mind: the right end with the fault is neither passed nor failed, and pay stays."""
    kinds = kinds_of(unconfirmed("a"), confirmed("b"))
    seen = groups([(0, 0)], kinds)
    derived = derive_rubric("t", seen[0], traits_of(kinds, seen))
    assert predict(derived, confirmed("x")) == 1.0
    assert predict(derived, unconfirmed("x")) is None
    assert reward(derived, unconfirmed("x")) == 1.0
    forgiving = groups([(0, 1)] * 3, kinds)
    assert undecided(ended_right(forgiving, kinds)) == frozenset()
    derived = derive_rubric("t", seen[0], traits_of(kinds, forgiving))
    assert predict(derived, unconfirmed("x")) == 1.0


TOO_LATE: Line = ("say", "I cannot stop it: the parcel already crossed the border yesterday.")
WRONG_REASON: Line = ("say", "That is not possible, it is too heavy.")
HELLO: Line = ("say", "Thank you, noted. Goodbye.")


def refused(silent: int, forgiven: int) -> tuple[list[list[Facts]], ToolKinds]:
    """Tasks where declining is right: two resolved attempts explain it, others stop without a word."""
    good = [episode(f"g{n}", FETCH, TOO_LATE, opening="Stop it.") for n in range(2)]
    kinds = kinds_of(*good)
    shape = [False] * silent + [True] * forgiven
    tasks = [
        [facts(g, True, kinds) for g in good]
        + [facts(episode(f"b{n}", FETCH, HELLO, opening="Stop it."), resolved, kinds)]
        for n, resolved in enumerate(shape)
    ]
    return tasks, kinds


def test_users_who_were_told_nothing_are_not_satisfied_where_that_was_learnt() -> None:
    """Looking up and stopping leaves the world as a refusal does; the words tell them apart, in prediction and pay."""
    tasks, kinds = refused(silent=8, forgiven=0)
    traits = traits_of(kinds, tasks)
    assert traits.unforgiven == {"no_refusal": FAIL}
    derived = derive_rubric("t", tasks[0], traits)
    assert predict(derived, episode("x", FETCH, TOO_LATE)) == 1.0
    assert predict(derived, episode("x", FETCH, HELLO)) == 0.0
    assert reward(derived, episode("x", FETCH, HELLO)) == 0.0
    assert predict(derived, episode("x", FETCH, WRONG_REASON)) == 1.0, "it was declined, too"


def test_silence_is_forgiven_where_users_forgive_it() -> None:
    """Where silent attempts are resolved as often, no explanation is expected in a prediction."""
    tasks, kinds = refused(silent=4, forgiven=6)
    derived = derive_rubric("t", tasks[0], traits_of(kinds, tasks))
    assert predict(derived, episode("x", FETCH, HELLO)) == 1.0


def test_who_is_content_with_nothing_says_nothing_of_who_has_to_be_refused() -> None:
    """Users who withdrew are content without an explanation: elsewhere a refusal that never came is no success for it."""
    tasks, kinds = refused(silent=8, forgiven=0)
    kept = []
    things = ("violet folding umbrella", "copper whistling kettle", "walnut corner drawer")
    for thing in things * 4:
        wanted = f"Rather keep the {thing}."
        done: Line = ("say", f"The {thing} stays.")
        same = [facts(episode(f"k{n}", FETCH, done, opening=wanted), True, kinds) for n in range(2)]
        idle = facts(episode("h", FETCH, HELLO, opening=wanted), True, kinds)
        kept.append([*same, idle])
    derived = derive_rubric("t", tasks[0], traits_of(kinds, [*tasks, *kept]))
    assert predict(derived, episode("x", FETCH, HELLO)) == 0.0
    assert predict(derived, episode("x", FETCH, TOO_LATE)) == 1.0


def test_words_after_the_end_of_the_talk_are_not_expected() -> None:
    """A run stops at the hand-over, so what recordings say after it can be no condition."""
    told = ("say", "A colleague phones you tomorrow about border control papers.")
    attempts = [(episode(f"g{n}", HAND, told), True) for n in range(3)]
    kinds = kinds_of(*(e for e, _ in attempts))
    assert kinds.terminal() == ("escalate",)
    assert facts(attempts[0][0], True, kinds).explained == frozenset()
    assert reward(derive(*attempts), episode("x", HAND)) == 1.0


def test_checks_carry_where_they_come_from() -> None:
    """A reviewer sees support and the episodes behind each check, as a sentence."""
    derived = derive((episode("g", FETCH, STOP), True), (episode("b", FETCH), False))
    end = derived.rubric.checks[0]
    assert (end.support, end.origin) == (1, ("g",))
    assert all(check.says for check in derived.rubric.checks)
    ends: Json = derived.rubric.evidence["ends"]
    assert isinstance(ends, list)
    assert len(ends) == 2


def noisy(*attempts: tuple[str, bool, Line], confidence: float = 0.9) -> Derived:
    """The rubric of attempts by name, label and what they did, whose labels are wrong that often."""
    kinds = kinds_of(episode("a", STOP), episode("b", OTHER))
    found = [
        facts_of(record(episode(name, line)), label(resolved, confidence), kinds)
        for name, resolved, line in attempts
    ]
    return derive_rubric("t", found, AppTraits(kinds=kinds))


def test_one_unreliable_label_passes_nobody_but_fails_those_who_ended_elsewhere() -> None:
    """It may have been flipped; two that agree are enough, and so is one that is seldom wrong."""
    one = noisy(("g", True, STOP), ("b", False, OTHER))
    assert predict(one, episode("x", STOP)) is None
    assert predict(one, episode("x", OTHER)) == 0.0
    assert reward(one, episode("x", STOP)) == 1.0
    two = noisy(("g", True, STOP), ("h", True, STOP))
    assert predict(two, episode("x", STOP)) == 1.0
    seldom = noisy(("g", True, STOP), ("b", False, OTHER), confidence=0.95)
    assert predict(seldom, episode("x", STOP)) == 1.0


def test_a_constructed_attempt_needs_no_second_witness() -> None:
    """It was made from many resolved requests: its confidence already says how many of them agree."""
    kinds = kinds_of(episode("g", STOP))
    made = Label(resolved=True, confidence=0.9, by="constructed")
    found = facts_of(record(episode("g", STOP)), made, kinds)
    assert not ends_of([found], AppTraits(kinds=kinds))[0].unconfirmed
