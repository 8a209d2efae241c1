"""Truth for recordings, by keys: who stands under keys of people, which calls commute, which other scalars changed.

The truth is taken from the recorded tool results by this module's own list of keys, and counted as an attacker would: an entity is protected
only if no mention of it is left, in any casing, in its episode.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.testbeds.real_data import data_files
from dagster_project.privacy.consistency import Commutation, commutation_in, pairs_of
from ingest.files.chat_log import Chat
from ingest.records.episode import Episode
from redact.operators.vault import Vault
from redact.records.clean_episode import CleanEpisode
from tests.chat_line import parse_line

TRUTH = frozenset({
    "first_name", "last_name", "email", "address1", "address2", "city", "zip", "dob", "user_id",
    "payment_id", "payment_method_id",
})  # fmt: skip
SECRET = b"a key for measurements, 32 bytes"
DIRECT = frozenset({"email", "user_id", "payment_id", "payment_method_id", "full_name"})


@dataclass(slots=True)
class Counts:
    """What was counted over one file."""

    entities: Counter[str] = field(default_factory=Counter)
    leaked: Counter[str] = field(default_factory=Counter)
    direct_episodes: int = 0


def chat_logs(named: list[Path]) -> list[Path]:
    """The chat logs to measure: those named, else those below `TRACEGYM_REAL_DATA`."""
    return named or data_files("**/*.jsonl")


def read(path: Path) -> list[Episode]:
    """All episodes of a chat log."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        chat = parse_line(line, source=path.name, position=f"line {number + 1}")
        if isinstance(chat, Chat):
            found.append(chat.episode)
    return found


def texts_of(episode: Episode | CleanEpisode) -> list[str]:
    """The texts of an episode's messages, arguments and results."""
    texts = []
    for step in episode.steps:
        texts.append(step.content or "")
        texts += [call.arguments for call in step.tool_calls]
    return texts


def texts_of_all(episodes: list[Episode] | list[CleanEpisode]) -> list[str]:
    """All texts of all episodes."""
    return [text for episode in episodes for text in texts_of(episode)]


def entities(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """The ground truth in one JSON value."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from entities(part, name)
        if key == "payment_methods":
            yield from (("payment_id", name) for name in value if any(map(str.isdigit, name)))
        if "first_name" in value and "last_name" in value:
            yield "full_name", f"{value['first_name']} {value['last_name']}"
    elif isinstance(value, list):
        for part in value:
            yield from entities(part, key)
    elif isinstance(value, str) and key in TRUTH and value:
        yield key, value


def recall(episodes: list[Episode], clean: list[CleanEpisode]) -> Counts:
    """Count entities of which any mention is left in their own episode."""
    counts = Counts()
    for raw, done in zip(episodes, clean, strict=True):
        known: set[tuple[str, str]] = set()
        for text in texts_of(raw):
            known.update(entities(parsed(text)))
        left = "\n".join(texts_of(done)).lower()
        lost = [kind for kind, value in known if stands_in(value.lower(), left)]
        counts.entities.update(kind for kind, _ in known)
        counts.leaked.update(lost)
        counts.direct_episodes += bool(DIRECT & set(lost))
    return counts


def stands_in(value: str, text: str) -> bool:
    """Whether a value stands in a text, not inside a longer word or number."""
    if value not in text:
        return False
    before = "(?<![a-z])" if value[0].isalpha() else "(?<![a-z0-9])"
    after = "(?![a-z])" if value[-1].isalpha() else "(?![a-z0-9])"
    return re.search(before + re.escape(value) + after, text) is not None


def parsed(text: str) -> object:
    """The JSON value of a text, None where it is none."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return None
    return value


def commutation(episodes: list[Episode], clean: list[CleanEpisode]) -> Commutation:
    """Count the distinct (call, result) pairs that did not become exactly one pair, as every build does."""
    together = zip(episodes, clean, strict=True)
    keyed = Vault(None, SECRET).key_of(episodes[0].app)
    return commutation_in(pairs_of((episodes[0].app, ""), together, keyed))


def recorded(episode: Episode | CleanEpisode) -> list[tuple[str, str, str]]:
    """The calls of an episode with their results, matched as a replayer would."""
    waiting: dict[str, tuple[str, str]] = {}
    found = []
    for step in episode.steps:
        for call in step.tool_calls:
            waiting[call.call_id] = (call.name, call.arguments)
        if step.role == "tool" and step.call_id in waiting:
            name, arguments = waiting[step.call_id or ""]
            found.append((name, arguments, step.content or ""))
    return found


@dataclass(slots=True)
class Scalars:
    """JSON scalars under keys that are not ground truth."""

    compared: int = 0
    changed: Counter[str] = field(default_factory=Counter)
    """By key."""
    broken: int = 0
    """Texts that are no longer JSON."""


def untouched(episodes: list[Episode], clean: list[CleanEpisode]) -> Scalars:
    """Count JSON scalars under keys that are not ground truth, and those of them that changed."""
    found = Scalars()
    for raw, done in zip(episodes, clean, strict=True):
        for before, after in zip(texts_of(raw), texts_of(done), strict=True):
            one, two = parsed(before), parsed(after)
            if not isinstance(one, dict | list):
                continue
            if two is None:
                found.broken += 1
                continue
            for key, left, right in zip_scalars(one, two):
                found.compared += 1
                found.changed[key] += left != right
    return found


def zip_scalars(one: object, two: object, key: str = "") -> Iterator[tuple[str, object, object]]:
    """Pairs of scalars at the same place, below keys that are not ground truth."""
    if isinstance(one, dict) and isinstance(two, dict):
        for (name, left), right in zip(one.items(), two.values(), strict=True):
            yield from zip_scalars(left, right, name)
    elif isinstance(one, list) and isinstance(two, list):
        for left, right in zip(one, two, strict=True):
            yield from zip_scalars(left, right, key)
    elif key not in TRUTH and not key.endswith("payment_method_id"):
        yield key, one, two
