"""What a file format offers: how its values are told from others, and what they are read as.

Filled by the files of this folder, put together in `ingest.formats.table`. A format reads values that are parsed already;
which bytes hold them is `ingest.files.telemetry_files`' business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ingest.files.chat_log import Chat
from ingest.otlp.record import Arrival
from ingest.records.outcome import Outcome
from ingest.records.quarantine import Rejected
from ingest.records.span import LogEvent, Span
from ingest.records.text import Json


@dataclass(slots=True, kw_only=True)
class Decoded:
    """What one body, or one value of it, held."""

    spans: list[Span] = field(default_factory=list)
    events: list[LogEvent] = field(default_factory=list)
    chats: list[Chat] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    def add(self, other: Decoded) -> None:
        """Take in what another value held."""
        self.spans += other.spans
        self.events += other.events
        self.chats += other.chats
        self.outcomes += other.outcomes
        self.rejected += other.rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A row of the table: which values a format claims and how it reads them."""

    name: str
    """As the write-ahead log keeps it."""
    title: str
    """What people call it."""
    keys: tuple[str, ...]
    """The keys that it is known by, for people whose file has some of them."""
    claims: Callable[[Json], bool]
    """Whether a parsed value is in this format."""
    read: Callable[[Json, Arrival], Decoded]
    """What a value holds. Where `is_whole_file`, the value is the list of all values of the file. Never raises."""
    is_whole_file: bool = False
    """Whether one value means nothing without the others of its file."""
    is_sure: bool = True
    """Whether one line that is claimed makes the file one of these, whatever else stands in it."""
    parted_at: str | None = None
    """The key of a list whose elements may be read apart, each in a document of the same layout."""
    takes_mapping: bool = False
    """Whether a person's mapping can say more of a file than this format does: its keys are its owner's own."""
    may_be_empty: bool = False
    """Whether a value that holds nothing is a valid one: an exporter may have had nothing to send."""
    checks_depth: bool = False
    """Whether the format bounds how deeply values nest; otherwise `ingest.otlp.decode` does before it reads."""
