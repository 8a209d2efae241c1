"""Bearer tokens: which app a sender is, and as whom it may judge.

Comes in: a token file, one `token app` a line, with the roles of the token after it (`#` starts a comment). Goes out: `Tokens`, which answers in time that
does not depend on the token. The app comes from here and never from what the sender writes about itself.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingest.errors import SourceUnreadable
from ingest.records.app_name import safe_app_name
from ingest.records.outcome import ANNOTATORS

_SHORTEST = 8
_UNNAMED: Final = ANNOTATORS - {"reviewer"}
"""The roles of a token without any: a reviewer's word outranks every other, so no app has it unless its line says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who sent something."""

    app: str | None = None
    """None where no tokens are asked for and the data itself has to say."""
    judges_as: str = ""
    """The annotators that it may name, with commas; empty for whoever is on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The known tokens, as digests."""

    senders: tuple[tuple[bytes, Sender], ...] = ()
    """By SHA-256 of the token."""

    @property
    def required(self) -> bool:
        """Whether a sender must show a token."""
        return bool(self.senders)

    def sender_of(self, authorization: str | None) -> Sender | None:
        """The sender of an `Authorization` header; None where no known token is in it."""
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        shown = hashlib.sha256(token.strip().encode("utf-8", "replace")).digest()
        found = None
        # All are compared, and digests of one length: neither the place nor the length of a token shows in the time.
        for digest, sender in self.senders:
            if hmac.compare_digest(digest, shown):
                found = sender
        return found


def load_tokens(path: Path) -> Tokens:
    """Read a token file; a line that is not `token app` is an error, because it would lock a sender out silently."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceUnreadable(
            f"The token file {path} cannot be read; check the path and its owner."
        ) from error
    senders: list[tuple[bytes, Sender]] = []
    for number, line in enumerate(lines, start=1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        roles = set(words[2:]) or _UNNAMED
        if len(words) < 2 or len(words[0]) < _SHORTEST or not roles <= ANNOTATORS:
            raise SourceUnreadable(
                f"Line {number} of the token file {path} is not `token app` with a token of {_SHORTEST} characters or more, "
                f"and after it roles among {', '.join(sorted(ANNOTATORS))}."
            )
        sender = Sender(app=safe_app_name(words[1]), judges_as=",".join(sorted(roles)))
        senders.append((hashlib.sha256(words[0].encode()).digest(), sender))
    if not senders:
        # An empty file would open the receiver to everybody.
        raise SourceUnreadable(
            f"The token file {path} holds no token; write one `token app` a line."
        )
    return Tokens(senders=tuple(senders))
