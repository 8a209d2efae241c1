"""What the human did after failed hand-overs, from an outcome table to accepted tasks, beside the shop's real database."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.testbeds.desk.conversations import Shop, Talk, hold_season
from dagster_project.clean_records import clean_episodes_of
from dagster_project.cli.main import app as cli
from dagster_project.home.layout import open_home
from dagster_project.home.settings import set_redaction
from dagster_project.lake.documents import records
from dagster_project.lake.learnt_tables import TASKS, VERIFIED
from dagster_project.lake.store import Lake
from dagster_project.tasks.verification import VerifiedTask
from environments.runtime.task.candidate import Candidate
from environments.verify import ACCEPTED
from examples.support_desk.backend.database import dump
from examples.support_desk.request import PlainCall
from examples.support_desk.truth import RealBackend, accepted_ends
from redact.records.clean_episode import CleanEpisode

SEED = 83


def _run(*arguments: object) -> None:
    done = CliRunner().invoke(cli, list(map(str, arguments)))
    assert done.exit_code == 0, done.output[-3000:]


def _said(talk: CleanEpisode) -> tuple[str | None, ...]:
    """What was said and called in a conversation."""
    return tuple(s.content for s in talk.steps if s.role != "system")


def _chat_line(talk: Talk) -> dict[str, Any]:
    """A conversation as an app logs it, with a survey's answer where it went well."""
    messages: list[dict[str, Any]] = []
    for step in talk.episode.steps:
        one: dict[str, Any] = {"role": step.role, "content": step.content}
        if step.tool_calls:
            one["tool_calls"] = [
                {
                    "id": c.call_id,
                    "type": "function",
                    "function": {"name": c.name, "arguments": c.arguments},
                }
                for c in step.tool_calls
            ]
        if step.call_id:
            one["tool_call_id"] = step.call_id
        if step.is_error is not None:
            one["is_error"] = step.is_error
        messages.append(one)
    line: dict[str, Any] = {
        "episode_id": talk.episode.episode_id,
        "app": "desk",
        "user_id": talk.episode.subject,
        "started_at": talk.started.isoformat(),
        "tools": [json.loads(text) for text in talk.episode.tools],
        "messages": messages,
    }
    return line | ({"outcome": {"name": "resolved", "value": 1}} if talk.resolved else {})


def _by_hand(talk: Talk) -> Sequence[PlainCall]:
    """What resolves a request, in plain names; nothing where it cannot be granted."""
    return talk.request.truth.accepted[0]


def _done_by_hand(shop: Shop, failed: Sequence[Talk]) -> Iterator[tuple[str, int, str]]:
    """One row for each failed conversation: it was not resolved, and what the human then called."""
    shown = shop.plan.variant
    for talk in failed:
        calls = [
            {"name": shown.tools[c.name], "arguments": shown.outward(dict(c.arguments))}
            for c in _by_hand(talk)
        ]
        yield talk.episode.episode_id, 0, json.dumps(calls) if calls else ""


def _accepted(home: Path, shop: Shop, failed: Sequence[Talk], *, redaction: str) -> list[Candidate]:
    """The tasks accepted of a season in which business records say what was done about every failed one."""
    set_redaction(open_home(home, create=True), redaction)
    folder = home.parent
    logs, table = folder / "chats.jsonl", folder / "by_hand.csv"
    logs.write_text("".join(json.dumps(_chat_line(t)) + "\n" for t in shop.talks))
    with table.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerows([("ticket", "solved", "done"), *_done_by_hand(shop, failed)])
    _run("ingest", logs, "--app", "desk", "--home", home)
    columns = ("--key", "ticket", "--value", "solved", "--correction", "done")
    _run("outcomes", table, *columns, "--outcome", "resolved", "--app", "desk", "--home", home)
    _run("build", "--home", home)
    lake = Lake(home / "clean" / "lake")
    verdicts = records(lake, VERIFIED, "desk", VerifiedTask)
    return [
        one
        for one in records(lake, TASKS, "desk", Candidate).values()
        if one.task.provenance.get("solution") == "business_record"
        and verdicts[one.task.task_id].status == ACCEPTED
    ]


def _end_of(shop: Shop, one: Candidate) -> object:
    """Where the shop's real database ends when a task's solution is done in it."""
    real = RealBackend(shop.plan.variant.number, shop.plan.seed)
    for action in one.solution:
        calls = action.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            assert isinstance(call, dict)
            function = call["function"]
            assert isinstance(function, dict)
            real.call(str(function["name"]), str(function["arguments"]))
    return dump(real.db)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_rows_of_what_the_human_did_become_tasks_that_the_real_database_agrees_with(
    tmp_path: Path,
) -> None:
    """Ingest, `outcomes --correction`, build: redacted or not the same requests become tasks, and their ends are right."""
    shop = hold_season(variant=0, seed=SEED, conversations=120, attempts=1)
    failed = [t for t in shop.talks if not t.resolved]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    plain = _accepted(tmp_path / "a" / "home", shop, failed, redaction="off")
    redacted = _accepted(tmp_path / "b" / "home", shop, failed, redaction="on")
    assert len(plain) >= 4
    # Which words mean a choice depends a little on the surrogates, which every home draws anew.
    assert len(redacted) >= len(plain) - 2
    streets = [
        str(c.arguments["street"]) for t in failed for c in _by_hand(t) if "street" in c.arguments
    ]
    told = json.dumps([action for one in redacted for action in one.solution])
    assert streets
    assert not [street for street in streets if street in told]
    by_words = {_said(talk.episode): talk for talk in failed}
    kept = clean_episodes_of(Lake(tmp_path / "a" / "home" / "clean" / "lake"), "desk")
    talk_of = {e.episode_id: by_words.get(_said(e)) for e in kept}
    for one in plain:
        talk = talk_of[str(one.task.provenance["shown"])]
        assert talk is not None
        real = RealBackend(shop.plan.variant.number, shop.plan.seed)
        assert _end_of(shop, one) in accepted_ends(
            talk.request, real.db, shop.plan.variant, real.now
        )
