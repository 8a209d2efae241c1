"""Judges' replies in the clean lake: what a model said to a rubric's question about one evidence, once and for all.

Comes in: recordings by question key. Goes out: the same, for grading without a model; and a judge that knows them.
A key covers check, prompt, scale and evidence, so that a reply is never used for anything else. Not here: how a model is
asked (`environments.judges`).
"""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from dagster_project.lake.store import Lake
from dagster_project.lake.tables import BY_APP, Table
from environments.judges.ask import Judge
from environments.judges.client import ClientSettings
from environments.judges.spent import Spent
from environments.llm import LlmJudge
from environments.rollout.errors import EndpointError
from environments.runtime.task.attempt import Json
from environments.runtime.values.canonical import digest

_COLUMNS: Final[dict[str, pa.DataType]] = {
    **dict.fromkeys(("app", "key", "model", "reply"), pa.string()),
    "at": pa.int64(),
}
REPLY_SCHEMA: Final = pa.schema(_COLUMNS)
REPLIES: Final = Table(
    name="judge_replies", schema=REPLY_SCHEMA, by=BY_APP, identity=("key", "model")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChoice:
    """Which model answers judge checks."""

    model: str
    """As litellm names it; any name where `url` is given."""
    url: str = ""
    """An OpenAI-compatible endpoint."""
    api_key: str = ""
    stream: bool = False


def judge_of(
    choice: JudgeChoice | None,
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
    model = LlmJudge(
        model=choice.model,
        base_url=choice.url,
        api_key=choice.api_key,
        stream=choice.stream,
        spent=Spent() if spent is None else spent,
    )
    known = {} if lake is None else replies_of(lake, apps, model=choice.model)
    return Judge(model=choice.model, complete=model, replies=known)


async def nobody(_instructions: str, _request: str) -> str:
    """Stands in for a model where none was chosen."""
    raise EndpointError("no judge was chosen")


def keep_fresh(lake: Lake | None, judge: Judge | None) -> None:
    """Append what the judge said since the last time."""
    if lake is not None and judge is not None:
        keep_replies(lake, judge.model, judge.take_fresh())


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
    rows = [row for app in sorted(set(apps)) for row in lake.read(REPLIES, app=app).to_pylist()]
    rows.sort(key=lambda row: (row["at"], row["model"]))
    return {row["key"]: json.loads(row["reply"]) for row in rows if model in {None, row["model"]}}


def replies_seen(lake: Lake, app: str) -> tuple[str, ...]:
    """A digest of an app's replies, nothing while there are none: what is made of them is made again when they change."""
    known = replies_of(lake, [app])
    return (digest(dict(known)),) if known else ()


def keep_replies(lake: Lake, model: str, fresh: Mapping[str, Mapping[str, Json]]) -> int:
    """Append a model's replies, by app and key; says how many."""
    at = time.time_ns()
    rows = [
        {"app": app, "key": key, "model": model, "reply": json.dumps(reply), "at": at}
        for app, replies in sorted(fresh.items())
        for key, reply in sorted(replies.items())
    ]
    if rows:
        lake.append(REPLIES, pa.Table.from_pylist(rows, schema=REPLY_SCHEMA))
    return len(rows)
