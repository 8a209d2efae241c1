"""What a value looks like: whether it can be of a kind, and which kinds show without any key.

In: values and texts. Out: yes or no, and the e-mail addresses and address lines in a text.
Judges shape only; checksummed and secret patterns are `redact.recognizers.patterns`' job.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, ip_address
from typing import Final
from urllib.parse import unquote

from redact.bounds import BEFORE, SEVERAL
from redact.lists.dictionary import ENGLISH, words_of
from redact.lists.gazetteer import is_name
from redact.lists.word_lists import ID_WORDS, word_list
from redact.values.dates import read_date

NOTHING: Final = word_list("nothing")
"""Values that stand under personal keys and name nobody."""

EMAIL: Final = re.compile(r"[\w.+%'-]+@[\w-]+(?:\.[\w-]+)+", re.UNICODE)
_COMPANIES: Final = word_list("company_forms")
STREET_TELLING: Final = word_list("street_telling")
STREET_ENDS: Final = (
    "straße",
    "strasse",
    "weg",
    "platz",
    "gasse",
    "straat",
    "laan",
    "gatan",
    "vägen",
    "allee",
)
_PLACES: Final = word_list("places")
_WORDS: Final = re.compile(r"[^\W\d_]+")
ADDRESS_LINE: Final = re.compile(
    r"(?<![\w.,$€£#-])(?:\d{1,5}[a-zA-Z]?,? (?:[A-ZÀ-Þ][^\W\d_]*\.? ?){2,4}|[A-ZÀ-Þ][^\W\d_]{3,}(?:"
    + "|".join(STREET_ENDS)
    + r") \d{1,4}[a-z]?)(?<! )(?!\w)"
)
_ROMANCE_LINE: Final = re.compile(
    r"(?<![\w.,-])(?:\d{1,4}(?: ?(?:bis|ter|[A-D]))?,? (?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace|[Ii]mpasse|[Aa]llée|[Cc]hemin|[Qq]uai|[Cc]ours)"
    r" (?:(?:de|du|des|la|le|les) |[dl]['\u2019])*[A-ZÀ-Þ][\w'\u2019-]+(?: (?:(?:de|du|des|la|le|les) )?[A-ZÀ-Þ][\w'\u2019-]+){0,2}"
    r"|(?:Calle|C/|Avenida|Avda\.?|Plaza|Paseo|Via|Viale|Piazza|Corso|Vicolo|Largo|Rua|Travessa|ul\.|ulica|al\.|os\.|pl\.) (?:(?:de|da|do|dos|del|della|la|las|los|el) )*"
    r"[A-ZÀ-Þ\u0104-\u017b][^\W\d_]+(?: (?:(?:de|da|do|del|della|la|y|e) )*[A-ZÀ-Þ][^\W\d_]+){0,3},? (?:n[º°.] ?)?\d{1,4}(?:/\d{1,4})?)(?!\w)"
)
"""Lines whose kind of street stands before its name: `54 rue des Martyrs`, `Calle Mayor 12`."""
_BEFORE_TOWN: Final = re.compile(
    r"(?<![\w.])(?:(?:Am|An|Auf|Bei|Hinter|Im|In|Unter|Vor|Zum|Zur|(?:Alt|Groß|Hoh|Klein|Lang|Neu)e[nrs]?) )?(?:[a-zà-þ]{2,8} )?"
    r"[A-ZÀ-Þ][^\W\d_]+(?:-[A-ZÀ-Þ][^\W\d_]+)* \d{1,4}(?:/\d{1,4}| ?[a-z])?(?=(?:, |\n)(?:\d{4,5}|\d\d-\d{3}|\d{3} \d\d) [A-ZÀ-Þ][^\W\d_])"
)
"""A line without a word for a street, which shows by the postcode and the town behind it: `Hinter den Gärten 7, 23552 Lübeck`."""
_FLAT: Final = r"(?:,? ?(?:apt|appt|suite|unit|ste|lgh|whg|int|piso|#)\.? ?\w{1,6})?"
_NAMED: Final = r"([A-ZÀ-Þ][^\W\d_]+(?:[ \-][A-ZÀ-Þ][^\W\d_]+){0,2})"
_CODE: Final = r"((?-i:\d{4} ?[A-Z]{2}\b)|\d{4,6}(?:-\d{3,4})?|\d\d-\d{3}|\d{3} \d{2,3}|(?-i:[A-Z]{1,2}-?\d[A-Z\d]{0,4}(?: ?[A-Z\d]{2,4})?)|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})(?!\w)"
"""A postcode of any country: digits, or letters and digits in one group or two; where capitals show it, of any such form."""
_TOWN: Final = re.compile(
    rf"{_FLAT}\s*[,\n]\s*{_NAMED},?\s+(?:[A-Z]{{2,3}},?\s+)?{_CODE}", re.IGNORECASE
)
_CODE_FIRST: Final = re.compile(rf"{_FLAT}\s*[,\n]\s*{_CODE},? {_NAMED}")
_TOWN_ALONE: Final = re.compile(rf"{_FLAT}(?:,| in) {_NAMED}(?=\s*(?:[.,;!?)\n]|$))")
_POSTCODE: Final = re.compile(
    r"(?<!\w)(?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|\d{4} [A-Z]{2})(?!\w)"
)
_EAST_ASIAN: Final = re.compile(
    "(?<=[\u3040-\u30ff\u4e00-\u9fff])[都道府県市区町村丁省路街号號郡](?!$)"
)
"""What ends a part of an address in Japanese and Chinese: two different ones and a number are an address line."""
_GROUPED: Final = re.compile(r"(?:\+|\(?\+?0)\d*\)?(?:[ ./-]{1,2}\(?\d{1,6}\)?){1,6}|\+\d{9,15}")
_DAY_FIRST: Final = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d")
_IPV4: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")
_MASKS: Final = IPv4Address("255.0.0.0")
_IPV6: Final = re.compile(r"[0-9a-fA-F:]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*")
_LONG_ADDRESS: Final = re.compile(
    r"(?=.*::|(?:[^:]+:){7})(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}"
)


_NO_DIGITS: Final = bytes(code for code in range(256) if chr(code) not in "0123456789")


def digit_count(text: str) -> int:
    """Return how many decimal digits a text holds."""
    if text.isascii():
        return len(text.encode("ascii").translate(None, _NO_DIGITS))
    return sum(map(str.isdecimal, text))


def letter_count(text: str) -> int:
    """Return how many letters a text holds."""
    return sum(map(str.isalpha, text))


def can_be(kind: str, value: str) -> bool:
    """Say whether a value under a key of that kind can be one; what cannot is left to the judge of unknown keys."""
    text = value.strip()
    if not text or len(text) > 400:
        return False
    if text.casefold() in NOTHING and not (text in _CALLED and kind in _PARTS_OF_NAMES):
        return False
    if kind in _OF_PEOPLE and is_company(text):
        return False
    if "://" in text and kind in _NO_PAGES:
        return False  # the `Address:` of a page
    check = _CHECKS.get(kind)
    return check(text) if check else bool(letter_count(text) or digit_count(text))


_CALLED: Final = frozenset({"False", "Null", "True"})
"""Somebody may be called so: literals are written small, or without quotes. `None` is what Python prints for nobody."""
_PARTS_OF_NAMES: Final = frozenset({"first_name", "last_name"})
_NO_PAGES: Final = _PARTS_OF_NAMES | {"full_name", "street", "city", "postcode", "phone"}
_OF_PEOPLE: Final = _PARTS_OF_NAMES | {"full_name", "person_id", "handle"}


def _name(text: str) -> bool:
    return letter_count(text) > 0 and digit_count(text) <= 2 and len(text) <= 120


def is_company(text: str) -> bool:
    """Say whether a name ends as those of companies do; `Jan Kowalski Ltd` is somebody all the same."""
    *words, form = text.casefold().split() or [""]
    return form.strip(".") in _COMPANIES and not any(map(is_name, words[:1]))


def is_plain(word: str) -> bool:
    """Whether a word is in the dictionary, and nobody's name."""
    return word in words_of(ENGLISH) and not is_name(word)


def _identifier(text: str) -> bool:
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+", text)]
    if not digit_count(text) and all(word in ID_WORDS for word in words):
        return False  # "credit_card" under `payment_id` is a choice, not an id
    if len(words) > 1 and " " not in text and not digit_count(text) and all(map(is_plain, words)):
        return False  # and so is "not_found" under `code`
    return len(text) >= 2 and len(text) <= 200 and text.count(" ") <= 2


_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "first_name": _name,
    "last_name": _name,
    "full_name": _name,
    "city": _name,
    "handle": _identifier,
    "person_id": _identifier,
    "payment_id": _identifier,
    "email": lambda text: "@" in text,
    "phone": lambda text: digit_count(text) >= 5,
    "street": lambda text: letter_count(text) > 0 or digit_count(text) > 0,
    "postcode": lambda text: digit_count(text) >= 2 and len(text) <= 12,
    "birth_date": lambda text: read_date(text) is not None,
    "card_number": lambda text: digit_count(text) >= 3,
    "card_tail": lambda text: 3 <= digit_count(text) <= 5 and letter_count(text) == 0,
    "iban": lambda text: digit_count(text) >= 8,
    "ssn": lambda text: digit_count(text) >= 4,
    "document_id": lambda text: digit_count(text) >= 3 and len(text) <= 80,
    "opaque_id": lambda text: len(text) >= 3,
    "ip": lambda text: (
        bool(_IPV4.fullmatch(text) or _IPV6.fullmatch(text)) and not is_nobodys_address(text)
    ),
    "secret": lambda text: len(text) >= 4,
    "coordinate": lambda text: digit_count(text) >= 3,
}


def is_street(value: str) -> bool:
    """Say whether a value looks like an address line: a number and a word such as street, rue or -weg."""
    if not 6 <= len(value) <= 80 or not 1 <= digit_count(value) <= 8:
        return False
    if len(set(_EAST_ASIAN.findall(value))) > 1:
        return True
    words = [word.casefold() for word in _WORDS.findall(value)]
    if " " not in value and "," not in value:
        # `PL587A` and `ST-10023` are numbers with letters in front; `Ringweg12` is a street.
        return any(word.endswith(STREET_ENDS) and word not in STREET_ENDS for word in words)
    telling = any(word in STREET_TELLING or word.endswith(STREET_ENDS) for word in words)
    return telling and (
        not _is_sentence(value) or any(form.search(value) for form in (ADDRESS_LINE, _ROMANCE_LINE))
    )


def _is_sentence(value: str) -> bool:
    """Say whether a value with capitals has several words in small letters that no address has."""
    words = _WORDS.findall(value)
    small = [word for word in words if word.islower() and word not in _OF_ADDRESSES]
    return len(small) >= SEVERAL and not value.islower()


_OF_ADDRESSES: Final = word_list("particles") | STREET_TELLING


def is_phone(text: str) -> bool:
    """Say whether digits are grouped as in a phone number: `090-5551-2213`, `06.12.34.56.78`, `+81 3 1234 5678`."""
    if not 9 <= digit_count(text) <= 15 or not _GROUPED.fullmatch(text):
        return False
    groups = len(re.findall(r"\d+", text))
    return text[0] == "+" or (text[0] in "0(" and groups >= 3 and not _DAY_FIRST.match(text))


def addresses_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the address lines, towns and codes that stand in a text as addresses do."""
    for found in ADDRESS_LINE.finditer(text):
        if is_street(found[0]):
            yield "street", found[0]
            yield from _town_behind(text, found.end())
    for found in _BEFORE_TOWN.finditer(text):
        yield "street", found[0]
        yield from _town_behind(text, found.end())


def _town_behind(text: str, end: int) -> Iterator[tuple[str, str]]:
    """Yield the town and the code behind an address line: whose street is known, whose town is too."""
    if town := _TOWN.match(text, end):
        yield "city", town[1]
        yield "postcode", town[2]
    elif town := _CODE_FIRST.match(text, end):
        yield "postcode", town[1]
        yield "city", town[2]
    elif (town := _TOWN_ALONE.match(text, end)) and _is_town(town[1]):
        yield "city", town[1]


def _is_town(name: str) -> bool:
    """Say whether a capitalised run is no word of a sentence that goes on: a place of the list, or in no dictionary."""
    words = [word.casefold() for word in _WORDS.findall(name)]
    return any(word in _PLACES or word not in words_of(ENGLISH) for word in words)


def lines_by_kind(text: str) -> Iterator[tuple[str, str]]:
    """Yield the address lines of a text in which the kind of street stands before its name, with their towns and codes."""
    for found in _ROMANCE_LINE.finditer(text):
        yield "street", found[0]
        yield from _town_behind(text, found.end())


def is_net_address(text: str) -> bool:
    """Say whether a text is an address of the internet's protocol, of the older form or the newer."""
    if _IPV4.fullmatch(text):
        return all(int(part) < 256 for part in text.split("."))
    return text.count(":") > 1 and _LONG_ADDRESS.fullmatch(text) is not None


def is_nobodys_address(text: str) -> bool:
    """Say whether a net address names no machine of anybody: that of the machine itself, `0.0.0.0`, a group's, a mask (RFC 6890)."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    masks = isinstance(address, IPv4Address) and address >= _MASKS
    return address.is_unspecified or address.is_loopback or address.is_multicast or masks


def parts_of(address: str) -> Iterator[tuple[str, str]]:
    """Yield the lines with which an address begins, each as often said alone, and the code in it."""
    for comma in re.finditer(",", address):
        if digit_count(address[: comma.start()]):
            yield address[: comma.start()].strip(), "street"
    for code in _POSTCODE.findall(address.partition(",")[2]):
        yield code, "postcode"


def emails_in(text: str) -> Iterator[str]:
    """Yield the e-mail addresses that stand in a text, also those in addresses of pages (`to=ann%40mail.test`)."""
    yield from _emails_at("@", text)
    for sign in _WRITTEN_AT if "%" in text or "\\u0040" in text else ():
        for found in _emails_at(sign, text):
            read = unquote(unquote(found.replace("\\u0040", "@")))
            yield from _emails_at("@", read)


_WRITTEN_AT: Final = ("%40", "%2540", "\\u0040")


def _emails_at(sign: str, text: str) -> Iterator[str]:
    """Yield what stands around a sign as around that of an address; a long run of letters is gone back over once."""
    done = 0
    place = text.find(sign)
    while place >= 0:
        end = place + len(sign)
        domain = _DOMAIN.match(text, end)
        if domain:
            beginning = _LOCAL.match(text[max(done, place - BEFORE) : place][::-1])
            start = place - (beginning.end() if beginning else 0)
            while start > done and (text[start - 1].isalnum() or text[start - 1] in _IN_LOCAL):
                start -= 1
            if start < place:
                done = end = domain.end()
                yield _latin_address(text[start:place], sign, text[place + len(sign) : end])
        place = text.find(sign, end)


def _latin_address(local: str, sign: str, domain: str) -> str:
    """Return an address without words of a script without blanks that stand at once before or behind its Latin letters."""
    if not (local.isascii() and domain.isascii()):
        local = _LATIN_END.search(local)[0] or local  # type: ignore[index]  # matches nothing at least
        domain = (_LATIN_DOMAIN.match(domain) or [domain])[0]
    return f"{local}{sign}{domain}".strip(".'-")


_OTHERS: Final = "\u0e00-\u0eff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_LATIN_END: Final = re.compile(f"[^{_OTHERS}]*\\Z")
_LATIN_DOMAIN: Final = re.compile(
    rf"[^\W{_OTHERS}](?:[^\W{_OTHERS}]|-)*(?:\.(?:[^\W{_OTHERS}]|-)+)+"
)
_DOMAIN: Final = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_IN_LOCAL: Final = frozenset("_.+%'-")
_LOCAL: Final = re.compile(r"[\w.+%'-]*")
"""The same, for what is read backwards; letter by letter only where more than this stands before the sign."""
