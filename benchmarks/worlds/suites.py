"""What worlds are measured on: other people's backends, recordings of real agents, invented backends in many forms, a cloud, the desk.

Each suite is a tuple of cases; a case learns one world and asks it held-out attempts (*h*) and random calls (*p*). The
other people's backends and the recordings lie in the folder that `TRACEGYM_REAL_DATA` names; without it they are left out. Not here: the
command and its tables (`benchmarks.worlds.fidelity`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from benchmarks.rubrics.agreement import read
from benchmarks.testbeds.chat_logs import read_episodes, to_episode
from benchmarks.testbeds.invented.attempts import episode
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.devices.mobile import MOBILE
from benchmarks.testbeds.invented.office.crm import CRM
from benchmarks.testbeds.invented.office.files import FILES
from benchmarks.testbeds.invented.office.leave_tasks import LEAVE
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from benchmarks.testbeds.published.cloud import cloud
from benchmarks.testbeds.published.packages import FOLDER
from benchmarks.worlds import (
    dispatched,
    enveloped,
    one_record,
    signed_in,
    unseen,
    unseen_living,
    volatile,
)
from environments.fidelity import Fidelity, RecordedCall, RecordedEpisode, record_tape, replay
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.tasks import derive_tasks
from synth.world.observation import histories, paired_calls
from synth.world.views.callers import learn_envelopes
from synth.worlds import WorldSettings, learn_world

QUICK_STYLES: Final = ("tickets", "mobile", "depot", "leave")
SEEDS: Final = (0, 1, 2)
CALLED: Final = (
    (TICKETS, "action"),
    (LEDGER, "object and operation"),
    (LEAVE, "proxy"),
    (MOBILE, "JSON in a string"),
    (LEDGER, "http"),
    (CRM, "http"),
)
"""Generic tools whose arguments say what is meant (`benchmarks.worlds.dispatched`)."""
ANSWERED: Final = (
    (TICKETS, "content and isError"),
    (LEDGER, "content, then ok, data and meta"),
    (MOBILE, "meta around content"),
    (FILES, "content, then time taken"),
    (LEDGER, "refused: detail"),
    (TICKETS, "refused: null"),
    (LEAVE, "refused: problem"),
    (LEAVE, "refused: sentence"),
    (TICKETS, "refused: sentence"),
    (TICKETS, "as Python writes it"),
    *((LEDGER, form) for form in enveloped.WRITTEN),
)
"""What stands around answers, and how records are written (`benchmarks.worlds.enveloped`)."""
CLOUDS: Final = (
    "cloud-tables",
    "cloud-queues",
    "cloud-users",
    "cloud-secrets-raw",
    "cloud-logs-raw",
)
"""Of `benchmarks.testbeds.published.cloud.cloud`; its servers take as long as these together."""

Answers = Iterable[tuple[str, Fidelity]]
"""Fidelity by kind: `h` (held-out attempts) or `p` (random calls)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One world that is learnt and asked."""

    name: str
    ask: Callable[[], Answers]


def suite(name: str) -> tuple[Case, ...]:
    """The cases of `quick` or `full`, in the order of the table."""
    whole = name == "full"
    styles = [s for s in (*unseen.STYLES, *unseen.CLERKS) if whole or s.name in QUICK_STYLES]
    invented = [
        Case(name=f"{style.name} {seed}", ask=lambda s=style, n=seed: _invented(s, n))  # type: ignore[misc]
        for seed in (SEEDS if whole else SEEDS[:1])
        for style in styles
    ]
    desks = [
        Case(name=f"support desk {variant}", ask=lambda v=variant: _desk(v))  # type: ignore[misc]
        for variant in (unseen.DESK_VARIANTS if whole else unseen.DESK_VARIANTS[:1])
    ]
    living = [
        Case(name=f"{style.name}, living", ask=lambda s=style: _living(s))  # type: ignore[misc]
        for style in styles
    ]
    forms = (*_in_forms(), *_in_habits(), *_clouds()) if whole else ()
    return (*_backends(), *_recorded(whole=whole), *invented, *desks, *living, *forms)


def _in_forms() -> Iterator[Case]:
    """Invented backends behind few tools, in envelopes and notations."""
    for style, form in CALLED:
        yield Case(
            name=f"{style.name}, called: {form}",
            ask=lambda s=style, f=form: _called(s, f),  # type: ignore[misc]
        )
    for style, form in ANSWERED:
        yield Case(
            name=f"{style.name}, {form}",
            ask=lambda s=style, f=form: _answered(s, f),  # type: ignore[misc]
        )


def _called(style: Style, form: str) -> Answers:
    made = dispatched.forms_of(style, 0)[form]
    _, found = unseen.asked_in_form(
        style, 0, lambda a: dispatched.formed(a, made), lambda a: episode(style, a)
    )
    return zip("hp", found, strict=True)


def _answered(style: Style, form: str) -> Answers:
    enveloped.NOISE.seed("noise/0")
    made = enveloped.ALL[form]
    _, found = unseen.asked_in_form(
        style,
        0,
        lambda a: enveloped.wrapped(a, made),
        lambda a: to_episode(enveloped.line_of(style, a, flags=False)),
    )
    return zip("hp", found, strict=True)


def _in_habits() -> Iterator[Case]:
    """What varies without meaning, who is signed in, tools with one record."""
    for habit in volatile.FLAGS:
        for living in (False, True):
            name = f"parcels, {habit}{', living' if living else ''}"
            yield Case(name=name, ask=lambda h=habit, on=living: _habit(h, living=on))  # type: ignore[misc]
    for kind, own in (
        (one_record.Panel, False),
        (one_record.Panel, True),
        (one_record.Bank, False),
    ):
        name = f"{kind.__name__.lower()}{', each its own' if own else ''}"
        yield Case(name=name, ask=lambda k=kind, o=own: _both(one_record.measure(k, 0, own=o)))  # type: ignore[misc]
    for named in (True, False):
        said = "signed in" if named else "signed in, nobody named"
        yield Case(name=said, ask=lambda n=named: _both(signed_in.afresh(0, named=n)))  # type: ignore[misc]
        yield Case(name=f"{said}, living", ask=lambda n=named: _both(signed_in.living(0, named=n)))  # type: ignore[misc]


def _habit(habit: str, *, living: bool) -> Answers:
    return _both(volatile.recorded(0, habit, living=living))


def _both(found: Mapping[str, Any]) -> Answers:
    return [(kind, found[kind]) for kind in "hp"]


def _clouds() -> Iterator[Case]:
    """A published stand-in of a cloud, where its packages are installed."""
    if os.environ.get(FOLDER) or find_spec("time_machine"):
        for style in (s for s in cloud.STYLES if s.name in CLOUDS):
            yield Case(name=style.name, ask=lambda s=style: _invented(s, 0))  # type: ignore[misc]


def _data() -> Path | None:
    named = os.environ.get("TRACEGYM_REAL_DATA")
    return Path(named) if named else None


def _backends() -> Iterator[Case]:
    data = _data()
    folders = sorted((data / "backends").iterdir()) if data is not None else []
    for folder in folders:
        if (folder / "train.jsonl").exists():
            yield Case(name=folder.name, ask=lambda f=folder: _backend(f))  # type: ignore[misc]


def _backend(folder: Path) -> Answers:
    data, held = read(folder / "train.jsonl"), read_episodes(folder / "heldout.jsonl")
    learnt = learn_world(data.episodes, WorldSettings())
    world = World.from_json(learnt.document.to_json())
    tape = record_tape(recorded(e) for e in data.episodes)
    keys = {e.episode_id: e.task_key for e in data.episodes}
    starts = {
        keys[one.attempts[0].episode_id]: one.task.start
        for one in derive_tasks(data.episodes, data.labels, learnt, references=data.references)
    }
    # An attempt at a task is made where the task begins.
    asked = [replace(recorded(e), start=starts.get(e.task_key, {})) for e in held]
    yield "h", replay(world, asked, tape=tape)
    yield "p", replay(world, list(_probes(folder / "probes.jsonl")), tape=tape)


def _probes(path: Path) -> Iterator[RecordedEpisode]:
    for line in path.read_text(encoding="utf-8").splitlines():
        calls: list[dict[str, Any]] = json.loads(line)
        yield RecordedEpisode(
            episode_id="",
            calls=[
                RecordedCall(
                    name=c["name"], arguments=json.dumps(c["arguments"]), content=c["response"]
                )
                for c in calls
            ],
        )


def _recorded(*, whole: bool) -> Iterator[Case]:
    data = _data()
    if data is None:
        return
    for split in SPLITS if whole else SPLITS[:1]:
        yield Case(name=split.name, ask=lambda s=split: _split(s, data))  # type: ignore[misc]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """One way to hold episodes out, in folds."""

    name: str
    file: str
    fold_of: Callable[[CleanEpisode], str]


def _trial(episode: CleanEpisode) -> str:
    return episode.episode_id.rsplit("-", 1)[-1]


def _fifth(episode: CleanEpisode) -> str:
    return str(int((episode.task_key or "0").rsplit("-", 1)[-1]) % 5)


SPLITS = (
    Split(name="airline/trial", file="airline", fold_of=_trial),
    Split(name="retail/agent", file="retail", fold_of=lambda e: e.agent or ""),
    Split(name="airline/task", file="airline", fold_of=_fifth),
    Split(name="retail/task", file="retail", fold_of=_fifth),
)


def _split(split: Split, data: Path) -> Answers:
    episodes = read_episodes(data / "tau" / f"{split.file}.train.jsonl")
    for fold in sorted({split.fold_of(e) for e in episodes}):
        train = [e for e in episodes if split.fold_of(e) != fold]
        test = [e for e in episodes if split.fold_of(e) == fold]
        yield (
            "h",
            replay(
                learnt_world(train),
                [recorded(e) for e in test],
                tape=record_tape(recorded(e) for e in train),
                envelopes=learn_envelopes(histories(test)),
            ),
        )


def _invented(style: Style, seed: int) -> Answers:
    return ((m.kind, m.fidelity) for m in unseen.measure(style, seed))


def _desk(variant: int) -> Answers:
    return [("p", unseen.measure_desk(variant, "reset")[0].fidelity)]


def _living(style: Style) -> Answers:
    return ((m.kind, m.fidelity) for m in unseen_living.measure(style, 0)[1])


def learnt_world(episodes: Sequence[CleanEpisode]) -> World:
    """The world of some episodes, read as a task set reads it."""
    return World.from_json(learn_world(episodes, WorldSettings()).document.to_json())


def recorded(episode: CleanEpisode) -> RecordedEpisode:
    """An episode's calls with their results, as `fidelity` takes them."""
    return RecordedEpisode(
        episode_id=episode.episode_id,
        caller=episode.agent,
        started_at=episode.started_at,
        calls=[
            RecordedCall(name=c.name, arguments=c.arguments, content=content)
            for c, content, _, _, _ in paired_calls(episode)
        ],
    )
