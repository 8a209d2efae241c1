"""Which of Dagster's executors runs the steps of a run: in this process, in processes of this machine, or wherever a file says.

Comes in: what `TRACEGYM_EXECUTOR` says. Goes out: an executor, configured. A file names any executor of Dagster's or of an installed
library of it: `{module: dagster_k8s, name: k8s_job_executor, config: {…}, runs_at_once: 8}`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import dagster as dg
import yaml

from dagster_project.errors import InputError
from environments.runtime.values.normal import is_whole

IN_PROCESS: Final = "in_process"
MULTIPROCESS: Final = "multiprocess"
_KEYS: Final = frozenset({"module", "name", "config", "runs_at_once"})
_PRELOADED: Final = ["dagster_project.build.run"]
"""Imported once for all steps: each would take 6 s for it."""
_ELSEWHERE_AT_ONCE: Final = 8
"""Runs of one build at a time where their steps run on other machines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Executor:
    """Where steps run."""

    definition: dg.ExecutorDefinition
    runs_at_once: int = 1
    """How many runs, each of one app, a build starts at a time; 1 with `in_process`, which takes all apps in one run."""
    is_here: bool = True
    """Whether steps run on this machine."""

    @property
    def is_in_process(self) -> bool:
        """Whether steps run in the process that asks for them."""
        return self.definition is dg.in_process_executor


def executor_of(choice: str) -> Executor:
    """The executor that was chosen; raises `InputError` for one that nobody knows or that refuses its settings."""
    name, _, number = choice.partition(":")
    if name in {"", IN_PROCESS} and not number:
        return Executor(definition=dg.in_process_executor)
    if name == MULTIPROCESS and (not number or (number.isdecimal() and int(number) > 0)):
        most = int(number) if number else os.cpu_count() or 1
        settings = {
            "max_concurrent": most,
            "start_method": {"forkserver": {"preload_modules": _PRELOADED}},
        }
        chosen = dg.multiprocess_executor.configured(settings, name=MULTIPROCESS)
        return Executor(definition=chosen, runs_at_once=most)
    path = Path(choice)
    if path.suffix in {".yaml", ".yml"}:
        return _from_file(path)
    raise InputError(
        f"TRACEGYM_EXECUTOR is {choice!r}; set it to {IN_PROCESS}, {MULTIPROCESS}, {MULTIPROCESS}:PROCESSES or a YAML file"
    )


def _from_file(path: Path) -> Executor:
    told = _read(path)
    try:
        definition = getattr(import_module(str(told["module"])), str(told["name"]))
    except (ImportError, AttributeError) as fault:
        raise InputError(
            f"{path}: there is no {told['name']} in {told['module']}; install the library that has it"
        ) from fault
    if not isinstance(definition, dg.ExecutorDefinition):
        raise InputError(f"{path}: {told['module']}.{told['name']} is no executor of Dagster's")
    at_once = told.get("runs_at_once", _ELSEWHERE_AT_ONCE)
    if not is_whole(at_once) or at_once < 1:
        raise InputError(f"{path}: runs_at_once must be a whole number of at least 1")
    config = told.get("config") or {}
    try:
        # Only a job has its executor's settings checked before it runs.
        job = dg.GraphDefinition(name="checked").to_job(executor_def=definition)
        dg.validate_run_config(job, {"execution": {"config": config}})
    except dg.DagsterInvalidConfigError as fault:
        wrong = "; ".join(error.message for error in fault.errors)
        raise InputError(f"{path}: {definition.name} refuses its config: {wrong}") from fault
    chosen = definition.configured(config, name=definition.name)
    return Executor(definition=chosen, runs_at_once=at_once, is_here=False)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise InputError(f"cannot read {path} (TRACEGYM_EXECUTOR): {fault.strerror}") from fault
    except (yaml.YAMLError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} (TRACEGYM_EXECUTOR) is not YAML") from fault
    if not isinstance(told, dict) or not {"module", "name"} <= told.keys() or told.keys() - _KEYS:
        raise InputError(
            f"{path} must say module and name of an executor, and may say its config and runs_at_once"
        )
    return told
