"""`tracegym serve`: the OTLP receiver, and what arrives into the lake as it comes."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console

from dagster_project.cli.apps import stored_name
from dagster_project.cli.faults import fault_of
from dagster_project.cli.options import HOME, HomeOption, RefsOption
from dagster_project.cli.output import notices
from dagster_project.cli.stopping import stop_event
from dagster_project.errors import InputError
from dagster_project.home.layout import Home, open_home

if TYPE_CHECKING:
    from dagster_project.arrival.late_content import LateContent
    from dagster_project.build.own_traces import OwnTraces
    from ingest.receiver.wal import Wal


_LAST_SECONDS: Final = 5.0
"""So long what is pending is decoded when the command is told to end; the rest is the next command's."""


def serve(  # noqa: PLR0913, PLR0917 - one parameter per option
    home: HomeOption = HOME,
    host: Annotated[
        str, typer.Option("--host", help="Loopback unless told otherwise.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")
    ] = 4318,
    grpc_port: Annotated[
        int | None,
        typer.Option(
            "--grpc-port",
            min=-1,
            max=65535,
            help="Default 4317 beside port 4318, else a free one (0); -1 serves none.",
        ),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", help="Ask for bearer tokens; one `token app` a line."),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="TLS certificate.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="TLS key.")] = None,
    spool: Annotated[
        Path | None,
        typer.Option("--spool", help="Read this folder of tracegym-exporter as well, as it fills."),
    ] = None,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            help="The app of spooled spans; else their service.name.",
            callback=stored_name,
        ),
    ] = None,
    refs: RefsOption = None,
    traces_to: Annotated[
        str | None,
        typer.Option(
            "--traces-to",
            metavar="URL",
            help="Send tracegym's own traces to this OTLP/HTTP endpoint; never this receiver.",
        ),
    ] = None,
    every: Annotated[
        float, typer.Option("--every", min=0.1, help="Seconds between two decodings into the lake.")
    ] = 2.0,
) -> None:
    """Receive OTLP traces and logs over HTTP and gRPC; a body is answered with 200 once it is on the disk.

    Example: tracegym serve --home H, then in the app: OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318
    """
    if token_file is None and not _is_this_machine(host):
        raise InputError(
            f"{host} can be reached from elsewhere, and only authenticated senders may label; "
            "pass --token-file, or listen on 127.0.0.1"
        )
    opened = open_home(home, create=True)
    # starlette, uvicorn, pyarrow and deltalake: 1 s
    from dagster_project.arrival.late_content import LateContent  # noqa: PLC0415
    from dagster_project.build.own_traces import OwnTraces, own_traces  # noqa: PLC0415
    from ingest.assembly.stored_content import elsewhere_of  # noqa: PLC0415
    from ingest.receiver.grpc_receiver import GrpcServer, GrpcSettings  # noqa: PLC0415
    from ingest.receiver.http import http_app  # noqa: PLC0415
    from ingest.receiver.intake import Intake  # noqa: PLC0415
    from ingest.receiver.server import Server, ServerSettings  # noqa: PLC0415
    from ingest.receiver.tokens import load_tokens  # noqa: PLC0415
    from ingest.receiver.wal import Wal  # noqa: PLC0415

    tokens = load_tokens(token_file) if token_file is not None else None
    feed = _Feed(spool=spool, app=app, late=LateContent(elsewhere_of(refs or [])))
    console = notices()
    stop = stop_event()
    with Wal(opened.wal) as wal:
        wal.check_writable()
        settings = ServerSettings(host=host, port=port, certificate=certificate, key=key)
        intake = Intake(wal, tokens)
        server = Server(http_app(intake), settings)
        taken = server.start()
        grpc, ports = None, {taken}
        rpc_port = grpc_port if grpc_port is not None else (4317 if port == 4318 else 0)
        if rpc_port >= 0:
            listen = GrpcSettings(host=host, port=rpc_port, certificate=certificate, key=key)
            grpc = GrpcServer(intake, listen)
            ports.add(grpc.port)
        scheme = "https" if certificate is not None else "http"
        at = f"{scheme}://{host}:{taken}"
        rpc = f" and over gRPC at {host}:{grpc.start()}" if grpc else ""
        _say(console, f"receiving OTLP at {at}{rpc} (Ctrl-C ends it)")
        with own_traces(traces_to, ports=frozenset(ports)) as own:
            while not stop.wait(every):
                _land(opened, wal, console, feed, own, is_over=stop.is_set)
        server.stop()
        if grpc is not None:
            grpc.stop()
        until = time.monotonic() + _LAST_SECONDS
        _land(opened, wal, console, feed, OwnTraces(None), is_over=lambda: time.monotonic() > until)
    _say(console, f"stopped. Next: tracegym build --home {quote(str(home))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Feed:
    """What comes in beside the network."""

    spool: Path | None
    app: str | None
    late: "LateContent"


def _say(console: Console, text: str) -> None:
    """Tell; where what is told goes to a disk that is full, receiving goes on all the same."""
    with suppress(OSError):
        console.print(text, soft_wrap=True)


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _land(  # noqa: PLR0913 - what comes in, where it goes, and for how long
    home: Home,
    wal: "Wal",
    console: Console,
    feed: "_Feed",
    own: "OwnTraces",
    *,
    is_over: Callable[[], bool],
) -> None:
    """Decode what is pending; a fault is told and tried again, because receiving goes on."""
    from dagster_project.arrival.files import land  # noqa: PLC0415 - see above
    from dagster_project.arrival.spool import take_spool  # noqa: PLC0415 - see above

    started = time.time_ns()
    try:
        if feed.spool is not None:
            take_spool(home, wal, feed.spool, app=feed.app)
        arrived = land(home, wal, late=feed.late, is_over=is_over)
    except Exception as error:  # noqa: BLE001 - the boundary of a loop that must not end
        _say(console, f"waiting to decode: {fault_of(error).sentence}")
        own.note_failure(error, started=started)
        return
    own.landed(arrived, started=started)
    if arrived.usable:
        apps = ", ".join(sorted(arrived.apps))
        _say(console, f"{arrived.spans} spans and {arrived.log_events} log records from {apps}")
    for code, count in sorted(arrived.rejected.items()):
        _say(console, f"{count} quarantined as {code}: {arrived.reasons[code]}")
