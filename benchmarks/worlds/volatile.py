"""Worlds of tools whose values differ without meaning: envelopes, tokens, idle arguments, spellings, numbered errors.

One invented depot, afresh with every
conversation or living on, plain and with each habit switched on. *h*: held-out conversations; *p*: random calls with
recorded values, some with a token that nobody gave out.  Right is judged by what the answers mean, without the world's own rules.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import Made
from benchmarks.testbeds.invented.backend import Answer, Backend, ToolError
from environments.fidelity import Fidelity, JudgedCall, RecordedCall, RecordedEpisode, equal, replay
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world

FLAGS: Final = ("plain", "envelope", "took", "token", "idle", "spelling", "faults")
"""`idle`: keys, reasons and times that the agent makes up; `faults`: errors with a number and a time in their text."""
PEOPLE: Final = 15
TASKS: Final = 60
ATTEMPTS: Final = 3
VISITS: Final = 240
SEQUENCES: Final = 100
LENGTH: Final = 8
START: Final = 1_790_000_000
GAP: Final = 3 * 3_600
CITIES: Final = ("Oslo", "Rome", "Lyon", "Bonn")
WHY: Final = ("the customer asks", "to check", "needed for the next step", "I want to see it")
SHOWN: Final = re.compile(r" \[took [\d.]+s\]$| \(request [0-9a-f]+ at [^)]+\)$")
TOKEN: Final = re.compile(r"tok_[0-9a-z]{20}")
Step = tuple[str, dict[str, Any]]


class Depot(Backend):
    """Customers and their parcels; `habit` is the flag that is switched on."""

    def __init__(self, seed: int, habit: str, noise: str) -> None:
        chance = random.Random(f"depot/{seed}")  # noqa: S311 - dice
        self.habit, self.at = habit, START
        self.dice = random.Random(f"depot/{seed}/{noise}")  # noqa: S311 - dice
        self.tokens: dict[str, str] = {}
        self.people: dict[str, dict[str, Any]] = {
            f"CU-{100 + n}": {
                "name": f"Person {chr(65 + n)}",
                "phone": f"555{seed % 9}{n:03}",
                "born": f"19{60 + n}-0{1 + n % 9}-11",
                "points": chance.randint(0, 900),
                "active": chance.random() < 0.8,
            }
            for n in range(PEOPLE)
        }
        self.parcels: dict[str, dict[str, Any]] = {
            f"PC{seed % 9}{n:03}": {
                "owner": f"CU-{100 + n % PEOPLE}",
                "status": chance.choice(["waiting", "waiting", "waiting", "sent", "lost"]),
                "weight": float(chance.randint(1, 40)),
                "city": chance.choice(CITIES),
                "fragile": chance.random() < 0.4,
            }
            for n in range(PEOPLE * 4)
        }

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """One call as the habit has it; what the agent adds means nothing to the depot."""
        self.at += self.dice.randint(2, 9)
        given = {k: v for k, v in arguments.items() if k not in {"request_key", "reason", "now"}}
        if self.habit == "token" and name != "verify":
            given["customer_id"] = self.tokens.get(str(given.pop("session_token", "")))
            if given["customer_id"] is None:
                return Answer(content="Error: please verify first", is_error=True)
        found = super().call(name, given)
        return Answer(content=self._told(found), is_error=found.is_error)

    def _told(self, found: Answer) -> str:
        content = found.content
        if self.habit == "took":
            return f"{content} [took {self.dice.randint(3, 90) / 100:.2f}s]"
        if self.habit == "faults" and found.is_error:
            return f"{content} (request {self.dice.getrandbits(48):012x} at {self._now()})"
        if self.habit == "envelope":
            meta: dict[str, Any] = {
                "request_id": f"req_{self.dice.getrandbits(48):012x}",
                "took_ms": self.dice.randint(8, 240),
                "load": round(self.dice.random(), 3),
                "timestamp": self._now(),
            }
            body = {"error": content} if found.is_error else {"data": json.loads(content)}
            return json.dumps({**body, "meta": meta})
        if self.habit == "spelling" and not found.is_error:
            return self._spelt(json.loads(content))
        return content

    def _spelt(self, value: Any) -> str:  # noqa: ANN401 - any JSON
        """One content in another order, spacing and spelling of whole numbers."""

        def other(one: Any) -> Any:  # noqa: ANN401 - any JSON
            if isinstance(one, dict):
                names = sorted(one, key=lambda _: self.dice.random())
                return {name: other(one[name]) for name in names}
            if isinstance(one, list):
                return [other(item) for item in one]
            if isinstance(one, float) and one.is_integer() and self.dice.random() < 0.5:
                return int(one)
            return one

        indent = self.dice.choice([None, None, 2])
        between = (",", ":") if self.dice.random() < 0.5 and indent is None else None
        return json.dumps(other(value), indent=indent, separators=between)

    def _now(self) -> str:
        return datetime.fromtimestamp(self.at, tz=UTC).isoformat().replace("+00:00", "Z")

    @staticmethod
    def _render(value: object) -> str:
        return json.dumps(value)

    def _own(self, parcel_id: str, customer_id: str) -> dict[str, Any]:
        if parcel_id not in self.parcels:
            raise ToolError("no such parcel")
        if self.parcels[parcel_id]["owner"] != customer_id:
            raise ToolError("not this customer's parcel")
        return self.parcels[parcel_id]

    def verify(self, phone: str, birth_date: str) -> dict[str, Any]:
        """Give out a token for whoever knows phone and date of birth."""
        for customer, person in self.people.items():
            if person["phone"] == phone and person["born"] == birth_date:
                signs = "0123456789abcdefghijklmnopqrstuvwxyz"
                token = "tok_" + "".join(self.dice.choice(signs) for _ in range(20))
                self.tokens[token] = customer
                return {"session_token": token, "expires_in": 3600}
        raise ToolError("phone and date of birth do not match")

    def profile(self, customer_id: str) -> dict[str, Any]:
        """Who it is."""
        person = self.people[customer_id]
        shown = {k: v for k, v in person.items() if k not in {"phone", "born"}}
        return {"customer_id": customer_id, **shown}

    def list_parcels(self, customer_id: str) -> dict[str, Any]:
        """The customer's parcels."""
        own = {k: p for k, p in self.parcels.items() if p["owner"] == customer_id}
        return {
            "parcels": [
                {"parcel_id": k, "status": p["status"], "weight": p["weight"]}
                for k, p in own.items()
            ]
        }

    def get_parcel(self, parcel_id: str, customer_id: str) -> dict[str, Any]:
        """One of them."""
        parcel = self._own(parcel_id, customer_id)
        return {"parcel_id": parcel_id, **{k: v for k, v in parcel.items() if k != "owner"}}

    def redirect(self, parcel_id: str, customer_id: str, city: str) -> dict[str, Any]:
        """Send it elsewhere, while it waits."""
        parcel = self._own(parcel_id, customer_id)
        if parcel["status"] != "waiting":
            raise ToolError(f"the parcel is {parcel['status']}")
        parcel["city"] = city
        return self.get_parcel(parcel_id, customer_id)

    def send(self, parcel_id: str, customer_id: str) -> dict[str, Any]:
        """Send it off, while it waits."""
        parcel = self._own(parcel_id, customer_id)
        if parcel["status"] != "waiting":
            raise ToolError(f"the parcel is {parcel['status']}")
        parcel["status"] = "sent"
        return self.get_parcel(parcel_id, customer_id)

    def recall(self, parcel_id: str, customer_id: str) -> dict[str, Any]:
        """Take back what is under way."""
        parcel = self._own(parcel_id, customer_id)
        if parcel["status"] != "sent":
            raise ToolError(f"the parcel is {parcel['status']}")
        parcel["status"] = "waiting"
        return self.get_parcel(parcel_id, customer_id)

    def add_points(self, customer_id: str, points: int) -> dict[str, Any]:
        """Points as an apology."""
        self.people[customer_id]["points"] += points
        return self.profile(customer_id)


def script(depot: Depot, customer: str, rng: random.Random) -> list[Step]:
    """What an agent does for one customer, in the plain depot's words."""
    own = sorted(k for k, p in depot.parcels.items() if p["owner"] == customer)
    other = rng.choice(sorted(depot.parcels))
    parcel = rng.choice(own) if rng.random() < 0.85 else other
    who, one = {"customer_id": customer}, {"parcel_id": parcel, "customer_id": customer}
    kinds: dict[str, list[Step]] = {
        "looks": [("profile", who), ("list_parcels", who)],
        "asks": [("list_parcels", who), ("get_parcel", one)],
        "moves": [
            ("get_parcel", one),
            ("redirect", {**one, "city": rng.choice(CITIES)}),
            ("get_parcel", one),
        ],
        "sends": [("get_parcel", one), ("send", one), ("list_parcels", who)],
        "recalls": [("list_parcels", who), ("recall", one), ("get_parcel", one)],
        "thanks": [
            ("profile", who),
            ("add_points", {**who, "points": rng.choice([10, 20, 50])}),
            ("profile", who),
        ],
    }
    steps = [s for kind in rng.sample(sorted(kinds), rng.randint(1, 3)) for s in kinds[kind]]
    return [s for s in steps if rng.random() > 0.1 for _ in range(1 + (rng.random() < 0.1))]


def act(depot: Depot, steps: Iterable[Step], *, forged: float = 0.0) -> tuple[Made, ...]:
    """The calls of one conversation, as the habit makes them."""
    made: list[Made] = []
    tokens: dict[str, str] = {}

    def take(name: str, arguments: dict[str, Any]) -> Answer:
        answer = depot.call(name, json.loads(json.dumps(arguments)))
        made.append(Made(name=name, arguments=arguments, **_parts(answer)))
        return answer

    for name, plain in steps:
        arguments = dict(plain)
        if depot.habit == "token":
            customer = str(arguments.pop("customer_id"))
            if customer not in tokens:
                person = depot.people[customer]
                asked = {"phone": person["phone"], "birth_date": person["born"]}
                tokens[customer] = json.loads(take("verify", asked).content)["session_token"]
            token = tokens[customer]
            if depot.dice.random() < forged:
                token = "tok_" + "".join(depot.dice.sample(token[4:], 20))
            arguments["session_token"] = token
        if depot.habit == "idle":
            arguments["reason"] = f"{depot.dice.choice(WHY)}, {depot.dice.choice(WHY)}"
            if depot.dice.random() < 0.3:
                arguments["now"] = depot._now()  # noqa: SLF001 - the agent's own clock
            if name in {"redirect", "send", "recall", "add_points"}:
                arguments["request_key"] = f"{depot.dice.getrandbits(64):016x}"
        take(name, arguments)
    return tuple(made)


def _parts(answer: Answer) -> dict[str, Any]:
    return {"content": answer.content, "is_error": answer.is_error}


def episode(number: int, task: str, made: Sequence[Made]) -> CleanEpisode:
    """A conversation as a chat log."""
    at = START + number * GAP
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    for place, one in enumerate(made):
        at += 5
        function = {"name": one.name, "arguments": json.dumps(one.arguments)}
        call = {"id": f"c{place}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        told = {"role": "tool", "tool_call_id": f"c{place}", "content": one.content}
        messages.append({**told, "tg": {"is_error": one.is_error, "time": at * 10**9}})
    return to_episode(
        {
            "episode_id": f"e{number:04}",
            "app": "depot",
            "started_at": datetime.fromtimestamp(START + number * GAP, tz=UTC).isoformat(),
            "messages": messages,
            "task_key": task,
        }
    )


def asked(name: str, made: Sequence[Made], number: int) -> RecordedEpisode:
    """A conversation as `fidelity` takes it."""
    calls = [
        RecordedCall(name=m.name, arguments=json.dumps(m.arguments), content=m.content)
        for m in made
    ]
    at = (START + number * GAP) * 10**9
    return RecordedEpisode(episode_id=name, calls=calls, started_at=at)


def recorded(seed: int, habit: str, *, living: bool) -> dict[str, Fidelity | str]:
    """One depot: learn from most conversations, ask the others and random calls."""
    kept: list[CleanEpisode] = []
    held: list[RecordedEpisode] = []
    values: list[list[Step]] = []
    depot = Depot(seed, habit, "all")
    for number in range(VISITS if living else TASKS * ATTEMPTS):
        task, attempt = (number, number % 4) if living else divmod(number, ATTEMPTS)
        if not living:
            depot = Depot(seed, habit, str(number))
        depot.at = START + number * GAP
        held_out = attempt == (3 if living else ATTEMPTS - 1)
        before = json.dumps([depot.people, depot.parcels])
        rng = random.Random(f"{seed}/{task}/{0 if living else attempt // 2}")  # noqa: S311 - dice
        customer = f"CU-{100 + (rng.randrange(PEOPLE) if living else task % PEOPLE)}"
        steps = script(depot, customer, rng)
        made = act(depot, steps)
        if held_out:
            held.append(asked(f"h{number}", made, number))
            # What it would have changed did not happen: the recordings hold every change.
            depot.people, depot.parcels = json.loads(before)
        else:
            kept.append(episode(number, f"task {task}", made))
            values.append(steps)
    wild = [_wild(depot, values, seed, n, living=living) for n in range(SEQUENCES)]
    learnt = learn_world(kept, WorldSettings())
    world = World.from_json(learnt.document.to_json())
    kind = str(learnt.continuity.kind)
    return {"continuity": kind, "h": replay(world, held), "p": replay(world, wild)}


def _wild(
    last: Depot, values: Sequence[list[Step]], seed: int, number: int, *, living: bool
) -> RecordedEpisode:
    """Random recorded calls of one or two customers, on the depot as it is then."""
    rng = random.Random(f"{seed}/p/{number}")  # noqa: S311 - dice
    depot = Depot(seed, last.habit, f"p{number}")
    at = VISITS if living else number
    depot.at = START + at * GAP
    if living:
        depot.people, depot.parcels = json.loads(json.dumps([last.people, last.parcels]))
    calls = [step for steps in rng.sample(values, min(4, len(values))) for step in steps]
    chosen = [rng.choice(calls) for _ in range(LENGTH)] if calls else []
    return asked(f"p{number}", act(depot, chosen, forged=0.1), at)


def meant(content: str) -> str:
    """What an answer says, without everything that differs and means nothing."""
    content = TOKEN.sub("tok", SHOWN.sub("", content))
    if content.startswith("{") and '"meta"' in content:
        whole = json.loads(content)
        return json.dumps({k: v for k, v in whole.items() if k != "meta"})
    return content


def verdict(one: JudgedCall) -> str:
    """Right, wrong or unknown, by what the answer means."""
    if one.verdict == "unknown":
        return "unknown"
    return "right" if equal(meant(one.result.content), meant(one.call.content)) else "wrong"


def counts(found: Fidelity) -> dict[str, str]:
    """Right / wrong / unknown (exact), of all and by tool."""
    by: dict[str, Counter[str]] = {"all": Counter()}
    for one in found.judged:
        for name in ("all", one.call.name):
            counted = by.setdefault(name, Counter())
            counted.update([verdict(one)] + ["exact"] * (one.verdict == "exact"))
    return {
        n: "/".join(str(c[v]) for v in ("right", "wrong", "unknown")) + f" ({c['exact']})"
        for n, c in by.items()
    }
