"""What tool definitions say: their choices, and the people that stand in their texts, examples, defaults and choices.

In: a definition as JSON text. Out: values and texts with the property that they are of. A definition is everybody's where
k people had it alike; one that an app wrote for one user ("Move a booking of Anna Meier") is that user's text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

import orjson

from redact.bounds import LONG_NUMBER
from redact.evidence.app_values import AppLearnt
from redact.evidence.subjects import subjects_of
from redact.fold import fold_value
from redact.lists.gazetteer import is_name
from redact.readers.documents import FoundValue
from redact.readers.place import ARGUMENT, Place, is_free
from redact.recognizers.analyzer import Finder, Findings
from redact.recognizers.composites import is_composite
from redact.values.forms import commonest
from redact.values.free_ids import free_ids
from redact.values.value_sets import are_names

_EXAMPLES: Final = ("enum", "default", "example", "examples", "const")
_TEXTS: Final = ("description", "title")
EVERYBODY: Final = ""
"""Under it stand the subjects who had any definition."""
_DIGIT: Final = re.compile(r"\d")
_MARK: Final = "\x00"
_NAMED: Final = "\x00="


class DefinedPlace(NamedTuple):
    """What a definition says in one place."""

    key: str
    """The property, empty for the definition's own texts."""
    values: tuple[str, ...]
    is_text: bool


@lru_cache(maxsize=2_000)
def definition_key(definition: str) -> str:
    """Return how a definition itself is counted among the choices."""
    return _MARK + hashlib.blake2b(definition.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@lru_cache(maxsize=2_000)
def choices_in(definition: str) -> tuple[str, ...]:
    """Return the values a tool definition lists as choices."""
    return tuple(value for _, part in _parts(definition) for value in _texts_in(part.get("enum")))


@lru_cache(maxsize=2_000)
def said_in(definition: str) -> tuple[DefinedPlace, ...]:
    """Return the texts of a definition, and the values that it gives for its properties."""
    said = []
    for key, part in _parts(definition):
        for name in _EXAMPLES:
            values = _texts_in(part.get(name))
            if values:
                said.append(DefinedPlace(key, tuple(values), is_text=False))
        said += [
            DefinedPlace(key, (part[name],), is_text=True)
            for name in _TEXTS
            if isinstance(part.get(name), str)
        ]
    return tuple(said)


@lru_cache(maxsize=2_000)
def people_in(definition: str, finder: Finder) -> tuple[FoundValue, ...]:
    """Return what in a definition names one person by itself: it is removed there and everywhere."""
    return tuple(dict.fromkeys(_people_in(definition, finder)))


def _people_in(definition: str, finder: Finder) -> Iterator[FoundValue]:
    for said in said_in(definition):
        if said.is_text:
            for text in said.values:
                people = _direct(finder.in_prose(text))
                yield from people
                # "DM-5940201, Anna Meier": a long number beside a person is hers.
                ids = free_ids(text) if people else ()
                long = [token for token in ids if len(_DIGIT.findall(token)) >= LONG_NUMBER]
                yield from (FoundValue("opaque_id", token, "") for token in long)
        else:
            document = json.dumps({said.key: list(said.values)})
            yield from _direct(finder.in_text(document, "", ARGUMENT))
            if _are_people(said.values):
                yield from (FoundValue("full_name", value, "") for value in said.values)


def _direct(findings: Findings) -> list[FoundValue]:
    """Return what names one person by itself: single words of definitions are examples."""
    return [
        found._replace(key="")
        for found in findings.values
        if is_composite(found.kind, fold_value(found.value))
    ]


def is_shared(app: AppLearnt, counted: str, *, k: int) -> bool:
    """Say whether so many of those who had definitions had this choice or definition that it is nobody's own."""
    everybody = app.choices.get(EVERYBODY, [])
    return len(app.choices.get(counted, ())) >= min(k, max(1, len(everybody)))


def public_choices(app: AppLearnt, *, k: int) -> set[str]:
    """Return the enumerated values that are nobody's: everybody's definitions have them, and they name no person."""
    return {
        value
        for value in app.choices
        if not value.startswith(_MARK)
        and value != EVERYBODY
        and is_shared(app, value, k=k)
        and fold_value(value) not in app.values
    }


def _are_people(values: tuple[str, ...]) -> bool:
    """Say whether choices are full names; one listed name in two values does not make a list of streets one of people."""
    listed = list(values)
    return (
        all(" " in value.strip() for value in listed)
        and commonest(listed) == "names"
        and are_names(listed)
    )


def _parts(definition: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object of a definition with the property that it describes."""
    try:
        document = orjson.loads(definition)
    except orjson.JSONDecodeError:
        return
    waiting: list[tuple[str, object, bool]] = [("", document, False)]
    while waiting:
        key, part, named = waiting.pop()
        if isinstance(part, dict):
            if not named:
                yield key, part
            waiting.extend(
                (name if named else key, value, name == "properties" and not named)
                for name, value in part.items()
            )
        elif isinstance(part, list):
            waiting.extend((key, value, False) for value in part)


@lru_cache(maxsize=2_000)
def names_in(definition: str) -> tuple[str, ...]:
    """Return what a definition calls its tool and the properties of its arguments."""
    try:
        waiting: list[object] = [orjson.loads(definition)]
    except orjson.JSONDecodeError:
        return ()
    names: dict[str, None] = {}
    first = waiting[0]
    if isinstance(first, dict):
        told = first.get("function", first)
        name = told.get("name") if isinstance(told, dict) else None
        if isinstance(name, str):
            names[name] = None
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            properties = part.get("properties")
            if isinstance(properties, dict):
                names.update(dict.fromkeys(properties))
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return tuple(names)


def name_key(name: str) -> str:
    """Return how the name of a tool or an argument is counted among the choices."""
    return f"{_NAMED}{name}"


def names_of_all(app: AppLearnt, *, k: int) -> frozenset[str]:
    """Return the names of tools, arguments, agents and fields that k subjects had: the app's own words, whatever somebody is called."""
    told = {
        value.removeprefix(_NAMED)
        for value, subjects in app.choices.items()
        if value.startswith(_NAMED) and len(subjects) >= k
    }
    fields = {
        field
        for key, seen in app.evidence.items()
        if not is_free(key) and subjects_of([seen]) >= k
        for field in Place.from_key(key).path.split(".")[1:]
        if not is_name(field)
    }
    return frozenset(told | fields)


def _texts_in(value: object) -> list[str]:
    every = value if isinstance(value, list) else [value]
    return [one for one in every if isinstance(one, str)]
