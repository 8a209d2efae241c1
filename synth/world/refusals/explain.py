"""The general boundary of each class of refusals: literals that every refusal breaks and every success met.

Comes from the pool of literals of one tool; gives a version space for each class that something explains. Among several explanations
the one closest to the message's words wins, others nearly as good keep a say. Not here: what all refusals met besides (`specific`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from environments.runtime.document.tools import ProposalPart
from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.language import prefix
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.mentions import is_name
from environments.runtime.values.normal import HOLE, stable
from synth.world.actions.examples import Example, evaluate, has_value, is_broken, value_in
from synth.world.proposals import Proposer, proposal_of
from synth.world.refusals.cases import Cases, Literal, Source
from synth.world.refusals.messages import Refusal, culprits_of, hole_terms, message_of
from synth.world.refusals.version_space import RefusalSpace
from synth.world.search.fit import Fitter
from synth.world.search.terms import ENOUGH, MOST_CATEGORIES, Term, is_text
from synth.world.support import SEEN_MANY_TIMES, SEEN_TWICE

MIN_TO_REFUSE: Final = SEEN_TWICE
"""Different refused calls before a refusal is claimed; one is enough to withhold success."""
MIN_COMPARED: Final = SEEN_MANY_TIMES
"""Different calls, refused and not, before a comparison that the message says nothing of refuses."""
RIVALS: Final = 6
"""How much worse another explanation of a refusal may be and still have a say."""
MAX_RIVALS: Final = 4


@dataclass(slots=True, kw_only=True)
class Explanations:
    """What explains the refusals of one tool."""

    spaces: list[RefusalSpace] = field(default_factory=list)
    missed: list[int] = field(default_factory=list)
    """Refusals that nothing explains."""


def explain(source: Source, pool: Sequence[Literal], propose: Proposer | None) -> Explanations:
    """A version space for each class of refusals that a literal tells apart; the rest is counted."""
    cases, found = source.cases, Explanations()
    often = [literal for literal in pool if _often_seen(literal)]
    for name in sorted(cases.bad, key=lambda name: -len(cases.bad[name])):
        space = _space_of(source, name, often, propose)
        if space is None or all(lists_names(c.tree) for c in space.general):
            found.missed.extend(cases.index[name])  # whom it happened to is no reason
        one = space is not None and space.support < MIN_TO_REFUSE
        if space is None or (one and all(map(_says_little, space.general))):
            # Of one refused call much is true by chance: the kind that it names is withheld as well.
            found.spaces.extend(_kinds_refused(cases, source.fitter, name))
        if space is not None:
            found.spaces.append(space)
    return found


def _space_of(
    source: Source, name: str, pool: Sequence[Literal], propose: Proposer | None
) -> RefusalSpace | None:
    """The space of one class, without its specific boundary; None where nothing explains it."""
    cases, fitter = source.cases, source.fitter
    group, rows = cases.bad[name], cases.index[name]
    refusal = Refusal(
        name=name,
        group=group,
        scopes=cases.scopes_of(name),
        tables=fitter.tables,
        roots=fitter.roots,
    )
    holes = hole_terms(refusal, _allowed(cases))
    broken = [c for c in (*_from_holes(cases, holes), *pool) if _breaks(c, group, rows)]
    best = _ranked(broken or list(_two_way_conditions(source, rows)), group[0].seen.content)
    asked = None if best or propose is None else _proposed(cases, name, propose)
    if asked is not None:
        best = [asked.condition]
    if not best:
        return None
    told = _claimable(best, cases, refusal) and not all(remembers(c, cases) for c in best)
    return RefusalSpace(
        name=name,
        general=best,
        message=message_of(refusal, culprits_of(best), holes) if told else None,
        says=group[0].seen.content[:200] if HOLE not in name else name.replace(HOLE, "…"),
        support=len(cases.calls_of(name)),
        against=best[0].held,
        proposal=ProposalPart() if asked is None else asked.proposal,
    )


def _says_little(literal: Literal) -> bool:
    return _compares(literal.tree) or lists_names(literal.tree)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedCondition:
    """A condition that a model proposed and that passed the test."""

    condition: Literal
    proposal: ProposalPart


def _proposed(cases: Cases, name: str, propose: Proposer) -> ProposedCondition | None:
    """A condition for one class of refusal that nothing else explains."""
    rows = [*range(len(cases.good)), *cases.index[name]]
    everyone = [*cases.good, *cases.bad[name]]
    what = "Under which condition does a call of this tool succeed, of the kinds below?"
    target = [at < len(cases.good) for at in range(len(rows))]
    found = propose(what, everyone, [cases.scopes[i] for i in rows], target, condition=True)
    if found is None:
        return None
    values = evaluate(found.tree, cases.scopes)
    if not any(v is True for v in values[: len(cases.good)]):
        return None
    condition = Literal(tree=found.tree, held=found.calls, values=values)
    return ProposedCondition(condition=condition, proposal=proposal_of(found))


def _kinds_refused(cases: Cases, fitter: Fitter, name: str) -> Iterator[RefusalSpace]:
    """Where nothing explains a refusal, success is withheld from the kind of call that its message names."""
    rows = cases.index[name]
    said = _words_of(cases.bad[name][0].seen.content)
    for term, values, _ in _categories(fitter, _word_terms(fitter)):
        kinds = {stable(values[i]): values[i] for i in rows}
        # Whom it happened to is no kind; what its name begins with may be.
        named = term[0] != "prefix" and any(map(is_name, kinds.values()))
        subject: Tree = ["prefix", term] if named else term
        if named:
            kinds = _beginnings(kinds.values())
        if not all(
            isinstance(v, str) and len(v) > 2 and _words_of(v) & said for v in kinds.values()
        ):
            continue
        tree: Tree = ["not", ["among", subject, list(kinds.values())]]
        yield RefusalSpace(
            name=name,
            general=[Literal(tree=tree, held=0, values=evaluate(tree, cases.scopes))],
            says=name.replace(HOLE, "…"),
            support=len(cases.calls_of(name)),
            against=0,
        )
        return


def _often_seen(condition: Literal) -> bool:
    """Whether enough examples know a condition for it to explain a refusal: less of it only withholds success."""
    known = sum(v is not UNKNOWN for v in condition.values)
    return known >= min(len(condition.values), ENOUGH)


def _beginnings(names: Iterable[str]) -> dict[str, str]:
    return {stable(begins): begins for begins in map(prefix, names)}


def _compares(tree: Tree) -> bool:
    """Whether a condition holds one number under another, for all calls or for some."""
    return tree[0] == "le" or (tree[0] in {"or", "and"} and any(map(_compares, tree[1:])))


def _allowed(cases: Cases) -> list[Scope]:
    """The scopes of different calls that succeeded."""
    first: dict[str, int] = {}
    for at, example in enumerate(cases.good):
        first.setdefault(example.seen.key, at)
    return [cases.scopes[at] for at in first.values()]


def _breaks(condition: Literal, group: Sequence[Example], rows: range) -> bool:
    """Whether a condition is broken in every refusal of a class whose state is known, and that is enough of them.

    Different calls are counted: a caller who insists adds nothing, and a state that nobody knows says nothing against.
    """
    if any(condition.values[i] is True for i in rows):
        return False
    calls = {at: e.seen.key for at, e in zip(rows, group, strict=True)}
    known = {calls[i] for i in rows if condition.values[i] is not UNKNOWN}
    enough = min(MIN_TO_REFUSE, (len(set(calls.values())) + 1) // 2)
    return len(known) >= enough


def _claimable(best: Sequence[Literal], cases: Cases, refusal: Refusal) -> bool:
    """Two different refused calls, or one whose message speaks of what many successes met, or of the kind it refused."""
    calls = len(cases.calls_of(refusal.name))
    words = _words_of(refusal.group[0].seen.content)
    own = _words_of(refusal.name)
    spoken = any(own & _kind_of(c, refusal.scopes[0]) for c in best)
    if not spoken and all(lists_names(c.tree) for c in best):
        # Which names were taken says nothing of one that nobody tried.
        return False
    if calls >= MIN_TO_REFUSE:
        # Of hundreds of comparisons some tell few calls apart by chance: then the message has to speak of it.
        plain = best[0].tree[0] not in {"le", "not"} or best[0].rank < 0
        return (
            plain or calls + best[0].held >= MIN_COMPARED or bool(words & _words_of(best[0].tree))
        )
    if all(lists_names(c.tree) and c.tree[1][0] != "prefix" for c in best):
        return (
            False  # of one refused call: that its name says a word of the message makes it no kind
        )
    said = set().union(_words_of(best[0].tree), *(_kind_of(c, refusal.scopes[0]) for c in best))
    return best[0].held >= 2 * MOST_CATEGORIES and bool(words & said)


def lists_names(tree: Tree) -> bool:
    """Whether a condition says no more than which names, or whose beginnings, an argument had in the successes."""
    if tree[0] != "among":
        return False
    subject = tree[1][1] if tree[1][0] == "prefix" else tree[1]
    return subject[0] == "arg" and any(is_name(v) or tree[1][0] == "prefix" for v in tree[2])


def remembers(condition: Literal, cases: Cases) -> bool:
    """Whether a list of allowed values has another one for each record: which records these were is no reason."""
    tree = condition.tree
    if tree[0] != "among" or tree[1][0] != "row":
        return False
    scopes = cases.scopes[: len(cases.good)]
    keys = zip(*(evaluate(key, scopes) for key in tree[1][2]), strict=True)
    rows = zip(keys, condition.values, evaluate(tree[1], scopes), strict=False)
    known = {(stable(list(key)), stable(value)) for key, held, value in rows if held is True}
    return len({key for key, _ in known}) == len({value for _, value in known})


def _kind_of(condition: Literal, scope: Scope) -> set[str]:
    """The words of the category that a refused call fell into, where a condition lists the allowed ones."""
    if condition.tree[0] != "among":
        return set()
    value = value_in(condition.tree[1], scope)
    return _words_of(value) if isinstance(value, str) else set()


def _ranked(broken: Sequence[Literal], message: str) -> list[Literal]:
    """The condition that explains a refusal best, then others that explain it nearly as well."""
    words = {
        w.strip(".,:;!?'\"").lower() for w in message.replace("-", " ").replace("_", " ").split()
    }
    words |= {w[:-1] for w in words if len(w) > 3 and w.endswith("s")}
    scored = sorted(
        ((c.rank - 12 * len(words & _words_of(c.tree)), i, c) for i, c in enumerate(broken)),
        key=lambda s: s[:2],
    )
    if not scored:
        return []
    limit = scored[0][0] + RIVALS
    out: list[Literal] = []
    for score, _, condition in scored:
        if score <= limit and len(out) < MAX_RIVALS:
            out.append(condition)
    return out


def _two_way_conditions(source: Source, rows: range) -> Iterator[Literal]:
    """Two ways to be allowed: one condition for some successes, a category for the rest."""
    cases, fitter = source.cases, source.fitter
    n = len(cases.good)
    if n < 6:
        return
    words = _word_terms(fitter)
    categories = list(_categories(fitter, words))
    for at, left in enumerate(words):
        for right in words[at + 1 :]:
            if left.tree[0] == right.tree[0] and left.tree[0] != "row":
                continue
            equal = [a == b for a, b in zip(left.values, right.values, strict=True)]
            if sum(equal[:n]) * 4 < n or all(equal[:n]) or any(equal[i] for i in rows):
                continue
            for subject, values, rank in categories:
                rest = {stable(values[i]): values[i] for i in range(n) if not equal[i]}
                if len(rest) > 3 or any(stable(values[i]) in rest for i in rows):
                    continue
                tree: Tree = [
                    "or",
                    ["eq", list(left.tree), list(right.tree)],
                    ["among", subject, list(rest.values())],
                ]
                yield Literal(
                    tree=tree,
                    held=len({e.seen.key for e in cases.good}),
                    rank=rank + left.rank + right.rank,
                    values=evaluate(tree, cases.scopes),
                )


def _word_terms(fitter: Fitter) -> list[Term]:
    """Texts that enough examples have."""
    return [t for t in fitter.terms.scalars if is_text(t) and _often_there(t)][:40]


def _often_there(term: Term) -> bool:
    """Whether enough examples have a term for it to explain a refusal."""
    there = sum(map(has_value, term.values))
    return there >= min(len(term.values), ENOUGH)


def _categories(fitter: Fitter, words: Sequence[Term]) -> Iterator[tuple[Tree, list[Any], int]]:
    for term in words:
        if not term.is_known():
            continue
        if len(set(term.values)) <= MOST_CATEGORIES:
            yield list(term.tree), term.values, term.rank
        elif all(any(c.isdigit() for c in v) for v in term.values):
            tree: Tree = ["prefix", list(term.tree)]
            values = evaluate(tree, fitter.scopes)
            if len({stable(v) for v in values}) <= MOST_CATEGORIES:
                yield tree, values, term.rank + 1


def _words_of(tree: Any) -> set[str]:
    """Words of the paths and values in a tree; table names are left out, being ours."""
    if isinstance(tree, str):
        pieces = tree.lower().replace("_", " ").replace("-", " ").replace(".", " ").split()
        return set(pieces) | {p[:-1] for p in pieces if len(p) > 3 and p.endswith("s")}
    if isinstance(tree, list) and tree:
        skip = 2 if tree[0] == "row" else 1 if isinstance(tree[0], str) else 0
        return set().union(*(_words_of(part) for part in tree[skip:]))
    return set()


def _from_holes(cases: Cases, holes: Sequence[Tree]) -> Iterator[Literal]:
    n = len(cases.good)
    for at, left in enumerate(holes):
        for right in holes[at + 1 :]:
            for tree in (["eq", left, right], ["le", left, right], ["le", right, left]):
                values = evaluate(tree, cases.scopes)
                held = cases.count_met(values)
                if held and not any(map(is_broken, values[:n])):
                    yield Literal(tree=tree, held=held, rank=-10, values=values)
