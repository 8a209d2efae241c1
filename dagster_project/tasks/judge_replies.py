"""Judges' replies in the clean lake: what a model said to a rubric's question about one evidence, once and for all.

Comes in: recordings by question key. Goes out: the same, for grading without a model; and a judge that knows them. A key covers check,
prompt, scale and evidence, so that a reply is never used for anything else.
"""

from collections.abc import Iterable
from typing import Final

from dagster_project.lake.store import Lake
from dagster_project.tasks.model_replies import append_replies, reply_table, stored_replies
from environments.judges.ask import Judge
from environments.judges.client import ClientSettings
from environments.judges.spent import Spent
from environments.llm import ModelChoice
from environments.rollout.errors import EndpointError
from environments.runtime.task.attempt import Json
from environments.runtime.values.canonical import digest

REPLIES: Final = reply_table("judge_replies")


def judge_of(
    choice: ModelChoice | None,
    lake: Lake | None,
    apps: Iterable[str],
    *,
    spent: Spent | None = None,
) -> Judge:
    """The judge, with everything it said before; without a choice, one that only knows what any judge said.

    `spent` counts what its calls take.
    """
    if choice is None:
        known = {} if lake is None else replies_of(lake, apps)
        return Judge(
            model="", complete=nobody, settings=ClientSettings(give_up_after=0), replies=known
        )
    known = {} if lake is None else replies_of(lake, apps, model=choice.model)
    return Judge(model=choice.model, complete=choice.complete(spent), replies=known)


async def nobody(_instructions: str, _request: str) -> str:
    """Stands in for a model where none was chosen."""
    raise EndpointError("no judge was chosen")


def keep_fresh(lake: Lake | None, judge: Judge | None) -> None:
    """Append what the judge said since the last time."""
    if lake is not None and judge is not None:
        append_replies(lake, REPLIES, judge.model, judge.take_fresh())


def judge_says(judge: Judge) -> dict[str, object]:
    """What became of the questions, for a person."""
    counts = judge.counts
    return {
        "model": judge.model,
        "questions": counts.asked,
        "answered_before": counts.known,
        "requests": counts.batches,
        "malformed": counts.malformed,
        "discarded": counts.discarded,
        "unanswered": counts.unanswered,
        "endpoint_given_up": judge.dead,
    }


def replies_of(lake: Lake, apps: Iterable[str], *, model: str | None = None) -> dict[str, Json]:
    """Every recorded reply of some apps, of one model if named; where several models replied, the last one."""
    found = stored_replies(lake, REPLIES, apps)
    return {one.key: one.reply for one in found if model in {None, one.model}}


def replies_seen(lake: Lake, app: str) -> tuple[str, ...]:
    """A digest of an app's replies, nothing while there are none: what is made of them is made again when they change."""
    known = replies_of(lake, [app])
    return (digest(dict(known)),) if known else ()
