"""Records in plain text: CSV, Markdown and HTML tables, XML, and lines of a label and its value.

In: the text of a result that is no JSON. Out: one object per row or block, its keys the column headings or labels, so
that its values are judged by key like those of JSON. Text without such structure gives nothing. Judges no value.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from redact.bounds import LONGEST_TABLE, PARTS, SEVERAL, STEM
from redact.lists.word_lists import word_list
from redact.readers.fields import fields_in
from redact.readers.printed_objects import printed_in
from redact.values.scripts import SIGNS
from redact.values.shapes import digit_count, is_phone, letter_count

_LABEL: Final = re.compile(rf"[^\W\d_](?:[\w{SIGNS}'\u2019./#() -]{{0,38}}[\w{SIGNS}.)#])?")
_LINE: Final = re.compile(
    r"\W{0,6}?([^\W\d_][^:=|\n]{0,40}?)\W{0,3}?\s?(?:[:=\uff1a]|(?<=\s)\|(?=\s))(?:\*\*|__)?\s*(\S.*)"
)
_ELEMENT: Final = re.compile(r"<([^\W\d_][\w:.-]*)(?:\s[^<>]*)?>([^<>]+)</\1\s*>")
_ATTRIBUTE: Final = re.compile(r"(?<=\s)([^\W\d_][\w:.-]*)\s*=\s*\"([^\"<>]*)\"(?=[^<>]*>)")
_SHOWN: Final = re.compile(r"<([^\W\d_][\w:.-]*)(?:\s[^<>]*)?>([^<>]+)")
"""What stands after an opening mark, closed or not."""
_TERM: Final = re.compile(
    r"<(?:dt|th)\b[^>]*>([^<>]{1,60})</(?:dt|th)\s*>\s*<(?:dd|td)\b[^>]*>([^<>]*)</(?:dd|td)\s*>",
    re.IGNORECASE,
)
"""A term and what it says: `<dt>Cell</dt><dd>555</dd>`."""
_ENDS: Final = " :\uff1a*"
_UNNAMED: Final = "~"
"""How the place of a field begins that has no label (`redact.readers.fields`)."""
_ROW: Final = re.compile(r"<tr\b[^>]*>(.*?)</tr\s*>", re.DOTALL | re.IGNORECASE)
_CELL: Final = re.compile(r"<t[dh]\b[^>]*>\s*(?:<(?:b|strong|i|em)>)?([^<>]*)", re.IGNORECASE)
_LAYOUT: Final = word_list("layout")
"""Names of markup that say how a text looks and not what it is."""
_RULE: Final = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")
_DELIMITERS: Final = "\t;,"
_MARKS: Final = "*_` "
_BOXES: Final = {ord("│"): "|", ord("┃"): "|", ord("║"): "|"} | dict.fromkeys(
    map(ord, "─━═┼╪┬┴├┤"), "-"
)
"""Lines of drawn tables."""


def is_label(text: str) -> bool:
    """Say whether a text can be what a value is called: a few words without numbers or the end of a sentence."""
    return (
        _LABEL.fullmatch(text) is not None
        and len(text.split()) <= STEM
        and sum(map(str.isdigit, text)) <= SEVERAL
    )


def form_of(value: str) -> str:
    """Return the coarse form of a value: one column holds one or two of them."""
    if is_phone(value):
        return "phone"
    if "@" in value:
        return "email"
    digits, letters = digit_count(value), letter_count(value)
    if not digits:
        return "words" if " " in value.strip() else "word"
    return "number" if not letters else "mixed"


def records_in(text: str, *, fields: bool = False) -> list[object]:
    """Return the rows of the tables of a text, its blocks of labelled lines and, where asked, its other fields, as objects."""
    if len(text) > LONGEST_TABLE:
        return []
    if "</" in text or "/>" in text:
        return _marked_up(text, fields=fields)
    text = text.translate(_BOXES)
    found, text = printed_in(text) if fields else ([], text)
    rest: list[str] = []
    for block in re.split(r"\n\s*\n", text) if "\n" in text or ";" in text else [text]:
        lines = [line for line in block.splitlines() if line.strip()]
        records: list[dict[str, str]] = _table(lines)
        if records:
            found += _whole_rows(records)
            continue
        labelled, others = _read_labelled(lines) if len(lines) > 1 or ";" in text else ([], lines)
        found += labelled
        rest += others
    placed = fields_in("\n".join(rest)) if rest and fields else {}
    return [*found, placed] if placed else found


def _marked_up(text: str, *, fields: bool) -> list[object]:
    """Return what elements and attributes say as one object, and the rows of HTML tables by their headings.

    `fields`: what stands in marks of layout too, at places without a label.
    """
    marked = [row for row in _ROW.findall(text) if "<t" in row]
    rows = [[cell.strip() for cell in _CELL.findall(row)] for row in marked]
    found: list[object] = []
    # A row of one heading and its cell is a label with its value: of such the first is no row of headings.
    if len(rows) >= SEVERAL and not _TERM.search(marked[0]) and _are_heads(rows[0]):
        heads = rows[0]
        found += _whole_rows(
            [dict(zip(heads, row, strict=True)) for row in rows[1:] if len(row) == len(heads)]
        )
        text = _ROW.sub(" ", text)
    record: dict[str, list[str]] = {}
    for label, value in _TERM.findall(text):
        if is_label(label.strip(_ENDS)) and value.strip():
            record.setdefault(label.strip(_ENDS), []).append(value.strip())
    text = _TERM.sub("<p></p>", text)
    for name, value in (*_ELEMENT.findall(text), *_ATTRIBUTE.findall(text)):
        if value.strip() and name.casefold() not in _LAYOUT:
            record.setdefault(name, []).append(value.strip())
    for name, value in _SHOWN.findall(text) if fields else ():
        if value.strip() and name.casefold() in _LAYOUT:
            label = _LINE.fullmatch(value.strip())
            told = label is not None and is_label(label[1])
            place, part = (
                (label[1], label[2]) if label and told else (f"{_UNNAMED}{name.casefold()}", value)
            )
            record.setdefault(place, []).append(part.strip())
    return [*found, record] if record else found


def _are_heads(row: Sequence[str]) -> bool:
    return all(map(is_label, row)) and len(set(row)) == len(row)


def _whole_rows(records: Sequence[dict[str, str]]) -> list[object]:
    """Return the rows of a table each for itself; of two columns all in one list, as one may hold the labels of the other."""
    pairs = len(records) > 1 and len(records[0]) == SEVERAL
    return [list(records)] if pairs else list(records)


def _table(lines: list[str]) -> list[dict[str, str]]:
    """Return the rows of the table that a block is, at most one line of prose before it."""
    for start in range(min(2, max(0, len(lines) - 1))):
        for cells in _split(lines[start:]):
            heads = [cell.strip(_MARKS) for cell in cells[0]]
            if len(set(heads)) == len(heads) and all(map(is_label, heads)):
                if _are_labelled(cells[1:]):
                    return [{row[-2].strip(_MARKS): row[-1].strip(_MARKS)} for row in cells[1:]]
                return [
                    {head: cell.strip(_MARKS) for head, cell in zip(heads, row, strict=True)}
                    for row in cells[1:]
                ]
    return []


def _are_labelled(rows: list[list[str]]) -> bool:
    """Say whether each row is a running number, a label and its value: no two labels alike, values of several forms."""
    numbers = [row[0].strip(_MARKS) for row in rows]
    labels = [row[-2].strip(_MARKS) for row in rows]
    if len(rows[0]) != PARTS or len({*labels}) < len(rows) or not all(map(is_label, labels)):
        return False
    running = all(map(str.isdecimal, numbers)) and [*map(int, numbers)] == [
        *range(1, len(rows) + 1)
    ]
    return running and len({form_of(row[-1]) for row in rows}) >= SEVERAL


def _split(lines: list[str]) -> Iterator[list[list[str]]]:
    """Yield the cells of all lines for each way to cut them that gives equally many, the headings first."""
    if "|" in lines[0]:
        piped = list(takewhile(lambda line: "|" in line or _RULE.fullmatch(line), lines))
        rows = [line.strip().strip("|").split("|") for line in piped if not _RULE.fullmatch(line)]
        if len(rows) == len(piped) and len(rows[0]) == PARTS - 1:
            return  # labels and values: no heading is underlined
        if len(rows) >= SEVERAL and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            yield rows
        return
    for delimiter in _DELIMITERS:
        if delimiter not in lines[0]:
            continue
        try:
            rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True))
        except csv.Error:
            continue
        wide = PARTS if delimiter == "," else PARTS - 1
        if delimiter == ",":
            rows = _last_joined(rows)
        if len(rows) >= SEVERAL and len(rows[0]) >= wide and len({len(row) for row in rows}) == 1:
            yield rows


def _last_joined(rows: list[list[str]]) -> list[list[str]]:
    """Return rows with what is over as part of their last cell: remarks have commas that nobody put in quotes."""
    size = len(rows[0])
    if size < PARTS or len(rows) < SEVERAL or any(len(row) < size for row in rows):
        return rows
    return [[*row[: size - 1], ", ".join(row[size - 1 :])] for row in rows]


def _read_labelled(lines: list[str]) -> tuple[list[dict[str, list[str]]], list[str]]:
    """Return the one object of a block in which at least two lines, or parts between semicolons, are labelled, and the other lines."""
    record: dict[str, list[str]] = {}
    others: list[str] = []
    for line in lines:
        parts = line.split("; ")
        told = [(found, part) for part in parts if (found := _LINE.match(part))]
        read = [found for found, _ in told if is_label(found[1].strip(_MARKS))]
        for found in read:
            record.setdefault(found[1].strip(_MARKS), []).append(found[2].strip(_MARKS))
        if not read:
            others.append(line)
    return ([record], others) if len(record) >= SEVERAL else ([], lines)
