"""The search for an app's people, as the gate and the leak check make it.

Comes in: what was learnt of an app, the vault, texts. Goes out: hits that count, and which key and tool taught a value that was hit.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import pyarrow as pa

from dagster_project.home.layout import Home
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, EPISODES
from dagster_project.privacy.gate import knowledge_of, policy_of
from environments.runtime.values.literals import Parsed, parse_json
from ingest.records.episode import Episode
from redact.apply.context import vocabulary_of
from redact.audit.leaks import Leak, LeakSearch
from redact.audit.spellings import spellings
from redact.decisions.judgement import judge
from redact.evidence.app_values import Learnt
from redact.fold import fold
from redact.operators.vault import Vault
from redact.policy import Policy

IN_TEXT: Final = "text"
"""Where a value was taught that stands under no key."""
_SENT: Final = ("episode_id", "subject", "agent", "tools")
_NEAR: Final = 24
_WORD: Final = re.compile(r"[^\W_]+")
_WORD_BEFORE: Final = re.compile(r"[^\W_]+[ _.-]?$")
_WORD_AFTER: Final = re.compile(r"[ _.-]?[^\W_]+")
"""One word beside a hit: a surrogate of two words may by chance share one with what it stands for."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """A search for everything known of an app's people."""

    search: LeakSearch
    vault: Vault
    app: str
    agents: frozenset[str] = frozenset()
    """Names of agents that many subjects met: the operator's, though a customer may be called so."""

    def hits(self, where: str, text: str, *, episodes: Collection[str] = ()) -> list[Leak]:
        """What counts as a leak in a text that derives from these raw episodes."""
        if text in self.agents:
            return []
        return [
            leak
            for leak in self.search.find(where, text, episodes=episodes)
            if not (leak.waiver or is_nobodys(self.vault, self.app, leak, text))
        ]


@dataclass(frozen=True, slots=True)
class KnownPeople:
    """What is known of an app's people, and the search for it."""

    learnt: Learnt
    search: Searcher


def known_of(home: Home, vault: Vault, app: str) -> KnownPeople:
    """What is known of an app's people, and the search at the gate; definitions are those that came in."""
    private = Lake(home.private / "lake")
    learnt = knowledge_of(private, vault, app).learnt
    sent = private.read(EPISODES, app=app, columns=_SENT)
    policy = policy_of(home)
    search = search_with(learnt, policy, app, _definitions(sent))
    return KnownPeople(learnt, Searcher(search, vault, app, agents_of(sent, policy.k)))


def searcher_of(home: Home, vault: Vault, app: str) -> Searcher:
    """The search in what is stored past the gate."""
    learnt = knowledge_of(Lake(home.private / "lake"), vault, app).learnt
    stored = Lake(home.clean / "lake").read(CLEAN_EPISODES, app=app, columns=_SENT)
    policy = policy_of(home)
    search = search_with(learnt, policy, app, _definitions(stored))
    return Searcher(search, vault, app, agents_of(stored, policy.k))


def search_with(
    learnt: Learnt, policy: Policy, app: str, definitions: Iterable[tuple[str, str]]
) -> LeakSearch:
    """The search with what was learnt; `definitions` are subjects with a tool definition that each had."""
    known = learnt.app(app)
    public = vocabulary_of(
        known, k=policy.k, words=policy.public_values, judgement=judge(known, k=policy.k)
    )
    subjects: dict[str, set[str]] = defaultdict(set)
    for subject, definition in definitions:
        subjects[definition].add(subject)
    return LeakSearch(
        learnt,
        k=policy.k,
        is_public=lambda word: public.holds(word) or public.holds(word.upper()),
        # What k subjects had alike is about none of them: an example in a definition ("such as 'Noah'").
        shared=[definition for definition, seen in subjects.items() if len(seen) >= policy.k],
    )


def _definitions(rows: pa.Table) -> Iterator[tuple[str, str]]:
    """Subjects and the tool definitions that they had."""
    for row in rows.to_pylist():
        for definition in row["tools"] or ():
            yield row["subject"] or row["episode_id"], definition


def agents_of(rows: pa.Table, k: int) -> frozenset[str]:
    """The names of agents that at least k subjects met; a text that is nothing else names the agent."""
    met: dict[str, set[str]] = defaultdict(set)
    for row in rows.to_pylist():
        met[row["agent"] or ""].add(row["subject"] or row["episode_id"])
    return frozenset(name for name, subjects in met.items() if name and len(subjects) >= k)


def is_surrogate(vault: Vault, app: str, leak: Leak, text: str) -> bool:
    """Whether the vault gave this very text, or a longer one around it, as somebody's surrogate."""
    return any(
        vault.original(app, leak.kind, candidate) is not None
        for reading in _spellings(text, leak.encoding)
        for candidate in _widened_hits(reading, leak)
    )


def is_nobodys(vault: Vault, app: str, leak: Leak, text: str) -> bool:
    """Whether what was hit is a surrogate, or stands in the app's name."""
    return is_surrogate(vault, app, leak, text) or is_app_name(app, leak, text)


def is_app_name(app: str, leak: Leak, text: str) -> bool:
    """Whether the hit stands in the name that the operator gave the app (`casa_linden`), which is nobody's."""
    end, around = leak.offset + leak.length, 2 * len(app)
    return any(
        found.start() <= leak.offset and end <= found.end()
        for reading in _spellings(text, leak.encoding)
        for found in _app_name(app).finditer(reading, max(0, leak.offset - around), end + around)
    )


@lru_cache(maxsize=64)
def _app_name(app: str) -> re.Pattern[str]:
    """The name as a word of its own; Markdown has a backslash before its marks."""
    signs = (re.escape(sign) if sign.isalnum() else rf"\\?{re.escape(sign)}" for sign in app)
    return re.compile(rf"(?<![\w-]){''.join(signs)}(?![\w-])", re.IGNORECASE)


def _widened_hits(text: str, leak: Leak) -> Iterator[str]:
    """The hit, and with one word more on either side."""
    end = leak.offset + leak.length
    before = _WORD_BEFORE.search(text[max(0, leak.offset - _NEAR) : leak.offset])
    after = _WORD_AFTER.match(text[end : end + _NEAR])
    for start in {leak.offset, leak.offset - len(before[0]) if before else leak.offset}:
        for stop in {end, end + len(after[0]) if after else end}:
            yield text[start:stop]


class TaughtPlaces:
    """Where the values of some episodes' calls and results stand, read once for all hits."""

    def __init__(self, episodes: Iterable[Episode]) -> None:
        self._said = Counter(
            (place, " ".join(_WORD.findall(fold(value).text)))
            for episode in episodes
            for place, value in _leaves(episode)
        )
        self._known: dict[str, str] = {}

    def source_of(self, leak: Leak, text: str) -> str:
        """The tool and key under which most episodes hold the value of a hit (`get_user.plate`); `IN_TEXT` where none does.

        The value itself goes before one that it is part of, and before its words.
        """
        hit = words_of(leak, text)
        if hit not in self._known:
            self._known[hit] = self._place_of(hit)
        return self._known[hit]

    def _place_of(self, hit: str) -> str:
        words = set(hit.split())
        found: tuple[Counter[str], ...] = (Counter(), Counter(), Counter())
        for (place, said), times in self._said.items():
            if said == hit:
                found[0][place] += times
            elif hit and f" {hit} " in f" {said} ":
                found[1][place] += times
            elif said and words.issuperset(said.split()):
                found[2][place] += times
        ranked = sorted(next(filter(None, found), {}).items(), key=lambda item: (-item[1], item[0]))
        return ranked[0][0] if ranked else IN_TEXT


def words_of(leak: Leak, text: str) -> str:
    """The words of a hit, folded, blanks between; empty where it is encoded otherwise than for a page or an address."""
    readings = _spellings(text, leak.encoding)[:1]
    found = (_WORD.findall(r[leak.offset : leak.offset + leak.length]) for r in readings)
    return " ".join(word for words in found for word in words)


@lru_cache(maxsize=2)
def _spellings(text: str, encoding: str) -> tuple[str, ...]:
    """The spellings of the text that was asked for last: a world of megabytes has hundreds of hits, one after the other."""
    return spellings(text, encoding)


def _leaves(episode: Episode) -> Iterator[tuple[str, str]]:
    """Every value of an episode's calls and results, by tool and key."""
    tools = {call.call_id: call.name for step in episode.steps for call in step.tool_calls}
    for step in episode.steps:
        for call in step.tool_calls:
            yield from _keyed_values(call.name, parse_json(call.arguments))
        if step.role == "tool":
            tool = tools.get(step.call_id or "") or step.tool_name or ""
            yield from _keyed_values(tool, parse_json(step.content or ""))


def _keyed_values(tool: str, document: Parsed | None) -> Iterator[tuple[str, str]]:
    stack = [(tool, document.value)] if document is not None else []
    while stack:
        place, value = stack.pop()
        if isinstance(value, dict):
            stack += [(f"{tool}.{key}", inner) for key, inner in value.items()]
        elif isinstance(value, list):
            stack += [(place, inner) for inner in value]
        elif value is not None and place != tool:
            yield place, str(value)
