"""A mobile operator's account desk: lines, plans, data, roaming, suspension and bills that grow with what is sold."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style, ToolError, refuse
from benchmarks.testbeds.invented.scripts import Goals

PLANS: dict[str, dict[str, Any]] = {
    "P1001": {"name": "Basic 2", "data_limit_gb": 2.0, "monthly": 15.0, "refuel_per_gb": 2.5},
    "P1002": {"name": "Family 8", "data_limit_gb": 8.0, "monthly": 32.0, "refuel_per_gb": 2.0},
    "P1003": {"name": "Pro 20", "data_limit_gb": 20.0, "monthly": 55.0, "refuel_per_gb": 1.5},
    "P1004": {"name": "Travel 12", "data_limit_gb": 12.0, "monthly": 48.0, "refuel_per_gb": 1.0},
}
SWITCH_FEE = 10.0
MAX_REFUEL = 5


@dataclass(kw_only=True)
class Line:
    """One SIM and what it has used this month."""

    line_id: str
    number: str
    plan_id: str
    used: float
    status: str = "Active"
    roaming: bool = False
    refuelled: float = 0.0
    sim: str = ""
    reason: str | None = None

    def record(self) -> dict[str, Any]:
        """As the billing system shows it."""
        return {
            "line_id": self.line_id,
            "phone_number": self.number,
            "status": self.status,
            "plan_id": self.plan_id,
            "roaming_enabled": self.roaming,
            "data_used_gb": self.used,
            "data_refueling_gb": self.refuelled,
            "sim": self.sim,
            "suspension_reason": self.reason,
        }

    def limit(self) -> float:
        """What may be used before it gets slow."""
        return float(PLANS[self.plan_id]["data_limit_gb"]) + self.refuelled


@dataclass(kw_only=True)
class Customer:
    """Who pays."""

    customer_id: str
    name: str
    email: str
    lines: list[str]
    bills: dict[str, dict[str, Any]] = field(default_factory=dict)
    credit: float = 0.0


class Mobile(Backend):
    """Six customers with one to three lines each."""

    def __init__(self) -> None:
        people = [
            ("C1001", "John Smith", 2, "Overdue"),
            ("C1002", "Maria Lopez", 1, "Paid"),
            ("C1003", "Wei Chen", 3, "Issued"),
            ("C1004", "Aisha Khan", 1, "Overdue"),
            ("C1005", "Peter Novak", 2, "Issued"),
            ("C1006", "Lena Braun", 1, "Paid"),
        ]
        self._customers: dict[str, Customer] = {}
        self._lines: dict[str, Line] = {}
        self._owner: dict[str, str] = {}
        plans = sorted(PLANS)
        at = 0
        for who, (key, name, count, status) in enumerate(people):
            email = name.lower().replace(" ", ".") + "@mail.example"
            customer = Customer(customer_id=key, name=name, email=email, lines=[])
            for _ in range(count):
                at += 1
                line = Line(
                    line_id=f"L{2000 + at}",
                    number=f"555-{120 + at * 7}-2{at:03d}",
                    plan_id=plans[(at + who) % 4],
                    used=round(0.7 + at * 1.3, 1),
                    roaming=at % 3 == 0,
                    sim=f"8949{at:06d}",
                )
                if at in {2, 7}:
                    line.status, line.reason = "Suspended", "overdue bill"
                self._lines[line.line_id] = line
                self._owner[line.line_id] = key
                customer.lines.append(line.line_id)
            base = sum(float(PLANS[self._lines[one].plan_id]["monthly"]) for one in customer.lines)
            for number, (month, state) in enumerate(
                [("2026-01", "Paid"), ("2026-02", status), ("2026-03", "Draft")]
            ):
                bill = f"B{3000 + who * 10 + number}"
                customer.bills[bill] = {
                    "bill_id": bill,
                    "period": month,
                    "total_due": base + 1.5 * (number % 2),
                    "status": state,
                    "items": [{"description": "Monthly charges", "amount": base}],
                }
            self._customers[key] = customer
        self._requested: dict[str, str] = {}
        self._tickets = 0

    @staticmethod
    def _fault(text: str) -> str:
        return f"Error: {text}"

    def _customer(self, customer_id: str) -> Customer:
        refuse(customer_id not in self._customers, f"Customer with ID {customer_id} not found")
        return self._customers[customer_id]

    def _line(self, customer_id: str, line_id: str) -> Line:
        customer = self._customer(customer_id)
        if line_id not in customer.lines:
            raise ToolError(f"Line {line_id} does not belong to customer {customer_id}")
        return self._lines[line_id]

    def _charge(self, customer: Customer, description: str, amount: float) -> float:
        bill = list(customer.bills.values())[-1]
        bill["items"].append({"description": description, "amount": amount})
        bill["total_due"] = round(bill["total_due"] + amount, 2)
        return float(bill["total_due"])

    def get_customer_by_phone(self, phone_number: str) -> dict[str, Any]:
        """Who has this number."""
        for line in self._lines.values():
            if line.number == phone_number:
                return self.get_customer_by_id(self._owner[line.line_id])
        raise ToolError(f"No customer with phone number {phone_number}")

    def get_customer_by_id(self, customer_id: str) -> dict[str, Any]:
        """The account with the ids of what belongs to it."""
        customer = self._customer(customer_id)
        return {
            "customer_id": customer.customer_id,
            "full_name": customer.name,
            "email": customer.email,
            "line_ids": list(customer.lines),
            "bill_ids": list(customer.bills),
            "account_status": self._standing(customer),
            "credit_balance": customer.credit,
        }

    def _standing(self, customer: Customer) -> str:
        due = any(b["status"] == "Overdue" for b in customer.bills.values())
        return "In arrears" if due else "Good standing"

    def get_details_by_id(self, id: str) -> dict[str, Any]:  # noqa: A002 - the tool's own name
        """A line, a bill, a plan or a customer, by its letter."""
        if id in self._lines:
            return self._lines[id].record()
        if id in PLANS:
            return {"plan_id": id, **PLANS[id]}
        if id in self._customers:
            return self.get_customer_by_id(id)
        for customer in self._customers.values():
            if id in customer.bills:
                return customer.bills[id]
        raise ToolError(f"Unknown ID {id}")

    def get_bills_for_customer(self, customer_id: str, limit: int = 12) -> list[dict[str, Any]]:
        """Newest first."""
        bills = list(self._customer(customer_id).bills.values())[::-1]
        return [{k: b[k] for k in ("bill_id", "period", "total_due", "status")} for b in bills][
            :limit
        ]

    def get_data_usage(self, customer_id: str, line_id: str) -> dict[str, Any]:
        """Used, allowed and left."""
        line = self._line(customer_id, line_id)
        return {
            "line_id": line_id,
            "data_used_gb": line.used,
            "data_limit_gb": line.limit(),
            "remaining_gb": round(max(0.0, line.limit() - line.used), 2),
            "cycle_end_date": "2026-03-31",
        }

    def toggle_roaming(self, customer_id: str, line_id: str) -> dict[str, Any]:
        """The other way round."""
        line = self._line(customer_id, line_id)
        refuse(line.status != "Active", "Roaming can only be changed on an active line")
        line.roaming = not line.roaming
        return {"message": "Roaming " + ("enabled" if line.roaming else "disabled")}

    def suspend_line(self, customer_id: str, line_id: str, reason: str) -> dict[str, Any]:
        """Costs nothing, comes back with `resume_line`."""
        line = self._line(customer_id, line_id)
        refuse(line.status != "Active", "Line must be active to suspend")
        line.status, line.reason = "Suspended", reason
        return {"message": "Line suspended", "line": line.record()}

    def resume_line(self, customer_id: str, line_id: str) -> dict[str, Any]:
        """Only for who has paid."""
        line = self._line(customer_id, line_id)
        refuse(line.status != "Suspended", f"Line is {line.status}, nothing to resume")
        if self._standing(self._customers[customer_id]) != "Good standing":
            raise ToolError("Overdue bills must be paid before a line is resumed")
        line.status, line.reason = "Active", None
        return {"message": "Line resumed", "line": line.record()}

    def refuel_data(self, customer_id: str, line_id: str, gb_amount: float) -> dict[str, Any]:
        """More data on the next bill."""
        line = self._line(customer_id, line_id)
        if gb_amount <= 0 or gb_amount > MAX_REFUEL:
            raise ToolError(f"Refuel amount must be between 0 and {MAX_REFUEL} GB")
        charge = round(gb_amount * float(PLANS[line.plan_id]["refuel_per_gb"]), 2)
        line.refuelled += gb_amount
        total = self._charge(self._customers[customer_id], f"Data refuel {line_id}", charge)
        return {
            "message": f"Added {gb_amount} GB for ${charge:.2f}",
            "new_data_refueling_gb": line.refuelled,
            "charge": charge,
            "next_bill_total": total,
        }

    def change_plan(self, customer_id: str, line_id: str, plan_id: str) -> dict[str, Any]:
        """A fee when it gets cheaper."""
        line = self._line(customer_id, line_id)
        refuse(plan_id not in PLANS, f"Plan {plan_id} does not exist")
        refuse(plan_id == line.plan_id, "Line is already on this plan")
        cheaper = PLANS[plan_id]["monthly"] < PLANS[line.plan_id]["monthly"]
        line.plan_id = plan_id
        if cheaper:
            self._charge(self._customers[customer_id], "Plan change fee", SWITCH_FEE)
        return {"line_id": line_id, "plan": PLANS[plan_id]["name"], "fee": SWITCH_FEE * cheaper}

    def send_payment_request(self, customer_id: str, bill_id: str) -> str:
        """One at a time."""
        customer = self._customer(customer_id)
        if bill_id not in customer.bills:
            raise ToolError(f"Bill {bill_id} not found for customer {customer_id}")
        if customer_id in self._requested:
            raise ToolError("A payment request is already open for this customer")
        if customer.bills[bill_id]["status"] in {"Paid", "Draft"}:
            raise ToolError(f"Bill {bill_id} is not payable")
        self._requested[customer_id] = bill_id
        customer.bills[bill_id]["status"] = "Awaiting Payment"
        return f"Payment request sent to {customer.email} for bill {bill_id}"

    def check_payment_request(self, customer_id: str) -> dict[str, Any]:
        """What the customer is asked for."""
        self._customer(customer_id)
        bill = self._requested.get(customer_id)
        if bill is None:
            return {"open": False}
        return {
            "open": True,
            "bill_id": bill,
            "amount": self._customers[customer_id].bills[bill]["total_due"],
        }

    def make_payment(self, customer_id: str) -> str:
        """The customer pays what is asked."""
        customer = self._customer(customer_id)
        bill = self._requested.pop(customer_id, None)
        if bill is None:
            raise ToolError("No open payment request")
        customer.bills[bill]["status"] = "Paid"
        return f"Payment of ${customer.bills[bill]['total_due']:.2f} received"

    def network_status(self, line_id: str) -> str:
        """What the phone would show."""
        refuse(line_id not in self._lines, f"Line {line_id} not found")
        line = self._lines[line_id]
        if line.status != "Active":
            return "No service"
        if line.used > line.limit():
            return "Connected, slow: data exhausted"
        return "Connected" if not line.roaming else "Connected, roaming allowed"

    def transfer_to_human(self, summary: str) -> str:
        """Ends with a ticket."""
        self._tickets += 1
        return f"Transferred. Reference TR-{self._tickets}: {summary}"


GOALS = Goals(
    """
    get_details_by_id id=$line_id; network_status $line_id; get_data_usage *both
    get_data_usage *both; refuel_data *both gb_amount=$gb; get_data_usage *both;
        get_details_by_id id=$draft
    get_details_by_id id=$line_id; toggle_roaming *both; get_details_by_id id=$line_id;
        network_status $line_id
    PAY; resume_line *both; get_details_by_id id=$line_id
    PAY; $who
    suspend_line *both reason="lost phone"|vacation; get_details_by_id id=$line_id
    suspend_line *both reason="lost phone"; network_status $line_id; resume_line *both
    get_details_by_id id=$old_plan; get_details_by_id id=$plan_id; change_plan *both $plan_id;
        get_data_usage *both; get_bills_for_customer $customer_id
    resume_line *both; transfer_to_human summary="cannot resume the line"
""".replace(
        "PAY",
        "get_bills_for_customer *bills; send_payment_request $customer_id $bill_id;"
        " check_payment_request $customer_id; make_payment $customer_id",
    )
)


def _script(rng: random.Random) -> list[Step]:
    model = Mobile()
    customer = rng.choice(list(model._customers.values()))  # noqa: SLF001 - a customer knows these
    line_id = rng.choice(customer.lines)
    line, bills = model._lines[line_id], list(customer.bills)  # noqa: SLF001 - the same
    me = {"customer_id": customer.customer_id}
    who: Step = rng.choice(
        [("get_customer_by_phone", {"phone_number": line.number}), ("get_customer_by_id", me)]
    )
    asked = GOALS.two(
        rng,
        bills=rng.choice([me, {**me, "limit": 2}]),
        gb=rng.choice([1, 2, 2.5, 6]),
        plan_id=rng.choice(sorted(PLANS)),
        both={**me, "line_id": line_id},
        who=who,
        line_id=line_id,
        draft=bills[-1],
        bill_id=bills[1],
        old_plan=line.plan_id,
        **me,
    )
    return [who, *asked]


MOBILE = Style(name="mobile", make=Mobile, script=_script)
