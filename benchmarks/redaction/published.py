"""Redaction on apps that others wrote: what is left, what changes needlessly, what does not commute, what waits.

Run: `TRACEGYM_OUTSIDE=FOLDER python -m benchmarks redaction_published [--app NAME,...] [--episodes 100] [--seed 1] [--verbose]`. The folder holds
agentdojo as `benchmarks.testbeds.published.agentdojo` says, and inspect-evals as `benchmarks.testbeds.published.tau2` says; an app needs its own package only.
Comes in: golden calls of published tasks, made on the package's environment by a scripted agent; of the suites with one user only thirty
subjects have other names, addresses and numbers each (`renamed`). Comes out: a row per app. The truth (who is in the data, which of the
package's words name nobody) is written before redaction runs. Not here: worlds and graders of the same packages (`benchmarks.outside`).
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.redaction.published_apps import APPS, Told
from benchmarks.redaction.recordings import SECRET, recorded, texts_of
from dagster_project.privacy.leak_search import is_surrogate
from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.audit.leaks import find_leaks
from redact.operators.vault import open_vault
from redact.policy import Policy
from redact.records.clean_episode import CleanEpisode

ANY_CASE = 6
"""Values of so many letters are looked for in any casing."""


@dataclass(slots=True)
class Row:
    """What was counted over one app."""

    entities: Counter[str] = field(default_factory=Counter)
    """By kind: people and numbers that stand in their conversation."""
    left: Counter[str] = field(default_factory=Counter)
    """Of them, those of which any mention is left."""
    words: int = 0
    """Mentions of what names nobody."""
    changed: Counter[str] = field(default_factory=Counter)
    """Of them, those that are gone."""
    waiting: int = 0
    held: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    split: int = 0
    """Calls that read unlike in two conversations."""
    merged: int = 0
    hits: int = 0
    examples: list[str] = field(default_factory=list)


def measure(app: str, talks: Sequence[Told]) -> Row:
    """Redact an app's conversations, learnt from themselves, and count."""
    raw, policy = [talk.episode for talk in talks], Policy()
    learnt, vault = learn(raw, (), policy=policy), open_vault(None, SECRET)
    done = list(scrub(raw, learnt=learnt, vault=vault, policy=policy))
    row = Row()
    for talk, item in zip(talks, done, strict=True):
        _count(row, talk, item)
    row.calls, row.split, row.merged = commuted(raw, [item.clean for item in done])
    texts = [text for item in done for text in texts_of(item.clean)]
    hits = find_leaks([(str(place), text) for place, text in enumerate(texts)], learnt=learnt)
    row.hits = sum(not is_surrogate(vault, raw[0].app, hit, texts[int(hit.where)]) for hit in hits)
    row.examples.insert(0, f"{app}: held {dict(row.held.most_common(5))}")
    return row


def _count(row: Row, talk: Told, item: Scrubbed) -> None:
    pairs = list(zip(texts_of(talk.episode), texts_of(item.clean), strict=True))
    for label, spellings in talk.truth.items():
        kind = label.partition("/")[0]
        there = [one for one in spellings if any(left_in(one, text) for text, _ in pairs)]
        row.entities[kind] += bool(there)
        left = [o for o in there if any(left_in(o, t) and left_in(o, c) for t, c in pairs)]
        row.left[kind] += bool(left)
        if left:
            row.examples.append(f"left {label}: {left}")
    for word in talk.nobodys:
        before = sum(text.count(word) for text, _ in pairs)
        row.words += before
        row.changed[word] += max(0, before - sum(clean.count(word) for _, clean in pairs))
    row.waiting += bool(item.held)
    row.held.update(held.key for held in item.held)


def left_in(value: str, text: str) -> bool:
    """Whether a value stands in a text, also as Python and YAML escape it; a longer one in any casing."""
    for spelling in {value, value.encode("unicode_escape").decode()}:
        pattern = rf"(?<![^\W_]){re.escape(spelling)}(?![^\W_])"
        if re.search(pattern, text, re.IGNORECASE if len(value) >= ANY_CASE else 0):
            return True
    return False


def commuted(raw: Sequence[Episode], clean: Sequence[CleanEpisode]) -> tuple[int, int, int]:
    """How many distinct calls with results there are, how many became several, and how many calls became one with another."""
    images: dict[tuple[str, str, str], set[tuple[str, str, str]]] = {}
    merged: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for before, after in zip(raw, clean, strict=True):
        for one, other in zip(recorded(before), recorded(after), strict=True):
            images.setdefault(one, set()).add(other)
            merged.setdefault(other[:2], set()).add(one[:2])
    split = sum(len(found) > 1 for found in images.values())
    return len(images), split, sum(len(found) > 1 for found in merged.values())


def table_row(app: str, row: Row) -> str:
    """One line of the table."""
    kinds = [kind for kind in row.entities if "direct" in kind]
    direct = f"{sum(row.left[k] for k in kinds)} of {sum(row.entities[k] for k in kinds)}"
    return (
        f"{app:16} {f'{row.left.total()} of {row.entities.total()}':>13} {direct:>12} {row.waiting:>5}"
        f" {f'{row.changed.total()} of {row.words}':>14} {f'{row.split} of {row.calls}':>10} {row.merged:>6} {row.hits:>5}"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--app", default=",".join(APPS))
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args(argv)
    print(
        f"{'app':16} {'left':>13} {'direct':>12} {'wait':>5} {'changed':>14} {'split':>10} {'merged':>6} {'hits':>5}"
    )
    for app in asked.app.split(","):
        row = measure(app, APPS[app](asked.episodes, asked.seed))
        print(table_row(app, row), flush=True)
        if asked.verbose:
            print("\n".join(f"    {line}" for line in row.examples[:20]))
            print(f"    changed {row.changed.most_common(8)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
