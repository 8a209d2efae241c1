"""Content that a client stored out of band and only names by a URI, such as `gen_ai.input.messages_ref`.

Comes in: attributes, and the prefixes that whoever runs the home allows; none are allowed unless told. Goes out: the
attributes with the content in place. The URIs are the sender's: nothing outside a prefix is opened, no link and no
redirect is followed, no file is read beyond the limit. What is not there stays named (`content_elsewhere`).
"""

from __future__ import annotations

import os
import posixpath
import stat
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Final
from urllib.parse import unquote, urlsplit

import orjson

from ingest.errors import SourceUnreadable
from ingest.otlp.limits import DEFAULT_LIMITS
from ingest.records.span import Attributes
from ingest.records.text import NOT_JSON, load_json

CONTENT: Final = (
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.definitions",
)
REFERENCES: Final = ("_ref", ".ref")
"""Endings of attributes that say where content lies."""
_SECONDS: Final = 10.0
_WEB: Final = frozenset({"http", "https"})


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(  # noqa: PLR0913, PLR0917 - the library's signature
        self,
        req: urllib.request.Request,  # noqa: ARG002 - as above
        fp: IO[bytes],  # noqa: ARG002 - as above
        code: int,  # noqa: ARG002 - as above
        msg: str,  # noqa: ARG002 - as above
        headers: HTTPMessage,  # noqa: ARG002 - as above
        newurl: str,  # noqa: ARG002 - as above
    ) -> None:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentPlaces:
    """Where content may be fetched from."""

    folders: tuple[Path, ...] = ()
    addresses: tuple[str, ...] = ()
    """Each ends with a slash: `https://store.example` must not allow `https://store.example.evil`."""
    limit: int = DEFAULT_LIMITS.body_bytes

    @property
    def is_allowed(self) -> bool:
        """Whether anything may be fetched at all."""
        return bool(self.folders or self.addresses)

    def read(self, uri: str) -> bytes | None:
        """What a URI names; None where it is not allowed, not there or too large."""
        try:
            parts = urlsplit(uri)
        except ValueError:
            return None
        if parts.scheme in _WEB:
            return self._fetch(uri) if self._is_below(uri) else None
        if parts.scheme not in {"", "file"} or parts.netloc not in {"", "localhost"}:
            return None
        return self._open(unquote(parts.path) if parts.scheme else uri)

    def may_hold(self, uri: str) -> bool:
        """Whether a URI names a file below an allowed folder, there or not."""
        try:
            parts = urlsplit(uri)
        except ValueError:
            return False
        if parts.scheme not in {"", "file"} or parts.netloc not in {"", "localhost"}:
            return False
        path = unquote(parts.path) if parts.scheme else uri
        if "\0" in path or not Path(path).is_absolute() or os.path.normpath(path) != path:
            return False
        return any(Path(path).is_relative_to(folder) for folder in self.folders)

    def _is_below(self, uri: str) -> bool:
        path = unquote(urlsplit(uri).path)
        if posixpath.normpath(path) != path.rstrip("/") or "\\" in path:
            return False
        return any(uri.startswith(prefix) for prefix in self.addresses)

    def _fetch(self, uri: str) -> bytes | None:
        # An empty proxy table: the environment must not send this anywhere else.
        opener = urllib.request.build_opener(_NoRedirects(), urllib.request.ProxyHandler({}))
        try:
            with opener.open(uri, timeout=_SECONDS) as answer:
                found: bytes = answer.read(self.limit + 1)
        except (OSError, HTTPException, ValueError):
            return None
        return found if len(found) <= self.limit else None

    def _open(self, path: str) -> bytes | None:
        # Of a path with links in it nobody can say what it is below; `realpath` of both sides does.
        if "\0" in path or not Path(path).is_absolute():
            return None
        real = os.path.realpath(path)
        if real != os.path.normpath(path):
            return None
        if not any(Path(real).is_relative_to(folder) for folder in self.folders):
            return None
        try:
            handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > self.limit:
            os.close(handle)
            return None
        with os.fdopen(handle, "rb") as file:
            return file.read(self.limit)


def elsewhere_of(prefixes: Sequence[str]) -> ContentPlaces:
    """The places that some prefixes allow: folders, `file://` or `https://` addresses."""
    folders: list[Path] = []
    addresses: list[str] = []
    for prefix in prefixes:
        parts = urlsplit(prefix)
        if parts.scheme in _WEB and parts.netloc and "@" not in parts.netloc:
            addresses.append(prefix.rstrip("/") + "/")
            continue
        path = unquote(parts.path) if parts.scheme == "file" else prefix
        if parts.scheme not in {"", "file"} or not Path(path).is_absolute() or path == "/":
            raise SourceUnreadable(
                f"{prefix} is no prefix for content; write a folder's absolute path or an https:// address."
            )
        folders.append(Path(os.path.realpath(path)))
    return ContentPlaces(folders=tuple(folders), addresses=tuple(addresses))


def is_named(text: str) -> bool:
    """Whether the JSON text of some attributes may name content elsewhere: cheap, for many rows."""
    return '_ref"' in text or '.ref"' in text


def awaits(attributes: Attributes, elsewhere: ContentPlaces) -> bool:
    """Whether some content is named by a file that may be read once it is there; the web is asked once only."""
    return any(
        isinstance(uri := attributes.get(key + ending), str)
        and not attributes.get(key)
        and elsewhere.may_hold(uri)
        for key in CONTENT
        for ending in REFERENCES
    )


def bring(attributes: Attributes, elsewhere: ContentPlaces) -> Attributes:
    """The attributes with the content that they name, where it may be had."""
    brought = dict(attributes)
    for key in CONTENT:
        for ending in REFERENCES:
            uri = brought.get(key + ending)
            if not isinstance(uri, str) or brought.get(key):
                continue
            text = _as_json(elsewhere.read(uri))
            if text is not None:
                brought[key] = text
                del brought[key + ending]
    return brought


def _as_json(body: bytes | None) -> str | None:
    """One JSON value as it stands; JSON lines as the list they are, in the order of their `index`."""
    if body is None:
        return None
    value = load_json(body)
    if value is NOT_JSON:
        lines = [load_json(line) for line in body.splitlines() if line.strip()]
        if not lines or not all(isinstance(line, dict) for line in lines):
            return None
        value = sorted(lines, key=_index)
    return orjson.dumps(value).decode()


def _index(line: dict[str, object]) -> int:
    index = line.get("index")
    return index if isinstance(index, int) else 0
