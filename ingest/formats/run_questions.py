"""What runs were asked, where their own files do not say it: a file beside them lists questions by their ids.

Comes in: the names of conversations in which no user speaks, and what files without conversations hold. Goes out: the one question that a
conversation's names lead to. A row that judges holds a judge's prompt as likely as the question, and is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from ingest.formats.records.fields import QUESTION, Fields
from ingest.formats.run_verdicts import names_in, verdicts_of
from ingest.records.text import Json

_DEEPEST: Final = 4
_SENTENCE: Final = 3
"""Words from which a text may be a question, and is no id."""


class Questions:
    """Questions of the runs of one call, as its files are read."""

    def __init__(self, wanted: Collection[str]) -> None:
        """`wanted` are the names of the conversations that lack one."""
        self._wanted = wanted
        self._told: dict[str, dict[str, str]] = {}

    def add(self, file: str, values: Iterable[Json], text: str) -> None:
        """Take in rows of objects, or lines of an id, a tab and a question."""
        lines = (tuple(line.split("\t")) for line in text.splitlines() if line.count("\t") == 1)
        rows = (pair for value in values for pair in _asked_in(value, "", 0))
        for name, asked in (*rows, *lines):
            if name in self._wanted and len(asked.split()) >= _SENTENCE:
                self._told.setdefault(name, {})[asked.strip()] = file

    def of(self, names: Iterable[str]) -> tuple[str, str] | None:
        """The question of a conversation that goes by these names, and its file; None where there are several or none."""
        found = [pair for name in names for pair in self._told.get(name, {}).items()]
        return found[0] if len({asked for asked, _ in found}) == 1 else None


def _asked_in(value: Json, key: str, deep: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and deep < _DEEPEST:
        for one in value:
            yield from _asked_in(one, "", deep + 1)
    if not isinstance(value, dict) or deep >= _DEEPEST:
        return
    own = {k: one for k, one in value.items() if not isinstance(one, dict | list)}
    asked = Fields(own).words(QUESTION)
    if asked is not None and not verdicts_of(value):
        yield from ((name, asked) for name in filter(None, (key, *names_in(value))))
    for below, one in value.items():
        yield from _asked_in(one, str(below), deep + 1)
