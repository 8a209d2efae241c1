"""A check as a plain sentence, made from its kind and its arguments alone, so that the sentence cannot lie.

In: a check. Out: the sentence of its kind (`runtime.checks.kinds`) with its arguments in words, in at most `MOST` characters. A kind that nobody
knows is told by the check's own `says`, else by its name and arguments. Odd arguments give a vaguer sentence, never an error.
Not here: what a check scores (`runtime.checks`), why a task waits (`verification.sentences`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeGuard

from environments.runtime.checks.judge import EVIDENCE, scale_of
from environments.runtime.checks.kinds import KINDS
from environments.runtime.checks.view import objects_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check
from environments.runtime.task.verdict import count_text
from environments.runtime.values.json_text import nested_deeper
from environments.runtime.values.literals import parse_json

Arguments = Mapping[str, Json]

MOST: Final = 900
"""Characters of a sentence."""
MOST_VALUE: Final = 160
"""Characters of one value in a sentence."""
MOST_LISTED: Final = 8
"""Things that a sentence lists before it counts the rest."""
MOST_WORDS: Final = 40
"""Single words that it lists."""
MOST_DEEP: Final = 2
"""Lists and objects in one another that it shows."""
SECTION: Final = re.compile(r"\[(!?)(\w+):([^\[\]]*)\]")
PLACE: Final = re.compile(r"\{(\w+)(?:\|([^{}]*))?\}")


def describe(check: Check) -> str:
    """What a check asks, as a sentence; for a kind that nobody knows its own `says` comes first."""
    own = " ".join(check.says.split())
    if check.fn not in KINDS and own:
        return _clip(own, MOST)
    return describe_arguments(check.fn, check.args)


def describe_arguments(fn: str, args: Arguments) -> str:
    """The sentence that a kind and its arguments make, whatever a check says of itself."""
    sentence = _filled(KINDS[fn].sentence, args) if fn in KINDS else _any_check(fn, args)
    if args.get("on_missing") == "null":
        sentence += (
            " Where that fails, the attempt is not graded: outcomes do not tell whether it matters."
        )
    return _clip(" ".join(sentence.split()), MOST)


def _filled(sentence: str, args: Arguments) -> str:
    """The sentence of a kind with its arguments in words, as `CheckKind.sentence` says how."""
    before = ""
    while sentence != before:
        # The innermost sections first.
        before, sentence = sentence, SECTION.sub(lambda found: _section(found, args), sentence)
    return PLACE.sub(lambda found: _argument(found[1], found[2] or "", args), sentence)


def _section(found: re.Match[str], args: Arguments) -> str:
    value = args.get(found[2])
    given = value is not None and value is not False and value not in ("", [], {})
    return found[3] if given != bool(found[1]) else ""


def _argument(name: str, how: str, args: Arguments) -> str:
    """One argument in words; `how`: what a number counts (`call,calls`), or the word between the things of a list."""
    if name in WORDS:
        return WORDS[name](args, how)
    value = args.get(name)
    if "," in how:
        one, many, *usual = how.split(",")
        number = value if _is_count(value) or not usual else int(usual[0])
        return _limit(number, one, many)
    if isinstance(value, list):
        return _list_text(_things(value), f" {how} " if how else ", ")
    return _value_text(value)


def _things(value: Json) -> list[str]:
    """The things of a list: facts and answers by their value."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [_value_text(one.get("value") if isinstance(one, dict) else one) for one in items]


def _ends(args: Arguments, _how: str) -> str:
    ends = objects_of(args, "ends")
    if not ends:
        wrong = len(objects_of(args, "bad"))
        known = f"; {count_text(wrong, 'way is', 'ways are')} known to be wrong" if wrong else ""
        return f"Nobody knows what the agent has to change{known}"
    if len(ends) == 1:
        return _end(ends[0], "The agent changes")
    ways = "; ".join(f"({n}) {_end(end, 'it changes')}" for n, end in enumerate(ends[:4], 1))
    more = f"; and {len(ends) - 4} more" if len(ends) > 4 else ""
    return f"The agent ends in one of {len(ends)} right ways: {ways}{more}"


def _end(end: Arguments, who: str) -> str:
    """The changes of one end: its calls, or the fields that they set where it names no calls."""
    writes = [_call(row) for row in _rows(end.get("writes"))]
    effects = [_effect(row) for row in _rows(end.get("effects"))]
    done = [text for text in (writes or effects) if text]
    if not done:
        return f"{who} nothing"
    by = "by calling" if writes else "as follows:"
    exactly = "exactly one thing" if len(done) == 1 else f"exactly {len(done)} things"
    return f"{who} {exactly}, {by} {_list_text(done, '; ')}"


def _possible_changes(args: Arguments, _how: str) -> str:
    """The calls of the one end that may change something or not: who makes others is not graded."""
    ends = objects_of(args, "ends")
    rows = ends[0].get("maybe") if len(ends) == 1 else None
    ways = [_rows(row) for row in rows] if isinstance(rows, list) else []
    if not any(ways):
        return ""
    calls = [_list_text([_call(row) for row in way], "; ") if way else "none" for way in ways]
    return (
        " Of some calls nobody knows whether they change anything; it makes these and no others of them, "
        f"or is not graded: {_list_text(calls, ', or else ', 4)}."
    )


def _some_words(args: Arguments, _how: str) -> str:
    """How many of some words are asked for: `all of these words: pack, bags`."""
    words, least = _things(args.get("words")), args.get("least")
    needed = least if _is_count(least) else len(words)
    listed = _list_text(words, most=MOST_WORDS)
    if len(words) == 1:
        return f"the word “{listed}”"
    how_many = "all" if needed >= len(words) else f"at least {needed}"
    return f"{how_many} of these words: {listed}"


def _text_content(args: Arguments, _how: str) -> str:
    """What a text has to hold."""
    facts = _things(args.get("facts"))
    wanted = [f"these facts in any form: {_list_text(facts)}"] if facts else []
    if _things(args.get("words")) and args.get("least") != 0:
        wanted.append(_some_words(args, ""))
    return "; and ".join(wanted) or "anything"


def _ground(args: Arguments, _how: str) -> str:
    """Where what is told comes from."""
    computed = args.get("computed") is not False
    how = ", or follows from those by simple arithmetic" if computed else "; none is computed"
    return f"was shown by a tool or said by the user or the instructions{how}"


def _kinds(args: Arguments, _how: str) -> str:
    """The kinds of facts that are compared, as words: `amount, date or id`."""
    named = {"number": "amount", "email": "e-mail address"}
    return _one_of([named.get(kind, kind) for kind in _things(args.get("kinds"))]) or "fact"


def _written_in(args: Arguments, _how: str) -> str:
    """The arguments of tools that are texts."""
    texts = args.get("texts")
    named = texts.items() if isinstance(texts, dict) else ()
    where = [
        f"the {_one_of([f'“{one}”' for one in _things(names)])} of {tool}" for tool, names in named
    ]
    return _list_text(where, ", ", MOST_WORDS)


def _calls(args: Arguments, _how: str) -> str:
    """The calls of which one is enough, each tool named once: `look with id 1 or with id 2 or find with id 1`."""
    calls: list[str] = []
    tool = ""
    for row in _rows(args.get("any_of")):
        text = _call(row)
        name = _value_text(row[0]) if row else ""
        known = tool == name and text.startswith(f"{name} with ")
        calls.append(text.removeprefix(f"{name} ") if known else text)
        tool = name
    return _list_text([*_things(args.get("tools")), *filter(None, calls)], " or ")


def _caps(args: Arguments, what: str) -> str:
    """How much of something may be told."""
    limits = ((args.get("per_message"), " in one message"), (args.get("total"), " in all"))
    caps = [f"at most {limit:,} {what}{where}" for limit, where in limits if _is_count(limit)]
    return " and ".join(caps) or f"as many {what} as it likes"


def _choices(args: Arguments, _how: str) -> str:
    """How often an answer may leave open which of two facts it is: one that says "12 or 14" tells neither."""
    most = args.get("choices")
    if most == 0:
        return "does not leave open which of two it is"
    return f"leaves open which of two it is at most {_limit(most, 'time', 'times')}"


def _scale(args: Arguments, _how: str) -> str:
    low, high = scale_of(args.get("scale"))
    return f"{low:g} to {high:g}"


def _share(args: Arguments, _how: str) -> str:
    share = args.get("loose")
    return f"{share:.0%}" if isinstance(share, int | float) else _value_text(share)


def _evidence(args: Arguments, _how: str) -> str:
    return EVIDENCE.get(str(args.get("evidence")), EVIDENCE["visible"])


WORDS: Final[Mapping[str, Callable[[Arguments, str], str]]] = {
    "among": lambda args, _: _limit(args.get("among"), "other fact", "other facts"),
    "any_of": _calls,
    "call": lambda args, _: _call([args.get("tool"), args.get("arguments")]),
    "caps": _caps,
    "choices": _choices,
    "ends": _ends,
    "evidence": _evidence,
    "ground": _ground,
    "held": _text_content,
    "kinds": _kinds,
    "loose": _share,
    "possible_changes": _possible_changes,
    "prompt": lambda args, _: _value_text(args.get("prompt"), MOST - 200),
    "scale": _scale,
    "some_words": _some_words,
    "texts": _written_in,
    "tools": lambda args, _: _one_of(_things(args.get("tools"))),
}
"""What stands in a sentence otherwise than a list or a value does, by the name of its place."""


def _any_check(fn: str, args: Arguments) -> str:
    parts = [f"{_words(name)} {_value_text(value)}" for name, value in sorted(args.items())]
    name = _words(fn) or "this kind of check"
    return f"The attempt passes “{name}”{' with ' + _list_text(parts, '; ') if parts else ''}."


def _call(row: Sequence[Json]) -> str:
    """A call as words: `[tool, arguments, times]`, the arguments an object or its text."""
    if not row:
        return ""
    arguments = row[1] if len(row) > 1 else {}
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    times = row[2] if len(row) > 2 else 1
    often = f" {times} times" if _is_count(times) and times > 1 else ""
    given = _value_text(arguments)
    if isinstance(arguments, dict):
        given = _fields(arguments) if arguments else ""
    return f"{_value_text(row[0])}{often}{' with ' + given if given else ''}"


def _effect(row: Sequence[Json]) -> str:
    """A field that is set: `[kind of record, its key, field, value]`."""
    parts = [_parsed(cell) if isinstance(cell, str) else cell for cell in row]
    if len(parts) < 4:
        return _list_text([_value_text(part) for part in parts], " ")
    return f"{_value_text(parts[0])} {_value_text(parts[1])}: {_value_text(parts[2])} becomes {_value_text(parts[3])}"


def _parsed(text: str) -> Json:
    """What a text of JSON means; any other text is itself."""
    found = parse_json(text) if text[:1] in {"{", "[", '"'} else None
    return text if found is None else found.value


def _fields(value: Mapping[str, Json]) -> str:
    items = [f"{name} {_quoted(item)}" for name, item in value.items()]
    return _list_text(items, most=MOST_WORDS)


def _quoted(value: Json) -> str:
    """A text of several words in quotes, so that it cannot be taken for the next field."""
    shown = _value_text(value)
    return f"“{shown}”" if isinstance(value, str) and " " in shown and value.strip() else shown


def _value_text(value: Json, most: int = MOST_VALUE) -> str:
    """A value as a person writes it: a number as it stands, a list with commas, an object in brackets."""
    if value is None or isinstance(value, bool):
        return {None: "(nothing)", True: "yes", False: "no"}[value]
    if isinstance(value, str):
        shown = " ".join(value.split()) or "(nothing)"
    elif nested_deeper(value, MOST_DEEP):
        shown = "a value that is nested too deep to be shown here"
    elif isinstance(value, list):
        shown = _list_text([_value_text(item) for item in value])
    elif isinstance(value, dict):
        shown = f"({_fields(value)})" if value else "(nothing)"
    else:
        shown = json.dumps(value)
    return _clip(shown, most)


def _list_text(items: Sequence[str], between: str = ", ", most: int = MOST_LISTED) -> str:
    shown = between.join(items[:most]) or "(nothing)"
    rest = len(items) - most
    return f"{shown}{between.rstrip()} and {rest} more" if rest > 0 else shown


def _one_of(items: Sequence[str]) -> str:
    """Some things of which each is meant: `a, b or c`; empty for none."""
    shown = list(items[:MOST_WORDS])
    if len(items) > MOST_WORDS:
        shown.append(f"{len(items) - MOST_WORDS} more")
    return " or ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def _limit(value: Json, one: str, many: str) -> str:
    return count_text(value, one, many) if _is_count(value) else f"an unknown number of {many}"


def _is_count(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15


def _words(name: str) -> str:
    return _clip(" ".join(name.replace("_", " ").split()), 60)


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _rows(value: Json) -> list[list[Json]]:
    return [row for row in value if isinstance(row, list)] if isinstance(value, list) else []
