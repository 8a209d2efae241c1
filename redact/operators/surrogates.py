"""One surrogate for one mention: keyed, typed, format-keeping, a function of the mention's own atoms.

In: a keyed permutation, a family (`redact.kinds`) and the mention as it stands. Out: the text that replaces it.

Composites are rebuilt from the surrogates of their atoms, so a name inside a user id, an e-mail address and a sentence
stays one name. Nothing here remembers anything: the same mention has the same surrogate on every day and machine that
holds the key. The families that draw from a smaller range than they serve (`vault.DRAWN`: names and places among them)
take an `attempt`; the vault raises it when two values met.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from redact.bounds import LONG, STEM
from redact.fold import fold_value
from redact.lists.word_lists import ID_WORDS, PARTICLES, STREET_WORDS
from redact.operators.invented_names import invent
from redact.recognizers.spoken_forms import digits_said, email_said, say_digits, say_email
from redact.records.clean_episode import WITHHELD
from redact.values.dates import move_date
from redact.values.permutations import KeyedDigest
from redact.values.scripts import SIGNS, is_unspaced, is_word

_RUNS: Final = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{SIGNS}])*|\d+|[\W_]+")
_TOKENS: Final = re.compile(rf"[^\W_](?:[^\W_]|[{SIGNS}])*|[\W_]+")
_WORD: Final = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{SIGNS}])+")
_LETTERS_DIGITS: Final = re.compile(r"([^\W\d_]+)(\d+)")
_DIGITS: Final = 1_000
"""So many digits are one number; Python reads none of more than 4300."""
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UUID_FREE: Final = tuple(place for place in range(36) if place not in {8, 13, 14, 18, 19, 23})
_IBAN: Final = 15
"""The shortest account number that carries the checksum."""
_SPELT_OUT: Final = re.compile(r"[A-Za-z0-9](?:[ ./-]{1,3}[A-Za-z0-9]){3,}")
"""Letter by letter: what it stands for has one surrogate, with gaps and without."""
_HEX: Final = re.compile(r"(?=[0-9a-f]*[a-f])[0-9a-f]{8,}", re.IGNORECASE)
"""No word is made of eight of these letters; one random number of eight in a hundred has no digit."""


def surrogate(keyed: KeyedDigest, family: str, mention: str, attempt: int = 0) -> str:
    """Return the surrogate of a mention."""
    plain = mention if mention.isascii() else unicodedata.normalize("NFC", mention)
    return _FAMILIES[family](keyed, plain, attempt)


def recase(pattern: str, word: str) -> str:
    """Return the word in the case class of the pattern: UPPER, lower or Title."""
    letters = [letter for letter in pattern if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return word.upper()
    if letters and letters[0].isupper():
        return word[:1].upper() + word[1:]
    return word


def word_surrogate(keyed: KeyedDigest, word: str, attempt: int = 0) -> str:
    """Return the invented word for one word of a name, in its case; a single letter becomes another letter."""
    folded = fold_value(word) or word.casefold()
    if len(folded) == 1:
        if is_unspaced(folded):
            return invent(keyed.derive("word"), folded, attempt)  # a whole given name
        if not ("a" <= folded <= "z"):
            return word
        return recase(word, chr(97 + keyed.move(ord(folded) - 97, 26, "letter")))
    return recase(word, invent(keyed.derive("word"), folded, attempt))


def digits_surrogate(keyed: KeyedDigest, digits: str) -> str:
    """Return as many other digits; a leading zero stays one and no new one appears."""
    if len(digits) > _DIGITS:
        blocks = (digits[place : place + _DIGITS] for place in range(0, len(digits), _DIGITS))
        return "".join(digits_surrogate(keyed, block) for block in blocks)
    rest = digits.lstrip("0") or "0"
    zeros = digits[: len(digits) - len(rest)]
    floor = 10 ** (len(rest) - 1) if len(rest) > 1 else 0
    size = 10 ** len(rest) - floor
    moved = floor + keyed.move(int(rest) - floor, size, f"digits{len(zeros)}/{len(rest)}")
    return zeros + str(moved)


def opaque_surrogate(keyed: KeyedDigest, text: str) -> str:
    """Return other digits for digits and other letters for letters, place by place; everything else stays."""
    if text.isdecimal() and text.isascii():
        return digits_surrogate(keyed, text)
    size = 1
    number = 0
    shape = []
    for letter in text:
        base, value, mark = _class_of(letter)
        shape.append(mark)
        number = number * base + value
        size *= base
    number = keyed.move(number, size, "opaque" + "".join(shape))
    out: list[str] = []
    for letter, mark in zip(reversed(text), reversed(shape), strict=True):
        base = {"9": 10, "a": 26, "A": 26}.get(mark, 1)
        number, value = divmod(number, base)
        out.append({"9": str(value), "a": chr(97 + value), "A": chr(65 + value)}.get(mark, letter))
    return "".join(reversed(out))


def _opaque(keyed: KeyedDigest, mention: str) -> str:
    """Return an opaque surrogate; letters beyond ASCII have no permutation and become invented words, run by run."""
    moved = opaque_surrogate(keyed, mention)
    if mention.isascii():
        return moved
    words = keyed.derive("opaque word")
    return _FOREIGN.sub(lambda run: invent(words, run[0].casefold()), moved)


_FOREIGN: Final = re.compile(rf"(?![A-Za-z])[^\W\d_](?:(?![A-Za-z])[^\W\d_]|[{SIGNS}])*")
"""Letters beyond ASCII."""


def _class_of(letter: str) -> tuple[int, int, str]:
    if "0" <= letter <= "9":
        return 10, ord(letter) - 48, "9"
    if "a" <= letter <= "z":
        return 26, ord(letter) - 97, "a"
    if "A" <= letter <= "Z":
        return 26, ord(letter) - 65, "A"
    return 1, 0, letter


def _hexadecimal(keyed: KeyedDigest, text: str) -> str:
    """Return other hexadecimal digits; the case stays."""
    size = 16 ** len(text)
    moved = format(keyed.move(int(text, 16), size, f"hex{len(text)}"), "x").zfill(len(text))
    return moved.upper() if text.upper() == text else moved


def _name(keyed: KeyedDigest, mention: str, attempt: int) -> str:
    out = []
    for run in _RUNS.findall(mention):
        if run[0].isdecimal():
            out.append(digits_surrogate(keyed, run) if run.isascii() else run)
        elif run[0].isalpha() and run.casefold() not in PARTICLES:
            out.append(word_surrogate(keyed, run, attempt))
        else:
            out.append(run)
    return "".join(out)


def _street(keyed: KeyedDigest, mention: str, attempt: int) -> str:
    out = []
    for run in _RUNS.findall(mention):
        folded = run.casefold()
        if run[0].isdecimal() and run.isascii():
            out.append(digits_surrogate(keyed, run))
        elif run[0].isalpha() and folded not in STREET_WORDS and is_word(folded):
            out.append(word_surrogate(keyed, run, attempt))
        else:
            out.append(run)
    return "".join(out)


_DECIMAL: Final = re.compile(r"-?\d{1,3}\.\d*[1-9]0+")
"""A place on the map, with zeros that JSON leaves out."""


def _identifier(keyed: KeyedDigest, mention: str, _attempt: int) -> str:
    if _UUID.fullmatch(mention):
        return _uuid(keyed, mention)
    if len(mention) >= LONG and not mention[1].isalnum() and _SPELT_OUT.fullmatch(mention):
        moved = iter(_identifier(keyed, "".join(filter(str.isalnum, mention)), 0))
        return "".join(next(moved, "") if letter.isalnum() else letter for letter in mention)
    if mention.endswith("0") and _DECIMAL.fullmatch(mention):
        short = mention.rstrip("0")  # equal numbers stay equal
        return _identifier(keyed, short, 0) + mention[len(short) :]
    tokens = _TOKENS.findall(mention)
    words = [word.casefold() for word in map(_word_in, tokens) if len(word) > 1]
    word_of: Callable[[KeyedDigest, str], str] = word_surrogate
    if all(word in ID_WORDS for word in words):
        word_of = _same_word  # credit_card_4421 stays a credit card
    elif len(words) == 1 and len(words[0]) <= STEM:
        word_of = _letters  # KD-4421: a prefix of the same length
    return "".join(_id_token(keyed, token, word_of) for token in tokens)


def _word_in(token: str) -> str:
    """Return the word a token is or begins with; a token of mixed letters and digits has none."""
    if (token.isalpha() and not _HEX.fullmatch(token)) or _is_signed(token):
        return token
    parts = None if _HEX.fullmatch(token) else _LETTERS_DIGITS.fullmatch(token)
    return parts[1] if parts else ""


def _uuid(keyed: KeyedDigest, mention: str) -> str:
    """Return another UUID of the same version and variant."""
    moved = iter(_hexadecimal(keyed, "".join(mention[place] for place in _UUID_FREE)))
    free = set(_UUID_FREE)
    return "".join(next(moved) if place in free else mention[place] for place in range(36))


def _same_word(_keyed: KeyedDigest, word: str) -> str:
    return word


def _letters(keyed: KeyedDigest, word: str) -> str:
    """Return as many other letters, the same ones whatever the word's case."""
    return recase(word, _opaque(keyed, word.casefold()))


def _id_token(keyed: KeyedDigest, token: str, word_of: Callable[[KeyedDigest, str], str]) -> str:
    alone = len(token) == 1 and token.isalpha()
    if not token[0].isalnum() or (alone and not is_unspaced(token)):
        return token
    if token.isdecimal() and token.isascii():
        return digits_surrogate(keyed, token)
    if _HEX.fullmatch(token):
        return _hexadecimal(keyed, token)
    if (token.isalpha() and not alone) or _is_signed(token):
        return word_of(keyed, token)
    parts = _LETTERS_DIGITS.fullmatch(token)
    if parts and token.isascii():
        return _id_token(keyed, parts[1], word_of) + digits_surrogate(keyed, parts[2])
    return _opaque(keyed, token)


def _is_signed(token: str) -> bool:
    """Say whether a token is a word with vowel signs, as Indian scripts write them."""
    return not token.isascii() and _WORD.fullmatch(token) is not None and not token.isalpha()


def _email(keyed: KeyedDigest, mention: str, attempt: int) -> str:
    if "@" not in mention:
        said = email_said(mention)
        return (
            say_email(_email(keyed, said, attempt), mention)
            if "@" in said
            else _name(keyed, mention, attempt)
        )
    local, _, domain = mention.rpartition("@")
    name = "".join(
        _id_token(keyed, token, lambda key, word: word_surrogate(key, word, attempt))
        for token in _TOKENS.findall(local)
    )
    if domain.casefold() in {"example.com", "example.org", "example.net"}:
        return f"{name}@{domain}"
    site = invent(keyed.derive("domain"), fold_value(domain))
    # example.com and what is below it are reserved: nobody receives this mail.
    return f"{name}@{recase(domain, site)}.example.com"


def _refill(mention: str, digits: str) -> str:
    """Return the mention with its digits replaced in place, separators kept."""
    left = iter(digits)
    return "".join(next(left, "") if letter.isdecimal() else letter for letter in mention)


def _digits_of(mention: str) -> str:
    return "".join(str(int(letter)) for letter in mention if letter.isdecimal())


def _phone(keyed: KeyedDigest, mention: str, attempt: int) -> str:
    """Numbers of the North American plan move to the exchange 555, all others to the unassigned country code 999."""
    digits = _digits_of(mention)
    if not digits and digits_said(mention):
        return say_digits(mention, lambda said: _phone(keyed, said, attempt))
    tail = f"phone{attempt}"
    if len(digits) < 7:
        return _refill(mention, digits_surrogate(keyed, digits)) if digits else mention
    national = digits[1:] if len(digits) == 11 and digits[0] == "1" else digits
    if len(national) == 10 and national[0] > "1" and not mention.lstrip().startswith(("+2", "+3")):
        drawn = keyed.number(800 * 10_000, tail, national)
        area, line = divmod(drawn, 10_000)
        moved = f"{200 + area}555{line:04d}"
        return _refill(mention, digits[: len(digits) - 10] + moved)
    if len(digits) == 7:
        return _refill(mention, f"555{keyed.number(10_000, tail, digits):04d}")
    zeros = len(digits) - len(digits.lstrip("0"))
    free = len(digits) - zeros - 3
    drawn = keyed.number(10**free, tail, digits)
    return _refill(mention, "0" * zeros + "999" + str(drawn).zfill(free))


def luhn_valid(digits: str) -> bool:
    """Say whether the digits carry a correct Luhn check digit."""
    total = 0
    for place, letter in enumerate(reversed(digits)):
        value = int(letter) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _card(keyed: KeyedDigest, mention: str, attempt: int) -> str:
    """Keep brand digit and length, move the last four as `card_tail` does, and set a middle digit for the checksum."""
    digits = _digits_of(mention)
    if len(digits) < 12:
        return _refill(mention, digits_surrogate(keyed, digits)) if digits else mention
    tail = digits_surrogate(keyed, digits[-4:])
    free = len(digits) - 10
    middle = str(keyed.number(10**free, f"card{attempt}", digits)).zfill(free)
    head = digits[0] + "0000"
    for check in "0123456789":
        moved = f"{head}{check}{middle}{tail}"
        if luhn_valid(moved) == luhn_valid(digits):
            return _refill(mention, moved)
    return _refill(mention, f"{head}0{middle}{tail}")


def _ssn(keyed: KeyedDigest, mention: str, attempt: int) -> str:
    digits = _digits_of(mention)
    if len(digits) != 9:
        return opaque_surrogate(keyed, mention)
    # Areas 900-999 are never issued, groups 01-49 there not even as taxpayer numbers.
    drawn = keyed.number(100 * 49 * 10_000, f"ssn{attempt}", digits)
    area, rest = divmod(drawn, 49 * 10_000)
    group, serial = divmod(rest, 10_000)
    return _refill(mention, f"{900 + area}{group + 1:02d}{serial:04d}")


def _iban(keyed: KeyedDigest, mention: str, _attempt: int) -> str:
    compact = re.sub(r"\W", "", mention)
    if not compact.isascii() or not compact.isalnum() or len(compact) < _IBAN:
        return opaque_surrogate(keyed, mention)
    country, account = compact[:2], opaque_surrogate(keyed, compact[4:])
    number = int("".join(str(int(letter, 36)) for letter in f"{account}{country}00"))
    moved = iter(f"{country}{98 - number % 97:02d}{account}")
    return "".join(next(moved, "") if letter.isalnum() else letter for letter in mention)


def _ip(keyed: KeyedDigest, mention: str, attempt: int) -> str:
    if ":" in mention:
        drawn = format(keyed.number(2**96, f"ip6{attempt}", mention.casefold()), "024x")
        groups = ":".join(drawn[place : place + 4] for place in range(0, 24, 4))
        return f"2001:db8:{groups}"  # the documentation prefix
    drawn4 = keyed.number(2**28, f"ip4{attempt}", mention)
    first = 240 + (drawn4 >> 24)  # 240.0.0.0/4 is reserved and never routed
    return f"{first}.{(drawn4 >> 16) & 255}.{(drawn4 >> 8) & 255}.{drawn4 & 255}"


def _secret(keyed: KeyedDigest, mention: str, _attempt: int) -> str:
    return f"REDACTED-SECRET-{keyed.digest('secret', mention, size=6).hex()}"


def _marker(_keyed: KeyedDigest, _mention: str, _attempt: int) -> str:
    return WITHHELD


def _digits_in_place(keyed: KeyedDigest, mention: str, _attempt: int) -> str:
    return re.sub(r"[0-9]+", lambda run: digits_surrogate(keyed, run[0]), mention)


_FAMILIES: Final[dict[str, Callable[[KeyedDigest, str, int], str]]] = {
    "name": _name,
    "street": _street,
    "place": _name,
    "identifier": _identifier,
    "opaque": lambda keyed, mention, _attempt: _opaque(keyed, mention),
    "digits": _digits_in_place,
    "email": _email,
    "phone": _phone,
    "card": _card,
    "ssn": _ssn,
    "iban": _iban,
    "ip": _ip,
    "secret": _secret,
    "marker": _marker,
    "date": lambda keyed, mention, _attempt: move_date(keyed, mention),
}
"""One function per family."""
