"""A call that an agent wrote as the last lines of its text: `Action: find[x]`, `Action: find` with its input, an object with both.

Comes in: the text of an agent's message. Goes out: the call, and the text before it. Lines count only where they end the
message, as an agent stops there and waits. Who answers such a call, `written_results` says.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, zip_longest
from typing import Any, Final

from ingest.dialects.parts import CALL_TYPES, first_of
from ingest.formats.records.steps import call_of
from ingest.formats.records.text_calls import SHELL, TextCalls
from ingest.formats.records.words import NAMES, snake_case
from ingest.records.call_names import ARGUMENTS, RESULTS
from ingest.records.text import NOT_JSON, Json, json_text, load_json, objects_in

_ACTION: Final = re.compile(
    r"(?:\A|\n)[ \t*]*(?:Action|ACTION|Act|ACT|Tool|TOOL|Function|API)(?: ?\d+)?[ \t*]*:[ \t*]*(?!Input)(.+)\Z",
    re.DOTALL,
)
_THOUGHT: Final = re.compile(
    r"\A\s*[*#]*[ \t]*(?:Thoughts?|THOUGHTS?|Think|THINK)(?: ?\d+)?[ \t*]*:[ \t*]*"
)
"""The label of what is said before an action; that of the action goes as well."""
LABEL: Final = re.compile(r"(?:\A|\n)[ \t*#]*(?:Action|Code)[ \t*]*:[ \t*]*\n?\Z")
"""What stands above a block: nothing is said by it."""
_TURN: Final = re.compile(r"^[A-Z]+ (?=(?:Thought|Action|Action Input):)", re.MULTILINE)
"""Whose turn it is, before the labels of a step that a program wrote: `ASSISTANT Action: find`."""
_NAME: Final = r"([A-Za-z_][\w.:/-]{0,63})"
_INPUT: Final = re.compile(
    rf"(?:{_NAME}(?!\w)[\s*]*+(?:with )?|([A-Z][\w ()/-]{{0,63}}?)[ \t]*\n\s*)"
    r"(?:Action|Tool|Function)[ _]?Input(?: ?\d+)?[ \t*]*:(.*)",
    re.DOTALL,
)
_REQUEST: Final = re.compile(r"(GET|POST|PUT|PATCH|DELETE) (https?://[^\n]+)(?:\n(.*))?", re.DOTALL)
"""A text that is as a whole what a client sends to a web service."""
_WORDS: Final = re.compile(
    r"([a-z]+\d{0,2}(?: (?:to|at|on|off|up|down|around|into|in))?|\d{1,2}(?=\Z))((?: [\w/'-]+){0,9})"
)
"""An action in words, `take cup 1 from table 2`, as a world of text understands it: a verb of one or two words, and what it is done to; or the number of a choice."""
_CALL: Final = re.compile(_NAME + r"\((.*)\)\.?", re.DOTALL)
_BRACKETS: Final = re.compile(_NAME + r"\[(.*)\]\.?", re.DOTALL)
_MORE: Final = re.compile(_NAME + r" \[([^\[\]\n]*)\](?:;[ \t]*(.*))?", re.DOTALL)
_BEHIND: Final = re.compile(_NAME + r";[ \t]+(.+)", re.DOTALL)
"""What agents at screens do: `Type [3]; red boat`, `ANSWER; Boat 7.`"""
_ON_SCREEN: Final = re.compile(r"(?:(.+) -> )?([A-Z][A-Z_ ]+)(?(1)(?:: ?)?|: )(.*)", re.DOTALL)
_PROGRAM: Final = re.compile(r"\A\w+ ?[=:]|[\n(]")
"""What begins as arguments with names, or calls something, is no text."""
_BARE: Final = re.compile(_NAME)
_LISTED: Final = r"\s*([A-Za-z_][\w.:/-]*(?: [\w.:/-]+)*)\("
_LIST: Final = re.compile(r"\[" + _LISTED)
_NEXT: Final = re.compile(_LISTED)
_CLOSED: Final = re.compile(r"\)\s*([,\]])")
_MOST_CLOSED: Final = 50
"""Brackets that are looked at to find where a call's arguments end: texts among them hold some, too."""
_LAST_ACTION: Final = "last_action_"
_OWN: Final = frozenset({"action", *NAMES["reasoning"]})
_FENCE: Final = "```"
_FENCED: Final = re.compile(_NAME + r"\s*\n```\w*\n((?:(?!```).)*?)\n?```", re.DOTALL)
"""A tool's name above a block with what it is given: a program, mostly."""
_FENCED_PROGRAM: Final = re.compile(r"```(?!json)[a-z]+\n(.*?)\n?```", re.DOTALL)
_PROGRAM_BELOW: Final = re.compile(_NAME + r"\(([^\n]*)\):?\s*\n```\w*\n(.*?)\n?```", re.DOTALL)
"""A call above a block with a program, which is one more of its arguments."""
_SENT: Final = ("input", "prompt")
_WROTE: Final = ("response", "completion", "reply", "generation")
_COMMAND_LABEL: Final = re.compile(r"(?:\A|\n)[ \t*#]*\w+[ \t*]*:[ \t]*(?:```\w*\n)?\Z")
_STOPPED: Final = re.compile(r"\s*<[A-Z]{2,12}>\s*\Z")
"""The mark that stopped the model."""
_KINDS_OF_ACTS: Final = ("action_type", "action", "type", "name")
_ACTIONS: Final = frozenset({"action", "actions"})
_GOALS: Final = frozenset({"goal", "task"})
_ASKED: Final = re.compile(
    r"<(user_request|user_query|user_message|user_task|task)>(.*?)</\1>", re.DOTALL
)
"""What a user wants, among what a client tells its model."""
_JUDGED: Final = ("verdict", "score", "value", "passed", "success")
_BLOCK: Final = re.compile(r"```.*?```", re.DOTALL)
_PICTURE: Final = re.compile(r"\.(?:png|jpe?g|webp|gif)\Z", re.IGNORECASE)
_LONGEST: Final = 20_000
"""Characters of Python's arguments: a call that somebody wrote has fewer, and reading them takes a while."""
Items = list[dict[str, Any]]
ARGUMENT: Final = "input"
"""What the one argument is called that an action line gives without a name."""


def written_call(text: str, *, is_acting: bool = False) -> TextCalls | None:
    """The call that a message's last lines write, and the text before them; None where they write none.

    A tool's bare name is a call only of an agent that `is_acting`: it makes other calls in this way.
    """
    if listed := listed_calls(text):
        return TextCalls(calls=listed, text=None, is_list=True)
    found = _ACTION.search(text)
    if found is None:
        return None
    body = found[1].strip()
    call = _call(body, {}) if is_acting and _BARE.fullmatch(body) else written_act(body)
    behind = _BEHIND.fullmatch(body) if is_acting and call is None else None
    call = _call(behind[1], {ARGUMENT: behind[2]}) if behind else call
    if call is None:
        return None
    return _with_thought(text[: found.start()], call)


def plain_act(text: str) -> TextCalls | None:
    """What may be a call where an agent does nothing else: an action in words, whose verb is the tool, a request to a web service, or a call alone."""
    found = _ACTION.search(text)
    body = found[1].strip() if found else ""
    if found and (done := _WORDS.fullmatch(body)):
        what = {ARGUMENT: done[2].strip()} if done[2] else {}
        return _with_thought(text[: found.start()], _call(done[1], what))
    sent = _REQUEST.fullmatch(text.strip())
    if sent is None:
        called = _CALL.fullmatch(text.strip())
        given = _python_arguments(called[2]) if called else None
        return None if not called or given is None else _with_thought("", _call(called[1], given))
    told = load_json(sent[3].encode("utf-8", "replace")) if sent[3] else None
    body = {} if told is None else {"body": sent[3] if told is NOT_JSON else told}
    return _with_thought("", _call(sent[1], {"url": sent[2], **body}))


def _with_thought(before: str, call: dict[str, Any]) -> TextCalls:
    said = _THOUGHT.sub("", before).strip()
    return TextCalls(calls=[call], text=said or None)


def listed_calls(text: str) -> Items:
    """The calls of a text that is as a whole a list of them in Python's notation: `[find(id=1), Get Card(id=1)]`; none where it is anything else."""
    stripped, calls = text.strip(), Items()
    begun = _LIST.match(stripped) if len(stripped) <= _LONGEST else None
    while begun is not None:
        closed = islice(_CLOSED.finditer(stripped, begun.end()), _MOST_CLOSED)
        read = ((end, _python_arguments(stripped[begun.end() : end.start()])) for end in closed)
        end, given = next(((end, one) for end, one in read if one is not None), (None, None))
        # A title with a year in brackets is no call.
        if end is None or given is None or (" " in begun[1] and ARGUMENT in given):
            return []
        calls.append(_call(begun[1], given))
        if end.end() == len(stripped):
            return calls if end[1] == "]" else []
        begun = _NEXT.match(stripped, end.end()) if end[1] == "," else None
    return []


def step_of_pair(item: Json) -> Json:
    """A step that is a pair, `[[tool, input, what the model wrote], observation]` or `[{"tool": …, "log": …}, observation]`, as an object; anything else as it is."""
    match item:
        case [[str(tool), str() | dict() as given, str(text)], told] if tool in text:
            text = _TURN.sub("", text)
            written = written_call(text)
            given = _input_of(given) if isinstance(given, str) else given
            said = {"content": text if written is None else written.text}
            return {**said, "tool": tool, "tool_input": given, "observation": _observed(told)}
        case [dict() as step, told] if call_of(step) is not None:
            log = step.get("log")
            written = written_call(log) if isinstance(log, str) else None
            said = {"content": log if written is None else written.text}
            return {**step, **said, "observation": _observed(told)}
    return item


def _observed(told: Json) -> Json:
    """What came of a step, out of the object that says more of how that was made up."""
    return told.get("observation", told) if isinstance(told, dict) else told


def _with_parts(step: dict[str, Any]) -> dict[str, Any]:
    return {**{k: v for one in objects_in([*step.values()]) for k, v in one.items()}, **step}


def acts_of(items: list[Any]) -> Items:
    """Messages of steps that say what the agent saw, how its last action went, and what it did then (`click('a1')`); none where an item says less.

    Of the texts of a step, also those in its objects, the largest is what it saw; one word is a path or an address.
    """
    objects = objects_in(items)
    first = next(map(_with_parts, objects), {})  # most lists are none of these
    last = next((key for key in first if key.startswith(_LAST_ACTION)), None)
    if last is None or len(objects) < len(items):
        return []
    steps = [*map(_with_parts, objects)]
    size = Counter[str]()
    for key, one in (pair for step in steps for pair in step.items()):
        is_text = isinstance(one, str) and key not in {*_OWN, last} and len(one.split()) > 1
        size[key] += len(one) if is_text else 0
    shown = max(size, key=size.__getitem__, default="")
    told: Items = []
    call_id = None
    for number, one in enumerate(steps):
        done = [written_act(line) for line in str(one.get("action") or "").splitlines()]
        if last not in one or not all(done):
            return []
        seen = "\n\n".join(json_text(one[key]) for key in (last, shown) if one.get(key))
        # What was there before the first action is nothing that came of one.
        is_seen = number and (one[last], one.get(shown)) != (None, None)
        told += [{"role": "tool", "tool_call_id": call_id, "content": seen}] if is_seen else []
        calls = [{**call, "id": f"act_{number}_{n}"} for n, call in enumerate(done) if call]
        thought = next((one[key] for key in NAMES["reasoning"] if one.get(key)), None)
        told += (
            [{"role": "assistant", "content": thought, "tool_calls": calls}]
            if thought or calls
            else []
        )
        call_id = calls[0]["id"] if len(calls) == 1 else None
    return told


def _messages(said: str | None, calls: Items, seen: str | None) -> Items:
    """An agent's message with its calls, and what came of the first of them, if anything did."""
    told: Items = [{"role": "assistant", "content": said or None, "tool_calls": calls}]
    result = {"role": "tool", "tool_call_id": calls[0]["id"], "content": seen}
    return told if seen is None else [*told, result]


def acts_in_rounds(items: Sequence[Json]) -> Items:
    """Messages of rounds with a model, which hold what it was sent, what it wrote and what came of that; none where one lacks any of these, or does not send again what the first did.

    A command that the result names and the model wrote is a call; else the text may hold one.
    """
    told: Items = []
    for number, own in enumerate(objects_in(list(items))):
        ends = {snake_case(key).rpartition("_")[2]: one for key, one in own.items()}
        sent, wrote = (_text_in(first_of(ends, *keys)).strip() for keys in (_SENT, _WROTE))
        key = next((one for one in RESULTS if one in ends and one not in _WROTE), None)
        told += [] if told else [{"role": "user", "content": sent}]
        if not (sent and wrote and key and sent.startswith(told[0]["content"])):
            return []
        came, said = ends[key], _STOPPED.sub("", wrote)
        command = first_of(came, "command", "cmd")
        shown = [str(one) for k in ("stdout", "stderr") if (one := first_of(came, k))]
        seen = "\n".join(shown) if shown or command else _text_in(came)
        if isinstance(command, str) and command in said:
            call = {"id": f"round_{number}", **_call(SHELL, {"command": command})}
            before = _COMMAND_LABEL.sub("", said.partition(command)[0])
            told += _messages(before.strip(), [call], seen)
        else:
            told += [{"role": "assistant", "content": said}]
            told += [{"role": "user", "content": f"Observation: {seen}"}] if seen else []
    return told


def _text_in(value: Json) -> str:
    """A text, also where it stands in an object that says more of it."""
    told = first_of(value, "value", *NAMES["said"]) if isinstance(value, dict) else value
    return "" if told is None else json_text(told)


def acts_in_columns(value: dict[str, Any]) -> Items:
    """Messages of an object that lists what an agent did and what it then saw, or thought before, each in a list of its own; none where these are of different lengths."""
    lists = {snake_case(key): one for key, one in value.items() if isinstance(one, list)}
    done = next((lists[key] for key in ("actions", "action_history") if key in lists), [])
    thoughts = next((lists[key] for key in NAMES["reasoning"] if key in lists), [])
    # What a screen showed is a picture, or nothing.
    blind = [None] * len(thoughts)
    seen = next((lists[key] for key in RESULTS if key.endswith("s") and key in lists), blind)
    if not len(done) == len(seen) >= len(thoughts) or not all(isinstance(one, str) for one in done):
        return []
    told: Items = []
    for number, (act, thought) in enumerate(zip_longest(done, thoughts)):
        call = _call(act, {}) if _BARE.fullmatch(act) else written_act(act) or _screen_act(act)
        call = {**(call or _call("action", {ARGUMENT: act})), "id": f"act_{number}"}
        came = None if seen[number] is None else json_text(seen[number])
        told += _messages(thought, [call], came)
    return told


def _screen_act(act: str) -> dict[str, Any] | None:
    """The call that an agent at a screen writes behind what it acts on, `<a> Plans -> CLICK`, or before what it gives: `GOTO: …`."""
    found = _ON_SCREEN.fullmatch(act)
    given = {"element": found[1], "value" if found[1] else ARGUMENT: found[3]} if found else {}
    return found and _call(found[2].strip(), {key: one for key, one in given.items() if one})


def acts_in_world(items: Sequence[Json]) -> Items:
    """Messages of what somebody wants, what was there at first, and each action with what came of it, together or one behind the other; none where nothing says what is wanted."""
    first, *rest = [*objects_in(list(items)), dict[str, Any]()]
    goals = [one for k, one in first.items() if snake_case(k) in _GOALS and isinstance(one, str)]
    told: Items = [{"role": "user", "content": one} for one in goals[:1]]
    for number, item in enumerate(rest if told else ()):
        own = {snake_case(key): one for key, one in item.items()}
        act, seen = own.get("action"), next((own[key] for key in RESULTS if key in own), None)
        if isinstance(act, str):
            plain = None if (done := written_act(act)) else plain_act(f"Action: {act}")
            done = plain.calls[0] if plain else done
            call = [{**done, "id": f"act_{number}"}] if done else []
            told += [{"role": "assistant", "content": None if call else act, "tool_calls": call}]
        if isinstance(seen, str) and len(told) == 1:
            told[0]["content"] += f"\n\n{seen}"
        elif isinstance(seen, str):
            call_id = next((one["id"] for one in told[-1].get("tool_calls", ())), None)
            told += [{"role": "tool", "tool_call_id": call_id, "content": seen}]
    acts = sum(one["role"] == "assistant" for one in told)
    return told if acts and 2 * acts <= len(told) <= 2 * acts + 1 else []


def acts_in_steps(items: Sequence[Json]) -> Items:
    """Messages of steps that each have their action in one text, or in an object that says its kind, beside what the model wrote or thought and what came of it; none where an item is no such step.

    Steps in a row with one answer of the model are its several actions. One that did nothing is passed over where it is the last.
    """
    steps = [{snake_case(key): one for key, one in own.items()} for own in objects_in(list(items))]
    steps = steps[:-1] if steps[1:] and "action" not in steps[-1] else steps
    acts = [act for one in steps if (act := _action_of(one.get("action")))]
    if not len(acts) == len(steps) >= max(1, len(items) - 1):
        return []
    wrote = [_written_beside(one) for one in steps]
    seen = seen_after(steps)
    are_calls = all(isinstance(act, dict) or _in_notation(act) for act in acts)
    # Rules and tests have actions, too, but nobody thinks at them or looks at a screen.
    is_plain = any(isinstance(act, dict) for act in acts) and not any(wrote) and any(seen)
    if None in seen or is_plain or not (are_calls or all(wrote)) or "role" in steps[0]:
        return []
    told: Items = []
    for number, (act, text) in enumerate(zip(acts, wrote, strict=True)):
        made = act if isinstance(act, dict) else _act_beside(act, text, are_calls=are_calls)
        call = {**made, "id": f"act_{number}"}
        came = seen[number] if number < len(seen) else None
        if number and text and text == wrote[number - 1] and _FENCE in text:
            last = next(one for one in reversed(told) if one["role"] == "assistant")
            last["tool_calls"].append(call)
            told += _messages(None, [call], came)[1:]
        else:
            words = _THOUGHT.sub("", _BLOCK.sub("", text)).strip()
            told += _messages(LABEL.sub("", words).strip(), [call], came)
    return told


def acts_by_name(items: Sequence[Json]) -> Items:
    """Messages of steps that list actions under their tools' names (`{"click": {"index": 3}}`) in what the model put out, with as many results beside it; none where an item is no such step.

    What the client told the model may hold what the user asks, in tags of its own.
    """
    told: Items = []
    for number, step in enumerate(objects_in(list(items))):
        made = next(
            (one for one in step.values() if isinstance(one, dict) and _ACTIONS & one.keys()), {}
        )
        acts = objects_in(next((made[key] for key in _ACTIONS if key in made), None))
        done = [[(k, v) for k, v in act.items() if v is not None] for act in acts]
        results = objects_in(next((step[key] for key in RESULTS if key in step), None))
        if not all(len(one) == 1 and isinstance(one[0][1], dict) for one in done) or not results:
            return []
        calls = [{**_call(*one[0]), "id": f"act_{number}_{n}"} for n, one in enumerate(done)]
        asked = (_ASKED.search(one) for one in step.values() if isinstance(one, str) and not told)
        told += [{"role": "user", "content": one[2].strip()} for one in asked if one][:1]
        state = (one for one in made.values() if isinstance(one, dict))
        wrote = [
            v
            for part in (*state, made)
            for k, v in part.items()
            if isinstance(v, str) and k not in NAMES["reasoning"]
        ]
        said = "\n".join(filter(None, wrote)) or None
        told += [{"role": "assistant", "content": said, "tool_calls": calls}] if made else []
        for call, result in zip(calls, results, strict=False):
            texts = [(k.rpartition("_")[2], v) for k, v in result.items() if isinstance(v, str)]
            seen = next(
                (v for word in ("content", *RESULTS, "error") for k, v in texts if k == word and v),
                "",
            )
            failed = {"tg": {"is_error": True}} if result.get("error") else {}
            told.append({"role": "tool", "tool_call_id": call["id"], "content": seen, **failed})
        if step is items[-1]:  # what a judge says of the run; a bare truth is the agent's own word
            judged = {
                k: first_of(v, *_JUDGED)
                for one in results
                for k, v in one.items()
                if isinstance(v, dict) and k in NAMES["verdicts"]
            }
            told += [judged] if judged else []
    return told if any(one.get("role") == "tool" for one in told) else []


def seen_after(steps: Sequence[dict[str, Any]]) -> list[str | None]:
    """What came of the actions of steps, also where each tells first what was there before it acted: its action stands behind that, which no sorting does."""
    seen = [_seen_in(one) for one in steps]
    keys = [
        [key for key in one if key == "action" or (key in RESULTS and key != "response")]
        for one in steps
    ]
    return seen[1:] if len(steps) > 1 and all(one[1:] == ["action"] for one in keys) else seen


def _action_of(value: Json) -> str | dict[str, Any] | None:
    """An action in a text, or the call that an object is which says its kind, with the rest of what it holds."""
    if not isinstance(value, dict):
        return value.strip() or None if isinstance(value, str) else None
    own = {snake_case(key): one for key, one in value.items() if one is not None}
    told = {key: str(own.get(key, "")) for key in _KINDS_OF_ACTS}
    kinds = (k for k, one in told.items() if _BARE.fullmatch(one) and one not in CALL_TYPES)
    key = next(kinds, None)
    rest = {k: one for k, one in own.items() if k != key}
    given = next((rest[k] for k in ARGUMENTS if isinstance(rest.get(k), dict)), rest)
    return _call(own[key], given) if key is not None and isinstance(own[key], str) else None


def _written_beside(step: dict[str, Any]) -> str:
    """What the model wrote or thought in a step."""
    own = step.get("response")
    told = isinstance(own, str) and (str(step["action"]).strip() in own or _seen_in(step) == "")
    wrote = own if told else None
    thought = next((step[key] for key in NAMES["reasoning"] if isinstance(step.get(key), str)), "")
    return thought if wrote is None else wrote


def _seen_in(step: dict[str, Any]) -> str | None:
    """What came of a step's action: a text, or nothing that a file of text holds, where it is a picture; None where nothing tells."""
    told = next((step[key] for key in RESULTS if key in step and key != "response"), None)
    if told is not None:
        return json_text(told)
    shown = any(isinstance(one, str) and _PICTURE.search(one) for one in step.values())
    return "" if shown else None


def _in_notation(act: str) -> bool:
    call = written_act(act) if "\n" not in act else None
    return call is not None and "." not in call["function"]["name"]


def _act_beside(act: str, wrote: str, *, are_calls: bool) -> dict[str, Any]:
    """The call that an action is: in some notation, or a program in the language that the model named."""
    call = written_act(act) if are_calls else None
    if call is not None:
        return call
    language = re.search(r"```(\w+)\n\s*\Z", wrote.partition(act)[0])
    if language is None and _BARE.fullmatch(act) and (_FENCE in wrote or act.isupper()):
        return _call(act, {})
    return _call(language[1] if language else "action", {ARGUMENT: act})


def written_act(body: str) -> dict[str, Any] | None:
    """The call that an action is as a whole, in any of the notations; None where it is none."""
    above = _PROGRAM_BELOW.fullmatch(body)
    given = _python_arguments(above[2]) if above else None
    if above and given is not None and ARGUMENT not in given:
        return _call(above[1], {**given, "code": above[3]})
    fenced = _FENCED.fullmatch(body)
    if fenced is not None:
        return _call(fenced[1], _input_of(fenced[2]))
    if body.startswith(_FENCE) and body.endswith(_FENCE):
        body = body.removeprefix(_FENCE).removeprefix("json").removesuffix(_FENCE).strip()
    if body[:1] == "{":
        value = load_json(body.encode("utf-8", "replace"))
        return call_of(value) if isinstance(value, dict) else None
    if (labelled := _INPUT.fullmatch(body)) is not None:
        told, name = labelled[3].strip(), labelled[1] or labelled[2]
        program = _FENCED_PROGRAM.fullmatch(told)
        return _call(name, {"code": program[1]} if program else _input_of(told))
    called = _CALL.fullmatch(body)
    if called is not None:
        arguments = _python_arguments(called[2])
        if arguments is None and not _PROGRAM.search(called[2].strip()):
            arguments = {ARGUMENT: called[2].strip()}
        return None if arguments is None else _call(called[1], arguments)
    bracketed = _BRACKETS.fullmatch(body) or _MORE.fullmatch(body)
    return (
        None
        if bracketed is None
        else _call(bracketed[1], _given_in_brackets(*bracketed.groups()[1:]))
    )


def _given_in_brackets(given: str, more: str | None = None) -> dict[str, Any]:
    """What stands in brackets, with what stands behind them."""
    if more is None:
        return _input_of(given.strip())
    return {ARGUMENT: [given, more.removeprefix("[").removesuffix("]")]}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": json_text(arguments)}}


def _input_of(text: str) -> dict[str, Any]:
    value = load_json(text.encode("utf-8", "replace")) if text[:1] == "{" else None
    if isinstance(value, dict):
        return value
    return {ARGUMENT: text} if text else {}


def _python_arguments(text: str) -> dict[str, Any] | None:
    """What stands between the brackets of a call: an object, or Python's arguments with plain values."""
    stripped = text.strip()
    value = load_json(stripped.encode("utf-8", "replace")) if stripped[:1] == "{" else None
    if isinstance(value, dict):
        return value
    if len(stripped) > _LONGEST:
        return None
    try:
        call = ast.parse(f"f({stripped})", mode="eval").body
        if not isinstance(call, ast.Call) or any(one.arg is None for one in call.keywords):
            return None
        named = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        plain = [ast.literal_eval(one) for one in call.args]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return ({ARGUMENT: plain[0] if len(plain) == 1 else plain} if plain else {}) | named
