"""What `--judge`, `--simulate` and `--user-model` with their URLs mean: the models that are asked."""

from typing import TYPE_CHECKING

import typer

from dagster_project.cli.settings import read_settings

if TYPE_CHECKING:
    from environments.llm import ModelChoice


def chosen_judge(model: str, url: str) -> "ModelChoice | None":
    """The model that judges; None where none was chosen."""
    return _model_choice(model, url, "--judge", read_settings().judge_key)


def simulator_of(model: str, url: str) -> "ModelChoice | None":
    """The model that answers calls which no recording knows; None where none was chosen."""
    return _model_choice(model, url, "--simulate", read_settings().simulate_key)


def user_of(model: str, url: str) -> "ModelChoice | None":
    """The model that plays users; None where none was chosen."""
    return _model_choice(model, url, "--user-model", read_settings().simulate_key)


def _model_choice(model: str, url: str, option: str, key: str | None) -> "ModelChoice | None":
    if url and not model:
        what = "a judge's" if option == "--judge" else "this"
        raise typer.BadParameter(f"{what} endpoint needs the model's name", param_hint=option)
    if not model:
        return None
    # pyarrow and deltalake: 1 s
    from environments.llm import ModelChoice  # noqa: PLC0415

    return ModelChoice(model=model, url=url, api_key=key or "")
