"""The audit log: one line for every look at raw data, every surrogate reversed and every erasure, kept with the raw data.

Comes in: who did what. Goes out: a line with the person and the account of the system. Who that person is: the name that was
given, else the login from which the command was started, also through `sudo`; an account that many share is nobody.
"""

import os
import pwd
import time
from contextlib import suppress
from pathlib import Path

from dagster_project.errors import InputError
from dagster_project.home.layout import Home
from dagster_project.home.lists import append

_NOBODY = frozenset({"", "root", "nobody", "unknown"})
_LOGIN = Path("/proc/self/loginuid")


def person(given: str | None, *, sudo_user: str | None = None) -> str:
    """Who runs this command; raises `InputError` where nothing says so, because "root" is no person."""
    name = " ".join((given or "").split())[:60]
    if name and name.casefold() not in _NOBODY:
        return name
    for found in (sudo_user, _login(), _account()):
        if found and found not in _NOBODY:
            return found
    raise InputError(
        "the audit log needs a person, and this command runs as an account that is none: say who you are with --as NAME"
    )


def note(home: Home, command: str, *, who: str, **facts: object) -> None:
    """Append who ran which command on raw data; counts, names of apps and the reason given, never the data's text."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    said = {"at": stamp, "who": who, "account": _account(), "command": command, **facts}
    append(home.private / "audit.jsonl", [said], mode=0o600)


def _account() -> str:
    """The account that the system knows, whatever the environment says."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return "unknown"


def _login() -> str | None:
    """The account that logged in, before any `su`."""
    with suppress(OSError, ValueError, KeyError, OverflowError):
        return pwd.getpwuid(int(_LOGIN.read_text(encoding="ascii"))).pw_name
    return None
