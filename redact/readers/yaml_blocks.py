"""Results that are written as YAML's blocks: read into the values that JSON would have had.

In: a text. Out: its objects and lists, None where it is anything else. References and tags are not read. Lines of labels and values without
nesting (`Name: Ana`) are `redact.readers.tables`'. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import yaml

from redact.bounds import DEPTH, LONGEST_TABLE

_NESTED: Final = re.compile(
    r"""^(?:[\w.@$+-]+:\n(?:-[ ]|[ ]+[\w.@$"'-])|[ ]*-[ ][\w.@$+"'-]+:(?:\s|$)|[\w.@$+-]+:[ ](?:'[^'\n]*|"[^"\n]*\\|[|>][+-]?)$)""",
    re.MULTILINE,
)
"""What only YAML has: a list or an object under a key, an object that is an item, a text in quotes that goes on below."""
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})(\.\d{1,17})?")
_WORDS: Final[dict[str, object]] = {"null": None, "~": None, "": None, "true": True, "false": False}


class _Unread(Exception):  # noqa: N818 - no error: the text is something else
    """The text is no YAML that is read here."""


def block_in(text: str) -> object | None:
    """Return the objects and lists that a text is as YAML, None where it is none."""
    if (
        text[:1] in "{["
        or "\n" not in text
        or len(text) > LONGEST_TABLE
        or not _NESTED.search(text)
    ):
        return None
    try:
        documents = _documents(text)
    except (_Unread, yaml.YAMLError, UnicodeEncodeError):  # half characters are no YAML
        return None
    return documents[0] if len(documents) == 1 else None


def _documents(text: str) -> list[dict[str, object] | list[object]]:
    events = yaml.parse(text, Loader=yaml.CSafeLoader)
    found: list[dict[str, object] | list[object]] = []
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            found.append(_collection(event, events, 0))
        elif isinstance(event, yaml.NodeEvent):
            raise _Unread
    return found


def _collection(
    opened: yaml.CollectionStartEvent, events: Iterator[yaml.Event], depth: int
) -> dict[str, object] | list[object]:
    """Return the list or object that an event begins; the events go on behind it."""
    if depth > DEPTH or opened.tag is not None:
        raise _Unread
    values: list[object] = []
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            break
        if isinstance(event, yaml.ScalarEvent):
            values.append(_scalar(event))
        elif isinstance(event, yaml.CollectionStartEvent):
            values.append(_collection(event, events, depth + 1))
        else:
            raise _Unread
    if isinstance(opened, yaml.SequenceStartEvent):
        return values
    made = {str(key): value for key, value in zip(values[::2], values[1::2], strict=True)}
    if 2 * len(made) != len(values):
        raise _Unread
    return made


def _scalar(event: yaml.ScalarEvent) -> object:
    """Return what a text says: a number or a word, unless it stands in quotes."""
    text = event.value
    if event.tag is not None:
        raise _Unread
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    return float(text) if number[1] else int(text)
