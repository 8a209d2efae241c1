"""What worlds are measured on: other people's backends, recordings of real agents, invented backends in many forms, a cloud, the desk.

Each suite is a tuple of cases; a case learns one world and asks it held-out attempts (*h*) and random calls (*p*). The
other people's backends and the recordings lie in the folder that `TRACEGYM_REAL_DATA` names; without it they are left out. Not here: the
figures of a case (`benchmarks.worlds.fidelity`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.rubrics.agreement import read
from benchmarks.testbeds import result_forms
from benchmarks.testbeds.chat_logs import read_episodes
from benchmarks.testbeds.invented.attempts import episode
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.devices.mobile import MOBILE
from benchmarks.testbeds.invented.habits import FLAGS, Bank, Panel, Shop
from benchmarks.testbeds.invented.office.crm import CRM
from benchmarks.testbeds.invented.office.leave_tasks import LEAVE
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from benchmarks.testbeds.published.packages import FOLDER
from benchmarks.testbeds.real_data import data_files, real_data
from benchmarks.worlds import (
    dispatched,
    enveloped,
    habits,
    unseen,
    unseen_living,
)
from benchmarks.worlds.past_the_gate import redacted_copy
from dagster_project.worlds.recorded_calls import recorded_calls, recorded_episodes
from environments.fidelity import Fidelity, RecordedCall, RecordedEpisode, record_tape, replay
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.tasks import derive_tasks
from synth.world.observation import histories
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
    (LEDGER, "a language beside"),
    (TICKETS, "a switch at times"),
    (CRM, dispatched.SESSION),
)
"""Generic tools whose arguments say what is meant, and what every call has beside (`benchmarks.worlds.dispatched`)."""
ANSWERED: Final = (
    (TICKETS, "content and isError"),
    (LEDGER, "content, then ok, data and meta"),
    (MOBILE, "meta around content"),
    (MOBILE, "content, then time taken"),
    (LEDGER, "refused: detail"),
    (TICKETS, "refused: null"),
    (LEAVE, "refused: problem"),
    (LEAVE, "refused: sentence"),
    (TICKETS, "refused: sentence"),
    (TICKETS, "as Python writes it"),
    *((LEDGER, form) for form in (*result_forms.WRITTEN, *result_forms.BESIDE)),
)
"""What stands around answers, and how records are written (`benchmarks.worlds.enveloped`)."""
CLOUDS: Final = (
    "cloud-tables",
    "cloud-queues",
    "cloud-users",
    "cloud-secrets-raw",
    "cloud-logs-raw",
)
"""Of `benchmarks.testbeds.published.cloud`."""

Answers = Iterable[tuple[str, Fidelity]]
"""Fidelity by kind: `h` (held-out attempts) or `p` (random calls)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One world that is learnt and asked."""

    name: str
    ask: Callable[[], Answers]


PUBLISHED: Final[dict[str, tuple[str, ...]]] = {
    "bfcl": tuple(
        f"bfcl-{name}"
        for name in [
            "files",
            "math",
            "messages",
            "posts",
            "tickets",
            "trading",
            "travel",
            "vehicle",
        ]
    ),
    "tau2": ("banking", "banking_starts", "telecom", "telecom_solo", "telecom_starts"),
    "agentdojo": ("dojo-banking", "dojo-slack", "dojo-travel", "dojo-workspace"),
    "cloud": tuple(
        f"cloud-{name}{end}"
        for end in ("", "-raw")
        for name in ("tables", "queues", "users", "secrets", "logs")
    ),
}
"""Backends of `benchmarks.testbeds.published` by module; each module says which package it needs."""
INVENTED: Final = unseen.STYLES
SUITES: Final = (
    "quick", "full", "backends", "redacted", "recordings", "invented", "desks", "living", "tasks", "called",
    "answered", "habits", "published",
)  # fmt: skip


def suite(name: str, seed: int | None = None) -> tuple[Case, ...]:
    """The cases of a suite in the order of the table; `seed` is that of the invented apps' dice."""
    if name not in {"quick", "full"}:
        return tuple(_one_kind(name, seed or 0))
    whole = name == "full"
    styles = [s for s in INVENTED if whole or s.name in QUICK_STYLES]
    seeds = SEEDS if whole and seed is None else (seed or 0,)
    forms = (
        (*_in_call_forms(CALLED), *_in_answer_forms(ANSWERED), *_in_habits(0), *_clouds())
        if whole
        else ()
    )
    return (
        *_backends(),
        *_recorded(whole=whole),
        *(case for one in seeds for case in _afresh(styles, one)),
        *_desks(unseen.DESK_VARIANTS if whole else unseen.DESK_VARIANTS[:1]),
        *_living(styles, seed or 0),
        *forms,
    )


def _one_kind(name: str, seed: int) -> Iterable[Case]:
    """All cases of one kind, of one seed."""
    every_call = [(s, form) for s in INVENTED for form in dispatched.forms_of(s, seed)]
    every_answer = [(s, form) for s in INVENTED for form in result_forms.ALL]
    kinds: dict[str, Callable[[], Iterable[Case]]] = {
        "backends": _backends,
        "redacted": _redacted,
        "recordings": lambda: _recorded(whole=True),
        "invented": lambda: _afresh(INVENTED, seed),
        "desks": lambda: _desks(unseen.DESK_VARIANTS),
        "living": lambda: _living(INVENTED, seed),
        "tasks": lambda: _tasks(INVENTED, seed),
        "called": lambda: _in_call_forms(every_call, seed),
        "answered": lambda: _in_answer_forms(every_answer, seed),
        "habits": lambda: _in_habits(seed),
        "published": lambda: _published(seed),
    }
    return kinds[name]()


def _afresh(styles: Iterable[Style], seed: int) -> Iterator[Case]:
    """Invented backends that begin anew with every attempt."""
    for style in styles:
        yield Case(name=f"{style.name} {seed}", ask=partial(_anew, style, seed))


def _desks(variants: Iterable[int]) -> Iterator[Case]:
    for variant in variants:
        yield Case(name=f"support desk {variant}", ask=partial(_desk, variant))


def _living(styles: Iterable[Style], seed: int) -> Iterator[Case]:
    """Invented backends that live on through all attempts."""
    for style in styles:
        yield Case(name=f"{style.name}, living", ask=partial(_lived, style, seed))


def _tasks(styles: Iterable[Style], seed: int) -> Iterator[Case]:
    """What a rollout is told from its own episode's start, on backends that live on."""
    for style in styles:
        yield Case(name=f"{style.name}, tasks", ask=partial(_from_starts, style, seed))


def _published(seed: int) -> Iterator[Case]:
    """Backends that others wrote; a package is imported where one of its cases is asked."""
    for module, names in PUBLISHED.items():
        for name in names:
            for way, ask in (("", _anew), (", living", _lived), (", tasks", _from_starts)):
                yield Case(name=name + way, ask=partial(_of_package, ask, module, name, seed))


def _of_package(ask: Callable[[Style, int], Answers], module: str, name: str, seed: int) -> Answers:
    styles: Sequence[Style] = import_module(f"benchmarks.testbeds.published.{module}").STYLES
    return ask(next(one for one in styles if one.name == name), seed)


def _in_call_forms(wanted: Iterable[tuple[Style, str]], seed: int = 0) -> Iterator[Case]:
    """Invented backends behind few tools."""
    for style, form in wanted:
        yield Case(name=f"{style.name}, called: {form}", ask=partial(_called, style, form, seed))


def _in_answer_forms(wanted: Sequence[tuple[Style, str]], seed: int = 0) -> Iterator[Case]:
    """Invented backends in envelopes and notations, and each behind a gateway that fails now and then."""
    for style, form in wanted:
        yield Case(name=f"{style.name}, {form}", ask=partial(_answered, style, form, seed))
    for style in dict.fromkeys(style for style, _ in wanted):
        yield Case(name=f"{style.name}, behind a gateway", ask=partial(_gateway, style, seed))


def _called(style: Style, form: str, seed: int) -> Answers:
    made = dispatched.forms_of(style, seed)[form]
    _, found = unseen.asked_in_form(
        style, seed, lambda a: dispatched.formed(a, made), lambda a: episode(style, a)
    )
    return zip("hp", found, strict=True)


def _answered(style: Style, form: str, seed: int) -> Answers:
    found = enveloped.asked(style, result_forms.ALL[form], seed, flags=False)
    return zip("hp", found, strict=True)


def _gateway(style: Style, seed: int) -> Answers:
    return zip("hp", enveloped.behind_gateway(style, seed), strict=True)


def _in_habits(seed: int) -> Iterator[Case]:
    """What varies without meaning, who is signed in, tools with one record."""
    found: dict[str, Callable[[], Mapping[str, Any]]] = {}
    for habit in FLAGS:
        for end, living in (("", False), (", living", True)):
            found[f"parcels, {habit}{end}"] = partial(habits.parcels, seed, habit, living=living)
    found["parcels of three companies"] = partial(habits.companies, seed)
    found["panel"] = partial(habits.afresh, Panel, seed)
    found["panel, each its own"] = partial(habits.afresh, partial(Panel, own=True), seed)
    found["bank"] = partial(habits.afresh, Bank, seed)
    for name, named in (("signed in", True), ("signed in, nobody named", False)):
        found[name] = partial(habits.afresh, Shop, seed, named=named, own=True)
        found[f"{name}, living"] = partial(habits.living, seed, named=named)
    for name, measure in found.items():
        yield Case(name=name, ask=partial(_both, measure))


def _both(measure: Callable[[], Mapping[str, Any]]) -> Answers:
    found = measure()
    return [(kind, found[kind]) for kind in "hp"]


def _clouds() -> Iterator[Case]:
    """A published stand-in of a cloud, where its packages are installed."""
    if os.environ.get(FOLDER) or find_spec("time_machine"):
        for name in CLOUDS:
            yield Case(name=name, ask=partial(_of_package, _anew, "cloud", name, 0))


def _backends() -> Iterator[Case]:
    for path in data_files("backends/*/train.jsonl"):
        yield Case(name=path.parent.name, ask=partial(_backend, path.parent))


def _redacted() -> Iterator[Case]:
    """The same past redaction, as homes learn them."""
    for path in data_files("backends/*/train.jsonl"):
        yield Case(name=f"{path.parent.name}, redacted", ask=partial(_past_the_gate, path.parent))


def _past_the_gate(folder: Path) -> Answers:
    with TemporaryDirectory() as into:
        yield from _backend(redacted_copy(folder, Path(into)))


def _backend(folder: Path) -> Answers:
    data, held = read(folder / "train.jsonl"), read_episodes(folder / "heldout.jsonl")
    learnt = learn_world(data.episodes, WorldSettings())
    world = World.from_json(learnt.document.to_json())
    tape = record_tape(recorded_episodes(data.episodes))
    keys = {e.episode_id: e.task_key for e in data.episodes}
    starts = {
        keys[one.attempts[0].episode_id]: one.task.start
        for one in derive_tasks(data.episodes, data.labels, learnt, references=data.references)
    }
    # An attempt at a task is made where the task begins.
    place = world.prompt_subject
    asked = [recorded_calls(e, start=starts.get(e.task_key), place=place) for e in held]
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
    data = real_data()
    if data is None:
        return
    for split in SPLITS if whole else SPLITS[:1]:
        yield Case(name=split.name, ask=partial(_split, split, data))


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
                recorded_episodes(test),
                tape=record_tape(recorded_episodes(train)),
                envelopes=learn_envelopes(histories(test)),
            ),
        )


def _told(found: Iterable[unseen.Measured]) -> Answers:
    return ((m.kind, m.fidelity) for m in found)


def _anew(style: Style, seed: int) -> Answers:
    return _told(unseen.measure(style, seed))


def _lived(style: Style, seed: int) -> Answers:
    return _told(unseen_living.measure(style, seed)[1])


def _from_starts(style: Style, seed: int) -> Answers:
    return _told(unseen_living.measure_tasks(style, seed))


def _desk(variant: int) -> Answers:
    return [("p", unseen.measure_desk(variant))]


def learnt_world(episodes: Sequence[CleanEpisode]) -> World:
    """The world of some episodes, read as a task set reads it."""
    return World.from_json(learn_world(episodes, WorldSettings()).document.to_json())
