"""The support desk, run: `python examples/support_desk/app.py --conversations 200 --otlp http://127.0.0.1:4318`.

Comes in: how many conversations, in which mode and variant. Goes out: OTLP to an endpoint or a spool file, a chat log,
a CSV of late outcomes, and (for measurements only) the truth. Needs no model; with `--endpoint` a real one answers.
"""

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from rich.progress import track

from examples.support_desk.agents.agent import AgentError
from examples.support_desk.agents.faulty import POLICIES, make_agent
from examples.support_desk.agents.model import model_agents
from examples.support_desk.exporters import ENDPOINT_VARIABLE, telemetry_to
from examples.support_desk.feedback import Feedback
from examples.support_desk.living import living_season
from examples.support_desk.records import Held, chat_log_line, csv_row, dumps, truth_line
from examples.support_desk.season import Plan, reset_season
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import make_variant


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the desk and writes what was asked for."""
    options = parse(arguments)
    plan = plan_of(options)
    telemetry = telemetry_to(
        otlp=options.otlp, spool=options.spool, service=plan.app, seed=f"{plan.app} {plan.seed}"
    )
    with ExitStack() as stack:
        sinks = Sinks(options, stack)
        held_ones = track(
            season(plan, telemetry),
            total=plan.conversations,
            description=f"{plan.app}: conversations",
            disable=options.quiet,
        )
        try:
            resolved = sum(sinks.write(held) for held in held_ones)
        except AgentError as error:
            print(f"{plan.app}: {error}", file=sys.stderr)
            return 1
        finally:
            telemetry.close()
    print(f"{plan.app}: {plan.conversations} conversations, {resolved} resolved")
    return 0


def season(plan: Plan, telemetry: Telemetry) -> Iterator[Held]:
    """The conversations of a plan."""
    return (living_season if plan.mode == "living" else reset_season)(plan, telemetry)


class Sinks:
    """The files that the app writes."""

    def __init__(self, options: argparse.Namespace, stack: ExitStack) -> None:
        self._chat_log = _open(options.chat_log, stack)
        self._truth = _open(options.truth, stack)
        outcomes = _open(options.outcomes_csv, stack)
        self._csv = csv.writer(outcomes) if outcomes else None
        if self._csv:
            self._csv.writerow(["conversation_id", "name", "value", "at", "by"])

    def write(self, held: Held) -> bool:
        """Writes one conversation; true when it was resolved."""
        if self._csv:
            for late in _late(held.feedback):
                self._csv.writerow(csv_row(held, late))
        if self._chat_log:
            shown = [f for f in held.feedback if self._csv is None or f not in _late(held.feedback)]
            self._chat_log.write(dumps(chat_log_line(held, shown)))
        if self._truth:
            self._truth.write(dumps(truth_line(held)))
        return held.judgement.resolved


def _late(feedback: Sequence[Feedback]) -> list[Feedback]:
    """What only the ticket system knows."""
    return [given for given in feedback if given.by == "business_record"]


def _open(path: Path | None, stack: ExitStack) -> TextIO | None:
    if path is None:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    return stack.enter_context(path.open("w", encoding="utf-8", newline=""))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Runs the example support desk and sends what happens there."
    )
    parser.add_argument("--conversations", type=int, default=200)
    parser.add_argument("--mode", choices=("reset", "living"), default="reset")
    parser.add_argument("--variant", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--app", help="the app's name; default: support-desk and the variant")
    parser.add_argument("--noise", type=float, default=0.0, help="share of feedback that is wrong")
    parser.add_argument(
        "--task-keys", type=int, default=1, metavar="N", help="N attempts a request"
    )
    parser.add_argument(
        "--policies",
        type=_policies,
        default=(),
        metavar="A,B",
        help=f"of {', '.join(POLICIES)}; default: a mixture",
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--otlp", metavar="URL", help=f"default: ${ENDPOINT_VARIABLE}")
    target.add_argument("--spool", type=Path, help="OTLP as JSON lines into a file")
    parser.add_argument("--chat-log", type=Path)
    parser.add_argument("--outcomes-csv", type=Path)
    parser.add_argument("--truth", type=Path, help="what really happened; never feed it back")
    parser.add_argument(
        "--endpoint", metavar="URL", help="a real model answers: an OpenAI-compatible base URL"
    )
    parser.add_argument("--model", default="default", help="the model's name at the endpoint")
    parser.add_argument(
        "--stream", action="store_true", help="take the model's answers as a stream"
    )
    parser.add_argument("--quiet", action="store_true")
    return parser.parse_args(arguments)


def _policies(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    for name in names:
        if name not in POLICIES:
            raise argparse.ArgumentTypeError(f"no policy {name!r}; there are {', '.join(POLICIES)}")
    return names


def plan_of(options: argparse.Namespace) -> Plan:
    """The plan that the options describe."""
    variant = make_variant(options.variant)
    suffix = f"-v{options.variant}" if options.variant else ""
    return Plan(
        app=options.app or f"support-desk{suffix}",
        variant=variant,
        seed=options.seed,
        conversations=options.conversations,
        mode=options.mode,
        noise=options.noise,
        attempts=options.task_keys,
        policies=options.policies,
        make_agent=(
            model_agents(options.endpoint, options.model, stream=options.stream)
            if options.endpoint
            else make_agent
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
