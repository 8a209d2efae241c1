"""What a tool's name and description say in generic English: does it change something or look something up?

In: a name and a description. Out: log-odds that the tool writes. A prior only: traces decide together with it
(`tool_kinds`). No word here belongs to one app's domain.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Final

from environments.runtime.views.multiplexed import GIVEN, words_of_part

_LISTS: Final[dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("verb_lists.toml").read_text(encoding="utf-8")
)
"""Lists are data, so that a reviewer can read and extend them without reading code."""
WRITES: Final = frozenset(f"{_LISTS['writes']} {_LISTS['writes_elsewhere']}".split())
READS: Final = frozenset(f"{_LISTS['reads']} {_LISTS['reads_elsewhere']}".split())
NOUNS: Final = frozenset(_LISTS["nouns"].split())
ABOUT: Final = frozenset(_LISTS["about"].split())
QUALIFIES: Final = frozenset(_LISTS["qualifies"].split())
DETERMINERS: Final = frozenset(_LISTS["determiners"].split())
RELATES: Final = frozenset(_LISTS["relates"].split())
ANSWERS: Final = frozenset(_LISTS["answers"].split())
TOLD: Final = frozenset(_LISTS["told"].split())
_OPENS: Final = RELATES | ANSWERS | {"all"}
"""Words before a thing that give no order: `For a customer`, `Returns the order`."""
_ASKS: Final = frozenset(_LISTS["asks"].split())
CHANGES_NOTHING: Final = re.compile(
    r"\b(?:not|never|without|no)\b[^.;]{0,60}\b(?:chang|modif|alter|updat|writ|side.effect|affect)|read.?only",
    re.IGNORECASE,
)
HANDS_OVER: Final = re.compile(
    r"\b(?:human|live|real)\b[\s_-]*\b(?:agent|person|operator|representative|support|being|staff)|"
    r"\b(?:escalat|hand(?:s|ed)?[\s_-]?(?:off|over|over to))|\bto an? (?:human|person|colleague|supervisor)",
    re.IGNORECASE,
)
_BOTH: Final = re.compile(r"\s*[A-Za-z]+\s*(?:/|and\b)\s*[A-Za-z]+", re.IGNORECASE)
"""Two verbs: `Computes/records`."""
_NAMESPACE: Final = re.compile(r"__+|[.:/]+")
"""What stands between a server or a module and its tool."""
LONGEST_USER: Final = 5
"""Letters of words such as `user` and `order`, which are no tools."""
SPLIT: Final = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
_ACCENT: Final = re.compile(r"[\u0300-\u036f]")


def words_of(text: str) -> list[str]:
    """The words of a name in snake, camel or kebab case, folded, without accents."""
    if not text.isascii():
        text = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    return [word.casefold() for word in SPLIT.split(text) if word]


def tool_words(name: str) -> list[str]:
    """The words of a tool's own name, without the server or module before it: `mcp__shop__find_order` finds orders."""
    parts = list(filter(None, map(words_of, _NAMESPACE.split(name))))
    own = next((words for words in reversed(parts) if any(map(_word_sign, words))), None)
    return own or [word for words in parts for word in words]


def asks_in_words(arguments: Collection[str]) -> bool:
    """Whether what a tool is given is a question in words: each argument is named as a search's is."""
    return bool(arguments) and all(_ASKS.intersection(words_of(name)) for name in arguments)


def hands_over(name: str, description: str) -> bool:
    """Whether name or description say that a person takes over."""
    return bool(
        HANDS_OVER.search(" ".join(_words_in_order(name))) or HANDS_OVER.search(description)
    )


def write_log_odds(name: str, description: str) -> float:
    """Positive for tools that say they change something, negative for those that say they look."""
    own, _, label = name.partition("[")
    if label.endswith(f"{GIVEN}=False]"):
        return -1.0  # `flag` looks where nothing is given that it could be set to
    if label.endswith(f"{GIVEN}=True]"):
        return max(1.0, _log_odds(own, description))
    if label.endswith("=True]"):
        return _log_odds(label.removesuffix("=True]"), "")
    said = _log_odds(name, description)
    return said if said or not label else _log_odds(own, "")


def _log_odds(name: str, description: str) -> float:
    spoken = _words_in_order(name)
    score = max(_of_name(part, description) for part in _split_joined(spoken))
    score += _of_sentence(description, spoken)
    return score - 4.0 if CHANGES_NOTHING.search(description) else score


def _words_in_order(name: str) -> list[str]:
    """The words of a name; of a part's name, those of the value with the surest verb first (`object=order, operation=get`)."""
    values = sorted(map(tool_words, words_of_part(name)), key=_without_verb)
    return [word for words in values for word in words]


def _without_verb(words: list[str]) -> int:
    return 2 if not words or not _sign(words[0]) else words[0] in NOUNS


def _split_joined(words: list[str]) -> list[list[str]]:
    """The parts of a name that says several things: what computes and stores (`compute_and_store_mean`) stores.

    What is listed by date and category does one thing: only a verb begins another part.
    """
    parts: list[list[str]] = [[]]
    for word, after in pairwise([*words, ""]):
        if word == "and" and _word_sign(after):
            parts.append([])
        elif word != "and":
            parts[-1].append(word)
    return parts


def _of_name(words: list[str], description: str) -> float:
    """The verb leads in most names (`get_order`), and ends some (`order_lookup`); else nouns may name a lookup.

    Where the description begins with a verb of the name, that is the one (`plan_change`: "Change the plan").
    """
    if not words:
        return 0.0
    is_phrase = bool(_sign("".join(words[:2])))
    # `checkIn` checks nothing, though it says "Check a guest in".
    if len(words) > 1 + is_phrase and (order := _sign_of_order(words, description)):
        return order * 2.5
    if is_phrase:
        words = ["".join(words[:2]), *words[2:]]  # `checkOut`, `hand_over`
    verb = _word_sign(words[0])
    noun = words[0] in NOUNS and not _leads(words[0], description)
    if len(words) > 1 and (noun or not verb) and words[-1] in ABOUT:
        return -2.5 if noun else -2.0
    if noun and len(words) == 2 and words[1] not in NOUNS:
        # What it is about comes first: `issue_get`, `refundQuote`.
        return _word_sign(words[1]) * 1.5 or verb * 2.5
    if verb:
        is_thing = noun and len(words) == 1 and _is_described_as_thing(words[0], description)
        return 0.0 if is_thing else verb * 2.5
    return -1.5 if RELATES.intersection(words[1:-1]) else _of_later_words(words)


def _sign_of_order(words: Collection[str], description: str) -> int:
    """What the word of a name says that its description begins with, as an order before what it is about; 0 where there is none."""
    verb = verb_of_order(description)
    return _sign(verb) if verb in words else 0


def verb_of_order(description: str) -> str:
    """The word that a description begins with, before what it is about (`Turn a draft into ...`); empty where there is none."""
    verb, *after = words_of(description)[:2] or [""]
    return verb if DETERMINERS.intersection(after) and verb not in _OPENS else ""


def _is_described_as_thing(name: str, description: str) -> bool:
    """Whether a description that gives no order speaks of what the name says: `order`, "One order."."""
    first, *after = words_of(description) or [""]
    return not _sign(first) and name in after


def _of_later_words(words: list[str]) -> float:
    """What a name says that begins with no verb: its last word, else one between."""
    if _word_sign(words[-1]):
        # After what it belongs to it may be a thing (`patient_record`): nobody knows.
        return 0.0 if words[-1] in NOUNS else _word_sign(words[-1]) * 1.5
    return next((_word_sign(word) * 1.0 for word in words[1:-1] if _word_sign(word)), 0.0)


def _word_sign(word: str) -> int:
    """What a word of a name says: names give orders, so that `files` and `deploys` are things and no verbs."""
    if word.endswith("s") and word not in READS | WRITES:
        return 0
    return _sign(word) or -(not READS.isdisjoint(_does(word)))


def _does(word: str) -> tuple[str, ...]:
    """What a thing does that is called after it: `calculator`, `reader`, `file_viewer`."""
    is_one = len(word) > LONGEST_USER and word.endswith(("er", "or"))
    return (word[:-2], word[:-2] + "e") if is_one else ()


def _leads(verb: str, description: str) -> bool:
    """Whether a description begins with this verb, inflected: `store_search` that "Stores results" is no search of a store."""
    words = words_of(description)[:2]
    return words[:1] in ([f"{verb}s"], [f"{verb}es"]) and not _stands_alone(description, words)


def _of_sentence(description: str, name: Collection[str]) -> float:
    """The first word of a description is nearly always its verb; inflected forms are read too, and of two verbs the one that writes.

    What returns something is no return of goods, unless the name says so.
    """
    sentence = description.split(".", maxsplit=1)[0]
    words = [word for word in words_of(sentence) if word != "and"][:2]
    if words and words[0] in TOLD:
        return -1.0
    if not words or (words[0] in ANSWERS and "return" not in name) or _is_noun(sentence, words):
        return 0.0
    if _BOTH.match(sentence) and max(map(_sign, words)) > 0:
        return 1.5
    # An order is surer than a word of a name behind one that nobody knows: `answer_quote`, "Record the customer's answer".
    weight = 2.0 if verb_of_order(sentence) else 1.5
    return next((_sign(word) * weight for word in words if _sign(word)), 0.0)


def _is_noun(sentence: str, words: list[str]) -> bool:
    """Whether a sentence names what comes back: `Order details`, `Open loans of a card`, `Damage reports on a booking`."""
    if _names_thing(words[0]) and _is_heading(sentence, words):
        return True
    if words[0] in QUALIFIES:
        return _qualifies(sentence)
    # Unlike `Permanently lock a card`.
    adverb = _sign(words[0]) or words[0].endswith("ly")
    return bool(words[1:]) and not adverb and _names_thing(words[1])


def _names_thing(word: str) -> bool:
    """Whether a word may be a thing or several: `Order details`, `Orders of a customer`."""
    return word in NOUNS or word.removesuffix("s") in NOUNS


def _qualifies(sentence: str) -> bool:
    """Whether a word that is a verb as well says how things are: `Open loans of a card`, unlike `Open a loan`."""
    after = words_of(sentence)[1:]
    things = list(takewhile(lambda word: word not in RELATES, after))
    return "of" in after and not DETERMINERS.intersection(things)


def _is_heading(sentence: str, words: list[str]) -> bool:
    """Whether the first word names a thing: it stands alone, or before what is asked about it."""
    return _stands_alone(sentence, words) or words[-1] in ABOUT


def _stands_alone(sentence: str, words: list[str]) -> bool:
    """Whether nothing follows the first word but a mark, or "of" and its like."""
    after = sentence.strip()[len(words[0]) :]
    return not after or not (after[0].isspace() or after[0].isalnum()) or words[-1] in RELATES


def _sign(word: str) -> int:
    forms = (word, word.removesuffix("s"), word.removesuffix("es"))
    return next((-1 if f in READS else 1 for f in forms if f in READS or f in WRITES), 0)
