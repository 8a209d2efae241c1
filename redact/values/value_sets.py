"""What several values are together: days of people's lives, towns, names of people, keys.

In: the values that were seen at one place. Out: yes or no. Knows no key, and subjects only as far as it must count them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Final

from redact.bounds import NEARLY_ALL, PARTS, SEVERAL, STEM, VARIED
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_name
from redact.lists.word_lists import word_list
from redact.values.forms import commonest, is_reference, plain_day
from redact.values.free_ids import is_free_id
from redact.values.months import DAYS, MONTHS

PLACES: Final = word_list("places")
_HAN: Final = re.compile("[\u4e00-\u9fff]{2,4}")
_SURNAMES: Final = word_list("han_surnames")
_OLD_DAYS: Final = 12 * 365
"""Days that lie so far before the app's last episode date people's lives; a wrong guess moves a date within its year."""
UNLABELLED: Final = 5 * 365
"""Days in text of unknown form that lie so far back date a child's life, or hardly anything that is still of use."""
_FIRST_AGENTS: Final = date(2023, 1, 1)
"""No app with agents is older: where its episodes have no time, days are old by this one."""
_ROUND: Final = re.compile(r"[1-9][0-9]*000")


def is_key(value: str) -> bool:
    """Say whether a value can hardly be anything but somebody's or something's key."""
    return is_reference(value) or is_free_id(value)


def span_lives(values: list[str]) -> bool:
    """Say whether plain days lie so far apart that they date people's lives and not their orders."""
    days = list(filter(None, map(plain_day, values)))
    if len(days) < PARTS or len(days) * 2 < len(values):
        return False
    return (max(days) - min(days)).days > _OLD_DAYS


def are_old(values: list[str], latest: int, *, since: int = _OLD_DAYS) -> bool:
    """Say whether most of the plain days lie many years before the app's last episode; one person's is enough."""
    days = list(filter(None, map(plain_day, values)))
    if not days or len(days) * 2 < len(values):
        return False
    now = max(_FIRST_AGENTS, datetime.fromtimestamp(latest / 1e9, tz=UTC).date())
    return sum((now - day).days > since for day in days) * 2 > len(days)


def are_pairs_of_no_day(values: list[str]) -> bool:
    """Say whether values are three pairs of digits each (`12-11-36`) that no one order makes days: numbers of locks."""
    found = list(map(_PAIRS.fullmatch, values))
    if not all(found):
        return False
    pairs = [tuple(map(int, pair.groups())) for pair in found if pair]
    return not any(
        all(0 < pair[day] <= DAYS and 0 < pair[month] <= MONTHS for pair in pairs)
        for day, month in ((0, 1), (1, 0), (2, 1))
    )


_PAIRS: Final = re.compile(r"(\d\d)[-./](\d\d)[-./](\d\d)")


def are_amounts(values: list[str]) -> bool:
    """Say whether digits count something: round ones, or of several lengths and none with a zero before; a code has its length."""
    if len(values) < VARIED:
        return False
    if any(value.startswith("0") or not value.isdecimal() for value in values):
        return False
    round_ones = sum(value.endswith("0") for value in values)
    lengths = Counter(map(len, values))
    second = sorted(lengths.values())[-SEVERAL:][0] if len(lengths) > 1 else 0
    if min(lengths) < STEM <= max(lengths):
        return True  # no code has three digits here and four there
    return round_ones >= NEARLY_ALL * len(values) or second * VARIED >= len(values)


def are_round(values: list[str]) -> bool:
    """Say whether numbers are whole thousands, each of them: budgets, not what somebody is known by."""
    return len(values) >= VARIED and all(map(_ROUND.fullmatch, values))


def are_places(values: list[str]) -> bool:
    """Say whether half of the values hold the name of a town, a state or a country."""
    placed = sum(any(word in PLACES for word in fold_value(value).split()) for value in values)
    return 0 < len(values) <= 2 * placed


def are_names(values: list[str], *, each: bool = False) -> bool:
    """Say whether values are names of people; `each` asks for it of every value and of two of its words.

    What k people share in every value is a list of choices: breeds and places hold a listed word each, a team's doctors two.
    """
    if _are_han_names(values):
        return not each
    named = 0
    for value in values:
        words = fold_value(value).split()
        listed = sum(is_name(word) and word not in ORDINARY | PLACES for word in words)
        named += listed >= (min(SEVERAL, len(words)) if each else 1)
    if each:
        return named == len(values)
    # Of two values one may be a name by chance: Yoga is one in some country.
    return named * 2 >= len(values) and named >= min(len(values), SEVERAL)


def _are_han_names(values: list[str]) -> bool:
    """Say whether values of Chinese letters begin with surnames and go on differently, as no list of choices does."""
    if len(values) < VARIED or not all(map(_HAN.fullmatch, values)):
        return False
    given = [value[2:] if value[:2] in _SURNAMES else value[1:] for value in values]
    surnames = {value[0] for value in values if value[0] in _SURNAMES or value[:2] in _SURNAMES}
    begun = sum(value[0] in surnames for value in values)
    ends = {value[-1] for value in values}
    return (
        begun >= NEARLY_ALL * len(values) and min(len(surnames), len(ends)) > SEVERAL and all(given)
    )


def name_one_each(seen: Mapping[str, list[int]]) -> bool:
    """Say whether values are names of people of whom each subject saw one or two; a catalogue shows many authors to each."""
    subjects = {subject for listed in seen.values() for subject in listed}
    listed = list(seen)
    return len(seen) <= 2 * len(subjects) and commonest(listed) == "names" and are_names(listed)
