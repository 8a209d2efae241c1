"""Telecom and banking of the τ²-bench edition in inspect-evals: an agent's tools, and those of the customer's own device.

Needs `pip install --target FOLDER inspect-evals==0.26.0` and `TRACEGYM_OUTSIDE=FOLDER`. Comes in: dice. Comes out: a published
task's known actions, with the looks around that an agent would take. `telecom` has the agent's tools; `telecom_solo` the
customer's phone too, as a task played by one; `telecom_starts` the same, each task beginning as its own set-up says. `banking` is
one bank with the customers of all tasks; `banking_starts` the bank of each task. Not here: judging, what the package's judges say.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Backend, Call, Step, Style
from benchmarks.testbeds.published.packages import outside

PACKAGE = "inspect-evals==0.26.0"
Theirs = Any
"""A thing of the package, whose types are not known here."""
Tool = Callable[..., Any]


def _part(name: str) -> Theirs:
    return outside(f"inspect_evals.tau2.{name}", PACKAGE)


_STORE: Theirs = outside("inspect_ai.util._store", PACKAGE)
_TOOL_ERROR: Theirs = outside("inspect_ai.tool", PACKAGE).ToolError
_UTILS, _TASK = _part("utils"), _part("data_model.tasks").Task
_PHONE, _SOLVER = _part("telecom.environment"), _part("telecom.solver")
_BANK, _QUERY = _part("banking.environment"), _part("banking.db_query")
_BOTH = (_part("telecom.tools"), _part("telecom.user_tools"))
_CLERK, _CLIENT = _part("banking.tools"), _part("banking.user_tools")


class Held(Backend):
    """Tools of the package over one store of its own; they are rendered as the package renders them to a model."""

    def __init__(self, store: Theirs, tools: dict[str, Tool]) -> None:
        self.store, self.tools = store, tools

    def __deepcopy__(self, memo: dict[int, Any]) -> Held:
        """Another of the same state; the tools have none."""
        return Held(deepcopy(self.store, memo), self.tools)

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Run one tool to its end: none of them waits for anything."""
        _STORE.init_subtask_store(self.store)
        try:
            self.tools[name](**arguments).send(None)
        except StopIteration as done:
            return Answer(content=str(done.value), is_error=False)
        except _TOOL_ERROR as fault:
            return Answer(content=f"Error: {fault}", is_error=True)
        except (TypeError, KeyError, ValueError, AttributeError) as fault:
            return Answer(content=f"Error: {type(fault).__name__}: {fault}", is_error=True)
        raise RuntimeError(name)


def _named(factories: Sequence[Callable[[], Tool]]) -> dict[str, Tool]:
    return {factory.__name__: factory() for factory in factories}


@cache
def _tasks(domain: str) -> tuple[Theirs, ...]:
    """The tasks of a domain, of telecom those that its own data set plays."""
    folder = _UTILS.TAU2_DATA_DIR / "domains" / domain
    packed = folder / "tasks.json.gz"
    chosen = folder / "split_tasks.json"
    found = _UTILS.load_file(packed if packed.exists() else folder / "tasks.json")
    wanted = set(_UTILS.load_file(chosen)["base"]) if chosen.exists() else None
    return tuple(_TASK.model_validate(t) for t in found if wanted is None or t["id"] in wanted)


def _golden(task: Theirs) -> list[Call]:
    actions = (task.evaluation_criteria and task.evaluation_criteria.actions) or ()
    return [(a.name, dict(a.arguments)) for a in actions]


# Telecom

_NUMBER = "555-123-2002"
"""Whose phone it is in every task."""
_LOOKS = (
    "check_status_bar", "check_network_status", "check_network_mode_preference",
    "check_sim_status", "can_send_mms", "check_data_restriction_status", "check_apn_settings",
    "check_wifi_status", "check_wifi_calling_status", "check_vpn_status", "check_installed_apps",
    "check_payment_request", "run_speed_test",
)  # fmt: skip


@cache
def switched_on() -> tuple[Theirs, Theirs]:
    """A store as no task has set it up yet, and the company's records in it."""
    store = _STORE.Store()
    _STORE.init_subtask_store(store)
    environment = _PHONE.get_environment()
    environment.user_tools.set_user_info("John Smith", _NUMBER)
    return store, environment.tools.db.model_copy(deep=True)


def _phone(*, solo: bool) -> Held:
    agent, own = _BOTH
    tools = agent.all_telecom_agent_tools + (own.all_telecom_user_tools if solo else [])
    return Held(deepcopy(switched_on()[0]), _named(tools))


def _broken_phone(rng: random.Random) -> Held:
    """The phone and the account as a task finds them: that which `_solo` draws with the same dice."""
    phone = _phone(solo=True)
    _STORE.init_subtask_store(phone.store)
    environment = _PHONE.get_environment()
    start = rng.choice(_tasks("telecom")).initial_state
    for action in (start and start.initialization_actions) or ():
        _SOLVER.perform_action(environment, action)
    return phone


def _solo(rng: random.Random) -> list[Step]:
    """A task's known repairs, with looks at the phone and the account before and after."""
    golden = _golden(rng.choice(_tasks("telecom")))
    steps: list[Step] = [("get_customer_by_phone", {"phone_number": _NUMBER})]
    steps.append(("get_details_by_id", {"id": "L1002"}))
    steps.extend(_look(rng) for _ in range(4))
    for call in golden:
        steps.extend((call, _look(rng)))
    steps.append(("check_status_bar", {}))
    steps.append((rng.choice(("can_send_mms", "run_speed_test", "check_network_status")), {}))
    return steps


def _look(rng: random.Random) -> Call:
    if rng.random() < 0.15:
        name = rng.choice(("check_app_status", "check_app_permissions"))
        return name, {"app_name": rng.choice(("messaging", "browser"))}
    if rng.random() < 0.15:
        ids = {"customer_id": "C1001", "line_id": "L1002"}
        return rng.choice((("get_data_usage", ids), ("get_details_by_id", {"id": "L1002"})))
    return rng.choice(_LOOKS), {}


def _desk(rng: random.Random) -> list[Step]:
    """A task's known actions of the agent, or what any customer of the company may ask for."""
    golden = [c for c in _golden(rng.choice(_tasks("telecom"))) if c[0] in _agents()]
    records = switched_on()[1]
    own = next(c for c in records.customers if c.phone_number == _NUMBER)
    customer = rng.choice([c for c in records.customers if c.line_ids])
    if rng.random() < 0.5:
        return [*_about(own, "L1002", rng), *golden, *_again(own, "L1002", rng)]
    line = rng.choice(customer.line_ids)
    wanted = [_wish(customer, line, rng) for _ in range(rng.randint(1, 3))]
    return [*_about(customer, line, rng), *wanted, *_again(customer, line, rng)]


@cache
def _agents() -> frozenset[str]:
    return frozenset(_named(_BOTH[0].all_telecom_agent_tools))


def _about(customer: Theirs, line: str, rng: random.Random) -> list[Call]:
    by_name = {"full_name": customer.full_name, "dob": customer.date_of_birth}
    found: list[Call] = [
        rng.choice(
            (
                ("get_customer_by_phone", {"phone_number": customer.phone_number}),
                ("get_customer_by_id", {"customer_id": customer.customer_id}),
                ("get_customer_by_name", by_name),
            )
        )
    ]
    found.extend(("get_details_by_id", {"id": one}) for one in customer.line_ids)
    return [*found, *_again(customer, line, rng)]


def _again(customer: Theirs, line: str, rng: random.Random) -> list[Call]:
    whose = {"customer_id": customer.customer_id}
    looks: list[Call] = [
        ("get_details_by_id", {"id": line}),
        ("get_data_usage", {**whose, "line_id": line}),
        ("get_bills_for_customer", whose),
        ("get_bills_for_customer", {**whose, "limit": rng.randint(1, 3)}),
    ]
    if customer.bill_ids:
        looks.append(("get_details_by_id", {"id": rng.choice(customer.bill_ids)}))
    return rng.sample(looks, 2)


def _wish(customer: Theirs, line: str, rng: random.Random) -> Call:
    whose = {"customer_id": customer.customer_id, "line_id": line}
    bill = rng.choice([*customer.bill_ids, "B1001"])
    return rng.choice(
        (
            ("suspend_line", {**whose, "reason": rng.choice(("travel", "lost phone"))}),
            ("resume_line", whose),
            ("enable_roaming", whose),
            ("disable_roaming", whose),
            ("refuel_data", {**whose, "gb_amount": rng.choice((1.0, 2.0, 5.0))}),
            ("send_payment_request", {"customer_id": customer.customer_id, "bill_id": bill}),
        )
    )


# Banking


def _open_bank(tasks: Sequence[Theirs]) -> Held:
    """A bank with what these tasks find in it."""
    store = _STORE.Store()
    _STORE.init_subtask_store(store)
    _BANK.initialize_environment()
    for task in tasks:
        _BANK.apply_initial_state(
            _BANK.get_agent_tools(), _BANK.get_user_tools(), task.initial_state
        )
    tools = [*_CLERK.all_banking_agent_tools, *_CLIENT.all_banking_user_tools]
    return Held(store, _named(tools))


@cache
def _whole_bank() -> Held:
    return _open_bank(_tasks("banking_knowledge"))


def _bank_of(rng: random.Random) -> Held:
    return _open_bank([rng.choice(_tasks("banking_knowledge"))])


def _banking(rng: random.Random) -> list[Step]:
    """A task's known actions, after looking the customer up and with looks at what there is."""
    golden = _golden(rng.choice(_tasks("banking_knowledge")))
    user = _user(golden)
    steps: list[Step] = [("banking_get_current_time", {})]
    steps.extend(rng.sample(_lookups(user), 2))
    for name, arguments in golden:
        steps.append((f"banking_{name}", arguments))
        if rng.random() < 0.2:
            steps.append(rng.choice(_lookups(user)))
    steps.append(rng.choice(_lookups(user)))
    return steps


def _user(golden: Sequence[Call]) -> dict[str, Any]:
    """The customer whom a task's actions name; anybody where they name none."""
    users = customers()
    said = json.dumps(golden)
    return next((u for u in users if u["user_id"] in said or u["name"] in said), users[0])


@cache
def customers() -> list[dict[str, Any]]:
    """The records of the bank's customers."""
    _STORE.init_subtask_store(_whole_bank().store)
    found: list[dict[str, Any]] = _QUERY.query_db("users", _BANK.get_agent_tools().db)
    return deepcopy(found)


def _lookups(user: dict[str, Any]) -> list[Call]:
    whose = {"user_id": user["user_id"]}
    return [
        ("banking_get_user_information_by_id", whose),
        ("banking_get_user_information_by_name", {"customer_name": user["name"]}),
        ("banking_get_user_information_by_email", {"email": user["email"]}),
        ("banking_get_referrals_by_user", whose),
        ("banking_get_credit_card_transactions_by_user", whose),
        ("banking_get_credit_card_accounts_by_user", whose),
        ("banking_list_discoverable_agent_tools", {}),
        ("banking_list_discoverable_user_tools", {}),
    ]


STYLES = (
    Style(name="telecom", make=lambda: _phone(solo=False), script=_desk),
    Style(name="telecom_solo", make=lambda: _phone(solo=True), script=_solo),
    Style(
        name="telecom_starts",
        make=lambda: _phone(solo=True),
        script=_solo,
        starting=_broken_phone,
    ),
    Style(name="banking", make=lambda: deepcopy(_whole_bank()), script=_banking),
    Style(
        name="banking_starts",
        make=lambda: _open_bank(()),
        script=_banking,
        starting=_bank_of,
    ),
)
