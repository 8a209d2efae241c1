"""Outcomes: which classes of result mean success and which mean that a tool refused.

Comes from observations; goes to everything that asks whether a call did something. A tool that answers with records
refuses with texts; one that answers with texts refuses with those that the source marks as errors, or that leave
records unchanged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from environments.runtime.normal import parse_json
from synth.world.model import ToolModel, outcome_class
from synth.world.observation import Observation

ERROR_WORDS: Final = frozenset({"error", "errors", "exception", "fault", "failed", "failure"})
"""Protocol words (JSON-RPC, HTTP and MCP results use them), not the words of any data set."""


def learn_outcomes(tool: ToolModel) -> None:
    """Fill `tool.outcomes`: outcome class to `success` or `refusal`."""
    classes: dict[str, list[Observation]] = defaultdict(list)
    for seen in tool.observations:
        classes[outcome_class(seen)].append(seen)
    main = max(classes, key=lambda c: len(classes[c]), default="")
    faults = {
        name
        for name, group in classes.items()
        if _says_error(group)
        or (name.startswith("record:") and name != main and _is_fault_record(name))
        or (name == main and len(classes) > 1 and all(_tells_fault(seen) for seen in group))
    }
    # A record that says what went wrong is no sign that the tool's other answers are records.
    has_records = any(c.startswith("record:") or c == "list" for c in classes.keys() - faults)
    for name in classes:
        told = has_records and name.startswith("text:") and not _mostly_text(classes)
        tool.outcomes[name] = "refusal" if name in faults or told else "success"


def _mostly_text(classes: dict[str, list[Observation]]) -> bool:
    texts = sum(len(g) for name, g in classes.items() if name.startswith("text:"))
    return texts * 2 > sum(len(g) for g in classes.values()) and len(classes) > 6


def _says_error(group: Sequence[Observation]) -> bool:
    """Marked by the source, or a text whose first word is a protocol's word for failure."""
    if any(seen.is_error for seen in group):
        return True
    first = group[0].content.strip().split(" ", 1)[0].strip(":!.[]()").lower()
    return first in ERROR_WORDS or first.endswith(("error", "exception"))


def _tells_fault(seen: Observation) -> bool:
    """Whether a record says what went wrong: a field for that which is not empty."""
    value = seen.value if isinstance(seen.value, dict) else {}
    return any(value[name] for name in value if name.lower() in ERROR_WORDS)


def _is_fault_record(name: str) -> bool:
    fields, _, flags = name.removeprefix("record:").partition("|")
    words = {f.lower() for f in fields.split(",")}
    return bool(words & ERROR_WORDS) or any(f in flags for f in ("ok=False", "success=False"))


def learn_style(tool: ToolModel) -> None:
    """Fill `tool.style` and `tool.text`: how JSON results are laid out."""
    records = [seen.content for seen in tool.good() if seen.is_json]
    # Bare words and numbers are kept as texts: beside them only `null`, true and false are values.
    tool.text = not any(
        isinstance(seen.value, dict | list | str) for seen in tool.good() if seen.is_json
    )
    separators = (",", ":") if records and _all_compact(records) else (", ", ": ")
    tool.style = {
        "separators": list(separators),
        "ascii": any("\\u" in c for c in records) or all(c.isascii() for c in records),
        "indent": 2 if records and all("\n  " in c for c in records if len(c) > 4) else None,
    }


def _all_compact(records: Sequence[str]) -> bool:
    return all(
        '": ' not in content and parse_json(content) is not None for content in records if content
    )
