"""The rubric of one task, from the facts of its attempts.

In: facts and tool kinds. Out: checks with support and origin, the attempt whose actions solve the task, and reasons
why it cannot be accepted as it stands. Agreement rests on the end state and the facts told; reward adds positive
evidence (where nothing should change) and caps against telling or calling everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.checks.calls import user_declines
from environments.runtime.checks.ends.rows import effect_rows, event_rows, own_texts
from environments.runtime.checks.ends.terms import Write, end_id
from environments.runtime.checks.final_answer import tokens
from environments.runtime.checks.ground import written_without_ground
from environments.runtime.checks.told_values import counts_otherwise
from environments.runtime.checks.view import View, objects_of
from environments.runtime.task.attempt import EndState, Json
from environments.runtime.task.rubric import AGREEMENT, REWARD, SHARE, Check, Rubric
from environments.runtime.values.facts import ID, LEAST_SPECIFIC, NUMBER, Fact, folded
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import is_id
from synth.recordings.list_order import ordered_args
from synth.recordings.tool_kinds import MAYBE, WRITE, ToolKinds
from synth.recordings.traits import AppTraits
from synth.rubric.caps import cap_checks
from synth.rubric.contrast import contrast_checks
from synth.rubric.ends import End, ends_of
from synth.rubric.evidence import evidence_checks, origin_of, required_check
from synth.rubric.fact_forms import forms_of
from synth.rubric.habits import PREDICTED, habit_checks
from synth.rubric.references import OTHERWISE, gives
from synth.rubric.text_checks import (
    NOTHING_BUT_WORDING,
    grounded_texts,
    nothing_but_wording,
    text_checks,
    wording_checks,
)
from synth.rubric.told_checks import (
    closing_checks,
    closing_names,
    consent_checks,
    grounded_checks,
    look_checks,
    spoke_checks,
    told_some_checks,
    unlike_checks,
)
from synth.rubric.told_facts import known_facts
from synth.solutions.plans import Doubts

END: Final = "end_state"
LONGEST_ANSWER: Final = 4
"""Words of a reference up to which resolved attempts are expected to say it as it stands."""
AMONG: Final = 4
"""New numbers or names in one message among which a fact still counts as told and not as listed."""
WITNESSES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What derivation found for one task."""

    rubric: Rubric
    solution: Facts | None
    """The resolved attempt that shows how it is done."""
    ends: tuple[End, ...]
    reasons: tuple[str, ...]


def derive_rubric(  # noqa: PLR0913 - all that a rubric is made of
    task_id: str,
    attempts: Sequence[Facts],
    traits: AppTraits,
    *,
    end_of: Callable[[Facts], EndState] | None = None,
    doubts: Doubts | None = None,
    wanted: Check | None = None,
) -> Derived:
    """Derive checks, solution and reasons from all attempts at one task; `end_of` re-runs one in the world.

    `doubts`: arguments of which nobody knows what the real user would have had. `wanted`: the check on the final answer, where people
    say what the right one is.
    """
    kinds = traits.kinds
    right = _Answers(wanted, attempts)
    ends = ends_of(attempts, traits, also_excused=right.excused)
    accepted = [end for end in ends if end.accepted]
    paid = _end_check(ends, traits, end_of)
    if right.is_asked and not any(a.writes for a in attempts):
        # A tool that may change something is a look-up where the right end is an answer.
        paid = replace(paid, args={**paid.args, "maybe": []})
    checks = [paid, _prediction(paid, kinds, accepted, doubts or Doubts())]
    reasons: list[str] = []
    if accepted:
        written = [end.good for end in accepted]
        checks += _said_checks(accepted, traits, right)
        told = any(check.fn in {"told", "told_some"} for check in checks)
        answered = right.is_asked or any(check.fn == "told" and check.required for check in checks)
        checks += spoke_checks(accepted, traits)
        checks += consent_checks(accepted, traits)
        checks += look_checks(accepted, traits)
        evidence = evidence_checks(accepted, traits, told=answered, found_out=told)
        # Whoever gives the answer found it, by whichever look-ups.
        checks += (
            [c for c in evidence if c.fn != "read"] + right.looks if right.is_asked else evidence
        )
        checks += habit_checks([a for e in accepted for a in e.good], traits.missing, kinds)
        if len(accepted) == 1:
            checks += contrast_checks(accepted[0].good, traits)
        also = attempts if right.is_asked else ()
        checks += cap_checks(accepted, told=told, spread=traits.spread, also=also)
        checks += _change_checks(accepted[0], kinds)
        checks += unlike_checks(accepted, checks, END, traits.language)
        if not any(check.positive and check.required for check in checks):
            reasons.append("no_positive_evidence")
        if nothing_but_wording(written, traits):
            checks += wording_checks(written, traits)
            reasons.append(NOTHING_BUT_WORDING)
        if all(a.dirty for a in accepted[0].good):
            reasons.append("dirty_unknown")
        if right.is_doubtful:
            reasons.append(OTHERWISE)
    else:
        reasons.append("no_resolved_attempt" if not any(e.good for e in ends) else "doubtful_end")
    rubric = Rubric(task_id=task_id, checks=tuple(checks), evidence=_evidence(ends))
    solution = _solution(accepted[0], right, checks) if accepted else None
    return Derived(rubric=rubric, solution=solution, ends=tuple(ends), reasons=tuple(reasons))


class _Answers:
    """What the check on the final answer makes of a task's attempts."""

    def __init__(self, wanted: Check | None, attempts: Sequence[Facts]) -> None:
        self._wanted = wanted
        self._attempts = attempts
        self._given = {
            id(a): None if wanted is None else gives(wanted, a.recorded.attempt) for a in attempts
        }
        self._good = [a for a in attempts if a.resolved]

    @property
    def excused(self) -> frozenset[str]:
        """Unresolved attempts that answered otherwise: the end is not why they failed."""
        if self._wanted is None:
            return frozenset()
        bad = (a for a in self._attempts if a.resolved is False)
        return frozenset(a.episode_id for a in bad if not self._given[id(a)])

    @property
    def _agree(self) -> bool:
        told = [self._given[id(a)] for a in self._good]
        return None in told or 2 * sum(map(bool, told)) >= len(told)

    @property
    def is_asked(self) -> bool:
        """Whether the answer is required: outcomes do not speak against it."""
        return self._wanted is not None and self._agree

    @property
    def is_doubtful(self) -> bool:
        """Whether outcomes and the reference disagree about who answered right."""
        if self._wanted is None:
            return False
        bad = [a for a in self._attempts if a.resolved is False and not a.writes]
        otherwise = not self._agree and not self._is_described
        return otherwise or any(self._given[id(a)] for a in bad)

    @property
    def _is_described(self) -> bool:
        """Whether the reference describes what is right (`refused: closed deals are read-only`): nobody says it in these words."""
        answers = objects_of(self._wanted.args, "answers") if self._wanted else []
        return all(len(tokens(str(one.get("value")))) > LONGEST_ANSWER for one in answers)

    @property
    def is_grounded(self) -> bool:
        """Whether tools show what resolved attempts tell: an answer that is known by heart has no ground."""
        return all(a.recorded.attempt.calls and not a.told_facts.groundless for a in self._good)

    @property
    def checks(self) -> list[Check]:
        """The check on the final answer, required or for people to see."""
        if self._wanted is None:
            return []
        good = [a for a in self._good if self._given[id(a)] is not False]
        found = replace(
            self._wanted,
            support=len(good),
            counter=len(self._good) - len(good),
            origin=origin_of(self._good),
        )
        return [found if self.is_asked else replace(found, required=False, weight=0.0)]

    @property
    def looks(self) -> list[Check]:
        """That something is looked up, where every resolved attempt does: right words alone may be remembered from elsewhere."""
        if not self._good or not all(a.recorded.attempt.calls for a in self._good):
            return []
        return [
            required_check(
                "called",
                {"least": 1},
                "Something is looked up or done before the answer.",
                self._good,
                check_id="looked_up",
                positive=False,
            )
        ]

    def answers_otherwise(self, attempt: Facts) -> bool:
        """Whether an attempt does not give the answer although it is required."""
        return self.is_asked and self._given[id(attempt)] is False


def _solution(end: End, right: _Answers, checks: Sequence[Check]) -> Facts:
    """The shortest complete resolved attempt that answers right and asks what has to be asked, with the policy document where one has it.

    Calls that name records that nothing showed before them teach guessing: the attempt with the fewest goes first.
    """
    asked = [c for c in checks if c.fn == "user_declines"]
    return min(
        end.good,
        key=lambda a: (
            right.answers_otherwise(a),
            any(user_declines(c.args, View(a.recorded.attempt), "")[0] == 0.0 for c in asked),
            _guesses(a) if len(end.good) > 1 else 0,
            bool(a.recorded.unanswered),
            a.recorded.attempt.messages[0].get("role") != "system",
            len(a.recorded.actions),
            a.episode_id,
        ),
    )


def _guesses(attempt: Facts) -> int:
    """How many ids its calls name that nothing before them showed."""
    view = View(attempt.recorded.attempt)
    known = known_facts(folded("\n".join(attempt.recorded.episode.tools)))
    return sum(
        fact.kind == ID
        for call in view.attempt.calls
        if not call.by_user
        for value in call.arguments.values()
        if isinstance(value, str)
        for fact in written_without_ground(view, value, until=call.message, known=known)
    )


def _end_check(
    ends: Sequence[End], traits: AppTraits, end_of: Callable[[Facts], EndState] | None
) -> Check:
    kinds = traits.kinds
    accepted = [(end_id(n), one) for n, one in enumerate((e for e in ends if e.accepted), 1)]
    doubtful = [end for end in ends if end.good and not end.accepted]
    changes = any(end.good[0].writes for _, end in accepted)
    args: dict[str, Json] = {
        "ends": [_end_args(name, end, kinds, end_of) for name, end in accepted],
        "doubtful": [_end_args("", end, kinds) for end in doubtful],
        "writes": list[Json](kinds.tools_of(WRITE)),
        "maybe": list[Json](kinds.tools_of(MAYBE)),
        "ignore": kinds.ignore(),
        "silent": list[Json](sorted(traits.silent | set(kinds.failing(WRITE)))),
        "takes": list[Json](kinds.taking()),
        **_tool_lists(lasting=kinds.failing(WRITE), dirty=kinds.failing(MAYBE)),
        **_tool_lists(once=traits.repeats.once, again=traits.repeats.again),
    }
    if not accepted:
        args["bad"] = [_end_args("", end, kinds) for end in ends if _surely_bad(end)]
    return Check(
        check_id=END,
        fn="end_state",
        args=args,
        role=REWARD,
        required=True,
        positive=changes,
        says=_says([end for _, end in accepted]),
        support=sum(len(end.good) for _, end in accepted),
        counter=sum(len(end.bad) for _, end in accepted),
        origin=origin_of(a for _, end in accepted for a in end.good),
    )


def _tool_lists(**tools: Sequence[str]) -> dict[str, Json]:
    """Lists of tools under their names, without those that are empty."""
    return {name: list[Json](names) for name, names in tools.items() if names}


def _surely_bad(end: End) -> bool:
    """Two users said so, nobody said the opposite, and none of them was asked for a fact that may be missing."""
    return len(end.bad) >= WITNESSES and not end.good and not any(a.asked for a in end.bad)


def _prediction(
    paid: Check,
    kinds: ToolKinds,
    accepted: Sequence[End],
    doubts: Doubts,
) -> Check:
    """The same question for agreement: where the world does not know, what most probably happened.

    Where the user never told a value, real users may want another one: that end is not predicted even where it is met.
    An end that one unreliable label calls right still fails what ends elsewhere, but passes nothing. One that differs in
    nothing but values that alike users corrected may be what another user would have wanted; so may one that is met, where
    the value is a choice among few.
    """
    args = {**paid.args, "refusals": kinds.refusals()}
    corrected, supposed = doubts.corrected, doubts.supposed
    named = {t: {*corrected.get(t, ()), *supposed.get(t, ())} for t in {*corrected, *supposed}}
    if named:
        args["corrected"] = [_but_for(end.good[0], named, kinds) for end in accepted]
    rows = paid.args["ends"]
    doubted = [
        bool(supposed) or end.unconfirmed or _chosen_anew(end.good[0], corrected)
        for end in accepted
    ]
    if isinstance(rows, list) and any(doubted):
        args["ends"] = [
            {**row, "unconfirmed": True} if isinstance(row, dict) and doubt else row
            for row, doubt in zip(rows, doubted, strict=True)
        ]
    return replace(paid, check_id=PREDICTED, args=args, role=AGREEMENT)


def _end_args(
    name: str,
    end: End,
    kinds: ToolKinds,
    end_of: Callable[[Facts], EndState] | None = None,
) -> Json:
    shown = (end.good or end.attempts)[0]
    maybes = {_key(a.maybe): a.maybe for a in end.good or end.attempts}
    args: dict[str, Json] = {
        "id": name,
        "writes": _rows(shown.writes),
        "maybe": [_rows(maybe) for _, maybe in sorted(maybes.items())],
        "support": len(end.good),
    }
    dirty = {_key(a.dirty): a.dirty for a in end.good or end.attempts}
    if any(dirty.values()):
        args["dirty"] = [_rows(failed) for _, failed in sorted(dirty.items())]
    reached = end_of(shown) if end_of is not None else None
    if reached is not None and not reached.unknown:
        said = own_texts(shown.recorded.attempt.calls, kinds.ignore())
        args["effects"] = [list[Json](row) for row in effect_rows(reached, texts=said)]
        events = event_rows(reached, kinds.ignore())
        looks = {n for n, tool in kinds.tools.items() if tool.kind not in {WRITE, MAYBE}}
        args["events"] = _rows(Counter({e: n for e, n in events.items() if e[0] not in looks}))
    in_order = ordered_args(end.good, kinds, reached)
    return {**args, "ordered": in_order} if in_order else args


def _chosen_anew(shown: Facts, corrected: Mapping[str, Collection[str]]) -> bool:
    """Whether users correct a choice among what records hold: another policy hits the first one by accident, too."""
    return any(
        isinstance(value, str) and is_id(value)
        for call in shown.recorded.attempt.calls
        for name, value in call.arguments.items()
        if name in corrected.get(call.name, ())
    )


def _but_for(shown: Facts, corrected: Mapping[str, Collection[str]], kinds: ToolKinds) -> Json:
    """An end without the values that users may correct."""
    names = {n: t.authored for n, t in kinds.tools.items()}
    ignore = {n: sorted({*names.get(n, ()), *corrected.get(n, ())}) for n in {*names, *corrected}}
    writes = Counter(
        (call.name, canonical_arguments(call.arguments, ignore.get(call.name, ())))
        for call in shown.recorded.attempt.calls
        if kinds.tools[call.name].kind == WRITE and not call.result.is_error
    )
    rows: dict[str, Json] = {n: list[Json](names) for n, names in sorted(ignore.items()) if names}
    return {"writes": _rows(writes), "ignore": rows}


def _said_checks(accepted: Sequence[End], traits: AppTraits, right: _Answers) -> list[Check]:
    """What is told and written: the right answer where people say what it is, else what resolved attempts told."""
    definitions = folded("\n".join(_definitions(accepted)))
    written = [end.good for end in accepted]
    checks = [*right.checks]
    if not right.is_asked:
        checks += _told_checks(accepted, END, REWARD, traits.language)
        checks += _told_checks(accepted, PREDICTED, AGREEMENT, traits.language)
    if not right.is_asked or right.is_grounded:
        checks += grounded_checks(accepted, traits, definitions)
    checks += grounded_texts(written, traits, definitions)
    checks += text_checks(written, traits, END)
    if not right.is_asked:
        checks += told_some_checks(accepted, traits, END)
        checks += closing_checks(accepted, END)
        checks += closing_names(accepted, traits, END)
    return checks


def _told_checks(accepted: Sequence[End], after: str, role: str, language: str) -> list[Check]:
    """Values that every resolved attempt at an end tells after being asked, and no user said first."""
    checks = []
    for number, end in enumerate(accepted, 1):
        facts = frozenset.intersection(*(a.answers for a in end.good))
        for value in sorted(facts, key=str):
            silent = [a for a in end.bad if value not in a.told]
            args: dict[str, Json] = {
                "value": _plain_number(value),
                "after": after,
                "ends": [end_id(number)],
                "on_missing": "fail" if len(end.good) + len(silent) > 1 else "null",
            }
            # A small count in words stands in any sentence.
            if isinstance(value, float) and value >= LEAST_SPECIFIC:
                fact = Fact(NUMBER, str(_plain_number(value)), (value,), specific=True)
                args["forms"] = list[Json](forms_of(fact, language))
            elif isinstance(value, float):
                seen = (View(a.recorded.attempt) for a in end.good)
                args["stands"] = not any(counts_otherwise(value, view) for view in seen)
            if role == REWARD:
                args["among"] = max(AMONG, 2 * min(a.fewest_told_beside(value) for a in end.good))
            checks.append(
                Check(
                    check_id=f"{'told' if role == REWARD else 'expected'}_{number}_{_short(value)}",
                    fn="told",
                    args=args,
                    role=role,
                    required=True,
                    says=f"The user is told {_plain_number(value)}.",
                    support=len(end.good),
                    counter=sum(value in a.told for a in end.bad),
                    origin=origin_of(end.good),
                )
            )
    return checks


def _plain_number(value: float | str) -> Json:
    return int(value) if isinstance(value, float) and value == int(value) else value


def _short(value: float | str) -> str:
    return str(_plain_number(value)).replace(" ", "_")


def _change_checks(end: End, kinds: ToolKinds) -> list[Check]:
    """One line per change, for a person and the share; the end state decides all-or-nothing."""
    return [
        Check(
            check_id=f"wrote_{number}",
            fn="wrote",
            args={"tool": tool, "arguments": arguments, "ignore": kinds.ignore(), "end": END},
            role=SHARE,
            says=f"{tool} with {arguments}.",
            support=len(end.good),
            origin=origin_of(end.good),
        )
        for number, (tool, arguments) in enumerate(sorted(end.good[0].writes), 1)
    ]


def _says(accepted: Sequence[End]) -> str:
    if not accepted:
        return "No end is known to be right."
    if not any(end.good[0].writes for end in accepted):
        return "Nothing is changed."
    return "The same things are changed as in the resolved attempts, and nothing else."


def _definitions(accepted: Sequence[End]) -> list[str]:
    tools = (text for end in accepted for a in end.good for text in a.recorded.episode.tools)
    return list(dict.fromkeys(tools))


def _evidence(ends: Sequence[End]) -> dict[str, Json]:
    return {
        "ends": [
            {
                "posterior": end.posterior,
                "resolved": [a.episode_id for a in end.good],
                "unresolved": [a.episode_id for a in end.bad],
                "accepted": end.accepted,
            }
            for end in ends
        ]
    }


def _rows(writes: Counter[Write]) -> list[Json]:
    return [[tool, arguments, count] for (tool, arguments), count in sorted(writes.items())]


def _key(writes: Counter[Write]) -> str:
    return repr(sorted(writes.items()))
