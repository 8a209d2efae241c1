"""The example desk with injected faults: whether the critical step is found, and whether clusters are the faults.

The critical step is the first at which the faulty agent does something else than the good one in the same conversation; clusters are compared with faults (ARI), once
with resolved attempts at the same request, once without any.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from sklearn.metrics import adjusted_rand_score

from benchmarks.causes.faults import Faulty, failures_of, told_apart
from benchmarks.causes.figures import share, step_shares
from benchmarks.figures import Row
from benchmarks.testbeds.chat_logs import to_episode
from examples.support_desk.backend.database import copy_of
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.records import Held, chat_log_line
from examples.support_desk.request_kinds_other import make_request
from examples.support_desk.scene import Scene
from examples.support_desk.season import Plan, Visit, hold_one
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import make_variant
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.clusters.clustering import cluster
from synth.failures.detection import Failure

POLICIES: Final = (
    "wrong_argument", "wrong_entity", "skipped_confirmation", "early_stop", "loop",
    "claims_success", "lies_at_the_end",
)  # fmt: skip


CAUSES: Final = {
    "wrong_argument": "wrong_argument",
    "wrong_entity": "wrong_argument",
    "skipped_confirmation": "instruction_not_followed",
    "early_stop": "premature_end",
    "loop": "loop",
    "claims_success": "invented_claim",
    "lies_at_the_end": "invented_claim",
    "a tool is down": "tool_error",
    "a tool times out": "tool_timeout",
    "the user withdraws": "user_withdrew",
}
"""What a person would call each fault."""


def cause_of(one: Faulty) -> str:
    """What a person would call the fault of a conversation."""
    return CAUSES[one.fault.partition(":")[0]]


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
                faulty += told_apart(kind, right, _episode(wrong, key, position))
    return resolved, faulty


def _episode(held: Held, key: int, position: int) -> CleanEpisode:
    line: Any = json.loads(json.dumps(chat_log_line(held, ())))
    made = to_episode(line)
    return replace(
        made, task_key=f"request {key}", episode_id=f"{made.app} {position} {held.policy}"
    )


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


def desk_rows(variants: Sequence[int], *, seed: int, requests: int, details: bool) -> Iterator[Row]:
    """A row for each variant of the desk, with and without resolved attempts, and for all of them."""
    kept: list[tuple[Faulty, Failure, bool]] = []
    for variant in variants:
        resolved, faulty = season(variant=variant, seed=seed, requests=requests)
        for attempts in (True, False):
            found = failures_of(resolved, faulty, attempts=attempts)
            yield _row(f"desk {variant}", found, attempts=attempts)
            kept += [(one, failure, attempts) for one, failure in found]
    for attempts in (True, False):
        steps = [abs((f.step or 0) - o.step) for o, f, a in kept if a is attempts]
        yield Row(
            case=_named("all", attempts=attempts),
            figures={"failures": len(steps), **step_shares(steps)},
        )
    if details:
        _print_details(kept)


def _named(name: str, *, attempts: bool) -> str:
    return f"{name}, {'with' if attempts else 'without'} resolved attempts"


def _row(name: str, found: Sequence[tuple[Faulty, Failure]], *, attempts: bool) -> Row:
    clusters = cluster([failure for _, failure in found]).of_episode()
    faults = [one.fault for one, _ in found]
    given = [clusters[failure.episode_id] for _, failure in found]
    return Row(
        case=_named(name, attempts=attempts),
        figures={
            "failures": len(found),
            "faults": len(set(faults)),
            "ARI": round(float(adjusted_rand_score(faults, given)), 3),
            "clusters": len(set(given)),
            **share("cause right %", [f.cause == cause_of(one) for one, f in found]),
            **step_shares([abs((f.step or 0) - one.step) for one, f in found]),
        },
    )


def _print_details(kept: Sequence[tuple[Faulty, Failure, bool]]) -> None:
    told: defaultdict[tuple[bool, str], list[str]] = defaultdict(list)
    for one, failure, attempts in kept:
        right = "right" if failure.step == one.step else f"{(failure.step or 0) - one.step:+d}"
        told[attempts, one.fault].append(f"{failure.cause} {right}")
    for (attempts, fault), causes in sorted(told.items()):
        print(
            f"{'with' if attempts else 'without'}: {fault}: {dict(Counter(causes).most_common(6))}"
        )
