"""What people ask of the phone that does not work abroad, and of its operator.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`handset`).
"""

from __future__ import annotations

import random

from benchmarks.testbeds.invented.backend import Step, Style
from benchmarks.testbeds.invented.devices.handset import APPS, MODES, Handset


def _script(rng: random.Random) -> list[Step]:
    customer, line, phone = rng.choice(
        [
            ("C1", "L1001", "555-123-2002"),
            ("C1", "L1001", "555-123-2002"),
            ("C1", "L1002", "555-123-2003"),
            ("C2", "L1003", "555-444-9000"),
            ("C3", "L1004", "555-777-1212"),
        ]
    )
    who = {"customer_id": customer, "line_id": line}
    own = {"customer_id": "C1", "line_id": "L1001"}
    app = rng.choice(sorted(APPS))
    permission = rng.choice(["storage", "sms", "camera"])
    mode = rng.choice(MODES)
    gb = rng.choice([1.0, 2.0, 0.5])
    bill = {"C1": "B12", "C2": "B21", "C3": "B31"}[customer]
    bar: Step = ("check_status_bar", {})
    speed: Step = ("speed_test", {})
    find: Step = ("find_customer", {"phone": phone})
    look: Step = ("line", who)
    paid: list[Step] = [
        ("request_payment", {"customer_id": customer, "bill_id": bill}),
        ("payment_requests", {}),
        ("pay", {}),
    ]
    goals: list[list[Step]] = [
        [bar, ("toggle_airplane_mode", {}), bar, ("toggle_airplane_mode", {}), bar],
        [speed, ("toggle_roaming", {}), ("enable_roaming", own), speed],
        [
            ("enable_roaming", own),
            ("toggle_roaming", {}),
            ("set_network_mode", {"mode": mode}),
            speed,
            ("vpn", {}),
            ("disconnect_vpn", {}),
            speed,
            ("toggle_data_saver", {}),
            speed,
        ],
        [
            ("can_send_mms", {}),
            ("check_apn", {}),
            ("reset_apn", {}),
            ("reboot", {}),
            ("check_apn", {}),
            ("app_permissions", {"app": "messaging"}),
            ("grant", {"app": "messaging", "permission": "storage"}),
            ("can_send_mms", {}),
        ],
        [
            ("app_permissions", {"app": app}),
            ("grant", {"app": app, "permission": permission}),
            ("app_permissions", {"app": app}),
        ],
        [("check_network_mode", {}), ("set_network_mode", {"mode": mode}), bar],
        [("check_sim", {}), ("reseat_sim", {}), ("check_network_status", {})],
        [("check_network_status", {}), ("toggle_data", {}), ("check_network_status", {}), bar],
        [find, look, ("usage", who), ("refuel", {**who, "gb": gb}), ("usage", who)],
        [find, look, ("suspend", {**who, "reason": "vacation"}), look, ("resume", who), look],
        [find, ("bills", {"customer_id": customer}), *paid, ("bills", {"customer_id": customer})],
        [look, *paid, ("resume", who), look],
        [find, ("bills", {"customer_id": customer, "limit": 1}), ("refuel", {**who, "gb": gb})],
        [("toggle_data_saver", {}), bar, ("vpn", {})],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


HANDSET = Style(name="handset", make=Handset, script=_script)
