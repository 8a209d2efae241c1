"""Bearer tokens: which app a sender is.

Comes in: a token file, one `token app` a line (`#` starts a comment). Goes out: `Tokens`, which answers in time that
does not depend on the token. The app comes from here and never from what the sender writes about itself.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from pathlib import Path

from ingest.app_name import safe_app_name
from ingest.errors import SourceUnreadable

_SHORTEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The known tokens, as digests."""

    apps: tuple[tuple[bytes, str], ...] = ()
    """(SHA-256 of the token, app)."""

    @property
    def required(self) -> bool:
        """Whether a sender must show a token."""
        return bool(self.apps)

    def app_of(self, authorization: str | None) -> str | None:
        """The app of an `Authorization` header; None where no known token is in it."""
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        shown = hashlib.sha256(token.strip().encode("utf-8", "replace")).digest()
        found = None
        # All are compared, and digests of one length: neither the place nor the length of a token shows in the time.
        for digest, app in self.apps:
            if hmac.compare_digest(digest, shown):
                found = app
        return found


def load_tokens(path: Path) -> Tokens:
    """Read a token file; a line that is not `token app` is an error, because it would lock a sender out silently."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceUnreadable(
            f"The token file {path} cannot be read; check the path and its owner."
        ) from error
    apps: list[tuple[bytes, str]] = []
    for number, line in enumerate(lines, start=1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) != 2 or len(words[0]) < _SHORTEST:
            raise SourceUnreadable(
                f"Line {number} of the token file {path} is not `token app` with a token of {_SHORTEST} characters or more."
            )
        apps.append((hashlib.sha256(words[0].encode()).digest(), safe_app_name(words[1])))
    if not apps:
        # An empty file would open the receiver to everybody.
        raise SourceUnreadable(
            f"The token file {path} holds no token; write one `token app` a line."
        )
    return Tokens(apps=tuple(apps))
