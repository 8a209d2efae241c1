"""`tracegym dev`: the Dagster UI over a home."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import typer

from dagster_project.cli.options import HOME, HomeOption
from dagster_project.cli.output import notices
from dagster_project.cli.stopping import stop_event
from dagster_project.errors import InputError, ProjectError
from dagster_project.home.layout import open_home

GROUPS: Final = ("ingest", "redact", "synth", "environments")
"""Groups of assets, which the link opens."""
_LOOK: Final = 0.5
"""Seconds between two looks at whether the UI still runs."""


def dev(
    home: HomeOption = HOME,
    host: Annotated[str, typer.Option("--host")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 3000,
) -> None:
    """Open the Dagster UI over the home: assets, runs of `build`, checks, schedule, sensor.

    Example: tracegym dev --home H
    """
    opened = open_home(home)
    # Before Dagster starts its services, which go on without a UI that cannot listen.
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        raise InputError(
            f"the Dagster UI cannot listen on {host}:{port} ({error.strerror}); pass another --port"
        ) from error
    # dagster: 1.7 s
    from dagster_project.build.run import instance_of  # noqa: PLC0415

    instance_of(opened).dispose()
    given = os.environ  # noqa: TID251 - handed on to the child
    child = {
        **given,
        "DAGSTER_HOME": str(opened.dagster),
        "TRACEGYM_HOME": str(opened.path),
        "DAGSTER_DISABLE_TELEMETRY": "yes",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    # Warnings of libraries are for developers.
    quiet = [sys.executable, "-W", "ignore"]
    command = [*quiet, "-m", "dagster", "dev", "-m", "dagster_project.definitions"]
    open_groups = ",".join(f"global@global:{group}" for group in GROUPS)
    notices().print(
        f"Dagster UI: http://{host}:{port} (Ctrl-C ends it)\n"
        f"assets and how they depend on each other: http://{host}:{port}/asset-groups?expanded={open_groups}",
        soft_wrap=True,
    )
    code = _run_until_stopped([*command, "--host", host, "--port", str(port)], child)
    if code not in {0, 130, -2}:
        raise ProjectError("the Dagster UI ended with a fault; its lines above say why")


def _run_until_stopped(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command that ends its own processes on an interrupt; hand on one interrupt, whichever signal stops this process.

    A group of its own keeps the terminal's Ctrl-C from coming twice, and handlers set here leave the child the usual ones, also where
    a shell that started this process in the background made it ignore interrupts.
    """
    stopped = stop_event()
    with subprocess.Popen(command, env=environment, process_group=0) as child:  # noqa: S603 - our own interpreter, no shell
        while child.poll() is None:
            if stopped.wait(_LOOK):
                child.send_signal(signal.SIGINT)
                break
        return child.wait()
