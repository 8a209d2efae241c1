"""Tables in files of their own that belong together by ids: what was said in one, the calls in another, and what is known of each conversation.

Comes in: the files of a folder. Goes out: the same; where one table holds messages, and others name their conversations, or hold the calls or the
messages' parts, one file with the conversations stands in the place of these. A table is linked by a column whose values are all ids of the other's
rows. Documents that are called by their ids, in folders that have the ids of others, are rows of a table each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final

from ingest.errors import IngestError
from ingest.files.file_source import FileSource
from ingest.formats import message_lines
from ingest.formats.records.speech import moment
from ingest.formats.records.steps import call_of
from ingest.formats.records.verdicts import VERDICTS
from ingest.formats.records.words import NAMES, role_of, snake_case
from ingest.formats.table import format_within
from ingest.records.call_names import CALL_LISTS, RESULTS
from ingest.records.text import json_bytes, load_json, objects_in
from ingest.tables.cells import Row, TableError, lines_table, plain_row, text_table
from ingest.tables.rows import (
    Grouping,
    conversations,
    grouping_of,
    is_about,
    names_of,
    renamed,
    speaker_in,
    time_in,
)

MOST_BYTES: Final = 256 << 20
_DOING: Final = frozenset({"tool", "tools", "action", "function"})
_SAID: Final = frozenset((*NAMES["said"], "output"))
_TEXTS: Final = (".csv", ".tsv")
_LINES: Final = (".jsonl", ".ndjson")
_MOST_BYTES_OF_LINES: Final = 64 << 20
_MOST_LISTS: Final = 24
"""Files of lines in one folder; more of them are a run each."""
_LOOKED_AT: Final = 200
_NAMED: Final = "conversation_id"
_CALL: Final = "tool_call"
_JUDGING: Final = frozenset({*VERDICTS, *NAMES["marks_on_messages"], "evaluation", "survey"})
_FIGURES: Final = {"value_number": "value"}
"""Columns of figures that are called as words would be, by what they are called where nobody says anything."""
Tables = Mapping[str, Sequence[Row]]


def joined_files(
    sources: Sequence[FileSource], *, joins_lines: bool = True
) -> Iterator[FileSource]:
    """The files of a folder, tables of conversations that belong together as one of them."""
    folders: dict[tuple[Path, bool], list[FileSource]] = {}
    sources = _joined_documents(sources) if joins_lines else sources
    for source in sources:
        if source.path.suffix.lower() in (*_TEXTS, *(_LINES if joins_lines else ())):
            place = source.path.parent, source.path.suffix.lower() in _LINES
            folders.setdefault(place, []).append(source)
    begun = {id(same[0]): same for same in folders.values()}
    others = {id(one) for same in folders.values() for one in same[1:]}
    for source in sources:
        if id(source) not in others:
            yield from _joined_tables(begun[id(source)]) if id(source) in begun else [source]


def _joined_documents(sources: Sequence[FileSource]) -> Sequence[FileSource]:
    """The files, documents that are rows of tables which belong together as one of them."""
    documents = [one for one in sources if one.path.suffix == ".json"]
    ids = {one.path.stem for one in documents}
    apart = any(one.path.parent.name in ids for one in documents)
    if not apart or sum(one.size for one in documents) > _MOST_BYTES_OF_LINES:
        return sources
    read: dict[str, list[Row]] = {}
    of: dict[str, str] = {}
    for one in documents:
        row = _document(one)
        if row.get("id") == one.path.stem:
            folder = next(above.name for above in one.path.parents if above.name not in ids)
            read.setdefault(folder, []).append(row)
            of[one.name] = folder
    return _as_one_export(sources, read, of)


def _document(source: FileSource) -> Row:
    try:
        with source.opened() as stream:
            value = load_json(stream.read())
    except (IngestError, OSError):
        return {}  # said where the file is read
    return plain_row(value) if isinstance(value, dict) else {}


def _as_one_export(
    sources: Sequence[FileSource], read: Tables, of: Mapping[str, str]
) -> Sequence[FileSource]:
    """The files, those of tables that belong together as the first of what was said; `of` names the table that a file is of."""
    told, said, used = rows_together(read)
    by = grouping_of(told) if told else ""
    if not isinstance(by, Grouping):
        return sources
    first = next(one.name for one in sources if of.get(one.name) == said)

    def lines() -> Iterator[bytes]:
        return (json_bytes(one) + b"\n" for one in conversations(told, by))

    return [
        replace(one, lines=lines) if one.name == first else one
        for one in sources
        if one.name == first or of.get(one.name) not in {*used, said}
    ]


def _joined_tables(sources: list[FileSource]) -> list[FileSource]:
    """The tables of one folder, those that belong together as one of them."""
    is_text = sources[0].path.suffix.lower() in _TEXTS
    most, files = (MOST_BYTES, len(sources)) if is_text else (_MOST_BYTES_OF_LINES, _MOST_LISTS)
    size = sum(one.size for one in sources)
    if len(sources) < 2 or len(sources) > files or size > most:
        return sources
    table = text_table if is_text else lines_table
    try:
        if not (is_text or any(map(_are_messages, sources))):
            return sources
        read = {one.name: list(table(one).loose_rows()) for one in sources}
    except (TableError, IngestError, OSError):
        return sources  # each is refused for itself, with its reason
    return [*_as_one_export(sources, read, {name: name for name in read})]


def _are_messages(source: FileSource) -> bool:
    """Whether the lines of a file are messages, which mean nothing one by one."""
    rows = list(islice(lines_table(source).rows(), _LOOKED_AT))
    is_said = speaker_in(rows, _keys(rows)) is not None and not _SAID.isdisjoint(_keys(rows))
    return is_said and all(format_within(one) in (None, message_lines.FORMAT) for one in rows)


def rows_together(read: Tables) -> tuple[list[Row], str, set[str]]:
    """What was said and done as rows of one table, the table of what was said, and the others that are in it; nothing where that says it all."""
    tables, parts = _with_parts({name: _renamed(rows) for name, rows in read.items() if rows})
    said = [
        n
        for n, rows in tables.items()
        if speaker_in(rows, _keys(rows)) and not _SAID.isdisjoint(_keys(rows))
    ]
    told, used = _rows_with(tables, said[0], parts) if len(said) == 1 else ([], set())
    return told, "".join(said[:1]), used


def _with_parts(tables: Tables) -> tuple[Tables, set[str]]:
    """The tables, rows that say who speaks with what another table says of each, part by part; and that table's name."""
    for name, rows in tables.items():
        if speaker_in(rows, _keys(rows)) is None or not _SAID.isdisjoint(_keys(rows)):
            continue
        for other in tables.keys() - {name}:
            if (link := _link(tables, other, name)) is not None:
                parts: dict[str, list[Row]] = {}
                for part in tables[other]:
                    parts.setdefault(str(part[link]), []).append(part)
                whole = [{**row, "parts": parts.get(str(row.get("id")), [])} for row in rows]
                rest = {key: one for key, one in tables.items() if key != other}
                return {**rest, name: whole}, {other}
    return tables, set()


def _renamed(rows: Sequence[Row]) -> list[Row]:
    names = names_of(rows)
    told = [renamed(row, names) for row in rows]
    return told[::-1] if _begins_with_newest(told) else told


def _begins_with_newest(rows: Sequence[Row]) -> bool:
    """Whether a table shows each conversation from its end: rows of one second stand backwards, too."""
    name, time = next(filter(is_about, _keys(rows)), None), time_in(rows, _keys(rows))
    if name is None or time is None:
        return False
    last: dict[str, int] = {}
    falls: list[int] = []
    for row in rows:
        told, at = str(row.get(name)), moment(row[time]) or 0
        falls.append(last.get(told, at) - at)
        last[told] = at
    return min(falls, default=-1) >= 0 < max(falls)


def _keys(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(key for row in rows for key in row))


def _rows_with(tables: Tables, own: str, parts: set[str]) -> tuple[list[Row], set[str]]:
    """What was said and done, each row with its conversation, and the other tables that say so; nothing where the messages' own table says it all."""
    rows = tables[own]
    names = _conversations(tables, own, frozenset())
    speaker, time = speaker_in(rows, _keys(rows)), time_in(rows, _keys(rows))
    if names is None or speaker is None:
        return [], set()
    used = {other for other in tables if other != own and _names_each(tables, other, own)}
    told = _with_calls(tables, own, used)
    told = [{**row, _NAMED: name} for row, name in zip(told, names, strict=True)]
    for other, those in tables.items():
        if other in used:
            continue
        of = _conversations(tables, other, frozenset()) if other != own else None
        done = list(_calls(those)) if of and set(of) <= {*names} else []
        at = time_in([those[number] for number, _ in done], _keys(those)) if done else None
        if of and at is not None and time is not None:
            used.add(other)
            told += [
                {**call, _NAMED: of[n], time: those[n][at], speaker: _CALL} for n, call in done
            ]
    tied = _tie(tables, told, {own, *used})
    if not (used or tied or parts) and any(map(is_about, _keys(rows))):
        return [], set()
    between = {n for n in tables if {*(_conversations(tables, n, frozenset()) or [""])} <= {*names}}
    return told, used | between | tied | parts


def _names_each(tables: Tables, name: str, own: str) -> bool:
    """Whether the rows of a table are calls without times of their own, and each names the agent's message that made it."""
    rows, those, link = tables[name], tables[own], _link(tables, name, own)
    if link is None or not any(_calls(rows)) or time_in(rows, _keys(rows)) is not None:
        return False
    named, speaker = {str(row[link]) for row in rows}, speaker_in(those, _keys(those)) or ""
    return {role_of(str(row.get(speaker))) for row in those if str(row.get("id")) in named} == {
        "assistant"
    }


def _with_calls(tables: Tables, own: str, others: set[str]) -> list[Row]:
    """The messages, each with the calls that name it, in the order of their ids where these are counted."""
    made: dict[str, list[Row]] = {}
    for name in sorted(others):
        link, place = _link(tables, name, own) or "", itemgetter("id")
        counted = all(isinstance(row.get("id"), int) for row in tables[name])
        rows = sorted(tables[name], key=place) if counted else tables[name]
        for number, call in _calls(rows):
            made.setdefault(str(rows[number][link]), []).append(call)
    calls = (made.get(str(row.get("id"))) for row in tables[own])
    return [
        row | ({"tool_calls": one} if one else {})
        for row, one in zip(tables[own], calls, strict=True)
    ]


def _link(tables: Tables, name: str, other: str) -> str | None:
    """The column in which each row of a table names a row of another."""
    rows, those = tables[name], tables[other]
    ids = {str(row.get("id")): number for number, row in enumerate(those)}
    whole = (key for key in _keys(rows) if key != "id" and all(key in row for row in rows))
    found = (key for key in whole if _links(rows, key, ids, other))
    return next(found, None) if len(ids) == len(those) else None


def _conversations(tables: Tables, name: str, below: frozenset[str]) -> list[str] | None:
    """The conversation of each row of a table: in a column of its own, or of the row of another table that a column names."""
    rows = tables[name]
    whole = [key for key in _keys(rows) if all(key in row for row in rows)]
    own = next(filter(is_about, whole), None)
    if own is not None:
        return [str(row[own]) for row in rows]
    for other, those in tables.items():
        link = _link(tables, name, other) if other not in {name, *below} else None
        above = _conversations(tables, other, below | {name}) if link is not None else None
        if link is not None and above is not None:
            ids = {str(row.get("id")): number for number, row in enumerate(those)}
            return [above[ids[str(row[link])]] for row in rows]
    return None


def _links(rows: Sequence[Row], key: str, ids: Mapping[str, int], other: str) -> bool:
    """Whether a column names rows of another table; ids that are counted say so only by the column's name."""
    told = {str(row[key]) for row in rows}
    is_named = key == f"{snake_case(Path(other).stem).removesuffix('s')}_id"
    return told <= ids.keys() and (is_named or not all(map(str.isdecimal, told)))


def _calls(rows: Sequence[Row]) -> Iterator[tuple[int, Row]]:
    """The rows of a table that are calls, each as a call with its result; where a column tells kinds of rows apart, those of one that does something."""
    kinds = [key for key in _keys(rows) if key.endswith(("type", "kind"))]
    words = [
        {word for key in kinds for word in snake_case(str(row.get(key))).split("_")} for row in rows
    ]
    apart = any(_DOING & one for one in words)
    for number, row in enumerate(rows):
        for one in _calls_listed_in(row) if not apart or _DOING & words[number] else ():
            call = call_of(one)
            failed = next((value for key, value in one.items() if key.startswith("error")), None)
            result = next((one[key] for key in RESULTS if one.get(key) is not None), failed)
            function = call["function"] if call is not None else {}
            made = {"tool_name": function.get("name"), "arguments": function.get("arguments")}
            told = {key: one[key] for key in ("status",) if key in one}
            if call is not None:
                yield number, made if result is None else {**made, **told, "result": result}


def _calls_listed_in(row: Row) -> list[Row]:
    """The calls that an object of a row lists, each with what stands in its function; else the row."""
    lists = (one.get(k) for one in row.values() if isinstance(one, dict) for k in CALL_LISTS)
    calls = objects_in(next((one for one in lists if isinstance(one, list)), None))
    inner = [one.get("function") for one in calls]
    return [
        {**one, **(f if isinstance(f, dict) else {})} for one, f in zip(calls, inner, strict=True)
    ] or [row]


def _tie(tables: Tables, told: Sequence[Row], used: set[str]) -> set[str]:
    """Put the row that another table has for a conversation beside its rows, and all of its verdicts; returns the tables whose rows these are."""
    alike = {str(row[_NAMED]): str(row[_NAMED]) for row in told}
    tied: set[str] = set()
    for other, rows in [pair for pair in tables.items() if pair[0] not in used] * 2:
        word = snake_case(Path(other).stem).removesuffix("s")
        judges = not _JUDGING.isdisjoint(word.split("_"))
        for key in _keys(rows) if other not in tied else ():
            # A row that names nothing there is about none of them: a ticket of a call by phone.
            those = [row for row in rows if key in row]
            names = [alike.get(str(row[key]), "") for row in those]
            # A verdict may name a message.
            judges = judges and len(those) == len(rows)
            linked = _conversations(tables, other, frozenset()) if judges and "" in names else None
            linked = [alike.get(one, "") for one in linked or ()]
            names = linked if linked and all(linked) else names
            # Counted ids are the same in all tables: the column, or the table, has to say whose they are.
            is_named = names is linked or is_about(f"{word}_id" if key == "id" else key)
            if "" in names or not (is_named or not all(str(row[key]).isdecimal() for row in those)):
                continue
            beside: dict[str, list[Row]] = {}
            for name, row in zip(names, those, strict=True):
                beside.setdefault(name, []).append({_FIGURES.get(k, k): v for k, v in row.items()})
            if len(beside) < len(those) and word not in VERDICTS:
                beside = {name: [_prompt_in(several)] for name, several in beside.items()}
            if not all(map(all, beside.values())):
                continue
            for row in told:
                of = beside.get(row[_NAMED], [])
                row |= {word: of if of[1:] else of[0]} if of else {}  # noqa: PLW2901 - the row itself
            for one in (key for key in _keys(those) if key.endswith("id")):
                own = {str(row.get(one)): name for row, name in zip(those, names, strict=True)}
                alike |= own if len(own) == len(those) and "None" not in own else {}
            tied.add(other)
            break
    return tied


def _prompt_in(rows: Sequence[Row]) -> Row:
    """The prompt and the tools of an agent's runs, where all have the same; an agent's own `instructions` are its prompt."""
    told = {key: one for key, one in rows[0].items() if key in {"instructions", "tools"}}
    same = len(told) == 2 and all(row.get(key) == one for key, one in told.items() for row in rows)
    return {"system_prompt": told["instructions"], "tools": told["tools"]} if same else {}
