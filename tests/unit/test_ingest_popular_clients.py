"""What common clients tell in places of their own: bodies in log events, parts without types, verdicts beside spans, calls beside agents."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ingest.assembly.assemble import Assembled, assemble
from ingest.dialects.messages import read_messages
from ingest.dialects.table import read_span
from ingest.records.episode import Episode
from ingest.records.span import LogEvent, Span, SpanEvent
from ingest.records.text import Json
from tests.unit.assembled_calls import ANSWER, SYSTEM, USER, call
from tests.unit.ingest_emitters import APP, START, span

TOOLS = [{"name": "dig", "input_schema": {"type": "object"}}]
DIG = {"type": "tool_use", "id": "t1", "name": "dig", "input": {"at": "B2"}}
DUG = {"type": "tool_result", "tool_use_id": "t1", "content": "a chest"}
ASKED = {"role": "user", "content": "Dig at B2."}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "s1"}


def of(episode: Episode) -> list[tuple[str, str | None, list[str]]]:
    """An episode's messages: who, what, and which tools are called."""
    return [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps]


def only(found: Assembled) -> Episode:
    """The one episode."""
    (episode,) = found.episodes
    return episode


def logged(at: int, name: str, **attributes: Json) -> LogEvent:
    """An event of one session, without a span."""
    held = {"session.id": "s1", **attributes}
    return LogEvent(app=APP, event_id=f"e{at}", name=name, at=START + at, attributes=held)


def body(at: int, side: str, source: str, told: dict[str, Any], *, cut: int = 0) -> LogEvent:
    """One side of a model call, whose text may be cut."""
    text = json.dumps(told)
    return logged(
        at, f"api_{side}_body", query_source=source, body=text[: len(text) - cut], model="m"
    )


def session(cut: int = 0) -> list[LogEvent]:
    """A session whose title another call finds meanwhile, and whose first request is sent twice."""
    more = {
        "system": [{"text": "x-anthropic-bill: 1"}, {"text": "Be brisk."}],
        "tools": TOOLS,
        "model": "m",
    }
    first = {"messages": [ASKED], **more}
    history = [
        ASKED,
        {"role": "assistant", "content": [DIG]},
        {"role": "user", "content": [DUG]},
    ]
    return [
        logged(0, "user_prompt", prompt="Dig at B2."),
        body(1, "request", "title", {"messages": [ASKED], "system": "Name it."}),
        body(2, "request", "main", first),
        body(3, "request", "main", first),
        body(4, "response", "title", {"role": "assistant", "content": "A dig"}),
        body(5, "response", "main", {"role": "assistant", "content": [DIG]}),
        logged(6, "tool_decision", tool_name="dig", tool_use_id="t1", decision="accept"),
        logged(7, "tool_result", tool_name="dig", tool_use_id="t1", success="true"),
        body(8, "request", "main", {"messages": history, **more}, cut=cut),
        body(9, "response", "main", {"role": "assistant", "content": "A chest."}),
    ]


def test_bodies_without_spans_tell_a_session() -> None:
    """A request and the next answer to the same part of the program are one call; letting a tool run is no verdict."""
    found = assemble([], session()[::-1], app=APP)
    assert of(only(found)) == [
        ("system", "Be brisk.", []),
        ("user", "Dig at B2.", []),
        ("assistant", None, ["dig"]),
        ("tool", "a chest", []),
        ("assistant", "A chest.", []),
    ]
    episode = only(found)
    assert (episode.conversation_id, episode.model, len(episode.tools)) == ("s1", "m", 1)
    assert found.outcomes == []


def test_requests_and_answers_stand_in_events_under_other_names() -> None:
    """Gemini's contents and candidates, which are left out where the convention's own events tell the session."""
    asked: dict[str, Any] = {"role": "user", "parts": [{"text": "Dig."}]}
    digs = {"role": "model", "parts": [{"functionCall": {"id": "k1", "name": "dig", "args": {}}}]}
    gave = {"functionResponse": {"id": "k1", "name": "dig", "response": {"output": "mud"}}}
    says: dict[str, Any] = {"role": "model", "parts": [{"text": "Mud."}]}
    history = [asked, digs, {"role": "user", "parts": [gave]}]
    told = [("api_request", [asked]), ("api_response", [{"content": digs}])]
    told += [("api_request", history), ("api_response", [{"content": says}])]
    events = [logged(1, "cli.user_prompt", prompt="Dig.")]
    for at, (name, one) in enumerate(told, 2):
        text = {f"{name.removeprefix('api_')}_text": json.dumps(one), "prompt_id": "p1"}
        events.append(logged(at, f"cli.{name}", **text))
    found = [
        ("user", "Dig.", []),
        ("assistant", None, ["dig"]),
        ("tool", "mud", []),
        ("assistant", "Mud.", []),
    ]
    assert of(only(assemble([], events, app=APP))) == found
    details: dict[str, Json] = {
        "gen_ai.input.messages": json.dumps([{"role": "user", "content": "Dig."}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "content": "Mud!"}]),
    }
    events.append(logged(9, "gen_ai.client.inference.operation.details", **details))
    texts = [text for _, text, _ in of(only(assemble([], events, app=APP)))]
    assert texts == ["Dig.", "Mud!"]


def test_a_session_with_a_cut_body_is_told_by_its_other_events() -> None:
    """These have the user's words and the calls, which half of the bodies would lack."""
    found = assemble([], session(cut=9), app=APP)
    assert of(only(found))[:2] == [("user", "Dig at B2.", []), ("assistant", None, ["dig"])]


def verdicts(events: list[LogEvent], *spans: Span) -> set[tuple[str, Json]]:
    """The outcomes of a conversation."""
    found = assemble([call(1, [SYSTEM, USER], ANSWER), *spans], events, app=APP)
    return {(one.name, one.label if one.value is None else one.value) for one in found.outcomes}


def test_a_survey_is_answered_in_words() -> None:
    """The word stands under a name that only says that it answers; one that judges nothing is no verdict."""
    for word, found in (("good", {("exit_survey", "good")}), ("dismissed", set())):
        event = logged(1, "exit_survey", survey_kind="session", response=word)
        assert verdicts([event]) == found


def test_evaluations_stand_in_a_spans_attributes_or_are_an_events_name() -> None:
    """Score, word and reason under one beginning; an event of the convention may be called after what was judged."""
    held = {"eval.goal.score": 0.5, "eval.goal.label": "partly", "eval.goal.explanation": "Late."}
    assert verdicts([], span(5, held)) == {("goal", 0.5)}
    event = logged(1, "gen_ai.evaluation.voting", **{"gen_ai.evaluation.score": 0.0})
    assert verdicts([event]) == {("voting", 0.0)}
    on_span = SpanEvent(name=event.name, at=START, attributes=event.attributes)
    assert verdicts([], span(5, {}, events=(on_span,))) == {("voting", 0.0)}


def chat(number: int, given: list[dict[str, Any]], said: str, **more: Json) -> Span:
    """A model call of one conversation, in a trace of its own."""
    made = [{"role": "assistant", "content": said}]
    held = {"gen_ai.input.messages": json.dumps(given), "gen_ai.output.messages": json.dumps(made)}
    return span(number, {**CHAT, **held, **more}, trace_id=f"{number:032x}")


def test_what_names_a_conversation_is_no_turn_of_its_agent() -> None:
    """It shares no message with the agent, and is offered none of its tools; a turn without memory is offered them."""
    tools = {"gen_ai.tool.definitions": json.dumps(TOOLS)}
    asked = [[SYSTEM, {"role": "user", "content": text}] for text in ("Dig.", "Dig more.")]
    naming = [{"role": "user", "content": "Name this: Dig."}]
    found = assemble(
        [
            chat(1, asked[0], "Dug.", **tools),
            chat(2, naming, "Digging"),
            chat(3, asked[1], "Dug more.", **tools),
        ],
        app=APP,
    )
    assert [text for role, text, _ in of(only(found)) if role == "assistant"] == [
        "Dug.",
        "Dug more.",
    ]
    assert "side_calls_left_out" in only(found).completeness


def test_parts_may_not_say_their_type() -> None:
    """A call has a name, arguments and an id, a result the id of its call; what was said beside calls is a thought there."""
    asking = {
        "content": [{"id": "k1", "name": "dig", "arguments": "{}"}],
        "thought": "I dig.",
        "finish_reason": "function_calls",
    }
    gave = [{"content": "a chest", "name": "dig", "call_id": "k1", "is_error": False}]
    history = [
        {"type": "UserMessage", "content": "Dig.", "source": "user"},
        {"type": "AssistantMessage", **asking},
        {"type": "FunctionExecutionResultMessage", "content": gave},
    ]
    told = read_messages([*history], role="user").steps
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in told] == [
        ("user", "Dig.", []),
        ("assistant", "I dig.", ["dig"]),
        ("tool", "a chest", []),
    ]
    assert told[2].call_id == "k1"
    assert told[1:2] == read_messages(asking, role="assistant").steps


def test_a_listed_thread_tells_what_was_answered_last() -> None:
    """From either end, and not again where the run told it; what was said in earlier turns is told."""

    def done(number: int, operation: str, *said: tuple[str, str]) -> Span:
        events = tuple(
            SpanEvent(name=f"gen_ai.{role}.message", at=START, attributes={"content": text})
            for role, text in said
        )
        held = {"gen_ai.operation.name": operation, "gen_ai.thread.id": "th1"}
        return span(number, held, events=events, trace_id=f"{number:032x}")

    turns = [
        *(("user", "Dig."), ("assistant", "Dug."), ("assistant", "A chest.")),
        *(("user", "Again."), ("assistant", "Dug.")),
    ]
    for way in (1, -1):
        spans = [
            done(1, "create_message", turns[0]),
            done(2, "process_thread_run", turns[1]),
            done(3, "list_messages", *turns[:3][::way]),
            done(4, "list_messages", *turns[:3][::way]),
            done(5, "create_message", turns[3]),
            done(6, "list_messages", *turns[:4]),
            done(7, "list_messages", *turns[::way]),
        ]
        found = of(only(assemble(spans, app=APP)))
        assert [(role, text) for role, text, _ in found] == turns


def test_results_are_handed_in_beside_the_run_that_asked() -> None:
    """Below it or beside it, one or several; the agent was made with tools; what was said beside calls is listed once."""

    def did(number: int, operation: str, *told: tuple[str, dict[str, Any]], above: int = 0) -> Span:
        events = tuple(
            SpanEvent(
                name=f"gen_ai.{role}.message",
                at=START,
                attributes={"gen_ai.event.content": json.dumps(content)},
            )
            for role, content in told
        )
        about = {} if operation == "create_agent" else {"gen_ai.thread.id": "th1"}
        held = {"gen_ai.operation.name": operation, "gen_ai.agent.id": "a1", **about}
        if operation == "create_message":
            del held["gen_ai.agent.id"]
        parent = f"{above:016x}" if above else None
        trace = f"{1 if operation == 'create_agent' else 2:032x}"
        return span(number, held, events=events, trace_id=trace, parent_id=parent)

    def asks(*ids: str, **more: Json) -> tuple[str, dict[str, Any]]:
        calls = [{"id": one, "function": {"name": "dig", "arguments": {}}} for one in ids]
        return "assistant", {"role": "assistant", "tool_calls": calls, **more}

    tools = [{"type": "function", "function": {"name": "dig", "parameters": {"type": "object"}}}]
    answer = ("assistant", {"content": {"text": {"value": "Two chests."}}})
    for above in (0, 4):
        spans = [
            did(1, "create_agent", ("system", {"content": "Be brisk.", "tools": tools})),
            did(2, "create_message", ("user", {"content": "Dig.", "role": "user"})),
            did(4, "process_thread_run", asks("k1", "k2", content="I dig."), asks("k3"), answer),
            did(5, "submit_tool_outputs", ("tool", {"content": "mud", "id": "k1"}), above=above),
            did(6, "submit_tool_outputs", ("tool", {"content": "a box", "id": "k2"}), above=above),
            did(7, "submit_tool_outputs", ("tool", {"content": "more", "id": "k3"}), above=above),
            did(8, "list_messages", answer, ("assistant", {"content": "I dig."}), ("user", {})),
        ]
        episode = only(assemble(spans, app=APP))
        assert of(episode) == [
            ("system", "Be brisk.", []),
            ("user", "Dig.", []),
            ("assistant", "I dig.", ["dig", "dig"]),
            ("tool", "mud", []),
            ("tool", "a box", []),
            ("assistant", None, ["dig"]),
            ("tool", "more", []),
            ("assistant", "Two chests.", []),
        ]
        assert [json.loads(one)["function"]["name"] for one in episode.tools] == ["dig"]


def test_a_tool_is_run_with_the_call_itself() -> None:
    """An id, a name and arguments are the call; a method that runs any tool is not its name."""
    given = {"args": {"at": "B2"}, "call_id": "k1", "cancellation_token": None}
    cases: list[tuple[str, Json, tuple[str | None, str, str]]] = [
        ("run_json", {**given, "name": "dig"}, ("k1", "dig", '{"at": "B2"}')),
        ("run_json", given, ("k1", "shovel", '{"at": "B2"}')),
        ("dig", {"at": "B2"}, (None, "dig", '{"at": "B2"}')),
        ("dig", {"call_id": "k1", "spot": "B2"}, (None, "dig", '{"call_id": "k1", "spot": "B2"}')),
    ]
    for function, inputs, expected in cases:
        held = {"Type": "TOOL", "Inputs": inputs, "Outputs": "mud", "FunctionName": function}
        told = {f"mlflow.span{key}": json.dumps(value) for key, value in held.items()}
        reading = read_span(replace(span(1, told), name="shovel"))
        assert (reading.call_id, reading.tool_name, reading.arguments) == expected


def test_an_evaluators_verdict_stands_in_its_attributes() -> None:
    """Its span hangs below the answer that it is about."""
    judge = {"openinference.span.kind": "EVALUATOR", "eval.user_feedback.score": 1.0}
    judge["eval.user_feedback.label"] = "thumbs-up"
    asked = chat(1, [{"role": "user", "content": "Dig."}], "Dug.")
    below = span(2, judge, parent_id=asked.span_id, trace_id=asked.trace_id)
    found = assemble([asked, below], app=APP)
    ((name, value, by, episode_id),) = [
        (one.name, one.value, one.by, one.episode_id) for one in found.outcomes
    ]
    assert (name, value, by) == ("user_feedback", 1.0, "end_user")
    assert episode_id == only(found).episode_id


def test_an_event_that_asks_users_may_have_no_name_of_its_own() -> None:
    """Its body, or a line beside its attributes, says what it is; a conversation has to be named."""
    held = {"log_type": "feedback", "score": 0, "session_id": "s1", "text": "", "run_id": "r1"}
    bare = replace(logged(1, "", **{"session.id": None}), body=held)
    line = replace(logged(1, "app.logger", rating="thumbs_down"), body="User feedback received")
    asked = chat(1, [{"role": "user", "content": "Dig."}], "Dug.")
    for event, found in (
        (bare, [("feedback.score", 0.0, None)]),
        (replace(bare, body=json.dumps(held)), [("feedback.score", 0.0, None)]),
        (replace(bare, trace_id="9" * 32, span_id="9" * 16), [("feedback.score", 0.0, None)]),
        (replace(bare, body={**held, "session_id": None}), []),
        (line, [("User feedback received.rating", None, "thumbs_down")]),
        (replace(line, body="Shipment received"), []),
    ):
        said = assemble([asked], [event], app=APP)
        assert [(one.name, one.value, one.label) for one in said.outcomes] == found
        assert all(one.episode_id == only(said).episode_id for one in said.outcomes)


def test_steps_of_a_loop_say_what_they_are_under_their_clients_name() -> None:
    """The span around them has the history and the last answer; each step has its own."""
    root = chat(1, [{"role": "user", "content": "Dig."}], "Dug.")
    calls = [{"toolCallId": "k1", "toolName": "dig", "input": {"at": "B2"}}]
    told = ({"text": "I dig.", "toolCalls": calls}, {"text": "Dug.", "toolCalls": []})
    steps = [
        span(
            n,
            {"mastra.span.type": "model_step", "mastra.model_step.output": json.dumps(one)},
            parent_id=root.span_id,
            trace_id=root.trace_id,
        )
        for n, one in zip((2, 4), told, strict=True)
    ]
    ran = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "dig"}
    ran |= {"gen_ai.tool.call.id": "k1", "gen_ai.tool.call.result": "mud"}
    run = span(3, ran, parent_id=steps[0].span_id, trace_id=root.trace_id)
    assert of(only(assemble([root, *steps, run], app=APP))) == [
        ("user", "Dig.", []),
        ("assistant", "I dig.", ["dig"]),
        ("tool", "mud", []),
        ("assistant", "Dug.", []),
    ]


def test_results_of_gemini_stand_in_an_object_in_any_convention() -> None:
    """Its API asks for the object; another provider's tool gave it."""
    part = {"type": "tool_call_response", "id": "k1", "response": '{"output": "mud"}'}
    given = [{"role": "user", "parts": [part]}]
    for provider, text in (("gcp.gen_ai", "mud"), ("openai", '{"output": "mud"}')):
        reading = read_span(chat(1, given, "Dug.", **{"gen_ai.provider.name": provider}))
        assert [(s.role, s.content) for s in reading.input] == [("tool", text)]


def prose(given: list[dict[str, Any]], said: str, number: int, agent: Span) -> Span:
    """A model call below an agent, which calls tools in prose."""
    sides = {"input": given, "output": [{"role": "assistant", "content": said}]}
    held = {
        f"llm.{side}_messages.{n}.message.{key}": value
        for side, told in sides.items()
        for n, one in enumerate(told)
        for key, value in one.items()
    }
    kind = {"openinference.span.kind": "LLM"}
    return span(number, {**kind, **held}, parent_id=agent.span_id)


def test_agents_after_one_another_call_in_prose() -> None:
    """A run without an id is the agent's whose call it was; a prompt offers tools in lines."""
    offered = "Tool Name: dig\nTool Arguments: {'at': {'type': 'str'}}\nTool Description: Digs.\n"
    spans = [span(0, {"openinference.span.kind": "CHAIN"})]
    for n, who in ((10, "digger"), (20, "reader")):
        agent = span(
            n,
            {"openinference.span.kind": "AGENT", "agent.name": who},
            parent_id=spans[0].span_id,
        )
        tool = "> Tool Name: read\nTool Description: Reads.\nTool Args: {}\n"
        system = {"role": "system", "content": f"You are {who}.\n{offered}{tool}"}
        asked = [system, {"role": "user", "content": f"Dig, {who}.\n\nThought:"}]
        name = {"digger": "dig", "reader": "read"}[who]
        call = f'Thought: I {name}.\nAction: {name}\nAction Input: {{"at": "{who}"}}'
        ran = {
            "openinference.span.kind": "TOOL",
            "tool.name": name,
            "input.value": f'{{"at": "{who}"}}',
            "output.value": "a chest",
        }
        done = {"role": "assistant", "content": f"{call}\nObservation: a chest"}
        spans += [
            agent,
            prose(asked, call, n + 1, agent),
            span(n + 2, ran, parent_id=agent.span_id),
            prose([*asked, done], "Thought: I know.\nFinal Answer: A chest.", n + 3, agent),
        ]
    episode = only(assemble(spans, app=APP))
    assert [c.arguments for s in episode.steps for c in s.tool_calls] == [
        '{"at": "digger"}',
        '{"at": "reader"}',
    ]
    tools = {one["function"]["name"]: one["function"] for one in map(json.loads, episode.tools)}
    assert tools["dig"]["description"] == "Digs."
    assert tools["dig"]["parameters"]["properties"] == {"at": {"type": "string"}}
    assert set(tools) == {"dig", "read"}


def test_a_request_below_a_call_tells_the_calls_of_its_history() -> None:
    """Where all else is alike; here calls of turns whose own spans were not kept, in Python's notation."""
    sent: list[dict[str, Any]] = [
        SYSTEM,
        ASKED,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "k1", "function": {"name": "dig", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "k1", "content": "a chest"},
    ]
    for last, calls in ((sent[3], ["dig"]), ({**sent[3], "content": "a coin"}, [])):
        held: dict[str, Any] = {"llm.request.type": "completion"}
        for n, one in enumerate(sent):
            told = {key: one.get(key) for key in ("role", "content") if one.get(key)}
            held |= {f"gen_ai.prompt.{n}.{key}": value for key, value in told.items()}
        held |= {
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "A chest.",
        }
        above = span(1, held)
        raw = {"llm.maker.messages": repr([*sent[:3], last]), "llm.maker.model": "m"}
        episode = only(assemble([above, span(2, raw, parent_id=above.span_id)], app=APP))
        assert [c.name for s in episode.steps for c in s.tool_calls] == calls


def test_what_another_agent_did_is_told_as_it_was() -> None:
    """The kit writes it into the user's place in words; the agent that takes over goes on in the conversation."""
    root = span(0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"})
    context = [
        "[desk] called tool `hand_over` with parameters: {'to': 'digger'}",
        "[desk] `hand_over` tool returned result: {'result': None}",
        "[desk] said: Wait.",
    ]
    parts = [{"role": "user", "parts": [{"text": "For context:"}, {"text": t}]} for t in context]
    calls = [
        (["Dig."], [], {"function_call": {"name": "hand_over", "args": {"to": "digger"}}}, "desk"),
        (["Dig."], parts, {"text": "Dug."}, "digger"),
    ]
    spans = [root]
    for n, (asked, more, made, who) in enumerate(calls):
        contents = [{"role": "user", "parts": [{"text": text}]} for text in asked]
        request = {"contents": contents + more, "config": {"system_instruction": who}}
        above = spans[-1].span_id
        agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": who}
        told = {
            "gcp.vertex.agent.llm_request": json.dumps(request),
            "gcp.vertex.agent.llm_response": json.dumps(
                {"content": {"role": "model", "parts": [made]}}
            ),
        }
        ended = START + 900_000_000_000 - n
        spans += [
            span(2 * n + 1, agent, parent_id=above, ended_at=ended),
            span(
                2 * n + 2,
                told,
                parent_id=f"{2 * n + 1:016x}",
                scope="gcp.vertex.agent",
                ended_at=ended,
            ),
        ]
    episode = only(assemble(spans, app=APP))
    assert of(episode) == [
        ("system", "desk", []),
        ("user", "Dig.", []),
        ("assistant", None, ["hand_over"]),
        ("tool", "null", []),
        ("assistant", "Wait.", []),
        ("assistant", "Dug.", []),
    ]
    assert episode.steps[-1].agent == "digger"
    assert [one.at or 0 for one in episode.steps] == sorted(one.at or 0 for one in episode.steps)
