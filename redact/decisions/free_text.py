"""Judges what stands in text of unknown form: tokens one by one, fields by the people who saw them.

In: the evidence of an app. Out: which tokens are identifiers that no key explains, and whether the words of a field are people's.
Fails closed: what nothing shows to be everybody's is somebody's. An identifier becomes another of its form, a word another word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from redact.bounds import (
    A_THIRD,
    CODE_LENGTH,
    ENOUGH,
    MOST,
    NEARLY_ALL,
    PARTS,
    SEVERAL,
    VARIED,
)
from redact.decisions.field_forms import bare_token, is_day, is_name_like, without_zeros
from redact.evidence.derived_values import is_made_of
from redact.evidence.subjects import least_of, subjects_of
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_name
from redact.readers.place import Place
from redact.values.free_ids import FREE, free_ids, is_free_id
from redact.values.scripts import SIGNS
from redact.values.segments import is_sentence, words_apart
from redact.values.shapes import is_phone

_LETTER: Final = re.compile(r"[^\W\d_]")
_DIGIT: Final = re.compile(r"\d")
_NUMBER: Final = re.compile(r"\d+")
_FORM: Final = "form "
_EDGE: Final = ".,:;()[]"
_ALPHA: Final = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{SIGNS}])+")


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the app says of tokens in text of unknown form."""

    personal: frozenset[str] = frozenset()
    """Seen, not explained and not everybody's."""
    nobodys: frozenset[str] = frozenset()
    """The others that were seen."""
    explained: frozenset[str] = frozenset()
    """Kept values without marks, and their forms."""

    def are_personal(self, token: str) -> bool:
        """Say whether a token is to be replaced; one never seen is, unless a kept value explains it."""
        if token in self.personal:
            return True
        return token not in self.nobodys and not _explains(self.explained, token)


def tokens_of(
    evidence: Mapping[str, Mapping[str, list[int]]],
    kept: Iterable[str],
    kept_at: Sequence[Mapping[str, list[int]]],
    *,
    k: int,
) -> Tokens:
    """Return what is known of the tokens of free text; `kept_at` is what stays, by place."""
    counted: dict[str, set[int]] = {}
    for key, seen in evidence.items():
        if Place.from_key(key).path == FREE:
            for token, listed in seen.items():
                counted.setdefault(token, set()).update(listed)
    values = list(kept)
    single = [word for value in values if " " not in value for word in _single_words(value)]
    forms = list(filter(None, map(_form, single)))
    # `A55 128GB` of the product `Galaxy A55 128GB`.
    single += [part for value in values if 0 < value.count(" ") < PARTS for part in free_ids(value)]
    explained = frozenset(forms) | frozenset(map(bare_token, single))
    least = least_of(k, subjects_of(evidence.values()), share=MOST)
    strange = {
        token: listed
        for token, listed in counted.items()
        if len(listed) < least and not _explains(explained, token) and not is_day(token)
    }
    personal = frozenset(strange).difference(_derived(strange, kept_at))
    return Tokens(personal, frozenset(counted.keys() - personal), explained)


def _derived(
    tokens: Mapping[str, set[int]], kept_at: Sequence[Mapping[str, list[int]]]
) -> Iterator[str]:
    """Yield the tokens that are made of what stays, with all others of their form."""
    forms: dict[str, list[str]] = {}
    for token in tokens:
        forms.setdefault(_NUMBER.sub("9", token), []).append(token)
    for alike in forms.values():
        if is_made_of({token: tokens[token] for token in alike}, kept_at):
            yield from alike


def _single_words(value: str) -> list[str]:
    """Return a value without blanks, or the words that hold its digits where its script has no blanks: G1234 of a train."""
    apart = words_apart(value)
    if apart == value or is_sentence(value):
        return [value]
    return [word for word in apart.split() if any(map(str.isdigit, word))]


def values_of_tokens(tokens: Tokens, language: Collection[str]) -> dict[str, str]:
    """Return what tokens make personal in the whole app, folded, with its kind; a user name may be a word of the language."""
    # A place on the map has fewer zeros in a call than where it is said.
    personal = {*tokens.personal, *map(without_zeros, tokens.personal)}
    folded = {fold_value(token): token for token in sorted(personal)}
    return {
        value: "phone" if is_phone(token) else "opaque_id"
        for value, token in folded.items()
        if value not in language and value not in ORDINARY
        # Folded, `4%20%E2%80%A2` is one digit.
        if value == token.casefold() or is_free_id(value) or _is_long(value)
    }


def _is_long(value: str) -> bool:
    """Say whether a token is readable and too long for a word or a number."""
    return value.isprintable() and len(value) >= CODE_LENGTH


def _explains(explained: Collection[str], token: str) -> bool:
    return bare_token(token) in explained or _form(token) in explained


def _form(token: str) -> str | None:
    """Return what a numbered token is like: another `ORD-962189` is a key of the same records. Two letters at least tell."""
    if token.upper() != token or len(_LETTER.findall(token)) < SEVERAL:
        return None
    return f"{_FORM}{_DIGIT.sub('9', token)}"


def template_of(seen: Mapping[str, list[int]], *, k: int) -> frozenset[str]:
    """Return what at a place belongs to the form and not to a person: folded words that most subjects saw, and values of many."""
    shared = least_of(k, subjects_of([seen]), share=A_THIRD)
    values = {v for v, listed in seen.items() if len(listed) >= shared and len(v.split()) > 1}
    return _words_of_most(seen) | values


def _words_of_most(seen: Mapping[str, list[int]]) -> frozenset[str]:
    subjects = subjects_of([seen])
    if subjects < ENOUGH or len(seen) < VARIED:
        return frozenset()
    by_word: dict[str, set[int]] = {}
    for value, listed in seen.items():
        for word in _ALPHA.findall(value):
            by_word.setdefault(fold_value(word), set()).update(listed)
    return frozenset(
        word for word, listed in by_word.items() if len(listed) >= NEARLY_ALL * subjects
    )


def own_parts(value: str, template: frozenset[str]) -> list[str]:
    """Return the runs of words of a value that no template holds and that are no remark in brackets."""
    without = _REMARK.sub(_gap_for, value) if "(" in value else value
    if not template and without == value:
        return [value]
    if value in template:
        return []
    runs: list[str] = [""]
    for word in without.split():
        if word == "()" or fold_value(word.strip(_EDGE)) in template:
            runs.append("")
        else:
            runs[-1] = f"{runs[-1]} {word}".strip()
    return [run for run in runs if any(map(str.isalnum, run))]


def _gap_for(remark: re.Match[str]) -> str:
    """Return a gap for a remark, and the remark itself where a word of it is a name."""
    words = remark[0].strip("()").replace(",", "").split()
    return remark[0] if any(map(is_name, words)) else " () "


_REMARK: Final = re.compile(r"(?<= )\([a-z]+(?:,? [a-z]+)*\)(?!\w)")
"""Small words in brackets, behind a name or an address: `(buildings only, active)`."""


def are_own(
    seen: Mapping[str, list[int]], *, k: int, fits: Callable[[str], bool] = is_name_like
) -> bool:
    """Say whether the values of a field that look like names are each person's own and no choice among few."""
    mine = {value: listed for value, listed in seen.items() if fits(value)}
    if not mine or len(mine) * 2 < len(seen):
        return False
    subjects = subjects_of([seen])
    least = least_of(k, subjects) if subjects >= 2 * k else 2
    if subjects < 2:
        return True
    sightings = sum(map(len, mine.values()))
    shared = sum(len(listed) for listed in mine.values() if len(listed) >= least)
    return shared < MOST * sightings
