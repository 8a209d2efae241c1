"""All that stands around a world's calls, in one chain of views: the one place to look for what comes next to what.

Goes in: the views' parts of a world file. Comes out: the views, the outermost first; none where nothing stands around. A new kind of view is one
file with a `View`, its part in `document.views`, one line here, and one line in `synth.world.views.discover`, which finds it. Not here: what each does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..document.views import ViewParts
from ..world.tool import Tool
from ..world.versions import Versions
from .argument_spelling import RecordNames, Spelling
from .clock_and_ids import Fresh, MarkedResults
from .envelopes import Enveloped
from .idle_arguments import Idle
from .implicit_subject import Subject
from .multiplexed import Dispatched
from .record_literals import Embedded, Literal
from .result_wrappers import Wrapped, Wrappings
from .selected_subject import SessionChoices
from .text_records import Texts
from .tokens import Tokens
from .view import View


def views_of(parts: ViewParts, tools: Mapping[str, Tool]) -> tuple[View, ...]:
    """The chain of a world file, the outermost first."""
    return tuple(view for view in _possible_views(parts, tools) if view is not None)


def _possible_views(parts: ViewParts, tools: Mapping[str, Tool]) -> Iterator[View | None]:
    """Every kind of view in order; None where nothing of it stands there."""
    fresh = Fresh(parts.fresh) if parts.fresh is not None else None
    marks = parts.fresh.marks if parts.fresh is not None else {}
    yield Dispatched(parts.dispatched) if parts.dispatched else None
    if parts.headed and fresh is not None:
        yield Wrapped(Wrappings(parts.headed, marks), fresh.copy(), tools)
    yield Literal(parts.literal) if parts.literal else None
    yield Texts(parts.texts) if parts.texts else None
    yield Enveloped(parts.enveloped) if parts.enveloped else None
    yield Literal(parts.literal_inside) if parts.literal_inside else None
    yield Texts(parts.texts_inside) if parts.texts_inside else None
    yield Enveloped(parts.enveloped_inside) if parts.enveloped_inside else None
    yield Embedded(parts.embedded) if parts.embedded else None
    yield Versions(parts.versions) if parts.versions else None
    yield Idle(parts.idle) if parts.idle else None
    yield Tokens(parts.tokens) if parts.tokens is not None else None
    yield Subject(parts.bound, parts.owners) if parts.bound else None
    if parts.wrapped and fresh is not None:
        yield Wrapped(Wrappings(parts.wrapped, marks), fresh, tools)
    yield Enveloped(parts.inside) if parts.inside else None
    if parts.spelling:
        yield Spelling(parts.spelling, RecordNames(parts.spelling, parts.names))
    yield MarkedResults(marks, fresh.copy()) if fresh is not None else None
    yield SessionChoices(parts.chosen, tools) if parts.chosen else None
