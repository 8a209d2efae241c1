"""Documents under version control: a branch per session, staged changes, ids made of the content, merge and undo."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass, field
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style, refuse

TEXTS = {
    "intro.md": "# Welcome\nStart here.",
    "guide/setup.md": "Install it.\nThen start it.",
    "guide/faq.md": "Why? Because.",
}


@dataclass(frozen=True, kw_only=True)
class Version:
    """One commit: the whole tree."""

    key: str
    message: str
    tree: dict[str, str]


@dataclass(kw_only=True)
class Branch:
    """A line of versions and what is staged on it."""

    versions: list[Version]
    staged: dict[str, str | None] = field(default_factory=dict)


class Drafts(Backend):
    """Two branches; the session is on main."""

    def __init__(self) -> None:
        first = Version(key="r0000000", message="first texts", tree=dict(TEXTS))
        other = {**TEXTS, "guide/faq.md": "Why? Ask Ann."}
        second = _version("ask Ann", other)
        self._branches = {
            "main": Branch(versions=[first]),
            "review": Branch(versions=[first, second]),
        }
        self._at = "main"
        self._labels: dict[str, str] = {}

    def _here(self) -> Branch:
        return self._branches[self._at]

    def _tree(self) -> dict[str, str]:
        tree: dict[str, str | None] = {**self._here().versions[-1].tree, **self._here().staged}
        return {path: text for path, text in tree.items() if text is not None}

    def switch(self, branch: str) -> str:
        """Go to another branch; staged changes stay where they are."""
        refuse(branch not in self._branches, f"branch '{branch}' does not exist")
        if branch == self._at:
            return f"already on {branch}"
        self._at = branch
        return f"on {branch}"

    def branches(self) -> list[str]:
        """With a star at the one in use."""
        return [f"* {b}" if b == self._at else b for b in self._branches]

    def fork(self, name: str) -> dict[str, Any]:
        """A new branch from here; the session stays."""
        refuse(name in self._branches, f"branch '{name}' exists")
        self._branches[name] = Branch(versions=list(self._here().versions))
        return {"branch": name, "from": self._here().versions[-1].key}

    def show(self, path: str) -> str:
        """The text, staged changes included."""
        tree = self._tree()
        refuse(path not in tree, f"{path} is not on branch {self._at}")
        return tree[path]

    def files(self) -> str:
        """A path per line."""
        return "\n".join(sorted(self._tree()))

    def write(self, path: str, text: str) -> None:
        """Stage a text."""
        self._here().staged[path] = text

    def remove(self, path: str) -> str:
        """Stage a removal."""
        refuse(path not in self._tree(), f"{path} is not on branch {self._at}")
        self._here().staged[path] = None
        return f"{path} will be removed"

    def staged(self) -> dict[str, Any]:
        """What the next commit will hold."""
        changes = self._here().staged
        return {
            "branch": self._at,
            "changed": sorted(p for p, t in changes.items() if t is not None),
            "removed": sorted(p for p, t in changes.items() if t is None),
        }

    def commit(self, message: str) -> dict[str, Any]:
        """Everything staged becomes a version."""
        here = self._here()
        refuse(not here.staged, "nothing staged")
        version = _version(message, self._tree())
        count = len(here.staged)
        here.versions.append(version)
        here.staged = {}
        return {"version": version.key, "changes": count}

    def undo_commit(self) -> str:
        """The last version is gone for good."""
        refuse(len(self._here().versions) == 1, "the first version cannot be undone")
        gone = self._here().versions.pop()
        return f"undone: {gone.message}"

    def history(self, limit: int = 5) -> list[str]:
        """Newest first."""
        return [f"{v.key} {v.message}" for v in self._here().versions[::-1][:limit]]

    def merge(self, branch: str) -> dict[str, Any]:
        """Take over the other branch's newest texts."""
        refuse(branch not in self._branches, f"branch '{branch}' does not exist")
        refuse(self._here().staged, f"{len(self._here().staged)} staged changes in the way")
        mine, theirs = self._tree(), self._branches[branch].versions[-1].tree
        taken = sorted(path for path, text in theirs.items() if mine.get(path) != text)
        if not taken:
            return {"merged": []}
        self._here().versions.append(_version(f"merge {branch}", {**mine, **theirs}))
        return {"merged": taken, "version": self._here().versions[-1].key}

    def compare(self, branch: str) -> list[str]:
        """Paths whose newest texts differ."""
        refuse(branch not in self._branches, f"branch '{branch}' does not exist")
        mine, theirs = self._tree(), self._branches[branch].versions[-1].tree
        return sorted(p for p in {*mine, *theirs} if mine.get(p) != theirs.get(p))

    def search(self, word: str) -> dict[str, int]:
        """How often each text has a word."""
        counts = {path: text.lower().count(word.lower()) for path, text in self._tree().items()}
        return {path: count for path, count in sorted(counts.items()) if count}

    def label(self, name: str) -> bool:
        """Mark the newest version; false where the mark moved."""
        new = name not in self._labels
        self._labels[name] = self._here().versions[-1].key
        return new

    def labels(self) -> dict[str, str]:
        """All marks."""
        return self._labels


def _version(message: str, tree: dict[str, str]) -> Version:
    mark = zlib.crc32(repr((message, sorted(tree.items()))).encode())
    return Version(key=f"r{mark % 10**7:07d}", message=message, tree=tree)


def _script(rng: random.Random) -> list[Step]:
    path = rng.choice(sorted(TEXTS))
    text = rng.choice(["Start now.", "Ask Ben.", "To do"])
    write: Step = ("write", {"path": rng.choice([path, "guide/new.md"]), "text": text})
    show: Step = ("show", {"path": path})
    commit: Step = ("commit", {"message": rng.choice(["better words", "fix", "news"])})
    review: Step = ("switch", {"branch": "review"})
    goals: list[list[Step]] = [
        [("files", {}), show],
        [show, write, show],
        [write, ("staged", {}), commit, ("history", {"limit": 2})],
        [("branches", {}), review, ("show", {"path": "guide/faq.md"})],
        [review, ("history", {}), ("switch", {"branch": "main"})],
        [("compare", {"branch": "review"}), ("merge", {"branch": "review"}), ("history", {})],
        [("remove", {"path": path}), ("files", {}), commit],
        [review, ("undo_commit", {}), ("show", {"path": "guide/faq.md"})],
        [("search", {"word": rng.choice(["start", "why", "ask"])}), show],
        [("fork", {"name": "try"}), ("switch", {"branch": "try"}), write, ("branches", {})],
        [("label", {"name": rng.choice(["v1", "good"])}), ("labels", {})],
        [write, commit, ("undo_commit", {}), show],
    ]
    return rng.choice(goals) + rng.choice(goals)


DRAFTS = Style(name="drafts", make=Drafts, script=_script)
