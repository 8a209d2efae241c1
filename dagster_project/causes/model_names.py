"""Names of failure clusters by the model that is asked for causes, within the budget of `failure_clusters`.

Comes in: the clean side and a meter. Goes out: what `cluster` takes as `naming`, or None without a model. A cluster is named once, so
nothing is remembered beside its name.
"""

from dagster_project.build.budgets import Meter
from dagster_project.defs.resources import CleanSide
from synth.clusters.clustering import Naming
from synth.clusters.llm_names import llm_naming
from synth.llm import LlmError, LlmSettings, reply_of


def naming_of(clean: CleanSide, meter: Meter) -> Naming | None:
    """A naming that asks the model; whatever goes wrong keeps the template's name."""
    choice = clean.cause_judge
    if choice is None:
        return None
    model = choice.complete(meter.spent)

    def complete(_settings: LlmSettings, prompt: str) -> str:
        if meter.spent_up:
            raise LlmError("the budget of failure_clusters is spent")
        return reply_of(model, "Answer with JSON only.", prompt)

    return llm_naming(LlmSettings(model=choice.model), k=clean.k, complete=complete)
