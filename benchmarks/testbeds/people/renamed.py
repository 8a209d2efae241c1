"""People of published packages, each subject's under other names: a world that many share tells a redactor who is in it.

Comes in: the names, e-mail addresses and numbers that a package made up, and dice. Comes out: texts and JSON with others in their
place, and the truth: who stands there, under which spellings. Not here: conversations, measuring.
"""

from __future__ import annotations

import random
import re
import tomllib
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_PEOPLE: Final = tomllib.loads((Path(__file__).parent / "people.toml").read_text("utf-8"))
_PLAIN: Final = str.maketrans("łŁıİøØđĐßæð", "lLiIoOdDsad")
_MAIL: Final = re.compile(r"[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+\w")
_HIDDEN: Final = re.compile("\x00(\\d+)\x00")
Name = tuple[str, str]
"""First and last; the last may be empty."""


class Renamed:
    """One subject's people and numbers in the place of the package's."""

    def __init__(
        self,
        dice: random.Random,
        people: Collection[Name],
        numbers: Mapping[str, str],
        user: Name | None,
    ) -> None:
        """`numbers` are values of the package by which somebody is known, each with its kind."""
        first = sorted({one for one, _ in people})
        last = sorted({one for _, one in people if one})
        self.first: dict[str, str] = dict(
            zip(first, dice.sample(_PEOPLE["first"].split(), len(first)), strict=True)
        )
        self.last: dict[str, str] = dict(
            zip(last, dice.sample(_PEOPLE["last"].split(), len(last)), strict=True)
        )
        self._values: dict[str, str] = {value: _another(dice, value) for value in numbers}
        self.truth: dict[str, list[str]] = {}
        """By kind and whose it is: the spellings that must not be left."""
        for one in people:
            kind = "name" if one == user else "third"
            words = [self.first[one[0]], *([self.last[one[1]]] if one[1] else [])]
            self.truth[f"{kind}/{' '.join(one).strip()}"] = list(
                dict.fromkeys([" ".join(words), *words])
            )
        for value, kind in numbers.items():
            self.truth[f"{kind}/{value}"] = [self._values[value]]
        self._patterns(first, last)

    def _patterns(self, first: Sequence[str], last: Sequence[str]) -> None:
        one, other = _any_of(first), _any_of(last)
        self._pair = re.compile(rf"\b({one}) ({other})\b")
        self._one = re.compile(rf"\b({one})\b")
        self._number = re.compile(rf"(?<![A-Za-z0-9])({_any_of(self._values)})(?![A-Za-z0-9])")
        self._small = {
            plain(old): plain(new).replace("'", "")
            for old, new in {**self.first, **self.last}.items()
        }

    def know_mails(self, mails: Collection[str], own: Collection[str]) -> None:
        """Take e-mail addresses of the package's people into the truth; `own` are the user's."""
        for mail in mails:
            kind = "direct" if mail in own else "third-direct"
            self.truth[f"{kind}/{mail}"] = [self.text(mail)]

    def text(self, text: str) -> str:
        """Return a text of the package with this subject's people."""
        if text in self.last:
            return self.last[text]
        text = self._number.sub(lambda found: self._values[found[1]], text)
        mails: list[str] = []

        def hide(found: re.Match[str]) -> str:
            mails.append(self._mail(found[0]))
            return f"\x00{len(mails) - 1}\x00"

        text = _MAIL.sub(hide, text)
        text = self._pair.sub(lambda found: f"{self.first[found[1]]} {self.last[found[2]]}", text)
        text = self._one.sub(lambda found: self.first[found[1]], text)
        return _HIDDEN.sub(lambda found: mails[int(found[1])], text)

    def _mail(self, mail: str) -> str:
        local, _, host = mail.partition("@")
        parts = re.split(r"([^A-Za-z]+)", local)
        return "".join(self._small.get(part.lower(), part) for part in parts) + "@" + host

    def json(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return JSON of the package with this subject's people, in keys too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                self.text(key) if isinstance(key, str) else key: self.json(one)
                for key, one in value.items()
            }
        return [self.json(one) for one in value] if isinstance(value, list | tuple) else value


def plain(name: str) -> str:
    """Return a name in small letters without accents, as addresses have it."""
    parts = unicodedata.normalize("NFD", name.translate(_PLAIN))
    return "".join(letter for letter in parts if not unicodedata.combining(letter)).lower()


def named_by_mails(text: str) -> set[Name]:
    """Return the people who stand in a text and in an e-mail address of it with both names: `emma.johnson@…`."""
    found: set[Name] = set()
    for mail in _MAIL.findall(text):
        parts = re.split(r"[^a-z]+", mail.partition("@")[0].lower())
        names = [part.title() for part in parts if part]
        if len(names) > 1 and f"{names[0]} {names[1]}" in text:
            found.add((names[0], names[1]))
    return found


def mails_of(text: str, people: Collection[Name]) -> list[str]:
    """Return the e-mail addresses of a text that hold a word of these people's names."""
    words = {plain(word) for one in people for word in one if word}
    return sorted(
        {
            mail
            for mail in _MAIL.findall(text)
            if words & set(re.split(r"[^a-z]+", mail.partition("@")[0].lower()))
        }
    )


def _any_of(words: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or "(?!)"


def _another(dice: random.Random, value: str) -> str:
    """Return a value of the same form: another day, other digits, a street or a town of ours where it has words."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return f"{dice.randrange(1950, 2004)}-{dice.randrange(1, 13):02}-{dice.randrange(13, 29)}"
    if re.search(r"[A-Za-z]{4}", value):
        street = f"{dice.randrange(2, 980)} {dice.choice(_PEOPLE['streets'])}"
        if value.count(" ") < 1:
            return f"{dice.choice(('sunny', 'tiger', 'winter'))}{dice.randrange(100, 9999)}{dice.choice('!#_$')}"
        return f"{street}, {dice.choice(_PEOPLE['towns'])}" if "," in value else street
    return "".join(str(dice.randrange(1, 10)) if letter.isdigit() else letter for letter in value)
