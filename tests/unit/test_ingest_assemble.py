"""The hard cases of assembly, each on hand-made spans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ingest.assembly.assemble import assemble, known_episodes
from ingest.records.episode import episode_id_of
from ingest.records.span import Span, SpanLink
from tests.unit.assembled_calls import ANSWER, SYSTEM, USER, asks, call, gets, only, shape, tool
from tests.unit.ingest_emitters import (
    APP,
    MODEL_CALLS,
    SECOND,
    START,
    TURNS,
    otel_genai,
    span,
)


def test_repeated_history_is_kept_once() -> None:
    """A conversation of n model calls has every message once, not n times."""
    history = [SYSTEM]
    spans = []
    for number in range(20):
        history = [*history, {"role": "user", "content": f"question {number}"}]
        made = {"role": "assistant", "content": f"answer {number}"}
        spans.append(call(number, history, made))
        history = [*history, made]
    assert len(only(spans).steps) == 41


def test_a_trace_per_turn_is_joined_by_its_history() -> None:
    """Without a conversation id, a trace that repeats another's whole history goes on in it."""
    first = call(1, [SYSTEM, USER], ANSWER, trace_id="b" * 32)
    more = [SYSTEM, USER, ANSWER, {"role": "user", "content": "The last one."}]
    second = call(2, more, {"role": "assistant", "content": "Sent again."}, trace_id="c" * 32)
    episode = only([second, first])
    assert len(episode.steps) == 5
    assert episode.trace_ids == ("b" * 32, "c" * 32)


def test_a_doubtful_join_by_history_is_not_made() -> None:
    """Two conversations with one beginning: whose next turn a third trace is, nobody can say."""
    twins = [call(n, [SYSTEM, USER], ANSWER, trace_id=str(n) * 32) for n in (1, 2)]
    more = [SYSTEM, USER, ANSWER, {"role": "user", "content": "The last one."}]
    third = call(3, more, {"role": "assistant", "content": "Sent."}, trace_id="3" * 32)
    assert len(assemble([*twins, third], app=APP).episodes) == 3


def test_other_users_histories_are_never_joined() -> None:
    """Equal words of two users stay two conversations."""
    first = call(1, [SYSTEM, USER], ANSWER, trace_id="1" * 32, attributes={"user.id": "u1"})
    more = [SYSTEM, USER, ANSWER, {"role": "user", "content": "The last one."}]
    second = call(2, more, None, trace_id="2" * 32, attributes={"user.id": "u2"})
    assert len(assemble([first, second], app=APP).episodes) == 2


def test_a_job_that_links_to_a_conversation_is_none_of_its_own() -> None:
    """A summary that is written later, in a trace that names no conversation, is a call beside the one that it links to; work that was put off is the conversation's."""
    named = {"gen_ai.conversation.id": "c1"}
    agent = {"gen_ai.operation.name": "invoke_agent", **named}
    root = span(0, agent, trace_id="1" * 32)
    first = call(1, [SYSTEM, USER], ANSWER, trace_id="1" * 32, parent_id=root.span_id)
    link = SpanLink(trace_id="1" * 32, span_id=root.span_id)
    job = span(8, {}, trace_id="2" * 32, links=(link,))
    prompt = [{"role": "user", "content": "Summarise: Where is my order?"}]
    made = {"role": "assistant", "content": "About an order."}
    later = call(9, prompt, made, trace_id="2" * 32, parent_id=job.span_id)
    episode = only([root, first, job, later])
    assert [step.content for step in episode.steps][-1] == ANSWER["content"]
    assert "side_calls_left_out" in episode.completeness
    put_off = only([root, job, later])
    assert put_off.conversation_id == "c1"
    assert [step.content for step in put_off.steps][-1] == "About an order."


def test_one_trace_with_many_conversations() -> None:
    """A batch job under one root gives an episode for each conversation, with or without ids."""
    root = span(0, {}, ended_at=START + 99 * SECOND)
    turns = [{"role": "user", "content": f"case {n}"} for n in range(3)]
    made = [{"role": "assistant", "content": f"answer {n}"} for n in range(3)]
    unnamed = [call(n + 1, [SYSTEM, turns[n]], made[n], parent_id=root.span_id) for n in range(3)]
    named = [
        replace(one, attributes={**one.attributes, "gen_ai.conversation.id": f"c{n}"})
        for n, one in enumerate(unnamed)
    ]
    for spans in ([root, *unnamed], [root, *named]):
        episodes = assemble(spans, app=APP).episodes
        assert [len(episode.steps) for episode in episodes] == [3, 3, 3]
        assert len({episode.episode_id for episode in episodes}) == 3


def test_content_switched_off_gives_structure_only() -> None:
    """Without content the episode keeps calls, tools and tokens, says so, and invents no text."""
    spans = [
        span(1, {"gen_ai.operation.name": "chat", "gen_ai.usage.output_tokens": 5}),
        span(2, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find_order"}),
        span(3, {"gen_ai.operation.name": "chat", "gen_ai.usage.output_tokens": 7}),
    ]
    episode = only(spans)
    assert "no_content" in episode.completeness
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps] == [
        ("assistant", None, []),
        ("assistant", None, ["find_order"]),
        ("assistant", None, []),
    ]
    assert [s.output_tokens for s in episode.steps] == [5, None, 7]


def test_truncated_json_is_read_as_far_as_it_goes() -> None:
    """An attribute cut by a length limit gives the messages before the cut, and the sibling gives the rest."""
    whole = call(1, TURNS[:2], TURNS[2])
    text = str(whole.attributes["gen_ai.input.messages"])
    cut = replace(whole, attributes={**whole.attributes, "gen_ai.input.messages": text[:-12]})
    alone = only([cut])
    assert "truncated" in alone.completeness
    assert alone.steps[1].content is not None
    assert TURNS[1]["content"].startswith(alone.steps[1].content)
    both = only([cut, call(3, *MODEL_CALLS[1])])
    assert both.steps[1].content == TURNS[1]["content"]
    assert len(both.steps) == 5


def test_a_regenerated_answer_replaces_the_first_one() -> None:
    """The same request again gives one answer, the later one, and says so."""
    other = {"role": "assistant", "content": "Another answer."}
    episode = only([call(1, [SYSTEM, USER], ANSWER), call(2, [SYSTEM, USER], other)])
    assert shape(episode)[-1] == ("assistant", "Another answer.")
    assert episode.completeness == ("regenerated",)


def test_a_retry_after_an_error_leaves_no_trace_in_the_messages() -> None:
    """A failed request and its retry are one request."""
    failed = call(1, [SYSTEM, USER], None, status=2, attributes={"error.type": "429"})
    assert shape(only([failed, call(2, [SYSTEM, USER], ANSWER)])) == [
        ("system", "Be kind."),
        ("user", USER["content"]),
        ("assistant", ANSWER["content"]),
    ]


def test_two_instrumentations_of_one_call_are_one_call() -> None:
    """A framework's chat span around a provider's chat span counts once."""
    outer = call(1, [SYSTEM, USER], ANSWER)
    inner = call(2, [SYSTEM, USER], ANSWER, parent_id=outer.span_id)
    assert len(only([outer, inner]).steps) == 3


def test_a_side_call_with_a_prompt_of_its_own_is_left_out() -> None:
    """A guard that is shown the user's words is no part of the conversation; that it was there is named."""
    guard = call(
        1,
        [{"role": "system", "content": "Is this safe?"}, USER],
        {"role": "assistant", "content": "safe"},
    )
    main = [call(2, [SYSTEM, USER], ANSWER), call(3, [SYSTEM, USER, ANSWER, USER], ANSWER)]
    episode = only([guard, *main])
    assert shape(episode)[0] == ("system", "Be kind.")
    assert len(episode.steps) == 5
    assert episode.completeness == ("side_calls_left_out",)


def test_a_compacted_history_goes_on_after_its_last_known_message() -> None:
    """When the past is replaced by a summary, the steps before stay and only what is new is added."""
    turns = [SYSTEM, USER, ANSWER, {"role": "user", "content": "more"}]
    last = {"role": "assistant", "content": "the end of the first part"}
    summary = [
        SYSTEM,
        {"role": "user", "content": "Summary: invoice."},
        last,
        {"role": "user", "content": "and now?"},
    ]
    spans = [call(1, turns, last), call(2, summary, {"role": "assistant", "content": "now this"})]
    root = {"gen_ai.conversation.id": "c9"}
    episode = only([replace(s, attributes={**s.attributes, **root}) for s in spans])
    assert [text for _, text in shape(episode)][-3:] == [
        "the end of the first part",
        "and now?",
        "now this",
    ]
    assert "history_not_repeated" in episode.completeness


def test_a_late_earlier_span_keeps_the_episodes_id() -> None:
    """An episode without a conversation id keeps its id when a span from before its first one arrives."""
    spans = otel_genai().spans
    bare = [
        replace(
            s, attributes={k: v for k, v in s.attributes.items() if k != "gen_ai.conversation.id"}
        )
        for s in spans
    ]
    early = only(bare[2:])
    again = assemble(bare, app=APP, known=known_episodes([early])).episodes[0]
    assert again.episode_id == early.episode_id
    assert again.started_at < early.started_at
    named = assemble(spans, app=APP, known=known_episodes([early])).episodes[0]
    assert named.episode_id == early.episode_id
    assert only(spans).episode_id == episode_id_of(APP, "c1")


def test_consent_on_any_span_withholds_the_episode() -> None:
    """`do_not_train` on one span counts for the whole conversation."""
    spans = otel_genai().spans
    marked = replace(spans[0], attributes={**spans[0].attributes, "tracegym.do_not_train": True})
    assert not only(spans).do_not_train
    assert only([marked, *spans[1:]]).do_not_train


def test_spans_without_model_or_tool_make_no_episode() -> None:
    """A web server's spans are counted, not turned into conversations."""
    found = assemble([span(1, {"http.route": "/"}), span(2, {})], app=APP)
    assert (found.episodes, found.spans_without_episode) == ([], 2)


def test_other_apps_spans_are_not_looked_at() -> None:
    """Assembly is for one app at a time."""
    assert assemble([replace(call(1, [USER], ANSWER), app="other")], app=APP).episodes == []


def test_hostile_shapes_cost_no_square() -> None:
    """A chain of spans, a cycle, thousands of runs nobody asked for and of calls nobody answers stay cheap."""
    chain = [
        span(n, {"gen_ai.operation.name": "chat"}, parent_id=f"{n - 1:016x}")
        for n in range(1, 8000)
    ]
    cycle = [span(n, {}, parent_id=f"{9000 + (n + 1) % 5:016x}") for n in range(9000, 9005)]
    runs = [tool(n, "t", str(n), "r") for n in range(10_000, 14_000)]
    many = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "same", "function": {"name": "t", "arguments": "{}"}} for _ in range(4000)
        ],
    }
    calls = [call(20_000, [USER], many)]
    found = assemble([*chain, *cycle, *runs, *calls], app=APP)
    assert sum(len(s.tool_calls) for e in found.episodes for s in e.steps) == 8000


def two_asked() -> dict[str, Any]:
    """One answer that asks for two calls."""
    calls = [*asks("k1")["tool_calls"], *asks("k2", arguments='{"n": 2}')["tool_calls"]]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def test_a_history_that_tells_parallel_calls_apart_is_known_under_another_prompt() -> None:
    """Every such turn is one message; the agent that takes over goes on with all of them."""
    apart = [asks("k1"), asks("k2", arguments='{"n": 2}'), gets("k1", "one"), gets("k2", "two")]
    again = {"role": "user", "content": "And now?"}
    spans = [
        call(1, [SYSTEM, USER], two_asked()),
        call(2, [SYSTEM, USER, *apart], ANSWER),
        call(3, [SYSTEM, USER, *apart, ANSWER, again], two_asked()),
        call(4, [{"role": "system", "content": "Be brief."}, USER, *apart, ANSWER, again, *apart], ANSWER),
    ]  # fmt: skip
    episode = only(spans)
    turn = ["assistant", "tool", "tool", "assistant"]
    assert [s.role for s in episode.steps] == ["system", "user", *turn, "user", *turn]
    assert "branched" not in episode.completeness


def test_a_call_that_failed_says_nothing_of_the_tools_that_it_was_offered() -> None:
    """Some clients tell them in the answer alone; the turns without memory stay in order."""
    offered = {"gen_ai.conversation.id": "c1", "gen_ai.tool.definitions": '[{"name": "find"}]'}
    turns = [[{"role": "user", "content": text}] for text in ("One?", "Two?", "Three?")]
    failed = call(2, [SYSTEM, *turns[1]], None, attributes={"gen_ai.conversation.id": "c1"})
    spans = [
        call(1, [SYSTEM, *turns[0]], ANSWER, attributes=offered),
        failed,
        *(call(n, [SYSTEM, *turns[n - 2]], ANSWER, attributes=offered) for n in (3, 4)),
    ]
    asked = [s.content for s in only(spans).steps if s.role == "user"]
    assert asked == ["One?", "Two?", "Three?"]


def test_a_turn_without_memory_goes_to_whom_the_agent_handed_over() -> None:
    """Under the prompt of the last agent that spoke."""

    def of(number: int, agent: str, given: dict[str, Any], made: dict[str, Any]) -> Span:
        named = {"gen_ai.conversation.id": "c1", "gen_ai.agent.name": agent}
        prompt = {"role": "system", "content": f"You are the {agent}."}
        return call(number, [prompt, given], made, attributes=named)

    more = {"role": "user", "content": "And the other one?"}
    spans = [
        of(1, "desk", USER, asks("k1", "hand_over")),
        of(2, "clerk", gets("k1", "clerk"), ANSWER),
        of(3, "clerk", more, ANSWER),
    ]
    roles = [s.role for s in only(spans).steps]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]
