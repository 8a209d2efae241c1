"""Worlds of tools without arguments that change with what was called before: the one record, and what was chosen.

Invented backends, afresh with every conversation: a *panel*
whose looks take no argument (climate, balance, watch list, cart), for everybody alike or as each customer has it; a
*bank* where an account is chosen and later calls answer for it. *h*: held-out conversations; *p*: random calls with
recorded values.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from benchmarks.testbeds.invented.attempts import Made, make
from benchmarks.testbeds.invented.backend import Backend, Step, ToolError
from benchmarks.worlds.signed_in import asked, episode, measured
from environments.fidelity import RecordedEpisode
from redact.records.clean_episode import CleanEpisode

TASKS: Final = 60
ATTEMPTS: Final = 3
USERS: Final = 20
SEQUENCES: Final = 100
LENGTH: Final = 8
PRODUCTS: Final = tuple(f"P{n:03}" for n in range(12))
SYMBOLS: Final = ("ALFA", "BETA", "GAMA", "DELT", "EPSI", "ZETA", "ETAX", "THET")
MODES: Final = ("auto", "heat", "cool", "off")


class Panel(Backend):
    """One record behind each look; `own`: each customer has other values."""

    def __init__(self, seed: int, user: str, *, own: bool) -> None:
        chance = random.Random(f"panel/{seed}/{user if own else ''}")  # noqa: S311 - dice
        self._climate = {
            "temperature": chance.randint(17, 23),
            "mode": chance.choice(MODES),
            "fan": chance.choice(["low", "high"]),
        }
        self._balance = chance.randint(50, 900)
        self._watched: list[str] = chance.sample(SYMBOLS, 2)
        self._cart = {chance.choice(PRODUCTS): chance.randint(1, 3)} if own else {}

    def get_climate(self) -> dict[str, Any]:
        """The climate as it is set."""
        return dict(self._climate)

    def set_temperature(self, degrees: int) -> str:
        """Another temperature."""
        self._climate["temperature"] = degrees
        return "done"

    def set_mode(self, mode: str) -> dict[str, Any]:
        """Another mode."""
        self._climate["mode"] = mode
        return {"mode": mode, "ok": True}

    def get_balance(self) -> dict[str, Any]:
        """The money there is."""
        return {"balance": self._balance, "currency": "EUR"}

    def deposit(self, amount: int) -> str:
        """More money."""
        self._balance += amount
        return "deposited"

    def withdraw(self, amount: int) -> dict[str, Any]:
        """Less money."""
        if amount > self._balance:
            raise ToolError("insufficient funds")
        self._balance -= amount
        return {"new_balance": self._balance}

    def get_watch_list(self) -> dict[str, Any]:
        """What is watched."""
        return {"watchlist": list(self._watched)}

    def watch(self, symbol: str) -> str:
        """One more."""
        if symbol not in self._watched:
            self._watched.append(symbol)
        return "watching"

    def view_cart(self) -> dict[str, Any]:
        """The cart and how many things are in it."""
        return {"items": dict(self._cart), "things": sum(self._cart.values())}

    def add_to_cart(self, product_id: str, count: int) -> str:
        """Put something into the cart."""
        self._cart[product_id] = self._cart.get(product_id, 0) + count
        return "added"

    def script(self, rng: random.Random) -> list[Step]:
        """What an agent does."""
        kinds: dict[str, list[Step]] = {
            "warmer": [
                ("get_climate", {}),
                ("set_temperature", {"degrees": rng.randint(16, 25)}),
                ("get_climate", {}),
            ],
            "mode": [
                ("get_climate", {}),
                ("set_mode", {"mode": rng.choice(MODES)}),
                ("get_climate", {}),
            ],
            "saves": [
                ("get_balance", {}),
                ("deposit", {"amount": rng.randint(1, 30) * 10}),
                ("get_balance", {}),
            ],
            "spends": [
                ("get_balance", {}),
                ("withdraw", {"amount": rng.randint(1, 60) * 10}),
                ("get_balance", {}),
            ],
            "watches": [
                ("get_watch_list", {}),
                ("watch", {"symbol": rng.choice(SYMBOLS)}),
                ("get_watch_list", {}),
            ],
            "buys": [
                ("view_cart", {}),
                (
                    "add_to_cart",
                    {"product_id": rng.choice(PRODUCTS), "count": rng.randint(1, 3)},
                ),
                ("view_cart", {}),
            ],
            "looks": [("get_balance", {}), ("get_climate", {}), ("get_watch_list", {})],
        }
        chosen = rng.sample(sorted(kinds), rng.randint(1, 3))
        steps = [step for kind in chosen for step in kinds[kind]]
        return [
            step for step in steps if rng.random() > 0.1 for _ in range(1 + (rng.random() < 0.1))
        ]


class Bank(Backend):
    """Accounts, of which one is chosen; what is asked without naming one is asked of that."""

    def __init__(self, seed: int, user: str, *, own: bool) -> None:
        del user, own
        chance = random.Random(f"bank/{seed}")  # noqa: S311 - dice
        self._chosen = ""
        self._accounts = {
            f"AC{seed % 9}{number:02}": {
                "owner": chance.choice(["Ann", "Bo", "Cy", "Di"]),
                "balance": chance.randint(50, 900),
                "limit": chance.choice([100, 200, 500]),
                "payments": [
                    {"payment": f"PY{number:02}{n}", "amount": chance.randint(1, 90)}
                    for n in range(chance.randint(0, 3))
                ],
            }
            for number in range(15)
        }
        self._folder = "inbox"
        self._folders = {
            name: [f"{name}-{chance.randint(100, 999)}.txt" for _ in range(chance.randint(1, 3))]
            for name in ("inbox", "tax", "receipts", "drafts")
        }

    @property
    def _account(self) -> dict[str, Any]:
        if not self._chosen:
            raise ToolError("choose an account first")
        return self._accounts[self._chosen]

    def choose_account(self, account_id: str) -> str:
        """From now on this account is meant."""
        if account_id not in self._accounts:
            raise ToolError("no such account")
        self._chosen = account_id
        return "chosen"

    def show_account(self) -> dict[str, Any]:
        """The chosen account."""
        account = self._account
        return {name: account[name] for name in ("owner", "balance", "limit")}

    def list_payments(self) -> list[dict[str, Any]]:
        """The chosen account's payments."""
        return list(self._account["payments"])

    def set_limit(self, limit: int) -> str:
        """Another limit for the chosen account."""
        self._account["limit"] = limit
        return "saved"

    def open_folder(self, name: str) -> str:
        """From now on this folder is meant."""
        if name not in self._folders:
            raise ToolError("no such folder")
        self._folder = name
        return "opened"

    def list_files(self) -> list[str]:
        """The folder's files."""
        return list(self._folders[self._folder])

    def get_rate(self, currency: str) -> dict[str, Any]:
        """The same whatever is chosen."""
        return {"currency": currency, "rate": len(currency) * 7 + ord(currency[0])}

    def script(self, rng: random.Random) -> list[Step]:
        """What an agent does."""
        accounts = sorted(self._accounts)
        choices: list[Step] = [
            ("choose_account", {"account_id": rng.choice(accounts)}) for _ in range(4)
        ]
        folder: Step = (
            "open_folder",
            {"name": rng.choice(["inbox", "tax", "receipts", "drafts"])},
        )
        kinds: dict[str, list[Step]] = {
            "asks": [choices[0], ("show_account", {}), ("list_payments", {})],
            "limits": [
                choices[3],
                ("show_account", {}),
                ("set_limit", {"limit": rng.choice([100, 200, 500, 800])}),
                ("show_account", {}),
            ],
            "pays": [choices[1], ("list_payments", {})],
            "forgets": [("show_account", {}), choices[2], ("show_account", {})],
            "files": [folder, ("list_files", {})],
            "tidies": [
                ("open_folder", {"name": rng.choice(["inbox", "tax", "receipts"])}),
                ("list_files", {}),
            ],
            "inbox": [("list_files", {})],
            "rates": [("get_rate", {"currency": rng.choice(["EUR", "USD", "CHF"])})],
        }
        chosen = rng.sample(sorted(kinds), rng.randint(1, 3))
        steps = [step for kind in chosen for step in kinds[kind]]
        return [
            step for step in steps if rng.random() > 0.1 for _ in range(1 + (rng.random() < 0.1))
        ]


def measure(kind: type[Panel | Bank], seed: int, *, own: bool) -> dict[str, Any]:
    """Every conversation meets the backend as it was; the third attempt at each task is held out."""
    kept: list[CleanEpisode] = []
    held: list[RecordedEpisode] = []
    values: list[Made] = []
    for task in range(TASKS):
        user = f"user-{task % USERS}"
        for attempt in range(ATTEMPTS):
            backend = kind(seed, user, own=own)
            rng = random.Random(f"{seed}/{task}/{attempt // 2}")  # noqa: S311 - dice
            made = tuple(make(backend, s) for s in backend.script(rng) if isinstance(s, tuple))
            if attempt == ATTEMPTS - 1:
                held.append(asked(user, made, 0))
            else:
                kept.append(episode(len(kept), f"task {task}", user, made, named=True))
                values += made
    wild = [_at_random(lambda u: kind(seed, u, own=own), values, seed, n) for n in range(SEQUENCES)]
    return measured(kept, held, wild)


def _at_random(
    backend_of: Callable[[str], Backend], values: list[Made], seed: int, number: int
) -> RecordedEpisode:
    rng = random.Random(f"{seed}/p/{number}")  # noqa: S311 - dice
    user = f"user-{rng.randrange(USERS)}"
    backend = backend_of(user)
    chosen = [rng.choice(values) for _ in range(LENGTH)]
    return asked(user, tuple(make(backend, (c.name, c.arguments)) for c in chosen), 0)
