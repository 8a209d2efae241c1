"""All that stands around an app's calls, found in one order, the outermost first: the one place to add what is to be found next.

Comes from observations as recorded; leaves the calls and results that tools really take and give, in place, and the parts of the
world file that put the rest around them again (`environments.runtime.views.chain`). Not here: how each is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from environments.runtime.task.attempt import Json
from redact.clean_episode import CleanEpisode
from synth.world.multiplexed.operations import forms_of_parts, learn_dispatched
from synth.world.observation import History, declared_forms
from synth.world.time.drift import Version, split_versions
from synth.world.time.own_starts import OwnStarts, infer_own_starts
from synth.world.views.argument_spelling import learn_spelling
from synth.world.views.callers import learn_envelopes, normalise, seen_forms
from synth.world.views.envelopes import MAX_LEVELS, learn_enveloped
from synth.world.views.idle_arguments import learn_idle
from synth.world.views.implicit_subject import bind, owners_of
from synth.world.views.python_literals import learn_literal
from synth.world.views.result_layout import settle_layout
from synth.world.views.result_wrappers import learn_wrapping
from synth.world.views.selected_subject import choose
from synth.world.views.text_records import learn_texts
from synth.world.volatile.clock_and_ids import learn_fresh
from synth.world.volatile.tokens import learn_tokens

IN_LITERAL: Final = 14
"""First number of the marks of envelopes that stand in what Python wrote: a sign that no text begins with, as those before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What was found."""

    callers: dict[str, dict[str, Json]]
    """What single agents wrap results in."""
    forms: dict[str, dict[str, str]]
    """The declared or seen type of each tool's arguments."""
    lost: dict[str, Any] = field(default_factory=dict)
    """Parts of the world file whose share observations have lost: worlds made while learning do without."""
    versions: Mapping[str, Sequence[Version]]
    fresh: dict[str, Any]
    bound: tuple[str, ...]
    owners: dict[str, Any]
    chosen: dict[str, tuple[str, str]]
    own_starts: OwnStarts | None
    """Where every subject has a start of its own: what says so."""


def learn_around(
    seen: Sequence[History],
    episodes: Sequence[CleanEpisode],
    *,
    living: bool,
    shared: bool = False,
) -> Around:
    """Find all of it; observations are as tools take and give them from here on.

    `shared`: a person says what all episodes start from.
    """
    dispatched = learn_dispatched(seen)
    callers = learn_envelopes(seen)
    forms = forms_of_parts(dispatched, declared_forms(episodes))
    for tool, extra in seen_forms(seen).items():
        forms[tool] = {**extra, **forms.get(tool, {})}
    normalise(seen, forms=forms, envelopes=callers)
    lost: dict[str, Any] = {}
    _keep(lost, "dispatched", dispatched)
    _keep(lost, "literal", learn_literal(seen))
    _keep(lost, "texts", learn_texts(seen))
    _keep(lost, "enveloped", _enveloped(seen, 1))
    if lost.get("enveloped"):
        inside = _keep(lost, "literal_inside", learn_literal(seen))
        if _keep(lost, "texts_inside", learn_texts(seen, lost.get("texts", ()))) or inside:
            _keep(lost, "enveloped_inside", _enveloped(seen, IN_LITERAL))
    _keep(lost, "idle", learn_idle(seen, episodes))
    settle_layout(seen)
    _keep(lost, "tokens", learn_tokens(seen))
    wrapped = learn_wrapping(seen)
    if wrapped.tools:
        _keep(lost, "wrapped", wrapped.tools)
        # What differs from call to call hides a constant envelope that stands inside of it.
        _keep(lost, "inside", _enveloped(seen, MAX_LEVELS + 1))
    _keep(lost, "spelling", learn_spelling(seen))
    versions = split_versions(seen, episodes)
    fresh = learn_fresh(seen, living=living, around=wrapped.marks)
    own = None if shared else infer_own_starts(seen)
    bound = bind(seen, own=own is not None)
    chosen = choose(seen)
    return Around(
        callers=callers,
        forms=forms,
        lost=lost,
        versions=versions,
        fresh=fresh,
        bound=bound,
        owners=owners_of(seen, bound),
        chosen=chosen,
        own_starts=own,
    )


def _enveloped(seen: Sequence[History], first: int) -> dict[str, Any] | None:
    found = learn_enveloped(seen, first=first)
    return None if found is None else found.to_json()


def _keep(lost: dict[str, Any], name: str, part: Any) -> bool:
    if part:
        lost[name] = part
    return bool(part)
