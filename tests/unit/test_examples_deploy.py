"""The files of examples/deploy are what Dagster, Kubernetes and AWS accept, as far as that can be told without them."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import botocore.session
import pytest
import yaml
from botocore.validate import ParamValidator
from dagster._config import process_config
from dagster._core.instance.config import dagster_instance_config_schema
from kubernetes import client as kubernetes

from dagster_project.build.executors import executor_of

DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
FILES = sorted(DEPLOY.rglob("*.yaml"))
_SECRET = re.compile(r"(SECRET|PASSWORD|_KEY|POSTGRES_URL)\w*:? +[^\s{#]")


def read(path: Path) -> Any:  # noqa: ANN401 - whatever the file says
    """A file of one document."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def named(path: Path) -> str:
    """A file by its place in the folder."""
    return str(path.relative_to(DEPLOY))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_every_file_is_yaml_without_a_secret(path: Path) -> None:
    """It parses, and what is secret is named only."""
    assert all(document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")))
    assert _SECRET.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", [p for p in FILES if p.name == "executor.yaml"], ids=named)
def test_executors_take_their_settings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dagster's own schema of each executor accepts the file."""
    monkeypatch.setenv("CELERY_BROKER", "redis://example/0")
    monkeypatch.setenv("CELERY_BACKEND", "redis://example/1")

    chosen = executor_of(str(path))

    assert not chosen.is_here
    assert chosen.runs_at_once > 1


@pytest.mark.parametrize("path", [p for p in FILES if p.name == "dagster.yaml"], ids=named)
def test_instances_take_their_settings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The instance's schema, and its launcher's, accept the file; a setting that nobody knows they do not."""
    monkeypatch.setenv("DAGSTER_POSTGRES_URL", "postgresql://example/dagster")
    monkeypatch.setenv("TRACEGYM_TASK_DEFINITION", "tracegym")
    told = read(path)
    whole = process_config(dagster_instance_config_schema(), told)
    assert whole.success, whole.errors
    if "run_launcher" in told:
        launcher = told["run_launcher"]
        kind = getattr(import_module(launcher["module"]), launcher["class"])
        found = process_config(kind.config_type(), launcher["config"])
        assert found.success, found.errors
        assert not process_config(kind.config_type(), {**launcher["config"], "unknown": 1}).success


def test_kubernetes_objects_are_whole() -> None:
    """Kubernetes' own client reads each object and writes it back: no field is unknown to it or missing."""
    api = kubernetes.ApiClient()
    text = (DEPLOY / "kubernetes" / "tracegym.yaml").read_text(encoding="utf-8")
    kinds = []
    for document in yaml.safe_load_all(text):
        version = str(document["apiVersion"]).rpartition("/")[2].capitalize()
        body = SimpleNamespace(data=json.dumps(document))
        read_back = api.sanitize_for_serialization(
            api.deserialize(body, f"{version}{document['kind']}")
        )
        if document["kind"] == "RoleBinding":
            assert read_back["subjects"][0]["name"] == "tracegym"
        assert read_back == document
        kinds.append(document["kind"])
    assert kinds.count("Deployment") == 2


def test_the_task_definition_is_what_aws_takes() -> None:
    """AWS' own model of the call accepts every field."""
    shape = (
        botocore.session.get_session()
        .get_service_model("ecs")
        .operation_model("RegisterTaskDefinition")
        .input_shape
    )
    told = json.loads((DEPLOY / "ecs" / "task_definition.json").read_text(encoding="utf-8"))

    assert ParamValidator().validate(told, shape).generate_report() == ""


def test_compose_files_start_commands_that_exist() -> None:
    """Every service names an image and a command of ours or of Dagster's."""
    for path in FILES:
        if path.name != "compose.yaml":
            continue
        for service in read(path)["services"].values():
            assert service["image"]
            command = service.get("command", ["tracegym"])[0]
            assert command in {"tracegym", "dagster-daemon", "dagster-webserver", "dagster-celery"}
