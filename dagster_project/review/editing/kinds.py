"""The kinds of checks as people edit them: what each asks, which arguments it takes, and an example of each.

Comes in: what a person typed, by argument. Goes out: arguments as `environments.runtime.checks.table` compares them, or one
sentence that says what is wrong. A kind that is not listed here is edited by the shape of what it holds, never made up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from dagster_project.review.editing.fields import (
    DECIMAL,
    BadCheckError,
    Field,
    field_of,
    read_text,
    text_of,
)
from environments.describe_check import describe_arguments
from environments.runtime.checks.table import FUNCTIONS
from environments.runtime.task.attempt import Json
from synth.rubric.facts.told_facts import fact_of_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of check."""

    about: str
    """What it asks, for the list of kinds."""
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    example: Mapping[str, str] = field(default_factory=dict)
    """What a person could type, by argument."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownArgument:
    """One argument on the page."""

    name: str
    field: Field | None
    """None: it is kept as it is."""
    text: str
    """What stands in its field, or says what is kept."""
    example: str
    needed: bool


_TOOLS: Final = {"tools": "cancel_order\nrefund_order"}
KINDS: Final[Mapping[str, Kind]] = {
    "told": Kind(
        about="The agent tells the user a fact",
        needs=("value",),
        takes=("among", "on_missing"),
        example={"value": "305.50"},
    ),
    "told_some": Kind(
        about="The agent tells the user enough of some facts",
        needs=("facts",),
        takes=("least", "among"),
        example={"facts": "305.50\n2024-05-15", "least": "1"},
    ),
    "closing_facts": Kind(
        about="The agent's last messages tell no other fact in the place of these",
        needs=("facts",),
        example={"facts": "305.50\n2024-05-15"},
    ),
    "closing_words": Kind(
        about="The agent's last messages name no other person, product or code in the place of these",
        needs=("right", "others"),
        example={"right": "Brandt", "others": "Adler\nSommer"},
    ),
    "denies_nothing": Kind(
        about="The agent's last messages do not deny what these words tell",
        needs=("words",),
        example={"words": "booking\ncancelled"},
    ),
    "grounded": Kind(
        about="The agent tells nothing that nothing shows",
        needs=("kinds",),
        takes=("writes",),
        example={"kinds": "number\ndate\ntime\nid\nemail"},
    ),
    "quoted_at_most": Kind(
        about="The agent copies no tool's answer",
        needs=("most",),
        example={"most": "200"},
    ),
    "answered": Kind(
        about="The final answer is one of these",
        needs=("answers",),
        takes=("tools",),
        example={"answers": "Boston\n42"},
    ),
    "text_holds": Kind(
        about="A text that a call writes holds facts and words, however it is worded",
        needs=("tool", "argument"),
        takes=("facts", "words", "least", "among", "ignore"),
        example={
            "tool": "send_message",
            "argument": "body",
            "words": "refund\nfriday",
            "least": "1",
        },
    ),
    "text_grounded": Kind(
        about="The agent writes nothing that nothing shows",
        needs=("texts",),
        takes=("kinds",),
        example={"texts": "send_message: body", "kinds": "number\ndate"},
    ),
    "said": Kind(
        about="The agent says enough of some words",
        needs=("words",),
        takes=("least", "declines", "on_missing"),
        example={"words": "refund\nfive days", "least": "1"},
    ),
    "end_state": Kind(
        about="The agent changes these things and nothing else",
        needs=("ends",),
        takes=("writes", "maybe", "ignore"),
        example={"ends": "cancel_order\norder_id: W123\nreason: no longer needed"},
    ),
    "wrote": Kind(
        about="The agent makes one change",
        needs=("tool",),
        takes=("arguments", "ignore", "end"),
        example={"tool": "cancel_order", "arguments": "order_id: W123"},
    ),
    "acted": Kind(
        about="The agent calls one of these tools",
        needs=("tools",),
        takes=("any_of", "ignore"),
        example=_TOOLS,
    ),
    "read": Kind(
        about="The agent looks one of these records up",
        needs=("any_of",),
        takes=("ignore",),
        example={"any_of": "get_order\norder_id: W123"},
    ),
    "before": Kind(
        about="The agent calls one tool before another",
        needs=("first", "then"),
        example={"first": "get_order", "then": "cancel_order"},
    ),
    "confirmed": Kind(
        about="The user is asked before each change", needs=("tools",), example=_TOOLS
    ),
    "user_declines": Kind(
        about="The user is asked to agree, in a message with one of these codes, and says no",
        needs=("names",),
        example={"names": "W123\n88.55"},
    ),
    "never_called": Kind(
        about="The agent never calls these tools", needs=("tools",), example=_TOOLS
    ),
    "judge": Kind(
        about="A judge answers a question about the attempt",
        needs=("prompt",),
        takes=("scale", "evidence", "tool", "argument"),
        example={"prompt": "Does the agent give the reason for the refusal?", "scale": "0 to 1"},
    ),
    "spoke": Kind(
        about="The agent answers the user", takes=("messages",), example={"messages": "1"}
    ),
    "called": Kind(about="The agent does anything", takes=("least",), example={"least": "1"}),
    "calls_at_most": Kind(
        about="The agent makes not more calls than this", needs=("most",), example={"most": "20"}
    ),
    "repeats_at_most": Kind(
        about="The agent repeats no call more often than this",
        needs=("most",),
        example={"most": "2"},
    ),
    "numbers_told": Kind(
        about="The agent tells not more new numbers than this",
        takes=("per_message", "total"),
        example={"per_message": "6", "total": "20"},
    ),
    "small_numbers_told": Kind(
        about="The agent tells these small numbers and hardly any other",
        needs=("values",),
        takes=("most",),
        example={"values": "1/6\n3", "most": "2"},
    ),
    "words_told": Kind(
        about="The agent says not more than so many characters",
        takes=("per_message", "total"),
        example={"per_message": "1500", "total": "5000"},
    ),
}
"""The kinds that a person can add, the usual ones first."""


def example_of(fn: str) -> str:
    """The sentence that the example of a kind makes."""
    return describe_arguments(fn, read_check(fn, KINDS[fn].example))


def fields_of(fn: str, args: Mapping[str, Json]) -> list[ShownArgument]:
    """The arguments of a check as the page shows them: first those it needs, last those that are only kept."""
    kind = KINDS.get(fn, Kind(about=fn))
    names = dict.fromkeys((*kind.needs, *kind.takes, *sorted(args)))
    shown = [_shown_argument(name, args, kind) for name in names]
    return sorted(shown, key=lambda one: (one.field is None, one.field is None or one.field.rare))


def _shown_argument(name: str, args: Mapping[str, Json], kind: Kind) -> ShownArgument:
    text = text_of(name, args[name], args) if name in args else ""
    edited = field_of(name, args.get(name)) if text is not None else None
    if edited is not None and kind.needs + kind.takes and name not in kind.needs + kind.takes:
        edited = replace(edited, rare=True)
    return ShownArgument(
        name=name,
        field=edited,
        text=text if text is not None else _size_text(args[name]),
        example=kind.example.get(name, ""),
        needed=name in kind.needs and (name in args or not args),
    )


def _size_text(value: Json) -> str:
    size = len(value) if isinstance(value, list | dict | str) else 1
    return "nothing" if not size else "1 entry" if size == 1 else f"{size:,} entries"


def read_check(
    fn: str,
    typed: Mapping[str, str],
    *,
    before: Mapping[str, Json] | None = None,
    usual: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """The arguments of a check after a person filled in its fields, by argument.

    `before` are its arguments until now: a field that was left as it stood changes nothing, an emptied one goes.
    `usual` are arguments that every new check of this rubric shares (which values are not compared).
    """
    if fn not in FUNCTIONS and before is None:
        raise BadCheckError(f"there is no kind of check called “{fn[:60]}”")
    old = dict(before or {})
    kind = KINDS.get(fn, Kind(about=fn))
    known = {one.name: one.text for one in fields_of(fn, old) if one.field is not None}
    context: dict[str, Json] = {n: v for n, v in (usual or {}).items() if n in kind.takes} | old
    found: dict[str, Json] = dict(context)
    # A tool's name decides which of its values are compared, so it is read before them.
    for name in sorted(known, key=lambda name: (name not in {"ignore", "tool"}, name)):
        if name not in typed or _is_same_text(typed[name], known[name]):
            continue
        if not typed[name].strip():
            found.pop(name, None)
            continue
        found[name] = context[name] = read_text(name, typed[name], context)
    missing = [
        one for one in kind.needs if one not in found and (one in old or not old) and one in known
    ]
    if missing:
        shown = field_of(missing[0], None)
        label = shown.label if shown is not None else missing[0]
        example = kind.example.get(missing[0], "").replace("\n", ", ")
        raise BadCheckError(f"“{label}” is missing; for example: {example}")
    if fn == "told" and found.get("value") != old.get("value"):
        found = _with_forms(found)
    if fn == "wrote" and "arguments" not in found:
        found["arguments"] = "{}"
    if fn == "end_state" and "writes" not in found:
        found["writes"] = _changing(found.get("ends"))
    return found


def _with_forms(args: dict[str, Json]) -> dict[str, Json]:
    """A new fact with the forms in which it is looked for; a code of digits is looked for as it is."""
    value = args["value"]
    rest = {name: held for name, held in args.items() if name not in {"kind", "readings", "forms"}}
    if isinstance(value, str) and DECIMAL.fullmatch(value):
        return rest
    return {**rest, **fact_of_text(str(value)), "value": value}


def _is_same_text(typed: str, shown: str) -> bool:
    """Browsers send line ends of their own."""
    return typed.replace("\r\n", "\n").strip() == shown.strip()


def _changing(ends: Json) -> list[Json]:
    """The tools that the ends change something with."""
    listed = ends if isinstance(ends, list) else []
    writes = [end.get("writes") for end in listed if isinstance(end, dict)]
    rows = [row for one in writes if isinstance(one, list) for row in one]
    return list(dict.fromkeys(str(row[0]) for row in rows if isinstance(row, list)))
