"""Calls that a gateway fails now and then: what is learnt does not hang on them, and refusals are not taken for such failures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.office.agenda_tasks import AGENDA
from benchmarks.worlds.enveloped import asked, behind_gateway
from environments.fidelity import VERDICTS
from environments.runtime.task.attempt import ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.world.unusable_answers import without_unusable
from synth.worlds import WorldSettings, learn_world

Called = tuple[str, str, str]
"""A tool, its one argument, and the answer; of the tool `user` what a user says."""
DOWN = "503, try again"


def episode(number: int, calls: Sequence[Called]) -> CleanEpisode:
    """A conversation with these calls."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "please"}]
    for at, (name, argument, content) in enumerate(calls):
        if name == "user":
            messages.append({"role": "user", "content": content})
            continue
        function = {"name": name, "arguments": f'{{"id": "{argument}"}}'}
        call = {"id": f"c{at}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": content})
    return to_episode(
        {
            "episode_id": f"e{number:03}",
            "app": "shop",
            "started_at": f"2026-05-01T1{number // 60}:{number % 60:02}:00+00:00",
            "messages": messages,
        }
    )


def looks(number: int) -> list[Called]:
    """Two records looked up."""
    order, customer = f"ORD-{number % 5}", f"CUS-{number % 3}"
    return [
        ("get_order", order, f'{{"id": "{order}", "total": {number % 5}}}'),
        ("get_customer", customer, f'{{"id": "{customer}", "name": "N{number % 3}"}}'),
    ]


def app(*odd: Sequence[Called]) -> list[CleanEpisode]:
    """Twenty plain conversations, and these."""
    return [episode(n, calls) for n, calls in enumerate([*map(looks, range(20)), *odd])]


def failing(number: int, text: str, *, times: int = 1) -> list[Called]:
    """A look that fails at first."""
    look = looks(number)[number % 2]
    return [*[(look[0], look[1], text)] * times, look]


def answers(episodes: Iterable[CleanEpisode]) -> list[str]:
    """All results of tools."""
    return [s.content or "" for e in episodes for s in e.steps if s.role == "tool"]


def test_a_failure_that_passes_when_the_call_is_made_again_is_left_out_of_what_is_learnt() -> None:
    """Also where an outage lasts, where the text has a number of its own, and where nobody tried again."""
    shown = app(
        failing(0, DOWN),
        failing(1, DOWN, times=3),
        failing(2, DOWN),
        *[failing(n, f"gateway request {n}71 timed out") for n in range(4)],
        [(*looks(3)[0][:2], DOWN)],
    )
    kept = without_unusable(shown)
    assert len(answers(shown)) - len(answers(kept)) == 10
    assert all("ORD" in told or "CUS" in told for told in answers(kept))
    learnt = learn_world(shown, WorldSettings())
    told = World(learnt.document).session().call("get_order", {"id": "ORD-3"})
    assert isinstance(told, ToolResult)
    assert told.content == '{"id": "ORD-3", "total": 3}'
    says = {tool.name: tool.says for tool in learnt.tools}
    assert "5 more calls are left out" in says["get_order"]
    assert "5 more calls are left out" in says["get_customer"]


def test_troubles_that_are_told_once_each_are_one() -> None:
    """A timeout, a rate limit and a server that is down, each gone when the call is made again; a refusal in such words that stays is none."""
    told = (
        "upstream timeout after 900 ms",
        "rate limit exceeded, retry later",
        "503 Service Unavailable",
    )
    errors = [f'{{"error": "{text}"}}' for text in told]
    assert len(answers(without_unusable(app(*[failing(n, e) for n, e in enumerate(errors)])))) == 43
    stays = [[(*looks(n)[n % 2][:2], e)] * 2 for n, e in enumerate(errors)]
    assert len(answers(without_unusable(app(*stays)))) == 46


def tour(*odd: tuple[int, str]) -> list[CleanEpisode]:
    """Twenty conversations with five tools, three at each request; these of their answers were otherwise, and nobody tried again."""
    names = ("get_order", "get_customer", "get_parcel", "get_invoice", "get_offer")
    made = [
        [(name, str(n // 3), f'{{"id": "{name[4:7]}-{n // 3}", "paid": true}}') for name in names]
        for n in range(20)
    ]
    for at, text in odd:
        name, argument, _ = made[at][at % 5]
        made[at][at % 5] = (name, argument, text)
    return [episode(n, calls) for n, calls in enumerate(made)]


def test_a_failure_that_most_tools_tell_is_left_out_although_nobody_tried_again() -> None:
    """Others who made the same calls were answered; an empty answer is no different."""
    for text in (DOWN, ""):
        shown = tour(*[(n, text) for n in (0, 4, 7, 11, 13, 18)])
        assert len(answers(without_unusable(shown))) == 94


def test_an_answer_about_what_was_asked_for_is_no_failure() -> None:
    """A machine that answers now and then names itself in what most tools tell: the record is there all the same."""
    names = ("get_order", "get_customer", "get_parcel", "get_invoice", "get_offer")
    odd = ((0, 0), (4, 4), (7, 2), (11, 1), (13, 3), (18, 3))
    shown = [
        [(t, f"R-{n // 3 + 10}", f'{{"id": "R-{n // 3 + 10}", "by": "eu-a"}}') for t in names]
        for n in range(20)
    ]
    for n, at in odd:
        tool, argument, told = shown[n][at]
        shown[n][at] = (tool, argument, told.replace("eu-a", "eu-b"))
    kept = without_unusable([episode(n, calls) for n, calls in enumerate(shown)])
    assert len(answers(kept)) == 100


def test_an_answer_that_the_recording_cut_is_left_out() -> None:
    """At any place where the tool's others are whole, else where several were cut at one length; other texts may begin with a bracket."""
    cut = ['{"id": "ord-1", "pa', '{"id": "off-4", "paid"... [truncated]']
    assert len(answers(without_unusable(tour((0, cut[0]), (5, cut[1]))))) == 98
    long = [episode(n, [("report", str(n), f'{{"rows": ["{n}'.ljust(40, "x"))]) for n in range(9)]
    assert not answers(without_unusable(long))
    for text in (
        "[c70{}] Ada Moss",
        "[2026-09-14 08:0{}] 1 item(s)\n- code: CS-04",
        '{{"a": {}}} rest',
    ):
        plain = [episode(n, [("note", str(n), text.format(n))]) for n in range(9)]
        assert len(answers(without_unusable(plain))) == 9


def done_twice(number: int) -> list[Called]:
    """Changes that fail the second time."""
    tool = "cancel_order" if number % 2 else "drop_customer"
    again = f'{{"error": "{number} is done already"}}'
    return [(tool, str(number), '{"ok": true}'), (tool, str(number), again)]


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param([failing(n, "no such id", times=2)[:2] for n in range(6)], id="it stays"),
        pytest.param([failing(2 * n, DOWN) for n in range(6)], id="one tool's own"),
        pytest.param([done_twice(n) for n in range(6)], id="done, then refused"),
        pytest.param(
            [
                [failing(n, "not approved")[0], ("user", "", "Approved."), failing(n, "")[1]]
                for n in range(6)
            ],
            id="the user helped",
        ),
        pytest.param([failing(n, "repeat to confirm") for n in range(60)], id="it is the rule"),
        pytest.param([failing(n, DOWN) for n in range(2)], id="twice only"),
    ],
)
def test_a_refusal_is_no_transient_failure(odd: list[list[Called]]) -> None:
    """It stays, it is one tool's, it comes after the deed, somebody helped, it is the rule, or it was seen too seldom."""
    shown = app(*odd)
    assert answers(without_unusable(shown)) == answers(shown)


def test_a_world_behind_a_gateway_that_fails_answers_as_one_that_was_learnt_without_it() -> None:
    """Failures that count as refusals hide what the tools do: an eighth of the answers would be left."""
    plain = [told.to_json() for told in asked(AGENDA, None, 0, flags=False)]
    found = [told.to_json() for told in behind_gateway(AGENDA, 0)]
    for one, other in zip(found, plain, strict=True):
        assert {k: one[k] for k in VERDICTS} == {k: other[k] for k in VERDICTS}
