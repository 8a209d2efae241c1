"""The page of rollouts over HTTP: a list with filters, and one rollout with its transcript and verdict. It only reads.

In: a shelf of rollouts and the keys. Out: an ASGI application behind the review page's guard. It works without script: links and one plain
form.
"""

import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from dagster_project.review.page.addresses import part_of_list, query_of, send_static
from dagster_project.review.page.guard import Guard, Keys
from dagster_project.review.page.pages import Frame, page
from dagster_project.review.page.transcript import Turn, turns
from dagster_project.rollouts.reasons import by_policy
from dagster_project.runs.choice import GOT, Choice, choose_lines, earned
from dagster_project.runs.run import Line, OpenRun
from dagster_project.runs.shelf import Shelf
from environments.rollout.explanation import GradedCheck
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.task.rubric import PASSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place of the transcript at which nobody knew an answer."""

    turn: int
    """From 1."""
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The checks of a verdict by what became of them, each group in the rubric's order."""

    deciding: tuple[GradedCheck, ...]
    """Required for the reward, and failed or not graded."""
    others: tuple[GradedCheck, ...]
    """Failed or not graded, and nothing hangs on them alone."""
    passed: tuple[GradedCheck, ...]


class RunsPage:
    """The application; one lock, because the shelf caches."""

    def __init__(self, shelf: Shelf, keys: Keys, first: Choice | None = None) -> None:
        self._shelf = shelf
        self._first = first or Choice()
        """What the list shows before anybody chooses."""
        self._keys = keys
        self._lock = threading.Lock()
        self.app = Starlette(
            routes=[
                Route("/", self._get_list, methods=["GET"]),
                Route("/static/{name}", send_static, methods=["GET"]),
                Route("/run/{rollout_id}", self._get_run, methods=["GET"]),
            ],
            middleware=[Middleware(Guard, keys=keys)],
        )

    async def _get_list(self, request: Request) -> Response:
        return await run_in_threadpool(self._list, request)

    async def _get_run(self, request: Request) -> Response:
        return await run_in_threadpool(self._run, request)

    def _list(self, request: Request) -> Response:
        choice = self._choice(request)
        with self._lock:
            lines = self._shelf.lines()
        here = [line for line in lines if Choice(**{**asdict(choice), "got": ""}).fits(line)]
        shown = choose_lines(here, choice)
        listed = part_of_list(shown, request.query_params.get("page"))
        return HTMLResponse(
            page(
                "runs.html",
                self._frame(request),
                lines=listed.items,
                found=len(shown),
                every=len(here),
                counts=earned(here),
                policies=by_policy(line.row.model_dump() for line in here),
                choice=choice,
                got=GOT,
                apps=sorted({line.row.app for line in lines}),
                names=sorted({line.row.policy for line in lines}),
                number=listed.number,
                pages=listed.pages,
                query=_query,
            )
        )

    def _run(self, request: Request) -> Response:
        rollout_id = request.path_params["rollout_id"]
        choice = self._choice(request)
        with self._lock:
            found = self._shelf.open(rollout_id)
            lines = choose_lines(self._shelf.lines(), choice)
        if found is None:
            return PlainTextResponse("There is no such rollout here.\n", status_code=404)
        said = turns(found.messages, sources=found.sources, unanswered=found.unanswered)
        ids = [line.row.rollout_id for line in lines]
        place = ids.index(rollout_id) if rollout_id in ids else None
        return HTMLResponse(
            page(
                "run.html",
                self._frame(request),
                run=found,
                line=found.line,
                row=found.line.row,
                turns=said,
                marks=marks_in(said),
                checks=group_checks(found.checks),
                place=place,
                total=len(ids),
                before=_path(ids[place - 1], choice) if place else "",
                after=_path(ids[place + 1], choice)
                if place is not None and place + 1 < len(ids)
                else "",
                back=f"/{_query(choice)}",
                known=found.answers is not None,
                siblings=_siblings(lines, found),
                path=lambda one: _path(one, choice),
            )
        )

    def _choice(self, request: Request) -> Choice:
        asked = request.query_params
        if not asked:
            return self._first
        got = asked.get("got", "")
        return Choice(
            app=asked.get("app", ""),
            policy=asked.get("policy", ""),
            task=asked.get("task", "").strip(),
            got=got if got in GOT else "",
        )

    def _frame(self, request: Request) -> Frame:
        return Frame(author="", form="", nonce=request.state.nonce)


def marks_in(said: Sequence[Turn]) -> list[Mark]:
    """Where the world said unknown, and where the user did not understand, in order."""
    found: list[Mark] = []
    for number, turn in enumerate(said, 1):
        if turn.unanswered:
            found.append(Mark(turn=number, says="the user did not understand"))
        found += [
            Mark(turn=number, says=f"{call.name}: unknown")
            for call in turn.calls
            if call.source == UNKNOWN
        ]
    return found


def group_checks(checks: Sequence[GradedCheck]) -> Checks:
    """The checks, those that decide against a reward apart."""
    rest = [one for one in checks if not _passed(one)]
    return Checks(
        deciding=tuple(one for one in rest if one.decides),
        others=tuple(one for one in rest if not one.decides),
        passed=tuple(one for one in checks if _passed(one)),
    )


def _passed(check: GradedCheck) -> bool:
    return check.score is not None and check.score >= PASSES


def _siblings(lines: Sequence[Line], run: OpenRun) -> list[Line]:
    """Other rollouts at the same version of the task, as far as the filters let them through."""
    row = run.line.row
    return [
        line
        for line in lines
        if line.row.task_version == row.task_version and line.row.rollout_id != row.rollout_id
    ][:24]


def _query(choice: Choice, **other: object) -> str:
    """A choice as the query of a link, with some of its parts replaced; never empty, which is the first choice."""
    return query_of(**{**asdict(choice), **other}) or "?all=1"


def _path(rollout_id: str, choice: Choice) -> str:
    return f"/run/{quote(rollout_id, safe='')}{_query(choice)}"
