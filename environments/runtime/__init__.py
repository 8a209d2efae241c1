"""The replay runtime: what an exported task set carries. Standard library and relative imports only.

`TaskSet.load(path)` opens a task set; `.environment(task_id)` starts a run; `.grade()` gives its verdict.
"""

from .attempt import Attempt, Call, EndState, ToolResult
from .environment import Environment, Observation, run_actions
from .errors import TaskSetError
from .rubric import Check, Rubric
from .task import Limits, Task, UserTurn
from .task_set import PackedTask, TaskSet, grade
from .verdict import CheckResult, Score, Verdict
from .world import World

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
