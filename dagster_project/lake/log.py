"""What a table's log says, commit by commit, asked by their names and never by a listing.

Comes in: a table as it was opened in object storage. Goes out: whether it is its newest version, and whether a commit of ours is in
it. Delta Lake finds commits by listing the log's folder; where that listing is old (a cache or a gateway in between), the table looks
older than it is, or as if it were not there, and a commit that was made seems to have failed.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Final

from deltalake import CommitProperties, DeltaTable

from dagster_project.context_values import set_inside
from dagster_project.storage.objects import Objects

_NAME: Final = "tracegym_commit"
_FOLLOWING: Final = 20
"""Commits after the one that was read among which ours is looked for: others may have come between."""
_name: ContextVar[str] = ContextVar("name of the commit that is being made", default="")


class LogAhead(Exception):  # noqa: N818 - what was seen, not a fault
    """The log has a commit that the listing did not show."""


def require_newest(objects: Objects, name: str, opened: DeltaTable | None) -> None:
    """Raise `LogAhead` where a commit is there that this table does not have."""
    following = 0 if opened is None else opened.version() + 1
    # The first commits of an old table are gone once a checkpoint holds them.
    wanted = [_commit_key(name, following)]
    if opened is None:
        wanted.append(f"{name}/_delta_log/_last_checkpoint")
    if any(objects.exists(key) for key in wanted):
        raise LogAhead(
            f"cannot read {objects.place.url}/{name}: the storage lists less than it holds, so a table looks older than it "
            "is; nothing was changed, run the command again, and past any cache in front of the storage"
        )


def name_commits(commit: str) -> AbstractContextManager[None]:
    """Give the commits made inside a name, by which `committed` finds them."""
    return set_inside(_name, commit)


def commit_name() -> CommitProperties:
    """What a commit is told, so that it carries its name."""
    return CommitProperties(custom_metadata={_NAME: _name.get()})


def committed(objects: Objects, name: str, before: DeltaTable | None, commit: str) -> bool:
    """Whether a commit of that name follows the version that was read before it."""
    first = 0 if before is None else before.version() + 1
    for version in range(first, first + _FOLLOWING):
        found = objects.get(_commit_key(name, version))
        if found is None:
            return False
        if commit.encode() in found.body:
            return True
    return False


def _commit_key(name: str, version: int) -> str:
    return f"{name}/_delta_log/{version:020}.json"
