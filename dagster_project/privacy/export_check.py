"""The leak check over an export as it was written: every file's bytes, whatever format they are in.

Comes in: the home the export was made of, its vault's secret where there is one, and the folder, which nobody has been given yet. Goes
out: `Searched`, or an error. What the export was made from was searched by the build (`leak_check`); this looks at what the formats made of it.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq

import environments
from dagster_project.errors import StageError, VaultElsewhere
from dagster_project.home.layout import Home
from dagster_project.home.locks import lock
from dagster_project.privacy.gate import vault_of
from dagster_project.privacy.leak_check import derived_from, origins_of, strings_in
from dagster_project.privacy.leak_search import is_nobodys, searcher_of
from redact.errors import VaultError

_ROWS: Final = frozenset({".jsonl"})
"""Files whose lines are records of their own: single words of the episodes that a line names are looked for in it."""
_PICTURES: Final = frozenset({".png"})
"""Drawn from numbers; their bytes hold no text."""
NOT_AT_HAND: Final = (
    "the written files were not searched again: the vault's secret is not at hand (TRACEGYM_SECRET); "
    "what they were made from was searched by the last build"
)
DOES_NOT_OPEN: Final = (
    "the written files were not searched again: the secret at hand does not open the vault; "
    "what they were made from was searched by the last build"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What the search of an export's files covered."""

    files: int = 0
    texts: int = 0
    waived: int = 0
    """Hits that do not count: surrogates, and words that stand apart from every other word of their subject."""
    why_not: str = ""
    """Why nothing was searched; empty where it was."""


def secret_at_hand(home: Home, given: str | None) -> bytes | None:
    """The vault's secret, None where neither the caller nor the home has it; never makes one."""
    if given:
        return given.encode()
    kept = home.vault / "secret"
    return kept.read_text(encoding="ascii").strip().encode() if kept.exists() else None


def check_written(home: Home, folder: Path, apps: Sequence[str], secret: bytes | None) -> Searched:
    """Search what was written for everything known of the apps' people; raises `StageError` on a hit.

    A text that names conversations is searched for the people of their apps: another app's own word may be one's name here.
    """
    if secret is None:
        return Searched(why_not=NOT_AT_HAND)
    listed = list(_texts(folder))
    places: set[str] = set()
    waived = 0
    with lock(home, "vault"):
        try:
            vault = vault_of(home, secret)
        except VaultElsewhere:
            return Searched(why_not=NOT_AT_HAND)
        except VaultError:
            return Searched(why_not=DOES_NOT_OPEN)
        origins = {
            clean: (app, raw) for app in apps for clean, raw in origins_of(home, vault, app).items()
        }
        derived = [derived_from([text], origins) for _, text, _ in listed]
        for app in apps:
            search = searcher_of(home, vault, app).search
            for (place, text, is_record), named in zip(listed, derived, strict=True):
                own = [raw for owner, raw in named if owner == app]
                if named and not own:
                    continue
                of = own if is_record else ()
                for leak in search.find(place, text, episodes=of):
                    apart = not leak.direct and not leak.beside
                    if leak.waiver or apart or is_nobodys(vault, app, leak, text):
                        waived += 1
                    else:
                        places.add(place)
    if places:
        raise StageError(
            f"nothing is exported: an identifier of a person stood in {len(places)} of the files, which were removed before they took their place; "
            "run the build again, and report this as a fault of tracegym"
        )
    files = sum(path.is_file() for path in folder.rglob("*"))
    return Searched(files=files, texts=len(listed), waived=waived)


@cache
def _own_code() -> frozenset[str]:
    """Digests of tracegym's own files: where an export holds one as it is, it holds nothing of anybody."""
    package = Path(environments.__file__).parent
    return frozenset(_digest(path) for path in package.rglob("*") if path.is_file())


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _texts(folder: Path) -> Iterator[tuple[str, str, bool]]:
    """Every text of a folder with its file, and whether it is one record of several."""
    for path in sorted(folder.rglob("*")):
        place = str(path.relative_to(folder))
        yield place, place, False
        if not path.is_file() or path.suffix in _PICTURES or _digest(path) in _own_code():
            continue
        if path.suffix == ".parquet":
            for row in pq.read_table(path).to_pylist():
                yield place, "\n".join(strings_in(row)), True
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix in _ROWS:
            yield from ((place, line, True) for line in text.split("\n"))
        else:
            yield place, text, False
