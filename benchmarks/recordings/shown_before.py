"""What could be known of a call's answer: from what recordings have shown, whoever answers.

An upper bound, computed from recordings and never from a world: every value of the true answer has to have been shown beside the
names of the record that it belongs to, given in the call, computed from such numbers, or be a word that this tool has
answered there before. Not here: the splits and how worlds answer (`benchmarks.recordings.knowable`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.recordings.shown_values import (
    Path_,
    all_tokens,
    computes,
    has_digit,
    is_number,
    numbers_in,
    numbers_of,
    places_of,
    records_of,
    results_of,
    scalars_of,
    sums_of,
    token_of,
    totals_of,
)
from environments.fidelity import RecordedCall, RecordedEpisode, equal
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import leaves, mask, parse_arguments, parse_json, stable
from synth.verbs import write_log_odds

MIN_REFERENCE: Final = 0.8
"""Share of an argument's recorded values that answers had shown: then it names something that has to have been shown."""
MAX_POOL: Final = 400
"""Numbers among which sums and products are looked for."""


@dataclass(slots=True)
class Corpus:
    """Everything that recordings have shown so far."""

    records: list[frozenset[str]] = field(default_factory=list)
    numbers: list[tuple[float, ...]] = field(default_factory=list)
    holders: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Per value: the records that hold it."""
    asked: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    """Per tool and arguments: what came back."""
    words: dict[tuple[str, Path_], set[str]] = field(default_factory=lambda: defaultdict(set))
    """Per tool and place in its answers: texts that stood there."""
    texts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Per tool: its plain answers with holes."""
    looked_up: set[tuple[str, Path_]] = field(default_factory=set)
    """Tool and place in its answers: numbers there were nearly always shown earlier in the episode, never computed."""
    _undo: list[tuple[str, str]] = field(default_factory=list)
    answers: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, call: RecordedCall, *, lasting: bool = True) -> None:
        """A recorded call with its answer; one that does not last is known until `drop`."""
        args = parse_arguments(call.arguments) or {}
        self.asked[call.name, stable(args)].append(call.content)
        self._undo.append((call.name, stable(args)))
        self.answers[call.name][call.content] += lasting
        given = frozenset(token_of(v) for v in leaves(args))
        parsed = parse_json(call.content)
        if parsed is None or not isinstance(parsed.value, dict | list):
            if lasting:
                self.texts[call.name].add(mask(call.content, args))
            plain = {token_of(v) for v in args.values() if not isinstance(v, dict | list)}
            self._keep({call.content, *call.content.split(), *plain}, numbers_of(args))
            return
        for path, leaf in places_of(parsed.value):
            if lasting and not is_number(leaf):
                self.words[call.name, path].add(token_of(leaf))
        for tokens, numbers in records_of(parsed.value, frozenset()):
            self._keep(given | tokens, (*numbers, *numbers_of(args)))

    def _keep(self, tokens: frozenset[str] | set[str], numbers: Iterable[float]) -> None:
        at = len(self.records)
        self.records.append(frozenset(tokens))
        self.numbers.append(tuple(numbers))
        for token in tokens:
            self.holders[token].add(at)

    def holding(self, tokens: Iterable[str]) -> set[int]:
        """The records that hold all of these values."""
        sets = sorted((self.holders.get(t, set()) for t in tokens), key=len)
        return set.intersection(*sets) if sets else set()

    def keep(self) -> None:
        """Everything so far was recorded: nothing of it is forgotten again."""
        self._undo.clear()

    def drop(self, size: int) -> None:
        """Forget the records beyond a size: an episode's own calls are known to that episode only."""
        for at in range(size, len(self.records)):
            for token in self.records[at]:
                self.holders[token].discard(at)
        del self.records[size:], self.numbers[size:]
        for key in self._undo:
            self.asked[key].pop()
        self._undo.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One held-out call with what came before it."""

    call: RecordedCall
    args: dict[str, Json]
    earlier: Sequence[RecordedCall]
    references: frozenset[str]
    """Values of its arguments that name something."""
    writes: bool
    """By its name: it changes something, or something was changed before that shares a name with it."""


def why_unknowable(corpus: Corpus, question: Question) -> str | None:
    """Why nobody could know the answer; None where somebody could."""
    call, args = question.call, question.args
    if len(corpus.answers[call.name]) == 1 and call.content in corpus.answers[call.name]:
        return None
    again = corpus.asked.get((call.name, stable(args)), [])
    if any(equal(call.content, known) for known in again):
        return None
    seen = [bool(corpus.holders.get(t)) for t in question.references]
    parsed = parse_json(call.content)
    is_text = parsed is None or not isinstance(parsed.value, dict | list)
    # What refuses a call may be one record that was shown, whatever else the call names.
    if not (any(seen) if is_text and seen else all(seen)):
        return "a record that is asked for was never shown"
    if parsed is None or is_text:
        return _text(corpus, question)
    if not isinstance(parsed.value, dict) and not any(True for _ in places_of(parsed.value)):
        return "an empty list for a search that nobody made"
    return _record(corpus, question, parsed.value)


def _blamed(content: str, value: dict[str, Json] | list[Json]) -> Iterator[frozenset[str]]:
    """The records inside a call of which a plain answer names an id: this flight of that day, not of any."""
    words = {word.strip("$.,;:()#'\"") for word in content.split()}
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict) and any(
            isinstance(v, str) and v in words and has_digit(v) for v in inner.values()
        ):
            yield all_tokens(inner)
        elif isinstance(inner, dict | list):
            yield from _blamed(content, inner)


def _text(corpus: Corpus, question: Question) -> str | None:
    """A plain answer: its wording was recorded, and its numbers follow."""
    call, args = question.call, question.args
    given = {token_of(v) for v in leaves(args)}
    if call.content in {str(n) for n in results_of(args)}:
        return None
    if any(not corpus.holding(record) for record in _blamed(call.content, args)):
        return "a record that a refusal names was never shown"
    if not question.writes or len(call.content.split()) == 1:
        shown = corpus.holding({*given, call.content})
        if shown:
            return None
        return "a look-up by words that nothing showed together"
    if mask(call.content, args) not in corpus.texts[call.name]:
        return "an answer in words that the tool never used"
    pool = _pool(corpus, question, ())
    loose = [float(w) for w in numbers_in(call.content) if not {w, f"n{float(w)!r}"} & given]
    return None if all(computes(pool, n) for n in loose) else "a number that nothing shown gives"


def _record(corpus: Corpus, question: Question, value: Json) -> str | None:
    given = frozenset(token_of(v) for v in leaves(question.args))
    entity = question.references & all_tokens(value)
    left: list[tuple[Path_, frozenset[str], Json]] = []
    known: list[tuple[Path_, float]] = []
    for path, names, leaf in scalars_of(value, (), frozenset()):
        token = token_of(leaf)
        beside = names if question.writes else names | given
        shown = bool(corpus.holding({*beside, token}))
        if question.writes:
            shown = shown or token in given or bool(entity and corpus.holding({*entity, token}))
            shown = shown or (
                not is_number(leaf) and token in corpus.words[question.call.name, path]
            )
        if not shown:
            left.append((path, beside, leaf))
        elif is_number(leaf):
            known.append((path, float(leaf)))
    pool: list[float] | None = None
    for path, beside, leaf in left:
        if not beside <= given and not corpus.holding(beside - given):
            return "a record inside the answer was never shown"
        if (
            not question.writes
            or not is_number(leaf)
            or (question.call.name, path) in corpus.looked_up
        ):
            return "a value that nothing showed of this record"
        pool = _pool(corpus, question, known) if pool is None else pool
        own = [n for at in corpus.holding(beside) for n in corpus.numbers[at]]
        if not computes(sorted({*pool, *own[:40]}), float(leaf)):
            return "a number that nothing shown gives"
    return None


def _pool(corpus: Corpus, question: Question, known: Sequence[tuple[Path_, float]]) -> list[float]:
    """Numbers from which one may have been computed: the call's, sums over the answer's known ones, and over the record before."""
    found: set[float] = {
        *numbers_of(question.args),
        *sums_of(question.args),
        *results_of(question.args),
    }
    found.update(totals_of(known))
    for name in question.references:
        for call in reversed(question.earlier):
            parsed = parse_json(call.content)
            if parsed is not None and name in all_tokens(parsed.value):
                found.update(sums_of(parsed.value))
                break
        else:
            for at in sorted(corpus.holding({name}))[-1:]:
                found.update(corpus.numbers[at])
    return sorted(found)[:MAX_POOL]


def references_of(episodes: Sequence[RecordedEpisode]) -> set[tuple[str, str]]:
    """Tool and argument: values there mostly name what other answers have shown."""
    shown: dict[str, set[str]] = defaultdict(set)
    calls = [call for episode in episodes for call in episode.calls]
    for call in calls:
        parsed = parse_json(call.content)
        if parsed is not None and isinstance(parsed.value, dict | list):
            for token in all_tokens(parsed.value):
                shown[token].add(call.name)
    tried: Counter[tuple[str, str]] = Counter()
    named: Counter[tuple[str, str]] = Counter()
    for call in calls:
        for name, value in (parse_arguments(call.arguments) or {}).items():
            for leaf in {v for v in leaves(value) if isinstance(v, str) and v}:
                tried[call.name, name] += 1
                named[call.name, name] += bool(shown[leaf] - {call.name}) and has_digit(leaf)
    return {key for key, n in tried.items() if named[key] >= MIN_REFERENCE * n}


def looked_up_by(episodes: Iterable[RecordedEpisode]) -> set[tuple[str, Path_]]:
    """Tool and place: numbers there were nearly always shown before, beside the names of their record."""
    tried: Counter[tuple[str, Path_]] = Counter()
    shown: Counter[tuple[str, Path_]] = Counter()
    for episode in episodes:
        corpus = Corpus()
        for call in episode.calls:
            parsed = parse_json(call.content)
            if write_log_odds(call.name, "") > 0 and parsed is not None:
                for path, names, leaf in scalars_of(parsed.value, (), frozenset()):
                    if is_number(leaf):
                        tried[call.name, path] += 1
                        shown[call.name, path] += bool(corpus.holding({*names, token_of(leaf)}))
            corpus.add(call)
    return {key for key, n in tried.items() if shown[key] >= MIN_REFERENCE * n}


def unknowables(
    train: Sequence[RecordedEpisode], held: Sequence[RecordedEpisode], *, told: bool
) -> Iterator[str | None]:
    """For each held-out call in order: why nobody could know its answer, None where somebody could.

    `told`: the true answers to the episode's earlier calls count, even those that nobody could know.
    """
    corpus = Corpus()
    for episode in train:
        for call in episode.calls:
            corpus.add(call)
    corpus.keep()
    references = references_of(train)
    corpus.looked_up = looked_up_by(train)
    for episode in held:
        size = len(corpus.records)
        changed: set[str] = set()
        own: list[RecordedCall] = []
        for call in episode.calls:
            args = parse_arguments(call.arguments) or {}
            named = frozenset(
                token_of(leaf)
                for name, value in args.items()
                if (call.name, name) in references
                for leaf in leaves(value)
                if isinstance(leaf, str) and leaf
            )
            writes = write_log_odds(call.name, "") > 0
            mine = Question(
                call=call,
                args=args,
                earlier=own,
                references=named,
                writes=writes or not changed.isdisjoint(named),
            )
            why = why_unknowable(corpus, mine)
            yield why
            if told or why is None:
                own.append(call)
                corpus.add(call, lasting=False)
            if writes:
                parsed = parse_json(call.content)
                changed |= {
                    t
                    for t in (
                        *all_tokens(args),
                        *all_tokens(None if parsed is None else parsed.value),
                    )
                    if has_digit(t)
                }
        corpus.drop(size)
