"""The key of a home's surrogates: its secret, and on which machine its vault lies.

Comes in: a home, and a secret where one is given. Goes out: the secret, or why it is not to be had. Not here: the vault (`redact.operators.vault`).
"""

import secrets
import socket

from dagster_project.errors import HomeError, VaultElsewhere
from dagster_project.home.layout import Home, read_manifest
from dagster_project.home.settings import update_manifest
from dagster_project.storage.whole_files import write_once


def vault_secret(home: Home, given: str | None) -> bytes:
    """The vault's secret: the one given, else one generated once and kept where only the owner reads it.

    Raises `HomeError` where the vault was sealed with a secret from the environment and none is given now, and where the vault of data that
    is past the gate is gone: another secret would give the same people other surrogates.
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
        if (home.clean / "lake" / "clean_episodes").exists():
            raise HomeError(
                f"{home.vault} holds no secret, and the clean data of this home was made with one: put that folder back from a backup, "
                "or take the recordings into a new home (--home NEW)"
            )
        home.vault.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_once(path, secrets.token_hex(32), mode=0o600)
    return path.read_text(encoding="ascii").strip().encode()


def claim_vault(home: Home) -> None:
    """Tie a home in object storage to the one vault that keys it; `VaultElsewhere` on a machine that has another one, or none.

    The vault stays on its machine: a second one would give the same people other surrogates.
    """
    if home.place is None:
        return
    mark = home.vault / "mark"
    if not mark.exists():
        write_once(mark, secrets.token_hex(16), mode=0o600)
    own = mark.read_text(encoding="ascii").strip()
    if read_manifest(home).get("vault") is None:
        where = {"vault": own, "vault_host": socket.gethostname()}
        update_manifest(home, lambda found: found if found.get("vault") else {**found, **where})
    kept = read_manifest(home)
    if kept.get("vault") != own:
        raise VaultElsewhere(
            f"the vault of {home.place.url} is not on this machine but on {kept.get('vault_host')}: run the command "
            f"there, or copy that machine's private/vault to {home.vault}"
        )
