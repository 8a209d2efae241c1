"""What the whole product makes of the example desk where every tool result comes in another form.

A season of the desk, its results rewritten by the forms of `benchmarks.worlds.enveloped`; only the form then says which calls failed, and with
`--ended-well` the source says of every call that it did not. Per form: failures and clusters, tasks, the gate, and verdicts on fresh
conversations at the real database. A row other than the first is a loss. Not here: redaction.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from benchmarks.figures import Figure, Row
from benchmarks.rubrics.desk import (
    ABSTAINS,
    FALSE_FAIL,
    FALSE_PASS,
    RIGHT_PASS,
    Blind,
    agreed,
    kappa_of,
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


def figures(name: str, shop: Shop, plain: Shop, *, errors: bool) -> dict[str, Figure]:
    """One form's figures."""
    began = time.process_time()
    guessed, before = failures_of(shop, told=False), failures_of(plain, told=False)
    failures = failures_of(shop, told=True)
    told, was = fingerprints(failures), fingerprints(failures_of(plain, told=True))
    made = make(shop, {t.episode.episode_id: true_label(t) for t in shop.talks})
    chosen = made.accepted()
    blind = Blind()
    blind.judge(made, chosen)
    if errors:
        why = Counter(r for v in made.verdicts.values() for r in v.reasons)
        print(f"{name}: {dict(why.most_common(8))}", *blind.errors, sep="\n  ", file=sys.stderr)
    predicted, reward = blind.predicted.total(), blind.reward.total()
    return {
        "suspected": len(guessed),
        "suspected in plain form too": len(guessed.keys() & before.keys()),
        "confirmed": len(told),
        "with the same fingerprint": sum(was.get(k) == v for k, v in told.items()),
        "clusters": len(cluster(list(failures.values()), None).clusters),
        "tasks": len(made.candidates),
        "with a solution": sum(bool(c.solution) for c in made.candidates),
        "accepted": len(chosen),
        **agreed(predicted),
        "kappa": kappa_of(predicted),
        "paid right": reward[RIGHT_PASS],
        "paid wrong": reward[FALSE_PASS],
        "unpaid wrong": reward[FALSE_FAIL],
        "no reward": reward[ABSTAINS],
        "processor s": round(time.process_time() - began),
    }


def options(parser: argparse.ArgumentParser) -> None:
    """Which season, and in which forms."""
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


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each form."""
    variant, seed = map(int, options.season.split(":"))
    plain = hold_season(
        variant=variant, seed=seed, conversations=options.conversations, attempts=options.attempts
    )
    for name in options.form or ALL:
        shop = rewritten(plain, name, well=options.ended_well)
        yield Row(case=name, figures=figures(name, shop, plain, errors=options.errors))
