"""How runs went, as files beside them say it: in a row, under a run's name, in a list of those that went well or badly, in a text.

Comes in: the conversations of one call of `ingest` with their paths, and what its other files hold. Goes out: outcomes, each for the one
conversation that goes by a name, lies under it, or lies beside the file; what fits several stays out, but for the right answer to what several tried.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ingest.files.file_facts import stem_of
from ingest.formats.records.fields import AGENT, APP, MODEL, TASK, TRIAL, USER, Fields
from ingest.formats.records.naming import naming_of
from ingest.formats.records.verdicts import (
    VERDICTS,
    RawVerdict,
    outcome_of,
    outcomes_of,
    right_answer_of,
)
from ingest.formats.records.words import NAMES, snake_case
from ingest.formats.verdict_rows import name_of_verdict, verdicts_in
from ingest.records.outcome_words import good_or_bad, is_measure, means_good
from ingest.records.text import Json, canonical, load_json, objects_in

_NAMING: Final = frozenset(NAMES["names_of_runs"])
_NOT_NAMING: Final = frozenset((*MODEL, *AGENT, *APP, *USER))
TASKS: Final = {"task", "tasks", "scenario", "scenarios"}
_RESULTS: Final = frozenset(NAMES["names_of_results"])
_DEEPEST: Final = 8
_TESTS: Final = re.compile(r"\W*(?:all )?tests? (passed|failed)\W*", re.IGNORECASE)
_LAST_LINES: Final = 20
_NUMBER: Final = re.compile(r"\d[^_@]*(?=[_@])")
_NAMED: Final = re.compile(r"(?:task|case|run)(?=[-_ A-Z0-9])[-_ ]?(?=.*[A-Za-z])(.+)")
_STAMPED: Final = re.compile(r"(\D.*?)[-_.]\d{4}-\d\d-\d\d(?:[-_T ].*)?")
"""A folder that is called by what was tried, and when."""
_OF_ATTEMPT: Final = re.compile(rf"({'|'.join(sorted(TRIAL))})_?(\d{{1,4}})_(\w+)")
_JUDGED: Final = "predicted_label"
"""What a judge says of a run in a row of its own; elsewhere it may be a class of anything."""
_ANY_FIRST_WORD: Final = "*_"
"""What stands for the first word of a file's name: `eval_boats` judges `run_boats` where no run is called `eval_boats`."""
_RECORDED: Final = "business_record"
_BAD: Final[RawVerdict] = {"name": "success", "by": "unknown", "value": 0.0}
Parts = tuple[str, ...]
Statement = tuple[str, set[int], set[str], Sequence[RawVerdict]]
"""A name, the conversations that go by it, the words beside it, and what is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A conversation by what a file elsewhere may call it."""

    app: str
    episode_id: str
    path: Parts
    names: Parts
    verdicts: frozenset[str] = frozenset()
    """Under which names its own file says how it went."""


class Verdicts:
    """Verdicts on the conversations of one call, as its files are read."""

    def __init__(self, runs: Sequence[Run], others: Collection[Parts] = ()) -> None:
        """`others` are the paths of the files in which no conversation was found."""
        self._runs = [*_once_each(runs)]
        self._others = others
        self._words = [{*run.names, *run.path, *_names_of_file(run.path)} for run in self._runs]
        self._by_name: dict[str, set[int]] = {}
        for place, words in enumerate(self._words):
            for word in words:
                self._by_name.setdefault(word, set()).add(place)
        self._found: dict[int, dict[tuple[int, int], list[tuple[str, RawVerdict]]]] = {}
        self._right: dict[int, tuple[str, RawVerdict]] = {}
        self._doubtful: list[tuple[str, str, set[int]]] = []

    def add(self, file: str, path: Parts, values: Sequence[Json]) -> None:
        """Take in what a file's values say; trees of one shape belong together, so that only the nearest conversations are meant."""
        values = [part for value in values for part in _by_attempt(value)]
        # A file that holds one value may be called as the run is that it tells of.
        own = stem_of(path[-1]) if len(values) == 1 else ""
        rest = own.partition("_")[2]
        # A number alone names nothing: `gpu_2` does not judge `run_2`.
        names = (own, rest, _ANY_FIRST_WORD + rest) if rest and not rest.isdecimal() else (own,)
        own = next(filter(self._find, names), own)
        told = [one for value in values for one in self._statements(value, own, "", set(), 0)]
        if _only_judges(values):
            told = [(n, fits, w, [*map(_business_record, said)]) for n, fits, w, said in told]
        shared = {n: self._nearness(n, path) for _, fits, _, _ in told for n in fits}
        bad: set[int] = set()
        for name, fits, words, outcomes in told:
            near = {n for n in fits if shared[n] == max(shared.values())}
            alike = {n: self._likeness(n, words, path[-1]) for n in near}
            near = {n for n in near if alike[n] == max(alike.values())}
            if len(near) > 1:
                self._doubtful.append((file, name, near))
            for place in near if len(near) == 1 else ():
                self._put(file, place, (2, shared[place][0]), outcomes)
                bad |= {place} if outcomes == [_BAD] else set()
        self._put_rest(file, path, values, bad)
        self._add_right_answers(file, path, values)
        if not told and len(values) == 1 and isinstance(values[0], dict):
            self._put_beside(file, path, 1, verdicts_of(values[0]))

    def tasks_in(self, values: Sequence[Json]) -> Iterator[tuple[str, str]]:
        """The runs that rows name, one each, with the tasks that these name beside them; all that a row of a list of tasks names."""
        rows = [one for value in values for one in (value if isinstance(value, list) else [value])]
        held = [pair for one in values if isinstance(one, dict) for pair in one.items()]
        lists = [(snake_case(str(key)), objects_in(listed)) for key, listed in held]
        of_tasks = (
            next(names_in(row), "")
            for key, listed in lists
            for row in (listed if TASKS & {*key.split("_")} else ())
        )
        for name in (one for one in of_tasks if not one.isdecimal()):
            yield from ((self._runs[n].episode_id, name) for n in self._find(name))
        for table in (objects_in(rows), *(listed for _, listed in lists)):
            yield from self._tasks_in_rows(table) if table[1:] else ()

    def tools_in(self, values: Sequence[Json]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The runs of the tasks that rows name, with the tools that these define."""
        rows = [one for value in values for one in (value if isinstance(value, list) else [value])]
        for row in objects_in(rows):
            tools = tuple(map(canonical, Fields(row).tools()))
            fits = [found for one in names_in(row) if tools and (found := self._find(one))]
            named = set.intersection(*fits) if fits else ()
            yield from ((self._runs[n].episode_id, tools) for n in named)

    def _tasks_in_rows(self, rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
        tried = _column_of_tasks(rows)
        for row in rows:
            naming = naming_of(Fields(row))
            task = naming.task or naming.about or naming.named or str(row.get(tried) or "")
            fits = [found for one in names_in(row) if one != task and (found := self._find(one))]
            named = set.intersection(*fits) if task and fits else set()
            # A row that names nothing else is about all runs that go by the task.
            is_of_run = bool(fits) or task != Fields(row).top_text(TASK) or task.isdecimal()
            named = named if is_of_run else self._find(task)
            if len(named) == 1 or not is_of_run:
                yield from ((self._runs[n].episode_id, task) for n in named)

    def _add_right_answers(self, file: str, path: Parts, values: Sequence[Json]) -> None:
        """Take in what rows say of a task that several runs tried: the answer there is nobody's own, so it is the right one."""
        rows = [one for value in values for one in (value if isinstance(value, list) else [value])]
        for row in (one for one in rows if isinstance(one, dict)):
            right = right_answer_of(Fields(row))
            fits = [found for one in names_in(row) if (found := self._find(one, in_row=True))]
            named = set.intersection(*fits) if right and fits else set()
            if right and len({self._nearness(n, path)[0] for n in named}) == 1 < len(named):
                for place in named:
                    self._right.setdefault(place, (file, right))

    def _put_rest(self, file: str, path: Parts, values: Sequence[Json], bad: set[int]) -> None:
        """Where a file counts all runs near it and names only those that failed, the others went well."""
        rows = [one for one in values if isinstance(one, dict) and "total_count" in one]
        good, total = (rows[0].get("correct_count"), rows[0]["total_count"]) if rows else (0, 0)
        near = {n: self._nearness(n, path) for n in range(len(self._runs))} if bad and rows else {}
        files = {self._runs[n].path for n in bad}
        in_file = [n for n in near if {self._runs[n].path} == files]
        nearest = [n for n, at in near.items() if at == max(near.values())]
        whole = next(({*one} for one in (in_file, nearest) if len({*one} | bad) == total), set())
        for place in whole - bad if len(whole - bad) == good else ():
            self._put(file, place, (2, near[place][0]), [{**_BAD, "value": 1.0}])

    def add_text(self, file: str, path: Parts, text: str) -> None:
        """Take in a text that is one figure under a verdict's name, a share under a result's, or whose last lines say that tests passed or failed."""
        name, figure = snake_case(stem_of(path[-1])), load_json(text.strip().lower().encode())
        is_share = (
            name in _RESULTS and "." in text and isinstance(figure, float) and 0 <= figure <= 1
        )
        told = (
            outcome_of("score" if is_share else name, figure)
            if is_share or name in VERDICTS
            else None
        )
        said = {
            hit[1].lower()
            for line in text.splitlines()[-_LAST_LINES:]
            if (hit := _TESTS.fullmatch(line))
        }
        if told is None and len(said) == 1:
            told = {"name": "passed", "by": "unknown", "value": float("passed" in said)}
        self._put_beside(file, path, 0, [told] if told else [])

    def outcomes(self) -> tuple[list[tuple[Run, RawVerdict]], dict[str, list[str]], set[str]]:
        """Outcomes by the surest and nearest file where nothing else judged; names of which two things are said or that fit several, by file; files used."""
        found: list[tuple[Run, RawVerdict]] = []
        used: set[str] = set()
        for place, by_rank in self._found.items():
            used.update(file for told in by_rank.values() for file, _ in told)
            by_name: dict[str, list[tuple[str, RawVerdict]]] = {}
            own = self._runs[place].verdicts
            for file, one in (pair for pair in by_rank[max(by_rank)] if _counts(pair[1], own)):
                by_name.setdefault(one["name"], []).append((file, one))
            said: dict[float | None, str] = {}
            for name, told in by_name.items():
                if len({(one.get("value"), one.get("label")) for _, one in told}) == 1:
                    file, one = told[0]
                    # What a second file says again is said once.
                    is_new = said.setdefault(one.get("value"), file) == file
                    if is_new or "label" in one or name in VERDICTS:
                        found.append((self._runs[place], one))
                else:
                    self._doubtful += [(file, name, {-1}) for file, _ in told]
        for place, (file, right) in self._right.items():
            used.add(file)
            if place not in self._found and not self._runs[place].verdicts:
                found.append((self._runs[place], right))
        unclear: dict[str, list[str]] = {}
        for file, name, places in self._doubtful:
            if not places <= self._found.keys():
                unclear.setdefault(file, []).append(name)
        return found, unclear, used

    def _nearness(self, place: int, path: Parts) -> tuple[int, int, int]:
        """How many folders from the top a conversation shares with a file, how many further names, and how much of a folder's name one of its own is (`a` of `a_result`)."""
        own = self._runs[place].path
        pairs = enumerate(zip(own[:-1], path[:-1], strict=False))
        above = next((n for n, (a, b) in pairs if a != b), min(len(own), len(path)) - 1)
        begun = (one for one in own[above:-1] if any(p.startswith(f"{one}_") for p in path[above:]))
        return above, len({*own[above:]} & {*path[above:]}), max(map(len, begun), default=0)

    def _likeness(self, place: int, words: set[str], file: str) -> tuple[int, int, int]:
        """How many words of a row a conversation goes by, and how much of a file's name its own file's is (`a.jsonl` of `a_scores.jsonl`), or has (`a_runs.csv` of `scored_a.csv`)."""
        stem = stem_of(self._runs[place].path[-1])
        both = {*stem.split("_")} & {*stem_of(file).split("_")}
        own = len(self._words[place] & words)
        return own, len(stem) * file.startswith(stem), sum(map(len, both))

    def _put(
        self, file: str, place: int, rank: tuple[int, int], told: Iterable[RawVerdict]
    ) -> None:
        self._found.setdefault(place, {}).setdefault(rank, []).extend((file, one) for one in told)

    def _put_beside(self, file: str, path: Parts, surely: int, told: list[RawVerdict]) -> None:
        """What a file says that names nothing is about the one conversation in its folder, or in the one above where there is none."""
        for folder in filter(None, (path[:-1], path[:-2])):
            below = [n for n, one in enumerate(self._runs) if one.path[: len(folder)] == folder]
            if below:
                # Beside a file that is called as a run's own stands the verdict on that one, which could not be read.
                own = (*path[:-1], self._runs[below[0]].path[-1])
                if len(below) == 1 and told and own not in self._others:
                    self._put(file, below[0], (surely, len(folder)), told)
                return

    def _find(self, name: str, *, in_row: bool = False) -> set[int]:
        """The conversations that go by a name, or lie under the part of a path that fewest lie under, the last of several; a key that all have is no name."""
        told: list[set[int]] = []
        for one in (name, *reversed(re.split(r"[/\\]", name))):
            found = self._by_name.get(one) or self._by_name.get(stem_of(one)) or set()
            tells = len(found) < len(self._runs) or len(self._runs) == 1
            if found and one is name and (tells or in_row):
                return found
            told += [found] if found and tells else []
        return min(told, key=len, default=set())

    def _statements(
        self, value: Json, key: str, above: str, words: set[str], deep: int
    ) -> Iterator[Statement]:
        told = said_of_all(key)
        for one in value if isinstance(value, list) and deep < _DEEPEST else ():
            if not isinstance(one, str):
                yield from self._statements(one, "", key, words, deep + 1)
            elif told and (found := self._find(one)):
                yield one, found, words, [told]
        for one in _not_among_good(value):
            if found := self._find(one):
                yield one, found, words, [{**_BAD, "name": "resolved"}]
        named = self._find(key) if key and not isinstance(value, list) else set()
        if isinstance(value, dict) and deep < _DEEPEST:
            words = words | _words_in(value) | {key}
            below = [
                s
                for k, v in value.items()
                for s in self._statements(v, str(k), key, words, deep + 1)
            ]
            yield from below or self._row(value, key, named, words)
        elif named and (plain := _bare_verdict(value, above)):
            yield key, named, words, [plain]

    def _row(
        self, row: dict[str, Any], key: str, named: set[int], words: set[str]
    ) -> Iterator[Statement]:
        """What an object says of the run that its key and its own fields name; all of these have to agree."""
        told = verdicts_of(row)
        names = [*names_in(row)] if told else []
        fits = [found for one in names if (found := self._find(one, in_row=True))] + (
            [named] if named else []
        )
        if told and fits:
            name = next((one for one in names if self._find(one, in_row=True)), key)
            yield name, set.intersection(*fits), words, told


def _once_each(runs: Iterable[Run]) -> Iterable[Run]:
    """The runs, a conversation that several files hold as one that goes by all of their names."""
    known: dict[tuple[str, str, Parts], Run] = {}
    for run in runs:
        # Who says the same without a name may be somebody else.
        key = run.app, run.episode_id, () if run.names else run.path
        one = known.setdefault(key, run)
        if one is not run:
            names = (*one.names, *run.names, *_names_of_file(run.path))
            known[key] = replace(one, names=names, verdicts=one.verdicts | run.verdicts)
    return known.values()


def _names_of_file(path: Parts) -> Iterator[str]:
    """A file's name without its suffixes, without its first word, and its beginnings that end in a number (`38410` of `38410_first_try`); a folder's without what it names (`Boats--0` of `taskBoats--0`)."""
    hits = (hit for one in path[:-1] if (hit := _NAMED.fullmatch(one) or _STAMPED.fullmatch(one)))
    yield from (hit[1] for hit in hits)
    yield stem_of(path[-1])
    yield _ANY_FIRST_WORD + (stem_of(path[-1]).partition("_")[2] or path[-1])
    yield from (path[-1][: number.end()] for number in _NUMBER.finditer(path[-1]))


def _not_among_good(value: Json) -> list[str]:
    """What an object's lists name where one of them says what went well, none what did not, and this is not among the first."""
    lists = value.items() if isinstance(value, dict) else ()
    named = {k: {one for one in v if isinstance(one, str)} for k, v in lists if isinstance(v, list)}
    told = {key: said["value"] for key in named if (said := said_of_all(key)) and named[key]}
    good = [named[key] for key in told]
    rest = set[str]().union(*named.values()) if [*told.values()] == [1.0] else set[str]()
    return sorted(rest.difference(*good))


def names_in(row: dict[str, Any]) -> Iterator[str]:
    """What a row may call its run: 7 under `task_id` is `task_7`, too."""
    for key, value in ((snake_case(key), value) for key, value in row.items()):
        is_name = isinstance(value, str) or (type(value) is int and key not in TRIAL)
        if is_name and key not in _NOT_NAMING and key.rpartition("_")[2] in _NAMING:
            yield str(value)
            yield f"{key.removesuffix('_id')}_{value}"


def _column_of_tasks(rows: Sequence[dict[str, Any]]) -> str:
    """The column of ids that come several times, each time with another attempt's number: what was tried; nothing where there is none."""
    trials = [Fields(row).top_text(TRIAL) for row in rows]
    for key in rows[0] if rows and None not in trials else ():
        ids = [str(row.get(key)) for row in rows]
        is_id = snake_case(key).rpartition("_")[2] in _NAMING and snake_case(key) not in TRIAL
        apart = {*zip(ids, trials, strict=True)}
        if (
            is_id
            and snake_case(key) not in _NOT_NAMING
            and 1 < len({*ids}) < len(ids) == len(apart)
        ):
            return key
    return ""


def _by_attempt(row: Json) -> list[Json]:
    """What a row says of several attempts, each in columns of its own (`Trial 0 Success`, `Trial 1 Success`), as rows with their numbers; else the row."""
    apart: dict[tuple[str, str], dict[str, Any]] = {}
    rest: dict[str, Any] = {}
    for key, value in row.items() if isinstance(row, dict) else ():
        found = _OF_ATTEMPT.fullmatch(snake_case(str(key)))
        own = apart.setdefault((found[1], found[2]), {}) if found else rest
        own[found[3] if found else key] = value
    return [{**rest, word: int(number), **own} for (word, number), own in apart.items()] or [row]


def _words_in(row: dict[str, Any]) -> set[str]:
    """The words of a row and its attempt's number: they tell runs of one name apart."""
    trials = [(snake_case(k), v) for k, v in row.items() if snake_case(k) in TRIAL]
    told = {form for k, v in trials for form in (str(v), f"{k}_{v}", f"{k}-{v}")}
    return told | {one for one in row.values() if isinstance(one, str) and not one.isdecimal()}


def verdicts_of(row: dict[str, Any]) -> list[RawVerdict]:
    """Verdicts under names that are known, and shares under names that measure: the whole before its parts."""
    if name_of_verdict(row) is not None:
        return verdicts_in(row)
    if (label := row.get(_JUDGED)) in (0, 1):
        return [{"name": _JUDGED, "by": "unknown", "value": float(label)}]
    found = {one["name"]: one for one in outcomes_of(Fields(row), answered=False)}
    for key, value in row.items():
        is_share = isinstance(value, bool) or (isinstance(value, float) and 0 <= value <= 1)
        if is_share and is_measure(key):
            one = {"name": snake_case(key), "by": "unknown", "value": float(value)}
            found.setdefault(one["name"], one)
    if not found and row.get("valid") is False:
        found["success"] = _BAD  # that a run is valid says less
    parts = {name for name in found if name.rpartition("_")[2] in found.keys() - {name}}
    return [one for name, one in found.items() if name not in parts and _is_verdict(one)]


def _only_judges(values: Sequence[Json]) -> bool:
    """Whether rows, two or more, hold nothing but names of runs and verdicts on them: a table of outcomes, and no report."""
    rows = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return len(rows) > 1 and all(isinstance(one, dict) and judges_alone(one) for one in rows)


def judges_alone(row: dict[str, Any]) -> bool:
    """Whether a row names its run, says how it went, and says nothing else."""
    told = {snake_case(one["name"]) for one in verdicts_of(row)}
    rest = {snake_case(str(key)) for key in row} - told
    named = {key for key in rest if key.rpartition("_")[2] in _NAMING and key not in _NOT_NAMING}
    return bool(told and named) and rest == named


def _counts(told: RawVerdict, own: Collection[str]) -> bool:
    """Whether a verdict counts beside those of the run's own file: what the business recorded does, under another name."""
    return not own or (told["by"] == _RECORDED and told["name"] not in own)


def _business_record(told: RawVerdict) -> RawVerdict:
    """What a table of outcomes says: a record of the business, unless it tells who judged."""
    return {**told, "by": _RECORDED} if told["by"] == "unknown" else told


def _is_verdict(told: RawVerdict) -> bool:
    value = told.get("value", 0 if "label" in told else -1)
    # What measures may be of any size; other numbers above 1 count something.
    return 0 <= value <= 1 or is_measure(told["name"])


def _bare_verdict(value: Json, above: str) -> RawVerdict | None:
    """A run's name with only a truth, a word or a share behind it; what is meant, the key of the map says."""
    word = snake_case(above).removesuffix("s")
    named = word if word in VERDICTS or means_good(word) or is_measure(word) else None
    if not named and isinstance(value, bool) and word in _RESULTS:
        named = "success"
    told = outcome_of(named, value) if named else None
    return told if told and _is_verdict(told) else None


def said_of_all(key: str) -> RawVerdict | None:
    """What the name of a list says of all that it names: `resolved_ids`, `unresolved`, `failed_tasks`."""
    words = snake_case(key).split("_")
    told = (good_or_bad(" ".join(words[: n + 1]), "outcome") for n in range(len(words)))
    is_good = next((one for one in told if one is not None), None)
    return (
        None if is_good is None else {"name": "resolved", "by": "unknown", "value": float(is_good)}
    )
