"""The tasks of agentdojo with their judges: `pip install --target FOLDER agentdojo==0.1.35` (its judges read its LLM clients).

Comes in: the package. Comes out: its suites as firms. Not here: agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Call
from benchmarks.testbeds.published.errands import Errand, Firm, Task, tools_of, worked
from benchmarks.testbeds.published.packages import outside

PACKAGE = "agentdojo==0.1.35"
VERSION = "v1.2.2"
SUITES = ("banking", "slack", "travel", "workspace")
NOTES = {"web_requests", "read", "timestamp", "last_modified"}
"""Who looked, and the real clock: no change that anybody asked for."""


class Sat:
    """One task on a fresh environment."""

    def __init__(self, suite: Any, task: Any) -> None:  # noqa: ANN401 - the package's own types
        self._runtime = outside("agentdojo.functions_runtime", PACKAGE)
        written = outside("agentdojo.agent_pipeline.tool_execution", PACKAGE)
        self._written = written.tool_result_to_str
        self._task = task
        self.environment = task.init_environment(_loaded(suite).model_copy(deep=True))
        self._before = self.environment.model_copy(deep=True)
        self._tools = self._runtime.FunctionsRuntime(suite.tools)

    def solution(self) -> list[Call]:
        """The author's own calls."""
        made = self._task.ground_truth(self._before)
        return [(call.function, dict(call.args)) for call in made]

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Make one call; the text is the package's own, as its agents see it."""
        result, error = self._tools.run_function(self.environment, name, arguments)
        return Answer(content=error or self._written(result), is_error=bool(error))

    def state(self) -> str:
        """What the backend holds, without notes."""
        return str(_without(self.environment.model_dump()))

    def verdict(self, words: str, calls: Sequence[Call]) -> bool:
        """What the package's own judge says."""
        made = [self._runtime.FunctionCall(function=n, args=a) for n, a in calls]
        judged = self._task.utility_from_traces(words, self._before, self.environment, made)
        if judged is None:
            judged = self._task.utility(words, self._before, self.environment)
        return bool(judged)


@cache
def _loaded(suite: Any) -> Any:  # noqa: ANN401 - the package's own types
    """A suite's environment; reading it takes half a second, copying it a hundredth."""
    return suite.load_and_inject_default_environment({})


def firms() -> Iterator[Firm]:
    """One for each suite."""
    suites = outside("agentdojo.task_suite.load_suites", PACKAGE).get_suites(VERSION)
    for name in SUITES:
        yield _firm(name, suites[name])


def _firm(name: str, suite: Any) -> Firm:  # noqa: ANN401 - the package's own type
    tasks = suite.user_tasks
    return Firm(
        name=f"dojo-{name}",
        tools=tools_of(suite.tools),
        errands=tuple(_errand(key, Sat(suite, task), task) for key, task in tasks.items()),
        sit=lambda key: Sat(suite, tasks[key]),
    )


def _errand(key: str, sat: Sat, task: Any) -> Errand:  # noqa: ANN401 - the package's own type
    calls, answer = tuple(sat.solution()), task.GROUND_TRUTH_OUTPUT
    return worked(Task(key=key, prompt=task.PROMPT, calls=calls, answer=answer), sat)


def _without(value: object) -> object:
    if isinstance(value, dict):
        return {k: _without(v) for k, v in value.items() if k not in NOTES}
    return [_without(v) for v in value] if isinstance(value, list) else value
