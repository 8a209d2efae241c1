"""Tools that nobody defined: their definitions are made of the calls, and a rollout can call them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.task.attempt import Json
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.inferred_tools import ToolBook, is_from_calls, tools_from_calls
from synth.labels.label import Label
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world


def episode(
    name: str, *calls: tuple[str, Mapping[str, Json] | str], tools: tuple[str, ...] = ()
) -> CleanEpisode:
    """A conversation with these calls, all of which the tools answer."""
    steps = [CleanStep(role="user", content="Please look it up.")]
    for number, (tool, arguments) in enumerate(calls):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        made = CleanToolCall(call_id=f"c{number}", name=tool, arguments=text)
        steps += [
            CleanStep(role="assistant", tool_calls=(made,)),
            CleanStep(role="tool", call_id=made.call_id, content='{"ok": true}'),
        ]
    steps.append(CleanStep(role="assistant", content="Here it is."))
    return CleanEpisode(app="shop", episode_id=name, started_at=1, tools=tools, steps=tuple(steps))


def definitions(one: CleanEpisode) -> dict[str, Any]:
    """The functions of an episode's definitions, by name."""
    return {f["name"]: f for f in (json.loads(text)["function"] for text in one.tools)}


def test_types_and_what_every_call_gave_come_from_the_calls() -> None:
    """An argument that some call leaves out is optional; one with numbers and nothing takes both."""
    seen = [
        episode("a", ("find", {"city": "Ulm", "nights": 2, "near": None})),
        episode("b", ("find", {"city": "Bonn", "near": 3.5})),
    ]
    found = definitions(ToolBook(seen).completed(seen[0]))["find"]["parameters"]
    assert found["required"] == ["city", "near"]
    assert found["properties"]["nights"] == {"type": "integer"}
    assert found["properties"]["near"]["type"] == ["null", "number"]


def test_few_words_given_often_are_a_choice_and_names_are_none() -> None:
    """Two words in twenty calls are all there is; twenty cities are not."""
    seen = [
        episode(f"e{n}", ("book", {"class": "first" if n % 2 else "second", "city": f"town {n}"}))
        for n in range(20)
    ]
    found = definitions(ToolBook(seen).completed(seen[0]))["book"]["parameters"]["properties"]
    assert found["class"]["enum"] == ["first", "second"]
    assert "enum" not in found["city"]


def test_a_definition_that_anybody_sent_is_the_definition() -> None:
    """One conversation has the definition and the other has not: nothing is inferred."""
    sent = json.dumps(
        {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
    )
    seen = [
        episode("a", ("find", {"city": "Ulm"}), tools=(sent,)),
        episode("b", ("find", {"x": 1})),
    ]
    book = ToolBook(seen)
    assert [json.loads(text) for text in book.completed(seen[1]).tools] == [json.loads(sent)]
    assert book.completed(seen[0]) == seen[0]


def test_a_definition_without_parameters_gets_those_of_the_calls() -> None:
    """A workflow's node has a name and a sentence: an agent that is offered only these can give nothing."""
    sent = json.dumps({"type": "function", "function": {"name": "find", "description": "Finds."}})
    seen = [
        episode("a", ("find", {"city": "Ulm"}), tools=(sent,)),
        episode("b", ("find", {"city": "Bonn"})),
    ]
    for one in seen:
        found = definitions(ToolBook(seen).completed(one))["find"]
        assert found["description"] == "Finds."
        assert found["parameters"]["required"] == ["city"]


def test_without_definitions_an_agent_has_the_tools_of_all_its_conversations() -> None:
    """What this conversation did not need stands beside what it called: a rollout has the same choice."""
    seen = [episode("a", ("find", {})), episode("b", ("book", {}))]
    assert set(definitions(ToolBook(seen).completed(seen[0]))) == {"book", "find"}
    other = [replace(seen[0], agent="desk"), replace(seen[1], agent="kitchen")]
    assert set(definitions(ToolBook(other).completed(other[0]))) == {"find"}


def test_a_task_names_the_tools_that_were_inferred() -> None:
    """Its tools can be called, and its provenance says which of them nobody sent."""
    seen = [episode(f"e{n}", ("find", {"city": f"Ulm {n}"})) for n in range(4)]
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in seen}
    tasks = [c.task for c in derive_tasks(seen, labels, learn_world(seen, WorldSettings(risk=0)))]
    assert tasks
    for task in tasks:
        assert [is_from_calls(tool) for tool in task.tools] == [True]
        assert task.provenance["tools_from_calls"] == ["find"] == tools_from_calls(task.tools)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text(max_size=8), VALUES, max_size=4), min_size=1, max_size=30))
def test_every_recorded_call_fits_the_inferred_definition(calls: list[dict[str, Json]]) -> None:
    """Whatever the arguments were, the schema is valid and takes each of them."""
    seen = [episode(f"e{n}", ("tool", arguments)) for n, arguments in enumerate(calls)]
    schema = definitions(ToolBook(seen).completed(seen[0]))["tool"]["parameters"]
    jsonschema.Draft7Validator.check_schema(schema)
    for arguments in calls:
        jsonschema.validate(arguments, schema, cls=jsonschema.Draft7Validator)


def test_arguments_that_are_no_object_leave_a_tool_that_takes_anything() -> None:
    """Half a JSON text says nothing of the arguments; the tool can be called all the same."""
    seen = [episode("a", ("find", '{"city": "Ul'))]
    assert definitions(ToolBook(seen).completed(seen[0]))["find"]["parameters"]["type"] == "object"
