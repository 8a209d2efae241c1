"""What stands between calls and tools, as the world file has it: one part for each kind of view.

Not here: what each view does with its part (the file of that name in `views`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..task.attempt import Json
from ..text_forms.style import Style
from .codec import Named, always_written, flat
from .envelopes import Envelopes

EnvelopesByTool = Mapping[Named, tuple[Envelopes, ...]]
"""The envelopes of each tool, the outermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueForm:
    """The format of a value that no recording can foretell.

    Which fields it has follows from its kind: a `time` has those from `form` to `untold`, an `id` and a `key` those from `slots` to `kept`,
    a `number` and a `default` have `value`.
    """

    kind: str
    """`time`, `id`, `number`, `any` (what keeps to no format), `key` (an id that agents draw), `text`, or `default` (what leaving an argument out means)."""
    says: str | None = None
    """The rule in words, for people."""
    seen: int | None = None
    """Values that were in it."""

    form: str | None = None
    """Of a time: `epoch`, `iso`, `minute` (without seconds), `date`, `clock` (without a date), `rfc2822` or `written` (by `pattern`)."""
    unit: int | None = None
    """Parts of a second that an epoch number counts."""
    whole: bool | None = None
    """Whether that is a whole number."""
    quoted: bool | None = None
    """Whether it stands as a text."""
    between: str | None = None
    """The sign between day and clock."""
    digits: int | None = None
    """Of the second's fraction."""
    zone: str | None = None
    """The time zone as it is written."""
    pattern: str | None = None
    """How people write it, in the codes of `strftime`."""
    offset: int | None = None
    """The distance (ns) to the moment of the call."""
    latest: int | None = None
    """The largest that fits all recorded dates."""
    origin: int | None = None
    """Where a clock, or a number of calls, starts that begins anew in every session."""
    each: int | None = None
    """How far one call takes it; None where that differs, and of a number that no call moves."""
    at: int | None = None
    """Of a time: the number of the call that told it in every recording; at another one nobody can tell it."""
    untold: bool | None = None
    """Nobody can tell it."""

    slots: tuple[str, ...] | None = None
    """Of an id: for each place the signs that may stand there."""
    taken: frozenset[str] | None = None
    """Digests of recorded ids: they are not given out again."""
    kept: bool | None = None
    """Later results show it again."""

    value: Json = None
    """The number or value that is told, or the default."""

    @property
    def spelling(self) -> tuple[object, ...]:
        """How a time is written, whatever the time is."""
        return (
            *(self.kind, self.form, self.unit, self.whole),
            *(self.quoted, self.between, self.digits, self.zone, self.pattern),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkPart:
    """A place in results where such a value stands."""

    tool: str
    """`*` for what stands around the results of every tool."""
    place: str
    form: ValueForm = flat()


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshPart:
    """Times and random ids in results."""

    marks: Mapping[Named, MarkPart]
    step: int
    """The usual time (ns) between two calls."""
    latest: int
    """The last recorded moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonStyle:
    """How a record is laid out, as arguments of `json.dumps`."""

    separators: tuple[str, str]
    ensure_ascii: bool
    indent: int | None

    def dumps(self, value: Json) -> str:
        """A value so laid out."""
        return json.dumps(
            value,
            separators=self.separators,
            ensure_ascii=self.ensure_ascii,
            indent=self.indent,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappingPart:
    """What stands around the results of a tool: of successes or of refusals."""

    head: str | None = None
    """Text before the result."""
    tail: str | None = None
    """Text behind the result."""
    record: Mapping[str, Json] | None = None
    """The record around it."""
    style: JsonStyle | None = None
    """How that record is laid out."""
    mark: str = ""
    """Put before the one text of a refusal that was taken out of its record."""
    bodies: frozenset[str] = frozenset()
    """Classes of results that came in it alone, where they are few: what counts as refused inside may have come as a success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdlePart:
    """The form of an argument that an agent makes up beside what it asks."""

    form: ValueForm = flat()
    always: bool
    """Every call had it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPart:
    """Where a tool's results give out a token."""

    place: str
    form: ValueForm


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensPart:
    """Tokens that one tool gives out and later calls have to carry."""

    gives: Mapping[Named, TokenPart]
    takes: Mapping[Named, frozenset[str]]
    """By tool, its arguments that are tokens."""
    recorded: Mapping[str, str]
    """By digest of a recorded token, what stands for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpellingPart:
    """The spellings of one argument that a tool takes for the same."""

    kinds: frozenset[str]
    """What is the same: `trim`, `case`, `number`, `order`."""
    spelt: Mapping[str, str]
    """Recorded spellings by folded one."""
    upper: bool | None
    """Whether all are in capitals; None where some are and some are not."""
    text: bool
    """Whether numbers are texts in records."""
    refused: bool
    """Whether a refusal was seen to have the recorded spelling."""
    support: int
    sure: bool
    """Whether this tool itself was seen to take them for the same."""
    names: Named = ""
    """The two fields of which records have names in it: `ViewParts.names` has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationPart:
    """One part of a tool that is several."""

    when: Mapping[Named, Json]
    """Values of the arguments that say that it is meant."""
    names: Mapping[Named, tuple[str, ...]]
    """By argument of the part, where it stands in calls."""
    schema: Mapping[Named, Json]
    numbers: tuple[str, ...] = ()
    """Arguments in the path or query that are numbers."""
    text: tuple[str, ...] = ()
    """Objects that calls have as JSON text."""
    always: tuple[str, ...] = ()
    """Objects that every call has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePart:
    """How the calls of one tool are several tools' calls."""

    by: tuple[str, ...] = always_written(())
    """Arguments whose values say which part is meant."""
    open: frozenset[str] = always_written(frozenset())
    """Arguments that are objects of arguments."""
    parts: Mapping[Named, OperationPart]
    path: str | None = None
    """The argument that is a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePart:
    """What changed about a tool."""

    kind: str
    says: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionPart:
    """An old version of a tool."""

    tool: str
    """The name under which it was learnt."""
    until: int
    """The first answer (ns) of the next version."""
    seen: int | None = None
    """Its own last answer."""
    calls: int = 0
    changes: tuple[ChangePart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsPart:
    """Tools that write records as text in one style."""

    tools: frozenset[str]
    style: Style = flat()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersPart:
    """Tools that are asked for what is somebody's own, and whose each name is."""

    tools: frozenset[str]
    values: Mapping[str, frozenset[str]]
    """By name, the subjects that were shown it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPlacePart:
    """A place in the instructions of an agent, by the words around it."""

    before: tuple[str, ...]
    behind: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewParts:
    """All views of a world; None or empty where nothing of a kind stands between calls and tools."""

    dispatched: Mapping[Named, RulePart] = field(default_factory=dict)
    """Tools that are several."""
    literal: tuple[str, ...] = ()
    """Tools whose results Python wrote."""
    texts: tuple[TextsPart, ...] = ()
    enveloped: EnvelopesByTool = field(default_factory=dict)
    literal_inside: tuple[str, ...] = ()
    texts_inside: tuple[TextsPart, ...] = ()
    enveloped_inside: EnvelopesByTool = field(default_factory=dict)
    embedded: Mapping[Named, frozenset[str]] = field(default_factory=dict)
    """Tools whose sentences hold records, each with the fields whose numbers have a decimal point there."""
    versions: Mapping[Named, tuple[VersionPart, ...]] = field(default_factory=dict)
    """Old versions of tools that drifted, the oldest first."""
    idle: Mapping[Named, Mapping[Named, IdlePart]] = field(default_factory=dict)
    """By tool and argument."""
    tokens: TokensPart | None = None
    bound: frozenset[str] = frozenset()
    """Tools that answer for whoever the session belongs to."""
    owners: OwnersPart | None = None
    prompt_subject: PromptPlacePart | None = None
    """Where the instructions say whose session it is; None: the user or the task says it."""
    wrapped: Mapping[Named, Mapping[Named, WrappingPart]] = field(default_factory=dict)
    """By tool, around its successes (`good`) and its refusals (`refused`)."""
    headed: Mapping[Named, Mapping[Named, WrappingPart]] = field(default_factory=dict)
    """The same outside of everything else, whatever envelope stands inside."""
    inside: EnvelopesByTool = field(default_factory=dict)
    spelling: Mapping[Named, Mapping[Named, SpellingPart]] = field(default_factory=dict)
    """By tool and argument."""
    names: Mapping[Named, Mapping[str, Json]] = field(default_factory=dict)
    """By two fields that name one record: the values of the first, each with that of the second."""
    fresh: FreshPart | None = None
    chosen: Mapping[Named, tuple[str, str]] = field(default_factory=dict)
    """Tools that answer for what was chosen: the choosing tool and its argument."""
