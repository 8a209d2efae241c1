"""The vault: one secret's surrogates, sealed at rest.

In: a secret and a file. Out: surrogates by app, family and mention; sealed bytes for what was learnt. The file keeps
which surrogate each value got, so that a person with the secret can reverse it and two values never share one.
Reading it back is not this module's decision: whoever reverses a surrogate writes the audit line.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import secrets
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Final

from cryptography.fernet import Fernet, InvalidToken

from redact.bounds import ATTEMPTS
from redact.errors import VaultError
from redact.fold import fold_value
from redact.kinds import family_of
from redact.operators.redraws import DRAWN_AGAIN, drawn_again
from redact.operators.surrogates import surrogate
from redact.values.json_bytes import read_json, write_json
from redact.values.permutations import KeyedDigest

VAULT_FORMAT: Final = 1
SECRET_SIZE: Final = 16
"""Shorter secrets are refused."""
DRAWN: Final = frozenset({"phone", "card", "ssn", "ip", "place", "name"})
"""Families whose surrogates are drawn from a smaller range than they serve, so that two values can meet."""


class Vault:
    """The surrogates of every app of one home."""

    def __init__(self, path: Path | None, secret: bytes) -> None:
        if len(secret) < SECRET_SIZE:
            raise VaultError(
                f"the vault's secret has {len(secret)} bytes: use at least {SECRET_SIZE}."
            )
        self._path = path
        self._root = KeyedDigest(b"tracegym vault 1" + secret)
        self._lock = Fernet(base64.urlsafe_b64encode(self._root.digest("seal", size=32)))
        self._keys: dict[str, KeyedDigest] = {}
        self._given: dict[str, dict[str, str]] = {}
        """App and family to (canonical value to surrogate)."""
        self._taken: dict[str, dict[str, str]] = {}
        if path is not None and path.exists():
            self._given = self._read(path)
            for drawer, given in self._given.items():
                self._taken[drawer] = {moved: value for value, moved in given.items()}

    def surrogate(self, app: str, kind: str, mention: str) -> str:
        """Return what replaces a mention of a value of that kind."""
        return self._draw(app, family_of(kind), mention)

    def unlike(self, app: str, kind: str, mention: str, known: Container[str]) -> str:
        """Return what replaces a mention: where that is an id and known to the build (folded), another that is not."""
        family = family_of(kind)
        if family not in DRAWN_AGAIN:
            return self.surrogate(app, kind, mention)
        moved = self.drawn_unlike(app, kind, mention, known)
        drawer = f"{app}\x1f{family}"
        value, image = canonical(family, mention), canonical(family, moved)
        self._taken.setdefault(drawer, {})[image] = value
        self._given.setdefault(drawer, {})[value] = image
        return moved

    def drawn_unlike(self, app: str, kind: str, mention: str, known: Container[str]) -> str:
        """Return what `unlike` does of an id, and keep nothing of it."""
        keyed, family = self._key(app), family_of(kind)
        return drawn_again(lambda text: surrogate(keyed, family, text), mention, known)

    def _draw(self, app: str, family: str, mention: str) -> str:
        keyed = self._key(app)
        if family == "marker":
            return surrogate(keyed, family, mention)
        drawer = f"{app}\x1f{family}"
        value = canonical(family, mention)
        taken = self._taken.setdefault(drawer, {})
        given = self._given.setdefault(drawer, {})
        for attempt in range(ATTEMPTS if family in DRAWN else 1):
            moved = surrogate(keyed, family, mention, attempt)
            image = canonical(family, moved)
            if taken.setdefault(image, value) == value and (image != value or attempt):
                given[value] = image
                return moved
        return surrogate(keyed, family, mention)

    def episode_id(self, app: str, raw: str) -> str:
        """Return a clean episode's id: it cannot be computed without the secret."""
        return self._key(app).digest("episode", raw, size=16).hex()

    def outcome_id(self, app: str, raw: str) -> str:
        """Return a clean outcome's id."""
        return self._key(app).digest("outcome", raw, size=16).hex()

    def key_of(self, app: str) -> KeyedDigest:
        """Return the app's key for purposes that need no record (token hashes)."""
        return self._key(app)

    def original(self, app: str, kind: str, moved: str) -> str | None:
        """Return the folded value behind a surrogate, None when this vault did not give it."""
        family = family_of(kind)
        drawer = self._taken.get(f"{app}\x1f{family}", {})
        return drawer.get(canonical(family, moved))

    def images(self, app: str, mention: str) -> set[str]:
        """Return the canonical surrogates that a value of an app was given, of whatever family."""
        drawers = [(d, given) for d, given in self._given.items() if d.startswith(f"{app}\x1f")]
        asked = ((given, canonical(d.partition("\x1f")[2], mention)) for d, given in drawers)
        return {given[value] for given, value in asked if value in given}

    def forget(self, app: str, mentions: Iterable[str]) -> int:
        """Drop values of an app and write the file without them; returns how many. Hold the home's `vault` lock."""
        gone = 0
        values = list(mentions)
        for drawer, given in self._given.items():
            if drawer.startswith(f"{app}\x1f"):
                family = drawer.partition("\x1f")[2]
                for value in {canonical(family, mention) for mention in values} & given.keys():
                    self._taken.get(drawer, {}).pop(given.pop(value), None)
                    gone += 1
        if self._path is not None and self._path.exists():
            self._write(self._path)
        return gone

    def values(self) -> Iterator[str]:
        """Yield every value that got a surrogate, for whoever searches them."""
        for given in self._given.values():
            yield from given

    def seal(self, data: bytes) -> bytes:
        """Return the bytes encrypted under the vault's secret."""
        return self._lock.encrypt(data)

    def unseal(self, data: bytes) -> bytes:
        """Return the bytes that `seal` encrypted."""
        try:
            return self._lock.decrypt(data)
        except InvalidToken as error:
            raise VaultError(
                "sealed data does not open: it is damaged or was sealed under another secret."
            ) from error

    def save(self) -> None:
        """Write the vault, merged with what another process wrote meanwhile; readable by its owner only."""
        if self._path is None:
            return
        if self._path.exists():
            for drawer, given in self._read(self._path).items():
                self._given.setdefault(drawer, {}).update(
                    {
                        value: moved
                        for value, moved in given.items()
                        if value not in self._given[drawer]
                    }
                    if drawer in self._given
                    else given
                )
        self._write(self._path)

    def _write(self, path: Path) -> None:
        body = write_json({"format": VAULT_FORMAT, "given": self._given})
        write_private(path, self.seal(body))

    def _key(self, app: str) -> KeyedDigest:
        if app not in self._keys:
            self._keys[app] = self._root.derive("app", app)
        return self._keys[app]

    def _read(self, path: Path) -> dict[str, dict[str, str]]:
        try:
            body = read_json(self.unseal(path.read_bytes()))
        except VaultError as error:
            raise VaultError(
                f"the vault {path.name} does not open with this secret: use the secret it was made with."
            ) from error
        except (OSError, ValueError) as error:
            raise VaultError(
                f"the vault {path.name} cannot be read: check its permissions."
            ) from error
        if body.get("format") != VAULT_FORMAT:
            raise VaultError(
                f"the vault {path.name} has another format version: use the version that wrote it."
            )
        given: dict[str, dict[str, str]] = body["given"]
        return given


def canonical(family: str, mention: str) -> str:
    """Return the form in which two mentions of one value are equal."""
    if family == "phone":
        digits = re.sub(r"\D", "", mention)
        return digits[1:] if len(digits) == 11 and digits[0] == "1" else digits
    if family in {"card", "ssn"}:
        return re.sub(r"\D", "", mention)
    if family == "opaque":
        return mention
    return fold_value(mention)


def secret_from_file(path: Path) -> bytes:
    """Return the secret kept in a file, made at random and readable by its owner only where there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return secret_from_file(path)  # another command made it between the two looks
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_hex(32).encode())
    secret = path.read_bytes().strip()
    if len(secret) < SECRET_SIZE:
        raise VaultError(
            f"the secret file {path.name} is too short: restore it, or the vault cannot be opened."
        )
    return secret


def write_private(path: Path, data: bytes) -> None:
    """Replace a file in one step; only its owner may read it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{hashlib.sha256(data).hexdigest()[:8]}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
