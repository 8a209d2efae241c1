"""The home: one folder with everything tracegym keeps, its version, its locks and its secret.

Comes in: a path, or a URL of object storage. Goes out: a `Home` with the paths below. Raw data lies under `private/` (mode
0700), pseudonymised data under `clean/`; nothing past `redact` is given a path under `private/`. Of a home in object storage the folder
keeps what stays on this machine; its tables, its files and `home.json` lie below the URL.
"""

import errno
import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Final

from dagster_project.errors import HomeError, VaultElsewhere
from dagster_project.storage.places import StoragePlace, keep_place, local_side, place_of, url_in
from environments.runtime.answers.recall import MOST_RISK, RISK, is_risk
from environments.runtime.values.normal import is_number, is_whole

HOME_FORMAT: Final = 1
SETTINGS: Final = frozenset(
    {"apps", "budgets", "clean_days", "format", "most_requests", "quarantine_days"}
    | {"raw_days", "redaction", "risk", "rollout_days", "vault", "vault_host"}
)
"""What may stand in home.json."""
MOST_REQUESTS: Final = 5000
"""Of an app so many go on to the expensive stages unless somebody says otherwise: ten minutes of them on two cores (docs/scale.md)."""
RAW_DAYS: Final = 30
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
        _write_once(home.manifest, json.dumps(document, indent=2) + "\n", mode=0o644)
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
    document = _read_manifest(home)
    found = document.get("format")
    if found == HOME_FORMAT and (strange := sorted(document.keys() - SETTINGS)):
        raise HomeError(
            f"{_manifest_name(home)} has no setting {strange[0]!r}; it knows: {', '.join(sorted(SETTINGS))}"
        )
    if found != HOME_FORMAT:
        raise HomeError(
            f"{_manifest_name(home)} has format {found!r}, this tracegym reads format {HOME_FORMAT}; "
            "use the tracegym that made it, or another --home"
        )


def _manifest_name(home: Home) -> str:
    return str(home.manifest) if home.place is None else f"{home.place.url}/home.json"


def _read_manifest(home: Home) -> dict[str, object]:
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


def apps_of(home: Home) -> tuple[str, ...]:
    """The apps whose data has arrived, in alphabetical order."""
    return tuple(sorted(_listed_apps(_read_manifest(home))))


def _listed_apps(manifest: dict[str, object]) -> list[str]:
    listed = manifest.get("apps")
    return [str(app) for app in listed] if isinstance(listed, list) else []


def add_apps(home: Home, apps: Iterable[str]) -> None:
    """Remember apps whose data has arrived."""
    new = set(apps) - set(apps_of(home))
    if new:
        _update_manifest(
            home, lambda found: {**found, "apps": sorted({*_listed_apps(found), *new})}
        )


def copy_settings(home: Home, other: Home) -> None:
    """Give another home all that this one's home.json says, but whose vault it is."""
    own = {"format", "vault", "vault_host"}
    kept = {name: value for name, value in _read_manifest(home).items() if name not in own}
    _update_manifest(other, lambda found: {**found, **kept})


def redaction_of(home: Home) -> str:
    """`on`, or `off` where the data was declared free of personal data."""
    return "off" if _read_manifest(home).get("redaction") == "off" else "on"


def set_redaction(home: Home, mode: str) -> None:
    """Declare whether the data of this home must be redacted; everything downstream repeats it."""
    if mode != redaction_of(home):
        _update_manifest(home, lambda found: {**found, "redaction": mode})


def risk_of(home: Home) -> float:
    """The share of wrong answers that worlds of this home may give, where `worlds.toml` does not say it."""
    found = _read_manifest(home).get("risk")
    if found is None:
        return RISK
    if not is_number(found) or not is_risk(found):
        raise HomeError(f"{_manifest_name(home)}: risk must be a share from 0 to {MOST_RISK}")
    return float(found)


def set_risk(home: Home, risk: float) -> None:
    """Keep the share of wrong answers that worlds of this home may give."""
    if risk != _read_manifest(home).get("risk", RISK):
        _update_manifest(home, lambda found: {**found, "risk": risk})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """For how many days each stage of a home is kept, from when it was last written; None is for good."""

    raw: int = RAW_DAYS
    """The log and the private tables: `raw_days` of home.json."""
    quarantine: int = RAW_DAYS
    """`quarantine_days`; as long as raw data unless home.json says otherwise."""
    clean: int | None = None
    """Conversations past the gate: `clean_days`. What was learnt of them is learnt again by the next build."""
    rollouts: int | None = None
    """`rollout_days`."""


def retention_of(home: Home) -> Retention:
    """What home.json says of each stage."""
    found = _read_manifest(home)
    raw = _days(home, found, "raw_days") or RAW_DAYS
    clean = _days(home, found, "clean_days")
    if clean is not None and clean < raw:
        raise HomeError(
            f"{_manifest_name(home)}: clean_days must be at least raw_days ({raw}), else each build would make again what expired"
        )
    return Retention(
        raw=raw,
        quarantine=_days(home, found, "quarantine_days") or raw,
        clean=clean,
        rollouts=_days(home, found, "rollout_days"),
    )


def _days(home: Home, found: dict[str, object], name: str) -> int | None:
    days = found.get(name)
    if days is None or (is_whole(days) and days >= 1):
        return days
    raise HomeError(f"{_manifest_name(home)}: {name} must be a whole number of at least 1")


def budgets_in(home: Home) -> tuple[str, ...]:
    """What stages may take, as `budgets` of home.json lists it: `["verified_tasks=5m"]`."""
    listed = _read_manifest(home).get("budgets", [])
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise HomeError(
            f'{_manifest_name(home)}: budgets must be a list such as ["verified_tasks=5m"]'
        )
    return tuple(map(str, listed))


def most_requests_of(home: Home) -> int:
    """How many requests of an app go on to the expensive stages: `most_requests` of home.json, else `MOST_REQUESTS`; 0 is all."""
    most = _read_manifest(home).get("most_requests", MOST_REQUESTS)
    if not is_whole(most) or most < 0:
        raise HomeError(f"{_manifest_name(home)}: most_requests must be a whole number; 0 is all")
    return most


def _update_manifest(home: Home, change: Callable[[dict[str, object]], dict[str, object]]) -> None:
    if (place := home.place) is not None:
        from dagster_project.home.shared_manifest import change_shared  # noqa: PLC0415 - obstore

        change_shared(place, change)
        return
    with lock(home, "manifest"):
        text = json.dumps(change(_read_manifest(home)), indent=2) + "\n"
        fresh = home.manifest.with_suffix(f".{os.getpid()}.tmp")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(home.manifest)


def vault_secret(home: Home, given: str | None) -> bytes:
    """The vault's secret: the one given, else one generated once and kept where only the owner reads it.

    Raises `HomeError` where the vault was sealed with a secret from the environment and none is given now.
    """
    if given:
        return given.encode()
    path = home.vault / "secret"
    # asked in this order: a secret that is generated stands there before its vault does
    sealed = home.sealed_vault.exists()
    if not path.exists():
        if sealed:
            raise HomeError(
                f"{home.sealed_vault} was sealed with a secret that this home does not keep: "
                "set TRACEGYM_SECRET to the one it was made with"
            )
        _write_once(path, secrets.token_hex(32), mode=0o600)
    return path.read_text(encoding="ascii").strip().encode()


def claim_vault(home: Home) -> None:
    """Tie a home in object storage to the one vault that keys it; `VaultElsewhere` on a machine that has another one, or none.

    The vault stays on its machine: a second one would give the same people other surrogates.
    """
    if home.place is None:
        return
    mark = home.vault / "mark"
    if not mark.exists():
        _write_once(mark, secrets.token_hex(16), mode=0o600)
    own = mark.read_text(encoding="ascii").strip()
    if _read_manifest(home).get("vault") is None:
        where = {"vault": own, "vault_host": socket.gethostname()}
        _update_manifest(home, lambda found: found if found.get("vault") else {**found, **where})
    kept = _read_manifest(home)
    if kept.get("vault") != own:
        raise VaultElsewhere(
            f"the vault of {home.place.url} is not on this machine but on {kept.get('vault_host')}: run the command "
            f"there, or copy that machine's private/vault to {home.vault}"
        )


def _write_once(path: Path, text: str, *, mode: int) -> None:
    """Write a file that nobody else has made meanwhile; the first one to come wins, whole."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    fresh.touch(mode=mode)
    try:
        fresh.write_text(text, encoding="utf-8")
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


@contextmanager
def lock(
    home: Home, name: str, *, on_wait: Callable[[str], None] | None = None, patience_s: float = 3600
) -> Iterator[None]:
    """Hold the home's lock of that name; `on_wait` hears once who holds it. It ends with its process, however that ends."""
    path = home.private / "locks" / f"{name}.lock"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with path.open("a+", encoding="ascii") as file:
        _acquire(file.fileno(), path, on_wait=on_wait, patience_s=patience_s)
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _acquire(
    handle: int, path: Path, *, on_wait: Callable[[str], None] | None, patience_s: float
) -> None:
    deadline = time.monotonic() + patience_s
    told = False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            if fault.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                raise HomeError(f"cannot lock {path}: {fault.strerror}") from fault
        else:
            return
        if time.monotonic() > deadline:
            raise HomeError(f"{path.stem} of this home is still in use; try again when it is done")
        if not told and on_wait is not None:
            on_wait(path.read_text(encoding="ascii") or "another process")
            told = True
        time.sleep(0.05)
