"""The demo: a month at the support desk, its telemetry taken in live, a task set built from it, policies run on it.

`make demo` runs this. It uses the product as a user would, through its command line; the app knows nothing of it.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection, socket
from typing import Final

from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from examples.support_desk import app

APP: Final = "support-desk"
MARKER: Final = ".made-by-the-demo"
MEANINGS: Final = Path(__file__).with_name("outcomes.toml")
STARTUP_SECONDS: Final = 90.0
CLI: Final = (sys.executable, "-m", "dagster_project.cli.main")


class DemoError(Exception):
    """The demo cannot go on; the text says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the demo puts things."""

    folder: Path
    conversations: int

    @property
    def home(self) -> Path:
        """The home that everything works on."""
        return self.folder / "home"

    @property
    def task_set(self) -> Path:
        """The exported task set."""
        return self.folder / "taskset"

    @property
    def late_outcomes(self) -> Path:
        """What the ticket system exports days later."""
        return self.folder / "tickets.csv"

    @property
    def truth(self) -> Path:
        """What really happened; the product never sees it."""
        return self.folder / "truth.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the demo."""
    options = _parse(arguments)
    places = Places(folder=options.home, conversations=options.conversations)
    console = Console()
    started = time.monotonic()
    try:
        _clear(places)
        _run(places, console)
    except DemoError as error:
        console.print(f"[red]demo:[/red] {error}")
        return 1
    except KeyboardInterrupt:
        console.print("demo: stopped")
        return 130
    console.print(_summary(places, time.monotonic() - started))
    return 0


def _run(places: Places, console: Console) -> None:
    home = ("--home", str(places.home))
    console.print(Rule("1  tracegym serve: a receiver for OTLP"))
    with _serving(places) as endpoint:
        console.print(f"listening on {endpoint}")
        console.print(Rule("2  the support desk, instrumented with stock OpenTelemetry"))
        console.print(f"OTEL_EXPORTER_OTLP_ENDPOINT={endpoint} python examples/support_desk/app.py")
        _hold_conversations(places, endpoint)
    console.print(Rule("3  tracegym outcomes: the tickets reopened days later"))
    _tracegym("outcomes", str(places.late_outcomes), "--app", APP, *home)
    shutil.copy(MEANINGS, places.home / MEANINGS.name)
    console.print(Rule("4  tracegym build: from spans to verified tasks"))
    _tracegym("build", *home)
    console.print(Rule("5  tracegym export: a task set that needs only Python"))
    _tracegym("export", "taskset", str(places.task_set), *home)
    console.print(Rule("6  tracegym rollout: the known solutions, and doing nothing"))
    for policy in ("solution", "noop"):
        _tracegym("rollout", str(places.task_set), "--policy", policy, "-n", "1", *home)


def _hold_conversations(places: Places, endpoint: str) -> None:
    app.main(
        [
            "--app", APP, "--otlp", endpoint, "--task-keys", "4",
            "--conversations", str(places.conversations),
            "--outcomes-csv", str(places.late_outcomes), "--truth", str(places.truth),
        ]
    )  # fmt: skip


@contextmanager
def _serving(places: Places) -> Iterator[str]:
    port = _free_port()
    log = places.folder / "serve.log"
    command = [*CLI, "serve", "--home", str(places.home), "--port", str(port)]
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)  # noqa: S603 - our own command
        try:
            _wait_for(process, port, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + STARTUP_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise DemoError(f"the receiver did not start; its last words are in {log}")
        try:
            create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise DemoError(f"the receiver did not answer within {STARTUP_SECONDS:.0f} s; see {log}")


def _tracegym(*arguments: str) -> None:
    finished = subprocess.run([*CLI, *arguments], check=False)  # noqa: S603 - our own command
    if finished.returncode != 0:
        raise DemoError(f"`tracegym {' '.join(arguments)}` ended with {finished.returncode}")


def _free_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _clear(places: Places) -> None:
    """Takes away what an earlier demo left, and never anything else."""
    marker = places.folder / MARKER
    if places.folder.exists() and any(places.folder.iterdir()) and not marker.exists():
        raise DemoError(f"{places.folder} is not empty and not a demo's; choose another --home")
    if places.folder.exists():
        shutil.rmtree(places.folder)
    places.folder.mkdir(parents=True)
    marker.touch()


def _summary(places: Places, seconds: float) -> Panel:
    tracegym = _shortest(Path(sys.executable).with_name("tracegym"))
    rows = (
        ("task set", f"{places.task_set}"),
        ("", f"python {places.task_set} validate"),
        ("report", f"{places.home / 'clean' / 'reports' / 'index.html'}"),
        ("Dagster UI", f"{tracegym} dev --home {places.home}"),
        ("the truth", f"{places.truth}"),
        ("", "what really happened; tracegym never saw it"),
        ("", f"{places.conversations} conversations in {seconds:.0f} s"),
    )
    grid = Table.grid(padding=(0, 2))
    for name, text in rows:
        grid.add_row(f"[bold]{name}[/bold]", Text(text, overflow="fold"))
    return Panel(grid, title="Where to look", expand=False)


def _shortest(path: Path) -> Path:
    """As one would type it from here."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs the whole of tracegym on an example app.")
    parser.add_argument("--home", type=Path, default=Path("demo-out"), metavar="DIR")
    parser.add_argument("--conversations", type=int, default=120)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
