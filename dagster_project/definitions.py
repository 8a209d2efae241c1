"""The code location: everything under `defs/`, found by Dagster itself."""

from pathlib import Path

import dagster as dg

import dagster_project.defs


@dg.definitions
def definitions() -> dg.Definitions:
    """All assets, checks, jobs, schedules, sensors and resources."""
    return dg.load_defs(dagster_project.defs, project_root=Path(__file__).parent)
