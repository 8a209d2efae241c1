"""The gate over partitions: raw episodes and outcomes of some days in, clean ones out.

Learns per day, merges per app, scrubs per day. A value learnt today re-opens exactly the old days whose texts contain its words: each day
keeps an index of hashed words, and a partition is made of the learnt values that its index holds, and of the verdicts over the unknown keys
that stand in it.
"""

import re
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Final, NamedTuple

import pyarrow as pa

from dagster_project.build.left_out import Skips, without_those_that_fail
from dagster_project.build.progress import report_each
from dagster_project.fatal import is_fatal
from dagster_project.home.layout import Home
from dagster_project.home.settings import redaction_of
from dagster_project.home.vault_key import claim_vault
from dagster_project.lake.digests import hash_of
from dagster_project.lake.freshness import (
    Key,
    digest,
    file_digest,
    made_of,
    or_unknown,
    store,
    work,
)
from dagster_project.lake.rows import Record, from_rows
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES, LEARNT, OUTCOMES, Table
from ingest.records.episode import Episode, Step, ToolCall
from ingest.records.outcome import Outcome
from redact.apply.context import vocabulary_of
from redact.apply.learn import learn
from redact.decisions.judgement import Judgement, judge
from redact.evidence.app_values import AppLearnt, Learnt, keep_kind, merge
from redact.evidence.definitions import names_of_all
from redact.fold import fold
from redact.kinds import family_of
from redact.operators.redraws import DRAWN_AGAIN
from redact.operators.vault import Vault
from redact.policy import Policy, load_policy
from redact.readers.base64_runs import hidden_texts
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall

_WORD: Final = re.compile(r"[^\W\d_]+|\d+")


def policy_of(home: Home) -> Policy:
    """The home's redaction policy; off where the data was declared free of personal data."""
    policy = load_policy(home.redaction_policy)
    return policy if redaction_of(home) == "on" else replace(policy, enabled=False)


def policy_digest(home: Home) -> str:
    """What decides about the gate besides the data."""
    return hash_of(file_digest(home.redaction_policy), redaction_of(home))


def vault_of(home: Home, secret: bytes) -> Vault:
    """The home's vault; hold the home's `vault` lock from opening to saving."""
    claim_vault(home)
    return Vault(home.sealed_vault, secret)


def raw_episodes(lake: Lake, app: str, days: Iterable[str]) -> dict[str, list[Episode]]:
    """The raw episodes of some days."""
    return _raw_records(Episode, lake, EPISODES, app, days)


def raw_outcomes(lake: Lake, app: str, days: Iterable[str]) -> dict[str, list[Outcome]]:
    """The raw outcomes of some days."""
    return _raw_records(Outcome, lake, OUTCOMES, app, days)


def _raw_records(
    of: type[Record], lake: Lake, table: Table, app: str, days: Iterable[str]
) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {day: [] for day in days}
    rows = lake.read(table, app=app, days=found).to_pylist()
    for row, record in zip(rows, from_rows(of, rows), strict=True):
        found[row["day"]].append(record)
    return found


def learn_days(home: Home, lake: Lake, vault: Vault, asked: dict[str, list[str]]) -> None:
    """Learn what changed days reveal, and keep it sealed."""
    policy = policy_of(home)
    episodes, outcomes = lake.stamps("episodes"), lake.stamps("outcomes")
    wanted = {
        (app, day): made_of(
            digest(episodes, (app, day)), digest(outcomes, (app, day)), policy_digest(home)
        )
        for app, days in asked.items()
        for day in days
    }
    todo = work(lake, "learnt", wanted)
    for app, day in report_each("clean_episodes", sorted(todo.stale), "learning what is personal"):
        skips = Skips("learnt", app, day)
        found = _learn_day(
            raw_episodes(lake, app, [day])[day],
            raw_outcomes(lake, app, [day])[day],
            policy,
            partial(_note, skips, vault),
        )
        row = {
            "app": app,
            "day": day,
            "sealed": vault.seal(found.known),
            "words": found.words,
            "unread": sorted(found.unread),
        }
        rows = pa.Table.from_pylist([row], schema=LEARNT.schema)
        store(lake, LEARNT, rows, todo, keys=[(app, day)], again=bool(skips))
        skips.keep(Lake(home.clean / "lake"), [day])


@dataclass(frozen=True, slots=True)
class _Learnt:
    """What a day reveals."""

    known: bytes
    words: bytes
    unread: frozenset[str]
    """Episodes and outcomes at which learning failed, by their raw ids."""


def _learn_day(
    episodes: Sequence[Episode],
    outcomes: Sequence[Outcome],
    policy: Policy,
    failed: Callable[[Episode | Outcome, Exception], None],
) -> _Learnt:
    """What a day's episodes reveal; one at which that fails is as if it had not arrived, all where they are too many to single out."""
    everything: list[Episode | Outcome] = [*episodes, *outcomes]
    unread: dict[str, Exception] = {}

    def make(some: Sequence[Episode | Outcome]) -> tuple[bytes, bytes]:
        mine = [one for one in some if isinstance(one, Episode)]
        said = [one for one in some if isinstance(one, Outcome)]
        return learn(mine, said, policy=policy).to_bytes(), index_of(mine)

    def note(one: Episode | Outcome, fault: Exception) -> None:
        unread[_id_of(one)] = fault
        failed(one, fault)

    try:
        known, words = without_those_that_fail(everything, make, note)
    except Exception as fault:
        if is_fatal(fault):
            raise
        for one in everything:
            if _id_of(one) not in unread:
                note(one, fault)
        known, words = Learnt({}).to_bytes(), index_of(())
    return _Learnt(known, words, frozenset(unread))


def _note(skips: Skips, vault: Vault, one: Episode | Outcome, fault: Exception) -> None:
    skips.note(fault, *_unit_of(one, vault))


def _id_of(one: Episode | Outcome) -> str:
    return one.episode_id if isinstance(one, Episode) else one.outcome_id


def _unit_of(one: Episode | Outcome, vault: Vault) -> tuple[str, str]:
    """What a note calls it: past the gate an episode has another id."""
    if isinstance(one, Outcome):
        return "outcome", ""
    return "episode", vault.episode_id(one.app, one.episode_id)


def unread_of(lake: Lake, app: str, days: Iterable[str]) -> frozenset[str]:
    """The raw ids of the episodes and outcomes of some days at which learning failed: they do not come through the gate."""
    rows = lake.read(LEARNT, app=app, days=days, columns=("unread",)).to_pylist()
    return frozenset(name for row in rows for name in row["unread"] or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class DayKnowledge:
    """What of an app's knowledge one day holds."""

    words: frozenset[int]
    """Hashes of the words that stand in its texts."""
    places: frozenset[str]
    """The keys no rule knows under which it has values."""
    own: str
    """A digest of the words that are personal in its episodes only; a late outcome may add some."""
    unread: str = ""
    """Its episodes at which learning failed, as one text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppKnowledge:
    """Everything an app's days revealed, and what of it each day holds."""

    learnt: Learnt
    days: dict[str, DayKnowledge]


def knowledge_of(lake: Lake, vault: Vault, app: str) -> AppKnowledge:
    """What was learnt of an app so far."""
    rows = lake.read(LEARNT, app=app).to_pylist()
    return _knowledge_in(
        app,
        tuple(
            _LearntDay(
                row["day"],
                vault.unseal(row["sealed"]),
                row["words"],
                " ".join(row["unread"] or ()),
            )
            for row in rows
        ),
    )


class _LearntDay(NamedTuple):
    """A row of `learnt`, unsealed."""

    day: str
    known: bytes
    words: bytes
    unread: str


@lru_cache(maxsize=4)
def _knowledge_in(app: str, rows: tuple[_LearntDay, ...]) -> AppKnowledge:
    """What some days revealed; a build asks for the same ones in each of its steps."""
    parts = {row.day: Learnt.from_bytes(row.known) for row in rows}
    days = {row.day: _day_of(parts[row.day].app(app), row) for row in rows}
    return AppKnowledge(learnt=merge(*parts.values()), days=days)


def _day_of(part: AppLearnt, row: _LearntDay) -> DayKnowledge:
    own = (f"{episode}={sorted(values.items())}" for episode, values in sorted(part.local.items()))
    return DayKnowledge(
        words=frozenset(array("I", row.words)),
        places=frozenset(part.evidence),
        own=hash_of(*own),
        unread=row.unread,
    )


def gate_ingredients(home: Home, lake: Lake, vault: Vault, app: str) -> dict[Key, str]:
    """What each clean day of an app is made of now, given everything learnt so far."""
    keys = [key for key in lake.stamps("episodes") if key[0] == app]
    return or_unknown(keys, lambda: told_ingredients(home, lake, vault, app))


def told_ingredients(home: Home, lake: Lake, vault: Vault, app: str) -> dict[Key, str]:
    """The same; raises where it cannot be told."""
    known = knowledge_of(lake, vault, app)
    policy = policy_of(home)
    rules = rules_of(known.learnt.app(app), policy, vault, app)
    return {
        (app, day): made_of(
            stamp.digest, policy_digest(home), rules.for_day(known.days.get(day, _NOTHING))
        )
        for (of_app, day), stamp in lake.stamps("episodes").items()
        if of_app == app
    }


_NOTHING: Final = DayKnowledge(words=frozenset(), places=frozenset(), own="")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the gate does in an app, in parts that each touch some days only."""

    values: tuple[tuple[str, frozenset[int]], ...]
    """A value with its kind, and the hashes of its words: it touches the days that hold them all."""
    judgement: Judgement
    """Verdicts over unknown keys: each touches the days that have values under its key."""

    def for_day(self, day: DayKnowledge) -> str:
        """A text that changes when, and only when, a rule that touches the day does."""
        verdicts = self.judgement.verdicts
        judged = (
            f"{place}>{verdicts[place].action}" for place in sorted(day.places & verdicts.keys())
        )
        touching = (sign for sign, hashes in self.values if hashes <= day.words)
        unread = (f"unread {day.unread}",) if day.unread else ()
        return hash_of(day.own, *touching, *judged, *unread)


def rules_of(app: AppLearnt, policy: Policy, vault: Vault, name: str) -> Rules:
    """The rules that follow from everything learnt of an app."""
    judgement = judge(app, k=policy.k)
    personal = dict(app.values)
    for value, kind in judgement.values.items():
        keep_kind(personal, value, kind)
    public = vocabulary_of(app, k=policy.k, words=policy.public_values, judgement=judgement).forms
    signed = [(f"{value}={kind}", _in_a_row(value)) for value, kind in sorted(personal.items())]
    signed += [(f"+{form}", _hashes(form)) for form in sorted(public)]
    signed += [(f"?{word}", _hashes(word)) for word in sorted(judgement.unknown)]
    signed += [(f"={name}", _hashes(name)) for name in sorted(names_of_all(app, k=policy.k))]
    signed += _drawn_again(app, personal, vault, name)
    return Rules(tuple(signed), judgement)


def _drawn_again(
    app: AppLearnt, personal: Mapping[str, str], vault: Vault, name: str
) -> Iterator[tuple[str, frozenset[int]]]:
    """Ids whose surrogate is another than it would be if nobody else were known: they are given anew when that changes."""
    local = {one for words in app.local.values() for one in words.items() if one[1] in _AS_IDS}
    for value, kind in sorted({*local, *personal.items()}):
        if family_of(kind) in DRAWN_AGAIN:
            moved = vault.drawn_unlike(name, kind, value, personal)
            if moved != vault.drawn_unlike(name, kind, value, ()):
                yield f"~{value}={moved}", _in_a_row(value)


_AS_IDS: Final = frozenset({"postcode", "code"})
"""Kinds of an episode's own numbers that get surrogates as ids do."""


def index_of(episodes: Sequence[Episode]) -> bytes:
    """Hashed words of every text of the episodes, and pieces of codes as they follow one another: 4 bytes each.

    A collision only re-opens a day too many.
    """
    words: set[str] = set()
    for text in {text for episode in episodes for _, text in texts_of(episode)}:
        for read in (text, *(hidden.text for hidden in hidden_texts(text))):
            found = _words(read)
            words.update(found)
            words.update(_neighbours(found))
    return array("I", sorted(_hashed(words))).tobytes()


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text).text)


def _neighbours(words: Sequence[str]) -> Iterator[str]:
    """Short pieces that follow one another, a number among them: every day has an `l`, a `5` and a `3`, but hardly one `l5 3qp`."""
    for one, other in pairwise(words):
        if len(one) <= _SHORT and len(other) <= _SHORT and (one.isdigit() or other.isdigit()):
            yield f"{one} {other}"


_SHORT: Final = 3


def _hashed(words: Iterable[str]) -> set[int]:
    return {zlib.crc32(word.encode()) for word in words}


def _hashes(value: str) -> frozenset[int]:
    return frozenset(_hashed(_words(value)))


def _in_a_row(value: str) -> frozenset[int]:
    """The same of a value that is only found where its words follow one another."""
    words = _words(value)
    return frozenset(_hashed([*words, *_neighbours(words)]))


def texts_of(episode: Episode | CleanEpisode) -> Iterator[tuple[str, str]]:
    """Every text of an episode with its path."""
    beside = {
        "agent": episode.agent,
        "model": episode.model,
        "agent_version": episode.agent_version,
        "task_key": episode.task_key,
    }
    yield from ((path, text) for path, text in beside.items() if text)
    yield from ((f"tools[{n}]", text) for n, text in enumerate(episode.tools))
    steps: Sequence[Step | CleanStep] = episode.steps
    for n, step in enumerate(steps):
        said = {"content": step.content, "tool_name": step.tool_name}
        calls: Sequence[ToolCall | CleanToolCall] = step.tool_calls
        said |= {f"tool_calls[{m}].arguments": call.arguments for m, call in enumerate(calls)}
        said |= {"call_id": step.call_id, "agent": step.agent}
        yield from ((f"steps[{n}].{path}", text) for path, text in said.items() if text)
