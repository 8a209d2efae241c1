"""What the documentation and docstrings name is there: modules, what they define, and what these take."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.syntax import syntax

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("ingest", "redact", "synth", "environments", "dagster_project")
CODE: Final = re.compile(r"`([^`\n]+)`")
DOTTED: Final = re.compile(rf"(?:(?:{'|'.join(FOLDERS)})|runtime)(?:\.\w+)+")
SIGNATURE: Final = re.compile(r"(?:[\w.]+\.)?(\w+)\(([^()]*)\)")
ELSEWHERE: Final = re.compile(r"Not here: (.*)", re.DOTALL)
BESIDE: Final = re.compile(r"\(((?:`[^`]+`(?:, | and | or )?)+)\)")
FILE_ENDINGS: Final = (".py", ".toml", ".json", ".md", ".html", ".txt")


@cache
def product() -> dict[str, ast.Module]:
    """The product's modules by dotted name."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    names = (".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths)
    return {
        name.removesuffix(".__init__"): syntax(path)
        for name, path in zip(names, paths, strict=True)
    }


@cache
def names_in(module: str) -> frozenset[str]:
    """Whatever a module defines or imports, and the fields and methods of its classes."""
    found: set[str] = set()
    for node in ast.walk(product()[module]):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            found.update(one.asname or one.name for one in node.names)
    return frozenset(found)


def is_there(dotted: str) -> bool:
    """Whether a dotted name leads to a module, or to something that one has."""
    whole = f"environments.{dotted}" if dotted.startswith("runtime.") else dotted
    parts = whole.split(".")
    for size in range(len(parts), 0, -1):
        module = ".".join(parts[:size])
        if module in product():
            return all(name in names_in(module) for name in parts[size:])
    return False


@cache
def taken_by_name() -> dict[str, set[str]]:
    """What functions take and records hold, by the name of the function or the record."""
    taken: dict[str, set[str]] = {}
    bases: list[tuple[str, list[str]]] = []
    for tree in product().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                args = node.args
                every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
                every += [one for one in (args.vararg, args.kwarg) if one is not None]
                taken.setdefault(node.name, set()).update(one.arg for one in every)
            elif isinstance(node, ast.ClassDef):
                taken.setdefault(node.name, set()).update(_fields_of(node))
                bases.append(
                    (node.name, [one.id for one in node.bases if isinstance(one, ast.Name)])
                )
    for name, above in bases:
        taken[name].update(*(taken.get(one, set()) for one in above))
    return taken


def _fields_of(node: ast.ClassDef) -> Iterator[str]:
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id
        elif isinstance(one, ast.FunctionDef) and one.name == "__init__":
            yield from (arg.arg for arg in (*one.args.args, *one.args.kwonlyargs))


def _gone(where: str, text: str) -> Iterator[str]:
    for span in CODE.findall(text):
        found = DOTTED.match(span)
        if found and not found[0].endswith(FILE_ENDINGS) and not is_there(found[0]):
            yield f"{where}: {found[0]}"


def _not_taken(text: str) -> Iterator[str]:
    for span in CODE.findall(text):
        for name, inside in SIGNATURE.findall(span):
            words = (one.split(":")[0].split("=")[0].strip(" *") for one in inside.split(","))
            given = {word for word in words if word.isidentifier() and word.islower()}
            if name in taken_by_name() and not given <= taken_by_name()[name]:
                yield f"{name} does not take {sorted(given - taken_by_name()[name])}"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda one: one.stem)
def test_what_a_page_names_is_there(page: Path) -> None:
    """Who reads it goes straight to the code."""
    assert list(_gone(page.name, page.read_text(encoding="utf-8"))) == []


def test_functions_take_what_the_page_of_the_architecture_gives_them() -> None:
    """Its signatures are the ones that hold."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert list(_not_taken(text.replace("\\|", "|"))) == []


def test_what_docstrings_name_is_there() -> None:
    """A module that was moved takes the docstrings of others with it."""
    gone: list[str] = []
    for module, tree in product().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
                continue
            if isinstance(node.value.value, str):
                gone += _gone(f"{module}:{node.lineno}", node.value.value)
    assert gone == []


def _leads_somewhere(name: str) -> bool:
    """Whether a module is called so, in whatever folder, or has what stands after the point."""
    return any(
        f".{module}".endswith(f".{asked}") and (asked == name or name[len(asked) + 1 :] in here)
        for asked in {name, name.rpartition(".")[0]} - {""}
        for module in product()
        for here in [names_in(module)]
    )


def test_modules_to_which_docstrings_send_their_readers_are_there() -> None:
    """`Not here: what that is (`module`)` says where to go on reading."""
    gone: list[str] = []
    for module, tree in product().items():
        elsewhere = ELSEWHERE.search(ast.get_docstring(tree) or "")
        for beside in BESIDE.findall(elsewhere[1]) if elsewhere else ():
            gone += (f"{module}: {n}" for n in CODE.findall(beside) if not _leads_somewhere(n))
    assert gone == []
