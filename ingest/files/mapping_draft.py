"""A mapping to start from, for a file in a layout that nobody knows.

Comes in: a few values of the file. Goes out: the text of a `mapping.toml` that reads what looks most like messages as it
stands, with blanks for the rest; None where nothing looks like a list of messages. It holds keys of the file and never a
value: which of the file's words for a speaker is the user's, only its owner knows. Where what stands in the fields leaves one reading,
`layout_in` is that mapping, and nobody is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ingest.files.mapping import SECTIONS, Layout, layout_of
from ingest.formats.own_words import speakers_in, words_of
from ingest.formats.records.find import are_messages
from ingest.formats.records.words import snake_case
from ingest.records.text import Json, objects_in

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEEPEST: Final = 5
_LOOKED_AT: Final = 200
_LIST: Final = "[]"
_BESIDE: Final = {
    "id": ("id", "ref", "key", "number", "no", "uuid", "session", "conversation", "chat", "thread", "call", "ticket"),
    "task": ("task", "case", "scenario", "question"),
    "user": ("user", "customer", "client", "caller"),
    "started_at": ("started", "start", "created", "date", "time", "at", "timestamp"),
}  # fmt: skip
_HARMLESS: Final = frozenset(
    {"id", "no", "ref", "key", "number", "uuid", "name", "at", "on", "ms", "unix", "secs", "time", "date", "timestamp"}
)  # fmt: skip
"""Words beside one of these that leave a key's meaning: `user_id` is a user, `user_cost` is not."""

Path = tuple[str, ...]
"""Keys, and `[]` for the elements of a list."""


def layout_in(values: Sequence[Json]) -> Layout | None:
    """How values in a layout that nobody knows are read, where that is sure; what stands beside messages is read as in any record."""
    lists = _lists_of(values)
    told = ((path, words_of(lists[path])) for path in sorted(lists, key=len))
    path, words = next((one for one in told if one[1] is not None), ((), None))
    if words is None:
        return None
    said, call = (
        {key: _quoted(one) for key, one in words[name].items() if one}
        for name in ("message", "call")
    )
    if "result" in said:
        said["content"] = f"not_null({said['content']}, {said.pop('result')})"
    return _layout(path, message=said, roles=words["roles"], **({"call": call} if call else {}))


def _layout(path: Path, **sections: dict[str, str]) -> Layout:
    above, messages = _split(path)
    records = {"path": _expression(above)} if above else {}
    document = {"conversation": {"messages": _expression(messages)}, "records": records, **sections}
    return layout_of(document, name="its own words", keeps_rest=True)


def draft(values: Sequence[Json], *, reads_outcomes: bool = False) -> str | None:
    """The text of a mapping; fields that may say how it went are named unless the file's outcomes are read without it."""
    found: list[tuple[bool, int, Path, tuple[str, str] | None]] = []
    for path, lists in _lists_of(values).items():
        items = [item for one in lists for item in one]
        key = next((one for one in reversed(path) if one != _LIST), "")
        known, said = are_messages(items, key=key), next(speakers_in(lists), None)
        if known or said is not None:
            found.append((known, len(items), path, None if known else said))
    if not found:
        return None
    path, said = max(found)[2:]
    return _text(path, said, _record(values, path), reads_outcomes=reads_outcomes)


def _lists_of(values: Sequence[Json]) -> dict[Path, list[list[dict[str, Any]]]]:
    """The lists of objects in values, by the way that leads to them."""
    lists: dict[Path, list[list[dict[str, Any]]]] = {}
    for value in values:
        for path, items in _lists(value, ()):
            lists.setdefault(path, []).append(items)
    return lists


def _lists(value: Json, path: Path) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    below = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        below = [(_LIST, one) for one in value[:_LOOKED_AT]]
        if items := objects_in(value[:_LOOKED_AT]):
            yield path, items
    for key, one in below if len(path) < 2 * _DEEPEST else ():
        yield from _lists(one, (*path, key))


def _text(
    path: Path, said: tuple[str, str] | None, record: Mapping[str, Json], *, reads_outcomes: bool
) -> str:
    above, messages = _split(path)
    given = {
        "records": {"path": _expression(above)} if above else {},
        "conversation": {"messages": _expression(messages)},
        "message": dict(zip(("role", "content"), map(_quoted, said or ()), strict=False)),
        "call": {},
    }
    lines = [
        "# A mapping for `tracegym ingest FILE --map THIS`. Values are JMESPath expressions (jmespath.org).",
        "# With it only what it names is read.",
    ]
    for section, fields in SECTIONS.items():
        own = given[section]
        lines += ["", f"[{section}]" if own else f"# [{section}]"]
        lines += [_line(key, own[key]) for key in fields if key in own]
        beside = record if section == "conversation" else {}
        lines += [f"# {_line(key, _guess(key, beside))}" for key in fields if key not in own]
    lines += [
        "",
        "# [roles]",
        '# "the file\'s word" = "user"  # or system, assistant, tool; words that are not here are agents\' names',
    ]
    return (
        "\n".join([*lines, "", "[outcomes]", *_outcomes({} if reads_outcomes else record)]) + "\n"
    )


def _guess(field: str, record: Mapping[str, Json]) -> str:
    """A key that a field of a mapping may mean."""
    likely = set(_BESIDE.get(field, ()))

    def may_mean(key: str) -> bool:
        words = set(snake_case(key).split("_"))
        return bool(words & likely) and words <= likely | _HARMLESS

    key = next(filter(may_mean, record), None)
    return _quoted(key) if key else ""


def _outcomes(record: Mapping[str, Json]) -> Iterator[str]:
    """Lines for what may say how a conversation went: the fields that are true or false."""
    truths = [key for key, value in record.items() if isinstance(value, bool)]
    if not truths:
        yield '# resolved = ""  # a name of your own and the path to its value'
    for key in truths:
        yield f"# {_line('resolved', _quoted(key))}  # if this says how it went"


def _split(path: Path) -> tuple[Path, Path]:
    """The way to the records, and from a record to its messages."""
    last = max((index for index, key in enumerate(path) if key == _LIST), default=-1)
    # A list at the top is the file's records already.
    return path[path[:1] == (_LIST,) : last + 1], path[last + 1 :]


def _expression(path: Path) -> str:
    # Behind another list the last one must be opened, too: it would be a list of lists.
    kept = path[:-1] if path[-1:] == (_LIST,) and _LIST not in path[:-1] else path
    text = "".join(key if key == _LIST else f".{_quoted(key)}" for key in kept)
    return text.removeprefix(".") or "@"


def _quoted(key: str) -> str:
    return key if _PLAIN.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _line(name: str, expression: str) -> str:
    quote = "'''" if "'" in expression else "'" if '"' in expression else '"'
    return f"{name} = {quote}{expression}{quote}"


def _record(values: Sequence[Json], path: Path) -> dict[str, Any]:
    """The first record that the messages stand in."""
    whole = _layout(path)
    told = (one for value in values if whole.fits(value) for one in whole.records_of(value))
    return next((one for one in told if isinstance(one, dict)), {})
