"""The Harbor export against Harbor's own models and linter.

Harbor wants Python 3.12 and Docker. Its models and its linter's file rules run on 3.11 with two names of `typing` put in their place;
the compose rules need the compose plugin and are left out, and no container is started.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from environments.export.registry import FORMATS
from tests.consumer_desk import write_desk
from tests.consumer_venv import make_venv, sh

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
PACKAGES = (
    "pydantic",
    "packaging",
    "toml",
    "pyyaml",
    "pathspec",
    "shortuuid",
    "typing_extensions",
    "jsonschema",
)
DRIVER = """
import json, sys, tomllib, typing, typing_extensions
from pathlib import Path
typing.override, typing.TypedDict = typing_extensions.override, typing_extensions.TypedDict
import jsonschema
from harbor.lint.models import COMPOSE_RULES, DEFAULT_RULES, LintRule
from harbor.lint.task import lint_task
from harbor.models.task.config import TaskConfig
from harbor.models.task.task import Task

out = {}
for folder in sorted(Path(sys.argv[1]).glob("task*")):
    values = tomllib.loads((folder / "task.toml").read_text())
    jsonschema.validate(values, TaskConfig.model_json_schema())
    config = TaskConfig.model_validate(values)
    assert Task.is_valid_dir(folder) and Task(folder).name == config.task.name
    rules = (DEFAULT_RULES | {LintRule.AGENT_IMAGE_TEST_LEAK}) - COMPOSE_RULES
    findings = lint_task(folder, selected_rules=rules)
    out[folder.name] = [config.verifier.environment_mode.value, [str(f) for f in findings]]
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with Harbor's files, without what they pull: its `bin`."""
    bare = ("--ignore-requires-python", "harbor>=0.25,<0.26")
    return make_venv("harbor", PACKAGES, tmp_path_factory.mktemp("c"), *bare)


def test_harbor_loads_and_lints_every_task(consumer: Path, tmp_path: Path) -> None:
    """`task.toml` fits the published schema, the folder is a task, and no rule about leaks or verifiers speaks up."""
    write_desk(tmp_path / "set")
    FORMATS["harbor"].write(tmp_path / "set", tmp_path / "out")
    found = json.loads(sh(consumer / "python", "-c", DRIVER, tmp_path / "out", cwd=tmp_path))
    assert found == {name: ["separate", []] for name in ("task1", "task3", "task4")}
