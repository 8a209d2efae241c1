"""One dialogue, many emitters: every dialect gives the same episode."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from ingest.assemble import assemble
from ingest.chat_log import Chat, parse_line
from ingest.episode import Episode, Step
from ingest.text import canonical_arguments
from tests.unit.ingest_emitters import APP, EMITTERS, TOOL, TURNS, Emitted


def told(step: Step) -> tuple[object, ...]:
    """What a step says, without times, tokens and names of agents."""
    calls = tuple((c.call_id, c.name, canonical_arguments(c.arguments)) for c in step.tool_calls)
    return step.role, step.content, calls, step.call_id, step.tool_name


def written() -> Episode:
    """The dialogue as a chat log holds it."""
    line = {"episode_id": "c1", "app": APP, "user_id": "u1", "tools": [TOOL], "messages": TURNS}
    chat = parse_line(json.dumps(line), source="s", position="line 1")
    assert isinstance(chat, Chat)
    return chat.episode


@pytest.mark.parametrize("emit", EMITTERS.values(), ids=EMITTERS.keys())
def test_every_dialect_gives_the_chat_logs_episode(emit: Callable[[], Emitted]) -> None:
    """Messages, calls, results, tools, ids, user and model are the same whichever client sent them."""
    sent = emit()
    found = assemble(sent.spans, sent.events, app=APP)
    expected = written()
    assert len(found.episodes) == 1
    episode = found.episodes[0]
    assert [told(step) for step in episode.steps] == [told(step) for step in expected.steps]
    assert episode.episode_id == expected.episode_id
    assert episode.conversation_id == "c1"
    assert episode.subject == "u1"
    assert episode.model == "m"
    assert episode.tools == expected.tools
    assert episode.completeness == ()
    assert [s.output_tokens for s in episode.steps if s.role == "assistant"] == [5, 5]


@pytest.mark.parametrize("emit", EMITTERS.values(), ids=EMITTERS.keys())
def test_order_of_arrival_and_duplicates_do_not_matter(emit: Callable[[], Emitted]) -> None:
    """Spans and events in any order, some of them twice, give the same episode."""
    sent = emit()
    expected = assemble(sent.spans, sent.events, app=APP).episodes
    shuffler = random.Random(7)  # noqa: S311 - shuffles, and always alike
    for _ in range(5):
        spans, events = sent.spans + sent.spans[::2], sent.events + sent.events[::2]
        shuffler.shuffle(spans)
        shuffler.shuffle(events)
        assert assemble(spans, events, app=APP).episodes == expected
