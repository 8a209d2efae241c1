"""The review page's HTTP: reads the desk, takes reviews, shows what an edit changes before it is saved.

In: a desk, the reviewer's name, the keys. Out: an ASGI application. It works without script: links and plain forms.
Not here: who may ask (`guard`), HTML (`pages`), what is true (`desk`, `regrading`).
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from dagster_project.review.check_kinds import KINDS
from dagster_project.review.desk import AppDesk, Desk, Entry
from dagster_project.review.edits import Edit, edited
from dagster_project.review.feedback import can_accept, derived_hash, doubts_of, review_note
from dagster_project.review.guard import BadFormError, Guard, Keys, read_form
from dagster_project.review.pages import STATIC, Frame, page, static_text
from dagster_project.review.queue import ORDER, WHY, QueueItem, queue, trust_rows
from dagster_project.review.review import (
    ACCEPT,
    CHECK,
    DECISION,
    LABEL,
    LABELS,
    REJECT,
    RUBRIC,
    Review,
)
from dagster_project.review.task_page import conversation_shown, decision_now, probes_shown
from dagster_project.rows import canonical_text
from environments.runtime.canonical import rubric_hash
from environments.runtime.rubric import Rubric

PER_PAGE: Final = 40
DRAFTS: Final = 200
MAX_NOTE: Final = 2_000
SAID: Final = {
    "label": "The label is kept. It becomes a reviewer's outcome with the next build.",
    "rubric": "The rubric is kept. It replaces the derived one with the next build.",
    "derived": "The derived rubric holds again with the next build.",
    "accept": "Accepted. The next build exports this version.",
    "reject": "Left out. The next build does not export this version.",
    "undo": "The decision is taken back.",
    "check": "The check is marked as right.",
}
Answer = Callable[["_Asked"], Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An edited rubric that was shown and not saved yet."""

    app: str
    task_id: str
    base: str
    """Hash of the rubric it was made from."""
    rubric: Rubric
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One request about one task."""

    request: Request
    form: Mapping[str, str]
    desk: AppDesk
    entry: Entry


class ReviewPage:
    """The application; one lock, because people are slow and runs share caches."""

    def __init__(self, desk: Desk, author: str, keys: Keys) -> None:
        self._desk = desk
        self._author = author
        self._keys = keys
        self._lock = threading.Lock()
        self._drafts: OrderedDict[str, Draft] = OrderedDict()
        self._order: list[tuple[str, str]] = []
        """The queue as it was last looked at: a task keeps its neighbours while a person works through it."""
        task = "/task/{app}/{task_id}"
        self.app = Starlette(
            routes=[
                Route("/", self._get_queue, methods=["GET"]),
                Route("/static/{name}", _static, methods=["GET"]),
                Route(task, self._about(self._show), methods=["GET"]),
                Route(f"{task}/label", self._about(self._label), methods=["POST"]),
                Route(f"{task}/decision", self._about(self._decision), methods=["POST"]),
                Route(f"{task}/check", self._about(self._check), methods=["POST"]),
                Route(f"{task}/preview", self._about(self._preview), methods=["POST"]),
                Route(f"{task}/rubric", self._about(self._rubric), methods=["POST"]),
            ],
            middleware=[Middleware(Guard, keys=keys)],
        )

    def _about(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint about one task: reads the form, finds the task, answers on a worker thread."""

        async def endpoint(request: Request) -> Response:
            try:
                form = await read_form(request, self._keys) if request.method == "POST" else {}
            except BadFormError as fault:
                return PlainTextResponse(f"{fault}\n", status_code=400)
            return await run_in_threadpool(self._answer, answer, request, form)

        return endpoint

    def _answer(self, answer: Answer, request: Request, form: Mapping[str, str]) -> Response:
        with self._lock:
            self._desk.reload_if_old()
            desk = self._desk.app(request.path_params["app"])
            entry = desk.entry(request.path_params["task_id"]) if desk is not None else None
            if desk is None or entry is None:
                return PlainTextResponse("There is no such task here.\n", status_code=404)
            return answer(_Asked(request=request, form=form, desk=desk, entry=entry))

    async def _get_queue(self, request: Request) -> Response:
        return await run_in_threadpool(self._queue_page, request)

    def _queue(self) -> list[QueueItem]:
        reviews = {name: self._app(name).reviews for name in self._desk.apps}
        return queue(self._desk.entries(), reviews)

    def _app(self, name: str) -> AppDesk:
        found = self._desk.app(name)
        if found is None:
            raise KeyError(name)
        return found

    def _queue_page(self, request: Request) -> Response:
        with self._lock:
            self._desk.reload_if_old()
            items = self._queue()
            self._order = _order(items)
        app, show = request.query_params.get("app", ""), request.query_params.get("show", "todo")
        mine = [item for item in items if not app or item.entry.app == app]
        shown = [item for item in mine if _fits(item, show)]
        number = _whole(request.query_params.get("page"), 1)
        pages = max(1, -(-len(shown) // PER_PAGE))
        number = min(number, pages)
        return HTMLResponse(
            page(
                "queue.html",
                self._frame(request),
                items=shown[(number - 1) * PER_PAGE : number * PER_PAGE],
                found=len(shown),
                counts={name: sum(_fits(i, name) for i in mine) for name in _SHOWN},
                reasons=[(r, sum(r in i.reasons and not i.done for i in mine)) for r in ORDER],
                why=WHY,
                trust=trust_rows(i.entry for i in mine),
                apps=self._desk.apps,
                app=app,
                show=show,
                number=number,
                pages=pages,
            )
        )

    def _frame(self, request: Request) -> Frame:
        return Frame(
            author=self._author,
            form=self._keys.form,
            nonce=request.state.nonce,
            said=SAID.get(request.query_params.get("said", ""), ""),
        )

    def _show(self, asked: _Asked) -> Response:
        return self._task_page(asked)

    def _task_page(self, asked: _Asked, *, edit: Edit | None = None, status: int = 200) -> Response:
        entry, desk = asked.entry, asked.desk
        items = self._queue()
        item = next(i for i in items if i.entry.task_id == entry.task_id)
        if (entry.app, entry.task_id) not in self._order:
            self._order = _order(items)
        order = self._order
        place = order.index((entry.app, entry.task_id))
        asks = asked.request.query_params
        shown = conversation_shown(
            desk,
            entry,
            rollout_id=asks.get("rollout"),
            episode_id=asks.get("episode") or asked.form.get("episode"),
        )
        derived = desk.in_force(entry.stored).reasons
        verified = entry.verified
        return HTMLResponse(
            page(
                "task.html",
                self._frame(asked.request),
                item=item,
                entry=entry,
                why=WHY,
                reasons=derived,
                place=place + 1,
                total=len(order),
                before=_path(*order[place - 1]) if place else "",
                after=_path(*order[place + 1]) if place + 1 < len(order) else "",
                path=_path(entry.app, entry.task_id),
                kinds=KINDS,
                note=review_note(entry.candidate.rubric),
                overridden=entry.task_id in desk.reviews.rubrics
                and desk.reviews.rubrics[entry.task_id].rubric is not None,
                accepted_checks=desk.reviews.checks.get(entry.task_id, {}),
                decision=decision_now(desk, entry),
                can_accept=verified is not None and not entry.pending and can_accept(verified),
                probes=probes_shown(desk, entry),
                history=desk.reviews.history(entry.task_id)[:50],
                rollouts=desk.rollouts(entry.task_id)[:30],
                rollout_count=len(desk.rollouts(entry.task_id)),
                edit=edit,
                form=asked.form,
                **shown,
            ),
            status_code=status,
        )

    def _label(self, asked: _Asked) -> Response:
        episode, value = asked.form.get("episode", ""), asked.form.get("value", "")
        known = {graded.episode_id for graded in asked.entry.attempts}
        if episode not in known or value not in LABELS:
            return PlainTextResponse("There is no such episode or label.\n", status_code=400)
        self._save(asked, LABEL, value, episode_id=episode)
        return self._back(asked, "label", f"&episode={quote(episode, safe='')}")

    def _decision(self, asked: _Asked) -> Response:
        value = asked.form.get("value", "")
        verified = asked.entry.verified
        if value not in {ACCEPT, REJECT, ""} or verified is None:
            return PlainTextResponse("There is no such decision.\n", status_code=400)
        if value == ACCEPT and (asked.entry.pending or not can_accept(verified)):
            return PlainTextResponse(
                "The gate must run first, and only its doubts can be settled.\n", status_code=409
            )
        probes = doubts_of(verified) if value == ACCEPT else []
        self._save(asked, DECISION, value, document=canonical_text({"probes": probes}))
        return self._back(asked, value or "undo")

    def _check(self, asked: _Asked) -> Response:
        checks = {check.check_id: check for check in asked.entry.candidate.rubric.checks}
        check = checks.get(asked.form.get("value", ""))
        if check is None:
            return PlainTextResponse("There is no such check.\n", status_code=400)
        rubric = rubric_hash(asked.entry.candidate.rubric)
        self._save(asked, CHECK, check.check_id, document=canonical_text({"rubric": rubric}))
        return self._back(asked, "check")

    def _preview(self, asked: _Asked) -> Response:
        entry = asked.entry
        edit = edited(entry.candidate.rubric, asked.form, author=self._author)
        if edit.faults or not edit.changes:
            nothing = Edit(rubric=edit.rubric, changes=(), faults=("Nothing was changed.",))
            return self._task_page(asked, edit=edit if edit.faults else nothing, status=422)
        candidate = replace(entry.candidate, rubric=edit.rubric)
        draft = self._keep_draft(asked, edit)
        return HTMLResponse(
            page(
                "preview.html",
                self._frame(asked.request),
                entry=entry,
                path=_path(entry.app, entry.task_id),
                edit=edit,
                draft=draft,
                change=asked.desk.change(entry, edit.rubric),
                gate=asked.desk.gate(candidate),
                note=asked.form.get("note", "")[:MAX_NOTE],
            )
        )

    def _keep_draft(self, asked: _Asked, edit: Edit) -> str:
        draft = Draft(
            app=asked.entry.app,
            task_id=asked.entry.task_id,
            base=rubric_hash(asked.entry.candidate.rubric),
            rubric=edit.rubric,
            changes=edit.changes,
        )
        name = rubric_hash(edit.rubric)
        self._drafts[name] = draft
        while len(self._drafts) > DRAFTS:
            self._drafts.popitem(last=False)
        return name

    def _rubric(self, asked: _Asked) -> Response:
        name, entry = asked.form.get("draft", ""), asked.entry
        derived = derived_hash(entry.stored.rubric)
        if name == "derived":
            self._save(asked, RUBRIC, "")
            return self._back(asked, "derived")
        if name == "confirm":
            return self._keep_rubric(
                asked, entry.candidate.rubric, ("Confirmed as it is.",), derived
            )
        draft = self._drafts.get(name)
        now = rubric_hash(entry.candidate.rubric)
        if draft is None or (draft.app, draft.task_id, draft.base) != (
            entry.app,
            entry.task_id,
            now,
        ):
            return PlainTextResponse(
                "The task changed since this was shown; go back, reload and edit again.\n",
                status_code=409,
            )
        return self._keep_rubric(asked, draft.rubric, draft.changes, derived)

    def _keep_rubric(
        self, asked: _Asked, rubric: Rubric, changes: Sequence[str], derived: str
    ) -> Response:
        evidence = {k: v for k, v in rubric.evidence.items() if k != "review"}
        document = {
            "rubric": {**rubric.to_json(), "evidence": evidence},
            "base": derived,
            "changes": list(changes),
        }
        self._save(asked, RUBRIC, rubric_hash(rubric), document=canonical_text(document))
        return self._back(asked, "rubric")

    def _save(
        self, asked: _Asked, kind: str, value: str, *, document: str = "{}", episode_id: str = ""
    ) -> None:
        asked.desk.save(
            Review(
                app=asked.entry.app,
                kind=kind,
                task_id=asked.entry.task_id,
                task_version=asked.entry.version,
                episode_id=episode_id,
                value=value,
                by=self._author,
                at=time.time_ns(),
                note=asked.form.get("note", "")[:MAX_NOTE],
                document=document,
            )
        )

    @staticmethod
    def _back(asked: _Asked, said: str, more: str = "") -> Response:
        return RedirectResponse(
            f"{_path(asked.entry.app, asked.entry.task_id)}?said={said}{more}", status_code=303
        )


_SHOWN: Final = ("todo", "done", "all")


def _fits(item: QueueItem, show: str) -> bool:
    if show == "all":
        return True
    return item.done if show == "done" else bool(item.reasons) and not item.done


def _order(items: Sequence[QueueItem]) -> list[tuple[str, str]]:
    return [(item.entry.app, item.entry.task_id) for item in items]


def _path(app: str, task_id: str) -> str:
    return f"/task/{quote(app, safe='')}/{quote(task_id, safe='')}"


def _whole(text: str | None, least: int) -> int:
    return max(least, int(text)) if text and text.isdecimal() and len(text) < 7 else least


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("There is no such file.\n", status_code=404)
    return Response(static_text(name), media_type=STATIC[name])
