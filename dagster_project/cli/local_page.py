"""A page on this machine, served until somebody ends the command."""

import webbrowser
from typing import TYPE_CHECKING

import typer

from dagster_project.cli.output import notices
from dagster_project.cli.stopping import stop_event

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from dagster_project.review.page.guard import Keys


def serve_page(page: "ASGIApp", keys: "Keys", port: int, *, browser: bool) -> None:
    """Print the link that lets one browser in, and answer until Ctrl-C; port 0 takes a free one."""
    # starlette and uvicorn: 0.3 s
    from ingest.receiver.server import Server, ServerSettings  # noqa: PLC0415

    server = Server(page, ServerSettings(port=port))
    stop = stop_event()
    address = f"http://127.0.0.1:{server.start()}/?token={keys.token}"
    notices().print("The link works once, in one browser on this machine (Ctrl-C ends the page):")
    typer.echo(address)
    if browser:
        webbrowser.open(address)
    stop.wait()
    server.stop()
