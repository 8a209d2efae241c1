"""Writes a task set for verl: rows, a tool configuration, a tool class and a reward function.

In: a task set folder. Out: `train.parquet` (prompt, tools of the row, the task's id, no answer), `tools.yaml` and a package.
Imports nothing of verl. verl's tools are global and keep little of a schema: names and schemas are mapped here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from environments.export.formats.parquet import MESSAGES, parquet
from environments.export.package import Format, by_split
from environments.runtime.play.play import TALK_TOOL, Play
from environments.runtime.play.tool_names import tool_name
from environments.runtime.play.tool_text import text_messages
from environments.runtime.task.attempt import Json
from environments.runtime.task.task_set import TaskSet
from environments.runtime.values.canonical import canonical, digest
from environments.runtime.values.normal import as_list

SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})


@dataclass(slots=True)
class _Tools:
    """All tools of a task set under names that are unique in the run."""

    package: str
    names: dict[str, str] = field(default_factory=dict)
    """Canonical definition -> name in the run."""
    entries: dict[str, dict[str, Json]] = field(default_factory=dict)
    """Name in the run -> entry of `tools.yaml`."""

    def name_of(self, definition: Mapping[str, Json]) -> str:
        """The run's name of a definition; one that differs from its namesake gets a hash."""
        text = canonical(definition)
        if text not in self.names:
            inner = tool_name(definition)
            name = inner if inner not in self.entries else f"{inner[:55]}_{digest(text)[:8]}"
            self.names[text] = name
            self.entries[name] = {
                "class_name": f"{self.package}.replay_tool.ReplayTool",
                "config": {"type": "native", "tool": inner},
                "tool_schema": flat_tool(definition, name),
            }
        return self.names[text]


def flat_tool(definition: Mapping[str, Json], name: str) -> dict[str, Json]:
    """A definition as verl's schema has it: type, description and enum of each parameter, the rest as words."""
    function = definition["function"]
    schema = function["parameters"] if isinstance(function, Mapping) else {}
    described = function.get("description") if isinstance(function, Mapping) else ""
    properties = schema.get("properties") if isinstance(schema, Mapping) else {}
    required = schema.get("required") if isinstance(schema, Mapping) else []
    parts = properties.items() if isinstance(properties, Mapping) else ()
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": described,
            "parameters": {
                "type": "object",
                "properties": {key: _flat(part) for key, part in parts},
                "required": required if isinstance(required, list) else [],
            },
        },
    }


def _flat(part: Json) -> Json:
    schema = part if isinstance(part, dict) else {}
    words = str(schema.get("description") or "")
    rest = {k: v for k, v in schema.items() if k not in {"type", "description", "enum"}}
    if rest:
        words = f"{words} JSON Schema: {canonical(rest)}".strip()
    flat: dict[str, Json] = {"type": _kind(schema), "description": words}
    if isinstance(schema.get("enum"), list):
        flat["enum"] = schema["enum"]
    return flat


def _kind(schema: Mapping[str, Json]) -> Json:
    kind = schema.get("type")
    if isinstance(kind, str) or (isinstance(kind, list) and kind):
        return kind
    choices = as_list(schema.get("anyOf") or schema.get("oneOf"))
    kinds = [c.get("type") for c in choices if isinstance(c, dict)]
    named = sorted({k for k in kinds if isinstance(k, str) and k in SCALARS})
    return list[Json](named) if named else "string"


def _files(opened: TaskSet, package: str) -> Mapping[str, bytes]:
    tools = _Tools(package)
    rows = [
        (task.task_id, _row(Play(opened, task.task_id), tools, index))
        for index, task in enumerate(opened.tasks)
    ]
    entries = [tools.entries[name] for name in sorted(tools.entries)]
    # JSON is YAML: no second way of quoting.
    config = json.dumps({"tools": entries}, indent=1, ensure_ascii=False)
    inner = {name: entry["config"]["tool"] for name, entry in tools.entries.items()}  # type: ignore[call-overload,index]  # made above
    schema = row_schema(sorted(tools.entries))
    return {
        **by_split(opened, rows, lambda part: parquet(part, schema), ".parquet"),
        "tools.yaml": f"{config}\n".encode(),
        f"{package}/tools.json": (canonical(inner) + "\n").encode(),
    }


def row_schema(names: list[str]) -> pa.Schema:
    """The rows' layout; every tool of the run is a field of `tools_kwargs`, null where a row has it not."""
    named = pa.struct([("create_kwargs", pa.struct([("task_id", pa.string())]))])
    extra = pa.struct(
        [
            ("index", pa.int64()),
            ("split", pa.string()),
            ("task_id", pa.string()),
            ("task_version", pa.string()),
            ("need_tools_kwargs", pa.bool_()),
            ("tools_kwargs", pa.struct([(name, named) for name in names])),
            ("tool_selection", pa.list_(pa.string())),
        ]
    )
    judged = pa.struct([("style", pa.string()), ("ground_truth", pa.string())])
    return pa.schema(
        [
            ("data_source", pa.string()),
            ("prompt", MESSAGES),
            ("ability", pa.string()),
            ("reward_model", judged),
            ("agent_name", pa.string()),
            ("extra_info", extra),
        ]
    )


def _row(play: Play, tools: _Tools, index: int) -> dict[str, object]:
    task_id = play.task.task_id
    names = [tools.name_of(definition) for definition in (*play.tools, TALK_TOOL)]
    return {
        "data_source": tools.package,
        "prompt": list(text_messages(play.opening)),
        "ability": "tool_use",
        "reward_model": {"style": "rule", "ground_truth": task_id},
        "agent_name": "tool_agent",
        "extra_info": {
            "index": index,
            "split": "train",
            "task_id": task_id,
            "task_version": play.task.task_version,
            "need_tools_kwargs": True,
            "tools_kwargs": {name: {"create_kwargs": {"task_id": task_id}} for name in names},
            "tool_selection": names,
        },
    }


VERL: Final = Format(
    name="verl",
    consumer="verl",
    check="pip install DIR (see DIR/README.md)",
    rows=_files,
)
