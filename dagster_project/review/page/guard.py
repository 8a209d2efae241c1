"""The guard in front of the review page and the page of rollouts: who may ask, from where, and what a browser may do with the answer.

In: every request. Out: the same request, or a refusal in one sentence. A link with a token works once and becomes a
cookie (HttpOnly, SameSite=Strict); the Host must be this server's; a form must carry the page's secret and come from
this page. Every answer forbids scripts but the one file, frames, other origins and caches.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REVIEW: Final = "review"
COOKIE: Final = f"tracegym_{REVIEW}"
"""The review page's."""
NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
MAX_FORM: Final = 2_000_000
MAX_FIELDS: Final = 4_000
_FIXED: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_WELCOME: Final = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>tracegym</title>'
    '<meta http-equiv="refresh" content="0;url=/"><p><a href="/">Open the page</a></p></html>'
)
"""A page of our own, so that the next request comes from this site and carries the strict cookie."""


class BadFormError(ValueError):
    """A form that this page did not make, or that says nothing that can be kept; the message is one sentence."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(slots=True, kw_only=True)
class Keys:
    """The secrets of one run of the page."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    form: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    used: bool = False
    command: str = REVIEW
    """The command that serves the page: it stands in sentences and in the cookie's name."""

    @property
    def cookie(self) -> str:
        """The cookie's name; pages on two ports of this machine share one jar."""
        return f"tracegym_{self.command}"

    def take(self, token: str) -> bool:
        """Whether this is the token of the link, for the first time."""
        right = hmac.compare_digest(token.encode(), self.token.encode())
        if not right or self.used:
            return False
        self.used = True
        return True


class Guard:
    """ASGI middleware: lets the one invited browser in and nobody else."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            return
        nonce = secrets.token_urlsafe(18)
        scope.setdefault("state", {})["nonce"] = nonce
        answer = self._refusal(Request(scope))
        guarded = _with_headers(send, nonce)
        if answer is not None:
            await answer(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)

    def _refusal(self, request: Request) -> Response | None:
        """The answer to a request that may not pass; None lets it in."""
        if not own_host(request.headers.get("host", ""), request.scope.get("server")):
            return _plain_response("This page answers only to its own address.", 421)
        if request.method not in {"GET", "HEAD", "POST"}:
            return _plain_response("This page knows GET and POST only.", 405)
        inside = self._is_signed_in(request)
        token = request.query_params.get("token")
        if token is not None and request.url.path == "/" and request.method == "GET":
            return self._enter(token, inside=inside)
        if not inside:
            return _plain_response(
                f"Open the link that `tracegym {self._keys.command}` printed.", 403
            )
        if request.method == "POST" and not same_origin(request):
            return _plain_response("This form was not sent from this page.", 403)
        return None

    def _is_signed_in(self, request: Request) -> bool:
        try:
            jar = SimpleCookie(request.headers.get("cookie", ""))
        except CookieError:
            return False
        name = self._keys.cookie
        given = jar[name].value if name in jar else ""
        return hmac.compare_digest(given.encode(), self._keys.session.encode())

    def _enter(self, token: str, *, inside: bool) -> Response:
        if inside:
            return RedirectResponse("/", status_code=303)
        if not self._keys.take(token):
            return _plain_response(
                f"This link was used before or is of another run; start `tracegym {self._keys.command}` again.",
                403,
            )
        answer = HTMLResponse(_WELCOME)
        answer.set_cookie(
            self._keys.cookie,
            self._keys.session,
            httponly=True,
            samesite="strict",
            path="/",
            secure=False,
        )
        return answer


def own_host(host: str, server: Any) -> bool:  # noqa: ANN401 - ASGI's (host, port) or nothing
    """Whether the Host header names this server: another name is another site's (DNS rebinding)."""
    name, _, port = host.rpartition(":")
    if not name or (name.startswith("[") and not name.endswith("]")):
        name, port = host, ""
    listening = str(server[1]) if isinstance(server, list | tuple) and len(server) > 1 else ""
    return name.lower() in NAMES and port == listening


def same_origin(request: Request) -> bool:
    """Whether a browser says that the form came from a page of this server."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers.get('host', '')}":
        return False
    return request.headers.get("sec-fetch-site", "same-origin") in {"same-origin", "none"}


async def read_form(request: Request, keys: Keys) -> dict[str, str]:
    """The fields of a form of this page; the last one of a name counts."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise BadFormError("The form has another type than this page sends.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM:
            raise BadFormError("The form is larger than 2 MB.")
    try:
        fields = parse_qs(
            body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"
        )
    except ValueError as fault:
        raise BadFormError("The form cannot be read.") from fault
    form = {name: values[-1] for name, values in fields.items()}
    if not hmac.compare_digest(form.get("form", "").encode(), keys.form.encode()):
        raise BadFormError("This form is of another run of the page; reload it and try again.")
    return form


def _with_headers(send: Send, nonce: str) -> Callable[[Message], Awaitable[None]]:
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )

    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = policy
            for name, value in _FIXED.items():
                headers[name] = value
        await send(message)

    return send_with_headers


def _plain_response(sentence: str, status: int) -> Response:
    return PlainTextResponse(f"{sentence}\n", status_code=status)
