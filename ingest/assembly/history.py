"""Repeated history to deltas: every model call sends the whole conversation again, the episode keeps it once.

Comes in: model calls in the order of their start. Goes out: `Thread`s of steps, each message once. A thread is one
run of messages; a trace may hold several (sub-agents, side calls). Time decides only where content does not: a call
is put where its input says that it belongs.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from ingest.assembly.forest import Node
from ingest.dialects.reading import AGENT, TOOL
from ingest.dialects.tool_output import FAILURE_MARK, RESULT_MARK
from ingest.formats.records.text_calls import written_list
from ingest.records.episode import Step, ToolCall
from ingest.records.text import canonical_arguments

_LATEST: Final = 16
"""Threads that a call is compared with, newest first: hostile traces must not cost their square."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nesting:
    """Where a model call stands among agents and tools."""

    within: Node | None
    """The nearest tool span that encloses it: an agent used as a tool."""
    depth: int
    """How many agents enclose it."""


@dataclass(slots=True, kw_only=True, eq=False)
class Thread:
    """One run of messages."""

    within: Node | None
    """The tool span whose call started this run (an agent used as a tool)."""
    depth: int
    """How many agents enclose it."""
    system: list[Step] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    """Without the system prompt."""
    keys: list[str] = field(default_factory=list)
    calls: list[Node] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)

    @property
    def agent(self) -> str | None:
        """The name of the agent that made the first call."""
        return agent_of(self.calls[0]) if self.calls else None

    def all_steps(self) -> list[Step]:
        """System prompt and messages."""
        return [*self.system, *self.steps]


def key_of(step: Step) -> str:
    """What makes two messages the same one, however they were sent: ids, spaces and JSON layout do not count."""
    text = (step.content or "").strip()
    if step.role == "tool":
        text = canonical_arguments(text)
    calls = "\x1e".join(f"{c.name}\x1d{canonical_arguments(c.arguments)}" for c in step.tool_calls)
    if step.tool_calls:
        text = ""  # some clients drop the text beside tool calls from the history
    body = f"{step.role}\x1f{text}\x1f{calls}".encode("utf-8", "replace")
    return hashlib.blake2b(body, digest_size=16).hexdigest()


def agent_of(node: Node) -> str | None:
    """The name of the agent that a span belongs to: its own, else the nearest one above it."""
    for one in (node, *node.ancestors()):
        if one.reading.agent:
            return one.reading.agent
    return None


def weave(calls: Sequence[Node], places: Mapping[Node, Nesting], *, named: bool) -> list[Thread]:
    """Put model calls, in order, into threads; `named` says that the source itself calls them one conversation."""
    threads: list[Thread] = []
    for call in calls:
        system, body = _split(call.reading.input)
        keys = [key_of(step) for step in body]
        near = [one for one in threads[-_LATEST:] if one.within is places[call].within]
        is_named = named and not call.is_linked
        thread = _home(_CallInput(call, system, body, keys), near[::-1], named=is_named)
        if thread is None:
            thread = Thread(within=places[call].within, depth=places[call].depth)
            threads.append(thread)
        if not thread.system:
            thread.system = [replace(step, at=call.span.started_at) for step in system]
        thread.calls.append(call)
        _continue(thread, call, body, keys)
    return threads


def _split(steps: Sequence[Step]) -> tuple[list[Step], list[Step]]:
    start = 0
    while start < len(steps) and steps[start].role == "system":
        start += 1
    return list(steps[:start]), list(steps[start:])


@dataclass(frozen=True, slots=True)
class _CallInput:
    """One model call's input."""

    call: Node
    system: list[Step]
    body: list[Step]
    keys: list[str]


def _home(told: _CallInput, near: list[Thread], *, named: bool) -> Thread | None:
    """The thread that a call belongs to; None starts a new one."""
    best, most = None, 0
    for thread in near:
        body, keys = _regrouped(thread, told.body, told.keys)
        shared = _shared(thread, keys, body)
        # A guard or a title writer is shown the user's words under a prompt of its own: that is no common history.
        if shared > most and (
            _same_prompt(thread, told.system)
            or any(step.role == "assistant" for step in body[:shared])
        ):
            best, most = thread, shared
    if best is not None:
        return best
    for thread in near:
        if _tail_in(thread, told.keys) is not None or _answers(thread, told.body):
            return thread
    for thread in near:
        if _same_speaker(thread, told, named=named):
            return thread
    return None


def _same_prompt(thread: Thread, system: list[Step]) -> bool:
    if not system or not thread.system:
        return True
    return [key_of(step) for step in system] == [key_of(step) for step in thread.system]


def _shared(thread: Thread, keys: list[str], body: list[Step]) -> int:
    count = 0
    known = thread.keys
    lenient = "truncated" in thread.flags
    for index in range(min(len(known), len(keys))):
        if known[index] != keys[index] and not (
            lenient and _cut_alike(thread.steps[index], body[index])
        ):
            break
        count += 1
    return count


def _cut_alike(one: Step, other: Step) -> bool:
    """Whether one message is the beginning of the other, as an attribute length limit leaves it."""
    if one.role != other.role:
        return False
    a, b = (one.content or "").strip(), (other.content or "").strip()
    return bool(a and b) and (a.startswith(b) or b.startswith(a))


def _tail_in(thread: Thread, keys: list[str]) -> int | None:
    """Where the thread's last message stands in a call's input, if it does: a window, a summary, an edited past."""
    if not thread.keys:
        return None
    last = thread.keys[-1]
    before = thread.keys[-2] if len(thread.keys) > 1 else None
    places = [index for index, key in enumerate(keys) if key == last]
    for index in reversed(places):
        if index and before == keys[index - 1]:
            return index
    return places[-1] if places else None


def _answers(thread: Thread, body: list[Step]) -> bool:
    """Whether the input begins with the result of a call that the thread is waiting for."""
    if not body or body[0].role != "tool" or body[0].call_id is None:
        return False
    return any(
        call.call_id == body[0].call_id for step in thread.steps[-3:] for call in step.tool_calls
    )


def _same_speaker(thread: Thread, told: _CallInput, *, named: bool) -> bool:
    """Whether a call without any shared message goes on in a thread: one agent that is given no history."""
    previous = told.call.reading.previous_response_id
    if previous and any(previous == one.reading.response_id for one in thread.calls):
        return True
    if not told.call.reading.has_content or not thread.keys:
        return agent_of(told.call) == thread.agent
    # Without an id, equal prompts over and over are a batch; under one id they are turns without memory.
    alike = told.call.reading.is_turn or _same_prompt(thread, told.system)
    # A span that would name the agent may not have arrived.
    alike = alike and agent_of(told.call) in {None, thread.agent}
    alike = alike or _goes_on(thread.calls[-1], told)
    offered = {_may_use_tools(call) for call in (told.call, thread.calls[0])} - {None}
    return named and alike and len(offered) < 2


def _goes_on(last: Node, told: _CallInput) -> bool:
    """Whether the agent that made a call makes this one too, under the same prompt: the user's words go to whom an agent handed over."""
    prompt = [key_of(step) for step in _split(last.reading.input)[0]]
    is_same = bool(prompt) and prompt == [key_of(step) for step in told.system]
    return is_same and agent_of(last) == agent_of(told.call)


def _may_use_tools(call: Node) -> bool | None:
    """Whether a call, or the agent that made it, was offered tools: one that guards an agent or names its work was not; None where that is not told."""
    spans = [call, *call.ancestors()]
    agent = call.agent_above
    if call.reading.tools or (agent and agent.reading.tools):
        return True
    is_whole = spans[-1].virtual or not spans[-1].span.parent_id
    # What an unanswered call was offered, some tell in its answer alone.
    says = (agent or call.reading.input) and call.reading.output and not call.reading.is_turn
    return False if is_whole and says else None


def _continue(thread: Thread, call: Node, body: list[Step], keys: list[str]) -> None:
    """Append what a call's input and output add to its thread."""
    thread.flags |= call.reading.flags
    if body:
        start: int | None = 0
        if not call.reading.is_turn:
            body, keys = _unworded(thread, body, keys)
            body, keys = _regrouped(thread, body, keys)
            body, keys = _completed(thread, body, keys)
            start = _meet(thread, call, body, keys)
        if start is None:
            return
        for step, key in zip(body[start:], keys[start:], strict=True):
            _append(thread, replace(step, at=step.at or call.span.started_at), key)
    elif thread.steps and call.reading.has_content:
        # Nothing was said about the past: that is no shorter history, it is none.
        thread.flags.add("history_not_repeated")
    _speak(thread, call)


def _unworded(thread: Thread, body: list[Step], keys: list[str]) -> tuple[list[Step], list[str]]:
    """The input with calls and results as what they were, where its client tells them in words: some send a model no messages of tools."""
    whole: list[Step] = []
    waiting = deque(body)
    while waiting:
        step = waiting.popleft()
        known = thread.steps[len(whole)] if len(whole) < len(thread.steps) else None
        if len(waiting) > 1 and _is_announced(known, step, *islice(waiting, 2)):
            waiting.popleft()
        if known and len(waiting) > 1 and known.content == step.content and not step.tool_calls:
            # What the model said beside its calls stands before these.
            told_apart = _worded_results(known, *islice(waiting, 2)) is not None
            step = waiting.popleft() if told_apart else step
        results = _worded_results(known, step, waiting[0]) if known and waiting else None
        if known and waiting and _has_more(known, step, waiting[0]):
            whole.append(known)
        elif known is None or results is None:
            whole.append(step)
        else:
            waiting.popleft()
            whole += [known, *results]
    return (body, keys) if whole == body else (whole, list(map(key_of, whole)))


def _is_announced(known: Step | None, said: Step, told: Step, after: Step) -> bool:
    """Whether a client lists in a message of its own which calls it made of what the model said, and a result follows."""
    is_said = known is not None and said.role == "assistant" and key_of(known) == key_of(said)
    is_answered = after.role == "tool" or bool(RESULT_MARK.match(after.content or ""))
    is_own = is_said and is_answered and told.role == "assistant" and not told.tool_calls
    return is_own and bool(written_list(told.content))


def _has_more(said: Step, told: Step, after: Step) -> bool:
    """Whether a message is what the model said with its client's words behind it, and a result follows."""
    is_told = bool(said.content) and said.role == told.role == "assistant" and not told.tool_calls
    more = (told.content or "").removeprefix(said.content or "")
    return (
        is_told
        and more != told.content
        and bool(more.strip())
        and bool(RESULT_MARK.match(after.content or ""))
    )


def _worded_results(asked: Step, told: Step, after: Step) -> list[Step] | None:
    """The results of calls that one message repeats by their ids, and the next one answers under a mark."""
    calls, words = asked.tool_calls, told.content or ""
    if not calls or told.tool_calls or told.role == "tool" or after.role == "tool":
        return None
    said = after.content or ""
    failed = FAILURE_MARK.match(said)
    mark = failed or RESULT_MARK.match(said)
    if mark is None or not all(c.call_id and c.call_id in words and c.name in words for c in calls):
        return None
    text = said[mark.end() :]
    # Of several results in one text only lines say which is whose; else the tools' own spans do.
    parts = [text] if len(calls) == 1 else text.splitlines()
    found = zip(calls, parts if len(parts) == len(calls) else (), strict=False)
    is_error = True if failed else None
    return [
        Step(role="tool", content=part, call_id=call.call_id, is_error=is_error)
        for call, part in found
    ]


def _regrouped(thread: Thread, body: list[Step], keys: list[str]) -> tuple[list[Step], list[str]]:
    """The input with parallel calls as the one message that they were when the model made them."""
    shared = _shared(thread, keys, body)
    while shared < len(thread.steps):
        whole = _unsplit(thread.steps[shared], body[shared:])
        if whole is None:
            break
        body, keys = [*body[:shared], *whole], [*keys[:shared], *map(key_of, whole)]
        shared = max(shared + 1, _shared(thread, keys, body))
    return body, keys


def _meet(thread: Thread, call: Node, body: list[Step], keys: list[str]) -> int | None:
    """Where the new messages of an input begin; None where a call tells nothing new at all."""
    shared = _shared(thread, keys, body)
    _enrich(thread, body[:shared])
    if shared == len(thread.steps):
        return shared
    if shared == len(body):
        return shared if _is_retold(thread, call, shared) else None
    told = _users_side(thread, body, keys)
    if told is not None:
        thread.flags.add("history_edited")
        return told
    at = _tail_in(thread, keys)
    if at is not None:
        thread.flags.add("history_edited" if shared else "history_not_repeated")
        return at + 1
    if _omits_calls(thread, body, shared):
        thread.flags.add("history_edited")
    elif shared:
        thread.flags.add("branched")
        _cut(thread, shared)
    else:
        thread.flags.add("history_not_repeated")
    return shared


def _users_side(thread: Thread, body: list[Step], keys: list[str]) -> int | None:
    """Where the new messages begin in an input that repeats what the user said, and nothing that was answered."""
    if any(step.role == "assistant" for step in body):
        return None
    said = [key for step, key in zip(thread.steps, thread.keys, strict=True) if step.role == "user"]
    again = [index for index, step in enumerate(body) if step.role == "user"]
    if not said or len(said) >= len(again) or said != [keys[index] for index in again[: len(said)]]:
        return None
    return again[len(said)]


def _omits_calls(thread: Thread, body: list[Step], shared: int) -> bool:
    """Whether the input goes on with results and leaves out the message that asked for them."""
    return (
        shared == len(thread.steps) - 1
        and bool(thread.steps[shared].tool_calls)
        and body[shared].role == "tool"
    )


def _completed(thread: Thread, body: list[Step], keys: list[str]) -> tuple[list[Step], list[str]]:
    """The input with the calls that its sender left out of the past, where their results follow.

    Only as far as the input repeats the past: an id alone does not say which call is meant, because clients number their
    calls anew in every turn.
    """
    whole: list[Step] = []
    repeats = True
    for step, key, follows in zip(body, keys, [*body[1:], None], strict=True):
        place = len(whole)
        known = thread.steps[place] if repeats and place < len(thread.steps) else None
        if known is None or not known.tool_calls or step.tool_calls:
            whole.append(step)
            repeats = known is not None and (key == thread.keys[place] or _cut_alike(known, step))
        elif _answers_it(known, step):
            whole += [known, step]
            repeats = place + 1 < len(thread.keys) and key == thread.keys[place + 1]
        else:
            bare = step.role == "assistant" and (step.content or "") == (known.content or "")
            repeats = bare and _answers_it(known, follows)
            whole.append(known if repeats else step)
    if whole == body:
        return body, keys
    thread.flags.add("history_edited")
    return whole, [key_of(step) for step in whole]


def _answers_it(asked: Step, result: Step | None) -> bool:
    """Whether a step may be the result of one of these calls."""
    if result is None or result.role != "tool":
        return False
    return result.call_id is None or any(c.call_id == result.call_id for c in asked.tool_calls)


def _unsplit(asked: Step, told: list[Step]) -> list[Step] | None:
    """Parallel calls that the history repeats one by one, each with its result, as the one message that they were."""
    left = [key_of(replace(asked, content=None, tool_calls=(call,))) for call in asked.tool_calls]
    if len(left) < 2 or not told or len(told[0].tool_calls) >= len(left):
        return None
    calls: list[ToolCall] = []
    results: list[Step] = []
    for index, step in enumerate(told):
        if step.role == "tool":
            results.append(step)
            continue
        key = key_of(step)
        if not left or key not in left:
            return (
                [replace(asked, tool_calls=tuple(calls)), *results, *told[index:]]
                if not left
                else None
            )
        left.remove(key)
        calls += step.tool_calls
    return None if left else [replace(asked, tool_calls=tuple(calls)), *results]


def _is_retold(thread: Thread, call: Node, shared: int) -> bool:
    """A call whose input ends inside the thread: False where it says nothing new, True where it replaces what followed."""
    output = call.reading.output
    if not output:
        return False
    if key_of(output[0]) == thread.keys[shared]:
        thread.steps[shared] = _fill(thread.steps[shared], _output_step(call))
        return False
    thread.flags.add("regenerated" if shared + 1 == len(thread.steps) else "branched")
    _cut(thread, shared)
    return True


def _cut(thread: Thread, length: int) -> None:
    del thread.steps[length:]
    del thread.keys[length:]


def _append(thread: Thread, step: Step, key: str) -> None:
    thread.steps.append(step)
    thread.keys.append(key)


def _output_step(call: Node) -> Step:
    reading = call.reading
    step = reading.output[0] if reading.output else Step(role="assistant")
    # A span may enclose what its answer asked for.
    ran = call.children if step.tool_calls else ()
    after = (one.span.started_at for one in ran if one.reading.kind in {AGENT, TOOL})
    return replace(
        step,
        at=min([call.span.ended_at or call.span.started_at, *after]),
        input_tokens=reading.input_tokens,
        output_tokens=reading.output_tokens,
        agent=agent_of(call),
    )


def _speak(thread: Thread, call: Node) -> None:
    reading = call.reading
    if reading.output:
        first = _output_step(call)
        # What tells no more than answers may say again what was told of this turn.
        back = range(len(thread.steps), 0, -1 if reading.is_turn and not reading.input else 1)
        asked = next((n for n in back if thread.steps[n - 1].role == "user"), len(thread.steps))
        bare = (key_of(replace(step, tool_calls=())) for step in thread.steps[asked:])
        again = {*thread.keys[asked:], *bare}
        for step in (first, *(replace(more, at=first.at) for more in reading.output[1:])):
            if key_of(step) not in again:
                _append(thread, step, key_of(step))
    elif not reading.has_content:
        _append(thread, _output_step(call), f"unsaid:{call.span.span_id}")
        thread.flags.add("no_content")
    elif reading.is_error is not True:
        thread.flags.add("missing_output")


def _enrich(thread: Thread, again: Sequence[Step]) -> None:
    """Take what a repeated message says that the first telling of it did not: ids, text beside calls, the uncut text."""
    for index, step in enumerate(again):
        known = thread.steps[index]
        if known != step:
            thread.steps[index] = _fill(known, step)


def _fill(known: Step, told: Step) -> Step:
    content = known.content
    if (told.content or "") and len(told.content or "") > len(content or ""):
        longer = (told.content or "").strip()
        if not content or longer.startswith(content.strip()):
            content = told.content
    calls = known.tool_calls
    if calls and len(calls) == len(told.tool_calls):
        calls = tuple(
            ToolCall(
                call_id=one.call_id or other.call_id,
                name=one.name or other.name,
                arguments=one.arguments or other.arguments,
            )
            for one, other in zip(calls, told.tool_calls, strict=True)
        )
    return replace(
        known,
        content=content,
        tool_calls=calls,
        call_id=known.call_id or told.call_id,
        tool_name=known.tool_name or told.tool_name,
        is_error=told.is_error if known.is_error is None else known.is_error,
        input_tokens=told.input_tokens if known.input_tokens is None else known.input_tokens,
        output_tokens=told.output_tokens if known.output_tokens is None else known.output_tokens,
    )
