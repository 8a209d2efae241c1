"""What `--simulate` and `--user-model` with their URLs mean: the models that answer for tools, and for users."""

from typing import TYPE_CHECKING

import typer

from dagster_project.cli.settings import read_settings

if TYPE_CHECKING:
    from environments.llm import ModelChoice


def simulator_of(model: str, url: str) -> "ModelChoice | None":
    """The model that answers calls which no recording knows; None where none was chosen."""
    return _model_choice(model, url, "--simulate")


def user_of(model: str, url: str) -> "ModelChoice | None":
    """The model that plays users; None where none was chosen."""
    return _model_choice(model, url, "--user-model")


def _model_choice(model: str, url: str, option: str) -> "ModelChoice | None":
    if url and not model:
        raise typer.BadParameter("this endpoint needs the model's name", param_hint=option)
    if not model:
        return None
    # pyarrow and deltalake: 1 s
    from environments.llm import ModelChoice  # noqa: PLC0415

    return ModelChoice(model=model, url=url, api_key=read_settings().simulate_key or "")
