"""The leak check at the gate: what it finds in a scrubbed episode is taken out of the text that holds it.

Comes in: raw episodes with their scrubbed ones, and the search. Goes out: episodes in which a marker stands for every hit, with an account
by the key that taught the value; an episode of which a hit cannot be taken out is held back whole.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dagster_project.privacy.account import HELD, AccountRow
from dagster_project.privacy.gate import texts_of
from dagster_project.privacy.leak_search import Searcher, TaughtPlaces, words_of
from environments.runtime.values.literals import parse_json
from ingest.records.episode import Episode
from redact.apply.scrub import Scrubbed
from redact.apply.withheld_leaves import WithheldLeaf
from redact.audit.leaks import Leak
from redact.fold import fold
from redact.records.clean_episode import WITHHELD, CleanEpisode, CleanStep
from redact.records.clean_outcome import CleanOutcome
from redact.values.scripts import is_unspaced

LEAK: Final = "leak"
"""Why a leaf was withheld, or an episode held back: the leak check found an identifier in it."""
_BETWEEN: Final = r"(?:[\W_]|&[a-z]+;|%[0-9a-f]{2})*?"
"""What may stand between two words: marks, and blanks as pages and addresses write them."""


@dataclass(frozen=True, slots=True)
class CheckedEpisodes:
    """What passed the leak check."""

    passed: list[Scrubbed]
    held: list[tuple[str, str]]
    """For each episode that was held back whole, the kind of what was found and the key that taught it."""


def leak_checked(
    raw: Sequence[Episode], scrubbed: Sequence[Scrubbed], search: Searcher
) -> CheckedEpisodes:
    """The scrubbed episodes without what the search finds in them."""
    done = CheckedEpisodes([], [])
    for before, one in zip(raw, scrubbed, strict=True):
        found = list(_hits(before.episode_id, one.clean, search))
        taken = _mask_hits(before, one, found) if found else one
        left = next(_hits(before.episode_id, taken.clean, search), None) if found else None
        if left is None:
            done.passed.append(taken)
        else:
            done.held.append(
                (left.leak.kind, TaughtPlaces([before]).source_of(left.leak, left.text))
            )
    return done


def still_leaking(pairs: Iterable[tuple[str, CleanEpisode]], search: Searcher) -> int:
    """How many clean episodes, each with the id of its raw one, hold an identifier."""
    return sum(next(_hits(raw, clean, search), None) is not None for raw, clean in pairs)


def without_leaks(outcome: CleanOutcome, raw_episode: str, search: Searcher) -> CleanOutcome:
    """The outcome with a marker in place of what the search finds in its texts; for a text of which it cannot be taken out."""
    texts = {"text": outcome.text, "correction": outcome.correction}
    changed: dict[str, str] = {}
    for name, text in texts.items():
        hits = search.hits(name, text, episodes=[raw_episode]) if text else []
        if text and hits:
            left = mark_phrases(text, [words_of(leak, text) for leak in hits])
            still = search.hits(name, left, episodes=[raw_episode])
            changed[name] = WITHHELD if still else left
    return replace(
        outcome,
        text=changed.get("text", outcome.text),
        correction=changed.get("correction", outcome.correction),
    )


def leak_rows(app: str, day: str, held: Sequence[tuple[str, str]]) -> list[AccountRow]:
    """Episodes that were held back, as rows of `redactions`."""
    return [
        AccountRow(app=app, day=day, what=HELD, kind=LEAK, place=place, count=n, episodes=n)
        for (_, place), n in sorted(Counter(held).items())
    ]


@dataclass(frozen=True, slots=True)
class _Hit:
    """A leak, and the text that it stands in."""

    path: str
    text: str
    leak: Leak


def _hits(raw: str, clean: CleanEpisode, search: Searcher) -> Iterator[_Hit]:
    for path, text in texts_of(clean):
        for leak in search.hits(path, text, episodes=[raw]):
            yield _Hit(path, text, leak)


def _mask_hits(raw: Episode, one: Scrubbed, found: Sequence[_Hit]) -> Scrubbed:
    """The episode with a marker in place of every hit in what was said, called or answered, or in a tool's definition."""
    said: dict[str, list[str]] = {}
    held: list[WithheldLeaf] = []
    taught = TaughtPlaces([raw])
    for hit in found:
        said.setdefault(hit.path, []).append(words_of(hit.leak, hit.text))
        place = taught.source_of(hit.leak, hit.text)
        held.append(WithheldLeaf(path=hit.path, key=place, reason=LEAK))
    steps = tuple(_mark_step(step, f"steps[{n}]", said) for n, step in enumerate(one.clean.steps))
    # An example in a definition: without it the tool is the same.
    tools = tuple(
        mark_phrases(tool, said.get(f"tools[{n}]", ())) for n, tool in enumerate(one.clean.tools)
    )
    withheld = dict.fromkeys((*one.clean.withheld, *(item.path for item in held)))
    agent = _mark_text(one.clean.agent, said.get("agent"))
    clean = replace(one.clean, steps=steps, tools=tools, agent=agent, withheld=tuple(withheld))
    return replace(one, clean=clean, held=tuple(dict.fromkeys((*one.held, *held))))


def _mark_step(step: CleanStep, at: str, said: Mapping[str, Sequence[str]]) -> CleanStep:
    content = _mark_text(step.content, said.get(f"{at}.content"))
    calls = tuple(
        replace(call, arguments=mark_phrases(call.arguments, words))
        if (words := said.get(f"{at}.tool_calls[{m}].arguments"))
        else call
        for m, call in enumerate(step.tool_calls)
    )
    agent = _mark_text(step.agent, said.get(f"{at}.agent"))
    return replace(step, content=content, tool_calls=calls, agent=agent)


def _mark_text(text: str | None, words: Sequence[str] | None) -> str | None:
    """What is said, or an agent's name: some bear a person's and their business's."""
    return mark_phrases(text, words) if text is not None and words else text


def mark_phrases(text: str, phrases: Iterable[str]) -> str:
    """The text with a marker in place of each phrase (folded words, blanks between); as it was where it would be JSON no more."""
    read = fold(text)
    spans = [
        read.span(*found.span())
        for phrase in dict.fromkeys(phrases)
        if phrase
        for found in _pattern(phrase).finditer(read.text)
        if _is_apart(read.text, found)
    ]
    out, end = [], 0
    for start, stop in sorted(spans):
        if start >= end:
            out += [text[end:start], WITHHELD]
        end = max(end, stop)
    changed = "".join((*out, text[end:]))
    return text if parse_json(text) is not None and parse_json(changed) is None else changed


def _pattern(phrase: str) -> re.Pattern[str]:
    """The words one after the other, whatever marks stand between."""
    return re.compile(_BETWEEN.join(map(re.escape, phrase.split())))


def _is_apart(text: str, found: re.Match[str]) -> bool:
    """Whether no word goes on at either end; of scripts without blanks each letter is a word."""
    start, end = found.span()
    return _ends(text[start : start + 1], text[max(0, start - 1) : start]) and _ends(
        text[end - 1 : end], text[end : end + 1]
    )


def _ends(letter: str, beside: str) -> bool:
    return not beside.isalnum() or is_unspaced(letter) or is_unspaced(beside)
