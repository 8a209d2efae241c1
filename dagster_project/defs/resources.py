"""Resources: the two sides of a home, as assets are given them. The only place that names environment variables.

An asset past the gate asks for `CleanSide` only, so it has no path to raw data.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import dagster as dg

from dagster_project.build.budgets import Budget, budgets_of
from dagster_project.engine.choice import LOCAL, EngineChoice
from dagster_project.engine.interface import Engine
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import budgets_in, most_requests_of, redaction_of, risk_of
from dagster_project.home.vault_key import vault_secret
from dagster_project.lake.store import Lake
from dagster_project.storage.places import local_side
from environments.llm import ModelChoice
from redact.policy import load_policy


class PrivateSide(dg.ConfigurableResource[None], use_attribute_docstrings=True):
    """Raw data, the vault and what opens it."""

    home: str
    """The home: a folder, or s3://BUCKET/PREFIX."""
    secret: str = ""
    """Empty: the one of TRACEGYM_SECRET, else the one that the home keeps."""

    def opened(self) -> Home:
        """The home, checked."""
        return open_home(Path(self.home))

    @property
    def lake(self) -> Lake:
        """The tables of raw data."""
        return Lake(self.opened().private / "lake")

    @property
    def clean_lake(self) -> Lake:
        """The tables past the gate, for notes that hold no data."""
        return Lake(self.opened().clean / "lake")

    def vault_secret(self) -> bytes:
        """What the surrogates are keyed with."""
        return vault_secret(self.opened(), self.secret or secret_given() or None)


class CleanSide(dg.ConfigurableResource[None], use_attribute_docstrings=True):
    """Pseudonymised data, the written policies, and the model that answers judge checks, if any."""

    home: str
    """The home: a folder, or s3://BUCKET/PREFIX."""
    judge_model: str = ""
    """Empty: judge checks are answered from earlier replies only."""
    judge_url: str = ""
    """Its endpoint; empty: the provider's own."""
    judge_causes: bool = False
    """Whether that model is asked for causes of failures, too."""
    judge_key: str = ""
    """Empty: TRACEGYM_JUDGE_KEY, else OPENAI_API_KEY."""
    budgets: list[str] = []  # noqa: RUF012 - Dagster reads the fields of a resource as they are given here
    """What stages may take (`budgets.budgets_of`); none: what home.json says."""
    most_requests: int | None = None
    """How many requests of an app go on to the expensive stages, 0 is all; None: what home.json says."""
    fresh: bool = False
    """Figures over a whole app are taken anew, however little an app has grown."""
    workers: int = 0
    """Processes that the heavy maps run in; 0: one per core."""
    memory: int = 0
    """MiB that all of them together may take; 0: four fifths of what is free."""
    engine: str = LOCAL
    """`local`, `ray`, or the address of a Ray cluster."""

    @property
    def limits(self) -> Mapping[str, Budget]:
        """What each stage may take."""
        return budgets_of(self.budgets or budgets_in(self._opened))

    @property
    def sample(self) -> int:
        """How many requests go on; 0 is all."""
        asked = self.most_requests
        return most_requests_of(self._opened) if asked is None else asked

    @property
    def maps(self) -> Engine:
        """Where the heavy maps run."""
        choice = EngineChoice(workers=self.workers, memory=self.memory, engine=self.engine)
        return choice.open()

    @property
    def judge(self) -> ModelChoice | None:
        """Which model the gate may ask."""
        if not self.judge_model:
            return None
        key = (
            self.judge_key
            or _environment_value("TRACEGYM_JUDGE_KEY")
            or _environment_value("OPENAI_API_KEY")
        )
        return ModelChoice(model=self.judge_model, url=self.judge_url, api_key=key)

    @property
    def cause_judge(self) -> ModelChoice | None:
        """Which model is asked for causes."""
        return self.judge if self.judge_causes else None

    @property
    def _opened(self) -> Home:
        home = Home(path=local_side(self.home).absolute())
        # A machine that sees a home in object storage for the first time has no folder of it.
        return home if home.path.is_dir() else open_home(Path(self.home))

    @property
    def folder(self) -> Path:
        """The clean half of the home; of one in object storage the folder on this machine that stands for it."""
        return self._opened.clean

    @property
    def lake(self) -> Lake:
        """The tables past the gate."""
        return Lake(self.folder / "lake")

    @property
    def outcome_policy(self) -> Path:
        """What outcome names mean; may be absent."""
        return self._opened.outcome_policy

    @property
    def world_settings(self) -> Path:
        """How worlds are learnt, by app; may be absent."""
        return self._opened.world_settings

    @property
    def risk(self) -> float:
        """The share of wrong answers that worlds may give, where `worlds.toml` does not say it."""
        return risk_of(self._opened)

    @property
    def k(self) -> int:
        """How many distinct users must be behind what is said of a group."""
        return load_policy(self._opened.redaction_policy).k

    @property
    def redaction(self) -> str:
        """Whether the data of this home was redacted."""
        return redaction_of(self._opened)


def executor_choice() -> str:
    """TRACEGYM_EXECUTOR: where the steps of runs happen."""
    return _environment_value("TRACEGYM_EXECUTOR")


def secret_given() -> str:
    """TRACEGYM_SECRET, for processes that a run starts: a secret is never part of a run's configuration."""
    return _environment_value("TRACEGYM_SECRET")


def _environment_value(name: str) -> str:
    return os.environ.get(name, "")  # noqa: TID251 - this file names environment variables


OWNERS: Final = [
    one.strip() for one in _environment_value("TRACEGYM_OWNERS").split(",") if one.strip()
]
"""Who the UI names as owners of every asset: addresses or `team:NAME`, with commas between."""


@dg.definitions
def resources() -> dg.Definitions:
    """Where `dagster dev` finds the home: TRACEGYM_HOME; `tracegym build` hands its own over."""
    return dg.Definitions(
        resources={
            "private": PrivateSide(home=dg.EnvVar("TRACEGYM_HOME")),
            "clean": CleanSide(home=dg.EnvVar("TRACEGYM_HOME")),
        }
    )
