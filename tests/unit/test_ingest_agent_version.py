"""The agent's version: out of spans and their resource or a chat log, through the gate, and back into a line."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ingest.files.chat_log import Chat, to_line
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.chat_line import parse_line
from tests.unit.assembled_calls import ANSWER, SYSTEM, USER, call, only


@pytest.mark.parametrize(
    ("attributes", "resource", "version"),
    [
        ({"gen_ai.agent.version": "2.1"}, {"service.version": "9"}, "2.1"),
        ({}, {"service.version": "9"}, "9"),
        ({"langfuse.release": "v3"}, {}, "v3"),
        ({"gen_ai.agent.version": 4}, {}, "4"),
        ({}, {}, None),
    ],
)
def test_the_span_is_heard_before_its_service(
    attributes: dict[str, object], resource: dict[str, object], version: str | None
) -> None:
    """A service may run several agents."""
    one = call(1, [SYSTEM, USER], ANSWER, attributes=dict(attributes))
    assert only([replace(one, resource=resource)]).agent_version == version


def test_a_chat_log_names_it_and_it_passes_the_gate() -> None:
    """A line reads back equal; a version is nobody's, and one that holds somebody's address is replaced."""
    said = {"role": "user", "content": "I am Marisol Quackenbush, marisol@example.com. Hello."}
    given = [
        {"app": "a", "messages": [said], "agent_version": v} for v in ("2.1", "marisol@example.com")
    ]
    episodes = []
    for line in given:
        chat = parse_line(json.dumps(line), source="s", position="1")
        assert isinstance(chat, Chat)
        assert chat.episode.agent_version == line["agent_version"]
        again = parse_line(to_line(chat.episode), source="s", position="1")
        assert isinstance(again, Chat)
        assert again.episode.agent_version == line["agent_version"]
        episodes.append(chat.episode)
    policy, vault = Policy(), Vault(None, b"a secret of the tests, long enough")
    learnt = learn(episodes, (), policy=policy)
    plain, personal = [s.clean for s in scrub(episodes, learnt=learnt, vault=vault, policy=policy)]
    assert plain.agent_version == "2.1"
    assert personal.agent_version not in {None, "marisol@example.com"}
