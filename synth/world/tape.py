"""The tape: recorded answers of tools that change things, each with the earlier calls that it may hang on.

Comes from observations and the world learnt so far (which says what a call names); goes into the world file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.answers.tape import ALWAYS
from environments.runtime.document.recordings import Recording
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.values.normal import stable
from environments.runtime.world.entries import count_empty_calls
from environments.runtime.world.log import history
from environments.runtime.world.scope import CallContext
from environments.runtime.world.world import World
from synth.world.document import holds_withheld
from synth.world.grouping import sets_by_key
from synth.world.model import ToolModel, Workbench
from synth.world.support import SEEN_OFTEN
from synth.world.time.time_invariant_results import steady_answers

MIN_AGAIN: Final = SEEN_OFTEN
"""Equal calls made again, each answered otherwise, before a tool that seems to look is taken for a clock."""


def learn_tape(
    bench: Workbench, document: WorldDocument
) -> dict[str, dict[str, tuple[Recording, ...]]]:
    """Replay every episode and note each answer with its relevant history; contradictions are dropped."""
    world = World(document)
    found: dict[tuple[str, str, tuple[str, ...], str], _Draft] = {}
    clashes: set[tuple[str, str, tuple[str, ...], str]] = set()
    changers = {name for name, tool in bench.tools.items() if not tool.innocent}
    for past in bench.histories:
        session = world.session(caller=past.caller)
        for seen in past.observations:
            tool = world.tools[seen.tool]
            model = bench.tools[seen.tool]
            if not model.restless and (not tool.innocent or tool.reads is not None):
                args = tool.normal(seen.arguments)
                before = history(session.call_context(), tool, args, seen.content)
                # In a living backend an answer holds for its own episode's start only: never pooled.
                own = past.episode_id if bench.living else ""
                key = (seen.tool, stable(args), before, own)
                known = found.setdefault(key, _Draft(seen.content, past.episode_id))
                if known.content != seen.content:
                    clashes.add(key)
                known.n += 1
                # What a call left alone for others says nothing of a start of one's own.
                untried = changers if bench.own_starts else model.untried
                never = _untold(session.call_context(), untried, before)
                known.after = never if known.n == 1 else known.after & never
            session.observe(seen.tool, seen.arguments, seen.content)
    told = sets_by_key(((key[0], key[1], key[3]), entry.content) for key, entry in found.items())
    clocks = {n for n, t in bench.tools.items() if bench.living and _is_clock(t)}
    tape: dict[str, dict[str, list[Recording]]] = defaultdict(lambda: defaultdict(list))
    for key, entry in found.items():
        doubtful = len(told[key[0], key[1], key[3]]) > 1 and bench.tools[key[0]].doubted
        unsure = doubtful or key in clashes or key[0] in clocks
        if not unsure and not holds_withheld(entry.content):
            tape[key[0]][key[1]].append(entry.recording(before=key[2]))
    for name, args, content in steady_answers(bench) if bench.living else ():
        asked = stable(world.tools[name].normal(args))
        tape[name][asked].append(Recording(content=content, evidence=ALWAYS))
    return {
        name: {asked: tuple(entries) for asked, entries in calls.items()}
        for name, calls in tape.items()
    }


@dataclass(slots=True)
class _Draft:
    """One answer after one history, as far as it was recorded."""

    content: str
    episode_id: str
    n: int = 0
    after: set[str] = field(default_factory=set)

    def recording(self, *, before: tuple[str, ...]) -> Recording:
        return Recording(
            before=before,
            content=self.content,
            evidence=self.episode_id,
            n=self.n,
            after=frozenset(self.after),
        )


def _is_clock(tool: ToolModel) -> bool:
    """Whether a tool that is told nothing and seems to look never said the same twice, though it was often asked."""
    if not tool.doubted or any(seen.arguments for seen in tool.observations):
        return False
    asked = Counter(seen.key for seen in tool.good())
    told = {(seen.key, seen.content) for seen in tool.good()}
    return len(told) == asked.total() and asked.total() - len(asked) >= MIN_AGAIN


def _untold(here: CallContext, untried: set[str], before: tuple[str, ...]) -> set[str]:
    """Earlier calls outside the history, of tools that were never tried to matter: nobody knows how it is without."""
    calls = count_empty_calls(here.state.log)
    return {call for e, call in calls if e.tool in untried and e.call not in before}
