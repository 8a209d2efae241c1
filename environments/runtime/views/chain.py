"""All that stands around a world's calls, in one chain of views: the one place to look for what comes next to what.

Goes in: a world file. Comes out: its views, the outermost first; none where nothing stands around. A new kind of view is one file with
a `View`, one line here with its part of the world file, and one line in `synth.world.views.discover`, which finds it. Not here: what each does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..world.tool import Tool
from ..world.versions import Versions
from .argument_spelling import Spelling
from .clock_and_ids import Fresh, Marked
from .envelopes import Enveloped
from .idle_arguments import Idle
from .implicit_subject import Owners, Subject
from .multiplexed import Dispatched
from .python_literals import Literal
from .result_wrappers import Wrapped, Wrappings
from .selected_subject import Chosen
from .text_records import Texts
from .tokens import Tokens
from .view import View


def views_of(document: Mapping[str, Any], tools: Mapping[str, Tool]) -> tuple[View, ...]:
    """The chain of a world file, the outermost first."""
    fresh = document.get("fresh", {})
    found: dict[str, Callable[[Any], View]] = {
        "dispatched": Dispatched,
        "literal": Literal,
        "texts": Texts,
        "enveloped": Enveloped.from_json,
        "literal_inside": Literal,
        "texts_inside": Texts,
        "enveloped_inside": Enveloped.from_json,
        "versions": Versions,
        "idle": Idle,
        "tokens": Tokens,
        "bound": lambda part: Subject(frozenset(part), Owners.from_json(document.get("owners"))),
        "wrapped": lambda part: Wrapped(Wrappings(part, fresh["marks"]), Fresh(fresh), tools),
        "inside": Enveloped.from_json,
        "spelling": Spelling,
        "fresh": lambda part: Marked(part["marks"], Fresh(part)),
        "chosen": lambda part: Chosen({t: (c[0], c[1]) for t, c in part.items()}, tools),
    }
    return tuple(make(document[name]) for name, make in found.items() if document.get(name))
