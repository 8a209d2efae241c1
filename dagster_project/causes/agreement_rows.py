"""How often evidence and a model name the causes that people name, as rows of a table for people.

Comes in: `Agreement`s. Goes out: cells, equal in the command line, the report and Dagster. Not here: how agreement is counted (`synth.failures.judging.agreement`).
"""

from typing import Final

from synth.failures.judging.agreement import Agreement

AGREEMENT: Final = ("who names the cause", "labelled", "cause", "step", "step within two", "agent")
"""The headings."""


def agreement_row(row: Agreement) -> tuple[str, int, str, str, str, str]:
    """A row: shares of the labelled failures on which it says what people say."""
    return (
        row.name,
        row.labelled,
        _share(row.cause, row.labelled),
        _share(row.step, row.labelled),
        _share(row.near, row.labelled),
        _share(row.agent, row.agents),
    )


def _share(hits: int, of: int) -> str:
    return f"{100 * hits / of:.0f} %" if of else "-"
