"""What a cluster cost and where it comes from, in words, equal in the command line, the report and Dagster.

Comes in: clusters. Goes out: texts. Not here: how they are found (`synth.clusters`).
"""

from collections.abc import Iterable

from synth.clusters.clustering import Cluster


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
