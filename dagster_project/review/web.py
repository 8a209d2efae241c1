"""The review page's HTTP: reads the desk, takes reviews, shows what an edit changes before it is saved.

In: a desk, the reviewer's name, the keys. Out: an ASGI application. It works without script: links and plain forms.
"""

import threading
import time
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

from dagster_project.causes.label_form import label_of
from dagster_project.lake.rows import canonical_text
from dagster_project.review.desk import AppDesk, Desk, Entry, GradedAttempt
from dagster_project.review.editing.drafts import Drafts
from dagster_project.review.editing.edits import Edit, edited, written_in
from dagster_project.review.feedback import can_accept, derived_hash, doubts_of, review_note
from dagster_project.review.guard import BadFormError, Guard, Keys, read_form
from dagster_project.review.guide.tour import COOKIE, QUEUE, SECONDS, TASK, address_of, place_of
from dagster_project.review.pages import STATIC, Frame, page, static_text
from dagster_project.review.queue import ORDER, WHY, queue, trust_rows
from dagster_project.review.review import (
    ACCEPT,
    CAUSE,
    CHECK,
    DECISION,
    LABEL,
    LABELS,
    REJECT,
    RUBRIC,
    Review,
)
from dagster_project.review.task_page import (
    cause_shown,
    conversation_shown,
    decision_now,
    history_shown,
    neighbours,
    probes_shown,
    rubric_shown,
    tried_attacks,
)
from dagster_project.review.team.plan import Team
from dagster_project.review.team.reviewer_agreement import agreement_rows
from dagster_project.review.team.turn import Turn, turns_of, unlabelled_by
from environments.runtime.task.verdict import Verdict
from environments.runtime.values.canonical import rubric_hash

PER_PAGE: Final = 40
MAX_NOTE: Final = 2_000
SAID: Final = {
    "label": "The label is kept. Here is the next attempt.",
    "next": "The label is kept. Here is the next task.",
    "end": "The label is kept. All attempts that wait for you have one.",
    "rubric": "The rubric is kept. It replaces the derived one with the next build.",
    "derived": "The derived rubric holds again with the next build.",
    "accept": "Accepted: the next build exports this version. Here is what comes next.",
    "reject": "Left out: the next build does not export this version. Here is what comes next.",
    "undo": "The decision is taken back.",
    "check": "The check is marked as right.",
    "cause": "Kept: the next build names this cause, and a model that is asked learns from it.",
}
Answer = Callable[["_TaskRequest"], Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class _TaskRequest:
    """One request about one task."""

    request: Request
    form: Mapping[str, str]
    desk: AppDesk
    entry: Entry


class ReviewPage:
    """The application; one lock, because people are slow and runs share caches."""

    def __init__(self, desk: Desk, author: str, keys: Keys, team: Team | None = None) -> None:
        self._desk = desk
        self._author = author
        self._keys = keys
        self._team = Team() if team is None else team
        self._lock = threading.Lock()
        self._drafts = Drafts()
        self._order: list[tuple[str, str]] = []
        """The queue as it was last looked at: a task keeps its neighbours while a person works through it."""
        task = "/task/{app}/{task_id}"
        self.app = Starlette(
            routes=[
                Route("/", self._get_queue, methods=["GET"]),
                Route("/static/{name}", _static, methods=["GET"]),
                Route("/tour", self._end_tour, methods=["POST"]),
                Route(task, self._task_endpoint(self._show), methods=["GET"]),
                Route(f"{task}/label", self._task_endpoint(self._label), methods=["POST"]),
                Route(f"{task}/decision", self._task_endpoint(self._decision), methods=["POST"]),
                Route(f"{task}/check", self._task_endpoint(self._check), methods=["POST"]),
                Route(f"{task}/cause", self._task_endpoint(self._cause), methods=["POST"]),
                Route(f"{task}/kind", self._task_endpoint(self._kind), methods=["POST"]),
                Route(f"{task}/preview", self._task_endpoint(self._preview), methods=["POST"]),
                Route(f"{task}/rubric", self._task_endpoint(self._rubric), methods=["POST"]),
            ],
            middleware=[Middleware(Guard, keys=keys)],
        )

    def _task_endpoint(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
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
            return answer(_TaskRequest(request=request, form=form, desk=desk, entry=entry))

    async def _get_queue(self, request: Request) -> Response:
        return await run_in_threadpool(self._queue_page, request)

    async def _end_tour(self, request: Request) -> Response:
        try:
            await read_form(request, self._keys)
        except BadFormError as fault:
            return PlainTextResponse(f"{fault}\n", status_code=400)
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, "ended", max_age=SECONDS, httponly=True, samesite="strict")
        return answer

    def _turns(self) -> list[Turn]:
        """The queue as this reviewer sees it."""
        reviews = {name: self._app(name).reviews for name in self._desk.apps}
        items = queue(self._desk.entries(), reviews)
        return turns_of(items, self._team, self._author, reviews)

    def _app(self, name: str) -> AppDesk:
        found = self._desk.app(name)
        if found is None:
            raise KeyError(name)
        return found

    def _queue_page(self, request: Request) -> Response:
        asks = request.query_params
        app, show = asks.get("app", ""), asks.get("show", "todo")
        belongs = self._author in self._team.names
        whose = asks.get("whose", "mine" if belongs else "all")
        with self._lock:
            self._desk.reload_if_old()
            turns = self._turns()
            chosen = [
                turn
                for turn in turns
                if (not app or turn.item.entry.app == app) and (whose != "mine" or turn.mine)
            ]
            self._order = _order(chosen if belongs and whose == "mine" else turns)
            agreement = self._agreement(turns, app)
        shown = [turn for turn in chosen if _fits(turn, show)]
        number = _whole_number(asks.get("page"), 1)
        pages = max(1, -(-len(shown) // PER_PAGE))
        number = min(number, pages)
        return HTMLResponse(
            page(
                "queue.html",
                self._frame(request, QUEUE),
                turns=shown[(number - 1) * PER_PAGE : number * PER_PAGE],
                found=len(shown),
                counts={name: sum(_fits(turn, name) for turn in chosen) for name in _SHOWN},
                reasons=[(r, sum(r in t.item.reasons and t.open for t in chosen)) for r in ORDER],
                why=WHY,
                trust=trust_rows(turn.item.entry for turn in turns if not app or turn in chosen),
                apps=self._desk.apps,
                app=app,
                show=show,
                whose=whose,
                team=self._team,
                belongs=belongs,
                number=number,
                pages=pages,
                **agreement,
            )
        )

    def _agreement(self, turns: Sequence[Turn], app: str) -> dict[str, object]:
        """How far reviewers agree with one another, and rubrics with them."""
        desks = [self._app(name) for name in self._desk.apps if app in {"", name}]
        entries = [turn.item.entry for turn in turns if app in {"", turn.item.entry.app}]
        pairs, graders = agreement_rows(
            labels=[by_person for desk in desks for by_person in desk.reviews.labels.values()],
            entries=entries,
            held_out=[one for desk in desks for one in desk.held_out],
        )
        return {"pairs": pairs, "graders": graders}

    def _frame(self, request: Request, name: str) -> Frame:
        asks = request.query_params
        was = [asks.get(part, "") for part in ("was_app", "was_task", "was_episode")]
        place = place_of(asks.get("tour"), request.cookies, name)
        task = _path(*self._order[0]) if self._order else "/"
        return Frame(
            author=self._author,
            form=self._keys.form,
            nonce=request.state.nonce,
            said=SAID.get(asks.get("said", ""), ""),
            back=f"{_path(was[0], was[1])}?episode={quote(was[2], safe='')}" if was[1] else "",
            tour=place,
            tour_before=address_of(place.number - 1, task) if place and place.number > 1 else "",
            tour_after=(
                address_of(place.number + 1, task) if place and place.number < place.total else ""
            ),
        )

    def _show(self, asked: _TaskRequest) -> Response:
        return self._task_page(asked)

    def _task_page(
        self, asked: _TaskRequest, *, edit: Edit | None = None, status: int = 200
    ) -> Response:
        entry, desk = asked.entry, asked.desk
        here = (entry.app, entry.task_id)
        turns = self._turns()
        turn = next(t for t in turns if (t.item.entry.app, t.item.entry.task_id) == here)
        if here not in self._order:
            self._order = _order(turns)
        order = self._order
        place = order.index(here)
        asks = asked.request.query_params
        shown = conversation_shown(
            desk,
            entry,
            rollout_id=asks.get("rollout"),
            episode_id=asks.get("episode") or asked.form.get("episode"),
        )
        graded, verdict = shown["graded"], shown["verdict"]
        episode = graded.episode_id if isinstance(graded, GradedAttempt) else None
        before, after = neighbours(entry, episode)
        verified = entry.verified
        path = _path(*here)
        return HTMLResponse(
            page(
                "task.html",
                self._frame(asked.request, TASK),
                turn=turn,
                item=turn.item,
                entry=entry,
                why=WHY,
                place=place + 1,
                total=len(order),
                before=_path(*order[place - 1]) if place else "",
                after=_path(*order[place + 1]) if place + 1 < len(order) else "",
                attempt_before=f"{path}?episode={quote(before, safe='')}" if before else "",
                attempt_after=f"{path}?episode={quote(after, safe='')}" if after else "",
                path=path,
                note=review_note(entry.candidate.rubric),
                overridden=entry.task_id in desk.reviews.rubrics
                and desk.reviews.rubrics[entry.task_id].rubric is not None,
                accepted_checks=desk.reviews.checks.get(entry.task_id, {}),
                decision=None if turn.blind else decision_now(desk, entry),
                can_accept=verified is not None and not entry.pending and can_accept(verified),
                probes=(probes := probes_shown(desk, entry)),
                tried=tried_attacks(probes, entry.candidate.rubric),
                history=history_shown(
                    desk.reviews.history(entry.task_id),
                    blind_for=self._author if turn.blind else None,
                ),
                mine=desk.reviews.labels.get(episode or "", {}).get(self._author),
                rollouts=desk.rollouts(entry.task_id)[:30],
                rollout_count=len(desk.rollouts(entry.task_id)),
                failing=cause_shown(desk, graded, reviewer=self._author),
                edit=edit,
                form=asked.form,
                **rubric_shown(
                    entry, verdict if isinstance(verdict, Verdict) else None, asked.form
                ),
                **shown,
            ),
            status_code=status,
        )

    def _label(self, asked: _TaskRequest) -> Response:
        episode, value = asked.form.get("episode", ""), asked.form.get("value", "")
        known = {graded.episode_id for graded in asked.entry.attempts}
        if episode not in known or value not in LABELS:
            return PlainTextResponse("There is no such episode or label.\n", status_code=400)
        self._save(asked, LABEL, value, episode_id=episode)
        entry = asked.entry
        was = f"&was_app={quote(entry.app, safe='')}&was_task={quote(entry.task_id, safe='')}"
        was += f"&was_episode={quote(episode, safe='')}"
        following = unlabelled_by(entry, self._author, asked.desk.reviews, episode)
        if following is None:
            return self._go_on(asked, "next", was)
        at = f"{_path(entry.app, entry.task_id)}?episode={quote(following, safe='')}"
        return RedirectResponse(f"{at}&said=label{was}", status_code=303)

    def _go_on(self, asked: _TaskRequest, said: str, more: str = "") -> Response:
        """On to the next task that waits for this reviewer, or to the queue where none does."""
        here = (asked.entry.app, asked.entry.task_id)
        turns = self._turns()
        order = self._order if here in self._order else _order(turns)
        waiting = {
            key
            for key, turn in zip(_order(turns), turns, strict=True)
            if turn.open and (said != "next" or self._unlabelled(turn.item.entry))
        }
        at = order.index(here) + 1 if here in order else 0
        following = next(
            (key for key in [*order[at:], *order[:at]] if key in waiting - {here}), None
        )
        if following is None:
            return RedirectResponse(
                f"/?said={'end' if said == 'next' else said}{more}", status_code=303
            )
        return RedirectResponse(f"{_path(*following)}?said={said}{more}", status_code=303)

    def _unlabelled(self, entry: Entry) -> bool:
        """Whether an attempt of it has no label of this reviewer yet."""
        reviews = self._app(entry.app).reviews
        return unlabelled_by(entry, self._author, reviews, "") is not None

    def _decision(self, asked: _TaskRequest) -> Response:
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
        if not value:
            return self._back(asked, "undo")
        entry = asked.entry
        was = f"&was_app={quote(entry.app, safe='')}&was_task={quote(entry.task_id, safe='')}"
        return self._go_on(asked, value, was)

    def _check(self, asked: _TaskRequest) -> Response:
        checks = {check.check_id: check for check in asked.entry.candidate.rubric.checks}
        check = checks.get(asked.form.get("value", ""))
        if check is None:
            return PlainTextResponse("There is no such check.\n", status_code=400)
        rubric = rubric_hash(asked.entry.candidate.rubric)
        self._save(asked, CHECK, check.check_id, document=canonical_text({"rubric": rubric}))
        return self._back(asked, "check")

    def _cause(self, asked: _TaskRequest) -> Response:
        episode_id = asked.form.get("episode", "")
        known = {graded.episode_id for graded in asked.entry.attempts}
        episode = asked.desk.episode(episode_id) if episode_id in known else None
        label = label_of(episode, asked.form) if episode is not None else None
        if label is None:
            return PlainTextResponse("There is no such episode, cause or step.\n", status_code=400)
        cause, document = label
        self._save(asked, CAUSE, cause, document=document, episode_id=episode_id)
        return self._back(asked, "cause", f"&episode={quote(episode_id, safe='')}#failing")

    def _kind(self, asked: _TaskRequest) -> Response:
        """The same page with everything that was typed, and the fields of another kind of check."""
        return self._task_page(asked)

    def _preview(self, asked: _TaskRequest) -> Response:
        entry = asked.entry
        edit = edited(entry.candidate.rubric, asked.form, author=self._author)
        if edit.faults or not edit.changes:
            nothing = replace(edit, faults=("Nothing was changed.",))
            return self._task_page(asked, edit=edit if edit.faults else nothing, status=422)
        draft = self._drafts.keep(entry.app, entry.task_id, entry.candidate.rubric, edit)
        return HTMLResponse(
            page(
                "preview.html",
                self._frame(asked.request, "preview"),
                entry=entry,
                path=_path(entry.app, entry.task_id),
                edit=edit,
                draft=draft,
                change=asked.desk.change(entry, edit.rubric),
                preview=asked.desk.preview(self._rubric_review(asked, edit)),
                titles={key: asked.desk.title(key) for key in asked.desk.task_ids},
                note=asked.form.get("note", "")[:MAX_NOTE],
            )
        )

    def _rubric(self, asked: _TaskRequest) -> Response:
        name, entry = asked.form.get("draft", ""), asked.entry
        if name == "derived":
            self._save(asked, RUBRIC, "")
            return self._back(asked, "derived")
        if name == "confirm":
            rubric = entry.candidate.rubric
            written = tuple(sorted(written_in(rubric)))
            return self._keep_rubric(
                asked, Edit(rubric=rubric, changes=("Confirmed as it is.",), written=written)
            )
        edit = self._drafts.find(name, entry.app, entry.task_id, entry.candidate.rubric)
        if edit is None:
            return PlainTextResponse(
                "The task changed since this was shown; go back, reload and edit again.\n",
                status_code=409,
            )
        return self._keep_rubric(asked, edit)

    def _keep_rubric(self, asked: _TaskRequest, edit: Edit) -> Response:
        asked.desk.save(self._rubric_review(asked, edit))
        return self._back(asked, "rubric")

    def _rubric_review(self, asked: _TaskRequest, edit: Edit) -> Review:
        """The review that puts an edited rubric in place: what is previewed is what is kept."""
        evidence = {k: v for k, v in edit.rubric.evidence.items() if k != "review"}
        document = {
            "rubric": {**edit.rubric.to_json(), "evidence": evidence},
            "base": derived_hash(asked.entry.stored.rubric),
            "changes": list(edit.changes),
            "written": list(edit.written),
        }
        return self._review(
            asked, RUBRIC, rubric_hash(edit.rubric), document=canonical_text(document)
        )

    def _save(
        self,
        asked: _TaskRequest,
        kind: str,
        value: str,
        *,
        document: str = "{}",
        episode_id: str = "",
    ) -> None:
        asked.desk.save(self._review(asked, kind, value, document=document, episode_id=episode_id))

    def _review(
        self,
        asked: _TaskRequest,
        kind: str,
        value: str,
        *,
        document: str = "{}",
        episode_id: str = "",
    ) -> Review:
        return Review(
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

    @staticmethod
    def _back(asked: _TaskRequest, said: str, more: str = "") -> Response:
        return RedirectResponse(
            f"{_path(asked.entry.app, asked.entry.task_id)}?said={said}{more}", status_code=303
        )


_SHOWN: Final = ("todo", "done", "all")


def _fits(turn: Turn, show: str) -> bool:
    if show == "all":
        return True
    return turn.done if show == "done" else turn.open


def _order(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    return [(turn.item.entry.app, turn.item.entry.task_id) for turn in turns]


def _path(app: str, task_id: str) -> str:
    return f"/task/{quote(app, safe='')}/{quote(task_id, safe='')}"


def _whole_number(text: str | None, least: int) -> int:
    return max(least, int(text)) if text and text.isdecimal() and len(text) < 7 else least


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("There is no such file.\n", status_code=404)
    return Response(static_text(name), media_type=STATIC[name])
