"""The user played by a model: persona and facts from the recording, words of its own. Off unless someone chooses one.

Goes in: a function that sends one request to a model (`environments.llm.LlmJudge` is one), a task. Comes out: what an
environment takes as its `user`. What it said stands in the rollout's conversation, so that grading again asks no model
(`runtime.play.user.RecordedUser`). Its calls are in no budget. Not here: the scripted user (`runtime.play.user`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from environments.judges.client import Complete
from environments.runtime.play.message import text_of
from environments.runtime.play.user import NEUTRAL, Reply
from environments.runtime.task.attempt import SIMULATED, UNKNOWN
from environments.runtime.task.task import Task, UserTurn
from environments.simulate import Background

NO_ANSWER: Final = "UNKNOWN"
END: Final = "END"
MOST_TEXT: Final = 20_000
"""Characters of one of the agent's messages that the model is shown, from its end."""


@cache
def instructions() -> str:
    """What a model that plays users is told first."""
    return files("environments").joinpath("user_model.txt").read_text("utf-8")


@dataclass(slots=True, kw_only=True)
class UserCounts:
    """What became of the requests."""

    asked: int = 0
    no_answer: int = 0
    """Turns in which the recording had no answer."""


class UserModel:
    """One model that plays the users of all runs."""

    def __init__(self, model: str, complete: Complete) -> None:
        self.model = model
        self.counts = UserCounts()
        self._complete = complete
        self._background = Background()

    def user_of(self, task: Task) -> Callable[[], ModelledUser]:
        """What makes the user of one run of a task."""
        return lambda: ModelledUser(task, self._ask)

    def close(self) -> None:
        """Ask nothing more."""
        self._background.close()

    def _ask(self, request: str) -> str | None:
        self.counts.asked += 1
        text = self._background.run(self._complete(instructions(), request)).strip()
        if not text or text == NO_ANSWER:
            self.counts.no_answer += 1
            return None
        return text


class ModelledUser:
    """Plays one recorded user for one run, by a model. A fault of its endpoint breaks the run."""

    def __init__(self, task: Task, ask: Callable[[str], str | None]) -> None:
        self._ask = ask
        self._said: list[dict[str, str]] = []
        opening = [m.get("content") for m in task.opening if m.get("role") == "user"]
        self._recording: dict[str, list[Any]] = {
            "opening": [text_of(content) for content in opening],
            "later turns": _turns(t for t in task.user if not t.other_recording),
        }
        others = _turns(t for t in task.user if t.other_recording)
        if others:
            self._recording["answers in other recordings"] = others

    def reply(self, said: str, *, acted: bool = True) -> Reply:  # noqa: ARG002 - the model reads what was said
        """The model's words, without the mark of the end."""
        said = said[-MOST_TEXT:]
        shown = {
            "recorded": self._recording,
            "conversation so far": self._said,
            "the agent says now": said,
        }
        text = self._ask(json.dumps(shown, ensure_ascii=False, indent=1))
        if text is None:
            self._said.append({"agent": said, "user": NEUTRAL})
            return Reply(text=NEUTRAL, source=UNKNOWN)
        lines = text.splitlines()
        ended = lines[-1].strip() == END
        words = "\n".join(lines[:-1] if ended else lines).strip()
        self._said.append({"agent": said, "user": words})
        return Reply(text=words, source=SIMULATED, ended=ended)


def _turns(turns: Iterable[UserTurn]) -> list[dict[str, str]]:
    return [{"agent": turn.asked, "user": turn.text} for turn in turns]
