"""A check as a plain sentence, made from its function and its arguments alone, so that the sentence cannot lie.

In: a check. Out: what it asks, in at most `MOST` characters. A function that has no entry in `SENTENCES` is told by the
check's own `says`, else by its name and arguments. Odd arguments give a vaguer sentence, never an error.
Not here: what a check scores (`runtime.checks`), why a task waits (`verification.sentences`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeGuard

from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check

Arguments = Mapping[str, Json]

MOST: Final = 900
"""Characters of a sentence."""
MOST_VALUE: Final = 160
"""Characters of one value in a sentence."""
MOST_LISTED: Final = 8
"""Things that a sentence lists before it counts the rest."""
MOST_WORDS: Final = 40
"""Single words that it lists."""


def describe(check: Check) -> str:
    """What a check asks, as a sentence; for a function without an entry in `SENTENCES` its own `says` comes first."""
    own = " ".join(check.says.split())
    if check.fn not in SENTENCES and own:
        return _clip(own, MOST)
    return describe_arguments(check.fn, check.args)


def describe_arguments(fn: str, args: Arguments) -> str:
    """The sentence that a function and its arguments make, whatever a check says of itself."""
    make = SENTENCES.get(fn)
    sentence = _any_check(fn, args) if make is None else make(args)
    if args.get("on_missing") == "null":
        sentence += (
            " Where that fails, the attempt is not graded: outcomes do not tell whether it matters."
        )
    return _clip(" ".join(sentence.split()), MOST)


def _end_state(args: Arguments) -> str:
    ends = _objects(args.get("ends"))
    if not ends:
        wrong = len(_objects(args.get("bad")))
        known = f"; {_count(wrong, 'way is', 'ways are')} known to be wrong" if wrong else ""
        return f"Nobody knows what the agent has to change{known}."
    if len(ends) == 1:
        return f"{_end(ends[0], 'The agent changes')}.{_possible_changes(ends[0])}"
    ways = "; ".join(f"({n}) {_end(end, 'it changes')}" for n, end in enumerate(ends[:4], 1))
    more = f"; and {len(ends) - 4} more" if len(ends) > 4 else ""
    return f"The agent ends in one of {len(ends)} right ways: {ways}{more}."


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


def _possible_changes(end: Arguments) -> str:
    """The calls that may change something or not: who makes others is not graded."""
    rows = end.get("maybe")
    ways = [_rows(row) for row in rows] if isinstance(rows, list) else []
    if not any(ways):
        return ""
    calls = [_list_text([_call(row) for row in way], "; ") if way else "none" for way in ways]
    return (
        " Of some calls nobody knows whether they change anything; it makes these and no others of them, "
        f"or is not graded: {_list_text(calls, ', or else ', 4)}."
    )


def _wrote(args: Arguments) -> str:
    call = _call([args.get("tool"), args.get("arguments")])
    other = " Another way to the same end counts as well." if args.get("end") else ""
    return f"The agent succeeds in calling {call}.{other}"


def _told(args: Arguments) -> str:
    value = args.get("value")
    among = args.get("among")
    beside = f", in a message with at most {_other_facts(among)}" if _is_count(among) else ""
    return f"The agent tells the user {_value_text(value)}{beside}."


def _other_facts(number: int) -> str:
    return f"{_count(number, 'other fact', 'other facts')}" if number else "no other fact"


def _told_some(args: Arguments) -> str:
    facts = [_value_text(fact.get("value")) for fact in _objects(args.get("facts"))]
    least = args.get("least")
    needed = least if _is_count(least) else 1
    if args.get("only") is True:
        return (
            f"The agent tells the user {_list_text(facts, ' or ')}, and nothing else in its place."
        )
    such = f"; good attempts told {_list_text(facts)}" if facts else ""
    what = _count(needed, "fact", "facts")
    return f"The agent tells the user at least {what} that it had to find out{such}."


def _closing_facts(args: Arguments) -> str:
    facts = [_value_text(fact.get("value")) for fact in _objects(args.get("facts"))]
    return f"In its answers the agent tells nothing else in the place of {_list_text(facts)}."


def _closing_words(args: Arguments) -> str:
    right, others = (_list_text(_texts(args.get(n))) for n in ("right", "others"))
    return f"In its answers the agent does not name {others} in the place of {right}."


def _denies_nothing(_args: Arguments) -> str:
    return "In its answers the agent does not deny what good attempts tell."


def _grounded(args: Arguments) -> str:
    measured = " A number has no other unit and sign than resolved attempts give it."
    return f"{_what_has_a_ground(args)}{measured if args.get('measures') else ''}"


def _what_has_a_ground(args: Arguments) -> str:
    most, kinds = args.get("loose"), args.get("kinds")
    if args.get("computed") is False and not isinstance(most, int | float):
        return f"Every {_kinds(args)} that the agent tells {_SHOWN}; none is computed."
    if not isinstance(most, int | float):
        return f"Every {_kinds(args)} that the agent tells {_GROUND}."
    rest = f"at most {most:.0%} of all facts that the agent tells lack such a ground"
    if kinds == []:
        return f"Of what the agent tells, at least {1 - most:.0%} {_GROUND}."
    return f"Every {_kinds(args)} that the agent tells {_GROUND}; {rest}."


_SHOWN: Final = "was shown by a tool or said by the user or the instructions"
_GROUND: Final = f"{_SHOWN}, or follows from those by simple arithmetic"


def _kinds(args: Arguments) -> str:
    """The kinds of facts that are compared, as words: `amount, date or id`."""
    named = {"number": "amount", "email": "e-mail address"}
    return _one_of([named.get(kind, kind) for kind in _texts(args.get("kinds"))]) or "fact"


def _answered(args: Arguments) -> str:
    answers = args.get("answers")
    rows = answers if isinstance(answers, list) else []
    right = [
        _value_text(row.get("value")) if isinstance(row, dict) else _value_text(row) for row in rows
    ]
    return f"The agent's final answer is {_list_text(right, ' or ')}, in any form, and no other."


def _text_holds(args: Arguments) -> str:
    facts = [_value_text(fact.get("value")) for fact in _objects(args.get("facts"))]
    words = _texts(args.get("words"))
    least = args.get("least")
    needed = least if _is_count(least) else len(words)
    wanted = [f"these facts in any form: {_list_text(facts)}"] if facts else []
    if words and needed:
        wanted.append(_some_words(needed, words))
    held = "; and ".join(wanted) or "anything"
    tool, name = _value_text(args.get("tool")), _value_text(args.get("argument"))
    return f"The agent gives {tool}, as “{name}”, a text with {held}."


def _text_grounded(args: Arguments) -> str:
    texts = args.get("texts")
    named = texts if isinstance(texts, dict) else {}
    where = [
        f"the {_one_of([f'“{name}”' for name in _texts(names)])} of {tool}"
        for tool, names in named.items()
    ]
    said = f"Every {_kinds(args)} that the agent writes {_GROUND}"
    return f"{said}. That goes for {_list_text(where, ', ', MOST_WORDS)}." if where else f"{said}."


def _copied(args: Arguments) -> str:
    most = _limit(args.get("most"), "character", "characters")
    fields = _limit(args.get("fields"), "name", "names") if "fields" in args else ""
    records = f", and {fields} of their fields" if fields else ""
    return f"The agent copies at most {most} of tools' answers and of its instructions word for word{records}."


def _said(args: Arguments) -> str:
    words = _texts(args.get("words"))
    declines = args.get("declines") is True
    if not words:
        return "The agent says that it cannot be done." if declines else "The agent says something."
    least = args.get("least")
    needed = least if _is_count(least) else len(words)
    other = " A refusal in other words counts as well." if declines else ""
    share = args.get("share")
    few = (
        " They are more than a list of words."
        if isinstance(share, int | float) and share > 0
        else ""
    )
    return f"The agent says in one message {_some_words(needed, words)}.{few}{other}"


def _some_words(needed: int, words: Sequence[str]) -> str:
    """How many of some words are asked for: `all of these words: pack, bags`."""
    listed = _list_text(words, most=MOST_WORDS)
    if len(words) == 1:
        return f"the word “{listed}”"
    how_many = "all" if needed >= len(words) else f"at least {needed}"
    return f"{how_many} of these words: {listed}"


def _spoke(args: Arguments) -> str:
    least = args.get("messages")
    times = least if _is_count(least) else 1
    after = ""
    if args.get("after_calls") is True:
        tools = _texts(args.get("unless"))
        after = f" after its last call{', unless that is ' + _list_text(tools, ' or ') if tools else ''}"
    return f"The agent answers the user in at least {_count(times, 'message', 'messages')}{after}."


def _numbers_told(args: Arguments) -> str:
    told = f"The agent tells {_caps(args, 'new numbers')}"
    # One that says "12 or 14" at the end told neither.
    return (
        f"{told}, and does not leave open which of two it is."
        if args.get("choices") == 0
        else f"{told}."
    )


def _small_numbers_told(args: Arguments) -> str:
    told = f"The agent tells the user {_list_text(_texts(args.get('values')))}"
    most = args.get("most")
    return (
        f"{told}, and at most {_count(most, 'small number', 'small numbers')} in all."
        if _is_count(most)
        else f"{told}."
    )


def _words_told(args: Arguments) -> str:
    return f"The agent says {_caps(args, 'characters')}."


def _acted(args: Arguments) -> str:
    return f"The agent calls {_any_of(args)}."


def _read(args: Arguments) -> str:
    return f"The agent looks up what its answer rests on: it calls {_any_of(args)}."


def _before(args: Arguments) -> str:
    first, then = _texts(args.get("first")), _texts(args.get("then"))
    of_this = " for something that the conversation names" if args.get("of_this") else ""
    return f"The agent calls {_list_text(first, ' or ')}{of_this} before it calls {_list_text(then, ' or ')}."


def _confirmed(args: Arguments) -> str:
    tools = _texts(args.get("tools"))
    which = f"each call of {_one_of(tools)}" if tools else "it changes anything"
    named = " says what it is about," if args.get("named") else ""
    return f"The agent asks before {which},{named} and the user does not say no."


def _user_declines(args: Arguments) -> str:
    names = _texts(args.get("names"))
    about = f", naming {_list_text(names, ' or ')}" if names else ""
    return f"The agent asks whether to go on{about}, and the user says no."


def _never_called(args: Arguments) -> str:
    return f"The agent never calls {_list_text(_texts(args.get('tools')), ' or ')}."


def _called(args: Arguments) -> str:
    least = args.get("least")
    times = least if _is_count(least) else 1
    return f"The agent makes at least {_count(times, 'call', 'calls')} that a tool answers."


def _calls_at_most(args: Arguments) -> str:
    return f"The agent makes at most {_limit(args.get('most'), 'call', 'calls')}."


def _repeats_at_most(args: Arguments) -> str:
    return f"The agent makes the same call at most {_limit(args.get('most'), 'time', 'times')}."


def _judge(args: Arguments) -> str:
    scale = args.get("scale")
    low, high = scale if isinstance(scale, list) and len(scale) == 2 else (0, 1)
    look_at = {
        "calls": "the agent's calls",
        "messages": "all messages, the instructions included,",
        "conversation": "what is said and every call with its answer",
        "written": "what the user says and the texts that the agent writes",
    }.get(str(args.get("evidence")), "what the agent says to the user")
    asked = _value_text(args.get("prompt"), MOST - 200)
    return f"A judge reads {look_at} and scores from {_value_text(low)} to {_value_text(high)}: “{asked}”"


SENTENCES: Final[dict[str, Callable[[Arguments], str]]] = {
    "end_state": _end_state,
    "wrote": _wrote,
    "told": _told,
    "told_some": _told_some,
    "closing_facts": _closing_facts,
    "closing_words": _closing_words,
    "denies_nothing": _denies_nothing,
    "grounded": _grounded,
    "quoted_at_most": _copied,
    "answered": _answered,
    "text_holds": _text_holds,
    "text_grounded": _text_grounded,
    "said": _said,
    "spoke": _spoke,
    "numbers_told": _numbers_told,
    "small_numbers_told": _small_numbers_told,
    "words_told": _words_told,
    "acted": _acted,
    "read": _read,
    "before": _before,
    "confirmed": _confirmed,
    "user_declines": _user_declines,
    "never_called": _never_called,
    "called": _called,
    "calls_at_most": _calls_at_most,
    "repeats_at_most": _repeats_at_most,
    "judge": _judge,
}
"""How each function of `runtime.checks.table.FUNCTIONS` reads. A new function needs one entry here, and says itself until then."""


def _any_check(fn: str, args: Arguments) -> str:
    parts = [f"{_words(name)} {_value_text(value)}" for name, value in sorted(args.items())]
    name = _words(fn) or "this kind of check"
    return f"The attempt passes “{name}”{' with ' + _list_text(parts, '; ') if parts else ''}."


def _any_of(args: Arguments) -> str:
    """The calls of which one is enough, each tool named once: `look with id 1 or with id 2 or find with id 1`."""
    calls: list[str] = []
    tool = ""
    for row in _rows(args.get("any_of")):
        text = _call(row)
        name = _value_text(row[0]) if row else ""
        known = tool == name and text.startswith(f"{name} with ")
        calls.append(text.removeprefix(f"{name} ") if known else text)
        tool = name
    return _list_text([*_texts(args.get("tools")), *filter(None, calls)], " or ")


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
    if len(text) > 100_000 or text[:1] not in {"{", "[", '"'}:
        return text
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


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
    elif isinstance(value, list) and _depth(value) < 3:
        shown = _list_text([_value_text(item) for item in value])
    elif isinstance(value, dict) and _depth(value) < 3:
        shown = f"({_fields(value)})" if value else "(nothing)"
    elif isinstance(value, list | dict):
        shown = "a value that is nested too deep to be shown here"
    else:
        shown = json.dumps(value)
    return _clip(shown, most)


def _depth(value: Json) -> int:
    """How deep lists and objects lie in one another, counted to 4."""
    deepest, level = 0, [value]
    while level and deepest < 4:
        inner = [item for one in level for item in _items(one)]
        deepest += any(isinstance(one, list | dict) for one in level)
        level = inner
    return deepest


def _items(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


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


def _caps(args: Arguments, what: str) -> str:
    each, total = args.get("per_message"), args.get("total")
    caps = [
        f"at most {limit:,} {what}{where}"
        for limit, where in ((each, " in one message"), (total, " in all"))
        if _is_count(limit)
    ]
    return " and ".join(caps) or f"as many {what} as it likes"


def _limit(value: Json, one: str, many: str) -> str:
    return _count(value, one, many) if _is_count(value) else f"an unknown number of {many}"


def _count(number: Json, one: str, many: str) -> str:
    return f"{_value_text(number)} {one if number == 1 else many}"


def _is_count(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15


def _words(name: str) -> str:
    return _clip(" ".join(name.replace("_", " ").split()), 60)


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _rows(value: Json) -> list[list[Json]]:
    return [row for row in value if isinstance(row, list)] if isinstance(value, list) else []


def _objects(value: Json) -> list[dict[str, Json]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(value: Json) -> list[str]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [_value_text(item) for item in items]
