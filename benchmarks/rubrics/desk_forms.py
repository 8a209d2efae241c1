"""What the whole product makes of the example desk where every tool result comes in another form.

Run: `python -m benchmarks desk_forms [--season V:SEED] [--conversations N] [--attempts N] [--form NAME]...`. Comes in: a season of the desk, its
results rewritten by the forms of `benchmarks.worlds.enveloped`; only the form then says which calls failed, and with `ended well` the source says of
every call that it did not. Comes out: one row a form: failures and clusters, tasks, the gate, and verdicts on fresh conversations at the real
database. A row other than the first is a loss. Not here: redaction.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from benchmarks.rubrics.desk import (
    ABSTAINS,
    FALSE_FAIL,
    FALSE_PASS,
    RIGHT_FAIL,
    RIGHT_PASS,
    Blind,
    Confusion,
    make,
    true_label,
)
from benchmarks.testbeds.desk.conversations import Shop, Talk, hold_season
from benchmarks.testbeds.invented.attempts import Made as Call
from benchmarks.worlds.enveloped import FORMS, LITERAL, MIXED, NOISE, REFUSED, Form
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.clusters.clustering import cluster
from synth.failures.calls import differing_in
from synth.failures.detection import Failure, detect, fingerprint_of
from synth.failures.reading import AppReading

PLAIN: Final = "as it is"
SAYS_NOTHING: Final = "as it is, nothing says error"
ALL: Final[Mapping[str, Form | None]] = (
    {PLAIN: None, SAYS_NOTHING: None} | FORMS | MIXED | REFUSED | LITERAL
)
HEAD: Final = (
    "| form | suspected (same as plain) | confirmed with the same fingerprint | clusters | tasks | with a solution | accepted"
    " | predicted: graded, false pass, false fail, kappa | reward: paid right, false pass, false fail, null | seconds |"
)


def in_form(episode: CleanEpisode, form: Form | None, *, flag: bool | None) -> CleanEpisode:
    """The same episode, every tool result in one form; `flag` is what its source says of all calls."""
    steps = tuple(_step(s, form, flag=flag) if s.role == "tool" else s for s in episode.steps)
    return replace(episode, steps=steps)


def _step(step: CleanStep, form: Form | None, *, flag: bool | None) -> CleanStep:
    content = step.content or ""
    call = Call(
        name=step.tool_name or "", arguments={}, content=content, is_error=bool(step.is_error)
    )
    return replace(step, content=form(call) if form else content, is_error=flag)


def rewritten(shop: Shop, name: str, *, well: bool) -> Shop:
    """A season in one form."""
    if name == PLAIN:
        return shop
    NOISE.seed(name)
    form, flag = ALL[name], False if well else None

    def one(talk: Talk) -> Talk:
        return replace(talk, episode=in_form(talk.episode, form, flag=flag))

    return replace(shop, talks=tuple(map(one, shop.talks)))


def failures_of(shop: Shop, *, told: bool) -> dict[str, Failure]:
    """Failures of a season, with or without what its outcomes say."""
    found = {}
    differing = differing_in(talk.episode for talk in shop.talks)
    for talk in shop.talks:
        label = true_label(talk) if told else None
        failure = detect(talk.episode, label, app=AppReading(differing=differing))
        if failure is not None:
            found[talk.episode.episode_id] = failure
    return found


def fingerprints(found: Mapping[str, Failure]) -> dict[str, str]:
    """What each failure is grouped by, in most detail."""
    return {name: fingerprint_of(one, detail="error") for name, one in found.items()}


def kappa(counts: Counter[str]) -> float:
    """Cohen's kappa of what was graded."""
    n = counts.total() - counts[ABSTAINS]
    if not n:
        return 0.0
    agree = (counts[RIGHT_PASS] + counts[RIGHT_FAIL]) / n
    passes, goods = counts[RIGHT_PASS] + counts[FALSE_PASS], counts[RIGHT_PASS] + counts[FALSE_FAIL]
    chance = (passes * goods + (n - passes) * (n - goods)) / n**2
    return 1.0 if chance == 1 else (agree - chance) / (1 - chance)


def _predicted(told: Confusion) -> str:
    c = told.total()
    return (
        f"{c.total() - c[ABSTAINS]}/{c.total()}, {c[FALSE_PASS]}, {c[FALSE_FAIL]}, {kappa(c):.3f}"
    )


def _reward(told: Confusion) -> str:
    c = told.total()
    return f"{c[RIGHT_PASS]}, {c[FALSE_PASS]}, {c[FALSE_FAIL]}, {c[ABSTAINS]}"


def row(name: str, shop: Shop, plain: Shop, *, errors: bool) -> str:
    """One form's line."""
    began = time.process_time()
    guessed, before = failures_of(shop, told=False), failures_of(plain, told=False)
    told, was = (
        fingerprints(failures_of(shop, told=True)),
        fingerprints(failures_of(plain, told=True)),
    )
    clusters = cluster(list(failures_of(shop, told=True).values()), None)
    made = make(shop, {t.episode.episode_id: true_label(t) for t in shop.talks})
    chosen = made.accepted()
    blind = Blind()
    blind.judge(made, chosen)
    if errors:
        why = Counter(r for v in made.verdicts.values() for r in v.reasons)
        print(f"{name}: {dict(why.most_common(8))}", *blind.errors, sep="\n  ", file=sys.stderr)
    same = len(guessed.keys() & before.keys())
    return (
        f"| {name} | {len(guessed)} ({same}) | {sum(was.get(k) == v for k, v in told.items())}/{len(told)} | {len(clusters.clusters)}"
        f" | {len(made.candidates)} | {sum(bool(c.solution) for c in made.candidates)} | {len(chosen)}"
        f" | {_predicted(blind.predicted)} | {_reward(blind.reward)} | {time.process_time() - began:.0f} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--season", default="1:301", help="variant:seed")
    parser.add_argument("--conversations", type=int, default=120)
    parser.add_argument("--attempts", type=int, default=4)
    parser.add_argument("--form", action="append")
    parser.add_argument(
        "--ended-well",
        action="store_true",
        help="the source says of every call that it did not fail",
    )
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args(arguments)
    variant, seed = map(int, options.season.split(":"))
    plain = hold_season(
        variant=variant, seed=seed, conversations=options.conversations, attempts=options.attempts
    )
    print(HEAD)
    print("|---|" + "--:|" * 9)
    for name in options.form or ALL:
        shop = rewritten(plain, name, well=options.ended_well)
        print(row(name, shop, plain, errors=options.errors), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
