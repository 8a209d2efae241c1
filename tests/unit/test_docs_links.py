"""Every relative link of the documentation leads to a file and a heading; the indexes name every decision and log page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
LINK: Final = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
HEADING: Final = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
FENCE: Final = re.compile(r"^( *)(`{3,}|~{3,}).*?^ *\2", re.MULTILINE | re.DOTALL)
CODE: Final = re.compile(r"`[^`\n]*`")
PATH: Final = re.compile(r"\bdocs/[\w./-]+\.md\b")
PROSE: Final = ("docs", "examples")
CODE_FOLDERS: Final = (
    "benchmarks",
    "dagster_project",
    "environments",
    "examples",
    "ingest",
    "redact",
    "synth",
    "tests",
)


def _pages() -> list[Path]:
    return sorted(
        [*ROOT.glob("*.md"), *(page for top in PROSE for page in (ROOT / top).rglob("*.md"))]
    )


def _prose(page: Path) -> str:
    return CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))


@cache
def _anchors(page: Path) -> frozenset[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", one) for one in HEADING.findall(text))
    return frozenset(re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in titles)


def _broken(page: Path) -> Iterator[str]:
    for target in LINK.findall(_prose(page)):
        name, _, anchor = target.partition("#")
        aim = (page.parent / name).resolve() if name else page
        if not aim.exists() or (anchor and aim.suffix == ".md" and anchor not in _anchors(aim)):
            yield f"{page.relative_to(ROOT)}: {target}"


def test_every_relative_link_leads_somewhere() -> None:
    """A link to a file or a heading that is gone is a broken promise to the reader."""
    assert [fault for page in _pages() for fault in _broken(page)] == []


def test_every_page_that_code_names_exists() -> None:
    """Docstrings and comments name pages by path."""
    modules = [one for top in CODE_FOLDERS for one in (ROOT / top).rglob("*.py")]
    named = {
        (module.relative_to(ROOT).as_posix(), path)
        for module in modules
        for path in PATH.findall(module.read_text(encoding="utf-8"))
    }
    assert [one for one in sorted(named) if not (ROOT / one[1]).exists()] == []


def test_every_record_and_every_page_of_the_log_is_in_its_index() -> None:
    """A page that no index names is lost."""
    for folder in ("decisions", "log"):
        index = ROOT / "docs" / folder / "README.md"
        linked = set(LINK.findall(_prose(index)))
        there = {one.name for one in index.parent.glob("*.md")} - {"README.md"}
        assert there - linked == set()
