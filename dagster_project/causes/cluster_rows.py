"""What a cluster cost, where it comes from, and who names its cause as people do: equal in the command line, the report and Dagster.

Comes in: clusters and failures. Goes out: texts and cells of a table.
"""

from collections.abc import Iterable
from typing import Final

from synth.clusters.clustering import Cluster
from synth.failures.detection import Failure
from synth.failures.judging.agreement import agreement_of


def cost_of(one: Cluster) -> str:
    """What its failures cost, by unit; nothing where no outcome is an amount."""
    return ", ".join(f"{amount.value:,.2f} {amount.unit}" for amount in one.amounts)


def lineage_of(one: Cluster, known: Iterable[Cluster]) -> str:
    """What became of it: split from another, merged into another, or retired; nothing of one that only continues."""
    names = {other.cluster_id: other.name for other in known}
    if one.merged_into:
        return f"merged into {names.get(one.merged_into, one.merged_into)}"
    if one.retired:
        return "retired: nothing fails like this any more"
    return f"split from {names.get(one.split_from, one.split_from)}" if one.split_from else ""


AGREEMENT: Final = ("who names the cause", "labelled", "cause", "step", "step within two", "agent")
"""The headings."""


def agreement_rows(
    app: str, failures: Iterable[Failure]
) -> list[tuple[str, str, int, str, str, str, str]]:
    """Who names the causes of an app as people do: shares of the labelled failures on which each says what people say."""
    return [
        (
            *(app, row.name, row.labelled),
            _share(row.cause, row.labelled),
            _share(row.step, row.labelled),
            _share(row.near, row.labelled),
            _share(row.agent, row.agents),
        )
        for row in agreement_of(failures)
    ]


def _share(hits: int, of: int) -> str:
    return f"{100 * hits / of:.0f} %" if of else "-"
