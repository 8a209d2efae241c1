"""All that stands around a world's calls, in one chain of views: the one place to look for what comes next to what.

Goes in: a world file. Comes out: its views, the outermost first; none where nothing stands around. A new kind of view is one file with
a `View`, one line here with its part of the world file, and one line in `synth.world.around`, which finds it. Not here: what each does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .world_chosen import Chosen
from .world_enveloped import Enveloped
from .world_fresh import Fresh, Marked
from .world_idle import Idle
from .world_subject import Owners, Subject
from .world_tokens import Tokens
from .world_tool import Tool
from .world_versions import Versions
from .world_view import View
from .world_wrapping import Wrapped, Wrappings


def views_of(document: Mapping[str, Any], tools: Mapping[str, Tool]) -> tuple[View, ...]:
    """The chain of a world file, the outermost first."""
    return tuple(_views(document, tools))


def _views(document: Mapping[str, Any], tools: Mapping[str, Tool]) -> Iterator[View]:
    if document.get("enveloped"):
        yield Enveloped.from_json(document["enveloped"])
    if document.get("versions"):
        yield Versions(document["versions"])
    if document.get("idle"):
        yield Idle(document["idle"])
    if document.get("tokens"):
        yield Tokens(document["tokens"])
    bound, owners = frozenset(document.get("bound", ())), Owners.from_json(document.get("owners"))
    if bound or owners.tools:
        yield Subject(bound, owners)
    fresh = document.get("fresh")
    if fresh and document.get("wrapped"):
        yield Wrapped(Wrappings(document["wrapped"], fresh["marks"]), Fresh(fresh), tools)
    if document.get("inside"):
        yield Enveloped.from_json(document["inside"])
    if fresh:
        yield Marked(fresh["marks"], Fresh(fresh))
    if document.get("chosen"):
        yield Chosen({t: (c[0], c[1]) for t, c in document["chosen"].items()}, tools)
