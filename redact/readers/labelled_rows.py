"""Rows of a label and its value: `[{"label": "Name", "value": "Anna"}, ...]` says the same as `{"Name": "Anna"}`.

In: a list of a JSON document. Out: the object it stands for, or None where it is an ordinary list. Such rows are known by
the names of their two keys, by a label that the lexicon knows, or by values too unlike to be one column. Judges no value.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from redact.bounds import LONGEST_LINE, PARTS, SEVERAL
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_name
from redact.lists.lexicon import Lexicon, key_words
from redact.readers.tables import form_of, is_label

_ROWS: Final = (dict, list, tuple)


def may_be_labelled(rows: Collection[object]) -> bool:
    """Say whether rows can be labels and their values, by a look at one of them."""
    return 1 <= len(rows) <= LONGEST_LINE and len(_sized(next(iter(rows)))) == SEVERAL


def _sized(row: object) -> Collection[object]:
    return row if isinstance(row, _ROWS) else ()


def read_labelled_rows(rows: Sequence[object], lexicon: Lexicon) -> dict[str, list[object]] | None:
    """Return label to values where every row is a label and its value."""
    if not 1 <= len(rows) <= LONGEST_LINE:
        return None
    named = False
    if all(isinstance(row, dict) and len(row) == 2 for row in rows):
        first = rows[0]
        keys = [str(key) for key in first] if isinstance(first, dict) else []
        order = _order(keys, lexicon)
        named = order is not None
        pairs = _pairs(rows, order or keys)
    elif all(isinstance(row, list | tuple) and len(row) == 2 for row in rows):
        pairs = [(row[0], row[1]) for row in rows if isinstance(row, list | tuple)]
    else:
        return None
    if pairs is None or not all(isinstance(one, str) and is_label(one) for one, _ in pairs):
        return None
    labels = [str(one) for one, _ in pairs]
    if _are_people(labels) or not (named or _tell(labels, [two for _, two in pairs], lexicon)):
        return None
    record: dict[str, list[object]] = {}
    for label, (_, value) in zip(labels, pairs, strict=True):
        record.setdefault(label, []).append(value)
    return record


def _order(keys: list[str], lexicon: Lexicon) -> list[str] | None:
    """Return the key of labels and the key of values where their names say so."""
    for one, two in (keys, keys[::-1]):
        if _ends_in(one, lexicon.words["label"]) and _ends_in(two, lexicon.words["value"]):
            return [one, two]
    return None


def _ends_in(key: str, words: Collection[str]) -> bool:
    return key_words(key)[-1:] != () and key_words(key)[-1] in words


def _pairs(rows: Sequence[object], keys: list[str]) -> list[tuple[object, object]] | None:
    if not all(isinstance(row, dict) and set(row) == set(keys) for row in rows):
        return None
    return [(row[keys[0]], row[keys[1]]) for row in rows if isinstance(row, dict)]


def _tell(labels: list[str], values: list[object], lexicon: Lexicon) -> bool:
    """Say whether labels or values show what the rows are: several of either, and no two rows of one label."""
    if len(set(labels)) < max(2, len(labels)):
        return False
    known = {lexicon.phrase_kind(label) for label in labels} - {None}
    forms = {form_of(value) for value in values if isinstance(value, str)}
    return bool(known) or len(forms) >= min(PARTS, len(labels))


def _are_people(labels: list[str]) -> bool:
    named = sum(
        any(is_name(word) and word not in ORDINARY for word in fold_value(label).split())
        for label in labels
    )
    return named * 2 > len(labels)
