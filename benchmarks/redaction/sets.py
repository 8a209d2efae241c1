"""The sets of conversations that redaction is measured on, each with what must not be left in it and what must stay.

Six kinds: chat logs and collections of `TRACEGYM_REAL_DATA`, ten invented apps, four languages, published tasks with people put in
(`TRACEGYM_OUTSIDE`), and the example desk with its results in other forms. A kind whose data are not there has no sets. Recordings have no truth
beside them: `benchmarks.redaction.recordings` has one by keys.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.redaction.recordings import read
from benchmarks.testbeds.desk.conversations import Talk, hold_season
from benchmarks.testbeds.desk.forms import ALL, PLAIN, rewritten
from benchmarks.testbeds.people import apps, languages, published
from benchmarks.testbeds.published.packages import FOLDER
from benchmarks.testbeds.real_data import data_files
from ingest.files.chat_log import Chat
from ingest.files.telemetry_files import read_file
from ingest.otlp.decode import decode
from ingest.receiver.wal import WalRecord
from ingest.records.episode import Episode
from tests.chat_line import parse_line

SIZES: Final = ((1, 0), (5, 0), (40, 0), (40, 1))
"""Of an invented app: conversations, and what is added to the seed."""
PUBLISHED: Final = ((100, 0), (40, 1))
LANGUAGE_SIZES: Final = (5, 40)
MOST: Final = 120
"""Conversations of a collection."""
COLUMNS: Final = ("first_name", "last_name", "email", "phone", "birth_date", "street", "postcode")
WRITTEN: Final = ("YAML", "XML", "Python", "sentence")
"""Words of the forms of the desk that are all taken; of the others each third."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One conversation with its truth."""

    episode: Episode
    personal: Sequence[str] = ()
    """Spellings of people and numbers that must not be left."""
    nobodys: Sequence[tuple[int | None, str]] = ()
    """What is nobody's and should stand as before: at a step, or anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """A set."""

    kind: str
    name: str
    make: Callable[[], Sequence[Told]]
    known: bool = True
    """Whether the truth stands beside the conversations."""


def sets(seed: int) -> Iterator[Conversations]:
    """Every set; the invented ones of this seed."""
    yield from _recordings()
    for app in apps.APPS:
        for size, more in SIZES:
            make = partial(of_app, app, size, seed + more)
            yield Conversations(kind="apps", name=f"{app} {size} {seed + more}", make=make)
    for language in languages.LOCALES:
        for chosen in ("develop", "held_out"):
            for size in LANGUAGE_SIZES:
                make = partial(of_language, language, chosen, size, seed)
                yield Conversations(kind="languages", name=f"{language} {chosen} {size}", make=make)
    for app in published.APPS if os.environ.get(FOLDER) else ():
        for size, more in PUBLISHED:
            make = partial(_of_package, app, size, seed + more)
            yield Conversations(kind="published", name=f"{app} {size} {seed + more}", make=make)
    for number, form in enumerate(ALL):
        if number % 3 == 0 or any(word in form for word in WRITTEN):
            make = partial(_of_desk, form, 300 + seed)
            yield Conversations(kind="desk", name=f"desk, {form}", make=make)


def _recordings() -> Iterator[Conversations]:
    for path in data_files("tau/*.jsonl", "backends/*/train.jsonl", "collections/*"):
        name = path.parent.name if path.name == "train.jsonl" else path.name.partition(".")[0]
        make = partial(log if path.suffix == ".jsonl" else _collection, path)
        yield Conversations(kind="recordings", name=name, make=make, known=False)


def log(path: Path) -> list[Told]:
    """A chat log."""
    return [Told(episode=episode) for episode in read(path)]


def _collection(path: Path) -> list[Told]:
    """The first conversations of other telemetry."""
    found: list[Told] = []
    for number, record in enumerate(read_file(path, app=path.stem.partition(".")[0])):
        if isinstance(record, WalRecord):
            chats = decode(record.stored(number)).chats
            found += [Told(episode=chat.episode) for chat in chats]
    return found[:MOST]


def of_app(app: str, size: int, seed: int, *, third: bool = True) -> list[Told]:
    """Conversations of an invented app, with or without the people whom only prose names."""
    draw = random.Random(f"{app} {seed}")  # noqa: S311 - invented data
    talks = [apps.APPS[app](number, draw) for number in range(size)]
    return [
        Told(
            episode=talk.episode,
            personal=(*talk.direct.values(), *(talk.third if third else ())),
            nobodys=[(None, word) for word in talk.meaning],
        )
        for talk in talks
    ]


def of_language(language: str, chosen: str, size: int, seed: int) -> list[Told]:
    """Conversations in one language, of what was looked at (`develop`) or not (`held_out`)."""
    writer = languages.Writer(language, chosen, seed)
    talks = [writer.write(number) for number in range(size)]
    return [
        Told(episode=talk.raw, personal=[value for _, value in talk.planted], nobodys=talk.nobodys)
        for talk in talks
    ]


def _of_package(app: str, size: int, seed: int) -> list[Told]:
    return [
        Told(
            episode=talk.episode,
            personal=[one for spellings in talk.truth.values() for one in spellings],
            nobodys=[(None, word) for word in talk.nobodys],
        )
        for talk in published.APPS[app](size, seed)
    ]


def _of_desk(form: str, seed: int) -> list[Told]:
    season = hold_season(variant=1, seed=seed, conversations=60, attempts=4)
    shop = rewritten(season, form, well=form != PLAIN)
    found = []
    for talk in shop.talks:
        row = shop.db.execute(
            f"select id, {', '.join(COLUMNS)} from customers where id = ?",  # noqa: S608 - columns are constants
            (talk.request.customer_id,),
        ).fetchone()
        found.append(Told(episode=_raw(talk), personal=[str(value) for value in row or ()]))
    return found


def _raw(talk: Talk) -> Episode:
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
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in step.tool_calls
        ]
    return message
