"""Which policy acts and from where: what a command or an asset was told, and the policy that this means.

Comes in: names and settings. Goes out: an opened policy, here or in a worker of a cluster (a choice is a plain record, so it travels).
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from dagster_project.errors import InputError
from environments.llm import LlmPolicy
from environments.rollout.endpoint import EndpointPolicy, EndpointSettings
from environments.rollout.engine import RolloutSettings
from environments.rollout.policy import Policy
from environments.rollout.scripts import scripted_policy
from environments.runtime.task.task_set import TaskSet

LOCAL: Final = "torch:"
URLS: Final = ("http://", "https://")


def _is_plain(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return "@" not in parts.netloc and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChoice:
    """Which policy acts."""

    name: str
    """A scripted policy, an endpoint's URL, `torch:FOLDER`, or a model's name as litellm has it (`provider/model`)."""
    model: str = ""
    """The model behind a URL."""
    api_key: str = field(default="", repr=False)
    temperature: float | None = None

    def __post_init__(self) -> None:
        """Refuse an address that holds a password: it would stand in every rollout, and no client takes it beside a key."""
        if self.name.startswith(URLS) and not _is_plain(self.name):
            raise InputError(
                "The policy's address holds a user or a password, or is none; "
                "give http://HOST:PORT/v1, and the key as TRACEGYM_POLICY_KEY."
            )

    @property
    def label(self) -> str:
        """The policy's name in rollouts."""
        if self.name.startswith(URLS):
            return self.model
        if self.name.startswith(LOCAL):
            return self._folder.name
        return self.name

    @property
    def is_free(self) -> bool:
        """Whether it runs here, as a script or a local model, so that no call has a price."""
        return self.name.startswith(LOCAL) or (
            "/" not in self.name and not self.name.startswith(URLS)
        )

    @property
    def _folder(self) -> Path:
        return Path(self.name.removeprefix(LOCAL)).expanduser().resolve()

    @asynccontextmanager
    async def open(self, task_set: TaskSet) -> AsyncIterator[Policy]:
        """The policy, for as long as it is needed."""
        if self.name.startswith(URLS):
            settings = EndpointSettings(
                base_url=self.name,
                model=self.model,
                api_key=self.api_key,
                temperature=self.temperature,
            )
            async with EndpointPolicy(settings) as policy:
                yield policy
        elif self.name.startswith(LOCAL):
            async with _local(self._folder, self.temperature) as local:
                yield local
        elif "/" in self.name:
            yield LlmPolicy(model=self.name, temperature=self.temperature)
        else:
            yield scripted_policy(self.name, task_set)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterChoice:
    """A Ray cluster whose workers run the rollouts."""

    address: str = ""
    """Empty starts one on this machine."""
    workers: int = 2
    gpus: float = 0.0
    """Reserved by each worker, for policies that run in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What is run, and from where."""

    choice: PolicyChoice
    settings: RolloutSettings
    cluster: ClusterChoice | None = None
    """None: this process."""


def _local(folder: Path, temperature: float | None) -> AbstractAsyncContextManager[Policy]:
    try:
        from environments.rollout.torch_policy import TorchPolicy, TorchSettings  # noqa: PLC0415
    except ModuleNotFoundError as fault:
        raise InputError(
            f"a local policy needs {fault.name}: pip install 'tracegym[train]'"
        ) from fault
    settings = TorchSettings(temperature=1.0 if temperature is None else temperature)
    return TorchPolicy.load(folder, settings)
