"""A run kept as files of its own, one a step or an event, or as the calls to its model, each of which repeats the conversation so far: it is told once.

Comes in: the files of a folder. Goes out: the same, parts of one thing as one file, without what only tells how a conversation began. Numbered files
are events where only together they hold what both sides say; numbered folders are rounds where each has what the model was sent in one text, and what
it answered in another; a folder holds the elements of a list where the document above it lacks one of its
name. Files are states of one run where
their paths differ in one number that counts no attempts, and each conversation begins as the one before it ended; calls, where files of one name in
several folders hold nothing else, and each call of a file sends what the one before it sent, and more.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, Final

from ingest.errors import IngestError
from ingest.files.file_source import FileSource
from ingest.files.telemetry_files import read_source
from ingest.formats.records.conversation import answer_in
from ingest.formats.records.words import NAMES
from ingest.formats.records.written_calls import acts_of, plain_act
from ingest.formats.spans.model_calls import call_in, conversation_of
from ingest.formats.table import FORMATS
from ingest.otlp.decode import decode
from ingest.records.quarantine import Rejected
from ingest.records.text import NOT_JSON, Json, json_bytes, load_json

_NUMBERED: Final = re.compile(r"((?:.*\D)?)(?<!\d{10}\.)(\d{1,9}|\d{10}\.\d{1,9})(\D*)", re.DOTALL)
"""Names with a number of their own, or a time of day in seconds."""
_DIGITS: Final = re.compile(r"\d+")
_EVENT: Final = re.compile(r"(\D*)(\d{1,9})(?!\d).*\.json", re.DOTALL)
"""Files that begin with the same word and a number; what stands behind these names the event."""
_ATTEMPT: Final = re.compile(rf"(?i)(?:{'|'.join(NAMES['trial'])})[-_. /]?\Z")
_SHOWN: Final = re.compile(
    r"```\w*\n((?:(?!```).)*)\n```\s*```\w*\n((?:(?!```).)*)\n```", re.DOTALL
)
"""A program in a block, and what came of it in the next one."""
_ROUND: Final = re.compile(r"(\D+?)[-_. ]?(\d{1,9})")
"""A folder that is called by a word and a number."""
_SIDES: Final = {
    **dict.fromkeys(NAMES["asked_in_item"], "user"),
    **dict.fromkeys(NAMES["answered_in_item"], "assistant"),
}
_TEXTS: Final = (".txt", ".md")
_OPENING: Final = 60
"""Characters with which attempts at one thing begin alike, and rounds of one run do not."""
_MOST_BYTES: Final = 64 << 20
_GREETING: Final = 3
"""Words that two who never met may both say."""
_ANSWERED: Final = 2
"""Messages of which two attempts may be made, a question and its answer."""
_SEVERAL: Final = 2
_LOOKED_AT: Final = 20
"""Events that are looked at to tell that none is a conversation by itself."""

Said = list[tuple[str, object, list[str]]]
"""Who says what, with the arguments of calls."""


def whole_runs(sources: Iterable[FileSource]) -> list[FileSource]:
    """The files of a folder, of each run's states only the last."""
    kept = {source.name: source for source in _told_once(_with_parts_joined(sources))}
    groups: dict[tuple[str, str], dict[float, FileSource]] = {}
    for name, source in kept.items():
        if (found := _NUMBERED.fullmatch(name)) and not _ATTEMPT.search(found[1]):
            groups.setdefault((found[1], found[3]), {})[float(found[2])] = source
    for files in groups.values():
        *states, last = [files[number] for number in sorted(files)]
        whole = _last_call([*states, last]) if states and last.path.suffix == ".json" else None
        if whole or (states and _are_states([*states, last])):
            kept = {n: one for n, one in kept.items() if one not in states}
            kept[last.name] = whole or last
    copies = {*_told_above([*kept.values()])}
    kept = {name: one for name, one in kept.items() if name not in copies}
    shared = Counter(one.path.name for one in kept.values() if one.path.suffix == ".jsonl")
    return [
        (_last_call([one]) if shared[one.path.name] > 1 else None) or one for one in kept.values()
    ]


def _told_once(sources: Iterable[FileSource]) -> Iterator[FileSource]:
    """The files without those that only tell again in another form what a smaller one beside them tells, or a part of it, where several folders hold files of these names, numbers aside."""
    files = list(sources)
    shared = Counter(one.path.name for one in files if one.path.suffix == ".json")
    alike = {_DIGITS.sub("", name) for name, times in shared.items() if times > 1}
    folders: dict[Path, list[FileSource]] = {}
    for one in sorted(files, key=lambda one: one.size):
        if one.path.suffix == ".json" and _DIGITS.sub("", one.path.name) in alike:
            folders.setdefault(one.path.parent, []).append(one)
    copies: set[str] = set()
    for beside in (several for several in folders.values() if several[1:]):
        known: dict[str, object] = {}
        talks: dict[str, Said] = {}
        for one in beside:
            said, value = _said_in(one), _value_in(one)
            form: object = value.keys() if isinstance(value, dict) else type(value)
            # Calls that were made together may stand there one by one.
            told = [
                [text for role, text, _ in said if text and (role == "tool") is of_tools]
                for of_tools in (False, True)
            ]
            whole = repr((told, [call for *_, calls in said for call in calls]))
            # Attempts may say the same in one form.
            copies |= {one.name} if said and known.setdefault(whole, form) != form else set()
            talks[one.name] = [step for step in said if step[0] != "system"]
        copies |= {n for n, own in talks.items() if any(_is_part(own, b) for b in talks.values())}
        if not copies:
            break  # no folder is like that
    return (one for one in files if one.name not in copies)


def _told_above(files: Sequence[FileSource]) -> Iterator[str]:
    """The names of runs, each in a folder of its own that holds the calls to its model, which a list in a folder further up tells as well: it knows more of them."""
    alone = Counter(one.path.parent for one in files)
    runs = [one for one in files if one.path.suffix == ".json" and alone[one.path.parent] == 1]
    above = {folder for one in runs for folder in [*one.path.parents][1:]}
    lists = [one for one in files if one.path.suffix == ".jsonl" and one.path.parent in above]
    told = {said for one in lists for said in _spoken_in(one) if len(said) > _ANSWERED}
    for one in runs if told else ():
        if not told.isdisjoint(_spoken_in(one)):
            yield one.name


def _spoken_in(source: FileSource) -> list[tuple[tuple[object, ...], ...]]:
    """What each conversation of a file says, without its prompt."""
    return [
        tuple((role, text, *calls) for role, text, calls in said if role != "system")
        for said in _talks_in(source)
    ]


def _is_beginning(own: Said, whole: Said) -> bool:
    """Whether one conversation begins as another one, whatever calls are found in its last words once they are answered."""
    last = len(own) - 1
    return len(own) < len(whole) and (
        not own or (own[:last] == whole[:last] and own[last][:2] == whole[last][:2])
    )


def _is_part(own: Said, whole: Said) -> bool:
    """Whether all that one conversation tells is how another begins, or a model without memory is asked what the agent says there."""
    if own and _is_beginning(own, whole):
        return True
    asked = [text for role, text, _ in own if role == "user"]
    told = {text for role, text, _ in whole if role == "assistant"}
    first = str(asked[0]) if len(asked) == 1 else ""
    is_long = len(first.split()) > _GREETING or plain_act(first) is not None
    return is_long and first in told and not any(calls for *_, calls in own)


def _with_parts_joined(sources: Iterable[FileSource]) -> Iterator[FileSource]:
    """The files, those of one folder as one that hold an event or an element each."""
    files = list(sources)
    folders: dict[Path, list[FileSource]] = {}
    for one in files:
        if one.path.suffix == ".json":
            folders.setdefault(one.path.parent, []).append(one)
    kept: dict[str, FileSource | None] = {}
    for folder, parts in folders.items():
        kept |= _events(parts) or _elements(parts, folders.get(folder.parent, ()))
    kept |= _rounds(files)
    return (told for one in files if (told := kept.get(one.name, one)) is not None)


def _events(files: Sequence[FileSource]) -> dict[str, FileSource | None]:
    """Files that are numbered without a gap as one, by the first's name, where none of them but all together are a conversation."""
    found = [(m, one) for one in files if (m := _EVENT.fullmatch(one.path.name))]
    found.sort(key=lambda pair: int(pair[0][2]))
    numbers, events = [int(m[2]) for m, _ in found], [one for _, one in found]
    # No range of their numbers: ids of nine digits may lie a billion apart.
    is_counted = numbers[1:] and all(other == one + 1 for one, other in pairwise(numbers))
    if not is_counted or len({m[1] for m, _ in found}) > 1:
        return {}
    path, name = events[0].path.parent, PurePosixPath(events[0].name).parent
    if path.name in NAMES["messages"]:
        path, name = path.parent, name.parent
    lines = partial(_one_list, events)
    whole = replace(events[0], path=path, name=str(name) if name.name else path.name, lines=lines)
    is_small = sum(one.size for one in events) <= _MOST_BYTES
    looked = events[:_LOOKED_AT] if is_small else []
    # What an agent saw may hold all that was said so far.
    is_told = acts_of([*map(_value_in, looked)]) or not any(map(_is_whole, looked))
    if is_small and is_told and _is_whole(whole):
        return {**dict.fromkeys(one.name for one in events), events[0].name: whole}
    return {}


def _rounds(files: Sequence[FileSource]) -> dict[str, FileSource | None]:
    """The rounds with a model that lie in numbered folders, those beside each other as one conversation by the first's name; what else tells of a round is its copy."""
    found: dict[tuple[Path, str], dict[int, list[FileSource]]] = {}
    for one in files:
        folder = _ROUND.fullmatch(one.path.parent.name)
        if folder and not _ATTEMPT.search(folder[1]):
            rounds = found.setdefault((one.path.parent.parent, folder[1]), {})
            rounds.setdefault(int(folder[2]), []).append(one)
    kept: dict[str, FileSource | None] = {}
    for (path, _), rounds in found.items():
        told = [{_side_of(one): one for one in rounds[n]} for n in sorted(rounds)]
        sent = [one["user"] for one in told if {"user", "assistant"} <= one.keys()]
        if len(sent) < len(told) or len(sent) < _SEVERAL or not _go_on(sent):
            continue
        name = str(PurePosixPath(sent[0].name).parents[1])
        lines = partial(_as_messages, told)
        whole = replace(sent[0], path=path, name=name, lines=lines)
        copies = [
            one for those in rounds.values() for one in those if _side_of(one) or _said_in(one)
        ]
        kept |= {**dict.fromkeys(one.name for one in copies), sent[0].name: whole}
    return kept


def _side_of(source: FileSource) -> str | None:
    """Who says what a text of a round holds; None of any other file."""
    is_text = source.path.suffix in _TEXTS
    return _SIDES.get(source.path.stem.lower()) if is_text else None


def _go_on(sent: Sequence[FileSource]) -> bool:
    """Whether what a model was sent goes on from round to round: it never begins anew."""
    if sum(one.size for one in sent) > _MOST_BYTES:
        return False
    try:
        first, *rest = (_text_in(one)[:_OPENING] for one in sent)
    except (IngestError, OSError, EOFError, zlib.error):
        return False  # said where the file is read
    return first not in rest


def _text_in(source: FileSource) -> str:
    with source.opened() as stream:
        return stream.read(_MOST_BYTES).decode("utf-8", "replace")


def _as_messages(rounds: Sequence[dict[str | None, FileSource]]) -> Iterator[bytes]:
    said = [(side, _text_in(one[side])) for one in rounds for side in ("user", "assistant")]
    yield json_bytes({"messages": [{"role": side, "content": text} for side, text in said]})


def _is_whole(source: FileSource) -> bool:
    """Whether a file holds a conversation in which both sides speak."""
    return {"user", "assistant"} <= {role for role, *_ in _said_in(source)}


def _elements(
    files: Sequence[FileSource], above: Iterable[FileSource]
) -> dict[str, FileSource | None]:
    """The document in the folder above with its list, which has the folder's name and whose elements are the files."""
    key = files[0].path.parent.name
    row = next((row for row in FORMATS if row.parted_at == key), None)
    for head in above if row else ():
        value = _value_in(head)
        own = value if isinstance(value, dict) else {}
        if row and not row.claims(own) and row.claims({**own, key: [_value_in(files[0])]}):
            begun = json_bytes({**own, key: []}).removesuffix(b"]}")
            whole = replace(head, lines=partial(_one_list, files, begun, b"]}"))
            return {**dict.fromkeys(one.name for one in files), head.name: whole}
    return {}


def _value_in(source: FileSource) -> Json:
    try:
        with source.opened() as stream:
            return load_json(stream.read(_MOST_BYTES))
    except (IngestError, OSError, EOFError, zlib.error):
        return NOT_JSON  # said where the file is read


def _one_list(
    files: Sequence[FileSource], begun: bytes = b"[", end: bytes = b"]"
) -> Iterator[bytes]:
    """Documents as one list."""
    for number, one in enumerate(files):
        with one.opened() as stream:
            yield (b"," if number else begun) + stream.read()
    yield end


def _last_call(files: Sequence[FileSource]) -> FileSource | None:
    """The calls to a model of one run, a file or a line each, as the last of them; None where any is something else."""
    sent: list[Any] = []
    last = None
    for document in _documents(files):
        last = call_in(load_json(document))
        told = last.request.get("messages") if last and not conversation_of(last) else None
        if not isinstance(told, list) or told[: len(sent)] != sent or told == sent:
            return None
        sent = told
    if last is None:
        return None
    beside = {key: one for key, one in last.beside.items() if key not in NAMES["row"]}
    answer = answer_in(last.response)
    said = {"messages": [*sent, *answer, *_shown_beside(files[-1], answer)]}
    # The answer's id tells attempts apart that say the same.
    whole = {**beside, **last.request, **said, "response_id": last.response.get("id")}
    return replace(files[-1], lines=lambda: iter([json_bytes(whole)]))


def _shown_beside(last: FileSource, answer: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What came of the program in the last answer, which no call sends any more, where a log in Markdown beside the calls ends with both."""
    logs = [one for one in last.path.parent.glob("*.md") if not one.is_symlink()]
    try:
        is_small = len(logs) == 1 and logs[0].stat().st_size <= _MOST_BYTES
        shown = _SHOWN.findall(logs[0].read_text("utf-8", "replace")) if is_small else []
    except OSError:
        return  # said where the log is read
    for program, result in shown[-1:]:
        if any(program.strip() in str(one.get("content")) for one in answer if program.strip()):
            yield {"role": "user", "content": f"Output:\n```\n{result}\n```"}


def _documents(files: Sequence[FileSource]) -> Iterator[bytes]:
    """The documents of files, one each or one a line; a last one that is none where a file cannot be read."""
    try:
        for one in files if sum(one.size for one in files) <= _MOST_BYTES else ():
            with one.opened() as stream:
                is_lines = one.path.suffix == ".jsonl"
                yield from filter(bytes.strip, stream) if is_lines else [stream.read()]
    except (IngestError, OSError, EOFError, zlib.error):
        yield b""  # said where the file is read


def _are_states(states: Sequence[FileSource]) -> bool:
    told = [[], *map(_said_in, states)]
    return all(_is_beginning(before, after) for before, after in pairwise(told))


def _said_in(source: FileSource) -> Said:
    """What the one conversation of a document says; nothing where it holds none or several."""
    is_json = source.lines is not None or source.path.suffix in {".json", ""}
    talks = _talks_in(source) if is_json else []
    return talks[0] if len(talks) == 1 else []


def _talks_in(source: FileSource) -> list[Said]:
    """What each conversation of a file says."""
    try:
        if source.size > _MOST_BYTES:
            return []
        parts = list(read_source(source, None, among_others=True))
        found = [decode(one.stored(1)) for one in parts if not isinstance(one, Rejected)]
    except (
        IngestError,
        ArithmeticError,
        AttributeError,
        LookupError,
        OSError,
        TypeError,
        ValueError,
    ):
        return []
    talks = [chat.episode.steps for one in found for chat in one.chats]
    return [
        [(s.role, s.content, [c.arguments for c in s.tool_calls]) for s in one] for one in talks
    ]
