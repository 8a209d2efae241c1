"""Who may build a home: one command at a time, on one machine.

Comes in: a home. Goes out: a context in which this process is the home's only build. On a disk that is the lock `build`, for which a second
build waits. In object storage a lease stands beside it: an object written under the condition that it is not there (If-None-Match) and kept
alive by its owner (If-Match); a build on another machine is refused while it lives. Its age is told by the storage's clock alone.
"""

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Final

from dagster_project.errors import HomeError, LakeError, OwnedElsewhere
from dagster_project.home.layout import Home
from dagster_project.home.locks import lock
from dagster_project.storage.lease import mark_lost, owning
from dagster_project.storage.objects import Objects
from dagster_project.storage.places import StoragePlace

LEASE_S: Final = 180.0
"""How long a lease lives without its owner: longer than any one request, so that a slow storage does not end it."""
_BEATS: Final = 6
"""Times a lease is renewed while it would live."""
_KEY: Final = "owner.json"
_CLOCK: Final = "owner.clock"
_MARK: Final = "here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who builds a home in object storage."""

    host: str
    pid: int
    since: str
    """When it began, UTC, by its own clock."""
    folder: str
    """A random name of the owner's local side of the home: who holds its lock knows that no other process of it lives."""
    token: str
    lease_s: float

    @property
    def says(self) -> str:
        """Who it is, for a sentence."""
        return f"{self.host} (process {self.pid}, since {self.since})"


@contextmanager
def owned(
    home: Home, *, on_wait: Callable[[str], None] | None = None, lease_s: float = LEASE_S
) -> Iterator[None]:
    """Be the only build of the home; raises `OwnedElsewhere` while another machine is."""
    with lock(home, "build", on_wait=on_wait):
        if home.place is None:
            yield
        else:
            with _leased(home, home.place, lease_s):
                yield


def holder_of(home: Home) -> Owner | None:
    """The build on another machine that holds the home now; None for a home on a disk."""
    if home.place is None:
        return None
    objects = Objects(home.place)
    found = objects.get(_KEY)
    owner = None if found is None else _read(found.body)
    return owner if owner and _left_s(objects, owner) > 0 else None


@contextmanager
def _leased(home: Home, place: StoragePlace, lease_s: float) -> Iterator[None]:
    objects = Objects(place)
    owner = Owner(
        host=socket.gethostname(),
        pid=os.getpid(),
        since=datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        folder=_folder_name(home),
        token=secrets.token_hex(8),
        lease_s=lease_s,
    )
    tag = _take(objects, owner)
    done = threading.Event()
    with owning(place.url):
        beating = threading.Thread(
            target=_beat, args=(objects, owner, tag, done), name="owner of the home", daemon=True
        )
        beating.start()
        try:
            yield
        finally:
            done.set()
            beating.join()
            # Where the storage does not answer, the lease runs out by itself.
            with suppress(LakeError):
                _leave(objects, owner)


def _take(objects: Objects, owner: Owner) -> str:
    body = _owner_bytes(owner)
    for _ in range(_BEATS):
        tag = objects.put_new(_KEY, body)
        if tag is not None:
            return tag
        found = objects.get(_KEY)
        if found is None:
            continue
        if found.body == body:
            return found.tag  # an answer was lost and the put tried again
        other = _read(found.body)
        left = 0.0 if other is None or _was_here(other, owner) else _left_s(objects, other)
        if other is not None and left > 0:
            raise OwnedElsewhere(
                f"{objects.place.url} is being built by {other.says}; run the command again when that build is done; "
                f"if that machine is gone, its claim ends in {left:.0f} s"
            )
        tag = objects.put_over(_KEY, body, found.tag)
        if tag is not None:
            return tag
    raise HomeError(
        f"{objects.place.url} is claimed by several builds at once; run the command again"
    )


def _was_here(other: Owner, owner: Owner) -> bool:
    """Whether it was a process of this very folder: this process holds the folder's lock, so that one is gone."""
    return (other.host, other.folder) == (owner.host, owner.folder)


def _left_s(objects: Objects, other: Owner) -> float:
    """For how many seconds a lease lives on, by the storage's own clock: machines' clocks differ."""
    written = objects.written_at(_KEY)
    objects.put(_CLOCK, b"")
    now = objects.written_at(_CLOCK)
    if written is None or now is None:
        return 0.0
    # Its clock tells whole seconds.
    return max(0.0, other.lease_s + 1 - (now - written).total_seconds())


def _beat(objects: Objects, owner: Owner, tag: str, done: threading.Event) -> None:
    """Keep the lease alive until the build is done; note that it is lost."""
    alive = time.monotonic()
    while not done.wait(owner.lease_s / _BEATS):
        asked = time.monotonic()
        try:
            fresh = objects.put_over(_KEY, _owner_bytes(owner, beat=secrets.token_hex(4)), tag)
            if fresh is None:
                found = objects.get(_KEY)
                kept = None if found is None else _read(found.body)
                fresh = found.tag if found and kept and kept.token == owner.token else None
        except LakeError:
            if time.monotonic() - alive < owner.lease_s - 1:
                continue
            fresh = None
        if fresh is None:
            mark_lost(objects.place.url)
            return
        tag, alive = fresh, asked


def _leave(objects: Objects, owner: Owner) -> None:
    found = objects.get(_KEY)
    kept = None if found is None else _read(found.body)
    if kept is not None and kept.token == owner.token:
        objects.delete(_KEY)


def _folder_name(home: Home) -> str:
    mark = home.private / "locks" / _MARK
    if not mark.exists():
        mark.write_text(
            secrets.token_hex(8), encoding="ascii"
        )  # the lock is held: nobody else does
    return mark.read_text(encoding="ascii")


def _owner_bytes(owner: Owner, *, beat: str = "") -> bytes:
    return json.dumps({**asdict(owner), **({"beat": beat} if beat else {})}).encode()


def _read(body: bytes) -> Owner | None:
    """Who holds it; None where nobody can be read, which nobody has to wait for."""
    try:
        told = json.loads(body)
        told.pop("beat", None)
        return Owner(**told)
    except (ValueError, TypeError, AttributeError):
        return None
