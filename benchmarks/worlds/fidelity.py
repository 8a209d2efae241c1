"""Right and wrong answers of learnt worlds over many apps, beside a run before, and what each rule of learning is worth.

Run: `TRACEGYM_REAL_DATA=... python -m benchmarks worlds [--suite quick|full] [--json OUT] [--against BASE]`. `--risk`
learns every world at another risk; `--without MODULE:FUNCTION` switches a function off (`benchmarks.worlds.ablation`); `--each` switches
one function after the other off and prints those whose absence changes an answer, and the names of those that no case misses.
`--misses N` prints wrong and unknown answers with the calls.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.worlds import ablation
from benchmarks.worlds.suites import Case, suite
from environments.fidelity import Fidelity
from synth.worlds import LearntWorld, WorldSettings, learn_world

POINTS: Final = 0.003
"""How much smaller the mean share of right answers may be than before."""
WRONG: Final = 0.005
"""The share of wrong answers that no backend may newly exceed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The answers of one case of one kind."""

    name: str
    kind: str
    calls: int
    right: int
    wrong: int
    tape_right: int
    tape_wrong: int

    def line(self) -> str:
        """The row of the table."""
        n = max(self.calls, 1)
        return (
            f"| {self.name} | {self.kind} | {self.calls} | {self.right / n:.1%} | {self.wrong / n:.2%} "
            f"| {self.tape_right / n:.1%} / {self.tape_wrong / n:.1%} |"
        )


HEAD: Final = (
    "| case | kind | calls | right | wrong | tape right / wrong |\n|---|---|--:|--:|--:|--:|"
)


def rows(case: Case, found: Iterable[tuple[str, Fidelity]]) -> list[Row]:
    """One row a kind, its folds together."""
    by_kind: dict[str, Row] = {}
    for kind, fidelity in found:
        counts = [j.verdict for j in fidelity.judged]
        had = by_kind.get(kind) or Row(
            name=case.name, kind=kind, calls=0, right=0, wrong=0, tape_right=0, tape_wrong=0
        )
        by_kind[kind] = replace(
            had,
            calls=had.calls + len(counts),
            right=had.right + sum(v in {"exact", "equivalent"} for v in counts),
            wrong=had.wrong + counts.count("wrong"),
            tape_right=had.tape_right + fidelity.tape_exact,
            tape_wrong=had.tape_wrong + fidelity.tape_wrong,
        )
    return list(by_kind.values())


def measure(
    cases: Iterable[Case], options: argparse.Namespace, *, quiet: bool = False
) -> Iterator[Row]:
    """The rows of the cases, printed as they come."""
    for case in cases:
        found = list(case.ask())
        for row in rows(case, found):
            if not quiet:
                print(row.line(), flush=True)
            yield row
        if options.misses and not quiet:
            _print_misses(case, found, options)


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
            )


def means(found: Sequence[Row]) -> dict[str, tuple[float, float, float]]:
    """By kind: the means over cases of the shares of right and of wrong answers, and the largest share of wrong ones."""
    out = {}
    for kind in sorted({row.kind for row in found}):
        these = [row for row in found if row.kind == kind and row.calls]
        wrong = [row.wrong / row.calls for row in these]
        right = sum(row.right / row.calls for row in these)
        out[kind] = right / len(these), sum(wrong) / len(these), max(wrong)
    return out


def compared(before: Sequence[Row], after: Sequence[Row]) -> list[str]:
    """What changed, a line each, and whether the gate of `docs/worlds.md` holds."""
    old = {(row.name, row.kind): row for row in before}
    both = [row for row in after if (row.name, row.kind) in old]
    was = [old[row.name, row.kind] for row in both]
    lines = [
        f"{row.name} {row.kind}: right {row.right - o.right:+d}, wrong {row.wrong - o.wrong:+d} of {row.calls}"
        for row, o in zip(both, was, strict=True)
        if (row.right, row.wrong) != (o.right, o.wrong)
    ]
    faults = [
        f"{kind}: {then[0]:.1%} were right, {now[0]:.1%} are"
        for (kind, now), then in zip(means(both).items(), means(was).values(), strict=True)
        if now[0] < then[0] - POINTS
    ]
    wrong = sum(row.wrong for row in both), sum(row.wrong for row in was)
    if wrong[0] > wrong[1]:
        faults.append(f"{wrong[0]} answers are wrong instead of {wrong[1]}")
    faults += [
        f"{row.name} {row.kind}: more than {WRONG:.1%} are wrong now"
        for row, o in zip(both, was, strict=True)
        if row.wrong > WRONG * row.calls and o.wrong <= WRONG * o.calls
    ]
    held = "the gate holds" if not faults else "the gate does not hold: " + "; ".join(faults)
    return [*lines, held]


def each(cases: Sequence[Case], options: argparse.Namespace) -> None:
    """The table of what every function of learning is worth, and those that no case misses."""
    base = list(measure(cases, options, quiet=True))
    wanted = [name for name in ablation.rules() if re.search(options.only or "", name)]
    print("| without | right | wrong | where |\n|---|--:|--:|---|")
    unmissed = []
    for name in wanted:
        try:
            with ablation.without(name):
                found = list(measure(cases, options, quiet=True))
        except Exception as fault:  # noqa: BLE001 - what breaks is needed, whatever the fault is
            print(f"| {name} | breaks: {type(fault).__name__} | | |", flush=True)
            continue
        changed = [
            (new.right - old.right, new.wrong - old.wrong, f"{new.name} {new.kind}")
            for old, new in zip(base, found, strict=True)
            if (new.right, new.wrong) != (old.right, old.wrong)
        ]
        if not changed:
            unmissed.append(name)
            continue
        sums = sum(c[0] for c in changed), sum(c[1] for c in changed)
        where = ", ".join(f"{w} {r:+d}/{b:+d}" for r, b, w in changed[:4])
        print(f"| {name} | {sums[0]:+d} | {sums[1]:+d} | {where} |", flush=True)
    print(f"\nNo case misses {len(unmissed)} of {len(wanted)}:", *unmissed, sep="\n")


def at_risk(risk: float) -> ExitStack:
    """Every world that is learnt until the end of the block is learnt at this risk."""
    whole = learn_world

    def learn(episodes: object, settings: WorldSettings, **more: object) -> LearntWorld:
        return whole(episodes, replace(settings, risk=risk), **more)  # type: ignore[arg-type]

    stack = ExitStack()
    stack.enter_context(ablation.replaced(whole, learn))
    return stack


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks worlds", description=__doc__)
    parser.add_argument("--suite", choices=("quick", "full"), default="quick")
    parser.add_argument("--case", default="", help="only cases whose name matches this expression")
    parser.add_argument("--json", type=Path, help="keep the rows here")
    parser.add_argument("--against", type=Path, help="rows of a run before, to compare with")
    parser.add_argument("--without", action="append", default=[], metavar="MODULE:FUNCTION")
    parser.add_argument("--each", action="store_true", help="every function off once")
    parser.add_argument("--only", help="with --each: functions whose name matches this expression")
    parser.add_argument("--risk", type=float, help="0.005 is half a per cent")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--verdict", default="wrong,unknown")
    parser.add_argument("--tool")
    return parser.parse_args(arguments)


def _read(path: Path) -> Mapping[str, list[Row]]:
    return {"rows": [Row(**row) for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where the gate does not hold."""
    options = _options(arguments)
    cases = [case for case in suite(options.suite) if re.search(options.case, case.name)]
    started = time.perf_counter()
    with ExitStack() as stack:
        for name in options.without:
            stack.enter_context(ablation.without(name))
        if options.risk is not None:
            stack.enter_context(at_risk(options.risk))
        if options.each:
            each(cases, options)
            return 0
        print(HEAD)
        found = list(measure(cases, options))
    for kind, (right, wrong, most) in means(found).items():
        print(f"{kind}: right {right:.1%}, wrong {wrong:.2%} on average and {most:.2%} at most")
    print(f"{time.perf_counter() - started:.0f} s")
    if options.json:
        kept = {"suite": options.suite, "rows": [asdict(row) for row in found]}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if options.against is None:
        return 0
    lines = compared(_read(options.against)["rows"], found)
    print(*lines, sep="\n")
    return 0 if lines[-1] == "the gate holds" else 1


if __name__ == "__main__":
    raise SystemExit(main())
