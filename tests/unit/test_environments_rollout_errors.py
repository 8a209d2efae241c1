"""Faults of rollouts cross processes whole."""

from __future__ import annotations

import pickle

from environments.rollout.errors import RefusedError


def test_a_refusal_keeps_its_status_between_processes() -> None:
    """A worker's refusal is told apart from a fault that may pass, here as there."""
    fault = RefusedError("the endpoint refused the request with status 401", status=401)
    there = pickle.loads(pickle.dumps(fault))  # noqa: S301 - our own object
    assert isinstance(there, RefusedError)
    assert there.status == 401
    assert str(there) == str(fault)
