"""Learns an app's personal values from the structure of its own traces.

In: raw episodes and outcomes. Out: `Learnt`. Removes nothing. Direct identifiers and multi-word names are learnt for
the whole app, single words and short numbers for their own episode: "Brown" must not recolour another customer's shirt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import orjson

from ingest.episode import Episode
from ingest.outcome import Outcome
from redact.findings import (
    Finder,
    Findings,
    Found,
    Unexplained,
    atoms_of,
    finder_for,
    is_composite,
    refined,
)
from redact.fold import fold_value
from redact.judge import ARGUMENT, RESULT, Place
from redact.learnt import (
    AppLearnt,
    Learnt,
    evidence_value,
    keep_kind,
    merge_subjects,
    subject_hash,
)
from redact.policy import Policy
from redact.shapes import can_be

MESSAGE: Final = "message"


def learn(episodes: Iterable[Episode], outcomes: Iterable[Outcome], *, policy: Policy) -> Learnt:
    """Return what the episodes and outcomes reveal about their app's people."""
    apps: dict[str, AppLearnt] = {}
    if not policy.enabled:
        return Learnt(apps)
    finder = finder_for(policy)
    for episode in episodes:
        _learn_episode(apps.setdefault(episode.app, AppLearnt()), episode, finder)
    for outcome in outcomes:
        if outcome.episode_id is not None:
            _learn_outcome(apps.setdefault(outcome.app, AppLearnt()), outcome, finder)
    return Learnt(apps)


def tool_names(episode: Episode) -> dict[str, str]:
    """Return which tool each call id of the episode called."""
    return {call.call_id: call.name for step in episode.steps for call in step.tool_calls}


@dataclass(frozen=True, slots=True)
class Read:
    """One text of an episode with what it reveals."""

    path: str
    origin: str
    """`message`, `argument` or `result`."""
    findings: Findings

    def unexplained(self) -> Iterator[tuple[Place, Unexplained]]:
        """Yield the leaves no rule explains, with where evidence counts them; messages have none."""
        if self.origin == MESSAGE:
            return
        # An e-mail address found by shape makes a record personal too: its keys may be in no lexicon.
        personal = bool(self.findings.found)
        for leaf in self.findings.unexplained:
            yield Place(self.origin, leaf.kind, personal, leaf.path), leaf


def texts_of(episode: Episode, finder: Finder) -> Iterator[Read]:
    """Yield each text of the episode with what it reveals."""
    names = tool_names(episode)
    for number, step in enumerate(episode.steps):
        path = f"steps[{number}]"
        for place, call in enumerate(step.tool_calls):
            findings = finder.in_document(call.arguments, call.name)
            yield Read(f"{path}.tool_calls[{place}].arguments", ARGUMENT, findings)
        if step.content and step.role == "tool":
            tool = step.tool_name or names.get(step.call_id or "", "")
            yield Read(f"{path}.content", RESULT, finder.in_document(step.content, tool))
        elif step.content:
            yield Read(f"{path}.content", MESSAGE, finder.in_prose(step.content))


def found_in(episode: Episode, finder: Finder) -> list[Found]:
    """Return the personal values that the episode's own texts reveal."""
    found: dict[Found, None] = {}
    if episode.subject and can_be("person_id", episode.subject):
        found[Found(refined("person_id", episode.subject), episode.subject, "")] = None
    explained: set[str] = set()
    for text in texts_of(episode, finder):
        found.update(dict.fromkeys(text.findings.found))
        if text.origin != MESSAGE:
            explained.update(leaf.value for leaf in text.findings.unexplained)
    # A pattern never rewrites what is a value of its own elsewhere: one 16-digit product id in ten passes Luhn's test.
    return [
        item
        for item in found
        if item.key or item.kind not in {"card_number", "ssn", "ip"} or item.value not in explained
    ]


def local_values(found: Iterable[Found]) -> dict[str, str]:
    """Return the folded words and numbers that are personal within the episode."""
    values: dict[str, str] = {}
    listed = list(found)
    for item in listed:
        folded = fold_value(item.value)
        if len(folded) > 1:
            keep_kind(values, folded, item.kind)
    for atom, kind in atoms_of(listed).items():
        values.setdefault(atom, kind)
    return values


def _learn_episode(app: AppLearnt, episode: Episode, finder: Finder) -> None:
    found = found_in(episode, finder)
    app.latest = max(app.latest, episode.started_at)
    _keep(app, episode.episode_id, found)
    subject = subject_hash(principal(episode, found))
    for text in texts_of(episode, finder):
        for place, leaf in text.unexplained():
            seen = app.evidence.setdefault(place.key(), {})
            value = evidence_value(leaf.value)
            seen[value] = merge_subjects(seen.get(value, []), [subject])
    for definition in episode.tools:
        app.vocabulary.update(_enumerated(definition))


def _keep(app: AppLearnt, episode_id: str, found: list[Found]) -> None:
    local = app.local.setdefault(episode_id, {})
    for value, kind in local_values(found).items():
        if is_composite(kind, value):
            keep_kind(app.values, value, kind)
        else:
            keep_kind(local, value, kind)


def _learn_outcome(app: AppLearnt, outcome: Outcome, finder: Finder) -> None:
    found = [
        item
        for text in (outcome.text, outcome.correction, outcome.label)
        if text
        for item in finder.in_prose(text).found
    ]
    if outcome.author and can_be("person_id", outcome.author):
        found.append(Found("email" if "@" in outcome.author else "person_id", outcome.author, ""))
    if found and outcome.episode_id is not None:
        _keep(app, outcome.episode_id, found)


def principal(episode: Episode, found: Iterable[Found]) -> str:
    """Return whom the episode counts for: its subject, else the first person its tools named, else itself."""
    if episode.subject:
        return episode.subject
    for kinds in ({"person_id", "email"}, {"phone", "document_id"}):
        for item in found:
            if item.kind in kinds and item.key:
                return fold_value(item.value)
    return episode.episode_id


@lru_cache(maxsize=2_000)
def _enumerated(definition: str) -> tuple[str, ...]:
    """Return the values a tool definition lists as choices."""
    try:
        document = orjson.loads(definition)
    except orjson.JSONDecodeError:
        return ()
    listed: list[str] = []
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            choices = part.get("enum")
            if isinstance(choices, list):
                listed += (value for value in choices if isinstance(value, str))
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return tuple(listed)
