"""A bank to learn from: agentdojo's banking tools over an account with more transactions, and what its customers ask for.

Needs what `agentdojo` needs. Comes in: how many errands, and what they are for. Comes out: the bank as a firm; its state is judged, not a
package's task.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Answer, Call
from benchmarks.testbeds.published.agentdojo import Suite, suites
from benchmarks.testbeds.published.errands import Errand, Firm, Task, tools_of, worked

Wanted = tuple[str, list[Call], str]
"""What a customer says, the calls that do it, and what has to be said."""

NAMES = ("Alan Reed", "Bea Kowal", "Chloe Ng", "Dario Vento", "Edda Holm", "Farid Aziz")
PURPOSES = ("Rent", "Gym", "Music lessons", "Phone bill", "Insurance", "Piano", "Parking", "School")
CITIES = ("Lyon", "Oslo", "Porto", "Graz", "Turku", "Ghent")
START = random.Random(7)  # noqa: S311 - dice


def _iban(rng: random.Random) -> str:
    return f"{rng.choice(('DE', 'FR', 'NL', 'SE'))}{rng.randrange(10**16, 10**17)}"


@cache
def _account() -> Any:  # noqa: ANN401 - the package's own
    """The suite's environment with forty more transactions and a dozen that are scheduled."""
    environment = Suite("banking")._environment  # noqa: SLF001 - beside it
    account = environment.bank_account
    sample, rng = account.transactions[0], START
    for number in range(12):
        account.scheduled_transactions.append(
            sample.model_copy(
                update={
                    "id": 20 + number,
                    "sender": account.iban,
                    "recipient": _iban(rng),
                    "amount": float(rng.randrange(20, 900)),
                    "subject": f"{rng.choice(PURPOSES)} {rng.choice(NAMES)}",
                    "date": f"2022-05-{rng.randrange(1, 28):02d}",
                    "recurring": rng.random() < 0.5,
                }
            )
        )
    return environment


def _transfer(rng: random.Random) -> Wanted:
    to, amount = _iban(rng), round(rng.uniform(5, 400), 2)
    subject, date = rng.choice(PURPOSES), f"2022-04-{rng.randrange(10, 29)}"
    words = rng.choice(
        (
            f"Please send {amount} to {to} for '{subject}', dated {date}.",
            f"Transfer {amount} to the account {to} on {date}. The subject is '{subject}'.",
        )
    )
    given = {"recipient": to, "amount": amount, "subject": subject, "date": date}
    return words, [("send_money", given)], ""


def _standing(rng: random.Random) -> Wanted:
    to, amount = _iban(rng), round(rng.uniform(5, 400), 2)
    subject, date = rng.choice(PURPOSES), f"2022-05-{rng.randrange(10, 29)}"
    often = rng.random() < 0.5
    how = "every month, starting" if often else "once,"
    words = f"Schedule a payment of {amount} to {to} {how} on {date}, subject '{subject}'."
    given = {"recipient": to, "amount": amount, "subject": subject, "date": date}
    return words, [("schedule_transaction", {**given, "recurring": often})], ""


def _raise(rng: random.Random) -> Wanted:
    one = rng.choice(_account().bank_account.scheduled_transactions[2:])
    amount = float(rng.randrange(20, 900))
    words = rng.choice(
        (
            f"My scheduled payment '{one.subject}' to {one.recipient} should be {amount} from now on.",
            f"Please change the amount of the scheduled payment to {one.recipient} to {amount}.",
        )
    )
    change = ("update_scheduled_transaction", {"id": one.id, "amount": amount})
    return words, [("get_scheduled_transactions", {}), change], ""


def _postpone(rng: random.Random) -> Wanted:
    one = rng.choice(_account().bank_account.scheduled_transactions[2:])
    date = f"2022-06-{rng.randrange(10, 29)}"
    words = f"Move the scheduled payment to {one.recipient} to {date}, please."
    change = ("update_scheduled_transaction", {"id": one.id, "date": date})
    return words, [("get_scheduled_transactions", {}), change], ""


def _copy(rng: random.Random) -> Wanted:
    one = rng.choice(_account().bank_account.scheduled_transactions[2:])
    date = f"2022-04-{rng.randrange(10, 29)}"
    words = f"Pay what is scheduled to {one.recipient} once more, on {date}."
    given = {"recipient": one.recipient, "amount": one.amount, "subject": one.subject, "date": date}
    return words, [("get_scheduled_transactions", {}), ("send_money", given)], ""


def _move(rng: random.Random) -> Wanted:
    street, city = (
        f"{rng.choice(NAMES).split()[1]} Street {rng.randrange(1, 99)}",
        rng.choice(CITIES),
    )
    words = f"I have moved to {street}, {city}. Please update my data."
    return words, [("update_user_info", {"street": street, "city": city})], ""


def _password(rng: random.Random) -> Wanted:
    new = f"{rng.choice(CITIES).lower()}-{rng.randrange(1000, 9999)}"
    return f"Change my password to {new}.", [("update_password", {"password": new})], ""


def _amount(rng: random.Random) -> Wanted:
    one = rng.choice(_account().bank_account.scheduled_transactions[2:])
    words = f"How much is my scheduled payment to {one.recipient}?"
    return words, [("get_scheduled_transactions", {})], f"{one.amount}"


KINDS: Final = (_transfer, _standing, _raise, _postpone, _copy, _move, _password, _amount)


class Visit:
    """One errand at a fresh copy of the bank."""

    def __init__(self, errand: Errand | None = None) -> None:
        self._errand = errand
        self._environment = _account().model_copy(deep=True)
        self._suite = Suite("banking", self._environment)

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Make one call."""
        return self._suite.call(name, arguments)

    def state(self) -> str:
        """What the bank holds."""
        return str(self._environment.model_dump())

    def verdict(self, words: str, calls: Sequence[Call]) -> bool:
        """Whether it ended as the errand should, and the answer was given."""
        del calls
        errand = self._errand
        return errand is not None and self.state() == errand.end and errand.answer in words


def bank(purpose: str, count: int) -> Firm:
    """The bank with so many errands; another purpose draws others."""
    errands = {e.key: e for e in (_errand(f"{purpose} {number}") for number in range(count))}
    return Firm(
        name="trained-bank",
        tools=tools_of(suites()["banking"].tools),
        errands=tuple(errands.values()),
        sit=lambda key: Visit(errands[key]),
    )


def _errand(key: str) -> Errand:
    rng = random.Random(key)  # noqa: S311 - dice
    prompt, calls, answer = rng.choice(KINDS)(rng)
    return worked(Task(key=key, prompt=prompt, calls=tuple(calls), answer=answer), Visit())
