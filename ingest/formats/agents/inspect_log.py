"""Inspect AI's evaluation logs as JSON: one conversation a sample, with its scores and its target.

Comes in: one log (`eval`, `samples`), or the part of one that holds some of its samples. Goes out: a chat for each sample. Texts
that the log keeps once (`attachment://…`) are put back where they belong; tools are those that the model was offered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from ingest.formats.format import Decoded, Format
from ingest.formats.records.naming import facts_of_all
from ingest.formats.records.reader import Standing, read_record
from ingest.formats.unknown import refuse
from ingest.otlp.record import Arrival
from ingest.records.text import Json, objects_in

NAME: Final = "inspect_log"
_ATTACHED: Final = "attachment://"
_KEPT: Final = ("id", "epoch", "messages", "input", "target", "scores", "score", "metadata")
_DEEPEST: Final = 32
_LETTERS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": None}
"""What scorers write in place of a number: correct, incorrect, partly correct, no answer."""


def claims(value: Json) -> bool:
    """Whether a value is a log with samples."""
    if not isinstance(value, dict) or not isinstance(value.get("eval"), dict):
        return False
    return isinstance(value.get("samples"), list) and "task" in value["eval"]


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read every sample of a log."""
    found = Decoded()
    samples = value["samples"]
    if not arrival.facts.numbered_by:
        facts = facts_of_all(arrival.facts, lambda: ((sample, None) for sample in samples))
        arrival = replace(arrival, facts=facts)
    header = value["eval"]
    for number, sample in enumerate(samples, start=1):
        place = arrival.nth(number)
        if isinstance(sample, dict) and isinstance(sample.get("messages"), list):
            found.add(read_record(_record(sample, header), place, Standing(source=NAME)))
        else:
            found.rejected.append(refuse(sample, place))
    return found


def _record(sample: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
    texts = sample.get("attachments")
    texts = texts if isinstance(texts, dict) else {}
    record: dict[str, Any] = {
        key: _with_attached(sample[key], texts, 0) for key in _KEPT if key in sample
    }
    if isinstance(record.get("scores"), dict):
        record["scores"] = {name: _score(one) for name, one in record["scores"].items()}
    if "score" in record:
        record["score"] = _score(record["score"])
    output = sample.get("output")
    model = output.get("model") if isinstance(output, dict) else None
    beside = {
        "model": header.get("model") or model,
        "started_at": sample.get("started_at") or header.get("created"),
        "ended_at": sample.get("completed_at"),
        "tools": list(_tools(sample.get("events"))),
        "task_key": f"{header['task']}/{sample.get('id')}",
    }
    return {**record, **{key: one for key, one in beside.items() if one}}


def _with_attached(value: Json, texts: dict[str, Any], depth: int) -> Json:
    """The value with the texts that it only names."""
    if isinstance(value, str) and value.startswith(_ATTACHED):
        text = texts.get(value.removeprefix(_ATTACHED))
        return text if isinstance(text, str) else value
    if depth > _DEEPEST:
        return value
    if isinstance(value, list):
        return [_with_attached(one, texts, depth + 1) for one in value]
    if isinstance(value, dict):
        return {key: _with_attached(one, texts, depth + 1) for key, one in value.items()}
    return value


def _score(score: Json) -> Json:
    """A score with the number that its letter stands for, and the letter as its label."""
    letter = score.get("value") if isinstance(score, dict) else None
    if not isinstance(letter, str) or letter not in _LETTERS:
        return score
    return {**score, "value": _LETTERS[letter], "label": letter}


def _tools(events: Json) -> Iterable[dict[str, Any]]:
    """The tools that any call of the model was offered, each once."""
    offered = [tool for event in objects_in(events) for tool in objects_in(event.get("tools"))]
    named: dict[str, Any] = {}
    for tool in offered:
        named.setdefault(str(tool.get("name")), tool)
    return named.values()


FORMAT: Final = Format(
    name=NAME,
    title="a log of Inspect AI",
    keys=("eval", "samples", "plan"),
    claims=claims,
    read=read,
    parted_at="samples",
)
