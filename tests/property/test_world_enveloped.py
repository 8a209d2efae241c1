"""Property: whatever a tool says, taking its envelopes off and putting them on again gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import Made, attempts
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.result_forms import FORMS
from benchmarks.worlds.enveloped import line_of, wrapped
from environments.runtime.views.envelopes import Enveloped
from synth.world.observation import histories
from synth.world.views.envelopes import learn_enveloped

TOOL = "get_ticket"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
LAYOUTS: tuple[Callable[[object], str], ...] = (
    json.dumps,
    lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    lambda value: json.dumps(value, separators=(",", ":")),
)


@cache
def _learnt(form: str) -> Enveloped:
    made = attempts(TICKETS)[:60]
    chats = [line_of(TICKETS, wrapped(a, FORMS[form]), flags=False) for a in made]
    found = learn_enveloped(histories([to_episode(chat) for chat in chats]))
    assert found
    return Enveloped(found)


@given(
    form=st.sampled_from(sorted(set(FORMS) - {"fence"})),
    told=st.sampled_from(sorted(FORMS)),
    value=VALUES | st.text(),
    layout=st.sampled_from(LAYOUTS),
    is_error=st.booleans(),
)
def test_an_envelope_comes_back_byte_for_byte(
    form: str, told: str, value: object, layout: Callable[[object], str], is_error: bool
) -> None:
    """Results in the learnt envelope, in another one and in none, of every layout."""
    content = value if isinstance(value, str) else layout(value)
    made = Made(name=TOOL, arguments={}, content=content, is_error=is_error)
    known = _learnt(form)
    for text in (content, FORMS[form](made), FORMS[told](made), FORMS[form](made) + " "):
        assert known.wrap(TOOL, known.unwrap(TOOL, text)) == text


@given(content=st.text() | VALUES.map(json.dumps))
def test_tools_without_envelopes_are_left_alone(content: str) -> None:
    """A tool that was never seen says what it says."""
    known = _learnt("ok and data")
    assert known.unwrap("another", content) == content == known.wrap("another", content)
