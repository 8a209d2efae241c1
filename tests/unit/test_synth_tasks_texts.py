"""Tasks in which something is written: any wording with the same facts is paid, another fact or another text is not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from environments.describe_check import describe
from environments.judges.question import Question
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.task import Task
from environments.runtime.world.world import World
from environments.verification.judge_checks import WORDING, JudgeSays, verify_judged
from environments.verify import ACCEPTED, NEEDS_REVIEW, verify
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

TOOLS = tuple(
    json.dumps({"type": "function", "function": {"name": n, "description": d, "parameters": {}}})
    for n, d in (
        ("get_lesson", "Shows a lesson."),
        ("send_note", "Sends a note to somebody."),
    )
)
LESSONS = (
    ("Mia", "butterfly", "Your butterfly lesson L-301 starts at 14:15 in lane 3."),
    ("Ben", "diving", "L-302, the diving lesson, begins at 15:30; please come to lane 4."),
    ("Zoe", "backstroke", "Backstroke with L-303 is on at 16:45 today, lane 5, see you."),
    ("Tom", "lifesaving", "We meet for lifesaving (L-304) at 17:00. Lane 6 is ours."),
)


def step(name: str, arguments: Mapping[str, Json], result: str) -> list[CleanStep]:
    """A call with its result."""
    made = CleanToolCall(call_id=f"c-{name}", name=name, arguments=json.dumps(arguments))
    return [
        CleanStep(role="assistant", tool_calls=(made,)),
        CleanStep(role="tool", call_id=made.call_id, content=result),
    ]


def noted(name: str, number: int, text: str, *, ask: str = "") -> CleanEpisode:
    """A lesson is looked up, and its pupil gets a note about it."""
    who, kind, _ = LESSONS[number]
    lesson, time = f"L-{301 + number}", ("14:15", "15:30", "16:45", "17:00")[number]
    shown = {"lesson": lesson, "kind": kind, "starts": time, "lane": 3 + number}
    asked = ask or f"Let {who} know when and in which lane {lesson} takes place."
    steps = [
        CleanStep(role="user", content=asked),
        *step("get_lesson", {"lesson": lesson}, json.dumps(shown)),
        *step("send_note", {"to": who, "text": text}, json.dumps({"sent": True, "to": who})),
        CleanStep(role="assistant", content="The note is on its way."),
    ]
    return CleanEpisode(
        app="pool",
        episode_id=name,
        started_at=1,
        task_key=f"note-{number}{ask[:4]}",
        tools=TOOLS,
        steps=tuple(steps),
    )


def learnt(episodes: Sequence[CleanEpisode]) -> tuple[list[Candidate], World]:
    """All resolved."""
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    found = learn_world(episodes, WorldSettings(risk=0))
    return derive_tasks(episodes, labels, found), World(found.document)


@pytest.fixture(scope="module")
def app() -> tuple[list[Candidate], World]:
    """Four tasks, each solved once."""
    return learnt([noted(f"e{n}", n, text) for n, (_, _, text) in enumerate(LESSONS)])


def paid(app: tuple[list[Candidate], World], text: str, number: int = 0) -> float | None:
    """What the task pays who sends another text."""
    candidates, world = app
    one = candidates[number]
    run = run_actions(one.task, world, record(noted("x", number, text)).actions)
    return evaluate(one.rubric, run, task_version="v").reward


def test_the_same_facts_in_other_words_are_paid(app: tuple[list[Candidate], World]) -> None:
    """In another order, and with the time written otherwise."""
    assert paid(app, LESSONS[0][2]) == 1.0
    assert paid(app, "Mia, come to lane three at 2:15 pm, L-301 is your butterfly lesson!") == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Your butterfly lesson L-301 starts at 14:45 in lane 3.",
        "Your butterfly lesson L-301 starts at 14:15 in lane 5.",
        "Your butterfly lesson L-309 starts at 14:15 in lane 3.",
        "Your butterfly lesson is soon.",
        "Your butterfly lesson L-301 starts at 14:15 in lane 3, that is 99.95.",
        LESSONS[1][2],
    ],
)
def test_another_fact_in_the_text_is_not_paid(
    app: tuple[list[Candidate], World], text: str
) -> None:
    """A false time, lane or id, a fact that is missing, one that nobody said, another task's text."""
    assert paid(app, text) == 0.0


def test_the_gate_tries_other_facts_and_no_other_wording(
    app: tuple[list[Candidate], World],
) -> None:
    """The task is accepted, its figures were falsified, and a letter more was no attack."""
    candidates, world = app
    found = verify(candidates[0], others=candidates, run=lambda t, a: run_actions(t, world, a))
    assert (found.status, found.reasons) == (ACCEPTED, ())
    probes = {one.name: one for one in found.probes}
    assert probes["changes_1_text_falsified"].reward == 0.0
    assert probes["changes_1_text"].reward == 0.0


def test_a_line_above_the_text_may_say_anything_the_text_may_not() -> None:
    """Resolved mails have any subject; what has to be told stands in the body."""
    mails = [
        replace(
            one,
            steps=tuple(
                replace(
                    step,
                    tool_calls=tuple(
                        replace(
                            c, arguments=json.dumps({**json.loads(c.arguments), "title": title})
                        )
                        if c.name == "send_note"
                        else c
                        for c in step.tool_calls
                    ),
                )
                for step in one.steps
            ),
        )
        for (n, (_, _, text)), title in zip(
            enumerate(LESSONS),
            ("Swimming for you", "All about it", "As was asked", "News of today"),
            strict=True,
        )
        for one in [noted(f"e{n}", n, text)]
    ]
    candidates, world = learnt(mails)
    found = verify(candidates[0], others=candidates, run=lambda t, a: run_actions(t, world, a))
    probes = {one.name: one for one in found.probes}
    assert (found.status, found.reasons) == (ACCEPTED, ())
    assert probes["changes_1_text"].reward == 0.0
    assert "changes_1_title" not in probes


def test_what_one_text_must_hold_is_one_line_per_fact(app: tuple[list[Candidate], World]) -> None:
    """As a person reads it."""
    says = [
        describe(check)
        for check in app[0][0].rubric.checks
        if check.check_id.startswith("text_holds")
    ]
    for fact in ("l-301", "14:15"):
        assert (
            f"The agent gives send_note, as “text”, a text with these facts in any form: {fact}."
            in says
        )


DICTATED = "Lesson is off, sorry."
ASK = f"Tell Mia this about L-301: {DICTATED}"


def test_a_dictated_text_keeps_every_word() -> None:
    """In any order and with a few more; not with others."""
    episodes = [noted(f"e{n}", n, text) for n, (_, _, text) in enumerate(LESSONS)]
    candidates, world = learnt([*episodes, noted("d", 0, DICTATED, ask=ASK)])
    one = next(c for c in candidates if c.attempts[0].episode_id == "d")

    def reward(text: str) -> float | None:
        run = run_actions(one.task, world, record(noted("x", 0, text, ask=ASK)).actions)
        return evaluate(one.rubric, run, task_version="v").reward

    assert reward(DICTATED) == 1.0
    assert reward("Sorry, Mia: lesson is off.") == 1.0
    assert reward("Lesson is on, sorry.") == 0.0


def reminded(name: str, number: int, *texts: str) -> CleanEpisode:
    """The same person gets several notes."""
    one = noted(name, number, texts[0], ask="Remind Mia of her butterfly and Ben's shoes, please.")
    sent = json.dumps({"sent": True, "to": "Mia"})
    more = [s for t in texts[1:] for s in step("send_note", {"to": "Mia", "text": t}, sent)]
    steps = [s for s in one.steps if s.content != "The note is on its way."]
    return replace(one, task_key="remind", steps=(*steps, *more, one.steps[-1]))


def test_two_texts_for_one_person_are_two_texts() -> None:
    """Who sends one of them twice has not sent the other."""
    both = ("Mind the butterfly.", "Please bring the shoes that Ben left.")
    others = [noted(f"{w}{n}", n, LESSONS[n][2]) for n in range(4) for w in "abc"]
    found, world = learnt([*others, reminded("r", 0, *both)])
    one = next(c for c in found if c.attempts[0].episode_id == "r")

    def reward(*texts: str) -> float | None:
        run = run_actions(one.task, world, record(reminded("x", 0, *texts)).actions)
        return evaluate(one.rubric, run, task_version="v").reward

    assert reward(*both) == reward(both[1], both[0]) == 1.0
    assert reward("Do not forget your butterfly.", "Take the shoes of Ben along.") == 1.0
    assert reward(both[0], both[0]) == 0.0
    assert reward(both[1], both[1]) == 0.0


def poems() -> list[CleanEpisode]:
    """A long text that nobody could tell from its facts."""
    words = "abcdefghijklmnopqrstuvwxyz"
    long = " ".join(f"{a}{b}{a}rivers" for a in words[:9] for b in words[:9])
    return [
        noted("p", 0, long, ask="Write something nice to Mia."),
        *(noted(f"e{n}", n, text) for n, (_, _, text) in enumerate(LESSONS)),
    ]


def test_where_wording_is_the_work_a_judge_has_to_say() -> None:
    """Without one the task waits, with a reason of its own; with one it is asked beside the reference."""
    candidates, world = learnt(poems())
    one = next(c for c in candidates if c.attempts[0].episode_id == "p")
    judged = next(c for c in one.rubric.checks if c.fn == "judge")
    assert "aaarivers" in str(judged.args["prompt"])

    def run(task: Task, actions: Sequence[Action]) -> Attempt:
        return run_actions(task, world, actions)

    waits = verify_judged(one, others=candidates, run=run, judge=JudgeSays(replies={}))
    assert waits.status == NEEDS_REVIEW
    assert WORDING in waits.reasons

    def answer(questions: Sequence[Question]) -> Mapping[str, Json]:
        shown = {q.key: any("aaarivers" in text for text in q.evidence) for q in questions}
        return {key: {"score": 10 if written else 0} for key, written in shown.items()}

    said = verify_judged(
        one, others=candidates, run=run, judge=JudgeSays(replies={}, answer=answer)
    )
    assert WORDING not in said.reasons
    assert said.good is not None
    assert said.good.reward == 1.0


def test_two_resolved_wordings_of_one_change_are_one_end() -> None:
    """Agents who word a text differently say that its wording is free, even where others quote."""
    quoted = [
        noted(f"q{n}", n, f"{kind} is on", ask=f"Send {who} a note: {kind} is on")
        for n, (who, kind, _) in enumerate(LESSONS)
    ]
    free = [
        noted("w0", 0, "Mia, L-301 starts 14:15, lane 3.", ask="Note to Mia about L-301, please."),
        noted(
            "w1", 0, "At 14:15 we begin L-301 in lane 3.", ask="Note to Mia about L-301, please."
        ),
    ]
    candidates, _ = learnt([*quoted, *free])
    one = next(c for c in candidates if "w0" in {a.episode_id for a in c.attempts})
    ends = next(c.args["ends"] for c in one.rubric.checks if c.fn == "end_state")
    assert isinstance(ends, list)
    assert len(ends) == 1
