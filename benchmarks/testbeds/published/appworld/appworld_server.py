"""The process in which AppWorld's apps run: they need older releases of libraries than this project has.

Run by `appworld` with the package's folder first on the path. Comes in, a line of JSON each: `{"open": state, "from": state}`,
`{"call": name, "arguments": {}, "app": app, "at": ISO time, "seed": text}`. Goes out: `{"content": …, "is_error": …}`. A
state is the databases of the apps in use, as SQLite writes them. The start is made by the apps' own sign-up and create calls.
"""

from __future__ import annotations

import importlib
import json
import random
import sqlite3
import sys
from contextlib import closing
from datetime import datetime
from typing import Any

STARTS = "starts"
ASKED = ("todoist", "simple_note", "venmo", "splitwise")
APPS = (*ASKED, "gmail", "file_system", "phone", "admin")
"""The apps in use; the others take mails and receipts of those that are asked, and know whose card is good for what."""


class Server:
    """The apps, and the states that were put aside."""

    def __init__(self) -> None:
        requester = importlib.import_module("appworld.requester")
        self._asked = requester.Requester(
            to_db_home_path=":memory:",
            from_db_home_path=":memory:",
            load_apps=APPS,
            create_db=True,
            show_api_response_schemas=False,
            max_num_requests=None,
        )
        clock = importlib.import_module("freezegun")
        self._clock = clock.freeze_time("2026-02-27T10:00:00").start()
        self._states: dict[str, dict[str, bytes]] = {}
        self._open = ""

    def answer(self, line: dict[str, Any]) -> dict[str, Any]:
        """What one line is answered."""
        if "open" in line:
            self._put_aside()
            self._states.setdefault(line["open"], dict(self._states.get(line["from"], {})))
            self._take(line["open"])
            return {}
        return self.call(line)

    def call(self, line: dict[str, Any]) -> dict[str, Any]:
        """One call of an app, at a moment, with dice of its own."""
        self._clock.move_to(datetime.fromisoformat(line["at"]).replace(tzinfo=None))
        random.seed(line["seed"])
        try:
            response = self._asked._request(  # noqa: SLF001 - what tells a refusal
                line["app"], line["call"], **line["arguments"]
            )
        except Exception as fault:  # noqa: BLE001 - an agent is told every fault so
            return {"content": str(fault), "is_error": True}
        if response.status_code != 200:
            return {"content": response.text, "is_error": True}
        return {"content": json.dumps(response.json()), "is_error": False}

    def writes_mail(self, app: str) -> None:
        """Give an app the account that its mails come from."""
        words = importlib.import_module("inflection").titleize(app)
        importlib.import_module("appworld.apps.api_lib").CompanyNotifier(words).create_accounts()

    def knows(self, person: dict[str, Any]) -> None:
        """Let the bank know a person, who has no call to make this known."""
        self._models("admin").MainUser.create_save(**person)

    def code_of(self, app: str, email: str) -> str:
        """The code that a sign-up sent by mail."""
        code: str = self._models(app).User.find_one(email=email).verification_code
        return code

    def _models(self, app: str) -> Any:  # noqa: ANN401 - the package's own
        return importlib.import_module(f"appworld.apps.{app}.models")

    def _connection(self, app: str) -> Any:  # noqa: ANN401 - the driver's own
        return self._models(app).SQLModel.db.engine.raw_connection().driver_connection

    def _put_aside(self) -> None:
        if self._open:
            self._states[self._open] = {app: self._connection(app).serialize() for app in APPS}

    def _take(self, name: str) -> None:
        for app, kept in self._states[name].items():
            with closing(sqlite3.connect(":memory:")) as copied:
                copied.deserialize(kept)
                copied.backup(self._connection(app))
            apis = importlib.import_module(f"appworld.apps.{app}.apis")
            if app in ASKED:
                apis.logging_manager.blacklisted_tokens.clear()
        self._open = name


def fill(server: Server, starts: list[dict[str, Any]]) -> None:
    """People who signed up, and what they made: an answer's id stands for a name of ours from there on."""
    known: dict[str, Any] = {}
    for app in ASKED:
        server.writes_mail(app)
    for at, one in enumerate(starts):
        if "person" in one:
            server.knows(one["person"])
            continue
        said = {name: _known(known, value) for name, value in one["arguments"].items()}
        if said.get("verification_code") == "?":
            said["verification_code"] = server.code_of(one["app"], said["email"])
        line = {
            **one,
            "arguments": said,
            "at": f"2026-02-27T10:{at // 60:02d}:{at % 60:02d}",
            "seed": str(at),
        }
        told = server.call(line)
        if told["is_error"]:
            raise SystemExit(f"{one}: {told['content']}")
        if "keep" in one:
            known[one["keep"][0]] = json.loads(told["content"])[one["keep"][1]]


def _known(known: dict[str, Any], value: Any) -> Any:  # noqa: ANN401 - JSON
    return known.get(value, value) if isinstance(value, str) else value


def main() -> None:
    """Answer every line."""
    server = Server()
    out, sys.stdout = sys.stdout, sys.stderr  # the package prints
    fill(server, json.loads(sys.stdin.readline()))
    server._open = STARTS  # noqa: SLF001 - ours
    for line in sys.stdin:
        print(json.dumps(server.answer(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
