"""What the words of an outcome say: its name, and its value where that is no number.

In: a name (`task_success`, `overallScore`) or a value (`THUMBS_UP`, `nicht gelöst`). Out: whether it can only mean good or bad, or measures
how good something was. The words are in `outcome_words.toml`; none belongs to one app or one harness.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

_TRANSCRIPTION: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe"})
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN: Final = re.compile(r"[\W_]+")
_INFLECTION: Final = re.compile(r"(?<=..)[eao]?s?\Z")
_OF_ROUTE: Final = re.compile(r"\{\w+\}|:\w+|<\w+>")
"""The parameters of a route."""
_LONGEST_NAME: Final = 64
_MOST_WORDS: Final = 4
"""A longer text is a remark, no verdict."""


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    """A word as people write it in names (`gelöst` is `geloest`, `éxito` is `exito`), without gender and number (`résolues`)."""
    spelt = unicodedata.normalize("NFKD", word.translate(_TRANSCRIPTION))
    return _INFLECTION.sub("", "".join(s for s in spelt if not unicodedata.combining(s)))


def _stems(text: str) -> list[str]:
    """The words of a name or a short value, as stems; a sign such as a thumb is a word."""
    whole = text.strip().casefold()
    if not any(map(str.isalnum, whole)):
        return [whole[:1]]
    words = _BETWEEN.split(_CAMEL.sub("_", text.strip()).casefold())
    return [_stem(word) for word in words if word]


_LISTS: Final[dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("outcome_words.toml").read_text(encoding="utf-8")
)
_STEMS: Final = {key: frozenset(map(_stem, words.split())) for key, words in _LISTS.items()}
_BAD_PHRASES: Final = tuple(tuple(_stems(one)) for one in _LISTS["bad_phrases"].strip().split("\n"))
_GOOD_NAMES: Final = _STEMS["good"] | _STEMS["good_in_names"]
_GOOD_VALUES: Final = _STEMS["good"] | _STEMS["good_values"]
_JUDGING: Final = _STEMS["measures"] | _STEMS["judging"] | _STEMS["asked"]
_RATE: Final = _stem("rate")
_THUMB: Final = _stem("thumbs")
_YES: Final = frozenset(_LISTS["yes"].split())
_NO: Final = frozenset(_LISTS["no"].split())
_BEGINNINGS: Final = tuple(_LISTS["negating_beginnings"].split())
_REMARK: Final = re.compile(r"(?<!\s)\s*(?:[(\[,:;]| [-\u2013] ).*", re.DOTALL)
"""What a value says besides: `Solved (customer confirmed)`."""
_FIGURE: Final = re.compile(r"([-+]?\d+(?:[.,]\d+)?)\s*%?")
_STARS: Final = re.compile(r"(\u2605*)\u2606*")


def means_good(name: str) -> bool:
    """Whether 1 under this name can only mean that it went well: `answer_correct`, `resolved_by_ai`, but not `not_resolved` or `timeout_reached`."""
    return _ends_in(name, _GOOD_NAMES) and not _says_bad(_stems(name), _STEMS["took_place"])


def means_failed(name: str) -> bool:
    """Whether 1 under this name can only mean that it went wrong, and 0 that it did not: `failed`."""
    return _ends_in(name, _STEMS["failed"])


def means_back(name: str) -> bool:
    """Whether 1 under this name says that somebody had to come back, and 0 nothing: `reopened_within_7d`."""
    return _ends_in(name, _STEMS["came_back"])


def names_bad(name: str) -> bool:
    """Whether a name ends with a word for something bad, so that more of it is hardly better: `toxicity_score`, but not `error_free`."""
    return _says_bad(_stems(name), frozenset())


def _says_bad(words: list[str], behind: frozenset[str]) -> bool:
    """Whether words name something bad before those that say nothing by themselves, and what else may stand behind it."""
    left = _STEMS["bare"] | _STEMS["neutral_measures"] | behind
    last = next((word for word in reversed(words) if word not in left), "")
    return last in _STEMS["bad_in_names"] and _STEMS["negations"].isdisjoint(words)


def _ends_in(name: str, endings: frozenset[str]) -> bool:
    """Whether the last word that says something is one of these, and no other turns it round or is about something else."""
    words = _stems(name)
    words = words[: next((n for n, word in enumerate(words) if word in _STEMS["behind"]), None)]
    # How often it went well says nothing of one time, unless that is a goal's.
    bare = _STEMS["bare"] | ({_RATE} if not _STEMS["wanted"].isdisjoint(words) else set())
    while words and words[-1] in bare:
        words.pop()
    return bool(words) and words[-1] in endings and _is_plain(words)


def _is_plain(words: list[str]) -> bool:
    """Whether no word turns the others round, or says that they are about something else."""
    return _STEMS["negations"].isdisjoint(words) and _STEMS["other_ways"].isdisjoint(words)


def is_measure(name: str) -> bool:
    """Whether more is better of what has this name: `overall_score`, but not `risk_score` or `violation_score`."""
    # The number of a state says which of several it is, and 2 may be the worst.
    if names_bad(name) or names_state(name):
        return False
    words = _stems(name)
    return not _STEMS["measures"].isdisjoint(words) and _STEMS["other_ways"].isdisjoint(words)


def names_state(name: str) -> bool:
    """Whether what has this name says in which state something is: `job_status`."""
    return not _STEMS["states"].isdisjoint(_stems(name)[-1:])


def says_what_it_took(name: str) -> bool:
    """Whether what has this name is what a run took: `latency_s`, but not `latency_score`."""
    words = _stems(name)
    return not _STEMS["taken"].isdisjoint(words) and _STEMS["measures"].isdisjoint(words)


def good_or_bad(value: str, name: str) -> bool | None:
    """Whether a value in words says that it went well: `not resolved` under any name, `up` under one that judges; None where it does not say."""
    words, named = _stems(_REMARK.sub("", value)), _stems(name)
    while words[1:] and words[-1] in _STEMS["doers"] | _STEMS["behind"]:
        words.pop()
    left_early = any(pair in _BAD_PHRASES for pair in pairwise(words))
    if not 0 < len(words) <= _MOST_WORDS or _says_nothing(words, named, faint=not left_early):
        return None
    negated = not _STEMS["negations"].isdisjoint(words[:-1])
    if left_early or _is_bad(words, set(_stems(value))):
        return None if negated else False
    return not negated if _says_attained(words) or words[-1] in _GOOD_VALUES else None


def _says_attained(words: list[str]) -> bool:
    """Whether words say that somebody got what he wanted: `goal_reached`, and not `limit_reached`."""
    return words[-1] in _STEMS["attained"] and not _STEMS["wanted"].isdisjoint(words)


def _is_bad(words: list[str], and_besides: set[str]) -> bool:
    """Whether the words of a value say that it went wrong: `wrong_result_reported`, `unresolved`; not `failed once, later solved`."""
    last = words[-1]
    rests = (last.removeprefix(one) for one in _BEGINNINGS if last.startswith(one))
    return (
        (not _STEMS["bad_anywhere"].isdisjoint(words) and _GOOD_VALUES.isdisjoint(and_besides))
        or last in _STEMS["bad_values"]
        or (last not in _GOOD_VALUES and not _GOOD_VALUES.isdisjoint(rests))
    )


def _says_nothing(words: list[str], named: list[str], *, faint: bool) -> bool:
    """Whether a value is a part, its name is about something else, or it tells how a program ended or is faint where nothing judges."""
    said = {words[-1]} | (_STEMS["bad_anywhere"] & set(words))
    ended = named[-1:] and named[-1] in _STEMS["states"] and not _STEMS["ended"].isdisjoint(said)
    faint = (
        faint
        and words[0] != _THUMB
        and not _STEMS["faint"].isdisjoint(said)
        and (_JUDGING.isdisjoint(named) or _says_bad(named, frozenset()))
    )
    is_part = not _STEMS["parts"].isdisjoint(words)
    return bool(ended) or faint or is_part or not _STEMS["other_ways"].isdisjoint(named)


def yes_or_no(value: str) -> bool | None:
    """Whether a value affirms what its name says."""
    said = value.strip().casefold()
    return True if said in _YES else False if said in _NO else None


def figure_of(value: str) -> float | None:
    """The number that a text is: `95 %`, `3`, three of five stars; None where it is none."""
    text = value.strip()
    figure, stars = _FIGURE.fullmatch(text), _STARS.fullmatch(text)
    if figure:
        return float(figure[1].replace(",", "."))
    return float(len(stars[1])) if stars and text else None


def tells_how(name: str, value: object) -> bool:
    """Whether a value under a name may be a verdict: a word that says it, a truth or a figure under a word that judges."""
    if isinstance(value, str):
        if good_or_bad(value, name) is not None:
            return True
        affirmed = yes_or_no(value)
        value = affirmed if affirmed is not None else figure_of(value)
    if isinstance(value, bool):
        # `done` and `log_completions` may be anything's.
        endings = _STEMS["good"] | _STEMS["measures"]
        attained = means_good(name) and _says_attained(_stems(name))
        return attained or _ends_in(name, endings) or means_failed(name) or means_back(name)
    return isinstance(value, int | float) and (is_measure(name) or means_good(name))


def asks_how(name: str, *, of_conversation: bool = False) -> bool:
    """Whether what has this name says how somebody found it: `user-feedback`, `POST /chats/{id}/feedback`, `csat_survey`; `rating` says so `of_conversation`."""
    words = _stems(_OF_ROUTE.sub("", name)) if len(name) <= _LONGEST_NAME else []
    asking = _STEMS["asked"] | (_STEMS["rated"] if of_conversation else frozenset())
    return not asking.isdisjoint(words) and _is_plain(words)


def is_about_else(name: str) -> bool:
    """Whether a name holds a word of what may be the other way round, or is about something else (`ces`, `risk`)."""
    return not _STEMS["other_ways"].isdisjoint(_stems(name))
