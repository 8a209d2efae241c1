"""Assembly in parts finds what assembly at once finds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ingest.assembly.assemble import Assembled, assemble
from ingest.assembly.assemble_stream import assemble_stream
from ingest.records.span import SPAN_SCHEMA, LogEvent, Span, span_row
from tests.unit.ingest_emitters import APP, EMITTERS, span


def tables(spans: Sequence[Span], size: int = 7) -> list[pa.Table]:
    """Rows as the lake gives them, a few at a time."""
    rows = [span_row(span) for span in spans]
    return [
        pa.Table.from_pylist(rows[at : at + size], SPAN_SCHEMA) for at in range(0, len(rows), size)
    ]


def in_parts(
    spans: Sequence[Span], events: Sequence[LogEvent], folder: Path, at_once: int
) -> Assembled:
    """All parts put together."""
    parts = list(
        assemble_stream(lambda: tables(spans), events, app=APP, scratch=folder, at_once=at_once)
    )
    whole = Assembled()
    for part in parts:
        whole.episodes += part.episodes
        whole.outcomes += part.outcomes
        whole.responses |= part.responses
        whole.spans_without_episode += part.spans_without_episode
    return whole


def same(one: Assembled, other: Assembled) -> bool:
    """Whether two assemblies say the same, in whatever order."""
    return (
        sorted(one.episodes, key=lambda e: e.episode_id)
        == sorted(other.episodes, key=lambda e: e.episode_id)
        and sorted(one.outcomes, key=lambda o: o.outcome_id)
        == sorted(other.outcomes, key=lambda o: o.outcome_id)
        and one.responses == other.responses
        and one.spans_without_episode == other.spans_without_episode
    )


UNNAMED = ("session.id", "gen_ai.conversation.id", "langfuse.session.id")


def copies(named: Iterable[int], count: int) -> tuple[list[Span], list[LogEvent]]:
    """Every emitter's dialogue several times, in traces and conversations of its own; some without a conversation id."""
    spans: list[Span] = []
    events: list[LogEvent] = []
    for number, (name, emit) in enumerate(EMITTERS.items()):
        for copy in range(count):
            sent = emit()
            trace = f"{number:016x}{copy:016x}"
            named_here = copy in named

            def attributes(
                given: Mapping[str, Any], mark: str = f"{name}-{copy}", keep: bool = named_here
            ) -> dict[str, Any]:
                return {
                    key: f"{value}-{mark}" if key in UNNAMED else value
                    for key, value in given.items()
                    if keep or key not in UNNAMED
                }

            for one in sent.spans:
                own = attributes(one.attributes)
                spans.append(replace(one, trace_id=trace, attributes=own))
            for event in sent.events:
                own = attributes(event.attributes)
                events.append(
                    replace(
                        event,
                        event_id=f"{event.event_id}-{name}-{copy}",
                        trace_id=event.trace_id and trace,
                        attributes=own,
                    )
                )
    return spans, events


@pytest.mark.parametrize("at_once", [1, 20_000, 1 << 30])
@pytest.mark.parametrize("named", [(0, 1, 2), (1,), ()])
def test_parts_are_the_whole(tmp_path: Path, at_once: int, named: tuple[int, ...]) -> None:
    """Every dialect, with and without conversation ids, in any order and any size of part."""
    spans, events = copies(named, 3)
    random.Random(at_once).shuffle(spans)  # noqa: S311 - an order, not a secret
    whole = assemble(spans, events, app=APP)
    assert len(whole.episodes) > 10
    assert same(in_parts(spans, events, tmp_path, at_once), whole)
    assert list(tmp_path.iterdir()) == []


def test_a_conversation_without_an_id_goes_on_over_parts(tmp_path: Path) -> None:
    """A trace that repeats another's whole history, or names its response, comes into the same part."""
    first, second = _turn(1, f"[{USER}]", "r1"), _turn(2, f"[{USER}, {HELLO}, {USER2}]", "r2")
    third = _turn(3, f"[{USER2}]", "r3", **{"gen_ai.request.previous_response.id": "r2"})
    spans = [third, second, first]
    whole = assemble(spans, app=APP)
    assert len(whole.episodes) == 1
    assert same(in_parts(spans, (), tmp_path, 1), whole)


def test_logged_calls_with_an_id_each_come_into_one_part(tmp_path: Path) -> None:
    """A proxy made the ids up, so that only the history says which calls are one conversation."""
    turns = [f"[{USER}]", f"[{USER}, {HELLO}, {USER2}]"]
    calls = [_turn(n, told, f"r{n}", **{"session.id": f"s{n}"}) for n, told in enumerate(turns)]
    spans = [replace(call, scope="model_calls") for call in reversed(calls)]
    whole = assemble(spans, app=APP)
    assert [one.conversation_id for one in whole.episodes] == ["s0"]
    assert same(in_parts(spans, (), tmp_path, 1), whole)


def test_an_outcome_finds_its_episode_in_another_part(tmp_path: Path) -> None:
    """A rating that names only the response joins the one episode that holds it."""
    rating = LogEvent(
        app=APP,
        event_id="e1",
        name="gen_ai.evaluation.result",
        at=9,
        attributes={
            "gen_ai.evaluation.name": "user_feedback",
            "gen_ai.evaluation.score.value": 1.0,
            "gen_ai.response.id": "r1",
        },
    )
    spans = [_turn(number, f"[{USER}]", f"r{number}") for number in range(1, 6)]
    whole = assemble(spans, [rating], app=APP)
    found = in_parts(spans, [rating], tmp_path, 1)
    assert [outcome.episode_id for outcome in found.outcomes] == [whole.outcomes[0].episode_id]
    assert found.outcomes[0].episode_id is not None


USER = '{"role":"user","parts":[{"type":"text","content":"where is it?"}]}'
HELLO = '{"role":"assistant","parts":[{"type":"text","content":"hello"}]}'
USER2 = '{"role":"user","parts":[{"type":"text","content":"and now?"}]}'


def _turn(number: int, history: str, response: str, **more: str) -> Span:
    return Span(
        app=APP,
        trace_id=f"{number:032x}",
        span_id=f"{number:016x}",
        started_at=1_760_000_000 * 10**9 + number,
        name="chat m",
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.response.id": response,
            "gen_ai.input.messages": history,
            "gen_ai.output.messages": f"[{HELLO}]",
            **more,
        },
    )


def test_how_an_agent_was_made_is_known_in_every_part(tmp_path: Path) -> None:
    """Its span lies in a trace of its own, and the conversations in other parts than that."""

    def asked(text: str, **more: str) -> Span:
        given = json.dumps([{"role": "user", "content": text}])
        made = json.dumps([{"role": "assistant", "content": "No."}])
        told = {"gen_ai.operation.name": "chat", "gen_ai.agent.id": "a1", **more}
        trace = f"{len(text):032x}"
        return span(
            2,
            {**told, "gen_ai.input.messages": given, "gen_ai.output.messages": made},
            trace_id=trace,
        )

    instructions = json.dumps([{"type": "text", "content": "Be kind."}])
    made = {"gen_ai.operation.name": "create_agent", "gen_ai.agent.id": "a1"}
    maker = span(1, {**made, "gen_ai.system_instructions": instructions}, trace_id="f" * 32)
    spans = [maker, *(asked("?" * n) for n in range(1, 20))]
    whole = assemble(spans, app=APP)
    assert {episode.steps[0].content for episode in whole.episodes} == {"Be kind."}
    assert same(in_parts(spans, [], tmp_path, 1024), whole)


def test_a_maker_that_arrived_twice_is_counted_once(tmp_path: Path) -> None:
    """A client that sends again what was taken already; the fuller of the two is the one that counts."""
    made = {"gen_ai.operation.name": "create_agent", "gen_ai.agent.id": "a1"}
    instructions = json.dumps([{"type": "text", "content": "Be kind."}])
    maker = span(1, {**made, "gen_ai.system_instructions": instructions}, trace_id="f" * 32)
    others = [
        span(2, {"gen_ai.operation.name": "chat", "n": "?" * n}, trace_id=f"{n:032x}")
        for n in range(1, 20)
    ]
    spans = [maker, replace(maker, attributes=made), *others]
    assert same(in_parts(spans, [], tmp_path, 1024), assemble(spans, app=APP))
