"""Which policy a name means, and one sentence where it cannot be had."""

import asyncio
import pickle
from importlib.util import find_spec
from pathlib import Path

import pytest

from dagster_project.errors import InputError
from dagster_project.rollouts.policies import ClusterChoice, Launch, PolicyChoice
from dagster_project.rollouts.runs import roll_out
from environments.llm import ModelChoice
from environments.rollout.budget import Limits
from environments.rollout.engine import RolloutSettings
from tests.environments_shop import write_shop


@pytest.mark.parametrize(
    ("choice", "label"),
    [
        (PolicyChoice(name="noop"), "noop"),
        (PolicyChoice(name="http://localhost:8000/v1", model="m"), "m"),
        (PolicyChoice(name="torch:models/small"), "small"),
        (PolicyChoice(name="provider/model"), "provider/model"),
    ],
)
def test_a_choice_knows_its_name_without_being_opened(choice: PolicyChoice, label: str) -> None:
    """Rollouts of a policy are found again before any model is loaded, and the choice travels to workers."""
    assert choice.label == label
    assert pickle.loads(pickle.dumps(choice.open)).__self__ == choice  # noqa: S301 - our own object


def test_an_api_key_is_in_no_message() -> None:
    """What prints a choice does not print its key."""
    assert "k-123" not in repr(PolicyChoice(name="noop", api_key="k-123"))


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_a_local_policy_without_torch_names_the_extra(tmp_path: Path) -> None:
    """One sentence says what to install."""
    write_shop(tmp_path / "set")
    launch = Launch(choice=PolicyChoice(name="torch:model"), settings=RolloutSettings())
    with pytest.raises(InputError, match=r"needs torch: pip install 'tracegym\[train\]'"):
        asyncio.run(roll_out(None, tmp_path / "set", launch))


def test_a_cluster_and_a_judge_exclude_each_other(tmp_path: Path) -> None:
    """A judge asked in no worker would silently mask; the sentence says what to do instead."""
    write_shop(tmp_path / "set")
    launch = Launch(
        choice=PolicyChoice(name="noop"), settings=RolloutSettings(), cluster=ClusterChoice()
    )
    with pytest.raises(InputError, match="tracegym regrade --judge"):
        asyncio.run(roll_out(None, tmp_path / "set", launch, judged_by=ModelChoice(model="m")))


def test_a_budget_of_time_starts_nothing_after_it(tmp_path: Path) -> None:
    """A run that may take no time makes no rollout, and says how many it was to make."""
    write_shop(tmp_path / "set")
    settings = RolloutSettings(samples=3, limits=Limits(seconds=0))
    launch = Launch(choice=PolicyChoice(name="solution"), settings=settings)
    counts = asyncio.run(roll_out(None, tmp_path / "set", launch))
    assert (counts.rollouts, counts.wanted) == (0, 6)


@pytest.mark.parametrize(
    "url",
    [
        "http://user:secret@host/v1",
        "https://secret@host/v1",
        "http://[::1",
        "http://h:x/v1",
        "http://",
    ],
)
def test_an_address_with_a_password_or_without_a_host_is_one_sentence(url: str) -> None:
    """The sentence names the way to give a key, and never the password."""
    with pytest.raises(InputError, match="TRACEGYM_POLICY_KEY") as caught:
        PolicyChoice(name=url, model="m")
    assert "secret" not in str(caught.value)
