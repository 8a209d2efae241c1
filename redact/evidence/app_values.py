"""What was learnt of an app: its personal values, each episode's own words, and the evidence about unknown keys.

In: findings of episodes (`redact.apply.learn`). Out: a record that merges in any order, goes to bytes and back. It is private
data from end to end: the caller keeps its bytes sealed beside the vault (`Vault.seal`).
"""

from __future__ import annotations

import hashlib
import zlib
from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from redact.bounds import LONGEST_VALUE
from redact.errors import VaultError
from redact.kinds import KINDS
from redact.values.json_bytes import read_json, write_json

LEARNT_FORMAT: Final = 1
SUBJECTS_KEPT: Final = 32
"""So many subjects are remembered per value: the smallest hashes, so that merging is free of order."""


@dataclass(slots=True)
class AppLearnt:
    """One app's part; filled by `redact.apply.learn` only."""

    values: dict[str, str] = field(default_factory=dict)
    """Folded value to kind: what names one person by itself, searched for in the whole app."""
    local: dict[str, dict[str, str]] = field(default_factory=dict)
    """Raw episode id to (folded value to kind): words and numbers that are personal within that episode only."""
    evidence: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    """Path of a key no rule explains to (value to hashes of the subjects it was seen with)."""
    choices: dict[str, list[int]] = field(default_factory=dict)
    """What tool definitions enumerate, and the definitions, to hashes of the subjects who had them (`redact.evidence.definitions`)."""
    latest: int = 0
    """When the last episode started, in nanoseconds: what is old is old against this."""
    told: dict[str, list[int]] = field(default_factory=dict)
    """Folded words of prompts and tool definitions to hashes of the subjects who had them."""
    small: set[str] = field(default_factory=set)
    """Folded words that the app's assistant writes small: its language."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was learnt, by app."""

    apps: Mapping[str, AppLearnt] = field(default_factory=dict)

    def app(self, name: str) -> AppLearnt:
        """Return one app's part, empty where nothing was learnt."""
        return self.apps.get(name, _EMPTY)

    def to_bytes(self) -> bytes:
        """Return the record as bytes; equal records give equal bytes."""
        body = {
            name: {f.name: getattr(app, f.name) for f in fields(app)} | {"small": sorted(app.small)}
            for name, app in self.apps.items()
        }
        return zlib.compress(write_json({"format": LEARNT_FORMAT, "apps": body}), 6)

    @staticmethod
    def from_bytes(data: bytes) -> Learnt:
        """Return the record that `to_bytes` wrote."""
        try:
            body = read_json(zlib.decompress(data))
        except (zlib.error, ValueError) as error:
            raise VaultError(
                "what was learnt cannot be read: learn again from the episodes."
            ) from error
        if body.get("format") != LEARNT_FORMAT:
            raise VaultError(
                "what was learnt has another format version: learn again from the episodes."
            )
        return Learnt(
            {
                name: AppLearnt(**{**app, "small": set(app["small"])})
                for name, app in body["apps"].items()
            }
        )


_EMPTY: Final = AppLearnt()


def merge(*parts: Learnt) -> Learnt:
    """Return everything the parts learnt, whatever their order."""
    apps: dict[str, AppLearnt] = {}
    for part in parts:
        for name, app in part.apps.items():
            _add(apps.setdefault(name, AppLearnt()), app)
    return Learnt(apps)


def _add(into: AppLearnt, app: AppLearnt) -> None:
    for value, kind in app.values.items():
        keep_kind(into.values, value, kind)
    for episode, words in app.local.items():
        known = into.local.setdefault(episode, {})
        for value, kind in words.items():
            keep_kind(known, value, kind)
    for path, values in app.evidence.items():
        seen = into.evidence.setdefault(path, {})
        for value, subjects in values.items():
            seen[value] = merge_subjects(seen.get(value, []), subjects)
    for value, subjects in app.choices.items():
        into.choices[value] = merge_subjects(into.choices.get(value, []), subjects)
    into.latest = max(into.latest, app.latest)
    for word, subjects in app.told.items():
        into.told[word] = merge_subjects(into.told.get(word, []), subjects)
    into.small |= app.small


def keep_kind(values: dict[str, str], value: str, kind: str) -> None:
    """Note a value's kind; where it has two, the one of lower rank stays, whichever came first."""
    known = values.get(value)
    if known is None or KINDS[kind].rank < KINDS[known].rank:
        values[value] = kind


def merge_subjects(left: list[int], right: list[int]) -> list[int]:
    """Return the smallest hashes of both."""
    if len(right) == 1:
        subject = right[0]
        if subject in left or (len(left) == SUBJECTS_KEPT and subject > left[-1]):
            return left
        place = bisect(left, subject)  # both are in order: every record is kept so
        return [*left[:place], subject, *left[place:]][:SUBJECTS_KEPT]
    return sorted({*left, *right})[:SUBJECTS_KEPT]


def subject_hash(subject: str) -> int:
    """Return a subject's hash for counting."""
    digest = hashlib.blake2b(subject.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "big")


def evidence_value(value: str) -> str:
    """Return a value as evidence remembers it."""
    if len(value) <= LONGEST_VALUE:
        return value
    return (
        "\x00" + hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    )
