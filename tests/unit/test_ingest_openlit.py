"""OpenLIT's prompts in lines and its calls in lists, and a conversation that only a function's arguments name."""

from __future__ import annotations

import json

import pytest

from ingest.assembly.assemble import assemble
from ingest.dialects.identity import identity
from ingest.dialects.otel_genai import read_content
from ingest.records.span import Span, SpanEvent
from ingest.records.text import Json
from tests.unit.ingest_emitters import APP, SECOND, START, span

FIRST = "system: Be kind.\nuser: Where do A and B lie?\nBoth: please."
RESULTS = '\nassistant: None\ntool: {"berth": "B4"}\ntool: gone: user: unknown'


def asked(number: int, prompt: str, said: str, **calls: str) -> Span:
    """A model call below its turn, with its content on the span and in events."""
    told = {
        "gen_ai.operation.name": "chat",
        "gen_ai.content.prompt": prompt,
        "gen_ai.content.completion": said,
        **{f"gen_ai.tool.{key.replace('__', '.')}": value for key, value in calls.items()},
    }
    events = (
        SpanEvent(name="gen_ai.content.prompt", at=START, attributes={"gen_ai.prompt": prompt}),
        SpanEvent(
            name="gen_ai.content.completion", at=START, attributes={"gen_ai.completion": said}
        ),
    )
    trace = f"{number // 10:032x}"
    return span(number, told, trace_id=trace, parent_id=f"{number // 10 * 10:016x}", events=events)


def turn(number: int, session: str) -> Span:
    """The function that began a trace."""
    given = {"function.kwargs": f"{{'session_id': '{session}', 'message': None}}"}
    ended = START + (number + 9) * SECOND
    return span(number, given, name="turn", trace_id=f"{number // 10:032x}", ended_at=ended)


ARGS = '{"ship": "A, C"}, {"ship": "B"}'


@pytest.mark.parametrize(
    ("args", "expected"), [(ARGS, [{"ship": "A, C"}, {"ship": "B"}]), ('{"ship": "A', [None, None])]
)
def test_prompts_in_lines_and_calls_in_lists(args: str, expected: list[Json]) -> None:
    """Calls in the past are no text there; what cannot be told apart is withheld."""
    sent = [
        turn(10, "s1"),
        asked(11, FIRST, "", name="find, find", args=args, call__id="c1, c2"),
        asked(12, FIRST + RESULTS, "A at B4."),
        turn(20, "s1"),
        asked(21, f"{FIRST}{RESULTS}\nassistant: A at B4.\nuser: Thanks.", "Bye."),
        # Its turn has not ended yet, and names nothing.
        asked(
            31,
            f"{FIRST}{RESULTS}\nassistant: A at B4.\nuser: Thanks.\nassistant: Bye.\nuser: Oh!",
            "?",
        ),
    ]
    (episode,) = assemble(sent, app=APP).episodes
    assert episode.conversation_id == "s1"
    assert [(step.role, step.content) for step in episode.steps] == [
        ("system", "Be kind."),
        ("user", "Where do A and B lie?\nBoth: please."),
        ("assistant", None),
        ("tool", '{"berth": "B4"}'),
        ("tool", "gone: user: unknown"),
        ("assistant", "A at B4."),
        ("user", "Thanks."),
        ("assistant", "Bye."),
        ("user", "Oh!"),
        ("assistant", "?"),
    ]
    calls = episode.steps[2].tool_calls
    assert [(c.call_id, c.name) for c in calls] == [("c1", "find"), ("c2", "find")]
    assert [json.loads(c.arguments) if c.arguments else None for c in calls] == expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({"gen_ai.tool.name": ["a", "b"], "gen_ai.tool.call.id": ["c1", "c2"]}, [("c1", "a"), ("c2", "b")]),
        ({"gen_ai.tool.call.id": "c1"}, []),
        ({"gen_ai.tool.name": ""}, []),
    ],
)  # fmt: skip
def test_calls_are_the_names_that_are_there(
    named: dict[str, Json], expected: list[tuple[str, str]]
) -> None:
    """A list is one already, and where no name is, no call is."""
    told = {**named, "gen_ai.tool.args": '{"ship": "A"}, {"ship": "B"}'}
    calls = [call for step in read_content(told).made.steps for call in step.tool_calls]
    assert [(call.call_id, call.name) for call in calls] == expected


NAMING: list[tuple[dict[str, Json], str | None]] = [
    ({"function.kwargs": "{'session_id': 's1'}"}, "s1"),
    ({"mlflow.spanInputs": '{"thread_id": "t1", "message": "Hello"}'}, "t1"),
    ({"traceloop.entity.input": '{"args": [], "kwargs": {"conversation_id": 7}}'}, "7"),
    ({"input.value": '{"session_id": "s2"}', "session.id": "s1"}, "s1"),
    ({"input.value": '{"order_id": "o1"}'}, None),
    ({"input.value": "Is session_id s1 mine?"}, None),
    ({"input.value": '{"messages": [{"session_id": "s1"}]}'}, None),
]


@pytest.mark.parametrize(("told", "expected"), NAMING)
def test_the_function_that_begins_a_trace_names_its_conversation(
    told: dict[str, Json], expected: str | None
) -> None:
    """After every attribute that does; a span below may be about any other."""
    assert identity(span(1, told))["conversation"] == expected
    below = identity(span(1, told, parent_id="f" * 16))["conversation"]
    assert below == ("s1" if "session.id" in told else None)
