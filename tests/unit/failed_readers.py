"""Readers of a library whose wishes failed: what several test modules about clusters talk about. Not a test module."""

from synth.clusters.clustering import (
    Cluster,
    Clusters,
)
from synth.failures.detection import Failure, detect
from synth.labels.label import Label
from tests.unit.clean_conversations import (
    call,
    episode,
    result,
    says,
    user,
)

BAD = Label(resolved=False, by="end_user")


def refused(
    number: int, *, day: int = 0, subject: str | None = None, wish: str = "Renew my atlas"
) -> Failure:
    """A renewal that the tool refuses; the loan differs, the error is the same."""
    found = detect(
        episode(
            user(wish),
            call("1", "renew_loan", loan_id=f"L-{number}"),
            result("1", f"Error: loan L-{number} has a hold by reader R-{number * 7}"),
            says("I see."),
            episode_id=f"refused-{number}", subject=subject or f"reader {number}", day=day,
        ),
        BAD,
    )  # fmt: skip
    assert found is not None
    return found


def idle(number: int, wish: str, *, subject: str | None = None) -> Failure:
    """A wish after which nothing was done."""
    found = detect(
        episode(user(wish), says("I will look into it."), episode_id=f"idle-{number}", subject=subject or f"idler {number}"),
        BAD,
    )  # fmt: skip
    assert found is not None
    return found


def only(found: Clusters, kind: str) -> Cluster:
    """The one cluster of a kind."""
    (one,) = [c for c in found.clusters if c.kind == kind]
    return one
