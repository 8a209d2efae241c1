"""Addresses of the review page and of the page of rollouts: links, parts of long lists, the files that both load."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dagster_project.review.page.pages import STATIC, static_text

PER_PAGE: Final = 40
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPart(Generic[Item]):
    """One page of a list."""

    items: Sequence[Item]
    number: int
    """From 1."""
    pages: int


def part_of_list(items: Sequence[Item], asked: str | None) -> ListPart[Item]:
    """The page that was asked for: the first without a number, the last beyond the end."""
    pages = max(1, -(-len(items) // PER_PAGE))
    named = int(asked) if asked and asked.isdecimal() and len(asked) < 7 else 1
    number = min(max(1, named), pages)
    return ListPart(
        items=items[(number - 1) * PER_PAGE : number * PER_PAGE], number=number, pages=pages
    )


def query_of(**parts: object) -> str:
    """The query of a link; what is empty is left out."""
    said = {name: str(value) for name, value in parts.items() if value}
    return f"?{urlencode(said, quote_via=quote, safe='')}" if said else ""


def task_path(app: str, task_id: str, **query: str) -> str:
    """The address of a task's page."""
    return f"/task/{quote(app, safe='')}/{quote(task_id, safe='')}{query_of(**query)}"


async def send_static(request: Request) -> Response:
    """A style or the script."""
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("There is no such file.\n", status_code=404)
    return Response(static_text(name), media_type=STATIC[name])
