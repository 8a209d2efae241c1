"""The check that nothing false is told: every specific fact in the policy's words has a ground.

In: the view of one attempt. Out: facts told without a ground, and whether the attempt told any. A ground is what a tool
showed, what the user said, the opening and the tools' definitions, or simple arithmetic on those: a sum, a difference,
a product or a share of two numbers, the sum of what one message lists, the sum of one field of a result.
Not here: whether what is true was asked for (`told_values`).
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Final

from ..task.attempt import UNKNOWN, Json
from ..task.verdict import count_text
from ..values.facts import (
    COUNT,
    DATE,
    EMAIL,
    ID,
    LEAST_SPECIFIC,
    NUMBER,
    TIME,
    UNITS,
    Fact,
    facts_in,
    figure_stands_in,
    folded,
    may_be_one_date,
)
from ..values.normal import as_list, as_names, as_object, is_number
from .view import View, readings_in, text_of

CENT: Final = 0.0051
"""Two amounts are one when they round to the same cent."""
LARGEST: Final = 1e300
"""Numbers from here on ground nothing: no float holds a whole number of hundreds of digits."""
MOST_OPERANDS: Final = 60
"""More numbers than this make any other by chance."""
MOST_SUMMED: Final = 14
"""Numbers of one message of which every subset is added up."""
LARGEST_FACTOR: Final = 31
"""A count that an amount is multiplied with or divided by."""
LEAST_DIGITS: Final = 3
"""So many digits at an end of a longer number name it: the last four of a card."""
COUNTED: Final = re.compile(r"(?<![\w.,:/#+-])(\d{1,2})\s+([^\W\d_]{3,})(?!\s*\d)")
"""A small number before the word for what it counts; a word between two numbers makes a range of them."""
COUNT_OF: Final = re.compile(r"([^\W\d]{3,})[\"']?\s*[:=]\s*[\"']?(\d{1,2})(?!\w|[.,:/-]\d)")
"""The same behind a name, of which each part may say what is counted: `"open_alarms": 3`."""
HOURS: Final = re.compile(r"(?<![\w.,/-])(\d{1,2})\s?-\s?(\d{1,2})(?![\w/-]|[.,]\d)")
"""From one hour to another: `10-12`."""
MINUS: Final = "-"
MOST_NAMED: Final = 3
MOST_TOLD: Final = 300
"""Facts of one message that are looked for: more are a flood, which other checks are for."""


def grounded(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether everything specific that the user was told has a ground; `kinds` says what is asked.

    Of all kinds together, at most the share `loose` may lack one, where it is given. With `computed` false a number that only
    arithmetic gives has none: of a right amount, twice and half are lies. `measures` says in which units resolved attempts told
    their numbers: 20 euros are no ground for 20 million. `counted` says how many of a thing they told: another number of it has
    to stand in an answer of a tool, whatever kinds are asked for. `shown` holds, by tool, facts that its answers showed resolved
    attempts: they are a ground where the world could not answer a call of that tool.
    """
    writers, texts = as_names(args.get("writes")), as_object(args.get("ignore"))
    known = f"{allowed_text(args)} {_shown_to_others(args.get('shown'), view)}"
    doubted = doubted_facts(view, known, writers, ignore=texts)
    groundless = [*doubted.groundless, *_measured_otherwise(as_object(args.get("measures")), view)]
    if args.get("computed") is False:
        groundless += doubted.computed
    found = [*asked_for(args, groundless), *_counted_otherwise(args.get("counted"), view)]
    most = args.get("loose")
    if not found and isinstance(most, int | float):
        told = {f for facts in view.facts for f in facts if f.specific}
        specific = [f for f in groundless if f.specific]
        found = specific if len(specific) > most * len(told) else []
    return none_of(found, "told")


def shown_by_tool(view: View) -> dict[str, set[str]]:
    """The specific facts that an attempt told and a tool's answer had shown it, by tool."""
    told = {fact for facts in view.facts for fact in facts if fact.specific}
    found: dict[str, set[str]] = defaultdict(set)
    for call in view.attempt.calls if told else ():
        shown = readings_in([call.result.content])
        found[call.name].update(f.text for f in told if not shown.isdisjoint(f.readings))
    return found


def _shown_to_others(shown: Json, view: View) -> str:
    """The facts that resolved attempts saw in answers of tools of which this attempt had no answer."""
    by_tool = as_object(shown)
    unanswered = {c.name for c in view.attempt.calls if c.result.source == UNKNOWN}
    return " ".join(
        text for name in sorted(unanswered) for text in sorted(as_names(by_tool.get(name)))
    )


def measures_of(facts: Iterable[Fact]) -> dict[str, Json]:
    """How numbers were told: each number with its units, and a minus where one stood before it."""
    found: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        for number in fact.numbers[:1]:
            signs = (fact.unit, MINUS if fact.negative else "")
            found[repr(number)].update(sign for sign in signs if sign)
    return {number: list[Json](sorted(signs)) for number, signs in found.items()}


def _measured_otherwise(measures: Mapping[str, Json], view: View) -> Iterator[Fact]:
    """The numbers told below zero or in a unit, as nobody told them who told the same number."""
    for fact in (fact for facts in view.facts for fact in facts if fact.kind == NUMBER):
        plain, *others = map(repr, fact.numbers)
        # 20.5 thousand is 20500 as well, and 15 % are 0.15.
        if plain not in measures or not measures.keys().isdisjoint(others):
            continue
        known = as_names(measures[plain])
        units = known - {MINUS}
        if (fact.negative and MINUS not in known) or (
            fact.unit and units and fact.unit not in units
        ):
            yield fact


def counted_things(view: View) -> dict[str, set[int]]:
    """How many of each thing an attempt told."""
    found: dict[str, set[int]] = defaultdict(set)
    for text in view.visible:
        for number, word in counts_told(folded(text)):
            found[_thing(word)].add(int(number))
    return found


def _counted_otherwise(counted: Json, view: View) -> list[Fact]:
    """The small numbers told of things that resolved attempts count, where those told others and nothing shows these.

    A number that a result shows of something excuses one more count, and none at all, but no other count in the place of theirs.
    """
    known = {
        thing: {int(n) for n in as_list(numbers) if is_number(n)}
        for thing, numbers in as_object(counted).items()
    }
    told = counted_things(view) if known else {}
    asked = [(n, w) for w, ns in told.items() if w in known for n in sorted(ns - known[w])]
    if not asked:
        return []
    results = [call.result.content for call in view.attempt.calls]
    shown = {n for text in results for numbers in _fields(text).values() for n in numbers}
    heard = _counts_in("\n".join([view.heard_text, *map(folded, results)]))
    return [
        Fact(COUNT, f"{number} {word}", (float(number),), specific=False)
        for number, word in asked
        if (number not in shown or (number and told[word].isdisjoint(known[word])))
        and number not in heard.get(word, ())
    ]


def allowed_text(args: Mapping[str, Json]) -> str:
    """What else a policy may say, folded."""
    known = args.get("known")
    return known if isinstance(known, str) else ""


def asked_for(args: Mapping[str, Json], facts: Sequence[Fact]) -> list[Fact]:
    """The facts of the kinds that a check asks for; all where it names none."""
    kinds = as_names(args.get("kinds")) if isinstance(args.get("kinds"), list) else None
    return [fact for fact in facts if kinds is None or fact.kind in kinds]


def none_of(groundless: Sequence[Fact], done: str) -> tuple[float, str]:
    """The verdict on facts without a ground; `done`: what was done with them."""
    if not groundless:
        return 1.0, f"everything that was {done} has a ground"
    listed = ", ".join(dict.fromkeys(f.text for f in groundless[:MOST_NAMED]))
    count = count_text(len(groundless), "fact was", "facts were")
    return 0.0, f"{count} {done} without a ground: {listed}"


@dataclass(frozen=True, slots=True)
class DoubtedFacts:
    """Specific facts told that nothing shows as they are."""

    groundless: tuple[Fact, ...] = ()
    """Those that nothing gives."""
    computed: tuple[Fact, ...] = ()
    """Numbers that follow from others by arithmetic."""


def doubted_facts(
    view: View,
    known: str = "",
    writers: frozenset[str] = frozenset(),
    *,
    ignore: Mapping[str, Json] | None = None,
) -> DoubtedFacts:
    """The specific facts told that nothing shows; `known` is a folded text with what else a policy may say.

    What a change was made with is a ground as well, where one of the tools `writers` took it: the end decides whether it is right,
    but for the arguments in `ignore`, by tool.
    """
    texts = [folded(text) for text in view.visible]
    if not any(fact.specific for facts in view.facts for fact in facts) and not any(
        map(COUNTED.search, texts)
    ):
        return DoubtedFacts()
    written = [
        _drop_names(c.arguments, (ignore or {}).get(c.name))
        for c in view.attempt.calls
        if c.name in writers and not c.result.is_error
    ]
    allowed = "\n".join([known, *(folded(json.dumps(a)) for a in written)])
    grounds = _Grounds(view, allowed)
    found = _find_doubted(view.visible, grounds)
    return replace(found, groundless=(*found.groundless, *_false_counts(texts, grounds)))


def written_without_ground(view: View, text: str, *, until: int, known: str = "") -> list[Fact]:
    """The same of a text that a call wrote; its ground is what stood in the conversation before message `until`.

    What comes later proves nothing of it: a tool repeats what it was given.
    """
    if not any(fact.specific for fact in facts_in(text)):
        return []
    return list(_find_doubted((text,), _Grounds(view, known, until)).groundless)


def _find_doubted(texts: Iterable[str], grounds: _Grounds) -> DoubtedFacts:
    stated: list[float] = []
    found: dict[Fact, None] = {}
    computed: dict[Fact, None] = {}
    for text in texts:
        told = (f for f in facts_in(text) if f.specific)
        facts = dict.fromkeys(islice(told, MOST_TOLD))
        doubted = [f for f in facts if not grounds.show(f)]
        shown = [
            n
            for f in facts_in(text)
            if f.kind == NUMBER and f not in doubted
            for n in f.numbers[:1]
        ]
        stated += shown
        for fact in doubted:
            if fact.kind == NUMBER and grounds.compute(fact, shown, stated):
                stated += fact.numbers[:1]
                computed[fact] = None
            else:
                found[fact] = None
    return DoubtedFacts(tuple(found), tuple(computed))


def _false_counts(texts: Iterable[str], grounds: _Grounds) -> list[Fact]:
    """What is counted otherwise than everything that was shown counts it; of a thing that nothing counts nobody knows."""
    told = {pair for text in texts for pair in counts_told(text)}
    return [
        Fact(COUNT, f"{number} {word}", (float(number),), specific=False)
        for number, word in sorted(told)
        if int(number) < LEAST_SPECIFIC and not grounds.may_count(int(number), word)
    ]


def counted_facts(view: View) -> tuple[Fact, ...]:
    """The small numbers told of things that a tool counts so, as numbers; none that the user said first."""
    shown = _counts_in(folded("\n".join(c.result.content for c in view.attempt.calls)))
    heard = _counts_in(view.heard_text)
    told = {pair for text in view.visible for pair in counts_told(folded(text))}
    return tuple(
        Fact(NUMBER, number, (float(number),), specific=False)
        for number, word in sorted(told)
        if int(number) in shown.get(_thing(word), ())
        and int(number) not in heard.get(_thing(word), ())
    )


def counts_told(text: str) -> Iterator[tuple[str, str]]:
    """The small numbers that a folded text tells, with the words behind them; no days of a month, and no money."""
    longer = [fact.text for fact in facts_in(text) if fact.kind == DATE or " " in fact.text]
    for found in COUNTED.finditer(text):
        if found[2] not in UNITS and not any(found[0] in fact for fact in longer):
            yield found[1], found[2]


def _counts_in(text: str) -> dict[str, set[int]]:
    """The small numbers of a folded text by what they count."""
    found: dict[str, set[int]] = defaultdict(set)
    for number, thing in COUNTED.findall(text):
        found[_thing(thing)].add(int(number))
    for things, number in COUNT_OF.findall(text):
        for thing in things.split("_"):
            found[_thing(thing)].add(int(number))
    return found


def _thing(word: str) -> str:
    return word.rstrip("s")


def _possible_numbers(fact: Fact) -> tuple[float, ...]:
    """What a told number may be among those shown: many tools count money in cents."""
    cents = (100 * n for n in fact.numbers if abs(n) < LARGEST and "%" not in fact.text)
    return (*fact.numbers, *(float(round(n)) for n in cents if math.isclose(n, round(n))))


def _drop_names(arguments: Mapping[str, Json], names: Json) -> dict[str, Json]:
    left_out = names if isinstance(names, list) else []
    return {name: value for name, value in arguments.items() if name not in left_out}


class _Grounds:
    """What one attempt shows; read as far as the facts that are looked for need it."""

    def __init__(self, view: View, known: str, until: int | None = None) -> None:
        opening = view.attempt.opening
        heard = [
            (str(m.get("role")), text_of(m))
            for i, m in enumerate(view.attempt.messages[:until])
            if m.get("role") != "assistant" or i < opening
        ]
        self._results = [text for role, text in heard if role == "tool"]
        self._said = [text for role, text in heard if role != "tool"]
        self._known = known
        self._text = "\n".join([*(folded(text) for _, text in heard), known])
        self._readings: dict[str, set[str | float]] | None = None
        self._dates: set[tuple[str | float, ...]] = set()
        self._sorted: list[float] = []
        self._runs: list[str] = []
        self._operands: list[Sequence[float]] | None = None
        self._totals: list[float] = []
        self._counts: Mapping[str, set[int]] | None = None

    def show(self, fact: Fact) -> bool:
        """Whether the fact stands in what was shown, in this spelling or another."""
        if fact.kind in {ID, EMAIL} and fact.text in self._text:
            return True
        if figure_stands_in(fact.text, self._text):
            return True
        readings = self._all_readings()
        if fact.kind == NUMBER:
            near = any(_is_near(self._sorted, n) for n in _possible_numbers(fact))
            return near or self._is_part(fact.text) or self._is_time(fact.text)
        if fact.kind == ID and not any(c.isalpha() for c in fact.text):
            return self._is_part("".join(c for c in fact.text if c.isdigit()))
        if fact.kind == DATE:
            shown = any(may_be_one_date(fact.readings, one) for one in self._dates)
        else:
            shown = not readings.get(fact.kind, set()).isdisjoint(fact.readings)
        if shown:
            return True
        return fact.kind == ID and _without_separators(fact.text) in _without_separators(self._text)

    def compute(self, fact: Fact, shown: Sequence[float], stated: Sequence[float]) -> bool:
        """Whether a number follows from others by simple arithmetic; `shown`: those of its own message."""
        wanted = fact.numbers
        if self._operands is None:
            self._read_operands()
        beside = list(dict.fromkeys(shown))
        if len(beside) <= MOST_SUMMED and any(_sums_to(n, beside) for n in wanted):
            return True
        if any(abs(n - total) < CENT for n in wanted for total in self._totals):
            return True
        said = [n for text in self._said for n in _numbers(text)]
        pools = [_amounts([*stated, *said]), *(self._operands or [])]
        return any(_combines(n, pool[:MOST_OPERANDS]) for n in wanted for pool in pools)

    def may_count(self, number: int, word: str) -> bool:
        """Whether so many of a thing were shown, or may be: a list holds so many, or nothing counts the thing."""
        if self._counts is None:
            self._counts = _counts_in(self._text)
        shown_counts = self._counts.get(_thing(word))
        if shown_counts is None or number in shown_counts:
            return True
        if f"{number:0>2}:00" in self._all_readings().get(TIME, ()):
            return True  # `10 horas` is a time as well.
        sizes = (
            (name.removesuffix("[]").casefold(), values)
            for text in self._results
            for name, values in _fields(text).items()
            if name.endswith("[]")
        )
        return any(number in values and _thing(word) in name for name, values in sizes)

    def _all_readings(self) -> dict[str, set[str | float]]:
        if self._readings is None:
            self._readings = defaultdict(set)
            for text in [*self._results, *self._said, self._known]:
                for fact in facts_in(text):
                    self._readings[fact.kind].update(fact.readings)
                    if fact.kind == DATE:
                        self._dates.add(fact.readings)
            hours = (hour for span in HOURS.findall(self._text) for hour in span)
            self._readings[TIME].update(f"{hour:0>2}:00" for hour in hours)
            self._sorted = sorted(n for n in self._readings[NUMBER] if isinstance(n, float))
            self._runs = re.findall(r"\d{5,}", self._text)
        return self._readings

    def _is_time(self, text: str) -> bool:
        """Whether `8.00` is a time that was shown."""
        hour, _, minute = text.partition(".")
        return f"{hour:0>2}:{minute}" in self._all_readings().get(TIME, ())

    def _is_part(self, digits: str) -> bool:
        """Whether these digits begin or end a longer run of digits."""
        if len(digits) < LEAST_DIGITS or not digits.isdigit():
            return False
        return any(run.startswith(digits) or run.endswith(digits) for run in self._runs)

    def _read_operands(self) -> None:
        self._operands = []
        for text in self._results:
            fields = _fields(text)
            numbers = _amounts(n for values in fields.values() for n in values)
            self._operands.append(numbers if len(numbers) <= MOST_OPERANDS else [])
            self._totals += [float(sum(values)) for values in fields.values() if len(values) > 1]
            self._totals += [float(len(values)) for values in fields.values()]


def _numbers(text: str) -> list[float]:
    return [n for f in facts_in(text) if f.kind == NUMBER for n in f.numbers]


def _amounts(numbers: Iterable[float]) -> list[float]:
    """The different ones that are no small counts: with those, anything adds up to anything."""
    return list(dict.fromkeys(n for n in numbers if n >= LEAST_SPECIFIC or n != int(n)))


def _without_separators(text: str) -> str:
    return re.sub(r"[-_ ./#]", "", text)


def _fields(text: str) -> Mapping[str, list[float]]:
    """The numbers of a result by the name of the field that holds them; those of plain text under one name."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return {"": _numbers(text)}
    found: dict[str, list[float]] = defaultdict(list)
    pending: list[tuple[str, Json]] = [("", value)]
    while pending:
        name, item = pending.pop()
        if isinstance(item, dict):
            pending += item.items()
        elif isinstance(item, list):
            found[f"{name}[]"].append(float(len(item)))
            pending += [(name, one) for one in item]
        elif is_number(item):
            found[name] += [float(item)] if abs(item) < LARGEST else []
        elif isinstance(item, str):
            found[name] += _numbers(item)
    return found


def counts_in(text: str) -> frozenset[float]:
    """How long the lists of a result are: what who counts its rows says."""
    fields = _fields(text).items()
    return frozenset(n for name, values in fields if name.endswith("[]") for n in values)


def _sums_to(wanted: float, numbers: Sequence[float]) -> bool:
    """Whether some of these add up to it."""
    return any(
        abs(sum(some) - wanted) < CENT
        for size in range(2, min(len(numbers), 6) + 1)
        for some in combinations(numbers, size)
    )


def _combines(wanted: float, pool: Sequence[float]) -> bool:
    """Whether two of these give it: a sum, a difference, a count of one, a share of one."""
    known = sorted(pool)
    return any(_is_near(known, value) for value in _partners(wanted, known)) or any(
        abs(a * n - wanted) < CENT or abs(a / n - wanted) < CENT
        for a in known
        for n in range(2, LARGEST_FACTOR + 1)
        if a >= LARGEST_FACTOR or a != int(a)
    )


def _partners(wanted: float, known: Iterable[float]) -> Iterator[float]:
    for one in known:
        yield wanted - one
        yield wanted + one
        if 0 < one <= 100 and wanted:
            yield wanted * 100 / one
            yield wanted / (1 + one / 100)
            if one < 100:
                yield wanted / (1 - one / 100)


def _is_near(known: Sequence[float], value: float) -> bool:
    place = bisect_left(known, value - CENT)
    return place < len(known) and abs(known[place] - value) < CENT
