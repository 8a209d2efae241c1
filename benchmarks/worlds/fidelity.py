"""Right and wrong answers of learnt worlds over many apps, beside a run before, and what each rule of learning is worth.

`--suite` names a mix (`quick`, `full`) or one kind of case: backends of others and recordings (below `TRACEGYM_REAL_DATA`), invented apps
afresh, living on or asked from a task's start, generic tools (`called`), envelopes and notations (`answered`), habits such as tokens, and
published backends (`TRACEGYM_OUTSIDE`). *h* is held-out attempts, *p* random sequences of recorded tools and values. `--risk` learns every
world at another risk; `--without MODULE:FUNCTION` switches a function off; `--each` switches one function after the other off and says what
changes. `--misses N` prints wrong and unknown answers with the calls.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

from benchmarks.figures import Row, percent
from benchmarks.worlds import ablation
from benchmarks.worlds.suites import SUITES, Case, suite
from environments.fidelity import Fidelity
from synth.worlds import LearntWorld, WorldSettings, learn_world

POINTS: Final = 0.3
"""How many points lower the mean share of right answers may be than before."""
WRONG: Final = 0.5
"""The per cent of wrong answers that no case may newly exceed."""
MEAN: Final = "all, "
"""What the names of the rows of means begin with."""


def options(parser: argparse.ArgumentParser) -> None:
    """What is asked, and of which worlds."""
    parser.add_argument("--suite", choices=SUITES, default="quick")
    parser.add_argument("--seed", type=int, help="of the invented apps")
    parser.add_argument("--case", default="", help="only cases whose name matches this expression")
    parser.add_argument("--without", action="append", default=[], metavar="MODULE:FUNCTION")
    parser.add_argument("--each", action="store_true", help="every function off once")
    parser.add_argument("--only", help="with --each: functions whose name matches this expression")
    parser.add_argument("--risk", type=float, help="0.005 is half a per cent")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--verdict", default="wrong,unknown")
    parser.add_argument("--tool")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each case and kind and the means, or one for each function that a case misses."""
    cases = [c for c in suite(options.suite, options.seed) if re.search(options.case, c.name)]
    with ExitStack() as stack:
        for name in options.without:
            stack.enter_context(ablation.without(name))
        if options.risk is not None:
            stack.enter_context(at_risk(options.risk))
        if options.each:
            yield from _each(cases, options.only or "")
            return
        found: list[Row] = []
        for case in cases:
            answers = list(case.ask())
            found += (these := _rows(case, answers))
            yield from these
            if options.misses:
                _print_misses(case, answers, options)
    yield from _means(found)


def _rows(case: Case, found: Iterable[tuple[str, Fidelity]]) -> list[Row]:
    """One row a kind, its folds together."""
    by_kind: dict[str, Counter[str]] = {}
    for kind, fidelity in found:
        counts = by_kind.setdefault(kind, Counter())
        counts.update(judged.verdict for judged in fidelity.judged)
        counts["tape"] += sum(judged.taped == "exact" for judged in fidelity.judged)
        counts["tape wrong"] += sum(judged.taped == "wrong" for judged in fidelity.judged)
    return [Row(case=f"{case.name}, {kind}", figures=_figures(c)) for kind, c in by_kind.items()]


def _figures(counts: Counter[str]) -> dict[str, float | None]:
    right = counts["exact"] + counts["equivalent"]
    calls = right + counts["wrong"] + counts["unknown"]
    return {
        "calls": calls,
        "right": right,
        "wrong": counts["wrong"],
        "right %": percent(right, calls),
        "wrong %": percent(counts["wrong"], calls),
        "tape right %": percent(counts["tape"], calls),
        "tape wrong %": percent(counts["tape wrong"], calls),
    }


def _means(found: Sequence[Row]) -> Iterator[Row]:
    """By kind: the means over cases of the shares of right and of wrong answers, and the largest share of wrong ones."""
    for kind in sorted({row.case.rpartition(", ")[2] for row in found}):
        these = [r.figures for r in found if r.case.endswith(f", {kind}") and r.figures["calls"]]
        right, wrong = ([_number(f[name]) for f in these] for name in ("right %", "wrong %"))
        if these:
            figures = {
                "cases": len(these),
                "right %": round(sum(right) / len(right), 2),
                "wrong %": round(sum(wrong) / len(wrong), 2),
                "wrong % at most": max(wrong),
            }
            yield Row(case=MEAN + kind, figures=figures)


def _number(figure: object) -> float:
    return float(figure) if isinstance(figure, int | float) else 0.0


def faults(before: Sequence[Row], after: Sequence[Row]) -> Iterator[str]:
    """Where the gate of `docs/worlds.md` does not hold."""
    was, now = _by_case(before), _by_case(after)
    both = [case for case in now if case in was]
    shares = [
        {row.case: row.figures["right %"] for row in _means([one[case] for case in both])}
        for one in (was, now)
    ]
    for case, right in shares[1].items():
        if _number(right) < _number(shares[0][case]) - POINTS:
            yield f"{case}: {shares[0][case]} % were right, {right} % are"
    wrong = [sum(_number(one[case].figures["wrong"]) for case in both) for one in (was, now)]
    if wrong[1] > wrong[0]:
        yield f"{wrong[1]:.0f} answers are wrong instead of {wrong[0]:.0f}"
    for case in both:
        shares_wrong = [_number(one[case].figures["wrong %"]) for one in (was, now)]
        if shares_wrong[1] > WRONG >= shares_wrong[0]:
            yield f"{case}: more than {WRONG} % are wrong now"


def _by_case(rows: Iterable[Row]) -> dict[str, Row]:
    return {row.case: row for row in rows if "calls" in row.figures}


def _print_misses(
    case: Case, found: Iterable[tuple[str, Fidelity]], options: argparse.Namespace
) -> None:
    for kind, fidelity in found:
        missed = [
            (at, j)
            for at, j in enumerate(fidelity.judged)
            if j.verdict in options.verdict.split(",") and options.tool in {None, j.call.name}
        ]
        for at, j in missed[: options.misses]:
            before = [
                f"{b.call.name}{b.call.arguments}"
                for b in fidelity.judged[max(0, at - j.position) : at]
            ]
            print(f"  {j.verdict} {case.name} {kind}: {j.call.name}{j.call.arguments[:300]}")
            print(f"     after: {' ; '.join(before)[-600:]}")
            print(f"     true: {j.call.content[:300]}")
            print(
                f"     said: {j.result.content[:300]} [{j.result.source} {j.result.evidence} {j.result.confidence:.3f}]"
                f" tape: {j.taped or 'none'}"
            )


def _each(cases: Sequence[Case], wanted: str) -> Iterator[Row]:
    """What every function of learning is worth: how many answers are right and wrong without it, beside with it."""
    names = [name for name in ablation.rules() if re.search(wanted, name)]
    base = _counted(cases)
    for name in names:
        try:
            with ablation.without(name):
                found = _counted(cases)
        except Exception as fault:  # noqa: BLE001 - what breaks is needed, whatever the fault is
            yield Row(
                case=name,
                figures={"right": None, "wrong": None, "where": f"breaks: {type(fault).__name__}"},
            )
            continue
        changed = {
            case: (right - base[case][0], wrong - base[case][1])
            for case, (right, wrong) in found.items()
            if (right, wrong) != base[case]
        }
        where = ", ".join(f"{c} {r:+.0f}/{w:+.0f}" for c, (r, w) in list(changed.items())[:4])
        right, wrong = (sum(one[at] for one in changed.values()) for at in (0, 1))
        yield Row(
            case=name,
            figures={"right": right, "wrong": wrong, "where": where or "no case misses it"},
        )


def _counted(cases: Iterable[Case]) -> dict[str, tuple[float, float]]:
    return {
        row.case: (_number(row.figures["right"]), _number(row.figures["wrong"]))
        for case in cases
        for row in _rows(case, case.ask())
    }


def at_risk(risk: float) -> ExitStack:
    """Every world that is learnt until the end of the block is learnt at this risk."""
    whole = learn_world

    def learn(episodes: object, settings: WorldSettings, **more: object) -> LearntWorld:
        return whole(episodes, replace(settings, risk=risk), **more)  # type: ignore[arg-type]

    stack = ExitStack()
    stack.enter_context(ablation.replaced(whole, learn))
    return stack
