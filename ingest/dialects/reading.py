"""What a dialect reads from one span: the same record whichever client wrote it.

Filled by the files of this folder, put together by `ingest.assembly.assemble`. Messages are `ingest.records.episode.Step`s without
times; a call id that the dialect does not carry is empty here and made later from the call's place in the episode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ingest.records.episode import Step
from ingest.records.span import Span

MODEL: Final = "model"
TOOL: Final = "tool"
AGENT: Final = "agent"
EVALUATOR: Final = "evaluator"
OTHER: Final = "other"
DUPLICATE: Final = "duplicate"
"""A span that says nothing new, such as Logfire's pending spans: it joins parents to children and no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement about how something went, in a dialect's own form."""

    name: str
    value: float | None = None
    label: str | None = None
    text: str | None = None
    correction: str | None = None
    by: str = "unknown"
    author: str | None = None
    at: int | None = None
    target_kind: str = "span"
    target_id: str | None = None
    """None: the span that carries the statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One span, read."""

    kind: str
    """`MODEL`, `TOOL`, `AGENT`, `EVALUATOR`, `DUPLICATE` or `OTHER`."""
    dialect: str
    conversation: str | None = None
    conversation_is_made_up: bool = False
    """Whether the client made the id itself because the app gave none: what a span above says goes before it."""
    conversation_is_argument: bool = False
    """Whether only the arguments of the function that began the trace name it: a trace that lacks that span belongs to it by its history."""
    subject: str | None = None
    agent: str | None = None
    model: str | None = None
    version: str | None = None
    """Of the agent."""
    task_key: str | None = None
    response_id: str | None = None
    previous_response_id: str | None = None
    """The response that this call goes on from, where the model's provider keeps the history."""
    do_not_train: bool = False
    input: tuple[Step, ...] = ()
    is_turn: bool = False
    """Whether the input is what was said in this turn alone: it repeats nothing, even where it says the same."""
    output: tuple[Step, ...] = ()
    tools: tuple[str, ...] = ()
    call_id: str | None = None
    tool_name: str | None = None
    arguments: str | None = None
    result: str | None = None
    is_error: bool | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    flags: frozenset[str] = frozenset()
    """What is missing, in the words of `Episode.completeness`."""
    said: tuple[Statement, ...] = ()

    @property
    def has_content(self) -> bool:
        """Whether any message came along."""
        return bool(self.input or self.output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A row of the table: which spans it claims and how it reads them."""

    name: str
    claims: Callable[[Span], bool]
    read: Callable[[Span], Reading]
