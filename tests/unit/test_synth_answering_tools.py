"""Agents that answer with a tool of their framework's say what it tells; tools that do something stay tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.attempts.answering_tools import IN_WORDS, in_words

Answer = Callable[[str], tuple[list[CleanStep], str]]
ANSWERS = (
    "It was sent on Monday.",
    "17",
    "Nobody knows where it is now.",
    "It was sent on Friday.",
)


def step(role: str, content: str | None = None, **fields: Any) -> CleanStep:  # noqa: ANN401 - a step's fields
    """One message."""
    return CleanStep(role=role, content=content, **fields)


def calling(name: str, arguments: dict[str, Any], call_id: str = "k9") -> CleanStep:
    """One call."""
    made = CleanToolCall(call_id=call_id, name=name, arguments=json.dumps(arguments))
    return step("assistant", tool_calls=(made,))


def episodes(
    *ends: list[CleanStep], tools: tuple[str, ...] = ("find", "finish")
) -> list[CleanEpisode]:
    """One episode for each end: a question, a look-up, then that."""
    looked = [
        step("user", "Where is it?"),
        calling("find", {"order": "A1"}, "k1"),
        step("tool", '{"state": "sent"}', call_id="k1"),
    ]
    return [
        CleanEpisode(
            app="shop",
            episode_id=str(number),
            started_at=number,
            tools=tuple(
                json.dumps({"type": "function", "function": {"name": tool}}) for tool in tools
            ),
            steps=(*looked, *end),
        )
        for number, end in enumerate(ends)
    ]


def said(result: Callable[[str], str | None], **more: Any) -> list[list[CleanStep]]:  # noqa: ANN401 - arguments
    """Ends in which `finish` tells the answer, with what the framework gives back."""
    return [
        [
            calling("finish", {"answer": text, **more}),
            *([] if result(text) is None else [step("tool", result(text), call_id="k9")]),
        ]
        for text in ANSWERS
    ]


@pytest.mark.parametrize(
    "ends",
    [
        said(lambda text: text),
        said(json.dumps),
        said(lambda _text: None),
        said(lambda _text: None, return_type="give_answer"),
        [
            [*end, step("assistant", text)]
            for end, text in zip(said(lambda t: t), ANSWERS, strict=True)
        ],
        [[*end, step("user", "Thanks, that is all.")] for end in said(lambda text: text)],
    ],
    ids=[
        "echo",
        "echo as JSON",
        "no result",
        "a constant beside it",
        "said again",
        "a user who ends",
    ],
)
def test_an_answer_by_tool_is_what_the_agent_says(ends: list[list[CleanStep]]) -> None:
    """The call is words, its result and its definition are gone, and everything else stays."""
    given = episodes(*ends)

    found = in_words(given)

    for before, after, text in zip(given, found, ANSWERS, strict=True):
        spoken = [s for s in after.steps if s.role == "assistant" and not s.tool_calls]
        assert [s.content for s in spoken] == [text]
        assert [c.name for s in after.steps for c in s.tool_calls] == ["find"]
        assert [json.loads(tool)["function"]["name"] for tool in after.tools] == ["find"]
        assert [s for s in after.steps if s.role == "user"] == [
            s for s in before.steps if s.role == "user"
        ]
        assert IN_WORDS in after.completeness


@pytest.mark.parametrize(
    "ends",
    [
        [
            [
                calling("finish", {"ticket": f"T{n}"}),
                step("tool", f'{{"closed": "T{n}"}}', call_id="k9"),
            ]
            for n in range(4)
        ],
        [
            [calling("finish", {"ticket": f"T{n}"}), step("tool", "ok", call_id="k9")]
            for n in range(4)
        ],
        [[calling("finish", {"queue": "billing"}), step("assistant", text)] for text in ANSWERS],
        [*said(lambda text: text)[:2], *([step("assistant", text)] for text in ANSWERS[2:])],
        said(lambda text: text)[:2],
        [
            [calling("finish", {"to": f"{n}@example.com", "body": text})]
            for n, text in enumerate(ANSWERS)
        ],
        [[calling("finish", {"answer": {"state": text}})] for text in ANSWERS],
    ],
    ids=[
        "a result of its own",
        "an id and an acknowledgement",
        "words after it",
        "half of the episodes",
        "two episodes",
        "somebody else is told",
        "an object",
    ],
)
def test_a_tool_that_does_something_stays_a_tool(ends: list[list[CleanStep]]) -> None:
    """A hand-over, a change, a mail: what only looks like an answer is not taken for one."""
    given = episodes(*ends)

    assert in_words(given) == given


def test_a_tool_that_acknowledges_every_sentence_is_heard() -> None:
    """A framework that says "done" to whatever it is told: sentences tell it from a change of one record."""
    texts = ("It was sent on Monday.", "Nobody knows where it is.", "It arrives on Friday noon.")
    ends = [
        [calling("finish", {"message": t}), step("tool", "Task done.", call_id="k9")] for t in texts
    ]

    assert [e.steps[-1].content for e in in_words(episodes(*ends))] == list(texts)


def test_a_last_call_that_tells_nothing_is_only_an_end() -> None:
    """Somebody gave up in one episode of five; in two, the agents may do something else with the tool."""
    gave_up = [calling("finish", {"return_type": "give_up"})]
    told = said(lambda _text: None, return_type="give_answer")

    found = in_words(episodes(*told, gave_up))
    assert [e.steps[-1].content for e in found] == [*ANSWERS, '{"state": "sent"}']
    assert [json.loads(t)["function"]["name"] for t in found[-1].tools] == ["find"]
    assert IN_WORDS in found[-1].completeness

    given = episodes(*told[:3], gave_up, gave_up)
    assert in_words(given) == given


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ('"It was sent."', "It was sent."),
        ("\u201cIt was sent.\u201d", "It was sent."),
        ("'It was sent.'", "It was sent."),
        ("'It's sent, isn't it?'", "'It's sent, isn't it?'"),
        ('"A1" or "A2"', '"A1" or "A2"'),
        ('"', '"'),
    ],
)
def test_quotes_around_an_answer_are_no_part_of_it(written: str, spoken: str) -> None:
    """One pair around all of it goes."""
    ends = [
        [calling("finish", {"answer": text}), step("tool", text, call_id="k9")]
        for text in (written, *ANSWERS)
    ]
    found = in_words(episodes(*ends))
    assert [e.steps[-1].content for e in found] == [spoken, *ANSWERS]
