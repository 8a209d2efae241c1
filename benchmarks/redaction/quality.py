"""Redaction: people left, words changed that are nobody's, calls that read unlike, what waits, hits of the leak check, speed.

Each set of `benchmarks.redaction.sets` is learnt from itself and redacted. An entity counts as left if any mention of it still stands in its
conversation, in any casing; a word that is nobody's counts as changed where it no longer stands. In recordings people are what stands under
keys of people, and words are the scalars under other keys. Chat logs can be named instead of the sets. Megabytes are those of distinct text.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, Row
from benchmarks.redaction import recordings
from benchmarks.redaction.recordings import SECRET, stands_in, texts_of, texts_of_all
from benchmarks.redaction.sets import Conversations, Told, log, sets
from dagster_project.privacy.leak_search import Searcher, search_with
from redact.apply.collector import without_collection
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.evidence.app_values import Learnt
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.recognizers.patterns import checked_in
from redact.records.clean_episode import CleanEpisode

KINDS: Final = ("recordings", "apps", "languages", "published", "desk")
COUNTED: Final = (
    *("conversations", "people", "left", "words", "changed"),
    *("withheld", "calls", "split", "merged", "hits"),
)


@dataclass(slots=True)
class Measured:
    """What was counted over one set."""

    counts: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    """The values, or the kinds of keys in recordings."""
    changed: Counter[str] = field(default_factory=Counter)
    seconds: tuple[float, float] = (0.0, 0.0)
    """Processor time of learning and of redacting."""
    distinct: int = 0
    """Characters of text, equal ones once."""

    def figures(self) -> dict[str, Figure]:
        """A row's figures."""
        speeds = {
            name: round(self.distinct / 1e6 / max(seconds, 1e-6), 2)
            for name, seconds in (
                ("learn MB/s", self.seconds[0]),
                ("redact MB/s", self.seconds[1]),
                ("both MB/s", sum(self.seconds)),
            )
        }
        return {**{name: self.counts[name] for name in COUNTED}, **speeds}


def options(parser: argparse.ArgumentParser) -> None:
    """Which sets."""
    parser.add_argument("files", nargs="*", type=Path, help="chat logs instead of the sets")
    parser.add_argument("--kind", default=",".join(KINDS), help="of sets, with commas between")
    parser.add_argument("--set", default="", help="sets whose name matches this expression")
    parser.add_argument("--seed", type=int, default=1, help="of everything invented")
    parser.add_argument("--show", type=int, default=0, help="so many values left and changed")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each set, and one for all."""
    chosen = [
        Conversations(kind="file", name=path.name, make=partial(log, path), known=False)
        for path in options.files
    ] or [
        one
        for one in sets(options.seed)
        if one.kind in options.kind.split(",") and re.search(options.set, one.name)
    ]
    list(checked_in("4111 1111 1111 1111"))
    whole = Measured()
    for one in chosen:
        try:
            told = one.make()
        except SystemExit as missing:  # a package of others
            print(f"{one.name}: {missing}")
            continue
        if not told:
            continue
        found = measure(told, known=one.known)
        yield Row(case=f"{one.kind}: {one.name}", figures=found.figures())
        for name, values in (("left", found.left), ("changed", found.changed)):
            if options.show and values:
                print(f"  {name}: {dict(values.most_common(options.show))}")
        whole.counts.update(found.counts)
        learnt, redacted = (a + b for a, b in zip(whole.seconds, found.seconds, strict=True))
        whole.seconds = learnt, redacted
        whole.distinct += found.distinct
    yield Row(case="all", figures=whole.figures())


def measure(told: Sequence[Told], *, known: bool) -> Measured:
    """Redact one set, learnt from itself, and count."""
    raw, policy, found = [one.episode for one in told], Policy(), Measured()
    vault = Vault(None, SECRET)
    started = time.process_time()
    learnt = learn(raw, (), policy=policy)
    learnt_at = time.process_time()
    with without_collection():
        done = list(scrub(raw, learnt=learnt, vault=vault, policy=policy))
    found.seconds = learnt_at - started, time.process_time() - learnt_at
    clean = [item.clean for item in done]
    found.distinct = sum(map(len, set(texts_of_all(raw))))
    found.counts["conversations"] = len(raw)
    found.counts["withheld"] = sum(len(item.held) for item in done)
    if known:
        for one, item in zip(told, done, strict=True):
            _beside_truth(found, one, item)
    else:
        _by_keys(found, told, clean)
    if len({one.app for one in raw}) == 1:
        calls = recordings.commutation(raw, clean)
        found.counts.update(calls=calls.calls, split=calls.split, merged=calls.merged)
        found.counts["hits"] = _hits(vault, raw[0].app, clean, learnt)
    return found


def _beside_truth(found: Measured, one: Told, item: Scrubbed) -> None:
    before, after = ("\n".join(texts_of(side)) for side in (one.episode, item.clean))
    for value in dict.fromkeys(filter(None, one.personal)):
        if value in before or stands_in(value.lower(), before.lower()):
            found.counts["people"] += 1
            lower = value.isascii()
            if stands_in(value.lower(), after.lower()) if lower else value in after:
                found.counts["left"] += 1
                found.left[value] += 1
    for place, word in one.nobodys:
        stood = place is not None or word in before
        found.counts["words"] += stood
        if stood and word not in (after if place is None else _step(item.clean, place)):
            found.counts["changed"] += 1
            found.changed[word] += 1


def _step(clean: CleanEpisode, place: int) -> str:
    step = clean.steps[place]
    return f"{step.content or ''}\n{' '.join(call.arguments for call in step.tool_calls)}"


def _by_keys(found: Measured, told: Sequence[Told], clean: list[CleanEpisode]) -> None:
    raw = [one.episode for one in told]
    people = recordings.recall(raw, clean)
    scalars = recordings.untouched(raw, clean)
    found.left, found.changed = people.leaked, scalars.changed
    found.counts.update(
        people=people.entities.total(),
        left=people.leaked.total(),
        words=scalars.compared,
        changed=scalars.changed.total(),
    )


def _hits(vault: Vault, app: str, clean: Sequence[CleanEpisode], learnt: Learnt) -> int:
    """Of the leak check, as it runs on what is stored."""
    searcher = Searcher(search_with(learnt, Policy(), app, ()), vault, app)
    return sum(len(searcher.hits("", text)) for one in clean for text in texts_of(one))
