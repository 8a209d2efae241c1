"""How often the cause of a failure is found: the agent and the step that people named, and faults that are known because they were injected.

Run: `python -m benchmarks.causes [--runs FOLDER] [--attempts FOLDER] [--judged FILE] [--variants 1,2,3] [--seed N] [--requests N]`. With `--runs`, a folder of failed runs with what people
named beside the messages (`mistake_agent`, `mistake_step`): agent and step right, step within two, with bootstrap intervals, beside a
random turn, the first and the last; each file goes through ingest and redaction. Without it, the example desk with ten faults: the critical step is the first at which
the faulty agent does something else than the good one in the same conversation; clusters are compared with faults (ARI); once with resolved
attempts at the same request, once without any. With `--attempts`, recorded attempts
at backends, good ones and ones with a fault that their agent is named after. With `--judged`, a chat log whose outcomes are partly hidden: how many of the failures among
those that are hidden are suspected, and how many of the suspected are right.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.chat_logs import to_episode
from examples.support_desk.backend.database import copy_of
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.records import Held, chat_log_line
from examples.support_desk.request_kinds_other import make_request
from examples.support_desk.scene import Scene
from examples.support_desk.season import Plan, Visit, hold_one
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import make_variant
from ingest.files.telemetry_files import read_file
from ingest.otlp.decode import decode
from ingest.receiver.wal import StoredRecord, WalRecord
from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import open_vault
from redact.policy import Policy
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.clusters.clustering import cluster
from synth.failures.detection import Failure, calibrate_on, detect, reference_from
from synth.failures.reading import AppReading, read
from synth.failures.turns import turns_of
from synth.labels import Label

SECRET: Final = b"of a benchmark, which keeps nothing"
GOOD: Final = Label(resolved=True, by="code")
BAD: Final = Label(resolved=False, by="code")
RESAMPLES: Final = 2000


# ---------------------------------------------------------------- runs that people looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A failed run and what people named."""

    episode: CleanEpisode
    agents: tuple[str | None, ...]
    """Who speaks at each step, before redaction."""
    agent: str
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """How close a guess came."""

    agent: bool
    step: bool
    near: bool


def named_runs(folder: Path) -> list[Named]:
    """All runs of a folder, past ingest and redaction."""
    said: list[dict[str, Any]] = []
    raw: list[Episode] = []
    for path in sorted(folder.glob("*.json")):
        said.append(json.loads(path.read_text("utf-8")))
        raw += [one for record in read_file(path, app="runs") for one in _episodes(record)]
    learnt = learn(raw, (), policy=Policy())
    vault = open_vault(None, SECRET)
    done = scrub(raw, learnt=learnt, vault=vault, policy=Policy())
    found = []
    for told, one, scrubbed in zip(said, raw, done, strict=True):
        before = len(one.steps) - len(told["history"])
        found.append(
            Named(
                episode=scrubbed.clean,
                agents=tuple(step.agent for step in one.steps),
                agent=told["mistake_agent"],
                step=int(told["mistake_step"]) + before,
            )
        )
    return found


def _episodes(record: object) -> Iterator[Episode]:
    if not isinstance(record, WalRecord):
        raise SystemExit(f"a run cannot be read: {record}")
    stored = StoredRecord(
        seq=1,
        kind=record.kind,
        app=record.app,
        source=record.source,
        body=record.body,
        received_at=record.received_at,
        encoding=record.encoding,
        position=record.position,
        facts=record.facts,
    )
    yield from (chat.episode for chat in decode(stored).chats)


def hit(one: Named, step: int | None) -> Hit:
    """How close a step comes to what people named."""
    if step is None:
        return Hit(agent=False, step=False, near=False)
    agent = one.agents[step] or ""
    right = agent == one.agent or agent.startswith(f"{one.agent} (")
    return Hit(agent=right, step=step == one.step, near=abs(step - one.step) <= 2)


def report_runs(folder: Path) -> None:
    """Print the table of a folder of runs."""
    runs = named_runs(folder)
    found = [detect(one.episode, BAD) for one in runs]
    chance = random.Random(1)  # noqa: S311 - a repeatable draw, not a secret

    def turns(one: Named) -> list[int]:
        return [turn.step for turn in turns_of(read(one.episode))] or [0]

    rows: dict[str, list[Hit]] = {
        "found": [hit(o, f.step if f else None) for o, f in zip(runs, found, strict=True)],
        "a random turn": [hit(o, chance.choice(turns(o))) for o in runs for _ in range(50)],
        "the first turn": [hit(o, turns(o)[0]) for o in runs],
        "the second turn": [hit(o, turns(o)[:2][-1]) for o in runs],
        "the last turn": [hit(o, turns(o)[-1]) for o in runs],
    }
    print(f"{len(runs)} runs\n\n| guess | agent | step | step within two |\n|---|--:|--:|--:|")
    for name, hits in rows.items():
        many = len(hits) > len(runs)
        cells = [
            share([getattr(one, part) for one in hits], interval=not many)
            for part in ("agent", "step", "near")
        ]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\ncauses: {dict(Counter(one.cause for one in found if one).most_common())}")


def share(hits: Sequence[bool], *, interval: bool = True) -> str:
    """A share with its bootstrap interval."""
    values = np.array(hits, dtype=float)
    text = f"{100 * values.mean():.1f} %"
    if not interval:
        return text
    rng = np.random.default_rng(1)
    means = rng.choice(values, (RESAMPLES, len(values))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return f"{text} ({100 * low:.0f} to {100 * high:.0f})"


# ---------------------------------------------------------------- the example desk with injected faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Faulty:
    """One conversation with a fault that is known."""

    episode: CleanEpisode
    fault: str
    step: int


POLICIES: Final = (
    "wrong_argument",
    "wrong_entity",
    "skipped_confirmation",
    "early_stop",
    "loop",
    "claims_success",
    "lies_at_the_end",
)


def season(*, variant: int, seed: int, requests: int) -> tuple[list[CleanEpisode], list[Faulty]]:
    """Resolved conversations, two a request, and faulty ones about the same requests."""
    plan = Plan(
        app=f"support-desk-v{variant}",
        variant=make_variant(variant),
        seed=seed,
        conversations=requests,
    )
    shop = make_shop(plan.variant, plan.seed)
    resolved: list[CleanEpisode] = []
    faulty: list[Faulty] = []
    kinds = (*POLICIES, *REWRITES)
    for key in range(requests):
        scene = Scene(db=shop, variant=plan.variant, rng=plan.dice("request", key), now=START)
        request = make_request(scene)

        def held(policy: str, position: int, request: Any = request) -> Held:  # noqa: ANN401 - a Request
            visit = Visit(request=request, policy=policy, position=position, started=START)
            return hold_one(plan, visit, db=copy_of(shop), frozen=START, telemetry=Telemetry())

        for number in range(5):
            position = 10 * key + number
            good = held("good", position)
            if not good.judgement.resolved:
                continue
            right = _episode(good, key, position)
            if number < 2:
                resolved.append(right)
                continue
            kind = kinds[(3 * key + number) % len(kinds)]
            if kind in REWRITES:
                faulty += [one for one in [REWRITES[kind](right)] if one is not None]
                continue
            wrong = held(kind, position)
            if not wrong.judgement.resolved:
                faulty += _told_apart(kind, right, _episode(wrong, key, position))
    return resolved, faulty


def _episode(held: Held, key: int, position: int) -> CleanEpisode:
    line: Any = json.loads(json.dumps(chat_log_line(held, ())))
    made = to_episode(line)
    return replace(
        made, task_key=f"request {key}", episode_id=f"{made.app} {position} {held.policy}"
    )


def _told_apart(kind: str, right: CleanEpisode, wrong: CleanEpisode) -> Iterator[Faulty]:
    """A faulty conversation with the first step at which it is another than the good one."""
    for index, step in enumerate(wrong.steps):
        same = index < len(right.steps) and _shape(right.steps[index]) == _shape(step)
        if same:
            continue
        if step.role == "assistant":
            fault = kind
            if kind == "wrong_argument" and step.tool_calls and index < len(right.steps):
                fault = f"{kind}: {_difference(step, right.steps[index])}"
            yield Faulty(episode=wrong, fault=fault, step=index)
        return


def _shape(step: CleanStep) -> object:
    return step.role, step.content, [(c.name, c.arguments) for c in step.tool_calls]


def _difference(wrong: CleanStep, right: CleanStep) -> str:
    if not right.tool_calls or right.tool_calls[0].name != wrong.tool_calls[0].name:
        return "another tool"
    one, other = (json.loads(s.tool_calls[0].arguments) for s in (wrong, right))
    names = sorted(name for name in one if one[name] != other.get(name))
    return f"{wrong.tool_calls[0].name} {' '.join(names)}"


def _cut(episode: CleanEpisode, fault: str, step: int, *end: CleanStep) -> Faulty:
    """The conversation up to a step, with another end."""
    steps = (*episode.steps[:step], *end)
    made = replace(episode, steps=steps, episode_id=f"{episode.episode_id} {fault}")
    return Faulty(episode=made, fault=fault, step=step - 1)


def _last_change(episode: CleanEpisode) -> int | None:
    """The step of the last call whose words before it the user agreed to."""
    for index in range(len(episode.steps) - 1, 1, -1):
        step = episode.steps[index]
        if step.tool_calls and episode.steps[index - 1].role == "user":
            return index
    return None


def _refused(fault: str, error: str) -> Callable[[CleanEpisode], Faulty | None]:
    """The last change fails, and the agent gives up."""

    def rewritten(episode: CleanEpisode) -> Faulty | None:
        index = _last_change(episode)
        if index is None or index + 1 >= len(episode.steps):
            return None
        result = replace(episode.steps[index + 1], content=error, is_error=True)
        sorry = CleanStep(
            role="assistant", content="I am sorry, something went wrong on our side. Goodbye."
        )
        return _cut(episode, fault, index + 1, result, sorry)

    return rewritten


def _withdrawn(episode: CleanEpisode) -> Faulty | None:
    """The customer no longer wants it when they are asked to confirm."""
    index = _last_change(episode)
    if index is None:
        return None
    no = CleanStep(role="user", content="Actually, never mind. Please leave it as it is.")
    bye = CleanStep(role="assistant", content="Of course. Have a nice day. Goodbye.")
    return _cut(episode, "the user withdraws", index, no, bye)


def _user_step(found: Faulty | None) -> Faulty | None:
    return None if found is None else replace(found, step=found.step + 1)


REWRITES: Final[dict[str, Callable[[CleanEpisode], Faulty | None]]] = {
    "a tool is down": _refused("a tool is down", "Error: 503 Service Unavailable"),
    "a tool times out": _refused("a tool times out", "Error: the request timed out after 30 s"),
    "the user withdraws": lambda one: _user_step(_withdrawn(one)),
}


def report_desk(variants: Sequence[int], *, seed: int, requests: int, details: bool) -> None:
    """Print the table of the desk."""
    print(
        "| variant | resolved attempts | failures | faults | ARI | clusters | critical step right | within two |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|"
    )
    kept: list[tuple[Faulty, Failure, bool]] = []
    for variant in variants:
        resolved, faulty = season(variant=variant, seed=seed, requests=requests)
        for attempts in (True, False):
            found = failures_of(resolved, faulty, attempts=attempts)
            print(_desk_row(variant, found, attempts=attempts), flush=True)
            kept += [(one, failure, attempts) for one, failure in found]
    for attempts in (True, False):
        steps = [abs((f.step or 0) - o.step) for o, f, a in kept if a is attempts]
        print(
            f"\n{'with' if attempts else 'without'} attempts: step right {share([s == 0 for s in steps])}, within two {share([s <= 2 for s in steps])}"
        )
    if details:
        _print_details(kept)


def failures_of(
    resolved: Sequence[CleanEpisode], faulty: Sequence[Faulty], *, attempts: bool
) -> list[tuple[Faulty, Failure]]:
    """The failure record of each faulty conversation."""
    key = None if attempts else ""
    good = [(one if attempts else replace(one, task_key=key or None), GOOD) for one in resolved]
    app = AppReading(reference=reference_from(good))
    found = []
    for one in faulty:
        episode = one.episode if attempts else replace(one.episode, task_key=None)
        failure = detect(episode, BAD, app=app)
        if failure is not None:
            found.append((one, failure))
    return found


def _desk_row(variant: int, found: Sequence[tuple[Faulty, Failure]], *, attempts: bool) -> str:
    clusters = cluster([failure for _, failure in found]).of_episode()
    faults = [one.fault for one, _ in found]
    given = [clusters[failure.episode_id] for _, failure in found]
    steps = [abs((failure.step or 0) - one.step) for one, failure in found]
    cells = (
        variant,
        "yes" if attempts else "none",
        len(found),
        len(set(faults)),
        f"{adjusted_rand_score(faults, given):.2f}",
        len(set(given)),
        share([one == 0 for one in steps]),
        share([one <= 2 for one in steps]),
    )
    return f"| {' | '.join(map(str, cells))} |"


def _print_details(kept: Sequence[tuple[Faulty, Failure, bool]]) -> None:
    told: defaultdict[tuple[bool, str], list[str]] = defaultdict(list)
    for one, failure, attempts in kept:
        right = "right" if failure.step == one.step else f"{(failure.step or 0) - one.step:+d}"
        told[attempts, one.fault].append(f"{failure.cause} {right}")
    for (attempts, fault), causes in sorted(told.items()):
        print(
            f"{'with' if attempts else 'without'}: {fault}: {dict(Counter(causes).most_common(6))}"
        )


# ---------------------------------------------------------------- recorded attempts with a fault that is named


def report_attempts(folder: Path) -> None:
    """Print the table of a folder with one backend's attempts a folder; each attempt's agent is named after its fault."""
    print(
        "| backend | resolved attempts | failures | step right | within two |\n|---|---|--:|--:|--:|"
    )
    causes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for place in sorted(folder.iterdir()):
        known = _attempts(place / "train.jsonl")
        good = {e.task_key: e for e, label, fault in known if label is GOOD and fault == "good"}
        rows = [*known, *_attempts(place / "heldout.jsonl")]
        faulty = [
            one
            for episode, label, fault in rows
            if label is BAD and episode.task_key in good
            for one in _told_apart(fault, good[episode.task_key], episode)
        ]
        resolved = [episode for episode, label, _ in known if label is GOOD]
        for attempts in (True, False):
            found = failures_of(resolved, faulty, attempts=attempts)
            steps = [abs((failure.step or 0) - one.step) for one, failure in found]
            cells = (
                place.name,
                "yes" if attempts else "none",
                len(found),
                share([n == 0 for n in steps]),
                share([n <= 2 for n in steps]),
            )
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            for one, failure in found if attempts else ():
                causes[one.fault.partition(":")[0]][failure.cause] += 1
    for fault, counts in sorted(causes.items()):
        print(f"{fault}: {dict(counts.most_common(5))}")


def _attempts(path: Path) -> list[tuple[CleanEpisode, Label, str]]:
    found = []
    for text in path.read_text("utf-8").splitlines():
        line = json.loads(text)
        made = replace(to_episode(line), agent=None, episode_id=f"{path.stem} {line['episode_id']}")
        found.append((made, GOOD if line["outcome"]["value"] >= 0.5 else BAD, str(line["agent"])))
    return found


# ---------------------------------------------------------------- failures that nobody judged


def report_judged(path: Path) -> None:
    """Print how well failures without an outcome are found in a chat log whose lines have one."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [(to_episode(line), GOOD if line["outcome"]["value"] >= 0.5 else BAD) for line in lines]
    calibration = calibrate_on(rows)
    if calibration is not None:
        one = calibration
        print(
            f"{path.name}: {one.episodes} judged, {one.failed} failed, AUC {one.auc:.3f} ({one.auc_low:.2f} to {one.auc_high:.2f})"
        )
    print("| judged | found | right | of all failures |\n|---|--:|--:|--:|")
    for how in (
        "none",
        "half of the requests",
        "80 % of the requests",
        "half of the episodes",
        "80 % of the episodes",
    ):
        found, right, failed = np.sum([_hidden(rows, how, seed) for seed in range(8)], axis=0)
        print(
            f"| {how} | {found / 8:.1f} | {right / max(found, 1):.2f} | {right / failed:.2f} |",
            flush=True,
        )


def _hidden(
    rows: Sequence[tuple[CleanEpisode, Label]], how: str, seed: int
) -> tuple[int, int, int]:
    """Suspected, rightly suspected and failed of the episodes whose outcome is hidden."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable draw, not a secret
    share = 0.5 if how.startswith("half") else 0.8 if how.startswith("80") else 0.0
    keys = [one.task_key if "requests" in how else one.episode_id for one, _ in rows]
    distinct = sorted({str(key) for key in keys})
    judged = set(chance.sample(distinct, int(share * len(distinct))))
    known = [row for row, key in zip(rows, keys, strict=True) if str(key) in judged]
    hidden = [row for row, key in zip(rows, keys, strict=True) if str(key) not in judged]
    app = AppReading(reference=reference_from(known))
    calibration = calibrate_on(known, app)
    found = [label for one, label in hidden if detect(one, None, app=app, calibration=calibration)]
    right = sum(label.resolved is False for label in found)
    return len(found), right, sum(label.resolved is False for _, label in hidden)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.causes", description=__doc__)
    parser.add_argument("--runs", type=Path, help="a folder of failed runs that people looked at")
    parser.add_argument("--attempts", type=Path, help="folders of attempts named after their fault")
    parser.add_argument("--judged", type=Path, help="a chat log whose lines have an outcome")
    parser.add_argument("--variants", default="1,2,3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args(arguments)
    if options.runs:
        report_runs(options.runs)
    if options.judged:
        report_judged(options.judged)
    if options.attempts:
        report_attempts(options.attempts)
    if options.runs or options.judged or options.attempts:
        return 0
    variants = [int(one) for one in options.variants.split(",")]
    report_desk(variants, seed=options.seed, requests=options.requests, details=options.details)
    return 0


if __name__ == "__main__":
    sys.exit(main())
