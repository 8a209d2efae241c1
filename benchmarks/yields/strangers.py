"""How much of a log becomes tasks when it is written as another company would write it.

The example desk's chat log goes through `tracegym ingest`, `build` and `export` as it is, and once with each habit of other agents,
frameworks and gateways: nothing that happened differs, so the counts should not either. `yield` says what the columns are.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.figures import Row
from benchmarks.yields.collections import measure
from examples.support_desk.app import main as make_log

Record = dict[str, Any]
Habit = Callable[[Record, Random], None]
SENTENCES: Final = (
    "I need to check the records first.",
    "Policy says to ask for confirmation.",
    "Everything is clear now.",
)


def options(parser: argparse.ArgumentParser) -> None:
    """Which habits."""
    parser.add_argument("names", nargs="*", metavar="HABIT", help=f"of {', '.join(HABITS)}")
    parser.add_argument("--conversations", type=int, default=160)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each habit."""
    unknown = sorted(set(options.names) - set(HABITS))
    if unknown:
        raise SystemExit(f"no habit is called {unknown[0]}; there are {', '.join(HABITS)}")
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "desk.jsonl"
        wanted = ["--conversations", str(options.conversations), "--task-keys", "4"]
        make_log(["--app", "desk", *wanted, "--chat-log", str(log), "--quiet"])
        records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        for name in options.names or HABITS:
            path = Path(scratch) / f"{name.replace(' ', '-')}.jsonl"
            path.write_text("\n".join(map(json.dumps, _written(records, name))), encoding="utf-8")
            yield Row(case=name, figures=measure(path).figures())


def _written(records: Sequence[Record], name: str) -> Iterator[Record]:
    for number, record in enumerate(records):
        changed = deepcopy(record)
        HABITS[name](changed, Random(f"{name} {number}"))  # noqa: S311 - the same each time
        yield changed


def _calls(record: Record) -> Iterator[Record]:
    for message in record["messages"]:
        yield from (call["function"] for call in message.get("tool_calls") or ())


def _results(record: Record) -> Iterator[tuple[Record, Any]]:
    """The results that are JSON."""
    for message in record["messages"]:
        if message["role"] == "tool":
            try:
                yield message, json.loads(message["content"])
            except ValueError:
                continue


def _offer(record: Record, name: str, description: str, *arguments: str) -> None:
    properties = {one: {"type": "string"} for one in arguments}
    schema = {"type": "object", "properties": properties}
    function = {"name": name, "description": description, "parameters": schema}
    record["tools"].append({"type": "function", "function": function})


def _called(name: str, given: Record, result: str, call_id: str) -> list[Record]:
    function = {"name": name, "arguments": json.dumps(given)}
    call = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": result},
    ]


def _first(record: Record, role: str) -> int:
    return next(n for n, message in enumerate(record["messages"]) if message["role"] == role)


def as_it_is(_record: Record, _dice: Random) -> None:
    """Nothing differs."""


def greets(record: Record, _dice: Random) -> None:
    """The agent begins, always in the same words."""
    hello = {"role": "assistant", "content": "Hello! How can I help you today?"}
    record["messages"].insert(_first(record, "user"), hello)


def greets_by_name(record: Record, dice: Random) -> None:
    """The agent begins, in other words each time."""
    words = f"Hello {dice.choice('ABCDEFGH')}., this is ticket {dice.randint(1000, 9999)}. What can I do for you?"
    record["messages"].insert(_first(record, "user"), {"role": "assistant", "content": words})


def answers_by_tool(record: Record, _dice: Random) -> None:
    """The last answer is a call."""
    last = record["messages"][-1]
    if last["role"] == "assistant" and last["content"] and not last.get("tool_calls"):
        said = last["content"]
        record["messages"][-1:] = _called("final_answer", {"answer": said}, said, "last")
    _offer(record, "final_answer", "Gives the final answer.", "answer")


def thinks_by_tool(record: Record, dice: Random) -> None:
    """Thoughts are calls that are only acknowledged."""
    said: list[Record] = []
    for number, message in enumerate(record["messages"]):
        if message["role"] == "assistant" and dice.random() < 0.6:
            thought = f"{dice.choice(SENTENCES)} Step {dice.randint(1, 99)}."
            said += _called(
                "think", {"thought": thought}, "Your thought has been logged.", f"t{number}"
            )
        said.append(message)
    record["messages"] = said
    _offer(record, "think", "Appends a thought to the log; changes nothing.", "thought")


def thinks_aloud(record: Record, dice: Random) -> None:
    """Every call has a sentence beside it."""
    for message in record["messages"]:
        if message.get("tool_calls") and not message["content"]:
            message["content"] = dice.choice(SENTENCES)


def names_servers(record: Record, _dice: Random) -> None:
    """Tools are those of an MCP server."""
    for function in (*_calls(record), *(tool["function"] for tool in record["tools"])):
        function["name"] = f"mcp__shop-server__{function['name']}"


def has_one_tool(record: Record, _dice: Random) -> None:
    """One tool runs every action."""
    for call in _calls(record):
        given = {"action": call["name"], "parameters": json.loads(call["arguments"])}
        call["name"], call["arguments"] = "execute_action", json.dumps(given)
    record["tools"] = []
    _offer(record, "execute_action", "Runs one of the shop's actions.", "action", "parameters")


def wraps_results(record: Record, dice: Random) -> None:
    """A gateway puts results into an envelope with ids and times."""
    for message, value in _results(record):
        failed = isinstance(value, dict) and "error" in value
        around = {"status": "error" if failed else "success", "data": value}
        noise = {"request_id": f"req_{dice.randint(10**6, 10**7)}", "ms": dice.randint(3, 400)}
        message["content"] = json.dumps(around | noise)


def prints_results(record: Record, _dice: Random) -> None:
    """Results are Python's repr."""
    for message, value in _results(record):
        message["content"] = repr(value)


def cuts_results(record: Record, _dice: Random) -> None:
    """Long results are cut by the logger."""
    for message in record["messages"]:
        if message["role"] == "tool" and len(message["content"] or "") > 600:
            message["content"] = f"{message['content'][:600]}... [truncated]"


def heads_messages(record: Record, dice: Random) -> None:
    """The channel and the time stand before what the user says."""
    for message in record["messages"]:
        if message["role"] == "user":
            head = f"[{dice.choice(['web', 'ios'])} | {dice.randint(8, 20)}:{dice.randint(10, 59)}]"
            message["content"] = f"{head} {message['content']}"


def changes_prompts(record: Record, dice: Random) -> None:
    """The prompt tells time and session."""
    prompt = record["messages"][_first(record, "system")]
    prompt["content"] += (
        f"\n\nNow: {record.get('started_at')}\nSession: {dice.randint(10**8, 10**9)}"
    )


def asks_the_time(record: Record, dice: Random) -> None:
    """The agent asks the clock first."""
    now = json.dumps(
        {"now": f"2026-10-0{dice.randint(1, 9)}T{dice.randint(10, 20)}:00:{dice.randint(10, 59)}Z"}
    )
    at = _first(record, "assistant")
    record["messages"][at:at] = _called("get_current_time", {}, now, "clock")
    _offer(record, "get_current_time", "The current time.")


def hands_to_an_agent(record: Record, _dice: Random) -> None:
    """One agent hands to another before anything is done."""
    at = _first(record, "assistant")
    told = '{"assistant": "Orders Agent"}'
    record["messages"][at:at] = _called("transfer_to_orders_agent", {}, told, "handoff")
    _offer(record, "transfer_to_orders_agent", "Handoff to the Orders Agent.")


def searches_articles(record: Record, dice: Random) -> None:
    """Articles are searched first, with scores that differ each time."""
    at = _first(record, "assistant")
    articles = ("Refunds go to the original payment method.", "Pending orders can be cancelled.")
    told = json.dumps(
        {"results": [{"text": a, "score": round(dice.random(), 3)} for a in articles]}
    )
    asked = record["messages"][_first(record, "user")]["content"][:60]
    record["messages"][at:at] = _called("search_knowledge_base", {"query": asked}, told, "kb")
    _offer(record, "search_knowledge_base", "Searches help articles.", "query")


def sends_a_token(record: Record, dice: Random) -> None:
    """Every call carries the session's token."""
    token = "".join(dice.choice("0123456789abcdef") for _ in range(24))
    for call in _calls(record):
        call["arguments"] = json.dumps({**json.loads(call["arguments"]), "session_token": token})
    for tool in record["tools"]:
        tool["function"]["parameters"].setdefault("properties", {})["session_token"] = {
            "type": "string"
        }


def tries_again(record: Record, dice: Random) -> None:
    """Every tenth call is refused once by a gateway."""
    said: list[Record] = []
    for number, message in enumerate(record["messages"]):
        if len(message.get("tool_calls") or ()) == 1 and dice.random() < 0.1:
            function = message["tool_calls"][0]["function"]
            given = json.loads(function["arguments"])
            said += _called(function["name"], given, "Error: 503 upstream timeout", f"r{number}")
        said.append(message)
    record["messages"] = said


def answers_in_json(record: Record, dice: Random) -> None:
    """What the agent says is an object."""
    for message in record["messages"]:
        if message["role"] == "assistant" and message["content"] and not message.get("tool_calls"):
            told = {"message": message["content"], "confidence": round(dice.random(), 2)}
            message["content"] = json.dumps(told)


def names_no_tools(record: Record, _dice: Random) -> None:
    """Nobody logged the tools' definitions."""
    del record["tools"]


def names_nobody(record: Record, _dice: Random) -> None:
    """Neither user nor task nor time was logged."""
    for key in ("user_id", "task_key", "started_at"):
        record.pop(key, None)
    for message in record["messages"]:
        message.pop("tg", None)


HABITS: Final[dict[str, Habit]] = {
    habit.__name__: habit
    for habit in (
        *(as_it_is, greets, greets_by_name, answers_by_tool, answers_in_json, thinks_by_tool),
        *(thinks_aloud, names_servers, has_one_tool, names_no_tools, wraps_results, prints_results),
        *(cuts_results, heads_messages, changes_prompts, asks_the_time, hands_to_an_agent),
        *(searches_articles, sends_a_token, tries_again, names_nobody),
    )
}
