"""The replay runtime: what an exported task set carries. Standard library and relative imports only.

`TaskSet.load(path)` opens a task set; `.environment(task_id)` starts a run; `.grade()` gives its verdict.
"""

from .play.environment import Environment, Observation, run_actions
from .task.attempt import Attempt, Call, EndState, ToolResult
from .task.errors import TaskSetError
from .task.rubric import Check, Rubric
from .task.task import Limits, Task, UserTurn
from .task.task_set import PackedTask, TaskSet, grade
from .task.verdict import CheckResult, Score, Verdict
from .world.world import World

__all__ = [
    "Attempt",
    "Call",
    "Check",
    "CheckResult",
    "EndState",
    "Environment",
    "Limits",
    "Observation",
    "PackedTask",
    "Rubric",
    "Score",
    "Task",
    "TaskSet",
    "TaskSetError",
    "ToolResult",
    "UserTurn",
    "Verdict",
    "World",
    "grade",
    "run_actions",
]
