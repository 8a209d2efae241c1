"""The signature of an export: every file by its hash, under an Ed25519 key.

In: a folder and a key in PEM. Out: `signature.json` in it, or what does not hold. It covers all files of all formats; symbolic
links, pipes and files that were added are faults as well. Not here: whose key it is, which only who got it can know.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from environments.export.errors import ExportError

NAME: Final = "signature.json"
_KIND: Final = "tracegym export, Ed25519 over sorted files, 1"
_LONGEST: Final = 64 << 20
_MADE: Final = "make one with: openssl genpkey -algorithm ed25519 -out KEY.pem"


def sign_folder(folder: Path, key: Path) -> str:
    """Write the signature; returns the public key, as whoever verifies must have it."""
    private = signing_key(key)
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (folder / NAME).unlink(missing_ok=True)
    files, odd = _files(folder)
    if odd:
        raise ExportError(f"{folder} holds {odd[0]}, which is no plain file, and is not signed")
    signed = base64.b64encode(private.sign(_message(files))).decode()
    document = {"kind": _KIND, "files": files, "public_key": public.decode(), "signature": signed}
    (folder / NAME).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", "utf-8")
    return public.decode()


def faults_of(folder: Path, key: Path) -> list[str]:
    """What does not hold of a signed folder under a public key, a sentence each; nothing where all does."""
    public = _public(key)
    try:
        path = folder / NAME
        if path.stat().st_size > _LONGEST:
            return [f"{NAME} is larger than any that tracegym writes"]
        document = json.loads(path.read_text(encoding="utf-8"))
        signature = base64.b64decode(document["signature"], validate=True)
        listed = {str(name): str(digest) for name, digest in document["files"].items()}
        kind = document["kind"]
    except OSError:
        return [f"{folder} has no {NAME}: it was exported without --sign"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return [f"{NAME} is damaged"]
    if kind != _KIND:
        return [f"{NAME} is of a kind that this tracegym does not read"]
    try:
        public.verify(signature, _message(listed))
    except InvalidSignature:
        return [f"the list of files in {NAME} was not signed with this key"]
    files, odd = _files(folder)
    return [
        *(f"{name} is no plain file" for name in odd),
        *(f"{name} is missing" for name in sorted(listed.keys() - files.keys() - set(odd))),
        *(f"{name} was added" for name in sorted(files.keys() - listed.keys())),
        *(
            f"{name} was changed"
            for name in sorted(files.keys() & listed.keys())
            if files[name] != listed[name]
        ),
    ]


def _message(files: dict[str, str]) -> bytes:
    lines = [json.dumps([name, digest]) for name, digest in sorted(files.items())]
    return "\n".join([_KIND, *lines]).encode()


def _files(folder: Path) -> tuple[dict[str, str], list[str]]:
    """Every plain file with its hash, and what else is there."""
    files: dict[str, str] = {}
    odd: list[str] = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            odd.append(name)
        elif path.is_file() and name != NAME:
            with path.open("rb") as file:
                files[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return files, odd


def signing_key(path: Path) -> Ed25519PrivateKey:
    """The key with which a folder is signed; raises `ExportError` where the file holds none."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as fault:
        raise ExportError(f"{path} is no private key in PEM without a password; {_MADE}") from fault
    if not isinstance(key, Ed25519PrivateKey):
        raise ExportError(f"{path} is no Ed25519 key; {_MADE}")
    return key


def _public(path: Path) -> Ed25519PublicKey:
    """The public key, also from a file with the private one."""
    try:
        data = path.read_bytes()
        if b"PRIVATE KEY" in data:
            return signing_key(path).public_key()
        key = load_pem_public_key(data)
    except (OSError, ValueError, UnsupportedAlgorithm) as fault:
        raise ExportError(f"{path} is no public key in PEM") from fault
    if not isinstance(key, Ed25519PublicKey):
        raise ExportError(f"{path} is no Ed25519 key; {_MADE}")
    return key
