"""Single objects in object storage, written under conditions. The only file that imports obstore.

Comes in: a `StoragePlace` and keys below it. Goes out: bytes with the tag of their version. Each request is bounded in time and tried again; what
then still fails is a `LakeError` of one sentence. Nothing here decides by a listing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import BinaryIO

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError
from obstore.store import ObjectStore, from_url

from dagster_project.errors import LakeError
from dagster_project.storage.faults import sentence_of
from dagster_project.storage.places import TRIES, StoragePlace


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """An object as it was read."""

    body: bytes
    tag: str
    """The version's ETag: what `put_over` names."""


class Objects:
    """The objects below one place."""

    def __init__(self, place: StoragePlace) -> None:
        self.place = place
        with self._explain_faults("open", ""):
            self._store: ObjectStore = from_url(
                place.url,
                client_options={
                    "allow_http": True,  # the endpoint's own scheme decides
                    "connect_timeout": timedelta(seconds=place.request_s / 2),
                    "timeout": timedelta(seconds=place.request_s),
                },
                retry_config={
                    "max_retries": TRIES,
                    "retry_timeout": timedelta(seconds=place.patience_s),
                },
            )

    def get(self, key: str) -> StoredObject | None:
        """The object, None where there is none."""
        with self._explain_faults("read", key):
            try:
                found = obstore.get(self._store, key)
                return StoredObject(body=bytes(found.bytes()), tag=found.meta["e_tag"] or "")
            except FileNotFoundError as fault:
                if "NoSuchBucket" in str(fault):
                    raise
                return None

    def exists(self, key: str) -> bool:
        """Whether the object is there, asked by its name."""
        return self.written_at(key) is not None

    def written_at(self, key: str) -> datetime | None:
        """When the object was written, by the storage's clock to the second; None where there is none."""
        with self._explain_faults("read", key):
            try:
                return obstore.head(self._store, key)["last_modified"]
            except FileNotFoundError:
                return None

    def put(self, key: str, body: bytes | BinaryIO) -> None:
        """Write the object, whatever is there."""
        with self._explain_faults("write", key):
            obstore.put(self._store, key, body)

    def put_new(self, key: str, body: bytes) -> str | None:
        """Write an object that must not be there (If-None-Match); its tag, or None where somebody was first."""
        with self._explain_faults("write", key):
            try:
                return obstore.put(self._store, key, body, mode="create")["e_tag"] or ""
            except AlreadyExistsError:
                return None

    def put_over(self, key: str, body: bytes, tag: str) -> str | None:
        """Write over one version (If-Match); the new tag, or None where it is not that version any more."""
        with self._explain_faults("write", key):
            try:
                return obstore.put(self._store, key, body, mode={"e_tag": tag})["e_tag"] or ""
            except (PreconditionError, AlreadyExistsError, FileNotFoundError):
                return None

    def delete(self, key: str) -> None:
        """Remove the object, if it is there."""
        with self._explain_faults("write", key):
            try:
                obstore.delete(self._store, key)
            except FileNotFoundError:
                return

    def folders(self) -> list[str]:
        """The names one level below, by a listing: good for tidying, where what is missed comes next time."""
        with self._explain_faults("list", ""):
            listed = obstore.list_with_delimiter(self._store)["common_prefixes"]
            return sorted(str(name).rstrip("/").rpartition("/")[2] for name in listed)

    @contextmanager
    def _explain_faults(self, verb: str, key: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as fault:
            where = f"{self.place.url}/{key}".rstrip("/")
            raise LakeError(sentence_of(verb, where, fault)) from fault
