"""Who answers a call that an agent wrote into its text: in such logs the result comes from the user's side.

Comes in: the speeches of a conversation. Goes out: the same, each answer under the tool's role; a written call that no tool
answers is what the agent says. Where a log marks results (`Observation: …`), what it does not mark is the user's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from ingest.dialects.content_blocks import is_media, is_text_block
from ingest.dialects.tool_output import FAILURE_MARK, RESULT_MARK, marked_result
from ingest.formats.records.calls import Message
from ingest.formats.records.speech import Speech
from ingest.formats.records.steps import AgentStep, said_by
from ingest.formats.records.text_calls import SHELL, announced, commands_in, object_act
from ingest.formats.records.written_calls import (
    ARGUMENT,
    LABEL,
    plain_act,
    written_act,
    written_call,
)
from ingest.records.episode import Step, ToolCall
from ingest.records.text import Json, json_text, load_json, objects_in

_FINAL: Final = re.compile(r"(?:\A|\n)[ \t*]*Final Answer[ \t*]*:[ \t]*(.+)\Z", re.DOTALL)


_TAGGED: Final = re.compile(r"<([a-z]+(?:_[a-z]+)+)>((?:(?!</?\1>).)*)</\1>\s*\Z", re.DOTALL)
_FIELD: Final = re.compile(r"<(\w+)>\n?(.*?)\n?</\1>", re.DOTALL)
_PROGRAM: Final = re.compile(
    r"((?:(?!```).)*)```([a-z]\w*)?[ \t]*\n((?:(?!```).)*?)\n?```\s*(?:<\w+>\s*)?", re.DOTALL
)
"""A program or a command in a block behind what is said; the only block, perhaps with the mark that stopped the model."""
_ONLY: Final = re.compile(
    r"((?:(?!```).)*)```([a-z]\w*)?[ \t]*\n(.*?)\n?```(?!.*```\w)(.*)", re.DOTALL
)
"""The one block of a text, wherever it stands."""
_RUN: Final = re.compile(
    r"((?:(?!<(?:execute|code>)).)*)<(?:execute|code(?=>))(_[a-z]+|)>\n?((?:(?!</?(?:execute|code>)).)*?)\n?(?:</(?:execute\2|code)>)?\s*", re.DOTALL
)  # fmt: skip
"""A program in a tag that has it run; where the tag stopped the model, it does not end."""
_AROUND: Final = re.compile(r"<(\w+)>((?:(?!</?\1>).)*)</\1>", re.DOTALL)
_TAGGED_PART: Final = re.compile(r"\s*<(\w+)>((?:(?!</?\1>).)*)</\1>\s*", re.DOTALL)
_TERMINAL: Final = re.compile(r"(?:[^\d\s]\$|\w@[\w.:~/-]+#)\s*\Z")
"""What a terminal shows ends with its prompt: no amount, and no name of a language."""
_EXITED: Final = re.compile(r"\s*(?:exit ?code: ?|<returncode>)-?\d+[^\n]*\n", re.IGNORECASE)
"""What whoever ran a program tells first: nobody else says that."""
RUN_ID: Final = "run_"
"""How the id of a call begins that was made of a program in an agent's text."""
_LONGEST_END: Final = 40
_LONGEST: Final = 20_000
_QUOTED: Final = re.compile(r"^[^\n`(]{0,40}\b([A-Za-z_]\w{0,63}\([^\n]*\)):[ \t]*\n", re.MULTILINE)
PROGRAMS: Final = "python"
"""The tool of an agent that calls others in its programs."""
_LANGUAGES: Final = {"py": PROGRAMS, "sh": SHELL, "shell": SHELL}
_LONGEST_PROMPT: Final = 202
_HEADING: Final = re.compile(r"\A\s*[A-Z]{3,}[ \t]*\n")
"""A label in capitals above what is said: `DISCUSSION`."""
_SHOWN: Final = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.DOTALL)
_SEVERAL: Final = 2
"""Results from which an agent acts: somebody may show once what a proposed program printed."""
_RUNS: Final = re.compile(r"\b(?:REPL|interpreter|(?:is|are|be) executed)\b")
_FEEDBACK: Final = re.compile(r"<(feedback|user_message)>(.*?)</\1>\s*\Z", re.DOTALL)
_REPLY: Final = re.compile(r"\s*<(answer)>((?:(?!</?answer>).)*)</\1>\s*", re.DOTALL)
_CALL_ID: Final = re.compile(r"\s*Call id: (\S+)\n(?:Observation|Error):")
_RETURNED: Final = re.compile(r"\s*\[(\w+)[^\n]*\] Result:?\s*")


def bind_tagged(said: Sequence[Speech]) -> None:
    """Make calls of tags that end the agent's text (`<find><id>1</id></find>`) where the user's next message begins with their result, and of those of such an agent that nobody answers."""
    ends = {
        n: call
        for n, one in enumerate(said)
        if one.role == "assistant" and (call := _TAGGED.search(_text(one)))
    }
    marks = {
        n: _RETURNED.match(_text(said[n + 1]))
        for n in ends
        if n + 1 < len(said) and said[n + 1].role == "user"
    }
    told = {n: mark for n, mark in marks.items() if mark and mark[1] == ends[n][1]}
    for number, call in ends.items() if told else ():
        fields = dict(_FIELD.findall(call[2]))
        if number not in told and not (fields and not _FIELD.sub("", call[2]).strip()):
            continue
        one, function = said[number], {"name": call[1], "arguments": json_text(fields)}
        made = {"id": f"tag_{number}", "type": "function", "function": function}
        one.message = {"content": _text(one)[: call.start()].strip() or None, "tool_calls": [made]}
        if number in told:
            after = said[number + 1]
            result = {"content": _text(after)[told[number].end() :], "tool_call_id": made["id"]}
            after.role, after.message = "tool", {"role": "tool", **result}


def bind_feedback(messages: Sequence[Message]) -> None:
    """Make the user's messages of what comes back from a tool only from the user, in a client's tags: the agent showed its answer by that call."""
    made: dict[Json, Message] = {}
    found: list[tuple[Json, Message, re.Match[str] | None]] = []
    for one in messages:
        # Where calls have no ids, a result is of the one before it.
        made |= {call.get("id"): call["function"] for call in one.get("tool_calls") or ()}
        if one["role"] == "tool":
            call = made.get(one.get("tool_call_id"), {})
            found.append((call.get("name"), one, _feedback_in(str(one["content"]), call)))
    others = {name for name, _, told in found if told is None}
    for name, one, told in found:
        if told is not None and name not in others:
            one |= {"role": "user", "content": told[2].strip()}
            one.pop("tool_call_id", None)


def _feedback_in(result: str, call: Message) -> re.Match[str] | None:
    """A client's tag with the user's words that ends a result, or is all that a call which asks something gives back."""
    told = _FEEDBACK.search(result)
    return _REPLY.fullmatch(result) if told is None and "?" in str(call.get("arguments")) else told


def with_listed_calls(said: Sequence[Speech]) -> list[Speech]:
    """The same, with calls that a framework lists behind what its agent says, and results where the user's side names their ids."""
    told, asked, made = list[Speech](), set[Json](), set[Json]()
    for one in said:
        text = _text(one)
        made |= {str(call.get("id")) for call in objects_in(one.message.get("tool_calls"))}
        before, calls = announced(text) if one.role != "system" else ("", [])
        named = _CALL_ID.match(text)
        if calls:
            asked |= {call.get("id") for call in calls}
            made |= asked
            own = replace(one, role="assistant", message={"content": before})
            told += [own] if before else []
            one.role, one.message = "assistant", {"content": None, "tool_calls": calls}
        elif (call_id := named[1] if named else _asked_by(told, one)) in (made if named else asked):
            result = {"content": marked_result(text), "tool_call_id": call_id}
            one.role, one.message = "tool", result
            one.tg = {"is_error": True} if FAILURE_MARK.match(text) else one.tg
        told.append(one)
    return told


def _asked_by(told: Sequence[Speech], one: Speech) -> Json:
    """The id of the one call that was made before, where the user's side tells under a mark what came of it."""
    calls = objects_in(told[-1].message.get("tool_calls")) if told else []
    is_told = one.role == "user" and len(calls) == 1 and RESULT_MARK.match(_text(one))
    return calls[0].get("id", "") if is_told else ""


def with_programs_once(said: Sequence[Speech]) -> list[Speech]:
    """The same, where a call's arguments are bare text that the agent's text before it ends in: both are one message, with the program as others have it."""
    told: list[Speech] = []
    for one in said:
        calls = objects_in(one.message.get("tool_calls")) if told and not _text(one) else []
        function = calls[0].get("function") if len(calls) == 1 and one.role == "assistant" else None
        given = function.get("arguments") if isinstance(function, dict) else None
        text = _text(told[-1]) if isinstance(given, str) and told[-1].role == one.role else ""
        is_told = text != "" and str(given).strip() in text
        found = (_PROGRAM.fullmatch(text) or _RUN.fullmatch(text)) if is_told else None
        if found and isinstance(function, dict) and found[3].strip() == str(given).strip():
            language = _LANGUAGES.get(found[2], found[2]) or str(function.get("name"))
            name = language.removesuffix("_interpreter").strip("_")
            ran = {"name": name, "arguments": json_text({"command": found[3]})}
            words = LABEL.sub("", found[1]).strip() or None
            one.message = {"content": words, "tool_calls": [{**calls[0], "function": ran}]}
            told.pop()
        told.append(one)
    return told


def with_quoted_calls(said: Sequence[Speech]) -> list[Speech]:
    """The same, with calls that the agent's text only mentions where what is answered quotes each of them above its result: `Result of find("x"):`."""
    told: list[Speech] = []
    for number, one in enumerate(said):
        asked = told[-1] if told and (told[-1].role, one.role) == ("assistant", "user") else None
        text, words = _text(one), _text(asked) if asked else ""
        begins, plain = _QUOTED.match(text) if words else None, words.replace("'", '"')
        found_in = _QUOTED.finditer(text) if begins else ()
        heads = [found for found in found_in if found[1].replace("'", '"') in plain]
        calls = [_with_names(written_act(found[1]), said[:number]) for found in heads]
        if not asked or not heads or heads[0].start() or None in calls or asked.is_written:
            told.append(one)
            continue
        made = [{**call, "id": f"quoted_{number}_{n}"} for n, call in enumerate(calls) if call]
        asked.message = {**asked.message, "tool_calls": made}
        ends = [*(found.start() for found in heads[1:]), len(text)]
        for call, head, end in zip(made, heads, ends, strict=True):
            result = {"content": text[head.start() : end].rstrip(), "tool_call_id": call["id"]}
            told.append(replace(one, role="tool", message={"role": "tool", **result}))
    return told


def _with_names(call: Message | None, said: Sequence[Speech]) -> Message | None:
    """The call, with the names for its arguments that a signature in a prompt has: `find(name: str, year: int)`."""
    function = call["function"] if call else {}
    given = load_json(function.get("arguments", "").encode("utf-8", "replace"))
    values = given.get(ARGUMENT) if isinstance(given, dict) and len(given) == 1 else None
    if call is None or values is None:
        return call
    signature = re.compile(
        rf"\b{re.escape(function.get('name', ''))}\(((?:\w+: ?[\w\[\]]+(?:, |(?=\))))+)\)"
    )
    asked = (_text(one) for one in said if one.role != "assistant")
    found = next((hit for text in asked if (hit := signature.search(text))), None)
    names = re.findall(r"(\w+):", found[1]) if found else []
    values = values if isinstance(values, list) and len(names) > 1 else [values]
    if len(names) != len(values):
        return call
    return {
        **call,
        "function": {**function, "arguments": json_text(dict(zip(names, values, strict=True)))},
    }


def programs_in(said: Sequence[tuple[Json, Message]]) -> dict[int, re.Match[str]]:
    """The blocks with which an agent ends all its messages but the last, by their places, where all that is answered is a result: marked (`Output: …`), or what a terminal shows.

    Programs in tags that have them run are these wherever they stand.
    """
    told = [(role, "" if m.get("tool_calls") else _words(m)) for role, m in said]
    own = [n for n, (role, _) in enumerate(told) if role == "assistant"]
    run = {n: found for n in own if "<" in told[n][1] and (found := _RUN.fullmatch(told[n][1]))}
    back = {n: text for n in own for role, text in told[n + 1 : n + 2] if role == "user"}
    if ran := [n for n, text in back.items() if _EXITED.match(text)]:
        # Whatever else it shows in blocks nobody ran, but for what ended the run.
        last = [n for n in own if n >= len(told) - 2 > ran[-1]]
        only = ((n, _ONLY.fullmatch(told[n][1])) for n in (*ran, *last) if n + 1 < len(told))
        return {n: found for n, found in only if found}
    ends = [n for n in own if "```" in told[n][1][-_LONGEST_END:]]  # few texts need the pattern
    blocks = run or {n: found for n in ends if (found := _PROGRAM.fullmatch(told[n][1]))}
    after = [told[n + 1] for n in blocks if n + 1 < len(told)]
    marks = [role == "user" and _is_result(text) for role, text in after]
    # An agent may first say that it understood.
    own = [n for n in own if n >= min(blocks, default=0)]
    # An id above the mark is a framework's, and a prompt may say that programs are run.
    sure = any(text.startswith("Call id: ") for _, text in after)
    sure = sure or any(_RUNS.search(text) for _, text in told[: min(blocks, default=0)])
    enough = 1 if run or sure else _SEVERAL
    acts = len(marks) >= enough and (bool(run) or len(blocks) >= len(own) - 1)
    return blocks if acts and all(marks) else {}


def _is_result(text: str) -> bool:
    ends = _TERMINAL.search(text[-_LONGEST_PROMPT:])
    return ends is not None or marked_result(text) is not None


def with_programs(steps: list[Step]) -> list[Step]:
    """Steps with an agent's programs as calls, as they are in the messages of a file."""
    if not any("```" in (step.content or "") for step in steps):
        return steps
    said = [
        Speech(role=s.role, message={"content": s.content, "tool_calls": s.tool_calls})
        for s in steps
    ]
    bind_programs(said)
    return [*map(_as_told, steps, said)]


def _as_told(step: Step, one: Speech) -> Step:
    message = one.message
    if one.role == "tool" != step.role:
        return replace(
            step, role="tool", content=message["content"], call_id=message["tool_call_id"]
        )
    calls = [call for call in message["tool_calls"] or () if isinstance(call, dict)]
    made = tuple(ToolCall(call_id=one["id"], **one["function"]) for one in calls)
    return replace(step, content=message["content"], tool_calls=made) if made else step


def bind_programs(said: Sequence[Speech]) -> None:
    """Make calls of an agent's programs and commands, and their results of what the user's side answers."""
    programs = programs_in([(one.role, one.message) for one in said])
    commands = commands_in(_text(one) for one in said if programs and one.role == "system")
    in_python = any("python" in _text(one).lower() for one in said[:2] if programs)
    in_python = in_python or _calls_in_python([found[3] for found in programs.values()])
    for n, found in programs.items():
        first = found[3].split(maxsplit=1)[:1]
        word = first[0] if first and first[0] in commands else SHELL
        name = _LANGUAGES.get(found[2], found[2]) or word
        name = SHELL if SHELL in name.split("_") else name
        if found.re is _RUN:
            name = (found[2] or "_python" * in_python).strip("_") or "execute"
        function = {"name": name, "arguments": json_text({"command": found[3]})}
        made = {"id": f"{RUN_ID}{n}", "type": "function", "function": function}
        words = LABEL.sub("", _HEADING.sub("", found[1])).strip()
        words = "\n".join(filter(None, (words, *map(str.strip, found.groups()[3:]))))
        around = _AROUND.fullmatch(words)
        words = around[2].strip() if around else words
        said[n].message = {"content": words or None, "tool_calls": [made]}
        for after in said[n + 1 : n + 2]:
            bare = marked_result(_text(after))
            told = _text(after) if bare is None else bare
            shown = _SHOWN.fullmatch(told)
            result = {"content": shown[1] if shown else told, "tool_call_id": made["id"]}
            after.role, after.message = "tool", {"role": "tool", **result}
    for one in said if any(found.re is _RUN for found in programs.values()) else ():
        if one.role == "assistant" and (parts := _in_tags(_text(one))):
            # What such an agent says stands in tags as well.
            one.message = {**one.message, "content": "\n".join(parts)}


def _calls_in_python(programs: Sequence[str]) -> bool:
    """Whether all of these are programs in Python, of which one calls something: no command of a shell reads like that."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        parts = [part for one in programs for part in ast.walk(ast.parse(one[:_LONGEST]))]
        return any(isinstance(part, ast.Call) for part in parts)
    return False


def _in_tags(text: str) -> list[str]:
    """The texts of which a text is made, each in a tag; none where it holds more."""
    parts: list[str] = []
    place = 0
    while found := _TAGGED_PART.match(text, place):
        parts.append(found[2].strip())
        place = found.end()
    return parts if place == len(text) else []


def as_program(answer: Message, before: Sequence[Message]) -> Message:
    """An agent's last answer, a call where it is a program as those before it, which were carried out."""
    calls = [call for one in before for call in one.get("tool_calls") or ()]
    runs = bool(calls) and str(calls[-1].get("id")).startswith(RUN_ID)
    runs = runs or (bool(calls) and calls[-1]["function"]["name"] == PROGRAMS)
    words = _words(answer) if calls and not answer.get("tool_calls") else ""
    if not runs and (act := object_act(words)) is not None:
        return {**answer, "content": act.text, **({"tool_calls": act.calls} if act.calls else {})}
    found = (_PROGRAM.fullmatch(words) or _RUN.fullmatch(words)) if runs else None
    if found is None:
        return answer
    function = {**calls[-1]["function"], "arguments": json_text({"command": found[3]})}
    made = {**calls[-1], "id": f"{RUN_ID}{len(before)}", "function": function}
    return {**answer, "content": found[1].strip() or None, "tool_calls": [made]}


def bind_written(said: Sequence[Speech]) -> None:
    """Give the user's messages that answer written calls to their tools, in place; a call nobody answers is what the agent says."""
    is_acting = any(one.is_written for one in said)
    is_plain = not is_acting and (_bind_plain(said) or _bind_objects(said))
    for one in said if is_acting else ():
        told = written_call(_text(one), is_acting=True) if one.role == "assistant" else None
        if told is not None and not one.message.get("tool_calls"):
            one.message = {"content": told.text, "tool_calls": told.calls}
            one.is_written = True
    asked = [(one, after) for one, after in zip_longest(said, said[1:]) if one.is_written]
    replies = [after for _, after in asked if after is not None and after.role == "user"]
    results = [marked_result(_text(after)) for after in replies]
    for after, result in zip(replies, results, strict=True):
        if result is not None or not any(one is not None for one in results):
            text = _text(after) if result is None else result
            after.role, after.message = "tool", {"role": "tool", "content": text}
    answered = [call for call, after in asked if after is not None and after.role == "tool"]
    for call, after in asked:
        is_said = not is_plain and (after is None or after.role != "tool")
        words = said_by(AgentStep(calls=call.message["tool_calls"])) if is_said else None
        call.message = call.message if words is None else {"content": words}
    for one in said if answered else ():
        _shorten(one)


def _bind_plain(said: Sequence[Speech]) -> bool:
    """Make calls of plain acts where the agent does nothing else from the first of them on, but for its last message, or all that answers them is marked as a result; whether there are any.

    There have to be three, of which two may be a plan; two where one is a request, or both are answered by marks.
    """
    pairs = [
        (one, after)
        for one, after in zip_longest(said, said[1:])
        if one.role == "assistant" and not one.message.get("tool_calls")
    ]
    told = [plain_act(_text(one)) for one, _ in pairs]
    acts = [(one, after, act) for (one, after), act in zip(pairs, told, strict=True) if act]
    first = next((n for n, act in enumerate(told) if act), 0)
    asks = any("http" in act.calls[0]["function"]["arguments"] for *_, act in acts)
    back = [after.role == "user" and _is_result(_text(after)) for _, after, _ in acts if after]
    sure = len(back) >= _SEVERAL and all(back)
    if not sure and (len(acts) + asks <= _SEVERAL or None in told[first:-1]):
        return False
    for one, _, act in acts:
        one.message, one.is_written = {"content": act.text, "tool_calls": act.calls}, True
    return True


def _bind_objects(said: Sequence[Speech]) -> bool:
    """Make calls of what an agent lists in objects, and words of the rest of these, where all that is answered is a result; whether there are any."""
    acts = {
        n: act
        for n, one in enumerate(said)
        if one.role == "assistant"
        and not one.message.get("tool_calls")
        and (act := object_act(_text(one))) is not None
    }
    back = [said[n + 1] for n, act in acts.items() if act.calls and n + 1 < len(said)]
    if not back or not all(one.role == "user" and _is_result(_text(one)) for one in back):
        return False
    for n, act in acts.items():
        calls = {"tool_calls": act.calls} if act.calls else {}
        said[n].message, said[n].is_written = {"content": act.text, **calls}, bool(calls)
    return True


def _shorten(one: Speech) -> None:
    """Keep of an agent's last message the answer that it names."""
    found = _FINAL.search(_text(one)) if one.role == "assistant" else None
    if found is not None:
        one.message["content"] = found[1].strip()


def _text(one: Speech) -> str:
    return _words(one.message)


def _words(message: Message) -> str:
    content: Json = message.get("content")
    texts = [one for one in content if is_text_block(one)] if isinstance(content, list) else []
    if isinstance(content, list) and all(one in texts or is_media(one) for one in content):
        return "\n".join(part["text"] for part in texts)
    return content if isinstance(content, str) else ""
