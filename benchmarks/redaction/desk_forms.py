"""What redaction leaves of the example desk where every tool result comes in another form.

Run: `python -m benchmarks redaction_desk_forms [--season V:SEED] [--conversations N] [--form NAME]...`. Comes in: a season of the desk in the
forms of `benchmarks.rubrics.desk_forms`, and the customers of its real database. Comes out: per form the customers' values that still stand in their
conversation, calls whose values became others than in the plain season, calls that do not commute, what waits for a person, and the
tasks that clean episodes become.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from benchmarks.redaction.recordings import SECRET, commutation, recorded, stands_in, texts_of
from benchmarks.rubrics.desk import true_label
from benchmarks.rubrics.desk_forms import ALL, PLAIN, rewritten
from benchmarks.testbeds.desk.conversations import Shop, Talk, hold_season
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Json
from environments.runtime.world.world import World
from environments.verify import ACCEPTED, verify
from ingest.files.chat_log import Chat, parse_line
from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.audit.leaks import find_leaks
from redact.operators.vault import open_vault
from redact.policy import Policy
from redact.records.clean_episode import CleanEpisode
from synth.tasks import derive_tasks
from synth.tool_content import held_value
from synth.worlds import WorldSettings, learn_world

COLUMNS: Final = ("first_name", "last_name", "email", "phone", "birth_date", "street", "postcode")


def raw_episode(talk: Talk) -> Episode:
    """A conversation as it comes in through a chat log."""
    clean = talk.episode
    line: dict[str, Any] = {
        "app": clean.app,
        "episode_id": clean.episode_id,
        "user_id": clean.subject,
        "task_key": clean.task_key,
        "started_at": talk.started.isoformat(),
        "tools": [json.loads(tool) for tool in clean.tools],
        "messages": [_message(step) for step in clean.steps],
    }
    found = parse_line(json.dumps(line), source="desk", position=clean.episode_id, app=clean.app)
    if not isinstance(found, Chat):
        raise TypeError(found.reason)
    return found.episode


def _message(step: Any) -> dict[str, Any]:  # noqa: ANN401 - a step of either kind
    message: dict[str, Any] = {"role": step.role, "content": step.content}
    if step.role == "tool":
        message |= {"tool_call_id": step.call_id, "name": step.tool_name}
        if step.is_error is not None:
            message["tg"] = {"is_error": step.is_error}
    if step.tool_calls:
        message["tool_calls"] = [
            {
                "id": c.call_id,
                "type": "function",
                "function": {"name": c.name, "arguments": c.arguments},
            }
            for c in step.tool_calls
        ]
    return message


def scrubbed(shop: Shop) -> tuple[list[Episode], list[Scrubbed], int]:
    """A season before and past the gate, with hits of the leak check."""
    raw = [raw_episode(talk) for talk in shop.talks]
    policy, vault = Policy(), open_vault(None, SECRET)
    learnt = learn(raw, (), policy=policy)
    done = list(scrub(raw, learnt=learnt, vault=vault, policy=policy))
    texts = [(str(n), text) for n, item in enumerate(done) for text in texts_of(item.clean)]
    return raw, done, len(find_leaks(texts, learnt=learnt))


def left(shop: Shop, raw: Sequence[Episode], clean: Sequence[CleanEpisode]) -> tuple[int, int]:
    """Values of the customer in their own conversation, and those that still stand there."""
    total = lost = 0
    for talk, before, after in zip(shop.talks, raw, clean, strict=True):
        row = shop.db.execute(
            f"select id, {', '.join(COLUMNS)} from customers where id = ?",  # noqa: S608 - columns are constants
            (talk.request.customer_id,),
        ).fetchone()
        said, told = (" ".join(texts_of(one)).lower() for one in (before, after))
        values = {str(value).lower() for value in row or ()}
        there = {value for value in values if stands_in(value, said)}
        total += len(there)
        lost += sum(stands_in(value, told) for value in there)
    return total, lost


def leaves(text: str) -> set[str]:
    """Every scalar of a result."""
    return {str(leaf) for leaf in _leaves(held_value(text))}


def _leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str) and value[:1] in {"{", "["}:
        inner = held_value(value)
        yield from [value] if isinstance(inner, str) else _leaves(inner)
    else:
        yield value


def unlike(plain: Sequence[CleanEpisode], clean: Sequence[CleanEpisode]) -> int:
    """Calls whose arguments or values are others than in the plain season past the gate; refusals may have lost their words."""
    found = 0
    for one, other in zip(plain, clean, strict=True):
        for was, now in zip(recorded(one), recorded(other), strict=True):
            same = leaves(was[1]) == leaves(now[1]) and leaves(was[2]) <= leaves(now[2])
            found += not same and was[2][:1] in {"{", "["}
    return found


def accepted(shop: Shop, clean: Sequence[CleanEpisode]) -> tuple[int, int]:
    """Tasks of clean episodes, and those that the gate takes."""
    labels = {c.episode_id: true_label(t) for c, t in zip(clean, shop.talks, strict=True)}
    learnt = learn_world(clean, WorldSettings())
    world = World(learnt.document)
    candidates = derive_tasks(clean, labels, learnt)
    taken = sum(
        verify(c, others=candidates, run=lambda task, does: run_actions(task, world, does)).status
        == ACCEPTED
        for c in candidates
    )
    return len(candidates), taken


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--season", default="1:301", help="variant:seed")
    parser.add_argument("--conversations", type=int, default=80)
    parser.add_argument("--form", action="append")
    options = parser.parse_args(arguments)
    variant, seed = map(int, options.season.split(":"))
    plain = hold_season(variant=variant, seed=seed, conversations=options.conversations, attempts=4)
    before = [item.clean for item in scrubbed(plain)[1]]
    print(
        "| form | values left | leak check | calls unlike plain | calls that became several, one with another | episodes that wait | tasks, accepted |"
    )
    print("|---|--:|--:|--:|---|--:|--:|")
    for name in options.form or ALL:
        shop = rewritten(plain, name, well=name != PLAIN)
        raw, done, hits = scrubbed(shop)
        clean = [item.clean for item in done]
        pairs = commutation(raw, clean)
        total, lost = left(shop, raw, clean)
        waits = sum(bool(item.held) for item in done)
        tasks, taken = accepted(shop, clean)
        print(
            f"| {name} | {lost} of {total} | {hits} | {unlike(before, clean)} | {pairs.split}, {pairs.merged} | {waits} | {tasks}, {taken} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
