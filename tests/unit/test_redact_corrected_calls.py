"""Calls in corrections: every shape that people write, and redaction that keeps them runnable."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ingest.records.outcome import Outcome
from redact.apply.learn import learn
from redact.apply.scrub import scrub, scrub_outcomes
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.corrections import CorrectedCall, calls_in, calls_text
from tests.unit.raw_conversations import PROFILE, SECRET, calls, profile_episode, says

CALL = {"name": "renew", "arguments": {"loan": "L-1"}}
EMPTY = (CorrectedCall("", "{}"),)
SAID = Outcome(
    app="app",
    outcome_id="o1",
    target_kind="episode",
    target_id="one",
    episode_id="",
    name="done_by_hand",
    by="business_record",
    source="table",
)


@pytest.mark.parametrize(
    "written",
    [
        CALL,
        [CALL],
        {"calls": [CALL]},
        {"tool_calls": [{"id": "a", "type": "function", "function": CALL}]},
        {"function": {"name": "renew", "arguments": '{"loan": "L-1"}'}},
        {"tool": "renew", "arguments": {"loan": "L-1"}},
    ],
)
def test_every_shape_of_a_call_is_read(written: object) -> None:
    """OpenAI's shapes with arguments as objects or texts, one call or a list, and `tool` for the name."""
    assert calls_in(json.dumps(written)) == (CorrectedCall("renew", '{"loan": "L-1"}'),)


@pytest.mark.parametrize(
    "written",
    [
        "renew the loan",
        '"renew"',
        "[]",
        "{",
        '{"answer": "renewed"}',
        '{"name": "Ann Lee"}',
        '{"name": "renew", "arguments": "L-1"}',
        json.dumps([CALL, {"note": "then closed the ticket"}]),
    ],
)
def test_what_names_no_calls_is_words(written: str) -> None:
    """Text, other JSON, and a list in which one entry is no call: that one may be the one that matters."""
    assert calls_in(written) is None


def test_the_kept_form_is_read_as_it_was_written() -> None:
    """Once kept, calls come back as they were."""
    read = calls_in(json.dumps({"calls": [CALL, CALL]})) or ()
    assert calls_in(calls_text(read)) == read


def test_a_call_gets_the_surrogates_of_its_episode_and_keeps_its_tool() -> None:
    """Ids, names and streets of the customer are what the episode calls them; a tool called like a person stays."""
    wanted = {
        "user_id": PROFILE["user_id"],
        "address1": "12 Larkspur Lane",
        "last_name": "Okafor",
        "shade": "Okra Green",
        "days": 3,
    }
    raw = profile_episode(
        says("user", "Thanks"), *calls("set_address", wanted, {"shade": "Okra Green"}, call_id="c2")
    )
    correction = {"calls": [{"name": "set_address", "arguments": wanted}]}
    outcome = replace(SAID, episode_id=raw.episode_id, correction=json.dumps(correction))
    learnt = learn([raw], [outcome], policy=Policy())
    vault = Vault(None, SECRET)
    clean = next(scrub([raw], learnt=learnt, vault=vault, policy=Policy())).clean
    made = [call for step in clean.steps for call in step.tool_calls][-1]
    done = next(scrub_outcomes([outcome], learnt=learnt, vault=vault, policy=Policy()))
    kept = (calls_in(done.correction) or EMPTY)[0]
    assert kept.name == made.name == "set_address"
    assert json.loads(kept.arguments) == json.loads(made.arguments)
    assert "okafor" not in kept.arguments.casefold()
    assert "larkspur" not in kept.arguments.casefold()
    assert json.loads(kept.arguments)["shade"] == "Okra Green"


def test_what_only_the_correction_names_is_replaced_too() -> None:
    """A person who does not stand in the conversation does not pass the gate in a call either."""
    raw = profile_episode()
    call = {"name": "send", "arguments": {"email": "quentin.varga@mail.example.com"}}
    outcome = replace(SAID, episode_id=raw.episode_id, correction=json.dumps(call))
    learnt = learn([raw], [outcome], policy=Policy())
    vault = Vault(None, SECRET)
    done = next(scrub_outcomes([outcome], learnt=learnt, vault=vault, policy=Policy()))
    assert "varga" not in (done.correction or "")
    assert (calls_in(done.correction) or EMPTY)[0].name == "send"


def test_without_redaction_calls_are_kept_in_the_one_form() -> None:
    """Data that was declared free of personal data keeps its values."""
    outcome = replace(SAID, episode_id="e", correction=json.dumps(CALL))
    off = Policy(enabled=False)
    learnt = learn([], [outcome], policy=off)
    vault = Vault(None, SECRET)
    done = next(scrub_outcomes([outcome], learnt=learnt, vault=vault, policy=off))
    assert done.correction == json.dumps([CALL])
