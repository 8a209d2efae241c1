"""`tracegym verify`: whether an export is, file by file, what somebody signed."""

from pathlib import Path
from typing import Annotated

import typer

from dagster_project.cli.options import JsonOption
from dagster_project.cli.output import notices, print_json
from dagster_project.errors import InputError


def verify(
    folder: Annotated[Path, typer.Argument(metavar="EXPORT", help="An export's folder.")],
    key: Annotated[
        Path, typer.Option("--key", metavar="PEM", help="The public key of who signed it.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Check an export against its signature: nothing changed, nothing missing, nothing added. Nothing of it runs.

    Example: tracegym verify my_tasks --key theirs.pem
    """
    from environments.export.errors import ExportError  # noqa: PLC0415 - cryptography: 0.1 s
    from environments.export.signature import faults_of  # noqa: PLC0415 - as above

    if not folder.is_dir():
        raise InputError(f"{folder} is no folder")
    try:
        faults = faults_of(folder, key)
    except ExportError as fault:
        raise InputError(str(fault)) from fault
    if as_json:
        print_json({"holds": not faults, "faults": faults})
    if faults:
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise InputError(f"{folder} is not what was signed: {faults[0]}{more}")
    if not as_json:
        notices().print("every file is as it was signed, and there is no other")
