"""Positive evidence where nothing should change: without it, doing nothing would be paid.

In: accepted ends and the app's traits. Out: required checks for reward: the hand-over that all resolved attempts make,
the record they all read, and (where neither a hand-over nor a fact proves anything) the words of their explanation, or the question to which
their user said no.
Agreement never asks for evidence: demanding it there costs coverage and proves nothing about outcomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from environments.runtime.checks.calls import declined_questions
from environments.runtime.checks.ends.terms import Write, end_id
from environments.runtime.checks.view import View, numbers_in, text_of, words_in
from environments.runtime.play.user_recording import is_specific
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import REWARD, Check
from synth.recordings.attempt_facts import Facts
from synth.recordings.traits import AppTraits
from synth.rubric.habits import enough, shared_acts, shared_reads, shared_words

if TYPE_CHECKING:
    from synth.rubric.ends import End

MANY_READS: Final = 12
"""Most reads listed in one check; each of them alone is enough evidence."""


def evidence_checks(
    accepted: Sequence[End], traits: AppTraits, *, told: bool, found_out: bool
) -> list[Check]:
    """Evidence for the ends that change nothing; none where every end changes something.

    `told`: a value that was asked for has to be told; `found_out`: something has to be told that tools show.
    """
    good = [a for end in accepted for a in end.good if not a.writes]
    if not good:
        return []
    acts, reads = shared_acts(good), _named_reads(good)
    explained: list[Check] = []
    if not told and not (acts and reads) and not any(_answered_from_rules(a) for a in good):
        explained = _explanation_checks(good, traits, looked=bool(reads), found_out=found_out)
        asked = [] if acts or explained else [a for a in good if _declined_names(a)]
        if asked:
            # An attempt that never asked could not know that its user would say no: it changed nothing by luck.
            reads, explained = _named_reads(asked), [_declined_check(asked, good)]
    wanted = {"acted": sorted(acts), "read": sorted(reads)[:MANY_READS]}
    checks = [required_check(n, calls_args(c, traits), good) for n, c in wanted.items() if c]
    return checks + explained


def origin_of(attempts: Iterable[Facts]) -> tuple[str, ...]:
    """The clean episode ids a check rests on."""
    return tuple(sorted(a.episode_id for a in attempts))


def calls_args(calls: Iterable[Write], traits: AppTraits) -> dict[str, Json]:
    """The arguments of a check that asks for one of these calls."""
    return {"any_of": [[*call] for call in calls], "ignore": traits.kinds.ignore()}


def _explanation_checks(
    good: Sequence[Facts], traits: AppTraits, *, looked: bool, found_out: bool
) -> list[Check]:
    """Words of the explanation that all resolved attempts share and other tasks seldom use; else that it was declined."""
    words = shared_words(good, traits.everyday)
    if words:
        args: dict[str, Json] = {"words": list[Json](words), "least": enough(words)}
        if found_out and all(a.declines for a in good):
            args["declines"] = True
    elif looked and all(a.declines for a in good):
        args = {"words": [], "declines": True}
    else:
        return []
    return [required_check("said", args, good)]


def _answered_from_rules(attempt: Facts) -> bool:
    """Whether the value asked for was looked up and stands in the policy too, as one of several fees does.

    Such a value proves nothing, being there for all to copy; the words around it are the same for a wrong one.
    """
    if not attempt.asked or attempt.answers:
        return False
    whole = attempt.recorded.attempt
    heard = {n for m in whole.messages if m.get("role") == "user" for n in numbers_in(text_of(m))}
    shown = {n for call in whole.calls for n in numbers_in(call.result.content)}
    view = View(whole)
    return bool((view.all_told_numbers & view.given_numbers & shown) - heard)


def _declined_names(attempt: Facts) -> frozenset[str]:
    """Codes, ids and amounts in the questions for consent to which the user said no."""
    asked = declined_questions(attempt.recorded.attempt)
    return frozenset(w for text in asked for w in words_in(text) if is_specific(w))


def _declined_check(asked: Sequence[Facts], good: Sequence[Facts]) -> Check:
    """That the user is asked about what most of these asked about."""
    counted = Counter(name for a in asked for name in _declined_names(a))
    names = sorted(name for name, count in counted.items() if 2 * count >= len(asked))
    args: dict[str, Json] = {"names": list[Json](names[:MANY_READS])}
    return required_check("user_declines", args, asked, counter=len(good) - len(asked))


def _named_reads(good: Sequence[Facts]) -> frozenset[Write]:
    """What all of them read, where the call names something."""
    return shared_reads(good) - _nameless(good)


def _nameless(good: Sequence[Facts]) -> frozenset[Write]:
    """Reads that name nothing: anybody can make them without knowing what the task is about."""
    return frozenset(
        r for a in good for r in a.reads if not any(c.isdigit() or c == "@" for c in r[1])
    )


def at_end(after: str, number: int) -> dict[str, Json]:
    """The arguments of a check that asks something at the accepted end of this number alone, by the check `after` that compares ends."""
    return {"after": after, "ends": [end_id(number)]}


def required_check(  # noqa: PLR0913 - the fields of one check
    fn: str,
    args: Mapping[str, Json],
    good: Sequence[Facts],
    *,
    check_id: str = "",
    positive: bool = True,
    role: str = REWARD,
    counter: int = 0,
) -> Check:
    """A check without which nothing is paid, as all these attempts have it; its id is its function's name unless it has another."""
    return Check(
        check_id=check_id or fn,
        fn=fn,
        args=args,
        role=role,
        required=True,
        positive=positive,
        support=len(good),
        counter=counter,
        origin=origin_of(good),
    )
