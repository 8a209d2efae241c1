"""A bank to learn from: agentdojo's banking tools over an account with more transactions, and what its customers ask for.

Needs what `agentdojo` needs. Comes out: a trade (`drawn_firms`).
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from benchmarks.rollouts.drawn_firms import Trade, Wanted
from benchmarks.testbeds.published.agentdojo import Suite

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


BANK = Trade(
    name="trained-bank",
    suite="banking",
    environment=_account,
    state=lambda environment: str(environment.model_dump()),
    kinds=(_transfer, _standing, _raise, _postpone, _copy, _move, _password, _amount),
)
