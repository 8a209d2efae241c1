"""Bank accounts: one chosen account per session, overdraft, holds and fees; answers are sentences and CSV text."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from benchmarks.testbeds.invented.backend import Backend, Step, Style, ToolError, refuse
from benchmarks.testbeds.invented.scripts import Goals

RATES = {"USD": 1.0837, "GBP": 0.8581, "CHF": 0.9644}
SAVINGS_FEE = 1.5


@dataclass(kw_only=True)
class Account:
    """One account and what is reserved on it."""

    owner: str
    balance: float
    overdraft: float = 0.0
    frozen: bool = False
    holds: dict[str, tuple[str, float]] = field(default_factory=dict)
    lines: list[tuple[str, float]] = field(default_factory=list)

    def available(self) -> float:
        """What may leave the account."""
        return self.balance + self.overdraft - sum(amount for _, amount in self.holds.values())

    def book(self, text: str, amount: float) -> None:
        """One line of the statement."""
        self.balance = round(self.balance + amount, 2)
        self.lines.append((text, amount))


class Ledger(Backend):
    """Four accounts, none of them chosen."""

    def __init__(self) -> None:
        self._accounts = {
            "CHK-201": Account(owner="Ana Ruiz", balance=420.0, overdraft=100.0),
            "SAV-305": Account(owner="Ana Ruiz", balance=5200.55),
            "CHK-417": Account(owner="Ben Okoye", balance=38.2, overdraft=50.0),
            "SAV-588": Account(owner="Ben Okoye", balance=900.0),
        }
        self._accounts["CHK-417"].holds["H1"] = ("Hotel Luna", 30.0)
        self._holds = 1
        self._chosen: str | None = None

    @staticmethod
    def _fault(text: str) -> str:
        return f"DECLINED - {text}"

    def _account(self) -> Account:
        if self._chosen is None:
            raise ToolError("no account chosen")
        return self._accounts[self._chosen]

    def _paying(self, amount: float) -> Account:
        account = self._account()
        refuse(account.frozen, f"account {self._chosen} is frozen")
        refuse(amount <= 0, "the amount must be positive")
        if amount > account.available():
            raise ToolError(f"{amount:.2f} EUR asked, {account.available():.2f} EUR available")
        return account

    def use_account(self, account: str) -> str:
        """All later calls are about this account."""
        refuse(account not in self._accounts, f"there is no account {account}")
        self._chosen = account
        return f"Now working on {account} ({self._accounts[account].owner})."

    def balance(self) -> str:
        """A sentence."""
        account = self._account()
        return f"{account.balance:.2f} EUR booked, {account.available():.2f} EUR available."

    def deposit(self, amount: float) -> str:
        """Money in."""
        account = self._account()
        refuse(amount <= 0, "the amount must be positive")
        account.book("deposit", amount)
        return f"Deposited. New balance: {account.balance:.2f} EUR."

    def withdraw(self, amount: float) -> str:
        """Money out; savings pay a fee."""
        account = self._paying(amount)
        account.book("withdrawal", -amount)
        if self._chosen and self._chosen.startswith("SAV"):
            account.book("fee", -SAVINGS_FEE)
        return f"Paid out {amount:.2f} EUR. New balance: {account.balance:.2f} EUR."

    def transfer(self, to: str, amount: float) -> str:
        """From the chosen account to another."""
        refuse(to not in self._accounts, f"there is no account {to}")
        self._paying(amount).book(f"to {to}", -amount)
        self._accounts[to].book(f"from {self._chosen}", amount)
        return "done"

    def place_hold(self, merchant: str, amount: float) -> str:
        """Reserve money."""
        account = self._paying(amount)
        self._holds += 1
        account.holds[f"H{self._holds}"] = (merchant, amount)
        return f"H{self._holds}"

    def settle_hold(self, hold_id: str) -> str:
        """The merchant takes it."""
        account = self._account()
        refuse(hold_id not in account.holds, f"no hold {hold_id} on this account")
        merchant, amount = account.holds.pop(hold_id)
        account.book(merchant, -amount)
        return f"{merchant} took {amount:.2f} EUR."

    def drop_hold(self, hold_id: str) -> str:
        """The money is free again."""
        account = self._account()
        refuse(hold_id not in account.holds, f"no hold {hold_id} on this account")
        del account.holds[hold_id]
        return ""

    def holds(self) -> str:
        """CSV."""
        found = self._account().holds.items()
        return "\n".join(["hold,merchant,amount", *(f"{k},{m},{a:.2f}" for k, (m, a) in found)])

    def statement(self, last: int = 10) -> str:
        """CSV, newest first."""
        lines = self._account().lines[::-1][:last]
        return "\n".join(["text;amount", *(f"{text};{amount:+.2f}" for text, amount in lines)])

    def freeze(self, account: str) -> str:
        """On or off."""
        refuse(account not in self._accounts, f"there is no account {account}")
        self._accounts[account].frozen = not self._accounts[account].frozen
        return "frozen" if self._accounts[account].frozen else "active again"

    def accounts_of(self, owner: str) -> list[str]:
        """Numbers."""
        return [key for key, account in self._accounts.items() if account.owner == owner]

    def convert(self, amount: float, currency: str) -> str:
        """A sum."""
        refuse(currency not in RATES, f"no rate for {currency}")
        return f"{amount:.2f} EUR = {amount * RATES[currency]:.2f} {currency}"


GOALS = Goals("""
    accounts_of owner="Ana Ruiz"|"Ben Okoye"; use_account $account; balance
    use_account $account; balance; withdraw $amount; balance
    use_account $account; transfer to=$other $amount; balance; statement
    use_account $account; transfer to=$other $amount; use_account account=$other; statement last=1
    use_account $account; place_hold merchant="Hotel Luna"|Rent-a-Bike amount=25; holds;
        settle_hold hold_id=H2; balance
    use_account account=CHK-417; holds; settle_hold|drop_hold hold_id=H1; balance
    freeze $account; use_account $account; withdraw amount=5; balance
    use_account $account; deposit $amount; statement last=1|3
    convert $amount currency=?rates; use_account $account; balance
""")


def _script(rng: random.Random) -> list[Step]:
    account, other = rng.sample(["CHK-201", "SAV-305", "CHK-417", "SAV-588"], 2)
    amount = rng.choice([15, 40.5, 100, 600])
    return GOALS.two(rng, account=account, other=other, amount=amount, rates=sorted(RATES))


LEDGER = Style(name="ledger", make=Ledger, script=_script)
