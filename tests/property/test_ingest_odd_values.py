"""Wrong types in every field of every format: reading never fails, and whatever is not read is refused in a sentence."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.assembly.assemble import assemble
from ingest.files.chat_log import to_line
from ingest.files.explain import explain
from ingest.files.telemetry_files import read_file
from ingest.formats.format import Decoded
from ingest.formats.table import FORMATS, format_within
from ingest.otlp.decode import decode
from ingest.receiver.wal import StoredRecord
from ingest.records.quarantine import Rejected
from ingest.records.text import Json
from tests.unit.ingest_emitters import MODEL_CALLS, openinference, otel_genai
from tests.unit.test_ingest_acting_agents import FILES as ACTING
from tests.unit.test_ingest_agent_files import (
    event,
    inspect_log,
    openhands,
    sample,
    swe_agent,
)
from tests.unit.test_ingest_chat_templates import PARTED, WHOLE
from tests.unit.test_ingest_claude_code_sessions import session
from tests.unit.test_ingest_data_sets import FILES as DATA_SETS
from tests.unit.test_ingest_exports import runs
from tests.unit.test_ingest_harnesses import FILES as HARNESSES
from tests.unit.test_ingest_item_forms import LAYOUTS
from tests.unit.test_ingest_message_trees import LAYOUTS as TREES
from tests.unit.test_ingest_model_call_logs import chained, gateway, gemini, openai
from tests.unit.test_ingest_platform_spans import rows, trace
from tests.unit.test_ingest_published_runs import invocations
from tests.unit.test_ingest_records import OPENAI, SHAPES, TOOL
from tests.unit.test_ingest_span_records import console, data_frame, phoenix
from tests.unit.test_ingest_stored_layouts import LAYOUTS as STORED
from tests.unit.test_ingest_stored_layouts import STREAMS
from tests.unit.test_ingest_turn_records import execution, turn
from tests.unit.test_ingest_written_steps import BROWSED

ODD: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, float("nan"), "", "x", "0", "[", "\ud800", [], [[]], [None],
    ["x", 3], {}, {"": None}, {"role": "user"}, {"type": "text", "text": 5}, "x" * 500,
]  # fmt: skip
"""What may stand where anything else should."""

BENCH = {
    "task_id": 3,
    "trial": 1,
    "question": "q",
    "response": "r",
    "reward": 0.5,
    "scores": {"match": {"value": "C", "explanation": "e"}},
    "ground_truth": ["g"],
    "metadata": {"user_id": "u", "model": {"name": "m"}},
    "created_at": "2026-09-01T08:00:00Z",
    "tools": [TOOL],
    "system_prompt": {"a": "s"},
    "traj": [*OPENAI, {"role": "x", "name": "n", "content": "c", "timestamp": 1_790_000_000}],
}
LOG = {
    "episode_id": "e",
    "app": "a",
    "tools": [TOOL],
    "outcome": {"name": "n", "value": 1, "target": {"kind": "response", "id": "r"}},
    "tg": {"ended_at": 5, "completeness": ["x"], "trace_ids": ["t"]},
    "messages": [{**m, "tg": {"time": 5, "usage": {"input_tokens": 1}}} for m in OPENAI],
}
LANGFUSE = {
    "trace": {
        "id": "t",
        "sessionId": "s",
        "metadata": {"resourceAttributes": {"service.name": "a"}},
        "scores": [{"id": "1", "name": "n", "value": 1, "source": "API", "timestamp": "2026"}],
    },
    "observations": [
        {
            "id": "o",
            "type": "GENERATION",
            "startTime": "2026-09-01T08:00:00Z",
            "input": OPENAI[:3],
            "output": OPENAI[3],
            "metadata": {"attributes": {"a": 1}, "scope": {"name": "s"}},
            "scores": [{"name": "m", "stringValue": "x", "dataType": "CORRECTION"}],
        }
    ],
}
FEEDBACK = {
    "id": "f", "run_id": "r", "trace_id": "t", "key": "k", "score": 1, "value": "v",
    "correction": {"a": 1}, "feedback_source": {"type": "api", "user_id": "u"}, "metadata": {"by": "x"},
}  # fmt: skip
AGENTS = [
    {"object": "trace", "id": "t", "group_id": "g", "workflow_name": "w", "metadata": {"a": 1}},
    {
        "object": "trace.span",
        "id": "s",
        "trace_id": "t",
        "started_at": "2026-09-01T08:00:00Z",
        "span_data": {
            "type": "generation",
            "input": OPENAI[:3],
            "output": [OPENAI[3]],
            "usage": {},
        },
    },
]
ATIF = {
    "schema_version": "ATIF-v1.7",
    "trajectory_id": "c",
    "agent": {"name": "a", "tool_definitions": [TOOL]},
    "steps": [
        {"source": "user", "message": [{"type": "text", "text": "hi"}]},
        {
            "source": "agent",
            "message": None,
            "timestamp": "2026-09-01T08:00:00Z",
            "tool_calls": [{"tool_call_id": "k", "function_name": "f", "arguments": {}}],
            "observation": {"results": [{"source_call_id": "k", "content": "r"}]},
            "metrics": {"prompt_tokens": 1},
        },
    ],
}
CALLED = {
    "function_name": "f",
    "tool_call_id": "k",
    "model_response": {
        "id": "r",
        "choices": [
            {"message": {"content": "c", "tool_calls": [{"id": "k", "function": {"name": "f", "arguments": "{}"}}]}}
        ],
    },
}  # fmt: skip
HANDS = {
    "instance_id": "i",
    "history": [
        event(0, action="system", args={"content": "s", "tools": [TOOL]}),
        event(1, source="user", action="message", args={"content": "m"}),
        event(2, action="run", args={"command": "c"}, tool_call_metadata=CALLED),
        event(3, observation="run", cause=2, content="o", success=True, tool_call_metadata=CALLED),
    ],
}
OTLP = {
    "resourceSpans": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "a"}}]},
            "scopeSpans": [
                {
                    "scope": {"name": "s"},
                    "spans": [
                        {
                            "traceId": "01" * 16,
                            "spanId": "02" * 8,
                            "name": "n",
                            "startTimeUnixNano": "1790000000000000000",
                            "attributes": [
                                {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}
                            ],
                            "events": [{"name": "e", "attributes": []}],
                            "status": {"code": 2},
                        }
                    ],
                }
            ],
        }
    ]
}
MINI = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": "t\n```bash\nls\n```"},
    {"role": "user", "content": "<returncode>0</returncode>"},
]
STEPS: list[Any] = [
    {
        "action": {
            "tool": "find",
            "toolInput": {"n": 1},
            "messageLog": [{"kwargs": {"content": "I look."}}],
        },
        "observation": "x",
    }
]
THOUGHTS: list[Any] = [
    {
        "thought": "t",
        "tool": "find;get",
        "tool_input": '{"find": {}, "get": {}}',
        "observation": '{"find": 1, "get": 2}',
    },
    {"thought": "a", "tool": "", "tool_input": "", "observation": ""},
]
NUMBERED = {"thought_0": "t", "tool_name_0": "find", "tool_args_0": {"n": 1}, "observation_0": 1}
TURNS = [
    turn(1, "q", "a", agent_thoughts=THOUGHTS, feedback={"rating": "like"}),
    turn(2, "r", "b", trajectory=NUMBERED),
]
FILES: dict[str, list[Any]] = {
    "chat log": [LOG],
    "benchmark": [BENCH],
    "records below a key": [{"info": {"model": "m"}, "results": [BENCH, BENCH]}],
    "records in a map": [{"a": {"messages": OPENAI}, "b": {"messages": OPENAI}}],
    "langfuse": [LANGFUSE],
    "langsmith": [{**runs()[0], "child_runs": runs()[1:]}, FEEDBACK],
    "openai agents": AGENTS,
    "claude code": session(),
    "atif": [ATIF],
    "swe-agent": [swe_agent()],
    "swe-agent's calls": [swe_agent(calls=True)],
    "mini-swe-agent": [{"messages": MINI, "info": {}, "trajectory_format": "mini-swe-agent-1"}],
    "mini-swe-agent's list": [MINI],
    "openhands": [openhands(), HANDS],
    "inspect": [inspect_log([sample(1), sample(2)])],
    "console spans": [console(span) for span in otel_genai().spans],
    "phoenix spans": [phoenix(span) for span in openinference().spans],
    "spans of a data frame": [data_frame(span) for span in openinference().spans],
    "otlp": [OTLP],
    **{
        f"model calls: {layout.__name__}": [
            layout(given, made, number) for number, (given, made) in enumerate(MODEL_CALLS)
        ]
        for layout in (openai, gateway, gemini, chained)
    },
    "a batch": [
        {"custom_id": "c", "body": {"model": "m", "messages": OPENAI[:2]}},
        {"custom_id": "c", "response": {"body": {"choices": [{"message": OPENAI[3]}]}}},
    ],
    "traces": [trace()],
    "typed spans": rows(),
    "turns": [TURNS, {"data": TURNS}],
    "invocations": invocations(),
    "n8n": [{"data": [execution(0, "q", "a", STEPS), execution(1, "r", "b", [])]}],
    **{f"forms: {layout.__name__}": [layout()] for layout in (*LAYOUTS, *STORED, *TREES)},
    **{f"harnesses: {name}": values for name, values in (HARNESSES | ACTING | DATA_SETS).items()},
    "templates": [WHOLE, PARTED],
    "browsed": [BROWSED],
    **{f"streams: {stream.__name__}": stream() for stream in STREAMS},
    **{f"messages: {name}": [{"n": 1, "turns": items}] for name, items in SHAPES.items()},
    **{f"lines: {name}": items for name, items in SHAPES.items()},
}


def places(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from places(inner, (*path, index))


@cache
def places_of(name: str) -> list[tuple[Any, ...]]:
    """Every place of a file."""
    return list(places(FILES[name]))


def changed(value: Json, path: tuple[Any, ...], new: Json) -> Json:
    """The value with another one in a place; where an earlier change took the place away, as it was."""
    if not path:
        return new
    key, *rest = path
    if isinstance(value, dict) and key in value:
        return {**value, key: changed(value[key], tuple(rest), new)}
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return [*value[:key], changed(value[key], tuple(rest), new), *value[key + 1 :]]
    return value


def read(path: Path) -> Decoded:
    """Everything in a file, by the decoder that lets faults through."""
    whole = Decoded()
    for number, record in enumerate(read_file(path)):
        if isinstance(record, Rejected):
            whole.rejected.append(record)
            continue
        stored = {one.name: getattr(record, one.name) for one in fields(record)}
        whole.add(decode(StoredRecord(seq=number, **stored)))
    return whole


def check(path: Path, *, may_be_empty: bool = False) -> None:
    """The file is read or refused, and what was read can be written down."""
    found = read(path)
    for refused in found.rejected:
        assert refused.reason.endswith(".")
        assert refused.position
        assert refused.code
    told = found.chats or found.spans or found.outcomes or found.rejected or found.events
    assert told or may_be_empty
    for chat in found.chats:
        to_line(chat.episode, chat.outcomes).encode()
        assert all(
            step.role in {"system", "user", "assistant", "tool"} for step in chat.episode.steps
        )
    for app in {span.app for span in found.spans}:
        assemble(found.spans, app=app)


def write(folder: str, values: Any, *, lines: bool) -> Path:  # noqa: ANN401 - a file's JSON
    """A file of lines, or one document."""
    path = Path(folder) / "odd.json"
    text = "\n".join(json.dumps(one) for one in values) if lines else json.dumps(values)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def test_every_format_is_here() -> None:
    """A row of the table without a file in this test would not be tested."""
    rows = {
        row.name
        for values in FILES.values()
        for value in values
        if (row := format_within(value)) is not None
    }
    assert {row.name for row in FORMATS} - rows == {"otlp_logs", "otlp_metrics"}


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_odd_values_anywhere(name: str, data: st.DataObject) -> None:
    """One, two or three values of a file are replaced by anything else."""
    values: Any = FILES[name]
    changes = st.tuples(st.sampled_from(places_of(name)), st.sampled_from(ODD))
    for path, new in data.draw(st.lists(changes, min_size=1, max_size=3)):
        values = changed(values, path, new)
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, values, lines=data.draw(st.booleans()))
        check(path, may_be_empty=name == "otlp")  # an export of nothing is a valid one


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_files_that_are_cut_anywhere(name: str, data: st.DataObject) -> None:
    """Every file may end anywhere, with one document or a line each."""
    values = FILES[name]
    lines = data.draw(st.booleans())
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, values, lines=lines)
        body = path.read_bytes()
        path.write_bytes(body[: data.draw(st.integers(1, len(body)))])
        check(path)
        list(explain(path))


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(
    st.recursive(
        st.sampled_from(ODD),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "messages",
                        "role",
                        "content",
                        "name",
                        "type",
                        "text",
                        "tool_calls",
                        "id",
                        "from",
                        "value",
                        "history",
                        "traj",
                        "score",
                        "trace",
                        "observations",
                        "steps",
                        "samples",
                        "eval",
                        "context",
                        "attributes",
                        "trajectory",
                        "action",
                        "args",
                    ]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_any_json_made_of_the_words_of_all_formats(value: Json) -> None:
    """What looks a little like many formats is read as one of them, or refused."""
    with tempfile.TemporaryDirectory() as folder:
        for lines in (True, False):
            path = write(folder, [value], lines=lines)
            check(path)
            list(explain(path))


def test_real_files_with_odd_values(real_data: Path, tmp_path: Path) -> None:
    """Each first record of a real collection with every kind of wrong value in each of its fields, one after the other."""
    folder = real_data / "collections"
    if not folder.is_dir():
        pytest.skip("the folder of real traces holds no collections")
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".json", ".jsonl", ".traj"}:
            text = path.read_text()
            try:
                value = json.loads(text)
            except ValueError:
                value = json.loads(text.split("\n", 1)[0])
            value = (
                value[:1]
                if isinstance(value, list) and "messages" in str(value[0])[:2000]
                else value
            )
            for number, place in enumerate(
                list(places(value))[:: max(1, len(list(places(value))) // 12)]
            ):
                odd = changed(value, place, ODD[number % len(ODD)])
                check(write(str(tmp_path), [odd], lines=True))
