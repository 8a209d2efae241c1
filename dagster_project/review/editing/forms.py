"""The form of a check: the arguments of its kind (`environments.runtime.checks.kinds`), each in its field, and what a person typed into them.

Comes in: what a person typed, by argument. Goes out: arguments as checks compare them, or one sentence that says what is wrong. A kind
that nobody knows is edited by the shape of what it holds, never made up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dagster_project.review.editing.fields import (
    DECIMAL,
    BadCheckError,
    Field,
    field_of,
    read_text,
    text_of,
)
from environments.describe_check import describe_arguments
from environments.runtime.checks.kinds import KINDS, UNKNOWN, CheckKind
from environments.runtime.task.attempt import Json
from synth.rubric.facts.told_facts import fact_of_text


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


def example_of(fn: str) -> str:
    """The sentence that the example of a kind makes."""
    return describe_arguments(fn, read_check(fn, KINDS[fn].example))


def fields_of(fn: str, args: Mapping[str, Json]) -> list[ShownArgument]:
    """The arguments of a check as the page shows them: first those it needs, last those that are only kept."""
    kind = KINDS.get(fn, UNKNOWN)
    names = dict.fromkeys((*kind.needs, *kind.takes, *sorted(args)))
    shown = [_shown_argument(name, args, kind) for name in names]
    return sorted(shown, key=lambda one: (one.field is None, one.field is None or one.field.rare))


def _shown_argument(name: str, args: Mapping[str, Json], kind: CheckKind) -> ShownArgument:
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
    if fn not in KINDS and before is None:
        raise BadCheckError(f"there is no kind of check called “{fn[:60]}”")
    old = dict(before or {})
    kind = KINDS.get(fn, UNKNOWN)
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
