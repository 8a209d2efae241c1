"""What runs were asked, where their own files do not say it: a file beside them lists questions by their ids, paths are called by tasks.

Comes in: the names of conversations in which no user speaks, or a template for the user, and what files without conversations hold. Goes out: the one question that a
conversation's names lead to. A row that judges holds a judge's prompt as likely as the question, and is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from ingest.files.file_facts import stem_of
from ingest.formats.records.fields import QUESTION, Fields
from ingest.formats.records.words import NAMES, snake_case
from ingest.formats.run_verdicts import TASKS, Parts, Run, names_in, verdicts_of
from ingest.records.text import Json

_TASK: Final = re.compile(r"task(?=[-_ A-Z0-9]).+")
"""A folder that says itself that it is a task's."""
_ATTEMPT: Final = re.compile(rf"(?i)(?:{'|'.join(NAMES['trial'])})[-_. ]?\d+(?!\d)")
_NUMBER: Final = re.compile(r"(?<=\d)[_@]")
"""Where a file's name goes on behind its first number: `38410_first_try`."""
_ANNOUNCED: Final = re.compile(r"(?:\A|\n)[^\n]{1,60}:[ \t]*\n+\Z|\n\w[\w ]{0,20}:[ \t]+\Z")
_APART: Final = re.compile(r"[ \t]*(?:\n|\Z)")
_LONGEST_LABEL: Final = 80
_DEEPEST: Final = 4
_SEVERAL: Final = 3
_SENTENCE: Final = 3
"""Words from which a text may be a question, and is no id."""


def template_around(text: str, question: str) -> str | None:
    """What a template says around a question: a line before it, or a label, announces it, and what follows begins a line; None of any other text."""
    before, asked, behind = text.partition(question)
    wraps = _ANNOUNCED.search(before[-_LONGEST_LABEL:]) and _APART.match(behind)
    return f"{before}{behind}".strip() if asked and wraps else None


def tasks_in_paths(runs: Sequence[tuple[Parts, str]]) -> dict[int, str]:
    """The tasks of runs, by their places, whose files or folders are called by them: three names or more, each in two folders or in two attempts' or more, with the same first words of a user; folders that begin with that word, or lie in one of tasks, are these without a second attempt.

    A name under which different things were asked (`chat.json` in every folder) is no task's, and then neither are the others.
    """
    own: dict[int, str] = {}
    asked: set[tuple[str, str]] = set()
    for number, (path, words) in enumerate(runs):
        for place, (above, one) in enumerate(pairwise(("", *path[:-1])), start=1):
            if above in TASKS or _TASK.fullmatch(one):
                own[number] = one
                asked |= {(one, "/".join(path[place:]) if above in TASKS else words)}
    if len(own) == len(runs) and _SEVERAL <= len({*own.values()}) == len(asked):
        return own
    for last, called in (
        (-1, stem_of),
        (-2, stem_of),
        (-3, stem_of),
        (-1, lambda name: _NUMBER.split(name)[0]),
    ):
        places: dict[str, dict[Parts, int]] = {}
        for number, (path, _) in enumerate(runs):
            if len(path) >= -last:
                tries = [one for one in path[last:][1:] if _ATTEMPT.match(one)]
                folder = (*path[:last], *tries)
                places.setdefault(called(path[last]), {}).setdefault(folder, number)
        several = {name: [*at.values()] for name, at in places.items() if len(at) > 1}
        alike = all(len({runs[n][1] for n in at}) == 1 for at in several.values())
        found = {n: name for name, at in several.items() for n in at}
        if alike and len(several) >= _SEVERAL and 2 * len(found) > len(runs):
            return found
    return {}


def tasks_beside(runs: Sequence[Parts], said: Iterable[tuple[Parts, str]]) -> dict[int, str]:
    """The tasks of runs, by their places, that documents name in a folder that holds one run."""
    below: dict[Parts, set[int]] = {}
    for number, path in enumerate(runs):
        for folder in (path[:end] for end in range(1, len(path) + 1)):
            below.setdefault(folder, set()).add(number)
    told: dict[int, set[str]] = {}
    for path, name in said:
        for number in below.get(path[:-1], ()) if len(below.get(path[:-1], ())) == 1 else ():
            told.setdefault(number, set()).add(name)
    return {number: names.pop() for number, names in told.items() if len(names) == 1}


class Questions:
    """Questions of the runs of one call, as its files are read."""

    def __init__(self, wanted: set[str]) -> None:
        """`wanted` are the names of the conversations that lack one."""
        self._wanted = wanted
        self._told: dict[str, dict[str, str]] = {}
        self._perhaps: dict[str, dict[str, str]] = {}

    @staticmethod
    def names_of(run: Run, *, is_said: bool = False) -> Parts:
        """The names under which a question may stand: the run's own, its file's, and its folder's, or the one's above that of an attempt; of what its own prompt says (`is_said`) also both."""
        tries = bool(run.path[1:]) and _ATTEMPT.match(run.path[-2]) is not None
        first, end = (-3, -1) if is_said else (-2 - tries, -1 - tries)
        return (*run.names, stem_of(run.path[-1]), *run.path[first:end])

    def add(self, file: str, values: Sequence[Json], text: str) -> None:
        """Take in rows of objects, the document of a folder, or lines of an id, a tab and a question."""
        lines = (line.partition("\t") for line in text.splitlines() if line.count("\t") == 1)
        values = values if self._wanted else ()
        folder = PurePosixPath(file).parent.name if len(values) == 1 else ""
        rows = (pair for value in values for pair in self._asked_in(value, folder, 0))
        for name, asked, is_sure in (*rows, *((name, asked, True) for name, _, asked in lines)):
            if name in self._wanted and len(asked.split()) >= _SENTENCE:
                told = self._told if is_sure else self._perhaps
                told.setdefault(name, {})[asked.strip()] = file

    def question_of(
        self, names: Iterable[str], *, is_said: bool = False
    ) -> tuple[str, str, str] | None:
        """The question of a conversation that goes by these names, its file, and the name that led there; None where there are several or none.

        Of what the conversation's own prompt says (`is_said`), a row that judges, or a document of a folder, may tell that it is the question.
        """
        places = (self._told, self._perhaps) if is_said else (self._told,)
        found = [(*pair, n) for n in names for one in places for pair in one.get(n, {}).items()]
        return found[0] if len({asked for asked, _, _ in found}) == 1 else None

    def _asked_in(self, value: Json, key: str, deep: int) -> Iterator[tuple[str, str, bool]]:
        row = value if isinstance(value, dict) else {}
        items = [("", one) for one in value] if isinstance(value, list) else [*row.items()]
        for name, one in items if deep < _DEEPEST else ():
            yield from self._asked_in(one, str(name), deep + 1)
        named = {key, *names_in(row)} & self._wanted
        if named:
            own = {k: one for k, one in row.items() if not isinstance(one, dict | list)}
            ends = (one for k, one in own.items() if snake_case(k).rpartition("_")[2] in QUESTION)
            asked = Fields(own).words(QUESTION) or next(filter(str.split, map(str, ends)), None)
            is_sure = not verdicts_of(row)
            known = {*names_in(row), key if deep else ""}
            yield from ((n, asked, is_sure and n in known) for n in named if asked is not None)
