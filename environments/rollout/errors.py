"""What can go wrong in a rollout that is not the policy's doing.

    RolloutError            rollouts cannot go on; the message is one sentence for a person
    └── EndpointError       one model call failed for good (after retries)
        └── RefusedError    the endpoint answered that it will not: credentials, unknown model, bad request

`endpoint` and `environments.llm` raise the last two; `engine` turns them into marked rollouts, and gives up with the
first where every rollout fails. What a model says, however malformed, is never an error: the environment answers it.
"""

from __future__ import annotations

from functools import partial


class RolloutError(Exception):
    """Rollouts that cannot go on."""


class EndpointError(RolloutError):
    """A model call that failed after retries."""


class RefusedError(EndpointError):
    """A model call that would fail again however often it is made."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> tuple[partial[RefusedError], tuple[str]]:
        """Between processes: an exception's own way forgets keywords."""
        return partial(RefusedError, status=self.status), (str(self),)
