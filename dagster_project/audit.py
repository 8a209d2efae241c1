"""The audit log: one line for every look at raw data and every surrogate reversed, kept with the raw data."""

import getpass
import json
import time

from dagster_project.home import Home


def note(home: Home, command: str, **facts: object) -> None:
    """Append who ran which command on raw data; counts, names of apps and the reason given, never the data's text."""
    try:
        who = getpass.getuser()
    except (KeyError, OSError):
        who = "unknown"
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"at": stamp, "who": who, "command": command, **facts}, sort_keys=True)
    path = home.private / "audit.jsonl"
    if not path.exists():
        path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
