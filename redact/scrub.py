"""The gate: raw episodes in, clean episodes out.

In: episodes and outcomes, what was learnt of their app, the vault, the policy. Out: `Scrubbed` (the clean episode, a
note per removal, what is held back) and clean outcomes. This is the only place where a `CleanEpisode` or `CleanOutcome`
is made from raw data. Texts are edited in place, never parsed and written again: JSON keeps its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from ingest.episode import Episode, Step, ToolCall
from ingest.outcome import Outcome
from redact.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from redact.clean_outcome import CleanOutcome
from redact.dates import read_date, spellings
from redact.documents import Found, Unexplained, refined
from redact.encoded import has_hidden_text, hidden_texts
from redact.findings import Finder, Findings, finder_for
from redact.fold import Folded, fold, fold_value, readable
from redact.judge import KEEP, WITHHOLD, Verdict, judge
from redact.learn import Read, found_in, local_values, read_texts
from redact.learnt import Learnt, keep_kind
from redact.matcher import Match, Matcher, resolve, runs_of
from redact.misspelt import misspelt_in
from redact.policy import Policy
from redact.shapes import can_be
from redact.standing import Standing, Vocabulary, vocabulary_of
from redact.surrogates import recase
from redact.vault import Vault

_REMEMBERED: Final = 20_000
NAMES_IN_PROSE: Final = "names somebody whom no tool returned"
_LONG: Final = 1_000
"""Characters from which on a text is asked for its words before it is searched for an episode's values."""


class Note(NamedTuple):
    """One removal, told without its text; a named tuple, because one is made per removal."""

    kind: str
    path: str
    """`steps[4].tool_calls[0].arguments`."""
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One leaf that was replaced by a marker because nobody could judge it."""

    path: str
    key: str
    """The evidence path; the policy line to add names it."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrubbed:
    """A clean episode with the account of what was done."""

    clean: CleanEpisode
    notes: tuple[Note, ...] = ()
    held: tuple[Held, ...] = ()


def scrub(
    episodes: Iterable[Episode],
    *,
    learnt: Learnt,
    vault: Vault,
    policy: Policy,
    judged_by: Learnt | None = None,
) -> Iterator[Scrubbed]:
    """Yield the episodes past the gate, in order; `judged_by` is whose evidence decides about unknown keys and public words.

    Held-out episodes are judged by their home's evidence: under verdicts of their own the same value would be another.
    """
    finder = finder_for(policy)
    gates: dict[str, _Gate] = {}
    for episode in episodes:
        if not policy.enabled:
            yield _unchanged(episode, vault)
            continue
        if episode.app not in gates:
            gates[episode.app] = _Gate(episode.app, learnt, vault, policy, judged_by)
        yield _scrub_episode(episode, gates[episode.app], finder)


def scrub_outcomes(
    outcomes: Iterable[Outcome], *, learnt: Learnt, vault: Vault, policy: Policy
) -> Iterator[CleanOutcome]:
    """Yield the outcomes that belong to an episode, past the gate; those without one have nothing to say yet."""
    gates: dict[str, _Gate] = {}
    for outcome in outcomes:
        if outcome.episode_id is None:
            continue
        if outcome.app not in gates:
            gates[outcome.app] = _Gate(outcome.app, learnt, vault, policy)
        yield _scrub_outcome(outcome, gates[outcome.app], learnt, policy)


class _Gate:
    """One app's matchers and memory, for the length of one call."""

    def __init__(
        self,
        app: str,
        learnt: Learnt,
        vault: Vault,
        policy: Policy,
        judged_by: Learnt | None = None,
    ) -> None:
        known = learnt.app(app)
        seen = known if judged_by is None else judged_by.app(app)
        self.app = app
        self.vault = vault
        self.local = known.local
        self.vocabulary: Vocabulary = vocabulary_of(seen, k=policy.k, words=policy.public_values)
        self.judgement = judge(seen, k=policy.k)
        self.withholds = policy.unknown == "withhold"
        self.hides_task_keys = policy.task_keys == "opaque"
        self.shift = policy.shift_of(app)
        values = dict(known.values)
        for value, kind in self.judgement.values.items():
            keep_kind(values, value, kind)
        self._everywhere = Matcher(values, local=False)
        self._memory: dict[str, _Known] = {}
        self._runs: dict[str, frozenset[str] | None] = {}
        self._doubts: dict[Findings, tuple[tuple[Unexplained, Verdict], ...]] = {}

    def known(self, text: str) -> _Known:
        """Return what the whole app knows of a text, once per distinct text."""
        found = self._memory.get(text)
        if found is None:
            if len(self._memory) >= _REMEMBERED:
                self._memory.clear()
            folded = fold(text)
            matches = self._everywhere.matches(folded, text)
            found = self._memory[text] = _Known(folded, matches, has_hidden_text(text))
        return found

    def runs(self, text: str, folded: Folded) -> frozenset[str] | None:
        """Return the runs of a long text that comes again: prompts and catalogues stand in every episode."""
        if len(text) < _LONG:
            return None
        if text not in self._runs:
            if len(self._runs) >= _REMEMBERED:
                self._runs.clear()
            self._runs[text] = None  # the first time a search is cheaper
            return None
        runs = self._runs[text]
        if runs is None:
            runs = self._runs[text] = runs_of(folded, text)
        return runs

    def doubts(self, findings: Findings) -> tuple[tuple[Unexplained, Verdict], ...]:
        """Return the leaves of a text that no rule explains and that the app's verdicts do not keep."""
        doubts = self._doubts.get(findings)
        if doubts is None:
            if len(self._doubts) >= _REMEMBERED:
                self._doubts.clear()
            doubts = self._doubts[findings] = tuple(self._doubted(findings))
        return doubts

    def _doubted(self, findings: Findings) -> Iterator[tuple[Unexplained, Verdict]]:
        for place, leaf in findings.sightings:
            verdict = self.judgement.of(place, leaf.value)
            if verdict.action == KEEP or "://" in leaf.value:
                continue
            if verdict.action == WITHHOLD and self.vocabulary.holds(leaf.value):
                continue
            if not self.judgement.spares(verdict, leaf.value):
                yield leaf, verdict


class _Known(NamedTuple):
    """What the whole app knows of one text."""

    folded: Folded
    matches: list[Match]
    hides_text: bool
    """It holds base64 that can be read."""


class _Desk:
    """Scrubs the texts of one episode and keeps the account."""

    def __init__(
        self, gate: _Gate, values: dict[str, str], personal_keys: frozenset[str], *, near: int
    ) -> None:
        self._gate = gate
        self._near = near
        self._matcher = Matcher(_with_spellings(values), local=True)
        self._standing = Standing(gate.vocabulary, personal_keys)
        self.notes: list[Note] = []

    def text(self, text: str, path: str) -> str:
        """Return the text without what is known to be personal."""
        if not text:
            return text
        known = self._gate.known(text)
        matches = known.matches
        if self._matcher.can_match(self._gate.runs(text, known.folded)):
            matches = [*matches, *self._matcher.matches(known.folded, text)]
        personal = self._standing.personal(text, resolve(matches)) if matches else matches
        clean = self._replaced(text, personal, path)
        return self._decoded(clean, path) if known.hides_text else clean

    def _decoded(self, text: str, path: str) -> str:
        """Return the text with what is personal inside its base64 runs replaced, encoded as it was."""
        out: list[str] = []
        done = 0
        for run in hidden_texts(text):
            clean = self.text(run.text, path)
            if clean != run.text:
                out += (text[done : run.start], run.encode(clean))
                done = run.end
        return "".join([*out, text[done:]])

    def public_text(self, text: str, path: str) -> str:
        """Return a text that all episodes share, without what is personal in the whole app."""
        known = resolve(self._gate.known(text).matches)
        return self._replaced(text, self._standing.personal(text, known), path)

    def optional(self, text: str | None, path: str) -> str | None:
        """Return an optional text scrubbed."""
        return None if text is None else self.text(text, path)

    def moment(self, at: int | None) -> int | None:
        """Return an optional moment moved by the app's shift."""
        return None if at is None else self._gate.shift.moment(at)

    def _replaced(self, text: str, matches: list[Match], path: str) -> str:
        if not matches:
            return self._dated(text)
        out: list[str] = []
        done = 0
        for match in matches:
            before = self._dated(text[done : match.start])
            out += (before, self._surrogate(text[match.start : match.end], match))
            done = match.end
            self.notes.append(Note(kind=match.kind, path=path, length=match.end - match.start))
        out.append(self._dated(text[done:]))
        return "".join(out)

    def _dated(self, kept: str) -> str:
        """Return what is kept of a text with its dates moved; surrogates are not dates, whatever they look like."""
        return self._gate.shift.text(kept, self._near)

    def _surrogate(self, mention: str, match: Match) -> str:
        draw = self._gate.vault.surrogate
        if mention.isascii() and "\\" not in mention and "%" not in mention:
            return draw(self._gate.app, match.kind, mention)
        plain = readable(_unescaped(mention))
        if fold_value(plain) != " ".join(match.value.split()):
            plain = recase(plain, match.value)
        moved = draw(self._gate.app, match.kind, plain)
        if match.kind == "withheld":
            return moved
        if "\\" in mention:
            return json.dumps(moved)[1:-1]
        return quote(moved, safe="") if "%" in mention else moved


def _unescaped(mention: str) -> str:
    """Return what a JSON- or URL-escaped mention says, however often it was escaped."""
    plain = mention
    for _ in range(3):
        if "\\" not in plain:
            break
        try:
            plain = str(json.loads(f'"{plain}"'))
        except ValueError:
            break
    return unquote(plain) if "%" in plain else plain


def _with_spellings(values: dict[str, str]) -> dict[str, str]:
    out = dict(values)
    for value, kind in values.items():
        day = read_date(value) if kind == "birth_date" else None
        if day is not None:
            out.update((spelling, kind) for spelling in spellings(day))
    return out


def _scrub_episode(episode: Episode, gate: _Gate, finder: Finder) -> Scrubbed:
    reads = read_texts(episode, finder)
    found = found_in(episode, reads)
    judged, held = _judged(reads, gate)
    values = {**gate.local.get(episode.episode_id, {}), **local_values([*found, *judged])}
    said = (step.content for step in episode.steps if step.role != "tool" and step.content)
    for word, kind in misspelt_in(said, values, gate.vocabulary.holds):
        values.setdefault(fold_value(word), kind)
    held += _flagged(reads, values)
    for item in held:
        values = {**item.spellings, **values}
    personal_keys = frozenset(item.key for item in (*found, *judged) if item.key)
    desk = _Desk(gate, values, personal_keys, near=episode.started_at)
    steps = tuple(
        _scrub_step(step, desk, f"steps[{place}]") for place, step in enumerate(episode.steps)
    )
    clean = CleanEpisode(
        app=episode.app,
        episode_id=gate.vault.episode_id(episode.app, episode.episode_id),
        started_at=gate.shift.moment(episode.started_at),
        ended_at=desk.moment(episode.ended_at),
        agent=desk.optional(episode.agent, "agent"),
        model=desk.optional(episode.model, "model"),
        task_key=_task_key(episode, gate, desk),
        subject=_subject(episode, gate.vault),
        do_not_train=episode.do_not_train,
        tools=tuple(desk.public_text(tool, "tools") for tool in episode.tools),
        steps=steps,
        completeness=episode.completeness,
        withheld=tuple(dict.fromkeys(item.held.path for item in held)),
    )
    return Scrubbed(
        clean=clean, notes=tuple(desk.notes), held=tuple(dict.fromkeys(item.held for item in held))
    )


@dataclass(frozen=True, slots=True)
class _HeldLeaf:
    held: Held
    spellings: dict[str, str]
    """The leaf's text as it stands in JSON and in prose, to be replaced by the marker."""


def _judged(reads: Iterable[Read], gate: _Gate) -> tuple[list[Found], list[_HeldLeaf]]:
    """Return what the app's verdicts make of an episode's leaves under unknown keys."""
    found: list[Found] = []
    held: list[_HeldLeaf] = []
    for read in reads:
        for leaf, verdict in gate.doubts(read.findings):
            if verdict.action != WITHHOLD:
                found.append(Found(verdict.action, leaf.value, leaf.path.rpartition(".")[2]))
            elif gate.withholds:
                note = Held(path=read.path, key=leaf.path, reason=verdict.reason)
                held.append(_HeldLeaf(note, _held_spellings(leaf.value)))
    return found, held


def _flagged(reads: Iterable[Read], values: Mapping[str, str]) -> Iterator[_HeldLeaf]:
    """Yield the texts that name somebody whom the episode's tools did not, where the policy flags them."""
    for read in reads:
        names = [one.value for one in read.findings.flagged if fold_value(one.value) not in values]
        if not names:
            continue
        listed = [leaf for _, leaf in read.findings.sightings]
        inside = [(leaf.path, leaf.value) for leaf in listed if any(n in leaf.value for n in names)]
        for key, value in inside or [("message", read.text)]:
            note = Held(path=read.path, key=key, reason=NAMES_IN_PROSE)
            yield _HeldLeaf(note, _held_spellings(value))


def _held_spellings(value: str) -> dict[str, str]:
    quoted = json.dumps(value, ensure_ascii=False)[1:-1]
    twice = json.dumps(quoted, ensure_ascii=False)[1:-1]
    return {fold(text).text: "withheld" for text in (value, quoted, twice)}


def _scrub_step(step: Step, desk: _Desk, path: str) -> CleanStep:
    return CleanStep(
        role=step.role,
        content=desk.optional(step.content, f"{path}.content"),
        tool_calls=tuple(
            _scrub_call(call, desk, f"{path}.tool_calls[{place}]")
            for place, call in enumerate(step.tool_calls)
        ),
        call_id=desk.optional(step.call_id, f"{path}.call_id"),
        tool_name=desk.optional(step.tool_name, f"{path}.tool_name"),
        at=desk.moment(step.at),
        is_error=step.is_error,
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        agent=desk.optional(step.agent, f"{path}.agent"),
        parent=desk.optional(step.parent, f"{path}.parent"),
    )


def _scrub_call(call: ToolCall, desk: _Desk, path: str) -> CleanToolCall:
    return CleanToolCall(
        call_id=desk.text(call.call_id, f"{path}.call_id"),
        name=desk.text(call.name, f"{path}.name"),
        arguments=desk.text(call.arguments, f"{path}.arguments"),
    )


def _task_key(episode: Episode, gate: _Gate, desk: _Desk) -> str | None:
    if episode.task_key is None or not gate.hides_task_keys:
        return desk.optional(episode.task_key, "task_key")
    return gate.vault.keyed(episode.app).digest("task_key", episode.task_key, size=16).hex()


def _subject(episode: Episode, vault: Vault) -> str | None:
    if episode.subject is None:
        return None
    if not can_be("person_id", episode.subject):
        return vault.keyed(episode.app).digest("subject", episode.subject, size=8).hex()
    return vault.surrogate(episode.app, refined("person_id", episode.subject), episode.subject)


def _scrub_outcome(outcome: Outcome, gate: _Gate, learnt: Learnt, policy: Policy) -> CleanOutcome:
    episode_id = outcome.episode_id or ""
    values = learnt.app(outcome.app).local.get(episode_id, {})
    desk = _Desk(gate, values if policy.enabled else {}, frozenset(), near=outcome.at or 0)
    return CleanOutcome(
        app=outcome.app,
        outcome_id=gate.vault.outcome_id(outcome.app, outcome.outcome_id),
        episode_id=gate.vault.episode_id(outcome.app, episode_id),
        name=desk.text(outcome.name, "name"),
        value=outcome.value,
        label=desk.optional(outcome.label, "label"),
        text=desk.optional(outcome.text, "text"),
        correction=desk.optional(outcome.correction, "correction"),
        by=outcome.by,
        at=desk.moment(outcome.at),
        source=outcome.source,
    )


def _unchanged(episode: Episode, vault: Vault) -> Scrubbed:
    """Return the episode as it is, marked: the data was declared free of personal data."""
    steps = tuple(
        CleanStep(
            role=step.role,
            content=step.content,
            tool_calls=tuple(
                CleanToolCall(call_id=call.call_id, name=call.name, arguments=call.arguments)
                for call in step.tool_calls
            ),
            call_id=step.call_id,
            tool_name=step.tool_name,
            at=step.at,
            is_error=step.is_error,
            input_tokens=step.input_tokens,
            output_tokens=step.output_tokens,
            agent=step.agent,
            parent=step.parent,
        )
        for step in episode.steps
    )
    clean = CleanEpisode(
        app=episode.app,
        episode_id=vault.episode_id(episode.app, episode.episode_id),
        started_at=episode.started_at,
        ended_at=episode.ended_at,
        agent=episode.agent,
        model=episode.model,
        task_key=episode.task_key,
        subject=episode.subject,
        do_not_train=episode.do_not_train,
        tools=episode.tools,
        steps=steps,
        completeness=episode.completeness,
        redaction="off",
    )
    return Scrubbed(clean=clean)
