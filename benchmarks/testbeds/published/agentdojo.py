"""AgentDojo's four suites: a bank, a chat, a travel agency and an office, with their tools, data and golden tasks.

Needs `pip install --target FOLDER --no-deps agentdojo==0.1.35 deepdiff orderly-set cachebox email-validator dnspython`.
Results and errors are the texts that the package shows to a model. An attempt makes the golden calls of one or two tasks with
other records of the suite in their place, looks at what it changed, and now and then calls a tool that no task needs. One office orders
names by Python's own hash: PYTHONHASHSEED=0 repeats a figure. The package's clients of models are not imported.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Backend, Call, Step, Style
from benchmarks.testbeds.published.packages import outside

REQUIREMENT = "agentdojo==0.1.35"
VERSION = "v1.2.2"
STARTS = random.Random(13)  # noqa: S311 - moments that nobody can foresee
LONG = 6
"""Golden calls from which on an attempt has one task alone."""
TEXTS = ("Thanks!", "See you there.", "Please have a look.", "Here is what you asked for:\n- done")
TITLES = ("Lunch", "Planning", "Call with the bank", "Review")
DAYS = ("2024-05-18", "2024-05-21", "2024-06-03", "2024-06-10")

Record = Mapping[str, Any]


@cache
def suites() -> Mapping[str, Any]:
    """The suites by name; empty modules stand where the package would import clients of models."""
    package = outside("agentdojo", REQUIREMENT)
    folder = Path(next(iter(package.__path__)))
    for name in ("agent_pipeline", "agent_pipeline.llms"):
        module = ModuleType(f"agentdojo.{name}")
        module.__path__ = [str(folder / name.replace(".", "/"))]
        sys.modules[module.__name__] = module
    google = ModuleType("agentdojo.agent_pipeline.llms.google_llm")
    google.__dict__["EMPTY_FUNCTION_NAME"] = ""
    sys.modules[google.__name__] = google
    loaded = outside("agentdojo.task_suite.load_suites", REQUIREMENT)
    suites: Mapping[str, Any] = loaded.get_suites(VERSION)
    return suites


@cache
def _environment(suite: str) -> Any:  # noqa: ANN401 - the package's own
    return suites()[suite].load_and_inject_default_environment({})


class Suite(Backend):
    """One suite's environment, with a clock that is set when it is made and goes on with every call."""

    def __init__(self, suite: str, environment: Any = None) -> None:  # noqa: ANN401 - the package's own
        """`environment` is another than the suite's own."""
        self._suite = suite
        self._environment = environment or _environment(suite).model_copy(deep=True)
        self._now = datetime(2024, 5, 15, 9) + timedelta(seconds=STARTS.randrange(10**7))  # noqa: DTZ001 - as the package has it
        self._pauses = random.Random(STARTS.random())  # noqa: S311 - a copy goes on as this one does

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Run one tool as the package's executor does."""
        self._now += timedelta(microseconds=self._pauses.randrange(10**6, 10**8))
        clock = SimpleNamespace(datetime=SimpleNamespace(now=lambda: self._now))
        for module in ("email_client", "cloud_drive_client"):
            sys.modules[f"agentdojo.default_suites.v1.tools.{module}"].__dict__["datetime"] = clock
        runtime = outside("agentdojo.functions_runtime", REQUIREMENT).FunctionsRuntime(
            suites()[self._suite].tools
        )
        value, error = runtime.run_function(self._environment, name, arguments)
        shown = outside("agentdojo.agent_pipeline.tool_execution", REQUIREMENT).tool_result_to_str
        return Answer(content=error or shown(value), is_error=error is not None)


# -- what people ask for ---------------------------------------------------------------------------


def _records(suite: str) -> dict[str, list[Record]]:
    """What a suite's calls are about, each record by the arguments that name it."""
    env = _environment(suite)
    if suite == "banking":
        account = env.bank_account
        return {
            "transfer": [{"recipient": t.recipient} for t in account.transactions],
            "order": [{"id": t.id} for t in account.scheduled_transactions],
            "file": [{"file_path": path} for path in env.filesystem.files],
        }
    if suite == "slack":
        return {
            "user": [{"user": u, "recipient": u} for u in env.slack.users],
            "channel": [{"channel": channel} for channel in env.slack.channels],
            "page": [{"url": url} for url in env.web.web_content],
        }
    out: dict[str, list[Record]] = {
        "event": [
            {"event_id": e.id_, "query": e.title, "date": str(e.start_time.date())}
            for e in env.calendar.events.values()
        ],
        "day": [{"day": str(e.start_time.date())} for e in env.calendar.events.values()],
        "mail": [
            {"email_id": m.id_, "query": m.subject, "sender": m.sender}
            for m in env.inbox.emails.values()
        ],
        "person": [
            {"participants": c.email, "recipients": c.email, "email": c.email, "query": c.name}
            for c in env.inbox.contact_list
        ],
    }
    if suite == "workspace":
        files = env.cloud_drive.files.values()
        out["file"] = [
            {"file_id": f.id_, "filename": f.filename, "query": _words(f.content)} for f in files
        ]
        return out
    places = {
        "hotel": (("hotel", "hotel_name", "hotel_names"), env.hotels.hotel_list),
        "restaurant": (("restaurant", "restaurant_names"), env.restaurants.restaurant_list),
        "company": (("company", "company_name"), env.car_rental.company_list),
    }
    for kind, (arguments, found) in places.items():
        out[kind] = [{**dict.fromkeys(arguments, p.name), "city": p.city} for p in found]
    cities = sorted({p["city"] for kind in places for p in out[kind]})
    out["town"] = [{"departure_city": c, "arrival_city": c} for c in cities]
    return out


def _words(text: str) -> str:
    """Two words that a text holds together."""
    return next(iter(re.findall(r"\w{4,} \w{4,}", text)), text[:12])


FREE: dict[str, Sequence[Any]] = {
    **dict.fromkeys(("body", "content", "description"), TEXTS),
    **dict.fromkeys(("title", "subject"), TITLES),
    **dict.fromkeys(("start_day", "end_day"), DAYS),
    **{name: [f"{day} 10:00" for day in DAYS] for name in ("start_time", "new_start_time")},
    **{name: [f"{day} 11:30" for day in DAYS] for name in ("end_time", "new_end_time")},
    "amount": (12.5, 80.0, 99.99, 1150.0),
    "n": (1, 2, 3, 10),
    "password": ("correct-horse", "q1w2e3r4"),
    "street": ("Elm Street 5", "Main Road 12"),
    "first_name": ("Emilia",),
    "last_name": ("Jones",),
    "location": ("Room 3", "Cafe Central"),
    "permission": ("r", "rw"),
    "city": ("Oslo", "Lyon"),
    "user": ("Fred", "Grace", "Heidi"),
    "recurring": (True, False),
    **dict.fromkeys(("cc", "bcc"), ("ann@example.com", "ben@example.com")),
    "user_email": ("new.one@example.com", "another@example.com"),
}
"""Values of no record, by the arguments that take them."""

LOOKS: dict[str, Callable[[Mapping[str, Any]], list[Call]]] = {
    "send_money": lambda _: [("get_most_recent_transactions", {"n": 3}), ("get_balance", {})],
    "schedule_transaction": lambda _: [("get_scheduled_transactions", {})],
    "update_scheduled_transaction": lambda _: [("get_scheduled_transactions", {})],
    "update_user_info": lambda _: [("get_user_info", {})],
    "send_direct_message": lambda a: [("read_inbox", {"user": a["recipient"]})],
    "send_channel_message": lambda a: [("read_channel_messages", {"channel": a["channel"]})],
    "add_user_to_channel": lambda a: [("get_users_in_channel", {"channel": a["channel"]})],
    "remove_user_from_slack": lambda _: [("get_users_in_channel", {"channel": "general"})],
    "invite_user_to_slack": lambda a: [("read_inbox", {"user": a["user"]})],
    "post_webpage": lambda a: [("get_webpage", {"url": a["url"]})],
    "create_calendar_event": lambda a: [
        ("get_day_calendar_events", {"day": a["start_time"][:10]}),
        ("search_calendar_events", {"query": a["title"]}),
    ],
    "reschedule_calendar_event": lambda a: [
        ("get_day_calendar_events", {"day": a["new_start_time"][:10]})
    ],
    "cancel_calendar_event": lambda _: [("search_calendar_events", {"query": ""})],
    "send_email": lambda a: [("get_sent_emails", {}), ("search_emails", {"query": a["subject"]})],
    "delete_email": lambda _: [("get_received_emails", {})],
    "create_file": lambda a: [
        ("list_files", {}),
        ("search_files_by_filename", {"filename": a["filename"]}),
    ],
    "append_to_file": lambda a: [("get_file_by_id", {"file_id": a["file_id"]})],
    "share_file": lambda a: [("get_file_by_id", {"file_id": a["file_id"]})],
    "delete_file": lambda a: [("list_files", {}), ("get_file_by_id", {"file_id": a["file_id"]})],
}
"""What an agent looks at after a change."""
ABOUT = {
    "search_emails": "mail",
    "search_contacts_by_name": "person",
    "search_contacts_by_email": "person",
    "search_files": "file",
    "search_calendar_events": "event",
}
"""Which records a tool's `query` names."""


class Wish:
    """One person's wish: records of the suite that take the place of those in golden calls, the same throughout."""

    def __init__(self, suite: str, rng: random.Random) -> None:
        self._rng = rng
        self._records = _records(suite)
        self._tools = suites()[suite].tools
        self._instead: dict[tuple[str, int], Record] = {}
        self._cities: dict[str, str] = {}

    def golden(self, call: Any) -> Call:  # noqa: ANN401 - the package's own
        """A golden call about this person's records, with words of their own now and then."""
        return call.function, {n: self._other(call.function, n, v) for n, v in call.args.items()}

    def drawn(self) -> Call:
        """A call of any tool, with any record's values."""
        tool = self._rng.choice(self._tools)
        arguments: dict[str, Any] = {}
        for name, field in tool.parameters.model_fields.items():
            if name == "attachments" or not (field.is_required() or self._rng.random() < 0.3):
                continue
            kinds = self._kinds(tool.name, name)
            records = [r for kind in kinds for r in self._records[kind]]
            value = self._rng.choice([r[name] for r in records] or [*FREE.get(name, TITLES)])
            arguments[name] = [value] if "list" in str(field.annotation) else value
        return tool.name, arguments

    def _other(self, tool: str, name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, list):
            texts = all(isinstance(one, str) for one in value)
            return (
                [*dict.fromkeys(self._other(tool, name, one) for one in value)] if texts else value
            )
        if name == "city":
            return self._city(value)
        for kind in self._kinds(tool, name):
            records = self._records[kind]
            at = next((i for i, r in enumerate(records) if self._names(r[name], value)), None)
            if at is not None:
                return self._instead.setdefault((kind, at), self._drawn(records, at))[name]
        if name in FREE and self._rng.random() < 0.4:
            return self._rng.choice(FREE[name])
        return value

    def _kinds(self, tool: str, name: str) -> list[str]:
        if name == "query":
            return [ABOUT[tool]]
        if tool == "invite_user_to_slack":
            return []
        return [kind for kind, found in self._records.items() if name in found[0]]

    @staticmethod
    def _names(shown: object, value: object) -> bool:
        return shown == value or (
            isinstance(shown, str) and isinstance(value, str) and value.lower() in shown.lower()
        )

    def _drawn(self, records: Sequence[Record], at: int) -> Record:
        """Another record, of the city that this person asks about; the same one at times."""
        if "city" in records[at]:
            city = self._city(records[at]["city"])
            return self._rng.choice([r for r in records if r["city"] == city] or [records[at]])
        return self._rng.choice(records) if self._rng.random() < 0.7 else records[at]

    def _city(self, city: str) -> str:
        every = {r["city"] for found in self._records.values() for r in found if "city" in r}
        known = self._rng.choice([city, *sorted(every)]) if city in every else city
        return self._cities.setdefault(city, known)


def _script(suite: str, rng: random.Random) -> list[Step]:
    wish = Wish(suite, rng)
    tasks = sorted(suites()[suite].user_tasks.items())
    calls: list[Call] = []
    for _ in range(2):
        task = rng.choice(tasks)[1]
        if len(calls) < LONG:
            calls += [
                wish.golden(c) for c in task.ground_truth(_environment(suite).model_copy(deep=True))
            ]
    steps: list[Step] = []
    for name, arguments in calls:
        if rng.random() < 0.25:
            steps += _looked_at(suite, wish.drawn(), rng)
        steps += _looked_at(suite, (name, arguments), rng)
    return steps


def _looked_at(suite: str, call: Call, rng: random.Random) -> Iterable[Step]:
    """A call, of the file made before where it names one that the suite does not have, and looks at what it changed."""
    name, arguments = call
    files = _environment("workspace").cloud_drive.files
    made = name == "share_file" and arguments["file_id"] not in files
    yield partial(_of_made, name, arguments) if made else call
    if name in LOOKS and rng.random() < 0.6:
        tools = {tool.name for tool in suites()[suite].tools}
        looks = [look for look in LOOKS[name](arguments) if look[0] in tools]
        yield from looks[: rng.choice([1, 2])]


def _of_made(name: str, arguments: dict[str, Any], answers: Sequence[str]) -> Call:
    ids = re.findall(r"id_: '(\d+)'", answers[-1]) if answers else []
    return name, {**arguments, "file_id": ids[-1] if ids else arguments["file_id"]}


def _style(suite: str) -> Style:
    return Style(name=f"dojo-{suite}", make=partial(Suite, suite), script=partial(_script, suite))


STYLES = tuple(_style(suite) for suite in ("banking", "slack", "travel", "workspace"))
