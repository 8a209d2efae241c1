"""`tracegym dev`: the Dagster UI over a home."""

import os
import socket
import subprocess
import sys
from typing import Annotated

import typer

from dagster_project.cli.options import HOME, HomeOption
from dagster_project.cli.output import notices
from dagster_project.errors import InputError, ProjectError
from dagster_project.home.layout import open_home


def dev(
    home: HomeOption = HOME,
    host: Annotated[str, typer.Option("--host")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 3000,
) -> None:
    """Open the Dagster UI over the home: assets, runs of `build`, checks, schedule, sensor.

    Example: tracegym dev --home H
    """
    # Before Dagster starts its services, which go on without a UI that cannot listen.
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        raise InputError(
            f"the Dagster UI cannot listen on {host}:{port} ({error.strerror}); pass another --port"
        ) from error
    opened = open_home(home, create=True)
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
    notices().print(f"Dagster UI: http://{host}:{port} (Ctrl-C ends it)")
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, no shell
            [*command, "--host", host, "--port", str(port)], env=child, check=False
        )
    except KeyboardInterrupt:
        return
    if done.returncode not in {0, 130, -2}:
        raise ProjectError("the Dagster UI ended with a fault; its lines above say why")
