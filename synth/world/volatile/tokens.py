"""Tokens, found: values drawn by dice that one tool gives out and other tools' calls carry.

Comes from observations; leaves stand-ins that hang on the call which gives a token out, in place, so that calls with tokens
of equal calls are equal. A value counts as a token where its place holds ids drawn by dice and two other tools were never called with
anything else in that argument than what was given out before in the same episode. Not here: a session's own tokens
(`environments.runtime.views.tokens`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.document.views import TokenPart, TokensPart
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import id_format, short_digest
from environments.runtime.views.clock_and_ids import fields_of
from environments.runtime.views.tokens import given_out, stand_in
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.observation import History, Observation, every_call
from synth.world.support import HALF_OF_CASES, SEEN_THRICE, SEEN_TWICE
from synth.world.volatile.clock_and_ids import MIN_SEEN
from synth.world.volatile.drawn_values import format_of_drawn

MIN_TOOLS: Final = SEEN_TWICE
"""Other tools that take it."""
MIN_AGAIN: Final = SEEN_THRICE
"""Equal calls in different episodes that gave out different tokens."""
MIN_USED: Final = HALF_OF_CASES
"""Share of tokens that were used."""


def learn_tokens(histories: Sequence[History]) -> TokensPart | None:
    """Who gives out tokens in which format, and which arguments are tokens; calls and results have stand-ins."""
    gives: dict[str, TokenPart] = {}
    takes: dict[str, set[str]] = defaultdict(set)
    for (tool, place), rows in sorted(_drawn_ids(histories).items()):
        form = id_format([value for _, value in rows])
        taking = _taken_by(histories, tool, {(o.episode, v): o.position for o, v in rows})
        if form is None or tool in gives or not taking:
            continue
        taken = frozenset(short_digest(value) for _, value in rows)
        gives[tool] = TokenPart(place=place, form=replace(form, taken=taken))
        for other, name in taking:
            takes[other].add(name)
    if not gives:
        return None
    known = {tool: frozenset(names) for tool, names in takes.items()}
    part = TokensPart(gives=gives, takes=known, recorded={})
    return replace(part, recorded=dict(sorted(_stand_in_all(histories, part))))


def admits(part: TokensPart | None, stated: Mapping[str, float]) -> frozenset[str]:
    """Tools that let a session in: half of all others take their tokens, and their words do not state (by tool, `stated`) that they change things."""
    if part is None or len(part.takes) * 2 < len(stated) - 1:
        return frozenset()
    return frozenset(tool for tool in part.gives if stated[tool] <= 0)


def _drawn_ids(
    histories: Sequence[History],
) -> dict[tuple[str, str], list[tuple[Observation, str]]]:
    """Places of records that hold ids drawn by dice: given out once, never named before, otherwise for equal calls."""
    rows = lists_by_key(
        ((seen.tool, place), (seen, value))
        for seen in every_call(histories)
        if isinstance(seen.value, dict) and seen.arguments
        for place, value in fields_of(seen.value)
    )
    out = {}
    for key, found in rows.items():
        texts = [(seen, value) for seen, value in found if isinstance(value, str)]
        if len(texts) == len(found) and _is_drawn([value for _, value in texts]):
            named = any(
                value in seen.names
                for one, value in texts
                for seen in histories[one.episode].observations[: one.position]
            )
            if not named and _recurs_enough(texts):
                out[key] = texts
    return out


def _is_drawn(values: Sequence[str]) -> bool:
    if len(values) < MIN_SEEN or list(values) == sorted(values):
        return False
    return format_of_drawn(values) is not None


def _recurs_enough(rows: Sequence[tuple[Observation, str]]) -> bool:
    episodes = sets_by_key((seen.key, seen.episode) for seen, _ in rows)
    return sum(len(group) - 1 for group in episodes.values()) >= MIN_AGAIN


def _taken_by(
    histories: Sequence[History], tool: str, given: Mapping[tuple[int, str], int]
) -> set[tuple[str, str]]:
    """Tools and arguments that were only ever called with such a value, given out before; empty where these are few."""
    values: dict[tuple[str, str], list[bool]] = defaultdict(list)
    used: set[tuple[int, str]] = set()
    calls: dict[str, int] = defaultdict(int)
    for seen in every_call(histories):
        calls[seen.tool] += 1
        for name, value in seen.arguments.items():
            key = (seen.episode, value) if isinstance(value, str) else (-1, "")
            mine = given.get(key, seen.position) < seen.position
            values[seen.tool, name].append(mine)
            used.update({key} if mine else ())
    taking = {
        (other, name)
        for (other, name), known in values.items()
        # A call with a token that nobody gave out is refused; a few of them do not make it something else.
        if other != tool and len(known) == calls[other] and sum(known) >= 0.9 * len(known)
    }
    enough = len({other for other, _ in taking}) >= MIN_TOOLS
    return taking if enough and len(used) >= MIN_USED * len(given) else set()


def _stand_in_all(histories: Sequence[History], part: TokensPart) -> Iterator[tuple[str, str]]:
    """Put stand-ins into calls and results, in place; every token's digest with what stands for it."""
    for history in histories:
        known: dict[str, str] = {}
        for seen in history.observations:
            own = {name: _original_token(value, known) for name, value in seen.arguments.items()}
            changed, seen.arguments = own != seen.arguments, own
            token = given_out(part, seen.tool, seen.content)
            if token is not None:
                known[token] = stand_in(seen.tool, seen.arguments)
                yield short_digest(token), known[token]
            content = seen.content
            for one, stands in known.items():
                content = content.replace(one, stands)
            if changed or content != seen.content:
                seen.put_content(content)


def _original_token(value: Json, known: Mapping[str, str]) -> Json:
    return known.get(value, value) if isinstance(value, str) else value
