"""Does a world say the same with redaction on as with redaction off? Calls and final states of held-out episodes.

One world is learnt from episodes as they are and one from the same episodes past the gate; both replay the same held-out episodes. With
`--invented` the invented backends are replayed, each of their tasks another user's. Every call whose verdict or source differs counts. A final
state of the first world is carried over value by value, by what the gate made of each value of the recorded calls, and must equal that of the second.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.figures import Figure, Row
from benchmarks.redaction.recordings import SECRET, chat_logs, read, recorded
from benchmarks.testbeds.invented.attempts import attempts, chat
from benchmarks.testbeds.invented.backend import Style
from benchmarks.worlds.unseen import STYLES
from dagster_project.worlds.recorded_calls import recorded_calls, recorded_episodes
from environments.fidelity import RecordedEpisode, record_tape, replay
from environments.runtime.world.world import World
from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import EVERY_APP, Policy
from redact.records.clean_episode import CleanEpisode
from synth.world.observation import histories
from synth.world.views.callers import learn_envelopes
from synth.worlds import WorldSettings, learn_world

SPLITS = 5


@dataclass(frozen=True, slots=True)
class Side:
    """What one world made of the held-out episodes."""

    verdicts: dict[tuple[int, int], tuple[str, str, str]] = field(default_factory=dict)
    """Tool, verdict and source, by episode and position."""
    ends: dict[int, object] = field(default_factory=dict)
    """The final state of each episode, as JSON."""


def options(parser: argparse.ArgumentParser) -> None:
    """What is replayed."""
    parser.add_argument("paths", nargs="*", type=Path, help="chat logs, else all real data")
    parser.add_argument("--splits", type=int, default=1, help=f"how many of {SPLITS} to hold out")
    parser.add_argument("--shift", type=int, default=0, help="days by which dates are moved")
    parser.add_argument("--invented", help="seeds: replay the invented backends instead")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each chat log or backend."""
    if options.invented:
        for seed in map(int, options.invented.split(",")):
            for style in STYLES:
                found = compare(invented(style, seed), Policy(), splits=options.splits)
                yield Row(case=f"{style.name} {seed}", figures=found)
        return
    for path in chat_logs(options.paths):
        episodes = read(path)
        if episodes:  # other telemetry of the folder has none
            policy = Policy(date_shift_days={EVERY_APP: options.shift})
            found = compare(episodes, policy, splits=options.splits)
            yield Row(case=path.name, figures=found)


def invented(style: Style, seed: int) -> list[Episode]:
    """The attempts on an invented backend, as ingest reads their chat logs."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chats.jsonl"
        path.write_text(
            "".join(
                json.dumps({**chat(style, one), "user_id": f"user-{one.task}"}) + "\n"
                for one in attempts(style, seed)
            ),
            encoding="utf-8",
        )
        return read(path)


def compare(episodes: list[Episode], policy: Policy, *, splits: int = SPLITS) -> dict[str, Figure]:
    """What differs between the two worlds."""
    plain, clean = past(episodes, Policy(enabled=False)), past(episodes, policy)
    left, right = replayed(plain, splits=splits), replayed(clean, splits=splits)
    counts = [Counter(v for _, v, _ in side.verdicts.values()) for side in (left, right)]
    pairs = [(left.verdicts[key], right.verdicts[key]) for key in sorted(left.verdicts)]
    images = images_of(episodes, clean)
    moved = {
        place: carried(end, {**images[None], **images[place]}) for place, end in left.ends.items()
    }
    there = {place: carried(end, {}) for place, end in right.ends.items()}
    return {
        "calls": len(pairs),
        **{
            f"{verdict}, redaction {how}": count[verdict]
            for how, count in zip(("off", "on"), counts, strict=True)
            for verdict in ("exact", "equivalent", "wrong", "unknown")
        },
        "calls differ": sum(a != b for a, b in pairs),
        "final states": len(moved),
        "with an effect": sum(bool(end) for end in left.ends.values()),
        "states differ": sum(normal(end) != normal(there[place]) for place, end in moved.items()),
    }


def past(episodes: list[Episode], policy: Policy) -> list[CleanEpisode]:
    """The episodes past the gate."""
    learnt = learn(episodes, (), policy=policy)
    vault = Vault(None, SECRET)
    return [item.clean for item in scrub(episodes, learnt=learnt, vault=vault, policy=policy)]


def replayed(episodes: list[CleanEpisode], *, splits: int) -> Side:
    """Verdicts and final states of held-out episodes; each split is held out once."""
    side = Side()
    places = {episode.episode_id: place for place, episode in enumerate(episodes)}
    for split in range(splits):
        train = [one for place, one in enumerate(episodes) if place % SPLITS != split]
        test = [one for place, one in enumerate(episodes) if place % SPLITS == split]
        document = learn_world(train, WorldSettings()).document.to_json()
        world = World.from_json(json.loads(json.dumps(document)))
        fidelity = replay(
            world,
            recorded_episodes(test),
            tape=record_tape(recorded_episodes(train)),
            envelopes=learn_envelopes(histories(test)),
        )
        for one in fidelity.judged:
            found = (one.call.name, one.verdict, one.result.source)
            side.verdicts[places[one.episode_id], one.position] = found
        for episode in test:
            side.ends[places[episode.episode_id]] = end_of(world, recorded_calls(episode))
    return side


def end_of(world: World, episode: RecordedEpisode) -> object:
    """The final state of a world after the calls of an episode; empty where nothing happened."""
    session = world.session(episode.start, started_at=episode.started_at, caller=episode.caller)
    for call in episode.calls:
        session.call(call.name, call.arguments)
    end = json.loads(json.dumps(asdict(session.end_state())))
    return {name: part for name, part in end.items() if part}


def images_of(
    episodes: Sequence[Episode], clean: Sequence[CleanEpisode]
) -> dict[int | None, dict[str, str]]:
    """What the gate made of each text value of the recorded calls: by episode, and under None in any."""
    images: dict[int | None, dict[str, str]] = {None: {}}
    for place, (raw, done) in enumerate(zip(episodes, clean, strict=True)):
        mine: dict[str, str] = {}
        for before, after in zip(recorded(raw), recorded(done), strict=True):
            for one, two in zip(before[1:], after[1:], strict=True):
                mine.update(zip(strings(one), strings(two), strict=False))
        images[place] = mine
        images[None].update(mine)
    return images


def strings(text: str) -> list[str]:
    """The texts of a JSON document, keys included, in order; a text that is none is itself the only one."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return [text]
    return [text, *leaves(value)]


def leaves(value: object) -> Iterator[str]:
    """Every text and key of a JSON value."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, str):
        yield value


def carried(value: object, images: Mapping[str, str]) -> object:
    """A JSON value with each text replaced by what the gate made of it, also inside JSON and `entity:key` texts."""
    if isinstance(value, dict):
        return {images.get(name, name): carried(part, images) for name, part in value.items()}
    if isinstance(value, list):
        return [carried(part, images) for part in value]
    return carried_text(value, images) if isinstance(value, str) else value


def carried_text(text: str, images: Mapping[str, str]) -> str:
    """A text replaced by what the gate made of it: as a whole, or of its parts."""
    if text in images:
        return compact(images[text])
    if text[:1] in {"{", "[", '"'}:
        try:
            return json.dumps(carried(json.loads(text), images), sort_keys=True)
        except ValueError:
            return text
    entity, colon, key = text.partition(":")
    return f"{entity}:{carried_text(key, images)}" if colon else text


def compact(text: str) -> str:
    """A JSON document in one spelling, any other text as it is."""
    try:
        return json.dumps(json.loads(text), sort_keys=True) if text[:1] in {"{", "["} else text
    except ValueError:
        return text


def normal(end: object) -> object:
    """A final state as it is compared: lists that are sorted by value are sets."""
    if not isinstance(end, dict):
        return end
    return {
        name: sorted(json.dumps(one, sort_keys=True) for one in part)
        for name, part in end.items()
        if isinstance(part, list)
    }
