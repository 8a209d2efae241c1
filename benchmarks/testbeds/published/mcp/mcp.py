"""Published servers of the Model Context Protocol, called through a real client over standard input and output.

Needs `pip install --target FOLDER 'mcp<2' mcp-server-git==2026.10.10 mcp-server-sqlite==2025.4.25 mcp-server-time==2026.10.10
mcp-server-calculator==0.2.1` and `npm install --prefix FOLDER @modelcontextprotocol/server-memory
@modelcontextprotocol/server-filesystem @modelcontextprotocol/server-everything`; `node` and `git` stand on the path. One process a
server lives on; a fresh backend is what it keeps (a file, a folder, a repository) put back to the start. What people ask of
them is `mcp_scripts`. Not here: a backend that lives on, since nothing copies a server.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Answer, Backend, Step, Style
from benchmarks.testbeds.published.mcp import mcp_scripts as scripts
from benchmarks.testbeds.published.packages import FOLDER, outside

REQUIREMENT: Final = "mcp<2"
ROOT: Final = Path(gettempdir()) / "tracegym-outside-mcp"
"""Where servers keep what they keep: a fixed place, because paths stand in their answers."""
_PUBLISHED: Final = "node_modules/@modelcontextprotocol/server-{}/dist/index.js"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """How a server is started and put back to its start."""

    command: tuple[str, ...]
    restart: Callable[[], None]


class _Client:
    """One open session with one server, for callers that do not wait in a loop."""

    def __init__(self, server: Server) -> None:
        self._loop = asyncio.new_event_loop()
        self._session: Future[Any] = Future()
        self._over = asyncio.Event()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        lived = asyncio.run_coroutine_threadsafe(self._live(server), self._loop)
        atexit.register(self._close, lived)

    async def _live(self, server: Server) -> None:
        protocol, stdio = outside("mcp", REQUIREMENT), outside("mcp.client.stdio", REQUIREMENT)
        environment = {
            **os.environ,
            "PYTHONPATH": os.environ.get(FOLDER, ""),
            "MEMORY_FILE_PATH": str(ROOT / "memory.jsonl"),
        }
        start = protocol.StdioServerParameters(
            command=server.command[0], args=list(server.command[1:]), env=environment
        )
        try:
            with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230 - nothing waits for it
                async with (
                    stdio.stdio_client(start, errlog=nowhere) as streams,
                    protocol.ClientSession(*streams[:2]) as session,
                ):
                    await session.initialize()
                    self._session.set_result(session)
                    await self._over.wait()
        except BaseException as fault:
            if not self._session.done():
                self._session.set_exception(fault)
            raise

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool and wait for the text that an agent would see."""
        session = self._session.result()
        waiting = asyncio.run_coroutine_threadsafe(session.call_tool(name, arguments), self._loop)
        try:
            told = waiting.result().model_dump(by_alias=True)
        except outside("mcp.shared.exceptions", REQUIREMENT).McpError as fault:
            return Answer(content=str(fault), is_error=True)
        texts = [_text(block) for block in told["content"]]
        return Answer(content="\n".join(filter(None, texts)), is_error=told["isError"] is True)

    def _close(self, lived: Future[None]) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        lived.result(timeout=10)


def _text(block: dict[str, Any]) -> str:
    return str(block.get("text") or block.get("resource", {}).get("text") or block.get("uri") or "")


class Served(Backend):
    """A server as a backend: every name is one of its tools."""

    def __init__(self, server: Server) -> None:
        """Put what the server keeps back to its start."""
        ROOT.mkdir(exist_ok=True)
        server.restart()
        self._server = server

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Ask the server."""
        return _client(self._server).call(name, arguments)


@cache
def _client(server: Server) -> _Client:
    return _Client(server)


def _node(name: str, *arguments: str) -> tuple[str, ...]:
    return "node", str(Path(os.environ.get(FOLDER, "")) / _PUBLISHED.format(name)), *arguments


def _python(module: str, *arguments: str) -> tuple[str, ...]:
    return sys.executable, "-c", f"import {module}; {module}.main()", *arguments


def _memory() -> None:
    (ROOT / "memory.jsonl").write_text("\n".join(scripts.graph()) + "\n")


def _files() -> None:
    _fill(ROOT / "files")


def _fill(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in scripts.PAGES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _repository() -> None:
    shutil.rmtree(scripts.REPOSITORY, ignore_errors=True)
    shutil.copytree(_template(), scripts.REPOSITORY)


@cache
def _template() -> Path:
    """A repository with a history of three commits, two branches and work that is not committed."""
    folder = ROOT / "template"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    for number, (name, text) in enumerate(scripts.PAGES.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if number % 3 == 2:
            _git(folder, "add", ".")
            _git(folder, "commit", "-q", "-m", f"Add {name}")
            if number == 2:
                _git(folder, "branch", "draft")
    for name in scripts.CHANGED:
        path = folder / name
        path.write_text(path.read_text() + "One line more.\n")
    (folder / scripts.NEW).write_text("new\n")
    return folder


def _git(folder: Path, *arguments: str) -> None:
    who = {f"GIT_{a}_{b}": c for a in ("AUTHOR", "COMMITTER") for b, c in scripts.WRITER.items()}
    subprocess.run(
        ["git", *arguments],  # noqa: S607 - the one on the path
        cwd=folder,
        env={**os.environ, **who},
        check=True,
    )


def _database() -> None:
    path = ROOT / "shop.db"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        database.executescript(scripts.SCHEMA)
        for table, rows in scripts.ROWS.items():
            marks = ", ".join("?" * len(rows[0]))
            database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - ours
    database.close()


def _nothing() -> None:
    """The server keeps nothing."""


SERVERS: Final[dict[str, tuple[Server, Callable[[random.Random], list[Step]]]]] = {
    "mcp-memory": (Server(command=_node("memory"), restart=_memory), scripts.memory),
    "mcp-files": (
        Server(command=_node("filesystem", str(ROOT / "files")), restart=_files),
        partial(scripts.files, str(ROOT / "files")),
    ),
    "mcp-git": (Server(command=_python("mcp_server_git"), restart=_repository), scripts.git),
    "mcp-sqlite": (
        Server(
            command=_python("mcp_server_sqlite", "--db-path", str(ROOT / "shop.db")),
            restart=_database,
        ),
        scripts.sql,
    ),
    "mcp-time": (
        Server(command=_python("mcp_server_time", "--local-timezone", "Etc/UTC"), restart=_nothing),
        scripts.time,
    ),
    "mcp-calculator": (
        Server(command=_python("mcp_server_calculator"), restart=_nothing),
        scripts.calculator,
    ),
    "mcp-everything": (Server(command=_node("everything"), restart=_nothing), scripts.everything),
}

STYLES: Final = tuple(
    Style(name=name, make=partial(Served, server), script=script)
    for name, (server, script) in SERVERS.items()
)
