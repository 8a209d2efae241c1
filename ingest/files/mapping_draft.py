"""A mapping to start from, for a file in a layout that nobody knows.

Comes in: a few values of the file. Goes out: the text of a `mapping.toml` that reads what looks most like messages as it
stands, with blanks for the rest; None where nothing looks like a list of messages. It holds keys of the file and never a
value: which of the file's words for a speaker is the user's, only its owner knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ingest.formats.records.find import are_messages
from ingest.formats.records.words import NAMES, snake_case
from ingest.records.text import Json

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEEPEST: Final = 5
_LOOKED_AT: Final = 200
_LONGEST_WORD: Final = 40
_LIST: Final = "[]"
_SPEAKERS: Final = frozenset(NAMES["may_name_a_speaker"])
_BESIDE: Final = {
    "id": ("id", "ref", "key", "number", "no", "uuid", "session", "conversation"),
    "task": ("task", "case", "scenario", "question_id"),
    "user": ("user", "customer", "client", "caller"),
    "started_at": ("started", "start", "created", "date", "time", "at"),
}

Path = tuple[str, ...]
"""Keys, and `[]` for the elements of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A list that may be one of messages."""

    path: Path
    items: tuple[dict[str, Any], ...]
    role: str | None
    content: str | None
    pair: tuple[str, str] | None
    known: bool

    @property
    def rank(self) -> tuple[bool, bool, bool, int]:
        """How much it looks like messages; the highest is the likeliest."""
        told = self.role is not None and self.content is not None
        return self.known, told, self.pair is not None, len(self.items)


def draft(values: Sequence[Json]) -> str | None:
    """The text of a mapping."""
    lists: dict[Path, list[dict[str, Any]]] = {}
    for value in values:
        for path, items in _lists(value, ()):
            lists.setdefault(path, []).extend(items[: _LOOKED_AT - len(lists.get(path, []))])
    found = [_candidate(path, items) for path, items in lists.items()]
    likely = [one for one in found if one.known or one.content is not None or one.pair is not None]
    best = max(likely, key=lambda one: one.rank, default=None)
    return None if best is None else _text(best, values)


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


def _candidate(path: Path, items: list[dict[str, Any]]) -> _Candidate:
    texts = {
        key: [one[key] for one in items if isinstance(one.get(key), str)]
        for key in dict.fromkeys(key for one in items for key in one)
    }
    often = {key: said for key, said in texts.items() if 2 * len(said) >= len(items)}
    roles = [key for key, said in often.items() if _are_speakers(key, said)]
    role = min(roles, key=lambda key: (_hint(key), len(set(often[key]))), default=None)
    said = {key: sum(map(len, one)) for key, one in texts.items() if key != role and one}
    content = max(said, key=lambda key: said[key], default=None)
    both = [key for key in often if key != role]
    pair = (both[0], both[1]) if role is None and len(both) == 2 and len(path) > 0 else None
    key = next((one for one in reversed(path) if one != _LIST), "")
    return _Candidate(
        path=path,
        items=tuple(items),
        role=role,
        content=content if role is not None else None,
        pair=pair,
        known=are_messages(list(items), key=key),
    )


def _hint(key: str) -> bool:
    """False for names that a speaker's key often has: they come first."""
    return not _SPEAKERS & set(snake_case(key).split("_"))


def _are_speakers(key: str, said: list[str]) -> bool:
    """Whether the values of a key are words of a few speakers."""
    short = all(len(one) <= _LONGEST_WORD and "\n" not in one for one in said)
    few = len(set(said)) <= max(2, len(said) // 2)
    return short and few and (len(set(said)) > 1 or not _hint(key))


def _text(best: _Candidate, values: Sequence[Json]) -> str:
    above, messages = _split(best.path)
    # A list at the top is the file's records already.
    above = above[1:] if above[:1] == (_LIST,) else above
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
    if best.role is not None and best.content is not None and not best.known:
        lines += [
            "",
            "[message]",
            _line("role", _quoted(best.role)),
            _line("content", _quoted(best.content)),
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
    places = [index for index, key in enumerate(path) if key == _LIST]
    if not places:
        return (), path
    return path[: places[-1] + 1], path[places[-1] + 1 :]


def _messages(path: Path, best: _Candidate) -> str:
    whole = _expression(path) if path else "@"
    if best.role is None and best.pair is not None and not best.known:
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
    above, _ = _split(path)
    for value in values:
        one: Json = value
        for key in above:
            if key == _LIST:
                one = (
                    next((x for x in one if isinstance(x, dict)), None)
                    if isinstance(one, list)
                    else None
                )
            else:
                one = one.get(key) if isinstance(one, dict) else None
        if isinstance(one, dict):
            return one
    return {}
