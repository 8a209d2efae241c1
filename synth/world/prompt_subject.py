"""Whose session it is, where the instructions alone say so: the company, the branch or the user that an agent's prompt names.

In: episodes with their instructions, and their observations as tools take and give them. Out: the place in the instructions whose
words decide how tools answer, found by equal calls after equal pasts that are answered alike under equal words and otherwise under
others. Not here: tools that answer for the subject (`views.implicit_subject`), which treat these words as the subject.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

from environments.runtime.document.views import PromptPlacePart
from redact.records.clean_episode import CleanEpisode
from synth.world.grouping import sets_by_key
from synth.world.observation import History
from synth.world.subjects import subject_of, words_at, words_of_instructions
from synth.world.support import (
    CHANCE_AMONG_SOME,
    HALF_OF_CASES,
    MOSTLY,
    SEEN_SEVERAL_TIMES,
    SEEN_THRICE,
    USUALLY,
    accept_counts,
    chance_of_so_few,
)
from synth.world.time.equal_pasts import equal_pasts

MAX_PROMPTS: Final = 20
"""Different instructions that are compared, spread over all in order; more differ in a date or a user, which these show as well."""
MAX_WORDS: Final = 4_000
"""Words of instructions that are compared."""
MAX_AROUND: Final = 8
"""Words before and behind a place that tell it from all others."""
MIN_ALIKE: Final = SEEN_THRICE
"""Equal calls under equal words, another's between them, that are answered alike."""
MIN_DIFFERENT: Final = SEEN_SEVERAL_TIMES
"""Equal calls under different words that are answered otherwise."""
MIN_SHARED: Final = SEEN_SEVERAL_TIMES
"""Different calls of a tool, each answered alike under different words, before the tool counts as one that answers all alike."""
MIN_RECURRING: Final = USUALLY
"""Share of episodes whose words another task's episodes have too."""


@dataclass(slots=True)
class _Pairs:
    """One call, as often as it was made after equal pasts."""

    within: Counter[bool] = field(default_factory=Counter)
    """Under equal words, another's between them: whether they were answered alike."""
    across: Counter[bool] = field(default_factory=Counter)
    """Under different words: whether they were answered otherwise."""


def learn_prompt_subject(
    histories: Sequence[History], episodes: Sequence[CleanEpisode]
) -> tuple[PromptPlacePart | None, frozenset[str]]:
    """The place and the tools that answer for what stands there; histories have these words as their subject from here on.

    None and no tools, and nothing changed, where no place decides.
    """
    tasks = {e.episode_id: e.task_key or e.episode_id for e in episodes}
    usual = len({subject_of(e) for e in episodes})
    for place, words in _places(episodes):
        if len(set(words.values())) >= usual or not _recurs(words, tasks):
            continue
        pairs = _compared(histories, words)
        if _decides(pairs.values()):
            for history in histories:
                history.subject = words[history.episode_id]
            called = {seen.tool for history in histories for seen in history.observations}
            return place, frozenset(called - _shared(pairs))
    return None, frozenset()


def _recurs(words: Mapping[str, str], tasks: Mapping[str, str]) -> bool:
    """Whether most episodes share their words with another task's."""
    under = sets_by_key((said, tasks[episode]) for episode, said in words.items())
    recurring = sum(len(under[said]) > 1 for said in words.values())
    return len(under) > 1 and recurring >= MIN_RECURRING * len(words)


def _compared(
    histories: Sequence[History], words: Mapping[str, str]
) -> dict[tuple[str, str], _Pairs]:
    """By tool and arguments."""
    out: dict[tuple[str, str], _Pairs] = defaultdict(_Pairs)
    for pair in equal_pasts(histories, lambda history: words[history.episode_id]):
        found = out[pair.seen.tool, pair.seen.key]
        if pair.own is not None and not pair.at_once:
            found.within[pair.own.content == pair.seen.content] += 1
        if pair.other is not None:
            found.across[pair.other.content != pair.seen.content] += 1
    return out


def _decides(pairs: Iterable[_Pairs]) -> bool:
    """Whether the words decide, over all calls that two of them were ever answered differently."""
    within, across = Counter[bool](), Counter[bool]()
    for one in pairs:
        if one.across[True]:
            within.update(one.within)
            across.update(one.across)
    # A flag or a trial may vary answers under equal words as well.
    if not accept_counts(within, least=MIN_ALIKE, share=HALF_OF_CASES):
        return False
    if not accept_counts(across, least=MIN_DIFFERENT, share=MOSTLY):
        return False
    total = within.total() + across.total()
    equal = within[True] + across[False]
    accident = chance_of_so_few(across[False], among=across.total(), of=equal, total=total)
    return accident <= CHANCE_AMONG_SOME


def _shared(pairs: Mapping[tuple[str, str], _Pairs]) -> set[str]:
    """Tools that were seen to answer all alike."""
    alike = Counter(tool for (tool, _), one in pairs.items() if one.across[False])
    different = {tool for (tool, _), one in pairs.items() if one.across[True]}
    return {tool for tool, calls in alike.items() if calls >= MIN_SHARED} - different


def _places(episodes: Sequence[CleanEpisode]) -> Iterator[tuple[PromptPlacePart, dict[str, str]]]:
    """Places at which instructions differ, with each episode's words there; those with the fewest different words first."""
    prompts = {e.episode_id: words_of_instructions(e)[:MAX_WORDS] for e in episodes}
    every = sorted(set(prompts.values()))
    distinct = every[:: -(-len(every) // MAX_PROMPTS) or 1]
    if len(distinct) < 2:
        return
    frame = list(distinct[0])
    for prompt in distinct[1:]:
        blocks = SequenceMatcher(None, frame, prompt, autojunk=False).get_matching_blocks()
        frame = [word for b in blocks for word in frame[b.a : b.a + b.size]]
    gaps: set[int] = set()
    for prompt in distinct:
        changes = SequenceMatcher(None, frame, prompt, autojunk=False).get_opcodes()
        gaps |= {first for change, first, *_ in changes if change in {"insert", "replace"}}
    bounds = [0, *sorted(gaps), len(frame)]
    found: dict[frozenset[frozenset[str]], tuple[PromptPlacePart, dict[str, str]]] = {}
    for last, at, following in zip(bounds, bounds[1:], bounds[2:], strict=False):
        place = PromptPlacePart(
            before=tuple(frame[max(last, at - MAX_AROUND) : at]),
            behind=tuple(frame[at : min(following, at + MAX_AROUND)]),
        )
        words = {name: words_at(prompt, place) for name, prompt in prompts.items()}
        groups = sets_by_key((said, name) for name, said in words.items())
        found.setdefault(frozenset(map(frozenset, groups.values())), (place, words))
    for partition in sorted(found, key=len):
        yield found[partition]
