"""Hotel stays: rooms counted per night, prices by date, bookings with refunds by rule; searches show what is left."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style, ToolError, refuse
from benchmarks.testbeds.invented.scripts import Goals

TODAY = date(2026, 3, 2)
HOTELS: dict[str, dict[str, Any]] = {
    "HTL-LIS-1": {"name": "Casa do Rio", "city": "Lisbon", "stars": 4, "pets": True},
    "HTL-LIS-2": {"name": "Alfama Inn", "city": "Lisbon", "stars": 3, "pets": False},
    "HTL-VIE-1": {"name": "Ring Palais", "city": "Vienna", "stars": 5, "pets": False},
    "HTL-VIE-2": {"name": "Prater Lodge", "city": "Vienna", "stars": 3, "pets": True},
}
ROOMS: dict[str, dict[str, tuple[int, int, float]]] = {
    "HTL-LIS-1": {"double": (2, 3, 120.0), "suite": (4, 1, 240.0)},
    "HTL-LIS-2": {"single": (1, 2, 62.5), "double": (2, 2, 88.0)},
    "HTL-VIE-1": {"double": (2, 1, 210.0), "suite": (3, 2, 390.0)},
    "HTL-VIE-2": {"single": (1, 4, 55.0), "family": (4, 2, 132.0)},
}
"""How many sleep there, how many rooms there are, and what a night costs."""
EXTRAS = {"breakfast": 14.0, "parking": 20.0, "crib": 0.0}
VOUCHERS = {"SPRING10": 0.1, "LOYAL15": 0.15}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError(f"invalid date '{text}', expected YYYY-MM-DD") from None


class Stays(Backend):
    """Four hotels, three bookings."""

    def __init__(self) -> None:
        self._bookings: dict[str, dict[str, Any]] = {}
        self._next = 7001
        self._points = {"ana.ruiz@mail.example": 1200, "tom.berg@mail.example": 40}
        for room, email, name, start, nights in (
            (("HTL-VIE-1", "double"), "ana.ruiz@mail.example", "Ana Ruiz", "2026-03-10", 2),
            (("HTL-LIS-2", "double"), "tom.berg@mail.example", "Tom Berg", "2026-03-04", 3),
            (("HTL-LIS-1", "suite"), "mia.sato@mail.example", "Mia Sato", "2026-04-11", 4),
        ):
            end = (date.fromisoformat(start) + timedelta(days=nights)).isoformat()
            self.create_booking(room[0], room[1], start, end, {"name": name, "email": email})

    @staticmethod
    def _fault(text: str) -> str:
        return json.dumps({"error": {"code": 400, "message": text}})

    def _nights(self, check_in: str, check_out: str) -> list[date]:
        start, end = _day(check_in), _day(check_out)
        refuse(start >= end, "check_out must be after check_in")
        refuse(start < TODAY, "check_in is in the past")
        return [start + timedelta(days=n) for n in range((end - start).days)]

    def _left(self, hotel: str, room: str, nights: Sequence[date], besides: str = "") -> int:
        count = ROOMS[hotel][room][1]
        taken = [
            sum(
                b["hotel_id"] == hotel
                and b["room_type"] == room
                and b["status"] != "cancelled"
                and b["reference"] != besides
                and b["check_in"] <= night.isoformat() < b["check_out"]
                for b in self._bookings.values()
            )
            for night in nights
        ]
        return int(count - max(taken))

    def _price(self, hotel: str, room: str, nights: Sequence[date]) -> float:
        night = ROOMS[hotel][room][2]
        return round(sum(night * (1.2 if day.weekday() in {4, 5} else 1.0) for day in nights), 2)

    def _booking(self, reference: str) -> dict[str, Any]:
        refuse(reference not in self._bookings, f"booking {reference} does not exist")
        return self._bookings[reference]

    def _open(self, reference: str) -> dict[str, Any]:
        booking = self._booking(reference)
        refuse(booking["status"] == "cancelled", f"booking {reference} is cancelled")
        return booking

    def search_availability(
        self, city: str, check_in: str, check_out: str, guests: int = 1
    ) -> dict[str, Any]:
        """Every room that is large enough and free on all nights, cheapest first."""
        nights = self._nights(check_in, check_out)
        found = []
        for hotel, rooms in ROOMS.items():
            for room, (sleeps, _, _) in rooms.items():
                left = self._left(hotel, room, nights)
                if HOTELS[hotel]["city"] == city and sleeps >= guests and left > 0:
                    found.append(
                        {
                            "hotel_id": hotel,
                            "hotel": HOTELS[hotel]["name"],
                            "room_type": room,
                            "rooms_left": left,
                            "total": self._price(hotel, room, nights),
                        }
                    )
        found.sort(key=lambda offer: offer["total"])
        return {"nights": len(nights), "count": len(found), "offers": found}

    def hotel_info(self, hotel_id: str) -> dict[str, Any]:
        """Never changes."""
        refuse(hotel_id not in HOTELS, f"no hotel {hotel_id}")
        rooms = [
            {"type": kind, "sleeps": sleeps, "base_rate": rate}
            for kind, (sleeps, _, rate) in ROOMS[hotel_id].items()
        ]
        return {"hotel_id": hotel_id, **HOTELS[hotel_id], "rooms": rooms}

    def create_booking(
        self, hotel_id: str, room_type: str, check_in: str, check_out: str, guest: dict[str, str]
    ) -> dict[str, Any]:
        """One room."""
        refuse(room_type not in ROOMS.get(hotel_id, {}), f"{hotel_id} has no room type {room_type}")
        nights = self._nights(check_in, check_out)
        refuse(self._left(hotel_id, room_type, nights) < 1, "no rooms left for these dates")
        reference = f"BK-{self._next}"
        self._next += 1
        self._bookings[reference] = {
            "reference": reference,
            "status": "confirmed",
            "hotel_id": hotel_id,
            "room_type": room_type,
            "check_in": check_in,
            "check_out": check_out,
            "guest": guest,
            "extras": [],
            "total": self._price(hotel_id, room_type, nights),
            "voucher": None,
        }
        return self._bookings[reference]

    def retrieve_booking(self, reference: str) -> dict[str, Any]:
        """As it stands."""
        return self._booking(reference)

    def bookings_by_guest(self, email: str) -> dict[str, Any]:
        """Short, in order of booking."""
        found = [b for b in self._bookings.values() if b["guest"]["email"] == email]
        return {
            "results": [
                {k: b[k] for k in ("reference", "status", "check_in", "total")} for b in found
            ]
        }

    def cancellation_terms(self, reference: str) -> dict[str, Any]:
        """What would come back."""
        booking = self._open(reference)
        days = (_day(booking["check_in"]) - TODAY).days
        share = 1.0 if days >= 14 else 0.5 if days >= 3 else 0.0
        refund = round(booking["total"] * share, 2)
        return {"refund": refund, "fee": round(booking["total"] - refund, 2), "days_left": days}

    def cancel_booking(self, reference: str) -> dict[str, Any]:
        """The room is free again."""
        terms = self.cancellation_terms(reference)
        self._bookings[reference]["status"] = "cancelled"
        return {"reference": reference, "status": "cancelled", "refund": terms["refund"]}

    def modify_stay(self, reference: str, check_in: str, check_out: str) -> dict[str, Any]:
        """Other dates at today's price."""
        booking = self._open(reference)
        nights = self._nights(check_in, check_out)
        hotel, room = booking["hotel_id"], booking["room_type"]
        refuse(self._left(hotel, room, nights, reference) < 1, "no rooms left for these dates")
        old = booking["total"]
        booking["check_in"], booking["check_out"] = check_in, check_out
        booking["total"] = self._price(hotel, room, nights)
        return {**booking, "difference": round(booking["total"] - old, 2)}

    def add_extra(self, reference: str, extra: str, quantity: int = 1) -> dict[str, Any]:
        """Breakfasts and parking."""
        booking = self._open(reference)
        if extra not in EXTRAS:
            raise ToolError(f"unknown extra '{extra}', choose from {', '.join(sorted(EXTRAS))}")
        booking["extras"].append({"extra": extra, "quantity": quantity})
        booking["total"] = round(booking["total"] + EXTRAS[extra] * quantity, 2)
        return {"extras": booking["extras"], "total": booking["total"]}

    def voucher(self, reference: str, code: str) -> dict[str, Any]:
        """Once a booking."""
        booking = self._open(reference)
        refuse(code not in VOUCHERS, "voucher code is not valid")
        if booking["voucher"]:
            raise ToolError(f"voucher {booking['voucher']} already applied")
        off = round(booking["total"] * VOUCHERS[code], 2)
        booking["voucher"] = code
        booking["total"] = round(booking["total"] - off, 2)
        return {"discount": off, "total": booking["total"]}

    def desk(self, reference: str, action: str) -> str:
        """Check in or out; points come with the second."""
        booking = self._open(reference)
        email = booking["guest"]["email"]
        if action == "check_in":
            if booking["status"] != "confirmed":
                raise ToolError(f"cannot check in, booking is {booking['status']}")
            booking["status"] = "in_house"
            return f"Welcome, {booking['guest']['name']}"
        if action == "check_out":
            if booking["status"] != "in_house":
                raise ToolError(f"cannot check out, booking is {booking['status']}")
            booking["status"] = "completed"
            self._points[email] = self._points.get(email, 0) + int(booking["total"])
            return "Thank you for staying"
        raise ToolError(f"action must be check_in or check_out, not {action}")

    def loyalty(self, email: str) -> dict[str, Any]:
        """Points."""
        refuse(email not in self._points, f"{email} is not a member")
        points = self._points[email]
        return {"email": email, "points": points, "tier": "gold" if points >= 1000 else "basic"}


def _made(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        if answer.startswith('{"reference"'):
            return str(json.loads(answer)["reference"])
    return "BK-7004"


GOALS = Goals("""
    $search; hotel_info hotel_id=$hotel; $book; retrieve_booking reference=$new;
        bookings_by_guest $email
    $search; $book; $search
    $book; add_extra reference=$new extra=?extras quantity=2; bookings_by_guest $email
    $book; cancellation_terms reference=$new; cancel_booking reference=$new; $search
    retrieve_booking $reference; cancellation_terms $reference; cancel_booking $reference;
        retrieve_booking $reference; bookings_by_guest $email
    bookings_by_guest $email; retrieve_booking $reference; modify_stay $reference *dates;
        retrieve_booking $reference
    retrieve_booking $reference; voucher $reference code=?codes; retrieve_booking $reference
    desk $reference action=check_in; retrieve_booking $reference; desk $reference action=check_out
    loyalty $email; desk $reference action=check_in; desk $reference action=check_out;
        loyalty $email
    add_extra $reference extra=?offered; retrieve_booking $reference
""")


def _script(rng: random.Random) -> list[Step]:
    city = rng.choice(["Lisbon", "Vienna"])
    hotel = rng.choice([h for h in HOTELS if HOTELS[h]["city"] == city])
    room = rng.choice(sorted(ROOMS[hotel]))
    start = date(2026, 3, rng.choice([4, 10, 10, 20]))
    end = start + timedelta(days=rng.choice([1, 2, 3]))
    dates = {"check_in": start.isoformat(), "check_out": end.isoformat()}
    name = rng.choice(["Ana Ruiz", "Tom Berg", "Mia Sato", "Leo Brandt"])
    email = name.lower().replace(" ", ".") + "@mail.example"
    guest = {"name": name, "email": email}
    return GOALS.two(
        rng,
        search=("search_availability", {"city": city, **dates, "guests": rng.choice([1, 2, 3])}),
        book=("create_booking", {"hotel_id": hotel, "room_type": room, **dates, "guest": guest}),
        reference=rng.choice(["BK-7001", "BK-7002", "BK-7003"]),
        hotel=hotel,
        email=email,
        dates=dates,
        new=_made,
        extras=sorted(EXTRAS),
        codes=[*VOUCHERS, "WINTER"],
        offered=[*EXTRAS, "sauna"],
    )


STAYS = Style(name="stays", make=Stays, script=_script)
