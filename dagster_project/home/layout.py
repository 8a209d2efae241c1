"""The home: one folder with everything tracegym keeps, and the version of its form.

Comes in: a path, or a URL of object storage. Goes out: a `Home` with the paths below. Raw data lies under `private/` (mode
0700), pseudonymised data under `clean/`; nothing past `redact` is given a path under `private/`. Of a home in object storage the folder
keeps what stays on this machine; its tables, its files and `home.json` lie below the URL.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Final

from dagster_project.errors import HomeError
from dagster_project.storage.places import StoragePlace, keep_place, local_side, place_of, url_in
from dagster_project.storage.whole_files import write_once

HOME_FORMAT: Final = 1
SETTINGS: Final = frozenset(
    {"apps", "budgets", "clean_days", "format", "most_requests", "quarantine_days"}
    | {"raw_days", "redaction", "risk", "rollout_days", "vault", "vault_host"}
)
"""What may stand in home.json."""
DEFAULT_HOME: Final = Path(".tracegym")
PRIVATE_PARTS: Final = ("wal", "lake", "quarantine", "vault", "dagster", "locks")
CLEAN_PARTS: Final = ("lake", "worlds", "tasksets", "reports", "reviews")


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The folder layout; making one checks nothing, `open_home` does."""

    path: Path

    @property
    def private(self) -> Path:
        """Raw data: only ingest and redact are given anything below."""
        return self.path / "private"

    @property
    def clean(self) -> Path:
        """Pseudonymised data: what everything past the gate is given."""
        return self.path / "clean"

    @property
    def wal(self) -> Path:
        """The write-ahead log; always on a local disk."""
        return self.private / "wal"

    @property
    def vault(self) -> Path:
        """The folder of the surrogate vault and of the generated secret."""
        return self.private / "vault"

    @property
    def sealed_vault(self) -> Path:
        """The file that keeps which surrogate each value got."""
        return self.vault / "vault.sealed"

    @property
    def dagster(self) -> Path:
        """The storage of the persistent Dagster instance."""
        return self.private / "dagster"

    @property
    def report(self) -> Path:
        """The page that `build` writes."""
        return self.clean / "reports" / "index.html"

    @property
    def outcome_policy(self) -> Path:
        """What outcome names mean; optional."""
        return self.path / "outcomes.toml"

    @property
    def world_settings(self) -> Path:
        """How worlds are learnt, by app."""
        return self.path / "worlds.toml"

    @property
    def redaction_policy(self) -> Path:
        """How the gate treats fields; optional."""
        return self.path / "redaction.toml"

    @property
    def manifest(self) -> Path:
        """`home.json`: format version, apps and the home's settings (`SETTINGS`)."""
        return self.path / "home.json"

    @property
    def place(self) -> StoragePlace | None:
        """Where the home lies in object storage, if it does."""
        return place_of(self.path)


def open_home(path: Path, *, create: bool = False) -> Home:
    """The home at `path`, which may be `s3://BUCKET/PREFIX`; made if `create` and nothing is there.

    Raises `HomeError` where there is none or it cannot be one, `LakeError` where the storage does not answer.
    """
    url = url_in(path)
    home = Home(path=local_side(path).absolute())
    if home.path.exists() and not home.path.is_dir():
        raise HomeError(f"{path} is a file, not a home folder; pass another folder with --home")
    if url is not None and place_of(home.path) is None:
        _make_local_side(home, StoragePlace(url=url), create=create)
    elif not home.manifest.exists() and place_of(home.path) is None:
        if not create:
            raise _no_home(path)
        _make(home)
    _require_format(home)
    return home


def _no_home(path: Path | str) -> HomeError:
    return HomeError(
        f"there is no tracegym home at {path}; make one with: tracegym ingest FILE --home {quote(str(path))}"
    )


def _make_local_side(home: Home, place: StoragePlace, *, create: bool) -> None:
    """Give a home in object storage its folder on this machine; the first machine makes the home."""
    from dagster_project.home.shared_manifest import make_shared, read_shared  # noqa: PLC0415 - obstore

    if read_shared(place) is None:
        if not create:
            raise _no_home(place.url)
        make_shared(place, {"format": HOME_FORMAT, "apps": [], "redaction": "on"})
    _make_folders(home)
    for side, where in (
        (home.private, place.child("private")),
        (home.clean, place.child("clean")),
        (home.path, place),  # last: it says that the others are there
    ):
        keep_place(side, where)


def _make(home: Home) -> None:
    _make_folders(home)
    document = {"format": HOME_FORMAT, "apps": [], "redaction": "on"}
    try:
        write_once(home.manifest, json.dumps(document, indent=2) + "\n", mode=0o644)
    except OSError as fault:
        raise HomeError(f"cannot make a home at {home.path}: {fault.strerror}") from fault


def _make_folders(home: Home) -> None:
    try:
        home.path.mkdir(parents=True, exist_ok=True)
        home.private.mkdir(mode=0o700, exist_ok=True)
        home.private.chmod(0o700)
        for part in PRIVATE_PARTS:
            (home.private / part).mkdir(mode=0o700, exist_ok=True)
        for part in CLEAN_PARTS:
            (home.clean / part).mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise HomeError(f"cannot make a home at {home.path}: {fault.strerror}") from fault


def _require_format(home: Home) -> None:
    document = read_manifest(home)
    found = document.get("format")
    if found == HOME_FORMAT and (strange := sorted(document.keys() - SETTINGS)):
        raise HomeError(
            f"{manifest_name(home)} has no setting {strange[0]!r}; it knows: {', '.join(sorted(SETTINGS))}"
        )
    if found != HOME_FORMAT:
        raise HomeError(
            f"{manifest_name(home)} has format {found!r}, this tracegym reads format {HOME_FORMAT}; "
            "use the tracegym that made it, or another --home"
        )


def manifest_name(home: Home) -> str:
    """Where home.json lies, for a sentence."""
    return str(home.manifest) if home.place is None else f"{home.place.url}/home.json"


def read_manifest(home: Home) -> dict[str, object]:
    """What home.json says; raises `HomeError` where it cannot be read."""
    if (place := home.place) is not None:
        from dagster_project.home.shared_manifest import read_shared  # noqa: PLC0415 - obstore

        shared = read_shared(place)
        if shared is None:
            raise _no_home(place.url)
        return shared
    try:
        document = json.loads(home.manifest.read_text(encoding="utf-8"))
    except OSError as fault:
        raise HomeError(f"cannot read {home.manifest}: {fault.strerror}") from fault
    except ValueError as fault:
        raise HomeError(
            f"{home.manifest} is not JSON; restore it from a backup or use another --home"
        ) from fault
    if not isinstance(document, dict):
        raise HomeError(f"{home.manifest} does not describe a home; use another --home")
    return document
