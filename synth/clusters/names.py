"""Names of failure clusters that a person understands and that say nothing about any one customer.

A name is a template over the mechanical fingerprint (how it failed, the tools in words, the error's template) with a
few words of what users wanted. A word may stand in a name if it is a word of the app's tool definitions, or if at
least k distinct users said it; below k users the name stays generic. Not here: LLM names (`clusters.llm_names`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from environments.runtime.views.multiplexed import words_of_part
from synth.failures.causes import CHANGED, DEED, FACT, NO_CHANGE, SAYS
from synth.failures.detection import Failure
from synth.failures.reference import AGREED
from synth.failures.texts import VALUE
from synth.failures.words import name_words

_TALK: Final = frozenset(Path(__file__).with_name("talk.txt").read_text("utf-8").split())
"""Words of talking rather than of wanting."""

_TERM: Final = re.compile(r"[^\W\d_]{3,}")
_WORDS_SHOWN: Final = 3
_RULES: Final = frozenset({(AGREED,), (DEED,), (FACT,)})
"""What failures turn on that is no tool."""
_SAID_BY_RULE: Final = frozenset({"instruction_not_followed", "invented_claim"})
_MANY: Final = frozenset({CHANGED, NO_CHANGE})


def who(failure: Failure) -> str:
    """Whom a failure counts for: its subject, else the request it was an attempt at, else itself."""
    return failure.subject or failure.task_key or failure.episode_id


def terms_of(facet: str) -> list[str]:
    """The words of a facet that say what was wanted, and pairs of neighbours."""
    kept: list[str] = []
    before: str | None = None
    for word in re.findall(rf"[^\W\d_]+|{VALUE}", facet.lower()):
        plain = bool(_TERM.fullmatch(word)) and word not in _TALK and word not in _stop_words()
        if plain:
            kept.append(word)
            if before is not None:
                kept.append(f"{before} {word}")
        before = word if plain else None
    return kept


@cache
def _stop_words() -> frozenset[str]:
    # Local import, here and in all of `synth`: scikit-learn takes 2 s and 90 MB, and an app with few failures needs none of it.
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

    words: frozenset[str] = ENGLISH_STOP_WORDS
    return words


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTerms:
    """How many distinct users of a group said each term."""

    terms: Counter[str]
    people: int


def said_by(failures: Iterable[Failure]) -> SaidTerms:
    """Count terms by distinct users; a user who says a word often counts once."""
    spoken: dict[str, set[str]] = {}
    for failure in failures:
        spoken.setdefault(who(failure), set()).update(terms_of(failure.facet))
    return SaidTerms(
        terms=Counter(term for words in spoken.values() for term in words), people=len(spoken)
    )


def name_of(members: Sequence[Failure], everyone: SaidTerms, *, k: int) -> str:
    """The name of a cluster whose members share a cause, and perhaps tools and an error."""
    known = frozenset(word for member in members for word in member.vocabulary)
    said = said_by(members)
    shared = len({(member.focus, member.cause) for member in members}) == 1
    cause, focus = members[0].cause, members[0].focus
    if shared and focus in _RULES:
        cause, focus = (focus[0] if cause in _SAID_BY_RULE else cause), ()
    # Of a change nobody questions the tools are many; elsewhere the tool is the first, and what is wrong about it follows.
    first, rest = (focus, ()) if cause in _MANY else (focus[:1], focus[1:])
    tools = _tools(first, known) if shared else ""
    public = said.people >= k
    error = _error(members) if shared and public else ""
    used = frozenset(word for tool in focus for word in name_words(tool))
    terms = common_terms(said, everyone, k=k, used=used if tools else frozenset()) if public else ()
    return _sentence(cause, tools, error, " · ".join(terms), _tools(rest, known))


def common_terms(
    said: SaidTerms, everyone: SaidTerms, *, k: int, used: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """What sets these users' words apart: class-based TF-IDF over terms that at least k of them said."""
    others = max(everyone.people - said.people, 1)
    scores: dict[str, float] = {}
    for term, count in said.terms.items():
        share, elsewhere = count / said.people, (everyone.terms[term] - count) / others
        if (
            count >= k
            and share >= 0.3
            and share >= 1.5 * elsewhere
            and not used & set(term.split())
        ):
            scores[term] = share * math.log1p(1 / (elsewhere + 0.02)) * _length_bonus(term)
    chosen: list[str] = []
    for term in sorted(scores, key=lambda t: (-scores[t], t)):
        if not any(set(term.split()) & set(other.split()) for other in chosen):
            chosen.append(term)
    return tuple(chosen[:_WORDS_SHOWN])


def _length_bonus(term: str) -> float:
    return 1.5 if " " in term else 1.0


def _tools(focus: Sequence[str], known: frozenset[str]) -> str:
    """Tools in words, parts of tools by name; a tool that no definition names stays out, because its name may hold anything."""
    shown = [
        " ".join(name_words(tool)) if words_of_part(tool) == [tool] else tool
        for tool in focus
        if all(word in known for word in name_words(tool))
    ]
    if len(shown) > 2:
        return f"{shown[0]}, {shown[1]} and {len(shown) - 2} more"
    return " and ".join(shown)


def _error(members: Sequence[Failure]) -> str:
    text = members[0].error
    if any(member.error != text for member in members):
        return ""
    return re.sub(r"^(error|exception|failed)\W+", "", text)


_WITH_TOOLS: Final[Mapping[str, str]] = {
    "instruction_not_followed": "{tools} against the rules",
    "wrong_tool": "{tools}, which was not needed",
    "wrong_argument": "{tools} with the wrong {rest}",
    "missed_step": "{tools} without {rest} before it",
    "premature_end": "stops after {tools}",
    "invented_claim": "claims more than {tools} did",
    "loop": "goes in circles over {tools}",
    "tool_error": "{tools} fails",
    "tool_timeout": "{tools} does not answer in time",
    "drift": "{tools} is not what the agent expects",
    "changed": "{tools}: done, but not what was needed",
    "no_change": "{tools}: nothing changed",
}
_WITHOUT_TOOLS: Final[Mapping[str, str]] = {
    **SAYS,
    AGREED: "changes something without the user's yes",
    DEED: "says that something is done that no call did",
    FACT: "tells facts that nothing shows",
}


def _sentence(cause: str, tools: str, error: str, said: str, rest: str = "") -> str:
    pattern = (_WITH_TOOLS if tools else _WITHOUT_TOOLS).get(cause, cause.replace("_", " "))
    text = pattern.format(tools=tools, rest=rest or "values")
    if error:
        text = f"{text}: {error}"
    if said:
        text = f"{text} ({said})"
    is_name = "[" in tools.partition(" ")[0] and text.startswith(tools)
    return text if is_name else text[:1].upper() + text[1:]


def rest_name(cause: str) -> str:
    """The name of what no telling cluster of a cause has taken."""
    return _sentence(cause, "", "", "various" if cause in {"changed", "tool_error", "loop"} else "")
