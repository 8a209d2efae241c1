"""A mapping to start from, for a file in a layout that nobody knows.

Comes in: a few values of the file. Goes out: the text of a `mapping.toml` that reads what looks most like messages as it
stands, with blanks for the rest; None where nothing looks like a list of messages. It holds keys of the file and never a
value: which of the file's words for a speaker is the user's, only its owner knows. Where what stands in the fields leaves one reading,
`layout_in` is that mapping, and nobody is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ingest.files.mapping import Layout, layout_of
from ingest.formats.own_words import speakers_in, words_of
from ingest.formats.records.find import are_messages
from ingest.formats.records.words import snake_case
from ingest.records.text import Json

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEEPEST: Final = 5
_LOOKED_AT: Final = 200
_LIST: Final = "[]"
_BESIDE: Final = {
    "id": ("id", "ref", "key", "number", "no", "uuid", "session", "conversation"),
    "task": ("task", "case", "scenario", "question_id"),
    "user": ("user", "customer", "client", "caller"),
    "started_at": ("started", "start", "created", "date", "time", "at"),
}

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A list that may be one of messages."""

    path: Path
    known: bool
    said: tuple[str, str] | None
    """Where items say who speaks and what."""
    pair: tuple[str, str] | None
    """Two texts of every item, where nobody is named."""
    count: int

    @property
    def rank(self) -> tuple[bool, bool, bool, int]:
        """How much it looks like messages; the highest is the likeliest."""
        return self.known, self.said is not None, self.pair is not None, self.count


def draft(values: Sequence[Json]) -> str | None:
    """The text of a mapping."""
    found = [_candidate(path, lists) for path, lists in _lists_of(values).items()]
    best = max(found, key=lambda one: one.rank, default=None)
    return _text(best, values) if best is not None and any(best.rank[:3]) else None


def _candidate(path: Path, lists: list[list[dict[str, Any]]]) -> _Candidate:
    items = [item for one in lists for item in one]
    texts = [key for key, one in items[0].items() if isinstance(one, str)]
    key = next((one for one in reversed(path) if one != _LIST), "")
    return _Candidate(
        path=path,
        known=are_messages(items, key=key),
        said=next(speakers_in(lists), None),
        pair=(texts[0], texts[1]) if len(texts) == 2 and path else None,
        count=len(items),
    )


def _lists_of(values: Sequence[Json]) -> dict[Path, list[list[dict[str, Any]]]]:
    """The lists of objects in values, by the way that leads to them."""
    lists: dict[Path, list[list[dict[str, Any]]]] = {}
    for value in values:
        for path, items in _lists(value, ()):
            lists.setdefault(path, []).append(items)
    return lists


def _lists(value: Json, path: Path) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    if isinstance(value, list):
        items = [one for one in value[:_LOOKED_AT] if isinstance(one, dict)]
        if items:
            yield path, items
        if len(path) < 2 * _DEEPEST:
            for one in value[:_LOOKED_AT]:
                if isinstance(one, dict | list):
                    yield from _lists(one, (*path, _LIST))
    elif isinstance(value, dict) and len(path) < 2 * _DEEPEST:
        for key, one in value.items():
            if isinstance(one, dict | list):
                yield from _lists(one, (*path, key))


def _text(best: _Candidate, values: Sequence[Json]) -> str:
    above, messages = _split(best.path)
    lines = [
        "# A mapping for `tracegym ingest FILE --map THIS`. Values are JMESPath expressions (jmespath.org).",
        "",
        "[records]",
        _line("path", _expression(above))
        if above
        else '# path = ""  # to the list of records, if it is below a key',
        "",
        "[conversation]",
        _line("messages", _messages(messages, best)),
    ]
    record = _record(values, best.path)
    for ours, likely in _BESIDE.items():
        key = next((one for one in record if set(snake_case(one).split("_")) & set(likely)), None)
        lines.append(f"# {_line(ours, _quoted(key) if key else '')}")
    lines += [f'# {one} = ""' for one in ("model", "tools", "question", "response", "correction")]
    if best.said is not None and not best.known:
        lines += [
            "",
            "[message]",
            _line("role", _quoted(best.said[0])),
            _line("content", _quoted(best.said[1])),
            '# name = ""',
            '# time = ""',
            '# calls = ""  # the list of calls in a message; what one holds goes into [call]',
            '# tool = ""  # or, where a message is itself a call: the tool, its arguments and its result',
            '# arguments = ""',
            '# result = ""',
            "",
            "# [call]",
            '# name = ""',
            '# arguments = ""',
            '# result = ""',
            "",
            "[roles]",
            '# "the file\'s word" = "user"  # or system, assistant, tool; words that are not here are agents\' names',
        ]
    return "\n".join([*lines, "", "[outcomes]", *_outcomes(record)]) + "\n"


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


def _messages(path: Path, best: _Candidate) -> str:
    whole = _expression(path) if path else "@"
    if best.said is None and best.pair is not None and not best.known:
        asked, told = map(_quoted, best.pair)
        base = whole if path else ""
        return f"{base}[].[{{role: 'user', content: {asked}}}, {{role: 'assistant', content: {told}}}][]"
    return whole


def _expression(path: Path) -> str:
    text = ""
    # Behind another list the last one must be opened, too: it would be a list of lists.
    kept = path[:-1] if path[-1:] == (_LIST,) and _LIST not in path[:-1] else path
    for key in kept:
        if key == _LIST:
            text += _LIST
        else:
            text += f".{_quoted(key)}" if text else _quoted(key)
    return text or "@"


def _quoted(key: str) -> str:
    if _PLAIN.fullmatch(key):
        return key
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _line(name: str, expression: str) -> str:
    quote = "'''" if "'" in expression else "'" if '"' in expression else '"'
    return f"{name} = {quote}{expression}{quote}"


def _record(values: Sequence[Json], path: Path) -> dict[str, Any]:
    """The first record that the messages stand in."""
    whole = _layout(path)
    told = (one for value in values if whole.fits(value) for one in whole.records_of(value))
    return next((one for one in told if isinstance(one, dict)), {})
