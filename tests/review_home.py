"""A home of a small shop with two tasks, five episodes and two rollouts, for tests of the review. Not a test module."""

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import add_apps
from dagster_project.lake.documents import Document, to_rows
from dagster_project.lake.freshness import Work, store
from dagster_project.lake.learnt_tables import ROLLOUTS, TASKS, VERIFIED, WORLDS
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES, Table
from dagster_project.tasks.verification import TaskKnowledge, verify_all
from dagster_project.worlds.stored_worlds import StoredWorld, world_of
from environments.judges.ask import Judge
from environments.rollout.rollout import Rollout
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action, Candidate, RecordedAttempt
from environments.runtime.values.canonical import task_version
from environments.runtime.world.world import World
from tests.environments_shop import call, entry, say, world

APP = "shop"
DAY = "2026-03-01"
AT = 1_772_323_200_000_000_000
GOOD = ("Which order is it?", "It is cancelled. Anything else?")
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    '</textarea></pre><a href="javascript:alert(1)">x</a>{{ 7*7 }}\u202e'
)


def actions(order: str, *, cancels: bool = True, words: str = GOOD[1]) -> tuple[Action, ...]:
    """What an agent did about one order."""
    made = [call("cancel_order", {"order_id": order}, "c2")] if cancels else []
    return (say(GOOD[0]), call("get_order", {"order_id": order}, "c1"), *made, say(words))


def candidate(number: int, *, hostile: bool = False) -> Candidate:
    """The task about one order, with a resolved and an unresolved attempt; task 3 has an unresolved one only."""
    one = entry(number)
    order = f"o{number}"
    words = HOSTILE if hostile else "Nothing was done."
    bad = RecordedAttempt(
        episode_id=f"ep{number}-bad",
        actions=actions(order, cancels=False, words=words),
        resolved=False,
    )
    good = RecordedAttempt(episode_id=f"ep{number}-good", actions=one.solution, resolved=True)
    found = number == 1
    return Candidate(
        task=one.task,
        rubric=one.rubric,
        solution=one.solution if found else (),
        attempts=(good, bad) if found else (bad,),
        reasons=() if found else ("no_resolved_attempt",),
    )


def candidates(*, hostile: bool = False) -> list[Candidate]:
    """Task 1, which is accepted or nearly, and task 3, which waits for a person."""
    return [candidate(1, hostile=hostile), candidate(3, hostile=hostile)]


def review_home(folder: Path, *, hostile: bool = False, huge: bool = False) -> Home:
    """A home as a build would have left it."""
    home = open_home(folder, create=True)
    add_apps(home, [APP])
    lake = Lake(home.clean / "lake")
    content = {"app": APP, "document": world(), "tools": []}
    _store(lake, "worlds", WORLDS, [Document(app=APP, id=APP, version="w", content=content)])
    found = candidates(hostile=hostile)
    stored = world_of(lake, APP)
    put_tasks(lake, found, stored)
    episodes = [
        _episode(attempt.episode_id, attempt.actions, hostile=hostile, huge=huge)
        for one in found
        for attempt in one.attempts
    ]
    lake.append(CLEAN_EPISODES, pa.Table.from_pylist(episodes, schema=CLEAN_EPISODES.schema))
    outcomes = [
        _outcome(attempt.episode_id, good=attempt.resolved is True)
        for one in found
        for attempt in one.attempts
    ]
    lake.append(CLEAN_OUTCOMES, pa.Table.from_pylist(outcomes, schema=CLEAN_OUTCOMES.schema))
    put_rollouts(lake, found[0], stored)
    return home


def put_tasks(
    lake: Lake, found: list[Candidate], stored: StoredWorld | None, *, judge: Judge | None = None
) -> None:
    """Tasks and what the gate says of them, as the assets store them."""
    digest = stored.digest if stored is not None else ""
    documents = [
        Document(
            app=APP,
            id=one.task.task_id,
            version=task_version(one.task, one.rubric, world_digest=digest),
            content=one,
        )
        for one in found
    ]
    _store(lake, "tasks", TASKS, documents)
    verdicts = verify_all(found, stored, known={}, seen=TaskKnowledge(judge=judge))
    _store(
        lake,
        "verified_tasks",
        VERIFIED,
        [Document(app=APP, id=v.task_id, version=v.task_version, content=v) for v in verdicts],
    )


def put_rollouts(lake: Lake, one: Candidate, stored: StoredWorld | None) -> None:
    """One rollout that solves the task, and one that does nothing."""
    digest = stored.digest if stored is not None else ""
    version = task_version(one.task, one.rubric, world_digest=digest)
    runs = {"solver": (one.solution, 1.0), "idler": ((say("Hello."),), 0.0)}
    played_in = World.from_json(world())
    rows = []
    for policy, (made, reward) in runs.items():
        played = run_actions(one.task, played_in, made)
        messages: list[Mapping[str, Json]] = list(played.messages)
        rollout = Rollout(
            app=APP,
            task_id=one.task.task_id,
            task_version=version,
            policy=policy,
            seed=0,
            task_set_version="s1",
            reward=reward,
            predicted=reward,
            reason="as it was",
            cause="rewarded" if reward else "failed",
            passed=1,
            graded=1,
            total=1,
            stop_reason="user_ended",
            trajectory=json.dumps(messages),
            opening=len(one.task.opening),
            tools="[]",
            messages=len(messages),
            calls=0,
            malformed=0,
            unknown=0,
            prompt_tokens=None,
            completion_tokens=None,
            cost=None,
            started_at=AT,
            seconds=0.1,
        )
        rows.append(rollout.to_row())
    lake.append(ROLLOUTS, pa.Table.from_pylist(rows, schema=ROLLOUTS.schema))


def _store(lake: Lake, asset: str, table: Table, documents: list[Document]) -> None:
    todo = Work(asset=asset, wanted={(APP, ""): "made"}, stale=frozenset({(APP, "")}))
    store(lake, table, to_rows(documents), todo, keys=[(APP, "")])


def _episode(
    episode_id: str, made: tuple[Action, ...], *, hostile: bool, huge: bool
) -> dict[str, object]:
    user = "I want to cancel an order."
    said = HOSTILE if hostile else user
    steps: list[dict[str, object]] = [
        {"role": "system", "content": "You work for a shop."},
        {"role": "user", "content": said + ("W" * 1_200_000 if huge else "")},
    ]
    for action in made:
        calls = action.get("tool_calls")
        asked = calls if isinstance(calls, list) else []
        rows = [
            {"call_id": str(c["id"]), **_named(c["function"])} for c in asked if isinstance(c, dict)
        ]
        steps.append({"role": "assistant", "content": action.get("content"), "tool_calls": rows})
        answer = HOSTILE if hostile else '{"order_id": "o1", "status": "pending", "total": 10.5}'
        steps += [{"role": "tool", "content": answer, "call_id": r["call_id"]} for r in rows]
    return {
        "app": APP,
        "day": DAY,
        "episode_id": episode_id,
        "started_at": AT,
        "steps": steps,
        "tools": [],
        "redaction": "on",
        "do_not_train": False,
    }


def _named(function: Json) -> dict[str, str]:
    named = function if isinstance(function, dict) else {}
    return {"name": str(named.get("name")), "arguments": str(named.get("arguments"))}


def _outcome(episode_id: str, *, good: bool) -> dict[str, object]:
    return {
        "app": APP,
        "day": DAY,
        "outcome_id": f"o-{episode_id}",
        "episode_id": episode_id,
        "name": "resolved",
        "value": 1.0 if good else 0.0,
        "by": "end_user",
        "at": AT,
        "source": "chat_log",
    }
