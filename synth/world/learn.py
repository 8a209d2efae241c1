"""How a world is learnt: steps over one workbench, each of which fills in what the steps before left open.

Comes in: a workbench with the calls of one app as tools take and give them (`views.discover` comes before). Comes out: the same
workbench with all that the world file says. A new step gets a line in `RESULTS` or `THEORY`; most rules are no steps but candidates of
one: literals of refusals (`refusals.literals`), forms of values (`search.terms`), views (`views.discover`). Not here: how
the world file is written (`document`), recalled answers (`influence.recall`), which need it whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from environments.runtime.world.world import World
from synth.world.actions.effects import learn_effects
from synth.world.actions.examples import collect
from synth.world.document import write_document
from synth.world.influence.dependencies import learn_relevance
from synth.world.influence.frame_axioms import learn_settled
from synth.world.influence.protocol_preconditions import learn_early
from synth.world.influence.writers import learn_base, learn_last, learn_writers
from synth.world.model import Workbench
from synth.world.proposals import Proposer
from synth.world.refusals.guards import learn_guards
from synth.world.refusals.unseen_values import withhold_unseen
from synth.world.schema.compared_outcomes import learn_http_status, learn_partly_done
from synth.world.schema.kinds import learn_kinds
from synth.world.schema.nested_tables import learn_nested
from synth.world.schema.outcomes import learn_outcomes, learn_style, refusal_marks
from synth.world.schema.paired_values import learn_paired
from synth.world.schema.receipts import adds_fields
from synth.world.search.computed import learn_computed
from synth.world.search.selections import learn_selections
from synth.world.tape import learn_tape
from synth.world.time.timeline import learn_timeline
from synth.world.volatile.clock_and_ids import tell_times

Step = Callable[[Workbench], None]


def learn_classes(bench: Workbench) -> None:
    """Which results of each tool mean that nothing was done."""
    marks = refusal_marks(bench.tools.values())
    for tool in bench.tools.values():
        learn_outcomes(tool, marks)


def learn_styles(bench: Workbench) -> None:
    """How each tool lays its results out."""
    for tool in bench.tools.values():
        learn_style(tool)


def learn_times(bench: Workbench) -> None:
    """Tools that return nothing but the time."""
    tell_times(bench.tools.values(), bench.views.fresh)


def learn_starts(bench: Workbench) -> None:
    """The rows that every episode starts from, and the tables that each writer leaves alone; each helps the other."""
    for _ in range(2):
        learn_base(bench)
        if bench.living:
            _forget_rows(bench)
        learn_settled(bench)


def learn_shown(bench: Workbench) -> None:
    """Writers whose successful result is a row of a table that a reader shows: the row after the call."""
    shown = {t.table for t in bench.tools.values() if t.innocent and t.table is not None}
    more = adds_fields(bench)
    for tool in bench.tools.values():
        if tool.kind == "write" and tool.table in shown and tool.name not in more:
            tool.evidence["shows"] = tool.table


def learn_inner_tables(bench: Workbench) -> None:
    """Records that stand inside other records; of a backend that lives on, as they were seen last."""
    if bench.living:
        learn_last(bench)
    bench.nested = learn_nested(bench)
    if bench.living:
        _forget_rows(bench)


def learn_actions(bench: Workbench) -> None:
    """What writers do, and when and why they refuse; each from examples that follow what is learnt so far."""
    propose = None if bench.model is None else Proposer(settings=bench.model, bench=bench)
    learn_effects(bench, collect(bench, World(write_document(bench))), propose)
    examples = collect(bench, World(write_document(bench)))
    learn_guards(bench, examples, propose)


def learn_history(bench: Workbench) -> None:
    """Recorded answers with the calls that they hang on; of a backend that lives on, first the rows at each moment."""
    # First, because it clears writers of tables, and recorded answers hang on who may have touched what.
    timeline = learn_timeline(bench) if bench.living else {}
    bench.tape = learn_tape(bench, write_document(bench))
    bench.timeline = timeline


RESULTS: Final[tuple[Step, ...]] = (
    learn_classes,
    learn_partly_done,
    learn_http_status,
    learn_styles,
    learn_kinds,
    learn_times,
)
"""What results mean and which records they show; whether the backend lives on is inferred after these."""
THEORY: Final[tuple[Step, ...]] = (
    learn_writers,
    learn_relevance,
    learn_computed,
    learn_early,
    learn_starts,
    learn_shown,
    learn_inner_tables,
    learn_actions,
    withhold_unseen,
    learn_paired,
    learn_selections,
    learn_history,
)
"""Who changes what, how, and when."""


def learn_results(bench: Workbench) -> Workbench:
    """The same bench after all steps of `RESULTS`."""
    for step in RESULTS:
        step(bench)
    return bench


def learn_theory(bench: Workbench) -> Workbench:
    """The same bench after all steps of `THEORY`."""
    for step in THEORY:
        step(bench)
    return bench


def _forget_rows(bench: Workbench) -> None:
    """A living backend has no state that every episode starts from: rows come from the timeline."""
    for table in bench.tables.values():
        table.rows, table.unsure, table.refusals = {}, set(), {}
