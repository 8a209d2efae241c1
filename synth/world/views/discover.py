"""All that stands around an app's calls, found in one order, the outermost first: the one place to add what is to be found next.

Comes from observations as recorded; leaves the calls and results that tools really take and give, in place, and the parts of the
world file that put the rest around them again (`environments.runtime.views.chain`). Not here: how each is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.document.views import ViewParts
from environments.runtime.task.attempt import Json
from redact.records.clean_episode import CleanEpisode
from synth.world.multiplexed.operations import forms_of_parts, learn_dispatched
from synth.world.observation import History, by_tool, declared_forms
from synth.world.prompt_subject import learn_prompt_subject
from synth.world.stated_effects import stated_effects
from synth.world.time.drift import Version, split_versions
from synth.world.time.own_starts import OwnStarts, infer_own_starts
from synth.world.views.argument_spelling import learn_spelling
from synth.world.views.callers import learn_envelopes, normalise, seen_forms
from synth.world.views.envelopes import MAX_LEVELS, learn_enveloped
from synth.world.views.idle_arguments import learn_defaults, learn_idle
from synth.world.views.implicit_subject import bind, bind_tools, owners_of
from synth.world.views.record_names import learn_names
from synth.world.views.result_layout import settle_layout
from synth.world.views.result_wrappers import learn_wrapping
from synth.world.views.selected_subject import choose
from synth.world.views.text_records import learn_embedded, learn_literal, learn_texts
from synth.world.volatile.clock_and_ids import learn_fresh
from synth.world.volatile.tokens import learn_tokens

IN_LITERAL: Final = 14
"""First number of the marks of envelopes that stand in what Python wrote: a sign that no text begins with, as those before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundViews:
    """What was found."""

    callers: dict[str, dict[str, Json]]
    """What single agents wrap results in."""
    forms: dict[str, dict[str, str]]
    """The declared or seen type of each tool's arguments."""
    views: ViewParts
    """What stands between calls and tools; observations have lost all of it but versions, subjects, choices and marks."""
    versions: Mapping[str, Sequence[Version]]
    """Old versions of tools that drifted."""
    own_starts: OwnStarts | None
    """Where every subject has a start of its own: what says so."""


def learn_around(
    seen: Sequence[History],
    episodes: Sequence[CleanEpisode],
    *,
    living: bool,
    shared: bool,
) -> FoundViews:
    """Find all of it; observations are as tools take and give them from here on.

    `shared`: a person says what all episodes start from.
    """
    dispatched = learn_dispatched(seen, stated_effects(episodes, by_tool(seen)))
    callers = learn_envelopes(seen)
    forms = forms_of_parts(dispatched, declared_forms(episodes))
    for tool, extra in seen_forms(seen).items():
        forms[tool] = {**extra, **forms.get(tool, {})}
    normalise(seen, forms=forms, envelopes=callers)
    outermost = learn_wrapping(seen)
    literal = learn_literal(seen)
    texts = learn_texts(seen)
    enveloped = learn_enveloped(seen)
    literal_inside = learn_literal(seen) if enveloped else ()
    texts_inside = learn_texts(seen, texts) if enveloped else ()
    opened = literal_inside or texts_inside
    enveloped_inside = learn_enveloped(seen, first=IN_LITERAL) if opened else {}
    embedded = learn_embedded(seen)
    idle = learn_idle(seen, episodes)
    settle_layout(seen)
    tokens = learn_tokens(seen)
    wrapped = learn_wrapping(seen, around=outermost.marks)
    # What differs from call to call hides a constant envelope that stands inside of it.
    inside = learn_enveloped(seen, first=MAX_LEVELS + 1) if wrapped.tools else {}
    spelling, names = learn_names(seen, learn_spelling(seen))
    versions = split_versions(seen, episodes)
    fresh = learn_fresh(seen, living=living, around=outermost.marks | wrapped.marks)
    idle = learn_defaults(seen, episodes, idle)
    place, answering = learn_prompt_subject(seen, episodes)
    own = None if shared or place else infer_own_starts(seen)
    bound = bind_tools(seen, answering) if place else bind(seen, own=own is not None)
    chosen = choose(seen)
    return FoundViews(
        callers=callers,
        forms=forms,
        views=ViewParts(
            dispatched=dispatched,
            literal=literal,
            texts=texts,
            enveloped=enveloped,
            literal_inside=literal_inside,
            texts_inside=texts_inside,
            enveloped_inside=enveloped_inside,
            embedded=embedded,
            versions={n: tuple(v.part() for v in known) for n, known in sorted(versions.items())},
            idle=idle,
            tokens=tokens,
            bound=frozenset(bound),
            owners=owners_of(seen, bound),
            prompt_subject=place,
            headed=outermost.tools,
            wrapped=wrapped.tools,
            inside=inside,
            spelling=spelling,
            names=names,
            fresh=fresh,
            chosen=dict(sorted(chosen.items())),
        ),
        versions=versions,
        own_starts=own,
    )
