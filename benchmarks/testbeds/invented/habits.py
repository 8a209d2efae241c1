"""Invented apps whose answers hang on a habit: values that mean nothing, one record behind a look, a choice made before, who is signed in.

Each has a script of its own, in the app's plain words. Not here: seasons of conversations and what their worlds are asked (`benchmarks.worlds.habits`).
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Answer, Backend, Step, ToolError, refuse
from benchmarks.testbeds.invented.scripts import Goals

FLAGS: Final = ("plain", "envelope", "took", "token", "idle", "spelling", "faults")
"""Habits of the depot. `idle`: keys, reasons and times that the agent makes up; `faults`: errors with a number and a time in their text."""
START: Final = 1_790_000_000
USERS: Final = 20
PEOPLE: Final = 15
CITIES: Final = ("Oslo", "Rome", "Lyon", "Bonn")
PRODUCTS: Final = {f"P{n:03}": {"name": f"thing {n}", "price": 5 * n + 3} for n in range(12)}
SYMBOLS: Final = ("ALFA", "BETA", "GAMA", "DELT", "EPSI", "ZETA", "ETAX", "THET")
MODES: Final = ("auto", "heat", "cool", "off")


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
        refuse(parcel_id not in self.parcels, "no such parcel")
        refuse(self.parcels[parcel_id]["owner"] != customer_id, "not this customer's parcel")
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

    def script(self, customer: str, rng: random.Random) -> list[Step]:
        """What an agent does for one customer, in the plain depot's words."""
        own = sorted(k for k, p in self.parcels.items() if p["owner"] == customer)
        other = rng.choice(sorted(self.parcels))
        parcel = rng.choice(own) if rng.random() < 0.85 else other
        one = {"parcel_id": parcel, "customer_id": customer}
        return AT_DEPOT.some(rng, customer_id=customer, one=one, cities=CITIES)


AT_DEPOT: Final = Goals("""
    looks: profile $customer_id; list_parcels $customer_id
    asks: list_parcels $customer_id; get_parcel *one
    moves: get_parcel *one; redirect *one city=?cities; get_parcel *one
    sends: get_parcel *one; send *one; list_parcels $customer_id
    recalls: list_parcels $customer_id; recall *one; get_parcel *one
    thanks: profile $customer_id; add_points $customer_id points=10|20|50; profile $customer_id
""")


class Panel(Backend):
    """One record behind each look; `own`: each customer has other values."""

    def __init__(self, seed: int, user: str, *, own: bool = False) -> None:
        chance = random.Random(f"panel/{seed}/{user if own else ''}")  # noqa: S311 - dice
        self._climate = {
            "temperature": chance.randint(17, 23),
            "mode": chance.choice(MODES),
            "fan": chance.choice(["low", "high"]),
        }
        self._balance = chance.randint(50, 900)
        self._watched: list[str] = chance.sample(SYMBOLS, 2)
        self._cart = {chance.choice(tuple(PRODUCTS)): chance.randint(1, 3)} if own else {}

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
        refuse(amount > self._balance, "insufficient funds")
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
        return AT_PANEL.some(
            rng,
            degrees=range(16, 26),
            modes=MODES,
            saved=range(10, 310, 10),
            spent=range(10, 610, 10),
            symbols=SYMBOLS,
            products=tuple(PRODUCTS),
        )


AT_PANEL: Final = Goals("""
    warmer: get_climate; set_temperature degrees=?degrees; get_climate
    mode: get_climate; set_mode mode=?modes; get_climate
    saves: get_balance; deposit amount=?saved; get_balance
    spends: get_balance; withdraw amount=?spent; get_balance
    watches: get_watch_list; watch symbol=?symbols; get_watch_list
    buys: view_cart; add_to_cart product_id=?products count=1|2|3; view_cart
    looks: get_balance; get_climate; get_watch_list
""")


class Bank(Backend):
    """Accounts, of which one is chosen; what is asked without naming one is asked of that."""

    def __init__(self, seed: int, user: str) -> None:
        del user
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
        refuse(not self._chosen, "choose an account first")
        return self._accounts[self._chosen]

    def choose_account(self, account_id: str) -> str:
        """From now on this account is meant."""
        refuse(account_id not in self._accounts, "no such account")
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
        refuse(name not in self._folders, "no such folder")
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
        asked, paid, forgotten, limited = (rng.choice(accounts) for _ in range(4))
        return AT_BANK.some(
            rng,
            asked=asked,
            paid=paid,
            forgotten=forgotten,
            limited=limited,
            folder=rng.choice(["inbox", "tax", "receipts", "drafts"]),
        )


AT_BANK: Final = Goals("""
    asks: choose_account account_id=$asked; show_account; list_payments
    limits: choose_account account_id=$limited; show_account; set_limit limit=100|200|500|800;
        show_account
    pays: choose_account account_id=$paid; list_payments
    forgets: show_account; choose_account account_id=$forgotten; show_account
    files: open_folder name=$folder; list_files
    tidies: open_folder name=inbox|tax|receipts; list_files
    inbox: list_files
    rates: get_rate currency=EUR|USD|CHF
""")


class Shop(Backend):
    """All customers' data; `user` says whose session it is."""

    def __init__(self, seed: int, user: str = "") -> None:
        chance = random.Random(f"shop/{seed}")  # noqa: S311 - dice
        self.user = user
        self.people: dict[str, dict[str, Any]] = {}
        for number in range(USERS):
            orders = {
                f"OR{seed % 9}{number:02}{n}": {
                    "status": chance.choice(["processing", "shipped", "delivered"]),
                    "total": chance.randint(10, 300),
                }
                for n in range(chance.randint(1, 3))
            }
            self.people[f"user-{number}"] = {
                "city": chance.choice(["Oslo", "Rome", "Lyon"]),
                "points": chance.randint(0, 900),
                "orders": orders,
                "cart": {},
            }

    @property
    def _me(self) -> dict[str, Any]:
        return self.people[self.user]

    def get_my_profile(self) -> dict[str, Any]:
        """Who is signed in."""
        return {"city": self._me["city"], "points": self._me["points"]}

    def set_city(self, city: str) -> str:
        """Move."""
        self._me["city"] = city
        return "saved"

    def list_my_orders(self) -> list[dict[str, Any]]:
        """The customer's orders."""
        return [{"order_id": name, **order} for name, order in self._me["orders"].items()]

    def get_order(self, order_id: str) -> dict[str, Any]:
        """One of the customer's orders."""
        refuse(order_id not in self._me["orders"], "no such order")
        return {"order_id": order_id, **self._me["orders"][order_id]}

    def cancel_order(self, order_id: str) -> dict[str, Any]:
        """Cancel what is not under way."""
        order = self.get_order(order_id)
        if order["status"] != "processing":
            raise ToolError(f"order is {order['status']}")
        self._me["orders"][order_id]["status"] = "cancelled"
        return self.get_order(order_id)

    def get_product(self, product_id: str) -> dict[str, Any]:
        """A product, the same for everybody."""
        refuse(product_id not in PRODUCTS, "no such product")
        return {"product_id": product_id, **PRODUCTS[product_id]}

    def add_to_cart(self, product_id: str, count: int) -> str:
        """Put something into the cart."""
        self.get_product(product_id)
        self._me["cart"][product_id] = self._me["cart"].get(product_id, 0) + count
        return "added"

    def view_cart(self) -> dict[str, Any]:
        """The cart with its total."""
        cart = self._me["cart"]
        return {"items": cart, "total": sum(PRODUCTS[p]["price"] * n for p, n in cart.items())}

    def script(self, rng: random.Random) -> list[Step]:
        """What an agent does for the customer who is signed in."""
        order = rng.choice(sorted(self._me["orders"]))
        product = rng.choice(sorted(PRODUCTS))
        return AT_SHOP.some(rng, order_id=order, product_id=product)


AT_SHOP: Final = Goals("""
    points: get_my_profile
    moves: get_my_profile; set_city city=Oslo|Rome|Lyon; get_my_profile
    cancels: list_my_orders; cancel_order $order_id; list_my_orders
    asks: list_my_orders; get_order $order_id
    buys: get_product $product_id; view_cart; add_to_cart $product_id count=1|2|3; view_cart
""")
