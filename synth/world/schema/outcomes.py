"""Outcomes: which classes of result mean success and which mean that a tool refused.

Comes from observations; goes to everything that asks whether a call did something. A tool that answers with records
refuses with texts; one that answers with texts refuses with those that the source marks as errors, or that leave
records unchanged. An app may begin all its refusals alike (`Not done: …`): that is learnt over all its tools.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from environments.runtime.answers.outcome import ERROR_WORDS, PARTLY, STATUS_FAILS
from environments.runtime.document.tools import LayoutPart
from environments.runtime.task.attempt import Json
from environments.runtime.values.json_text import writer
from environments.runtime.values.literals import parse_json
from synth.tool_errors import ERROR_START, HEAD
from synth.world.model import ToolModel, outcome_class
from synth.world.observation import Observation
from synth.world.support import SEEN_TWICE

EMPTY: Final = "record:|"
NOTHING: Final = frozenset({"value:NoneType", "value:false", EMPTY})
"""Classes of `null`, `false` and `{}`: beside results of another kind they say that there is none.

Beside `true` alone `false` is an answer, and `{}` beside records that have other fields each time."""
MARK: Final = re.compile(
    r"\W*((?:not|no|nothing|never|nicht|nichts|kein\w*|non|nada|niente|rien|pas|n[aã]o|niet|niets|geen|inte|ikke)\b(?: [^\W\d_]+){0,2}) ?[:\u2013\u2014]",
    re.IGNORECASE,
)
"""A denial in a few words before what is the matter."""
MIN_TOOLS: Final = SEEN_TWICE
"""Tools that answer so now and then, before it is held for how the app refuses: one alone may tell what it found (`Not covered: …`)."""
SAMPLE: Final = 30
"""Results of a tool that a layout is tried on."""
LAYOUTS: Final[Sequence[tuple[tuple[str, str], int | str | None]]] = (
    ((", ", ": "), None),
    ((",", ":"), None),
    ((",", ": "), 2),
    ((",", ": "), 4),
    ((",", ": "), "\t"),
    ((",", ": "), 1),
    ((",", ": "), None),
    ((", ", ":"), None),
)
"""Separators and indentation, as the usual encoders write them."""


def tool_of(name: str, observations: Sequence[Observation]) -> ToolModel:
    """A tool of which nothing but the outcomes of its calls is known."""
    tool = ToolModel(name=name, observations=list(observations))
    learn_outcomes(tool)
    return tool


def refusal_marks(tools: Iterable[ToolModel]) -> frozenset[str]:
    """How the texts begin, in small letters, with which several tools of an app deny, each in fewer than half of its results."""
    marks = Counter[str]()
    for tool in tools:
        begins = Counter(map(_mark_of, tool.observations))
        seldom = (mark for mark, count in begins.items() if 2 * count < begins.total())
        marks.update(mark for mark in seldom if mark)
    return frozenset(mark for mark, count in marks.items() if count >= MIN_TOOLS)


def _mark_of(seen: Observation) -> str:
    found = None if seen.is_json else MARK.match(seen.content)
    return found[1].casefold() if found else ""


def learn_outcomes(tool: ToolModel, marks: frozenset[str] = frozenset()) -> None:
    """Fill `tool.outcomes`: outcome class to `success` or `refusal`; texts that begin with one of `marks` refuse."""
    classes: dict[str, list[Observation]] = defaultdict(list)
    told: dict[str, str] = {}
    for seen in tool.observations:
        name = outcome_class(seen)
        told[name] = whole = _whole_class(name)
        classes[whole].append(seen)
    main = max(classes, key=lambda c: len(classes[c]), default="")
    faults = {
        name
        for name, group in classes.items()
        if _says_error(group)
        or _mark_of(group[0]) in marks
        or (name != main and all(_objects_to_fields(seen.value) for seen in group))
        or (name.startswith("record:") and name != main and _is_fault_record(name))
        or (name == main and len(classes) > 1 and all(_tells_fault(seen) for seen in group))
    }
    own = classes.keys() - faults - NOTHING
    if own - {"value:bool"}:
        faults |= NOTHING
    if sum(c.startswith("record:") for c in own) > 1:
        faults.discard(EMPTY)
    # A record that says what went wrong is no sign that the tool's other answers are records.
    has_records = any(c.startswith("record:") or c == "list" for c in own)
    for name, whole in told.items():
        odd = has_records and name.startswith("text:")
        tool.outcomes[name] = "refusal" if whole in faults or odd else "success"


def _whole_class(name: str) -> str:
    """A class of records without what it shows beside a fault."""
    return name.partition(PARTLY)[0] if name.startswith("record:") else name


def _says_error(group: Sequence[Observation]) -> bool:
    """Marked by the source, or a text that begins as failed calls do."""
    text = "" if group[0].is_json else group[0].content
    return any(seen.is_error for seen in group) or ERROR_START.match(text[:HEAD]) is not None


def _objects_to_fields(value: Json) -> bool:
    """Whether a record lists sentences for every field it has, as form validation answers (Django REST framework, Rails)."""
    if not isinstance(value, dict) or not value:
        return False
    lists = [item for item in value.values() if isinstance(item, list) and item]
    return len(lists) == len(value) and all(
        isinstance(text, str) and len(text.split()) > 1 for item in lists for text in item
    )


def _tells_fault(seen: Observation) -> bool:
    """Whether a record says what went wrong: a field for that which is not empty."""
    value = seen.value if isinstance(seen.value, dict) else {}
    return any(value[name] for name in value if name.lower() in ERROR_WORDS)


def _is_fault_record(name: str) -> bool:
    fields, _, flags = name.removeprefix("record:").partition("|")
    words = {f.lower() for f in fields.split(",")}
    return bool(words & ERROR_WORDS) or any(
        f in flags for f in ("ok=False", "success=False", STATUS_FAILS)
    )


def learn_style(tool: ToolModel) -> None:
    """Fill `tool.style` and `tool.text`: how JSON results are laid out."""
    records = [seen.content for seen in tool.good() if seen.is_json]
    # Bare words and numbers are kept as texts: beside them only `null`, true and false are values.
    tool.text = not any(
        isinstance(seen.value, dict | list | str) for seen in tool.good() if seen.is_json
    )
    ascii_only = any("\\u" in c for c in records) or all(c.isascii() for c in records)
    separators, indent = _layout(records, ascii_only=ascii_only)
    tool.style = LayoutPart(separators=separators, ascii=ascii_only, indent=indent)


def _layout(
    records: Sequence[str], *, ascii_only: bool
) -> tuple[tuple[str, str], int | str | None]:
    """The layout that most results are written in: tried on them, because short ones fit several."""
    distinct = sorted(set(records), key=lambda text: (-len(text), text))[:SAMPLE]
    values = [(text, parsed.value) for text in distinct if (parsed := parse_json(text))]
    fitting: dict[int, int] = {}
    for at, (separators, indent) in enumerate(LAYOUTS):
        write = writer(separators=separators, ascii_only=ascii_only, sort_keys=False, indent=indent)
        fitting[at] = sum(write(value) == text for text, value in values)
    return LAYOUTS[max(fitting, key=lambda at: (fitting[at], -at))]
