"""Planted values of every type, in every place and spelling: none survives the gate, and the leak check finds each."""

from dataclasses import replace

import pytest

from ingest.records.episode import Episode, Step, ToolCall
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.records.clean_episode import CleanEpisode
from tests.leak_hits import leaks_in
from tests.unit.canaries import CANARIES, HIDINGS, RECORD, survivors
from tests.unit.raw_conversations import SECRET, calls, episode, says


def past_the_gate(*episodes: Episode) -> list[CleanEpisode]:
    """The clean episodes."""
    policy = Policy()
    learnt = learn(episodes, (), policy=policy)
    vault = Vault(None, SECRET)
    return [one.clean for one in scrub(episodes, learnt=learnt, vault=vault, policy=policy)]


def texts_of(clean: CleanEpisode) -> list[str]:
    """Every text of a clean episode."""
    texts = [clean.agent or "", clean.model or "", clean.task_key or "", clean.subject or ""]
    texts += clean.tools
    for step in clean.steps:
        texts += [step.content or "", step.tool_name or "", step.call_id or "", step.agent or ""]
        texts += [step.parent or ""]
        texts += [part for c in step.tool_calls for part in (c.call_id, c.name, c.arguments)]
    return texts


@pytest.mark.parametrize("hiding", HIDINGS)
@pytest.mark.parametrize("kind", CANARIES)
def test_no_canary_survives_any_spelling(kind: str, hiding: str) -> None:
    """What her record says is gone from messages, however it is written there."""
    value = CANARIES[kind]
    hidden = HIDINGS[hiding](value)
    raw = episode("one", *calls("get_user", {}, RECORD), says("user", f"see {hidden} please"))
    text = past_the_gate(raw)[0].steps[-1].content or ""
    assert survivors(text, value) == []


@pytest.mark.parametrize("kind", CANARIES)
def test_no_canary_survives_any_place(kind: str) -> None:
    """Tool names, keys of objects, call ids, agents, models, errors, definitions: all are searched."""
    value = CANARIES[kind]
    call = ToolCall(call_id=f"call {value}", name=f"find {value}", arguments=f'{{"{value}": 1}}')
    raw = episode(
        "one",
        *calls("get_user", {}, RECORD),
        Step(role="assistant", tool_calls=(call,), agent=f"agent of {value}", parent=value),
        Step(role="tool", call_id=call.call_id, tool_name=call.name, content=f"error: {value}"),
    )
    raw = replace(
        raw,
        agent=value,
        model=f"tuned for {value}",
        task_key=value,
        subject=value,
        tools=(f'{{"type":"function","function":{{"name":"f","description":"as {value}"}}}}',),
    )
    left = [text for text in texts_of(past_the_gate(raw)[0]) if survivors(text, value)]
    assert left == []


@pytest.mark.parametrize("hiding", HIDINGS)
@pytest.mark.parametrize("kind", CANARIES)
def test_the_leak_check_finds_every_canary(kind: str, hiding: str) -> None:
    """The independent search sees each spelling that the gate would have to miss."""
    raw = episode("one", *calls("get_user", {}, RECORD))
    learnt = learn([raw], (), policy=Policy())
    text = f"see {HIDINGS[hiding](CANARIES[kind])} please"
    assert [leak.where for leak in leaks_in([("file", text)], learnt=learnt)][:1] == ["file"]


def test_values_shown_by_shape_need_no_record() -> None:
    """Checksummed and secret values in a message are removed though no tool returned them."""
    shown = [CANARIES[kind] for kind in ("email", "phone", "card", "iban", "ssn", "secret")]
    raw = episode("one", says("user", " and ".join(shown)))
    text = past_the_gate(raw)[0].steps[0].content or ""
    assert [value for value in shown if survivors(text, value)] == []
