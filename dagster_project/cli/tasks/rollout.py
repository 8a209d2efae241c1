"""`tracegym rollout`: attempts of a policy at every task of a task set."""

import asyncio
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.build.progress import Step
from dagster_project.cli.bars import Bars
from dagster_project.cli.models import chosen_judge, simulator_of, user_of
from dagster_project.cli.options import (
    HOME,
    JsonOption,
    JudgeOption,
    JudgeUrlOption,
    SimulateOption,
    SimulateUrlOption,
    UserModelOption,
    UserUrlOption,
)
from dagster_project.cli.output import notices, print_json, print_pairs, print_text
from dagster_project.cli.reasons import print_policies, print_reasons
from dagster_project.cli.settings import read_settings
from dagster_project.errors import InputError, Interrupted
from dagster_project.home.layout import open_home

if TYPE_CHECKING:
    from dagster_project.rollouts.policies import PolicyChoice
    from dagster_project.rollouts.runs import RolloutCounts
    from environments.rollout.budget import Limits
    from environments.rollout.rollout import Rollout


class Engine(StrEnum):
    """Where rollouts run."""

    LOCAL = "local"
    RAY = "ray"


def rollout(  # noqa: PLR0913, PLR0917 - one parameter per option
    task_set: Annotated[Path, typer.Argument(metavar="TASKSET", help="A task set's folder.")],
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            help="solution, noop, claim, copy, random_calls; http://host/v1; torch:FOLDER; or provider/model.",
        ),
    ],
    model: Annotated[str, typer.Option("--model", help="The model behind an http policy.")] = "",
    samples: Annotated[int, typer.Option("-n", "--samples", min=1, help="Rollouts per task.")] = 1,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Runs in flight.")] = 64,
    temperature: Annotated[float | None, typer.Option("--temperature")] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Stop before this many are used.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="Stop before this much is spent.")
    ] = None,
    max_minutes: Annotated[
        float | None, typer.Option("--max-minutes", min=0, help="Start no model call after this.")
    ] = None,
    engine: Annotated[Engine, typer.Option("--engine", help="This process, or Ray workers.")] = (
        Engine.LOCAL
    ),
    ray_address: Annotated[
        str, typer.Option("--ray-address", help="Such as auto; without it, Ray starts here.")
    ] = "",
    workers: Annotated[int, typer.Option("--workers", min=1, help="Ray workers.")] = 2,
    worker_gpus: Annotated[
        float, typer.Option("--worker-gpus", min=0, help="GPUs that each Ray worker reserves.")
    ] = 0.0,
    judge: JudgeOption = "",
    judge_url: JudgeUrlOption = "",
    simulate: SimulateOption = "",
    simulate_url: SimulateUrlOption = "",
    user_model: UserModelOption = "",
    user_url: UserUrlOption = "",
    home: Annotated[
        Path | None,
        typer.Option(
            "--home", metavar="DIR", help=f"Keep the rollouts there, if given or {HOME} exists."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Also write them as JSON lines; rows are added to rows."
        ),
    ] = None,
    out_format: Annotated[
        str,
        typer.Option("--out-format", help="What --out holds: rows, chat, trl, verl, skyrl."),
    ] = "rows",
    as_json: JsonOption = False,
) -> None:
    """Run a policy over a task set, many at once; stopped, it goes on where it was.

    Example: tracegym rollout my_tasks --policy http://localhost:8000/v1 --model m -n 16 --home H
    """
    if policy.startswith(("http://", "https://")) and not model:
        raise typer.BadParameter("an http policy needs the model's name", param_hint="--model")
    judged_by = chosen_judge(judge, judge_url)
    simulated_by = simulator_of(simulate, simulate_url)
    user_by = user_of(user_model, user_url)
    _require_format(out_format)
    _require_policy(policy)
    if not task_set.is_dir():
        raise InputError(f"{task_set} is no folder; make a task set with: tracegym export taskset")
    where = home or (HOME if HOME.is_dir() else None)
    opened = open_home(where) if where is not None else None
    # pyarrow, deltalake and aiohttp: 1 s
    from dagster_project.lake.store import Lake  # noqa: PLC0415
    from dagster_project.rollouts.files import earlier_rows, write_rollouts  # noqa: PLC0415
    from dagster_project.rollouts.policies import ClusterChoice, Launch, PolicyChoice  # noqa: PLC0415
    from dagster_project.rollouts.runs import roll_out  # noqa: PLC0415
    from environments.rollout.budget import Limits  # noqa: PLC0415
    from environments.rollout.engine import RolloutSettings  # noqa: PLC0415

    limits = Limits(
        tokens=max_tokens,
        cost=max_cost,
        seconds=None if max_minutes is None else 60 * max_minutes,
    )
    launch = Launch(
        choice=PolicyChoice(
            name=policy,
            model=model,
            api_key=read_settings().policy_key or "",
            temperature=temperature,
        ),
        settings=RolloutSettings(samples=samples, concurrency=concurrency, limits=limits),
        cluster=ClusterChoice(address=ray_address, workers=workers, gpus=worker_gpus)
        if engine is Engine.RAY
        else None,
    )
    _require_price(launch.choice, limits)
    lake = Lake(opened.clean / "lake") if opened is not None else None
    written: list[Rollout] = []

    with _hold_output(out), Bars(notices()) as bars:
        earlier = earlier_rows(out, out_format) if out is not None else []

        def hear(one: "Rollout", counts: "RolloutCounts") -> None:
            total = max(0, counts.wanted)
            bars.hear(Step(asset="rollouts", done=counts.rollouts, total=total, says=_says(counts)))
            if out is not None:
                written.append(one)

        try:
            counts = asyncio.run(
                roll_out(
                    lake,
                    task_set,
                    launch,
                    judged_by=judged_by,
                    simulated_by=simulated_by,
                    user_by=user_by,
                    on_rollout=hear,
                )
            )
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted; finished rollouts are kept. The same command goes on"
                if lake
                else "interrupted; without --home nothing was kept"
            ) from None
        finally:
            if out is not None:
                write_rollouts(out, written, out_format, lake, earlier=earlier)
    stopped = _stopped(counts, limits, kept=lake is not None)
    if as_json:
        print_json({**_document(counts), **({"stopped": stopped} if stopped else {})})
    else:
        _print(counts, where)
    if stopped:
        notices().print(stopped, soft_wrap=True)
    if counts.failed and counts.failed == counts.rollouts:
        raise InputError("every rollout failed; see that the endpoint answers and try again")


def _hold_output(out: Path | None) -> AbstractContextManager[None]:
    """The file of `--out`, so that no second command writes it meanwhile."""
    from dagster_project.storage.file_locks import sole_writer  # noqa: PLC0415 - beside what is slow

    if out is None or out.is_dir():
        return nullcontext()
    told = f"another command is writing {out}; wait for it, or give --out another name"
    return sole_writer(out, told)


def _print(counts: "RolloutCounts", home: Path | None) -> None:
    pairs = {
        n: v
        for n, v in _document(counts).items()
        if n not in {"reasons", "policies", "unknown_by_tool"}
    }
    print_pairs(f"rollouts of {counts.policy}", pairs)
    print_reasons(counts.causes)
    if counts.unknown_tools:
        told = ", ".join(f"{tool} {n:,}" for tool, n in counts.unknown_tools.most_common(8))
        print_text(f"unknown answers in runs without a reward, by tool: {told}")
    print_policies(counts.policies)
    if home is not None and counts.policies:
        notices().print(f"look at single rollouts with: tracegym runs --home {quote(str(home))}")


def _stopped(counts: "RolloutCounts", limits: "Limits", *, kept: bool) -> str:
    """Why rollouts are missing, in one sentence; empty where none is."""
    left = counts.wanted - counts.rollouts
    given = {
        "--max-tokens": limits.tokens,
        "--max-cost": limits.cost,
        "--max-minutes": None if limits.seconds is None else limits.seconds / 60,
    }
    reached = [f"{name} {value:g}" for name, value in given.items() if value is not None]
    if left <= 0 or not reached:
        return ""
    more = "the same command with more goes on" if kept else "with --home the next run goes on"
    return (
        f"stopped before the next call could pass {' or '.join(reached)}: "
        f"{left} of {counts.wanted} rollouts are not made; {more}"
    )


def _require_price(choice: "PolicyChoice", limits: "Limits") -> None:
    """A limit on money holds only where calls have a price."""
    if limits.cost is not None and choice.is_free:
        raise InputError(
            f"{choice.name} runs here and has no price, so --max-cost cannot hold: use --max-tokens or --max-minutes"
        )


OUT_FORMATS = ("rows", "chat", "trl", "verl", "skyrl")
"""As `environments.rollout.training` has them, and the lake's own columns."""


SCRIPTS = ("solution", "noop", "claim", "copy", "random_calls")
"""As `environments.rollout.scripts` has them."""


def _require_format(name: str) -> None:
    if name not in OUT_FORMATS:
        raise typer.BadParameter(f"choose from {', '.join(OUT_FORMATS)}", param_hint="--out-format")


def _require_policy(name: str) -> None:
    """A word alone is a script; anything else is asked for where it lies."""
    if name.startswith(("http://", "https://", "torch:")) or "/" in name or name in SCRIPTS:
        return
    raise typer.BadParameter(
        f"{name} is no policy; choose from {', '.join(SCRIPTS)}, http://host/v1, torch:FOLDER or provider/model",
        param_hint="--policy",
    )


def _says(counts: "RolloutCounts") -> str:
    """The line beside the bar."""
    paid = "" if counts.mean_reward is None else f"mean reward {counts.mean_reward:.2f}, "
    cost = f", cost {counts.cost:.2f}" if counts.cost else ""
    return f"{paid}{counts.masked} masked, {counts.failed} failed{cost}"


def _document(counts: "RolloutCounts") -> dict[str, object]:
    from dagster_project.rollouts.reasons import count_causes  # noqa: PLC0415 - see above

    return {
        "policy": counts.policy,
        "rollouts": counts.rollouts,
        "already_there": counts.before,
        "graded": counts.graded,
        "masked": counts.masked,
        "failed": counts.failed,
        "mean_reward": counts.mean_reward,
        "reasons": count_causes(counts.causes.elements()),
        "unknown_by_tool": dict(counts.unknown_tools.most_common()),
        "policies": [one.to_json() for one in counts.policies],
        **({"checks_passed": f"{counts.passed} of {counts.checks}"} if counts.checks else {}),
        **({"cost": round(counts.cost, 6)} if counts.cost else {}),
        **({"judge": counts.judge} if counts.judge else {}),
        **(
            {"simulated_answers": counts.simulated, "simulator": dict(counts.simulator)}
            if counts.simulator
            else {}
        ),
        **({"user": dict(counts.user)} if counts.user else {}),
    }
