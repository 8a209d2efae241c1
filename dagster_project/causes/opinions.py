"""What people and a model say went wrong in the failures of an app, as `detect` takes it.

Comes in: failed episodes, labels, and the model that may be asked. Goes out: what is said of each. An episode of which the model gives no
usable opinion, or for which the budget does not last, is noted and keeps the cause that the evidence names.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dagster_project.build.budgets import Meter
from dagster_project.build.left_out import Skips
from dagster_project.build.left_out_rows import BUDGET, UNANSWERED
from dagster_project.causes.labels import Labels, labels_in, shown_to_model
from dagster_project.causes.replies import cause_judge_of, keep_answers, model_of
from dagster_project.clean_records import failures_of
from dagster_project.defs.resources import CleanSide
from dagster_project.lake.store import Lake
from redact.records.clean_episode import CleanEpisode
from synth.failures.detection import Failure
from synth.failures.judging.agreement import agreement_of, renamed, trusts_model
from synth.failures.judging.judge import may_be_asked, to_ask
from synth.failures.judging.opinion import NOTHING, PERSON, Opinion, SaidOpinions

KIND = "cause"


def said_of(
    clean: CleanSide, app: str, failed: Sequence[CleanEpisode], *, meter: Meter, skips: Skips
) -> Mapping[str, SaidOpinions]:
    """What people and the model say of failed episodes, by episode; nothing of those of which nobody says anything."""
    labels = labels_in(clean.lake, app)
    opinions: defaultdict[str, list[Opinion]] = defaultdict(list)
    for episode in failed:
        opinions[episode.episode_id] += labels.opinions.get(episode.episode_id, ())
    with skips.unit("model"):
        for episode_id, said in _of_model(clean, app, failed, labels, meter, skips):
            opinions[episode_id].append(said)
    learnt = learnt_of(clean.lake, app, labels)
    found = {key: replace(learnt, opinions=tuple(said)) for key, said in opinions.items()}
    return {key: said for key, said in found.items() if said != NOTHING}


def learnt_of(lake: Lake, app: str, labels: Labels) -> SaidOpinions:
    """What the labels teach about all failures: whether the model is right more often, and people's words for what the evidence names."""
    if not labels.opinions:
        return NOTHING
    known = [_WithLabels(opinions=_now(f, labels)) for f in failures_of(lake, app)]
    return SaidOpinions(trusts_model=trusts_model(agreement_of(known)), renamed=renamed(known))


def asked_for(clean: CleanSide, app: str) -> tuple[str, ...]:
    """What opinions of an app's failures depend on, as text; nothing where nobody ever had one."""
    labels = labels_in(clean.lake, app)
    model = model_of(clean.cause_judge, clean.lake, app)
    learnt = learnt_of(clean.lake, app, labels)
    if not model and learnt == NOTHING:
        return ()
    words = ", ".join(f"{cause} is {word}" for cause, word in sorted(learnt.renamed.items()))
    return (
        f"causes by {model}, {len(labels.examples)} labels shown, trusted: {learnt.trusts_model}, {words}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _WithLabels:
    """A failure with what is said of it, the labels as they are now."""

    opinions: tuple[Opinion, ...]


def _now(failure: Failure, labels: Labels) -> tuple[Opinion, ...]:
    others = (one for one in failure.opinions if one.by != PERSON)
    return (*others, *labels.opinions.get(failure.episode_id, ()))


def _of_model(  # noqa: PLR0913, PLR0917 - one step of `said_of`
    clean: CleanSide,
    app: str,
    failed: Sequence[CleanEpisode],
    labels: Labels,
    meter: Meter,
    skips: Skips,
) -> list[tuple[str, Opinion]]:
    judge = cause_judge_of(clean.cause_judge, clean.lake, app, spent=meter.spent)
    if judge is None:
        return []
    judge.may_ask = lambda: not meter.spent_up
    asked = to_ask(failed, shown_to_model(clean.lake, app, labels), labels.opinions.keys())
    try:
        said = judge.opinions(asked)
    finally:
        keep_answers(clean.lake, app, judge)
    found: list[tuple[str, Opinion]] = []
    for one, opinion in zip(asked, said, strict=True):
        episode_id = one.episode.episode_id
        if opinion is not None:
            found.append((episode_id, opinion))
        elif clean.cause_judge is not None and may_be_asked(one):
            skips.leave(KIND, episode_id, BUDGET if meter.spent_up else UNANSWERED)
    return found
