"""The command line: `tracegym COMMAND`. Every command is one file here; `run` is the entry point.

Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 a strict gate did not hold, 4 `attack` found a paid cheat, 130 interrupted.
Commands import what is slow (dagster 1.7 s, presidio 2.1 s, litellm 4.8 s) only when they run: `--help` takes 0.3 s.
"""

import contextlib
import os
import sys
import traceback
import warnings
from importlib.metadata import version
from typing import Annotated

import typer

from dagster_project.cli.data import (
    build,
    dev,
    doctor,
    episodes,
    erase,
    failures,
    ingest,
    outcomes,
    redact,
    serve,
)
from dagster_project.cli.faults import fault_of
from dagster_project.cli.tasks import (
    attack,
    backtest,
    compare,
    diff,
    export,
    mcp,
    regrade,
    review,
    rollout,
    runs,
    verify,
)

app = typer.Typer(
    name="tracegym",
    help="Production agent telemetry in, training environments out.",
    epilog="Start with: tracegym ingest FILE && tracegym build. Add --debug to any command for a traceback.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    serve.serve,
    ingest.ingest,
    outcomes.outcomes,
    episodes.episodes,
    build.build,
    failures.failures,
    backtest.backtest,
    export.export,
    verify.verify,
    rollout.rollout,
    runs.runs,
    compare.compare,
    mcp.mcp,
    review.review,
    attack.attack,
    regrade.regrade,
    diff.diff,
    erase.erase,
    erase.withdrawn,
    doctor.doctor,
    dev.dev,
):
    app.command()(command)
app.add_typer(redact.redact)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"tracegym {version('tracegym')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Production agent telemetry in, training environments out."""


def run() -> None:
    """Run the command line and end the process with the right exit code."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    if not debug:
        # Warnings of libraries are for developers; users get our sentences.
        warnings.simplefilter("ignore")
    try:
        app(args=arguments, prog_name="tracegym")
    except SystemExit:
        raise
    except BrokenPipeError:
        # Whoever read our output has read enough (`| head`); Python must not complain about it at exit.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - lives as long as we do
        sys.exit(0)
    except BaseException as error:  # noqa: BLE001 - the boundary: no traceback reaches a user
        if debug:
            traceback.print_exc()
        fault = fault_of(error)
        sys.stderr.write(f"tracegym: {fault.sentence}\n")
        sys.exit(fault.exit_code)


def main() -> None:
    """The process's entry: `run`, then an end that no library can spoil.

    Native thread pools of table and plotting libraries were seen to abort at interpreter shutdown ("terminate called
    without an active exception", exit code -6) after a command had done all its work.
    """
    code: object = 0
    try:
        run()
    except SystemExit as end:
        code = end.code
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    main()
