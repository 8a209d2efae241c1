"""Values that the policy lists: telling one of its fees proves nothing, nor do the words around it."""

from __future__ import annotations

import pytest

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.tool_kinds import infer_tools
from synth.recordings.traits import traits_of
from synth.rubric.derive import derive_rubric

FEES = "Moving a booking is 25 in the last week, 60 on the last day."
NOTHING = "Moving a booking is free."


def attempt(policy: str) -> Facts:
    """A fee, asked for, looked up and told."""
    call = CleanToolCall(call_id="c", name="get_fee", arguments='{"booking": "B-17"}')
    steps = (
        CleanStep(role="system", content=policy),
        CleanStep(role="user", content="What would it cost to move booking B-17?"),
        CleanStep(role="assistant", tool_calls=(call,)),
        CleanStep(role="tool", call_id="c", content='{"booking": "B-17", "fee": 60}'),
        CleanStep(role="assistant", content="Moving this booking would cost 60 today."),
    )
    found = record(CleanEpisode(app="desk", episode_id="e", started_at=1, steps=steps))
    return facts_of(found, Label(resolved=True, confidence=0.98), infer_tools([found]))


@pytest.mark.parametrize(("policy", "told", "said"), [(FEES, False, False), (NOTHING, True, False)])
def test_words_do_not_stand_in_for_a_value_of_the_policy(
    policy: str, told: bool, said: bool
) -> None:
    """A value that only the tool knows has to be told; one that the policy lists leaves no proof in the words."""
    good = [attempt(policy)]
    derived = derive_rubric("t", good, traits_of(infer_tools([good[0].recorded]), [good]))
    paid = [c for c in derived.rubric.checks if c.role == "reward" and c.required]
    checks = {check.fn for check in paid if check.positive}
    assert ("told" in {fn.split("_")[0] for fn in checks}) is told
    assert ("said" in checks) is said
