"""A log in text of an agent that thinks and acts by turns, as JSON lines: `Question: …`, then `Thought 1: …`, `Action 1: …`, `Observation 1: …`.

Comes in: a file. Goes out: the same source with a record for each run; None where no question is followed by such steps. A run ends at the first
empty line behind its last label; what stands above its question is its prompt. Where that announces examples, the runs up to the last before the
next such words are these. Where a line numbers each step (`Step 1:`), what stands below it is said in that step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from ingest.files.file_source import FileSource
from ingest.formats.records.words import NAMES, snake_case
from ingest.records.outcome_words import good_or_bad
from ingest.records.text import json_bytes

_ASKED: Final = re.compile(
    r"^(?:Question|Task|Query|Goal|User|(?:\w+ )?Problem)(?: ?\d+)?[ \t]*:[ \t]*(?=\S)",
    re.MULTILINE,
)
_STEP: Final = re.compile(
    r"^(?:Thought|Action|Act|Action Input|Observation|Final Answer)(?: ?\d+)?[ \t]*:", re.MULTILINE
)
_ACTED: Final = re.compile(r"^(?:Action|Act)(?: ?\d+)?[ \t]*:[ \t]*\S", re.MULTILINE)
_BESIDE: Final = re.compile(r"^(?:Thought|Observation)(?: ?\d+)?[ \t]*:", re.MULTILINE)
"""What an agent's steps have beside actions; a note may have these."""
_HEADING: Final = re.compile(
    r"^[-=#*]{3,}[ \t]*(\w[\w \t-]*?)[ \t]*[-=#*]{3,}[ \t]*$", re.MULTILINE
)
_NUMBERED: Final = re.compile(r"^(?:Step|Turn|Round|Iteration) ?\d+:?[ \t]*\n\s*", re.MULTILINE)
_BEHIND: Final = re.compile(r"\s*(\w[\w ]{2,30}):[ \t]*(\S.*)")
_EXAMPLES: Final = re.compile(r"\bexamples?\b", re.IGNORECASE)
_REFERENCES: Final = frozenset(NAMES["references"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    text: str
    before: str
    """What stands between the run before it and this one."""
    behind: str


def as_runs(source: FileSource, head: bytes) -> FileSource | None:
    """The runs of a log; a file in whose `head` nobody acts is not read for them."""
    if not source.can_be_read_again or not _ACTED.search(head.decode("utf-8", "replace")):
        return None
    with source.opened() as stream:
        body = stream.read(source.limits.body_bytes)
    records = list(_records(body.decode("utf-8", "replace").replace("\r\n", "\n")))
    lines = [json_bytes(one) + b"\n" for one in records]
    return replace(source, lines=lambda: iter(lines)) if lines else None


def _records(text: str) -> Iterator[dict[str, Any]]:
    runs = list(_runs(text))
    examples = {id(run) for run in runs} - {id(run) for run in _without_examples(runs)}
    heading, seen = "", set[str]()
    for run in runs:
        headings = [*_HEADING.finditer(run.before)]
        heading = headings[-1][1] if headings else heading
        told = {good_or_bad(word, "outcome") for word in heading.lower().split()} - {None}
        verdict = {"outcome": told.pop()} if len(told) == 1 else {}
        # What is judged is no example: a later round may only tell it again.
        if run.text in seen or (id(run) in examples and not verdict):
            continue
        seen.add(run.text)
        label = _BEHIND.match(run.behind)
        known = label is not None and snake_case(label[1]) in _REFERENCES
        right = {snake_case(label[1]): label[2].strip()} if label and known else {}
        prompt = run.before[headings[-1].end() if headings else 0 :]
        prompt = _BEHIND.sub("", prompt, count=1) if prompt == run.before else prompt
        said = {"system_prompt": prompt.strip()} if prompt.strip() else {}
        yield said | {"transcript": run.text} | verdict | right


def _runs(text: str) -> Iterator[_Run]:
    begun = [m.start() for m in _ASKED.finditer(text)]
    done = 0
    for start, end in pairwise([*begun, len(text)]):
        labels = [m.start() for m in _STEP.finditer(text, start, end)]
        tells = _ACTED.search(text, start, end) and _BESIDE.search(text, start, end)
        if not tells:
            continue
        stop = text.find("\n\n", labels[-1], end)
        stop = end if stop < 0 else stop
        asked = _ASKED.sub("User: ", text[start:stop], count=1)
        if len(_NUMBERED.findall(asked)) == len(_ACTED.findall(asked)):
            asked = _NUMBERED.sub("Thought: ", asked)
        yield _Run(text=asked, before=text[done:start], behind=text[stop:end])
        done = stop


def _without_examples(runs: list[_Run]) -> Iterator[_Run]:
    """The runs without those of a prompt: what it shows comes again with it, or stands between its words and the run."""
    times = Counter(run.text for run in runs)
    begins = [_EXAMPLES.search(run.before) is not None for run in runs]
    for number, run in enumerate(runs):
        in_prompt = any(begins[: number + 1])
        is_last = number + 1 == len(runs) or begins[number + 1]
        if is_last if in_prompt else times[run.text] == 1:
            yield run
