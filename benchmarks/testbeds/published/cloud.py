"""A published stand-in of a cloud's interfaces, called through the cloud's own client: tables, queues, users, secrets, logs.

Needs `pip install --target FOLDER moto==5.2.5 boto3 py-partiql-parser joserfc time-machine`. A tool is one operation with its own
names of arguments; its result is the interface's JSON, moments as ISO text. `-raw` leaves in what the client tells of the
exchange (request ids, headers). Refusals are the client's own text. Ids are drawn anew by every backend, but what was there
from the start keeps its own; the clock is the attempts'. What people ask of it is `cloud_scripts`.
"""

from __future__ import annotations

import copyreg
import itertools
import json
import os
import random
import threading
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Answer, Backend, Step, Style
from benchmarks.testbeds.published import cloud_scripts as scripts
from benchmarks.testbeds.published.packages import outside

REQUIREMENT: Final = "moto==5.2.5"
REGION: Final = "eu-west-1"
ACCOUNT: Final = "123456789012"
FILLED: Final = datetime(2026, 2, 27, 10, tzinfo=UTC)
"""When what is there from the start was made."""
PACE: Final = timedelta(seconds=7)
"""From call to call."""
WORLDWIDE: Final = {"iam": "aws"}
"""Services that no region has of its own, and where the package keeps them."""
_numbers = itertools.count()
"""Every backend's own dice."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Desk:
    """What an agent looks after."""

    services: tuple[str, ...]
    start: tuple[tuple[str, dict[str, Any]], ...]
    jobs: Callable[[random.Random], list[list[Step]]]


class Cloud(Backend):
    """An account: every name is an operation of one of its services."""

    _open: Cloud | None = None
    """The account that the package holds just now."""

    def __init__(self, desk: Desk, *, raw: bool) -> None:
        """Take a copy of the account as it was filled."""
        self._desk = desk
        self._raw = raw
        self._at = FILLED
        self._kept = _copied(_filled(desk))
        self._events = 0
        self._dice = random.Random(f"cloud/{next(_numbers)}").getstate()  # noqa: S311 - dice

    def begin(self, moment: datetime) -> None:
        """Set the clock."""
        self._at = moment

    def open(self) -> None:
        """Let the package hold this account."""
        for service, state in self._kept.items():
            _regions(service)[_region(service)] = state
        _dice().setstate(self._dice)
        _events()._event_id = self._events  # noqa: SLF001 - a count of all accounts
        Cloud._open = self

    def close(self) -> None:
        """Keep what the package counts for all accounts."""
        self._dice = _dice().getstate()
        self._events = _events()._event_id  # noqa: SLF001 - a count of all accounts

    def __deepcopy__(self, memo: dict[int, Any]) -> Cloud:
        """The same account, with dice of its own."""
        other = Cloud(self._desk, raw=self._raw)
        other._kept, other._at, other._events = _copied(self._kept), self._at, self._events
        return other

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Ask the account."""
        if Cloud._open is not self:
            if Cloud._open is not None:
                Cloud._open.close()
            self.open()
        self._at += PACE
        return asked(self._desk, name, arguments, at=self._at, raw=self._raw)


def asked(desk: Desk, name: str, arguments: dict[str, Any], *, at: datetime, raw: bool) -> Answer:
    """One call through the client, at a moment."""
    with outside("time_machine", REQUIREMENT).travel(at, tick=False):
        try:
            told = _operation(desk.services, name)(**arguments)
        except Exception as fault:  # noqa: BLE001 - an agent is told every fault so
            return Answer(content=str(fault), is_error=True)
    if not raw:
        told.pop("ResponseMetadata", None)
    return Answer(content=json.dumps(told, default=_plain), is_error=False)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value.decode() if isinstance(value, bytes) else str(value)


def _operation(services: tuple[str, ...], name: str) -> Callable[..., dict[str, Any]]:
    clients = map(_client, services)
    found: Callable[..., dict[str, Any]] = next(
        operation for c in clients if (operation := getattr(c, name, None)) is not None
    )
    return found


@cache
def _client(service: str) -> Any:  # noqa: ANN401 - the package makes its class
    _standing()
    return outside("boto3", REQUIREMENT).client(service, REGION)


@cache
def _standing() -> object:
    """The stand-in, until the process ends."""
    words = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    os.environ.update(dict.fromkeys(words, "stand-in"))
    mock = outside("moto", REQUIREMENT).mock_aws()
    mock.start()
    return mock


@cache
def _filled(desk: Desk) -> dict[str, Any]:
    """The account after its start's calls."""
    _standing()
    _dice().seed("start")
    Cloud._open = None  # noqa: SLF001 - what the package holds is nobody's now
    for name, arguments in desk.start:
        answer = asked(desk, name, arguments, at=FILLED, raw=False)
        if answer.is_error:
            raise SystemExit(f"{name}: {answer.content}")
    return {service: _regions(service)[_region(service)] for service in desk.services}


def _regions(service: str) -> Any:  # noqa: ANN401 - the package's own
    return outside("moto.backends", REQUIREMENT).get_backend(service)[ACCOUNT]


def _region(service: str) -> str:
    return WORLDWIDE.get(service, REGION)


def _dice() -> Any:  # noqa: ANN401 - the package's own
    return outside("moto.moto_api._internal", REQUIREMENT).mock_random


def _events() -> Any:  # noqa: ANN401 - the package's own
    return outside("moto.logs.models", REQUIREMENT).LogEvent


def _copied(kept: dict[str, Any]) -> dict[str, Any]:
    for kind in (type(threading.RLock()), threading.Condition):
        copyreg.pickle(kind, _anew)  # queues hold locks, which nothing copies
    copyreg.pickle(outside("moto.ssm.models", REQUIREMENT).ParameterDict, _settings)
    return deepcopy(kept)


def _anew(lock: object) -> tuple[Callable[[], object], tuple[()]]:
    return (threading.Condition if isinstance(lock, threading.Condition) else threading.RLock), ()


def _settings(kept: Any) -> tuple[Any, ...]:  # noqa: ANN401 - the package's own
    return type(kept), (kept.account_id, kept.region_name), None, None, iter(kept.items())


DESKS: Final = {
    "tables": Desk(services=("dynamodb",), start=scripts.TABLES, jobs=scripts.tables),
    "queues": Desk(services=("sqs",), start=scripts.QUEUES, jobs=scripts.queues),
    "users": Desk(services=("iam",), start=scripts.USERS, jobs=scripts.users),
    "secrets": Desk(
        services=("ssm", "secretsmanager"), start=scripts.SECRETS, jobs=scripts.secrets
    ),
    "logs": Desk(services=("logs",), start=scripts.LOGS, jobs=scripts.logs),
}

STYLES: Final = tuple(
    Style(
        name=f"cloud-{name}{end}",
        make=partial(Cloud, desk, raw=bool(end)),
        script=partial(scripts.some, desk.jobs),
    )
    for end in ("", "-raw")
    for name, desk in DESKS.items()
)
