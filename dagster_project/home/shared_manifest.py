"""`home.json` of a home in object storage: read by every machine, changed by conditional puts.

Comes in: a place and a change. Goes out: the document. Of two machines that change it at once the later one reads again.
"""

import json
import random
import time
from collections.abc import Callable
from typing import Final

from dagster_project.errors import HomeError
from dagster_project.storage.objects import Objects, StoredObject
from dagster_project.storage.places import StoragePlace
from environments.runtime.values.json_text import json_or_none

_KEY: Final = "home.json"
_TRIES: Final = 20


def read_shared(place: StoragePlace) -> dict[str, object] | None:
    """The document, None where there is no home."""
    found = Objects(place).get(_KEY)
    return None if found is None else _read(place, found)


def make_shared(place: StoragePlace, document: dict[str, object]) -> None:
    """Make the home; the first machine wins."""
    Objects(place).put_new(_KEY, _manifest_bytes(document))


def change_shared(
    place: StoragePlace, change: Callable[[dict[str, object]], dict[str, object]]
) -> None:
    """Change the document as if nobody else did meanwhile."""
    objects = Objects(place)
    for tried in range(_TRIES):
        found = objects.get(_KEY)
        if found is None:
            raise HomeError(f"there is no tracegym home at {place.url} any more")
        after = _manifest_bytes(change(_read(place, found)))
        if after == found.body or objects.put_over(_KEY, after, found.tag) is not None:
            return
        time.sleep(random.uniform(0.01, 0.05) * (tried + 1))  # noqa: S311 - spreads retries
    raise HomeError(f"{place.url}/{_KEY} is changed by too many commands at once; try again")


def _manifest_bytes(document: dict[str, object]) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()


def _read(place: StoragePlace, found: StoredObject) -> dict[str, object]:
    document = json_or_none(found.body)
    if not isinstance(document, dict):
        raise HomeError(
            f"{place.url}/{_KEY} does not describe a home; restore it, or pass another --home"
        )
    return document
