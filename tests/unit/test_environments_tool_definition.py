"""Tool definitions of every shape: what arguments a tool takes is read where it is said, and nothing that is sent breaks the reader."""

from __future__ import annotations

import json
from typing import Any

import pytest

from environments.runtime.play.tool_schemas import complete_tool
from environments.runtime.task.tool_definition import (
    choices_of,
    definition_of,
    form_of,
    function_of,
    properties_of,
    read_definition,
    types_of,
)
from redact.records.clean_episode import CleanEpisode
from synth.world.observation import declared_forms
from synth.world.observation import histories as histories_of
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import workshop_episodes


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"integer", "null"}),
        ({"oneOf": [{"type": ["array"]}, {"enum": [None]}]}, {"array", "null"}),
        ({"allOf": [{"$ref": "#/$defs/Id"}, {"description": "which"}]}, {"string"}),
        ({"$ref": "#/$defs/Id"}, {"string"}),
        ({"$ref": "#/$defs/Loop"}, set()),
        ({"$ref": "#/$defs/Nobody"}, set()),
        ({"enum": ["a", 5, None, {"a": 1}, [2], True, 0.5]}, {"string", "integer", "null", "object", "array", "boolean", "number"}),
        ({"const": 5}, {"integer"}),
        ({"type": {"type": "string"}}, set()),
        ({"type": ["string", 5, None, ["x"]]}, {"string"}),
        ({"type": "str"}, set()),
        (True, set()),
        (False, set()),
        (None, set()),
        ([{"type": "string"}], set()),
        ("string", set()),
    ],
)  # fmt: skip
def test_the_types_of_an_argument_are_read_in_every_way_that_says_them(
    schema: Any,  # noqa: ANN401 - any JSON value
    types: set[str],
) -> None:
    """A list of types, alternatives, references and listed values all say types; everything else says nothing."""
    root: dict[str, Any] = {"$defs": {"Id": {"type": "string"}, "Loop": {"$ref": "#/$defs/Loop"}}}
    assert types_of(schema, root) == types


def test_null_beside_one_type_does_not_hide_it() -> None:
    """An optional argument has the form that it has where it is given."""
    assert form_of({"type": ["integer", "null"]}) == "integer"
    assert form_of({"anyOf": [{"type": "boolean"}, {"type": "null"}]}) == "boolean"
    assert form_of({"type": ["integer", "number"]}) == "number"
    assert not form_of({"type": ["integer", "string"]})


@pytest.mark.parametrize(
    "definition",
    [
        None, "show_bike", 5, [], {}, {"function": None}, {"function": "show_bike"}, {"function": {}}, {"name": None}, {"name": ["x"]},
        {"function": {"name": 5}}, {"type": "function", "function": {"name": ""}},
    ],
)  # fmt: skip
def test_what_has_no_name_is_no_definition(definition: Any) -> None:  # noqa: ANN401 - any JSON value
    """It is read as nothing, as JSON and as text."""
    assert function_of(definition) == {}
    assert read_definition(json.dumps(definition)) == {}


@pytest.mark.parametrize(
    "parameters",
    [
        None, True, [], "object", {"properties": None}, {"properties": []}, {"properties": "id"}, {"type": "object"},
        {"properties": {}, "required": {"id": True}}, {"$ref": "#"}, {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#"}}},
        {"anyOf": [True, None]}, {"$defs": []},
    ],
)  # fmt: skip
def test_parameters_of_any_shape_name_no_arguments(parameters: Any) -> None:  # noqa: ANN401 - any JSON value
    """A function stays a function whatever stands in the place of its parameters."""
    function = function_of({"function": {"name": "show", "parameters": parameters}})
    assert function["name"] == "show"
    assert properties_of(function) == {}
    json.dumps(complete_tool({"type": "function", "function": {**function}}))


def test_arguments_behind_a_reference_are_found() -> None:
    """Parameters may be a reference, and made of several parts."""
    function: dict[str, Any] = {
        "name": "show",
        "parameters": {
            "allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"deep": {"$ref": "#/$defs/Id"}}}],
            "$defs": {
                "Base": {"properties": {"id": {"type": ["string", "null"]}}},
                "Id": {"enum": [1, 2]},
            },
        },
    }
    found = properties_of(function)
    assert found == {"id": {"type": ["string", "null"]}, "deep": {"enum": [1, 2]}}
    assert choices_of(found["deep"]) == [1, 2]


def test_a_definition_nested_without_end_is_cut() -> None:
    """What stands deeper than anybody looks allows anything; the name and the arguments stay."""
    schema: Any = {"type": "string"}
    for _ in range(300):
        schema = {"properties": {"in": schema}}
    text = json.dumps({"function": {"name": "show", "parameters": schema}})
    function = read_definition(text)
    assert list(properties_of(function)) == ["in"]
    assert definition_of("[" * 100_000) == {}


def test_references_that_fan_out_are_cut_too() -> None:
    """Ten schemas that all name one another would be ten million when written out; consumers get what fits."""
    names = [f"S{n}" for n in range(10)]
    each = {"properties": {n: {"$ref": f"#/$defs/{n}"} for n in names}}
    tool: dict[str, Any] = {
        "function": {
            "name": "show",
            "parameters": {"$defs": dict.fromkeys(names, each), **each},
        }
    }
    written = json.dumps(complete_tool(tool))
    assert "$ref" not in written
    assert len(written) < 5_000_000


def test_a_world_learns_from_arguments_that_may_be_null() -> None:
    """A definition whose types are lists tells the form of its arguments as one whose types are words does."""

    def offered(kind: Any) -> list[CleanEpisode]:  # noqa: ANN401 - any JSON value
        parameters = {"properties": {"bike": {"type": kind}}}
        text = json.dumps({"function": {"name": "show_bike", "parameters": parameters}})
        episodes = workshop_episodes(6)
        return [_with_tools(one, text) for one in episodes]

    assert declared_forms(offered(["integer", "null"])) == {"show_bike": {"bike": "integer"}}
    assert declared_forms(offered("integer")) == {"show_bike": {"bike": "integer"}}
    assert declared_forms(offered(["integer", "array"])) == {}
    learnt = learn_world(offered(["string", "null"]), WorldSettings(risk=0))
    assert "show_bike" in learnt.document.to_json()["tools"]
    assert histories_of(offered(None))


def _with_tools(episode: CleanEpisode, *tools: str) -> CleanEpisode:
    values = {name: getattr(episode, name) for name in CleanEpisode.__slots__}
    return CleanEpisode(**{**values, "tools": tools})
