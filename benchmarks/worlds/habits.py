"""Worlds of apps with a habit: values that differ without meaning, tools without arguments, choices made before, who is signed in.

The apps of `testbeds.invented.habits`, afresh with every conversation or living on. *h*: held-out conversations; *p*: random calls with
recorded values on the real app as it is then, at the depot some with a token that nobody gave out. What the depot says is judged by what it
means, without the world's own rules.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import Made, make
from benchmarks.testbeds.invented.backend import Answer, Call, Step
from benchmarks.testbeds.invented.habits import PEOPLE, START, USERS, Bank, Depot, Panel, Shop
from environments.fidelity import Fidelity, JudgedCall, RecordedCall, RecordedEpisode, equal, replay
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world

TASKS: Final = 60
ATTEMPTS: Final = 3
VISITS: Final = 240
"""Conversations of an app that lives on; every fourth is held out."""
SEQUENCES: Final = 100
LENGTH: Final = 8
GAP: Final = 3 * 3_600
WHY: Final = ("the customer asks", "to check", "needed for the next step", "I want to see it")
SHOWN: Final = re.compile(r" \[took [\d.]+s\]$| \(request [0-9a-f]+ at [^)]+\)$")
TOKEN: Final = re.compile(r"tok_[0-9a-z]{20}")
COMPANIES: Final = ("Northmoor Parcels", "Lindqvist Frakt AB", "Rioja Paqueteria")
CLIENTS: Final = 5
"""Customers of one company that call."""
AGENTS: Final = ("Ada", "Ben", "Kim Holm")
App = Panel | Bank | Shop
Said = tuple[str, Made]
"""A recorded call and whose it was."""


def began(number: int) -> int:
    """When a conversation began, in ns."""
    return (START + number * GAP) * 10**9


def episode(
    number: int, made: Sequence[Made], *, task: str, user: str = "", instructions: str = ""
) -> CleanEpisode:
    """A conversation as a chat log, with its user or else its task."""
    at = began(number)
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    if instructions:
        messages.insert(0, {"role": "system", "content": instructions})
    for place, one in enumerate(made):
        at += 5 * 10**9
        function = {"name": one.name, "arguments": json.dumps(one.arguments)}
        call = {"id": f"c{place}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        told = {"role": "tool", "tool_call_id": f"c{place}", "content": one.content}
        messages.append(
            {**told, "tg": {"is_error": one.is_error, **({} if user else {"time": at})}}
        )
    return to_episode(
        {
            "episode_id": f"e{number:04}",
            "app": "habits",
            "started_at": datetime.fromtimestamp(began(number) // 10**9, tz=UTC).isoformat(),
            "messages": messages,
            **({"user_id": user} if user else {"task_key": task}),
        }
    )


def asked(name: str, made: Iterable[Made], at: int, **start: str) -> RecordedEpisode:
    """A conversation as `fidelity` takes it."""
    calls = [
        RecordedCall(name=m.name, arguments=json.dumps(m.arguments), content=m.content)
        for m in made
    ]
    return RecordedEpisode(episode_id=name, calls=calls, start=dict(start), started_at=at)


def measured(
    kept: Sequence[CleanEpisode], held: Sequence[RecordedEpisode], wild: Sequence[RecordedEpisode]
) -> dict[str, Any]:
    """Learn from some, ask the others."""
    learnt = learn_world(kept, WorldSettings())
    world = World.from_json(learnt.document.to_json())
    return {
        "continuity": str(learnt.continuity.kind),
        "bound": sorted(learnt.document.views.bound),
        "h": replay(world, held),
        "p": replay(world, wild),
    }


# Apps that answer for whoever is signed in, or whose looks take no argument


def act(app: App, steps: Iterable[Step]) -> tuple[Made, ...]:
    """The calls of one conversation."""
    return tuple(make(app, step) for step in steps if isinstance(step, tuple))


def afresh(
    of: Callable[[int, str], App], seed: int, *, named: bool = True, own: bool = False
) -> dict[str, Any]:
    """Every conversation meets the app as it was; the third attempt at each task is held out. `own`: random calls are mostly a customer's own."""
    kept: list[CleanEpisode] = []
    held: list[RecordedEpisode] = []
    values: list[Said] = []
    for task in range(TASKS):
        user = f"user-{task % USERS}"
        for attempt in range(ATTEMPTS):
            app = of(seed, user)
            rng = random.Random(f"{seed}/{task}/{attempt // 2}")  # noqa: S311 - dice
            made = act(app, app.script(rng))
            if attempt == ATTEMPTS - 1:
                subject = user if named else f"task {task}"
                held.append(asked(subject, made, 0, subject=subject))
            else:
                whose = user if named else ""
                kept.append(episode(len(kept), made, task=f"task {task}", user=whose))
                values += [(user, one) for one in made]
    wild = [_at_random(seed, n, lambda u: of(seed, u), values, own=own) for n in range(SEQUENCES)]
    return measured(kept, held, [asked(user, made, 0, subject=user) for user, made in wild])


def living(seed: int, *, named: bool) -> dict[str, Any]:
    """One shop through all conversations; every fourth is held out."""
    shop = Shop(seed)
    kept: list[CleanEpisode] = []
    held: list[RecordedEpisode] = []
    values: list[Said] = []
    for visit in range(VISITS):
        rng = random.Random(f"{seed}/{visit}")  # noqa: S311 - dice
        shop.user = f"user-{rng.randrange(USERS)}"
        made = act(shop, shop.script(rng))
        values += [(shop.user, one) for one in made]
        if visit % 4 == 3:
            held.append(asked(shop.user, made, began(visit), subject=shop.user))
        else:
            user = shop.user if named else ""
            kept.append(episode(visit, made, task=f"visit {visit}", user=user))
    state = json.dumps(shop.people)

    def again(user: str) -> Shop:
        copy = Shop(seed, user)
        copy.people = json.loads(state)
        return copy

    wild = [_at_random(seed, n, again, values, own=True) for n in range(SEQUENCES)]
    now = began(VISITS)
    return measured(kept, held, [asked(user, made, now, subject=user) for user, made in wild])


def _at_random(
    seed: int, number: int, of: Callable[[str], App], values: Sequence[Said], *, own: bool
) -> tuple[str, tuple[Made, ...]]:
    """Random recorded calls as a random customer, of whom they mostly are where `own`."""
    rng = random.Random(f"{seed}/p/{number}")  # noqa: S311 - dice
    user = f"user-{rng.randrange(USERS)}"
    mine = [one for name, one in values if name == user]
    chosen = [
        rng.choice(mine) if own and rng.random() < 0.85 else rng.choice(values)[1]
        for _ in range(LENGTH)
    ]
    return user, act(of(user), [(c.name, c.arguments) for c in chosen])


# The depot, whose values differ without meaning


def visited(depot: Depot, steps: Iterable[Call], *, forged: float = 0.0) -> tuple[Made, ...]:
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


def parcels(seed: int, habit: str, *, living: bool) -> dict[str, Any]:
    """One depot: learn from most conversations, ask the others and random calls."""
    kept: list[CleanEpisode] = []
    held: list[RecordedEpisode] = []
    values: list[list[Call]] = []
    depot = Depot(seed, habit, "all")
    for number in range(VISITS if living else TASKS * ATTEMPTS):
        task, attempt = (number, number % 4) if living else divmod(number, ATTEMPTS)
        if not living:
            depot = Depot(seed, habit, str(number))
        depot.at = START + number * GAP
        before = json.dumps([depot.people, depot.parcels])
        rng = random.Random(f"{seed}/{task}/{0 if living else attempt // 2}")  # noqa: S311 - dice
        customer = f"CU-{100 + (rng.randrange(PEOPLE) if living else task % PEOPLE)}"
        steps = [step for step in depot.script(customer, rng) if isinstance(step, tuple)]
        made = visited(depot, steps)
        if attempt == (3 if living else ATTEMPTS - 1):
            held.append(asked(f"h{number}", made, began(number)))
            # What it would have changed did not happen: the recordings hold every change.
            depot.people, depot.parcels = json.loads(before)
        else:
            kept.append(episode(number, made, task=f"task {task}"))
            values.append(steps)
    wild = [_wild(depot, values, seed, n, living=living) for n in range(SEQUENCES)]
    return measured(kept, held, wild)


def _wild(
    last: Depot, values: Sequence[list[Call]], seed: int, number: int, *, living: bool
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
    return asked(f"p{number}", visited(depot, chosen, forged=0.1), began(at))


# One depot for each company


def companies(seed: int) -> dict[str, Any]:
    """Companies with ids of one form on one server; the instructions alone say whose conversation it is."""
    kept: list[CleanEpisode] = []
    held: list[RecordedEpisode] = []
    values: dict[str, list[list[Call]]] = {name: [] for name in COMPANIES}
    for task in range(TASKS):
        name = COMPANIES[task % len(COMPANIES)]
        rng = random.Random(f"{seed}/{task}")  # noqa: S311 - dice
        for attempt in range(ATTEMPTS):
            depot = _depot_of(name, seed)
            customer = f"CU-{100 + task // len(COMPANIES) % CLIENTS}"
            steps = [s for s in depot.script(customer, rng) if isinstance(s, tuple)]
            made = visited(depot, steps)
            number = task * ATTEMPTS + attempt
            if attempt == ATTEMPTS - 1:
                held.append(asked(f"h{number}", made, began(number), subject=name))
            else:
                said = f"You are {rng.choice(AGENTS)}, the assistant of {name} since {2020 + number % 4}. Be brief."
                kept.append(episode(number, made, task=f"task {task}", instructions=said))
                values[name].append(steps)
    wild = []
    for number in range(SEQUENCES):
        name = COMPANIES[number % len(COMPANIES)]
        depot, rng = _depot_of(name, seed), random.Random(f"{seed}/p/{number}")  # noqa: S311 - dice
        calls = [step for steps in rng.sample(values[name], 4) for step in steps]
        made = visited(depot, [rng.choice(calls) for _ in range(LENGTH)])
        wild.append(asked(f"p{number}", made, began(number), subject=name))
    return measured(kept, held, wild)


def _depot_of(company: str, seed: int) -> Depot:
    """The company's own rows, with ids that the others have as well."""
    return Depot(seed + 9 * COMPANIES.index(company), "plain", company)


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
