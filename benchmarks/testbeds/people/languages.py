"""Invented conversations in Chinese, Japanese, German and Spanish, with their people and the pieces of sentences that are nobody's.

Sentences, records and names are those of `languages.toml`; every second name and address is Faker's.
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from faker import Faker

from benchmarks.testbeds.people.talks import episode, says, step
from ingest.records.episode import Episode, Step

LOCALES: Final = {"zh": "zh_CN", "ja": "ja_JP", "de": "de_DE", "es": "es_ES"}
_SLOT: Final = re.compile(r"\{(\w+)\}")
_RANGE: Final = re.compile(r"\{(.)-(.)\}|#")
_TOWNS: Final = {
    "zh": ("浙江省杭州市西湖区", "北京市朝阳区", "广东省深圳市南山区", "四川省成都市武侯区", "上海市"),
    "ja": ("東京都港区", "大阪府大阪市北区", "北海道札幌市中央区", "京都府京都市左京区", "神奈川県川崎市"),
    "de": ("50667 Köln", "04109 Leipzig", "80331 München", "23552 Lübeck", "10999 Berlin"),
    "es": ("41001 Sevilla", "28013 Madrid", "08025 Barcelona", "50003 Zaragoza", "48009 Bilbao"),
}  # fmt: skip
_STREETS: Final = {
    "zh": ("文三路#{1-9}号", "建国门外大街#{1-9}号#单元##2室", "莲花新村#{1-9}幢{1-9}0#室", "中山北路##{1-9}弄#号", "科苑南路{1-9}#号"),
    "ja": ("芝公園{1-9}-{1-9}-{1-9}#", "梅田{1-9}丁目{1-9}番{1-9}号", "南三条西{1-9}丁目#{1-9}", "吉田本町{1-9}#番地", "宮前{1-9}-#{1-9} 青葉荘{1-9}0{1-9}号室"),
    "de": ("Ahornweg {1-9}#", "Am alten Markt {1-9}", "Goethestr. {1-9}#a", "Hinter den Gärten {1-9}", "Lange Reihe {1-9}#"),
    "es": ("Calle Mayor {1-9}#, 2º B", "Avda. de la Constitución {1-9}#", "C/ Olmo, {1-9}#", "Plaza del Carmen {1-9}", "Paseo de Gracia {1-9}#, 3.º"),
}  # fmt: skip
PERSONAL: Final = frozenset({"name", "phone", "address", "id", "ssn", "plate", "email", "called"})
_KINDS: Final = {"ssn": "id", "plate": "id", "called": "name"}


@dataclass(slots=True)
class Person:
    """Somebody with what identifies him, by kind."""

    values: dict[str, str]
    street: str


@dataclass(slots=True)
class Talk:
    """One conversation with its truth."""

    raw: Episode
    owner: Person
    other: Person
    """Whom only prose names."""
    planted: list[tuple[str, str]] = field(default_factory=list)
    """Kind and what must not be left."""
    nobodys: list[tuple[int, str]] = field(default_factory=list)
    """Step and what must stand in its text as before."""


class Writer:
    """Writes one language's conversations."""

    def __init__(self, language: str, chosen: str, seed: int) -> None:
        tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
        self.language = language
        self.chosen = chosen
        self.own: dict[str, Any] = tables[language]
        self.set: dict[str, Any] = tables[language][chosen]
        self.draw = random.Random(f"{language} {chosen} {seed}")  # noqa: S311 - invented data
        self.fake = Faker(LOCALES[language])
        self.fake.seed_instance(seed * 1000 + len(chosen))

    def pattern(self, text: str) -> str:
        """Return a pattern with its digits and letters drawn."""
        fakes: Mapping[str, Callable[[], str]] = {
            "{nif}": lambda: str(self.fake.nif()),
            "{nie}": lambda: str(self.fake.nie()),
        }
        return fakes[text]() if text in fakes else _RANGE.sub(self._drawn, text)

    def _drawn(self, found: re.Match[str]) -> str:
        first, last = (found[1], found[2]) if found[1] else ("0", "9")
        return chr(self.draw.randint(ord(first), ord(last)))

    def person(self) -> Person:
        """Return somebody invented."""
        own = self.draw.random() < 0.5
        name = self.draw.choice(self.own["names"]) if own else str(self.fake.name())
        if self.language in {"de", "es"} and not own:
            name = f"{self.fake.first_name()} {self.fake.last_name()}"
        surname = self._surname(name)
        street, address = self._address(own=own)
        identity = self.pattern(self.draw.choice(self.own["ids"]))
        values = {
            "name": name.replace(" ", "") if self.language == "ja" and own else name,
            "called": self.draw.choice(self.own["titles"]).format(s=surname),
            "phone": self.pattern(self.draw.choice(self.own["phones"])),
            "address": address,
            "id": identity,
            "ssn": str(self.fake.ssn()) if self.language == "zh" else identity,
            "plate": self.pattern(self.draw.choice(self.own["plates"])),
            "email": str(self.fake.email()),
        }
        return Person(values, street)

    def _surname(self, name: str) -> str:
        if self.language == "zh":
            return name[:2] if name.startswith("欧阳") else name[0]
        words = name.split()
        return words[0] if self.language == "ja" else words[min(1, len(words) - 1)]

    def _address(self, *, own: bool) -> tuple[str, str]:
        town = self.draw.choice(_TOWNS[self.language])
        fake = self.fake
        street = self.pattern(self.draw.choice(_STREETS[self.language]))
        if not own and self.language == "ja":
            street = f"{fake.town()}{fake.chome()}{fake.ban()}{fake.gou()}"
        elif not own:
            street = str(fake.street_address()).strip()
        together = street.replace(" ", "") if self.language == "zh" else street
        return (together, town + together) if self.language in {"zh", "ja"} else (street, f"{street}, {town}")  # fmt: skip

    def write(self, number: int) -> Talk:
        """Return one conversation."""
        owner, other = self.person(), self.person()
        talk = Talk(episode("", number, []), owner, other)
        steps: list[Step] = []

        def told(role: str, slot: str) -> None:
            text = self._filled(self.draw.choice(self.set[slot]), talk, len(steps))
            steps.append(says(role, text))

        steps.append(says("system", self.set["prompt"]))
        talk.nobodys.append((0, self.set["prompt"]))
        told("user", "opening")
        asked = {self._key("phone"): owner.values["phone"]}
        record = self._record(self.set["record"], talk, len(steps) + 1)
        answer = json.dumps(record, ensure_ascii=False)
        steps += step("find_customer", asked, answer, "a")
        told("assistant", "reply")
        told("user", "third")
        rows = [self._record(self.set["catalogue"], talk, len(steps) + 1) for _ in range(3)]
        steps += step("search_offers", {"page": 1}, json.dumps(rows, ensure_ascii=False), "b")
        told("assistant", "offer")
        told("user", "third")
        lines = [self._filled(line, talk, len(steps) + 1) for line in self.set["labelled"]]
        note = self._filled(self.draw.choice(self.set["remark"]), talk, len(steps))
        steps += step("add_note", {"note": note}, "\n".join(lines), "c")
        told("assistant", "offer")
        told("user", "closing")
        talk.raw = episode(f"{self.language}-{self.chosen}", number, steps)
        talk.planted = list(dict.fromkeys(talk.planted))
        return talk

    def _key(self, slot: str) -> str:
        record: dict[str, str] = self.set["record"]
        return next(key for key, value in record.items() if value == f"{{{slot}}}")

    def _record(self, form: Mapping[str, str], talk: Talk, place: int) -> dict[str, str]:
        return {key: self._filled(value, talk, place) for key, value in form.items()}

    def _filled(self, text: str, talk: Talk, place: int) -> str:
        """Return a template with its slots drawn; notes what is planted and what is nobody's."""
        out = ""
        end = 0
        for slot in _SLOT.finditer(text):
            self._nobody(talk, place, text[end : slot.start()])
            end_before, end = end, slot.end()
            value = self._value(slot[1], talk, place)
            out += text[end_before : slot.start()] + value
        self._nobody(talk, place, text[end:])
        return out + text[end:]

    def _value(self, slot: str, talk: Talk, place: int) -> str:
        whose = talk.other if slot.startswith("other") else talk.owner
        kind = "name" if slot == "other" else slot.removeprefix("other_")
        if kind in PERSONAL:
            value = whose.values[kind]
            left = whose.street if kind == "address" else value
            talk.planted.append((_KINDS.get(kind, kind) + (" (prose only)" if whose is talk.other else ""), left))  # fmt: skip
            return value
        if slot in {"remark", "text", "texts"}:
            drawn = self.draw.choice(self.set["remark" if slot == "remark" else "texts"])
            return self._filled(drawn, talk, place)
        listed = self.set["things"] if slot == "thing" else self.own[f"{slot}s"]
        value = str(self.draw.choice(listed))
        self._nobody(talk, place, value)
        return value

    def _nobody(self, talk: Talk, place: int, piece: str) -> None:
        piece = piece.strip()
        if sum(map(str.isalnum, piece)) > 1:
            talk.nobodys.append((place, piece))
