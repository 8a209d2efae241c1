"""What an envelope around every result costs a world: invented backends, each in the forms that tool servers wrap results in.

The same attempts and sequences as `benchmarks.worlds.unseen`, with every answer put into one form. Not here: the forms (`testbeds.result_forms`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import Attempt, Made, chat
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.result_forms import NOISE, Form
from benchmarks.worlds.unseen import asked_in_form
from environments.fidelity import Fidelity

FAILS: Final = 0.04


def wrapped(attempt: Attempt, form: Form | None) -> Attempt:
    """The same attempt, every answer in one form."""
    if form is None:
        return attempt
    return replace(attempt, calls=tuple(replace(m, content=form(m)) for m in attempt.calls))


def through_gateway(attempt: Attempt) -> Attempt:
    """The same attempt behind a gateway that fails now and then; the agent makes such a call again."""
    calls = ((failed, m) if (failed := _failed(m)) else (m,) for m in attempt.calls)
    return replace(attempt, calls=tuple(chain.from_iterable(calls)))


def _failed(made: Made) -> Made | None:
    if NOISE.random() >= FAILS:
        return None
    said = NOISE.choice(
        ["503, try again", f"upstream timed out after {NOISE.randrange(5, 30)}000 ms"]
    )
    return replace(made, content=said, is_error=True)


def line_of(style: Style, attempt: Attempt, *, flags: bool) -> dict[str, Any]:
    """An attempt as a line of a chat log, with or without what the source says of errors."""
    line = chat(style, attempt)
    if not flags:
        for message in line["messages"]:
            message.pop("tg", None)
    return line


def asked(
    style: Style,
    form: Form | None,
    seed: int,
    *,
    flags: bool,
    recorded: Callable[[Attempt], Attempt] = lambda a: a,
) -> list[Fidelity]:
    """What held-out attempts and recombined sequences are told; `recorded` is what became of the attempts that are learnt from."""
    NOISE.seed(f"noise/{seed}")
    _, both = asked_in_form(
        style,
        seed,
        lambda a: wrapped(a, form),
        lambda a: to_episode(line_of(style, recorded(a), flags=flags)),
    )
    return both


def behind_gateway(style: Style, seed: int) -> list[Fidelity]:
    """What both are told by a world learnt behind a gateway that fails now and then; what is asked never met a failure."""
    return asked(style, None, seed, flags=False, recorded=through_gateway)


def measure(style: Style, form: Form | None, seed: int, *, flags: bool) -> list[Counter[str]]:
    """Verdicts of both; `bytes` counts exact answers that are spelt otherwise."""
    found = []
    for told in asked(style, form, seed, flags=flags):
        counts = Counter(j.verdict for j in told.judged)
        counts["bytes"] = sum(
            j.verdict == "exact" and j.result.content != j.call.content for j in told.judged
        )
        found.append(counts)
    return found
