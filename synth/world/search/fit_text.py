"""Texts with holes: fixed pieces and terms in between, the same in every example.

Comes in: the terms and the texts recorded. Comes out: a `text` tree, or None. Not here: other values (`fit`).
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from typing import Any, Final

from environments.runtime.expr.scope import Tree
from environments.runtime.values.normal import is_number
from synth.world.actions.examples import evaluate
from synth.world.search.terms import Terms, agree

MAX_HOLES: Final = 6
MAX_CUTS: Final = 3
"""Parts of a word that may belong to the hole behind it."""
_JOINING: Final = "-_#./:"


def holed_text(terms: Terms, target: Sequence[str]) -> Tree | None:
    """Text with some holes, each a term that stands in every example."""
    holes: list[Tree] = []
    pieces: list[Any] = []
    rests = list(target)
    for _ in range(MAX_HOLES):
        head = _literal(terms, rests)
        if not any(rest[len(head) :] for rest in rests):
            pieces += [head] if head else []
            rests = [""] * len(rests)
            break
        ways = ((cut, _leading(terms, [r[len(cut) :] for r in rests])) for cut in _cuts(head))
        cut, found = next(((cut, found) for cut, found in ways if found is not None), ("", None))
        if found is None:
            return None
        pieces += [cut, found[0]] if cut else [found[0]]
        holes.append(found[0])
        rests = found[1]
    tree: Tree = ["text", *pieces]
    if not holes or any(rests) or not agree(evaluate(tree, terms.scopes), target):
        return None
    return tree


def _literal(terms: Terms, rests: Sequence[str]) -> str:
    """The fixed text before the next hole; with one example, up to the first word that a term gives."""
    head = _common_prefix(rests)
    if len(set(rests)) > 1:
        return head
    starts = [0, *(i + 1 for i, c in enumerate(head) if c in " ('\"")]
    for start in starts:
        if _leading(terms, [r[start:] for r in rests]) is not None and _digit_word(head[start:]):
            return head[:start]
    return head


def _cuts(head: str) -> Iterator[str]:
    """Fixed text that ends where a word begins, the longest first: ids that share `P-` are holes as a whole."""
    yield head
    for _ in range(MAX_CUTS):
        shorter = head.rstrip(_JOINING).rstrip(string.ascii_letters + string.digits)
        if shorter == head or not head:
            return
        head = shorter
        yield head


def _leading(terms: Terms, rests: Sequence[str]) -> tuple[Tree, list[str]] | None:
    best: tuple[int, Tree, list[str]] | None = None
    for term in terms.scalars:
        shown = (
            evaluate(["text", term.tree], terms.scopes) if term.tree[0] == "arg" else term.values
        )
        texts = [v if isinstance(v, str) else str(v) if is_number(v) else None for v in shown]
        if any(not t or not r.startswith(t) for t, r in zip(texts, rests, strict=True)):
            continue  # an unknown value leaves the rest of the text unknown too
        length = sum(len(t) for t in texts if t)
        if best is None or length > best[0]:
            left = [r[len(t) :] for t, r in zip(texts, rests, strict=True) if t]
            best = (length, list(term.tree), left)
    return (best[1], best[2]) if best else None


def _digit_word(text: str) -> bool:
    """Whether a text begins with a word that looks like an id or a number."""
    return any(c.isdigit() for c in text.split(" ", 1)[0])


def _common_prefix(texts: Sequence[str]) -> str:
    low, high = min(texts), max(texts)
    at = 0
    while at < min(len(low), len(high)) and low[at] == high[at]:
        at += 1
    head = low[:at]
    # A hole starts at a word's start: a prefix that two ids happen to share is no fixed text.
    if at < len(high):
        while head and (head[-1].isalnum() or head[-1] in "_#."):
            head = head[:-1]
    return head
