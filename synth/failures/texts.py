"""Texts without a customer's values: what is left of an error message or a request when every value is taken out.

Takes a text and the values that the episode's own calls and results reveal; gives a template or a facet. It errs
towards taking out too much: a word is kept only if it is lower-case prose or a word of the app's tool definitions.
Not here: names of clusters (`clusters.names`), which add the rule of k distinct users.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import definition_of
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import is_plain
from redact.records.clean_episode import CleanEpisode
from synth.failures.calls import SeenCall
from synth.failures.words import name_words
from synth.tool_content import held_value

VALUE: Final = "…"
"""Stands for a value that was taken out."""

FACET_LIMIT: Final = 400
TEMPLATE_LIMIT: Final = 110
_READ_LIMIT: Final = 4000
_VALUE_LIMIT: Final = 80
_VALUES_TAKEN_OUT: Final = 200

_TOKEN: Final = re.compile(r"\S+")
_EDGE: Final = re.compile(r"^[^\w#@$€£]+|[^\w]+$")
_QUOTED: Final = re.compile(
    r"\"[^\"]{0,200}\"|(?<!\w)'[^']{0,200}'(?!\w)|`[^`]{0,200}`|<[^>]{0,200}>"
)
_PLAIN: Final = re.compile(r"^[^\W\d_]+(?:['\u2019-][^\W\d_]+)*$")
_RUN: Final = re.compile(rf"{VALUE}(?:[\s,.;:/()\-]*{VALUE})+")
_GREETING: Final = re.compile(
    r"^\s*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|dear \w+)\b(?: there)?[\s,.!]*)+",
    re.IGNORECASE,
)


def vocabulary(definitions: Iterable[str]) -> frozenset[str]:
    """The words that an app's tool definitions use: public by nature, so they may stand in a name."""
    words: set[str] = set()
    for text in definitions:
        for leaf in _leaves(definition_of(text)):
            words.update(name_words(leaf))
    return frozenset(word for word in words if len(word) > 1)


def values_of(calls: Iterable[SeenCall]) -> frozenset[str]:
    """Lower-case words of the values that stand in arguments and results: what must not reach a name."""
    words: set[str] = set()
    for call in calls:
        for text in (call.arguments, call.result or ""):
            for leaf in _values(held_value(text)):
                if len(leaf) <= _VALUE_LIMIT:
                    words.update(re.findall(r"[\w@.-]+", leaf.lower()))
    return frozenset(words)


def template(message: str, call: SeenCall, known: frozenset[str]) -> str:
    """An error message with its values taken out: equal for equal errors about different things."""
    own = {leaf for leaf in _values(held_value(call.arguments)) if len(leaf) >= 3}
    text = _QUOTED.sub(VALUE, message[:_READ_LIMIT])
    for value in sorted(own, key=lambda leaf: (-len(leaf), leaf))[:_VALUES_TAKEN_OUT]:
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", VALUE, text, flags=re.IGNORECASE)
    kept = " ".join(_kept_words(text, known=known, hidden=frozenset()))
    return _RUN.sub(VALUE, kept).strip(" .:,").lower()[:TEMPLATE_LIMIT]


def facet(episode: CleanEpisode, hidden: frozenset[str], known: frozenset[str]) -> str:
    """What the user wanted, in their own words without values: the first things they said."""
    said = [s.content for s in episode.steps if s.role == "user" and s.content][:4]
    texts = [_GREETING.sub("", text[:_READ_LIMIT]) for text in said]
    unwanted = hidden | _names_in(texts)
    words = [word for text in texts for word in _kept_words(text, known=known, hidden=unwanted)]
    return _RUN.sub(VALUE, " ".join(words))[:FACET_LIMIT].strip()


def _names_in(texts: Iterable[str]) -> frozenset[str]:
    """Words with a capital inside a sentence: names, which may also begin a sentence elsewhere."""
    found: set[str] = set()
    for text in texts:
        before = "."
        for token in _TOKEN.findall(text):
            bare = _EDGE.sub("", token)
            if before[-1] not in ".!?:" and _is_name(bare):
                found.add(bare.lower())
            before = token
    return frozenset(found)


def _is_name(bare: str) -> bool:
    return bare[:1].isupper() and bare != "I" and not bare.startswith(("I'", "I\u2019"))


def _kept_words(text: str, *, known: frozenset[str], hidden: frozenset[str]) -> Iterator[str]:
    starts = True
    for token in _TOKEN.findall(text):
        bare = _EDGE.sub("", token)
        if VALUE in token:
            yield VALUE
        if not bare or VALUE in token:
            continue
        yield _word(bare, known=known, hidden=hidden, starts=starts)
        starts = token[-1] in ".!?:\n"


def _word(bare: str, *, known: frozenset[str], hidden: frozenset[str], starts: bool) -> str:
    lower = bare.lower()
    if lower in known:
        return lower
    if "_" in bare and all(part in known for part in name_words(bare)):
        return lower
    if not _PLAIN.match(bare) or lower in hidden:
        return VALUE
    return VALUE if _is_name(bare) and not starts else lower


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def _values(value: Json) -> Iterator[str]:
    return (str(leaf) for leaf in leaves(value) if is_plain(leaf))
