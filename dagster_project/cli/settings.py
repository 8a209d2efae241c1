"""Settings of the command line that come from the environment; the only place here that reads it."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CliSettings:
    """What the environment may say; every option on the command line wins over it."""

    secret: str | None = None
    """TRACEGYM_SECRET: the vault's secret, for homes whose disk must not hold it."""
    policy_key: str | None = None
    """TRACEGYM_POLICY_KEY, else OPENAI_API_KEY: the key of a policy's endpoint."""
    judge_key: str | None = None
    """TRACEGYM_JUDGE_KEY, else OPENAI_API_KEY: the key of a judge's endpoint."""
    sudo_user: str | None = None
    """SUDO_USER: who became root, for the audit log."""
    simulate_key: str | None = None
    """TRACEGYM_SIMULATE_KEY, else OPENAI_API_KEY: the key of a simulating model's endpoint."""


def read_settings() -> CliSettings:
    """The settings of this process."""
    given = os.environ.get  # noqa: TID251 - this is the CLI's settings file
    return CliSettings(
        secret=given("TRACEGYM_SECRET") or None,
        policy_key=given("TRACEGYM_POLICY_KEY") or given("OPENAI_API_KEY") or None,
        judge_key=given("TRACEGYM_JUDGE_KEY") or given("OPENAI_API_KEY") or None,
        sudo_user=given("SUDO_USER") or None,
        simulate_key=given("TRACEGYM_SIMULATE_KEY") or given("OPENAI_API_KEY") or None,
    )
