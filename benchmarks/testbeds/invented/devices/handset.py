"""A phone that does not work abroad: a dozen settings that act together, beside the operator's own desk.

What the phone's owner does is told in words and toggled without arguments; what the operator does is JSON. Much takes
effect only after a reboot, or only while something else is on.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, ToolError, refuse

MODES = ("5g_preferred", "4g_only", "3g_only", "2g_only")
SPEED = {"5g_preferred": 210.0, "4g_only": 48.5, "3g_only": 5.2, "2g_only": 0.1}
APPS = {"messaging": {"sms": True, "storage": False}, "browser": {"storage": True, "camera": False}}
HOME = "S. Okafor"


@dataclass(kw_only=True)
class Line:
    """One phone number at the operator."""

    line_id: str
    phone: str
    plan: str
    status: str
    roaming_enabled: bool
    data_used_gb: float
    data_limit_gb: float
    refuelled_gb: float = 0.0


@dataclass(kw_only=True)
class Customer:
    """Who pays for which lines."""

    customer_id: str
    name: str
    lines: list[str]
    bills: dict[str, dict[str, Any]] = field(default_factory=dict)


class Handset(Backend):
    """One phone in somebody's hand, four lines, three customers."""

    def __init__(self) -> None:
        self._airplane = False
        self._data = True
        self._roaming = False
        self._saver = True
        self._mode = "2g_only"
        self._sim = "active"
        self._apn = "broken"
        self._apn_next = "broken"
        self._vpn = "slow"
        self._apps = {app: dict(grants) for app, grants in APPS.items()}
        self._lines = {
            line_id: Line(
                line_id=line_id,
                phone=phone,
                plan=plan,
                status=status,
                roaming_enabled=roaming,
                data_used_gb=used,
                data_limit_gb=limit,
            )
            for line_id, phone, plan, status, roaming, used, limit in (
                ("L1001", "555-123-2002", "Plus", "Active", False, 8.7, 10.0),
                ("L1002", "555-123-2003", "Basic", "Active", True, 5.1, 5.0),
                ("L1003", "555-444-9000", "Plus", "Suspended", False, 0.4, 10.0),
                ("L1004", "555-777-1212", "Max", "Active", True, 31.0, 60.0),
            )
        }
        self._customers = {
            "C1": Customer(
                customer_id="C1",
                name=HOME,
                lines=["L1001", "L1002"],
                bills={
                    "B11": {"amount": 65.0, "status": "Paid"},
                    "B12": {"amount": 72.5, "status": "Issued"},
                },
            ),
            "C2": Customer(
                customer_id="C2",
                name="B. Lindqvist",
                lines=["L1003"],
                bills={"B21": {"amount": 118.2, "status": "Overdue"}},
            ),
            "C3": Customer(
                customer_id="C3",
                name="Y. Haddad",
                lines=["L1004"],
                bills={"B31": {"amount": 95.0, "status": "Paid"}},
            ),
        }
        self._asked: str | None = None

    # what the phone shows

    def _own(self) -> Line:
        return self._lines["L1001"]

    def _service(self) -> bool:
        return not self._airplane and self._sim == "active" and self._own().status == "Active"

    def _mobile_data(self) -> bool:
        line = self._own()
        return (
            self._service()
            and self._data
            and self._roaming
            and line.roaming_enabled
            and line.data_used_gb < line.data_limit_gb + line.refuelled_gb
        )

    def check_status_bar(self) -> str:
        """Signs at the top of the screen."""
        if self._airplane:
            return "Status bar: airplane | battery 80%"
        parts = ["signal good" if self._service() else "no signal"]
        parts.append(self._mode.split("_", maxsplit=1)[0].upper() if self._service() else "-")
        parts.append("data on" if self._data else "data off")
        if self._saver:
            parts.append("data saver")
        if self._vpn != "off":
            parts.append("VPN")
        return f"Status bar: {' | '.join(parts)} | battery 80%"

    def check_network_status(self) -> str:
        """A page of settings."""
        connected = "connected" if self._service() else "no service"
        return (
            f"Airplane mode: {_on(self._airplane)}\nSIM: {self._sim}\nConnection: {connected}\n"
            f"Mobile data: {_on(self._data)}\nData roaming: {_on(self._roaming)}"
        )

    def check_network_mode(self) -> str:
        """What the phone may use."""
        return f"Network mode preference: {self._mode}"

    def set_network_mode(self, mode: str) -> str:
        """One of four."""
        refuse(mode not in MODES, f"'{mode}' is not a valid mode. Use one of: {', '.join(MODES)}")
        self._mode = mode
        return f"Network mode preference: {mode}\n{self.check_status_bar()}"

    def toggle_airplane_mode(self) -> str:
        """On or off; a VPN does not survive it."""
        self._airplane = not self._airplane
        if self._airplane:
            self._vpn = "off"
        return f"Airplane mode is now {_on(self._airplane)}.\n{self.check_status_bar()}"

    def toggle_data(self) -> str:
        """On or off."""
        self._data = not self._data
        return f"Mobile data is now {_on(self._data)}.\n{self.check_status_bar()}"

    def toggle_roaming(self) -> str:
        """On or off."""
        self._roaming = not self._roaming
        return f"Data roaming is now {_on(self._roaming)}."

    def toggle_data_saver(self) -> str:
        """On or off."""
        self._saver = not self._saver
        return f"Data saver is now {_on(self._saver)}.\n{self.check_status_bar()}"

    def check_sim(self) -> str:
        """In its place or not."""
        return f"SIM card: {self._sim}"

    def reseat_sim(self) -> str:
        """Out and in again; the phone forgets that roaming was on."""
        self._roaming = False
        return f"SIM card taken out and put back.\n{self.check_sim()}"

    def check_apn(self) -> str:
        """Where messages with pictures go."""
        if self._apn == "broken":
            return "APN: internet.example\nMMSC URL: (not set)"
        return "APN: internet.example\nMMSC URL: http://mms.example/mms"

    def reset_apn(self) -> str:
        """As the factory had it, once the phone was restarted."""
        self._apn_next = "good"
        return "APN settings will be reset when the phone restarts."

    def reboot(self) -> str:
        """Takes what was waiting into account."""
        self._apn, self._vpn = self._apn_next, "off"
        return f"Restarted.\n{self.check_status_bar()}"

    def vpn(self) -> str:
        """How it is connected."""
        return "VPN: not connected" if self._vpn == "off" else "VPN: connected, performance poor"

    def disconnect_vpn(self) -> str:
        """If there is one."""
        refuse(self._vpn == "off", "No VPN is connected.")
        self._vpn = "off"
        return self.vpn()

    def speed_test(self) -> str:
        """Megabits a second."""
        if not self._mobile_data():
            return "Speed test failed: no mobile data connection."
        speed = (
            SPEED[self._mode] * (0.2 if self._saver else 1) * (0.1 if self._vpn == "slow" else 1)
        )
        word = "excellent" if speed > 100 else "fair" if speed > 4 else "very poor"
        return f"Speed test: {speed:.2f} Mbps ({word})"

    def app_permissions(self, app: str) -> str:
        """What an app may do."""
        refuse(app not in self._apps, f"App '{app}' is not installed.")
        grants = [name for name, yes in sorted(self._apps[app].items()) if yes]
        return f"{app} may use: {', '.join(grants) or 'nothing'}"

    def grant(self, app: str, permission: str) -> str:
        """One more."""
        refuse(app not in self._apps, f"App '{app}' is not installed.")
        refuse(permission not in self._apps[app], f"'{app}' never asks for '{permission}'.")
        self._apps[app][permission] = True
        return self.app_permissions(app)

    def can_send_mms(self) -> str:
        """Everything has to be right."""
        grants = self._apps["messaging"]
        fine = (
            self._mobile_data()
            and self._mode != "2g_only"
            and self._apn == "good"
            and grants["sms"]
            and grants["storage"]
        )
        return f"The messaging app {'can' if fine else 'cannot'} send MMS."

    # the operator's desk

    def _line(self, customer_id: str, line_id: str) -> Line:
        refuse(customer_id not in self._customers, f"Customer {customer_id} not found")
        if line_id not in self._customers[customer_id].lines:
            raise ToolError(f"Line {line_id} not found for customer {customer_id}")
        return self._lines[line_id]

    def find_customer(self, phone: str) -> dict[str, Any]:
        """By a number."""
        for customer in self._customers.values():
            if any(self._lines[line].phone == phone for line in customer.lines):
                return {
                    "customer_id": customer.customer_id,
                    "name": customer.name,
                    "lines": customer.lines,
                    "bills": sorted(customer.bills),
                }
        raise ToolError(f"No customer with phone {phone}")

    def line(self, customer_id: str, line_id: str) -> dict[str, Any]:
        """As it stands."""
        found = self._line(customer_id, line_id)
        return {k: v for k, v in asdict(found).items() if k != "refuelled_gb"}

    def usage(self, customer_id: str, line_id: str) -> dict[str, Any]:
        """What is left of the data."""
        line = self._line(customer_id, line_id)
        whole = line.data_limit_gb + line.refuelled_gb
        return {
            "line_id": line_id,
            "used_gb": line.data_used_gb,
            "refuelled_gb": line.refuelled_gb,
            "left_gb": round(max(whole - line.data_used_gb, 0.0), 1),
        }

    def enable_roaming(self, customer_id: str, line_id: str) -> str:
        """From now on."""
        line = self._line(customer_id, line_id)
        if line.roaming_enabled:
            return "Roaming was already enabled"
        line.roaming_enabled = True
        return "Roaming enabled successfully"

    def suspend(self, customer_id: str, line_id: str, reason: str) -> dict[str, Any]:
        """Nothing works until it is resumed."""
        line = self._line(customer_id, line_id)
        refuse(line.status != "Active", "Line must be active to suspend")
        line.status = "Suspended"
        return {"message": f"Line suspended: {reason}", "line": self.line(customer_id, line_id)}

    def resume(self, customer_id: str, line_id: str) -> dict[str, Any]:
        """Only if no bill is overdue."""
        line = self._line(customer_id, line_id)
        refuse(line.status != "Suspended", "Line must be suspended to resume")
        if any(b["status"] == "Overdue" for b in self._customers[customer_id].bills.values()):
            raise ToolError("Customer has overdue bills")
        line.status = "Active"
        return {"message": "Line resumed", "line": self.line(customer_id, line_id)}

    def refuel(self, customer_id: str, line_id: str, gb: float) -> dict[str, Any]:
        """Two a gigabyte, on a new bill."""
        refuse(gb <= 0, "Refuel amount must be positive")
        line = self._line(customer_id, line_id)
        line.refuelled_gb = round(line.refuelled_gb + gb, 1)
        bills = self._customers[customer_id].bills
        number = f"B{customer_id[1:]}{len(bills) + 1}"
        bills[number] = {"amount": round(gb * 2, 2), "status": "Issued"}
        return {"line_id": line_id, "refuelled_gb": line.refuelled_gb, "charge": round(gb * 2, 2)}

    def bills(self, customer_id: str, limit: int = 5) -> list[dict[str, Any]]:
        """Newest first."""
        refuse(customer_id not in self._customers, f"Customer {customer_id} not found")
        found = self._customers[customer_id].bills
        return [{"bill_id": number, **found[number]} for number in sorted(found)[::-1][:limit]]

    def request_payment(self, customer_id: str, bill_id: str) -> str:
        """One at a time."""
        refuse(customer_id not in self._customers, f"Customer {customer_id} not found")
        bill = self._customers[customer_id].bills.get(bill_id)
        if bill is None:
            raise ToolError(f"Bill {bill_id} not found")
        refuse(self._asked is not None, f"A payment request is open already: {self._asked}")
        if bill["status"] not in {"Issued", "Overdue"}:
            raise ToolError(f"Bill {bill_id} is {bill['status']}")
        self._asked = bill_id
        return f"Payment request sent for bill {bill_id}"

    def payment_requests(self) -> str:
        """What the owner of the phone is asked for."""
        return "You have no payment request." if self._asked is None else f"Open: {self._asked}"

    def pay(self) -> str:
        """What was asked."""
        if self._asked is None:
            raise ToolError("You have no payment request.")
        for customer in self._customers.values():
            if self._asked in customer.bills:
                bill = customer.bills[self._asked]
                bill["status"] = "Paid"
                number, self._asked = self._asked, None
                return f"Bill {number}: {bill['amount']:.2f}, {bill['status']}"
        raise ToolError("You have no payment request.")


def _on(value: bool) -> str:  # noqa: FBT001 - one word of a setting
    return "ON" if value else "OFF"
