"""Which faults users of an app forgive: what is proven, what is not known, and that the two never overlap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synth.rubric.forgiveness import EndedRight, Seen, undecided, unforgiven
from synth.rubric.habits import FAIL, FAULTS, IDLE, LOOP, NO_WORDS, NULL, UNCONFIRMED

CLEAN: Seen = (True, frozenset())


def with_fault(name: str, *, resolved: int, unresolved: int) -> tuple[Seen, ...]:
    """So many attempts with one fault, beside twenty resolved ones without any."""
    mine = ((True, frozenset({name})),) * resolved + ((False, frozenset({name})),) * unresolved
    return mine + (CLEAN,) * 20


def test_nothing_seen_decides_nothing() -> None:
    """A home without a fault in it does not know what its users think of faults."""
    for known in (EndedRight((), ()), EndedRight((CLEAN,) * 50, (CLEAN,) * 50)):
        assert unforgiven(known) == {}
        assert undecided(known) == frozenset(FAULTS)


def test_few_unresolved_attempts_leave_it_open_and_many_prove_it() -> None:
    """One attempt may be an accident."""
    one = EndedRight(with_fault(LOOP, resolved=0, unresolved=1), ())
    assert (unforgiven(one), LOOP in undecided(one)) == ({}, True)
    many = EndedRight(with_fault(LOOP, resolved=0, unresolved=4), ())
    assert unforgiven(many) == {LOOP: FAIL}
    assert LOOP not in undecided(many)
    mixed = EndedRight(with_fault(LOOP, resolved=2, unresolved=6), ())
    assert unforgiven(mixed) == {LOOP: NULL}


def test_users_who_forgive_one_fault_are_expected_to_forgive_another() -> None:
    """Faults of one app share a prior, which its own few attempts outweigh."""
    beside = with_fault(UNCONFIRMED, resolved=9, unresolved=1)
    assert undecided(EndedRight(beside, ())) == frozenset()
    known = EndedRight((*beside, (False, frozenset({NO_WORDS}))), ())
    assert undecided(known) == frozenset({NO_WORDS})


def test_resolved_attempts_without_a_peer_speak_for_forgiveness_only() -> None:
    """Where every task was resolved once, resolved attempts with a fault are the only evidence there is."""
    alone = with_fault(IDLE, resolved=4, unresolved=0)
    assert undecided(EndedRight((), alone)) == frozenset()
    assert unforgiven(EndedRight((), alone)) == {}


seen = st.lists(
    st.tuples(st.booleans(), st.frozensets(st.sampled_from(FAULTS), max_size=3)), max_size=40
).map(tuple)


@given(seen, st.sampled_from(FAULTS))
def test_proven_and_undecided_exclude_each_other_and_resolved_attempts_never_incriminate(
    beside: tuple[Seen, ...], name: str
) -> None:
    """Every fault is proven, undecided or forgiven; enough resolved attempts with it clear it."""
    known = EndedRight(beside, ())
    assert not set(unforgiven(known)) & undecided(known)
    more = beside + ((True, frozenset({name})),) * (len(beside) + 3)
    cleared = EndedRight(more, ())
    assert name not in unforgiven(cleared)
    assert name not in undecided(cleared)
