"""What a model answered about causes, in the clean lake: each request is asked once and for all.

Comes in: replies by the digest of what was asked. Goes out: a judge that knows them; without a model, one that knows what the last one said.
Not here: what is asked (`synth.failures.judging`), how a model is chosen (`tracegym build --judge-causes`).
"""

import json
import time
from typing import Final

import pyarrow as pa

from dagster_project.lake.store import Lake
from dagster_project.lake.tables import BY_APP, Table
from dagster_project.tasks.judge_replies import REPLY_SCHEMA, JudgeChoice, nobody
from environments.judges.client import ClientSettings
from environments.judges.spent import Spent
from environments.llm import LlmJudge
from synth.failures.judging.judge import CauseJudge

CAUSE_REPLIES: Final = Table(
    name="cause_replies", schema=REPLY_SCHEMA, by=BY_APP, identity=("key", "model")
)


def model_of(choice: JudgeChoice | None, lake: Lake, app: str) -> str:
    """The model that is asked, else the one that answered last; empty where there is none."""
    if choice is not None:
        return choice.model
    rows = lake.read(CAUSE_REPLIES, app=app, columns=("model", "at")).to_pylist()
    return max(((row["at"], row["model"]) for row in rows), default=(0, ""))[1]


def cause_judge_of(
    choice: JudgeChoice | None, lake: Lake, app: str, *, spent: Spent
) -> CauseJudge | None:
    """The judge of an app's causes, with all that its model answered before; None where no model was ever asked."""
    model = model_of(choice, lake, app)
    if not model:
        return None
    rows = lake.read(CAUSE_REPLIES, app=app).to_pylist()
    known = {row["key"]: json.loads(row["reply"]) for row in rows if row["model"] == model}
    if choice is None:
        silent = ClientSettings(give_up_after=0)
        return CauseJudge(model=model, complete=nobody, settings=silent, replies=known)
    complete = LlmJudge(
        model=choice.model,
        base_url=choice.url,
        api_key=choice.api_key,
        stream=choice.stream,
        spent=spent,
    )
    return CauseJudge(model=model, complete=complete, replies=known)


def keep_answers(lake: Lake, app: str, judge: CauseJudge) -> None:
    """Append what the model answered since the last time."""
    at = time.time_ns()
    rows = [
        {"app": app, "key": key, "model": judge.model, "reply": json.dumps(text), "at": at}
        for key, text in sorted(judge.take_fresh().items())
    ]
    if rows:
        lake.append(CAUSE_REPLIES, pa.Table.from_pylist(rows, schema=REPLY_SCHEMA))
