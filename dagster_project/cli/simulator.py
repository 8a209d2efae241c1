"""What `--simulate` and `--simulate-url` mean: the model that answers calls which no recording knows."""

from typing import TYPE_CHECKING

import typer

from dagster_project.cli.settings import read_settings

if TYPE_CHECKING:
    from dagster_project.simulated_replies import SimulatorChoice


def simulator_of(model: str, url: str) -> "SimulatorChoice | None":
    """The chosen model; None where none was."""
    if url and not model:
        raise typer.BadParameter(
            "a simulator's endpoint needs the model's name", param_hint="--simulate"
        )
    if not model:
        return None
    # pyarrow and deltalake: 1 s
    from dagster_project.simulated_replies import SimulatorChoice  # noqa: PLC0415

    return SimulatorChoice(model=model, url=url, api_key=read_settings().simulate_key or "")
