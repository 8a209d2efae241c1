"""What came in and what redaction made of it, as the report shows it."""

from dataclasses import dataclass

from dagster_project.report.data.counts import Count


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """What one kind of outcome says, and who said it."""

    app: str
    name: str
    by: str
    """Who judged: `end_user`, `business_record`, `reviewer`, `code`, `model`, `implicit`, `unknown`."""
    good: int
    bad: int
    unknown: int = 0
    """Values that the outcome policy gives no meaning."""
    settle: str = ""
    """The line to add to `outcomes.toml` when the policy does not know the name."""
    read_as: str = ""
    """The line of `outcomes.toml` that says what was read of the app's values, where none is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Who gives feedback and who does not: one group of episodes."""

    app: str
    group: str
    """`all`, the users, an agent, an intent (the tools that change something)."""
    episodes: int
    labelled: int
    unit: str = "episodes"
    """What is counted: `episodes`, or `users` (those who gave an outcome at least once)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionCount:
    """How many values of one kind were replaced in one place of one app's episodes on one day."""

    app: str
    day: str
    kind: str
    count: int
    place: str = ""
    """The path of a field of the episode, without positions: `steps[].content`."""
    characters: int = 0
    """How long what was replaced was, all in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaysRow:
    """Values under one key of an app that nothing changed."""

    kind: str
    """What they look like: `number of a record`, `free text`, ..."""
    key: str
    count: int
    episodes: int
    example: str = ""
    """One of them in its place, as it stands past the gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageCount:
    """What the gate did in the conversations of one language."""

    language: str
    conversations: int
    replaced: int
    withheld: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionState:
    """How the gate stands for one app."""

    app: str
    mode: str
    """`on`, or `off` where the data was declared free of personal data."""
    episodes: int
    replaced: int
    held: int = 0
    """Episodes that the gate kept back."""
    withheld: int = 0
    """Leaves that the policy could not judge and replaced by a marker."""
    leaks: int | None = None
    """What the independent leak check found; None when it has not run."""
    waivers: tuple[Count, ...] = ()
    """Hits of the leak check that do not count, by the reason."""
    calls: int = 0
    """Distinct recorded calls with their results."""
    calls_unlike: int = 0
    """Of them, those that read unlike in two episodes past the gate, or became one with another."""
    languages: tuple[LanguageCount, ...] = ()
    """By how many conversations they have."""
    stays: tuple[StaysRow, ...] = ()
    """What nothing changed, what identifies best first."""
    looked_at: int = 0
    """Conversations in which that was counted."""
    signed: str = ""
    """Who answers for the policy and the data as they are now, or why nobody does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineRow:
    """Input that could not be used, by reason."""

    app: str
    code: str
    count: int
    reason: str = ""
    source: str = ""
