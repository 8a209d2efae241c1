"""Whether a task needs a value that redaction withheld.

In: a task, the attempt that solves it, its rubric. Out: which call needs it, if any. A withheld leaf that nobody needs costs nothing: the
agent reads the marker where the value stood. Not here: what is withheld (`redact`).
"""

from __future__ import annotations

import json
from typing import Final

from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.task import Task
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import stable
from redact.records.clean_episode import WITHHELD

SHORTEST: Final = 3
"""Characters of a word that an agent can only know from somewhere."""
NOT_A_CALL: Final = "request"
"""What needs it where no call does: what the user says, or a check."""


def needs_withheld(task: Task, attempt: Attempt, rubric: Rubric) -> str:
    """Which call of the solution needs what was withheld, by its tool; `request` for the user's words or a check; empty for nothing.

    A word in the solution's arguments that stands nowhere in what the agent had read may come from a withheld text before it.
    """
    said = [stable(dict(message)) for message in attempt.messages[: attempt.opening]]
    said += [turn.text for turn in task.user]
    said += [stable(dict(check.args)) for check in rubric.checks]
    if any(WITHHELD in text for text in said):
        return NOT_A_CALL
    defined = json.dumps(list(map(dict, task.tools)), ensure_ascii=False).casefold()
    calls = [call for call in attempt.calls if not call.by_user]
    first = next((n for n, call in enumerate(calls) if WITHHELD in call.result.content), len(calls))
    for number, call in enumerate(calls):
        if WITHHELD in stable(dict(call.arguments)):
            return call.name
        if number > first:
            read = [str(m.get("content") or "") for m in attempt.messages[: call.message]]
            read += [one.result.content for one in calls[:number]]
            shown = (defined, *map(str.casefold, read))
            if not all(
                any(word in text for text in shown) for word in _words(dict(call.arguments))
            ):
                return call.name
    return ""


def _words(arguments: Json) -> list[str]:
    """Values of one word, which are looked up and not composed."""
    values = [leaf for leaf in leaves(arguments) if isinstance(leaf, str)]
    return [v.casefold() for v in values if len(v) >= SHORTEST and len(v.split()) == 1]
