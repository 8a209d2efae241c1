"""Files past the gate that are no tables (task sets, worlds, the report, the account of leaks), kept in object storage.

Comes in: the clean folder and the part's name in it. Goes out: the part as the storage has it, in that folder. A part is published whole:
its files under their digests, then one object that names them; who reads sees the part before or after, never half of it. For a home on a
disk both are nothing to do.
"""

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from dagster_project.errors import LakeError
from dagster_project.storage.file_locks import lock_folder
from dagster_project.storage.lease import require_owner
from dagster_project.storage.objects import Objects, StoredObject
from dagster_project.storage.places import place_of

_KEPT_NS: Final = 24 * 3600 * 1_000_000_000
"""Files that a part holds no more outlive the longest reader by far."""
_TRIES: Final = 10
_FILE: Final = ""
"""The name of the one file of a part that is no folder."""


def publish(clean: Path, part: str) -> None:
    """Make everybody see the part as it lies in the folder; of two publishers at once the later one stays."""
    place = place_of(clean)
    if place is None:
        return
    objects = Objects(place.child("files"))
    require_owner(place.url)
    files = {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in _files_in(clean / part)
    }
    uploaded: set[str] = set()
    for _ in range(_TRIES):
        found = objects.get(f"{part}.json")
        before = _read(objects, part, found)
        if before["files"] == files:
            return
        now = time.time_ns()
        there = {*before["files"].values(), *before["dropped"]}
        for name, digest in files.items():
            if digest not in there | uploaded:
                objects.put(f"{part}/{digest}", _path(clean / part, name).read_bytes())
                uploaded.add(digest)
        gone = dict.fromkeys(before["files"].values(), now) | before["dropped"]
        gone = {digest: at for digest, at in gone.items() if digest not in files.values()}
        kept = {digest: at for digest, at in gone.items() if now - at < _KEPT_NS}
        body = json.dumps({"files": files, "dropped": kept}, sort_keys=True).encode()
        if found is None:
            written = objects.put_new(f"{part}.json", body)
        else:
            written = objects.put_over(f"{part}.json", body, found.tag)
        if written is not None:
            for digest in gone.keys() - kept.keys():
                objects.delete(f"{part}/{digest}")
            return
    raise LakeError(
        f"{objects.place.url}/{part} is written by too many commands at once; try again"
    )


def bring(clean: Path, part: str) -> Path:
    """The part in the folder, as the storage has it; what was never published stays as it is."""
    place = place_of(clean)
    if place is None:
        return clean / part
    objects = Objects(place.child("files"))
    with lock_folder(clean):
        for _ in range(_TRIES):
            found = objects.get(f"{part}.json")
            if found is None or _brought(objects, clean / part, part, _read(objects, part, found)):
                return clean / part
    raise LakeError(f"{objects.place.url}/{part} changes too often to be read; try again")


def _brought(objects: Objects, target: Path, part: str, manifest: dict[str, Any]) -> bool:
    """Put the files in place; False where one has gone meanwhile."""
    here = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in _files_in(target)}
    if here == manifest["files"]:
        return True
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".bring-") as beside:
        fresh = Path(beside) / "fresh"
        for name, digest in manifest["files"].items():
            path = _path(fresh, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if here.get(name) == digest:
                shutil.copyfile(_path(target, name), path)
                continue
            found = objects.get(f"{part}/{digest}")
            if found is None:
                return False
            path.write_bytes(found.body)
        if target.exists():
            target.rename(Path(beside) / "old")
        if fresh.exists():
            fresh.rename(target)
    return True


def _files_in(part: Path) -> Iterator[tuple[str, Path]]:
    """The files of a part by their names in it; not what is being written (`.…`)."""
    if part.is_file():
        yield _FILE, part
        return
    for path in sorted(part.rglob("*")):
        name = path.relative_to(part)
        passing = any(one.startswith(".") or one == "__pycache__" for one in name.parts)
        if path.is_file() and not passing:
            yield str(name), path


def _path(part: Path, name: str) -> Path:
    """Where a file of a part is; a name that leads out of the part is nobody's."""
    path = part / name if name else part
    if name and (Path(name).is_absolute() or ".." in Path(name).parts):
        raise LakeError(f"{part} names a file outside of itself; remove it and run the build again")
    return path


def _read(objects: Objects, part: str, found: StoredObject | None) -> dict[str, Any]:
    if found is None:
        return {"files": {}, "dropped": {}}
    try:
        told = json.loads(found.body)
        return {"files": dict(told["files"]), "dropped": dict(told["dropped"])}
    except (ValueError, KeyError, TypeError) as fault:
        raise LakeError(
            f"{objects.place.url}/{part}.json does not say which files there are; remove it and run the build again"
        ) from fault
