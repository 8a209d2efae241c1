"""Checks on texts that a call writes: a message, a note, a document. What they hold counts, not how they are worded.

In: a check's arguments and the view of one attempt. Out: whether the text holds facts and enough words of what it is about, and
whether everything specific in it has a ground. Not here: which facts and words matter (synthesis decides that from resolved
attempts), what the user is told (`told_values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from ..task.attempt import Json
from ..values.facts import DATE, NUMBER, Fact, facts_in, folded
from ..values.normal import as_list, as_object
from .ground import MOST_NAMED, allowed_text, asked_for, none_of, written_without_ground
from .told_values import fact_in
from .view import View, objects_of, texts_of, whole_of

WORD: Final = re.compile(r"[^\W\d_]+")
LEAST_LETTERS: Final = 4
STEM: Final = 5
"""Letters by which two forms of one word are the same."""
WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Letters of scripts without spaces: two of them side by side count as a word."""
MOST_TEXTS: Final = 512


def text_holds(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the text that a call writes holds facts, in any form, and enough words of what it is about.

    `tool` and `argument` name the text; `arguments` (canonical, without those in `ignore`) the call, where one tool is called
    for several. `facts` are as in `told_some`, `words` are folded; `least` is how many words are enough, `others` how many besides are
    no other text. A text with more specific facts than `among` is a list, and holds none.
    """
    texts = _written_texts(args, view)
    if not texts:
        return None, "no call wrote this text, and nobody knows whether it is needed"
    facts, words = objects_of(args, "facts"), texts_of(args, "words")
    least, most, others = (whole_of(args, name) for name in ("least", "among", "others"))
    needed = len(words) if least is None else least
    found: list[tuple[int, str]] = []
    for text in texts:
        missing = [f for f in facts if not _holds(text, f, most)]
        short = max(0, needed - words_held(text, words))
        if others is not None and words_beside(text, words) > others:
            short = max(short, 1)
        named = ", ".join(str(f.get("value")) for f in missing[:MOST_NAMED])
        why = f"the text lacks {named}" if missing else "the text is about something else"
        found.append((len(missing) + short, why))
    lacking, why = min(found)
    return (0.0, why) if lacking else (1.0, "the text holds what it has to")


def text_grounded(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether every specific fact in texts that calls write has a ground; `texts` names arguments per tool, `kinds` what is asked."""
    found = groundless_texts(view, as_object(args.get("texts")), allowed_text(args))
    return none_of(asked_for(args, found), "written")


def groundless_texts(view: View, tools: Mapping[str, Json], known: str = "") -> list[Fact]:
    """The specific facts in texts written by calls that nothing shows; `tools` names the arguments that are texts."""
    found: dict[Fact, None] = {}
    for call in view.attempt.calls:
        if call.result.is_error or call.by_user:
            continue
        for name in as_list(tools.get(call.name)):
            text = call.arguments.get(str(name))
            if isinstance(text, str):
                false = written_without_ground(view, text, until=call.message, known=known)
                found.update(dict.fromkeys(false))
    return list(found)


@lru_cache(maxsize=MOST_TEXTS)
def content_words(text: str) -> tuple[str, ...]:
    """The longer words of a text, folded, or all where it has no longer one; of a script without spaces, each two letters side by side."""
    every = every_word(text)
    return tuple(w for w in every if WIDE.search(w) or len(w) >= LEAST_LETTERS) or every


@lru_cache(maxsize=MOST_TEXTS)
def every_word(text: str) -> tuple[str, ...]:
    """All words of a text, folded; of a script without spaces, each two letters side by side."""
    found: dict[str, None] = {}
    for word in WORD.findall(folded(text)):
        pairs = [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        found.update(dict.fromkeys(pairs if WIDE.search(word) else [word]))
    return tuple(found)


def stem(word: str) -> str:
    """What two forms of one word share."""
    return word[:STEM]


def words_held(text: str, words: Iterable[str]) -> int:
    """How many of these words a text holds, in whatever form."""
    plain = folded(text)
    stems = {stem(word) for word in WORD.findall(plain)}
    return sum(word in plain if WIDE.search(word) else stem(word) in stems for word in words)


def words_beside(text: str, words: Iterable[str]) -> int:
    """How many words a text has besides these."""
    known = {stem(word) for word in words}
    return len({stem(word) for word in every_word(text)} - known)


def _holds(text: str, fact: Mapping[str, Json], among: int | None) -> bool:
    facts = facts_in(text)
    if among is not None and len({f.readings for f in facts if f.specific}) > among:
        return False
    if fact_in(fact, facts, folded(text)):
        return True
    # A day of the month alone is a number in one wording and part of a date in another.
    return fact.get("kind") == NUMBER and any(
        float(reading[-2:]) in as_list(fact.get("readings"))
        for f in facts
        if f.kind == DATE
        for reading in f.readings
        if isinstance(reading, str)
    )


def _written_texts(args: Mapping[str, Json], view: View) -> Sequence[str]:
    """The texts of the calls that are meant, without refused ones; of all calls of the tool where none is like that."""
    ignore, tool, argument = args.get("ignore"), args.get("tool"), str(args.get("argument"))
    wanted = args.get("arguments")
    calls = [c for c in view.normal_calls(as_object(ignore)) if c.tool == tool and not c.failed]
    meant = [c for c in calls if c.arguments == wanted] or calls
    texts = (view.attempt.calls[c.index].arguments.get(argument) for c in meant)
    return [text for text in texts if isinstance(text, str)]
