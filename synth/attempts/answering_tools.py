"""Tools that agents answer with: `final_answer(answer)`, `respond(content)`, `finish(message)` tell the user something and do nothing else.

Comes in: an app's episodes. Goes out: the same, with such a call as the words that it tells, without its result and without the
tool's definition: what an agent says is graded as what it says, however its framework sends it. A tool is one of these where
nearly every episode ends with it, nearly every call tells something, and its results are nothing, its own words, or the same
whatever it was told. A call that tells nothing (somebody gave up) is only an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.task.tool_definition import name_of, read_definition
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.recordings.attempt import parse_arguments

IN_WORDS: Final = "answers_by_tool"
"""In `CleanEpisode.completeness`: calls of an answering tool were read as what the agent says."""
LEAST: Final = 3
"""Episodes that must end with it: two may do so by accident."""
MOSTLY: Final = 0.8
"""Share of episodes that end with it, a hand-over ends fewer; and of its calls that tell something."""
_QUOTES: Final = ('""', "''", "\u201c\u201d", "\u201e\u201c", "\u00ab\u00bb")
SENTENCE: Final = 3
"""Words of a text that is no id: asked of a tool whose results are all alike, as those of many changes are."""


@dataclass(frozen=True, slots=True)
class _AnsweringCall:
    """One call of a tool that may be an answering one."""

    words: str
    result: str | None
    ends: bool
    """Whether the user, or nobody, comes after it."""


def in_words(episodes: Sequence[CleanEpisode]) -> list[CleanEpisode]:
    """The episodes with the calls of answering tools as words."""
    found = answering_tool(episodes)
    return list(episodes) if found is None else [_with_words(one, *found) for one in episodes]


def answering_tool(episodes: Sequence[CleanEpisode]) -> tuple[str, str] | None:
    """The app's answering tool and the argument that holds the words; None where its agents answer in messages."""
    last = [one for episode in episodes if (one := _last_act(episode)) is not None]
    names = {step.tool_calls[0].name for step in last if len(step.tool_calls) == 1}
    for name in sorted(names):
        ending = sum(len(s.tool_calls) == 1 and s.tool_calls[0].name == name for s in last)
        if ending < LEAST or ending < MOSTLY * len(last):
            continue
        key = _words_argument(episodes, name)
        if key is not None and _only_tells(
            [t for e in episodes for t in _calls_of_tool(e, name, key)]
        ):
            return name, key
    return None


def _last_act(episode: CleanEpisode) -> CleanStep | None:
    """What the agent did last: where its words only repeat its call's, the call."""
    acts = [step for step in episode.steps if step.role == "assistant"]
    before = acts[-2].tool_calls if len(acts) > 1 else ()
    if len(before) == 1 and any(_repeats(acts[-1], words) for words in _texts(before[0]).values()):
        return acts[-2]
    return acts[-1] if acts else None


def _texts(call: CleanToolCall) -> dict[str, str]:
    """The arguments that are a text or a number, without quotes around all of it."""
    given = parse_arguments(call.arguments) or {}
    return {
        key: _unquoted(str(value).strip())
        for key, value in given.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }


def _unquoted(text: str) -> str:
    """A text without one pair of quotes around it: two quoted parts keep theirs."""
    inner = text[1:-1]
    is_quoted = len(text) > 1 and text[0] + text[-1] in _QUOTES
    return inner.strip() if is_quoted and {text[0], text[-1]}.isdisjoint(inner) else text


def _words_argument(episodes: Sequence[CleanEpisode], name: str) -> str | None:
    """The argument with the most to say; None where more than a few calls have none, or another argument differs from call to call."""
    given = [
        _texts(call)
        for episode in episodes
        for step in episode.steps
        for call in step.tool_calls
        if call.name == name
    ]
    sizes = {key: sum(len(one.get(key, "")) for one in given) for one in given for key in one}
    key = max(sizes, key=lambda one: (sizes[one], one), default=None)
    if key is None or sum(bool(one.get(key)) for one in given) < MOSTLY * len(given):
        return None
    rest = {tuple(sorted((k, v) for k, v in one.items() if k != key)) for one in given}
    return key if 2 * len(rest) <= len(given) + 1 else None


def _calls_of_tool(episode: CleanEpisode, name: str, key: str) -> Iterator[_AnsweringCall]:
    for place, step in enumerate(episode.steps):
        for call in step.tool_calls:
            if call.name != name:
                continue
            after = episode.steps[place + 1 :]
            result = next((one.content for one in after if one.call_id == call.call_id), None)
            following = [one for one in after if one.role != "tool"]
            words = _texts(call).get(key, "")
            while following and _repeats(following[0], words):
                following.pop(0)
            ends = len(step.tool_calls) == 1 and (not following or following[0].role == "user")
            yield _AnsweringCall(words, result, ends)


def _repeats(step: CleanStep, words: str) -> bool:
    said = (step.content or "").strip()
    return step.role == "assistant" and not step.tool_calls and words in {said, _unquoted(said)}


def _only_tells(calls: Sequence[_AnsweringCall]) -> bool:
    if not calls or sum(one.ends for one in calls) < MOSTLY * len(calls):
        return False
    calls = [one for one in calls if one.words]
    if all(map(_tells_nothing_back, calls)):
        return True
    alike = len({one.result for one in calls}) == 1
    sentences = sum(
        len([w for w in one.words.split() if w.strip(".,;:!?").isalpha()]) >= SENTENCE
        for one in calls
    )
    return alike and 2 * sentences >= len(calls)


def _tells_nothing_back(call: _AnsweringCall) -> bool:
    """Whether a result is nothing, or the call's own words, also in quotes."""
    result = (call.result or "").strip()
    return not {"", call.words}.isdisjoint((result, result.strip('"'), _unquoted(result)))


def _with_words(episode: CleanEpisode, name: str, key: str) -> CleanEpisode:
    steps: list[CleanStep] = []
    gone: set[str] = set()
    for step in episode.steps:
        call = step.tool_calls[0] if len(step.tool_calls) == 1 else None
        if call is not None and call.name == name:
            gone.add(call.call_id)
            said = _texts(call).get(key) or step.content
            steps += [replace(step, content=said, tool_calls=())] if said else []
        elif step.role == "tool" and step.call_id in gone:
            continue
        elif not (steps and gone and _repeats(step, steps[-1].content or "")):
            steps.append(step)
    tools = tuple(tool for tool in episode.tools if name_of(read_definition(tool)) != name)
    flags = {*episode.completeness, IN_WORDS} if gone else {*episode.completeness}
    return replace(episode, steps=tuple(steps), tools=tools, completeness=tuple(sorted(flags)))
