"""Claude Code's session files: lines tied by `parentUuid` to one conversation.

Comes in: the lines of one session file. Goes out: messages in the words of the model's API. Each content block of an
answer is a line of its own there, and parallel tool results hang beside the chain that the last line leads to: blocks
are put together by message id, results by call id. What stands before a compaction is followed, and takes the place of its summary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise, zip_longest
from typing import Any, Final

from ingest.formats.chat_lines import read_as_chat
from ingest.formats.format import Decoded, Format
from ingest.otlp.record import Arrival
from ingest.records.text import Json, json_text, type_of

Entry = dict[str, Any]

NAME: Final = "claude_code"
_INTERRUPTED: Final = "[Request interrupted by user"
"""What the program writes from the user's side when a run is stopped."""
_CUT: Final = "compact_boundary"
_PRINTED: Final = "<local-command-"
_SPOKEN: Final = frozenset({"user", "assistant"})
_OWN: Final = ("isMeta", "isApiErrorMessage")
"""What marks a line that the program wrote itself, from either side."""


def claims(value: Json) -> bool:
    """Whether a value is a line of a session file."""
    if not isinstance(value, dict):
        return False
    if "sessionId" in value and ("uuid" in value or "leafUuid" in value):
        return True
    if _session(value) and type_of(value) in {"user", "assistant"} and _message(value):
        return True
    return type_of(value) in {"summary", "file-history-snapshot"} and (
        "leafUuid" in value or "messageId" in value
    )


def read(lines: Json, arrival: Arrival) -> Decoded:
    """Read all lines of a file."""
    found = Decoded()
    for chat in _sessions(lines):
        found.add(read_as_chat(chat, arrival, source=NAME))
    return found


def _sessions(lines: Iterable[Json]) -> Iterator[Entry]:
    """One chat-log value a session, and one for each sub-agent whose session is in another file."""
    sessions: dict[tuple[str, str], list[Entry]] = {}
    aside: dict[str, str] = {}
    for number, line in enumerate(lines):
        if isinstance(line, dict) and type_of(line) in {*_SPOKEN, "system"}:
            agent = _agent(line) or _aside(line, aside)
            known = sessions.setdefault((_session(line), agent), [])
            known.append(_tied(line, number, known))
    for (session, agent), entries in sessions.items():
        messages = list(_messages_of(_chain(entries)))
        if any(message["role"] != "system" for message in messages):
            name = f"{session}/{agent}" if agent else session
            yield {
                "episode_id": name,
                "agent": agent or NAME,
                "messages": messages,
                **_model(entries),
            }


def _session(line: Entry) -> str:
    """The session that a line names; what the program prints as it runs spells the name otherwise than its files."""
    session = line.get("sessionId") or line.get("session_id")
    return session if isinstance(session, str) else ""


def _agent(line: Entry) -> str:
    """The sub-agent that a line is of; empty for the session's own."""
    if isinstance(line.get("parent_tool_use_id"), str):
        return str(line["parent_tool_use_id"])
    if not line.get("isSidechain"):
        return ""
    return str(line.get("agentId") or ("" if "parentUuid" in line else "sidechain"))


def _aside(line: Entry, known: dict[str, str]) -> str:
    """The sub-agent of a line in its session's own file: each chain with a beginning of its own is one."""
    if not line.get("isSidechain"):
        return ""
    own, parent = str(line.get("uuid")), line["parentUuid"]
    known[own] = f"sidechain {own[:8]}" if parent is None else known.get(str(parent), "")
    return known[own]


def _tied(line: Entry, number: int, before: list[Entry]) -> Entry:
    """The line with an id and a parent: one that names no parent at all follows the line before it."""
    tied = line if line.get("uuid") else {**line, "uuid": f"line {number}"}
    if "parentUuid" in line:
        return tied
    return {**tied, "parentUuid": before[-1]["uuid"] if before else None}


def _model(entries: list[Entry]) -> Entry:
    models = (_message(entry).get("model") for entry in entries)
    model = next((m for m in models if isinstance(m, str) and not m.startswith("<")), None)
    return {"model": model} if model else {}


def _id(value: Entry) -> str | None:
    """An id as text; None where there is none."""
    identity = value.get("id")
    return None if identity is None else str(identity)


def _message(entry: Entry) -> Entry:
    message = entry.get("message")
    return message if isinstance(message, dict) else {}


def _blocks(entry: Entry) -> list[Entry]:
    content = _message(entry).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _chain(entries: list[Entry]) -> list[Entry]:
    """The entries that the last leaf leads back to, with the blocks and results that hang beside them."""
    by_id = {str(entry["uuid"]): entry for entry in entries}
    before = {after: one for one, after in pairwise(by_id)}
    spoken = [entry for entry in entries if type_of(entry) in _SPOKEN and not entry.get("isMeta")]
    # What the program notes behind the last answer is no answer to it.
    parents = {str(entry.get("parentUuid")) for entry in spoken}
    leaves = [entry for entry in spoken if str(entry["uuid"]) not in parents] or spoken
    chain: set[str] = set()
    place = str(leaves[-1]["uuid"]) if leaves else ""
    while place in by_id and place not in chain:
        chain.add(place)
        at = by_id[place]
        # A compaction begins a chain of its own; some name what stood before it.
        above = at.get("parentUuid") or at.get("logicalParentUuid")
        place = str(above or (at.get("subtype") == _CUT and before.get(place)))
    answers = {_id(_message(by_id[uuid])) for uuid in chain} - {None}
    beside = [e for e in entries if _id(_message(e)) in answers]
    calls = {_id(block) for entry in beside for block in _blocks(entry)} - {None}
    taken = chain | {str(entry["uuid"]) for entry in beside}
    taken |= {
        str(entry["uuid"])
        for entry in entries
        if any(str(block.get("tool_use_id")) in calls for block in _blocks(entry))
    }
    return [entry for entry in entries if str(entry["uuid"]) in taken]


def _messages_of(chain: list[Entry]) -> Iterator[Entry]:
    """The chain's messages, in the words of the model's API; an answer's blocks are lines of their own in the file."""
    told: dict[str, Entry] = {}
    seen: set[str] = set()
    asked: Counter[str] = Counter()
    for entry, after in zip_longest(chain, chain[1:]):
        is_summed_up = entry.get("isCompactSummary") and told
        is_own = any(map(entry.get, _OWN))
        if is_own or _begins(entry, _PRINTED) or is_summed_up:
            continue
        if _begins(entry, "<command-name>") and _begins(after, _PRINTED):
            continue  # a command that the program itself answered
        own = str(_id(_message(entry)) or entry["uuid"])
        if type_of(entry) in _SPOKEN:
            blocks = [one for one in _blocks(entry) if _is_new(one, own, seen, asked)]
            said = told.setdefault(own, {"role": type_of(entry), "content": []})
            said["content"] += blocks
            said.setdefault("timestamp", entry.get("timestamp"))
            # Repeated on every line of the answer: the last one is whole.
            said["usage"] = _message(entry).get("usage") or said.get("usage")
        is_cut = entry.get("subtype") == _CUT or entry.get("isCompactSummary")
        if is_cut and told:
            list(told.values())[-1]["tg"] = {"completeness": ["compacted"]}
    return (one for one in told.values() if one["content"])


def _is_new(block: Entry, message: str, seen: set[str], asked: Counter[str]) -> bool:
    """Whether a block was not told before: resumed sessions repeat lines, and some models number their calls anew in every answer."""
    if str(block.get("text")).startswith(_INTERRUPTED):
        return False
    call, told = str(block.get("id")), str(block.get("tool_use_id"))
    if type_of(block) == "tool_use":
        once = f"{message} {call} {json_text(block.get('input'))}"
        asked[call] += once not in seen
    elif type_of(block) == "tool_result":
        once = f"result of {told}, {asked[told]}"
    else:
        return True
    is_new = once not in seen
    seen.add(once)
    return is_new


def _begins(entry: Entry | None, mark: str) -> bool:
    own = entry or {}
    content = _message(own).get("content", own.get("content"))
    return isinstance(content, str) and content.startswith(mark)


FORMAT: Final = Format(
    name="claude_code_session",
    title="a Claude Code session",
    keys=("sessionId", "uuid", "parentUuid"),
    claims=claims,
    read=read,
    is_whole_file=True,
)
