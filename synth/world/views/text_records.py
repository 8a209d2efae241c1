"""Results that no JSON reader takes, found: tools whose records are labelled lines, YAML's blocks, XML, or written as Python does.

Comes from observations as recorded; leaves JSON in place, and gives the tools of each style. A tool is one of a style where every text that is read in it is
written again byte for byte, and most of its results of several lines are. Not here: reading and writing (`environments.runtime.views.text_records`, `record_literals`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from environments.runtime.document.views import TextsPart
from environments.runtime.task.attempt import Json
from environments.runtime.text_forms.block import UnreadError
from environments.runtime.text_forms.style import LINES, XML, YAML, Style, number_of
from environments.runtime.text_forms.xml import ATTRIBUTE, ROOT, Element, elements
from environments.runtime.text_forms.yaml import TIME
from environments.runtime.values.literals import LITERALS, parse_json
from environments.runtime.views.record_literals import (
    close_records,
    decimal_fields,
    from_literal,
    open_records,
    to_literal,
)
from environments.runtime.views.text_records import from_text, read
from synth.tool_errors import looks_failed
from synth.world.grouping import sets_by_key
from synth.world.observation import History, Observation, by_tool
from synth.world.support import HALF_OF_CASES, MOSTLY, SEEN_TWICE

MIN_TEXTS: Final = SEEN_TWICE
"""Different texts of a tool that are read."""
MOST: Final = MOSTLY
"""Share of a tool's results of several lines that are."""
_INDENTED: Final = ((2, 0), (2, 2), (4, 0), (4, 2), (4, 4))
_EMPTY: Final = frozenset({"[]\n", "{}\n"})
"""As YAML writes them; other tools write JSON without an end of line."""
_TIMED: Final = re.compile(
    rf"^ *(?:- )*(?:([^\s:][^:\n]*): )?('?)({TIME.pattern})'?$", re.MULTILINE
)
"""A line that is a time, with its label and the quotes that it may stand in."""
_DECIMAL: Final = re.compile(r"[-+]?\d[\d,]*\.?\d*")

Contents = Mapping[str, Sequence[str]]


def learn_literal(histories: Sequence[History]) -> tuple[str, ...]:
    """The tools that write as Python does; their results are JSON, in place. Who writes some records as JSON is none of them."""
    return tuple(sorted(tool for tool, seen in by_tool(histories).items() if _read_literals(seen)))


def _read_literals(seen: Sequence[Observation]) -> bool:
    parsed = {content: from_literal(content) for content in {one.content for one in seen}}
    if all(value == content for content, value in parsed.items()):
        return False
    if any(to_literal(value) != content for content, value in parsed.items()):
        return False
    for one in seen:
        one.put_content(parsed[one.content])
    return True


def learn_embedded(histories: Sequence[History]) -> dict[str, frozenset[str]]:
    """The tools whose sentences hold records, each with the fields whose numbers have a decimal point there; results are opened, in place."""
    seen = by_tool(histories).items()
    found = ((tool, _open_embedded(observations)) for tool, observations in sorted(seen))
    return {tool: decimals for tool, decimals in found if decimals is not None}


def _open_embedded(seen: Sequence[Observation]) -> frozenset[str] | None:
    opened = {content: open_records(content) for content in {one.content for one in seen}}
    changed = [content for content, inner in opened.items() if inner != content]
    if not changed:
        return None
    points = sets_by_key(pair for content in changed for pair in decimal_fields(opened[content]))
    decimals = frozenset(name for name, pointed in points.items() if pointed == {True})
    if any(close_records(inner, decimals) != content for content, inner in opened.items()):
        return None
    for one in seen:
        one.put_content(opened[one.content])
    return decimals


def learn_texts(
    histories: Sequence[History], known: Sequence[TextsPart] = ()
) -> tuple[TextsPart, ...]:
    """The styles with their tools, but for tools of a style already; results are JSON, in place."""
    done = {tool for part in known for tool in part.tools}
    seen = by_tool(histories)
    left = {tool: _texts(found) for tool, found in sorted(seen.items()) if tool not in done}
    out: list[TextsPart] = []
    for styles in (_xml, _yaml, _lines):
        left = {tool: texts for tool, texts in left.items() if texts}
        for style, tools in styles(left):
            out.append(TextsPart(tools=frozenset(tools), style=style))
            for tool in tools:
                left.pop(tool)
                _settle(seen[tool], style)
    return tuple(out)


def _texts(seen: Sequence[Observation]) -> list[str]:
    """What a tool says in words of its own; nothing where it sends records as JSON too."""
    contents = sorted({one.content for one in seen})
    parsed = {text: parse_json(text) for text in contents if text not in _EMPTY}
    if any(p is not None and isinstance(p.value, dict | list) for p in parsed.values()):
        return []
    return [text for text in contents if text in _EMPTY or parsed[text] is None]


def _settle(seen: Sequence[Observation], style: Style) -> None:
    for one in seen:
        content = from_text(one.content, style)
        if content != one.content:
            one.put_content(content)


def _fits(texts: Sequence[str], style: Style) -> bool:
    """Whether a tool writes so."""
    # A tool may send tables and refuse in XML.
    several = [text for text in texts if (text[:1] == "<" if style.form == XML else "\n" in text)]
    values = [value for text in several if (value := read(text, style)) is not None]
    return len(values) >= max(MIN_TEXTS, MOST * len(several))


def _count_read(texts: Sequence[str], style: Style) -> int:
    return sum(read(text, style) is not None for text in texts)


def _best(left: Contents, styles: Iterable[Style]) -> Iterator[tuple[Style, list[str]]]:
    """The style that most tools write in, and these tools."""
    best: tuple[Style, list[str]] | None = None
    for style in styles:
        tools = [tool for tool, texts in left.items() if _fits(texts, style)]
        if tools and (best is None or len(tools) > len(best[1])):
            best = (style, tools)
    if best is not None:
        yield best


# -- blocks ----------------------------------------------------------------------------------------


def _yaml(left: Contents) -> Iterator[tuple[Style, list[str]]]:
    """YAML's blocks; a text in quotes shows that what needs them gets them."""
    timed = frozenset(_timed(text for texts in left.values() for text in texts))
    for style, tools in _best(
        left,
        (
            Style(form=YAML, end=end, step=step, items=items, quoted=True, wide=wide, timed=timed)
            for (step, items), end, wide in product(_INDENTED, ("\n", ""), (False, True))
        ),
    ):
        spelt: dict[str, set[str]] = defaultdict(set)
        for tool in tools:
            for text in left[tool]:
                _spellings(read(text, style), "", spelt, set())
        style = _pointed(style, spelt)  # noqa: PLW2901 - the same, known better
        bare = replace(style, quoted=False)
        if any(_needs(text, style, bare) for tool in tools for text in left[tool]):
            yield style, tools


def _timed(texts: Iterable[str]) -> set[str]:
    """Labels whose times always stand without quotes."""
    found = {m.group(1, 2) for text in texts if "\n" in text for m in _TIMED.finditer(text)}
    return {label or "-" for label, quote in found if not quote and (label, "'") not in found}


def _needs(text: str, style: Style, bare: Style) -> bool:
    return read(text, style) is not None and read(text, bare) is None


def _lines(left: Contents) -> Iterator[tuple[Style, list[str]]]:
    """Labelled lines."""
    plain = (
        Style(form=LINES, end=end, step=step, items=items, after=after, bullet=bullet)
        for (step, items), end, after, bullet in product(
            _INDENTED, ("", "\n"), ("", " "), ("", "- ", "* ", "• ")
        )
    )
    for style, tools in _best(left, plain):
        failed = {t for told in left.values() for t in told if "\n" not in t and looks_failed(t)}
        said = {label for text in failed for label in _top(text, style)}
        guess = replace(style, sentences=frozenset(said))
        both = tools + sorted(_labelled_tools(left, guess, tools))
        known = _spelling(guess, (text for tool in both for text in left[tool]))
        kept = [tool for tool in both if tool not in tools or _fits(left[tool], known)]
        if kept:
            yield known, kept


def _spelling(style: Style, texts: Iterable[str]) -> Style:
    """The style with its words, its numbers and its lists without items."""
    spelt: dict[str, set[str]] = defaultdict(set)
    listed: set[str] = set()
    for text in texts:
        _spellings(read(text, style), "", spelt, listed)
    empty = {
        label: next(iter(texts))
        for label in sorted(listed)
        if len(texts := {t for t in spelt.get(label, ()) if number_of(t) is None}) == 1
    }
    if any("[]" in texts for texts in spelt.values()):
        empty = {"*": "[]"} | {k: v for k, v in empty.items() if v != "[]"}
    return replace(_with_known_words(style, spelt), empty=empty)


def _labelled_tools(left: Contents, style: Style, tools: Sequence[str]) -> Iterator[str]:
    """Tools that say single labelled lines, one of them under a label of the others."""
    labels = {label for tool in tools for text in left[tool] for label in _top(text, style)}
    for tool in left.keys() - set(tools):
        told = [top for text in left[tool] if (top := _top(text, style))]
        if len(told) >= MOST * len(left[tool]) and (
            len(tools) > 1 or any(labels & top for top in told)
        ):
            yield tool


def _top(text: str, style: Style) -> set[str]:
    value = read(text, style)
    return set(value) if isinstance(value, dict) else set()


def _spellings(value: Json, label: str, spelt: dict[str, set[str]], listed: set[str]) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _spellings(inner, name, spelt, listed)
    elif isinstance(value, list):
        listed.add(label)
        for inner in value:
            _spellings(inner, "-", spelt, listed)
    else:
        spelt[label].add(str(value))


def _with_known_words(style: Style, spelt: Mapping[str, set[str]]) -> Style:
    """The style with what its single values show: words, and labels whose numbers are written as no number is."""
    everything = {text for texts in spelt.values() for text in texts}
    words = {word: value for word, value in LITERALS.items() if word in everything}
    single = {
        word: value
        for word, value in words.items()
        if sum(other is value for other in words.values()) == 1
    }
    texts = frozenset(
        label
        for label, found in spelt.items()
        if any(_DECIMAL.fullmatch(t) and number_of(t) is None for t in found)
        or _are_texts(found - words.keys())
    )
    return _pointed(replace(style, words=single, texts=texts), spelt)


def _are_texts(found: Collection[str]) -> bool:
    """Whether most are no numbers: an id of random signs may have digits alone."""
    numbers = sum(number_of(text) is not None for text in found)
    return 0 < numbers < HALF_OF_CASES * len(found)


def _pointed(style: Style, spelt: Mapping[str, set[str]]) -> Style:
    """The style with labels whose numbers all have a point, or none."""
    kinds = {
        label: {type(n) for text in found if (n := number_of(text)) is not None}
        for label, found in spelt.items()
    }
    return replace(
        style,
        floats=frozenset(label for label, kind in kinds.items() if kind == {float}),
        wholes=frozenset(label for label, kind in kinds.items() if kind == {int}),
    )


# -- elements --------------------------------------------------------------------------------------


def _xml(left: Contents) -> Iterator[tuple[Style, list[str]]]:
    """XML: one style for each tool, with lists that any of them shows."""
    parsed = {tool: list(_parsed(texts)) for tool, texts in left.items()}
    inner: dict[str, set[str]] = defaultdict(set)
    spelt: dict[str, set[str]] = defaultdict(set)
    for tops in parsed.values():
        for top in tops:
            for element in top.inside:
                _collect_spellings(element, inner, spelt)
            _collect_attributes(top, spelt)
    lists = {name: next(iter(items)) for name, items in inner.items() if len(items) == 1}
    shapes = list(product((0, 2, 4), ("", "\n"), (False, True)))
    for tool, tops in parsed.items():
        whole: dict[str, set[str]] = defaultdict(set)
        mine: dict[str, set[str]] = defaultdict(set)
        for top in tops:
            _collect_spellings(top, whole, mine, ROOT)
        own = {name: spelt[name] | mine[name] for name in {*spelt, *mine}}
        root = {ROOT: items.pop()} if len(items := whole[ROOT]) == 1 else {}
        # What is a list elsewhere may be a number here.
        own_lists = {name: item for name, item in lists.items() if not any(mine[name])}
        known = _with_known_words(Style(form=XML, lists=own_lists | root), own)
        if "" in set().union(*own.values()):
            known = replace(known, words={**known.words, "": None})
        styles = [replace(known, step=step, end=end, short=short) for step, end, short in shapes]
        best = max(styles, key=lambda style: _count_read(left[tool], style)) if tops else known
        if tops and _fits(left[tool], best):
            yield best, [tool]


def _parsed(texts: Sequence[str]) -> Iterator[Element]:
    for text in texts:
        try:
            yield elements(text)
        except UnreadError:
            continue


def _collect_spellings(
    element: Element, lists: dict[str, set[str]], spelt: dict[str, set[str]], name: str = ""
) -> None:
    """Elements that hold several of one name, and the spellings of those that hold none."""
    name = name or element.name
    names = [inner.name for inner in element.inside]
    if len(names) > 1 and len(set(names)) == 1:
        lists[name].add(names[0])
    elif len(set(names)) > 1 and name in lists:
        lists[name].add("")
    for inner in element.inside:
        _collect_spellings(inner, lists, spelt)
    _collect_attributes(element, spelt)
    if not names and (element.text or not element.attributes):
        spelt[name].add(element.text)


def _collect_attributes(element: Element, spelt: dict[str, set[str]]) -> None:
    for key, text in element.attributes:
        spelt[ATTRIBUTE + key].add(text)
