"""A car-sharing club's support agent for members who are signed in, as chat logs with names in every place that has room.

Goes out: lines, their outcome table, and what was planted. Names of no list, in Turkish spelling and typed without it; user names cut
after some letters; two members whose names are ordinary words; subjects that are addresses, numbers, names and short ids; titles,
task keys, ids of calls and conversations, prose results and comments that name people.
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

_PEOPLE: Final = (
    "F\u0131rat K\u0131l\u0131\u00e7arslaner",
    "\u00c7a\u011fla Karaduman\u0131o\u011flu",
    "Hope Price",
    "Na\u015fide \u015eahinba\u015fo\u011flu",
    "Do\u011fuhan Uzunk\u00f6pr\u00fcl\u00fc",
    "Can Deniz",
    "Elifnaz \u00d6zt\u00fcrkmener",
    "Ulubey Gergedano\u011flu",
)
_OTHERS: Final = (
    "Turgutcan Zurnac\u0131o\u011flu",
    "\u00dclk\u00fchan G\u00fcm\u00fc\u015fhaneli",
    "Alperenc Leblebicio\u011flu",
    "G\u00f6rkemli M\u0131zrak\u00e7\u0131o\u011flu",
)
_TOOLS: Final = {
    "get_my_profile": (),
    "my_trips": (),
    "my_wallet": (),
    "refund_trip": ("trip_no", "why"),
    "add_driver": ("name", "phone"),
    "close_account": ("why",),
}


def folded(text: str) -> str:
    """Return a text in small letters without marks, as people type names on another keyboard."""
    plain = unicodedata.normalize("NFKD", text.replace("\u0131", "i").replace("\u0130", "I"))
    return "".join(one for one in plain if not unicodedata.combining(one)).lower()


@dataclass(frozen=True)
class Member:
    """One member; what is personal follows from the name and the number."""

    number: int
    name: str

    @property
    def slug(self) -> str:
        """`firat-kilicarslaner`."""
        return folded(self.name).replace(" ", "-")

    @property
    def user(self) -> str:
        """An initial, the surname's beginning and a number."""
        first, last = folded(self.name).split()
        return f"{first[0]}{last[:9]}{self.number + 31}"

    @property
    def mail(self) -> str:
        """The address."""
        return f"{self.slug.replace('-', '.')}{self.number}@yolcu.example"

    @property
    def phone(self) -> str:
        """The number, with blanks."""
        return f"+90 53{self.number} 675 {97 - self.number} {41 + self.number}"

    @property
    def subject(self) -> str:
        """Who the telemetry says is signed in."""
        return (self.mail, self.phone.replace(" ", ""), self.name, f"u{self.number + 1}")[
            self.number % 4
        ]

    @property
    def trip(self) -> str:
        """A trip's number."""
        return f"TR{804116 + 7919 * self.number}"


MEMBERS: Final = tuple(Member(number, name) for number, name in enumerate(_PEOPLE))


def planted() -> frozenset[str]:
    """Return what must stand nowhere past the gate, folded as `folded` does."""
    found: set[str] = set()
    for who in MEMBERS:
        surname = folded(who.name).split()[1]
        found |= {who.slug, who.user, who.mail, who.slug.replace("-", ""), who.phone}
        found.add(who.phone.replace(" ", ""))
        if len(surname) > len("price"):  # an ordinary word by itself is nobody's
            found |= {surname, surname[:6]}
    for name in _OTHERS:
        found |= {folded(name), folded(name).split()[1]}
    return frozenset(found)


def line(number: int) -> dict[str, Any]:
    """One conversation; each member comes back."""
    who, mate = MEMBERS[number % len(MEMBERS)], _OTHERS[number % len(_OTHERS)]
    good = number % 5 != 4
    profile = {"member": who.subject, "full_name": who.name, "mail": who.mail, "gsm": who.phone}
    first = who.name.split()[0]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": f"You help the member who is signed in: {first}."},
        {"role": "user", "content": f"Merhaba, I am {who.name}. I want my money back."},
        *_call(who, 0, "get_my_profile", {}, json.dumps(profile, ensure_ascii=number % 2 == 0)),
        *_call(who, 1, "my_wallet", {}, f"Wallet of {who.name.upper()}; letters to {who.mail}."),
        *_call(who, 2, "my_trips", {}, json.dumps({"trips": [{"trip_no": who.trip}]})),
    ]
    if good:
        why = {"trip_no": who.trip, "why": f"{who.name} did not drive"}
        told = f"Refund noted. We wrote to {who.mail} and {first} gets 50 TL."
        messages += _call(who, 3, "refund_trip", why, told)
        driver = {"name": mate, "phone": f"+90 544 222 33 4{number % 10}"}
        done = json.dumps({"ok": True, "drivers": [who.name, mate], "page": f"/u/{who.slug}"})
        messages += _call(who, 4, "add_driver", driver, done)
    else:
        closed = {"why": f"{who.name} asked for it"}
        messages += _call(who, 3, "close_account", closed, f"Account of {who.name} closed.")
    messages.append({"role": "assistant", "content": f"Done, {first}." if good else "I cannot."})
    ids = (f"{who.slug}-{number}", f"{who.name} #{number}", f"sess-{who.user}-{number}")
    return {
        "episode_id": ids[number % 3],
        "app": "yolpay",
        "agent": f"desk of {first}",
        "model": "m",
        "user_id": who.subject,
        "task_key": f"refund/{who.slug}" if number % 2 else f"{who.name}: refund",
        "started_at": f"2026-05-{1 + number:02}T09:00:00Z",
        "tools": [_defined(name, keys) for name, keys in _TOOLS.items()],
        "messages": messages,
        "outcome": {
            "name": "resolved",
            "value": float(good),
            "comment": f"{mate} phoned {who.name}; ticket {who.slug}",
        },
    }


def _defined(name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    properties = {key: {"type": "string"} for key in keys}
    parameters = {"type": "object", "properties": properties, "required": list(keys)}
    function = {"name": name, "description": "A tool of the club.", "parameters": parameters}
    return {"type": "function", "function": function}


def _call(
    who: Member, place: int, name: str, arguments: dict[str, str], result: str
) -> list[dict[str, Any]]:
    call_id = f"call_{who.user}_{place}"
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=place == 4)}
    call = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "name": name, "content": result},
    ]
