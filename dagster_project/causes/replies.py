"""What a model answered about causes, in the clean lake: each request is asked once and for all.

Comes in: replies by the digest of what was asked. Goes out: a judge that knows them; without a model, one that knows what the last one
said.
"""

from typing import Final

from dagster_project.lake.store import Lake
from dagster_project.tasks.judge_replies import nobody
from dagster_project.tasks.model_replies import append_replies, reply_table, stored_replies
from environments.judges.client import ClientSettings
from environments.judges.spent import Spent
from environments.llm import ModelChoice
from synth.failures.judging.judge import CauseJudge

CAUSE_REPLIES: Final = reply_table("cause_replies")


def model_of(choice: ModelChoice | None, lake: Lake, app: str) -> str:
    """The model that is asked, else the one that answered last; empty where there is none."""
    if choice is not None:
        return choice.model
    rows = lake.read(CAUSE_REPLIES, app=app, columns=("model", "at")).to_pylist()
    return max(((row["at"], row["model"]) for row in rows), default=(0, ""))[1]


def cause_judge_of(
    choice: ModelChoice | None, lake: Lake, app: str, *, spent: Spent
) -> CauseJudge | None:
    """The judge of an app's causes, with all that its model answered before; None where no model was ever asked."""
    model = model_of(choice, lake, app)
    if not model:
        return None
    replies = stored_replies(lake, CAUSE_REPLIES, [app])
    known = {one.key: str(one.reply) for one in replies if one.model == model}
    if choice is None:
        silent = ClientSettings(give_up_after=0)
        return CauseJudge(model=model, complete=nobody, settings=silent, replies=known)
    return CauseJudge(model=model, complete=choice.complete(spent), replies=known)


def keep_answers(lake: Lake, app: str, judge: CauseJudge) -> None:
    """Append what the model answered since the last time."""
    append_replies(lake, CAUSE_REPLIES, judge.model, {app: judge.take_fresh()})
