"""A folder tree with a current directory; answers are plain text, refusals too; names have no digits."""

from __future__ import annotations

import random

from benchmarks.testbeds.invented.backend import Backend, Step, Style

TREE = {
    "/": ["home", "etc"],
    "/home": ["reports", "photos", "todo.txt"],
    "/home/reports": ["spring.md", "summer.md", "draft.md"],
    "/home/photos": ["cat.jpg", "sea.jpg"],
    "/etc": ["hosts", "motd"],
}
TEXTS = {
    "/home/todo.txt": "buy milk\ncall Ann\nwrite report",
    "/home/reports/spring.md": "Sales rose in spring.\nCosts fell.",
    "/home/reports/summer.md": "A slow summer.\nSales fell.",
    "/home/reports/draft.md": "nothing yet",
    "/home/photos/cat.jpg": "<binary>",
    "/home/photos/sea.jpg": "<binary>",
    "/etc/hosts": "localhost",
    "/etc/motd": "Welcome to the file server.\nBe kind.",
}


class Files(Backend):
    """The server: one shell per agent."""

    def __init__(self) -> None:
        self._tree = {path: list(names) for path, names in TREE.items()}
        self._texts = dict(TEXTS)
        self._at = "/home"

    def _path(self, name: str) -> str:
        return f"{self._at.rstrip('/')}/{name}"

    def pwd(self) -> str:
        """Where the shell is."""
        return self._at

    def ls(self, show_all: bool = False) -> str:  # noqa: FBT001, FBT002 - a tool's signature
        """The names here."""
        names = sorted(self._tree[self._at])
        return "  ".join([".", "..", *names] if show_all else names) or "(empty)"

    def cd(self, folder: str) -> str:
        """Go elsewhere."""
        target = (self._at.rsplit("/", 1)[0] or "/") if folder == ".." else self._path(folder)
        if target not in self._tree:
            return f"cd: {folder}: No such directory"
        self._at = target
        return ""

    def cat(self, file_name: str) -> str:
        """A file's text."""
        if self._path(file_name) not in self._texts:
            return f"cat: {file_name}: No such file"
        return self._texts[self._path(file_name)]

    def echo(self, content: str, file_name: str) -> str:
        """Write a file."""
        if file_name not in self._tree[self._at]:
            self._tree[self._at].append(file_name)
        self._texts[self._path(file_name)] = content
        return ""

    def mkdir(self, dir_name: str) -> str:
        """Make a folder."""
        if dir_name in self._tree[self._at]:
            return f"mkdir: cannot create directory '{dir_name}': File exists"
        self._tree[self._at].append(dir_name)
        self._tree[self._path(dir_name)] = []
        return ""

    def rm(self, file_name: str) -> str:
        """Remove a file."""
        if self._path(file_name) not in self._texts:
            return f"rm: cannot remove '{file_name}'"
        self._tree[self._at].remove(file_name)
        del self._texts[self._path(file_name)]
        return f"removed '{file_name}'"

    def mv(self, source: str, destination: str) -> str:
        """Rename a file."""
        if self._path(source) not in self._texts:
            return f"mv: cannot move '{source}'"
        self._tree[self._at].remove(source)
        text = self._texts.pop(self._path(source))
        self.echo(text, destination)
        return f"'{source}' moved to '{destination}'"

    def grep(self, file_name: str, pattern: str) -> str:
        """Lines that hold a text."""
        if self._path(file_name) not in self._texts:
            return f"grep: {file_name}: No such file"
        lines = self._texts[self._path(file_name)].split("\n")
        return "\n".join(line for line in lines if pattern in line) or "(no match)"

    def wc(self, file_name: str) -> str:
        """How many words a file has."""
        if self._path(file_name) not in self._texts:
            return f"wc: {file_name}: No such file"
        return f"{len(self._texts[self._path(file_name)].split())} words"


def _script(rng: random.Random) -> list[Step]:
    folder = rng.choice(["reports", "photos"])
    name = rng.choice(TREE["/home/" + folder])
    new = rng.choice(["copy.md", "final.md", "notes.txt"])
    goals: list[list[Step]] = [
        [("ls", {}), ("cd", {"folder": folder}), ("ls", {}), ("cat", {"file_name": name})],
        [("cd", {"folder": folder}), ("mv", {"source": name, "destination": new}), ("ls", {})],
        [("cd", {"folder": folder}), ("rm", {"file_name": name}), ("ls", {})],
        [
            ("pwd", {}),
            ("echo", {"content": rng.choice(["hello", "draft two"]), "file_name": new}),
            ("cat", {"file_name": new}),
            ("wc", {"file_name": new}),
        ],
        [("cat", {"file_name": "todo.txt"}), ("mkdir", {"dir_name": "done"}), ("ls", {})],
        [
            ("cd", {"folder": "reports"}),
            ("grep", {"file_name": "spring.md", "pattern": rng.choice(["Sales", "rose"])}),
            ("cd", {"folder": ".."}),
            ("pwd", {}),
        ],
        [("cd", {"folder": ".."}), ("cd", {"folder": "etc"}), ("cat", {"file_name": "motd"})],
    ]
    return rng.choice(goals) + rng.choice(goals)


FILES = Style(name="files", make=Files, script=_script)
