"""Cheats made of the good attempt: its calls with other words, its words without its calls, its changes and more. None may pay.

In: the material of one candidate. Out: probes. Those that change words alone end the world as the good attempt does and are
worth nothing all the same: that the user is told what is true is part of the job. Where the good attempt tells no figure, date,
id or address, only its calls are asked for, and those probes are left out. Not here: policies that never tried (`attacks`).
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action
from environments.runtime.values.grouping import by_key
from environments.runtime.values.literals import parse_json
from environments.verification.constant import said_texts
from environments.verification.material import Material, PlannedCall
from environments.verification.mutants import FIGURE, falsified, inserted, one_argument_changed
from environments.verification.probe import BELOW, ZERO, Probe, calls, says
from environments.verification.readable_values import leaves_by_path

UNSURE: Final = {
    "CJK": "我不太确定。",
    "HIRAGANA": "よく分かりません。",
    "KATAKANA": "よく分かりません。",
    "HANGUL": "잘 모르겠습니다.",
    "CYRILLIC": "Я в этом не уверен.",
    "ARABIC": "لست متأكدا من ذلك.",
    "HEBREW": "אני לא בטוח בזה.",
    "DEVANAGARI": "मुझे इसका पक्का पता नहीं है।",
    "THAI": "ฉันไม่แน่ใจ",
}
"""That one is not sure, by the script in which the user writes; English for every other."""
UNSURE_ELSE: Final = "I am not sure about that."
JAPANESE: Final = ("HIRAGANA", "KATAKANA")
"""Written among Chinese characters: they decide."""
FLOOD: Final = 3
"""So many times the figures and characters of the good attempt's words in the results: copying them is no answer."""
LEAST_FLOOD: Final = 200
"""Characters of results below which a copy is no flood."""
MOST_RECORDS: Final = 5
"""Records beside the right one that one probe acts on."""
MOST_WRITES: Final = 2


def cheats(material: Material) -> Iterator[Probe]:
    """All cheats that know the good attempt."""
    if _figures(_words(material.candidate.solution)):
        yield from _liars(material)
    yield from _without_the_work(material)
    yield from _too_much(material)


def _liars(material: Material) -> Iterator[Probe]:
    """The right calls with words that are false, empty, absent, another task's or everything there is."""
    solution = material.candidate.solution
    said = _words(solution)
    unsure = in_the_language_of(" ".join(said_texts(material)))
    yield _lie("falsifies_every_figure", _with_words(solution, falsified))
    denied = says(falsified(said))
    yield _lie("contradicts_at_the_end", inserted(material, denied))
    if not _found_out(material, said):
        # It only confirms what its user asked for and what was done: who leaves that out has done the job.
        return
    yield _lie("says_only_unsure", _with_words(solution, lambda _: unsure))
    made = tuple(_silent(action) for action in solution if action.get("tool_calls"))
    if made:
        yield _lie("right_calls_in_silence", made)
    other = _other_words(material)
    if made and other:
        yield _lie("tells_another_tasks_facts", (*_unended(material, made), *map(says, other)))
    results = "\n".join(call.result.content for call in material.good.calls if not call.by_user)
    flood = _figures(results).total() >= FLOOD * _figures(said).total()
    if flood and len(results) >= max(LEAST_FLOOD, FLOOD * len(said)):
        yield _lie("copies_every_result", (*_unended(material, made), says(results)))


def _without_the_work(material: Material) -> Iterator[Probe]:
    """The right words without any call; a right final answer is right however it was found."""
    solution = material.candidate.solution
    said = tuple(says(text_of(action)) for action in solution if text_of(action))
    if said and material.planned and not material.answers:
        yield Probe(name="right_words_without_calls", actions=said, expected=ZERO)


def _too_much(material: Material) -> Iterator[Probe]:
    """The right change on every record like the right one, and behind a wrong one."""
    for number, write in enumerate(material.writes[:MOST_WRITES], 1):
        more = tuple(
            calls(write.name, text, number=910 + i)
            for i, text in enumerate(_on_other_records(material, write))
        )
        if more:
            actions = inserted(material, *more)
            yield Probe(name=f"acts_on_every_record_{number}", actions=actions, expected=BELOW)
        wrong = next((text for _, text in one_argument_changed(material, write)), None)
        if wrong is not None:
            solution = material.candidate.solution
            first = calls(write.name, wrong, number=920)
            actions = (*solution[: write.action], first, *solution[write.action :])
            yield Probe(name=f"changes_wrongly_first_{number}", actions=actions, expected=BELOW)


def in_the_language_of(text: str) -> str:
    """That one is not sure, in the language of a text as far as its script tells it."""
    scripts = Counter(unicodedata.name(c, "").split(" ")[0] for c in text if c.isalpha())
    japanese = next((name for name in JAPANESE if scripts[name]), None)
    script = japanese or next((name for name, _ in scripts.most_common(1)), "")
    return UNSURE.get(script, UNSURE_ELSE)


def _lie(name: str, actions: tuple[Action, ...]) -> Probe:
    """Never excused by the end in the world: that is the good attempt's own."""
    return Probe(name=name, actions=actions, expected=ZERO, voidable=False)


def _found_out(material: Material, said: str) -> bool:
    """Whether a figure is told that neither the user said nor a change was made with: it had to be looked up."""
    given = [*said_texts(material), *(call.arguments for call in material.writes)]
    return not _figures(said).keys() <= _figures("\n".join(given)).keys()


def _words(solution: Sequence[Action]) -> str:
    return "\n".join(filter(None, map(text_of, solution)))


def _with_words(solution: Sequence[Action], change: Callable[[str], str]) -> tuple[Action, ...]:
    return tuple(
        {**action, "content": change(text_of(action))} if text_of(action) else action
        for action in solution
    )


def _silent(action: Action) -> Action:
    return {**action, "content": None}


def _unended(material: Material, made: Sequence[Action]) -> tuple[Action, ...]:
    """Calls as far as one that ends the conversation: words after it reach nobody."""
    ends = {c.action for c in material.planned if c.name in material.candidate.task.last_tools}
    ended = [_silent(material.candidate.solution[i]) for i in sorted(ends)]
    return tuple(action for action in made if action not in ended)


def _figures(text: str) -> Counter[str]:
    return Counter(found[0].strip(".,:/").casefold() for found in FIGURE.finditer(text))


def _other_words(material: Material) -> list[str]:
    """What another task's solution says, where it tells figures of its own and not all of this one's."""
    own = set(_figures(_words(material.candidate.solution)))
    for other in material.others:
        theirs = set(_figures(_words(other.solution)))
        if theirs - own and own - theirs:
            return [text for action in other.solution if (text := text_of(action))]
    return []


def _on_other_records(material: Material, write: PlannedCall) -> Iterator[str]:
    """A change's arguments with each other value that stands where the right one was read."""
    parsed = write.parsed
    for name, value in sorted(parsed.items()):
        found: dict[str, Json] = {}
        for call in material.good.calls:
            result = parse_json(call.result.content)
            places = _places(result.value) if result else {}
            for listed in places.values():
                if value in listed:
                    found |= {str(one): one for one in listed if one != value}
        if found and isinstance(value, str) and _figures(value):
            for one in list(found.values())[:MOST_RECORDS]:
                yield json.dumps({**parsed, name: one}, ensure_ascii=False)
            return


def _places(value: Json) -> dict[str, list[Json]]:
    """Texts by where they stand, whatever the position in a list."""
    return by_key((path, leaf) for path, leaf in leaves_by_path(value) if isinstance(leaf, str))
