"""Real request bodies, exports and chat logs, where `TRACEGYM_REAL_DATA` says that they lie."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from ingest.assembly.assemble import Assembled, assemble
from ingest.files.chat_log import Chat, to_line
from ingest.formats.format import Decoded
from ingest.records.episode import Episode, Step
from ingest.records.text import canonical_arguments
from tests.chat_line import parse_line
from tests.unit.exported_lines import decoded_below

CLIENTS = ("genai", "genai-events", "openinference", "traceloop", "langfuse")
SENDS_TOOLS = ("openinference", "traceloop", "langfuse")


@pytest.fixture
def real_data() -> Path:
    """The folder with real data."""
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("TRACEGYM_REAL_DATA does not name a folder with real telemetry")
    return Path(folder)


@cache
def decoded(path: Path) -> Decoded:
    """Everything below a path, decoded."""
    return decoded_below(path)


def assembled(path: Path) -> Assembled:
    """The episodes of one client's bodies."""
    found = decoded(path)
    assert found.rejected == []
    return assemble(found.spans, found.events, app=found.spans[0].app)


def written(real_data: Path) -> dict[str | None, Episode]:
    """The chat logs' episodes by the source's own id."""
    chats = decoded(real_data / "tau" / "airline.train.jsonl").chats
    return {chat.episode.conversation_id: chat.episode for chat in chats}


def told(step: Step) -> tuple[object, ...]:
    """What a step says."""
    calls = tuple((c.call_id, c.name, canonical_arguments(c.arguments)) for c in step.tool_calls)
    return step.role, step.content, calls, step.call_id, step.tool_name


@pytest.mark.parametrize("client", CLIENTS)
def test_real_clients_give_the_chat_logs_episodes(real_data: Path, client: str) -> None:
    """Bodies that five client libraries really sent become the recorded conversations, but for their last user message."""
    found = assembled(real_data / "otlp" / client)
    reference = written(real_data)
    assert len(found.episodes) == 2
    assert found.spans_without_episode == 0
    for episode in found.episodes:
        expected = reference[episode.conversation_id]
        assert [told(s) for s in episode.steps] == [told(s) for s in expected.steps[:-1]]
        assert episode.episode_id == expected.episode_id
        called = any(step.tool_calls for step in episode.steps)
        unsent = {"no_tool_definitions"} if called and client not in SENDS_TOOLS else set()
        assert set(episode.completeness) == {*expected.completeness, *unsent}
        if client in SENDS_TOOLS:
            assert episode.tools == expected.tools
        tokens = [s.output_tokens for s in episode.steps if s.role == "assistant"]
        assert all(count is not None and count > 0 for count in tokens)


@pytest.mark.parametrize("client", ["genai", "genai-events"])
def test_real_evaluation_events_are_joined(real_data: Path, client: str) -> None:
    """The span event that says how a conversation went finds its episode; who said it is not known."""
    found = assembled(real_data / "otlp" / client)
    assert [(o.name, o.value, o.by) for o in found.outcomes] == [("resolved", 0.0, "unknown")] * 2
    assert {o.episode_id for o in found.outcomes} == {e.episode_id for e in found.episodes}


def test_real_exports_give_whole_conversations(real_data: Path) -> None:
    """Each exported trace of thirteen frameworks is one episode with messages, and every score is kept."""
    for file in sorted((real_data / "langfuse").glob("*.json")):
        found = assembled(file)
        assert len(found.episodes) == 1, file.name
        assert any(step.content for step in found.episodes[0].steps), file.name
        assert {o.by for o in decoded(file).outcomes} <= {"model"}, file.name


def test_real_chat_logs_survive_the_round_trip(real_data: Path) -> None:
    """All recorded conversations are read, written and read again without a difference."""
    chats = decoded(real_data / "tau").chats
    assert len(chats) == 345
    assert decoded(real_data / "tau").rejected == []
    for chat in chats:
        again = parse_line(to_line(chat.episode, chat.outcomes), source="s", position="line 1")
        assert isinstance(again, Chat)
        assert again == chat


def test_real_messy_logs_name_what_is_missing(real_data: Path) -> None:
    """Blocked calls stay without a result and stray results without a call; none is bound to another's."""
    episodes = [c.episode for c in decoded(real_data / "tau" / "retail.train.jsonl").chats]
    orphans = [s for e in episodes for s in e.steps if s.role == "tool" and s.call_id is None]
    assert len(orphans) == 34
    assert sum("missing_results" in e.completeness for e in episodes) == 21
