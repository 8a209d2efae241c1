"""A trading account: balance arithmetic, order states, quotes that never move, and one account nobody names."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style
from benchmarks.testbeds.invented.scripts import Goals

QUOTES = {"ALFA": 12.5, "BRVO": 230.11, "CHRL": 1500.15, "DLTA": 60.0, "ECHO": 4.2}
SECTORS = {"tech": ["ALFA", "CHRL"], "energy": ["BRVO"], "food": ["DLTA", "ECHO"]}


class Trading(Backend):
    """One account, orders from number 12346 on."""

    def __init__(self) -> None:
        self._balance = 10000.0
        self._orders: dict[int, dict[str, Any]] = {
            12345: _order(12345, "Buy", ("BRVO", 10), "Open"),
            12344: _order(12344, "Sell", ("DLTA", 5), "Completed"),
        }
        self._watched = ["ALFA"]

    def get_account_info(self) -> dict[str, Any]:
        """Balance and card."""
        return {"account_id": 98765, "balance": self._balance, "binding_card": 1974202140965533}

    def get_stock_info(self, symbol: str) -> dict[str, Any]:
        """A quote."""
        if symbol not in QUOTES:
            return {"error": f"Stock with symbol '{symbol}' not found."}
        return {"price": QUOTES[symbol], "volume": len(symbol) * 1.255, "MA(5)": QUOTES[symbol] - 1}

    def get_available_stocks(self, sector: str) -> dict[str, Any]:
        """Symbols of a sector."""
        return {"stock_list": SECTORS.get(sector, [])}

    def place_order(
        self, order_type: str, symbol: str, price: float, amount: int
    ) -> dict[str, Any]:
        """A new order."""
        if symbol not in QUOTES:
            return {"error": f"Invalid stock symbol: {symbol}"}
        if order_type == "Buy" and price * amount > self._balance:
            return {"error": f"Insufficient funds: required ${price * amount:.2f}"}
        number = max(self._orders) + 1
        self._orders[number] = _order(number, order_type, (symbol, amount), "Open")
        self._orders[number]["price"] = price
        if order_type == "Buy":
            self._balance = round(self._balance - price * amount, 2)
        return {"order_id": number, "order_type": order_type, "status": "Pending", "price": price}

    def get_order_details(self, order_id: int) -> dict[str, Any]:
        """One order."""
        if order_id not in self._orders:
            return {"error": f"Order with ID {order_id} not found."}
        return self._orders[order_id]

    def cancel_order(self, order_id: int) -> dict[str, Any]:
        """Cancel it while it is open."""
        if order_id not in self._orders:
            return {"error": f"Order with ID {order_id} not found."}
        if self._orders[order_id]["status"] != "Open":
            return {"error": f"Can't cancel order {order_id}."}
        self._orders[order_id]["status"] = "Cancelled"
        return {"order_id": order_id, "status": "Cancelled"}

    def get_order_history(self) -> list[int]:
        """Numbers of all orders."""
        return sorted(self._orders)

    def add_to_watchlist(self, stock: str) -> list[str]:
        """The list after adding."""
        if stock not in self._watched:
            self._watched.append(stock)
        return self._watched

    def remove_from_watchlist(self, stock: str) -> str:
        """Take one off."""
        if stock not in self._watched:
            return f"{stock} is not on the list."
        self._watched.remove(stock)
        return f"Stock {stock} removed."

    def get_watchlist(self) -> list[str]:
        """The list."""
        return self._watched

    def make_transaction(self, kind: str, amount: float) -> dict[str, Any]:
        """Money in or out."""
        if amount <= 0:
            return {"error": "Transaction amount must be positive."}
        if kind == "withdrawal" and amount > self._balance:
            return {"error": "Insufficient balance for withdrawal."}
        self._balance = round(self._balance + (amount if kind == "deposit" else -amount), 2)
        return {"status": "ok", "new_balance": self._balance}


def _order(number: int, kind: str, what: tuple[str, int], status: str) -> dict[str, Any]:
    return {
        "id": number,
        "order_type": kind,
        "symbol": what[0],
        "price": QUOTES[what[0]],
        "amount": what[1],
        "status": status,
    }


GOALS = Goals("""
    get_stock_info $symbol; place_order *buy; get_account_info
    place_order *buy; get_order_details order_id=12346; get_order_history
    get_order_details order_id=12345|12344|12345; cancel_order order_id=12345|12345|12344;
        get_order_details order_id=12345
    place_order *buy; cancel_order order_id=12346
    add_to_watchlist stock=$symbol; get_watchlist
    get_watchlist; remove_from_watchlist stock=ALFA; get_watchlist
    get_account_info; make_transaction kind=deposit|withdrawal amount=50|1000.5; get_account_info
    get_available_stocks sector=tech|energy|food; get_stock_info $symbol
""")


def _script(rng: random.Random) -> list[Step]:
    symbol, amount = rng.choice(sorted(QUOTES)), rng.choice([1, 5, 10, 100])
    buy = {"order_type": "Buy", "symbol": symbol, "price": QUOTES[symbol], "amount": amount}
    return GOALS.two(rng, symbol=symbol, buy=buy)


TRADING = Style(name="trading", make=Trading, script=_script)
