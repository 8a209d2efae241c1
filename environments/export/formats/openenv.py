"""Writes a task set as an OpenEnv server: tasks to choose from, tools to call, the reward with the last step.

In: a task set folder. Out: a project with `openenv.yaml`. Imports nothing of OpenEnv. Its protocol carries single calls, so the
user is reached by a tool. A verdict of None is a null reward with `mask_sample`.
"""

from __future__ import annotations

from typing import Final

from environments.export.package import Format

OPENENV: Final = Format(
    name="openenv",
    templates="openenv_package",
    files={
        "openenv.yaml": "openenv.yaml.txt",
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        "__init__.py": "init.py.txt",
        "models.py": "models.py.txt",
        "client.py": "client.py.txt",
        "server/__init__.py": "server_init.py.txt",
        "server/app.py": "app.py.txt",
        "server/environment.py": "environment.py.txt",
        "server/Dockerfile": "Dockerfile.txt",
        "server/requirements.txt": "requirements.txt.txt",
    },
    task_sets=("task_set",),
    consumer="openenv",
    check="openenv validate DIR --level static --skip-build",
)
"""`name` is the environment's name."""
