"""Where a home's tables and files lie: on this disk, or in object storage below a URL.

Comes in: `--home` as it was given, or one side's folder. Goes out: the local folder that stands for the home, and the `StoragePlace` in object
storage, if there is one. A side's folder says where its tables are (`storage.json`), so that whoever is given the folder finds them;
credentials and endpoint come from the environment (`AWS_*`), never from a file.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dagster_project.errors import HomeError
from dagster_project.storage.whole_files import write_whole

STORAGE: Final = "storage.json"
LOCAL_SIDE: Final = Path(".tracegym-local")
"""Beside the working directory: what of a home in object storage stays on this machine (log, vault, Dagster's runs)."""
PATIENCE_S: Final = 60.0
"""For how long one request is tried before a command gives up."""
_URL: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+):/+(?P<rest>.+)", re.ASCII)
_NAMED: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[\w.=@+-]+)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePlace:
    """One place in object storage."""

    url: str
    """`s3://bucket/prefix`, without a slash at the end."""
    patience_s: float = PATIENCE_S

    def child(self, name: str) -> "StoragePlace":
        """A place inside this one."""
        return StoragePlace(url=f"{self.url}/{name}", patience_s=self.patience_s)

    @property
    def options(self) -> dict[str, str]:
        """What Delta Lake is told beside the environment: bounded requests, commits that nobody overwrites."""
        return {
            "conditional_put": "etag",
            "allow_http": "true",  # the endpoint's own scheme decides
            "connect_timeout": f"{self.request_s / 2:.3f}s",
            "timeout": f"{self.request_s:.3f}s",
            "max_retries": str(TRIES),
            "retry_timeout": f"{self.patience_s:.3f}s",
        }

    @property
    def request_s(self) -> float:
        """How long one try of a request may take, in seconds."""
        return self.patience_s / 2


TRIES: Final = 4


def url_in(path: Path | str) -> str | None:
    """The URL that was given in a path's place, None for a path; `Path` has folded its slashes."""
    found = _URL.fullmatch(str(path).rstrip("/"))
    if found is None:
        return None
    if found["scheme"] != "s3" or not _NAMED.fullmatch(found["rest"]):
        raise HomeError(
            f"{found['scheme']}://{found['rest']} is no place for a home; "
            "pass a folder, or s3://BUCKET/PREFIX (other services by their S3 endpoint in AWS_ENDPOINT_URL)"
        )
    return f"s3://{found['rest']}"


def local_side(path: Path | str) -> Path:
    """The folder on this machine that stands for what was given as `--home`."""
    url = url_in(path)
    return Path(path) if url is None else LOCAL_SIDE / url.removeprefix("s3://")


def place_of(side: Path) -> StoragePlace | None:
    """Where the tables and files of one side of a home lie; None: in the folder itself."""
    try:
        told = json.loads((side / STORAGE).read_text(encoding="utf-8"))
        return StoragePlace(
            url=str(told["url"]), patience_s=float(told.get("patience_s", PATIENCE_S))
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise HomeError(
            f"{side / STORAGE} does not say where this home's tables are; remove it and run the command "
            "again with --home s3://BUCKET/PREFIX"
        ) from fault


def keep_place(side: Path, place: StoragePlace) -> None:
    """Note in a side's folder where its tables and files lie."""
    if place_of(side) is None:
        told = {"url": place.url, "patience_s": place.patience_s}
        write_whole(side / STORAGE, json.dumps(told) + "\n")
