"""What is learnt over all tasks of an app: which faults its users forgive, and what they must be told."""

from __future__ import annotations

from collections.abc import Sequence

from redact.records.clean_episode import CleanEpisode
from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import ToolKinds
from synth.recordings.traits import AppTraits, traits_of
from synth.rubric.derive import derive_rubric
from synth.rubric.forgiveness import ended_right, undecided, unforgiven
from synth.rubric.habits import FAIL
from tests.unit.parcel_rubrics import (
    FETCH,
    HAND,
    STOP,
    Line,
    derive,
    episode,
    facts,
    kinds_of,
    predict,
    reward,
)


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
    """Nobody has seen whether users mind: the right end with the fault is neither passed nor failed; pay needs their yes."""
    kinds = kinds_of(unconfirmed("a"), confirmed("b"))
    seen = groups([(0, 0)], kinds)
    derived = derive_rubric("t", seen[0], traits_of(kinds, seen))
    assert predict(derived, confirmed("x")) == 1.0
    assert predict(derived, unconfirmed("x")) is None
    assert reward(derived, confirmed("x")) == 1.0
    assert reward(derived, unconfirmed("x")) == 0.0
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
    assert not any(facts(attempts[0][0], True, kinds).explanations)
    assert reward(derive(*attempts), episode("x", HAND)) == 1.0


def test_consent_is_asked_for_only_where_the_app_asks() -> None:
    """That two polite agents asked at one task says nothing where others at other tasks change the same without asking."""
    kinds = kinds_of(unconfirmed("a"), confirmed("b"))
    polite = groups([(0, 0)], kinds)[0]
    for others, paid in ((groups([(0, 2)] * 4, kinds), 1.0), (groups([(0, 0)] * 4, kinds), 0.0)):
        traits = traits_of(kinds, [polite, *others])
        derived = derive_rubric("t", polite, traits)
        assert reward(derived, confirmed("x")) == 1.0
        assert reward(derived, unconfirmed("x")) == paid


def test_a_change_comes_after_the_look_that_always_came_before_it() -> None:
    """Where every one of many resolved attempts looked first, who changes without a look is not paid; a few prove nothing."""
    kinds = kinds_of(unconfirmed("a"), confirmed("b"))
    blind = episode("x", STOP, ("say", "Stopped."))
    for count, extra, paid in ((15, (), 0.0), (14, (), 1.0), (20, (blind,), 1.0)):
        seen = groups([(0, 0)] * count, kinds)
        seen = [[facts(unconfirmed(a.episode_id), True, kinds) for a in group] for group in seen]
        seen += [[facts(one, True, kinds)] for one in extra]
        derived = derive_rubric("t", seen[0], traits_of(kinds, seen))
        assert reward(derived, unconfirmed("x")) == 1.0
        assert reward(derived, blind) == paid


def told(name: str, fee: str, words: str = "The fee was {}.") -> CleanEpisode:
    """Looks a parcel up, stops it and tells what that costs."""
    shown = ("call", "get_parcel", '{"parcel": "P-100"}', f'{{"state": "open", "fee": {fee}}}')
    return episode(name, shown, STOP, ("say", words.format(fee)))


def fees(silent: int, count: int = 12) -> list[list[Facts]]:
    """Tasks with two resolved attempts that tell the fee; in some of them one of the two does not."""
    one = told("a", "41.50")
    kinds = kinds_of(one)
    return [
        [
            facts(told(f"g{n}", f"{40 + n}.50"), True, kinds),
            facts(
                told(f"h{n}", f"{40 + n}.50", "Stopped." if n < silent else "It cost {}."),
                True,
                kinds,
            ),
            facts(told(f"b{n}", f"{40 + n}.50", "Stopped."), False, kinds),
        ]
        for n in range(count)
    ]


def test_what_resolved_attempts_always_tell_is_asked_for() -> None:
    """Who changes the same and leaves the figure out did not resolve the request, and is not paid."""
    seen = fees(silent=0)
    traits = traits_of(kinds_of(told("a", "41.50")), seen)
    assert traits.told_alike
    derived = derive_rubric("t", seen[0][:2], traits)
    assert reward(derived, told("x", "40.50", "That was {} in all.")) == 1.0
    assert reward(derived, told("y", "40.50", "Stopped.")) == 0.0
    assert predict(derived, told("y", "40.50", "Stopped.")) == 0.0


def test_an_attempt_that_left_a_figure_out_leaves_no_doubt_about_the_end() -> None:
    """The same changes went wrong three times and right twice; what was not told says why."""
    seen = fees(silent=0)
    kinds = kinds_of(told("a", "41.50"))
    traits = traits_of(kinds, seen)
    attempts = [*seen[0], *(facts(told(f"c{n}", "40.50", "Stopped."), False, kinds) for n in "12")]
    assert not derive_rubric("t", attempts, traits).reasons
    assert derive_rubric("t", attempts, AppTraits(kinds=kinds)).reasons


def test_where_resolved_attempts_differ_in_what_they_tell_nothing_is_asked_for() -> None:
    """Every third leaves the figure out and its user is content."""
    seen = fees(silent=4)
    assert not traits_of(kinds_of(told("a", "41.50")), seen).told_alike


def stopped(name: str, fee: str, left: str, words: str) -> CleanEpisode:
    """Stops the parcel, which shows what that costs and what is left to pay, and says something."""
    shown = f'{{"parcel": "P-100", "state": "stopped", "fee": {fee}, "left": {left}}}'
    stop = ("call", "stop_parcel", '{"parcel": "P-100"}', shown)
    return episode(name, stop, ("say", words.format(fee=fee, left=left)))


def test_what_a_change_shows_where_nearly_all_tell_it_is_asked_of_a_task_with_one_attempt() -> None:
    """Where a third leaves it out it is not asked for; the other figure of the same result in its place is wrong anyway."""
    for silent, is_asked in ((0, True), (3, False)):
        attempts = [
            stopped(
                f"g{n}", f"{40 + n}.50", f"{10 + n}.25", "Done." if n < silent else "It was {fee}."
            )
            for n in range(9)
        ]
        kinds = kinds_of(*attempts)
        seen = [[facts(one, True, kinds)] for one in attempts]
        derived = derive_rubric("t", seen[-1], traits_of(kinds, seen))
        assert reward(derived, stopped("x", "48.50", "18.25", "That makes {fee} in all.")) == 1.0
        assert reward(derived, stopped("y", "48.50", "18.25", "That makes {left} in all.")) == 0.0
        some = [c for c in derived.rubric.checks if c.check_id == "told_some_1"]
        assert [bool(c.args.get("only")) for c in some] == [is_asked]


COSTS: Line = (
    "call",
    "get_parcel",
    '{"parcel": "P-100"}',
    '{"parcel": "P-100", "cost": 41.5, "insurance": 8.25}',
)


def test_arithmetic_is_a_ground_only_where_resolved_attempts_compute() -> None:
    """One app's agents tell prices as shown; another's add them up; of a third too little is known."""
    kinds = kinds_of(confirmed("k"))
    shown, added = (
        [[facts(episode(f"{at}", COSTS, ("say", said)), True, kinds)] for at in range(24)]
        for said in ("That is 41.50 and 8.25.", "That is 49.75 together.")
    )
    assert not traits_of(kinds, shown).computes
    assert traits_of(kinds, added).computes
    assert traits_of(kinds, shown[:5]).computes


def test_a_number_that_the_agent_worked_out_is_asked_of_others() -> None:
    """No result shows the sum, and nothing else was told: who looks and tells another one, or none, is not paid."""
    good = episode("g", COSTS, ("say", "That makes 49.75 together."))
    kinds = kinds_of(good, confirmed("k"))
    seen = [[facts(good, True, kinds)]]
    derived = derive_rubric("t", seen[0], traits_of(kinds, seen))
    assert reward(derived, good) == 1.0
    assert reward(derived, episode("x", COSTS, ("say", "In all you pay 49.75."))) == 1.0
    assert reward(derived, episode("y", COSTS, ("say", "In all you pay 33.25."))) == 0.0
    assert reward(derived, episode("z", COSTS, ("say", "Everything is done."))) == 0.0


LIST: Line = ("call", "list_parcels", '{"street": "Elm"}', '{"parcels": ["P-100"]}')


def test_some_look_comes_before_a_change_where_no_single_one_always_does() -> None:
    """Half look at the parcel and half at the street: who changes something without either, or looks elsewhere, is not paid."""
    attempts = [
        episode(f"g{n}", FETCH if n % 2 else LIST, STOP, opening="Stop P-100 in Elm.")
        for n in range(30)
    ]
    kinds = kinds_of(*attempts)
    seen = [[facts(one, True, kinds)] for one in attempts]
    derived = derive_rubric("t", seen[0], traits_of(kinds, seen))
    elsewhere: Line = ("call", "list_parcels", '{"street": "Zzz"}', '{"parcels": []}')
    assert reward(derived, episode("x", LIST, STOP, opening="Stop P-100 in Elm.")) == 1.0
    assert reward(derived, episode("y", STOP, opening="Stop P-100 in Elm.")) == 0.0
    assert reward(derived, episode("z", elsewhere, STOP, opening="Stop P-100 in Elm.")) == 0.0


def test_what_all_resolved_attempts_told_and_an_unresolved_one_did_not_is_asked_for() -> None:
    """Two changed the same as a third whose user complained; no other check tells them apart, so the small fee does."""
    stops = [STOP, ("say", "It is stopped for 25 EUR.")]
    good = [episode(f"g{n}", FETCH, *stops) for n in range(2)]
    bad = episode("b", FETCH, STOP, ("say", "It is stopped for 27 EUR."))
    kinds = kinds_of(*good)
    seen = [*(facts(one, True, kinds) for one in good), facts(bad, False, kinds)]
    derived = derive_rubric("t", seen, traits_of(kinds, [seen]))
    assert reward(derived, good[0]) == 1.0
    assert reward(derived, bad) == 0.0
    alone = derive_rubric("t", seen[1:], traits_of(kinds, [seen[1:]]))
    assert not [c for c in alone.rubric.checks if c.check_id.startswith("unlike")]
